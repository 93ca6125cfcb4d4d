/* A capture from an open session to its end, without the command line: against a fake unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/seconds.h"
#include "cli/live/interrupt.h"
#include "cli/live/live_capture.h"
#include "cli/live/live_summary.h"
#include "fake_transport.h"
#include "shot_files.h"

#define MANY_FRAMES 3000 /* and then silence; more than any limit here */

/* A capture of a fake device into t.shot and t.csv of a folder of its own. */
struct trial {
	char folder[64], shot[96], csv[96];
	struct fake_transport *fake;
	struct trigger_text triggers;
	struct live_capture *live, capture;
};

static int begin(void **state)
{
	struct trial *trial = calloc(1, sizeof(*trial));

	assert_non_null(trial);
	strcpy(trial->folder, "/tmp/earshot-live-XXXXXX");
	assert_non_null(mkdtemp(trial->folder));
	snprintf(trial->shot, sizeof(trial->shot), "%s/t.shot", trial->folder);
	snprintf(trial->csv, sizeof(trial->csv), "%s/t.csv", trial->folder);
	trial->fake = fake_transport_new();
	trial->live = &trial->capture;
	live_capture_init(trial->live);
	trial->live->device = "fake:";
	trial->live->triggers = &trial->triggers;
	trial->live->quiet = true;
	files_clear();
	cli_interrupted = 0;
	*state = trial;
	return 0;
}

static int end(void **state)
{
	struct trial *trial = *state;

	ear_session_close(trial->live->session);
	live_capture_fini(trial->live);
	unlink(trial->shot);
	unlink(trial->csv);
	rmdir(trial->folder);
	free(trial);
	assert_int_equal(fake_transport_count, 0);
	return 0;
}

static void open_session(struct trial *trial)
{
	struct ear_session_options options;
	struct ear_report report;

	ear_session_options_init(&options);
	options.reply_timeout_ms = 10000;
	options.stop_timeout_ms = 10000;
	if (ear_session_open_transport(
		    &trial->live->session, &trial->fake->base, &options, &report))
		fail_msg("%s", report.text);
}

static void open_files(struct trial *trial)
{
	struct live_capture *live = trial->live;

	assert_true(outputs_add(&live->outputs, trial->shot, NULL));
	assert_true(outputs_add(&live->outputs, trial->csv, NULL));
	assert_true(outputs_open(&live->outputs, "device: fake\n", 3));
	if (live->flight.size)
		assert_true(flight_open(&live->flight, "device: fake\n"));
}

static int capture(struct trial *trial)
{
	open_session(trial);
	assert_true(live_capture_prepare(trial->live));
	open_files(trial);
	return live_capture_run(trial->live);
}

/* Instruction records in the text: its lines without the header and comments. */
static uint64_t text_records(const struct trial *trial)
{
	FILE *file = fopen(trial->csv, "r");
	char line[1024];
	uint64_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += line[0] != '#' && strncmp(line, "pc,", 3) != 0;
	fclose(file);
	return count;
}

/* The bytes of the stream in the capture file, which must be complete. */
static uint64_t shot_bytes(const struct trial *trial)
{
	struct shot_contents contents;
	int fd = open(trial->shot, O_RDONLY);

	assert_true(fd >= 0);
	shot_read_fd(&contents, fd, 65536);
	close(fd);
	assert_string_equal(contents.fault, "");
	assert_true(contents.complete);
	uint64_t size = contents.stream.size;
	shot_contents_free(&contents);
	return size;
}

