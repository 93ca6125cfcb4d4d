/* Joining: what was counted of a part is added to what was counted of those before it. Paths,
 * functions, cells and instructions of the part are found, or made, by what they are; and the
 * clocks of the first record of each hart are those since the last one before.
 */
#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define NONE UINT32_MAX

/* Of the part, by number: the numbers here. */
struct join {
	struct ear_profile *profile;
	struct ear_profile *next;
	uint32_t *paths, *functions;
};

static int join_paths(struct join *join)
{
	const uint32_t count = ear_calls_count(join->next->calls);
	int result = 0;

	join->paths = calloc((size_t)count + 1, sizeof(*join->paths));
	if (!join->paths)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 1; i <= count && result == 0; i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		(void)ear_calls_path(join->next->calls, i, &path);
		path.parent = join->paths[path.parent];
		result = ear_calls_add(join->profile->calls, &path, &join->paths[i]);
	}
	return result;
}

/* What it is in the names of the part stays only as long as that. */
static int keep_names(struct ear_profile *profile, uint32_t number)
{
	struct ear_profile_function *own = &profile->functions[number];
	const char *name = ear_profile_keep(profile, own->name);
	const char *source = own->source && name ? ear_profile_keep(profile, own->source) : NULL;

	if (!name || (own->source && !source))
		return EAR_E_NO_MEMORY;
	own->name = name;
	own->source = source;
	return 0;
}

static int join_function(struct join *join, uint32_t number)
{
	struct ear_profile *profile = join->profile;
	const struct ear_profile_function *function = &join->next->functions[number];
	const uint32_t count = profile->function_count;
	uint32_t own;

	if (function->outer == NONE)
		own = ear_profile_take_function(profile, function->name, function->entry);
	else
		own = ear_profile_take_inlined(profile, function->name, function->source,
			join->functions[function->outer]);
	if (own == NONE)
		return EAR_E_NO_MEMORY;
	join->functions[number] = own;
	if (own < count)
		return 0;
	profile->functions[own].source = function->source;
	return keep_names(profile, own);
}

static int join_functions(struct join *join)
{
	const struct ear_profile *next = join->next;
	int result = 0;

	join->functions = calloc((size_t)next->function_count + 1, sizeof(*join->functions));
	if (!join->functions)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < next->function_count && result == 0; i++)
		result = join_function(join, i);
	for (uint32_t i = 0; i < next->known_count && result == 0; i++)
		if (!ear_profile_know(join->profile, next->known[i].address,
			    join->functions[next->known[i].function]))
			result = EAR_E_NO_MEMORY;
	return result;
}

static void join_pc(struct ear_profile_pc *own, const struct ear_profile_pc *next)
{
	if (own->opcode_size == 0) {
		own->opcode = next->opcode;
		own->opcode_size = next->opcode_size;
		own->xlen = next->xlen;
	}
	own->changed = own->changed || next->changed ||
		       (next->opcode_size > 0 && next->opcode != own->opcode);
	own->records += next->records;
	own->clocks += next->clocks;
	own->taken += next->taken;
	own->not_taken += next->not_taken;
	own->traps += next->traps;
	own->interrupts += next->interrupts;
}

static int join_counts(struct join *join)
{
	struct ear_profile *profile = join->profile;
	const struct ear_profile *next = join->next;

	for (uint32_t i = 0; i < next->cell_count; i++) {
		const struct ear_profile_cell *cell = &next->cells[i];
		struct ear_profile_cell *own = ear_profile_take_cell(
			profile, join->paths[cell->path], join->functions[cell->function]);
		if (!own)
			return EAR_E_NO_MEMORY;
		ear_profile_add(&own->counts, &cell->counts);
	}
	for (uint32_t i = 0; i < next->pc_count; i++) {
		const struct ear_profile_pc *pc = &next->pcs[i];
		bool full;
		struct ear_profile_pc *own =
			ear_profile_take_pc(profile, pc->pc, join->functions[pc->function], &full);
		if (!own && !full)
			return EAR_E_NO_MEMORY;
		if (own)
			join_pc(own, pc);
	}
	ear_profile_add(&profile->total, &next->total);
	profile->pathless += next->pathless;
	profile->has_time = profile->has_time || next->has_time;
	profile->seen |= next->seen;
	profile->limited = profile->limited || ear_profile_limited(next);
	return 0;
}

