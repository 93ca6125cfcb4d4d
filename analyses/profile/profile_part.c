/* The lines of a profile's part: functions with their sources, names of addresses, paths, cells,
 * instructions, harts and the sum. Numbers of functions and paths count lines, from 0 and from 1.
 * Reading, everything is checked, and counted again where it must fit.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define NONE UINT32_MAX

/* ---- Parts of lines. ---- */

void ear_profile_counts_walk(struct ear_profile_counts *counts, struct ear_part_walk *walk)
{
	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		ear_part_u64(walk, &counts->all[i], UINT64_MAX);
}

static void walk_number(
	const struct ear_profile *profile, struct ear_part_walk *walk, uint32_t *function)
{
	if (ear_part_reads(walk) && profile->function_count == 0)
		ear_part_reject(walk, "there is no function before it");
	ear_part_u32(walk, function, profile->function_count - 1);
}

/* ---- Functions. ---- */

/* Of the function in the next line. */
static void walk_source(struct ear_profile *profile, struct ear_part_walk *walk, const char *source)
{
	if ((!source && !ear_part_reads(walk)) || !ear_part_line(walk, "source"))
		return;
	if (ear_part_reads(walk) && !profile->options.inlined)
		ear_part_reject(walk, "it is counted without --inline");
	source = ear_part_tail(walk, source);
	if (!ear_part_reads(walk) || walk->bad)
		return;
	profile->part_source = ear_profile_keep(profile, source);
	ear_profile_check_added(walk, profile->part_source, true);
}

static void add_function(struct ear_profile *profile, struct ear_part_walk *walk,
	const struct ear_profile_function *function)
{
	const uint32_t count = profile->function_count;
	const char *name = walk->bad ? NULL : ear_profile_keep(profile, function->name);
	const bool made = name && ear_profile_take_function(profile, name, function->entry) != NONE;

	if (profile->function_count > count)
		profile->functions[count].source = profile->part_source;
	profile->part_source = NULL;
	ear_profile_check_added(walk, made, profile->function_count > count);
}

static void add_inlined(struct ear_profile *profile, struct ear_part_walk *walk,
	const struct ear_profile_function *function)
{
	const uint32_t count = profile->function_count;
	unsigned depth = 0;

	for (uint32_t at = function->outer; !walk->bad && at != NONE;
		at = profile->functions[at].outer)
		if (++depth == EAR_INLINED_MAX)
			ear_part_reject(walk, "it is inlined too deep");
	const char *name = walk->bad ? NULL : ear_profile_keep(profile, function->name);
	const bool made = name && ear_profile_take_inlined(profile, name, profile->part_source,
					  function->outer) != NONE;
	profile->part_source = NULL;
	ear_profile_check_added(walk, made, profile->function_count > count);
}

static void walk_functions(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const bool reads = ear_part_reads(walk);

	for (uint32_t i = 0; ear_part_more(walk, i, profile->function_count); i++) {
		struct ear_profile_function function = {.name = "", .outer = NONE};
		if (!reads)
			function = profile->functions[i];
		walk_source(profile, walk, function.source);
		if ((reads || function.outer == NONE) && ear_part_line(walk, "function")) {
			ear_part_hex64(walk, &function.entry, UINT64_MAX);
			function.name = ear_part_tail(walk, function.name);
			if (reads)
				add_function(profile, walk, &function);
		}
		if ((reads || function.outer != NONE) && ear_part_line(walk, "inlined")) {
			if (reads && !profile->part_source)
				ear_part_reject(walk, "there is no source before it");
			walk_number(profile, walk, &function.outer);
			function.name = ear_part_tail(walk, function.name);
			if (reads)
				add_inlined(profile, walk, &function);
		}
	}
}

static void walk_names(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const uint32_t count = profile->known_count;

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "name"); i++) {
		struct ear_profile_known known = {0};
		if (!ear_part_reads(walk))
			known = profile->known[i];
		ear_part_hex64(walk, &known.address, UINT64_MAX);
		walk_number(profile, walk, &known.function);
		if (!ear_part_reads(walk) || walk->bad)
			continue;
		const bool made = ear_profile_know(profile, known.address, known.function);
		ear_profile_check_added(walk, made, profile->known_count > count);
	}
}

/* ---- Counts. ---- */

static void add_path(
	struct ear_profile *profile, struct ear_part_walk *walk, const struct ear_call_path *path)
{
	const uint32_t count = ear_calls_count(profile->calls);
	uint32_t number;

	if (walk->bad)
		return;
	int result = ear_calls_add(profile->calls, path, &number);
	if (result == EAR_E_NO_MEMORY)
		ear_part_reject(walk, "out of memory");
	else if (result || number != count + 1)
		ear_part_reject(walk, "it came before, or does not fit its parent");
}

static void walk_paths(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const uint32_t count = ear_calls_count(profile->calls);

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "path"); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		if (!ear_part_reads(walk))
			(void)ear_calls_path(profile->calls, i + 1, &path);
		ear_part_u32(walk, &path.parent, count);
		ear_part_u8(walk, &path.kind, EAR_FRAME_INTERRUPT);
		ear_part_u16(walk, &path.hart, UINT16_MAX);
		ear_part_hex64(walk, &path.call_pc, UINT64_MAX);
		ear_part_hex64(walk, &path.entry, UINT64_MAX);
		ear_part_u64(walk, &path.entered, UINT64_MAX);
		if (ear_part_reads(walk))
			add_path(profile, walk, &path);
	}
}

