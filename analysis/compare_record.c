/* Two records, field by field.
 *
 * Registers and accesses are matched by what they are (class and number, address and size), not by
 * their position in the record: formats list them in different orders. The fields are compared in
 * the order of the enum, and the first difference is the answer.
 */
#include "analysis/compare_record.h"

#include <string.h>

static const char *const field_names[] = {"hart", "pc", "opcode", "privilege", "trap", "target",
	"x", "f", "fflags", "csr", "v", "named", "address", "value", "physical", "time", "masked"};

#define FIELD_COUNT (sizeof(field_names) / sizeof(field_names[0]))

const char *ear_compare_field_name(unsigned field)
{
	return field_names[__builtin_ctz(field)];
}

unsigned ear_compare_field_find(const char *name, size_t size)
{
	for (unsigned i = 0; i < FIELD_COUNT; i++)
		if (strlen(field_names[i]) == size && memcmp(field_names[i], name, size) == 0)
			return 1u << i;
	return 0;
}

unsigned ear_compare_fields_of(uint64_t carried)
{
	static const struct {
		enum ear_field field; /* without it the other is not compared */
		unsigned compared;
	} rows[] = {
		{EAR_FIELD_OPCODE, EAR_COMPARE_OPCODE},
		{EAR_FIELD_PRIVILEGE, EAR_COMPARE_PRIVILEGE},
		{EAR_FIELD_TRAP, EAR_COMPARE_TRAP},
		{EAR_FIELD_TAKEN, EAR_COMPARE_TARGET},
		{EAR_FIELD_X_WRITE, EAR_COMPARE_X},
		{EAR_FIELD_F_WRITE, EAR_COMPARE_F},
		{EAR_FIELD_FFLAGS, EAR_COMPARE_FFLAGS},
		{EAR_FIELD_CSR_WRITE, EAR_COMPARE_CSR},
		{EAR_FIELD_V_WRITE, EAR_COMPARE_V},
		{EAR_FIELD_NAMED_WRITE, EAR_COMPARE_NAMED},
		{EAR_FIELD_STORE_ADDRESS, EAR_COMPARE_ADDRESS},
		{EAR_FIELD_LOAD_ADDRESS, EAR_COMPARE_ADDRESS},
		{EAR_FIELD_STORE_VALUE, EAR_COMPARE_VALUE},
		{EAR_FIELD_DATA_PHYSICAL, EAR_COMPARE_PHYSICAL},
		{EAR_FIELD_TIME, EAR_COMPARE_TIME},
		{EAR_FIELD_MASKED, EAR_COMPARE_MASKED},
	};
	unsigned set = EAR_COMPARE_ALL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!(carried & EAR_FIELD_BIT(rows[i].field)))
			set &= ~rows[i].compared;
	return set;
}

/* What a comparison has in hand. */
struct pair {
	struct ear_record_difference *difference;
	const struct ear_record *a, *b;
	unsigned fields;
	bool unknown_equal;
};

static bool differ(const struct pair *pair, unsigned field, bool has_a, uint64_t value_a,
	bool has_b, uint64_t value_b)
{
	pair->difference->field = field;
	pair->difference->has_a = has_a;
	pair->difference->has_b = has_b;
	pair->difference->value_a = value_a;
	pair->difference->value_b = value_b;
	pair->difference->unknown_a = pair->difference->unknown_b = 0;
	return false;
}

/* A plain value that a record may lack. */
static bool same_value(const struct pair *pair, unsigned field, bool has_a, uint64_t value_a,
	bool has_b, uint64_t value_b)
{
	if (!(pair->fields & field) || (!has_a && !has_b))
		return true;
	if (has_a != has_b)
		return pair->unknown_equal || differ(pair, field, has_a, value_a, has_b, value_b);
	return value_a == value_b || differ(pair, field, true, value_a, true, value_b);
}

