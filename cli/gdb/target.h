#ifndef EAR_GDB_TARGET_H
#define EAR_GDB_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/record.h>

/* How GDB sees a hart: its registers and their numbers (GDB manual, "RISC-V Features").
 *
 *   0 .. 31      x0 .. x31
 *   32           pc
 *   33 .. 64     f0 .. f31, always of 64 bits: a program for smaller ones runs there, too
 *   65 .. 4160   CSRs 0 .. 4095
 *   4161         the privilege
 */
#define EAR_GDB_PC    32u
#define EAR_GDB_F0    33u
#define EAR_GDB_CSR0  65u
#define EAR_GDB_PRIV  (EAR_GDB_CSR0 + 4096)
#define EAR_GDB_COUNT (EAR_GDB_PRIV + 1)

/* Bytes of a register as packets have it; 0: there is none with this number. */
unsigned ear_gdb_register_size(unsigned number, unsigned xlen);

/* The class and number of a register, but for pc and privilege: false. */
bool ear_gdb_register_of(unsigned number, enum ear_register_class *reg_class, unsigned *index);

/* The target description, XML with a NUL, to be freed; NULL: no memory. */
char *ear_gdb_target_xml(unsigned xlen, size_t *size);

/* The signal of a trap with this cause, as GDB numbers signals: 4 (ILL), 5 (TRAP), 10 (BUS), 11
 * (SEGV), 12 (SYS); of an interrupt 0. */
unsigned ear_gdb_signal(uint64_t cause, bool is_interrupt);

#endif
