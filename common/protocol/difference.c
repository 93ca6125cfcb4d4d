/* The record messages of predict mode: bytes to differences and back. docs/predict.md, section 7.
 *
 * A reader that runs past the end yields zeros and remembers it, so that each message is parsed by
 * straight code and judged once at its end. The builder takes the shortest form that holds the
 * differences: a group of opcodes, a value as a difference, else GENERAL with a mask.
 */
#include "common/protocol/difference.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "common/protocol/bytes.h"

#define KIND_SHIFT       4
#define VALUE_FORM       0x07 /* in the byte after the header of VALUE */
#define VALUE_SIZE_SHIFT 3
#define VALUE_RD         0x40
#define VALUE_RESERVED   0x80
#define MASK_SIZE        3 /* bytes of the mask of GENERAL */
#define STATUS_HEAD      (EAR_RAW_STATUS_HALT | EAR_RAW_STATUS_INTR | 0xF0)

/* Reads a message: past the end everything is zero, and is_short is set. */
struct reader {
	const uint8_t *at, *end;
	bool is_short, bad;
};

static uint64_t take(struct reader *reader, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->is_short = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)reader->at[i] << 8 * i;
	reader->at += size;
	return value;
}

static bool is_compressed(uint32_t insn)
{
	return (insn & 3) != 3;
}

static uint64_t extend_bytes(uint64_t value, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Parsing -------------------------------------------------------------------------------------- */

static uint32_t take_run(struct reader *reader, unsigned code)
{
	if (code < EAR_RUN_BYTE)
		return code;
	if (code == EAR_RUN_BYTE)
		return EAR_RUN_BYTE_BASE + (uint32_t)take(reader, 1);
	uint32_t run = (uint32_t)take(reader, 2);
	if (code != EAR_RUN_HALF || (run < EAR_RUN_HALF_BASE && !reader->is_short))
		reader->bad = true;
	return run;
}

static uint32_t take_raw_insn(struct reader *reader)
{
	uint32_t insn = (uint32_t)take(reader, 2);

	if (!is_compressed(insn))
		insn |= (uint32_t)take(reader, 2) << 16;
	return insn;
}

/* form: EAR_INSN_FORM_*. */
static uint32_t take_insn(struct reader *reader, unsigned form, struct ear_difference *difference)
{
	uint32_t insn = 0;

	difference->mask |= EAR_DIFFER_INSN;
	switch (form) {
	case EAR_INSN_FORM_RAW: return take_raw_insn(reader);
	case EAR_INSN_FORM_RAW24:
		insn = (uint32_t)take(reader, 3);
		if (is_compressed(insn) && !reader->is_short)
			reader->bad = true;
		return insn;
	default:
		difference->from_number = true;
		difference->number =
			(uint16_t)(take(reader, 1) + (form == EAR_INSN_FORM_NUMBER_HIGH ? 256 : 0));
		return 0;
	}
}

static void take_group(struct reader *reader, struct ear_record_message *message, unsigned count)
{
	unsigned forms = (unsigned)take(reader, 1);

	message->count = count;
	message->grouped = true;
	for (unsigned i = 0; i < count; i++)
		message->insns[i] = take_insn(reader, forms >> 2 * i & 3, &message->differences[i]);
	if (count < EAR_GROUP_MAX && forms >> 2 * count)
		reader->bad = true;
}

static void take_value(struct reader *reader, struct ear_record_message *message)
{
	struct ear_difference *difference = &message->differences[0];
	unsigned form = (unsigned)take(reader, 1);
	unsigned insn_form = form & VALUE_FORM, size = (form >> VALUE_SIZE_SHIFT & 7) + 1;

	if (insn_form > EAR_INSN_FORM_NUMBER_HIGH + 1 || form & VALUE_RESERVED)
		reader->bad = true;
	else if (insn_form)
		message->entry.insn = take_insn(reader, insn_form - 1, difference);
	uint64_t value = extend_bytes(take(reader, size), size);
	difference->relative = true;
	if (form & VALUE_RD) {
		difference->mask |= EAR_DIFFER_RD;
		message->entry.rd_wdata = value;
	} else {
		difference->mask |= EAR_DIFFER_RDATA;
		message->entry.mem_rdata = value;
	}
}

static void take_rdata(struct reader *reader, struct ear_record_message *message, unsigned size)
{
	message->differences[0].mask = EAR_DIFFER_RDATA;
	message->differences[0].relative = true;
	message->entry.mem_rdata = extend_bytes(take(reader, size), size);
}

static uint8_t take_number(struct reader *reader)
{
	uint8_t number = (uint8_t)take(reader, 1);

	reader->bad |= number > 31;
	return number;
}

static void take_head(struct reader *reader, struct ear_retire *entry)
{
	unsigned status = (unsigned)take(reader, 1), ext = (unsigned)take(reader, 1);

	reader->bad |= (status & ~(unsigned)STATUS_HEAD) != 0 || ext > 3;
	entry->halt = status & EAR_RAW_STATUS_HALT;
	entry->intr = status & EAR_RAW_STATUS_INTR;
	entry->mode = status >> EAR_RAW_STATUS_MODE_SHIFT & 3;
	entry->ixl = status >> EAR_RAW_STATUS_IXL_SHIFT & 3;
	entry->debug = ext & EAR_RAW_EXT_DEBUG;
	entry->virt = ext & EAR_RAW_EXT_VIRT;
}

static void take_csrs(struct reader *reader, struct ear_retire *entry, unsigned x)
{
	unsigned count = (unsigned)take(reader, 1);

	if (count > EAR_RETIRE_CSRS_MAX) {
		reader->bad = true;
		return;
	}
	entry->csr_count = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		entry->csrs[i].number = (uint16_t)take(reader, 2);
		entry->csrs[i].value = take(reader, x);
		reader->bad |= entry->csrs[i].number > 0xFFF;
	}
}