static bool same_head(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;
	uint32_t trap = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;
	bool trap_a = a->flags & trap, trap_b = b->flags & trap;
	bool next_a = !(a->flags & EAR_RECORD_NO_NEXT_PC);
	bool next_b = !(b->flags & EAR_RECORD_NO_NEXT_PC);
	bool taken_a = a->flags & EAR_RECORD_TAKEN, taken_b = b->flags & EAR_RECORD_TAKEN;

	if (!same_value(pair, EAR_COMPARE_HART, true, a->hart, true, b->hart) ||
		!same_value(pair, EAR_COMPARE_PC, true, a->pc, true, b->pc) ||
		!same_value(pair, EAR_COMPARE_OPCODE, !(a->flags & EAR_RECORD_NO_OPCODE), a->opcode,
			!(b->flags & EAR_RECORD_NO_OPCODE), b->opcode) ||
		!same_value(pair, EAR_COMPARE_PRIVILEGE, !(a->flags & EAR_RECORD_NO_PRIVILEGE),
			a->privilege, !(b->flags & EAR_RECORD_NO_PRIVILEGE), b->privilege))
		return false;
	/* That there was a trap is always known; why, not always. */
	if (pair->fields & EAR_COMPARE_TRAP && trap_a != trap_b)
		return differ(pair, EAR_COMPARE_TRAP, trap_a, a->cause, trap_b, b->cause);
	if (trap_a && !((a->flags | b->flags) & EAR_RECORD_NO_CAUSE) &&
		!same_value(pair, EAR_COMPARE_TRAP, true, a->cause, true, b->cause))
		return false;
	if (next_a && next_b &&
		!same_value(pair, EAR_COMPARE_TARGET, taken_a, taken_a ? a->next_pc : 0, taken_b,
			taken_b ? b->next_pc : 0))
		return false;
	return same_value(pair, EAR_COMPARE_PHYSICAL, a->flags & EAR_RECORD_PC_PHYSICAL,
		a->pc_physical, b->flags & EAR_RECORD_PC_PHYSICAL, b->pc_physical);
}

static unsigned class_field(uint8_t reg_class)
{
	static const uint16_t fields[] = {
		[EAR_REGISTER_X] = EAR_COMPARE_X,
		[EAR_REGISTER_F] = EAR_COMPARE_F,
		[EAR_REGISTER_CSR] = EAR_COMPARE_CSR,
		[EAR_REGISTER_V] = EAR_COMPARE_V,
		[EAR_REGISTER_NAMED] = EAR_COMPARE_NAMED,
	};
	return fields[reg_class];
}

unsigned ear_compare_fields_in(const struct ear_record *record)
{
	unsigned set = record->fflags ? EAR_COMPARE_FFLAGS : 0;

	for (size_t i = 0; i < record->register_count; i++)
		set |= class_field(record->registers[i].reg_class);
	for (size_t i = 0; i < record->memory_count; i++)
		set |= (record->memory[i].has_physical ? EAR_COMPARE_PHYSICAL : 0) |
		       (record->memory[i].masked ? EAR_COMPARE_MASKED : 0);
	return set | (record->flags & EAR_RECORD_PC_PHYSICAL ? EAR_COMPARE_PHYSICAL : 0);
}

static bool same_register(const struct ear_record_register *a, const struct ear_record_register *b)
{
	if (a->reg_class != b->reg_class)
		return false;
	if (a->reg_class != EAR_REGISTER_NAMED)
		return a->number == b->number;
	return a->text_size == b->text_size &&
	       memcmp(a->text.name, b->text.name, a->text_size) == 0;
}

static const struct ear_record_register *find_register(
	const struct ear_record *record, const struct ear_record_register *wanted)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (same_register(&record->registers[i], wanted))
			return &record->registers[i];
	return NULL;
}

