/* Whisper's text log to records.
 *
 * A record is a group of lines with the same number, one for each change. Where the instruction
 * went shows only in the pc of the line that follows, so the reader is always one line ahead. What
 * follows from an opcode is kept in a direct-mapped cache.
 */
#include "decoder/formats/whisper_log/reader_whisper_log.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/whisper_log/writer_whisper_log.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/number_scan.h"
#include "decoder/text/text_cursor.h"

#define REGISTER_MAX 4096
#define MEMORY_MAX   (1u << 18)
#define HARTS        65536u

/* What follows from an opcode, kept in a direct-mapped cache: traces run in loops. */
#define CACHE_BITS 11
#define CACHE_SIZE (1u << CACHE_BITS)

struct known {
	struct ear_inst inst; /* xlen 0: empty */
	uint32_t opcode;
	uint8_t size;
	char disassembly[EAR_INST_TEXT_SIZE];
};

struct reader_whisper_log {
	struct ear_reader base;
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_register *registers;
	struct ear_record_access *memory;
	uint8_t *bytes; /* values of vector registers, one after the other */
	char *text;     /* disassembly of the record, with its brackets */
	size_t register_capacity, memory_capacity, byte_capacity, byte_count, text_capacity;
	const struct known *known; /* of the record's opcode */

	/* The line that follows the record, taken to see where the record went. */
	const char *line;
	size_t line_size;
	bool has_line, line_cut, walk_reported, comment_reported;
	uint64_t line_number, line_offset;

	uint8_t frm[HARTS], vtype[HARTS];
	struct known cache[CACHE_SIZE];
};

static const char bad_brackets[] = "the accesses in brackets cannot be read";

/* The contents of one line. */
struct change {
	uint64_t rank, hart, pc, opcode, number, value;
	size_t pc_digits, opcode_digits, value_digits;
	bool has_privilege, no_opcode;
	struct ear_text privilege;
	char resource;               /* 'r', 'f', 'v', 'm', 'c'; '?': not understood */
	struct ear_text word;        /* from it on */
	struct ear_text bytes, text; /* of v, in digits; the disassembly and all after it */
	bool joined;                 /* another line of this record follows */
};

static int grow(void *array, size_t *capacity, size_t count, size_t size, size_t limit)
{
	if (count <= *capacity)
		return 0;
	if (count > limit)
		return EAR_E_BAD_FILE;
	return ear_array_grow(array, size, capacity, count) ? 0 : EAR_E_NO_MEMORY;
}

static int warn(const struct reader_whisper_log *reader, const char *cause)
{
	return ear_reader_report_at(
		&reader->base, reader->line_number, reader->line_offset, cause, false);
}

static int skip(struct reader_whisper_log *reader, const char *cause)
{
	return ear_reader_skip_at(&reader->base, reader->line_number, reader->line_offset,
		reader->line_size + 1, cause, reader->line_cut, false);
}

/* "+" after one or two blanks joins lines; a disassembly may end with blanks of its own. */
static void take_join(struct change *change, struct ear_text *text)
{
	change->joined = text->size >= 2 && text->text[text->size - 1] == '+' &&
			 text->text[text->size - 2] == ' ';
	if (!change->joined)
		return;
	text->size -= 2;
	if (change->resource != 'v' && text->size > 0 && text->text[text->size - 1] == ' ')
		text->size--;
}

static bool is_privilege(struct ear_text text)
{
	const char *name = text.text;

	if (text.size == 1)
		return *name == 'M' || *name == 'S' || *name == 'U' || *name == 'D' || *name == '?';
	return text.size == 2 && ((name[1] == 'S' && (*name == 'H' || *name == 'V')) ||
					 (name[1] == 'U' && *name == 'V'));
}

static struct ear_text take_token(struct ear_text_cursor *cursor)
{
	ear_text_skip_blanks(cursor);
	return ear_text_until(cursor, ' ');
}

