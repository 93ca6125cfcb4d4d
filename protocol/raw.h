#ifndef EAR_RAW_H
#define EAR_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/retire.h"

/* The RAW32 and RAW64 messages, for message.c and for the fast path of the decoder.
 * docs/protocol.md, section 4.7.
 */

/* Parse one RAW message from the front of bytes[0 .. size-1]; bytes[0] is its kind.
 * Results as ear_message_parse. *entry has order 0 when *has_order comes back false.
 * Of entry->csrs only the first csr_count are written.
 */
int ear_raw_parse(struct ear_retire *entry, bool *has_order, const uint8_t *bytes, size_t size);

/* Size of the RAW message for *entry, without building it. */
size_t ear_raw_size(const struct ear_retire *entry, bool has_order);

/* Write the RAW message for *entry to bytes[0 .. EAR_MESSAGE_SIZE_MAX-1]; returns its size. */
size_t ear_raw_build(uint8_t *bytes, const struct ear_retire *entry, bool has_order);

#endif
