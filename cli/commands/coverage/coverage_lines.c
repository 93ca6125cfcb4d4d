/* Lines of counts by address: the line table is walked once, all rows of it, in order of their
 * addresses. What is found of lines, branches and functions goes into three lists, which
 * coverage_files.c sorts and puts together.
 */
#include "cli/commands/coverage/coverage_lines.h"

#include <stdlib.h>
#include <string.h>

#include "cli/input/source_lines.h"

#define MACHINE_RISCV 243

/* ---- Sources. ---- */

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct coverage_source_item *)a)->path,
		((const struct coverage_source_item *)b)->path);
}

static bool find_sources(struct coverage_lines_store *store, const struct source_paths *paths)
{
	const char *const *names;
	const size_t count = ear_names_sources(store->names, &names);

	store->sources = calloc(count + 1, sizeof(*store->sources));
	if (!store->sources)
		return false;
	store->source_count = count;
	for (size_t i = 0; i < count; i++)
		store->sources[i].path = names[i];
	qsort(store->sources, count, sizeof(*store->sources), compare_paths);
	for (size_t i = 0; i < count; i++) {
		struct coverage_source_item *source = &store->sources[i];
		source->mapped = source_paths_copy(paths, source->path);
		if (!source->mapped)
			return false;
		source->number = (uint32_t)i;
		if (source_paths_ignores(paths, source->mapped) ||
			source_paths_ignores(paths, source->path)) {
			free(source->mapped);
			source->mapped = NULL;
			continue;
		}
		for (size_t j = 0; j < i && paths->source_count > 0; j++)
			if (store->sources[j].mapped &&
				strcmp(store->sources[j].mapped, source->mapped) == 0) {
				source->number = (uint32_t)j;
				break;
			}
	}
	return true;
}

/* The source with a path of the line table; NULL: it is left out. */
static const struct coverage_source_item *find_source(
	struct coverage_lines_store *store, const char *path)
{
	struct coverage_source_item wanted = {.path = path};

	if (store->source_count == 0)
		return NULL;
	const struct coverage_source_item *last = &store->sources[store->last_source];
	if (last->path != path && strcmp(last->path, path) != 0) {
		last = bsearch(&wanted, store->sources, store->source_count,
			sizeof(*store->sources), compare_paths);
		if (!last)
			return NULL;
		store->last_source = (size_t)(last - store->sources);
	}
	return last->mapped ? last : NULL;
}

/* ---- Instructions. ---- */

/* The opcode at an address in the image of the program. Returns its size; 0: there is none. */
static unsigned opcode_at(struct coverage_lines_store *store, uint64_t address, uint32_t *opcode)
{
	bool writable;

	if (address < store->image_at || address - store->image_at + 4 > store->image_size) {
		int64_t size = ear_names_image(store->names, store->file, address, store->image,
			sizeof(store->image), &writable);
		store->image_at = address;
		store->image_size = size > 0 ? (size_t)size : 0;
	}
	const size_t at = (size_t)(address - store->image_at);
	if (at + 2 > store->image_size)
		return 0;
	const uint8_t *bytes = &store->image[at];
	*opcode = bytes[0] | (uint32_t)bytes[1] << 8;
	if ((*opcode & 3) != 3)
		return 2;
	if (at + 4 > store->image_size)
		return 0;
	*opcode |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return 4;
}

static bool take_branch(struct coverage_lines_store *store, const struct coverage_row_item *row,
	uint64_t address, const struct ear_coverage_pc *pc)
{
	struct coverage_branch_item *branch = coverage_append(&store->branches, sizeof(*branch));

	if (!branch)
		return false;
	*branch = (struct coverage_branch_item){
		.source = row->source, .branch = {.line = row->line, .address = address}};
	if (!pc)
		return true;
	branch->branch.executed = true;
	branch->branch.hidden = pc->hidden > 0 || pc->changed;
	if (!pc->changed) {
		branch->branch.taken = pc->taken;
		branch->branch.not_taken = pc->executed - pc->taken - pc->hidden;
	}
	return true;
}

