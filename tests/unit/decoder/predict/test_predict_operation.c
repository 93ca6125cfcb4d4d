/* docs/predict.md, section 4: what the predictor knows of opcodes, judged by the instruction table
 * (decoder/isa), which shares no code with it.
 */
#include "check.h"

#include <string.h>

#include "decoder/isa/inst.h"
#include "decoder/predict/operation.h"
#include "random.h"

/* What each instruction of the table is for the predictor. Not listed: unknown to it. */
static const uint8_t kinds[EAR_INST_COUNT] = {
#define SAME(id)       [EAR_INST_##id] = EAR_DO_##id
#define PAIR(id, kind) [EAR_INST_##id] = EAR_DO_##kind
	PAIR(LUI, IMMEDIATE),
	SAME(AUIPC),
	PAIR(ADDI, ADD),
	PAIR(SLTI, SLT),
	PAIR(SLTIU, SLTU),
	PAIR(XORI, XOR),
	PAIR(ORI, OR),
	PAIR(ANDI, AND),
	PAIR(SLLI, SLL),
	PAIR(SRLI, SRL),
	PAIR(SRAI, SRA),
	SAME(ADD),
	SAME(SUB),
	SAME(SLL),
	SAME(SLT),
	SAME(SLTU),
	SAME(XOR),
	SAME(SRL),
	SAME(SRA),
	SAME(OR),
	SAME(AND),
	PAIR(ADDIW, ADDW),
	PAIR(SLLIW, SLLW),
	PAIR(SRLIW, SRLW),
	PAIR(SRAIW, SRAW),
	SAME(ADDW),
	SAME(SUBW),
	SAME(SLLW),
	SAME(SRLW),
	SAME(SRAW),
	SAME(JAL),
	SAME(JALR),
	SAME(BEQ),
	SAME(BNE),
	SAME(BLT),
	SAME(BGE),
	SAME(BLTU),
	SAME(BGEU),
	PAIR(LB, LOAD),
	PAIR(LH, LOAD),
	PAIR(LW, LOAD),
	PAIR(LD, LOAD),
	PAIR(LBU, LOAD),
	PAIR(LHU, LOAD),
	PAIR(LWU, LOAD),
	PAIR(SB, STORE),
	PAIR(SH, STORE),
	PAIR(SW, STORE),
	PAIR(SD, STORE),
	PAIR(PAUSE, NOTHING),
	PAIR(FENCE_TSO, NOTHING),
	PAIR(FENCE, NOTHING),
	PAIR(FENCE_I, NOTHING),
	PAIR(WFI, NOTHING),
	SAME(ECALL),
	SAME(EBREAK),
	SAME(MRET),
	SAME(SRET),
	PAIR(CSRRW, CSR),
	PAIR(CSRRS, CSR),
	PAIR(CSRRC, CSR),
	PAIR(CSRRWI, CSR),
	PAIR(CSRRSI, CSR),
	PAIR(CSRRCI, CSR),

	SAME(MUL),
	SAME(MULH),
	SAME(MULHSU),
	SAME(MULHU),
	SAME(DIV),
	SAME(DIVU),
	SAME(REM),
	SAME(REMU),
	SAME(MULW),
	SAME(DIVW),
	SAME(DIVUW),
	SAME(REMW),
	SAME(REMUW),

	PAIR(LR_W, LR),
	PAIR(SC_W, SC),
	PAIR(AMOSWAP_W, AMOSWAP),
	PAIR(AMOADD_W, AMOADD),
	PAIR(AMOXOR_W, AMOXOR),
	PAIR(AMOAND_W, AMOAND),
	PAIR(AMOOR_W, AMOOR),
	PAIR(AMOMIN_W, AMOMIN),
	PAIR(AMOMAX_W, AMOMAX),
	PAIR(AMOMINU_W, AMOMINU),
	PAIR(AMOMAXU_W, AMOMAXU),
	PAIR(LR_D, LR),
	PAIR(SC_D, SC),
	PAIR(AMOSWAP_D, AMOSWAP),
	PAIR(AMOADD_D, AMOADD),
	PAIR(AMOXOR_D, AMOXOR),
	PAIR(AMOAND_D, AMOAND),
	PAIR(AMOOR_D, AMOOR),
	PAIR(AMOMIN_D, AMOMIN),
	PAIR(AMOMAX_D, AMOMAX),
	PAIR(AMOMINU_D, AMOMINU),
	PAIR(AMOMAXU_D, AMOMAXU),

	SAME(SH1ADD),
	SAME(SH2ADD),
	SAME(SH3ADD),
	PAIR(ADD_UW, ADDUW),
	PAIR(SH1ADD_UW, SH1ADDUW),
	PAIR(SH2ADD_UW, SH2ADDUW),
	PAIR(SH3ADD_UW, SH3ADDUW),
	PAIR(SLLI_UW, SLLUW),
	SAME(ANDN),
	SAME(ORN),
	SAME(XNOR),
	SAME(MIN),
	SAME(MINU),
	SAME(MAX),
	SAME(MAXU),
	SAME(ROL),
	SAME(ROR),
	PAIR(RORI, ROR),
	SAME(ROLW),
	SAME(RORW),
	PAIR(RORIW, RORW),
	SAME(CLZ),
	SAME(CTZ),
	SAME(CPOP),
	SAME(CLZW),
	SAME(CTZW),
	SAME(CPOPW),
	PAIR(SEXT_B, SEXTB),
	PAIR(SEXT_H, SEXTH),
	PAIR(ZEXT_H_RV32, ZEXTH),
	PAIR(ZEXT_H_RV64, ZEXTH),
	PAIR(ORC_B, ORCB),
	PAIR(REV8_RV32, REV8),
	PAIR(REV8_RV64, REV8),
	SAME(BCLR),
	SAME(BEXT),
	SAME(BINV),
	SAME(BSET),
	PAIR(BCLRI, BCLR),
	PAIR(BEXTI, BEXT),
	PAIR(BINVI, BINV),
	PAIR(BSETI, BSET),

	PAIR(C_ADDI4SPN, ADD),
	PAIR(C_LW, LOAD),
	PAIR(C_LD, LOAD),
	PAIR(C_SW, STORE),
	PAIR(C_SD, STORE),
	PAIR(C_ADDI, ADD),
	PAIR(C_JAL, JAL),
	PAIR(C_ADDIW, ADDW),
	PAIR(C_LI, ADD),
	PAIR(C_ADDI16SP, ADD),
	PAIR(C_LUI, IMMEDIATE),
	PAIR(C_SRLI, SRL),
	PAIR(C_SRAI, SRA),
	PAIR(C_ANDI, AND),
	PAIR(C_SUB, SUB),
	PAIR(C_XOR, XOR),
	PAIR(C_OR, OR),
	PAIR(C_AND, AND),
	PAIR(C_SUBW, SUBW),
	PAIR(C_ADDW, ADDW),
	PAIR(C_J, JAL),
	PAIR(C_BEQZ, BEQ),
	PAIR(C_BNEZ, BNE),
	PAIR(C_SLLI, SLL),
	PAIR(C_LWSP, LOAD),
	PAIR(C_LDSP, LOAD),
	PAIR(C_JR, JALR),
	PAIR(C_MV, ADD),
	PAIR(C_EBREAK, EBREAK),
	PAIR(C_JALR, JALR),
	PAIR(C_ADD, ADD),
	PAIR(C_SWSP, STORE),
	PAIR(C_SDSP, STORE),

	PAIR(FLW, FLOAD),
	PAIR(FLD, FLOAD),
	PAIR(FSW, FSTORE),
	PAIR(FSD, FSTORE),
	PAIR(C_FLW, FLOAD),
	PAIR(C_FLD, FLOAD),
	PAIR(C_FSW, FSTORE),
	PAIR(C_FSD, FSTORE),
	PAIR(C_FLWSP, FLOAD),
	PAIR(C_FLDSP, FLOAD),
	PAIR(C_FSWSP, FSTORE),
	PAIR(C_FSDSP, FSTORE),
	PAIR(FMADD_S, FCOMPUTE),
	PAIR(FMADD_D, FCOMPUTE),
	PAIR(FMSUB_S, FCOMPUTE),
	PAIR(FMSUB_D, FCOMPUTE),
	PAIR(FNMSUB_S, FCOMPUTE),
	PAIR(FNMSUB_D, FCOMPUTE),
	PAIR(FNMADD_S, FCOMPUTE),
	PAIR(FNMADD_D, FCOMPUTE),
	PAIR(FADD_S, FCOMPUTE),
	PAIR(FSUB_S, FCOMPUTE),
	PAIR(FMUL_S, FCOMPUTE),
	PAIR(FDIV_S, FCOMPUTE),
	PAIR(FSQRT_S, FCOMPUTE),
	PAIR(FSGNJ_S, FCOMPUTE),
	PAIR(FSGNJN_S, FCOMPUTE),
	PAIR(FSGNJX_S, FCOMPUTE),
	PAIR(FMIN_S, FCOMPUTE),
	PAIR(FMAX_S, FCOMPUTE),
	PAIR(FEQ_S, FTOX),
	PAIR(FLT_S, FTOX),
	PAIR(FLE_S, FTOX),
	PAIR(FCVT_W_S, FTOX),
	PAIR(FCVT_WU_S, FTOX),
	PAIR(FCVT_L_S, FTOX),
	PAIR(FCVT_LU_S, FTOX),
	PAIR(FCVT_S_W, FCOMPUTE),
	PAIR(FCVT_S_WU, FCOMPUTE),
	PAIR(FCVT_S_L, FCOMPUTE),
	PAIR(FCVT_S_LU, FCOMPUTE),
	PAIR(FCLASS_S, FTOX),
	PAIR(FMV_X_W, FMVTOX),
	PAIR(FMV_W_X, FMVTOF),
	PAIR(FADD_D, FCOMPUTE),
	PAIR(FSUB_D, FCOMPUTE),
	PAIR(FMUL_D, FCOMPUTE),
	PAIR(FDIV_D, FCOMPUTE),
	PAIR(FSQRT_D, FCOMPUTE),
	PAIR(FSGNJ_D, FCOMPUTE),
	PAIR(FSGNJN_D, FCOMPUTE),
	PAIR(FSGNJX_D, FCOMPUTE),
	PAIR(FMIN_D, FCOMPUTE),
	PAIR(FMAX_D, FCOMPUTE),
	PAIR(FEQ_D, FTOX),
	PAIR(FLT_D, FTOX),
	PAIR(FLE_D, FTOX),
	PAIR(FCVT_W_D, FTOX),
	PAIR(FCVT_WU_D, FTOX),
	PAIR(FCVT_L_D, FTOX),
	PAIR(FCVT_LU_D, FTOX),
	PAIR(FCVT_D_W, FCOMPUTE),
	PAIR(FCVT_D_WU, FCOMPUTE),
	PAIR(FCVT_D_L, FCOMPUTE),
	PAIR(FCVT_D_LU, FCOMPUTE),
	PAIR(FCVT_S_D, FCOMPUTE),
	PAIR(FCVT_D_S, FCOMPUTE),
	PAIR(FCLASS_D, FTOX),
	PAIR(FMV_X_D, FMVTOX),
	PAIR(FMV_D_X, FMVTOF),
#undef SAME
#undef PAIR
};

