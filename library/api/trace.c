/* Opening a trace, and what is known about it.
 *
 * All readers of a trace share one descriptor and read at offsets, so they do not disturb each
 * other; only a pipe has a single reader, which is that of ear_trace_next.
 */
#include <earshot/trace.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/versioned.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/pattern/line_pattern.h"
#include "decoder/isa/disassembly.h"
#include "decoder/record/absent_fields.h"
#include "library/api/trace_internal.h"
#include "library/infer/inference.h"
#include "library/memory/memory_state.h"

int ear_trace_fail(struct ear_trace *trace, int result, const char *format, ...)
{
	int number = errno;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(trace->error, sizeof(trace->error), format, arguments);
	va_end(arguments);
	errno = number;
	return result;
}

static const char *name_of(const struct ear_trace *trace)
{
	return trace->path[0] ? trace->path : "the trace";
}

int ear_trace_fail_reading(struct ear_trace *trace, const struct ear_cursor *cursor, int result)
{
	if (trace->report_ended) {
		trace->report_ended = false;
		return ear_trace_fail(trace, result, "%s: ended by the report of %s %" PRIu64,
			name_of(trace), trace->byte_reported ? "byte" : "line",
			trace->reported_lines);
	}
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	if (ear_cursor_changed(cursor)) {
		trace->index_stale = true;
		return ear_trace_fail(trace, result,
			"%s has changed since its index was made; ask again to have a new one",
			name_of(trace));
	}
	const char *fault = cursor->source ? ear_source_fault(cursor->source) : NULL;
	const char *why = result == EAR_E_IO ? strerror(errno) : ear_error_text(result);

	return ear_trace_fail(trace, result, "%s: %s", name_of(trace), fault ? fault : why);
}

int ear_trace_need_places(struct ear_trace *trace, const char *what)
{
	if (trace->seekable)
		return 0;
	return ear_trace_fail(trace, EAR_E_UNSUPPORTED, "%s needs a file, and this is a %s", what,
		trace->folder ? "folder" : "pipe");
}

/* A place may be read several times; a bad line is reported once. A trace of bytes has no lines,
 * and the reports of a byte are there again with each reading of it. */
static int report_line(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct ear_trace *trace = context;
	bool known =
		line_number ? line_number <= trace->reported_lines : offset < trace->reported_lines;

	if (!trace->options.report || !trace->reporting || known)
		return 0;
	trace->reported_lines = line_number ? line_number : offset;
	trace->byte_reported = line_number == 0;
	int result = trace->options.report(
		trace->options.report_context, line_number, offset, cause, kind != EAR_LINE_NOTE);
	trace->report_ended = result != 0;
	/* For the reading a positive number would be a record. */
	return result > 0 ? EAR_E_CANCELLED : result;
}

static void init_cursor(struct ear_trace *trace, struct ear_cursor *cursor)
{
	cursor->fd = trace->fd;
	cursor->seen = &trace->seen;
	cursor->with_reads = trace->options.reads;
	cursor->options = (struct ear_source_options){
		.format = trace->options.format,
		.reader = {.xlen = trace->options.xlen,
			.isa = trace->options.isa,
			.pattern = trace->options.pattern,
			.code = trace->options.code,
			.unit = trace->options.unit,
			.lines = trace->options.lines,
			.report = report_line,
			.context = trace},
		.shared = trace->seekable,
	};
}

struct ear_cursor ear_trace_cursor(const struct ear_trace *trace)
{
	return (struct ear_cursor){.fd = trace->fd,
		.options = trace->asking.options,
		.index = trace->index,
		.layers = trace->asking.layers};
}

static int check_pattern(struct ear_trace *trace)
{
	const struct ear_trace_options *options = &trace->options;
	struct ear_line_pattern *patterns;
	struct ear_line_fault fault;

	if (!options->pattern)
		return 0;
	if (options->format && strcmp(options->format, "pattern") != 0)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"a pattern is for the format 'pattern', not for '%s'", options->format);
	int result = ear_line_pattern_new(&patterns, options->pattern, &fault);
	if (result == 0)
		ear_line_pattern_free(patterns);
	if (result == EAR_E_BAD_ARGUMENT && fault.pattern == 0)
		return ear_trace_fail(trace, result, "pattern: %s", fault.cause);
	if (result == EAR_E_BAD_ARGUMENT)
		return ear_trace_fail(trace, result, "pattern %" PRIu32 ", column %zu: %s",
			fault.pattern, fault.column, fault.cause);
	return result;
}

