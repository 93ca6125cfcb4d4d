#ifndef EAR_ANALYSES_MEMORY_PART_H
#define EAR_ANALYSES_MEMORY_PART_H

#include "analyses/base/rows.h"
#include "analyses/memory/memory_tables.h"

/* A part of a run, for who joins parts: sums and bitmaps as of a whole; what happened to stacks and
 * the heap, in order, in rows; and what only the parts before it decide, which is open.
 *
 * Stacks. Moves of sp in a stack are reported as their extremes, before anything happens that may
 * be in another stack. What sets sp is reported alone, and so is the first move that may do so.
 *
 * The heap. A step is reported if it may enter a function of the heap, or end a call of one. A call
 * that began in the part ends where it returns to, or where sp is above it. The other calls are not
 * known. Since sp was set, or the part began, it has not been above any of them that is open: so
 * only steps at the highest sp since then can end one. Each pc is reported once for such an sp.
 */
enum memory_row {
	MEMORY_ROW_SP,         /* hart, sp, pc, number, 1: it moves, else it is set; task */
	MEMORY_ROW_HALF,       /* hart, number: sp is half of an address */
	MEMORY_ROW_MOVES,      /* hart, highest, lowest, pc, number, task: of the first lowest */
	MEMORY_ROW_STEP,       /* hart, pc, number, registers */
	MEMORY_ROW_STORE,      /* hart, address, value: it may be what posix_memalign stores */
	MEMORY_ROW_UNREPORTED, /* number: stores of calls before it may be missing from here on */
	MEMORY_ROW_GAP,        /* number */
	MEMORY_ROW_HART,       /* hart, 1: it accessed memory, registers; at the end */
	MEMORY_ROW_EVENT,      /* hart, kind, address, size, number, 1: muted, registers */
	MEMORY_ROW_KINDS
};

/* Those that the heap's functions have arguments in, and x1, x2. In a row: a set of those that have
 * a value, and of those that are known, 64 times; then the values. */
#define MEMORY_REGISTERS 6u
extern const uint8_t memory_registers[MEMORY_REGISTERS];
extern const uint8_t memory_row_sizes[MEMORY_ROW_KINDS];

/* What an instruction did, if the parts before decide so. */
enum memory_open_kind {
	MEMORY_OPEN_READ,  /* read bytes, those of mask, that the part had not written */
	MEMORY_OPEN_WRITE, /* wrote what the part had not executed; mask 1: after it wrote code */
	MEMORY_OPEN_RUN,   /* was first executed; mask 1: what the part had written */
	MEMORY_OPEN_KINDS
};

/* If there are many, those of an instruction that goes through memory are one: times accesses at
 * addresses that differ by stride, in records that differ by step; is_regular false: in others, but
 * the first one is known. Then each was there once. */
struct memory_open {
	uint64_t pc, address;
	uint64_t mask;         /* of bytes from the address on */
	uint64_t fresh;        /* those of mask that none had read before */
	uint64_t count, first; /* times, record of the first one */
	uint64_t stride, step;
	uint32_t times;
	uint16_t hart;
	uint8_t size, kind;
	bool has_pc, is_regular;
	bool is_run; /* more may come */
};

/* The newest that is open of an instruction. */
struct memory_cursor {
	uint32_t last;   /* its number, and 1; 0: there is none */
	uint32_t streak; /* how many in a row differed by stride */
	uint64_t stride;
};

#define MEMORY_OPEN_MAX   262144u /* of a kind */
#define MEMORY_OPEN_MANY  4096u   /* from here on some are put together */
#define MEMORY_STREAK     8u      /* so many in a row show that more will come */
#define MEMORY_CURSORS    1024u
#define MEMORY_TIMES_MAX  (1u << 24)
#define MEMORY_WRITES_MAX 4096u /* of a page, that are looked at */
#define MEMORY_STORES_MAX 4096u
#define MEMORY_ROWS_BYTES (UINT64_C(64) << 20)
#define MEMORY_CACHE      16384u
#define MEMORY_SITES_LEFT 16384u /* of the heap, from one part */

