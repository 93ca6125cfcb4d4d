/* Whisper CSV, read and written. */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/formats.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "record_trip.h"

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly, hartid\n"
#define SW   "80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0\n"
#define ADDI "8000005a,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n"

static const char *const files[] = {
	"atomtrap", "fpmix", "intsort", "multi", "sv39-ptw", "timer", "vector", "walks", "veer"};

/* --- read, then written --- */

/* From a reader straight to a writer, which gets the options as convert sets them. */
static char *rewrite(const char *text, size_t size, size_t *written)
{
	const struct ear_reader_format *format = ear_reader_detect(text, size);
	struct ear_reader_options options = {0};
	struct ear_writer *writer = NULL;
	const struct ear_record *record;
	struct ear_text_input *input;
	struct ear_text_output output;
	int in = memfd_create("in", 0), out = memfd_create("out", 0);

	assert_non_null(format);
	assert_string_equal(format->name, "whisper");
	assert_int_equal(pwrite(in, text, size, 0), (ssize_t)size);
	assert_int_equal(ear_text_input_new(&input, in, NULL, 0), 0);
	assert_int_equal(ear_text_output_init(&output, out, EAR_TEXT_PLAIN), 0);
	struct ear_reader *reader = format->make(input, &options);
	assert_non_null(reader);
	while (ear_reader_next(reader, &record) == 1) {
		const struct ear_writer_options columns = {
			.walks = reader->has_walks, .no_hart = reader->no_hart};
		if (!writer)
			writer = ear_writer_find("whisper")->make(&output, &columns);
		assert_int_equal(ear_writer_push(writer, record), 0);
	}
	ear_writer_free(writer);
	ear_reader_free(reader);
	ear_text_input_free(input);
	assert_int_equal(ear_text_output_finish(&output), 0);
	ear_text_output_fini(&output);
	*written = (size_t)lseek(out, 0, SEEK_END);
	char *result = calloc(1, *written + 1);
	assert_int_equal(pread(out, result, *written, 0), (ssize_t)*written);
	close(in);
	close(out);
	return result;
}

static void check_same(const char *name, const char *text, size_t size)
{
	size_t written;
	char *again = rewrite(text, size, &written);

	for (size_t i = 0; i < size && i < written; i++)
		if (text[i] != again[i])
			fail_msg("%s: byte %zu differs:\n%.100s\nnot\n%.100s", name, i, again + i,
				text + i);
	assert_int_equal(size, written);
	free(again);
}

static void every_file_comes_out_as_it_went_in(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char name[64];
		size_t size;
		snprintf(name, sizeof(name), "whisper/%s.csv", files[i]);
		char *text = trip_load(name, &size);
		check_same(name, text, size);
		free(text);
	}
}

/* VLEN 4096, e8, m8: a line of 45 kB, and one that is longer than any room of the writer. */
static void long_vector_lines_come_out_as_they_went_in(void **state)
{
	(void)state;

	for (size_t elements = 4096; elements <= 65536; elements *= 16) {
		size_t room = elements * 32 + 1000;
		char *text = malloc(room);
		size_t size = (size_t)sprintf(text, HEADER "8000008a,2058407,");
		for (unsigned v = 8; v < 16; v++) {
			size += (size_t)sprintf(text + size, "%sv%u=", v > 8 ? ";" : "", v);
			for (size_t i = 0; i < elements / 8; i++)
				size += (size_t)sprintf(
					text + size, "%02x", (unsigned)(i * v & 255));
		}
		size += (size_t)sprintf(text + size, ",x11,");
		for (size_t i = 0; i < elements; i++)
			size += (size_t)sprintf(text + size, "%s%x%s", i ? ";" : "",
				(unsigned)(0x80001000 + i), i % 3 ? "" : "m");
		size += (size_t)sprintf(text + size, ",v,m,,vle8.v v8; (x11),0\n");
		check_same("long line", text, size);

		struct trip trip;
		trip_read(&trip, "whisper", text, size, NULL);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.records[0]->memory_count, elements);
		assert_int_equal(trip.records[0]->memory[3].size, 1);
		assert_true(trip.records[0]->memory[3].masked);
		assert_int_equal(trip.records[0]->registers[7].text_size, elements / 8);
		assert_int_equal(
			trip.records[0]->registers[7].text.bytes[0], (elements / 8 - 1) * 15 & 255);
		trip_fini(&trip);
		free(text);
	}
}

/* --- what a line means --- */

static void check_text(struct trip *trip, const char *text)
{
	trip_read(trip, "whisper", text, strlen(text), NULL);
	assert_int_equal(trip->result, 0);
}

static void an_amo_is_a_read_and_a_write(void **state)
{
	(void)state;
	struct trip trip;

	check_text(&trip,
		HEADER "8000011a,f727af,x15=1,x14;x15,80001018=2a,a,m,,amoadd.w x15; x15; (x14),0\n"
		       "80000112,18f726af,x13=1,x14;x15,80001018,a,m,,sc.w x13; x15; (x14),0\n");
	assert_int_equal(trip.count, 2);
	const struct ear_record *amo = trip.records[0];
	assert_int_equal(amo->memory_count, 2);
	assert_false(amo->memory[0].write || amo->memory[0].has_value);
	assert_true(amo->memory[1].write);
	assert_true(amo->memory[1].has_value);
	assert_int_equal(amo->memory[1].value, 0x2A);
	assert_int_equal(amo->memory[1].size, 4);
	assert_int_equal(trip.records[1]->memory_count, 1);
	assert_true(trip.records[1]->memory[0].write);
	assert_false(trip.records[1]->memory[0].has_value);
	trip_fini(&trip);
}

