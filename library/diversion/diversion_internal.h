#ifndef EAR_DIVERSION_INTERNAL_H
#define EAR_DIVERSION_INTERNAL_H

#include <earshot/diversion.h>

#include "library/check/semantics/semantics.h"
#include "library/infer/infer_value.h"

/* What the files of a diversion share. */

#define DIVERSION_PAGE      4096u
#define DIVERSION_BUCKETS   1024u
#define DIVERSION_PAGES_MAX 16384u
#define DIVERSION_CACHE     512u /* decoded opcodes; a power of two */
#define DIVERSION_CSRS      4096u

#define CSR_FFLAGS  0x001u
#define CSR_FRM     0x002u
#define CSR_FCSR    0x003u
#define CSR_SSTATUS 0x100u
#define CSR_MSTATUS 0x300u

/* Where an unknown value comes from, for the sentence that it ends with. */
enum diversion_origin_kind {
	ORIGIN_X, /* a register of the moment */
	ORIGIN_F,
	ORIGIN_CSR,    /* read at pc */
	ORIGIN_MEMORY, /* the same */
	ORIGIN_DEVICE,
};

struct diversion_origin {
	enum diversion_origin_kind kind;
	uint64_t number, pc; /* number: of the register, or the address */
};

/* A register. */
struct diversion_register {
	struct infer_value value;
	struct diversion_origin origin; /* if it is not known */
};

/* What the next instruction does. Everything is found before anything changes. */
struct diversion_plan {
	struct ear_diversion_step *step; /* of the caller: pc, next_pc, text */
	struct ear_semantics op;
	struct diversion_register a, b; /* of rs1 and rs2 */

	bool writes_x, writes_f;
	unsigned rd;
	struct diversion_register result;

	bool reads, writes;
	uint64_t address;
	unsigned size;
	struct infer_value stored;

	bool reserves, releases; /* LR, SC */

	bool writes_csr, writes_flags;
	unsigned csr;
	struct infer_value csr_value, flags; /* flags: fflags afterwards */
};

struct diversion_page {
	struct diversion_page *next; /* in its bucket */
	uint64_t number;
	uint8_t bytes[DIVERSION_PAGE], known[DIVERSION_PAGE]; /* a bit for each bit */
	bool is_memory[DIVERSION_PAGE];
};

struct ear_diversion {
	unsigned xlen, flen;
	bool has_privilege;
	unsigned privilege;
	struct ear_moment_view view;
	struct ear_span *spans; /* memory, then devices */
	size_t memory_count, device_count;

	uint64_t pc;
	struct diversion_register x[32], f[32];
	struct infer_value csrs[DIVERSION_CSRS];
	bool has_csr[DIVERSION_CSRS]; /* it was asked for */

	bool reserved, reservation_known;
	uint64_t reservation;

	struct diversion_page *buckets[DIVERSION_BUCKETS];
	struct diversion_page *last; /* that was used */
	size_t page_count;
	bool failed; /* memory was short */

	struct ear_semantics cache[DIVERSION_CACHE];
};

/* ---- diversion_memory.c ---- */

/* NULL: memory is short, and failed is set. */
struct diversion_page *diversion_page(struct ear_diversion *diversion, uint64_t address);
void diversion_memory_fini(struct ear_diversion *diversion);
struct infer_value diversion_load(struct ear_diversion *diversion, uint64_t address, unsigned size);
/* As an instruction does. */
void diversion_store(
	struct ear_diversion *diversion, uint64_t address, unsigned size, struct infer_value value);
bool diversion_is_memory(struct ear_diversion *diversion, uint64_t address);

/* ---- diversion_csr.c ---- */

struct infer_value diversion_csr_read(struct ear_diversion *diversion, unsigned number);
/* After an instruction wrote it. */
void diversion_csr_write(
	struct ear_diversion *diversion, unsigned number, struct infer_value value);
/* Does it count, or do devices set it? */
bool diversion_csr_is_volatile(unsigned number);
/* The CSR instruction. False: it ends here. */
bool diversion_csr(struct ear_diversion *diversion, struct diversion_plan *plan);
/* Are f registers switched on? False: it ends here. */
bool diversion_csr_float(struct ear_diversion *diversion, struct diversion_plan *plan);
/* f registers or fcsr were written. */
void diversion_csr_dirty(struct ear_diversion *diversion);

/* ---- diversion_float.c ---- */

bool diversion_float(struct ear_diversion *diversion, struct diversion_plan *plan);

/* ---- diversion_execute.c ---- */

/* Returns whether it can be executed; else plan->step->text says why not. */
bool diversion_plan(struct ear_diversion *diversion, struct diversion_plan *plan);

/* ---- diversion_text.c ---- */

/* It ends here. Returns false. */
__attribute__((format(printf, 2, 3))) bool diversion_end(
	struct diversion_plan *plan, const char *format, ...);
/* It ends since what depends on a value that is unknown: "a branch". Returns false. */
bool diversion_unknown(
	struct diversion_plan *plan, const char *what, const struct diversion_origin *origin);

#endif
