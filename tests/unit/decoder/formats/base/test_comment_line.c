/* Comment lines of gaps and events: written, read back, and what is none. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "decoder/formats/base/comment_line.h"
#include "random.h"

static void check_both_ways(const struct ear_record *record, const char *expected)
{
	char line[EAR_COMMENT_LINE_SIZE];
	struct ear_record got = {.flags = 0};
	size_t size = (size_t)(ear_comment_line_put(line, record) - line);

	assert_above(size, 0);
	assert_at_most(size, sizeof(line));
	assert_int_equal(line[size - 1], '\n');
	line[--size] = '\0';
	if (expected)
		assert_string_equal(line, expected);
	assert_null(strchr(line, ','));
	assert_true(ear_comment_line_is(line, size));
	assert_int_equal(ear_comment_line_parse(&got, line, size), 0);
	assert_int_equal(got.kind, record->kind);
	assert_int_equal(got.hart, record->hart);
	assert_int_equal(got.index, record->index);
	if (record->kind == EAR_RECORD_GAP) {
		const struct ear_gap *a = &record->u.gap, *b = &got.u.gap;
		assert_int_equal(got.stream_offset, record->stream_offset);
		assert_int_equal(a->reason, b->reason);
		assert_int_equal(a->count_known, b->count_known);
		assert_int_equal(a->upper_bound, b->upper_bound);
		assert_int_equal(a->at_start, b->at_start);
		assert_int_equal(a->count, b->count);
		assert_int_equal(a->skipped_bytes, b->skipped_bytes);
		assert_int_equal(a->missing_frames, b->missing_frames);
		if (a->count_known && a->count) {
			assert_int_equal(a->first, b->first);
			assert_int_equal(a->last, b->last);
		}
	} else {
		const struct ear_event *a = &record->u.event, *b = &got.u.event;
		assert_int_equal(a->source, b->source);
		assert_int_equal(a->value, b->value);
		assert_int_equal(a->words[0], b->words[0]);
		assert_int_equal(a->words[1], b->words[1]);
		assert_int_equal(a->name.size, b->name.size);
	}
	/* No prefix of a line is taken for the whole of it, unless a number is cut. */
	for (size_t prefix = 0; prefix < size; prefix++)
		if (line[prefix] < '0' || line[prefix] > '9')
			assert_int_equal(
				ear_comment_line_parse(&got, line, prefix), EAR_E_BAD_FILE);
}

static void gaps_of_every_kind_come_back(void **state)
{
	(void)state;
	struct ear_record record = {.kind = EAR_RECORD_GAP, .hart = 3, .stream_offset = 4096};

	record.index = 100;
	record.u.gap =
		(struct ear_gap){.count_known = true, .first = 100, .last = 111, .count = 12};
	check_both_ways(&record, "# gap: 12 records missing; index 100 to 111; hart 3; "
				 "the unit's FIFO was full; stream byte 4096");
	record.u.gap = (struct ear_gap){.reason = EAR_GAP_DAMAGE,
		.count_known = true,
		.upper_bound = true,
		.first = 100,
		.last = 100,
		.count = 1,
		.skipped_bytes = 7,
		.missing_frames = 2};
	check_both_ways(&record, "# gap: up to 1 record missing; index 100 to 100; hart 3; damaged "
				 "bytes; 7 bytes skipped; 2 frames missing; stream byte 4096");
	record.u.gap = (struct ear_gap){.reason = EAR_GAP_CUT};
	check_both_ways(&record, NULL);
	record.u.gap = (struct ear_gap){.reason = EAR_GAP_MISSING_FRAME, .at_start = true};
	check_both_ways(&record, NULL);
	record.u.gap = (struct ear_gap){
		.reason = EAR_GAP_BAD_MESSAGE, .count_known = true, .first = 100, .last = 99};
	check_both_ways(&record, NULL);
}

static void events_of_every_kind_come_back(void **state)
{
	(void)state;
	struct ear_record record = {.kind = EAR_RECORD_EVENT, .hart = 1, .index = 5};

	record.u.event = (struct ear_event){.source = EAR_EVENT_START_TRIGGER, .value = 0xDEADBEEF};
	check_both_ways(
		&record, "# event: start trigger; value 0xdeadbeef; hart 1; before index 5");
	record.u.event = (struct ear_event){.source = EAR_EVENT_PORT};
	check_both_ways(&record, NULL);
	record.u.event = (struct ear_event){.source = EAR_EVENT_PORT_LOST, .value = 3};
	check_both_ways(&record, "# event: port events lost; value 0x3; hart 1; before index 5");
	record.u.event = (struct ear_event){
		.source = EAR_EVENT_REGISTER + EAR_PORT_MMAP_EXEPATH, .value = 0x80001234};
	check_both_ways(
		&record, "# event: port mmap-exepath; value 0x80001234; hart 1; before index 5");
	record.u.event = (struct ear_event){.source = EAR_EVENT_REGISTER + 2, .value = 9};
	check_both_ways(&record, "# event: port register 2; value 0x9; hart 1; before index 5");
	record.u.event = (struct ear_event){
		.name = {"TUBE", 4}, .value = 1, .words = {2, 0xFFFFFFFFFFFFFFFF}};
	check_both_ways(&record, "# event: TUBE; value 0x1; words 0x2 0xffffffffffffffff; hart 1; "
				 "before index 5");
}

static void a_name_cannot_break_the_line(void **state)
{
	(void)state;
	char line[EAR_COMMENT_LINE_SIZE], name[3000];
	struct ear_record record = {.kind = EAR_RECORD_EVENT};

	memset(name, 'n', sizeof(name));
	memcpy(name, "a,b;c\nd", 7);
	record.u.event.name = (struct ear_text){name, sizeof(name)};
	size_t size = (size_t)(ear_comment_line_put(line, &record) - line);
	assert_memory_equal(line, "# event: a_b_c_dnnn", 19);
	assert_ptr_equal(memchr(line, '\n', size), line + size - 1);
	assert_int_equal(ear_comment_line_parse(&record, line, size - 1), 0);
	assert_int_equal(record.u.event.name.size, 2048);
}

static void other_lines_are_no_comment_lines(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"# gap: ",
		"# gap: many records missing; index 1 to 2; hart 0; damaged bytes; stream byte 0",
		"# gap: 2 records missing; index 1 to 2; hart 0; for fun; stream byte 0",
		"# gap: 2 records missing; index 1 to 2; hart 65536; damaged bytes; stream byte 0",
		"# gap: 2 records missing; index 1 to 2; hart 0; damaged bytes; stream byte 0;",
		"# event: x; value 0x100000000; hart 0; before index 0",
		"# event: x; value 0x1; hart 0; before index 18446744073709551616",
		"# event: x; value 0x1; words 0x10000000000000001 0x0; hart 0; before index 0",
		"# event: x; hart 0",
	};
	struct ear_record record = {.hart = 77, .index = 88};

	assert_false(ear_comment_line_is("# comment", 9));
	assert_false(ear_comment_line_is("#1 0  M", 7));
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (!ear_comment_line_is(bad[i], strlen(bad[i])) ||
			ear_comment_line_parse(&record, bad[i], strlen(bad[i])) != EAR_E_BAD_FILE)
			fail_msg("not a bad comment line: %s", bad[i]);
	}
	assert_int_equal(record.hart, 77); /* nothing was touched */
	assert_int_equal(record.index, 88);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_of_every_kind_come_back),
		cmocka_unit_test(events_of_every_kind_come_back),
		cmocka_unit_test(a_name_cannot_break_the_line),
		cmocka_unit_test(other_lines_are_no_comment_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
