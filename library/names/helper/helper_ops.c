/* Operations of DWARF expressions. libdw has taken them apart; here each number that means
 * something only inside the file (an index of addresses, a type) is replaced by what it stands for.
 * Numbers of operations that nobody runs are left out: libdw keeps pointers in some.
 */
#include "library/names/helper/helper_ops.h"

#include <dwarf.h>

static void put_row(struct helper_ops *table, const Dwarf_Op *op, uint64_t number, uint64_t number2)
{
	ear_wire_u32(&table->rows, op->atom);
	ear_wire_u32(&table->rows, (uint32_t)op->offset);
	ear_wire_u64(&table->rows, number);
	ear_wire_u64(&table->rows, number2);
	table->count++;
}

static uint64_t indexed(const Dwarf_Op *op, Dwarf_Attribute *attribute)
{
	Dwarf_Attribute found;
	Dwarf_Addr address = 0;
	Dwarf_Word value = 0;

	if (!attribute || dwarf_getlocation_attr(attribute, op, &found) != 0)
		return 0;
	if (dwarf_formaddr(&found, &address) == 0)
		return address;
	dwarf_formudata(&found, &value);
	return value;
}

/* Size of a base type, plus 256 if it is signed; 0 for the generic type, 512 for what is none of
 * integers. */
static uint64_t base_type(const Dwarf_Op *op, Dwarf_Attribute *attribute)
{
	Dwarf_Die type;
	Dwarf_Attribute encoding;
	Dwarf_Word value = 0;

	if (!attribute || dwarf_getlocation_die(attribute, op, &type) != 0)
		return 0;
	int size = dwarf_bytesize(&type);
	if (size < 1 || size > 8 || !dwarf_attr(&type, DW_AT_encoding, &encoding) ||
		dwarf_formudata(&encoding, &value) != 0 || value == DW_ATE_float)
		return 512;
	bool is_signed = value == DW_ATE_signed || value == DW_ATE_signed_char;
	return (uint64_t)size | (is_signed ? 256u : 0);
}

static void put_op(struct helper_ops *table, const Dwarf_Op *op, Dwarf_Attribute *attribute)
{
	Dwarf_Block block;

	switch (op->atom) {
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index: put_row(table, op, indexed(op, attribute), 0); break;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		put_row(table, op, 0, op->number == 0 ? 0 : base_type(op, attribute));
		break;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type: put_row(table, op, op->number, base_type(op, attribute)); break;
	case DW_OP_implicit_value:
		if (!attribute || dwarf_getlocation_implicit_value(attribute, op, &block) != 0)
			block.length = 0;
		put_row(table, op, block.length, table->bytes.size);
		ear_wire_put(&table->bytes, block.data, block.length);
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: put_row(table, op, 0, 0); break;
	default: put_row(table, op, op->number, op->number2); break;
	}
}

void helper_ops_put(
	struct helper_ops *table, const Dwarf_Op *ops, size_t count, Dwarf_Attribute *attribute)
{
	for (size_t i = 0; i < count; i++)
		put_op(table, &ops[i], attribute);
}

void helper_ops_put_bytes(struct helper_ops *table, const void *bytes, size_t size)
{
	const Dwarf_Op op = {.atom = DW_OP_implicit_value};

	put_row(table, &op, size, table->bytes.size);
	ear_wire_put(&table->bytes, bytes, size);
}

void helper_ops_free(struct helper_ops *table)
{
	ear_wire_free(&table->rows);
	ear_wire_free(&table->bytes);
}