/* Returns the count of digits; 0 if there are none or too many. */
static size_t take_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	size_t count;

	ear_text_skip_blanks(cursor);
	if (cursor->end - cursor->at <= EAR_HEX_SCAN_SIZE)
		return ear_text_hex(cursor, value);
	count = ear_hex_scan(cursor->at, value);
	if (count == EAR_HEX_SCAN_SIZE && ear_hex_digit(cursor->at[count]) >= 0)
		return ear_text_hex(cursor, value);
	cursor->at += count;
	return count;
}

/* The text begins after one blank, or two where the widths leave one. */
static void take_text(struct change *change, struct ear_text_cursor *cursor, unsigned blanks)
{
	while (blanks-- > 0)
		ear_text_take(cursor, ' ');
	change->text = (struct ear_text){cursor->at, (size_t)(cursor->end - cursor->at)};
}

/* Up to 18 digits, which cannot overflow. */
static bool take_decimal(struct ear_text_cursor *cursor, uint64_t *value)
{
	const char *begin = cursor->at;

	for (*value = 0; cursor->at < cursor->end && cursor->at - begin < 18; cursor->at++) {
		unsigned digit = (unsigned)(unsigned char)*cursor->at - '0';
		if (digit > 9)
			break;
		*value = *value * 10 + digit;
	}
	return cursor->at > begin;
}

/* Returns NULL or what is wrong. */
static const char *parse_head(struct change *change, struct ear_text_cursor *cursor)
{
	struct ear_text_cursor after;

	if (!ear_text_take(cursor, '#') || !take_decimal(cursor, &change->rank) ||
		change->rank == 0)
		return "the line does not begin with # and a number";
	ear_text_skip_blanks(cursor);
	if (!take_decimal(cursor, &change->hart) || change->hart >= HARTS)
		return "the hart is not a number up to 65535";
	after = *cursor;
	change->privilege = take_token(&after);
	change->has_privilege = is_privilege(change->privilege);
	if (change->has_privilege)
		*cursor = after;
	change->pc_digits = take_hex(cursor, &change->pc);
	if (change->pc_digits != 8 && change->pc_digits != 16)
		return "the pc has neither 8 nor 16 digits";
	ear_text_skip_blanks(cursor);
	change->no_opcode = ear_text_take_word(cursor, EAR_WHISPER_LOG_NO_OPCODE);
	change->opcode_digits = change->no_opcode ? 8 : take_hex(cursor, &change->opcode);
	if (change->opcode_digits != 4 && change->opcode_digits != 8)
		return "the opcode has neither 4 nor 8 digits";
	return NULL;
}

static const char *parse_change(struct change *change, struct ear_text line)
{
	struct ear_text_cursor cursor = ear_text_cursor(line.text, line.size);
	struct ear_text resource;
	const char *fault = parse_head(change, &cursor);

	if (fault)
		return fault;
	resource = take_token(&cursor);
	if (resource.size == 0)
		return "the kind of change is missing";
	change->word = (struct ear_text){resource.text, (size_t)(cursor.end - resource.text)};
	change->resource = '?';
	if (resource.size == 1 && memchr("rfvmc", *resource.text, 5))
		change->resource = *resource.text;
	if (take_hex(&cursor, &change->number) == 0)
		return "the number of what changed is not hexadecimal";
	if (change->resource == 'v') {
		change->bytes = take_token(&cursor);
		take_text(change, &cursor, 1);
		return NULL;
	}
	change->value_digits = take_hex(&cursor, &change->value);
	if (change->value_digits == 0)
		return "the value is not hexadecimal";
	/* VeeR-ISS has two blanks there also for RV64. */
	take_text(change, &cursor, 2);
	return NULL;
}

