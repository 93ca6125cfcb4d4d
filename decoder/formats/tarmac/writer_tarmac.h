#ifndef EAR_WRITER_TARMAC_H
#define EAR_WRITER_TARMAC_H

#include "decoder/formats/base/writer.h"

/* QEMU4V and Tarmac (docs/text-formats.md): an instruction's line, its memory lines, its register
 * lines, all with one time.
 *
 * QEMU4V is written in the strict grammar that ISPRAS published, with the cpu of every
 * instruction. Tarmac is what tarmac-trace-utilities read, and only what they use: a register
 * that they do not know is not written. They have one cpu in a file: the first hart that comes
 * is written, or the one that options->hart names, and records of others are left out
 * (ear_writer_lost gives EAR_FIELD_HART for them). For several harts write several files.
 */
struct ear_writer *ear_writer_qemu4v_make(
	struct ear_text_output *output, const struct ear_writer_options *options);
struct ear_writer *ear_writer_tarmac_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* What the writers leave out although the format could carry such things: fields of record
 * (EAR_FIELD_BIT). An access whose value or size is not known, for example. */
uint64_t ear_writer_qemu4v_unfit(const struct ear_record *record);
uint64_t ear_writer_tarmac_unfit(const struct ear_record *record);

/* Names of RISC-V privileges in these formats, "m". */
const char *ear_tarmac_privilege_name(uint8_t privilege);

/* The modes of RISC-V where the privilege is unknown, and in QEMU4V of AArch64 where the mode is
 * not one of its own, "EL1h": they alone show the instruction set. */
#define EAR_TARMAC_RISCV   "riscv"
#define EAR_TARMAC_AARCH64 "aarch64"

/* Is it a mode of AArch64: EL0t, EL1h, ..? */
bool ear_tarmac_is_aarch64_mode(struct ear_text mode);

/* Our own names of events, which carry the traps of RISC-V. */
#define EAR_TARMAC_EXCEPTION "CoreEvent_RiscvException"
#define EAR_TARMAC_INTERRUPT "CoreEvent_RiscvInterrupt"
#define EAR_TARMAC_UNKNOWN   "Unknown" /* at the end of these names: the cause is */

#define EAR_WRITER_QEMU4V_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_SECURITY) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | EAR_FIELD_BIT(EAR_FIELD_LONE_ACCESS) | \
		EAR_FIELD_BIT(EAR_FIELD_LONE_REGISTER) | EAR_FIELD_BIT(EAR_FIELD_SKIPPED) | \
		EAR_FIELD_BIT(EAR_FIELD_OTHER_ISA) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY) | \
		EAR_FIELD_BIT(EAR_FIELD_BUS) | EAR_FIELD_BIT(EAR_FIELD_TAKEN))

#define EAR_WRITER_TARMAC_FIELDS \
	((EAR_WRITER_QEMU4V_FIELDS & \
		 ~(EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | EAR_FIELD_BIT(EAR_FIELD_V_WRITE))) | \
		EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_ABORTED) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_EVENT) | EAR_FIELD_BIT(EAR_FIELD_REGISTER_NOTE) | \
		EAR_FIELD_BIT(EAR_FIELD_UNKNOWN_DIGIT))

#endif