/* A page of a part. */
struct memory_part_bits {
	struct memory_bits bits;
	uint64_t known_executed[WORDS / 2]; /* before the part, as far as it was known */
	uint64_t first_lines;               /* of the interval that the part begins in */
	uint32_t heat_before;               /* accesses before the first instruction */
	uint16_t writes_left;
	bool is_unreported; /* not all open writes are there */
};

struct memory_task {
	uint64_t pid;
	char *name; /* NULL: not known */
};

struct memory_part {
	struct ear_rows rows;
	struct memory_open *open;
	uint32_t open_count, open_counts[MEMORY_OPEN_KINDS];
	struct ear_numbering open_numbers;
	struct memory_cursor cursors[MEMORY_OPEN_KINDS][MEMORY_CURSORS];
	bool is_full[MEMORY_OPEN_KINDS]; /* not all are there */
	bool is_untellable;              /* so are rows */
	bool has_unreported;             /* there are MEMORY_ROW_UNREPORTED */
	uint32_t sets;                   /* rows that may make a stack */
	uint32_t segments;               /* times that sp was set, or the like */
	uint64_t level;                  /* the last one: a highest sp of a segment */
	uint64_t unknown_before; /* calls before this record may store at an unknown address */
	struct memory_hart **harts;
	uint32_t hart_count;
	uint32_t walked_page, walked_share; /* that lines of a file are of; NONE */
	struct {
		uint64_t pc, level;
	} cache[MEMORY_CACHE]; /* what was reported */
};

struct memory_open_access {
	const struct memory_access *access;
	uint64_t mask, fresh;
	enum memory_open_kind kind;
};

static inline struct memory_part_bits *memory_part_bits(struct memory_bits *bits)
{
	return (struct memory_part_bits *)bits;
}

/* memory_use_report.c */
int ear_usage_part_begin(struct ear_usage *memory);
void ear_usage_part_free(struct ear_usage *memory);
void ear_usage_part_first(struct ear_usage *memory); /* the first instruction comes */
void ear_usage_part_hart(struct ear_usage *memory, struct memory_hart *hart); /* a new one */
void ear_usage_report_sp(struct ear_usage *memory, struct memory_hart *hart,
	const struct memory_step *step, enum memory_sp kind);
void ear_usage_report_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step);
void ear_usage_report_store(
	struct ear_usage *memory, uint16_t hart, uint64_t address, uint64_t value);
void ear_usage_report_event(struct ear_usage *memory, const struct memory_heap_event *event);
void ear_usage_report_gap(struct ear_usage *memory);
void ear_usage_report_rest(struct ear_usage *memory);

/* memory_use_open.c */
void ear_usage_add_open(struct ear_usage *memory, const struct memory_open_access *open);
/* A write that is no write of code, as far as the part knows. */
void ear_usage_open_write(
	struct ear_usage *memory, uint32_t page, const struct memory_access *access);
/* Bits of size bytes from the address on, in bitmaps of the pages there. */
uint64_t ear_usage_written_at(const struct ear_usage *memory, uint64_t address, unsigned size);
uint64_t ear_usage_reported_at(const struct ear_usage *memory, uint64_t address, unsigned size);
/* Was one of them executed? */
bool ear_usage_executed_at(const struct ear_usage *memory, uint64_t address, unsigned size);

/* memory_use_replay.c */
/* What the rows report happens in the sum. dry: nothing but stacks, and which calls are open.
 * Returns 0, EAR_E_UNSUPPORTED: the rows do not say all; or EAR_E_BAD_FILE. */
int ear_usage_replay(struct ear_usage *sum, struct ear_usage *part);
/* Can they be replayed? The sum is as before. */
int ear_usage_try_replay(struct ear_usage *sum, struct ear_usage *part);

/* memory_use_join.c */
int ear_usage_join(void *whole, void *next);
/* Sets memory->failed. */
void ear_usage_add_task(struct ear_usage *memory, uint64_t pid, const char *name);

/* memory_use_walk.c */
void ear_usage_walk(void *part, struct ear_part_walk *walk);

#endif
