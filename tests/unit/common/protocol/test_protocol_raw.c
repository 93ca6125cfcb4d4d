/* RAW32 and RAW64: docs/protocol.md, section 4.7. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "common/protocol/bytes.h"
#include "common/protocol/message.h"
#include "common/protocol/raw.h"
#include "retire_random.h"

static const unsigned widths[] = {32, 64};

/* One entry for each mask bit, with nothing but the field that sets it. */
struct row {
	const char *name;
	uint16_t mask;
	size_t size32, size64; /* bytes that the field adds */
	struct ear_retire entry;
};

static const struct row rows[] = {
	{"insn32", EAR_RAW_INSN32, 2, 2, {.insn = 0x00010000}},
	{"rs1 number", EAR_RAW_RS1, 5, 9, {.rs1_addr = 31}},
	{"rs1 value", EAR_RAW_RS1, 5, 9, {.rs1_rdata = 0x80000000}},
	{"rs2 number", EAR_RAW_RS2, 5, 9, {.rs2_addr = 1}},
	{"rs2 value", EAR_RAW_RS2, 5, 9, {.rs2_rdata = 1}},
	{"rd number", EAR_RAW_RD, 5, 9, {.rd_addr = 17}},
	{"rd value", EAR_RAW_RD, 5, 9, {.rd_wdata = 0xFFFFFFFF}},
	{"mem address", EAR_RAW_MEM, 5, 10, {.mem_addr = 0x1000}},
	{"mem read mask", EAR_RAW_MEM, 5, 10, {.mem_rmask = 0xF}},
	{"mem write mask", EAR_RAW_MEM, 5, 10, {.mem_wmask = 0x8}},
	{"read data", EAR_RAW_RDATA, 4, 8, {.mem_rdata = 0x01020304}},
	{"write data", EAR_RAW_WDATA, 4, 8, {.mem_wdata = 0x80000001}},
	{"cause", EAR_RAW_CAUSE, 4, 8, {.cause = 11}},
	{"one CSR", EAR_RAW_CSR, 7, 11, {.csr_count = 1, .csrs = {{4095, 5}}}},
	{"two CSRs, value 0", EAR_RAW_CSR, 13, 21, {.csr_count = 2, .csrs = {{0, 0}, {1, 0}}}},
	{"FP register 0", EAR_RAW_FRD, 10, 10, {.frd_valid = true}},
	{"FP value", EAR_RAW_FRD, 10, 10,
		{.frd_valid = true, .frd_addr = 31, .frd_wdata = UINT64_MAX}},
	{"FP flags only", EAR_RAW_FRD, 10, 10, {.fflags = 31}},
	{"physical pc", EAR_RAW_PC_PADDR, 8, 8, {.pc_paddr = UINT64_MAX}},
	{"physical address", EAR_RAW_MEM_PADDR, 8, 8, {.mem_paddr = 1}},
	{"debug", EAR_RAW_EXT, 1, 1, {.debug = true}},
	{"virtualised", EAR_RAW_EXT, 1, 1, {.virt = true}},
};

/* Build, check size and mask, parse from a block of exact size, compare, try every prefix. */
static void check_round_trip(const struct ear_retire *entry, bool has_order, const char *name)
{
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
	struct ear_retire parsed;
	bool parsed_order = !has_order;
	size_t size = ear_raw_build(bytes, entry, has_order);

	if (size != ear_raw_size(entry, has_order))
		fail_msg("%s: built %zu bytes, size says %zu", name, size,
			ear_raw_size(entry, has_order));
	memset(&parsed, 0xA5, sizeof(parsed));
	uint8_t *copy = exact_copy(bytes, size);
	assert_int_equal(ear_raw_parse(&parsed, &parsed_order, copy, size), size);
	free(copy);
	assert_int_equal(parsed_order, has_order);
	const char *difference = retire_difference(entry, &parsed);
	if (difference)
		fail_msg("%s: %s differs", name, difference);

	for (size_t part = 4; part < size; part++) {
		copy = exact_copy(bytes, part);
		assert_int_equal(ear_raw_parse(&parsed, &parsed_order, copy, part), EAR_E_MORE);
		free(copy);
	}
}

static void every_mask_bit_alone_carries_its_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t w = 0; w < COUNT_OF(widths); w++) {
			struct ear_retire entry = rows[i].entry;
			uint8_t bytes[EAR_MESSAGE_SIZE_MAX];

			entry.xlen = (uint8_t)widths[w];
			size_t size = ear_raw_build(bytes, &entry, false);
			assert_int_equal(bytes[0], widths[w] == 32 ? 0x8A : 0x8B);
			assert_int_equal(ear_load_le16(bytes + 2), rows[i].mask);
			assert_int_equal(
				size, widths[w] == 32 ? 14 + rows[i].size32 : 22 + rows[i].size64);
			check_round_trip(&entry, false, rows[i].name);
		}
	}
}

