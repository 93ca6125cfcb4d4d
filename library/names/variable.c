/* Variables. The helper's plan is checked when it is read and then run step by step: an expression
 * gives a place, an offset goes on inside it, a dereference reads the address of the next place.
 */
#include <earshot/error.h>
#include <earshot/variable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "common/versioned.h"
#include "library/names/expression.h"
#include "library/names/names_internal.h"
#include "library/names/unwind.h"

#define EXPRESSION_MAX 4096
#define PLAN_HEAD      24
#define SIZE_LEAST     (offsetof(struct ear_variable, storage) + sizeof(void *))

struct plan {
	uint8_t *answer;
	const uint8_t *steps;
	uint32_t step_count;
	struct ear_ops ops;
	struct ear_type *types;
	uint32_t type_count;
};

/* ---- Reading a plan ---- */

static bool read_type(struct ear_type *type, uint32_t number, uint32_t count, const uint8_t *at,
	const struct ear_wire_view *strings)
{
	uint32_t kind = ear_wire_get_u32(at), flags = ear_wire_get_u32(at + 4);
	uint32_t bits = ear_wire_get_u32(at + 48), bit_at = ear_wire_get_u32(at + 52);

	*type = (struct ear_type){
		.kind = kind <= EAR_TYPE_UNKNOWN ? (enum ear_type_kind)kind : EAR_TYPE_UNKNOWN,
		.is_signed = flags & EAR_TYPE_SIGNED,
		.is_function = flags & EAR_TYPE_FUNCTION,
		.type_name = ear_wire_text(strings, ear_wire_get_u32(at + 8)),
		.name = ear_wire_text(strings, ear_wire_get_u32(at + 12)),
		.size = ear_wire_get_u64(at + 16),
		.offset = ear_wire_get_u64(at + 24),
		.count = ear_wire_get_u64(at + 32),
		.value = (int64_t)ear_wire_get_u64(at + 40),
		.bit_size = (uint8_t)bits,
		.bit_offset = (uint8_t)bit_at,
		.first_child = ear_wire_get_u32(at + 56),
		.child_count = ear_wire_get_u32(at + 60),
	};
	if (!type->type_name || !type->name || bits > 64 || bit_at > 7)
		return false;
	/* Children come later, so there is no circle. */
	return type->child_count == 0 ||
	       (type->first_child > number && type->first_child <= count &&
		       type->child_count <= count - type->first_child);
}

/* Steps refer to operations in order. */
static bool check_steps(const struct plan *plan)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < plan->step_count; i++) {
		const uint8_t *at = plan->steps + (size_t)i * EAR_PLAN_STEP;
		uint32_t kind = ear_wire_get_u32(at), size = ear_wire_get_u32(at + 4);
		uint64_t base = ear_wire_get_u64(at + 8);

		if (kind > EAR_PLAN_DEREFERENCE || (i == 0) != (kind == EAR_PLAN_EXPRESSION))
			return false;
		if (kind == EAR_PLAN_EXPRESSION) {
			if (base > plan->ops.count || size > plan->ops.count - base)
				return false;
			used += size;
		}
	}
	return used > 0;
}

static int read_plan(struct plan *plan, uint8_t *answer, size_t size)
{
	struct ear_wire_view view = {answer, size}, strings;
	const uint8_t *head = ear_wire_take(&view, PLAN_HEAD, 1);
	bool good = true;

	*plan = (struct plan){.answer = answer};
	if (!head)
		return EAR_E_BAD_FILE;
	plan->step_count = ear_wire_get_u32(head);
	plan->type_count = ear_wire_get_u32(head + 4);
	plan->ops.count = ear_wire_get_u32(head + 8);
	plan->ops.byte_count = ear_wire_get_u32(head + 12);
	plan->steps = ear_wire_take(&view, plan->step_count, EAR_PLAN_STEP);
	const uint8_t *types = ear_wire_take(&view, plan->type_count, EAR_TYPE_ROW);
	plan->ops.rows = ear_wire_take(&view, plan->ops.count, EAR_OP_ROW);
	plan->ops.bytes = ear_wire_take(&view, plan->ops.byte_count, 1);
	if (!plan->steps || !types || plan->type_count == 0 || !plan->ops.rows ||
		!plan->ops.bytes ||
		!ear_wire_take_strings(&view, &strings, ear_wire_get_u32(head + 16)) ||
		view.size != 0 || !check_steps(plan))
		return EAR_E_BAD_FILE;
	plan->types = calloc(plan->type_count, sizeof(*plan->types));
	if (!plan->types)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < plan->type_count; i++)
		good &= read_type(&plan->types[i], i, plan->type_count,
			types + (size_t)i * EAR_TYPE_ROW, &strings);
	return good ? 0 : EAR_E_BAD_FILE;
}

