/* vtype in Whisper's CSV: followed by the reader, and shown by the sizes of register groups. Lines
 * of several vtypes and two harts, mixed, so that the same line comes after another vtype, too.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vtype_is_that_of_the_hart_and_no_text_is_kept),
		cmocka_unit_test(the_sizes_of_groups_come_back),
		cmocka_unit_test(other_sizes_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
