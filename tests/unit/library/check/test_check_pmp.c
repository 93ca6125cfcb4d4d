/* Physical memory protection: what the entries allow, and what a core does all the same. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "library/check/checker.h"

#define PMPCFG0  0x3a0
#define PMPADDR0 0x3b0
#define MSTATUS  0x300
#define SATP     0x180
#define MSECCFG  0x747

#define R   1u
#define W   2u
#define X   4u
#define TOR (1u << 3)
#define NA4 (2u << 3)
#define ANY (3u << 3) /* NAPOT */
#define L   (1u << 7)

#define M EAR_PRIVILEGE_M
#define S EAR_PRIVILEGE_S
#define U EAR_PRIVILEGE_U

#define CODE 0x80000000u

struct csr {
	uint16_t number;
	uint64_t value;
};

enum outcome { ALLOWED, DENIED, UNKNOWN, NONE };

/* A load or store in a mode, with these CSRs; the code lies where all is allowed. */
struct row {
	const char *name;
	struct csr csrs[8];
	uint8_t mode, xlen;
	char access; /* 'r', 'w', 'x': by its fetch alone, at address */
	uint64_t address;
	enum outcome outcome;
};

/* Entry 15 allows all; the last ones are off after a reset. */
#define ALL_32 \
	{PMPCFG0 + 3, (uint64_t)(ANY | R | W | X) << 24}, \
	{ \
		PMPADDR0 + 15, UINT32_MAX \
	}
#define ALL_64 \
	{PMPCFG0 + 2, (uint64_t)(ANY | R | W | X) << 56}, \
	{ \
		PMPADDR0 + 15, (UINT64_C(1) << 54) - 1 \
	}

