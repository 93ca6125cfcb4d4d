/* Counting, by path and function. Records come in stretches of one path (earshot/calls.h); within
 * one, the function is that which the symbols say of the pc, since a tail call changes it. */
#include "analyses/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

#define NONE UINT32_MAX

void ear_profile_add(struct ear_profile_counts *sum, const struct ear_profile_counts *counts)
{
	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		sum->all[i] += counts->all[i];
}

/* ---- Cells. ---- */

static uint32_t *find_cell(const struct ear_profile *profile, uint32_t path, uint32_t function)
{
	const struct ear_numbering *numbers = &profile->cell_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(path, function));

	while (numbers->places[at]) {
		const struct ear_profile_cell *cell = &profile->cells[numbers->places[at] - 1];
		if (cell->path == path && cell->function == function)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static int grow_cells(struct ear_profile *profile)
{
	bool again;
	struct ear_profile_cell *cells = ear_numbering_grow(&profile->cell_numbers, profile->cells,
		sizeof(*cells), profile->cell_count, &again);

	if (!cells)
		return EAR_E_NO_MEMORY;
	profile->cells = cells;
	for (uint32_t i = 0; i < profile->cell_count && again; i++)
		*find_cell(profile, cells[i].path, cells[i].function) = i + 1;
	return 0;
}

/* Room for the cell of a path in path_cells. */
static int grow_path_cells(struct ear_profile *profile, uint32_t path)
{
	if (path < profile->path_cell_count)
		return 0;
	const size_t count = 2 * (size_t)path + 256;
	uint32_t *cells = realloc(profile->path_cells, count * sizeof(*cells));
	if (!cells)
		return EAR_E_NO_MEMORY;
	memset(cells + profile->path_cell_count, 0,
		(count - profile->path_cell_count) * sizeof(*cells));
	profile->path_cells = cells;
	profile->path_cell_count = (uint32_t)count;
	return 0;
}

/* Nearly always the function that ran last in a path runs there now. So its cell is looked for
 * first, which is near that of the path above in memory; the table is not. */
struct ear_profile_cell *ear_profile_take_cell(
	struct ear_profile *profile, uint32_t path, uint32_t function)
{
	const uint32_t last = path < profile->path_cell_count ? profile->path_cells[path] : 0;

	if (last && profile->cells[last - 1].function == function)
		return &profile->cells[last - 1];
	if (function == NONE || grow_path_cells(profile, path) || grow_cells(profile))
		return NULL;
	uint32_t *slot = find_cell(profile, path, function);
	if (*slot == 0) {
		profile->cells[profile->cell_count] =
			(struct ear_profile_cell){.path = path, .function = function};
		*slot = ++profile->cell_count;
	}
	profile->path_cells[path] = *slot;
	return &profile->cells[*slot - 1];
}

static int add_to_cell(struct ear_profile *profile, uint32_t path, uint32_t function,
	const struct ear_profile_counts *counts)
{
	struct ear_profile_cell *cell = ear_profile_take_cell(profile, path, function);

	if (!cell)
		return EAR_E_NO_MEMORY;
	ear_profile_add(&cell->counts, counts);
	ear_profile_add(&profile->total, counts);
	if (path == 0)
		profile->pathless += counts->records;
	return 0;
}

void ear_profile_renumber(struct ear_profile *profile, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < profile->cell_count; i++)
		profile->cells[i].function = numbers[profile->cells[i].function];
	for (uint32_t i = 0; i < profile->pc_count; i++)
		profile->pcs[i].function = numbers[profile->pcs[i].function];
	for (uint32_t i = 0; i < profile->known_count; i++)
		profile->known[i].function = numbers[profile->known[i].function];
	for (uint32_t i = 0; i < EAR_PROFILE_PLACES; i++)
		profile->places[i].known = false;
}

/* ---- Instructions. ---- */

