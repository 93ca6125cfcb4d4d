#ifndef EAR_RETIRE_H
#define EAR_RETIRE_H

#include <stdbool.h>
#include <stdint.h>

#define EAR_RETIRE_CSRS_MAX 8 /* largest CSR_SLOTS of a retire port */

/* One CSR written by a retire entry: number 0 .. 4095 and its new, full value. */
struct ear_retire_csr {
	uint16_t number;
	uint64_t value;
};

/* One entry of the retire port, signal by signal. docs/retire-port.md.
 *
 * Names are those of RVFI without the prefix; the Earshot additions have their names without
 * "ext_". Values of XLEN bits are in the low bits, the upper bits are zero. A signal that the core
 * lacks is zero.
 */
struct ear_retire {
	uint64_t order;
	uint64_t pc_rdata, pc_wdata;
	uint64_t rs1_rdata, rs2_rdata, rd_wdata;
	uint64_t mem_addr, mem_rdata, mem_wdata;
	uint64_t cause;
	uint64_t frd_wdata;
	uint64_t pc_paddr, mem_paddr;
	uint32_t insn;
	uint8_t xlen; /* 32 or 64 */
	bool trap, halt, intr, irq;
	bool debug, virt;
	uint8_t mode, ixl; /* 2 bits each */
	uint8_t rs1_addr, rs2_addr, rd_addr;
	uint8_t mem_rmask, mem_wmask; /* one bit a byte, XLEN/8 bits */
	bool frd_valid;
	uint8_t frd_addr, fflags; /* 5 bits each */
	uint8_t csr_count;        /* valid slots, 0 .. EAR_RETIRE_CSRS_MAX */
	struct ear_retire_csr
		csrs[EAR_RETIRE_CSRS_MAX]; /* in write order; [csr_count ..] undefined */
};

#endif
