/* Types. Entries refer to each other and may do so in circles, so each walk has a bound of depth;
 * rows go out breadth first, so that children follow each other.
 */
#include "library/names/helper/helper_types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/variable.h>

#include "library/names/helper_message.h"

#define ROWS_MAX  4096
#define DEPTH_MAX 32

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
		return false;
	*value = word;
	return true;
}

static struct helper_type type_at(Dwarf_Die *entry, unsigned address_size)
{
	struct helper_type type = {.address_size = address_size};
	Dwarf_Attribute attribute;

	type.is_void = !dwarf_attr_integrate(entry, DW_AT_type, &attribute) ||
		       !dwarf_formref_die(&attribute, &type.die);
	return type;
}

struct helper_type helper_type_of(Dwarf_Die *entry)
{
	Dwarf_Die unit;
	uint8_t address_size = 0;

	dwarf_diecu(entry, &unit, &address_size, NULL);
	return type_at(entry, address_size);
}

struct helper_type helper_type_peel(struct helper_type type)
{
	for (unsigned depth = 0; depth < DEPTH_MAX && !type.is_void; depth++) {
		struct helper_type inner;

		switch (dwarf_tag(&type.die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: break;
		default: return type;
		}
		inner = type_at(&type.die, type.address_size);
		inner.bit_size = type.bit_size;
		inner.bit_offset = type.bit_offset;
		type = inner;
	}
	return type;
}

unsigned helper_type_tag(const struct helper_type *peeled)
{
	return peeled->is_void ? 0 : (unsigned)dwarf_tag((Dwarf_Die *)&peeled->die);
}

/* The subrange of the array's own dimension. */
static bool find_dimension(const struct helper_type *array, unsigned dimension, Dwarf_Die *found)
{
	unsigned at = 0;

	if (dwarf_child((Dwarf_Die *)&array->die, found) != 0)
		return false;
	do {
		unsigned tag = (unsigned)dwarf_tag(found);
		bool is_dimension = tag == DW_TAG_subrange_type || tag == DW_TAG_enumeration_type;
		if (is_dimension && at++ == dimension)
			return true;
	} while (at < DEPTH_MAX && dwarf_siblingof(found, found) == 0);
	return false;
}

uint64_t helper_type_count(const struct helper_type *peeled)
{
	Dwarf_Die dimension;
	uint64_t count, lower = 0;

	if (!find_dimension(peeled, peeled->dimension, &dimension))
		return 0;
	if (number_of(&dimension, DW_AT_count, &count))
		return count;
	number_of(&dimension, DW_AT_lower_bound, &lower);
	/* An upper bound of -1 is how an array without elements is written. */
	return number_of(&dimension, DW_AT_upper_bound, &count) ? count - lower + 1 : 0;
}

struct helper_type helper_type_element(const struct helper_type *peeled)
{
	Dwarf_Die next;
	struct helper_type element = *peeled;

