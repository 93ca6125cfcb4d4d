/* Two records, field by field.
 *
 * Registers and accesses are matched by what they are (class and number, address and size), not by
 * their position in the record: formats list them in different orders. The fields are compared in
 * the order of the enum, and the first difference is the answer.
 */
#include "library/compare/compare_record.h"

#include <string.h>

#include "library/compare/compare_csr.h"

static const char *const field_names[] = {"hart", "pc", "opcode", "privilege", "trap", "target",
	"x", "f", "fflags", "csr", "v", "named", "address", "value", "physical", "time", "masked",
	"size"};

#define FIELD_COUNT (sizeof(field_names) / sizeof(field_names[0]))
#define TRAPPED     (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)

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
		{EAR_FIELD_ACCESS_SIZE, EAR_COMPARE_SIZE},
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
	struct ear_record_comparison *how;
};

/* Does the rule hold? Then it is used, which is noted. */
static bool use(const struct pair *pair, enum ear_rule rule)
{
	if (!pair->how->equivalence || !(pair->how->equivalence->rules & EAR_RULE_BIT(rule)))
		return false;
	pair->how->used |= EAR_RULE_BIT(rule);
	return true;
}

static bool use_of(const struct pair *pair, unsigned side, enum ear_rule rule)
{
	return pair->how->equivalence &&
	       ear_equivalence_brings(pair->how->equivalence, side, rule) && use(pair, rule);
}

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

/* Privileges without virtual modes and debug mode. */
static uint8_t real_privilege(uint8_t privilege)
{
	switch (privilege) {
	case EAR_PRIVILEGE_VU: return EAR_PRIVILEGE_U;
	case EAR_PRIVILEGE_VS: return EAR_PRIVILEGE_S;
	case EAR_PRIVILEGE_DEBUG: return EAR_PRIVILEGE_M;
	default: return privilege;
	}
}

static bool same_privilege(const struct pair *pair)
{
	const struct ear_record *records[2] = {pair->a, pair->b};
	const struct ear_equivalence *equivalence = pair->how->equivalence;
	bool has[2];
	uint8_t shown[2];

	if (!(pair->fields & EAR_COMPARE_PRIVILEGE) ||
		(pair->a->privilege == pair->b->privilege &&
			!((pair->a->flags | pair->b->flags) & EAR_RECORD_NO_PRIVILEGE)))
		return true;
	for (unsigned i = 0; i < 2; i++) {
		has[i] = !(records[i]->flags & EAR_RECORD_NO_PRIVILEGE);
		shown[i] = records[i]->privilege;
	}
	for (unsigned i = 0; equivalence && (has[0] || has[1]) && i < 2; i++) {
		const struct ear_record_view *view = pair->how->views[i];
		bool lacks = !has[i] && records[i]->flags & TRAPPED &&
			     ear_equivalence_brings(equivalence, i, EAR_RULE_TRAP_PRIVILEGE);
		if (!lacks)
			continue;
		has[i] = view->has_privilege;
		shown[i] = view->privilege;
		if (!has[i])
			return use(pair, EAR_RULE_TRAP_PRIVILEGE);
	}
	if (has[0] && has[1] && shown[0] != shown[1] &&
		real_privilege(shown[0]) == real_privilege(shown[1]) && use(pair, EAR_RULE_VIRTUAL))
		return true;
	return same_value(pair, EAR_COMPARE_PRIVILEGE, has[0], shown[0], has[1], shown[1]);
}

static bool same_opcode(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;
	bool has_a = !(a->flags & EAR_RECORD_NO_OPCODE), has_b = !(b->flags & EAR_RECORD_NO_OPCODE);

	if (has_a != has_b && a->flags & b->flags & TRAPPED &&
		use_of(pair, has_a ? 1 : 0, EAR_RULE_TRAP_OPCODE))
		return true;
	return same_value(pair, EAR_COMPARE_OPCODE, has_a, a->opcode, has_b, b->opcode);
}

/* Physical addresses are compared where both formats carry them. */
static bool same_physical_pc(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;

	if (pair->how->equivalence &&
		!ear_equivalence_both(pair->how->equivalence, EAR_FIELD_PC_PHYSICAL))
		return true;
	bool has_a = a->flags & EAR_RECORD_PC_PHYSICAL, has_b = b->flags & EAR_RECORD_PC_PHYSICAL;
	/* Formats that show it only where it differs. */
	if (pair->how->equivalence && has_a != has_b &&
		(has_a ? a->pc_physical == a->pc : b->pc_physical == b->pc))
		return true;
	return same_value(pair, EAR_COMPARE_PHYSICAL, has_a, a->pc_physical, has_b, b->pc_physical);
}