static int add_vector(struct reader_whisper_log *reader, struct ear_record_register *reg,
	const struct change *change)
{
	size_t count = change->bytes.size / 2;
	int result;

	if (count == 0 || change->bytes.size % 2 != 0)
		return EAR_E_BAD_FILE;
	result = grow(&reader->bytes, &reader->byte_capacity, reader->byte_count + count, 1,
		EAR_TEXT_LINE_MAX);
	if (result)
		return result;
	for (size_t i = 0; i < count; i++) {
		const char *digits = change->bytes.text + change->bytes.size - 2 - 2 * i;
		int high = ear_hex_digit(digits[0]), low = ear_hex_digit(digits[1]);
		if (high < 0 || low < 0)
			return EAR_E_BAD_FILE;
		reader->bytes[reader->byte_count + i] = (uint8_t)(high << 4 | low);
	}
	reg->value = 0;
	reg->text_size = (uint32_t)count;
	reader->byte_count += count;
	return 0;
}

static int add_register(struct reader_whisper_log *reader, const struct change *change,
	enum ear_register_class reg_class)
{
	struct ear_record *record = &reader->record;
	int result = grow(&reader->registers, &reader->register_capacity,
		record->register_count + 1, sizeof(*reader->registers), REGISTER_MAX);
	if (result)
		return result;

	struct ear_record_register *reg = &reader->registers[record->register_count];
	*reg = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
		.number = (uint16_t)change->number,
		.value = change->value};
	if (reg_class == EAR_REGISTER_F)
		reg->size = change->value_digits == 8 ? 4 : 8;
	if (reg_class == EAR_REGISTER_V)
		result = add_vector(reader, reg, change);
	if (result == 0)
		record->register_count++;
	return result;
}

static int add_access(struct reader_whisper_log *reader, const struct ear_record_access *access)
{
	struct ear_record *record = &reader->record;
	int result = grow(&reader->memory, &reader->memory_capacity, record->memory_count + 1,
		sizeof(*reader->memory), MEMORY_MAX);

	if (result == 0)
		reader->memory[record->memory_count++] = *access;
	return result;
}

static int add_store(struct reader_whisper_log *reader, const struct change *change)
{
	const struct ear_inst *inst = &reader->known->inst;
	struct ear_record_access access = {
		.address = change->number, .size = ear_inst_record_size(inst)};

	if (inst->kind == EAR_KIND_AMO) {
		int result = add_access(reader, &access);
		if (result)
			return result;
	}
	if (inst->kind == EAR_KIND_CACHE)
		access.size = (uint8_t)(inst->xlen / 8);
	access.write = true;
	access.has_value = true;
	access.value = change->value;
	return add_access(reader, &access);
}

/* Registers of a kind; triggers have their number in the upper half. */
static unsigned find_number_max(char resource)
{
	return resource == 'c' ? 4095 : 31;
}

/* What one line adds to the record. Returns NULL or what is wrong. */
static const char *add_change(
	struct reader_whisper_log *reader, const struct change *change, int *result)
{
	struct change number = *change;

	*result = 0;
	number.number &= change->resource == 'c' ? 0xFFFF : UINT64_MAX;
	if (change->resource == '?' ||
		(change->resource != 'm' && number.number > find_number_max(change->resource))) {
		ear_reader_word_at(&reader->base, reader->line_number, reader->line_offset,
			reader->record.hart, change->word);
		return NULL;
	}
	switch (change->resource) {
	case 'r':
		/* x0 means no change. */
		if (change->number > 0)
			*result = add_register(reader, change, EAR_REGISTER_X);
		break;
	case 'f': *result = add_register(reader, change, EAR_REGISTER_F); break;
	case 'v': *result = add_register(reader, change, EAR_REGISTER_V); break;
	case 'm': *result = add_store(reader, change); break;
	default: *result = add_register(reader, &number, EAR_REGISTER_CSR); break;
	}
	return *result == EAR_E_BAD_FILE ? "the record is too long, or a vector's value is bad"
					 : NULL;
}

/* Take a word from the end of a text. Its first blank is gone where nothing comes before it. */
static bool take_last(struct ear_text *text, const char *word)
{
	size_t size = strlen(word);

	if (text->size + 1 == size && memcmp(text->text, word + 1, text->size) == 0) {
		text->size = 0;
		return true;
	}
	if (text->size < size || memcmp(text->text + text->size - size, word, size) != 0)
		return false;
	text->size -= size;
	return true;
}

