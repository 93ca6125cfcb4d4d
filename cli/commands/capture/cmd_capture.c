/* 'earshot capture': from the options to an open device and open files; the capture itself is
 * cli/live/live_capture.c. What can be refused without the device is refused before it is opened,
 * and files are made only when the device has said that it can do what is wanted.
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/capture/capture_index.h"
#include "cli/commands/capture/capture_openocd.h"
#include "cli/commands/cmd.h"
#include "cli/commands/states_option.h"
#include "cli/input/format_options.h"
#include "cli/input/port_input.h"
#include "cli/input/trace_input.h"
#include "cli/live/live_capture.h"
#include "cli/live/live_session.h"
#include "cli/live/live_top.h"
#include "cli/live/loading.h"
#include "cli/live/trigger_text.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"
#include "cli/show/metadata.h"
#include "cli/top/top_terminal.h"
#include "common/own_file.h"
#include "driver/session/session.h"

#define BUFFER_SIZE_MIN       4096
#define BUFFER_SIZE_MAX       ((uint64_t)1 << 32)
#define RING_SIZE_MAX         ((uint64_t)1 << 50)
#define RECONNECT_SECONDS_MAX 1000000

/* What the command line asks for, beside what the capture itself holds. */
struct request {
	const char *device;
	char program[PATH_MAX]; /* that the device runs; "" unknown */
	struct ear_session_options options;
	struct loading loading; /* path NULL: the device has its program */
	struct trigger_text triggers;
	struct live_capture live;
	unsigned time_mode, level;
	uint64_t states, buffer_size;  /* 0: the default */
	bool index;                    /* of the capture files */
	struct port_input port;        /* for folders */
	const char *format;            /* of the -o that follows; NULL: by its name */
	struct ear_trace_wishes trace; /* of openocd: */
	const char *unit;              /* likewise */
	struct top_options top;        /* of --top, if with_top */
	bool with_top;
};

static bool take_output(void *value, const struct command_option *option, const char *argument)
{
	struct request *request = value;
	const char *format = request->format;

	(void)option;
	request->format = NULL;
	return outputs_add(&request->live.outputs, argument, format);
}

/* Whoever may read may also enter a folder. */
static void set_mode(mode_t mode)
{
	umask(0777 & ~(mode | (mode & 0444) >> 2));
}

static bool take_mode(void *value, const struct command_option *option, const char *argument)
{
	char *end;
	unsigned long mode = strtoul(argument, &end, 8);

	(void)value;
	if (*argument < '0' || *argument > '7' || *end || mode > 0666 || (mode & 0111) ||
		(mode & 0600) != 0600)
		return option_fail(option, argument, "a mode such as 0600 or 0644");
	set_mode((mode_t)mode);
	return true;
}

static bool parse_limit(struct live_capture *live, const char *text)
{
	char *end;
	size_t length = strlen(text);
	char number[32];

	if (length == 0 || length >= sizeof(number))
		return false;
	memcpy(number, text, length + 1);
	if (number[length - 1] == 's') {
		live->limit_seconds = strtod(text, &end);
		return end == text + length - 1 && live->limit_seconds > 0 &&
		       live->limit_seconds < 1e9;
	}
	if (number[length - 1] == 'B') {
		number[length - 1] = '\0';
		return cli_parse_count(&live->limit_bytes, number) && live->limit_bytes > 0;
	}
	return cli_parse_count(&live->limit_records, number) && live->limit_records > 0;
}

static bool take_limit(void *value, const struct command_option *option, const char *argument)
{
	return parse_limit(value, argument) ||
	       option_fail(option, argument, "a number of records, bytes (10MB) or seconds (5s)");
}

static bool take_range(void *value, const struct command_option *option, const char *argument)
{
	if (trigger_text_add_range(value, (uint8_t)option->min, argument))
		return true;
	cli_error("the unit has four ranges for --filter and --exclude together");
	return false;
}

