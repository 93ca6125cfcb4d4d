/* Counting, by path and function. Records come in stretches of one path (earshot/calls.h); within
 * one, the function is that which the symbols say of the pc, since a tail call changes it. */
#include "analyses/profile.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile_private.h"

#define NONE UINT32_MAX

void ear_profile_add(struct ear_profile_counts *sum, const struct ear_profile_counts *counts)
{
	sum->records += counts->records;
	sum->clocks += counts->clocks;
	sum->reads += counts->reads;
	sum->writes += counts->writes;
	sum->read_bytes += counts->read_bytes;
	sum->written_bytes += counts->written_bytes;
}

/* ---- Functions. ---- */

static uint32_t *find_function(const struct ear_profile *profile, uint64_t entry, bool named)
{
	const struct ear_numbering *numbers = &profile->function_numbers;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(entry, named));

	while (numbers->places[at]) {
		const struct ear_profile_function *function =
			&profile->functions[numbers->places[at] - 1];
		if (function->entry == entry && (function->name[0] != '\0') == named)
			break;
		at = ear_numbering_next(numbers, at);
	}
	return &numbers->places[at];
}

static int grow_functions(struct ear_profile *profile)
{
	bool again;
	struct ear_profile_function *functions = ear_numbering_grow(&profile->function_numbers,
		profile->functions, sizeof(*functions), profile->function_count, &again);

	if (!functions)
		return EAR_E_NO_MEMORY;
	profile->functions = functions;
	for (uint32_t i = 0; i < profile->function_count && again; i++)
		*find_function(profile, functions[i].entry, functions[i].name[0] != '\0') = i + 1;
	return 0;
}

static uint32_t take_function(struct ear_profile *profile, const char *name, uint64_t entry)
{
	if (grow_functions(profile))
		return NONE;
	uint32_t *place = find_function(profile, entry, name[0] != '\0');
	if (*place == 0) {
		profile->functions[profile->function_count] =
			(struct ear_profile_function){.name = name, .entry = entry};
		*place = ++profile->function_count;
	}
	return *place - 1;
}

uint32_t ear_profile_function_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise)
{
	struct ear_function function = {.size = sizeof(function)};

	if (profile->names && ear_names_function_at(profile->names, address, &function) &&
		function.name[0])
		return take_function(profile, function.name, function.entry);
	return take_function(profile, "", otherwise);
}

