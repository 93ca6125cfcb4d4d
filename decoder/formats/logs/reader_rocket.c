/* Rocket's verbose log, and Sodor's of the same kind, which prints every instruction with its
 * operands. A line with [0] is one that did not retire: in newer versions a trap; older ones print
 * a line for each cycle, and then it is nothing. It is a trap if its pc is the one after the
 * instruction before, and the next line is of another place. So such a line waits for the next one.
 */
#include "decoder/formats/logs/logs.h"
#include "decoder/isa/inst.h"

#define BUBBLE 0x4033 /* of Sodor: xor x0, x0, x0, which is no instruction */

/* A line. */
struct head {
	uint64_t hart, time, pc, digits, opcode, retired;
	struct ear_log_value reg, value, written;
	uint64_t reads[2][2]; /* number and value */
	unsigned read_count;
	bool sodor;
};

struct rocket {
	struct ear_log_reader log;
	bool waiting; /* a line with [0], of which these are: */
	uint64_t hart, time, pc, digits, opcode, offset, line;
};

/* BOOM has one R[..] or none. Sodor names them Op1 and Op2, and what they hold goes into the ALU:
 * the second one may be an immediate. */
static void scan_reads(struct ear_text_cursor *line, struct head *head)
{
	struct ear_log_value v[2];

	while (head->read_count < 2 &&
		(ear_log_scan(line, " R[r%d=%x]", v) || ear_log_scan(line, " Op1=[r%d][%x]", v) ||
			(head->sodor && ear_log_scan(line, " Op2=[r%d][%x]", v)))) {
		head->reads[head->read_count][0] = v[0].number;
		head->reads[head->read_count++][1] = v[1].number;
	}
}

/* spike-dasm writes the disassembly in the place of DASM(..). */
static bool scan(struct ear_text_cursor *line, struct head *head)
{
	struct ear_log_value v[7], inst[2];

	*head = (struct head){0};
	v[0].number = 0;
	head->sodor = ear_log_scan(line, " Cyc=%d [%d] pc=[%x] W[r%d=%x][%d]", v + 1);
	if (!head->sodor && !ear_log_scan(line, " C%d: %d [%d] pc=[%x] W[r%d=%x][%d]", v))
		return false;
	scan_reads(line, head);
	if (!ear_log_scan(line, " inst=[%x]", inst))
		return false;
	if (!ear_log_scan(line, " DASM(%x)", inst + 1))
		line->at = line->end;
	head->hart = v[0].number;
	head->time = v[1].number;
	head->retired = v[2].number;
	head->pc = v[3].number;
	head->digits = v[3].digits;
	head->opcode = inst[0].number;
	head->reg = v[4];
	head->value = v[5];
	head->written = v[6];
	return true;
}

/* Registers that the opcode reads; the others are what the fields of the opcode say, whatever they
 * are. */
static void add_read(struct ear_log_reader *log, uint64_t number, uint64_t value)
{
	enum ear_register_class reg_class;

	if (ear_log_class(log, number, EAR_OPERAND_READ, &reg_class))
		ear_log_read(log, reg_class, number, value);
}

/* Does the ALU take the second register, not an immediate? */
static bool reads_second(uint64_t opcode)
{
	const unsigned major = (unsigned)opcode & 0x7F;

	return major == 0x33 || major == 0x63;
}

static void fill(struct ear_log_reader *log, uint64_t hart, uint64_t time, uint64_t pc,
	uint64_t digits, uint64_t opcode)
{
	ear_log_begin(log, hart, pc, (size_t)digits);
	ear_log_time(log, time);
	ear_log_opcode(log, opcode);
}

static int give_trap(struct rocket *rocket)
{
	struct ear_log_reader *log = &rocket->log;

	rocket->waiting = false;
	fill(log, rocket->hart, rocket->time, rocket->pc, rocket->digits, rocket->opcode);
	if (!ear_log_own_trap(&log->builder->record))
		log->builder->record.flags |= EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE;
	log->builder->record.stream_offset = rocket->offset;
	log->builder->extra.line = rocket->line;
	return ear_log_end(log);
}

