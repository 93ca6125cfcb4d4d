/* Accesses beyond a variable.
 *
 * A register that got the address where a variable begins, by lui or auipc and addi or from memory,
 * has a pointer to it, and so has one that is computed from it by additions. An access through it
 * that lies behind the variable, in another one, is an error if the same instruction was inside of
 * the variable before. That is what a loop or an index does that runs over, and hardly anything
 * else: compilers also compute the address of one variable from another one's (section anchors of
 * GCC, merged globals of LLVM), but by instructions that are always beyond it. So an addition that
 * leads out of the variable has a pointer to it only if the same instruction led into it before.
 *
 * A variable where a label stands, too, as of a linker script, may be the begin of a larger area,
 * and is none here.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define REG_GP   3
#define STEP_MAX 64 /* bytes; a loop over an unknown area is not unrolled further */

/* ---- The variables. ---- */

/* Symbols of one address: one variable of one size, with all names that it has? */
static struct object object_of(const struct ear_symbol *symbols, size_t count)
{
	struct object object = {.first = symbols[0].address, .is_base = true};

	for (size_t i = 0; i < count; i++) {
		const struct ear_symbol *symbol = &symbols[i];
		const uint64_t end = symbol->address + symbol->size;
		object.is_base &= symbol->kind == EAR_NAMES_OBJECT && symbol->size > 0 &&
				  (object.end == 0 || object.end == end);
		if (symbol->kind != EAR_NAMES_OBJECT || end <= object.end)
			continue;
		object.end = end;
		object.name = symbol->name;
	}
	return object;
}

int ear_objects_begin(struct ear_memory_checker *checker)
{
	struct objects *objects = &checker->objects;
	const struct ear_symbol *symbols;
	size_t room = 0, same;

	objects->low = UINT64_MAX;
	if (!checker->options.names)
		return 0;
	const size_t count = ear_names_symbols(checker->options.names, &symbols);
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count && symbols[i + same].address == symbols[i].address;)
			same++;
		struct object object = object_of(&symbols[i], same);
		if (object.end <= object.first)
			continue;
		if (!EAR_ARRAY_RESERVE(objects->items, &room, objects->count + 1))
			return EAR_E_NO_MEMORY;
		/* One in another one. */
		if (objects->count > 0 && objects->items[objects->count - 1].end > object.first) {
			objects->items[objects->count - 1].is_base = false;
			continue;
		}
		objects->items[objects->count++] = object;
	}
	if (objects->count > 0) {
		/* What lui and auipc make is not far from there. */
		objects->low = objects->items[0].first - 2048;
		objects->size = objects->items[objects->count - 1].end + 2048 - objects->low;
	}
	return 0;
}

/* The one that has the address; NULL. */
static const struct object *find(const struct objects *objects, uint64_t address)
{
	size_t low = 0, high = objects->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (objects->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < objects->count && objects->items[low].first <= address ? &objects->items[low]
									    : NULL;
}

/* ---- Pointers. ---- */

static bool was_inside(const struct ear_memory_checker *checker, uint64_t pc, uint64_t first)
{
	const struct inside *inside = &checker->insides[pc / 2 % INSIDES_MAX];

	return inside->pc == pc && inside->first == first;
}

static void set(struct checker_hart *hart, unsigned rd, uint64_t first, uint64_t end)
{
	hart->objects[rd].first = first;
	hart->objects[rd].end = end;
	hart->pointers |= 1u << rd;
}

/* The register whose pointer the result has; 0: none has. */
static unsigned source_of(const struct checker_hart *hart, const struct ear_semantics *op)
{
	const bool a = hart->pointers >> op->rs1 & 1;
	const bool b = op->imm == 0 && (hart->pointers >> op->rs2 & 1);

	if (a == b)
		return 0;
	if (op->kind == EAR_SEM_ADD)
		return a ? op->rs1 : op->rs2;
	if (op->kind == EAR_SEM_SUB)
		return a ? op->rs1 : 0;
	return op->kind >= EAR_SEM_SH1ADD && op->kind <= EAR_SEM_SH3ADD && b ? op->rs2 : 0;
}

/* auipc, lui. */
static bool is_upper_part(const struct ear_semantics *op)
{
	return op->kind == EAR_SEM_AUIPC || (op->kind == EAR_SEM_ADD && (op->rs1 | op->rs2) == 0);
}

/* addi after one of them, or with gp. */
static bool is_constant(const struct checker_hart *hart, const struct ear_semantics *op)
{
	return op->kind == EAR_SEM_ADD && op->rs2 == 0 &&
	       (op->rs1 == REG_GP || hart->uppers >> op->rs1 & 1);
}

/* Is the result an address that the program has as a constant, or in memory? Not what an unknown
 * pointer comes to by steps, as in the loop that clears .bss. GCC adds the distance of two
 * variables to the address of one. */
static bool is_address(const struct checker_hart *hart, const struct checker_step *step,
	const struct ear_semantics *op)
{
	const uint32_t from = 1u << op->rs1;
	const bool is_near = (hart->pointers & from) ||
			     ((hart->anchors & from) && (op->imm < 0 || op->imm > STEP_MAX));

	if (step->has_access)
		return !step->write;
	return op->rs2 == 0 && (is_constant(hart, op) || (step->rd != op->rs1 && is_near));
}

void ear_objects_result(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step, uint64_t result)
{
	const uint32_t bit = 1u << step->rd;
	struct ear_semantics op;

	ear_semantics_decode(&op, step->opcode, checker->xlen, EAR_SEMANTICS_ALL);
	const bool is_upper = !step->has_access && is_upper_part(&op);
	const bool constant = is_upper || (!step->has_access && is_constant(hart, &op));
	const bool address = is_upper || is_address(hart, step, &op);
	const unsigned source = step->has_access ? 0 : source_of(hart, &op);
	hart->uppers = is_upper ? hart->uppers | bit : hart->uppers & ~bit;
	hart->anchors = constant ? hart->anchors | bit : hart->anchors & ~bit;
	if (source != 0) {
		const struct pointed object = hart->objects[source];
		const bool is_in = result >= object.first && result < object.end;
		if (is_in)
			checker->insides[step->pc / 2 % INSIDES_MAX] =
				(struct inside){step->pc, object.first};
		if (is_in || was_inside(checker, step->pc, object.first)) {
			set(hart, step->rd, object.first, object.end);
			return;
		}
	}
	const struct object *object = address ? find(&checker->objects, result) : NULL;
	hart->pointers &= ~bit;
	if (object && object->is_base && object->first == result)
		set(hart, step->rd, object->first, object->end);
}

void ear_objects_access(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step, unsigned base)
{
	const struct pointed *object = &hart->objects[base];

	if (step->address >= object->first && step->address + step->size <= object->end) {
		checker->insides[step->pc / 2 % INSIDES_MAX] =
			(struct inside){step->pc, object->first};
		return;
	}
	if (step->address < object->end || hart->in_heap ||
		!was_inside(checker, step->pc, object->first))
		return;
	const struct object *own = find(&checker->objects, object->first);
	const struct object *hit = find(&checker->objects, step->address);
	if (!own || !hit)
		return;
	struct ear_memory_error *error =
		ear_checker_blame(checker, EAR_MEMORY_OBJECT, hart, step->pc);
	if (!error)
		return;
	error->address = step->address;
	error->size = step->size;
	error->write = step->write;
	error->limit = object->first;
	error->bytes = object->end - object->first;
	error->object = own->name;
	error->hit = hit->name;
}
