#ifndef EAR_COVERAGE_ISA_MNEMONICS_H
#define EAR_COVERAGE_ISA_MNEMONICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/coverage/isa_coverage.h"
#include "cli/commands/coverage/coverage_isa_section.h"
#include "decoder/isa/inst.h"

/* The instructions of an ISA, what their operands can be, and what was counted of them. Which there
 * are is asked of the decoder: all opcodes of 2 bytes, and of each row of the table all registers
 * in each of its fields.
 */
enum { ISA_RD, ISA_RS1, ISA_RS2, ISA_RS3, ISA_OPERANDS };
enum { ISA_SAME_RD_RS1, ISA_SAME_RD_RS2, ISA_SAME_RD_RS3, ISA_SAME_RS1_RS2, ISA_SAMES };

/* Of an immediate, and of how far a branch or jump goes. */
enum isa_immediate {
	ISA_IMMEDIATE_ZERO,
	ISA_IMMEDIATE_MIN,
	ISA_IMMEDIATE_MAX,
	ISA_IMMEDIATE_POSITIVE,
	ISA_IMMEDIATE_NEGATIVE,
	ISA_IMMEDIATES
};
#define ISA_DISTANCE_GROUPS 4 /* below 16 bytes, 256, 4096, and beyond */

struct isa_mnemonic {
	const char *name;
	char section[ISA_SECTION_MAX];
	struct ear_instruction sample;
	uint8_t formats[EAR_ISA_SLOTS];
	uint8_t extension;
	bool rounds;                        /* it has a rounding mode */
	bool masks;                         /* it can have a mask */
	uint32_t word;                      /* an opcode of it */
	uint64_t possible[ISA_OPERANDS][2]; /* sets of registers */
	bool apart;                         /* rd and rs1 can differ */
	bool has_immediate;
	int64_t min, max; /* of the immediate */
	uint64_t executed;
	uint64_t registers[ISA_OPERANDS][EAR_ISA_REGISTERS];
	uint64_t same[ISA_SAMES];
	uint64_t branches[4]; /* taken forward, backward, not taken; jumps: forward, backward */
	uint64_t immediates[ISA_IMMEDIATES];
	uint64_t distances[ISA_DISTANCE_GROUPS];
	uint64_t rounding[8]; /* by the field */
	uint64_t masked[2];
	uint64_t bins[EAR_ISA_BINS];
};

struct isa_mnemonics {
	const struct ear_instructions *instructions;
	const struct ear_isa_coverage *coverage;
	unsigned xlen;
	bool other_xlen; /* there are records of the other one, which are not counted */
	bool wanted[EAR_EXT_COUNT];
	struct isa_mnemonic *list; /* in the order of the table of instructions */
	size_t count;
};

/* march: NULL: all extensions of which the trace has an instruction. Returns false if memory is
 * short. Free it in any case. */
bool isa_mnemonics_make(struct isa_mnemonics *mnemonics, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march);
void isa_mnemonics_free(struct isa_mnemonics *mnemonics);

/* The group of a distance. */
unsigned isa_distance_group(int64_t distance);

static inline bool isa_operand_can_be(
	const struct isa_mnemonic *mnemonic, unsigned operand, unsigned reg)
{
	return mnemonic->possible[operand][reg / 64] >> reg % 64 & 1;
}

/* How many registers it can be. */
unsigned isa_operand_choices(const struct isa_mnemonic *mnemonic, unsigned operand);

#endif
