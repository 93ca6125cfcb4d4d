/* Functions of a profile, and which one an address is in. What the names say of an address is kept,
 * by a small cache before them; of what calls and entries of a part need, by a table.
 *
 * With options.inlined a function that was inlined into another one is a function for each chain
 * that it is at the end of: main > work > clamp. A row of the profile is all of one name and source
 * taken together (profile_rows.c).
 */
#include "analyses/profile/profile_functions.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define NONE UINT32_MAX

/* ---- Functions by what they are. ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint32_t hash_function(const struct ear_profile_function *function)
{
	if (function->outer == NONE)
		return ear_numbering_hash(function->entry, function->name[0] != '\0');
	return ear_numbering_hash(
		hash_text(hash_text(0, function->name), function->source), function->outer);
}

static bool is_same(const struct ear_profile_function *x, const struct ear_profile_function *y)
{
	if (x->outer != y->outer)
		return false;
	if (x->outer == NONE)
		return x->entry == y->entry && (x->name[0] != '\0') == (y->name[0] != '\0');
	return strcmp(x->name, y->name) == 0 && strcmp(x->source, y->source) == 0;
}

static uint32_t *find_function(
	const struct ear_profile *profile, const struct ear_profile_function *like)
{
	const struct ear_numbering *numbers = &profile->function_numbers;
	uint32_t at = ear_numbering_first(numbers, hash_function(like));

	while (numbers->places[at] && !is_same(&profile->functions[numbers->places[at] - 1], like))
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

int ear_profile_grow_functions(struct ear_profile *profile)
{
	bool again;
	struct ear_profile_function *functions = ear_numbering_grow(&profile->function_numbers,
		profile->functions, sizeof(*functions), profile->function_count, &again);

	if (!functions)
		return EAR_E_NO_MEMORY;
	profile->functions = functions;
	for (uint32_t i = 0; i < profile->function_count && again; i++)
		*find_function(profile, &functions[i]) = i + 1;
	return 0;
}

static uint32_t take(struct ear_profile *profile, const struct ear_profile_function *like)
{
	if (ear_profile_grow_functions(profile))
		return NONE;
	uint32_t *slot = find_function(profile, like);
	if (*slot == 0) {
		profile->functions[profile->function_count] = *like;
		*slot = ++profile->function_count;
	}
	return *slot - 1;
}

uint32_t ear_profile_take_function(struct ear_profile *profile, const char *name, uint64_t entry)
{
	const struct ear_profile_function like = {.name = name, .entry = entry, .outer = NONE};

	return take(profile, &like);
}

uint32_t ear_profile_take_inlined(
	struct ear_profile *profile, const char *name, const char *source, uint32_t outer)
{
	const struct ear_profile_function like = {.name = name,
		.source = source,
		.entry = profile->functions[outer].entry,
		.outer = outer};

	return take(profile, &like);
}

uint32_t ear_profile_outermost(const struct ear_profile *profile, uint32_t function)
{
	while (function != NONE && profile->functions[function].outer != NONE)
		function = profile->functions[function].outer;
	return function;
}

const char *ear_profile_keep(struct ear_profile *profile, const char *name)
{
	if (name[0] == '\0')
		return "";
	/* A power of two is full. */
	if ((profile->string_count & (profile->string_count - 1)) == 0) {
		size_t capacity = profile->string_count ? 2 * profile->string_count : 1;
		char **strings = realloc(profile->strings, capacity * sizeof(*strings));
		if (!strings)
			return NULL;
		profile->strings = strings;
	}
	char *copy = strdup(name);
	if (copy)
		profile->strings[profile->string_count++] = copy;
	return copy;
}

/* ---- What the names say. ---- */

struct asked {
	struct ear_function function;
	struct ear_inlined chain[EAR_INLINED_MAX]; /* the innermost first */
	size_t count;                              /* of chain; 0: nothing was inlined there */
	const char *source;                        /* of the function; NULL: not known */
};

