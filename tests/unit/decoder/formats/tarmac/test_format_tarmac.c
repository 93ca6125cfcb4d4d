/* QEMU4V and Tarmac, read and written. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/tarmac/writer_tarmac.h"
#include "decoder/record/field.h"
#include "record_trip.h"

static void read_text(struct trip *trip, const char *format, const char *text)
{
	trip_read(trip, format, text, strlen(text), NULL);
	assert_int_equal(trip->result, 0);
}

/* Read with one format and written with another. To be freed. */
static char *convert(const char *from, const char *text, const char *to)
{
	struct trip trip;
	size_t size;

	read_text(&trip, from, text);
	char *written = trip_write(to, trip.records, trip.count, &size);
	trip_fini(&trip);
	return written;
}

static void the_published_lines_come_back_byte_for_byte(void **state)
{
	(void)state;
	static const char *const files[] = {"qemu4v/published.txt", "qemu4v/mips.txt"};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t size;
		char *text = trip_load(files[i], &size);
		char *written = convert("qemu4v", text, "qemu4v");
		assert_string_equal(written, text);
		free(written);
		free(text);
	}
}

static void the_published_lines_mean_what_the_page_says(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "qemu4v", "qemu4v/published.txt");
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 3);

	const struct ear_record *lui = trip.records[0];
	assert_int_equal(lui->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(lui->index, 1);
	assert_int_equal(lui->ticks, 1);
	assert_int_equal(lui->pc, 4);
	assert_int_equal(lui->opcode, 0x3c080001);
	assert_int_equal(lui->opcode_size, 4);
	assert_int_equal(lui->xlen, 32);
	assert_memory_equal(lui->extra->mode_name.text, "svc", 3);
	assert_false(lui->flags & EAR_RECORD_HAS_SECURITY);
	assert_int_equal(lui->register_count, 1); /* the line of the same time */
	assert_memory_equal(lui->registers[0].text.name, "r8", 2);
	assert_int_equal(lui->registers[0].size, 4);

	const struct ear_record *load = trip.records[1];
	assert_int_equal(load->kind, EAR_RECORD_MEMORY);
	assert_int_equal(load->memory[0].address, 0x103fc4);
	assert_int_equal(load->memory[0].size, 8);
	assert_int_equal(load->memory[0].value, 0x10400000000000);
	assert_int_equal(load->extra->line, 3);
	assert_int_equal(trip.records[2]->kind, EAR_RECORD_REGISTERS);
	assert_int_equal(trip.records[2]->ticks, 14);
	trip_fini(&trip);
}

static void attributes_security_and_skipping_are_read(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "qemu4v", "qemu4v/mips.txt");
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 6);
	assert_int_equal(trip.records[0]->xlen, 64);
	assert_int_equal(trip.records[0]->flags & (EAR_RECORD_SECURE | EAR_RECORD_HAS_SECURITY),
		EAR_RECORD_HAS_SECURITY);
	assert_int_equal(trip.records[2]->memory_count, 1);
	assert_int_equal(trip.records[2]->register_count, 1);
	assert_true(trip.records[3]->flags & EAR_RECORD_SKIPPED);
	assert_int_equal(trip.records[4]->memory[0].attributes, EAR_BUS_PRIVILEGED);
	assert_int_equal(trip.records[5]->hart, 1);
	assert_int_equal(trip.records[5]->isa, EAR_ISA_T32);
	assert_true(trip.records[5]->flags & EAR_RECORD_SECURE);
	trip_fini(&trip);
}

/* Everything else is Tarmac. */
static void qemu4v_has_one_grammar(void **state)
{
	(void)state;
	static const char text[] =
		"1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n"
		"2 clk IT (2) 00000008 3c080001 A svc : the older generation has no cpu\n"
		"3 clk cpu0 IT (3) 0000000c 3c080001 A svc : lui t0,0x1\n"
		"IT (4) 0000000c 3c080001 A svc : lui t0,0x1\n"
		"5 clk 0 IT (5) 0000000c 3c080001 O EL1h : lui t0,0x1\n"
		"6 clk ES (0000000c:3c080001) A svc : lui t0,0x1\n"
		"7 clk 0 IT (7) 0000000c 3c080001 A : lui t0,0x1\n"
		"8 clk E 00000004 1 CoreEvent_RESET\n"
		"9 clk 0 IT 0000000c 3c080001 A svc : lui t0,0x1\n";
	struct trip trip;

	read_text(&trip, "qemu4v", text);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.bad, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(trip.messages[i].line, i + 3);
	trip_fini(&trip);
}

