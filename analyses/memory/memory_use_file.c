/* A part in a file: docs/parts.md, section 3.7. Of what is read, what the join uses as an index is
 * checked here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/memory/memory_part.h"

enum { BITS_WRITTEN, BITS_READ, BITS_REPORTED, BITS_EXECUTED };

enum {
	FLAG_STARTED = 1,
	FLAG_LATE = 2,
	FLAG_IMAGE = 4,
	FLAG_HEAP = 8,
	FLAG_SP = 16,
	FLAG_OTHER_ISA = 32,
	FLAG_UNTELLABLE = 64,
	FLAG_UNTOLD = 128,
	FLAG_FULL = 256, /* and the next ones, by what is open */
};

enum { PAGE_ACCESSED = 1, PAGE_UNTOLD = 2, PAGE_FLAGS = 3 };

#define STEP_LEAST 1024u
#define STEP_MOST  (UINT64_C(1) << 56)
#define TEXT_MAX   8192u
#define COUNTS     6u

/* ---- Writing. ---- */

struct text {
	char text[TEXT_MAX];
	size_t size;
};

static void put(struct text *text, uint64_t number)
{
	text->size += (size_t)snprintf(
		text->text + text->size, sizeof(text->text) - text->size, " %" PRIu64, number);
}

static void put_count(struct text *text, const struct ear_usage_count *count)
{
	const bool is_empty = count->reads + count->writes == 0;

	put(text, count->reads);
	put(text, count->writes);
	put(text, count->read_bytes);
	put(text, count->written_bytes);
	put(text, is_empty ? 0 : count->first);
	put(text, is_empty ? 0 : count->last);
}

static void write_text(struct ear_part_writer *writer, const char *word, const struct text *text)
{
	ear_part_write(writer, "%s%s", word, text->text);
}

static void write_sums(const struct ear_usage *part, struct ear_part_writer *writer)
{
	const struct ear_usage_facts *facts = &part->facts;
	struct text text = {.size = 0};
	uint64_t flags = (part->started ? FLAG_STARTED : 0) | (facts->late ? FLAG_LATE : 0) |
			 (facts->has_image ? FLAG_IMAGE : 0) | (facts->has_heap ? FLAG_HEAP : 0) |
			 (facts->has_sp ? FLAG_SP : 0) | (facts->other_isa ? FLAG_OTHER_ISA : 0) |
			 (part->part->is_untellable ? FLAG_UNTELLABLE : 0) |
			 (part->part->has_untold ? FLAG_UNTOLD : 0);
	const uint64_t numbers[] = {part->seen, facts->records, facts->begin, facts->step,
		facts->sizeless, facts->unphysical, part->part->sets};

	for (unsigned i = 0; i < MEMORY_OPEN_KINDS; i++)
		flags |= part->part->is_full[i] ? (uint64_t)FLAG_FULL << i : 0;
	put_count(&text, &facts->total);
	put(&text, flags);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		put(&text, numbers[i]);
	write_text(writer, "sums", &text);
	ear_part_write(writer, "lost %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		facts->lost, facts->sites_lost, facts->rows_lost, facts->ranges_lost,
		facts->shares_lost);
}

/* Words that are not 0, after their numbers. */
static void write_bits(
	struct ear_part_writer *writer, unsigned which, const uint64_t *words, unsigned count)
{
	struct text text = {.size = 0};
	bool some = false;

	put(&text, which);
	for (unsigned i = 0; i < count; i++) {
		if (words[i] == 0)
			continue;
		put(&text, i);
		put(&text, words[i]);
		some = true;
	}
	if (some)
		write_text(writer, "bits", &text);
}

static void write_shares(const struct ear_usage *part, struct ear_part_writer *writer,
	const struct memory_bits *bits)
{
	const struct memory_lines *lines = part->lines[bits->share];

	for (uint32_t i = bits->share; i != NONE; i = part->shares[i].next) {
		ear_part_write(writer, "share %u", part->shares[i].hart);
		write_bits(writer, BITS_WRITTEN, part->shares[i].written, WORDS);
		write_bits(writer, BITS_READ, part->shares[i].read, WORDS);
	}
	for (unsigned i = 0; i < WORDS; i++)
		if (bits->written[i] | bits->read[i])
			ear_part_write(writer, "line %u %u %u %u", i, lines->first[i],
				lines->last[i], lines->moves[i]);
}

