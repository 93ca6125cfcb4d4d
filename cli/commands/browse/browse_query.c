/* Conditions of a search: words of a line, NAME or NAME=VALUE, each of which sets members of a
 * query of the library, which finds the record by the index. */
#include "cli/commands/browse/browse_query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <earshot/instruction.h>
#include <earshot/trace.h>

#include "cli/base/range.h"

struct parsing {
	struct browse_search *search;
	struct ear_names *names;
	const struct ear_moment_view *moment;
	char *wrong;
};

static bool refuse(struct parsing *parsing, const char *value, const char *what)
{
	snprintf(parsing->wrong, EAR_ADDRESS_MESSAGE_MAX, "'%.100s' is not %s", value, what);
	return false;
}

/* NUMBER, or NUMBER/MASK. */
static bool take_masked(const char *text, uint64_t *value, uint64_t *mask)
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

static bool take_address(struct parsing *parsing, const char *value, struct ear_address *address)
{
	*address = (struct ear_address){.size = sizeof(*address)};
	return ear_address_parse(address, value, strlen(value), parsing->names, parsing->moment,
		       parsing->wrong) == 0;
}

static bool take_pc(struct parsing *parsing, const char *value)
{
	struct browse_search *search = parsing->search;

	if (!take_address(parsing, value, &search->pcs))
		return false;
	search->query.pc_count = search->pcs.count;
	return true;
}

static bool take_addr(struct parsing *parsing, const char *value)
{
	struct browse_search *search = parsing->search;

	if (!take_address(parsing, value, &search->addresses))
		return false;
	search->query.address_count = search->addresses.count;
	return true;
}

static bool take_opcode(struct parsing *parsing, const char *value)
{
	struct ear_query *query = &parsing->search->query;

	return take_masked(value, &query->opcode_value, &query->opcode_mask) ||
	       refuse(parsing, value, "an opcode: VALUE or VALUE/MASK");
}

static bool take_data(struct parsing *parsing, const char *value)
{
	struct ear_query *query = &parsing->search->query;

	query->has_data = true;
	return take_masked(value, &query->data, &query->data_mask) ||
	       refuse(parsing, value, "a value in memory: VALUE or VALUE/MASK");
}

static bool take_register(struct parsing *parsing, const char *value)
{
	struct ear_query *query = &parsing->search->query;
	enum ear_register_class reg_class;
	unsigned number;
	char name[32];
	const size_t size = strcspn(value, "=");

	if (size >= sizeof(name))
		return refuse(parsing, value, "a register");
	memcpy(name, value, size);
	name[size] = '\0';
	if (ear_register_find(name, &reg_class, &number))
		return refuse(parsing, name, "a register");
	query->has_register = true;
	query->register_class = (uint8_t)reg_class;
	query->register_number = (uint16_t)number;
	if (value[size] == '\0')
		return true;
	const char *at = value + size + 1;
	query->has_value = true;
	return (cli_take_number(&at, &query->register_value) && *at == '\0') ||
	       refuse(parsing, value + size + 1, "the value of a register");
}

static bool take_read(struct parsing *parsing, const char *value)
{
	(void)value;
	parsing->search->query.accesses |= EAR_QUERY_READ;
	return true;
}

static bool take_write(struct parsing *parsing, const char *value)
{
	(void)value;
	parsing->search->query.accesses |= EAR_QUERY_WRITE;
	return true;
}

static bool take_privilege(struct parsing *parsing, const char *value)
{
	static const struct {
		const char *name;
		unsigned bit;
	} modes[] = {{"vu", EAR_PRIVILEGE_VU}, {"vs", EAR_PRIVILEGE_VS}, {"u", EAR_PRIVILEGE_U},
		{"s", EAR_PRIVILEGE_S}, {"m", EAR_PRIVILEGE_M}, {"d", EAR_PRIVILEGE_DEBUG}};
	const char *at = value;

	while (*at) {
		size_t i = 0;
		while (i < sizeof(modes) / sizeof(modes[0]) &&
			strncasecmp(at, modes[i].name, strlen(modes[i].name)) != 0)
			i++;
		if (i == sizeof(modes) / sizeof(modes[0]))
			return refuse(
				parsing, value, "a list of privilege modes (u, s, m, vu, vs, d)");
		parsing->search->query.privileges |= 1u << modes[i].bit;
		at += strlen(modes[i].name);
		at += *at == ',';
	}
	return *value || refuse(parsing, value, "a list of privilege modes (u, s, m, vu, vs, d)");
}

static bool take_mode_change(struct parsing *parsing, const char *value)
{
	parsing->search->query.privilege_change = true;
	return !*value || take_privilege(parsing, value);
}

static bool take_cause(struct parsing *parsing, const char *value, unsigned kinds)
{
	struct ear_query *query = &parsing->search->query;
	const char *at = value;

	query->traps |= kinds;
	if (!*value)
		return true;
	query->has_cause = true;
	if (!cli_take_number(&at, &query->cause) || *at)
		return refuse(parsing, value, "the number of a cause");
	if (query->cause >> 63 || query->cause >> 31 == 1) {
		query->traps = EAR_QUERY_INTERRUPT;
		query->cause &= INT32_MAX;
	}
	return true;
}