/* The registers and accesses of a time are its instruction's, before or after it. */
static void lines_of_one_time_make_one_record_in_any_order(void **state)
{
	(void)state;
	static const char text[] = "5 clk R r1 00000001\n"
				   "5 clk MR4 00001000 00000002\n"
				   "5 clk IT (1) 00008000 e5901000 A svc : LDR r1,[r0]\n"
				   "5 clk R r2 00000003\n"
				   "5 clk IT (2) 00008004 e5901000 A svc : LDR r1,[r0]\n"
				   "5 clk R r3 00000004\n"
				   "6 clk R r4 00000005\n"
				   "6 clk MW4 00001004 00000006\n"
				   "7 clk IT (3) 00008008 e5901000 A svc : LDR r1,[r0]\n";
	struct trip trip;

	read_text(&trip, "tarmac", text);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 5);
	assert_int_equal(trip.records[0]->register_count, 2);
	assert_int_equal(trip.records[0]->memory_count, 1);
	assert_int_equal(trip.records[0]->index, 1);
	assert_int_equal(trip.records[1]->register_count, 1);
	assert_int_equal(trip.records[2]->kind, EAR_RECORD_MEMORY);
	assert_int_equal(trip.records[2]->register_count, 0);
	assert_int_equal(trip.records[2]->memory[0].value, 6);
	assert_int_equal(trip.records[3]->kind, EAR_RECORD_REGISTERS);
	assert_int_equal(trip.records[3]->memory_count, 0);
	assert_int_equal(trip.records[3]->registers[0].value, 5);
	assert_int_equal(trip.records[3]->index, 3); /* of the next instruction */
	assert_int_equal(trip.records[4]->memory_count + trip.records[4]->register_count, 0);
	trip_fini(&trip);
}

static void check_register(
	const struct ear_record *record, size_t at, const char *name, unsigned size, uint64_t value)
{
	const struct ear_record_register *reg = &record->registers[at];

	assert_int_equal(reg->reg_class, EAR_REGISTER_NAMED);
	assert_int_equal(reg->text_size, strlen(name));
	assert_memory_equal(reg->text.name, name, reg->text_size);
	assert_int_equal(reg->size, size);
	assert_int_equal(reg->value, value);
}

static void every_dialect_is_understood(void **state)
{
	(void)state;
	static const uint8_t v0[16] = {2, 0, 0, 0, 0, 0, 0, 0, 1};
	struct trip trip;

	trip_read_file(&trip, "tarmac", "tarmac/dialects.txt");
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 0);
	assert_int_equal(trip.count, 10);
	assert_int_equal(trip.records[0]->kind, EAR_RECORD_NOTE);

	const struct ear_record *add = trip.records[1];
	assert_true(add->flags & EAR_RECORD_PC_PHYSICAL);
	assert_int_equal(add->pc_physical, 0x8000);
	assert_int_equal(add->isa, EAR_ISA_A32);
	assert_int_equal(add->register_count, 2);
	check_register(add, 1, "cpsr", 4, 0x600001d3);

	const struct ear_record *cbz = trip.records[2];
	assert_int_equal(cbz->hart, 1);
	assert_int_equal(cbz->isa, EAR_ISA_A64);
	check_register(cbz, 0, "X30", 8, 0x4d6ec0);
	check_register(cbz, 1, "V0", 16, 2);
	assert_memory_equal(cbz->registers[1].text.name + 2, v0, 16);
	assert_memory_equal(cbz->extra->disassembly.text, "CBZ      x0,{pc}+8 ; 0x4d6ec0", 29);

	const struct ear_record *bx = trip.records[3]; /* its load comes first */
	assert_int_equal(bx->isa, EAR_ISA_T32);
	assert_int_equal(bx->opcode_size, 2);
	assert_int_equal(bx->memory_count, 3);
	assert_int_equal(bx->memory[0].attributes, EAR_BUS_EXCLUSIVE);
	assert_int_equal(bx->memory[1].address, 0x400171e0);
	assert_int_equal(bx->memory[1].value, 0x3ff87cc460000000);
	assert_int_equal(bx->memory[2].address, 0x400171e8);
	assert_int_equal(bx->memory[2].value, 0x400f731b40000000);

	const struct ear_record *bne = trip.records[4]; /* the address is in the brackets */
	assert_int_equal(bne->pc, 0x4d6eb8);
	assert_int_equal(bne->opcode, 0x54fffea1);
	assert_memory_equal(bne->extra->time_unit.text, "ns", 2);
	assert_int_equal(bne->register_count, 2);
	check_register(bne, 0, "sp (AARCH64)", 8, 0x8000);
	check_register(bne, 1, "fpscr", 4, 0); /* half of it is unknown */
	assert_memory_equal(ear_register_unknown(&bne->registers[1]), "\0\0\xff\xff", 4);

	const struct ear_record *mov = trip.records[5];
	assert_true(mov->flags & EAR_RECORD_SKIPPED);
	assert_memory_equal(mov->extra->disassembly.text, "MOV r0,#0", 9);
	assert_int_equal(mov->memory_count, 3);
	assert_int_equal(mov->memory[0].address, 0x8000);
	assert_int_equal(mov->memory[0].size, 2);
	assert_int_equal(mov->memory[0].value, 0x89ab);
	assert_int_equal(mov->memory[1].address, 0x8004);
	assert_int_equal(mov->memory[1].value, 0x01234567);
	assert_true(mov->memory[2].aborted); /* without a stamp: the time before */
	assert_int_equal(mov->memory[2].physical, 0x81234);

	const struct ear_record *bl = trip.records[6];
	assert_int_equal(bl->isa, EAR_ISA_T32);
	assert_int_equal(bl->index, 7);
	assert_memory_equal(bl->extra->disassembly.text, "BL 0x8016", 9);
	const struct ear_record *fine = trip.records[7];
	assert_int_equal(fine->ticks, 500000);
	assert_memory_equal(fine->extra->time_unit.text, "ps", 2);
	assert_int_equal(fine->extra->mode_name.size, 0);
	assert_int_equal(trip.records[8]->kind, EAR_RECORD_EVENT);
	assert_memory_equal(trip.records[9]->u.event.name.text, "CADI E 00000048 text", 20);
	trip_fini(&trip);
}

