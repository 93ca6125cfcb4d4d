/* The lines of Spike, rule by rule: what a log has comes back as it was, and records of other
 * sources get what Spike would have written.
 */
#include "check.h"

#include <string.h>

#include "decoder/formats/formats.h"
#include "decoder/isa/csr.h"
#include "record_trip.h"

/* A log is read without a report, and written as it was. */
static void assert_comes_back(const char *log)
{
	struct trip trip;
	size_t size;

	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	char *text = trip_write("spike", trip.records, trip.count, &size);
	assert_string_equal(text, log);
	free(text);
	trip_fini(&trip);
}

#define RECORDS_MAX 16

/* Take away what only a log of Spike says: records as other sources have them. extras: to be given
 * back to give_back. */
static void take_away(struct trip *trip, const struct ear_record_extra *extras[RECORDS_MAX])
{
	assert_at_most(trip->count, RECORDS_MAX);
	for (size_t i = 0; i < trip->count; i++) {
		struct ear_record *record = trip->records[i];
		struct ear_record_register *registers =
			(struct ear_record_register *)(uintptr_t)record->registers;
		size_t kept = 0;
		for (size_t j = 0; j < record->register_count; j++)
			if (registers[j].reg_class != EAR_REGISTER_CSR ||
				registers[j].number != EAR_CSR_VSTART)
				registers[kept++] = registers[j];
		record->register_count = kept;
		extras[i] = record->extra;
		record->extra = NULL;
	}
}

static void give_back(struct trip *trip, const struct ear_record_extra *const extras[RECORDS_MAX])
{
	for (size_t i = 0; i < trip->count; i++)
		trip->records[i]->extra = extras[i];
}

static void assert_derived(const char *log)
{
	const struct ear_record_extra *extras[RECORDS_MAX];
	struct trip trip;
	size_t size;

	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	take_away(&trip, extras);
	char *text = trip_write("spike", trip.records, trip.count, &size);
	assert_string_equal(text, log);
	free(text);
	give_back(&trip, extras);
	trip_fini(&trip);
}

static void effects_are_ordered_by_number_then_kind(void **state)
{
	(void)state;
	assert_comes_back(
		"core   0: 0x80000000 (0x1a20f753) fdiv.d  fa4, ft1, ft2\n"
		"core   0: 3 0x80000000 (0x1a20f753) c1_fflags 0x00000001 x2  0x00000007 "
		"f2  0x0000000000000000 f14 0x3ff0000000000000 c768_mstatus 0x00006000\n");
	assert_comes_back(
		"core   0: 0x80000000 (0x42102057) vmv.x.s zero, v1\n"
		"core   0: 3 0x80000000 (0x42102057) f0  0xffffffff3f800000 e32 m1 l4 v8  0x00ff "
		"c8_vstart 0x00000000 v9  0x0102\n");
}

