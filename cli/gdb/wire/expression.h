#ifndef EAR_GDB_EXPRESSION_H
#define EAR_GDB_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Agent expressions: the bytecode into which GDB compiles the condition of a breakpoint, so that it
 * is evaluated here and not by a packet for each hit (GDB manual, "The GDB Agent Expression
 * Mechanism"). The code is the client's and not trusted: it takes so many steps at most, and so
 * deep a stack.
 */
#define EAR_GDB_EXPRESSION_STACK 100u
#define EAR_GDB_EXPRESSION_STEPS 10000u

/* What it reads. Each returns false for what is not known, or does not exist. */
struct ear_gdb_readers {
	bool (*read_register)(void *context, unsigned number, uint64_t *value); /* of target.h */
	bool (*read_memory)(void *context, uint64_t address, uint8_t *bytes, size_t size);
	void *context;
};

enum ear_gdb_value {
	EAR_GDB_VALUE,        /* *value is it */
	EAR_GDB_NO_REGISTER,  /* *value is the number of one that is not known */
	EAR_GDB_NO_MEMORY,    /* *value is the address of a byte that is not known */
	EAR_GDB_DIVIDED_BY_0, /* and in what follows *value is the offset in the code */
	EAR_GDB_BAD_CODE,     /* of an instruction that is none, is cut, or jumps to nowhere */
	EAR_GDB_TOO_LONG,     /* steps or stack */
};

enum ear_gdb_value ear_gdb_evaluate(
	const uint8_t *code, size_t size, const struct ear_gdb_readers *readers, uint64_t *value);

#endif