static void write_page(
	const struct ear_usage *part, struct ear_part_writer *writer, uint32_t number)
{
	const struct ear_usage_page *page = &part->pages[number];
	const struct memory_bits *bits = part->bits[number];
	const struct memory_part_bits *more = (const struct memory_part_bits *)bits;
	const bool is_first = part->interval == 0, is_last = bits->interval == part->interval;
	struct text text = {.size = 0}, heat = {.size = 0};

	put(&text, page->address);
	put_count(&text, &page->count);
	put(&text, more->heat_before);
	put(&text, bits->hart);
	put(&text, (bits->is_accessed ? PAGE_ACCESSED : 0) | (more->is_untold ? PAGE_UNTOLD : 0));
	put(&text, is_first ? (is_last ? bits->lines : 0) : more->first_lines);
	put(&text, is_last && !is_first ? bits->lines : 0);
	write_text(writer, "page", &text);
	for (unsigned i = 0; i < EAR_USAGE_STEPS; i++) {
		if (page->heat[i] == 0)
			continue;
		put(&heat, i);
		put(&heat, page->heat[i]);
	}
	if (heat.size > 0)
		write_text(writer, "heat", &heat);
	write_bits(writer, BITS_WRITTEN, bits->written, WORDS);
	write_bits(writer, BITS_READ, bits->read, WORDS);
	write_bits(writer, BITS_REPORTED, bits->reported, WORDS);
	write_bits(writer, BITS_EXECUTED, bits->executed, WORDS / 2);
	if (bits->share != NONE)
		write_shares(part, writer, bits);
}

static void write_ranges(const struct ear_usage *part, struct ear_part_writer *writer)
{
	for (uint32_t i = 0; i < part->range_count; i++) {
		struct text text = {.size = 0};
		put(&text, part->ranges[i].first);
		put_count(&text, &part->ranges[i].count);
		write_text(writer, "range", &text);
	}
}

static void write_sites(const struct ear_usage *part, struct ear_part_writer *writer)
{
	for (uint32_t i = 0; i < part->site_count; i++) {
		const struct ear_usage_site *site = &part->sites[i];
		const uint64_t numbers[] = {site->fault, site->has_pc, site->pc, site->hart,
			site->count, site->bytes, site->trapped, site->first, site->address,
			site->size, site->has_address};
		struct text text = {.size = 0};
		for (size_t j = 0; j < sizeof(numbers) / sizeof(*numbers); j++)
			put(&text, numbers[j]);
		write_text(writer, "site", &text);
	}
	for (uint32_t i = 0; i < part->part->open_count; i++) {
		const struct memory_open *open = &part->part->open[i];
		const uint64_t numbers[] = {open->kind, open->has_pc, open->pc, open->address,
			open->size, open->mask, open->fresh, open->count, open->first, open->hart,
			open->times, open->stride, open->step, open->is_regular};
		struct text text = {.size = 0};
		for (size_t j = 0; j < sizeof(numbers) / sizeof(*numbers); j++)
			put(&text, numbers[j]);
		write_text(writer, "open", &text);
	}
}

static void write_intervals(const struct ear_usage *part, struct ear_part_writer *writer)
{
	if (part->options.working_set == 0)
		return;
	ear_part_write(writer, "intervals %" PRIu64, part->interval);
	for (size_t i = 0; i < part->row_count; i++)
		ear_part_write(writer, "interval %" PRIu64 " %" PRIu64 " %" PRIu64,
			part->rows[i].records, part->rows[i].lines, part->rows[i].pages);
}

void ear_usage_write(struct ear_usage *part, struct ear_part_writer *writer)
{
	write_sums(part, writer);
	for (uint32_t i = 0; i < part->task_count; i++)
		ear_part_write(writer, "task %" PRIu64 "%s%s", part->tasks[i].pid,
			part->tasks[i].name ? " " : "",
			part->tasks[i].name ? part->tasks[i].name : "");
	write_intervals(part, writer);
	for (uint32_t i = 0; i < part->page_count; i++)
		write_page(part, writer, i);
	write_ranges(part, writer);
	write_sites(part, writer);
	ear_rows_write(&part->part->rows, writer);
}

/* ---- Reading. ---- */

