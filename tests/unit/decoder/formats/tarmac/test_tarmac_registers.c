/* Registers of ARM in Tarmac: every name, every spelling of a value, and what the utilities take.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/tarmac/tarmac_name.h"
#include "decoder/formats/tarmac/tarmac_utilities.h"
#include "decoder/record/field.h"
#include "record_trip.h"

static void read_lines(struct trip *trip, const char *text, bool lines)
{
	const struct ear_reader_options options = {.lines = lines};

	trip_read(trip, "tarmac", text, strlen(text), &options);
	assert_int_equal(trip->result, 0);
}

/* Read and written again; lines: from the source's lines, else from the records alone. To be freed.
 */
static char *rewrite(const char *text, bool lines)
{
	struct trip trip;
	size_t size;

	read_lines(&trip, text, lines);
	char *written = trip_write("tarmac", trip.records, trip.count, &size);
	trip_fini(&trip);
	return written;
}

/* --- Names --- */

#define BANKS \
	"", "_usr", "_svc", "_abt", "_und", "_irq", "_fiq", "_mon", "_hyp", "_main", "_main_s", \
		"_S", "_NS"

/* The registers that the utilities know, of all profiles: letters, how many, digits; and banks. */
static const struct group {
	const char *letters;
	unsigned count; /* 0: no number */
	unsigned digits;
	const char *banks[13];
} groups[] = {
	{"r", 16, 8, {BANKS}},
	{"w", 31, 8, {""}},
	{"x", 31, 16, {""}},
	{"e", 31, 16, {""}},
	{"wsp", 0, 8, {""}},
	{"xsp", 0, 16, {""}},
	{"sp", 0, 8, {BANKS}},
	{"sp", 0, 16, {"", "_EL0", "_EL1", "_EL2", "_EL3"}},
	{"msp", 0, 8, {"", "_S", "_NS"}},
	{"psp", 0, 8, {"", "_S", "_NS"}},
	{"lr", 0, 8, {BANKS}},
	{"cpsr", 0, 8, {""}},
	{"psr", 0, 8, {""}},
	{"xpsr", 0, 8, {""}},
	{"spsr", 0, 8, {BANKS}},
	{"spsr", 0, 16, {"_EL1", "_EL2", "_EL3"}},
	{"s", 32, 8, {""}},
	{"d", 32, 16, {""}},
	{"q", 32, 32, {""}},
	{"v", 32, 32, {""}},
	{"z", 32, 32, {""}},
	{"z", 32, 64, {""}},
	{"z", 32, 256, {""}},
	{"z", 32, 512, {""}},
	{"p", 32, 4, {""}},
	{"p", 32, 16, {""}},
	{"p", 32, 32, {""}},
	{"ffr", 0, 8, {""}},
	{"fpscr", 0, 8, {""}},
	{"fpcr", 0, 8, {""}},
	{"fpcr", 0, 16, {""}},
	{"fpsr", 0, 8, {""}},
	{"vpr", 0, 8, {""}},
	{"control", 0, 8, {"", "_S", "_NS"}},
	{"primask", 0, 8, {"", "_S", "_NS"}},
	{"sctlr", 0, 8, {" (AARCH32)", "_S", "_NS"}},
	{"sctlr", 0, 16, {"_EL1", "_EL2", "_EL3"}},
	{"ttbr0", 0, 32, {"_EL1"}},
};

struct names {
	char *text; /* lines */
	size_t size, count;
};

static void add_line(struct names *names, struct random *random, const struct group *group,
	unsigned number, const char *bank, bool upper)
{
	char *at = names->text + names->size;

	at += sprintf(at, "%zu clk R ", names->count);
	for (const char *letter = group->letters; *letter; letter++)
		*at++ = upper && *letter >= 'a' ? (char)(*letter - 'a' + 'A') : *letter;
	if (group->count)
		at += sprintf(at, "%u", number);
	at += sprintf(at, "%s ", bank);
	for (unsigned i = 0; i < group->digits; i++)
		*at++ = "0123456789abcdef"[random_below(random, 16)];
	*at++ = '\n';
	*at = '\0';
	names->size = (size_t)(at - names->text);
	names->count++;
}

static struct names make_names(void)
{
	struct names names = {.text = malloc(4u << 20)};
	struct random random = {20261122};

	assert_non_null(names.text);
	for (size_t i = 0; i < COUNT_OF(groups); i++)
		for (unsigned number = 0; number < (groups[i].count ? groups[i].count : 1);
			number++)
			for (size_t bank = 0; bank < COUNT_OF(groups[i].banks); bank++)
				for (unsigned upper = 0; groups[i].banks[bank] && upper < 2;
					upper++)
					add_line(&names, &random, &groups[i], number,
						groups[i].banks[bank], upper);
	return names;
}