static void bad_lines_are_reported_with_number_and_cause(void **state)
{
	(void)state;
	static const char text[] = "1 clk IT (1) 00000004 3c080001 A svc : lui t0,0x1\n"
				   "18446744073709551616 clk IT (1) 00000004 3c080001 A svc : lui\n"
				   "2 clk IT (1) 0000000g 3c080001 A svc : lui\n"
				   "2 clk IT (1) 00000004 Z svc : lui\n"
				   "2 clk IT (1) 00000004 3c080001 Q svc : lui\n"
				   "2 clk IT (1) 00000004 3c080001 A svc lui\n"
				   "2 clk IT (1) 12345678123456781 3c080001 A svc : lui\n"
				   "2 clk MR4 0000100 000000012\n"
				   "2 clk MR4 00001000\n"
				   "2 clk MR999 00001000 00\n"
				   "2 clk MR16 00001000 0123456789abcdef\n"
				   "2 clk R r8\n"
				   "2 clk R r8 zz\n"
				   "2 clk R r8 (usr 00\n"
				   "2 clk LD 00001000 ........ ....\n"
				   "\n"
				   "3 clk cpu65536 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n"
				   "3 clk IT (2) 00000008 3c080001 A svc : lui t0,0x1\r\n"
				   "4 clk R r8 0000";
	static const char *const causes[] = {"the time has more than 64 bits",
		"the address is not a hexadecimal number", "the opcode is missing or malformed",
		"the instruction set is missing or unknown",
		"the colon before the disassembly is missing",
		"the address is missing or malformed",
		"the data do not have the size of the access", "the data are missing",
		"the size of the access is out of range",
		"the data do not have the size of the access", "the register has no value",
		"the register value is not a hexadecimal number", "a bracket is not closed",
		"the line does not hold 16 bytes of memory", "the cpu has a number above 65535",
		"the last line has no line end; the file may be cut off"};
	struct trip trip;

	read_text(&trip, "tarmac", text);
	assert_int_equal(trip.count, 3);
	assert_int_equal(trip.bad, COUNT_OF(causes) - 1);
	assert_int_equal(trip.warnings, 1);
	for (size_t i = 0; i < COUNT_OF(causes); i++) {
		assert_string_equal(trip.messages[i].cause, causes[i]);
		assert_int_equal(trip.messages[i].line, i < 14 ? i + 2 : i == 14 ? 17 : 19);
	}
	assert_int_equal(trip.messages[1].offset, 50 + 62);
	trip_fini(&trip);
}

