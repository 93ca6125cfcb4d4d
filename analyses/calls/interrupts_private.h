#ifndef EAR_ANALYSES_INTERRUPTS_PRIVATE_H
#define EAR_ANALYSES_INTERRUPTS_PRIVATE_H

#include <earshot/search.h>

#include "analyses/base/rows.h"
#include "analyses/calls/interrupts.h"

/* What following (interrupts.c) and parts (interrupts_part.c) share. */

#define CSR_SSTATUS 0x100u
#define CSR_MSTATUS 0x300u

/* Bits of mstatus that matter; SIE and SPIE are also those of sstatus. */
enum ear_interrupts_bit { SIE, MIE, SPIE, MPIE, BITS };

struct ear_interrupts_handler {
	uint32_t cause; /* among causes */
	uint64_t records, ticks;
	bool timed;
};

struct ear_interrupts_moment {
	uint64_t number, pc, ticks, records;
	bool timed;
};

struct ear_interrupts_hart {
	uint16_t number;
	uint8_t privilege;
	bool begun;
	bool changed;      /* what is enabled may have changed */
	bool trapped;      /* and the bits are to follow it */
	bool awaited;      /* the handler of the newest trap has not begun */
	bool by_trap;      /* the newest change */
	int8_t bits[BITS]; /* 0, 1; -1: not known */
	struct ear_interrupts_moment last;
	struct ear_interrupts_moment disabled; /* if off: what disabled them */
	bool off, off_by_trap;
	uint32_t x_known;
	uint64_t x[32];
	struct ear_interrupts_handler handlers[EAR_INTERRUPTS_NESTED];
	uint32_t depth;
	uint64_t base;           /* of who joins: last.records before the part, or 0 after a gap */
	bool reported, followed; /* of a part: the newest record has a row; the next one gets one */
};

struct ear_interrupts {
	const char *event; /* that was asked for; NULL: none */
	bool has_query;
	struct ear_query query; /* the event that is asked for */
	struct ear_interrupts_facts facts;
	struct ear_interrupts_hart **harts;
	size_t hart_count, newest;
	struct ear_interrupt_cause causes[EAR_INTERRUPTS_CAUSES];
	size_t cause_count;
	struct ear_interrupt_section sections[EAR_INTERRUPTS_SECTIONS];
	size_t section_count;
	bool has_event; /* since the last interrupt */
	uint64_t event_ticks;
	/* Of a part: it becomes rows. NULL: it is the whole, followed here. */
	int (*take_batch)(struct ear_interrupts *interrupts, const struct ear_batch *batch);
	struct ear_rows rows; /* of a part: what happened in it */
};

/* Nothing is known of the hart. */
void ear_interrupts_forget(struct ear_interrupts_hart *hart);

/* The hart with a number, which is made if need be. Returns 0, EAR_E_NO_MEMORY or EAR_E_FULL. */
int ear_interrupts_hart_of(
	struct ear_interrupts *interrupts, uint16_t number, struct ear_interrupts_hart **found);

/* An instruction or interrupt with its number; a gap, or another record. */
void ear_interrupts_take(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record, uint64_t number);
void ear_interrupts_take_other(struct ear_interrupts *interrupts, const struct ear_record *record);

/* Is it one that is asked for, with a time? */
bool ear_interrupts_is_event(
	const struct ear_interrupts *interrupts, const struct ear_record *record);

#endif