#define ADDI_OF(hart) "8000005a,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024," hart "\n"
#define SW_OF(hart)   "80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5)," hart "\n"

/* The lines of both differ at their end only, and so do their patterns. */
static void each_hart_keeps_its_rounding_mode(void **state)
{
	(void)state;
	struct trip trip;

	check_text(&trip,
		HEADER ADDI_OF("1") SW_OF("1") ADDI_OF("1") SW_OF(
			"1") "80000050,251073,c2=3,x10;x0,,,m,,csrrw    x0; frm; x10,0\n" ADDI_OF("0")
			SW_OF("0") ADDI_OF("0") SW_OF("0") ADDI_OF("0"));
	assert_int_equal(trip.count, 10);
	for (size_t i = 5; i < trip.count; i++)
		assert_int_equal(trip.records[i]->frm, 3);
	trip_fini(&trip);
}

static void traps_interrupts_and_jumps_are_distinguished(void **state)
{
	(void)state;
	struct trip trip;

	check_text(&trip, HEADER
		"80000048,140000ef,x1=8000004c;pc=80000188,i140,,c,m,,jal      x1; . + 0x140,0\n"
		"8000010e,ffe5,c833=8000010e;c834=8000000000000007;c835=0,x15;x0;ifffffff8,,nt,m,"
		"8000000000000007,c.bnez   x15; . - 0x8,0\n"
		"800001a0,73,c833=800001a0;c834=b;c835=0,,,,vu,b,ecall    ,0\n"
		"800001a4,30200073,,,,,m,,mret     ,0\n");
	assert_int_equal(trip.count, 4);
	assert_int_equal(trip.records[0]->flags, EAR_RECORD_TAKEN);
	assert_int_equal(trip.records[0]->next_pc, 0x80000188);
	assert_int_equal(trip.records[1]->flags, EAR_RECORD_INTERRUPT | EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(trip.records[1]->cause, 0x8000000000000007);
	assert_int_equal(trip.records[1]->xlen, 64);
	assert_int_equal(trip.records[2]->flags, EAR_RECORD_TRAP | EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(trip.records[2]->cause, 11);
	assert_int_equal(trip.records[2]->privilege, EAR_PRIVILEGE_VU);
	assert_int_equal(trip.records[3]->flags, EAR_RECORD_NO_NEXT_PC);
	trip_fini(&trip);
}

static void page_walks_have_steps_values_and_attributes(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "whisper", "whisper/walks.csv");
	assert_int_equal(trip.count, 6);
	const struct ear_record_extra *extra = trip.records[4]->extra;
	assert_int_equal(extra->walk_count, 4);
	assert_false(extra->walks[0].data);
	assert_int_equal(extra->walks[0].start, 0x1FFA);
	assert_int_equal(extra->walks[0].step_count, 1);
	assert_int_equal(extra->walks[0].steps[0].address, 0x80007008);
	assert_int_equal(extra->walks[0].steps[0].entry, 0x20001801);
	assert_int_equal(extra->walks[0].steps[0].attributes, 0x247F);
	assert_int_equal(extra->walks[0].result, 0x80007000);
	assert_false(extra->walks[1].steps[0].has_attributes);
	assert_true(extra->walks[3].data);
	assert_int_equal(extra->walks[3].result, 0x80009000);
	assert_int_equal(trip.records[5]->extra->walks[0].result, 0);
	trip_fini(&trip);
}

static void texts_are_kept_only_if_the_table_has_others(void **state)
{
	(void)state;
	struct trip trip;
	static const char text[] =
		HEADER SW SW "80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       a0; 0x0(t0),0\n"
			     "80000056,a2a023,,x10;x5;i0,80001044=1,s,m,,sw       a0; 0x0(t0),0\n"
			     "80000056,a2a023,,x10;x5;i0,80001040=1,q,m,,sw       x10; 0x0(x5),0\n"
			     "80000056,a2a023,,a0;t0,80001040=1,s,m,,sw       x10; 0x0(x5),0\n" SW;

	check_text(&trip, text);
	assert_int_equal(trip.count, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct ear_record_extra *extra = trip.records[i]->extra;
		assert_int_equal(extra->line, i + 2);
		assert_int_equal(extra->disassembly.text != NULL, i == 2 || i == 3);
		assert_int_equal(extra->info.text != NULL, i == 4);
		assert_int_equal(extra->sources.text != NULL, i == 5);
	}
	assert_int_equal(trip.records[2]->extra->disassembly.size, 20);
	assert_memory_equal(trip.records[2]->extra->disassembly.text, "sw       a0, 0x0(t0)", 20);
	check_same("texts", text, strlen(text));
	trip_fini(&trip);
}

/* --- shapes of files --- */

#define COLUMNS 11 /* the usual ones, and pmp */

/* One of the orders of the columns: where each of them is. */
static void make_order(unsigned *order, unsigned seed)
{
	struct random random = {.state = seed + 1};

	for (unsigned i = 0; i < COLUMNS; i++) {
		unsigned other = (unsigned)random_below(&random, i + 1);
		order[i] = i;
		order[i] = order[other];
		order[other] = i;
	}
}

/* A column with blanks around its values, as people write lists. */
static char *put_spaced(char *to, const char *column, size_t size)
{
	*to++ = ' ';
	for (size_t i = 0; i < size; i++) {
		bool sign = column[i] == ';' || column[i] == '=' || column[i] == ':';
		if (sign)
			*to++ = ' ';
		*to++ = column[i];
		if (sign)
			*to++ = ' ';
	}
	*to++ = ' ';
	return to;
}

/* The same lines with another order of the columns, pmp among them, which is always empty. */
static char *shuffle(const char *text, size_t *size, const unsigned *order, bool spaced)
{
	/* Operands that are not those of the table are kept as they are spelled. */
	bool other_sources = strstr(text, "x11;v0") != NULL;
	char *result = calloc(4, strlen(text) + 16), *to = result;

	while (*text) {
		const char *columns[COLUMNS] = {0};
		size_t sizes[COLUMNS] = {0}, length = strcspn(text, "\n");
		const char *at = text;
		for (unsigned count = 0; count < COLUMNS - 1; count++) {
			columns[count] = at;
			sizes[count] = strcspn(at, ",\n");
			at += sizes[count] + 1;
		}
		columns[COLUMNS - 1] = "pmp";
		sizes[COLUMNS - 1] = strncmp(text, "pc,", 3) == 0 ? 3 : 0;
		for (unsigned i = 0; i < COLUMNS; i++) {
			unsigned which = order[i];
			bool words = which == 8 || (which == 3 && other_sources) ||
				     strncmp(text, "pc,", 3) == 0;
			if (i > 0)
				*to++ = ',';
			if (spaced && !words)
				to = put_spaced(to, columns[which], sizes[which]);
			else
				to += sprintf(to, spaced ? "  %.*s " : "%.*s", (int)sizes[which],
					columns[which]);
		}
		*to++ = '\n';
		text += length + 1;
	}
	*size = (size_t)(to - result);
	return result;
}

static void check_shuffled(
	const char *name, const struct trip *usual, const char *text, size_t size)
{
	struct trip other;

	trip_read(&other, "whisper", text, size, NULL);
	assert_string_equal(ear_reader_detect(text, size)->name, "whisper");
	assert_int_equal(other.bad + other.warnings, 0);
	assert_int_equal(usual->count, other.count);
	for (size_t i = 0; i < usual->count; i++) {
		const char *field = trip_record_difference(usual->records[i], other.records[i]);
		if (field)
			fail_msg("%s, record %zu: %s", name, i, field);
		assert_int_equal(usual->records[i]->extra->line, other.records[i]->extra->line);
	}
	trip_fini(&other);
}

static void columns_may_come_in_any_order(void **state)
{
	(void)state;
	static const char *const names[] = {
		"atomtrap", "fpmix", "timer", "multi", "intsort", "vector"};
	enum { ORDERS = 72 };

	for (unsigned k = 0; k < ORDERS; k++) {
		char name[64];
		size_t size, shuffled_size;
		unsigned order[COLUMNS];
		struct trip usual;
		snprintf(name, sizeof(name), "whisper/%s.csv", names[k % COUNT_OF(names)]);
		char *text = trip_load(name, &size);
		size_t whole = size > 120000 ? 120000 : size; /* with both harts of multi.csv */
		while (text[whole - 1] != '\n')
			whole--;
		text[whole] = '\0';
		make_order(order, k);
		char *shuffled = shuffle(text, &shuffled_size, order, k / 6 % 2);
		trip_read(&usual, "whisper", text, whole, NULL);
		assert_int_equal(usual.bad + usual.warnings, 0);
		assert_above(usual.count, 0);
		check_shuffled(name, &usual, shuffled, shuffled_size);
		trip_fini(&usual);
		free(shuffled);
		free(text);
	}
}

/* The same file in other clothes: each must give the records of the plain one. */
static void check_like(const char *plain, const char *other, unsigned warnings)
{
	struct trip a, b;

	check_text(&a, plain);
	check_text(&b, other);
	assert_int_equal(b.bad, 0);
	assert_int_equal(b.warnings, warnings);
	assert_int_equal(a.count, b.count);
	for (size_t i = 0; i < a.count; i++)
		assert_null(trip_record_difference(a.records[i], b.records[i]));
	trip_fini(&a);
	trip_fini(&b);
}

static void files_of_other_shapes_are_the_same(void **state)
{
	(void)state;
	static const char plain[] = HEADER SW ADDI SW;

	check_like(plain, "\n  \n\r\n" HEADER "\n" SW "\n\n" ADDI "\t\n" SW "\n", 0);
	check_like(plain, HEADER SW HEADER ADDI SW HEADER, 0);
	check_like(plain, SW ADDI SW, 1); /* no header */
	check_like(plain, HEADER SW "# a comment\n# another one\n" ADDI SW, 1);
	check_like(plain,
		HEADER SW "0x8000005a,0x40018193,x3=0x80001400,x3;i400,,,m,,addi     x3; x3; "
			  "1024,0x0\n" SW,
		0);
	check_like(plain,
		"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
		"disassembly, hartid\r\n"
		"80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0\r\n"
		"8000005a,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\r\n"
		"80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0\r\n",
		0);
	check_like(plain,
		"pmp, pc, inst, modified regs, source operands, memory, inst info, privilege, "
		"trap, "
		"disassembly, hartid\n"
		"7,80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0\n"
		",8000005a,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n"
		",80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0\n",
		1);
	check_like(plain,
		HEADER SW ADDI "80000056,a2a023,,x10;x5;i0,80001040=1,s,m,,sw       x10; 0x0(x5),0",
		1);
	check_like(HEADER SW, HEADER SW "8000005a,40018193,x3=80001", 1); /* cut off */
}

static void bad_lines_are_reported_with_their_position_and_skipped(void **state)
{
	(void)state;
	static const struct {
		const char *line, *cause;
	} rows[] = {
		{"g,1,,,,,m,,,0", "the pc is not a hexadecimal number"},
		{"80000000:,1,,,,,m,,,0", "the physical pc is not a hexadecimal number"},
		{"8,1,x3,,,,m,,,0", "a modified register has no value"},
		{"8,1,x3=,,,,m,,,0", "the value of a register is not a hexadecimal number"},
		{"8,1,v3=123,,,,m,,,0", "the value of a vector register does not have whole bytes"},
		{"8,1,x3=1x,,,,m,,,0",
			"a modified register is followed by an unexpected character"},
		{"8,1,x3=11111111111111111,,,,m,,,0",
			"the value of a register is not a hexadecimal number"},
		{"8,100000000,,,,,m,,,0", "the opcode is too long"},
		{"8,z,,,,,m,,,0", "the opcode is not a hexadecimal number"},
		{"8,1,,,1=z,,m,,,0", "a stored value is not a hexadecimal number"},
		{"8,1,,,1-,,m,,,0", "an access is followed by an unexpected character"},
		{"8,1,,,,,x,,,0", "the privilege is unknown"},
		{"8,1,,,,,vm,,,0", "the privilege is unknown"},
		{"8,1,,,,,m,z,,0", "the trap cause is not a hexadecimal number"},
		{"8,1,,,,,m,?z,,0", "the trap cause is malformed"},
		{"8,1,,,,,m,,,10000", "the hart is not a number up to ffff"},
		{"8,1,,,,,m,,", "the line has fewer columns than the header"},
		{"8,1,,,,,m,,,0,0", "the line has more columns than the header"},
		{"# gap: something", "the comment line of a gap or an event is malformed"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		char text[1000];
		snprintf(text, sizeof(text), HEADER SW "%s\n" ADDI, rows[i].line);
		check_text(&trip, text);
		assert_int_equal(trip.count, 2);
		assert_int_equal(trip.bad, 1);
		assert_string_equal(trip.messages[0].cause, rows[i].cause);
		assert_int_equal(trip.messages[0].line, 3);
		assert_int_equal(trip.messages[0].offset, strlen(HEADER SW));
		assert_int_equal(trip.records[1]->index, 1);
		assert_int_equal(trip.records[1]->extra->line, 4);
		trip_fini(&trip);
	}
}

static void a_register_that_there_is_not_is_a_word(void **state)
{
	(void)state;
	static const struct {
		const char *line, *word;
	} rows[] = {
		{"80000060,13,x32=0;x5=1,,,,m,,,0\n", "x32=0"},
		{"80000060,13,y3=1 ; x5=1,,,,m,,,0\n", "y3=1"},
		{"80000060,13,x5=1;c4096=1;what,,,,m,,,0\n", "c4096=1"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		char text[1000];
		snprintf(text, sizeof(text), HEADER SW "%s" ADDI, rows[i].line);
		check_text(&trip, text);
		assert_int_equal(trip.bad, 0);
		assert_string_equal(trip.word, rows[i].word);
		assert_int_equal(trip.word_line, 3);
		assert_int_equal(trip.count, 3);
		assert_int_equal(trip.skipped, 1);
		assert_int_equal(trip.records[1]->register_count, 1);
		assert_int_equal(trip.records[1]->registers[0].number, 5);
		trip_fini(&trip);
	}
}

static void gaps_and_events_come_back_and_move_the_index(void **state)
{
	(void)state;
	static const char text[] = HEADER SW
		"# gap: 12 records missing; index 1 to 12; hart 0; the unit's FIFO was full; "
		"stream "
		"byte 4096\n"
		"# event: event port; value 0x7; hart 0; before index 13\n" ADDI
		"# gap: an unknown number of records is missing after index 13; hart 0; damaged "
		"bytes; 9 bytes skipped; stream byte 5000\n" SW;
	struct trip trip;

	check_text(&trip, text);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 6);
	assert_int_equal(trip.records[1]->kind, EAR_RECORD_GAP);
	assert_int_equal(trip.records[1]->u.gap.count, 12);
	assert_int_equal(trip.records[2]->kind, EAR_RECORD_EVENT);
	assert_int_equal(trip.records[3]->index, 13);
	assert_int_equal(trip.records[4]->index, 14);
	check_same("comment lines", text, strlen(text));
	trip_fini(&trip);
}

/* --- XLEN --- */

static unsigned xlen_of(const char *text, unsigned given, unsigned *warnings)
{
	struct ear_reader_options options = {.xlen = given};
	struct trip trip;

	trip_read(&trip, "whisper", text, strlen(text), &options);
	assert_int_equal(trip.bad, 0);
	assert_above(trip.count, 0);
	unsigned xlen = trip.records[trip.count - 1]->xlen;
	*warnings = trip.warnings;
	trip_fini(&trip);
	return xlen;
}

static void xlen_follows_from_values_and_texts(void **state)
{
	(void)state;
	static const char wide[] =
		HEADER "8000,1197,x3=ffffffff80001000,i1000,,,m,,auipc    x3; 0x1,0\n";
	unsigned warnings;

	assert_int_equal(xlen_of(HEADER SW ADDI, 0, &warnings), 32);
	assert_int_equal(xlen_of(HEADER SW ADDI, 64, &warnings), 64);
	assert_int_equal(xlen_of(wide, 0, &warnings), 64);
	assert_int_equal(warnings, 0);
	/* 2501 is c.addiw on RV64 and c.jal on RV32. */
	assert_int_equal(
		xlen_of(HEADER SW "10,2501,x10=1,x10;i0,,,m,,c.addiw  x10; 0x0,0\n", 0, &warnings),
		64);
	/* A 64-bit f register says nothing. */
	assert_int_equal(xlen_of(HEADER "10,6,f1=ffffffff80001000,,,,m,,x,0\n", 0, &warnings), 32);
}

static void a_value_too_wide_for_xlen_is_one_bad_line(void **state)
{
	(void)state;
	static const char wide[] =
		"80000056,40018193,x3=fffffffff,x3;i400,,,m,,addi     x3; x3; 1024,0\n";
	const struct ear_reader_options given = {.xlen = 32};
	const struct ear_reader_options *options[] = {NULL, &given};
	const size_t lines = 4000, places[] = {100, 3000};

	for (size_t i = 0; i < COUNT_OF(places) * COUNT_OF(options); i++) {
		size_t place = places[i / COUNT_OF(options)];
		char *text = malloc(strlen(HEADER) + (lines + 1) * 100);
		size_t size = (size_t)sprintf(text, HEADER);
		struct trip trip;
		for (size_t line = 0; line < lines; line++)
			size += (size_t)sprintf(text + size, "%s", line == place ? wide : SW);
		trip_read(&trip, "whisper", text, size, options[i % COUNT_OF(options)]);
		assert_int_equal(trip.count, lines - 1);
		assert_int_equal(trip.bad, 1);
		assert_int_equal(trip.warnings, 0);
		assert_int_equal(trip.messages[0].line, place + 2);
		for (size_t record = 0; record < trip.count; record++)
			assert_int_equal(trip.records[record]->xlen, 32);
		trip_fini(&trip);
		free(text);
	}
}

static void the_lines_of_the_beginning_vote_on_xlen(void **state)
{
	(void)state;
	unsigned warnings;

	/* Negative immediates in 8 digits are of RV32, in spite of one digit too many. */
	assert_int_equal(
		xlen_of(HEADER SW
			"80000000,537d,x6=ffffffff,x0;iffffffff,,,m,,c.li     x6; -0x1,0\n"
			"80000000,537d,x6=ffffffff,x0;iffffffff,,,m,,c.li     x6; -0x1,0\n",
			0, &warnings),
		32);
	assert_int_equal(
		xlen_of(HEADER SW
			"80000000,537d,x6=ffffffffffffffff,x0;iffffffff,,,m,,c.li     x6; -0x1,0\n",
			0, &warnings),
		64);
	/* A small beginning: only the opcodes say it. */
	assert_int_equal(
		xlen_of(HEADER SW SW SW
			"8000008a,669c,x15=1,x13;i8,80001008,l,m,,c.ld     x15; 0x8(x13),0\n",
			0, &warnings),
		64);
	/* Whisper names it on RV32, too: there it traps. */
	assert_int_equal(xlen_of(HEADER SW SW SW
				 "80000018,6002829b,x5=6600,x5;i600,,,m,,addiw    x5; x5; 1536,0\n",
				 0, &warnings),
		64);
	assert_int_equal(
		xlen_of(HEADER SW SW SW "80000018,6002829b,c833=80000018;c834=2,x5;i600,,,m,2,"
					"addiw    x5; x5; 1536,0\n",
			0, &warnings),
		32);
}

/* A text of SW with the lines of li -1 of RV64 at some places; the place after the last is 0. */
static void read_with_li(struct trip *trip, const char *first, const size_t *places)
{
	static const char li[] =
		"80000000,537d,x6=ffffffffffffffff,x0;iffffffff,,,m,,c.li     x6; -0x1,0\n";
	const size_t lines = 4000;
	char *text = malloc(strlen(HEADER) + (lines + 1) * 100);
	size_t size = (size_t)sprintf(text, HEADER "%s", first);

	for (size_t line = 0; line < lines; line++) {
		size += (size_t)sprintf(text + size, "%s", line == *places ? li : SW);
		places += line == *places;
	}
	trip_read(trip, "whisper", text, size, NULL);
	free(text);
}

static void a_lone_value_of_more_than_9_digits_is_of_64_bits(void **state)
{
	(void)state;
	struct trip trip;

	read_with_li(&trip, SW, (const size_t[]){300, 0});
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 4001);
	for (size_t i = 0; i < trip.count; i++)
		assert_int_equal(trip.records[i]->xlen, 64);
	trip_fini(&trip);
}

static void a_guess_of_32_bits_is_taken_back_with_one_warning(void **state)
{
	(void)state;
	struct trip trip;

	read_with_li(&trip, SW, (const size_t[]){3000, 3500, 0});
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 1);
	assert_int_equal(trip.messages[0].line, 3003);
	assert_int_equal(trip.count, 4001);
	for (size_t i = 0; i < trip.count; i++)
		assert_int_equal(trip.records[i]->xlen, i < 3001 ? 32 : 64);
	assert_int_equal(trip.records[3001]->registers[0].value, UINT64_MAX);
	trip_fini(&trip);
}

