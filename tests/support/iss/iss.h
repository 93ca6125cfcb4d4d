#ifndef EAR_ISS_H
#define EAR_ISS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/message.h"
#include "common/protocol/retire.h"
#include "library/check/semantics/semantics.h"

/* An instruction set simulator: a test tool that runs a bare-metal RISC-V program and gives an
 * entry of the retire port (docs/retire-port.md) for every instruction.
 *
 * It is the judge of the predictive codec, so it shares no code with it, nor with
 * decoder/isa. What is judged by whom is in README.md beside this file.
 *
 * Machine: RV32 or RV64, I, Zicsr, Zifencei, and by option M A F D C Zba Zbb Zbs and U mode. The
 * memory map is that of the demo system (hdl/soc/ear_demo_system.v), and one device more:
 *
 *   0x00100000  exit register
 *   0x02000000  CLINT: msip, mtimecmp, mtime
 *   0x10000000  UART: byte +0 sends, byte +5 bit 5 says "ready to send"
 *   0x10010000  packet source (with the option `packets`), see below
 *   0x80000000  memory
 *
 * Conventions of the entries where docs/retire-port.md leaves room; those of the demo core
 * wherever it has the instruction:
 *   - LR has rmask, an AMO both masks, SC that succeeds wmask, SC that fails its address and
 *     neither mask.
 *   - The operands of F and D instructions are not in rs1 and rs2; only an integer operand is.
 *   - With F alone FLEN is 32, with D 64 and a single-precision result is NaN-boxed in
 *     frd_wdata.
 *   - FLD and FSD on RV32 show the low four bytes: a port of XLEN 32 has no room for eight.
 *   - A CSR write lists the CSR that the instruction names. What changes beside it (fflags
 *     in fcsr, mstatus.FS) is not listed.
 *   - wfi retires at once or when an interrupt is pending; the interrupt comes after it.
 *
 * Packet source: writes packets into memory between two instructions, as DMA would. Registers, 32
 * bits wide, on RV64 also reached by 64-bit accesses to the even ones:
 *   +0x00  address of the ring, +0x04 upper half
 *   +0x08  number of slots, a power of two; slots have 256 bytes
 *   +0x0c  1: send; 0: stop. Writing 1 begins with packet 0
 *   +0x10  packets sent so far. Writing anything acknowledges the external interrupt
 *   +0x14  1: raise the external interrupt after each packet
 * Packet n goes to slot n modulo slots. Words: n + 1, count of payload words (1 .. 60), sum of the
 * payload words, then the payload, which is random. Word 0 is written last.
 */

struct ear_iss;

/* Letters of the ISA string that an option can take away. */
#define EAR_ISS_M   EAR_SEMANTICS_M
#define EAR_ISS_A   EAR_SEMANTICS_A
#define EAR_ISS_F   EAR_SEMANTICS_F
#define EAR_ISS_D   EAR_SEMANTICS_D /* needs F */
#define EAR_ISS_C   EAR_SEMANTICS_C
#define EAR_ISS_U   EAR_SEMANTICS_U /* user mode */
#define EAR_ISS_ZBA EAR_SEMANTICS_ZBA
#define EAR_ISS_ZBB EAR_SEMANTICS_ZBB
#define EAR_ISS_ZBS EAR_SEMANTICS_ZBS
#define EAR_ISS_ALL 0x1ffu

#define EAR_ISS_MEMORY_BASE 0x80000000u

struct ear_iss_options {
	unsigned xlen;         /* 32 or 64; 0: that of the program */
	uint32_t extensions;   /* EAR_ISS_* masks */
	uint64_t memory_size;  /* bytes, a multiple of 8 */
	uint64_t seed;         /* of everything random below */
	bool misaligned_traps; /* loads and stores; else they are done. LR, SC, AMO always trap */

	/* mtime grows by time_ticks after every time_interval entries; time_random draws both
	 * anew each time, with these as their mean. mcycle counts in the same way. Not 0. */
	unsigned time_interval, time_ticks;
	bool time_random;

