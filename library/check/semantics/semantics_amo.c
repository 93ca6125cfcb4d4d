/* Atomic operations: RISC-V unprivileged specification, chapter "A". */
#include "library/check/semantics/semantics.h"

uint64_t ear_semantics_amo(unsigned function, unsigned size, uint64_t old, uint64_t operand)
{
	int64_t a = size == 4 ? (int32_t)old : (int64_t)old;
	int64_t b = size == 4 ? (int32_t)operand : (int64_t)operand;
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	/* Words are compared with their signs extended: that keeps the order of unsigned ones. */
	switch (function) {
	case 0x00: return ua + ub;
	case 0x01: return ub;
	case 0x04: return ua ^ ub;
	case 0x08: return ua | ub;
	case 0x0c: return ua & ub;
	case 0x10: return a < b ? ua : ub;
	case 0x14: return a > b ? ua : ub;
	case 0x18: return ua < ub ? ua : ub;
	default: return ua > ub ? ua : ub; /* 0x1c */
	}
}
