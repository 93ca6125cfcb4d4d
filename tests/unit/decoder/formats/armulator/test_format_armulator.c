/* Traces of ARMulator's Tracer, read and written. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/formats/formats.h"
#include "decoder/record/field.h"
#include "record_trip.h"

static void read_text(struct trip *trip, const char *text)
{
	trip_read(trip, "armulator", text, strlen(text), NULL);
	assert_int_equal(trip->result, 0);
}

static void files_come_back_byte_for_byte(void **state)
{
	(void)state;
	static const char *const files[] = {"armulator/published.txt", "armulator/forms.txt"};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct trip trip;
		size_t size, written_size;
		char *text = trip_load(files[i], &size);
		trip_read_file(&trip, "armulator", files[i]);
		assert_int_equal(trip.bad + trip.warnings, 0);
		char *written = trip_write("armulator", trip.records, trip.count, &written_size);
		assert_string_equal(written, text);
		free(written);
		free(text);
		trip_fini(&trip);
	}
}

static void the_published_lines_mean_what_the_manual_says(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "armulator", "armulator/published.txt");
	assert_int_equal(trip.count, 28);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(trip.records[i]->kind, EAR_RECORD_NOTE);

	const struct ear_record *bus = trip.records[5];
	assert_int_equal(bus->kind, EAR_RECORD_MEMORY);
	assert_int_equal(bus->memory[0].size, 8);
	assert_int_equal(bus->memory[0].value, 0xE898000FE28F8090); /* lower address first */
	assert_int_equal(bus->memory[0].attributes, EAR_BUS_KNOWN | EAR_BUS_OPCODE);
	assert_int_equal(trip.records[6]->memory[0].attributes,
		EAR_BUS_KNOWN | EAR_BUS_OPCODE | EAR_BUS_SEQUENTIAL);

	const struct ear_record *add = trip.records[9]; /* with the fetch in front of it */
	assert_int_equal(add->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(add->isa, EAR_ISA_A32);
	assert_int_equal(add->fetch, EAR_BUS_CORE | EAR_BUS_KNOWN | EAR_BUS_OPCODE);
	assert_int_equal(add->memory_count, 0);
	assert_int_equal(add->pc, 0x8000);
	assert_int_equal(add->extra->line, 10);
	assert_int_equal(trip.records[25]->fetch, 0); /* fetched elsewhere */

	const struct ear_record *walk = trip.records[26];
	assert_int_equal(walk->kind, EAR_RECORD_EVENT);
	assert_int_equal(walk->u.event.value, 0x10005);
	assert_int_equal(walk->u.event.words[0], 0x48);
	assert_int_equal(trip.records[27]->kind, EAR_RECORD_REGISTERS);
	assert_int_equal(trip.records[27]->register_count, 2);
	trip_fini(&trip);
}

