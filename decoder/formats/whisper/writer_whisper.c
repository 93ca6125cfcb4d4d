/* Records to Whisper CSV.
 *
 * Most of a line follows from the opcode alone. These parts are formatted once and kept in a
 * direct-mapped cache; a trace runs in loops, so nearly every record finds its texts there, and
 * they are copied in blocks of fixed size. Only pc, registers and memory are formatted each time.
 */
#include "decoder/formats/whisper/writer_whisper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/whisper/whisper_mode.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/text_put.h"

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly"

/* Most of a line follows from the opcode alone: opcode, source operands, inst info and
 * disassembly. They are formatted once and kept in a direct-mapped cache; a trace runs in
 * loops, so nearly every record finds its text there.
 */
#define CACHE_BITS 12
#define CACHE_SIZE (1u << CACHE_BITS)

/* The text is copied in blocks of COPY_SIZE, which is faster than by its length: so room
 * of that size is there after every text, in the cache and in the output.
 */
#define COPY_SIZE 64

/* A line may be longer than any reserve: room is asked for again before each part, which is
 * at most PART_SIZE.
 */
#define HEADER_WORDS ((UINT16_MAX + 1) / 64)

#define ROOM_SIZE 4096
#define PART_SIZE 512

_Static_assert(EAR_COMMENT_LINE_SIZE <= ROOM_SIZE, "a comment line fits");

struct text {
	uint64_t key; /* key_of(); 0: the entry is empty */
	bool jumps;   /* "pc=" shows where it went, if taken */
	bool branch;
	uint8_t inst_size, sources_size, disassembly_size;
	char info[2][3];
	uint8_t info_size[2];        /* not taken, taken */
	char inst[COPY_SIZE];        /* "a2a023," */
	char sources[COPY_SIZE];     /* "x10;x5;i0," */
	char disassembly[COPY_SIZE]; /* "sw       x10; 0x0(x5)," */
};

_Static_assert(EAR_INST_TEXT_SIZE <= COPY_SIZE, "a text fits its room with a comma");

/* Without an entry in the instruction table: no opcode, or another instruction set. */
static const struct text no_text = {
	.jumps = true,
	.sources_size = 1,
	.disassembly_size = 1,
	.sources = ",",
	.disassembly = ",",
};

struct writer_whisper {
	struct ear_writer base;
	struct ear_writer_options options;
	char *limit;                    /* end of the room reserved */
	uint64_t headers[HEADER_WORDS]; /* a bit for each hart that has its header */
	struct text stopped; /* of a vector instruction that trapped, which has texts of its own */
	struct text cache[CACHE_SIZE];
	struct ear_writer_place place; /* of the last instruction, if wanted */
};

static char *renew_room(struct writer_whisper *writer, const char *at)
{
	struct ear_text_output *output = writer->base.output;
	char *begin;

	ear_text_output_commit(output, at);
	begin = ear_text_output_reserve(output, ROOM_SIZE);
	writer->limit = begin + ROOM_SIZE;
	return begin;
}

/* Room for one part. */
static inline char *room(struct writer_whisper *writer, char *at)
{
	return __builtin_expect(writer->limit - at < PART_SIZE, 0) ? renew_room(writer, at) : at;
}

static char *put_hex(char *at, uint64_t value)
{
	return ear_put_hex(at, value, ear_put_hex_digits(value));
}

static char *put_text(char *at, const char *text, size_t size)
{
	memcpy(at, text, COPY_SIZE);
	return at + size;
}

/* A text of the source, of any length, with semicolons for commas. */
static char *put_own_text(struct writer_whisper *writer, char *at, const struct ear_text *text)
{
	for (size_t i = 0; i < text->size; i++) {
		at = room(writer, at);
		*at++ = text->text[i] == ',' ? ';' : text->text[i];
	}
	*at++ = ',';
	return at;
}

static void fill_text(struct text *text, const struct ear_record *record)
{
	const struct ear_inst_mode mode = ear_whisper_mode(record);
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	text->branch = inst.kind == EAR_KIND_BRANCH;
	text->jumps = inst.kind == EAR_KIND_BRANCH || inst.kind == EAR_KIND_ILLEGAL ||
		      (inst.kind == EAR_KIND_JUMP && inst.id != EAR_INST_C_JAL);

	char *end = put_hex(text->inst, record->opcode);
	*end++ = ',';
	text->inst_size = (uint8_t)(end - text->inst);

	if (inst.kind == EAR_KIND_ILLEGAL)
		ear_inst_decode_as_whisper(&inst, (uint32_t)record->opcode, record->xlen);
	int size = ear_inst_sources(text->sources, COPY_SIZE, &inst, &mode);
	text->sources[size] = ',';
	text->sources_size = (uint8_t)(size + 1);

	size = ear_inst_disassemble(text->disassembly, COPY_SIZE, &inst);
	for (char *comma = text->disassembly; (comma = strchr(comma, ',')); comma++)
		*comma = ';';
	text->disassembly[size] = ',';
	text->disassembly_size = (uint8_t)(size + 1);

	for (int taken = 0; taken < 2; taken++) {
		const char *info = ear_inst_info(&inst, taken);
		assert(strlen(info) < sizeof(text->info[0]));
		text->info_size[taken] = (uint8_t)strlen(info);
		memcpy(text->info[taken], info, strlen(info) + 1);
	}
}