static void every_register_of_arm_comes_back_as_it_was_spelled(void **state)
{
	(void)state;
	struct names names = make_names();

	assert_at_least(names.count, 1400);
	for (unsigned lines = 0; lines < 2; lines++) {
		char *written = rewrite(names.text, lines);
		assert_string_equal(written, names.text);
		free(written);
	}
	free(names.text);
}

static void nothing_of_any_register_is_reported_as_left_out(void **state)
{
	(void)state;
	const struct ear_writer_format *tarmac = ear_writer_find("tarmac");
	struct names names = make_names();
	struct trip trip;

	read_lines(&trip, names.text, false);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, names.count);
	for (size_t i = 0; i < trip.count; i++)
		if (ear_writer_lost(tarmac, trip.records[i]))
			fail_msg("%.*s", (int)trip.records[i]->registers[0].text_size,
				trip.records[i]->registers[0].text.name);
	trip_fini(&trip);
	free(names.text);
}

/* Through JSON they keep name, width and value. */
static void every_register_of_arm_goes_through_json(void **state)
{
	(void)state;
	struct names names = make_names();
	struct trip trip, again;
	size_t size;

	read_lines(&trip, names.text, false);
	char *json = trip_write("json", trip.records, trip.count, &size);
	trip_read(&again, "json", json, size, NULL);
	assert_int_equal(again.count, trip.count);
	char *written = trip_write("tarmac", again.records, again.count, &size);
	assert_string_equal(written, names.text);
	free(written);
	free(json);
	trip_fini(&again);
	trip_fini(&trip);
	free(names.text);
}

/* --- Values --- */

/* What follows "R": how it is read, and how it is written from the record alone. */
static const struct value_row {
	const char *line, *name;
	unsigned size;
	uint64_t value, unknown; /* the lowest 8 bytes */
	const char *note, *written;
} value_rows[] = {
	{"r0 0000ab34", "r0", 4, 0xab34, 0, "", "r0 0000ab34"},
	{"X30 000000000000807C", "X30", 8, 0x807c, 0, "", "X30 000000000000807c"},
	{"cpsr 20000000 __C_", "cpsr", 4, 0x20000000, 0, "__C_", "cpsr 20000000 __C_"},
	{"cpsr 600003cd NZ__ EL3h", "cpsr", 4, 0x600003cd, 0, "NZ__ EL3h",
		"cpsr 600003cd NZ__ EL3h"},
	{"CPSR 000003cd ----", "CPSR", 4, 0x3cd, 0, "----", "CPSR 000003cd ----"},
	{"cpsr 1220023cd", "cpsr", 5, 0x1220023cd, 0, "", "cpsr 01220023cd"},
	{"r13 20001fff (MSP)", "r13", 4, 0x20001fff, 0, "(MSP)", "r13 20001fff (MSP)"},
	{"SP_EL2 fedcba98 76543210", "SP_EL2", 8, 0xfedcba9876543210, 0, "",
		"SP_EL2 fedcba9876543210"},
	{"FPCR 01230123:23452345", "FPCR", 8, 0x0123012323452345, 0, "", "FPCR 0123012323452345"},
	{"X0 01234567 89abcdef", "X0", 8, 0x0123456789abcdef, 0, "", "X0 0123456789abcdef"},
	{"X0 01234567 89abcdef cafe", "X0", 8, 0x0123456789abcdef, 0, "cafe",
		"X0 0123456789abcdef cafe"},
	{"Q0 -------- -------- 3ff6a09e 667f3bcd", "Q0", 16, 0x3ff6a09e667f3bcd, 0, "",
		"Q0 ----------------3ff6a09e667f3bcd"},
	{"Z3 00000003_00000002_00000001_00000000", "Z3", 16, 0x100000000, 0, "",
		"Z3 00000003000000020000000100000000"},
	{"P0 a682", "P0", 2, 0xa682, 0, "", "P0 a682"},
	{"P7 fedcba98_76543210", "P7", 8, 0xfedcba9876543210, 0, "", "P7 fedcba9876543210"},
	{"psr xx0xxXxx", "psr", 4, 0, 0xff0fffff, "", "psr --------"},
	{"XPSR 6xxxxxx1", "XPSR", 4, 0x60000001, 0x0ffffff0, "", "XPSR 6xxxxxx1"},
	{"r1 xxxx1234", "r1", 4, 0x1234, 0xffff0000, "", "r1 ----1234"},
	{"X1 --------", "X1", 4, 0, 0xffffffff, "", "X1 00000000--------"},
	{"V5<63:0> 00000000", "V5<63:0>", 4, 0, 0, "", "V5<63:0> 0000000000000000"},
	{"V0<127:64> ffeeddccbbaa9988", "V0<127:64>", 8, 0xffeeddccbbaa9988, 0, "",
		"V0<127:64> ffeeddccbbaa9988"},
	{"R1 (USR) 00000800", "R1 (USR)", 4, 0x800, 0, "", "R1 (USR) 00000800"},
	{"r2 0x00000012", "r2", 4, 0x12, 0, "", "r2 00000012"},
	{"MSP_S 00000000", "MSP_S", 4, 0, 0, "", "MSP_S 00000000"},
	{"S3_0_C15_C2_0 0000000000000012", "S3_0_C15_C2_0", 8, 0x12, 0, "",
		"S3_0_C15_C2_0 0000000000000012"},
	{"SPSR_svc 60000000 nzcv", "SPSR_svc", 4, 0x60000000, 0, "nzcv", "SPSR_svc 60000000 nzcv"},
};