static void every_form_of_a_line_is_understood(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "armulator", "armulator/forms.txt");
	assert_int_equal(trip.count, 22);
	const struct ear_record *add = trip.records[5];
	assert_int_equal(add->ticks, 0x1A);
	assert_int_equal(add->register_count, 4);
	assert_int_equal(add->registers[3].value, 0x0000000100000002);
	assert_int_equal(add->registers[3].size, 8);
	assert_int_equal(add->memory_count, 1); /* the core's own data, directly after it */
	assert_int_equal(add->memory[0].value, 0x0000782800007804);

	static const uint16_t idle[] = {EAR_BUS_CORE, EAR_BUS_CORE | EAR_BUS_OPCODE,
		EAR_BUS_CORE | EAR_BUS_COPROCESSOR,
		EAR_BUS_CORE | EAR_BUS_COPROCESSOR | EAR_BUS_OPCODE, 0};
	for (unsigned i = 0; i < COUNT_OF(idle); i++) {
		assert_int_equal(trip.records[6 + i]->kind, EAR_RECORD_IDLE);
		assert_int_equal(trip.records[6 + i]->u.cycle.attributes, idle[i]);
	}
	static const struct {
		uint16_t attributes;
		bool write, has_value, aborted;
	} cycles[] = {{EAR_BUS_KNOWN | EAR_BUS_LOCKED, true, true, true},
		{EAR_BUS_KNOWN | EAR_BUS_SEQUENTIAL | EAR_BUS_KILLED | EAR_BUS_WAIT, false, false,
			false},
		{EAR_BUS_CORE | EAR_BUS_KNOWN | EAR_BUS_SPECULATIVE | EAR_BUS_MORE, false, true,
			false},
		{EAR_BUS_CORE | EAR_BUS_KNOWN | EAR_BUS_DEBUG, false, true, false},
		{EAR_BUS_CORE | EAR_BUS_KNOWN | EAR_BUS_DEBUG, true, true, false},
		{EAR_BUS_KNOWN | EAR_BUS_SEQUENTIAL | EAR_BUS_OPCODE | EAR_BUS_BURST_4, false, true,
			false},
		{EAR_BUS_KNOWN | EAR_BUS_SEQUENTIAL | EAR_BUS_OPCODE | EAR_BUS_BURST_8, false, true,
			false},
		{EAR_BUS_KNOWN, false, false, false}};
	for (unsigned i = 0; i < COUNT_OF(cycles); i++) {
		const struct ear_record_access *access = &trip.records[11 + i]->memory[0];
		assert_int_equal(access->attributes, cycles[i].attributes);
		assert_int_equal(access->write, cycles[i].write);
		assert_int_equal(access->has_value, cycles[i].has_value);
		assert_int_equal(access->aborted, cycles[i].aborted);
	}
	assert_true(trip.records[19]->flags & EAR_RECORD_SKIPPED);
	assert_int_equal(trip.records[20]->isa, EAR_ISA_T32);
	assert_int_equal(trip.records[20]->opcode_size, 4); /* two lines */
	assert_int_equal(trip.records[20]->opcode, 0xF000F801);
	assert_memory_equal(trip.records[21]->u.event.name.text, "SWI", 3);
	assert_int_equal(trip.records[21]->ticks, 0x1C);
	trip_fini(&trip);
}

/* SDT has three letters, the architectural form none; a header need not be there. */
static void older_and_architectural_forms_are_read(void **state)
{
	(void)state;
	static const char text[] = "MNR4O__ 00008000 e28f8090\r\n"
				   "IAP 00008000 e28f8090  ADD r8,pc,#0x90\r\n"
				   "MR4 00008098 00007804\r\n"
				   "IAF 00008004 13a00001 \r\n"
				   "ITP 00008008 4770\r\n"
				   "IJP 0000800a 10\r\n"
				   "XW2 00008098 7804\r\n"
				   "PI 00008098 1\r\n";
	struct trip trip;

	read_text(&trip, text);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 5);
	assert_int_equal(trip.records[0]->isa, EAR_ISA_A32);
	assert_true(trip.records[0]->fetch);
	assert_int_equal(trip.records[0]->memory_count, 1);
	assert_int_equal(trip.records[0]->memory[0].attributes, EAR_BUS_CORE);
	assert_true(trip.records[1]->flags & EAR_RECORD_SKIPPED);
	assert_int_equal(trip.records[1]->extra->disassembly.size, 0);
	assert_int_equal(trip.records[2]->isa, EAR_ISA_T32);
	assert_int_equal(trip.records[3]->isa, EAR_ISA_JAZELLE);
	assert_true(trip.records[3]->memory[0].aborted);
	assert_int_equal(trip.records[4]->kind, EAR_RECORD_EVENT);
	trip_fini(&trip);
}

