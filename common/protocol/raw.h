#ifndef EAR_RAW_H
#define EAR_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/retire.h"

/* The RAW32 and RAW64 messages, for message.c and for the fast path of the decoder.
 * docs/protocol.md, section 4.7.
 */

/* A RAW64 with all its fields: kind, status, mask; order; insn; two pcs; three registers; memory
 * with two masks; cause; CSRs; frd; two physical addresses; ext.
 */
#define EAR_RAW_SIZE_MAX \
	(4 + 8 + 4 + 2 * 8 + 3 * 9 + (8 + 2 + 2 * 8) + 8 + (1 + EAR_RETIRE_CSRS_MAX * 10) + 10 + \
		2 * 8 + 1)

/* Parse one RAW message from the front of bytes[0 .. size-1]; bytes[0] is its kind.
 *
 * Returns what ear_message_parse returns. Without an order, *has_order is false and entry->order 0.
 * Of entry->csrs only the first csr_count are written.
 */
int ear_raw_parse(struct ear_retire *entry, bool *has_order, const uint8_t *bytes, size_t size);

/* Size of the RAW message for *entry, without building it. */
size_t ear_raw_size(const struct ear_retire *entry, bool has_order);

/* Write the RAW message for *entry to bytes[0 .. EAR_RAW_SIZE_MAX-1]. Returns its size. */
size_t ear_raw_build(uint8_t *bytes, const struct ear_retire *entry, bool has_order);

#endif
