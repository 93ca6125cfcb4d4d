#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/commands/states_option.h"
#include "cli/live/flight.h"
#include "cli/live/loading.h"
#include "cli/live/trigger_text.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"
#include "cli/show/account.h"
#include "cli/show/facts.h"
#include "common/error.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "driver/link/transport.h"
#include "driver/session/session.h"

#define BUFFER_SIZE_MIN       4096
#define BUFFER_SIZE_MAX       ((uint64_t)1 << 32)
#define RING_SIZE_MAX         ((uint64_t)1 << 50)
#define RECONNECT_SECONDS_MAX 1000000

#define FLUSH_SECONDS  1.0 /* docs/file-format.md, section 2 */
#define RESYNC_SECONDS 0.5
#define WINDOW_SIZE    (256u << 10)
#define STEP_SIZE      (2 * (size_t)EAR_FRAME_SIZE_MAX) /* holds a whole frame, wherever it begins */

struct capture {
	const char *device;
	char program[PATH_MAX]; /* that the device runs; "" unknown */
	struct ear_session_options options;
	struct ear_capture_config config;
	struct loading loading; /* path NULL: the device has its program */
	struct trigger_text triggers;
	struct outputs outputs;
	struct flight flight;                /* size 0: everything goes to the outputs */
	uint64_t limit_records, limit_bytes; /* UINT64_MAX none */
	double limit_seconds;                /* 0 none */
	int level;
	bool quiet;

	struct ear_session *session;
	struct ear_decoder decoder;
	const char *end_reason;
	bool limited; /* a limit was reached, and the unit told to stop */
	double begin, last_flush, last_progress, last_resync;
	struct ear_session_statistics before; /* at the last progress line */
	uint8_t window[WINDOW_SIZE];          /* bytes on their way through the decoder */
	size_t window_size;
};

/* For the signal handler. */
static struct ear_session *volatile active_session;

static void stop_on_signal(void)
{
	ear_transport_interrupt(true);
	if (active_session)
		ear_session_stop(active_session);
}

enum {
	OPTION_DEVICE,
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_POLICY,
	OPTION_TIME,
	OPTION_LIMIT,
	OPTION_START,
	OPTION_STOP,
	OPTION_FILTER,
	OPTION_EXCLUDE,
	OPTION_MODES,
	OPTION_RING,
	OPTION_UNTIL,
	OPTION_AFTER,
	OPTION_RING_DIR,
	OPTION_LOAD,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_RESET,
	OPTION_KEEP_RUNNING,
	OPTION_BUFFER,
	OPTION_BUFFER_FULL,
	OPTION_RECONNECT,
	OPTION_RECORD,
	OPTION_STATES,
	OPTION_LEVEL,
	OPTION_SYNC,
	OPTION_QUIET,
};

#define TRIGGERS "pc= opcode= addr= cycles= records= pin"

