/* Registers of random traces: parts put together say the same as one pass, compact runs the same as
 * single records, and a state comes back from its bytes; bytes that are damaged are refused.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>

#include "library/state/state.h"
#include "random.h"

#define TRACES  200
#define RECORDS 120
#define HARTS   3

#define CSR_NUMBERS 4096u

/* Opcodes that each do something of their own to registers. */
static const struct {
	uint32_t opcode;
	uint16_t reg_class, number; /* a register that the record may list */
	bool lists;                 /* it has one */
} cases[] = {
	{0x00150513, EAR_REGISTER_X, 10, true},                        /* addi a0, a0, 1 */
	{0x0052a283, EAR_REGISTER_X, 5, true},                         /* lw t0, 5(t0) */
	{0x00a2a023, 0, 0, false},                                     /* sw */
	{0x00000463, 0, 0, false},                                     /* beq */
	{0x0080006f, 0, 0, false},                                     /* j */
	{0x008000ef, EAR_REGISTER_X, 1, true},                         /* jal */
	{0x00008067, 0, 0, false},                                     /* ret */
	{0x0505, EAR_REGISTER_X, 10, true},                            /* c.addi a0, 1 */
	{0x8082, 0, 0, false},                                         /* c.jr ra */
	{0xa022, EAR_REGISTER_X, 2, true},                             /* c.fsdsp, or of Zcmp */
	{0xa022, 0, 0, false}, {0x02c5f553, EAR_REGISTER_F, 10, true}, /* fadd.d fa0, fa1, fa2 */
	{0x00053507, EAR_REGISTER_F, 10, true},                        /* fld fa0 */
	{0x00a53027, 0, 0, false},                                     /* fsd */
	{0x30051073, EAR_REGISTER_CSR, 0x300, true},                   /* csrw mstatus, a0 */
	{0x10051073, EAR_REGISTER_CSR, 0x100, true},                   /* csrw sstatus, a0 */
	{0x30402573, EAR_REGISTER_X, 10, true},                        /* csrr a0, mie */
	{0x30451073, EAR_REGISTER_CSR, 0x304, true},                   /* csrw mie, a0 */
	{0x34151073, EAR_REGISTER_CSR, 0x341, true},                   /* csrw mepc, a0 */
	{0x34102573, EAR_REGISTER_X, 10, true},                        /* csrr a0, mepc */
	{0x30002573, EAR_REGISTER_X, 10, true},                        /* csrr a0, mstatus */
	{0x00351073, EAR_REGISTER_CSR, 3, true},                       /* csrw fcsr, a0 */
	{0x00151073, EAR_REGISTER_CSR, 1, true},                       /* csrw fflags, a0 */
	{0x30551073, EAR_REGISTER_CSR, 0x305, true},                   /* csrw mtvec, a0 */
	{0x14151073, EAR_REGISTER_CSR, 0x141, true},                   /* csrw sepc, a0 */
	{0xb0002573, EAR_REGISTER_X, 10, true},                        /* csrr a0, mcycle */
	{0x7c051073, EAR_REGISTER_CSR, 0x7c0, true},                   /* of a vendor */
	{0x30200073, EAR_REGISTER_CSR, 0x300, true},                   /* mret */
	{0x0c0572d7, EAR_REGISTER_CSR, 0xc20, true},                   /* vsetvli t0, a0, e8, m1 */
	{0x02050407, EAR_REGISTER_V, 8, true},                         /* vle8.v v8, (a0) */
	{0x82a40457, EAR_REGISTER_V, 8, true},                         /* vsaddu.vv v8 */
	{0x00851073, EAR_REGISTER_CSR, 8, true},                       /* csrw vstart, a0 */
	{0x00f51073, EAR_REGISTER_CSR, 0xf, true},                     /* csrw vcsr, a0 */
	{0x0000000b, EAR_REGISTER_X, 3, true},                         /* custom-0 */
	{0x3a051073, EAR_REGISTER_CSR, 0x3a0, true},                   /* csrw pmpcfg0, a0 */
	{0x3b051073, EAR_REGISTER_CSR, 0x3b0, true},                   /* csrw pmpaddr0, a0 */
	{0x30151073, EAR_REGISTER_CSR, 0x301, true},                   /* csrw misa, a0 */
	{0x00000073, EAR_REGISTER_CSR, 0x342, true},                   /* ecall */
};

struct traced {
	struct ear_record record;
	struct ear_record_register registers[3];
	uint8_t bytes[16];
	char name[4];
};

struct maker {
	struct random *random;
	uint64_t index[HARTS], pc[HARTS];
	bool jumps; /* records are missing without a word */
};

