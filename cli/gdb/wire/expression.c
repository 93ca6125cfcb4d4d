/* Agent expressions: a stack of 64-bit values. Numbers in the code have their highest byte first,
 * memory its lowest. The opcodes are those of the GDB manual, "Bytecode Descriptions".
 */
#include "cli/gdb/wire/expression.h"

enum opcode {
	OP_ADD = 0x02,
	OP_SUB = 0x03,
	OP_MUL = 0x04,
	OP_DIV_SIGNED = 0x05,
	OP_DIV_UNSIGNED = 0x06,
	OP_REM_SIGNED = 0x07,
	OP_REM_UNSIGNED = 0x08,
	OP_LSH = 0x09,
	OP_RSH_SIGNED = 0x0a,
	OP_RSH_UNSIGNED = 0x0b,
	OP_LOG_NOT = 0x0e,
	OP_BIT_AND = 0x0f,
	OP_BIT_OR = 0x10,
	OP_BIT_XOR = 0x11,
	OP_BIT_NOT = 0x12,
	OP_EQUAL = 0x13,
	OP_LESS_SIGNED = 0x14,
	OP_LESS_UNSIGNED = 0x15,
	OP_EXT = 0x16,
	OP_REF8 = 0x17,
	OP_REF16 = 0x18,
	OP_REF32 = 0x19,
	OP_REF64 = 0x1a,
	OP_IF_GOTO = 0x20,
	OP_GOTO = 0x21,
	OP_CONST8 = 0x22,
	OP_CONST16 = 0x23,
	OP_CONST32 = 0x24,
	OP_CONST64 = 0x25,
	OP_REG = 0x26,
	OP_END = 0x27,
	OP_DUP = 0x28,
	OP_POP = 0x29,
	OP_ZERO_EXT = 0x2a,
	OP_SWAP = 0x2b,
	OP_PICK = 0x32,
	OP_ROT = 0x33,
};

struct machine {
	const uint8_t *code;
	size_t size, at; /* of the next instruction, or of what follows it */
	const struct ear_gdb_readers *readers;
	uint64_t stack[EAR_GDB_EXPRESSION_STACK];
	size_t depth;
	enum ear_gdb_value result; /* other than VALUE: it has ended */
	uint64_t cause;            /* the value of that */
};

static void stop(struct machine *machine, enum ear_gdb_value result, uint64_t cause)
{
	if (machine->result == EAR_GDB_VALUE) {
		machine->result = result;
		machine->cause = cause;
	}
}

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == EAR_GDB_EXPRESSION_STACK)
		stop(machine, EAR_GDB_TOO_LONG, machine->at);
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (machine->depth > 0)
		return machine->stack[--machine->depth];
	stop(machine, EAR_GDB_BAD_CODE, machine->at);
	return 0;
}

