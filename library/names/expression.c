/* A stack machine for DWARF expressions. The generic type has the width of the machine; of base
 * types integers are known, by their size and sign when a value is made or converted.
 */
#include "library/names/expression.h"

#include <dwarf.h>
#include <string.h>

#include "library/names/helper_message.h"
#include "library/names/wire.h"

#define STACK_MAX 64
#define STEPS_MAX 10000

static const char depends[] = "it depends on the moment";
static const char no_register[] = "a register that it needs is not known";
static const char no_memory[] = "memory that it needs is not known";
static const char damaged[] = "the debug information is damaged";
static const char unknown[] = "the debug information uses an operation that is not known here";
static const char optimized[] = "optimized out";
static const char at_entry[] = "only its value at the function's entry is recorded";

struct op {
	uint32_t atom, offset;
	uint64_t number, number2;
};

struct machine {
	const struct ear_ops *ops;
	const struct ear_expression_context *context;
	struct ear_places *places;
	uint64_t stack[STACK_MAX];
	unsigned depth;
	struct ear_piece piece; /* what the operations since the last piece gave */
	bool has_piece;         /* a register, a value or bytes; else the top is an address */
	bool in_base;           /* the frame's base: it must not need itself */
	const char *why;
};

static bool fail(struct machine *machine, const char *why)
{
	machine->why = why;
	return false;
}

static struct op op_at(const struct ear_ops *ops, uint32_t i)
{
	const uint8_t *at = ops->rows + (size_t)i * EAR_OP_ROW;

	return (struct op){ear_wire_get_u32(at), ear_wire_get_u32(at + 4), ear_wire_get_u64(at + 8),
		ear_wire_get_u64(at + 16)};
}

static uint64_t fit(const struct machine *machine, uint64_t value)
{
	return machine->context->xlen == 32 ? (uint32_t)value : value;
}

static bool push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_MAX)
		return fail(machine, damaged);
	machine->stack[machine->depth++] = fit(machine, value);
	return true;
}

static bool pop(struct machine *machine, uint64_t *value)
{
	if (machine->depth == 0)
		return fail(machine, damaged);
	*value = machine->stack[--machine->depth];
	return true;
}

static int64_t with_sign(const struct machine *machine, uint64_t value)
{
	return machine->context->xlen == 32 ? (int32_t)value : (int64_t)value;
}

static bool push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	const struct ear_moment_view *moment = machine->context->moment;
	uint64_t value;

	if (!moment)
		return fail(machine, depends);
	if (number > UINT32_MAX ||
		!moment->read_register(moment->context, (unsigned)number, &value))
		return fail(machine, no_register);
	return push(machine, value + offset);
}

static bool load(struct machine *machine, uint64_t size)
{
	const struct ear_moment_view *moment = machine->context->moment;
	uint8_t bytes[8] = {0}, known[8];
	uint64_t address;

	if (!moment)
		return fail(machine, depends);
	if (!pop(machine, &address))
		return false;
	if (size == 0 || size > 8)
		return fail(machine, damaged);
	if (!moment->read_memory(moment->context, address, bytes, known, (size_t)size))
		return fail(machine, no_memory);
	for (size_t i = 0; i < size; i++)
		if (!known[i])
			return fail(machine, no_memory);
	return push(machine, ear_wire_get_u64(bytes));
}

/* A value of a base type: its size, plus 256 if it is signed (helper_message.h). */
static bool convert(struct machine *machine, uint64_t type)
{
	unsigned size = type & 255;
	uint64_t value;

	if (type == 0)
		return true;
	if (type >= 512 || size == 0 || size > 8)
		return fail(machine, unknown);
	if (!pop(machine, &value))
		return false;
	if (size < 8) {
		value &= (UINT64_C(1) << 8 * size) - 1;
		if (type & 256 && value >> (8 * size - 1))
			value |= UINT64_MAX << 8 * size;
	}
	return push(machine, value);
}

static bool push_cfa(struct machine *machine)
{
	const struct ear_expression_context *context = machine->context;
	uint64_t cfa;

	if (!context->moment)
		return fail(machine, depends);
	if (context->moment->has_cfa)
		return push(machine, context->moment->cfa);
	if (!context->find_cfa || !context->find_cfa(context->context, &cfa))
		return fail(machine, "the frame of its function is not known");
	return push(machine, cfa);
}

