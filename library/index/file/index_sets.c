/* The sets of a node as sorted arrays, their bytes, and questions to them.
 *
 * The bytes are columns: the differences of neighbouring keys are small numbers, and a column of
 * masks is mostly the same few values, so zstd, which knows nothing of either, makes a third of
 * them.
 */
#include "library/index/file/index_sets.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define CSR_MAX      4096
#define LINE_MAX     (1u << 18) /* entries of a node; a builder has at most half of that */
#define DEPTH_OFFSET ((int64_t)1 << 31)
#define ALL          ((ear_index_mask)0xffff)

void ear_index_sets_fini(struct ear_index_sets *sets)
{
	free(sets->code);
	free(sets->data);
	free(sets->csrs);
	free(sets->causes);
	free(sets->names);
	*sets = (struct ear_index_sets){0};
}

size_t ear_index_sets_size(const struct ear_index_sets *sets)
{
	return sizeof(*sets) + sets->code_count * sizeof(*sets->code) +
	       sets->data_count * sizeof(*sets->data) +
	       (sets->csr_count + sets->cause_count + sets->name_count) * sizeof(*sets->csrs);
}

void ear_index_child_init(struct ear_index_child *child)
{
	*child = (struct ear_index_child){.ticks_low = UINT64_MAX,
		.order_low = UINT64_MAX,
		.lowest = INT32_MAX,
		.depth = INT32_MAX};
}

/* What holds of both. depth is that of the later one. */
static void add_child(struct ear_index_child *child, const struct ear_index_child *later)
{
	child->records += later->records;
	child->instructions += later->instructions;
	child->bytes += later->bytes;
	if (later->ticks_low < child->ticks_low)
		child->ticks_low = later->ticks_low;
	if (later->ticks_high > child->ticks_high)
		child->ticks_high = later->ticks_high;
	if (later->order_low < child->order_low)
		child->order_low = later->order_low;
	if (later->order_high > child->order_high)
		child->order_high = later->order_high;
	child->flags |= later->flags;
	child->x |= later->x;
	child->f |= later->f;
	child->v |= later->v;
	child->traps += later->traps;
	child->interrupts += later->interrupts;
	child->events += later->events;
	child->gaps += later->gaps;
	child->depth = later->depth;
	if (later->lowest < child->lowest)
		child->lowest = later->lowest;
}

struct ear_index_child ear_index_sets_union(const struct ear_index_sets *sets)
{
	struct ear_index_child sum;

	ear_index_child_init(&sum);
	for (unsigned i = 0; i < sets->count; i++)
		add_child(&sum, &sets->children[i]);
	return sum;
}

/* Writing ----------------------------------------------------------------------------------- */

/* A range of times or indexes: nothing, or its low end from a base, and its length. */
static void write_range(struct ear_index_bytes *bytes, uint64_t low, uint64_t high)
{
	ear_index_bytes_put_number(bytes, low > high ? 0 : high - low + 1);
	if (low <= high)
		ear_index_bytes_put_value(bytes, low, 8);
}

static void write_children(
	const struct ear_index_sets *sets, unsigned level, struct ear_index_bytes *bytes)
{
	const struct ear_index_child *children = sets->children;
	unsigned count = sets->count;

	for (unsigned i = 0; i < count; i++) {
		ear_index_bytes_put_number(bytes, children[i].records);
		ear_index_bytes_put_number(bytes, children[i].instructions);
		if (level == 0)
			ear_index_bytes_put_number(bytes, children[i].bytes);
	}
	for (unsigned i = 0; level == 0 && i < count; i++)
		ear_index_bytes_put_value(bytes, children[i].checksum, 8);
	for (unsigned i = 0; i < count; i++)
		write_range(bytes, children[i].ticks_low, children[i].ticks_high);
	for (unsigned i = 0; i < count; i++)
		write_range(bytes, children[i].order_low, children[i].order_high);
	for (unsigned i = 0; i < count; i++) {
		ear_index_bytes_put_value(bytes, children[i].flags, 4);
		ear_index_bytes_put_value(bytes, children[i].x, 4);
		ear_index_bytes_put_value(bytes, children[i].f, 4);
		ear_index_bytes_put_value(bytes, children[i].v, 4);
	}
	for (unsigned i = 0; i < count; i++) {
		ear_index_bytes_put_number(bytes, children[i].traps);
		ear_index_bytes_put_number(bytes, children[i].interrupts);
		ear_index_bytes_put_number(bytes, children[i].events);
		ear_index_bytes_put_number(bytes, children[i].gaps);
	}
	for (unsigned i = 0; level == 0 && i < count; i++) {
		ear_index_bytes_put_value(bytes, (uint64_t)(children[i].depth + DEPTH_OFFSET), 4);
		ear_index_bytes_put_value(bytes, (uint64_t)(children[i].lowest + DEPTH_OFFSET), 4);
	}
}

