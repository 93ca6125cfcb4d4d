/* What a run did with memory. A page that is touched has bitmaps of its bytes, found by a small
 * cache before the table; counts by symbol are in ranges of addresses, found likewise. So an access
 * is two look-ups and a few additions.
 */
#include "analyses/memory_tables.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define HARTS       65536u
#define CAUSE_LOAD  4u /* misaligned */
#define CAUSE_STORE 6u
#define CSR_MTVAL   0x343u
#define CSR_STVAL   0x143u
#define FIRST_STEP  1024u
#define OUTSIDE     UINT32_MAX

/* ---- Pages. ---- */

static void set_image(struct memory_bits *bits, uint64_t page, uint64_t first, uint64_t size)
{
	const uint64_t page_last = page + (EAR_USAGE_PAGE - 1);

	if (size == 0 || first > page_last || first + (size - 1) < page)
		return;
	const uint64_t last = first + (size - 1);
	const unsigned from = first > page ? (unsigned)(first - page) : 0;
	const unsigned to = last < page_last ? (unsigned)(last - page) : EAR_USAGE_PAGE - 1;
	for (unsigned i = from; i <= to; i++)
		bits->image[i / 64] |= UINT64_C(1) << i % 64;
}

static bool is_zeroed(const struct ear_names_section *section)
{
	return !(section->flags & EAR_NAMES_IN_FILE) && !strstr(section->name, "stack") &&
	       !strstr(section->name, "heap") && !strstr(section->name, "noinit");
}

/* What is loaded: bytes of the file, and sections that begin as zeros. */
static void load_image(struct ear_usage *memory, struct memory_bits *bits, uint64_t page)
{
	const struct ear_names *names = memory->options.names;
	const size_t files = names ? ear_names_file_count(names) : 0;

	for (size_t i = 0; i < memory->options.device_count; i++) {
		const struct ear_span *span = &memory->options.devices[i];
		set_image(bits, page, span->first, span->last - span->first + 1);
	}
	for (size_t f = 0; f < files; f++) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->segment_count; i++) {
			const struct ear_names_segment *segment = &file->segments[i];
			const bool all = file->section_count == 0;
			const uint64_t size = all ? segment->size : segment->file_size;
			set_image(bits, page, segment->address + file->offset, size);
			set_image(bits, page, segment->load_address + file->offset, size);
		}
		for (size_t i = 0; i < file->section_count; i++)
			if (is_zeroed(&file->sections[i]))
				set_image(bits, page, file->sections[i].address + file->offset,
					file->sections[i].size);
	}
}

static uint32_t *place_of(struct ear_usage *memory, uint64_t address)
{
	const struct ear_numbering *table = &memory->page_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(address, 0));

	while (table->places[at] && memory->pages[table->places[at] - 1].address != address)
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

static bool grow_pages(struct ear_usage *memory)
{
	bool again;
	void *grown = ear_numbering_grow(&memory->page_numbers, memory->pages,
		sizeof(*memory->pages), memory->page_count, &again);

	if (!grown)
		return false;
	memory->pages = grown;
	if (!again)
		return true;
	for (uint32_t i = 0; i < memory->page_count; i++)
		*place_of(memory, memory->pages[i].address) = i + 1;
	return true;
}

static uint32_t make_page(struct ear_usage *memory, uint64_t address)
{
	struct memory_bits *bits = calloc(1, sizeof(*bits));

	if (!bits) {
		memory->failed = true;
		return NONE;
	}
	load_image(memory, bits, address);
	bits->share = NONE;
	bits->interval = UINT64_MAX;
	memory->pages[memory->page_count] = (struct ear_usage_page){.address = address};
	memory->bits[memory->page_count] = bits;
	*place_of(memory, address) = memory->page_count + 1;
	return memory->page_count++;
}

static uint32_t find_page_slowly(struct ear_usage *memory, uint64_t address)
{
	if (!grow_pages(memory)) {
		memory->failed = true;
		return NONE;
	}
	uint32_t number = *place_of(memory, address);
	if (number == 0 && memory->page_count == EAR_USAGE_PAGES_MAX)
		return NONE;
	number = number ? number - 1 : make_page(memory, address);
	if (number == NONE)
		return NONE;
	memory->page_cache[address / EAR_USAGE_PAGE % PAGE_CACHE].page = address;
	memory->page_cache[address / EAR_USAGE_PAGE % PAGE_CACHE].number = number;
	return number;
}

