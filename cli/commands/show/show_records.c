/* Records for people. A line has the number of the instruction, where it is, its text, and what it
 * did: registers written, memory read and written. Where the function or the line of the source is
 * another one than before, a line before it says so. A register's value that is not the one it had
 * gets a star; what it had is known from the records that were shown, so the first write of each
 * has none.
 *
 * Columns are as wide as what is in them usually is, and become narrower where the terminal is:
 * first the opcode goes, then the offset, then what an instruction did has lines of its own.
 */
#include "cli/commands/show/show_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/source_lines.h"

#define NAMED_MAX   256
#define NAME_SIZE   24
#define EFFECTS_MIN 30 /* columns that what an instruction did should have */

/* Values that registers have, as far as they were seen. */
struct known_values {
	uint64_t x[32], f[32], csr[4096];
	bool has_x[32], has_f[32], has_csr[4096];
	struct {
		char name[NAME_SIZE];
		uint64_t value;
	} named[NAMED_MAX]; /* of other instruction sets */
	unsigned named_count;
};

struct columns {
	size_t time, pc, place, opcode, text, effects; /* where each begins; 0: there is none */
	size_t place_size, text_size;
};

struct show_records {
	struct styled *styled;
	struct ear_instructions *instructions;
	const struct ear_names *names;
	struct source_lines *sources; /* NULL: they are not shown */
	struct show_options options;
	struct columns columns;
	struct known_values known;
	/* What the last instruction had. */
	bool has_last;
	uint16_t hart;
	uint8_t privilege;
	uint64_t first, end; /* addresses for which function and line need not be asked again */
	char function[256], line[256];
	uint64_t function_entry;
	bool must_place; /* something was between: say again where we are */
};

static const char *privilege_text(unsigned privilege)
{
	switch (privilege) {
	case EAR_PRIVILEGE_U: return "U";
	case EAR_PRIVILEGE_S: return "S";
	case EAR_PRIVILEGE_M: return "M";
	case EAR_PRIVILEGE_VU: return "VU";
	case EAR_PRIVILEGE_VS: return "VS";
	case EAR_PRIVILEGE_DEBUG: return "debug";
	default: return "?";
	}
}

static unsigned digits(const struct show_records *show)
{
	return show->options.xlen == 64 ? 16 : 8;
}

/* ---- Columns ---- */

static void set_columns(struct show_records *show)
{
	struct columns *columns = &show->columns;
	size_t width = show->styled->width ? show->styled->width : 160;
	size_t at = 12;

	if (show->options.times) {
		columns->time = at;
		at += 14;
	}
	columns->pc = at;
	at += digits(show) + 2;
	columns->text_size = 30;
	if (show->names && width >= at + 20 + columns->text_size + EFFECTS_MIN) {
		size_t room = width - at - 2 - columns->text_size - EFFECTS_MIN;
		columns->place = at;
		columns->place_size = room > 28 ? 28 : room;
		at += columns->place_size + 2;
	}
	if (show->options.opcodes && width >= at + 10 + columns->text_size + EFFECTS_MIN) {
		columns->opcode = at;
		at += 10;
	}
	columns->text = at;
	at += columns->text_size;
	columns->effects = width >= at + EFFECTS_MIN ? at : 0;
}

struct show_records *show_records_new(struct styled *styled, struct ear_instructions *instructions,
	const struct ear_names *names, const struct show_options *options)
{
	struct show_records *show = calloc(1, sizeof(*show));

	if (!show)
		return NULL;
	show->styled = styled;
	show->instructions = instructions;
	show->names = names;
	show->options = *options;
	set_columns(show);
	if (names && options->source && !(show->sources = source_lines_new())) {
		free(show);
		return NULL;
	}
	return show;
}

void show_records_free(struct show_records *show)
{
	if (show)
		source_lines_free(show->sources);
	free(show);
}

/* ---- What an instruction did ---- */