/* The extensions that opcodes here are taken from: those of the predictor, and their neighbours.
 * What the manual has gained since is unknown to it, or is taken for such a neighbour.
 */
static const struct ear_inst_set *extensions(unsigned xlen)
{
	static struct ear_inst_set sets[2];
	struct ear_inst_set *set = &sets[xlen == 64];
	const char *text = xlen == 64 ? "rv64gch_zihintpause_zawrs_zicond_zicbom_zicboz_zba_zbb_"
					"zbc_zbs_zbkb_zbkx_zcb_svinval_smrnmi"
				      : "rv32gch_zihintpause_zawrs_zicond_zicbom_zicboz_zba_zbb_"
					"zbc_zbs_zbkb_zbkx_zcb_svinval_smrnmi";
	const char *at;
	size_t size;

	if (set->xlen == 0)
		assert_int_equal(ear_inst_set_parse(set, text, &at, &size), 0);
	return set;
}

static bool is_of_the_extensions(unsigned extension)
{
	return (extensions(64)->bits[extension / 64] >> extension % 64 & 1) != 0 ||
	       (extensions(32)->bits[extension / 64] >> extension % 64 & 1) != 0;
}

/* Instructions of the table that the predictor shall not know: other extensions, and what only
 * acts on caches, address translation or debugging. */
