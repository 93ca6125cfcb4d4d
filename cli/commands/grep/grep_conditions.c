/* What 'earshot grep' looks for. Numbers are read at once; ranges, which may be symbols, only when
 * the file is open, because it names the program that the symbols are of.
 */
#include "cli/commands/grep/grep_conditions.h"

#include <earshot/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/cli.h"
#include "cli/base/range.h"
#include "decoder/text/riscv_name.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool conditions_take_range(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	unsigned count = 0;

	for (unsigned i = 0; i < conditions->range_count; i++)
		count += strcmp(conditions->ranges[i].option, option->name) == 0;
	if (count == EAR_MATCH_RANGES_MAX) {
		cli_error("--%s: more than %d ranges", option->name, EAR_MATCH_RANGES_MAX);
		return false;
	}
	conditions->ranges[conditions->range_count++] = (struct range_text){option->name, text};
	return true;
}

/* A line of the source may be several ranges. */
static bool add_ranges(const struct range_text *given, const struct ear_address *address,
	struct ear_match_range *ranges, unsigned *count)
{
	if (address->count > EAR_MATCH_RANGES_MAX - *count) {
		cli_error("--%s: more than %d ranges with those of '%s'", given->option,
			EAR_MATCH_RANGES_MAX, given->text);
		return false;
	}
	for (unsigned i = 0; i < address->count; i++)
		ranges[(*count)++] =
			(struct ear_match_range){address->ranges[i].first, address->ranges[i].last};
	return true;
}

/* A function that is also a symbol: its inlined copies, too. */
static bool add_copies(struct conditions *conditions, const struct range_text *given,
	const struct ear_address *symbol)
{
	struct ear_address copies = {.size = sizeof(copies)};
	const struct ear_names *names = conditions->symbols.names;

	if (conditions->no_inline || symbol->kind != EAR_ADDRESS_SYMBOL || !names)
		return true;
	size_t count =
		ear_names_inlined_spans(names, given->text, copies.ranges, EAR_ADDRESS_RANGES_MAX);
	copies.count =
		count > EAR_ADDRESS_RANGES_MAX ? EAR_ADDRESS_RANGES_MAX + 1 : (unsigned)count;
	return add_ranges(given, &copies, conditions->match.pcs, &conditions->match.pc_count);
}

static bool parse_range(struct conditions *conditions, const struct range_text *given)
{
	char option[16];
	struct ear_match *match = &conditions->match;
	struct ear_address address = {.size = sizeof(address)};

	snprintf(option, sizeof(option), "--%s", given->option);
	if (!symbol_file_find(
		    &conditions->symbols, option, given->text, strlen(given->text), &address))
		return false;
	if (address.kind == EAR_ADDRESS_INLINED && conditions->no_inline) {
		cli_error("%s: all code of '%s' was inlined", option, given->text);
		return false;
	}
	if (strcmp(given->option, "pc") == 0)
		return add_ranges(given, &address, match->pcs, &match->pc_count) &&
		       add_copies(conditions, given, &address);
	return add_ranges(given, &address, match->addresses, &match->address_count);
}

void conditions_prepare(struct conditions *conditions, bool needed)
{
	needed |= conditions->symbols.elf || conditions->names_option;
	for (unsigned i = 0; i < conditions->range_count; i++) {
		const char *text = conditions->ranges[i].text;
		needed |= !ear_address_is_number(text, strlen(text));
	}
	if (needed)
		symbol_file_prepare(&conditions->symbols);
}

bool conditions_resolve(struct conditions *conditions, struct ear_source *source, const char *path)
{
	struct symbol_file *symbols = &conditions->symbols;
	bool good;

	symbol_file_of_source(symbols, source, path);
	good = symbol_file_check(symbols);
	for (unsigned i = 0; i < conditions->range_count && good; i++)
		good = parse_range(conditions, &conditions->ranges[i]);
	if (good && conditions->names_option) {
		conditions->names = symbol_file_names_for(symbols, conditions->names_option);
		return conditions->names;
	}
	return good;
}

/* VALUE or VALUE/MASK. */
static bool parse_masked(const char *text, uint64_t *value, uint64_t *mask)
{
	const char *at = text;

	*mask = UINT64_MAX;
	bool right = cli_take_number(&at, value);
	if (right && *at == '/') {
		at++;
		right = cli_take_number(&at, mask);
	}
	*value &= *mask;
	return right && *at == '\0';
}

bool conditions_take_opcode(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	struct ear_match *match = &conditions->match;

	return parse_masked(text, &match->opcode_value, &match->opcode_mask) ||
	       option_fail(option, text, "an opcode: VALUE or VALUE/MASK");
}

bool conditions_take_data(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	struct ear_match *match = &conditions->match;

	match->has_data = true;
	return parse_masked(text, &match->data, &match->data_mask) ||
	       option_fail(option, text, "a value in memory: VALUE or VALUE/MASK");
}

/* By any name: x15, a5, f2, fs0, v8, mstatus, c768. */
static bool find_register(struct ear_match *match, struct ear_text name)
{
	enum ear_register_class reg_class;

	if (ear_riscv_find_register(name, &reg_class, &match->register_number)) {
		match->register_class = (uint8_t)reg_class;
		return true;
	}
	match->register_class = EAR_REGISTER_CSR;
	return ear_riscv_find_csr(name, &match->register_number);
}

