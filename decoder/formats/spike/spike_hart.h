#ifndef EAR_SPIKE_HART_H
#define EAR_SPIKE_HART_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/formats/spike/spike_opcode.h"
#include "decoder/text/snapshot.h"

/* Names of what a vector instruction ran with, among the registers that it read. */
#define EAR_SPIKE_SEW  "vsew"
#define EAR_SPIKE_LMUL "vlmul"

/* What a line of Spike's log takes from the lines before it, hart by hart. */
struct ear_spike_hart {
	/* The line of -l written last, and how often its instruction was executed. */
	uint64_t last_pc, last_bits, executions;
	bool may_repeat; /* the instruction written last may have gone to itself */

	/* The configuration of vector instructions, as Spike prints it. */
	bool configured; /* it is known */
	uint16_t sew;
	uint8_t lmul; /* the encoding of vtype */
	uint64_t vl, vtype;

	uint8_t fflags;

	/* What sstatus and sie are parts of, and which part of mie; 0 at reset. */
	bool has_mstatus; /* mstatus was seen */
	uint64_t mstatus, mie, mideleg;

	/* On RV32 Spike holds most pcs with their sign extended, and finds no symbol there. What
	 * comes from a CSR that software wrote is not: the address of a handler, and xepc. */
	bool plain_pc;        /* of the next instruction */
	uint8_t written_epcs; /* by privilege: software wrote xepc last, not a trap */
};

struct ear_spike_harts {
	struct ear_spike_hart *list; /* by number */
	size_t count;
};

void ear_spike_harts_fini(struct ear_spike_harts *harts);

/* The state of a hart, or NULL if memory is short. */
struct ear_spike_hart *ear_spike_harts_find(struct ear_spike_harts *harts, uint16_t hart);

/* Is this register, which an instruction read, a part of the configuration that Spike prints? */
bool ear_spike_is_config(const struct ear_record_register *reg);

/* Follow what a record changes: vl and vtype, fflags. */
void ear_spike_hart_follow(struct ear_spike_hart *hart, const struct ear_record *record,
	const struct ear_spike_opcode *opcode);

/* For struct ear_writer_cut. Return 0 or EAR_E_NO_MEMORY. */
int ear_spike_harts_save(const struct ear_spike_harts *harts, struct ear_snapshot *snapshot);
int ear_spike_harts_restore(struct ear_spike_harts *harts, const struct ear_snapshot *snapshot);

#endif
