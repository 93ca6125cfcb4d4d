/* The events of a comparison as JSON, an object a line, for programs. The members are those that
 * other programs rely on (tests/data/interface.txt).
 */
#include "cli/commands/diff/diff_json.h"

#include <stdio.h>

#include "cli/commands/diff/diff_across.h"
#include "cli/commands/diff/diff_infer.h"
#include "cli/commands/diff/diff_value.h"

static void print_names(const struct diff *diff, struct json *json, uint64_t pc)
{
	char text[256];

	if (ear_names_text(diff->names, pc, text, sizeof(text)) > 0)
		json_text(json, "symbol", text);
	if (ear_names_line_text(diff->names, pc, text, sizeof(text)) > 0)
		json_text(json, "source_line", text);
}

static void print_difference(
	struct diff *diff, struct json *json, const struct ear_record_difference *difference)
{
	static const char *const values[] = {"value_a", "value_b"};
	static const char *const marks[] = {"inferred_a", "inferred_b"};
	char name[128];

	json_text(json, "field", ear_compare_field_name(difference->field));
	if (difference->field & (EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_CSR | EAR_COMPARE_V |
					EAR_COMPARE_NAMED))
		json_text(json, "register", diff_register_name(difference, name, sizeof(name)));
	for (unsigned side = 0; side < 2; side++) {
		if (!(side ? difference->has_b : difference->has_a))
			continue;
		json_key(json, values[side]);
		putchar('"');
		diff_print_number(difference, side);
		putchar('"');
		if (diff_infer_marks(diff, difference, side))
			json_bool(json, marks[side], true);
	}
}

static const char *const sides[] = {"a", "b"};

static void print_side(struct diff *diff, struct json *json, unsigned side)
{
	const struct ear_record *record = diff_record(diff, side, 0);
	char place[64];
	uint64_t number;

	if (!record)
		return;
	ear_source_place(diff->inputs[side].source, record, place, sizeof(place));
	const bool known = diff_number(diff, side, record->hart, &number);
	json_open(json, sides[side], '{');
	json_number(json, "record", diff_passed(diff, side));
	json_known(json, "number", known, number);
	json_text(json, "place", place);
	json_number(json, "hart", record->hart);
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		json_hex(json, "pc", true, record->pc);
		json_hex(json, "opcode", true, record->opcode);
		if (diff->names)
			print_names(diff, json, record->pc);
	}
	json_close(json, '}');
}

void diff_json_event(struct diff *diff, const struct ear_compare_event *event)
{
	static const char *const kinds[] = {"different", "inserted", "ended", "parted", "gap"};
	struct json json = json_compact();

	json_open(&json, NULL, '{');
	json_text(&json, "kind", kinds[event->kind]);
	if (event->kind == EAR_COMPARE_ENDED || event->kind == EAR_COMPARE_GAP)
		json_text(&json, "side", event->side ? "b" : "a");
	if (event->kind == EAR_COMPARE_INSERTED || event->kind == EAR_COMPARE_GAP) {
		json_number(&json, "count_a", event->count[0]);
		json_number(&json, "count_b", event->count[1]);
	}
	if (event->kind == EAR_COMPARE_DIFFERENT)
		print_difference(diff, &json, &event->difference);
	diff_across_json(diff, &json, event);
	for (unsigned side = 0; side < 2; side++)
		print_side(diff, &json, side);
	json_close(&json, '}');
	putchar('\n');
}

/* The rules of equivalence.h that were needed. */
static void print_rules(const struct diff *diff, struct json *json)
{
	uint64_t counts[EAR_RULE_COUNT], any = 0;

	ear_compare_harts_rules(diff->harts, counts);
	for (unsigned rule = 0; rule < EAR_RULE_COUNT; rule++)
		any |= counts[rule];
	if (!any)
		return;
	json_open(json, "rules", '[');
	for (unsigned rule = 0; rule < EAR_RULE_COUNT; rule++) {
		if (counts[rule] == 0)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "rule", ear_rules[rule].name);
		json_number(json, "records", counts[rule]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Can records of a side be missing? Of one that was not read to its end only damage is known. */
static void print_verdict(struct diff *diff, struct json *json, unsigned side)
{
	struct verdict verdict = {0};

	source_input_add_verdict(&diff->inputs[side], &verdict);
	verdict.known = diff->ended || verdict.missing.verdict == EAR_DAMAGED;
	json_open(json, sides[side], '{');
	verdict_json(&verdict, json);
	json_close(json, '}');
}

void diff_json_summary(struct diff *diff)
{
	struct json json = json_compact();

	json_open(&json, NULL, '{');
	json_text(&json, "kind", "summary");
	if (diff_only_gaps(diff))
		json_null(&json, "same");
	else
		json_bool(&json, "same", diff->differences == 0);
	json_number(&json, "pairs", ear_compare_harts_pairs(diff->harts));
	json_number(&json, "differences", diff->differences);
	json_number(&json, "only_a", diff->only[0]);
	json_number(&json, "only_b", diff->only[1]);
	json_number(&json, "gaps", diff->gaps);
	json_number(&json, "not_compared_a", diff->in_gaps[0]);
	json_number(&json, "not_compared_b", diff->in_gaps[1]);
	for (unsigned side = 0; side < 2; side++)
		print_verdict(diff, &json, side);
	diff_across_json_summary(diff, &json);
	print_rules(diff, &json);
	diff_infer_json(diff, &json);
	json_close(&json, '}');
	putchar('\n');
}
