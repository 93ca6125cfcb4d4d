/* Rows for unwinding. Rules come as DWARF expressions; the few forms that compilers make are
 * recognised, and the last rows with only such rules are kept, so that walking a stack in a loop
 * asks the helper once for each function.
 */
#include "library/names/unwind.h"

#include <dwarf.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/names/expression.h"
#include "library/names/names_internal.h"

#define ROWS_KEPT     64
#define STACK_POINTER 2 /* of RISC-V: the CFA is its value in the caller */
#define MACHINE_RISCV 243

struct ear_unwind_cache {
	struct {
		struct ear_unwind_row row;
		size_t file_count; /* when it was asked for; 0: empty */
	} slots[ROWS_KEPT];
	unsigned next;
};

/* An answer, taken apart. */
struct frame {
	uint8_t *answer;
	size_t file;
	struct ear_ops ops[EAR_UNWIND_PLACES]; /* of the CFA and the registers */
	uint32_t counts[EAR_UNWIND_PLACES];    /* or EAR_UNWIND_NONE, _KEPT */
	struct ear_unwind_row row;
};

static struct ear_unwind_place place_of(const struct ear_ops *ops, bool is_cfa)
{
	struct ear_unwind_place place = {.rule = EAR_UNWIND_EXPRESSION};
	const uint8_t *first = ops->rows, *second = ops->rows + EAR_OP_ROW;
	uint32_t atom = ops->count ? ear_wire_get_u32(first) : 0;
	uint64_t number = ops->count ? ear_wire_get_u64(first + 8) : 0;
	uint32_t used = 1;

