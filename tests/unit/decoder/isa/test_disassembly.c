/* Texts of instructions of every set. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/disassembly.h"

struct row {
	enum ear_isa isa;
	uint64_t pc, opcode;
	unsigned size, xlen;
	const char *text;
};

static const struct row rows[] = {
	{EAR_ISA_RISCV, 0, 0x00a2a023, 4, 32, "sw       x10, 0x0(x5)"},
	{EAR_ISA_RISCV, 0, 0x30200073, 4, 32, "mret"}, /* no blanks at the end */
	{EAR_ISA_RISCV, 0, 0x0005b503, 4, 64, "ld       x10, 0x0(x11)"},
	{EAR_ISA_RISCV, 0, 0x0005b503, 4, 32, "ld       x10, 0x0(x11)"}, /* Zilsd */
	{EAR_ISA_RISCV, 0, 0x0005b583, 4, 32, "<unknown>"},
	{EAR_ISA_RISCV, 0, 0, 2, 32, "<unknown>"},
	{EAR_ISA_A32, 0x8000, 0xe28f8090, 4, 32, "add r8, pc, #0x90"},
	{EAR_ISA_A32, 0x8004, 0xe898000f, 4, 32, "ldm r8, {r0, r1, r2, r3}"},
	{EAR_ISA_A32, 0x8090, 0x8afffffc, 4, 32, "bhi #0x8088"},
	{EAR_ISA_A32, 0x8190, 0x8afffffc, 4, 32, "bhi #0x8188"},
	{EAR_ISA_T32, 0x8000, 0x4770, 2, 32, "bx lr"},
	{EAR_ISA_T32, 0x8000, 0xf000f801, 4, 32, "bl #0x8006"},
	{EAR_ISA_A64, 0x1000, 0xb4000040, 4, 64, "cbz x0, #0x1008"},
	{EAR_ISA_A64, 0x1000, 0xd65f03c0, 4, 64, "ret"},
	{EAR_ISA_MIPS32, 0, 0x3c080001, 4, 32, "lui $t0, 1"},
	{EAR_ISA_MIPS64, 0, 0xdd090000, 4, 64, "ld $t1, ($t0)"},
	{EAR_ISA_A32, 0x8000, 0xffffffff, 4, 32, "<unknown>"},
	{EAR_ISA_A32, 0x8000, 0, 0, 32, "<unknown>"},
	{EAR_ISA_A32, 0x8000, 0x0123456789abcdef, 8, 32, "<unknown>"},
	{EAR_ISA_JAZELLE, 0x8000, 0x10, 1, 32, "<unknown>"},
	{EAR_ISA_UNKNOWN, 0x8000, 0x10, 1, 32, "<unknown>"},
};

static void check_row(struct ear_disassembler *disassembler, const struct row *row)
{
	struct ear_text text =
		ear_disassemble(disassembler, row->isa, row->xlen, row->pc, row->opcode, row->size);
	char copy[128];

	assert_below(text.size, sizeof(copy));
	memcpy(copy, text.text, text.size);
	copy[text.size] = '\0';
	assert_string_equal(copy, row->text);
}

static void every_set_has_its_texts(void **state)
{
	(void)state;
	struct ear_disassembler *disassembler = ear_disassembler_new();

	assert_non_null(disassembler);
	/* The second round comes from the cache. */
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < COUNT_OF(rows); i++)
			check_row(disassembler, &rows[i]);
	ear_disassembler_free(disassembler);
}

/* More opcodes than the cache has places, so that every place is taken over. */
static void texts_that_left_the_cache_come_back_the_same(void **state)
{
	(void)state;
	struct ear_disassembler *disassembler = ear_disassembler_new();
	struct row row = {EAR_ISA_RISCV, 0, 0x00050513, 4, 32, NULL};
	char text[40];

	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t immediate = i % 2000;
		row.opcode = immediate << 20 | (i / 2000) << 7 | 0x13;
		snprintf(text, sizeof(text), "addi     x%u, x0, %u", i / 2000, immediate);
		row.text = text;
		check_row(disassembler, &row);
	}
	check_row(disassembler, &rows[0]);
	check_row(disassembler, &rows[8]);
	ear_disassembler_free(disassembler);
}

static void the_text_of_the_source_comes_first(void **state)
{
	(void)state;
	struct ear_disassembler *disassembler = ear_disassembler_new();
	struct ear_record_extra extra = {.disassembly = {"LDMIA r8,{r0-r3}", 16}};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_A32,
		.opcode = 0xe898000f,
		.opcode_size = 4,
		.extra = &extra};

	assert_ptr_equal(ear_disassembler_text(disassembler, &record).text, extra.disassembly.text);
	extra.disassembly.size = 0; /* an empty text says nothing */
	assert_memory_equal(
		ear_disassembler_text(disassembler, &record).text, "ldm r8, {r0, r1, r2, r3}", 24);
	record.flags = EAR_RECORD_NO_OPCODE;
	assert_memory_equal(ear_disassembler_text(disassembler, &record).text, "<unknown>", 9);
	ear_disassembler_free(disassembler);
}

static void sets_are_found_by_name(void **state)
{
	(void)state;

	assert_int_equal(ear_isa_find("riscv"), EAR_ISA_RISCV);
	assert_int_equal(ear_isa_find("thumb"), EAR_ISA_T32);
	assert_int_equal(ear_isa_find("mips64"), EAR_ISA_MIPS64);
	assert_int_equal(ear_isa_find("z80"), EAR_E_BAD_ARGUMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_set_has_its_texts),
		cmocka_unit_test(texts_that_left_the_cache_come_back_the_same),
		cmocka_unit_test(the_text_of_the_source_comes_first),
		cmocka_unit_test(sets_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