/* A piece of it: on the same line if it fits, also in its brief form; else on one of its own. */
static void put_effect(struct show_records *show, enum styled_style style, const char *text,
	const char *brief, bool *has_one)
{
	struct styled *styled = show->styled;
	size_t column = show->columns.effects ? show->columns.effects : 14;
	size_t size = styled_width(text), begin = *has_one ? styled->column + 2 : column;

	if (styled->width && begin + size > styled->width &&
		begin + styled_width(brief) <= styled->width) {
		text = brief;
		size = styled_width(brief);
	}
	bool fits = !styled->width || styled->column + 2 + size <= styled->width;

	if (!*has_one && show->columns.effects && styled->column < column + 8 &&
		(!styled->width || column + size <= styled->width)) {
		styled_pad(styled, column);
	} else if (fits && *has_one) {
		styled_pad(styled, styled->column + 2);
	} else {
		styled_end(styled);
		if (styled->width && column + size > styled->width)
			column = size + 14 < styled->width ? styled->width - size : 14;
		styled_pad(styled, column);
	}
	styled_put(styled, style, text);
	*has_one = true;
}

/* Was the value another one? It is kept. */
static bool changes(bool *has, uint64_t *old, uint64_t value)
{
	bool changed = *has && *old != value;

	*has = true;
	*old = value;
	return changed;
}

static bool named_changes(struct known_values *known, const char *name, uint64_t value)
{
	unsigned i = 0;

	while (i < known->named_count && strcmp(known->named[i].name, name) != 0)
		i++;
	if (i < known->named_count) {
		bool has = true;
		return changes(&has, &known->named[i].value, value);
	}
	if (known->named_count < NAMED_MAX && strlen(name) < NAME_SIZE) {
		snprintf(known->named[i].name, NAME_SIZE, "%s", name);
		known->named[known->named_count++].value = value;
	}
	return false;
}

static bool register_changes(
	struct show_records *show, const struct ear_record_register *reg, const char *name)
{
	struct known_values *known = &show->known;

	switch (reg->reg_class) {
	case EAR_REGISTER_X:
		return changes(
			&known->has_x[reg->number % 32], &known->x[reg->number % 32], reg->value);
	case EAR_REGISTER_F:
		return changes(
			&known->has_f[reg->number % 32], &known->f[reg->number % 32], reg->value);
	case EAR_REGISTER_CSR:
		return changes(&known->has_csr[reg->number % 4096], &known->csr[reg->number % 4096],
			reg->value);
	case EAR_REGISTER_NAMED: return !reg->unknown && named_changes(known, name, reg->value);
	default: return false;
	}
}

/* Bytes, the highest first, as numbers are written; unknown ones as "??". */
static void bytes_text(
	char *text, size_t size, const uint8_t *bytes, const uint8_t *unknown, size_t count)
{
	size_t at = (size_t)snprintf(text, size, "0x");

	for (size_t i = count; i > 0 && at + 3 < size; i--)
		at += (size_t)snprintf(text + at, size - at,
			unknown && unknown[i - 1] ? "??" : "%02x", bytes[i - 1]);
}

/* A value that is an address is followed by what is there. */
static void value_text(
	const struct show_records *show, char *text, size_t size, uint64_t value, unsigned bytes)
{
	char name[128] = "";
	int length = snprintf(text, size, "0x%" PRIx64, value);

	if (!show->names || bytes * 8 < show->options.xlen)
		return;
	ear_names_text(show->names, value, name, sizeof(name));
	if (name[0] && length > 0 && (size_t)length < size)
		snprintf(text + length, size - (size_t)length, " <%.100s>", name);
}

static void put_register(
	struct show_records *show, const struct ear_record_register *reg, bool *has_one)
{
	char name[64], value[700], text[1024], brief[1024];
	const uint8_t *unknown = ear_register_unknown(reg), *bytes = ear_register_bytes(reg);
	uint8_t low[8];