static bool evaluate(struct machine *machine);

static bool push_frame_base(struct machine *machine, uint64_t offset)
{
	struct ear_places places;
	uint64_t base;

	if (machine->in_base || machine->context->frame_base.count == 0)
		return fail(machine, damaged);
	struct machine inner = {.ops = &machine->context->frame_base,
		.context = machine->context,
		.places = &places,
		.in_base = true};
	if (!evaluate(&inner))
		return fail(machine, inner.why);
	if (places.count != 1)
		return fail(machine, damaged);
	base = places.pieces[0].value;
	if (places.pieces[0].kind == EAR_PIECE_REGISTER)
		return push_register(machine, base, offset);
	if (places.pieces[0].kind != EAR_PIECE_MEMORY && places.pieces[0].kind != EAR_PIECE_VALUE)
		return fail(machine, damaged);
	return push(machine, base + offset);
}

/* ---- Operations ---- */

static bool divide(struct machine *machine, uint64_t a, uint64_t b)
{
	int64_t left = with_sign(machine, a), right = with_sign(machine, b);

	if (right == 0)
		return fail(machine, damaged);
	return push(machine, right == -1 ? 0 - a : (uint64_t)(left / right));
}

static uint64_t shift(const struct machine *machine, uint32_t atom, uint64_t a, uint64_t b)
{
	if (b >= machine->context->xlen)
		return atom == DW_OP_shra && with_sign(machine, a) < 0 ? UINT64_MAX : 0;
	if (atom == DW_OP_shl)
		return a << b;
	return atom == DW_OP_shr ? a >> b : (uint64_t)(with_sign(machine, a) >> b);
}

static uint64_t compare(const struct machine *machine, uint32_t atom, uint64_t a, uint64_t b)
{
	int64_t left = with_sign(machine, a), right = with_sign(machine, b);

	switch (atom) {
	case DW_OP_eq: return left == right;
	case DW_OP_ne: return left != right;
	case DW_OP_lt: return left < right;
	case DW_OP_le: return left <= right;
	case DW_OP_gt: return left > right;
	default: return left >= right;
	}
}

static bool run_binary(struct machine *machine, uint32_t atom)
{
	uint64_t a, b;

	if (!pop(machine, &b) || !pop(machine, &a))
		return false;
	switch (atom) {
	case DW_OP_and: return push(machine, a & b);
	case DW_OP_or: return push(machine, a | b);
	case DW_OP_xor: return push(machine, a ^ b);
	case DW_OP_plus: return push(machine, a + b);
	case DW_OP_minus: return push(machine, a - b);
	case DW_OP_mul: return push(machine, a * b);
	case DW_OP_div: return divide(machine, a, b);
	case DW_OP_mod: return b ? push(machine, a % b) : fail(machine, damaged);
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra: return push(machine, shift(machine, atom, a, b));
	default: return push(machine, compare(machine, atom, a, b));
	}
}

static bool run_unary(struct machine *machine, const struct op *op)
{
	uint64_t value;

	if (!pop(machine, &value))
		return false;
	switch (op->atom) {
	case DW_OP_abs: return push(machine, with_sign(machine, value) < 0 ? 0 - value : value);
	case DW_OP_neg: return push(machine, 0 - value);
	case DW_OP_not: return push(machine, ~value);
	default: return push(machine, value + op->number); /* plus_uconst */
	}
}

static bool pick(struct machine *machine, uint64_t depth)
{
	if (depth >= machine->depth)
		return fail(machine, damaged);
	return push(machine, machine->stack[machine->depth - 1 - depth]);
}

static bool run_stack(struct machine *machine, const struct op *op)
{
	uint64_t *top = machine->stack + machine->depth;

	if (op->atom == DW_OP_swap && machine->depth >= 2) {
		uint64_t kept = top[-1];
		top[-1] = top[-2];
		top[-2] = kept;
		return true;
	}
	if (op->atom == DW_OP_rot && machine->depth >= 3) {
		uint64_t kept = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = kept;
		return true;
	}
	return fail(machine, damaged);
}

