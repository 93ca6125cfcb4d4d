#ifndef EAR_PREDICTOR_H
#define EAR_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/predict/geometry.h"
#include "decoder/predict/operation.h"
#include "decoder/predict/shadow.h"
#include "protocol/difference.h"
#include "protocol/message.h"
#include "protocol/retire.h"

/* The predictor that encoder and decoder share: shadow state, what it says about the next
 * retire entry, and how it learns from the true one. docs/predict.md.
 */

#define EAR_TRANSLATIONS 16 /* remembered differences of physical and virtual address */

struct ear_translation {
	bool none; /* the last physical address of this place was 0: none to tell */
	uint64_t difference;
};

struct ear_remembered_csr {
	uint16_t number;
	uint64_t value;
};

#define EAR_OPERATION_CACHE_LOG2 12

/* The operation at a pc, as long as the code pool does not change. */
struct ear_placed {
	uint64_t pc;
	uint32_t generation; /* of the predictor's, else the place is empty */
	uint32_t fold;       /* what is always the same in its part of the digest */
	struct ear_operation op;
};

#define EAR_PLACED_LOG2     13
#define EAR_CODE_MARKS_LOG2 12

struct ear_predictor {
	struct ear_geometry geometry;
	uint8_t xlen, flen, csr_slots;
	bool paddr;

	/* What is expected of the next entry. */
	uint64_t order, pc;
	bool intr, debug, virt;
	uint8_t mode, ixl;

	uint64_t x[32]; /* x[0] is 0 */
	uint64_t f[32];
	uint8_t fcsr;
	uint64_t mstatus, mtvec, mepc, mcause, mtval;
	struct ear_remembered_csr csrs[64];

	/* Habits of the core, as last seen. */
	uint64_t irq_cause;
	bool irq_without_insn;
	bool misaligned_traps, unknown_traps;
	bool trap_lists_mstatush;
	uint8_t mret_mpp;    /* MPP that mret leaves behind */
	uint16_t tval_zero;  /* bit c: the last mtval of cause c was 0 */
	uint8_t raised;      /* fflags of the last instruction that could raise some */
	bool trapped_before; /* an entry at trap_pc trapped for trap_cause */
	uint64_t trap_pc, trap_cause;
	struct ear_translation pc_pages[EAR_TRANSLATIONS], data_pages[EAR_TRANSLATIONS];

	uint32_t dictionary[512];
	struct ear_shadow code, data; /* unified: only code is there */

	uint32_t digest; /* of the entries since the last check */

	/* Only for speed: decoded opcodes by opcode and by pc. Unified: which lines of the pool
	 * the latter came from, by the low bits of the line's address; some more may be marked. */
	struct ear_operation *operations;
	struct ear_placed *placed;
	uint32_t generation; /* changes whenever an opcode in the code pool may have changed */
	uint8_t *code_marks;
};

/* For a unit of this shape. Returns 0, or EAR_E_NO_MEMORY (ear_predictor_fini is not needed). */
int ear_predictor_init(struct ear_predictor *predictor, const struct ear_unit *unit,
	const struct ear_geometry *geometry);
void ear_predictor_fini(struct ear_predictor *predictor);

/* Forget everything, as a hard sync does; the next entry is expected to have this order. */
void ear_predictor_reset(struct ear_predictor *predictor, uint64_t order);

/* To be called by whoever writes into the code pool: an opcode there may be another one now. */
void ear_predictor_code_changed(struct ear_predictor *predictor);

/* Encoder: compare *entry with the prediction, learn it, and tell what differs. */
void ear_predictor_encode(struct ear_predictor *predictor, const struct ear_retire *entry,
	struct ear_difference *difference);

/* The same for an entry of which not all is known: the fields of unknown (EAR_DIFFER_*) are filled
 * in as predicted, so they cost nothing; the entry that is learned is the one that results.
 */
void ear_predictor_settle(struct ear_predictor *predictor, struct ear_retire *entry,
	struct ear_difference *difference, uint32_t unknown);

/* Decoder: *entry holds the fields that differ; fill in all others, and learn the entry. */
void ear_predictor_decode(struct ear_predictor *predictor, struct ear_retire *entry,
	const struct ear_difference *difference);

/* Encoder: learn *entry and return true if it is an ordinary one and as predicted in all fields.
 * Returns false with nothing done if not: ear_predictor_encode is for all others.
 */
bool ear_predictor_agree(struct ear_predictor *predictor, const struct ear_retire *entry);

/* Decoder: make the next entry, which is as predicted in all fields, and learn it. */
void ear_predictor_run(struct ear_predictor *predictor, struct ear_retire *entry);

#endif