static const struct row rows[] = {
	{"the entry for all", {ALL_32}, U, 32, 'r', 0x1000, ALLOWED},
	{"the entry for all, RV64", {ALL_64}, U, 64, 'w', UINT64_C(0x123456789000), ALLOWED},
	{"supervisor mode", {ALL_32, {SATP, 0}}, S, 32, 'w', 0x1000, ALLOWED},
	{"machine mode, no entry locked", {ALL_32}, M, 32, 'w', 0x1000, NONE},
	{"NAPOT, read only", {ALL_32, {PMPCFG0, ANY | R}, {PMPADDR0, 0x20000000 | 0x1ff}}, U, 32,
		'w', 0x80000ffc, DENIED},
	{"NAPOT, read only, read", {ALL_32, {PMPCFG0, ANY | R}, {PMPADDR0, 0x10000000 | 0x1ff}}, U,
		32, 'r', 0x40000ffc, ALLOWED},
	{"NAPOT, read only, behind it",
		{ALL_32, {PMPCFG0, ANY | R}, {PMPADDR0, 0x10000000 | 0x1ff}}, U, 32, 'w',
		0x40001000, ALLOWED},
	{"NAPOT, 8 bytes of a granule that may be larger",
		{ALL_32, {PMPCFG0, ANY}, {PMPADDR0, 0x10000000}}, U, 32, 'w', 0x40000004, DENIED},
	{"NAPOT, RV64, nothing", {ALL_64, {PMPCFG0, ANY}, {PMPADDR0, 0x10000000 | 0x1ff}}, U, 64,
		'r', 0x40000000, DENIED},
	{"not executable", {ALL_32, {PMPCFG0, ANY | R | W}, {PMPADDR0, 0x10000000 | 0x1ff}}, U, 32,
		'x', 0x40000800, DENIED},
	{"executable only", {ALL_32, {PMPCFG0, ANY | X}, {PMPADDR0, 0x10000000 | 0x1ff}}, U, 32,
		'x', 0x40000800, ALLOWED},
	{"TOR from 0", {ALL_32, {PMPCFG0, TOR}, {PMPADDR0, 0x400}}, U, 32, 'r', 0xffc, DENIED},
	{"TOR from 0, behind it", {ALL_32, {PMPCFG0, TOR}, {PMPADDR0, 0x400}}, U, 32, 'r', 0x1000,
		ALLOWED},
	{"TOR of nothing", {ALL_32, {PMPCFG0, TOR}, {PMPADDR0, 0}}, U, 32, 'r', 0, ALLOWED},
	{"TOR from the entry below",
		{ALL_32, {PMPCFG0, TOR << 8}, {PMPADDR0, 0x400}, {PMPADDR0 + 1, 0x800}}, U, 32, 'r',
		0x1000, DENIED},
	{"TOR, before it", {ALL_32, {PMPCFG0, TOR << 8}, {PMPADDR0, 0x400}, {PMPADDR0 + 1, 0x800}},
		U, 32, 'r', 0xffc, ALLOWED},
	{"TOR whose bound is unknown", {ALL_32, {PMPCFG0, TOR << 8}, {PMPADDR0 + 1, 0x800}}, U, 32,
		'r', 0x1000, UNKNOWN},
	{"TOR whose end lies within a large granule", {ALL_32, {PMPCFG0, TOR}, {PMPADDR0, 0x10}}, U,
		32, 'r', 0x20, UNKNOWN},
	{"the lowest entry decides",
		{ALL_32, {PMPCFG0, ANY | R | (ANY | R | W) << 8}, {PMPADDR0, 0x1ff},
			{PMPADDR0 + 1, 0xfff}},
		U, 32, 'w', 0x10, DENIED},
	{"a part of it only", {ALL_64, {PMPCFG0, NA4}, {PMPADDR0, 0x400}}, U, 64, 'r', 0xffc,
		UNKNOWN},
	{"written and not read", {ALL_32, {PMPCFG0, ANY | W}, {PMPADDR0, 0x1ff}}, U, 32, 'w', 0,
		UNKNOWN},
	{"its address is unknown", {ALL_32, {PMPCFG0, ANY}}, U, 32, 'r', 0x1000, UNKNOWN},
	{"machine mode, locked", {{PMPCFG0, L | ANY | R}, {PMPADDR0, 0x1ff}}, M, 32, 'w', 0x10,
		DENIED},
	{"machine mode, locked, elsewhere", {{PMPCFG0, L | ANY | R}, {PMPADDR0, 0x1ff}}, M, 32, 'w',
		0x1000, ALLOWED},
	{"machine mode by MPRV",
		{ALL_32, {PMPCFG0, ANY | R}, {PMPADDR0, 0x1ff}, {MSTATUS, 1 << 17}}, M, 32, 'w',
		0x10, DENIED},
	{"no entry matches", {{PMPCFG0, ANY | R | W | X}, {PMPADDR0, 0x200001ff}}, U, 32, 'r', 0x10,
		DENIED},
	{"virtual addresses", {ALL_32, {SATP, 0x80000000}, {PMPCFG0, ANY}, {PMPADDR0, 0x1ff}}, U,
		32, 'r', 0x10, UNKNOWN},
	{"other rules by mseccfg", {ALL_32, {MSECCFG, 1}, {PMPCFG0, ANY}, {PMPADDR0, 0x1ff}}, U, 32,
		'r', 0x10, UNKNOWN},
	{"no entry is used", {{PMPADDR0, 0x1ff}}, U, 32, 'r', 0x10, UNKNOWN},
};

struct seen {
	unsigned count;
	char text[EAR_VIOLATION_TEXT_MAX];
};

static int note(void *context, const struct ear_violation *violation)
{
	struct seen *seen = context;

	if (violation->rule == EAR_CHECK_PMP && seen->count++ == 0)
		snprintf(seen->text, sizeof(seen->text), "%s", violation->text);
	return 0;
}

