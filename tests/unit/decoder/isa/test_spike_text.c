/* Spike's spelling: an example of each layout, pseudo-instructions, what is reserved. */
#include "check.h"

#include <string.h>

#include "decoder/isa/inst_table.h"

struct row {
	uint32_t opcode;
	const char *text;
	unsigned xlen; /* 0: both */
};

static void assert_text(const struct row *row, unsigned xlen, bool reserved)
{
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	if (row->xlen != 0 && row->xlen != xlen)
		return;
	ear_inst_decode(&inst, row->opcode, xlen);
	if (reserved) {
		assert_int_equal(inst.kind, EAR_KIND_ILLEGAL);
		ear_inst_decode_reserved(&inst, row->opcode, xlen);
	}
	int size = ear_inst_text(text, sizeof(text), &inst, EAR_INST_SPIKE);
	if (strcmp(text, row->text) != 0)
		fail_msg("%08x, RV%u: '%s', not '%s'", row->opcode, xlen, text, row->text);
	assert_int_equal(size, strlen(row->text));
}

static void assert_texts(const struct row *rows, size_t count, bool reserved)
{
	for (size_t i = 0; i < count; i++) {
		assert_text(&rows[i], 32, reserved);
		assert_text(&rows[i], 64, reserved);
	}
}

static void each_layout_is_as_spike_has_it(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{0x00a12423, "sw      a0, 8(sp)", 0},
		{0xfe512e23, "sw      t0, -4(sp)", 0},
		{0x0182b283, "ld      t0, 24(t0)", 64},
		{0xfa62d2e3, "bge     t0, t1, pc - 92", 0},
		{0x140002ef, "jal     t0, pc + 0x140", 0},
		{0xfe5ff06f, "j       pc - 0x1c", 0},
		{0x00155513, "srli    a0, a0, 1", 0},
		{0xffff8537, "lui     a0, 0xffff8", 0},
		{0x00001597, "auipc   a1, 0x1", 0},
		{0x004282e7, "jalr    t0, t0, 4", 0},
		{0x02a5f553, "fadd.d  fa0, fa1, fa0", 0},
		{0x7217f7c3, "fmadd.d fa5, fa5, ft1, fa4", 0},
		{0xc207f753, "fcvt.w.d a4, fa5", 0},
		{0x00c5b02f, "amoadd.d zero, a2, (a1)", 64},
		{0x06c5a02f, "amoadd.w.aqrl zero, a2, (a1)", 0},
		{0x1cc5a02f, "sc.w.aq zero, a2, (a1)", 0},
		{0x1405a02f, "lr.w    zero, (a1)", 0}, /* .aq is not shown */
		{0x305290f3, "csrrw   ra, mtvec, t0", 0},
		{0x3452f0f3, "csrrci  ra, mnxti, 5", 0},
		{0x7c7290f3, "csrrw   ra, unknown_7c7, t0", 0},
		{0x0ff0000f, "fence   iorw,iorw", 0},
		{0x0330000f, "fence   rw,rw", 0},
		{0x0010000f, "fence   w", 0},
		{0x8330000f, "fence   rw,rw", 0}, /* fence.tso */
		{0x12b50073, "sfence.vma a0, a1", 0},
		{0x0045200f, "cbo.zero (a0)", 0},
		{0x6005c573, "hlv.b   a0, (a1)", 0},
		{0x62a5c073, "hsv.b   a0, (a1)", 0},
		{0x00000073, "ecall", 0},
		{0x00007119, "c.addi16sp sp, -128", 0},
		{0x00000808, "c.addi4spn a0, sp, 16", 0},
		{0x00004789, "c.li    a5, 2", 0},
		{0x00007779, "c.lui   a4, 0xffffe", 0},
		{0x0000f165, "c.bnez  a0, pc - 32", 0},
		{0x0000a019, "c.j     pc + 6", 0},
		{0x00004582, "c.lwsp  a1, 0(sp)", 0},
		{0x0000c02a, "c.swsp  a0, 0(sp)", 0},
		{0x0000959a, "c.add   a1, t1", 0},
		{0x00009002, "c.ebreak", 0},
	};

	assert_texts(rows, COUNT_OF(rows), false);
}