#define STOPPED ((uint32_t)(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))

/* What the texts of a record depend on: opcode, XLEN and frm, above them what matters to vector
 * instructions only. */
#define KEY_SCALAR (((uint64_t)1 << 48) - 1)

static inline uint64_t key_of(const struct ear_record *record)
{
	return (uint32_t)record->opcode | (uint64_t)record->xlen << 32 |
	       (uint64_t)record->frm << 40 | (uint64_t)record->vtype << 48 |
	       (uint64_t)(record->flags & STOPPED) << 56;
}

static __attribute__((noinline)) const struct text *find_other_text(
	struct writer_whisper *writer, struct text *text, const struct ear_record *record)
{
	uint64_t key = key_of(record);

	if (!ear_opcode_uses_vtype((uint32_t)record->opcode)) {
		key &= KEY_SCALAR;
		if (text->key == key)
			return text;
	} else if (record->flags & STOPPED) {
		text = &writer->stopped;
	}
	fill_text(text, record);
	text->key = key;
	return text;
}

static inline const struct text *find_text(
	struct writer_whisper *writer, const struct ear_record *record)
{
	uint32_t hash = ear_hash_slot32((uint32_t)record->opcode, CACHE_BITS);
	struct text *text = &writer->cache[hash];

	return __builtin_expect(text->key == key_of(record), 1)
		       ? text
		       : find_other_text(writer, text, record);
}

/* Register numbers are short, and a division is long. */
static inline char *put_number(char *at, unsigned number)
{
	if (number >= 100)
		return ear_put_decimal(at, number);
	if (number >= 10)
		*at++ = (char)('0' + number * 103 / 1024);
	*at++ = (char)('0' + number - number * 103 / 1024 * 10);
	return at;
}

/* The highest byte first. */
static char *put_vector(
	struct writer_whisper *writer, char *at, const struct ear_record_register *write)
{
	for (size_t i = write->text_size; i-- > 0;) {
		at = room(writer, at);
		at = ear_put_hex(at, write->text.bytes[i], 2);
	}
	return at;
}

static char *put_registers(struct writer_whisper *writer, char *at, const struct ear_record *record)
{
	static const char letters[] = {'x', 'f', 'c', 'v'};

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		if (write->reg_class > EAR_REGISTER_V)
			continue;
		at = room(writer, at);
		*at++ = letters[write->reg_class];
		at = put_number(at, write->number);
		*at++ = '=';
		if (write->reg_class == EAR_REGISTER_V)
			at = put_vector(writer, at, write);
		else
			at = put_hex(at, write->value);
		*at++ = ';';
		if (write->reg_class == EAR_REGISTER_F && record->fflags) {
			memcpy(at, "ff=", 3);
			at = put_hex(at + 3, record->fflags);
			*at++ = ';';
		}
	}
	return at;
}

static char *put_modified(struct writer_whisper *writer, char *at, const struct ear_record *record,
	const struct text *text)
{
	bool jumped = text->jumps && record->flags & EAR_RECORD_TAKEN;

	at = put_registers(writer, at, record);
	if (jumped) {
		memcpy(at, "pc=", 3);
		at = put_hex(at + 3, record->next_pc);
		*at++ = ';';
	}
	/* The separator after the last entry becomes the comma of the column. */
	if (at[-1] != ';')
		at++;
	at[-1] = ',';
	return at;
}

static char *put_access(char *at, const struct ear_record_access *access)
{
	at = put_hex(at, access->address);
	if (access->has_physical && access->physical != access->address) {
		*at++ = ':';
		at = put_hex(at, access->physical);
	}
	if (access->masked)
		*at++ = 'm';
	if (access->write && ear_access_is_known(access)) {
		*at++ = '=';
		at = put_hex(at, access->value);
	}
	return at;
}

/* An AMO reads and writes the same address: Whisper shows one entry, with the stored value. */
static bool is_amo(const struct ear_record *record)
{
	const struct ear_record_access *memory = record->memory;

	return record->memory_count == 2 && !(record->flags & EAR_RECORD_NO_OPCODE) &&
	       !memory[0].write && memory[1].write && memory[0].address == memory[1].address;
}

