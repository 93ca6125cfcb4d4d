#ifndef EAR_ISS_STATE_H
#define EAR_ISS_STATE_H

#include "faults.h"
#include "iss.h"

/* What the files of the simulator share; nobody outside includes this. */

#define ISS_CACHE_SLOTS 65536u /* decoded instructions; a power of two */

#define ISS_MODE_U 0
#define ISS_MODE_M 3

#define ISS_CAUSE_FETCH_FAULT      1
#define ISS_CAUSE_ILLEGAL          2
#define ISS_CAUSE_BREAKPOINT       3
#define ISS_CAUSE_LOAD_MISALIGNED  4
#define ISS_CAUSE_LOAD_FAULT       5
#define ISS_CAUSE_STORE_MISALIGNED 6
#define ISS_CAUSE_STORE_FAULT      7
#define ISS_CAUSE_ECALL_U          8
#define ISS_CAUSE_ECALL_M          11

/* Bits of mip and mie. */
#define ISS_IRQ_SOFTWARE (1u << 3)
#define ISS_IRQ_TIMER    (1u << 7)
#define ISS_IRQ_EXTERNAL (1u << 11)

/* What an instruction does. An operation with an immediate is the one with a register: the
 * decoder leaves rs2 at 0 and the immediate adds to x0. */
enum iss_kind {
	ISS_ILLEGAL,
	ISS_JAL,
	ISS_JALR,
	ISS_AUIPC,
	ISS_BEQ,
	ISS_BNE,
	ISS_BLT,
	ISS_BGE,
	ISS_BLTU,
	ISS_BGEU,
	ISS_LB,
	ISS_LH,
	ISS_LW,
	ISS_LD,
	ISS_LBU,
	ISS_LHU,
	ISS_LWU,
	ISS_SB,
	ISS_SH,
	ISS_SW,
	ISS_SD,
	ISS_FENCE,
	ISS_ECALL,
	ISS_EBREAK,
	ISS_MRET,
	ISS_WFI,
	ISS_CSR,
	ISS_LR,
	ISS_SC,
	ISS_AMO,
	ISS_FLOAD,
	ISS_FSTORE,
	ISS_FLOAT, /* all that compute with F registers */

	/* Operations on x registers from here to the end. */
	ISS_ADD,
	ISS_SUB,
	ISS_SLL,
	ISS_SLT,
	ISS_SLTU,
	ISS_XOR,
	ISS_SRL,
	ISS_SRA,
	ISS_OR,
	ISS_AND,
	ISS_ADDW,
	ISS_SUBW,
	ISS_SLLW,
	ISS_SRLW,
	ISS_SRAW,
	ISS_MUL,
	ISS_MULH,
	ISS_MULHSU,
	ISS_MULHU,
	ISS_DIV,
	ISS_DIVU,
	ISS_REM,
	ISS_REMU,
	ISS_MULW,
	ISS_DIVW,
	ISS_DIVUW,
	ISS_REMW,
	ISS_REMUW,
	ISS_SH1ADD,
	ISS_SH2ADD,
	ISS_SH3ADD,
	ISS_ADD_UW,
	ISS_SH1ADD_UW,
	ISS_SH2ADD_UW,
	ISS_SH3ADD_UW,
	ISS_SLLI_UW,
	ISS_ANDN,
	ISS_ORN,
	ISS_XNOR,
	ISS_CLZ,
	ISS_CTZ,
	ISS_CPOP,
	ISS_CLZW,
	ISS_CTZW,
	ISS_CPOPW,
	ISS_MAX,
	ISS_MAXU,
	ISS_MIN,
	ISS_MINU,
	ISS_SEXT_B,
	ISS_SEXT_H,
	ISS_ZEXT_H,
	ISS_ROL,
	ISS_ROR,
	ISS_ROLW,
	ISS_RORW,
	ISS_ORC_B,
	ISS_REV8,
	ISS_BCLR,
	ISS_BEXT,
	ISS_BINV,
	ISS_BSET,
};

struct iss_op {
	uint32_t insn; /* as fetched: upper half 0 for a compressed one */
	uint32_t wide; /* its 32-bit form */
	int32_t imm;
	uint8_t kind;         /* enum iss_kind */
	uint8_t rd, rs1, rs2; /* x registers; 0 when not used */
	uint8_t size;         /* bytes of the instruction */
};

/* A counter CSR: value = what counts + offset, or frozen while inhibited. */
struct iss_counter {
	uint64_t offset;
	bool inhibited;
	uint64_t frozen;
};

struct iss_csrs {
	uint64_t mstatus; /* only the fields that can change */
	uint64_t mtvec, mepc, mcause, mtval, mscratch;
	uint32_t mie, mcounteren;
	uint8_t fflags, frm;
	struct iss_counter cycle, instret;
};

struct iss_packets {
	uint64_t ring;
	uint32_t slots, on, sent, interrupt;
	uint32_t wait; /* events until the next one */
};

struct iss_bug_state {
	struct ear_iss_bug bug;
	uint32_t occasions; /* since the last time that it struck */
	uint64_t count;     /* how often it struck */
	uint8_t last_rd;    /* STALE: what the instruction before wrote, 0: nothing */
	uint64_t last_old;  /* and what was there before that */
};

