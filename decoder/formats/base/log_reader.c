/* What all logs of tracers have: a record for an instruction, of a hart, with registers and
 * accesses. The record begun in a line is the next one of the pair (record_builder.h); it becomes
 * the open one at its end, so that later lines can add to it, and where it went is known when the
 * next one comes. What an opcode says of an access decides over what the log calls it.
 */
#include "decoder/formats/base/log_reader.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/base/access.h"
#include "decoder/formats/base/beginning.h"
#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/formats/base/xlen.h"
#include "decoder/isa/inst.h"
#include "decoder/text/riscv_name.h"

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

static int end_text(struct ear_line_reader *base, const struct ear_record **done)
{
	struct ear_log_reader *log = (struct ear_log_reader *)base;

	log->done = NULL;
	log->builder = ear_record_pair_open(&base->pair);
	int result = log->format->end(log);
	*done = log->done;
	return result;
}

static void free_log(struct ear_reader *base)
{
	struct ear_log_reader *log = (struct ear_log_reader *)base;

	if (log->format->fini)
		log->format->fini(log);
	log->free_line(base);
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

/* A value of more than 32 bits. */
static bool is_long(const struct ear_record *record)
{
	uint64_t values = record->pc;

	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_X)
			values |= record->registers[i].value;
	for (size_t i = 0; i < record->memory_count; i++)
		values |= record->memory[i].address;
	return values > UINT32_MAX;
}

/* XLEN by the first lines, where it is not what the digits of a pc say; else 0.
 *
 * Some tracers print 16 digits of a pc for RV32, but 8 of a register. Those with registers of 64
 * bits print all digits of them, too: then what the first instructions do shows XLEN. Of hardware
 * it is one thing or the other; where both show, the digits decide. Of pcs without leading zeros,
 * a wide value among the first ones shows RV64 from the first record on. So does a register of more
 * digits than the pc has, whose value is none of 32 bits. */
static unsigned find_xlen(const struct ear_log_format *format, struct ear_text_input *input,
	const struct ear_reader_options *options)
{
	struct ear_reader_options own = *options;
	struct ear_beginning beginning;
	const struct ear_record *record;
	struct ear_record before = {.kind = EAR_RECORD_GAP};
	struct ear_record_register reg;
	unsigned narrow = 0, wide = 0, xlen;
	const char *bytes;
	bool is_wide = false;
	size_t size;

	ear_text_input_glance(input, &bytes, &size);
	if (!ear_beginning_open(&beginning, bytes, size))
		return 0;
	own.report = NULL;
	own.light = false;
	own.xlen = 64;
	struct ear_reader *reader = ear_log_make(format, beginning.input, &own);
	while (reader && ear_reader_next(reader, &record) == 1) {
		if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV)
			continue;
		xlen = before.hart == record->hart ? ear_xlen_of_record(&before, record->pc) : 0;
		narrow += xlen == 32;
		wide += xlen == 64;
		is_wide |= is_long(record);
		before = *record;
		if (before.register_count > 0)
			reg = before.registers[0];
		before.registers = &reg;
	}
	const struct ear_log_reader *log = (const struct ear_log_reader *)reader;
	const bool digits = log && log->narrow > 0 && log->wide == 0;
	const bool longer = log && log->longer;
	ear_reader_free(reader);
	ear_beginning_close(&beginning);
	if (is_wide && format->unpadded)
		return 64;
	return digits || (narrow > 0 && wide == 0) ? 32 : longer ? 64 : 0;
}

struct ear_reader *ear_log_make(const struct ear_log_format *format, struct ear_text_input *input,
	const struct ear_reader_options *options)
{
	struct ear_log_reader *log = calloc(1, format->size ? format->size : sizeof(*log));

	if (!log)
		return NULL;
	ear_line_reader_init(&log->line, input, options, take_line);
	log->line.base.resume = format->no_walk ? NULL : &resume;
	log->line.end = format->end ? end_text : NULL;
	log->free_line = log->line.base.free;
	log->line.base.free = free_log;
	log->format = format;
	log->no_traps = format->no_traps;
	if (format->init && !format->init(log)) {
		ear_reader_free(&log->line.base);
		return NULL;
	}
	if (options->xlen == 0) {
		log->line.base.xlen = (uint8_t)find_xlen(format, input, options);
		log->line.base.extended = log->line.base.xlen == 32;
	}
	return &log->line.base;
}

