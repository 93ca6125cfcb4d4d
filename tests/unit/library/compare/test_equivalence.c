/* The rules by which records of two formats are the same: each where it is needed, and what it must
 * not hide. The table of docs/text-formats.md is made of theirs. library/compare/equivalence.h
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "document.h"
#include "library/compare/compare_record.h"
#include "library/compare/equivalence.h"
#include "library/compare/left_out.h"

#define WIDTH 100

static const char *const formats[] = {"spike", "whisper", "whisper-log", "riscv-dv", "qemu4v",
	"tarmac", "armulator", "sail", "ibex", "rvvi", "qemu-execlog", "qemu-execlog-reg", "qemu",
	"qemu-asm", "qemu-cpu", "rocket", "gem5", "imperas", "ovpsim", "rvfi-table", "ariane",
	"ariane-dasm", "dromajo", "neorv32", "tracerv", "veer", "difftest", "bsg-manycore",
	"snitch", "renode", "renode-memory", "capture"};

/* The documented table ---------------------------------------------------------------------- */

/* Print words, and go to a new line where the next one does not fit. */
static void print_wrapped(FILE *to, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t size = strcspn(text, " ");
		if (column > 0 && column + 1 + size > WIDTH) {
			fprintf(to, "\n ");
			column = 1;
		}
		column += (size_t)fprintf(to, "%s%.*s", column ? " " : "", (int)size, text);
		text += size;
		text += *text == ' ';
	}
	fprintf(to, "\n");
}

static void print_rules(FILE *to)
{
	for (unsigned rule = 0; rule < EAR_RULE_COUNT; rule++) {
		const struct ear_rule_row *row = &ear_rules[rule];
		char names[512] = "", line[2048];
		for (size_t i = 0; i < COUNT_OF(formats); i++)
			if (ear_rules_of(formats[i]) & EAR_RULE_BIT(rule))
				snprintf(names + strlen(names), sizeof(names) - strlen(names),
					"%s%s", names[0] ? ", " : "", formats[i]);
		snprintf(line, sizeof(line), "- **%s** (%s; %s). No difference: %s. Still one: %s.",
			row->name, row->field, names, row->same, row->differs);
		print_wrapped(to, line);
	}
}

static void the_documented_rules_are_the_codes(void **state)
{
	(void)state;
	document_check_table(EAR_TEST_DATA "/../../docs/text-formats.md", "rules", print_rules);
}

static void every_rule_is_brought_by_a_format(void **state)
{
	uint32_t all = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(formats); i++)
		all |= ear_rules_of(formats[i]);
	assert_int_equal(all, EAR_RULE_BIT(EAR_RULE_COUNT) - 1);
	assert_int_equal(ear_rules_of("json"), 0);
}

/* Pairs of records -------------------------------------------------------------------------- */

#define WRITES 6

/* A record of one side; zero: it has none of that. */
struct made {
	uint32_t opcode;
	uint32_t flags;
	uint8_t fflags, privilege;
	bool no_tval_line;
	uint64_t cause, tval;
	struct {
		uint16_t number;
		uint64_t value;
	} csrs[WRITES];
	struct {
		uint8_t number, byte;
	} vectors[2];
	bool has_access, has_value, reads;
	uint8_t size;     /* of an access; 0: 8 bytes */
	uint8_t accesses; /* of a vector or a block: so many, with this data in all of them */
	uint64_t data;
};

#define FADD          0x003100D3u /* fadd.s f1, f2, f3 */
#define VADD          0x022101D7u
#define SC            0x18C5362Fu
#define SW            0x00052023u
#define VSE           0x02057127u /* vse64.v v2, (x10) */
#define AMO           0x00C5362Fu
#define AMOMIN_H      0x84349D2Fu
#define CBO_FLUSH     0x0024A00Fu
#define CBO_ZERO      0x0044A00Fu
#define ECALL         0x73u
#define MRET          0x30200073u
#define CSRRW(number) ((uint32_t)(number) << 20 | 0x29073)
#define LISTS(...)    .csrs = {__VA_ARGS__}

/* Memory of a record. */
struct room {
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_register registers[WRITES + 3];
	struct ear_record_access accesses[8];
	uint8_t bytes[2][16];
};

