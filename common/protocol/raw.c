/* The RAW32 and RAW64 messages: a retire entry in full, field by field.
 *
 * The mask alone decides which fields follow, and so their offsets, but for the CSRs, whose number
 * is in the message. Both widths share one description, with XLEN in bytes as a parameter. This is
 * the innermost loop of decoding raw mode: far from the end of a frame an ordinary record is parsed
 * without computing its size first.
 */
#include "common/protocol/raw.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "common/protocol/ear_protocol.h"

#define HEAD_SIZE 4u /* kind, status, mask */
#define FRD_SIZE  10u

/* All fields of RAW64 up to CAUSE: order, insn, two pcs, three registers, memory. */
#define ORDINARY_SIZE_MAX (HEAD_SIZE + 8 + 4 + 2 * 8 + 3 * 9 + 10 + 3 * 8)

/* x is XLEN in bytes, here and below. */
static uint64_t load_x(const uint8_t *bytes, size_t x)
{
	return x == 8 ? ear_load_le64(bytes) : ear_load_le32(bytes);
}

static uint8_t *store_x(uint8_t *bytes, uint64_t value, size_t x)
{
	if (x == 8)
		ear_store_le64(bytes, value);
	else
		ear_store_le32(bytes, (uint32_t)value);
	return bytes + x;
}

static inline unsigned has(unsigned mask, unsigned bit)
{
	return (mask & bit) != 0;
}

/* Size of everything that the mask alone decides: the CSR field counts as its count byte. */
static size_t masked_size(unsigned mask, size_t x)
{
	unsigned registers =
		has(mask, EAR_RAW_RS1) + has(mask, EAR_RAW_RS2) + has(mask, EAR_RAW_RD);
	unsigned x_fields = 2 + registers + has(mask, EAR_RAW_MEM) + has(mask, EAR_RAW_RDATA) +
			    has(mask, EAR_RAW_WDATA) + has(mask, EAR_RAW_CAUSE);
	unsigned bytes = HEAD_SIZE + 2 + registers + 2 * has(mask, EAR_RAW_INSN32) +
			 8 * has(mask, EAR_RAW_ORDER) + (x == 8 ? 2 : 1) * has(mask, EAR_RAW_MEM);

	if (mask > EAR_RAW_CAUSE)
		bytes += has(mask, EAR_RAW_CSR) + FRD_SIZE * has(mask, EAR_RAW_FRD) +
			 8 * (has(mask, EAR_RAW_PC_PADDR) + has(mask, EAR_RAW_MEM_PADDR)) +
			 has(mask, EAR_RAW_EXT);
	return bytes + x_fields * x;
}

static const uint8_t *parse_register(
	uint8_t *number, uint64_t *value, const uint8_t *at, size_t x, bool *valid)
{
	*number = at[0];
	*value = load_x(at + 1, x);
	*valid &= at[0] < 32;
	return at + 1 + x;
}

/* The rare fields, after everything that ordinary instructions have. */
static const uint8_t *parse_rest(
	struct ear_retire *entry, unsigned mask, const uint8_t *at, size_t x, bool *valid)
{
	if (mask & EAR_RAW_CAUSE) {
		entry->cause = load_x(at, x);
		at += x;
	}
	if (mask & EAR_RAW_CSR) {
		entry->csr_count = *at++;
		for (unsigned i = 0; i < entry->csr_count; i++) {
			entry->csrs[i].number = ear_load_le16(at);
			entry->csrs[i].value = load_x(at + 2, x);
			*valid &= entry->csrs[i].number < 4096;
			at += 2 + x;
		}
	}
	if (mask & EAR_RAW_FRD) {
		entry->frd_valid = at[0] & EAR_RAW_FRD_WRITTEN;
		entry->frd_addr = at[0] & 0x1F;
		entry->fflags = at[1];
		entry->frd_wdata = ear_load_le64(at + 2);
		*valid &= (at[0] & 0x60) == 0 && at[1] < 32;
		at += FRD_SIZE;
	}
	if (mask & EAR_RAW_PC_PADDR) {
		entry->pc_paddr = ear_load_le64(at);
		at += 8;
	}
	if (mask & EAR_RAW_MEM_PADDR) {
		entry->mem_paddr = ear_load_le64(at);
		at += 8;
	}
	if (mask & EAR_RAW_EXT) {
		entry->debug = *at & EAR_RAW_EXT_DEBUG;
		entry->virt = *at & EAR_RAW_EXT_VIRT;
		*valid &= (*at & ~(EAR_RAW_EXT_DEBUG | EAR_RAW_EXT_VIRT)) == 0;
		at++;
	}
	return at;
}

static const uint8_t *parse_memory(
	struct ear_retire *entry, unsigned mask, const uint8_t *at, size_t x)
{
	if (mask & EAR_RAW_MEM) {
		entry->mem_addr = load_x(at, x);
		at += x;
		if (x == 8) {
			entry->mem_rmask = at[0];
			entry->mem_wmask = at[1];
			at += 2;
		} else {
			entry->mem_rmask = at[0] & 0x0F;
			entry->mem_wmask = at[0] >> 4;
			at += 1;
		}
	}
	if (mask & EAR_RAW_RDATA) {
		entry->mem_rdata = load_x(at, x);
		at += x;
	}
	if (mask & EAR_RAW_WDATA) {
		entry->mem_wdata = load_x(at, x);
		at += x;
	}
	return at;
}

