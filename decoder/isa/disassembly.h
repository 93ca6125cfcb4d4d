#ifndef EAR_DISASSEMBLY_H
#define EAR_DISASSEMBLY_H

#include <stdint.h>

#include "decoder/record/record.h"

/* The text of an instruction, of any instruction set: what the source says, or else RISC-V from
 * our own table (decoder/isa/inst.h) and ARM, Thumb, AArch64 and MIPS through Capstone.
 *
 * Both take longer than writing a record, and a trace runs in loops: the texts are kept in a
 * cache of fixed size. One disassembler serves one thread.
 */
struct ear_disassembler;

#define EAR_DISASSEMBLY_UNKNOWN "<unknown>" /* an opcode that is no instruction, or not told */

/* NULL if memory is short. To be freed; NULL is fine there. */
struct ear_disassembler *ear_disassembler_new(void);
void ear_disassembler_free(struct ear_disassembler *disassembler);

/* The text of an instruction record, with commas: record->extra->disassembly if it is there, else
 * derived from the opcode, and from the pc where a target depends on it. Trailing blanks of the
 * instruction table's spelling are left out. Valid until the next call; never empty.
 */
struct ear_text ear_disassembler_text(
	struct ear_disassembler *disassembler, const struct ear_record *record);

/* The same from the opcode alone: opcode has opcode_size bytes, of which a Thumb instruction of
 * 4 has the first halfword on top. xlen matters for RISC-V.
 */
struct ear_text ear_disassemble(struct ear_disassembler *disassembler, enum ear_isa isa,
	unsigned xlen, uint64_t pc, uint64_t opcode, unsigned opcode_size);

/* An instruction set by its name as a user gives it: riscv, arm, thumb, thumbee, jazelle, aarch64,
 * mips, mips64. Returns enum ear_isa or EAR_E_BAD_ARGUMENT.
 */
int ear_isa_find(const char *name);

#endif