/* ---- Time. ---- */

/* The clocks of the first timed record of a hart in the part. */
static int join_first(
	struct join *join, const struct ear_profile_hart *first, const struct ear_profile_hart *own)
{
	struct ear_profile *profile = join->profile;
	bool full;

	if (first->first_ticks < own->ticks)
		return 0;
	profile->has_time = true;
	if (first->first_function == NONE)
		return 0;
	const uint32_t function = join->functions[first->first_function];
	const uint64_t clocks = first->first_ticks - own->ticks;
	struct ear_profile_cell *cell =
		ear_profile_take_cell(profile, join->paths[first->first_path], function);
	if (!cell)
		return EAR_E_NO_MEMORY;
	cell->counts.clocks += clocks;
	profile->total.clocks += clocks;
	if (!profile->options.pcs)
		return 0;
	struct ear_profile_pc *pc = ear_profile_take_pc(profile, first->first_pc, function, &full);
	if (pc)
		pc->clocks += clocks;
	return pc || full ? 0 : EAR_E_NO_MEMORY;
}

static int join_time(struct join *join)
{
	struct ear_profile *profile = join->profile;
	const struct ear_profile *next = join->next;
	int result = 0;

	for (size_t i = 0; i < next->hart_count && result == 0; i++) {
		const struct ear_profile_hart *part = &next->harts[i];
		struct ear_profile_hart *own = ear_profile_hart_of(profile, part->hart, true);
		if (!own)
			return EAR_E_NO_MEMORY;
		if (part->has_first && own->timed) {
			result = join_first(join, part, own);
		} else if (part->has_first && !own->has_first && profile->gaps == 0) {
			own->has_first = true;
			own->first_ticks = part->first_ticks;
			own->first_pc = part->first_pc;
			own->first_path = join->paths[part->first_path];
			own->first_function = part->first_function == NONE
						      ? NONE
						      : join->functions[part->first_function];
		}
	}
	for (size_t i = 0; i < profile->hart_count; i++)
		profile->harts[i].timed = profile->harts[i].timed && next->gaps == 0;
	for (size_t i = 0; i < next->hart_count && result == 0; i++) {
		struct ear_profile_hart *own =
			ear_profile_hart_of(profile, next->harts[i].hart, true);
		if (next->harts[i].timed) {
			own->timed = true;
			own->ticks = next->harts[i].ticks;
		}
	}
	profile->gaps += next->gaps;
	return result;
}

static bool is_untouched(const struct ear_profile *profile)
{
	return ear_calls_count(profile->calls) == 0 && profile->function_count == 0 &&
	       profile->hart_count == 0 && profile->gaps == 0;
}

/* A whole to which nothing was joined before becomes the part, which costs nothing. */
static void take_over(struct ear_profile *profile, struct ear_profile *next)
{
	const struct ear_profile whole = *profile;

	*profile = *next;
	*next = whole;
	profile->seen |= whole.seen;
	profile->is_part = whole.is_part;
	profile->is_written = whole.is_written;
}

int ear_profile_join(void *whole, void *part)
{
	struct ear_profile *profile = whole, *next = part;
	struct join join = {.profile = profile, .next = next};

	if (is_untouched(profile)) {
		take_over(profile, next);
		return 0;
	}
	int result = join_paths(&join);

	if (result == 0)
		result = join_functions(&join);
	if (result == 0)
		result = join_counts(&join);
	if (result == 0)
		result = join_time(&join);
	free(join.paths);
	free(join.functions);
	return result;
}