/* vl and vtype tell the configuration; vtype is listed when it changes; x0, x0 keeps vl. */
static const char vector_log[] =
	"core   0: 0x80000000 (0x0d0572d7) vsetvli t0, a0, e32, m1, ta, ma\n"
	"core   0: 3 0x80000000 (0x0d0572d7) x5  0x00000004 c8_vstart 0x00000000 "
	"c3104_vl 0x00000004 c3105_vtype 0x000000d0\n"
	"core   0: 0x80000004 (0x0205e007) vle32.v v0, (a1)\n"
	"core   0: 3 0x80000004 (0x0205e007) e32 m1 l4 v0  0x0007 c8_vstart 0x00000000 "
	"mem 0x00001000 mem 0x00001004\n"
	"core   0: 0x80000008 (0x02066027) vse8.v  v0, (a2)\n"
	"core   0: 3 0x80000008 (0x02066027) e32 m1 l4 c8_vstart 0x00000000 mem 0x00001640 0x46\n"
	"core   0: 0x8000000c (0x0c707057) vsetvli zero, zero, e8, mf2, tu, ma\n"
	"core   0: 3 0x8000000c (0x0c707057) c8_vstart 0x00000000 c3105_vtype 0x000000c7\n"
	"core   0: 0x80000010 (0x0c707057) vsetvli zero, zero, e8, mf2, tu, ma\n"
	"core   0: 3 0x80000010 (0x0c707057) c8_vstart 0x00000000\n"
	"core   0: 0x80000014 (0x9e003057) vmv1r.v v0, v0\n"
	"core   0: 3 0x80000014 (0x9e003057) e8 mf2 l4 v0  0x0007 c8_vstart 0x00000000\n"
	"core   0: 0x80000018 (0x3a9072d7) vsetvli t0, zero, 0x3a9\n"
	"core   0: 3 0x80000018 (0x3a9072d7) x5  0x00000000 c8_vstart 0x00000000 "
	"c3104_vl 0x00000000 c3105_vtype 0x80000000\n"
	"core   0: 0x8000001c (0x9e003057) vmv1r.v v0, v0\n"
	"core   0: 3 0x8000001c (0x9e003057) e256 m2 l0 v0  0x0007 c8_vstart 0x00000000\n";

static void vector_instructions_show_their_configuration(void **state)
{
	(void)state;
	assert_comes_back(vector_log);
}

/* Only where the table has the vector instructions does a text differ from the log's. */
static char *commits_of(const char *log)
{
	char *kept = calloc(1, strlen(log) + 1);

	for (const char *line = log; *line;) {
		const char *end = strchr(line, '\n') + 1;
		if (strncmp(line + 9, " 3 ", 3) == 0 || strncmp(line + 9, " exc", 4) == 0)
			strncat(kept, line, (size_t)(end - line));
		line = end;
	}
	return kept;
}

static void configuration_and_vstart_follow_from_the_writes(void **state)
{
	(void)state;
	const struct ear_record_extra *extras[RECORDS_MAX];
	struct trip trip;
	size_t size;

	trip_read(&trip, "spike", vector_log, strlen(vector_log), NULL);
	take_away(&trip, extras);
	/* Others list vtype and vl of every vset. */
	struct ear_record *again = trip.records[4];
	struct ear_record_register both[2] = {
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_VL, .value = 4},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_VTYPE, .value = 0xc7}};
	const struct ear_record_register *was = again->registers;
	size_t count = again->register_count;
	again->registers = both;
	again->register_count = 2;
	char *text = trip_write("spike", trip.records, trip.count, &size);
	char *found = commits_of(text), *wanted = commits_of(vector_log);
	assert_string_equal(found, wanted);
	again->registers = was;
	again->register_count = count;
	give_back(&trip, extras);
	free(found);
	free(wanted);
	free(text);
	trip_fini(&trip);
}

static void a_vector_access_that_traps_has_both_lines(void **state)
{
	static const char log[] =
		"core   0: 0x80000000 (0x0205e007) vle32.v v0, (a1)\n"
		"core   0: 3 0x80000000 (0x0205e007) e32 m1 l4 v0  0x0007 c8_vstart 0x00000001 "
		"mem 0x00000ffc\n"
		"core   0: exception trap_load_page_fault, epc 0x80000000\n"
		"core   0:           tval 0x00001000\n"
		"core   0: 0x80000100 (0x00000013) nop\n"
		"core   0: 3 0x80000100 (0x00000013)\n";
	struct trip trip;

	(void)state;
	assert_comes_back(log);
	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.records[0]->flags & EAR_RECORD_TRAP, EAR_RECORD_TRAP);
	assert_int_equal(trip.records[0]->cause, 13);
	assert_int_equal(trip.records[0]->privilege, EAR_PRIVILEGE_M);
	trip_fini(&trip);

	/* The first element traps: no access is done. */
	assert_comes_back("core   0: 0x80000000 (0x0205e007) vle32.v v0, (a1)\n"
			  "core   0: 3 0x80000000 (0x0205e007) e32 m1 l4 c8_vstart 0x00000000\n"
			  "core   0: exception trap_load_page_fault, epc 0x80000000\n"
			  "core   0:           tval 0x00001000\n");
}