/* What the consumer drops or refuses is not written: docs/text-formats.md, "Tarmac". */
static void tarmac_is_written_for_its_consumer(void **state)
{
	(void)state;
	static const char source[] = "0 clk 0 IT (0) 80000000 00000297 A m : auipc    x5, 0x0\n"
				     "0 clk R x1 80000004\n"
				     "0 clk R x2 80001000\n"
				     "0 clk R x5 80000000\n"
				     "0 clk R x30 00000001\n"
				     "0 clk R x31 00000002\n"
				     "0 clk R f3 3f800000\n"
				     "0 clk R mstatus 00001800\n"
				     "1 clk 0 IT (1) 80000004 ffff A m : ???\n"
				     "2 clk 0 IS (2) 80000006 4770 X usr_s : BXJ r14\n";
	static const char want[] = "0 clk IT (0) 80000000 00000297 O m : auipc    x5, 0x0\n"
				   "0 clk R x30 0000000080000004\n"
				   "0 clk R xsp 0000000080001000\n"
				   "0 clk R x5 0000000080000000\n"
				   "0 clk R x1 0000000000000001\n"
				   "0 clk R x2 0000000000000002\n"
				   "0 clk R d3 000000003f800000\n"
				   "1 clk IT (1) 80000004 ffff O m : <unknown>\n"
				   "2 clk IS (2) 80000006 4770 T usr_s : BXJ r14\n";

	char *written = convert("qemu4v", source, "tarmac");
	assert_string_equal(written, want);
	free(written);
}

static void what_is_left_out_of_a_record_is_reported(void **state)
{
	(void)state;
	struct ear_record_register reg = {.reg_class = EAR_REGISTER_NAMED, .size = 4, .value = 1};
	struct ear_record_access access = {.address = 0x1000, .size = 4};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_A32,
		.opcode_size = 4,
		.registers = &reg,
		.memory = &access};
	const struct ear_writer_format *tarmac = ear_writer_find("tarmac");
	const struct ear_writer_format *qemu4v = ear_writer_find("qemu4v");
	static const struct {
		const char *name;
		uint8_t size;
		bool known;
	} names[] = {{"r8", 4, true}, {"R14", 4, true}, {"r13_svc", 4, true}, {"cpsr", 4, true},
		{"sp", 8, true}, {"x30", 8, true}, {"r16", 4, true}, {"x31", 8, true},
		{"sctlr_el1", 8, true}, {"hi", 4, true}, {"SP_EL3", 8, true}, {"r8", 8, false},
		{"q3", 16, true}, {"AT", 8, false}, {"p15c1", 8, false}, {"a b", 4, false},
		{"{x}", 4, false}};

	record.register_count = 1;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char text[32];
		size_t length = strlen(names[i].name);
		memset(text, 0xFF, sizeof(text));
		memcpy(text, names[i].name, length);
		reg.text.name = text;
		reg.text_size = (uint32_t)length;
		reg.size = names[i].size;
		reg.value = names[i].size == 8 ? UINT64_MAX : 1;
		uint64_t lost = ear_writer_lost(tarmac, &record);
		if (lost != (names[i].known ? 0 : EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE)))
			fail_msg("%s: %lx", names[i].name, lost);
		bool word = strchr(names[i].name, ' ') == NULL;
		assert_int_equal(ear_writer_lost(qemu4v, &record),
			word ? 0 : EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE));
	}
	record.register_count = 0;
	record.memory_count = 1; /* a load whose value nobody knows */
	assert_int_equal(ear_writer_lost(qemu4v, &record), EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS));
	access.has_value = true;
	assert_int_equal(ear_writer_lost(qemu4v, &record), 0);
	access.attributes = EAR_BUS_EXCLUSIVE;
	assert_int_equal(ear_writer_lost(tarmac, &record), 0);
	assert_int_equal(ear_writer_lost(qemu4v, &record), EAR_FIELD_BIT(EAR_FIELD_BUS));
	access.attributes = 0;
	record.isa = EAR_ISA_A64;
	assert_int_equal(ear_writer_lost(tarmac, &record), 0);
	assert_int_equal(ear_writer_lost(qemu4v, &record), 0);
	record.isa = EAR_ISA_JAZELLE;
	assert_int_equal(ear_writer_lost(qemu4v, &record), EAR_FIELD_BIT(EAR_FIELD_OTHER_ISA));
	record.kind = EAR_RECORD_GAP;
	record.memory_count = 0;
	assert_int_equal(ear_writer_lost(tarmac, &record), EAR_FIELD_BIT(EAR_FIELD_GAP));
}

static int push_two_harts(const char *format, const struct ear_writer_options *options, char *text)
{
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_RISCV,
		.xlen = 32,
		.pc = 0x100,
		.opcode = 0x13,
		.opcode_size = 4};
	struct ear_text_output output;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ear_text_output_init(&output, ends[1], EAR_TEXT_PLAIN), 0);
	struct ear_writer *writer = ear_writer_find(format)->make(&output, options);
	assert_non_null(writer);
	assert_int_equal(ear_writer_push(writer, &record), 0);
	record.hart = 1;
	int result = ear_writer_push(writer, &record);
	ear_writer_free(writer);
	assert_int_equal(ear_text_output_finish(&output), 0);
	ear_text_output_fini(&output);
	close(ends[1]);
	ssize_t size = read(ends[0], text, 255);
	assert_at_least(size, 0);
	text[size] = '\0';
	close(ends[0]);
	return result;
}

