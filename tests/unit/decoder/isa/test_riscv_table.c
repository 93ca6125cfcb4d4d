/* The instruction table itself: that its rows are sound, that the decoder's index finds
 * every row, and that decoding is total: any opcode gives a consistent result.
 */
#include "check.h"

#include <string.h>

#include "decoder/isa/inst_table.h"

#define RANDOM_COUNT   2000000
#define CANDIDATES_MAX 32

/* xorshift32: the same opcodes in every run. */
static uint32_t next_random(void)
{
	static uint32_t state = 88172645u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static bool is_compressed(const struct ear_inst_row *row)
{
	return (row->match & 3) != 3;
}

/* An opcode of this row, its free bits at random. */
static uint32_t random_instance(const struct ear_inst_row *row, unsigned wide)
{
	uint32_t free_bits = ~row->mask[wide] & (is_compressed(row) ? 0xffff : UINT32_MAX);
	uint32_t opcode;

	do {
		opcode = row->match | (next_random() & free_bits);
	} while (!ear_inst_row_matches(row, opcode, wide));
	return opcode;
}

static void every_match_lies_within_its_mask(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];

		if (row->mask[0] == 0 && row->mask[1] == 0)
			fail_msg("%s exists with no XLEN", row->name);
		for (unsigned wide = 0; wide < 2; wide++) {
			if (row->mask[wide] == 0) {
				assert_int_not_equal(row->match, 0);
				continue;
			}
			assert_int_equal(row->match & ~row->mask[wide], 0);
			assert_int_equal(row->mask[wide] & 3, 3);
			assert_int_equal(row->nonzero & row->mask[wide], 0);
			if (is_compressed(row))
				assert_true(row->mask[wide] <= 0xffff);
		}
	}
}

static void every_row_says_what_it_is(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];
		bool accesses = row->kind == EAR_KIND_LOAD || row->kind == EAR_KIND_STORE ||
				row->kind == EAR_KIND_AMO || row->kind == EAR_KIND_LR ||
				row->kind == EAR_KIND_SC;
		bool vector = row->kind >= EAR_KIND_VLOAD; /* 0: SEW decides */
		unsigned size = row->access_size;

		assert_int_not_equal(row->kind, EAR_KIND_ILLEGAL);
		assert_int_not_equal(row->extension, EAR_EXT_NONE);
		if (strncmp(row->name, "cm.", 3) != 0 && (!vector || row->kind == EAR_KIND_VECTOR))
			assert_int_equal(size != 0, accesses);
		if (size != XLEN_BYTES && (size > 16 || (size & (size - 1)) != 0))
			fail_msg("%s accesses %u bytes", row->name, size);
		assert_int_equal(row->name[sizeof(row->name) - 1], '\0');
		assert_string_equal(ear_inst_name(id), row->name);
		assert_int_equal(
			strncmp(row->name, "c.", 2) == 0 || strncmp(row->name, "cm.", 3) == 0,
			is_compressed(row));
	}
}

/* Two rows overlap if some opcode fits both. */
static bool rows_overlap(const struct ear_inst_row *a, const struct ear_inst_row *b, unsigned wide)
{
	uint32_t common = a->mask[wide] & b->mask[wide];

	if (a->mask[wide] == 0 || b->mask[wide] == 0)
		return false;
	if ((a->match & common) != (b->match & common))
		return false;
	/* One wants a bit set somewhere where the other has fixed zeros. */
	if (a->nonzero != 0 && (a->nonzero & ~b->mask[wide]) == 0 && (b->match & a->nonzero) == 0)
		return false;
	if (b->nonzero != 0 && (b->nonzero & ~a->mask[wide]) == 0 && (a->match & b->nonzero) == 0)
		return false;
	return true;
}

/* Rows that a hart has instead of an earlier one with the same encodings: it has Zclsd or C with F,
 * Zcmp and Zcmt or C with D, Zicfiss or just Zcmop and Zimop.
 */
static bool is_alternative(const struct ear_inst_row *row)
{
	return row->extension == EAR_EXT_ZCLSD || row->extension == EAR_EXT_ZCMP ||
	       row->extension == EAR_EXT_ZCMT || row->extension == EAR_EXT_ZCMOP;
}

/* inst_list.def: the first match wins, so an overlap is sound only where the earlier row
 * fixes every bit that the later one fixes, and more.
 */
