#ifndef EAR_INFER_TYPES_H
#define EAR_INFER_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>
#include <earshot/search.h>

#include "library/memory/memory_types.h"

/* Types of infer.h, which says what they are for. */

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

struct ear_infer_options {
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

/* What came of a snapshot. */
enum ear_infer_use {
	EAR_INFER_UNUSED, /* it is not of the end of the trace */
	EAR_INFER_AT_END,
	EAR_INFER_AT_TRAP, /* registers alone, of the trap whose handler was not left */
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

struct ear_infer_counts {
	uint64_t instructions;                          /* that executed */
	uint64_t writes, writes_shown, writes_inferred; /* of an x or f register; not of x0 */
	uint64_t loads, loads_shown, loads_inferred;    /* their values */
	uint64_t stores, stores_shown, stores_inferred; /* their addresses */
	uint64_t forgotten;   /* times that all that was known became unknown: gaps, records that do
			       * not follow each other, instructions that are not known */
	uint64_t overwritten; /* times that memory became unknown: a store whose address is not
			       * known */
	/* What was known differs from what the trace shows: a device, another program, another hart
	 * wrote to memory. All is unknown then. What was inferred before may be wrong, too. */
	uint64_t contradictions;
	uint64_t first_contradiction; /* index of its record */
	/* Loads that were inferred before a second hart came, which may have written to their
	 * memory all the time, and the index of its first record. */
	uint64_t loads_unshared, shared_from;
	unsigned snapshot; /* enum ear_infer_use */
};

#endif
