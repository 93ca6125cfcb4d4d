/* vtype in Whisper's CSV: followed by the reader, and shown by the sizes of register groups. Lines
 * of several vtypes and two harts, mixed, so that the same line comes after another vtype, too.
 */
#define _GNU_SOURCE /* memfd_create */

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/formats.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "random.h"
#include "record_trip.h"

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly, hartid\n"
#define BLOCKS 600
#define LINE   160

struct block {
	uint8_t vtype;
	const char *lines[8]; /* without the hart; the first one sets vtype */
};

static const struct block blocks[] = {
	{EAR_VTYPE_KNOWN | 0x12,
		{"80000100,cd2272d7,x5=4;c3104=4;c3105=d2,i4;id2,,v,m,,vsetivli x5; 4; e32;m4;ta;ma",
			"80000104,2c40257,v4=00000003000000020000000100000000,v12m4;v8m4,,v,m,,vadd.vv "
			"v4; v12; v8",
			"80000108,2056427,,v8m4;x10,80001000=1;80001004=2,v,m,,vse32.v v8; (x10)",
			"8000010c,2c42257,v4=00000000000000000000000000000007,v12m4;v8,,v,m,,vredsum.vs "
			"v4; v12; v8",
			"80000110,b6c42257,v4=00000000000000000000000000000007,v8m4;v12m4,,v,m,,vmacc.vv "
			"v4; v8; v12",
			"80000114,c40057,c833=80000114;c834=2,v12;v8,,v,m,2,vadd.vv v0; v12; v8; v0.t",
			"80000118,28513,x10=1,x5;i0,,,m,,addi     x10; x5; 0"}},
	{EAR_VTYPE_KNOWN | 0x07,
		{"80000120,cc7272d7,x5=4;c3104=4;c3105=c7,i4;ic7,,v,m,,vsetivli x5; 4; e8;mf2;ta;ma",
			"80000104,2c40257,v4=00000003000000020000000100000000,v12;v8,,v,m,,vadd.vv v4; "
			"v12; v8",
			"80000108,2056427,,v8m2;x10,80001000=1;80001004=2,v,m,,vse32.v v8; (x10)",
			"80000128,ee61a457,v8=00000000000000000000000000000007,v6;v3,,v,m,,vwmul.vv v8; v6; "
			"v3",
			"80000118,28513,x10=1,x5;i0,,,m,,addi     x10; x5; 0"}},
	{EAR_VTYPE_KNOWN | 0x1b,
		{"80000130,cdb272d7,x5=4;c3104=4;c3105=db,i4;idb,,v,m,,vsetivli x5; 4; e64;m8;ta;ma",
			/* not a multiple of 8: the groups are noted when that is found */
			"80000104,2c40257,c833=80000104;c834=2,v12m8;v8m8,,v,m,2,vadd.vv v4; v12; v8",
			"80000108,2056427,,v8m4;x10,80001000=1;80001004=2,v,m,,vse32.v v8; (x10)",
			/* before the instruction, an interrupt */
			"80000104,2c40257,c833=80000104;c834=8000000000000007,v12;v8,,v,m,"
			"8000000000000007,vadd.vv v4; v12; v8"}},
	{EAR_VTYPE_KNOWN | EAR_VTYPE_ILLEGAL,
		{"80000140,80a272d7,x5=0;c3104=0;c3105=8000000000000000,x4;x10,,v,m,,vsetvl x5; x4; x10",
			"80000104,2c40257,c833=80000104;c834=2,v12;v8,,v,m,2,vadd.vv v4; v12; v8",
			"80000148,9ec1b257,v4=00000003000000020000000100000000,v12m4,,v,m,,vmv4r.v v4; "
			"v12"}},
};

struct trace {
	char *text;
	size_t size, lines;
	uint8_t *vtypes; /* before each line */
};

/* Blocks of two harts, cut into each other: each hart is somewhere in its block. */
static void make_trace(struct trace *trace, struct random *random)
{
	const struct block *at[2] = {NULL, NULL};
	size_t line[2] = {0, 0}, room = 2 * strlen(HEADER) + BLOCKS * 8 * LINE;
	uint8_t vtypes[2] = {0, 0};

	trace->text = malloc(room);
	trace->vtypes = malloc(BLOCKS * 8);
	trace->lines = 0;
	trace->size = 0;
	for (unsigned i = 0; i < BLOCKS * 4; i++) {
		unsigned hart = (unsigned)random_below(random, 2);
		if (!at[hart]) /* before the first line of each hart */
			trace->size += (size_t)sprintf(trace->text + trace->size, HEADER);
		if (!at[hart] || line[hart] == 8 || !at[hart]->lines[line[hart]]) {
			at[hart] = &blocks[random_below(random, COUNT_OF(blocks))];
			line[hart] = 0;
		}
		trace->vtypes[trace->lines++] = vtypes[hart];
		trace->size += (size_t)sprintf(
			trace->text + trace->size, "%s,%u\n", at[hart]->lines[line[hart]], hart);
		if (line[hart]++ == 0)
			vtypes[hart] = at[hart]->vtype;
	}
	assert_below(trace->size, room);
}

static void free_trace(struct trace *trace)
{
	free(trace->text);
	free(trace->vtypes);
}

static void vtype_is_that_of_the_hart_and_no_text_is_kept(void **state)
{
	struct random random = {1};
	struct trace trace;
	struct trip trip;

	(void)state;
	make_trace(&trace, &random);
	trip_read(&trip, "whisper", trace.text, trace.size, NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.count, trace.lines);
	for (size_t i = 0; i < trip.count; i++) {
		const struct ear_record *record = trip.records[i];
		if (ear_opcode_uses_vtype((uint32_t)record->opcode))
			assert_int_equal(record->vtype, trace.vtypes[i]);
		if (record->extra->sources.text || record->extra->disassembly.text ||
			record->extra->info.text)
			fail_msg("record %zu keeps a text", i);
	}
	trip_fini(&trip);
	free_trace(&trace);
}

