#ifndef EAR_MEMORY_TRACE_H
#define EAR_MEMORY_TRACE_H

#include <earshot/record.h>

#include "library/memory/memory_state.h"
#include "random.h"

/* Random traces with the truth about memory after each record. Several harts with stores, loads,
 * atomics, accesses that trap, fail, are masked or refused; gaps and filtered records with stores
 * that nobody sees; and words that change by themselves.
 *
 * Memory is three windows of 512 bytes: at the beginning of the image, at the end of its part that
 * is not writable, and around the end of the 32-bit address space.
 */
#define EAR_TRACE_WINDOWS 3
#define EAR_TRACE_WINDOW  512u
#define EAR_TRACE_BYTES   (EAR_TRACE_WINDOWS * EAR_TRACE_WINDOW)

struct memory_trace {
	size_t count;
	struct traced {
		struct ear_record record;
		struct ear_record_register reg;
		struct ear_record_access access[2];
		uint8_t truth[EAR_TRACE_BYTES]; /* after the record */
	} * records;
	/* Bytes that may change with nothing in the trace that says so. */
	bool alone[EAR_TRACE_BYTES];
	struct ear_memory_range device;
	struct ear_memory_segment image[2];
	uint8_t image_bytes[2][EAR_TRACE_WINDOW];
	struct ear_memory_options options;
};

/* What a trace has. */
enum {
	TRACE_GAPS = 1 << 0,
	TRACE_FILTER = 1 << 1,
	TRACE_ALONE = 1 << 2,
	TRACE_HARTS = 1 << 3,
	TRACE_ODD = 1 << 4, /* accesses that are not simple */
};

struct memory_trace *memory_trace_new(struct random *random, size_t count, unsigned has);
void memory_trace_free(struct memory_trace *trace);

/* The address of byte i of the windows. */
uint64_t memory_trace_address(size_t i);

/* Records first .. last-1 go to the memory, some of them as compact runs. */
void memory_trace_push(struct memory_trace *trace, struct ear_memory *memory, size_t first,
	size_t last, struct random *random);

#endif
