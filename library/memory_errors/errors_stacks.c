/* Frames, by what sp does: where additions lower it, the bytes are new ones of a frame, and nothing
 * wrote them; where additions raise it again, they were left. sp that is set in another way is in
 * another stack, or was put back by longjmp: then nothing is known of what is between.
 *
 * Code may look at what is below sp: it paints stacks, looks how deep they were, dumps them. So an
 * access to a frame that was left is an error only in the stack of the hart, not by sp itself, from
 * where a frame had taken an address, and not by an instruction that came there step by step from
 * where no frame was.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

#define SCAN_STEP    16u /* bytes from one access to the next one */
#define SCAN_RECORDS 64u
#define TAKEN_MAX    512u      /* bytes from the begin of a variable to the access */
#define APART_MAX    0x4000000 /* bytes: what is more is another stack */

/* Does the instruction compute sp from sp, or from the frame pointer? */
static bool moves(uint32_t opcode)
{
	const uint32_t rs1 = opcode >> 15 & 31, rs2 = opcode >> 20 & 31;

	if ((opcode & 3) != 3) {
		const uint32_t quadrant = opcode & 3, funct = opcode >> 13 & 7;
		if (quadrant == 1)
			return funct == 0 || funct == 3; /* c.addi, c.addi16sp */
		if (quadrant != 2)
			return false;
		if (funct == 5) /* cm.push, cm.pop */
			return true;
		/* c.add; c.mv from the frame pointer */
		return funct == 4 && (opcode >> 12 & 1 || (opcode >> 2 & 31) == 8);
	}
	switch (opcode & 0x7f) {
	case 0x13: /* addi, andi */
	case 0x1b: return rs1 == 2 || rs1 == 8;
	case 0x33: /* add, sub */
	case 0x3b: return rs1 == 2 || rs1 == 8 || rs2 == 2;
	default: return false;
	}
}

/* ---- Stacks and their limits. ---- */

static uint32_t find(const struct ear_memory_checker *checker, uint64_t sp)
{
	for (uint32_t i = 0; i < checker->stack_count; i++)
		if (sp >= checker->stacks[i].low && sp <= checker->stacks[i].high)
			return i;
	return NONE;
}

static const char *const limit_symbols[] = {"__stack_limit", "_stack_limit", "__StackLimit",
	"__stack_bottom", "_stack_bottom", "__stack_start", "_stack_start", "_sstack",
	"stack_bottom", "stack_limit"};

/* The lowest address of the stack that begins below an address: its variable, its section, or a
 * symbol that says it. 0: not known. */
static uint64_t limit_of(const struct ear_names *names, uint64_t high)
{
	const struct ear_symbol *found;
	uint64_t offset, limit = 0;

	if (!names || high == 0)
		return 0;
	const struct ear_symbol *symbol = ear_names_symbol_at(names, high - 1, &offset);
	if (symbol && symbol->kind == EAR_NAMES_OBJECT && offset < symbol->size)
		return symbol->address;
	for (size_t f = 0; f < ear_names_file_count(names); f++) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->section_count; i++) {
			const struct ear_names_section *section = &file->sections[i];
			const uint64_t first = section->address + file->offset;
			if (!strstr(section->name, "stack") || high - 1 - first >= section->size)
				continue;
			limit = first;
			for (size_t j = 0; j < sizeof(limit_symbols) / sizeof(limit_symbols[0]);
				j++)
				if (ear_names_symbols_named(names, limit_symbols[j], &found, 1) &&
					found->address > limit && found->address < high)
					limit = found->address;
		}
	}
	return limit;
}

static uint32_t add(struct ear_memory_checker *checker, uint64_t sp)
{
	if (checker->stack_count == STACKS_MAX)
		return NONE;
	if (!checker->stacks) {
		checker->stacks = calloc(STACKS_MAX, sizeof(*checker->stacks));
		if (!checker->stacks) {
			checker->failed = true;
			return NONE;
		}
	}
	checker->stacks[checker->stack_count] = (struct stack){
		.low = sp, .high = sp, .base = sp, .limit = limit_of(checker->options.names, sp)};
	return checker->stack_count++;
}

static void check_limit(struct ear_memory_checker *checker, const struct checker_hart *hart,
	struct stack *stack, uint64_t pc, uint64_t sp)
{
	const bool is_below = sp < stack->limit;

	if (is_below && !stack->is_below) {
		struct ear_memory_error *error =
			ear_checker_blame(checker, EAR_MEMORY_STACK_LIMIT, hart, pc);
		if (error) {
			error->address = sp;
			error->limit = stack->limit;
		}
	}
	stack->is_below = is_below;
}

/* ---- Frames. ---- */

static void left(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc,
	uint64_t from, uint64_t to)
{
	ear_byte_shadow_set(&checker->shadow, SHADOW_LEFT, from, to - from);
	hart->returns[hart->return_count++ % RETURNS_MAX] =
		(struct frame_return){from, to - 1, checker->number, pc};
}

static void made(struct ear_memory_checker *checker, uint64_t from, uint64_t to)
{
	ear_byte_shadow_clear(&checker->shadow, SHADOW_LEFT, from, to - from);
	ear_byte_shadow_set(&checker->shadow, SHADOW_UNWRITTEN, from, to - from);
}

