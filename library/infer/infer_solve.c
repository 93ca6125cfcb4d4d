/* All steps of a window at once. Each value that a register had is a variable: what one step wrote,
 * or what was there before the first one wrote. A step says something of three of them
 * (infer_refine.h), of its address, and of what it saw in memory, which is also what others saw
 * there (infer_links.h). Who learns something hands it on: steps wait in a queue until all that
 * they share a value with has been heard. So a chain of thousand steps is followed to its end in
 * one go, bit by bit if need be, which passes over the window would need thousand rounds for.
 *
 * Links need addresses that are known. Those which are found here serve in the next round.
 */
#include "library/infer/infer_solve.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "library/infer/infer_links.h"
#include "library/infer/infer_refine.h"

#define NONE           UINT32_MAX
#define TABLE_BITS     10u /* of an address that are not known: 1024 addresses */
#define SUMS           4u
#define CHAIN          8u
#define TURNS_PER_STEP 64u /* steps that are gone through, for each of the window: a bound */

struct variable {
	struct infer_value value;
	uint32_t first_use; /* 2 * step, and 1 for rs2 */
};

struct solver {
	struct infer_facts *steps;
	uint32_t count;
	struct infer_links links;
	struct infer_options options; /* not those of a reset */
	struct infer_memory constants;
	bool follows_memory;
	const struct ear_infer_snapshot *snapshot; /* of memory after the last step, or NULL */

	/* Of step i the variable i is what it writes; the others follow. */
	struct variable *variables;
	uint32_t variable_count;
	uint32_t (*operands)[2]; /* rs1 and rs2 of each step */
	uint32_t (*next_use)[2];
	struct infer_value *saw; /* of each step: what memory held, in the low bytes */
	uint32_t registers[32];  /* the variables that they are now; NONE: a new one */

	uint32_t *queue; /* a ring of count */
	bool *waits;
	uint32_t head, waiting;
};

static void *allocate(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

static int init(struct solver *solver, const struct ear_infer *infer, struct infer_facts *steps,
	uint32_t count)
{
	size_t variables = 3 * (size_t)count + 32;

	*solver = (struct solver){.steps = steps, .count = count};
	solver->follows_memory = !infer->memory.shared && !infer->memory.moved;
	solver->options = infer->options;
	solver->options.reset = false;
	int result = infer_memory_init(&solver->constants, &solver->options);
	if (result)
		return result;
	solver->constants.moved = !solver->follows_memory;
	for (size_t i = 0; i < solver->options.image_count; i++)
		solver->constants.written[i] = infer->memory.written[i];
	solver->variables = allocate(variables, sizeof(*solver->variables));
	solver->operands = allocate(count, sizeof(*solver->operands));
	solver->next_use = allocate(count, sizeof(*solver->next_use));
	solver->saw = allocate(count, sizeof(*solver->saw));
	solver->queue = allocate(count, sizeof(*solver->queue));
	solver->waits = allocate(count, sizeof(*solver->waits));
	if (!solver->variables || !solver->operands || !solver->next_use || !solver->saw ||
		!solver->queue || !solver->waits)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < variables; i++)
		solver->variables[i].first_use = NONE;
	solver->variable_count = count;
	for (unsigned i = 0; i < 32; i++)
		solver->registers[i] = NONE;
	return infer_links_init(&solver->links, steps, count);
}

static void fini(struct solver *solver)
{
	infer_memory_fini(&solver->constants);
	infer_links_fini(&solver->links);
	free(solver->variables);
	free(solver->operands);
	free(solver->next_use);
	free(solver->saw);
	free(solver->queue);
	free(solver->waits);
}

/* Who waits ----------------------------------------------------------------------------------- */

static void wait(struct solver *solver, uint32_t step)
{
	if (step >= solver->count || solver->waits[step] || !solver->steps[step].executed ||
		solver->steps[step].barrier)
		return;
	solver->waits[step] = true;
	solver->queue[(solver->head + solver->waiting++) % solver->count] = step;
}

static uint32_t next(struct solver *solver)
{
	uint32_t step = solver->queue[solver->head];

	solver->head = (solver->head + 1) % solver->count;
	solver->waiting--;
	solver->waits[step] = false;
	return step;
}