static void bad_lines_are_reported_with_number_and_cause(void **state)
{
	(void)state;
	static const char text[] = "MNR4O___ 00008000 E28F8090\n"
				   "IQ 00008000 e28f8090\n"
				   "IT 0000800z e28f8090\n"
				   "IT 00008000 z\n"
				   "MNR3____ 00008000 00\n"
				   "MNR4_O__ 00008000 00000000\n"
				   "MI 00008000\n"
				   "MNR4____ 00008000 123456789\n"
				   "MNR8____ 00008000 12345678\n"
				   "MNR4____ 00008000 00000000 (abor\n"
				   "E 00000000 00000000\n"
				   "T z\n"
				   "hello\n"
				   "\n"
				   "IT 00008000 e28f8090 AD";
	static const char *const causes[] = {
		"the instruction is neither executed (IT) nor skipped (IS)",
		"the address is missing or malformed", "the opcode is missing or malformed",
		"the letters do not describe a bus cycle",
		"the letters do not describe a bus cycle", "an idle cycle has an address",
		"the data do not have the size of the access", "the second word of data is missing",
		"the data are not a hexadecimal number", "the event does not have three numbers",
		"the time after T is missing", "the line is not one of ARMulator's tracer",
		"the last line has no line end; the file may be cut off"};
	struct trip trip;

	read_text(&trip, text);
	assert_int_equal(trip.count, 1);
	assert_int_equal(trip.bad, COUNT_OF(causes) - 1);
	for (size_t i = 0; i < COUNT_OF(causes); i++) {
		assert_string_equal(trip.messages[i].cause, causes[i]);
		assert_int_equal(trip.messages[i].line, i < 12 ? i + 2 : 15);
	}
	trip_fini(&trip);
}

/* The other registers of the line stay; the word is the first that is none. */
static void what_is_no_register_is_a_word(void **state)
{
	(void)state;
	static const struct {
		const char *line, *word;
		size_t registers;
	} rows[] = {
		{"R r0, r1=2", "r0", 1},
		{"R r0=", "r0=", 0},
		{"R r0=1;, r2=5", "r0=1;", 1},
		{"R r0=1 what, r2=5, r3=z", "r0=1", 1},
		{"RCP p1c1=0x1_123456789", "p1c1=0x1_123456789", 0},
		{"R =5, r2=5", "=5", 1},
	};
	static const char begin[] = "MNR4O___ 00008000 E28F8090\nIT 00008000 e28f8090 ADD\n";

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[200];
		struct trip trip;
		snprintf(text, sizeof(text), "%s%s\n", begin, rows[i].line);
		read_text(&trip, text);
		assert_string_equal(trip.word, rows[i].word);
		assert_int_equal(trip.word_line, 3);
		assert_int_equal(trip.bad, 0);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.records[0]->register_count, rows[i].registers);
		assert_int_equal(trip.skipped, 1);
		trip_fini(&trip);
	}
}

static void fill_riscv(struct ear_record *record, uint64_t index, uint64_t pc, uint64_t opcode)
{
	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_RISCV,
		.xlen = 32,
		.index = index,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2,
		.privilege = EAR_PRIVILEGE_M};
}

