#ifndef EAR_PREDICTOR_H
#define EAR_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/difference.h"
#include "common/protocol/message.h"
#include "common/protocol/retire.h"
#include "decoder/predict/geometry.h"
#include "decoder/predict/operation.h"
#include "decoder/predict/shadow.h"

/* The predictor that encoder and decoder share: the shadow state, the prediction of the next retire
 * entry, and the training with the true one. docs/predict.md.
 */

#define EAR_TRANSLATIONS 16 /* slots for differences of physical and virtual address */

struct ear_translation {
	bool none; /* the last physical address of this slot was 0 */
	uint64_t difference;
};

struct ear_remembered_csr {
	uint16_t number;
	uint64_t value;
};

#define EAR_OPERATIONS_BY_OPCODE_LOG2 12

/* The operation at a pc, as long as the code cache does not change. */
struct ear_cached_operation {
	uint64_t pc;
	uint32_t generation; /* that of the predictor, or this is empty */
	uint32_t fold;       /* the terms of its digest that are always the same */
	struct ear_operation op;
};

#define EAR_OPERATIONS_BY_PC_LOG2 13
#define EAR_CODE_MARKS_LOG2       12

struct ear_predictor {
	struct ear_geometry geometry;
	uint8_t xlen, flen, csr_slots;
	bool paddr;

	/* Expected of the next entry. */
	uint64_t order, pc;
	bool intr, debug, virt;
	uint8_t mode, ixl;

	uint64_t x[32]; /* x[0] is 0 */
	uint64_t f[32];
	uint8_t fcsr;
	uint64_t mstatus, mtvec, mepc, mcause, mtval;
	struct ear_remembered_csr csrs[64];

	/* Conventions of the core, as last seen. */
	uint64_t irq_cause;
	bool irq_without_insn;
	bool misaligned_traps, unknown_traps;
	bool trap_lists_mstatush;
	uint8_t mret_mpp;    /* MPP after mret */
	uint16_t tval_zero;  /* bit c: the last mtval of cause c was 0 */
	uint8_t raised;      /* fflags of the last instruction that could raise some */
	bool trapped_before; /* an entry at trap_pc trapped for trap_cause */
	uint64_t trap_pc, trap_cause;
	struct ear_translation pc_pages[EAR_TRANSLATIONS], data_pages[EAR_TRANSLATIONS];

	uint32_t dictionary[512];
	struct ear_shadow code, data; /* unified: only code exists */

	uint32_t digest; /* of the entries since the last check */

	/* Only for speed: operations by opcode and by pc. Unified: code_marks has the lines that
	 * by_pc came from, by the low bits of their address; others may be marked, too. */
	struct ear_operation *by_opcode;
	struct ear_cached_operation *by_pc;
	uint32_t generation; /* changes when an opcode in the code cache may have changed */
	uint8_t *code_marks;
};

/* Make a predictor for this unit and geometry. Returns 0, or EAR_E_NO_MEMORY, after which
 * ear_predictor_fini is not needed.
 */
int ear_predictor_init(struct ear_predictor *predictor, const struct ear_unit *unit,
	const struct ear_geometry *geometry);
void ear_predictor_fini(struct ear_predictor *predictor);

/* Forget everything, as a hard SYNC does. The next entry is expected to have this order. */
void ear_predictor_reset(struct ear_predictor *predictor, uint64_t order);

/* Whoever writes into the code cache calls this: an opcode in it may have changed. */
void ear_predictor_code_changed(struct ear_predictor *predictor);

/* Encoder: compare *entry with the prediction, train with it, and fill in *difference. */
void ear_predictor_encode(struct ear_predictor *predictor, const struct ear_retire *entry,
	struct ear_difference *difference);

/* The same for an entry with unknown fields (EAR_DIFFER_*): they take the prediction, so they cost
 * nothing on the wire. The predictor trains with the completed entry.
 */
void ear_predictor_resolve(struct ear_predictor *predictor, struct ear_retire *entry,
	struct ear_difference *difference, uint32_t unknown);

/* Decoder: *entry holds the fields that differ. Fill in all others, and train with the entry. */
void ear_predictor_decode(struct ear_predictor *predictor, struct ear_retire *entry,
	const struct ear_difference *difference);

/* Encoder, fast path: if *entry is an ordinary one, and all its fields are as predicted, train with
 * it and return true. Else return false and change nothing: ear_predictor_encode takes any entry.
 */
bool ear_predictor_agree(struct ear_predictor *predictor, const struct ear_retire *entry);

/* Decoder: make the next entry, in which all fields are as predicted, and train with it. */
void ear_predictor_run(struct ear_predictor *predictor, struct ear_retire *entry);

#endif