/* The fields of GENERAL, in the order of their bits. x is XLEN in bytes. */
static void take_before_memory(
	struct reader *reader, struct ear_retire *entry, uint32_t mask, unsigned x)
{
	if (mask & EAR_DIFFER_ORDER)
		entry->order = take(reader, 8);
	if (mask & EAR_DIFFER_PC)
		entry->pc_rdata = take(reader, x);
	if (mask & EAR_DIFFER_HEAD)
		take_head(reader, entry);
	entry->irq = mask & EAR_DIFFER_IRQ;
	if (mask & EAR_DIFFER_INSN)
		entry->insn = (uint32_t)take(reader, 4);
	if (mask & EAR_DIFFER_NUMBERS) {
		entry->rs1_addr = take_number(reader);
		entry->rs2_addr = take_number(reader);
	}
	if (mask & EAR_DIFFER_RS1)
		entry->rs1_rdata = take(reader, x);
	if (mask & EAR_DIFFER_RS2)
		entry->rs2_rdata = take(reader, x);
	if (mask & EAR_DIFFER_TRAP) {
		unsigned trap = (unsigned)take(reader, 1);
		reader->bad |= trap > 1;
		entry->trap = trap == 1;
		entry->cause = take(reader, x);
	}
}

static void take_memory(struct reader *reader, struct ear_retire *entry, uint32_t mask, unsigned x)
{
	if (mask & EAR_DIFFER_ADDRESS)
		entry->mem_addr = take(reader, x);
	if (mask & EAR_DIFFER_MASKS) {
		entry->mem_rmask = (uint8_t)take(reader, 1);
		entry->mem_wmask = (uint8_t)take(reader, 1);
		reader->bad |= x == 4 && (entry->mem_rmask | entry->mem_wmask) > 0xF;
	}
	if (mask & EAR_DIFFER_RDATA)
		entry->mem_rdata = take(reader, x);
	if (mask & EAR_DIFFER_WDATA)
		entry->mem_wdata = take(reader, x);
}

static void take_after_memory(
	struct reader *reader, struct ear_retire *entry, uint32_t mask, unsigned x)
{
	if (mask & EAR_DIFFER_RD_ADDR)
		entry->rd_addr = take_number(reader);
	if (mask & EAR_DIFFER_RD)
		entry->rd_wdata = take(reader, x);
	if (mask & EAR_DIFFER_FRD) {
		unsigned frd = (unsigned)take(reader, 1);
		entry->fflags = take_number(reader);
		reader->bad |= (frd & ~(EAR_RAW_FRD_WRITTEN | 31u)) != 0;
		entry->frd_valid = frd & EAR_RAW_FRD_WRITTEN;
		entry->frd_addr = frd & 31;
	}
	if (mask & EAR_DIFFER_FVALUE)
		entry->frd_wdata = take(reader, 8);
	if (mask & EAR_DIFFER_NEXT_PC)
		entry->pc_wdata = take(reader, x);
	if (mask & EAR_DIFFER_CSR)
		take_csrs(reader, entry, x);
	if (mask & EAR_DIFFER_PADDR) {
		entry->pc_paddr = take(reader, 8);
		entry->mem_paddr = take(reader, 8);
	}
}