static void add_register(struct traced *traced, unsigned reg_class, unsigned number, uint64_t value)
{
	struct ear_record_register *reg = &traced->registers[traced->record.register_count++];

	*reg = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number, .value = value};
	if (reg_class != EAR_REGISTER_V)
		return;
	memset(traced->bytes, (int)value, sizeof(traced->bytes));
	reg->value = 0;
	reg->text_size = sizeof(traced->bytes);
	reg->text.bytes = traced->bytes;
}

static void make_instruction(struct maker *maker, struct traced *traced)
{
	struct random *random = maker->random;
	size_t which = random_below(random, COUNT_OF(cases));
	uint16_t hart = (uint16_t)(random_once_in(random, 4) ? random_below(random, HARTS) : 0);
	bool trap = random_once_in(random, 16);
	static const uint8_t privileges[] = {EAR_PRIVILEGE_M, EAR_PRIVILEGE_M, EAR_PRIVILEGE_S,
		EAR_PRIVILEGE_VS, EAR_PRIVILEGE_U, EAR_PRIVILEGE_DEBUG};

	if (maker->jumps && random_once_in(random, 40))
		maker->index[hart] += 3;
	if (maker->jumps && random_once_in(random, 40))
		maker->pc[hart] += 0x100;
	traced->record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.hart = hart,
		.index = maker->index[hart]++,
		.xlen = random_once_in(random, 500) ? 32 : 64,
		.privilege = random_once_in(random, 10)
				     ? privileges[random_below(random, COUNT_OF(privileges))]
				     : EAR_PRIVILEGE_M,
		.opcode = cases[which].opcode,
		.opcode_size = (cases[which].opcode & 3) == 3 ? 4 : 2,
		.pc = maker->pc[hart]};
	maker->pc[hart] += traced->record.opcode_size;
	if (random_once_in(random, 20))
		maker->pc[hart] += 8;
	traced->record.next_pc = maker->pc[hart];
	if (trap)
		traced->record.flags |=
			random_once_in(random, 2) ? EAR_RECORD_TRAP : EAR_RECORD_INTERRUPT;
	if (random_once_in(random, 20))
		traced->record.flags |= EAR_RECORD_HANDLER;
	if (random_once_in(random, 30))
		traced->record.flags |= EAR_RECORD_NO_PRIVILEGE;
	if (cases[which].lists && !random_once_in(random, 6) && !trap)
		add_register(traced, cases[which].reg_class, cases[which].number,
			random_next(random) & 0x6F1F);
	if (trap && random_once_in(random, 2)) {
		bool machine = random_once_in(random, 2);
		add_register(traced, EAR_REGISTER_CSR, machine ? 0x341 : 0x141, 0x80000000);
		add_register(traced, EAR_REGISTER_CSR, machine ? 0x342 : 0x142, 2);
	}
	if (random_once_in(random, 8))
		traced->record.fflags = (uint8_t)random_below(random, 32);
}

static void make_record(struct maker *maker, struct traced *traced)
{
	*traced = (struct traced){0};
	switch (random_below(maker->random, 40)) {
	case 0:
		traced->record = (struct ear_record){.kind = EAR_RECORD_GAP,
			.hart = (uint16_t)random_below(maker->random, HARTS),
			.u.gap = {
				.count_known = true, .count = random_below(maker->random, 2) * 4}};
		maker->index[traced->record.hart] += traced->record.u.gap.count;
		break;
	case 1:
		traced->record = (struct ear_record){.kind = EAR_RECORD_REGISTERS};
		traced->record.register_count = 1;
		traced->registers[0] = (struct ear_record_register){.reg_class = EAR_REGISTER_NAMED,
			.value = random_next(maker->random),
			.text_size = 2,
			.text.name = traced->name};
		traced->name[0] = 'r';
		traced->name[1] = (char)('0' + random_below(maker->random, 10));
		break;
	default: make_instruction(maker, traced); break;
	}
	traced->record.registers = traced->registers;
}

static struct traced *make_trace(struct random *random)
{
	struct maker maker = {.random = random, .jumps = random_once_in(random, 2)};
	struct traced *trace = calloc(RECORDS, sizeof(*trace));

	assert_non_null(trace);
	for (unsigned i = 0; i < HARTS; i++)
		maker.pc[i] = 0x80000000;
	for (size_t i = 0; i < RECORDS; i++)
		make_record(&maker, &trace[i]);
	return trace;
}

static void push(struct ear_state *state, struct traced *traced)
{
	assert_int_equal(ear_state_push(state, &traced->record), 0);
}

/* The state as bytes; freed by the caller. */
static uint8_t *save(const struct ear_state *state, size_t *size)
{
	*size = ear_state_save(state, NULL, 0);
	uint8_t *bytes = malloc(*size);

	assert_non_null(bytes);
	assert_int_equal(ear_state_save(state, bytes, *size), *size);
	return bytes;
}

