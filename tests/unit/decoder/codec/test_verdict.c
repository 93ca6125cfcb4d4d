/* What may be said of a stream as a whole, for all statistics that deny it. */
#include "check.h"

#include <string.h>

#include "decoder/codec/verdict.h"

#define WHOLE .ended = 1, .stopped = true, .frames = 3, .records = 100

static const struct row {
	const char *name;
	struct ear_decoder_statistics statistics;
	bool complete, accounted;
} rows[] = {
	{"whole", {WHOLE}, true, true},
	{"two captures", {.ended = 2, .stopped = true, .records = 7}, true, true},
	{"held back by a filter", {WHOLE, .stop_retired = 300, .stop_filtered = 200}, true, true},
	{"events are no loss", {WHOLE, .events = 9}, true, true},
	{"a capture without a record", {.ended = 1, .stopped = true}, true, true},

	{"counted: missing on the way", {WHOLE, .missing = 1, .gaps = 1}, false, true},
	{"counted: found out at STOP only", {WHOLE, .missing = 1}, false, true},
	{"counted: lost by the unit", {WHOLE, .unit_lost = 4, .gaps = 1}, false, true},
	{"counted: lost before a file begins", {WHOLE, .stop_lost = 4}, false, true},
	{"a gap of no record", {WHOLE, .gaps = 1}, false, true},
	{"bytes dropped here", {WHOLE, .host_lost_bytes = 10}, false, true},
	{"damaged bytes", {WHOLE, .skipped_bytes = 1}, false, true},
	{"missing frames", {WHOLE, .missing_frames = 1}, false, true},
	{"a bad message", {WHOLE, .bad_messages = 1}, false, true},
	{"repeated frames", {WHOLE, .repeated_frames = 1}, false, true},

	{"nothing", {.frames = 0}, false, false},
	{"no STOP", {.unended = 1, .records = 100}, false, false},
	{"no STOP of one hart", {WHOLE, .unended = 1}, false, false},
	{"no STOP, and nothing of a capture", {.frames = 3}, false, false},
	{"counts that do not add up", {WHOLE, .unbalanced = 1}, false, false},
	{"an unknown number is missing", {WHOLE, .unknown_gaps = 1, .gaps = 1}, false, false},
	{"a failed check", {WHOLE, .disagreements = 1, .gaps = 1}, false, false},
	{"a core that went on after the end", {WHOLE, .busy_ends = 1}, false, false},
	{"a unit that cannot be followed", {WHOLE, .geometry_unsupported = true}, false, false},
};

static void complete_and_accounted_are_said_of_what_is_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_verdict verdict = ear_verdict_of(&rows[i].statistics);
		if (verdict.complete != rows[i].complete || verdict.accounted != rows[i].accounted)
			fail_msg("%s: complete %d, accounted %d", rows[i].name, verdict.complete,
				verdict.accounted);
		if (!verdict.why != verdict.complete)
			fail_msg("%s: why: %s", rows[i].name, verdict.why ? verdict.why : "-");
	}
}

/* Whatever comes together: nothing makes it better. */
static void nothing_wrong_is_made_good_by_another_thing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_decoder_statistics statistics = rows[i].statistics;
		statistics.missing++;
		statistics.gaps++;
		struct ear_verdict verdict = ear_verdict_of(&statistics);
		assert_false(verdict.complete);
		assert_int_equal(verdict.accounted, rows[i].accounted);
		statistics.unended++;
		assert_false(ear_verdict_of(&statistics).accounted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_and_accounted_are_said_of_what_is_so),
		cmocka_unit_test(nothing_wrong_is_made_good_by_another_thing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
