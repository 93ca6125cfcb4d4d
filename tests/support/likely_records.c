/* Records by chance: of few opcodes, so that what depends on the records before has something to
 * find, or of any bits.
 */
#include "likely_records.h"

#define ADD_3_1_2 0x002081B3u /* add x3, x1, x2 */
#define ADDI_1    0x00100093u /* addi x1, x0, 1 */
#define ADDI_2    0xFFF00113u /* addi x2, x0, -1 */
#define LW_1      0x0000A083u /* lw x1, 0(x1) */
#define NOP       0x00000013u

void likely_record_any(struct likely_record *likely, struct random *random)
{
	likely->regs[0] =
		(struct ear_record_register){.reg_class = (uint8_t)random_below(random, 5),
			.number = (uint16_t)random_below(random, 65536),
			.value = random_below(random, UINT64_MAX)};
	likely->regs[1] = (struct ear_record_register){
		.reg_class = EAR_REGISTER_X, .number = (uint16_t)random_below(random, 40)};
	likely->access = (struct ear_record_access){.address = random_below(random, UINT64_MAX),
		.size = (uint8_t)random_below(random, 256)};
	likely->record = (struct ear_record){
		.kind = (uint8_t)(random_below(random, 20) == 0 ? random_below(random, 7)
								: EAR_RECORD_INSTRUCTION),
		.isa = random_below(random, 50) == 0,
		.hart = (uint16_t)random_below(random, 5),
		.xlen = (uint8_t[]){0, 32, 64, 64}[random_below(random, 4)],
		.privilege = (uint8_t)random_below(random, 256),
		.opcode = random_below(random, UINT64_MAX),
		.opcode_size = (uint8_t)random_below(random, 9),
		.flags = (uint32_t)random_below(random, 1 << 14),
		.cause = random_below(random, random_below(random, 2) ? 80 : UINT64_MAX),
		.fflags = (uint8_t)random_below(random, 256),
		.frm = (uint8_t)random_below(random, 256),
		.vtype = (uint8_t)random_below(random, 256),
		.registers = likely->regs,
		.register_count = (size_t)random_below(random, 3),
		.memory = &likely->access,
		.memory_count = (size_t)random_below(random, 2)};
}

void likely_record_make(struct likely_record *likely, struct random *random)
{
	static const uint32_t opcodes[] = {ADD_3_1_2, ADDI_1, ADDI_2, LW_1, NOP,
		0x0220C1B3, /* div x3, x1, x2 */
		0x0020A023, /* sw x2, 0(x1) */
		0x30519073, /* csrrw x0, mtvec, x3 */
		0x305021F3, /* csrrs x3, mtvec, x0 */
		0x00208463, /* beq x1, x2, 8 */
		0x0020F1D3, /* fadd.s f3, f1, f2, dyn */
		0x2223F1C3, /* fmadd.d */
		0x00219073, /* csrrw x0, frm, x3 */
		0x18312223, /* sw x3 */
		0x1821A1AF, /* sc.w x3, x2, (x3) */
		0x022180D7, /* vadd.vv */
		0x852E /* c.mv */};
	static const uint64_t values[] = {0, 1, UINT64_MAX, 0x80000000, 0x7FFFFFFF,
		UINT64_C(1) << 63, INT64_MAX, 5, 0xFFFFFFFF80000000, 0xFFFFFFFF7F800001};

	const uint32_t opcode = opcodes[random_below(random, sizeof(opcodes) / sizeof(opcodes[0]))];
	const bool is_float = (opcode & 0x7F) == 0x53 || (opcode & 0x7F) == 0x43;
	const bool sets_frm = opcode == 0x00219073;
	likely->regs[0] = (struct ear_record_register){
		.reg_class = is_float ? EAR_REGISTER_F : EAR_REGISTER_X,
		.number = (uint16_t)random_below(random, 4),
		.size = random_below(random, 2) ? 4 : 8,
		.value = values[random_below(random, sizeof(values) / sizeof(values[0]))]};
	if (sets_frm)
		likely->regs[0] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = 2,
			.value = random_below(random, 8)};
	likely->access =
		(struct ear_record_access){.address = 0xFFC + random_below(random, 8), .size = 4};
	const uint64_t odd = random_below(random, 60);
	likely->record =
		(struct ear_record){.kind = odd == 0 ? EAR_RECORD_GAP : EAR_RECORD_INSTRUCTION,
			.hart = (uint16_t)random_below(random, 2),
			.xlen = 32,
			.privilege = (uint8_t)(random_below(random, 8) == 0 ? 0 : 3),
			.pc = 2 * random_below(random, 4),
			.opcode = opcode,
			.opcode_size = 4,
			.flags = odd == 1   ? (uint32_t)EAR_RECORD_TRAP
				 : odd == 2 ? (uint32_t)EAR_RECORD_INTERRUPT
				 : odd == 3 ? (uint32_t)EAR_RECORD_NO_OPCODE
				 : odd == 4 ? (uint32_t)EAR_RECORD_NO_PRIVILEGE
					    : 0,
			.cause = random_below(random, 12),
			.fflags = (uint8_t)(is_float ? random_below(random, 32) : 0),
			.vtype = 0x40 | 0x10,
			.registers = likely->regs,
			.register_count = opcode == NOP || odd == 5 ? 0 : 1,
			.memory = &likely->access,
			.memory_count = opcode == LW_1 || (opcode & 0x7F) == 0x23};
}
