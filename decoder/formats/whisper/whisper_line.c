/* One line of a Whisper CSV, of any shape, to a record, column by column.
 *
 * This is the slow and complete way: it accepts every column order, blanks, prefixes and vector
 * registers, and says what is wrong. What follows from an opcode alone is kept in a direct-mapped
 * cache with the texts as the file spells them, which the fast way then compares with.
 */
#include "decoder/formats/whisper/whisper_line.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_mode.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/text_cursor.h"

/* More than any real line needs: VLEN 65536 with LMUL 8 has 65536 elements of a byte. */
#define MEMORY_MAX   (1u << 18)
#define REGISTER_MAX (1u << 12)
#define STEP_MAX     (1u << 12)
#define WALK_MAX     (1u << 10)

const uint8_t ear_whisper_privileges[256] = {
	['u'] = EAR_PRIVILEGE_U + 1,
	['s'] = EAR_PRIVILEGE_S + 1,
	['m'] = EAR_PRIVILEGE_M + 1,
	['d'] = EAR_PRIVILEGE_DEBUG + 1,
	['?'] = EAR_PRIVILEGE_RESERVED + 1,
};

/* Make room for count elements; what was there is lost. Returns 0 or EAR_E_NO_MEMORY. */
static int make_room(void *array, size_t *capacity, size_t count, size_t size)
{
	void *made;

	if (count <= *capacity)
		return 0;
	count = count > 2 * *capacity ? count : 2 * *capacity;
	made = malloc(count * size);
	if (!made)
		return EAR_E_NO_MEMORY;
	free(*(void **)array);
	*(void **)array = made;
	*capacity = count;
	return 0;
}

int ear_whisper_line_init(struct ear_whisper_line *line)
{
	*line = (struct ear_whisper_line){.xlen = 32};
	line->harts = calloc(EAR_WHISPER_HARTS, sizeof(*line->harts));
	line->cache = calloc(EAR_WHISPER_CACHE_SIZE, sizeof(*line->cache));
	if (!line->harts || !line->cache ||
		make_room(&line->registers, &line->register_capacity, EAR_WHISPER_LINE_COUNT_MIN,
			sizeof(*line->registers)) ||
		make_room(&line->memory, &line->memory_capacity, EAR_WHISPER_LINE_COUNT_MIN,
			sizeof(*line->memory)))
		return EAR_E_NO_MEMORY;
	line->record.isa = EAR_ISA_RISCV;
	line->record.extra = &line->extra;
	line->record.registers = line->registers;
	line->record.memory = line->memory;
	return 0;
}

void ear_whisper_line_fini(struct ear_whisper_line *line)
{
	free(line->registers);
	free(line->memory);
	free(line->walks);
	free(line->steps);
	free(line->bytes);
	free(line->spelled);
	free(line->harts);
	free(line->cache);
}

static uint32_t low_bits(size_t count)
{
	return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

static void set_sources(struct ear_whisper_entry *entry, const char *text, size_t size)
{
	memcpy(entry->sources, text, size);
	entry->sources_size = (uint8_t)size;
	entry->sources_mask = low_bits(size);
}

static void replace(char *to, const char *from, size_t size, char before, char after)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i] == before ? after : from[i];
}

static void set_disassembly(struct ear_whisper_entry *entry, const char *text, size_t size)
{
	replace(entry->disassembly, text, size, ',', ';');
	replace(entry->spelled, text, size, ';', ',');
	entry->disassembly_size = (uint8_t)size;
	entry->disassembly_mask = low_bits(size);
}

static void set_info(struct ear_whisper_entry *entry, bool taken, const char *text, size_t size)
{
	memcpy(entry->info[taken], text, size);
	entry->info[taken][size] = ',';
	entry->info_size[taken] = (uint8_t)size;
}

/* The elements of an indexed access are as wide as SEW. No access of a record has more than 8
 * bytes. */
static uint8_t access_size(const struct ear_inst *inst, unsigned vtype)
{
	bool indexed =
		ear_inst_is_vector(inst) && inst->access_size == 0 && inst->kind != EAR_KIND_VECTOR;

	if (!indexed || !(vtype & EAR_VTYPE_KNOWN))
		return ear_inst_record_size(inst);
	return (uint8_t)(1u << (vtype >> 3 & 3));
}

