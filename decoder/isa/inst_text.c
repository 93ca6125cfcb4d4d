/* The text of an instruction as Whisper spells it, and its sources and class.
 *
 * One function for each layout; the format of the table's row selects it. Whisper's spelling is the
 * reference, with its own irregularities: a comment marks each.
 */
#include "decoder/isa/inst_table.h"

#include <assert.h>
#include <string.h>

/* Text is built here and copied out at the end, so that no function below needs to check for room:
 * EAR_INST_TEXT_SIZE is more than the longest text, and a test tries every format.
 */
struct text {
	size_t length;
	char bytes[EAR_INST_TEXT_SIZE];
};

static void put_char(struct text *text, char byte)
{
	assert(text->length < sizeof(text->bytes));
	text->bytes[text->length++] = byte;
}

static void put_string(struct text *text, const char *string)
{
	while (*string != '\0')
		put_char(text, *string++);
}

static void put_unsigned(struct text *text, uint32_t value, unsigned base)
{
	char digits[10];
	unsigned count = 0;

	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	while (count != 0)
		put_char(text, digits[--count]);
}

static void put_decimal(struct text *text, int32_t value)
{
	if (value < 0)
		put_char(text, '-');
	put_unsigned(text, value < 0 ? 0 - (uint32_t)value : (uint32_t)value, 10);
}

static void put_hex(struct text *text, uint32_t value)
{
	put_string(text, "0x");
	put_unsigned(text, value, 16);
}

