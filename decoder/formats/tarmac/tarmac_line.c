/* The kinds of Tarmac lines after their beginning: instructions, accesses, registers, memory
 * diagrams.
 *
 * Each function takes a line apart from left to right and says in a few words what is wrong. The
 * forms of all producers are accepted here; which of them a file may have is the reader's
 * decision.
 */
#include "decoder/formats/tarmac/tarmac_line.h"

#include <string.h>

#include "decoder/formats/tarmac/tarmac_value.h"

/* "(1)", "(00000000004d6eb8)" or "(address:1)", after its first bracket. Fills in the index, if it
 * is a number of decimal digits. *colon: there is one. */
static inline const char *take_bracket(
	struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor, bool *colon)
{
	struct ear_text_cursor decimal = *cursor, hex = *cursor;
	uint64_t ignored;

	/* Nearly always; only what follows shows whether it is an address instead. */
	unsigned count = ear_decimal_scan(decimal.at, &instruction->index);
	if (count > 0 && count < 8 && decimal.at[count] == ')' &&
		cursor->end - cursor->at > (ptrdiff_t)count) {
		instruction->has_index = true;
		cursor->at += count + 1;
		return NULL;
	}
	if (ear_text_decimal(&decimal, &instruction->index) && ear_text_take(&decimal, ')')) {
		instruction->has_index = true;
		*cursor = decimal;
		return NULL;
	}
	if (ear_text_hex_16(&hex, &ignored) == 0)
		return "the brackets hold no number";
	*colon = ear_text_take(&hex, ':');
	if (*colon) {
		decimal = hex;
		instruction->has_index = ear_text_decimal(&decimal, &instruction->index) &&
					 ear_text_peek(&decimal) == ')';
		if (ear_text_hex_16(&hex, &ignored) == 0 && !instruction->has_index)
			return "the brackets hold no number";
		if (instruction->has_index)
			hex = decimal;
	}
	*cursor = hex;
	return ear_text_take(cursor, ')') ? NULL : "the brackets hold no number";
}

/* A, T, T16, T32, X, O or J, as a word. */
static bool take_set(struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor)
{
	struct ear_text_cursor at = *cursor;
	char letter = ear_text_peek(&at);

	if (letter != 'A' && letter != 'T' && letter != 'X' && letter != 'O' && letter != 'J')
		return false;
	at.at++;
	if (letter == 'T')
		(void)(ear_text_take_word(&at, "16") || ear_text_take_word(&at, "32"));
	if (!ear_text_at_end(&at) && !ear_text_is_blank(*at.at) && *at.at != ':')
		return false;
	instruction->set = letter;
	ear_text_skip_blanks(&at);
	*cursor = at;
	return true;
}

/* ":00001234", ":00001234_NS,00001236_NS". */
static const char *take_physical(
	struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor)
{
	uint64_t second;

	if (ear_text_hex_16(cursor, &instruction->pc_physical) == 0)
		return "the physical address after the colon is missing";
	instruction->has_physical = true;
	if (ear_text_take_word(cursor, "_NS"))
		instruction->secure = 0;
	else if (ear_text_take_word(cursor, "_S"))
		instruction->secure = 1;
	if (!ear_text_take(cursor, ','))
		return NULL;
	if (ear_text_hex_16(cursor, &second) == 0)
		return "the physical address after the comma is missing";
	if (!ear_text_take_word(cursor, "_NS"))
		ear_text_take_word(cursor, "_S");
	return NULL;
}

/* The mode up to the colon, "svc_ns", and the security state that is its end. */
static const char *take_mode(
	struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;
	const char *underscore = NULL;

	for (; cursor->at < cursor->end && *cursor->at != ':' && !ear_text_is_blank(*cursor->at);
		cursor->at++)
		if (*cursor->at == '_')
			underscore = cursor->at;
	const char *end = cursor->at;
	ear_text_skip_blanks(cursor);
	if (!ear_text_take(cursor, ':'))
		return "the colon before the disassembly is missing";
	if (underscore && underscore > begin) {
		struct ear_text tail = {underscore + 1, (size_t)(end - underscore - 1)};
		bool secure = ear_text_is(tail, "s");
		if (secure || ear_text_is(tail, "ns") || ear_text_is(tail, "n") ||
			ear_text_is(tail, "-")) {
			if (tail.text[0] != '-')
				instruction->secure = secure;
			end = underscore;
		}
	}
	instruction->has_mode = end > begin;
	/* "---" is a mode that the producer did not know. */
	while (begin < end && *begin == '-')
		begin++;
	instruction->mode = (struct ear_text){begin, (size_t)(end - begin)};
	return NULL;
}

