/* Rows of a part become what the whole check makes of its records (check_replay.h).
 *
 * A segment is taken where it holds: the same registers, the same place, the same mode. Everything
 * else of a record that passes by the fast path is in its registers and in memory, which hold here
 * what they held in the part, because the rows between change both in the same way. Two things can
 * differ, and are looked at where they would: memory that changes by itself since before the part,
 * and memory that was forgotten. A record that is no part of a segment goes by the rules.
 */
#include "library/check/check_replay.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "library/check/check_image.h"
#include "library/check/check_run.h"

struct ear_check_replay {
	struct ear_checker *checker;
	struct check_segment segment; /* whose values come next, if it has records */
	uint16_t hart;                /* of it */
	size_t register_count, read_count, access_count; /* of the next record */
	struct ear_record_register registers[CHECK_PENDING_MAX], reads[CHECK_PENDING_MAX];
	struct ear_record_access accesses[CHECK_PENDING_MAX];
};

int ear_check_replay_new(struct ear_check_replay **replay, struct ear_checker *checker)
{
	*replay = calloc(1, sizeof(**replay));
	if (!*replay)
		return EAR_E_NO_MEMORY;
	(*replay)->checker = checker;
	return 0;
}

void ear_check_replay_free(struct ear_check_replay *replay)
{
	free(replay);
}

bool ear_check_replay_fits(const struct ear_checker *checker, uint64_t pages)
{
	return pages < EAR_CHECK_PAGES_MAX && checker->memory.count + pages < EAR_CHECK_PAGES_MAX;
}

static int take_segment(struct ear_check_replay *replay, const uint64_t *numbers)
{
	replay->hart = (uint16_t)numbers[0];
	replay->segment = (struct check_segment){.records = numbers[1],
		.index = numbers[2],
		.pc = numbers[3],
		.next_pc = numbers[4],
		.operands = numbers[5],
		.results = numbers[6],
		.accesses = numbers[7],
		.stores = numbers[8],
		.xlen = (uint8_t)numbers[9],
		.privilege = (uint8_t)(numbers[10] & 7),
		.operands_shown = numbers[11] != 0,
		.known = (uint32_t)numbers[12] & ~1u,
		.digest = numbers[13],
		.written = (uint32_t)numbers[14] & ~1u};
	return replay->segment.records > 0 ? 0 : EAR_E_BAD_FILE;
}

static int take_values(struct ear_check_replay *replay, const uint64_t *numbers, unsigned count)
{
	struct check_segment *segment = &replay->segment;
	struct ear_checker *checker = replay->checker;

	if (segment->records == 0 || count != (unsigned)__builtin_popcount(segment->written))
		return EAR_E_BAD_FILE;
	for (unsigned i = 0; i < count; i++)
		segment->values[i] = numbers[i];
	int result = check_find_hart(checker, replay->hart);
	if (result)
		return result;
	const bool holds = check_run_replay(checker, checker->last, segment);
	*segment = (struct check_segment){0};
	return holds ? 0 : 1;
}

static int take_stored(struct ear_check_replay *replay, const uint64_t *numbers)
{
	struct ear_check_memory *memory = &replay->checker->memory;

	for (unsigned i = 0; i < 8; i++)
		if (numbers[1] >> i & 1)
			ear_check_memory_store(memory, numbers[0] + i, 1, numbers[2] >> 8 * i);
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}

/* So many opcodes were judged as the first one of their place was. */
static int take_fetches(struct ear_check_replay *replay, const uint64_t *numbers)
{
	struct ear_checker *checker = replay->checker;

	if (numbers[0] >= CHECK_CACHE)
		return EAR_E_BAD_FILE;
	const struct check_fetched *fetched = &checker->fetched[numbers[0]];
	if (fetched->pc != numbers[1] || fetched->opcode != numbers[2])
		return 1;
	if (fetched->judged)
		checker->counts.rules[EAR_CHECK_LOADED].checked += numbers[3];
	return 0;
}

static int adopt(struct ear_check_replay *replay, const uint64_t *numbers)
{
	int result = check_find_hart(replay->checker, (uint16_t)numbers[0]);

	if (result)
		return result;
	const struct check_hart *hart = replay->checker->last;
	const unsigned number = (unsigned)numbers[1] & 31;
	return hart->x_known >> number & 1 && hart->x[number] == numbers[2] ? 0 : 1;
}

static int take_register(
	struct ear_record_register *registers, size_t *count, const uint64_t *numbers)
{
	if (*count == CHECK_PENDING_MAX)
		return EAR_E_BAD_FILE;
	registers[(*count)++] = (struct ear_record_register){.reg_class = (uint8_t)numbers[0],
		.number = (uint16_t)numbers[1],
		.value = numbers[2]};
	return numbers[0] <= EAR_REGISTER_NAMED &&
			       numbers[1] <= (numbers[0] == EAR_REGISTER_CSR ? 4095 : UINT16_MAX)
		       ? 0
		       : EAR_E_BAD_FILE;
}

