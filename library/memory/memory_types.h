#ifndef EAR_MEMORY_TYPES_H
#define EAR_MEMORY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of memory_state.h, which says what they are for. */
struct ear_memory;
struct ear_memory_volatile;

#define EAR_MEMORY_LINE         64 /* bytes of a line, the unit of changes */
#define EAR_MEMORY_SEGMENTS_MAX 64 /* of the image; those after count as writable */
#define EAR_MEMORY_SIZE_MAX     ((size_t)256 << 20) /* default of size_max */
#define EAR_MEMORY_VOLATILE_MAX ((size_t)1 << 20)   /* lines; with more, nothing is known at all */

/* What an address means. It is one for the whole trace, so it is said before the first record.
 * Begin with FLAT; when ear_memory_better_key() says another one, do it again with that.
 */
enum ear_memory_key {
	EAR_MEMORY_FLAT,     /* virtual addresses are physical: nothing is translated */
	EAR_MEMORY_PHYSICAL, /* physical addresses */
	EAR_MEMORY_VIRTUAL,  /* virtual addresses, of a trace without physical ones. Everything is
			      * unknown after a change of the address space: another satp, a fence
			      * of page tables, from machine mode to another one or back */
};

struct ear_memory_range {
	uint64_t address, size; /* address + size may be 2^64, as 0; not more */
};

/* Of the program's image: what its file holds, so .bss has no bytes. The bytes are not copied. */
struct ear_memory_segment {
	uint64_t address, size;
	const uint8_t *bytes;
	bool writable; /* not used after a gap */
};

/* Blocks that do not fit into size_max, for example in a temporary file. Slots have
 * EAR_MEMORY_SLOT bytes and are numbered from 0. Each returns 0, or a negative error.
 */
#define EAR_MEMORY_SLOT 1280
struct ear_memory_spill {
	int (*write)(void *context, uint64_t slot, const void *bytes);
	int (*read)(void *context, uint64_t slot, void *bytes);
	void *context;
};

/* All arrays must stay as long as the object. */
struct ear_memory_options {
	enum ear_memory_key key;
	/* PHYSICAL: an access without a physical address has its virtual one (texts that list it
	 * only where it differs); else its place is unknown. */
	bool absent_is_same;
	/* The records come from the retire port (captures, dumps): their indexes are exact, so the
	 * program counter need not be followed; and an access shows at most XLEN bits. */
	bool captured;
	/* This is a part of a trace, from some record on: see "Parts". All else is as for the
	 * whole, but the image is not what memory holds at its beginning. */
	bool part;
	size_t size_max; /* 0: EAR_MEMORY_SIZE_MAX */
	/* NULL: when size_max is reached everything becomes unknown, as by a gap: never wrong, and
	 * ear_memory_overflows() counts it. Not for parts: end one before it is so large. */
	const struct ear_memory_spill *spill;
	const struct ear_memory_range *devices;
	size_t device_count;
	/* If the trace begins later than the program does, its first index says so; where it does
	 * not, leave out what is writable. */
	const struct ear_memory_segment *image;
	size_t image_count;
};

/* 64 bytes of memory at a moment, as far as some stretch of records says. A byte that is not
 * *settled* is as it was before the stretch; one that is settled and not known became unknown.
 */
struct ear_memory_line {
	uint64_t address; /* a multiple of EAR_MEMORY_LINE */
	uint64_t known;   /* a bit for each byte, bit 0 the first; only those of settled */
	uint64_t settled;
	uint8_t bytes[EAR_MEMORY_LINE]; /* 0 where not known */
};

#endif