/* A conditional branch, or a jump that does not link. */
static bool leaves(uint32_t opcode)
{
	if ((opcode & 3) == 3)
		return (opcode & 0x7F) == 0x63 ||
		       (((opcode & 0x7F) == 0x6F || (opcode & 0x7F) == 0x67) &&
			       (opcode & 0xF80) == 0);
	return (opcode & 0xE003) == 0xA001 || (opcode & 0xC003) == 0xC001 ||
	       ((opcode & 0xF07F) == 0x8002 && (opcode & 0xF80) != 0);
}

static bool is_jump(uint32_t opcode)
{
	return leaves(opcode) && !ear_coverage_is_branch(opcode);
}

/* The instructions of a row, from its address to last. */
static bool take_instructions(
	struct coverage_lines_store *store, struct coverage_row_item *row, uint64_t last)
{
	for (uint64_t at = row->address; at <= last;) {
		const struct ear_coverage_pc *pc = ear_coverage_at(store->coverage, at);
		uint32_t opcode = 0;
		unsigned size = store->has_branches ? opcode_at(store, at, &opcode) : 2;
		if (pc && pc->executed > row->count)
			row->count = pc->executed;
		if (pc && pc->has_opcode && store->has_branches) {
			store->others += size > 0 && !pc->changed && opcode != pc->opcode;
			opcode = pc->opcode;
			size = pc->opcode_size;
		}
		store->jumps = store->jumps || (size > 0 && leaves(opcode));
		if (at == row->address && size > 0 && last - at < size && is_jump(opcode))
			row->is_statement = false; /* it is all that the row has */
		if (size > 0 && store->has_branches && ear_coverage_is_branch(opcode) &&
			!take_branch(store, row, at, pc))
			return false;
		if (size != 4)
			size = 2;
		if (last - at < size)
			break;
		at += size;
	}
	return true;
}

/* ---- Functions. ---- */

static bool take_function(struct coverage_lines_store *store, const char *name, const char *path,
	uint32_t line, uint64_t count, bool is_inlined)
{
	const struct coverage_source_item *source = find_source(store, path);
	struct coverage_function_item *function;

	if (!source || line == 0 || !name[0])
		return true;
	function = coverage_append(&store->functions, sizeof(*function));
	if (!function)
		return false;
	/* Copies that the compiler made of a function, and parts of it, have its name and more. */
	size_t size = strcspn(name, ".");
	const char *clone = strstr(name, " [clone");
	if (clone)
		size = (size_t)(clone - name);
	else if (strchr(name, '(') || size == 0)
		size = strlen(name);
	const bool is_part = strstr(name + size, ".cold") || strstr(name + size, ".part");
	*function = (struct coverage_function_item){.source = source->number,
		.is_inlined = is_inlined || is_part,
		.function = {name, size, line, is_part ? 0 : count}};
	return true;
}

/* At its definition; without debug information, at the line of its first instruction. */
static bool take_declared(struct coverage_lines_store *store, const char *name,
	const struct ear_inlined *step, uint64_t count)
{
	const bool is_known = step->declared_line > 0;

	return take_function(store, name, is_known ? step->declared_path : step->path,
		is_known ? step->declared_line : step->line, count, step->is_inlined);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Is this copy a new one? Returns -1 if memory is short. */
static int enter_copy(struct coverage_lines_store *store, uint64_t hash)
{
	struct coverage_list *copies = &store->copies;

	hash += hash == 0;
	if (2 * copies->count >= copies->room) {
		struct coverage_list more = {.room = copies->room ? 2 * copies->room : 1024};
		uint64_t *places = calloc(more.room, sizeof(*places));
		if (!places)
			return -1;
		for (size_t i = 0; i < copies->room; i++) {
			uint64_t old = ((uint64_t *)copies->items)[i];
			size_t at = (size_t)old & (more.room - 1);
			while (old && places[at])
				at = (at + 1) & (more.room - 1);
			if (old)
				places[at] = old;
		}
		free(copies->items);
		more.items = places;
		more.count = copies->count;
		*copies = more;
	}
	uint64_t *places = copies->items;
	size_t at = (size_t)hash & (copies->room - 1);
	while (places[at] && places[at] != hash)
		at = (at + 1) & (copies->room - 1);
	if (places[at])
		return 0;
	places[at] = hash;
	copies->count++;
	return 1;
}

/* How often a copy of an inlined function ran: as often as its first instruction, or at least once
 * if only later ones ran, as the compiler moved the first one or the trace begins within it.
 * Counted with the first row that ran. Returns -1 if memory is short.
 */
static int64_t copy_ran(
	struct coverage_lines_store *store, uint64_t hash, const struct ear_coverage_pc *pc)
{
	const int is_first = enter_copy(store, hash);
	const bool has_run = pc && pc->executed > 0;
	const int is_first_run = has_run ? enter_copy(store, mix(hash, 1)) : 0;

	if (is_first < 0 || is_first_run < 0)
		return -1;
	if (!is_first_run)
		return 0;
	return is_first ? (int64_t)pc->executed : 1;
}

/* Functions that were inlined. *copy: which copy of the innermost one this is. */
static bool take_inlined(struct coverage_lines_store *store, uint64_t address, uint64_t *copy)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	struct ear_function function = {.size = sizeof(function)};
	size_t count = ear_names_inlined_at(
		store->names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);
	uint64_t hash = 1;

	if (ear_names_function_at(store->names, address, &function))
		hash = mix(hash, function.entry);
	*copy = hash;
	if (count < 2 || count > EAR_INLINED_MAX)
		return true;
	const struct ear_coverage_pc *pc = ear_coverage_at(store->coverage, address);
	for (size_t i = count - 1; i-- > 0;) {
		/* By where it was called. */
		hash = mix(hash, chain[i + 1].line);
		hash = mix(hash, chain[i + 1].column);
		hash = mix(hash, (uintptr_t)chain[i].function);
		if (store->no_inline)
			continue;
		const int64_t ran = copy_ran(store, hash, pc);
		if (ran < 0 || !take_declared(store, chain[i].function, &chain[i], (uint64_t)ran))
			return false;
	}
	*copy = hash;
	return true;
}