/* ---- Running it ---- */

struct run {
	struct ear_names *names;
	size_t file;
	struct ear_expression_context context;
	struct ear_places places;
	uint64_t skip; /* into them */
	const char *why;
};

static bool find_cfa(void *context, uint64_t *cfa)
{
	struct run *run = context;

	return ear_unwind_cfa(run->names, run->context.moment, cfa) == 0;
}

static bool run_expression(struct run *run, const struct plan *plan, uint32_t size, uint64_t base)
{
	struct ear_ops ops = plan->ops;

	run->context.frame_base = plan->ops;
	run->context.frame_base.count = (uint32_t)base;
	ops.rows += base * EAR_OP_ROW;
	ops.count = size;
	run->why = ear_expression_run(&run->places, &ops, &run->context, false, 0);
	run->skip = 0;
	return !run->why;
}

static bool dereference(struct run *run, uint32_t size)
{
	uint8_t bytes[8] = {0}, known[8];

	if (size == 0 || size > 8) {
		run->why = "the debug information is damaged";
		return false;
	}
	run->why = ear_places_read(&run->places, &run->context, run->skip, bytes, known, size);
	if (run->why)
		return false;
	run->places.count = 1;
	run->places.pieces[0] = (struct ear_piece){
		.kind = EAR_PIECE_MEMORY, .value = ear_wire_get_u64(bytes), .size = UINT64_MAX};
	run->skip = 0;
	return true;
}

static bool run_steps(struct run *run, const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const uint8_t *at = plan->steps + (size_t)i * EAR_PLAN_STEP;
		uint32_t size = ear_wire_get_u32(at + 4);
		uint64_t value = ear_wire_get_u64(at + 8);
		bool good = true;

		switch (ear_wire_get_u32(at)) {
		case EAR_PLAN_EXPRESSION: good = run_expression(run, plan, size, value); break;
		case EAR_PLAN_DEREFERENCE: good = dereference(run, size); break;
		default: run->skip += value; break;
		}
		if (!good)
			return false;
	}
	return true;
}

static void say_place(struct ear_variable *variable, const struct run *run)
{
	const struct ear_piece *piece = &run->places.pieces[0];

	if (run->places.count > 1) {
		variable->place = EAR_PLACE_PIECES;
		return;
	}
	switch (piece->kind) {
	case EAR_PIECE_MEMORY:
		variable->place = EAR_PLACE_MEMORY;
		variable->address = piece->value + run->skip;
		if (run->context.xlen == 32)
			variable->address = (uint32_t)variable->address;
		break;
	case EAR_PIECE_REGISTER:
		variable->place = EAR_PLACE_REGISTER;
		variable->register_number = (unsigned)piece->value;
		break;
	case EAR_PIECE_NONE: variable->place = EAR_PLACE_NONE; break;
	default: variable->place = EAR_PLACE_VALUE; break;
	}
}

/* The bytes; one that is not known keeps the variable. */
static int read_bytes(struct ear_variable *variable, const struct run *run)
{
	size_t size = variable->value_size > EAR_VARIABLE_BYTES_MAX ? EAR_VARIABLE_BYTES_MAX
								    : (size_t)variable->value_size;

	if (!run->context.moment || variable->place == EAR_PLACE_NONE)
		return 0;
	variable->bytes = malloc(size + 1);
	variable->known = malloc(size + 1);
	if (!variable->bytes || !variable->known)
		return EAR_E_NO_MEMORY;
	variable->byte_count = size;
	variable->why = ear_places_read(
		&run->places, &run->context, run->skip, variable->bytes, variable->known, size);
	return 0;
}