static void parse_status(struct ear_retire *entry, uint8_t status)
{
	entry->trap = status & EAR_RAW_STATUS_TRAP;
	entry->halt = status & EAR_RAW_STATUS_HALT;
	entry->intr = status & EAR_RAW_STATUS_INTR;
	entry->irq = status & EAR_RAW_STATUS_IRQ;
	entry->mode = status >> EAR_RAW_STATUS_MODE_SHIFT & 3;
	entry->ixl = status >> EAR_RAW_STATUS_IXL_SHIFT & 3;
}

/* Bytes of the CSR field after its count, or an error. The mask gives the offset of the count. */
static int csr_size(unsigned mask, const uint8_t *bytes, size_t size, size_t x)
{
	unsigned before = mask & ~(EAR_RAW_CSR | EAR_RAW_FRD | EAR_RAW_PC_PADDR |
					 EAR_RAW_MEM_PADDR | EAR_RAW_EXT);
	size_t offset = masked_size(before, x);

	if (size <= offset)
		return EAR_E_MORE;
	if (bytes[offset] == 0 || bytes[offset] > EAR_RETIRE_CSRS_MAX)
		return EAR_E_BAD_MESSAGE;
	return (int)(bytes[offset] * (2 + x));
}

/* An empty entry. Compilers copy it with a few wide moves; they would clear as many bytes with a
 * string instruction, which takes longer than the rest of the parsing.
 */
static const struct ear_retire nothing;

/* Size of the whole message, or an error. */
static int total_size(unsigned mask, const uint8_t *bytes, size_t size, size_t x)
{
	int csrs = mask & EAR_RAW_CSR ? csr_size(mask, bytes, size, x) : 0;

	return csrs < 0 ? csrs : csrs + (int)masked_size(mask, x);
}

int ear_raw_parse(struct ear_retire *entry, bool *has_order, const uint8_t *bytes, size_t size)
{
	if (size < HEAD_SIZE)
		return EAR_E_MORE;

	size_t x = bytes[0] == EAR_MSG_RAW64 ? 8 : 4;
	unsigned mask = ear_load_le16(bytes + 2);
	if (mask & EAR_RAW_RESERVED)
		return EAR_E_BAD_MESSAGE;

	/* Far from the end of a frame any ordinary record fits. */
	if (mask > EAR_RAW_CAUSE || size < ORDINARY_SIZE_MAX) {
		int total = total_size(mask, bytes, size, x);
		if (total < 0)
			return total;
		if (size < (size_t)total)
			return EAR_E_MORE;
	}

	bool valid = true;
	const uint8_t *at = bytes + HEAD_SIZE;
	memcpy(entry, &nothing, offsetof(struct ear_retire, csrs));
	entry->xlen = (uint8_t)(x * 8);
	parse_status(entry, bytes[1]);
	*has_order = mask & EAR_RAW_ORDER;
	if (*has_order) {
		entry->order = ear_load_le64(at);
		at += 8;
	}
	entry->insn = mask & EAR_RAW_INSN32 ? ear_load_le32(at) : ear_load_le16(at);
	at += mask & EAR_RAW_INSN32 ? 4 : 2;
	entry->pc_rdata = load_x(at, x);
	entry->pc_wdata = load_x(at + x, x);
	at += 2 * x;
	if (mask & EAR_RAW_RS1)
		at = parse_register(&entry->rs1_addr, &entry->rs1_rdata, at, x, &valid);
	if (mask & EAR_RAW_RS2)
		at = parse_register(&entry->rs2_addr, &entry->rs2_rdata, at, x, &valid);
	if (mask & EAR_RAW_RD)
		at = parse_register(&entry->rd_addr, &entry->rd_wdata, at, x, &valid);
	at = parse_memory(entry, mask, at, x);
	if (mask >= EAR_RAW_CAUSE)
		at = parse_rest(entry, mask, at, x, &valid);

	return valid ? (int)(at - bytes) : EAR_E_BAD_MESSAGE;
}

static unsigned entry_mask(const struct ear_retire *entry, bool has_order)
{
	unsigned mask = 0;

	mask |= has_order ? EAR_RAW_ORDER : 0;
	mask |= entry->insn >> 16 ? EAR_RAW_INSN32 : 0;
	mask |= entry->rs1_addr || entry->rs1_rdata ? EAR_RAW_RS1 : 0;
	mask |= entry->rs2_addr || entry->rs2_rdata ? EAR_RAW_RS2 : 0;
	mask |= entry->rd_addr || entry->rd_wdata ? EAR_RAW_RD : 0;
	mask |= entry->mem_addr || entry->mem_rmask || entry->mem_wmask ? EAR_RAW_MEM : 0;
	mask |= entry->mem_rdata ? EAR_RAW_RDATA : 0;
	mask |= entry->mem_wdata ? EAR_RAW_WDATA : 0;
	mask |= entry->cause ? EAR_RAW_CAUSE : 0;
	mask |= entry->csr_count ? EAR_RAW_CSR : 0;
	mask |= entry->frd_valid || entry->fflags ? EAR_RAW_FRD : 0;
	mask |= entry->pc_paddr ? EAR_RAW_PC_PADDR : 0;
	mask |= entry->mem_paddr ? EAR_RAW_MEM_PADDR : 0;
	mask |= entry->debug || entry->virt ? EAR_RAW_EXT : 0;
	return mask;
}