/* The source knows no bus: fetches and S or N are worked out, registers are differences. */
static void riscv_is_written_as_an_arm_would_be(void **state)
{
	(void)state;
	struct ear_record_register regs[3] = {
		{.reg_class = EAR_REGISTER_CSR, .number = 833, .size = 4, .value = 0x80000008},
		{.reg_class = EAR_REGISTER_X, .number = 6, .size = 4, .value = 9},
		{.reg_class = EAR_REGISTER_X, .number = 5, .size = 4, .value = 0x80001000}};
	struct ear_record_access memory[2] = {
		{.address = 0x80001000, .size = 8, .has_value = true, .value = 0x1122334455667788},
		{.address = 0x80001008, .size = 2, .write = true, .has_value = true, .value = 0xA}};
	struct ear_record records[6], *list[6];
	static const char want[] =
		"Date: Thu Jan  1 00:00:00 1970\n"
		"Source: Earshot RV32\n"
		"Options: Trace Instructions  (Disassemble,Registers)  Trace Memory Cycles  "
		"Trace Events  \n"
		"\n"
		"E 80000000 00000003 19 \n"
		"MNR4O___ 80000000 00001297\n"
		"IT 80000000 00001297 AUIPC    x5, 0x1\n"
		"R x5=80001000, x6=00000009\n"
		"MNR8____ 80001000 55667788 11223344\n"
		"MSW2____ 80001008 000A\n"
		"MNR4O___ 80000004 00001297\n"
		"IT 80000004 00001297 AUIPC    x5, 0x1\n" /* x5 is what it was */
		"MSR2O___ 80000008 8082\n"
		"IT 80000008 8082 C.JR     x1\n"
		"E 80000010 80000007 7 \n"
		"R mepc=80000008\n"
		"E 80000100 00000000 19 \n"
		"MNR4O___ 80000100 00000073\n"
		"IT 80000100 00000073 ECALL\n"
		"E 80000100 00000008 3 \n"
		"E 00000001 00000007 1ea001 \n";
	struct trip trip;
	size_t size;

	for (unsigned i = 0; i < 6; i++)
		list[i] = &records[i];
	fill_riscv(&records[0], 0, 0x80000000, 0x1297);
	records[0].registers = regs + 1;
	records[0].register_count = 2;
	records[0].memory = memory;
	records[0].memory_count = 2;
	fill_riscv(&records[1], 1, 0x80000004, 0x1297);
	records[1].registers = regs + 2;
	records[1].register_count = 1;
	fill_riscv(&records[2], 2, 0x80000008, 0x8082);
	fill_riscv(&records[3], 3, 0x80000010, 0x13);
	records[3].flags = EAR_RECORD_INTERRUPT;
	records[3].cause = 0x80000007;
	records[3].registers = regs;
	records[3].register_count = 1;
	fill_riscv(&records[4], 4, 0x80000100, 0x73);
	records[4].privilege = EAR_PRIVILEGE_U;
	records[4].flags = EAR_RECORD_TRAP;
	records[4].cause = 8;
	records[5] = (struct ear_record){
		.kind = EAR_RECORD_EVENT, .index = 5, .u.event = {.source = 1, .value = 7}};

	assert_int_equal(setenv("SOURCE_DATE_EPOCH", "0", 1), 0);
	char *text = trip_write("armulator", list, 6, &size);
	assert_string_equal(text, want);

	read_text(&trip, text);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 4 + 6);
	assert_int_equal(trip.records[4]->isa, EAR_ISA_RISCV);
	assert_int_equal(trip.records[4]->memory_count, 2);
	assert_int_equal(trip.records[4]->memory[0].value, 0x1122334455667788);
	assert_int_equal(trip.records[5]->register_count, 0);
	assert_true(trip.records[6]->flags & EAR_RECORD_TAKEN);
	assert_true(trip.records[7]->flags & EAR_RECORD_INTERRUPT);
	assert_int_equal(trip.records[7]->cause, 0x80000007);
	assert_int_equal(trip.records[7]->registers[0].number, 833);
	assert_int_equal(trip.records[8]->privilege, EAR_PRIVILEGE_U);
	assert_true(trip.records[8]->flags & EAR_RECORD_TRAP);
	assert_int_equal(trip.records[8]->cause, 8);
	assert_int_equal(trip.records[9]->u.event.source, 1);

	char *again = trip_write("armulator", trip.records, trip.count, &size);
	assert_string_equal(again, want);
	free(again);
	free(text);
	trip_fini(&trip);
}

#define HEADER "Date: x\nSource: Armul\nOptions: Trace Instructions  \n\n"

/* Of any text: the lines come back, the light records have the same opcodes, and the first of them
 * that is an instruction has this one. */
