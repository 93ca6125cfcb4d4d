/* Symbols of all files together: a list by address with the spans in which each counts, and two
 * orders by name. A name that is asked for is found by binary search, one that is near a wrong one
 * by looking at all.
 */
#include <earshot/error.h>
#include <earshot/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "library/names/names_internal.h"

static int compare_symbols(const void *a, const void *b)
{
	const struct ear_symbol *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->file != right->file)
		return left->file < right->file ? -1 : 1;
	return strcmp(left->linked, right->linked);
}

/* ---- Where a symbol ends ---- */

/* A symbol and its section, for sorting. */
struct placed {
	struct ear_symbol symbol;
	uint32_t section;
};

static int compare_placed(const void *a, const void *b)
{
	return compare_symbols(a, b);
}

/* The last address of a symbol without a size: before the next symbol of the file, or the end of
 * its section. One of no section (a constant of the linker) has one address.
 */
static uint64_t find_last(const struct ear_names *names, const struct placed *placed, uint64_t next)
{
	const struct names_file *file = &names->files[placed->symbol.file];
	uint64_t first = placed->symbol.address;

	if (placed->section >= file->facts.file.section_count)
		return first;
	const struct ear_names_section *section = &file->facts.sections[placed->section];
	uint64_t begin = names_there(file, section->address);
	if (first - begin >= section->size)
		return first;
	uint64_t last = begin + section->size - 1;
	return next > first && next - 1 < last ? next - 1 : last;
}

/* next: address of the next symbol of the file that is elsewhere, 0 none. */
static struct ear_interval interval_of(
	const struct ear_names *names, const struct placed *placed, uint64_t next, size_t i)
{
	const struct ear_symbol *symbol = &placed->symbol;
	bool sized = symbol->size > 0;
	uint64_t last = sized ? symbol->address + symbol->size - 1 : find_last(names, placed, next);

	if (last < symbol->address) /* a lie about the size */
		last = UINT64_MAX;
	return (struct ear_interval){.first = symbol->address,
		.last = last,
		.rank = {(uint64_t)symbol->file << 1 | sized,
			(symbol->kind == EAR_NAMES_FUNCTION ? 2u : 0) + symbol->is_global},
		.item = (uint32_t)i};
}

/* ---- Names ---- */

/* A name without its arguments and without the type in front of templates: of
 * "int ns::larger<int>(int, int)" and "ns::box::take() const" "ns::larger<int>" and
 * "ns::box::take".
 */
struct key {
	const char *text;
	size_t size;
};

static struct key without_arguments(const char *name)
{
	struct key key = {name, strlen(name)};
	unsigned depth = 0;
	size_t end = key.size;

	if (end > 6 && strcmp(name + end - 6, " const") == 0)
		end -= 6;
	if (end == 0 || name[end - 1] != ')')
		return key;
	size_t at = end;
	do {
		depth += name[at - 1] == ')';
		depth -= name[at - 1] == '(';
		at--;
	} while (at > 0 && depth > 0);
	if (at == 0)
		return key;
	key.size = at;
	/* "operator new" has a space, too. */
	const char *last = strstr(name, "operator");
	size_t limit = last && last < name + at ? (size_t)(last - name) : at;
	for (size_t i = limit; i > 0; i--) {
		depth += name[i - 1] == '>' || name[i - 1] == ')';
		depth -= depth > 0 && (name[i - 1] == '<' || name[i - 1] == '(');
		if (depth == 0 && name[i - 1] == ' ')
			return (struct key){name + i, at - i};
	}
	return key;
}

size_t names_without_arguments(const char *name, const char **text)
{
	struct key key = without_arguments(name);

	*text = key.text;
	return key.size;
}

static struct key whole(const char *name)
{
	return (struct key){name, strlen(name)};
}