static bool is_outside(const struct ear_inst *inst)
{
	if (ear_inst_is_vector(inst))
		return true;
	switch (inst->extension) {
	case EAR_EXT_H:
	case EAR_EXT_ZAWRS:
	case EAR_EXT_ZICOND:
	case EAR_EXT_ZICBOM:
	case EAR_EXT_ZICBOZ:
	case EAR_EXT_ZBC:
	case EAR_EXT_ZBKB:
	case EAR_EXT_ZBKX:
	case EAR_EXT_ZCB:
	case EAR_EXT_ZCB_ZBA:
	case EAR_EXT_ZCB_ZBB:
	case EAR_EXT_ZCB_ZMMUL:
	case EAR_EXT_SVINVAL:
	case EAR_EXT_H_SVINVAL: return true;
	case EAR_EXT_ZBC_ZBKC: return true;
	default:
		return inst->id == EAR_INST_MNRET || inst->id == EAR_INST_DRET ||
		       inst->id == EAR_INST_SFENCE_VMA;
	}
}

static bool is_double(const struct ear_inst *inst)
{
	if (inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_STORE)
		return inst->access_size == 8;
	return inst->extension == EAR_EXT_D;
}

static bool port_shows(const struct ear_inst *inst, unsigned flen)
{
	if (!(inst->flags & EAR_INST_FLOAT))
		return true;
	/* Intended difference: the predictor goes by the format of the result. */
	if (inst->id == EAR_INST_FCVT_S_D)
		return flen > 0;
	return flen >= (is_double(inst) ? 64 : 32);
}