static bool is_store(const struct ear_inst *inst)
{
	return inst->kind == EAR_KIND_STORE || inst->kind == EAR_KIND_SC ||
	       inst->kind == EAR_KIND_AMO || ear_opcode_major(inst->opcode) == EAR_OPCODE_STORE_FP;
}

/* One access in the brackets, "0xva", "0xva:0xpa", "0xva=0xvalue". */
static int take_access(
	struct reader_whisper_log *reader, struct ear_text_cursor *cursor, size_t index)
{
	struct ear_record_access access = {.size = ear_inst_record_size(&reader->known->inst),
		.write = is_store(&reader->known->inst)};

	if (ear_text_0x(cursor, &access.address) == 0)
		return EAR_E_BAD_FILE;
	if (ear_text_take(cursor, ':')) {
		access.has_physical = true;
		if (ear_text_0x(cursor, &access.physical) == 0)
			return EAR_E_BAD_FILE;
	}
	if (ear_text_take(cursor, '=')) {
		size_t digits = ear_text_0x(cursor, &access.value);
		if (digits == 0)
			return EAR_E_BAD_FILE;
		access.write = true;
		access.has_value = true;
		access.size = (uint8_t)(digits <= 16 ? digits / 2 : 0);
	}
	/* Stores have lines of their own; the physical address is only here. */
	if (index == 0 && reader->record.memory_count > 0) {
		for (size_t i = 0; i < reader->record.memory_count; i++) {
			struct ear_record_access *store = &reader->memory[i];
			store->has_physical = access.has_physical;
			store->physical = access.has_physical ? access.physical + store->address -
									access.address
							      : 0;
		}
		return 0;
	}
	/* An AMO reads and writes, unless it trapped or may store nothing. */
	if (reader->known->inst.kind == EAR_KIND_AMO && !access.has_value &&
		!ear_opcode_compares(reader->record.opcode) &&
		!(reader->record.flags & EAR_RECORD_TRAP)) {
		struct ear_record_access read = access;
		read.write = false;
		int result = add_access(reader, &read);
		if (result)
			return result;
	}
	return add_access(reader, &access);
}

/* The brackets at the end of the text, if there are any. */
static int take_brackets(struct reader_whisper_log *reader, struct ear_text *text)
{
	struct ear_text_cursor cursor;
	size_t begin, index = 0;
	int result;

	if (text->size == 0 || text->text[text->size - 1] != ']')
		return 0;
	begin = text->size - 1;
	while (begin > 0 && text->text[begin] != '[')
		begin--;
	if (text->text[begin] != '[' || (begin > 0 && text->text[begin - 1] != ' '))
		return 0;
	/* A store of which all elements are masked: nothing else says so, so the text keeps it. */
	if (begin + 2 == text->size)
		return 0;
	cursor = ear_text_cursor(text->text + begin + 1, text->size - begin - 2);
	do {
		result = take_access(reader, &cursor, index++);
		if (result)
			return result;
	} while (ear_text_take(&cursor, ';'));
	text->size = begin ? begin - 1 : 0;
	return ear_text_at_end(&cursor) ? 0 : EAR_E_BAD_FILE;
}

/* Disassembly, brackets, and what came of the instruction. */
static int take_end(struct reader_whisper_log *reader, struct ear_text text)
{
	struct ear_record *record = &reader->record;
	const struct known *known = reader->known;
	int result;

	if (take_last(&text, " (exception)"))
		record->flags |= EAR_RECORD_TRAP;
	result = take_brackets(reader, &text);
	if (result)
		return result;
	if (take_last(&text, " (interrupted)"))
		record->flags |= EAR_RECORD_INTERRUPT;
	if (record->flags & EAR_RECORD_NO_OPCODE
			? text.size == 0
			: text.size == known->size &&
				  memcmp(text.text, known->disassembly, text.size) == 0)
		return 0;
	result = grow(&reader->text, &reader->text_capacity, text.size + 1, 1, EAR_TEXT_LINE_MAX);
	if (result)
		return result;
	memcpy(reader->text, text.text, text.size);
	reader->extra.disassembly = (struct ear_text){reader->text, text.size};
	return 0;
}

