/* What the instruction table says of single opcodes: source operands, inst info and
 * disassembly as Whisper writes them, one row or more for each format, in the order of
 * inst_list.def. Lines of real traces are in test_riscv_samples.c; the rows here are what
 * those do not show.
 */
#include "check.h"

#include <string.h>

#include "decoder/isa/inst.h"

struct row {
	uint32_t opcode;
	unsigned xlen;
	const char *sources; /* with frm 2 */
	const char *info;    /* not taken */
	const char *text;
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[EAR_INST_TEXT_SIZE];
		struct ear_inst inst;

		ear_inst_decode(&inst, rows[i].opcode, rows[i].xlen);
		ear_inst_disassemble(text, sizeof(text), &inst);
		assert_string_equal(text, rows[i].text);
		ear_inst_sources(text, sizeof(text), &inst, &(struct ear_inst_mode){.frm = 2});
		assert_string_equal(text, rows[i].sources);
		assert_string_equal(ear_inst_info(&inst, false), rows[i].info);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void loads_and_stores_show_a_signed_offset(void **state)
{
	static const struct row rows[] = {
		{0x80010083, 32, "x2;ifffff800", "l", "lb       x1, -0x800(x2)"},
		{0x7ff11083, 32, "x2;i7ff", "l", "lh       x1, 0x7ff(x2)"},
		{0x00016083, 64, "x2;i0", "l", "lwu      x1, 0x0(x2)"},
		{0xfff12f87, 32, "x2;iffffffff", "l", "flw      f31, -0x1(x2)"},
		{0x80113027, 64, "f1;x2;ifffff800", "s", "fsd      f1, -0x800(x2)"},
		{0xfe113fa3, 64, "x1;x2;iffffffff", "s", "sd       x1, -0x1(x2)"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void fences_write_rwio_and_never_their_sources(void **state)
{
	static const struct row rows[] = {
		{0x0100000f, 32, "", "", "pause    "},
		{0x8330000f, 32, "i0;i0", "", "fence.tso rw, rw"},
		{0x0ff0000f, 32, "i0;i0", "", "fence    rwio, rwio"},
		{0x0820000f, 32, "i0;i0", "", "fence    i, r"},
		{0x0140000f, 32, "i0;i0", "", "fence    w, o"},
		{0x0010000f, 32, "i0;i0", "", "fence    0, w"},
		{0x0200000f, 32, "i0;i0", "", "fence    r, 0"},
		{0x0000000f, 32, "i0;i0", "", "fence    "},
		{0x1330818f, 32, "i0;i0", "", "fence    rw, rw"}, /* reserved fm, rd and rs1 */
		{0x0000100f, 32, "", "", "fence.i  "},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void cache_blocks_name_the_address_register(void **state)
{
	static const struct row rows[] = {
		{0x0005200f, 64, "x10", "", "cbo.inval 0(x10)"},
		{0x0015200f, 64, "x10", "", "cbo.clean 0(x10)"},
		{0x0025200f, 64, "x10", "", "cbo.flush 0(x10)"},
		{0x0045200f, 64, "x10", "", "cbo.zero 0(x10)"}, {0x0035200f, 64, "", "", "illegal"},
		{0x02056013, 64, "x10;i20", "", "ori      x0, x10, 32"}, /* prefetch.i */
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void register_immediates_are_decimal(void **state)
{
	static const struct row rows[] = {
		{0x00000013, 32, "x0;i0", "", "addi     x0, x0, 0"},
		{0x80010093, 32, "x2;ifffff800", "", "addi     x1, x2, -2048"},
		{0xfff13093, 64, "x2;iffffffff", "", "sltiu    x1, x2, -1"},
		{0x01f11093, 32, "x2;i1f", "", "slli     x1, x2, 31"},
		{0x02011093, 32, "", "", "illegal"}, /* shamt[5] */
		{0x03f11093, 64, "x2;i3f", "", "slli     x1, x2, 63"},
		{0x04011093, 64, "", "", "illegal"},
		{0x43f15093, 64, "x2;i3f", "", "srai     x1, x2, 63"},
		{0x01f1109b, 64, "x2;i1f", "", "slliw    x1, x2, 31"},
		{0x0201109b, 64, "", "", "illegal"},
		{0x0001109b, 32, "", "", "illegal"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void bit_manipulation_follows_the_xlen(void **state)
{
	static const struct row rows[] = {
		{0x60011093, 32, "x2", "", "clz      x1, x2"},
		{0x60411093, 32, "x2", "", "sext.b   x1, x2"},
		{0x60515093, 64, "x2;i5", "", "rori     x1, x2, 5"},
		{0x28715093, 32, "x2", "", "orc.b    x1, x2"},
		{0x69815093, 32, "x2", "", "rev8_32  x1, x2"},
		{0x69815093, 64, "", "", "illegal"},
		{0x6b815093, 64, "x2", "", "rev8     x1, x2"},
		{0x6b815093, 32, "", "", "illegal"},
		{0x2bf11093, 64, "x2;i3f", "", "bseti    x1, x2, 63"},
		{0x0a01109b, 64, "x2;i20", "", "slli.uw  x1, x2, 32"},
		{0x08014033 | 1 << 7, 32, "x2;x0", "", "zext.h   x1, x2"},
		{0x08014033 | 1 << 7, 64, "x2;x0", "", "pack     x1, x2, x0"},
		{0x0801403b | 1 << 7, 64, "x2;x0", "", "zext.h   x1, x2"},
		{0x083140bb, 64, "x2;x3", "", "packw    x1, x2, x3"},
		{0x203160bb, 64, "x2;x3", "", "sh3add.uw x1, x2, x3"},
		{0x403170b3, 32, "x2;x3", "", "andn     x1, x2, x3"},
		{0x283120b3, 32, "x2;x3", "", "xperm.n  x1, x2, x3"},
		{0x0e3150b3, 32, "x2;x3", "", "czero.eqz x1, x2, x3"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void upper_immediates_are_hexadecimal(void **state)
{
	static const struct row rows[] = {
		{0xfffff0b7, 64, "ifffff000", "", "lui      x1, -0x1"},
		{0x800000b7, 32, "i80000000", "", "lui      x1, -0x80000"},
		{0x7ffff0b7, 32, "i7ffff000", "", "lui      x1, 0x7ffff"},
		{0xfffff097, 64, "ifffff000", "", "auipc    x1, 0xfffff"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void atomics_have_no_columns(void **state)
{
	static const struct row rows[] = {
		{0x140120af, 32, "x2", "a", "lr.w.aq x1, (x2)"},
		{0x160130af, 64, "x2", "a", "lr.d.aq.rl x1, (x2)"},
		{0x1a3120af, 32, "x2;x3", "a", "sc.w.rl x1, x3, (x2)"},
		{0xe63130af, 64, "x2;x3", "a", "amomaxu.d.aq.rl x1, x3, (x2)"},
		{0x003130af, 32, "", "", "illegal"},
		{0x103120af, 32, "", "", "illegal"}, /* lr with rs2 */
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void floating_point_names_the_rounding_mode(void **state)
{
	static const struct row rows[] = {
		{0x203100c3, 32, "f2;f3;f4;rm=0", "f", "fmadd.s  f1, f2, f3, f4, rne"},
		{0x223170cf, 32, "f2;f3;f4;rm=2", "f", "fnmadd.d f1, f2, f3, f4, dyn"},
		{0x003110d3, 32, "f2;f3;rm=1", "f", "fadd.s   f1, f2, f3, rtz"},
		{0x003120d3, 32, "f2;f3;rm=2", "f", "fadd.s   f1, f2, f3, rdn"},
		{0x003130d3, 32, "f2;f3;rm=3", "f", "fadd.s   f1, f2, f3, rup"},
		{0x003140d3, 32, "f2;f3;rm=4", "f", "fadd.s   f1, f2, f3, rmm"},
		{0x003150d3, 32, "f2;f3;rm=5", "f", "fadd.s   f1, f2, f3, inv1"},
		{0x003160d3, 32, "f2;f3;rm=6", "f", "fadd.s   f1, f2, f3, inv2"},
		{0xa23120d3, 32, "f2;f3", "f", "feq.d    x1, f2, f3"},
		{0xd03170d3, 64, "x2;rm=2", "f", "fcvt.s.lu f1, x2, dyn"},
		{0xd03170d3, 32, "", "", "illegal"},
		{0xc23170d3, 64, "f2;rm=2", "f", "fcvt.lu.d x1, f2, dyn"},
		{0xe20100d3, 64, "f2", "f", "fmv.x.d  x1, f2"},
		{0xe20100d3, 32, "", "", "illegal"},
		{0xe0010053, 32, "f2", "f", "fmv.x.w  x0, f2"},
		{0x04000053, 64, "f0;f0;rm=0", "f", "fadd.h   f0, f0, f0, rne"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void jumps_are_calls_returns_or_others(void **state)
{
	static const struct row rows[] = {
		{0xfe208ee3, 32, "x1;x2;ifffffffc", "nt", "beq      x1, x2, . - 0x4"},
		{0x80000063, 32, "x0;x0;ifffff000", "nt", "beq      x0, x0, . - 0x1000"},
		{0x00008067, 32, "x1;i0", "r", "jalr     x0, 0x0(x1)"},
		{0x00408067, 32, "x1;i4", "j", "jalr     x0, 0x4(x1)"},
		{0x00028067, 32, "x5;i0", "j", "jalr     x0, 0x0(x5)"},
		{0xff8300e7, 32, "x6;ifffffff8", "c", "jalr     x1, -0x8(x6)"},
		{0x000082e7, 32, "x1;i0", "c", "jalr     x5, 0x0(x1)"},
		{0x00030167, 32, "x6;i0", "j", "jalr     x2, 0x0(x6)"},
		{0xffdff06f, 32, "ifffffffc", "j", "j        . - 0x4"},
		{0x008002ef, 32, "i8", "c", "jal      x5, . + 0x8"},
		{0x00800f6f, 32, "i8", "j", "jal      x30, . + 0x8"},
		{0x800000ef, 32, "ifff00000", "c",
			"jal      x1, . - 0x0"}, /* Whisper loses bit 20 */
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void csrs_have_whispers_names(void **state)
{
	static const struct row rows[] = {
		{0x34011073, 32, "x2;c832", "", "csrrw    x0, mscratch, x2"},
		{0xf14020f3, 32, "x0;c3860", "", "csrrs    x1, mhartid, x0"},
		{0x344ff0f3, 32, "i1f;c836", "", "csrrci   x1, mip, 0x1f"},
		{0x310020f3, 32, "x0;c784", "", "csrrs    x1, mstatush, x0"},
		{0x310020f3, 64, "x0;c784", "", "csrrs    x1, c784, x0"}, /* no such CSR */
		{0xb80020f3, 64, "x0;c2944", "", "csrrs    x1, c2944, x0"},
		{0xc80020f3, 64, "x0;c3200", "", "csrrs    x1, cycleh, x0"},
		{0x3a0020f3, 64, "x0;c928", "", "csrrs    x1, pmpcfg0, x0"},
		{0x3ef020f3, 64, "x0;c1007", "", "csrrs    x1, pmpaddr63, x0"},
		{0xb1f020f3, 64, "x0;c2847", "", "csrrs    x1, mhpmcounter31, x0"},
		{0x323020f3, 64, "x0;c803", "", "csrrs    x1, mhpmevent3, x0"},
		{0x180020f3, 64, "x0;c384", "", "csrrs    x1, satp, x0"},
		{0x280020f3, 64, "x0;c640", "", "csrrs    x1, vsatp, x0"},
		{0x680020f3, 64, "x0;c1664", "", "csrrs    x1, hgatp, x0"},
		{0x7b0020f3, 64, "x0;c1968", "", "csrrs    x1, dcsr, x0"},
		{0xfff020f3, 64, "x0;c4095", "", "csrrs    x1, c4095, x0"},
		{0x000040f3, 64, "", "", "illegal"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void privileged_instructions_keep_trailing_blanks(void **state)
{
	static const struct row rows[] = {
		{0x00000073, 32, "", "", "ecall    "},
		{0x00100073, 32, "", "", "ebreak   "},
		{0x10500073, 32, "", "", "wfi      "},
		{0x10200073, 64, "", "", "sret     "},
		{0x30200073, 64, "", "", "mret     "},
		{0x70200073, 64, "", "", "mnret    "},
		{0x7b200073, 64, "", "", "dret     "},
		{0x00200073, 64, "", "", "illegal"}, /* uret: user traps were withdrawn */
		{0x00d00073, 64, "", "", "wrs.nto  "},
		{0x12a58073, 64, "x11;x10", "", "sfence.vma x11, x10"},
		{0x18000073, 64, "", "", "sfence.w.inval "},
		{0x22a58073, 64, "x11;x10", "", "hfence_vvma x11, x10"},
		{0x26a58073, 64, "x11;x10", "", "hinval.vvma x11, x10"},
		{0x6005c0f3, 64, "x11", "l", "hlv.b    x1, 0x0(x11)"},
		{0x6435c0f3, 64, "x11", "l", "hlvx_hu  x1, 0x0(x11)"},
		{0x6ea5c073, 64, "x10;x11", "s", "hsv.d    x10, 0x0(x11)"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void compressed_quadrant_0_is_spelled_like_whisper(void **state)
{
	static const struct row rows[] = {
		{0x0000, 32, "", "", "illegal"},
		{0x0004, 32, "", "", "illegal"}, /* c.addi4spn x9 with immediate 0 */
		{0x0048, 32, "x2;i4", "", "c.addi4spn  x10, 0x1"},
		{0x1fe0, 64, "x2;i3fc", "", "c.addi4spn  x8, 0xff"},
		{0x6080, 32, "x9;i0", "l", "c.flw    x8, 0x0(x9)"}, /* sic: f8 */
		{0x7ce0, 64, "x9;if8", "l", "c.ld     x8, 0xf8(x9)"},
		{0xe080, 32, "f8;x9;i0", "s", "c.fsw    x8, 0x0(x9)"},
		{0x5ce0, 64, "x9;i7c", "l", "c.lw     x8, 0x7c(x9)"},
		{0x80e0, 64, "x9;i3", "l", "c.lbu    x8, 0x3(x9)"},
		{0x84e0, 64, "x9;i2", "l", "c.lh     x8, 0x2(x9)"},
		{0x84a0, 64, "x9;i2", "l", "c.lhu    x8, 0x2(x9)"},
		{0x8ca0, 64, "x8;x9;i2", "s", "c.sh     x8, 0x2(x9)"},
		{0x8ce0, 64, "", "", "illegal"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void compressed_quadrant_1_is_spelled_like_whisper(void **state)
{
	static const struct row rows[] = {
		{0x0001, 32, "x0;i0", "", "c.nop"},
		{0x1001, 32, "x0;iffffffe0", "", "c.nop"},     /* a hint */
		{0x0081, 32, "x1;i0", "", "c.addi   x1, 0x0"}, /* a hint */
		{0x3fed, 32, "ifffffffa", "", "c.jal    . - 0x6"},
		{0x2001, 64, "", "", "illegal"}, /* c.addiw x0 */
		{0x3081, 64, "x1;iffffffe0", "", "c.addiw  x1, -0x20"},
		{0x4015, 32, "x0;i5", "", "c.li     x0, 0x5"}, /* a hint */
		{0x7101, 32, "x2;ifffffe00", "", "c.addi16sp -0x20"},
		{0x6101, 32, "", "", "illegal"},
		{0x6201, 32, "", "", "illegal"}, /* c.lui x4 with immediate 0 */
		{0x7185, 64, "ifffe1000", "", "c.lui    x3, 0xfffe1"},
		{0x6005, 64, "i1000", "", "c.lui    x0, 0x1"}, /* a hint */
		{0x9001, 32, "", "", "illegal"},               /* shamt[5] */
		{0x9001, 64, "x8;i20", "", "c.srli   x8, 0x20"},
		{0x9401, 32, "", "", "illegal"},
		{0x9401, 64, "x8;i20", "", "c.srai   x8, 0x20"},
		{0x8401, 32, "x8;i0", "", "c.srai   x8, 0x0"}, /* a hint */
		{0x987d, 32, "x8;iffffffff", "", "c.andi   x8, -0x1"},
		{0x9c05, 64, "x8;x9", "", "c.subw   x8, x9"},
		{0x9c25, 64, "x8;x9", "", "c.addw   x8, x9"},
		{0x9c25, 32, "", "", "illegal"},
		{0x9c45, 32, "x8;x9", "", "c.mul    x8, x9"},
		{0x9c61, 32, "x8", "", "c.zext.b x8"},
		{0x9c71, 64, "x8", "", "c.zext.w x8"},
		{0x9c71, 32, "", "", "illegal"},
		{0x9c75, 32, "x8", "", "c.not    x8"},
		{0x9c79, 64, "", "", "illegal"},
		{0xbffd, 32, "x0;ifffffffe", "j", "c.j      . - 0x2"},
		{0xd001, 32, "x8;x0;iffffff00", "nt", "c.beqz   x8, . - 0x100"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void compressed_quadrant_2_is_spelled_like_whisper(void **state)
{
	static const struct row rows[] = {
		{0x1082, 32, "", "", "illegal"},
		{0x1082, 64, "x1;i20", "", "c.slli   x1, 32"},
		{0x0082, 32, "x1;i0", "", "c.slli   x1, 0"}, /* a hint */
		{0x20a2, 32, "x2;i8", "l", "c.fldsp   f1, 0x8"},
		{0x4002, 32, "", "", "illegal"}, /* c.lwsp x0 */
		{0x6092, 32, "x2;i4", "l", "c.flwsp   f1, 0x4"},
		{0x6002, 32, "x2;i0", "l", "c.flwsp   f0, 0x0"},
		{0x6002, 64, "", "", "illegal"}, /* c.ldsp x0 */
		{0x60a2, 64, "x2;i8", "l", "c.ldsp   x1, 0x8"},
		{0x8002, 32, "", "", "illegal"}, /* c.jr x0 */
		{0x8082, 32, "x1;i0", "r", "c.jr     x1"},
		{0x8282, 32, "x5;i0", "j", "c.jr     x5"},
		{0x8006, 32, "x0;x1", "", "c.mv     x0, x1"}, /* a hint */
		{0x9002, 32, "", "", "c.ebreak"},
		{0x9082, 32, "x1;i0", "c", "c.jalr   x1"},
		{0x9086, 32, "x1;x1", "", "c.add    x1, x1"},
		{0xa406, 32, "f1;x2;i8", "s", "c.fsdsp   f1, 0x8"},
		{0xc206, 32, "x1;x2;i4", "s", "c.swsp   x1, 0x4"},
		{0xe206, 32, "f1;x2;i4", "s", "c.swsp   f1, 0x4"}, /* sic: c.fswsp */
		{0xe406, 64, "x1;x2;i8", "s", "c.sdsp   x1, 0x8"},
	};

	(void)state;
	CHECK_ROWS(rows);
}

static void a_taken_branch_says_so(void **state)
{
	struct ear_inst inst;

	(void)state;
	ear_inst_decode(&inst, 0xfe208ee3, 32);
	assert_string_equal(ear_inst_info(&inst, true), "t");
	ear_inst_decode(&inst, 0x8082, 32);
	assert_string_equal(ear_inst_info(&inst, true), "r");
}

static void a_dynamic_rounding_mode_takes_frm(void **state)
{
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	(void)state;
	ear_inst_decode(&inst, 0x003170d3, 32);
	assert_int_equal(inst.rm, 7);
	for (struct ear_inst_mode mode = {.frm = 0}; mode.frm < 8; mode.frm++) {
		assert_int_equal(ear_inst_sources(text, sizeof(text), &inst, &mode), 10);
		assert_int_equal(text[9], '0' + mode.frm);
	}
}

static void decoding_gives_class_access_and_flags(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned id, kind, extension, access_size, flags;
		int64_t imm;
	} rows[] = {
		{0x00014083, EAR_INST_LBU, EAR_KIND_LOAD, EAR_EXT_I, 1, EAR_INST_UNSIGNED, 0},
		{0xff013083, EAR_INST_LD, EAR_KIND_LOAD, EAR_EXT_I, 8, 0, -16},
		{0x00113027, EAR_INST_FSD, EAR_KIND_STORE, EAR_EXT_D, 8, EAR_INST_FLOAT, 0},
		{0x8330000f, EAR_INST_FENCE_TSO, EAR_KIND_FENCE, EAR_EXT_I, 0, 0, 0x833},
		{0x1a3120af, EAR_INST_SC_W, EAR_KIND_SC, EAR_EXT_ZALRSC, 4, EAR_INST_RELEASE, 0},
		{0x140130af, EAR_INST_LR_D, EAR_KIND_LR, EAR_EXT_ZALRSC, 8, EAR_INST_ACQUIRE, 0},
		{0x063130af, EAR_INST_AMOADD_D, EAR_KIND_AMO, EAR_EXT_ZAAMO, 8,
			EAR_INST_ACQUIRE | EAR_INST_RELEASE, 0},
		{0x003110d3, EAR_INST_FADD_S, EAR_KIND_FP, EAR_EXT_F, 0,
			EAR_INST_ROUNDS | EAR_INST_FLOAT, 0},
		{0x023140b3, EAR_INST_DIV, EAR_KIND_DIV, EAR_EXT_M, 0, 0, 0},
		{0x80000037, EAR_INST_LUI, EAR_KIND_ALU, EAR_EXT_I, 0, 0, -0x80000000LL},
		{0xfe208ee3, EAR_INST_BEQ, EAR_KIND_BRANCH, EAR_EXT_I, 0, 0, -4},
		{0x004000ef, EAR_INST_JAL, EAR_KIND_JUMP, EAR_EXT_I, 0, EAR_INST_CALL, 4},
		{0x000280e7, EAR_INST_JALR, EAR_KIND_JUMP, EAR_EXT_I, 0,
			EAR_INST_CALL | EAR_INST_INDIRECT, 0},
		{0x00008067, EAR_INST_JALR, EAR_KIND_JUMP, EAR_EXT_I, 0,
			EAR_INST_RETURN | EAR_INST_INDIRECT, 0},
		{0xa001, EAR_INST_C_J, EAR_KIND_JUMP, EAR_EXT_ZCA, 0, 0, 0},
		{0x8082, EAR_INST_C_JR, EAR_KIND_JUMP, EAR_EXT_ZCA, 0,
			EAR_INST_RETURN | EAR_INST_INDIRECT, 0},
		{0x9282, EAR_INST_C_JALR, EAR_KIND_JUMP, EAR_EXT_ZCA, 0,
			EAR_INST_CALL | EAR_INST_INDIRECT, 0},
		{0x30200073, EAR_INST_MRET, EAR_KIND_SYSTEM, EAR_EXT_I, 0, 0, 0},
		{0xffffffff, EAR_INST_ILLEGAL, EAR_KIND_ILLEGAL, EAR_EXT_NONE, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_inst inst;

		ear_inst_decode(&inst, rows[i].opcode, 64);
		assert_string_equal(ear_inst_name(inst.id), ear_inst_name(rows[i].id));
		assert_int_equal(inst.kind, rows[i].kind);
		assert_int_equal(inst.extension, rows[i].extension);
		assert_int_equal(inst.access_size, rows[i].access_size);
		assert_int_equal(inst.flags, rows[i].flags);
		assert_int_equal(inst.imm, rows[i].imm);
	}
}

static void a_csr_instruction_reads_and_writes_its_csr(void **state)
{
	struct ear_inst inst;

	(void)state;
	ear_inst_decode(&inst, 0x340110f3, 32);
	assert_int_equal(inst.kind, EAR_KIND_CSR);
	assert_int_equal(inst.csr, 0x340);
	assert_int_equal(inst.operand_count, 3);
	assert_int_equal(inst.operands[0].access, EAR_OPERAND_WRITE);
	assert_int_equal(inst.operands[0].value, 1);
	assert_int_equal(inst.operands[1].access, EAR_OPERAND_READ);
	assert_int_equal(inst.operands[1].value, 2);
	assert_int_equal(inst.operands[2].kind, EAR_OPERAND_CSR);
	assert_int_equal(inst.operands[2].access, EAR_OPERAND_READ | EAR_OPERAND_WRITE);
}

static void a_compressed_opcode_ignores_the_high_half(void **state)
{
	struct ear_inst inst;

	(void)state;
	assert_int_equal(ear_inst_decode(&inst, 0xdead9002, 32), 2);
	assert_int_equal(inst.id, EAR_INST_C_EBREAK);
	assert_int_equal(inst.opcode, 0x9002);
}

static void a_short_buffer_gets_the_beginning(void **state)
{
	static const char whole[] = "sw       x10, 0x0(x5)";
	struct ear_inst inst;

	(void)state;
	ear_inst_decode(&inst, 0x00a2a023, 32);
	for (size_t size = 0; size <= sizeof(whole) + 1; size++) {
		char text[sizeof(whole) + 2];
		size_t length = size < sizeof(whole) ? size - 1 : sizeof(whole) - 1;

		memset(text, '#', sizeof(text));
		assert_int_equal(ear_inst_disassemble(text, size, &inst), sizeof(whole) - 1);
		assert_int_equal(text[size], '#');
		if (size == 0)
			continue;
		assert_memory_equal(text, whole, length);
		assert_int_equal(text[length], '\0');
	}
	assert_int_equal(ear_inst_sources(NULL, 0, &inst, &(struct ear_inst_mode){.frm = 0}),
		strlen("x10;x5;i0"));
}

static void an_unknown_id_is_called_illegal(void **state)
{
	(void)state;
	assert_string_equal(ear_inst_name(EAR_INST_ILLEGAL), "illegal");
	assert_string_equal(ear_inst_name(EAR_INST_COUNT), "illegal");
	assert_string_equal(ear_inst_name(EAR_INST_AMOADD_W), "amoadd.w");
	assert_string_equal(ear_inst_name(EAR_INST_REV8_RV32), "rev8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_and_stores_show_a_signed_offset),
		cmocka_unit_test(fences_write_rwio_and_never_their_sources),
		cmocka_unit_test(cache_blocks_name_the_address_register),
		cmocka_unit_test(register_immediates_are_decimal),
		cmocka_unit_test(bit_manipulation_follows_the_xlen),
		cmocka_unit_test(upper_immediates_are_hexadecimal),
		cmocka_unit_test(atomics_have_no_columns),
		cmocka_unit_test(floating_point_names_the_rounding_mode),
		cmocka_unit_test(jumps_are_calls_returns_or_others),
		cmocka_unit_test(csrs_have_whispers_names),
		cmocka_unit_test(privileged_instructions_keep_trailing_blanks),
		cmocka_unit_test(compressed_quadrant_0_is_spelled_like_whisper),
		cmocka_unit_test(compressed_quadrant_1_is_spelled_like_whisper),
		cmocka_unit_test(compressed_quadrant_2_is_spelled_like_whisper),
		cmocka_unit_test(a_taken_branch_says_so),
		cmocka_unit_test(a_dynamic_rounding_mode_takes_frm),
		cmocka_unit_test(decoding_gives_class_access_and_flags),
		cmocka_unit_test(a_csr_instruction_reads_and_writes_its_csr),
		cmocka_unit_test(a_compressed_opcode_ignores_the_high_half),
		cmocka_unit_test(a_short_buffer_gets_the_beginning),
		cmocka_unit_test(an_unknown_id_is_called_illegal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
