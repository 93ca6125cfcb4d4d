#include "analyses/timeline/timeline_names.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

static uint32_t hash_text(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return ear_numbering_hash(hash, 1);
}

static bool is_name(const struct timeline_name *name, const char *text, uint64_t address)
{
	return name->address == address && (address || strcmp(name->name, text) == 0);
}

static uint32_t *find_name(const struct timeline_names *names, const char *text, uint64_t address)
{
	const struct ear_numbering *numbers = &names->numbers;
	uint32_t at = ear_numbering_first(
		numbers, address ? ear_numbering_hash(address, 0) : hash_text(text));

	while (numbers->places[at] &&
		!is_name(&names->list[numbers->places[at] - 1], text, address))
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

/* address: of a function, whose name text is; 0: text is a text, which is copied. */
static uint32_t take_name(struct timeline_names *names, const char *text, uint64_t address)
{
	bool again;
	struct timeline_name *list = ear_numbering_grow(
		&names->numbers, names->list, sizeof(*list), names->count, &again);

	if (!list) {
		names->failed = EAR_E_NO_MEMORY;
		return 0;
	}
	names->list = list;
	for (uint32_t i = 0; i < names->count && again; i++)
		*find_name(names, list[i].name, list[i].address) = i + 1;
	uint32_t *slot = find_name(names, text, address);
	if (*slot == 0) {
		if (names->count == TIMELINE_NAMES_MAX)
			return TIMELINE_NAMES_MAX - 1;
		char *own = address ? NULL : strdup(text);
		if (!address && !own) {
			names->failed = EAR_E_NO_MEMORY;
			return 0;
		}
		list[names->count] = (struct timeline_name){own ? own : text, own, address};
		*slot = ++names->count;
	}
	return *slot - 1;
}

uint32_t timeline_names_function(struct timeline_names *names, uint64_t address)
{
	struct ear_function function = {.size = sizeof(function)};

	if (names->last != UINT32_MAX && names->last_address == address)
		return names->last;
	names->last_address = address;
	if (names->symbols && ear_names_function_at(names->symbols, address, &function) &&
		function.name[0])
		names->last = take_name(names, function.name, function.entry);
	else
		names->last = take_name(names, "", address ? address : 1);
	return names->last;
}

uint32_t timeline_names_text(struct timeline_names *names, const char *text)
{
	return take_name(names, text, 0);
}

int timeline_names_init(struct timeline_names *names, struct ear_names *symbols)
{
	names->symbols = symbols;
	names->last = UINT32_MAX;
	take_name(names, "?", 0); /* number 0, where memory is short */
	return names->failed;
}

void timeline_names_fini(struct timeline_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->list[i].own);
	free(names->list);
	ear_numbering_fini(&names->numbers);
}