static void set_privilege(struct reader_whisper_log *reader, const struct change *change)
{
	struct ear_record *record = &reader->record;
	const char *name = change->privilege.text;
	char last = change->has_privilege ? name[change->privilege.size - 1] : '\0';

	record->privilege = EAR_PRIVILEGE_RESERVED;
	switch (last) {
	case 'M': record->privilege = EAR_PRIVILEGE_M; break;
	case 'S': record->privilege = EAR_PRIVILEGE_S; break;
	case 'U': record->privilege = EAR_PRIVILEGE_U; break;
	case 'D': record->privilege = EAR_PRIVILEGE_DEBUG; break;
	case '?': record->flags |= EAR_RECORD_NO_PRIVILEGE; break;
	default: record->flags |= EAR_RECORD_NO_PRIVILEGE; break;
	}
	if (change->has_privilege && change->privilege.size == 2) {
		if (*name == 'V')
			record->privilege += EAR_PRIVILEGE_VU;
		else
			reader->extra.mode_name = (struct ear_text){"HS", 2};
	}
}

static const struct known *find_known(
	struct reader_whisper_log *reader, uint32_t opcode, unsigned xlen)
{
	struct known *known = &reader->cache[ear_hash_slot32(opcode, CACHE_BITS)];

	if (known->opcode != opcode || known->inst.xlen != xlen) {
		known->opcode = opcode;
		struct ear_inst named;
		ear_inst_decode(&known->inst, opcode, xlen);
		ear_inst_decode_as_whisper(&named, opcode, xlen);
		known->size = (uint8_t)ear_inst_disassemble(
			known->disassembly, sizeof(known->disassembly), &named);
	}
	return known;
}

static void begin_record(struct reader_whisper_log *reader, const struct change *change)
{
	struct ear_record *record = &reader->record;
	unsigned xlen = ear_reader_xlen(&reader->base, change->pc_digits);

	*record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.hart = (uint16_t)change->hart,
		.index = change->rank - 1,
		.stream_offset = reader->line_offset,
		.extra = &reader->extra,
		.xlen = (uint8_t)xlen,
		.opcode_size = (uint8_t)(change->opcode_digits / 2),
		.frm = reader->frm[change->hart],
		.vtype = reader->vtype[change->hart],
		.isa = EAR_ISA_RISCV,
		.opcode = change->opcode,
		.pc = change->pc,
	};
	reader->extra = (struct ear_record_extra){.line = reader->line_number};
	reader->byte_count = 0;
	reader->known = find_known(reader, (uint32_t)change->opcode, xlen);
	record->flags |= change->no_opcode ? EAR_RECORD_NO_OPCODE : 0;
	set_privilege(reader, change);
}

/* Is the CSR one of those that a trap writes first? */
static bool is_trap_csr(const struct ear_record_register *reg)
{
	return reg->reg_class == EAR_REGISTER_CSR && (reg->number & 0xFF) >= 0x41 &&
	       (reg->number & 0xFF) <= 0x43;
}

static void order_trap_csrs(struct reader_whisper_log *reader)
{
	struct ear_record_register *registers = reader->registers;
	size_t to = 0;

	while (to < reader->record.register_count && registers[to].reg_class != EAR_REGISTER_CSR)
		to++;
	for (size_t i = to; i < reader->record.register_count; i++) {
		struct ear_record_register reg = registers[i];
		if (!is_trap_csr(&reg))
			continue;
		memmove(&registers[to + 1], &registers[to], (i - to) * sizeof(reg));
		registers[to++] = reg;
	}
}