/* A function ran as often as its first instruction, or at least once if only others ran: the trace
 * may begin within it.
 */
static uint64_t symbol_ran(
	const struct coverage_lines_store *store, const struct ear_symbol *symbol)
{
	for (uint64_t at = 0; at == 0 || at < symbol->size; at += 2) {
		const struct ear_coverage_pc *pc =
			ear_coverage_at(store->coverage, symbol->address + at);
		if (pc && pc->executed > 0)
			return at == 0 ? pc->executed : 1;
	}
	return 0;
}

static bool take_symbols(struct coverage_lines_store *store)
{
	const struct ear_symbol *symbols;
	const size_t count = ear_names_symbols(store->names, &symbols);

	for (size_t i = 0; i < count; i++) {
		const struct ear_symbol *symbol = &symbols[i];
		struct ear_inlined chain[EAR_INLINED_MAX], *own = &chain[0];
		struct ear_line line = {.size = sizeof(line)};
		uint64_t offset;
		if (symbol->kind != EAR_NAMES_FUNCTION ||
			ear_names_symbol_at(store->names, symbol->address, &offset) != symbol ||
			!ear_names_line_at(store->names, symbol->address, &line))
			continue;
		size_t steps = ear_names_inlined_at(
			store->names, symbol->address, chain, sizeof(chain[0]), EAR_INLINED_MAX);
		if (steps > 0 && !chain[steps - 1].is_inlined)
			own = &chain[steps - 1];
		else
			*own = (struct ear_inlined){.path = line.path, .line = line.line};
		if (!take_declared(store, symbol->name, own, symbol_ran(store, symbol)))
			return false;
	}
	return true;
}

/* ---- The line table. ---- */

static bool take_row(struct coverage_lines_store *store, const struct ear_line *line,
	uint64_t begin, uint64_t last)
{
	const struct coverage_source_item *source = find_source(store, line->path);
	struct coverage_row_item *row;

	if (!source || line->line == 0)
		return true;
	store->sources[source->number].has_rows = true;
	row = coverage_append(&store->rows, sizeof(*row));
	if (!row)
		return false;
	if (begin != store->next_address || line->line != store->last_line || store->jumps)
		store->stretch++;
	store->next_address = last + 1;
	store->last_line = line->line;
	store->jumps = false;
	*row = (struct coverage_row_item){.source = source->number,
		.line = line->line,
		.column = line->column,
		.stretch = store->stretch,
		.is_statement = line->is_statement,
		.address = begin};
	return take_instructions(store, row, last) && take_inlined(store, begin, &row->copy);
}

