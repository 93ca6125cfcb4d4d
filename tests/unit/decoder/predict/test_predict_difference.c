/* docs/predict.md, section 7: the record messages, built and parsed. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "common/protocol/difference.h"
#include "random.h"
#include "retire_random.h"

/* A message by its bytes, and what it means. */
struct row {
	const char *name;
	uint8_t xlen, flen;
	uint8_t size;
	uint8_t bytes[48];
	uint32_t run;
	unsigned count;
	uint32_t mask;  /* of the first record */
	uint64_t value; /* of the field that the mask names, or the dictionary's number */
	bool number;
};

/* In the order of the document. */
static const struct row rows[] = {
	{"run of 1", 32, 0, 1, {0x01}, 1, 0, 0, 0, false},
	{"run of 12", 32, 0, 1, {0x0C}, 12, 0, 0, 0, false},
	{"run of 13", 32, 0, 2, {0x0D, 0x00}, 13, 0, 0, 0, false},
	{"run of 268", 32, 0, 2, {0x0D, 0xFF}, 268, 0, 0, 0, false},
	{"run of 269", 32, 0, 3, {0x0E, 0x0D, 0x01}, 269, 0, 0, 0, false},
	{"longest run", 32, 0, 3, {0x0E, 0xFF, 0xFF}, 65535, 0, 0, 0, false},
	{"insn", 32, 0, 5, {0x10, 0xB7, 0x02, 0x00, 0x10}, 0, 1, EAR_DIFFER_INSN, 0x100002B7,
		false},
	{"insn of 2 bytes", 32, 0, 3, {0x15, 0x15, 0x45}, 5, 1, EAR_DIFFER_INSN, 0x4515, false},
	{"insn of 3 bytes", 64, 0, 4, {0x22, 0x23, 0xA0, 0xA2}, 2, 1, EAR_DIFFER_INSN, 0xA2A023,
		false},
	{"number", 32, 0, 2, {0x30, 0xFE}, 0, 1, EAR_DIFFER_INSN, 0xFE, true},
	{"high number", 32, 0, 3, {0x4D, 0x07, 0x01}, 20, 1, EAR_DIFFER_INSN, 0x101, true},
	{"group of 2", 32, 0, 5, {0x53, 0x08, 0x01, 0x45, 0x77}, 3, 2, EAR_DIFFER_INSN, 0x4501,
		false},
	{"group of 3", 32, 0, 8, {0x60, 0x31, 0x13, 0x05, 0x10, 0x01, 0x45, 0x80}, 0, 3,
		EAR_DIFFER_INSN, 0x100513, false},
	{"group of 4", 32, 0, 6, {0x70, 0xEE, 1, 2, 3, 4}, 0, 4, EAR_DIFFER_INSN, 1, true},
	{"rdata of 1 byte", 32, 0, 2, {0x90, 0x80}, 0, 1, EAR_DIFFER_RDATA, UINT64_MAX - 127,
		false},
	{"rdata of 2 bytes", 32, 0, 3, {0xA1, 0x34, 0x12}, 1, 1, EAR_DIFFER_RDATA, 0x1234, false},
	{"rdata of 4 bytes", 64, 0, 5, {0xB0, 0, 0, 0, 0x80}, 0, 1, EAR_DIFFER_RDATA,
		0xFFFFFFFF80000000, false},
	{"value of 3 bytes", 64, 0, 5, {0xC0, 0x10, 0x56, 0x34, 0x12}, 0, 1, EAR_DIFFER_RDATA,
		0x123456, false},
	{"value of 8 bytes", 64, 0, 10, {0xC0, 0x38, 1, 2, 3, 4, 5, 6, 7, 8}, 0, 1,
		EAR_DIFFER_RDATA, 0x0807060504030201, false},
	{"value of rd", 32, 0, 3, {0xC4, 0x40, 0xFF}, 4, 1, EAR_DIFFER_RD, UINT64_MAX, false},
	{"value after an insn", 32, 0, 7, {0xC0, 0x01, 0x03, 0xA5, 0x05, 0x00, 0x05}, 0, 1,
		EAR_DIFFER_INSN | EAR_DIFFER_RDATA, 0, false},
	{"value after 3 bytes of insn", 32, 0, 6, {0xC0, 0x42, 0x33, 0x06, 0xA6, 0x05}, 0, 1,
		EAR_DIFFER_INSN | EAR_DIFFER_RD, 0, false},
	{"value after a number", 32, 0, 4, {0xC0, 0x03, 0x44, 0x05}, 0, 1,
		EAR_DIFFER_INSN | EAR_DIFFER_RDATA, 0x44, true},
	{"value after a high number", 32, 0, 4, {0xC0, 0x44, 0x44, 0x05}, 0, 1,
		EAR_DIFFER_INSN | EAR_DIFFER_RD, 0x144, true},
	{"irq", 32, 0, 1, {0xD7}, 7, 1, EAR_DIFFER_IRQ, 1, false},
	{"fvalue of 32 bits", 32, 32, 5, {0xE0, 0, 0, 0x80, 0x3F}, 0, 1, EAR_DIFFER_FVALUE,
		0x3F800000, false},
	{"fvalue of 64 bits", 32, 64, 9, {0xE0, 1, 2, 3, 4, 5, 6, 7, 8}, 0, 1, EAR_DIFFER_FVALUE,
		0x0807060504030201, false},
	{"order", 32, 0, 12, {0xF0, 0x01, 0, 0, 7}, 0, 1, EAR_DIFFER_ORDER, 7, false},
	{"pc", 32, 0, 8, {0xF0, 0x02, 0, 0, 0, 0, 0, 0x80}, 0, 1, EAR_DIFFER_PC, 0x80000000, false},
	{"wide pc", 64, 0, 12, {0xF0, 0x02, 0, 0, 1}, 0, 1, EAR_DIFFER_PC, 1, false},
	{"head", 32, 0, 6, {0xF0, 0x04, 0, 0, 0x72, 0x01}, 0, 1, EAR_DIFFER_HEAD, 1, false},
	{"irq with another next pc", 32, 0, 8, {0xF0, 0x08, 0, 0x02, 4}, 0, 1,
		EAR_DIFFER_IRQ | EAR_DIFFER_NEXT_PC, 4, false},
	{"half an insn too much", 32, 0, 8, {0xF0, 0x10, 0, 0, 0x01, 0x45, 1, 0}, 0, 1,
		EAR_DIFFER_INSN, 0x14501, false},
	{"numbers", 32, 0, 6, {0xF0, 0x20, 0, 0, 31, 1}, 0, 1, EAR_DIFFER_NUMBERS, 31, false},
	{"trap", 32, 0, 9, {0xF0, 0x00, 0x01, 0, 1, 11}, 0, 1, EAR_DIFFER_TRAP, 11, false},
	{"masks", 64, 0, 6, {0xF0, 0x00, 0x04, 0, 0xFF, 0x80}, 0, 1, EAR_DIFFER_MASKS, 0xFF, false},
	{"frd", 64, 64, 6, {0xF0, 0x00, 0x80, 0, 0x85, 0x1F}, 0, 1, EAR_DIFFER_FRD, 5, false},
	{"csrs", 32, 0, 17, {0xF0, 0, 0, 0x04, 2, 0x41, 0x03, 1, 0, 0, 0, 0xFF, 0x0F, 2}, 0, 1,
		EAR_DIFFER_CSR, 2, false},
	{"no csrs", 32, 0, 5, {0xF0, 0, 0, 0x04, 0}, 0, 1, EAR_DIFFER_CSR, 0, false},
	{"paddr", 32, 0, 20, {0xF0, 0, 0, 0x08, 9}, 0, 1, EAR_DIFFER_PADDR, 9, false},
};