static void follow_csrs(struct reader_whisper_log *reader)
{
	struct ear_record *record = &reader->record;
	bool trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	record->flags |= trapped ? EAR_RECORD_NO_CAUSE : 0;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &reader->registers[i];
		if (reg->reg_class != EAR_REGISTER_CSR)
			continue;
		switch (reg->number) {
		case EAR_CSR_FRM: reader->frm[record->hart] = reg->value & 7; break;
		case EAR_CSR_FCSR:
			reader->frm[record->hart] = reg->value >> EAR_FCSR_FRM_SHIFT & 7;
			break;
		case EAR_CSR_VTYPE:
			reader->vtype[record->hart] = ear_vtype_pack(reg->value, record->xlen);
			break;
		case EAR_CSR_SCAUSE:
		case EAR_CSR_VSCAUSE:
		case EAR_CSR_MCAUSE:
		case EAR_CSR_MNCAUSE:
			if (trapped) {
				record->cause = reg->value;
				record->flags &= ~(uint32_t)EAR_RECORD_NO_CAUSE;
			}
			break;
		default: break;
		}
	}
}

/* Vector registers point to their bytes only now: the array may have moved. */
static void settle_pointers(struct reader_whisper_log *reader)
{
	struct ear_record *record = &reader->record;
	const uint8_t *bytes = reader->bytes;

	for (size_t i = 0; i < record->register_count; i++)
		if (reader->registers[i].reg_class == EAR_REGISTER_V) {
			reader->registers[i].text.bytes = bytes;
			bytes += reader->registers[i].text_size;
		}
	record->registers = reader->registers;
	record->memory = reader->memory;
}

/* The line to come. Returns 1, 0 at the end of the file, or less. */
static int next_line(struct reader_whisper_log *reader)
{
	struct ear_text_input *input = reader->base.input;
	int result = ear_text_input_line(input, &reader->line, &reader->line_size);

	reader->has_line = result == 1;
	reader->line_cut = reader->has_line && ear_text_input_cut(input);
	reader->line_number = ear_text_input_line_number(input);
	reader->line_offset = ear_text_input_offset(input);
	return result;
}

/* Goes elsewhere without being a jump. */
static bool leaves(const struct ear_inst *inst)
{
	return inst->id == EAR_INST_MRET || inst->id == EAR_INST_SRET ||
	       inst->id == EAR_INST_MNRET || inst->id == EAR_INST_DRET;
}

/* Where it went: the line that follows the record shows it, if it is of the same hart. */
static void follow_flow(struct reader_whisper_log *reader)
{
	struct ear_record *record = &reader->record;
	const struct ear_inst *inst = &reader->known->inst;
	uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t after = (record->pc + record->opcode_size) & mask;
	uint64_t target = (record->pc + (uint64_t)inst->imm) & mask;
	struct change next = {.rank = 0};
	bool trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	struct ear_text_cursor cursor;
	bool known;

	cursor = ear_text_cursor(reader->line, reader->has_line ? reader->line_size : 0);
	known = reader->has_line && !parse_head(&next, &cursor) && next.hart == record->hart &&
		next.rank == record->index + 2;
	if (trapped) {
		record->next_pc = next.pc;
	} else if (inst->kind == EAR_KIND_JUMP && !(inst->flags & EAR_INST_INDIRECT)) {
		record->flags |= EAR_RECORD_TAKEN;
		record->next_pc = target;
		known = true;
	} else if (inst->kind == EAR_KIND_JUMP || inst->kind == EAR_KIND_BRANCH) {
		record->next_pc = next.pc;
		/* One to the next instruction: where it went does not show whether it was taken. */
		if (inst->kind == EAR_KIND_BRANCH)
			known &= target != after && (next.pc == after || next.pc == target);
		if (known && (inst->kind == EAR_KIND_JUMP || next.pc != after))
			record->flags |= EAR_RECORD_TAKEN;
	} else if (leaves(inst) || record->flags & EAR_RECORD_NO_OPCODE) {
		record->next_pc = next.pc;
	} else {
		record->next_pc = after;
		known = true;
	}
	if (!known) {
		record->next_pc = 0;
		record->flags |= EAR_RECORD_NO_NEXT_PC;
	}
}