static inline uint32_t find_page(struct ear_usage *memory, uint64_t address)
{
	const uint64_t page = address & ~(uint64_t)(EAR_USAGE_PAGE - 1);
	const size_t at = page / EAR_USAGE_PAGE % PAGE_CACHE;

	if (memory->page_cache[at].page == page)
		return memory->page_cache[at].number;
	return find_page_slowly(memory, page);
}

/* ---- Ranges: symbols and sections. ---- */

static const struct ear_names_section *narrow_to_section(
	const struct ear_names *names, uint64_t address, uint64_t *first, uint64_t *last)
{
	for (size_t f = ear_names_file_count(names); f-- > 0;) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->section_count; i++) {
			const struct ear_names_section *section = &file->sections[i];
			const uint64_t begin = section->address + file->offset;
			if (section->size == 0)
				continue;
			if (address - begin < section->size) {
				*first = *first > begin ? *first : begin;
				if (*last > begin + (section->size - 1))
					*last = begin + (section->size - 1);
				return section;
			}
			if (begin > address && *last >= begin)
				*last = begin - 1;
			else if (begin < address && *first <= begin + (section->size - 1))
				*first = begin + section->size;
		}
	}
	return NULL;
}

static struct ear_usage_range describe(const struct ear_usage *memory, uint64_t address)
{
	struct ear_usage_range range = {.first = 0, .last = UINT64_MAX};
	const struct ear_names *names = memory->options.names;

	if (!names)
		return range;
	range.symbol = ear_names_symbol_span(names, address, &range.first, &range.last);
	range.section = narrow_to_section(names, address, &range.first, &range.last);
	return range;
}

static uint32_t *place_of_range(struct ear_usage *memory, uint64_t first)
{
	const struct ear_numbering *table = &memory->range_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(first, 1));

	while (table->places[at] && memory->ranges[table->places[at] - 1].first != first)
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

static struct ear_usage_range *find_range_slowly(struct ear_usage *memory, uint64_t address)
{
	const struct ear_usage_range range = describe(memory, address);
	bool again;
	void *grown = ear_numbering_grow(&memory->range_numbers, memory->ranges,
		sizeof(*memory->ranges), memory->range_count, &again);

	if (!grown) {
		memory->failed = true;
		return NULL;
	}
	memory->ranges = grown;
	for (uint32_t i = 0; again && i < memory->range_count; i++)
		*place_of_range(memory, memory->ranges[i].first) = i + 1;
	uint32_t *place = place_of_range(memory, range.first);
	if (*place == 0) {
		if (memory->range_count == EAR_USAGE_RANGES_MAX) {
			memory->facts.ranges_lost++;
			return NULL;
		}
		memory->ranges[memory->range_count] = range;
		*place = ++memory->range_count;
	}
	memory->range_cache[address / 8 % RANGE_CACHE] = *place - 1;
	return &memory->ranges[*place - 1];
}

static inline struct ear_usage_range *find_range(struct ear_usage *memory, uint64_t address)
{
	const uint32_t number = memory->range_cache[address / 8 % RANGE_CACHE];

	if (number < memory->range_count) {
		struct ear_usage_range *range = &memory->ranges[number];
		if (address >= range->first && address <= range->last)
			return range;
	}
	return find_range_slowly(memory, address);
}

/* ---- Accesses. ---- */

struct access {
	uint64_t address, pc;
	uint16_t hart;
	uint8_t size;
	bool write, has_pc;
};

static struct ear_usage_site *blame(
	struct ear_usage *memory, unsigned fault, const struct access *access, uint64_t bytes)
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
	struct ear_usage_count *count, const struct access *access, uint64_t number)
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
	unsigned fresh; /* bytes that were not reported before */
};

