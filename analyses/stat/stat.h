#ifndef EAR_ANALYSES_STAT_H
#define EAR_ANALYSES_STAT_H

#include <stdint.h>

#include <earshot/instruction.h>

#include "analyses/base/analysis.h"

/* A run in numbers: docs/analyses/stat.md. */
extern const struct ear_analysis ear_stat_analysis;

#define EAR_STAT_CLASSES (EAR_CLASS_VECTOR + 1)
#define EAR_STAT_HARTS   65536u
#define EAR_STAT_MODULUS ((UINT64_C(1) << 61) - 1) /* of hash and power */

struct ear_stat {
	uint64_t records;      /* of instructions, retired or trapped, and of interrupts */
	uint64_t interrupts;   /* taken */
	uint64_t traps;        /* instructions that trapped */
	uint64_t gaps, events; /* records of these kinds */
	uint64_t others;       /* accesses, cycles and changes without an instruction */
	uint64_t missing;      /* records in gaps of known size */
	uint64_t blind;        /* gaps of unknown size */

	/* Of instructions that did not trap, and have an opcode of RISC-V: */
	uint64_t decoded;
	uint64_t classes[EAR_STAT_CLASSES]; /* enum ear_instruction_class */
	uint64_t compressed;                /* of two bytes */
	uint64_t taken, not_taken;          /* branches of which that is known */
	uint64_t unknown_outcomes;          /* branches of which it is not */
	uint64_t bare_loads, bare_stores;   /* without an access */

	uint64_t reads, writes;             /* accesses */
	uint64_t read_bytes, written_bytes; /* of those whose size is known */
	uint64_t timed;                     /* records that have a time */
	uint64_t first_ticks, last_ticks;   /* if timed > 0 */
	uint64_t first_pc, last_pc;         /* if records > 0 */

	/* Of what the instruction records show, in order: equal runs in equal formats have equal
	 * ones. power is what joining takes. */
	uint64_t hash, power;

	uint64_t harts[EAR_STAT_HARTS / 64]; /* set of those that have records */
	uint64_t lacks; /* set of enum ear_stat_lack: what the trace cannot have, by who reads it */
};

enum ear_stat_lack {
	EAR_STAT_NO_TRAPS = 1,
	EAR_STAT_NO_INTERRUPTS = 2,
	EAR_STAT_NO_GAPS = 4,
	EAR_STAT_NO_EVENTS = 8,
	EAR_STAT_UNSURE_INTERRUPTS = 16, /* a trap may be one, unless some are marked */
	EAR_STAT_LACKS_MAX = 31,
};

#define EAR_STAT_NAME_MAX 1024u /* bytes, with the end */

/* Of the analysis; NULL: nothing is lacking, and there is no name. */
struct ear_stat_options {
	uint64_t lacks;
	const char *name; /* of the trace, for its part files; NULL or too long: they have none */
};

/* The numbers of a count, which has them. */
const struct ear_stat *ear_stat_numbers(const void *count);

/* The name of the trace: of the options, or of the first part that was joined. "": none is known.
 */
const char *ear_stat_name(const void *count);

/* The numbers of nothing, and of stat with what comes after it: of several traces. */
void ear_stat_clear(struct ear_stat *stat);
void ear_stat_join(struct ear_stat *stat, const struct ear_stat *next);

unsigned ear_stat_hart_count(const struct ear_stat *stat);

#endif
