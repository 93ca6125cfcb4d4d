#ifndef EAR_ANALYSES_WAVES_H
#define EAR_ANALYSES_WAVES_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/moment.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/base/byte_output.h"

/* A run as waves: registers, pc, function and accesses of each hart over time, as a value change
 * dump (VCD, IEEE 1364, clause 18). docs/analyses/timeline.md says what is in it.
 *
 * A dump declares its variables at its beginning, so the records are read twice:
 *
 *     ear_waves_new(&waves, names);
 *     while (...) ear_waves_look(waves, &batch);
 *     ear_waves_begin(waves, &output);
 *     while (...) ear_waves_batch(waves, &batch);
 *     ear_waves_finish(waves);
 *     ear_waves_free(waves);
 *
 * Memory depends on the number of harts and registers alone.
 */
struct ear_waves;

#define EAR_WAVES_HARTS_MAX    1024u
#define EAR_WAVES_NAMED_MAX    512u /* registers of a hart that are known by name only */
#define EAR_WAVES_ACCESSES_MAX 8u   /* accesses of one record */

/* names NULL: there are none; they must stay. Returns 0 and *waves, or EAR_E_NO_MEMORY. */
int ear_waves_new(struct ear_waves **waves, struct ear_names *names);
void ear_waves_free(struct ear_waves *waves); /* NULL is fine */

/* Which variables there are. Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL: too many harts. */
int ear_waves_look(struct ear_waves *waves, const struct ear_batch *batch);

/* All was looked at: write the declarations. output must stay. */
void ear_waves_begin(struct ear_waves *waves, struct ear_byte_output *output);

/* After that, if the first batch is not at the begin of the trace: registers have from their first
 * record on what they have at this moment, which is right before it. */
void ear_waves_start(struct ear_waves *waves, const struct ear_moment *moment);

/* The same records again. Returns 0 or the error of the output. */
int ear_waves_batch(struct ear_waves *waves, const struct ear_batch *batch);

/* Writes the rest. Returns 0 or the error of the output. */
int ear_waves_finish(struct ear_waves *waves);

struct ear_waves_result {
	bool has_time;      /* time is that of the records, else their numbers */
	uint64_t records;   /* of instructions and interrupts */
	uint64_t backwards; /* records whose time is before that of the one before */
	uint64_t left_out;  /* accesses and registers that have no variable */
};

struct ear_waves_result ear_waves_result(const struct ear_waves *waves);

#endif
