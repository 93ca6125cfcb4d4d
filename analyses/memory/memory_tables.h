#ifndef EAR_ANALYSES_MEMORY_TABLES_H
#define EAR_ANALYSES_MEMORY_TABLES_H

#include <pthread.h>

#include "analyses/base/numbering.h"
#include "analyses/memory/memory_result.h"

#define WORDS          (EAR_USAGE_PAGE / 64)
#define NONE           UINT32_MAX
#define PAGE_CACHE     1024u
#define RANGE_CACHE    4096u
#define HEAP_FILTER    256u
#define HEAP_CALLS_MAX 64u
#define ENTRIES_MAX    64u

struct memory_bits {
	uint64_t written[WORDS], read[WORDS], image[WORDS], reported[WORDS];
	uint64_t executed[WORDS / 2]; /* a bit for 2 bytes */
	uint64_t lines;               /* of the interval of the working set */
	uint64_t interval;
	uint32_t share; /* the first of those of its harts; NONE: one hart has it */
	uint16_t hart;  /* of the first access */
	bool is_accessed, is_executed;
};

/* What a hart did in a page that several use. */
struct memory_share {
	uint64_t page;
	uint64_t written[WORDS], read[WORDS];
	uint32_t next;
	uint16_t hart;
};

struct memory_lines { /* of a page that several use; at the number of its first share */
	uint16_t first[WORDS], last[WORDS]; /* harts that used it */
	uint32_t moves[WORDS];
};

/* What an instruction does to sp. */
enum memory_sp {
	MEMORY_SP_MOVES, /* adds to it, or to the frame pointer */
	MEMORY_SP_SET,
	MEMORY_SP_HALF, /* half of an address */
};

/* What is reported of a hart in a part (memory_part.h). */
struct memory_reporting {
	uint64_t top, level;         /* the highest sp since it was set, and its number */
	uint64_t highest, lowest;    /* moves that are to be reported, */
	uint64_t pc, record;         /* and the first one to the lowest */
	uint32_t task, segment;      /* segment: how often sp was set, of all harts */
	uint32_t written;            /* set of x: those that were known before a gap */
	bool has_moves, is_in_stack; /* is_in_stack: the next move sets nothing */
};

struct memory_hart {
	uint64_t x[32];
	uint32_t known;    /* set of x */
	uint32_t stack;    /* NONE */
	uint64_t since;    /* record that set sp to be in it */
	bool is_accessing; /* it had an access */
	bool is_at_top;    /* of a part: at the highest sp since it was set */
	uint16_t number;
	struct memory_reporting reporting;
};

enum memory_heap {
	MEMORY_HEAP_MALLOC,
	MEMORY_HEAP_CALLOC,
	MEMORY_HEAP_REALLOC,
	MEMORY_HEAP_FREE,
	MEMORY_HEAP_MEMALIGN,
	MEMORY_HEAP_VALLOC,
	MEMORY_HEAP_POSIX,
};

struct heap_entry {
	uint64_t pc;
	uint8_t kind;
	uint8_t first; /* number of the first argument */
	const char *name;
};

struct heap_call {
	uint64_t return_pc, sp, a0, a1, a2, record;
	uint64_t stored; /* where a0 points to, by posix_memalign; 0: nothing */
	uint32_t stack;
	uint16_t hart;
	uint8_t entry;
};

/* Its record; 0: the one of the first instruction. */
struct memory_heap_event {
	uint64_t address, size, record;
	uint16_t hart;
	uint8_t kind; /* enum ear_task_event_kind */
};

struct heap_block {
	uint64_t address, size, caller, record;
	uint16_t hart;
	uint8_t entry;
	bool is_live, counts;
};

