/* The log of bsg_manycore's Vanilla core, a line for each cycle and tile: the integer pipeline, a
 * bar, the floating-point pipeline, a bar, and branch target or access. A line with STALL shows the
 * instruction that still waits. Tiles are harts in the order in which they come.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

#define TILES_MAX 64

struct manycore {
	struct ear_log_reader log;
	uint8_t count;
	uint16_t tiles[TILES_MAX]; /* x and y */
	uint64_t time;             /* of the line, for its second part */
	uint8_t hart;
};

static bool find_hart(struct manycore *manycore, uint64_t x, uint64_t y)
{
	uint16_t tile = (uint16_t)(x << 8 | y);

	if (x > 255 || y > 255)
		return false;
	for (manycore->hart = 0; manycore->hart < manycore->count; manycore->hart++)
		if (manycore->tiles[manycore->hart] == tile)
			return true;
	if (manycore->count == TILES_MAX)
		return false;
	manycore->tiles[manycore->count++] = tile;
	return true;
}

/* "80000000 0000a117 x02=8000a000": an instruction, or BUBBLE, and a register. */
static int take_pipeline(struct manycore *manycore, struct ear_text part, bool floating)
{
	struct ear_text_cursor at = ear_text_cursor(part.text, part.size);
	struct ear_log_reader *log = &manycore->log;
	enum ear_register_class reg_class;
	struct ear_log_value v[2], reg[2];

	bool valid = ear_log_scan(&at, " %x %x ", v) && v[0].digits == 8;
	if (!valid && !ear_log_scan(&at, floating ? " FP_BUBBLE" : " BUBBLE", v))
		return ear_log_bad(log, "a pc or an opcode is malformed");
	bool written = ear_log_scan(&at, floating ? " f%d=%x" : " x%d=%x", reg);
	bool stalled = ear_log_scan(&at, " STALL:", v + 1);
	if (!valid || stalled)
		return written ? ear_log_warn(log, "values that come later than their instruction "
						   "are not read")
			       : 0;
	ear_log_begin(log, manycore->hart, v[0].number, v[0].digits);
	ear_log_time(log, manycore->time);
	ear_log_opcode(log, v[1].number);
	ear_text_skip_blanks(&at);
	if (!ear_text_at_end(&at))
		ear_log_word(log, &at);
	int result = 0;
	if (written && ear_log_class(log, reg[0].number, EAR_OPERAND_WRITE, &reg_class))
		ear_log_write(log, reg_class, reg[0].number, reg[1].number, reg[1].digits);
	else if (written)
		result = ear_log_warn(
			log, "values that come later than their instruction are not read");
	return result ? result : ear_log_end(log);
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct manycore *manycore = (struct manycore *)log;
	struct ear_log_value v[3];

	if (ear_text_at_end(&line))
		return 0;
	if (ear_text_take(&line, '|')) /* the second part */
		return take_pipeline(manycore, ear_text_until(&line, '|'), true);
	if (!ear_log_scan(&line, "%d %d %d: ", v))
		return ear_log_other(log, EAR_READER_OTHER "log of bsg_manycore");
	if (!find_hart(manycore, v[1].number, v[2].number))
		return ear_log_bad(log, "more than 64 tiles");
	manycore->time = v[0].number;
	struct ear_text part = ear_text_until(&line, '|');
	log->rest = line;
	if (ear_text_at_end(&line))
		log->rest.at = NULL;
	return take_pipeline(manycore, part, false);
}

static void walk(struct ear_log_reader *log, struct ear_state_walk *state)
{
	struct manycore *manycore = (struct manycore *)log;

	ear_state_u8(state, &manycore->count, TILES_MAX);
	for (unsigned i = 0; i < manycore->count; i++)
		ear_state_u16(state, &manycore->tiles[i], UINT16_MAX);
	ear_state_u8(state, &manycore->hart, TILES_MAX - 1);
	ear_state_u64(state, &manycore->time, UINT64_MAX);
}

static int judge(struct ear_text_cursor line)
{
	struct ear_log_value v[5];

	return ear_log_scan(&line, "%d %d %d: %x %x", v) && v[3].digits == 8 && v[4].digits == 8 &&
			       memchr(line.at, '|', (size_t)(line.end - line.at))
		       ? 95
		       : 0;
}

const struct ear_log_format ear_log_manycore = {.no_traps = true,
	.judge = judge,
	.take = take,
	.size = sizeof(struct manycore),
	.walk = walk};