static void what_is_of_32_bits_alone_is_no_guess(void **state)
{
	(void)state;
	struct trip trip;

	read_with_li(&trip, "80000000,537d,x6=ffffffff,x0;iffffffff,,,m,,c.li     x6; -0x1,0\n",
		(const size_t[]){3000, 0});
	assert_int_equal(trip.bad, 1);
	assert_int_equal(trip.warnings, 0);
	assert_int_equal(trip.count, 4000);
	assert_int_equal(trip.records[3999]->xlen, 32);
	trip_fini(&trip);
}

/* --- the light way --- */

static void the_light_way_gives_the_same_pc_opcode_privilege_and_flags(void **state)
{
	(void)state;
	struct ear_reader_options light = {.light = true};

	for (size_t k = 0; k < COUNT_OF(files); k++) {
		char name[64];
		size_t size;
		struct trip a, b;
		snprintf(name, sizeof(name), "whisper/%s.csv", files[k]);
		char *text = trip_load(name, &size);
		trip_read(&a, "whisper", text, size, NULL);
		trip_read(&b, "whisper", text, size, &light);
		assert_int_equal(a.count, b.count);
		for (size_t i = 0; i < a.count; i++) {
			const struct ear_record *x = a.records[i], *y = b.records[i];
			if (x->pc != y->pc || x->pc_physical != y->pc_physical ||
				x->opcode != y->opcode || x->opcode_size != y->opcode_size ||
				x->privilege != y->privilege || x->flags != y->flags ||
				x->cause != y->cause || x->hart != y->hart ||
				x->index != y->index || x->xlen != y->xlen ||
				x->extra->line != y->extra->line ||
				x->stream_offset != y->stream_offset)
				fail_msg("%s, record %zu", name, i);
			assert_int_equal(y->register_count + y->memory_count, 0);
		}
		trip_fini(&a);
		trip_fini(&b);
		free(text);
	}
}