struct ear_usage {
	struct ear_usage_options options;
	struct ear_usage_facts facts;
	struct ear_numbering page_numbers, range_numbers, site_numbers, block_numbers;
	struct ear_usage_page *pages;
	struct memory_bits **bits;
	uint32_t page_count, range_count, site_count, stack_count, block_count, share_count;
	struct {
		uint64_t page;
		uint32_t number;
	} page_cache[PAGE_CACHE];
	uint64_t code_page; /* of the last pc */
	struct memory_bits *code_bits;
	struct ear_usage_range *ranges;
	uint32_t range_cache[RANGE_CACHE];
	struct ear_usage_site *sites;
	struct ear_usage_stack *stacks;
	struct memory_share *shares;
	struct memory_lines **lines;
	uint32_t line_capacity, share_capacity;
	struct ear_usage_interval *rows;
	size_t row_count, row_capacity;
	struct memory_hart **harts; /* by number; NULL: it did not come */
	uint32_t hart_count;        /* the highest number that came, and 1 */
	struct heap_entry entries[ENTRIES_MAX];
	uint32_t entry_count;
	uint64_t heap_filter[HEAP_FILTER / 64];
	struct heap_call calls[HEAP_CALLS_MAX];
	uint32_t call_count;
	struct heap_block *blocks;
	bool has_events; /* of the heap */
	uint64_t number; /* of the current record */
	uint64_t step_end, interval_end;
	uint32_t step;
	uint64_t interval, interval_lines, interval_pages, interval_begin;
	uint64_t seen; /* instruction records */
	uint32_t task;
	uint32_t stores_left;     /* of a part: that are reported, whatever they are of */
	struct memory_part *part; /* NULL: it is a whole */
	struct ear_usage *whole;  /* of a part: what it will be joined to; NULL: not known. What it
				   * has by then need not be decided when the part is joined. */
	struct ear_tasks *follower; /* of a part; NULL: there is none */
	struct memory_task *tasks;
	uint32_t task_count;
	bool muted;  /* what happens counts for nothing */
	bool failed; /* memory is short */
	bool started;
	bool dry;       /* blocks stay as they are */
	bool is_locked; /* the lock is held */
	bool is_hidden; /* parts may not look at it */
};

/* An instruction that retired, in short. */
struct memory_step {
	uint64_t pc;
	uint64_t result;
	uint32_t opcode;
	uint16_t hart;
	uint8_t size; /* of the opcode */
	uint8_t rd;   /* 0: none */
	bool riscv;
};

struct memory_access {
	uint64_t address, pc;
	uint16_t hart;
	uint8_t size;
	bool write, has_pc;
};

/* memory_use.c */
int ear_usage_batch(void *count, const struct ear_batch *batch);
/* NULL: memory is short. */
struct memory_hart *ear_usage_hart(struct ear_usage *memory, uint16_t number);
void ear_usage_gap(struct ear_usage *memory);

/* While names are asked, and the whole of a part. */
static inline void memory_lock(const struct ear_usage *memory)
{
	if (memory->options.lock && !memory->is_locked)
		pthread_mutex_lock(memory->options.lock);
}

static inline void memory_unlock(const struct ear_usage *memory)
{
	if (memory->options.lock && !memory->is_locked)
		pthread_mutex_unlock(memory->options.lock);
}

/* memory_use_pages.c */
/* Of the page at an address: bytes first .. first + size - 1 of memory are what was loaded. */
void ear_usage_set_image(struct memory_bits *bits, uint64_t page, uint64_t first, uint64_t size);
/* The number of the page at an address, made if there is none; NONE: there are too many. */
uint32_t ear_usage_find_page(struct ear_usage *memory, uint64_t address);
/* NULL: there is none. */
struct memory_bits *ear_usage_look_for_page(const struct ear_usage *memory, uint64_t address);

/* memory_use_ranges.c */
/* NULL: there are too many, or memory is short. */
struct ear_usage_range *ear_usage_find_range(struct ear_usage *memory, uint64_t address);

/* memory_use_sites.c */
/* One more time; NULL if there are too many. */
struct ear_usage_site *ear_usage_site(
	struct ear_usage *memory, unsigned fault, bool has_pc, uint64_t pc, uint16_t hart);

