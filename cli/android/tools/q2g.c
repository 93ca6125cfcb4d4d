/* q2g: which function runs when, as a gtrace file. Names are in a file of their own beside it.
 *
 * The file consists of blocks of 8 KiB for one pid each: a head of 8 words, the first one with 8
 * more, then entries of 2 words.
 */
#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cli/android/tools/tool_list.h"
#include "common/protocol/bytes.h"

#define BLOCK_SIZE 8192
#define HEAD_WORDS 8
#define TIME_ADDED 0x1000u /* to each time */
#define PROCS_MAX  4095u   /* of a file: 12 bits, from 1 on */
#define HERTZ      200000000u

struct writing {
	const struct ear_android_request *request;
	struct ear_qtrace_header header;
	FILE *file, *names;
	uint8_t block[BLOCK_SIZE];
	size_t used; /* bytes of the block; 0: none has begun */
	uint32_t number, pid, function_count;
	struct ear_android_symbol *current;
};

static void put_word(struct writing *writing, uint32_t word)
{
	ear_store_le32(writing->block + writing->used, word);
	writing->used += 4;
}

static void end_block(struct writing *writing)
{
	if (writing->used == 0)
		return;
	memset(writing->block + writing->used, 0, BLOCK_SIZE - writing->used);
	fwrite(writing->block, 1, BLOCK_SIZE, writing->file);
	writing->used = 0;
}

static void begin_block(struct writing *writing, uint32_t time, uint32_t pid)
{
	const struct ear_qtrace_header *header = &writing->header;
	const uint32_t head[HEAD_WORDS] = {writing->number, HEAD_WORDS,
		writing->number == 0 ? TIME_ADDED : time, header->start_seconds, 0, pid};
	const uint32_t more[HEAD_WORDS] = {
		time, 1, HERTZ, header->start_seconds, 5, 16 << 8 | 12, header->date, header->time};

	for (unsigned i = 0; i < HEAD_WORDS; i++)
		put_word(writing, head[i]);
	for (unsigned i = 0; i < HEAD_WORDS && writing->number == 0; i++)
		put_word(writing, more[i]);
	writing->number++;
	writing->pid = pid;
}

static uint32_t file_of(uint32_t number)
{
	return 1 + (number - 1) / PROCS_MAX;
}

static uint32_t proc_of(uint32_t number)
{
	return 1 + (number - 1) % PROCS_MAX;
}

/* The number of the function, a new one with its name if it has none. */
static uint32_t number_of(struct writing *writing, struct ear_android_symbol *symbol)
{
	if (symbol->number == 0) {
		uint32_t number = symbol->number = ++writing->function_count;
		fprintf(writing->names, "%" PRIu32 " %" PRIu32 " %" PRIu32 " ", file_of(number),
			proc_of(number), number);
		for (const char *at = symbol->name; *at; at++)
			fputc((unsigned char)*at < ' ' ? '?' : *at, writing->names);
		fputc('\n', writing->names);
	}
	return symbol->number;
}

static void put_entry(struct writing *writing, uint64_t time, uint32_t pid,
	struct ear_android_symbol *symbol, bool leaves)
{
	uint32_t at = (uint32_t)time + TIME_ADDED, number = number_of(writing, symbol);

	if (writing->used == BLOCK_SIZE || (writing->used > 0 && writing->pid != pid))
		end_block(writing);
	if (writing->used == 0)
		begin_block(writing, at, pid);
	put_word(writing, at);
	put_word(writing, file_of(number) << 13 | proc_of(number) << 1 | leaves);
}

static void change(
	struct writing *writing, uint64_t time, uint32_t pid, struct ear_android_symbol *symbol)
{
	if (writing->current == symbol && writing->pid == pid)
		return;
	if (writing->current)
		put_entry(writing, time, pid, writing->current, true);
	if (symbol)
		put_entry(writing, time, pid, symbol, false);
	writing->current = symbol;
}

static int write_runs(struct writing *writing)
{
	struct ear_android_trace *trace = writing->request->trace;
	struct ear_android_run run;
	uint64_t end = 0;
	int result;

	while ((result = ear_android_trace_next(trace, &run)) == 1) {
		end = run.until;
		if (run.execution.number != 0)
			change(writing, run.execution.time, run.task->pid, run.symbol);
		else if (ear_android_trace_options(trace)->compatible)
			number_of(writing, run.symbol); /* at address 0, where nothing runs */
	}
	if (result == 0)
		change(writing, end, writing->pid, NULL);
	end_block(writing);
	return result;
}

/* gname_DATE_TIME.txt in the folder of the output. */
static FILE *open_names(const struct writing *writing, char *path, size_t size)
{
	const char *output = writing->request->output, *slash = strrchr(output, '/');

	snprintf(path, size, "%.*sgname_%08" PRIx32 "_%06" PRIx32 ".txt",
		slash ? (int)(slash - output) + 1 : 0, output, writing->header.date,
		writing->header.time);
	return fopen(path, "w");
}

static int fail_io(const struct writing *writing, const char *path)
{
	return ear_android_trace_fail(
		writing->request->trace, EAR_E_IO, "%s: %s", path, strerror(errno));
}

/* Close one of the files. Returns whether all of it was written. */
static bool finish(FILE *file)
{
	bool failed = ferror(file) != 0;

	return fclose(file) == 0 && !failed;
}

static int run(const struct ear_android_request *request)
{
	struct writing writing = {.request = request,
		.header = *ear_qtrace_log_header(ear_android_trace_log(request->trace))};
	char path[PATH_MAX];

	writing.file = fopen(request->output, "wb");
	if (!writing.file)
		return fail_io(&writing, request->output);
	writing.names = open_names(&writing, path, sizeof(path));
	if (!writing.names) {
		int failed = fail_io(&writing, path);
		fclose(writing.file);
		return failed;
	}
	fprintf(writing.names, "# File# Proc# Line# Name\n");
	int result = write_runs(&writing);
	if (!finish(writing.names) && result == 0)
		result = fail_io(&writing, path);
	if (!finish(writing.file) && result == 0)
		result = fail_io(&writing, request->output);
	return result;
}

const struct ear_android_tool ear_android_q2g = {
	.name = "q2g",
	.summary = "which function runs when, as a gtrace file",
	.needs_kernel = true,
	.needs_output = true,
	.run = run,
};
