/* The lines of which a trace has many: instructions, also those that trapped, with registers of all
 * kinds but named ones, texts of the source, and registers that were read. Nothing is looked for:
 * either the next characters are those that the writer puts there, or the line is left to the
 * reader of any JSON. So nothing here has to know what is wrong with a line.
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
		!take_hex(at, &record->pc))
		return false;
	if (TAKE(at, ",\"pc_physical\":\"0x")) {
		record->flags |= EAR_RECORD_PC_PHYSICAL;
		if (!take_hex(at, &record->pc_physical))
			return false;
	}
	if (!TAKE(at, ",\"opcode\":\"0x"))
		record->flags |= EAR_RECORD_NO_OPCODE;
	else if (!take_hex(at, &record->opcode))
		return false;
	if (!TAKE(at, ",\"opcode_size\":") || !take_decimal(at, &size, 8))
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

/* The value of a vector register, with the quote that ends it. builder NULL: it is not kept. */
static bool take_bytes(struct ear_text_cursor *at, struct ear_record_builder *builder,
	struct ear_record_register *reg)
{
	if (!builder)
		while (!ear_text_at_end(at) && ear_hex_digit(*at->at) >= 0)
			at->at++;
	else if (!ear_record_builder_bytes(builder, reg, at))
		return false;
	return TAKE(at, "\"");
}

static bool take_vector(struct ear_text_cursor *at, struct ear_record_builder *builder,
	struct ear_record_register *reg)
{
	uint64_t number;

	reg->reg_class = EAR_REGISTER_V;
	if (!take_decimal(at, &number, 31) || !TAKE(at, ",\"value\":\"0x"))
		return false;
	reg->number = (uint16_t)number;
	return take_bytes(at, builder, reg) && TAKE(at, "}");
}

static bool take_register(struct ear_text_cursor *at, struct ear_record_builder *builder,
	struct ear_record_register *reg)
{
	uint64_t number, size;

	if (TAKE(at, "{\"class\":\"x\",\"number\":"))
		reg->reg_class = EAR_REGISTER_X;
	else if (TAKE(at, "{\"class\":\"f\",\"number\":"))
		reg->reg_class = EAR_REGISTER_F;
	else if (TAKE(at, "{\"class\":\"csr\",\"number\":"))
		reg->reg_class = EAR_REGISTER_CSR;
	else
		return TAKE(at, "{\"class\":\"v\",\"number\":") && take_vector(at, builder, reg);
	if (!take_decimal(at, &number, reg->reg_class == EAR_REGISTER_CSR ? 4095 : 31))
		return false;
	reg->number = (uint16_t)number;
	if (TAKE(at, ",\"size\":")) {
		if (!take_decimal(at, &size, 8))
			return false;
		reg->size = (uint8_t)size;
	}
	return TAKE(at, ",\"value\":\"0x") && take_hex(at, &reg->value) && TAKE(at, "}");
}