static int parse(struct ear_record_message *message, const struct row *row, size_t size)
{
	uint8_t *copy = exact_copy(row->bytes, size);
	int used = ear_record_message_parse(message, copy, size, row->xlen, row->flen);

	free(copy);
	return used;
}

static uint64_t field(const struct ear_retire *entry, uint32_t mask)
{
	switch (mask) {
	case EAR_DIFFER_ORDER: return entry->order;
	case EAR_DIFFER_PC: return entry->pc_rdata;
	case EAR_DIFFER_HEAD:
		return entry->halt && !entry->intr && entry->mode == 3 && entry->ixl == 1 &&
		       entry->debug && !entry->virt;
	case EAR_DIFFER_IRQ: return entry->irq;
	case EAR_DIFFER_IRQ | EAR_DIFFER_NEXT_PC: return entry->irq ? entry->pc_wdata : 0;
	case EAR_DIFFER_INSN: return entry->insn;
	case EAR_DIFFER_NUMBERS: return entry->rs2_addr == 1 ? entry->rs1_addr : 0;
	case EAR_DIFFER_TRAP: return entry->trap ? entry->cause : 0;
	case EAR_DIFFER_MASKS: return entry->mem_wmask == 0x80 ? entry->mem_rmask : 0;
	case EAR_DIFFER_RDATA: return entry->mem_rdata;
	case EAR_DIFFER_RD: return entry->rd_wdata;
	case EAR_DIFFER_FRD: return entry->frd_valid && entry->fflags == 31 ? entry->frd_addr : 0;
	case EAR_DIFFER_FVALUE: return entry->frd_wdata;
	case EAR_DIFFER_CSR:
		return entry->csr_count == 0 || (entry->csrs[0].number == 0x341 &&
							entry->csrs[0].value == 1 &&
							entry->csrs[1].number == 0xFFF &&
							entry->csrs[1].value == 2)
			       ? entry->csr_count
			       : 99;
	case EAR_DIFFER_PADDR: return entry->mem_paddr == 0 ? entry->pc_paddr : 0;
	default: return 0;
	}
}

