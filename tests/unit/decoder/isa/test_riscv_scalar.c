/* The newer scalar extensions, a line or two for each format: what Whisper's columns and Spike's
 * log say of an opcode within a set of extensions, and what is reserved there.
 */
#include "check.h"

#include <string.h>

#include "decoder/isa/inst.h"

enum set { ALL_32, ALL_64, ZCMP_32, ZCMP_64, MOP_64, SET_COUNT };

static const char *const sets[SET_COUNT] = {
	[ALL_32] = "rv32imafdqc_zicsr_zfh_zfa_zfbfmin_zabha_zacas_zalasr_zkn_zks_zilsd_zicbop_"
		   "zihintntl_zimop_zcmop_zicfiss_zicfilp_smctr",
	[ALL_64] = "rv64imafdqc_zicsr_zfh_zfa_zfbfmin_zabha_zacas_zalasr_zkn_zks_zicbop_zihintntl_"
		   "zimop_zcmop_zicfiss_zicfilp_smctr",
	[ZCMP_32] = "rv32ima_zca_zcmp_zcmt_zclsd",
	[ZCMP_64] = "rv64ima_zca_zcmp_zcmt",
	[MOP_64] = "rv64imafdc_zimop_zcmop",
};

struct row {
	uint32_t opcode;
	enum set set;
	const char *sources; /* of Whisper, with frm 2 */
	const char *info;
	const char *whisper;
	const char *spike;
};