static void take_general(struct reader *reader, struct ear_record_message *message, unsigned x)
{
	uint32_t mask = (uint32_t)take(reader, MASK_SIZE);

	message->differences[0].mask = mask;
	reader->bad |= mask & EAR_DIFFER_RESERVED || (mask == 0 && !reader->is_short);
	take_before_memory(reader, &message->entry, mask, x);
	take_memory(reader, &message->entry, mask, x);
	take_after_memory(reader, &message->entry, mask, x);
}

int ear_record_message_parse(struct ear_record_message *message, const uint8_t *bytes, size_t size,
	unsigned xlen, unsigned flen)
{
	struct reader reader = {.at = bytes, .end = bytes + size};
	unsigned header = (unsigned)take(&reader, 1);
	unsigned kind = header >> KIND_SHIFT;

	message->count = 1;
	message->done = 0;
	message->grouped = false;
	memset(message->differences, 0, sizeof(message->differences));
	message->run = take_run(&reader, header & 0xF);
	switch (kind) {
	case EAR_PREDICT_RUN:
		message->count = 0;
		reader.bad |= message->run == 0 && !reader.is_short;
		break;
	case EAR_PREDICT_INSN:
	case EAR_PREDICT_INSN24:
	case EAR_PREDICT_NUMBER:
	case EAR_PREDICT_NUMBER_HIGH:
		message->entry.insn =
			take_insn(&reader, kind - EAR_PREDICT_INSN, &message->differences[0]);
		break;
	case EAR_PREDICT_GROUP2:
	case EAR_PREDICT_GROUP3:
	case EAR_PREDICT_GROUP4: take_group(&reader, message, kind - EAR_PREDICT_GROUP2 + 2); break;
	case EAR_PREDICT_RDATA1:
	case EAR_PREDICT_RDATA2:
	case EAR_PREDICT_RDATA4:
		take_rdata(&reader, message, 1u << (kind - EAR_PREDICT_RDATA1));
		break;
	case EAR_PREDICT_VALUE: take_value(&reader, message); break;
	case EAR_PREDICT_IRQ:
		message->differences[0].mask = EAR_DIFFER_IRQ;
		message->entry.irq = true;
		break;
	case EAR_PREDICT_FVALUE:
		message->differences[0].mask = EAR_DIFFER_FVALUE;
		message->entry.frd_wdata = take(&reader, flen / 8);
		reader.bad |= flen == 0;
		break;
	case EAR_PREDICT_GENERAL: take_general(&reader, message, xlen / 8); break;
	default: reader.bad = true;
	}
	if (reader.bad)
		return EAR_E_BAD_MESSAGE;
	return reader.is_short ? EAR_E_MORE : (int)(reader.at - bytes);
}

/* Building ------------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	return at + size;
}

static uint8_t *put_header(uint8_t *at, unsigned kind, uint32_t run)
{
	if (run < EAR_RUN_BYTE_BASE)
		return put(at, kind << KIND_SHIFT | run, 1);
	if (run < EAR_RUN_HALF_BASE) {
		at = put(at, kind << KIND_SHIFT | EAR_RUN_BYTE, 1);
		return put(at, run - EAR_RUN_BYTE_BASE, 1);
	}
	assert(run <= EAR_RUN_MAX);
	at = put(at, kind << KIND_SHIFT | EAR_RUN_HALF, 1);
	return put(at, run, 2);
}

/* A compressed opcode whose upper half is not zero has no short form. */
static bool has_form(uint32_t insn, const struct ear_difference *difference)
{
	return difference->from_number || !is_compressed(insn) || insn >> 16 == 0;
}