/* What the operation must be, in the words of the table. */
static void expect(
	struct ear_operation *op, const struct ear_inst *inst, unsigned xlen, unsigned flen)
{
	unsigned kind = kinds[inst->id], reads = 0, floats_read[3] = {0}, x_read[2] = {0}, f = 0;
	bool memory = inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_STORE ||
		      inst->kind == EAR_KIND_LR || inst->kind == EAR_KIND_SC ||
		      inst->kind == EAR_KIND_AMO;

	*op = (struct ear_operation){.kind = EAR_DO_UNKNOWN, .size = inst->size};
	if (kind == EAR_DO_UNKNOWN || !port_shows(inst, flen))
		return;
	op->kind = (uint8_t)kind;
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		uint8_t number = (uint8_t)operand->value;
		if (operand->kind == EAR_OPERAND_X && operand->access & EAR_OPERAND_WRITE)
			op->rd = number;
		if (operand->kind == EAR_OPERAND_F && operand->access & EAR_OPERAND_WRITE)
			op->frd = number;
		if (operand->kind == EAR_OPERAND_X && operand->access & EAR_OPERAND_READ)
			x_read[reads++] = number;
		if (operand->kind == EAR_OPERAND_F && operand->access & EAR_OPERAND_READ)
			floats_read[f++] = number;
	}
	/* The table gives what is stored before the address. */
	op->rs1 = (uint8_t)(kind == EAR_DO_STORE ? x_read[1] : x_read[0]);
	op->rs2 = (uint8_t)(kind == EAR_DO_STORE ? x_read[0] : x_read[1]);
	op->imm = (int32_t)inst->imm;
	op->access = inst->access_size;
	if (inst->id == EAR_INST_FSGNJ_S || inst->id == EAR_INST_FSGNJ_D)
		if (floats_read[0] == floats_read[1])
			op->kind = EAR_DO_FCOPY;
	if (kind == EAR_DO_FSTORE || kind == EAR_DO_FMVTOX || op->kind == EAR_DO_FCOPY)
		op->frs = (uint8_t)floats_read[0];
	if (kind == EAR_DO_FMVTOX || kind == EAR_DO_FMVTOF || op->kind == EAR_DO_FCOPY)
		op->access = inst->extension == EAR_EXT_D ? 8 : 4;
	op->flags = (uint8_t)(memory ? EAR_OPERATION_MEMORY : 0);
	if (inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_LR || inst->kind == EAR_KIND_AMO)
		op->flags |= EAR_OPERATION_READS;
	if (inst->kind == EAR_KIND_STORE || inst->kind == EAR_KIND_SC || inst->kind == EAR_KIND_AMO)
		op->flags |= EAR_OPERATION_WRITES;
	if (inst->flags & EAR_INST_UNSIGNED)
		op->flags |= EAR_OPERATION_UNSIGNED;
	if (inst->kind == EAR_KIND_CSR) {
		/* Both forms give bits 19:15: an immediate, or the number of rs1. */
		op->imm = (int32_t)(inst->opcode >> 15 & 31);
		op->csr = inst->csr;
		op->function = inst->opcode >> 12 & 7;
	}
	if (inst->kind == EAR_KIND_FENCE || inst->kind == EAR_KIND_SYSTEM)
		op->imm = 0;
	(void)xlen;
}

