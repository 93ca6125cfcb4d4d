/* library/check/semantics/ against QEMU: random instructions of every opcode, with random and
 * special operands.
 *
 *   qemu_semantics --qemu qemu-riscv64 --xlen 64 [options]
 *     --flen N     width of the f registers, 32 or 64 (default)
 *     --count N    instructions of each opcode, at least (default 100000)
 *     --seed N
 *     --only NAME  of one opcode only
 *     --list       print how many instructions of each opcode there were
 *     --opcodes N  how many opcodes there must be, at least
 *     --fault    get a bit of every thousandth result wrong
 * Exit code: 1 if something differs, 2 if QEMU did not run to the end.
 *
 * A program for QEMU's user mode is written as machine code (guest.h). For each instance of an
 * opcode, which is the opcode with random registers and immediates, it has a loop: load operands
 * from a table, execute the instruction, store what it made. The results go through a pipe. Which
 * opcodes there are says the table of decoder/isa, what they do library/check/semantics/.
 *
 * QEMU 7.2, that of Debian 12, knows neither Zicond nor Zcb. In its program each of these is
 * written as what the specification says that it is: instructions that QEMU knows.
 *
 * Not here: CSR instructions, fences, ecall and the like, which have no result to compute.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "decoder/isa/inst_table.h"
#include "guest.h"
#include "library/check/semantics/semantics.h"
#include "library/check/semantics/semantics_float.h"
#include "random.h"

#define OPERANDS  512u /* operands for each instance */
#define INSTANCES 32u  /* of each opcode in one program */
#define TABLE     4096u
#define MARGIN    1024u /* entries after the table: an instance begins anywhere in it */
#define SLOT_MAX  16u
#define REPORTED  20u /* differences printed */

/* Where jumps and their targets are; far from the loops, which come first. */
#define ARENA      (GUEST_CODE + 0x01000000u)
#define ARENA_SIZE 0x00800000u

#define OP_LOAD     0x03u
#define OP_LOAD_FP  0x07u
#define OP_IMM      0x13u
#define OP_AUIPC    0x17u
#define OP_STORE    0x23u
#define OP_STORE_FP 0x27u
#define OP_JALR     0x67u
#define OP_SYSTEM   0x73u
#define CSR_FFLAGS  1
#define CSR_FRM     2

#define BOX (UINT64_C(0xffffffff) << 32)

enum table { INTEGERS, SINGLES, DOUBLES, TABLES };

enum form {
	FORM_COMPUTE, /* registers to a register */
	FORM_LOAD,
	FORM_STORE,
	FORM_AMO,
	FORM_LR,
	FORM_SC,
	FORM_JUMP, /* branches, too */
};

struct instance {
	uint32_t insn;
	uint16_t id;
	enum form form;
	enum table table;
	uint32_t pc;
	uint32_t first;  /* entry of the table for the first operands */
	uint32_t at[3];  /* those of rs1, rs2, rs3 are so many entries later */
	int32_t shift;   /* accesses: the address lies so many bytes after the entry or the slot */
	uint32_t target; /* where a jump through a register goes */
	unsigned frm;
	uint32_t slot; /* bytes of a result */
};

/* Registers of the loop, none of which the instruction uses. */
struct harness {
	unsigned from, to, end, first, second;
};

struct options {
	const char *qemu, *only;
	unsigned xlen, flen;
	uint64_t count, seed;
	unsigned opcodes;
	bool list, fault;
};

struct run {
	struct options options;
	struct random random;
	struct ear_inst_set set;
	uint32_t extensions;
	uint64_t tables[TABLES][TABLE + MARGIN];
	struct guest guest;
	uint8_t *used; /* of the arena, one for two bytes */
	struct instance *instances;
	size_t instance_count;
	uint64_t counts[EAR_INST_COUNT];
	uint64_t differences;
	uint8_t results[OPERANDS * SLOT_MAX];
};

static uint32_t output_address(const struct run *run)
{
	return GUEST_DATA + (uint32_t)sizeof(run->tables);
}

static uint64_t word(const struct run *run, uint64_t value)
{
	return run->options.xlen == 32 ? (uint32_t)value : value;
}

/* Operands ------------------------------------------------------------------------------------ */

static uint64_t draw_integer(struct run *run)
{
	struct random *random = &run->random;
	uint64_t value = random_next(random);
	unsigned bit = (unsigned)random_below(random, 64);
	static const uint64_t special[] = {0, 1, 2, ~UINT64_C(0), ~UINT64_C(1), 0x7f, 0x80, 0xff,
		0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000,
		0xffffffff7fffffff, 0xffffffff80000000, 0x7fffffffffffffff, 0x8000000000000000,
		0x8000000000000001, 0x00ff00ff00ff00ff, 0xff00ff00ff00ff00};

	switch (random_below(random, 8)) {
	case 0:
	case 1: return special[random_below(random, sizeof(special) / sizeof(special[0]))];
	case 2: return UINT64_C(1) << bit;
	case 3: return (UINT64_C(1) << bit) - 1;
	case 4: return (uint64_t)(int64_t)(int32_t)value;
	case 5: return value >> bit;
	default: return value;
	}
}

