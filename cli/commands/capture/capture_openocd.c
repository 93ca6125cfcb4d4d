/* A capture through OpenOCD: the trace is in a memory of the chip until the end, so nothing
 * streams. The core is halted while its trace unit is set up and while the memory is read.
 *
 * The file is emptied only when there is a trace to write. It begins with a line that says its
 * unit, so that all commands open it without one.
 */
#include "cli/commands/capture/capture_openocd.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/live/interrupt.h"
#include "common/plural.h"
#include "decoder/flow/flow_file.h"
#include "decoder/flow/flow_unit.h"

#define POLL_US 100000

bool capture_openocd_is(const char *device)
{
	return device && strncmp(device, "openocd:", strlen("openocd:")) == 0;
}

/* --- Options --- */

/* A number at the beginning of *at, up to one of the characters of ends or the end. */
static bool take_address(uint64_t *value, const char **at, const char *ends)
{
	char text[32];
	const size_t size = strcspn(*at, ends);

	if (size == 0 || size >= sizeof(text))
		return false;
	memcpy(text, *at, size);
	text[size] = '\0';
	*at += size;
	return cli_parse_count(value, text) && *value % 4 == 0;
}

bool capture_openocd_take_base(
	void *value, const struct command_option *option, const char *argument)
{
	struct ear_trace_wishes *wishes = value;
	const char *at = argument;
	bool more = true;

	while (more) {
		if (wishes->base_count == EAR_TRACE_COMPONENTS_MAX)
			return option_fail(option, argument, "as few as 32 components");
		if (!take_address(&wishes->bases[wishes->base_count++], &at, ","))
			return option_fail(option, argument, "an address, or some with commas");
		more = *at == ',';
		at += more;
	}
	return true;
}

bool capture_openocd_take_buffer(
	void *value, const struct command_option *option, const char *argument)
{
	struct ear_trace_wishes *wishes = value;
	const char *at = argument;

	if (!take_address(&wishes->buffer, &at, "+") || *at++ != '+' ||
		!take_address(&wishes->buffer_size, &at, "") || wishes->buffer_size < 64 ||
		wishes->buffer_size > UINT32_MAX)
		return option_fail(option, argument,
			"ADDRESS+SIZE, multiples of 4, of at least 64 bytes and less than 4 GiB");
	return true;
}

/* --unit of such a capture is JSON, of which the members are copied into the file. */
static bool check_unit(const char *unit)
{
	static const struct ear_flow_parameter none = {.key = NULL};
	char fault[EAR_FLOW_FAULT_SIZE];
	char nothing;

	if (!unit || ear_flow_parameters_read(&nothing, &none, unit, fault) == 0)
		return true;
	cli_error("--unit: with openocd: it is a file: %s", fault);
	return false;
}

/* --- The file --- */

static bool write_all(int fd, const char *path, const void *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		const ssize_t written = write(fd, (const char *)bytes + at, size - at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			cli_error("%s: %s", path, strerror(errno));
			return false;
		}
		at += (size_t)written;
	}
	return true;
}

/* The first line: the format, what the hardware says, and then the members of --unit. */
static bool write_head(
	int fd, const struct capture_openocd *capture, const struct ear_trace_control *control)
{
	const char *unit = capture->unit ? strchr(capture->unit, '{') + 1 : "";
	const char *end = capture->unit ? strrchr(capture->unit, '}') : unit;
	const size_t size = (size_t)(end - unit);
	const bool has_members = strspn(unit, " \t\r\n") < size;
	char found[EAR_TRACE_UNIT_SIZE];
	char *line = malloc(sizeof(found) + size + 80);

	if (!line) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	ear_trace_control_describe(control, found, sizeof(found));
	const int length = sprintf(line, EAR_FLOW_FILE_BEGIN "%s\", %s%s%.*s}\n", capture->format,
		found, has_members ? ", " : "", (int)size, unit);
	for (int i = 0; i < length - 1; i++) /* it is one line */
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	const bool good = write_all(fd, capture->path, line, (size_t)length);
	free(line);
	return good;
}

struct writing {
	const struct capture_openocd *capture;
	int fd;
	uint64_t size, written;
	double progress;
};

static int take_bytes(void *context, const uint8_t *bytes, size_t size)
{
	struct writing *writing = context;

	if (!write_all(writing->fd, writing->capture->path, bytes, size))
		return EAR_E_IO;
	writing->written += size;
	if (!writing->capture->quiet && cli_progress_due(&writing->progress))
		cli_progress("%" PRIu64 " of %" PRIu64 " bytes fetched", writing->written,
			writing->size);
	return 0;
}

/* --- The core --- */

static int command(struct ear_tcl_port *port, const char *text, struct ear_report *report)
{
	const char *result;

	return ear_tcl_port_run(port, &result, report, "%s", text);
}

static int is_halted(struct ear_tcl_port *port, bool *halted, struct ear_report *report)
{
	const char *result;
	const int error = ear_tcl_port_run(port, &result, report, "[target current] curstate");

	if (!error)
		*halted = strcmp(result, "halted") == 0;
	return error;
}

/* Let the core run, until it halts, no more trace is taken, or the user does not want more. */
static int let_run(const struct capture_openocd *capture, struct ear_trace_control *control,
	bool *halted, struct ear_report *report)
{
	struct ear_tcl_port *port = control->port;
	const double begin = cli_seconds();
	bool full = false;
	int error = command(port, "resume", report);

	*halted = false;
	while (!error && !*halted && !full && !cli_interrupted &&
		(capture->seconds == 0 || cli_seconds() - begin < capture->seconds)) {
		const double left = begin + capture->seconds - cli_seconds();
		const bool last = capture->seconds > 0 && left < 1e-6 * POLL_US;
		usleep(last ? (useconds_t)(left > 0 ? left * 1e6 : 0) : POLL_US);
		error = is_halted(port, halted, report);
		if (!error)
			error = ear_trace_control_is_full(control, &full, report);
	}
	if (!error && !*halted)
		error = command(port, "halt", report);
	return error;
}

