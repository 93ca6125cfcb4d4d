/* A part as lines of a file: docs/parts.md, section 3.7. What is of a page follows its line, and
 * what is of a hart in it follows the line of that. Of what is read, what the join uses as an index
 * is checked here.
 */
#include <string.h>

#include "analyses/memory/memory_part.h"

#define STEP_LEAST 1024u
#define STEP_MOST  (UINT64_C(1) << 56)

static void walk_count(struct ear_part_walk *walk, struct ear_usage_count *count)
{
	ear_part_u64(walk, &count->reads, UINT64_MAX);
	ear_part_u64(walk, &count->writes, UINT64_MAX);
	ear_part_u64(walk, &count->read_bytes, UINT64_MAX);
	ear_part_u64(walk, &count->written_bytes, UINT64_MAX);
	ear_part_u64(walk, &count->first, UINT64_MAX);
	ear_part_u64(walk, &count->last, UINT64_MAX);
}

/* ---- Sums. ---- */

/* Bit 0 first. */
static void walk_flags(struct ear_usage *part, struct ear_part_walk *walk)
{
	struct ear_usage_facts *facts = &part->facts;
	bool *const flags[] = {&part->started, &facts->late, &facts->has_image, &facts->has_heap,
		&facts->has_sp, &facts->other_isa, &part->part->is_untellable,
		&part->part->has_unreported, &part->part->is_full[MEMORY_OPEN_READ],
		&part->part->is_full[MEMORY_OPEN_WRITE], &part->part->is_full[MEMORY_OPEN_RUN]};
	uint32_t set = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		set |= (uint32_t)*flags[i] << i;
	ear_part_u32(walk, &set, UINT32_MAX);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		*flags[i] = set >> i & 1;
}

static void walk_sums(struct ear_usage *part, struct ear_part_walk *walk)
{
	struct ear_usage_facts *facts = &part->facts;

	if (ear_part_line(walk, "sums")) {
		walk_count(walk, &facts->total);
		walk_flags(part, walk);
		ear_part_u64(walk, &part->seen, UINT64_MAX);
		ear_part_u64(walk, &facts->records, UINT64_MAX);
		ear_part_u64(walk, &facts->begin, UINT64_MAX);
		ear_part_u64(walk, &facts->step, UINT64_MAX);
		ear_part_u64(walk, &facts->sizeless, UINT64_MAX);
		ear_part_u64(walk, &facts->unphysical, UINT64_MAX);
		ear_part_u32(walk, &part->part->sets, UINT32_MAX);
		if (facts->step < STEP_LEAST || facts->step > STEP_MOST ||
			(facts->step & (facts->step - 1)) != 0)
			ear_part_reject(walk, "a step of time that cannot be");
	}
	if (ear_part_line(walk, "lost")) {
		ear_part_u64(walk, &facts->lost, UINT64_MAX);
		ear_part_u64(walk, &facts->sites_lost, UINT64_MAX);
		ear_part_u64(walk, &facts->rows_lost, UINT64_MAX);
		ear_part_u64(walk, &facts->ranges_lost, UINT64_MAX);
		ear_part_u64(walk, &facts->shares_lost, UINT64_MAX);
	}
}

static void walk_task(
	struct ear_usage *part, struct ear_part_walk *walk, const struct memory_task *task)
{
	uint64_t pid = task->pid;
	const char *name = task->name;

	if (!ear_part_line(walk, "task"))
		return;
	ear_part_u64(walk, &pid, UINT64_MAX);
	if (name || ear_part_reads(walk))
		name = ear_part_tail(walk, name);
	if (ear_part_reads(walk) && !walk->bad)
		ear_usage_add_task(part, pid, name[0] ? name : NULL);
}

static void walk_interval(
	struct ear_usage *part, struct ear_part_walk *walk, struct ear_usage_interval row)
{
	const uint64_t lost = part->facts.rows_lost, interval = part->interval;

