/* Two runs whose time differs: the options, and the report of what was left out and tolerated.
 *
 * Nothing is left out in silence: each source of tolerated values has a line with its counts, and
 * so have the handlers of each side. What has nothing to report has no line, but for the handlers:
 * that none was found is worth knowing.
 */
#include "cli/commands/diff/diff_across.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>

#include "cli/base/cli.h"
#include "cli/base/range.h"
#include "cli/commands/diff/diff_value.h"
#include "common/plural.h"
#include "decoder/formats/formats.h"
#include "decoder/isa/inst.h"

#define LONG_HANDLER 1000000 /* records */

static bool has_room(const struct diff *diff)
{
	if (diff->tolerate.range_count + diff->device_count < EAR_TOLERANCE_RANGES_MAX)
		return true;
	cli_error("--tolerate: more than %d ranges", EAR_TOLERANCE_RANGES_MAX);
	return false;
}

/* A range, or a name, which is looked up when the program is known. */
static bool take_range(
	struct diff *diff, const struct command_option *option, const char *text, size_t size)
{
	struct ear_tolerance_options *tolerate = &diff->tolerate;

	if (!has_room(diff))
		return false;
	if (size > 0 && !ear_address_is_number(text, size)) {
		diff->devices[diff->device_count++] = (struct diff_device){text, size};
		return true;
	}
	struct ear_tolerance_range *range = &tolerate->ranges[tolerate->range_count];
	const char *at = text;
	if (!cli_take_range(&at, &range->first, &range->last) || at != text + size) {
		cli_error(
			"--%s: '%.*s' is not a range: FIRST-LAST, FIRST+SIZE, an address or a name",
			option->name, (int)size, text);
		return false;
	}
	tolerate->range_count++;
	return true;
}

bool diff_take_tolerate(void *value, const struct command_option *option, const char *argument)
{
	struct diff *diff = value;
	static const char devices[] = "devices=";
	bool in_devices = false, good = true;

	if (*argument == '\0')
		return option_fail(option, argument, "clocks, counters or devices=RANGE");
	for (const char *at = argument; good && *at;) {
		size_t size = strcspn(at, ",");
		if (strncmp(at, devices, sizeof(devices) - 1) == 0) {
			at += sizeof(devices) - 1;
			size -= sizeof(devices) - 1;
			in_devices = true;
			good = take_range(diff, option, at, size);
		} else if (size == 6 && memcmp(at, "clocks", size) == 0) {
			diff->tolerate.clocks = true;
			in_devices = false;
		} else if (size == 8 && memcmp(at, "counters", size) == 0) {
			diff->tolerate.counters = true;
			in_devices = false;
		} else if (in_devices) {
			good = take_range(diff, option, at, size);
		} else {
			char word[64];
			snprintf(word, sizeof(word), "%.*s", (int)size, at);
			return option_fail(option, word, "clocks, counters or devices=RANGE");
		}
		at += size;
		at += *at == ',';
	}
	return good;
}

static bool is_tolerating(const struct diff *diff)
{
	return diff->tolerate.clocks || diff->tolerate.counters || diff->tolerate.range_count > 0;
}

/* A format without interrupts shows nothing that could be left out, nor is anything left out of the
 * other side then. */
static void warn_of_formats(const struct diff *diff)
{
	for (unsigned side = 0; side < 2; side++) {
		const char *name = ear_source_format(diff->inputs[side].source);
		if (!diff->equivalence.handlers[side])
			cli_warning("%s: %s traces show no interrupts: no handler is skipped",
				diff->inputs[side].name, name);
	}
}

/* A name's ranges: of a variable, a section, or SYMBOL:SIZE. */
static bool find_device(struct diff *diff, const struct diff_device *device)
{
	struct ear_tolerance_options *tolerate = &diff->tolerate;
	struct ear_address address = {.size = sizeof(address)};

	if (!symbol_file_find(&diff->symbols, "--tolerate", device->text, device->size, &address))
		return false;
	if (!address.has_size && !address.is_point) {
		cli_error("--tolerate: the size of '%.*s' is not known; give %.*s:SIZE",
			(int)device->size, device->text, (int)device->size, device->text);
		return false;
	}
	for (unsigned i = 0; i < address.count; i++) {
		if (tolerate->range_count == EAR_TOLERANCE_RANGES_MAX) {
			cli_error("--tolerate: more than %d ranges", EAR_TOLERANCE_RANGES_MAX);
			return false;
		}
		tolerate->ranges[tolerate->range_count++] = (struct ear_tolerance_range){
			address.ranges[i].first, address.ranges[i].last};
	}
	return true;
}

