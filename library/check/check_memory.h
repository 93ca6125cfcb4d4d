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
};

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