static void learn(struct solver *solver, uint32_t number, struct infer_value value)
{
	struct variable *variable = &solver->variables[number];

	if (!infer_learn(&variable->value, value))
		return;
	wait(solver, number); /* who wrote it, if it is a step */
	for (uint32_t use = variable->first_use; use != NONE;
		use = solver->next_use[use / 2][use % 2])
		wait(solver, use / 2);
}

/* The bytes that a link shares, of what the other one saw. */
static struct infer_value shared(
	const struct infer_link *link, unsigned side, struct infer_value saw)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * link->size);
	unsigned from = 8u * link->at[!side], to = 8u * link->at[side];

	return (struct infer_value){
		(saw.value >> from & mask) << to, (saw.known >> from & mask) << to};
}

static void see(struct solver *solver, uint32_t step, struct infer_value value)
{
	uint32_t number = solver->links.first[step];

	value.known &= UINT64_MAX >> (64 - 8 * solver->steps[step].size);
	value.value &= value.known;
	if (!infer_learn(&solver->saw[step], value))
		return;
	wait(solver, step);
	while (number != INFER_NO_LINK) {
		const struct infer_link *link = &solver->links.links[number];
		wait(solver, link->steps[link->steps[0] == step]);
		number = link->next[link->steps[0] != step];
	}
}

/* The steps and what they share --------------------------------------------------------------- */

static uint32_t get_variable(struct solver *solver, unsigned number)
{
	if (number == 0 || solver->registers[number] == NONE) {
		solver->registers[number] = solver->variable_count++;
		if (number == 0)
			solver->variables[solver->registers[0]].value = infer_exactly(0);
	}
	return solver->registers[number];
}

static void add_operand(struct solver *solver, uint32_t step, unsigned side, unsigned number)
{
	uint32_t variable = get_variable(solver, number);
	const struct infer_facts *facts = &solver->steps[step];

	solver->operands[step][side] = variable;
	infer_learn(&solver->variables[variable].value, side ? facts->b : facts->a);
	solver->next_use[step][side] = solver->variables[variable].first_use;
	solver->variables[variable].first_use = 2 * step + side;
}

static bool is_plain_store(const struct infer_facts *step)
{
	return step->op.kind >= EAR_SEM_SB && step->op.kind <= EAR_SEM_SD;
}

static bool is_followed(const struct solver *solver, const struct infer_facts *step)
{
	return infer_is_known(step->address) &&
	       infer_memory_is_ram(&solver->constants, step->address.value, step->size);
}

static void add_access(struct solver *solver, uint32_t step)
{
	const struct infer_facts *facts = &solver->steps[step];
	const bool known = infer_is_known(facts->address);
	const bool stores = !facts->loads || facts->op.kind == EAR_SEM_AMO;

	if (facts->loads)
		infer_learn(&solver->saw[step], facts->loaded);
	if (!solver->follows_memory || (known && !is_followed(solver, facts)))
		return;
	if (facts->loads && known)
		infer_links_load(&solver->links, step);
	if (!stores)
		return;
	if (!known)
		infer_links_wild(&solver->links, step);
	else if (is_plain_store(facts) || facts->op.kind == EAR_SEM_FSTORE)
		infer_links_store(&solver->links, step);
	else
		infer_links_lose(&solver->links, step);
}

static void forget(struct solver *solver, uint32_t step)
{
	for (unsigned i = 0; i < 32; i++)
		solver->registers[i] = NONE;
	infer_links_forget(&solver->links, step);
}

static void add_step(struct solver *solver, uint32_t step)
{
	const struct infer_facts *facts = &solver->steps[step];

	if (facts->barrier) {
		forget(solver, step);
		return;
	}
	if (!facts->executed)
		return;
	add_operand(solver, step, 0, facts->op.rs1);
	add_operand(solver, step, 1, facts->op.rs2);
	if (facts->size > 0)
		add_access(solver, step);
	if (facts->writes_x) {
		solver->variables[step].value = facts->result;
		solver->registers[facts->op.rd] = step;
	}
}

static void hold(struct solver *solver, const struct ear_infer_held *held)
{
	for (unsigned i = 1; i < 32; i++)
		infer_learn(&solver->variables[get_variable(solver, i)].value,
			infer_exactly(held->x[i]));
}

