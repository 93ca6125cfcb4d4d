#ifndef EAR_INST_H
#define EAR_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The RISC-V instruction table: what an opcode is, what it reads and writes, and how
 * Whisper spells it.
 *
 * A trace carries pc and opcode; the operands, the class and the disassembly of a
 * record follow from the opcode and XLEN, and this library derives them. Nothing here
 * has state (but see ear_inst_restrict), allocates or fails: every opcode is an instruction or
 * EAR_INST_ILLEGAL, and every function may be called from any thread.
 *
 *     struct ear_inst inst;
 *     char text[EAR_INST_TEXT_SIZE];
 *
 *     ear_inst_decode(&inst, 0x00a2a023, 32);
 *     ear_inst_disassemble(text, sizeof(text), &inst);      "sw       x10, 0x0(x5)"
 *     ear_inst_sources(text, sizeof(text), &inst, &mode);   "x10;x5;i0"
 *     ear_inst_info(&inst, false);                          "s"
 *
 * Encodings: The RISC-V Instruction Set Manual, volumes I (unprivileged) and II
 * (privileged). Known are the ratified extensions of both, Zalasr, and the drafts of vector
 * instructions that Whisper 1.861 has; inst_extension.def names them, and inst_list.def has one row
 * for each instruction.
 *
 * Everything else is illegal here: reserved encodings, instructions of the other XLEN,
 * and extensions not listed. What a core implements is not asked: an opcode of a known
 * extension is decoded even where it traps, as Whisper does. Where two extensions use the same
 * encodings, the instructions are those of the common one: of C with D rather than Zcmp and Zcmt,
 * of C with F rather than Zclsd, of Zicfiss rather than Zimop and Zcmop. Hints with a name are that
 * instruction: prefetch.r is not an ori, lpad not an auipc.
 *
 * Whisper names more than it executes, as the instructions of RV64 on an RV32 hart, and vector
 * elements of 128 bits (EAR_EXT_RESERVED): ear_inst_decode_as_whisper() gives these names.
 */

/* Identity of an instruction: EAR_INST_ILLEGAL is 0, EAR_INST_LB and so on follow in the
 * order of inst_list.def. The numbers are not stable between versions; the names are.
 */
enum ear_inst_id {
	EAR_INST_ILLEGAL,
#define INST(id, ...) EAR_INST_##id,
#include "decoder/isa/inst_list.def"
#undef INST
	EAR_INST_COUNT
};

/* What an instruction does. Exactly one holds. */
enum ear_inst_kind {
	EAR_KIND_ILLEGAL, /* no instruction of this XLEN */
	EAR_KIND_ALU,     /* integer result from registers and immediates, hints included */
	EAR_KIND_MUL,     /* integer and carry-less multiplication */
	EAR_KIND_DIV,     /* integer division and remainder */
	EAR_KIND_LOAD,    /* reads memory into an x or f register; not lr */
	EAR_KIND_STORE,   /* writes an x or f register to memory; not sc */
	EAR_KIND_AMO,     /* reads and writes memory in one step */
	EAR_KIND_LR,      /* load reserved */
	EAR_KIND_SC,      /* store conditional: writes memory or not */
	EAR_KIND_BRANCH,  /* conditional, pc-relative */
	EAR_KIND_JUMP,    /* unconditional: jal and jalr in all their forms */
	EAR_KIND_CSR,     /* csrrw and its relatives */
	EAR_KIND_FP,      /* floating point, neither load nor store */
	EAR_KIND_FENCE,   /* orders or invalidates: fence, fence.i, sfence.vma, ... */
	EAR_KIND_CACHE,   /* cbo.*: acts on a cache block */
	EAR_KIND_SYSTEM,  /* ecall, ebreak, returns from traps, waits */
	EAR_KIND_VLOAD,   /* reads memory into v registers */
	EAR_KIND_VSTORE,  /* writes v registers to memory */
	EAR_KIND_VECTOR,  /* all else of the vector extensions, vsetvli and its relatives too */
};

/* The extension that defines an instruction, which is not always one of its own: ZBB_ZBKB has the
 * instructions of both Zbb and Zbkb, D_ZFA those that need both D and Zfa. Compressed forms are
 * ZCA, ZCF or ZCD, whatever they expand to. S is the supervisor part of volume II.
 */