static unsigned insn_form(uint32_t insn, const struct ear_difference *difference)
{
	if (difference->from_number)
		return difference->number < 256 ? EAR_INSN_FORM_NUMBER : EAR_INSN_FORM_NUMBER_HIGH;
	return !is_compressed(insn) && insn >> 24 == 0 ? EAR_INSN_FORM_RAW24 : EAR_INSN_FORM_RAW;
}

static uint8_t *put_insn(uint8_t *at, uint32_t insn, const struct ear_difference *difference)
{
	if (difference->from_number)
		return put(at, difference->number, 1);
	return put(at, insn, is_compressed(insn) ? 2 : insn >> 24 == 0 ? 3 : 4);
}

bool ear_fits_group(const struct ear_difference *difference, uint32_t insn)
{
	return difference->mask == EAR_DIFFER_INSN && has_form(insn, difference);
}

size_t ear_group_build(uint8_t *bytes, uint32_t run, unsigned count, const uint32_t *insns,
	const struct ear_difference *differences)
{
	unsigned forms = 0;

	assert(count >= 1 && count <= EAR_GROUP_MAX);
	for (unsigned i = 0; i < count; i++)
		forms |= insn_form(insns[i], &differences[i]) << 2 * i;
	uint8_t *at = put_header(
		bytes, count == 1 ? EAR_PREDICT_INSN + forms : EAR_PREDICT_GROUP2 + count - 2, run);
	if (count > 1)
		at = put(at, forms, 1);
	for (unsigned i = 0; i < count; i++)
		at = put_insn(at, insns[i], &differences[i]);
	return (size_t)(at - bytes);
}

size_t ear_run_build(uint8_t *bytes, uint32_t run)
{
	return (size_t)(put_header(bytes, EAR_PREDICT_RUN, run) - bytes);
}

/* The fewest bytes whose sign extension is delta modulo 2^width. */
static unsigned value_size(uint64_t delta, unsigned width)
{
	unsigned size = 1;

	while (size < 8 && ear_low_bits(extend_bytes(delta, size) ^ delta, width) != 0)
		size++;
	return size;
}

/* Width of a value in bits: its difference is modulo 2^width. */
static unsigned value_width(const struct ear_retire *entry, uint32_t mask)
{
	unsigned access = 8 * ear_mask_size(entry->mem_rmask);

	return mask & EAR_DIFFER_RD || access == 0 ? entry->xlen : access;
}

/* Can the value be sent as a difference? Not if the core shows data outside the bytes it read. */
static bool has_difference(const struct ear_retire *entry, uint32_t mask)
{
	uint32_t without_insn = mask & ~EAR_DIFFER_INSN;

	return without_insn == EAR_DIFFER_RD ||
	       (without_insn == EAR_DIFFER_RDATA &&
		       ear_low_bits(entry->mem_rdata, value_width(entry, mask)) ==
			       entry->mem_rdata);
}

static size_t build_value(uint8_t *bytes, uint32_t run, const struct ear_retire *entry,
	const struct ear_difference *difference)
{
	bool rd = difference->mask & EAR_DIFFER_RD;
	unsigned width = value_width(entry, difference->mask);
	uint64_t delta = (rd ? entry->rd_wdata : entry->mem_rdata) - difference->expected;
	unsigned size = value_size(delta, width);
	uint8_t *at;

	if (difference->mask == EAR_DIFFER_RDATA && (size & (size - 1)) == 0 && size <= 4) {
		unsigned kind = size == 4 ? EAR_PREDICT_RDATA4 : EAR_PREDICT_RDATA1 + size - 1;
		at = put_header(bytes, kind, run);
	} else {
		bool insn = difference->mask & EAR_DIFFER_INSN;
		at = put_header(bytes, EAR_PREDICT_VALUE, run);
		at = put(at,
			(insn ? insn_form(entry->insn, difference) + 1 : 0) |
				(size - 1) << VALUE_SIZE_SHIFT | (rd ? VALUE_RD : 0),
			1);
		if (insn)
			at = put_insn(at, entry->insn, difference);
	}
	return (size_t)(put(at, delta, size) - bytes);
}