static uint32_t *find_pc(const struct ear_profile *profile, uint64_t pc, uint32_t function)
{
	const struct ear_numbering *numbers = &profile->pc_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(pc, function));

	while (numbers->places[at]) {
		const struct ear_profile_pc *entry = &profile->pcs[numbers->places[at] - 1];
		if (entry->pc == pc && entry->function == function)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static int grow_pcs(struct ear_profile *profile)
{
	bool again;
	struct ear_profile_pc *pcs = ear_numbering_grow(
		&profile->pc_numbers, profile->pcs, sizeof(*pcs), profile->pc_count, &again);

	if (!pcs)
		return EAR_E_NO_MEMORY;
	profile->pcs = pcs;
	for (uint32_t i = 0; i < profile->pc_count && again; i++)
		*find_pc(profile, pcs[i].pc, pcs[i].function) = i + 1;
	return 0;
}

struct ear_profile_pc *ear_profile_take_pc(
	struct ear_profile *profile, uint64_t pc, uint32_t function, bool *full)
{
	*full = false;
	if (grow_pcs(profile))
		return NULL;
	uint32_t *slot = find_pc(profile, pc, function);
	if (*slot == 0) {
		*full = profile->pc_count == EAR_PROFILE_PCS_MAX;
		if (*full)
			return NULL;
		profile->pcs[profile->pc_count] =
			(struct ear_profile_pc){.pc = pc, .function = function};
		*slot = ++profile->pc_count;
	}
	return &profile->pcs[*slot - 1];
}

/* Of an instruction of RISC-V that may have been executed. */
static bool has_opcode(const struct ear_record *record)
{
	return record->isa == EAR_ISA_RISCV &&
	       !(record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_INTERRUPT));
}

/* A conditional branch: BRANCH, c.beqz and c.bnez (The RISC-V Instruction Set Manual, volume I,
 * chapters 2.5.2 and 28.4). */
static bool is_branch(uint64_t opcode)
{
	return (opcode & 0x7f) == 0x63 || (opcode & 0xc003) == 0xc001;
}

/* What a record added to counts, to its instruction. */
static int count_pc(struct ear_profile *profile, const struct ear_record *record, uint32_t function,
	const struct ear_profile_counts *before, const struct ear_profile_counts *counts)
{
	bool full;
	struct ear_profile_pc *own = ear_profile_take_pc(profile, record->pc, function, &full);

	if (!own)
		return full ? 0 : EAR_E_NO_MEMORY;
	own->records++;
	own->clocks += counts->clocks - before->clocks;
	own->taken += counts->taken - before->taken;
	own->not_taken += counts->not_taken - before->not_taken;
	own->traps += counts->traps - before->traps;
	own->interrupts += counts->interrupts - before->interrupts;
	if (!has_opcode(record))
		return 0;
	if (own->opcode_size == 0) {
		own->opcode = (uint32_t)record->opcode;
		own->opcode_size = record->opcode_size;
		own->xlen = record->xlen;
	}
	own->changed = own->changed || own->opcode != (uint32_t)record->opcode;
	return 0;
}

/* ---- Records. ---- */

struct ear_profile_hart *ear_profile_hart_of(
	struct ear_profile *profile, uint16_t number, bool make)
{
	for (size_t i = 0; i < profile->hart_count; i++)
		if (profile->harts[i].hart == number)
			return &profile->harts[i];
	if (!make)
		return NULL;
	struct ear_profile_hart *harts =
		realloc(profile->harts, (profile->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	profile->harts = harts;
	harts[profile->hart_count] = (struct ear_profile_hart){.hart = number};
	return &harts[profile->hart_count++];
}

/* Of a record in a path and function. */
static int count_time(struct ear_profile *profile, const struct ear_record *record, uint32_t path,
	uint32_t function, struct ear_profile_counts *counts)
{
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return 0;
	struct ear_profile_hart *hart = ear_profile_hart_of(profile, record->hart, true);
	if (!hart)
		return EAR_E_NO_MEMORY;
	if (hart->timed && record->ticks >= hart->ticks) {
		counts->clocks += record->ticks - hart->ticks;
		profile->has_time = true;
	} else if (!hart->timed && !hart->has_first && profile->gaps == 0) {
		hart->has_first = true;
		hart->first_ticks = record->ticks;
		hart->first_pc = record->pc;
		hart->first_path = path;
		hart->first_function = function;
	}
	hart->timed = true;
	hart->ticks = record->ticks;
	return 0;
}

static void count_accesses(const struct ear_record *record, struct ear_profile_counts *counts)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->masked)
			continue;
		uint64_t *accesses = access->write ? &counts->writes : &counts->reads;
		uint64_t *bytes = access->write ? &counts->written_bytes : &counts->read_bytes;
		++*accesses;
		*bytes += access->size;
		if (access->size > 0)
			counts->lines += (access->address % 64 + access->size - 1) / 64 + 1;
	}
}

