/* Registers, memory and the stack after the record of the cursor, and what of them the record
 * wrote. What is not known is "?", as in the answers of the other commands.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/commands/browse/browse.h"
#include "cli/commands/show/show_records.h"

/* ---- Words. ---- */

static void gap_text(const struct ear_gap *gap, char *text, size_t size)
{
	int length = snprintf(text, size, "gap: %s", ear_gap_reason_text(gap->reason));

	if (length < 0 || (size_t)length >= size)
		return;
	if (gap->count_known)
		snprintf(text + length, size - (size_t)length, ", %" PRIu64 " record%s missing",
			gap->count, gap->count == 1 ? "" : "s");
	else
		snprintf(text + length, size - (size_t)length, ", records are missing");
}

static void trap_text(const struct ear_record *record, char *text, size_t size)
{
	const bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	uint64_t cause = record->cause & (UINT64_MAX >> 1);
	const char *name = NULL;

	if (record->xlen == 32)
		cause &= INT32_MAX;
	if (record->isa == EAR_ISA_RISCV && !(record->flags & EAR_RECORD_NO_CAUSE))
		name = show_trap_name(interrupt, cause);
	if (record->flags & EAR_RECORD_NO_CAUSE)
		snprintf(text, size, "%s", interrupt ? "interrupt" : "trap");
	else
		snprintf(text, size, "%s: %s (cause %" PRIu64 ")", interrupt ? "interrupt" : "trap",
			name ? name : "of a cause without a name", cause);
}

static void event_text(const struct ear_event *event, char *text, size_t size)
{
	char name[200];

	ear_event_name(event, name, sizeof(name));
	snprintf(text, size, "event %s value 0x%" PRIx32, name, event->value);
}

/* Registers by the names that programs have for them, as everywhere else on the screen: "a5" for
 * "x15"; and single blanks. */
static void use_names(char *text, size_t size)
{
	char made[512], name[16];
	size_t length = 0;

	for (const char *at = text; *at && length + sizeof(name) < sizeof(made);) {
		const bool begins = at == text || strchr(" ,(", at[-1]) != NULL;
		if (at[0] == ' ' && (length == 0 || made[length - 1] == ' ')) {
			at++;
			continue;
		}
		if (begins && at[0] == 'x' && at[1] >= '0' && at[1] <= '9') {
			const size_t digits = strspn(at + 1, "0123456789");
			const unsigned number = digits == 1 ? (unsigned)(at[1] - '0')
							    : (unsigned)(at[1] - '0') * 10 +
								      (unsigned)(at[2] - '0');
			const char after = at[1 + digits];
			if (digits <= 2 && number < 32 && (after == '\0' || strchr(",) ", after))) {
				ear_register_name(EAR_REGISTER_X, number, name, sizeof(name));
				length += (size_t)snprintf(
					made + length, sizeof(made) - length, "%s", name);
				at += 1 + digits;
				continue;
			}
		}
		made[length++] = *at++;
	}
	made[length] = '\0';
	snprintf(text, size, "%s", made);
}

void browse_instruction_text(
	struct browse_model *model, const struct ear_record *record, char *text, size_t size)
{
	ear_instruction_text(model->instructions, record, text, size);
	if (record->isa == EAR_ISA_RISCV)
		use_names(text, size);
}

void browse_record_text(
	struct browse_model *model, const struct ear_record *record, char *text, size_t size)
{
	char trap[128];

	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION:
		browse_instruction_text(model, record, text, size);
		if (!(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)))
			return;
		trap_text(record, trap, sizeof(trap));
		if (record->flags & EAR_RECORD_INTERRUPT)
			snprintf(text, size, "%s", trap);
		else
			snprintf(text + strlen(text), size - strlen(text), "  %s", trap);
		return;
	case EAR_RECORD_GAP: gap_text(&record->u.gap, text, size); return;
	case EAR_RECORD_EVENT: event_text(&record->u.event, text, size); return;
	case EAR_RECORD_NOTE:
		snprintf(text, size, "note: %.*s",
			(int)(record->u.note.text.size < 300 ? record->u.note.text.size : 300),
			record->u.note.text.text ? record->u.note.text.text : "");
		return;
	case EAR_RECORD_MEMORY:
		snprintf(text, size, "%s 0x%" PRIx64 " without an instruction",
			record->memory_count > 0 && record->memory[0].write ? "write" : "access",
			record->memory_count > 0 ? record->memory[0].address : 0);
		return;
	case EAR_RECORD_IDLE: snprintf(text, size, "bus cycle without an access"); return;
	default: snprintf(text, size, "registers change without an instruction"); return;
	}
}