static void order_is_sent_when_asked_for_even_if_it_is_zero(void **state)
{
	static const uint64_t orders[] = {0, 1, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		for (size_t w = 0; w < COUNT_OF(widths); w++) {
			struct ear_retire entry = {.xlen = (uint8_t)widths[w], .order = orders[i]};
			check_round_trip(&entry, true, "order");
			assert_int_equal(
				ear_raw_size(&entry, true), ear_raw_size(&entry, false) + 8);
		}
	}
}

static void fill_everything(struct ear_retire *entry, unsigned xlen)
{
	uint64_t ones = xlen == 32 ? UINT32_MAX : UINT64_MAX;

	*entry = (struct ear_retire){.order = UINT64_MAX,
		.pc_rdata = ones,
		.pc_wdata = ones,
		.rs1_rdata = ones,
		.rs2_rdata = ones,
		.rd_wdata = ones,
		.mem_addr = ones,
		.mem_rdata = ones,
		.mem_wdata = ones,
		.cause = ones,
		.frd_wdata = UINT64_MAX,
		.pc_paddr = UINT64_MAX,
		.mem_paddr = UINT64_MAX,
		.insn = UINT32_MAX,
		.xlen = (uint8_t)xlen,
		.trap = true,
		.halt = true,
		.intr = true,
		.irq = true,
		.debug = true,
		.virt = true,
		.mode = 3,
		.ixl = 3,
		.rs1_addr = 31,
		.rs2_addr = 31,
		.rd_addr = 31,
		.mem_rmask = xlen == 32 ? 0xF : 0xFF,
		.mem_wmask = xlen == 32 ? 0xF : 0xFF,
		.frd_valid = true,
		.frd_addr = 31,
		.fflags = 31,
		.csr_count = EAR_RETIRE_CSRS_MAX};
	for (unsigned i = 0; i < EAR_RETIRE_CSRS_MAX; i++)
		entry->csrs[i] = (struct ear_retire_csr){(uint16_t)(4095 - i), ones};
}

static void all_fields_together_fit_the_largest_message(void **state)
{
	struct ear_retire entry;

	(void)state;
	for (size_t w = 0; w < COUNT_OF(widths); w++) {
		fill_everything(&entry, widths[w]);
		check_round_trip(&entry, true, "everything");
	}
	assert_int_equal(ear_raw_size(&entry, true),
		4 + 8 + 4 + 16 + 27 + 10 + 8 + 8 + 8 + (1 + 8 * 10) + 10 + 16 + 1);
}

static void all_fields_together_set_every_bit_but_the_reserved(void **state)
{
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
	struct ear_retire entry;

	(void)state;
	fill_everything(&entry, 64);
	ear_raw_build(bytes, &entry, true);
	assert_int_equal(bytes[1], 0xFF);
	assert_int_equal(ear_load_le16(bytes + 2), 0x3FFF);
}

static void random_entries_are_read_back_as_they_were(void **state)
{
	struct random random = {0x4157};
	unsigned seen = 0;

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		for (size_t w = 0; w < COUNT_OF(widths); w++) {
			struct ear_retire entry;
			uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
			bool has_order = random_once_in(&random, 2);

			retire_random(&entry, &random, widths[w]);
			entry.order = has_order ? random_next(&random) : 0;
			check_round_trip(&entry, has_order, "random");
			ear_raw_build(bytes, &entry, has_order);
			seen |= ear_load_le16(bytes + 2);
		}
	}
	assert_int_equal(seen, 0x3FFF);
}

static void the_status_byte_holds_each_bit_where_the_document_says(void **state)
{
	static const struct {
		struct ear_retire entry;
		uint8_t status;
	} status_rows[] = {
		{{.xlen = 32, .trap = true}, 0x01},
		{{.xlen = 32, .halt = true}, 0x02},
		{{.xlen = 32, .intr = true}, 0x04},
		{{.xlen = 32, .irq = true}, 0x08},
		{{.xlen = 32, .mode = 1}, 0x10},
		{{.xlen = 32, .mode = 3}, 0x30},
		{{.xlen = 32, .ixl = 1}, 0x40},
		{{.xlen = 32, .ixl = 2}, 0x80},
	};
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(status_rows); i++) {
		ear_raw_build(bytes, &status_rows[i].entry, false);
		assert_int_equal(bytes[1], status_rows[i].status);
		check_round_trip(&status_rows[i].entry, false, "status");
	}
}