/* Loads and stores of the base ISA and its compressed forms: LOAD, LOAD-FP, STORE, STORE-FP; c.lw,
 * c.lwsp and their likes. */
static bool is_load_or_store(uint64_t opcode)
{
	if ((opcode & 3) == 3)
		return (opcode & 0x5f) == 0x03 || (opcode & 0x5f) == 0x07 ||
		       (opcode & 0x7f) == 0x23 || (opcode & 0x7f) == 0x27;
	return (opcode & 1) == 0 && (opcode & 0xe000) != 0 && (opcode & 0xe003) != 0x8002 &&
	       (opcode & 0xe003) != 0x8000;
}

static void count_outcome(
	const struct ear_record *record, struct ear_profile_counts *counts, uint8_t *seen)
{
	if (record->flags & EAR_RECORD_NO_NEXT_PC) {
		*seen |= EAR_PROFILE_NO_OUTCOME;
		return;
	}
	const bool taken = record->flags & EAR_RECORD_TAKEN;
	*seen |= EAR_PROFILE_OUTCOME;
	counts->taken += taken;
	counts->not_taken += !taken;
}

void ear_profile_count(
	const struct ear_record *record, struct ear_profile_counts *counts, uint8_t *seen)
{
	counts->records++;
	if (record->flags & EAR_RECORD_INTERRUPT) {
		counts->interrupts++;
	} else if (record->flags & EAR_RECORD_TRAP) {
		counts->traps++;
	} else {
		const bool known = has_opcode(record);
		if (record->memory_count > 0) {
			*seen |= EAR_PROFILE_ACCESS;
			count_accesses(record, counts);
		} else if (known && is_load_or_store(record->opcode)) {
			*seen |= EAR_PROFILE_NO_ACCESS;
		}
		if (known)
			*seen |= EAR_PROFILE_OPCODE;
		if (known && is_branch(record->opcode))
			count_outcome(record, counts, seen);
	}
}

static int count_record(struct ear_profile *profile, const struct ear_record *record, uint32_t path,
	uint32_t function, struct ear_profile_counts *counts)
{
	ear_profile_count(record, counts, &profile->seen);
	return count_time(profile, record, path, function, counts);
}

/* The function that a pc of a path is in: addresses *first .. *last are of it. Where nothing has a
 * name, what was entered is the function. */
static uint32_t function_of(
	struct ear_profile *profile, uint64_t pc, uint32_t number, uint64_t *first, uint64_t *last)
{
	const struct ear_profile_place *place = ear_profile_look_up(profile, pc);
	struct ear_call_path path = {.size = sizeof(path)};

	if (!place)
		return NONE;
	*first = place->first;
	*last = place->last;
	if (place->named)
		return place->function;
	if (ear_calls_path(profile->calls, number, &path) && path.kind == EAR_FRAME_BASE)
		path.entry = 0;
	return ear_profile_take_function(profile, "", path.entry);
}

/* ---- Filters. ---- */

static bool is_among(uint64_t entry, const uint64_t *entries, size_t count)
{
	while (count > 0 && entries[count - 1] != entry)
		count--;
	return count > 0;
}

uint8_t ear_profile_filter(const struct ear_profile_options *options, uint64_t entry)
{
	uint8_t filters = 0;

	if (is_among(entry, options->within, options->within_count))
		filters |= EAR_PROFILE_WITHIN;
	if (is_among(entry, options->without, options->without_count))
		filters |= EAR_PROFILE_WITHOUT;
	return filters;
}

bool ear_profile_keeps(const struct ear_profile_options *options, uint8_t filters)
{
	return (options->within_count == 0 || filters & EAR_PROFILE_WITHIN) &&
	       !(filters & EAR_PROFILE_WITHOUT);
}

/* Of the function at an address. */
static uint8_t filter_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise)
{
	uint32_t function = ear_profile_function_at(profile, address, otherwise);

	return function == NONE
		       ? 0
		       : ear_profile_filter(&profile->options, profile->functions[function].entry);
}