void browse_place_text(struct browse_model *model, uint64_t pc, char *text, size_t size)
{
	char name[160] = "", line[160] = "";

	text[0] = '\0';
	if (!model->names)
		return;
	ear_names_text(model->names, pc, name, sizeof(name));
	ear_names_line_text(model->names, pc, line, sizeof(line));
	snprintf(text, size, "%s%s%s", name, name[0] && line[0] ? "  " : "", line);
}

void browse_add_target(
	struct browse_model *model, uint64_t pc, unsigned xlen, char *text, size_t size)
{
	const char *at = strstr(text, ". + 0x");
	const bool forward = at;
	char name[160] = "";

	if (!at)
		at = strstr(text, ". - 0x");
	if (!at || !model->names)
		return;
	const uint64_t distance = strtoull(at + 6, NULL, 16);
	uint64_t target = forward ? pc + distance : pc - distance;
	if (xlen == 32)
		target = (uint32_t)target;
	ear_names_text(model->names, target, name, sizeof(name));
	const size_t used = strlen(text);
	if (name[0])
		snprintf(text + used, size - used, " <%s>", name);
}

/* ---- What a record reads and writes. ---- */

static size_t add_item(struct browse_item *items, size_t count, const struct browse_item *item)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].is_memory == item->is_memory &&
			items[i].is_written == item->is_written &&
			items[i].reg_class == item->reg_class && items[i].number == item->number &&
			items[i].address == item->address)
			return count;
	if (count < BROWSE_ITEMS_MAX)
		items[count++] = *item;
	return count;
}

static size_t add_accesses(
	const struct ear_record *record, bool write, struct browse_item *items, size_t count)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].write == write)
			count = add_item(items, count,
				&(struct browse_item){.is_memory = true,
					.is_written = write,
					.address = record->memory[i].address,
					.size = record->memory[i].size ? record->memory[i].size
								       : 1});
	return count;
}

static size_t add_operands(struct browse_model *model, const struct ear_record *record,
	struct browse_item *items, size_t count)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	if (record->kind != EAR_RECORD_INSTRUCTION ||
		ear_instruction_of(model->instructions, &instruction, record) != 0 ||
		instruction.instruction_class == EAR_CLASS_ILLEGAL)
		return count;
	for (size_t i = 0; i < instruction.operand_count; i++) {
		const struct ear_instruction_operand *operand = &instruction.operands[i];
		if (operand->is_immediate || !(operand->access & EAR_OPERAND_IS_READ) ||
			operand->reg_class > EAR_REGISTER_CSR ||
			(operand->reg_class == EAR_REGISTER_X && operand->number == 0))
			continue;
		count = add_item(items, count,
			&(struct browse_item){
				.reg_class = operand->reg_class, .number = operand->number});
	}
	return count;
}

/* What it reads, memory first, and then what it writes: who asks where a value came from asks for
 * what went in. */
size_t browse_items(struct browse *browse, struct browse_item items[BROWSE_ITEMS_MAX])
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);

	if (!record || record->kind == EAR_RECORD_GAP)
		return 0;
	size_t count = add_accesses(record, false, items, 0);
	count = add_operands(model, record, items, count);
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class <= EAR_REGISTER_CSR)
			count = add_item(items, count,
				&(struct browse_item){.is_written = true,
					.reg_class = record->registers[i].reg_class,
					.number = record->registers[i].number});
	return add_accesses(record, true, items, count);
}

void browse_item_text(const struct browse_item *item, char *text, size_t size)
{
	char name[32];

	if (item->is_memory) {
		snprintf(text, size, "[0x%" PRIx64 "] %" PRIu64 " byte%s", item->address,
			item->size, item->size == 1 ? "" : "s");
		return;
	}
	ear_register_name(
		(enum ear_register_class)item->reg_class, item->number, name, sizeof(name));
	snprintf(text, size, "%s", name);
}