void ear_whisper_entry_fill(struct ear_whisper_entry *entry, uint64_t key, uint32_t opcode,
	unsigned xlen, unsigned frm, unsigned vtype)
{
	const struct ear_inst_mode mode = {.frm = (uint8_t)frm, .vtype = (uint8_t)vtype};
	char text[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	ear_inst_decode(&inst, opcode, xlen);
	*entry = (struct ear_whisper_entry){.key = key,
		.kind = inst.kind,
		.opcode_size = inst.size,
		.access = {.size = access_size(&inst, vtype),
			.write = inst.kind == EAR_KIND_STORE || inst.kind == EAR_KIND_SC ||
				 inst.kind == EAR_KIND_AMO || inst.kind == EAR_KIND_VSTORE},
		.lists = inst.kind == EAR_KIND_ILLEGAL || inst.kind == EAR_KIND_CACHE ||
			 inst.kind == EAR_KIND_VLOAD || inst.kind == EAR_KIND_VSTORE,
		.vector = ear_opcode_uses_vtype(opcode),
		.dynamic = inst.flags & EAR_INST_ROUNDS && inst.rm == 7,
		.returns = inst.id == EAR_INST_MRET || inst.id == EAR_INST_SRET ||
			   inst.id == EAR_INST_MNRET || inst.id == EAR_INST_DRET ||
			   (inst.kind == EAR_KIND_JUMP && inst.flags & EAR_INST_INDIRECT),
		.jump = inst.kind == EAR_KIND_JUMP && !(inst.flags & EAR_INST_INDIRECT),
		.silent_jump = inst.id == EAR_INST_C_JAL,
		.offset = inst.imm};
	if (inst.kind == EAR_KIND_ILLEGAL)
		ear_inst_decode_as_whisper(&inst, opcode, xlen);
	set_sources(entry, text, (size_t)ear_inst_sources(text, sizeof(text), &inst, &mode));
	set_disassembly(entry, text, (size_t)ear_inst_disassemble(text, sizeof(text), &inst));
	for (int taken = 0; taken < 2; taken++) {
		const char *info = ear_inst_info(&inst, taken);
		set_info(entry, taken, info, strlen(info));
	}
}

_Static_assert(EAR_INST_TEXT_SIZE <= EAR_WHISPER_TEXT_SIZE, "a text of the table fits an entry");

/* With or without 0x. */
static bool take_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	if (!ear_text_take_word(cursor, "0x"))
		ear_text_take_word(cursor, "0X");
	return ear_text_hex(cursor, value) > 0;
}

/* A character between two values, and the blanks around it. */
static bool take_sign(struct ear_text_cursor *cursor, char sign)
{
	const struct ear_text_cursor before = *cursor;

	ear_text_skip_blanks(cursor);
	if (!ear_text_take(cursor, sign)) {
		*cursor = before;
		return false;
	}
	ear_text_skip_blanks(cursor);
	return true;
}

/* "ff=" */
static bool take_named(struct ear_text_cursor *cursor, const char *name)
{
	const struct ear_text_cursor before = *cursor;

	if (ear_text_take_word(cursor, name) && take_sign(cursor, '='))
		return true;
	*cursor = before;
	return false;
}

static bool take_number(struct ear_text_cursor *cursor, unsigned max, unsigned *number)
{
	uint64_t value;

	if (!ear_text_decimal(cursor, &value) || value > max)
		return false;
	*number = (unsigned)value;
	return true;
}

static int set_fault(struct ear_whisper_line *line, const char *fault)
{
	line->fault = fault;
	return EAR_E_BAD_FILE;
}

/* The text of a column without the blanks around it; empty if the file lacks the column. */
static struct ear_text_cursor column(const struct ear_text *text)
{
	struct ear_text_cursor cursor = ear_text_cursor(text->text, text->size);

	ear_text_skip_blanks(&cursor);
	while (!ear_text_at_end(&cursor) && ear_text_is_blank(cursor.end[-1]))
		cursor.end--;
	return cursor;
}