enum ear_inst_extension {
	EAR_EXT_NONE,
#define EXTENSION(id, name) EAR_EXT_##id,
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
#define SILENT(...)
#define PROFILE(...)
#include "decoder/isa/inst_extension.def"
#undef EXTENSION
#undef IMPLIES
#undef BOTH
#undef BOTH_RV32
#undef SILENT
#undef PROFILE
	EAR_EXT_COUNT
};

/* A set of extensions, and the XLEN for which it was made. */
struct ear_inst_set {
	uint64_t bits[(EAR_EXT_COUNT + 63) / 64];
	uint8_t xlen; /* 32 or 64 */
};

/* Make a set from an ISA string, "rv64imac_zba_zicsr" or "RV64GC_Zbb", or from the name of a
 * profile, "rva23u64": all extensions named, and what these imply. Upper and lower case are the
 * same, versions ("i2p1", "zba1p0") are read over. Extensions without instructions (zicntr, sstc,
 * zvl256b) may be named. Extensions of vendors (x...) are not known.
 *
 * Returns 0, or EAR_E_BAD_ARGUMENT if text is no ISA string or has an extension that is not known:
 * *at then is where, and *size how long that part is. *set is then untouched.
 */
int ear_inst_set_parse(struct ear_inst_set *set, const char *text, const char **at, size_t *size);

enum ear_operand_kind {
	EAR_OPERAND_X,   /* integer register, value 0..31 */
	EAR_OPERAND_F,   /* floating-point register, value 0..31 */
	EAR_OPERAND_V,   /* vector register, value 0..31 */
	EAR_OPERAND_CSR, /* control and status register, value 0..4095 */
	EAR_OPERAND_IMM, /* immediate, value as the instruction uses it */
};

/* ASIDE: read, but not among the source operands that a tool lists: the mask v0, and a
 * destination that is an operand as well.
 */
enum { EAR_OPERAND_READ = 1, EAR_OPERAND_WRITE = 2, EAR_OPERAND_ASIDE = 4 };

/* One operand. access is a set of EAR_OPERAND_READ, EAR_OPERAND_WRITE and EAR_OPERAND_ASIDE, and 0
 * for an immediate. x0 is listed like any register although writing it does nothing. An operand of
 * several registers (pairs, groups, lists) is count registers from value on; how many a vector
 * operand has depends on vtype: ear_inst_group().
 */
struct ear_operand {
	uint8_t kind;   /* enum ear_operand_kind */
	uint8_t access; /* EAR_OPERAND_READ | EAR_OPERAND_WRITE | EAR_OPERAND_ASIDE */
	uint8_t count;  /* registers, 1 or more; 0 for an immediate */
	int32_t value;
};

#define EAR_OPERAND_MAX 6

/* Flags of struct ear_inst. Those of the second group depend on the operands. */
enum {
	EAR_INST_ROUNDS = 1 << 0,   /* has a rounding mode field: rm means something */
	EAR_INST_UNSIGNED = 1 << 1, /* a load that zero-extends */
	EAR_INST_FLOAT = 1 << 2,    /* loads, stores or computes with f registers */

	EAR_INST_ACQUIRE = 1 << 3,  /* the aq bit of an atomic */
	EAR_INST_RELEASE = 1 << 4,  /* the rl bit of an atomic */
	EAR_INST_CALL = 1 << 5,     /* a jump that links in x1 or x5 */
	EAR_INST_RETURN = 1 << 6,   /* a jump to x1 + 0 that does not link */
	EAR_INST_INDIRECT = 1 << 7, /* a jump to an address in a register or in memory */
	EAR_INST_POPS = 1 << 8,     /* a jump that reads memory: cm.popret, cm.popretz */
	EAR_INST_MASKED = 1 << 9,   /* a vector instruction whose last operand is the mask v0 */
};

/* A decoded opcode: plain data, no pointers.
 *
 * The operands are in Whisper's order, which is the order of the source operands
 * column: the destination first, then rs1, rs2, rs3, then the immediate; but a store
 * begins with the register that is stored, a CSR instruction ends with the CSR, and
 * registers that a compressed instruction implies (x0, x1, x2) are listed. A branch
 * target is pc + imm; a memory address is the register before the immediate, plus imm
 * (atomics, cbo.* and hypervisor accesses: that of rs1, no offset).
 */
