/* Lines of counts by address. The line table is walked once, all rows of it, in order of their
 * addresses; what is found of lines, branches and functions goes into three lists, which are sorted
 * and put together by file.
 *
 * How often a line ran: a row of the table that begins a statement is a copy of the expression at
 * its line and column, made by inlining, unrolling or a template, and copies are summed. Rows of a
 * line that follow each other without a jump between them are one copy. Of the expressions of a
 * line, the one that ran most often counts. A row ran as often as the instruction in it that did so
 * most often. Rows that continue a statement, or only jump to it, count only where the line has no
 * others, or none of these ran.
 */
#include "cli/commands/coverage_lines.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/source_lines.h"

#define MACHINE_RISCV 243
#define IMAGE_SIZE    4096u

struct source {
	const char *path; /* of the line table */
	char *mapped;     /* path by --source; NULL: left out */
	uint32_t number;  /* the first source of the same mapped path */
};

struct row {
	uint32_t source, line, column;
	uint32_t stretch; /* of rows of the line that follow each other without a jump */
	bool is_statement;
	uint64_t address, count;
};

struct branch {
	uint32_t source;
	struct coverage_branch branch;
};

struct function {
	uint32_t source;
	bool is_inlined; /* its line is one of its lines */
	struct coverage_function function;
};

struct list {
	void *items;
	size_t count, room;
};

struct coverage_lines_store {
	const struct ear_coverage *coverage;
	struct ear_names *names;
	struct source *sources; /* by path */
	size_t source_count;
	size_t last_source;
	struct list rows, branches, functions;
	struct list copies; /* uint64_t: hashes of inlined copies, a table */
	struct list lines;  /* of all files, as the branches and functions of all files are */
	struct list file_branches, file_functions;

	size_t file; /* of the names, being walked */
	uint32_t stretch, last_line;
	uint64_t next_address; /* of a row that would continue the stretch */
	bool jumps;            /* the last row has a jump */
	bool has_branches;
	uint64_t image_at;
	size_t image_size;
	uint8_t image[IMAGE_SIZE];
};

/* Room for one more, of so many bytes; NULL if memory is short. */
static void *append(struct list *list, size_t size)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 256;
		void *items = reallocarray(list->items, room, size);
		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	return (char *)list->items + size * list->count++;
}

/* ---- Sources. ---- */

static char *map_path(const struct coverage_filter *filter, const char *path)
{
	for (unsigned i = 0; i < filter->source_count; i++) {
		const size_t size = filter->old_size[i], begin = strlen(filter->new_prefix[i]);
		if (strncmp(path, filter->old_prefix[i], size) != 0)
			continue;
		char *mapped = malloc(begin + strlen(path + size) + 1);
		if (mapped)
			strcpy(stpcpy(mapped, filter->new_prefix[i]), path + size);
		return mapped;
	}
	return strdup(path);
}

static bool is_ignored(const struct coverage_filter *filter, const char *path)
{
	for (unsigned i = 0; i < filter->ignored_count; i++)
		if (fnmatch(filter->ignored[i], path, 0) == 0)
			return true;
	return false;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct source *)a)->path, ((const struct source *)b)->path);
}

static bool find_sources(struct coverage_lines_store *store, const struct coverage_filter *filter)
{
	const char *const *paths;
	const size_t count = ear_names_sources(store->names, &paths);

	store->sources = calloc(count + 1, sizeof(*store->sources));
	if (!store->sources)
		return false;
	store->source_count = count;
	for (size_t i = 0; i < count; i++)
		store->sources[i].path = paths[i];
	qsort(store->sources, count, sizeof(*store->sources), compare_paths);
	for (size_t i = 0; i < count; i++) {
		struct source *source = &store->sources[i];
		source->mapped = map_path(filter, source->path);
		if (!source->mapped)
			return false;
		source->number = (uint32_t)i;
		if (is_ignored(filter, source->mapped) || is_ignored(filter, source->path)) {
			free(source->mapped);
			source->mapped = NULL;
			continue;
		}
		for (size_t j = 0; j < i && filter->source_count > 0; j++)
			if (store->sources[j].mapped &&
				strcmp(store->sources[j].mapped, source->mapped) == 0) {
				source->number = (uint32_t)j;
				break;
			}
	}
	return true;
}