static size_t count_items(const struct ear_text_cursor *cursor)
{
	size_t count = 1;

	for (const char *at = cursor->at; at < cursor->end; at++)
		count += *at == ';';
	return count;
}

static int parse_pc(struct ear_whisper_line *line, const struct ear_text *text)
{
	struct ear_text_cursor cursor = column(text);
	struct ear_record *record = &line->record;

	record->flags = 0;
	record->pc_physical = 0;
	if (!take_hex(&cursor, &record->pc))
		return set_fault(line, "the pc is not a hexadecimal number");
	line->wide = record->pc;
	if (take_sign(&cursor, ':')) {
		if (!take_hex(&cursor, &record->pc_physical))
			return set_fault(line, "the physical pc is not a hexadecimal number");
		record->flags = EAR_RECORD_PC_PHYSICAL;
	}
	return ear_text_at_end(&cursor) ? 0
					: set_fault(line, "something follows the pc in its column");
}

static int parse_inst(struct ear_whisper_line *line, const struct ear_text *text)
{
	struct ear_text_cursor cursor = column(text);
	struct ear_record *record = &line->record;

	record->opcode = 0;
	if (ear_text_at_end(&cursor))
		record->flags |= EAR_RECORD_NO_OPCODE;
	else if (!take_hex(&cursor, &record->opcode) || !ear_text_at_end(&cursor))
		return set_fault(line, "the opcode is not a hexadecimal number");
	return record->opcode >> 32 == 0 ? 0 : set_fault(line, "the opcode is too long");
}

/* The value of a vector register is written with the highest byte first. */
static int take_vector(struct ear_whisper_line *line, struct ear_record_register *reg,
	struct ear_text_cursor *cursor, uint8_t **bytes)
{
	uint8_t *to = *bytes;
	const char *begin = cursor->at;
	size_t size;

	while (!ear_text_at_end(cursor) && ear_hex_digit(*cursor->at) >= 0)
		cursor->at++;
	size = (size_t)(cursor->at - begin);
	if (size == 0 || size % 2 != 0)
		return set_fault(line, "the value of a vector register does not have whole bytes");
	reg->value = 0;
	reg->text_size = (uint32_t)(size / 2);
	reg->text.bytes = to;
	for (size_t i = 0; i < size / 2; i++)
		to[i] = (uint8_t)(ear_hex_digit(cursor->at[-2 - 2 * (ptrdiff_t)i]) << 4 |
				  ear_hex_digit(cursor->at[-1 - 2 * (ptrdiff_t)i]));
	*bytes = to + size / 2;
	return 0;
}

/* A register that there is not, with its value. */
static int pass_word(struct ear_whisper_line *line, struct ear_text_cursor *cursor)
{
	const struct ear_text word = ear_text_until(cursor, ';');

	if (line->word.size == 0)
		line->word = word;
	return 0;
}

static int take_register(
	struct ear_whisper_line *line, struct ear_text_cursor *cursor, uint8_t **bytes)
{
	const struct ear_text_cursor begin = *cursor;
	struct ear_record *record = &line->record;
	struct ear_record_register *reg = &line->registers[record->register_count];
	unsigned number, max = 31;

	switch (ear_text_at_end(cursor) ? '\0' : *cursor->at++) {
	case 'x': reg->reg_class = EAR_REGISTER_X; break;
	case 'f': reg->reg_class = EAR_REGISTER_F; break;
	case 'v': reg->reg_class = EAR_REGISTER_V; break;
	case 'c':
		reg->reg_class = EAR_REGISTER_CSR;
		max = 4095;
		break;
	default: *cursor = begin; return pass_word(line, cursor);
	}
	if (!take_number(cursor, max, &number)) {
		*cursor = begin;
		return pass_word(line, cursor);
	}
	if (!take_sign(cursor, '='))
		return set_fault(line, "a modified register has no value");
	reg->size = 0;
	reg->number = (uint16_t)number;
	reg->text_size = 0;
	if (reg->reg_class == EAR_REGISTER_V) {
		record->register_count++;
		return take_vector(line, reg, cursor, bytes);
	}
	if (!take_hex(cursor, &reg->value))
		return set_fault(line, "the value of a register is not a hexadecimal number");
	if (reg->reg_class != EAR_REGISTER_F)
		line->wide |= reg->value;
	/* x0 never changes. */
	record->register_count += reg->reg_class != EAR_REGISTER_X || number != 0;
	return 0;
}

