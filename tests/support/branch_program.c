/* Random programs, and random walks over them.
 *
 * A program is laid out first, so that branches and jumps go to where instructions begin. A walk
 * returns to where it was called from most of the time, as programs do, but not always; a jump
 * whose base is in the instruction before it goes where that says.
 */
#include "branch_program.h"

#include <stdlib.h>
#include <string.h>

enum shape {
	NOP,
	C_NOP,
	BRANCH,
	C_BRANCH,
	JUMP,
	CALL,
	C_JUMP,
	INDIRECT,
	INDIRECT_CALL,
	C_INDIRECT_CALL,
	RETURN,
	C_RETURN,
	SWAP,
	SEQUENTIAL,      /* auipc and jalr */
	SEQUENTIAL_CALL, /* the same through x1 */
	UPPER,
	TRAP_RETURN,
	SHAPES
};

static const uint8_t sizes[SHAPES] = {[NOP] = 4,
	[C_NOP] = 2,
	[BRANCH] = 4,
	[C_BRANCH] = 2,
	[JUMP] = 4,
	[CALL] = 4,
	[C_JUMP] = 2,
	[INDIRECT] = 4,
	[INDIRECT_CALL] = 4,
	[C_INDIRECT_CALL] = 2,
	[RETURN] = 4,
	[C_RETURN] = 2,
	[SWAP] = 4,
	[SEQUENTIAL] = 8,
	[SEQUENTIAL_CALL] = 8,
	[UPPER] = 4,
	[TRAP_RETURN] = 4};

static const uint8_t likely[] = {NOP, NOP, NOP, NOP, C_NOP, C_NOP, C_NOP, C_NOP, BRANCH, BRANCH,
	C_BRANCH, C_BRANCH, JUMP, CALL, CALL, C_JUMP, INDIRECT, INDIRECT_CALL, C_INDIRECT_CALL,
	RETURN, C_RETURN, C_RETURN, SWAP, SEQUENTIAL, SEQUENTIAL_CALL, UPPER, TRAP_RETURN};