static void an_opcode_of_more_than_32_bits_is_the_lowest_32(void **state)
{
	static const char log[] = "core   0: 0x800001da (0x80006b7ffffffff) unknown\n"
				  "core   0: exception trap_illegal_instruction, epc 0x800001da\n"
				  "core   0:           tval 0xffffffff\n"
				  "core   0: 0x80000010 (0x10000001f) unknown\n"
				  "core   0: exception trap_illegal_instruction, epc 0x80000010\n"
				  "core   0:           tval 0x0000001f\n";
	struct trip trip;

	(void)state;
	assert_comes_back(log);
	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.records[0]->opcode, 0xffffffff);
	assert_int_equal(trip.records[0]->opcode_size, 4);
	assert_int_equal(trip.records[0]->extra->wide_opcode, 0x80006b7ffffffff);
	assert_true(ear_record_fields(trip.records[0]) >> EAR_FIELD_WIDE_OPCODE & 1);
	trip_fini(&trip);

	/* Others of this size are none. */
	static const char bad[] = "core   0: 0x800001da (0x80006b700000013) unknown\n";
	trip_read(&trip, "spike", bad, strlen(bad), NULL);
	assert_int_equal(trip.bad, 1);
	trip_fini(&trip);
}

static void repeats_have_one_line_and_a_count(void **state)
{
	(void)state;
	assert_comes_back("core   0: 0x80000000 (0x0000a001) c.j     pc + 0\n"
			  "core   0: 3 0x80000000 (0xa001)\n"
			  "core   0: 3 0x80000000 (0xa001)\n"
			  "core   0: 3 0x80000000 (0xa001)\n"
			  "core   0: exception interrupt #7, epc 0x80000000\n"
			  "core   0: Executed 3 times\n"
			  "core   0: 0x80000100 (0x00000013) nop\n"
			  "core   0: 3 0x80000100 (0x00000013)\n"
			  "core   0: 0x80000104 (0x00000013) nop\n"
			  "core   0: 3 0x80000104 (0x00000013)\n");
	/* A trap to itself, again and again. */
	assert_comes_back("core   0: 0x80000010 (0x00000073) ecall\n"
			  "core   0: exception trap_machine_ecall, epc 0x80000010\n"
			  "core   0: exception trap_machine_ecall, epc 0x80000010\n"
			  "core   0: exception trap_machine_ecall, epc 0x80000010\n");
}

static void triggers_come_before_their_trap(void **state)
{
	static const char log[] = "core   0: 0x8000003c (0x00042303) lw      t1, 0(s0)\n"
				  "core   0: trigger action 0\n"
				  "core   0: exception trap_breakpoint, epc 0x8000003c\n"
				  "core   0:           tval 0x800000d0\n"
				  "core   0: trigger action 0\n"
				  "core   0: exception trap_breakpoint, epc 0x8000006c\n"
				  "core   0:           tval 0x8000006c\n";
	struct trip trip;

	(void)state;
	assert_comes_back(log);
	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.count, 2);
	assert_true(trip.records[0]->extra->has_trigger);
	assert_int_equal(trip.records[1]->flags & EAR_RECORD_NO_OPCODE, EAR_RECORD_NO_OPCODE);
	trip_fini(&trip);
	static const char bad[] = "core   0: 0x8000003c (0x00042303) lw      t1, 0(s0)\n"
				  "core   0: trigger action x\n";
	trip_read(&trip, "spike", bad, strlen(bad), NULL);
	assert_int_equal(trip.bad, 1);
	assert_string_equal(trip.messages[0].cause, "the trigger has no action");
	trip_fini(&trip);
}