static void a_tarmac_file_has_one_hart(void **state)
{
	(void)state;
	const struct ear_writer_options second = {.one_hart = true, .hart = 1};
	char text[256];

	assert_int_equal(push_two_harts("tarmac", NULL, text), EAR_E_UNSUPPORTED);
	assert_string_equal(text, "0 clk IT (0) 00000100 00000013 O u : addi     x0, x0, 0\n");
	assert_int_equal(push_two_harts("tarmac", &second, text), 0);
	assert_string_equal(text, "0 clk cpu1 IT (0) 00000100 00000013 O u : addi     x0, x0, 0\n");
	assert_int_equal(push_two_harts("qemu4v", NULL, text), 0);
	assert_string_equal(text, "0 clk 0 IT (0) 00000100 00000013 A u : addi     x0, x0, 0\n"
				  "1 clk 1 IT (0) 00000100 00000013 A u : addi     x0, x0, 0\n");
	assert_int_equal(push_two_harts("qemu4v", &second, text), 0);
	assert_string_equal(text, "0 clk 1 IT (0) 00000100 00000013 A u : addi     x0, x0, 0\n");
}

/* --- Random records ------------------------------------------------------------------------ */

#define RECORDS 24
#define ITEMS   4

struct sample {
	struct ear_record records[RECORDS], *list[RECORDS];
	struct ear_record_extra extras[RECORDS];
	struct ear_record_register registers[RECORDS][ITEMS];
	struct ear_record_access memory[RECORDS][ITEMS];
	uint8_t bytes[RECORDS][ITEMS][40];
};

static void fill_riscv_register(struct ear_record_register *reg, uint8_t *bytes,
	struct random *random, unsigned kind, unsigned xlen, bool tarmac)
{
	uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;

	*reg = (struct ear_record_register){.reg_class = (uint8_t)kind,
		.size = (uint8_t)(xlen / 8),
		.number = (uint16_t)random_below(random, kind == EAR_REGISTER_CSR ? 4096 : 32),
		.value = random_next(random) & mask};
	if (kind == EAR_REGISTER_X && reg->number == 0)
		reg->number = 31;
	if (kind == EAR_REGISTER_F && tarmac)
		reg->size = 8;
	if (kind == EAR_REGISTER_V) {
		reg->size = 0;
		reg->value = 0;
		reg->text_size = 8u << random_below(random, 3);
		reg->text.bytes = bytes;
		for (unsigned i = 0; i < 40; i++)
			bytes[i] = (uint8_t)random_next(random);
	}
}

static void fill_named_register(
	struct ear_record_register *reg, uint8_t *bytes, struct random *random)
{
	static const struct {
		const char *name;
		uint8_t size;
	} names[] = {{"r7", 4}, {"X12", 8}, {"cpsr", 4}, {"q9", 16}, {"d31", 8}, {"xsp", 8}};
	unsigned which = (unsigned)random_below(random, COUNT_OF(names));
	size_t length = strlen(names[which].name);

	for (unsigned i = 0; i < 40; i++)
		bytes[i] = (uint8_t)random_next(random);
	memcpy(bytes, names[which].name, length);
	*reg = (struct ear_record_register){.reg_class = EAR_REGISTER_NAMED,
		.size = names[which].size,
		.text_size = (uint32_t)length,
		.text.name = (const char *)bytes};
	for (unsigned i = 0; i < reg->size && i < 8; i++)
		reg->value |= (uint64_t)bytes[length + i] << 8 * i;
}

static void fill_access(
	struct ear_record_access *access, struct random *random, unsigned xlen, bool tarmac)
{
	static const uint16_t letters[2][3] = {{0, EAR_BUS_PRIVILEGED, EAR_BUS_UNPRIVILEGED},
		{EAR_BUS_LOCKED, EAR_BUS_EXCLUSIVE, EAR_BUS_UNPRIVILEGED | EAR_BUS_LOCKED}};
	uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;

	*access = (struct ear_record_access){.address = random_next(random) & mask,
		.size = (uint8_t)(1 + random_below(random, 8)),
		.has_value = true,
		.write = random_once_in(random, 2),
		.attributes = letters[tarmac][random_below(random, 3)]};
	access->value = random_next(random) >> (64 - 8 * access->size);
	if (tarmac && random_once_in(random, 3)) {
		access->has_physical = true;
		access->physical = random_next(random) & mask;
	}
	access->aborted = tarmac && random_once_in(random, 5);
}