static const struct row rows[] = {
	/* Zfh, Zfhmin */
	{0x243170c3, ALL_64, "f2;f3;f4;rm=2", "f", "fmadd.h  f1, f2, f3, f4, dyn",
		"fmadd.h ft1, ft2, ft3, ft4"},
	{0x04c59553, ALL_64, "f11;f12;rm=1", "f", "fadd.h   f10, f11, f12, rtz",
		"fadd.h  fa0, fa1, fa2"},
	{0x5c0100d3, ALL_64, "f2;rm=0", "f", "fsqrt.h  f1, f2, rne", "fsqrt.h ft1, ft2"},
	{0xa47322d3, ALL_64, "f6;f7", "f", "feq.h    x5, f6, f7", "feq.h   t0, ft6, ft7"},
	{0xe40312d3, ALL_64, "f6", "f", "fclass.h x5, f6", "fclass.h t0, ft6"},
	{0xc42342d3, ALL_64, "f6;rm=4", "f", "fcvt.l.h x5, f6, rmm", "fcvt.l.h t0, ft6"},
	{0xc42342d3, ALL_32, "", "", "illegal", "illegal"},
	{0xd41322d3, ALL_64, "x6;rm=2", "f", "fcvt.h.wu f5, x6, rdn", "fcvt.h.wu ft5, t1"},
	{0x422100d3, ALL_64, "f2;rm=0", "f", "fcvt.d.h f1, f2, rne", "fcvt.d.h ft1, ft2"},
	{0xe40201d3, ALL_64, "f4", "f", "fmv.x.h  x3, f4", "fmv.x.h gp, ft4"},
	{0xf40201d3, ALL_64, "x4", "f", "fmv.h.x  f3, x4", "fmv.h.x ft3, tp"},
	{0xffe49407, ALL_64, "x9;ifffffffe", "l", "flh      f8, -0x2(x9)", "flh     fs0, -2(s1)"},
	{0xfe849f27, ALL_64, "f8;x9;ifffffffe", "s", "fsh      f8, -0x2(x9)",
		"fsh     fs0, -2(s1)"},
	/* Zfbfmin */
	{0x406100d3, ALL_64, "f2;rm=0", "f", "fcvt.s.bf16 f1, f2, rne", "fcvt.s.bf16 ft1, ft2"},
	{0x448170d3, ALL_64, "f2;rm=2", "f", "fcvt.bf16.s f1, f2, dyn", "fcvt.bf16.s ft1, ft2"},
	/* Q */
	{0x01014407, ALL_64, "x2;i10", "l", "flq      f8, 0x10(x2)", "flq     fs0, 16(sp)"},
	{0x00814827, ALL_64, "f8;x2;i10", "s", "fsq      f8, 0x10(x2)", "fsq     fs0, 16(sp)"},
	{0x063170d3, ALL_64, "f2;f3;rm=2", "f", "fadd.q   f1, f2, f3, dyn",
		"fadd.q  ft1, ft2, ft3"},
	{0x263100cb, ALL_64, "f2;f3;f4;rm=0", "f", "fnmsub.q f1, f2, f3, f4, rne",
		"fnmsub.q ft1, ft2, ft3, ft4"},
	{0x461100d3, ALL_64, "f2;rm=0", "f", "fcvt.q.d f1, f2, rne", "fcvt.q.d ft1, ft2"},
	{0xc63110d3, ALL_64, "f2;rm=1", "f", "fcvt.lu.q x1, f2, rtz", "fcvt.lu.q ra, ft2"},
	{0x443170d3, ALL_64, "f2;rm=2", "f", "fcvt.h.q f1, f2, dyn", "fcvt.h.q ft1, ft2"},
	/* Zfa */
	{0xf01180d3, ALL_64, "i3", "", "fli.s    f1, 3.05175781e-05",
		"fli.s   ra, 3.0517578125e-05"},
	{0xf01f00d3, ALL_64, "i1e", "", "fli.s    f1, 65536.0", "fli.s   ra, inf"},
	{0xf41f00d3, ALL_64, "i1e", "", "fli.h    f1, inf", "fli.h   ra, inf"},
	{0xf21800d3, ALL_64, "i10", "", "fli.d    f1, 1.0", "fli.d   ra, 1.0"},
	{0xf61000d3, ALL_64, "i0", "", "fli.q    f1, -1.0", "fli.q   ra, -1.0"},
	{0x2a3120d3, ALL_64, "f2;f3", "", "fminm.d  f1, f2, f3", "fminm.d ft1, ft2, ft3"},
	{0x404170d3, ALL_64, "f2;rm=2", "", "fround.s f1, f2, dyn", "fround.s ft1, ft2"},
	{0x445130d3, ALL_64, "f2;rm=3", "", "froundnx.h f1, f2, rup", "froundnx.h ft1, ft2"},
	{0xa03140d3, ALL_64, "f2;f3", "", "fleq.s   x1, f2, f3", "fleq.s  ra, ft2, ft3"},
	{0xa63150d3, ALL_64, "f2;f3", "", "fltq.q   x1, f2, f3", "fltq.q  ra, ft2, ft3"},
	{0xc28110d3, ALL_64, "f2", "", "fcvtmod.w.d x1, f2", "fcvtmod.w.d ra, ft2, rtz"},
	{0xc28100d3, ALL_64, "", "", "illegal", "illegal"},
	{0xe21100d3, ALL_32, "f2", "", "fmvh.x.d x1, f2", "fmvh.x.d ra, ft2"},
	{0xb23100d3, ALL_32, "x2;x3", "", "fmvp.d.x f1, x2, x3", "fmvp.d.x ft1, sp, gp"},
	{0xe21100d3, ALL_64, "", "", "illegal", "illegal"},
	{0xb63100d3, ALL_64, "x2;x3", "", "fmvp.q.x f1, x2, x3", "fmvp.q.x ft1, sp, gp"},
	{0xe61100d3, ALL_64, "f2", "", "fmvh.x.q x1, f2", "fmvh.x.q ra, ft2"},
	/* Zabha, Zacas, Zalasr */
	{0x007302af, ALL_64, "x6;x7", "", "amoadd.b x5, x7, (x6)", "amoadd.b t0, t2, (t1)"},
	{0xe67312af, ALL_64, "x6;x7", "", "amomaxu.h.aq.rl x5, x7, (x6)",
		"amomaxu.h.aqrl t0, t2, (t1)"},
	{0x2a7322af, ALL_64, "x6;x7", "", "amocas.w.rl x5, x7, (x6)", "amocas.w.rl t0, t2, (t1)"},
	{0x2883322f, ALL_32, "x6;x8", "", "amocas.d x4, x8, (x6)", "amocas.d tp, s0, (t1)"},
	{0x288332af, ALL_32, "", "", "illegal", "illegal"},
	{0x2893322f, ALL_32, "", "", "illegal", "illegal"},
	{0x289332af, ALL_64, "x6;x9", "", "amocas.d x5, x9, (x6)", "amocas.d t0, s1, (t1)"},
	{0x2c83422f, ALL_64, "x6;x8", "", "amocas.q.aq x4, x8, (x6)", "amocas.q.aq tp, s0, (t1)"},
	{0x2873422f, ALL_64, "", "", "illegal", "illegal"},
	{0x2883422f, ALL_32, "", "", "illegal", "illegal"},
	{0x340302af, ALL_64, "x6", "l", "lb.aq x5, (x6)", "lb.aq   t0, (t1)"},
	{0x360332af, ALL_64, "x6", "l", "ld.aqrl x5, (x6)", "ld.aq   t0, (t1)"},
	{0x340332af, ALL_32, "", "", "illegal", "illegal"},
	{0x300302af, ALL_64, "", "", "illegal", "illegal"},
	{0x3a62a02f, ALL_64, "x6;x5", "s", "sw.rl x6, (x5)", "sw.rl   t1, (t0)"},
	{0x3e62a02f, ALL_64, "x6;x5", "s", "sw.aqrl x6, (x5)", "sw.rl   t1, (t0)"},
	/* Zkn, Zks */
	{0xa63100b3, ALL_32, "x2;x3;i2", "", "aes32esmi x1, x2, x3, 2", "aes32esmi ra, sp, gp, 2"},
	{0xa63100b3, ALL_64, "", "", "illegal", "illegal"},
	{0x3e3100b3, ALL_64, "x2;x3", "", "aes64dsm x1, x2, x3", "aes64dsm ra, sp, gp"},
	{0x30011093, ALL_64, "x2", "", "aes64im  x1, x2", "aes64im ra, sp"},
	{0x31a11093, ALL_64, "x2;ia", "", "aes64ks1i x1, x2, 10", "aes64ks1i ra, sp, 10"},
	{0x31b11093, ALL_64, "", "", "illegal", "illegal"},
	{0x10211093, ALL_64, "x2", "", "sha256sig0 x1, x2", "sha256sig0 ra, sp"},
	{0x10511093, ALL_64, "x2", "", "sha512sum1 x1, x2", "sha512sum1 ra, sp"},
	{0x5c3100b3, ALL_32, "x2;x3", "", "sha512sig0h x1, x2, x3", "sha512sig0h ra, sp, gp"},
	{0x10911093, ALL_64, "x2", "", "sm3p1    x1, x2", "sm3p1   ra, sp"},
	{0xf43100b3, ALL_64, "x2;x3;i3", "", "sm4ks    x1, x2, x3, 3", "sm4ks   ra, sp, gp, 3"},
	{0x08f11093, ALL_32, "x2", "", "zip      x1, x2", "zip (args unknown)"},
	{0x0a3130b3, ALL_64, "x2;x3", "", "clmulh   x1, x2, x3", "clmulh  ra, sp, gp"},
	/* Zilsd */
	{0x00853103, ALL_32, "x10;i8", "l", "ld       x2, 0x8(x10)", "ld      sp, 8(a0)"},
	{0x00853083, ALL_32, "", "", "illegal", "illegal"},
	{0x00a13423, ALL_32, "x10;x2;i8", "s", "sd       x10, 0x8(x2)", "sd      a0, 8(sp)"},
	{0x00b13423, ALL_32, "", "", "illegal", "illegal"},
	{0x00013003, ALL_32, "x2;i0", "l", "ld       x0, 0x0(x2)", "ld      zero, 0(sp)"},
	/* Zicbop, Zihintntl, Zicfilp */
	{0x02156013, ALL_64, "x10;i21", "", "ori      x0, x10, 33", "prefetch.r 32(a0)"},
	{0xfe356013, ALL_64, "x10;iffffffe3", "", "ori      x0, x10, -29", "prefetch.w -32(a0)"},
	{0x00500033, ALL_64, "x0;x5", "", "add      x0, x0, x5", "add     zero, zero, t0"},
	{0x900a, ALL_64, "x0;x2", "", "c.add    x0, x2", "c.add   zero, sp"},
	{0x12345017, ALL_64, "i12345000", "", "auipc    x0, 0x12345", "auipc   zero, 0x12345"},
	/* Zimop, Zcmop, Zicfiss */
	{0x81f140f3, ALL_64, "x2", "", "mop.r    x1, x2", "mop.r.3 ra, sp"},
	{0xcdc140f3, ALL_64, "x2", "", "mop.r    x1, x2", "mop.r.28 ra, sp"},
	{0xc63140f3, ALL_64, "x2;x3", "", "mop.rr   x1, x2, x3", "mop.rr.5 ra, sp, gp"},
	{0xcdc2c073, ALL_64, "x5", "", "mop.r    x0, x5", "mop.r.28 zero, t0"},
	{0xce104073, ALL_64, "x0;x1", "", "mop.rr   x0, x0, x1", "mop.rr.7 zero, zero, ra"},
	{0xcdc04373, ALL_64, "x0", "", "mop.r    x6, x0", "mop.r.28 t1, zero"},
	{0xce104073, MOP_64, "x0;x1", "", "mop.rr   x0, x0, x1", "mop.rr.7 zero, zero, ra"},
	{0xcdc04373, MOP_64, "x0", "", "mop.r    x6, x0", "mop.r.28 t1, zero"},
	{0x6181, ALL_64, "x0", "", "c.mop    x3, x0", "c.mop.3"},
	{0x6081, ALL_64, "x0", "", "c.mop    x1, x0", "c.mop.1"},
	{0x6081, MOP_64, "x0", "", "c.mop    x1, x0", "c.mop.1"},
	{0x6281, ALL_64, "x0", "", "c.mop    x5, x0", "c.mop.5"},
	{0x4c3130af, ALL_64, "x2;x3", "", "ssamoswap.d x1, x2, x3", "ssamoswap.d.aq ra, gp, (sp)"},
	/* Ssctr */
	{0x10400073, ALL_64, "", "", "sctrclr  ", "sctrclr (args unknown)"},
	/* Zcmp, Zcmt */
	{0xb842, ZCMP_64, "x2;x1;ifffffff0", "s", "cm.push  {x1}, -16", "cm.push {ra}, -16"},
	{0xb852, ZCMP_64, "x2;x1;x8;ifffffff0", "s", "cm.push  {x1, x8}, -16",
		"cm.push {ra, s0}, -16"},
	{0xb8fe, ZCMP_64, "x2;x1;x8;x9;x18;x19;x20;x21;x22;x23;x24;x25;x26;x27;iffffff60", "s",
		"cm.push  {x1, x8-x9, x18-x27}, -160", "cm.push {ra, s0-s11}, -160"},
	{0xba62, ZCMP_64, "x2;i20", "l", "cm.pop   {x1, x8-x9}, 32", "cm.pop  {ra, s0-s1}, 32"},
	{0xbe42, ZCMP_64, "x2;i10", "r", "cm.popret {x1}, 16", "cm.popret {ra}, 16"},
	{0xbc7e, ZCMP_64, "x2;i50", "r", "cm.popretz {x1, x8-x9, x18}, 80",
		"cm.popretz {ra, s0-s2}, 80"},
	{0xb832, ZCMP_64, "", "", "illegal", "illegal"},
	{0xaca6, ZCMP_64, "", "", "illegal", "illegal"},
	{0xad26, ZCMP_64, "x10;x11", "", "cm.mvsa01 x18, x9", "cm.mvsa01 s2, s1"},
	{0xac62, ZCMP_64, "x8;x8", "", "cm.mva01s x8, x8", "cm.mva01s s0, s0"},
	{0xa002, ZCMP_64, "i0", "j", "cm.jt    0", "cm.jt   0"},
	{0xa07e, ZCMP_64, "i1f", "j", "cm.jt    31", "cm.jt   31"},
	{0xa082, ZCMP_64, "i20", "c", "cm.jalt  32", "cm.jalt 32"},
	{0xa3fe, ZCMP_64, "iff", "c", "cm.jalt  255", "cm.jalt 255"},
	{0xb852, ZCMP_32, "x2;x1;x8;ifffffff0", "s", "cm.push  {x1, x8}, -16",
		"cm.push {ra, s0}, -16"},
	{0xbefe, ZCMP_32, "x2;i70", "r", "cm.popret {x1, x8-x9, x18-x27}, 112",
		"cm.popret {ra, s0-s11}, 112"},
	/* Zclsd */
	{0x6188, ZCMP_32, "x11;i0", "l", "c.ld     x10, 0x0(x11)", "c.ld    a0, 0(a1)"},
	{0x618c, ZCMP_32, "", "", "illegal", "illegal"},
	{0xe188, ZCMP_32, "x10;x11;i0", "s", "c.sd     x10, 0x0(x11)", "c.sd    a0, 0(a1)"},
	{0x6502, ZCMP_32, "x2;i0", "l", "c.ldsp   x10, 0x0", "c.ldsp  a0, 0(sp)"},
	{0x6002, ZCMP_32, "", "", "illegal", "illegal"},
	{0xe02a, ZCMP_32, "x10;x2;i0", "s", "c.sdsp   x10, 0x0", "c.sdsp  a0, 0(sp)"},
	{0xe02e, ZCMP_32, "", "", "illegal", "illegal"},
};

