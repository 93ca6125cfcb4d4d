/* Records to Whisper's text log: a line for each change, with the same columns in front.
 *
 * A line is finished only when the next change is known, because " +" at its end says that another
 * line of the record follows.
 */
#include "decoder/formats/whisper_log/writer_whisper_log.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/formats/base/comment_line.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/text_put.h"

/* The disassembly follows from the opcode and is kept in a direct-mapped cache, as in
 * writer_whisper.c.
 */
#define CACHE_BITS 11
#define CACHE_SIZE (1u << CACHE_BITS)

/* A line is built of parts that need at most PART_SIZE; room is asked for before each. */
#define ROOM_SIZE 4096
#define PART_SIZE 512

_Static_assert(EAR_COMMENT_LINE_SIZE <= ROOM_SIZE, "a comment line fits");

struct text {
	uint32_t opcode;
	uint8_t xlen; /* 0: the entry is empty */
	uint8_t size;
	char disassembly[EAR_INST_TEXT_SIZE];
};

struct writer_whisper_log {
	struct ear_writer base;
	char *limit;
	bool no_comments;
	struct ear_writer_options options; /* for the place, */
	struct ear_writer_place place;     /* that of the last instruction */
	bool pending;                      /* a line of this record is written, without its end */
	struct text cache[CACHE_SIZE];
};

/* A record on its way out. */
struct group {
	const struct ear_record *record;
	unsigned digits; /* of pc, addresses and values: 8 or 16 */
	struct ear_text disassembly;
};

static char *room(struct writer_whisper_log *writer, char *at)
{
	struct ear_text_output *output = writer->base.output;

	if (writer->limit - at >= PART_SIZE)
		return at;
	ear_text_output_commit(output, at);
	at = ear_text_output_reserve(output, ROOM_SIZE);
	writer->limit = at + ROOM_SIZE;
	return at;
}

static char *put_hex(char *at, uint64_t value)
{
	return ear_put_hex(at, value, ear_put_hex_digits(value));
}

static char *put_long(struct writer_whisper_log *writer, char *at, const char *text, size_t size)
{
	while (size > 0) {
		size_t part = size < PART_SIZE / 2 ? size : PART_SIZE / 2;
		at = ear_put_bytes(room(writer, at), text, part);
		text += part;
		size -= part;
	}
	return room(writer, at);
}

static struct ear_text find_disassembly(
	struct writer_whisper_log *writer, const struct ear_record *record)
{
	uint32_t opcode = (uint32_t)record->opcode;
	struct text *text = &writer->cache[ear_hash_slot32(opcode, CACHE_BITS)];

	if (record->extra && record->extra->disassembly.text)
		return record->extra->disassembly;
	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE)
		return (struct ear_text){"", 0};
	if (text->opcode != opcode || text->xlen != record->xlen) {
		struct ear_inst inst;
		ear_inst_decode_as_whisper(&inst, opcode, record->xlen == 64 ? 64 : 32);
		text->opcode = opcode;
		text->xlen = record->xlen;
		text->size = (uint8_t)ear_inst_disassemble(
			text->disassembly, sizeof(text->disassembly), &inst);
	}
	return (struct ear_text){text->disassembly, text->size};
}

static char *put_privilege(char *at, const struct ear_record *record)
{
	static const char names[][3] = {
		[EAR_PRIVILEGE_U] = " U",
		[EAR_PRIVILEGE_S] = " S",
		[EAR_PRIVILEGE_RESERVED] = " ?",
		[EAR_PRIVILEGE_M] = " M",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = " D",
	};
	const struct ear_record_extra *extra = record->extra;

	if (record->flags & EAR_RECORD_NO_PRIVILEGE || record->privilege > EAR_PRIVILEGE_DEBUG)
		return ear_put_word(at, " ?");
	/* Supervisor mode is called HS where there is a hypervisor extension. */
	if (extra && extra->mode_name.text && extra->mode_name.size == 2)
		return ear_put_text(at, extra->mode_name);
	return ear_put_bytes(at, names[record->privilege], 2);
}

