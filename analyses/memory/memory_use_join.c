/* Parts of a run, joined: sums are added, bitmaps united; what a part leaves open is decided by
 * what the sum has then; what happened to stacks and the heap happens again (memory_use_replay.c).
 *
 * Where limits are met the order of the records matters, and where too much is open there is no
 * list of it: such a part is refused before anything is changed.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/memory/memory_part.h"

#define SHARES_MAX  65536u
#define NUMBERS_MAX (UINT64_C(1) << 62)

struct join {
	struct ear_usage *sum, *part;
	uint32_t *pages; /* of the sum, by those of the part */
};

static bool has_bit(const uint64_t *words, unsigned bit)
{
	return words[bit / 64] >> bit % 64 & 1;
}

/* ---- Can it be joined? ---- */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* How many instructions are open; UINT32_MAX: memory is short. */
static uint32_t count_open_pcs(const struct memory_part *part)
{
	uint64_t *pcs = calloc(part->open_count + UINT32_C(1), sizeof(*pcs));
	uint32_t count = 0;

	if (!pcs)
		return UINT32_MAX;
	for (uint32_t i = 0; i < part->open_count; i++)
		pcs[i] = part->open[i].pc;
	if (part->open_count > 1)
		qsort(pcs, part->open_count, sizeof(*pcs), compare_numbers);
	for (uint32_t i = 0; i < part->open_count; i++)
		count += i == 0 || pcs[i] != pcs[i - 1];
	free(pcs);
	return count;
}

/* The last site that there is room for must not be one of this part: which it is says the order. */
static bool has_room_for_sites(const struct ear_usage *sum, const struct ear_usage *part)
{
	const uint64_t heap = part->facts.has_heap ? MEMORY_SITES_LEFT : 0;
	const uint64_t closed = sum->site_count + (uint64_t)part->site_count + heap;

	if (part->facts.sites_lost > 0)
		return false;
	return sum->site_count == EAR_USAGE_SITES_MAX ||
	       closed + part->part->open_count <= EAR_USAGE_SITES_MAX ||
	       closed + MEMORY_OPEN_KINDS * (uint64_t)count_open_pcs(part->part) <=
		       EAR_USAGE_SITES_MAX;
}

static bool has_room(const struct ear_usage *sum, const struct ear_usage *part)
{
	uint64_t pages = sum->page_count, shares = sum->share_count;

	for (uint32_t i = 0; i < part->page_count; i++) {
		const struct memory_bits *bits =
			ear_usage_look_for_page(sum, part->pages[i].address);
		pages += !bits;
		shares +=
			bits && (bits->share != NONE || bits->hart != part->bits[i]->hart) ? 2 : 0;
	}
	if (pages > EAR_USAGE_PAGES_MAX || part->facts.lost > 0 || sum->facts.lost > 0)
		return false;
	if (shares + part->share_count > SHARES_MAX || part->facts.shares_lost > 0 ||
		sum->facts.shares_lost > 0)
		return false;
	return part->facts.ranges_lost == 0 && sum->facts.ranges_lost == 0 &&
	       (uint64_t)sum->range_count + part->range_count <= EAR_USAGE_RANGES_MAX &&
	       has_room_for_sites(sum, part);
}

static unsigned count_bits(uint64_t word)
{
	return (unsigned)__builtin_popcountll(word);
}

/* Bytes from the address on of its page. */
static unsigned in_page(uint64_t address, unsigned size)
{
	const unsigned left = EAR_USAGE_PAGE - address % EAR_USAGE_PAGE;

	return size < left ? size : left;
}