static uint32_t branch_bits(uint32_t offset)
{
	return (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 |
	       (offset >> 11 & 1) << 7;
}

static uint32_t jal_bits(uint32_t offset)
{
	return (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 |
	       (offset >> 12 & 255) << 12;
}

static uint32_t c_branch_bits(uint32_t offset)
{
	return (offset >> 8 & 1) << 12 | (offset >> 3 & 3) << 10 | (offset >> 6 & 3) << 5 |
	       (offset >> 1 & 3) << 3 | (offset >> 5 & 1) << 2;
}

static uint32_t c_jump_bits(uint32_t offset)
{
	return (offset >> 11 & 1) << 12 | (offset >> 4 & 1) << 11 | (offset >> 8 & 3) << 9 |
	       (offset >> 10 & 1) << 8 | (offset >> 6 & 1) << 7 | (offset >> 7 & 1) << 6 |
	       (offset >> 1 & 7) << 3 | (offset >> 5 & 1) << 2;
}

static void put(uint8_t *to, uint32_t opcode, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(opcode >> 8 * i);
}

/* Where it goes, from here: mostly near. */
static uint32_t some_offset(
	const struct branch_program *program, struct random *random, size_t at, int reach)
{
	for (;;) {
		uint64_t to = program->starts[random_below(random, program->start_count)];
		int64_t offset = (int64_t)(to - program->base) - (int64_t)at;
		if (offset >= -reach && offset < reach && offset != 0)
			return (uint32_t)offset;
	}
}

static void put_shape(
	struct branch_program *program, struct random *random, size_t at, enum shape shape)
{
	uint8_t *to = program->bytes + at;
	unsigned rd = (unsigned)random_below(random, 2) ? 1 : 5, other = rd ^ 4;

	switch (shape) {
	case NOP: put(to, 0x13, 4); break;
	case C_NOP: put(to, 1, 2); break;
	case BRANCH: put(to, 0x63 | branch_bits(some_offset(program, random, at, 4096)), 4); break;
	case C_BRANCH:
		put(to, 0xc001 | c_branch_bits(some_offset(program, random, at, 256)), 2);
		break;
	case JUMP: put(to, 0x6f | jal_bits(some_offset(program, random, at, 4096)), 4); break;
	case CALL:
		put(to, 0x6f | rd << 7 | jal_bits(some_offset(program, random, at, 4096)), 4);
		break;
	case C_JUMP:
		put(to, 0xa001 | c_jump_bits(some_offset(program, random, at, 2048)), 2);
		break;
	case INDIRECT: put(to, 0x00050067, 4); break;
	case INDIRECT_CALL: put(to, 0x00050067 | rd << 7, 4); break;
	case C_INDIRECT_CALL: put(to, 0x9502, 2); break;
	case RETURN: put(to, 0x67 | rd << 15, 4); break;
	case C_RETURN: put(to, 0x8082, 2); break;
	case SWAP: put(to, 0x67 | rd << 7 | other << 15, 4); break;
	case SEQUENTIAL:
	case SEQUENTIAL_CALL:
		rd = shape == SEQUENTIAL ? 6 : 1;
		put(to, 0x17 | rd << 7, 4);
		put(to + 4,
			0x67 | (shape == SEQUENTIAL ? 0 : 1 << 7) | rd << 15 |
				some_offset(program, random, at, 2048) << 20,
			4);
		break;
	case UPPER: put(to, 0x000015b7, 4); break;
	case TRAP_RETURN: put(to, 0x30200073, 4); break;
	case SHAPES: break;
	}
}

void branch_program_init(struct branch_program *program, unsigned xlen, struct random *random)
{
	uint8_t shapes[BRANCH_PROGRAM_SIZE / 2];
	size_t at = 0, count = 0;

	program->xlen = xlen;
	program->base = xlen == 64 && random_once_in(random, 2)
				? UINT64_C(0xffffffff80000000) + 4096 * random_below(random, 16)
				: 0x80000000u - 800 + 2 * random_below(random, 800);
	program->start_count = 0;
	while (at + 10 <= BRANCH_PROGRAM_SIZE) {
		uint8_t shape = likely[random_below(random, sizeof(likely))];
		shapes[count++] = shape;
		program->starts[program->start_count++] = program->base + at;
		at += sizes[shape];
	}
	size_t end = at;
	at = 0;
	for (size_t i = 0; i < count; i++) {
		put_shape(program, random, at, shapes[i]);
		at += sizes[shapes[i]];
	}
	put(program->bytes + end, 0xa001 | c_jump_bits((uint32_t) - (int32_t)end), 2);
	if (ear_flow_code_new(&program->code) ||
		ear_flow_code_add(program->code, program->base, program->bytes, end + 2) ||
		ear_flow_code_finish(program->code, xlen))
		abort();
}

void branch_program_fini(struct branch_program *program)
{
	ear_flow_code_free(program->code);
}

/* The state of a walk. */
struct walker {
	const struct branch_program *program;
	const struct branch_walk *walk;
	struct random *random;
	uint64_t mask, pc, time;
	uint64_t calls[64];
	unsigned depth;
	uint8_t privilege;
	const struct ear_flow_instruction *upper; /* the one before, if it is one */
};

static uint64_t some_start(struct walker *walker)
{
	return walker->program->starts[random_below(walker->random, walker->program->start_count)] &
	       walker->mask;
}

static uint64_t go_indirect(struct walker *walker, const struct ear_flow_instruction *at)
{
	bool back = at->link & EAR_FLOW_RETURN && walker->depth > 0;
	uint64_t to = some_start(walker), called = back ? walker->calls[--walker->depth] : 0;

	if (walker->upper && walker->upper->rd == at->rs1 && at->rs1)
		return (ear_flow_target(walker->upper, walker->pc - walker->upper->size) +
			       (uint64_t)(int64_t)at->offset) &
		       walker->mask & ~UINT64_C(1);
	return back && !random_once_in(walker->random, 10) ? called : to;
}

static uint64_t go(struct walker *walker, const struct ear_flow_instruction *at, bool *taken)
{
	uint64_t after = (walker->pc + at->size) & walker->mask;
	uint64_t to = after;

	*taken = at->kind > EAR_FLOW_BRANCH;
	switch (at->kind) {
	case EAR_FLOW_BRANCH:
		*taken = random_once_in(walker->random, walker->walk->straight);
		to = *taken ? ear_flow_target(at, walker->pc) : after;
		break;
	case EAR_FLOW_JUMP: to = ear_flow_target(at, walker->pc); break;
	case EAR_FLOW_INDIRECT: to = go_indirect(walker, at); break;
	case EAR_FLOW_TRAP_RETURN:
		to = some_start(walker);
		if (walker->walk->privileges)
			walker->privilege = random_once_in(walker->random, 2) ? EAR_PRIVILEGE_U
									      : EAR_PRIVILEGE_S;
		break;
	default: break;
	}
	if (at->link & EAR_FLOW_CALL) {
		if (walker->depth == 64)
			memmove(walker->calls, walker->calls + 1, 63 * sizeof(*walker->calls));
		walker->depth -= walker->depth == 64;
		walker->calls[walker->depth++] = after;
	}
	walker->upper = at->kind == EAR_FLOW_UPPER ? at : NULL;
	return to & walker->mask;
}

static void step(struct walker *walker, struct ear_record *record, uint64_t index)
{
	struct ear_flow_range range = {0};
	const struct ear_flow_instruction *at =
		ear_flow_code_at(walker->program->code, &range, walker->pc);
	bool taken;

	if (!at)
		abort();
	*record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.index = index,
		.xlen = (uint8_t)walker->program->xlen,
		.privilege = walker->privilege,
		.opcode = at->opcode,
		.opcode_size = at->size,
		.pc = walker->pc,
	};
	if (!walker->walk->privileges)
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
	if (walker->walk->times) {
		record->flags |= EAR_RECORD_HAS_TIME;
		walker->time += random_below(walker->random, 5);
		record->ticks = walker->time;
	}
	if (walker->walk->traps && random_once_in(walker->random, walker->walk->traps)) {
		record->flags |= (random_once_in(walker->random, 2) ? EAR_RECORD_TRAP
								    : EAR_RECORD_INTERRUPT) |
				 EAR_RECORD_NO_CAUSE;
		record->next_pc = some_start(walker);
		walker->upper = NULL;
		if (walker->walk->privileges)
			walker->privilege = EAR_PRIVILEGE_M;
	} else {
		record->next_pc = go(walker, at, &taken);
		if (taken && at->kind != EAR_FLOW_TRAP_RETURN)
			record->flags |= EAR_RECORD_TAKEN;
	}
	walker->pc = record->next_pc;
}

void branch_program_walk(const struct branch_program *program, const struct branch_walk *walk,
	struct random *random, struct ear_record *records, size_t count)
{
	struct walker walker = {
		.program = program,
		.walk = walk,
		.random = random,
		.mask = UINT64_MAX >> (64 - program->xlen),
		.privilege = EAR_PRIVILEGE_M,
	};

	walker.pc = some_start(&walker);
	for (size_t i = 0; i < count; i++)
		step(&walker, &records[i], i);
}
