/* The events of a comparison for people: a sentence that says what differs, where each side is, and
 * the records around it as lines of Whisper's text. What comes before a difference is the same on
 * both sides, so it is shown once.
 */
#include "cli/commands/diff/diff_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/commands/diff/diff_across.h"
#include "cli/commands/diff/diff_infer.h"
#include "cli/commands/diff/diff_json.h"
#include "cli/commands/diff/diff_value.h"
#include "common/plural.h"
#include "decoder/formats/base/writer.h"
#include "decoder/isa/inst.h"

static void print_place(struct diff *diff, unsigned side, const struct ear_record *record)
{
	char place[64], hart[32] = "", symbol[256] = "", line[256] = "";

	ear_source_place(diff->inputs[side].source, record, place, sizeof(place));
	if (ear_compare_harts_many(diff->harts))
		snprintf(hart, sizeof(hart), " of hart %u", record->hart);
	if (diff->names && record->kind == EAR_RECORD_INSTRUCTION) {
		ear_names_text(diff->names, record->pc, symbol, sizeof(symbol));
		ear_names_line_text(diff->names, record->pc, line, sizeof(line));
	}
	printf("  %c: %s, record %" PRIu64 "%s, %s%s%s%s%s\n", 'A' + (int)side,
		diff->inputs[side].name, diff_passed(diff, side), hart, place,
		symbol[0] ? ", " : "", symbol, line[0] ? ", " : "", line);
}

static void print_lines(struct diff *diff, unsigned side, char mark, int from, int to)
{
	for (int position = from; position < to; position++) {
		const struct ear_record *record = diff_record(diff, side, position);
		if (record)
			printf("  %c %s\n", mark, record_text_line(&diff->text, record));
	}
}

/* The records around it: before it both sides were the same, so one is shown. */
static void print_context(struct diff *diff, int count_a, int count_b)
{
	int context = (int)diff->options.context;
	int shown_a = count_a < context + 1 ? count_a : context + 1;
	int shown_b = count_b < context + 1 ? count_b : context + 1;

	print_lines(diff, 0, ' ', -context, 0);
	print_lines(diff, 0, 'A', 0, shown_a);
	if (shown_a < count_a)
		printf("  A ... %d more\n", count_a - shown_a);
	print_lines(diff, 1, 'B', 0, shown_b);
	if (shown_b < count_b)
		printf("  B ... %d more\n", count_b - shown_b);
	print_lines(diff, 0, ' ', count_a, count_a + context);
}

static void report_different(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record_difference *difference = &event->difference;
	const struct ear_record *a = diff_record(diff, 0, 0);
	const struct ear_record *b = diff_record(diff, 1, 0);
	char name[128], text[EAR_INST_TEXT_SIZE];

	diff_instruction(a, b, text, sizeof(text));
	printf("hart %u, pc 0x%" PRIx64 "%s%s%s: %s is ", a->hart, a->pc, text[0] ? " (" : "", text,
		text[0] ? ")" : "", diff_subject(difference, name, sizeof(name)));
	for (unsigned side = 0; side < 2; side++) {
		diff_print_value(difference, side);
		printf("%s in %c%s", diff_infer_marks(diff, difference, side) ? " (inferred)" : "",
			'A' + (int)side, side ? "\n" : " and ");
	}
	diff_across_report(diff, event);
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_lines(diff, 0, ' ', -(int)diff->options.context, 0);
	print_lines(diff, 0, 'A', 0, 1);
	print_lines(diff, 1, 'B', 0, 1);
	print_lines(diff, 0, ' ', 1, 1 + (int)diff->options.context);
}

#define ORDER_MAX 16

static bool same_record(struct diff *diff, int position_a, int position_b)
{
	const struct ear_record *a = diff_record(diff, 0, position_a);
	const struct ear_record *b = diff_record(diff, 1, position_b);
	struct ear_record_difference difference;

	return a && b && a->kind == EAR_RECORD_INSTRUCTION && a->kind == b->kind &&
	       ear_record_compare(&difference, a, b, diff->options.fields | EAR_COMPARE_PC,
		       diff->options.unknown_equal);
}