static void check_halves(const char *text, size_t count, uint64_t opcode)
{
	const struct ear_reader_options light_only = {.light = true};
	struct trip trip, light;
	size_t size, at = 0, instructions = 0;

	read_text(&trip, text);
	trip_read(&light, "armulator", text, strlen(text), &light_only);
	assert_int_equal(trip.bad + trip.warnings + light.bad + light.warnings, 0);
	for (size_t i = 0; i < trip.count; i++) {
		if (trip.records[i]->kind != EAR_RECORD_INSTRUCTION)
			continue;
		while (light.records[at]->kind != EAR_RECORD_INSTRUCTION)
			at++;
		assert_int_equal(trip.records[i]->opcode, light.records[at]->opcode);
		assert_int_equal(trip.records[i]->opcode_size, light.records[at]->opcode_size);
		assert_int_equal(trip.records[i]->fetch != 0, strstr(text, "MNR2") != NULL);
		if (instructions++ == 0)
			assert_int_equal(trip.records[i]->opcode, opcode);
		at++;
	}
	assert_int_equal(instructions, count);
	char *written = trip_write("armulator", trip.records, trip.count, &size);
	assert_string_equal(written, text);
	free(written);
	trip_fini(&trip);
	trip_fini(&light);
}

static void a_branch_with_link_of_thumb_is_two_entries(void **state)
{
	(void)state;
	check_halves(HEADER "IT 00008008 f000 (1st instr of BL pair)\n"
			    "IT 0000800A f801 BL       0x8010\n",
		1, 0xF000F801);
	check_halves(HEADER "IT 00008008 f000\nIT 0000800A f801\n", 1, 0xF000F801);
	check_halves(HEADER "MNR2O___ 00008008 F000\nIT 00008008 f000\n"
			    "MSR2O___ 0000800A E801\nIT 0000800A e801\n",
		1, 0xF000E801);
	check_halves(HEADER "IT 00008008 ea4f (1st half)\nIT 0000800A 0001 MOV.W r0, r1\n", 1,
		0xEA4F0001);
	/* What is not written so stays two records. */
	check_halves(HEADER "IT 00008008 f000 (1st instr of BL pair)\n"
			    "R r14=00009000\n"
			    "IT 0000800A f801 BL       0x8010\n",
		2, 0xF000);
	check_halves(
		HEADER "IT 00008008 f000 (1st instr of BL pair)\nIT 0000800A f801\n", 2, 0xF000);
	check_halves(HEADER "IT 00008008 f000\nIT 0000800C f801\n", 2, 0xF000);
	check_halves(HEADER "IT 00008008 f000\nIS 0000800A f801\n", 2, 0xF000);
	check_halves(HEADER "MNR2O___ 00008008 F000\nIT 00008008 f000\n"
			    "MNR2O___ 0000800A E801\nIT 0000800A e801\n",
		2, 0xF000);
	check_halves(HEADER "IT 00008008 f000\n", 1, 0xF000);
}

/* The source has the opcode alone: the text is ours. */
static void the_mnemonic_is_in_upper_case_if_it_was_executed(void **state)
{
	(void)state;
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.flags = EAR_RECORD_NO_PRIVILEGE,
		.isa = EAR_ISA_T32,
		.xlen = 32,
		.pc = 0x8008,
		.opcode = 0xF000F801,
		.opcode_size = 4};
	struct ear_record skipped = record, *list[] = {&record, &skipped};
	size_t size;

	skipped.isa = EAR_ISA_A32;
	skipped.flags |= EAR_RECORD_SKIPPED;
	skipped.opcode = 0x13A00001;
	skipped.pc = 0x800C;
	assert_int_equal(setenv("SOURCE_DATE_EPOCH", "0", 1), 0);
	char *text = trip_write("armulator", list, 2, &size);
	const char *lines = strstr(text, "\n\n");
	assert_non_null(lines);
	assert_string_equal(lines + 2, "MNR2O___ 00008008 F000\n"
				       "IT 00008008 f000 (1st instr of BL pair)\n"
				       "MSR2O___ 0000800A F801\n"
				       "IT 0000800A f801 BL #0x800e\n"
				       "MSR4O___ 0000800C 13A00001\n"
				       "IS 0000800C 13a00001 movne r0, #1\n");
	free(text);
}