static void fill_instruction(struct ear_record *record, struct ear_record_extra *extra,
	struct random *random, bool riscv, bool tarmac)
{
	static const uint8_t sets[2][3] = {
		{EAR_ISA_A32, EAR_ISA_T32, EAR_ISA_T32EE}, {EAR_ISA_A32, EAR_ISA_T32, EAR_ISA_A64}};
	uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;

	record->kind = EAR_RECORD_INSTRUCTION;
	record->pc = random_next(random) & mask;
	record->opcode = random_next(random) & UINT32_MAX;
	record->opcode_size = (record->opcode & 3) == 3 ? 4 : 2;
	record->opcode &= record->opcode_size == 2 ? 0xFFFF : UINT32_MAX;
	if (riscv) {
		record->privilege = (uint8_t)random_below(random, EAR_PRIVILEGE_DEBUG + 1);
	} else {
		record->isa = sets[tarmac][random_below(random, 3)];
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
		extra->disassembly = (struct ear_text){"LDMIA    r8,{r0-r3} ; : x", 25};
		extra->mode_name = (struct ear_text){"hyp", 3};
	}
	if (random_once_in(random, 3))
		record->flags |= EAR_RECORD_HAS_SECURITY |
				 (random_once_in(random, 2) ? EAR_RECORD_SECURE : 0u);
	if (random_once_in(random, 5))
		record->flags |= EAR_RECORD_SKIPPED;
	if (tarmac && random_once_in(random, 4)) {
		record->flags |= EAR_RECORD_PC_PHYSICAL;
		record->pc_physical = random_next(random) & mask;
	}
	if (tarmac && riscv && random_once_in(random, 5)) {
		record->flags |= EAR_RECORD_TRAP;
		record->cause = random_below(random, 64);
	}
}

/* Records as one file can hold them: times grow, lone ones come after an instruction. */
static void fill_sample(struct sample *sample, struct random *random, bool riscv, bool tarmac)
{
	static const struct ear_text units[] = {{NULL, 0}, {"ns", 2}, {"cyc", 3}};
	struct ear_text unit = units[random_below(random, 3)];
	uint16_t hart = (uint16_t)random_below(random, 3);
	uint64_t ticks = random_next(random) >> 4, index = random_next(random) >> 4;
	unsigned xlen = random_once_in(random, 2) ? 32 : 64;

	memset(sample, 0, sizeof(*sample));
	for (unsigned i = 0; i < RECORDS; i++) {
		struct ear_record *record = sample->list[i] = &sample->records[i];
		unsigned kind = i == 0 ? 2 : (unsigned)random_below(random, 6);
		record->hart = !tarmac && kind < 2 ? 0 : hart;
		record->index = kind < 2 ? index : index++;
		record->ticks = ticks += 1 + random_below(random, 100);
		record->flags = EAR_RECORD_HAS_TIME;
		record->extra = &sample->extras[i];
		sample->extras[i].time_unit = unit;
		record->registers = sample->registers[i];
		record->memory = sample->memory[i];
		record->xlen = kind < 2 ? 0 : (uint8_t)xlen;
		if (kind >= 2)
			fill_instruction(record, &sample->extras[i], random, riscv, tarmac);
		if (kind != 0) {
			record->memory_count = kind == 1 ? 1 : random_below(random, ITEMS);
			for (size_t k = 0; k < record->memory_count; k++)
				fill_access(&sample->memory[i][k], random, xlen, tarmac);
		}
		if (kind == 1) {
			record->kind = EAR_RECORD_MEMORY;
			continue;
		}
		if (kind == 0)
			record->kind = EAR_RECORD_REGISTERS;
		record->register_count = kind == 0 ? 1 : random_below(random, ITEMS + 1);
		for (unsigned k = 0; k < ITEMS && k < record->register_count; k++) {
			struct ear_record_register *reg = &sample->registers[i][k];
			unsigned type = tarmac ? k / 2 : k; /* in the order of records */
			if (riscv)
				fill_riscv_register(
					reg, sample->bytes[i][k], random, type, xlen, tarmac);
			else
				fill_named_register(reg, sample->bytes[i][k], random);
		}
	}
}

