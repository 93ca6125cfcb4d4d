/* 'earshot gdb': a recorded run as the remote target of GDB. The protocol is in cli/gdb/; here are
 * the trace, the place to begin at, and the client's connection.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/commands/gdb/gdb_live.h"
#include "cli/gdb/session.h"
#include "cli/input/format_options.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"

#define RING_DEFAULT   ((uint64_t)64 << 20)
#define RING_MAX       ((uint64_t)1 << 50)
#define MEMORY_DEFAULT ((uint64_t)256 << 20)
#define MEMORY_MIN     ((uint64_t)8 << 10)
#define DIVERGE_LIMIT  UINT64_C(100000000) /* instructions, until it asks */

struct arguments {
	struct trace_input input;
	struct moment_option at;
	bool script, diverge;
	struct optional_number port;
	const char *socket;
	struct gdb_live live; /* options.device NULL: a trace is debugged */
	struct optional_number ring, memory;
};

static const struct command_option table[] = {
	{"at", 0, "MOMENT", MOMENT_VALUES,
		.text = "Where to begin, as for `earshot state` (default: at the end if the trace ends in "
			"a trap or an event, else at its first record).",
		OPTION_TAKEN(moment_option_take, struct arguments, at)},
	{"capture", 'd', "DEVICE", VALUES_DEVICES,
		.text = "Instead of FILE: capture from DEVICE, and debug the run that continues. Its newest "
			"record is the present.",
		.detail =
			"Devices are those of `earshot capture`. When GDB stops, the core is held, if its unit "
			"can, and continues when GDB does.",
		OPTION_VALUE(struct arguments, live.options.device)},
	{"ring", 0, "SIZE",
		.text = "With -d: keep the newest SIZE of the stream (default 64Mi), at most twice as much.",
		OPTION_VALUE(struct arguments, ring), .min = LIVE_RING_SIZE_MIN, .max = RING_MAX},
	{"ring-dir", 0, "FOLDER", VALUES_FOLDERS,
		.text = "With -d: keep it in files of this folder (default: that for temporary files).",
		OPTION_VALUE(struct arguments, live.folder)},
	{"memory", 0, "SIZE",
		.text = "With -d: size of its index at most (default 256Mi); where it would be larger, the "
			"oldest records leave the ring earlier.",
		OPTION_VALUE(struct arguments, memory), .min = MEMORY_MIN, .max = RING_MAX},
	{"keep-running", 0, .text = "With -d: join the running core instead of resetting it.",
		OPTION_VALUE(struct arguments, live.options.config.keep_core_running)},
	{"diverge", 0,
		.text = "Let GDB change registers and memory and call functions: what if? It runs on "
			"beside the recorded run, which does not change.",
		.detail =
			"Instructions are executed as the RISC-V specification says, without devices "
			"and interrupts. What FILE does not show is unknown; where that decides "
			"something, it stops with a sentence (docs/debugging.md, section 5).",
		OPTION_VALUE(struct arguments, diverge)},
	{"port", 'p', "N",
		.text = "Wait for GDB on port N of this machine (0: any), for `target remote :N`.",
		OPTION_VALUE(struct arguments, port), .max = UINT16_MAX},
	{"socket", 0, "PATH", VALUES_FILES,
		.text = "Wait for GDB on a Unix socket, for `target remote PATH`.",
		OPTION_VALUE(struct arguments, socket)},
	{"script", 0,
		.text = "Print where the helper for GDB is, for its command `source`, and end.",
		OPTION_VALUE(struct arguments, script)},
	TRACE_INPUT_DEVICE(struct arguments, input),
	OPTION_GROUP(trace_infer_options, struct arguments, input),
	{"initial", 0, "FILE", VALUES_FILES,
		.text = "What registers hold before the first record: lines such as `x 2 0x80010000`.",
		OPTION_TAKEN(
			trace_input_take_initial, struct arguments, input.options.initial_state)},
	OPTION_GROUP(symbol_file_options, struct arguments, input.symbols),
	FORMAT_OPTIONS(struct arguments, input.options.format, input.options.xlen,
		input.options.pattern, input.options.unit),
	OPTION_GROUP(trace_index_options, struct arguments, input),
	QUIET_OPTION(struct arguments, live.options.quiet),
	{0},
};

