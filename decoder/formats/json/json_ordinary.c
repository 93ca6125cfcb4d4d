/* The lines of which a trace has millions. Nothing is looked for: either the next characters are
 * those that the writer puts there, or the line is left to the reader of any JSON. So nothing here
 * has to know what is wrong with a line.
 */
#include "decoder/formats/json/json_ordinary.h"

#include "decoder/text/char_mask.h"
#include "decoder/text/number_scan.h"

#define DIGITS_MAX 18 /* of a decimal number, which has 64 bits then */

static inline bool take(struct ear_text_cursor *at, const char *text, size_t size)
{
	if ((size_t)(at->end - at->at) < size || memcmp(at->at, text, size) != 0)
		return false;
	at->at += size;
	return true;
}

#define TAKE(at, text) take(at, text, sizeof(text) - 1)

static inline bool take_decimal(struct ear_text_cursor *cursor, uint64_t *value, uint64_t max)
{
	const char *at = cursor->at;
	uint64_t sum = 0;

	while (at < cursor->end && ear_text_is_digit(*at))
		sum = sum * 10 + (unsigned)(*at++ - '0');
	const size_t digits = (size_t)(at - cursor->at);
	cursor->at = at;
	*value = sum;
	return digits > 0 && digits <= DIGITS_MAX && sum <= max;
}

/* After "0x, with the quote that ends it. */
static inline bool take_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	const char *at = cursor->at + ear_hex_scan(cursor->at, value);

	if (at == cursor->at || at >= cursor->end || *at != '"')
		return false;
	cursor->at = at + 1;
	return true;
}

/* A name up to the quote that ends it. */
static inline bool skip_name(struct ear_text_cursor *cursor)
{
	const uint32_t marks = ear_string_mask_32(cursor->at);
	const char *at = cursor->at + (marks ? __builtin_ctz(marks) : 32);

	if (at >= cursor->end || *at != '"')
		return false;
	cursor->at = at + 1;
	return true;
}

static bool take_head(struct ear_text_cursor *at, struct ear_record *record)
{
	uint64_t hart, xlen, size, unused;

	if (!TAKE(at, "{\"kind\":\"instruction\",\"schema\":2,\"hart\":") ||
		!take_decimal(at, &hart, UINT16_MAX) || !TAKE(at, ",\"index\":") ||
		!take_decimal(at, &record->index, UINT64_MAX))
		return false;
	if (TAKE(at, ",\"offset\":") && !take_decimal(at, &unused, UINT64_MAX))
		return false;
	if (TAKE(at, ",\"line\":") && !take_decimal(at, &unused, UINT64_MAX))
		return false;
	if (TAKE(at, ",\"time\":")) {
		record->flags |= EAR_RECORD_HAS_TIME;
		if (!take_decimal(at, &record->ticks, UINT64_MAX))
			return false;
	}
	if (!TAKE(at, ",\"isa\":\"riscv\",\"xlen\":") || !take_decimal(at, &xlen, 64) ||
		(xlen != 32 && xlen != 64) || !TAKE(at, ",\"pc\":\"0x") ||
		!take_hex(at, &record->pc) || !TAKE(at, ",\"opcode\":\"0x") ||
		!take_hex(at, &record->opcode) || !TAKE(at, ",\"opcode_size\":") ||
		!take_decimal(at, &size, 8))
		return false;
	record->isa = EAR_ISA_RISCV;
	record->hart = (uint16_t)hart;
	record->xlen = (uint8_t)xlen;
	record->opcode_size = (uint8_t)size;
	return true;
}

static bool take_privilege(struct ear_text_cursor *at, struct ear_record *record)
{
	if (TAKE(at, "m\""))
		record->privilege = EAR_PRIVILEGE_M;
	else if (TAKE(at, "s\""))
		record->privilege = EAR_PRIVILEGE_S;
	else if (TAKE(at, "u\""))
		record->privilege = EAR_PRIVILEGE_U;
	else
		return false;
	return true;
}

static bool take_register(struct ear_text_cursor *at, struct ear_record_register *reg)
{
	uint64_t number;

	if (TAKE(at, "{\"class\":\"x\",\"number\":"))
		reg->reg_class = EAR_REGISTER_X;
	else if (TAKE(at, "{\"class\":\"f\",\"number\":"))
		reg->reg_class = EAR_REGISTER_F;
	else if (TAKE(at, "{\"class\":\"csr\",\"number\":"))
		reg->reg_class = EAR_REGISTER_CSR;
	else
		return false;
	if (!take_decimal(at, &number, reg->reg_class == EAR_REGISTER_CSR ? 4095 : 31))
		return false;
	reg->number = (uint16_t)number;
	return TAKE(at, ",\"value\":\"0x") && take_hex(at, &reg->value) && TAKE(at, "}");
}

static bool take_registers(
	struct ear_text_cursor *at, struct ear_record_builder *builder, bool light)
{
	do {
		struct ear_record_register unused = {0};
		struct ear_record_register *reg =
			light ? &unused : ear_record_builder_register(builder);
		if (!reg || !take_register(at, reg))
			return false;
	} while (TAKE(at, ","));
	return TAKE(at, "]");
}

static bool take_access(struct ear_text_cursor *at, struct ear_record_access *access)
{
	uint64_t size;

	access->write = TAKE(at, "{\"write\":true,\"address\":\"0x");
	if ((!access->write && !TAKE(at, "{\"write\":false,\"address\":\"0x")) ||
		!take_hex(at, &access->address))
		return false;
	if (TAKE(at, ",\"size\":")) {
		if (!take_decimal(at, &size, 8))
			return false;
		access->size = (uint8_t)size;
	}
	access->has_value = TAKE(at, ",\"value\":\"0x");
	return (!access->has_value || take_hex(at, &access->value)) && TAKE(at, "}");
}

static bool take_memory(struct ear_text_cursor *at, struct ear_record_builder *builder, bool light)
{
	do {
		struct ear_record_access unused = {0};
		struct ear_record_access *access =
			light ? &unused : ear_record_builder_access(builder);
		if (!access || !take_access(at, access))
			return false;
	} while (TAKE(at, ","));
	return TAKE(at, "]");
}

bool ear_json_ordinary(struct ear_record_builder *builder, struct ear_text line, bool light)
{
	struct ear_text_cursor at = ear_text_cursor(line.text, line.size);
	struct ear_record *record = &builder->record;

	if (!take_head(&at, record))
		return false;
	if (TAKE(&at, ",\"mnemonic\":\"") && !skip_name(&at))
		return false;
	if (TAKE(&at, ",\"class\":\"") && !skip_name(&at))
		return false;
	if (!TAKE(&at, ",\"privilege\":\""))
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
	else if (!take_privilege(&at, record))
		return false;
	if (!TAKE(&at, ",\"next_pc\":\"0x"))
		record->flags |= EAR_RECORD_NO_NEXT_PC;
	else if (!take_hex(&at, &record->next_pc))
		return false;
	if (TAKE(&at, ",\"taken\":true"))
		record->flags |= EAR_RECORD_TAKEN;
	if (TAKE(&at, ",\"registers\":[") && !take_registers(&at, builder, light))
		return false;
	if (TAKE(&at, ",\"memory\":[") && !take_memory(&at, builder, light))
		return false;
	return TAKE(&at, "}") && ear_text_at_end(&at);
}
