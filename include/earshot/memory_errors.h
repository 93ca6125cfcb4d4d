#ifndef EAR_MEMORY_ERRORS_H
#define EAR_MEMORY_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Memory errors of a program, at the access: docs/analyses/memory-errors.md. What valgrind and the
 * address sanitizer find, of a run that was recorded as it was.
 *
 *     struct ear_memory_checker_options options = {.size = sizeof(options), .names = names};
 *     ear_memory_checker_new(&checker, &options);
 *     ear_memory_checker_read(checker, trace, UINT64_MAX, NULL);
 *     count = ear_memory_checker_errors(checker, &errors);
 *     ear_memory_checker_free(checker);
 *
 * Only what is certain is an error: what the checker did not see (before the trace, in a gap, in
 * functions that have no name) counts as correct.
 */
struct ear_memory_checker;

enum ear_memory_error_kind {
	EAR_MEMORY_FREED,       /* access to a block of the heap that was freed */
	EAR_MEMORY_OUTSIDE,     /* access to the heap beside a block */
	EAR_MEMORY_UNWRITTEN,   /* a branch or an address depends on bytes that nothing wrote */
	EAR_MEMORY_LEFT_FRAME,  /* access to a variable of a function that has returned */
	EAR_MEMORY_STACK_LIMIT, /* sp is below the limit of its stack */
	EAR_MEMORY_DOUBLE_FREE, /* a block was freed that was free */
	EAR_MEMORY_WRONG_FREE,  /* what was freed is not the begin of a block */
	EAR_MEMORY_OVERLAP,     /* memcpy of areas that overlap */
	EAR_MEMORY_OBJECT,      /* access beyond a variable, in another one */
	EAR_MEMORY_ERROR_KINDS
};

/* "freed"; NULL for a number that is no kind. Static. */
const char *ear_memory_error_name(unsigned kind);

/* A place in the run. pc 0: not known. */
struct ear_memory_moment {
	uint64_t number; /* of the record (trace.h) */
	uint64_t pc;     /* of a call: of the instruction that calls */
};

/* A block of the heap. */
struct ear_memory_block {
	uint64_t address, bytes;
	bool is_free;
	const char *function;               /* that allocated it */
	struct ear_memory_moment allocated; /* the call */
	struct ear_memory_moment freed;     /* the call, if is_free */
	/* The calls of the newest block that was there before and was freed; pc 0: none is known.
	 */
	struct ear_memory_moment before_allocated, before_freed;
};

/* An error, all times that an instruction did so, called from one place; the rest is of the first
 * time. */
struct ear_memory_error {
	unsigned kind; /* enum ear_memory_error_kind */
	uint16_t hart;
	bool write;
	bool has_block; /* block is the one that is meant, or that is near */
	uint8_t size;   /* bytes of the access; 0: it is no access */
	uint64_t count; /* times */
	/* The access. Of a free or a memcpy: the call.
	 * UNWRITTEN: the read of the bytes. STACK_LIMIT: the instruction that set sp. */
	struct ear_memory_moment moment;
	uint64_t caller;  /* where the function returns to, if it has called nothing; else 0 */
	uint64_t address; /* of the access; of the block; sp */
	struct ear_memory_block block;
	/* UNWRITTEN: the branch or access that depends on it. LEFT_FRAME: the return. */
	struct ear_memory_moment other;
	uint64_t limit; /* STACK_LIMIT; OVERLAP: the source; OBJECT: where the variable begins */
	uint64_t bytes; /* OVERLAP: that are copied; OBJECT: of the variable */
	/* OBJECT: names of the variable and of the one that was accessed; else NULL. */
	const char *object, *hit;
};

#define EAR_MEMORY_ERROR_TEXT_MAX 256

/* "read of 4 bytes at 0x80001a84, in a block that was freed". As snprintf. */
int ear_memory_error_text(const struct ear_memory_error *error, char *text, size_t size);

struct ear_memory_checker_options {
	size_t size;                   /* sizeof(struct ear_memory_checker_options) */
	const struct ear_names *names; /* used until the checker is freed; NULL: stacks only */
	/* Memory that others than the traced harts write, as by DMA. */
	const struct ear_span *devices;
	size_t device_count;
	/* Allocators of the program, "NAME=KIND": docs/analyses/memory-errors.md, section 2. */
	const char *const *allocators;
	size_t allocator_count;
};

struct ear_memory_checker_facts {
	size_t size; /* sizeof(struct ear_memory_checker_facts), filled in by the caller */
	uint64_t records;
	uint64_t allocations, frees;
	uint64_t gaps;        /* after which what was known is forgotten */
	uint64_t lost;        /* places of errors beyond the limit */
	uint64_t blocks_lost; /* blocks beyond the limit */
	uint64_t paged; /* record that switched translation on: no check from there on; 0: none */
	bool has_heap;  /* the program has functions of a heap */
	bool has_sp;    /* sp was written */
	bool late;      /* the trace does not begin where the program does */
};

/* Returns 0, EAR_E_BAD_ARGUMENT (size 0; an allocator that is wrong: *wrong is its number, if wrong
 * is not NULL), EAR_E_NO_MEMORY. */
int ear_memory_checker_new(struct ear_memory_checker **checker,
	const struct ear_memory_checker_options *options, size_t *wrong);
void ear_memory_checker_free(struct ear_memory_checker *checker); /* NULL is fine */

/* The next batch of the trace, from its beginning on. Returns 0, or EAR_E_NO_MEMORY. */
int ear_memory_checker_batch(struct ear_memory_checker *checker, const struct ear_batch *batch);

/* Errors of what comes count, or do not: of a task that is not asked for. */
void ear_memory_checker_mute(struct ear_memory_checker *checker, bool muted);

/* Read the trace from its place up to a position; the rest of a batch that goes beyond it is not
 * taken. Returns 0, or an error as ear_trace_next. */
int ear_memory_checker_read(struct ear_memory_checker *checker, struct ear_trace *trace,
	uint64_t position, const struct ear_progress *progress);

/* Errors so far, by their first time; valid until the next call for the checker. */
size_t ear_memory_checker_errors(
	struct ear_memory_checker *checker, const struct ear_memory_error **errors);

/* The block that an address is in, so far: the newest one, live or free. block: of block_size,
 * sizeof(*block). False: none was seen. */
bool ear_memory_checker_block(const struct ear_memory_checker *checker, uint64_t address,
	struct ear_memory_block *block, size_t block_size);

/* False: size is 0. */
bool ear_memory_checker_facts(
	const struct ear_memory_checker *checker, struct ear_memory_checker_facts *facts);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