static int parse_registers(
	struct ear_whisper_line *line, const struct ear_text *text, bool *jumped, uint64_t *target)
{
	struct ear_text_cursor cursor = column(text);
	struct ear_record *record = &line->record;
	size_t count = count_items(&cursor);
	uint8_t *bytes;

	*jumped = false;
	*target = 0;
	record->fflags = 0;
	record->register_count = 0;
	if (count > REGISTER_MAX)
		return set_fault(line, "there are too many modified registers");
	if (make_room(
		    &line->registers, &line->register_capacity, count, sizeof(*line->registers)) ||
		make_room(&line->bytes, &line->byte_capacity, text->size / 2 + 1, 1))
		return EAR_E_NO_MEMORY;
	record->registers = line->registers;
	bytes = line->bytes;
	if (ear_text_at_end(&cursor))
		return 0;

	do {
		uint64_t value;
		if (take_named(&cursor, "ff")) {
			if (!take_hex(&cursor, &value) || value > 0x1F)
				return set_fault(line, "ff is not a set of floating-point flags");
			record->fflags = (uint8_t)value;
		} else if (take_named(&cursor, "pc")) {
			if (!take_hex(&cursor, target))
				return set_fault(line, "the target is not a hexadecimal number");
			line->wide |= *target;
			*jumped = true;
		} else {
			int result = take_register(line, &cursor, &bytes);
			if (result)
				return result;
		}
	} while (take_sign(&cursor, ';'));
	return ear_text_at_end(&cursor)
		       ? 0
		       : set_fault(line,
				 "a modified register is followed by an unexpected character");
}

/* The rounding mode in force shows in the source operands of an instruction that uses it. */
static unsigned find_frm(const struct ear_whisper_line *line, const struct ear_whisper_hart *hart,
	const struct ear_text *sources)
{
	const struct ear_record *record = &line->record;
	struct ear_inst inst;
	struct ear_text_cursor cursor = column(sources);
	char mode = '\0';

	while (!ear_text_at_end(&cursor) && !take_named(&cursor, "rm"))
		cursor.at++;
	if (cursor.end - cursor.at == 1)
		mode = *cursor.at;
	if (mode < '0' || mode > '7')
		return hart->frm;
	ear_inst_decode(&inst, (uint32_t)record->opcode, line->xlen);
	return inst.flags & EAR_INST_ROUNDS && inst.rm == 7 ? (unsigned)(mode - '0') : hart->frm;
}

static void follow_csrs(const struct ear_record *record, struct ear_whisper_hart *hart)
{
	hart->frm = record->frm;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_FRM)
			hart->frm = reg->value & 7;
		if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_FCSR)
			hart->frm = reg->value >> 5 & 7;
		if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_VTYPE)
			hart->vtype = ear_vtype_pack(reg->value, record->xlen);
	}
}

static void add_access(struct ear_whisper_line *line, const struct ear_record_access *access)
{
	line->memory[line->record.memory_count++] = *access;
}

static int take_access(struct ear_whisper_line *line, struct ear_text_cursor *cursor,
	const struct ear_whisper_entry *entry, const struct ear_text *info, bool done)
{
	struct ear_record_access access = entry->access;

	if (!take_hex(cursor, &access.address))
		return set_fault(line, "a data address is not a hexadecimal number");
	if (!entry->vector) /* Whisper adds an index in 64 bits, also on RV32 */
		line->wide |= access.address;
	if (take_sign(cursor, ':')) {
		access.has_physical = true;
		if (!take_hex(cursor, &access.physical))
			return set_fault(
				line, "a physical data address is not a hexadecimal number");
	}
	access.masked = ear_text_take(cursor, 'm');
	access.write |= entry->kind == EAR_KIND_ILLEGAL && info->size == 1 && *info->text == 's';
	if (take_sign(cursor, '=')) {
		if (!take_hex(cursor, &access.value))
			return set_fault(line, "a stored value is not a hexadecimal number");
		access.has_value = true;
		access.write = true;
	}
	/* One entry stands for both accesses of an AMO, unless it trapped or may store nothing. */
	done &= !ear_opcode_compares(line->record.opcode);
	if (entry->kind == EAR_KIND_AMO && (access.has_value || done)) {
		struct ear_record_access read = access;
		read.write = false;
		read.has_value = false;
		read.value = 0;
		add_access(line, &read);
	}
	if (entry->kind == EAR_KIND_CACHE && access.has_value)
		access.size = (uint8_t)(line->xlen / 8);
	add_access(line, &access);
	return 0;
}

