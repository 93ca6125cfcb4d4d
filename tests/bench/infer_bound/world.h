#ifndef EAR_BOUND_WORLD_H
#define EAR_BOUND_WORLD_H

#include "circuit.h"
#include "iss/iss.h"
#include "library/memory/memory_types.h"

/* The last entries of a run as a circuit: all worlds in which the same instructions execute, access
 * the same addresses, and leave the same registers and the same memory. What is free: what x and f
 * registers and memory that can be written held before, what devices were read as, and counters of
 * cycles. With moves an access may be to a device instead: a load from it gives anything, and
 * nobody sees a store. Or a store goes to one of the victims.
 */

/* Places in memory that other instructions load from. */
#define WORLD_VICTIMS 12u

struct world_moves {
	uint64_t victims[WORLD_VICTIMS]; /* multiples of the bytes of a register */
	unsigned victim_count;
};

struct world_byte {
	uint64_t address;
	int bits[8];
	int before[8]; /* free: what was there before the first entry; 0: not free */
	uint8_t truth;
	bool used;
};

/* What an entry wrote into a register. */
struct world_write {
	struct circuit_word word;
	bool is_float;
	uint32_t entry;
	int differs; /* a literal; 0: cannot, since it is constant */
};

struct world {
	struct circuit circuit;
	unsigned xlen;
	struct circuit_word x[32], f[32], scratch;
	struct circuit_word x_before[32], f_before[32];
	struct world_byte *bytes; /* hash table */
	unsigned byte_bits;
	const uint8_t *memory; /* before the first entry */
	uint64_t memory_size;
	const struct ear_memory_segment *image;
	size_t image_count;
	const struct world_moves *moves; /* NULL: none */
	struct world_write *writes;
	size_t write_count;
	struct circuit_word *read; /* of each entry: what a device was read as */
	bool *reads_device;
};

/* entries: as they ran, from a state that iss has. What is pointed to must stay. */
void world_init(struct world *world, struct ear_iss *iss, const struct ear_retire *entries,
	size_t count, const struct ear_memory_segment *image, size_t image_count,
	uint64_t memory_size, const struct world_moves *moves);
void world_fini(struct world *world);

#endif
