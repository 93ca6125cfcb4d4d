/* Counts by address: pages of 128 places for instructions, two bytes apart, which a hash table
 * finds. The pages that were met lately are looked at first.
 */
#include "analyses/coverage/coverage.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/base/numbering.h"

#define PAGE_SHIFT  8
#define PAGE_PLACES 128u
#define RECENT      64u /* a power of two */

struct page {
	uint64_t number; /* address >> PAGE_SHIFT */
	struct ear_coverage_pc *places;
};

struct ear_coverage {
	struct page *pages;
	uint32_t page_count;
	struct ear_numbering numbering;
	struct page recent[RECENT]; /* by the lowest bits of their numbers; places NULL: none */
	struct ear_coverage_sums sums;
	bool skips; /* the next batch is of a task that is not wanted */
};

static int create(void **count, const struct ear_analysis_setup *setup)
{
	(void)setup;
	*count = calloc(1, sizeof(struct ear_coverage));
	return *count ? 0 : EAR_E_NO_MEMORY;
}

static void free_count(void *count)
{
	struct ear_coverage *coverage = count;

	if (!coverage)
		return;
	for (uint32_t i = 0; i < coverage->page_count; i++)
		free(coverage->pages[i].places);
	free(coverage->pages);
	ear_numbering_fini(&coverage->numbering);
	free(coverage);
}

/* ---- Pages. ---- */

static uint32_t *slot_of(const struct ear_coverage *coverage, uint64_t number)
{
	const struct ear_numbering *numbering = &coverage->numbering;
	uint32_t at = ear_numbering_first(numbering, ear_numbering_hash(number, 0));

	while (numbering->places[at] != 0 &&
		coverage->pages[numbering->places[at] - 1].number != number)
		at = ear_numbering_next(numbering, at);
	return &numbering->places[at];
}

static struct ear_coverage_pc *find_page(const struct ear_coverage *coverage, uint64_t number)
{
	if (coverage->page_count == 0)
		return NULL;
	const uint32_t *slot = slot_of(coverage, number);
	return *slot ? coverage->pages[*slot - 1].places : NULL;
}

/* Returns NULL if memory is short. */
static struct ear_coverage_pc *add_page(struct ear_coverage *coverage, uint64_t number)
{
	bool again;
	struct page *pages = ear_numbering_grow(&coverage->numbering, coverage->pages,
		sizeof(*pages), coverage->page_count, &again);
	struct ear_coverage_pc *places = calloc(PAGE_PLACES, sizeof(*places));

	if (pages)
		coverage->pages = pages;
	for (uint32_t i = 0; pages && again && i < coverage->page_count; i++)
		*slot_of(coverage, pages[i].number) = i + 1;
	if (!pages || !places) {
		free(places);
		return NULL;
	}
	*slot_of(coverage, number) = coverage->page_count + 1;
	pages[coverage->page_count++] = (struct page){number, places};
	return places;
}

/* The place of pc into *place; NULL if there is no room for its page. Returns 0 or EAR_E_NO_MEMORY.
 */
static int enter(struct ear_coverage *coverage, uint64_t pc, struct ear_coverage_pc **place)
{
	const uint64_t number = pc >> PAGE_SHIFT;
	struct ear_coverage_pc *places = find_page(coverage, number);

	*place = NULL;
	if (!places && coverage->page_count == EAR_COVERAGE_PAGES)
		return 0;
	if (!places)
		places = add_page(coverage, number);
	if (!places)
		return EAR_E_NO_MEMORY;
	coverage->recent[number & (RECENT - 1)] = (struct page){number, places};
	*place = &places[pc >> 1 & (PAGE_PLACES - 1)];
	return 0;
}

static inline int find(struct ear_coverage *coverage, uint64_t pc, struct ear_coverage_pc **place)
{
	const uint64_t number = pc >> PAGE_SHIFT;
	const struct page *recent = &coverage->recent[number & (RECENT - 1)];

	if (recent->number == number && recent->places) {
		*place = &recent->places[pc >> 1 & (PAGE_PLACES - 1)];
		return 0;
	}
	return enter(coverage, pc, place);
}

/* ---- Counting. ---- */

