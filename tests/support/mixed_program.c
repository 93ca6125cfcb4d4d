/* Programs of legal instructions in any order, with a handler that goes on elsewhere in them. */
#include "mixed_program.h"

#include <string.h>

#include "decoder/isa/inst_table.h"
#include "iss/iss_state.h"
#include "library/check/semantics/semantics.h"

#define CODE_SIZE 0x900u
#define DATA_SIZE 0x2000u

void mixed_program_write(struct ear_iss *iss, unsigned xlen, struct random *random)
{
	/* It counts in mscratch, and makes pointers into data again. */
	static const uint32_t handler[] = {
		0x340022f3, /* csrr x5, mscratch */
		0x25428293, /* addi x5, x5, 0x254 */
		0x34029073, /* csrw mscratch, x5 */
		0x00004417, /* auipc x8, 4, and so on */
		0x00004497, 0x00004517, 0x00004597, 0x00004617, 0x00004697, 0x00004717, 0x00004797,
		0x7fe2f293, /* andi x5, x5, 0x7fe */
		0x00000317, /* auipc x6, 0 */
		0x006282b3, /* add x5, x5, x6 */
		0x03028067, /* jr 0x30(x5) */
	};
	uint8_t *code = ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, CODE_SIZE);
	uint8_t *data = ear_iss_memory(iss, EAR_ISS_MEMORY_BASE + 0x3000, DATA_SIZE);

	memcpy(code, handler, sizeof(handler));
	for (size_t at = sizeof(handler); at + 4 <= CODE_SIZE;) {
		unsigned id = 1 + (unsigned)random_below(random, EAR_INST_COUNT - 1);
		const struct ear_inst_row *row = &ear_inst_rows[id];
		uint32_t insn =
			row->match | ((uint32_t)random_next(random) & ~row->mask[xlen == 64]);
		struct ear_semantics op;

		ear_semantics_decode(&op, insn, xlen, EAR_SEMANTICS_ALL);
		if (op.kind == EAR_SEM_ILLEGAL || op.kind == EAR_SEM_EBREAK ||
			op.kind == EAR_SEM_MRET || op.kind == EAR_SEM_WFI || op.kind == EAR_SEM_CSR)
			continue;
		/* Most loads and stores meet. */
		if (op.size == 4 && op.kind >= EAR_SEM_LB && op.kind <= EAR_SEM_SD &&
			!random_once_in(random, 4))
			insn = (insn & 0x03f07fff) | (8 + (uint32_t)random_below(random, 8)) << 15;
		memcpy(code + at, &insn, op.size);
		at += op.size;
	}
	for (size_t at = 0; at < DATA_SIZE; at++)
		data[at] = (uint8_t)random_next(random);
	iss->csr.mtvec = EAR_ISS_MEMORY_BASE;
}