static void f_registers_have_the_digits_of_flen(void **state)
{
	(void)state;
	assert_comes_back("core   0: 0x80000000 (0x00044207) flq     ft4, 0(s0)\n"
			  "core   0: 3 0x80000000 (0x00044207) f4  "
			  "0x40001234123412344008000000000000 mem 0x00001000\n"
			  "core   0: 0x80000004 (0x00042207) flw     ft4, 0(s0)\n"
			  "core   0: 3 0x80000004 (0x00042207) f4  "
			  "0xffffffffffffffffffffffff3f800000 mem 0x00001000\n"
			  "core   0: 0x80000008 (0x00042207) flw     ft4, 0(s0)\n"
			  "core   0: 3 0x80000008 (0x00042207) f4  0x3f800000 mem 0x00001000\n"
			  "core   0: 0x8000000c (0x00043207) fld     ft4, 0(s0)\n"
			  "core   0: 3 0x8000000c (0x00043207) f4  0x0000000000000000 "
			  "mem 0x00001000\n");
}

/* A record that has what Whisper or a capture has. */
static char *write_one(struct ear_record *record, struct ear_record_register *registers,
	size_t count, size_t *size)
{
	record->kind = EAR_RECORD_INSTRUCTION;
	record->isa = EAR_ISA_RISCV;
	record->opcode_size = (record->opcode & 3) == 3 ? 4 : 2;
	record->privilege = EAR_PRIVILEGE_M;
	record->registers = registers;
	record->register_count = count;
	return trip_write("spike", &record, 1, size);
}

static void assert_ends(char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	assert_at_least(length, tail);
	assert_string_equal(text + length - tail, end);
	free(text);
}

static void without_a_size_flen_is_that_of_the_value(void **state)
{
	(void)state;
	static const struct {
		uint32_t opcode;
		uint64_t value;
		const char *end;
	} rows[] = {
		{0x00042207, 0x3f800000, " f4  0x3f800000\n"},                 /* flw, FLEN 32 */
		{0x00042207, 0xffffffff3f800000, " f4  0xffffffff3f800000\n"}, /* FLEN 64 */
		{0x00043207, 0, " f4  0x0000000000000000\n"},                  /* fld */
		{0xf2000253, 0, " f4  0x0000000000000000\n"},                  /* fmv.d.x */
		{0xf0000253, 0, " f4  0x00000000\n"},                          /* fmv.w.x */
	};
	size_t size;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_record record = {.xlen = 64, .opcode = rows[i].opcode};
		struct ear_record_register reg = {
			.reg_class = EAR_REGISTER_F, .number = 4, .value = rows[i].value};
		assert_ends(write_one(&record, &reg, 1, &size), rows[i].end);
	}
}

static void flags_that_were_raised_become_the_sum_of_all(void **state)
{
	(void)state;
	struct ear_record_register wrote[2][2] = {
		{{.reg_class = EAR_REGISTER_F, .number = 14, .value = 1},
			{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_FCSR, .value = 1}},
		{{.reg_class = EAR_REGISTER_F, .number = 1, .value = 2}}};
	struct ear_record records[2] = {
		{.xlen = 64, .opcode = 0x1a277753, .fflags = 1, .register_count = 2},
		{.xlen = 64, .opcode = 0x1a2770d3, .fflags = 16, .register_count = 1}};
	struct ear_record *list[2] = {&records[0], &records[1]};
	size_t size;

	for (unsigned i = 0; i < 2; i++) {
		records[i].registers = wrote[i];
		records[i].opcode_size = 4;
		records[i].pc = 4 * i;
		records[i].next_pc = 4 * i + 4;
	}
	char *text = trip_write("spike", list, 2, &size);
	assert_non_null(strstr(text, ") c1_fflags 0x0000000000000001 f14 0x0000000000000001\n"));
	assert_non_null(strstr(text, ") f1  0x0000000000000002 c1_fflags 0x0000000000000011\n"));
	free(text);
}