static void decode(struct ear_inst *inst, const struct row *row)
{
	struct ear_inst_set set;
	const char *at;
	size_t size;

	assert_int_equal(ear_inst_set_parse(&set, sets[row->set], &at, &size), 0);
	ear_inst_decode_within(inst, row->opcode, set.xlen, &set);
}

static void each_format_has_its_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[EAR_INST_TEXT_SIZE];
		struct ear_inst inst;

		decode(&inst, &rows[i]);
		ear_inst_disassemble(text, sizeof(text), &inst);
		assert_string_equal(text, rows[i].whisper);
		ear_inst_sources(text, sizeof(text), &inst, &(struct ear_inst_mode){.frm = 2});
		assert_string_equal(text, rows[i].sources);
		assert_string_equal(ear_inst_info(&inst, false), rows[i].info);
		ear_inst_text(text, sizeof(text), &inst, EAR_INST_SPIKE);
		assert_string_equal(text, rows[i].spike);
	}
}

static void what_is_illegal_has_no_operands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_inst inst;

		decode(&inst, &rows[i]);
		assert_int_equal(
			inst.id == EAR_INST_ILLEGAL, strcmp(rows[i].spike, "illegal") == 0);
		if (inst.id == EAR_INST_ILLEGAL)
			assert_int_equal(inst.operand_count, 0);
	}
}