/* All paths that there are get theirs. A parent has a lower number. */
static int filter_paths(struct ear_profile *profile)
{
	const uint32_t count = ear_calls_count(profile->calls) + 1;

	if (count > profile->path_filter_capacity) {
		uint8_t *filters = realloc(profile->path_filters, 2 * (size_t)count);
		if (!filters)
			return EAR_E_NO_MEMORY;
		profile->path_filters = filters;
		profile->path_filter_capacity = 2 * count;
	}
	if (profile->path_filter_count == 0)
		profile->path_filters[profile->path_filter_count++] = 0;
	for (uint32_t i = profile->path_filter_count; i < count; i++) {
		struct ear_call_path path = {.size = sizeof(path)}, parent = path;
		(void)ear_calls_path(profile->calls, i, &path);
		uint8_t filters = profile->path_filters[path.parent];
		if (path.kind != EAR_FRAME_BASE)
			filters |= filter_at(profile, path.entry, path.entry);
		if (path.parent) {
			(void)ear_calls_path(profile->calls, path.parent, &parent);
			filters |= filter_at(profile, path.call_pc,
				parent.kind == EAR_FRAME_BASE ? 0 : parent.entry);
		}
		profile->path_filters[i] = filters;
	}
	profile->path_filter_count = count;
	return 0;
}

/* ear_calls_take: records of one path, of any functions. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t number)
{
	struct ear_profile *profile = context;
	const struct ear_profile_options *options = &profile->options;
	const bool filters = options->within_count > 0 || options->without_count > 0;
	struct ear_profile_counts counts = {.records = 0};
	uint64_t lowest = 0, highest = 0;
	uint32_t function = NONE;
	bool keeps = true;
	int result = filters && number >= profile->path_filter_count ? filter_paths(profile) : 0;

	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		if (function == NONE || record->pc - lowest > highest - lowest) {
			uint32_t next = function_of(profile, record->pc, number, &lowest, &highest);
			if (next == NONE)
				return EAR_E_NO_MEMORY;
			if (next != function && counts.records > 0) {
				result = add_to_cell(profile, number, function, &counts);
				counts = (struct ear_profile_counts){.records = 0};
			}
			function = next;
			keeps = !filters ||
				ear_profile_keeps(options,
					profile->path_filters[number] |
						ear_profile_filter(options,
							profile->functions[function].entry));
		}
		const struct ear_profile_counts before = counts;
		if (result == 0)
			result = count_record(profile, record, number,
				keeps && !profile->muted ? function : NONE, &counts);
		if (!keeps || profile->muted)
			counts = before;
		else if (result == 0 && options->pcs)
			result = count_pc(profile, record, function, &before, &counts);
	}
	return result == 0 && counts.records > 0 ? add_to_cell(profile, number, function, &counts)
						 : result;
}

void ear_profile_pause(struct ear_profile *profile)
{
	for (size_t i = 0; i < profile->hart_count; i++)
		profile->harts[i].timed = false;
}

void ear_profile_free_calls(struct ear_profile *profile)
{
	profile->limited = ear_profile_limited(profile);
	ear_calls_free(profile->calls);
	profile->calls = NULL;
}

void ear_profile_free_counting(struct ear_profile *profile)
{
	free(profile->cells);
	free(profile->path_cells);
	free(profile->path_filters);
	ear_numbering_fini(&profile->cell_numbers);
	profile->cells = NULL;
	profile->path_cells = NULL;
	profile->path_filters = NULL;
	profile->cell_count = profile->path_cell_count = 0;
}

/* ---- Begin and end. ---- */

void ear_profile_describe(const struct ear_profile_options *options, char text[EAR_PART_WORD_MAX])
{
	snprintf(text, EAR_PART_WORD_MAX, "%s%s%s", options->pcs ? "pcs" : "-",
		options->interrupts_inside ? " inside" : "", options->inlined ? " inline" : "");
}

void ear_profile_free(void *count)
{
	struct ear_profile *profile = count;

	if (!profile)
		return;
	ear_profile_free_calls(profile);
	ear_profile_free_counting(profile);
	free(profile->places);
	free(profile->known);
	ear_numbering_fini(&profile->known_numbers);
	free(profile->functions);
	free(profile->parts);
	free(profile->rows);
	ear_numbering_fini(&profile->function_numbers);
	free(profile->harts);
	for (size_t i = 0; i < profile->string_count; i++)
		free(profile->strings[i]);
	free(profile->strings);
	free(profile->nodes);
	free(profile->edges);
	free(profile->pcs);
	ear_numbering_fini(&profile->pc_numbers);
	free(profile);
}