static void write_code(const struct ear_index_sets *sets, struct ear_index_bytes *bytes)
{
	uint64_t key = 0;

	ear_index_bytes_put_number(bytes, sets->code_count);
	for (size_t i = 0; i < sets->code_count; i++) {
		ear_index_bytes_put_number(bytes, sets->code[i].key - key);
		key = sets->code[i].key;
	}
	for (size_t i = 0; i < sets->code_count; i++)
		ear_index_bytes_put_value(bytes, sets->code[i].children, 2);
	for (size_t i = 0; sets->code_shift == EAR_INDEX_LINE && i < sets->code_count; i++)
		ear_index_bytes_put_value(bytes, sets->code[i].halfwords, 4);
}

static void write_data(const struct ear_index_sets *sets, struct ear_index_bytes *bytes)
{
	const struct ear_index_data *data = sets->data;
	uint64_t key = 0;

	ear_index_bytes_put_number(bytes, sets->data_count);
	for (size_t i = 0; i < sets->data_count; i++) {
		ear_index_bytes_put_number(bytes, data[i].key - key);
		key = data[i].key;
	}
	for (size_t i = 0; i < sets->data_count; i++)
		ear_index_bytes_put_value(bytes, data[i].read, 2);
	for (size_t i = 0; i < sets->data_count; i++)
		ear_index_bytes_put_value(bytes, data[i].written, 2);
	for (size_t i = 0; i < sets->data_count; i++)
		ear_index_bytes_put_value(bytes, data[i].changed, 2);
	for (size_t i = 0; sets->words && i < sets->data_count; i++)
		ear_index_bytes_put_value(bytes, data[i].words_read, 2);
	for (size_t i = 0; sets->words && i < sets->data_count; i++)
		ear_index_bytes_put_value(bytes, data[i].words_written, 2);
}

static void write_few(struct ear_index_bytes *bytes, const struct ear_index_few *few, size_t count,
	unsigned key_size)
{
	ear_index_bytes_put_number(bytes, count);
	for (size_t i = 0; i < count; i++)
		ear_index_bytes_put_value(bytes, few[i].key, key_size);
	for (size_t i = 0; i < count; i++)
		ear_index_bytes_put_value(bytes, few[i].children, 2);
}

void ear_index_sets_write(
	const struct ear_index_sets *sets, unsigned level, struct ear_index_bytes *bytes)
{
	ear_index_bytes_put_value(bytes, sets->count, 1);
	ear_index_bytes_put_value(bytes, sets->code_shift, 1);
	ear_index_bytes_put_value(bytes, sets->data_shift, 1);
	ear_index_bytes_put_value(bytes, sets->words, 1);
	write_children(sets, level, bytes);
	write_code(sets, bytes);
	write_data(sets, bytes);
	write_few(bytes, sets->csrs, sets->csr_count, 2);
	ear_index_bytes_put_value(bytes, sets->any_cause, 2);
	write_few(bytes, sets->causes, sets->cause_count, 8);
	ear_index_bytes_put_value(bytes, sets->any_name, 2);
	write_few(bytes, sets->names, sets->name_count, 4);
}

/* Reading ----------------------------------------------------------------------------------- */

static void read_range(struct ear_index_cursor *cursor, uint64_t *low, uint64_t *high)
{
	uint64_t count = ear_index_cursor_number(cursor);

	*low = count ? ear_index_cursor_value(cursor, 8) : UINT64_MAX;
	*high = count ? *low + count - 1 : 0;
	if (count && *high < *low)
		cursor->failed = true;
}

static int32_t read_depth(struct ear_index_cursor *cursor)
{
	return (int32_t)((int64_t)ear_index_cursor_value(cursor, 4) - DEPTH_OFFSET);
}

