/* What the calls of fuzz_api are made of: see api_input.h. */
#include "api_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"

_Noreturn void api_fail(const char *file, int line)
{
	fprintf(stderr, "%s:%d: this does not hold\n", file, line);
	abort();
}

/* ---- Arguments. ---- */

unsigned api_take(struct api *api)
{
	if (api->left == 0)
		return 0;
	api->left--;
	return *api->at++;
}

uint64_t api_take_bytes(struct api *api, unsigned count)
{
	uint64_t value = 0;

	while (count-- > 0)
		value = value << 8 | api_take(api);
	return value;
}

uint64_t api_take_position(struct api *api)
{
	const uint64_t count = api->sample->count;
	const uint64_t odd[] = {count, count + 1, count - 1, UINT64_MAX, UINT64_MAX - 1,
		UINT64_MAX / 2, UINT32_MAX, (uint64_t)UINT32_MAX + 1};
	const unsigned byte = api_take(api);

	return byte < 0xe0 ? (byte << 8 | api_take(api)) % (count + 3) : odd[byte % 8];
}

uint64_t api_take_address(struct api *api)
{
	static const uint64_t bases[] = {0x80000000, 0x80001000, 0x80001ff0, 0x80000f80, 0,
		0xffffff80, 0xffffffffffffff80, 0x7fffffffffffff80};
	const unsigned byte = api_take(api);

	return byte == 0xff ? api_take_bytes(api, 8) : bases[byte % 8] + api_take(api);
}

size_t api_take_size(struct api *api)
{
	static const size_t sizes[] = {0, 1, 2, 4, 7, 8, 63, 64, 65, 256, 2048, 2049, 5000};
	const unsigned byte = api_take(api);

	return byte < 0xc0 ? sizes[byte % 13] : api_take(api);
}

struct ear_span api_take_span(struct api *api)
{
	struct ear_span span = {api_take_address(api), 0};

	span.last = api_take(api) % 16 == 0 ? api_take_address(api) : span.first + api_take(api);
	return span;
}

uint16_t api_take_hart(struct api *api)
{
	const unsigned byte = api_take(api);

	return (uint16_t)(byte < 0xf0 ? byte % 3 : api_take_bytes(api, 2));
}

/* A name that something has, or nothing. */
const char *api_take_name(struct api *api)
{
	static const char *const names[] = {"switch", "port", "3", "", "stop", "mark", "r14", "pc",
		"vsew", "device", "created", "gap", "trap cause", "interrupt", "nothing", "255",
		"256", "1"};

	return names[api_take(api) % (sizeof(names) / sizeof(names[0]))];
}

/* ---- Handles. ---- */

static int report(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	struct api *api = context;

	(void)line;
	(void)byte;
	(void)bad;
	demand(cause != NULL);
	return api->stop_after > 0 && --api->stop_after == 0;
}

/* A call that failed, though nothing was wrong with it: its report function wanted that. */
bool api_cancelled(struct handle *handle, int64_t result)
{
	if (result >= 0)
		return false;
	demand(result == EAR_E_CANCELLED && ear_trace_error(handle->trace)[0]);
	return true;
}

void api_close_handle(struct handle *handle)
{
	ear_calls_free(handle->calls);
	ear_history_free(handle->history);
	ear_moment_free(handle->moment);
	ear_trace_close(handle->trace);
	ear_tasks_free(handle->tasks);
	*handle = (struct handle){.trace = NULL};
}

struct handle *api_handle_of(struct api *api, unsigned number)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct handle *handle = &api->handles[number];
	static const struct ear_span device = {0x80001008, 0x8000100b};

	if (handle->trace)
		return handle;
	options.format = api->sample->format;
	options.xlen = strcmp(options.format, "whisper") ? 0 : 32; /* else readers look for it */
	options.devices = &device;
	options.device_count = 1;
	options.index = number ? EAR_INDEX_AUTO : EAR_INDEX_NONE;
	options.index_file = api->sample->index;
	options.report = report;
	options.report_context = api;
	if (ear_trace_open_fd(&handle->trace, api->sample->fd, api->sample->path, &options) != 0) {
		demand(api->stop_after == 0);
		api->stop_after = 0;
		demand(ear_trace_open_fd(
			       &handle->trace, api->sample->fd, api->sample->path, &options) == 0);
	}
	handle->trace->index_always = true;
	handle->trace->index_stretch = 16;
	handle->trace->past_window = 20;
	handle->place = 0;
	return handle;
}

void api_check_record(struct api *api, const struct ear_record *record, uint64_t position)
{
	const struct api_record *expected = &api->sample->records[position];

	demand(position < api->sample->count);
	demand(record->kind == expected->kind && record->hart == expected->hart);
	demand(record->kind != EAR_RECORD_INSTRUCTION || record->pc == expected->pc);
}