/* The first register that differs. */
static void name_register(const struct ear_state *one, const struct ear_state *other,
	const char *what, uint64_t seed, size_t at)
{
	uint64_t values[2] = {0, 0};

	for (unsigned i = 0; i < HARTS * 3 * CSR_NUMBERS; i++) {
		uint16_t hart = (uint16_t)(i / CSR_NUMBERS / 3);
		unsigned reg_class = i / CSR_NUMBERS % 3, number = i % CSR_NUMBERS;
		if (reg_class != EAR_REGISTER_CSR && number > 31)
			continue;
		bool a = ear_state_register(one, hart, reg_class, number, &values[0]);
		bool b = ear_state_register(other, hart, reg_class, number, &values[1]);
		if (a != b || (a && values[0] != values[1]))
			fail_msg("seed %llu, %zu records: register %u %u of hart %u is %s%llx in "
				 "one pass, %s%llx %s",
				(unsigned long long)seed, at, reg_class, number, hart,
				a ? "" : "unknown ", (unsigned long long)values[0],
				b ? "" : "unknown ", (unsigned long long)values[1], what);
	}
}

static void expect_same(const struct ear_state *one, const struct ear_state *other,
	const char *what, uint64_t seed, size_t at)
{
	size_t sizes[2], same = 0;
	uint8_t *bytes[2] = {save(one, &sizes[0]), save(other, &sizes[1])};

	while (same < sizes[0] && same < sizes[1] && bytes[0][same] == bytes[1][same])
		same++;
	if (same < sizes[0] || same < sizes[1]) {
		name_register(one, other, what, seed, at);
		fail_msg("seed %llu, %zu records: another state %s: byte %zu of %zu and %zu",
			(unsigned long long)seed, at, what, same, sizes[0], sizes[1]);
	}
	free(bytes[0]);
	free(bytes[1]);
}

static struct ear_state *new_state(bool part, const struct ear_state_source *source)
{
	struct ear_state *state = NULL;

	assert_int_equal(part ? ear_state_new_part(&state) : ear_state_new(&state), 0);
	ear_state_set_source(state, source);
	return state;
}

/* Through bytes. */
static struct ear_state *restored(struct ear_state *state)
{
	size_t size;
	uint8_t *bytes = save(state, &size);
	struct ear_state *again = NULL;

	assert_int_equal(ear_state_restore(&again, bytes, size), 0);
	expect_same(state, again, "after its bytes", 0, 0);
	ear_state_free(state);
	free(bytes);
	return again;
}

static struct ear_state_source random_source(struct random *random)
{
	return (struct ear_state_source){
		.captured = random_once_in(random, 2), .shows_fflags = random_once_in(random, 2)};
}

static void parts_put_together_say_the_same_as_one_pass(void **state)
{
	(void)state;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct random random = {seed};
		struct ear_state_source source = random_source(&random);
		struct traced *trace = make_trace(&random);
		struct ear_state *one = new_state(false, &source);
		struct ear_state *whole = new_state(false, &source);

		for (size_t at = 0; at < RECORDS;) {
			size_t end = at + 1 + random_below(&random, 30);
			struct ear_state *parts[2] = {
				new_state(true, &source), new_state(true, &source)};
			end = end < RECORDS ? end : RECORDS;
			/* Two parts, put together before they go to the whole. */
			size_t middle = at + random_below(&random, end - at + 1);
			for (; at < end; at++) {
				push(parts[at >= middle], &trace[at]);
				push(one, &trace[at]);
			}
			for (unsigned i = 0; i < 2; i++)
				parts[i] = restored(parts[i]);
			assert_int_equal(ear_state_merge(parts[0], parts[1]), 0);
			assert_int_equal(ear_state_merge(whole, parts[0]), 0);
			expect_same(one, whole, "in parts", seed, at);
			ear_state_free(parts[0]);
			ear_state_free(parts[1]);
		}
		ear_state_free(one);
		ear_state_free(whole);
		free(trace);
	}
}

/* Has the record a compact form? */
static bool is_compact(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION && record->register_count <= 1 &&
	       record->fflags == 0 &&
	       (record->register_count == 0 || record->registers[0].reg_class == EAR_REGISTER_X);
}