/* Many near each other and near the ends of the format, so that sums cancel, and products and
 * quotients overflow and underflow. */
static uint64_t draw_float(struct run *run, unsigned exponent_bits, unsigned fraction_bits)
{
	struct random *random = &run->random;
	uint64_t fraction_mask = (UINT64_C(1) << fraction_bits) - 1;
	uint64_t most = (UINT64_C(1) << exponent_bits) - 1, bias = most >> 1;
	uint64_t fraction = random_next(random) & fraction_mask, exponent;

	switch (random_below(random, 6)) {
	case 0: fraction = 0; break;
	case 1: fraction = fraction_mask; break;
	case 2: fraction &= random_next(random) & random_next(random); break;
	case 3: fraction = UINT64_C(1) << random_below(random, fraction_bits); break;
	default: break;
	}
	switch (random_below(random, 8)) {
	case 0: exponent = random_below(random, 2); break;
	case 1: exponent = most - random_below(random, 2); break;
	case 2:
		exponent = bias / 2 - fraction_bits / 2 + random_below(random, fraction_bits);
		break;
	case 3: exponent = random_below(random, most + 1); break;
	case 4: exponent = bias + random_below(random, 66); break;
	default: exponent = bias - 2 + random_below(random, 4); break;
	}
	return (random_next(random) & 1) << (exponent_bits + fraction_bits) |
	       exponent << fraction_bits | fraction;
}

static void draw_tables(struct run *run)
{
	for (unsigned i = 0; i < TABLE + MARGIN; i++) {
		run->tables[INTEGERS][i] = draw_integer(run);
		run->tables[DOUBLES][i] = draw_float(run, 11, 52);
		run->tables[SINGLES][i] = draw_float(run, 8, 23) | BOX;
		if (random_once_in(&run->random, 16)) /* no single-precision number */
			run->tables[SINGLES][i] &= random_next(&run->random) | 0xffffffff;
	}
}

/* Instances ----------------------------------------------------------------------------------- */

static bool is_stood_in(unsigned id)
{
	switch (ear_inst_rows[id].extension) {
	case EAR_EXT_ZICOND:
	case EAR_EXT_ZCB:
	case EAR_EXT_ZCB_ZBA:
	case EAR_EXT_ZCB_ZBB:
	case EAR_EXT_ZCB_ZMMUL: return true;
	default: return false;
	}
}

static uint32_t match_of(enum ear_inst_id id)
{
	return ear_inst_rows[id].match;
}

/* The instruction for QEMU, by the text of the specification where QEMU does not know it. */
static void emit_subject(struct run *run, const struct instance *instance, const struct harness *h)
{
	struct guest *guest = &run->guest;
	uint32_t insn = instance->insn;
	unsigned low = 8 + (insn >> 2 & 7), high = 8 + (insn >> 7 & 7);
	int32_t byte = (int32_t)((insn >> 6 & 1) | (insn >> 4 & 2)),
		half = (int32_t)(insn >> 4 & 2);
	unsigned rd = insn >> 7 & 31, rs1 = insn >> 15 & 31, rs2 = insn >> 20 & 31;

	switch (instance->id) {
	case EAR_INST_C_LBU: guest_emit(guest, guest_i(OP_LOAD, 4, low, high, byte)); return;
	case EAR_INST_C_LHU: guest_emit(guest, guest_i(OP_LOAD, 5, low, high, half)); return;
	case EAR_INST_C_LH: guest_emit(guest, guest_i(OP_LOAD, 1, low, high, half)); return;
	case EAR_INST_C_SB: guest_emit(guest, guest_s(OP_STORE, 0, high, low, byte)); return;
	case EAR_INST_C_SH: guest_emit(guest, guest_s(OP_STORE, 1, high, low, half)); return;
	case EAR_INST_C_MUL:
		guest_emit(guest, guest_r(match_of(EAR_INST_MUL), high, high, low));
		return;
	case EAR_INST_C_ZEXT_B: guest_emit(guest, guest_i(OP_IMM, 7, high, high, 255)); return;
	case EAR_INST_C_NOT: guest_emit(guest, guest_i(OP_IMM, 4, high, high, -1)); return;
	case EAR_INST_C_ZEXT_W:
		guest_emit(guest, guest_r(match_of(EAR_INST_ADD_UW), high, high, 0));
		return;
	/* Shifts to the top and back, which is what extending means. */
	case EAR_INST_C_SEXT_B:
	case EAR_INST_C_SEXT_H:
	case EAR_INST_C_ZEXT_H: {
		int32_t by =
			(int32_t)run->options.xlen - (instance->id == EAR_INST_C_SEXT_B ? 8 : 16);
		int32_t arithmetic = instance->id == EAR_INST_C_ZEXT_H ? 0 : 0x400;
		guest_emit(guest, guest_i(OP_IMM, 1, high, high, by));
		guest_emit(guest, guest_i(OP_IMM, 5, high, high, by | arithmetic));
		return;
	}
	/* A mask of zeros or ones, by whether rs2 is zero. */
	case EAR_INST_CZERO_EQZ:
	case EAR_INST_CZERO_NEZ:
		if (instance->id == EAR_INST_CZERO_EQZ)
			guest_emit(guest, guest_r(match_of(EAR_INST_SLTU), h->first, 0, rs2));
		else
			guest_emit(guest, guest_i(OP_IMM, 3, h->first, rs2, 1));
		guest_emit(guest, guest_r(match_of(EAR_INST_SUB), h->first, 0, h->first));
		guest_emit(guest, guest_r(match_of(EAR_INST_AND), rd, rs1, h->first));
		return;
	default: guest_emit(guest, insn); return;
	}
}

