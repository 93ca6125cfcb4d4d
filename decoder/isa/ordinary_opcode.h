#ifndef EAR_ORDINARY_OPCODE_H
#define EAR_ORDINARY_OPCODE_H

#include <stdint.h>

/* Which records of texts can be part of a run of ordinary records (ear_compact_run.ordinary), as
 * far as their opcode says.
 */
enum ear_ordinary_flag {
	EAR_ORDINARY = 1 << 0,      /* else it is not ordinary, and the other members say nothing */
	EAR_ORDINARY_JUMP = 1 << 1, /* always taken */
	EAR_ORDINARY_MOVES = 1 << 2, /* a jump or a branch */
	EAR_ORDINARY_STORE = 1 << 3,
};

struct ear_ordinary_opcode {
	uint32_t opcode;
	uint8_t xlen;
	uint8_t flags;    /* enum ear_ordinary_flag */
	uint8_t rd, size; /* as in a compact record */
};

/* It decodes, so who asks for each record keeps the answers. */
struct ear_ordinary_opcode ear_ordinary_opcode_find(uint32_t opcode, uint8_t xlen);

#endif