/* "#12 0  M 80000000 00001197 ", what all lines of a record begin with. */
static char *put_begin(char *at, const struct group *group)
{
	const struct ear_record *record = group->record;

	*at++ = '#';
	at = ear_put_decimal(at, record->index + 1);
	*at++ = ' ';
	at = ear_put_decimal(at, record->hart);
	*at++ = ' ';
	at = put_privilege(at, record);
	*at++ = ' ';
	at = ear_put_hex(at, record->pc, group->digits);
	*at++ = ' ';
	if (record->flags & EAR_RECORD_NO_OPCODE)
		return ear_put_word(at, EAR_WHISPER_LOG_NO_OPCODE " ");
	if (record->opcode_size == 2)
		at = ear_put_word(at, "    ");
	at = ear_put_hex(at, record->opcode, record->opcode_size == 2 ? 4 : 8);
	*at++ = ' ';
	return at;
}

/* Vectors are joined to other changes in another way. */
static char *begin_line(
	struct writer_whisper_log *writer, char *at, const struct group *group, bool vector)
{
	at = room(writer, at);
	if (writer->pending)
		at = ear_put_word(at, vector ? " +\n" : "  +\n");
	writer->pending = true;
	return put_begin(at, group);
}

static char *put_bracket(char *at, const struct ear_record_access *access, bool physical)
{
	at = ear_put_word(at, "0x");
	at = put_hex(at, access->address);
	if (physical && access->has_physical && access->physical != access->address) {
		at = ear_put_word(at, ":0x");
		at = put_hex(at, access->physical);
	}
	return at;
}

/* Of a scalar instruction the one physical address is that of the first access: it must show those
 * of the others. */
static bool has_one_offset(const struct ear_record *record)
{
	const struct ear_record_access *first = record->memory;

	for (size_t i = 1; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->has_physical != first->has_physical ||
			(access->has_physical && access->physical - access->address !=
							 first->physical - first->address))
			return false;
	}
	return true;
}

/* Several accesses are those of a vector; a store then shows its values, and not the elements that
 * the mask switched off; if those are all, the brackets are empty.
 */
static char *put_brackets(
	struct writer_whisper_log *writer, char *at, const struct ear_record *record, bool vector)
{
	const char *separator = " [";

	if (!vector)
		return ear_put_word(put_bracket(ear_put_word(at, " ["), &record->memory[0],
					    has_one_offset(record)),
			"]");
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && access->masked)
			continue;
		at = ear_put_word(room(writer, at), separator);
		at = put_bracket(at, access, true);
		if (access->write && ear_access_is_known(access)) {
			at = ear_put_word(at, "=0x");
			at = ear_put_hex(at, access->value, access->size ? 2u * access->size : 2);
		}
		separator = ";";
	}
	return ear_put_word(at, *separator == ';' ? "]" : " []");
}

static bool is_vector(const struct ear_record *record)
{
	unsigned major = ear_opcode_major(record->opcode);

	return record->isa == EAR_ISA_RISCV && record->opcode_size == 4 &&
	       (major == EAR_OPCODE_LOAD_FP || major == EAR_OPCODE_STORE_FP) &&
	       ((record->opcode >> 12 & 7) == 0 || (record->opcode >> 12 & 7) >= 5);
}

static bool has_known_store(const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write && ear_access_is_known(&record->memory[i]))
			return true;
	return false;
}

/* Of a scalar instruction the address of the first access. The opcode shows whether it is a load:
 * without one it is taken for a load. */
static bool has_brackets(const struct ear_record *record)
{
	return record->memory_count > 0 &&
	       (!record->memory[0].write || !(record->flags & EAR_RECORD_NO_OPCODE) ||
		       has_known_store(record));
}