/* Did it, after what the sum has, do what it may better not do? */
static bool decide(
	const struct ear_usage *sum, const struct memory_open *open, struct ear_usage_site *site)
{
	uint64_t unknown;

	site->size = open->size;
	switch ((enum memory_open_kind)open->kind) {
	case MEMORY_OPEN_READ:
		unknown = open->mask & ~ear_usage_written_at(sum, open->address, open->size);
		site->fault = EAR_USAGE_UNINITIALIZED;
		site->bytes = count_bits(open->fresh & unknown &
					 ~ear_usage_reported_at(sum, open->address, open->size));
		return unknown != 0 && sum->facts.gaps == 0;
	case MEMORY_OPEN_WRITE:
		site->fault = EAR_USAGE_CODE_WRITE;
		site->bytes = open->count * open->size;
		return ear_usage_executed_at(sum, open->address, open->size);
	default:
		site->fault = EAR_USAGE_RUN_WRITTEN;
		site->bytes = open->size;
		site->size = 0;
		return !ear_usage_executed_at(sum, open->pc, 1) &&
		       (open->mask != 0 || ear_usage_written_at(sum, open->pc,
						   in_page(open->pc, open->size)) != 0);
	}
}

/* If not all reads are reported: are the bytes written that some read? */
static bool are_reads_fine(const struct ear_usage *sum, const struct memory_bits *bits,
	const struct memory_bits *before)
{
	uint64_t unknown = 0;

	for (unsigned i = 0; i < WORDS; i++)
		unknown |= bits->reported[i] & ~(before ? before->written[i] : 0);
	return unknown == 0 || sum->facts.gaps > 0;
}

/* If not all writes are reported: did none write what was executed before? */
static bool are_writes_fine(const struct memory_bits *bits, const struct memory_bits *before)
{
	const uint64_t *known = ((const struct memory_part_bits *)bits)->known_executed;

	for (unsigned i = 0; before && i < EAR_USAGE_PAGE; i++)
		if (has_bit(bits->written, i) && has_bit(before->executed, i / 2) &&
			!has_bit(known, i / 2))
			return false;
	return true;
}

/* If not all first executions are reported: was none of what was written? */
static bool are_runs_fine(const struct memory_bits *bits, const struct memory_bits *before)
{
	for (unsigned i = 0; i < EAR_USAGE_PAGE; i++)
		if (has_bit(bits->executed, i / 2) &&
			(has_bit(bits->written, i) || (before && has_bit(before->written, i))))
			return false;
	return true;
}

/* An access may reach into the next page. */
static bool is_unreported(const struct ear_usage *part, uint32_t page)
{
	const struct memory_bits *before =
		ear_usage_look_for_page(part, part->pages[page].address - EAR_USAGE_PAGE);

	return ((const struct memory_part_bits *)part->bits[page])->is_unreported ||
	       (before && ((const struct memory_part_bits *)before)->is_unreported) ||
	       part->part->is_full[MEMORY_OPEN_WRITE];
}

/* Of those that go through memory and whose records are not known it must be the first one, if any,
 * that did wrong first. */
static bool are_firsts_known(const struct ear_usage *sum, const struct memory_part *part)
{
	for (uint32_t i = 0; i < part->open_count; i++) {
		struct memory_open one = part->open[i];
		struct ear_usage_site site;
		if (one.is_regular || decide(sum, &one, &site))
			continue;
		for (uint32_t j = 1; j < part->open[i].times; j++) {
			one.address += one.stride;
			if (decide(sum, &one, &site))
				return false;
		}
	}
	return true;
}

static bool is_all_reported(const struct ear_usage *sum, const struct ear_usage *part)
{
	const bool *full = part->part->is_full;

	for (uint32_t i = 0; i < part->page_count; i++) {
		const struct memory_bits *bits = part->bits[i];
		const struct memory_bits *before =
			ear_usage_look_for_page(sum, part->pages[i].address);
		if ((full[MEMORY_OPEN_READ] && !are_reads_fine(sum, bits, before)) ||
			(full[MEMORY_OPEN_RUN] && !are_runs_fine(bits, before)) ||
			(is_unreported(part, i) && !are_writes_fine(bits, before)))
			return false;
	}
	return !part->part->is_untellable && are_firsts_known(sum, part->part);
}