	unsigned uart_busy;  /* how often in 1000 reads the UART is not ready */
	unsigned sc_failure; /* how often in 1000 an SC fails without a reason */
	unsigned packets;    /* mean number of entries between two packets; 0: no such device */

	/* Takes what the program prints. NULL: nobody does. */
	void (*uart)(void *context, uint8_t byte);
	void *context;
};

/* Everything on, 16 MiB, seed 1, misaligned accesses done, regular time, nothing random. */
void ear_iss_options_init(struct ear_iss_options *options);

/* Set xlen and extensions from a string such as "rv32imc" or "rv64imafdcu_zba_zbb_zbs"; a
 * letter u means user mode, g means imafd. Zicsr and Zifencei may be named and are always there.
 * Returns 0, or EAR_E_BAD_ARGUMENT with *options as it was.
 */
int ear_iss_options_isa(struct ear_iss_options *options, const char *isa);

/* Load the ELF file at path and put the hart at its entry point, in M mode, registers zero.
 *
 * Returns 0 and the simulator in *iss, to be freed with ear_iss_free.
 * Returns EAR_E_NO_MEMORY; EAR_E_IO (errno); EAR_E_BAD_FILE if this is no RISC-V program of that
 *         XLEN which fits into the memory; EAR_E_BAD_ARGUMENT for options that contradict.
 */
int ear_iss_new(struct ear_iss **iss, const struct ear_iss_options *options, const char *path);

void ear_iss_free(struct ear_iss *iss);

/* Run to the next entry and put it into *entry; csrs beyond csr_count are not touched.
 * Returns false, with *entry undefined, when the program has ended.
 */
bool ear_iss_step(struct ear_iss *iss, struct ear_retire *entry);

/* As many steps as there is room for in entries[0 .. count-1]. Returns how many were taken; less
 * than count means that the program has ended.
 */
size_t ear_iss_run(struct ear_iss *iss, struct ear_retire *entries, size_t count);

/* One step beside a core that is being checked: what only the world outside decides is as the
 * core saw it. That is: whether an interrupt was taken, what a device was read as, the time and
 * cycle counters, pending interrupts, whether SC succeeded. All else is computed, so *entry
 * differs from *seen where the core went wrong. Returns as ear_iss_step.
 */
bool ear_iss_follow(struct ear_iss *iss, struct ear_retire *entry, const struct ear_retire *seen);

enum ear_iss_end {
	EAR_ISS_RUNS,
	EAR_ISS_EXITED, /* the exit register or tohost was written */
	EAR_ISS_ASLEEP, /* wfi, and nothing that could end it */
};

/* Whether and why the program has ended; *exit_code is set for EXITED and may be NULL. */
enum ear_iss_end ear_iss_ended(const struct ear_iss *iss, int *exit_code);

/* Describe the retire port as a capture unit in raw mode would: xlen, flen, csr_slots, hart 0.
 * Everything else is 0.
 */
void ear_iss_unit(const struct ear_iss *iss, struct ear_unit *unit);

unsigned ear_iss_xlen(const struct ear_iss *iss);

/* The memory at address, or NULL if size bytes from there are not all memory. For a test that
 * plays DMA or another hart: it may write there between two steps. */
uint8_t *ear_iss_memory(struct ear_iss *iss, uint64_t address, uint64_t size);

/* For a test that plays a debugger, between two steps: x0 .. x31 and f0 .. f31, which it may write
 * (but x0); what comes next; a CSR, false if there is none; the mode. */
uint64_t *ear_iss_x(struct ear_iss *iss);
uint64_t *ear_iss_f(struct ear_iss *iss);
uint64_t ear_iss_pc(const struct ear_iss *iss);
void ear_iss_set_pc(struct ear_iss *iss, uint64_t pc);
bool ear_iss_csr(const struct ear_iss *iss, unsigned number, uint64_t *value);
unsigned ear_iss_mode(const struct ear_iss *iss);

/* For a test that runs from a moment more than once: a simulator in the same state, to be freed, or
 * NULL; and a simulator of the same program and memory put into that state. */
struct ear_iss *ear_iss_copy(const struct ear_iss *iss);
void ear_iss_restore(struct ear_iss *iss, const struct ear_iss *from);

#endif