/* The accesses that neither the brackets nor the lines of stores show. */
static uint64_t hidden_accesses(const struct ear_record *record)
{
	bool stored = has_known_store(record);
	bool amo = !(record->flags & EAR_RECORD_NO_OPCODE) && record->opcode_size == 4 &&
		   ear_opcode_major(record->opcode) == EAR_OPCODE_AMO;
	uint64_t set = 0;

	for (size_t i = 0; i < record->memory_count && !is_vector(record); i++) {
		const struct ear_record_access *access = &record->memory[i];
		bool compares = ear_opcode_compares(record->opcode);
		bool first = !stored && has_brackets(record) &&
			     (amo ? compares == access->write || !compares : i == 0);
		bool shown = access->write ? ear_access_is_known(access) || first
					   : first || (amo && stored);
		if (!shown)
			set |= EAR_FIELD_BIT(
				access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);
	}
	return set;
}

/* The end of each line: disassembly, address, and what came of it. */
static char *put_end(struct writer_whisper_log *writer, char *at, const struct group *group)
{
	const struct ear_record *record = group->record;

	at = put_long(writer, at, group->disassembly.text, group->disassembly.size);
	if (record->flags & EAR_RECORD_INTERRUPT)
		at = ear_put_word(at, " (interrupted)");
	if (is_vector(record) ? record->memory_count > 0 : has_brackets(record))
		at = put_brackets(writer, at, record, is_vector(record));
	if (record->flags & EAR_RECORD_TRAP)
		at = ear_put_word(room(writer, at), " (exception)");
	return room(writer, at);
}

/* A change of which number and value have fixed widths: RV32 fills up with blanks. */
static char *put_change(struct writer_whisper_log *writer, char *at, const struct group *group,
	char resource, uint64_t number, uint64_t value)
{
	at = begin_line(writer, at, group, false);
	*at++ = resource;
	*at++ = ' ';
	if (group->digits == 16) {
		at = ear_put_hex(at, number, 16);
		*at++ = ' ';
	} else {
		unsigned digits = resource == 'r' ? 2 : resource == 'c' && number <= 0xFFFF ? 4 : 8;
		at = ear_put_hex(at, number, digits);
		memset(at, ' ', 11);
		at += 11 - digits;
	}
	at = ear_put_hex(at, value, group->digits);
	at = ear_put_word(at, group->digits == 16 ? " " : "  ");
	return put_end(writer, at, group);
}

static char *put_float(struct writer_whisper_log *writer, char *at, const struct group *group,
	const struct ear_record_register *write)
{
	at = begin_line(writer, at, group, false);
	at = ear_put_word(at, "f ");
	at = ear_put_hex(at, write->number, group->digits == 16 ? 16 : 2);
	*at++ = ' ';
	if (write->size == 4)
		at = ear_put_hex(ear_put_word(at, "        "), write->value, 8);
	else
		at = ear_put_hex(at, write->value, 16);
	at = ear_put_word(at, group->digits == 16 ? " " : "  ");
	return put_end(writer, at, group);
}

static char *put_vector(struct writer_whisper_log *writer, char *at, const struct group *group,
	const struct ear_record_register *write)
{
	at = begin_line(writer, at, group, true);
	at = ear_put_word(at, "v ");
	at = ear_put_hex(at, write->number, 2);
	*at++ = ' ';
	for (size_t i = write->text_size; i-- > 0;)
		at = ear_put_hex(room(writer, at), write->text.bytes[i], 2);
	*at++ = ' ';
	return put_end(writer, room(writer, at), group);
}

static char *put_registers(struct writer_whisper_log *writer, char *at, const struct group *group,
	enum ear_register_class reg_class)
{
	const struct ear_record *record = group->record;

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		if (write->reg_class != reg_class)
			continue;
		if (reg_class == EAR_REGISTER_X)
			at = put_change(writer, at, group, 'r', write->number, write->value);
		else if (reg_class == EAR_REGISTER_F)
			at = put_float(writer, at, group, write);
		else
			at = put_vector(writer, at, group, write);
	}
	return at;
}