/* ---- The client. ---- */

static int fail_listening(const char *where, int fd)
{
	cli_error("%s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static int listen_on_port(struct arguments *arguments)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)arguments->port.number),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	const int yes = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) || listen(fd, 1) ||
		getsockname(fd, (struct sockaddr *)&address, &size))
		return fail_listening("--port", fd);
	/* Also with --quiet: with port 0 it is the only way to know. */
	fprintf(stderr, "earshot: waiting for GDB: target remote :%u\n", ntohs(address.sin_port));
	return fd;
}

static int listen_on_socket(struct arguments *arguments)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(arguments->socket) >= sizeof(address.sun_path)) {
		cli_error("--socket: '%s' is longer than the name of a socket may be",
			arguments->socket);
		return -1;
	}
	strcpy(address.sun_path, arguments->socket);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		return fail_listening(arguments->socket, fd);
	if (!arguments->live.options.quiet)
		fprintf(stderr, "earshot: waiting for GDB: target remote %s\n", arguments->socket);
	return fd;
}

/* Wait for the one client. Who comes later is refused, since nobody listens any more. */
static int wait_for_client(int listener)
{
	int fd;

	do {
		fd = accept(listener, NULL, NULL);
	} while (fd < 0 && errno == EINTR && !cli_interrupted);
	if (fd < 0 && !cli_interrupted)
		cli_error("no client: %s", strerror(errno));
	close(listener);
	return fd;
}

/* Returns true and both ends of the connection. */
static bool connect_client(struct arguments *arguments, int *in, int *out)
{
	*in = STDIN_FILENO;
	*out = STDOUT_FILENO;
	if (!arguments->port.given && !arguments->socket)
		return true;
	cli_catch_signals(NULL);
	int listener = arguments->socket ? listen_on_socket(arguments) : listen_on_port(arguments);
	*in = *out = listener < 0 ? -1 : wait_for_client(listener);
	if (arguments->socket && listener >= 0)
		unlink(arguments->socket);
	return *in >= 0;
}

static void say(void *context, const char *text)
{
	(void)context;
	cli_warning("%s", text);
}

/* ---- The trace. ---- */