/* A line may be shorter than what a pattern begins with; behind the last one there is no line end.
 */
static void a_short_last_line_is_read_the_light_way(void **state)
{
	(void)state;
	struct ear_reader_options light = {.light = true};
	static const char line[] = "80000000,1197,x3=80001000,i1000,,,m,,auipc    x3; 0x1\n";
	char text[300];

	for (size_t length = 1; length < 20; length++) {
		struct trip trip;
		int size = snprintf(text, sizeof(text), "%s%s%s%.*s\n",
			"pc, inst, modified regs, source operands, memory, inst info, privilege, "
			"trap, disassembly\n",
			line, line, (int)length, line);
		trip_read(&trip, "whisper", text, (size_t)size, &light);
		assert_true(trip.count >= 2);
		trip_fini(&trip);
	}
}

/* --- random records --- */

struct made {
	struct ear_record record;
	struct ear_record_register registers[6];
	struct ear_record_access memory[2];
	uint8_t bytes[32];
};

static uint64_t random_value(struct random *random, unsigned xlen)
{
	uint64_t value = random_next(random) >> random_below(random, 64);

	return xlen == 32 ? (uint32_t)value : value;
}

static void add_register(struct made *made, struct random *random,
	enum ear_register_class reg_class, unsigned number)
{
	struct ear_record_register *reg = &made->registers[made->record.register_count++];