bool browse_selected(struct browse *browse, struct browse_item *item)
{
	struct browse_item items[BROWSE_ITEMS_MAX];
	enum ear_register_class reg_class;
	unsigned number;

	if (browse->focus == BROWSE_PANE_REGISTERS && !browse->pair) {
		if (!browse_register_row(browse->registers_at, &reg_class, &number))
			return false;
		*item = (struct browse_item){
			.reg_class = (uint8_t)reg_class, .number = (uint16_t)number};
		return true;
	}
	if (browse->focus == BROWSE_PANE_MEMORY) {
		*item = (struct browse_item){
			.is_memory = true, .address = browse->memory_at, .size = 1};
		return browse->has_memory;
	}
	if (browse->focus != BROWSE_PANE_RECORDS)
		return false;
	const size_t count = browse_items(browse, items);
	if (count == 0)
		return false;
	*item = items[browse->item % count];
	return true;
}

/* ---- Registers. ---- */

/* Arguments and saved registers first: those that a program is about. */
static const uint8_t order[] = {1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 8, 9, 18, 19, 20, 21, 22, 23,
	24, 25, 26, 27, 5, 6, 7, 28, 29, 30, 31, 3, 4};
static const uint16_t csrs[] = {0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x344, 0x100,
	0x104, 0x105, 0x140, 0x141, 0x142, 0x143, 0x144, 0x180, 0x001, 0x002, 0x003};

#define X_COUNT   ((int)sizeof(order))
#define CSR_COUNT ((int)(sizeof(csrs) / sizeof(csrs[0])))

bool browse_register_row(int row, enum ear_register_class *reg_class, unsigned *number)
{
	if (row < 0)
		return false;
	if (row < X_COUNT) {
		*reg_class = EAR_REGISTER_X;
		*number = order[row];
		return true;
	}
	row -= X_COUNT;
	if (row < CSR_COUNT) {
		*reg_class = EAR_REGISTER_CSR;
		*number = csrs[row];
		return true;
	}
	row -= CSR_COUNT;
	*reg_class = EAR_REGISTER_F;
	*number = (unsigned)row;
	return row < 32;
}

static unsigned xlen_of(struct browse_model *model)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *record = browse_model_record(model, model->cursor);

	if (record && record->kind == EAR_RECORD_INSTRUCTION && record->xlen)
		return record->xlen;
	return ear_trace_facts(model->trace, &facts) == 0 && facts.xlen ? facts.xlen : 32;
}

static int cell_width(const struct browse *browse)
{
	return xlen_of(browse_here((struct browse *)browse)) == 64 ? 24 : 16;
}

/* A CSR has a longer name: its value is without zeros in front, and where both do not fit the name
 * ends with "~". */
static void put_csr(struct browse_line *line, enum browse_style name_style,
	enum browse_style value_style, const char *name, const char *value, int width)
{
	const int room = width - 2 - (int)strlen(value);
	const bool cut = (int)strlen(name) > room;

	browse_print(line, name_style, "%.*s%s", cut ? room - 1 : (int)strlen(name), name,
		cut ? "~" : "");
	browse_print(line, BROWSE_PLAIN, "%*s", room + 1 - (cut ? room : (int)strlen(name)), "");
	browse_put(line, value_style, value);
}

int browse_register_columns(const struct browse *browse)
{
	const int columns = browse->areas[BROWSE_PANE_REGISTERS].columns;
	const int count = columns / cell_width(browse);

	return count > 0 ? count : 1;
}