static bool take_reconnect(void *value, const struct command_option *option, const char *argument)
{
	struct ear_session_options *options = value;
	uint64_t seconds;

	if (!option_take_number(&seconds, option, argument))
		return false;
	options->reconnect_timeout_ms =
		seconds ? (unsigned)seconds * 1000 : EAR_SESSION_WAIT_FOR_EVER;
	return true;
}

static bool take_top(void *value, const struct command_option *option, const char *argument)
{
	static const enum top_how hows[] = {TOP_SCREEN, TOP_PLAIN, TOP_JSON};
	struct request *request = value;
	int index;

	request->with_top = true;
	request->top.how = top_terminal_is_there() ? TOP_SCREEN : TOP_PLAIN;
	if (!argument)
		return true;
	if (!option_word(&index, option, argument))
		return false;
	request->top.how = hows[index];
	return true;
}

#define TRIGGERS "pc= opcode= addr= cycles= records= pin mismatch ="

static const struct command_option table[] = {
	{"device", 'd', "DEVICE", VALUES_DEVICES,
		.text = "Capture from DEVICE (default: the virtual board with the demo program).",
		.detail = "See {DEVICES}.", OPTION_VALUE(struct request, device)},
	{"output", 'o', "FILE", VALUES_FILES,
		.text = "Write to FILE; repeat for more files. NAME.shot is a capture file; other endings "
			"name a text format, decoded live; `-` is standard output.",
		.detail =
			"Up to 64 files are possible. `NAME/` is a folder of the format qtrace. An unknown "
			"ending is refused. Standard output, devices and pipes get `whisper`.",
		.take = take_output},
	{"format", 'f', "FORMAT", VALUES_WRITE_FORMATS,
		.text = "Format of the -o that follows: `shot` or a text format.",
		.detail = "`earshot convert --help` lists them.",
		OPTION_VALUE(struct request, format)},
	{"mode", 0, "MODE",
		.text = "Permissions of the files that are written, in octal (default 0600: a trace shows "
			"what the program computed).",
		.detail = "A file that is there keeps its own. For a folder give it before -o.",
		.take = take_mode},
	{"policy", 0, "POLICY", VALUES_WORDS, "auto stall drop",
		.text = "When the unit's FIFO is full: `stall` the core, or `drop` records and report them "
			"(default: `auto`, stall if the unit can).",
		.detail =
			"With `stall` nothing is lost. With `drop` the unit counts the lost records exactly, "
			"and the trace shows the gap.",
		OPTION_VALUE(struct request, live.config.policy)},
	{"time", 0, "MODE", VALUES_WORDS, "off sync record",
		.text = "Which records carry the time: `off` (default), `sync` or `record`.",
		.detail =
			"Time is counted in clocks of the core. With openocd: `sync` has N-Trace's time "
			"stamps sent, in the unit of the chip.",
		OPTION_VALUE(struct request, time_mode)},
	{"limit", 0, "LIMIT",
		.text = "Stop after so many records (1000, 5M), bytes on the wire (10MB, 64KiB) or seconds "
			"(2.5s); repeat for another kind of limit.",
		.detail =
			"A number of records is exact if the unit has triggers and neither a stop trigger "
			"nor a filter is set; otherwise the file may hold a few more.",
		OPTION_TAKEN(take_limit, struct request, live)},
	{"start", 0, "TRIGGER", VALUES_BEGINNINGS, TRIGGERS,
		.text = "Begin the capture at TRIGGER, or where a function or `FILE:LINE` begins.",
		.detail = "See {TRIGGERS}.", OPTION_VALUE(struct request, triggers.start)},
	{"stop", 0, "TRIGGER", VALUES_BEGINNINGS, TRIGGERS, .text = "End the capture at TRIGGER.",
		.detail = "The unit looks for it from the start on.",
		OPTION_VALUE(struct request, triggers.stop)},
	{"filter", 0, "WHERE", VALUES_BEGINNINGS, "pc=",
		.text = "Capture only records in WHERE: `pc=LOW-HIGH` (both ends included), `pc=LOW+SIZE` or "
			"`pc=FUNCTION`; repeat for more ranges.",
		.detail = "The unit has four ranges for --filter and --exclude together.",
		OPTION_TAKEN(take_range, struct request, triggers),
		.min = EAR_FILTER_RANGE_INCLUDE},
	{"exclude", 0, "WHERE", VALUES_BEGINNINGS,
		"pc=", .text = "Capture no records in WHERE; repeat for more ranges.",
		OPTION_TAKEN(take_range, struct request, triggers),
		.min = EAR_FILTER_RANGE_EXCLUDE},
	{"modes", 0, "MODES",
		.text = "Capture only records of these privilege modes: letters of u, s, m.",
		OPTION_VALUE(struct request, triggers.modes)},
	{"ring", 0, "SIZE",
		.text = "Flight recorder: keep only the newest SIZE of the stream (16Ki or more), and write it "
			"at the end, or at the event.",
		.detail = "See {FLIGHT RECORDER}.", OPTION_VALUE(struct request, live.flight.size),
		.min = EAR_SEGMENTS_SIZE_MIN, .max = RING_SIZE_MAX},
	{"until", 0, "EVENT", VALUES_BEGINNINGS,
		TRIGGERS " trap exception interrupt violation reboots=",
		.text = "With --ring: end the capture at EVENT, a TRIGGER, one of `trap`, `exception`, "
			"`interrupt`, each with `=CAUSE` or without, `violation`, with `=RULES` or "
			"without, or `reboots=N`.",
		.detail =
			"An exception is an instruction that traps, an interrupt one that is taken; a trap is "
			"either. A violation is what `earshot check` finds first: the host checks each "
			"instruction while it captures. Which memory changes by itself is known of the "
			"virtual board; with other devices the rule `loaded` counts only if it is named. "
			"A reboot is when the program is at its first instruction again; the capture must "
			"begin with it.",
		OPTION_VALUE(struct request, triggers.until)},
	{"after", 0, "RECORDS",
		.text = "With --until: records to capture after the event (default 0).",
		OPTION_VALUE(struct request, live.flight.after), .max = UINT64_MAX},
	{"ring-dir", 0, "DIR", VALUES_FOLDERS,
		.text = "With --ring: keep the ring in files in DIR (default: in memory; above 256Mi in files "
			"beside the output).",
		OPTION_VALUE(struct request, live.flight.folder)},
	{"load", 0, "FILE", VALUES_FILES,
		.text = "First load this program into the system's memory, as `earshot load` does; the "
			"capture begins with its first instruction.",
		OPTION_VALUE(struct request, loading.path)},
	{"elf", 0, "FILE", VALUES_FILES,
		.text = "Take symbols from FILE (default: the program of --load, or of sim:).",
		.detail = "If one of these is known, a FILE with another SHA-256 is refused.",
		OPTION_TAKEN(symbol_file_take_elf, struct request, triggers.symbols)},
	{"elf-anyway", 0, .text = "Use --elf even if FILE is not the program that runs.",
		.detail = "An example is the program before it was stripped.",
		OPTION_VALUE(struct request, triggers.symbols.anyway)},
	{"reset", 0,
		.text = "Fail if the unit cannot reset the core. A unit that can does so by default.",
		OPTION_VALUE(struct request, live.config.must_reset)},
	{"keep-running", 0, .text = "Join the running core instead of resetting it.",
		.detail = "After a reset the trace begins with the core's first instruction.",
		OPTION_VALUE(struct request, live.config.keep_core_running)},
	{"buffer", 0, "SIZE", .text = "Host buffer between device and decoder (default 8Mi).",
		OPTION_VALUE(struct request, buffer_size), .min = BUFFER_SIZE_MIN,
		.max = BUFFER_SIZE_MAX},
	{"buffer-full", 0, "WHAT", VALUES_WORDS, "auto wait drop",
		.text = "When that buffer is full: `wait`, or `drop` bytes and report the gap (default: "
			"`auto`, wait if the device can wait).",
		OPTION_VALUE(struct request, options.ring_full)},
	{"reconnect", 0, "SECONDS",
		.text = "When the device disappears, wait so long for its return and continue after a gap; 0: "
			"for ever.",
		.detail =
			"The device is recognised by its serial number, in any port, or else by its port. The "
			"size of the gap is unknown. A capture that still runs in the unit is joined; a unit "
			"that lost its power is started again.",
		OPTION_TAKEN(take_reconnect, struct request, options),
		.max = RECONNECT_SECONDS_MAX},
	{"record", 0, "FILE", VALUES_FILES,
		.text = "Also write every received byte to FILE, unchanged.",
		OPTION_VALUE(struct request, options.record_path)},
	{"top", 0, "[=HOW]", VALUES_WORDS, "screen plain json",
		.text = "Show what runs, as `earshot top` does: as a `screen`, `plain` lines or `json` "
			"(default: a screen if standard output is a terminal, else lines).",
		.detail =
			"A process of its own shows it. The capture never waits for it, and its files are "
			"the same; what the view skips is shown. Leaving the view does not end the capture.",
		.take = take_top},
	COMMENTS_OPTION(struct request, live.outputs.comments,
		"the exit status is 1 if records are missing"),
	STATES_OPTION(struct request, states),
	{"level", 0, "N", .text = "Zstandard level of a capture file, 1 to 19 (default 3).",
		OPTION_VALUE(struct request, level), .min = 1, .max = 19},
	{"sync", 0, .text = "Each second, wait until all received data is on the disk.",
		.detail =
			"A power cut then costs two seconds at most. Without it this is done when a capture "
			"file is complete, and when the event of --until has come.",
		OPTION_VALUE(struct request, live.outputs.sync)},
	{"index", 0,
		.text = "Build the index of each capture file while it is written (NAME.shot.idx).",
		.detail =
			"A thread of the lowest priority follows the capture. What it has not read is read at "
			"the end, with progress; another Ctrl-C then leaves that to `earshot index`. The exit "
			"status is that of the capture.",
		OPTION_VALUE(struct request, index)},
	{"trace-base", 0, "ADDRESS",
		.text = "With openocd: the address of the trace encoder; with commas those of other "
			"encoders, funnels and the RAM sink.",
		.detail =
			"A sink that is not named is looked for in the 15 pages of 4 KiB after it.",
		OPTION_TAKEN(capture_openocd_take_base, struct request, trace)},
	{"trace-buffer", 0, "ADDRESS+SIZE",
		.text = "With openocd: memory of the system that the RAM sink may write to. Nothing else "
			"may use it.",
		OPTION_TAKEN(capture_openocd_take_buffer, struct request, trace)},
	{"trace-first", 0,
		.text = "With openocd: the RAM sink keeps the first of the trace and stops when it is full; "
			"else it keeps the newest.",
		OPTION_VALUE(struct request, trace.first)},
	{"unit", 0, "FILE", VALUES_FILES,
		.text = "With openocd: a JSON file with what the encoder does not say of itself; its members "
			"are copied into the trace.",
		OPTION_TAKEN(option_take_unit, struct request, unit)},
	QUIET_OPTION(struct request, live.quiet),
	{0},
};