static void put_signed_hex(struct text *text, int32_t value)
{
	if (value < 0)
		put_char(text, '-');
	put_hex(text, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

/* A branch target: ". + 0x8" or ". - 0x8". */
static void put_offset(struct text *text, int32_t offset, uint32_t mask)
{
	put_string(text, offset < 0 ? ". - " : ". + ");
	put_hex(text, (offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset) & mask);
}

static void put_x(struct text *text, int32_t number)
{
	put_char(text, 'x');
	put_unsigned(text, (uint32_t)number, 10);
}

static void put_comma(struct text *text)
{
	put_string(text, ", ");
}

static void put_operand(struct text *text, const struct ear_operand *operand)
{
	switch ((enum ear_operand_kind)operand->kind) {
	case EAR_OPERAND_X: put_x(text, operand->value); break;
	case EAR_OPERAND_F:
		put_char(text, 'f');
		put_unsigned(text, (uint32_t)operand->value, 10);
		break;
	case EAR_OPERAND_CSR:
		put_char(text, 'c');
		put_unsigned(text, (uint32_t)operand->value, 10);
		break;
	case EAR_OPERAND_IMM: put_decimal(text, operand->value); break;
	}
}

static int copy_out(char *to, size_t size, const struct text *text)
{
	if (size != 0) {
		size_t length = text->length < size ? text->length : size - 1;

		memcpy(to, text->bytes, length);
		to[length] = '\0';
	}
	return (int)text->length;
}

/* Whisper's mnemonic, where it is not the standard one. */
static const char *whisper_name(const struct ear_inst *inst)
{
	switch (inst->id) {
	case EAR_INST_REV8_RV32: return "rev8_32";
	case EAR_INST_XPERM4: return "xperm.n";
	case EAR_INST_XPERM8: return "xperm.b";
	case EAR_INST_HFENCE_VVMA: return "hfence_vvma";
	case EAR_INST_HFENCE_GVMA: return "hfence_gvma";
	case EAR_INST_HLVX_HU: return "hlvx_hu";
	case EAR_INST_HLVX_WU: return "hlvx_wu";
	case EAR_INST_C_FSWSP: return "c.swsp";
	default: return ear_inst_name(inst->id);
	}
}

/* The mnemonic in a column of width characters, and at least one blank after it. */
static void put_name(struct text *text, const struct ear_inst *inst, size_t width)
{
	put_string(text, whisper_name(inst));
	do {
		put_char(text, ' ');
	} while (text->length < width);
}

static void put_rounding_mode(struct text *text, unsigned rm)
{
	static const char names[8][5] = {"rne", "rtz", "rdn", "rup", "rmm", "inv1", "inv2", "dyn"};

	put_string(text, names[rm]);
}

/* All operands in order, immediates in decimal: the common form. */
static void put_operands(struct text *text, const struct ear_inst *inst, unsigned count)
{
	const char *separator = "";

	for (unsigned i = 0; i < count; i++) {
		put_string(text, separator);
		put_operand(text, &inst->operands[i]);
		separator = ", ";
	}
	if (inst->flags & EAR_INST_ROUNDS) {
		put_comma(text);
		put_rounding_mode(text, inst->rm);
	}
}

/* "lw       x1, -0x8(x2)". Whisper counts c.flw and c.fsw as integer instructions here. */
static void put_memory(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 9);
	if (inst->id == EAR_INST_C_FLW || inst->id == EAR_INST_C_FSW)
		put_x(text, inst->operands[0].value);
	else
		put_operand(text, &inst->operands[0]);
	put_comma(text);
	put_signed_hex(text, (int32_t)inst->imm);
	put_char(text, '(');
	put_operand(text, &inst->operands[1]);
	put_char(text, ')');
}

/* "c.lwsp   x10, 0x1c": the stack pointer is implied. */
static void put_stack(struct text *text, const struct ear_inst *inst, size_t width)
{
	put_name(text, inst, width);
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	put_hex(text, (uint32_t)inst->imm);
}

/* "c.addi   x10, -0x4" */
static void put_register_immediate(struct text *text, const struct ear_inst *inst, int32_t imm)
{
	put_name(text, inst, 9);
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	put_signed_hex(text, imm);
}

static void put_branch(struct text *text, const struct ear_inst *inst, unsigned registers)
{
	put_name(text, inst, 9);
	for (unsigned i = 0; i < registers; i++) {
		put_operand(text, &inst->operands[i]);
		put_comma(text);
	}
	put_offset(text, (int32_t)inst->imm, UINT32_MAX);
}

/* A jal that does not link is "j". Bit 20 of the distance is lost, as in Whisper. */
static void put_jal(struct text *text, const struct ear_inst *inst)
{
	if (inst->operands[0].value == 0) {
		put_string(text, "j        ");
	} else {
		put_name(text, inst, 9);
		put_operand(text, &inst->operands[0]);
		put_comma(text);
	}
	put_offset(text, (int32_t)inst->imm, 0xfffff);
}

static void put_csr(struct text *text, const struct ear_inst *inst)
{
	const char *name = ear_csr_name(inst->csr);

	put_name(text, inst, 9);
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	if (name != NULL && !(inst->xlen == 64 && ear_csr_is_rv32_only(inst->csr)))
		put_string(text, name);
	else
		put_operand(text, &inst->operands[2]);
	put_comma(text);
	if (inst->operands[1].kind == EAR_OPERAND_IMM)
		put_hex(text, (uint32_t)inst->operands[1].value);
	else
		put_operand(text, &inst->operands[1]);
}

/* The four bits of one side of a fence are i, o, r, w; Whisper writes rwio. */
static void put_ordering(struct text *text, int32_t bits)
{
	if (bits & 2)
		put_char(text, 'r');
	if (bits & 1)
		put_char(text, 'w');
	if (bits & 8)
		put_char(text, 'i');
	if (bits & 4)
		put_char(text, 'o');
	if (bits == 0)
		put_char(text, '0');
}

static void put_fence(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 9);
	if (inst->operands[0].value == 0 && inst->operands[1].value == 0)
		return;
	put_ordering(text, inst->operands[0].value);
	put_comma(text);
	put_ordering(text, inst->operands[1].value);
}