static void pseudo_instructions_are_spikes(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{0x00000013, "nop", 0},
		{0x06400513, "li      a0, 100", 0},
		{0xfff00513, "li      a0, -1", 0},
		{0x00058513, "mv      a0, a1", 0},
		{0x00000513, "li      a0, 0", 0},
		{0x0015b513, "seqz    a0, a1", 0},
		{0xfff5c513, "not     a0, a1", 0},
		{0x0005851b, "sext.w  a0, a1", 64},
		{0x00b03533, "snez    a0, a1", 0},
		{0x0805853b, "zext.w  a0, a1", 64},
		{0x00050463, "beqz    a0, pc + 8", 0},
		{0x00051463, "bnez    a0, pc + 8", 0},
		{0x00054463, "bltz    a0, pc + 8", 0},
		{0x00055463, "bgez    a0, pc + 8", 0},
		{0x00a05463, "bge     zero, a0, pc + 8", 0},
		{0x00008067, "ret", 0},
		{0x00050067, "jr      a0", 0},
		{0x000500e7, "jalr    a0", 0},
		{0x008000ef, "jal     pc + 0x8", 0},
		{0xf1402573, "csrr    a0, mhartid", 0},
		{0x30029073, "csrw    mstatus, t0", 0},
		{0x3002a073, "csrs    mstatus, t0", 0},
		{0x3002b073, "csrc    mstatus, t0", 0},
		{0x3001d073, "csrwi   mstatus, 3", 0},
		{0x3001e073, "csrsi   mstatus, 3", 0},
		{0x3001f073, "csrci   mstatus, 3", 0},
		{0xc0001073, "unimp", 0},
		{0x00000001, "c.nop", 0},
		{0x00008082, "c.ret", 0},
		{0x28062533, "xperm4 (args unknown)", 0},
	};

	assert_texts(rows, COUNT_OF(rows), false);
}

static void without_pseudo_instructions_the_layout_stays(void **state)
{
	(void)state;
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	ear_inst_decode(&inst, 0x06400513, 32);
	ear_inst_text(text, sizeof(text), &inst, EAR_INST_SPIKE_BASE);
	assert_string_equal(text, "addi    a0, zero, 100");
	ear_inst_decode(&inst, 0xf1402573, 32);
	ear_inst_text(text, sizeof(text), &inst, EAR_INST_SPIKE_BASE);
	assert_string_equal(text, "csrrs   a0, mhartid, zero");
}

static void reserved_encodings_are_found(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{0x00006503, "lwu     a0, 0(zero)", 32},
		{0x02051513, "slli    a0, a0, 32", 32},
		{0x00004002, "c.lwsp  zero, 0(sp)", 0},
		{0x00006001, "c.lui   zero, 0x0", 0},
		{0x00008002, "c.jr    zero", 0},
		{0x00002001, "c.addiw zero, 0", 64},
	};
	struct ear_inst inst;

	assert_texts(rows, COUNT_OF(rows), true);
	ear_inst_decode_reserved(&inst, 0xffffffff, 64);
	assert_int_equal(inst.kind, EAR_KIND_ILLEGAL);
}

static void aliases_are_in_the_order_of_the_ids(void **state)
{
	(void)state;
	const struct ear_inst_spelling *spelling = &ear_inst_spellings[EAR_INST_SPIKE];

	for (unsigned i = 0; i < spelling->alias_count; i++) {
		const struct ear_inst_alias *alias = &spelling->aliases[i];
		assert_int_equal(alias->match & ~alias->mask, 0);
		if (i > 0)
			assert_at_least(alias->id, spelling->aliases[i - 1].id);
	}
}

static void names_of_csrs_are_those_of_both(void **state)
{
	(void)state;
	assert_string_equal(ear_csr_spike_name(0x300), "mstatus");
	assert_string_equal(ear_csr_spike_name(0x017), "jvt");
	assert_null(ear_csr_name(0x017));
	assert_string_equal(ear_csr_name(0x7e0), "pmacfg0");
	assert_null(ear_csr_spike_name(0x7e0));
	assert_null(ear_csr_spike_name(4096));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout_is_as_spike_has_it),
		cmocka_unit_test(pseudo_instructions_are_spikes),
		cmocka_unit_test(without_pseudo_instructions_the_layout_stays),
		cmocka_unit_test(reserved_encodings_are_found),
		cmocka_unit_test(aliases_are_in_the_order_of_the_ids),
		cmocka_unit_test(names_of_csrs_are_those_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
