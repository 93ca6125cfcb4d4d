#ifndef EAR_PLANTED_H
#define EAR_PLANTED_H

/* Bugs for a copy of the predictor that a test compiles for itself: this folder stands before the
 * tree in its include path, and decoder/predict/checker.h in here goes around the true one. */
enum planted_bug {
	PLANTED_NONE,
	PLANTED_ADD,    /* the carry into bit 16 is lost */
	PLANTED_SUB,    /* one too low if the operands are equal */
	PLANTED_SLT,    /* compares without signs */
	PLANTED_SRA,    /* brings in zeros */
	PLANTED_ADDW,   /* does not extend the sign */
	PLANTED_CPOP,   /* does not count the lowest bit */
	PLANTED_SH2ADD, /* shifts by one */
	PLANTED_MULH,   /* takes negative operands for positive ones */
	PLANTED_DIV,    /* by zero gives 0 */
	PLANTED_REM,    /* gives the quotient's sign */
	PLANTED_AUIPC,  /* from the next instruction */
	PLANTED_JAL,    /* links to itself */
	PLANTED_JALR,   /* goes two bytes on */
	PLANTED_BLT,    /* compares without signs */
	PLANTED_LB,     /* does not extend the sign */
	PLANTED_AMO,    /* minimum for maximum */
	PLANTED_COUNT
};

/* The one that is in effect. */
extern enum planted_bug planted_bug;

#endif
