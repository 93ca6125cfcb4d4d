/* Loads, stores and atomics: which address, which value, and what memory holds afterwards.
 *
 * A store to an address that is not known makes all of memory unknown that is writable. To suppose
 * that it hit nothing of interest is right nearly always, and the wrong values that it gives cannot
 * be told from the others.
 */
#include "library/infer/infer_access.h"

/* The access that the record shows: the number-th of its kind. */
static const struct ear_record_access *find_shown(const struct ear_record *record, bool write)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write == write)
			return &record->memory[i];
	return NULL;
}

/* Of a size that is not given, or is the size of the instruction: a port of 32 bits shows half of
 * an FLD. */
static bool shows_address(const struct ear_record_access *shown, unsigned size)
{
	return shown && (shown->size == size || shown->size == 0);
}

static bool shows_value(const struct ear_record_access *shown)
{
	return shown && ear_access_is_known(shown) && !shown->masked && !shown->aborted;
}

/* The address: as shown, else rs1 and the immediate. */
static struct infer_value find_address(
	struct infer_step *step, const struct ear_record_access *shown, unsigned size)
{
	unsigned xlen = step->hart->xlen;
	struct infer_value imm = infer_exactly((uint64_t)(int64_t)step->op->imm);
	struct infer_value address = infer_to_xlen(infer_add(step->a, imm), xlen);

	if (!shows_address(shown, size))
		return address;
	struct infer_value seen = infer_to_xlen(infer_exactly(shown->address), xlen);
	step->contradicted |= infer_differs(address, seen);
	return seen;
}

/* Beside what the record shows. */
static void add_access(struct infer_step *step, const struct ear_record_access *shown, bool write,
	struct infer_value address, unsigned size, struct infer_value value)
{
	struct ear_inferred *inferred = step->inferred;
	struct infer_value bytes = infer_zero_extend(value, 8 * size);
	bool value_known = infer_is_known(bytes);

	if (!infer_is_known(address) || shows_value(shown) ||
		(shown && (!shows_address(shown, size) || !value_known)))
		return;
	inferred->memory[inferred->memory_count++] = (struct ear_record_access){
		.address = address.value,
		.value = value_known ? bytes.value : 0,
		.size = (uint8_t)size,
		.write = write,
		.has_value = value_known,
	};
}

static struct infer_value low_bytes(struct infer_value value, unsigned size)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * size);

	return (struct infer_value){value.value & mask, value.known & mask};
}

/* A text may show the register, and not what was loaded into it. */
static struct infer_value loaded_by_register(const struct infer_step *step, unsigned size)
{
	bool is_float = step->op->kind == EAR_SEM_FLOAD;
	unsigned number =
		is_float ? ear_semantics_bits(step->op->wide, 7, 5) : (unsigned)step->op->rd;
	const struct ear_record_register *shown =
		infer_shown(step->record, is_float ? EAR_REGISTER_F : EAR_REGISTER_X, number);

	if (!shown || (number == 0 && !is_float))
		return (struct infer_value){0, 0};
	return low_bytes(infer_exactly(shown->value), size);
}

/* Something else says what is loaded. */
static void join_load(struct infer_step *step, struct infer_value *value, struct infer_value other)
{
	if (infer_differs(*value, other))
		step->contradicted = true;
	else
		*value = infer_join(*value, other);
}

static void load(struct infer_step *step, unsigned size, struct infer_value *value)
{
	const struct ear_record_access *shown = find_shown(step->record, false);
	struct infer_value address = find_address(step, shown, size);
	struct ear_infer_counts *counts = &step->infer->counts;

	*value = loaded_by_register(step, size);
	if (infer_is_known(address))
		join_load(
			step, value, infer_memory_load(&step->infer->memory, address.value, size));
	if (shows_value(shown) && shown->size == size) {
		struct infer_value seen = low_bytes(infer_exactly(shown->value), size);
		join_load(step, value, seen);
	}
	join_load(step, value, step->facts->loaded);
	if (infer_is_known(address))
		infer_memory_show(&step->infer->memory, address.value, size, *value);
	step->facts->loaded = *value;
	step->facts->address = address;
	step->facts->size = (uint8_t)size;
	step->facts->loads = true;
	counts->loads++;
	add_access(step, shown, false, address, size, *value);
	if (shows_value(shown))
		counts->loads_shown++;
	else if (infer_is_known(infer_zero_extend(*value, 8 * size)))
		counts->loads_inferred++;
}

/* conditional: it is not known whether it stores. */
static void store(
	struct infer_step *step, unsigned size, struct infer_value value, bool conditional)
{
	const struct ear_record_access *shown = find_shown(step->record, true);
	struct infer_value address = find_address(step, shown, size);
	struct infer_memory *memory = &step->infer->memory;
	struct ear_infer_counts *counts = &step->infer->counts;

