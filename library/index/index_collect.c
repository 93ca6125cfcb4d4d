/* Collects which lines are touched where.
 *
 * A few nanoseconds a record are all that there is. So: one open hash table for code and one for
 * data, each entry with the masks of all children, of which the current one's bit is set. Before
 * the table a small one is asked, of lines that were touched lately; and code stays in its line for
 * several instructions, of which a run makes one entry. At the
 * end of a node the tables are sorted; nothing is sorted or compressed in between. A table that
 * becomes too large makes its lines coarser and goes on: memory is bounded whatever the trace does.
 */
#include "library/index/index_collect.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/isa/csr.h"
#include <earshot/error.h>

#define LINES_FIRST ((size_t)1 << 10)
#define LINES_MAX   ((size_t)1 << 17) /* entries in use, before lines become coarser */
#define ALL         ((ear_index_mask)0xffff)
#define GROUP_LOG2  3
#define GROUP_MASK  ((1u << GROUP_LOG2) - 1)

/* Hash tables ------------------------------------------------------------------------------- */

static int lines_init(struct ear_index_lines *lines)
{
	*lines = (struct ear_index_lines){.capacity = LINES_FIRST, .bits = 10};
	lines->entries = calloc(lines->capacity, sizeof(*lines->entries));
	return lines->entries ? 0 : EAR_E_NO_MEMORY;
}

static void lines_clear(struct ear_index_lines *lines)
{
	if (lines->entries && lines->count > 0)
		memset(lines->entries, 0, lines->capacity * sizeof(*lines->entries));
	lines->count = 0;
	lines->shift = EAR_INDEX_LINE;
	lines->words = true;
	memset(lines->recent, 0, sizeof(lines->recent));
}

static inline bool is_empty(const struct ear_index_data *entry)
{
	return (entry->read | entry->written | entry->changed) == 0;
}

/* Lines that follow each other are in neighbouring slots, groups of them: what is read or
 * written from end to end then costs a miss of the processor's cache less often. */
static inline struct ear_index_data *find_slot(const struct ear_index_lines *lines, uint64_t key)
{
	uint64_t group = ear_hash_slot(key >> GROUP_LOG2, lines->bits);
	size_t at = (size_t)(group & ~(uint64_t)GROUP_MASK) | (size_t)(key & GROUP_MASK);
	struct ear_index_data *entry = &lines->entries[at];

	while (!is_empty(entry) && entry->key != key) {
		at = (at + 1) & (lines->capacity - 1);
		entry = &lines->entries[at];
	}
	return entry;
}

static void merge_entry(struct ear_index_data *to, const struct ear_index_data *from)
{
	to->read |= from->read;
	to->written |= from->written;
	to->changed |= from->changed;
	to->words_read |= from->words_read;
	to->words_written |= from->words_written;
}

/* All entries into a table of this capacity, with keys that are shifted by so much. */
static bool rehash(struct ear_index_lines *lines, unsigned bits, unsigned shift)
{
	struct ear_index_lines to = *lines;

	to.bits = bits;
	to.capacity = (size_t)1 << bits;
	to.count = 0;
	to.entries = calloc(to.capacity, sizeof(*to.entries));
	if (!to.entries)
		return false;
	for (size_t i = 0; i < lines->capacity; i++) {
		struct ear_index_data entry = lines->entries[i];
		if (is_empty(&entry))
			continue;
		entry.key >>= shift;
		struct ear_index_data *slot = find_slot(&to, entry.key);
		if (is_empty(slot)) {
			*slot = entry;
			to.count++;
		} else {
			merge_entry(slot, &entry);
		}
	}
	free(lines->entries);
	to.shift += shift;
	to.words = to.words && shift == 0;
	memset(to.recent, 0, sizeof(to.recent));
	*lines = to;
	return true;
}

