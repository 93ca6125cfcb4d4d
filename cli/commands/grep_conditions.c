/* What 'earshot grep' looks for. Numbers are read at once; ranges, which may be symbols, only when
 * the file is open, because it names the program that the symbols are of.
 */
#include "cli/commands/grep_conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/cli.h"
#include "cli/base/range.h"
#include "formats/text/riscv_name.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

bool conditions_keep_range(
	struct conditions *conditions, const struct command_option *option, const char *text)
{
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

static bool parse_range(struct conditions *conditions, const struct range_text *given)
{
	char option[16];
	struct ear_match *match = &conditions->match;
	struct ear_address address = {.size = sizeof(address)};

	snprintf(option, sizeof(option), "--%s", given->option);
	if (!symbol_file_find(
		    &conditions->symbols, option, given->text, strlen(given->text), &address))
		return false;
	if (strcmp(given->option, "pc") == 0)
		return add_ranges(given, &address, match->pcs, &match->pc_count);
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

bool conditions_resolve(struct conditions *conditions, struct ear_source *source)
{
	struct symbol_file *symbols = &conditions->symbols;
	bool good;

	if (ear_source_fact(source, "program_sha256", symbols->sha256, sizeof(symbols->sha256)) !=
		SYMBOL_FILE_SHA256 - 1)
		symbols->sha256[0] = '\0';
	if (ear_source_fact(source, "program", conditions->program, sizeof(conditions->program)) >
		0)
		symbols->program = conditions->program;
	good = symbol_file_check(symbols);
	for (unsigned i = 0; i < conditions->range_count && good; i++)
		good = parse_range(conditions, &conditions->ranges[i]);
	if (good && conditions->names_option) {
		conditions->names = symbol_file_names_for(symbols, conditions->names_option);
		return conditions->names;
	}
	return good;
}

bool conditions_opcode(
	struct conditions *conditions, const struct command_option *option, const char *text)
{
	struct ear_match *match = &conditions->match;
	const char *at = text;

	match->opcode_mask = UINT64_MAX;
	bool right = cli_take_number(&at, &match->opcode_value);
	if (right && *at == '/') {
		at++;
		right = cli_take_number(&at, &match->opcode_mask);
	}
	match->opcode_value &= match->opcode_mask;
	if (right && *at == '\0')
		return true;
	return option_fail(option, text, "an opcode: VALUE or VALUE/MASK");
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

bool conditions_register(
	struct conditions *conditions, const struct command_option *option, const char *text)
{
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
bool conditions_privilege(
	struct conditions *conditions, const struct command_option *option, const char *text)
{
	struct ear_match *match = &conditions->match;
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
		match->privileges |= 1u << modes[i].privilege;
		at += strlen(modes[i].name);
		at += *at == ',';
	}
	if (*at == '\0' && match->privileges)
		return true;
	return option_fail(option, text, "a list of privilege modes (u, s, m, vu, vs, d)");
}

/* A cause as a trace shows it may have the interrupt bit of either XLEN: then an interrupt is
 * meant.
 */
bool conditions_cause(
	struct conditions *conditions, const struct command_option *option, const char *text)
{
	struct ear_match *match = &conditions->match;
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