/* Lines that are not changes. Returns 1 for a record, 0 for none, or less. */
static int take_other(struct reader_whisper_log *reader, struct ear_text line)
{
	struct ear_record *record = &reader->record;

	if (ear_comment_line_is(line.text, line.size)) {
		if (ear_comment_line_parse(record, line.text, line.size))
			return skip(reader, "the comment line of a gap or an event is malformed");
		record->flags = 0;
		record->register_count = 0;
		record->memory_count = 0;
		reader->extra = (struct ear_record_extra){.line = reader->line_number};
		record->extra = &reader->extra;
		return 1;
	}
	if (line.size >= 2 && memcmp(line.text, "# ", 2) == 0) {
		bool reported = reader->comment_reported;
		reader->comment_reported = true;
		return reported ? 0 : warn(reader, "comments are skipped");
	}
	/* A label. */
	if (line.text[line.size - 1] == ':' && !memchr(line.text, ' ', line.size) &&
		*line.text != '#')
		return 0;
	if (reader->line_cut)
		return skip(reader, NULL);
	return ear_reader_report_at(&reader->base, reader->line_number, reader->line_offset,
		"the line does not begin with # and a number", true);
}

/* Page walks follow the changes of a record, each line but the last joined to the next. Returns 0,
 * or less to stop.
 */
static int skip_walks(struct reader_whisper_log *reader)
{
	int result = 0;
	bool joined = true;

	if (!reader->walk_reported)
		result = warn(reader, "page walks of the text log are skipped");
	reader->walk_reported = true;
	while (result == 0 && joined && reader->has_line && *reader->line != '#') {
		joined = reader->line_size > 0 && reader->line[reader->line_size - 1] == '+';
		result = next_line(reader);
		result = result < 0 ? result : 0;
	}
	return result;
}

static bool fits(const struct ear_reader *reader, const struct change *change)
{
	return ear_reader_fits(reader, change->pc) &&
	       (change->resource != 'r' || ear_reader_fits(reader, change->value)) &&
	       (change->resource != 'm' || ear_reader_fits(reader, change->number));
}

/* One line of a record. begun: it is not the first. Returns 0, EAR_E_BAD_FILE and what is wrong in
 * *fault, or EAR_E_NO_MEMORY.
 */
static int take_change(
	struct reader_whisper_log *reader, struct change *change, bool begun, const char **fault)
{
	struct ear_record *record = &reader->record;
	int result = 0;

	memset(change, 0, sizeof(*change));
	*fault = parse_change(change, (struct ear_text){reader->line, reader->line_size});
	if (*fault)
		return EAR_E_BAD_FILE;
	if (begun && (change->rank - 1 != record->index || change->hart != record->hart)) {
		*fault = "the record of the line before is not finished";
		return EAR_E_BAD_FILE;
	}
	if (begun && (change->pc != record->pc || change->opcode != record->opcode)) {
		*fault = "its pc or opcode is not that of the line before, of the same record";
		return EAR_E_BAD_FILE;
	}
	if (!begun)
		begin_record(reader, change);
	if (!fits(&reader->base, change)) {
		*fault = EAR_READER_TOO_WIDE;
		return EAR_E_BAD_FILE;
	}
	take_join(change, &change->text);
	*fault = add_change(reader, change, &result);
	if (*fault)
		return EAR_E_BAD_FILE;
	if (result == 0 && !change->joined) {
		result = take_end(reader, change->text);
		*fault = bad_brackets;
	}
	return result;
}

/* Report what is wrong with the line taken last, if anything is. Returns 0; EAR_READER_GAP: it is
 * skipped; or less to stop. */
static int report_line(struct reader_whisper_log *reader, const char *fault)
{
	if (fault)
		return skip(reader, fault);
	if (reader->line_cut)
		return warn(reader, "the last line has no line end; the file may be cut off");
	return 0;
}

/* The lines of one record, of which the first is in reader->line; the line after them is there
 * afterwards. Returns 1 for a record, EAR_READER_GAP if a line was bad, or less.
 */
