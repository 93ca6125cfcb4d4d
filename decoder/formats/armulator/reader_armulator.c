/* ARMulator traces to records.
 *
 * Each line begins with a letter that says what it is: bus cycle, instruction, event, registers,
 * time. The fetch of an instruction comes before its line, data cycles and registers come after
 * it. So the last record stays open: a lone fetch becomes part of the instruction that it fetched,
 * and what follows an instruction is added to it, until a line begins the next record.
 */
#define _GNU_SOURCE /* memmem */

#include "decoder/formats/armulator/reader_armulator.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "decoder/formats/armulator/armulator_text.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/isa/disassembly.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

struct reader_armulator {
	struct ear_reader base;
	struct ear_record_pair pair;
	int isa; /* as the user or the header says, or -1 */
	uint8_t xlen;
	uint8_t privilege; /* RISC-V: by the last change of mode */
	bool has_privilege;
	bool has_time;
	uint64_t time;
	uint64_t next_index;
	bool begun;      /* a line that is not of the header was read */
	bool takes_data; /* the open instruction may get data cycles */
	bool takes_registers;
	struct ear_record_access
		fetch; /* light records: the fetch of a halfword in the last line */
	struct ear_disassembler *disassembler;
};

/* --- Records --- */

static struct ear_record_builder *begin(struct reader_armulator *reader, enum ear_record_kind kind)
{
	struct ear_record_builder *builder = ear_record_pair_begin(&reader->pair, kind);
	struct ear_record *record = &builder->record;

	record->index = reader->next_index;
	record->stream_offset = ear_text_input_offset(reader->base.input);
	builder->extra.line = ear_text_input_line_number(reader->base.input);
	if (reader->has_time) {
		record->ticks = reader->time;
		record->flags = EAR_RECORD_HAS_TIME;
	}
	return builder;
}

/* The record begun is the open one. Returns 1 if the one before it is out, else 0. */
static int turn(struct reader_armulator *reader, const struct ear_record **record)
{
	struct ear_record_builder *made = &reader->pair.builders[!reader->pair.current];

	if (made->error)
		return made->error;
	*record = ear_record_pair_turn(&reader->pair);
	reader->takes_data = made->record.kind == EAR_RECORD_INSTRUCTION;
	reader->takes_registers = reader->takes_data || made->record.kind == EAR_RECORD_REGISTERS;
	return *record != NULL;
}

static int report(struct reader_armulator *reader, const char *cause)
{
	return ear_reader_skip(&reader->base, cause, reader->pair.open);
}

/* The open record, if it has this time. */
static struct ear_record_builder *find_open(struct reader_armulator *reader)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->pair);

	if (!open)
		return NULL;
	bool timed = open->record.flags & EAR_RECORD_HAS_TIME;
	return timed == reader->has_time && (!timed || open->record.ticks == reader->time) ? open
											   : NULL;
}

/* --- Lines --- */

/* The header names our own traces of RISC-V. */
static void take_source(struct reader_armulator *reader, struct ear_text_cursor line)
{
	uint64_t xlen;

	if (reader->isa < 0 && ear_text_take_word(&line, EAR_ARMULATOR_AARCH64)) {
		reader->isa = EAR_ISA_A64;
		reader->base.xlen = reader->xlen = 64;
		return;
	}
	if (reader->isa >= 0 || !ear_text_take_word(&line, EAR_ARMULATOR_SOURCE) ||
		!ear_text_decimal(&line, &xlen) || (xlen != 32 && xlen != 64))
		return;
	reader->isa = EAR_ISA_RISCV;
	if (!reader->base.options.xlen)
		reader->xlen = (uint8_t)xlen;
	reader->base.xlen = reader->xlen;
}

static bool is_header(struct ear_text_cursor line)
{
	return ear_text_take_word(&line, "Date: ") || ear_text_take_word(&line, "Source: ") ||
	       ear_text_take_word(&line, "Options: ") || ear_text_take_word(&line, "Range: ") ||
	       ear_text_take_word(&line, "Sample: ");
}

static int take_note(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_record_builder *builder = begin(reader, EAR_RECORD_NOTE);
	struct ear_text text = {line.at, (size_t)(line.end - line.at)};

	take_source(reader, line);
	builder->record.u.note.text = ear_record_builder_copy(builder, text);
	return turn(reader, record);
}

