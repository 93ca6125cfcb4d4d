/* Pages in which few lines changed in a node.
 *
 * Those with the fewest lines come first. As many as have room are complete, of the others the
 * lines that changed are taken. A line that is in the same page as one that changes all the time,
 * but changed long ago or never, is found at once so.
 */
#include "library/index/file/index_sparse.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_LINES   ((size_t)(EAR_INDEX_SPARSE_PAGE / EAR_MEMORY_LINE))
#define CHANGED_MAX  16u  /* lines that change in a page, else it is none of these */
#define COMPLETE_MAX 256u /* lines of complete pages */
#define REST_MAX     256u /* lines of others */
#define ATTEMPTS     16u  /* pages that have no room, until no more are tried */

struct page {
	uint64_t address;
	uint64_t changed; /* its lines, a bit each */
	bool complete;
};

void ear_index_sparse_fini(struct ear_index_sparse *sparse)
{
	free(sparse->lines);
	free(sparse->pages);
	*sparse = (struct ear_index_sparse){0};
}

static bool make_room(struct ear_index_sparse *sparse, size_t lines, size_t pages)
{
	*sparse = (struct ear_index_sparse){.lines = malloc((lines + 1) * sizeof(*sparse->lines)),
		.pages = malloc((pages + 1) * sizeof(*sparse->pages))};
	if (sparse->lines && sparse->pages)
		return true;
	ear_index_sparse_fini(sparse);
	return false;
}

static unsigned bit_count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

/* The pages in which few lines changed. Returns how many, in memory that the caller frees. */
static struct page *find_pages(const struct ear_memory_changes *changes, size_t *count)
{
	struct page *pages = malloc((changes->count + 1) * sizeof(*pages));

	*count = 0;
	for (size_t i = 0; pages && i < changes->count;) {
		struct page page = {
			.address = changes->lines[i].address & ~(EAR_INDEX_SPARSE_PAGE - 1)};
		while (i < changes->count &&
			changes->lines[i].address - page.address < EAR_INDEX_SPARSE_PAGE) {
			uint64_t offset = changes->lines[i++].address - page.address;
			page.changed |= (uint64_t)1 << offset / EAR_MEMORY_LINE;
		}
		if (bit_count(page.changed) <= CHANGED_MAX)
			pages[(*count)++] = page;
	}
	return pages;
}

/* Add the lines of a page that memory knows something of, of those in wanted. */
static int add_lines(struct ear_memory *memory, const struct page *page, uint64_t wanted,
	struct ear_memory_line *lines, size_t *count)
{
	for (size_t i = 0; i < PAGE_LINES; i++) {
		if (!(wanted >> i & 1))
			continue;
		int result = ear_memory_line(
			memory, page->address + i * EAR_MEMORY_LINE, &lines[*count]);
		if (result)
			return result;
		*count += lines[*count].settled != 0;
	}
	return 0;
}

/* Selects pages; the others have changed 0 afterwards. */
static int select_pages(struct page *pages, size_t count, struct ear_memory *memory)
{
	struct ear_memory_line lines[64];
	size_t complete = 0, rest = 0;
	unsigned attempts = 0;

	for (unsigned size = 1; size <= CHANGED_MAX; size++)
		for (size_t i = 0; i < count; i++) {
			size_t touched = 0;
			if (bit_count(pages[i].changed) != size || pages[i].complete)
				continue;
			if (attempts < ATTEMPTS) {
				int result =
					add_lines(memory, &pages[i], UINT64_MAX, lines, &touched);
				if (result)
					return result;
				pages[i].complete = complete + touched <= COMPLETE_MAX;
				attempts += !pages[i].complete;
			}
			if (pages[i].complete)
				complete += touched;
			else if (rest + size <= REST_MAX)
				rest += size;
			else
				pages[i].changed = 0;
		}
	return 0;
}

int ear_index_sparse_make(struct ear_index_sparse *sparse, struct ear_memory *memory,
	const struct ear_memory_changes *changes)
{
	size_t count;
	struct page *pages = find_pages(changes, &count);

	*sparse = (struct ear_index_sparse){0};
	if (!pages)
		return EAR_E_NO_MEMORY;
	int result = select_pages(pages, count, memory);
	if (result == 0 && !make_room(sparse, COMPLETE_MAX + REST_MAX, COMPLETE_MAX))
		result = EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count && result == 0; i++) {
		if (pages[i].changed == 0)
			continue;
		if (pages[i].complete)
			sparse->pages[sparse->page_count++] = pages[i].address;
		result = add_lines(memory, &pages[i],
			pages[i].complete ? UINT64_MAX : pages[i].changed, sparse->lines,
			&sparse->count);
	}
	free(pages);
	if (result)
		ear_index_sparse_fini(sparse);
	return result;
}

/* What before says of a line goes under it. */
static int add_under(
	struct ear_index_sparse *to, struct ear_memory *before, struct ear_memory_line line)
{
	struct ear_memory_line older;
	int result = ear_memory_line(before, line.address, &older);

	if (result)
		return result;
	ear_memory_line_under(&line, &older);
	if (line.settled)
		to->lines[to->count++] = line;
	return 0;
}

int ear_index_sparse_complete(struct ear_index_sparse *completed,
	const struct ear_index_sparse *sparse, struct ear_memory *before)
{
	size_t at = 0, page = 0;
	int result = 0;

	if (!make_room(
		    completed, sparse->count + sparse->page_count * PAGE_LINES, sparse->page_count))
		return EAR_E_NO_MEMORY;
	while (result == 0 && (at < sparse->count || page < sparse->page_count)) {
		uint64_t first = page < sparse->page_count ? sparse->pages[page] : UINT64_MAX;
		if (at < sparse->count && sparse->lines[at].address < first) {
			result = add_under(completed, before, sparse->lines[at++]);
			continue;
		}
		completed->pages[completed->page_count++] = first;
		page++;
		for (size_t i = 0; i < PAGE_LINES && result == 0; i++) {
			uint64_t address = first + i * EAR_MEMORY_LINE;
			const struct ear_memory_line none = {.address = address};
			bool has = at < sparse->count && sparse->lines[at].address == address;
			result = add_under(completed, before, has ? sparse->lines[at] : none);
			at += has;
		}
	}
	if (result)
		ear_index_sparse_fini(completed);
	return result;
}

bool ear_index_sparse_shrink(struct ear_index_sparse *sparse)
{
	size_t kept = 0, page = 0, pages = sparse->page_count;
	bool rest = false;

	/* Is there a line that is in no complete page? */
	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1 && !rest)
			pages /= 2;
		kept = page = 0;
		for (size_t i = 0; i < sparse->count; i++) {
			uint64_t address = sparse->lines[i].address;
			while (page < pages &&
				sparse->pages[page] + (EAR_INDEX_SPARSE_PAGE - 1) < address)
				page++;
			bool in = page < pages && sparse->pages[page] <= address;
			rest |= pass == 0 && !in;
			if (pass == 1 && in)
				sparse->lines[kept++] = sparse->lines[i];
		}
	}
	sparse->count = kept;
	sparse->page_count = pages;
	return kept > 0;
}