/* A store without a value beside a load, without an opcode: nothing shows which is which. */
static bool hides_store(const struct ear_record *record)
{
	bool loads = false, stores = false;

	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		return false;
	for (size_t i = 0; i < record->memory_count; i++) {
		loads |= !record->memory[i].write;
		stores |= record->memory[i].write && !ear_access_is_known(&record->memory[i]);
	}
	return loads && stores;
}

static char *put_memory(struct writer_whisper *writer, char *at, const struct ear_record *record)
{
	bool mixed = hides_store(record);

	for (size_t i = is_amo(record); i < record->memory_count; i++) {
		if (mixed && record->memory[i].write && !ear_access_is_known(&record->memory[i]))
			continue;
		at = put_access(room(writer, at), &record->memory[i]);
		*at++ = ';';
	}
	if (record->memory_count == 0)
		at++;
	at[-1] = ',';
	return at;
}

static char *put_privilege(char *at, const struct ear_record *record)
{
	uint8_t privilege = record->privilege;
	static const char names[][4] = {
		[EAR_PRIVILEGE_U] = "u,",
		[EAR_PRIVILEGE_S] = "s,",
		[EAR_PRIVILEGE_RESERVED] = "?,",
		[EAR_PRIVILEGE_M] = "m,",
		[EAR_PRIVILEGE_VU] = "vu,",
		[EAR_PRIVILEGE_VS] = "vs,",
		[EAR_PRIVILEGE_DEBUG] = "d,",
	};

	if (record->flags & EAR_RECORD_NO_PRIVILEGE || privilege > EAR_PRIVILEGE_DEBUG) {
		*at++ = ',';
		return at;
	}
	memcpy(at, names[privilege], sizeof(names[0]));
	return at + (names[privilege][1] == ',' ? 2 : 3);
}

static char *put_walk(struct writer_whisper *writer, char *at, const struct ear_walk *walk)
{
	at = put_hex(room(writer, at), walk->start);
	*at++ = ';';
	for (size_t i = 0; i < walk->step_count; i++) {
		const struct ear_walk_step *step = &walk->steps[i];
		at = put_hex(room(writer, at), step->address);
		if (step->has_entry) {
			*at++ = '=';
			at = put_hex(at, step->entry);
		}
		*at++ = ';';
		if (step->has_attributes) {
			memcpy(at, "ma=", 3);
			at = put_hex(at + 3, step->attributes);
			*at++ = ';';
		}
	}
	at = put_hex(at, walk->result);
	*at++ = ';';
	return at;
}

/* One column: the walks of the fetch, or those of accesses. */
static char *put_walks(
	struct writer_whisper *writer, char *at, const struct ear_record_extra *extra, bool data)
{
	bool any = false;

	*at++ = ',';
	for (size_t i = 0; extra && i < extra->walk_count; i++)
		if (extra->walks[i].data == data) {
			at = put_walk(writer, at, &extra->walks[i]);
			any = true;
		}
	return any ? at - 1 : at; /* without the separator after the last one */
}

static char *put_cause(char *at, const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_NO_CAUSE)
		at = ear_put_word(at, record->flags & EAR_RECORD_INTERRUPT ? "?i" : "?");
	else if (record->flags & STOPPED)
		at = put_hex(at, record->cause);
	*at++ = ',';
	return at;
}

static bool in_table(const struct ear_record *record)
{
	return record->isa == EAR_ISA_RISCV && (record->xlen == 32 || record->xlen == 64) &&
	       record->opcode <= UINT32_MAX && !(record->flags & EAR_RECORD_NO_OPCODE);
}

static char *put_pc(char *at, const struct ear_record *record)
{
	at = put_hex(at, record->pc);
	if (record->flags & EAR_RECORD_PC_PHYSICAL && record->pc_physical != record->pc) {
		*at++ = ':';
		at = put_hex(at, record->pc_physical);
	}
	*at++ = ',';
	return at;
}

static char *put_opcode(char *at, const struct ear_record *record)
{
	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		at = put_hex(at, record->opcode);
	*at++ = ',';
	return at;
}

/* A branch of which nobody knows whether it was taken. */
static bool is_open(const struct ear_record *record, const struct text *text)
{
	return text->branch && record->flags & EAR_RECORD_NO_NEXT_PC && !(record->flags & STOPPED);
}

/* A store without a value: where no opcode shows it, "s" does. */
static bool stores_unknown(const struct ear_record *record)
{
	if (hides_store(record))
		return false;
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write && !ear_access_is_known(&record->memory[i]))
			return true;
	return false;
}