/* Registers that the instruction's fields do not name, whatever they mean. */
static struct harness choose_registers(const struct ear_semantics *op)
{
	uint32_t taken = 1 | 1u << (op->wide >> 7 & 31) | 1u << (op->wide >> 15 & 31) |
			 1u << (op->wide >> 20 & 31) | 1u << (op->wide >> 27);
	unsigned numbers[5], next = 1;

	for (unsigned i = 0; i < 5; i++, next++) {
		while (taken >> next & 1)
			next++;
		numbers[i] = next;
	}
	return (struct harness){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

static bool choose_form(const struct ear_inst *inst, struct instance *instance)
{
	switch (inst->kind) {
	case EAR_KIND_ALU:
	case EAR_KIND_MUL:
	case EAR_KIND_DIV:
	case EAR_KIND_FP: instance->form = FORM_COMPUTE; return true;
	case EAR_KIND_LOAD: instance->form = FORM_LOAD; return true;
	case EAR_KIND_STORE: instance->form = FORM_STORE; return true;
	case EAR_KIND_AMO: instance->form = FORM_AMO; return true;
	case EAR_KIND_LR: instance->form = FORM_LR; return true;
	case EAR_KIND_SC: instance->form = FORM_SC; return true;
	case EAR_KIND_BRANCH:
	case EAR_KIND_JUMP: instance->form = FORM_JUMP; return true;
	default: return false;
	}
}

/* Operands that are double-precision numbers. */
static bool reads_double(const struct ear_semantics *op)
{
	bool between = (op->wide & 0x7f) == 0x53 && op->wide >> 27 == 0x08;
	unsigned format = between ? op->wide >> 20 & 3 : op->wide >> 25 & 3;

	return format == 1;
}

static bool is_float(const struct ear_semantics *op)
{
	return op->kind == EAR_SEM_FLOAT;
}

/* Comparisons, conversions to integers, fmv to x and fclass; perhaps to x0. */
static bool writes_x(const struct ear_semantics *op)
{
	unsigned function = op->wide >> 27;

	return (op->wide & 0x7f) == 0x53 &&
	       (function == 0x14 || function == 0x18 || function == 0x1c);
}

/* A random instance of an opcode; false: the opcode has no result to compare, or this instance
 * cannot be run here. */
static bool draw_instance(struct run *run, unsigned id, struct instance *instance)
{
	const struct ear_inst_row *row = &ear_inst_rows[id];
	unsigned wide = run->options.xlen == 64;
	struct random *random = &run->random;
	struct ear_inst inst;
	struct ear_semantics op;
	uint32_t free = ~row->mask[wide];

	if ((row->match & 3) != 3)
		free &= 0xffff;
	*instance = (struct instance){.id = (uint16_t)id};
	instance->insn = row->match | ((uint32_t)random_next(random) & free);
	ear_inst_decode_within(&inst, instance->insn, run->options.xlen, &run->set);
	if (inst.id != id || !choose_form(&inst, instance))
		return false;
	ear_semantics_decode(&op, instance->insn, run->options.xlen, run->extensions);
	if (inst.flags & EAR_INST_ROUNDS && (inst.rm == 5 || inst.rm == 6))
		return false;
	/* Accesses need an address; so do jumps through a register. */
	if (inst.kind >= EAR_KIND_LOAD && inst.kind <= EAR_KIND_SC && op.rs1 == 0)
		return false;
	if (inst.kind == EAR_KIND_JUMP && (inst.flags & EAR_INST_INDIRECT) && op.rs1 == 0)
		return false;
	instance->table = !is_float(&op) || !ear_semantics_float_reads(&op) ? INTEGERS
			  : reads_double(&op)                               ? DOUBLES
									    : SINGLES;
	instance->first = (uint32_t)random_below(random, TABLE - OPERANDS);
	for (unsigned i = 0; i < 3; i++)
		instance->at[i] = (uint32_t)random_below(random, 250);
	instance->frm = (unsigned)random_below(random, 5);
	instance->slot = run->options.xlen / 8;
	return true;
}

/* The program ---------------------------------------------------------------------------------- */

static uint32_t table_address(const struct instance *instance)
{
	return GUEST_DATA + 8 * ((uint32_t)instance->table * (TABLE + MARGIN) + instance->first);
}

static void emit_load_x(struct run *run, unsigned rd, unsigned base, uint32_t offset)
{
	unsigned funct3 = run->options.xlen == 32 ? 2 : 3;

	guest_emit(&run->guest, guest_i(OP_LOAD, funct3, rd, base, (int32_t)offset));
}

static void emit_store_x(struct run *run, unsigned rs2, unsigned base, uint32_t offset)
{
	unsigned funct3 = run->options.xlen == 32 ? 2 : 3;

	guest_emit(&run->guest, guest_s(OP_STORE, funct3, base, rs2, (int32_t)offset));
}

static void emit_add(struct run *run, unsigned rd, unsigned rs1, int32_t value)
{
	guest_emit(&run->guest, guest_i(OP_IMM, 0, rd, rs1, value));
}

/* x[rs1] is so many bytes before the address that the instruction is to have. */
static void emit_address(struct run *run, const struct instance *instance,
	const struct ear_semantics *op, unsigned base)
{
	int32_t distance = instance->shift - op->imm; /* may be more than one addi adds */

	emit_add(run, op->rs1, base, distance / 2);
	emit_add(run, op->rs1, op->rs1, distance - distance / 2);
}

/* Operands of FORM_COMPUTE, and the second one of others. */
static void emit_operands(struct run *run, const struct instance *instance,
	const struct ear_semantics *op, const struct harness *h)
{
	static const uint8_t fields[3] = {15, 20, 27};
	unsigned funct3 = run->options.flen == 32 ? 2 : 3;
	unsigned reads = is_float(op) ? ear_semantics_float_reads(op) : 0;

	if (op->rs1)
		emit_load_x(run, op->rs1, h->from, 8 * instance->at[0]);
	if (op->rs2)
		emit_load_x(run, op->rs2, h->from, 8 * instance->at[1]);
	for (unsigned i = 0; i < 3; i++)
		if (reads >> i & 1)
			guest_emit(
				&run->guest, guest_i(OP_LOAD_FP, funct3, op->wide >> fields[i] & 31,
						     h->from, (int32_t)(8 * instance->at[i])));
}

/* The f register that was written goes to a slot. */
static void emit_store_f(struct run *run, unsigned number, unsigned base)
{
	unsigned funct3 = run->options.flen == 32 ? 2 : 3;

	guest_emit(&run->guest, guest_s(OP_STORE_FP, funct3, base, number, 0));
}

/* A slot becomes zero. */
static void emit_clear(struct run *run, const struct harness *h)
{
	for (uint32_t at = 0; at < 16; at += 4)
		guest_emit(&run->guest, guest_s(OP_STORE, 2, h->to, 0, (int32_t)at));
}

static void emit_compute(struct run *run, struct instance *instance, const struct ear_semantics *op,
	const struct harness *h)
{
	struct guest *guest = &run->guest;

	emit_operands(run, instance, op, h);
	if (is_float(op))
		guest_emit(guest, guest_i(OP_SYSTEM, 1, 0, 0, CSR_FFLAGS));
	if (is_float(op))
		emit_clear(run, h);
	instance->pc = guest_pc(guest);
	emit_subject(run, instance, h);
	if (!is_float(op)) {
		emit_store_x(run, op->rd, h->to, 0);
		return;
	}
	instance->slot = 16;
	guest_emit(guest, guest_i(OP_SYSTEM, 2, h->first, 0, CSR_FFLAGS));
	guest_emit(guest, guest_s(OP_STORE, 2, h->to, h->first, 8));
	if (writes_x(op))
		emit_store_x(run, op->rd, h->to, 0);
	else
		emit_store_f(run, op->wide >> 7 & 31, h->to);
}

static void emit_load(struct run *run, struct instance *instance, const struct ear_semantics *op,
	const struct harness *h)
{
	instance->shift = (int32_t)random_below(&run->random, 8);
	emit_address(run, instance, op, h->from);
	emit_subject(run, instance, h);
	if (op->kind == EAR_SEM_FLOAD) {
		instance->slot = run->options.flen / 8;
		emit_store_f(run, op->wide >> 7 & 31, h->to);
	} else {
		emit_store_x(run, op->rd, h->to, 0);
	}
}

static void emit_store(struct run *run, struct instance *instance, const struct ear_semantics *op,
	const struct harness *h)
{
	unsigned funct3 = run->options.flen == 32 ? 2 : 3;

	instance->slot = 16;
	instance->shift = (int32_t)random_below(&run->random, 9);
	emit_clear(run, h);
	if (op->rs2)
		emit_load_x(run, op->rs2, h->from, 8 * instance->at[1]);
	if (op->kind == EAR_SEM_FSTORE)
		guest_emit(&run->guest, guest_i(OP_LOAD_FP, funct3, op->wide >> 20 & 31, h->from,
						(int32_t)(8 * instance->at[1])));
	emit_address(run, instance, op, h->to);
	emit_subject(run, instance, h);
}

/* Memory is bytes 0 to 7 of the slot, rd bytes 8 to 15. */
static void emit_atomic(struct run *run, struct instance *instance, const struct ear_semantics *op,
	const struct harness *h)
{
	struct guest *guest = &run->guest;

	instance->slot = 16;
	emit_clear(run, h);
	for (uint32_t at = 0; at < 8; at += 4) {
		guest_emit(guest, guest_i(OP_LOAD, 2, h->first, h->from,
					  (int32_t)(8 * instance->at[0] + at)));
		guest_emit(guest, guest_s(OP_STORE, 2, h->to, h->first, (int32_t)at));
	}
	if (op->rs2)
		emit_load_x(run, op->rs2, h->from, 8 * instance->at[1]);
	emit_add(run, op->rs1, h->to, 0);
	if (instance->form == FORM_SC)
		guest_emit(guest, guest_r(0x1000002f | (op->wide & 0x7000), h->first, h->to, 0));
	emit_subject(run, instance, h);
	emit_store_x(run, op->rd, h->to, 8);
}

/* Bytes of the arena that nobody has; they are then taken. */
static bool take(struct run *run, uint32_t address, uint32_t size)
{
	uint32_t at = address - ARENA;

	if (address < ARENA || at > ARENA_SIZE - size)
		return false;
	for (uint32_t i = 0; i < size; i += 2)
		if (run->used[(at + i) / 2])
			return false;
	memset(run->used + at / 2, 1, size / 2);
	return true;
}

#define PAD 12u /* bytes of a landing place */

/* Where a jump may come to: keep the address, go back. */
static void place_pad(struct run *run, uint32_t address, const struct harness *h)
{
	struct guest *guest = &run->guest;

	guest_place(guest, address, h->first << 7 | OP_AUIPC);
	guest_place(guest, address + 4, guest_i(OP_JALR, 0, 0, h->second, 0));
}

/* The slot has the address where it came to, and rd. False: there is no room for this instance. */
static bool emit_jump(struct run *run, struct instance *instance, const struct ear_semantics *op,
	const struct harness *h)
{
	struct guest *guest = &run->guest;
	uint32_t xlen_bytes = run->options.xlen / 8;
	uint32_t pc = ARENA + 2 * (uint32_t)random_below(&run->random, ARENA_SIZE / 2);
	bool through_register = op->kind == EAR_SEM_JALR;
	uint32_t target = through_register
				  ? ARENA + 2 * (uint32_t)random_below(&run->random, ARENA_SIZE / 2)
				  : pc + (uint32_t)op->imm;

	if (!take(run, pc, op->size + PAD))
		return false;
	if (!take(run, target, PAD)) {
		memset(run->used + (pc - ARENA) / 2, 0, (op->size + PAD) / 2);
		return false;
	}
	guest_place(guest, pc, instance->insn);
	place_pad(run, pc + op->size, h);
	place_pad(run, target, h);
	instance->pc = pc;
	instance->slot = 2 * xlen_bytes;
	if (through_register) { /* the lowest bit of the sum does not count */
		instance->target = target + (uint32_t)random_below(&run->random, 2);
		guest_load_address(guest, op->rs1, instance->target - (uint32_t)op->imm);
	} else {
		emit_operands(run, instance, op, h);
	}
	guest_load_address(guest, h->first, pc);
	guest_emit(guest, guest_i(OP_JALR, 0, h->second, h->first, 0));
	emit_store_x(run, h->first, h->to, 0);
	emit_store_x(run, op->rd, h->to, xlen_bytes);
	return true;
}

/* A loop over the operands of one instance. False: it cannot be placed. */
static bool emit_instance(struct run *run, struct instance *instance)
{
	struct guest *guest = &run->guest;
	size_t before = guest->code_size;
	struct ear_semantics op;
	uint32_t start;

	ear_semantics_decode(&op, instance->insn, run->options.xlen, run->extensions);
	struct harness h = choose_registers(&op);
	guest_load_address(guest, h.from, table_address(instance));
	guest_load_address(guest, h.to, output_address(run));
	guest_load_address(guest, h.end, table_address(instance) + 8 * OPERANDS);
	if (is_float(&op))
		guest_emit(guest, guest_i(OP_SYSTEM, 5, 0, instance->frm, CSR_FRM));
	start = guest_pc(guest);
	switch (instance->form) {
	case FORM_COMPUTE: emit_compute(run, instance, &op, &h); break;
	case FORM_LOAD: emit_load(run, instance, &op, &h); break;
	case FORM_STORE: emit_store(run, instance, &op, &h); break;
	case FORM_JUMP:
		if (!emit_jump(run, instance, &op, &h)) {
			guest->code_size = before;
			return false;
		}
		break;
	default: emit_atomic(run, instance, &op, &h); break;
	}
	emit_add(run, h.from, h.from, 8);
	emit_add(run, h.to, h.to, (int32_t)instance->slot);
	guest_loop(guest, start, h.from, h.end);
	guest_write(guest, output_address(run), instance->slot * OPERANDS);
	return true;
}

static void emit_program(struct run *run)
{
	struct instance instance;

	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		unsigned tries = 0, made = 0;

		if (run->options.only && strcmp(run->options.only, ear_inst_name(id)) != 0)
			continue;
		while (made < INSTANCES && tries++ < 4000) {
			if (!draw_instance(run, id, &instance) || !emit_instance(run, &instance))
				continue;
			run->instances[run->instance_count++] = instance;
			made++;
		}
	}
	guest_exit(&run->guest);
}

/* What library/check/semantics/ says
 * ------------------------------------------------------------------------- */

struct outcome {
	uint8_t bytes[SLOT_MAX];
	uint32_t compared;
};

static uint64_t take_bytes(const uint8_t *bytes, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static void put_bytes(struct outcome *outcome, unsigned at, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count && at + i < SLOT_MAX; i++)
		outcome->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t operand(
	const struct run *run, const struct instance *instance, unsigned which, size_t index)
{
	return run->tables[instance->table][instance->first + instance->at[which] + index];
}

/* The values of rs1 and rs2 after both were loaded, one after the other. */
static void take_operands(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, uint64_t *a, uint64_t *b)
{
	*a = op->rs1 ? word(run, operand(run, instance, 0, index)) : 0;
	*b = op->rs2 ? word(run, operand(run, instance, 1, index)) : 0;
	if (op->rs1 && op->rs1 == op->rs2)
		*a = *b;
}

static void expect_float(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	static const uint8_t fields[3] = {15, 20, 27};
	struct ear_float_operands operands = {.frm = instance->frm, .flen = run->options.flen};
	struct ear_float_result result;
	uint64_t b;

	take_operands(run, instance, op, index, &operands.x, &b);
	for (unsigned i = 0; i < 3; i++) {
		unsigned last = i; /* of those that load the same register */

		for (unsigned j = i + 1; j < 3; j++)
			if (ear_semantics_float_reads(op) >> j & 1 &&
				(op->wide >> fields[j] & 31) == (op->wide >> fields[i] & 31))
				last = j;
		operands.f[i] = operand(run, instance, last, index);
		if (run->options.flen == 32)
			operands.f[i] = (uint32_t)operands.f[i];
	}
	ear_semantics_float(op, &operands, &result);
	outcome->compared = 12;
	if (result.is_float) {
		put_bytes(outcome, 0, result.value, run->options.flen / 8);
	} else {
		put_bytes(outcome, 0, op->rd ? result.value : 0, run->options.xlen / 8);
	}
	put_bytes(outcome, 8, result.flags, 4);
}

static unsigned access_size(const struct ear_semantics *op)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 1, 2, 4, 8};