/* What memory holds after the last step. */
static void hold_memory(struct solver *solver, const struct ear_infer_snapshot *snapshot)
{
	for (uint32_t i = 0; i < solver->count; i++) {
		const struct infer_facts *step = &solver->steps[i];
		if (step->size == 0 || step->barrier || !is_followed(solver, step))
			continue;
		struct infer_value value =
			infer_snapshot_load(snapshot, step->address.value, step->size);
		for (unsigned k = 0; k < step->size; k++)
			if (!infer_links_is_last(&solver->links, i, k, infer_byte(value, k)))
				value.known &= ~(UINT64_C(0xff) << 8 * k);
		value.value &= value.known;
		infer_learn(&solver->saw[i], value);
	}
}

static int build(struct solver *solver, const struct ear_infer *infer, const struct infer_end *end)
{
	const struct infer_hart *hart = infer->harts[0];

	solver->snapshot = end && solver->follows_memory ? end->memory : NULL;
	for (uint32_t i = 0; i < solver->count; i++) {
		if (end && end->at == i)
			hold(solver, end->held);
		add_step(solver, i);
	}
	if (end && end->at == solver->count)
		hold(solver, end->held);
	for (unsigned i = 1; i < 32; i++)
		if (solver->registers[i] != NONE)
			infer_learn(&solver->variables[solver->registers[i]].value, hart->x[i]);
	if (solver->snapshot)
		hold_memory(solver, solver->snapshot);
	return solver->links.failed ? EAR_E_NO_MEMORY : 0;
}

/* One step ------------------------------------------------------------------------------------ */

static void take_access(struct solver *solver, uint32_t step, struct infer_value *a,
	struct infer_value *b, struct infer_value *result)
{
	struct infer_facts *facts = &solver->steps[step];
	struct infer_value imm = infer_exactly((uint64_t)(int64_t)facts->op.imm);
	struct infer_value sum = *a;
	unsigned bits = 8u * facts->size;

	infer_refine(EAR_SEM_ADD, facts->xlen, false, &sum, &imm, &facts->address);
	*a = sum;
	for (uint32_t at = solver->links.first[step]; at != INFER_NO_LINK;) {
		const struct infer_link *link = &solver->links.links[at];
		unsigned side = link->steps[0] != step;
		see(solver, step, shared(link, side, solver->saw[link->steps[!side]]));
		at = link->next[side];
	}
	if (facts->loads && infer_is_known(facts->address))
		see(solver, step,
			infer_memory_load(&solver->constants, facts->address.value, facts->size));
	if (facts->loads && facts->writes_x) {
		bool zeros = facts->op.kind == EAR_SEM_LBU || facts->op.kind == EAR_SEM_LHU ||
			     facts->op.kind == EAR_SEM_LWU;
		see(solver, step, *result);
		struct infer_value seen = zeros ? infer_zero_extend(solver->saw[step], bits)
						: infer_sign_extend(solver->saw[step], bits);
		infer_learn(result, infer_to_xlen(seen, facts->xlen));
	} else if (is_plain_store(facts)) {
		see(solver, step, *b);
		infer_learn(b, solver->saw[step]);
	}
}

static void take(struct solver *solver, uint32_t step)
{
	struct infer_facts *facts = &solver->steps[step];
	const uint32_t *operands = solver->operands[step];
	const enum ear_semantics_kind kind = (enum ear_semantics_kind)facts->op.kind;
	struct infer_value a = solver->variables[operands[0]].value;
	struct infer_value b = solver->variables[operands[1]].value;
	struct infer_value result = solver->variables[step].value;
	bool same = operands[0] == operands[1];

	if (facts->size > 0) {
		take_access(solver, step, &a, &b, &result);
	} else if (kind >= EAR_SEM_ADD && facts->op.rs2 == 0) {
		struct infer_value imm =
			infer_to_xlen(infer_exactly((uint64_t)(int64_t)facts->op.imm), facts->xlen);
		infer_refine(kind, facts->xlen, false, &a, &imm, &result);
	} else if (kind >= EAR_SEM_ADD) {
		infer_refine(kind, facts->xlen, same, &a, &b, &result);
	} else if (facts->branched && !same) {
		infer_refine_branch(kind, facts->xlen, facts->taken, &a, &b);
	}
	learn(solver, operands[0], a);
	learn(solver, operands[1], b);
	if (facts->writes_x)
		learn(solver, step, result);
}

/* Tables -------------------------------------------------------------------------------------- */