bool diff_across_begin(struct diff *diff)
{
	for (unsigned i = 0; i < diff->device_count; i++)
		if (!find_device(diff, &diff->devices[i]))
			return false;
	if (diff->options.across.skip_interrupts && !diff->quiet)
		warn_of_formats(diff);
	if (!is_tolerating(diff))
		return true;
	diff->options.across.tolerance = ear_tolerance_new(&diff->tolerate);
	if (!diff->options.across.tolerance)
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	return diff->options.across.tolerance;
}

void diff_across_end(struct diff *diff)
{
	ear_tolerance_free(diff->options.across.tolerance);
}

/* "mcycle", "0x2000000-0x200bfff". Returns text. */
static const char *source_name(const struct ear_tolerance_source *source, char *text, size_t size)
{
	const char *csr = ear_csr_name(source->csr);

	if (source->kind == EAR_TOLERANCE_DEVICES)
		snprintf(text, size, "0x%" PRIx64 "-0x%" PRIx64, source->range.first,
			source->range.last);
	else if (csr)
		snprintf(text, size, "%s", csr);
	else
		snprintf(text, size, "c%u", source->csr);
	return text;
}

static const char *decision_register(const struct ear_decision *decision, char *text, size_t size)
{
	const struct ear_record_difference named = {
		.reg_class = decision->reg_class, .number = decision->number};

	return diff_register_name(&named, text, size);
}

static void report_decision(const struct ear_decision *decision)
{
	static const char *const what[] = {"", "branch", "jump", "access"};
	char name[32], source[64];
	bool device = decision->source.kind == EAR_TOLERANCE_DEVICES;
	const char *separator = " at";

	printf("  a tolerated value decided here: the %s at pc 0x%" PRIx64
	       " reads %s,\n  which depends on the read of %s%s",
		what[decision->kind], decision->pc, decision_register(decision, name, sizeof(name)),
		device ? "memory in " : "", source_name(&decision->source, source, sizeof(source)));
	for (unsigned side = 0; side < 2; side++) {
		if (decision->records[side] == EAR_DECISION_NO_RECORD)
			continue;
		printf("%s record %" PRIu64 " of %c", separator, decision->records[side],
			'A' + (int)side);
		separator = ",";
	}
	putchar('\n');
}

/* Records of a side that the event is about. */
static uint64_t records_of(
	const struct diff *diff, const struct ear_compare_event *event, unsigned side)
{
	if (event->kind == EAR_COMPARE_PARTED)
		return diff->options.context;
	return event->kind == EAR_COMPARE_INSERTED ? event->count[side] : 0;
}

static bool find_switch(const struct diff *diff, const struct ear_compare_event *event,
	unsigned side, struct ear_handler_switch *found, uint64_t *number)
{
	return event->kind != EAR_COMPARE_GAP &&
	       ear_compare_switch(
		       diff->compare, side, records_of(diff, event, side), found, number);
}

void diff_across_report(const struct diff *diff, const struct ear_compare_event *event)
{
	struct ear_handler_switch found;
	uint64_t number;

	if (event->decision.kind != EAR_DECISION_NONE && event->kind != EAR_COMPARE_GAP)
		report_decision(&event->decision);
	for (unsigned side = 0; side < 2; side++)
		if (find_switch(diff, event, side, &found, &number))
			printf("  before record %" PRIu64
			       " of %c an interrupt handler returned to pc 0x%" PRIx64
			       ", not to 0x%" PRIx64
			       ", where the interrupt came: a switch of tasks\n",
				number, 'A' + (int)side, found.to, found.from);
}

static void print_json_decision(struct json *json, const struct ear_decision *decision)
{
	static const char *const by[] = {"", "branch", "jump", "address"};
	static const char *const records[] = {"record_a", "record_b"};
	char name[64];

	json_open(json, "decided", '{');
	json_text(json, "by", by[decision->kind]);
	json_hex(json, "pc", true, decision->pc);
	json_text(json, "register", decision_register(decision, name, sizeof(name)));
	json_text(json, "source", source_name(&decision->source, name, sizeof(name)));
	for (unsigned side = 0; side < 2; side++)
		if (decision->records[side] != EAR_DECISION_NO_RECORD)
			json_number(json, records[side], decision->records[side]);
	json_close(json, '}');
}

void diff_across_json(
	const struct diff *diff, struct json *json, const struct ear_compare_event *event)
{
	static const char *const keys[] = {"switch_a", "switch_b"};
	struct ear_handler_switch found;
	uint64_t number;

	if (event->decision.kind != EAR_DECISION_NONE && event->kind != EAR_COMPARE_GAP)
		print_json_decision(json, &event->decision);
	for (unsigned side = 0; side < 2; side++) {
		if (!find_switch(diff, event, side, &found, &number))
			continue;
		json_open(json, keys[side], '{');
		json_number(json, "record", number);
		json_hex(json, "from", true, found.from);
		json_hex(json, "to", true, found.to);
		json_close(json, '}');
	}
}