static void csrs_made_of_two_are_written_as_these(void **state)
{
	(void)state;
	struct ear_record_register fcsr = {
		.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_FCSR, .value = 0x77};
	struct ear_record_register vcsr = {
		.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_VCSR, .value = 7};
	struct ear_record one = {.xlen = 32, .opcode = 0x00329073};
	struct ear_record two = {.xlen = 32, .opcode = 0x00f29073};
	size_t size;

	assert_ends(write_one(&one, &fcsr, 1, &size),
		"core   0: 3 0x00000000 (0x00329073) c1_fflags 0x00000017 c2_frm 0x00000003\n");
	assert_ends(write_one(&two, &vcsr, 1, &size),
		"core   0: 3 0x00000000 (0x00f29073) c9_vxsat 0x00000001 c10_vxrm 0x00000003\n");
}

/* Spike has one register for mstatus and sstatus, and lists mie beside sie. */
static void what_supervisors_see_is_written_as_the_whole(void **state)
{
	(void)state;
	struct ear_record_register wrote[] = {
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_MSTATUS, .value = 0x1888},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_MIDELEG, .value = 0x222},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_MIE, .value = 0x880},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_SSTATUS, .value = 0x122},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_SIE, .value = 0x22},
		{.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_SSTATUS, .value = 0x100}};
	static const uint32_t opcodes[] = {
		0x30029073, 0x30329073, 0x30429073, 0x10029073, 0x10429073, 0x10200073};
	static const char *const ends[] = {" c768_mstatus 0x00001888\n",
		" c771_mideleg 0x00000222\n", " c772_mie 0x00000880\n",
		") c768_mstatus 0x000019aa\n", ") c260_sie 0x00000022 c772_mie 0x000008a2\n",
		") c768_mstatus 0x00001988\n"};
	struct ear_record records[COUNT_OF(wrote)];
	struct ear_record *list[COUNT_OF(wrote)];
	size_t size;

	for (size_t i = 0; i < COUNT_OF(wrote); i++) {
		records[i] = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
			.isa = EAR_ISA_RISCV,
			.xlen = 32,
			.opcode = opcodes[i],
			.opcode_size = 4,
			.privilege = EAR_PRIVILEGE_S,
			.pc = 4 * i,
			.next_pc = 4 * i + 4,
			.registers = &wrote[i],
			.register_count = 1};
		list[i] = &records[i];
	}
	char *text = trip_write("spike", list, COUNT_OF(list), &size);
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (!strstr(text, ends[i]))
			fail_msg("no '%s' in\n%s", ends[i], text);
	free(text);

	/* A guest's sstatus is none of the hart's. */
	records[3].privilege = EAR_PRIVILEGE_VS;
	text = trip_write("spike", list, COUNT_OF(list), &size);
	assert_non_null(strstr(text, ") c256_sstatus 0x00000122\n"));
	free(text);
}

static void cache_operations_store_bytes_or_nothing(void **state)
{
	(void)state;
	struct ear_record_access store = {
		.address = 0x40, .value = 0x0100, .size = 2, .write = true, .has_value = true};
	struct ear_record_access load = {.address = 0x40};
	struct ear_record zero = {
		.xlen = 32, .opcode = 0x0044200f, .memory = &store, .memory_count = 1};
	struct ear_record clean = {
		.xlen = 32, .opcode = 0x0014200f, .memory = &load, .memory_count = 1};
	size_t size;

	assert_ends(write_one(&zero, NULL, 0, &size),
		" (0x0044200f) mem 0x00000040 0x00 mem 0x00000041 0x01\n");
	assert_ends(write_one(&clean, NULL, 0, &size), " (0x0014200f)\n");
}

static void an_amocas_that_stores_nothing_reads_all_the_same(void **state)
{
	(void)state;
	struct ear_record_access none = {.address = 0x1000, .size = 4, .write = true};
	struct ear_record cas = {.xlen = 32,
		.opcode = 0x28c5a52f,
		.opcode_size = 4,
		.memory = &none,
		.memory_count = 1};
	struct ear_record sc = cas;
	size_t size;

	sc.opcode = 0x18c5a52f;
	assert_ends(write_one(&cas, NULL, 0, &size), " (0x28c5a52f) mem 0x00001000\n");
	assert_ends(write_one(&sc, NULL, 0, &size), " (0x18c5a52f)\n");
}