static int parse_memory(struct ear_whisper_line *line, const struct ear_text *text,
	const struct ear_whisper_entry *entry, const struct ear_text *info, bool done)
{
	struct ear_text_cursor cursor = column(text);
	size_t count = count_items(&cursor);

	line->record.memory_count = 0;
	if (ear_text_at_end(&cursor))
		return 0;
	if (count > MEMORY_MAX)
		return set_fault(line, "there are too many accesses");
	if (make_room(&line->memory, &line->memory_capacity, 2 * count, sizeof(*line->memory)))
		return EAR_E_NO_MEMORY;
	line->record.memory = line->memory;
	do {
		int result = take_access(line, &cursor, entry, info, done);
		if (result)
			return result;
	} while (take_sign(&cursor, ';'));
	return ear_text_at_end(&cursor)
		       ? 0
		       : set_fault(line, "an access is followed by an unexpected character");
}

static int parse_privilege(struct ear_whisper_line *line, const struct ear_text *text)
{
	struct ear_text_cursor cursor = column(text);
	struct ear_record *record = &line->record;
	uint8_t letter;
	bool virtualised;

	record->privilege = EAR_PRIVILEGE_RESERVED;
	if (ear_text_at_end(&cursor)) {
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
		return 0;
	}
	virtualised = ear_text_take(&cursor, 'v');
	letter = ear_text_at_end(&cursor) ? 0 : ear_whisper_privileges[(unsigned char)*cursor.at++];
	if (letter == 0 || !ear_text_at_end(&cursor) ||
		(virtualised && letter > EAR_PRIVILEGE_S + 1))
		return set_fault(line, "the privilege is unknown");
	record->privilege = (uint8_t)(letter - 1 + (virtualised ? EAR_PRIVILEGE_VU : 0));
	return 0;
}

_Static_assert(EAR_PRIVILEGE_U == 0 && EAR_PRIVILEGE_S == 1 &&
		       EAR_PRIVILEGE_VS == EAR_PRIVILEGE_VU + EAR_PRIVILEGE_S,
	"the virtual privileges follow in the order of the others");

static int parse_trap(
	struct ear_whisper_line *line, const struct ear_text *text, bool *trapped, uint64_t *cause)
{
	struct ear_text_cursor cursor = column(text);

	*cause = 0;
	*trapped = !ear_text_at_end(&cursor);
	if (!*trapped)
		return 0;
	if (ear_text_take(&cursor, '?')) { /* our own: the cause is unknown */
		line->record.flags |= EAR_RECORD_NO_CAUSE;
		*cause = ear_text_take(&cursor, 'i') ? UINT64_C(1) << (line->xlen - 1) : 0;
		return ear_text_at_end(&cursor) ? 0
						: set_fault(line, "the trap cause is malformed");
	}
	if (!take_hex(&cursor, cause) || !ear_text_at_end(&cursor))
		return set_fault(line, "the trap cause is not a hexadecimal number");
	line->wide |= *cause;
	return 0;
}

static int parse_hart(struct ear_whisper_line *line, const struct ear_text *text)
{
	struct ear_text_cursor cursor = column(text);
	uint64_t hart = 0;

	if (text->text && (!take_hex(&cursor, &hart) || !ear_text_at_end(&cursor) ||
				  hart >= EAR_WHISPER_HARTS))
		return set_fault(line, "the hart is not a number up to ffff");
	line->record.hart = (uint16_t)hart;
	return 0;
}

