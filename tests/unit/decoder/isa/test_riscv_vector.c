/* Vector instructions: operands, groups of registers under a vtype, what is reserved, and the texts
 * of Whisper and Spike. Chosen lines here; test_riscv_vector_binutils.c has all rows.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "decoder/isa/inst_table.h"
#include "decoder/isa/opcode.h"

#define E8          (0 << 3)
#define E16         (1 << 3)
#define E32         (2 << 3)
#define E64         (3 << 3)
#define M1          0
#define M2          1
#define M4          2
#define M8          3
#define MF8         5
#define MF2         7
#define KNOWN(bits) (EAR_VTYPE_KNOWN | (bits))

/* The three columns of Whisper's CSV and Spike's text of an opcode on RV64. */
struct line {
	uint32_t opcode;
	uint8_t vtype;
	const char *sources, *info, *whisper, *spike;
};

static const struct line lines[] = {
	/* Arithmetic: operands of one width, of two, a scalar */
	{0x02418157, KNOWN(E32 | M1), "v4;v3", "v", "vadd.vv v2, v4, v3", "vadd.vv v2, v4, v3"},
	{0x02c40257, KNOWN(E32 | M4), "v12m4;v8m4", "v", "vadd.vv v4, v12, v8",
		"vadd.vv v4, v12, v8"},
	{0x02c40257, KNOWN(E8 | MF2), "v12;v8", "v", "vadd.vv v4, v12, v8", "vadd.vv v4, v12, v8"},
	{0x02c40257, 0, "v12;v8", "v", "vadd.vv v4, v12, v8", "vadd.vv v4, v12, v8"},
	{0x00854157, KNOWN(E16 | M2), "v8m2;x10", "v", "vadd.vx v2, v8, x10, v0.t",
		"vadd.vx v2, v8, a0, v0.t"},
	{0x028fb157, KNOWN(E16 | M8), "v8m8;iffffffff", "v", "vadd.vi v2, v8, -1",
		"vadd.vi v2, v8, -1"},
	{0xee61a457, KNOWN(E16 | M2), "v6m2;v3m2", "v", "vwmul.vv v8, v6, v3",
		"vwmul.vv v8, v6, v3"},
	{0xd661a457, KNOWN(E16 | M2), "v6m4;v3m2", "v", "vwadd.wv v8, v6, v3",
		"vwadd.wv v8, v6, v3"},
	{0xb2840157, KNOWN(E16 | MF2), "v8;v8", "v", "vnsrl.wv v2, v8, v8", "vnsrl.wv v2, v8, v8"},
	{0xb2840157, KNOWN(E16 | M4), "v8m8;v8m4", "v", "vnsrl.wv v2, v8, v8",
		"vnsrl.wv v2, v8, v8"},
	{0x4a832457, KNOWN(E32 | M8), "v8m4", "v", "vzext.vf2 v8, v8", "vzext.vf2 v8, v8"},
	{0x4a812457, KNOWN(E64 | M8), "v8", "v", "vzext.vf8 v8, v8", "vzext.vf8 v8, v8"},
	/* Sources in another order, and rd is one as well */
	{0xb6c42257, KNOWN(E32 | M4), "v8m4;v12m4", "v", "vmacc.vv v4, v8, v12",
		"vmacc.vv v4, v8, v12"},
	{0xb2c55257, KNOWN(E32 | M4), "f10;v12m4", "v", "vfmacc.vf v4, f10, v12",
		"vfmacc.vf v4, fa0, v12"},
	/* Masks and scalars are one register */
	{0x02c42257, KNOWN(E32 | M4), "v12m4;v8", "v", "vredsum.vs v4, v12, v8",
		"vredsum.vs v4, v12, v8"},
	{0x62c40257, KNOWN(E32 | M4), "v12m4;v8m4", "v", "vmseq.vv v4, v12, v8",
		"vmseq.vv v4, v12, v8"},
	{0x66c42257, KNOWN(E32 | M4), "v12;v8", "v", "vmand.mm v4, v12, v8",
		"vmand.mm v4, v12, v8"},
	{0x42c02557, KNOWN(E32 | M4), "v12", "v", "vmv.x.s x10, v12", "vmv.x.s a0, v12"},
	{0x5c440457, KNOWN(E32 | M4), "v4m4;v8m4", "v", "vmerge.vvm v8, v4, v8, v0",
		"vmerge.vvm v8, v4, v8, v0"},
	{0x3ac40257, KNOWN(E64 | M4), "v12m4;v8", "v", "vrgatherei16.vv v4, v12, v8",
		"vrgatherei16.vv v4, v12, v8"},
	{0x9ec1b257, KNOWN(E8 | M1), "v12m4", "v", "vmv4r.v v4, v12", "vmv4r.v v4, v12"},
	/* Configuration */
	{0x0d107557, 0, "x0;id1", "v", "vsetvli x10, x0, e32,m2,ta,ma",
		"vsetvli a0, zero, e32, m2, ta, ma"},
	{0xcc727057, 0, "i4;ic7", "v", "vsetivli x0, 4, e8,mf2,ta,ma",
		"vsetivli zero, 4, e8, mf2, ta, ma"},
	{0x80b57057, 0, "x10;x11", "v", "vsetvl x0, x10, x11", "vsetvl  zero, a0, a1"},
	/* Memory: the element width of the opcode against that of vtype */
	{0x02056407, KNOWN(E8 | M1), "x10", "v", "vle32.v v8, (x10)", "vle32.v v8, (a0)"},
	{0x02056427, KNOWN(E8 | M1), "v8m4;x10", "v", "vse32.v v8, (x10)", "vse32.v v8, (a0)"},
	{0x02050427, KNOWN(E32 | M4), "v8;x10", "v", "vse8.v v8, (x10)", "vse8.v  v8, (a0)"},
	{0x0ab57427, KNOWN(E32 | M2), "v8m4;x10;x11", "v", "vsse64.v v8, (x10), x11",
		"vsse64.v v8, (a0), a1"},
	{0x0ec50427, KNOWN(E64 | M8), "v8m8;x10;v12", "v", "vsoxei8.v v8, (x10), v12",
		"vsoxei8.v v8, (a0), v12"},
	{0x26056427, KNOWN(E32 | M2), "v8m2;x10;v0m2", "v", "vsuxseg2ei32.v v8, (x10), v0",
		"vsuxseg2ei32.v v8, (a0), v0"},
	{0x62856407, KNOWN(E8 | M1), "x10", "v", "vl4re32.v v8, (x10)", "vl4re32.v v8, (a0)"},
	{0x62850427, KNOWN(E8 | M1), "v8m4;x10", "v", "vs4r.v v8, (x10)", "vs4r.v  v8, (a0)"},
	{0x02b50427, KNOWN(E8 | M8), "v8;x10", "v", "vsm.v v8, (x10)", "vsm.v   v8, (a0)"},
	{0x40055407, KNOWN(E16 | M2), "x10", "v", "vlseg3e16.v v8, (x10), v0.t",
		"vlseg3e16.v v8, (a0), v0.t"},
	/* Cryptography, and half of vror's immediate in bit 26 */
	{0xa241a277, KNOWN(E32 | M4), "v4m4", "v", "vaesef.vv v4, v4", "vaesef.vv v4, v4"},
	{0xa681a277, KNOWN(E32 | M4), "v8", "v", "vaesef.vs v4, v8", "vaesef.vs v4, v8"},
	{0x5684b257, KNOWN(E64 | M2), "v8m2;i29", "v", "vror.vi v4, v8, 41", "vror.vi v4, v8, 41"},
	/* Where Spike takes an immediate as signed or not against the manual */
	{0x968fb257, KNOWN(E32 | M1), "v8;i1f", "v", "vsll.vi v4, v8, 31", "vsll.vi v4, v8, -1"},
	{0x728fb257, KNOWN(E32 | M1), "v8;iffffffff", "v", "vmsleu.vi v4, v8, -1",
		"vmsleu.vi v4, v8, 31"},
	/* Reserved: a mask that the instruction does not have; elements of 128 bits */
	{0x64c42257, KNOWN(E32 | M4), "v12;v8", "v", "vmand.mm v4, v12, v8, v0.t", "unknown"},
	{0x12050407, KNOWN(E32 | M1), "x10", "v", "vle128.v v8, (x10)", "vle128.v v8, (a0)"},
};