	*reg = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number};
	if (reg_class == EAR_REGISTER_V) {
		for (size_t i = 0; i < sizeof(made->bytes); i++)
			made->bytes[i] = (uint8_t)random_next(random);
		reg->text_size = sizeof(made->bytes);
		reg->text.bytes = made->bytes;
	} else {
		reg->value =
			random_value(random, reg_class == EAR_REGISTER_F ? 64 : made->record.xlen);
	}
}

static void add_registers(struct made *made, struct random *random)
{
	if (random_below(random, 2))
		add_register(made, random, EAR_REGISTER_X, 1 + (unsigned)random_below(random, 31));
	if (random_once_in(random, 4)) {
		add_register(made, random, EAR_REGISTER_F, (unsigned)random_below(random, 32));
		made->record.fflags = (uint8_t)random_below(random, 32);
	}
	if (random_once_in(random, 8)) {
		add_register(made, random, EAR_REGISTER_CSR, EAR_CSR_VTYPE);
		if (!random_once_in(random, 4))
			made->registers[made->record.register_count - 1].value &= 0xff;
	}
	while (random_once_in(random, 4) && made->record.register_count < 4)
		add_register(made, random, EAR_REGISTER_CSR,
			4 + (unsigned)random_below(random, 3000)); /* not frm, not vtype */
	if (random_once_in(random, 10))
		add_register(made, random, EAR_REGISTER_V, (unsigned)random_below(random, 32));
}