/* A number in the code. */
static uint64_t take(struct machine *machine, unsigned size)
{
	uint64_t value = 0;

	if (machine->size - machine->at < size) {
		stop(machine, EAR_GDB_BAD_CODE, machine->at);
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | machine->code[machine->at++];
	return value;
}

static void jump(struct machine *machine, uint64_t to)
{
	if (to >= machine->size)
		stop(machine, EAR_GDB_BAD_CODE, machine->at);
	else
		machine->at = (size_t)to;
}

static void divide(struct machine *machine, unsigned opcode, uint64_t a, uint64_t b)
{
	bool overflows = a == (uint64_t)INT64_MIN && b == UINT64_MAX;

	if (b == 0) {
		stop(machine, EAR_GDB_DIVIDED_BY_0, machine->at);
		return;
	}
	switch (opcode) {
	case OP_DIV_SIGNED:
		push(machine, overflows ? a : (uint64_t)((int64_t)a / (int64_t)b));
		break;
	case OP_DIV_UNSIGNED: push(machine, a / b); break;
	case OP_REM_SIGNED:
		push(machine, overflows ? 0 : (uint64_t)((int64_t)a % (int64_t)b));
		break;
	default: push(machine, a % b); break;
	}
}

static uint64_t shift(unsigned opcode, uint64_t a, uint64_t b)
{
	uint64_t sign = (uint64_t)0 - (a >> 63);

	if (b == 0)
		return a;
	if (b > 63)
		return opcode == OP_RSH_SIGNED ? sign : 0;
	switch (opcode) {
	case OP_LSH: return a << b;
	case OP_RSH_SIGNED: return a >> b | sign << (64 - b);
	default: return a >> b;
	}
}

static uint64_t combine(unsigned opcode, uint64_t a, uint64_t b)
{
	switch (opcode) {
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_BIT_AND: return a & b;
	case OP_BIT_OR: return a | b;
	case OP_BIT_XOR: return a ^ b;
	case OP_EQUAL: return a == b;
	case OP_LESS_SIGNED: return (int64_t)a < (int64_t)b;
	default: return a < b; /* OP_LESS_UNSIGNED */
	}
}

/* The lowest bits of a value. */
static uint64_t extend(uint64_t value, uint64_t bits, bool sign)
{
	if (bits == 0 || bits > 63)
		return value;
	uint64_t mask = ((uint64_t)1 << bits) - 1, top = (uint64_t)1 << (bits - 1);
	value &= mask;
	return sign && value & top ? value | ~mask : value;
}

static void reference(struct machine *machine, unsigned size)
{
	const struct ear_gdb_readers *readers = machine->readers;
	uint64_t address = pop(machine), value = 0;
	uint8_t bytes[8];

	if (machine->result != EAR_GDB_VALUE)
		return;
	if (!readers->read_memory(readers->context, address, bytes, size)) {
		stop(machine, EAR_GDB_NO_MEMORY, address);
		return;
	}
	for (unsigned i = size; i-- > 0;)
		value = value << 8 | bytes[i];
	push(machine, value);
}

static void read_register(struct machine *machine)
{
	const struct ear_gdb_readers *readers = machine->readers;
	unsigned number = (unsigned)take(machine, 2);
	uint64_t value = 0;

	if (machine->result != EAR_GDB_VALUE)
		return;
	if (readers->read_register(readers->context, number, &value))
		push(machine, value);
	else
		stop(machine, EAR_GDB_NO_REGISTER, number);
}

static void pick(struct machine *machine)
{
	uint64_t from_top = take(machine, 1);

	if (from_top < machine->depth)
		push(machine, machine->stack[machine->depth - 1 - from_top]);
	else
		stop(machine, EAR_GDB_BAD_CODE, machine->at);
}

/* a b c => c a b */
static void rotate(struct machine *machine)
{
	uint64_t c = pop(machine), b = pop(machine), a = pop(machine);

	push(machine, c);
	push(machine, a);
	push(machine, b);
}

static void step(struct machine *machine)
{
	size_t begin = machine->at;
	unsigned opcode = (unsigned)take(machine, 1);
	uint64_t a, b, to;

	switch (opcode) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_BIT_AND:
	case OP_BIT_OR:
	case OP_BIT_XOR:
	case OP_EQUAL:
	case OP_LESS_SIGNED:
	case OP_LESS_UNSIGNED:
		b = pop(machine);
		a = pop(machine);
		push(machine, combine(opcode, a, b));
		break;
	case OP_DIV_SIGNED:
	case OP_DIV_UNSIGNED:
	case OP_REM_SIGNED:
	case OP_REM_UNSIGNED:
		b = pop(machine);
		a = pop(machine);
		divide(machine, opcode, a, b);
		break;
	case OP_LSH:
	case OP_RSH_SIGNED:
	case OP_RSH_UNSIGNED:
		b = pop(machine);
		a = pop(machine);
		push(machine, shift(opcode, a, b));
		break;
	case OP_LOG_NOT: push(machine, pop(machine) == 0); break;
	case OP_BIT_NOT: push(machine, ~pop(machine)); break;
	case OP_EXT:
	case OP_ZERO_EXT:
		a = take(machine, 1);
		push(machine, extend(pop(machine), a, opcode == OP_EXT));
		break;
	case OP_REF8: reference(machine, 1); break;
	case OP_REF16: reference(machine, 2); break;
	case OP_REF32: reference(machine, 4); break;
	case OP_REF64: reference(machine, 8); break;
	case OP_IF_GOTO:
		to = take(machine, 2);
		if (pop(machine))
			jump(machine, to);
		break;
	case OP_GOTO: jump(machine, take(machine, 2)); break;
	case OP_CONST8: push(machine, take(machine, 1)); break;
	case OP_CONST16: push(machine, take(machine, 2)); break;
	case OP_CONST32: push(machine, take(machine, 4)); break;
	case OP_CONST64: push(machine, take(machine, 8)); break;
	case OP_REG: read_register(machine); break;
	case OP_DUP:
		a = pop(machine);
		push(machine, a);
		push(machine, a);
		break;
	case OP_POP: (void)pop(machine); break;
	case OP_SWAP:
		b = pop(machine);
		a = pop(machine);
		push(machine, b);
		push(machine, a);
		break;
	case OP_PICK: pick(machine); break;
	case OP_ROT: rotate(machine); break;
	default: stop(machine, EAR_GDB_BAD_CODE, begin); break;
	}
}

enum ear_gdb_value ear_gdb_evaluate(
	const uint8_t *code, size_t size, const struct ear_gdb_readers *readers, uint64_t *value)
{
	struct machine machine = {.code = code, .size = size, .readers = readers};

	for (unsigned i = 0; machine.result == EAR_GDB_VALUE; i++) {
		if (i == EAR_GDB_EXPRESSION_STEPS)
			stop(&machine, EAR_GDB_TOO_LONG, machine.at);
		else if (machine.at < size && code[machine.at] == OP_END)
			break;
		else
			step(&machine);
	}
	if (machine.result == EAR_GDB_VALUE)
		machine.cause = pop(&machine);
	*value = machine.cause;
	return machine.result;
}