static bool set_piece(struct machine *machine, struct ear_piece piece)
{
	if (machine->has_piece)
		return fail(machine, damaged);
	machine->piece = piece;
	machine->has_piece = true;
	return true;
}

static bool set_bytes(struct machine *machine, const struct op *op)
{
	if (op->number2 > machine->ops->byte_count ||
		op->number > machine->ops->byte_count - op->number2)
		return fail(machine, damaged);
	return set_piece(machine, (struct ear_piece){.kind = EAR_PIECE_BYTES,
					  .bytes = machine->ops->bytes + op->number2,
					  .size = op->number});
}

static bool set_value(struct machine *machine)
{
	uint64_t value;

	return pop(machine, &value) &&
	       set_piece(machine,
		       (struct ear_piece){
			       .kind = EAR_PIECE_VALUE, .value = value, .size = UINT64_MAX});
}

/* What there is now is the next piece; nothing is one that was optimized out. */
static bool end_piece(struct machine *machine, uint64_t size)
{
	struct ear_piece piece = {.kind = EAR_PIECE_NONE};

	if (machine->places->count == EAR_PIECES_MAX)
		return fail(machine, unknown);
	if (machine->has_piece) {
		piece = machine->piece;
	} else if (machine->depth > 0) {
		piece.kind = EAR_PIECE_MEMORY;
		pop(machine, &piece.value);
	}
	if (piece.kind == EAR_PIECE_BYTES && size > piece.size)
		return fail(machine, damaged);
	piece.size = size;
	machine->has_piece = false;
	machine->places->pieces[machine->places->count++] = piece;
	return true;
}

static bool set_register(struct machine *machine, uint64_t number)
{
	return set_piece(
		machine, (struct ear_piece){
				 .kind = EAR_PIECE_REGISTER, .value = number, .size = UINT64_MAX});
}

static bool run_other(struct machine *machine, const struct op *op)
{
	switch (op->atom) {
	case DW_OP_nop: return true;
	case DW_OP_regx: return set_register(machine, op->number);
	case DW_OP_bregx: return push_register(machine, op->number, op->number2);
	case DW_OP_fbreg: return push_frame_base(machine, op->number);
	case DW_OP_call_frame_cfa: return push_cfa(machine);
	case DW_OP_piece: return end_piece(machine, op->number);
	case DW_OP_bit_piece:
		return op->number % 8 == 0 && op->number2 == 0 ? end_piece(machine, op->number / 8)
							       : fail(machine, unknown);
	case DW_OP_implicit_value: return set_bytes(machine, op);
	case DW_OP_stack_value: return set_value(machine);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret: return convert(machine, op->number2);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_register(machine, op->number, 0) && convert(machine, op->number2);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return load(machine, op->number) && convert(machine, op->number2);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value: return fail(machine, at_entry);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: return fail(machine, optimized);
	default: return fail(machine, unknown);
	}
}

static bool run_op(struct machine *machine, const struct op *op)
{
	uint64_t ignored;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return set_register(machine, op->atom - DW_OP_reg0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return push(machine, op->number);
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index: return push(machine, op->number + machine->context->offset);
	case DW_OP_constx:
	case DW_OP_GNU_const_index: return push(machine, op->number);
	case DW_OP_deref: return load(machine, machine->context->xlen / 8);
	case DW_OP_deref_size: return load(machine, op->number);
	case DW_OP_dup: return pick(machine, 0);
	case DW_OP_over: return pick(machine, 1);
	case DW_OP_pick: return pick(machine, op->number);
	case DW_OP_drop: return pop(machine, &ignored);
	case DW_OP_swap:
	case DW_OP_rot: return run_stack(machine, op);
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst: return run_unary(machine, op);
	case DW_OP_and:
	case DW_OP_div:
	case DW_OP_minus:
	case DW_OP_mod:
	case DW_OP_mul:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne: return run_binary(machine, op->atom);
	default: return run_other(machine, op);
	}
}

/* The operation that a branch at i goes to; its number counts bytes from behind it. */
static bool branch(struct machine *machine, const struct op *op, uint32_t *i)
{
	uint64_t target = op->offset + 3 + (uint64_t)(int64_t)(int16_t)op->number, taken = 1;

	if (op->atom == DW_OP_bra && !pop(machine, &taken))
		return false;
	if (!taken)
		return true;
	for (uint32_t at = 0; at < machine->ops->count; at++)
		if (op_at(machine->ops, at).offset == target) {
			*i = at - 1;
			return true;
		}
	*i = machine->ops->count - 1; /* to the end, or damaged */
	return true;
}