static int keep_options(struct ear_trace *trace, const struct ear_trace_options *options)
{
	struct ear_trace_options *own = &trace->options;
	const struct ear_trace_options defaults = EAR_TRACE_DEFAULTS;

	if (ear_versioned_read(own, sizeof(*own), options ? options : &defaults))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the size of the options is none, or they are of a newer version");
	const char **texts[] = {&own->format, &own->isa, &own->initial_state, &own->index_file,
		&own->index_cache, &own->pattern, &own->unit};
	bool kept = true;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!*texts[i])
			continue;
		*texts[i] = strdup(*texts[i]);
		kept = kept && *texts[i];
	}
	const struct ear_span *devices = own->devices;
	own->devices = NULL;
	if (own->device_count > 0 && !devices)
		return ear_trace_fail(
			trace, EAR_E_BAD_ARGUMENT, "the addresses of the devices are missing");
	if (own->device_count > 0) {
		struct ear_span *copy = calloc(own->device_count, sizeof(*copy));
		if (copy)
			memcpy(copy, devices, own->device_count * sizeof(*copy));
		kept = kept && copy;
		own->devices = copy;
	}
	if (!kept)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	if (own->xlen != 0 && own->xlen != 32 && own->xlen != 64)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "XLEN is 32 or 64");
	if (own->isa && ear_isa_find(own->isa) < 0)
		return ear_trace_fail(
			trace, EAR_E_BAD_ARGUMENT, "'%s' is not an instruction set", own->isa);
	int result = check_pattern(trace);
	if (result)
		return result;
	for (size_t i = 0; i < own->device_count; i++)
		if (own->devices[i].first > own->devices[i].last)
			return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
				"the addresses of a device end before they begin");
	return 0;
}

static int start_reading(struct ear_trace *trace)
{
	struct ear_source_options *options = &trace->reading.options;
	struct stat status;

	if (fstat(trace->fd, &status) != 0)
		return ear_trace_fail(trace, EAR_E_IO, "%s: %s", name_of(trace), strerror(errno));
	trace->folder = S_ISDIR(status.st_mode);
	trace->seekable = S_ISREG(status.st_mode);
	trace->file_size = trace->seekable ? (uint64_t)status.st_size : 0;
	init_cursor(trace, &trace->reading);
	init_cursor(trace, &trace->asking);

	char fault[EAR_TRACE_ERROR_MAX] = "";
	options->fault = fault;
	options->fault_size = sizeof(fault);
	int result = ear_cursor_open(&trace->reading);
	options->fault = NULL;
	if (result == 0)
		return 0;
	if (result == EAR_E_BAD_ARGUMENT && !fault[0])
		return ear_trace_fail(trace, result, "'%s' is not a format",
			trace->options.format ? trace->options.format : "");
	if (result == EAR_E_UNSUPPORTED && !fault[0])
		return ear_trace_fail(
			trace, result, "%s is not a trace of a known format", name_of(trace));
	return ear_trace_fail(trace, result, "%s: %s", name_of(trace),
		fault[0]             ? fault
		: result == EAR_E_IO ? strerror(errno)
				     : ear_error_text(result));
}

/* The caller's buffer for the reason gets it even if the options are refused, as those of a newer
 * version are, unless they are too small to have it. */
static void explain(const struct ear_trace_options *options, const char *error)
{
	const size_t needed = offsetof(struct ear_trace_options, error) + sizeof(options->error);

	if (options && options->size >= needed && options->error)
		snprintf(options->error, EAR_TRACE_ERROR_MAX, "%s", error);
}

/* What an open that failed leaves for the caller. */
static int give_up(struct ear_trace *trace, const struct ear_trace_options *options, int result)
{
	int number = errno;

	explain(options, trace->error[0] ? trace->error : ear_error_text(result));
	ear_trace_close(trace);
	errno = number;
	return result;
}

static int open_trace(struct ear_trace **trace, int fd, bool own_fd, const char *path,
	const struct ear_trace_options *options)
{
	struct ear_trace *made = calloc(1, sizeof(*made));

	if (!made) {
		if (own_fd && fd >= 0)
			close(fd);
		explain(options, ear_error_text(EAR_E_NO_MEMORY));
		return EAR_E_NO_MEMORY;
	}
	made->fd = fd;
	made->own_fd = own_fd;
	made->path = strdup(path ? path : "");
	int result = made->path ? keep_options(made, options) : EAR_E_NO_MEMORY;
	if (result == 0 && fd < 0)
		result = ear_trace_fail(made, EAR_E_IO, "%s: %s", path, strerror(errno));
	if (result == 0)
		result = start_reading(made);
	if (result)
		return give_up(made, options, result);
	*trace = made;
	return 0;
}

