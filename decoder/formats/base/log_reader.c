/* What all logs of tracers have: a record for an instruction, of a hart, with registers and
 * accesses. The record begun in a line is the next one of the pair (record_builder.h); it becomes
 * the open one at its end, so that later lines can add to it, and where it went is known when the
 * next one comes. What an opcode says of an access decides over what the log calls it.
 */
#include "decoder/formats/base/log_reader.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/base/record_state.h"
#include "decoder/isa/inst.h"

#define DETECT_LINES 400

int ear_log_detect(const struct ear_log_format *format, const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	int best = 0;

	for (unsigned lines = 0; !ear_text_at_end(&cursor) && lines < DETECT_LINES; lines++) {
		struct ear_text line = ear_text_until(&cursor, '\n');
		int score = format->judge(ear_text_cursor(line.text, line.size));
		best = score > best ? score : best;
		ear_text_take(&cursor, '\n');
	}
	return best;
}

/* Lines that added too much to the open record. */
static int check_open(struct ear_log_reader *log)
{
	struct ear_record_builder *open = ear_record_pair_open(&log->line.pair);
	int error = open ? open->error : 0;

	if (error != EAR_E_FULL)
		return error;
	open->error = 0;
	return ear_log_bad(log, "the record has too many effects");
}

static int take_line(
	struct ear_line_reader *base, const char *line, size_t size, const struct ear_record **done)
{
	struct ear_log_reader *log = (struct ear_log_reader *)base;

	log->done = NULL;
	log->rest = (struct ear_text_cursor){NULL, NULL};
	log->builder = ear_record_pair_open(&base->pair);
	int result = log->format->take(log, ear_text_cursor(line, size));
	*done = log->done;
	base->rest = (struct ear_text){log->rest.at, 0};
	if (log->rest.at)
		base->rest.size = (size_t)(log->rest.end - log->rest.at);
	return result ? result : check_open(log);
}

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct ear_log_reader *log = (const struct ear_log_reader *)base;

	*offset = ear_text_input_next_offset(base->input);
	*line_number = ear_text_input_next_line(base->input);
	return log->line.rest.text == NULL;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct ear_log_reader *log = (struct ear_log_reader *)base;

	ear_state_bool(walk, &log->warned);
	if (log->format->walk)
		log->format->walk(log, walk);
	return ear_state_line_reader(walk, &log->line);
}

static const struct ear_reader_resume resume = {.place = place, .walk = walk_state};

struct ear_reader *ear_log_make(const struct ear_log_format *format, struct ear_text_input *input,
	const struct ear_reader_options *options)
{
	struct ear_log_reader *log = calloc(1, format->size ? format->size : sizeof(*log));

	if (!log)
		return NULL;
	ear_line_reader_init(&log->line, input, options, take_line);
	log->line.base.resume = &resume;
	log->format = format;
	return &log->line.base;
}

/* The hart's records that were given, and the open one. */
static uint64_t next_index(const struct ear_log_reader *log, uint16_t hart)
{
	const struct ear_reader *base = &log->line.base;
	const struct ear_record_pair *pair = &log->line.pair;
	const struct ear_record *open = &pair->builders[pair->current].record;

	if (pair->open && open->hart == hart)
		return open->index + 1;
	for (unsigned i = 0; i < base->hart_count; i++)
		if (base->harts[i].hart == hart)
			return base->harts[i].next_index;
	return 0;
}

struct ear_record *ear_log_begin(
	struct ear_log_reader *log, uint64_t hart, uint64_t pc, size_t pc_digits)
{
	struct ear_reader *base = &log->line.base;

	log->builder = ear_record_pair_begin(&log->line.pair, EAR_RECORD_INSTRUCTION);
	struct ear_record *record = &log->builder->record;
	record->hart = (uint16_t)hart;
	record->index = next_index(log, record->hart);
	record->stream_offset = ear_text_input_offset(base->input);
	record->flags = EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_NO_OPCODE;
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)ear_reader_xlen(base, pc_digits);
	record->pc = pc;
	log->builder->extra.line = ear_text_input_line_number(base->input);
	return record;
}

void ear_log_opcode(struct ear_log_reader *log, uint64_t opcode)
{
	struct ear_record *record = &log->builder->record;

	record->opcode_size = (opcode & 3) == 3 ? 4 : 2;
	record->opcode = record->opcode_size == 4 ? (uint32_t)opcode : (uint16_t)opcode;
	record->flags &= ~(uint32_t)EAR_RECORD_NO_OPCODE;
}

void ear_log_time(struct ear_log_reader *log, uint64_t ticks)
{
	log->builder->record.ticks = ticks;
	log->builder->record.flags |= EAR_RECORD_HAS_TIME;
}

void ear_log_privilege(struct ear_log_reader *log, enum ear_privilege privilege)
{
	log->builder->record.privilege = (uint8_t)privilege;
	log->builder->record.flags &= ~(uint32_t)EAR_RECORD_NO_PRIVILEGE;
}

void ear_log_trap(struct ear_log_reader *log, uint64_t cause)
{
	struct ear_record *record = &log->builder->record;

	record->flags &= ~(uint32_t)(EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE);
	record->flags |= cause >> (record->xlen - 1) & 1 ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
	record->cause = cause;
}

static bool wants_effects(const struct ear_log_reader *log)
{
	return log->builder && !log->line.base.options.light;
}