static bool evaluate(struct machine *machine)
{
	machine->places->count = 0;
	for (uint32_t i = 0, steps = 0; i < machine->ops->count; i++) {
		struct op op = op_at(machine->ops, i);
		bool is_branch = op.atom == DW_OP_skip || op.atom == DW_OP_bra;

		if (++steps > STEPS_MAX)
			return fail(machine, damaged);
		if (is_branch ? !branch(machine, &op, &i) : !run_op(machine, &op))
			return false;
	}
	if (machine->places->count > 0)
		return true;
	if (!machine->has_piece && machine->depth == 0)
		return fail(machine, optimized);
	if (!end_piece(machine, machine->has_piece ? machine->piece.size : UINT64_MAX))
		return false;
	return true;
}

const char *ear_expression_run(struct ear_places *places, const struct ear_ops *ops,
	const struct ear_expression_context *context, bool has_first, uint64_t first)
{
	struct machine machine = {.ops = ops, .context = context, .places = places};

	if (has_first)
		push(&machine, first);
	return evaluate(&machine) ? NULL : machine.why;
}

/* ---- Bytes ---- */

static const char *read_number(
	uint64_t value, size_t width, uint64_t skip, uint8_t *bytes, uint8_t *known, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		known[i] = skip + i < width;
		bytes[i] = known[i] ? (uint8_t)(value >> 8 * (skip + i)) : 0;
	}
	return size == 0 || known[size - 1] ? NULL : damaged;
}

static const char *read_memory(const struct ear_expression_context *context, uint64_t address,
	uint8_t *bytes, uint8_t *known, size_t size)
{
	const struct ear_moment_view *moment = context->moment;

	if (!moment)
		return depends;
	if (!moment->read_memory(moment->context, address, bytes, known, size)) {
		memset(known, 0, size);
		memset(bytes, 0, size);
		return no_memory;
	}
	return memchr(known, 0, size) ? no_memory : NULL;
}

static const char *read_piece(const struct ear_piece *piece,
	const struct ear_expression_context *context, uint64_t skip, uint8_t *bytes, uint8_t *known,
	size_t size)
{
	const struct ear_moment_view *moment = context->moment;
	uint64_t value = piece->value;

	memset(known, 0, size);
	memset(bytes, 0, size);
	switch (piece->kind) {
	case EAR_PIECE_MEMORY: return read_memory(context, piece->value + skip, bytes, known, size);
	case EAR_PIECE_REGISTER:
		if (!moment)
			return depends;
		if (!moment->read_register(moment->context, (unsigned)piece->value, &value))
			return no_register;
		return read_number(value, 8, skip, bytes, known, size);
	case EAR_PIECE_VALUE: return read_number(value, 8, skip, bytes, known, size);
	case EAR_PIECE_BYTES:
		if (skip > piece->size || size > piece->size - skip)
			return damaged;
		memcpy(bytes, piece->bytes + skip, size);
		memset(known, 1, size);
		return NULL;
	case EAR_PIECE_NONE: return optimized;
	}
	return damaged;
}

const char *ear_places_read(const struct ear_places *places,
	const struct ear_expression_context *context, uint64_t skip, uint8_t *bytes, uint8_t *known,
	size_t size)
{
	const char *why = NULL;

	for (unsigned i = 0; i < places->count && size > 0; i++) {
		const struct ear_piece *piece = &places->pieces[i];
		bool is_last = i + 1 == places->count;

		if (!is_last && skip >= piece->size) {
			skip -= piece->size;
			continue;
		}
		uint64_t room = piece->size > skip ? piece->size - skip : 0;
		size_t part = size < room ? size : (size_t)room;
		const char *wrong = read_piece(piece, context, skip, bytes, known, part);
		why = why ? why : wrong;
		skip = 0;
		bytes += part;
		known += part;
		size -= part;
	}
	if (size == 0)
		return why;
	memset(known, 0, size);
	memset(bytes, 0, size);
	return why ? why : damaged;
}