struct ear_inst {
	uint32_t opcode;       /* as decoded: only 16 bits when size is 2 */
	uint16_t id;           /* enum ear_inst_id */
	uint8_t xlen;          /* 32 or 64, as given to ear_inst_decode() */
	uint8_t size;          /* bytes of the opcode, 2 or 4 */
	uint8_t kind;          /* enum ear_inst_kind */
	uint8_t extension;     /* enum ear_inst_extension; EAR_EXT_NONE when illegal */
	uint8_t access_size;   /* bytes of memory read or written, of cm.push and its like all
				* registers together; 0 when none or unknown */
	uint8_t rm;            /* rounding mode field with EAR_INST_ROUNDS: 0..7, 7 = dynamic */
	uint16_t flags;        /* set of EAR_INST_ROUNDS ... EAR_INST_POPS */
	uint16_t csr;          /* number with EAR_KIND_CSR, else 0 */
	int64_t imm;           /* the immediate, sign-extended; 0 when there is none. fence: the
				* 12 bits fm, pred and succ */
	uint8_t operand_count; /* 0 .. EAR_OPERAND_MAX */
	struct ear_operand operands[EAR_OPERAND_MAX];
};

/* An instruction of shadow stacks that only accesses memory where these are active, sspush and
 * sspopchk: elsewhere it is a may-be-operation, and does nothing but write 0 to rd.
 */
static inline bool ear_inst_may_be(const struct ear_inst *inst)
{
	return (inst->extension == EAR_EXT_ZICFISS || inst->extension == EAR_EXT_C_ZICFISS) &&
	       inst->kind != EAR_KIND_AMO;
}

/* Decode one opcode for harts with XLEN xlen, which must be 32 or 64.
 *
 * The two low bits decide the size: 11 is a 32-bit instruction (longer formats do not
 * exist yet and are illegal with size 4), anything else a 16-bit one, of which the high
 * half of opcode is ignored.
 *
 * A reserved rounding mode is not checked: Whisper shows such an instruction, with "inv1"
 * or "inv2" for rm 5 and 6, although it traps.
 *
 * Returns the size in bytes, 2 or 4. An opcode that is no instruction gives
 * EAR_INST_ILLEGAL with no operands. *inst is always filled in.
 */
int ear_inst_decode(struct ear_inst *inst, uint32_t opcode, unsigned xlen);

/* The same where only the instructions of *set are legal, or with NULL all that are known, whatever
 * ear_inst_restrict() says. An opcode that is two instructions is that of the set: 0x00106013 is
 * prefetch.r with Zicbop, else ori.
 */
int ear_inst_decode_within(
	struct ear_inst *inst, uint32_t opcode, unsigned xlen, const struct ear_inst_set *set);

/* From now on only the instructions of *set are legal for ear_inst_decode(), and so for all texts,
 * operands and classes that follow from it; NULL: all that are known, as at the start. What is not
 * legal is illegal for ear_inst_decode_as_whisper(), too.
 *
 * This is the one thing here that is not constant: the command line says it once, before anything
 * is read and before any thread decodes. *set must stay as it is.
 */
void ear_inst_restrict(const struct ear_inst_set *set);

/* Decode one opcode as Whisper's text columns name it: as ear_inst_decode(), but what is illegal
 * there and has a name in Whisper is that instruction here, although it traps. These are the
 * instructions of the other XLEN, shift amounts of more than XLEN bits, and the other reserved
 * encodings that inst_whisper.def lists. For ear_inst_disassemble(), ear_inst_sources() and
 * ear_inst_info() only: everything else asks ear_inst_decode().
 */
void ear_inst_decode_as_whisper(struct ear_inst *inst, uint32_t opcode, unsigned xlen);

/* Decode an opcode that ear_inst_decode calls illegal as what it looks like to a tool that asks
 * less: as the instruction of which it is a reserved encoding (c.lwsp with rd x0), or as that of
 * the other XLEN. Result as ear_inst_decode; EAR_INST_ILLEGAL if it looks like none.
 * What ear_inst_restrict() says does not matter here.
 */
