#ifndef EAR_ANALYSES_INTERRUPTS_H
#define EAR_ANALYSES_INTERRUPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#include "analyses/base/analysis.h"
#include "analyses/calls/call_sum.h"

/* How long handlers take to begin and to end, by cause, and how long interrupts are disabled.
 * docs/analyses/calls.md, section 4.
 *
 *     ear_interrupts_new(&interrupts, NULL);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_interrupts_batch(interrupts, &batch);
 *     ear_interrupts_finish(interrupts);
 *     ... ear_interrupts_cause, ear_interrupts_section
 *     ear_interrupts_free(interrupts);
 *
 * Needs no names. Memory is flat.
 */
struct ear_interrupts;

/* All of that for the runner; its options are the name of an event, or NULL. */
extern const struct ear_analysis ear_interrupts_analysis;

#define EAR_INTERRUPTS_CAUSES   128 /* others are counted together, without a code */
#define EAR_INTERRUPTS_NESTED   64  /* handlers of a hart that are followed at a time */
#define EAR_INTERRUPTS_SECTIONS 32  /* the longest that are kept */

struct ear_interrupt_cause {
	bool is_interrupt; /* else an exception */
	bool has_code;     /* the trace says which */
	uint64_t code;     /* without the interrupt bit */
	uint64_t count;    /* how often it was taken */
	/* Clocks from its record to the first instruction of the handler; from the last event that
	 * was asked for to that instruction. */
	struct ear_durations entry, since_event;
	struct ear_durations records, clocks; /* from its record to the xRET that ends it */
};

/* Interrupts that the hart's own privilege can disable, by MIE in M and by SIE in S, were off. */
struct ear_interrupt_section {
	uint16_t hart;
	bool by_trap; /* what disabled them took a trap or an interrupt; else it wrote a
		       * CSR, or returned */
	bool has_clocks;
	uint64_t first, last; /* numbers: of the instruction that disabled, that enabled them */
	uint64_t first_pc, last_pc;
	uint64_t records, clocks; /* from the one to the other */
};

/* event: name of the events of since_event, as ear_query_event takes it; NULL: none. It must stay.
 * Returns 0 and *interrupts; EAR_E_NO_MEMORY, EAR_E_BAD_ARGUMENT (event). */
int ear_interrupts_new(struct ear_interrupts **interrupts, const char *event);
void ear_interrupts_free(struct ear_interrupts *interrupts); /* NULL is fine */

/* Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL: more than 1024 harts. */
int ear_interrupts_batch(struct ear_interrupts *interrupts, const struct ear_batch *batch);

/* Parts. A new one becomes a part: something may come before its first batch. After its last one it
 * ends. Then it follows what interrupts, a new one, has of the parts before it, and is to be freed.
 * Memory of a part grows with its traps and SYSTEM instructions. Return 0, EAR_E_NO_MEMORY; the
 * second one EAR_E_FULL, too, and EAR_E_BAD_FILE: what it was read from is wrong. */
void ear_interrupts_open(struct ear_interrupts *part);
int ear_interrupts_end(struct ear_interrupts *part);
int ear_interrupts_join(struct ear_interrupts *interrupts, struct ear_interrupts *part);

/* No more batches come: answers are put in order. */
void ear_interrupts_finish(struct ear_interrupts *interrupts);

/* In order: interrupts first, then by code. */
size_t ear_interrupts_cause_count(const struct ear_interrupts *interrupts);
const struct ear_interrupt_cause *ear_interrupts_cause(
	const struct ear_interrupts *interrupts, size_t cause);

/* The longest sections that ended, the longest first: by clocks where they have them. */
size_t ear_interrupts_section_count(const struct ear_interrupts *interrupts);
const struct ear_interrupt_section *ear_interrupts_section(
	const struct ear_interrupts *interrupts, size_t section);

struct ear_interrupts_facts {
	uint64_t records, gaps;
	bool known; /* whether interrupts are enabled was known somewhere */
	struct ear_durations section_records, section_clocks; /* of all sections */
};

const struct ear_interrupts_facts *ear_interrupts_facts(const struct ear_interrupts *interrupts);

#endif