static void touch_word(struct ear_usage *memory, struct memory_bits *bits, unsigned offset,
	unsigned size, bool write, struct touched *touched)
{
	const unsigned word = offset / 64;
	const uint64_t mask = mask_of(offset, size);

	if (write) {
		bits->written[word] |= mask;
		if (bits->is_executed)
			for (unsigned i = offset; i < offset + size; i++)
				touched->executed |= bits->executed[i / 128] >> (i / 2 % 64) & 1;
	} else {
		const uint64_t unknown = mask & ~(bits->written[word] | bits->image[word]);
		bits->read[word] |= mask;
		if (unknown && memory->facts.has_image && memory->facts.gaps == 0) {
			touched->uninitialized = true;
			touched->fresh +=
				(unsigned)__builtin_popcountll(unknown & ~bits->reported[word]);
			bits->reported[word] |= unknown;
		}
	}
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
static void touch(struct ear_usage *memory, uint32_t page, const struct access *access,
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
static void mute_access(struct ear_usage *memory, const struct access *access)
{
	const uint64_t last = access->address + (access->size - 1u);

	if (!access->write || access->size == 0)
		return;
	for (uint64_t at = access->address & ~(uint64_t)(EAR_USAGE_PAGE - 1); at <= last;
		at += EAR_USAGE_PAGE) {
		const uint32_t page = find_page(memory, at);
		if (page != NONE)
			set_image(memory->bits[page], at, access->address, access->size);
		if (at + EAR_USAGE_PAGE == 0)
			break;
	}
}

static void take_access(struct ear_usage *memory, const struct access *access)
{
	if (memory->muted) {
		mute_access(memory, access);
		return;
	}
	struct touched touched = {0};
	const unsigned offset = access->address % EAR_USAGE_PAGE;
	const uint32_t page = find_page(memory, access->address);
	struct ear_usage_range *range = find_range(memory, access->address);

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
			const uint32_t next = find_page(memory, access->address + here);
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
		blame(memory, EAR_USAGE_MISALIGNED, access, access->size);
	if (touched.uninitialized)
		blame(memory, EAR_USAGE_UNINITIALIZED, access, touched.fresh);
	if (access->write &&
		(touched.executed ||
			(range && range->section && range->section->flags & EAR_NAMES_EXECUTE)))
		blame(memory, EAR_USAGE_CODE_WRITE, access, access->size);
}

/* ---- Time. ---- */

/* The steps are all used: twice as long ones. */
static void widen(struct ear_usage *memory)
{
	for (uint32_t i = 0; i < memory->page_count; i++) {
		uint32_t *heat = memory->pages[i].heat;
		for (size_t j = 0; j < EAR_USAGE_STEPS / 2; j++) {
			const uint64_t sum = (uint64_t)heat[2 * j] + heat[2 * j + 1];
			heat[j] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
		}
		memset(&heat[EAR_USAGE_STEPS / 2], 0, EAR_USAGE_STEPS / 2 * sizeof(*heat));
	}
	memory->facts.step *= 2;
	memory->step = EAR_USAGE_STEPS / 2 - 1;
}

static void next_step(struct ear_usage *memory)
{
	if (++memory->step == EAR_USAGE_STEPS) {
		memory->step--;
		widen(memory);
		memory->step++;
	}
	memory->step_end = memory->facts.begin + (memory->step + UINT64_C(1)) * memory->facts.step;
}

static void end_interval(struct ear_usage *memory, uint64_t records)
{
	if (memory->row_count == EAR_USAGE_ROWS_MAX) {
		memory->facts.rows_lost++;
	} else {
		if (memory->row_count == memory->row_capacity) {
			size_t capacity = memory->row_capacity ? 2 * memory->row_capacity : 256;
			void *grown = realloc(memory->rows, capacity * sizeof(*memory->rows));
			if (!grown) {
				memory->failed = true;
				return;
			}
			memory->rows = grown;
			memory->row_capacity = capacity;
		}
		memory->rows[memory->row_count++] =
			(struct ear_usage_interval){memory->interval_begin, records,
				memory->interval_lines, memory->interval_pages};
	}
	memory->interval++;
	memory->interval_begin += records;
	memory->interval_end += memory->options.working_set;
	memory->interval_lines = memory->interval_pages = 0;
}

/* Before a record of an instruction. */
static inline void advance(struct ear_usage *memory)
{
	if (memory->number >= memory->step_end)
		next_step(memory);
	if (memory->number >= memory->interval_end)
		end_interval(memory, memory->options.working_set);
}

/* ---- Instructions. ---- */

static void execute_fresh(
	struct ear_usage *memory, struct memory_bits *bits, const struct memory_step *step)
{
	const unsigned offset = step->pc % EAR_USAGE_PAGE;
	const struct access access = {
		.address = step->pc, .pc = step->pc, .has_pc = true, .hart = step->hart};

	bits->is_executed = true;
	for (unsigned i = offset; i < offset + step->size && i < EAR_USAGE_PAGE; i++)
		if (bits->written[i / 64] >> i % 64 & 1) {
			blame(memory, EAR_USAGE_RUN_WRITTEN, &access, step->size);
			return;
		}
}

static inline void execute(struct ear_usage *memory, const struct memory_step *step)
{
	const uint64_t page = step->pc & ~(uint64_t)(EAR_USAGE_PAGE - 1);
	const unsigned half = step->pc / 2 % (EAR_USAGE_PAGE / 2);

	if (memory->code_page != page || !memory->code_bits) {
		const uint32_t number = find_page(memory, page);
		memory->code_page = page;
		memory->code_bits = number == NONE ? NULL : memory->bits[number];
		if (!memory->code_bits)
			return;
	}
	struct memory_bits *bits = memory->code_bits;
	if (!(bits->executed[half / 64] >> half % 64 & 1)) {
		execute_fresh(memory, bits, step);
		bits->executed[half / 64] |= UINT64_C(1) << half % 64;
	}
	if (step->size > 2 && half + 1 < EAR_USAGE_PAGE / 2)
		bits->executed[(half + 1) / 64] |= UINT64_C(1) << (half + 1) % 64;
}

static struct memory_hart *hart_of(struct ear_usage *memory, uint16_t number)
{
	struct memory_hart *hart = memory->harts[number];

	if (hart)
		return hart;
	hart = calloc(1, sizeof(*hart));
	if (!hart) {
		memory->failed = true;
		return NULL;
	}
	hart->stack = NONE;
	memory->harts[number] = hart;
	return hart;
}

static inline void take_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	if (!memory->options.physical)
		execute(memory, step);
	/* At the entry of a function, before it does anything; and after it returned. */
	if (memory->call_count > 0 || ear_usage_heap_wants(memory, step->pc))
		ear_usage_heap_step(memory, hart, step);
	if (step->rd == 0)
		return;
	hart->x[step->rd] = step->result;
	hart->known |= 1u << step->rd;
	if (step->rd == 2)
		ear_usage_sp(memory, hart, step);
}

static void check_begin(struct ear_usage *memory, uint64_t pc)
{
	const struct ear_names *names = memory->options.names;
	bool found = false;

	memory->started = true;
	memory->facts.begin = memory->interval_begin = memory->number;
	memory->step_end += memory->facts.begin;
	if (memory->options.working_set)
		memory->interval_end += memory->facts.begin;
	for (size_t i = 0; names && i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		found |= file->entry + file->offset == pc;
	}
	memory->facts.late = memory->facts.has_image && !found;
}

static void take_run(struct ear_usage *memory, const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	struct memory_hart *hart = hart_of(memory, run->hart);
	struct memory_step step = {.hart = run->hart, .riscv = true};

	if (!hart)
		return;
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_compact_record *compact = &batch->compacts[i];
		memory->number = batch->number + i;
		advance(memory);
		step.pc = compact->pc;
		step.result = compact->result;
		step.opcode = compact->opcode;
		step.size = compact->opcode_size;
		step.rd = compact->rd & 31;
		take_step(memory, hart, &step);
		if (compact->size == EAR_COMPACT_NO_ACCESS)
			continue;
		if (memory->options.physical) {
			memory->facts.unphysical++;
			continue;
		}
		const struct access access = {compact->address, compact->pc, run->hart,
			compact->size, compact->flags & EAR_COMPACT_WRITE, true};
		hart->is_accessing |= !memory->muted;
		take_access(memory, &access);
		if (memory->call_count > 0 && access.write)
			ear_usage_heap_store(memory, run->hart, compact->address, compact->data);
	}
	memory->seen += batch->count;
	memory->facts.records += memory->muted ? 0 : batch->count;
}