/* "T 0000001A  ", or as many blanks if the time has not changed. */
static const char *take_time(struct reader_armulator *reader, struct ear_text_cursor *line)
{
	uint64_t time;

	if (ear_text_take_word(line, "T ")) {
		if (ear_text_hex(line, &time) == 0)
			return "the time after T is missing";
		reader->time = time;
		reader->has_time = true;
	}
	ear_text_skip_blanks(line);
	return NULL;
}

/* Which set, and whether it ran: "T" and "S", or a letter for each with TraceEIS. */
static bool take_form(struct ear_record *record, struct ear_text_cursor *line, int *set)
{
	char first = ear_text_peek(line);

	*set = -1;
	if (line->end - line->at < 2)
		return false;
	line->at++;
	if (ear_text_take(line, ' ')) {
		if (first == 'S')
			record->flags |= EAR_RECORD_SKIPPED;
		return first == 'T' || first == 'S';
	}
	switch (first) {
	case 'A': *set = EAR_ISA_A32; break;
	case 'T': *set = EAR_ISA_T32; break;
	case 'J': *set = EAR_ISA_JAZELLE; break;
	case 'X': *set = EAR_ISA_T32EE; break;
	default: return false;
	}
	if (ear_text_take(line, 'F'))
		record->flags |= EAR_RECORD_SKIPPED;
	else if (!ear_text_take(line, 'P'))
		return false;
	return ear_text_take(line, ' ');
}

static struct ear_text trim(struct ear_text_cursor line)
{
	ear_text_skip_blanks(&line);
	while (line.end > line.at && ear_text_is_blank(line.end[-1]))
		line.end--;
	return (struct ear_text){line.at, (size_t)(line.end - line.at)};
}

static void set_text(struct reader_armulator *reader, struct ear_record_builder *builder,
	struct ear_text_cursor line)
{
	struct ear_record *record = &builder->record;

	struct ear_text text = trim(line);

	if (ear_disassembly_hides_opcode(record->isa, record->opcode, text))
		record->flags |= EAR_RECORD_NO_OPCODE;
	if (ear_text_is(text, EAR_DISASSEMBLY_UNKNOWN) || reader->base.options.light)
		return;
	if (record->isa == EAR_ISA_RISCV) {
		struct ear_text ours = ear_disassemble(reader->disassembler, EAR_ISA_RISCV,
			record->xlen, record->pc, record->opcode, record->opcode_size);
		if (ours.size == text.size && strncasecmp(ours.text, text.text, text.size) == 0)
			return;
	}
	builder->extra.disassembly =
		text.size > 0 ? ear_record_builder_copy(builder, text) : (struct ear_text){"", 0};
}

static void set_isa(struct reader_armulator *reader, struct ear_record *record, int set)
{
	if (reader->isa >= 0)
		record->isa = (uint8_t)reader->isa;
	else if (set >= 0)
		record->isa = (uint8_t)set;
	else
		record->isa = record->opcode_size == 2 ? EAR_ISA_T32 : EAR_ISA_A32;
	if (record->isa == EAR_ISA_RISCV && reader->has_privilege)
		record->privilege = reader->privilege;
	else
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
	record->xlen = reader->xlen;
}