static void write_instruction(struct writer_whisper *writer, const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;
	const struct text *text = in_table(record) ? find_text(writer, record) : &no_text;
	bool taken = record->flags & EAR_RECORD_TAKEN;
	char *at = ear_text_output_reserve(writer->base.output, ROOM_SIZE);

	writer->limit = at + ROOM_SIZE;
	at = put_pc(at, record);
	if (text == &no_text)
		at = put_opcode(at, record);
	else
		at = put_text(at, text->inst, text->inst_size);
	at = put_modified(writer, at, record, text);
	at = room(writer, at);
	if (extra && extra->sources.text)
		at = put_own_text(writer, at, &extra->sources);
	else
		at = put_text(at, text->sources, text->sources_size);
	at = put_memory(writer, at, record);
	at = room(writer, at);
	if (extra && extra->info.text) {
		at = put_own_text(writer, at, &extra->info);
	} else if (is_open(record, text)) {
		*at++ = ',';
	} else if (text == &no_text && stores_unknown(record)) {
		at = ear_put_word(at, "s,");
	} else {
		memcpy(at, text->info[taken], sizeof(text->info[0]));
		at += text->info_size[taken];
		*at++ = ',';
	}
	at = put_privilege(at, record);
	at = put_cause(at, record);
	if (extra && extra->disassembly.text)
		at = put_own_text(writer, at, &extra->disassembly);
	else
		at = put_text(at, text->disassembly, text->disassembly_size);
	if (writer->options.no_hart)
		at--;
	else
		at = put_hex(at, record->hart);
	if (writer->options.walks) {
		at = put_walks(writer, at, extra, false);
		at = put_walks(writer, at, extra, true);
	}
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

static void write_comment_line(struct writer_whisper *writer, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(writer->base.output, ROOM_SIZE);

	ear_text_output_commit(writer->base.output, ear_comment_line_put(at, record));
}

void ear_writer_whisper_header(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	ear_text_output_put(output, HEADER, strlen(HEADER));
	if (!options->no_hart)
		ear_text_output_put(output, ", hartid", 8);
	if (options->walks)
		ear_text_output_put(output, ", iptw, dptw", 12);
	ear_text_output_put(output, "\n", 1);
}

/* In a log of several harts Whisper writes the header before the first line of each. Without a
 * hart column they cannot be distinguished.
 */
static inline void follow_hart(struct writer_whisper *writer, const struct ear_record *record)
{
	unsigned hart = writer->options.no_hart ? 0 : record->hart;
	uint64_t bit = (uint64_t)1 << hart % 64;

	if (writer->headers[hart / 64] & bit)
		return;
	writer->headers[hart / 64] |= bit;
	ear_writer_whisper_header(writer->base.output, &writer->options);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_whisper *writer = (struct writer_whisper *)base;

	if (!writer->options.no_header)
		follow_hart(writer, record);
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION:
		if (record->isa != EAR_ISA_RISCV)
			break;
		if (writer->options.place)
			ear_writer_put_place(
				base->output, &writer->options, &writer->place, record);
		write_instruction(writer, record);
		break;
	case EAR_RECORD_GAP:
	case EAR_RECORD_EVENT:
		if (!writer->options.no_comments)
			write_comment_line(writer, record);
		break;
	default: break;
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

/* The harts that have their headers, up to the highest one. */
static int save(const struct ear_writer *base, struct ear_snapshot *snapshot)
{
	const struct writer_whisper *writer = (const struct writer_whisper *)base;
	size_t count = HEADER_WORDS;

	while (count > 0 && writer->headers[count - 1] == 0)
		count--;
	ear_snapshot_clear(snapshot);
	return ear_snapshot_put(snapshot, writer->headers, count * sizeof(*writer->headers));
}

static int restore(struct ear_writer *base, const struct ear_snapshot *snapshot)
{
	struct writer_whisper *writer = (struct writer_whisper *)base;

	memset(writer->headers, 0, sizeof(writer->headers));
	if (snapshot->size > 0)
		memcpy(writer->headers, snapshot->bytes, snapshot->size);
	return 0;
}

static const struct ear_writer_cut cut = {.save = save, .restore = restore};

struct ear_writer *ear_writer_whisper_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_whisper *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){
		.output = output, .push = push, .free = free_writer, .cut = &cut};
	if (options)
		writer->options = *options;
	if (writer->options.place)
		writer->base.cut = NULL;
	return &writer->base;
}

static bool has_float(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_F)
			return true;
	return false;
}

uint64_t ear_writer_whisper_unfit(const struct ear_record *record)
{
	uint64_t set = hides_store(record) ? EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) : 0;

	if (is_amo(record) && ear_opcode_compares(record->opcode) &&
		!ear_access_is_known(&record->memory[1]))
		set |= EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS);
	if (record->kind == EAR_RECORD_INSTRUCTION && record->fflags && !has_float(record))
		set |= EAR_FIELD_BIT(EAR_FIELD_FFLAGS);
	return set;
}
