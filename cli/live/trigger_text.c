/* Triggers, ranges and events from the command line. Texts are kept until all options are known,
 * because --elf may follow the option that needs its symbols; then one cursor goes through each.
 */
#include "cli/live/trigger_text.h"

#include <earshot/check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "common/protocol/ear_protocol.h"

/* One text on its way. */
struct parser {
	const char *option; /* for messages: "--start" */
	const char *text;   /* the option's argument */
	struct symbol_file *symbols;
};

static bool wrong(const struct parser *parser, const char *why)
{
	cli_error("%s %s: %s", parser->option, parser->text, why);
	return false;
}

/* A number, decimal or 0x, at the beginning of *at. */
static bool take_number(uint64_t *value, const char **at)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	*at = end;
	return errno == 0;
}

/* If the character is there, go past it. */
static bool take(const char **at, char character)
{
	if (**at != character)
		return false;
	(*at)++;
	return true;
}

/* If the text continues with a word, go past it. */
static bool take_word(const char **at, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(*at, word, size) != 0)
		return false;
	*at += size;
	return true;
}

/* The same of a word that ends there, or before a '='. */
static bool take_whole_word(const char **at, const char *word)
{
	const char end = strlen(*at) < strlen(word) ? '\0' : (*at)[strlen(word)];

	return (end == '\0' || end == '=') && take_word(at, word);
}

/* Where the address ends: a name may have any of the characters that may follow it ("ns::box",
 * "src/fw.c:12"), so what follows is looked for at the end. pc= may have a /MASK; addr= a way, DATA
 * and its /MASK.
 */
static size_t address_size(const char *text, bool is_pc)
{
	size_t size = strlen(text);
	const char *at = text + size;

	if (is_pc) {
		const char *mask = strrchr(text, '/'), *digits = mask ? mask + 1 : "";
		bool is_mask = mask &&
			       strspn(digits, "0123456789abcdefABCDEFxX") == strlen(digits) &&
			       (*digits == '\0' || (*digits >= '0' && *digits <= '9'));
		return is_mask ? (size_t)(mask - text) : size;
	}
	const char *data = strrchr(text, '=');
	if (data && data > text && !strchr("=!<>", data[-1]))
		at = data;
	const char *way = at;
	while (way > text && (way[-1] == 'r' || way[-1] == 'w'))
		way--;
	if (way > text && way[-1] == ':' && (way < at || (way - text > 1 && way[-2] != ':')))
		at = way - 1;
	const char *colon = memchr(text, ':', (size_t)(at - text));
	if (*text >= '0' && *text <= '9' && colon && (colon[1] < '0' || colon[1] > '9'))
		at = colon; /* a number has no other ':' */
	return (size_t)(at - text);
}

/* An address in any of its forms (earshot/address.h). */
static bool take_address(
	struct parser *parser, struct ear_address *address, const char **at, bool is_pc)
{
	size_t size = address_size(*at, is_pc);
	char option[160];

	if (size == 0)
		return wrong(parser, "an address or a symbol is missing");
	snprintf(option, sizeof(option), "%s %.100s", parser->option, parser->text);
	bool found = symbol_file_find(parser->symbols, option, *at, size, address);
	*at += size;
	return found;
}

/* If there is a '/', the mask after it; else all bits. */
static bool take_mask(const struct parser *parser, uint64_t *mask, const char **at)
{
	*mask = UINT64_MAX;
	return !take(at, '/') || take_number(mask, at) || wrong(parser, "no mask after '/'");
}

static bool parse_pc(struct parser *parser, struct ear_trigger *trigger, const char **at)
{
	struct ear_address address = {.size = sizeof(address)};

	trigger->kind = EAR_TRIGGER_PC;
	if (!take_address(parser, &address, at, true))
		return false;
	if (address.kind == EAR_ADDRESS_NUMBER && !address.is_point)
		return wrong(parser, "unexpected text after its end");
	if (address.kind == EAR_ADDRESS_INLINED && address.count > 1)
		return wrong(parser,
			"its code was inlined into several places; a trigger has one address");
	trigger->value = address.ranges[0].first;
	return take_mask(parser, &trigger->mask, at);
}

static bool parse_opcode(struct parser *parser, struct ear_trigger *trigger, const char **at)
{
	trigger->kind = EAR_TRIGGER_OPCODE;
	if (!take_number(&trigger->value, at))
		return wrong(parser, "no opcode after '='");
	return take_mask(parser, &trigger->mask, at);
}

