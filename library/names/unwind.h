#ifndef EAR_UNWIND_H
#define EAR_UNWIND_H

#include <earshot/moment_view.h>
#include <earshot/names.h>

/* How to find the caller of the function at a pc, from .debug_frame or .eh_frame. */

enum ear_unwind_rule {
	EAR_UNWIND_UNDEFINED,  /* not to be found out */
	EAR_UNWIND_SAME,       /* not changed by the function so far; also the return address of
				* the outermost frame: who walks stops where nothing changes */
	EAR_UNWIND_AT_CFA,     /* in memory at CFA + offset */
	EAR_UNWIND_CFA_PLUS,   /* CFA + offset itself */
	EAR_UNWIND_REGISTER,   /* in register number + offset */
	EAR_UNWIND_EXPRESSION, /* something else: ear_unwind_step runs it */
};

#define EAR_UNWIND_REGISTERS 32 /* the integer registers of RISC-V */

struct ear_unwind_place {
	enum ear_unwind_rule rule;
	unsigned number; /* REGISTER */
	int64_t offset;
};

struct ear_unwind_row {
	uint64_t first, last;        /* addresses that this row is for */
	struct ear_unwind_place cfa; /* REGISTER or EXPRESSION */
	unsigned ra_register;        /* which register has the return address: 1 */
	bool is_signal_frame;        /* the pc is not behind a call */
	struct ear_unwind_place registers[EAR_UNWIND_REGISTERS];
};

/* The row for a pc. EAR_E_UNSUPPORTED: there is none. Asks the helper; the last rows are kept. */
int ear_unwind_row(struct ear_names *names, uint64_t pc, struct ear_unwind_row *row);

/* One step outward: from the registers of moment to those of the caller. moment->pc of a frame that
 * has called another one is the return address - 1. registers[i] is valid if
 * known[i]; registers[ra_register] is the return address. *cfa is the frame's.
 * Returns 0, EAR_E_UNSUPPORTED (no row), or EAR_E_MORE if the CFA cannot be computed from what is
 * known.
 */
int ear_unwind_step(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa,
	uint64_t registers[EAR_UNWIND_REGISTERS], bool known[EAR_UNWIND_REGISTERS],
	unsigned *ra_register);

/* The frame's canonical address alone. Returns as ear_unwind_step. */
int ear_unwind_cfa(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa);

#endif
