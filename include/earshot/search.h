#ifndef EAR_SEARCH_H
#define EAR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Search: which record, before or after a position, is the next one that meets conditions.
 *
 *     struct ear_span code = {0x80000100, 0x800001ff};
 *     struct ear_query query = EAR_QUERY_ANY;
 *     uint64_t position;
 *
 *     query.pcs = &code;
 *     query.pc_count = 1;
 *     if (ear_trace_find(trace, &query, from, EAR_FORWARD, &position, NULL) == 1)
 *             ear_trace_seek(trace, position, NULL);
 *
 * With an index (index.h) a search for pc, addresses, registers, traps, privileges, events, gaps or
 * times opens the parts of the trace in which it can be, and no others. A search by a value, an
 * opcode, a hart or an event's value alone reads the trace at decoding speed; beside one of the
 * others it is free.
 */
struct ear_trace;
struct ear_progress;

/* Addresses, both ends included. */
struct ear_span {
	uint64_t first, last;
};

/* Sets of struct ear_query. */
enum {
	EAR_QUERY_READ = 1 << 0,
	EAR_QUERY_WRITE = 1 << 1,

	EAR_QUERY_EXCEPTION = 1 << 0,
	EAR_QUERY_INTERRUPT = 1 << 1,
};

/* Conditions on a record; all that are set must hold. One on something that the record does not
 * have, or does not know, does not hold. Begin with EAR_QUERY_ANY, which every record meets.
 */
struct ear_query {
	size_t size; /* sizeof(struct ear_query) */

	int hart;       /* -1: any */
	unsigned kinds; /* set of 1 << enum ear_record_kind; 0: any */

	/* An instruction whose pc is in one of the spans, or an interrupt taken there; pc_count 0:
	 * any. */
	const struct ear_span *pcs;
	size_t pc_count;

	/* (opcode & opcode_mask) == opcode_value; opcode_mask 0: any. */
	uint64_t opcode_value, opcode_mask;

	/* An access that touches a byte of one of the spans, and is of one of the kinds in accesses
	 * (set of EAR_QUERY_READ and _WRITE; 0: either), and, with has_data, whose value is data in
	 * the bits of data_mask. accesses alone, or has_data alone, is a condition, too. An access
	 * that a mask switched off is none. */
	const struct ear_span *addresses;
	size_t address_count;
	unsigned accesses;
	bool has_data;
	uint64_t data, data_mask;

	/* A write of this register, with this value if has_value. */
	bool has_register, has_value;
	uint8_t register_class;        /* enum ear_register_class */
	uint16_t register_number;      /* not for NAMED */
	struct ear_text register_name; /* NAMED */
	uint64_t register_value;       /* not for V */

	/* Set of 1 << enum ear_privilege in which the instruction was executed; 0: any. */
	unsigned privileges;

	/* Its privilege is not the one of the hart's instruction before it. After a gap, and at
	 * the beginning, that one is not known: no change. */
	bool privilege_change;

	/* The instruction trapped, or an interrupt was taken: set of EAR_QUERY_EXCEPTION and
	 * _INTERRUPT; 0: any record. With has_cause its cause, without the interrupt bit; has_cause
	 * alone: of either. */
	unsigned traps;
	bool has_cause;
	uint64_t cause;

	/* An event of this source (EAR_EVENT_*) or with this name
	 * (names of text formats; "switch" also names all events "switch PID",
	 * docs/android.md, section 6), either if both are set; and with this value. Any event:
	 * kinds.
	 */
	bool has_event_source, has_event_value;
	uint8_t event_source;
	struct ear_text event_name; /* text NULL: any */
	uint32_t event_value;

	/* Its time is known, and in first_ticks .. last_ticks. */
	bool has_ticks;
	uint64_t first_ticks, last_ticks;
};

#define EAR_QUERY_ANY \
	{ \
		.size = sizeof(struct ear_query), .hart = -1 \
	}

enum ear_direction { EAR_FORWARD, EAR_BACKWARD };

/* EAR_FORWARD: the first record at position from or after it that meets the query. EAR_BACKWARD:
 * the last one before position from. So at the moment from (moment.h) they are what comes next, and
 * what came last. from beyond the end is the end.
 *
 * The place at which ear_trace_next reads does not change. Reading at the position found, or
 * searching on from it, is quick.
 *
 * A trace that cannot be read at any offset (a pipe) can be searched forward only, from the record
 * that would be read next, and that search reads it.
 *
 * Returns 1 and *position; 0 if there is none, *position is untouched.
 * Returns EAR_E_BAD_ARGUMENT (a query that cannot be, or no direction), EAR_E_CANCELLED,
 *         EAR_E_UNSUPPORTED (a pipe), or an error of ear_trace_next; ear_trace_error has the
 * sentence.
 */
int ear_trace_find(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, uint64_t *position, const struct ear_progress *progress);

/* A record that was found. The record is valid until the function returns. Returns 0 to go on; any
 * other value ends the search, which returns it. It must not use the trace.
 */
typedef int ear_found(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number);

/* All records of positions from .. to - 1 that meet the query, in order; to UINT64_MAX: to the end.
 * Returns 0; what found returned if that is not 0; else as ear_trace_find.
 */
int ear_trace_find_all(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	uint64_t to, ear_found *found, void *context, const struct ear_progress *progress);

/* How many those are. Returns 0 and *count, or as ear_trace_find. */
int ear_trace_count_found(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	uint64_t to, uint64_t *count, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
