/* Functions, and those that were inlined, of all files together. As lines, they are asked for when
 * they are first needed.
 */
#include <earshot/error.h>
#include <earshot/names.h>
#include <stdlib.h>
#include <string.h>

#include "common/versioned.h"
#include "library/names/names_internal.h"

static void ask(struct ear_names *names, size_t number)
{
	struct names_file *file = &names->files[number];
	uint8_t *answer;
	size_t size;

	if (file->has_scopes || !file->facts.file.has_debug)
		return;
	file->has_scopes = true;
	if (names_ask(names, number, EAR_MESSAGE_SCOPES, NULL, 0, &answer, &size) != 0)
		return;
	int result = names_scopes_read(&file->scopes, answer, size);
	if (result != 0)
		names_fail(names, result, file->path, "its functions: %s", ear_error_text(result));
	free(answer);
}

static bool gather(const struct ear_names *names, struct names_merged *merged)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		count += names->files[i].scopes.count;
	struct ear_interval *intervals = calloc(count + 1, sizeof(*intervals));
	merged->scopes = calloc(count + 1, sizeof(*merged->scopes));
	merged->scope_files = calloc(count + 1, sizeof(*merged->scope_files));
	if (!intervals || !merged->scopes || !merged->scope_files) {
		free(intervals);
		return false;
	}
	count = 0;
	for (size_t i = 0; i < names->count; i++) {
		const struct names_file *file = &names->files[i];
		for (size_t j = 0; j < file->scopes.count; j++, count++) {
			const struct names_scope *scope = &file->scopes.list[j];
			uint64_t first = names_there(file, scope->first);
			merged->scopes[count] = scope;
			merged->scope_files[count] = (uint32_t)i;
			intervals[count] = (struct ear_interval){.first = first,
				.last = first + (scope->last - scope->first),
				.rank = {(uint64_t)i << 32 | scope->depth, 0},
				.item = (uint32_t)count};
			if (intervals[count].last < first)
				intervals[count].last = UINT64_MAX;
		}
	}
	merged->scope_count = count;
	bool good = ear_spans_make(&merged->scope_spans, intervals, count) == 0;
	free(intervals);
	return good;
}

static const struct names_merged *merge(const struct ear_names *names)
{
	struct names_merged *merged = names->merged;

	if (merged->has_scopes)
		return merged;
	merged->has_scopes = true;
	for (size_t i = 0; i < names->count; i++)
		ask((struct ear_names *)(uintptr_t)names, i);
	if (!gather(names, merged))
		merged->scope_count = 0;
	return merged;
}

static const struct names_scope *find(
	const struct ear_names *names, uint64_t address, uint32_t *file)
{
	const struct names_merged *merged = merge(names);
	size_t at;
	uint32_t item = ear_spans_find(&merged->scope_spans, address, &at);

	if (item == EAR_INTERVALS_NONE)
		return NULL;
	*file = merged->scope_files[item];
	return merged->scopes[item];
}

static const struct names_scope *parent_of(
	const struct ear_names *names, uint32_t file, const struct names_scope *scope)
{
	return scope->parent == UINT32_MAX ? NULL : &names->files[file].scopes.list[scope->parent];
}

size_t ear_names_inlined_at(const struct ear_names *names, uint64_t address,
	struct ear_inlined *chain, size_t size, size_t max)
{
	uint32_t file;
	const struct names_scope *scope = find(names, address, &file);
	struct ear_line line = {.size = sizeof(line)};
	size_t count = 0;
	const char *path = "";
	uint32_t number = 0, column = 0;

	if (ear_names_line_at(names, address, &line)) {
		path = line.path;
		number = line.line;
		column = line.column;
	}
	for (; scope && count < max && count < EAR_INLINED_MAX;
		scope = parent_of(names, file, scope)) {
		const struct ear_inlined step = {.function = scope->name,
			.path = path,
			.line = number,
			.column = column,
			.is_inlined = scope->is_inlined,
			.declared_path = scope->path,
			.declared_line = scope->line};
		ear_versioned_element(chain, size, count++, &step, sizeof(step));
		path = scope->call_path;
		number = scope->call_line;
		column = scope->call_column;
	}
	return count;
}