	if (op->kind == EAR_SEM_FLOAD || op->kind == EAR_SEM_FSTORE)
		return (op->wide >> 12 & 7) == 2 ? 4 : 8;
	if (op->kind >= EAR_SEM_LB && op->kind <= EAR_SEM_SD)
		return sizes[op->kind - EAR_SEM_LB];
	return (op->wide >> 12 & 7) == 2 ? 4 : 8;
}

static uint64_t extend(uint64_t value, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static void expect_load(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	const uint8_t *bytes =
		(const uint8_t *)&run->tables[instance->table][instance->first + index];
	unsigned size = access_size(op);
	uint64_t value = take_bytes(bytes + instance->shift, size);

	if (op->kind == EAR_SEM_FLOAD) {
		put_bytes(outcome, 0, size == 4 ? value | BOX : value, run->options.flen / 8);
		return;
	}
	if (op->kind == EAR_SEM_LB || op->kind == EAR_SEM_LH || op->kind == EAR_SEM_LW)
		value = extend(value, size);
	put_bytes(outcome, 0, op->rd ? value : 0, run->options.xlen / 8);
}

static void expect_store(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	uint64_t value =
		op->rs2 || op->kind == EAR_SEM_FSTORE ? operand(run, instance, 1, index) : 0;
	uint32_t slot = output_address(run) + (uint32_t)index * instance->slot;

	if (op->kind != EAR_SEM_FSTORE && op->rs1 == op->rs2) /* the address itself */
		value = word(run, slot + (uint64_t)instance->shift - (uint64_t)(int64_t)op->imm);
	put_bytes(outcome, (unsigned)instance->shift, value, access_size(op));
}

static void expect_atomic(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	unsigned size = access_size(op);
	uint64_t memory = operand(run, instance, 0, index), old = memory, result, value;
	uint32_t slot = output_address(run) + (uint32_t)index * instance->slot;

	if (size == 4)
		old = extend(memory, 4);
	value = op->rs2 == 0 ? 0 : op->rs2 == op->rs1 ? slot : operand(run, instance, 1, index);
	if (size == 4)
		value = extend(value, 4);
	result = old;
	put_bytes(outcome, 0, memory, 8);
	if (instance->form == FORM_AMO)
		put_bytes(outcome, 0, ear_semantics_amo(op->wide >> 27, size, old, value), size);
	if (instance->form == FORM_SC) {
		put_bytes(outcome, 0, value, size);
		result = 0;
	}
	put_bytes(outcome, 8, op->rd ? result : 0, run->options.xlen / 8);
}

static bool is_taken(const struct run *run, unsigned kind, uint64_t a, uint64_t b)
{
	unsigned size = run->options.xlen / 8;
	int64_t left = (int64_t)extend(a, size), right = (int64_t)extend(b, size);

	switch (kind) {
	case EAR_SEM_BEQ: return a == b;
	case EAR_SEM_BNE: return a != b;
	case EAR_SEM_BLT: return left < right;
	case EAR_SEM_BGE: return left >= right;
	case EAR_SEM_BLTU: return a < b;
	default: return a >= b;
	}
}

static void expect_jump(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	uint64_t a, b, to = instance->pc + op->size;
	unsigned bytes = run->options.xlen / 8;

	take_operands(run, instance, op, index, &a, &b);
	put_bytes(outcome, bytes, op->rd ? to : 0, bytes);
	if (op->kind == EAR_SEM_JALR)
		to = instance->target & ~1u;
	else if (op->kind == EAR_SEM_JAL || is_taken(run, op->kind, a, b))
		to = instance->pc + (uint64_t)(int64_t)op->imm;
	put_bytes(outcome, 0, to, bytes);
}

static void expect_compute(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	enum ear_semantics_kind kind = (enum ear_semantics_kind)op->kind;
	uint64_t a, b, value;

	if (is_float(op)) {
		expect_float(run, instance, op, index, outcome);
		return;
	}
	take_operands(run, instance, op, index, &a, &b);
	b = word(run, b + (uint64_t)(int64_t)op->imm);
	if (kind == EAR_SEM_AUIPC)
		value = instance->pc + (uint64_t)(int64_t)op->imm;
	else if (run->options.xlen == 32)
		value = ear_semantics_compute_32(kind, a, b);
	else
		value = ear_semantics_compute_64(kind, a, b);
	put_bytes(outcome, 0, op->rd ? value : 0, run->options.xlen / 8);
}

/* QEMU 7.2 counts the zeros of ctzw to 63 where the lower half is 0 and the upper one is not; the
 * specification says 32. */
static bool is_known_error(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index)
{
	uint64_t a, b;

	take_operands(run, instance, op, index, &a, &b);
	return op->kind == EAR_SEM_CTZW && (uint32_t)a == 0 && a != 0;
}

static void expect(const struct run *run, const struct instance *instance,
	const struct ear_semantics *op, size_t index, struct outcome *outcome)
{
	memset(outcome, 0, sizeof(*outcome));
	outcome->compared = instance->slot;
	switch (instance->form) {
	case FORM_COMPUTE: expect_compute(run, instance, op, index, outcome); return;
	case FORM_LOAD: expect_load(run, instance, op, index, outcome); return;
	case FORM_STORE: expect_store(run, instance, op, index, outcome); return;
	case FORM_JUMP: expect_jump(run, instance, op, index, outcome); return;
	default: expect_atomic(run, instance, op, index, outcome); return;
	}
}

/* Comparison ----------------------------------------------------------------------------------- */

static void report(struct run *run, const struct instance *instance, size_t index,
	const struct outcome *outcome, const uint8_t *seen)
{
	if (run->differences++ >= REPORTED)
		return;
	printf("rv%u: %s %08" PRIx32 " frm %u, operands %016" PRIx64 " %016" PRIx64 " %016" PRIx64
	       ": QEMU %016" PRIx64 " %016" PRIx64 ", semantics %016" PRIx64 " %016" PRIx64 "\n",
		run->options.xlen, ear_inst_name(instance->id), instance->insn, instance->frm,
		operand(run, instance, 0, index), operand(run, instance, 1, index),
		operand(run, instance, 2, index), take_bytes(seen, 8),
		instance->slot > 8 ? take_bytes(seen + 8, 8) : 0, take_bytes(outcome->bytes, 8),
		take_bytes(outcome->bytes + 8, 8));
}

static bool compare_instance(struct run *run, const struct instance *instance, FILE *output)
{
	struct ear_semantics op;
	struct outcome outcome;

	ear_semantics_decode(&op, instance->insn, run->options.xlen, run->extensions);
	if (fread(run->results, instance->slot, OPERANDS, output) != OPERANDS) {
		printf("rv%u: QEMU stopped at %s %08" PRIx32 "\n", run->options.xlen,
			ear_inst_name(instance->id), instance->insn);
		return false;
	}
	for (size_t index = 0; index < OPERANDS; index++) {
		const uint8_t *seen = run->results + index * instance->slot;

		if (is_known_error(run, instance, &op, index))
			continue;
		expect(run, instance, &op, index, &outcome);
		if (run->options.fault && random_once_in(&run->random, 1000))
			outcome.bytes[0] ^= 1;
		if (memcmp(outcome.bytes, seen, outcome.compared) != 0)
			report(run, instance, index, &outcome, seen);
		run->counts[instance->id]++;
	}
	return true;
}

/* One program. False: QEMU did not run to its end. */
static bool run_program(struct run *run)
{
	const char *cpu = run->options.xlen == 64   ? "rv64"
			  : run->options.flen == 64 ? "rv32"
						    : "rv32,d=false";
	bool complete = true;
	FILE *output;
	int process, status;

	draw_tables(run);
	memset(run->used, 0, ARENA_SIZE / 2);
	memset(run->guest.code, 0, GUEST_CODE_SIZE);
	run->guest.code_size = 0;
	run->instance_count = 0;
	emit_program(run);
	if (guest_pc(&run->guest) > ARENA) {
		fputs("qemu_semantics: the loops run into the jumps\n", stderr);
		return false;
	}
	run->guest.code_size = GUEST_CODE_SIZE;
	run->guest.data = (const uint8_t *)run->tables;
	run->guest.data_size = sizeof(run->tables);
	run->guest.zero_size = sizeof(run->results);
	process = guest_run(&run->guest, run->options.qemu, cpu, &output);
	if (process < 0 || !output) {
		fprintf(stderr, "qemu_semantics: %s: %s\n", run->options.qemu, strerror(errno));
		return false;
	}
	for (size_t i = 0; complete && i < run->instance_count; i++)
		complete = compare_instance(run, &run->instances[i], output);
	fclose(output);
	return waitpid(process, &status, 0) == process && status == 0 && complete;
}

static bool prepare(struct run *run)
{
	const char *at;
	size_t size;
	char name[64];
	bool wide = run->options.flen == 64;

	snprintf(name, sizeof(name), "rv%uima%s_zba_zbb_zbc_zbs_zicond_zcb", run->options.xlen,
		wide ? "fdc" : "fc");
	if (ear_inst_set_parse(&run->set, name, &at, &size) != 0)
		return false;
	run->extensions = wide ? EAR_SEMANTICS_ALL : EAR_SEMANTICS_ALL & ~EAR_SEMANTICS_D;
	run->random.state = run->options.seed * 2 + 1;
	run->used = malloc(ARENA_SIZE / 2);
	run->instances = calloc((size_t)EAR_INST_COUNT * INSTANCES, sizeof(*run->instances));
	return guest_init(&run->guest, run->options.xlen) && run->used && run->instances;
}

/* Instructions of that opcode which had the fewest. */
static uint64_t least_count(const struct run *run)
{
	uint64_t least = UINT64_MAX;

	for (unsigned id = 1; id < EAR_INST_COUNT; id++)
		if (run->counts[id] && run->counts[id] < least)
			least = run->counts[id];
	return least == UINT64_MAX ? 0 : least;
}

/* Returns the number of opcodes. */
static unsigned print_counts(const struct run *run)
{
	uint64_t sum = 0;
	unsigned opcodes = 0, stood_in = 0;

	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		uint64_t count = run->counts[id];

		if (!count)
			continue;
		if (run->options.list)
			printf("%-12s %" PRIu64 "%s\n", ear_inst_name(id), count,
				is_stood_in(id) ? " (stood in for)" : "");
		sum += count;
		opcodes++;
		stood_in += is_stood_in(id);
	}
	printf("rv%u, f registers of %u bits: %u opcodes (%u stood in for), %" PRIu64
	       " instructions, at least %" PRIu64 " of each, %" PRIu64 " differ\n",
		run->options.xlen, run->options.flen, opcodes, stood_in, sum, least_count(run),
		run->differences);
	return opcodes;
}

