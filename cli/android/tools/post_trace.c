/* post_trace: counts, and fills the header in. */
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/android/tools/tool_list.h"

#define STOP_WORD 0xE6C00110u /* written after the last block: what follows never ran */

struct counting {
	struct ear_qtrace_header header;
	bool *pids;
	uint64_t size; /* of qtrace.static; 0: as it is */
};

/* A stop word ends the last block and the file. */
static void count_static(struct counting *counting, const struct ear_qtrace_log *log)
{
	uint64_t count = ear_qtrace_log_block_count(log), size = EAR_QTRACE_HEADER_SIZE;
	struct ear_qtrace_block last = ear_qtrace_log_block(log, count - 1);

	counting->header.static_blocks = count;
	for (uint64_t i = 0; i < count; i++) {
		uint32_t entries = ear_qtrace_log_block(log, i).count;
		counting->header.static_entries += entries;
		size += EAR_QTRACE_BLOCK_SIZE + 4 * (uint64_t)entries;
	}
	for (uint32_t i = 0; i + 1 < last.count; i++)
		if (last.entries[i] == STOP_WORD) {
			uint32_t cut = last.count - i - 1;
			counting->header.static_entries -= cut;
			counting->size = size - 4 * (uint64_t)cut;
			return;
		}
}

static int count_runs(struct counting *counting, struct ear_android_trace *trace)
{
	struct ear_qtrace_header *header = &counting->header;
	struct ear_android_run run;
	int result;

	while ((result = ear_android_trace_next(trace, &run)) == 1) {
		header->executed_blocks++;
		header->executed_entries += run.execution.entries;
		if (run.execution.number != 0)
			counting->pids[run.task->pid] = true;
	}
	header->first_unused_pid = -1;
	for (int pid = 0; pid < EAR_QTRACE_PIDS; pid++) {
		header->used_pids += counting->pids[pid];
		if (!counting->pids[pid] && header->first_unused_pid < 0)
			header->first_unused_pid = pid;
	}
	return result;
}

static int fail_io(struct ear_android_trace *trace)
{
	return ear_android_trace_fail(trace, EAR_E_IO, "qtrace.static: %s", strerror(errno));
}

/* The last block has fewer entries now: its count is at the end of its head. */
static int cut(struct ear_android_trace *trace, int fd, uint64_t size)
{
	const struct ear_qtrace_log *log = ear_android_trace_log(trace);
	struct ear_qtrace_block last =
		ear_qtrace_log_block(log, ear_qtrace_log_block_count(log) - 1);
	uint64_t whole = (uint64_t)lseek(fd, 0, SEEK_END), at = whole - 4 * (uint64_t)last.count;
	uint32_t left = (uint32_t)(size - at) / 4;
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(left >> 8 * i);
	if (pwrite(fd, bytes, 4, (off_t)(at - 4)) != 4 || ftruncate(fd, (off_t)size) != 0)
		return fail_io(trace);
	return 0;
}

static int write_header(struct ear_android_trace *trace, struct counting *counting)
{
	const char *folder = ear_android_trace_options(trace)->folder;
	uint8_t bytes[EAR_QTRACE_HEADER_SIZE];
	int directory = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY), result = 0;
	int fd = directory < 0 ? -1
			       : openat(directory, ear_qtrace_file_name(EAR_QTRACE_STATIC),
					 O_RDWR | O_CLOEXEC | O_NONBLOCK);

	counting->header.counted = true;
	ear_qtrace_header_put(bytes, &counting->header);
	if (fd < 0)
		result = fail_io(trace);
	if (result == 0 && counting->size > 0)
		result = cut(trace, fd, counting->size);
	if (result == 0 && pwrite(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
		result = fail_io(trace);
	if (fd >= 0 && close(fd) != 0 && result == 0)
		result = fail_io(trace);
	if (directory >= 0)
		close(directory);
	return result;
}

static void print_rate(FILE *out, double rate)
{
	if (rate >= 1e6)
		fprintf(out, "%.1fM\n", rate / 1e6);
	else if (rate >= 1e3)
		fprintf(out, "%.1fK\n", rate / 1e3);
	else
		fprintf(out, "%.1f\n", rate);
}

static void print(FILE *out, const struct ear_qtrace_header *header)
{
	double seconds = (double)header->elapsed_microseconds / 1e6;

	fprintf(out, "Static basic blocks: %" PRIu64 ", Dynamic basic blocks: %" PRIu64 "\n",
		header->static_blocks, header->executed_blocks);
	fprintf(out, "Static instructions: %" PRIu64 ", Dynamic instructions: %" PRIu64 "\n",
		header->static_entries, header->executed_entries);
	fprintf(out, "Elapsed seconds: %.2f, simulated instructions/sec: ", seconds);
	print_rate(out, seconds > 0 ? (double)header->executed_entries / seconds : 0);
}

static int run(const struct ear_android_request *request)
{
	struct ear_android_trace *trace = request->trace;
	struct ear_qtrace_log *log = ear_android_trace_log(trace);
	const struct ear_qtrace_header *old = ear_qtrace_log_header(log);
	struct counting counting = {.header = {.start_seconds = old->start_seconds,
					    .start_microseconds = old->start_microseconds,
					    .date = old->date,
					    .time = old->time,
					    .elapsed_microseconds = old->elapsed_microseconds},
		.pids = calloc(EAR_QTRACE_PIDS, sizeof(bool))};

	if (!counting.pids)
		return ear_android_trace_fail(
			trace, EAR_E_NO_MEMORY, "%s", ear_error_text(EAR_E_NO_MEMORY));
	count_static(&counting, log);
	int result = count_runs(&counting, trace);
	if (result == 0)
		result = write_header(trace, &counting);
	if (result == 0)
		print(request->out, &counting.header);
	free(counting.pids);
	return result;
}

const struct ear_android_tool ear_android_post_trace = {
	.name = "post_trace",
	.summary = "count, and fill the header in",
	.writes_folder = true,
	.run = run,
};