/* Has an inlined scope this name, with its arguments or without? */
static bool is_copy(const struct names_scope *scope, const char *name, size_t size)
{
	return scope->is_inlined && strncmp(scope->name, name, size) == 0 &&
	       (scope->name[size] == '\0' || scope->name[size] == '(');
}

static int compare_spans(const void *a, const void *b)
{
	const struct ear_span *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Spans that touch become one. Returns how many are left. */
static size_t merge_spans(struct ear_span *spans, size_t count)
{
	size_t to = 0;

	for (size_t i = 1; i < count; i++)
		if (spans[to].last == UINT64_MAX || spans[i].first <= spans[to].last + 1)
			spans[to].last =
				spans[i].last > spans[to].last ? spans[i].last : spans[to].last;
		else
			spans[++to] = spans[i];
	return count ? to + 1 : 0;
}

/* The code of the copies of name, merged. NULL if there are none, else for free(). */
static struct ear_span *find_copies(const struct ear_names *names, const char *name, size_t *count)
{
	const struct names_merged *merged = merge(names);
	const size_t size = strlen(name);
	struct ear_span *spans = NULL;

	*count = 0;
	for (size_t i = 0; i < merged->scope_count; i++)
		*count += is_copy(merged->scopes[i], name, size);
	if (*count > 0)
		spans = calloc(*count, sizeof(*spans));
	for (size_t i = 0, to = 0; spans && i < merged->scope_count; i++) {
		const struct names_scope *scope = merged->scopes[i];
		if (!is_copy(scope, name, size))
			continue;
		const uint64_t first =
			names_there(&names->files[merged->scope_files[i]], scope->first);
		spans[to++] = (struct ear_span){first, first + (scope->last - scope->first)};
	}
	if (!spans) {
		*count = 0;
		return NULL;
	}
	qsort(spans, *count, sizeof(*spans), compare_spans);
	*count = merge_spans(spans, *count);
	return spans;
}

size_t ear_names_inlined_spans(
	const struct ear_names *names, const char *name, struct ear_span *spans, size_t max)
{
	size_t count;
	struct ear_span *found = find_copies(names, name, &count);

	for (size_t i = 0; i < count && i < max; i++)
		spans[i] = found[i];
	free(found);
	return count;
}

static bool is_in(const struct ear_span *spans, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= spans[i].first && address <= spans[i].last)
			return true;
	return false;
}

/* A copy of several ranges has several rows, one after the other. Compilers also name an entry that
 * is not in the copy: it begins with its first range then. */
size_t ear_names_inlined_entries(
	const struct ear_names *names, const char *name, uint64_t *entries, size_t max)
{
	const size_t size = strlen(name);
	const struct names_scope *before = NULL;
	size_t span_count, count = 0;
	struct ear_span *spans = find_copies(names, name, &span_count);
	const struct names_merged *merged = names->merged;

	for (size_t i = 0; spans && i < merged->scope_count; i++) {
		const struct names_scope *scope = merged->scopes[i];
		if (!is_copy(scope, name, size))
			continue;
		const bool is_same = before && scope == before + 1 &&
				     scope->entry == before->entry &&
				     scope->parent == before->parent;
		before = scope;
		if (is_same)
			continue;
		const struct names_file *file = &names->files[merged->scope_files[i]];
		const uint64_t entry = names_there(file, scope->entry);
		if (count < max)
			entries[count] = is_in(spans, span_count, entry)
						 ? entry
						 : names_there(file, scope->first);
		count++;
	}
	free(spans);
	return count;
}

size_t names_inlined_count(const struct ear_names *names)
{
	return merge(names)->scope_count;
}