static int fill(struct ear_variable *variable, struct run *run, const struct plan *plan)
{
	variable->storage = plan->answer;
	variable->types = plan->types;
	variable->type_count = plan->type_count;
	variable->value_size = plan->types[0].size;
	if (run_steps(run, plan)) {
		say_place(variable, run);
		if (variable->place == EAR_PLACE_NONE)
			variable->why = "optimized out";
		return read_bytes(variable, run);
	}
	variable->place = EAR_PLACE_NONE;
	variable->why = run->why;
	return 0;
}

/* ---- Asking ---- */

static int ask_plan(struct ear_names *names, size_t number, const char *expression, size_t size,
	const struct ear_moment_view *moment, uint8_t **answer, size_t *answer_size)
{
	const struct names_file *file = &names->files[number];
	struct ear_wire request = {0};
	/* A pc of another file says nothing about this one's variables. */
	bool has_pc = moment && names_file_at(names, moment->pc) == number;

	ear_wire_u32(&request, has_pc);
	ear_wire_u32(&request, 0);
	ear_wire_u64(&request, has_pc ? names_here(file, moment->pc) : 0);
	ear_wire_put(&request, expression, size);
	ear_wire_put(&request, "", 1);
	int result = request.failed ? EAR_E_NO_MEMORY
				    : names_ask(names, number, EAR_MESSAGE_PLAN, request.bytes,
					      request.size, answer, answer_size);
	ear_wire_free(&request);
	if (result == EAR_E_BAD_FILE && !file->is_lost)
		return EAR_E_BAD_ARGUMENT;
	return result;
}

static int find_in(struct ear_variable *variable, struct ear_names *names, size_t number,
	const char *expression, size_t size, const struct ear_moment_view *moment)
{
	const struct names_file *file = &names->files[number];
	struct run run = {.names = names,
		.file = number,
		.context = {.moment = moment,
			.xlen = file->facts.file.xlen,
			.offset = file->facts.file.offset,
			.find_cfa = find_cfa}};
	struct plan plan;
	uint8_t *answer;
	size_t answer_size;
	int result = ask_plan(names, number, expression, size, moment, &answer, &answer_size);

	if (result != 0)
		return result;
	run.context.context = &run;
	result = read_plan(&plan, answer, answer_size);
	if (result != 0) {
		free(plan.types);
		free(answer);
		return names_fail(names, result, file->path, "%s", ear_error_text(result));
	}
	*variable = (struct ear_variable){.size = sizeof(*variable)};
	result = fill(variable, &run, &plan);
	if (result == 0 && !moment && variable->place != EAR_PLACE_MEMORY)
		result = names_fail(names, EAR_E_BAD_ARGUMENT, NULL, "%s",
			variable->why ? variable->why : "it is not in memory");
	if (result != 0)
		ear_variable_free(variable);
	return result;
}

/* The order in which files are asked: that of the pc, then the last one added first. */
static size_t file_in_order(
	const struct ear_names *names, const struct ear_moment_view *moment, size_t i)
{
	size_t first = moment ? names_file_at(names, moment->pc) : names->count;

	if (first == names->count)
		return names->count - 1 - i;
	if (i == 0)
		return first;
	return names->count - i <= first ? names->count - 1 - i : names->count - i;
}

static int find_variable(struct ear_variable *variable, struct ear_names *names,
	const char *expression, size_t size, const struct ear_moment_view *moment)
{
	char message[NAMES_MESSAGE_MAX] = "";
	int first_result = 0;

	if (size > EXPRESSION_MAX)
		return names_fail(names, EAR_E_BAD_ARGUMENT, NULL, "the expression is too long");
	if (memchr(expression, '\0', size))
		return names_fail(
			names, EAR_E_BAD_ARGUMENT, NULL, "the expression has a NUL in it");
	for (size_t i = 0; i < names->count; i++) {
		size_t number = file_in_order(names, moment, i);

		if (!names->files[number].facts.file.has_debug)
			continue;
		int result = find_in(variable, names, number, expression, size, moment);
		if (result == 0 || result == EAR_E_NO_MEMORY || result == EAR_E_CANCELLED)
			return result;
		if (first_result == 0) {
			first_result = result;
			memcpy(message, names->message, sizeof(message));
		}
	}
	if (first_result != 0)
		return names_fail(names, first_result, NULL, "%s", message);
	return names_fail(names, EAR_E_UNSUPPORTED, NULL,
		names->count ? "the program has no debug information (compile with -g)"
			     : "no ELF file is given");
}