	if (!ear_part_line(walk, "interval"))
		return;
	ear_part_u64(walk, &row.records, UINT64_MAX);
	ear_part_u64(walk, &row.lines, UINT64_MAX);
	ear_part_u64(walk, &row.pages, UINT64_MAX);
	if (!ear_part_reads(walk) || walk->bad)
		return;
	ear_usage_add_interval(part, row.records, row.lines, row.pages);
	part->interval = interval;
	if (part->facts.rows_lost > lost)
		ear_part_reject(walk, "there are too many intervals");
}

/* ---- Pages. ---- */

enum { BITS_WRITTEN, BITS_READ, BITS_REPORTED, BITS_EXECUTED };
enum { PAGE_ACCESSED = 1, PAGE_UNREPORTED = 2, PAGE_FLAGS = 3 };

static bool has_some(const uint64_t *numbers, unsigned count)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < count; i++)
		found |= numbers[i];
	return found != 0;
}

/* Those that are not 0, each after its index. */
static void walk_numbers(
	struct ear_part_walk *walk, uint64_t *numbers, unsigned count, uint64_t max)
{
	for (uint64_t i = 0; !ear_part_reads(walk) && i < count; i++) {
		if (numbers[i] == 0)
			continue;
		ear_part_decimal(walk, i, UINT64_MAX);
		ear_part_decimal(walk, numbers[i], UINT64_MAX);
	}
	while (ear_part_reads(walk) && !walk->bad && !ear_part_line_ended(walk->reader)) {
		const uint64_t i = ear_part_decimal(walk, 0, count - 1);
		ear_part_u64(walk, &numbers[i], max);
	}
}

static void walk_heat(struct ear_part_walk *walk, uint32_t heat[EAR_USAGE_STEPS])
{
	uint64_t numbers[EAR_USAGE_STEPS];

	for (unsigned i = 0; i < EAR_USAGE_STEPS; i++)
		numbers[i] = heat[i];
	if ((!ear_part_reads(walk) && !has_some(numbers, EAR_USAGE_STEPS)) ||
		!ear_part_line(walk, "heat"))
		return;
	walk_numbers(walk, numbers, EAR_USAGE_STEPS, UINT32_MAX);
	for (unsigned i = 0; i < EAR_USAGE_STEPS; i++)
		heat[i] = (uint32_t)numbers[i];
}

static void write_bits(struct ear_part_walk *walk, unsigned which, uint64_t *words, unsigned count)
{
	if (!has_some(words, count) || !ear_part_line(walk, "bits"))
		return;
	ear_part_decimal(walk, which, UINT64_MAX);
	walk_numbers(walk, words, count, UINT64_MAX);
}

/* share NULL: they are those of the page. */
static void read_bits(
	struct ear_part_walk *walk, struct memory_bits *bits, struct memory_share *share)
{
	uint64_t *const words[] = {share ? share->written : bits->written,
		share ? share->read : bits->read, bits->reported, bits->executed};
	const uint64_t which = ear_part_decimal(walk, 0, BITS_EXECUTED);

	walk_numbers(walk, words[which], which == BITS_EXECUTED ? WORDS / 2 : WORDS, UINT64_MAX);
}

static void walk_line(struct ear_part_walk *walk, struct memory_lines *lines, uint64_t number)
{
	ear_part_u64(walk, &number, WORDS - 1);
	ear_part_u16(walk, &lines->first[number], UINT16_MAX);
	ear_part_u16(walk, &lines->last[number], UINT16_MAX);
	ear_part_u32(walk, &lines->moves[number], UINT32_MAX);
}

static void write_shares(
	struct ear_usage *part, struct ear_part_walk *walk, const struct memory_bits *bits)
{
	for (uint32_t i = bits->share; i != NONE; i = part->shares[i].next) {
		ear_part_line(walk, "share");
		ear_part_u16(walk, &part->shares[i].hart, UINT16_MAX);
		write_bits(walk, BITS_WRITTEN, part->shares[i].written, WORDS);
		write_bits(walk, BITS_READ, part->shares[i].read, WORDS);
	}
	for (unsigned i = 0; bits->share != NONE && i < WORDS; i++)
		if ((bits->written[i] | bits->read[i]) != 0 && ear_part_line(walk, "line"))
			walk_line(walk, part->lines[bits->share], i);
}