static void what_is_left_out_of_a_record_is_reported(void **state)
{
	(void)state;
	const struct ear_writer_format *format = ear_writer_find("armulator");
	struct ear_record_register reg = {.reg_class = EAR_REGISTER_NAMED, .size = 4, .value = 1};
	struct ear_record_access access = {.address = 0x1000, .size = 4};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_A32,
		.registers = &reg,
		.memory = &access,
		.memory_count = 1};

	record.flags = EAR_RECORD_NO_PRIVILEGE;
	assert_int_equal(ear_writer_lost(format, &record), 0);
	access.size = 3;
	assert_int_equal(ear_writer_lost(format, &record), EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS));
	record.memory_count = 0;
	record.register_count = 1;
	reg.text.name = "r15";
	reg.text_size = 3;
	assert_int_equal(ear_writer_lost(format, &record), EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE));
	reg.text.name = "r14";
	assert_int_equal(ear_writer_lost(format, &record), 0);
	record.kind = EAR_RECORD_GAP;
	record.register_count = 0;
	assert_int_equal(ear_writer_lost(format, &record), EAR_FIELD_BIT(EAR_FIELD_GAP));
}

/* --- Random records ------------------------------------------------------------------------ */

#define RECORDS 24
#define ITEMS   4

struct sample {
	struct ear_record records[RECORDS], *list[RECORDS];
	struct ear_record_extra extras[RECORDS];
	struct ear_record_register registers[RECORDS][ITEMS];
	struct ear_record_access memory[RECORDS][ITEMS];
};

static void fill_cycle(struct ear_record_access *access, struct random *random, uint64_t mask,
	unsigned allowed, unsigned always)
{
	*access = (struct ear_record_access){.address = random_next(random) & mask,
		.size = (uint8_t)(1u << random_below(random, 4)),
		.has_value = true,
		.write = random_once_in(random, 2)};
	access->value = random_next(random) >> (64 - 8 * access->size);
	access->attributes = (uint16_t)((random_next(random) & allowed) | EAR_BUS_KNOWN | always);
	if (access->attributes & EAR_BUS_SPECULATIVE)
		access->attributes &= (uint16_t)~EAR_BUS_KILLED;
	if (access->attributes & EAR_BUS_BURST_4)
		access->attributes &= (uint16_t)~EAR_BUS_BURST_8;
	access->aborted = random_once_in(random, 5);
	if (access->attributes & EAR_BUS_WAIT) {
		access->has_value = access->aborted = false;
		access->value = 0;
		access->attributes &= (uint16_t)~EAR_BUS_DEBUG;
	} else if (access->attributes & EAR_BUS_DEBUG) {
		access->aborted = false;
	}
}

#define OWN_CYCLE \
	(EAR_BUS_SEQUENTIAL | EAR_BUS_LOCKED | EAR_BUS_SPECULATIVE | EAR_BUS_KILLED | \
		EAR_BUS_MORE | EAR_BUS_BURST_4 | EAR_BUS_BURST_8)
#define ANY_CYCLE (OWN_CYCLE | EAR_BUS_OPCODE | EAR_BUS_WAIT | EAR_BUS_DEBUG)

static void fill_registers(struct ear_record *record, struct ear_record_register *registers,
	struct random *random, bool riscv, unsigned xlen, unsigned round)
{
	static const char *const names[ITEMS] = {"r3", "r14", "cpsr", "p15c7"};

	record->registers = registers;
	record->register_count = random_below(random, ITEMS + 1);
	for (unsigned i = 0; i < record->register_count; i++) {
		struct ear_record_register *reg = &registers[i];
		bool wide = riscv ? xlen == 64 : i == 3;
		/* The values differ from record to record. */
		*reg = (struct ear_record_register){
			.size = wide ? 8 : 4, .value = (random_next(random) & 0xFFFFFF00u) | round};
		if (wide)
			reg->value |= random_next(random) << 32;
		if (riscv) {
			reg->reg_class = (uint8_t[]){EAR_REGISTER_X, EAR_REGISTER_X, EAR_REGISTER_F,
				EAR_REGISTER_CSR}[i];
			reg->number = (uint16_t)(i == 0   ? 1 + random_below(random, 15)
						 : i == 1 ? 16 + random_below(random, 16)
						 : i == 2 ? random_below(random, 32)
							  : random_below(random, 4096));
		} else {
			reg->reg_class = EAR_REGISTER_NAMED;
			reg->text.name = names[i];
			reg->text_size = (uint32_t)strlen(names[i]);
		}
	}
}