static bool record_wrote(
	const struct ear_record *record, enum ear_register_class reg_class, unsigned number)
{
	for (size_t i = 0; record && i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return true;
	return false;
}

/* Registers of other instruction sets have names, and are known where they were written. */
static void draw_named(struct browse *browse, const struct browse_area *area)
{
	struct browse_model *model = browse_here(browse);
	struct {
		char name[24];
		uint64_t value;
	} seen[64];
	size_t count = 0;
	uint64_t at = model->cursor + 1;

	for (int left = 4000; left > 0 && at > 0 && count < 64; left--) {
		const struct ear_record *record = browse_model_record(model, --at);
		for (size_t i = 0; record && i < record->register_count && count < 64; i++) {
			const struct ear_record_register *reg = &record->registers[i];
			char name[24];
			size_t j = 0;
			if (reg->reg_class != EAR_REGISTER_NAMED || reg->unknown)
				continue;
			snprintf(name, sizeof(name), "%.*s",
				(int)(reg->text_size < 20 ? reg->text_size : 20), reg->text.name);
			while (j < count && strcmp(seen[j].name, name) != 0)
				j++;
			if (j < count)
				continue;
			memcpy(seen[count].name, name, sizeof(name));
			seen[count++].value = reg->value;
		}
	}
	browse_heading(browse, BROWSE_PANE_REGISTERS, "registers, as last written");
	for (int i = 0; i < area->rows - 1 && (size_t)i < count; i++) {
		struct browse_line line = browse_area_line(area, i);
		browse_print(&line, BROWSE_PLAIN, "%-8s 0x%" PRIx64, seen[i].name, seen[i].value);
	}
}

static void put_cell(struct browse *browse, struct browse_line *line, int row, int width)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	enum ear_register_class reg_class;
	unsigned number;
	uint64_t value;
	char name[32], text[32];

	if (!record || !browse_register_row(row, &reg_class, &number))
		return;
	const bool is_wide = cell_width(browse) == 24;
	const bool wrote = record_wrote(record, reg_class, number);
	const bool selected = browse->focus == BROWSE_PANE_REGISTERS && row == browse->registers_at;
	const uint16_t hart = record->hart;
	const int begin = line->used;

	ear_register_name(reg_class, number, name, sizeof(name));
	const bool known = ear_history_register(model->history, hart, reg_class, number, &value);
	const enum browse_style name_style = selected ? BROWSE_SELECTED : BROWSE_DIM;
	const enum browse_style style = !known ? BROWSE_DIM : wrote ? BROWSE_CHANGED : BROWSE_PLAIN;
	if (known && reg_class == EAR_REGISTER_X)
		snprintf(text, sizeof(text), is_wide ? "%016" PRIx64 : "%08" PRIx64, value);
	else if (known)
		snprintf(text, sizeof(text), "%" PRIx64, value);
	else
		snprintf(text, sizeof(text), "?");
	if (reg_class == EAR_REGISTER_X) {
		browse_print(line, name_style, "%-*s", is_wide ? 6 : 5, name);
		browse_put(line, style, text);
	} else {
		put_csr(line, name_style, style, name, text, width);
	}
	browse_pad(line, begin + width);
}

void browse_draw_registers(struct browse *browse, const struct browse_area *area)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const int columns = browse_register_columns(browse), width = area->columns / columns;
	char title[64];

	if (area->rows == 0)
		return;
	if (record && record->kind == EAR_RECORD_INSTRUCTION && record->isa != EAR_ISA_RISCV) {
		draw_named(browse, area);
		return;
	}
	snprintf(title, sizeof(title),
		record && record->hart ? "registers of hart %u" : "registers",
		record ? record->hart : 0u);
	browse_heading(browse, BROWSE_PANE_REGISTERS, title);
	const int visible = (area->rows - 1) * columns;
	if (browse->registers_at < browse->registers_top)
		browse->registers_top = browse->registers_at / columns * columns;
	if (browse->registers_at >= browse->registers_top + visible)
		browse->registers_top = (browse->registers_at / columns + 1) * columns - visible;
	browse->registers_top = browse->registers_top / columns * columns;
	for (int i = 0; i < area->rows - 1 && record; i++) {
		struct browse_line line = browse_area_line(area, i);
		for (int j = 0; j < columns; j++)
			put_cell(browse, &line, browse->registers_top + i * columns + j, width);
	}
}

/* ---- Memory. ---- */

#define ACCESS_REACH 4096 /* records in which the last access is looked for, */
#define ACCESS_NEAR  256  /* and so many where they have to be read */

/* The last access of the hart at or before the cursor: among the records of the window, and some
 * before it. */
static bool last_access(struct browse_model *model, uint64_t *address)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const uint16_t hart = record ? record->hart : 0;
	uint64_t first, end;

	ear_history_window(model->history, &first, &end);
	for (uint64_t at = model->cursor + 1, i = 0; at > 0 && i < ACCESS_REACH; i++) {
		if (--at < first && i >= ACCESS_NEAR)
			return false;
		record = browse_model_record(model, at);
		if (!record || record->hart != hart || record->memory_count == 0)
			continue;
		*address = record->memory[0].address;
		return true;
	}
	return false;
}

