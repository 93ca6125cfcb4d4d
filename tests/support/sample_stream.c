#include "sample_stream.h"

#define CODE 0x80000000u
#define DATA 0x80001000u

void sample_entry(struct ear_retire *entry, uint64_t order, unsigned xlen)
{
	static const struct {
		uint32_t offset, insn;
		uint8_t size;
	} loop[6] = {
		{0, 0x0005a503, 4},  /* lw x10, 0(x11) */
		{4, 0x00a60633, 4},  /* add x12, x12, x10 */
		{8, 0x0591, 2},      /* c.addi x11, 4 */
		{10, 0xfff68693, 4}, /* addi x13, x13, -1 */
		{14, 0x00c72023, 4}, /* sw x12, 0(x14) */
		{18, 0xfe0697e3, 4}, /* bne x13, x0, . - 18 */
	};
	uint64_t round = order / 6, left = 63 - round % 64;
	uint64_t word = DATA + round % 64 * 4;
	uint32_t value = (uint32_t)(round * 2654435761u) >> 4;
	unsigned step = (unsigned)(order % 6);

	*entry = (struct ear_retire){.order = order,
		.insn = loop[step].insn,
		.pc_rdata = CODE + loop[step].offset,
		.pc_wdata = CODE + loop[step].offset + loop[step].size,
		.xlen = (uint8_t)xlen,
		.mode = 3,
		.ixl = xlen == 32 ? 1 : 2};
	switch (step) {
	case 0:
		entry->rs1_addr = 11, entry->rs1_rdata = word;
		entry->rd_addr = 10, entry->rd_wdata = value;
		entry->mem_addr = word, entry->mem_rmask = 0xF, entry->mem_rdata = value;
		break;
	case 1:
		entry->rs1_addr = 12, entry->rs1_rdata = round;
		entry->rs2_addr = 10, entry->rs2_rdata = value;
		entry->rd_addr = 12, entry->rd_wdata = (uint32_t)(round + value);
		break;
	case 2:
		entry->rs1_addr = 11, entry->rs1_rdata = word;
		entry->rd_addr = 11, entry->rd_wdata = word + 4;
		break;
	case 3:
		entry->rs1_addr = 13, entry->rs1_rdata = left + 1;
		entry->rd_addr = 13, entry->rd_wdata = left;
		break;
	case 4:
		entry->rs1_addr = 14, entry->rs1_rdata = DATA + 0x800;
		entry->rs2_addr = 12, entry->rs2_rdata = (uint32_t)(round + value);
		entry->mem_addr = DATA + 0x800, entry->mem_wmask = 0xF;
		entry->mem_wdata = (uint32_t)(round + value);
		break;
	default:
		entry->rs1_addr = 13, entry->rs1_rdata = left;
		if (left)
			entry->pc_wdata = CODE;
		break;
	}
	if (xlen == 32) {
		entry->rs1_rdata = (uint32_t)entry->rs1_rdata;
		entry->rd_wdata = (uint32_t)entry->rd_wdata;
	}
}

struct ear_unit sample_unit(unsigned xlen, unsigned hart, unsigned control)
{
	return (struct ear_unit){.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.version = 1,
		.xlen = (uint8_t)xlen,
		.nret = 1,
		.flen = xlen == 64 ? 64 : 0,
		.csr_slots = 6,
		.features = EAR_REG_FEATURES_TIME_MASK | EAR_REG_FEATURES_STALL_MASK,
		.control = (uint8_t)control,
		.hart = (uint16_t)hart,
		.clock_hz = 50000000,
		.buffers = 0x00100040};
}
