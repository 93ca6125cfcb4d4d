/* Accesses: what they touch, and what may better not be. */
#include "analyses/memory/memory_part.h"

struct ear_usage_site *ear_usage_blame(struct ear_usage *memory, unsigned fault,
	const struct memory_access *access, uint64_t bytes)
{
	struct ear_usage_site *site =
		ear_usage_site(memory, fault, access->has_pc, access->pc, access->hart);

	if (!site)
		return NULL;
	site->bytes += bytes;
	if (site->count == 1) {
		site->address = access->address;
		site->size = access->size;
		site->has_address = true;
	}
	return site;
}

static inline void count_access(
	struct ear_usage_count *count, const struct memory_access *access, uint64_t number)
{
	if (count->reads + count->writes == 0)
		count->first = number;
	count->last = number;
	if (access->write) {
		count->writes++;
		count->written_bytes += access->size;
	} else {
		count->reads++;
		count->read_bytes += access->size;
	}
}

/* Bits first .. first + size - 1 of the bitmaps, which are in at most two words. */
static inline uint64_t mask_of(unsigned offset, unsigned size)
{
	return (size >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1) << offset % 64;
}

struct touched {
	bool uninitialized, executed;
	unsigned count;       /* bytes that were touched before the next piece */
	uint64_t mask, fresh; /* of these, from the first one on: uninitialised; not reported */
	unsigned fresh_count; /* likewise, of all */
};

static void read_unknown(
	struct memory_bits *bits, unsigned offset, uint64_t unknown, struct touched *touched)
{
	const unsigned word = offset / 64;
	const uint64_t fresh = unknown & ~bits->reported[word];

	touched->uninitialized = true;
	touched->fresh_count += (unsigned)__builtin_popcountll(fresh);
	if (touched->count < 64) {
		touched->mask |= unknown >> offset % 64 << touched->count;
		touched->fresh |= fresh >> offset % 64 << touched->count;
	}
	bits->reported[word] |= unknown;
}

static bool is_executed(
	const struct ear_usage *memory, struct memory_bits *bits, unsigned offset, unsigned size)
{
	uint64_t found = 0;

	for (unsigned i = offset; i < offset + size; i++) {
		found |= bits->executed[i / 128] >> (i / 2 % 64);
		if (memory->part)
			found |= memory_part_bits(bits)->known_executed[i / 128] >> (i / 2 % 64);
	}
	return found & 1;
}

static void touch_word(struct ear_usage *memory, struct memory_bits *bits, unsigned offset,
	unsigned size, bool write, struct touched *touched)
{
	const unsigned word = offset / 64;
	const uint64_t mask = mask_of(offset, size);

	if (write) {
		bits->written[word] |= mask;
		if (bits->is_executed)
			touched->executed |= is_executed(memory, bits, offset, size);
	} else {
		const uint64_t unknown = mask & ~(bits->written[word] | bits->image[word]);
		bits->read[word] |= mask;
		if (unknown && memory->facts.has_image && memory->facts.gaps == 0)
			read_unknown(bits, offset, unknown, touched);
	}
	touched->count += size;
	if (memory->options.working_set) {
		if (bits->interval != memory->interval) {
			bits->interval = memory->interval;
			bits->lines = 0;
			memory->interval_pages++;
		}
		memory->interval_lines += !(bits->lines >> word & 1);
		bits->lines |= UINT64_C(1) << word;
	}
}

/* The part of an access that is in one page. */
static void touch(struct ear_usage *memory, uint32_t page, const struct memory_access *access,
	uint64_t address, unsigned size, struct touched *touched)
{
	struct memory_bits *bits = memory->bits[page];
	const unsigned offset = address % EAR_USAGE_PAGE, in_word = 64 - offset % 64;

	if (!bits->is_accessed) {
		bits->is_accessed = true;
		bits->hart = access->hart;
	}
	if (bits->hart != access->hart || bits->share != NONE)
		ear_usage_share(memory, page, access->hart, offset, size, access->write);
	if (size <= in_word) {
		touch_word(memory, bits, offset, size, access->write, touched);
	} else {
		touch_word(memory, bits, offset, in_word, access->write, touched);
		touch_word(memory, bits, offset + in_word, size - in_word, access->write, touched);
	}
}

/* Of a task that does not count: what it writes is as good as what was loaded. */
static void mute_access(struct ear_usage *memory, const struct memory_access *access)
{
	const uint64_t last = access->address + (access->size - 1u);

	if (!access->write || access->size == 0)
		return;
	for (uint64_t at = access->address & ~(uint64_t)(EAR_USAGE_PAGE - 1); at <= last;
		at += EAR_USAGE_PAGE) {
		const uint32_t page = memory_page(memory, at);
		if (page != NONE)
			ear_usage_set_image(memory->bits[page], at, access->address, access->size);
		if (at + EAR_USAGE_PAGE == 0)
			break;
	}
}

/* Of a part: what the parts before decide. */
static void leave_open(struct ear_usage *memory, uint32_t page, const struct memory_access *access,
	const struct touched *touched)
{
	if (touched->uninitialized)
		ear_usage_add_open(memory, &(struct memory_open_access){access, touched->mask,
						   touched->fresh, MEMORY_OPEN_READ});
	else if (access->write && page != NONE)
		ear_usage_open_write(memory, page, access);
}

void ear_usage_access(struct ear_usage *memory, const struct memory_access *access)
{
	if (memory->muted) {
		mute_access(memory, access);
		return;
	}
	struct touched touched = {0};
	const unsigned offset = access->address % EAR_USAGE_PAGE;
	const uint32_t page = memory_page(memory, access->address);
	struct ear_usage_range *range = memory_range(memory, access->address);

	count_access(&memory->facts.total, access, memory->number);
	if (range)
		count_access(&range->count, access, memory->number);
	if (page != NONE) {
		const unsigned size = access->size;
		const unsigned here =
			size > EAR_USAGE_PAGE - offset ? EAR_USAGE_PAGE - offset : size;
		count_access(&memory->pages[page].count, access, memory->number);
		memory->pages[page].heat[memory->step]++;
		if (here > 0)
			touch(memory, page, access, access->address, here, &touched);
		if (here < size && access->address + here != 0) {
			const uint32_t next = memory_page(memory, access->address + here);
			if (next != NONE)
				touch(memory, next, access, access->address + here, size - here,
					&touched);
		}
	} else {
		memory->facts.lost++;
	}
	if (access->size == 0)
		memory->facts.sizeless++;
	else if (access->address & (access->size - 1u))
		ear_usage_blame(memory, EAR_USAGE_MISALIGNED, access, access->size);
	if (touched.uninitialized && !memory->part)
		ear_usage_blame(memory, EAR_USAGE_UNINITIALIZED, access, touched.fresh_count);
	if (access->write &&
		(touched.executed ||
			(range && range->section && range->section->flags & EAR_NAMES_EXECUTE)))
		ear_usage_blame(memory, EAR_USAGE_CODE_WRITE, access, access->size);
	else if (memory->part)
		leave_open(memory, page, access, &touched);
}
