#ifndef EAR_HART_H
#define EAR_HART_H

#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "library/state/arrival.h"
#include "library/state/state_types.h"

/* What the files of state.h share: the registers of a hart, and the rules of its CSRs.
 *
 * A register is known or not, and *settled* or not: in a part of a trace (ear_state_new_part) it is
 * not settled as long as nothing in the part says anything about it, so that it is as it was before
 * the part. What an instruction does to a register that is not settled and depends on its value is
 * pending: ear_state_merge does it.
 */

#define EAR_STATE_NAME_SIZE 24 /* a longer name is not followed */

struct ear_state_vector {
	uint8_t *bytes;
	size_t size, capacity;
	bool known;
};

/* A record, decoded. */
struct ear_step {
	const struct ear_record *record;
	struct ear_inst inst; /* EAR_KIND_ILLEGAL if it is not RISC-V or its opcode is missing */
	bool csr_known;       /* of an instruction that accesses a CSR: what the CSR held before */
	uint64_t csr;
};

struct ear_state_named {
	char name[EAR_STATE_NAME_SIZE];
	size_t size;
	uint64_t value;
	bool known;
};

/* What has happened to registers that are not settled. */
struct ear_state_pending {
	uint8_t fflags;        /* these were raised */
	bool fflags_open;      /* any others, too */
	bool dirty_f, dirty_v; /* state of this kind may have become dirty */
	bool dirty_all;        /* of any kind */
	bool vstart;           /* a vector instruction ended */
	bool vxsat;            /* something may have saturated */
};

struct ear_hart {
	uint64_t x[32], f[32], csr[EAR_CSR_COUNT];
	uint32_t x_known, f_known; /* a bit for each */
	uint32_t x_settled, f_settled, v_settled;
	uint64_t csr_known[EAR_CSR_COUNT / 64], csr_settled[EAR_CSR_COUNT / 64];
	struct ear_state_vector v[32];
	struct ear_state_named *names; /* EAR_STATE_NAMES_MAX, once there is one */
	size_t name_count;
	bool names_settled; /* those that are not here, too */
	bool full;          /* there were more than can be followed */
	bool clic;          /* interrupts are those of a CLIC: mcause and mstatus share bits */
	struct ear_state_pending pending;
	uint64_t next_pc;
	bool next_pc_known, next_pc_settled;
	uint8_t xlen, first_xlen; /* 0: no instruction yet */
	struct ear_expected expected;
	bool trapped; /* the last instruction did, or was an interrupt */
	bool seen;    /* an instruction or a gap */
};

/* True and *value if it is known. fcsr and vcsr come from their parts. */
bool ear_hart_get(const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number,
	uint64_t *value);

/* x, f or CSR: it holds value, or it is unknown; without further effects. */
void ear_hart_set(
	struct ear_hart *hart, enum ear_register_class reg_class, unsigned number, uint64_t value);
void ear_hart_lose(struct ear_hart *hart, enum ear_register_class reg_class, unsigned number);
bool ear_hart_is_settled(
	const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number);

/* The room is there (ear_hart_reserve_vector). */
void ear_hart_set_vector(struct ear_hart *hart, unsigned number, const uint8_t *bytes, size_t size);
void ear_hart_lose_vector(struct ear_hart *hart, unsigned number);
bool ear_hart_reserve_vector(struct ear_state_vector *vector, size_t size);

/* Everything is unknown. */
void ear_hart_forget(struct ear_hart *hart);

/* Nothing is settled, or everything is. */
void ear_hart_settle(struct ear_hart *hart, bool settled);

void ear_hart_free(struct ear_hart *hart);
int ear_hart_copy(struct ear_hart *to, const struct ear_hart *from); /* to: no vectors, no names */
int ear_hart_reserve_names(struct ear_hart *hart);
struct ear_state_named *ear_hart_find_name(const struct ear_hart *hart, struct ear_text name);
void ear_hart_set_name(struct ear_hart *hart, struct ear_text name, uint64_t value, bool known);

/* A write of a CSR that the record lists, with its effects on others. */
void ear_hart_write_csr(struct ear_hart *hart, unsigned csr, uint64_t value);

/* In this privilege a number may mean another CSR of the hypervisor extension. */
bool ear_csr_is_ambiguous(unsigned csr, const struct ear_record *record);

/* What an instruction, a trap or an interrupt does to CSRs that the record does not list: before
 * the listed ones are written (begin), and after them (end). */
void ear_hart_begin_csrs(struct ear_hart *hart, const struct ear_step *step);
void ear_hart_end_csrs(
	struct ear_hart *hart, const struct ear_step *step, const struct ear_state_source *source);

/* An instruction comes that is not the first one of a part: is anything missing before it? */
void ear_hart_continue(struct ear_hart *hart, const struct ear_arrival_rules *rules,
	const struct ear_arrival *arrival, unsigned xlen);

/* With a CLIC these share bits, or are swapped. */
void ear_hart_lose_clic(struct ear_hart *hart);

/* A trap or interrupt that no record reports. */
void ear_hart_trap(struct ear_hart *hart);

/* Do to registers of *hart, which have a value, what was pending. */
void ear_hart_apply_pending(struct ear_hart *hart, const struct ear_state_pending *pending);

#endif