static bool parse_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {{"qemu", required_argument, NULL, 'q'},
		{"xlen", required_argument, NULL, 'x'}, {"flen", required_argument, NULL, 'f'},
		{"count", required_argument, NULL, 'c'}, {"seed", required_argument, NULL, 's'},
		{"only", required_argument, NULL, 'o'}, {"list", no_argument, NULL, 'l'},
		{"opcodes", required_argument, NULL, 'n'}, {"fault", no_argument, NULL, 'b'}, {0}};
	int option;

	*options = (struct options){.flen = 64, .count = 100000, .seed = 1};
	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 'q': options->qemu = optarg; break;
		case 'o': options->only = optarg; break;
		case 'x': options->xlen = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'f': options->flen = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'c': options->count = strtoull(optarg, NULL, 10); break;
		case 's': options->seed = strtoull(optarg, NULL, 10); break;
		case 'n': options->opcodes = (unsigned)strtoul(optarg, NULL, 10); break;
		case 'l': options->list = true; break;
		case 'b': options->fault = true; break;
		default: return false;
		}
	}
	return options->qemu && (options->xlen == 32 || options->xlen == 64) &&
	       (options->flen == 64 || (options->flen == 32 && options->xlen == 32));
}

int main(int argc, char **argv)
{
	static struct run run;
	bool complete;

	if (!parse_options(&run.options, argc, argv)) {
		fputs("usage: qemu_semantics --qemu PROGRAM --xlen 32|64 [--flen 32|64] "
		      "[--count N] [--seed N] [--only NAME] [--list] "
		      "[--opcodes N] [--fault]\n",
			stderr);
		return 2;
	}
	if (!prepare(&run)) {
		fputs("qemu_semantics: out of memory\n", stderr);
		return 2;
	}
	do
		complete = run_program(&run);
	while (complete && least_count(&run) < run.options.count);
	if (print_counts(&run) < run.options.opcodes) {
		printf("%u opcodes were to be compared\n", run.options.opcodes);
		complete = false;
	}
	guest_free(&run.guest);
	free(run.used);
	free(run.instances);
	return !complete ? 2 : run.differences ? 1 : 0;
}
