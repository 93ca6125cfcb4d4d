#ifndef EAR_COVERAGE_ISA_SECTION_H
#define EAR_COVERAGE_ISA_SECTION_H

#include <stdbool.h>
#include <stddef.h>

#include <earshot/instruction.h>

/* Where the RISC-V ISA manual defines what a bin is of: its volume, and the title of the section as
 * the release riscv-isa-release-1d472b8-2026-08-22 has it, with the chapter before it where titles
 * are not unique: "I: Zca, Control Transfer Instructions". tests/data/isa-sections.txt has them
 * all.
 */
#define ISA_SECTION_MAX 96

/* extension: enum ear_inst_extension. */
void isa_section_of(char section[ISA_SECTION_MAX], const struct ear_instruction *instruction,
	unsigned extension);

/* Of a CSR by its number. Static. */
const char *isa_section_of_csr(unsigned number, bool is_named);

#define ISA_SECTION_CAUSE     "II: Machine Cause (mcause) Register"
#define ISA_SECTION_PRIVILEGE "II: Privilege Levels"
#define ISA_SECTION_DEBUG     "II: Debug Mode"
#define ISA_SECTION_ROUNDING  "I: F, Floating-Point Control and Status Register"
#define ISA_SECTION_PLACE     "I: Base Instruction-Length Encoding"
#define ISA_SECTION_SEW       "I: Base Vector Architecture, Vector Selected Element Width (vsew)"
#define ISA_SECTION_LMUL      "I: Base Vector Architecture, Vector Register Grouping (vlmul)"
#define ISA_SECTION_MASK      "I: Base Vector Architecture, Vector Masking"

#endif