/* Can pc be where the open record goes? After one that can go elsewhere, what is next to it may be
 * an instruction that was fetched and dropped. Before the first one the core is in its reset, and
 * what it prints is random. */
static bool follows(const struct ear_log_reader *log, uint64_t pc)
{
	const struct ear_record *record = log->builder ? &log->builder->record : NULL;
	struct ear_inst inst;

	if (!record)
		return false;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	bool next = pc == record->pc + record->opcode_size;
	if (inst.kind == EAR_KIND_BRANCH || inst.kind == EAR_KIND_JUMP ||
		inst.kind == EAR_KIND_SYSTEM)
		return !next && pc != record->pc;
	return next;
}

static int wait(struct rocket *rocket, const struct head *head)
{
	const struct ear_text_input *input = rocket->log.line.base.input;

	rocket->waiting = follows(&rocket->log, head->pc) && head->opcode != 0 &&
			  !(head->sodor && head->opcode == BUBBLE);
	rocket->hart = head->hart;
	rocket->time = head->time;
	rocket->pc = head->pc;
	rocket->digits = head->digits;
	rocket->opcode = head->opcode;
	rocket->offset = ear_text_input_offset(input);
	rocket->line = ear_text_input_line_number(input);
	return 0;
}

static int take(struct ear_log_reader *log, struct ear_text_cursor line)
{
	struct rocket *rocket = (struct rocket *)log;
	const struct ear_text_cursor whole = line;
	enum ear_register_class reg_class;
	struct head head;

	if (!scan(&line, &head))
		return line.at == line.end ? 0 : ear_log_other(log, EAR_READER_OTHER "Rocket log");
	if (rocket->waiting && head.retired && head.hart == rocket->hart && head.pc != rocket->pc) {
		log->rest = whole;
		return give_trap(rocket);
	}
	if (!head.retired)
		return wait(rocket, &head);
	rocket->waiting = false;
	fill(log, head.hart, head.time, head.pc, head.digits, head.opcode);
	for (unsigned i = 0; i < head.read_count; i++)
		if (i == 0 || (head.reads[0][0] != head.reads[1][0] &&
				      (!head.sodor || reads_second(head.opcode))))
			add_read(log, head.reads[i][0], head.reads[i][1]);
	if (head.written.number &&
		ear_log_class(log, head.reg.number, EAR_OPERAND_WRITE, &reg_class))
		ear_log_write(
			log, reg_class, head.reg.number, head.value.number, head.value.digits);
	ear_text_skip_blanks(&line);
	if (!ear_text_at_end(&line))
		ear_log_word(log, &line);
	return ear_log_end(log);
}

static int end(struct ear_log_reader *log)
{
	struct rocket *rocket = (struct rocket *)log;

	return rocket->waiting ? give_trap(rocket) : 0;
}

static void walk(struct ear_log_reader *log, struct ear_state_walk *state)
{
	struct rocket *rocket = (struct rocket *)log;

	ear_state_bool(state, &rocket->waiting);
	ear_state_u64(state, &rocket->hart, UINT16_MAX);
	ear_state_u64(state, &rocket->time, UINT64_MAX);
	ear_state_u64(state, &rocket->pc, UINT64_MAX);
	ear_state_u64(state, &rocket->digits, 16);
	ear_state_u64(state, &rocket->opcode, UINT64_MAX);
	ear_state_u64(state, &rocket->offset, UINT64_MAX);
	ear_state_u64(state, &rocket->line, UINT64_MAX);
}

static int judge(struct ear_text_cursor line)
{
	struct head head;

	return scan(&line, &head) ? 95 : 0;
}

const struct ear_log_format ear_log_rocket = {.no_traps = true,
	.judge = judge,
	.take = take,
	.end = end,
	.size = sizeof(struct rocket),
	.walk = walk};