const char *names_inlined_name(const struct ear_names *names, size_t i)
{
	const struct names_scope *scope = names->merged->scopes[i];

	return scope->is_inlined ? scope->name : NULL;
}

/* The function that a scope is of, or was inlined into; NULL: in none. */
static const struct names_scope *outermost(const struct ear_names *names, uint32_t item)
{
	const struct names_merged *merged = names->merged;
	const struct names_scope *scope = item == EAR_INTERVALS_NONE ? NULL : merged->scopes[item];

	while (scope && scope->parent != UINT32_MAX)
		scope = parent_of(names, merged->scope_files[item], scope);
	return scope;
}

static void narrow(struct ear_span *span, uint64_t first, uint64_t last)
{
	span->first = first > span->first ? first : span->first;
	span->last = last < span->last ? last : span->last;
}

/* The debug information's function, which may be of several ranges. *span is narrowed to the
 * addresses with the same answer: what is inlined into a function does not end it.
 */
static bool debug_function(const struct ear_names *names, uint64_t address,
	struct ear_function *function, struct ear_span *span)
{
	const struct names_merged *merged = merge(names);
	const struct ear_spans *spans = &merged->scope_spans;
	size_t at, end;
	uint64_t first, last, unused;
	uint32_t item = ear_spans_find(spans, address, &at);
	const struct names_scope *scope = outermost(names, item);

	for (end = at; scope && at > 0 && outermost(names, spans->items[at - 1]) == scope;)
		at--;
	while (scope && end + 1 < spans->count && outermost(names, spans->items[end + 1]) == scope)
		end++;
	ear_spans_bounds(spans, at, &first, &unused);
	ear_spans_bounds(spans, end, &unused, &last);
	narrow(span, first, last);
	if (!scope || scope->is_inlined)
		return false;
	*function = (struct ear_function){.name = scope->name,
		.entry = names_there(&names->files[merged->scope_files[item]], scope->entry),
		.file = (uint16_t)merged->scope_files[item],
		.has_size = true};
	return true;
}

/* Is it in a section that can be executed? *span is narrowed to addresses with the same answer. */
static bool is_code(const struct names_file *file, uint64_t address, struct ear_span *span)
{
	const struct ear_names_file *facts = &file->facts.file;

	for (size_t i = 0; i < facts->section_count; i++) {
		const struct ear_names_section *section = &facts->sections[i];
		uint64_t first = names_there(file, section->address);
		if (!(section->flags & EAR_NAMES_EXECUTE) || address - first >= section->size)
			continue;
		narrow(span, first, first + (section->size - 1));
		return true;
	}
	if (facts->section_count > 0)
		narrow(span, address, address);
	return facts->section_count == 0;
}

/* Each part of the answer narrows the span, so that no caller has to know what the answer is of. */
static bool find_function(
	const struct ear_names *names, uint64_t address, struct ear_function *function)
{
	struct ear_span span;
	const struct ear_symbol *symbol =
		ear_names_symbol_span(names, address, &span.first, &span.last);
	bool is_function = symbol && symbol->kind == EAR_NAMES_FUNCTION;

	if (symbol && symbol->kind == EAR_NAMES_LABEL)
		is_function = is_code(&names->files[symbol->file], address, &span);
	if ((is_function && symbol->size > 0) || !debug_function(names, address, function, &span)) {
		if (!is_function)
			return false;
		*function = (struct ear_function){.name = symbol->name,
			.entry = symbol->address,
			.file = symbol->file,
			.has_size = symbol->size > 0};
	}
	function->first = span.first;
	function->last = span.last;
	return true;
}

bool ear_names_function_at(
	const struct ear_names *names, uint64_t address, struct ear_function *function)
{
	struct ear_function own;

	return find_function(names, address, &own) &&
	       ear_versioned_write(function, &own, sizeof(own)) == 0;
}