static const char *take_tail(struct ear_tarmac_instruction *instruction,
	struct ear_text_cursor *cursor, bool mode_expected)
{
	const char *cause = mode_expected ? take_mode(instruction, cursor) : NULL;

	if (cause)
		return cause;
	ear_text_skip_blanks(cursor);
	if (ear_text_take_word(cursor, "CCFAIL")) {
		instruction->skipped = true;
		ear_text_skip_blanks(cursor);
	}
	const char *end = cursor->end;
	while (end > cursor->at && ear_text_is_blank(end[-1]))
		end--;
	instruction->text = (struct ear_text){cursor->at, (size_t)(end - cursor->at)};
	return NULL;
}

/* The instruction set, or the one that a line without it has. Returns false if there is none. */
static bool take_any_set(struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor,
	char implicit, bool *bare)
{
	if (take_set(instruction, cursor))
		return true;
	instruction->set = implicit;
	*bare = true; /* what is not there is followed by no mode */
	return implicit != '\0';
}

/* "(00001000:e3a00000) A svc_s : CCFAIL MOV r0,#0" */
static const char *take_state(
	struct ear_tarmac_instruction *instruction, struct ear_text_cursor *cursor, char implicit)
{
	bool bare = false;

	if (!ear_text_take(cursor, '('))
		return "the bracket before the address is missing";
	instruction->pc_digits = (uint8_t)ear_text_hex_16(cursor, &instruction->pc);
	if (instruction->pc_digits == 0 || !ear_text_take(cursor, ':'))
		return "the brackets hold no address";
	instruction->opcode_digits = (uint8_t)ear_text_hex_16(cursor, &instruction->opcode);
	instruction->has_opcode = instruction->opcode_digits > 0;
	if (!instruction->has_opcode) { /* the fetch failed */
		instruction->opcode = 0;
		while (instruction->opcode_digits < 16 && ear_text_take(cursor, '-'))
			instruction->opcode_digits++;
	}
	if (instruction->opcode_digits == 0 || !ear_text_take(cursor, ')'))
		return "the brackets hold no opcode";
	ear_text_skip_blanks(cursor);
	if (!take_any_set(instruction, cursor, implicit, &bare))
		return "the instruction set is missing or unknown";
	return take_tail(instruction, cursor, !bare);
}

const char *ear_tarmac_instruction(struct ear_tarmac_instruction *instruction,
	const struct ear_tarmac_head *head, char implicit)
{
	struct ear_text_cursor cursor = head->rest;
	struct ear_text_cursor bracket = {NULL, NULL};
	const char *cause = NULL;

	*instruction = (struct ear_tarmac_instruction){.secure = -1};
	if (ear_text_take_word(&cursor, "EXC") || ear_text_take_word(&cursor, "Reset"))
		return "";
	if (head->kind == EAR_TARMAC_STATE)
		return take_state(instruction, &cursor, implicit);

	instruction->skipped = head->word.text[1] != 'T';
	bool colon = false, bare = false;
	if (ear_text_take(&cursor, '(')) {
		bracket = cursor;
		cause = take_bracket(instruction, &cursor, &colon);
		if (cause)
			return cause;
		ear_text_skip_blanks(&cursor);
	}
	instruction->pc_digits = (uint8_t)ear_text_hex_16(&cursor, &instruction->pc);
	if (instruction->pc_digits == 0)
		return "the address is missing or malformed";
	if (ear_text_take(&cursor, ':'))
		cause = take_physical(instruction, &cursor);
	if (cause)
		return cause;
	if (ear_text_skip_blanks(&cursor) == 0)
		return "the address is not a hexadecimal number";
	instruction->has_opcode = true;
	if (take_set(instruction, &cursor)) { /* the address stood in the brackets */
		instruction->opcode = instruction->pc;
		instruction->opcode_digits = instruction->pc_digits;
		instruction->pc_digits =
			bracket.at ? (uint8_t)ear_text_hex_16(&bracket, &instruction->pc) : 0;
		if (instruction->pc_digits == 0)
			return "the address is missing or malformed";
		instruction->has_index = false;
	} else {
		instruction->opcode_digits =
			(uint8_t)ear_text_hex_16(&cursor, &instruction->opcode);
		if (instruction->opcode_digits == 0 || ear_text_skip_blanks(&cursor) == 0)
			return "the opcode is missing or malformed";
		if (!take_any_set(instruction, &cursor, implicit, &bare))
			return "the instruction set is missing or unknown";
	}
	/* Cortex-M4 RTL has neither mode nor colon. */
	bare |= colon && instruction->set == 'T' &&
		!memchr(cursor.at, ':', (size_t)(cursor.end - cursor.at));
	return take_tail(instruction, &cursor, !bare);
}