/* The letters of a cycle after M, B or X. Returns false if they are none. idle: no access. */
static bool take_cycle(struct ear_record_access *access, bool *idle, struct ear_text letters)
{
	struct ear_text_cursor at = ear_text_cursor(letters.text, letters.size);
	unsigned attributes = access->attributes;

	*idle = false;
	if (ear_text_is(letters, "I") || ear_text_is(letters, "IO") || ear_text_is(letters, "C") ||
		ear_text_is(letters, "CO")) {
		*idle = true;
		attributes |= letters.text[0] == 'C' ? EAR_BUS_COPROCESSOR : 0u;
		attributes |= letters.size == 2 ? EAR_BUS_OPCODE : 0u;
		access->attributes = (uint16_t)attributes;
		return true;
	}
	if (ear_text_take(&at, 'S'))
		attributes |= EAR_BUS_KNOWN | EAR_BUS_SEQUENTIAL;
	else if (ear_text_take(&at, 'N'))
		attributes |= EAR_BUS_KNOWN;
	else if (ear_text_take(&at, 'A')) /* an address without data */
		attributes |= EAR_BUS_KNOWN;
	else if (ear_text_peek(&at) != 'R' && ear_text_peek(&at) != 'W')
		return false;
	access->write = ear_text_take(&at, 'W');
	if (!access->write && !ear_text_take(&at, 'R'))
		return false;
	char size = ear_text_peek(&at);
	if (size != '1' && size != '2' && size != '4' && size != '8')
		return false;
	at.at++;
	access->size = (uint8_t)(size - '0');

	static const struct {
		char letters[4];
		uint16_t flags[3];
	} places[] = {{"O", {EAR_BUS_OPCODE}}, {"L", {EAR_BUS_LOCKED}},
		{"SK", {EAR_BUS_SPECULATIVE, EAR_BUS_KILLED}}, {"D", {EAR_BUS_MORE}},
		{"48", {EAR_BUS_BURST_4, EAR_BUS_BURST_8}}};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !ear_text_at_end(&at); i++) {
		char letter = *at.at++;
		if (letter == '_')
			continue;
		const char *found = strchr(places[i].letters, letter);
		if (!found || !letter)
			return false;
		attributes |= places[i].flags[found - places[i].letters];
	}
	access->attributes = (uint16_t)attributes;
	return ear_text_at_end(&at);
}

/* " 00000C1E", " E28F8090 E898000F", " (wait)", and " (abort)" and the like after it. */
static const char *take_data(struct ear_record_access *access, struct ear_text_cursor *line)
{
	uint64_t high = 0;

	ear_text_skip_blanks(line);
	size_t digits = ear_text_hex(line, &access->value);
	access->has_value = digits > 0;
	if (access->size == 8 && digits > 0 && digits <= 8) {
		ear_text_skip_blanks(line);
		if (ear_text_hex(line, &high) == 0 || high >> 32)
			return "the second word of data is missing";
		access->value |= high << 32;
	}
	if (access->size < 8 && access->value >> 8 * access->size)
		return "the data do not have the size of the access";
	ear_text_skip_blanks(line);
	if (ear_text_take_word(line, "(abort)"))
		access->aborted = true;
	else if (ear_text_take_word(line, "(wait)"))
		access->attributes |= EAR_BUS_WAIT;
	else if (ear_text_take_word(line, "(peek)") || ear_text_take_word(line, "(poke)"))
		access->attributes |= EAR_BUS_DEBUG;
	ear_text_skip_blanks(line);
	return ear_text_at_end(line) ? NULL : "the data are not a hexadecimal number";
}

/* A cycle, what comes after M, B or X. Returns NULL or why it is none. */
static const char *parse_cycle(
	struct ear_record_access *access, bool *idle, struct ear_text_cursor *line)
{
	if (!take_cycle(access, idle, ear_text_until(line, ' ')))
		return "the letters do not describe a bus cycle";
	if (*idle) {
		ear_text_skip_blanks(line);
		return ear_text_at_end(line) ? NULL : "an idle cycle has an address";
	}
	if (!ear_text_take(line, ' ') || ear_text_hex(line, &access->address) == 0)
		return "the address is missing or malformed";
	return take_data(access, line);
}

/* Is it the cycle that fetched this opcode? */
static bool is_fetch(const struct ear_record_access *access, const struct ear_record *record)
{
	const unsigned fetch = EAR_BUS_CORE | EAR_BUS_OPCODE;

	return (access->attributes & fetch) == fetch && !(access->attributes & EAR_BUS_DEBUG) &&
	       access->address == record->pc && access->has_value && !access->aborted &&
	       access->size == record->opcode_size && access->value == record->opcode;
}

static bool is_own_data(const struct ear_record_access *access)
{
	const unsigned other = EAR_BUS_OPCODE | EAR_BUS_WAIT | EAR_BUS_DEBUG;

	return access->attributes & EAR_BUS_CORE && !(access->attributes & other);
}