static const struct command_option table[] = {
	{"device", 'd', OPTION_DEVICE, "DEVICE", VALUES_DEVICES,
		.text = "Capture from DEVICE (default: the virtual board with the demo program).",
		.detail = "See {DEVICES}."},
	{"output", 'o', OPTION_OUTPUT, "FILE", VALUES_FILES,
		.text = "Write to FILE; repeat for more files. NAME.shot is a capture file; other endings "
			"name a text format, decoded live; `-` is standard output.",
		.detail =
			"Up to 64 files are possible. An unknown ending is refused. Standard output, "
			"devices and pipes get `whisper`."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WRITE_FORMATS,
		.text = "Format of the -o that follows: `shot` or a text format.",
		.detail = "`earshot convert --help` lists them."},
	{"policy", 0, OPTION_POLICY, "POLICY", VALUES_WORDS, "auto stall drop",
		.text = "When the unit's FIFO is full: `stall` the core, or `drop` records and report them "
			"(default: `auto`, stall if the unit can).",
		.detail =
			"With `stall` nothing is lost. With `drop` the unit counts the lost records exactly, "
			"and the trace shows the gap."},
	{"time", 0, OPTION_TIME, "MODE", VALUES_WORDS, "off sync record",
		.text = "Which records carry the time: `off` (default), `sync` or `record`.",
		.detail = "Time is counted in clocks of the core."},
	{"limit", 0, OPTION_LIMIT, "LIMIT",
		.text = "Stop after so many records (1000, 5M), bytes on the wire (10MB, 64KiB) or seconds "
			"(2.5s); repeat for another kind of limit.",
		.detail =
			"A number of records is exact if the unit has triggers and neither a stop trigger "
			"nor a filter is set; otherwise the file may hold a few more."},
	{"start", 0, OPTION_START, "TRIGGER", VALUES_BEGINNINGS, TRIGGERS,
		.text = "Begin the capture at TRIGGER.", .detail = "See {TRIGGERS}."},
	{"stop", 0, OPTION_STOP, "TRIGGER", VALUES_BEGINNINGS, TRIGGERS,
		.text = "End the capture at TRIGGER.",
		.detail = "The unit looks for it from the start on."},
	{"filter", 0, OPTION_FILTER, "WHERE", VALUES_BEGINNINGS, "pc=",
		.text = "Capture only records in WHERE: `pc=LOW-HIGH` (both ends included), `pc=LOW+SIZE` or "
			"`pc=FUNCTION`; repeat for more ranges.",
		.detail = "The unit has four ranges for --filter and --exclude together."},
	{"exclude", 0, OPTION_EXCLUDE, "WHERE", VALUES_BEGINNINGS,
		"pc=", .text = "Capture no records in WHERE; repeat for more ranges."},
	{"modes", 0, OPTION_MODES, "MODES",
		.text = "Capture only records of these privilege modes: letters of u, s, m."},
	{"ring", 0, OPTION_RING, "SIZE",
		.text = "Flight recorder: keep only the newest SIZE of the stream (16Ki or more), and write it "
			"at the end, or at the event.",
		.detail = "See {FLIGHT RECORDER}."},
	{"until", 0, OPTION_UNTIL, "EVENT", VALUES_BEGINNINGS, TRIGGERS " trap exception interrupt",
		.text = "With --ring: end the capture at EVENT, a TRIGGER or one of `trap`, `exception`, "
			"`interrupt`, each with `=CAUSE` or without.",
		.detail =
			"An exception is an instruction that traps, an interrupt one that is taken; a trap is "
			"either."},
	{"after", 0, OPTION_AFTER, "RECORDS",
		.text = "With --until: records to capture after the event (default 0)."},
	{"ring-dir", 0, OPTION_RING_DIR, "DIR", VALUES_FOLDERS,
		.text = "With --ring: keep the ring in files in DIR (default: in memory; above 256Mi in files "
			"beside the output)."},
	{"load", 0, OPTION_LOAD, "FILE", VALUES_FILES,
		.text = "First load this program into the system's memory, as `earshot load` does; the "
			"capture begins with its first instruction."},
	{"elf", 0, OPTION_ELF, "FILE", VALUES_FILES,
		.text = "Take symbols from FILE (default: the program of --load, or of sim:).",
		.detail = "If one of these is known, a FILE with another SHA-256 is refused."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that runs.",
		.detail = "An example is the program before it was stripped."},
	{"reset", 0, OPTION_RESET,
		.text = "Fail if the unit cannot reset the core. A unit that can does so by default."},
	{"keep-running", 0, OPTION_KEEP_RUNNING,
		.text = "Join the running core instead of resetting it.",
		.detail = "After a reset the trace begins with the core's first instruction."},
	{"buffer", 0, OPTION_BUFFER, "SIZE",
		.text = "Host buffer between device and decoder (default 8Mi)."},
	{"buffer-full", 0, OPTION_BUFFER_FULL, "WHAT", VALUES_WORDS, "auto wait drop",
		.text = "When that buffer is full: `wait`, or `drop` bytes and report the gap (default: "
			"`auto`, wait if the device can wait)."},
	{"reconnect", 0, OPTION_RECONNECT, "SECONDS",
		.text = "When the device disappears, wait so long for its return and continue after a gap; 0: "
			"for ever.",
		.detail =
			"The device is recognised by its serial number, in any port, or else by its port. The "
			"size of the gap is unknown. A capture that still runs in the unit is joined; a unit "
			"that lost its power is started again."},
	{"record", 0, OPTION_RECORD, "FILE", VALUES_FILES,
		.text = "Also write every received byte to FILE, unchanged."},
	STATES_OPTION(OPTION_STATES),
	{"level", 0, OPTION_LEVEL, "N",
		.text = "Zstandard level of a capture file, 1 to 19 (default 3)."},
	{"sync", 0, OPTION_SYNC,
		.text = "Each second, wait until all received data is on the disk.",
		.detail =
			"A power cut then costs two seconds at most. Without it this is done when a capture "
			"file is complete, and when the event of --until has come."},
	{"quiet", 'q', OPTION_QUIET,
		.text = "No progress line, no summary, no messages of the virtual board."},
	{0},
};

