/* Versions of memory.
 *
 * A version has the lines that changed since the one before, whenever that was: how often one is
 * written is for the builder to decide. Its lines are packed in pages of 64, so that a question
 * about a few lines unpacks a few kilobytes; a sorted list of all addresses says which page.
 */
#include "library/index/file/index_version.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define HEADER_SIZE   16u
#define PENDING_FIRST ((size_t)1 << 10)
#define PENDING_MAX   ((size_t)1 << 16) /* lines, 6 MB */
#define LINES_MAX     PENDING_MAX
#define LINE_SIZE     (8u + 8u + EAR_MEMORY_LINE) /* in a page */
#define FORGOTTEN     1u
#define PARTIAL       2u
#define WHOLE         4u

/* Pending ----------------------------------------------------------------------------------- */

static bool make_table(struct ear_index_pending *pending, size_t capacity)
{
	pending->lines = malloc(capacity * sizeof(*pending->lines));
	pending->used = calloc(capacity, sizeof(*pending->used));
	pending->capacity = capacity;
	pending->count = 0;
	return pending->lines && pending->used;
}

int ear_index_pending_init(struct ear_index_pending *pending)
{
	*pending = (struct ear_index_pending){.whole = true};
	return make_table(pending, PENDING_FIRST) ? 0 : EAR_E_NO_MEMORY;
}

void ear_index_pending_fini(struct ear_index_pending *pending)
{
	free(pending->lines);
	free(pending->used);
	*pending = (struct ear_index_pending){0};
}

void ear_index_pending_clear(struct ear_index_pending *pending)
{
	memset(pending->used, 0, pending->capacity * sizeof(*pending->used));
	pending->count = 0;
	pending->forgotten = false;
	pending->partial = false;
	pending->whole = true;
	pending->covers = 0;
	pending->sparse = NULL;
}

void ear_index_pending_forget(struct ear_index_pending *pending)
{
	uint32_t covers = pending->covers;

	ear_index_pending_clear(pending);
	pending->forgotten = true;
	pending->covers = covers;
}

/* Where a line is, or would be. */
static size_t find(const struct ear_index_pending *pending, uint64_t address)
{
	size_t at = ear_hash_index(address / EAR_MEMORY_LINE, pending->capacity);

	while (pending->used[at] && pending->lines[at].address != address)
		at = (at + 1) & (pending->capacity - 1);
	return at;
}

static int grow(struct ear_index_pending *pending)
{
	struct ear_index_pending old = *pending;

	if (!make_table(pending, 2 * old.capacity)) {
		ear_index_pending_fini(pending);
		*pending = old;
		return EAR_E_NO_MEMORY;
	}
	for (size_t i = 0; i < old.capacity; i++) {
		if (!old.used[i])
			continue;
		size_t at = find(pending, old.lines[i].address);
		pending->lines[at] = old.lines[i];
		pending->used[at] = true;
	}
	pending->count = old.count;
	ear_index_pending_fini(&old);
	return 0;
}

static int add_line(struct ear_index_pending *pending, struct ear_memory_line *line)
{
	size_t at = find(pending, line->address);

	if (pending->used[at]) {
		ear_memory_line_under(line, &pending->lines[at]);
		pending->lines[at] = *line;
		return 0;
	}
	if (pending->count == PENDING_MAX)
		return EAR_E_FULL;
	if (2 * pending->count >= pending->capacity) {
		int result = grow(pending);
		if (result)
			return result;
		at = find(pending, line->address);
	}
	pending->lines[at] = *line;
	pending->used[at] = true;
	pending->count++;
	return 0;
}

int ear_index_pending_add(
	struct ear_index_pending *pending, const uint8_t *changes, size_t size, bool whole)
{
	struct ear_memory_loader loader;
	struct ear_memory_line line;
	int result = ear_memory_changes_load(&loader, changes, size);

	if (result)
		return result;
	if (loader.forgotten)
		ear_index_pending_forget(pending);
	while ((result = ear_memory_changes_next(&loader, &line)) == 1) {
		result = add_line(pending, &line);
		if (result)
			break;
	}
	pending->whole = pending->whole && whole;
	if (result == 0)
		pending->covers++;
	if (result == EAR_E_FULL)
		ear_index_pending_clear(pending);
	return result;
}

/* The lines of changes, in memory that the caller frees. */
static int load_changes(struct ear_memory_loader *loader, const uint8_t *changes, size_t size,
	struct ear_memory_line **lines, size_t *count)
{
	int result = ear_memory_changes_load(loader, changes, size);

	*lines = NULL;
	*count = 0;
	if (result)
		return result;
	*lines = malloc((size_t)(loader->count + 1) * sizeof(**lines));
	if (!*lines)
		return EAR_E_NO_MEMORY;
	while ((result = ear_memory_changes_next(loader, &(*lines)[*count])) == 1)
		++*count;
	return result;
}