static void every_message_means_what_its_bytes_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		struct ear_record_message message;
		const struct ear_difference *first = &message.differences[0];

		if (parse(&message, row, row->size) != row->size)
			fail_msg("%s is not one message", row->name);
		if (message.run != row->run || message.count != row->count || message.done != 0 ||
			message.grouped != (row->count > 1))
			fail_msg("%s: run or count", row->name);
		if (row->count > 0 &&
			(first->mask != row->mask || first->from_number != row->number))
			fail_msg("%s: mask %x", row->name, first->mask);
		uint64_t value = row->number ? first->number : field(&message.entry, row->mask);
		if (message.grouped && !row->number)
			value = message.insns[0];
		if (row->count > 0 && value != row->value)
			fail_msg("%s: %llx", row->name, (unsigned long long)value);
		bool relative = (row->bytes[0] >> 4) >= 9 && (row->bytes[0] >> 4) <= 12;
		if (row->count > 0)
			assert_int_equal(first->relative, relative);
	}
}

static void every_record_of_a_group_comes(void **state)
{
	static const uint8_t bytes[] = {0x74, 0xE1, /* forms RAW24, RAW, NUMBER, NUMBER_HIGH */
		0x13, 0x05, 0x10, 0x01, 0x45, 0x80, 0x81};
	struct ear_record_message message;

	(void)state;
	assert_int_equal(
		ear_record_message_parse(&message, bytes, sizeof(bytes), 32, 0), sizeof(bytes));
	assert_int_equal(message.run, 4);
	assert_int_equal(message.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(message.differences[i].mask, EAR_DIFFER_INSN);
	assert_int_equal(message.insns[0], 0x100513);
	assert_int_equal(message.insns[1], 0x4501);
	assert_false(message.differences[1].from_number);
	assert_true(message.differences[2].from_number);
	assert_true(message.differences[3].from_number);
	assert_int_equal(message.differences[2].number, 0x80);
	assert_int_equal(message.differences[3].number, 0x181);
}

static void every_proper_prefix_asks_for_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t size = 0; size < rows[i].size; size++) {
			struct ear_record_message message;
			if (parse(&message, &rows[i], size) != EAR_E_MORE)
				fail_msg("%s: %zu bytes", rows[i].name, size);
		}
	}
}

static void bytes_after_a_message_do_not_matter(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (unsigned byte = 0; byte < 256; byte += 5) {
			struct ear_record_message message;
			uint8_t bytes[64];
			memset(bytes, (int)byte, sizeof(bytes));
			memcpy(bytes, rows[i].bytes, rows[i].size);
			assert_int_equal(ear_record_message_parse(&message, bytes, sizeof(bytes),
						 rows[i].xlen, rows[i].flen),
				rows[i].size);
		}
	}
}