/* What the device did by itself comes first, whatever the host wanted in the meantime. */
static void the_end_reason_is_what_ended_the_capture(void **state)
{
	enum { LIMIT = 1, CTRL_C = 2, STOP_TRIGGER = 4, COUNTS = 8 };
	static const struct {
		const char *phrase;
		enum ear_session_end_reason reason;
		uint8_t stop;
		int wanted;
	} cases[] = {
		{"program ended", EAR_SESSION_END_STOP, EAR_STOP_ENDED, 0},
		{"program ended", EAR_SESSION_END_STOP, EAR_STOP_ENDED, CTRL_C},
		{"program ended", EAR_SESSION_END_STOP, EAR_STOP_ENDED, LIMIT},
		{"stop trigger", EAR_SESSION_END_STOP, EAR_STOP_TRIGGER, STOP_TRIGGER},
		{"stop trigger", EAR_SESSION_END_STOP, EAR_STOP_TRIGGER, STOP_TRIGGER | LIMIT},
		{"limit", EAR_SESSION_END_STOP, EAR_STOP_TRIGGER, COUNTS},
		{"limit", EAR_SESSION_END_STOP, EAR_STOP_HOST, LIMIT},
		{"limit", EAR_SESSION_END_HOST, 0, LIMIT},
		{"interrupted", EAR_SESSION_END_STOP, EAR_STOP_HOST, CTRL_C},
		{"interrupted", EAR_SESSION_END_HOST, 0, CTRL_C},
		{"interrupted", EAR_SESSION_END_OF_FILE, 0, CTRL_C},
		/* Another host has told the unit. */
		{"stopped by the host", EAR_SESSION_END_STOP, EAR_STOP_HOST, 0},
		{"stop trigger", EAR_SESSION_END_STOP, EAR_STOP_TRIGGER, 0},
		{"no answer to the stop", EAR_SESSION_END_HOST, 0, 0},
		/* A dump, with the STOP message of the capture that it is of. */
		{"end of file", EAR_SESSION_END_OF_FILE, EAR_STOP_TRIGGER, 0},
		{"end of file", EAR_SESSION_END_OF_FILE, EAR_STOP_ENDED, 0},
		{"device vanished", EAR_SESSION_END_VANISHED, 0, 0},
		{"device vanished", EAR_SESSION_END_VANISHED, 0, CTRL_C},
		{"device error", EAR_SESSION_END_ERROR, 0, LIMIT},
		{"board ended without a STOP message", EAR_SESSION_END_EXITED, 0, 0},
	};
	struct trial *trial = *state;
	struct live_capture *live = trial->live;

	open_session(trial);
	open_files(trial);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ear_session_end end = {.reason = cases[i].reason,
			.has_stop = cases[i].stop != 0,
			.stop_reason = cases[i].stop};
		live->limited = cases[i].wanted & LIMIT;
		cli_interrupted = (cases[i].wanted & CTRL_C) != 0;
		trial->triggers.stop = cases[i].wanted & STOP_TRIGGER ? "pc=main" : NULL;
		live->config.stop.kind = cases[i].wanted & COUNTS ? EAR_TRIGGER_RECORDS : 0;
		const char *phrase = live_end_phrase(live, &end);
		if (strcmp(phrase, cases[i].phrase) != 0)
			fail_msg("case %zu: %s, expected %s", i, phrase, cases[i].phrase);
	}
	assert_string_equal(live_end_phrase(live, NULL), "failed");
	outputs_close(&live->outputs, "");
}

static void a_capture_that_ends_by_itself_is_in_all_its_files(void **state)
{
	struct trial *trial = *state;

	trial->fake->frame_count = 50;
	trial->fake->ends = true;
	assert_int_equal(capture(trial), EAR_EXIT_DONE);
	const struct ear_decoder_statistics *statistics = &trial->live->decoder.statistics;
	assert_string_equal(trial->live->end_reason, "program ended");
	assert_true(statistics->records >= 50);
	assert_int_equal(statistics->unit_lost + statistics->missing, 0);
	assert_int_equal(text_records(trial), statistics->records);
	assert_int_equal(shot_bytes(trial), statistics->bytes);
}

static void a_limit_of_bytes_ends_a_capture_that_would_not_end(void **state)
{
	struct trial *trial = *state;

	trial->fake->frame_count = MANY_FRAMES;
	trial->live->limit_bytes = 300000;
	assert_int_equal(capture(trial), EAR_EXIT_DONE);
	assert_string_equal(trial->live->end_reason, "limit");
	assert_true(trial->live->decoder.statistics.bytes >= 300000);
	assert_int_equal(shot_bytes(trial), trial->live->decoder.statistics.bytes);
}

static void a_limit_of_seconds_ends_it_too(void **state)
{
	struct trial *trial = *state;
	double before = cli_seconds();

	trial->fake->frame_count = 3; /* then silence */
	trial->live->limit_seconds = 0.2;
	assert_int_equal(capture(trial), EAR_EXIT_DONE);
	assert_string_equal(trial->live->end_reason, "limit");
	assert_true(cli_seconds() - before >= 0.2);
	assert_int_equal(text_records(trial), trial->live->decoder.statistics.records);
}

static void a_number_of_records_is_left_to_the_unit_if_it_counts_the_same(void **state)
{
	struct trial *trial = *state;
	struct live_capture *live = trial->live;

	open_session(trial);
	live->limit_records = 1000;
	trial->triggers.range_count = 1; /* the filter holds records back, which the unit counts */
	assert_true(live_capture_prepare(live));
	assert_int_equal(live->config.stop.kind, EAR_TRIGGER_NONE);
	assert_int_equal(live->limit_records, 1000);

	trial->triggers.range_count = 0;
	assert_true(live_capture_prepare(live));
	assert_int_equal(live->config.stop.kind, EAR_TRIGGER_RECORDS);
	assert_int_equal(live->config.stop.value, 1000);
	assert_int_equal(live->limit_records, UINT64_MAX);
}