/* The first one has what the page has by now; that is to come again. */
static void read_share(struct ear_usage *part, struct ear_part_walk *walk, uint32_t page)
{
	const uint16_t hart = (uint16_t)ear_part_decimal(walk, 0, UINT16_MAX);

	if (walk->bad)
		return;
	if (part->part->walked_share == NONE)
		part->bits[page]->hart = hart;
	const uint32_t number = ear_usage_find_share(part, page, hart);
	if (number == NONE) {
		ear_part_reject(walk, part->failed ? "out of memory" : "there are too many harts");
		return;
	}
	memset(part->shares[number].written, 0, sizeof(part->shares[number].written));
	memset(part->shares[number].read, 0, sizeof(part->shares[number].read));
	part->part->walked_share = number;
}

/* What is of the page, and of the hart in it, whose lines came last. */
static void read_of_page(struct ear_usage *part, struct ear_part_walk *walk)
{
	const uint32_t page = part->part->walked_page, share = part->part->walked_share;
	struct memory_bits *bits = part->bits[page];

	walk_heat(walk, part->pages[page].heat);
	if (ear_part_line(walk, "bits"))
		read_bits(walk, bits, share == NONE ? NULL : &part->shares[share]);
	if (ear_part_line(walk, "share"))
		read_share(part, walk, page);
	if (!ear_part_line(walk, "line"))
		return;
	if (bits->share == NONE)
		ear_part_reject(walk, "a line of a page that is not shared");
	else
		walk_line(walk, part->lines[bits->share], 0);
}

/* One that was read, or NONE after what is wrong with it. */
static uint32_t add_page(struct ear_usage *part, struct ear_part_walk *walk, uint64_t address)
{
	uint32_t number = NONE;

	if (address % EAR_USAGE_PAGE != 0 || ear_usage_look_for_page(part, address))
		ear_part_reject(walk, "it is no page, or came before");
	else if ((number = ear_usage_find_page(part, address)) == NONE)
		ear_part_reject(walk, "there are too many pages");
	part->part->walked_page = number;
	part->part->walked_share = NONE;
	return number;
}

static void walk_flags_of_page(struct ear_part_walk *walk, struct memory_bits *bits)
{
	struct memory_part_bits *more = memory_part_bits(bits);
	uint8_t flags = (bits->is_accessed ? PAGE_ACCESSED : 0);

	flags |= more->is_unreported ? PAGE_UNREPORTED : 0;
	ear_part_u8(walk, &flags, PAGE_FLAGS);
	bits->is_accessed = flags & PAGE_ACCESSED;
	more->is_unreported = flags & PAGE_UNREPORTED;
}

/* That were touched in the first interval, and in the last one, if that is another one. */
static void walk_lines_of_page(
	const struct ear_usage *part, struct ear_part_walk *walk, struct memory_bits *bits)
{
	const bool is_first = part->interval == 0, is_last = bits->interval == part->interval;
	const uint64_t own = is_last ? bits->lines : 0;
	uint64_t first = is_first ? own : memory_part_bits(bits)->first_lines;
	uint64_t last = is_first ? 0 : own;

	ear_part_u64(walk, &first, UINT64_MAX);
	ear_part_u64(walk, &last, UINT64_MAX);
	if (!ear_part_reads(walk))
		return;
	memory_part_bits(bits)->first_lines = first;
	bits->lines = is_first ? first : last;
	if (bits->lines)
		bits->interval = part->interval;
}