/* The demo program: in the build tree beside bin/, or where it was installed. */
static const char *default_device(void)
{
	static char name[PATH_MAX + 8];
	static const char *const places[] = {"../programs/demo.elf", "../share/earshot/demo.elf"};
	char self[PATH_MAX / 2], place[PATH_MAX], real[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < 2; i++) {
		slash[1] = '\0';
		snprintf(place, sizeof(place), "%s%s", self, places[i]);
		if (realpath(place, real)) {
			snprintf(name, sizeof(name), "sim:%s", real);
			return name;
		}
	}
	return "sim:" EAR_DATA_FOLDER "/demo.elf";
}

/* Only of the virtual board is it known what runs there, unless we load it. */
static void find_program(struct capture *capture)
{
	const char *name = capture->device;

	if (capture->loading.path)
		snprintf(capture->program, sizeof(capture->program), "%s", capture->loading.path);
	else if (strncmp(name, "sim:", 4) == 0)
		snprintf(capture->program, sizeof(capture->program), "%.*s",
			(int)strcspn(name + 4, ","), name + 4);
}

/* Symbols are those of --elf, which must be of the program that runs, or of the program itself. */
static void find_symbols(struct capture *capture)
{
	struct symbol_file *symbols = &capture->triggers.symbols;

	symbols->program = capture->program;
	if (!capture->program[0] || !symbol_file_hash(symbols->sha256, capture->program))
		symbols->sha256[0] = '\0';
}

static bool parse_limit(struct capture *capture, const char *text)
{
	char *end;
	size_t length = strlen(text);
	char number[32];

	if (length == 0 || length >= sizeof(number))
		return false;
	memcpy(number, text, length + 1);
	if (number[length - 1] == 's') {
		capture->limit_seconds = strtod(text, &end);
		return end == text + length - 1 && capture->limit_seconds > 0 &&
		       capture->limit_seconds < 1e9;
	}
	if (number[length - 1] == 'B') {
		number[length - 1] = '\0';
		return cli_parse_count(&capture->limit_bytes, number) && capture->limit_bytes > 0;
	}
	return cli_parse_count(&capture->limit_records, number) && capture->limit_records > 0;
}

static int take_record(void *context, const struct ear_record *record)
{
	struct capture *capture = context;

	return outputs_record(&capture->outputs, record);
}

static void reach_limit(struct capture *capture)
{
	if (capture->limited)
		return;
	capture->limited = true;
	ear_session_stop(capture->session);
}

static void check_limits(struct capture *capture)
{
	const struct ear_decoder_account *account = &capture->decoder.account;

	if (account->records >= capture->limit_records || account->bytes >= capture->limit_bytes ||
		(capture->limit_seconds > 0 &&
			cli_seconds() - capture->begin >= capture->limit_seconds))
		reach_limit(capture);
}

/* Has the host to see itself that a limit is reached? */
static bool has_limit(const struct capture *capture)
{
	return capture->limit_records != UINT64_MAX || capture->limit_bytes != UINT64_MAX;
}

/* A device that cannot be told to stop goes on: nothing of that is wanted. */
static bool is_over(const struct capture *capture)
{
	return (capture->limited || cli_interrupted) && !ear_session_controllable(capture->session);
}

/* Decode bytes[0 .. size-1] and give them to the outputs. As ear_decoder_push. */
static int push(
	struct capture *capture, size_t *used, const uint8_t *bytes, size_t size, bool final)
{
	if (capture->flight.size)
		return flight_push(&capture->flight, &capture->decoder, used, bytes, size, final);
	int result = ear_decoder_push(&capture->decoder, used, bytes, size, final);

	outputs_bytes(&capture->outputs, bytes, *used);
	if (result == 0)
		outputs_decoded(&capture->outputs, &capture->decoder);
	return result;
}

/* Once a second what came can be read, or is on the disk: docs/file-format.md, section 2. */
static void flush(struct capture *capture)
{
	double now = cli_seconds();

	if (now - capture->last_flush < FLUSH_SECONDS)
		return;
	capture->last_flush = now;
	outputs_flush(&capture->outputs);
	if (capture->outputs.sync)
		outputs_sync(&capture->outputs);
	if (capture->flight.size)
		flight_flush(&capture->flight, capture->outputs.sync);
}

/* Decode what is in the window; the beginning of a frame at its end stays there. A frame or two at
 * a time where a limit may be reached or a state be due: they may hold millions of records.
 */
static int decode_window(struct capture *capture, bool final)
{
	size_t done = 0, used = 0;
	int result;

	do {
		size_t rest = capture->window_size - done;
		size_t step = has_limit(capture)
				      ? STEP_SIZE
				      : outputs_step(&capture->outputs, &capture->decoder);
		size_t size = rest > step ? step : rest;

		result = push(capture, &used, capture->window + done, size, final && size == rest);
		done += used;
		check_limits(capture);
		flush(capture);
	} while (result == 0 && used > 0 && done < capture->window_size && !is_over(capture));

	capture->window_size = is_over(capture) ? 0 : capture->window_size - done;
	memmove(capture->window, capture->window + done, capture->window_size);
	return result;
}

