/* Record messages of predict mode and geometries, with the names of docs/predict.md. */
#include "cli/show/difference_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[16] = {"RUN", "INSN", "INSN24", "NUMBER", "NUMBER_HIGH", "GROUP2",
	"GROUP3", "GROUP4", NULL, "RDATA1", "RDATA2", "RDATA4", "VALUE", "IRQ", "FVALUE",
	"GENERAL"};

_Static_assert(EAR_PREDICT_RUN == 0 && EAR_PREDICT_GROUP4 == 7 && EAR_PREDICT_RDATA1 == 9 &&
		       EAR_PREDICT_GENERAL == 15,
	"the names follow the table");

static void print_insn(const struct ear_difference *difference, uint32_t insn)
{
	if (difference->from_number)
		printf(" insn #%u", difference->number);
	else
		printf(" insn %" PRIx32, insn);
}

/* A value, or by how much it is not the predicted one. */
static void print_value(const char *name, uint64_t value, bool relative)
{
	int64_t by = (int64_t)value;

	if (!relative)
		printf(" %s %" PRIx64, name, value);
	else
		printf(" %s %c%" PRIx64, name, by < 0 ? '-' : '+', by < 0 ? 0 - value : value);
}

static void print_state(const struct ear_retire *entry, uint32_t mask)
{
	if (mask & EAR_DIFFER_ORDER)
		printf(" order %" PRIu64, entry->order);
	if (mask & EAR_DIFFER_PC)
		printf(" pc %" PRIx64, entry->pc_rdata);
	if (mask & EAR_DIFFER_HEAD)
		printf(" mode %u ixl %u%s%s%s%s", entry->mode, entry->ixl,
			entry->halt ? " halt" : "", entry->intr ? " intr" : "",
			entry->debug ? " debug" : "", entry->virt ? " virt" : "");
	if (mask & EAR_DIFFER_IRQ)
		printf(" irq");
}

static void print_operands(const struct ear_retire *entry, uint32_t mask)
{
	if (mask & EAR_DIFFER_NUMBERS)
		printf(" rs1 x%u rs2 x%u", entry->rs1_addr, entry->rs2_addr);
	if (mask & EAR_DIFFER_RS1)
		printf(" rs1 %" PRIx64, entry->rs1_rdata);
	if (mask & EAR_DIFFER_RS2)
		printf(" rs2 %" PRIx64, entry->rs2_rdata);
	if (mask & EAR_DIFFER_TRAP)
		printf(" trap %u cause %" PRIx64, entry->trap, entry->cause);
	if (mask & EAR_DIFFER_ADDRESS)
		printf(" mem %" PRIx64, entry->mem_addr);
	if (mask & EAR_DIFFER_MASKS)
		printf(" rmask %x wmask %x", entry->mem_rmask, entry->mem_wmask);
}

static void print_results(
	const struct ear_retire *entry, const struct ear_difference *difference, uint32_t mask)
{
	if (mask & EAR_DIFFER_RDATA)
		print_value("rdata", entry->mem_rdata, difference->relative);
	if (mask & EAR_DIFFER_WDATA)
		printf(" wdata %" PRIx64, entry->mem_wdata);
	if (mask & EAR_DIFFER_RD_ADDR)
		printf(" rd x%u", entry->rd_addr);
	if (mask & EAR_DIFFER_RD)
		print_value("rd", entry->rd_wdata, difference->relative);
	if (mask & EAR_DIFFER_FRD)
		printf(" frd %s%u fflags %x", entry->frd_valid ? "f" : "none ", entry->frd_addr,
			entry->fflags);
	if (mask & EAR_DIFFER_FVALUE)
		printf(" frd %" PRIx64, entry->frd_wdata);
	if (mask & EAR_DIFFER_NEXT_PC)
		printf(" next %" PRIx64, entry->pc_wdata);
}

static void print_rest(const struct ear_retire *entry, uint32_t mask)
{
	if (mask & EAR_DIFFER_CSR) {
		printf(" csrs %u", entry->csr_count);
		for (unsigned i = 0; i < entry->csr_count; i++)
			printf(" 0x%03x=%" PRIx64, entry->csrs[i].number, entry->csrs[i].value);
	}
	if (mask & EAR_DIFFER_PADDR)
		printf(" pc_paddr %" PRIx64 " mem_paddr %" PRIx64, entry->pc_paddr,
			entry->mem_paddr);
}

void print_difference(uint8_t kind, const struct ear_record_message *message)
{
	const struct ear_difference *difference = &message->differences[0];

	printf("%s run %" PRIu32, kinds[kind >> 4], message->run);
	if (message->grouped) {
		for (unsigned i = 0; i < message->count; i++)
			print_insn(&message->differences[i], message->insns[i]);
		return;
	}
	if (message->count == 0)
		return;
	print_state(&message->entry, difference->mask);
	if (difference->mask & EAR_DIFFER_INSN)
		print_insn(difference, message->entry.insn);
	print_operands(&message->entry, difference->mask);
	print_results(&message->entry, difference, difference->mask);
	print_rest(&message->entry, difference->mask);
}

void print_geometry(const struct ear_unit *unit)
{
	struct ear_geometry geometry;
	char text[160];

	if (unit->mode != EAR_UNIT_MODE_PREDICT)
		return;
	if (ear_geometry_parse(&geometry, unit->geometry)) {
		printf(" geometry unsupported");
		return;
	}
	ear_geometry_text(text, sizeof(text), &geometry);
	printf(" geometry %s", text);
}