static int take_access(struct reader_armulator *reader, char kind, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_record_access access = {.attributes = kind == 'B' ? 0 : EAR_BUS_CORE};
	bool idle;

	const char *cause = parse_cycle(&access, &idle, &line);
	if (cause)
		return report(reader, cause);
	if (idle) {
		struct ear_record_builder *builder = begin(reader, EAR_RECORD_IDLE);
		builder->record.u.cycle.attributes = access.attributes;
		return turn(reader, record);
	}
	access.aborted |= kind == 'X';

	struct ear_record_builder *open = find_open(reader);
	bool own = open && reader->takes_data && is_own_data(&access);
	struct ear_record_builder *builder = own ? open : begin(reader, EAR_RECORD_MEMORY);
	struct ear_record_access *appended = ear_record_builder_access(builder);
	if (!appended)
		return builder->error;
	*appended = access;
	if (!own)
		return turn(reader, record);
	reader->takes_registers = false;
	return 0;
}

/* --- The two lines of a Thumb instruction of 32 bits --- */

/* The next line of a text in memory; false if its end is not there. */
static bool take_whole_line(struct ear_text_cursor *text, struct ear_text_cursor *line)
{
	struct ear_text found = ear_text_until(text, '\n');

	*line = ear_text_cursor(found.text, found.size);
	if (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	ear_text_skip_blanks(line);
	return ear_text_take(text, '\n');
}

/* "IT 00008002 f801 BL 0x8006": the second half, up to its text, which is that of both. */
static bool take_second_half(
	struct ear_text_cursor *line, const struct ear_record *first, struct ear_record *second)
{
	int set;

	*second = (struct ear_record){.opcode_size = 2};
	return ear_text_take(line, 'I') && take_form(second, line, &set) &&
	       (set < 0 || set == EAR_ISA_T32) &&
	       !((second->flags ^ first->flags) & EAR_RECORD_SKIPPED) &&
	       ear_text_hex(line, &second->pc) > 0 && second->pc == first->pc + 2 &&
	       ear_text_take(line, ' ') && ear_text_hex(line, &second->opcode) == 4 &&
	       (ear_text_at_end(line) || *line->at == ' ');
}

/* "MSR2O___ 00008002 F801": the cycle that fetched it. */
static bool is_second_fetch(struct ear_text_cursor line, const struct ear_record *first,
	const struct ear_record *second)
{
	struct ear_record_access access = {.attributes = EAR_BUS_CORE};
	bool idle, known = first->fetch & EAR_BUS_KNOWN;

	return ear_text_take(&line, 'M') && !parse_cycle(&access, &idle, &line) && !idle &&
	       is_fetch(&access, second) &&
	       access.attributes == (first->fetch | (known ? EAR_BUS_SEQUENTIAL : 0));
}

/* They are one record if nothing is between them but the fetch of the second one, as the writer
 * makes them: then they are written again as they were. text is that of the first line. Both kinds
 * of records, full and light, see the same lines here, so these are read ahead.
 */
static int join_halves(
	struct reader_armulator *reader, struct ear_record_builder *builder, struct ear_text text)
{
	struct ear_record *record = &builder->record, second;
	bool fetched = record->fetch;
	struct ear_text_cursor ahead, fetch, line;
	size_t size;
	char first[32];

	if (record->isa != EAR_ISA_T32 || record->opcode_size != 2 ||
		record->opcode < EAR_ARMULATOR_WIDE || text.size >= sizeof(first))
		return 0;
	memcpy(first, text.text, text.size);
	text.text = first;
	ear_text_input_ahead(reader->base.input, &ahead.at, &size);
	ahead.end = ahead.at + size;
	if ((fetched && !take_whole_line(&ahead, &fetch)) || !take_whole_line(&ahead, &line) ||
		!take_second_half(&line, record, &second) ||
		(fetched && !is_second_fetch(fetch, record, &second)))
		return 0;
	ear_text_skip_blanks(&line);
	const uint64_t opcode = record->opcode << 16 | second.opcode;
	const char *own = ear_text_at_end(&line) ? "" : ear_armulator_first_half(opcode);
	if (text.size != strlen(own) || strncasecmp(text.text, own, text.size) != 0) /* skipped */
		return 0;
	record->opcode = opcode;
	record->opcode_size = 4;
	builder->extra.disassembly = (struct ear_text){NULL, 0};
	set_text(reader, builder, line);
	int result = 1;
	for (int lines = fetched ? 2 : 1; lines > 0 && result > 0; lines--)
		result = ear_text_input_line(reader->base.input, &ahead.at, &size);
	return result < 0 ? result : 0;
}

/* "IT 00008000 e28f8090 ADD r8,pc,#0x90" */
static int take_instruction(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_record_builder *open = find_open(reader);
	struct ear_record made = {.kind = EAR_RECORD_INSTRUCTION};
	int set;

	if (!take_form(&made, &line, &set))
		return report(reader, "the instruction is neither executed (IT) nor skipped (IS)");
	if (ear_text_hex(&line, &made.pc) == 0 || !ear_text_take(&line, ' '))
		return report(reader, "the address is missing or malformed");
	if (!ear_reader_fits(&reader->base, made.pc))
		return report(reader, EAR_READER_TOO_WIDE);
	size_t digits = ear_text_hex(&line, &made.opcode);
	if (digits == 0 || (!ear_text_at_end(&line) && *line.at != ' '))
		return report(reader, "the opcode is missing or malformed");
	made.opcode_size = (uint8_t)((digits + 1) / 2);
	set_isa(reader, &made, set);

	bool fetched =
		open && open->record.kind == EAR_RECORD_MEMORY && is_fetch(&open->memory[0], &made);
	struct ear_record_builder *builder = fetched ? open : begin(reader, EAR_RECORD_INSTRUCTION);
	struct ear_record *target = &builder->record;
	target->kind = EAR_RECORD_INSTRUCTION;
	target->flags |= made.flags;
	target->pc = made.pc;
	target->opcode = made.opcode;
	target->opcode_size = made.opcode_size;
	target->isa = made.isa;
	target->xlen = made.xlen;
	target->privilege = made.privilege;
	target->index = reader->next_index++;
	if (fetched) {
		target->fetch = builder->memory[0].attributes;
		target->memory_count = 0;
	}
	set_text(reader, builder, line);
	if (reader->base.options.light && is_fetch(&reader->fetch, &made))
		target->fetch = reader->fetch.attributes; /* what join_halves looks at */
	int result = join_halves(reader, builder, trim(line));
	if (result < 0)
		return result;
	if (reader->base.options.light)
		target->fetch = 0;
	reader->fetch.size = 0;
	if (!fetched)
		return turn(reader, record);
	reader->takes_data = reader->takes_registers = true;
	return builder->error;
}

/* x, f and CSRs; vectors cannot be in such a line. */
static bool find_riscv(struct ear_text name, enum ear_register_class *kind, uint16_t *number)
{
	if (ear_riscv_find_register(name, kind, number))
		return *kind != EAR_REGISTER_V;
	*kind = EAR_REGISTER_CSR;
	return ear_riscv_find_csr(name, number);
}

/* Of ARM there are names of all kinds. Returns false for one that RISC-V does not have. */
static bool set_register(struct reader_armulator *reader, struct ear_record_builder *builder,
	struct ear_record_register *reg, struct ear_text name, size_t digits)
{
	enum ear_register_class kind;

	reg->size = digits > 8 ? 8 : 4;
	if (reader->isa == EAR_ISA_RISCV) {
		const bool known = find_riscv(name, &kind, &reg->number);
		reg->reg_class = (uint8_t)kind;
		return known;
	}
	reg->reg_class = EAR_REGISTER_NAMED;
	reg->text_size = (uint32_t)name.size;
	reg->text.name = ear_record_builder_copy(builder, name).text;
	return true;
}

/* "r14=20000060", "p15c1=0x00000001_00000002". Returns NULL or why not. */
static const char *take_register(struct reader_armulator *reader,
	struct ear_record_builder *builder, struct ear_text_cursor *line)
{
	struct ear_text name = ear_text_until(line, '=');
	uint64_t value, low;

	if (name.size == 0 || !ear_text_take(line, '='))
		return "a register has no name or no value";
	(void)ear_text_take_word(line, "0x");
	size_t digits = ear_text_hex(line, &value);
	if (digits == 0)
		return "the register has no value";
	if (ear_text_take(line, '_')) {
		size_t more = ear_text_hex(line, &low);
		if (more == 0 || digits + more > 16 || more > 8)
			return "a register value is not a number of at most 64 bits";
		value = value << 4 * more | low;
		digits += more;
	}
	struct ear_record_register *reg = ear_record_builder_register(builder);
	if (!reg)
		return "the record is too large";
	reg->value = value;
	if (!set_register(reader, builder, reg, name, digits))
		return "there is no such register";
	ear_text_skip_blanks(line);
	if (!ear_text_at_end(line))
		return "something follows the value of a register";
	return reg->reg_class == EAR_REGISTER_X && !ear_reader_fits(&reader->base, value)
		       ? EAR_READER_TOO_WIDE
		       : NULL;
}

/* What is not a register is a word that is not understood, unless the line is cut off. */
static const char *take_registers(struct reader_armulator *reader,
	struct ear_record_builder *builder, struct ear_text_cursor line)
{
	const struct ear_record *record = &builder->record;

	do {
		ear_text_skip_blanks(&line);
		const size_t before = record->register_count;
		const struct ear_text item = ear_text_until(&line, ',');
		struct ear_text_cursor at = ear_text_cursor(item.text, item.size);
		const char *cause = take_register(reader, builder, &at);
		if (cause && (builder->error || strcmp(cause, EAR_READER_TOO_WIDE) == 0 ||
				     item.size == 0 || ear_text_input_cut(reader->base.input)))
			return cause;
		if (cause) {
			builder->record.register_count = before;
			ear_reader_word(&reader->base, record->hart, item);
		}
	} while (ear_text_take(&line, ','));
	return NULL;
}

static int take_register_line(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_record_builder *open = find_open(reader);
	bool own = open && reader->takes_registers;
	struct ear_record_builder *builder = own ? open : begin(reader, EAR_RECORD_REGISTERS);
	size_t before = builder->record.register_count;

	const char *cause = take_registers(reader, builder, line);
	if (cause) {
		builder->record.register_count = before; /* a bad line changes nothing */
		int error = builder->error;
		builder->error = 0;
		return error == EAR_E_NO_MEMORY ? error : report(reader, cause);
	}
	return own || builder->record.register_count == 0 ? 0 : turn(reader, record);
}

static void set_cause(struct ear_record *record, uint64_t cause)
{
	if (cause == EAR_ARMULATOR_NO_CAUSE)
		record->flags |= EAR_RECORD_NO_CAUSE;
	else
		record->cause = cause;
}

/* An event of our own, about a RISC-V hart. Returns false if it is another one. */
static bool take_riscv_event(struct reader_armulator *reader, const struct ear_event *event,
	const struct ear_record **record, int *result)
{
	struct ear_record_builder *open = find_open(reader);

	if (reader->isa != EAR_ISA_RISCV)
		return false;
	*result = 0;
	switch (event->value) {
	case EAR_ARMULATOR_MODE_CHANGE:
		if (event->words[1] > EAR_PRIVILEGE_DEBUG &&
			event->words[1] != EAR_ARMULATOR_NO_MODE)
			return false;
		reader->has_privilege = event->words[1] != EAR_ARMULATOR_NO_MODE;
		reader->privilege = reader->has_privilege ? (uint8_t)event->words[1] : 0;
		return true;
	case EAR_ARMULATOR_UNDEFINED:
	case EAR_ARMULATOR_SWI:
	case EAR_ARMULATOR_PREFETCH_ABORT:
	case EAR_ARMULATOR_DATA_ABORT:
	case EAR_ARMULATOR_BREAKPOINT:
		if (!open || open->record.kind != EAR_RECORD_INSTRUCTION ||
			open->record.pc != event->words[0])
			return false;
		open->record.flags |= EAR_RECORD_TRAP;
		set_cause(&open->record, event->words[1]);
		reader->takes_data = reader->takes_registers = false;
		return true;
	case EAR_ARMULATOR_IRQ: break;
	default: return false;
	}
	struct ear_record_builder *builder = begin(reader, EAR_RECORD_INSTRUCTION);
	builder->record.flags |= EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;
	builder->record.pc = event->words[0];
	set_cause(&builder->record, event->words[1]);
	set_isa(reader, &builder->record, -1);
	builder->record.index = reader->next_index++;
	*result = turn(reader, record);
	return true;
}

/* "E 00000048 00000000 10005 " */
static int take_event(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_event event = {.source = 0};
	uint64_t number;
	int result;

	if (ear_text_hex(&line, &event.words[0]) == 0 || !ear_text_take(&line, ' ') ||
		ear_text_hex(&line, &event.words[1]) == 0 || !ear_text_take(&line, ' ') ||
		ear_text_hex(&line, &number) == 0 || number > UINT32_MAX)
		return report(reader, "the event does not have three numbers");
	ear_text_skip_blanks(&line);
	event.value = (uint32_t)number;
	if (take_riscv_event(reader, &event, record, &result))
		return result;
	if (number == EAR_ARMULATOR_UNIT_EVENT && event.words[0] <= UINT8_MAX) {
		event.source = (uint8_t)event.words[0];
		event.value = (uint32_t)event.words[1];
		event.words[0] = event.words[1] = 0;
	}
	struct ear_record_builder *builder = begin(reader, EAR_RECORD_EVENT);
	if (!ear_text_at_end(&line))
		event.name = ear_record_builder_copy(
			builder, (struct ear_text){line.at, (size_t)(line.end - line.at)});
	builder->record.u.event = event;
	return turn(reader, record);
}

/* Piccolo's lines, of special builds in 1997: kept as text. */
static int take_piccolo(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	struct ear_record_builder *builder = begin(reader, EAR_RECORD_EVENT);

	builder->record.u.event.name = ear_record_builder_copy(
		builder, (struct ear_text){line.at, (size_t)(line.end - line.at)});
	return turn(reader, record);
}

/* Of cycles, light records need the fetch of a halfword alone. */
static int note_fetch(struct reader_armulator *reader, char kind, struct ear_text_cursor line)
{
	struct ear_record_access access = {.attributes = EAR_BUS_CORE};
	bool idle;

	if (kind == 'M' && line.end - line.at > 4 && line.at[2] == '2' && line.at[3] == 'O' &&
		!parse_cycle(&access, &idle, &line))
		reader->fetch = access;
	return 0;
}

/* One line. Returns 1 and a record that became complete, 0, or an error. */
static int take_line(struct reader_armulator *reader, struct ear_text_cursor line,
	const struct ear_record **record)
{
	bool light = reader->base.options.light;
	struct ear_text_cursor whole = line;

	if (is_header(line) || (!reader->begun && ear_text_at_end(&line)))
		return take_note(reader, line, record);
	reader->begun |= !ear_text_at_end(&line);
	bool later = ear_text_peek(&line) == 'T';
	const char *cause = take_time(reader, &line);
	if (cause)
		return report(reader, cause);
	if (ear_text_at_end(&line))
		return 0;

	char kind = *line.at++;
	if (kind != 'I' || later)
		reader->fetch.size = 0;
	switch (kind) {
	case 'I': return take_instruction(reader, line, record);
	case 'M':
	case 'B':
	case 'X':
		return light ? note_fetch(reader, kind, line)
			     : take_access(reader, kind, line, record);
	case 'E':
		if (ear_text_take(&line, ' '))
			return take_event(reader, line, record);
		break;
	case 'R':
		(void)ear_text_take_word(&line, "CP");
		if (ear_text_take(&line, ' '))
			return light ? 0 : take_register_line(reader, line, record);
		break;
	case 'P':
		if (line.at < line.end && memchr("IMSRF", *line.at, 5))
			return take_piccolo(reader, whole, record);
		break;
	default: break;
	}
	if (ear_text_input_cut(reader->base.input))
		return report(reader, NULL);
	return ear_reader_report(&reader->base, "the line is not one of ARMulator's tracer", true);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_armulator *reader = (struct reader_armulator *)base;
	int result = 0;

	*record = NULL;
	while (result == 0) {
		const char *line;
		size_t size;
		result = ear_text_input_line(base->input, &line, &size);
		if (result < 0)
			return result;
		if (result == 0) {
			*record = ear_record_pair_end(&reader->pair);
			return *record != NULL;
		}
		result = 0;
		if (ear_text_input_cut(base->input))
			result = ear_reader_report(base,
				"the last line has no line end; the file may be cut off", false);
		if (result == 0)
			result = take_line(reader, ear_text_cursor(line, size), record);
	}
	return result;
}

static void free_reader(struct ear_reader *base)
{
	struct reader_armulator *reader = (struct reader_armulator *)base;

	ear_record_pair_fini(&reader->pair);
	ear_disassembler_free(reader->disassembler);
	free(reader);
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_armulator *reader = (struct reader_armulator *)base;
	uint8_t isa = (uint8_t)(reader->isa + 1);

	ear_state_u8(walk, &isa, EAR_ISA_UNKNOWN + 1);
	reader->isa = isa - 1;
	ear_state_u8(walk, &reader->xlen, 64);
	walk->bad |= walk->loading && reader->xlen != 32 && reader->xlen != 64;
	ear_state_u8(walk, &reader->privilege, EAR_PRIVILEGE_DEBUG);
	ear_state_bool(walk, &reader->has_privilege);
	ear_state_bool(walk, &reader->has_time);
	ear_state_u64(walk, &reader->time, UINT64_MAX);
	ear_state_u64(walk, &reader->next_index, UINT64_MAX);
	ear_state_bool(walk, &reader->begun);
	ear_state_bool(walk, &reader->takes_data);
	ear_state_bool(walk, &reader->takes_registers);
	ear_state_u64(walk, &reader->fetch.address, UINT64_MAX);
	ear_state_u64(walk, &reader->fetch.value, UINT64_MAX);
	ear_state_u16(walk, &reader->fetch.attributes, UINT16_MAX);
	ear_state_bool(walk, &reader->fetch.has_value);
	ear_state_bool(walk, &reader->fetch.aborted);
	ear_state_u8(walk, &reader->fetch.size, 8);
	return ear_state_pair(walk, &reader->pair);
}

static const struct ear_reader_resume resume = {.walk = walk_state};

struct ear_reader *ear_reader_armulator_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_armulator *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->disassembler = ear_disassembler_new();
	if (!reader->disassembler) {
		free(reader);
		return NULL;
	}
	reader->base.input = input;
	if (options)
		reader->base.options = *options;
	reader->base.next = next;
	reader->base.free = free_reader;
	reader->base.resume = &resume;
	reader->isa = options && options->isa ? ear_isa_find(options->isa) : -1;
	reader->xlen = (uint8_t)(options && options->xlen ? options->xlen : 32);
	/* Registers stay in the order of their line, which the writer has for a rule. */
	reader->pair.builders[0].ordered = reader->pair.builders[1].ordered = true;
	return &reader->base;
}