static void random_records_come_back_from(const char *format, bool tarmac)
{
	struct random random = {20260102};
	struct sample *sample = malloc(sizeof(*sample));

	assert_non_null(sample);
	for (unsigned round = 0; round < 400; round++) {
		struct trip trip;
		size_t size;
		fill_sample(sample, &random, round % 2, tarmac);
		char *text = trip_write(format, sample->list, RECORDS, &size);
		trip_read(&trip, format, text, size, NULL);
		if (trip.bad + trip.warnings || trip.count != RECORDS)
			fail_msg("round %u: %zu records, %s\n%s", round, trip.count,
				trip.messages[0].cause, text);
		for (size_t i = 0; i < RECORDS; i++) {
			/* The next pc follows from the next record. */
			uint32_t derived = EAR_RECORD_TAKEN | EAR_RECORD_NO_NEXT_PC;
			trip.records[i]->next_pc = 0;
			trip.records[i]->flags &= ~derived;
			const char *field =
				trip_record_difference(sample->list[i], trip.records[i]);
			if (field)
				fail_msg("round %u, record %zu: %s\n%s", round, i, field, text);
		}
		/* And what was read is written the same again. */
		size_t again_size;
		char *again = trip_write(format, trip.records, trip.count, &again_size);
		assert_int_equal(again_size, size);
		assert_memory_equal(again, text, size);
		free(again);
		free(text);
		trip_fini(&trip);
	}
	free(sample);
}

static void random_records_come_back_from_qemu4v(void **state)
{
	(void)state;
	random_records_come_back_from("qemu4v", false);
}

static void random_records_come_back_from_tarmac(void **state)
{
	(void)state;
	random_records_come_back_from("tarmac", true);
}

static void an_interrupt_is_an_event_of_its_own(void **state)
{
	(void)state;
	struct ear_record_register reg = {.reg_class = EAR_REGISTER_X, .number = 5, .size = 8};
	struct ear_record records[3] = {{.index = 7, .pc = 0x80000000, .opcode = 0x13},
		{.index = 8,
			.pc = 0x80000004,
			.opcode = 0x13,
			.flags = EAR_RECORD_INTERRUPT,
			.cause = 0x8000000000000007},
		{.index = 9,
			.pc = 0x80000100,
			.opcode = 0x13,
			.registers = &reg,
			.register_count = 1}};
	struct ear_record *list[3];
	struct trip trip;
	size_t size;

	for (unsigned i = 0; i < 3; i++) {
		list[i] = &records[i];
		records[i].kind = EAR_RECORD_INSTRUCTION;
		records[i].xlen = 64;
		records[i].opcode_size = 4;
		records[i].privilege = EAR_PRIVILEGE_M;
	}
	char *text = trip_write("tarmac", list, 3, &size);
	assert_string_equal(text,
		"7 clk IT (7) 0000000080000000 00000013 O m : addi     x0, x0, 0\n"
		"8 clk E 0000000080000004 8000000000000007 CoreEvent_RiscvInterrupt\n"
		"9 clk IT (9) 0000000080000100 00000013 O m : addi     x0, x0, 0\n"
		"9 clk R x5 0000000000000000\n");
	read_text(&trip, "tarmac", text);
	assert_int_equal(trip.count, 3);
	assert_true(trip.records[1]->flags & EAR_RECORD_INTERRUPT);
	assert_int_equal(trip.records[1]->pc, 0x80000004);
	assert_int_equal(trip.records[1]->cause, 0x8000000000000007);
	assert_int_equal(trip.records[2]->index, 9);
	assert_int_equal(trip.records[2]->registers[0].number, 5);
	trip_fini(&trip);
	free(text);

	/* QEMU4V has no word for it, and nothing that did not run may look as if it did. */
	text = trip_write("qemu4v", list, 3, &size);
	assert_null(strstr(text, "80000004"));
	free(text);
}

/* --- Robustness ---------------------------------------------------------------------------- */

/* Records that lie across the reader's blocks of 1 MiB keep their texts. */
static void records_across_blocks_are_whole(void **state)
{
	(void)state;
	size_t room = 3u << 20, size = 0, count = 0;
	char *text = malloc(room + 512);
	struct trip trip;

	assert_non_null(text);
	for (; size < room; count++) {
		size += (size_t)sprintf(text + size,
			"%zu clk 0 IT (%zu) 00008000 e5901000 A svc_ns : LDR r1,[r%zu]\n"
			"%zu clk MR4 00001000 %08zx\n%zu clk R long_register_name%zu %08zx\n",
			count, count, count, count, count, count, count, count);
	}
	trip_read(&trip, "qemu4v", text, size, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, count);
	size_t written_size;
	char *written = trip_write("qemu4v", trip.records, trip.count, &written_size);
	assert_int_equal(written_size, size);
	assert_memory_equal(written, text, size);
	free(written);
	trip_fini(&trip);
	free(text);
}

static void damaged_files_end_in_an_orderly_way(void **state)
{
	(void)state;
	static const char *const files[][2] = {{"qemu4v", "qemu4v/mips.txt"},
		{"tarmac", "qemu4v/published.txt"}, {"tarmac", "tarmac/dialects.txt"}};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t size;
		char *text = trip_load(files[i][1], &size);
		trip_torture(files[i][0], text, size, 10000);
		free(text);
	}
}