/* The name, with the words in brackets after it. */
static const char *take_name(struct ear_text *name, struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;

	while (cursor->at < cursor->end && !ear_text_is_blank(*cursor->at) && *cursor->at != '(' &&
		*cursor->at != '<')
		cursor->at++;
	if (cursor->at == begin)
		return "the register has no name";
	const char *end = cursor->at;
	ear_text_skip_blanks(cursor);
	char closing = ear_text_peek(cursor) == '(' ? ')' : ear_text_peek(cursor) == '<' ? '>' : 0;
	if (closing) {
		ear_text_until(cursor, closing);
		if (!ear_text_take(cursor, closing))
			return "a bracket is not closed";
		end = cursor->at;
		ear_text_skip_blanks(cursor);
	}
	*name = (struct ear_text){begin, (size_t)(end - begin)};
	return NULL;
}

static bool is_system_operation(struct ear_text name)
{
	return name.size <= 4 && (ear_text_is(name, "DC") || ear_text_is(name, "IC") ||
					 ear_text_is(name, "TLBI") || ear_text_is(name, "AT"));
}

/* What the fast path does not do: the name, and after it what a register has besides a number of at
 * most 64 bits. */
static const char *set_value(struct ear_record_register *reg, struct ear_record_builder *builder,
	const struct ear_tarmac_value *value)
{
	size_t size = (value->count + 1) / 2, name_size = reg->text_size;
	uint8_t unknown;

	reg->size = (uint16_t)size;
	reg->unknown = value->unknown;
	reg->note_size = (uint16_t)value->note.size;
	reg->value = 0;
	for (size_t i = 0; i < size && i < 8; i++)
		reg->value |= (uint64_t)ear_tarmac_value_byte(value, i, &unknown) << 8 * i;
	if (ear_register_text_size(reg) == name_size)
		return NULL;
	char *text = ear_record_builder_text(builder, ear_register_text_size(reg));
	if (!text)
		return "the record is too large";
	memcpy(text, reg->text.name, name_size);
	reg->text.name = text;
	text += name_size;
	for (size_t i = 0; size > 8 && i < size; i++)
		*text++ = (char)ear_tarmac_value_byte(value, i, &unknown);
	for (size_t i = 0; value->unknown && i < size; i++) {
		(void)ear_tarmac_value_byte(value, i, &unknown);
		*text++ = (char)unknown;
	}
	if (value->note.size > 0)
		memcpy(text, value->note.text, value->note.size);
	return NULL;
}

/* Values are large: a function of its own keeps them off the stack of the fast path. */
static __attribute__((noinline)) const char *take_value(struct ear_record_register *reg,
	struct ear_record_builder *builder, struct ear_text_cursor *cursor)
{
	struct ear_text name = {reg->text.name, reg->text_size};
	struct ear_tarmac_value value;
	const char *cause = ear_tarmac_register_value(&value, name, cursor);

	return cause ? cause : set_value(reg, builder, &value);
}

const char *ear_tarmac_register(struct ear_record_register *reg, struct ear_record_builder *builder,
	const struct ear_tarmac_head *head)
{
	struct ear_text_cursor cursor = head->rest;
	struct ear_text name;
	const char *cause = take_name(&name, &cursor);

	if (cause)
		return cause;
	if (is_system_operation(name))
		return "";
	*reg = (struct ear_record_register){
		.reg_class = EAR_REGISTER_NAMED,
		.text_size = (uint32_t)name.size,
		.text.name = name.text,
	};
	unsigned fast = ear_text_hex_16(&cursor, &reg->value);
	if (fast > 0 && ear_text_at_end(&cursor)) {
		reg->size = (uint16_t)((fast + 1) / 2);
		return NULL;
	}
	cursor.at -= fast;
	return take_value(reg, builder, &cursor);
}

struct access_form {
	struct ear_record_access access;
	uint64_t size;
	bool memory_order, other;
};