/* The source with a path of the line table; NULL: it is left out. */
static const struct source *find_source(struct coverage_lines_store *store, const char *path)
{
	struct source wanted = {.path = path};

	if (store->source_count == 0)
		return NULL;
	const struct source *last = &store->sources[store->last_source];
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

static bool take_branch(struct coverage_lines_store *store, const struct row *row, uint64_t address,
	const struct ear_coverage_pc *pc)
{
	struct branch *branch = append(&store->branches, sizeof(*branch));

	if (!branch)
		return false;
	*branch = (struct branch){
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
static bool take_instructions(struct coverage_lines_store *store, struct row *row, uint64_t last)
{
	for (uint64_t at = row->address; at <= last;) {
		const struct ear_coverage_pc *pc = ear_coverage_at(store->coverage, at);
		uint32_t opcode = 0;
		unsigned size = store->has_branches ? opcode_at(store, at, &opcode) : 2;
		if (pc && pc->executed > row->count)
			row->count = pc->executed;
		if (pc && pc->has_opcode && store->has_branches) {
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
	const struct source *source = find_source(store, path);
	struct function *function;

	if (!source || line == 0 || !name[0])
		return true;
	function = append(&store->functions, sizeof(*function));
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
	*function = (struct function){.source = source->number,
		.is_inlined = is_inlined || is_part,
		.function = {name, size, line, is_part ? 0 : count}};
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Is this copy a new one? Returns -1 if memory is short. */
static int enter_copy(struct coverage_lines_store *store, uint64_t hash)
{
	struct list *copies = &store->copies;

	hash += hash == 0;
	if (2 * copies->count >= copies->room) {
		struct list more = {.room = copies->room ? 2 * copies->room : 1024};
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

/* Functions that were inlined: each copy ran as often as its first instruction. */
static bool take_inlined(struct coverage_lines_store *store, uint64_t address)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	struct ear_function function = {.size = sizeof(function)};
	size_t count = ear_names_inlined_at(
		store->names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);
	uint64_t hash = 1;

	if (count < 2 || count > EAR_INLINED_MAX)
		return true;
	if (ear_names_function_at(store->names, address, &function))
		hash = mix(hash, function.entry);
	const struct ear_coverage_pc *pc = ear_coverage_at(store->coverage, address);
	for (size_t i = count - 1; i-- > 0;) {
		/* By where it was called. */
		hash = mix(hash, chain[i + 1].line);
		hash = mix(hash, chain[i + 1].column);
		hash = mix(hash, (uintptr_t)chain[i].function);
		int is_new = enter_copy(store, hash);
		if (is_new < 0)
			return false;
		if (!take_function(store, chain[i].function, chain[i].path, chain[i].line,
			    is_new && pc ? pc->executed : 0, true))
			return false;
	}
	return true;
}

static bool take_symbols(struct coverage_lines_store *store)
{
	const struct ear_symbol *symbols;
	const size_t count = ear_names_symbols(store->names, &symbols);

	for (size_t i = 0; i < count; i++) {
		const struct ear_symbol *symbol = &symbols[i];
		struct ear_line line = {.size = sizeof(line)};
		uint64_t offset;
		if (symbol->kind != EAR_NAMES_FUNCTION ||
			ear_names_symbol_at(store->names, symbol->address, &offset) != symbol ||
			!ear_names_line_at(store->names, symbol->address, &line))
			continue;
		const struct ear_coverage_pc *pc =
			ear_coverage_at(store->coverage, symbol->address);
		if (!take_function(store, symbol->name, line.path, line.line, pc ? pc->executed : 0,
			    false))
			return false;
	}
	return true;
}

/* ---- The line table. ---- */

static bool take_row(struct coverage_lines_store *store, const struct ear_line *line,
	uint64_t begin, uint64_t last)
{
	const struct source *source = find_source(store, line->path);
	struct row *row;

	if (!source || line->line == 0)
		return true;
	row = append(&store->rows, sizeof(*row));
	if (!row)
		return false;
	if (begin != store->next_address || line->line != store->last_line || store->jumps)
		store->stretch++;
	store->next_address = last + 1;
	store->last_line = line->line;
	store->jumps = false;
	*row = (struct row){.source = source->number,
		.line = line->line,
		.column = line->column,
		.stretch = store->stretch,
		.is_statement = line->is_statement,
		.address = begin};
	return take_instructions(store, row, last) && take_inlined(store, begin);
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

/* ---- Putting it together. ---- */

#define ORDER(a, b) \
	if ((a) != (b)) \
	return (a) < (b) ? -1 : 1

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	ORDER(x->source, y->source);
	ORDER(x->line, y->line);
	ORDER(x->column, y->column);
	ORDER(x->address, y->address);
	return 0;
}

static int compare_branches(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	ORDER(x->source, y->source);
	ORDER(x->branch.line, y->branch.line);
	ORDER(x->branch.address, y->branch.address);
	return 0;
}

static int compare_names(const struct coverage_function *x, const struct coverage_function *y)
{
	const size_t size = x->name_size < y->name_size ? x->name_size : y->name_size;
	const int order = memcmp(x->name, y->name, size);

	if (order != 0)
		return order;
	ORDER(x->name_size, y->name_size);
	return 0;
}

/* By name; the one that has code of its own first, and lower lines. */
static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	ORDER(x->source, y->source);
	const int order = compare_names(&x->function, &y->function);
	if (order != 0)
		return order;
	ORDER(x->is_inlined, y->is_inlined);
	ORDER(x->function.line, y->function.line);
	return 0;
}

static int compare_function_lines(const void *a, const void *b)
{
	const struct coverage_function *x = a, *y = b;

	ORDER(x->line, y->line);
	return compare_names(x, y);
}

/* The rows of one line, sorted by column and address. */
static uint64_t line_count(const struct row *rows, size_t count)
{
	uint64_t most = 0, most_of_rest = 0;

	for (size_t i = 0; i < count;) {
		uint64_t sum = 0, of_stretch = 0;
		const uint32_t column = rows[i].column;
		for (; i < count && rows[i].column == column; i++) {
			if (i > 0 && rows[i].address == rows[i - 1].address)
				continue; /* of files that overlap */
			if (i == 0 || rows[i].stretch != rows[i - 1].stretch) {
				sum += of_stretch;
				of_stretch = 0;
			}
			if (rows[i].is_statement && rows[i].count > of_stretch)
				of_stretch = rows[i].count;
			else if (!rows[i].is_statement && rows[i].count > most_of_rest)
				most_of_rest = rows[i].count;
		}
		sum += of_stretch;
		if (sum > most)
			most = sum;
	}
	return most > 0 ? most : most_of_rest;
}

static bool make_lines(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct row *rows = store->rows.items;

	while (*at < store->rows.count && rows[*at].source == source) {
		const size_t begin = *at;
		struct coverage_line *line = append(&store->lines, sizeof(*line));
		if (!line)
			return false;
		while (*at < store->rows.count && rows[*at].source == source &&
			rows[*at].line == rows[begin].line)
			++*at;
		*line = (struct coverage_line){
			.line = rows[begin].line, .count = line_count(&rows[begin], *at - begin)};
		file->line_count++;
	}
	return true;
}

/* What marks of lcov in the source leave out; what cannot be read has none. */
static void find_marks(struct source_lines *source, struct coverage_file *file)
{
	const uint32_t last = file->lines[file->line_count - 1].line;
	bool out = false, no_branches = false;
	size_t at = 0;

	for (uint32_t number = 1; number <= last && number < 1000000; number++) {
		const char *text = source_lines_find(source, file->path, number);
		bool this_out = false, this_no_branches = false;
		text = strstr(text, "LCOV_EXCL_");
		for (; text; text = strstr(text + 1, "LCOV_EXCL_")) {
			const char *what = text + strlen("LCOV_EXCL_");
			bool of_branches = strncmp(what, "BR_", 3) == 0;
			what += of_branches ? 3 : 0;
			bool *region = of_branches ? &no_branches : &out;
			if (strncmp(what, "START", 5) == 0)
				*region = true;
			else if (strncmp(what, "STOP", 4) == 0)
				*region = false;
			else if (strncmp(what, "LINE", 4) == 0)
				*(of_branches ? &this_no_branches : &this_out) = true;
		}
		for (; at < file->line_count && file->lines[at].line <= number; at++) {
			file->lines[at].left_out = out || this_out;
			file->lines[at].no_branches =
				out || this_out || no_branches || this_no_branches;
		}
	}
}

static const struct coverage_line *find_line(const struct coverage_file *file, uint32_t number)
{
	size_t first = 0, count = file->line_count;

	while (count > 0) {
		const size_t half = count / 2;
		if (file->lines[first + half].line < number) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return first < file->line_count && file->lines[first].line == number ? &file->lines[first]
									     : NULL;
}

static bool make_branches(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct branch *branches = store->branches.items;

	for (; *at < store->branches.count && branches[*at].source == source; ++*at) {
		const struct coverage_line *line = find_line(file, branches[*at].branch.line);
		if (!line || line->no_branches)
			continue;
		if (*at > 0 && compare_branches(&branches[*at], &branches[*at - 1]) == 0)
			continue; /* of files that overlap */
		struct coverage_branch *branch = append(&store->file_branches, sizeof(*branch));
		if (!branch)
			return false;
		*branch = branches[*at].branch;
		file->branch_count++;
		file->counts.branches += 2;
		file->counts.branches_hit +=
			(unsigned)(branch->taken > 0) + (unsigned)(branch->not_taken > 0);
	}
	return true;
}

static bool make_functions(
	struct coverage_lines_store *store, struct coverage_file *file, uint32_t source, size_t *at)
{
	const struct function *functions = store->functions.items;
	const size_t begin = store->file_functions.count;

	while (*at < store->functions.count && functions[*at].source == source) {
		struct coverage_function sum = functions[*at].function;
		for (++*at; *at < store->functions.count && functions[*at].source == source &&
			    compare_names(&functions[*at].function, &sum) == 0;
			++*at)
			sum.count += functions[*at].function.count;
		const struct coverage_line *line = find_line(file, sum.line);
		if (file->line_count == 0 || (line && line->left_out))
			continue;
		struct coverage_function *function = append(&store->file_functions, sizeof(sum));
		if (!function)
			return false;
		*function = sum;
		file->function_count++;
		file->counts.functions_hit += sum.count > 0;
	}
	file->counts.functions = file->function_count;
	if (file->function_count > 0)
		qsort((struct coverage_function *)store->file_functions.items + begin,
			file->function_count, sizeof(struct coverage_function),
			compare_function_lines);
	return true;
}

static void drop_lines(struct coverage_file *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->line_count; i++) {
		if (file->lines[i].left_out)
			continue;
		file->counts.lines_hit += file->lines[i].count > 0;
		file->lines[kept++] = file->lines[i];
	}
	file->counts.lines = file->line_count = kept;
}

static void add_counts(struct coverage_counts *sum, const struct coverage_counts *counts)
{
	sum->lines += counts->lines;
	sum->lines_hit += counts->lines_hit;
	sum->functions += counts->functions;
	sum->functions_hit += counts->functions_hit;
	sum->branches += counts->branches;
	sum->branches_hit += counts->branches_hit;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(
		((const struct coverage_file *)a)->path, ((const struct coverage_file *)b)->path);
}

/* The lists are complete before pointers into them are. */
static bool make_files(struct coverage_lines *lines, struct source_lines *marks)
{
	struct coverage_lines_store *store = lines->store;
	size_t row_at = 0, branch_at = 0, function_at = 0;

	lines->files = calloc(store->source_count + 1, sizeof(*lines->files));
	if (!lines->files)
		return false;
	for (uint32_t i = 0; i < store->source_count; i++) {
		struct coverage_file *file = &lines->files[lines->file_count];
		const size_t first = store->lines.count;
		*file = (struct coverage_file){.path = store->sources[i].mapped};
		if (!make_lines(store, file, i, &row_at))
			return false;
		file->lines = (struct coverage_line *)store->lines.items + first;
		if (file->line_count > 0)
			find_marks(marks, file);
		if (!make_branches(store, file, i, &branch_at) ||
			!make_functions(store, file, i, &function_at))
			return false;
		lines->file_count += file->line_count > 0;
	}
	size_t line = 0, branch = 0, function = 0;
	for (size_t i = 0; i < lines->file_count; i++) {
		struct coverage_file *file = &lines->files[i];
		file->lines = (struct coverage_line *)store->lines.items + line;
		file->branches = (struct coverage_branch *)store->file_branches.items + branch;
		file->functions =
			(struct coverage_function *)store->file_functions.items + function;
		line += file->line_count;
		branch += file->branch_count;
		function += file->function_count;
		drop_lines(file);
		add_counts(&lines->counts, &file->counts);
	}
	qsort(lines->files, lines->file_count, sizeof(*lines->files), compare_files);
	return true;
}

static void sort(struct list *list, size_t size, int (*compare)(const void *, const void *))
{
	if (list->count > 1)
		qsort(list->items, list->count, size, compare);
}

bool coverage_lines_make(struct coverage_lines *lines, const struct ear_coverage *coverage,
	struct ear_names *names, const struct coverage_filter *filter)
{
	struct source_lines *marks = source_lines_new();
	struct coverage_lines_store *store = calloc(1, sizeof(*store));
	bool good;

	*lines = (struct coverage_lines){.store = store};
	if (store) {
		store->coverage = coverage;
		store->names = names;
	}
	good = marks && store && find_sources(store, filter);
	for (size_t i = 0; good && i < ear_names_file_count(names); i++)
		good = walk_file(store, i);
	good = good && take_symbols(store);
	if (good) {
		sort(&store->rows, sizeof(struct row), compare_rows);
		sort(&store->branches, sizeof(struct branch), compare_branches);
		sort(&store->functions, sizeof(struct function), compare_functions);
		good = make_files(lines, marks);
	}
	source_lines_free(marks);
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