	if (reg->reg_class == EAR_REGISTER_NAMED)
		snprintf(name, sizeof(name), "%.*s",
			(int)(reg->text_size < 60 ? reg->text_size : 60), reg->text.name);
	else
		ear_register_name(
			(enum ear_register_class)reg->reg_class, reg->number, name, sizeof(name));
	if (reg->reg_class == EAR_REGISTER_V) {
		bytes_text(value, sizeof(value), reg->text.bytes, NULL, reg->text_size);
	} else if (bytes || unknown) {
		for (unsigned i = 0; i < 8; i++)
			low[i] = (uint8_t)(reg->value >> 8 * i);
		bytes_text(value, sizeof(value), bytes ? bytes : low, unknown,
			bytes           ? reg->size
			: reg->size < 8 ? reg->size
					: 8);
	} else if (reg->reg_class == EAR_REGISTER_X) {
		value_text(show, value, sizeof(value), reg->value, show->options.xlen / 8);
	} else {
		snprintf(value, sizeof(value), "0x%" PRIx64, reg->value);
	}
	bool changed = register_changes(show, reg, name);
	snprintf(text, sizeof(text), "%s%s=%s", changed ? "*" : "", name, value);
	memcpy(brief, text, sizeof(brief));
	char *place = strstr(brief, " <");
	if (place)
		*place = '\0';
	put_effect(show, changed ? STYLED_CHANGED : STYLED_PLAIN, text, brief, has_one);
}

static void place_text(const struct show_records *show, char *text, size_t size, uint64_t address)
{
	char name[256] = "";

	if (show->names)
		ear_names_text(show->names, address, name, sizeof(name));
	if (name[0])
		snprintf(text, size, "0x%" PRIx64 " <%.200s>", address, name);
	else
		snprintf(text, size, "0x%" PRIx64, address);
}

/* The name alone, where there is one. */
static void name_text(const struct show_records *show, char *text, size_t size, uint64_t address)
{
	char name[256];

	ear_names_text(show->names, address, name, sizeof(name));
	if (name[0])
		snprintf(text, size, "%s", name);
}

/* has_value: what was read is in the register before it. */
static void put_access(struct show_records *show, const struct ear_record_access *access,
	bool has_value, bool *has_one)
{
	char place[300], value[64] = "?", value_blank[72], width[16] = "", text[512], brief[512];
	uint8_t bytes[8], unknown[8];
	unsigned size = access->size > 8 ? 8 : access->size;

	place_text(show, place, sizeof(place), access->address);
	for (unsigned i = 0; i < 8; i++) {
		bytes[i] = (uint8_t)(access->value >> 8 * i);
		unknown[i] = (uint8_t)(access->unknown >> 8 * i);
	}
	if (access->has_value && access->unknown && size)
		bytes_text(value, sizeof(value), bytes, unknown, size);
	else if (access->has_value)
		snprintf(value, sizeof(value), "0x%" PRIx64, access->value);
	const char *what = access->masked    ? " (masked off)"
			   : access->aborted ? " (refused by the bus)"
					     : "";
	if (size)
		snprintf(width, sizeof(width), ".%u", size);
	snprintf(value_blank, sizeof(value_blank), "%s ", value);
	for (unsigned i = 0; i < 2; i++) {
		char *to = i ? brief : text;
		if (access->write)
			snprintf(to, sizeof(text), "[%s]%s = %s%s", place, width, value, what);
		else
			snprintf(to, sizeof(text), "%s<- [%s]%s%s", has_value ? "" : value_blank,
				place, width, what);
		if (i == 0 && show->names)
			name_text(show, place, sizeof(place), access->address);
	}
	put_effect(show, access->masked ? STYLED_DIM : STYLED_MEMORY, text, brief, has_one);
}

/* ---- Traps ---- */