/* Are these records of both sides the same ones, in another order? */
static bool same_records(struct diff *diff, uint64_t count)
{
	uint32_t found = 0; /* a bit for each record of B that is one of A */

	if (count > ORDER_MAX)
		return false;
	for (int a = 0; a < (int)count; a++) {
		int b = 0;
		while (b < (int)count && (found >> b & 1 || !same_record(diff, a, b)))
			b++;
		found |= 1u << b;
	}
	return found >> count == 0;
}

static void report_inserted(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record *a = diff_record(diff, 0, 0);
	const struct ear_record *b = diff_record(diff, 1, 0);
	const struct ear_record *first = event->count[0] ? a : b;
	bool interrupt = first->flags & EAR_RECORD_INTERRUPT;

	if (event->count[0] == event->count[1] && same_records(diff, event->count[0]))
		printf("hart %u: the same %" PRIu64
		       " records in another order; A goes to pc 0x%" PRIx64 ", B to pc 0x%" PRIx64
		       "\n",
			a->hart, event->count[0], a->pc, b->pc);
	else if (event->count[0] && event->count[1])
		printf("hart %u: %" PRIu64 " record%s of A stand where B has %" PRIu64
		       " other%s; A goes to pc 0x%" PRIx64 ", B to pc 0x%" PRIx64 "\n",
			a->hart, event->count[0], ear_plural(event->count[0]), event->count[1],
			ear_plural(event->count[1]), a->pc, b->pc);
	else
		printf("hart %u: %" PRIu64 " record%s only in %c, from pc 0x%" PRIx64 "%s\n",
			first->hart, event->count[0] + event->count[1],
			ear_plural(event->count[0] + event->count[1]), event->count[0] ? 'A' : 'B',
			first->pc, interrupt ? ": an interrupt" : "");
	diff_across_report(diff, event);
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_context(diff, (int)event->count[0], (int)event->count[1]);
}

static void report_parted(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record *a = diff_record(diff, 0, 0);
	const struct ear_record *b = diff_record(diff, 1, 0);
	int context = (int)diff->options.context;

	printf("hart %u: A goes to pc 0x%" PRIx64 " and B to pc 0x%" PRIx64
	       ", and they do not meet again within %zu records (--window): no more is compared\n",
		a->hart, a->pc, b->pc, diff->options.window);
	diff_across_report(diff, event);
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_lines(diff, 0, ' ', -context, 0);
	print_lines(diff, 0, 'A', 0, 1 + context);
	print_lines(diff, 1, 'B', 0, 1 + context);
}

static void report_ended(struct diff *diff, const struct ear_compare_event *event)
{
	unsigned other = 1 - event->side;
	const struct ear_record *record = diff_record(diff, other, 0);

	if (ear_compare_harts_many(diff->harts))
		printf("hart %u: ", record->hart);
	printf("%c ends after %" PRIu64 " records, %c continues at pc 0x%" PRIx64 "\n",
		'A' + (int)event->side, diff_passed(diff, event->side), 'A' + (int)other,
		record->pc);
	diff_across_report(diff, event);
	print_place(diff, other, record);
	print_lines(diff, other, ' ', -(int)diff->options.context, 0);
	print_lines(diff, other, (char)('A' + (int)other), 0, 1 + (int)diff->options.context);
}

static void report_gap(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record *record = diff_record(diff, event->side, 0);
	unsigned other = 1 - event->side;
	uint64_t count = event->count[other], own = event->count[event->side];

	if (ear_compare_harts_many(diff->harts))
		printf("hart %u: ", record->hart);
	printf("%c has a gap here (%s): %s%" PRIu64 " record%s of %c", 'A' + (int)event->side,
		ear_gap_reason_text(record->u.gap.reason), event->again ? "another " : "", count,
		ear_plural(count), 'A' + (int)other);
	if (own)
		printf(" and %" PRIu64 " of %c", own, 'A' + (int)event->side);
	printf(" %s not compared\n", count == 1 && !own ? "is" : "are");
	print_place(diff, event->side, record);
}