static bool take_trap(struct parsing *parsing, const char *value)
{
	return take_cause(parsing, value, EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT);
}

static bool take_interrupt(struct parsing *parsing, const char *value)
{
	return take_cause(parsing, value, EAR_QUERY_INTERRUPT);
}

static bool take_event(struct parsing *parsing, const char *value)
{
	struct ear_query *query = &parsing->search->query;

	if (!*value) {
		query->kinds |= 1u << EAR_RECORD_EVENT;
		return true;
	}
	return ear_query_event(query, value) == 0 || refuse(parsing, value, "the name of an event");
}

static bool take_event_value(struct parsing *parsing, const char *value)
{
	struct ear_query *query = &parsing->search->query;
	const char *at = value;
	uint64_t number;

	query->kinds |= 1u << EAR_RECORD_EVENT;
	query->has_event_value = true;
	if (!cli_take_number(&at, &number) || *at || number > UINT32_MAX)
		return refuse(parsing, value, "the value of an event, a number of 32 bits");
	query->event_value = (uint32_t)number;
	return true;
}

static bool take_gap(struct parsing *parsing, const char *value)
{
	(void)value;
	parsing->search->query.kinds |= 1u << EAR_RECORD_GAP;
	return true;
}

static bool take_hart(struct parsing *parsing, const char *value)
{
	const char *at = value;
	uint64_t number;

	if (!cli_take_number(&at, &number) || *at || number > UINT16_MAX)
		return refuse(parsing, value, "the number of a hart");
	parsing->search->query.hart = (int)number;
	return true;
}

static const struct {
	const char *name;
	bool needs_value, may_value;
	bool (*take)(struct parsing *parsing, const char *value);
} conditions[] = {{"pc", true, true, take_pc}, {"opcode", true, true, take_opcode},
	{"reg", true, true, take_register}, {"addr", true, true, take_addr},
	{"read", false, false, take_read}, {"write", false, false, take_write},
	{"data", true, true, take_data}, {"privilege", true, true, take_privilege},
	{"mode-change", false, true, take_mode_change}, {"trap", false, true, take_trap},
	{"interrupt", false, true, take_interrupt}, {"event", false, true, take_event},
	{"event-value", true, true, take_event_value}, {"gap", false, false, take_gap},
	{"hart", true, true, take_hart}};

#define CONDITIONS (sizeof(conditions) / sizeof(conditions[0]))

/* A word with dashes, as the command has it, is the same. */
static bool take_word(struct parsing *parsing, char *word, bool alone)
{
	char *name = word + (strncmp(word, "--", 2) == 0 ? 2 : 0);
	const size_t size = strcspn(name, "=");
	size_t i = 0;

	while (i < CONDITIONS && (strlen(conditions[i].name) != size ||
					 strncmp(conditions[i].name, name, size) != 0))
		i++;
	if (i == CONDITIONS) {
		if (alone && name == word && !strchr(word, '='))
			return take_pc(parsing, word);
		return refuse(parsing, word,
			"a condition: pc= addr= read write data= reg= opcode= trap interrupt event "
			"gap privilege= mode-change hart=");
	}
	const bool has_value = name[size] == '=';
	if (conditions[i].needs_value && !has_value) {
		snprintf(parsing->wrong, EAR_ADDRESS_MESSAGE_MAX, "%s needs a value: %s=...",
			conditions[i].name, conditions[i].name);
		return false;
	}
	if (has_value && !conditions[i].may_value) {
		snprintf(parsing->wrong, EAR_ADDRESS_MESSAGE_MAX, "%s takes no value",
			conditions[i].name);
		return false;
	}
	return conditions[i].take(parsing, has_value ? name + size + 1 : "");
}

/* What points into *search. */
static void bind(struct browse_search *search, const struct browse_search *from)
{
	*search = *from;
	search->query.pcs = search->query.pc_count ? search->pcs.ranges : NULL;
	search->query.addresses = search->query.address_count ? search->addresses.ranges : NULL;
	if (from->query.event_name.text)
		search->query.event_name.text =
			search->words + (from->query.event_name.text - from->words);
}

bool browse_search_parse(struct browse_search *search, const char *text, struct ear_names *names,
	const struct ear_moment_view *moment, char *wrong)
{
	struct browse_search made = {.query = EAR_QUERY_ANY};
	struct parsing parsing = {&made, names, moment, wrong};
	unsigned words = 0;

	if (strlen(text) >= sizeof(made.text)) {
		snprintf(wrong, EAR_ADDRESS_MESSAGE_MAX, "that is too long");
		return false;
	}
	strcpy(made.text, text);
	strcpy(made.words, text);
	for (char *at = made.words; *at;) {
		at += strspn(at, " \t");
		const size_t size = strcspn(at, " \t");
		if (size == 0)
			break;
		char *end = at + size;
		const bool last = *end == '\0';
		*end = '\0';
		const bool alone =
			words++ == 0 && (last || end[1 + strspn(end + 1, " \t")] == '\0');
		if (!take_word(&parsing, at, alone))
			return false;
		at = last ? end : end + 1;
	}
	if (words == 0) {
		snprintf(wrong, EAR_ADDRESS_MESSAGE_MAX, "search for what?");
		return false;
	}
	bind(search, &made);
	return true;
}