int ear_profile_create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_profile_options *options = setup->options;
	struct ear_calls_options calls = EAR_CALLS_DEFAULTS;
	struct ear_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return EAR_E_NO_MEMORY;
	if (options)
		profile->options = *options;
	profile->is_part = setup->part;
	profile->is_written = setup->part && !setup->whole;
	calls.interrupts_inside = profile->options.interrupts_inside;
	profile->seen =
		ear_profile_lacks(profile->options.no_traps, profile->options.no_interrupts);
	profile->places = calloc(EAR_PROFILE_PLACES, sizeof(*profile->places));
	int result = profile->places ? ear_calls_new(&profile->calls, &calls) : EAR_E_NO_MEMORY;
	if (result == 0)
		result = ear_profile_grow_functions(profile);
	if (result == 0)
		result = grow_cells(profile);
	if (result)
		ear_profile_free(profile);
	else
		*count = profile;
	return result;
}

/* Where no calls are known none are. */
int ear_profile_start(void *count, struct ear_moment *moment, const struct ear_progress *progress)
{
	const struct ear_profile *profile = count;
	int result = ear_calls_start(profile->calls, moment, progress);

	return result == EAR_E_UNSUPPORTED ? 0 : result;
}

/* Records of other tasks change the stacks, but do not count. */
void ear_profile_task(void *count, uint32_t task, bool wanted)
{
	struct ear_profile *profile = count;

	(void)task;
	profile->muted = !wanted;
}

int ear_profile_batch(void *count, const struct ear_batch *batch)
{
	struct ear_profile *profile = count;

	if (batch->record && batch->record->kind == EAR_RECORD_GAP) {
		profile->gaps++;
		/* The time that passes in it is no function's. */
		ear_profile_pause(profile);
	}
	return ear_calls_batch(profile->calls, batch, take, profile);
}

/* ---- Answers. ---- */

size_t ear_profile_function_count(const struct ear_profile *profile)
{
	return profile->function_count;
}

const struct ear_profile_function *ear_profile_function(
	const struct ear_profile *profile, size_t function)
{
	return &profile->functions[function];
}

size_t ear_profile_node_count(const struct ear_profile *profile)
{
	return profile->node_count;
}

const struct ear_profile_node *ear_profile_node(const struct ear_profile *profile, size_t node)
{
	return &profile->nodes[node];
}

size_t ear_profile_edge_count(const struct ear_profile *profile)
{
	return profile->edge_count;
}

const struct ear_profile_edge *ear_profile_edge(const struct ear_profile *profile, size_t edge)
{
	return &profile->edges[edge];
}

size_t ear_profile_pc_count(const struct ear_profile *profile)
{
	return profile->pc_count;
}

const struct ear_profile_pc *ear_profile_pc(const struct ear_profile *profile, size_t pc)
{
	return &profile->pcs[pc];
}

struct ear_profile_counts ear_profile_total(const struct ear_profile *profile)
{
	return profile->total;
}

bool ear_profile_has_time(const struct ear_profile *profile)
{
	return profile->has_time;
}

struct ear_profile_shows ear_profile_shows(uint8_t seen, bool time)
{
	const bool opcodes = seen & EAR_PROFILE_OPCODE;

	return (struct ear_profile_shows){time,
		seen & EAR_PROFILE_ACCESS || (opcodes && !(seen & EAR_PROFILE_NO_ACCESS)),
		seen & EAR_PROFILE_OUTCOME || (opcodes && !(seen & EAR_PROFILE_NO_OUTCOME)),
		!(seen & EAR_PROFILE_NO_TRAPS), !(seen & EAR_PROFILE_NO_INTERRUPTS)};
}

struct ear_profile_shows ear_profile_shows_of(const struct ear_profile *profile)
{
	return ear_profile_shows(profile->seen, profile->has_time);
}

uint64_t ear_profile_gaps(const struct ear_profile *profile)
{
	return profile->gaps;
}

uint64_t ear_profile_pathless(const struct ear_profile *profile)
{
	return profile->pathless;
}

bool ear_profile_limited(const struct ear_profile *profile)
{
	return profile->limited || (profile->calls && ear_calls_limited(profile->calls));
}