static size_t push_run(struct ear_state *state, struct traced *trace, size_t count)
{
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	const struct ear_record *first = &trace[0].record;
	struct ear_compact_run run = {.first_index = first->index,
		.hart = first->hart,
		.xlen = first->xlen,
		.privilege = first->privilege,
		.flags = first->flags};

	for (; run.count < count && run.count < EAR_COMPACT_RUN_MAX; run.count++) {
		const struct ear_record *record = &trace[run.count].record;
		if (!is_compact(record) || record->hart != run.hart || record->xlen != run.xlen ||
			record->privilege != run.privilege || record->flags != run.flags ||
			record->index != run.first_index + run.count)
			break;
		bool moves = record->next_pc != record->pc + record->opcode_size;
		compacts[run.count] = (struct ear_compact_record){.pc = record->pc,
			.next_pc = record->next_pc,
			.opcode = (uint32_t)record->opcode,
			.opcode_size = record->opcode_size,
			.rd = record->register_count ? (uint8_t)trace[run.count].registers[0].number
						     : 0,
			.result = trace[run.count].registers[0].value,
			.size = EAR_COMPACT_NO_ACCESS,
			.flags = moves ? EAR_COMPACT_TAKEN : 0};
	}
	assert_int_equal(ear_state_push_run(state, &run, compacts), 0);
	return run.count;
}

static void compact_runs_say_the_same_as_single_records(void **state)
{
	(void)state;
	size_t compact = 0;

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct random random = {seed * 31};
		struct ear_state_source source = random_source(&random);
		struct traced *trace = make_trace(&random);
		struct ear_state *one = new_state(false, &source);
		struct ear_state *runs = new_state(false, &source);

		for (size_t at = 0; at < RECORDS;) {
			size_t begin = at;
			if (is_compact(&trace[at].record) && !random_once_in(&random, 3)) {
				at += push_run(runs, &trace[at], RECORDS - at);
				compact += at - begin;
			} else {
				assert_int_equal(ear_state_follow(runs, &trace[at++].record), 0);
			}
			for (; begin < at; begin++)
				push(one, &trace[begin]);
			expect_same(one, runs, "in compact runs", seed, at);
		}
		ear_state_free(one);
		ear_state_free(runs);
		free(trace);
	}
	assert_above(compact, TRACES * RECORDS / 4);
}

static void a_clone_goes_its_own_way(void **state)
{
	(void)state;
	struct random random = {77};
	struct ear_state_source source = {.captured = true};
	struct traced *trace = make_trace(&random);
	struct ear_state *one = new_state(false, &source), *clone, *kept;

	for (size_t i = 0; i < RECORDS / 2; i++)
		push(one, &trace[i]);
	assert_int_equal(ear_state_clone(&clone, one), 0);
	assert_int_equal(ear_state_clone(&kept, one), 0);
	expect_same(one, clone, "cloned", 77, RECORDS / 2);
	for (size_t i = RECORDS / 2; i < RECORDS; i++)
		push(one, &trace[i]);
	expect_same(kept, clone, "cloned", 77, RECORDS / 2);
	for (size_t i = RECORDS / 2; i < RECORDS; i++)
		push(clone, &trace[i]);
	expect_same(one, clone, "cloned and gone on", 77, RECORDS);
	ear_state_free(one);
	ear_state_free(clone);
	ear_state_free(kept);
	free(trace);
}

static void damaged_bytes_are_refused_or_give_a_state(void **state)
{
	(void)state;
	struct random random = {9};
	struct ear_state_source source = {.captured = true};
	struct traced *trace = make_trace(&random);
	struct ear_state *one = new_state(true, &source), *again;
	size_t size, refused = 0;

	for (size_t i = 0; i < RECORDS; i++)
		push(one, &trace[i]);
	uint8_t *bytes = save(one, &size);
	for (size_t cut = 0; cut < size; cut++) {
		/* A block of exactly this size, so that reading past it is seen. */
		uint8_t *part = malloc(cut + (cut == 0));
		memcpy(part, bytes, cut);
		assert_int_equal(ear_state_restore(&again, part, cut), EAR_E_BAD_FILE);
		free(part);
	}
	for (unsigned i = 0; i < 20000; i++) {
		size_t at = random_below(&random, size);
		uint8_t was = bytes[at];
		bytes[at] = (uint8_t)random_next(&random);
		int result = ear_state_restore(&again, bytes, size);
		refused += result != 0;
		if (result == 0) {
			uint64_t value = 1;
			assert_true(ear_state_register(again, 0, EAR_REGISTER_X, 0, &value));
			assert_int_equal(value, 0);
			assert_int_equal(ear_state_merge(again, one), 0);
			ear_state_free(again);
		}
		bytes[at] = was;
	}
	assert_above(refused, 100);
	ear_state_free(one);
	free(bytes);
	free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_put_together_say_the_same_as_one_pass),
		cmocka_unit_test(compact_runs_say_the_same_as_single_records),
		cmocka_unit_test(a_clone_goes_its_own_way),
		cmocka_unit_test(damaged_bytes_are_refused_or_give_a_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