/* The same program place and kind, whatever the values. */
void diff_note_first(struct diff *diff, const struct ear_compare_event *event)
{
	const unsigned side = event->kind == EAR_COMPARE_ENDED      ? 1 - event->side
			      : event->kind == EAR_COMPARE_INSERTED ? event->count[0] == 0
								    : 0;
	const struct ear_record *record = diff_record(diff, side, 0);
	char name[128], symbol[256] = "", text[512];
	const char *what = event->kind == EAR_COMPARE_ENDED     ? side ? "A ends" : "B ends"
			   : event->kind == EAR_COMPARE_PARTED  ? "A and B part"
			   : event->count[0] && event->count[1] ? "A and B have other records"
			   : side                               ? "only in B"
								: "only in A";

	if (event->kind == EAR_COMPARE_DIFFERENT)
		what = diff_subject(&event->difference, name, sizeof(name));
	if (diff->names && record->kind == EAR_RECORD_INSTRUCTION)
		ear_names_text(diff->names, record->pc, symbol, sizeof(symbol));
	snprintf(text, sizeof(text), "pc 0x%" PRIx64 "%s%s: %s", record->pc, symbol[0] ? " " : "",
		symbol, what);
	notes_text("first", text);
}

void diff_report(struct diff *diff, const struct ear_compare_event *event)
{
	if (diff->silent)
		return;
	cli_progress_clear();
	if (diff->json) {
		diff_json_event(diff, event);
		return;
	}
	if (diff->differences + diff->gaps > 1)
		putchar('\n');
	switch (event->kind) {
	case EAR_COMPARE_DIFFERENT: report_different(diff, event); break;
	case EAR_COMPARE_INSERTED: report_inserted(diff, event); break;
	case EAR_COMPARE_ENDED: report_ended(diff, event); break;
	case EAR_COMPARE_PARTED: report_parted(diff, event); break;
	case EAR_COMPARE_GAP: report_gap(diff, event); break;
	}
}

static void print_left_out(const struct diff *diff)
{
	const char *separator = "; not on both sides and not compared: ";

	/* No RISC-V trace has named registers: their absence is not worth a word. */
	for (unsigned left = diff->left_out & ~(unsigned)EAR_COMPARE_NAMED; left;
		left &= left - 1) {
		printf("%s%s", separator, ear_compare_field_name(left & -left));
		separator = ", ";
	}
}

/* The rules of equivalence.h that were needed, and for how many records. */
static void print_rules(const struct diff *diff)
{
	const char *separator = "\nin another form, or not in one of the formats: ";
	uint64_t counts[EAR_RULE_COUNT];

	ear_compare_harts_rules(diff->harts, counts);
	for (unsigned rule = 0; rule < EAR_RULE_COUNT; rule++) {
		if (counts[rule] == 0)
			continue;
		printf("%s%s %" PRIu64, separator, ear_rules[rule].name, counts[rule]);
		separator = ", ";
	}
}

void diff_report_summary(struct diff *diff)
{
	uint64_t pairs = ear_compare_harts_pairs(diff->harts);
	uint64_t not_compared = diff->in_gaps[0] + diff->in_gaps[1];

	if (diff->silent)
		return;
	if (diff->json) {
		diff_json_summary(diff);
		return;
	}
	if (diff_only_gaps(diff))
		printf("nothing was compared");
	else if (diff->differences == 0)
		printf("the same: %" PRIu64 " record%s", pairs, ear_plural(pairs));
	else
		printf("%s%" PRIu64 " difference%s in %" PRIu64 " records compared",
			diff->differences > 1 ? "\n" : "", diff->differences,
			ear_plural(diff->differences), pairs);
	if (diff->only[0] || diff->only[1])
		printf("; %" PRIu64 " only in A, %" PRIu64 " only in B", diff->only[0],
			diff->only[1]);
	if (diff->gaps)
		printf("; %" PRIu64 " gap%s, over which %" PRIu64 " record%s not compared",
			diff->gaps, ear_plural(diff->gaps), not_compared,
			not_compared == 1 ? " was" : "s were");
	if (diff->left_out)
		print_left_out(diff);
	print_rules(diff);
	putchar('\n');
	diff_infer_summary(diff);
	diff_across_summary(diff);
}