static const char *exception_text(uint64_t cause)
{
	static const char *const texts[] = {"instruction address misaligned",
		"instruction access fault", "illegal instruction", "breakpoint",
		"load address misaligned", "load access fault", "store address misaligned",
		"store access fault", "ecall from U", "ecall from S", "ecall from VS",
		"ecall from M", "instruction page fault", "load page fault", NULL,
		"store page fault", "double trap", NULL, "software check", "hardware error",
		"instruction guest-page fault", "load guest-page fault", "virtual instruction",
		"store guest-page fault"};

	return cause < sizeof(texts) / sizeof(texts[0]) ? texts[cause] : NULL;
}

static const char *interrupt_text(uint64_t cause)
{
	static const char *const texts[] = {NULL, "supervisor software", "virtual software",
		"machine software", NULL, "supervisor timer", "virtual timer", "machine timer",
		NULL, "supervisor external", "virtual external", "machine external"};

	return cause < sizeof(texts) / sizeof(texts[0]) ? texts[cause] : NULL;
}

const char *show_trap_name(bool interrupt, uint64_t cause)
{
	return interrupt ? interrupt_text(cause) : exception_text(cause);
}

/* A line of its own, about what is not an instruction. */
static void put_line(struct show_records *show, enum styled_style style, const char *text)
{
	styled_put(show->styled, STYLED_DIM, "          ");
	styled_pad(show->styled, 12);
	styled_put(show->styled, style, text);
	styled_end(show->styled);
	show->must_place = true;
}

static void put_trap(struct show_records *show, const struct ear_record *record)
{
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	uint64_t cause = record->cause & (UINT64_MAX >> 1);
	char text[512], number[64] = "", where[320] = "";

	if (record->xlen == 32)
		cause &= INT32_MAX;
	const char *name = show_trap_name(interrupt, cause);
	if (record->isa != EAR_ISA_RISCV || (record->flags & EAR_RECORD_NO_CAUSE))
		name = NULL;
	if (!(record->flags & EAR_RECORD_NO_CAUSE))
		snprintf(number, sizeof(number), "%s0x%" PRIx64 "%s", name ? " (cause " : " cause ",
			cause, name ? ")" : "");
	if (!(record->flags & EAR_RECORD_NO_NEXT_PC) && record->next_pc != record->pc) {
		char place[300];
		place_text(show, place, sizeof(place), record->next_pc);
		snprintf(where, sizeof(where), ", to %s", place);
	}
	snprintf(text, sizeof(text), "%s%s%s%s%s", interrupt ? "interrupt" : "trap",
		name ? ": " : "", name ? name : "", number, where);
	put_line(show, STYLED_LOSS, text);
}

/* ---- Instructions ---- */

/* The text of a line, as far as there is room for it. */
static void put_source(struct show_records *show, const struct ear_line *line)
{
	struct styled *styled = show->styled;
	const char *text = show->sources && line->line
				   ? source_lines_find(show->sources, line->path, line->line)
				   : "";
	size_t at = styled->column + 2, room = styled->width > at ? styled->width - at : 0;

	if (!*text || (styled->width > 0 && room < 4))
		return;
	if (styled->width == 0 || styled_width(text) <= room) {
		styled_print(styled, STYLED_DIM, "  %s", text);
		return;
	}
	char cut[SOURCE_LINE_MAX + 4];
	snprintf(cut, sizeof(cut), "%s", text);
	while (styled_width(cut) > room - 2) {
		size_t size = strlen(cut);
		do {
			cut[--size] = '\0';
		} while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80);
	}
	styled_print(styled, STYLED_DIM, "  %s..", cut);
}