/* The letters and digits of "MW4X": direction, size, attributes. */
static const char *take_form(struct access_form *form, struct ear_text word, bool qemu4v)
{
	struct ear_text_cursor cursor = {word.text, word.text + word.size};
	bool direction = false, sized = false;

	while (!ear_text_at_end(&cursor)) {
		char c = *cursor.at;
		if (!sized && ear_text_is_digit(c)) {
			if (!ear_text_decimal(&cursor, &form->size))
				return "the size of the access is out of range";
			sized = true;
			continue;
		}
		cursor.at++;
		if (!direction && (c == 'R' || c == 'W')) {
			direction = true;
			form->access.write = c == 'W';
		} else if (sized && c == 'X') {
			form->access.attributes |= qemu4v ? EAR_BUS_PRIVILEGED : EAR_BUS_EXCLUSIVE;
		} else if (sized && c == 'T') {
			form->access.attributes |= EAR_BUS_UNPRIVILEGED;
		} else if (sized && c == 'L') {
			form->access.attributes |= EAR_BUS_LOCKED;
		} else if (word.size == 8 && ear_text_at_end(&cursor)) {
			/* Cortex-M4 RTL: data accesses in the order of memory; others are of
			 * no known order. */
			form->memory_order = c == 'D';
			form->other = c == 'I' || c == 'A';
		} else if (c == 'I' && ear_text_at_end(&cursor) && cursor.at[-2] == '_') {
			form->other = true; /* Cortex-M0+ RTL, "MR2_I": a fetch */
		}
	}
	return form->size == 0 || form->size > 256 ? "the size of the access is out of range"
						   : NULL;
}

static uint64_t reverse(uint64_t value, unsigned size)
{
	return size == 0 ? 0 : __builtin_bswap64(value) >> (64 - 8 * size);
}

/* Bytes number from .. of the data into an access, which has their size. */
static void set_data(
	struct ear_record_access *access, const struct ear_tarmac_value *value, size_t from)
{
	uint64_t all = access->size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * access->size) - 1;
	uint8_t unknown;

	access->value = access->unknown = 0;
	for (unsigned i = 0; i < access->size; i++) {
		access->value |= (uint64_t)ear_tarmac_value_byte(value, from + i, &unknown)
				 << 8 * i;
		access->unknown |= (uint64_t)unknown << 8 * i;
	}
	access->has_value = value->count > 0 && access->unknown != all;
	if (!access->has_value)
		access->unknown = 0;
}

/* More than 8 bytes: accesses of 8, the lowest first. */
static __attribute__((noinline)) const char *append_wide(struct ear_record_builder *builder,
	struct access_form *form, struct ear_text_cursor *cursor)
{
	struct ear_tarmac_value value;
	const char *cause = ear_tarmac_access_value(&value, (size_t)form->size, cursor);

	if (cause)
		return cause;
	bool nothing = form->access.aborted && value.count == 0;
	if (!nothing && value.count != 2 * form->size)
		return "the data do not have the size of the access";
	for (size_t at = 0, part; at < form->size; at += part) {
		part = form->size - at >= 8 ? 8 : (size_t)form->size - at;
		while (part & (part - 1)) /* 3 bytes are 2 and 1 */
			part &= part - 1;
		struct ear_record_access *access = ear_record_builder_access(builder);
		if (!access)
			return "the record is too large";
		*access = form->access;
		access->address += at;
		access->physical += access->has_physical ? at : 0;
		access->size = (uint8_t)part;
		set_data(access, &value, at);
	}
	return NULL;
}

/* Data that are not one word of digits. Fills in how many digits there are. */
static __attribute__((noinline)) const char *take_data(
	struct ear_record_access *access, struct ear_text_cursor *cursor, size_t *digits)
{
	struct ear_tarmac_value value;
	const char *cause = ear_tarmac_access_value(&value, access->size, cursor);

	if (cause)
		return cause;
	*digits = value.count;
	set_data(access, &value, 0);
	return NULL;
}

/* The second half of "00000000_0000ca68", as Fast Models write 8 bytes. */
static bool take_half(struct ear_record_access *access, struct ear_text_cursor *cursor)
{
	struct ear_text_cursor half = {cursor->at + 1, cursor->end};
	uint64_t low;

	if (ear_text_peek(cursor) != '_' || ear_text_hex_16(&half, &low) != 8 ||
		!ear_text_at_end(&half))
		return false;
	access->value = access->value << 32 | low;
	*cursor = half;
	return true;
}

static const char *append_data(struct ear_record_builder *builder, struct access_form *form,
	struct ear_text_cursor *cursor)
{
	struct ear_record_access *access = &form->access;