int ear_index_pending_set_sparse(
	struct ear_index_pending *pending, const struct ear_index_sparse *sparse, bool whole)
{
	int result = 0;

	ear_index_pending_clear(pending);
	pending->partial = true;
	pending->whole = whole;
	pending->covers = 1;
	pending->sparse = sparse;
	for (size_t i = 0; i < sparse->count && result == 0; i++) {
		struct ear_memory_line line = sparse->lines[i];
		result = add_line(pending, &line);
	}
	return result;
}

static int save_changes(const struct ear_memory_changes *changes, struct ear_index_bytes *bytes)
{
	size_t size = ear_memory_changes_save(changes, NULL, 0);
	uint8_t *room = ear_index_bytes_grow(bytes, size);

	if (!room)
		return EAR_E_NO_MEMORY;
	ear_memory_changes_save(changes, room, size);
	return 0;
}

int ear_index_complete_changes(struct ear_memory *memory, const struct ear_index_bytes *changes,
	struct ear_index_bytes *completed)
{
	struct ear_memory_loader loader;
	struct ear_memory_line *lines, older;
	size_t count;
	int result = load_changes(&loader, changes->bytes, changes->size, &lines, &count);

	for (size_t i = 0; i < count && result == 0 && !loader.forgotten; i++) {
		result = ear_memory_line(memory, lines[i].address, &older);
		if (result == 0)
			ear_memory_line_under(&lines[i], &older);
	}
	const struct ear_memory_changes all = {loader.forgotten, loader.written, count, lines};
	if (result == 0)
		result = save_changes(&all, completed);
	free(lines);
	return result;
}

/* Packing ----------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct ear_memory_line *const *left = a, *const *right = b;

	return (*left)->address < (*right)->address ? -1 : (*left)->address > (*right)->address;
}

static const struct ear_memory_line **sort_lines(const struct ear_index_pending *pending)
{
	const struct ear_memory_line **sorted = malloc((pending->count + 1) * sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < pending->capacity; i++)
		if (pending->used[i])
			sorted[count++] = &pending->lines[i];
	qsort(sorted, count, sizeof(*sorted), by_address);
	return sorted;
}

static int pack_page(struct ear_index_packer *packer, struct ear_index_bytes *to,
	const struct ear_memory_line *const *lines, size_t count)
{
	uint8_t bytes[EAR_INDEX_PAGE_LINES * LINE_SIZE], *at = bytes;

	for (size_t i = 0; i < count; i++, at += 8)
		ear_store_le64(at, lines[i]->known);
	for (size_t i = 0; i < count; i++, at += 8)
		ear_store_le64(at, lines[i]->settled & ~lines[i]->known);
	for (size_t i = 0; i < count; i++, at += EAR_MEMORY_LINE)
		memcpy(at, lines[i]->bytes, EAR_MEMORY_LINE);
	return ear_index_pack(packer, to, bytes, (size_t)(at - bytes), NULL, 0);
}

static int pack_pages(struct ear_index_packer *packer, struct ear_index_bytes *pages,
	struct ear_index_bytes *list, const struct ear_memory_line *const *lines, size_t count)
{
	for (size_t i = 0; i < count; i += EAR_INDEX_PAGE_LINES) {
		size_t before = pages->size, left = count - i;
		int result = pack_page(packer, pages, lines + i,
			left < EAR_INDEX_PAGE_LINES ? left : EAR_INDEX_PAGE_LINES);
		if (result)
			return result;
		ear_index_bytes_put_number(list, pages->size - before);
	}
	return 0;
}

static void put_complete(struct ear_index_bytes *list, const struct ear_index_sparse *sparse)
{
	size_t count = sparse ? sparse->page_count : 0;
	uint64_t before = 0;

	ear_index_bytes_put_number(list, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t page = sparse->pages[i] / EAR_INDEX_SPARSE_PAGE;
		ear_index_bytes_put_number(list, page - before);
		before = page;
	}
}

int ear_index_version_pack(struct ear_index_packer *packer, struct ear_index_bytes *block,
	uint32_t *list_size, const struct ear_index_pending *pending)
{
	struct ear_index_bytes list = {0}, packed = {0}, pages = {0};
	const struct ear_memory_line **lines = sort_lines(pending);
	uint64_t before = 0;

	if (!lines)
		return EAR_E_NO_MEMORY;
	ear_index_bytes_put_number(&list, pending->count);
	for (size_t i = 0; i < pending->count; i++) {
		ear_index_bytes_put_number(&list, (lines[i]->address - before) / EAR_MEMORY_LINE);
		before = lines[i]->address;
	}
	int result = pack_pages(packer, &pages, &list, lines, pending->count);
	put_complete(&list, pending->sparse);
	if (result == 0)
		result = list.failed
				 ? EAR_E_NO_MEMORY
				 : ear_index_pack(packer, &packed, list.bytes, list.size, NULL, 0);
	if (result == 0) {
		ear_index_bytes_put_value(block,
			(pending->forgotten ? FORGOTTEN : 0) | (pending->partial ? PARTIAL : 0) |
				(pending->whole ? WHOLE : 0),
			4);
		ear_index_bytes_put_value(block, pending->covers, 4);
		ear_index_bytes_put_value(block, packed.size, 4);
		ear_index_bytes_put_value(block, list.size, 4);
		ear_index_bytes_put(block, packed.bytes, packed.size);
		ear_index_bytes_put(block, pages.bytes, pages.size);
		*list_size = (uint32_t)list.size;
		result = block->failed ? EAR_E_NO_MEMORY : 0;
	}
	ear_index_bytes_fini(&pages);
	ear_index_bytes_fini(&packed);
	ear_index_bytes_fini(&list);
	free(lines);
	return result;
}

int ear_index_pending_bytes(const struct ear_index_pending *pending, struct ear_index_bytes *bytes)
{
	const struct ear_memory_line **lines = sort_lines(pending);

	if (!lines)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < pending->count; i++)
		ear_index_bytes_put(bytes, lines[i]->bytes, EAR_MEMORY_LINE);
	free(lines);
	return bytes->failed ? EAR_E_NO_MEMORY : 0;
}

/* Reading ----------------------------------------------------------------------------------- */

