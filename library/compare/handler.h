#ifndef EAR_HANDLER_H
#define EAR_HANDLER_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

/* Which records of a hart are those of interrupt handlers.
 *
 *     ... main | interrupt  handler ... mret | main ...
 *                ^------- belongs ---------^
 *
 * A handler begins with the record of an interrupt (EAR_RECORD_INTERRUPT). Where the source has no
 * such record, it begins with the first instruction that is marked as one (EAR_RECORD_HANDLER), if
 * the record before is neither an interrupt nor a trap and nothing is missing in between. It ends
 * with the xRET that belongs to it: mret, sret or mnret (in debug mode, dret). Each interrupt and
 * each exception inside it takes one xRET more.
 *
 * What is left without an xRET of its own is closed by an outer one: by an xRET to a lower
 * privilege than that of the handler, and by one to the very pc at which the interrupt came. Where
 * neither happens, since all runs in one mode and a kernel switches tasks there, a handler lasts to
 * the next xRET that is left over, or to the end.
 *
 * A handler that returns to another pc than the interrupted one has switched tasks: it ends all the
 * same, and that is counted. A gap ends every handler, for the xRET may lie in it. Interrupts of
 * other instruction sets than RISC-V begin nothing here.
 */

/* Frames of which the return is known; deeper ones are only counted. */
#define EAR_HANDLER_DEPTH_MAX 64

struct ear_handler_statistics {
	uint64_t handlers; /* interrupts, nested ones included */
	uint64_t records;  /* of them all, the records of the interrupts included */
	uint64_t switched; /* returned to another pc than the interrupted one */
	uint64_t cut;      /* ended by a gap */
	uint64_t longest;  /* records of the longest one, with what is nested in it */
	uint64_t open;     /* 1: the last one has not returned yet; of several harts: how many */
};

struct ear_handler_frame {
	uint64_t return_pc; /* of an exception: its instruction, or the one after that */
	bool has_return_pc;
	bool is_exception;
	int8_t rank; /* of the privilege that it runs in; -1 unknown */
};

/* The last outermost handler that has returned elsewhere. */
struct ear_handler_switch {
	uint64_t from, to; /* interrupted pc, and where it went instead */
};

/* All zero is the state before the first record. */
struct ear_handler {
	struct ear_handler_frame frames[EAR_HANDLER_DEPTH_MAX];
	uint64_t depth;
	uint64_t length;     /* records of the outermost handler so far */
	uint64_t next_pc;    /* after the last record, if has_next_pc */
	uint64_t next_index; /* of the record that follows it */
	uint32_t last_flags; /* of the last record */
	bool begun, has_next_pc;
	bool entered;  /* the next record is the first of the innermost frame */
	bool returned; /* the last record was an xRET, of this frame: */
	struct ear_handler_frame returned_frame;
	bool left; /* and ended the outermost handler, which was to go back to: */
	struct ear_handler_frame left_frame;

	bool has_switch; /* by the record pushed last */
	struct ear_handler_switch last_switch;
	struct ear_handler_statistics statistics;
};

/* The next instruction record or gap of the hart. Does it belong to a handler? Never does a gap. */
bool ear_handler_push(struct ear_handler *handler, const struct ear_record *record);

#endif