/* The hart's records that were given, and the open one. */
static uint64_t next_index(const struct ear_log_reader *log, uint16_t hart)
{
	const struct ear_reader *base = &log->line.base;
	const struct ear_record_pair *pair = &log->line.pair;
	const struct ear_record *open = &pair->builders[pair->current].record;

	if (pair->open && open->hart == hart && open->kind == EAR_RECORD_GAP)
		return open->u.gap.count_known ? open->u.gap.last + 1 : open->index;
	if (pair->open && open->hart == hart)
		return open->index + (open->kind == EAR_RECORD_INSTRUCTION);
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

void ear_log_find_expanded(struct ear_log_reader *log, uint64_t next_pc)
{
	struct ear_record_builder *open = ear_record_pair_open(&log->line.pair);
	struct ear_record *record = open ? &open->record : NULL;
	struct ear_inst inst;

	if (!record || record->flags & EAR_RECORD_NO_OPCODE || log->line.pair.broken)
		return;
	const bool empty = record->opcode == 0 && next_pc == record->pc + 4;
	if (!empty && (record->opcode_size != 4 || next_pc != record->pc + 2))
		return;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	if (inst.kind == EAR_KIND_JUMP ||
		(inst.kind == EAR_KIND_BRANCH && record->pc + (uint64_t)inst.imm == next_pc))
		return;
	record->flags |= EAR_RECORD_NO_OPCODE;
	record->opcode = 0;
	record->opcode_size = 0;
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

bool ear_log_own_trap(struct ear_record *record)
{
	static const uint8_t calls[] = {[EAR_PRIVILEGE_U] = 8,
		[EAR_PRIVILEGE_S] = 9,
		[EAR_PRIVILEGE_M] = 11,
		[EAR_PRIVILEGE_VU] = 8,
		[EAR_PRIVILEGE_VS] = 10,
		[EAR_PRIVILEGE_DEBUG] = 0};
	struct ear_inst inst = {.kind = EAR_KIND_ALU};

	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	uint8_t call = record->flags & EAR_RECORD_NO_PRIVILEGE ? 0 : calls[record->privilege];
	if (inst.kind == EAR_KIND_ILLEGAL)
		record->cause = 2;
	else if (inst.id == EAR_INST_EBREAK || inst.id == EAR_INST_C_EBREAK)
		record->cause = 3;
	else if (inst.id == EAR_INST_ECALL)
		record->cause = call;
	else
		return false;
	record->flags |= EAR_RECORD_TRAP | (record->cause ? 0 : EAR_RECORD_NO_CAUSE);
	return true;
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
	log->narrow += reg_class == EAR_REGISTER_X && digits == 8 && value >> 28 == 0;
	log->wide += reg_class == EAR_REGISTER_X && digits > 8;
	log->longer |= reg_class == EAR_REGISTER_X && digits > 8 &&
		       value != (uint64_t)(int64_t)(int32_t)value;
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
		.size = (uint8_t)(size <= 8 ? size : 0),
		.has_value = value != NULL,
		.value = value ? *value : 0};
	ear_access_follow_opcode(&access, inst.kind, inst.access_size);
	return inst.kind == EAR_KIND_AMO ? add_amo(log, &access) : ear_log_add_access(log, access);
}

static bool scan_value(
	struct ear_text_cursor *cursor, const char *kind, struct ear_log_value *value)
{
	const char *begin;

	*value = (struct ear_log_value){0};
	ear_text_skip_blanks(cursor);
	begin = cursor->at;
	if (*kind == 'x') {
		value->digits = ear_log_hex(cursor, &value->number);
		return value->digits > 0;
	}
	if (*kind == 'd')
		return ear_text_decimal(cursor, &value->number);
	while (!ear_text_at_end(cursor) && !ear_text_is_blank(*cursor->at) &&
		(kind[1] == '\0' || kind[1] == ' ' || *cursor->at != kind[1]))
		cursor->at++;
	value->word = (struct ear_text){begin, (size_t)(cursor->at - begin)};
	return value->word.size > 0;
}

bool ear_log_scan(struct ear_text_cursor *cursor, const char *pattern, struct ear_log_value *values)
{
	struct ear_text_cursor at = *cursor;

	for (; *pattern; pattern++) {
		if (*pattern == ' ') {
			ear_text_skip_blanks(&at);
		} else if (*pattern == '%') {
			if (!scan_value(&at, ++pattern, values++))
				return false;
		} else if (!ear_text_take(&at, *pattern)) {
			return false;
		}
	}
	*cursor = at;
	return true;
}

bool ear_log_class(const struct ear_log_reader *log, uint64_t number, unsigned access,
	enum ear_register_class *reg_class)
{
	const struct ear_record *record = &log->builder->record;
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	for (unsigned i = 0; i < inst.operand_count; i++) {
		const struct ear_operand *operand = &inst.operands[i];
		if (operand->kind > EAR_OPERAND_F || !(operand->access & access) ||
			(uint64_t)operand->value != number)
			continue;
		*reg_class = operand->kind == EAR_OPERAND_X ? EAR_REGISTER_X : EAR_REGISTER_F;
		return true;
	}
	return false;
}

static bool write_other(
	struct ear_log_reader *log, struct ear_text name, uint64_t value, size_t digits)
{
	struct ear_text copy = ear_record_builder_copy(log->builder, name);
	struct ear_record_register *reg = ear_record_builder_register(log->builder);

	if (reg)
		*reg = (struct ear_record_register){.reg_class = EAR_REGISTER_NAMED,
			.value = value,
			.size = (uint16_t)((digits + 1) / 2),
			.text_size = (uint32_t)copy.size,
			.text.name = copy.text};
	return true;
}

bool ear_log_write_named(
	struct ear_log_reader *log, struct ear_text name, struct ear_text_cursor *cursor)
{
	enum ear_register_class reg_class;
	uint16_t number;
	uint64_t value;

	bool riscv = !log->builder || log->builder->record.isa == EAR_ISA_RISCV;
	bool known = riscv && ear_riscv_find_register(name, &reg_class, &number);
	if (known && reg_class == EAR_REGISTER_V) {
		if (!ear_text_take_word(cursor, "0x"))
			ear_text_take_word(cursor, "0X");
		return ear_log_write_vector(log, number, cursor);
	}
	size_t digits = ear_log_hex(cursor, &value);
	if (digits == 0)
		return false;
	if (known)
		ear_log_write(log, reg_class, number, value, digits);
	else if (riscv && ear_riscv_find_csr(name, &number))
		ear_log_write(log, EAR_REGISTER_CSR, number, value, digits);
	else if (!riscv && wants_effects(log))
		write_other(log, name, value, digits);
	return known || !riscv || ear_riscv_find_csr(name, &number);
}

void ear_log_text(struct ear_log_reader *log, struct ear_text text)
{
	const struct ear_record *record = &log->builder->record;
	struct ear_inst inst = {0};

	if (log->line.base.options.light || text.size == 0)
		return;
	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	if (inst.kind == EAR_KIND_ILLEGAL)
		log->builder->extra.disassembly = ear_record_builder_copy(log->builder, text);
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

/* An instruction that can but trap, and from which the run went elsewhere. */
static void find_trap(struct ear_log_reader *log)
{
	struct ear_record_pair *pair = &log->line.pair;
	struct ear_record_builder *open = ear_record_pair_open(pair);
	const struct ear_record *next = &log->builder->record;

	if (!open || pair->broken || open->record.hart != next->hart ||
		open->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
		open->record.pc + open->record.opcode_size == next->pc)
		return;
	ear_log_own_trap(&open->record);
}

/* A value is wider than XLEN. */
static int take_back_xlen(struct ear_log_reader *log)
{
	struct ear_reader *base = &log->line.base;
	struct ear_record_builder *open = ear_record_pair_open(&log->line.pair);

	if (!log->format->unpadded || base->options.xlen)
		return ear_log_bad(log, EAR_READER_TOO_WIDE);
	base->xlen = log->builder->record.xlen = 64;
	if (open)
		open->record.xlen = 64;
	return ear_reader_report(
		base, "a value has more than 32 bits: XLEN is 64 from here on", EAR_LINE_NOTE);
}

int ear_log_check(struct ear_log_reader *log)
{
	return ear_line_reader_fits(&log->line, log->builder) ? 0 : take_back_xlen(log);
}

int ear_log_end(struct ear_log_reader *log)
{
	struct ear_record_pair *pair = &log->line.pair;
	int error = log->builder->error;

	if (error)
		return error == EAR_E_FULL ? ear_log_bad(log, "the record has too many effects")
					   : error;
	error = ear_log_check(log);
	if (error)
		return error;
	if (log->no_traps)
		find_trap(log);
	log->done = log->sparse ? ear_record_pair_turn_sparse(pair) : ear_record_pair_turn(pair);
	log->builder = ear_record_pair_open(&log->line.pair);
	return 0;
}

int ear_log_comment(struct ear_log_reader *log, struct ear_text_cursor line)
{
	log->builder = ear_record_pair_begin(&log->line.pair, EAR_RECORD_GAP);
	struct ear_record *record = &log->builder->record;

	if (ear_comment_line_parse(record, line.at, (size_t)(line.end - line.at)))
		return ear_log_bad(log, "the comment line of a gap or an event is malformed");
	record->hart = 0;
	if (record->kind == EAR_RECORD_EVENT)
		record->u.event.name = ear_record_builder_copy(log->builder, record->u.event.name);
	log->builder->extra.line = ear_text_input_line_number(log->line.base.input);
	return ear_log_end(log);
}

void ear_log_word(struct ear_log_reader *log, struct ear_text_cursor *cursor)
{
	ear_text_skip_blanks(cursor);
	ear_reader_word(&log->line.base, log->builder ? log->builder->record.hart : 0,
		(struct ear_text){cursor->at, (size_t)(cursor->end - cursor->at)});
	ear_text_token(cursor);
	ear_text_skip_blanks(cursor);
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

/* "[r1]", "DS:[rax]" and "#4" are not written for RISC-V, "amoadd_w[l]" and "# 0x80000000" are. */
static bool is_foreign(struct ear_text text)
{
	for (size_t i = 0; i + 1 < text.size; i++) {
		char next = text.text[i + 1];
		if ((text.text[i] == ' ' || text.text[i] == ':') && next == '[')
			return true;
		if (text.text[i] == '#' && (ear_text_is_digit(next) || next == '-'))
			return true;
	}
	return false;
}

int ear_log_end_riscv(struct ear_log_reader *log, struct ear_text disassembly, bool foreign)
{
	int result = 0;

	if (!log->warned && (foreign || is_foreign(disassembly)))
		result = ear_log_warn(log, "the instructions are not those of RISC-V, as which "
					   "they are read: what they do is wrong");
	return result ? result : ear_log_end(log);
}
