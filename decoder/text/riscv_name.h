#ifndef EAR_RISCV_NAME_H
#define EAR_RISCV_NAME_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/isa/inst.h"
#include "decoder/text/text_cursor.h"

/* Names of RISC-V registers, traps and instructions as other tools spell them. */

/* ABI name of an integer or floating-point register (number below 32): "a0", "fs1". */
const char *ear_riscv_abi_name(enum ear_register_class reg_class, unsigned number);

/* A register by any name: "x5", "f5", "v5", "t0", "fp", "zero", "ft11". False: none has it. */
bool ear_riscv_find_register(
	struct ear_text name, enum ear_register_class *reg_class, uint16_t *number);

/* A CSR by any name, of Whisper or Spike: "mstatus", "c768_mstatus", "c768", "0x300". False: none
 * has it. */
bool ear_riscv_find_csr(struct ear_text name, uint16_t *number);

/* The cause of an exception by Sail's name, "illegal-instruction". Negative: no such name. */
int ear_riscv_find_sail_cause(struct ear_text name);
int ear_riscv_find_sail_interrupt(struct ear_text name);

/* True if the cause says that the fetch failed, so that no opcode is known. */
bool ear_riscv_is_fetch_cause(uint64_t cause);

#endif
