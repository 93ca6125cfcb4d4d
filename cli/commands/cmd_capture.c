#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/live/flight.h"
#include "cli/live/loading.h"
#include "cli/live/trigger_text.h"
#include "cli/output/outputs.h"
#include "cli/show/account.h"
#include "cli/show/facts.h"
#include "common/error.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/decoder_state.h"
#include "driver/link/transport.h"
#include "driver/session/session.h"

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

static void print_help(void)
{
	fputs("usage: earshot capture [OPTION]...\n"
	      "Capture a trace from a device into a file, until the program on the device ends,\n"
	      "a limit is reached, or Ctrl-C.\n\n"
	      "  -d, --device DEVICE      what to capture from (default: the virtual board with "
	      "the\n"
	      "                           demo program)\n"
	      "  -o, --output FILE        where to; again for more. NAME.shot is a capture file;\n"
	      "                           other names say their text format, decoded live;\n"
	      "                           - is standard output\n"
	      "  -f, --format FORMAT      format of the -o that follows: shot, whisper\n"
	      "      --policy POLICY      when the unit's FIFO is full: stall the core, or drop\n"
	      "                           records and say so (default: stall if the unit can)\n"
	      "      --time MODE          off (default), sync, record: which records carry time\n"
	      "      --limit LIMIT        end after so many records (1000, 5M), bytes of the wire\n"
	      "                           (10MB, 64KiB) or seconds (2.5s); again for more\n"
	      "      --start TRIGGER      the capture begins with this, see below\n"
	      "      --stop TRIGGER       the capture ends with this\n"
	      "      --filter WHERE       only records in WHERE: pc=LOW-HIGH, pc=LOW+SIZE, "
	      "pc=FUNCTION;\n"
	      "                           again for more\n"
	      "      --exclude WHERE      no records in WHERE; again for more\n"
	      "      --modes MODES        only records of these privilege modes: letters of u, s, "
	      "m\n"
	      "      --ring SIZE          flight recorder: keep only the newest SIZE of the stream "
	      "(16Ki\n"
	      "                           and more), and write it at the end, or at the event:\n"
	      "      --until EVENT        a TRIGGER, or {trap|exception|interrupt}[=CAUSE]; the "
	      "capture\n"
	      "                           ends with it\n"
	      "      --after RECORDS      records more that are captured behind the event "
	      "(default 0)\n"
	      "      --ring-dir DIR       keep the ring in files there (default: in memory, above "
	      "256Mi\n"
	      "                           in files beside the output)\n"
	      "      --load FILE          load this program into the system's memory first, as "
	      "'earshot\n"
	      "                           load' does; the capture begins with its first "
	      "instruction\n"
	      "      --elf FILE           take symbols from FILE (default: that of --load, or of "
	      "sim:)\n"
	      "      --elf-anyway         ... also if FILE is not the program that runs\n"
	      "      --reset              fail if the unit cannot reset the core; reset is the "
	      "default\n"
	      "                           where it can\n"
	      "      --keep-running       join the running core instead of resetting it\n"
	      "      --buffer SIZE        host ring between device and decoder (default 8Mi)\n"
	      "      --buffer-full WHAT   wait or drop (default: wait where the device can wait)\n"
	      "      --reconnect SECONDS  when the device goes away, wait so long for it to come\n"
	      "                           back and go on behind a gap; 0 waits for ever\n"
	      "      --record FILE        also write every received byte to FILE, as it came\n"
	      "      --states RECORDS     instructions between states of the decoder in capture "
	      "files,\n"
	      "                           from which decoding can begin (default: as many as "
	      "fit into\n"
	      "                           a tenth of the file; 0 none)\n"
	      "      --level N            zstd level of capture files, 1 to 19 (default 3)\n"
	      "      --sync               each second wait until all that came is on the disk\n"
	      "  -q, --quiet              no progress and no summary\n"
	      "  -h, --help               this text\n\n"
	      "Triggers and filter are the unit's. A TRIGGER is\n"
	      "  pc=ADDRESS[/MASK]               an instruction at an address or symbol\n"
	      "  opcode=VALUE[/MASK]             an instruction of this kind\n"
	      "  addr=LOW[-HIGH][:rw][=DATA[/MASK]]\n"
	      "                                  an access to memory: of these addresses or this "
	      "symbol,\n"
	      "                                  a read or a write (:r, :w), of this data\n"
	      "  cycles=N, records=N             so many clocks or retired instructions\n"
	      "  pin                             the unit's trigger pin is high\n\n"
	      "Devices:\n"
	      "  sim:PROGRAM.elf[,KEY=VALUE]...  the virtual board; KEYs: unit, ram, link, stall, "
	      "seed,\n"
	      "                                  fault, uart, max-cycles ('earshot-board --help')\n"
	      "  usb:[SERIAL|BUS-PORT]           an FX2LP with Earshot's firmware\n"
	      "  ftdi:[SERIAL|BUS-PORT]          an FT232H or FT2232H in FIFO mode\n"
	      "  uart:PATH[,baud=N][,flow=rtscts]\n"
	      "                                  a serial port (default 3000000 baud)\n"
	      "  tcp:HOST:PORT[,token-file=PATH] another machine's 'earshot serve'\n"
	      "  file:PATH                       a dump of raw bytes, - is standard input\n\n"
	      "Exit status: 0 captured, 1 the event of --until was not seen (what led up to the "
	      "end is\n"
	      "written), 2 it could not be done, or the device failed or vanished.\n",
		stdout);
}

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