/* An access that was misaligned and trapped touched nothing. */
static void take_trap(struct ear_usage *memory, const struct ear_record *record)
{
	struct access access = {.pc = record->pc, .hart = record->hart, .has_pc = true};
	bool has_address = false;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_CAUSE ||
		(record->cause != CAUSE_LOAD && record->cause != CAUSE_STORE))
		return;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR &&
			(reg->number == CSR_MTVAL || reg->number == CSR_STVAL)) {
			access.address = reg->value;
			has_address = true;
		}
	}
	if (record->memory_count > 0 && !has_address) {
		access.address = record->memory[0].address;
		has_address = true;
	}
	struct ear_usage_site *site = blame(memory, EAR_USAGE_MISALIGNED, &access, 0);
	if (site) {
		site->trapped++;
		if (site->count == 1)
			site->has_address = has_address;
	}
}

static void take_accesses(
	struct ear_usage *memory, struct memory_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *from = &record->memory[i];
		struct access access = {from->address, record->pc, record->hart, from->size,
			from->write, record->kind == EAR_RECORD_INSTRUCTION};
		if (from->masked || from->aborted || from->attributes & EAR_BUS_OPCODE)
			continue;
		if (memory->options.physical && !from->has_physical) {
			memory->facts.unphysical++;
			continue;
		}
		if (memory->options.physical)
			access.address = from->physical;
		if (!access.has_pc)
			access.pc = 0;
		hart->is_accessing |= !memory->muted;
		take_access(memory, &access);
		if (memory->call_count > 0 && from->write && from->has_value)
			ear_usage_heap_store(memory, record->hart, from->address, from->value);
	}
}