struct reading {
	struct ear_usage *part;
	struct ear_part_reader *reader;
	struct memory_bits *bits; /* of the last page; NULL: there is none */
	uint32_t page, share;     /* share: the last one of the page; NONE */
};

static bool out_of_memory(struct reading *reading)
{
	return ear_part_fail(reading->reader, "out of memory");
}

static bool read_numbers(
	struct reading *reading, uint64_t *numbers, const uint64_t *most, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!ear_part_number(reading->reader, &numbers[i], most ? most[i] : UINT64_MAX))
			return false;
	return true;
}

static bool read_count(struct reading *reading, struct ear_usage_count *count)
{
	uint64_t numbers[COUNTS];

	if (!read_numbers(reading, numbers, NULL, COUNTS))
		return false;
	*count = (struct ear_usage_count){
		numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
	return true;
}

static bool read_sums(struct reading *reading)
{
	struct ear_usage *part = reading->part;
	struct ear_usage_facts *facts = &part->facts;
	uint64_t flags, numbers[7];

	if (!read_count(reading, &facts->total) ||
		!ear_part_number(reading->reader, &flags, UINT32_MAX) ||
		!read_numbers(reading, numbers, NULL, 7))
		return false;
	part->started = flags & FLAG_STARTED;
	facts->late = flags & FLAG_LATE;
	facts->has_image = flags & FLAG_IMAGE;
	facts->has_heap = flags & FLAG_HEAP;
	facts->has_sp = flags & FLAG_SP;
	facts->other_isa = flags & FLAG_OTHER_ISA;
	part->part->is_untellable = flags & FLAG_UNTELLABLE;
	part->part->has_untold = flags & FLAG_UNTOLD;
	for (unsigned i = 0; i < MEMORY_OPEN_KINDS; i++)
		part->part->is_full[i] = flags >> i & FLAG_FULL;
	part->seen = numbers[0];
	facts->records = numbers[1];
	facts->begin = numbers[2];
	facts->step = numbers[3];
	facts->sizeless = numbers[4];
	facts->unphysical = numbers[5];
	part->part->sets = numbers[6] > UINT32_MAX ? UINT32_MAX : (uint32_t)numbers[6];
	if (facts->step < STEP_LEAST || facts->step > STEP_MOST ||
		(facts->step & (facts->step - 1)) != 0)
		return ear_part_fail(reading->reader, "a step of time that cannot be");
	return true;
}

static bool read_lost(struct reading *reading)
{
	struct ear_usage_facts *facts = &reading->part->facts;
	uint64_t numbers[5];

	if (!read_numbers(reading, numbers, NULL, 5))
		return false;
	facts->lost = numbers[0];
	facts->sites_lost = numbers[1];
	facts->rows_lost = numbers[2];
	facts->ranges_lost = numbers[3];
	facts->shares_lost = numbers[4];
	return true;
}

static bool read_page(struct reading *reading)
{
	static const uint64_t most[] = {UINT32_MAX, UINT16_MAX, PAGE_FLAGS, UINT64_MAX, UINT64_MAX};
	struct ear_usage *part = reading->part;
	struct ear_usage_count count;
	uint64_t address, numbers[5];

	if (!ear_part_number(reading->reader, &address, UINT64_MAX) ||
		!read_count(reading, &count) || !read_numbers(reading, numbers, most, 5))
		return false;
	if (address % EAR_USAGE_PAGE != 0 || ear_usage_look_for_page(part, address))
		return ear_part_fail(reading->reader, "it is no page, or came before");
	reading->page = ear_usage_find_page(part, address);
	if (reading->page == NONE)
		return ear_part_fail(reading->reader, "there are too many pages");
	struct memory_bits *bits = reading->bits = part->bits[reading->page];
	struct memory_part_bits *more = memory_part_bits(bits);
	reading->share = NONE;
	part->pages[reading->page].count = count;
	more->heat_before = (uint32_t)numbers[0];
	bits->hart = (uint16_t)numbers[1];
	bits->is_accessed = numbers[2] & PAGE_ACCESSED;
	more->is_untold = numbers[2] & PAGE_UNTOLD;
	more->first_lines = numbers[3];
	bits->lines = part->interval > 0 ? numbers[4] : numbers[3];
	if (bits->lines)
		bits->interval = part->interval;
	return true;
}

static bool read_heat(struct reading *reading)
{
	static const uint64_t most[] = {EAR_USAGE_STEPS - 1, UINT32_MAX};
	uint64_t numbers[2];

	while (!ear_part_line_ended(reading->reader)) {
		if (!read_numbers(reading, numbers, most, 2))
			return false;
		reading->part->pages[reading->page].heat[numbers[0]] = (uint32_t)numbers[1];
	}
	return true;
}

/* The words that are meant, and how many; NULL: there are none. */
static uint64_t *find_words(struct reading *reading, uint64_t which, uint64_t *count)
{
	struct memory_bits *bits = reading->bits;
	struct memory_share *share =
		reading->share == NONE ? NULL : &reading->part->shares[reading->share];

	*count = which == BITS_EXECUTED ? WORDS / 2 : WORDS;
	switch (which) {
	case BITS_WRITTEN: return share ? share->written : bits->written;
	case BITS_READ: return share ? share->read : bits->read;
	case BITS_REPORTED: return bits->reported;
	default: return bits->executed;
	}
}

static bool read_bits(struct reading *reading)
{
	uint64_t which, at, count;

	if (!ear_part_number(reading->reader, &which, BITS_EXECUTED))
		return false;
	uint64_t *words = find_words(reading, which, &count);
	while (!ear_part_line_ended(reading->reader))
		if (!ear_part_number(reading->reader, &at, count - 1) ||
			!ear_part_number(reading->reader, &words[at], UINT64_MAX))
			return false;
	return true;
}

/* The first one has what the page has by now; that is to come again. */
static bool read_share(struct reading *reading)
{
	struct ear_usage *part = reading->part;
	uint64_t hart;

	if (!ear_part_number(reading->reader, &hart, UINT16_MAX))
		return false;
	if (reading->share == NONE)
		reading->bits->hart = (uint16_t)hart;
	reading->share = ear_usage_find_share(part, reading->page, (uint16_t)hart);
	if (reading->share == NONE)
		return part->failed ? out_of_memory(reading)
				    : ear_part_fail(reading->reader, "there are too many harts");
	struct memory_share *share = &part->shares[reading->share];
	memset(share->written, 0, sizeof(share->written));
	memset(share->read, 0, sizeof(share->read));
	return true;
}

static bool read_line(struct reading *reading)
{
	static const uint64_t most[] = {WORDS - 1, UINT16_MAX, UINT16_MAX, UINT32_MAX};
	uint64_t numbers[4];

	if (!read_numbers(reading, numbers, most, 4))
		return false;
	if (reading->bits->share == NONE)
		return ear_part_fail(reading->reader, "a line of a page that is not shared");
	struct memory_lines *lines = reading->part->lines[reading->bits->share];
	lines->first[numbers[0]] = (uint16_t)numbers[1];
	lines->last[numbers[0]] = (uint16_t)numbers[2];
	lines->moves[numbers[0]] = (uint32_t)numbers[3];
	return true;
}

static bool read_range(struct reading *reading)
{
	struct ear_usage *part = reading->part;
	struct ear_usage_range range = {.first = 0};

	if (!ear_part_number(reading->reader, &range.first, UINT64_MAX) ||
		!read_count(reading, &range.count))
		return false;
	if (part->range_count == EAR_USAGE_RANGES_MAX)
		return ear_part_fail(reading->reader, "there are too many ranges");
	if ((part->range_count & (part->range_count - 1)) == 0) {
		const size_t capacity = part->range_count ? 2 * (size_t)part->range_count : 1;
		void *grown = realloc(part->ranges, capacity * sizeof(range));
		if (!grown)
			return out_of_memory(reading);
		part->ranges = grown;
	}
	part->ranges[part->range_count++] = range;
	return true;
}

static bool read_site(struct reading *reading)
{
	static const uint64_t most[] = {EAR_USAGE_MISALIGNED, 1, UINT64_MAX, UINT16_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT8_MAX, 1};
	struct ear_usage *part = reading->part;
	uint64_t numbers[11];

	if (!read_numbers(reading, numbers, most, 11))
		return false;
	struct ear_usage_site *site = ear_usage_site(
		part, (unsigned)numbers[0], numbers[1], numbers[2], (uint16_t)numbers[3]);
	if (!site || site->count > 1 || numbers[4] == 0)
		return ear_part_fail(reading->reader, "a site that came before, or too many");
	site->count = numbers[4];
	site->bytes = numbers[5];
	site->trapped = numbers[6];
	site->first = numbers[7];
	site->address = numbers[8];
	site->size = (uint8_t)numbers[9];
	site->has_address = numbers[10];
	return true;
}

static bool read_open(struct reading *reading)
{
	static const uint64_t most[] = {MEMORY_OPEN_KINDS - 1, 1, UINT64_MAX, UINT64_MAX, UINT8_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT16_MAX, MEMORY_TIMES_MAX,
		UINT64_MAX, UINT64_MAX, 1};
	struct memory_part *part = reading->part->part;
	uint64_t numbers[14];

	if (!read_numbers(reading, numbers, most, 14))
		return false;
	if (part->open_count == MEMORY_OPEN_KINDS * MEMORY_OPEN_MAX || numbers[7] == 0)
		return ear_part_fail(reading->reader, "too much is open");
	if ((part->open_count & (part->open_count - 1)) == 0) {
		const size_t capacity = part->open_count ? 2 * (size_t)part->open_count : 1;
		void *grown = realloc(part->open, capacity * sizeof(*part->open));
		if (!grown)
			return out_of_memory(reading);
		part->open = grown;
	}
	part->open[part->open_count++] = (struct memory_open){
		.kind = (uint8_t)numbers[0],
		.has_pc = numbers[1],
		.pc = numbers[2],
		.address = numbers[3],
		.size = (uint8_t)numbers[4],
		.mask = numbers[5],
		.fresh = numbers[6],
		.count = numbers[7],
		.first = numbers[8],
		.hart = (uint16_t)numbers[9],
		.times = (uint32_t)numbers[10],
		.stride = numbers[11],
		.step = numbers[12],
		.is_regular = numbers[13],
	};
	return true;
}

static bool read_interval(struct reading *reading)
{
	struct ear_usage *part = reading->part;
	const uint64_t lost = part->facts.rows_lost;
	uint64_t numbers[3], interval = part->interval;

	if (!read_numbers(reading, numbers, NULL, 3))
		return false;
	ear_usage_add_interval(part, numbers[0], numbers[1], numbers[2]);
	part->interval = interval;
	if (part->facts.rows_lost > lost)
		return ear_part_fail(reading->reader, "there are too many intervals");
	return true;
}

static bool read_task(struct reading *reading)
{
	const char *name;
	uint64_t pid;

	if (!ear_part_number(reading->reader, &pid, UINT64_MAX) ||
		!ear_part_rest(reading->reader, &name))
		return false;
	return ear_usage_add_task(reading->part, pid, name[0] ? name : NULL) ||
	       out_of_memory(reading);
}

static bool read_intervals(struct reading *reading)
{
	return ear_part_number(reading->reader, &reading->part->interval, UINT64_MAX);
}

static bool read_row(struct reading *reading)
{
	return ear_rows_read(&reading->part->part->rows, reading->reader);
}

static const struct {
	const char *word;
	bool (*read)(struct reading *reading);
	bool of_page;
} lines_of[] = {
	{"sums", read_sums, false},
	{"lost", read_lost, false},
	{"task", read_task, false},
	{"intervals", read_intervals, false},
	{"interval", read_interval, false},
	{"page", read_page, false},
	{"heat", read_heat, true},
	{"bits", read_bits, true},
	{"share", read_share, true},
	{"line", read_line, true},
	{"range", read_range, false},
	{"site", read_site, false},
	{"open", read_open, false},
	{"row", read_row, false},
};

static bool take_line(struct reading *reading, const char *word)
{
	for (size_t i = 0; i < sizeof(lines_of) / sizeof(*lines_of); i++)
		if (strcmp(word, lines_of[i].word) == 0 && (reading->bits || !lines_of[i].of_page))
			return lines_of[i].read(reading);
	return ear_part_fail(reading->reader, "it is not a line of memory");
}

bool ear_usage_read(struct ear_usage *part, struct ear_part_reader *reader)
{
	struct reading reading = {.part = part, .reader = reader, .share = NONE};
	const char *word;

	while (ear_part_next(reader, &word)) {
		if (!word)
			return true;
		if (!take_line(&reading, word))
			return false;
		if (part->failed)
			return out_of_memory(&reading);
	}
	return false;
}