static void a_register_that_was_written_twice_has_its_last_value(void **state)
{
	(void)state;
	struct ear_record_register wrote[] = {
		{.reg_class = EAR_REGISTER_CSR, .number = 0x7c7, .value = 1},
		{.reg_class = EAR_REGISTER_CSR, .number = 0x017, .value = 2},
		{.reg_class = EAR_REGISTER_CSR, .number = 0x7c7, .value = 3}};
	struct ear_record record = {.xlen = 32, .opcode = 0x01729073};
	size_t size;

	assert_ends(write_one(&record, wrote, 3, &size),
		"core   0: 3 0x00000000 (0x01729073) c23_jvt 0x00000002 c1991_unknown-csr "
		"0x00000003\n");
}

static void traps_have_the_value_that_their_cause_has(void **state)
{
	(void)state;
	static const struct {
		uint32_t opcode;
		uint32_t flags;
		uint64_t cause, tval;
		const char *end;
	} rows[] = {
		{0x00000073, EAR_RECORD_TRAP, 11, 0, "machine_ecall, epc 0x00001000\n"},
		{0x00000000, EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE, 0x80000007, 0,
			"exception interrupt #7, epc 0x00001000\n"},
		{0x00100073, EAR_RECORD_TRAP, 3, 0x1000, "tval 0x00001000\n"},
		{0x00002203, EAR_RECORD_TRAP, 5, 8, "tval 0x00000008\n"},
		{0xfe000533, EAR_RECORD_TRAP, 2, 0, "tval 0x00000000\n"},
		{0x00000000, EAR_RECORD_TRAP, 12, 0x1000, "tval 0x00001000\n"},
		{0x00000013, EAR_RECORD_TRAP, 40, 9, "exception trap #40, epc 0x00001000\n"},
	};
	size_t size;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_record record = {.xlen = 32,
			.pc = 0x1000,
			.opcode = rows[i].opcode,
			.flags = rows[i].flags,
			.cause = rows[i].cause};
		struct ear_record_register wrote = {.reg_class = EAR_REGISTER_CSR,
			.number = EAR_CSR_MTVAL,
			.value = rows[i].tval};
		assert_ends(write_one(&record, &wrote, 1, &size), rows[i].end);
	}
	/* Without any value: what Spike has for these causes. */
	struct ear_record illegal = {
		.xlen = 32, .opcode = 0xfe000533, .flags = EAR_RECORD_TRAP, .cause = 2};
	assert_ends(write_one(&illegal, NULL, 0, &size), "tval 0xfe000533\n");
	struct ear_record fetch = {.xlen = 32, .pc = 0x4000, .flags = EAR_RECORD_TRAP, .cause = 12};
	assert_ends(write_one(&fetch, NULL, 0, &size),
		"core   0: exception trap_instruction_page_fault, epc 0x00004000\n"
		"core   0:           tval 0x00004000\n");
	struct ear_record_access access = {.address = 0x30};
	struct ear_record load = {.xlen = 32,
		.opcode = 0x00002203,
		.flags = EAR_RECORD_TRAP,
		.cause = 13,
		.memory = &access,
		.memory_count = 1};
	assert_ends(write_one(&load, NULL, 0, &size), "tval 0x00000030\n");
}