void ear_index_version_fini(struct ear_index_version *version)
{
	free(version->addresses);
	free(version->pages);
	free(version->complete);
	*version = (struct ear_index_version){0};
}

static int read_complete(struct ear_index_version *version, struct ear_index_cursor *cursor)
{
	uint64_t page = 0;

	version->complete_count = ear_index_cursor_count(cursor, LINES_MAX);
	version->complete = malloc((version->complete_count + 1) * sizeof(*version->complete));
	if (!version->complete)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < version->complete_count; i++) {
		uint64_t step = ear_index_cursor_number(cursor);
		if ((i > 0 && step == 0) || step > UINT64_MAX / EAR_INDEX_SPARSE_PAGE - page)
			return EAR_E_BAD_FILE;
		page += step;
		version->complete[i] = page * EAR_INDEX_SPARSE_PAGE;
	}
	return 0;
}

/* The list: addresses, and sizes of pages that begin at an offset of the file and have so many
 * bytes together. */
static int read_list(struct ear_index_version *version, const uint8_t *list, size_t size,
	uint64_t offset, uint64_t bytes)
{
	struct ear_index_cursor cursor = {list, list + size, false};
	uint64_t address = 0, end = offset + bytes;

	version->count = ear_index_cursor_count(&cursor, LINES_MAX);
	version->page_count = (version->count + EAR_INDEX_PAGE_LINES - 1) / EAR_INDEX_PAGE_LINES;
	version->addresses = malloc((version->count + 1) * sizeof(*version->addresses));
	version->pages = malloc((version->page_count + 1) * sizeof(*version->pages));
	if (!version->addresses || !version->pages)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < version->count; i++) {
		uint64_t step = ear_index_cursor_number(&cursor);
		if ((i > 0 && step == 0) || step > (UINT64_MAX - address) / EAR_MEMORY_LINE)
			return EAR_E_BAD_FILE;
		address += step * EAR_MEMORY_LINE;
		version->addresses[i] = address;
	}
	version->pages[0] = offset;
	for (size_t i = 0; i < version->page_count; i++) {
		uint64_t page = ear_index_cursor_number(&cursor);
		if (page > end - offset)
			return EAR_E_BAD_FILE;
		offset += page;
		version->pages[i + 1] = offset;
	}
	int result = read_complete(version, &cursor);
	if (result)
		return result;
	return cursor.failed || cursor.at != cursor.end || offset != end ? EAR_E_BAD_FILE : 0;
}

static int read_version(
	struct ear_index_version *version, const struct ear_index *index, size_t node)
{
	const struct ear_index_place *place = &index->directory.levels[0].nodes[node].version;
	uint8_t *header, *packed, *list;