static void take_instruction(
	struct ear_usage *memory, struct memory_hart *hart, const struct ear_record *record)
{
	struct memory_step step = {
		.pc = record->pc,
		.opcode = (uint32_t)record->opcode,
		.hart = record->hart,
		.size = record->opcode_size,
		.riscv = record->isa == EAR_ISA_RISCV,
	};

	advance(memory);
	memory->seen++;
	memory->facts.records += !memory->muted;
	memory->facts.other_isa |= !step.riscv;
	if (record->flags & EAR_RECORD_INTERRUPT)
		return;
	if (record->flags & EAR_RECORD_TRAP) {
		take_trap(memory, record);
		return;
	}
	if (record->flags & EAR_RECORD_NO_OPCODE)
		step.opcode = 0;
	if (step.size == 0)
		step.size = 2;
	for (size_t i = 0; i < record->register_count && step.riscv; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number > 31 || reg->unknown)
			continue;
		step.rd = (uint8_t)reg->number;
		step.result = reg->value;
		break;
	}
	take_step(memory, hart, &step);
	take_accesses(memory, hart, record);
}

static void take_gap(struct ear_usage *memory)
{
	if (memory->facts.gaps++ == 0)
		memory->facts.first_gap = memory->number;
	memory->call_count = 0;
	for (uint32_t i = 0; i < HARTS; i++)
		if (memory->harts[i]) {
			memory->harts[i]->known = 0;
			memory->harts[i]->stack = NONE;
		}
}

void ear_usage_set_task(struct ear_usage *memory, uint32_t task, bool counts)
{
	memory->task = task;
	memory->muted = !counts;
}

int ear_usage_batch(struct ear_usage *memory, const struct ear_batch *batch)
{
	const uint32_t odd = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;

	memory->number = batch->number;
	if (!memory->started && (!batch->record || batch->record->kind == EAR_RECORD_INSTRUCTION))
		check_begin(memory, ear_batch_record(batch, 0)->pc);
	if (!batch->record && !(batch->run->flags & odd)) {
		take_run(memory, batch);
		return memory->failed ? EAR_E_NO_MEMORY : 0;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		struct memory_hart *hart = hart_of(memory, record->hart);
		memory->number = batch->number + i;
		if (!hart)
			break;
		switch (record->kind) {
		case EAR_RECORD_INSTRUCTION: take_instruction(memory, hart, record); break;
		case EAR_RECORD_GAP: take_gap(memory); break;
		case EAR_RECORD_MEMORY: take_accesses(memory, hart, record); break;
		default: break;
		}
	}
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}

/* ---- Begin and end. ---- */