/* What was accessed last, unless an address was chosen. What is around it is seen, too. */
static void choose_memory(struct browse *browse, int rows, int bytes)
{
	if (!browse->memory_kept && browse->focus != BROWSE_PANE_MEMORY)
		browse->has_memory = last_access(browse_here(browse), &browse->memory_at);
	if (!browse->has_memory)
		return;
	const uint64_t line = (uint64_t)bytes, size = line * (uint64_t)rows;
	if (browse->memory_at < browse->memory || browse->memory_at - browse->memory >= size ||
		browse->memory % line) {
		const uint64_t begin = browse->memory_at - browse->memory_at % line;
		const uint64_t above = line * (uint64_t)(rows / 2);
		browse->memory = begin > above ? begin - above : 0;
	}
}

static bool accesses(const struct ear_record *record, uint64_t address, bool write)
{
	for (size_t i = 0; record && i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		const uint64_t size = access->size ? access->size : 1;
		if (access->write == write && address >= access->address &&
			address - access->address < size)
			return true;
	}
	return false;
}

static void put_bytes(struct browse *browse, struct browse_line *line, uint64_t address,
	const uint8_t *bytes, const uint8_t *known, int count)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);

	browse_print(line, BROWSE_DIM, "%08" PRIx64 " ", address);
	for (int i = 0; i < count; i++) {
		const uint64_t at = address + (uint64_t)i;
		enum browse_style style = accesses(record, at, true)    ? BROWSE_CHANGED
					  : accesses(record, at, false) ? BROWSE_MEMORY
					  : known[i]                    ? BROWSE_PLAIN
									: BROWSE_DIM;
		if (browse->focus == BROWSE_PANE_MEMORY && at == browse->memory_at)
			style = BROWSE_SELECTED;
		browse_put(line, BROWSE_PLAIN, i > 0 && i % 4 == 0 ? " " : "");
		if (known[i])
			browse_print(line, style, "%02x", bytes[i]);
		else
			browse_put(line, style, "??");
	}
	if (line->width < line->used + count + 1)
		return;
	browse_put(line, BROWSE_PLAIN, " ");
	for (int i = 0; i < count; i++) {
		const char text[2] = {
			known[i] && bytes[i] >= 0x20 && bytes[i] < 0x7F ? (char)bytes[i] : '.'};
		browse_put(line, BROWSE_DIM, text);
	}
}

/* The record accessed the byte, and yet nobody knows what it holds: a device, or memory that
 * something else writes, too. */
static bool is_volatile(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	uint8_t byte, known = 0;

	if (ear_history_memory(
		    model->history, browse->memory_at, &byte, &known, 1, model->progress) < 0 ||
		known)
		return false;
	const struct ear_record *record = browse_model_record(model, model->cursor);
	for (size_t i = 0; record && i < record->memory_count; i++)
		if (record->memory[i].address == browse->memory_at && record->memory[i].has_value)
			return true;
	return false;
}

void browse_draw_memory(struct browse *browse, const struct browse_area *area)
{
	struct browse_model *model = browse_here(browse);
	const int rows = area->rows - 1, count = area->columns >= 62 ? 16 : 8;
	uint8_t bytes[16], known[16];
	char title[300] = "memory", name[200] = "";

	if (area->rows == 0)
		return;
	choose_memory(browse, rows, count);
	if (browse->has_memory && model->names)
		ear_names_text(model->names, browse->memory_at, name, sizeof(name));
	if (browse->has_memory)
		snprintf(title, sizeof(title), "memory 0x%" PRIx64 "%s%.200s%s", browse->memory_at,
			name[0] ? " " : "", name,
			browse->memory_kept   ? " (kept)"
			: is_volatile(browse) ? " (device?)"
					      : "");
	browse_heading(browse, BROWSE_PANE_MEMORY, title);
	if (!browse->has_memory) {
		struct browse_line line = browse_area_line(area, 0);
		browse_put(&line, BROWSE_DIM, "no access shortly before; a shows an address");
		return;
	}
	for (int i = 0; i < rows && !model->empty; i++) {
		struct browse_line line = browse_area_line(area, i);
		const uint64_t address = browse->memory + (uint64_t)(i * count);
		if (address < browse->memory)
			break;
		memset(known, 0, sizeof(known));
		const int64_t result = ear_history_memory(
			model->history, address, bytes, known, (size_t)count, model->progress);
		if (result < 0) {
			browse_put(&line, BROWSE_LOSS,
				result == EAR_E_CANCELLED ? "interrupted"
							  : ear_trace_error(model->trace));
			break;
		}
		put_bytes(browse, &line, address, bytes, known, count);
	}
}

/* ---- The stack. ---- */

#define FRAMES_MAX 4096