static int check(struct ear_usage *sum, struct ear_usage *part)
{
	const struct ear_usage_facts *facts = &part->facts;

	if (facts->has_image != sum->facts.has_image || facts->has_heap != sum->facts.has_heap ||
		facts->begin > NUMBERS_MAX || part->seen > NUMBERS_MAX ||
		part->started != (part->seen > 0) ||
		(part->started && sum->started && facts->begin != sum->facts.begin + sum->seen))
		return EAR_E_BAD_FILE;
	if (!has_room(sum, part) || !is_all_reported(sum, part))
		return EAR_E_UNSUPPORTED;
	return ear_usage_try_replay(sum, part);
}

/* ---- What instructions did. ---- */

static void add_site(struct ear_usage *sum, const struct ear_usage_site *from)
{
	struct ear_usage_site *site =
		ear_usage_site(sum, from->fault, from->has_pc, from->pc, from->hart);

	if (!site) {
		sum->facts.sites_lost += from->count - 1;
		return;
	}
	const bool is_new = site->count == 1;
	site->count += from->count - 1;
	site->bytes += from->bytes;
	site->trapped += from->trapped;
	if (!is_new && from->first >= site->first)
		return;
	site->hart = from->hart;
	site->first = from->first;
	site->address = from->address;
	site->size = from->size;
	site->has_address = from->has_address;
}

/* Those of which the part knew that the instruction had written code before, or the others. */
static void close_open(struct ear_usage *sum, const struct memory_part *part, bool after)
{
	for (uint32_t i = 0; i < part->open_count; i++) {
		struct memory_open one = part->open[i];
		const uint32_t times =
			(one.kind == MEMORY_OPEN_WRITE && one.mask) == after ? one.times : 0;
		for (uint32_t j = 0; j < times; j++) {
			struct ear_usage_site site = {
				.has_pc = one.has_pc,
				.hart = one.hart,
				.pc = one.pc,
				.count = one.count,
				.first = one.first,
				.address = one.address,
				.has_address = true,
			};
			if (decide(sum, &one, &site))
				add_site(sum, &site);
			one.address += one.stride;
			one.first += one.step;
		}
	}
}

static void join_sites(struct ear_usage *sum, const struct ear_usage *part)
{
	close_open(sum, part->part, false);
	for (uint32_t i = 0; i < part->site_count; i++)
		add_site(sum, &part->sites[i]);
	close_open(sum, part->part, true);
}

/* ---- Counts. ---- */

static void add_count(struct ear_usage_count *sum, const struct ear_usage_count *part)
{
	if (part->reads + part->writes == 0)
		return;
	if (sum->reads + sum->writes == 0)
		sum->first = part->first;
	sum->last = part->last;
	sum->reads += part->reads;
	sum->writes += part->writes;
	sum->read_bytes += part->read_bytes;
	sum->written_bytes += part->written_bytes;
}

static void join_facts(struct ear_usage *sum, const struct ear_usage *part)
{
	const struct ear_usage_facts *from = &part->facts;

	add_count(&sum->facts.total, &from->total);
	sum->seen += part->seen;
	sum->facts.records += from->records;
	sum->facts.sizeless += from->sizeless;
	sum->facts.unphysical += from->unphysical;
	sum->facts.has_sp |= from->has_sp;
	sum->facts.other_isa |= from->other_isa;
}

static void join_ranges(struct ear_usage *sum, const struct ear_usage *part)
{
	for (uint32_t i = 0; i < part->range_count; i++) {
		struct ear_usage_range *range = ear_usage_find_range(sum, part->ranges[i].first);
		if (range)
			add_count(&range->count, &part->ranges[i].count);
	}
}

/* ---- Pages in time. ---- */

static void add_heat(uint32_t *heat, uint64_t count)
{
	*heat = *heat + count > UINT32_MAX ? UINT32_MAX : (uint32_t)(*heat + count);
}

/* The part's first instruction comes, and all others: time is that of its last one. */
static void go_on(struct ear_usage *sum, const struct ear_usage *part)
{
	if (!sum->started) {
		sum->started = true;
		sum->facts.begin = part->facts.begin;
		sum->facts.late = part->facts.late;
		ear_usage_begin_intervals(sum);
	}
	sum->number = part->facts.begin + part->seen - 1;
	ear_usage_next_step(sum);
}