/* The bytes of a value that is not in 8 bytes, and how many; NULL for others. */
static const uint8_t *wide_value(const struct ear_record_register *reg, size_t *size)
{
	*size = 0;
	if (reg && reg->reg_class == EAR_REGISTER_V) {
		*size = reg->text_size;
		return reg->text.bytes;
	}
	const uint8_t *bytes = reg ? ear_register_bytes(reg) : NULL;
	*size = bytes ? reg->size : 0;
	return bytes;
}

/* The unknown bits of a value of at most 8 bytes, and where those of a wider one are. */
static uint64_t unknown_bits(const struct ear_record_register *reg, const uint8_t **bytes)
{
	uint64_t bits = 0;

	*bytes = reg ? ear_register_unknown(reg) : NULL;
	for (unsigned i = 0; *bytes && i < reg->size && i < 8; i++)
		bits |= (uint64_t)(*bytes)[i] << 8 * i;
	if (reg && reg->size <= 8)
		*bytes = NULL;
	return bits;
}

/* Byte i of a NAMED register: its known bits in *known. What the source does not show is 0. */
static uint8_t byte_of(const struct ear_record_register *reg, size_t i, uint8_t *known)
{
	const uint8_t *bytes = ear_register_bytes(reg), *unknown = ear_register_unknown(reg);

	*known = unknown && i < reg->size ? (uint8_t)~unknown[i] : 0xFF;
	if (bytes)
		return i < reg->size ? bytes[i] : 0;
	return i < 8 ? (uint8_t)(reg->value >> 8 * i) : 0;
}

/* Equal in the bits that both sides know; one of them is wide. */
static bool same_wide_value(
	const struct ear_record_register *a, const struct ear_record_register *b)
{
	size_t size = a->size > b->size ? a->size : b->size;
	uint8_t known_a, known_b;

	for (size_t i = 0; i < size; i++) {
		uint8_t difference = byte_of(a, i, &known_a) ^ byte_of(b, i, &known_b);
		if (difference & known_a & known_b)
			return false;
	}
	return true;
}

static bool same_register_value(
	const struct ear_record_register *a, const struct ear_record_register *b)
{
	const uint8_t *wide_a, *wide_b;

	if (a->reg_class == EAR_REGISTER_V)
		return a->text_size == b->text_size &&
		       memcmp(a->text.bytes, b->text.bytes, a->text_size) == 0;
	if (a->reg_class == EAR_REGISTER_NAMED && (a->size > 8 || b->size > 8))
		return same_wide_value(a, b);
	uint64_t unknown = unknown_bits(a, &wide_a) | unknown_bits(b, &wide_b);
	return ((a->value ^ b->value) & ~unknown) == 0;
}

static bool differ_in_register(const struct pair *pair, const struct ear_record_register *which,
	const struct ear_record_register *a, const struct ear_record_register *b)
{
	pair->difference->reg_class = which->reg_class;
	pair->difference->number = which->number;
	pair->difference->name = (struct ear_text){NULL, 0};
	if (which->reg_class == EAR_REGISTER_NAMED)
		pair->difference->name = (struct ear_text){which->text.name, which->text_size};
	pair->difference->bytes_a = wide_value(a, &pair->difference->size_a);
	pair->difference->bytes_b = wide_value(b, &pair->difference->size_b);
	differ(pair, class_field(which->reg_class), a != NULL, a ? a->value : 0, b != NULL,
		b ? b->value : 0);
	pair->difference->unknown_a = unknown_bits(a, &pair->difference->unknown_bytes_a);
	pair->difference->unknown_b = unknown_bits(b, &pair->difference->unknown_bytes_b);
	return false;
}

/* Register writes are a set: formats list them in different orders. */
static bool same_registers(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;

	for (size_t i = 0; i < a->register_count; i++) {
		const struct ear_record_register *at = &a->registers[i];
		if (!(pair->fields & class_field(at->reg_class)))
			continue;
		const struct ear_record_register *other =
			i < b->register_count && same_register(&b->registers[i], at)
				? &b->registers[i]
				: find_register(b, at);
		if (!other && pair->unknown_equal)
			continue;
		if (!other || !same_register_value(at, other))
			return differ_in_register(pair, at, at, other);
	}
	for (size_t i = 0; i < b->register_count; i++) {
		const struct ear_record_register *at = &b->registers[i];
		if (pair->fields & class_field(at->reg_class) && !pair->unknown_equal &&
			!find_register(a, at))
			return differ_in_register(pair, at, NULL, at);
	}
	return true;
}