static void chosen_instructions_are_written_as_whisper_and_spike_do(void **state)
{
	char text[EAR_INST_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *line = &lines[i];
		const struct ear_inst_mode mode = {.vtype = line->vtype};
		struct ear_inst inst;

		ear_inst_decode_as_whisper(&inst, line->opcode, 64);
		ear_inst_disassemble(text, sizeof(text), &inst);
		assert_string_equal(text, line->whisper);
		ear_inst_sources(text, sizeof(text), &inst, &mode);
		if (strcmp(text, line->sources) != 0)
			fail_msg("%s: sources %s, not %s", line->whisper, text, line->sources);
		assert_string_equal(ear_inst_info(&inst, false), line->info);
		ear_inst_text(text, sizeof(text), &inst, EAR_INST_SPIKE);
		assert_string_equal(text, line->spike);
	}
}

/* Registers and access of each operand: "v8:4w" is v8 to v11, written; r read, a aside. */
static void write_groups(char *to, const struct ear_inst *inst)
{
	*to = '\0';
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];

		if (operand->kind != EAR_OPERAND_V)
			continue;
		to += sprintf(to, "%sv%d:%u%s%s%s", i > 0 && to[-1] != '\0' ? " " : "",
			operand->value, operand->count,
			operand->access & EAR_OPERAND_READ ? "r" : "",
			operand->access & EAR_OPERAND_WRITE ? "w" : "",
			operand->access & EAR_OPERAND_ASIDE ? "a" : "");
	}
}