static void an_fp_register_that_was_not_written_is_sent_as_zero(void **state)
{
	struct ear_retire entry = {.xlen = 64, .frd_addr = 7, .frd_wdata = 99, .fflags = 1};
	struct ear_retire parsed;
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
	bool has_order;

	(void)state;
	size_t size = ear_raw_build(bytes, &entry, false);
	assert_above(ear_raw_parse(&parsed, &has_order, bytes, size), 0);
	assert_false(parsed.frd_valid);
	assert_int_equal(parsed.frd_addr, 0);
	assert_int_equal(parsed.frd_wdata, 0);
	assert_int_equal(parsed.fflags, 1);
}

/* A message with everything in it, one byte of it replaced: the offsets follow the table. */
static void check_refused(unsigned xlen, size_t offset, unsigned value)
{
	struct ear_retire entry, parsed;
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];
	bool has_order;

	fill_everything(&entry, xlen);
	size_t size = ear_raw_build(bytes, &entry, true);
	bytes[offset] = (uint8_t)value;
	assert_int_equal(ear_raw_parse(&parsed, &has_order, bytes, size), EAR_E_BAD_MESSAGE);
}

static void reserved_bits_and_bad_numbers_are_refused(void **state)
{
	(void)state;
	for (size_t w = 0; w < COUNT_OF(widths); w++) {
		unsigned xlen = widths[w];
		size_t x = xlen / 8;
		size_t rs1 = 16 + 2 * x;
		size_t csr = rs1 + 3 * (1 + x) + x + (xlen == 64 ? 2 : 1) + 3 * x;
		size_t frd = csr + 1 + 8 * (2 + x);

		check_refused(xlen, 3, 0x7F);                 /* mask bit 14 */
		check_refused(xlen, 3, 0xBF);                 /* mask bit 15 */
		check_refused(xlen, rs1, 32);                 /* x32 */
		check_refused(xlen, rs1 + 1 + x, 255);        /* x255 */
		check_refused(xlen, rs1 + 2 * (1 + x), 64);   /* x64 */
		check_refused(xlen, csr, 0);                  /* no CSR in a CSR field */
		check_refused(xlen, csr, 9);                  /* more than slots can be */
		check_refused(xlen, csr, 255);                /* many more */
		check_refused(xlen, csr + 2, 0x10);           /* CSR 4096 and up */
		check_refused(xlen, frd, 0x20);               /* f register number, bit 5 */
		check_refused(xlen, frd, 0xC0);               /* f register number, bit 6 */
		check_refused(xlen, frd + 1, 32);             /* a sixth fflag */
		check_refused(xlen, frd + 10 + 16, 0x04);     /* extension status, bit 2 */
		check_refused(xlen, frd + 10 + 16, 0x80 | 3); /* extension status, bit 7 */
	}
}

static void no_random_bytes_are_read_past_their_end(void **state)
{
	struct random random = {0xBAD};
	struct ear_retire parsed;
	bool has_order;

	(void)state;
	for (unsigned round = 0; round < 50000; round++) {
		uint8_t bytes[256];
		size_t size = random_below(&random, sizeof(bytes));
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)(random_next(&random) >> 56);
		if (size > 0)
			bytes[0] = random_once_in(&random, 2) ? 0x8A : 0x8B;
		if (size > 3)
			bytes[3] &= 0x3F;
		uint8_t *copy = exact_copy(bytes, size);
		int used = ear_raw_parse(&parsed, &has_order, copy, size);
		if (used != EAR_E_MORE && used != EAR_E_BAD_MESSAGE) {
			assert_at_least(used, 14);
			assert_at_most((size_t)used, size);
		}
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mask_bit_alone_carries_its_field),
		cmocka_unit_test(order_is_sent_when_asked_for_even_if_it_is_zero),
		cmocka_unit_test(all_fields_together_fit_the_largest_message),
		cmocka_unit_test(all_fields_together_set_every_bit_but_the_reserved),
		cmocka_unit_test(random_entries_are_read_back_as_they_were),
		cmocka_unit_test(the_status_byte_holds_each_bit_where_the_document_says),
		cmocka_unit_test(an_fp_register_that_was_not_written_is_sent_as_zero),
		cmocka_unit_test(reserved_bits_and_bad_numbers_are_refused),
		cmocka_unit_test(no_random_bytes_are_read_past_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