static void add_memory(struct made *made, struct random *random, const struct ear_inst *inst)
{
	struct ear_record *record = &made->record;
	bool trapped = record->flags & EAR_RECORD_TRAP;
	bool write = inst->kind == EAR_KIND_STORE || inst->kind == EAR_KIND_SC ||
		     inst->kind == EAR_KIND_AMO || inst->kind == EAR_KIND_VSTORE;
	struct ear_record_access access = {.address = random_value(random, record->xlen),
		.size = inst->access_size,
		.write = write};

	if (inst->access_size == 0 || inst->access_size > 8 || inst->kind == EAR_KIND_CACHE ||
		record->flags & EAR_RECORD_INTERRUPT)
		return;
	if (random_once_in(random, 4)) {
		access.has_physical = true;
		access.physical = access.address ^ 0x1000;
	}
	if (inst->kind == EAR_KIND_AMO && !trapped) {
		made->memory[0] = access;
		made->memory[0].write = false;
		record->memory_count = 1;
	}
	if (write && !trapped) {
		access.has_value = true;
		access.value = random_next(random) >> (64 - 8 * inst->access_size);
	}
	made->memory[record->memory_count++] = access;
}

static void add_flow(struct made *made, struct random *random, const struct ear_inst *inst)
{
	struct ear_record *record = &made->record;
	uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	bool jump = inst->kind == EAR_KIND_JUMP ||
		    (inst->kind == EAR_KIND_BRANCH && random_below(random, 2));

	record->next_pc = (record->pc + inst->size) & mask;
	if (random_once_in(random, 12)) {
		bool irq = random_below(random, 2);
		record->flags |= irq ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
		record->cause = random_below(random, 64) | (uint64_t)irq << (record->xlen - 1);
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	} else if (jump) {
		record->flags |= EAR_RECORD_TAKEN;
		record->next_pc = inst->id == EAR_INST_C_JAL
					  ? (record->pc + (uint64_t)inst->imm) & mask
					  : random_value(random, record->xlen);
	} else if (inst->id == EAR_INST_MRET || inst->id == EAR_INST_SRET ||
		   inst->id == EAR_INST_MNRET || inst->id == EAR_INST_DRET) {
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	}
}