static void check_value(const struct value_row *row, const struct ear_record_register *reg)
{
	const uint8_t *unknown = ear_register_unknown(reg);
	struct ear_text note = ear_register_note(reg);
	uint64_t bits = 0;

	for (unsigned i = 0; unknown && i < reg->size && i < 8; i++)
		bits |= (uint64_t)unknown[i] << 8 * i;
	if (reg->text_size != strlen(row->name) ||
		memcmp(reg->text.name, row->name, reg->text_size) != 0 || reg->size != row->size ||
		reg->value != row->value || bits != row->unknown ||
		note.size != strlen(row->note) ||
		(note.size > 0 && memcmp(note.text, row->note, note.size) != 0))
		fail_msg("%s: size %u, value %lx, unknown %lx", row->line, reg->size,
			(unsigned long)reg->value, (unsigned long)bits);
}

static void a_value_is_read_in_every_spelling(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(value_rows); i++) {
		char line[256];
		struct trip trip;
		snprintf(line, sizeof(line), "1 clk R %s\n", value_rows[i].line);
		read_lines(&trip, line, false);
		if (trip.bad + trip.warnings || trip.count != 1)
			fail_msg("%s: %s", value_rows[i].line, trip.messages[0].cause);
		check_value(&value_rows[i], &trip.records[0]->registers[0]);
		trip_fini(&trip);
	}
}

static void a_value_is_written_as_the_utilities_take_it(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(value_rows); i++) {
		char line[256], want[256];
		snprintf(line, sizeof(line), "1 clk R %s\n", value_rows[i].line);
		snprintf(want, sizeof(want), "1 clk R %s\n", value_rows[i].written);
		char *written = rewrite(line, false);
		assert_string_equal(written, want);
		free(written);
	}
}

/* A prefix is a bad line, or a value of its own that comes back: never something else. */
static void every_prefix_of_a_value_is_one_or_is_bad(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(value_rows); i++) {
		char line[256];
		size_t size =
			(size_t)snprintf(line, sizeof(line), "1 clk R %s", value_rows[i].line);
		for (; size > 7; size--) {
			struct trip trip, again;
			line[size] = '\n';
			line[size + 1] = '\0';
			read_lines(&trip, line, false);
			assert_int_equal(trip.bad + trip.count, 1);
			if (trip.count == 1 && trip.records[0]->register_count == 1) {
				size_t written_size;
				char *json = trip_write("json", trip.records, 1, &written_size);
				trip_read(&again, "json", json, written_size, NULL);
				assert_null(
					trip_record_difference(trip.records[0], again.records[0]));
				trip_fini(&again);
				free(json);
			}
			trip_fini(&trip);
		}
	}
}

static void what_is_not_understood_is_a_bad_line(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"R r0", "the register has no value"},
		{"R r0 zz", "the register value is not a hexadecimal number"},
		{"R cpsr __C_", "the register value is not a hexadecimal number"},
		{"R r0 1234:zz", "the register value is not a hexadecimal number"},
		{"R r0 1234g", "the register value is not a hexadecimal number"},
		{"R cpsr 20000000 c", "what follows the value may be a part of it"},
		{"R SCTLR 00c50878 12", "what follows the value may be a part of it"},
		{"R r0 0x123456", "the register value may have a prefix or an unknown digit"},
		{"R SCTLR 0x123456", "the register value may have a prefix or an unknown digit"},
		{"MW4 00001000 0x123456", "the data may have a prefix or an unknown digit"},
		{"MW4 00001000 xxxxxxxxx", "the data do not have the size of the access"},
		{"MW4 00001000 1234 (x)", "the data are not a hexadecimal number"},
		{"R r0 (usr 00000000", "a bracket is not closed"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char line[256];
		struct trip trip;
		snprintf(line, sizeof(line), "1 clk %s\n", rows[i][0]);
		read_lines(&trip, line, true);
		assert_int_equal(trip.count, 0);
		assert_int_equal(trip.bad, 1);
		assert_string_equal(trip.messages[0].cause, rows[i][1]);
		trip_fini(&trip);
	}
}

