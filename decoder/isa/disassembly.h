#ifndef EAR_DISASSEMBLY_H
#define EAR_DISASSEMBLY_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

/* The text of an instruction of any instruction set: that of the source, or else RISC-V from our
 * own table (decoder/isa/inst.h), and ARM, Thumb, AArch64 and MIPS through Capstone.
 *
 * Texts are kept in a cache of fixed size. One disassembler serves one thread.
 */
struct ear_disassembler;

#define EAR_DISASSEMBLY_UNKNOWN "<unknown>" /* no instruction, or no opcode */

/* Load Capstone now, since a process that has given up its rights cannot load it any more. Returns
 * false if it is not there: instructions of its sets are then EAR_DISASSEMBLY_UNKNOWN.
 */
bool ear_disassembly_load(void);

/* Returns NULL if memory is short. ear_disassembler_free accepts NULL. */
struct ear_disassembler *ear_disassembler_new(void);
void ear_disassembler_free(struct ear_disassembler *disassembler);

/* The text of an instruction record, with commas: record->extra->disassembly, if present, else from
 * the opcode, and from the pc where a target depends on it. It has no trailing blanks, is never
 * empty, and is valid until the next call.
 */
struct ear_text ear_disassembler_text(
	struct ear_disassembler *disassembler, const struct ear_record *record);

/* The text that a line of a trace gets: that one, but empty if the source has an empty text, which
 * says that it shows none.
 */
struct ear_text ear_disassembler_line_text(
	struct ear_disassembler *disassembler, const struct ear_record *record);

/* For formats that cannot leave an opcode out: an unknown one is written as 0, and this text beside
 * it is none that the opcode 0 has. That of the source is kept for RISC-V; for others it is lost.
 */
struct ear_text ear_disassembler_text_beside(
	struct ear_disassembler *disassembler, const struct ear_record *record);
bool ear_disassembly_is_lost_beside(const struct ear_record *record);

/* Does this text say that the opcode, which is written as 0, is unknown? */
bool ear_disassembly_hides_opcode(enum ear_isa isa, uint64_t opcode, struct ear_text text);

/* The same from the opcode alone. opcode has opcode_size bytes; a Thumb instruction of 4 has its
 * first halfword on top. xlen is for RISC-V.
 */
struct ear_text ear_disassemble(struct ear_disassembler *disassembler, enum ear_isa isa,
	unsigned xlen, uint64_t pc, uint64_t opcode, unsigned opcode_size);

/* Find an instruction set by the name that a user gives: riscv, arm, thumb, thumbee, jazelle,
 * aarch64, mips, mips64. Returns enum ear_isa or EAR_E_BAD_ARGUMENT.
 */
int ear_isa_find(const char *name);

#endif