static int take_bytes(struct capture *capture, const struct ear_session_item *item)
{
	size_t room = WINDOW_SIZE - capture->window_size;
	size_t size = item->size < room ? item->size : room;

	if (!is_over(capture)) {
		memcpy(capture->window + capture->window_size, item->bytes, size);
		capture->window_size += size;
	}
	ear_session_consume(capture->session, size);
	return decode_window(capture, false);
}

static void take_loss(struct capture *capture, const struct ear_session_item *item)
{
	ear_decoder_host_loss(&capture->decoder, item->loss_size);
	if (capture->flight.size)
		flight_loss(&capture->flight, item->loss_size);
	else
		outputs_loss(&capture->outputs, item->loss_size);
}

static void show_progress(struct capture *capture)
{
	struct ear_session_statistics now;
	const struct ear_decoder_account *account = &capture->decoder.account;

	ear_session_statistics(capture->session, &now);
	if (now.absent) {
		cli_progress("%" PRIu64 " records; the device is away, waiting for it",
			account->records);
		return;
	}
	char keeps[96] = "";
	if (capture->flight.size)
		flight_describe(&capture->flight, &capture->decoder, keeps, sizeof(keeps));
	cli_progress("%" PRIu64 " records, %.1f MB, %.1f MB/s%s, %s %d%%, lost %" PRIu64,
		account->records, (double)now.received * 1e-6,
		(double)ear_session_rate(&capture->before, &now) * 1e-6, keeps,
		capture->flight.size ? "buffer" : "ring",
		(int)(now.ring_fill * 100 / now.ring_size), account->unit_lost + account->missing);
	capture->before = now;
}

/* Damage that only the decoder sees. */
static void ask_for_sync(struct capture *capture, double now)
{
	if (!ear_decoder_is_lost(&capture->decoder) || now - capture->last_resync < RESYNC_SECONDS)
		return;
	capture->last_resync = now;
	ear_session_resync(capture->session);
}

/* What is done now and then: files readable, the progress line. */
static void do_housekeeping(struct capture *capture)
{
	double now = cli_seconds();

	check_limits(capture);
	ask_for_sync(capture, now);
	flush(capture);
	if (cli_progress_due(&capture->last_progress))
		show_progress(capture);
}

/* Did every output fail, the record of the raw bytes too? One that is left goes on to the end. */
static bool nothing_is_written(const struct capture *capture)
{
	return !outputs_alive(&capture->outputs) &&
	       (!capture->options.record_path || ear_session_record_status(capture->session) != 0);
}

/* Until the end of the capture. Returns the end, or NULL after printing an error. */
static const struct ear_session_end *take_stream(struct capture *capture)
{
	struct ear_session_item item;
	int result = 0;

	while (result == 0) {
		if (nothing_is_written(capture) || capture->flight.failed)
			reach_limit(capture);
		if (capture->flight.phase == FLIGHT_DONE)
			ear_session_stop(capture->session);
		do_housekeeping(capture);
		result = ear_session_next(capture->session, &item, 100);
		if (result == EAR_E_TIMEOUT) {
			result = 0;
			continue;
		}
		if (result)
			break;
		switch (item.kind) {
		case EAR_SESSION_BYTES: result = take_bytes(capture, &item); break;
		case EAR_SESSION_LOSS: take_loss(capture, &item); break;
		case EAR_SESSION_END:
			/* What is left is no whole frame: told as damage, and kept as it is. */
			return decode_window(capture, true) ? NULL : item.end;
		}
	}
	cli_error("%s: %s", capture->device, ear_error_text(result));
	return NULL;
}

static const char *end_phrase(const struct capture *capture, const struct ear_session_end *end)
{
	if (!end)
		return "failed";
	if (nothing_is_written(capture) || capture->flight.failed)
		return capture->outputs.broken_pipe ? "reader left" : "output failed";
	if (capture->flight.seen)
		return "event";
	if (capture->limited)
		return "limit";
	if (end->has_stop && end->stop_reason == EAR_STOP_TRIGGER)
		return capture->triggers.stop ? account_stop_text(end->stop_reason) : "limit";
	if (cli_interrupted)
		return "interrupted";
	switch (end->reason) {
	case EAR_SESSION_END_STOP: return account_stop_text(end->stop_reason);
	case EAR_SESSION_END_OF_FILE: return "end of file";
	case EAR_SESSION_END_EXITED: return "board ended without a STOP message";
	case EAR_SESSION_END_VANISHED: return "device vanished";
	case EAR_SESSION_END_ERROR: return "device error";
	case EAR_SESSION_END_HOST: return "no answer to the stop";
	}
	return "unknown";
}