static int join_heat(struct join *join)
{
	struct ear_usage *sum = join->sum, *part = join->part;

	for (uint32_t i = 0; i < part->page_count; i++)
		add_heat(&sum->pages[join->pages[i]].heat[sum->step],
			memory_part_bits(part->bits[i])->heat_before);
	if (!part->started)
		return 0;
	go_on(sum, part);
	for (uint32_t i = 0; i < part->page_count; i++)
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++) {
			const uint64_t begin = ear_usage_step_begin(&part->facts, j);
			if (part->pages[i].heat[j] == 0)
				continue;
			if (begin > sum->number)
				return EAR_E_BAD_FILE;
			add_heat(&sum->pages[join->pages[i]].heat[ear_usage_step_of(sum, begin)],
				part->pages[i].heat[j]);
		}
	return 0;
}

/* Lines that the part touched in the interval in which it begins. */
static uint64_t first_lines(const struct ear_usage *part, uint32_t page)
{
	const struct memory_bits *bits = part->bits[page];

	if (part->interval > 0)
		return ((const struct memory_part_bits *)bits)->first_lines;
	return bits->interval == 0 ? bits->lines : 0;
}

static void touch_lines(struct ear_usage *sum, struct memory_bits *bits, uint64_t lines)
{
	if (lines == 0)
		return;
	if (bits->interval != sum->interval) {
		bits->interval = sum->interval;
		bits->lines = 0;
		sum->interval_pages++;
	}
	sum->interval_lines += count_bits(lines & ~bits->lines);
	bits->lines |= lines;
}

static void join_intervals(struct join *join)
{
	struct ear_usage *sum = join->sum, *part = join->part;

	if (sum->options.working_set == 0)
		return;
	for (uint32_t i = 0; i < part->page_count; i++)
		touch_lines(sum, sum->bits[join->pages[i]], first_lines(part, i));
	if (part->interval == 0)
		return;
	ear_usage_end_interval(sum, sum->options.working_set);
	for (size_t i = 1; i < part->row_count; i++)
		ear_usage_add_interval(
			sum, part->rows[i].records, part->rows[i].lines, part->rows[i].pages);
	sum->facts.rows_lost += part->facts.rows_lost;
	for (uint32_t i = 0; i < part->page_count; i++)
		if (part->bits[i]->interval == part->interval)
			touch_lines(sum, sum->bits[join->pages[i]], part->bits[i]->lines);
}

/* ---- Pages. ---- */

static void join_lines(struct memory_lines *lines, const struct memory_bits *before,
	const struct memory_bits *bits, const struct memory_lines *from)
{
	for (unsigned i = 0; i < WORDS; i++) {
		const uint16_t first = from ? from->first[i] : bits->hart;
		if ((bits->written[i] | bits->read[i]) == 0)
			continue;
		lines->moves[i] += from ? from->moves[i] : 0;
		lines->moves[i] +=
			(before->written[i] | before->read[i]) != 0 && lines->last[i] != first;
		lines->last[i] = from ? from->last[i] : bits->hart;
	}
}

static void unite_share(struct ear_usage *sum, uint32_t page, uint16_t hart,
	const uint64_t *written, const uint64_t *read)
{
	const uint32_t number = ear_usage_find_share(sum, page, hart);

	for (unsigned i = 0; i < WORDS && number != NONE; i++) {
		sum->shares[number].written[i] |= written[i];
		sum->shares[number].read[i] |= read[i];
	}
}

