/* The records that 'earshot grep' shows: matches, and those around them as far as --before and
 * --after ask. Records before a match are kept in a ring until one comes; between groups that are
 * apart a line
 * "--" is printed, as grep(1) does.
 */
#include "cli/commands/grep/grep_show.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/grep/grep_counts.h"
#include "cli/input/input.h"
#include "cli/output/places.h"

/* ", main+0x4 fw.c:12", or "". */
static void find_place(
	const struct grep *grep, const struct ear_record *record, char *text, size_t size)
{
	struct ear_writer_place place = {.symbol = "", .line = ""};

	if (grep->names && record->kind == EAR_RECORD_INSTRUCTION)
		places_find(grep->names, record->pc, &place);
	snprintf(text, size, "%s%s%s%s", place.symbol[0] || place.line[0] ? ", " : "", place.symbol,
		place.symbol[0] && place.line[0] ? " " : "", place.line);
}

/* The number of the instruction, by which commands are asked for it; where it stands in FILE; its
 * index of the source, which is another one in a part of a trace or after a gap; its name. */
static void show_place(
	struct grep *grep, const struct ear_record *record, uint64_t number, bool matches)
{
	char place[64], names[sizeof(struct ear_writer_place) + 8], head[sizeof(names) + 128];
	char instruction[32] = "";

	if (record->kind == EAR_RECORD_INSTRUCTION)
		snprintf(instruction, sizeof(instruction), "#%" PRIu64 ", ", number);
	ear_source_place(grep->input.source, record, place, sizeof(place));
	find_place(grep, record, names, sizeof(names));
	int size = snprintf(head, sizeof(head), "%s%s, index %" PRIu64 "%s%c ", instruction, place,
		record->index, names, matches ? ':' : '-');
	ear_text_output_put(&grep->text, head, (size_t)size);
}

static void show(struct grep *grep, const struct ear_record *record, uint64_t number, bool matches)
{
	if (grep->comments.apart && ear_writer_lacks_without_comments(grep->format, record)) {
		comments_show(&grep->comments, record);
		if (grep->places)
			return;
	}
	if (!grep->places) {
		if (ear_writer_push(grep->writer, record) == EAR_E_UNSUPPORTED)
			grep->refused = true;
		return;
	}
	const char *text = record_text_line(&grep->line, record);
	show_place(grep, record, number, matches);
	ear_text_output_put(&grep->text, text, strlen(text));
	ear_text_output_put(&grep->text, "\n", 1);
}

static void show_before(struct grep *grep)
{
	unsigned oldest =
		(grep->copy_next + GREP_CONTEXT_MAX - grep->copy_count) % GREP_CONTEXT_MAX;

	for (unsigned i = 0; i < grep->copy_count; i++) {
		unsigned at = (oldest + i) % GREP_CONTEXT_MAX;
		show(grep, &grep->copies[at].record, grep->copy_numbers[at], false);
	}
	grep->copy_count = 0;
}

/* A record that does not match: shown after a match, or kept for the next one. */
static int pass_by(struct grep *grep, const struct ear_record *record, uint64_t number)
{
	if (grep->after_left > 0) {
		grep->after_left--;
		show(grep, record, number, false);
		return 0;
	}
	if (grep->copy_count == grep->before)
		grep->separate = true;
	if (grep->before == 0)
		return 0;
	if (ear_record_copy_set(&grep->copies[grep->copy_next], record) != 0)
		return EAR_E_NO_MEMORY;
	grep->copy_numbers[grep->copy_next] = number;
	grep->copy_next = (grep->copy_next + 1) % GREP_CONTEXT_MAX;
	if (grep->copy_count < grep->before)
		grep->copy_count++;
	return 0;
}

static void take_match(struct grep *grep, const struct ear_record *record, uint64_t number)
{
	grep->matches++;
	if (grep->counts)
		grep_counts_add(grep->counts, record, grep->tasks.known ? &grep->tasks.task : NULL);
	if (grep->count_only || grep->silent)
		return;
	if (grep->separate && grep->matches > 1 && (grep->before || grep->after))
		ear_text_output_put(&grep->text, "--\n", 3);
	grep->separate = false;
	show_before(grep);
	show(grep, record, number, true);
	grep->after_left = grep->after;
}

void grep_show_progress(struct grep *grep)
{
	if (!cli_progress_due(&grep->last_progress))
		return;
	int percent = input_percent(grep->input.fd, grep->input.size);
	if (percent >= 0)
		cli_progress("searching: %d%%, %" PRIu64 " records, %" PRIu64 " match", percent,
			grep->input.record_count, grep->matches);
	else
		cli_progress("searching: %" PRIu64 " records, %" PRIu64 " match",
			grep->input.record_count, grep->matches);
}

/* The format takes one hart, and there is another. */
static int refuse(struct grep *grep)
{
	cli_error("a file of format %s holds one hart: choose it with --hart", grep->format->name);
	grep->input.reported = true;
	return EAR_E_UNSUPPORTED;
}

int grep_show_one(struct grep *grep, const struct ear_record *record, uint64_t number, bool matches)
{
	if (matches)
		take_match(grep, record, number);
	else if (!grep->count_only && !grep->silent)
		show(grep, record, number, false);
	return grep->refused ? refuse(grep) : 1;
}

void grep_leave_out(struct grep *grep)
{
	if (grep->matches > 0 && !grep->count_only && !grep->silent &&
		(grep->before || grep->after))
		ear_text_output_put(&grep->text, "--\n", 3);
}

void grep_pass_over(struct grep *grep)
{
	grep->copy_count = 0;
	grep->separate = true;
}

/* -1, the hart's first record, is no change: it is the first of the trace. */
int grep_note(struct grep *grep, const struct ear_record *record)
{
	if (grep->conditions.mode_change)
		grep->mode_changed = ear_privileges_pass(&grep->privileges, record) == 1;
	int result = grep->with_tasks ? task_input_push(&grep->tasks, record) : 0;
	grep->input.reported |= result < 0;
	return result < 0 ? result : 0;
}

static bool is_match(const struct grep *grep, const struct ear_record *record)
{
	return (!grep->conditions.mode_change || grep->mode_changed) &&
	       (!grep->with_tasks || grep->tasks.matches || !grep->tasks.wanted.name.text) &&
	       ear_match_record(&grep->conditions.match, record);
}

int grep_take(struct grep *grep, const struct ear_record *record, uint64_t number)
{
	bool enough = grep->matches >= grep->most;

	if (enough && grep->after_left == 0)
		return 0;
	if (!enough && is_match(grep, record))
		take_match(grep, record, number);
	else if (!grep->count_only && !grep->silent && pass_by(grep, record, number) != 0)
		return EAR_E_NO_MEMORY;
	if (grep->refused)
		return refuse(grep);
	return !(grep->silent && grep->matches);
}