	if (place->size < HEADER_SIZE)
		return EAR_E_BAD_FILE;
	int result = ear_index_file_read(index, place->offset, HEADER_SIZE, &header);
	if (result)
		return result;
	uint32_t size = ear_load_le32(header + 8), unpacked = ear_load_le32(header + 12);
	version->forgotten = ear_load_le32(header) & FORGOTTEN;
	version->partial = ear_load_le32(header) & PARTIAL;
	version->whole = ear_load_le32(header) & WHOLE;
	version->covers = ear_load_le32(header + 4);
	free(header);
	if (size > place->size - HEADER_SIZE || unpacked != place->unpacked ||
		version->covers == 0 || version->covers > node + 1)
		return EAR_E_BAD_FILE;
	result = ear_index_file_read(index, place->offset + HEADER_SIZE, size, &packed);
	if (result)
		return result;
	result = ear_index_unpack(index->context, &list, unpacked, packed, size, NULL, 0);
	free(packed);
	if (result)
		return result;
	result = read_list(version, list, unpacked, place->offset + HEADER_SIZE + size,
		place->size - HEADER_SIZE - size);
	free(list);
	return result;
}

int ear_index_version_read(
	struct ear_index_version *version, const struct ear_index *index, size_t node)
{
	*version = (struct ear_index_version){0};
	int result = read_version(version, index, node);
	if (result)
		ear_index_version_fini(version);
	return result;
}

static int read_page(const struct ear_index_version *version, const struct ear_index *index,
	size_t page, uint8_t **bytes, size_t *count)
{
	size_t left = version->count - page * EAR_INDEX_PAGE_LINES;
	size_t size = (size_t)(version->pages[page + 1] - version->pages[page]);
	uint8_t *packed;

	*count = left < EAR_INDEX_PAGE_LINES ? left : EAR_INDEX_PAGE_LINES;
	int result = ear_index_file_read(index, version->pages[page], size, &packed);
	if (result)
		return result;
	result = ear_index_unpack(index->context, bytes, *count * LINE_SIZE, packed, size, NULL, 0);
	free(packed);
	return result;
}

static struct ear_memory_line page_line(
	const uint8_t *bytes, size_t count, size_t i, uint64_t address)
{
	struct ear_memory_line line = {.address = address,
		.known = ear_load_le64(bytes + 8 * i),
		.settled = ear_load_le64(bytes + 8 * (count + i))};

	line.settled |= line.known;
	memcpy(line.bytes, bytes + 16 * count + i * EAR_MEMORY_LINE, EAR_MEMORY_LINE);
	for (unsigned byte = 0; byte < EAR_MEMORY_LINE; byte++)
		if (!(line.known >> byte & 1))
			line.bytes[byte] = 0;
	return line;
}

int ear_index_version_lines(const struct ear_index_version *version, const struct ear_index *index,
	struct ear_memory_line *lines, size_t count)
{
	size_t at = 0, page = SIZE_MAX, in_page = 0;
	uint8_t *bytes = NULL;
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		/* Both ascend, and versions are longer: skip by halves. */
		size_t left = version->count - at;
		while (left > 0) {
			size_t half = left / 2;
			if (version->addresses[at + half] < lines[i].address) {
				at += half + 1;
				left -= half + 1;
			} else {
				left = half;
			}
		}
		if (at == version->count || version->addresses[at] != lines[i].address)
			continue;
		if (at / EAR_INDEX_PAGE_LINES != page) {
			free(bytes);
			bytes = NULL;
			page = at / EAR_INDEX_PAGE_LINES;
			result = read_page(version, index, page, &bytes, &in_page);
			if (result)
				break;
		}
		struct ear_memory_line older =
			page_line(bytes, in_page, at % EAR_INDEX_PAGE_LINES, lines[i].address);
		ear_memory_line_under(&lines[i], &older);
	}
	free(bytes);
	return result;
}

int ear_index_version_bytes(const struct ear_index_version *version, const struct ear_index *index,
	struct ear_index_bytes *bytes)
{
	int result = 0;

	for (size_t page = 0; page < version->page_count && result == 0; page++) {
		uint8_t *lines;
		size_t count;
		result = read_page(version, index, page, &lines, &count);
		if (result)
			break;
		ear_index_bytes_put(bytes, lines + 16 * count, EAR_MEMORY_LINE * count);
		free(lines);
	}
	return result;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

bool ear_index_version_has(const struct ear_index_version *version, uint64_t address)
{
	return bsearch(&address, version->addresses, version->count, sizeof(address),
		       compare_addresses) != NULL;
}

bool ear_index_version_is_complete(const struct ear_index_version *version, uint64_t address)
{
	uint64_t page = address & ~(EAR_INDEX_SPARSE_PAGE - 1);

	return version->whole && bsearch(&page, version->complete, version->complete_count,
					 sizeof(page), compare_addresses) != NULL;
}

int ear_index_version_check(const struct ear_index_version *version, const struct ear_index *index)
{
	int result = 0;

	for (size_t page = 0; page < version->page_count && result == 0; page++) {
		uint8_t *bytes;
		size_t count;
		result = read_page(version, index, page, &bytes, &count);
		if (result == 0)
			free(bytes);
	}
	return result;
}