static int take_access(struct ear_check_replay *replay, const uint64_t *numbers)
{
	if (replay->access_count == CHECK_PENDING_MAX || numbers[4] > UINT8_MAX)
		return EAR_E_BAD_FILE;
	replay->accesses[replay->access_count++] = (struct ear_record_access){.address = numbers[0],
		.physical = numbers[1],
		.value = numbers[2],
		.unknown = numbers[3],
		.size = (uint8_t)numbers[4],
		.write = numbers[5] & 1,
		.has_value = numbers[5] >> 1 & 1,
		.has_physical = numbers[5] >> 2 & 1,
		.masked = numbers[5] >> 3 & 1,
		.aborted = numbers[5] >> 4 & 1};
	return 0;
}

static void fill_instruction(
	struct ear_check_replay *replay, struct ear_record *record, const uint64_t *numbers)
{
	record->index = numbers[6];
	record->flags = (uint32_t)numbers[7];
	record->opcode = numbers[8];
	record->opcode_size = (uint8_t)numbers[9];
	record->pc = numbers[10];
	record->pc_physical = numbers[11];
	record->next_pc = numbers[12];
	record->cause = numbers[13];
	record->xlen = (uint8_t)numbers[14];
	record->privilege = (uint8_t)(numbers[15] & 7);
	record->isa = (uint8_t)numbers[16];
	record->fflags = (uint8_t)numbers[17];
	record->frm = (uint8_t)numbers[18];
	record->registers = replay->registers;
	record->register_count = replay->register_count;
	record->memory = replay->accesses;
	record->memory_count = replay->access_count;
}

static int take_record(struct ear_check_replay *replay, const uint64_t *numbers, unsigned count)
{
	struct ear_checker *checker = replay->checker;
	const struct ear_record_extra extra = {
		.reads = replay->reads, .read_count = replay->read_count};
	struct ear_record record = {.kind = (uint8_t)numbers[4], .hart = (uint16_t)numbers[5]};
	const uint64_t forgets = checker->memory.forgets;
	const bool instruction = numbers[4] == EAR_RECORD_INSTRUCTION;

	if (count != (instruction ? 19 : 6) || (!instruction && numbers[4] != EAR_RECORD_GAP &&
						       numbers[4] != EAR_RECORD_REGISTERS))
		return EAR_E_BAD_FILE;
	if (instruction) {
		fill_instruction(replay, &record, numbers);
		record.extra = replay->read_count > 0 ? &extra : NULL;
	}
	int result = ear_checker_push(checker, &record, numbers[0], numbers[1]);
	replay->register_count = replay->read_count = replay->access_count = 0;
	if (result)
		return result;
	return checker->memory.forgets - forgets != numbers[2] ||
	       (numbers[3] && !check_image_find(checker, record.pc, (uint32_t)record.opcode));
}

int ear_check_replay_row(
	struct ear_check_replay *replay, unsigned kind, const uint64_t *numbers, unsigned count)
{
	static const uint8_t counts[CHECK_ROWS] = {[CHECK_ROW_SEGMENT] = 15,
		[CHECK_ROW_STORED] = 3,
		[CHECK_ROW_FETCHES] = 4,
		[CHECK_ROW_ADOPT] = 3,
		[CHECK_ROW_REGISTER] = 3,
		[CHECK_ROW_READ] = 3,
		[CHECK_ROW_ACCESS] = 6,
		[CHECK_ROW_LOADED] = 2,
		[CHECK_ROW_END] = 2,
		[CHECK_ROW_BROKEN] = 1};
	struct ear_checker *checker = replay->checker;

	if (kind >= CHECK_ROWS || (counts[kind] && counts[kind] != count) ||
		(kind == CHECK_ROW_RECORD && count < 6) ||
		(kind != CHECK_ROW_VALUES && replay->segment.records > 0))
		return EAR_E_BAD_FILE;
	switch ((enum check_row)kind) {
	case CHECK_ROW_SEGMENT: return take_segment(replay, numbers);
	case CHECK_ROW_VALUES: return take_values(replay, numbers, count);
	case CHECK_ROW_STORED: return take_stored(replay, numbers);
	case CHECK_ROW_FETCHES: return take_fetches(replay, numbers);
	case CHECK_ROW_ADOPT: return adopt(replay, numbers);
	case CHECK_ROW_REGISTER:
		return take_register(replay->registers, &replay->register_count, numbers);
	case CHECK_ROW_READ: return take_register(replay->reads, &replay->read_count, numbers);
	case CHECK_ROW_ACCESS: return take_access(replay, numbers);
	case CHECK_ROW_RECORD: return take_record(replay, numbers, count);
	case CHECK_ROW_LOADED:
		return ear_check_memory_changes(&checker->memory, numbers[0], numbers[1]);
	case CHECK_ROW_END: checker->counts.records += numbers[1]; return 0;
	case CHECK_ROW_BROKEN:
	case CHECK_ROWS: break;
	}
	return 1;
}
