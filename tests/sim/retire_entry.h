/* One entry of the demo system's retire port, copied out of the simulation. */
#ifndef EAR_TEST_RETIRE_ENTRY_H
#define EAR_TEST_RETIRE_ENTRY_H

#include <cstdint>

#define EAR_CSR_SLOTS 5

struct retire_entry {
	uint64_t order;
	uint32_t insn;
	bool trap, intr, irq;
	uint32_t cause;
	uint32_t pc, pc_next;
	uint8_t rs1, rs2, rd;
	uint32_t rs1_value, rs2_value, rd_value;
	uint32_t mem_address, mem_read_value, mem_write_value;
	uint8_t mem_read_mask, mem_write_mask;
	unsigned csr_count;
	uint16_t csr_number[EAR_CSR_SLOTS];
	uint32_t csr_value[EAR_CSR_SLOTS];
	bool csr_in_order; /* the valid slots are the lowest ones */
};

/* Fill *entry from the ports of a Verilated top whose retire port has the demo system's names. */
template <typename Top> void retire_entry_take(struct retire_entry *entry, const Top &top)
{
	entry->order = top.rvfi_order_o;
	entry->insn = top.rvfi_insn_o;
	entry->trap = top.rvfi_trap_o;
	entry->intr = top.rvfi_intr_o;
	entry->irq = top.rvfi_ext_irq_o;
	entry->cause = top.rvfi_ext_cause_o;
	entry->pc = top.rvfi_pc_rdata_o;
	entry->pc_next = top.rvfi_pc_wdata_o;
	entry->rs1 = top.rvfi_rs1_addr_o;
	entry->rs2 = top.rvfi_rs2_addr_o;
	entry->rd = top.rvfi_rd_addr_o;
	entry->rs1_value = top.rvfi_rs1_rdata_o;
	entry->rs2_value = top.rvfi_rs2_rdata_o;
	entry->rd_value = top.rvfi_rd_wdata_o;
	entry->mem_address = top.rvfi_mem_addr_o;
	entry->mem_read_value = top.rvfi_mem_rdata_o;
	entry->mem_write_value = top.rvfi_mem_wdata_o;
	entry->mem_read_mask = top.rvfi_mem_rmask_o;
	entry->mem_write_mask = top.rvfi_mem_wmask_o;
	entry->csr_count = 0;
	entry->csr_in_order = (top.rvfi_csr_valid_o & (top.rvfi_csr_valid_o + 1)) == 0;
	for (unsigned k = 0; k < EAR_CSR_SLOTS; k++) {
		if (!(top.rvfi_csr_valid_o >> k & 1))
			continue;
		entry->csr_number[entry->csr_count] = top.rvfi_csr_addr_o >> (12 * k) & 0xfff;
		entry->csr_value[entry->csr_count] = top.rvfi_csr_wdata_o[k];
		entry->csr_count++;
	}
}

#endif