static void walk_cells(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const uint32_t count = profile->cell_count;

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "cell"); i++) {
		struct ear_profile_cell cell = {0}, *own;
		if (!ear_part_reads(walk))
			cell = profile->cells[i];
		ear_part_u32(walk, &cell.path, ear_calls_count(profile->calls));
		walk_number(profile, walk, &cell.function);
		ear_profile_counts_walk(&cell.counts, walk);
		if (!ear_part_reads(walk) || walk->bad)
			continue;
		own = ear_profile_take_cell(profile, cell.path, cell.function);
		if (own)
			own->counts = cell.counts;
		ear_profile_check_added(walk, own, profile->cell_count > count);
	}
}

static void add_pc(
	struct ear_profile *profile, struct ear_part_walk *walk, const struct ear_profile_pc *pc)
{
	const uint32_t count = profile->pc_count;
	struct ear_profile_pc *own;
	bool full;

	if (walk->bad)
		return;
	own = ear_profile_take_pc(profile, pc->pc, pc->function, &full);
	if (full)
		ear_part_reject(walk, "there are too many");
	if (own)
		*own = *pc;
	ear_profile_check_added(walk, own, profile->pc_count > count);
}

static void walk_pcs(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const uint32_t count = profile->pc_count;

	for (uint32_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "pc"); i++) {
		struct ear_profile_pc pc = {0};
		if (!ear_part_reads(walk))
			pc = profile->pcs[i];
		ear_part_hex64(walk, &pc.pc, UINT64_MAX);
		walk_number(profile, walk, &pc.function);
		ear_part_hex32(walk, &pc.opcode, UINT32_MAX);
		ear_part_u8(walk, &pc.opcode_size, 4);
		ear_part_u8(walk, &pc.xlen, 64);
		ear_part_bool(walk, &pc.changed);
		ear_part_u64(walk, &pc.records, UINT64_MAX);
		ear_part_u64(walk, &pc.clocks, UINT64_MAX);
		ear_part_u64(walk, &pc.taken, UINT64_MAX);
		ear_part_u64(walk, &pc.not_taken, UINT64_MAX);
		ear_part_u64(walk, &pc.traps, UINT64_MAX);
		ear_part_u64(walk, &pc.interrupts, UINT64_MAX);
		if (ear_part_reads(walk))
			add_pc(profile, walk, &pc);
	}
}

/* ---- Harts, and the sum. ---- */

static void add_hart(struct ear_profile *profile, struct ear_part_walk *walk,
	const struct ear_profile_hart *hart)
{
	const size_t count = profile->hart_count;
	struct ear_profile_hart *own;

	if (hart->first_function != NONE && hart->first_function >= profile->function_count)
		ear_part_reject(walk, "its function is missing");
	own = walk->bad ? NULL : ear_profile_hart_of(profile, hart->hart, true);
	if (own)
		*own = *hart;
	ear_profile_check_added(walk, own, profile->hart_count > count);
}

static void walk_harts(struct ear_profile *profile, struct ear_part_walk *walk)
{
	const size_t count = profile->hart_count;

	for (size_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "hart"); i++) {
		struct ear_profile_hart hart = {0};
		if (!ear_part_reads(walk))
			hart = profile->harts[i];
		ear_part_u16(walk, &hart.hart, UINT16_MAX);
		ear_part_bool(walk, &hart.timed);
		ear_part_u64(walk, &hart.ticks, UINT64_MAX);
		ear_part_bool(walk, &hart.has_first);
		ear_part_u64(walk, &hart.first_ticks, UINT64_MAX);
		ear_part_hex64(walk, &hart.first_pc, UINT64_MAX);
		ear_part_u32(walk, &hart.first_path, ear_calls_count(profile->calls));
		ear_part_u32(walk, &hart.first_function, NONE);
		if (ear_part_reads(walk))
			add_hart(profile, walk, &hart);
	}
}

void ear_profile_walk(void *count, struct ear_part_walk *walk)
{
	struct ear_profile *profile = count;
	bool limited = ear_profile_limited(profile);

	walk_functions(profile, walk);
	walk_names(profile, walk);
	walk_paths(profile, walk);
	walk_cells(profile, walk);
	walk_pcs(profile, walk);
	walk_harts(profile, walk);
	if (ear_part_line(walk, "total"))
		ear_profile_counts_walk(&profile->total, walk);
	if (ear_part_line(walk, "state")) {
		ear_part_u64(walk, &profile->gaps, UINT64_MAX);
		ear_part_u64(walk, &profile->pathless, UINT64_MAX);
		ear_part_bool(walk, &profile->has_time);
		ear_part_bool(walk, &limited);
		ear_part_u8(walk, &profile->seen, EAR_PROFILE_SEEN_MAX);
		profile->limited = limited;
	}
}

/* ---- What a part has of the names. ---- */

int ear_profile_learn_paths(struct ear_profile *profile)
{
	for (uint32_t i = 1; i <= ear_calls_count(profile->calls); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		(void)ear_calls_path(profile->calls, i, &path);
		if ((path.kind != EAR_FRAME_BASE && !ear_profile_learn(profile, path.entry)) ||
			(path.parent && !ear_profile_learn(profile, path.call_pc)))
			return EAR_E_NO_MEMORY;
	}
	return 0;
}
