#ifndef EAR_ANALYSES_MEMORY_RESULT_H
#define EAR_ANALYSES_MEMORY_RESULT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/search.h>
#include <earshot/trace.h>

#include "analyses/base/analysis.h"

/* What a run did with memory: docs/analyses/memory.md. Counts of ear_memory_analysis are
 * struct ear_usage, its options are ear_usage_options. Parts of a run have all records: no task is
 * unwanted.
 *
 * An access counts for the page, and the symbol, of its first byte. Numbers of records are those of
 * instruction records.
 */
#define EAR_USAGE_PAGE       4096u
#define EAR_USAGE_LINE       64u
#define EAR_USAGE_PAGES_MAX  65536u   /* pages with bitmaps; further ones are only counted */
#define EAR_USAGE_RANGES_MAX 1048576u /* symbols, and what is between them */
#define EAR_USAGE_SITES_MAX  65536u
#define EAR_USAGE_STACKS_MAX 1024u
#define EAR_USAGE_BLOCKS_MAX 1048576u
#define EAR_USAGE_STEPS      64u /* of the heat in time, at most */
#define EAR_USAGE_ROWS_MAX   1048576u

struct ear_usage;

struct ear_usage_options {
	struct ear_names *names;        /* NULL: there are none */
	const struct ear_span *devices; /* which are never uninitialised */
	size_t device_count;
	bool physical;            /* by physical addresses; accesses without one are left out */
	bool no_loads, no_stores; /* the trace shows none */
	uint64_t working_set;     /* records of an interval; 0: none */

	/* Of several threads: held while names are asked, and the whole is looked at. NULL: there
	 * is one. */
	pthread_mutex_t *lock;
	uint64_t begin; /* of a part: number of the first instruction of the whole */
};

extern const struct ear_analysis ear_memory_analysis;

/* The tasks of a part that was read from a file, from number 1 on; a whole has those of its last
 * part. *name NULL: not known. */
bool ear_usage_task(
	const struct ear_usage *memory, uint32_t number, uint64_t *pid, const char **name);

/* What was touched. */
struct ear_usage_count {
	uint64_t reads, writes;
	uint64_t read_bytes, written_bytes; /* of accesses whose size is known */
	uint64_t first, last;               /* records; undefined if there was no access */
};

struct ear_usage_page {
	uint64_t address;
	struct ear_usage_count count;
	uint64_t touched;               /* different bytes */
	uint32_t heat[EAR_USAGE_STEPS]; /* accesses in each step of time */
};

/* A symbol, or what is between two, in one section or outside of all. */
struct ear_usage_range {
	uint64_t first, last; /* addresses */
	const struct ear_symbol *symbol;
	const struct ear_names_section *section;
	struct ear_usage_count count;
};

/* What an instruction did that it may better not do. */
enum ear_usage_fault {
	EAR_USAGE_UNINITIALIZED, /* read bytes that nothing had written */
	EAR_USAGE_CODE_WRITE,    /* wrote code */
	EAR_USAGE_RUN_WRITTEN,   /* was executed where the program had written before */
	EAR_USAGE_MISALIGNED,
	EAR_USAGE_LEAK,         /* called for a block that was not freed */
	EAR_USAGE_DOUBLE_FREE,  /* freed a block that was free */
	EAR_USAGE_UNKNOWN_FREE, /* freed what was no block */
	EAR_USAGE_FAULTS
};

struct ear_usage_site {
	uint8_t fault;    /* enum ear_usage_fault */
	bool has_pc;      /* false: accesses without an instruction */
	uint16_t hart;    /* of the first time */
	uint64_t pc;      /* of heap faults: of the instruction that called */
	uint64_t count;   /* times */
	uint64_t bytes;   /* UNINITIALIZED: different ones; LEAK: of the blocks; else of accesses */
	uint64_t trapped; /* MISALIGNED: times that it trapped */
	uint64_t first;   /* record of the first time */
	uint64_t address; /* then */
	uint8_t size;     /* of the access then; 0: there is none */
	bool has_address;
};

/* A stack: sp moves in it by additions; where it is set, another one may begin. */
struct ear_usage_stack {
	uint64_t high, low;  /* highest and lowest sp */
	uint64_t pc, record; /* of the instruction that first set the lowest */
	uint64_t switches;   /* times that it was set from another one */
	uint16_t hart;       /* at the lowest */
	uint32_t task;       /* likewise; 0: not known */
	bool counts;         /* a task that counts moved sp in it */
};

struct ear_usage_interval {
	uint64_t begin; /* record */
	uint64_t records, lines, pages;
};

struct ear_usage_shared {
	uint64_t line; /* address */
	bool is_true;  /* harts share bytes; else the line only */
	unsigned harts, writers;
	uint64_t moves; /* accesses by a hart other than that of the one before */
};

struct ear_usage_block {
	uint64_t address, size, caller, record;
	uint16_t hart;
	const char *function; /* that returned it */
};

struct ear_usage_facts {
	struct ear_usage_count total;
	uint64_t records;     /* of instructions */
	uint64_t begin;       /* number of the first one */
	uint64_t sizeless;    /* accesses whose size is not known */
	uint64_t unphysical;  /* accesses without a physical address, left out */
	uint64_t gaps;        /* of the trace */
	uint64_t first_gap;   /* record; after it uninitialised reads are not known */
	uint64_t pages, lost; /* with bitmaps; accesses beyond EAR_USAGE_PAGES_MAX */
	uint64_t sites_lost, stacks_lost, blocks_lost, rows_lost, ranges_lost, shares_lost;
	uint64_t step;  /* records of a step of the heat, which begins at a multiple of it */
	bool has_image; /* what was loaded is known */
	bool has_heap;  /* the program has functions of the heap, or the trace events of it */
	bool has_sp;    /* sp was written */
	bool other_isa; /* there are instructions that are not of RISC-V */
	bool late;      /* the first instruction is not that of the program */
	uint64_t harts; /* that accessed memory */
	uint64_t allocations, frees, failed; /* of the heap; failed: NULL was returned */
	uint64_t live, live_bytes;           /* blocks that were not freed */
	uint64_t peak_bytes, peak_record;
};

struct ear_usage_facts ear_usage_facts(const struct ear_usage *memory);

/* The number of the first record of a step of the heat. */
uint64_t ear_usage_step_begin(const struct ear_usage_facts *facts, unsigned step);

/* Lists: sorted as said; valid until the next call for the same memory. */
size_t ear_usage_pages(struct ear_usage *memory, const struct ear_usage_page **pages);
size_t ear_usage_ranges(struct ear_usage *memory, const struct ear_usage_range **ranges);
size_t ear_usage_sites(struct ear_usage *memory, const struct ear_usage_site **sites);
size_t ear_usage_stacks(struct ear_usage *memory, const struct ear_usage_stack **stacks);
size_t ear_usage_intervals(struct ear_usage *memory, const struct ear_usage_interval **rows);
/* Those with an error first; NULL if memory is short. To be freed. */
struct ear_usage_shared *ear_usage_shared(const struct ear_usage *memory, size_t *count);
struct ear_usage_block *ear_usage_blocks(const struct ear_usage *memory, size_t *count);

/* Different bytes that were touched in first .. last. */
uint64_t ear_usage_touched(const struct ear_usage *memory, uint64_t first, uint64_t last);

#endif