/* The function and the line of an address, where they are others than before. */
static void put_place(struct show_records *show, uint64_t pc)
{
	struct ear_line line = {.size = sizeof(line)};
	struct ear_function function = {.size = sizeof(function), .first = pc, .last = pc};
	struct ear_inlined chain[EAR_INLINED_MAX];
	char text[256] = "", name[256] = "";

	if (!show->names ||
		(!show->must_place && show->has_last && pc >= show->first && pc <= show->end))
		return;
	if (ear_names_function_at(show->names, pc, &function))
		snprintf(name, sizeof(name), "%s", function.name);
	if (ear_names_line_at(show->names, pc, &line)) {
		show->first = line.first > function.first ? line.first : function.first;
		show->end = line.last < function.last ? line.last : function.last;
		ear_names_line_text(show->names, pc, text, sizeof(text));
	} else {
		/* Up to the next line. */
		show->end = pc;
		show->first = pc;
	}
	size_t count =
		ear_names_inlined_at(show->names, pc, chain, sizeof(chain[0]), EAR_INLINED_MAX);
	if (show->options.no_inline && count > 1 && count <= EAR_INLINED_MAX) {
		const struct ear_inlined *step = &chain[count - 1];
		snprintf(text, sizeof(text), "%s:%u", ear_names_base(step->path), step->line);
		line.path = step->path;
		line.line = step->line;
		count = 1;
	}
	bool same = !show->must_place && function.entry == show->function_entry &&
		    strcmp(name, show->function) == 0 && strcmp(text, show->line) == 0;
	bool same_function = !show->must_place && function.entry == show->function_entry &&
			     strcmp(name, show->function) == 0;
	show->must_place = false;
	show->function_entry = function.entry;
	memcpy(show->function, name, sizeof(name));
	memcpy(show->line, text, sizeof(text));
	if (same || (!name[0] && !text[0]))
		return;
	styled_pad(show->styled, 2);
	if (!same_function || count > 1)
		styled_put(show->styled, STYLED_PLACE, name[0] ? name : "?");
	if (text[0]) {
		if (!same_function || count > 1)
			styled_put(show->styled, STYLED_PLAIN, "  ");
		styled_put(show->styled, STYLED_PLACE, text);
	}
	if (count > 1)
		styled_print(show->styled, STYLED_DIM, "  %s, inlined from %s:%u",
			chain[0].function, ear_names_base(chain[0 + 1].path), chain[1].line);
	if (text[0])
		put_source(show, &line);
	styled_end(show->styled);
}

static void put_mode(struct show_records *show, const struct ear_record *record)
{
	char text[96];

	if (show->has_last && record->hart != show->hart) {
		snprintf(text, sizeof(text), "hart %u", record->hart);
		put_line(show, STYLED_EVENT, text);
	}
	bool known = !(record->flags & EAR_RECORD_NO_PRIVILEGE) && record->isa == EAR_ISA_RISCV;
	if (known && show->has_last && record->hart == show->hart &&
		record->privilege != show->privilege) {
		snprintf(text, sizeof(text), "mode %s -> %s", privilege_text(show->privilege),
			privilege_text(record->privilege));
		put_line(show, STYLED_EVENT, text);
	}
	show->hart = record->hart;
	if (known)
		show->privilege = record->privilege;
}

static void put_head(struct show_records *show, const struct ear_record *record, uint64_t number)
{
	struct styled *styled = show->styled;
	const struct columns *columns = &show->columns;
	char name[300] = "";

	styled_print(styled, STYLED_DIM, "%c%9" PRIu64, number == show->options.mark ? '>' : ' ',
		number);
	if (columns->time) {
		styled_pad(styled, columns->time);
		if (record->flags & EAR_RECORD_HAS_TIME)
			styled_print(styled, STYLED_DIM, "%" PRIu64, record->ticks);
	}
	styled_pad(styled, columns->pc);
	styled_print(styled, STYLED_PLAIN, "%0*" PRIx64, (int)digits(show), record->pc);
	if (columns->place) {
		ear_names_text(show->names, record->pc, name, sizeof(name));
		styled_pad(styled, columns->place);
		if (styled_width(name) > columns->place_size && columns->place_size > 3) {
			/* The end distinguishes an offset from the next. */
			size_t cut = strlen(name) - (columns->place_size - 2);
			styled_print(styled, STYLED_DIM, "..%s", name + cut);
		} else {
			styled_put(styled, STYLED_DIM, name);
		}
	}
	if (columns->opcode) {
		styled_pad(styled, columns->opcode);
		if (!(record->flags & EAR_RECORD_NO_OPCODE))
			styled_print(styled, STYLED_DIM, "%0*" PRIx64, record->opcode_size * 2,
				record->opcode);
	}
	styled_pad(styled, columns->text);
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.';
}

