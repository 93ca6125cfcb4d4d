#include "decoder/writer_whisper.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/riscv/inst.h"
#include "protocol/bytes.h"
#include "protocol/ear_protocol.h"

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly, hartid\n"

/* Most of a line follows from the opcode alone: opcode, source operands, inst info and
 * disassembly. They are formatted once and kept in a direct-mapped cache; a trace runs in
 * loops, so nearly every record finds its text there.
 */
#define CACHE_BITS 12
#define CACHE_SIZE (1u << CACHE_BITS)

/* The text is copied in blocks of COPY_SIZE, which is faster than by its length: so room
 * of that size is there behind every text, in the cache and in the output.
 */
#define COPY_SIZE 64

struct text {
	uint32_t opcode;
	uint8_t xlen; /* 0: the entry is empty */
	uint8_t frm;
	bool jumps; /* "pc=" shows where it went, if taken */
	uint8_t inst_size, sources_size, disassembly_size;
	char info[2][3];
	uint8_t info_size[2];        /* not taken, taken */
	char inst[COPY_SIZE];        /* "a2a023," */
	char sources[COPY_SIZE];     /* "x10;x5;i0," */
	char disassembly[COPY_SIZE]; /* "sw       x10; 0x0(x5)," */
};

_Static_assert(EAR_INST_TEXT_SIZE <= COPY_SIZE, "a text fits its place with a comma");

struct writer_whisper {
	struct ear_writer base;
	bool header_written;
	struct text cache[CACHE_SIZE];
};

/* Up to 8 hexadecimal digits at once: each nibble of the value goes to a byte of its own, all
 * bytes become characters together, and the leading zeros are shifted out. Writes 8 bytes.
 */
