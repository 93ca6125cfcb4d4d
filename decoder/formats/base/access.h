#ifndef EAR_ACCESS_H
#define EAR_ACCESS_H

#include <earshot/record.h>

#include "decoder/isa/inst.h"

/* What an opcode says of a data access decides over what a tracer calls it and how many digits it
 * prints: tracers print all digits of a register for a store of a byte, and the value of a write
 * port for a load. Of an access that is called the other thing, the value is not the data: it
 * becomes unknown.
 *
 * kind and size: those of the instruction (EAR_KIND_*, ear_inst.access_size); EAR_KIND_ILLEGAL or
 * size 0: the opcode says nothing, and the access stays. An AMO is what it is called: it has both.
 */
static inline void ear_access_follow_opcode(
	struct ear_record_access *access, unsigned kind, unsigned size)
{
	const bool writes =
		kind == EAR_KIND_STORE || kind == EAR_KIND_SC || kind == EAR_KIND_VSTORE;
	const bool reads = kind == EAR_KIND_LOAD || kind == EAR_KIND_LR || kind == EAR_KIND_VLOAD;

	if ((writes && !access->write) || (reads && access->write)) {
		access->write = writes;
		access->has_value = false;
		access->value = 0;
	}
	if (size > 0 && size <= 8 && (access->size == 0 || access->size > size))
		access->size = (uint8_t)size;
	if (access->size > 0 && access->size < 8)
		access->value &= ((uint64_t)1 << 8 * access->size) - 1;
}

#endif