bool conditions_take_register(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	struct ear_match *match = &conditions->match;
	size_t size = strcspn(text, "=");
	const char *at = text + size;

	match->has_register = true;
	if (!find_register(match, (struct ear_text){text, size})) {
		cli_error("--%s: there is no register '%.*s'", option->name, (int)size, text);
		return false;
	}
	if (*at == '\0')
		return true;
	at++;
	match->has_value = true;
	if (match->register_class != EAR_REGISTER_V &&
		cli_take_number(&at, &match->register_value) && *at == '\0')
		return true;
	return option_fail(option, text + size + 1, "the value of a register");
}

/* Modes one after another: u, s, m, vu, vs, d; with or without commas. */
static bool parse_modes(unsigned *modes_set, const struct command_option *option, const char *text)
{
	static const struct {
		const char *name;
		enum ear_privilege privilege;
	} modes[] = {{"vu", EAR_PRIVILEGE_VU}, {"vs", EAR_PRIVILEGE_VS}, {"u", EAR_PRIVILEGE_U},
		{"s", EAR_PRIVILEGE_S}, {"m", EAR_PRIVILEGE_M}, {"d", EAR_PRIVILEGE_DEBUG}};
	const char *at = text;

	while (*at) {
		size_t i = 0;
		while (i < COUNT_OF(modes) &&
			strncasecmp(at, modes[i].name, strlen(modes[i].name)) != 0)
			i++;
		if (i == COUNT_OF(modes))
			break;
		*modes_set |= 1u << modes[i].privilege;
		at += strlen(modes[i].name);
		at += *at == ',';
	}
	if (*at == '\0' && *modes_set)
		return true;
	return option_fail(option, text, "a list of privilege modes (u, s, m, vu, vs, d)");
}

bool conditions_take_privilege(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;

	return parse_modes(&conditions->match.privileges, option, text);
}

bool conditions_take_mode_change(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;

	conditions->mode_change = true;
	return !text || parse_modes(&conditions->changes_to, option, text);
}

/* A cause as a trace shows it may have the interrupt bit of either XLEN: then an interrupt is
 * meant.
 */
static bool take_cause(
	struct ear_match *match, const struct command_option *option, const char *text)
{
	const char *at = text;

	if (!text)
		return true;
	match->has_cause = true;
	if (!cli_take_number(&at, &match->cause) || *at)
		return option_fail(option, text, "the number of a cause");
	if (match->cause >> 63 || match->cause >> 31 == 1) {
		match->interrupt = true;
		match->cause &= INT32_MAX;
	}
	return true;
}

bool conditions_take_trap(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;

	conditions->match.trap = true;
	return take_cause(&conditions->match, option, text);
}

bool conditions_take_interrupt(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;

	conditions->match.interrupt = true;
	return take_cause(&conditions->match, option, text);
}

/* Events are named as the library names them, so as a moment of 'earshot state' does. */
bool conditions_take_event(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	struct ear_match *match = &conditions->match;
	struct ear_query query = EAR_QUERY_ANY;

	match->events = true;
	if (!text)
		return true;
	if (ear_query_event(&query, text))
		return option_fail(option, text, "the name of an event");
	match->has_event_source = query.has_event_source;
	match->event_source = query.event_source;
	match->event_name = query.event_name;
	return true;
}

bool conditions_take_event_value(void *value, const struct command_option *option, const char *text)
{
	struct conditions *conditions = value;
	struct ear_match *match = &conditions->match;
	uint64_t number;
	const char *at = text;

	match->events = match->has_event_value = true;
	if (!cli_take_number(&at, &number) || *at || number > UINT32_MAX)
		return option_fail(option, text, "the value of an event, a number of 32 bits");
	match->event_value = (uint32_t)number;
	return true;
}

/* Is there a condition that only an instruction can meet? */
static bool needs_instruction(const struct conditions *conditions)
{
	const struct ear_match *match = &conditions->match;

	return conditions->range_count || conditions->mode_change || match->opcode_mask ||
	       match->reads || match->writes || match->has_data || match->has_register ||
	       match->privileges || match->trap || match->interrupt;
}

bool conditions_check(struct conditions *conditions)
{
	struct ear_match *match = &conditions->match;

	if (match->gaps && match->events) {
		cli_error("no record is a gap and an event: --gap or --event");
		return false;
	}
	if ((match->gaps || match->events) && needs_instruction(conditions)) {
		cli_error("%s: only --hart can be asked beside it; the other conditions are those "
			  "of instructions",
			match->gaps              ? "--gap"
			: match->has_event_value ? "--event-value"
						 : "--event");
		return false;
	}
	if (conditions->changes_to && match->privileges &&
		!(conditions->changes_to & match->privileges)) {
		cli_error("--mode-change and --privilege have no mode in common");
		return false;
	}
	if (conditions->changes_to)
		match->privileges = match->privileges ? match->privileges & conditions->changes_to
						      : conditions->changes_to;
	return true;
}
