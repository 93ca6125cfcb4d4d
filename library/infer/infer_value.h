#ifndef EAR_INFER_VALUE_H
#define EAR_INFER_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "library/check/semantics/semantics.h"

/* A value of which each bit is known or not. Registers have XLEN bits, the bits above are known to
 * be 0. */
struct infer_value {
	uint64_t value; /* 0 where not known */
	uint64_t known; /* a bit for each bit */
};

static inline struct infer_value infer_exactly(uint64_t value)
{
	return (struct infer_value){value, UINT64_MAX};
}

static inline bool infer_is_known(struct infer_value value)
{
	return value.known == UINT64_MAX;
}

/* Do the two differ in a bit that both know? */
static inline bool infer_differs(struct infer_value a, struct infer_value b)
{
	return ((a.value ^ b.value) & a.known & b.known) != 0;
}

/* A byte of a value; nothing is known of the bits above it. */
static inline struct infer_value infer_byte(struct infer_value value, unsigned at)
{
	return (struct infer_value){value.value >> 8 * at & 0xff, value.known >> 8 * at & 0xff};
}

/* What either knows. The two do not differ. */
static inline struct infer_value infer_join(struct infer_value a, struct infer_value b)
{
	return (struct infer_value){a.value | b.value, a.known | b.known};
}

/* The number-th of the values that have the known bits, and any others in those of missing. */
uint64_t infer_choose(struct infer_value value, uint64_t missing, unsigned number);

/* What values that were tried have in common: all zero before the first one. */
struct infer_tried {
	uint64_t ones, zeros; /* bits that are so in one of them */
};

void infer_try(struct infer_tried *tried, struct infer_value value);
struct infer_value infer_tried(const struct infer_tried *tried);

/* The low bits of a register: those above are 0 on RV32. */
struct infer_value infer_to_xlen(struct infer_value value, unsigned xlen);

/* The low bits, 8 to 64, with the sign or with zeros. */
struct infer_value infer_sign_extend(struct infer_value value, unsigned bits);
struct infer_value infer_zero_extend(struct infer_value value, unsigned bits);

struct infer_value infer_add(struct infer_value a, struct infer_value b);

/* An operation on x registers, a kind from EAR_SEM_ADD on. same: both operands are one register. */
struct infer_value infer_compute(enum ear_semantics_kind kind, struct infer_value a,
	struct infer_value b, bool same, unsigned xlen);

#endif