static void make_record(struct made *made, struct random *random, unsigned xlen, uint64_t index[2])
{
	struct ear_record *record = &made->record;
	struct ear_inst inst;

	memset(made, 0, sizeof(*made));
	do
		ear_inst_decode(&inst, (uint32_t)random_next(random), xlen);
	while (inst.kind == EAR_KIND_ILLEGAL && !random_once_in(random, 20));
	record->kind = EAR_RECORD_INSTRUCTION;
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)xlen;
	record->opcode = inst.opcode;
	record->opcode_size = inst.size;
	record->hart = (uint16_t)random_below(random, 2);
	record->index = index[record->hart]++;
	record->privilege = (uint8_t)random_below(random, EAR_PRIVILEGE_DEBUG + 1);
	record->pc = random_value(random, xlen);
	if (random_once_in(random, 5)) {
		record->flags |= EAR_RECORD_PC_PHYSICAL;
		record->pc_physical = record->pc ^ 0x8000;
	}
	record->registers = made->registers;
	record->memory = made->memory;
	add_flow(made, random, &inst);
	add_registers(made, random);
	add_memory(made, random, &inst);
}

/* The vtype of a vector instruction is what its hart wrote last. */
static void follow_vtype(struct ear_record *record, uint8_t vtypes[2])
{
	record->vtype = ear_opcode_uses_vtype((uint32_t)record->opcode) ? vtypes[record->hart] : 0;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_VTYPE)
			vtypes[record->hart] = ear_vtype_pack(reg->value, record->xlen);
	}
}

