#ifndef EAR_MOMENT_VIEW_H
#define EAR_MOMENT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The moment, as the caller knows it. Each function returns false for what is not known. */
struct ear_moment_view {
	size_t size; /* sizeof(struct ear_moment_view), filled in by the caller */
	uint64_t pc;
	/* Registers by their DWARF number: for RISC-V 0..31 x0..x31, 32..63 f0..f31, 4096+n CSR n.
	 */
	bool (*read_register)(void *context, unsigned number, uint64_t *value);
	/* size bytes at address; known[i] is 0 for a byte that is not known, else 1. */
	bool (*read_memory)(
		void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size);
	void *context;
	bool has_cfa; /* the canonical frame address, for a frame that is not the innermost one */
	uint64_t cfa;
	/* A register that can hold an address, by its name ("sp", "x2", "mepc"; "pc" is what comes
	 * next): 1 and its value; 0 if that is not known; -1 if there is no such register. NULL:
	 * none has a name. */
	int (*read_named)(void *context, const char *name, uint64_t *value);
};

#endif