/* Find text among count names; the index, or -1. */
static int find_name(const char *text, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	return -1;
}

static bool parse_policy(struct capture *capture, const char *text)
{
	static const char *const names[] = {"auto", "stall", "drop"};
	int found = find_name(text, names, 3);

	capture->config.policy = (enum ear_policy)found;
	return found >= 0;
}

static bool parse_time(struct capture *capture, const char *text)
{
	static const char *const names[] = {"off", "sync", "record"};
	int found = find_name(text, names, 3);

	capture->config.time_mode = (uint8_t)found;
	return found >= 0;
}

static bool parse_buffer_full(struct capture *capture, const char *text)
{
	static const char *const names[] = {"auto", "wait", "drop"};
	int found = find_name(text, names, 3);

	capture->options.ring_full = (enum ear_ring_full)found;
	return found >= 0;
}

static bool parse_buffer(struct capture *capture, const char *text)
{
	uint64_t size;

	if (!cli_parse_count(&size, text) || size < 4096 || size > (uint64_t)1 << 32)
		return false;
	capture->options.ring_size = (size_t)size;
	return true;
}

static bool parse_reconnect(struct capture *capture, const char *text)
{
	uint64_t seconds;

	if (!cli_parse_count(&seconds, text) || seconds > 1000000)
		return false;
	capture->options.reconnect_timeout_ms =
		seconds ? (unsigned)seconds * 1000 : EAR_SESSION_WAIT_FOR_EVER;
	return true;
}

static const char *add_range(struct capture *capture, uint8_t mode)
{
	return trigger_text_add_range(&capture->triggers, mode, optarg)
		       ? NULL
		       : "the unit has four ranges for --filter and --exclude together";
}

static bool parse_level(struct capture *capture, const char *text)
{
	uint64_t level;

	if (!cli_parse_count(&level, text) || level < 1 || level > 19)
		return false;
	capture->level = (int)level;
	return true;
}

static bool parse_states(struct capture *capture, const char *text)
{
	uint64_t interval;

	if (!cli_parse_count(&interval, text))
		return false;
	ear_shot_states_init(&capture->outputs.states, interval);
	return true;
}

