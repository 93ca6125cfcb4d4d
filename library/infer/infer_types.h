#ifndef EAR_INFER_TYPES_H
#define EAR_INFER_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/infer.h>
#include <earshot/record.h>
#include <earshot/search.h>

#include "library/memory/memory_types.h"

/* Types of infer_forward.h, which says what they are for. */

/* What a hart held. */
struct ear_infer_held {
	uint64_t pc; /* of its next instruction */
	uint64_t x[32];
};

/* What was there after the last record, or, of registers, where the trap came in whose handler the
 * trace ends. All is the caller's. */
struct ear_infer_snapshot {
	const struct ear_infer_held *held; /* one of them is of the trace: the one whose pc fits */
	size_t held_count;
	const struct ear_memory_segment *memory;
	size_t memory_count;
};

struct infer_options {
	/* The program, and where memory is: what is outside of ram, or inside of devices, is never
	 * known. A segment that is not writable holds for the whole trace. All is the caller's. */
	const struct ear_memory_segment *image;
	size_t image_count;
	const struct ear_span *ram;
	size_t ram_count;
	const struct ear_span *devices;
	size_t device_count;

	bool reset;  /* the trace begins where the program was just loaded: what is writable is as
		      * the image has it */
	bool shared; /* several harts, or something else, write to memory */
	/* Each trap and each interrupt shows: it has a record, or the next one is flagged
	 * EAR_RECORD_HANDLER. Else a jump may seem to lead where a trap led. */
	bool shows_traps;
	/* Only with windows (infer_window.h). NULL: there is none. Its memory must be in ram. */
	const struct ear_infer_snapshot *snapshot;
};

/* What follows for one record, beside what it has itself. */
struct ear_inferred {
	/* The register that the instruction wrote, if the record does not show it. */
	size_t register_count;
	struct ear_record_register registers[1];

	/* Its accesses, if the record does not show them, or not their value. An access without a
	 * value (has_value) has an address that is known and a value that is not. */
	size_t memory_count;
	struct ear_record_access memory[2];
};

#endif