	element.bit_size = 0;
	if (find_dimension(peeled, peeled->dimension + 1, &next)) {
		element.dimension++;
		return element;
	}
	return type_at(&element.die, peeled->address_size);
}

struct helper_type helper_type_target(const struct helper_type *peeled)
{
	return type_at((Dwarf_Die *)&peeled->die, peeled->address_size);
}

static uint64_t size_of(const struct helper_type *type, unsigned depth)
{
	struct helper_type peeled = helper_type_peel(*type);
	uint64_t size;

	if (peeled.is_void || depth == DEPTH_MAX)
		return 0;
	if (helper_type_tag(&peeled) == DW_TAG_array_type) {
		struct helper_type element = helper_type_element(&peeled);
		uint64_t count = helper_type_count(&peeled), one = size_of(&element, depth + 1);
		return one && count > UINT64_MAX / 2 / one ? 0 : count * one;
	}
	if (number_of(&peeled.die, DW_AT_byte_size, &size))
		return size;
	switch (helper_type_tag(&peeled)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return peeled.address_size;
	default: return 0;
	}
}

uint64_t helper_type_size(const struct helper_type *type)
{
	if (type->bit_size)
		return (type->bit_offset + type->bit_size + 7) / 8;
	return size_of(type, 0);
}

/* Where a member begins. A location that has to be computed (virtual base classes) is not known. */
static bool member_offset(Dwarf_Die *member, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return true;
	if (number_of(member, DW_AT_data_member_location, offset))
		return true;
	if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
		ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

/* A bit field: *offset becomes that of the byte in which it begins. */
static void read_bits(Dwarf_Die *member, struct helper_type *type, uint64_t *offset)
{
	uint64_t size, at, storage = helper_type_size(type);

	if (!number_of(member, DW_AT_bit_size, &size) || size == 0 || size > 64)
		return;
	if (number_of(member, DW_AT_data_bit_offset, &at)) {
		*offset = at / 8;
	} else if (number_of(member, DW_AT_bit_offset, &at)) { /* from the high end: DWARF 2 */
		number_of(member, DW_AT_byte_size, &storage);
		at = storage * 8 - at - size;
		*offset += at / 8;
	} else {
		at = 0;
	}
	type->bit_size = (unsigned)size;
	type->bit_offset = at % 8;
}

static bool take_member(Dwarf_Die *child, struct helper_type *type, uint64_t *offset)
{
	*type = helper_type_of(child);
	if (!member_offset(child, offset))
		return false;
	read_bits(child, type, offset);
	return true;
}

static bool is_transparent(Dwarf_Die *child)
{
	return dwarf_tag(child) == DW_TAG_inheritance || !dwarf_diename(child);
}

static bool find_member(const struct helper_type *peeled, const char *name,
	struct helper_type *member, uint64_t *offset, unsigned depth)
{
	Dwarf_Die child;

	if (peeled->is_void || depth == DEPTH_MAX ||
		dwarf_child((Dwarf_Die *)&peeled->die, &child) != 0)
		return false;
	do {
		struct helper_type type;
		uint64_t at, inner;
		const char *found = dwarf_diename(&child);
		unsigned tag = (unsigned)dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
			!take_member(&child, &type, &at))
			continue;
		if (tag == DW_TAG_member && found && strcmp(found, name) == 0) {
			*member = type;
			*offset = at;
			return true;
		}
		struct helper_type inside = helper_type_peel(type);
		if (is_transparent(&child) &&
			find_member(&inside, name, member, &inner, depth + 1)) {
			*offset = at + inner;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool helper_type_member(const struct helper_type *peeled, const char *name,
	struct helper_type *member, uint64_t *offset)
{
	return find_member(peeled, name, member, offset, 0);
}

static void list_members(const struct helper_type *peeled,
	void (*take)(void *context, const char *name), void *context, unsigned depth)
{
	Dwarf_Die child;

	if (peeled->is_void || depth == DEPTH_MAX ||
		dwarf_child((Dwarf_Die *)&peeled->die, &child) != 0)
		return;
	do {
		unsigned tag = (unsigned)dwarf_tag(&child);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (!is_transparent(&child)) {
			take(context, dwarf_diename(&child));
			continue;
		}
		struct helper_type inside = helper_type_peel(helper_type_of(&child));
		list_members(&inside, take, context, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

void helper_type_members(const struct helper_type *peeled,
	void (*take)(void *context, const char *name), void *context)
{
	list_members(peeled, take, context, 0);
}

/* ---- The text of a type ---- */

static size_t append(char *text, size_t size, size_t at, const char *more)
{
	if (at < size)
		snprintf(text + at, size - at, "%s", more);
	return at + strlen(more);
}

static const char *prefix_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_structure_type: return "struct ";
	case DW_TAG_union_type: return "union ";
	case DW_TAG_enumeration_type: return "enum ";
	default: return "";
	}
}

/* C has its tags; in other languages the name is all. */
static bool is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;
	int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11;
}

static size_t put_text(
	const struct helper_type *type, char *text, size_t size, size_t at, unsigned depth);

static size_t put_array(
	const struct helper_type *type, char *text, size_t size, size_t at, unsigned depth)
{
	struct helper_type inner = *type;
	char number[32];
	size_t first;

	/* The element's own text, then all dimensions from the outermost. */
	for (first = 0; first < DEPTH_MAX; first++) {
		struct helper_type element = helper_type_element(&inner);
		bool more = !element.is_void && element.dimension == inner.dimension + 1;
		inner = element;
		if (!more)
			break;
	}
	at = put_text(&inner, text, size, at, depth + 1);
	inner = *type;
	for (size_t i = 0; i <= first; i++) {
		snprintf(number, sizeof(number), "[%llu]",
			(unsigned long long)helper_type_count(&inner));
		at = append(text, size, at, number);
		inner.dimension++;
	}
	return at;
}

static size_t put_pointer(const struct helper_type *type, char *text, size_t size, size_t at,
	unsigned depth, const char *sign)
{
	struct helper_type target = helper_type_target(type);

	at = put_text(&target, text, size, at, depth + 1);
	if (helper_type_tag(&target) == DW_TAG_subroutine_type)
		return at; /* says it all */
	if (at > 0 && at < size && text[at - 1] != '*')
		at = append(text, size, at, " ");
	return append(text, size, at, sign);
}

static size_t put_text(
	const struct helper_type *type, char *text, size_t size, size_t at, unsigned depth)
{
	Dwarf_Die *die = (Dwarf_Die *)&type->die;
	struct helper_type inner;

	if (type->is_void)
		return append(text, size, at, "void");
	if (depth == DEPTH_MAX || at >= size)
		return append(text, size, at, "...");
	switch (dwarf_tag(die)) {
	case DW_TAG_pointer_type: return put_pointer(type, text, size, at, depth, "*");
	case DW_TAG_reference_type: return put_pointer(type, text, size, at, depth, "&");
	case DW_TAG_rvalue_reference_type: return put_pointer(type, text, size, at, depth, "&&");
	case DW_TAG_array_type: return put_array(type, text, size, at, depth);
	case DW_TAG_subroutine_type:
		inner = type_at(die, type->address_size);
		at = put_text(&inner, text, size, at, depth + 1);
		return append(text, size, at, " (*)()");
	case DW_TAG_const_type: at = append(text, size, at, "const "); break;
	case DW_TAG_volatile_type: at = append(text, size, at, "volatile "); break;
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type: break;
	default:
		if (is_c(die))
			at = append(text, size, at, prefix_of((unsigned)dwarf_tag(die)));
		return append(text, size, at, dwarf_diename(die) ? dwarf_diename(die) : "{...}");
	}
	inner = type_at(die, type->address_size);
	return put_text(&inner, text, size, at, depth + 1);
}

size_t helper_type_text(const struct helper_type *type, char *text, size_t size)
{
	return put_text(type, text, size, 0, 0);
}

/* ---- Rows ---- */

struct queued {
	struct helper_type type;
	const char *name;
	uint64_t offset;
	bool is_constant;
	int64_t value;
};

struct row_queue {
	struct queued *items;
	uint32_t count;
};

static bool enqueue(struct row_queue *queue, const struct queued *item)
{
	if (queue->count == ROWS_MAX)
		return false;
	queue->items[queue->count++] = *item;
	return true;
}

static void queue_members(struct row_queue *queue, const struct helper_type *peeled)
{
	Dwarf_Die child;

	if (dwarf_child((Dwarf_Die *)&peeled->die, &child) != 0)
		return;
	do {
		struct queued item = {.name = dwarf_diename(&child)};
		unsigned tag = (unsigned)dwarf_tag(&child);

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
			take_member(&child, &item.type, &item.offset) && !enqueue(queue, &item))
			return;
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void queue_constants(struct row_queue *queue, const struct helper_type *peeled)
{
	Dwarf_Die child;

	if (dwarf_child((Dwarf_Die *)&peeled->die, &child) != 0)
		return;
	do {
		struct queued item = {.name = dwarf_diename(&child), .is_constant = true};
		Dwarf_Attribute attribute;
		Dwarf_Sword value;

		item.type.is_void = true;
		if (dwarf_tag(&child) != DW_TAG_enumerator ||
			!dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			dwarf_formsdata(&attribute, &value) != 0)
			continue;
		item.value = value;
		if (!enqueue(queue, &item))
			return;
	} while (dwarf_siblingof(&child, &child) == 0);
}

static enum ear_type_kind base_kind(const struct helper_type *peeled, uint32_t *flags)
{
	uint64_t encoding = 0;

	number_of((Dwarf_Die *)&peeled->die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_boolean: return EAR_TYPE_BOOLEAN;
	case DW_ATE_float: return EAR_TYPE_FLOAT;
	case DW_ATE_signed: *flags |= EAR_TYPE_SIGNED; return EAR_TYPE_INTEGER;
	case DW_ATE_unsigned: return EAR_TYPE_INTEGER;
	case DW_ATE_signed_char: *flags |= EAR_TYPE_SIGNED; return EAR_TYPE_CHARACTER;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF: return EAR_TYPE_CHARACTER;
	default: return EAR_TYPE_UNKNOWN;
	}
}

static enum ear_type_kind kind_of(const struct helper_type *peeled, uint32_t *flags)
{
	struct helper_type target;
	uint64_t signed_one;

	switch (helper_type_tag(peeled)) {
	case 0: return EAR_TYPE_VOID;
	case DW_TAG_base_type: return base_kind(peeled, flags);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		target = helper_type_peel(helper_type_target(peeled));
		if (helper_type_tag(&target) == DW_TAG_subroutine_type)
			*flags |= EAR_TYPE_FUNCTION;
		return EAR_TYPE_POINTER;
	case DW_TAG_enumeration_type:
		if (number_of((Dwarf_Die *)&peeled->die, DW_AT_encoding, &signed_one) &&
			signed_one == DW_ATE_signed)
			*flags |= EAR_TYPE_SIGNED;
		return EAR_TYPE_ENUM;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return EAR_TYPE_STRUCT;
	case DW_TAG_array_type: return EAR_TYPE_ARRAY;
	default: return EAR_TYPE_UNKNOWN;
	}
}

static void queue_children(
	struct row_queue *queue, const struct helper_type *peeled, enum ear_type_kind kind)
{
	struct queued element = {0};

	if (kind == EAR_TYPE_STRUCT) {
		queue_members(queue, peeled);
	} else if (kind == EAR_TYPE_ENUM) {
		queue_constants(queue, peeled);
	} else if (kind == EAR_TYPE_ARRAY) {
		element.type = helper_type_element(peeled);
		enqueue(queue, &element);
	}
}

static void put_row(struct ear_wire *rows, enum ear_type_kind kind, uint32_t flags,
	uint32_t type_name, uint32_t name, const uint64_t numbers[4], const uint32_t ends[4])
{
	ear_wire_u32(rows, kind);
	ear_wire_u32(rows, flags);
	ear_wire_u32(rows, type_name);
	ear_wire_u32(rows, name);
	for (size_t i = 0; i < 4; i++)
		ear_wire_u64(rows, numbers[i]);
	for (size_t i = 0; i < 4; i++)
		ear_wire_u32(rows, ends[i]);
}

static void put_type_row(struct row_queue *queue, const struct queued *item, struct ear_wire *rows,
	struct ear_wire *strings)
{
	struct helper_type peeled = helper_type_peel(item->type);
	uint32_t flags = 0, first = queue->count;
	enum ear_type_kind kind = item->is_constant ? EAR_TYPE_CONSTANT : kind_of(&peeled, &flags);
	char text[256] = "";

	if (!item->is_constant) {
		helper_type_text(&item->type, text, sizeof(text));
		queue_children(queue, &peeled, kind);
	}
	const uint64_t numbers[] = {item->is_constant ? 0 : helper_type_size(&item->type),
		item->offset, kind == EAR_TYPE_ARRAY ? helper_type_count(&peeled) : 0,
		(uint64_t)item->value};
	const uint32_t ends[] = {
		item->type.bit_size, item->type.bit_offset, first, queue->count - first};
	const uint32_t type_name = ear_wire_string(strings, text);
	put_row(rows, kind, flags, type_name, ear_wire_string(strings, item->name), numbers, ends);
}

uint32_t helper_type_put(
	const struct helper_type *type, struct ear_wire *rows, struct ear_wire *strings)
{
	struct row_queue queue = {.items = calloc(ROWS_MAX, sizeof(*queue.items))};
	const struct queued root = {.type = *type};
	uint32_t put = 0;

	if (!queue.items) {
		rows->failed = true;
		return 0;
	}
	enqueue(&queue, &root);
	for (; put < queue.count; put++)
		put_type_row(&queue, &queue.items[put], rows, strings);
	free(queue.items);
	return put;
}

/* The result and the parameters. Returns whether others may follow them. */
static bool queue_parameters(struct row_queue *queue, Dwarf_Die *function)
{
	struct queued result = {.type = helper_type_of(function)};
	bool open = false;
	Dwarf_Die child;

	enqueue(queue, &result);
	if (dwarf_child(function, &child) != 0)
		return false;
	do {
		struct queued item = {.name = dwarf_diename(&child)};
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			open = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		item.type = helper_type_of(&child);
		enqueue(queue, &item);
	} while (dwarf_siblingof(&child, &child) == 0);
	return open;
}

uint32_t helper_type_put_function(
	Dwarf_Die *function, struct ear_wire *rows, struct ear_wire *strings)
{
	struct row_queue queue = {.items = calloc(ROWS_MAX, sizeof(*queue.items)), .count = 1};
	uint32_t put = 1;

	if (!queue.items) {
		rows->failed = true;
		return 0;
	}
	const bool open = queue_parameters(&queue, function);
	const uint64_t numbers[4] = {0};
	const uint32_t ends[] = {0, 0, 1, queue.count - 1};
	const uint32_t type_name = ear_wire_string(strings, open ? "..." : "");
	put_row(rows, EAR_TYPE_STRUCT, 0, type_name,
		ear_wire_string(strings, dwarf_diename(function)), numbers, ends);
	for (; put < queue.count; put++)
		put_type_row(&queue, &queue.items[put], rows, strings);
	free(queue.items);
	return put;
}