static bool take_registers(struct ear_text_cursor *at, struct ear_record_builder *builder,
	bool light, struct ear_record_register *(*make)(struct ear_record_builder *builder))
{
	do {
		struct ear_record_register unused = {0};
		struct ear_record_register *reg = light ? &unused : make(builder);
		if (!reg || !take_register(at, light ? NULL : builder, reg))
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
	access->has_physical = TAKE(at, ",\"physical\":\"0x");
	if (access->has_physical && !take_hex(at, &access->physical))
		return false;
	if (TAKE(at, ",\"size\":")) {
		if (!take_decimal(at, &size, 8))
			return false;
		access->size = (uint8_t)size;
	}
	access->has_value = TAKE(at, ",\"value\":\"0x");
	if (access->has_value && !take_hex(at, &access->value))
		return false;
	access->masked = TAKE(at, ",\"masked\":true");
	return TAKE(at, "}");
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

/* A small number that is there, or not, which is 0. */
static bool take_small(
	struct ear_text_cursor *at, const char *key, size_t size, uint8_t *value, uint64_t max)
{
	uint64_t number = 0;

	if (take(at, key, size) && !take_decimal(at, &number, max))
		return false;
	*value = (uint8_t)number;
	return true;
}

#define TAKE_SMALL(at, key, value, max) take_small(at, key, sizeof(key) - 1, value, max)

/* What few records have: a cause, state that opcodes depend on, why it did not finish. */
static bool take_rest(struct ear_text_cursor *at, struct ear_record *record)
{
	const bool cause = TAKE(at, ",\"cause\":\"0x");

	if ((cause && !take_hex(at, &record->cause)) ||
		!TAKE_SMALL(at, ",\"frm\":", &record->frm, 7) ||
		!TAKE_SMALL(at, ",\"vtype\":", &record->vtype, UINT8_MAX) ||
		!TAKE_SMALL(at, ",\"fflags\":", &record->fflags, UINT8_MAX))
		return false;
	if (TAKE(at, ",\"taken\":true"))
		record->flags |= EAR_RECORD_TAKEN;
	const bool trap = TAKE(at, ",\"trap\":true"), interrupt = TAKE(at, ",\"interrupt\":true");
	record->flags |= trap ? EAR_RECORD_TRAP : 0;
	record->flags |= interrupt ? EAR_RECORD_INTERRUPT : 0;
	record->flags |= (trap || interrupt) && !cause ? EAR_RECORD_NO_CAUSE : 0;
	return true;
}

/* What a tool wrote, without escapes; builder NULL: it is not kept. */
static bool take_text(
	struct ear_text_cursor *at, struct ear_record_builder *builder, struct ear_text *text)
{
	const char *const begin = at->at;
	uint32_t marks;

	while ((marks = ear_string_mask_32(at->at)) == 0 && at->end - at->at > 32)
		at->at += 32;
	at->at += marks ? __builtin_ctz(marks) : 32;
	if (at->at >= at->end || *at->at != '"')
		return false;
	const struct ear_text string = {begin, (size_t)(at->at++ - begin)};
	*text = builder ? ear_record_builder_copy(builder, string) : (struct ear_text){NULL, 0};
	return !builder || text->text;
}

#define TAKE_TEXT(at, key, builder, text) \
	(!TAKE(at, ",\"" key "\":\"") || take_text(at, builder, text))

/* Texts of the source, its trap value and task, registers that were read; names of ours. */
static bool take_extra(struct ear_text_cursor *at, struct ear_record_builder *builder, bool light)
{
	struct ear_record_extra *extra = &builder->extra;
	struct ear_text unused;

	if (!TAKE_TEXT(at, "time_unit", builder, &extra->time_unit) ||
		!TAKE_TEXT(at, "mode_name", builder, &extra->mode_name) ||
		!TAKE_TEXT(at, "task_name", builder, &extra->task_name) ||
		!TAKE_TEXT(at, "disassembly", builder, &extra->disassembly) ||
		!TAKE_TEXT(at, "sources", builder, &extra->sources) ||
		!TAKE_TEXT(at, "info", builder, &extra->info))
		return false;
	extra->has_trap_value = TAKE(at, ",\"trap_value\":\"0x");
	if (extra->has_trap_value && !take_hex(at, &extra->trap_value))
		return false;
	extra->has_task = TAKE(at, ",\"task\":");
	if (extra->has_task && !take_decimal(at, &extra->task, UINT64_MAX))
		return false;
	if (TAKE(at, ",\"reads\":[") &&
		!take_registers(at, builder, light, ear_record_builder_read))
		return false;
	return TAKE_TEXT(at, "symbol", NULL, &unused) &&
	       TAKE_TEXT(at, "source_line", NULL, &unused);
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
	else if (at.end - at.at > 2 && *at.at == ',' && at.at[2] != 'r' && at.at[2] != 'm' &&
		 !take_rest(&at, record))
		return false;
	if (TAKE(&at, ",\"registers\":[") &&
		!take_registers(&at, builder, light, ear_record_builder_register))
		return false;
	if (TAKE(&at, ",\"memory\":[") && !take_memory(&at, builder, light))
		return false;
	if (at.end - at.at > 1 && !take_extra(&at, builder, light))
		return false;
	return TAKE(&at, "}") && ear_text_at_end(&at);
}