static void the_formats_are_recognized(void **state)
{
	(void)state;
	static const char *const files[][2] = {{"qemu4v", "qemu4v/mips.txt"},
		{"qemu4v", "qemu4v/published.txt"}, {"tarmac", "tarmac/dialects.txt"}};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t size;
		char *text = trip_load(files[i][1], &size);
		const struct ear_reader_format *format = ear_reader_detect(text, size);
		assert_non_null(format);
		assert_string_equal(format->name, files[i][0]);
		free(text);
	}
}

/* A cycle model of a Cortex-M: most lines have no time, but the first one names the format. */
static void the_revision_of_a_cortex_m_trace_is_recognized(void **state)
{
	(void)state;
	static const char text[] =
		"Tarmac Text Rev 3t\n"
		"         7095 tic ES EXC [1] Reset\n"
		"                        R MSP 20020000\n"
		"                        R XPSR f9000000\n"
		"                        BR (000226f8) T\n"
		"         7097 tic ES (000226f8:f2400000) T thrd: MOVW r0,#0\n"
		"                              R R0 00000000\n"
		"         7099 tic ES (000226fc:6008) T thrd: STR r0,[r1,#0]\n"
		"                              ST 20000000 ........ ........ ........ 00000007\n"
		"                                 20000010 00000005 ........ ........ ........\n";
	struct trip trip;
	size_t instructions = 0;

	assert_string_equal(ear_reader_detect(text, sizeof(text) - 1)->name, "tarmac");
	trip_read(&trip, "tarmac", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	for (size_t i = 0; i < trip.count; i++)
		instructions += trip.records[i]->kind == EAR_RECORD_INSTRUCTION;
	assert_int_equal(instructions, 2);
	const struct ear_record *store = trip.records[trip.count - 1];
	assert_int_equal(store->memory_count, 2);
	assert_int_equal(store->memory[0].address, 0x20000000);
	assert_int_equal(store->memory[0].value, 7);
	assert_true(store->memory[1].write);
	assert_int_equal(store->memory[1].address, 0x2000001c);
	trip_fini(&trip);
}

/* A line without a text says that there is none: it is not made. */
static void a_text_that_is_absent_stays_absent(void **state)
{
	(void)state;
	static const char *const lines[] = {"1 clk 0 IT (1) 00008000 e3a00000 A svc :\n",
		"1 clk 0 IT (1) 80000000 00001297 A m :\n",
		"1 clk IT (1) 00008000 e3a00000 A svc_s :\n",
		"1 clk IT (1) 80000000 00001297 O m :\n"};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		const char *format = i < 2 ? "qemu4v" : "tarmac";
		char spaced[64];
		struct trip trip;
		size_t size;
		snprintf(spaced, sizeof(spaced), "%.*s \n", (int)strlen(lines[i]) - 1, lines[i]);
		trip_read(&trip, format, i % 2 ? spaced : lines[i], strlen(lines[i]) + i % 2, NULL);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.count, 1);
		assert_non_null(trip.records[0]->extra->disassembly.text);
		assert_int_equal(trip.records[0]->extra->disassembly.size, 0);
		char *text = trip_write(format, trip.records, trip.count, &size);
		assert_string_equal(text, lines[i]);
		free(text);
		trip_fini(&trip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_revision_of_a_cortex_m_trace_is_recognized),
		cmocka_unit_test(the_published_lines_come_back_byte_for_byte),
		cmocka_unit_test(the_published_lines_mean_what_the_page_says),
		cmocka_unit_test(attributes_security_and_skipping_are_read),
		cmocka_unit_test(qemu4v_has_one_grammar),
		cmocka_unit_test(lines_of_one_time_make_one_record_in_any_order),
		cmocka_unit_test(every_dialect_is_understood),
		cmocka_unit_test(bad_lines_are_reported_with_number_and_cause),
		cmocka_unit_test(tarmac_is_written_for_its_consumer),
		cmocka_unit_test(what_is_left_out_of_a_record_is_reported),
		cmocka_unit_test(a_tarmac_file_has_one_hart),
		cmocka_unit_test(random_records_come_back_from_qemu4v),
		cmocka_unit_test(random_records_come_back_from_tarmac),
		cmocka_unit_test(an_interrupt_is_an_event_of_its_own),
		cmocka_unit_test(records_across_blocks_are_whole),
		cmocka_unit_test(damaged_files_end_in_an_orderly_way),
		cmocka_unit_test(the_formats_are_recognized),
		cmocka_unit_test(a_text_that_is_absent_stays_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