/* number NONE: it is read. */
static void walk_page(struct ear_usage *part, struct ear_part_walk *walk, uint32_t number)
{
	uint64_t address = number == NONE ? 0 : part->pages[number].address;

	if (!ear_part_line(walk, "page"))
		return;
	ear_part_u64(walk, &address, UINT64_MAX);
	if (ear_part_reads(walk))
		number = add_page(part, walk, address);
	if (number == NONE)
		return;
	walk_count(walk, &part->pages[number].count);
	ear_part_u32(walk, &memory_part_bits(part->bits[number])->heat_before, UINT32_MAX);
	ear_part_u16(walk, &part->bits[number]->hart, UINT16_MAX);
	walk_flags_of_page(walk, part->bits[number]);
	walk_lines_of_page(part, walk, part->bits[number]);
}

static void write_pages(struct ear_usage *part, struct ear_part_walk *walk)
{
	for (uint32_t i = 0; i < part->page_count; i++) {
		struct memory_bits *bits = part->bits[i];
		walk_page(part, walk, i);
		walk_heat(walk, part->pages[i].heat);
		write_bits(walk, BITS_WRITTEN, bits->written, WORDS);
		write_bits(walk, BITS_READ, bits->read, WORDS);
		write_bits(walk, BITS_REPORTED, bits->reported, WORDS);
		write_bits(walk, BITS_EXECUTED, bits->executed, WORDS / 2);
		write_shares(part, walk, bits);
	}
}

/* ---- Ranges, and what instructions did. ---- */

/* Room for one more that was read, in what may have moved; NULL after what is wrong with it. The
 * table of the numbering is not used: none of them is looked for. */
static void *make_room(struct ear_usage *part, struct ear_part_walk *walk,
	struct ear_numbering *numbering, void *items, size_t size, uint32_t count)
{
	bool again;
	void *grown = walk->bad ? NULL : ear_numbering_grow(numbering, items, size, count, &again);

	part->failed |= !grown && !walk->bad;
	return grown;
}

/* They are joined by their first address, so that is all that is there of one. */
static void add_range(
	struct ear_usage *part, struct ear_part_walk *walk, const struct ear_usage_range *range)
{
	if (part->range_count == EAR_USAGE_RANGES_MAX)
		ear_part_reject(walk, "there are too many ranges");
	void *grown = make_room(
		part, walk, &part->range_numbers, part->ranges, sizeof(*range), part->range_count);
	if (!grown)
		return;
	part->ranges = grown;
	part->ranges[part->range_count++] = *range;
}

static void walk_range(
	struct ear_usage *part, struct ear_part_walk *walk, struct ear_usage_range range)
{
	if (!ear_part_line(walk, "range"))
		return;
	ear_part_u64(walk, &range.first, UINT64_MAX);
	walk_count(walk, &range.count);
	if (ear_part_reads(walk))
		add_range(part, walk, &range);
}

static void add_site(
	struct ear_usage *part, struct ear_part_walk *walk, const struct ear_usage_site *site)
{
	struct ear_usage_site *made =
		walk->bad ? NULL
			  : ear_usage_site(part, site->fault, site->has_pc, site->pc, site->hart);

	if (!made || made->count > 1 || site->count == 0)
		ear_part_reject(walk, "a site that came before, or too many");
	else
		*made = *site;
}

static void walk_site(
	struct ear_usage *part, struct ear_part_walk *walk, struct ear_usage_site site)
{
	if (!ear_part_line(walk, "site"))
		return;
	ear_part_u8(walk, &site.fault, EAR_USAGE_MISALIGNED);
	ear_part_bool(walk, &site.has_pc);
	ear_part_u64(walk, &site.pc, UINT64_MAX);
	ear_part_u16(walk, &site.hart, UINT16_MAX);
	ear_part_u64(walk, &site.count, UINT64_MAX);
	ear_part_u64(walk, &site.bytes, UINT64_MAX);
	ear_part_u64(walk, &site.trapped, UINT64_MAX);
	ear_part_u64(walk, &site.first, UINT64_MAX);
	ear_part_u64(walk, &site.address, UINT64_MAX);
	ear_part_u8(walk, &site.size, UINT8_MAX);
	ear_part_bool(walk, &site.has_address);
	if (ear_part_reads(walk))
		add_site(part, walk, &site);
}