static void check_way(const char *format)
{
	struct random random = {2};
	struct trace trace;
	struct trip trip, other;
	size_t size, again_size;

	make_trace(&trace, &random);
	trip_read(&trip, "whisper", trace.text, trace.size, NULL);
	char *text = trip_write(format, trip.records, trip.count, &size);
	trip_read(&other, format, text, size, NULL);
	char *again = trip_write("whisper", other.records, other.count, &again_size);
	assert_int_equal(again_size, trace.size);
	assert_memory_equal(again, trace.text, trace.size);
	trip_fini(&other);
	trip_fini(&trip);
	free(again);
	free(text);
	free_trace(&trace);
}

static void the_sizes_of_groups_come_back(void **state)
{
	(void)state;
	check_way("whisper");
	check_way("json");
}

/* Of what was never seen, and of what is not so, the text stays. */
static void other_sizes_are_kept(void **state)
{
	static const char text[] = HEADER
		"80000104,2c40257,,v12m2;v8m2,,v,m,,vadd.vv v4; v12; v8,0\n"
		"80000100,cd2272d7,x5=4;c3104=4;c3105=d2,i4;id2,,v,m,,vsetivli x5; 4; e32;m4;ta;ma,0\n"
		"80000104,2c40257,,v12m2;v8m2,,v,m,,vadd.vv v4; v12; v8,0\n"
		"80000104,2c40257,,v12m4;v8m4,,v,m,,vadd.vv v4; v12; v8,0\n"
		"80000104,2c40257,,v12;v8,,v,m,2,vadd.vv v4; v12; v8,0\n"
		"80000104,2c40257,,v12m4;v8m4,,v,m,,vadd.vv v4; v12; v8,0\n";
	static const bool kept[] = {true, false, true, false, true, false};
	struct trip trip;
	size_t size;

	(void)state;
	trip_read(&trip, "whisper", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.count, COUNT_OF(kept));
	for (size_t i = 0; i < trip.count; i++)
		assert_int_equal(trip.records[i]->extra->sources.text != NULL, kept[i]);
	char *again = trip_write("whisper", trip.records, trip.count, &size);
	assert_int_equal(size, sizeof(text) - 1);
	assert_memory_equal(again, text, size);
	trip_fini(&trip);
	free(again);
}

/* --- Lines that are passed over --- */

struct side {
	int fd;
	struct ear_text_input *input;
	struct ear_reader *reader;
};

static void open_side(struct side *side, const char *text, size_t size)
{
	const struct ear_reader_options options = {.xlen = 64};

	side->fd = memfd_create("trace", 0);
	assert_at_least(side->fd, 0);
	assert_int_equal(pwrite(side->fd, text, size, 0), (ssize_t)size);
	assert_int_equal(ear_text_input_new(&side->input, side->fd, NULL, 0), 0);
	side->reader = ear_reader_find("whisper")->make(side->input, &options);
	assert_non_null(side->reader);
}

static void close_side(struct side *side)
{
	ear_reader_free(side->reader);
	ear_text_input_free(side->input);
	close(side->fd);
}

static void check_next(const struct trip *trip, const struct ear_record *record)
{
	for (size_t i = 0; i < trip->count; i++) {
		const struct ear_record *expected = trip->records[i];
		if (expected->hart != record->hart || expected->index != record->index)
			continue;
		assert_int_equal(record->opcode, expected->opcode);
		if (ear_opcode_uses_vtype((uint32_t)record->opcode))
			assert_int_equal(record->vtype, expected->vtype);
		assert_null(record->extra->sources.text);
		return;
	}
	fail_msg("hart %u has no record %u", record->hart, (unsigned)record->index);
}

/* Two texts, read with lines passed over wherever the readers do it. */
static void check_passing(const struct trace *trace, const char *other, size_t other_size)
{
	struct trip trip;
	const struct ear_record *record;
	struct ear_equal_lines harts[EAR_EQUAL_HARTS_MAX];
	uint64_t passed = 0;

	trip_read(&trip, "whisper", trace->text, trace->size, NULL);
	for (size_t keep = 0; keep < 40; keep += 13) {
		struct side a, b;
		open_side(&a, trace->text, trace->size);
		open_side(&b, other, other_size);
		for (size_t i = 0; ear_reader_next(a.reader, &record) == 1; i++) {
			check_next(&trip, record);
			assert_int_equal(ear_reader_next(b.reader, &record), 1);
			check_next(&trip, record);
			size_t count =
				i % 7 == 0 ? ear_reader_skip_equal(a.reader, b.reader, harts, keep)
					   : 0;
			for (size_t k = 0; k < count; k++)
				passed += harts[k].count;
		}
		close_side(&a);
		close_side(&b);
	}
	assert_above(passed, 3 * trip.count / 2);
	trip_fini(&trip);
}

static void lines_that_are_passed_over_leave_the_vtype_that_they_set(void **state)
{
	struct random random = {3};
	struct trace trace;

	(void)state;
	make_trace(&trace, &random);
	check_passing(&trace, trace.text, trace.size);
	free_trace(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vtype_is_that_of_the_hart_and_no_text_is_kept),
		cmocka_unit_test(the_sizes_of_groups_come_back),
		cmocka_unit_test(other_sizes_are_kept),
		cmocka_unit_test(lines_that_are_passed_over_leave_the_vtype_that_they_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