	if (shows_value(shown) && shown->size == size) {
		struct infer_value seen = infer_exactly(shown->value);
		step->contradicted |= infer_differs(
			infer_zero_extend(value, 8 * size), infer_zero_extend(seen, 8 * size));
		value = seen;
		conditional = false;
	}
	step->facts->address = address;
	step->facts->size = (uint8_t)size;
	counts->stores++;
	counts->stores_shown += shows_address(shown, size);
	counts->stores_inferred += !shows_address(shown, size) && infer_is_known(address);
	if (!conditional)
		add_access(step, shown, true, address, size, value);
	if (!infer_is_known(address)) {
		counts->overwritten++;
		infer_memory_forget(memory);
	} else if (conditional || step->doubtful) {
		infer_memory_store(memory, address.value, size, (struct infer_value){0, 0});
	} else {
		infer_memory_store(memory, address.value, size, value);
	}
}

static void atomic(struct infer_step *step, unsigned size)
{
	struct infer_value old, new = {0, 0};

	load(step, size, &old);
	struct infer_value extended = infer_sign_extend(old, 8 * size);
	struct infer_value operand = infer_sign_extend(step->b, 8 * size);
	unsigned function = step->op->wide >> 27;
	if (function == 1) /* amoswap */
		new = step->b;
	else if (infer_is_known(extended) && infer_is_known(operand))
		new = infer_exactly(
			ear_semantics_amo(function, size, extended.value, operand.value));
	store(step, size, new, false);
	infer_write_x(step, extended);
}

/* Whether it stored, its result says: as the record shows it, or as a branch says later. Until then
 * it may have. */
static void store_conditional(struct infer_step *step, unsigned size)
{
	const struct ear_record_register *shown =
		infer_shown(step->record, EAR_REGISTER_X, step->op->rd);
	struct infer_memory *memory = &step->infer->memory;
	struct infer_value address = infer_to_xlen(step->a, step->hart->xlen);
	struct infer_value before = {0, 0};

	if (infer_is_known(address))
		before = infer_memory_load(memory, address.value, size);
	if (!shown || shown->value == 0)
		store(step, size, step->b, !shown);
	infer_write_x(step, (struct infer_value){0, 0});
	step->hart->conditional = (struct infer_conditional){
		.pending = !shown && step->op->rd != 0 && infer_is_known(address),
		.rd = step->op->rd,
		.size = (uint8_t)size,
		.address = address.value,
		.value = step->b,
		.before = before,
	};
}

void infer_access_resolve(struct ear_infer *infer, struct infer_hart *hart, bool stored)
{
	const struct infer_conditional *conditional = &hart->conditional;

	infer_memory_store(&infer->memory, conditional->address, conditional->size,
		stored ? conditional->value : conditional->before);
}

/* The f register that FLW or FLD writes: single precision in its box. */
static void load_float(struct infer_step *step, unsigned size)
{
	const uint64_t box = UINT64_C(0xffffffff) << 32;
	struct infer_value value;

	load(step, size, &value);
	if (size == 4)
		value = (struct infer_value){
			(value.value & UINT32_MAX) | box, (value.known & UINT32_MAX) | box};
	step->writes_f = true;
	step->number = ear_semantics_bits(step->op->wide, 7, 5);
	step->result = value;
}

void infer_access(struct infer_step *step)
{
	const struct ear_semantics *op = step->op;
	unsigned size = 1u << (ear_semantics_bits(op->wide, 12, 3) & 3);
	struct infer_value value;

	if (op->kind == EAR_SEM_FLOAD || op->kind == EAR_SEM_FSTORE) {
		step->infer->floats = true; /* Zfinx has none of them */
		step->infer->doubles |= size == 8;
	}
	switch (op->kind) {
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD: store(step, size, step->b, false); break;
	case EAR_SEM_FSTORE:
		store(step, size, step->hart->f[ear_semantics_bits(op->wide, 20, 5)], false);
		break;
	case EAR_SEM_SC: store_conditional(step, size); break;
	case EAR_SEM_AMO: atomic(step, size); break;
	case EAR_SEM_FLOAD: load_float(step, size); break;
	case EAR_SEM_LBU:
	case EAR_SEM_LHU:
	case EAR_SEM_LWU:
		load(step, size, &value);
		infer_write_x(step, infer_zero_extend(value, 8 * size));
		break;
	default:
		load(step, size, &value);
		infer_write_x(step, infer_sign_extend(value, 8 * size));
		break;
	}
}