static int serve(struct arguments *arguments, int in, int out)
{
	struct trace_input *input = &arguments->input;
	const struct ear_names_file *program =
		input->names && ear_names_file_count(input->names) > 0
			? ear_names_file(input->names, 0)
			: NULL;
	struct ear_gdb_options options = {.trace = input->trace,
		.names = input->names,
		.program = program ? program->path : NULL,
		.program_offset = program ? program->offset : 0,
		.in = in,
		.out = out,
		.position = EAR_GDB_AS_THE_TRACE_SAYS,
		.diverge = arguments->diverge ? DIVERGE_LIMIT : 0,
		.ram = input->infer.ram,
		.ram_count = input->infer.ram_count,
		.devices = input->options.devices,
		.device_count = input->options.device_count,
		.say = arguments->live.options.quiet ? NULL : say,
		.live = arguments->live.options.device ? &arguments->live.calls : NULL};

	if (arguments->at.text) {
		struct ear_moment_place place;
		int found = moment_option_find(input, arguments->at.text, &place);
		if (found != 1)
			return found == 0 ? EAR_EXIT_NO : EAR_EXIT_FAILED;
		options.position = place.after;
	}
	if (!arguments->live.options.device) {
		trace_input_judge(input, 0, UINT64_MAX);
		(void)verdict_end(&input->verdict, arguments->live.options.quiet, 0, false);
	}
	int result = ear_gdb_serve(&options);
	if (result) {
		if (*ear_trace_error(input->trace))
			trace_input_fail(input);
		else
			cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	return EAR_EXIT_DONE;
}

static int print_script(void)
{
	char path[PATH_MAX];

	puts(ear_gdb_script(path, sizeof(path)) ? path : EAR_DATA_FOLDER "/earshot-gdb.py");
	return EAR_EXIT_DONE;
}

/* What does not go together. Returns NULL if all is well. */
static const char *check(const struct arguments *arguments, int traces, const char *first)
{
	const struct gdb_live *live = &arguments->live;

	if (live->options.device && traces > 0)
		return "a trace or a device, not both";
	if (live->options.device && arguments->at.text)
		return "--at is for a trace: of a run that continues the newest record is the present";
	if (live->options.device && arguments->diverge)
		return "--diverge is for a trace, not for a run that continues";
	if (!live->options.device &&
		(arguments->ring.given || arguments->memory.given || live->folder ||
			live->options.config.keep_core_running))
		return "--ring, --ring-dir, --memory and --keep-running are for a device: give -d";
	if (!live->options.device && traces != 1)
		return traces == 0 ? "which trace? Or -d DEVICE" : "one trace, please";
	if (first && strcmp(first, "-") == 0)
		return "the trace must be a file: a pipe cannot be read backward";
	if (arguments->port.given && arguments->socket)
		return "--port or --socket: one client, one way";
	return NULL;
}

static int run_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status, in, out;

	int first = options_parse(&cmd_gdb, argc, argv, arguments, &status);
	if (first < 0)
		return status;
	if (arguments->script)
		return first == argc ? print_script() : cli_usage("gdb", "--script stands alone");
	const char *wrong = check(arguments, argc - first, argv[first]);
	if (wrong)
		return cli_usage("gdb", "%s", wrong);
	bool live = arguments->live.options.device;
	if (!arguments->port.given && !arguments->socket && isatty(STDIN_FILENO))
		return cli_usage("gdb",
			"GDB starts this command: target remote | earshot gdb %s%s; or --port",
			live ? "-d " : "", live ? arguments->live.options.device : argv[first]);
	if (live) {
		arguments->live.options.size = arguments->ring.number;
		arguments->live.memory = arguments->memory.number;
		if (!files_device(arguments->live.options.device) ||
			!gdb_live_start(&arguments->live, argc, argv))
			return EAR_EXIT_FAILED;
	} else if (access(argv[first], R_OK)) {
		cli_error("%s: %s", argv[first], strerror(errno));
		return EAR_EXIT_FAILED;
	}
	if (!connect_client(arguments, &in, &out))
		return EAR_EXIT_FAILED;
	arguments->input.path = argv[first];
	arguments->input.marks = !live;
	if (live ? !gdb_live_open(&arguments->live, &arguments->input)
		 : !trace_input_open(&arguments->input))
		return EAR_EXIT_FAILED;
	if (!live)
		trace_input_warn_of_values(&arguments->input);
	return serve(arguments, in, out);
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.input = TRACE_INPUT_DEFAULTS,
		.ring.number = RING_DEFAULT,
		.memory.number = MEMORY_DEFAULT};

	ear_session_options_init(&arguments.live.options.session);
	ear_capture_config_init(&arguments.live.options.config);
	int status = run_arguments(&arguments, argc, argv);
	trace_input_close(&arguments.input);
	gdb_live_close(&arguments.live);
	return status;
}

const struct command cmd_gdb = {
	.name = "gdb",
	.arguments = "[OPTION]... FILE|-d DEVICE",
	.summary = "let GDB step through a trace, forward and backward",
	.about =
		"Be the remote target of GDB, with a recorded run as its program: FILE, a capture or "
		"a trace of any format. GDB steps, continues, sets breakpoints and watchpoints, "
		"shows registers, memory and variables, and all of it backward, too. What the trace "
		"does not show is not available; nothing can be changed, but with --diverge other "
		"values can be tried. Without --port and "
		"--socket, GDB starts this command itself: `target remote | earshot gdb FILE`.",
	.options = table,
	.notes =
		"In GDB: `reverse-stepi`, `reverse-next`, `reverse-finish`, `reverse-continue`; "
		"`watch box.handler` and then `reverse-continue` goes to the last write of it. "
		"`monitor help` lists what GDB has no word for: go to a record, an event or a "
		"mark, give the present a name that is kept, catch traps, list gaps. Harts are threads, from 1 on.\n\n"
		"Steps go over the handlers of interrupts and of exceptions that return; "
		"`monitor handlers into` goes into them.\n\n"
		"The client is the only one, and the command ends when it leaves.",
	.exit_status = "0 the client left, 1 there is no such moment, 2 it could not be done.",
	.run = run,
};