static void read_children(
	struct ear_index_sets *sets, unsigned level, struct ear_index_cursor *cursor)
{
	struct ear_index_child *children = sets->children;
	unsigned count = sets->count;

	for (unsigned i = 0; i < count; i++) {
		children[i].records = ear_index_cursor_number(cursor);
		children[i].instructions = ear_index_cursor_number(cursor);
		if (level == 0)
			children[i].bytes = ear_index_cursor_number(cursor);
		if (children[i].instructions > children[i].records)
			cursor->failed = true;
	}
	for (unsigned i = 0; level == 0 && i < count; i++)
		children[i].checksum = ear_index_cursor_value(cursor, 8);
	for (unsigned i = 0; i < count; i++)
		read_range(cursor, &children[i].ticks_low, &children[i].ticks_high);
	for (unsigned i = 0; i < count; i++)
		read_range(cursor, &children[i].order_low, &children[i].order_high);
	for (unsigned i = 0; i < count; i++) {
		children[i].flags = (uint32_t)ear_index_cursor_value(cursor, 4);
		children[i].x = (uint32_t)ear_index_cursor_value(cursor, 4);
		children[i].f = (uint32_t)ear_index_cursor_value(cursor, 4);
		children[i].v = (uint32_t)ear_index_cursor_value(cursor, 4);
	}
	for (unsigned i = 0; i < count; i++) {
		children[i].traps = ear_index_cursor_number(cursor);
		children[i].interrupts = ear_index_cursor_number(cursor);
		children[i].events = ear_index_cursor_number(cursor);
		children[i].gaps = ear_index_cursor_number(cursor);
	}
	for (unsigned i = 0; level == 0 && i < count; i++) {
		children[i].depth = read_depth(cursor);
		children[i].lowest = read_depth(cursor);
	}
}

/* An array of count items, zero; NULL, and failed, if memory is short. One item more, so that none
 * is not NULL. */
static void *make(size_t count, size_t size, bool *no_memory)
{
	void *made = calloc(count + 1, size);

	if (!made)
		*no_memory = true;
	return made;
}

static bool is_mask(uint64_t mask, unsigned count)
{
	return mask >> count == 0;
}

/* The next key: larger than the one before, and an address that there is. */
static uint64_t read_key(
	struct ear_index_cursor *cursor, uint64_t before, bool first, unsigned shift)
{
	uint64_t step = ear_index_cursor_number(cursor);

	if ((step == 0 && !first) || before + step < before || (before + step) >> (64 - shift))
		cursor->failed = true;
	return before + step;
}

static void read_code(struct ear_index_sets *sets, struct ear_index_cursor *cursor, bool *no_memory)
{
	size_t count = ear_index_cursor_count(cursor, LINE_MAX);
	struct ear_index_code *code = make(count, sizeof(*code), no_memory);

	sets->code = code;
	if (!code)
		return;
	sets->code_count = count;
	for (size_t i = 0; i < count; i++)
		code[i].key = read_key(cursor, i ? code[i - 1].key : 0, i == 0, sets->code_shift);
	for (size_t i = 0; i < count; i++) {
		code[i].children = (ear_index_mask)ear_index_cursor_value(cursor, 2);
		if (!is_mask(code[i].children, sets->count))
			cursor->failed = true;
	}
	for (size_t i = 0; sets->code_shift == EAR_INDEX_LINE && i < count; i++)
		code[i].halfwords = (uint32_t)ear_index_cursor_value(cursor, 4);
}

static ear_index_mask read_mask(struct ear_index_cursor *cursor, unsigned count)
{
	ear_index_mask mask = (ear_index_mask)ear_index_cursor_value(cursor, 2);

	if (!is_mask(mask, count))
		cursor->failed = true;
	return mask;
}