static int take_group(struct reader_whisper_log *reader)
{
	struct change change;
	const char *fault;
	int result, error;

	for (bool begun = false;; begun = true) {
		result = take_change(reader, &change, begun, &fault);
		if (result && result != EAR_E_BAD_FILE)
			return result;
		result = report_line(reader, result ? fault : NULL);
		if (result < 0)
			return result;
		error = next_line(reader);
		if (error < 0)
			return error;
		if (result || !change.joined)
			return result ? result : 1;
		if (!reader->has_line)
			return ear_reader_skip_at(&reader->base, reader->line_number,
				reader->line_offset, 0, NULL, true, false);
		if (reader->line_size > 0 && *reader->line != '#')
			break;
	}
	/* Page walks come after the last change, which ends like any other. */
	result = take_end(reader, change.text);
	if (result)
		return result == EAR_E_BAD_FILE ? report_line(reader, bad_brackets) : result;
	result = skip_walks(reader);
	return result ? result : 1;
}

static void leave_light(struct reader_whisper_log *reader)
{
	reader->extra.disassembly = (struct ear_text){NULL, 0};
	reader->record.register_count = 0;
	reader->record.memory_count = 0;
}

static void finish_record(struct reader_whisper_log *reader)
{
	settle_pointers(reader);
	if (reader->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		order_trap_csrs(reader);
	follow_csrs(reader);
	follow_flow(reader);
	if (reader->base.options.light)
		leave_light(reader);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_whisper_log *reader = (struct reader_whisper_log *)base;
	int result;

	*record = &reader->record;
	for (;;) {
		result = reader->has_line ? 1 : next_line(reader);
		if (result <= 0)
			return result;

		struct ear_text line = {reader->line, reader->line_size};
		bool change = line.size >= 2 && line.text[0] == '#' && line.text[1] != ' ';
		if (change) {
			result = take_group(reader);
			if (result == 1)
				finish_record(reader);
		} else {
			reader->has_line = false;
			result = line.size == 0 ? 0 : take_other(reader, line);
		}
		if (result)
			return result;
	}
}

/* The line that follows the record is taken again. */
static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_whisper_log *reader = (const struct reader_whisper_log *)base;

	*offset = reader->has_line ? reader->line_offset : ear_text_input_next_offset(base->input);
	*line_number =
		reader->has_line ? reader->line_number : ear_text_input_next_line(base->input);
	return true;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_whisper_log *reader = (struct reader_whisper_log *)base;
	uint32_t count = HARTS; /* those after them have neither */

	while (!walk->loading && count > 0 && reader->frm[count - 1] == 0 &&
		reader->vtype[count - 1] == 0)
		count--;
	ear_state_bool(walk, &reader->walk_reported);
	ear_state_bool(walk, &reader->comment_reported);
	count = (uint32_t)ear_state_value(walk, count, 4, HARTS);
	for (uint32_t i = 0; i < count && !walk->bad; i++)
		ear_state_u8(walk, &reader->frm[i], 7);
	ear_state_bytes(walk, reader->vtype, count);
	return 0;
}

static const struct ear_reader_resume resume = {place, walk_state};

static void free_reader(struct ear_reader *base)
{
	struct reader_whisper_log *reader = (struct reader_whisper_log *)base;

	free(reader->registers);
	free(reader->memory);
	free(reader->bytes);
	free(reader->text);
	free(reader);
}

struct ear_reader *ear_reader_whisper_log_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_whisper_log *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->base = (struct ear_reader){.input = input,
		.options = *options,
		.next = next,
		.free = free_reader,
		.resume = &resume};
	return &reader->base;
}

int ear_reader_whisper_log_detect(const char *bytes, size_t size)
{
	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		struct ear_text line = {bytes, newline ? (size_t)(newline - bytes) : size};
		struct change change;

		size -= line.size + (newline != NULL);
		bytes += line.size + 1;
		if (line.size == 0 || ear_comment_line_is(line.text, line.size) ||
			(*line.text != '#' && line.text[line.size - 1] == ':'))
			continue;
		return parse_change(&change, line) ? 0 : 95;
	}
	return 0;
}
