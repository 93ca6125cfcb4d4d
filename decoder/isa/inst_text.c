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

/* A text is built where it is wanted if there is room for the longest, which it then cannot exceed,
 * and else in a block of that size: so no function below needs to check for room, and a test tries
 * every format. Each takes the place to write to and returns the place after.
 */
static char *put_string(char *at, const char *string)
{
	while (*string != '\0')
		*at++ = *string++;
	return at;
}

static char *put_decimal_unsigned(char *at, uint32_t value)
{
	char digits[10];
	unsigned count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	while (count != 0)
		*at++ = digits[--count];
	return at;
}

static char *put_hex_digits(char *at, uint32_t value)
{
	unsigned shift = 28;

	while (shift != 0 && value >> shift == 0)
		shift -= 4;
	for (;; shift -= 4) {
		*at++ = "0123456789abcdef"[value >> shift & 15];
		if (shift == 0)
			return at;
	}
}

static char *put_decimal(char *at, int32_t value)
{
	if (value < 0)
		*at++ = '-';
	return put_decimal_unsigned(at, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

static char *put_hex(char *at, uint32_t value)
{
	*at++ = '0';
	*at++ = 'x';
	return put_hex_digits(at, value);
}

static char *put_signed_hex(char *at, int32_t value)
{
	if (value < 0)
		*at++ = '-';
	return put_hex(at, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

/* The end of a text that begins at text, and is wanted at to. */
static int finish(char *to, size_t size, char *text, char *end)
{
	size_t whole = (size_t)(end - text);

	assert(whole < EAR_INST_TEXT_SIZE);
	if (to == text) {
		*end = '\0';
	} else if (size != 0) {
		size_t length = whole < size ? whole : size - 1;

		memcpy(to, text, length);
		to[length] = '\0';
	}
	return (int)whole;
}

/* What is written, and in whose spelling. */
struct scribe {
	const struct ear_inst *inst;
	enum ear_inst_style style;
};

/* Two digits at most: quicker than any number, and most of a text. */
static char *put_register(char *at, enum ear_inst_style style, char letter, unsigned number)
{
	if (style != EAR_INST_WHISPER && letter != 'v')
		return put_string(at, ear_inst_abi_name(letter == 'f', number));
	*at++ = letter;
	if (number >= 10)
		*at++ = (char)('0' + number / 10);
	*at++ = (char)('0' + number % 10);
	return at;
}

static char *put_operand(char *at, enum ear_inst_style style, const struct ear_operand *operand)
{
	unsigned number = (uint32_t)operand->value;

	switch ((enum ear_operand_kind)operand->kind) {
	case EAR_OPERAND_X: return put_register(at, style, 'x', number);
	case EAR_OPERAND_F: return put_register(at, style, 'f', number);
	case EAR_OPERAND_V: return put_register(at, style, 'v', number);
	case EAR_OPERAND_CSR: *at++ = 'c'; return put_decimal_unsigned(at, number);
	case EAR_OPERAND_IMM: return put_decimal(at, operand->value);
	}
	return at;
}

/* A branch target: ". + 0x8" or ". - 0x8", Spike's "pc + 8". */
static char *put_offset(char *at, const struct scribe *scribe, int32_t offset, uint32_t mask)
{
	uint32_t size = (offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset) & mask;

	at = put_string(at, scribe->style != EAR_INST_WHISPER ? "pc" : ".");
	at = put_string(at, offset < 0 ? " - " : " + ");
	return put_hex(at, size);
}

/* Spike's way to write some of these, "pc + 8". */
static char *put_decimal_offset(char *at, int32_t offset)
{
	at = put_string(at, offset < 0 ? "pc - " : "pc + ");
	return put_decimal_unsigned(at, offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset);
}

/* Spike has names for all XLENs, and three digits where it has none. */
static char *put_spike_csr(char *at, unsigned number)
{
	const char *name = ear_csr_spike_name(number);

	at = put_string(at, name != NULL ? name : "unknown_");
	for (int shift = 8; name == NULL && shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[number >> shift & 15];
	return at;
}

static char *put_csr(char *at, const struct scribe *scribe, const struct ear_operand *operand)
{
	unsigned number = (unsigned)operand->value;
	const char *name = ear_csr_name(number);

	if (scribe->style != EAR_INST_WHISPER)
		return put_spike_csr(at, number);
	if (name == NULL || (scribe->inst->xlen == 64 && ear_csr_is_rv32_only(number)))
		return put_operand(at, scribe->style, operand);
	return put_string(at, name);
}

/* The four bits of one side of a fence are i, o, r, w; Whisper writes rwio. Spike writes the side
 * that is empty as nothing, and a comma only after something. */
static char *put_ordering(char *at, const struct scribe *scribe, int32_t bits, bool before)
{
	static const char letters[2][4] = {{'r', 'w', 'i', 'o'}, {'i', 'o', 'r', 'w'}};
	static const uint8_t places[2][4] = {{2, 1, 8, 4}, {8, 4, 2, 1}};
	unsigned order = scribe->style != EAR_INST_WHISPER;

	for (unsigned i = 0; i < 4; i++)
		if (bits & places[order][i])
			*at++ = letters[order][i];
	if (bits == 0 && scribe->style == EAR_INST_WHISPER)
		*at++ = '0';
	if (bits != 0 && before)
		*at++ = ',';
	return at;
}

static char *put_mnemonic(char *at, const struct scribe *scribe)
{
	const char *name = ear_inst_spellings[scribe->style].names[scribe->inst->id];

	return put_string(at, name != NULL ? name : ear_inst_rows[scribe->inst->id].name);
}

/* Which sides of an atomic are ordered; both: as the tool writes both. */
static char *put_order_bits(char *at, const struct scribe *scribe, const char *both)
{
	switch (scribe->inst->flags & (EAR_INST_ACQUIRE | EAR_INST_RELEASE)) {
	case EAR_INST_ACQUIRE: return put_string(at, ".aq");
	case EAR_INST_RELEASE: return put_string(at, ".rl");
	case 0: return at;
	default: return put_string(at, both);
	}
}

/* The mnemonic in a column of width characters, and at least one blank after it; an atomic with
 * its bits. */
static char *put_name(char *at, const struct scribe *scribe, size_t width, bool atomic)
{
	const char *end = at + width;

	at = put_mnemonic(at, scribe);
	if (atomic)
		at = put_order_bits(at, scribe, ".aqrl");
	do {
		*at++ = ' ';
	} while (at < end);
	return at;
}

static char *put_rounding_mode(char *at, const struct scribe *scribe, bool with_dynamic)
{
	static const char names[8][5] = {"rne", "rtz", "rdn", "rup", "rmm", "inv1", "inv2", "dyn"};

	if (!(scribe->inst->flags & EAR_INST_ROUNDS) || (scribe->inst->rm == 7 && !with_dynamic))
		return at;
	at = put_string(at, ", ");
	return put_string(at, names[scribe->inst->rm]);
}

/* The constants of fli. Whisper rounds two, and infinity is 65536.0 but for fli.h. */
static char *put_constant(char *at, const struct scribe *scribe, unsigned number)
{
	static const char names[32][18] = {"-1.0", "min", "1.52587890625e-05", "3.0517578125e-05",
		"0.00390625", "0.0078125", "0.0625", "0.125", "0.25", "0.3125", "0.375", "0.4375",
		"0.5", "0.625", "0.75", "0.875", "1.0", "1.25", "1.5", "1.75", "2.0", "2.5", "3.0",
		"4.0", "8.0", "16.0", "128.0", "256.0", "32768.0", "65536.0", "inf", "nan"};

	if (scribe->style == EAR_INST_WHISPER) {
		if (number == 2 || number == 3)
			return put_string(at, number == 2 ? "1.52587891e-05" : "3.05175781e-05");
		if (number == 30 && scribe->inst->id != EAR_INST_FLI_H)
			number = 29;
	}
	return put_string(at, names[number & 31]);
}

/* "s0", "s0-s11": registers that have numbers of their own in Spike's spelling. */
static char *put_saved(char *at, unsigned count)
{
	if (count == 0)
		return at;
	at = put_string(at, ", s0");
	if (count == 1)
		return at;
	return put_decimal_unsigned(put_string(at, "-s"), count - 1);
}

/* The list of Zcmp: "{x1, x8-x9, x18}", Spike's "{ra, s0-s2}". */
static char *put_list(char *at, const struct scribe *scribe)
{
	unsigned saved = ear_inst_list_size(scribe->inst->opcode) - 1;

	if (scribe->style == EAR_INST_SPIKE) {
		at = put_saved(put_string(at, "{ra"), saved);
	} else {
		at = put_string(at, "{x1");
		if (saved > 0)
			at = put_string(at, saved == 1 ? ", x8" : ", x8-x9");
		if (saved > 2)
			at = put_string(at, ", x18");
		if (saved > 3)
			at = put_decimal_unsigned(put_string(at, "-x"), 15 + saved);
	}
	*at++ = '}';
	return at;
}

/* Digits of a template. */
static unsigned take_number(const char **from)
{
	unsigned number = 0;

	while (**from >= '0' && **from <= '9')
		number = number * 10 + (unsigned)(*(*from)++ - '0');
	return number;
}

/* "/12", or nothing. */
static unsigned take_shift(const char **from)
{
	if (**from != '/')
		return 0;
	(*from)++;
	return take_number(from);
}

/* The vtype of vsetvli. Spike writes a number if there are bits that it does not know. */
static char *put_vtype(char *at, const struct scribe *scribe)
{
	static const char lmuls[2][8][4] = {{"m1", "m2", "m4", "m8", "m?", "mf8", "mf4", "mf2"},
		{"m1", "m2", "m4", "m8", "m", "mf8", "mf4", "mf2"}};
	const char *comma = scribe->style == EAR_INST_SPIKE ? ", " : ",";
	uint32_t vtype = (uint32_t)scribe->inst->imm;

	if (scribe->style == EAR_INST_SPIKE && vtype >> 8 != 0)
		return put_hex(at, vtype);
	*at++ = 'e';
	at = put_decimal_unsigned(at, 8u << (vtype >> 3 & 7));
	at = put_string(at, comma);
	at = put_string(at, lmuls[scribe->style == EAR_INST_SPIKE][vtype & 7]);
	at = put_string(at, comma);
	at = put_string(at, vtype >> 6 & 1 ? "ta" : "tu");
	at = put_string(at, comma);
	return put_string(at, vtype >> 7 & 1 ? "ma" : "mu");
}

/* What follows a %. */
static char *put_property(char *at, const struct scribe *scribe, const char **from)
{
	unsigned width = take_number(from);

	switch (*(*from)++) {
	case 'n': return put_name(at, scribe, width != 0 ? width : 9, false);
	case 'm': return put_mnemonic(at, scribe);
	case 'a':
		return width != 0 ? put_name(at, scribe, width, true)
				  : put_order_bits(at, scribe, ".aq.rl");
	case 'r': return put_rounding_mode(at, scribe, true);
	case 'R': return put_rounding_mode(at, scribe, false);
	case 'i': return put_decimal(at, (int32_t)scribe->inst->opcode >> 20);
	case 'I': return put_hex_digits(at, (uint32_t)((int32_t)scribe->inst->opcode >> 20));
	case 'l': return put_list(at, scribe);
	case 'k': return put_decimal(at, (int32_t)scribe->inst->imm);
	case 't': return put_vtype(at, scribe);
	case 'v': return scribe->inst->flags & EAR_INST_MASKED ? put_string(at, ", v0.t") : at;
	default: assert(false && "a template has an unknown %"); return at;
	}
}

/* What follows a $: how, which operand, and the shift. */
static char *put_field(char *at, const struct scribe *scribe, const char **from)
{
	char how = **from >= '0' && **from <= '9' ? '\0' : *(*from)++;
	const struct ear_operand *operand = &scribe->inst->operands[*(*from)++ - '0'];
	unsigned shift = take_shift(from);
	int32_t value = operand->value >> shift;

	switch (how) {
	case '\0': return put_operand(at, scribe->style, operand);
	case 'x': return put_hex(at, (uint32_t)operand->value >> shift);
	case 's': return put_signed_hex(at, value);
	case 'o': return put_offset(at, scribe, value, UINT32_MAX);
	case 'j': return put_offset(at, scribe, value, 0xfffff);
	case 'd': return put_decimal_offset(at, value);
	case 'c': return put_csr(at, scribe, operand);
	case 'f': return put_ordering(at, scribe, value, false);
	case 'p': return put_ordering(at, scribe, value, true);
	case 'n': return put_decimal_unsigned(at, (uint32_t)value);
	case 'l': return put_constant(at, scribe, (unsigned)value);
	case 'y': return put_register(at, scribe->style, 'x', (uint32_t)value);
	case 'b': return put_decimal_unsigned(at, (uint32_t)value & 7);
	case 'u': return put_decimal_unsigned(at, (uint32_t)value & 31);
	case 'i': return put_decimal(at, ((value & 31) ^ 16) - 16);
	default: assert(false && "a template has an unknown $"); return at;
	}
}

static char *put_template(char *at, const struct scribe *scribe, const char *from)
{
	while (*from != '\0') {
		char byte = *from++;

		if (byte == '$')
			at = put_field(at, scribe, &from);
		else if (byte == '%')
			at = put_property(at, scribe, &from);
		else
			*at++ = byte;
	}
	return at;
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
	char block[EAR_INST_TEXT_SIZE];
	char *start = size >= sizeof(block) ? text : block;
	char *end = start;

	if (template == NULL)
		template = spelling->syntax[ear_inst_rows[inst->id].format];
	if (template != NULL)
		end = put_template(start, &(struct scribe){inst, style}, template);
	return finish(text, size, start, end);
}

int ear_inst_disassemble(char *text, size_t size, const struct ear_inst *inst)
{
	return ear_inst_text(text, size, inst, EAR_INST_WHISPER);
}

/* Of a pair Whisper lists the first register. It has no lists, which have all theirs here. */
static char *put_source(char *at, const struct ear_inst *inst, struct ear_operand operand)
{
	at = put_operand(at, EAR_INST_WHISPER, &operand);
	for (; inst->extension == EAR_EXT_ZCMP && operand.count > 1; operand.count--) {
		operand.value++;
		*at++ = ';';
		at = put_operand(at, EAR_INST_WHISPER, &operand);
	}
	return at;
}

/* "m4" after a register of a group, as Whisper sees the group. */
static char *put_group(char *at, unsigned size)
{
	if (size >= 2) {
		*at++ = 'm';
		*at++ = (char)('0' + size);
	}
	return at;
}

/* The registers that are read and the immediates, joined with ';'. */
static char *put_sources(char *at, const struct ear_inst *inst, const struct ear_inst_mode *mode)
{
	const char *start = at;
	uint8_t groups[EAR_OPERAND_MAX] = {0};

	if (ear_inst_is_vector(inst))
		ear_inst_shown_groups(groups, inst, mode);

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];

		if (operand->kind != EAR_OPERAND_IMM &&
			(operand->access & (EAR_OPERAND_READ | EAR_OPERAND_ASIDE)) !=
				EAR_OPERAND_READ)
			continue;
		if (at != start)
			*at++ = ';';
		if (operand->kind == EAR_OPERAND_IMM) {
			*at++ = 'i';
			at = put_hex_digits(at, (uint32_t)operand->value);
		} else {
			at = put_source(at, inst, *operand);
			at = put_group(at, groups[i]);
		}
	}
	return at;
}

int ear_inst_sources(
	char *text, size_t size, const struct ear_inst *inst, const struct ear_inst_mode *mode)
{
	const char *template = ear_inst_spellings[EAR_INST_WHISPER].sources[inst->id];
	char block[EAR_INST_TEXT_SIZE];
	char *start = size >= sizeof(block) ? text : block;
	char *end;

	assert(mode->frm < 8);
	if (template == NULL)
		end = put_sources(start, inst, mode);
	else
		end = put_template(start, &(struct scribe){inst, EAR_INST_WHISPER}, template);
	if (inst->flags & EAR_INST_ROUNDS) {
		end = put_string(end, end != start ? ";rm=" : "rm=");
		*end++ = (char)('0' + (inst->rm == 7 ? mode->frm : inst->rm));
	}
	return finish(text, size, start, end);
}

static bool is_zfa(const struct ear_inst *inst)
{
	return inst->extension == EAR_EXT_ZFA || inst->extension == EAR_EXT_D_ZFA ||
	       inst->extension == EAR_EXT_Q_ZFA || inst->extension == EAR_EXT_ZFH_ZFA;
}

const char *ear_inst_info(const struct ear_inst *inst, bool taken)
{
	if (inst->extension == EAR_EXT_ZAAMO || inst->extension == EAR_EXT_ZALRSC)
		return "a";
	if (inst->extension == EAR_EXT_ZICFISS || inst->extension == EAR_EXT_C_ZICFISS)
		return ""; /* a mop or a ssamoswap */
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
	case EAR_KIND_FP: return is_zfa(inst) ? "" : "f";
	case EAR_KIND_VLOAD:
	case EAR_KIND_VSTORE:
	case EAR_KIND_VECTOR: return "v";
	default: return "";
	}
}