static int compare_keys(struct key a, struct key b)
{
	int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

static struct key key_of(const struct ear_symbol *symbol, bool source)
{
	return source ? without_arguments(symbol->name) : whole(symbol->linked);
}

/* qsort has no context: what is sorted has its text with it. */
struct keyed {
	struct key key;
	const struct ear_symbol *symbol;
	uint32_t number;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;
	int order = compare_keys(left->key, right->key);

	if (order == 0 && left->symbol->is_global != right->symbol->is_global)
		return left->symbol->is_global ? -1 : 1;
	if (order == 0)
		return left->number < right->number ? -1 : left->number > right->number;
	return order;
}

static uint32_t *order_by(const struct names_merged *merged, bool source)
{
	size_t count = merged->symbol_count;
	struct keyed *keys = calloc(count + 1, sizeof(*keys));
	uint32_t *order = calloc(count + 1, sizeof(*order));

	for (size_t i = 0; i < count && keys && order; i++) {
		const struct ear_symbol *symbol = &merged->symbols[i];

		keys[i] = (struct keyed){key_of(symbol, source), symbol, (uint32_t)i};
	}
	if (keys && order) {
		qsort(keys, count, sizeof(*keys), compare_keyed);
		for (size_t i = 0; i < count; i++)
			order[i] = keys[i].number;
	}
	free(keys);
	return order;
}

/* ---- Merging ---- */

static size_t place_all(const struct ear_names *names, struct placed *list)
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct names_file *file = &names->files[i];

		for (size_t j = 0; j < file->symbols.count; j++) {
			list[count].symbol = file->symbols.list[j];
			list[count].symbol.address =
				names_there(file, file->symbols.list[j].address);
			list[count].symbol.file = (uint16_t)i;
			list[count++].section = file->symbols.sections[j];
		}
	}
	qsort(list, count, sizeof(*list), compare_placed);
	return count;
}

static int make_spans(const struct ear_names *names, struct names_merged *merged,
	const struct placed *list, size_t count)
{
	struct ear_interval *intervals = calloc(count + 1, sizeof(*intervals));

	merged->symbols = calloc(count + 1, sizeof(*merged->symbols));
	if (!intervals || !merged->symbols) {
		free(intervals);
		return EAR_E_NO_MEMORY;
	}
	/* From the end, with the last two addresses of each file. */
	struct {
		uint64_t here, next;
	} seen[EAR_MESSAGE_FILES_MAX] = {{0}};
	for (size_t i = count; i > 0; i--) {
		const struct placed *placed = &list[i - 1];
		uint64_t address = placed->symbol.address;

		if (seen[placed->symbol.file].here != address) {
			seen[placed->symbol.file].next = seen[placed->symbol.file].here;
			seen[placed->symbol.file].here = address;
		}
		merged->symbols[i - 1] = placed->symbol;
		intervals[i - 1] =
			interval_of(names, placed, seen[placed->symbol.file].next, i - 1);
	}
	merged->symbol_count = count;
	int result = ear_spans_make(&merged->symbol_spans, intervals, count);
	free(intervals);
	return result;
}

/* Without memory there are no symbols. */
static const struct names_merged *merge(const struct ear_names *names)
{
	struct names_merged *merged = names->merged;
	size_t count = 0;

	if (merged->has_symbols)
		return merged;
	merged->has_symbols = true;
	for (size_t i = 0; i < names->count; i++)
		count += names->files[i].symbols.count;
	struct placed *list = count < UINT32_MAX ? calloc(count + 1, sizeof(*list)) : NULL;
	if (list && make_spans(names, merged, list, place_all(names, list)) != 0)
		merged->symbol_count = 0;
	free(list);
	return merged;
}

/* ---- Questions ---- */

const struct ear_symbol *ear_names_symbol_span(
	const struct ear_names *names, uint64_t address, uint64_t *first, uint64_t *last)
{
	const struct names_merged *merged = merge(names);
	size_t at;
	uint32_t item = ear_spans_find(&merged->symbol_spans, address, &at);

	ear_spans_bounds(&merged->symbol_spans, at, first, last);
	return item == EAR_INTERVALS_NONE ? NULL : &merged->symbols[item];
}