/* The opcode at a place is this one. */
static void set_opcode(
	struct ear_coverage *coverage, struct ear_coverage_pc *place, uint32_t opcode, uint8_t size)
{
	if (!place->has_opcode) {
		place->opcode = opcode;
		place->opcode_size = size;
		place->has_opcode = true;
		place->is_branch = ear_coverage_is_branch(opcode);
	} else if (place->opcode != opcode && !place->changed) {
		place->changed = true;
		coverage->sums.changed_pcs++;
	}
}

/* Records of which all executed, and have opcodes of RISC-V and next pcs. */
static int count_run(struct ear_coverage *coverage, const struct ear_batch *batch)
{
	struct ear_coverage_pc *place;

	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_compact_record *record = &batch->compacts[i];
		int result = find(coverage, record->pc, &place);
		if (result)
			return result;
		if (!place) {
			coverage->sums.left_out++;
			continue;
		}
		if (!place->has_opcode || place->opcode != record->opcode)
			set_opcode(coverage, place, record->opcode, record->opcode_size);
		place->executed++;
		/* Jumps are taken, too. */
		place->taken += (record->flags & EAR_COMPACT_TAKEN) != 0 && place->is_branch;
	}
	coverage->sums.records += batch->count;
	coverage->sums.executed += batch->count;
	return 0;
}

/* Was the fetch refused? */
static bool failed_fetch(const struct ear_record *record)
{
	if (!(record->flags & EAR_RECORD_TRAP) || record->flags & EAR_RECORD_NO_CAUSE ||
		record->isa != EAR_ISA_RISCV)
		return false;
	return record->cause == 1 || record->cause == 12 || record->cause == 20;
}

static int count_record(struct ear_coverage *coverage, const struct ear_record *record)
{
	struct ear_coverage_pc *place;

	coverage->sums.gaps += record->kind == EAR_RECORD_GAP;
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	coverage->sums.records++;
	if (record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED) || failed_fetch(record))
		return 0;
	coverage->sums.executed++;
	int result = find(coverage, record->pc, &place);
	if (result)
		return result;
	if (!place) {
		coverage->sums.left_out++;
		return 0;
	}
	place->executed++;
	if (record->flags & EAR_RECORD_NO_OPCODE) {
		coverage->sums.without++;
		place->hidden++;
		return 0;
	}
	if (record->isa != EAR_ISA_RISCV) {
		place->hidden++;
		return 0;
	}
	set_opcode(coverage, place, (uint32_t)record->opcode, record->opcode_size);
	if (!ear_coverage_is_branch((uint32_t)record->opcode))
		return 0;
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_NO_NEXT_PC))
		place->hidden++;
	else
		place->taken += (record->flags & EAR_RECORD_TAKEN) != 0;
	return 0;
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_coverage *coverage = count;

	(void)task;
	coverage->skips = !wanted;
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	struct ear_coverage *coverage = count;
	int result = 0;

	if (coverage->skips && (batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION))
		return 0;
	if (ear_batch_is_plain(batch))
		return count_run(coverage, batch);
	for (size_t i = 0; i < batch->count && result == 0; i++)
		result = count_record(coverage, ear_batch_record(batch, i));
	return result;
}

/* ---- Sums. ---- */

static void join_place(struct ear_coverage *coverage, struct ear_coverage_pc *place,
	const struct ear_coverage_pc *next)
{
	if (next->has_opcode)
		set_opcode(coverage, place, next->opcode, next->opcode_size);
	if (next->changed && !place->changed) {
		place->changed = true;
		coverage->sums.changed_pcs++;
	}
	place->executed += next->executed;
	place->taken += next->taken;
	place->hidden += next->hidden;
}

static int join(void *whole, void *part)
{
	struct ear_coverage *coverage = whole;
	const struct ear_coverage *next = part;

	for (uint32_t i = 0; i < next->page_count; i++) {
		const struct page *page = &next->pages[i];
		for (uint32_t j = 0; j < PAGE_PLACES; j++) {
			struct ear_coverage_pc *place;
			if (page->places[j].executed == 0)
				continue;
			int result = enter(coverage, page->number << PAGE_SHIFT | j << 1, &place);
			if (result)
				return result;
			if (place)
				join_place(coverage, place, &page->places[j]);
			else
				coverage->sums.left_out += page->places[j].executed;
		}
	}
	coverage->sums.records += next->sums.records;
	coverage->sums.executed += next->sums.executed;
	coverage->sums.gaps += next->sums.gaps;
	coverage->sums.without += next->sums.without;
	coverage->sums.left_out += next->sums.left_out;
	return 0;
}

