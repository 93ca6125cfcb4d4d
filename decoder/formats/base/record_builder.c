/* Records of any size from lines that come one after another.
 *
 * Arrays double when they are full and are kept from record to record, so a long trace soon
 * allocates nothing. Texts lie in a list of chunks that never move, so pointers into them stay
 * valid while more is added. Where an instruction went is derived at the end, from the pc of the
 * next record: most logs do not say it.
 */
#include "decoder/formats/base/record_builder.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

#define CHUNK_SIZE 4096
#define SORT_MAX   64 /* registers; more come only from vector code, which lists no others */

/* Texts lie in chunks, so that pointers to them stay valid when more are added. */
struct ear_record_text_chunk {
	struct ear_record_text_chunk *next;
	size_t size;
	char bytes[];
};

void ear_record_builder_fini(struct ear_record_builder *builder)
{
	free(builder->registers);
	free(builder->reads);
	free(builder->memory);
	free(builder->walks);
	free(builder->steps);
	free(builder->times);
	for (struct ear_record_text_chunk *chunk = builder->first_chunk; chunk;) {
		struct ear_record_text_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	*builder = (struct ear_record_builder){0};
}

/* All bytes to zero. Compilers that know the size take an instruction that is slow for so few; the
 * library's function is not.
 */
static inline void clear(void *bytes, size_t size)
{
	__asm__("" : "+r"(size)); /* not known any more */
	memset(bytes, 0, size);
}

void ear_record_builder_reset(struct ear_record_builder *builder, enum ear_record_kind kind)
{
	clear(&builder->record, sizeof(builder->record));
	clear(&builder->extra, sizeof(builder->extra));
	builder->record.kind = (uint8_t)kind;
	builder->step_count = 0;
	builder->time_count = 0;
	builder->chunk = builder->first_chunk;
	builder->chunk_used = 0;
	builder->text_size = 0;
	builder->error = 0;
}

/* Make room for one more item of an array. Returns it, zeroed, or NULL. */
static void *append(struct ear_record_builder *builder, void **items, size_t *capacity,
	size_t *count, size_t size)
{
	if (*count == EAR_RECORD_ITEMS_MAX) {
		builder->error = EAR_E_FULL;
		return NULL;
	}
	if (*count == *capacity && !ear_array_grow(items, size, capacity, *count + 1)) {
		builder->error = EAR_E_NO_MEMORY;
		return NULL;
	}
	void *item = (char *)*items + (*count)++ * size;
	memset(item, 0, size);
	return item;
}

#define APPEND(builder, items, capacity, count) \
	append(builder, (void **)&(builder)->items, &(builder)->capacity, &(builder)->count, \
		sizeof(*(builder)->items))

struct ear_record_register *ear_record_builder_register(struct ear_record_builder *builder)
{
	return APPEND(builder, registers, register_capacity, record.register_count);
}

struct ear_record_register *ear_record_builder_read(struct ear_record_builder *builder)
{
	return APPEND(builder, reads, read_capacity, extra.read_count);
}

struct ear_record_access *ear_record_builder_access(struct ear_record_builder *builder)
{
	return APPEND(builder, memory, memory_capacity, record.memory_count);
}

bool ear_record_builder_access_time(struct ear_record_builder *builder, uint64_t time)
{
	size_t count = builder->record.memory_count;

	while (builder->time_count < count) { /* of those before it, nothing is known */
		if (!APPEND(builder, times, time_capacity, time_count))
			return false;
	}
	builder->times[count - 1] = time;
	builder->extra.access_times = builder->times;
	return true;
}

struct ear_walk *ear_record_builder_walk(struct ear_record_builder *builder)
{
	return APPEND(builder, walks, walk_capacity, extra.walk_count);
}

struct ear_walk_step *ear_record_builder_step(struct ear_record_builder *builder)
{
	struct ear_walk_step *step = APPEND(builder, steps, step_capacity, step_count);

	if (step)
		builder->walks[builder->extra.walk_count - 1].step_count++;
	return step;
}

/* Go on to a chunk with room: the next one if it is large enough, else a new one before it. */
static bool next_chunk(struct ear_record_builder *builder, size_t size)
{
	struct ear_record_text_chunk **link =
		builder->chunk ? &builder->chunk->next : &builder->first_chunk;

	if (!*link || (*link)->size < size) {
		size_t room = size < CHUNK_SIZE ? CHUNK_SIZE : size;
		struct ear_record_text_chunk *made = malloc(sizeof(*made) + room);
		if (!made) {
			builder->error = EAR_E_NO_MEMORY;
			return false;
		}
		made->next = *link;
		made->size = room;
		*link = made;
	}
	builder->chunk = *link;
	builder->chunk_used = 0;
	return true;
}

char *ear_record_builder_text(struct ear_record_builder *builder, size_t size)
{
	if (size > EAR_RECORD_TEXT_MAX - builder->text_size) {
		builder->error = EAR_E_FULL;
		return NULL;
	}
	if (!builder->chunk || builder->chunk->size - builder->chunk_used < size) {
		if (!next_chunk(builder, size))
			return NULL;
	}
	char *text = builder->chunk->bytes + builder->chunk_used;
	builder->chunk_used += size;
	builder->text_size += size;
	return text;
}

struct ear_text ear_record_builder_copy(struct ear_record_builder *builder, struct ear_text text)
{
	char *copy = ear_record_builder_text(builder, text.size);

	if (copy && text.size > 0)
		memcpy(copy, text.text, text.size);
	return (struct ear_text){copy, copy ? text.size : 0};
}

static size_t count_digits(const struct ear_text_cursor *cursor)
{
	const char *at = cursor->at;

	while (at < cursor->end && ear_hex_digit(*at) >= 0)
		at++;
	return (size_t)(at - cursor->at);
}

/* The byte number index, from the lowest, of a number with these digits. */
static uint8_t byte_of(const char *text, size_t digits, size_t index)
{
	int low = ear_hex_digit(text[digits - 1 - 2 * index]);
	int high = 2 * index + 1 < digits ? ear_hex_digit(text[digits - 2 - 2 * index]) : 0;

	return (uint8_t)(high << 4 | low);
}

size_t ear_record_builder_bytes(struct ear_record_builder *builder, struct ear_record_register *reg,
	struct ear_text_cursor *cursor)
{
	size_t digits = count_digits(cursor);
	size_t size = (digits + 1) / 2;
	uint8_t *bytes = digits ? (uint8_t *)ear_record_builder_text(builder, size) : NULL;

	if (!bytes)
		return 0;
	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_of(cursor->at, digits, i);
	reg->text_size = (uint32_t)size;
	reg->text.bytes = bytes;
	cursor->at += digits;
	return digits;
}

size_t ear_record_builder_memory(struct ear_record_builder *builder,
	const struct ear_record_access *like, struct ear_text_cursor *cursor)
{
	size_t digits = count_digits(cursor);
	size_t size = (digits + 1) / 2;

	for (size_t at = 0; at < size;) {
		size_t part = size - at >= 8 ? 8 : size - at;
		while (part & (part - 1)) /* 3 bytes are 2 and 1 */
			part &= part - 1;
		struct ear_record_access *access = ear_record_builder_access(builder);
		if (!access)
			return 0;
		*access = *like;
		access->address += at;
		access->physical += like->has_physical ? at : 0;
		access->size = (uint8_t)part;
		access->has_value = true;
		access->value = 0;
		for (size_t i = part; i-- > 0;)
			access->value = access->value << 8 | byte_of(cursor->at, digits, at + i);
		at += part;
	}
	cursor->at += digits;
	return digits;
}

/* Insertion is right for the few registers that an instruction writes. */
static void sort_registers(struct ear_record_register *registers, size_t count)
{
	static const uint8_t rank[] = {
		[EAR_REGISTER_X] = 0,
		[EAR_REGISTER_F] = 1,
		[EAR_REGISTER_CSR] = 2,
		[EAR_REGISTER_V] = 3,
		[EAR_REGISTER_NAMED] = 4,
	};

	for (size_t i = 1; i < count; i++) {
		struct ear_record_register moved = registers[i];
		size_t to = i;
		for (; to > 0 && rank[registers[to - 1].reg_class] > rank[moved.reg_class]; to--)
			registers[to] = registers[to - 1];
		registers[to] = moved;
	}
}

const struct ear_record *ear_record_builder_finish(struct ear_record_builder *builder)
{
	const struct ear_walk_step *steps = builder->steps;

	if (!builder->ordered && builder->record.register_count <= SORT_MAX)
		sort_registers(builder->registers, builder->record.register_count);
	for (size_t i = 0; i < builder->extra.walk_count; i++) {
		builder->walks[i].steps = steps;
		if (builder->walks[i].step_count > 0)
			steps += builder->walks[i].step_count;
	}
	if (builder->time_count > 0 && builder->time_count < builder->record.memory_count)
		(void)ear_record_builder_access_time(builder, 0);
	builder->extra.walks = builder->walks;
	builder->extra.reads = builder->reads;
	builder->record.registers = builder->registers;
	builder->record.memory = builder->memory;
	builder->record.extra = &builder->extra;
	return &builder->record;
}

static uint64_t to_xlen(const struct ear_record *record, uint64_t address)
{
	return record->xlen == 32 ? (uint32_t)address : address;
}

static void go_to(struct ear_record *record, uint64_t next_pc, uint32_t set)
{
	record->next_pc = to_xlen(record, next_pc);
	record->flags = (record->flags & ~(uint32_t)EAR_RECORD_NO_NEXT_PC) | set;
}

/* A register that the branch compares, if the source shows what it read. */
static bool find_read(
	const struct ear_record *record, const struct ear_operand *operand, uint64_t *value)
{
	const struct ear_record_extra *extra = record->extra;

	*value = 0;
	if (operand->value == 0)
		return true;
	for (size_t i = 0; extra && i < extra->read_count; i++)
		if (extra->reads[i].reg_class == EAR_REGISTER_X &&
			extra->reads[i].number == operand->value) {
			*value = extra->reads[i].value;
			return true;
		}
	return false;
}

/* Would the branch be taken, by the registers that it read? -1: they are not known. */
static int compare_reads(const struct ear_record *record, const struct ear_inst *inst)
{
	const struct ear_operand *second = &inst->operands[1], zero = {.kind = EAR_OPERAND_X};
	uint64_t a, b;

	if (second->kind != EAR_OPERAND_X)
		second = &zero;
	if (!find_read(record, &inst->operands[0], &a) || !find_read(record, second, &b))
		return -1;
	const int64_t x = record->xlen == 32 ? (int32_t)a : (int64_t)a;
	const int64_t y = record->xlen == 32 ? (int32_t)b : (int64_t)b;
	switch (inst->id) {
	case EAR_INST_BEQ:
	case EAR_INST_C_BEQZ: return x == y;
	case EAR_INST_BNE:
	case EAR_INST_C_BNEZ: return x != y;
	case EAR_INST_BLT: return x < y;
	case EAR_INST_BGE: return x >= y;
	case EAR_INST_BLTU: return (uint64_t)x < (uint64_t)y;
	case EAR_INST_BGEU: return (uint64_t)x >= (uint64_t)y;
	default: return -1;
	}
}

static void follow_branch(struct ear_record *record, const struct ear_inst *inst,
	bool successor_known, uint64_t successor)
{
	uint64_t target = to_xlen(record, record->pc + (uint64_t)inst->imm);
	uint64_t after = to_xlen(record, record->pc + inst->size);

	/* To the next instruction: where it went does not show whether it was taken. */
	int compared = target == after ? compare_reads(record, inst) : -1;
	if (target == after && compared >= 0)
		go_to(record, after, compared ? EAR_RECORD_TAKEN : 0);
	else if (target == after)
		return;
	else if (successor_known && successor == after)
		go_to(record, after, 0);
	else if (successor_known && successor == target)
		go_to(record, target, EAR_RECORD_TAKEN);
}

/* Most opcodes need not be decoded to know that they do not jump: of 4 bytes, the major opcodes
 * BRANCH, JALR and JAL do. */
static bool may_jump(uint64_t opcode)
{
	unsigned major = ear_opcode_major(opcode);

	return ear_opcode_is_compressed(opcode) || major == EAR_OPCODE_BRANCH ||
	       major == EAR_OPCODE_JALR || major == EAR_OPCODE_JAL;
}

void ear_record_follow(
	struct ear_record *record, bool successor_known, uint64_t successor, bool dense)
{
	struct ear_inst inst = {0};
	bool stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	record->next_pc = 0;
	record->flags |= EAR_RECORD_NO_NEXT_PC;
	if (!(record->flags & EAR_RECORD_NO_OPCODE) && record->isa == EAR_ISA_RISCV && !stopped &&
		may_jump(record->opcode))
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	if (inst.kind == EAR_KIND_BRANCH)
		follow_branch(record, &inst, successor_known, successor);
	else if (inst.kind == EAR_KIND_JUMP && !(inst.flags & EAR_INST_INDIRECT))
		go_to(record, record->pc + (uint64_t)inst.imm, EAR_RECORD_TAKEN);
	else if (inst.kind == EAR_KIND_JUMP && successor_known && dense)
		go_to(record, successor, EAR_RECORD_TAKEN);
	else if (successor_known && dense)
		go_to(record, successor, 0);
}

/* An interrupt came after the record, and the log shows its handler alone: the instruction went on
 * to where it would have, not to the handler. */
static void follow_interrupted(struct ear_record *record)
{
	struct ear_inst inst;

	ear_record_follow(record, false, 0, false);
	if (record->flags & EAR_RECORD_NO_OPCODE)
		return;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	if (inst.kind != EAR_KIND_BRANCH && inst.kind != EAR_KIND_JUMP &&
		inst.kind != EAR_KIND_SYSTEM)
		go_to(record, record->pc + record->opcode_size, 0);
}

static bool is_interrupted(const struct ear_record *record, const struct ear_record *next)
{
	return next->kind == EAR_RECORD_INSTRUCTION && next->flags & EAR_RECORD_HANDLER &&
	       !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT));
}