/* Intended differences: the table refuses reserved encodings that the predictor takes for their
 * neighbours. docs/predict.md, section 4. */
static bool is_coarse(uint32_t insn, unsigned kind)
{
	unsigned major = insn & 0x7F;

	return (kind == EAR_DO_LR && (insn >> 20 & 31) != 0) || /* rs2 of lr */
	       major == 0x53;                                   /* rs2 and rm of OP-FP */
}

#define COMPARE_FLAGS \
	(EAR_OPERATION_MEMORY | EAR_OPERATION_READS | EAR_OPERATION_WRITES | EAR_OPERATION_UNSIGNED)

static unsigned seen[2][EAR_INST_COUNT];
static unsigned coarse_count;

static void check_opcode(uint32_t insn, unsigned xlen, unsigned flen)
{
	struct ear_operation op, expected;
	struct ear_inst inst;

	ear_operation_decode(&op, insn, xlen, flen);
	ear_inst_decode_within(&inst, insn, xlen, extensions(xlen));
	expect(&expected, &inst, xlen, flen);
	assert_int_equal(op.insn, insn);
	if (inst.id == EAR_INST_ILLEGAL && op.kind != EAR_DO_UNKNOWN && is_coarse(insn, op.kind)) {
		coarse_count++;
		return;
	}
	seen[xlen == 64][inst.id]++;
	bool same = op.kind == expected.kind && op.rd == expected.rd && op.rs1 == expected.rs1 &&
		    op.rs2 == expected.rs2 && op.frd == expected.frd && op.frs == expected.frs &&
		    op.size == expected.size && op.access == expected.access &&
		    op.csr == expected.csr && op.function == expected.function &&
		    op.imm == expected.imm &&
		    (op.flags & COMPARE_FLAGS) == (expected.flags & COMPARE_FLAGS);
	if (!same)
		fail_msg("%s %08x xlen %u flen %u: kind %u %u rd %u %u rs1 %u %u rs2 %u %u frd %u "
			 "%u frs %u %u access %u %u imm %x %x flags %x %x",
			ear_inst_name(inst.id), insn, xlen, flen, op.kind, expected.kind, op.rd,
			expected.rd, op.rs1, expected.rs1, op.rs2, expected.rs2, op.frd,
			expected.frd, op.frs, expected.frs, op.access, expected.access,
			(unsigned)op.imm, (unsigned)expected.imm, op.flags, expected.flags);
}

static void check_all_ports(uint32_t insn)
{
	for (unsigned xlen = 32; xlen <= 64; xlen += 32)
		for (unsigned flen = 0; flen <= 64; flen += 32)
			check_opcode(insn, xlen, flen);
}

static void every_compressed_opcode_is_what_the_table_says(void **state)
{
	(void)state;
	for (uint32_t insn = 0; insn < 0x10000; insn++)
		if ((insn & 3) != 3)
			check_all_ports(insn);
}

/* The encodings of the table, so that every row is met. */
static const struct {
	uint32_t match, mask;
} rows[] = {
#define INST(id, name, match, mask, ...) {match, mask},
#include "decoder/isa/inst_list.def"
#undef INST
};

static const uint8_t row_extensions[] = {
#define INST(id, name, match, mask, where, nonzero, format, kind, size, flags, extension) \
	EAR_EXT_##extension,
#include "decoder/isa/inst_list.def"
#undef INST
};