static uint8_t *put_head(uint8_t *at, const struct ear_retire *entry)
{
	unsigned status = (entry->halt ? EAR_RAW_STATUS_HALT : 0) |
			  (entry->intr ? EAR_RAW_STATUS_INTR : 0) |
			  (unsigned)entry->mode << EAR_RAW_STATUS_MODE_SHIFT |
			  (unsigned)entry->ixl << EAR_RAW_STATUS_IXL_SHIFT;

	at = put(at, status, 1);
	return put(at,
		(entry->debug ? EAR_RAW_EXT_DEBUG : 0) | (entry->virt ? EAR_RAW_EXT_VIRT : 0), 1);
}

static uint8_t *put_csrs(uint8_t *at, const struct ear_retire *entry, unsigned x)
{
	at = put(at, entry->csr_count, 1);
	for (unsigned i = 0; i < entry->csr_count; i++) {
		at = put(at, entry->csrs[i].number, 2);
		at = put(at, entry->csrs[i].value, x);
	}
	return at;
}

static size_t build_general(
	uint8_t *bytes, uint32_t run, const struct ear_retire *entry, uint32_t mask)
{
	unsigned x = entry->xlen / 8;
	uint8_t *at = put(put_header(bytes, EAR_PREDICT_GENERAL, run), mask, MASK_SIZE);

	if (mask & EAR_DIFFER_ORDER)
		at = put(at, entry->order, 8);
	if (mask & EAR_DIFFER_PC)
		at = put(at, entry->pc_rdata, x);
	if (mask & EAR_DIFFER_HEAD)
		at = put_head(at, entry);
	if (mask & EAR_DIFFER_INSN)
		at = put(at, entry->insn, 4);
	if (mask & EAR_DIFFER_NUMBERS)
		at = put(at, entry->rs1_addr | (uint64_t)entry->rs2_addr << 8, 2);
	if (mask & EAR_DIFFER_RS1)
		at = put(at, entry->rs1_rdata, x);
	if (mask & EAR_DIFFER_RS2)
		at = put(at, entry->rs2_rdata, x);
	if (mask & EAR_DIFFER_TRAP)
		at = put(put(at, entry->trap, 1), entry->cause, x);
	if (mask & EAR_DIFFER_ADDRESS)
		at = put(at, entry->mem_addr, x);
	if (mask & EAR_DIFFER_MASKS)
		at = put(at, entry->mem_rmask | (uint64_t)entry->mem_wmask << 8, 2);
	if (mask & EAR_DIFFER_RDATA)
		at = put(at, entry->mem_rdata, x);
	if (mask & EAR_DIFFER_WDATA)
		at = put(at, entry->mem_wdata, x);
	if (mask & EAR_DIFFER_RD_ADDR)
		at = put(at, entry->rd_addr, 1);
	if (mask & EAR_DIFFER_RD)
		at = put(at, entry->rd_wdata, x);
	if (mask & EAR_DIFFER_FRD)
		at = put(at,
			entry->frd_addr | (entry->frd_valid ? EAR_RAW_FRD_WRITTEN : 0) |
				(uint64_t)entry->fflags << 8,
			2);
	if (mask & EAR_DIFFER_FVALUE)
		at = put(at, entry->frd_wdata, 8);
	if (mask & EAR_DIFFER_NEXT_PC)
		at = put(at, entry->pc_wdata, x);
	if (mask & EAR_DIFFER_CSR)
		at = put_csrs(at, entry, x);
	if (mask & EAR_DIFFER_PADDR)
		at = put(put(at, entry->pc_paddr, 8), entry->mem_paddr, 8);
	return (size_t)(at - bytes);
}

size_t ear_record_message_build(uint8_t *bytes, uint32_t run, const struct ear_retire *entry,
	const struct ear_difference *difference, unsigned flen)
{
	uint32_t mask = difference->mask;
	bool insn = mask & EAR_DIFFER_INSN;

	if (ear_fits_group(difference, entry->insn))
		return ear_group_build(bytes, run, 1, &entry->insn, difference);
	if (has_difference(entry, mask) && (!insn || has_form(entry->insn, difference)))
		return build_value(bytes, run, entry, difference);
	if (mask == EAR_DIFFER_IRQ)
		return (size_t)(put_header(bytes, EAR_PREDICT_IRQ, run) - bytes);
	if (mask == EAR_DIFFER_FVALUE)
		return (size_t)(put(put_header(bytes, EAR_PREDICT_FVALUE, run), entry->frd_wdata,
					flen / 8) -
				bytes);
	return build_general(bytes, run, entry, mask);
}