static void a_value_may_have_any_width_and_a_note_may_not(void **state)
{
	(void)state;
	static const struct {
		unsigned digits, note;
		const char *cause;
	} rows[] = {{8192, 0, NULL}, {8193, 0, "the register value has too many digits"},
		{8, 1024, NULL}, {8, 1025, "the text after the value is too long"}};
	char line[16384];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		int size = sprintf(line, "1 clk R WIDE 1");
		memset(line + size, 'a', rows[i].digits - 1);
		size += (int)rows[i].digits - 1;
		line[size++] = rows[i].note ? ' ' : '\n';
		memset(line + size, 'z', rows[i].note);
		strcpy(line + size + rows[i].note, rows[i].note ? "\n" : "");
		read_lines(&trip, line, false);
		assert_int_equal(trip.count, rows[i].cause == NULL);
		if (rows[i].cause)
			assert_string_equal(trip.messages[0].cause, rows[i].cause);
		else
			assert_int_equal(trip.records[0]->registers[0].size, rows[i].digits / 2);
		trip_fini(&trip);
	}
}

/* --- Data --- */

static void unknown_digits_of_data_are_unknown(void **state)
{
	(void)state;
	static const char text[] = "1 clk IT (1) 00008000 e5810000 A svc_s : STR r0,[r1]\n"
				   "1 clk MW4 201fffec xxxxxxxx\n"
				   "1 clk MW4 201ffff0 xxXX1234\n"
				   "1 clk MR8 201ffff8 00000000xxxxxxxx\n"
				   "1 clk MR4 00000002 (ABORTED)\n";
	struct trip trip;

	read_lines(&trip, text, false);
	assert_int_equal(trip.bad + trip.warnings, 0);
	const struct ear_record_access *memory = trip.records[0]->memory;
	assert_int_equal(trip.records[0]->memory_count, 4);
	assert_false(memory[0].has_value);
	assert_int_equal(memory[0].size, 4);
	assert_true(memory[1].has_value);
	assert_int_equal(memory[1].value, 0x1234);
	assert_int_equal(memory[1].unknown, 0xFFFF0000);
	assert_int_equal(memory[2].unknown, UINT32_MAX);
	assert_true(memory[3].aborted && !memory[3].has_value);
	assert_int_equal(ear_writer_lost(ear_writer_find("tarmac"), trip.records[0]), 0);
	assert_int_equal(ear_writer_lost(ear_writer_find("qemu4v"), trip.records[0]),
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) |
			EAR_FIELD_BIT(EAR_FIELD_ABORTED) | EAR_FIELD_BIT(EAR_FIELD_UNKNOWN_DIGIT));
	trip_fini(&trip);
	char *written = rewrite(text, false);
	assert_string_equal(written,
		"1 clk IT (1) 00008000 e5810000 A svc_s : STR r0,[r1]\n"
		"1 clk MW4 201fffec xxxxxxxx\n1 clk MW4 201ffff0 xxxx1234\n"
		"1 clk MR8 201ffff8 00000000xxxxxxxx\n1 clk MR4 00000002 (ABORTED)\n");
	free(written);
	written = rewrite(text, true);
	assert_string_equal(written, text);
	free(written);
}

/* Cortex-M4 RTL writes them in the order of memory. */
static void data_in_the_order_of_memory_keep_their_unknown_digits(void **state)
{
	(void)state;
	static const char text[] = "1 ns MNW4___D 2002fa00 xx12bexx\n";
	struct trip trip;

	read_lines(&trip, text, false);
	assert_int_equal(trip.records[0]->memory[0].value, 0x00be1200);
	assert_int_equal(trip.records[0]->memory[0].unknown, 0xFF0000FF);
	trip_fini(&trip);
}

/* An opcode that could not be fetched is not 0. */
static void an_unknown_opcode_stays_unknown(void **state)
{
	(void)state;
	static const char text[] = "1 tic ES (0000aaaaabaf59f0:--------) O el0t_ns : <unknown>\n"
				   "2 tic ES (10000b58:----) T thrd_s : <unknown>\n";
	struct trip trip;

	read_lines(&trip, text, false);
	assert_int_equal(trip.bad, 0);
	assert_true(trip.records[0]->flags & EAR_RECORD_NO_OPCODE);
	assert_int_equal(trip.records[0]->opcode, 0);
	assert_int_equal(ear_writer_lost(ear_writer_find("qemu4v"), trip.records[1]), 0);
	trip_fini(&trip);
	char *written = rewrite(text, false);
	assert_string_equal(written, text);
	free(written);
}