static bool same_head(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;
	bool trap_a = a->flags & TRAPPED, trap_b = b->flags & TRAPPED;
	bool next_a = !(a->flags & EAR_RECORD_NO_NEXT_PC);
	bool next_b = !(b->flags & EAR_RECORD_NO_NEXT_PC);
	bool taken_a = a->flags & EAR_RECORD_TAKEN, taken_b = b->flags & EAR_RECORD_TAKEN;

	if (!same_value(pair, EAR_COMPARE_HART, true, a->hart, true, b->hart) ||
		!same_value(pair, EAR_COMPARE_PC, true, a->pc, true, b->pc) || !same_opcode(pair) ||
		!same_privilege(pair))
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
	return same_physical_pc(pair);
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

/* Are CSRs and flags compared by compare_csr.c? */
static bool by_rules(const struct pair *pair)
{
	return pair->how->equivalence != NULL;
}

static bool differ_by_rules(
	const struct pair *pair, unsigned field, const struct ear_csr_difference *difference)
{
	pair->difference->reg_class = EAR_REGISTER_CSR;
	pair->difference->number = difference->number;
	pair->difference->bytes_a = pair->difference->bytes_b = NULL;
	return differ(pair, field, difference->has[0], difference->value[0], difference->has[1],
		difference->value[1]);
}

/* CSR writes and flags of two formats. */
static bool same_by_rules(const struct pair *pair)
{
	struct ear_csr_difference difference;
	struct ear_csr_pair csrs = {.records = {pair->a, pair->b},
		.views = {pair->how->views[0], pair->how->views[1]},
		.equivalence = pair->how->equivalence,
		.unknown_equal = pair->unknown_equal};

	if (!by_rules(pair))
		return same_value(
			pair, EAR_COMPARE_FFLAGS, true, pair->a->fflags, true, pair->b->fflags);
	if (pair->fields & EAR_COMPARE_FFLAGS && !ear_flags_compare(&difference, &csrs))
		return differ_by_rules(pair, EAR_COMPARE_FFLAGS, &difference);
	if (pair->fields & EAR_COMPARE_CSR && !ear_csr_compare(&difference, &csrs))
		return differ_by_rules(pair, EAR_COMPARE_CSR, &difference);
	pair->how->used |= csrs.used;
	return true;
}

/* A vector register that one side alone lists, with the value that it had. If that is not known
 * from before, it is one after the first of a group, or a mask may have switched all off.
 */
static bool keeps_value(const struct pair *pair, unsigned side, const struct ear_record *record,
	const struct ear_record_register *write)
{
	const struct ear_record_view *view = pair->how->views[side];
	uint32_t bit = (uint32_t)1 << (write->number & 31);
	unsigned first = record->opcode >> 7 & 31;

	if (write->reg_class != EAR_REGISTER_V || !view)
		return false;
	bool masked = !(record->opcode >> 25 & 1);
	bool unknown = view->unknown & bit && (write->number != first || masked);
	return (view->kept & bit || unknown) && use(pair, EAR_RULE_V_UNCHANGED);
}

/* Register writes are a set: formats list them in different orders. */
static bool same_registers(const struct pair *pair)
{
	const struct ear_record *a = pair->a, *b = pair->b;
	unsigned fields = pair->fields;

	if (by_rules(pair))
		fields &= ~(unsigned)EAR_COMPARE_CSR;
	for (size_t i = 0; i < a->register_count; i++) {
		const struct ear_record_register *at = &a->registers[i];
		if (!(fields & class_field(at->reg_class)))
			continue;
		const struct ear_record_register *other =
			i < b->register_count && same_register(&b->registers[i], at)
				? &b->registers[i]
				: find_register(b, at);
		if (!other && (pair->unknown_equal || keeps_value(pair, 0, a, at)))
			continue;
		if (!other || !same_register_value(at, other))
			return differ_in_register(pair, at, at, other);
	}
	for (size_t i = 0; i < b->register_count; i++) {
		const struct ear_record_register *at = &b->registers[i];
		if (fields & class_field(at->reg_class) && !pair->unknown_equal &&
			!find_register(a, at) && !keeps_value(pair, 1, b, at))
			return differ_in_register(pair, at, NULL, at);
	}
	return true;
}

/* Both show data: an unknown bit is equal to any. Where one shows less, that much is compared. Bits
 * above the size of the access were not accessed: the sign of an atomic half, which Whisper shows.
 */
static bool same_data(const struct pair *pair, const struct ear_record_access *a,
	const struct ear_record_access *b)
{
	uint64_t different = (a->value ^ b->value) & ~(a->unknown | b->unknown);

	if (a->size == b->size && a->size > 0 && a->size < 8)
		different &= (UINT64_C(1) << 8 * a->size) - 1;
	if (different == 0)
		return true;
	if ((uint32_t)different == 0 && pair->a->xlen == 32 && a->write &&
		use(pair, EAR_RULE_STORE_XLEN))
		return true;
	return same_value(pair, EAR_COMPARE_VALUE, true, a->value, true, b->value);
}

static bool same_access(const struct pair *pair, const struct ear_record_access *a,
	const struct ear_record_access *b)
{
	uint64_t address_b = b->address;

	pair->difference->address = a->address;
	if (a->address != b->address &&
		((a->has_physical && a->physical == b->address) ||
			(b->has_physical && b->physical == a->address)) &&
		use(pair, EAR_RULE_PHYSICAL))
		address_b = a->address;
	if (!same_value(pair, EAR_COMPARE_ADDRESS, true, a->address, true, address_b) ||
		!same_value(pair, EAR_COMPARE_MASKED, true, a->masked, true, b->masked))
		return false;
	/* One side stored, the other read: the value is missing there, for reads need not have one.
	 */
	if (a->write != b->write && (a->write ? a : b)->has_value &&
		pair->fields & EAR_COMPARE_VALUE)
		return differ(pair, EAR_COMPARE_VALUE, a->write, a->value, b->write, b->value);
	/* A format without masks leaves out what a store does not write. */
	if (a->masked != b->masked && a->write && b->write && pair->how->equivalence &&
		!(pair->fields & EAR_COMPARE_MASKED))
		return differ(pair, EAR_COMPARE_MASKED, true, a->masked, true, b->masked);
	if (a->size && b->size && !same_value(pair, EAR_COMPARE_SIZE, true, a->size, true, b->size))
		return false;
	/* What is shown for a masked element is no value. */
	if (a->has_value && b->has_value && !a->masked && !b->masked && !same_data(pair, a, b)) {
		pair->difference->unknown_a = a->unknown;
		pair->difference->unknown_b = b->unknown;
		return false;
	}
	/* A store is more than a load from there: an AMO of which a side shows only the load. */
	if (by_rules(pair) && a->write != b->write && a->has_value != b->has_value &&
		a->has_value == a->write && !a->masked && !b->masked &&
		!same_value(
			pair, EAR_COMPARE_VALUE, a->has_value, a->value, b->has_value, b->value))
		return false;
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

static bool stores_data(const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write && record->memory[i].has_value)
			return true;
	return false;
}

/* No access has data, or, of a vector, a size that would say how much data there is. Data of loads
 * that a unit's records got from the register that was loaded do not count. */
static bool accesses_without_data(
	const struct pair *pair, unsigned side, const struct ear_record *record)
{
	const struct ear_equivalence *equivalence = pair->how->equivalence;
	bool loads =
		equivalence && equivalence->carried[side] & EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE);

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->has_value && (access->size || record->memory_count == 1) &&
			(loads || access->write))
			return false;
	}
	return true;
}

