/* The marks of a trace as a list. A mark is between two records. Who made it looked at the
 * instruction before it, as `browse` and `--at mark=NAME` do, so that one is named; the number of
 * the mark itself is the one of the instruction that comes next. Where the trace has changed since,
 * the numbers are of another one: the names are printed, and no instruction.
 */
#include "cli/commands/show/show_marks.h"

#include <earshot/error.h>
#include <earshot/marks.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/input/trace_input.h"
#include "cli/show/json.h"

#define NAME_COLUMNS 24

struct place {
	bool known;
	uint64_t number, pc;
	uint16_t hart;
	char symbol[256], line[256]; /* "": not known */
};

/* The instruction before the mark. Returns 0, or an error of the trace. */
static int find_place(struct ear_trace *trace, const struct ear_names *names,
	const struct ear_mark *mark, struct place *place, const struct ear_progress *progress)
{
	const struct ear_record *record;

	*place = (struct place){.known = false};
	if (mark->stale || mark->number == 0)
		return 0;
	int result = ear_trace_seek_number(trace, mark->number - 1, progress);
	if (result == 1)
		result = ear_trace_next(trace, &record);
	if (result != 1)
		return result;
	place->known = true;
	place->number = mark->number - 1;
	place->hart = record->hart;
	place->pc = record->pc;
	if (names) {
		ear_names_text(names, record->pc, place->symbol, sizeof(place->symbol));
		ear_names_line_text(names, record->pc, place->line, sizeof(place->line));
	}
	return 0;
}

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static void print_json(struct json *json, const struct ear_mark *mark, const struct place *place)
{
	json_open(json, NULL, '{');
	json_text(json, "name", mark->name);
	json_known(json, "number", !mark->stale, mark->number);
	json_known(json, "position", !mark->stale, mark->position);
	if (place->known) {
		json_open(json, "after", '{');
		json_number(json, "number", place->number);
		json_number(json, "hart", place->hart);
		json_hex(json, "pc", true, place->pc);
		json_text(json, "symbol", text_or_null(place->symbol));
		json_text(json, "source_line", text_or_null(place->line));
		json_close(json, '}');
	} else {
		json_null(json, "after");
	}
	json_close(json, '}');
}

static void print_text(const struct ear_mark *mark, const struct place *place)
{
	printf("%-*s", NAME_COLUMNS, mark->name);
	if (mark->stale)
		printf("  of another trace");
	else if (!place->known)
		printf("  before #%" PRIu64, mark->number);
	else
		printf("  after #%-12" PRIu64 " 0x%" PRIx64 "%s%s%s%s%s", place->number, place->pc,
			place->symbol[0] ? "  " : "", place->symbol, place->line[0] ? " (" : "",
			place->line, place->line[0] ? ")" : "");
	putchar('\n');
}

/* All of them; of JSON the array. Returns 0, or an error of the trace. */
static int print_marks(struct ear_trace *trace, const struct ear_names *names,
	const struct ear_mark *marks, size_t count, struct json *json,
	const struct ear_progress *progress)
{
	struct place place;
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		result = find_place(trace, names, &marks[i], &place, progress);
		if (result)
			return result;
		if (json)
			print_json(json, &marks[i], &place);
		else
			print_text(&marks[i], &place);
	}
	return 0;
}

static int print_all(struct ear_trace *trace, const struct ear_names *names,
	const struct ear_mark *marks, size_t count, bool json, const struct ear_progress *progress)
{
	struct json out = json_compact();

	if (!json)
		return print_marks(trace, names, marks, count, NULL, progress);
	json_open(&out, NULL, '{');
	json_bool(&out, "stale", count > 0 && marks[0].stale);
	json_open(&out, "marks", '[');
	const int result = print_marks(trace, names, marks, count, &out, progress);
	json_close(&out, ']');
	json_close(&out, '}');
	putchar('\n');
	return result;
}

int show_marks(struct ear_trace *trace, const char *path, const struct ear_names *names, bool json,
	const struct ear_progress *progress)
{
	struct ear_mark *marks = calloc(EAR_MARKS_MAX, sizeof(*marks));
	int64_t count =
		marks ? ear_trace_marks(trace, marks, sizeof(*marks), EAR_MARKS_MAX, progress)
		      : EAR_E_NO_MEMORY;
	const bool stale = count > 0 && marks[0].stale;

	if (count >= 0) {
		const int result = print_all(trace, names, marks, (size_t)count, json, progress);
		count = result < 0 ? result : count;
	}
	cli_progress_clear();
	if (count < 0 && count != EAR_E_CANCELLED)
		trace_input_error(
			path, marks ? ear_trace_error(trace) : ear_error_text((int)count));
	if (count == 0 && !json)
		cli_warning("%s: there are no marks: m in `earshot browse` makes one", path);
	if (stale)
		cli_error(
			"%s: the trace has changed since it was marked: the marks are of another one",
			path);
	free(marks);
	return count < 0 || stale ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}
