#ifndef EAR_INFER_MEMORY_H
#define EAR_INFER_MEMORY_H

#include "library/check/check_memory.h"
#include "library/infer/infer_types.h"
#include "library/infer/infer_value.h"

/* Memory, byte by byte, as far as it is known. A byte is known from the program's image, from a
 * store, or from what the trace shows of it. docs/infer.md, "Memory". */
struct infer_memory {
	const struct infer_options *options;
	struct ear_check_memory bytes;
	bool *written; /* of each segment of the image that is not writable: a store went there */
	bool shared;   /* other harts may write, so only what is not writable is known */
	bool moved;    /* addresses are translated, so nothing is known */
};

/* Returns 0 or EAR_E_NO_MEMORY. The options are the caller's. */
int infer_memory_init(struct infer_memory *memory, const struct infer_options *options);
int infer_memory_copy(struct infer_memory *copy, const struct infer_memory *memory);
void infer_memory_fini(struct infer_memory *memory);

/* What is writable may hold anything from now on. */
void infer_memory_forget(struct infer_memory *memory);

/* size bytes, 1 .. 8, in the low bits; the others are not known. */
struct infer_value infer_memory_load(struct infer_memory *memory, uint64_t address, unsigned size);

/* The low bytes of a value are there now: stored, or seen there. */
void infer_memory_store(
	struct infer_memory *memory, uint64_t address, unsigned size, struct infer_value value);

/* The bytes of which all bits are known are there: something says so that stores nothing. */
void infer_memory_show(
	struct infer_memory *memory, uint64_t address, unsigned size, struct infer_value value);

/* Is all of it memory, and no device? */
bool infer_memory_is_ram(const struct infer_memory *memory, uint64_t address, unsigned size);

/* Does a part of the image that is not writable hold something else at this address? Then it is not
 * used any more. */
bool infer_memory_refutes(
	struct infer_memory *memory, uint64_t address, unsigned size, uint64_t value);

#endif