static void ask_inlined(const struct ear_names *names, uint64_t address, struct asked *asked)
{
	const struct ear_function *function = &asked->function;
	const size_t all = ear_names_inlined_at(
		names, function->entry, asked->chain, sizeof(asked->chain[0]), EAR_INLINED_MAX);

	/* A clone (.constprop, .part) is a function apart: its symbol has another name. */
	if (all > 0 && strcmp(asked->chain[all - 1].function, function->name) == 0)
		asked->source = asked->chain[all - 1].path;
	asked->count = ear_names_inlined_at(
		names, address, asked->chain, sizeof(asked->chain[0]), EAR_INLINED_MAX);
	while (asked->count > 0 && !asked->chain[asked->count - 1].is_inlined)
		asked->count--;
}

static bool ask(struct ear_profile *profile, uint64_t address, struct asked *asked)
{
	bool named;

	if (!profile->options.names)
		return false;
	if (profile->options.lock)
		pthread_mutex_lock(profile->options.lock);
	asked->function = (struct ear_function){.size = sizeof(asked->function)};
	asked->count = 0;
	asked->source = NULL;
	named = ear_names_function_at(profile->options.names, address, &asked->function) &&
		asked->function.name[0];
	if (named && profile->options.inlined)
		ask_inlined(profile->options.names, address, asked);
	if (profile->options.lock)
		pthread_mutex_unlock(profile->options.lock);
	return named;
}

/* The function, or the innermost of those that were inlined there. */
static uint32_t take_asked(struct ear_profile *profile, const struct asked *asked)
{
	uint32_t own =
		ear_profile_take_function(profile, asked->function.name, asked->function.entry);

	if (own != NONE && asked->source)
		profile->functions[own].source = asked->source;
	for (size_t i = asked->count; i > 0 && own != NONE; i--)
		own = ear_profile_take_inlined(
			profile, asked->chain[i - 1].function, asked->chain[i - 1].path, own);
	return own;
}

static uint32_t *find_known(const struct ear_profile *profile, uint64_t address)
{
	const struct ear_numbering *numbers = &profile->known_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(address, 0));

	while (numbers->places[at] && profile->known[numbers->places[at] - 1].address != address)
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

/* NONE: nothing is known of the address. */
static uint32_t known_at(const struct ear_profile *profile, uint64_t address)
{
	const uint32_t *slot = profile->known_count > 0 ? find_known(profile, address) : NULL;

	return slot && *slot ? profile->known[*slot - 1].function : NONE;
}

bool ear_profile_know(struct ear_profile *profile, uint64_t address, uint32_t function)
{
	bool again;
	struct ear_profile_known *known = ear_numbering_grow(&profile->known_numbers,
		profile->known, sizeof(*known), profile->known_count, &again);

	if (!known)
		return false;
	profile->known = known;
	for (uint32_t i = 0; i < profile->known_count && again; i++)
		*find_known(profile, known[i].address) = i + 1;
	uint32_t *slot = find_known(profile, address);
	if (*slot == 0) {
		known[profile->known_count] = (struct ear_profile_known){address, function};
		*slot = ++profile->known_count;
	}
	return true;
}

bool ear_profile_learn(struct ear_profile *profile, uint64_t address)
{
	struct asked asked;

	if (!ask(profile, address, &asked))
		return true;
	uint32_t own = take_asked(profile, &asked);
	return own != NONE && ear_profile_know(profile, address, own);
}

const struct ear_profile_place *ear_profile_look_up(struct ear_profile *profile, uint64_t pc)
{
	struct ear_profile_place *place =
		&profile->places[ear_numbering_hash(pc, 0) & (EAR_PROFILE_PLACES - 1)];
	struct asked asked;

	if (place->known && place->pc == pc)
		return place;
	*place = (struct ear_profile_place){.known = true, .pc = pc, .first = pc, .last = pc};
	if (!ask(profile, pc, &asked))
		return place;
	place->named = true;
	/* Of what was inlined the names say no range. */
	if (!profile->options.inlined) {
		place->first = asked.function.first;
		place->last = asked.function.last;
	}
	place->function = take_asked(profile, &asked);
	place->known = place->function != NONE;
	return place->known ? place : NULL;
}

uint32_t ear_profile_function_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise)
{
	const uint32_t known = known_at(profile, address);

	if (known != NONE)
		return known;
	const struct ear_profile_place *place = ear_profile_look_up(profile, address);
	if (!place)
		return NONE;
	return place->named ? place->function : ear_profile_take_function(profile, "", otherwise);
}