/* In the order of their numbers, those with the same number as they come. */
static char *put_csrs(struct writer_whisper_log *writer, char *at, const struct group *group)
{
	const struct ear_record *record = group->record;
	unsigned next = 0;

	for (;;) {
		unsigned number = UINT16_MAX + 1;
		for (size_t i = 0; i < record->register_count; i++) {
			const struct ear_record_register *write = &record->registers[i];
			if (write->reg_class == EAR_REGISTER_CSR && write->number >= next &&
				write->number < number)
				number = write->number;
		}
		if (number > UINT16_MAX)
			return at;
		for (size_t i = 0; i < record->register_count; i++) {
			const struct ear_record_register *write = &record->registers[i];
			if (write->reg_class == EAR_REGISTER_CSR && write->number == number)
				at = put_change(writer, at, group, 'c', number, write->value);
		}
		next = number + 1;
	}
}

static char *put_stores(struct writer_whisper_log *writer, char *at, const struct group *group)
{
	const struct ear_record *record = group->record;

	if (is_vector(record))
		return at;
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write && ear_access_is_known(access))
			at = put_change(writer, at, group, 'm', access->address, access->value);
	}
	return at;
}

/* The cause that the reader finds: that of the last such CSR, in the order of their writing. */
static bool shows_cause(const struct ear_record *record)
{
	bool shown = false;

	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			ear_csr_is_cause(record->registers[i].number))
			shown = record->registers[i].value == record->cause;
	return shown;
}

uint64_t ear_writer_whisper_log_unfit(const struct ear_record *record)
{
	const uint32_t stopped = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	uint64_t set = hidden_accesses(record);
	if (!is_vector(record) && !has_one_offset(record))
		set |= EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL);
	if (!(record->flags & stopped) || record->flags & EAR_RECORD_NO_CAUSE ||
		shows_cause(record))
		return set;
	return set | EAR_FIELD_BIT(interrupt ? EAR_FIELD_INTERRUPT : EAR_FIELD_TRAP);
}

static void write_instruction(struct writer_whisper_log *writer, const struct ear_record *record)
{
	struct group group = {.record = record,
		.digits = record->xlen == 64 ? 16 : 8,
		.disassembly = find_disassembly(writer, record)};
	char *at = ear_text_output_reserve(writer->base.output, ROOM_SIZE);

	writer->limit = at + ROOM_SIZE;
	writer->pending = false;
	at = put_registers(writer, at, &group, EAR_REGISTER_X);
	at = put_registers(writer, at, &group, EAR_REGISTER_F);
	at = put_registers(writer, at, &group, EAR_REGISTER_V);
	at = put_stores(writer, at, &group);
	at = put_csrs(writer, at, &group);
	if (!writer->pending)
		at = put_change(writer, at, &group, 'r', 0, 0);
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_whisper_log *writer = (struct writer_whisper_log *)base;

	if (record->kind == EAR_RECORD_INSTRUCTION) {
		if (record->isa != EAR_ISA_RISCV)
			return base->output->error;
		ear_writer_put_place(base->output, &writer->options, &writer->place, record);
		write_instruction(writer, record);
	} else if (!writer->no_comments) {
		char *at = ear_text_output_reserve(base->output, ROOM_SIZE);
		ear_text_output_commit(base->output, ear_comment_line_put(at, record));
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

static const struct ear_writer_cut cut = {.save = ear_writer_save_nothing,
	.restore = ear_writer_restore_nothing,
	.shows_index = true};

struct ear_writer *ear_writer_whisper_log_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_whisper_log *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->no_comments = options && options->no_comments;
	if (options)
		writer->options = *options;
	writer->base = (struct ear_writer){.output = output,
		.push = push,
		.free = free_writer,
		.cut = writer->options.place ? NULL : &cut};
	return &writer->base;
}