	if (form->size > 8)
		return append_wide(builder, form, cursor);
	access->size = (uint8_t)form->size;
	size_t digits = ear_text_hex_16(cursor, &access->value);
	access->has_value = digits > 0;
	if (digits == 8 && take_half(access, cursor)) {
		digits = 16;
	} else if (digits == 0 || !ear_text_at_end(cursor)) {
		cursor->at -= digits;
		const char *cause = take_data(access, cursor, &digits);
		if (cause)
			return cause;
	}
	if (digits == 0 && !access->aborted)
		return "the data are missing";
	if (digits > 2 * form->size)
		return "the data do not have the size of the access";
	if (form->memory_order) {
		access->value = reverse(access->value, access->size);
		access->unknown = reverse(access->unknown, access->size);
	}
	struct ear_record_access *appended = ear_record_builder_access(builder);
	if (!appended)
		return "the record is too large";
	*appended = *access;
	return NULL;
}

/* An address may have underscores between its digits. */
static bool take_address(struct ear_text_cursor *cursor, uint64_t *address)
{
	uint64_t part;

	if (ear_text_hex_16(cursor, address) == 0)
		return false;
	while (ear_text_peek(cursor) == '_' && cursor->end - cursor->at > 1 &&
		ear_hex_digit(cursor->at[1]) >= 0) {
		cursor->at++;
		unsigned digits = ear_text_hex_16(cursor, &part);
		if (digits == 0 || digits == 16 || *address >> (64 - 4 * digits))
			return false;
		*address = *address << 4 * digits | part;
	}
	return true;
}

/* LD and ST: "00008000 ........ ........ 01234567 ....89ab", the highest byte first. */
static const char *take_diagram(
	struct ear_record_builder *builder, const struct ear_tarmac_head *head)
{
	struct ear_text_cursor cursor = head->rest;
	struct ear_record_access *access = NULL;
	const char *bytes[16];
	uint64_t address;
	unsigned count = 0;

	if (!take_address(&cursor, &address))
		return "the address is missing or malformed";
	while (count < 16) {
		ear_text_skip_blanks(&cursor);
		if (cursor.end - cursor.at < 2)
			return "the line does not hold 16 bytes of memory";
		bytes[count++] = cursor.at;
		cursor.at += 2;
	}
	for (unsigned at = 0; at < 16; at++) { /* from the lowest address */
		const char *byte = bytes[15 - at];
		int high = ear_hex_digit(byte[0]), low = ear_hex_digit(byte[1]);
		bool unknown = byte[0] == '#' && byte[1] == '#';
		if (high < 0 || low < 0) {
			if (!unknown && !(byte[0] == '.' && byte[1] == '.'))
				return "a byte of memory is not a hexadecimal number";
			if (!unknown) {
				access = NULL;
				continue;
			}
		}
		if (!access || access->size == 8 || access->has_value == unknown) {
			access = ear_record_builder_access(builder);
			if (!access)
				return "the record is too large";
			access->address = address + at;
			access->write = head->word.text[0] == 'S';
			access->has_value = !unknown;
		}
		if (!unknown)
			access->value |= (uint64_t)(high << 4 | low) << 8 * access->size;
		access->size++;
	}
	return NULL;
}

const char *ear_tarmac_access(
	struct ear_record_builder *builder, const struct ear_tarmac_head *head, bool qemu4v)
{
	struct ear_text_cursor cursor = head->rest;
	struct access_form form = {.size = 0};
	const char *cause = NULL;

	if (head->kind == EAR_TARMAC_DIAGRAM) {
		size_t before = builder->record.memory_count;
		cause = take_diagram(builder, head);
		if (cause)
			builder->record.memory_count = before;
		return cause;
	}
	cause = take_form(&form, head->word, qemu4v);
	if (cause || form.other)
		return cause ? cause : "";
	if (ear_text_take_word(&cursor, "X ")) {
		form.access.attributes |= EAR_BUS_EXCLUSIVE;
		ear_text_skip_blanks(&cursor);
	}
	if (ear_text_take(&cursor, '(')) {
		ear_text_until(&cursor, ')');
		ear_text_take(&cursor, ')');
		ear_text_skip_blanks(&cursor);
	}
	if (ear_text_take_word(&cursor, "TRANSFER"))
		return "";
	if (!take_address(&cursor, &form.access.address))
		return "the address is missing or malformed";
	if (ear_text_take(&cursor, ':')) {
		if (!take_address(&cursor, &form.access.physical))
			return "the physical address after the colon is missing";
		form.access.has_physical = true;
		if (!ear_text_take_word(&cursor, "_NS"))
			ear_text_take_word(&cursor, "_S");
	}
	if (ear_text_skip_blanks(&cursor) == 0 && !ear_text_at_end(&cursor))
		return "the address is not a hexadecimal number";
	if (ear_text_take_word(&cursor, "(ABORTED)")) {
		form.access.aborted = true;
		ear_text_skip_blanks(&cursor);
	}
	return append_data(builder, &form, &cursor);
}