/* The steps of all walks of a column. The walks' pointers are set when all are known. */
static int take_walk(struct ear_whisper_line *line, struct ear_text_cursor *cursor, bool data,
	bool bare, size_t *step_count)
{
	struct ear_walk *walk = &line->walks[line->extra.walk_count];
	uint64_t address;

	*walk = (struct ear_walk){.data = data};
	if (!take_hex(cursor, &walk->start) || !take_sign(cursor, ';'))
		return set_fault(line, "a page walk has no start");
	for (;;) {
		struct ear_walk_step *step = &line->steps[*step_count];
		if (!take_hex(cursor, &address))
			return set_fault(
				line, "an address of a page walk is not a hexadecimal number");
		*step = (struct ear_walk_step){.address = address};
		if (take_sign(cursor, '=')) {
			if (!take_hex(cursor, &step->entry))
				return set_fault(
					line, "a page-table entry is not a hexadecimal number");
			step->has_entry = true;
		} else if (!bare || ear_text_at_end(cursor)) {
			walk->result = address;
			line->extra.walk_count++;
			return 0;
		}
		if (!take_sign(cursor, ';'))
			return set_fault(line, "a page walk has no result");
		walk->step_count++;
		++*step_count;
		if (take_named(cursor, "ma")) {
			uint64_t attributes;
			if (!take_hex(cursor, &attributes) || attributes > UINT32_MAX ||
				!take_sign(cursor, ';'))
				return set_fault(line, "memory attributes of a page walk are bad");
			step->attributes = (uint32_t)attributes;
			step->has_attributes = true;
		}
	}
}

static int parse_walks(struct ear_whisper_line *line, const struct ear_text columns[2])
{
	size_t step_count = 0, item_count = 0;
	struct ear_walk_step *step;

	line->extra.walk_count = 0;
	for (int data = 0; data < 2; data++) {
		struct ear_text_cursor cursor = column(&columns[data]);
		item_count += ear_text_at_end(&cursor) ? 0 : count_items(&cursor);
	}
	if (item_count == 0)
		return 0;
	if (item_count > STEP_MAX)
		return set_fault(line, "the page walks are too long");
	if (make_room(&line->steps, &line->step_capacity, item_count, sizeof(*line->steps)) ||
		make_room(&line->walks, &line->walk_capacity, item_count, sizeof(*line->walks)))
		return EAR_E_NO_MEMORY;
	for (int data = 0; data < 2; data++) {
		struct ear_text_cursor cursor = column(&columns[data]);
		/* Old simulators gave addresses only, of one walk. */
		bool bare = !ear_text_at_end(&cursor) &&
			    !memchr(cursor.at, '=', (size_t)(cursor.end - cursor.at));
		while (!ear_text_at_end(&cursor)) {
			int result = take_walk(line, &cursor, data, bare, &step_count);
			if (result)
				return result;
			if (!ear_text_at_end(&cursor) && !take_sign(&cursor, ';'))
				return set_fault(
					line, "a page walk is followed by an unexpected character");
		}
	}
	step = line->steps;
	for (size_t i = 0; i < line->extra.walk_count; i++) {
		line->walks[i].steps = step;
		step += line->walks[i].step_count;
	}
	line->extra.walks = line->walks;
	return 0;
}

static bool same(const struct ear_text *text, const char *other, size_t size)
{
	return text->size == size && memcmp(text->text, other, size) == 0;
}

/* The same but for blanks around the operands. */
static bool same_operands(const struct ear_text *text, const char *other, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < text->size; i++) {
		if (ear_text_is_blank(text->text[i]))
			continue;
		if (at == size || text->text[i] != other[at++])
			return false;
	}
	return at == size;
}

static bool same_spelled(const struct ear_text *text, const char *other, size_t size)
{
	for (size_t i = 0; i < size && i < text->size; i++)
		if (text->text[i] != (other[i] == ',' ? ';' : other[i]))
			return false;
	return text->size == size;
}

