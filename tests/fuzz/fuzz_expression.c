/* Addresses, moments and conditions as people write them. The first byte says what the others are:
 * a is an address of earshot/address.h, @ a moment of earshot/moment_text.h, any other one a
 * condition of 'earshot grep' for each line, whose first letter chooses the option. An address is
 * read with and without names and a moment. Wrong is: a crash, a read beyond the bytes, an address
 * that changes though it was refused, a message that is not one, ranges out of order, and a number
 * that means something else with names.
 */
#include <earshot/address.h>
#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "cli/commands/grep/grep_conditions.h"
#include "library/api/moment_parse.h"
#include "target.h"

#define LINES_MAX 40u

static void expect(bool right)
{
	if (!right)
		abort();
}

/* ---- What the command line has beside it: nothing here. ---- */

bool option_fail(const struct command_option *option, const char *argument, const char *expected)
{
	(void)option, (void)argument, (void)expected;
	return false;
}

void symbol_file_prepare(struct symbol_file *file)
{
	(void)file;
}

void symbol_file_of_source(struct symbol_file *file, struct ear_source *source, const char *path)
{
	(void)file, (void)source, (void)path;
}

bool symbol_file_check(struct symbol_file *file)
{
	(void)file;
	return true;
}

struct ear_names *symbol_file_names_for(struct symbol_file *file, const char *option)
{
	(void)file, (void)option;
	return NULL;
}

bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	struct ear_address *address)
{
	char message[EAR_ADDRESS_MESSAGE_MAX];

	(void)file, (void)option;
	return ear_address_parse(address, text, size, NULL, NULL, message) == 0;
}

/* ---- Addresses. ---- */

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	*value = 0x80000000 + 0x1000 * number;
	return number % 3 != 0;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	(void)context;
	memset(bytes, (int)(address & 0xff), size);
	memset(known, address % 5 != 0, size);
	return true;
}

static int read_named(void *context, const char *name, uint64_t *value)
{
	(void)context;
	*value = 0x80000100;
	return strcmp(name, "sp") == 0 || strcmp(name, "x2") == 0 ? 1
	       : strcmp(name, "pc") == 0                          ? 0
								  : -1;
}

static struct ear_names *open_names(void)
{
	static struct ear_names *names;

	if (names)
		return names;
	expect(setenv("EARSHOT_NAMES", EAR_FUZZ_NAMES, 1) == 0);
	expect(ear_names_open(&names) == 0);
	expect(ear_names_add(names, EAR_FUZZ_CORPUS "/elf/box.elf", 0) >= 0);
	return names;
}

/* Returns whether it is an address. */
static bool try_address(struct ear_address *address, const char *text, size_t size,
	struct ear_names *names, const struct ear_moment_view *moment)
{
	char message[EAR_ADDRESS_MESSAGE_MAX];
	struct ear_address before;

	memset(message, 'x', sizeof(message));
	memset(address, 0xa5, sizeof(*address));
	address->size = sizeof(*address);
	before = *address;
	int result = ear_address_parse(address, text, size, names, moment, message);
	if (result != 0) {
		expect(result == EAR_E_BAD_ARGUMENT);
		const uint8_t *now = (const uint8_t *)address, *then = (const uint8_t *)&before;
		expect(memcmp(now, then, sizeof(before)) ==
			0); /* padding, too: nothing is written */
		expect(memchr(message, '\0', sizeof(message)) != NULL && message[0] != '\0');
		for (const char *at = message; *at; at++)
			expect((unsigned char)*at >= 0x20 && *at != 0x7f);
		return false;
	}
	expect(address->count >= 1 && address->count <= EAR_ADDRESS_RANGES_MAX);
	expect(!address->is_point || address->ranges[0].first == address->ranges[0].last);
	for (unsigned i = 0; i < address->count; i++) {
		expect(address->ranges[i].first <= address->ranges[i].last);
		expect(i == 0 || address->ranges[i - 1].first <= address->ranges[i].first);
	}
	return true;
}