struct ear_iss {
	/* Used by every instruction. */
	uint8_t *memory;
	uint64_t memory_size;
	uint64_t pc;
	uint64_t order;
	uint64_t x[32];       /* on RV32 the upper halves are 0 */
	uint32_t until_event; /* entries until iss_advance */
	bool irq_ready;       /* an enabled interrupt is pending and would be taken */
	bool intr;            /* the next entry is the first of a handler */
	bool ended;
	uint8_t mode;
	uint8_t xlen;
	struct iss_op *cache;
	const struct ear_retire *seen; /* the core's entry in ear_iss_follow, else NULL */

	uint64_t f[32]; /* NaN-boxed with D, upper halves 0 with F alone */
	struct iss_csrs csr;
	uint64_t trap_count; /* entries that did not retire */
	bool reserved;       /* LR holds a reservation */
	uint64_t reservation;

	uint32_t pending; /* mip */
	uint64_t mtime, mtimecmp;
	uint64_t extra_cycles; /* those of mcycle beside one for each entry */
	struct iss_packets packets;
	uint64_t random;
	bool has_tohost;
	uint64_t tohost;

	enum ear_iss_end end;
	int exit_code;
	uint64_t entry; /* of the program */
	struct iss_bug_state bug;
	struct ear_iss_options options;
};

static inline bool iss_has(const struct ear_iss *iss, uint32_t extension)
{
	return (iss->options.extensions & extension) != 0;
}

/* xorshift64*: the simulator's own source of chance. */
static inline uint64_t iss_random(struct ear_iss *iss)
{
	iss->random ^= iss->random >> 12;
	iss->random ^= iss->random << 25;
	iss->random ^= iss->random >> 27;
	return iss->random * 0x2545F4914F6CDD1Du;
}

static inline uint32_t iss_random_below(struct ear_iss *iss, uint32_t limit)
{
	return (uint32_t)((iss_random(iss) >> 32) * limit >> 32);
}

/* Number `at` from count bits of a word. */
static inline uint32_t iss_bits(uint32_t word, unsigned at, unsigned count)
{
	return word >> at & ((1u << count) - 1);
}

/* iss_decode.c: what the opcode means; op->kind is ISS_ILLEGAL if nothing. */
void iss_decode(struct iss_op *op, uint32_t insn, unsigned xlen, uint32_t extensions);

/* iss_compressed.c: the 32-bit form of a compressed instruction, 0 if it is illegal. */
uint32_t iss_expand(uint32_t half, unsigned xlen, uint32_t extensions);

/* iss_csr.c */
void iss_csr_reset(struct ear_iss *iss);
void iss_irq_update(struct ear_iss *iss); /* after a change of mie, mip, mstatus or the mode */
void iss_trap(struct ear_iss *iss, struct ear_retire *entry, uint64_t cause, uint64_t value);
void iss_interrupt(struct ear_iss *iss, struct ear_retire *entry);
void iss_mret(struct ear_iss *iss, struct ear_retire *entry);
/* Do the CSR instruction; a is its register operand. False: illegal, nothing was done. */
bool iss_csr_execute(struct ear_iss *iss, struct ear_retire *entry, const struct iss_op *op,
	uint64_t a, uint64_t *result);
/* What a CSR holds. False: the hart has none of this number. */
bool iss_csr_read(const struct ear_iss *iss, unsigned number, uint64_t *value);
bool iss_float_enabled(const struct ear_iss *iss);
void iss_float_dirty(struct ear_iss *iss);

/* iss_device.c: accesses that do not hit the memory; false: nothing is there. */
bool iss_device_load(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t *value);
bool iss_device_store(struct ear_iss *iss, uint64_t address, unsigned size, uint64_t value);
void iss_device_reset(struct ear_iss *iss);
void iss_advance(struct ear_iss *iss); /* time passes; called when until_event is 0 */
void iss_sleep(struct ear_iss *iss);   /* wfi: time passes until an interrupt is pending */

/* iss_amo.c: the new value of an atomic operation. size 4: both values are sign-extended. */
uint64_t iss_amo(unsigned function, unsigned size, uint64_t old, uint64_t operand);

/* iss_float.c: an instruction of kind ISS_FLOAT. a is its integer operand. Writes the F
 * register itself; *result is for rd. False: illegal. */
bool iss_float_execute(struct ear_iss *iss, struct ear_retire *entry, const struct iss_op *op,
	uint64_t a, uint64_t *result);
void iss_float_write(
	struct ear_iss *iss, struct ear_retire *entry, unsigned number, uint64_t value);

/* faults.c: what a bug does, at the places where it does it. */
void iss_bug_upset(struct ear_iss *iss);
uint64_t iss_bug_operand(struct ear_iss *iss, const struct iss_op *op, uint64_t a);
bool iss_bug_loses_store(struct ear_iss *iss);
uint64_t iss_bug_result(struct ear_iss *iss, const struct iss_op *op, uint64_t a, uint64_t result);

/* iss_elf.c */
int iss_elf_load(struct ear_iss *iss, const char *path);

/* iss_execute_32.c, iss_execute_64.c */
size_t iss_run_32(struct ear_iss *iss, struct ear_retire *entries, size_t count);
size_t iss_run_64(struct ear_iss *iss, struct ear_retire *entries, size_t count);

#endif