/* "amoadd.w.aq x15, x14, (x13)", "lr.w x15, (x13)": no columns. */
static void put_atomic(struct text *text, const struct ear_inst *inst)
{
	put_string(text, whisper_name(inst));
	if (inst->flags & EAR_INST_ACQUIRE)
		put_string(text, ".aq");
	if (inst->flags & EAR_INST_RELEASE)
		put_string(text, ".rl");
	put_char(text, ' ');
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	if (inst->operand_count == 3) {
		put_operand(text, &inst->operands[2]);
		put_comma(text);
	}
	put_char(text, '(');
	put_operand(text, &inst->operands[1]);
	put_char(text, ')');
}

/* The first operand is read and written and named once: "c.add    x11, x10". */
static void put_two_registers(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 9);
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	put_operand(text, &inst->operands[2]);
}

/* "cbo.zero 0(x10)" */
static void put_cache_block(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 9);
	put_string(text, "0(");
	put_operand(text, &inst->operands[0]);
	put_char(text, ')');
}

/* The immediate is scaled, and the column of the name is wider. */
static void put_addi4spn(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 12);
	put_operand(text, &inst->operands[0]);
	put_comma(text);
	put_hex(text, (uint32_t)inst->imm >> 2);
}

/* The immediate is scaled, and the register is implied. */
static void put_addi16sp(struct text *text, const struct ear_inst *inst)
{
	put_name(text, inst, 9);
	put_signed_hex(text, (int32_t)(inst->imm / 16));
}

static void put_addi(struct text *text, const struct ear_inst *inst)
{
	if (inst->id == EAR_INST_C_ADDI && inst->operands[0].value == 0)
		put_string(text, "c.nop");
	else
		put_register_immediate(text, inst, (int32_t)inst->imm);
}

static void put_inst(struct text *text, const struct ear_inst *inst)
{
	switch ((enum ear_inst_format)ear_inst_rows[inst->id].format) {
	case FORMAT_NONE:
		if (inst->id == EAR_INST_ILLEGAL || inst->id == EAR_INST_C_EBREAK)
			put_string(text, whisper_name(inst));
		else
			put_name(text, inst, 9);
		break;
	case FORMAT_R:
	case FORMAT_R2:
	case FORMAT_I:
	case FORMAT_SHIFT:
	case FORMAT_RS1_RS2:
	case FORMAT_FFF:
	case FORMAT_FFFF:
	case FORMAT_FF:
	case FORMAT_XFF:
	case FORMAT_XF:
	case FORMAT_FX:
		put_name(text, inst, 9);
		put_operands(text, inst, inst->operand_count);
		break;
	case FORMAT_ZEXT:
		put_name(text, inst, 9);
		put_operands(text, inst, 2);
		break;
	case FORMAT_LOAD:
	case FORMAT_FLOAD:
	case FORMAT_STORE:
	case FORMAT_FSTORE:
	case FORMAT_JALR:
	case FORMAT_HLV:
	case FORMAT_HSV:
	case FORMAT_CL_B:
	case FORMAT_CL_H:
	case FORMAT_CL_W:
	case FORMAT_CL_D:
	case FORMAT_CFL_W:
	case FORMAT_CFL_D:
	case FORMAT_CS_B:
	case FORMAT_CS_H:
	case FORMAT_CS_W:
	case FORMAT_CS_D:
	case FORMAT_CFS_W:
	case FORMAT_CFS_D: put_memory(text, inst); break;
	case FORMAT_BRANCH: put_branch(text, inst, 2); break;
	case FORMAT_LUI: put_register_immediate(text, inst, (int32_t)(inst->imm / 4096)); break;
	case FORMAT_AUIPC:
	case FORMAT_CLUI:
		put_register_immediate(text, inst, (int32_t)((uint32_t)inst->imm >> 12));
		break;
	case FORMAT_JAL: put_jal(text, inst); break;
	case FORMAT_CSR:
	case FORMAT_CSRI: put_csr(text, inst); break;
	case FORMAT_FENCE: put_fence(text, inst); break;
	case FORMAT_CBO: put_cache_block(text, inst); break;
	case FORMAT_AMO:
	case FORMAT_LR: put_atomic(text, inst); break;
	case FORMAT_CIW: put_addi4spn(text, inst); break;
	case FORMAT_CI: put_addi(text, inst); break;
	case FORMAT_CLI:
	case FORMAT_CB_SHIFT:
	case FORMAT_CB_ANDI: put_register_immediate(text, inst, (int32_t)inst->imm); break;
	case FORMAT_CADDI16SP: put_addi16sp(text, inst); break;
	case FORMAT_CSLLI: /* the one compressed shift in decimal */
	case FORMAT_CA:
	case FORMAT_CMV:
	case FORMAT_CADD: put_two_registers(text, inst); break;
	case FORMAT_CU:
		put_name(text, inst, 9);
		put_operand(text, &inst->operands[0]);
		break;
	case FORMAT_CJ:
	case FORMAT_CJAL: put_branch(text, inst, 0); break;
	case FORMAT_CB: put_branch(text, inst, 1); break;
	case FORMAT_CLSP_W:
	case FORMAT_CLSP_D:
	case FORMAT_CSSP_W:
	case FORMAT_CSSP_D:
	case FORMAT_CFSSP_W: put_stack(text, inst, 9); break;
	case FORMAT_CFLSP_W:
	case FORMAT_CFLSP_D:
	case FORMAT_CFSSP_D: put_stack(text, inst, 10); break;
	case FORMAT_CJR:
	case FORMAT_CJALR:
		put_name(text, inst, 9);
		put_operand(text, &inst->operands[1]);
		break;
	}
}