static void fill_instruction(struct ear_record *record, struct ear_record_extra *extra,
	struct random *random, bool riscv, unsigned xlen, uint64_t mask)
{
	record->kind = EAR_RECORD_INSTRUCTION;
	record->xlen = (uint8_t)xlen;
	record->pc = random_next(random) & mask;
	record->opcode = random_next(random) & UINT32_MAX;
	record->opcode_size = (record->opcode & 3) == 3 ? 4 : 2;
	record->opcode &= record->opcode_size == 2 ? 0xFFFF : UINT32_MAX;
	record->fetch = (uint16_t)(EAR_BUS_CORE | EAR_BUS_KNOWN | EAR_BUS_OPCODE |
				   (random_next(random) & EAR_BUS_SEQUENTIAL));
	if (random_once_in(random, 5))
		record->flags |= EAR_RECORD_SKIPPED;
	if (riscv) {
		record->privilege = (uint8_t)random_below(random, EAR_PRIVILEGE_DEBUG + 1);
		if (random_once_in(random, 5)) {
			record->flags |= EAR_RECORD_TRAP;
			record->cause = random_below(random, 24);
		}
		return;
	}
	record->isa = record->opcode_size == 2 ? EAR_ISA_T32 : EAR_ISA_A32;
	record->flags |= EAR_RECORD_NO_PRIVILEGE;
	extra->disassembly = (struct ear_text){"ldmia    r8,{r0-r3}", 19};
}

static void fill_sample(struct sample *sample, struct random *random, bool riscv, unsigned xlen)
{
	uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX, ticks = 0, index = 0;
	bool timed = random_once_in(random, 2);

	memset(sample, 0, sizeof(*sample));
	for (unsigned i = 0; i < RECORDS; i++) {
		struct ear_record *record = sample->list[i] = &sample->records[i];
		unsigned kind = i == 0 ? 5 : (unsigned)random_below(random, 8);
		record->index = kind < 4 ? index : index++;
		record->flags = timed ? EAR_RECORD_HAS_TIME : 0;
		record->ticks = timed ? ticks += 1 + random_below(random, 1000) : 0;
		record->extra = &sample->extras[i];
		record->memory = sample->memory[i];
		switch (kind) {
		case 0: /* a cycle that is nobody's data and no fetch of the next one */
			record->kind = EAR_RECORD_MEMORY;
			record->memory_count = 1;
			fill_cycle(&sample->memory[i][0], random, mask, ANY_CYCLE, 0);
			break;
		case 1:
			record->kind = EAR_RECORD_IDLE;
			record->u.cycle.attributes =
				(uint16_t)(random_next(random) &
					   (EAR_BUS_CORE | EAR_BUS_OPCODE | EAR_BUS_COPROCESSOR));
			break;
		case 2:
			record->kind = EAR_RECORD_EVENT;
			record->u.event.value = 0x10000 + (uint32_t)random_below(random, 0x10000);
			record->u.event.words[0] = random_next(random) & UINT32_MAX;
			record->u.event.words[1] = random_next(random) & UINT32_MAX;
			break;
		case 3:
			record->kind = EAR_RECORD_EVENT;
			record->u.event.source = (uint8_t)(1 + random_below(random, 255));
			record->u.event.value = (uint32_t)random_next(random);
			break;
		default:
			fill_instruction(record, &sample->extras[i], random, riscv, xlen, mask);
			fill_registers(record, sample->registers[i], random, riscv, xlen, i + 1);
			record->memory_count = random_below(random, ITEMS);
			for (size_t k = 0; k < record->memory_count; k++)
				fill_cycle(&sample->memory[i][k], random, mask, OWN_CYCLE,
					EAR_BUS_CORE);
			break;
		}
	}
}

