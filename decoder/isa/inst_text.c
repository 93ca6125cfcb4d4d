/* The text of an instruction in the spelling of a tool, and its sources and class.
 *
 * A spelling is data: a template for each format, and one for each instruction that a tool writes
 * in another way (inst_whisper.def, which says what a template is). One loop copies a template and
 * fills in what $ and % stand for: every line of a text passes here, so nothing is looked up by
 * name.
 */
#include "decoder/isa/inst_table.h"

#include <assert.h>
#include <string.h>

/* Text is built here and copied out at the end, so that no function below needs to check for room:
 * EAR_INST_TEXT_SIZE is more than the longest text, and a test tries every format.
 */
struct text {
	size_t length;
	char bytes[EAR_INST_TEXT_SIZE];
};

static void put_char(struct text *text, char byte)
{
	assert(text->length < sizeof(text->bytes));
	text->bytes[text->length++] = byte;
}

static void put_string(struct text *text, const char *string)
{
	while (*string != '\0')
		put_char(text, *string++);
}

static void put_unsigned(struct text *text, uint32_t value, unsigned base)
{
	char digits[10];
	unsigned count = 0;

	do {
		digits[count++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	while (count != 0)
		put_char(text, digits[--count]);
}

static void put_decimal(struct text *text, int32_t value)
{
	if (value < 0)
		put_char(text, '-');
	put_unsigned(text, value < 0 ? 0 - (uint32_t)value : (uint32_t)value, 10);
}

static void put_hex(struct text *text, uint32_t value)
{
	put_string(text, "0x");
	put_unsigned(text, value, 16);
}

static void put_signed_hex(struct text *text, int32_t value)
{
	if (value < 0)
		put_char(text, '-');
	put_hex(text, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

static int copy_out(char *to, size_t size, const struct text *text)
{
	if (size != 0) {
		size_t length = text->length < size ? text->length : size - 1;

		memcpy(to, text->bytes, length);
		to[length] = '\0';
	}
	return (int)text->length;
}

/* What is written, and in whose spelling. */
struct scribe {
	struct text *text;
	const struct ear_inst *inst;
	enum ear_inst_style style;
};

static void put_register(struct text *text, enum ear_inst_style style, char letter, unsigned number)
{
	if (style == EAR_INST_SPIKE && letter != 'v') {
		put_string(text, ear_inst_abi_name(letter == 'f', number));
	} else {
		put_char(text, letter);
		put_unsigned(text, number, 10);
	}
}

static void put_operand(
	struct text *text, enum ear_inst_style style, const struct ear_operand *operand)
{
	unsigned number = (uint32_t)operand->value;

	switch ((enum ear_operand_kind)operand->kind) {
	case EAR_OPERAND_X: put_register(text, style, 'x', number); break;
	case EAR_OPERAND_F: put_register(text, style, 'f', number); break;
	case EAR_OPERAND_V: put_register(text, style, 'v', number); break;
	case EAR_OPERAND_CSR:
		put_char(text, 'c');
		put_unsigned(text, number, 10);
		break;
	case EAR_OPERAND_IMM: put_decimal(text, operand->value); break;
	}
}

/* A branch target: ". + 0x8" or ". - 0x8", Spike's "pc + 8". */
static void put_offset(const struct scribe *scribe, int32_t offset, uint32_t mask)
{
	uint32_t size = (offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset) & mask;

	put_string(scribe->text, scribe->style == EAR_INST_SPIKE ? "pc" : ".");
	put_string(scribe->text, offset < 0 ? " - " : " + ");
	put_hex(scribe->text, size);
}

/* Spike's way to write some of these, "pc + 8". */
static void put_decimal_offset(struct text *text, int32_t offset)
{
	put_string(text, offset < 0 ? "pc - " : "pc + ");
	put_unsigned(text, offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset, 10);
}

static void put_csr(const struct scribe *scribe, const struct ear_operand *operand)
{
	const char *name = ear_csr_name((unsigned)operand->value);

	if (name != NULL &&
		!(scribe->inst->xlen == 64 && ear_csr_is_rv32_only((unsigned)operand->value)))
		put_string(scribe->text, name);
	else
		put_operand(scribe->text, scribe->style, operand);
}

/* The four bits of one side of a fence are i, o, r, w; Whisper writes rwio. */
static void put_ordering(const struct scribe *scribe, int32_t bits)
{
	static const char letters[2][4] = {{'r', 'w', 'i', 'o'}, {'i', 'o', 'r', 'w'}};
	static const uint8_t places[2][4] = {{2, 1, 8, 4}, {8, 4, 2, 1}};
	unsigned order = scribe->style == EAR_INST_SPIKE;

	for (unsigned i = 0; i < 4; i++)
		if (bits & places[order][i])
			put_char(scribe->text, letters[order][i]);
	if (bits == 0)
		put_char(scribe->text, '0');
}

static const char *mnemonic(const struct scribe *scribe)
{
	const char *name = ear_inst_spellings[scribe->style].names[scribe->inst->id];

	return name != NULL ? name : ear_inst_rows[scribe->inst->id].name;
}

/* The mnemonic in a column of width characters, and at least one blank after it. */
static void put_name(const struct scribe *scribe, size_t width)
{
	put_string(scribe->text, mnemonic(scribe));
	do {
		put_char(scribe->text, ' ');
	} while (scribe->text->length < width);
}

static void put_rounding_mode(const struct scribe *scribe, bool with_dynamic)
{
	static const char names[8][5] = {"rne", "rtz", "rdn", "rup", "rmm", "inv1", "inv2", "dyn"};

	if (!(scribe->inst->flags & EAR_INST_ROUNDS) || (scribe->inst->rm == 7 && !with_dynamic))
		return;
	put_string(scribe->text, ", ");
	put_string(scribe->text, names[scribe->inst->rm]);
}

/* Digits of a template. */
static unsigned take_number(const char **at)
{
	unsigned number = 0;

	while (**at >= '0' && **at <= '9')
		number = number * 10 + (unsigned)(*(*at)++ - '0');
	return number;
}

/* What follows a %. */
static const char *put_property(const struct scribe *scribe, const char *at)
{
	unsigned width = take_number(&at);

	switch (*at++) {
	case 'n': put_name(scribe, width != 0 ? width : 9); break;
	case 'm': put_string(scribe->text, mnemonic(scribe)); break;
	case 'a':
		if (scribe->inst->flags & EAR_INST_ACQUIRE)
			put_string(scribe->text, ".aq");
		if (scribe->inst->flags & EAR_INST_RELEASE)
			put_string(scribe->text, ".rl");
		break;
	case 'r': put_rounding_mode(scribe, true); break;
	case 'R': put_rounding_mode(scribe, false); break;
	case 'v':
		if ((scribe->inst->opcode >> 25 & 1) == 0)
			put_string(scribe->text, ", v0.t");
		break;
	default: assert(!"a template has an unknown %");
	}
	return at;
}

/* "/12", or nothing. */
static unsigned take_shift(const char **at)
{
	if (**at != '/')
		return 0;
	(*at)++;
	return take_number(at);
}

/* What follows a $: how, which operand, and the shift. */
static const char *put_field(const struct scribe *scribe, const char *at)
{
	char how = *at >= '0' && *at <= '9' ? '\0' : *at++;
	const struct ear_operand *operand = &scribe->inst->operands[*at++ - '0'];
	unsigned shift = take_shift(&at);
	int32_t value = operand->value >> shift;

	switch (how) {
	case '\0': put_operand(scribe->text, scribe->style, operand); break;
	case 'x': put_hex(scribe->text, (uint32_t)operand->value >> shift); break;
	case 's': put_signed_hex(scribe->text, value); break;
	case 'o': put_offset(scribe, value, UINT32_MAX); break;
	case 'j': put_offset(scribe, value, 0xfffff); break;
	case 'd': put_decimal_offset(scribe->text, value); break;
	case 'c': put_csr(scribe, operand); break;
	case 'f': put_ordering(scribe, value); break;
	case 'n': put_unsigned(scribe->text, (uint32_t)value, 10); break;
	default: assert(!"a template has an unknown $");
	}
	return at;
}

static void put_template(const struct scribe *scribe, const char *at)
{
	while (*at != '\0') {
		if (*at == '$')
			at = put_field(scribe, at + 1);
		else if (*at == '%')
			at = put_property(scribe, at + 1);
		else
			put_char(scribe->text, *at++);
	}
}

/* The text of an alias that fits, or NULL. The aliases are in the order of the ids. */
static const char *find_alias(const struct ear_inst_spelling *spelling, const struct ear_inst *inst)
{
	const struct ear_inst_alias *aliases = spelling->aliases;
	unsigned first = 0;
	unsigned end = spelling->alias_count;

	while (first < end) {
		unsigned middle = (first + end) / 2;

		if (aliases[middle].id < inst->id)
			first = middle + 1;
		else
			end = middle;
	}
	for (; first < spelling->alias_count && aliases[first].id == inst->id; first++)
		if ((inst->opcode & aliases[first].mask) == aliases[first].match)
			return aliases[first].text;
	return NULL;
}

int ear_inst_text(char *text, size_t size, const struct ear_inst *inst, enum ear_inst_style style)
{
	const struct ear_inst_spelling *spelling = &ear_inst_spellings[style];
	const char *template = find_alias(spelling, inst);
	struct text whole;

	if (template == NULL)
		template = spelling->syntax[ear_inst_rows[inst->id].format];
	whole.length = 0;
	if (template != NULL)
		put_template(&(struct scribe){&whole, inst, style}, template);
	return copy_out(text, size, &whole);
}

int ear_inst_disassemble(char *text, size_t size, const struct ear_inst *inst)
{
	return ear_inst_text(text, size, inst, EAR_INST_WHISPER);
}

/* The registers that are read and the immediates, joined with ';'. */
static void put_sources(struct text *text, const struct ear_inst *inst)
{
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];

		if (operand->kind != EAR_OPERAND_IMM && !(operand->access & EAR_OPERAND_READ))
			continue;
		if (text->length != 0)
			put_char(text, ';');
		if (operand->kind == EAR_OPERAND_IMM) {
			put_char(text, 'i');
			put_unsigned(text, (uint32_t)operand->value, 16);
		} else {
			put_operand(text, EAR_INST_WHISPER, operand);
		}
	}
}

int ear_inst_sources(char *text, size_t size, const struct ear_inst *inst, unsigned frm)
{
	const char *template = ear_inst_spellings[EAR_INST_WHISPER].sources[inst->id];
	struct text whole;

	assert(frm < 8);
	whole.length = 0;
	if (template != NULL)
		put_template(&(struct scribe){&whole, inst, EAR_INST_WHISPER}, template);
	else
		put_sources(&whole, inst);
	if (inst->flags & EAR_INST_ROUNDS) {
		put_string(&whole, whole.length != 0 ? ";rm=" : "rm=");
		put_unsigned(&whole, inst->rm == 7 ? frm : inst->rm, 10);
	}
	return copy_out(text, size, &whole);
}

const char *ear_inst_info(const struct ear_inst *inst, bool taken)
{
	if (inst->extension == EAR_EXT_A)
		return "a";
	switch ((enum ear_inst_kind)inst->kind) {
	case EAR_KIND_LOAD: return "l";
	case EAR_KIND_STORE: return "s";
	case EAR_KIND_BRANCH: return taken ? "t" : "nt";
	case EAR_KIND_JUMP:
		if (inst->id == EAR_INST_C_JAL)
			return "";
		if (inst->flags & EAR_INST_RETURN)
			return "r";
		return inst->flags & EAR_INST_CALL ? "c" : "j";
	case EAR_KIND_FP: return "f";
	default: return "";
	}
}