/* What memory holds there when the step sees it, as far as that does not depend on other steps. */
static struct infer_value remembered(
	struct solver *solver, uint32_t step, uint64_t address, unsigned size)
{
	struct infer_value value = infer_memory_load(&solver->constants, address, size);
	struct infer_value later;

	if (infer_is_known(infer_zero_extend(value, 8 * size)) || !solver->snapshot ||
		!solver->follows_memory || !infer_memory_is_ram(&solver->constants, address, size))
		return value;
	later = infer_snapshot_load(solver->snapshot, address, size);
	for (unsigned k = 0; k < size; k++)
		if (!infer_links_is_untouched(
			    &solver->links, step, address + k, infer_byte(later, k)))
			later.known &= ~(UINT64_C(0xff) << 8 * k);
	later.value &= later.known;
	infer_learn(&value, later);
	return value;
}

static uint64_t to_register(const struct infer_facts *step, uint64_t value)
{
	return step->xlen == 32 ? (uint32_t)value : value;
}

/* Can rs1 of this step hold the value? It is followed back through sums of which one operand is
 * known: an index into a table is small, which the bits of the sum do not show. */
static bool is_possible(const struct solver *solver, uint32_t step, uint64_t value)
{
	uint32_t number = solver->operands[step][0];

	for (unsigned depth = 0; depth < SUMS && number < solver->count; depth++) {
		const struct infer_facts *sum = &solver->steps[number];
		const uint32_t *operands = solver->operands[number];
		struct infer_value a = solver->variables[operands[0]].value;
		struct infer_value b = solver->variables[operands[1]].value;
		bool from_b = !infer_is_known(a);
		if (sum->op.kind != EAR_SEM_ADD || (from_b && !infer_is_known(b)))
			return true;
		value -= (uint64_t)(int64_t)sum->op.imm + (from_b ? b.value : a.value);
		value = to_register(sum, value);
		if (infer_differs(from_b ? a : b, infer_exactly(value)))
			return false;
		number = operands[!from_b];
	}
	return true;
}

/* What an address is computed from: a chain of variables, each by one operation from the one after
 * it, whose other operand is known. The last one is the root. */
struct chain {
	uint32_t variables[CHAIN];
	unsigned root;
	struct infer_tried tried[CHAIN];
};

static unsigned missing_bits(struct infer_value value)
{
	return (unsigned)__builtin_popcountll(~value.known);
}

/* The operand of a computation by which its result is found, if the other one is known; NONE. */
static uint32_t find_source(const struct solver *solver, uint32_t number)
{
	const struct infer_facts *facts;
	const uint32_t *operands;
	bool a, b;

	if (number >= solver->count)
		return NONE;
	facts = &solver->steps[number];
	operands = solver->operands[number];
	if (!facts->executed || facts->barrier || facts->op.kind < EAR_SEM_ADD)
		return NONE;
	a = infer_is_known(solver->variables[operands[0]].value);
	b = facts->op.rs2 == 0 || infer_is_known(solver->variables[operands[1]].value);
	if (!a && (b || operands[0] == operands[1]))
		return operands[0];
	return a && !b ? operands[1] : NONE;
}

/* The result of step number, if its source holds this. */
static uint64_t compute_from(
	const struct solver *solver, uint32_t number, uint32_t source, uint64_t value)
{
	const struct infer_facts *facts = &solver->steps[number];
	const uint32_t *operands = solver->operands[number];
	const enum ear_semantics_kind kind = (enum ear_semantics_kind)facts->op.kind;
	uint64_t a = operands[0] == source ? value : solver->variables[operands[0]].value.value;
	uint64_t b = operands[1] == source ? value : solver->variables[operands[1]].value.value;

	if (facts->op.rs2 == 0)
		b = to_register(facts, (uint64_t)(int64_t)facts->op.imm);
	return facts->xlen == 32 ? ear_semantics_compute_32(kind, a, b)
				 : ear_semantics_compute_64(kind, a, b);
}

/* The root is the one of which the fewest bits are missing: an index of a byte has eight of them,
 * and its sum with an address may have any, since it is not known how far a carry goes. */
static void find_chain(const struct solver *solver, uint32_t number, struct chain *chain)
{
	unsigned count = 0, fewest = 65;

	*chain = (struct chain){.root = 0};
	for (; number != NONE && count < CHAIN; number = find_source(solver, number)) {
		unsigned bits = missing_bits(solver->variables[number].value);
		chain->variables[count] = number;
		if (bits < fewest) {
			fewest = bits;
			chain->root = count;
		}
		count++;
	}
}

