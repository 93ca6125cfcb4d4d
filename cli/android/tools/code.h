#ifndef EAR_ANDROID_CODE_H
#define EAR_ANDROID_CODE_H

#include "cli/android/model/trace.h"

#include <stdio.h>

#include "decoder/isa/disassembly.h"

/* The instructions of a block: one entry, or two halfwords. */
struct ear_android_code {
	struct ear_disassembler *disassembler;
	unsigned xlen; /* of RISC-V; 0: ARM */
};

struct ear_android_instruction {
	uint32_t address;
	uint32_t opcode; /* of two halfwords the first one is on top, but for RISC-V */
	uint8_t entries, size;
	enum ear_isa isa;
};

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_android_code_init(struct ear_android_code *code, const struct ear_android_trace *trace);
void ear_android_code_fini(struct ear_android_code *code);

/* The instruction that begins with this entry; one whose second halfword is not in the block has
 * one. */
struct ear_android_instruction ear_android_code_at(
	const struct ear_android_code *code, const struct ear_qtrace_block *block, uint32_t entry);

/* Print its address and opcode: "40000404 f000 f807". */
void ear_android_code_print_opcode(const struct ear_android_instruction *instruction,
	const struct ear_android_code *code, FILE *out);

/* Print its disassembly: the name, a tab, the operands. */
void ear_android_code_print(const struct ear_android_code *code,
	const struct ear_android_instruction *instruction, FILE *out);

#endif
