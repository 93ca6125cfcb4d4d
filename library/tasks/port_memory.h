#ifndef EAR_PORT_MEMORY_H
#define EAR_PORT_MEMORY_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* Memory as the software that writes to an event port means its addresses: virtual or physical,
 * whichever the records have.
 *
 * While nothing is translated both are the same. From the first record that shows a translation:
 *
 * - The trace has physical addresses: memory is followed by those. A virtual address is translated
 *   as the accesses and fetches of its page showed it, of the same hart, since the last change of
 *   its address space (another satp, a fence of page tables, a gap); machine mode does not
 *   translate.
 * - It has none: memory is followed by virtual addresses, as EAR_MEMORY_VIRTUAL says. Physical
 *   ones are not known, nor is anything if several harts ran, which may have different spaces.
 *
 * What memory held before that record is not known any more. In doubt a byte is unknown: never
 * another one's.
 */
struct ear_port_memory;

/* Returns as ear_memory_new. What options points to must stay. */
int ear_port_memory_new(struct ear_port_memory **memory, const struct ear_memory_options *options);
void ear_port_memory_free(struct ear_port_memory *memory); /* NULL is fine */

/* The next record. Returns as ear_memory_push. */
int ear_port_memory_push(struct ear_port_memory *memory, const struct ear_record *record);

/* An address, as an event has it. */
struct ear_port_pointer {
	uint64_t address;
	bool physical, either; /* either: it is not known if it is virtual or physical */
	uint16_t hart;
	uint64_t index;                 /* of the instruction that passes it */
	const struct ear_record *store; /* its instruction, not yet pushed; NULL: the next one of
					 * the hart, not yet known */
};

/* Returns as ear_memory_read. */
int64_t ear_port_memory_read(struct ear_port_memory *memory, const struct ear_port_pointer *pointer,
	uint8_t *bytes, bool *known, size_t size);

#endif
