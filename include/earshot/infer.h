#ifndef EAR_INFER_H
#define EAR_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>
#include <earshot/search.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Inferred values: what a trace of RISC-V does not have and what follows from it (docs/infer.md).
 * A branch trace and many logs say which instructions ran, and no value. With the program that ran
 * most values follow, and those that are given are certain, under the suppositions of
 * docs/infer.md.
 *
 *     struct ear_infer_options options = {.size = sizeof(options), .names = names, .reset = true};
 *
 *     ear_trace_open(&trace, "run.ntrace", &opening);
 *     ear_trace_infer(trace, &options);
 *     while (ear_trace_next(trace, &record) == 1)
 *             if (record->extra && record->extra->inferred)
 *                     ... what follows for this record
 *
 * No value that is inferred is in the registers or the memory of these records: that is what the
 * trace has.
 */
struct ear_trace;
struct ear_moment;
struct ear_names;

struct ear_infer_options {
	size_t size; /* sizeof(struct ear_infer_options) */

	/* The programs (names.h): their constants, and where memory is. NULL: none is known. Used
	 * by ear_trace_infer only. */
	struct ear_names *names;
	/* Memory that no program has, such as a stack. What is not memory is never known; nor are
	 * the devices of struct ear_trace_options. */
	const struct ear_span *ram;
	size_t ram_count;
	bool reset;  /* the trace begins where the programs were just loaded: data are as in them */
	bool shared; /* something else than the traced harts writes to memory */
	bool traps;  /* the trace shows each trap and each interrupt; where its format says so, it
		      * need not be given */
	/* A core dump (ELF) that was made where the trace ends; NULL: there is none. */
	const char *core;
};

/* Infer values of this trace from now on. No record may have been read so far. The records that
 * ear_trace_next and its batches give have what was inferred in extra->inferred; they come up to
 * 24576 records later than the file has them.
 *
 * Moments (moment.h), histories, searches, why and value chains know what follows, too. Records
 * that these hand out have it among their registers and accesses; extra->inferred says which of
 * them it is, and ear_moment_inferred which registers of a moment. Bytes of memory that a moment
 * knows only so are EAR_BYTE_INFERRED. ear_moment_record has what the trace has.
 *
 * There is no index then: a moment or a place costs reading from the beginning.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT (the size, or a record was read); EAR_E_FULL (programs or a core
 * that are too large); EAR_E_BAD_FILE (no core, or damaged); EAR_E_IO (errno); EAR_E_NO_MEMORY. On
 * an error nothing is inferred. ear_trace_error has the sentence.
 */
int ear_trace_infer(struct ear_trace *trace, const struct ear_infer_options *options);

/* What came of a core dump. */
enum ear_infer_core_use {
	EAR_INFER_CORE_UNUSED, /* it is not of the end of the trace, or that was not read yet */
	EAR_INFER_CORE_AT_END,
	EAR_INFER_CORE_AT_TRAP, /* registers alone, of the trap whose handler was not left */
};

struct ear_infer_counts {
	size_t size;                                    /* sizeof(struct ear_infer_counts) */
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
	unsigned core; /* enum ear_infer_core_use */
};

/* What was inferred of the records that ear_trace_next gave, since the beginning of the trace.
 * Returns 0; EAR_E_BAD_ARGUMENT: the size, or nothing is inferred. */
int ear_trace_infer_counts(const struct ear_trace *trace, struct ear_infer_counts *counts);

/* Is what ear_moment_register gives for this register inferred? Then the trace itself does not say
 * it. False also where the value is not known. */
bool ear_moment_inferred(struct ear_moment *moment, uint16_t hart,
	enum ear_register_class reg_class, unsigned number);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