/* NULL: there is none. */
const struct ear_usage_site *ear_usage_look_for_site(
	const struct ear_usage *memory, unsigned fault, bool has_pc, uint64_t pc);

/* By their first time. No more come. */
void ear_usage_sort_sites(struct ear_usage *memory);

/* memory_use_access.c */
/* The instruction of the access did so with bytes. As ear_usage_site. */
struct ear_usage_site *ear_usage_blame(struct ear_usage *memory, unsigned fault,
	const struct memory_access *access, uint64_t bytes);
void ear_usage_access(struct ear_usage *memory, const struct memory_access *access);

/* memory_use_time.c */
void ear_usage_next_step(struct ear_usage *memory);
/* Of a record that is not before the first one. */
uint64_t ear_usage_step_of(const struct ear_usage *memory, uint64_t number);
void ear_usage_begin_intervals(struct ear_usage *memory);
/* A row; the next interval begins after it. */
void ear_usage_add_interval(
	struct ear_usage *memory, uint64_t records, uint64_t lines, uint64_t pages);
void ear_usage_set_step_end(struct ear_usage *memory);
void ear_usage_end_interval(struct ear_usage *memory, uint64_t records);

/* memory_use_share.c */
void ear_usage_share(struct ear_usage *memory, uint32_t page, uint16_t hart, unsigned offset,
	unsigned size, bool write);
/* The share of a hart in a page, which is made. NONE: there are too many. */
uint32_t ear_usage_find_share(struct ear_usage *memory, uint32_t page, uint16_t hart);

/* memory_use_stack.c */
/* The rest of ear_usage_sp, once it is known what the instruction does. */
void ear_usage_set_sp(struct ear_usage *memory, struct memory_hart *hart,
	const struct memory_step *step, enum memory_sp kind);
void ear_usage_sp(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step);

/* memory_use_functions.c */
int ear_usage_heap_begin(struct ear_usage *memory);
/* The number of the function that is entered at a pc; NONE. */
uint32_t ear_usage_heap_entry(const struct ear_usage *memory, uint64_t pc);
bool ear_usage_is_posix(const struct ear_usage *memory, uint32_t entry);

/* memory_use_heap.c */
void ear_usage_heap_event(struct ear_usage *memory, const struct memory_heap_event *event);
int ear_usage_take_event(void *count, const struct ear_record *record);
void ear_usage_heap_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step);
/* A store while a call is open. */
void ear_usage_heap_store(
	struct ear_usage *memory, uint16_t hart, uint64_t address, uint64_t value);
void ear_usage_heap_end(struct ear_usage *memory);

static inline bool ear_usage_heap_wants(const struct ear_usage *memory, uint64_t pc)
{
	return memory->heap_filter[pc >> 1 >> 6 & (HEAP_FILTER / 64 - 1)] >> (pc >> 1 & 63) & 1;
}

/* A page, and a range, as the functions above find them, by caches first. */
static inline uint32_t memory_page(struct ear_usage *memory, uint64_t address)
{
	const uint64_t page = address & ~(uint64_t)(EAR_USAGE_PAGE - 1);
	const size_t at = page / EAR_USAGE_PAGE % PAGE_CACHE;

	if (memory->page_cache[at].page == page)
		return memory->page_cache[at].number;
	return ear_usage_find_page(memory, page);
}

static inline struct ear_usage_range *memory_range(struct ear_usage *memory, uint64_t address)
{
	const uint32_t number = memory->range_cache[address / 8 % RANGE_CACHE];

	if (number < memory->range_count) {
		struct ear_usage_range *range = &memory->ranges[number];
		if (address >= range->first && address <= range->last)
			return range;
	}
	return ear_usage_find_range(memory, address);
}

/* Before a record of an instruction. */
static inline void memory_advance(struct ear_usage *memory)
{
	if (memory->number >= memory->step_end)
		ear_usage_next_step(memory);
	if (memory->number >= memory->interval_end)
		ear_usage_end_interval(memory, memory->options.working_set);
}

#endif
