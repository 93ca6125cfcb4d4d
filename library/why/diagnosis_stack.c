/* A stack overflow: between where the stack began and where a store of a value's chain went, or
 * where sp was in the end, is a variable, or a label where something else than the stack ends. The
 * store may be by sp, by a frame pointer or by any pointer to a local variable: what counts is that
 * sp was below its address.
 */
#include <stdlib.h>
#include <string.h>

#include "library/why/diagnosis.h"

#define STORES_LOOKED 4 /* whose call stack is asked for */

/* Does a label say where something ends, below which is no stack? */
static bool is_limit(const char *name)
{
	static const char *const ends[] = {"bottom", "end", "limit", "low"};

	if (strstr(name, "heap") || strstr(name, "bss"))
		return true;
	for (size_t i = 0; strstr(name, "stack") && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strstr(name, ends[i]))
			return true;
	return false;
}

/* Is the symbol something other than a stack that begins at begin, and covered by it from low on?
 */
static bool is_covered(const struct ear_symbol *symbol, uint64_t low, uint64_t begin)
{
	if (symbol->kind == EAR_NAMES_OBJECT)
		return symbol->size > 0 && symbol->address + symbol->size > low &&
		       symbol->address + symbol->size < begin;
	return symbol->size == 0 && symbol->address > low && symbol->address < begin &&
	       is_limit(symbol->name);
}

/* The highest one: what the stack ran over first. */
static const struct ear_symbol *find_covered(
	const struct ear_names *names, uint64_t low, uint64_t begin)
{
	const struct ear_symbol *list;
	size_t first = 0, end = ear_names_symbols(names, &list);

	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (list[middle].address < begin)
			first = middle + 1;
		else
			end = middle;
	}
	for (size_t i = first; i > 0; i--)
		if (is_covered(&list[i - 1], low, begin))
			return &list[i - 1];
	return NULL;
}

/* Where the stack that is in use at a position began, and how many calls deep it is. Returns 1, 0
 * (not known) or an error. */
static int find_begin(
	struct ear_diagnosis *diagnosis, uint64_t position, uint64_t *begin, size_t *calls)
{
	struct ear_call_frame *frames;
	bool known = false;
	size_t count;

	int result = ear_diagnosis_frames(diagnosis, position, &frames, &count);
	*calls = 0;
	for (size_t i = 0; i < count; i++)
		if (frames[i].stack == frames[0].stack) {
			++*calls;
			if (frames[i].sp_known)
				*begin = frames[i].sp;
			known = known || frames[i].sp_known;
		}
	free(frames);
	return result ? result : known;
}

static int say(struct ear_diagnosis *diagnosis, uint64_t position, uint64_t sp, size_t calls,
	const struct ear_symbol *covered)
{
	char text[EAR_WHY_TEXT_MAX / 2];
	const struct ear_record *record;

	int result = ear_past_at(diagnosis->past, position, &record);
	if (result != 1)
		return result;
	diagnosis->why.overflow = ear_diagnosis_place(diagnosis->past, position);
	memcpy(text, diagnosis->why.text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diagnosis->why.overflow_sp = sp;
	diagnosis->why.overflow_calls = calls;
	ear_diagnosis_say(diagnosis, "stack overflow over %.32s: %s", covered->name, text);
	return 1;
}

/* Had the stack at a position grown over something? *begin: where the stack of the cause began. A
 * store counts if it went to the stack. Returns 1 and says so, 0 or an error. */
static int look_at(struct ear_diagnosis *diagnosis, uint64_t position, const uint64_t *store,
	uint64_t *begin, unsigned *looked)
{
	const struct ear_names *names = diagnosis->options->names;
	const struct ear_value_place place = {
		.kind = EAR_VALUE_REGISTER, .number = 2, .hart = diagnosis->why.hart};
	uint64_t sp;
	size_t calls;

	int result = ear_past_value(diagnosis->past, &place, position, &sp);
	if (result != 1)
		return result;
	const uint64_t low = store ? *store : sp;
	if (low < sp || *looked == STORES_LOOKED || (store && !find_covered(names, low, *begin)))
		return 0;
	++*looked;
	result = find_begin(diagnosis, position, begin, &calls);
	if (result != 1)
		return result;
	const struct ear_symbol *covered = low < *begin ? find_covered(names, low, *begin) : NULL;
	return covered ? say(diagnosis, position, sp, calls, covered) : 0;
}

int ear_diagnose_stack(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	uint64_t begin = 0;
	unsigned looked = 0;

	if (!diagnosis->options->names || !why->place.known ||
		(why->kind != EAR_WHY_TRAP && why->kind != EAR_WHY_EXIT &&
			why->kind != EAR_WHY_HANG))
		return 0;
	int result = look_at(diagnosis, why->place.position, NULL, &begin, &looked);
	for (size_t i = 0; result == 0 && i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		for (size_t k = 0; result == 0 && k < chain->node_count; k++)
			if (chain->nodes[k].place.kind == EAR_VALUE_MEMORY)
				result = look_at(diagnosis, chain->nodes[k].position,
					&chain->nodes[k].place.address, &begin, &looked);
	}
	return result < 0 ? result : 0;
}