static const struct {
	uint32_t opcode;
	uint8_t vtype;
	unsigned reserved;
	const char *groups;
} groups[] = {
	{0x02c40257, KNOWN(E32 | M4), 0, "v4:4w v12:4r v8:4r"},
	{0x00854157, KNOWN(E16 | M2), 0, "v2:2w v8:2r v0:1ra"},
	{0xee61a457, KNOWN(E16 | M1), 0, "v8:2w v6:1r v3:1r"},
	{0xb6c42257, KNOWN(E32 | M4), 0, "v4:4rwa v8:4r v12:4r"},
	{0x02c42257, KNOWN(E32 | M4), 0, "v4:1w v12:4r v8:1r"},
	{0x40055407, KNOWN(E16 | M2), 0, "v8:6w v0:1ra"},
	{0x26056427, KNOWN(E32 | M2), 0, "v8:4r v0:2r"},
	{0x62856407, KNOWN(E8 | M1), 0, "v8:4w"},
	{0x0d107557, KNOWN(E8 | M1), 0, ""},
	/* vtype unknown, vill, LMUL reserved */
	{0x02c40257, 0, EAR_RESERVED_VTYPE, "v4:1w v12:1r v8:1r"},
	{0x02c40257, KNOWN(EAR_VTYPE_ILLEGAL), EAR_RESERVED_VTYPE, "v4:1w v12:1r v8:1r"},
	{0x02c40257, KNOWN(E32 | 4), EAR_RESERVED_VTYPE, "v4:1w v12:1r v8:1r"},
	/* Widening beyond 8 registers, and beyond 64 bits */
	{0xee802457, KNOWN(E16 | M8), EAR_RESERVED_EMUL, "v8:8w v8:8r v0:8r"},
	{0xee61a457, KNOWN(E64 | M1), EAR_RESERVED_SEW, "v8:2w v6:1r v3:1r"},
	{0x02057427, KNOWN(E8 | M2), EAR_RESERVED_EMUL, "v8:8r"},
	{0x02050427, KNOWN(E64 | MF8), EAR_RESERVED_EMUL, "v8:1r"},
	/* Eight fields of two registers */
	{0xe2055407, KNOWN(E16 | M2), EAR_RESERVED_EMUL, "v8:8w"},
	{0x4a812457, KNOWN(E16 | M8), EAR_RESERVED_SEW | EAR_RESERVED_OVERLAP, "v8:8w v8:1r"},
	/* A group that is not aligned, or ends beyond v31 */
	{0x02c40157, KNOWN(E32 | M4), EAR_RESERVED_GROUP, "v2:4w v12:4r v8:4r"},
	{0x62055f07, KNOWN(E16 | M1), EAR_RESERVED_BEYOND, "v30:2w"},
	/* The mask is the destination; a comparison may write it, and not read it as a value */
	{0x00c40057, KNOWN(E32 | M4), EAR_RESERVED_MASK, "v0:4w v12:4r v8:4r v0:1ra"},
	{0x60c40057, KNOWN(E32 | M4), 0, "v0:1w v12:4r v8:4r v0:1ra"},
	{0x60040257, KNOWN(E32 | M4), EAR_RESERVED_MASK, "v4:1w v0:4r v8:4r v0:1ra"},
	/* Overlaps: a narrower destination at the lowest register, a wider one at the highest */
	{0xb2840457, KNOWN(E16 | M1), 0, "v8:1w v8:2r v8:1r"},
	{0xb28404d7, KNOWN(E16 | M1), EAR_RESERVED_OVERLAP, "v9:1w v8:2r v8:1r"},
	{0xee94a457, KNOWN(E16 | M1), 0, "v8:2w v9:1r v9:1r"},
	{0xee842457, KNOWN(E16 | M1), EAR_RESERVED_OVERLAP, "v8:2w v8:1r v8:1r"},
	{0x32840457, KNOWN(E16 | M1), EAR_RESERVED_OVERLAP, "v8:1w v8:1r v8:1r"},
	/* Not defined for this SEW; the encoding */
	{0x02841257, KNOWN(E8 | M1), EAR_RESERVED_SEW, "v4:1w v8:1r v8:1r"},
	{0x64c42257, KNOWN(E32 | M4), EAR_RESERVED_CODE, "v4:1w v12:1r v8:1r v0:1ra"},
};