static void try_addresses(const char *text, size_t size)
{
	const struct ear_moment_view moment = {.size = sizeof(moment),
		.pc = 0x80000040,
		.read_register = read_register,
		.read_memory = read_memory,
		.read_named = read_named,
		.has_cfa = true,
		.cfa = 0x80001000};
	struct ear_address plain, named, there;
	const bool is_plain = try_address(&plain, text, size, NULL, NULL);
	const bool is_named = try_address(&named, text, size, open_names(), NULL);

	try_address(&there, text, size, open_names(), &moment);
	try_address(&there, text, size, NULL, &moment);
	if (!ear_address_is_number(text, size))
		return;
	expect(is_plain == is_named);
	if (is_plain)
		expect(plain.kind == EAR_ADDRESS_NUMBER && named.kind == plain.kind &&
			named.count == 1 && named.ranges[0].first == plain.ranges[0].first &&
			named.ranges[0].last == plain.ranges[0].last);
}

/* ---- Moments. ---- */

/* What is a moment is one, too, with +7 after it, and the same one but for that. */
static void try_moment(const char *text)
{
	static struct ear_moment_text parsed, later;
	char longer[EAR_MOMENT_TEXT_MAX + 8];

	if (!ear_moment_text_parse(&parsed, text, true)) {
		expect(!ear_moment_text_check(text, false));
		return;
	}
	expect(parsed.which > 0);
	expect(parsed.base == EAR_MOMENT_NOW || ear_moment_text_check(text, false));
	if (parsed.sign || strlen(text) + 3 > EAR_MOMENT_TEXT_MAX)
		return;
	snprintf(longer, sizeof(longer), "%s+7", text);
	expect(ear_moment_text_parse(&later, longer, false));
	expect(later.sign == '+' && later.offset == 7 && later.base == parsed.base);
	expect(later.which == parsed.which && later.from_end == parsed.from_end);
	expect(later.number == parsed.number && later.returns == parsed.returns);
	expect(strcmp(later.name, parsed.name) == 0);
}

/* ---- Conditions. ---- */

static void match_some(const struct ear_match *match)
{
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.pc = 0x80000000,
		.opcode = 0x13,
		.opcode_size = 4,
		.privilege = EAR_PRIVILEGE_M};

	ear_match_record(match, &record);
	record.kind = EAR_RECORD_EVENT;
	ear_match_record(match, &record);
	record.kind = EAR_RECORD_GAP;
	ear_match_record(match, &record);
}

static void try_conditions(char *text)
{
	static const struct {
		char letter;
		const char *option;
		command_take *take;
	} options[] = {
		{'p', "pc", conditions_take_range},
		{'a', "addr", conditions_take_range},
		{'o', "opcode", conditions_take_opcode},
		{'r', "reg", conditions_take_register},
		{'d', "data", conditions_take_data},
		{'P', "privilege", conditions_take_privilege},
		{'m', "mode-change", conditions_take_mode_change},
		{'t', "trap", conditions_take_trap},
		{'i', "interrupt", conditions_take_interrupt},
		{'e', "event", conditions_take_event},
		{'v', "event-value", conditions_take_event_value},
	};
	struct conditions conditions = {0};
	bool good = true;
	unsigned count = 0;

	ear_match_init(&conditions.match);
	for (char *line = strtok(text, "\n"); line && count++ < LINES_MAX && good;
		line = strtok(NULL, "\n"))
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
			const struct command_option option = {.name = options[i].option};
			if (line[0] == options[i].letter)
				good = good && options[i].take(&conditions, &option, line + 1);
		}
	conditions_prepare(&conditions, false);
	if (!good || !conditions_resolve(&conditions, NULL, "trace") ||
		!conditions_check(&conditions))
		return;
	for (unsigned i = 0; i < conditions.match.pc_count; i++)
		expect(conditions.match.pcs[i].first <= conditions.match.pcs[i].last);
	expect((conditions.match.opcode_value & ~conditions.match.opcode_mask) == 0);
	match_some(&conditions.match);
}

int fuzz_expression(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	char *text = (char *)exact_copy(bytes + 1, size - 1);
	if (bytes[0] == 'a') {
		try_addresses(text, size - 1);
	} else {
		char *lines = strndup(text, size - 1);
		expect(lines != NULL);
		if (bytes[0] == '@')
			try_moment(lines);
		else
			try_conditions(lines);
		free(lines);
	}
	free(text);
	return 0;
}