/* The columns of masks, all at once: large nodes have a megabyte of them. */
static void read_masks(struct ear_index_sets *sets, struct ear_index_cursor *cursor)
{
	size_t count = sets->data_count, size = 2 * count;
	const uint8_t *read = ear_index_cursor_take(cursor, size);
	const uint8_t *written = ear_index_cursor_take(cursor, size);
	const uint8_t *changed = ear_index_cursor_take(cursor, size);
	const uint8_t *words_read = sets->words ? ear_index_cursor_take(cursor, size) : NULL;
	const uint8_t *words_written = sets->words ? ear_index_cursor_take(cursor, size) : NULL;
	struct ear_index_data *data = sets->data;
	uint32_t all = 0;

	if (cursor->failed)
		return;
	for (size_t i = 0; i < count; i++) {
		data[i].read = ear_load_le16(read + 2 * i);
		data[i].written = ear_load_le16(written + 2 * i);
		data[i].changed = ear_load_le16(changed + 2 * i);
		all |= (uint32_t)data[i].read | data[i].written | data[i].changed;
	}
	for (size_t i = 0; sets->words && i < count; i++) {
		data[i].words_read = ear_load_le16(words_read + 2 * i);
		data[i].words_written = ear_load_le16(words_written + 2 * i);
	}
	if (!is_mask(all, sets->count))
		cursor->failed = true;
}

static void read_data(struct ear_index_sets *sets, struct ear_index_cursor *cursor, bool *no_memory)
{
	size_t count = ear_index_cursor_count(cursor, LINE_MAX);
	struct ear_index_data *data = make(count, sizeof(*data), no_memory);

	sets->data = data;
	if (!data)
		return;
	sets->data_count = count;
	for (size_t i = 0; i < count; i++)
		data[i].key = read_key(cursor, i ? data[i - 1].key : 0, i == 0, sets->data_shift);
	read_masks(sets, cursor);
}

static size_t read_few(struct ear_index_few **few, struct ear_index_cursor *cursor, size_t max,
	unsigned key_size, unsigned children, bool *no_memory)
{
	size_t count = ear_index_cursor_count(cursor, max);
	struct ear_index_few *made = make(count, sizeof(*made), no_memory);

	*few = made;
	if (!made)
		return 0;
	for (size_t i = 0; i < count; i++) {
		made[i].key = ear_index_cursor_value(cursor, key_size);
		if (i > 0 && made[i].key <= made[i - 1].key)
			cursor->failed = true;
	}
	for (size_t i = 0; i < count; i++)
		made[i].children = read_mask(cursor, children);
	return count;
}

static void read_head(struct ear_index_sets *sets, struct ear_index_cursor *cursor)
{
	sets->count = (unsigned)ear_index_cursor_value(cursor, 1);
	sets->code_shift = (unsigned)ear_index_cursor_value(cursor, 1);
	sets->data_shift = (unsigned)ear_index_cursor_value(cursor, 1);
	sets->words = ear_index_cursor_value(cursor, 1) != 0;
	if (sets->count == 0 || sets->count > EAR_INDEX_CHILDREN ||
		sets->code_shift < EAR_INDEX_LINE || sets->code_shift > EAR_INDEX_SHIFT_MAX ||
		sets->data_shift < EAR_INDEX_LINE || sets->data_shift > EAR_INDEX_SHIFT_MAX ||
		(sets->words && sets->data_shift != EAR_INDEX_LINE))
		cursor->failed = true;
}

int ear_index_sets_read(
	struct ear_index_sets *sets, unsigned level, const uint8_t *bytes, size_t size)
{
	struct ear_index_cursor cursor = {bytes, bytes + size, false};
	bool no_memory = false;

	*sets = (struct ear_index_sets){0};
	read_head(sets, &cursor);
	if (cursor.failed)
		return EAR_E_BAD_FILE;
	read_children(sets, level, &cursor);
	read_code(sets, &cursor, &no_memory);
	read_data(sets, &cursor, &no_memory);
	sets->csr_count = read_few(&sets->csrs, &cursor, CSR_MAX, 2, sets->count, &no_memory);
	sets->any_cause = read_mask(&cursor, sets->count);
	sets->cause_count =
		read_few(&sets->causes, &cursor, EAR_INDEX_FEW_MAX, 8, sets->count, &no_memory);
	sets->any_name = read_mask(&cursor, sets->count);
	sets->name_count =
		read_few(&sets->names, &cursor, EAR_INDEX_FEW_MAX, 4, sets->count, &no_memory);
	if (!cursor.failed && !no_memory && cursor.at == cursor.end)
		return 0;
	ear_index_sets_fini(sets);
	return no_memory ? EAR_E_NO_MEMORY : EAR_E_BAD_FILE;
}

