/* Marks are moments, so each moves to where the record after it went. They are read and written by
 * the library, one by one: there are few.
 */
#include "cli/output/part_marks.h"

#include <earshot/error.h>
#include <earshot/marks.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

static struct ear_trace *open_trace(const char *path)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace *trace = NULL;

	options.index = EAR_INDEX_NONE;
	options.error = error;
	if (ear_trace_open(&trace, path, &options)) {
		cli_error("%s: %s", path, error);
		return NULL;
	}
	return trace;
}

bool part_marks_exist(const char *path)
{
	char marks[4200];

	snprintf(marks, sizeof(marks), "%s.marks", path);
	return access(marks, F_OK) == 0;
}

struct joined {
	struct ear_trace *trace;
	struct ear_mark *marks; /* EAR_MARKS_MAX, of the output so far */
	size_t count;
};

/* Is it there already? Then name is changed if that is another moment. */
static bool is_there(struct joined *joined, char *name, uint64_t position, size_t number)
{
	for (size_t i = 0; i < joined->count; i++) {
		const struct ear_mark *mark = &joined->marks[i];
		char other[EAR_MARK_NAME_SIZE];

		if (strcmp(mark->name, name) != 0)
			continue;
		if (mark->position == position)
			return true;
		snprintf(other, sizeof(other), "%.42s.%zu", name, number);
		cli_warning("two parts have a mark '%s': in part %zu it is '%s' now", name, number,
			other);
		memcpy(name, other, sizeof(other));
	}
	return false;
}

static bool add(struct joined *joined, const char *output, const struct part_marks_source *source,
	const struct ear_mark *mark, size_t number)
{
	char name[EAR_MARK_NAME_SIZE];
	uint64_t position;

	if (!source->find(source->context, mark->position, &position))
		return true;
	memcpy(name, mark->name, sizeof(name));
	if (is_there(joined, name, position, number))
		return true;
	const int result = joined->count == EAR_MARKS_MAX
				   ? EAR_E_FULL
				   : ear_trace_mark(joined->trace, name, position, NULL);
	if (result) {
		cli_error("%s: mark '%s': %s", output, name,
			joined->count == EAR_MARKS_MAX ? "there are too many marks"
						       : ear_trace_error(joined->trace));
		return false;
	}
	struct ear_mark *kept = &joined->marks[joined->count++];
	*kept = (struct ear_mark){.position = position};
	memcpy(kept->name, name, sizeof(name));
	return true;
}

static bool add_source(struct joined *joined, const char *output,
	const struct part_marks_source *source, size_t number)
{
	struct ear_mark *marks = calloc(EAR_MARKS_MAX, sizeof(*marks));
	struct ear_trace *trace = marks ? open_trace(source->path) : NULL;
	bool good = trace != NULL;

	if (!marks)
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	const int64_t count =
		good ? ear_trace_marks(trace, marks, sizeof(*marks), EAR_MARKS_MAX, NULL) : 0;
	if (count < 0) {
		cli_error("%s: its marks: %s", source->path, ear_trace_error(trace));
		good = false;
	}
	for (int64_t i = 0; i < count && good; i++) {
		if (marks[i].stale) {
			cli_error("%s: it has changed since it was marked: its marks are left out",
				source->path);
			good = false;
			break;
		}
		good = add(joined, output, source, &marks[i], number);
	}
	ear_trace_close(trace);
	free(marks);
	return good;
}

bool part_marks_copy(const struct part_marks_source *sources, size_t count, const char *output)
{
	struct joined joined = {0};
	bool good = true, any = false;

	for (size_t i = 0; i < count; i++)
		any = any || part_marks_exist(sources[i].path);
	if (!any)
		return true;
	if (strcmp(output, "-") == 0) {
		cli_error("standard output has no marks: those of '%s' are left out",
			sources[0].path);
		return false;
	}
	joined.marks = calloc(EAR_MARKS_MAX, sizeof(*joined.marks));
	joined.trace = joined.marks ? open_trace(output) : NULL;
	good = joined.trace != NULL;
	for (size_t i = 0; i < count && good; i++)
		if (part_marks_exist(sources[i].path))
			good = add_source(&joined, output, &sources[i], i + 1);
	ear_trace_close(joined.trace);
	free(joined.marks);
	return good;
}