static void groups_follow_from_vtype(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		char text[128];
		struct ear_inst inst;
		unsigned reserved;

		ear_inst_decode_as_whisper(&inst, groups[i].opcode, 64);
		reserved = ear_inst_group(&inst, groups[i].vtype, 64);
		write_groups(text, &inst);
		if (strcmp(text, groups[i].groups) != 0 || reserved != groups[i].reserved)
			fail_msg("%08x %s: \"%s\" %02x, not \"%s\" %02x",
				(unsigned)groups[i].opcode, ear_inst_name(inst.id), text, reserved,
				groups[i].groups, groups[i].reserved);
	}
}

/* Whatever the opcode and vtype, groups are registers that exist. */
static void groups_are_always_registers(void **state)
{
	uint32_t random = 521288629u;

	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];

		if (row->kind < EAR_KIND_VLOAD)
			continue;
		for (unsigned vtype = 0; vtype < 256; vtype++) {
			struct ear_inst inst;

			random = random * 1664525u + 1013904223u;
			ear_inst_decode_as_whisper(
				&inst, row->match | (random & ~row->mask[1]), 64);
			ear_inst_group(&inst, vtype, 64);
			for (unsigned i = 0; i < inst.operand_count; i++) {
				if (inst.operands[i].kind != EAR_OPERAND_V)
					continue;
				assert_in_range(inst.operands[i].count, 1, 8);
				assert_in_range(
					inst.operands[i].value + inst.operands[i].count, 1, 32);
			}
		}
	}
}

/* v12 is no multiple of 8: found when the groups are noted. The mask is checked before that. */
static void groups_of_what_trapped_show_if_they_were_noted(void **state)
{
	const struct ear_inst_mode trapped = {.vtype = KNOWN(E32 | M8), .trapped = true};
	const struct ear_inst_mode unexecuted = {.vtype = KNOWN(E32 | M8), .unexecuted = true};
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	(void)state;
	ear_inst_decode(&inst, 0x02c40257, 64);
	ear_inst_sources(text, sizeof(text), &inst, &trapped);
	assert_string_equal(text, "v12m8;v8m8");
	ear_inst_sources(text, sizeof(text), &inst, &unexecuted);
	assert_string_equal(text, "v12;v8");
	ear_inst_decode(&inst, 0x00c40057, 64);
	ear_inst_sources(text, sizeof(text), &inst, &trapped);
	assert_string_equal(text, "v12;v8");
	ear_inst_decode(&inst, 0x62c40257, 64); /* vmseq.vv looks at the place first */
	ear_inst_sources(text, sizeof(text), &inst, &trapped);
	assert_string_equal(text, "v12;v8");
}

/* Lines of Whisper 40c473e2: what it refuses before it notes the groups, and what it notes first.
 */