static void rows_overlap_only_as_special_cases_that_stand_first(void **state)
{
	unsigned overlaps = 0;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		for (unsigned i = 1; i < EAR_INST_COUNT; i++) {
			for (unsigned j = i + 1; j < EAR_INST_COUNT; j++) {
				const struct ear_inst_row *first = &ear_inst_rows[i];
				const struct ear_inst_row *second = &ear_inst_rows[j];

				if (!rows_overlap(first, second, wide) || is_alternative(second))
					continue;
				if ((second->mask[wide] & ~first->mask[wide]) != 0 ||
					second->mask[wide] == first->mask[wide])
					fail_msg("%s hides %s", first->name, second->name);
				overlaps += second->extension != EAR_EXT_RESERVED;
			}
		}
	}
	/* pause and fence.tso before fence, c.addi16sp before c.lui, zext.h before pack(w), three
	 * prefetches before ori, lpad before auipc, four ntl before add and four before c.add,
	 * three of shadow stacks before mop.r.28 and two before mop.rr.7.
	 */
	assert_int_equal(overlaps, 2 * (2 + 1 + 1 + 3 + 1 + 4 + 4 + 3 + 2));
}

static bool is_candidate(unsigned id, uint32_t opcode)
{
	for (const uint16_t *at = ear_inst_candidates(opcode); *at != 0; at++)
		if (*at == id)
			return true;
	return false;
}

static void the_index_finds_every_row(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		for (unsigned i = 0; i < 200; i++) {
			unsigned wide = ear_inst_rows[id].mask[i & 1] != 0 ? i & 1 : ~i & 1;

			if (!is_candidate(id, random_instance(&ear_inst_rows[id], wide)))
				fail_msg("%s is not in the index", ear_inst_rows[id].name);
		}
	}
}

/* The first that matches wins, and searching is short. */
static void candidates_are_few_and_in_the_order_of_the_list(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		const uint16_t *list = ear_inst_candidates(next_random());
		unsigned count = 0;

		for (; list[count] != 0; count++)
			assert_true(count == 0 || list[count - 1] < list[count]);
		assert_in_range(count, 0, CANDIDATES_MAX);
	}
}

/* As tools write them; every format has one of Whisper. */
static void spellings_are_sound(void **state)
{
	const struct ear_inst_spelling *whisper = &ear_inst_spellings[EAR_INST_WHISPER];

	(void)state;
	for (unsigned format = 0; format < FORMAT_COUNT; format++)
		if (whisper->syntax[format] == NULL)
			fail_msg("format %u has no syntax", format);
	for (unsigned style = 0; style < EAR_INST_STYLE_COUNT; style++) {
		const struct ear_inst_spelling *spelling = &ear_inst_spellings[style];

		for (unsigned i = 0; i < spelling->alias_count; i++) {
			const struct ear_inst_alias *alias = &spelling->aliases[i];

			assert_non_null(alias->text);
			assert_int_equal(alias->match & ~alias->mask, 0);
			assert_true(i == 0 || alias[-1].id <= alias->id);
		}
	}
}

static void every_instruction_decodes_to_itself(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		for (unsigned wide = 0; wide < 2; wide++) {
			const struct ear_inst_row *row = &ear_inst_rows[id];

			for (unsigned i = 0; i < 200 && row->mask[wide] != 0; i++) {
				uint32_t opcode = random_instance(row, wide);
				struct ear_inst inst;

				ear_inst_decode(&inst, opcode, wide ? 64 : 32);
				if (row->extension == EAR_EXT_RESERVED) { /* Whisper's name */
					assert_int_not_equal(inst.id, id);
					ear_inst_decode_as_whisper(&inst, opcode, wide ? 64 : 32);
				}
				if (inst.id == id || inst.id == EAR_INST_ILLEGAL)
					/* Some encodings of a checked row are reserved. */
					assert_true(inst.id == id || row->flags & ROW_CHECKED);
				else /* a special case of it, or what another hart has there */
					assert_true(
						inst.id < id &&
						rows_overlap(&ear_inst_rows[inst.id], row, wide));
			}
		}
	}
}

static void check_operand(const struct ear_operand *operand)
{
	switch (operand->kind) {
	case EAR_OPERAND_X:
	case EAR_OPERAND_F:
	case EAR_OPERAND_V:
		assert_in_range(operand->value, 0, 31);
		assert_in_range(operand->value + operand->count, 1, 32);
		assert_in_range(operand->access & ~EAR_OPERAND_ASIDE, EAR_OPERAND_READ,
			EAR_OPERAND_READ | EAR_OPERAND_WRITE);
		break;
	case EAR_OPERAND_CSR:
		assert_in_range(operand->value, 0, 4095);
		assert_int_equal(operand->access, EAR_OPERAND_READ | EAR_OPERAND_WRITE);
		break;
	default:
		assert_int_equal(operand->kind, EAR_OPERAND_IMM);
		assert_int_equal(operand->access, 0);
	}
}