/* --- Lines --- */

static void lines_come_back_byte_for_byte(void **state)
{
	(void)state;
	static const char text[] =
		"Tarmac Text Rev 3t\n"
		"      17000 ns  ES  EXC [0x00] Reset\n"
		"                    BR (00000000) A\n"
		"      41000 ns  ES  (00000000:e59ff018) A svc:            LDR      pc,{pc}+0x20\n"
		"                    LD 00000020  ........ ........ ........ 00000080     0000000020\n"
		"                       00000010  ........ ........ ........ 00000080     0000000010\n"
		"                    R SCTLR (AARCH32) 00c50878\r\n"
		"\n"
		"# a comment of a producer\n"
		"1 clk R r1 00000001\n"
		"1 clk R Z0 0000003f_0000003e_0000003d_0000003c 0000003b_0000003a_00000039_00000038\n"
		"1 clk MR8 0000c7c8:00000000c7c8 00000000_0000ca68\n"
		"1 clk IT (7) 0000815c:00000000815c_NS,00000000815e_NS f7ffef76 T hyp_n : BLX x\n"
		"1 clk R cpsr 20000000 __C_\n"
		"2 clk R r1 00000001\n"
		"2 clk MW4 00001000 xxxxxxxx\n"
		"271ns R r13 20001fff (MSP)\n"
		"272 ns E 00000048 abt 00000019 CoreEvent_ModeChange\n"
		"0.5 us IS (8) 00008014 00000000 A --- :\n"
		"UNHEARD of: 12\n";
	char *written = rewrite(text, true);

	assert_string_equal(written, text);
	free(written);
}

/* One line that the utilities refuse, or understand otherwise: its record is written in our form.
 */
static void lines_that_the_utilities_refuse_are_written_for_them(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{"1 clk 2 IT (1) 00008000 e5810000 A svc : STR",
			"1 clk cpu2 IT (1) 00008000 e5810000 A svc : STR"},
		{"1 ms IT (1) 00008000 e5810000 A svc : STR",
			"1 clk IT (1) 00008000 e5810000 A svc : STR"},
		{"1 clk IT (1) 00008000 4770 X svc : BX", "1 clk IT (1) 00008000 4770 T svc : BX"},
		{"1 clk IT (1) 00008000 4770 T svc : ???",
			"1 clk IT (1) 00008000 4770 T svc : <unknown>"},
		{"1 clk MW16 00001000 00112233445566778899aabbccddeeff",
			"1 clk MW8 00001000 8899aabbccddeeff\n1 clk MW8 00001008 0011223344556677"},
		{"1 clk MW8 00001000 00112233 44556677", "1 clk MW8 00001000 0011223344556677"},
		{"1 clk MW4 0000_1000 00112233", "1 clk MW4 00001000 00112233"},
		{"1 clk R r0 1234", "1 clk R r0 00001234"},
		{"1 clk R fpsr 12", "1 clk R fpsr 00000012"},
		{"1 clk R XPSR f900000", "1 clk R XPSR f900000"},
		{"1 clk R Z0 123", "1 clk R Z0 0123"},
		{"1 clk R r0 00000000 !", "1 clk R r0 00000000"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char line[256], want[256];
		snprintf(line, sizeof(line), "%s\n", rows[i][0]);
		snprintf(want, sizeof(want), "%s\n", rows[i][1]);
		char *written = rewrite(line, true);
		assert_string_equal(written, want);
		free(written);
	}
}