/* Room for one more entry. Half of the table stays empty, so that searches are short. */
static bool lines_reserve(struct ear_index_lines *lines)
{
	if (lines->count < LINES_MAX)
		return lines->count < lines->capacity / 2 || rehash(lines, lines->bits + 1, 0);
	while (lines->count >= LINES_MAX / 2 && lines->shift < EAR_INDEX_SHIFT_MAX)
		if (!rehash(lines, lines->bits, lines->shift + 2 <= EAR_INDEX_SHIFT_MAX ? 2 : 1))
			return false;
	return true;
}

/* The entry of a key, new or not; the caller sets a mask in it at once. NULL: memory is short. */
static struct ear_index_data *lines_get(
	struct ear_index_collect *collect, struct ear_index_lines *lines, uint64_t address)
{
	uint64_t key = address >> lines->shift;
	struct ear_index_data *entry = find_slot(lines, key);

	if (is_empty(entry)) {
		if (!lines_reserve(lines)) {
			collect->failed = true;
			return NULL;
		}
		key = address >> lines->shift;
		entry = find_slot(lines, key);
		if (is_empty(entry))
			lines->count++;
		entry->key = key;
	}
	lines->recent[key % EAR_INDEX_RECENT] = (struct ear_index_recent){key, entry};
	return entry;
}

static inline struct ear_index_data *touch(
	struct ear_index_collect *collect, struct ear_index_lines *lines, uint64_t address)
{
	uint64_t key = address >> lines->shift;
	const struct ear_index_recent *recent = &lines->recent[key % EAR_INDEX_RECENT];

	if (recent->entry && recent->key == key)
		return recent->entry;
	return lines_get(collect, lines, address);
}

/* Beginning and end of nodes ---------------------------------------------------------------- */

int ear_index_collect_init(struct ear_index_collect *collect)
{
	*collect = (struct ear_index_collect){0};
	int code = lines_init(&collect->code), data = lines_init(&collect->data);
	collect->csrs = calloc(EAR_CSR_COUNT, sizeof(*collect->csrs));
	if (code || data || !collect->csrs)
		return EAR_E_NO_MEMORY;
	collect->code.count = collect->data.count = 1; /* to be cleared */
	ear_index_collect_begin(collect);
	return 0;
}

void ear_index_collect_fini(struct ear_index_collect *collect)
{
	free(collect->code.entries);
	free(collect->data.entries);
	free(collect->csrs);
	free(collect->harts);
	*collect = (struct ear_index_collect){0};
}

void ear_index_collect_begin(struct ear_index_collect *collect)
{
	lines_clear(&collect->code);
	lines_clear(&collect->data);
	memset(collect->csrs, 0, EAR_CSR_COUNT * sizeof(*collect->csrs));
	collect->cause_count = 0;
	collect->name_count = 0;
	collect->any_cause = 0;
	collect->any_name = 0;
	collect->child = 0;
	collect->bit = 1;
	ear_index_child_init(&collect->children[0]);
}

void ear_index_collect_next_child(struct ear_index_collect *collect)
{
	collect->child++;
	collect->bit = (ear_index_mask)(collect->bit << 1);
	if (collect->child < EAR_INDEX_CHILDREN)
		ear_index_child_init(&collect->children[collect->child]);
}

/* Records ----------------------------------------------------------------------------------- */

/* Halfwords of the line of an address. */
static inline void touch_code(
	struct ear_index_collect *collect, uint64_t address, uint32_t halfwords)
{
	struct ear_index_data *entry = touch(collect, &collect->code, address);

	if (!entry)
		return;
	entry->read |= collect->bit;
	entry->words_read |= (uint16_t)halfwords;
	entry->words_written |= (uint16_t)(halfwords >> 16);
}

static inline uint32_t halfword_of(uint64_t pc)
{
	return 1u << (pc >> 1 & 31);
}

/* Words from address to last, both in one line. */
static inline void touch_data(
	struct ear_index_collect *collect, uint64_t address, uint64_t last, bool write)
{
	struct ear_index_data *entry = touch(collect, &collect->data, address);
	unsigned low = (unsigned)(address >> 2 & 15), high = (unsigned)(last >> 2 & 15);
	ear_index_mask words = (ear_index_mask)((2u << high) - (1u << low));