/* ---- A part as text. ---- */

/* The first place from the i-th one on that executed; page_count * PAGE_PLACES: there is none. */
static uint64_t next_place(const struct ear_coverage *coverage, uint64_t i)
{
	const uint64_t count = (uint64_t)coverage->page_count * PAGE_PLACES;

	while (i < count && coverage->pages[i / PAGE_PLACES].places[i % PAGE_PLACES].executed == 0)
		i++;
	return i;
}

/* What was read of a place that was not there before. */
static void add_place(struct ear_coverage *coverage, struct ear_part_walk *walk, uint64_t pc,
	const struct ear_coverage_pc *read)
{
	struct ear_coverage_pc *place;

	if (walk->bad)
		return;
	if (enter(coverage, pc, &place))
		ear_part_reject(walk, "out of memory");
	else if (!place)
		ear_part_reject(walk, "there are too many");
	else if (place->executed > 0 || read->executed == 0)
		ear_part_reject(walk, "it came before, or never ran");
	if (walk->bad)
		return;
	*place = (struct ear_coverage_pc){
		.executed = read->executed, .taken = read->taken, .hidden = read->hidden};
	if (read->opcode_size > 0)
		set_opcode(coverage, place, read->opcode, read->opcode_size);
	place->changed = read->changed;
	coverage->sums.changed_pcs += read->changed;
}

static void walk_place(struct ear_coverage *coverage, struct ear_part_walk *walk, uint64_t pc,
	struct ear_coverage_pc place)
{
	uint8_t size = place.has_opcode ? place.opcode_size : 0;

	ear_part_hex64(walk, &pc, UINT64_MAX);
	ear_part_u64(walk, &place.executed, UINT64_MAX);
	ear_part_u64(walk, &place.taken, UINT64_MAX);
	ear_part_u64(walk, &place.hidden, UINT64_MAX);
	ear_part_hex32(walk, &place.opcode, UINT32_MAX);
	ear_part_u8(walk, &size, 4);
	ear_part_bool(walk, &place.changed);
	place.opcode_size = size;
	if (ear_part_reads(walk))
		add_place(coverage, walk, pc, &place);
}

static void walk_places(struct ear_coverage *coverage, struct ear_part_walk *walk)
{
	static const struct ear_coverage_pc none;
	const uint64_t count = (uint64_t)coverage->page_count * PAGE_PLACES;

	if (ear_part_reads(walk)) {
		if (ear_part_line(walk, "pc"))
			walk_place(coverage, walk, 0, none);
		return;
	}
	for (uint64_t i = next_place(coverage, 0); i < count; i = next_place(coverage, i + 1)) {
		const struct page *page = &coverage->pages[i / PAGE_PLACES];
		const uint64_t at = i % PAGE_PLACES;
		ear_part_line(walk, "pc");
		walk_place(coverage, walk, page->number << PAGE_SHIFT | at << 1, page->places[at]);
	}
}

static void walk_part(void *count, struct ear_part_walk *walk)
{
	struct ear_coverage *coverage = count;
	struct ear_coverage_sums *sums = &coverage->sums;

	walk_places(coverage, walk);
	if (ear_part_line(walk, "sums")) {
		ear_part_u64(walk, &sums->records, UINT64_MAX);
		ear_part_u64(walk, &sums->executed, UINT64_MAX);
		ear_part_u64(walk, &sums->gaps, UINT64_MAX);
		ear_part_u64(walk, &sums->without, UINT64_MAX);
		ear_part_u64(walk, &sums->left_out, UINT64_MAX);
	}
}

const struct ear_analysis ear_coverage_analysis = {
	.name = "coverage",
	.unknown_line = "it is none of a coverage",
	.create = create,
	.free = free_count,
	.task = set_task,
	.batch = take_batch,
	.join = join,
	.walk = walk_part,
};

/* ---- Results. ---- */

const struct ear_coverage_pc *ear_coverage_at(const struct ear_coverage *coverage, uint64_t pc)
{
	const struct ear_coverage_pc *places = find_page(coverage, pc >> PAGE_SHIFT);
	const struct ear_coverage_pc *place = places ? &places[pc >> 1 & (PAGE_PLACES - 1)] : NULL;

	return place && place->executed > 0 ? place : NULL;
}

struct ear_coverage_sums ear_coverage_sums(const struct ear_coverage *coverage)
{
	return coverage->sums;
}