static void groups_of_what_trapped_are_those_of_whisper(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned vtype, frm;
		bool trapped;
		const char *sources;
	} refused[] = {
		{0xd3a85657, E16 | M1, 6, true, "v26;f16"},     /* vfwadd.wf: frm is reserved */
		{0x9292d6d7, E32 | M4, 6, true, "v9;f5"},       /* vfmul.vf */
		{0x9292d6d7, E32 | M4, 4, true, "v9m4;f5"},     /* v9 is no multiple of 4 */
		{0x62685057, E64 | M2, 5, true, "v6m2;f16"},    /* vmfeq.vf looks at frm later */
		{0x5cca5557, E8 | M8, 0, true, "v12m8;f20"},    /* vfmerge.vfm: no SEW of 8 */
		{0xedee9d57, E32 | M4, 0, true, "v29m4;v30m4"}, /* vfwmaccbf16.vv: no SEW of 32 */
		{0xedee9d57, E64 | M4, 0, true, "v29;v30"},
		{0x48fe9857, E32 | M1, 0, true, "v15m2"},      /* vfncvtbf16.f.f.w */
		{0x4923ae57, E8 | M4, 4, true, "v18m2"},       /* vsext.vf2: no SEW of 4 */
		{0xbfb8acf7, E64 | M4, 0, true, "v27;v17"},    /* vsha2cl.vv v25: both overlap */
		{0x8353a577, E32 | M4, 2, true, "v21m4;v7"},   /* vsm3me.vv v10: v7 is not noted */
		{0x834b2577, E32 | M2, 7, false, "v20m2;v22"}, /* nor here, without a trap */
		{0x831129f7, E32 | M4, 0, true, "v17;v2"},     /* v19 overlaps v17 */
		{0xaed9a7f7, E32 | M4, 4, true, "v13;i13"},    /* vsm3c.vi v15, the same */
		{0xc6468357, E64 | M4, 0, true, "v4m4;v13"},   /* vwredsum.vs v6: it may overlap */
		{0xce0397d7, E32 | M8, 1, true, "v0;v7"},      /* vfwredosum.vs: v7 is read twice */
		{0x228404a7, EAR_VTYPE_ILLEGAL, 5, true, "v9m2;x8"}, /* vs2r.v needs no vtype */
		{0x9fe0bf57, E32 | M2, 4, false, "v30"},             /* vmv2r.v v30, v30 */
		{0x9f83bc57, E64 | M1, 0, false, "v24"},             /* vmv8r.v v24, v24 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct ear_inst_mode mode = {.vtype = (uint8_t)KNOWN(refused[i].vtype),
			.frm = (uint8_t)refused[i].frm,
			.trapped = refused[i].trapped};
		char text[EAR_INST_TEXT_SIZE];
		struct ear_inst inst;

		ear_inst_decode(&inst, refused[i].opcode, 64);
		ear_inst_sources(text, sizeof(text), &inst, &mode);
		assert_string_equal(text, refused[i].sources);
	}
}

static void vtype_is_packed_with_vill(void **state)
{
	(void)state;
	assert_int_equal(ear_vtype_pack(0xd1, 64), KNOWN(E32 | M2));
	assert_int_equal(ear_vtype_pack(UINT64_C(1) << 63, 64), KNOWN(EAR_VTYPE_ILLEGAL));
	assert_int_equal(ear_vtype_pack(UINT64_C(1) << 31, 32), KNOWN(EAR_VTYPE_ILLEGAL));
}

/* ear_opcode_uses_vtype() says so without decoding. */
static void opcodes_that_use_vtype_are_found_without_decoding(void **state)
{
	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];
		bool uses = row->kind >= EAR_KIND_VLOAD && id != EAR_INST_VSETVLI &&
			    id != EAR_INST_VSETIVLI && id != EAR_INST_VSETVL;

		assert_int_equal(ear_opcode_uses_vtype(row->match), uses);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chosen_instructions_are_written_as_whisper_and_spike_do),
		cmocka_unit_test(groups_follow_from_vtype),
		cmocka_unit_test(groups_are_always_registers),
		cmocka_unit_test(groups_of_what_trapped_show_if_they_were_noted),
		cmocka_unit_test(groups_of_what_trapped_are_those_of_whisper),
		cmocka_unit_test(vtype_is_packed_with_vill),
		cmocka_unit_test(opcodes_that_use_vtype_are_found_without_decoding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