/* Lines as the parser of the utilities takes and refuses them. */
static void the_utilities_rules_are_known(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool taken;
	} rows[] = {
		{"1 clk R r0 0", true}, /* only zeros */
		{"1 clk R r0 12", false},
		{"1 clk R Q0 00000000 00000000", true},
		{"1 clk R Q0 00000000 10000000", false},
		{"1 clk R r0 0000000012", true}, /* more than all of them */
		{"1 clk R r0 000000012", false}, /* no whole bytes */
		{"1 clk R r0 --", true},
		{"1 clk R r0 --12", false},
		{"1 clk R psr xx0xxXxx", true}, /* x is nothing */
		{"1 clk R psr xx1xxXxx", false},
		{"1 clk R r13_svc 12", false},
		{"1 clk R r16 12", true}, /* a name that is ignored */
		{"1 clk R x31 12", true},
		{"1 clk R MSP_NS 12", false},
		{"1 clk R lr_svc 12", false},
		{"1 clk R E14 12", false},
		{"1 clk R SP_EL3 12", true}, /* neither 8 nor 16 digits */
		{"1 clk R SP_EL3 123", false},
		{"1 clk R cpsr 123", true},
		{"1 clk R CPSR 12", false},
		{"1 clk R cpsr 20000000 __C_", true},
		{"1 clk R fpcr 20000000 __C_", false}, /* a digit more */
		{"1 clk R FPCR 123", false},
		{"1 clk R P1 12", true},
		{"1 clk R P1 123", false},
		{"1 clk R V0<127:64> 1122334455667788", true},
		{"1 clk R V0<127:60> 1122334455667788", false},
		{"1 clk R SP<31:0> 11223344", false},
		{"1 clk R R1 (USR) 11223344", true},
		{"1 clk R R1 (USR svc) 11223344", false},
		{"1 clk R DC CISW 00000000:00000000", true},
		{"1 clk R hi !", false},
		{"1 clk IT (1) 00008000 e5810000 A svc_s : STR", true},
		{"1 clk IT (1) 00008000 e5810000 A : STR", true},
		{"1 clk IT (1) 00008000 e5810000 A svc_s STR", false},
		{"1 clk IT (1) 00008000 e5810000 A svc_s : {STR}", false},
		{"1 clk IT (1) 00008000 e5810000 X svc_s : STR", false},
		{"1 clk IT (8000) e5810000 A svc_s : STR", true},
		{"1 clk IT (8000:1) 8000 48f6 T16 LDR r0,[pc,#984]", true},
		{"1 clk IT (8000:1) 8000 48f6 T LDR r0,[pc,#984]", false},
		{"1 clk IT (1) 00008000 e5810000 O ---_- : b.ne 0x8000", true},
		{"1 clk IT (1) 00008000 e5810000 A s!c : STR", false},
		{"1 clk IT (1) 00008000 e5810000 A svc_s :", true},
		{"1 clk IT (1) 00008000 e5810000 A svc_s : [r0]", true},
		{"1 ms IT (1) 00008000 e5810000 A svc_s : STR", false},
		{"1 clk 0 IT (1) 00008000 e5810000 A svc_s : STR", false},
		{"1 clk IT EXC [0x00] Reset", true},
		{"1 clk ES (8000:e5810000) A svc: STR", true},
		{"1 clk ES (8000:--------) A svc:", true},
		{"1 clk ES (8000) A svc:", false},
		{"1 clk MW4 00001000 00112233", true},
		{"1 clk MW4 00001000:00001000_NS 00112233", true},
		{"1 clk MW4 00001000 (ABORTED)", true},
		{"1 clk MW4 00001000", false},
		{"1 clk MW4 X 00001000 00112233", true},
		{"1 clk MW16 00001000 0011223344556677 8899aabbccddeeff", true},
		{"1 clk MW32 00001000 0011223344556677 8899aabbccddeeff", false},
		{"1 clk MNR4O__I 00022ae4 f7ffffcb", true},
		{"1 clk MCW4___R (01000250:000000bb) TRANSFER 00000000", true},
		{"1 clk LD 00008000 ........ ........ 01234567 ....89ab", true},
		{"1 clk cpu1 E DebugEvent_HaltingDebugState 00000000", true},
		{"1 clk 1 R r0 00000000", false},
		{"1 clk core.cpu1 R r0 00000000", false},
		{"1 ms R r0 00000000", false},
		{"1 R r0 00000000", true},
		{"CADI E simulation_stopped", true},
		{"{", false},
		{"what ever", true},
		{"what {ever}", false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char line[256] = {0}; /* zeros after it: EAR_TEXT_SLACK */
		struct ear_tarmac_state tarmac = {.has_time = false};
		struct ear_tarmac_head head;
		size_t size = strlen(rows[i].line);
		memcpy(line, rows[i].line, size);
		assert_null(ear_tarmac_head(&head, &tarmac, line, line + size));
		if (ear_tarmac_taken(&head, &tarmac) != rows[i].taken)
			fail_msg("%s", rows[i].line);
		struct ear_tarmac_instruction instruction;
		if (head.kind == EAR_TARMAC_INSTRUCTION &&
			!ear_tarmac_instruction(&instruction, &head, '\0'))
			assert_int_equal(ear_tarmac_takes_instruction(&head, &tarmac, &instruction),
				rows[i].taken);
	}
}

/* A bad line is left out of its record's lines, and a last line without an end gets one. */
static void a_bad_line_does_not_come_back(void **state)
{
	(void)state;
	char *written = rewrite("1 clk IT (1) 00008000 e5810000 A svc_s : STR\n"
				"1 clk R R0 0000AB34\n"
				"1 clk R r0 zz\n"
				"1 clk R R1 0000AB35",
		true);

	assert_string_equal(written, "1 clk IT (1) 00008000 e5810000 A svc_s : STR\n"
				     "1 clk R R0 0000AB34\n"
				     "1 clk R R1 0000AB35\n");
	free(written);
}

