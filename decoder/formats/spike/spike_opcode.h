#ifndef EAR_SPIKE_OPCODE_H
#define EAR_SPIKE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

/* What reading and writing Spike's logs takes from an opcode: its disassembly as Spike spells it,
 * and which effects Spike lists for it.
 */

#define EAR_SPIKE_TEXT_SIZE 64

enum {
	EAR_SPIKE_CONFIG = 1 << 0,        /* vector: the effects begin with SEW, LMUL and vl */
	EAR_SPIKE_VSET = 1 << 1,          /* vsetvli, vsetivli, vsetvl */
	EAR_SPIKE_KEEPS_VL = 1 << 2,      /* VSET that does not write vl */
	EAR_SPIKE_VECTOR_MEMORY = 1 << 3, /* a vector load or store */
	EAR_SPIKE_CSR = 1 << 4,           /* csrrw and its relatives */
	EAR_SPIKE_BYTES = 1 << 6,         /* cbo.zero: a store for each byte */
	EAR_SPIKE_NO_ACCESS = 1 << 7,     /* other cbo.*: no accesses are listed */
	EAR_SPIKE_NARROW = 1 << 5,        /* writes a single or half to an f register */
};

/* In the place of an opcode that is unknown, in our own logs. */
#define EAR_SPIKE_NO_OPCODE "0x????????"

struct ear_spike_opcode {
	uint32_t opcode;
	uint8_t xlen; /* 0: an empty entry of the cache */
	uint8_t flags;
	uint8_t text_size;
	uint8_t access_size; /* bytes of memory read or written; 0 when none or unknown */
	uint8_t kind;        /* EAR_KIND_* */
	bool writes;         /* an integer or floating-point register, not x0 */
	char text[EAR_SPIKE_TEXT_SIZE];
};

/* Opcodes that were looked up lately. */
struct ear_spike_opcodes;

/* NULL if memory is short; free takes NULL. */
struct ear_spike_opcodes *ear_spike_opcodes_new(void);
void ear_spike_opcodes_free(struct ear_spike_opcodes *opcodes);

/* What is known of an opcode; valid until the next call. xlen: 32 or 64. */
const struct ear_spike_opcode *ear_spike_opcode(
	struct ear_spike_opcodes *opcodes, uint32_t opcode, unsigned xlen);

#endif