static bool walk(struct coverage_lines_store *store, uint64_t begin, uint64_t size)
{
	const uint64_t last = begin + (size - 1);

	for (uint64_t at = begin; at <= last;) {
		struct ear_line line = {.size = sizeof(line)};
		uint64_t row_last = at | 1;
		if (ear_names_line_at(store->names, at, &line)) {
			row_last = line.last < last ? line.last : last;
			if (row_last < at)
				row_last = at;
			if (!take_row(store, &line, at, row_last))
				return false;
		}
		if (row_last >= last)
			break;
		at = row_last + 1;
	}
	return true;
}

static bool walk_file(struct coverage_lines_store *store, size_t number)
{
	const struct ear_names_file *file = ear_names_file(store->names, number);
	bool some = false, good = true;

	store->file = number;
	store->image_size = 0;
	store->has_branches = file->machine == MACHINE_RISCV;
	store->has_symbols = store->has_symbols || file->has_symbols;
	for (size_t i = 0; i < file->section_count && good; i++) {
		const struct ear_names_section *section = &file->sections[i];
		if (!(section->flags & EAR_NAMES_EXECUTE) || section->size == 0)
			continue;
		some = true;
		if (section->flags & EAR_NAMES_IN_FILE &&
			section->size - 1 <= UINT64_MAX - section->address)
			good = walk(store, section->address, section->size);
	}
	for (size_t i = 0; i < file->segment_count && good && !some; i++) {
		const struct ear_names_segment *segment = &file->segments[i];
		if (segment->flags & EAR_NAMES_EXECUTE && segment->file_size > 0 &&
			segment->file_size - 1 <= UINT64_MAX - segment->address)
			good = walk(store, segment->address, segment->file_size);
	}
	return good;
}

/* ---- Sources that nobody has. ---- */

static void drop_absent(
	const struct coverage_lines_store *store, struct coverage_list *list, size_t size)
{
	char *items = list->items;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		uint32_t source;
		memcpy(&source, items + i * size, sizeof(source));
		if (!store->sources[source].absent)
			memmove(items + kept++ * size, items + i * size, size);
	}
	list->count = kept;
}

/* Libraries of the toolchain, mostly. If no source can be read, nothing says which are the
 * program's own, and all count.
 */
static void leave_out_absent(struct coverage_lines *lines)
{
	struct coverage_lines_store *store = lines->store;

	for (size_t i = 0; i < store->source_count; i++) {
		struct coverage_source_item *source = &store->sources[i];
		if (!source->has_rows)
			continue;
		source->absent = !source_lines_readable(source->mapped);
		lines->absent += source->absent;
		lines->some_present |= !source->absent;
		if (source->absent && !lines->first_absent)
			lines->first_absent = source->mapped;
	}
	if (!lines->some_present)
		return;
	drop_absent(store, &store->rows, sizeof(struct coverage_row_item));
	drop_absent(store, &store->branches, sizeof(struct coverage_branch_item));
	drop_absent(store, &store->functions, sizeof(struct coverage_function_item));
}

/* ---- All of it. ---- */

bool coverage_lines_make(struct coverage_lines *lines, const struct ear_coverage *coverage,
	struct ear_names *names, const struct source_paths *paths, bool all_sources, bool no_inline)
{
	struct coverage_lines_store *store = calloc(1, sizeof(*store));
	bool good;

	*lines = (struct coverage_lines){.store = store};
	if (store) {
		store->coverage = coverage;
		store->names = names;
		store->no_inline = no_inline;
	}
	good = store && find_sources(store, paths);
	for (size_t i = 0; good && i < ear_names_file_count(names); i++)
		good = walk_file(store, i);
	good = good && take_symbols(store);
	if (good && !all_sources)
		leave_out_absent(lines);
	good = good && coverage_files_make(lines);
	if (good) {
		lines->others = store->others;
		lines->has_symbols = store->has_symbols;
	}
	return good;
}

void coverage_lines_free(struct coverage_lines *lines)
{
	struct coverage_lines_store *store = lines->store;

	free(lines->files);
	if (!store)
		return;
	for (size_t i = 0; i < store->source_count; i++)
		free(store->sources[i].mapped);
	free(store->sources);
	free(store->rows.items);
	free(store->branches.items);
	free(store->functions.items);
	free(store->copies.items);
	free(store->lines.items);
	free(store->file_branches.items);
	free(store->file_functions.items);
	free(store);
	*lines = (struct coverage_lines){0};
}
