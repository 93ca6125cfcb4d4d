#include "retire_random.h"

#include <stddef.h>
#include <string.h>

static uint64_t some_value(struct random *random, unsigned xlen)
{
	uint64_t value = 0;

	switch (random_below(random, 4)) {
	case 0: break;
	case 1: value = random_below(random, 256); break;
	case 2: value = UINT64_MAX - random_below(random, 256); break;
	default: value = random_next(random); break;
	}
	return xlen == 32 ? (uint32_t)value : value;
}

static uint8_t some_register(struct random *random)
{
	return random_once_in(random, 3) ? 0 : (uint8_t)random_below(random, 32);
}

static void fill_rare(struct ear_retire *entry, struct random *random, unsigned xlen)
{
	entry->cause = some_value(random, xlen);
	if (random_once_in(random, 2)) {
		entry->frd_valid = true;
		entry->frd_addr = (uint8_t)random_below(random, 32);
		entry->frd_wdata = some_value(random, 64);
	}
	entry->fflags = random_once_in(random, 2) ? (uint8_t)random_below(random, 32) : 0;
	entry->pc_paddr = some_value(random, 64);
	entry->mem_paddr = some_value(random, 64);
	entry->debug = random_once_in(random, 4);
	entry->virt = random_once_in(random, 4);
	if (random_once_in(random, 2))
		entry->csr_count = (uint8_t)random_below(random, EAR_RETIRE_CSRS_MAX + 1);
	for (unsigned i = 0; i < entry->csr_count; i++) {
		entry->csrs[i].number = (uint16_t)random_below(random, 4096);
		entry->csrs[i].value = some_value(random, xlen);
	}
}

void retire_random(struct ear_retire *entry, struct random *random, unsigned xlen)
{
	uint64_t masks = xlen == 32 ? 16 : 256;

	memset(entry, 0, sizeof(*entry));
	entry->xlen = (uint8_t)xlen;
	entry->insn = (uint32_t)some_value(random, 32);
	entry->pc_rdata = some_value(random, xlen);
	entry->pc_wdata = some_value(random, xlen);
	entry->rs1_addr = some_register(random);
	entry->rs1_rdata = some_value(random, xlen);
	entry->rs2_addr = some_register(random);
	entry->rs2_rdata = some_value(random, xlen);
	entry->rd_addr = some_register(random);
	entry->rd_wdata = some_value(random, xlen);
	entry->mem_addr = some_value(random, xlen);
	entry->mem_rmask = random_once_in(random, 2) ? 0 : (uint8_t)random_below(random, masks);
	entry->mem_wmask = random_once_in(random, 2) ? 0 : (uint8_t)random_below(random, masks);
	entry->mem_rdata = some_value(random, xlen);
	entry->mem_wdata = some_value(random, xlen);
	entry->trap = random_once_in(random, 4);
	entry->halt = random_once_in(random, 8);
	entry->intr = random_once_in(random, 8);
	entry->irq = random_once_in(random, 8);
	entry->mode = (uint8_t)random_below(random, 4);
	entry->ixl = (uint8_t)random_below(random, 4);
	if (random_once_in(random, 2))
		fill_rare(entry, random, xlen);
}

const char *retire_difference(const struct ear_retire *a, const struct ear_retire *b)
{
#define COMPARE(field) \
	if (a->field != b->field) \
	return #field
	COMPARE(order);
	COMPARE(xlen);
	COMPARE(insn);
	COMPARE(pc_rdata);
	COMPARE(pc_wdata);
	COMPARE(rs1_addr);
	COMPARE(rs1_rdata);
	COMPARE(rs2_addr);
	COMPARE(rs2_rdata);
	COMPARE(rd_addr);
	COMPARE(rd_wdata);
	COMPARE(mem_addr);
	COMPARE(mem_rmask);
	COMPARE(mem_wmask);
	COMPARE(mem_rdata);
	COMPARE(mem_wdata);
	COMPARE(cause);
	COMPARE(trap);
	COMPARE(halt);
	COMPARE(intr);
	COMPARE(irq);
	COMPARE(mode);
	COMPARE(ixl);
	COMPARE(debug);
	COMPARE(virt);
	COMPARE(frd_valid);
	COMPARE(frd_addr);
	COMPARE(frd_wdata);
	COMPARE(fflags);
	COMPARE(pc_paddr);
	COMPARE(mem_paddr);
	COMPARE(csr_count);
	for (unsigned i = 0; i < a->csr_count; i++) {
		COMPARE(csrs[i].number);
		COMPARE(csrs[i].value);
	}
#undef COMPARE
	return NULL;
}