static void add_open(
	struct ear_usage *memory, struct ear_part_walk *walk, const struct memory_open *open)
{
	struct memory_part *part = memory->part;

	if (part->open_count == MEMORY_OPEN_KINDS * MEMORY_OPEN_MAX || open->count == 0)
		ear_part_reject(walk, "too much is open");
	void *grown = make_room(
		memory, walk, &part->open_numbers, part->open, sizeof(*open), part->open_count);
	if (!grown)
		return;
	part->open = grown;
	part->open[part->open_count++] = *open;
}

static void walk_open(struct ear_usage *part, struct ear_part_walk *walk, struct memory_open open)
{
	if (!ear_part_line(walk, "open"))
		return;
	ear_part_u8(walk, &open.kind, MEMORY_OPEN_KINDS - 1);
	ear_part_bool(walk, &open.has_pc);
	ear_part_u64(walk, &open.pc, UINT64_MAX);
	ear_part_u64(walk, &open.address, UINT64_MAX);
	ear_part_u8(walk, &open.size, UINT8_MAX);
	ear_part_u64(walk, &open.mask, UINT64_MAX);
	ear_part_u64(walk, &open.fresh, UINT64_MAX);
	ear_part_u64(walk, &open.count, UINT64_MAX);
	ear_part_u64(walk, &open.first, UINT64_MAX);
	ear_part_u16(walk, &open.hart, UINT16_MAX);
	ear_part_u32(walk, &open.times, MEMORY_TIMES_MAX);
	ear_part_u64(walk, &open.stride, UINT64_MAX);
	ear_part_u64(walk, &open.step, UINT64_MAX);
	ear_part_bool(walk, &open.is_regular);
	if (ear_part_reads(walk))
		add_open(part, walk, &open);
}

/* ---- All. ---- */

static void write_lists(struct ear_usage *part, struct ear_part_walk *walk)
{
	for (uint32_t i = 0; i < part->task_count; i++)
		walk_task(part, walk, &part->tasks[i]);
	if (part->options.working_set > 0 && ear_part_line(walk, "intervals"))
		ear_part_u64(walk, &part->interval, UINT64_MAX);
	for (size_t i = 0; i < part->row_count; i++)
		walk_interval(part, walk, part->rows[i]);
	write_pages(part, walk);
	for (uint32_t i = 0; i < part->range_count; i++)
		walk_range(part, walk, part->ranges[i]);
	for (uint32_t i = 0; i < part->site_count; i++)
		walk_site(part, walk, part->sites[i]);
	for (uint32_t i = 0; i < part->part->open_count; i++)
		walk_open(part, walk, part->part->open[i]);
}

/* One more of one of them. */
static void read_item(struct ear_usage *part, struct ear_part_walk *walk)
{
	walk_task(part, walk, &(struct memory_task){0});
	if (ear_part_line(walk, "intervals"))
		ear_part_u64(walk, &part->interval, UINT64_MAX);
	walk_interval(part, walk, (struct ear_usage_interval){0});
	walk_page(part, walk, NONE);
	if (part->part->walked_page != NONE)
		read_of_page(part, walk);
	walk_range(part, walk, (struct ear_usage_range){0});
	walk_site(part, walk, (struct ear_usage_site){0});
	walk_open(part, walk, (struct memory_open){0});
}

void ear_usage_walk(void *count, struct ear_part_walk *walk)
{
	struct ear_usage *part = count;

	walk_sums(part, walk);
	if (ear_part_reads(walk))
		read_item(part, walk);
	else
		write_lists(part, walk);
	ear_rows_walk(&part->part->rows, walk);
	if (ear_part_reads(walk) && part->failed)
		ear_part_reject(walk, "out of memory");
}