static void check_opcode(uint32_t opcode, unsigned xlen)
{
	int size = (opcode & 3) == 3 ? 4 : 2;
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;
	int length;

	assert_int_equal(ear_inst_decode(&inst, opcode, xlen), size);
	assert_int_equal(inst.size, size);
	assert_int_equal(inst.xlen, xlen);
	assert_int_equal(inst.opcode, size == 2 ? opcode & 0xffff : opcode);
	assert_true(inst.id < EAR_INST_COUNT);
	assert_int_equal(inst.kind == EAR_KIND_ILLEGAL, inst.id == EAR_INST_ILLEGAL);
	assert_true(inst.operand_count <= EAR_OPERAND_MAX);
	for (unsigned i = 0; i < inst.operand_count; i++)
		check_operand(&inst.operands[i]);

	length = ear_inst_disassemble(text, sizeof(text), &inst);
	assert_in_range(length, 1, sizeof(text) - 1);
	assert_int_equal(strlen(text), length);
	length = ear_inst_sources(text, sizeof(text), &inst, &(struct ear_inst_mode){.frm = 7});
	assert_in_range(length, 0, sizeof(text) - 1);
	assert_int_equal(strlen(text), length);
	assert_non_null(ear_inst_info(&inst, false));
}

static void all_16_bit_opcodes_decode_consistently(void **state)
{
	(void)state;
	for (uint32_t opcode = 0; opcode < 0x10000; opcode++) {
		check_opcode(opcode, 32);
		check_opcode(opcode, 64);
	}
}

static void random_32_bit_opcodes_decode_consistently(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RANDOM_COUNT; i++) {
		uint32_t opcode = next_random() | 3;

		check_opcode(opcode, i & 1 ? 64 : 32);
	}
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		for (unsigned i = 0; i < 1000; i++) {
			unsigned wide = ear_inst_rows[id].mask[i & 1] != 0 ? i & 1 : ~i & 1;

			check_opcode(random_instance(&ear_inst_rows[id], wide), wide ? 64 : 32);
		}
	}
}

/* Opcodes that only XLEN distinguishes. */
static void an_instruction_of_one_xlen_is_illegal_in_the_other(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];
		unsigned wide = row->mask[1] != 0;
		struct ear_inst inst;

		if (row->mask[!wide] != 0)
			continue;
		for (unsigned i = 0; i < 100; i++) {
			ear_inst_decode(&inst, random_instance(row, wide), wide ? 32 : 64);
			assert_int_not_equal(inst.id, id);
		}
	}
}

static void csr_names_are_unique_and_high_halves_end_in_h(void **state)
{
	(void)state;
	for (unsigned csr = 0; csr < 4096; csr++) {
		const char *name = ear_csr_name(csr);

		if (name == NULL)
			continue;
		for (unsigned other = csr + 1; other < 4096; other++) {
			const char *other_name = ear_csr_name(other);

			if (other_name && strcmp(name, other_name) == 0)
				fail_msg("CSRs %#x and %#x are both %s", csr, other, name);
		}
		if (ear_csr_is_rv32_only(csr))
			assert_int_equal(name[strlen(name) - 1], 'h');
	}
	assert_null(ear_csr_name(4096));
	assert_false(ear_csr_is_rv32_only(4096));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_match_lies_within_its_mask),
		cmocka_unit_test(every_row_says_what_it_is),
		cmocka_unit_test(rows_overlap_only_as_special_cases_that_stand_first),
		cmocka_unit_test(the_index_finds_every_row),
		cmocka_unit_test(candidates_are_few_and_in_the_order_of_the_list),
		cmocka_unit_test(spellings_are_sound),
		cmocka_unit_test(every_instruction_decodes_to_itself),
		cmocka_unit_test(all_16_bit_opcodes_decode_consistently),
		cmocka_unit_test(random_32_bit_opcodes_decode_consistently),
		cmocka_unit_test(an_instruction_of_one_xlen_is_illegal_in_the_other),
		cmocka_unit_test(csr_names_are_unique_and_high_halves_end_in_h),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