	if (ops->count == 0)
		return place;
	if (is_cfa && ops->count == 1 && atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return (struct ear_unwind_place){
			EAR_UNWIND_REGISTER, atom - DW_OP_breg0, (int64_t)number};
	if (is_cfa && ops->count == 1 && atom == DW_OP_bregx)
		return (struct ear_unwind_place){EAR_UNWIND_REGISTER, (unsigned)number,
			(int64_t)ear_wire_get_u64(first + 16)};
	if (!is_cfa && ops->count == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		return (struct ear_unwind_place){EAR_UNWIND_REGISTER, atom - DW_OP_reg0, 0};
	if (!is_cfa && ops->count == 1 && atom == DW_OP_regx)
		return (struct ear_unwind_place){EAR_UNWIND_REGISTER, (unsigned)number, 0};
	if (is_cfa || atom != DW_OP_call_frame_cfa)
		return place;
	if (ops->count > 1 && ear_wire_get_u32(second) == DW_OP_plus_uconst) {
		place.offset = (int64_t)ear_wire_get_u64(second + 8);
		used = 2;
	}
	const uint8_t *next = ops->rows + (size_t)used * EAR_OP_ROW;
	if (ops->count == used)
		place.rule = EAR_UNWIND_AT_CFA;
	else if (ops->count == used + 1 && ear_wire_get_u32(next) == DW_OP_stack_value)
		place.rule = EAR_UNWIND_CFA_PLUS;
	return place;
}

static bool read_place(
	struct frame *frame, unsigned i, const uint8_t *row, const struct ear_ops *all)
{
	uint32_t first = ear_wire_get_u32(row), count = ear_wire_get_u32(row + 4);
	struct ear_unwind_place *place = i == 0 ? &frame->row.cfa : &frame->row.registers[i - 1];

	frame->counts[i] = count;
	if (i > 0 && (count == EAR_UNWIND_NONE || count == EAR_UNWIND_KEPT)) {
		place->rule = count == EAR_UNWIND_NONE ? EAR_UNWIND_UNDEFINED : EAR_UNWIND_SAME;
		return true;
	}
	if (first > all->count || count > all->count - first)
		return false;
	frame->ops[i] = *all;
	frame->ops[i].rows += (size_t)first * EAR_OP_ROW;
	frame->ops[i].count = count;
	*place = place_of(&frame->ops[i], i == 0);
	return true;
}

static bool read_frame(struct frame *frame, const struct names_file *file, size_t size)
{
	struct ear_wire_view view = {frame->answer, size};
	const uint8_t *head = ear_wire_take(&view, 32, 1);
	const uint8_t *places = ear_wire_take(&view, EAR_UNWIND_PLACES, EAR_UNWIND_ROW);
	struct ear_ops all;

	if (!head || !places)
		return false;
	all.count = ear_wire_get_u32(head);
	all.byte_count = ear_wire_get_u32(head + 4);
	all.rows = ear_wire_take(&view, all.count, EAR_OP_ROW);
	all.bytes = ear_wire_take(&view, all.byte_count, 1);
	if (!all.rows || !all.bytes || view.size != 0)
		return false;
	frame->row.ra_register = ear_wire_get_u32(head + 8);
	frame->row.is_signal_frame = ear_wire_get_u32(head + 12) & EAR_UNWIND_SIGNAL;
	frame->row.first = names_there(file, ear_wire_get_u64(head + 16));
	frame->row.last = names_there(file, ear_wire_get_u64(head + 24));
	for (unsigned i = 0; i < EAR_UNWIND_PLACES; i++)
		if (!read_place(frame, i, places + (size_t)i * EAR_UNWIND_ROW, &all))
			return false;
	if (frame->row.ra_register >= EAR_UNWIND_REGISTERS)
		return false;
	/* libdw does not tell a register without a rule from one whose rule is "undefined". Of the
	 * return address the first is usual: a function that has not saved it yet. */
	struct ear_unwind_place *ra = &frame->row.registers[frame->row.ra_register];
	if (ra->rule == EAR_UNWIND_UNDEFINED && file->facts.file.machine == MACHINE_RISCV)
		ra->rule = EAR_UNWIND_SAME;
	return true;
}

/* The answer for a pc; frame->answer is to be freed. */
static int ask(struct frame *frame, struct ear_names *names, uint64_t pc)
{
	struct ear_wire request = {0};
	size_t size;

	memset(frame, 0, sizeof(*frame));
	frame->file = names_file_at(names, pc);
	if (frame->file == names->count)
		return names_fail(names, EAR_E_UNSUPPORTED, NULL, "no file has this address");
	const struct names_file *file = &names->files[frame->file];
	ear_wire_u64(&request, names_here(file, pc));
	int result = request.failed ? EAR_E_NO_MEMORY
				    : names_ask(names, frame->file, EAR_MESSAGE_UNWIND,
					      request.bytes, request.size, &frame->answer, &size);
	ear_wire_free(&request);
	if (result == EAR_E_BAD_FILE)
		return file->is_lost ? result : EAR_E_UNSUPPORTED;
	if (result != 0)
		return result;
	if (read_frame(frame, file, size))
		return 0;
	free(frame->answer);
	return names_fail(names, EAR_E_BAD_FILE, file->path, "its rules for unwinding are damaged");
}

/* ---- Rows that are kept ---- */

static const struct ear_unwind_row *find_kept(const struct ear_names *names, uint64_t pc)
{
	const struct ear_unwind_cache *cache = names->unwind;

	for (size_t i = 0; cache && i < ROWS_KEPT; i++)
		if (cache->slots[i].file_count == names->count && pc >= cache->slots[i].row.first &&
			pc <= cache->slots[i].row.last)
			return &cache->slots[i].row;
	return NULL;
}

static void keep(struct ear_names *names, const struct ear_unwind_row *row)
{
	if (!names->unwind)
		names->unwind = calloc(1, sizeof(*names->unwind));
	if (!names->unwind)
		return;
	struct ear_unwind_cache *cache = names->unwind;
	cache->slots[cache->next].row = *row;
	cache->slots[cache->next].file_count = names->count;
	cache->next = (cache->next + 1) % ROWS_KEPT;
}

int ear_unwind_row(struct ear_names *names, uint64_t pc, struct ear_unwind_row *row)
{
	const struct ear_unwind_row *kept = find_kept(names, pc);
	struct frame frame;

	if (kept) {
		*row = *kept;
		return 0;
	}
	int result = ask(&frame, names, pc);
	if (result != 0)
		return result;
	*row = frame.row;
	keep(names, row);
	free(frame.answer);
	return 0;
}

static bool needs_expressions(const struct ear_unwind_row *row)
{
	bool needs = row->cfa.rule == EAR_UNWIND_EXPRESSION;

	for (unsigned i = 0; i < EAR_UNWIND_REGISTERS; i++)
		needs |= row->registers[i].rule == EAR_UNWIND_EXPRESSION;
	return needs;
}

/* A frame with its expressions if it needs them. */
static int find_frame(struct frame *frame, struct ear_names *names, uint64_t pc)
{
	const struct ear_unwind_row *kept = find_kept(names, pc);

	if (!kept || needs_expressions(kept)) {
		int result = ask(frame, names, pc);
		if (result == 0)
			keep(names, &frame->row);
		return result;
	}
	memset(frame, 0, sizeof(*frame));
	frame->row = *kept;
	frame->file = names_file_at(names, pc);
	return 0;
}

/* ---- One step ---- */

struct step {
	const struct ear_moment_view *moment;
	const struct names_file *file;
	uint64_t cfa;
};

static uint64_t fit(const struct step *step, uint64_t value)
{
	return step->file->facts.file.xlen == 32 ? (uint32_t)value : value;
}

static bool read_word(const struct step *step, uint64_t address, uint64_t *value)
{
	uint8_t bytes[8] = {0}, known[8] = {0};
	size_t size = step->file->facts.file.xlen / 8;

	if (!step->moment->read_memory(step->moment->context, address, bytes, known, size) ||
		memchr(known, 0, size))
		return false;
	*value = ear_wire_get_u64(bytes);
	return true;
}

/* is_cfa: the result is the value itself; else its place. */
static bool run_rule(
	const struct step *step, const struct ear_ops *ops, bool is_cfa, uint64_t *value)
{
	struct ear_moment_view moment = *step->moment;
	struct ear_expression_context context = {.moment = &moment,
		.xlen = step->file->facts.file.xlen,
		.offset = step->file->facts.file.offset};
	struct ear_places places;
	uint8_t bytes[8] = {0}, known[8];

	moment.has_cfa = !is_cfa;
	moment.cfa = step->cfa;
	if (ear_expression_run(&places, ops, &context, !is_cfa, step->cfa))
		return false;
	if (is_cfa && places.count == 1 && places.pieces[0].kind == EAR_PIECE_MEMORY) {
		*value = places.pieces[0].value;
		return true;
	}
	if (ear_places_read(&places, &context, 0, bytes, known, context.xlen / 8))
		return false;
	*value = ear_wire_get_u64(bytes);
	return true;
}

static bool read_register(const struct step *step, unsigned number, uint64_t *value)
{
	return step->moment->read_register(step->moment->context, number, value);
}

static bool find_cfa(struct step *step, const struct frame *frame)
{
	const struct ear_unwind_place *rule = &frame->row.cfa;

	if (step->moment->has_cfa) {
		step->cfa = step->moment->cfa;
		return true;
	}
	if (rule->rule == EAR_UNWIND_EXPRESSION)
		return run_rule(step, &frame->ops[0], true, &step->cfa);
	if (!read_register(step, rule->number, &step->cfa))
		return false;
	step->cfa = fit(step, step->cfa + (uint64_t)rule->offset);
	return true;
}

static bool find_register(
	const struct step *step, const struct frame *frame, unsigned number, uint64_t *value)
{
	const struct ear_unwind_place *rule = &frame->row.registers[number];
	uint64_t place = fit(step, step->cfa + (uint64_t)rule->offset);

	switch (rule->rule) {
	case EAR_UNWIND_UNDEFINED: return false;
	case EAR_UNWIND_SAME: return read_register(step, number, value);
	case EAR_UNWIND_AT_CFA: return read_word(step, place, value);
	case EAR_UNWIND_CFA_PLUS: *value = place; return true;
	case EAR_UNWIND_REGISTER:
		if (!read_register(step, rule->number, value))
			return false;
		*value = fit(step, *value + (uint64_t)rule->offset);
		return true;
	case EAR_UNWIND_EXPRESSION: return run_rule(step, &frame->ops[number + 1], false, value);
	}
	return false;
}

int ear_unwind_step(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa,
	uint64_t registers[EAR_UNWIND_REGISTERS], bool known[EAR_UNWIND_REGISTERS],
	unsigned *ra_register)
{
	struct frame frame;
	struct step step = {.moment = moment};
	int result = find_frame(&frame, names, moment->pc);

	if (result != 0)
		return result;
	step.file = &names->files[frame.file];
	if (!find_cfa(&step, &frame)) {
		free(frame.answer);
		return names_fail(names, EAR_E_MORE, NULL, "the frame's address is not known");
	}
	for (unsigned i = 0; i < EAR_UNWIND_REGISTERS; i++)
		known[i] = find_register(&step, &frame, i, &registers[i]);
	bool kept = frame.row.registers[STACK_POINTER].rule <= EAR_UNWIND_SAME;
	if (kept && step.file->facts.file.machine == MACHINE_RISCV) {
		registers[STACK_POINTER] = step.cfa;
		known[STACK_POINTER] = true;
	}
	*cfa = step.cfa;
	*ra_register = frame.row.ra_register;
	free(frame.answer);
	return 0;
}

int ear_unwind_cfa(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa)
{
	struct frame frame;
	struct step step = {.moment = moment};
	int result = find_frame(&frame, names, moment->pc);

	if (result != 0)
		return result;
	step.file = &names->files[frame.file];
	bool found = find_cfa(&step, &frame);
	free(frame.answer);
	*cfa = step.cfa;
	return found ? 0 : names_fail(names, EAR_E_MORE, NULL, "the frame's address is not known");
}
