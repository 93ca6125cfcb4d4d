#ifndef EAR_PORT_SUMMARY_H
#define EAR_PORT_SUMMARY_H

#include <earshot/record.h>

#include "decoder/codec/decoder.h"

/* What a capture shows of the retire port that it came from: docs/retire-port.md, section 6. Each
 * fault is what a port of a real core had, and has a parameter or a change that cures it.
 */

/* Records that show a fault, and the first of them. */
struct port_fault {
	uint64_t count, first; /* first: its index */
};

enum port_fault_kind {
	PORT_ORDER,        /* the index jumps, and neither unit nor link lost anything */
	PORT_READ,         /* a read by an opcode that reads nothing, or that reads less */
	PORT_WRITE,        /* a write by an opcode that writes nothing */
	PORT_OPERAND,      /* an operand that the opcode does not read */
	PORT_TRAP_RESULT,  /* a register written by an instruction that trapped */
	PORT_CAUSE,        /* ecall or ebreak trapped with cause 0 */
	PORT_UPPER_HALF,   /* a compressed opcode with an upper half */
	PORT_NEXT,         /* pc_wdata is not the next pc */
	PORT_NEXT_OF_TRAP, /* the same after a trap */
	PORT_MODE,         /* M mode's CSRs or mret in mode U: the core has no rvfi_mode */
	PORT_SLACK,        /* records lost under the policy stall */
	PORT_FAULTS
};

struct port_summary {
	struct port_fault faults[PORT_FAULTS];
	uint64_t records;
	bool has_before; /* the record before: */
	bool trapped_before;
	uint16_t hart_before;
	uint64_t index_before, next_before;
};

/* The next record, from a decoder with with_reads. *summary begins as zeros. */
void port_summary_add(struct port_summary *summary, const struct ear_record *record);

/* What was found, and the cure; NULL: all is well. */
typedef void port_summary_sink(void *context, const char *text, const char *remedy);

/* Give each fault that was seen to sink, or that there is none. Returns how many there are. */
unsigned port_summary_report(struct port_summary *summary,
	const struct ear_decoder_statistics *statistics, port_summary_sink *sink, void *context);

#endif