static void print_handlers(const struct diff *diff)
{
	struct ear_handler_statistics sides[2];

	for (unsigned side = 0; side < 2; side++)
		ear_compare_harts_handlers(diff->harts, side, &sides[side]);
	printf("skipped %" PRIu64 " handler%s, %" PRIu64 " record%s in A; %" PRIu64 ", %" PRIu64
	       " in B\n",
		sides[0].handlers, ear_plural(sides[0].handlers), sides[0].records,
		ear_plural(sides[0].records), sides[1].handlers, sides[1].records);
	for (unsigned side = 0; side < 2; side++) {
		char letter = (char)('A' + (int)side);
		if (sides[side].switched)
			printf("%c: %" PRIu64 " handler%s returned to another pc than that of the "
			       "interrupt: switches of tasks\n",
				letter, sides[side].switched, ear_plural(sides[side].switched));
		if (sides[side].cut)
			printf("%c: %" PRIu64 " handler%s lost the end in a gap\n", letter,
				sides[side].cut, ear_plural(sides[side].cut));
		if (sides[side].open)
			printf("%c ends in a handler that has not returned\n", letter);
	}
}

/* Was anything tolerated because of the source? */
static bool has_counts(const struct ear_tolerance_source *source)
{
	return source->reads || source->values;
}

static void print_tolerated(const struct ear_tolerance *tolerance)
{
	const struct ear_tolerance_source *source;
	uint64_t lost = ear_tolerance_lost(tolerance);
	char name[64];
	bool any = false;

	for (size_t i = 0; (source = ear_tolerance_source(tolerance, i)); i++) {
		if (!has_counts(source))
			continue;
		any = true;
		printf("tolerated: %s, %" PRIu64 " read%s, %" PRIu64
		       " value%s that depend%s on it\n",
			source_name(source, name, sizeof(name)), source->reads,
			ear_plural(source->reads), source->values, ear_plural(source->values),
			source->values == 1 ? "s" : "");
	}
	if (!any)
		printf("tolerated: nothing\n");
	if (lost)
		printf("%" PRIu64 " store%s of tolerated values could not be followed: more than "
		       "%u words\n",
			lost, ear_plural(lost), EAR_TOLERANCE_WORDS_MAX);
}

void diff_across_summary(const struct diff *diff)
{
	if (diff->options.across.skip_interrupts)
		print_handlers(diff);
	if (diff->options.across.tolerance)
		print_tolerated(diff->options.across.tolerance);
}

static void print_json_handlers(const struct diff *diff, struct json *json, unsigned side)
{
	const char letter = side ? 'b' : 'a';
	struct ear_handler_statistics of;

	ear_compare_harts_handlers(diff->harts, side, &of);
	const struct {
		const char *name;
		uint64_t count;
	} rows[] = {{"handlers", of.handlers}, {"handler_records", of.records},
		{"switched", of.switched}, {"cut", of.cut}, {"not_returned", of.open}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char key[32];
		snprintf(key, sizeof(key), "%s_%c", rows[i].name, letter);
		json_number(json, key, rows[i].count);
	}
}

void diff_across_json_summary(const struct diff *diff, struct json *json)
{
	static const char *const kinds[] = {"clocks", "counters", "devices"};
	const struct ear_tolerance *tolerance = diff->options.across.tolerance;
	const struct ear_tolerance_source *source;
	char name[64];

	for (unsigned side = 0; side < 2 && diff->options.across.skip_interrupts; side++)
		print_json_handlers(diff, json, side);
	if (!tolerance)
		return;
	json_open(json, "tolerated", '[');
	for (size_t i = 0; (source = ear_tolerance_source(tolerance, i)); i++) {
		if (!has_counts(source))
			continue;
		json_open(json, NULL, '{');
		json_text(json, "kind", kinds[source->kind]);
		json_text(json, "source", source_name(source, name, sizeof(name)));
		json_number(json, "reads", source->reads);
		json_number(json, "values", source->values);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_number(json, "not_followed", ear_tolerance_lost(tolerance));
}

bool diff_across_skipped_all(const struct diff *diff)
{
	struct ear_handler_statistics sides[2];

	for (unsigned side = 0; side < 2; side++)
		ear_compare_harts_handlers(diff->harts, side, &sides[side]);
	return sides[0].records > 0 || sides[1].records > 0;
}

void diff_across_warn(const struct diff *diff)
{
	struct ear_handler_statistics of;

	for (unsigned side = 0; side < 2 && diff->options.across.skip_interrupts; side++) {
		ear_compare_harts_handlers(diff->harts, side, &of);
		if (of.longest > LONG_HANDLER)
			cli_warning("%s: a handler has %" PRIu64
				    " records%s: perhaps it left without an xRET",
				diff->inputs[side].name, of.longest,
				of.open ? " and has not returned" : "");
	}
}