static int set_stop(const struct capture_openocd *capture, struct ear_tcl_port *port, bool on,
	struct ear_report *report)
{
	const char *result;

	if (!capture->has_stop)
		return 0;
	return on ? ear_tcl_port_run(port, &result, report, "bp 0x%" PRIx64 " 2 hw", capture->stop)
		  : ear_tcl_port_run(port, &result, report, "rbp 0x%" PRIx64, capture->stop);
}

/* --- The capture --- */

/* What a reader of the summary has to know. */
static void warn(const struct capture_openocd *capture, const struct ear_trace_control *control)
{
	if (control->lost)
		cli_warning("%s: an encoder was full: it has lost trace%s", capture->device,
			capture->wishes.stall ? ", or has held its core" : "");
	if (control->unflushed)
		cli_warning(
			"%s: a component did not say that it is empty: the end of the trace may "
			"be missing",
			capture->device);
	if (control->wrapped && control->etrace && !control->aligned)
		cli_warning("%s: the RAM sink wrapped and writes no alignment packets "
			    "(trRamAsyncFreq): where packets begin cannot be seen",
			capture->device);
	if (control->wrapped && !control->periodic)
		cli_warning("%s: the RAM sink wrapped and the encoder does not synchronise again "
			    "(trTeInstSyncMode): what is in it may not be readable",
			capture->device);
}

static void print_summary(
	const struct capture_openocd *capture, const struct ear_trace_control *control)
{
	fprintf(stderr, "%s: %" PRIu64 " bytes of %s by %u encoder%s, in %" PRIu64 " bytes%s\n",
		capture->path, control->size, control->etrace ? "E-Trace" : "N-Trace",
		control->encoder_count, ear_plural(control->encoder_count), control->capacity,
		control->wrapped ? ", of which older ones were overwritten"
		: control->full  ? ", which are full: what came later is missing"
				 : "");
}

/* The trace is in the memory of the sink, and the core is halted. */
static int fetch(const struct capture_openocd *capture, struct ear_trace_control *control, int fd,
	struct ear_report *report)
{
	struct writing writing = {.capture = capture, .fd = fd, .size = control->size};

	files_begin();
	if (!write_head(fd, capture, control))
		return EAR_E_IO;
	const int error = ear_trace_control_fetch(control, take_bytes, &writing, report);
	cli_progress_clear();
	if (error && error != EAR_E_IO)
		cli_error("%s: only %" PRIu64 " of %" PRIu64 " bytes were fetched", capture->path,
			writing.written, writing.size);
	return error;
}

static int check_format(const struct capture_openocd *capture,
	const struct ear_trace_control *control, struct ear_report *report)
{
	const char *format = control->etrace ? "etrace" : "ntrace";

	if (strcmp(capture->format, format) == 0)
		return 0;
	return ear_report_set(report, EAR_E_UNSUPPORTED,
		"%s: the encoder sends %s: give -o NAME.%s, or -f %s", capture->device,
		control->etrace ? "E-Trace" : "N-Trace", format, format);
}

/* The trace unit is set up, and the core is halted: from here to the end of the file. */
static int run_and_fetch(const struct capture_openocd *capture, struct ear_trace_control *control,
	int fd, struct ear_report *report)
{
	struct ear_tcl_port *port = control->port;
	struct ear_report ignored;
	bool halted = false;

	int error = check_format(capture, control, report);
	if (!error)
		error = set_stop(capture, port, true, report);
	if (!error && !cli_interrupted)
		error = let_run(capture, control, &halted, report);
	if (!error)
		error = ear_trace_control_stop(control, report);
	if (!error)
		error = fetch(capture, control, fd, report);
	set_stop(capture, port, false, &ignored); /* in any case; it may not be there */
	return error || halted ? error : command(port, "resume", report);
}

/* What fails leaves no unit that traces into the memory of the chip. */
static int capture_to(const struct capture_openocd *capture, struct ear_tcl_port *port, int fd,
	struct ear_report *report)
{
	static struct ear_trace_control control;
	struct ear_report ignored;

	int error = command(port, capture->keep_running ? "halt" : "reset halt", report);
	if (!error)
		error = ear_trace_control_find(&control, port, &capture->wishes, report);
	if (error)
		return error;
	error = ear_trace_control_start(&control, report);
	if (!error)
		error = run_and_fetch(capture, &control, fd, report);
	if (error) {
		ear_trace_control_stop(&control, &ignored);
		return error;
	}
	warn(capture, &control);
	if (!capture->quiet)
		print_summary(capture, &control);
	return 0;
}

int capture_openocd_run(const struct capture_openocd *capture)
{
	static struct ear_tcl_port port;
	struct ear_report report = {""};

	if (!check_unit(capture->unit))
		return EAR_EXIT_FAILED;
	interrupt_catch();
	int error = ear_tcl_port_open(&port, capture->device, &report);
	const int fd = error ? -1 : files_open(capture->path);
	if (!error && fd >= 0) {
		confine_device();
		error = capture_to(capture, &port, fd, &report);
		if (close(fd) != 0 && !error) {
			cli_error("%s: %s", capture->path, strerror(errno));
			error = EAR_E_IO;
		}
	}
	if (error && report.text[0])
		cli_error("%s", report.text);
	ear_tcl_port_close(&port);
	return error || fd < 0 ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}
