#ifndef EAR_MEMORY_ERRORS_INTERNAL_H
#define EAR_MEMORY_ERRORS_INTERNAL_H

#include <earshot/memory_errors.h>

#include "library/check/semantics/semantics.h"

/* What the checker knows of memory, and of each hart.
 *
 * The shadow has bits for each byte of the pages where something happened: all that has no bit is
 * correct. So nothing has to be known where the trace begins, and a gap clears all.
 */
#define PAGE         4096u
#define WORDS        (PAGE / 64)
#define PAGES_MAX    65536u
#define PAGE_CACHE   1024u
#define NONE         UINT32_MAX
#define ENTRIES_MAX  128u
#define ENTRY_FILTER 1024u
#define CALLS_MAX    64u
#define STACKS_MAX   1024u
#define BLOCKS_MAX   1048576u
#define ERRORS_MAX   4096u
#define READS_MAX    65536u
#define RETURNS_MAX  64u /* newest returns of a hart */
#define SCANS_MAX    256u
#define INSIDES_MAX  4096u
#define FENCE        32u      /* bytes beside a block that are checked */
#define FRAME_MAX    0x100000 /* bytes: what moves sp by more sets it */

enum shadow_bit {
	SHADOW_UNWRITTEN, /* new in a frame or a block */
	SHADOW_MIXED,     /* of a register that was stored with some unknown bits */
	SHADOW_LIVE,      /* of a block */
	SHADOW_BARRED,    /* of a free block, or beside one */
	SHADOW_LEFT,      /* of a frame that was left */
	SHADOW_TAKEN,     /* its address was computed from sp, in a frame */
	SHADOW_BITS
};

struct shadow_page {
	uint64_t address;
	uint64_t bits[SHADOW_BITS][WORDS];
	uint32_t *reads; /* of 4 bytes each: serial of the read that they come from, 0: none */
};

struct shadow {
	struct shadow_page **table; /* open addressing */
	uint32_t count, capacity;
	struct {
		uint64_t address;
		struct shadow_page *page; /* NULL: there is none */
	} cache[PAGE_CACHE];
	bool failed;
};

enum heap_kind {
	HEAP_MALLOC,
	HEAP_CALLOC,
	HEAP_REALLOC,
	HEAP_FREE,
	HEAP_MEMALIGN,
	HEAP_POSIX,
	HEAP_FIXED,    /* a block of a size that is always the same */
	HEAP_INTERNAL, /* may do to the heap what it likes */
	HEAP_MEMCPY,
};

struct heap_entry {
	uint64_t pc, fixed;
	const char *name;
	uint8_t kind, first; /* number of the first argument */
	bool pool;           /* blocks are side by side: named by an option, of a fixed size */
};

struct heap_call {
	uint64_t pc, return_pc, sp, number; /* pc: of the instruction that called */
	uint64_t arguments[3];
	uint64_t stored; /* by posix_memalign */
	uint32_t stack;
	uint16_t hart;
	uint8_t entry;
};

struct heap {
	struct heap_entry entries[ENTRIES_MAX];
	uint32_t entry_count;
	uint64_t filter[ENTRY_FILTER / 64];
	uint64_t move_first, move_last; /* memmove, which may call memcpy */
	struct heap_call calls[CALLS_MAX];
	uint32_t call_count;
	struct ear_memory_block *blocks;
	uint32_t *places; /* number + 1 by address, open addressing */
	uint32_t count, capacity;
	uint64_t first, last; /* addresses of blocks; last < first: there was none */
};

/* sp moves in it by additions. */
struct stack {
	uint64_t low, high; /* lowest and highest sp */
	uint64_t limit;     /* 0: none is known */
	uint64_t base;      /* frames below it were made here; of those above nothing is known */
	bool is_below;
};

/* A read of bytes that nothing wrote; or what a register has of it, where it was stored with some
 * unknown bits. */
struct shadow_read {
	uint64_t number, pc, address;
	uint64_t mixed_address, unknown;
	uint32_t serial;
	uint8_t size, mixed_size;
};

struct frame_return {
	uint64_t first, last; /* addresses */
	uint64_t number, pc;
};

/* A variable of the program. */
struct object {
	uint64_t first, end;
	const char *name;
	bool is_base; /* nothing else begins there */
};

struct objects {
	struct object *items; /* by address, none in another one */
	size_t count;
	uint64_t low, size; /* of all, and a bit around */
};

/* The variable that a register points to. */
struct pointed {
	uint64_t first, end;
};

/* The variable that an instruction was in. */
struct inside {
	uint64_t pc, first;
};

struct checker_hart {
	uint64_t x[32];
	uint64_t unknown[32], float_unknown[32]; /* bits that come from what nothing wrote */
	uint32_t reads[32], float_reads[32];     /* which read: serial */
	uint32_t known;                          /* set of x */
	uint32_t pointers;                       /* set of x: those with an object */
	uint32_t uppers, anchors; /* sets of x: those that lui or auipc made; constants */
	struct pointed objects[32];
	uint32_t tainted, float_tainted; /* set of x, f: those with unknown bits */
	uint32_t stack;
	uint64_t last_pc, last_number; /* of its last instruction */
	uint16_t number;
	bool in_heap; /* it runs a function of the heap */
	struct frame_return returns[RETURNS_MAX];
	uint32_t return_count;
};