static bool same_access(const struct pair *pair, const struct ear_record_access *a,
	const struct ear_record_access *b)
{
	pair->difference->address = a->address;
	if (!same_value(pair, EAR_COMPARE_ADDRESS, true, a->address, true, b->address) ||
		!same_value(pair, EAR_COMPARE_MASKED, true, a->masked, true, b->masked))
		return false;
	/* What is shown for a masked element is no value; an unknown bit is equal to any. */
	bool valued = a->has_value && b->has_value && !a->masked && !b->masked;
	if (valued && ((a->value ^ b->value) & ~(a->unknown | b->unknown)) != 0 &&
		!same_value(pair, EAR_COMPARE_VALUE, true, a->value, true, b->value)) {
		pair->difference->unknown_a = a->unknown;
		pair->difference->unknown_b = b->unknown;
		return false;
	}
	return !a->has_physical || !b->has_physical ||
	       same_value(pair, EAR_COMPARE_PHYSICAL, true, a->physical, true, b->physical);
}

/* Accesses of a side, from one of them on. */
struct accesses {
	const struct ear_record_access *list;
	size_t count, at;
};

/* Pass masked elements that a format without masks leaves out: those that the other side does not
 * have. */
static void pass_left_out(
	const struct pair *pair, struct accesses *accesses, const struct accesses *other)
{
	const struct ear_record_access *list = accesses->list;

	if (pair->fields & EAR_COMPARE_MASKED)
		return;
	while (accesses->at < accesses->count && list[accesses->at].masked &&
		(other->at == other->count ||
			other->list[other->at].address != list[accesses->at].address))
		accesses->at++;
}

/* What a format may leave out of an AMO is its read: the last accesses are what is compared
 * if the numbers differ by that.
 */
static bool same_memory(const struct pair *pair)
{
	struct accesses a = {.list = pair->a->memory, .count = pair->a->memory_count};
	struct accesses b = {.list = pair->b->memory, .count = pair->b->memory_count};

	if (a.count == 2 && b.count == 1)
		a.at = a.list[0].address == a.list[1].address && !a.list[0].write;
	else if (b.count == 2 && a.count == 1)
		b.at = b.list[0].address == b.list[1].address && !b.list[0].write;
	for (;; a.at++, b.at++) {
		pass_left_out(pair, &a, &b);
		pass_left_out(pair, &b, &a);
		if (a.at == a.count || b.at == b.count)
			break;
		if (!same_access(pair, &a.list[a.at], &b.list[b.at]))
			return false;
	}
	bool more_a = a.at < a.count, more_b = b.at < b.count;
	if ((more_a || more_b) && pair->fields & EAR_COMPARE_ADDRESS && !pair->unknown_equal)
		return differ(pair, EAR_COMPARE_ADDRESS, more_a, more_a ? a.list[a.at].address : 0,
			more_b, more_b ? b.list[b.at].address : 0);
	return true;
}

bool ear_record_compare(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, unsigned fields, bool unknown_equal)
{
	const struct pair pair = {difference, a, b, fields, unknown_equal};

	difference->field = 0;
	return same_head(&pair) && same_registers(&pair) &&
	       same_value(&pair, EAR_COMPARE_FFLAGS, true, a->fflags, true, b->fflags) &&
	       same_memory(&pair) &&
	       same_value(&pair, EAR_COMPARE_TIME, a->flags & EAR_RECORD_HAS_TIME, a->ticks,
		       b->flags & EAR_RECORD_HAS_TIME, b->ticks);
}