/* Whisper gives names to what traps: instructions of the other XLEN, and reserved encodings. */
static void whisper_names_more_than_is_legal(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned xlen;
		const char *sources;
		const char *text;
	} names[] = {
		{0x0005b583, 32, "x11;i0", "ld       x11, 0x0(x11)"},
		{0x003100bb, 32, "x2;x3", "addw     x1, x2, x3"},
		{0x08f11093, 64, "x2", "zip      x1, x2"},
		{0x05f11093, 64, "x2;i5f", "slli     x1, x2, 95"},
		{0x05f11093, 32, "x2;i5f", "slli     x1, x2, 95"},
		{0x31c11093, 64, "x2;ic", "aes64ks1i x1, x2, 12"},
		{0x2873422f, 64, "x6;x7", "amocas.q x4, x7, (x6)"},
		{0x9c71, 32, "x8", "c.zext.w x8"},
		{0x69815093, 64, "", "illegal"}, /* rev8 of RV32 */
		{0x9c01, 32, "", "illegal"},     /* c.subw */
		{0x6002, 64, "", "illegal"},     /* c.ldsp x0, which is c.flwsp on RV32 */
		{0xc62100d3, 32, "", "illegal"}, /* fcvt.l.q */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[EAR_INST_TEXT_SIZE];
		struct ear_inst inst;

		ear_inst_decode(&inst, names[i].opcode, names[i].xlen);
		assert_int_equal(inst.id, EAR_INST_ILLEGAL);
		ear_inst_decode_as_whisper(&inst, names[i].opcode, names[i].xlen);
		ear_inst_disassemble(text, sizeof(text), &inst);
		assert_string_equal(text, names[i].text);
		ear_inst_sources(text, sizeof(text), &inst, &(struct ear_inst_mode){.frm = 0});
		assert_string_equal(text, names[i].sources);
	}
}

/* x4 and x5, and x0 alone. */
static void pairs_have_two_registers(void **state)
{
	static const struct row pair = {0x2883322f, ALL_32, "", "", "", ""};
	static const struct row zero = {0x00013003, ALL_32, "", "", "", ""};
	struct ear_inst inst;

	(void)state;
	decode(&inst, &pair); /* amocas.d x4, x8, (x6) */
	assert_int_equal(inst.operands[0].access, EAR_OPERAND_READ | EAR_OPERAND_WRITE);
	assert_int_equal(inst.operands[0].count, 2);
	assert_int_equal(inst.operands[1].count, 1);
	assert_int_equal(inst.operands[2].count, 2);
	assert_int_equal(inst.access_size, 8);
	decode(&inst, &zero); /* ld x0, 0(x2) */
	assert_int_equal(inst.operands[0].count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_format_has_its_texts),
		cmocka_unit_test(what_is_illegal_has_no_operands),
		cmocka_unit_test(whisper_names_more_than_is_legal),
		cmocka_unit_test(pairs_have_two_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