static bool is_sc(const struct ear_record *record)
{
	return (record->opcode & 0xF800007F) == 0x1800002F;
}

/* cbo.inval, cbo.clean and cbo.flush: number 0 to 2 in the place of the immediate. */
static bool is_cache_operation(const struct ear_record *record)
{
	return (record->opcode & 0x7FFF) == 0x200F && record->opcode >> 20 <= 2;
}

/* May this side lack the accesses that the other has? */
static bool may_lack_accesses(
	const struct pair *pair, unsigned side, const struct ear_record *other)
{
	if (other->flags & TRAPPED)
		return use(pair, EAR_RULE_TRAP_ADDRESS);
	if (accesses_without_data(pair, 1 - side, other) &&
		use_of(pair, side, EAR_RULE_ACCESS_DATA))
		return true;
	if (stores_data(other))
		return false;
	if (is_cache_operation(other))
		return use_of(pair, side, EAR_RULE_CACHE_ADDRESS);
	return is_sc(other) && use_of(pair, side, EAR_RULE_SC_ADDRESS);
}

/* A vector load or store. */
static bool is_vector_access(const struct ear_record *record)
{
	unsigned major = record->opcode & 0x7F, width = record->opcode >> 12 & 7;

	return (major == 0x07 || major == 0x27) && (width == 0 || width >= 5);
}