static void an_event_that_only_the_unit_sees_cannot_be_followed_by_records(void **state)
{
	struct trial *trial = *state;
	struct flight *flight = &trial->live->flight;

	open_session(trial);
	trial->triggers.until = "pin";
	flight->size = 65536;
	flight->has_until = true;
	flight->until.trigger.kind = EAR_TRIGGER_PIN;
	flight->after = 5;
	assert_false(live_capture_prepare(trial->live));
	flight->after = 0;
	assert_true(live_capture_prepare(trial->live));
	assert_true(flight->by_unit);
	assert_int_equal(trial->live->config.stop.kind, EAR_TRIGGER_PIN);
	flight->size = 0; /* it was never opened */
}

static void what_came_before_the_device_vanished_is_in_the_files(void **state)
{
	struct trial *trial = *state;

	trial->fake->frame_count = 20;
	open_session(trial);
	assert_true(live_capture_prepare(trial->live));
	open_files(trial);
	/* The frames are queued by the start; the end comes after the answers of the set-up. */
	trial->fake->exits = true;
	trial->fake->ends = false;
	assert_int_equal(live_capture_run(trial->live), EAR_EXIT_FAILED);
	assert_true(trial->live->decoder.statistics.records >= 20);
	assert_int_equal(text_records(trial), trial->live->decoder.statistics.records);
	assert_int_equal(shot_bytes(trial), trial->live->decoder.statistics.bytes);
}

static void a_unit_that_does_not_start_makes_no_capture(void **state)
{
	struct trial *trial = *state;

	open_session(trial);
	assert_true(live_capture_prepare(trial->live));
	open_files(trial);
	trial->fake->fail_call = (int)trial->fake->call_count;
	trial->fake->fail_error = -1;
	assert_int_equal(live_capture_run(trial->live), EAR_EXIT_FAILED);
	assert_int_equal(trial->live->decoder.statistics.records, 0);
	assert_string_equal(trial->live->end_reason, "failed");
}

static void a_capture_ends_when_no_output_takes_it(void **state)
{
	struct trial *trial = *state;

	trial->fake->frame_count = MANY_FRAMES;
	open_session(trial);
	assert_true(live_capture_prepare(trial->live));
	assert_true(outputs_add(&trial->live->outputs, "/dev/full", "whisper"));
	assert_true(outputs_open(&trial->live->outputs, "", 3));
	assert_int_equal(live_capture_run(trial->live), EAR_EXIT_FAILED);
	assert_string_equal(trial->live->end_reason, "output failed");
}

static void a_flight_recorder_keeps_the_newest_part_and_counts_the_rest(void **state)
{
	struct trial *trial = *state;
	struct live_capture *live = trial->live;

	trial->fake->frame_count = MANY_FRAMES;
	live->limit_bytes = 400000;
	live->flight.size = 65536;
	assert_int_equal(capture(trial), EAR_EXIT_DONE);
	assert_true(live->flight.let_go_records > 0);
	assert_int_equal(live->flight.let_go_records + live->flight.kept.statistics.records,
		live->decoder.statistics.records);
	assert_int_equal(text_records(trial), live->flight.kept.statistics.records);
	assert_int_equal(shot_bytes(trial), live->flight.kept.statistics.bytes);
}

static void stop_session(void *session)
{
	ear_session_stop(session);
}

static void a_signal_ends_a_capture_in_good_order(void **state)
{
	struct trial *trial = *state;

	trial->fake->frame_count = 10; /* then silence */
	open_session(trial);
	assert_true(live_capture_prepare(trial->live));
	open_files(trial);
	interrupt_catch();
	interrupt_stops(stop_session, trial->live->session);
	raise(SIGINT);
	assert_int_equal(live_capture_run(trial->live), EAR_EXIT_DONE);
	interrupt_stops(NULL, NULL);
	assert_string_equal(trial->live->end_reason, "interrupted");
	assert_int_equal(shot_bytes(trial), trial->live->decoder.statistics.bytes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(the_end_reason_is_what_ended_the_capture),
		TEST(a_capture_that_ends_by_itself_is_in_all_its_files),
		TEST(a_limit_of_bytes_ends_a_capture_that_would_not_end),
		TEST(a_limit_of_seconds_ends_it_too),
		TEST(a_number_of_records_is_left_to_the_unit_if_it_counts_the_same),
		TEST(an_event_that_only_the_unit_sees_cannot_be_followed_by_records),
		TEST(what_came_before_the_device_vanished_is_in_the_files),
		TEST(a_unit_that_does_not_start_makes_no_capture),
		TEST(a_capture_ends_when_no_output_takes_it),
		TEST(a_flight_recorder_keeps_the_newest_part_and_counts_the_rest),
		TEST(a_signal_ends_a_capture_in_good_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