static void compare_sources(struct ear_whisper_line *line, struct ear_whisper_entry *entry,
	const struct ear_inst *inst, const struct ear_text *text)
{
	char expected[EAR_INST_TEXT_SIZE];
	const struct ear_inst_mode mode = ear_whisper_mode(&line->record);
	const struct ear_text table = {
		expected, (size_t)ear_inst_sources(expected, sizeof(expected), inst, &mode)};
	bool differ = !same_operands(text, table.text, table.size);
	const struct ear_text kept = differ ? *text : table;

	if (differ)
		line->extra.sources = *text;
	if (mode.trapped || mode.unexecuted)
		return;
	entry->differ_sources = differ;
	if (kept.size <= EAR_WHISPER_TEXT_SIZE)
		set_sources(entry, kept.text, kept.size);
}

/* A mnemonic alone ends with blanks, which the column has, and columns may have blanks around them.
 */
static int compare_disassembly(struct ear_whisper_line *line, struct ear_whisper_entry *entry,
	const struct ear_inst *inst, struct ear_text text)
{
	char expected[EAR_INST_TEXT_SIZE];
	struct ear_text table = {
		expected, (size_t)ear_inst_disassemble(expected, sizeof(expected), inst)};
	const struct ear_text_cursor bare = column(&text);
	const struct ear_text words = {bare.at, (size_t)(bare.end - bare.at)};
	bool spaced = words.text != text.text;

	entry->differ_disassembly = !same_spelled(&text, table.text, table.size);
	if (entry->differ_disassembly && (spaced || text.size > table.size)) {
		size_t size = table.size;
		while (size > 0 && ear_text_is_blank(expected[size - 1]))
			size--;
		entry->differ_disassembly = !same_spelled(&words, table.text, size);
		bool trimmed = spaced || memchr(words.text, ' ', words.size);
		if (!entry->differ_disassembly)
			text = table;
		else if (trimmed)
			text = words;
	}
	if (text.size <= EAR_WHISPER_TEXT_SIZE)
		set_disassembly(entry, text.text, text.size);
	if (!entry->differ_disassembly)
		return 0;
	if (make_room(&line->spelled, &line->spelled_capacity, text.size, 1))
		return EAR_E_NO_MEMORY;
	replace(line->spelled, text.text, text.size, ';', ',');
	line->extra.disassembly = (struct ear_text){line->spelled, text.size};
	return 0;
}

static void compare_info(struct ear_whisper_line *line, struct ear_whisper_entry *entry,
	const struct ear_inst *inst, const struct ear_text *text)
{
	bool taken = line->record.flags & EAR_RECORD_TAKEN;
	const char *expected = ear_inst_info(inst, taken);

	if (inst->kind == EAR_KIND_BRANCH && text->size == 0)
		return; /* our own: nobody knows whether it was taken */
	entry->differ_info[taken] = !same(text, expected, strlen(expected));
	if (text->size < sizeof(entry->info[0]))
		set_info(entry, taken, text->text, text->size);
	if (entry->differ_info[taken])
		line->extra.info = *text;
}

/* The texts are those that the opcode had before. */
static bool take_known_texts(struct ear_whisper_line *line, const struct ear_whisper_entry *entry,
	const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT])
{
	const struct ear_text *sources = &columns[EAR_WHISPER_SOURCES],
			      *info = &columns[EAR_WHISPER_INFO],
			      *disassembly = &columns[EAR_WHISPER_DISASSEMBLY];
	const struct ear_inst_mode mode = ear_whisper_mode(&line->record);
	bool taken = line->record.flags & EAR_RECORD_TAKEN;

	if (mode.trapped || mode.unexecuted || !sources->text || !info->text || !disassembly->text)
		return false;
	if (!same(sources, entry->sources, entry->sources_size) ||
		!same(info, entry->info[taken], entry->info_size[taken]) ||
		!same(disassembly, entry->disassembly, entry->disassembly_size))
		return false;
	if (entry->differ_sources)
		line->extra.sources = *sources;
	if (entry->differ_info[taken])
		line->extra.info = *info;
	if (entry->differ_disassembly)
		line->extra.disassembly =
			(struct ear_text){entry->spelled, entry->disassembly_size};
	return true;
}