/* The function of a pc, and the addresses that are of it. */
static uint32_t look_up(struct ear_profile *profile, uint64_t pc, uint64_t otherwise)
{
	struct ear_function function = {.size = sizeof(function)};

	if (profile->names && ear_names_function_at(profile->names, pc, &function) &&
		function.name[0]) {
		profile->first = function.first;
		profile->last = function.last;
		profile->function = take_function(profile, function.name, function.entry);
	} else {
		profile->first = profile->last = pc;
		profile->function = take_function(profile, "", otherwise);
	}
	return profile->function;
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

static int add_to_cell(struct ear_profile *profile, uint32_t path, uint32_t function,
	const struct ear_profile_counts *counts)
{
	if (function == NONE || grow_cells(profile))
		return EAR_E_NO_MEMORY;
	uint32_t *place = find_cell(profile, path, function);
	if (*place == 0) {
		profile->cells[profile->cell_count] =
			(struct ear_profile_cell){.path = path, .function = function};
		*place = ++profile->cell_count;
	}
	ear_profile_add(&profile->cells[*place - 1].counts, counts);
	ear_profile_add(&profile->total, counts);
	if (path == 0)
		profile->pathless += counts->records;
	return 0;
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

static int count_pc(struct ear_profile *profile, uint64_t pc, uint32_t function, uint64_t clocks)
{
	if (grow_pcs(profile))
		return EAR_E_NO_MEMORY;
	uint32_t *place = find_pc(profile, pc, function);
	if (*place == 0) {
		if (profile->pc_count == EAR_PROFILE_PCS_MAX)
			return 0;
		profile->pcs[profile->pc_count] =
			(struct ear_profile_pc){.pc = pc, .function = function};
		*place = ++profile->pc_count;
	}
	profile->pcs[*place - 1].records++;
	profile->pcs[*place - 1].clocks += clocks;
	return 0;
}

/* ---- Records. ---- */

static struct ear_profile_hart *find_hart(struct ear_profile *profile, uint16_t number)
{
	for (size_t i = 0; i < profile->hart_count; i++)
		if (profile->harts[i].hart == number)
			return &profile->harts[i];
	struct ear_profile_hart *harts =
		realloc(profile->harts, (profile->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	profile->harts = harts;
	harts[profile->hart_count] = (struct ear_profile_hart){.hart = number};
	return &harts[profile->hart_count++];
}

static int count_time(struct ear_profile *profile, const struct ear_record *record,
	struct ear_profile_counts *counts)
{
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return 0;
	struct ear_profile_hart *hart = find_hart(profile, record->hart);
	if (!hart)
		return EAR_E_NO_MEMORY;
	if (hart->timed && record->ticks >= hart->ticks) {
		counts->clocks += record->ticks - hart->ticks;
		profile->has_time = true;
	}
	hart->timed = true;
	hart->ticks = record->ticks;
	return 0;
}

static int count_record(struct ear_profile *profile, const struct ear_record *record,
	struct ear_profile_counts *counts)
{
	counts->records++;
	if (!(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)))
		for (size_t i = 0; i < record->memory_count; i++) {
			const struct ear_record_access *access = &record->memory[i];
			uint64_t *accesses = access->write ? &counts->writes : &counts->reads;
			uint64_t *bytes =
				access->write ? &counts->written_bytes : &counts->read_bytes;
			*accesses += !access->masked;
			*bytes += access->masked ? 0 : access->size;
		}
	return count_time(profile, record, counts);
}

/* ear_calls_take: records of one path, of any functions. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t number)
{
	struct ear_profile *profile = context;
	struct ear_profile_counts counts = {.records = 0};
	struct ear_call_path path = {.size = sizeof(path)};
	uint32_t function = NONE;
	int result = 0;

	/* Where nothing has a name, what was entered is the function. */
	if (ear_calls_path(profile->calls, number, &path) && path.kind == EAR_FRAME_BASE)
		path.entry = 0;
	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		if (function == NONE ||
			record->pc - profile->first > profile->last - profile->first) {
			uint32_t next = look_up(profile, record->pc, path.entry);
			if (next == NONE)
				return EAR_E_NO_MEMORY;
			if (next != function && counts.records > 0) {
				result = add_to_cell(profile, number, function, &counts);
				counts = (struct ear_profile_counts){.records = 0};
			}
			function = next;
		}
		const uint64_t clocks = counts.clocks;
		if (result == 0)
			result = count_record(profile, record, &counts);
		if (result == 0 && profile->counts_pcs)
			result = count_pc(profile, record->pc, function, counts.clocks - clocks);
	}
	return result == 0 && counts.records > 0 ? add_to_cell(profile, number, function, &counts)
						 : result;
}

int ear_profile_batch(struct ear_profile *profile, const struct ear_batch *batch)
{
	if (batch->record && batch->record->kind == EAR_RECORD_GAP) {
		profile->gaps++;
		/* Time goes on over it, in nobody's name. */
		for (size_t i = 0; i < profile->hart_count; i++)
			profile->harts[i].timed = false;
	}
	return ear_calls_batch(profile->calls, batch, take, profile);
}

int ear_profile_new(struct ear_profile **profile_out, struct ear_names *names,
	const struct ear_profile_options *options)
{
	struct ear_calls_options calls = EAR_CALLS_DEFAULTS;
	struct ear_profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return EAR_E_NO_MEMORY;
	calls.interrupts_inside = options && options->interrupts_inside;
	profile->counts_pcs = options && options->pcs;
	profile->names = names;
	int result = ear_calls_new(&profile->calls, &calls);
	if (result == 0)
		result = grow_functions(profile);
	if (result == 0)
		result = grow_cells(profile);
	if (result)
		ear_profile_free(profile);
	else
		*profile_out = profile;
	return result;
}

void ear_profile_free(struct ear_profile *profile)
{
	if (!profile)
		return;
	ear_calls_free(profile->calls);
	free(profile->functions);
	ear_numbering_fini(&profile->function_numbers);
	free(profile->cells);
	ear_numbering_fini(&profile->cell_numbers);
	free(profile->harts);
	free(profile->nodes);
	free(profile->edges);
	free(profile->pcs);
	ear_numbering_fini(&profile->pc_numbers);
	free(profile);
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
	return ear_calls_limited(profile->calls);
}