int ear_inst_decode_reserved(struct ear_inst *inst, uint32_t opcode, unsigned xlen);

/* The size of an access as a record has it, of at most 8 bytes; 0: unknown, or several accesses. */
static inline uint8_t ear_inst_record_size(const struct ear_inst *inst)
{
	return inst->access_size <= 8 ? inst->access_size : 0;
}

static inline bool ear_inst_is_vector(const struct ear_inst *inst)
{
	return inst->kind >= EAR_KIND_VLOAD;
}

/* What vtype says of vector instructions, in 8 bits: bits 5:0 of the CSR (vsew, vlmul), whether it
 * is illegal (vill), and whether it is known at all. 0 is what nobody has seen yet.
 */
enum { EAR_VTYPE_KNOWN = 1 << 6, EAR_VTYPE_ILLEGAL = 1 << 7 };

static inline uint8_t ear_vtype_pack(uint64_t csr, unsigned xlen)
{
	return (uint8_t)(csr >> (xlen - 1) & 1 ? EAR_VTYPE_KNOWN | EAR_VTYPE_ILLEGAL
					       : EAR_VTYPE_KNOWN | (csr & 0x3f));
}

/* Why a vector instruction is reserved (volume I, "Vector Extension"). */
enum ear_vector_reserved {
	EAR_RESERVED_VTYPE = 1 << 0, /* vtype is illegal, unknown or reserved */
	EAR_RESERVED_EMUL = 1 << 1,  /* a group of less than 1/8 or more than 8 registers */
	EAR_RESERVED_SEW = 1 << 2,   /* not defined for SEW, or elements wider than elen */
	EAR_RESERVED_MASK = 1 << 3,  /* v0 is the mask and another operand */
	EAR_RESERVED_GROUP = 1 << 4, /* a group at a number that is not a multiple of its size */
	EAR_RESERVED_OVERLAP =
		1 << 5,             /* the destination overlaps a source in a way that may not be */
	EAR_RESERVED_CODE = 1 << 6, /* the encoding: EAR_EXT_RESERVED */
	EAR_RESERVED_BEYOND = 1 << 7, /* a group that runs beyond v31 */
};

/* Fill in the count of the v operands of *inst for a vtype (ear_vtype_pack()), 1 .. 8, and where
 * the group begins, if it is not the encoded register. elen is the widest element of the hart, in
 * bits.
 *
 * A register group has EMUL registers, at least 1: SEW and LMUL, and what the instruction makes of
 * them, give EMUL (widening: twice as much). The data of a segment load or store are NFIELDS
 * groups, of a whole-register one as many registers as it says. A mask is 1 register. With an
 * unknown vtype each group is 1 register.
 *
 * Returns 0, or a set of EAR_RESERVED_*: then the counts are limited to 1 .. 8 registers that
 * exist. Not checked: vstart and vl; the same register read with two element widths; that VLEN
 * holds a group of elements (Zvk*), and that frm is valid. An instruction that is no vector one is
 * as it was.
 */
unsigned ear_inst_group(struct ear_inst *inst, unsigned vtype, unsigned elen);

/* The name of a kind, "load" (docs/text-formats.md, JSON lines); NULL for a number that is none.
 * Static.
 */
const char *ear_inst_kind_name(unsigned kind);

/* The standard mnemonic of an id, "amoadd.w"; "illegal" for EAR_INST_ILLEGAL and for
 * numbers that are no id. Never NULL; valid for the whole run.
 */
const char *ear_inst_name(unsigned id);

/* Enough room for any text of ear_inst_disassemble() and ear_inst_sources(), with the
 * terminating NUL.
 */
#define EAR_INST_TEXT_SIZE 64

/* Write the disassembly of *inst as Whisper spells it (Disassembler of version 1.861),
 * with commas: in Whisper's CSV each comma is a semicolon. Trailing blanks ("mret     ")
 * belong to the spelling.
 *
 * As snprintf: writes at most size bytes including a NUL (nothing when size is 0) and
 * returns the length of the whole text, always less than EAR_INST_TEXT_SIZE.
 *
 * Whisper's own irregularities are kept, since the text has to compare equal: c.flw and
 * c.fsw name their f register x, c.fswsp is called c.swsp, rev8 of RV32 is rev8_32, CSRs
 * that exist only on RV32 are numbers on RV64, and jal loses bit 20 of its offset.
 */