void ear_record_pair_fini(struct ear_record_pair *pair)
{
	ear_record_builder_fini(&pair->builders[0]);
	ear_record_builder_fini(&pair->builders[1]);
}

struct ear_record_builder *ear_record_pair_begin(
	struct ear_record_pair *pair, enum ear_record_kind kind)
{
	struct ear_record_builder *builder = &pair->builders[!pair->current];

	ear_record_builder_reset(builder, kind);
	return builder;
}

static const struct ear_record *turn(struct ear_record_pair *pair, bool dense)
{
	struct ear_record_builder *before = ear_record_pair_open(pair);
	const struct ear_record *next = &pair->builders[!pair->current].record;

	pair->current = !pair->current;
	pair->open = true;
	if (!before)
		return NULL;
	ear_record_builder_finish(before);
	if (before->record.kind == EAR_RECORD_INSTRUCTION && is_interrupted(&before->record, next))
		follow_interrupted(&before->record);
	else if (before->record.kind == EAR_RECORD_INSTRUCTION)
		ear_record_follow(&before->record,
			next->kind == EAR_RECORD_INSTRUCTION && next->hart == before->record.hart &&
				!pair->broken,
			next->pc, dense);
	pair->broken = false;
	return &before->record;
}

const struct ear_record *ear_record_pair_turn(struct ear_record_pair *pair)
{
	return turn(pair, true);
}

const struct ear_record *ear_record_pair_turn_sparse(struct ear_record_pair *pair)
{
	return turn(pair, false);
}

const struct ear_record *ear_record_pair_end(struct ear_record_pair *pair)
{
	struct ear_record_builder *last = ear_record_pair_open(pair);

	pair->open = false;
	if (!last)
		return NULL;
	ear_record_builder_finish(last);
	if (last->record.kind == EAR_RECORD_INSTRUCTION)
		ear_record_follow(&last->record, false, 0, true);
	return &last->record;
}