	if (!entry)
		return;
	if (write) {
		entry->written |= collect->bit;
		entry->words_written |= words;
	} else {
		entry->read |= collect->bit;
		entry->words_read |= words;
	}
}

/* An access whose size nobody knows counts as 8 bytes. One may cross the end of the addresses. */
static inline void touch_access(
	struct ear_index_collect *collect, uint64_t address, unsigned size, bool write)
{
	uint64_t last = address + (size ? size : 8) - 1;

	if (address >> EAR_INDEX_LINE == last >> EAR_INDEX_LINE) {
		touch_data(collect, address, last, write);
	} else {
		touch_data(collect, address, address | 63, write);
		touch_data(collect, last & ~(uint64_t)63, last, write);
	}
}

static struct ear_index_collect_hart *find_hart(struct ear_index_collect *collect, uint16_t hart)
{
	for (size_t i = 0; i < collect->hart_count; i++)
		if (collect->harts[i].hart == hart) {
			collect->last_hart = i;
			return &collect->harts[i];
		}
	struct ear_index_collect_hart *grown =
		realloc(collect->harts, (collect->hart_count + 1) * sizeof(*grown));
	if (!grown) {
		collect->failed = true;
		return NULL;
	}
	collect->harts = grown;
	collect->last_hart = collect->hart_count;
	grown[collect->hart_count] = (struct ear_index_collect_hart){.hart = hart};
	return &grown[collect->hart_count++];
}

/* The bit of a source without privileges. */
#define NO_PRIVILEGE 7

static inline void follow_privilege(
	struct ear_index_collect *collect, uint16_t number, unsigned privilege)
{
	struct ear_index_child *child = &collect->children[collect->child];
	struct ear_index_collect_hart *hart =
		collect->hart_count > 0 ? &collect->harts[collect->last_hart] : NULL;

	child->flags |= 1u << privilege;
	if (!hart || hart->hart != number)
		hart = find_hart(collect, number);
	if (!hart || (hart->known && hart->privilege == privilege))
		return;
	child->flags |= EAR_INDEX_FLAG_CHANGE;
	hart->privilege = (uint8_t)privilege;
	hart->known = true;
}

static inline void follow_range(uint64_t *low, uint64_t *high, uint64_t value)
{
	if (value < *low)
		*low = value;
	if (value > *high)
		*high = value;
}

/* Keep a key of which there are few, sorted. */
static void keep_few(struct ear_index_few *few, size_t *count, ear_index_mask *any, uint64_t key,
	ear_index_mask mask)
{
	size_t at = 0;

	while (at < *count && few[at].key < key)
		at++;
	if (at < *count && few[at].key == key) {
		few[at].children |= mask;
		return;
	}
	if (*count == EAR_INDEX_FEW_MAX) {
		*any |= mask;
		return;
	}
	memmove(few + at + 1, few + at, (*count - at) * sizeof(*few));
	few[at] = (struct ear_index_few){key, mask};
	++*count;
}

static void push_register(struct ear_index_collect *collect, struct ear_index_child *child,
	const struct ear_record_register *reg)
{
	uint32_t bit = 1u << (reg->number & 31);

	switch (reg->reg_class) {
	case EAR_REGISTER_X: child->x |= bit; break;
	case EAR_REGISTER_F: child->f |= bit; break;
	case EAR_REGISTER_V: child->v |= bit; break;
	case EAR_REGISTER_CSR:
		child->flags |= EAR_INDEX_FLAG_CSR;
		collect->csrs[reg->number % EAR_CSR_COUNT].children |= collect->bit;
		break;
	default:
		child->flags |= EAR_INDEX_FLAG_NAMED;
		keep_few(collect->names, &collect->name_count, &collect->any_name,
			ear_index_name_hash(reg->text.name, reg->text_size), collect->bit);
		break;
	}
}

/* The cause with its interrupt bit at 63, whatever XLEN. */
static uint64_t wide_cause(const struct ear_record *record)
{
	uint64_t top = (uint64_t)1 << (record->xlen == 32 ? 31 : 63);

	return (record->cause & ~top) | (record->cause & top ? (uint64_t)1 << 63 : 0);
}