/* The demo program: in the build tree beside bin/, or where it was installed. */
static const char *default_device(void)
{
	static char name[PATH_MAX + 8];
	static const char *const places[] = {"../programs/demo.elf", "../share/earshot/demo.elf"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (ear_own_file(path, sizeof(path), places[i], R_OK)) {
			snprintf(name, sizeof(name), "sim:%s", path);
			return name;
		}
	return "sim:" EAR_DATA_FOLDER "/demo.elf";
}

/* Only of the virtual board is it known what runs there, unless we load it. */
static void find_program(struct request *request)
{
	const char *name = request->device;

	if (request->loading.path)
		snprintf(request->program, sizeof(request->program), "%s", request->loading.path);
	else if (strncmp(name, "sim:", 4) == 0)
		snprintf(request->program, sizeof(request->program), "%.*s",
			(int)strcspn(name + 4, ","), name + 4);
}

/* Symbols are those of --elf, which must be of the program that runs, or of the program itself. */
static void find_symbols(struct request *request)
{
	struct symbol_file *symbols = &request->triggers.symbols;

	snprintf(symbols->program, sizeof(symbols->program), "%s", request->program);
	if (!request->program[0] || !symbol_file_hash(symbols->sha256, request->program))
		symbols->sha256[0] = '\0';
}

/* A folder has what stores to the event port mean, with strings also from the program. */
static bool prepare_port(struct request *request)
{
	struct port_input *port = &request->port;
	const char *elf = request->triggers.symbols.elf;

	if (!outputs_want_tasks(&request->live.outputs))
		return true;
	port->elf = elf ? elf : request->program[0] ? request->program : NULL;
	port->elf_optional = true;
	port->options.tasks = true;
	request->live.outputs.port = port;
	return port_input_load(port) && port_input_open(port, true);
}

/* The files beside the outputs, which have been named already. */
static bool name_files(const struct request *request)
{
	const char *record = request->options.record_path;

	return files_device(request->device) &&
	       (!request->loading.path || files_read("--load", request->loading.path)) &&
	       (!record || files_write("--record", record));
}

/* A trace unit in a chip knows few of the options. */
static const char *check_openocd(const struct request *request)
{
	const struct live_capture *live = &request->live;
	const struct trigger_text *triggers = &request->triggers;
	const struct output *output = &live->outputs.list[0];

	if (live->outputs.count != 1 || !output->format ||
		ear_text_output_packing(output->path) != EAR_TEXT_PLAIN ||
		(strcmp(output->format->name, "ntrace") != 0 &&
			strcmp(output->format->name, "etrace") != 0))
		return "openocd: writes one file as it is sent: give -o NAME.ntrace or -o "
		       "NAME.etrace; 'earshot convert' makes others of it";
	if (request->trace.base_count == 0)
		return "openocd: where is the trace encoder? Give --trace-base ADDRESS";
	if (request->time_mode == EAR_TIME_MODE_RECORD)
		return "openocd: messages have time stamps, not records: give --time sync";
	if (triggers->start || triggers->modes || triggers->range_count || live->flight.size ||
		request->loading.path || request->index || request->options.record_path ||
		live->limit_records != UINT64_MAX || live->limit_bytes != UINT64_MAX)
		return "openocd: has no --start, --filter, --exclude, --modes, --ring, --load, "
		       "--index and --record, and --limit in seconds only";
	return NULL;
}

static bool writes_standard_output(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (strcmp(outputs->list[i].path, "-") == 0)
			return true;
	return false;
}

/* What does not go together. Returns NULL if all is well. */
static const char *check(const struct request *request)
{
	const struct flight *flight = &request->live.flight;
	const char *until = request->triggers.until;

	if (capture_openocd_is(request->device)) {
		const char *wrong = check_openocd(request);
		if (wrong)
			return wrong;
	} else if (request->trace.base_count || request->trace.buffer_size ||
		   request->trace.first || request->unit) {
		return "--trace-base, --trace-buffer, --trace-first and --unit are for "
		       "-d openocd:HOST:PORT";
	}
	if (request->live.outputs.count == 0)
		return "where to? Give -o FILE";
	if (request->index && !capture_index_possible(&request->live.outputs))
		return "--index is for a capture file: give -o NAME.shot";
	if (request->with_top && writes_standard_output(&request->live.outputs))
		return "--top and -o - both write to standard output";
	if (request->with_top && capture_openocd_is(request->device))
		return "openocd: has no --top";
	if (request->live.config.must_reset && request->live.config.keep_core_running)
		return "--reset or --keep-running, not both";
	if (request->loading.path && request->live.config.keep_core_running)
		return "--load needs a reset: not with --keep-running";
	if (!flight->size && (until || flight->folder))
		return "--until and --ring-dir are for --ring";
	if (flight->after && !until)
		return "--after what? Give --until EVENT";
	return NULL;
}

/* Which memory changes by itself. Where that is not known, what a load returns is no violation,
 * unless the user says so. */
static void know_devices(struct request *request)
{
	struct flight *flight = &request->live.flight;

	if (strncmp(request->device, "sim:", 4) == 0)
		flight->devices = trace_input_board_devices(&flight->device_count);
	else if (flight->until.rules == UINT32_MAX)
		flight->until.rules &= ~(1u << EAR_CHECK_LOADED);
}

/* Before the device is opened: it is a process that starts with all rights. */
static bool start_top(struct request *request)
{
	const struct live_top_options options = {.device = request->device,
		.view = &request->top,
		.symbols = &request->triggers.symbols,
		.is_aside = true};

	if (!request->with_top)
		return true;
	cli_progress_disable();
	return live_top_start(&request->live.top, &options);
}

/* Everything that can be found out without the device. Returns false after printing. */
static bool prepare(struct request *request)
{
	struct live_capture *live = &request->live;
	struct flight *flight = &live->flight;

	live->config.time_mode = (uint8_t)request->time_mode;
	ear_shot_states_init(&live->outputs.states, request->states);
	if (request->buffer_size)
		request->options.ring_size = (size_t)request->buffer_size;
	flight->has_until = request->triggers.until;
	if (!request->device)
		request->device = default_device();
	find_program(request);
	if (!name_files(request))
		return false;
	find_symbols(request);
	if (!trigger_text_parse(&request->triggers, &live->config) ||
		(flight->has_until &&
			!trigger_text_parse_until(&request->triggers, &flight->until)))
		return false;
	know_devices(request);
	if (!prepare_port(request) || !start_top(request))
		return false;
	symbol_file_close(&request->triggers.symbols);
	request->loading.quiet = live->quiet;
	live->device = request->device;
	live->outputs.comments.name = request->device;
	live->triggers = &request->triggers;
	live->keeps_raw = request->options.record_path;
	return !request->loading.path || loading_read(&request->loading);
}

static bool open_outputs(struct request *request, int argc, char **argv)
{
	struct live_capture *live = &request->live;
	struct metadata *metadata = malloc(sizeof(*metadata));

	if (!metadata) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	metadata_init(metadata);
	metadata_add(metadata, "writer", "%s", cli_version);
	metadata_add_time(metadata, "created");
	metadata_add(metadata, "device", "%s", request->device);
	metadata_add_command(metadata, argc, argv);
	if (request->program[0])
		symbol_file_describe(metadata, request->program);
	bool opened = outputs_open(&live->outputs, metadata->text, (int)request->level);
	if (opened && live->flight.size)
		opened = flight_open(&live->flight, metadata->text);
	free(metadata);
	return opened;
}

static bool load(struct request *request)
{
	return !request->loading.path || loading_run(&request->loading, request->live.session);
}

/* The outputs are open. */
static int capture_and_index(struct request *request)
{
	struct live_capture *live = &request->live;
	struct capture_index *index = NULL;

	if (request->index)
		index = capture_index_begin(&live->outputs);
	int status = comments_judge(&live->outputs.comments, live_capture_run(live));
	capture_index_end(index, !live->outputs.failed, live->quiet);
	return status;
}

static int capture(struct request *request, int argc, char **argv)
{
	struct live_capture *live = &request->live;
	const bool screen = request->with_top && request->top.how == TOP_SCREEN;
	int status = EAR_EXIT_FAILED;

	if (!live_session_open(
		    &live->session, request->device, &request->options, live->quiet || screen))
		return EAR_EXIT_FAILED;
	if (cli_interrupted)
		cli_error("%s: interrupted before the capture began", request->device);
	else if (live_capture_prepare(live) && load(request) && open_outputs(request, argc, argv))
		status = capture_and_index(request);
	live_session_close(live->session);
	return status;
}

static int run_openocd(struct request *request)
{
	const struct live_capture *live = &request->live;
	const struct output *output = &live->outputs.list[0];
	const struct ear_trigger *stop = &live->config.stop;

	if (!trigger_text_parse(&request->triggers, &request->live.config))
		return EAR_EXIT_FAILED;
	symbol_file_close(&request->triggers.symbols);
	if (stop->kind && (stop->kind != EAR_TRIGGER_PC || ~stop->mask))
		return cli_usage("capture", "openocd: halts at --stop pc=ADDRESS only");
	struct capture_openocd capture = {
		.device = request->device,
		.path = output->path,
		.format = output->format->name,
		.wishes = request->trace,
		.unit = request->unit,
		.seconds = live->limit_seconds,
		.has_stop = stop->kind,
		.stop = stop->value,
		.keep_running = live->config.keep_core_running,
		.quiet = live->quiet,
	};
	capture.wishes.stall = live->config.policy == EAR_POLICY_STALL;
	capture.wishes.time = request->time_mode != EAR_TIME_MODE_OFF;
	return capture_openocd_run(&capture);
}

/* The options, then the capture. */
static int run_request(struct request *request, int argc, char **argv)
{
	int status;
	int first = options_parse(&cmd_capture, argc, argv, request, &status);

	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage(
			"capture", "'%s' is not an option; a device is given with -d", argv[first]);
	const char *wrong = check(request);
	if (wrong)
		return cli_usage("capture", "%s", wrong);
	if (request->format)
		return cli_usage(
			"capture", "-f %s: of which file? -f comes before its -o", request->format);
	if (capture_openocd_is(request->device))
		return run_openocd(request);
	if (!prepare(request))
		return EAR_EXIT_FAILED;
	status = capture(request, argc, argv);
	(void)live_top_finish(request->live.top, true, true);
	if (request->port.events)
		port_input_warn(&request->port, request->device);
	loading_free(&request->loading);
	return status;
}

static int run(int argc, char **argv)
{
	static struct request request = {
		.level = 3, .states = EAR_SHOT_STATES_AUTOMATIC, .top = TOP_OPTIONS_DEFAULTS};

	set_mode(0600);
	live_capture_init(&request.live);
	ear_session_options_init(&request.options);
	int status = run_request(&request, argc, argv);
	port_input_close(&request.port);
	symbol_file_close(&request.triggers.symbols); /* if it was not read so far */
	live_capture_fini(&request.live);
	return status;
}

const struct command cmd_capture = {
	.name = "capture",
	.arguments = "[OPTION]... -o FILE",
	.summary = "capture a trace from a device, whole or as a flight recorder",
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
		 "  mismatch              the unit has seen a wrong result of the core; not for\n"
		 "                        --start\n"
		 "\n"
		 "Devices:\n"
		 "  sim:PROGRAM.elf[,KEY=VALUE]...  the virtual board; KEYs: unit, ram, link,\n"
		 "                                  stall, seed, fault, dump, uart, max-cycles\n"
		 "                                  ('earshot-board --help')\n"
		 "  usb:[SERIAL|BUS-PORT]           an FX2LP with Earshot's firmware\n"
		 "  ftdi:[SERIAL|BUS-PORT]          an FT232H or FT2232H in FIFO mode\n"
		 "  uart:PATH[,baud=N][,flow=rtscts]\n"
		 "                                  a serial port (default 3000000 baud)\n"
		 "  tcp:HOST:PORT[,token-file=PATH] 'earshot serve' on another machine\n"
		 "  file:PATH                       a dump of raw bytes, - is standard input\n"
		 "  openocd:HOST:PORT               OpenOCD 0.12 (Tcl port 6666): the branch\n"
		 "                                  trace of a chip with RISC-V's Trace Control\n"
		 "                                  Interface, from its RAM sink. With --stop pc=\n"
		 "                                  the core halts at a hardware breakpoint",
	.exit_status =
		"0 captured, 1 the event of --until was not seen (what led up to the end is "
		"written), or records are missing with `--comments no`, 2 it could not be done, or the device failed or vanished.",
	.opens_device = true,
	.run = run,
};