static const struct ear_record *make(struct room *room, const struct made *made)
{
	struct ear_record *record = &room->record;
	size_t count = 0;

	memset(room, 0, sizeof(*room));
	if (made->opcode == FADD)
		room->registers[count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_F, .number = 1};
	for (size_t i = 0; i < WRITES && made->csrs[i].number; i++)
		room->registers[count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
				.number = made->csrs[i].number,
				.value = made->csrs[i].value};
	for (size_t i = 0; i < 2 && made->vectors[i].number; i++) {
		memset(room->bytes[i], made->vectors[i].byte, sizeof(room->bytes[i]));
		room->registers[count++] = (struct ear_record_register){.reg_class = EAR_REGISTER_V,
			.number = made->vectors[i].number,
			.text_size = 16,
			.text.bytes = room->bytes[i]};
	}
	size_t accesses = made->accesses ? made->accesses : made->has_access;
	unsigned size = made->size ? made->size : 8;
	for (size_t i = 0; i < accesses; i++)
		room->accesses[i] = (struct ear_record_access){
			.address = 0x1000 + (made->opcode == CBO_ZERO ? size : 8) * i,
			.size = (uint8_t)size,
			.write = !made->reads,
			.value = made->data,
			.has_value = made->has_value || made->accesses};
	room->extra.has_trap_value = made->flags & EAR_RECORD_TRAP && !made->no_tval_line;
	room->extra.trap_value = made->tval;
	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 64,
		.pc = 0x80000000,
		.opcode = made->opcode,
		.opcode_size = 4,
		.flags = made->flags | EAR_RECORD_NO_NEXT_PC,
		.fflags = made->fflags,
		.cause = made->cause,
		.privilege = made->privilege ? made->privilege : EAR_PRIVILEGE_M,
		.registers = room->registers,
		.register_count = count,
		.memory = room->accesses,
		.memory_count = accesses,
		.extra = &room->extra};
	return record;
}

static const struct ear_equivalence_side sides_of_pair[][2] = {
	{{"whisper", EAR_FIELDS_ALL, 0}, {"spike", EAR_FIELDS_ALL, 0}},
	{{"capture", EAR_FIELDS_ALL, 2}, {"spike", EAR_FIELDS_ALL, 0}},
	{{"whisper", EAR_FIELDS_ALL, 0}, {"whisper-log", EAR_FIELDS_ALL, 0}},
};

enum pair { WHISPER_SPIKE, CAPTURE_SPIKE, WHISPER_LOG };

/* Records of both sides that come first, the pair that is compared, and what is the answer. */
struct row {
	const char *what;
	enum pair pair;
	bool same;
	enum ear_rule rule; /* which is needed, if they are the same; EAR_RULE_COUNT: none */
	struct made before[2], at[2];
};

#define TRAP .flags = EAR_RECORD_TRAP, .opcode = ECALL, .cause = 11