static void push_trap(struct ear_index_collect *collect, struct ear_index_child *child,
	const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_TRAP) {
		child->flags |= EAR_INDEX_FLAG_TRAP;
		child->traps++;
	}
	if (record->flags & EAR_RECORD_INTERRUPT) {
		child->flags |= EAR_INDEX_FLAG_INTERRUPT;
		child->interrupts++;
	}
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) &&
		!(record->flags & EAR_RECORD_NO_CAUSE))
		keep_few(collect->causes, &collect->cause_count, &collect->any_cause,
			wide_cause(record), collect->bit);
}

static void push_instruction(struct ear_index_collect *collect, struct ear_index_child *child,
	const struct ear_record *record)
{
	child->instructions++;
	follow_range(&child->order_low, &child->order_high, record->index);
	follow_privilege(collect, record->hart,
		record->flags & EAR_RECORD_NO_PRIVILEGE || record->privilege > EAR_PRIVILEGE_DEBUG
			? NO_PRIVILEGE
			: record->privilege);
	touch_code(collect, record->pc, halfword_of(record->pc));
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		push_trap(collect, child, record);
}

void ear_index_collect_push(struct ear_index_collect *collect, const struct ear_record *record)
{
	struct ear_index_child *child = &collect->children[collect->child];

	child->records++;
	if (record->flags & EAR_RECORD_HAS_TIME)
		follow_range(&child->ticks_low, &child->ticks_high, record->ticks);
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: push_instruction(collect, child, record); break;
	case EAR_RECORD_GAP:
		child->flags |= EAR_INDEX_FLAG_GAP | EAR_INDEX_FLAG_CHANGE;
		child->gaps++;
		return;
	case EAR_RECORD_EVENT:
		child->flags |= EAR_INDEX_FLAG_EVENT;
		child->events++;
		return;
	case EAR_RECORD_NOTE: child->flags |= EAR_INDEX_FLAG_OTHER; return;
	default: child->flags |= EAR_INDEX_FLAG_OTHER; break;
	}
	for (size_t i = 0; i < record->register_count; i++)
		push_register(collect, child, &record->registers[i]);
	for (size_t i = 0; i < record->memory_count; i++)
		touch_access(collect, record->memory[i].address, record->memory[i].size,
			record->memory[i].write);
}

static void expand_run(struct ear_index_collect *collect, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	struct ear_expanded_record expanded;

	ear_compact_run_begin(&expanded, run);
	for (size_t i = 0; i < run->count; i++)
		ear_index_collect_push(
			collect, ear_compact_run_get(&expanded, run, &compacts[i], i));
}

/* What the records of a run have in common. */
static void follow_run(struct ear_index_collect *collect, struct ear_index_child *child,
	const struct ear_compact_run *run, uint32_t first_ticks, uint32_t last_ticks)
{
	child->records += run->count;
	child->instructions += run->count;
	if (run->first_timed)
		follow_range(&child->ticks_low, &child->ticks_high, run->ticks + first_ticks);
	if (run->all_timed && run->count > 1)
		follow_range(&child->ticks_low, &child->ticks_high, run->ticks + last_ticks);
	follow_range(&child->order_low, &child->order_high, run->first_index);
	follow_range(&child->order_low, &child->order_high, run->first_index + run->count - 1);
	follow_privilege(collect, run->hart, run->privilege);
}

void ear_index_collect_push_run(struct ear_index_collect *collect,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct ear_index_child *child = &collect->children[collect->child];
	uint32_t x = 0;

	if (run->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_PRIVILEGE) ||
		run->absent || run->privilege > EAR_PRIVILEGE_DEBUG || run->count == 0) {
		expand_run(collect, run, compacts);
		return;
	}
	follow_run(collect, child, run, compacts[0].ticks, compacts[run->count - 1].ticks);
	uint64_t line = compacts[0].pc;
	uint32_t halfwords = 0;
	for (size_t i = 0; i < run->count; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		if ((compact->pc ^ line) >> EAR_INDEX_LINE) {
			touch_code(collect, line, halfwords);
			halfwords = 0;
			line = compact->pc;
		}
		halfwords |= halfword_of(compact->pc);
		x |= 1u << (compact->rd & 31);
		if (compact->size != EAR_COMPACT_NO_ACCESS)
			touch_access(collect, compact->address, compact->size,
				compact->flags & EAR_COMPACT_WRITE);
	}
	touch_code(collect, line, halfwords);
	child->x |= x & ~1u;
}

