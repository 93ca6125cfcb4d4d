#ifndef EAR_TESTS_GUEST_H
#define EAR_TESTS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A program for QEMU's user mode, written instruction by instruction: code at GUEST_CODE, data
 * behind it at GUEST_DATA, then zeroed memory. All of it is below 2^31, so that lui and addi give
 * any address on RV64 as well.
 */
#define GUEST_CODE      0x01000000u
#define GUEST_CODE_SIZE 0x02000000u
#define GUEST_DATA      0x04000000u

struct guest {
	unsigned xlen;
	uint8_t *code;
	size_t code_size; /* what is written so far */
	const uint8_t *data;
	size_t data_size, zero_size;
};

/* Returns false if there is no memory. guest_free in any case. */
bool guest_init(struct guest *guest, unsigned xlen);
void guest_free(struct guest *guest);

/* The address of the next instruction. */
uint32_t guest_pc(const struct guest *guest);

/* Append an instruction; its low bits tell whether it has 2 or 4 bytes. */
void guest_emit(struct guest *guest, uint32_t insn);
/* Put one elsewhere. */
void guest_place(struct guest *guest, uint32_t address, uint32_t insn);

/* Instructions of the harness around what is tested. */
uint32_t guest_i(uint32_t opcode, unsigned funct3, unsigned rd, unsigned rs1, int32_t imm);
uint32_t guest_r(uint32_t match, unsigned rd, unsigned rs1, unsigned rs2);
uint32_t guest_s(uint32_t opcode, unsigned funct3, unsigned rs1, unsigned rs2, int32_t imm);
/* x[rd] = value; value below 2^31. */
void guest_load_address(struct guest *guest, unsigned rd, uint32_t value);
/* A jump back to a loop's start while x[a] != x[b]. */
void guest_loop(struct guest *guest, uint32_t start, unsigned a, unsigned b);
/* Write memory to standard output. Takes x10, x11, x12 and x17. */
void guest_write(struct guest *guest, uint32_t address, uint32_t size);
void guest_exit(struct guest *guest);

/* Run it: *output is what it writes. Returns the process, or a negative value, with what is wrong
 * in errno. The caller closes *output and waits. */
int guest_run(const struct guest *guest, const char *qemu, const char *cpu, FILE **output);

#endif