static void reserved_codes_are_refused(void **state)
{
	static const struct {
		const char *why;
		uint8_t size, bytes[24];
	} bad[] = {
		{"a run of nothing", 1, {0x00}},
		{"run code 15", 3, {0x0F, 0xFF, 0xFF}},
		{"run code 15 of another kind", 3, {0x1F, 0x01, 0x02}},
		{"a run in two bytes that one would hold", 3, {0x0E, 0x0C, 0x01}},
		{"the kind of RAW and SYNC", 2, {0x80, 0x00}},
		{"RAW24 of a compressed opcode", 4, {0x20, 0x01, 0x45, 0x00}},
		{"RAW24 of a compressed opcode in a group", 6,
			{0x50, 0x09, 0x01, 0x45, 0x00, 0x77}},
		{"a form after the last of a group of 2", 5, {0x50, 0x1A, 1, 2, 3}},
		{"a form after the last of a group of 3", 5, {0x60, 0x6A, 1, 2, 3}},
		{"VALUE, form 5", 3, {0xC0, 0x05, 1}},
		{"VALUE, form 7", 3, {0xC0, 0x07, 1}},
		{"VALUE, bit 7", 3, {0xC0, 0x80, 1}},
		{"FVALUE without F registers", 9, {0xE0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"an empty mask", 4, {0xF0, 0, 0, 0}},
		{"a reserved bit of the mask", 4, {0xF0, 0, 0, 0x10}},
		{"the last reserved bit of the mask", 4, {0xF0, 0, 0, 0x80}},
		{"a status bit of another message", 6, {0xF0, 0x04, 0, 0, 0x01, 0}},
		{"an extension status above 3", 6, {0xF0, 0x04, 0, 0, 0x70, 4}},
		{"rs1 above 31", 6, {0xF0, 0x20, 0, 0, 32, 0}},
		{"rs2 above 31", 6, {0xF0, 0x20, 0, 0, 0, 0xFF}},
		{"a trap of 2", 9, {0xF0, 0x00, 0x01, 0, 2}},
		{"rd above 31", 5, {0xF0, 0x00, 0x20, 0, 32}},
		{"rmask of 8 bytes on XLEN 32", 6, {0xF0, 0x00, 0x04, 0, 0xFF, 0}},
		{"wmask of 5 bytes on XLEN 32", 6, {0xF0, 0x00, 0x04, 0, 0, 0x10}},
		{"9 CSRs", 5, {0xF0, 0, 0, 0x04, 9}},
		{"CSR 4096", 11, {0xF0, 0, 0, 0x04, 1, 0x00, 0x10}},
		{"bit 5 of frd", 6, {0xF0, 0x00, 0x80, 0, 0x20, 0}},
		{"6 flags", 6, {0xF0, 0x00, 0x80, 0, 0x00, 0x20}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct ear_record_message message;
		uint8_t *copy = exact_copy(bad[i].bytes, bad[i].size);
		int used = ear_record_message_parse(&message, copy, bad[i].size, 32, 0);
		if (used != EAR_E_BAD_MESSAGE)
			fail_msg("%s: %d", bad[i].why, used);
		free(copy);
	}
}

/* Every bit of every message, and noise: never a read past the end, never a use of more. */
static void damaged_messages_are_survived(void **state)
{
	struct random random = {7};

	(void)state;
	for (unsigned i = 0; i < 400000; i++) {
		const struct row *row = &rows[random_below(&random, COUNT_OF(rows))];
		struct ear_record_message message;
		uint8_t bytes[sizeof(row->bytes)];
		size_t size = 1 + random_below(&random, sizeof(bytes));

		memcpy(bytes, row->bytes, sizeof(bytes));
		for (unsigned k = 0; k < 1 + i % 4; k++)
			bytes[random_below(&random, size)] ^=
				(uint8_t)(1u << random_below(&random, 8));
		if (i % 8 == 0)
			for (size_t k = 0; k < size; k++)
				bytes[k] = (uint8_t)(random_next(&random) >> 56);
		uint8_t *copy = exact_copy(bytes, size);
		int used = ear_record_message_parse(
			&message, copy, size, i & 1 ? 64 : 32, (unsigned)(i >> 1 & 3) * 32 % 96);
		free(copy);
		if (used != EAR_E_MORE && used != EAR_E_BAD_MESSAGE) {
			assert_above(used, 0);
			assert_at_most((size_t)used, size);
			assert_at_most(message.run, EAR_RUN_MAX);
			assert_at_most(message.count, EAR_GROUP_MAX);
			assert_above(message.run + message.count, 0);
		}
	}
}

/* Building --------------------------------------------------------------------------------- */

/* The fields of mask are those of *entry, the others of *guess. */
static void take_fields(struct ear_retire *entry, const struct ear_retire *guess, uint32_t mask)
{
	struct ear_retire mixed = *guess;

#define TAKE(bit, member) \
	if (mask & EAR_DIFFER_##bit) \
	mixed.member = entry->member
	TAKE(ORDER, order);
	TAKE(PC, pc_rdata);
	TAKE(HEAD, halt);
	TAKE(HEAD, intr);
	TAKE(HEAD, mode);
	TAKE(HEAD, ixl);
	TAKE(HEAD, debug);
	TAKE(HEAD, virt);
	TAKE(INSN, insn);
	TAKE(NUMBERS, rs1_addr);
	TAKE(NUMBERS, rs2_addr);
	TAKE(RS1, rs1_rdata);
	TAKE(RS2, rs2_rdata);
	TAKE(TRAP, trap);
	TAKE(TRAP, cause);
	TAKE(ADDRESS, mem_addr);
	TAKE(MASKS, mem_rmask);
	TAKE(MASKS, mem_wmask);
	TAKE(RDATA, mem_rdata);
	TAKE(WDATA, mem_wdata);
	TAKE(RD_ADDR, rd_addr);
	TAKE(RD, rd_wdata);
	TAKE(FRD, frd_valid);
	TAKE(FRD, frd_addr);
	TAKE(FRD, fflags);
	TAKE(FVALUE, frd_wdata);
	TAKE(NEXT_PC, pc_wdata);
	TAKE(CSR, csr_count);
	TAKE(PADDR, pc_paddr);
	TAKE(PADDR, mem_paddr);
#undef TAKE
	if (mask & EAR_DIFFER_CSR)
		memcpy(mixed.csrs, entry->csrs, sizeof(mixed.csrs));
	mixed.irq = (mask & EAR_DIFFER_IRQ) != 0;
	*entry = mixed;
}

/* Any mask: the fields that it names come back, and no others are output. */
static void any_set_of_fields_comes_back(void **state)
{
	struct random random = {8};

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		unsigned xlen = i & 1 ? 64 : 32;
		struct ear_difference difference = {0};
		struct ear_record_message message;
		struct ear_retire entry, zero = {.xlen = (uint8_t)xlen};
		uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];
		uint32_t run = (uint32_t)(random_next(&random) >> 48) >> random_below(&random, 16);

		retire_random(&entry, &random, xlen);
		entry.order = random_next(&random);
		difference.mask = (uint32_t)(random_next(&random) >> 44);
		if (i % 3 == 0)
			difference.mask &= (uint32_t)(random_next(&random) >> 44);
		if (i % 5 == 0)
			difference.mask = 1u << random_below(&random, 20);
		if (difference.mask == 0)
			continue;
		take_fields(&entry, &zero, difference.mask);
		size_t size = ear_record_message_build(bytes, run, &entry, &difference, 64);
		assert_at_most(size, sizeof(bytes));
		assert_int_equal(ear_record_message_parse(&message, bytes, size, xlen, 64), size);
		assert_int_equal(message.run, run);
		assert_int_equal(message.count, 1);
		assert_int_equal(message.differences[0].mask, difference.mask);
		message.entry.xlen = (uint8_t)xlen;
		if (message.differences[0].relative) { /* the prediction was 0 */
			message.entry.mem_rdata = xlen == 32 ? (uint32_t)message.entry.mem_rdata
							     : message.entry.mem_rdata;
			message.entry.rd_wdata = xlen == 32 ? (uint32_t)message.entry.rd_wdata
							    : message.entry.rd_wdata;
		}
		take_fields(&message.entry, &zero, difference.mask);
		const char *other = retire_difference(&entry, &message.entry);
		if (other)
			fail_msg("mask %x: %s", difference.mask, other);
	}
}

/* Section 7, "Which message is sent": the shortest that fits. */
static void the_message_follows_from_what_differs(void **state)
{
	static const struct {
		uint32_t mask, insn;
		uint64_t value, expected;
		uint8_t rmask, kind, size;
		int number; /* -1: not in the dictionary */
	} choices[] = {
		{EAR_DIFFER_INSN, 0x100002B7, 0, 0, 0, EAR_PREDICT_INSN, 5, -1},
		{EAR_DIFFER_INSN, 0x4515, 0, 0, 0, EAR_PREDICT_INSN, 3, -1},
		{EAR_DIFFER_INSN, 0x00A2A023, 0, 0, 0, EAR_PREDICT_INSN24, 4, -1},
		{EAR_DIFFER_INSN, 0x100002B7, 0, 0, 0, EAR_PREDICT_NUMBER, 2, 255},
		{EAR_DIFFER_INSN, 0x100002B7, 0, 0, 0, EAR_PREDICT_NUMBER_HIGH, 2, 256},
		{EAR_DIFFER_INSN, 0xDEAD4515, 0, 0, 0, EAR_PREDICT_GENERAL, 8, -1},
		{EAR_DIFFER_INSN, 0xDEAD4515, 0, 0, 0, EAR_PREDICT_NUMBER, 2, 3},
		{EAR_DIFFER_RDATA, 0, 0x105, 0x100, 0xF, EAR_PREDICT_RDATA1, 2, -1},
		{EAR_DIFFER_RDATA, 0, 0x80, 0x100, 0xF, EAR_PREDICT_RDATA1, 2, -1},
		{EAR_DIFFER_RDATA, 0, 0x7F, 0x100, 0xF, EAR_PREDICT_RDATA2, 3, -1},
		{EAR_DIFFER_RDATA, 0, 0x180, 0x100, 0xF, EAR_PREDICT_RDATA2, 3, -1},
		{EAR_DIFFER_RDATA, 0, 0x8100, 0x100, 0xF, EAR_PREDICT_VALUE, 5, -1},
		{EAR_DIFFER_RDATA, 0, 0x12345678, 0, 0xF, EAR_PREDICT_RDATA4, 5, -1},
		{EAR_DIFFER_RDATA, 0, 0xFFFFFFFF, 0, 0xF, EAR_PREDICT_RDATA1, 2, -1},
		{EAR_DIFFER_RDATA, 0, 0xFF, 0x01, 0x1, EAR_PREDICT_RDATA1, 2, -1},
		{EAR_DIFFER_RDATA, 0, 0xFFFF, 0x01, 0x3, EAR_PREDICT_RDATA1, 2, -1},
		/* data beside the byte that was read: once they were cut off */
		{EAR_DIFFER_RDATA, 0, 0x1FF, 0x01, 0x1, EAR_PREDICT_GENERAL, 8, -1},
		{EAR_DIFFER_RDATA, 0, 0x10000, 0, 0x3, EAR_PREDICT_GENERAL, 8, -1},
		{EAR_DIFFER_RDATA | EAR_DIFFER_INSN, 0x4515, 0x10000, 0, 0x3, EAR_PREDICT_GENERAL,
			12, -1},
		/* neither one access nor none: the whole register's width */
		{EAR_DIFFER_RDATA, 0, 0xFFFFFF05, 0, 0x5, EAR_PREDICT_RDATA2, 3, -1},
		{EAR_DIFFER_RDATA, 0, 0x80000000, 0, 0x0, EAR_PREDICT_RDATA4, 5, -1},
		{EAR_DIFFER_RD, 0, 4, 5, 0, EAR_PREDICT_VALUE, 3, -1},
		{EAR_DIFFER_RD, 0, 0x12345678, 0, 0, EAR_PREDICT_VALUE, 6, -1},
		{EAR_DIFFER_RD | EAR_DIFFER_INSN, 0x4515, 4, 5, 0, EAR_PREDICT_VALUE, 5, -1},
		{EAR_DIFFER_RD | EAR_DIFFER_INSN, 0xA2A023, 4, 5, 0, EAR_PREDICT_VALUE, 6, -1},
		{EAR_DIFFER_RD | EAR_DIFFER_INSN, 0x4515, 4, 5, 0, EAR_PREDICT_VALUE, 4, 300},
		{EAR_DIFFER_RD | EAR_DIFFER_INSN, 0x14515, 4, 5, 0, EAR_PREDICT_GENERAL, 12, -1},
		{EAR_DIFFER_RD | EAR_DIFFER_RDATA, 0, 4, 5, 0xF, EAR_PREDICT_GENERAL, 12, -1},
		{EAR_DIFFER_RD | EAR_DIFFER_PC, 0, 4, 5, 0, EAR_PREDICT_GENERAL, 12, -1},
		{EAR_DIFFER_IRQ, 0, 0, 0, 0, EAR_PREDICT_IRQ, 1, -1},
		{EAR_DIFFER_IRQ | EAR_DIFFER_INSN, 0x4515, 0, 0, 0, EAR_PREDICT_GENERAL, 8, -1},
		{EAR_DIFFER_FVALUE, 0, 0, 0, 0, EAR_PREDICT_FVALUE, 5, -1},
		{EAR_DIFFER_FVALUE | EAR_DIFFER_FRD, 0, 0, 0, 0, EAR_PREDICT_GENERAL, 14, -1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(choices); i++) {
		struct ear_retire entry = {.xlen = 32,
			.insn = choices[i].insn,
			.mem_rdata = choices[i].value,
			.rd_wdata = choices[i].value,
			.mem_rmask = choices[i].rmask};
		struct ear_difference difference = {.mask = choices[i].mask,
			.expected = choices[i].expected,
			.from_number = choices[i].number >= 0,
			.number = (uint16_t)(choices[i].number < 0 ? 0 : choices[i].number)};
		uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];
		size_t size = ear_record_message_build(bytes, 3, &entry, &difference, 32);
		if (bytes[0] != (choices[i].kind << 4 | 3) || size != choices[i].size)
			fail_msg("choice %zu: kind %x, %zu bytes", i, bytes[0] >> 4, size);
	}
}

static void groups_come_back(void **state)
{
	struct random random = {9};

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		struct ear_difference differences[EAR_GROUP_MAX] = {{0}};
		uint32_t insns[EAR_GROUP_MAX];
		struct ear_record_message message;
		uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];
		unsigned count = 1 + (unsigned)random_below(&random, EAR_GROUP_MAX);
		uint32_t run = (uint32_t)random_below(&random, 300);

		for (unsigned k = 0; k < count; k++) {
			insns[k] = (uint32_t)(random_next(&random) >> 32) >>
				   (random_once_in(&random, 3) ? 8 : 0);
			if ((insns[k] & 3) != 3)
				insns[k] &= 0xFFFF;
			differences[k].mask = EAR_DIFFER_INSN;
			differences[k].from_number = random_once_in(&random, 2);
			differences[k].number = (uint16_t)random_below(&random, 512);
			assert_true(ear_fits_group(&differences[k], insns[k]));
		}
		size_t size = ear_group_build(bytes, run, count, insns, differences);
		assert_int_equal(ear_record_message_parse(&message, bytes, size, 32, 0), size);
		assert_int_equal(message.count, count);
		assert_int_equal(message.run, run);
		for (unsigned k = 0; k < count; k++) {
			assert_int_equal(
				message.differences[k].from_number, differences[k].from_number);
			if (differences[k].from_number)
				assert_int_equal(
					message.differences[k].number, differences[k].number);
			else
				assert_int_equal(count == 1 ? message.entry.insn : message.insns[k],
					insns[k]);
		}
	}
}

