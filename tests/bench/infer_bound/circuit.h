#ifndef EAR_BOUND_CIRCUIT_H
#define EAR_BOUND_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "library/check/semantics/semantics.h"

/* Integer instructions as clauses of a SAT solver. A literal is a variable, or minus a variable. */

#define CIRCUIT_TRUE  1
#define CIRCUIT_FALSE (-1)

struct CCaDiCaL;

struct circuit {
	struct CCaDiCaL *sat;
	int variables;
};

/* A register: its literals from bit 0 on, and the value that it had in the run. */
struct circuit_word {
	int bits[64];
	uint64_t truth;
};

void circuit_init(struct circuit *circuit);
void circuit_fini(struct circuit *circuit);

/* A clause of up to three literals; 0 is none. */
void circuit_clause(struct circuit *circuit, int a, int b, int c);

/* A free bit. Its literal is one that the solver tries first the way that the run did not have. */
int circuit_free(struct circuit *circuit, bool truth);

struct circuit_word circuit_constant(uint64_t value);
struct circuit_word circuit_unknown(struct circuit *circuit, uint64_t truth, unsigned xlen);
bool circuit_is_constant(const struct circuit_word *word);

/* The word is what it was in the run. */
void circuit_fix(struct circuit *circuit, const struct circuit_word *word);

/* A literal: at least one bit is not what it was. Implied by it alone. */
int circuit_differs(struct circuit *circuit, const struct circuit_word *word);

/* a if select, else b; and whether two words are equal. */
int circuit_choose(struct circuit *circuit, int select, int a, int b);
int circuit_equal(
	struct circuit *circuit, const struct circuit_word *a, const struct circuit_word *b);

/* A kind from EAR_SEM_ADD on. Of a kind that is not modelled the operands are fixed. */
struct circuit_word circuit_compute(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen);

/* Whether a branch is taken. */
int circuit_branch(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen);

/* What an atomic operation stores; both operands are sign-extended. */
struct circuit_word circuit_amo(struct circuit *circuit, unsigned function, unsigned size,
	const struct circuit_word *old, const struct circuit_word *operand);

/* The value of the word in the model of the solver. */
uint64_t circuit_value(const struct circuit *circuit, const struct circuit_word *word);

struct circuit_word circuit_extend(const struct circuit_word *word, unsigned bits, bool sign);

#endif