struct ear_memory_checker {
	struct ear_memory_checker_options options;
	struct ear_memory_checker_facts facts;
	struct shadow shadow;
	struct heap heap;
	struct objects objects;
	struct inside insides[INSIDES_MAX]; /* by pc */
	struct stack *stacks;
	uint32_t stack_count;
	struct checker_hart **harts;
	uint32_t hart_count;
	struct ear_memory_error *errors;
	uint32_t error_count;
	struct shadow_read *reads;
	uint32_t read_serial;
	struct scan {
		uint64_t pc, address, number;
	} scans[SCANS_MAX]; /* the last access of instructions */
	uint64_t number;    /* of the current record */
	unsigned xlen;
	bool started, muted, failed;
};

/* An instruction that retired, in short. */
struct checker_step {
	uint64_t pc, result, address;
	uint32_t opcode;
	uint8_t rd;   /* 0: none */
	uint8_t size; /* of the access */
	bool has_access, write;
};

/* ---- byte_shadow.c ---- */

struct shadow_page *ear_byte_shadow_find(struct shadow *shadow, uint64_t page);
struct shadow_page *ear_byte_shadow_make(struct shadow *shadow, uint64_t page);
/* Bits of bytes first .. first + size - 1; pages are made where bits are set. */
void ear_byte_shadow_set(struct shadow *shadow, enum shadow_bit bit, uint64_t first, uint64_t size);
void ear_byte_shadow_clear(
	struct shadow *shadow, enum shadow_bit bit, uint64_t first, uint64_t size);
/* Of up to 64 bytes, the first one lowest. */
uint64_t ear_byte_shadow_get(
	struct shadow *shadow, enum shadow_bit bit, uint64_t address, unsigned size);
void ear_byte_shadow_forget(struct shadow *shadow); /* all bits */
void ear_byte_shadow_fini(struct shadow *shadow);

/* NULL: nothing happened there. */
static inline struct shadow_page *shadow_page(struct shadow *shadow, uint64_t address)
{
	const uint64_t page = address & ~(uint64_t)(PAGE - 1);
	const size_t at = page / PAGE % PAGE_CACHE;

	return shadow->cache[at].address == page ? shadow->cache[at].page
						 : ear_byte_shadow_find(shadow, page);
}

/* ---- errors_heap.c ---- */

/* Returns 0, or as ear_memory_checker_new. */
int ear_heap_begin(struct ear_memory_checker *checker, size_t *wrong);
/* Before an instruction whose pc heap_wants, or while calls are open. */
void ear_heap_step(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc);
void ear_heap_store(struct ear_memory_checker *checker, uint64_t address, uint64_t value);
/* The hart came to another stack, or calls ended. */
void ear_heap_look(const struct ear_memory_checker *checker, struct checker_hart *hart);
void ear_heap_forget(struct ear_memory_checker *checker);
void ear_heap_fini(struct heap *heap);
/* The newest block with the address, else the nearest one up to FENCE bytes away; NULL. */
const struct ear_memory_block *ear_heap_near(const struct heap *heap, uint64_t address);
/* An access to bytes that are barred. */
void ear_heap_barred(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step, uint64_t barred);

static inline bool heap_wants(const struct heap *heap, uint64_t pc)
{
	return heap->filter[pc / 2 / 64 % (ENTRY_FILTER / 64)] >> pc / 2 % 64 & 1;
}

/* ---- errors_stacks.c ---- */

/* sp was set by an instruction; opcode 0: not known by which. */
void ear_stacks_sp(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step);
/* The instruction may have taken the address of a variable in the frame. */
void ear_stacks_take(
	struct ear_memory_checker *checker, const struct checker_hart *hart, uint64_t address);
/* An access to bytes of frames that were left. */
void ear_stacks_left(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step);
void ear_stacks_forget(struct ear_memory_checker *checker);

/* ---- errors_unwritten.c ---- */

/* Which bits of registers come from what nothing wrote; before x has the result. */
void ear_unwritten_step(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step);
/* A load of such bytes into x, or into f. */
void ear_unwritten_load(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step);
/* The same of bytes that are mixed. */
void ear_unwritten_reload(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step);
/* After a store, which made its bytes written ones. */
void ear_unwritten_store(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step);
void ear_unwritten_forget(struct checker_hart *hart);

/* ---- errors_objects.c ---- */

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_objects_begin(struct ear_memory_checker *checker);
static inline void ear_objects_forget(struct checker_hart *hart, uint32_t registers)
{
	hart->pointers &= ~registers;
	hart->uppers &= ~registers;
	hart->anchors &= ~registers;
}
/* rd, which is not sp, gp or tp, gets a result in the range of the variables. */
void ear_objects_result(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step, uint64_t result);
/* An access by register base, which has a pointer. */
void ear_objects_access(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step, unsigned base);

/* ---- errors_report.c ---- */

/* The error of a kind at a pc, one more time; NULL if it was there, or does not count. The caller
 * fills in the rest. */
struct ear_memory_error *ear_checker_blame(struct ear_memory_checker *checker, unsigned kind,
	const struct checker_hart *hart, uint64_t pc);

#endif