const struct ear_symbol *ear_names_symbol_at(
	const struct ear_names *names, uint64_t address, uint64_t *offset)
{
	const struct names_merged *merged = merge(names);
	size_t at;
	uint32_t item = ear_spans_find(&merged->symbol_spans, address, &at);

	if (item == EAR_INTERVALS_NONE)
		return NULL;
	*offset = address - merged->symbols[item].address;
	return &merged->symbols[item];
}

size_t ear_names_symbols(const struct ear_names *names, const struct ear_symbol **list)
{
	const struct names_merged *merged = merge(names);

	*list = merged->symbols;
	return merged->symbol_count;
}

/* How a symbol may have a name: as the file has it, demangled without its arguments, and, if the
 * name has arguments, demangled with them. Which of these a symbol fits first says in which pass it
 * is found, whatever had room in found before. */
enum fit { FIT_WHOLE, FIT_LINKED, FIT_SOURCE, FIT_NONE };

static enum fit fit_of(const struct ear_symbol *symbol, const char *name, bool has_arguments)
{
	if (has_arguments && symbol->name != symbol->linked && strcmp(symbol->name, name) == 0)
		return FIT_WHOLE;
	if (compare_keys(key_of(symbol, false), whole(name)) == 0)
		return FIT_LINKED;
	return compare_keys(key_of(symbol, true), whole(name)) == 0 ? FIT_SOURCE : FIT_NONE;
}

/* A search that fills in what there is room for, and counts the rest. */
struct named {
	const char *name;
	bool has_arguments;
	const struct ear_symbol **found;
	size_t max, count;
};

static void take_named(struct named *named, const struct ear_symbol *symbol, enum fit fit)
{
	if (fit_of(symbol, named->name, named->has_arguments) != fit)
		return;
	if (named->count < named->max)
		named->found[named->count] = symbol;
	named->count++;
}

/* All of one name in an order. */
static void find_named(
	struct named *named, const struct names_merged *merged, const uint32_t *order, bool source)
{
	size_t low = 0, high = merged->symbol_count;
	struct key key = whole(named->name);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(key_of(&merged->symbols[order[middle]], source), key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < merged->symbol_count; low++) {
		const struct ear_symbol *symbol = &merged->symbols[order[low]];

		if (compare_keys(key_of(symbol, source), key) != 0)
			break;
		take_named(named, symbol, source ? FIT_SOURCE : FIT_LINKED);
	}
}

size_t ear_names_symbols_named(const struct ear_names *names, const char *name,
	const struct ear_symbol **found, size_t max)
{
	struct names_merged *merged = names->merged;
	struct named named = {name, strchr(name, '(') != NULL, found, max, 0};

	merge(names);
	if (!merged->by_name)
		merged->by_name = order_by(merged, false);
	if (!merged->by_source)
		merged->by_source = order_by(merged, true);
	if (!merged->by_name || !merged->by_source)
		return 0;
	for (size_t i = 0; named.has_arguments && i < merged->symbol_count; i++)
		take_named(&named, &merged->symbols[i], FIT_WHOLE);
	find_named(&named, merged, merged->by_name, false);
	find_named(&named, merged, merged->by_source, true);
	return named.count;
}

int ear_names_text(const struct ear_names *names, uint64_t address, char *text, size_t size)
{
	uint64_t offset;
	const struct ear_symbol *symbol = ear_names_symbol_at(names, address, &offset);
	char name[1024];

	if (!symbol)
		return snprintf(text, size, "%s", "");
	ear_printable_string(name, sizeof(name), symbol->name, EAR_PRINTABLE_LINE);
	if (offset == 0)
		return snprintf(text, size, "%s", name);
	return snprintf(text, size, "%s+0x%llx", name, (unsigned long long)offset);
}