/* lw x5, 0(x6) or sw x5, 0(x6); size 8 on RV64: ld and sd. 'm': mret. */
static void push(struct ear_checker *checker, uint64_t index, unsigned mode, unsigned xlen,
	char what, uint64_t address)
{
	bool store = what == 'w', none = what == 'x' || what == 'm';
	struct ear_record_register reg = {.reg_class = EAR_REGISTER_X, .number = 5};
	struct ear_record_access access = {
		.address = address, .size = xlen == 64 ? 8 : 4, .write = store, .has_value = true};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.index = index,
		.xlen = (uint8_t)xlen,
		.privilege = (uint8_t)mode,
		.opcode_size = 4,
		.isa = EAR_ISA_RISCV,
		.opcode = (what == 'm'    ? 0x30200073
				  : none  ? 0x13
				  : store ? 0x00532023u
					  : 0x00032283u) |
			  (xlen == 64 && !none ? 0x1000u : 0),
		.pc = none ? address : CODE,
		.registers = &reg,
		.register_count = !store && !none,
		.memory = &access,
		.memory_count = !none};

	record.next_pc = record.pc + 4;
	assert_int_equal(ear_checker_push(checker, &record, index, index), 0);
}

static void each_entry_allows_what_the_manual_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct ear_record_register assumed[COUNT_OF(row->csrs)];
		struct seen seen = {.count = 0};
		struct ear_checker_options options = {
			.reset = true, .assumed = assumed, .found = note, .context = &seen};
		struct ear_checker *checker;

		memset(assumed, 0, sizeof(assumed));
		for (size_t j = 0; j < COUNT_OF(row->csrs) && row->csrs[j].number; j++)
			assumed[options.assumed_count++] =
				(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
					.number = row->csrs[j].number,
					.value = row->csrs[j].value};
		assert_int_equal(ear_checker_new(&checker, &options), 0);
		/* So that U is a privilege. */
		push(checker, 0, M, row->xlen, row->mode == M ? 'x' : 'm',
			(row->access == 'x' ? row->address : CODE) - 4);
		struct ear_check_counts before = *ear_checker_counts(checker);
		unsigned found_before = seen.count;
		push(checker, 1, row->mode, row->xlen, row->access, row->address);
		const struct ear_check_counts *after = ear_checker_counts(checker);
		uint64_t checked =
			after->rules[EAR_CHECK_PMP].checked - before.rules[EAR_CHECK_PMP].checked;
		uint64_t unknown = after->rules[EAR_CHECK_PMP].unchecked[EAR_CHECK_UNKNOWN] -
				   before.rules[EAR_CHECK_PMP].unchecked[EAR_CHECK_UNKNOWN];
		unsigned found = seen.count - found_before;
		bool right = false;
		switch (row->outcome) {
		case ALLOWED: right = checked > 0 && unknown == 0 && found == 0; break;
		case DENIED: right = found > 0; break;
		case UNKNOWN: right = unknown > 0 && found == 0; break;
		case NONE: right = checked + unknown == 0; break;
		}
		if (!right)
			fail_msg("%s: checked %u, unknown %u, found %u: %s", row->name,
				(unsigned)checked, (unsigned)unknown, found, seen.text);
		ear_checker_free(checker);
	}
}

static void what_is_found_is_said(void **state)
{
	const struct ear_record_register assumed[] = {
		{.reg_class = EAR_REGISTER_CSR, .number = PMPCFG0, .value = ANY | R},
		{.reg_class = EAR_REGISTER_CSR, .number = PMPADDR0, .value = UINT32_MAX},
	};
	struct seen seen = {.count = 0};
	const struct ear_checker_options options = {.reset = true,
		.assumed = assumed,
		.assumed_count = COUNT_OF(assumed),
		.found = note,
		.context = &seen};
	struct ear_checker *checker;

	(void)state;
	assert_int_equal(ear_checker_new(&checker, &options), 0);
	push(checker, 0, M, 32, 'm', CODE);
	push(checker, 1, U, 32, 'x', 0x1000);
	assert_string_equal(seen.text, "0x1000 is executed in mode U, and PMP does not allow it");
	ear_checker_free(checker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_entry_allows_what_the_manual_says),
		cmocka_unit_test(what_is_found_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