/* What the link did wrong, and what was put right without a loss. */
static void print_link_faults(const struct capture *capture)
{
	struct ear_session_statistics now;

	ear_session_statistics(capture->session, &now);
	const struct ear_transport_fault_counts *faults = &now.faults;
	if (now.reconnect_count)
		fprintf(stderr, "earshot: the device went away and came back, %" PRIu64 " time%s\n",
			now.reconnect_count, account_plural(now.reconnect_count));
	if (faults->stalls + faults->errors + faults->overflows + faults->overruns)
		fprintf(stderr,
			"earshot: the link had %" PRIu64 " stall%s, %" PRIu64 " error%s, %" PRIu64
			" overflow%s and %" PRIu64 " overrun%s\n",
			faults->stalls, account_plural(faults->stalls), faults->errors,
			account_plural(faults->errors), faults->overflows,
			account_plural(faults->overflows), faults->overruns,
			account_plural(faults->overruns));
}

static void print_summary(const struct capture *capture)
{
	const struct ear_decoder_account *account = &capture->decoder.account;
	uint64_t lost = account->unit_lost + account->missing;
	struct ear_session_statistics now;

	ear_session_statistics(capture->session, &now);
	fprintf(stderr, "earshot: %" PRIu64 " records in %" PRIu64 " bytes", account->records,
		account->bytes);
	if (account->records)
		fprintf(stderr, " (%.1f bits each)",
			8.0 * (double)account->bytes / (double)account->records);
	if (lost)
		fprintf(stderr, ", %s%" PRIu64 " lost", account->unknown_gaps ? "more than " : "",
			lost);
	else
		fprintf(stderr, account->unknown_gaps ? ", an unknown number lost" : ", none lost");
	fprintf(stderr, "; %s\n", capture->end_reason);
	if (capture->flight.size)
		flight_print_summary(&capture->flight, account->records);
	account_print_losses(account, now.drop_count);
	account_print_held(account);
	print_link_faults(capture);
}

static int judge(const struct capture *capture, const struct ear_session_end *end)
{
	bool wanted = capture->flight.phase == FLIGHT_DONE; /* what came later was not */

	if (!end || capture->outputs.failed)
		return EAR_EXIT_FAILED;
	if (wanted)
		return flight_judge(&capture->flight);
	if (is_over(capture)) /* as it was wanted */
		return capture->flight.size ? flight_judge(&capture->flight) : EAR_EXIT_DONE;
	if (end->reason == EAR_SESSION_END_VANISHED || end->reason == EAR_SESSION_END_ERROR ||
		end->reason == EAR_SESSION_END_EXITED || end->reason == EAR_SESSION_END_HOST) {
		cli_error("%s; the file is complete up to the last whole frame", end->report.text);
		return EAR_EXIT_FAILED;
	}
	if (capture->decoder.account.records == 0 && end->has_stop && end->filtered > 0)
		cli_warning("of %" PRIu64 " instructions none passed: %s", end->filtered,
			capture->triggers.start ? "the start trigger did not fire, or the filter "
						  "let nothing pass"
						: "the filter let nothing pass");
	if (capture->decoder.account.frames == 0) {
		cli_error("%s: nothing came that follows the protocol", capture->device);
		return EAR_EXIT_FAILED;
	}
	return capture->flight.size ? flight_judge(&capture->flight) : EAR_EXIT_DONE;
}

static void close_outputs(struct capture *capture)
{
	struct facts *facts = malloc(sizeof(*facts));
	const struct ear_decoder_account *account =
		capture->flight.size ? &capture->flight.kept.account : &capture->decoder.account;

	if (facts) {
		facts_init(facts);
		facts_add_time(facts, "ended");
		facts_add(facts, "end_reason", "%s", capture->end_reason);
		facts_add(facts, "wire_bytes", "%" PRIu64, account->bytes);
		facts_add(facts, "host_lost_bytes", "%" PRIu64, account->host_lost_bytes);
		if (capture->flight.size)
			flight_add_facts(&capture->flight, facts);
	}
	outputs_close(&capture->outputs, facts ? facts->text : "");
	free(facts);
}

