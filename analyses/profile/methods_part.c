/* Parts of a profile of methods: joining, and files. What was counted of methods is found again by
 * their addresses, which a part numbers in its own order.
 */
#include "analyses/profile/methods_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

/* ---- Joining. ---- */

struct join {
	struct ear_methods *methods;
	const struct ear_methods *next;
	uint32_t *rows; /* by those of next: those here */
	int result;
};

static int join_rows(struct join *join)
{
	struct ear_methods *methods = join->methods;
	int result = 0;

	for (uint32_t i = 0; i < join->next->count && result == 0; i++) {
		struct ear_method *next = &join->next->rows[i];
		if (next->known)
			result = ear_methods_row(
				methods, next->native, next->address, &join->rows[i]);
		if (result)
			break;
		struct ear_method *own = &methods->rows[join->rows[i]];
		own->calls += next->calls;
		ear_profile_add(&own->self, &next->self);
		ear_profile_add(&own->inclusive, &next->inclusive);
		if (next->name && own->known) {
			free(own->name);
			own->name = next->name;
			next->name = NULL;
		}
	}
	return result;
}

/* The stack of an owner of next, in rows here. */
static void translate(const struct join *join, uint32_t owner, uint32_t *stack, uint32_t *depth)
{
	const struct ear_methods_owner *from = &join->next->owners[owner];

	*depth = from->depth;
	for (uint32_t i = 0; i < from->depth; i++)
		stack[i] = join->rows[from->methods[i]];
}

static uint32_t own_owner(void *context, uint32_t owner)
{
	struct join *join = context;
	uint32_t stack[EAR_METHODS_DEPTH], depth;

	translate(join, owner, stack, &depth);
	if (ear_methods_keep(join->methods, stack, depth))
		join->result = EAR_E_NO_MEMORY;
	return join->methods->owner_count - 1;
}

static void add_clocks(void *context, uint32_t owner, uint64_t clocks)
{
	const struct join *join = context;
	const struct ear_profile_counts counts = {.clocks = clocks};
	uint32_t stack[EAR_METHODS_DEPTH], depth;

	translate(join, owner, stack, &depth);
	ear_methods_add(join->methods, stack, depth, &counts);
}

int ear_methods_join(void *whole, void *part)
{
	struct ear_methods *methods = whole, *next = part;
	struct join join = {methods, next, calloc((size_t)next->count + 1, sizeof(*join.rows)), 0};
	const struct ear_profile_times_joining joining = {own_owner, add_clocks, &join};

	join.result = join.rows ? join_rows(&join) : EAR_E_NO_MEMORY;
	if (join.result == 0) {
		int result = ear_profile_times_join(&methods->times, &next->times, &joining);
		join.result = join.result ? join.result : result;
	}
	methods->unmatched += next->unmatched;
	methods->events = next->events;
	methods->seen |= next->seen;
	free(join.rows);
	return join.result;
}

/* ---- Files. ---- */

static void add_method(struct ear_methods *methods, struct ear_part_walk *walk,
	const struct ear_method *row, const char *name)
{
	const uint32_t count = methods->count;
	const bool named = row->known && name[0];
	uint32_t number = 0;

	if (row->known != methods->part_begun)
		ear_part_reject(walk, "what is outside of methods comes first, and once");
	methods->part_begun = true;
	if (walk->bad)
		return;
	const bool made =
		!row->known || ear_methods_row(methods, row->native, row->address, &number) == 0;
	if (made && row->known && methods->count == count)
		ear_part_reject(walk, "it came before, or there are too many");
	if (!made || walk->bad) {
		ear_profile_check_added(walk, made, true);
		return;
	}
	struct ear_method *own = &methods->rows[number];
	own->name = named ? strdup(name) : NULL;
	own->calls = row->calls;
	own->self = row->self;
	own->inclusive = row->inclusive;
	ear_profile_check_added(walk, own->name || !named, true);
}

static void walk_methods(struct ear_methods *methods, struct ear_part_walk *walk)
{
	const uint32_t count = methods->count;

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "method"); i++) {
		struct ear_method row = {0};
		char name[EAR_METHODS_NAME] = "";
		if (!ear_part_reads(walk)) {
			row = methods->rows[i];
			snprintf(name, sizeof(name), "%s", row.name ? row.name : "");
		}
		ear_part_bool(walk, &row.known);
		ear_part_bool(walk, &row.native);
		ear_part_hex64(walk, &row.address, UINT64_MAX);
		ear_part_quoted(walk, name, sizeof(name));
		ear_part_u64(walk, &row.calls, UINT64_MAX);
		ear_profile_counts_walk(&row.self, walk);
		ear_profile_counts_walk(&row.inclusive, walk);
		if (ear_part_reads(walk) && !walk->bad)
			add_method(methods, walk, &row, name);
	}
}

/* Reading: no line but of a method of the newest owner may come while some are missing. */
static void check_owner(const struct ear_methods *methods, struct ear_part_walk *walk)
{
	if (ear_part_reads(walk) && methods->part_left > 0)
		ear_part_reject(walk, "methods of the owner before are missing");
}

static void add_owner(struct ear_methods *methods, struct ear_part_walk *walk, uint32_t depth)
{
	check_owner(methods, walk);
	if (walk->bad)
		return;
	methods->part_left = depth;
	ear_profile_check_added(walk, ear_methods_keep(methods, NULL, 0) == 0, true);
}

static void add_in(struct ear_methods *methods, struct ear_part_walk *walk, uint32_t number)
{
	if (methods->part_left == 0)
		ear_part_reject(walk, "its owner is missing");
	if (walk->bad)
		return;
	methods->part_left--;
	struct ear_methods_owner *owner = &methods->owners[methods->owner_count - 1];
	uint32_t *more = realloc(owner->methods, (owner->depth + 1) * sizeof(*more));
	ear_profile_check_added(walk, more, true);
	if (!more)
		return;
	owner->methods = more;
	more[owner->depth++] = number;
}

static void walk_owners(struct ear_methods *methods, struct ear_part_walk *walk)
{
	const bool reads = ear_part_reads(walk);
	const uint32_t count = methods->owner_count;

	for (uint32_t i = 0; ear_part_more(walk, i, count); i++) {
		uint32_t depth = reads ? 0 : methods->owners[i].depth;
		if (ear_part_line(walk, "owner")) {
			ear_part_u32(walk, &depth, EAR_METHODS_DEPTH);
			if (reads)
				add_owner(methods, walk, depth);
		}
		for (uint32_t j = 0; ear_part_more(walk, j, depth) && ear_part_line(walk, "in");
			j++) {
			uint32_t number = reads ? 0 : methods->owners[i].methods[j];
			ear_part_u32(walk, &number, methods->count - 1);
			if (reads)
				add_in(methods, walk, number);
		}
	}
}

void ear_methods_walk(void *count, struct ear_part_walk *walk)
{
	struct ear_methods *methods = count;

	walk_methods(methods, walk);
	walk_owners(methods, walk);
	if (ear_part_wants(walk, "hart"))
		check_owner(methods, walk);
	ear_profile_times_walk(&methods->times, walk, methods->owner_count);
	if (ear_part_line(walk, "state")) {
		ear_part_bool(walk, &methods->times.has_time);
		ear_part_bool(walk, &methods->times.stopped);
		ear_part_u8(walk, &methods->seen, EAR_PROFILE_SEEN_MAX);
		ear_part_u64(walk, &methods->unmatched, UINT64_MAX);
		ear_part_u64(walk, &methods->events, UINT64_MAX);
	}
}