/* Before the page's own bitmaps are united. */
static void join_shares(struct ear_usage *sum, uint32_t page, const struct ear_usage *part,
	const struct memory_bits *bits)
{
	struct memory_bits *own = sum->bits[page];

	if (!bits->is_accessed)
		return;
	if (!own->is_accessed)
		own->hart = bits->hart;
	own->is_accessed = true;
	if (own->share == NONE && bits->share == NONE && own->hart == bits->hart)
		return;
	if (bits->share == NONE)
		unite_share(sum, page, bits->hart, bits->written, bits->read);
	for (uint32_t i = bits->share; i != NONE; i = part->shares[i].next)
		unite_share(sum, page, part->shares[i].hart, part->shares[i].written,
			part->shares[i].read);
	if (own->share != NONE)
		join_lines(sum->lines[own->share], own, bits,
			bits->share == NONE ? NULL : part->lines[bits->share]);
}

static void join_bits(struct ear_usage *sum, uint32_t page, const struct memory_bits *bits)
{
	struct memory_bits *own = sum->bits[page];

	for (unsigned i = 0; i < WORDS; i++) {
		own->reported[i] |= bits->reported[i];
		own->written[i] |= bits->written[i];
		own->read[i] |= bits->read[i];
	}
	for (unsigned i = 0; i < WORDS / 2; i++) {
		own->executed[i] |= bits->executed[i];
		own->is_executed |= bits->executed[i] != 0;
	}
}

static int join_pages(struct join *join)
{
	struct ear_usage *sum = join->sum, *part = join->part;

	for (uint32_t i = 0; i < part->page_count; i++) {
		const uint32_t page = ear_usage_find_page(sum, part->pages[i].address);
		if (page == NONE)
			return EAR_E_NO_MEMORY;
		join->pages[i] = page;
		add_count(&sum->pages[page].count, &part->pages[i].count);
		join_shares(sum, page, part, part->bits[i]);
		join_bits(sum, page, part->bits[i]);
	}
	join_ranges(sum, part);
	int result = join_heat(join);
	if (result == 0)
		join_intervals(join);
	return result;
}

/* ---- All. ---- */

static void join_tasks(struct ear_usage *sum, struct ear_usage *part)
{
	struct memory_task *tasks = sum->tasks;
	const uint32_t count = sum->task_count;

	if (part->task_count == 0)
		return;
	sum->tasks = part->tasks;
	sum->task_count = part->task_count;
	part->tasks = tasks;
	part->task_count = count;
}

static int join_all(struct join *join)
{
	struct ear_usage *sum = join->sum, *part = join->part;

	join_sites(sum, part);
	int result = ear_usage_replay(sum, part);
	if (result != 0)
		return EAR_E_BAD_FILE;
	memory_lock(sum);
	sum->is_locked = true;
	result = join_pages(join);
	sum->is_locked = false;
	memory_unlock(sum);
	join_facts(sum, part);
	join_tasks(sum, part);
	return result;
}

/* EAR_E_UNSUPPORTED: the sum is as it was; other errors: it is of no use. */
int ear_usage_join(void *whole, void *next)
{
	struct ear_usage *sum = whole, *part = next;
	struct join join = {sum, part, NULL};
	int result = part->failed ? EAR_E_NO_MEMORY : check(sum, part);
	if (result != 0)
		return result;
	join.pages = calloc(part->page_count + UINT32_C(1), sizeof(*join.pages));
	result = join.pages ? join_all(&join) : EAR_E_NO_MEMORY;
	free(join.pages);
	return sum->failed ? EAR_E_NO_MEMORY : result;
}

/* ---- Tasks. ---- */

void ear_usage_add_task(struct ear_usage *memory, uint64_t pid, const char *name)
{
	struct memory_task *grown =
		realloc(memory->tasks, (memory->task_count + UINT32_C(1)) * sizeof(*grown));
	char *copy = name && grown ? strdup(name) : NULL;

	if (grown)
		memory->tasks = grown;
	if (grown && (copy || !name))
		memory->tasks[memory->task_count++] = (struct memory_task){pid, copy};
	else
		memory->failed = true;
}

bool ear_usage_task(
	const struct ear_usage *memory, uint32_t number, uint64_t *pid, const char **name)
{
	if (number == 0 || number > memory->task_count)
		return false;
	*pid = memory->tasks[number - 1].pid;
	*name = memory->tasks[number - 1].name;
	return true;
}