_Static_assert(EAR_RUN_LINE == EAR_INDEX_LINE, "lines of a summary are those of the sets");

void ear_index_collect_push_summary(
	struct ear_index_collect *collect, const struct ear_run_summary *summary)
{
	struct ear_index_child *child = &collect->children[collect->child];

	follow_run(collect, child, &summary->run, summary->first_ticks, summary->last_ticks);
	for (uint32_t i = 0; i < summary->code_count; i++)
		touch_code(collect, summary->code[i].pc, summary->code[i].halfwords);
	for (uint32_t i = 0; i < summary->access_count; i++) {
		const struct ear_run_access *access = &summary->accesses[i];
		touch_access(
			collect, access->address, access->size, access->flags & EAR_COMPACT_WRITE);
	}
	child->x |= summary->written;
}

void ear_index_collect_changed(struct ear_index_collect *collect, uint64_t address)
{
	struct ear_index_data *entry = touch(collect, &collect->data, address);

	if (entry)
		entry->changed |= 1;
}

/* Nodes ------------------------------------------------------------------------------------- */

/* Lines of a table at least as coarse as shift. */
static bool lines_coarsen(struct ear_index_lines *lines, unsigned shift)
{
	return shift <= lines->shift || rehash(lines, lines->bits, shift - lines->shift);
}

static void add_code(struct ear_index_collect *collect, const struct ear_index_sets *sets)
{
	struct ear_index_lines *lines = &collect->code;

	if (!lines_coarsen(lines, sets->code_shift))
		collect->failed = true;
	for (size_t i = 0; i < sets->code_count && !collect->failed; i++) {
		struct ear_index_data *entry =
			touch(collect, lines, sets->code[i].key << sets->code_shift);
		if (!entry)
			break;
		entry->read |= collect->bit;
		entry->words_read |= (uint16_t)sets->code[i].halfwords;
		entry->words_written |= (uint16_t)(sets->code[i].halfwords >> 16);
	}
}

static void add_data(struct ear_index_collect *collect, const struct ear_index_sets *sets)
{
	struct ear_index_lines *lines = &collect->data;

	if (!lines_coarsen(lines, sets->data_shift))
		collect->failed = true;
	for (size_t i = 0; i < sets->data_count && !collect->failed; i++) {
		const struct ear_index_data *data = &sets->data[i];
		if ((data->read | data->written | data->changed) == 0)
			continue;
		struct ear_index_data *entry = touch(collect, lines, data->key << sets->data_shift);
		if (!entry)
			break;
		entry->read |= data->read ? collect->bit : 0;
		entry->written |= data->written ? collect->bit : 0;
		entry->changed |= data->changed ? collect->bit : 0;
		entry->words_read |= data->words_read;
		entry->words_written |= data->words_written;
	}
	lines->words = lines->words && sets->words;
}

void ear_index_collect_add(struct ear_index_collect *collect, const struct ear_index_sets *sets)
{
	collect->children[collect->child] = ear_index_sets_union(sets);
	add_code(collect, sets);
	add_data(collect, sets);
	for (size_t i = 0; i < sets->csr_count; i++)
		collect->csrs[sets->csrs[i].key % EAR_CSR_COUNT].children |= collect->bit;
	for (size_t i = 0; i < sets->cause_count; i++)
		keep_few(collect->causes, &collect->cause_count, &collect->any_cause,
			sets->causes[i].key, collect->bit);
	for (size_t i = 0; i < sets->name_count; i++)
		keep_few(collect->names, &collect->name_count, &collect->any_name,
			sets->names[i].key, collect->bit);
	collect->any_cause |= sets->any_cause ? collect->bit : 0;
	collect->any_name |= sets->any_name ? collect->bit : 0;
}