static void random_records_come_back(void **state)
{
	(void)state;
	enum { COUNT = 20000 };

	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct random random = {0x2545F491 + xlen};
		struct made *made = calloc(COUNT, sizeof(*made));
		struct ear_record **records = calloc(COUNT, sizeof(*records));
		struct ear_reader_options options = {.xlen = xlen};
		uint64_t index[2] = {0, 0};
		uint8_t vtypes[2] = {0, 0};
		struct trip trip;
		size_t size;

		for (size_t i = 0; i < COUNT; i++) {
			/* Also the same instruction again: it takes the shortest way. */
			if (i > 0 && random_below(&random, 2)) {
				uint16_t hart = made[i - 1].record.hart;
				made[i] = made[i - 1];
				made[i].record.index = index[hart]++;
				made[i].record.registers = made[i].registers;
				made[i].record.memory = made[i].memory;
				for (size_t k = 0; k < made[i].record.register_count; k++)
					if (made[i].registers[k].reg_class == EAR_REGISTER_X)
						made[i].registers[k].value =
							random_value(&random, xlen);
			} else {
				make_record(&made[i], &random, xlen, index);
			}
			records[i] = &made[i].record;
			follow_vtype(records[i], vtypes);
		}
		for (size_t i = 0; i < COUNT; i++)
			for (size_t k = 0; k < made[i].record.register_count; k++)
				if (made[i].registers[k].reg_class == EAR_REGISTER_V)
					made[i].registers[k].text.bytes = made[i].bytes;
		char *text = trip_write("whisper", records, COUNT, &size);
		trip_read(&trip, "whisper", text, size, &options);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.count, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			const char *field = trip_record_difference(records[i], trip.records[i]);
			if (field)
				fail_msg("xlen %u, record %zu (line %u), opcode %x: %s", xlen, i,
					(unsigned)trip.records[i]->extra->line,
					(unsigned)records[i]->opcode, field);
		}
		trip_fini(&trip);
		free(text);
		free(records);
		free(made);
	}
}

/* --- hostile input --- */

static void damage_ends_well(void **state)
{
	(void)state;
	static const char *const names[] = {"vector", "walks", "timer"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char name[64];
		size_t size;
		snprintf(name, sizeof(name), "whisper/%s.csv", names[i]);
		char *text = trip_load(name, &size);
		trip_torture("whisper", text, size, i == 2 ? 4000 : 3000);
		free(text);
	}
}

/* What was mutated is still read, fast way or slow, to the same records. */
static void both_ways_agree_on_damaged_lines(void **state)
{
	(void)state;
	struct random random = {77};
	size_t size;
	char *text = trip_load("whisper/timer.csv", &size);
	size_t header = strcspn(text, "\n") + 1;

	for (unsigned i = 0; i < 500 / EAR_TEST_LESS; i++) {
		char *damaged = malloc(2 * size + 2);
		/* Twice the same text: the second time the lines are known. */
		memcpy(damaged, text, size);
		memcpy(damaged + size, text + header, size - header);
		for (unsigned k = 0; k < 30; k++) {
			size_t at = header + random_below(&random, 2 * (size - header));
			static const char letters[] = ",;=:0123456789abcdefxm";
			if (damaged[at] != '\n')
				damaged[at] = letters[random_below(&random, sizeof(letters) - 1)];
		}
		damaged[2 * size - header] = '\0';

		struct trip usual, other;
		struct ear_reader_options options = {.xlen = 64};
		char *pmp = malloc(4 * size);
		size_t pmp_size = 0;
		/* An unknown column at the end sends every line the slow way. */
		for (char *line = damaged; *line; line += strcspn(line, "\n") + 1)
			pmp_size += (size_t)sprintf(pmp + pmp_size, "%.*s,%s\n",
				(int)strcspn(line, "\n"), line, line == damaged ? "pmp" : "");
		trip_read(&usual, "whisper", damaged, strlen(damaged), &options);
		trip_read(&other, "whisper", pmp, pmp_size, &options);
		assert_int_equal(usual.bad, other.bad);
		assert_int_equal(usual.count, other.count);
		for (size_t k = 0; k < usual.count; k++) {
			const char *field =
				trip_record_difference(usual.records[k], other.records[k]);
			if (field)
				fail_msg("round %u, line %u: %s", i,
					(unsigned)usual.records[k]->extra->line, field);
		}
		trip_fini(&usual);
		trip_fini(&other);
		free(pmp);
		free(damaged);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_comes_out_as_it_went_in),
		cmocka_unit_test(long_vector_lines_come_out_as_they_went_in),
		cmocka_unit_test(an_amo_is_a_read_and_a_write),
		cmocka_unit_test(each_hart_keeps_its_rounding_mode),
		cmocka_unit_test(traps_interrupts_and_jumps_are_distinguished),
		cmocka_unit_test(page_walks_have_steps_values_and_attributes),
		cmocka_unit_test(texts_are_kept_only_if_the_table_has_others),
		cmocka_unit_test(columns_may_come_in_any_order),
		cmocka_unit_test(files_of_other_shapes_are_the_same),
		cmocka_unit_test(bad_lines_are_reported_with_their_position_and_skipped),
		cmocka_unit_test(a_register_that_there_is_not_is_a_word),
		cmocka_unit_test(gaps_and_events_come_back_and_move_the_index),
		cmocka_unit_test(xlen_follows_from_values_and_texts),
		cmocka_unit_test(a_value_too_wide_for_xlen_is_one_bad_line),
		cmocka_unit_test(the_lines_of_the_beginning_vote_on_xlen),
		cmocka_unit_test(a_lone_value_of_more_than_9_digits_is_of_64_bits),
		cmocka_unit_test(a_guess_of_32_bits_is_taken_back_with_one_warning),
		cmocka_unit_test(what_is_of_32_bits_alone_is_no_guess),
		cmocka_unit_test(the_light_way_gives_the_same_pc_opcode_privilege_and_flags),
		cmocka_unit_test(a_short_last_line_is_read_the_light_way),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(damage_ends_well),
		cmocka_unit_test(both_ways_agree_on_damaged_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