static bool parse_address(struct parser *parser, struct ear_trigger *trigger, const char **at)
{
	trigger->kind = EAR_TRIGGER_ADDRESS;
	trigger->on_reads = true;
	trigger->on_writes = true;
	struct ear_address address = {.size = sizeof(address)};
	if (!take_address(parser, &address, at, false))
		return false;
	if (address.count > 1)
		return wrong(parser, "these are several ranges; a trigger has one");
	trigger->value = address.ranges[0].first;
	trigger->mask = address.ranges[0].last;
	if (take(at, ':')) {
		trigger->on_reads = take(at, 'r');
		trigger->on_writes = take(at, 'w');
		if (!trigger->on_reads && !trigger->on_writes)
			return wrong(parser, "expected r, w or rw after ':'");
	}
	if (!take(at, '='))
		return true;
	trigger->kind = EAR_TRIGGER_ADDRESS_DATA;
	if (!take_number(&trigger->data, at))
		return wrong(parser, "no data after '='");
	return take_mask(parser, &trigger->data_mask, at);
}

static bool parse_count(struct parser *parser, struct ear_trigger *trigger, const char **at)
{
	if (!cli_parse_count(&trigger->value, *at) || trigger->value == 0)
		return wrong(parser, "no number above 0 after '='");
	*at += strlen(*at);
	return true;
}

/* A function, a line or =NAME, as in every option that takes a moment: pc= of its first address. */
static bool parse_place(struct parser *parser, struct ear_trigger *trigger, const char **at)
{
	const char *text = *at, *end = text + strlen(text), *digits = end;

	while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if ((digits < end && digits > text && strchr("+-#", digits[-1])) ||
		(end - text > 7 && strcmp(end - 7, ":return") == 0))
		return wrong(parser,
			"#K, +N, -N and :return are for a trace that is there; pc=NAME+N is an address");
	*at += *text == '=';
	return parse_pc(parser, trigger, at);
}

static bool parse_trigger(struct parser *parser, struct ear_trigger *trigger)
{
	const char *at = parser->text;
	bool good;

	*trigger = (struct ear_trigger){0};
	if (take_word(&at, "pc=")) {
		good = parse_pc(parser, trigger, &at);
	} else if (take_word(&at, "opcode=")) {
		good = parse_opcode(parser, trigger, &at);
	} else if (take_word(&at, "addr=")) {
		good = parse_address(parser, trigger, &at);
	} else if (take_word(&at, "cycles=")) {
		trigger->kind = EAR_TRIGGER_CYCLES;
		good = parse_count(parser, trigger, &at);
	} else if (take_word(&at, "records=")) {
		trigger->kind = EAR_TRIGGER_RECORDS;
		good = parse_count(parser, trigger, &at);
	} else if (strcmp(at, "pin") == 0) {
		at += strlen(at);
		trigger->kind = EAR_TRIGGER_PIN;
		good = true;
	} else if (strcmp(at, "mismatch") == 0) {
		at += strlen(at);
		trigger->kind = EAR_TRIGGER_MISMATCH;
		good = strcmp(parser->option, "--start") != 0 ||
		       wrong(parser,
			       "a mismatch is seen in what is captured, so no capture begins with it");
	} else if (*at == '=' || (*at > '9' && !strchr(at, '='))) {
		good = parse_place(parser, trigger, &at);
	} else {
		return wrong(parser,
			"a trigger is pc=, opcode=, addr=, cycles=, records= with a value, pin, mismatch, "
			"a function or a line");
	}
	return good && (*at == '\0' || wrong(parser, "unexpected text after its end"));
}

/* After "trap", "exception" or "interrupt". */
static bool parse_cause(struct parser *parser, struct until *until, const char **at)
{
	until->has_cause = take(at, '=');
	if (until->has_cause && !take_number(&until->cause, at))
		return wrong(parser, "no cause after '='");
	return **at == '\0' || wrong(parser, "unexpected text after its end");
}

/* After "violation": nothing, or =RULES. */
static bool parse_rules(struct parser *parser, struct until *until, const char *at)
{
	char name[32];

	if (*at == '\0') {
		until->rules = UINT32_MAX;
		return true;
	}
	if (*at != '=')
		return wrong(parser, "unexpected text after \"violation\"");
	do {
		size_t size = strcspn(++at, ",");
		snprintf(name, sizeof(name), "%.*s", (int)(size < 31 ? size : 31), at);
		int rule = ear_check_rule_find(name);
		if (rule < 0)
			return wrong(parser,
				"no such rule; 'earshot check --help' and the man page list them");
		until->rules |= 1u << rule;
		at += size;
	} while (*at != '\0');
	return true;
}

