#ifndef EAR_INST_INDEX_H
#define EAR_INST_INDEX_H

#include <stdint.h>

#include "decoder/isa/opcode.h"

/* The layout of the index, for inst_decode.c and for make_inst_index.c, which writes its arrays. */

/* The lists of a group: that of an opcode is number first + (opcode >> shift & mask). */
struct ear_inst_group {
	uint16_t first;
	uint16_t mask;
	uint8_t shift;
};

/* A list: its first row, which is most often the one, and where it is with that row in the array of
 * all lists.
 */
struct ear_inst_list {
	uint16_t first;
	uint16_t place;
};

#define EAR_INST_GROUP_COUNT 512

/* Bits 6:2 and 14:12 of an opcode of 4 bytes; after those, bits 1:0 and 15:13 of one of 2. */
static inline unsigned ear_inst_group_of(uint32_t opcode)
{
	if (!ear_opcode_is_compressed(opcode))
		return (opcode >> 2 & 31) << 3 | (opcode >> 12 & 7);
	return 256 + ((opcode & 3) << 3 | (opcode >> 13 & 7));
}

#endif
