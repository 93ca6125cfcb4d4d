/* Source and instructions of functions. The rows of a function are the code that it has by the
 * names: its own ranges, and all copies that were inlined into others. What ran is looked up among
 * the instructions of the profile, in order of their addresses; what is between comes from the
 * image of the program. So code that never ran has rows, too, and code that the program made while
 * it ran has those that were seen.
 */
#include "cli/commands/profile/profile_annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>

#include "cli/base/cli.h"
#include "cli/commands/profile/profile_code.h"
#include "cli/input/source_lines.h"
#include "common/array.h"

#define ROWS_MAX      ((size_t)1 << 20) /* of a function */
#define FILL_MAX      4096              /* lines of its source that have no code */
#define BRACE_MAX     16                /* lines up to the brace of a function */
#define SIGNATURE_MAX 4                 /* lines before its brace */
#define IMAGE_SIZE    16384
#define CHAIN_MAX     8 /* calls that are printed */
#define COPIES_MAX    4096

struct row {
	const struct ear_profile_pc *pc; /* NULL: it did not run */
	uint64_t address;
	uint32_t opcode;
	uint8_t size, xlen;
};

struct extent {
	uint64_t first, last;
	uint16_t file;
	bool copy; /* of a function that was inlined there */
};

struct line_sum {
	const char *path;
	uint32_t line;
	bool has_code;
	uint64_t records, clocks;
};

struct listing {
	const struct profile_view *view;
	struct ear_instructions *instructions;
	struct source_lines *sources;
	const struct ear_profile_pc **order; /* all that ran, by address */
	size_t order_count;

	/* Of one function. */
	const struct ear_profile_function *function;
	size_t number;
	struct row *rows;
	size_t row_count, row_capacity;
	struct extent *extents;
	size_t extent_count, extent_capacity;
	struct line_sum *lines;
	size_t line_count, line_capacity;
	uint64_t records, clocks; /* of all rows */
	unsigned xlen;
	bool limited; /* it has more code than rows */

	/* The image that was read last. */
	uint8_t image[IMAGE_SIZE];
	uint64_t image_at;
	size_t image_size, image_file;

	const char **missing; /* sources that cannot be read */
	size_t missing_count, missing_capacity;

	/* Of a table. */
	struct ear_line line; /* printed last */
	struct ear_inlined chain[CHAIN_MAX];
	size_t depth; /* of functions that were inlined there */
};

/* ---- Rows. ---- */