/* Any opcode of 32 bits; mostly one of a row, or one that a bit is wrong in. */
static uint32_t some_opcode(struct random *random)
{
	uint32_t insn = (uint32_t)(random_next(random) >> 32) | 3;
	unsigned row = (unsigned)random_below(random, COUNT_OF(rows));

	if ((rows[row].match & 3) != 3 || !is_of_the_extensions(row_extensions[row]))
		return insn;
	insn = (insn & ~rows[row].mask) | rows[row].match;
	if (random_once_in(random, 4))
		insn ^= 4u << random_below(random, 30);
	return insn;
}

static void random_opcodes_are_what_the_table_says(void **state)
{
	struct random random = {4};

	(void)state;
	for (unsigned i = 0; i < 1000000; i++)
		check_all_ports(some_opcode(&random));
}

/* The operands of the two tests before have come to every row. */
static void no_instruction_was_left_out(void **state)
{
	unsigned known = 0;

	(void)state;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		if (seen[0][id] + seen[1][id] == 0 && is_of_the_extensions(row_extensions[id - 1]))
			fail_msg("%s was never tried", ear_inst_name(id));
		known += kinds[id] != EAR_DO_UNKNOWN;
	}
	assert_above(known, 200);
	assert_above(coarse_count, 0);
}

static void what_the_predictor_does_not_know_is_known_by_name(void **state)
{
	struct random random = {5};

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		struct ear_inst inst;
		unsigned xlen = i & 1 ? 32 : 64;
		ear_inst_decode_within(&inst, some_opcode(&random), xlen, extensions(xlen));
		if (inst.id != EAR_INST_ILLEGAL &&
			(kinds[inst.id] == EAR_DO_UNKNOWN) != is_outside(&inst))
			fail_msg("%s", ear_inst_name(inst.id));
	}
}

static void the_upper_half_of_a_compressed_opcode_is_ignored(void **state)
{
	(void)state;
	for (uint32_t insn = 0; insn < 0x10000; insn++) {
		struct ear_operation op, other;
		if ((insn & 3) == 3)
			continue;
		ear_operation_decode(&op, insn, 64, 64);
		ear_operation_decode(&other, insn | 0xDEAD0000, 64, 64);
		assert_int_equal(other.insn, insn | 0xDEAD0000);
		other.insn = insn;
		assert_memory_equal(&op, &other, sizeof(op));
	}
}

/* Which operations may raise flags is not in the table. */
static void the_operations_that_may_raise_flags(void **state)
{
	static const struct {
		uint32_t insn;
		bool raises;
	} floats[] = {
		{0x00B57553, true},  /* fadd.s */
		{0x18B57553, true},  /* fdiv.s */
		{0x580575D3, true},  /* fsqrt.s */
		{0x28B50553, true},  /* fmin.s */
		{0xA0B52553, true},  /* feq.s */
		{0xC0057553, true},  /* fcvt.w.s */
		{0xD0057553, true},  /* fcvt.s.w */
		{0x60B5F543, true},  /* fmadd.s */
		{0x20B50553, false}, /* fsgnj.s */
		{0x20A50553, false}, /* fsgnj.s of one register: a copy */
		{0xE0051553, false}, /* fclass.s */
		{0xE0050553, false}, /* fmv.x.w */
		{0xF0050553, false}, /* fmv.w.x */
		{0x00052507, false}, /* flw */
		{0x00A52027, false}, /* fsw */
		{0x00B50533, false}, /* add */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(floats); i++) {
		struct ear_operation op;
		ear_operation_decode(&op, floats[i].insn, 64, 64);
		assert_int_not_equal(op.kind, EAR_DO_UNKNOWN);
		if (((op.flags & EAR_OPERATION_FLAGS) != 0) != floats[i].raises)
			fail_msg("%08x", floats[i].insn);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_compressed_opcode_is_what_the_table_says),
		cmocka_unit_test(random_opcodes_are_what_the_table_says),
		cmocka_unit_test(no_instruction_was_left_out),
		cmocka_unit_test(what_the_predictor_does_not_know_is_known_by_name),
		cmocka_unit_test(the_upper_half_of_a_compressed_opcode_is_ignored),
		cmocka_unit_test(the_operations_that_may_raise_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