struct frame {
	uint32_t node; /* 0: the base */
	uint64_t pc;   /* where it is */
};

#define PC_REACH 256 /* records in which the instruction before an event is looked for */

/* Where the newest frame is. What is no instruction is where the last one of its hart was; in a
 * gap nobody knows. */
static bool frame_pc(struct browse_model *model, uint64_t *pc)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const uint16_t hart = record ? record->hart : 0;

	for (uint64_t i = 0; record && i < PC_REACH && record->kind != EAR_RECORD_GAP; i++) {
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == hart) {
			*pc = record->pc;
			return true;
		}
		if (i == model->cursor)
			return false;
		record = browse_model_record(model, model->cursor - i - 1);
	}
	return false;
}

/* The frames of the cursor, the newest first. Returns how many there are, up to FRAMES_MAX. */
static size_t read_frames(struct browse *browse, struct frame frames[FRAMES_MAX])
{
	struct browse_model *model = browse_here(browse);
	const struct browse_calls *calls = browse_model_calls(model);
	size_t count = 0;
	uint64_t pc;

	if (!calls->known || !frame_pc(model, &pc))
		return 0;
	uint32_t node = browse_calls_frame(calls, browse_calls_node(calls, model->cursor));
	for (;;) {
		frames[count++] = (struct frame){node, pc};
		if (node == 0 || count == FRAMES_MAX)
			return count;
		pc = calls->nodes[node].frame.call_pc;
		node = browse_calls_frame(calls, calls->nodes[node].parent);
	}
}

bool browse_selected_frame(struct browse *browse, uint64_t *position)
{
	static struct frame frames[FRAMES_MAX];
	const struct browse_model *model = browse_here(browse);
	const size_t count = read_frames(browse, frames);

	if (browse->frame == 0) {
		*position = model->cursor;
		return true;
	}
	if (browse->frame >= count || frames[browse->frame - 1].node == 0)
		return false;
	*position = model->calls.nodes[frames[browse->frame - 1].node].frame.position;
	return true;
}

static void put_frame(
	struct browse *browse, struct browse_line *line, size_t number, const struct frame *frame)
{
	struct browse_model *model = browse_here(browse);
	const struct browse_node *node = &model->calls.nodes[frame->node];
	char place[300];

	browse_place_text(model, frame->pc, place, sizeof(place));
	browse_print(line, BROWSE_DIM, "#%zu ", number);
	if (place[0])
		browse_put(line, BROWSE_PLACE, place);
	else
		browse_print(line, BROWSE_PLACE, "0x%08" PRIx64, frame->pc);
	if (frame->node && node->frame.kind == EAR_FRAME_TRAP)
		browse_put(line, BROWSE_LOSS, "  handler of a trap");
	if (frame->node && node->frame.kind == EAR_FRAME_INTERRUPT)
		browse_put(line, BROWSE_LOSS, "  handler of an interrupt");
}

void browse_draw_stack(struct browse *browse, const struct browse_area *area)
{
	static struct frame frames[FRAMES_MAX];
	char title[64];

	if (area->rows == 0)
		return;
	const size_t count = read_frames(browse, frames), rows = (size_t)area->rows - 1;
	const bool focus = browse->focus == BROWSE_PANE_STACK;
	if (count > 0)
		snprintf(title, sizeof(title), "stack, %s%zu frame%s",
			count == FRAMES_MAX ? "at least " : "", count, count == 1 ? "" : "s");
	browse_heading(browse, BROWSE_PANE_STACK, count > 0 ? title : "stack");
	if (count == 0) {
		struct browse_line line = browse_area_line(area, 0);
		browse_put(&line, BROWSE_DIM,
			browse_here(browse)->empty         ? ""
			: browse_here(browse)->calls.known ? "not known: the cursor is in a gap"
							   : "the trace shows no calls here");
		return;
	}
	if (browse->frame >= count)
		browse->frame = count - 1;
	if (!focus || browse->frame < browse->frame_top)
		browse->frame_top = focus ? browse->frame : 0;
	if (focus && browse->frame >= browse->frame_top + rows)
		browse->frame_top = browse->frame - rows + 1;
	for (size_t i = 0; i < rows && browse->frame_top + i < count; i++) {
		struct browse_line line = browse_area_line(area, (int)i);
		const size_t number = browse->frame_top + i;
		line.current = focus && number == browse->frame;
		put_frame(browse, &line, number, &frames[number]);
	}
}
