/* Reading both sides. Equal lines are skipped without being decoded as long as the formats allow
 * it; threads are used only once records have to be read.
 */
#include "cli/commands/diff/diff_read.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"

#define LOOK_EVERY 16384 /* records that are read */

/* Once records must be read, not only lines be compared, a side gets a thread of its own, or both
 * do: no more threads than jobs. */
static void consider_threads(struct diff *diff)
{
	uint64_t read = diff->inputs[0].record_count;

	diff->next_look = read + LOOK_EVERY;
	if (read - diff->read_before <
		ear_compare_harts_skipped(diff->harts) - diff->skipped_before) {
		diff->read_before = read;
		diff->skipped_before = ear_compare_harts_skipped(diff->harts);
		return;
	}
	for (unsigned i = 0; i < 2 && i + 1 < diff->jobs; i++)
		ear_source_set_jobs(diff->inputs[i].source, 2);
	diff->next_look = UINT64_MAX;
}

static void show_progress(struct diff *diff)
{
	if (!cli_progress_due(&diff->last_progress))
		return;
	cli_progress("comparing: %" PRIu64 " pairs, %" PRIu64 " differences",
		ear_compare_harts_pairs(diff->harts), diff->differences);
}

/* Now and then, however long the sides are the same: may it continue? */
static int look_up(struct diff *diff)
{
	if (cli_progress_wanted())
		show_progress(diff);
	if (!cli_interrupted)
		return 0;
	errno = EINTR;
	return EAR_E_IO;
}

/* The record as one of a run in which the task is alone: on one hart, and counted by itself. Of
 * what is missing in a gap nobody knows how much was of the task. Returns 0 if it is of another
 * one.
 */
static int pass_task(struct diff *diff, unsigned side, const struct ear_record **record)
{
	struct ear_record *own = &diff->task_records[side];
	bool gap = (*record)->kind == EAR_RECORD_GAP;
	int result = task_input_push(&diff->tasks[side], *record);

	diff->inputs[side].reported |= result < 0;
	if (result < 0 || (!gap && result == 0) ||
		(diff->options.hart >= 0 && (*record)->hart != diff->options.hart))
		return result < 0 ? result : 0;
	*own = **record;
	own->hart = diff->options.hart >= 0 ? (uint16_t)diff->options.hart : 0;
	own->index = diff->task_counts[side];
	diff->task_counts[side] += own->kind == EAR_RECORD_INSTRUCTION;
	if (gap)
		own->u.gap.count_known = false;
	*record = own;
	return 1;
}

/* No record is missing there: the verdict says it. */
static bool is_word(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_GAP && record->u.gap.reason == EAR_GAP_WORD;
}

/* Is it before the moment of --start? */
static bool is_before(struct diff_start *start, const struct ear_record *record)
{
	if (start->waits && record->kind == EAR_RECORD_INSTRUCTION)
		start->waits = start->passed-- > 0;
	return start->waits;
}

/* Which number in the trace it has is kept for --json. */
static void count(struct diff *diff, unsigned side, const struct ear_record *record, bool compared)
{
	if (!diff->json || record->kind != EAR_RECORD_INSTRUCTION)
		return;
	if (compared)
		diff_numbers_add(&diff->numbers[side], record->hart);
	else
		diff_numbers_pass(&diff->numbers[side]);
}

/* The next one that is compared. */
static int read_record(struct diff *diff, unsigned side, const struct ear_record **record)
{
	int passed = 0;

	while (passed == 0) {
		int result = source_input_next(&diff->inputs[side], record);
		if (result > 0 && is_word(*record))
			continue;
		if (result <= 0)
			return result;
		const bool before = is_before(&diff->starts[side], *record);
		passed = result;
		if (diff->task)
			passed = pass_task(diff, side, record);
		if (passed > 0 && before)
			passed = 0;
		count(diff, side, *record, passed > 0);
		if (!diff->task && passed > 0)
			return passed;
		if (diff->inputs[side].record_count % 4096 == 0 && look_up(diff) != 0)
			return EAR_E_IO;
	}
	return passed;
}

static int next_record(void *context, unsigned side, const struct ear_record **record)
{
	struct diff *diff = context;

	if (diff->inputs[side].record_count % 4096 == 0 && look_up(diff) != 0)
		return EAR_E_IO;
	if (diff->inputs[0].record_count >= diff->next_look && side == 0)
		consider_threads(diff);
	int result = read_record(diff, side, record);
	if (diff->watched && result > 0) {
		unsigned found = ear_compare_fields_in(*record) & diff->watched;
		diff->left_out |= found;
		diff->watched &= ~found;
	}
	return result;
}

size_t diff_read_skip(void *context, struct ear_equal_lines *harts, size_t keep)
{
	struct diff *diff = context;

	look_up(diff); /* the record that is asked for next shows an interrupt */
	const size_t count =
		ear_source_skip_equal(diff->inputs[0].source, diff->inputs[1].source, harts, keep);
	for (size_t i = 0; i < count && diff->json; i++)
		for (unsigned side = 0; side < 2; side++)
			diff_numbers_skip(&diff->numbers[side], harts[i].hart, harts[i].count);
	return count;
}

void diff_read_begin(struct diff *diff)
{
	diff->next_look = diff->jobs > 1 ? LOOK_EVERY : UINT64_MAX;
	diff->options.next = next_record;
	diff->options.next_context = diff;
}
