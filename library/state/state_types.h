#ifndef EAR_STATE_TYPES_H
#define EAR_STATE_TYPES_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types of state.h, which says what they are for. */
struct ear_state;

#define EAR_STATE_HARTS_MAX  1024 /* harts seen in one trace */
#define EAR_STATE_VECTOR_MAX 8192 /* bytes of a vector register (VLEN 65536) */
#define EAR_STATE_NAMES_MAX  256  /* registers of other instruction sets, by hart */

/* What is special about the source of the records. Without this call, the records are taken to be
 * complete but for gap records. With it, registers of a hart become unknown also where its index
 * jumps (a filter suppressed records), where it continues elsewhere than the record before went,
 * after a time in debug mode, and where XLEN changes.
 */
struct ear_state_source {
	bool captured;     /* from the retire port: indexes are exact, the program counter shows
			    * only interrupts and traps that have no record */
	bool shows_fflags; /* a record shows which flags were raised; else they are open after
			    * arithmetic whose record lists no fflags */
};

#endif