/* --- Detection --- */

/* "MNR4O___ ", "IT 0000", "E 00000048 00000000 10005", with or without a time in front. */
static bool is_likely(struct ear_text_cursor line)
{
	struct ear_record_access access = {.size = 0};
	uint64_t number;
	bool idle;

	if (ear_text_take_word(&line, "T "))
		ear_text_hex(&line, &number);
	ear_text_skip_blanks(&line);
	if (ear_text_take(&line, 'M') || ear_text_take(&line, 'B'))
		return take_cycle(&access, &idle, ear_text_until(&line, ' ')) &&
		       (idle || access.attributes & EAR_BUS_KNOWN ||
			       (ear_text_take(&line, ' ') && ear_text_hex(&line, &number) == 8));
	if (ear_text_take_word(&line, "E ")) {
		bool first = ear_text_hex(&line, &number) >= 8 && ear_text_take(&line, ' ');
		return first && ear_text_hex(&line, &number) >= 8;
	}
	if (!ear_text_take(&line, 'I') || line.end - line.at < 3)
		return false;
	line.at += line.at[1] == ' ' ? 2 : 3;
	return line.at < line.end && ear_text_hex(&line, &number) >= 8 &&
	       ear_text_take(&line, ' ') && ear_text_hex(&line, &number) >= 2;
}

int ear_reader_armulator_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor text = ear_text_cursor(bytes, size);
	unsigned lines = 0, likely = 0;

	if (ear_text_take_word(&text, "Date: ") && memmem(bytes, size, "\nSource: ", 9) &&
		memmem(bytes, size, "\nOptions: ", 10))
		return 95;
	for (unsigned count = 0; count < 64 && text.at < text.end; count++) {
		struct ear_text line = ear_text_until(&text, '\n');
		ear_text_take(&text, '\n');
		if (line.size == 0)
			continue;
		lines++;
		likely += is_likely(ear_text_cursor(line.text, line.size));
	}
	return 2 * likely > lines ? 85 : 0;
}
