#define XLEN 64
#include "library/check/semantics/semantics_compute.h"

uint64_t ear_semantics_compute_64(enum ear_semantics_kind kind, uint64_t a, uint64_t b)
{
	return compute(kind, (word)a, (word)b);
}