static char *put_hex32(char *at, uint32_t value, unsigned digits)
{
	uint64_t bytes = value;

	bytes = (bytes << 16 | bytes) & 0x0000FFFF0000FFFFu;
	bytes = (bytes << 8 | bytes) & 0x00FF00FF00FF00FFu;
	bytes = (bytes << 4 | bytes) & 0x0F0F0F0F0F0F0F0Fu;
	uint64_t letters = (bytes + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	bytes += 0x3030303030303030u + letters * ('a' - '0' - 10);
	bytes = __builtin_bswap64(bytes) >> (64 - 8 * digits);
	ear_store_le64((uint8_t *)at, bytes);
	return at + digits;
}

static char *put_hex(char *at, uint64_t value)
{
	unsigned digits = (67u - (unsigned)__builtin_clzll(value | 1)) / 4;

	if (digits > 8) {
		at = put_hex32(at, (uint32_t)(value >> 32), digits - 8);
		digits = 8;
	}
	return put_hex32(at, (uint32_t)value, digits);
}

static char *put_decimal(char *at, unsigned value)
{
	char digits[10];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

static char *put_text(char *at, const char *text, size_t size)
{
	memcpy(at, text, COPY_SIZE);
	return at + size;
}

static void fill_text(struct text *text, const struct ear_record *record)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	text->opcode = (uint32_t)record->opcode;
	text->xlen = record->xlen;
	text->frm = record->frm;
	text->jumps = inst.kind == EAR_KIND_BRANCH ||
		      (inst.kind == EAR_KIND_JUMP && inst.id != EAR_INST_C_JAL);

	char *end = put_hex(text->inst, record->opcode);
	*end++ = ',';
	text->inst_size = (uint8_t)(end - text->inst);

	int size = ear_inst_sources(text->sources, COPY_SIZE, &inst, record->frm);
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

static const struct text *find_text(struct writer_whisper *writer, const struct ear_record *record)
{
	uint32_t opcode = (uint32_t)record->opcode;
	uint32_t hash = opcode * 0x9E3779B1u >> (32 - CACHE_BITS);
	struct text *text = &writer->cache[hash];

	if (text->opcode != opcode || text->xlen != record->xlen || text->frm != record->frm)
		fill_text(text, record);
	return text;
}

static char *put_registers(char *at, const struct ear_record *record)
{
	static const char letters[] = {'x', 'f', 'c'};

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		*at++ = letters[write->class];
		at = put_decimal(at, write->number);
		*at++ = '=';
		at = put_hex(at, write->value);
		*at++ = ';';
		if (write->class == EAR_REGISTER_F && record->fflags) {
			memcpy(at, "ff=", 3);
			at = put_hex(at + 3, record->fflags);
			*at++ = ';';
		}
	}
	return at;
}

static char *put_modified(char *at, const struct ear_record *record, const struct text *text)
{
	char *begin = at;

	at = put_registers(at, record);
	if (text->jumps && record->flags & EAR_RECORD_TAKEN) {
		memcpy(at, "pc=", 3);
		at = put_hex(at + 3, record->next_pc);
		*at++ = ';';
	}
	/* The separator behind the last entry becomes the comma of the column. */
	if (at == begin)
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
	if (access->write && access->has_value) {
		*at++ = '=';
		at = put_hex(at, access->value);
	}
	return at;
}

/* An AMO reads and writes the same place: Whisper shows one entry, with the stored value. */
static char *put_memory(char *at, const struct ear_record *record)
{
	if (record->memory_count > 0)
		at = put_access(at, &record->memory[record->memory_count - 1]);
	*at++ = ',';
	return at;
}

static char *put_privilege(char *at, uint8_t privilege)
{
	static const char names[][4] = {
		[EAR_PRIVILEGE_U] = "u,",
		[EAR_PRIVILEGE_S] = "s,",
		[EAR_PRIVILEGE_RESERVED] = "?,",
		[EAR_PRIVILEGE_M] = "m,",
		[EAR_PRIVILEGE_VU] = "vu,",
		[EAR_PRIVILEGE_VS] = "vs,",
		[EAR_PRIVILEGE_DEBUG] = "d,",
	};

	memcpy(at, names[privilege], sizeof(names[0]));
	return at + (names[privilege][1] == ',' ? 2 : 3);
}

static void write_instruction(struct writer_whisper *writer, const struct ear_record *record)
{
	const struct text *text = find_text(writer, record);
	bool taken = record->flags & EAR_RECORD_TAKEN;
	char *at = ear_text_output_reserve(writer->base.output, 4096);

	at = put_hex(at, record->pc);
	if (record->flags & EAR_RECORD_PC_PHYSICAL && record->pc_physical != record->pc) {
		*at++ = ':';
		at = put_hex(at, record->pc_physical);
	}
	*at++ = ',';
	at = put_text(at, text->inst, text->inst_size);
	at = put_modified(at, record, text);
	at = put_text(at, text->sources, text->sources_size);
	at = put_memory(at, record);
	memcpy(at, text->info[taken], sizeof(text->info[0]));
	at += text->info_size[taken];
	*at++ = ',';
	at = put_privilege(at, record->privilege);
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		at = put_hex(at, record->cause);
	*at++ = ',';
	at = put_text(at, text->disassembly, text->disassembly_size);
	at = put_hex(at, record->hart);
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

/* No commas: the line must not be taken for a record by anything that splits at commas. */
static void write_gap(struct writer_whisper *writer, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;
	char *at = ear_text_output_reserve(writer->base.output, 512);

	at += sprintf(at, "# gap: ");
	if (!gap->count_known && gap->at_start)
		at += sprintf(at, "an unknown number of records is missing before index %" PRIu64,
			record->index);
	else if (!gap->count_known)
		at += sprintf(at, "an unknown number of records is missing after index %" PRIu64,
			record->index - (record->index > 0));
	else if (gap->count == 0)
		at += sprintf(at, "no record is missing before index %" PRIu64, record->index);
	else
		at += sprintf(at, "%s%" PRIu64 " record%s missing; index %" PRIu64 " to %" PRIu64,
			gap->upper_bound ? "up to " : "", gap->count, gap->count == 1 ? "" : "s",
			gap->first, gap->last);
	at += sprintf(at, "; hart %u; %s", record->hart, ear_gap_reason_text(gap->reason));
	if (gap->skipped_bytes)
		at += sprintf(at, "; %" PRIu64 " bytes skipped", gap->skipped_bytes);
	if (gap->missing_frames)
		at += sprintf(at, "; %" PRIu64 " frame%s missing", gap->missing_frames,
			gap->missing_frames == 1 ? "" : "s");
	at += sprintf(at, "; stream byte %" PRIu64 "\n", record->stream_offset);
	ear_text_output_commit(writer->base.output, at);
}

static void write_event(struct writer_whisper *writer, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(writer->base.output, 512);
	const char *source = "unknown source";

	switch (record->u.event.source) {
	case EAR_EVENT_START_TRIGGER: source = "start trigger"; break;
	case EAR_EVENT_STOP_TRIGGER: source = "stop trigger"; break;
	case EAR_EVENT_PORT: source = "event port"; break;
	default: break;
	}
	at += sprintf(at, "# event: %s; value 0x%" PRIx32 "; hart %u; before index %" PRIu64 "\n",
		source, record->u.event.value, record->hart, record->index);
	ear_text_output_commit(writer->base.output, at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_whisper *writer = (struct writer_whisper *)base;

	if (!writer->header_written) {
		char *at = ear_text_output_reserve(base->output, sizeof(HEADER));
		memcpy(at, HEADER, sizeof(HEADER) - 1);
		ear_text_output_commit(base->output, at + sizeof(HEADER) - 1);
		writer->header_written = true;
	}
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: write_instruction(writer, record); break;
	case EAR_RECORD_GAP: write_gap(writer, record); break;
	case EAR_RECORD_EVENT: write_event(writer, record); break;
	default: break;
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

struct ear_writer *ear_writer_whisper_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	(void)options;
	struct writer_whisper *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){output, push, free_writer};
	return &writer->base;
}
