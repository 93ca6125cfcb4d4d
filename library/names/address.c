/* Addresses as people write them. A text is tried as a whole in the order of the header, then with
 * its size (":64") and its offset ("+4", "-4") taken off from the right: names of C++ may have all
 * of these characters in them, so they are never searched from the left.
 */
#include <earshot/address.h>
#include <earshot/error.h>
#include <earshot/variable.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/versioned.h"

#include "common/printable.h"

#define TEXT_MAX 4096

struct parser {
	struct ear_address *address;
	struct ear_names *names;
	const struct ear_moment_view *moment;
	char *message;
	bool has_message; /* of the attempt that says most */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void say(struct parser *parser, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* The first one counts: it is about the text as a whole. */
static void say(struct parser *parser, const char *form, ...)
{
	char text[EAR_ADDRESS_MESSAGE_MAX * 2];
	va_list arguments;

	if (parser->has_message)
		return;
	parser->has_message = true;
	va_start(arguments, form);
	vsnprintf(text, sizeof(text), form, arguments);
	va_end(arguments);
	ear_printable_string(parser->message, EAR_ADDRESS_MESSAGE_MAX, text, EAR_PRINTABLE_LINE);
}

static bool take_number(const char **at, uint64_t *value)
{
	char *end;

	if (!is_digit(**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	*at = end;
	return errno == 0;
}

static void set(struct parser *parser, enum ear_address_kind kind, uint64_t first, uint64_t last)
{
	*parser->address = (struct ear_address){
		.kind = kind, .has_size = true, .count = 1, .ranges = {{first, last}}};
}

static void set_point(struct parser *parser, enum ear_address_kind kind, uint64_t address)
{
	set(parser, kind, address, address);
	parser->address->is_point = true;
	parser->address->has_size = false;
}

/* ---- Numbers ---- */

static bool bad_range(struct parser *parser, const char *text, const char *why)
{
	say(parser,
		"'%.100s' is not a range (%s): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a "
		"symbol",
		text, why);
	return false;
}

static bool parse_number(struct parser *parser, const char *text)
{
	const char *at = text;
	uint64_t first, number;

	if (!take_number(&at, &first))
		return bad_range(parser, text, "the address is too large");
	char separator = *at;
	if (separator == '\0') {
		set_point(parser, EAR_ADDRESS_NUMBER, first);
		return true;
	}
	if (!strchr("-+:", separator))
		return bad_range(parser, text, "unexpected text after its end");
	at++;
	if (!take_number(&at, &number) || (separator != '-' && number == 0))
		return bad_range(parser, text,
			separator == '-'   ? "no address after '-'"
			: separator == '+' ? "no size after '+'"
					   : "no size after ':'");
	if (*at)
		return bad_range(parser, text, "unexpected text after its end");
	if (separator != '-' && number - 1 > UINT64_MAX - first)
		return bad_range(parser, text, "the range ends before it begins");
	if (separator != '-')
		number = first + number - 1;
	if (number < first)
		return bad_range(parser, text, "the range ends before it begins");
	set(parser, EAR_ADDRESS_NUMBER, first, number);
	return true;
}

/* ---- Names ---- */

static bool list_symbols(struct parser *parser, const char *text, size_t count,
	const struct ear_symbol *const *found, size_t max)
{
	char list[300] = "";
	size_t length = 0;

	for (size_t i = 0; i < count && i < max && length < sizeof(list); i++) {
		char line[160] = "";
		bool overload = strcmp(found[i]->name, text) != 0;
		ear_names_line_text(parser->names, found[i]->address, line, sizeof(line));
		length += (size_t)snprintf(list + length, sizeof(list) - length,
			"%s%s%s0x%" PRIx64 "%s%s%s", i ? ", " : "", overload ? found[i]->name : "",
			overload ? " at " : "", found[i]->address, line[0] ? " (" : "", line,
			line[0] ? ")" : "");
	}
	say(parser,
		"'%.100s' is the name of %zu symbols: %s%s; give one as FILE::NAME, with "
		"its arguments, or as a number",
		text, count, list, count > max ? ", ..." : "");
	return false;
}

/* Do all of them mean the same? Aliases, and what several files have at one place. */
static bool are_one(const struct ear_symbol *const *found, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (found[i]->address != found[0]->address)
			return false;
	return true;
}

static void set_symbol(struct parser *parser, const struct ear_symbol *symbol)
{
	uint64_t last = symbol->address + (symbol->size ? symbol->size - 1 : 0);

	set(parser, EAR_ADDRESS_SYMBOL, symbol->address,
		last < symbol->address ? UINT64_MAX : last);
	parser->address->has_size = symbol->size > 0;
}

/* Returns 1 found, 0 no such symbol, -1 several. Of a global and local ones the global counts. */
static int parse_symbol(struct parser *parser, const char *text)
{
	const struct ear_symbol *found[8];
	size_t count = ear_names_symbols_named(parser->names, text, found, 8);
	size_t seen = count < 8 ? count : 8, globals = 0;

	if (count == 0)
		return 0;
	for (size_t i = 0; i < seen; i++)
		globals += found[i]->is_global;
	if ((globals == 1 && found[0]->is_global) || (count <= 8 && are_one(found, seen))) {
		set_symbol(parser, found[0]);
		return 1;
	}
	list_symbols(parser, text, count, found, seen);
	return -1;
}

/* FILE::NAME: the symbol of that name whose line is in that file. */
static int parse_in_file(struct parser *parser, const char *text)
{
	const char *colons = strstr(text, "::");
	const struct ear_symbol *found[64];

	if (!colons || colons == text)
		return 0;
	size_t size = (size_t)(colons - text);
	size_t count = ear_names_symbols_named(parser->names, colons + 2, found, 64);
	for (size_t i = 0; i < count && i < 64; i++) {
		struct ear_line line = {.size = sizeof(line)};
		size_t length;

		if (!ear_names_line_at(parser->names, found[i]->address, &line))
			continue;
		length = strlen(line.path);
		if (length < size || strncmp(line.path + length - size, text, size) != 0 ||
			(length > size && line.path[length - size - 1] != '/'))
			continue;
		set_symbol(parser, found[i]);
		return 1;
	}
	return 0;
}

static bool parse_section(struct parser *parser, const char *text)
{
	for (size_t i = ear_names_file_count(parser->names); i > 0; i--) {
		const struct ear_names_file *file = ear_names_file(parser->names, i - 1);

		for (size_t j = 0; j < file->section_count; j++) {
			const struct ear_names_section *section = &file->sections[j];
			uint64_t first = section->address + file->offset;

			if (strcmp(section->name, text) != 0 || section->size == 0 ||
				section->size - 1 > UINT64_MAX - first)
				continue;
			set(parser, EAR_ADDRESS_SECTION, first, first + section->size - 1);
			return true;
		}
	}
	return false;
}

static int no_line(
	struct parser *parser, const char *path, uint64_t line, const uint32_t nearest[2])
{
	const char *base = ear_names_base(path);

	if (nearest[0] && nearest[1])
		say(parser,
			"%.200s:%" PRIu64 " has no code; the nearest lines that have some are "
			"%" PRIu32 " and %" PRIu32,
			base, line, nearest[0], nearest[1]);
	else
		say(parser,
			"%.200s:%" PRIu64 " has no code; the nearest line that has some is "
			"%" PRIu32,
			base, line, nearest[0] ? nearest[0] : nearest[1]);
	return -1;
}

/* FILE:LINE. Returns 1 found, 0 no such form or file, -1 no code there. */
static int parse_line(struct parser *parser, const char *text)
{
	const char *colon = strrchr(text, ':'), *at = colon ? colon + 1 : text;
	char path[TEXT_MAX];
	uint64_t line;
	uint32_t nearest[2];
	struct ear_span ranges[EAR_ADDRESS_RANGES_MAX];

	if (!colon || colon == text || !take_number(&at, &line) || *at || line > UINT32_MAX)
		return 0;
	snprintf(path, sizeof(path), "%.*s", (int)(colon - text), text);
	int count = ear_names_line_addresses(
		parser->names, path, (uint32_t)line, ranges, EAR_ADDRESS_RANGES_MAX, nearest);
	if (count < 0) {
		const char *message = ear_names_message(parser->names);
		if (strstr(message, "may be any of")) {
			say(parser, "%s", message);
			return -1;
		}
		return 0;
	}
	if (count == 0)
		return no_line(parser, path, line, nearest);
	if (count > EAR_ADDRESS_RANGES_MAX) {
		say(parser, "%.200s has code in %d ranges, more than %d", text, count,
			EAR_ADDRESS_RANGES_MAX);
		return -1;
	}
	*parser->address = (struct ear_address){
		.kind = EAR_ADDRESS_LINE, .has_size = true, .count = (unsigned)count};
	memcpy(parser->address->ranges, ranges, (size_t)count * sizeof(*ranges));
	return 1;
}

/* A function of which all code was inlined: each copy is a range, or several. Returns as
 * parse_line. */
static int parse_inlined(struct parser *parser, const char *text)
{
	struct ear_span spans[EAR_ADDRESS_RANGES_MAX];
	size_t count = ear_names_inlined_spans(parser->names, text, spans, EAR_ADDRESS_RANGES_MAX);

	if (count > EAR_ADDRESS_RANGES_MAX) {
		say(parser, "%.200s was inlined into %zu ranges of code, more than %d", text, count,
			EAR_ADDRESS_RANGES_MAX);
		return -1;
	}
	if (count == 0)
		return 0;
	*parser->address = (struct ear_address){
		.kind = EAR_ADDRESS_INLINED, .has_size = true, .count = (unsigned)count};
	memcpy(parser->address->ranges, spans, count * sizeof(*spans));
	return 1;
}

/* Is it worth asking the debug information: has any file some? */
static bool has_debug(const struct ear_names *names)
{
	for (size_t i = 0; i < ear_names_file_count(names); i++)
		if (ear_names_file(names, i)->has_debug)
			return true;
	return false;
}

/* Returns 1 found, 0 no such variable, -1 there is, but not its address. */
static int parse_variable(struct parser *parser, const char *text)
{
	struct ear_variable variable = {.size = sizeof(variable)};

	if (!has_debug(parser->names) || strchr(".:+-[", text[0]))
		return 0;
	int result =
		ear_variable_find(&variable, parser->names, text, strlen(text), parser->moment);
	if (result != 0) {
		const char *message = ear_names_message(parser->names);
		/* The second: what follows may be an offset or a size. */
		if (strstr(message, "there is no variable") || strstr(message, "unexpected text"))
			return 0;
		say(parser, "'%.150s': %s", text, message);
		return -1;
	}
	if (variable.place != EAR_PLACE_MEMORY) {
		say(parser, "'%.150s' is not in memory%s%s", text, variable.why ? ": " : "",
			variable.why ? variable.why : "");
		ear_variable_free(&variable);
		return -1;
	}
	uint64_t last = variable.address + (variable.value_size ? variable.value_size - 1 : 0);
	set(parser, EAR_ADDRESS_VARIABLE, variable.address,
		last < variable.address ? UINT64_MAX : last);
	parser->address->has_size = variable.value_size > 0;
	ear_variable_free(&variable);
	return 1;
}

/* Returns 1 found, 0 no such register, or no moment, -1 its value is not known. */
static int parse_register(struct parser *parser, const char *text)
{
	const struct ear_moment_view *moment = parser->moment;
	uint64_t value;

	if (!moment || !moment->read_named)
		return 0;
	int found = moment->read_named(moment->context, text, &value);
	if (found < 0)
		return 0;
	if (found == 0) {
		say(parser, "'%.100s': what this register holds is not known at this moment", text);
		return -1;
	}
	set_point(parser, EAR_ADDRESS_REGISTER, value);
	return 1;
}

static int parse_elf_name(struct parser *parser, const char *text)
{
	if (!parser->names)
		return 0;
	int found = parse_symbol(parser, text);
	if (found == 0)
		found = parse_in_file(parser, text);
	if (found != 0)
		return found;
	if (parse_section(parser, text))
		return 1;
	found = parse_line(parser, text);
	if (found == 0 && has_debug(parser->names))
		found = parse_inlined(parser, text);
	return found ? found : parse_variable(parser, text);
}

/* A name without size and offset: 1, 0 or -1. */
static int parse_name(struct parser *parser, const char *text)
{
	int found = text[0] == '$' ? parse_register(parser, text + 1) : 0;

	if (found == 0)
		found = parse_elf_name(parser, text);
	return found ? found : parse_register(parser, text);
}

/* ---- What follows a name ---- */

/* NAME+4, NAME-4 */
static int parse_offset(struct parser *parser, char *text)
{
	char *sign = strrchr(text, '+'), *minus = strrchr(text, '-');
	uint64_t offset;

	if (!sign || (minus && minus > sign))
		sign = minus;
	const char *at = sign ? sign + 1 : NULL;
	if (!sign || sign == text || !take_number(&at, &offset) || *at)
		return 0;
	char kept = *sign;
	*sign = '\0';
	int found = parse_name(parser, text);
	*sign = kept;
	if (found != 1)
		return found;
	if (parser->address->kind == EAR_ADDRESS_INLINED) {
		say(parser, "'%.100s' was inlined: an offset from its begin is no address", text);
		return -1;
	}
	uint64_t base = parser->address->ranges[0].first;
	bool fits = kept == '+' ? offset <= UINT64_MAX - base : offset <= base;
	if (!fits)
		return 0;
	set_point(parser, parser->address->kind, kept == '+' ? base + offset : base - offset);
	return 1;
}

/* NAME:64, NAME+4:64 */
static int parse_size(struct parser *parser, char *text)
{
	char *colon = strrchr(text, ':');
	const char *at = colon ? colon + 1 : NULL;
	uint64_t size;

	if (!colon || colon == text || !take_number(&at, &size) || *at)
		return 0;
	*colon = '\0';
	int found = parse_name(parser, text);
	if (found == 0)
		found = parse_offset(parser, text);
	*colon = ':';
	if (found != 1)
		return found;
	if (parser->address->kind == EAR_ADDRESS_INLINED) {
		say(parser, "'%.100s' was inlined: it has no one address", text);
		return -1;
	}
	uint64_t first = parser->address->ranges[0].first;
	if (size == 0 || size - 1 > UINT64_MAX - first) {
		say(parser, "'%.150s': %s", text,
			size == 0 ? "the size is 0" : "the range goes over the last address");
		return -1;
	}
	set(parser, parser->address->kind, first, first + size - 1);
	return 1;
}

/* ---- What is wrong ---- */

static size_t name_length(const char *text)
{
	size_t length = strcspn(text, "+-:.[(");

	return length ? length : strlen(text);
}

static void say_unknown(struct parser *parser, const char *text)
{
	const struct ear_names *names = parser->names;
	size_t files = ear_names_file_count(names);
	const char *path = files == 1 ? ear_names_file(names, 0)->path
			   : files    ? "any ELF file given"
				      : "an ELF file: none is given";
	char name[256];
	const char *near[2] = {NULL};

	snprintf(name, sizeof(name), "%.*s", (int)name_length(text), text);
	size_t count = files ? ear_names_suggest(names, name, near, 2) : 0;
	bool itself = count > 0 && strcmp(near[0], name) == 0;
	bool member = itself && strchr(".[-", text[strlen(name)]) && text[strlen(name)];
	if (member && !has_debug(names))
		say(parser,
			"'%.100s': members need debug information, which %.300s has not (compile "
			"with -g)",
			text, path);
	else if (count == 0 || itself)
		say(parser, "'%.100s' is neither a number nor a symbol of %.300s", text, path);
	else
		say(parser,
			"'%.100s' is neither a number nor a symbol of %.300s; did you mean "
			"%.80s%s%.80s?",
			text, path, near[0], count > 1 ? " or " : "", count > 1 ? near[1] : "");
}

bool ear_address_is_number(const char *text, size_t size)
{
	return size > 0 && is_digit(text[0]);
}

int ear_address_parse(struct ear_address *address, const char *text, size_t size,
	struct ear_names *names, const struct ear_moment_view *moment,
	char message[EAR_ADDRESS_MESSAGE_MAX])
{
	struct ear_address found_address;
	struct ear_moment_view view;
	struct parser parser = {.address = &found_address,
		.names = names,
		.moment = moment ? &view : NULL,
		.message = message};
	char copy[TEXT_MAX];
	int found = 0;

	message[0] = '\0';
	if (moment && ear_versioned_read(&view, sizeof(view), moment) != 0) {
		say(&parser, "the moment is of another version of the library");
		return EAR_E_BAD_ARGUMENT;
	}
	if (size == 0 || size >= sizeof(copy) || memchr(text, '\0', size)) {
		say(&parser, "%s", size == 0 ? "an address is missing" : "the address is too long");
		return EAR_E_BAD_ARGUMENT;
	}
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (is_digit(copy[0])) {
		found = parse_number(&parser, copy) ? 1 : -1;
	}
	if (found == 0)
		found = parse_name(&parser, copy);
	if (found == 0)
		found = parse_offset(&parser, copy);
	if (found == 0)
		found = parse_size(&parser, copy);
	if (found == 0 && !names)
		say(&parser, "'%.150s' is neither a number nor a symbol (no ELF given)", copy);
	else if (found == 0)
		say_unknown(&parser, copy);
	if (found != 1)
		return EAR_E_BAD_ARGUMENT;
	if (ear_versioned_write(address, &found_address, sizeof(found_address)) != 0) {
		say(&parser, "the size of the result is missing");
		return EAR_E_BAD_ARGUMENT;
	}
	return 0;
}

struct ear_span *ear_address_entries(
	const struct ear_address *address, struct ear_names *names, const char *text, size_t *count)
{
	const bool is_inlined = address->kind == EAR_ADDRESS_INLINED;
	const size_t own = is_inlined ? 0 : address->count;
	size_t copies = 0;

	if (is_inlined || address->kind == EAR_ADDRESS_SYMBOL)
		copies = ear_names_inlined_entries(names, text, NULL, 0);
	uint64_t *entries = calloc(copies + 1, sizeof(*entries));
	struct ear_span *spans = calloc(own + copies + 1, sizeof(*spans));
	if (!entries || !spans) {
		free(entries);
		free(spans);
		return NULL;
	}
	if (copies > 0)
		copies = ear_names_inlined_entries(names, text, entries, copies);
	for (size_t i = 0; i < own + copies; i++) {
		const uint64_t pc = i < own ? address->ranges[i].first : entries[i - own];
		spans[i] = (struct ear_span){pc, pc};
	}
	free(entries);
	*count = own + copies;
	return spans;
}

bool ear_address_is_code(const struct ear_address *address, const struct ear_names *names)
{
	const uint64_t first = address->ranges[0].first;

	for (size_t f = 0; names && f < ear_names_file_count(names); f++) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->section_count; i++)
			if (first - file->sections[i].address < file->sections[i].size)
				return file->sections[i].flags & EAR_NAMES_EXECUTE;
	}
	return false;
}