static int capture_to_end(struct capture *capture)
{
	capture->begin = cli_seconds();
	capture->last_flush = capture->begin;
	capture->last_progress = capture->begin;
	ear_session_statistics(capture->session, &capture->before);

	const struct ear_session_end *end = take_stream(capture);
	cli_progress_clear();
	if (capture->flight.size)
		flight_finish(&capture->flight);
	capture->end_reason = end_phrase(capture, end);
	close_outputs(capture);
	if (!capture->quiet)
		print_summary(capture);
	if (ear_session_record_status(capture->session) != 0) {
		cli_error("%s", ear_session_message(capture->session));
		capture->outputs.failed = true;
	}
	return judge(capture, end);
}

/* The unit's own stop trigger ends a capture at exactly the record wanted. It counts what retires,
 * also what the filter holds back, so with a filter the host has to count.
 */
static void use_stop_trigger(struct capture *capture, const struct ear_identity *identity)
{
	const struct trigger_text *triggers = &capture->triggers;

	if (capture->limit_records == UINT64_MAX || capture->config.stop.kind || triggers->modes ||
		triggers->range_count || !(identity->features & EAR_REG_FEATURES_TRIGGER_MASK))
		return;
	capture->config.stop =
		(struct ear_trigger){.kind = EAR_TRIGGER_RECORDS, .value = capture->limit_records};
	capture->limit_records = UINT64_MAX;
}

/* The unit's own stop trigger finds the event exactly and at no cost, also in a record that is lost
 * or that the filter holds back. But it ends the capture at once, and it does not know traps.
 * identity NULL: the device cannot be told.
 */
static bool plan_until(struct capture *capture, const struct ear_identity *identity)
{
	struct flight *flight = &capture->flight;

	if (!flight->has_until)
		return true;
	flight->by_unit = until_unit_can(&flight->until) && flight->after == 0 &&
			  !capture->triggers.stop && identity &&
			  identity->features & EAR_REG_FEATURES_TRIGGER_MASK;
	if (flight->by_unit)
		capture->config.stop = flight->until.trigger;
	if (flight->by_unit || until_records_can(&flight->until))
		return true;
	cli_error("--until %s: only the stop trigger of a unit sees this: it must have one, and "
		  "there "
		  "can be no --after and no --stop",
		capture->triggers.until);
	return false;
}

/* Everything that can be found out before the device is touched. */
static bool prepare(struct capture *capture)
{
	struct ear_identity identity;
	struct ear_report report;

	if (!ear_session_controllable(capture->session)) {
		if (trigger_text_wanted(&capture->triggers) || capture->config.must_reset) {
			cli_error("%s: this device cannot be told about triggers, filter or reset",
				capture->device);
			return false;
		}
		return plan_until(capture, NULL);
	}
	if (ear_session_identify(capture->session, &identity) != 0) {
		cli_error("%s", ear_session_message(capture->session));
		return false;
	}
	if (!plan_until(capture, &identity))
		return false;
	use_stop_trigger(capture, &identity);
	if (ear_capture_config_check(&capture->config, &identity, &report) == 0)
		return true;
	cli_error("%s: %s", capture->device, report.text);
	return false;
}

static bool load(struct capture *capture)
{
	return !capture->loading.path || loading_run(&capture->loading, capture->session);
}

static bool start(struct capture *capture)
{
	if (!ear_session_controllable(capture->session) ||
		ear_session_start(capture->session, &capture->config) == 0)
		return true;
	cli_error("%s", ear_session_message(capture->session));
	return false;
}

static bool open_outputs(struct capture *capture, int argc, char **argv)
{
	struct facts *facts = malloc(sizeof(*facts));

	if (!facts) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	facts_init(facts);
	facts_add(facts, "writer", "%s", cli_version);
	facts_add_time(facts, "created");
	facts_add(facts, "device", "%s", capture->device);
	facts_add_command(facts, argc, argv);
	if (capture->program[0])
		facts_add_program(facts, capture->program);
	bool opened = outputs_open(&capture->outputs, facts->text, capture->level);
	if (opened && capture->flight.size)
		opened = flight_open(&capture->flight, facts->text);
	free(facts);
	return opened;
}

/* The files beside the outputs, which have been named already. */
static bool name_files(const struct capture *capture)
{
	const char *record = capture->options.record_path, *elf = capture->triggers.symbols.elf;

	return files_device(capture->device) &&
	       (!capture->loading.path || files_read("--load", capture->loading.path)) &&
	       (!elf || files_read("--elf", elf)) && (!record || files_write("--record", record));
}

