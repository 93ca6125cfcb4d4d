#ifndef EAR_CHECK_MEMORY_H
#define EAR_CHECK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trace has shown of memory so far, byte by byte. Bounded: where it would become larger,
 * all is forgotten.
 */
#define EAR_CHECK_PAGE 4096u

#define EAR_CHECK_RECENT 16u /* a power of two */

struct ear_check_page;

struct ear_check_memory {
	struct ear_check_page **pages;                   /* hash table */
	size_t count, capacity;                          /* capacity a power of two, or 0 */
	struct ear_check_page *recent[EAR_CHECK_RECENT]; /* by the number of the page */
	bool failed;                                     /* memory was short */
	bool forgotten;                                  /* something was, some time */
	uint64_t forgets;                                /* how often all was */
	size_t count_most;                               /* pages at one time, since it began */
	bool marks;                 /* notes what is below, and keeps pages that are forgotten: */
	struct ear_check_page *old; /* a list, until ear_check_memory_drop */
};

/* More pages than these are never kept. */
#define EAR_CHECK_PAGES_MAX 16384u /* 128 MiB */

/* Marks of bytes, for who records what was checked (check_part.h): those that were stored or loaded
 * by the fast path. */
void ear_check_memory_mark_stored(struct ear_check_memory *memory, uint64_t address, unsigned size);
void ear_check_memory_mark_loaded(struct ear_check_memory *memory, uint64_t address, unsigned size);

/* Of the 8 bytes from address, a multiple of 8, those that are marked as stored: a bit for each,
 * and their values. The marks are taken away. */
unsigned ear_check_memory_take_stored(
	struct ear_check_memory *memory, uint64_t address, uint64_t *value);

/* The same of those that are marked as loaded, of 64 bytes from address, a multiple of 64. */
uint64_t ear_check_memory_take_loaded(struct ear_check_memory *memory, uint64_t address);

/* Call for each 64 bytes of which some are marked as loaded: address and a bit for each byte. Of
 * pages that were forgotten (old), or of the others. Returns 0, or what the function returned. */
typedef int ear_check_memory_marked(void *context, uint64_t address, uint64_t mask);
int ear_check_memory_each_loaded(const struct ear_check_memory *memory, bool old,
	ear_check_memory_marked *marked, void *context);
/* The same for those that are marked as stored, of pages that were not forgotten. */
int ear_check_memory_each_stored(
	const struct ear_check_memory *memory, ear_check_memory_marked *marked, void *context);
void ear_check_memory_drop(struct ear_check_memory *memory); /* old */

/* Does one of the bytes change by itself? Nothing is made for it. */
bool ear_check_memory_changes(
	const struct ear_check_memory *memory, uint64_t address, uint64_t mask);

/* All zero is empty. */
void ear_check_memory_fini(struct ear_check_memory *memory);
void ear_check_memory_forget(struct ear_check_memory *memory);

/* A copy, to be freed, too. Returns false, and *copy is empty, if memory is short. */
bool ear_check_memory_copy(struct ear_check_memory *copy, const struct ear_check_memory *memory);

void ear_check_memory_store(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value);

/* What these bytes hold is not known any more. */
void ear_check_memory_lose(struct ear_check_memory *memory, uint64_t address, unsigned size);

enum ear_check_load {
	EAR_CHECK_LOAD_SAME,    /* all bytes are as they were */
	EAR_CHECK_LOAD_NEW,     /* some were not known */
	EAR_CHECK_LOAD_CHANGES, /* some change by themselves */
	EAR_CHECK_LOAD_DIFFERS, /* some were stored, and are different */
};

/* A load returned value. *expected: the value with the bytes that were known. What it showed is
 * known from now on. */
enum ear_check_load ear_check_memory_load(struct ear_check_memory *memory, uint64_t address,
	unsigned size, uint64_t value, uint64_t *expected);

/* Are all bytes known, and as the value has them, and do none change by themselves? Then a load of
 * it would change nothing. size: 1 .. 8. */
bool ear_check_memory_holds(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value);

/* The bytes that are known and do not change by themselves: a bit for each, bit 0 the first. *value
 * has 0 for the others. size: 1 .. 8. */
unsigned ear_check_memory_read(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t *value);

/* Was one of the bytes stored, or does it change by itself? */
bool ear_check_memory_is_stored(struct ear_check_memory *memory, uint64_t address, unsigned size);

/* Bytes that are not known are as if these were stored. Returns whether there was one. */
bool ear_check_memory_seed(
	struct ear_check_memory *memory, uint64_t address, unsigned size, const uint8_t *bytes);

#endif