/* Frames between may be those of another one that shares the stack. */
static void put_back(struct ear_memory_checker *checker, uint64_t from, uint64_t to)
{
	if (to >= from || from - to > APART_MAX)
		return;
	ear_byte_shadow_clear(&checker->shadow, SHADOW_LEFT, to, from - to);
	ear_byte_shadow_clear(&checker->shadow, SHADOW_UNWRITTEN, to, from - to);
}

static void moved(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc,
	uint64_t from, uint64_t to)
{
	struct stack *stack = &checker->stacks[hart->stack];
	const uint64_t end = to < stack->base ? to : stack->base;

	if (to < from && from - to <= FRAME_MAX)
		made(checker, to, from);
	else if (to < from)
		put_back(checker, from, to);
	else if (from < end && end - from <= FRAME_MAX)
		left(checker, hart, pc, from, end);
	if (to > stack->base)
		stack->base = to;
}

void ear_stacks_sp(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	const uint64_t sp = step->result, before = hart->x[2];
	const bool was_known = hart->known >> 2 & 1, by_moving = moves(step->opcode);
	const uint32_t stack_before = hart->stack;

	checker->facts.has_sp = true;
	/* Half of an address: auipc, lui, c.lui. */
	if ((step->opcode & 0x7f) == 0x17 || (step->opcode & 0x7f) == 0x37) {
		hart->stack = NONE;
		ear_heap_look(checker, hart);
		return;
	}
	if (stack_before == NONE || !was_known || !by_moving) {
		if (stack_before == NONE || sp < checker->stacks[stack_before].low ||
			sp > checker->stacks[stack_before].high)
			hart->stack = find(checker, sp);
		if (hart->stack == NONE)
			hart->stack = add(checker, sp);
		ear_heap_look(checker, hart);
		if (hart->stack == NONE)
			return;
		if (hart->stack == stack_before && was_known) {
			put_back(checker, before, sp);
			checker->stacks[hart->stack].base = sp;
		}
	} else {
		moved(checker, hart, step->pc, before, sp);
	}
	struct stack *stack = &checker->stacks[hart->stack];
	if (sp > stack->high)
		stack->high = sp;
	if (sp < stack->low)
		stack->low = sp;
	check_limit(checker, hart, stack, step->pc, sp);
}

void ear_stacks_take(
	struct ear_memory_checker *checker, const struct checker_hart *hart, uint64_t address)
{
	if (hart->stack != NONE && hart->known >> 2 & 1 && address >= hart->x[2] &&
		address < checker->stacks[hart->stack].high)
		ear_byte_shadow_set(&checker->shadow, SHADOW_TAKEN, address, 1);
}

/* ---- Accesses. ---- */

/* Is the base of the access sp itself? */
static bool is_by_sp(uint32_t opcode)
{
	if ((opcode & 3) == 3)
		return (opcode >> 15 & 31) == 2;
	return (opcode & 3) == 2;
}

/* Did the instruction come there step by step? */
static bool is_scan(const struct ear_memory_checker *checker, const struct checker_step *step)
{
	const struct scan *scan = &checker->scans[step->pc / 2 % SCANS_MAX];
	const uint64_t before = scan->address, address = step->address;
	const uint64_t apart = address > before ? address - before : before - address;

	return scan->pc == step->pc && apart > 0 && apart <= SCAN_STEP &&
	       checker->number - scan->number <= SCAN_RECORDS;
}

/* Is the address in a variable whose address was taken? */
static bool is_taken(struct ear_memory_checker *checker, uint64_t address)
{
	for (uint64_t i = 0; i < TAKEN_MAX && i <= address; i++) {
		if (!ear_byte_shadow_get(&checker->shadow, SHADOW_LEFT, address - i, 1))
			return false;
		if (ear_byte_shadow_get(&checker->shadow, SHADOW_TAKEN, address - i, 1))
			return true;
	}
	return false;
}

void ear_stacks_left(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	const struct stack *stack = hart->stack == NONE ? NULL : &checker->stacks[hart->stack];

	if (!stack || !(hart->known >> 2 & 1) || step->rd == 2 || step->address < stack->low ||
		step->address >= hart->x[2] || is_by_sp(step->opcode) || is_scan(checker, step) ||
		!is_taken(checker, step->address))
		return;
	struct ear_memory_error *error =
		ear_checker_blame(checker, EAR_MEMORY_LEFT_FRAME, hart, step->pc);
	if (!error)
		return;
	error->write = step->write;
	error->size = step->size;
	error->address = step->address;
	error->other = (struct ear_memory_moment){0, 0};
	for (uint32_t i = 1; i <= RETURNS_MAX && i <= hart->return_count; i++) {
		const struct frame_return *frame =
			&hart->returns[(hart->return_count - i) % RETURNS_MAX];
		if (step->address < frame->first || step->address > frame->last)
			continue;
		error->other = (struct ear_memory_moment){frame->number, frame->pc};
		break;
	}
}

void ear_stacks_forget(struct ear_memory_checker *checker)
{
	for (uint32_t i = 0; i < checker->hart_count; i++)
		if (checker->harts[i]) {
			checker->harts[i]->known = 0;
			checker->harts[i]->stack = NONE;
			checker->harts[i]->return_count = 0;
			checker->harts[i]->in_heap = false;
		}
	checker->stack_count = 0;
	memset(checker->scans, 0, sizeof(checker->scans));
}
