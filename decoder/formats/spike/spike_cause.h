#ifndef EAR_SPIKE_CAUSE_H
#define EAR_SPIKE_CAUSE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/text/text_cursor.h"

/* An interrupt whose cause is unknown, in our own logs. */
#define EAR_SPIKE_INTERRUPT_UNKNOWN "interrupt #?"

/* Causes of exceptions in Spike's words. */

/* "trap_illegal_instruction": the cause of an exception by Spike's name. Negative: none has it. */
int ear_spike_find_cause(struct ear_text name);

/* The same by the name of CVA6's tracer: "ILLEGAL_INSTR". */
int ear_spike_find_cva6_cause(struct ear_text name);

/* Spike's name, or NULL: it then writes "trap #<cause>". */
const char *ear_spike_cause(uint64_t cause);

/* Has an exception of this cause a line with the trap value? */
bool ear_spike_cause_has_value(uint64_t cause);

/* Is it one of a data access, whose trap value is the address? */
bool ear_spike_is_data_cause(uint64_t cause);

/* "trap_illegal_instruction" or "interrupt #7": adds the flag and the cause. Returns false if the
 * interrupt has no number. */
bool ear_spike_take_cause(struct ear_record *record, struct ear_text name);

/* What comes after the name: ", epc 0x..", in some builds also ", mcause 0x.., tval 0x..". digits:
 * of the epc. has: there is a value. Returns false without an epc. */
bool ear_spike_take_pairs(
	struct ear_text_cursor *cursor, uint64_t *epc, size_t *digits, uint64_t *value, bool *has);

#endif