void ear_log_write(struct ear_log_reader *log, enum ear_register_class reg_class, uint64_t number,
	uint64_t value, size_t digits)
{
	if (!wants_effects(log) || (reg_class == EAR_REGISTER_X && number == 0))
		return;
	struct ear_record_register *reg = ear_record_builder_register(log->builder);
	bool sized = reg_class == EAR_REGISTER_F && (digits == 8 || digits == 16);
	if (reg)
		*reg = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
			.number = (uint16_t)number,
			.size = sized ? (uint16_t)(digits / 2) : 0,
			.value = value};
}

void ear_log_read(struct ear_log_reader *log, enum ear_register_class reg_class, uint64_t number,
	uint64_t value)
{
	if (!wants_effects(log) || (reg_class == EAR_REGISTER_X && number == 0))
		return;
	struct ear_record_register *reg = ear_record_builder_read(log->builder);
	if (reg)
		*reg = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
			.number = (uint16_t)number,
			.value = value};
}

bool ear_log_write_vector(
	struct ear_log_reader *log, unsigned number, struct ear_text_cursor *cursor)
{
	struct ear_record_register reg = {.reg_class = EAR_REGISTER_V, .number = (uint16_t)number};

	if (!wants_effects(log))
		return ear_text_token(cursor).size > 0;
	if (!ear_record_builder_bytes(log->builder, &reg, cursor))
		return log->builder->error != 0;
	struct ear_record_register *place = ear_record_builder_register(log->builder);
	if (place)
		*place = reg;
	return true;
}

struct ear_record_access *ear_log_add_access(
	struct ear_log_reader *log, struct ear_record_access access)
{
	if (!wants_effects(log))
		return NULL;
	struct ear_record_access *place = ear_record_builder_access(log->builder);
	if (access.size > 0 && access.size < 8)
		access.value &= ((uint64_t)1 << 8 * access.size) - 1;
	if (place)
		*place = access;
	return place;
}

/* Its read or write, which may be there from the other one's value. */
static struct ear_record_access *add_amo(
	struct ear_log_reader *log, const struct ear_record_access *access)
{
	struct ear_record_builder *builder = log->builder;
	struct ear_record_access other = *access;

	other.has_value = false;
	other.value = 0;
	if (builder->record.memory_count < 2) {
		other.write = false;
		ear_log_add_access(log, other);
		other.write = true;
		ear_log_add_access(log, other);
	}
	if (builder->record.memory_count != 2 || builder->memory[1].address != access->address)
		return NULL;
	if (access->has_value)
		builder->memory[access->write] = *access;
	return &builder->memory[access->write];
}

struct ear_record_access *ear_log_access(struct ear_log_reader *log, uint64_t address,
	const uint64_t *value, bool write, unsigned size)
{
	struct ear_inst inst = {0};

	if (!wants_effects(log))
		return NULL;
	const struct ear_record *record = &log->builder->record;
	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	struct ear_record_access access = {.address = address,
		.write = write,
		.size = inst.access_size ? inst.access_size : (uint8_t)(size <= 8 ? size : 0),
		.has_value = value != NULL,
		.value = value ? *value : 0};
	if (inst.kind == EAR_KIND_STORE || inst.kind == EAR_KIND_SC || inst.kind == EAR_KIND_VSTORE)
		access.write = true;
	else if (inst.kind == EAR_KIND_LOAD || inst.kind == EAR_KIND_LR ||
		 inst.kind == EAR_KIND_VLOAD)
		access.write = false;
	if (access.size > 0 && access.size < 8)
		access.value &= ((uint64_t)1 << 8 * access.size) - 1;
	return inst.kind == EAR_KIND_AMO ? add_amo(log, &access) : ear_log_add_access(log, access);
}

bool ear_log_find_privilege(struct ear_text word, enum ear_privilege *privilege)
{
	static const struct {
		const char *word;
		enum ear_privilege privilege;
	} words[] = {
		{"M", EAR_PRIVILEGE_M},
		{"S", EAR_PRIVILEGE_S},
		{"U", EAR_PRIVILEGE_U},
		{"D", EAR_PRIVILEGE_DEBUG},
		{"3", EAR_PRIVILEGE_M},
		{"1", EAR_PRIVILEGE_S},
		{"0", EAR_PRIVILEGE_U},
		{"VS", EAR_PRIVILEGE_VS},
		{"VU", EAR_PRIVILEGE_VU},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (ear_text_is(word, words[i].word)) {
			*privilege = words[i].privilege;
			return true;
		}
	}
	return false;
}

int ear_log_end(struct ear_log_reader *log)
{
	int error = log->builder->error;

	if (error)
		return error == EAR_E_FULL ? ear_log_bad(log, "the record has too many effects")
					   : error;
	if (!ear_line_reader_fits(&log->line, log->builder))
		return ear_log_bad(log, EAR_READER_TOO_WIDE);
	log->done = ear_record_pair_turn(&log->line.pair);
	log->builder = ear_record_pair_open(&log->line.pair);
	return 0;
}

int ear_log_bad(struct ear_log_reader *log, const char *cause)
{
	return ear_line_reader_skip(&log->line, cause);
}

int ear_log_other(struct ear_log_reader *log, const char *cause)
{
	return ear_line_reader_pass(&log->line, cause);
}

int ear_log_warn(struct ear_log_reader *log, const char *cause)
{
	if (log->warned)
		return 0;
	log->warned = true;
	return ear_reader_report(&log->line.base, cause, false);
}