int ear_inst_disassemble(char *text, size_t size, const struct ear_inst *inst)
{
	struct text whole;

	whole.length = 0;
	put_inst(&whole, inst);
	return copy_out(text, size, &whole);
}

/* Whisper never fills in the immediates of fences. */
static uint32_t source_immediate(const struct ear_inst *inst, const struct ear_operand *operand)
{
	bool is_fence = ear_inst_rows[inst->id].format == FORMAT_FENCE;

	return is_fence ? 0 : (uint32_t)operand->value;
}

int ear_inst_sources(char *text, size_t size, const struct ear_inst *inst, unsigned frm)
{
	struct text whole;
	const char *separator = "";

	assert(frm < 8);
	whole.length = 0;
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];

		if (operand->kind == EAR_OPERAND_IMM) {
			put_string(&whole, separator);
			put_char(&whole, 'i');
			put_unsigned(&whole, source_immediate(inst, operand), 16);
		} else if (operand->access & EAR_OPERAND_READ) {
			put_string(&whole, separator);
			put_operand(&whole, operand);
		} else {
			continue;
		}
		separator = ";";
	}
	if (inst->flags & EAR_INST_ROUNDS) {
		put_string(&whole, separator);
		put_string(&whole, "rm=");
		put_unsigned(&whole, inst->rm == 7 ? frm : inst->rm, 10);
	}
	return copy_out(text, size, &whole);
}

const char *ear_inst_info(const struct ear_inst *inst, bool taken)
{
	if (inst->extension == EAR_EXT_A)
		return "a";
	switch ((enum ear_inst_kind)inst->kind) {
	case EAR_KIND_LOAD: return "l";
	case EAR_KIND_STORE: return "s";
	case EAR_KIND_BRANCH: return taken ? "t" : "nt";
	case EAR_KIND_JUMP:
		if (inst->id == EAR_INST_C_JAL)
			return "";
		if (inst->flags & EAR_INST_RETURN)
			return "r";
		return inst->flags & EAR_INST_CALL ? "c" : "j";
	case EAR_KIND_FP: return "f";
	default: return "";
	}
}