int ear_usage_new(struct ear_usage **made, const struct ear_usage_options *options)
{
	struct ear_usage *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return EAR_E_NO_MEMORY;
	memory->options = *options;
	memory->harts = calloc(HARTS, sizeof(struct memory_hart *));
	memory->bits = calloc(EAR_USAGE_PAGES_MAX, sizeof(struct memory_bits *));
	for (unsigned i = 0; i < PAGE_CACHE; i++)
		memory->page_cache[i].page = UINT64_MAX;
	memset(memory->range_cache, 0xff, sizeof(memory->range_cache));
	memory->facts.step = FIRST_STEP;
	memory->step_end = FIRST_STEP;
	memory->interval_end = options->working_set ? options->working_set : UINT64_MAX;
	memory->facts.has_image = options->names && ear_names_file_count(options->names) > 0;
	if (!memory->harts || !memory->bits || ear_usage_heap_begin(memory) != 0) {
		ear_usage_free(memory);
		return EAR_E_NO_MEMORY;
	}
	*made = memory;
	return 0;
}

void ear_usage_free(struct ear_usage *memory)
{
	if (!memory)
		return;
	for (uint32_t i = 0; memory->harts && i < HARTS; i++)
		free(memory->harts[i]);
	for (uint32_t i = 0; memory->bits && i < memory->page_count; i++)
		free(memory->bits[i]);
	for (uint32_t i = 0; i < memory->line_capacity; i++)
		free(memory->lines[i]);
	ear_numbering_fini(&memory->page_numbers);
	ear_numbering_fini(&memory->range_numbers);
	ear_numbering_fini(&memory->site_numbers);
	ear_numbering_fini(&memory->block_numbers);
	free(memory->harts);
	free(memory->bits);
	free(memory->lines);
	free(memory->shares);
	free(memory->pages);
	free(memory->ranges);
	free(memory->sites);
	free(memory->stacks);
	free(memory->rows);
	free(memory->blocks);
	free(memory);
}

int ear_usage_finish(struct ear_usage *memory)
{
	const uint64_t end = memory->facts.begin + memory->seen;

	if (memory->options.working_set && end > memory->interval_begin)
		end_interval(memory, end - memory->interval_begin);
	ear_usage_heap_end(memory);
	memory->facts.pages = memory->page_count;
	for (uint32_t i = 0; i < HARTS; i++)
		memory->facts.harts += memory->harts[i] && memory->harts[i]->is_accessing;
	for (uint32_t i = 0; i < memory->page_count; i++)
		for (unsigned j = 0; j < WORDS; j++)
			memory->pages[i].touched += (unsigned)__builtin_popcountll(
				memory->bits[i]->written[j] | memory->bits[i]->read[j]);
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}

/* ---- What was found. ---- */

struct ear_usage_facts ear_usage_facts(const struct ear_usage *memory)
{
	return memory->facts;
}

size_t ear_usage_pages(struct ear_usage *memory, const struct ear_usage_page **pages)
{
	*pages = memory->pages;
	return memory->page_count;
}

size_t ear_usage_ranges(struct ear_usage *memory, const struct ear_usage_range **ranges)
{
	*ranges = memory->ranges;
	return memory->range_count;
}

size_t ear_usage_sites(struct ear_usage *memory, const struct ear_usage_site **sites)
{
	*sites = memory->sites;
	return memory->site_count;
}

size_t ear_usage_stacks(struct ear_usage *memory, const struct ear_usage_stack **stacks)
{
	*stacks = memory->stacks;
	return memory->stack_count;
}

size_t ear_usage_intervals(struct ear_usage *memory, const struct ear_usage_interval **rows)
{
	*rows = memory->rows;
	return memory->row_count;
}

uint64_t ear_usage_touched(const struct ear_usage *memory, uint64_t first, uint64_t last)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < memory->page_count; i++) {
		const uint64_t page = memory->pages[i].address;
		const uint64_t page_last = page + (EAR_USAGE_PAGE - 1);
		if (page > last || page_last < first)
			continue;
		if (first <= page && last >= page_last) {
			sum += memory->pages[i].touched;
			continue;
		}
		const unsigned from = first > page ? (unsigned)(first - page) : 0;
		const unsigned to = last < page_last ? (unsigned)(last - page) : EAR_USAGE_PAGE - 1;
		for (unsigned j = from; j <= to; j++)
			sum += (memory->bits[i]->written[j / 64] | memory->bits[i]->read[j / 64]) >>
				       j % 64 &
			       1;
	}
	return sum;
}