static int compare_places(const void *a, const void *b)
{
	const struct ear_profile_pc *x = *(const struct ear_profile_pc *const *)a;
	const struct ear_profile_pc *y = *(const struct ear_profile_pc *const *)b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_extents(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* The first in order at this address or after it. */
static size_t find_place(const struct listing *listing, uint64_t address)
{
	size_t low = 0, high = listing->order_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (listing->order[middle]->pc < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What ran at an address: of several the one that counts for the function. */
static const struct ear_profile_pc *find_ran(const struct listing *listing, size_t *at)
{
	const uint64_t address = listing->order[*at]->pc;
	const struct ear_profile_pc *found = listing->order[*at];

	for (; *at < listing->order_count && listing->order[*at]->pc == address; ++*at)
		if (listing->order[*at]->function == listing->number)
			found = listing->order[*at];
	return found;
}

static bool add_row(struct listing *listing, const struct row *row)
{
	if (listing->row_count == ROWS_MAX) {
		listing->limited = true;
		return true;
	}
	if (!EAR_ARRAY_RESERVE(listing->rows, &listing->row_capacity, listing->row_count + 1))
		return false;
	listing->rows[listing->row_count++] = *row;
	return true;
}

static bool add_ran(struct listing *listing, const struct ear_profile_pc *pc)
{
	return add_row(listing, &(struct row){.pc = pc,
					.address = pc->pc,
					.opcode = pc->opcode,
					.size = pc->opcode_size,
					.xlen = pc->xlen});
}

/* An instruction of the program's image. Returns its size; 0: there is none. */
static unsigned read_opcode(
	struct listing *listing, uint16_t file, uint64_t address, uint32_t *opcode)
{
	bool writable;

	if (listing->image_size == 0 || listing->image_file != file ||
		address < listing->image_at ||
		address - listing->image_at + 4 > listing->image_size) {
		const int64_t got = ear_names_image(listing->view->names, file, address,
			listing->image, sizeof(listing->image), &writable);
		listing->image_at = address;
		listing->image_file = file;
		listing->image_size = got > 0 ? (size_t)got : 0;
	}
	const size_t at = (size_t)(address - listing->image_at);
	const uint8_t *bytes = listing->image + at;
	if (at + 2 > listing->image_size)
		return 0;
	*opcode = bytes[0] | (uint32_t)bytes[1] << 8;
	if ((bytes[0] & 3) != 3)
		return 2;
	if (at + 4 > listing->image_size)
		return 0;
	*opcode |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return 4;
}

/* Was the function inlined at an address? */
static bool is_copy(const struct listing *listing, uint64_t address)
{
	const struct ear_profile_function *function = listing->function;
	struct ear_inlined chain[EAR_INLINED_MAX];
	const size_t count = ear_names_inlined_at(
		listing->view->names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);

	for (size_t i = 0; i < count && i < EAR_INLINED_MAX; i++)
		if (chain[i].is_inlined && strcmp(chain[i].function, function->name) == 0 &&
			(!function->source || strcmp(chain[i].path, function->source) == 0))
			return true;
	return false;
}

static bool add_extent(struct listing *listing, const struct extent *extent)
{
	if (!EAR_ARRAY_RESERVE(
		    listing->extents, &listing->extent_capacity, listing->extent_count + 1))
		return false;
	listing->extents[listing->extent_count++] = *extent;
	return true;
}

/* The range of the function that an address is in, if that is this one. */
static bool add_own(struct listing *listing, uint64_t address)
{
	struct ear_function at = {.size = sizeof(at)};

	if (!ear_names_function_at(listing->view->names, address, &at) || !at.has_size ||
		at.entry != listing->function->entry)
		return true;
	return add_extent(listing, &(struct extent){at.first, at.last, at.file, false});
}

static bool is_covered(const struct listing *listing, uint64_t address)
{
	for (size_t i = 0; i < listing->extent_count; i++)
		if (address >= listing->extents[i].first && address <= listing->extents[i].last)
			return true;
	return false;
}

static bool add_copies(struct listing *listing)
{
	struct ear_names *names = listing->view->names;
	struct ear_span *spans = calloc(COPIES_MAX, sizeof(*spans));
	bool good = spans;
	size_t count = 0;

	if (spans)
		count = ear_names_inlined_spans(names, listing->function->name, spans, COPIES_MAX);
	listing->limited = listing->limited || count > COPIES_MAX;
	for (size_t i = 0; i < count && i < COPIES_MAX && good; i++) {
		struct ear_function at = {.size = sizeof(at)};
		ear_names_function_at(names, spans[i].first, &at);
		good = add_extent(
			listing, &(struct extent){spans[i].first, spans[i].last, at.file, true});
	}
	free(spans);
	return good;
}

/* Where the function's code is. own: the first of what counts for it, and how many. */
static bool find_extents(struct listing *listing, size_t own, size_t count)
{
	const struct ear_profile_function *function = listing->function;
	bool good = true;

	listing->extent_count = 0;
	if (!listing->view->names)
		return true;
	if (!function->is_only_inlined && function->entry)
		good = add_own(listing, function->entry);
	for (size_t i = own; i < own + count && good && !function->is_only_inlined; i++) {
		const uint64_t pc = ear_profile_pc(listing->view->profile, i)->pc;
		if (!is_covered(listing, pc))
			good = add_own(listing, pc);
	}
	if (good && function->is_inlined)
		good = add_copies(listing);
	if (good)
		qsort(listing->extents, listing->extent_count, sizeof(*listing->extents),
			compare_extents);
	return good;
}

/* Rows of the addresses from *from on: what ran, and what is between. */
static bool walk_extent(struct listing *listing, const struct extent *extent, uint64_t *from)
{
	uint64_t at = extent->first > *from ? extent->first : *from;
	size_t next = find_place(listing, at);
	bool good = true;

	while (good && at <= extent->last && !listing->limited) {
		const uint64_t ran =
			next < listing->order_count ? listing->order[next]->pc : UINT64_MAX;
		const bool wanted = !extent->copy || is_copy(listing, at);
		struct row row = {.address = at, .xlen = (uint8_t)listing->xlen};
		unsigned size;
		if (ran == at) {
			const struct ear_profile_pc *pc = find_ran(listing, &next);
			size = pc->opcode_size ? pc->opcode_size : 2;
			good = !wanted || add_ran(listing, pc);
		} else {
			size = read_opcode(listing, extent->file, at, &row.opcode);
			row.size = (uint8_t)size;
			good = !wanted || size == 0 || add_row(listing, &row);
		}
		/* Code may overlap. Where the file has none, what ran is shown. */
		if (ran != at && (size == 0 || ran - at < size))
			size = 0;
		if (size == 0 && ran > extent->last)
			break;
		if (size > UINT64_MAX - at)
			break;
		at = size ? at + size : ran;
	}
	if (at > *from)
		*from = at;
	return good;
}

/* What counts for the function; it is by address. Returns how many. */
static size_t find_own(const struct ear_profile *profile, size_t function, size_t *first)
{
	size_t low = 0, high = ear_profile_pc_count(profile), count = 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (ear_profile_pc(profile, middle)->function < function)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	while (low + count < ear_profile_pc_count(profile) &&
		ear_profile_pc(profile, low + count)->function == function)
		count++;
	return count;
}

/* The rows of a function. Returns false if memory is short. */
static bool collect_rows(struct listing *listing, size_t number)
{
	const struct ear_profile *profile = listing->view->profile;
	uint64_t from = 0;
	size_t own;

	listing->number = number;
	listing->function = ear_profile_function(profile, number);
	listing->row_count = 0;
	listing->records = listing->clocks = 0;
	listing->limited = false;
	const size_t count = find_own(profile, number, &own);
	listing->xlen = count > 0 ? ear_profile_pc(profile, own)->xlen : 32;
	bool good = find_extents(listing, own, count);
	for (size_t i = 0; i < listing->extent_count && good; i++)
		good = walk_extent(listing, &listing->extents[i], &from);
	for (size_t i = own; i < own + count && good; i++)
		if (!is_covered(listing, ear_profile_pc(profile, i)->pc))
			good = add_ran(listing, ear_profile_pc(profile, i));
	if (good && listing->row_count > 0)
		qsort(listing->rows, listing->row_count, sizeof(*listing->rows), compare_rows);
	for (size_t i = 0; i < listing->row_count; i++) {
		const struct ear_profile_pc *pc = listing->rows[i].pc;
		listing->records += pc ? pc->records : 0;
		listing->clocks += pc ? pc->clocks : 0;
	}
	return good;
}

/* ---- Lines of the source. ---- */

static bool take_missing(struct listing *listing, const char *path)
{
	for (size_t i = 0; i < listing->missing_count; i++)
		if (strcmp(listing->missing[i], path) == 0)
			return true;
	if (source_lines_readable(path))
		return true;
	if (!EAR_ARRAY_RESERVE(
		    listing->missing, &listing->missing_capacity, listing->missing_count + 1))
		return false;
	listing->missing[listing->missing_count++] = path;
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	const int order = strcmp(x->path, y->path);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static bool add_line(struct listing *listing, const struct line_sum *line)
{
	if (!EAR_ARRAY_RESERVE(listing->lines, &listing->line_capacity, listing->line_count + 1))
		return false;
	listing->lines[listing->line_count++] = *line;
	return true;
}

static void merge_lines(struct listing *listing)
{
	size_t kept = 0;

	if (listing->line_count > 0)
		qsort(listing->lines, listing->line_count, sizeof(*listing->lines), compare_lines);
	for (size_t i = 0; i < listing->line_count; i++) {
		struct line_sum *line = &listing->lines[i];
		struct line_sum *before = kept > 0 ? &listing->lines[kept - 1] : NULL;
		if (!before || compare_lines(before, line) != 0) {
			listing->lines[kept++] = *line;
			continue;
		}
		before->records += line->records;
		before->clocks += line->clocks;
		before->has_code = before->has_code || line->has_code;
	}
	listing->line_count = kept;
}

/* Where the function is declared, if its first line with code is after that: the brace before it
 * at the left border, or at the end of a line that begins there; and of the former the lines above.
 * What does not look so begins with its first line.
 */
static uint32_t declared_at(struct listing *listing, const char *path, uint32_t first)
{
	uint32_t brace = 0, line;

	for (line = first; brace == 0 && line > 0 && first - line < BRACE_MAX; line--) {
		const char *text = source_lines_indented(listing->sources, path, line);
		if (!text)
			return first;
		if (text[0] == '{')
			brace = line;
		else if (text[0] && text[0] != ' ' && text[0] != '\t')
			return text[strlen(text) - 1] == '{' ? line : first;
	}
	if (brace == 0)
		return first;
	for (line = brace; line > 1 && brace - line < SIGNATURE_MAX; line--) {
		const char *text = source_lines_find(listing->sources, path, line - 1);
		if (!text[0] || text[0] == '#' || strchr(";}/", text[strlen(text) - 1]))
			break;
	}
	return line;
}

/* The lines of the rows, in order; and of the source of the function itself those between. */
static bool collect_lines(struct listing *listing)
{
	const struct profile_view *view = listing->view;
	const char *own = NULL;
	uint32_t low = UINT32_MAX, high = 0;
	struct ear_line line;
	bool good = true;

	listing->line_count = 0;
	if (profile_begin_of(view, listing->function, &line))
		own = line.path;
	for (size_t i = 0; i < listing->row_count && good; i++) {
		const struct row *row = &listing->rows[i];
		struct ear_inlined chain[1];
		if (!profile_line_at(view, row->address, &line))
			continue;
		const struct line_sum sum = {line.path, line.line, true,
			row->pc ? row->pc->records : 0, row->pc ? row->pc->clocks : 0};
		good = add_line(listing, &sum);
		if (!own || strcmp(own, line.path) != 0 ||
			ear_names_inlined_at(
				view->names, row->address, chain, sizeof(chain[0]), 1) > 1)
			continue;
		low = line.line < low ? line.line : low;
		high = line.line > high ? line.line : high;
	}
	if (high > 0)
		low = declared_at(listing, own, low);
	for (uint32_t i = low; high > 0 && high - low < FILL_MAX && i <= high && good; i++)
		good = add_line(listing, &(struct line_sum){.path = own, .line = i});
	merge_lines(listing);
	for (size_t i = 0; i < listing->line_count && good; i++)
		if (i == 0 || strcmp(listing->lines[i - 1].path, listing->lines[i].path) != 0)
			good = take_missing(listing, listing->lines[i].path);
	return good;
}

/* ---- As a table. ---- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* A row with this text after its counts; row NULL: a line of the source. */
static void print_row(const struct listing *listing, const struct row *row, const char *text)
{
	static const struct ear_profile_pc idle = {0};
	const struct ear_profile_pc *pc = row && row->pc ? row->pc : &idle;
	const bool timed = ear_profile_has_time(listing->view->profile);

	if (row)
		printf("%14" PRIu64 " %6.2f", pc->records, percent(pc->records, listing->records));
	else
		printf("%14s %6s", "", "");
	if (timed && row)
		printf(" %14" PRIu64, pc->clocks);
	else if (timed)
		printf(" %14s", "");
	if (ear_profile_shows_of(listing->view->profile).branches) {
		if (pc->taken + pc->not_taken > 0)
			printf(" %12" PRIu64 " %12" PRIu64, pc->taken, pc->not_taken);
		else
			printf(" %12s %12s", "", "");
	}
	printf("  %s\n", text);
}

/* Are the calls the same by which two lines were inlined? */
static bool is_same_call(const struct ear_inlined *a, const struct ear_inlined *b, size_t depth)
{
	for (size_t i = 1; i < depth && i < CHAIN_MAX; i++)
		if (a[i].line != b[i].line || strcmp(a[i].path, b[i].path) != 0 ||
			strcmp(a[i - 1].function, b[i - 1].function) != 0)
			return false;
	return true;
}

/* "fw.c:12  return a + b;", and by which calls it came there if they were inlined. */
static void print_line(struct listing *listing, uint64_t address)
{
	struct ear_inlined chain[CHAIN_MAX] = {0};
	struct ear_line line;
	char text[PROFILE_TEXT_MAX + SOURCE_LINE_MAX];

	if (!profile_line_at(listing->view, address, &line))
		return;
	const size_t depth = ear_names_inlined_at(
		listing->view->names, address, chain, sizeof(chain[0]), CHAIN_MAX);
	const bool same_call =
		depth == listing->depth && is_same_call(chain, listing->chain, depth);
	if (listing->line.line == line.line && listing->line.path &&
		strcmp(listing->line.path, line.path) == 0 && same_call)
		return;
	for (size_t i = depth < CHAIN_MAX ? depth : CHAIN_MAX; i > 1 && !same_call; i--) {
		snprintf(text, sizeof(text), "%s:%u  calls %s, inlined",
			ear_names_base(source_paths_map(listing->view->paths, chain[i - 1].path)),
			chain[i - 1].line, chain[i - 2].function);
		print_row(listing, NULL, text);
	}
	listing->line = line;
	listing->depth = depth;
	memcpy(listing->chain, chain, sizeof(chain));
	snprintf(text, sizeof(text), "%s:%u  %s", ear_names_base(line.path), line.line,
		source_lines_find(listing->sources, line.path, line.line));
	print_row(listing, NULL, text);
}

static void print_function(struct listing *listing)
{
	const struct profile_view *view = listing->view;
	const struct ear_profile_function *function = listing->function;
	const bool timed = ear_profile_has_time(view->profile);
	char name[PROFILE_NAME_MAX], text[PROFILE_TEXT_MAX + 80], code[PROFILE_TEXT_MAX];

	profile_name(view, function, name);
	printf("%s%s: %" PRIu64 " of %" PRIu64 " records", name,
		function->is_only_inlined ? ", inlined" : "", listing->records,
		ear_profile_total(view->profile).records);
	if (function->self.records != listing->records)
		printf(", %" PRIu64 " of them itself", function->self.records);
	printf("\n%14s %6s", "self", "%");
	if (timed)
		printf(" %14s", "clocks");
	if (ear_profile_shows_of(view->profile).branches)
		printf(" %12s %12s", "taken", "not taken");
	printf("  code\n");
	listing->line = (struct ear_line){.size = sizeof(listing->line)};
	listing->depth = 0;
	for (size_t i = 0; i < listing->row_count; i++) {
		const struct row *row = &listing->rows[i];
		print_line(listing, row->address);
		profile_instruction_text(listing->instructions, row->address, row->opcode,
			row->size, row->xlen, code);
		snprintf(text, sizeof(text), "  %8" PRIx64 "  %s%s", row->address, code,
			row->pc && row->pc->changed ? "  (and others: the code was changed)" : "");
		print_row(listing, row, text);
	}
	if (listing->limited)
		printf("... and more: the code is too large\n");
}

/* ---- As JSON. ---- */

static void json_inlined(const struct listing *listing, struct json *json, uint64_t address)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	size_t count = 0;

	if (listing->view->names)
		count = ear_names_inlined_at(
			listing->view->names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);
	if (count > EAR_INLINED_MAX)
		count = EAR_INLINED_MAX;
	json_open(json, "inlined", '[');
	for (size_t i = 0; i + 1 < count && chain[i].is_inlined; i++) {
		const struct ear_inlined *at = &chain[i + 1];
		json_open(json, NULL, '{');
		json_text(json, "function", chain[i].function);
		json_text(json, "into", at->function);
		json_text(json, "file",
			at->path[0] ? source_paths_map(listing->view->paths, at->path) : NULL);
		json_known(json, "line", at->line > 0, at->line);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_instruction(struct listing *listing, struct json *json, const struct row *row)
{
	static const struct ear_profile_pc idle = {0};
	const struct ear_profile_shows shows = ear_profile_shows_of(listing->view->profile);
	const struct ear_profile_pc *pc = row->pc ? row->pc : &idle;
	const bool is_branch = shows.branches && pc->taken + pc->not_taken > 0;
	struct ear_line line;
	char text[PROFILE_TEXT_MAX];

	profile_instruction_text(
		listing->instructions, row->address, row->opcode, row->size, row->xlen, text);
	const bool placed = profile_line_at(listing->view, row->address, &line);
	json_line(json, 4);
	json_open(json, NULL, '{');
	json_hex(json, "address", true, row->address);
	json_number(json, "records", pc->records);
	json_known(json, "clocks", shows.time, pc->clocks);
	json_known(json, "taken", is_branch, pc->taken);
	json_known(json, "not_taken", is_branch, pc->not_taken);
	json_known(json, "traps", shows.traps, pc->traps);
	json_known(json, "interrupts", shows.interrupts, pc->interrupts);
	json_known(json, "size", row->size > 0, row->size);
	json_text(json, "text", row->size > 0 ? text : NULL);
	json_bool(json, "changed", pc->changed);
	json_text(json, "file", placed ? line.path : NULL);
	json_known(json, "line", placed, placed ? line.line : 0);
	json_inlined(listing, json, row->address);
	json_close(json, '}');
}

static void json_lines(struct listing *listing, struct json *json)
{
	const bool timed = ear_profile_has_time(listing->view->profile);

	json_line(json, 3);
	json_open(json, "lines", '[');
	for (size_t i = 0; i < listing->line_count; i++) {
		const struct line_sum *line = &listing->lines[i];
		json_line(json, 4);
		json_open(json, NULL, '{');
		json_text(json, "file", line->path);
		json_number(json, "line", line->line);
		json_text(json, "text",
			source_lines_indented(listing->sources, line->path, line->line));
		json_known(json, "records", line->has_code, line->records);
		json_known(json, "clocks", line->has_code && timed, line->clocks);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_function(struct listing *listing, struct json *json)
{
	const struct ear_profile_function *function = listing->function;
	const struct row *rows = listing->rows;
	const size_t count = listing->row_count;
	struct ear_line line;

	const bool placed = profile_begin_of(listing->view, function, &line);
	json_line(json, 2);
	json_open(json, NULL, '{');
	json_text(json, "name", function->name[0] ? function->name : NULL);
	json_hex(
		json, "entry", function->entry != 0 && !function->is_only_inlined, function->entry);
	json_bool(json, "inlined", function->is_inlined);
	json_text(json, "file", placed ? line.path : NULL);
	json_known(json, "line", placed && line.line > 0, placed ? line.line : 0);
	json_hex(json, "low", count > 0, count > 0 ? rows[0].address : 0);
	json_hex(json, "high", count > 0,
		count > 0 ? rows[count - 1].address + rows[count - 1].size : 0);
	json_number(json, "records", function->self.records);
	json_known(json, "clocks", ear_profile_has_time(listing->view->profile),
		function->self.clocks);
	json_number(json, "listed", listing->records);
	json_bool(json, "limited", listing->limited);
	json_line(json, 3);
	json_open(json, "instructions", '[');
	for (size_t i = 0; i < count; i++)
		json_instruction(listing, json, &rows[i]);
	json_close(json, ']');
	json_lines(listing, json);
	json_close(json, '}');
}

/* ---- Which functions. ---- */

static bool fail_memory(void)
{
	cli_error("out of memory");
	return false;
}

/* The number of a function by its name, or an address in it. Returns false after printing. */
static bool find_function(const struct profile_view *view, const char *text, size_t *number)
{
	const size_t count = ear_profile_function_count(view->profile);
	char message[EAR_ADDRESS_MESSAGE_MAX], name[PROFILE_NAME_MAX];
	struct ear_address address = {.size = sizeof(address)};
	struct ear_function function = {.size = sizeof(function), .name = "its caller"};

	for (size_t i = 0; i < count; i++) {
		const struct ear_profile_function *at = ear_profile_function(view->profile, i);
		profile_name(view, at, name);
		if (strcmp(name, text) == 0 || strcmp(at->name, text) == 0) {
			*number = i;
			return true;
		}
	}
	if (ear_address_parse(&address, text, strlen(text), view->names, NULL, message)) {
		cli_error("--annotate: %s", message);
		return false;
	}
	const uint64_t pc = address.ranges[0].first;
	const bool named = view->names && ear_names_function_at(view->names, pc, &function);
	if (address.kind == EAR_ADDRESS_INLINED) {
		cli_error("--annotate: '%s' was inlined everywhere, and nothing of that is counted "
			  "apart here: annotate a function that it is in, as %s",
			text, function.name);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct ear_profile_function *at = ear_profile_function(view->profile, i);
		if (!at->is_only_inlined &&
			(at->entry == pc || (named && at->entry == function.entry))) {
			*number = i;
			return true;
		}
	}
	cli_error("--annotate: nothing ran in '%s'", text);
	return false;
}

/* Those that were asked for, or the hottest: numbers in *list, for free(). */
static bool choose(const struct profile_view *view, const struct profile_filter *asked,
	size_t **list, size_t *count, size_t *more)
{
	*more = 0;
	if (asked->count == 0)
		return profile_sorted(view, list, count, more);
	*list = calloc(asked->count, sizeof(**list));
	if (!*list)
		return fail_memory();
	for (*count = 0; *count < asked->count; ++*count)
		if (!find_function(view, asked->names[*count], &(*list)[*count]))
			return false;
	return true;
}

static bool begin(struct listing *listing)
{
	const struct ear_profile *profile = listing->view->profile;
	const size_t count = ear_profile_pc_count(profile);

	listing->sources = source_lines_new();
	listing->order = calloc(count + 1, sizeof(*listing->order));
	if (!listing->sources || !listing->order ||
		ear_instructions_new(&listing->instructions, NULL, NULL))
		return fail_memory();
	for (size_t i = 0; i < count; i++)
		listing->order[i] = ear_profile_pc(profile, i);
	listing->order_count = count;
	qsort(listing->order, count, sizeof(*listing->order), compare_places);
	return true;
}

static void end(struct listing *listing)
{
	ear_instructions_free(listing->instructions);
	source_lines_free(listing->sources);
	free(listing->order);
	free(listing->rows);
	free(listing->extents);
	free(listing->lines);
	free(listing->missing);
	free(listing);
}

static void warn_of_sources(const struct listing *listing)
{
	const size_t count = listing->missing_count;

	if (count == 1)
		cli_warning("%s cannot be read: its lines have no text (--source OLD=NEW says "
			    "where sources are)",
			listing->missing[0]);
	else if (count > 1)
		cli_warning("%zu sources cannot be read, as %s: their lines have no text "
			    "(--source OLD=NEW says where sources are)",
			count, listing->missing[0]);
}

static void json_begin(const struct profile_view *view, struct json *json, size_t more)
{
	const struct ear_profile_counts total = ear_profile_total(view->profile);
	const struct ear_profile_shows shows = ear_profile_shows_of(view->profile);

	json_open(json, NULL, '{');
	profile_json_counts(&shows, json, "total", &total);
	json_number(json, "gaps", ear_profile_gaps(view->profile));
	verdict_json(view->verdict, json);
	json_number(json, "left_out", more);
	json_line(json, 0);
	json_open(json, "functions", '[');
}

static void json_end(const struct listing *listing, struct json *json)
{
	json_close(json, ']');
	json_line(json, 0);
	json_open(json, "sources_missing", '[');
	for (size_t i = 0; i < listing->missing_count; i++)
		json_text(json, NULL, listing->missing[i]);
	json_close(json, ']');
	json_close(json, '}');
	putchar('\n');
}

static bool annotate(
	struct listing *listing, const size_t *list, size_t count, size_t more, bool as_json)
{
	struct json json = json_spaced();
	bool good = true;

	if (as_json)
		json_begin(listing->view, &json, more);
	for (size_t i = 0; i < count && good; i++) {
		if (!collect_rows(listing, list[i]) || !collect_lines(listing)) {
			good = fail_memory();
		} else if (as_json) {
			json_function(listing, &json);
		} else {
			if (i > 0)
				putchar('\n');
			print_function(listing);
		}
	}
	if (as_json)
		json_end(listing, &json);
	else if (more > 0)
		printf("\n... and %zu more functions (--limit N)\n", more);
	return good;
}

bool profile_annotate(const struct profile_view *view, const struct profile_filter *functions,
	bool as_json, bool quiet)
{
	if (ear_profile_pc_count(view->profile) == 0 &&
		ear_profile_total(view->profile).records > 0) {
		cli_error("--annotate: no instructions were counted: make the parts with "
			  "--annotate, too");
		return false;
	}
	struct listing *listing = calloc(1, sizeof(*listing));
	size_t *list = NULL, count = 0, more = 0;

	if (!listing)
		return fail_memory();
	listing->view = view;
	const bool good = begin(listing) && choose(view, functions, &list, &count, &more) &&
			  annotate(listing, list, count, more, as_json);
	if (good && !quiet)
		warn_of_sources(listing);
	free(list);
	end(listing);
	return good;
}