/* Records of which the reader's blocks of 1 MiB cut some, and records of many lines. */
static void lines_across_blocks_come_back(void **state)
{
	(void)state;
	size_t room = 5u << 19, size = 0;
	char *text = malloc(room + 512);

	assert_non_null(text);
	for (size_t count = 0; size < room; count++) {
		size_t lines = count % 1000 == 0 ? 300 : 2;
		size += (size_t)sprintf(text + size,
			"%zu clk IT (%zu) 00008000 e5901000 A svc_ns : LDR  r1,[r%zu]\n", count,
			count, count);
		for (size_t i = 0; i < lines && size < room; i++)
			size += (size_t)sprintf(text + size, "%zu clk R R%zu 0000AB%02zx\n", count,
				i % 15, i % 256);
	}
	char *written = rewrite(text, true);
	assert_int_equal(strlen(written), size);
	assert_memory_equal(written, text, size);
	free(written);
	free(text);
}

/* A line without a stamp has the time of the line before, which may not be written. */
static void a_line_without_a_stamp_gets_one_where_it_needs_it(void **state)
{
	(void)state;
	static const char text[] = "1 clk IT (1) 00008000 e5810000 A svc_s : STR\n"
				   "2 clk IT (2) 00008004 e5810000 A svc_s : STR\n"
				   "BR (00008000) A\n"
				   "R R0 0000AB34\n";
	const struct ear_reader_options options = {.lines = true};
	struct trip trip;
	size_t size;

	trip_read(&trip, "tarmac", text, strlen(text), &options);
	assert_int_equal(trip.count, 4);
	trip_record_free(trip.records[1]);
	memmove(&trip.records[1], &trip.records[2], 2 * sizeof(trip.records[0]));
	trip.count = 3;
	char *written = trip_write("tarmac", trip.records, trip.count, &size);
	assert_string_equal(written, "1 clk IT (1) 00008000 e5810000 A svc_s : STR\n"
				     "2 clk BR (00008000) A\n"
				     "R R0 0000AB34\n");
	free(written);
	trip_fini(&trip);
}

/* RISC-V has one form, ours; and unknown digits of it are of no number. */
static void lines_of_riscv_are_not_kept(void **state)
{
	(void)state;
	static const char text[] = "0 clk IT (0) 80000000 00000297 O m :   auipc x5, 0x0\n"
				   "0 clk R X5 0000000080000000\n"
				   "0 clk R x6 xxxxxxxxxxxxxxxx\n"
				   "0 clk MW4 80001000 xxxx1234\n";
	struct trip trip;

	read_lines(&trip, text, true);
	assert_int_equal(trip.bad, 0);
	assert_null(trip.records[0]->extra->source.text);
	assert_int_equal(trip.records[0]->registers[0].reg_class, EAR_REGISTER_NAMED);
	assert_true(trip.records[0]->registers[1].unknown);
	assert_false(trip.records[0]->memory[0].has_value);
	trip_fini(&trip);
}

/* Cortex-M0 RTL leaves the instruction set out. */
static void a_missing_instruction_set_is_that_of_the_options(void **state)
{
	(void)state;
	static const char text[] = "354ns IT 00000350 490d        LDR      r1,[pc,#52]\n"
				   "355ns MR2_I 0000010a b5100000\n";
	const struct ear_reader_options options = {.isa = "thumb", .lines = true};
	struct trip trip;
	size_t size;

	trip_read(&trip, "tarmac", text, strlen(text), NULL);
	assert_int_equal(trip.bad, 1);
	trip_fini(&trip);
	trip_read(&trip, "tarmac", text, strlen(text), &options);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.records[1]->kind, EAR_RECORD_EVENT);
	char *written = trip_write("tarmac", trip.records, trip.count, &size);
	assert_string_equal(written, "354 ns IT (0) 00000350 490d T --- : LDR      r1,[pc,#52]\n"
				     "355ns MR2_I 0000010a b5100000\n");
	free(written);
	trip_fini(&trip);
}

static size_t make_mixed(char *text, size_t room)
{
	static const char *const others[] = {"IT (1) 00008000 e5810000 A svc_s : STR",
		"MW4 00001000 xxxx1234", "E 00000048 abt 00000019 CoreEvent_ModeChange",
		"ES (8000:--------) A svc:", "LD 00008000 ........ ........ 01234567 ....89ab"};
	size_t size = 0;

	for (size_t i = 0; i < COUNT_OF(value_rows); i++)
		size += (size_t)snprintf(text + size, room - size, "%zu clk %s\n%s R %s\n", i,
			others[i % COUNT_OF(others)], i % 3 ? "" : "7 ns", value_rows[i].line);
	return size;
}