static void what_only_spike_names_is_named(void **state)
{
	(void)state;
	assert_comes_back("core   0: 0x80000000 (0x00006503) lwu     a0, 0(zero)\n" /* RV32 */
			  "core   0: exception trap_illegal_instruction, epc 0x80000000\n"
			  "core   0:           tval 0x00006503\n"
			  "core   0: 0x80000010 (0x00004002) c.lwsp  zero, 0(sp)\n"
			  "core   0: exception trap_illegal_instruction, epc 0x80000010\n"
			  "core   0:           tval 0x00004002\n"
			  "core   0: 0x80000010 (0x00000000) c.unimp\n"
			  "core   0: exception trap_illegal_instruction, epc 0x80000010\n"
			  "core   0:           tval 0x00000000\n");
	/* Whisper's text of such an opcode is no text of Spike's. */
	struct ear_record_extra extra = {.disassembly = {"lwu      x10, 0x0(x0)", 21}};
	struct ear_record record = {.xlen = 32,
		.opcode = 0x6503,
		.flags = EAR_RECORD_TRAP,
		.cause = 2,
		.extra = &extra};
	size_t size;
	char *text = write_one(&record, NULL, 0, &size);
	assert_non_null(strstr(text, " (0x00006503) lwu     a0, 0(zero)\n"));
	free(text);
}

/* Symbols at the pcs of the next two tests. */
static const char *find_symbol(const void *context, uint64_t address)
{
	(void)context;
	switch (address) {
	case 0x80000000: return "_start";
	case 0x80000100: return "handler";
	case 0x1000: return "boot";
	default: return NULL;
	}
}