/* Each variable of the chain, if the root holds this. False: one of them cannot. */
static bool follow_chain(const struct solver *solver, const struct chain *chain, uint64_t value,
	uint64_t values[CHAIN])
{
	values[chain->root] = value;
	for (unsigned i = chain->root; i > 0; i--) {
		const uint32_t number = chain->variables[i - 1];
		values[i - 1] = compute_from(solver, number, chain->variables[i], values[i]);
		if (infer_differs(solver->variables[number].value, infer_exactly(values[i - 1])))
			return false;
	}
	return true;
}

/* A load from a table: of the addresses that are possible only some hold what it saw. The target of
 * a jump says so which entry of its table was taken. */
static void look_up(struct solver *solver, uint32_t step)
{
	struct infer_facts *facts = &solver->steps[step];
	struct infer_value saw = solver->saw[step], root;
	uint64_t imm = (uint64_t)(int64_t)facts->op.imm, values[CHAIN];
	struct infer_tried addresses = {0, 0}, loaded = {0, 0};
	struct chain chain;

	if (infer_is_known(facts->address))
		return;
	find_chain(solver, solver->operands[step][0], &chain);
	root = solver->variables[chain.variables[chain.root]].value;
	unsigned bits = missing_bits(root);
	uint8_t known = (uint8_t)(64 - bits + (unsigned)__builtin_popcountll(saw.known));
	if (bits > TABLE_BITS || known == facts->looked)
		return;
	facts->looked = known;
	for (unsigned i = 0; i < 1u << bits; i++) {
		struct infer_value held;
		if (!follow_chain(solver, &chain, infer_choose(root, ~root.known, i), values))
			continue;
		uint64_t address = to_register(facts, values[0] + imm);
		if (infer_differs(facts->address, infer_exactly(address)) ||
			!is_possible(solver, step, values[0]))
			continue;
		held = remembered(solver, step, address, facts->size);
		if (infer_differs(held, saw))
			continue;
		infer_try(&addresses, infer_exactly(address));
		infer_try(&loaded, held);
		for (unsigned k = 0; k <= chain.root; k++)
			infer_try(&chain.tried[k], infer_exactly(values[k]));
	}
	if (infer_learn(&facts->address, infer_tried(&addresses)))
		wait(solver, step);
	for (unsigned k = 0; k <= chain.root; k++)
		learn(solver, chain.variables[k], infer_tried(&chain.tried[k]));
	see(solver, step, infer_tried(&loaded));
}

static void look_up_all(struct solver *solver)
{
	for (uint32_t i = solver->count; i > 0; i--) {
		const struct infer_facts *step = &solver->steps[i - 1];
		if (step->executed && !step->barrier && step->loads)
			look_up(solver, i - 1);
	}
}

/* Returns whether a fact says more than before. */
static bool keep(struct solver *solver)
{
	bool more = false;

	for (uint32_t i = 0; i < solver->count; i++) {
		struct infer_facts *step = &solver->steps[i];
		if (step->barrier || !step->executed)
			continue;
		more |= infer_learn(&step->a, solver->variables[solver->operands[i][0]].value);
		more |= infer_learn(&step->b, solver->variables[solver->operands[i][1]].value);
		if (step->writes_x)
			more |= infer_learn(&step->result, solver->variables[i].value);
		if (step->loads)
			more |= infer_learn(&step->loaded, solver->saw[i]);
	}
	return more;
}

int infer_solve(const struct ear_infer *infer, struct infer_facts *steps, size_t count,
	const struct infer_end *end)
{
	struct solver solver;
	uint64_t turns = TURNS_PER_STEP * (uint64_t)count;
	int result = init(&solver, infer, steps, (uint32_t)count);

	if (result == 0)
		result = build(&solver, infer, end);
	for (size_t i = count; result == 0 && i > 0; i--)
		wait(&solver, (uint32_t)(i - 1));
	while (result == 0 && solver.waiting > 0 && turns > 0) {
		for (; solver.waiting > 0 && turns > 0; turns--)
			take(&solver, next(&solver));
		look_up_all(&solver);
	}
	if (result == 0)
		result = keep(&solver);
	fini(&solver);
	return result;
}