/* Read with its lines and without: the same records; and what is written has no bad line. */
static void check_mixed(const char *text, size_t size)
{
	const struct ear_reader_options options = {.lines = true};
	struct trip trips[2];

	trip_read(&trips[0], "tarmac", text, size, &options);
	trip_read(&trips[1], "tarmac", text, size, NULL);
	assert_int_equal(trips[0].count, trips[1].count);
	for (unsigned k = 0; k < 2; k++) {
		struct trip again;
		size_t count = 0, written_size;
		while (count < trips[k].count &&
			trips[k].records[count]->hart == trips[k].records[0]->hart) {
			assert_null(trip_record_difference(
				trips[k].records[count], trips[!k].records[count]));
			count++;
		}
		char *written = trip_write("tarmac", trips[k].records, count, &written_size);
		trip_read(&again, "tarmac", written, written_size, NULL);
		if (again.bad)
			fail_msg("line %zu: %s\n%s", (size_t)again.messages[0].line,
				again.messages[0].cause, written);
		trip_fini(&again);
		free(written);
	}
	trip_fini(&trips[0]);
	trip_fini(&trips[1]);
}

static void keeping_lines_changes_no_record(void **state)
{
	(void)state;
	struct random random = {5};
	char text[8192], copy[8192];
	size_t size = make_mixed(text, sizeof(text));

	for (unsigned round = 0; round < 1000; round++) {
		memcpy(copy, text, size);
		for (unsigned i = 0; i < round % 8; i++)
			copy[random_below(&random, size)] =
				"\n :(-x0f_RM\0{"[random_below(&random, 14)];
		check_mixed(copy, size);
	}
}

/* Also behind a name that would be known without it. */
static void a_name_may_hold_a_nul(void **state)
{
	(void)state;
	static const char text[] = "1 clk R sp\0x 12345678 z\n1 clk R \0\0 12345678 z\n";
	struct trip trip;

	trip_read(&trip, "tarmac", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.records[0]->register_count, 2);
	assert_int_equal(trip.records[0]->registers[0].text_size, 4);
	assert_int_equal(ear_tarmac_name((struct ear_text){"r0\0", 3}).rule, EAR_TARMAC_EXACT);
	assert_int_equal(ear_tarmac_name((struct ear_text){"sp\0", 3}).rule, EAR_TARMAC_IGNORED);
	trip_fini(&trip);
}

static void damaged_lines_end_in_an_orderly_way(void **state)
{
	(void)state;
	char text[8192];
	size_t size = 0;

	for (size_t i = 0; i < COUNT_OF(value_rows); i++)
		size += (size_t)snprintf(
			text + size, sizeof(text) - size, "%zu clk R %s\n", i, value_rows[i].line);
	trip_torture("tarmac", text, size, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_of_arm_comes_back_as_it_was_spelled),
		cmocka_unit_test(nothing_of_any_register_is_reported_as_left_out),
		cmocka_unit_test(every_register_of_arm_goes_through_json),
		cmocka_unit_test(a_value_is_read_in_every_spelling),
		cmocka_unit_test(a_value_is_written_as_the_utilities_take_it),
		cmocka_unit_test(every_prefix_of_a_value_is_one_or_is_bad),
		cmocka_unit_test(what_is_not_understood_is_a_bad_line),
		cmocka_unit_test(a_value_may_have_any_width_and_a_note_may_not),
		cmocka_unit_test(unknown_digits_of_data_are_unknown),
		cmocka_unit_test(data_in_the_order_of_memory_keep_their_unknown_digits),
		cmocka_unit_test(an_unknown_opcode_stays_unknown),
		cmocka_unit_test(lines_come_back_byte_for_byte),
		cmocka_unit_test(lines_that_the_utilities_refuse_are_written_for_them),
		cmocka_unit_test(the_utilities_rules_are_known),
		cmocka_unit_test(a_bad_line_does_not_come_back),
		cmocka_unit_test(lines_across_blocks_come_back),
		cmocka_unit_test(a_line_without_a_stamp_gets_one_where_it_needs_it),
		cmocka_unit_test(lines_of_riscv_are_not_kept),
		cmocka_unit_test(a_missing_instruction_set_is_that_of_the_options),
		cmocka_unit_test(keeping_lines_changes_no_record),
		cmocka_unit_test(a_name_may_hold_a_nul),
		cmocka_unit_test(damaged_lines_end_in_an_orderly_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
