#ifndef EAR_INFER_STATE_H
#define EAR_INFER_STATE_H

#include "library/check/semantics/semantics.h"
#include "library/infer/infer_memory.h"
#include "library/infer/infer_types.h"
#include "library/infer/infer_value.h"

/* What the files of library/infer share. */

#define INFER_HARTS_MAX  64
#define INFER_CACHE_BITS 12 /* decoded opcodes */
#define INFER_CACHE      (1u << INFER_CACHE_BITS)

/* CSRs of which something can be known. */
enum infer_csr {
	INFER_MSCRATCH,
	INFER_MEPC,
	INFER_MCAUSE,
	INFER_MTVAL,
	INFER_SSCRATCH,
	INFER_SEPC,
	INFER_SCAUSE,
	INFER_STVAL,
	INFER_FRM,
	INFER_FFLAGS,
	INFER_MTVEC, /* as written: only where traps lead to is taken from it */
	INFER_STVEC,
	INFER_CSRS
};

/* A trap that came; which CSRs show it depends on the mode of its handler. */
struct infer_trap {
	bool pending;
	struct infer_value pc, cause, value;
};

/* An SC: the branch after it says whether it has stored. */
struct infer_conditional {
	bool pending; /* it is the instruction before */
	uint8_t rd, size;
	uint64_t address;
	struct infer_value value, before; /* of memory */
};

struct infer_hart {
	uint16_t hart;
	uint8_t xlen;
	bool seen; /* a record, since all was forgotten */
	struct infer_value x[32];
	struct infer_value f[32]; /* 64 bits, single precision in its box */
	struct infer_value csrs[INFER_CSRS];
	bool pc_known;
	uint64_t pc, index; /* of the next record */
	struct infer_trap trap;
	struct infer_conditional conditional;
};

struct ear_infer {
	struct infer_options options;
	struct infer_memory memory;
	struct infer_hart *harts[INFER_HARTS_MAX];
	size_t hart_count;
	uint64_t index; /* of the next record, if all harts are counted together */
	struct ear_infer_counts counts;
	bool floats;  /* f registers exist, which Zfinx does not have */
	bool doubles; /* and have 64 bits */

	struct infer_cached {
		uint32_t opcode;
		uint8_t xlen; /* 0: empty */
		struct ear_semantics op;
	} * cache;
};

/* What is known of a record: infer_solve.h takes it from the forward pass, adds to it, and the next
 * forward pass has it. */
struct infer_facts {
	struct ear_semantics op;
	struct infer_value a, b;   /* rs1 and rs2 before it */
	struct infer_value result; /* the x register that it writes */
	struct infer_value loaded, address;
	uint8_t size;   /* of the access; 0: none */
	uint8_t looked; /* how much was known when its address was looked for in a table */
	uint8_t xlen;
	bool loads, writes_x;
	bool branched, taken; /* a branch, and where it went */
	bool executed;
	bool barrier; /* it is not known what changed here */
};

/* One instruction that executes. */
struct infer_step {
	struct ear_infer *infer;
	struct infer_hart *hart;
	const struct ear_record *record;
	const struct ear_semantics *op;
	bool next_known;
	uint64_t next;           /* pc of the next instruction */
	struct infer_value a, b; /* rs1 and rs2 */
	bool after_conditional;  /* the instruction before was an SC */
	struct ear_inferred *inferred;
	struct infer_facts *facts;

	/* What it does. */
	bool writes_x, writes_f;
	unsigned number; /* of the register */
	struct infer_value result;
	bool doubtful;     /* it may have trapped instead */
	bool contradicted; /* the trace shows something else */
	bool unfollowed;   /* it may have changed anything */
};

/* A hart of which nothing is known. */
void infer_forget_hart(struct infer_hart *hart);

/* All that is known of all harts and of what is writable. */
void infer_forget(struct ear_infer *infer);

/* Addresses are translated from here on. */
void infer_translate(struct ear_infer *infer);

/* The instruction writes rd. */
static inline void infer_write_x(struct infer_step *step, struct infer_value result)
{
	step->writes_x = step->op->rd != 0;
	step->number = step->op->rd;
	step->result = result;
}

/* The value of the record's register; NULL: it does not show it. */
const struct ear_record_register *infer_shown(
	const struct ear_record *record, unsigned reg_class, unsigned number);

#endif