size_t ear_raw_size(const struct ear_retire *entry, bool has_order)
{
	size_t x = entry->xlen / 8u;

	return masked_size(entry_mask(entry, has_order), x) + entry->csr_count * (2 + x);
}

static uint8_t *build_register(uint8_t *at, uint8_t number, uint64_t value, size_t x)
{
	*at = number;
	return store_x(at + 1, value, x);
}

static uint8_t *build_memory(uint8_t *at, const struct ear_retire *entry, unsigned mask, size_t x)
{
	if (mask & EAR_RAW_MEM) {
		at = store_x(at, entry->mem_addr, x);
		if (x == 8) {
			*at++ = entry->mem_rmask;
			*at++ = entry->mem_wmask;
		} else {
			*at++ = (uint8_t)(entry->mem_rmask | entry->mem_wmask << 4);
		}
	}
	if (mask & EAR_RAW_RDATA)
		at = store_x(at, entry->mem_rdata, x);
	if (mask & EAR_RAW_WDATA)
		at = store_x(at, entry->mem_wdata, x);
	return at;
}

static uint8_t *build_rest(uint8_t *at, const struct ear_retire *entry, unsigned mask, size_t x)
{
	if (mask & EAR_RAW_CAUSE)
		at = store_x(at, entry->cause, x);
	if (mask & EAR_RAW_CSR) {
		*at++ = entry->csr_count;
		for (unsigned i = 0; i < entry->csr_count; i++) {
			ear_store_le16(at, entry->csrs[i].number);
			at = store_x(at + 2, entry->csrs[i].value, x);
		}
	}
	if (mask & EAR_RAW_FRD) {
		at[0] = entry->frd_valid ? (uint8_t)(EAR_RAW_FRD_WRITTEN | entry->frd_addr) : 0;
		at[1] = entry->fflags;
		ear_store_le64(at + 2, entry->frd_valid ? entry->frd_wdata : 0);
		at += FRD_SIZE;
	}
	if (mask & EAR_RAW_PC_PADDR)
		at = store_x(at, entry->pc_paddr, 8);
	if (mask & EAR_RAW_MEM_PADDR)
		at = store_x(at, entry->mem_paddr, 8);
	if (mask & EAR_RAW_EXT)
		*at++ = (uint8_t)((entry->debug ? EAR_RAW_EXT_DEBUG : 0) |
				  (entry->virt ? EAR_RAW_EXT_VIRT : 0));
	return at;
}

size_t ear_raw_build(uint8_t *bytes, const struct ear_retire *entry, bool has_order)
{
	assert(entry->xlen == 32 || entry->xlen == 64);
	assert(entry->csr_count <= EAR_RETIRE_CSRS_MAX);

	size_t x = entry->xlen / 8u;
	unsigned mask = entry_mask(entry, has_order);
	uint8_t *at = bytes + HEAD_SIZE;

	bytes[0] = (uint8_t)(x == 8 ? EAR_MSG_RAW64 : EAR_MSG_RAW32);
	bytes[1] = (uint8_t)((entry->trap ? EAR_RAW_STATUS_TRAP : 0) |
			     (entry->halt ? EAR_RAW_STATUS_HALT : 0) |
			     (entry->intr ? EAR_RAW_STATUS_INTR : 0) |
			     (entry->irq ? EAR_RAW_STATUS_IRQ : 0) |
			     (entry->mode & 3u) << EAR_RAW_STATUS_MODE_SHIFT |
			     (entry->ixl & 3u) << EAR_RAW_STATUS_IXL_SHIFT);
	ear_store_le16(bytes + 2, (uint16_t)mask);
	if (has_order)
		at = store_x(at, entry->order, 8);
	if (mask & EAR_RAW_INSN32) {
		at = store_x(at, entry->insn, 4);
	} else {
		ear_store_le16(at, (uint16_t)entry->insn);
		at += 2;
	}
	at = store_x(at, entry->pc_rdata, x);
	at = store_x(at, entry->pc_wdata, x);
	if (mask & EAR_RAW_RS1)
		at = build_register(at, entry->rs1_addr, entry->rs1_rdata, x);
	if (mask & EAR_RAW_RS2)
		at = build_register(at, entry->rs2_addr, entry->rs2_rdata, x);
	if (mask & EAR_RAW_RD)
		at = build_register(at, entry->rd_addr, entry->rd_wdata, x);
	at = build_memory(at, entry, mask, x);
	if (mask >= EAR_RAW_CAUSE)
		at = build_rest(at, entry, mask, x);
	return (size_t)(at - bytes);
}