/* Coarser ----------------------------------------------------------------------------------- */

void ear_index_sets_coarsen_data(struct ear_index_sets *sets, unsigned shift)
{
	struct ear_index_data *data = sets->data;
	size_t count = 0;

	for (size_t i = 0; i < sets->data_count; i++) {
		struct ear_index_data entry = data[i];
		entry.key >>= shift - sets->data_shift;
		if (count > 0 && data[count - 1].key == entry.key) {
			data[count - 1].read |= entry.read;
			data[count - 1].written |= entry.written;
			data[count - 1].changed |= entry.changed;
		} else {
			data[count++] = entry;
		}
	}
	sets->data_count = count;
	sets->data_shift = shift;
	sets->words = false;
}

void ear_index_sets_coarsen_code(struct ear_index_sets *sets, unsigned shift)
{
	struct ear_index_code *code = sets->code;
	size_t count = 0;

	for (size_t i = 0; i < sets->code_count; i++) {
		struct ear_index_code entry = code[i];
		entry.key >>= shift - sets->code_shift;
		if (count > 0 && code[count - 1].key == entry.key)
			code[count - 1].children |= entry.children;
		else
			code[count++] = entry;
	}
	sets->code_count = count;
	sets->code_shift = shift;
}

/* Questions --------------------------------------------------------------------------------- */

/* Bits of the parts of a line, 1 << unit bytes each, that first .. last touches; all: it is more
 * than a line. */
static uint32_t part_mask(uint64_t key, uint64_t first, uint64_t last, unsigned unit)
{
	uint64_t begin = key << EAR_INDEX_LINE, end = begin + 63;
	unsigned low = first > begin ? (unsigned)((first - begin) >> unit) : 0;
	unsigned high = (unsigned)(((last < end ? last : end) - begin) >> unit);

	return (uint32_t)((UINT64_MAX >> (63 - (high - low))) << low);
}

/* The first entry whose key is at least this one. The keys are the first member of the items. */
static size_t lower_bound(const void *items, size_t count, size_t item_size, uint64_t key)
{
	const uint8_t *bytes = items;
	size_t low = 0;

	while (count > 0) {
		size_t half = count / 2;
		uint64_t here;
		memcpy(&here, bytes + (low + half) * item_size, sizeof(here));
		if (here < key) {
			low += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return low;
}

ear_index_mask ear_index_sets_executed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last)
{
	const struct ear_index_code *code = sets->code;
	unsigned shift = sets->code_shift;
	ear_index_mask mask = 0;

	for (size_t i = lower_bound(code, sets->code_count, sizeof(*code), first >> shift);
		i < sets->code_count && code[i].key <= last >> shift; i++)
		if (shift > EAR_INDEX_LINE ||
			code[i].halfwords & part_mask(code[i].key, first, last, 1))
			mask |= code[i].children;
	return mask;
}

ear_index_mask ear_index_sets_accessed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last, bool read, bool write)
{
	const struct ear_index_data *data = sets->data;
	unsigned shift = sets->data_shift;
	ear_index_mask mask = 0;

	for (size_t i = lower_bound(data, sets->data_count, sizeof(*data), first >> shift);
		i < sets->data_count && data[i].key <= last >> shift; i++) {
		uint32_t words = sets->words ? part_mask(data[i].key, first, last, 2) : ALL;
		if (read && (!sets->words || data[i].words_read & words))
			mask |= data[i].read;
		if (write && (!sets->words || data[i].words_written & words))
			mask |= data[i].written;
	}
	return mask;
}

ear_index_mask ear_index_sets_changed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last)
{
	const struct ear_index_data *data = sets->data;
	unsigned shift = sets->data_shift;
	ear_index_mask mask = 0;

	for (size_t i = lower_bound(data, sets->data_count, sizeof(*data), first >> shift);
		i < sets->data_count && data[i].key <= last >> shift; i++)
		mask |= data[i].changed;
	return mask;
}

ear_index_mask ear_index_few_find(const struct ear_index_few *few, size_t count, uint64_t key)
{
	size_t i = lower_bound(few, count, sizeof(*few), key);

	return i < count && few[i].key == key ? few[i].children : 0;
}

/* FNV-1a. */
uint32_t ear_index_name_hash(const char *name, size_t size)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	return hash;
}