static const struct row rows[] = {
	{"fcsr and fflags", WHISPER_SPIKE, true, EAR_RULE_CSR_PARTS, {{0}, {0}},
		{{.opcode = FADD, .fflags = 1, LISTS({3, 1})}, {.opcode = FADD, LISTS({1, 1})}}},
	{"fcsr and another fflags", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD, .fflags = 1, LISTS({3, 1})}, {.opcode = FADD, LISTS({1, 5})}}},
	{"fcsr, with a new frm", WHISPER_SPIKE, false, 0, {{LISTS({3, 0})}, {LISTS({3, 0})}},
		{{.opcode = FADD, .fflags = 1, LISTS({3, 0x21})}, {.opcode = FADD, LISTS({1, 1})}}},
	{"fcsr as fflags and frm", WHISPER_SPIKE, true, EAR_RULE_CSR_PARTS, {{0}, {0}},
		{{.opcode = CSRRW(3), LISTS({3, 0x45})},
			{.opcode = CSRRW(3), LISTS({1, 5}, {2, 2})}}},
	{"sstatus and mstatus", WHISPER_SPIKE, true, EAR_RULE_CSR_PARTS, {{0}, {0}},
		{{.opcode = CSRRW(0x100), LISTS({0x100, 0x40000})},
			{.opcode = CSRRW(0x100), LISTS({0x300, 0x41800})}}},
	{"sstatus and another mstatus", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CSRRW(0x100), LISTS({0x100, 0x40000})},
			{.opcode = CSRRW(0x100), LISTS({0x300, 0x1800})}}},
	{"sstatus, and a bit of mstatus that changed", WHISPER_SPIKE, false, 0,
		{{LISTS({0x300, 0x1800})}, {LISTS({0x300, 0x1800})}},
		{{.opcode = CSRRW(0x100), LISTS({0x100, 0x40000})},
			{.opcode = CSRRW(0x100), LISTS({0x300, 0x41880})}}},
	{"sie and mie, of which it is delegated", WHISPER_SPIKE, true, EAR_RULE_CSR_PARTS,
		{{LISTS({0x303, 0x22})}, {LISTS({0x303, 0x22})}},
		{{.opcode = CSRRW(0x104), LISTS({0x104, 0x20})},
			{.opcode = CSRRW(0x104), LISTS({0x304, 0xA0})}}},
	{"sie and another mie", WHISPER_SPIKE, false, 0,
		{{LISTS({0x303, 0x22})}, {LISTS({0x303, 0x22})}},
		{{.opcode = CSRRW(0x104), LISTS({0x104, 0x20})},
			{.opcode = CSRRW(0x104), LISTS({0x304, 0xA2})}}},
	{"the same fflags again", WHISPER_SPIKE, true, EAR_RULE_FLAGS_AS_CSR,
		{{LISTS({3, 1})}, {LISTS({1, 1})}},
		{{.opcode = FADD, .fflags = 1}, {.opcode = FADD, LISTS({1, 1})}}},
	{"vtype, as it was", WHISPER_SPIKE, true, EAR_RULE_CSR_UNCHANGED,
		{{LISTS({EAR_CSR_VTYPE, 8})}, {LISTS({EAR_CSR_VTYPE, 8})}},
		{{.opcode = VADD, LISTS({EAR_CSR_VTYPE, 8})}, {.opcode = VADD}}},
	{"another vtype", WHISPER_SPIKE, false, 0,
		{{LISTS({EAR_CSR_VTYPE, 8})}, {LISTS({EAR_CSR_VTYPE, 8})}},
		{{.opcode = VADD, LISTS({EAR_CSR_VTYPE, 0})}, {.opcode = VADD}}},
	{"a CSR instruction without its write", WHISPER_SPIKE, false, 0,
		{{LISTS({0x300, 8})}, {LISTS({0x300, 8})}},
		{{.opcode = CSRRW(0x300), LISTS({0x300, 8})}, {.opcode = CSRRW(0x300)}}},
	{"mvip with mip", WHISPER_SPIKE, true, EAR_RULE_CSR_ALIAS, {{0}, {0}},
		{{.opcode = CSRRW(0x344), LISTS({0x344, 2})},
			{.opcode = CSRRW(0x344), LISTS({EAR_CSR_MVIP, 0}, {0x344, 2})}}},
	{"mvip alone", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CSRRW(0x340), LISTS({0x340, 2})},
			{.opcode = CSRRW(0x340), LISTS({EAR_CSR_MVIP, 0}, {0x340, 2})}}},
	{"more writes than slots", CAPTURE_SPIKE, true, EAR_RULE_CSR_SLOTS, {{0}, {0}},
		{{.opcode = FADD, LISTS({0x7C0, 1}, {0x7C1, 2})},
			{.opcode = FADD, LISTS({0x7C0, 1}, {0x7C1, 2}, {0x7C2, 3})}}},
	{"a free slot", CAPTURE_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD, LISTS({0x7C0, 1})},
			{.opcode = FADD, LISTS({0x7C0, 1}, {0x7C1, 2})}}},
	{"another value in a slot", CAPTURE_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD, LISTS({0x7C0, 1}, {0x7C1, 7})},
			{.opcode = FADD, LISTS({0x7C0, 1}, {0x7C1, 2}, {0x7C2, 3})}}},
	{"vstart of a vector instruction", WHISPER_SPIKE, true, EAR_RULE_VSTART, {{0}, {0}},
		{{.opcode = VADD}, {.opcode = VADD, LISTS({8, 0})}}},
	{"vstart that is not 0", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = VADD}, {.opcode = VADD, LISTS({8, 1})}}},
	{"a register of a group, as it was", WHISPER_SPIKE, true, EAR_RULE_V_UNCHANGED,
		{{.vectors = {{4, 7}}}, {.vectors = {{4, 7}}}},
		{{.opcode = VADD, .vectors = {{3, 1}, {4, 7}}},
			{.opcode = VADD, .vectors = {{3, 1}}}}},
	{"a register of a group that changed", WHISPER_SPIKE, false, 0,
		{{.vectors = {{4, 7}}}, {.vectors = {{4, 7}}}},
		{{.opcode = VADD, .vectors = {{3, 1}, {4, 8}}},
			{.opcode = VADD, .vectors = {{3, 1}}}}},
	{"a register that is missing", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = VADD, .vectors = {{3, 1}}}, {.opcode = VADD}}},
	{"flags without a write of fflags", WHISPER_SPIKE, false, 0,
		{{LISTS({3, 1})}, {LISTS({3, 1})}},
		{{.opcode = FADD, .fflags = 1}, {.opcode = FADD}}},
	{"a write of fflags without flags", WHISPER_SPIKE, false, 0,
		{{LISTS({3, 1})}, {LISTS({3, 1})}},
		{{.opcode = FADD}, {.opcode = FADD, LISTS({1, 1})}}},
	{"a flag that the sum lacks", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD, .fflags = 2}, {.opcode = FADD, LISTS({1, 1})}}},
	{"flags that fcsr has already", WHISPER_LOG, true, EAR_RULE_FLAGS_CHANGED,
		{{LISTS({3, 1})}, {LISTS({3, 1})}},
		{{.opcode = FADD, .fflags = 1}, {.opcode = FADD}}},
	{"flags that fcsr has not", WHISPER_LOG, false, 0, {{LISTS({3, 1})}, {LISTS({3, 1})}},
		{{.opcode = FADD, .fflags = 2}, {.opcode = FADD}}},
	{"the CSRs of a trap", WHISPER_SPIKE, true, EAR_RULE_TRAP_CSRS, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_MEPC, 0x80000000}, {EAR_CSR_MCAUSE, 11}, {EAR_CSR_MTVAL, 5},
				{EAR_CSR_MSTATUS, 0x1800})},
			{TRAP, .tval = 5}}},
	{"another epc", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_MEPC, 0x80000004})}, {TRAP}}},
	{"another cause in the CSR", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_SCAUSE, 8})}, {TRAP}}},
	{"another tval", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_MTVAL, 5})}, {TRAP, .tval = 6}}},
	{"a tval where Spike has no line", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_MTVAL, 5})}, {TRAP, .no_tval_line = true}}},
	{"a CSR that no trap writes", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, LISTS({EAR_CSR_MTVEC, 5})}, {TRAP}}},
	{"the privilege of a trap", WHISPER_SPIKE, true, EAR_RULE_COUNT, {{0}, {0}},
		{{TRAP}, {.flags = EAR_RECORD_TRAP | EAR_RECORD_NO_PRIVILEGE,
				 .opcode = ECALL,
				 .cause = 11}}},
	{"a privilege other than before", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{TRAP, .privilege = EAR_PRIVILEGE_S},
			{.flags = EAR_RECORD_TRAP | EAR_RECORD_NO_PRIVILEGE,
				.opcode = ECALL,
				.cause = 11}}},
	{"a trap after a return", WHISPER_SPIKE, true, EAR_RULE_TRAP_PRIVILEGE,
		{{.opcode = 0x30200073}, {.opcode = 0x30200073}},
		{{TRAP, .privilege = EAR_PRIVILEGE_S},
			{.flags = EAR_RECORD_TRAP | EAR_RECORD_NO_PRIVILEGE,
				.opcode = ECALL,
				.cause = 11}}},
	{"VS and S", WHISPER_SPIKE, true, EAR_RULE_VIRTUAL, {{0}, {0}},
		{{.privilege = EAR_PRIVILEGE_VS}, {.privilege = EAR_PRIVILEGE_S}}},
	{"VS and M", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.privilege = EAR_PRIVILEGE_VS}, {.privilege = EAR_PRIVILEGE_M}}},
	{"an sc that stored nothing", WHISPER_SPIKE, true, EAR_RULE_SC_ADDRESS, {{0}, {0}},
		{{.opcode = SC, .has_access = true}, {.opcode = SC}}},
	{"an sc that stored", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = SC, .has_access = true, .has_value = true}, {.opcode = SC}}},
	{"a half that is sign extended", WHISPER_SPIKE, true, EAR_RULE_COUNT, {{0}, {0}},
		{{.opcode = AMOMIN_H, .size = 2, .accesses = 1, .data = 0xFFFFFFFFFFFF8D00},
			{.opcode = AMOMIN_H, .size = 2, .accesses = 1, .data = 0x8D00}}},
	{"another half", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = AMOMIN_H, .size = 2, .accesses = 1, .data = 0xFFFFFFFFFFFF8D00},
			{.opcode = AMOMIN_H, .size = 2, .accesses = 1, .data = 0x0D00}}},
	{"a cache operation", WHISPER_SPIKE, true, EAR_RULE_CACHE_ADDRESS, {{0}, {0}},
		{{.opcode = CBO_FLUSH, .has_access = true}, {.opcode = CBO_FLUSH}}},
	{"a cache operation that stored", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CBO_FLUSH, .has_access = true, .has_value = true},
			{.opcode = CBO_FLUSH}}},
	{"cbo.zero that shows no store", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CBO_ZERO, .has_access = true}, {.opcode = CBO_ZERO}}},
	{"cbo.zero in bytes and in a word", WHISPER_SPIKE, true, EAR_RULE_CACHE_BYTES, {{0}, {0}},
		{{.opcode = CBO_ZERO, .accesses = 1},
			{.opcode = CBO_ZERO, .size = 1, .accesses = 8}}},
	{"cbo.zero with a byte less", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CBO_ZERO, .accesses = 1},
			{.opcode = CBO_ZERO, .size = 1, .accesses = 7}}},
	{"cbo.zero with another value", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CBO_ZERO, .accesses = 1},
			{.opcode = CBO_ZERO, .size = 1, .accesses = 8, .data = 1}}},
	{"vsstatus of an mret, as it was", WHISPER_SPIKE, true, EAR_RULE_CSR_UNCHANGED,
		{{LISTS({EAR_CSR_VSSTATUS, 0x600})}, {LISTS({EAR_CSR_VSSTATUS, 0x600})}},
		{{.opcode = MRET, LISTS({EAR_CSR_VSSTATUS, 0x600})}, {.opcode = MRET}}},
	{"vsstatus that an mret changed", WHISPER_SPIKE, false, 0,
		{{LISTS({EAR_CSR_VSSTATUS, 0x600})}, {LISTS({EAR_CSR_VSSTATUS, 0x600})}},
		{{.opcode = MRET, LISTS({EAR_CSR_VSSTATUS, 0x602})}, {.opcode = MRET}}},
	{"vsstatus of a store", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = AMO, LISTS({EAR_CSR_VSSTATUS, 0x600})}, {.opcode = AMO}}},
	{"one of the accesses of a vector", CAPTURE_SPIKE, true, EAR_RULE_ONE_ACCESS, {{0}, {0}},
		{{.opcode = VSE, .accesses = 1, .data = 7},
			{.opcode = VSE, .accesses = 4, .data = 7}}},
	{"other data in it", CAPTURE_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = VSE, .accesses = 1, .data = 7},
			{.opcode = VSE, .accesses = 4, .data = 8}}},
	{"an access of another instruction", CAPTURE_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = AMO}, {.opcode = AMO, .accesses = 2, .data = 8}}},
	{"a CSR that the instruction cannot write", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = AMO}, {.opcode = AMO, LISTS({0x304, 0xD4})}}},
	{"vl of a floating-point instruction", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD}, {.opcode = FADD, LISTS({0xC20, 4})}}},
	{"vtype beside another CSR", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CSRRW(0x340), LISTS({0x340, 1})},
			{.opcode = CSRRW(0x340), LISTS({0x340, 1}, {0xC21, 1})}}},
	{"bits that a CSR does not have", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CSRRW(10), LISTS({10, 2})},
			{.opcode = CSRRW(10), LISTS({10, 0x80002})}}},
	{"bits of a part that the whole has not", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = CSRRW(3), LISTS({3, 0x11})}, {.opcode = CSRRW(3), LISTS({1, 0x51})}}},
	{"an interrupt that is not delegated", WHISPER_SPIKE, false, 0,
		{{.opcode = CSRRW(0x303), LISTS({0x303, 0x222})},
			{.opcode = CSRRW(0x303), LISTS({0x303, 0x222})}},
		{{.opcode = CSRRW(0x144), LISTS({0x144, 6})},
			{.opcode = CSRRW(0x144), LISTS({0x344, 2})}}},
	{"a store, of which one side shows the load", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = AMO, .has_access = true, .has_value = true, .data = 4},
			{.opcode = AMO, .has_access = true, .reads = true}}},
	{"a store that is a load on the other side", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = SW, .has_access = true, .has_value = true, .data = 4},
			{.opcode = SW,
				.has_access = true,
				.has_value = true,
				.reads = true,
				.data = 4}}},
	{"a store by another instruction", WHISPER_SPIKE, false, 0, {{0}, {0}},
		{{.opcode = FADD, .has_access = true}, {.opcode = FADD}}},
};