int ear_trace_open(
	struct ear_trace **trace, const char *path, const struct ear_trace_options *options)
{
	if (strcmp(path, "-") == 0)
		return open_trace(trace, STDIN_FILENO, false, "", options);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	return open_trace(trace, fd, true, path, options);
}

int ear_trace_open_fd(
	struct ear_trace **trace, int fd, const char *path, const struct ear_trace_options *options)
{
	return open_trace(trace, fd, false, path, options);
}

void ear_trace_close(struct ear_trace *trace)
{
	if (!trace)
		return;
	ear_cursor_close(&trace->reading);
	ear_cursor_close(&trace->asking);
	ear_inference_free(trace->inference);
	ear_index_close(trace->index);
	if (trace->own_fd && trace->fd >= 0)
		close(trace->fd);
	free((void *)trace->options.format);
	free((void *)trace->options.isa);
	free((void *)trace->options.pattern);
	free((void *)trace->options.unit);
	free((void *)trace->options.initial_state);
	free((void *)trace->options.index_file);
	free((void *)trace->options.index_cache);
	free((void *)trace->options.devices);
	free(trace->memory.image);
	free(trace->memory.devices);
	free(trace->program);
	free(trace->program_sha256);
	free(trace->path);
	free(trace);
}

const char *ear_trace_error(const struct ear_trace *trace)
{
	return trace ? trace->error : "";
}

const char *ear_trace_fault(struct ear_trace *trace)
{
	const char *fault = trace->reading.source ? ear_source_fault(trace->reading.source) : NULL;

	if (!fault)
		return NULL;
	snprintf(trace->fault, sizeof(trace->fault), "%s", fault);
	return trace->fault;
}

int ear_trace_fact(struct ear_trace *trace, const char *key, char *text, size_t size)
{
	int result = ear_cursor_open(&trace->reading);

	if (result == 0)
		result = ear_source_fact(trace->reading.source, key, text, size);
	if (result == EAR_E_BAD_ARGUMENT)
		return ear_trace_fail(trace, result, "the trace does not say its '%s'", key);
	return result < 0 ? ear_trace_fail_reading(trace, &trace->reading, result) : result;
}

/* Looks at the beginning, with a reader of its own if the trace has places: the one of the trace
 * may be past it. */
static int find_carried(struct ear_trace *trace)
{
	struct ear_cursor own = ear_trace_cursor(trace);
	struct ear_cursor *cursor = trace->seekable ? &own : &trace->reading;
	char absent[1024];
	int result = ear_cursor_open(cursor);

	if (result) {
		result = ear_trace_fail_reading(trace, cursor, result);
	} else {
		trace->carried = ear_format_fields(ear_source_format(cursor->source));
		if (ear_source_fact(cursor->source, "not_told", absent, sizeof(absent)) >= 0)
			trace->carried = ~ear_absent_fields_parse(absent);
		if (cursor == &own || cursor->position == 0)
			trace->carried &= ear_source_carried(cursor->source);
	}
	ear_cursor_close(&own);
	return result;
}

int ear_trace_carries(struct ear_trace *trace, const char *field)
{
	const uint64_t wanted = ear_absent_fields_parse(field);
	int result = trace->carried ? 0 : find_carried(trace);

	if (result)
		return result;
	if (!wanted)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "no field is called '%s'", field);
	return (trace->carried & wanted) != 0;
}

static char *fact_of(struct ear_trace *trace, const char *key)
{
	char text[4096];
	int size = ear_source_fact(trace->reading.source, key, text, sizeof(text));

	return size > 0 && (size_t)size < sizeof(text) ? strdup(text) : NULL;
}

int ear_trace_facts(struct ear_trace *trace, struct ear_trace_facts *facts)
{
	int result = ear_cursor_open(&trace->reading);

	if (result)
		return ear_trace_fail_reading(trace, &trace->reading, result);
	if (!trace->facts_known) {
		trace->program = fact_of(trace, "program");
		trace->program_sha256 = fact_of(trace, "program_sha256");
		trace->facts_known = true;
	}
	const struct ear_trace_facts own = {
		.format = ear_source_format(trace->reading.source),
		.path = trace->path,
		.seekable = trace->seekable,
		.has_index = trace->index != NULL,
		.xlen = trace->xlen,
		.file_size = trace->file_size,
		.program = trace->program,
		.program_sha256 = trace->program_sha256,
	};
	if (ear_versioned_write(facts, &own, sizeof(own)))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the facts is none");
	return 0;
}