/* A header is made in front; it is read as notes. */
static void check_round(struct sample *sample, unsigned round, unsigned xlen)
{
	const struct ear_reader_options options = {.xlen = xlen};
	struct trip trip;
	size_t size;
	char *text = trip_write("armulator", sample->list, RECORDS, &size);

	trip_read(&trip, "armulator", text, size, &options);
	if (trip.bad + trip.warnings || trip.count != RECORDS + 4)
		fail_msg("round %u: %zu records, %s\n%s", round, trip.count, trip.messages[0].cause,
			text);
	for (size_t i = 0; i < RECORDS; i++) {
		struct ear_record *read = trip.records[i + 4];
		/* The next pc follows from the next record. */
		read->next_pc = 0;
		read->flags &= ~(uint32_t)(EAR_RECORD_TAKEN | EAR_RECORD_NO_NEXT_PC);
		const char *field = trip_record_difference(sample->list[i], read);
		if (field)
			fail_msg("round %u, record %zu: %s\n%s", round, i, field, text);
	}
	free(text);
	trip_fini(&trip);
}

static void random_records_come_back(void **state)
{
	(void)state;
	struct random random = {20260103};
	struct sample *sample = malloc(sizeof(*sample));

	assert_non_null(sample);
	for (unsigned round = 0; round < 400; round++) {
		bool riscv = round % 2;
		unsigned xlen = riscv && round % 4 == 1 ? 64 : 32;
		fill_sample(sample, &random, riscv, xlen);
		check_round(sample, round, xlen);
	}
	free(sample);
}

static void a_second_hart_needs_a_file_of_its_own(void **state)
{
	(void)state;
	struct ear_text_output output;
	struct ear_record record;
	int ends[2];

	fill_riscv(&record, 0, 0x80000000, 0x13);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ear_text_output_init(&output, ends[1], EAR_TEXT_PLAIN), 0);
	struct ear_writer *writer = ear_writer_find("armulator")->make(&output, NULL);
	assert_int_equal(ear_writer_push(writer, &record), 0);
	record.hart = 1;
	assert_int_equal(ear_writer_push(writer, &record), EAR_E_UNSUPPORTED);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	close(ends[0]);
	close(ends[1]);
}

static void damaged_files_end_in_an_orderly_way(void **state)
{
	(void)state;
	static const char *const files[] = {"armulator/published.txt", "armulator/forms.txt"};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t size;
		char *text = trip_load(files[i], &size);
		trip_torture("armulator", text, size, 10000);
		free(text);
	}
}

static void the_format_is_recognized(void **state)
{
	(void)state;
	size_t size;
	char *text = trip_load("armulator/published.txt", &size);

	assert_string_equal(ear_reader_detect(text, size)->name, "armulator");
	/* without its header */
	assert_string_equal(ear_reader_detect(text + 130, size - 130)->name, "armulator");
	free(text);
	text = trip_load("armulator/forms.txt", &size);
	char *after = strstr(text, "\n\n") + 2;
	assert_string_equal(
		ear_reader_detect(after, size - (size_t)(after - text))->name, "armulator");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_come_back_byte_for_byte),
		cmocka_unit_test(the_published_lines_mean_what_the_manual_says),
		cmocka_unit_test(every_form_of_a_line_is_understood),
		cmocka_unit_test(older_and_architectural_forms_are_read),
		cmocka_unit_test(bad_lines_are_reported_with_number_and_cause),
		cmocka_unit_test(what_is_no_register_is_a_word),
		cmocka_unit_test(riscv_is_written_as_an_arm_would_be),
		cmocka_unit_test(a_branch_with_link_of_thumb_is_two_entries),
		cmocka_unit_test(the_mnemonic_is_in_upper_case_if_it_was_executed),
		cmocka_unit_test(what_is_left_out_of_a_record_is_reported),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(a_second_hart_needs_a_file_of_its_own),
		cmocka_unit_test(damaged_files_end_in_an_orderly_way),
		cmocka_unit_test(the_format_is_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
