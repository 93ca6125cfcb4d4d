#ifndef EAR_SPIKE_XLEN_H
#define EAR_SPIKE_XLEN_H

#include <stdbool.h>
#include <stddef.h>

/* 32, if the beginning of a log has pcs of 16 digits and is of RV32, as of CVA6 and of Spike until
 * 2021; else 0. guessed: only the extended sign of the pcs says so. */
unsigned ear_spike_xlen(const char *bytes, size_t size, bool *guessed);

#endif
