/* Programs that no compiler makes: every row of the instruction table as likely as any other, with
 * random operands. What they do is wild, and repeats within a few hundred instructions, so both
 * sides of a predictor are used: what it must send, and what it knows by then.
 */
#include "random_program.h"

#include <string.h>

#include "iss/iss_state.h"

#define CODE_SIZE 2048

static const uint32_t opcodes[] = {
#define INST(id, name, match, mask, ...) match,
#include "decoder/isa/inst_list.def"
#undef INST
};
static const uint32_t opcode_masks[] = {
#define INST(id, name, match, mask, ...) mask,
#include "decoder/isa/inst_list.def"
#undef INST
};

void random_program_write(struct ear_iss *iss, struct random *random)
{
	uint8_t *code = ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, CODE_SIZE);

	for (size_t at = 0; at + 4 <= CODE_SIZE;) {
		size_t row = random_below(random, sizeof(opcodes) / sizeof(opcodes[0]));
		uint32_t insn =
			((uint32_t)(random_next(random) >> 32) & ~opcode_masks[row]) | opcodes[row];
		memcpy(code + at, &insn, 4);
		at += (insn & 3) == 3 ? 4 : 2;
	}
	for (unsigned i = 1; i < 32; i++)
		iss->x[i] = EAR_ISS_MEMORY_BASE + 0x4000 + 8 * random_below(random, 256);
	iss->csr.mtvec = EAR_ISS_MEMORY_BASE + (random_once_in(random, 2) ? 1 : 0);
}

void random_program_revive(struct ear_iss *iss, struct random *random)
{
	iss->ended = false;
	iss->end = EAR_ISS_RUNS;
	iss->pc = EAR_ISS_MEMORY_BASE + 2 * random_below(random, 999);
}

void random_program_step(struct ear_iss *iss, struct random *random, struct ear_retire *entry)
{
	if (ear_iss_step(iss, entry))
		return;
	random_program_revive(iss, random);
	ear_iss_step(iss, entry);
}
