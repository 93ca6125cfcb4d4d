/* Values in commit lines that are not one number: the configuration of the vector unit, and f
 * registers of 128 bits.
 */
#include "decoder/formats/spike/spike_values.h"

#include <string.h>

#include "common/protocol/bytes.h"
#include "decoder/formats/spike/spike_hart.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/text/text_put.h"

#define WIDE_FLOAT 16 /* bytes of an f register of the extension Q */

static bool add_read(struct ear_record_builder *builder, const char *name, uint64_t value)
{
	struct ear_record_register *reg = ear_record_builder_read(builder);

	if (!reg)
		return false;
	*reg = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR, .number = EAR_CSR_VL};
	reg->value = value;
	if (name) {
		reg->reg_class = EAR_REGISTER_NAMED;
		reg->number = 0;
		reg->text_size = (uint32_t)strlen(name);
		reg->text.name = name;
	}
	return true;
}

/* " e32 m1 l4", " e8 mf2 l4": in vlmul's encoding a fraction 1/n is 8 - log2(n). */
bool ear_spike_take_vector_config(
	struct ear_record_builder *builder, struct ear_text_cursor *cursor)
{
	uint64_t sew, lmul, length;
	bool fraction = false;

	if (!ear_text_take(cursor, 'e') || !ear_text_decimal(cursor, &sew) ||
		!ear_text_skip_blanks(cursor) || !ear_text_take(cursor, 'm'))
		return false;
	fraction = ear_text_take(cursor, 'f');
	if (!ear_text_decimal(cursor, &lmul) || lmul == 0 || lmul > (fraction ? 16 : 8) ||
		(lmul & (lmul - 1)) || !ear_text_skip_blanks(cursor) ||
		!ear_text_take(cursor, 'l') || !ear_text_decimal(cursor, &length))
		return false;
	unsigned log = (unsigned)__builtin_ctzll(lmul);
	unsigned vlmul = fraction ? (8 - log) & 7 : log;
	if (sew >= 8 && sew <= 64 && (sew & (sew - 1)) == 0)
		builder->record.vtype =
			(uint8_t)(EAR_VTYPE_KNOWN | ((unsigned)__builtin_ctzll(sew) - 3) << 3 |
				  vlmul);
	return add_read(builder, EAR_SPIKE_SEW, sew) && add_read(builder, EAR_SPIKE_LMUL, vlmul) &&
	       add_read(builder, NULL, length);
}

/* An f register of 128 bits whose value is no boxed one of 64 has no room as such: it is named, and
 * its bytes follow the name. */
static bool name_wide_float(struct ear_record_builder *builder, struct ear_record_register *reg)
{
	char *name = ear_record_builder_text(builder, 3 + WIDE_FLOAT);

	if (!name)
		return false;
	size_t size = (size_t)(ear_put_decimal(ear_put_word(name, "f"), reg->number) - name);
	memcpy(name + size, reg->text.bytes, WIDE_FLOAT);
	reg->reg_class = EAR_REGISTER_NAMED;
	reg->number = 0;
	reg->text.name = name;
	reg->text_size = (uint32_t)size;
	return true;
}

bool ear_spike_take_wide_float(struct ear_record_builder *builder, struct ear_record_register *reg,
	struct ear_text_cursor *cursor)
{
	if (!ear_text_take_word(cursor, "0x") || !ear_record_builder_bytes(builder, reg, cursor) ||
		reg->text_size != WIDE_FLOAT)
		return false;
	reg->size = WIDE_FLOAT;
	reg->value = ear_load_le64(reg->text.bytes);
	if (ear_load_le64(reg->text.bytes + 8) != UINT64_MAX)
		return name_wide_float(builder, reg);
	reg->text_size = 0;
	return true;
}