/* Sorting: by one digit of the key after the other, from the lowest; digits that are the same in
 * all keys cost a pass of counting only. */
static void sort_lines(struct ear_index_data *entries, struct ear_index_data *other, size_t count)
{
	struct ear_index_data *from = entries, *to = other;

	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t starts[257] = {0};
		for (size_t i = 0; i < count; i++)
			starts[(from[i].key >> shift & 255) + 1]++;
		if (count == 0 || starts[(from[0].key >> shift & 255) + 1] == count)
			continue;
		for (unsigned i = 1; i < 256; i++)
			starts[i] += starts[i - 1];
		for (size_t i = 0; i < count; i++)
			to[starts[from[i].key >> shift & 255]++] = from[i];
		struct ear_index_data *swap = from;
		from = to;
		to = swap;
	}
	if (from != entries)
		memcpy(entries, from, count * sizeof(*entries));
}

/* The entries in use, sorted, in memory that the caller frees; one more than there are, and as many
 * again behind them. NULL if memory is short. */
static struct ear_index_data *take_lines(const struct ear_index_lines *lines)
{
	struct ear_index_data *taken = malloc((2 * lines->count + 1) * sizeof(*taken));
	size_t count = 0;

	if (!taken)
		return NULL;
	for (size_t i = 0; i < lines->capacity; i++)
		if (!is_empty(&lines->entries[i]))
			taken[count++] = lines->entries[i];
	sort_lines(taken, taken + count, count);
	return taken;
}

static bool take_code(const struct ear_index_lines *lines, struct ear_index_sets *sets)
{
	struct ear_index_data *taken = take_lines(lines);
	struct ear_index_code *code = malloc((lines->count + 1) * sizeof(*code));

	sets->code = code;
	for (size_t i = 0; taken && code && i < lines->count; i++)
		code[i] = (struct ear_index_code){taken[i].key,
			taken[i].words_read | (uint32_t)taken[i].words_written << 16,
			taken[i].read};
	sets->code_count = lines->count;
	sets->code_shift = lines->shift;
	free(taken);
	return taken && code;
}

static struct ear_index_few *copy_few(const struct ear_index_few *few, size_t count)
{
	struct ear_index_few *copy = malloc((count + 1) * sizeof(*copy));

	if (copy)
		memcpy(copy, few, count * sizeof(*copy));
	return copy;
}

static bool take_csrs(struct ear_index_collect *collect, struct ear_index_sets *sets)
{
	size_t count = 0;

	for (size_t i = 0; i < EAR_CSR_COUNT; i++)
		count += collect->csrs[i].children != 0;
	sets->csrs = malloc((count + 1) * sizeof(*sets->csrs));
	for (size_t i = 0; sets->csrs && i < EAR_CSR_COUNT; i++)
		if (collect->csrs[i].children)
			sets->csrs[sets->csr_count++] =
				(struct ear_index_few){i, collect->csrs[i].children};
	return sets->csrs;
}

int ear_index_collect_take(
	struct ear_index_collect *collect, unsigned count, struct ear_index_sets *sets)
{
	*sets = (struct ear_index_sets){.count = count};
	memcpy(sets->children, collect->children, count * sizeof(collect->children[0]));
	sets->data = take_lines(&collect->data);
	sets->data_count = collect->data.count;
	sets->data_shift = collect->data.shift;
	sets->words = collect->data.words && collect->data.shift == EAR_INDEX_LINE;
	sets->causes = copy_few(collect->causes, collect->cause_count);
	sets->cause_count = collect->cause_count;
	sets->names = copy_few(collect->names, collect->name_count);
	sets->name_count = collect->name_count;
	sets->any_cause = collect->any_cause;
	sets->any_name = collect->any_name;
	bool code = take_code(&collect->code, sets), csrs = take_csrs(collect, sets);
	if (code && csrs && sets->data && sets->causes && sets->names && !collect->failed)
		return 0;
	ear_index_sets_fini(sets);
	return EAR_E_NO_MEMORY;
}
