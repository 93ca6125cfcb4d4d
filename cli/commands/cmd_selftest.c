/* 'earshot selftest': first registers are written and read back, then the unit sends a pattern
 * that cli/live/link_check.c compares bit by bit. The rate counts the time in which the pattern
 * was wanted, not that of the last words after it.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/base/figure.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/commands/cmd.h"
#include "cli/live/link_check.h"
#include "cli/live/live_session.h"
#include "cli/options/options.h"
#include "cli/show/json.h"
#include "common/protocol/ear_protocol.h"
#include "common/protocol/test_pattern.h"

#define SECONDS_DEFAULT  10.0
#define PROGRESS_SECONDS 0.2
#define REPLY_TIMEOUT_MS 1000 /* a busy machine is no fault of the link */

/* Control words are tested until one of these is reached, or a part of --seconds. */
#define CONTROL_WORDS_MAX   2000
#define CONTROL_SECONDS_MAX 1.0
#define CONTROL_PART        0.2

struct selftest {
	const char *device;
	double seconds;
	bool json, quiet;

	struct ear_session *session;
	struct ear_identity identity;
	const struct ear_session_end *end; /* NULL: the stream did not end */

	/* Control words: each is a register written or read, and its answer. */
	uint64_t words, wrong_words, resent_words;
	double words_seconds, longest_word;

	/* The stream. */
	struct link_check check;
	double begin, length;       /* while the pattern was wanted, */
	uint64_t length_bytes;      /* and what came in this time */
	double second_begin, worst; /* bytes in the whole second with the fewest */
	uint64_t second_bytes;
	unsigned whole_seconds;
	double last_progress;
	uint64_t last_bytes;
	struct ear_session_statistics statistics;
};

static bool take_seconds(void *value, const struct command_option *option, const char *argument)
{
	double *seconds = value;
	char *end;

	*seconds = strtod(argument, &end);
	return (end != argument && *end == '\0' && *seconds > 0 && *seconds <= 1e7) ||
	       option_fail(option, argument, "a number of seconds");
}

static const struct command_option table[] = {
	{"device", 'd', "DEVICE", VALUES_DEVICES,
		.text = "The device, named as for `earshot capture`; DEVICE alone means the same.",
		.detail = "See {DEVICES}.", OPTION_VALUE(struct selftest, device)},
	{"seconds", 0, "N", .text = "How long the pattern is sent (default 10).",
		OPTION_TAKEN(take_seconds, struct selftest, seconds)},
	{"json", 0, .text = "Print the result as JSON.", OPTION_VALUE(struct selftest, json)},
	QUIET_OPTION(struct selftest, quiet),
	{0},
};

/* Write a word and read it back. Returns false after printing why the unit does not answer. */
static bool try_word(struct selftest *test, uint32_t value)
{
	uint32_t back = ~value;
	double before = cli_seconds();
	int result = ear_session_write_register(test->session, EAR_REG_TEST_NUMBER, value);
	double between = cli_seconds();

	if (!result)
		result = ear_session_read_register(test->session, EAR_REG_TEST_NUMBER, &back);
	if (result) {
		cli_error("%s", ear_session_message(test->session));
		return false;
	}
	double after = cli_seconds();
	test->words += 2;
	test->wrong_words += back != value;
	test->words_seconds += after - before;
	if (between - before > test->longest_word)
		test->longest_word = between - before;
	if (after - between > test->longest_word)
		test->longest_word = after - between;
	return true;
}

static bool test_control(struct selftest *test)
{
	uint32_t value = ear_test_pattern_begin(0);
	double part = test->seconds * CONTROL_PART;
	double limit = cli_seconds() + (part < CONTROL_SECONDS_MAX ? part : CONTROL_SECONDS_MAX);

	do {
		value = ear_test_pattern_next(value);
		if (!try_word(test, value))
			return false;
	} while (test->words < CONTROL_WORDS_MAX && cli_seconds() < limit && !cli_interrupted);
	return true;
}

/* A second is over: was it the worst? */
static void count_second(struct selftest *test, double now)
{
	double length = now - test->second_begin;

	if (length < 1.0)
		return;
	double rate = (double)(test->check.bytes - test->second_bytes) / length;
	if (test->whole_seconds++ == 0 || rate < test->worst)
		test->worst = rate;
	test->second_begin = now;
	test->second_bytes = test->check.bytes;
}

static void show_progress(struct selftest *test, double now)
{
	if (!cli_progress_wanted() || now - test->last_progress < PROGRESS_SECONDS)
		return;
	const struct link_check *check = &test->check;
	double rate = (double)(check->bytes - test->last_bytes) / (now - test->last_progress);
	char text[CLI_FIGURE_SIZE];
	cli_progress("lost %" PRIu64 ", damaged %" PRIu64 ", wrong bits %" PRIu64
		     ", %.0f s, %s/s, %" PRIu64 " frames",
		check->lost_frames, check->damaged_frames, check->wrong_bits, now - test->begin,
		cli_figure_bytes(text, rate), check->frames);
	test->last_progress = now;
	test->last_bytes = check->bytes;
}