/* "x14" or "f8" at the beginning of a text, as a program names it. Returns how long it is, 0 if it
 * is no register. */
static size_t register_at(const char *at, char *name, size_t size)
{
	char *end;

	if ((at[0] != 'x' && at[0] != 'f') || at[1] < '0' || at[1] > '9')
		return 0;
	unsigned long number = strtoul(at + 1, &end, 10);
	if (number > 31 || is_word(*end))
		return 0;
	ear_register_name(
		at[0] == 'x' ? EAR_REGISTER_X : EAR_REGISTER_F, (unsigned)number, name, size);
	return (size_t)(end - at);
}

/* ". + 0xc", which is how far a jump goes, as where it goes to. Returns how long it is, or 0. */
static size_t target_at(const struct show_records *show, const struct ear_record *record,
	const char *at, char *name, size_t size)
{
	char *end;

	if (strncmp(at, ". + 0x", 6) != 0 && strncmp(at, ". - 0x", 6) != 0)
		return 0;
	uint64_t offset = strtoull(at + 4, &end, 16);
	uint64_t target = at[2] == '+' ? record->pc + offset : record->pc - offset;
	if (record->xlen == 32)
		target = (uint32_t)target;
	name[0] = '\0';
	if (show->names)
		ear_names_text(show->names, target, name, size);
	if (!name[0])
		snprintf(name, size, "0x%" PRIx64, target);
	return (size_t)(end - at);
}

/* Registers by the names that programs use, and targets of jumps. */
static void rename_operands(const struct show_records *show, const struct ear_record *record,
	char *to, size_t size, const char *text)
{
	size_t length = 0;

	for (const char *at = text; *at && length + 1 < size;) {
		char name[256];
		bool begins = at == text || !is_word(at[-1]);
		size_t used = begins ? register_at(at, name, sizeof(name)) : 0;

		if (!used)
			used = target_at(show, record, at, name, sizeof(name));
		if (used) {
			int more = snprintf(to + length, size - length, "%s", name);
			length += more > 0 ? (size_t)more : 0;
			length = length < size ? length : size - 1;
			at += used;
		} else {
			to[length++] = *at++;
		}
	}
	to[length] = '\0';
}

/* "addi a0,a0,1" with its operands in a column of their own. */
static void put_text(struct show_records *show, const struct ear_record *record)
{
	char text[512], source[512];
	struct styled *styled = show->styled;

	ear_instruction_text(show->instructions, record, source, sizeof(source));
	if (record->isa == EAR_ISA_RISCV)
		rename_operands(show, record, text, sizeof(text), source);
	else
		snprintf(text, sizeof(text), "%s", source);
	char *blank = strpbrk(text, " \t");
	if (blank && blank - text < 8) {
		*blank = '\0';
		styled_put(styled, STYLED_PLAIN, text);
		styled_pad(styled, show->columns.text + 8);
		styled_put(styled, STYLED_PLAIN, blank + 1 + strspn(blank + 1, " \t"));
	} else {
		styled_put(styled, STYLED_PLAIN, text[0] ? text : "?");
	}
	if (record->flags & EAR_RECORD_SKIPPED)
		styled_put(styled, STYLED_DIM, " (not executed)");
}

/* A load into one register: its value, with the sign spread or not, is not shown twice. */
static bool is_plain_load(const struct ear_record *record)
{
	const struct ear_record_access *access = record->memory;
	const struct ear_record_register *reg = record->registers;

	if (record->memory_count != 1 || record->register_count != 1 || access->write ||
		!ear_access_is_known(access) || access->size == 0 || access->size > 8 ||
		reg->reg_class != EAR_REGISTER_X)
		return false;
	uint64_t mask = access->size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * access->size) - 1;
	return (reg->value & mask) == (access->value & mask);
}