/* Of the accesses of a record, which is that of one side, the other side shows one or none. */
static bool same_one_access(const struct pair *pair, unsigned side)
{
	const struct ear_record *all = side ? pair->b : pair->a, *one = side ? pair->a : pair->b;
	const struct ear_record_access *found = all->memory;

	if (one->memory_count == 0)
		return true;
	for (size_t i = 0; i < all->memory_count; i++)
		if (all->memory[i].address == one->memory[0].address)
			found = &all->memory[i];
	return side ? same_access(pair, &one->memory[0], found)
		    : same_access(pair, found, &one->memory[0]);
}

static bool is_cache_zero(const struct ear_record *record)
{
	return (record->opcode & 0x7FFF) == 0x200F && record->opcode >> 20 == 4;
}

/* The byte that a record stored at an address. */
static bool find_stored(const struct ear_record *record, uint64_t address, uint8_t *byte)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && ear_access_is_known(access) &&
			address - access->address < access->size) {
			*byte = (uint8_t)(access->value >> 8 * (address - access->address));
			return true;
		}
	}
	return false;
}

/* Does other store each byte that record stores? All of its accesses must be stores of bytes. */
static bool stores_the_same(const struct ear_record *record, const struct ear_record *other)
{
	uint8_t mine, its;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (!access->write || !ear_access_is_known(access) || access->size == 0)
			return false;
		for (unsigned k = 0; k < access->size; k++)
			if (!find_stored(record, access->address + k, &mine) ||
				!find_stored(other, access->address + k, &its) || mine != its)
				return false;
	}
	return true;
}

/* What a format may leave out of an AMO is its read: the last accesses are what is compared
 * if the numbers differ by that.
 */
static bool same_memory(const struct pair *pair)
{
	struct accesses a = {.list = pair->a->memory, .count = pair->a->memory_count};
	struct accesses b = {.list = pair->b->memory, .count = pair->b->memory_count};

	if (!(pair->fields & (EAR_COMPARE_ADDRESS | EAR_COMPARE_VALUE | EAR_COMPARE_PHYSICAL |
				     EAR_COMPARE_MASKED | EAR_COMPARE_SIZE)))
		return true;
	if ((a.count == 0 && b.count > 0 && may_lack_accesses(pair, 0, pair->b)) ||
		(b.count == 0 && a.count > 0 && may_lack_accesses(pair, 1, pair->a)))
		return true;
	if (a.count <= 1 && b.count > 1 && is_vector_access(pair->b) &&
		use_of(pair, 0, EAR_RULE_ONE_ACCESS))
		return same_one_access(pair, 1);
	if (b.count <= 1 && a.count > 1 && is_vector_access(pair->a) &&
		use_of(pair, 1, EAR_RULE_ONE_ACCESS))
		return same_one_access(pair, 0);
	if (a.count != b.count && is_cache_zero(pair->a) && is_cache_zero(pair->b) &&
		stores_the_same(pair->a, pair->b) && stores_the_same(pair->b, pair->a) &&
		use(pair, EAR_RULE_CACHE_BYTES))
		return true;
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

bool ear_record_compare_by(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, struct ear_record_comparison *how)
{
	const struct pair pair = {difference, a, b, how->fields, how->unknown_equal, how};

	difference->field = 0;
	return same_head(&pair) && same_registers(&pair) && same_by_rules(&pair) &&
	       same_memory(&pair) &&
	       same_value(&pair, EAR_COMPARE_TIME, a->flags & EAR_RECORD_HAS_TIME, a->ticks,
		       b->flags & EAR_RECORD_HAS_TIME, b->ticks);
}

bool ear_record_compare(struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, unsigned fields, bool unknown_equal)
{
	struct ear_record_comparison how = {.fields = fields, .unknown_equal = unknown_equal};

	return ear_record_compare_by(difference, a, b, &how);
}