/* Until the end of the stream. Returns false after printing an error. */
static bool read_pattern(struct selftest *test)
{
	struct ear_session_item item;
	bool stopped = false;

	for (;;) {
		int result = ear_session_next(test->session, &item, 100);
		double now = cli_seconds();

		if (!stopped && (cli_interrupted || now - test->begin >= test->seconds)) {
			ear_session_stop(test->session);
			stopped = true;
		}
		if (!stopped && !cli_interrupted) {
			count_second(test, now);
			test->length = now - test->begin;
			test->length_bytes = test->check.bytes;
			show_progress(test, now);
		}
		if (result == EAR_E_TIMEOUT)
			continue;
		if (result) {
			cli_error("%s: %s", test->device, ear_error_text(result));
			return false;
		}
		switch (item.kind) {
		case EAR_SESSION_BYTES:
			link_check_push(&test->check, item.bytes, item.size);
			ear_session_consume(test->session, item.size);
			break;
		case EAR_SESSION_LOSS: link_check_loss(&test->check, item.loss_size); break;
		case EAR_SESSION_END:
			link_check_end(&test->check);
			test->end = item.end;
			return true;
		}
	}
}

static bool test_stream(struct selftest *test)
{
	link_check_init(&test->check);
	if (ear_session_start_test(test->session) != 0) {
		cli_error("%s", ear_session_message(test->session));
		return false;
	}
	test->begin = test->second_begin = test->last_progress = cli_seconds();
	return read_pattern(test);
}

static uint64_t count_faults(const struct selftest *test)
{
	const struct ear_transport_fault_counts *faults = &test->statistics.faults;

	return faults->stalls + faults->errors + faults->overflows + faults->overruns +
	       faults->write_again;
}

static bool failed(const struct selftest *test)
{
	return link_check_failed(&test->check) || test->check.frames == 0 || test->wrong_words ||
	       test->resent_words || count_faults(test);
}

static double mean_rate(const struct selftest *test)
{
	return test->length > 0 ? (double)test->length_bytes / test->length : 0;
}

/* The lowest rate that was seen for a second; a shorter test has only one rate. */
static double worst_rate(const struct selftest *test)
{
	double mean = mean_rate(test);

	return test->whole_seconds && test->worst < mean ? test->worst : mean;
}

static double mean_word(const struct selftest *test)
{
	return test->words ? test->words_seconds / (double)test->words : 0;
}

static void print_result(const struct selftest *test)
{
	const struct link_check *check = &test->check;
	const struct ear_transport_fault_counts *faults = &test->statistics.faults;
	char a[CLI_FIGURE_SIZE], b[CLI_FIGURE_SIZE];

	printf("unit      protocol %u.%u, version %u, hart %" PRIu32 ", RV%u\n",
		test->identity.protocol_major, test->identity.protocol_minor,
		test->identity.unit_version, test->identity.hart, test->identity.xlen);
	printf("control   %" PRIu64 " words there and back in %s ms each, at most %s ms; "
	       "%" PRIu64 " wrong, %" PRIu64 " sent again\n",
		test->words, cli_figure(a, mean_word(test) * 1e3),
		cli_figure(b, test->longest_word * 1e3), test->wrong_words, test->resent_words);
	printf("stream    %" PRIu64 " bytes in %.2f s: %s/s, in the worst second %s/s\n",
		check->bytes, test->length, cli_figure_bytes(a, mean_rate(test)),
		cli_figure_bytes(b, worst_rate(test)));
	printf("frames    %" PRIu64 " as sent, %" PRIu64 " damaged (wrong CRC), %" PRIu64
	       " lost, %" PRIu64 " twice\n",
		check->frames, check->damaged_frames, check->lost_frames, check->repeated_frames);
	printf("damage    %" PRIu64 " bits changed, %" PRIu64 " bytes missing, %" PRIu64
	       " bytes too many, %" PRIu64 " resyncs\n",
		check->wrong_bits, check->lost_bytes, check->extra_bytes, check->resyncs);
	if (check->host_lost_bytes)
		printf("host      %" PRIu64 " bytes lost here, because this machine was too slow\n",
			check->host_lost_bytes);
	if (count_faults(test))
		printf("link      %" PRIu64 " stalls, %" PRIu64 " errors, %" PRIu64
		       " overflows, %" PRIu64 " overruns, %" PRIu64 " control transfers failed\n",
			faults->stalls, faults->errors, faults->overflows, faults->overruns,
			faults->write_again);
	printf("result    %s\n", check->frames == 0 ? "nothing came"
				 : failed(test)     ? "there were errors"
						    : "no error");
}