/* Without an opcode nothing is expected. */
static int keep_texts(
	struct ear_whisper_line *line, const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT])
{
	const struct ear_text *text = &columns[EAR_WHISPER_DISASSEMBLY];

	if (columns[EAR_WHISPER_SOURCES].size > 0)
		line->extra.sources = columns[EAR_WHISPER_SOURCES];
	if (text->size == 0)
		return 0;
	if (make_room(&line->spelled, &line->spelled_capacity, text->size, 1))
		return EAR_E_NO_MEMORY;
	replace(line->spelled, text->text, text->size, ';', ',');
	line->extra.disassembly = (struct ear_text){line->spelled, text->size};
	return 0;
}

/* A column that the file lacks is not different. */
static int compare_texts(struct ear_whisper_line *line, struct ear_whisper_entry *entry,
	const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT])
{
	struct ear_inst inst;

	if (line->record.flags & EAR_RECORD_NO_OPCODE)
		return keep_texts(line, columns);
	if (take_known_texts(line, entry, columns))
		return 0;
	ear_inst_decode_as_whisper(&inst, (uint32_t)line->record.opcode, line->xlen);
	if (columns[EAR_WHISPER_SOURCES].text)
		compare_sources(line, entry, &inst, &columns[EAR_WHISPER_SOURCES]);
	if (columns[EAR_WHISPER_INFO].text)
		compare_info(line, entry, &inst, &columns[EAR_WHISPER_INFO]);
	if (columns[EAR_WHISPER_DISASSEMBLY].text)
		return compare_disassembly(line, entry, &inst, columns[EAR_WHISPER_DISASSEMBLY]);
	return 0;
}

int ear_whisper_line_parse(
	struct ear_whisper_line *line, const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT])
{
	struct ear_record *record = &line->record;
	struct ear_whisper_entry *entry;
	struct ear_whisper_hart *hart;
	uint64_t target, cause;
	bool jumped, trapped;
	int result;

	record->kind = EAR_RECORD_INSTRUCTION;
	record->xlen = (uint8_t)line->xlen;
	line->has_extra = true;
	line->word.size = 0;
	line->extra.sources = line->extra.info = line->extra.disassembly =
		(struct ear_text){NULL, 0};
	if ((result = parse_pc(line, &columns[EAR_WHISPER_PC])) ||
		(result = parse_inst(line, &columns[EAR_WHISPER_INST])) ||
		(result = parse_registers(
			 line, &columns[EAR_WHISPER_REGISTERS], &jumped, &target)) ||
		(result = parse_privilege(line, &columns[EAR_WHISPER_PRIVILEGE])) ||
		(result = parse_trap(line, &columns[EAR_WHISPER_TRAP], &trapped, &cause)) ||
		(result = parse_hart(line, &columns[EAR_WHISPER_HART])) ||
		(result = parse_walks(line, &columns[EAR_WHISPER_FETCH_WALK])))
		return result;

	hart = &line->harts[record->hart];
	if (record->hart >= line->hart_end)
		line->hart_end = record->hart + 1u;
	record->frm = (uint8_t)find_frm(line, hart, &columns[EAR_WHISPER_SOURCES]);
	record->vtype = ear_opcode_uses_vtype((uint32_t)record->opcode) ? hart->vtype : 0;
	entry = ear_whisper_entry_find(
		line, (uint32_t)record->opcode, line->xlen, record->frm, record->vtype);
	record->opcode_size = entry->opcode_size;
	result = parse_memory(
		line, &columns[EAR_WHISPER_MEMORY], entry, &columns[EAR_WHISPER_INFO], !trapped);
	if (result)
		return result;
	ear_whisper_line_flow(line, entry, jumped, target, trapped, cause);
	if (record->flags & EAR_RECORD_NO_CAUSE)
		record->cause = 0;
	const struct ear_text *info = &columns[EAR_WHISPER_INFO];
	bool open = entry->kind == EAR_KIND_BRANCH && info->text && info->size == 0;
	if (!jumped && !trapped && (open || record->flags & EAR_RECORD_NO_OPCODE)) {
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	}
	result = compare_texts(line, entry, columns);
	if (result)
		return result;
	follow_csrs(record, hart);
	return 0;
}