/* After "reboots". */
static bool parse_reboots(struct parser *parser, struct until *until, const char *at)
{
	if (!take(&at, '=') || !take_number(&until->reboots, &at) || until->reboots == 0)
		return wrong(parser, "how many? As reboots=3");
	return *at == '\0' || wrong(parser, "unexpected text after its end");
}

static bool parse_until(struct parser *parser, struct until *until)
{
	const char *at = parser->text;

	bool trap = take_whole_word(&at, "trap"); /* either, as in 'earshot grep' */
	*until = (struct until){
		.exception = trap || take_whole_word(&at, "exception"),
		.interrupt = trap || take_whole_word(&at, "interrupt"),
	};
	if (!trap && !until->exception && !until->interrupt) {
		until->violation = take_whole_word(&at, "violation");
		if (until->violation)
			return parse_rules(parser, until, at);
		if (take_whole_word(&at, "reboots"))
			return parse_reboots(parser, until, at);
	}
	return until->exception || until->interrupt ? parse_cause(parser, until, &at)
						    : parse_trigger(parser, &until->trigger);
}

/* The ranges of a filter are added to *count: a line may have several. */
static bool parse_range(
	struct parser *parser, struct ear_capture_config *config, uint8_t mode, unsigned *count)
{
	const char *at = parser->text;
	struct ear_address address = {.size = sizeof(address)};

	if (!take_word(&at, "pc="))
		return wrong(parser, "a range is pc=LOW-HIGH, pc=LOW+SIZE or pc=FUNCTION");
	if (!take_address(parser, &address, &at, true))
		return false;
	if (*at != '\0')
		return wrong(parser, "unexpected text after its end");
	if (!address.has_size && !address.is_point)
		return wrong(parser, "the size of this symbol is not known; give pc=LOW-HIGH");
	if (address.count > EAR_FILTER_RANGE_COUNT - *count)
		return wrong(parser, "more ranges than the unit has");
	for (unsigned i = 0; i < address.count; i++)
		config->ranges[(*count)++] = (struct ear_filter_range){.mode = mode,
			.first = address.ranges[i].first,
			.last = address.ranges[i].last};
	return true;
}

static bool parse_modes(const struct parser *parser, uint8_t *modes)
{
	*modes = 0;
	for (const char *at = parser->text; *at; at++) {
		switch (*at) {
		case 'u': *modes |= 1 << 0; break;
		case 's': *modes |= 1 << 1; break;
		case 'm': *modes |= 1 << 3; break;
		default: return wrong(parser, "the modes are letters of u, s, m");
		}
	}
	return *modes || wrong(parser, "the modes are letters of u, s, m");
}

bool trigger_text_add_range(struct trigger_text *text, uint8_t mode, const char *range)
{
	if (text->range_count == EAR_FILTER_RANGE_COUNT)
		return false;
	text->ranges[text->range_count] = range;
	text->range_modes[text->range_count++] = mode;
	return true;
}

bool trigger_text_wanted(const struct trigger_text *text)
{
	return text->start || text->stop || text->modes || text->range_count;
}

static bool parse_all(
	struct parser *parser, const struct trigger_text *text, struct ear_capture_config *config)
{
	unsigned count = 0;
	bool good = true;

	for (unsigned i = 0; i < text->range_count; i++) {
		uint8_t mode = text->range_modes[i];

		parser->option = mode == EAR_FILTER_RANGE_INCLUDE ? "--filter" : "--exclude";
		parser->text = text->ranges[i];
		good = good && parse_range(parser, config, mode, &count);
	}
	if (text->modes) {
		parser->option = "--modes";
		parser->text = text->modes;
		good = good && parse_modes(parser, &config->modes);
	}
	if (text->start) {
		parser->option = "--start";
		parser->text = text->start;
		good = good && parse_trigger(parser, &config->start);
	}
	if (text->stop) {
		parser->option = "--stop";
		parser->text = text->stop;
		good = good && parse_trigger(parser, &config->stop);
	}
	return good;
}

bool trigger_text_parse(struct trigger_text *text, struct ear_capture_config *config)
{
	struct parser parser = {.symbols = &text->symbols};

	return symbol_file_check(&text->symbols) && parse_all(&parser, text, config);
}

bool trigger_text_parse_until(struct trigger_text *text, struct until *until)
{
	struct parser parser = {
		.option = "--until", .text = text->until, .symbols = &text->symbols};

	return parse_until(&parser, until);
}