static bool compare_row(const struct row *row, bool turned, uint32_t *used)
{
	struct ear_view_state states[2];
	struct ear_record_view views[2];
	struct ear_equivalence equivalence;
	struct ear_record_difference difference;
	struct ear_equivalence_side sides[2];
	struct room rooms[2];

	memset(states, 0, sizeof(states));
	for (unsigned i = 0; i < 2; i++)
		sides[i] = sides_of_pair[row->pair][i ^ turned];
	/* What the formats carry, as far as the rows ask for it. */
	for (unsigned i = 0; i < 2; i++)
		if (strcmp(sides[i].format, "spike") == 0)
			sides[i].carried &= ~EAR_FIELD_BIT(EAR_FIELD_FFLAGS);
	ear_equivalence_init(&equivalence, sides);
	for (unsigned i = 0; i < 2; i++) {
		bool lists = !ear_equivalence_brings(&equivalence, i, EAR_RULE_TRAP_CSRS);
		ear_view_next(
			&states[i], &views[i], make(&rooms[i], &row->before[i ^ turned]), lists);
		ear_view_next(&states[i], &views[i], make(&rooms[i], &row->at[i ^ turned]), lists);
	}
	struct ear_record_comparison how = {.fields = EAR_COMPARE_ALL,
		.equivalence = &equivalence,
		.views = {&views[0], &views[1]}};
	bool same = ear_record_compare_by(&difference, &rooms[0].record, &rooms[1].record, &how);
	*used = how.used;
	ear_view_state_fini(&states[0]);
	ear_view_state_fini(&states[1]);
	return same;
}