int ear_variable_find(struct ear_variable *variable, struct ear_names *names,
	const char *expression, size_t size, const struct ear_moment_view *moment)
{
	struct ear_variable own;
	struct ear_moment_view view;

	if (moment && ear_versioned_read(&view, sizeof(view), moment) != 0)
		return names_fail(names, EAR_E_BAD_ARGUMENT, NULL,
			"the moment is of another version of the library");
	/* A smaller one would lose what is to be freed. */
	if (variable->size < SIZE_LEAST || variable->size > 65536)
		return names_fail(
			names, EAR_E_BAD_ARGUMENT, NULL, "the size of the result is missing");
	int result = find_variable(&own, names, expression, size, moment ? &view : NULL);
	return result ? result : ear_versioned_write(variable, &own, sizeof(own));
}

void ear_variable_free(struct ear_variable *variable)
{
	const struct ear_variable none = {0};

	if (variable->size == 0)
		return;
	free(variable->bytes);
	free(variable->known);
	free(variable->types);
	free(variable->storage);
	ear_versioned_write(variable, &none, sizeof(none));
}

/* ---- Locals ---- */

/* Rows and strings in one piece of memory. */
static int copy_locals(struct ear_local **list, size_t *count, const uint8_t *bytes, size_t size)
{
	struct ear_wire_view view = {bytes, size}, strings;
	const uint8_t *head = ear_wire_take(&view, 8, 1);
	uint32_t rows = head ? ear_wire_get_u32(head) : 0;
	const uint8_t *at = head ? ear_wire_take(&view, rows, EAR_LOCAL_ROW) : NULL;

	if (!at || !ear_wire_take_strings(&view, &strings, ear_wire_get_u32(head + 4)) ||
		view.size != 0)
		return EAR_E_BAD_FILE;
	struct ear_local *made = malloc(rows * sizeof(*made) + strings.size);
	if (!made)
		return EAR_E_NO_MEMORY;
	char *copy = (char *)(made + rows);
	memcpy(copy, strings.bytes, strings.size);
	for (uint32_t i = 0; i < rows; i++, at += EAR_LOCAL_ROW) {
		uint32_t name = ear_wire_get_u32(at), type = ear_wire_get_u32(at + 4);
		if (name >= strings.size || type >= strings.size) {
			free(made);
			return EAR_E_BAD_FILE;
		}
		made[i] = (struct ear_local){
			copy + name, copy + type, ear_wire_get_u32(at + 8) & EAR_LOCAL_PARAMETER};
	}
	*list = made;
	*count = rows;
	return 0;
}

int ear_variable_locals(
	struct ear_names *names, uint64_t pc, struct ear_local **list, size_t *count)
{
	size_t number = names_file_at(names, pc), size;
	struct ear_wire request = {0};
	uint8_t *answer;

	if (number == names->count)
		return names_fail(names, EAR_E_UNSUPPORTED, NULL, "no file has this address");
	const struct names_file *file = &names->files[number];
	ear_wire_u64(&request, names_here(file, pc));
	int result = request.failed ? EAR_E_NO_MEMORY
				    : names_ask(names, number, EAR_MESSAGE_LOCALS, request.bytes,
					      request.size, &answer, &size);
	ear_wire_free(&request);
	if (result != 0)
		return result == EAR_E_BAD_FILE && !file->is_lost ? EAR_E_UNSUPPORTED : result;
	result = copy_locals(list, count, answer, size);
	free(answer);
	return result == 0 ? 0
			   : names_fail(names, result, file->path, "%s", ear_error_text(result));
}
