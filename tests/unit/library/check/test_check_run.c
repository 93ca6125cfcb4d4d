/* Runs against their records one by one, and against parts of the trace that are joined: same
 * counts, same violations. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "library/check/check_replay.h"
#include "library/check/checker.h"
#include "library/check/semantics/semantics.h"
#include "random.h"

#define BASE   0x80010ff0u /* over a page's end */
#define WINDOW 64u

/* A hart that executes whatever opcode it is given. */
struct hart {
	unsigned xlen;
	uint64_t pc, index, x[32];
	uint8_t memory[WINDOW + 8];
};

static uint64_t to_xlen(const struct hart *hart, uint64_t value)
{
	return hart->xlen == 32 ? (uint32_t)value : value;
}

static uint32_t draw_register(struct random *random)
{
	return (uint32_t)random_below(random, 8); /* few, so that they meet */
}

/* Few kinds of each form; x9 is where memory is. */
static uint32_t draw_opcode(struct random *random)
{
	static const uint32_t computing[] = {0x00000033, 0x40000033, 0x00001033, 0x02000033,
		0x0000503b, 0x00004013, 0x00000013, 0x00000037, 0x00000017, 0x20002033};
	static const uint32_t loads[] = {0x0003, 0x1003, 0x2003, 0x3003, 0x4003, 0x5003, 0x6003};
	static const uint32_t stores[] = {0x0023, 0x1023, 0x2023, 0x3023};
	static const uint32_t branches[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
	uint32_t rd = draw_register(random) << 7, rs1 = draw_register(random) << 15,
		 rs2 = draw_register(random) << 20, offset = (uint32_t)random_below(random, 32);

	switch (random_below(random, 8)) {
	case 0:
	case 1: return loads[random_below(random, COUNT_OF(loads))] | rd | 9u << 15 | offset << 20;
	case 2:
		return stores[random_below(random, COUNT_OF(stores))] | 9u << 15 | rs2 |
		       offset << 7;
	case 3:
		return branches[random_below(random, COUNT_OF(branches))] | rs1 | rs2 |
		       (offset / 2) << 8;
	case 4: return 0x6f | rd | (offset / 2 + 1) << 21;
	case 5: return 0x67 | rd | rs1;
	default: return computing[random_below(random, COUNT_OF(computing))] | rd | rs1 | rs2;
	}
}

static uint64_t extend(const struct ear_semantics *op, uint64_t value, unsigned size)
{
	if (size == 8 || op->kind >= EAR_SEM_LBU)
		return value;
	uint64_t sign = (uint64_t)1 << (8 * size - 1);
	return (value ^ sign) - sign;
}

static bool branches(const struct hart *hart, const struct ear_semantics *op)
{
	uint64_t a = hart->x[op->rs1], b = hart->x[op->rs2];
	bool less = hart->xlen == 32 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;

	switch (op->kind) {
	case EAR_SEM_BEQ: return a == b;
	case EAR_SEM_BNE: return a != b;
	case EAR_SEM_BLT: return less;
	case EAR_SEM_BGE: return !less;
	case EAR_SEM_BLTU: return a < b;
	default: return a >= b;
	}
}

/* Returns false, and nothing is done, if the opcode is none that a run can have. */
static bool execute(struct hart *hart, uint32_t opcode, struct ear_compact_record *compact,
	struct ear_operands *operands)
{
	struct ear_semantics op;
	uint64_t result = 0, imm;

	ear_semantics_decode(&op, opcode, hart->xlen, EAR_SEMANTICS_ALL);
	imm = (uint64_t)(int64_t)op.imm;
	if (op.kind == EAR_SEM_ILLEGAL || (op.kind > EAR_SEM_SD && op.kind < EAR_SEM_ADD))
		return false;
	uint64_t a = hart->x[op.rs1], b = hart->x[op.rs2];
	*operands = (struct ear_operands){a, b, op.rs1, op.rs2};
	*compact = (struct ear_compact_record){
		.pc = hart->pc,
		.next_pc = to_xlen(hart, hart->pc + op.size),
		.opcode = opcode,
		.opcode_size = op.size,
		.rd = op.rd,
		.size = EAR_COMPACT_NO_ACCESS,
	};
	if (op.kind >= EAR_SEM_ADD) {
		uint64_t sum = to_xlen(hart, b + imm);
		result = hart->xlen == 32 ? ear_semantics_compute_32(op.kind, a, sum)
					  : ear_semantics_compute_64(op.kind, a, sum);
	} else if (op.kind >= EAR_SEM_LB) {
		uint64_t at = to_xlen(hart, a + imm) - BASE;
		compact->size = (uint8_t)(1u << (opcode >> 12 & 3));
		compact->address = at + BASE;
		if (op.kind >= EAR_SEM_SB) {
			compact->flags = EAR_COMPACT_WRITE;
			for (unsigned i = 0; i < compact->size; i++)
				hart->memory[at + i] = (uint8_t)(b >> 8 * i);
		}
		for (unsigned i = 0; i < compact->size; i++)
			compact->data |= (uint64_t)hart->memory[at + i] << 8 * i;
		result = to_xlen(hart, extend(&op, compact->data, compact->size));
	} else if (op.kind == EAR_SEM_JAL || op.kind == EAR_SEM_JALR) {
		result = compact->next_pc;
		compact->next_pc =
			to_xlen(hart, op.kind == EAR_SEM_JAL ? hart->pc + imm : a + imm) &
			~(uint64_t)1;
		compact->flags = EAR_COMPACT_TAKEN;
	} else if (op.kind == EAR_SEM_AUIPC) {
		result = to_xlen(hart, hart->pc + imm);
	} else if (branches(hart, &op)) {
		compact->next_pc = to_xlen(hart, hart->pc + imm);
		compact->flags = EAR_COMPACT_TAKEN;
	}
	if (op.rd)
		hart->x[op.rd] = compact->result = result;
	hart->pc = compact->next_pc;
	hart->index++;
	return true;
}

/* Something is not as it should be. */
static void spoil(
	struct random *random, struct ear_compact_record *compact, struct ear_operands *operands)
{
	uint64_t flip = (uint64_t)1 << random_below(random, 32);

	switch (random_below(random, 10)) {
	case 0: compact->pc ^= flip; break;
	case 1: compact->next_pc ^= flip; break;
	case 2: compact->result ^= flip; break;
	case 3: compact->rd ^= 3; break;
	case 4: compact->address ^= flip; break;
	case 5: compact->data ^= flip; break;
	case 6: compact->opcode ^= (uint32_t)flip; break;
	case 7: operands->a ^= flip; break;
	case 8: operands->rs2 ^= 1; break;
	default: compact->size = compact->size == 1 ? 2 : 1; break;
	}
}

#define SEEN 64

struct seen {
	unsigned count;
	struct {
		uint64_t number;
		char text[EAR_VIOLATION_TEXT_MAX];
	} violations[SEEN];
};

static int note(void *context, const struct ear_violation *violation)
{
	struct seen *seen = context;
	unsigned at = seen->count++ % SEEN;

	seen->violations[at].number = violation->number;
	snprintf(seen->violations[at].text, EAR_VIOLATION_TEXT_MAX, "%s", violation->text);
	return 0;
}

#define RUNS 60u

/* A run as it was pushed, or a gap: count 0. */
struct kept {
	struct ear_compact_run run;
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	struct ear_operands operands[EAR_COMPACT_RUN_MAX];
	bool with_operands;
};

/* Two checkers, one of which gets runs. */
struct pair {
	struct ear_checker *runs, *single;
	struct seen of_runs, of_single;
	struct kept kept[RUNS];
	unsigned count;
};

/* Rows of a part. */
struct rows {
	struct row {
		unsigned kind, count;
		uint64_t numbers[CHECK_ROW_MAX];
	} * rows;
	size_t count, capacity;
	const uint64_t *before; /* x registers; NULL: nobody knows */
};

static int keep_row(void *context, unsigned kind, const uint64_t *numbers, unsigned count)
{
	struct rows *rows = context;

	if (rows->count == rows->capacity) {
		rows->capacity = rows->capacity ? 2 * rows->capacity : 64;
		rows->rows = realloc(rows->rows, rows->capacity * sizeof(*rows->rows));
		assert_non_null(rows->rows);
	}
	assert_in_range(count, 0, CHECK_ROW_MAX);
	struct row *row = &rows->rows[rows->count++];
	*row = (struct row){.kind = kind, .count = count};
	if (count)
		memcpy(row->numbers, numbers, count * sizeof(*numbers));
	return 0;
}

static bool know_register(void *context, uint16_t hart, unsigned number, uint64_t *value)
{
	const struct rows *rows = context;

	(void)hart;
	if (rows->before)
		*value = rows->before[number];
	return rows->before;
}

static const struct ear_record gap = {.kind = EAR_RECORD_GAP};

static void push_kept(struct ear_checker *checker, const struct kept *kept)
{
	const uint64_t first = kept->run.first_index;

	if (kept->run.count == 0)
		assert_int_equal(ear_checker_push(checker, &gap, first, first), 0);
	else
		assert_int_equal(ear_checker_push_run(checker, &kept->run, kept->compacts,
					 kept->with_operands ? kept->operands : NULL, first, first),
			0);
}

/* The runs begin .. end - 1 as a part. */
static void make_part(struct rows *rows, const struct pair *pair,
	const struct ear_checker_options *options, unsigned begin, unsigned end)
{
	struct ear_check_part *part;

	assert_int_equal(
		ear_check_part_new(&part, options, begin == 0, keep_row, know_register, rows), 0);
	for (unsigned i = begin; i < end; i++) {
		const struct kept *kept = &pair->kept[i];
		const uint64_t first = kept->run.first_index;
		if (kept->run.count == 0)
			assert_int_equal(ear_check_part_push(part, &gap, first, first), 0);
		else
			assert_int_equal(
				ear_check_part_push_run(part, &kept->run, kept->compacts,
					kept->with_operands ? kept->operands : NULL, first, first),
				0);
	}
	assert_int_equal(ear_check_part_finish(part), 0);
	ear_check_part_free(part);
}

/* As ear_check_join does it. Returns whether the part was taken as it is. */
static bool join_part(struct ear_checker **checker, struct seen *seen, const struct rows *rows,
	const struct pair *pair, unsigned begin, unsigned end)
{
	const struct seen seen_before = *seen;
	struct ear_checker *before;
	struct ear_check_replay *replay;
	int result = 0;

	assert_int_equal(ear_checker_copy(&before, *checker), 0);
	assert_int_equal(ear_check_replay_new(&replay, *checker), 0);
	for (size_t i = 0; i < rows->count && result == 0; i++)
		result = ear_check_replay_row(
			replay, rows->rows[i].kind, rows->rows[i].numbers, rows->rows[i].count);
	assert_in_range(result, 0, 1);
	ear_check_replay_free(replay);
	if (result == 1) {
		const struct seen found = *seen;
		ear_checker_free(*checker);
		*checker = before;
		*seen = seen_before;
		for (unsigned i = begin; i < end; i++)
			push_kept(*checker, &pair->kept[i]);
		/* What was found before it was seen to be wrong was right. */
		assert_true(found.count <= seen->count);
		for (unsigned i = 0; i < found.count && i < SEEN; i++)
			if (found.count <= SEEN && seen->count <= SEEN)
				assert_string_equal(
					found.violations[i].text, seen->violations[i].text);
	} else {
		ear_checker_free(before);
	}
	return result == 0;
}

/* The trace in parts, cut between runs. Returns how many parts were taken as they are. */
static unsigned push_parts(struct pair *pair, struct ear_checker_options options,
	struct random *random, const uint64_t (*before)[32])
{
	struct seen seen = {.count = 0};
	struct ear_checker *checker;
	unsigned taken = 0;

	options.context = &seen;
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	for (unsigned begin = 0, end; begin < pair->count; begin = end) {
		uint64_t wrong[32];
		memcpy(wrong, before[begin], sizeof(wrong));
		wrong[random_below(random, 10)] ^= 8;
		struct rows rows = {.before = random_once_in(random, 4)   ? NULL
					      : random_once_in(random, 4) ? wrong
									  : before[begin]};
		end = begin + 1 + (unsigned)random_below(random, 30);
		end = end < pair->count ? end : pair->count;
		make_part(&rows, pair, &options, begin, end);
		taken += join_part(&checker, &seen, &rows, pair, begin, end);
		free(rows.rows);
	}
	const struct ear_check_counts *a = ear_checker_counts(pair->runs);
	const struct ear_check_counts *b = ear_checker_counts(checker);
	assert_memory_equal(a, b, sizeof(*a));
	assert_int_equal(seen.count, pair->of_runs.count);
	assert_memory_equal(seen.violations, pair->of_runs.violations, sizeof(seen.violations));
	ear_checker_free(checker);
	return taken;
}

static void push(struct pair *pair, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands)
{
	struct ear_expanded_record expanded;
	struct ear_reads reads = {.extra = {0}};
	uint64_t first = run->first_index;
	struct kept *kept = &pair->kept[pair->count++];

	*kept = (struct kept){.run = *run, .with_operands = operands};
	memcpy(kept->compacts, compacts, run->count * sizeof(*compacts));
	if (operands)
		memcpy(kept->operands, operands, run->count * sizeof(*operands));
	ear_compact_run_begin(&expanded, run);
	for (size_t i = 0; i < run->count; i++) {
		const struct ear_record *record =
			ear_compact_run_get(&expanded, run, &compacts[i], i);
		if (operands)
			ear_reads_attach(&reads, &expanded.record, &operands[i]);
		assert_int_equal(ear_checker_push(pair->single, record, first + i, first + i), 0);
	}
	assert_int_equal(
		ear_checker_push_run(pair->runs, run, compacts, operands, first, first), 0);
}

static void compare(const struct pair *pair, uint64_t seed)
{
	const struct ear_check_counts *a = ear_checker_counts(pair->runs);
	const struct ear_check_counts *b = ear_checker_counts(pair->single);

	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (memcmp(&a->rules[rule], &b->rules[rule], sizeof(a->rules[rule])) != 0)
			fail_msg(
				"seed %u: other counts of %s: %u and %u checked, %u and %u unknown",
				(unsigned)seed, ear_check_rule_name(rule),
				(unsigned)a->rules[rule].checked, (unsigned)b->rules[rule].checked,
				(unsigned)a->rules[rule].unchecked[EAR_CHECK_UNKNOWN],
				(unsigned)b->rules[rule].unchecked[EAR_CHECK_UNKNOWN]);
	if (memcmp(a, b, sizeof(*a)) != 0)
		fail_msg("seed %u: other counts", (unsigned)seed);
	assert_int_equal(pair->of_runs.count, pair->of_single.count);
	for (unsigned i = 0; i < pair->of_runs.count && i < COUNT_OF(pair->of_runs.violations);
		i++) {
		const char *of_run = pair->of_runs.violations[i].text;
		const char *of_single = pair->of_single.violations[i].text;
		if (pair->of_runs.violations[i].number != pair->of_single.violations[i].number ||
			strcmp(of_run, of_single) != 0)
			fail_msg("seed %u: other violations: \"%s\" and \"%s\"", (unsigned)seed,
				of_run, of_single);
	}
}

/* All records of a hart are missing for a while. */
static void push_gap(struct pair *pair, uint64_t index)
{
	pair->kept[pair->count++] = (struct kept){.run = {.first_index = index}};
	assert_int_equal(ear_checker_push(pair->single, &gap, index, index), 0);
	assert_int_equal(ear_checker_push(pair->runs, &gap, index, index), 0);
}

/* Parts that were made, and those that the join took as they are. */
static unsigned parts_made, parts_taken;

/* Returns how many violations there are. */
static unsigned one_trace(
	uint64_t seed, bool captured, bool with_operands, unsigned spoiled, bool protected)
{
	/* Of the window 16 bytes are for nobody, and 4 KiB for reading. */
	const struct ear_record_register assumed[] = {
		{.reg_class = EAR_REGISTER_CSR, .number = 0x3a0, .value = 0x1f0818},
		{.reg_class = EAR_REGISTER_CSR, .number = 0x3b0, .value = (BASE + 16) / 4 | 1},
		{.reg_class = EAR_REGISTER_CSR, .number = 0x3b1, .value = 0},
		{.reg_class = EAR_REGISTER_CSR, .number = 0x3b2, .value = UINT32_MAX},
	};
	static const struct ear_span device = {BASE + 40, BASE + 43};
	struct random random = {.state = 0x9E3779B97F4A7C15u + seed};
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	struct ear_operands operands[EAR_COMPACT_RUN_MAX];
	struct hart hart = {.xlen = seed & 1 ? 64 : 32, .pc = 0x80000000, .x = {[9] = BASE}};
	static struct pair pair;
	static uint64_t before[RUNS][32];
	struct ear_checker_options options = {.captured = captured,
		.devices = &device,
		.device_count = seed & 2 ? 1 : 0,
		.reset = protected,
		.assumed = assumed,
		.assumed_count = protected ? COUNT_OF(assumed) : 0,
		.found = note,
		.context = &pair.of_runs};

	memset(&pair, 0, sizeof(pair));
	assert_int_equal(ear_checker_new(&pair.runs, &options), 0);
	options.context = &pair.of_single;
	assert_int_equal(ear_checker_new(&pair.single, &options), 0);
	for (unsigned runs = 0; runs < RUNS; runs++) {
		memcpy(before[runs], hart.x, sizeof(hart.x));
		if (seed % 5 == 0 && random_once_in(&random, 20)) {
			push_gap(&pair, hart.index);
			continue;
		}
		struct ear_compact_run run = {.first_index = hart.index,
			.xlen = (uint8_t)hart.xlen,
			.privilege = protected && runs % 3 ? EAR_PRIVILEGE_U : EAR_PRIVILEGE_M,
			.ordinary = true};
		size_t wanted = 1 + (size_t)random_below(&random, EAR_COMPACT_RUN_MAX);
		while (run.count < wanted)
			run.count += execute(&hart, draw_opcode(&random), &compacts[run.count],
				&operands[run.count]);
		if (spoiled && random_once_in(&random, spoiled)) {
			size_t at = (size_t)random_below(&random, run.count);
			spoil(&random, &compacts[at], &operands[at]);
		}
		push(&pair, &run, compacts, with_operands ? operands : NULL);
	}
	compare(&pair, seed);
	if (captured) /* of a text nothing can be taken so */
		for (unsigned i = 0; i < 4; i++) {
			parts_taken += push_parts(&pair, options, &random, before);
			parts_made += 3;
		}
	if (!spoiled && !protected && pair.of_runs.count > 0)
		fail_msg("seed %u: %s", (unsigned)seed, pair.of_runs.violations[0].text);
	ear_checker_free(pair.runs);
	ear_checker_free(pair.single);
	return pair.of_runs.count;
}

static void a_right_trace_has_no_violation(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++)
		one_trace(seed, true, true, 0, false);
}

static void what_is_wrong_is_found_in_both_ways(void **state)
{
	unsigned found = 0;

	(void)state;
	parts_made = parts_taken = 0;
	for (uint64_t seed = 0; seed < 400; seed++)
		found += one_trace(seed, seed & 4, seed & 8, 3, false) > 0;
	assert_true(found > 390);
	assert_true(parts_taken > parts_made / 2);
}

/* Entries of PMP in user mode; one trace has some hundred accesses to what is for nobody. */
static void protected_memory_is_checked_in_both_ways(void **state)
{
	unsigned found = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++)
		found += one_trace(seed, seed & 16, seed & 8, seed & 4 ? 3 : 0, true) > 0;
	assert_int_equal(found, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_trace_has_no_violation),
		cmocka_unit_test(what_is_wrong_is_found_in_both_ways),
		cmocka_unit_test(protected_memory_is_checked_in_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