static void every_rule_passes_over_the_form_and_not_over_the_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (unsigned turned = 0; turned < 2; turned++) {
			uint32_t used = 0;
			bool same = compare_row(&rows[i], turned, &used);
			if (same != rows[i].same)
				fail_msg(
					"%s: %s", rows[i].what, same ? "the same" : "a difference");
			if (same && rows[i].rule != EAR_RULE_COUNT &&
				!(used & EAR_RULE_BIT(rows[i].rule)))
				fail_msg("%s: not by the rule %s but by the set 0x%x", rows[i].what,
					ear_rules[rows[i].rule].name, used);
		}
	}
}

static void files_of_one_format_are_compared_without_rules(void **state)
{
	const struct ear_equivalence_side sides[2] = {
		{"spike", EAR_FIELDS_ALL, 0}, {"spike", EAR_FIELDS_ALL, 0}};
	struct ear_equivalence equivalence;

	(void)state;
	ear_equivalence_init(&equivalence, sides);
	assert_int_equal(equivalence.rules, 0);
}

/* Whole records ----------------------------------------------------------------------------- */

static bool in_loop(const uint64_t *pcs, size_t count, uint64_t last_value, bool *closed)
{
	struct ear_closing_loop loop = {0};
	struct ear_record_register write = {.reg_class = EAR_REGISTER_X, .number = 5};
	bool fits = true;

	for (size_t i = 0; fits && i < count; i++) {
		write.value = i + 1 == count ? last_value : 0;
		struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
			.pc = pcs[i],
			.registers = &write,
			.register_count = 1};
		fits = ear_closing_loop_next(&loop, &record);
	}
	*closed = loop.closed;
	return fits;
}