static bool parse_ring(struct capture *capture, const char *text)
{
	return cli_parse_count(&capture->flight.size, text) &&
	       capture->flight.size >= EAR_SEGMENTS_SIZE_MIN &&
	       capture->flight.size <= (uint64_t)1 << 50;
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
static const struct ear_session_end *run(struct capture *capture)
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

	const struct ear_session_end *end = run(capture);
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

/* One option with its argument. Returns NULL, or what is wrong with it. */
static const char *take_option(struct capture *capture, int option, const char **format)
{
	switch (option) {
	case 'd': capture->device = optarg; return NULL;
	case 'f': *format = optarg; return NULL;
	case 'o': {
		bool added = outputs_add(&capture->outputs, optarg, *format);
		*format = NULL;
		return added ? NULL : ""; /* why not was printed */
	}
	case 'p': return parse_policy(capture, optarg) ? NULL : "--policy is stall or drop";
	case 't': return parse_time(capture, optarg) ? NULL : "--time is off, sync or record";
	case 'l':
		return parse_limit(capture, optarg)
			       ? NULL
			       : "--limit is a number of records, bytes (10MB) or seconds (5s)";
	case 'k': capture->config.keep_core_running = true; return NULL;
	case 'z': capture->config.must_reset = true; return NULL;
	case 'a': capture->triggers.start = optarg; return NULL;
	case 'e': capture->triggers.stop = optarg; return NULL;
	case 'i': return add_range(capture, EAR_FILTER_RANGE_INCLUDE);
	case 'x': return add_range(capture, EAR_FILTER_RANGE_EXCLUDE);
	case 'm': capture->triggers.modes = optarg; return NULL;
	case 'E': capture->triggers.symbols.elf = optarg; return NULL;
	case 'Y': capture->triggers.symbols.anyway = true; return NULL;
	case 'P': capture->loading.path = optarg; return NULL;
	case 'g': return parse_ring(capture, optarg) ? NULL : "--ring is a size, 16Ki or more";
	case 'u': capture->triggers.until = optarg; return NULL;
	case 'A':
		return cli_parse_count(&capture->flight.after, optarg)
			       ? NULL
			       : "--after is a number of records";
	case 'D': capture->flight.folder = optarg; return NULL;
	case 'b': return parse_buffer(capture, optarg) ? NULL : "--buffer is a size, 4096 to 4Gi";
	case 'B':
		return parse_buffer_full(capture, optarg) ? NULL : "--buffer-full is wait or drop";
	case 'R':
		return parse_reconnect(capture, optarg) ? NULL
							: "--reconnect is a number of seconds";
	case 'r': capture->options.record_path = optarg; return NULL;
	case 'S': return parse_states(capture, optarg) ? NULL : "--states is a number of records";
	case 'y': capture->outputs.sync = true; return NULL;
	case 'L': return parse_level(capture, optarg) ? NULL : "--level is 1 to 19";
	case 'q':
		capture->quiet = true;
		cli_progress_disable();
		return NULL;
	default: return "bad option";
	}
}

int cmd_capture(int argc, char **argv)
{
	static const struct option options[] = {
		{"device", required_argument, NULL, 'd'},
		{"output", required_argument, NULL, 'o'},
		{"format", required_argument, NULL, 'f'},
		{"policy", required_argument, NULL, 'p'},
		{"time", required_argument, NULL, 't'},
		{"limit", required_argument, NULL, 'l'},
		{"start", required_argument, NULL, 'a'},
		{"stop", required_argument, NULL, 'e'},
		{"filter", required_argument, NULL, 'i'},
		{"exclude", required_argument, NULL, 'x'},
		{"modes", required_argument, NULL, 'm'},
		{"load", required_argument, NULL, 'P'},
		{"elf", required_argument, NULL, 'E'},
		{"elf-anyway", no_argument, NULL, 'Y'},
		{"ring", required_argument, NULL, 'g'},
		{"until", required_argument, NULL, 'u'},
		{"after", required_argument, NULL, 'A'},
		{"ring-dir", required_argument, NULL, 'D'},
		{"reset", no_argument, NULL, 'z'},
		{"keep-running", no_argument, NULL, 'k'},
		{"buffer", required_argument, NULL, 'b'},
		{"buffer-full", required_argument, NULL, 'B'},
		{"reconnect", required_argument, NULL, 'R'},
		{"record", required_argument, NULL, 'r'},
		{"level", required_argument, NULL, 'L'},
		{"states", required_argument, NULL, 'S'},
		{"sync", no_argument, NULL, 'y'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	static struct capture capture = {
		.limit_records = UINT64_MAX, .limit_bytes = UINT64_MAX, .level = 3};
	const char *format = NULL;
	int option;

	ear_shot_states_init(&capture.outputs.states, EAR_SHOT_STATES_AUTOMATIC);
	ear_session_options_init(&capture.options);
	ear_capture_config_init(&capture.config);
	while ((option = getopt_long(argc, argv, "d:o:f:qh", options, NULL)) != -1) {
		if (option == 'h') {
			print_help();
			return EAR_EXIT_DONE;
		}
		const char *wrong = take_option(&capture, option, &format);
		if (wrong)
			return wrong[0] ? cli_usage("capture", "%s", wrong) : EAR_EXIT_FAILED;
	}
	if (optind != argc)
		return cli_usage("capture", "'%s' is not an option; a device is given with -d",
			argv[optind]);
	if (capture.outputs.count == 0)
		return cli_usage("capture", "where to? Give -o FILE");
	if (format)
		return cli_usage("capture", "-f %s: of which file? -f comes before its -o", format);
	if (capture.config.must_reset && capture.config.keep_core_running)
		return cli_usage("capture", "--reset or --keep-running, not both");
	if (capture.loading.path && capture.config.keep_core_running)
		return cli_usage("capture", "--load needs a reset: not with --keep-running");
	struct flight *flight = &capture.flight;
	flight->outputs = &capture.outputs;
	flight->has_until = capture.triggers.until;
	if (!flight->size && (flight->has_until || flight->folder))
		return cli_usage("capture", "--until and --ring-dir are for --ring");
	if (flight->after && !flight->has_until)
		return cli_usage("capture", "--after what? Give --until EVENT");
	if (!capture.device)
		capture.device = default_device();
	find_program(&capture);
	if (!name_files(&capture))
		return EAR_EXIT_FAILED;
	find_symbols(&capture);
	if (!trigger_text_parse(&capture.triggers, &capture.config) ||
		(flight->has_until && !trigger_text_parse_until(&capture.triggers, &flight->until)))
		return EAR_EXIT_FAILED;
	symbol_file_close(&capture.triggers.symbols);
	capture.loading.quiet = capture.quiet;
	if (capture.loading.path && !loading_read(&capture.loading))
		return EAR_EXIT_FAILED;
	int status = run_capture(&capture, argc, argv);
	loading_free(&capture.loading);
	return status;
}
