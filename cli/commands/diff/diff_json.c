/* The events of a comparison as JSON, an object a line, for programs. The members are those that
 * other programs rely on (tests/data/interface.txt).
 */
#include "cli/commands/diff/diff_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/commands/diff/diff_across.h"
#include "cli/commands/diff/diff_value.h"

static void print_json_text(const char *key, const char *text)
{
	printf(",\"%s\":\"", key);
	for (; *text; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	putchar('"');
}

static void print_json_names(const struct diff *diff, uint64_t pc)
{
	char text[256];

	if (ear_names_text(diff->names, pc, text, sizeof(text)) > 0)
		print_json_text("symbol", text);
	if (ear_names_line_text(diff->names, pc, text, sizeof(text)) > 0)
		print_json_text("source_line", text);
}

static void print_json_value(const struct ear_record_difference *difference, unsigned side)
{
	if (!(side ? difference->has_b : difference->has_a))
		return;
	printf(",\"value_%c\":\"", 'a' + (int)side);
	diff_print_number(difference, side);
	printf("\"");
}

void diff_json_event(struct diff *diff, const struct ear_compare_event *event)
{
	static const char *const kinds[] = {"different", "inserted", "ended", "parted", "gap"};
	const struct ear_record_difference *difference = &event->difference;

	printf("{\"kind\":\"%s\"", kinds[event->kind]);
	if (event->kind == EAR_COMPARE_ENDED || event->kind == EAR_COMPARE_GAP)
		printf(",\"side\":\"%c\"", 'a' + (int)event->side);
	if (event->kind == EAR_COMPARE_INSERTED || event->kind == EAR_COMPARE_GAP)
		printf(",\"count_a\":%" PRIu64 ",\"count_b\":%" PRIu64, event->count[0],
			event->count[1]);
	if (event->kind == EAR_COMPARE_DIFFERENT) {
		char name[128];
		printf(",\"field\":\"%s\"", ear_compare_field_name(difference->field));
		if (difference->field & (EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_CSR |
						EAR_COMPARE_V | EAR_COMPARE_NAMED))
			print_json_text(
				"register", diff_register_name(difference, name, sizeof(name)));
		print_json_value(difference, 0);
		print_json_value(difference, 1);
	}
	diff_across_json(diff, event);
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = diff_record(diff, side, 0);
		char place[64];
		if (!record)
			continue;
		ear_source_place(diff->inputs[side].source, record, place, sizeof(place));
		printf(",\"%c\":{\"record\":%" PRIu64 ",\"place\":\"%s\",\"hart\":%u",
			'a' + (int)side, diff_passed(diff, side), place, record->hart);
		if (record->kind == EAR_RECORD_INSTRUCTION)
			printf(",\"pc\":\"0x%" PRIx64 "\",\"opcode\":\"0x%" PRIx64 "\"", record->pc,
				record->opcode);
		if (diff->names && record->kind == EAR_RECORD_INSTRUCTION)
			print_json_names(diff, record->pc);
		printf("}");
	}
	printf("}\n");
}

/* The rules of equivalence.h that were needed. */
static void print_json_rules(const struct diff *diff)
{
	const char *separator = ",\"rules\":[";
	uint64_t counts[EAR_RULE_COUNT];

	ear_compare_harts_rules(diff->harts, counts);
	for (unsigned rule = 0; rule < EAR_RULE_COUNT; rule++) {
		if (counts[rule] == 0)
			continue;
		printf("%s{\"rule\":\"%s\",\"records\":%" PRIu64 "}", separator,
			ear_rules[rule].name, counts[rule]);
		separator = ",";
	}
	if (separator[1] == '\0')
		printf("]");
}

void diff_json_summary(const struct diff *diff)
{
	printf("{\"kind\":\"summary\",\"same\":%s,\"pairs\":%" PRIu64 ",\"differences\":%" PRIu64
	       ",\"only_a\":%" PRIu64 ",\"only_b\":%" PRIu64 ",\"gaps\":%" PRIu64
	       ",\"not_compared_a\":%" PRIu64 ",\"not_compared_b\":%" PRIu64,
		diff_only_gaps(diff) ? "null"
		: diff->differences  ? "false"
				     : "true",
		ear_compare_harts_pairs(diff->harts), diff->differences, diff->only[0],
		diff->only[1], diff->gaps, diff->in_gaps[0], diff->in_gaps[1]);
	diff_across_json_summary(diff);
	print_json_rules(diff);
	printf("}\n");
}