static void assert_labels(const char *log)
{
	const struct ear_writer_options options = {.symbol = find_symbol};
	struct trip trip;
	size_t size;

	trip_read(&trip, "spike", log, strlen(log), NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	char *text = trip_write_with("spike", &options, trip.records, trip.count, &size);
	assert_string_equal(text, log);
	free(text);
	trip_fini(&trip);
}

static void labels_stand_before_their_address(void **state)
{
	(void)state;
	assert_labels("core   1: >>>>  _start\n"
		      "core   1: 0x0000000080000000 (0x0000a001) c.j     pc + 0\n"
		      "core   1: 3 0x0000000080000000 (0xa001)\n"
		      "core   1: 3 0x0000000080000000 (0xa001)\n"
		      "core   1: exception interrupt #7, epc 0x0000000080000000\n"
		      "core   1: >>>>  handler\n"
		      "core   1: Executed 2 times\n"
		      "core   1: 0x0000000080000100 (0x30200073) mret\n"
		      "core   1: 3 0x0000000080000100 (0x30200073)\n");
}

/* pcs of RV32 are sign-extended in Spike, but for those that come from a CSR. */
static void on_rv32_labels_are_those_of_handlers(void **state)
{
	(void)state;
	assert_labels("core   0: >>>>  boot\n"
		      "core   0: 0x00001000 (0x00028067) jr      t0\n"
		      "core   0: 3 0x00001000 (0x00028067)\n"
		      "core   0: 0x80000000 (0x00000073) ecall\n"
		      "core   0: exception trap_machine_ecall, epc 0x80000000\n"
		      "core   0: >>>>  handler\n"
		      "core   0: 0x80000100 (0x30200073) mret\n"
		      "core   0: 3 0x80000100 (0x30200073)\n"
		      "core   0: 0x80000000 (0x00000073) ecall\n"
		      "core   0: exception trap_machine_ecall, epc 0x80000000\n"
		      "core   0: >>>>  handler\n"
		      "core   0: 0x80000100 (0x34129073) csrw    mepc, t0\n"
		      "core   0: 3 0x80000100 (0x34129073) c833_mepc 0x80000000\n"
		      "core   0: 0x80000104 (0x30200073) mret\n"
		      "core   0: 3 0x80000104 (0x30200073)\n"
		      "core   0: >>>>  _start\n"
		      "core   0: 0x80000000 (0x00000073) ecall\n"
		      "core   0: exception trap_machine_ecall, epc 0x80000000\n");
}

static void harts_have_states_of_their_own(void **state)
{
	(void)state;
	assert_derived("core   1: 0x80000000 (0x00000013) nop\n"
		       "core   1: 3 0x80000000 (0x00000013)\n"
		       "core   0: 0x80000000 (0x00000013) nop\n"
		       "core   0: 3 0x80000000 (0x00000013)\n"
		       "core65535: 0x80000004 (0x00000013) nop\n"
		       "core65535: 0 0x80000004 (0x00000013)\n");
}

/* All states between records: a text in chunks is the same as in one. */
static void a_writer_continues_from_its_snapshot(void **state)
{
	(void)state;
	const struct ear_writer_format *format = ear_writer_find("spike");
	struct ear_snapshot snapshot = {0};
	struct ear_text_output output;
	struct trip trip;

	trip_read(&trip, "spike", vector_log, strlen(vector_log), NULL);
	assert_int_equal(ear_text_output_init_memory(&output), 0);
	struct ear_writer *writers[2] = {format->make(&output, NULL), format->make(&output, NULL)};
	for (size_t i = 0; i < trip.count; i++) {
		struct ear_writer *writer = writers[i % 2];
		if (i > 0)
			assert_int_equal(writer->cut->restore(writer, &snapshot), 0);
		assert_int_equal(ear_writer_push(writer, trip.records[i]), 0);
		assert_int_equal(writer->cut->save(writer, &snapshot), 0);
	}
	assert_int_equal(output.used, strlen(vector_log));
	assert_memory_equal(output.buffer, vector_log, output.used);
	ear_writer_free(writers[0]);
	ear_writer_free(writers[1]);
	ear_snapshot_fini(&snapshot);
	ear_text_output_fini(&output);
	trip_fini(&trip);
}

/* What a damaged log says is written, too: no value is out of what the writer expects. */
static void damaged_lines_are_read_and_written(void **state)
{
	(void)state;
	struct random random = {20261122};
	size_t length = strlen(vector_log);

	trip_torture("spike", vector_log, length, 2000);
	for (unsigned round = 0; round < 1000; round++) {
		struct trip trip;
		size_t size;
		char *log = strdup(vector_log);
		for (unsigned i = 0; i < 3; i++)
			log[random_below(&random, length)] =
				"0123456789abcdefxmv() \n"[random_below(&random, 23)];
		trip_read(&trip, "spike", log, length, NULL);
		char *text = trip_write("spike", trip.records, trip.count, &size);
		assert_int_equal(strlen(text), size);
		free(text);
		free(log);
		trip_fini(&trip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects_are_ordered_by_number_then_kind),
		cmocka_unit_test(vector_instructions_show_their_configuration),
		cmocka_unit_test(configuration_and_vstart_follow_from_the_writes),
		cmocka_unit_test(a_vector_access_that_traps_has_both_lines),
		cmocka_unit_test(an_opcode_of_more_than_32_bits_is_the_lowest_32),
		cmocka_unit_test(repeats_have_one_line_and_a_count),
		cmocka_unit_test(triggers_come_before_their_trap),
		cmocka_unit_test(f_registers_have_the_digits_of_flen),
		cmocka_unit_test(without_a_size_flen_is_that_of_the_value),
		cmocka_unit_test(flags_that_were_raised_become_the_sum_of_all),
		cmocka_unit_test(csrs_made_of_two_are_written_as_these),
		cmocka_unit_test(what_supervisors_see_is_written_as_the_whole),
		cmocka_unit_test(cache_operations_store_bytes_or_nothing),
		cmocka_unit_test(an_amocas_that_stores_nothing_reads_all_the_same),
		cmocka_unit_test(a_register_that_was_written_twice_has_its_last_value),
		cmocka_unit_test(traps_have_the_value_that_their_cause_has),
		cmocka_unit_test(what_only_spike_names_is_named),
		cmocka_unit_test(labels_stand_before_their_address),
		cmocka_unit_test(on_rv32_labels_are_those_of_handlers),
		cmocka_unit_test(harts_have_states_of_their_own),
		cmocka_unit_test(a_writer_continues_from_its_snapshot),
		cmocka_unit_test(damaged_lines_are_read_and_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