static void put_effects(struct show_records *show, const struct ear_record *record)
{
	bool has_one = false, plain_load = is_plain_load(record);

	for (size_t i = 0; i < record->register_count; i++)
		put_register(show, &record->registers[i], &has_one);
	for (size_t i = 0; i < record->memory_count; i++)
		put_access(show, &record->memory[i], plain_load, &has_one);
}

static void put_instruction(
	struct show_records *show, const struct ear_record *record, uint64_t number)
{
	put_mode(show, record);
	put_place(show, record->pc);
	put_head(show, record, number);
	if (record->flags & EAR_RECORD_INTERRUPT)
		styled_put(show->styled, STYLED_DIM, "(interrupted before)");
	else
		put_text(show, record);
	put_effects(show, record);
	styled_end(show->styled);
	show->has_last = true;
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		put_trap(show, record);
}

/* ---- All else ---- */

static void put_gap(struct show_records *show, const struct ear_gap *gap)
{
	char text[512], count[160];

	if (!gap->count_known)
		snprintf(count, sizeof(count), "an unknown number of records is missing");
	else if (gap->first <= gap->last)
		snprintf(count, sizeof(count),
			"%s%" PRIu64 " record%s missing, index %" PRIu64 " to %" PRIu64,
			gap->upper_bound ? "up to " : "", gap->count, gap->count == 1 ? "" : "s",
			gap->first, gap->last);
	else
		snprintf(count, sizeof(count), "%s%" PRIu64 " record%s missing",
			gap->upper_bound ? "up to " : "", gap->count, gap->count == 1 ? "" : "s");
	snprintf(text, sizeof(text), "gap: %s: %s", count, ear_gap_reason_text(gap->reason));
	put_line(show, STYLED_LOSS, text);
	/* What registers hold may have changed meanwhile. */
	memset(&show->known, 0, sizeof(show->known));
}

static void put_event(struct show_records *show, const struct ear_event *event)
{
	char text[512];

	if (event->name.text)
		snprintf(text, sizeof(text), "event: %.*s 0x%" PRIx64 " 0x%" PRIx64,
			(int)(event->name.size < 300 ? event->name.size : 300), event->name.text,
			event->words[0], event->words[1]);
	else
		snprintf(text, sizeof(text), "event: source %u, value 0x%" PRIx32, event->source,
			event->value);
	put_line(show, STYLED_EVENT, text);
}

static void put_other(struct show_records *show, const struct ear_record *record, const char *what)
{
	styled_pad(show->styled, 12);
	styled_put(show->styled, STYLED_EVENT, what);
	put_effects(show, record);
	styled_end(show->styled);
	show->must_place = true;
}

void show_record(struct show_records *show, const struct ear_record *record, uint64_t number)
{
	char text[512];

	switch ((enum ear_record_kind)record->kind) {
	case EAR_RECORD_INSTRUCTION: put_instruction(show, record, number); break;
	case EAR_RECORD_GAP: put_gap(show, &record->u.gap); break;
	case EAR_RECORD_EVENT: put_event(show, &record->u.event); break;
	case EAR_RECORD_MEMORY: put_other(show, record, "access"); break;
	case EAR_RECORD_REGISTERS: put_other(show, record, "registers"); break;
	case EAR_RECORD_IDLE: put_line(show, STYLED_DIM, "idle bus cycle"); break;
	case EAR_RECORD_NOTE:
		snprintf(text, sizeof(text), "note: %.*s",
			(int)(record->u.note.text.size < 480 ? record->u.note.text.size : 480),
			record->u.note.text.text ? record->u.note.text.text : "");
		put_line(show, STYLED_DIM, text);
		break;
	}
}