static void only_opcodes_with_a_short_form_fit_a_group(void **state)
{
	struct ear_difference insn = {.mask = EAR_DIFFER_INSN},
			      number = {.mask = EAR_DIFFER_INSN, .from_number = true},
			      more = {.mask = EAR_DIFFER_INSN | EAR_DIFFER_RD}, none = {0};

	(void)state;
	assert_true(ear_fits_group(&insn, 0x00000013));
	assert_true(ear_fits_group(&insn, 0x4515));
	assert_false(ear_fits_group(&insn, 0x14515));
	assert_true(ear_fits_group(&number, 0x14515));
	assert_false(ear_fits_group(&more, 0x13));
	assert_false(ear_fits_group(&none, 0x13));
}

static void every_run_comes_back(void **state)
{
	(void)state;
	for (uint32_t run = 1; run <= EAR_RUN_MAX; run++) {
		struct ear_record_message message;
		uint8_t bytes[EAR_DIFFERENCE_SIZE_MAX];
		size_t size = ear_run_build(bytes, run);

		assert_int_equal(size, run < 13 ? 1 : run < 269 ? 2 : 3);
		assert_int_equal(ear_record_message_parse(&message, bytes, size, 32, 0), size);
		assert_int_equal(message.run, run);
		assert_int_equal(message.count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_means_what_its_bytes_say),
		cmocka_unit_test(every_record_of_a_group_comes),
		cmocka_unit_test(every_proper_prefix_asks_for_more),
		cmocka_unit_test(bytes_after_a_message_do_not_matter),
		cmocka_unit_test(reserved_codes_are_refused),
		cmocka_unit_test(damaged_messages_are_survived),
		cmocka_unit_test(any_set_of_fields_comes_back),
		cmocka_unit_test(the_message_follows_from_what_differs),
		cmocka_unit_test(groups_come_back),
		cmocka_unit_test(only_opcodes_with_a_short_form_fit_a_group),
		cmocka_unit_test(every_run_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
