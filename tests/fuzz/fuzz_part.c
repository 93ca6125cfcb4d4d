/* Part files of an analysis, which the first byte chooses: texts with a form feed between them,
 * joined in order. Wrong is: a crash, a read beyond the bytes, an error without a sentence, a part
 * that is not the same after it was written and read again.
 */
#include <earshot/error.h>
#include <earshot/instruction.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/base/analysis_run.h"
#include "analyses/branches/branches.h"
#include "analyses/calls/call_log.h"
#include "analyses/calls/interrupts.h"
#include "analyses/coverage/coverage.h"
#include "analyses/coverage/isa_coverage.h"
#include "analyses/memory/memory_result.h"
#include "analyses/profile/by.h"
#include "analyses/profile/profile.h"
#include "analyses/stat/stat.h"
#include "analyses/timeline/timeline.h"
#include "target.h"

static int take_call(void *context, const struct ear_call_log_call *call)
{
	(void)context;
	return call ? 0 : EAR_E_BAD_ARGUMENT;
}

static pthread_mutex_t memory_mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct ear_stat_options stat_options = {.lacks = EAR_STAT_NO_GAPS};
static const struct ear_call_log_options call_options = {.take = take_call, .by_end = true};
static const struct ear_profile_options profile_options = {.pcs = true};
static const struct ear_timeline_options timeline_options = {.slices_max = 50};
static struct ear_isa_coverage_options isa_options = {.shows_traps = true};
static const struct ear_usage_options memory_options = {.working_set = 50, .lock = &memory_mutex};

/* The letters stay as they are: corpora name them. */
static const struct {
	char letter;
	const struct ear_analysis *analysis;
	const void *options;
} rows[] = {
	{'s', &ear_stat_analysis, &stat_options},
	{'b', &ear_branches_analysis, NULL},
	{'c', &ear_coverage_analysis, NULL},
	{'i', &ear_isa_coverage_analysis, &isa_options},
	{'l', &ear_calls_analysis, &call_options},
	{'n', &ear_interrupts_analysis, NULL},
	{'t', &ear_timeline_analysis, &timeline_options},
	{'p', &ear_profile_analysis, &profile_options},
	{'y', &ear_by_analyses[EAR_BY_PRIVILEGE], &profile_options},
	{'m', &ear_memory_analysis, &memory_options},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void *make(size_t row, bool part, void *whole)
{
	const struct ear_analysis_setup setup = {
		.options = rows[row].options, .part = part, .whole = whole};
	void *count = NULL;

	if (rows[row].analysis->create(&count, &setup) != 0)
		abort();
	return count;
}

/* NULL: it is refused. */
static void *read_part(size_t row, const char *text, size_t size, void *whole)
{
	void *part = make(row, true, whole);
	struct ear_part_reader reader;
	struct ear_part_head head;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	if (!file)
		abort();
	if (!ear_part_open(&reader, file, &head) ||
		!ear_analysis_read(rows[row].analysis, part, NULL, &reader)) {
		if (!reader.error[0])
			abort();
		rows[row].analysis->free(part);
		part = NULL;
	}
	ear_part_close(&reader);
	fclose(file);
	return part;
}

static char *write_part(size_t row, void *part, size_t *size)
{
	struct ear_part_head head = {
		.options = "-", .trace = "-", .program = "-", .program_sha256 = "-"};
	char *text;
	FILE *file = open_memstream(&text, size);

	if (!file)
		abort();
	snprintf(head.analysis, sizeof(head.analysis), "%s", rows[row].analysis->name);
	ear_analysis_write(rows[row].analysis, part, NULL, &head, file);
	if (fclose(file) != 0)
		abort();
	return text;
}

static void check_again(size_t row, void *part)
{
	size_t size, size_again;
	char *text = write_part(row, part, &size);
	void *again = read_part(row, text, size, NULL);

	if (!again)
		abort();
	char *text_again = write_part(row, again, &size_again);
	if (size != size_again || memcmp(text, text_again, size) != 0)
		abort();
	rows[row].analysis->free(again);
	free(text);
	free(text_again);
}

static void try_parts(size_t row, const char *bytes, size_t size)
{
	const struct ear_analysis *analysis = rows[row].analysis;
	void *whole = make(row, false, NULL);
	int result = 0;

	while (size > 0 && result == 0) {
		const char *end = memchr(bytes, '\f', size);
		const size_t length = end ? (size_t)(end - bytes) : size;
		void *part = length > 0 ? read_part(row, bytes, length, whole) : NULL;
		if (!part)
			break;
		check_again(row, part);
		result = analysis->join(whole, part);
		analysis->free(part);
		bytes += length + (end != NULL);
		size -= length + (end != NULL);
	}
	if (result < 0 && !ear_error_text(result))
		abort();
	if (result >= 0 && analysis->finish)
		analysis->finish(whole);
	analysis->free(whole);
}

int fuzz_part(const uint8_t *bytes, size_t size)
{
	static struct ear_instructions *instructions; /* stay until the program ends */

	if (!instructions && ear_instructions_new(&instructions, NULL, NULL) != 0)
		abort();
	isa_options.instructions = instructions;
	for (size_t row = 0; size > 1 && row < ROWS; row++)
		if (bytes[0] == (uint8_t)rows[row].letter)
			try_parts(row, (const char *)bytes + 1, size - 1);
	return 0;
}