static int run_capture(struct capture *capture, int argc, char **argv)
{
	struct ear_report report;
	int status = EAR_EXIT_FAILED;

	cli_catch_signals(stop_on_signal);
	if (ear_session_open(&capture->session, capture->device, &capture->options, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	confine_device();
	active_session = capture->session;
	ear_decoder_init(&capture->decoder, take_record, capture);
	if (ear_session_warning(capture->session)[0] && !capture->quiet)
		cli_warning("%s", ear_session_warning(capture->session));
	if (cli_interrupted)
		cli_error("%s: interrupted before the capture began", capture->device);
	else if (prepare(capture) && load(capture) && open_outputs(capture, argc, argv) &&
		 start(capture))
		status = capture_to_end(capture);
	active_session = NULL;
	ear_session_close(capture->session);
	flight_close(&capture->flight);
	ear_decoder_fini(&capture->decoder);
	return status;
}

/* The command line: what it asks for, and the format of the -o that follows. */
struct request {
	struct capture *capture;
	const char *format;
};

static bool add_range(struct capture *capture, uint8_t mode, const char *range)
{
	if (trigger_text_add_range(&capture->triggers, mode, range))
		return true;
	cli_error("the unit has four ranges for --filter and --exclude together");
	return false;
}

/* What the unit does. */
static bool take_unit_option(
	struct capture *capture, const struct command_option *option, const char *argument)
{
	int index;

	switch (option->id) {
	case OPTION_POLICY:
		if (!option_word(&index, option, argument))
			return false;
		capture->config.policy = (enum ear_policy)index;
		return true;
	case OPTION_TIME:
		if (!option_word(&index, option, argument))
			return false;
		capture->config.time_mode = (uint8_t)index;
		return true;
	case OPTION_START: capture->triggers.start = argument; return true;
	case OPTION_STOP: capture->triggers.stop = argument; return true;
	case OPTION_FILTER: return add_range(capture, EAR_FILTER_RANGE_INCLUDE, argument);
	case OPTION_EXCLUDE: return add_range(capture, EAR_FILTER_RANGE_EXCLUDE, argument);
	case OPTION_MODES: capture->triggers.modes = argument; return true;
	case OPTION_UNTIL: capture->triggers.until = argument; return true;
	case OPTION_LOAD: capture->loading.path = argument; return true;
	case OPTION_ELF: capture->triggers.symbols.elf = argument; return true;
	case OPTION_ELF_ANYWAY: capture->triggers.symbols.anyway = true; return true;
	case OPTION_RESET: capture->config.must_reset = true; return true;
	case OPTION_KEEP_RUNNING: capture->config.keep_core_running = true; return true;
	}
	return false;
}

/* What the host does on the way from the device. */
static bool take_host_option(
	struct capture *capture, const struct command_option *option, const char *argument)
{
	uint64_t number;
	int index;

	switch (option->id) {
	case OPTION_RING:
		return option_number(&capture->flight.size, option, argument, EAR_SEGMENTS_SIZE_MIN,
			RING_SIZE_MAX);
	case OPTION_AFTER:
		return option_number(&capture->flight.after, option, argument, 0, UINT64_MAX);
	case OPTION_RING_DIR: capture->flight.folder = argument; return true;
	case OPTION_BUFFER:
		if (!option_number(&number, option, argument, BUFFER_SIZE_MIN, BUFFER_SIZE_MAX))
			return false;
		capture->options.ring_size = (size_t)number;
		return true;
	case OPTION_BUFFER_FULL:
		if (!option_word(&index, option, argument))
			return false;
		capture->options.ring_full = (enum ear_ring_full)index;
		return true;
	case OPTION_RECONNECT:
		if (!option_number(&number, option, argument, 0, RECONNECT_SECONDS_MAX))
			return false;
		capture->options.reconnect_timeout_ms =
			number ? (unsigned)number * 1000 : EAR_SESSION_WAIT_FOR_EVER;
		return true;
	case OPTION_RECORD: capture->options.record_path = argument; return true;
	default: return take_unit_option(capture, option, argument);
	}
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct request *request = context;
	struct capture *capture = request->capture;
	const char *format = request->format;
	uint64_t interval;
	unsigned level;

	switch (option->id) {
	case OPTION_DEVICE: capture->device = argument; return true;
	case OPTION_FORMAT: request->format = argument; return true;
	case OPTION_OUTPUT:
		request->format = NULL;
		return outputs_add(&capture->outputs, argument, format);
	case OPTION_LIMIT:
		return parse_limit(capture, argument) ||
		       option_fail(option, argument,
			       "a number of records, bytes (10MB) or seconds (5s)");
	case OPTION_STATES:
		if (!option_number(&interval, option, argument, 0, UINT64_MAX))
			return false;
		ear_shot_states_init(&capture->outputs.states, interval);
		return true;
	case OPTION_LEVEL:
		if (!option_unsigned(&level, option, argument, 1, 19))
			return false;
		capture->level = (int)level;
		return true;
	case OPTION_SYNC: capture->outputs.sync = true; return true;
	case OPTION_QUIET:
		capture->quiet = true;
		cli_progress_disable();
		return true;
	default: return take_host_option(capture, option, argument);
	}
}

/* What does not go together. Returns NULL if all is well. */
static const char *check(const struct capture *capture)
{
	const struct flight *flight = &capture->flight;
	const char *until = capture->triggers.until;

	if (capture->outputs.count == 0)
		return "where to? Give -o FILE";
	if (capture->config.must_reset && capture->config.keep_core_running)
		return "--reset or --keep-running, not both";
	if (capture->loading.path && capture->config.keep_core_running)
		return "--load needs a reset: not with --keep-running";
	if (!flight->size && (until || flight->folder))
		return "--until and --ring-dir are for --ring";
	if (flight->after && !until)
		return "--after what? Give --until EVENT";
	return NULL;
}

/* Everything that can be found out without the device. Returns false after printing. */
static bool prepare_request(struct capture *capture)
{
	struct flight *flight = &capture->flight;

	flight->outputs = &capture->outputs;
	flight->has_until = capture->triggers.until;
	if (!capture->device)
		capture->device = default_device();
	find_program(capture);
	if (!name_files(capture))
		return false;
	find_symbols(capture);
	if (!trigger_text_parse(&capture->triggers, &capture->config) ||
		(flight->has_until &&
			!trigger_text_parse_until(&capture->triggers, &flight->until)))
		return false;
	symbol_file_close(&capture->triggers.symbols);
	capture->loading.quiet = capture->quiet;
	return !capture->loading.path || loading_read(&capture->loading);
}

static int run(int argc, char **argv)
{
	static struct capture capture = {
		.limit_records = UINT64_MAX, .limit_bytes = UINT64_MAX, .level = 3};
	struct request request = {.capture = &capture};
	int status;

	ear_shot_states_init(&capture.outputs.states, EAR_SHOT_STATES_AUTOMATIC);
	ear_session_options_init(&capture.options);
	ear_capture_config_init(&capture.config);
	int first = options_parse(&cmd_capture, argc, argv, take_option, &request, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage(
			"capture", "'%s' is not an option; a device is given with -d", argv[first]);
	const char *wrong = check(&capture);
	if (wrong)
		return cli_usage("capture", "%s", wrong);
	if (request.format)
		return cli_usage(
			"capture", "-f %s: of which file? -f comes before its -o", request.format);
	if (!prepare_request(&capture))
		return EAR_EXIT_FAILED;
	status = run_capture(&capture, argc, argv);
	loading_free(&capture.loading);
	return status;
}

const struct command cmd_capture = {
	.name = "capture",
	.arguments = "[OPTION]... -o FILE",
	.summary = "capture a trace from a device into a file",
	.about =
		"Capture a trace from a device into a file, until the program on the device ends, a "
		"limit is reached, or Ctrl-C.",
	.options = table,
	.notes = "Triggers and filter are in the unit. A TRIGGER is\n"
		 "  pc=ADDRESS[/MASK]     an instruction at an address or symbol\n"
		 "  opcode=VALUE[/MASK]   an instruction of this kind\n"
		 "  addr=LOW[-HIGH][:rw][=DATA[/MASK]]\n"
		 "                        a memory access to these addresses or this symbol, a\n"
		 "                        read or a write (:r, :w), of this data\n"
		 "  cycles=N, records=N   so many clocks or retired instructions\n"
		 "  pin                   the unit's trigger pin is high\n"
		 "\n"
		 "Devices:\n"
		 "  sim:PROGRAM.elf[,KEY=VALUE]...  the virtual board; KEYs: unit, ram, link,\n"
		 "                                  stall, seed, fault, uart, max-cycles\n"
		 "                                  ('earshot-board --help')\n"
		 "  usb:[SERIAL|BUS-PORT]           an FX2LP with Earshot's firmware\n"
		 "  ftdi:[SERIAL|BUS-PORT]          an FT232H or FT2232H in FIFO mode\n"
		 "  uart:PATH[,baud=N][,flow=rtscts]\n"
		 "                                  a serial port (default 3000000 baud)\n"
		 "  tcp:HOST:PORT[,token-file=PATH] 'earshot serve' on another machine\n"
		 "  file:PATH                       a dump of raw bytes, - is standard input",
	.exit_status = "0 captured, 1 the event of --until was not seen (what led up to the end is "
		       "written), 2 it could not be done, or the device failed or vanished.",
	.opens_device = true,
	.run = run,
};