int ear_inst_disassemble(char *text, size_t size, const struct ear_inst *inst);

/* Whose spelling a text has. */
enum ear_inst_style {
	EAR_INST_WHISPER,
	EAR_INST_SPIKE,
	EAR_INST_SPIKE_BASE, /* without its pseudo-instructions */
	EAR_INST_STYLE_COUNT
};

/* Write the text of *inst as ear_inst_disassemble() does, in the spelling of a tool:
 * EAR_INST_SPIKE is Spike's log, "sw      zero, 0(t0)".
 *
 * Returns 0, and writes an empty text, if that spelling of the instruction is not known.
 */
int ear_inst_text(char *text, size_t size, const struct ear_inst *inst, enum ear_inst_style style);

/* The ABI name of an x register, "zero", or of an f register, "ft0". number is 0..31. */
const char *ear_inst_abi_name(bool is_float, unsigned number);

/* What the sources of a line depend on, besides the opcode. */
struct ear_inst_mode {
	uint8_t frm;     /* CSR frm before the instruction, 0 .. 7 */
	uint8_t vtype;   /* ear_vtype_pack() of vtype before it */
	bool trapped;    /* it was found to be illegal when it was executed */
	bool unexecuted; /* an interrupt, or a trap before it was executed, came first */
};

/* Write the source operands of *inst as Whisper's CSV lists them: registers that are read
 * and immediates, joined with ';', then "rm=" for instructions that round; mode->frm replaces a
 * dynamic rm. The registers of a vector instruction have the size of their group, unless it is 1.
 *
 *     x10;x5;i0     f1;f2;rm=0     x15;c768     iffffffd8
 *     v1m4;v18m4     x11;v8     v20m8;f3
 *
 * Immediates are 32-bit two's complement in hexadecimal, also on RV64. Both immediates
 * of a fence are given as i0 whatever it orders, and c.j reads x0, as in Whisper.
 *
 * Whisper writes the group of each field of a segment without their number. It notes groups when it
 * has checked some of the reasons why an instruction is reserved, and before it checks others: so
 * the groups of an instruction that traps show or not, by enum ear_vector_reserved and the
 * instruction.
 *
 * Size and result as ear_inst_disassemble().
 */
int ear_inst_sources(
	char *text, size_t size, const struct ear_inst *inst, const struct ear_inst_mode *mode);

/* The "inst info" column of Whisper's CSV. Never NULL; valid for the whole run.
 *
 *     a   extension A           l   load            s   store
 *     t   branch taken          nt  branch not taken
 *     r   return                c   call            j   other jump
 *     f   extensions F and D    v   vector          ""  everything else
 *
 * taken matters for branches only. c.jal gives "" (Whisper does not count it as a jump,
 * nor does it print the pc it jumps to). When an interrupt was taken instead of the
 * instruction Whisper writes a branch as not taken.
 */
const char *ear_inst_info(const struct ear_inst *inst, bool taken);

/* The name of a CSR (0 .. 4095) as Whisper knows it, "mstatus", or NULL if it has none: it
 * is then written c1984, with the decimal number. Valid for the whole run.
 *
 * Numbers 0x7c7 and 0x7e0 to 0x7ff, which the specification leaves to vendors, have the
 * names that Whisper gives them in every trace (c_matp, pmacfg0.., pmamask0..).
 */
const char *ear_csr_name(unsigned number);

/* The name of a CSR as Spike knows it, "mstatus", or NULL if it has none: it is then written
 * unknown_7c0, with three digits. Whisper's names are the same, but for CSRs that only one of them
 * knows. Valid for the whole run.
 */
const char *ear_csr_spike_name(unsigned number);

/* True if the CSR exists on RV32 only (mstatush and other high halves). Whisper does not
 * know its name on RV64. Some high halves, such as cycleh, it knows on both.
 */
bool ear_csr_is_rv32_only(unsigned number);

#endif