static void a_closing_loop_does_the_same_in_each_round(void **state)
{
	static const uint64_t round[] = {0x10, 0x14, 0x18, 0x10, 0x14, 0x18, 0x10};
	static const uint64_t self[] = {0x10, 0x10, 0x10}, out[] = {0x10, 0x14, 0x10, 0x18};
	static const uint64_t straight[] = {0, 4, 8, 12, 16, 20, 24, 28, 32};
	bool closed;

	(void)state;
	assert_true(in_loop(round, COUNT_OF(round), 0, &closed) && closed);
	assert_true(in_loop(self, COUNT_OF(self), 0, &closed) && closed);
	assert_false(in_loop(round, COUNT_OF(round), 1, &closed));
	assert_false(in_loop(out, COUNT_OF(out), 0, &closed));
	assert_false(in_loop(straight, COUNT_OF(straight), 0, &closed));
	assert_true(in_loop(straight, 5, 0, &closed) && !closed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_documented_rules_are_the_codes),
		cmocka_unit_test(every_rule_is_brought_by_a_format),
		cmocka_unit_test(every_rule_passes_over_the_form_and_not_over_the_value),
		cmocka_unit_test(files_of_one_format_are_compared_without_rules),
		cmocka_unit_test(a_closing_loop_does_the_same_in_each_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