static void print_json(const struct selftest *test)
{
	const struct link_check *check = &test->check;
	const struct ear_transport_fault_counts *faults = &test->statistics.faults;

	struct json json = json_spaced();
	json_open(&json, NULL, '{');
	json_real(&json, "seconds", test->length, 3);
	json_number(&json, "bytes", check->bytes);
	json_real(&json, "rate", mean_rate(test), 0);
	json_real(&json, "worst_second", worst_rate(test), 0);
	json_line(&json, 1);
	json_number(&json, "frames", check->frames);
	json_number(&json, "damaged_frames", check->damaged_frames);
	json_number(&json, "lost_frames", check->lost_frames);
	json_number(&json, "repeated_frames", check->repeated_frames);
	json_line(&json, 1);
	json_number(&json, "wrong_bits", check->wrong_bits);
	json_number(&json, "lost_bytes", check->lost_bytes);
	json_number(&json, "extra_bytes", check->extra_bytes);
	json_number(&json, "resyncs", check->resyncs);
	json_number(&json, "host_lost_bytes", check->host_lost_bytes);
	json_line(&json, 1);
	json_number(&json, "control_words", test->words);
	json_number(&json, "control_wrong", test->wrong_words);
	json_number(&json, "control_resent", test->resent_words);
	json_real(&json, "control_mean_ms", mean_word(test) * 1e3, 4);
	json_real(&json, "control_longest_ms", test->longest_word * 1e3, 4);
	json_line(&json, 1);
	json_number(&json, "stalls", faults->stalls);
	json_number(&json, "errors", faults->errors);
	json_number(&json, "overflows", faults->overflows);
	json_number(&json, "overruns", faults->overruns);
	json_number(&json, "control_failed", faults->write_again);
	json_bool(&json, "ok", !failed(test));
	json_close(&json, '}');
	putchar('\n');
}

/* The test, on an open session. Returns the exit status. */
static int run_test(struct selftest *test)
{
	if (!ear_session_controllable(test->session)) {
		cli_error("%s: this device cannot be controlled, so it cannot send a test",
			test->device);
		return EAR_EXIT_FAILED;
	}
	if (ear_session_identify(test->session, &test->identity) != 0) {
		cli_error("%s", ear_session_message(test->session));
		return EAR_EXIT_FAILED;
	}
	if (!(test->identity.features & EAR_REG_FEATURES_TEST_MASK)) {
		cli_error("%s: this unit was built without a test source (parameter TEST)",
			test->device);
		return EAR_EXIT_FAILED;
	}
	if (!test_control(test) || !test_stream(test)) {
		cli_progress_clear();
		return EAR_EXIT_FAILED;
	}
	cli_progress_clear();
	ear_session_statistics(test->session, &test->statistics);
	test->resent_words = test->statistics.control_resent;
	if (test->json)
		print_json(test);
	else
		print_result(test);
	if (test->end->reason != EAR_SESSION_END_STOP) {
		cli_error("%s", test->end->report.text);
		return EAR_EXIT_FAILED;
	}
	return failed(test) ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

static int test_device(struct selftest *test)
{
	struct ear_session_options settings;

	ear_session_options_init(&settings);
	settings.reply_timeout_ms = REPLY_TIMEOUT_MS;
	if (!files_device(test->device) ||
		!live_session_open(&test->session, test->device, &settings, test->quiet))
		return EAR_EXIT_FAILED;
	int status = run_test(test);
	live_session_close(test->session);
	return status;
}

static int run(int argc, char **argv)
{
	static struct selftest test = {.seconds = SECONDS_DEFAULT};
	int status;

	int first = options_parse(&cmd_selftest, argc, argv, &test, &status);
	if (first < 0)
		return status;
	if (!test.device && first < argc)
		test.device = argv[first++];
	if (!test.device)
		return cli_usage("selftest", "which device? Give -d DEVICE");
	if (first != argc)
		return cli_usage("selftest", "one device, please");
	return test_device(&test);
}

const struct command cmd_selftest = {
	.name = "selftest",
	.arguments = "[OPTION]... -d DEVICE",
	.summary = "test the link to a device, bit by bit",
	.about =
		"Test the link to a device, both ways. The capture unit sends a pattern that both "
		"sides know, as fast as the link takes it, on the way that a trace takes; each bit "
		"of it is compared. Before that, a register is written and read back many times. "
		"Ctrl-C ends the test and prints its result.",
	.options = table,
	.exit_status = "0 no error, 1 there were errors, 2 the test could not be made.",
	.opens_device = true,
	.run = run,
};
