/* Memory errors before the end, and who allocated and freed what the chains lead through: one pass
 * of the checker of memory errors over the last records. It is asked for the block of each byte
 * just before the record that reads or writes it, in the order of the records.
 *
 * A cause gets the name of an error only if a record of the cause or of a chain is that error.
 */
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"
#include "library/why/diagnosis.h"

#define RECORDS_MAX   ((uint64_t)1 << 25) /* at the end that are looked at */
#define QUESTIONS_MAX 512
#define BATCH_MAX     65536u
#define RUN_RECORDS   4096 /* of a loop that writes on after the end of a block */
#define RUN_BYTES     1024

struct question {
	uint64_t position, address;
};

struct pass {
	struct ear_diagnosis *diagnosis;
	struct ear_cursor cursor;
	struct ear_meter meter;
	struct ear_memory_checker *checker;
	struct question questions[QUESTIONS_MAX];
	size_t count;
};

/* ---- What is asked. ---- */

static void ask(struct pass *pass, uint64_t position, uint64_t address)
{
	if (pass->count < QUESTIONS_MAX)
		pass->questions[pass->count++] = (struct question){position, address};
}

static void ask_chain(struct pass *pass, const struct ear_value_chain *chain)
{
	for (size_t i = 0; i < chain->node_count; i++) {
		const struct ear_value_node *node = &chain->nodes[i];
		if (node->place.kind == EAR_VALUE_MEMORY)
			ask(pass, node->position, node->place.address);
		for (size_t k = 0; k < node->source_count; k++) {
			const struct ear_value_source *source =
				&chain->sources[node->first_source + k];
			if (source->place.kind == EAR_VALUE_MEMORY && node->folded == 0)
				ask(pass, node->position, source->place.address);
		}
	}
}

static int compare(const void *a, const void *b)
{
	const struct question *one = a, *other = b;

	if (one->position != other->position)
		return one->position < other->position ? -1 : 1;
	return one->address < other->address ? -1 : one->address > other->address;
}

/* ---- The pass. ---- */

static int begin(struct pass *pass, uint64_t from)
{
	struct ear_diagnosis *diagnosis = pass->diagnosis;
	struct ear_trace *trace = diagnosis->past->trace;
	const struct ear_memory_checker_options options = {
		.size = sizeof(options),
		.names = diagnosis->options->names,
		.devices = trace->options.devices,
		.device_count = trace->options.device_count,
		.allocators = diagnosis->options->allocators,
		.allocator_count = diagnosis->options->allocator_count,
	};

	int result = ear_memory_checker_new(&pass->checker, &options, NULL);
	if (result)
		return ear_trace_fail(trace, result,
			result == EAR_E_BAD_ARGUMENT ? "an allocator is wrong" : "out of memory");
	pass->cursor = ear_trace_cursor(trace);
	ear_meter_begin(&pass->meter, diagnosis->past->progress, "looking for memory errors", 0);
	result = ear_cursor_seek(&pass->cursor, from, &pass->meter);
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	return result < 0 ? ear_trace_fail_reading(trace, &pass->cursor, result) : 0;
}

static int read_to(struct pass *pass, uint64_t position)
{
	struct ear_trace *trace = pass->diagnosis->past->trace;
	struct ear_batch batch = {.size = sizeof(batch)};

	while (pass->cursor.position < position) {
		const uint64_t left = position - pass->cursor.position;
		int result = ear_cursor_next_batch(
			&pass->cursor, &batch, left < BATCH_MAX ? (size_t)left : BATCH_MAX);
		if (result < 0)
			return ear_trace_fail_reading(trace, &pass->cursor, result);
		if (result == 0)
			return 0;
		result = ear_memory_checker_batch(pass->checker, &batch);
		if (result)
			return ear_trace_fail(trace, result, "out of memory");
		if (ear_meter_pass(&pass->meter, batch.count))
			return ear_trace_fail(trace, EAR_E_CANCELLED, "cancelled");
	}
	return 0;
}

/* All questions in order, then on to the end. */
static int run(struct pass *pass, uint64_t end)
{
	struct ear_why *why = &pass->diagnosis->why;
	int result = 0;

	for (size_t i = 0; result == 0 && i < pass->count; i++) {
		const struct question *question = &pass->questions[i];
		if (question->position < why->memory_from || question->position > end)
			continue;
		result = read_to(pass, question->position);
		struct ear_why_block *block = &why->blocks[why->block_count];
		if (result || why->block_count == EAR_WHY_BLOCKS_MAX ||
			!ear_memory_checker_block(pass->checker, question->address, &block->block,
				sizeof(block->block)))
			continue;
		block->position = question->position;
		block->address = question->address;
		why->block_count++;
	}
	return result ? result : read_to(pass, end);
}

/* ---- What is said. ---- */

static const char *name_of(unsigned kind, bool write)
{
	static const char *const names[EAR_MEMORY_ERROR_KINDS] = {
		[EAR_MEMORY_FREED] = "use after free",
		[EAR_MEMORY_UNWRITTEN] = "use of memory that nothing wrote",
		[EAR_MEMORY_LEFT_FRAME] = "use after return",
		[EAR_MEMORY_DOUBLE_FREE] = "double free",
		[EAR_MEMORY_OBJECT] = "overflow of a variable",
		[EAR_MEMORY_WRONG_FREE] = "free of what is not the begin of a block",
	};

	if (kind == EAR_MEMORY_OUTSIDE)
		return write ? "heap overflow" : "read outside of a block of the heap";
	return kind < EAR_MEMORY_ERROR_KINDS ? names[kind] : NULL;
}

static bool is_number(const struct ear_why *why, uint64_t number)
{
	if ((why->place.known && why->place.number == number) ||
		(why->jump.known && why->jump.number == number))
		return true;
	for (size_t i = 0; i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		for (size_t k = 0; k < chain->node_count; k++)
			if (chain->nodes[k].number == number)
				return true;
	}
	return false;
}

/* Does a chain lead through a block that was freed wrongly? */
static bool is_in_block(const struct ear_why *why, const struct ear_memory_error *error)
{
	for (size_t i = 0; error->has_block && i < why->block_count; i++)
		if (why->blocks[i].block.address == error->block.address)
			return true;
	return false;
}

/* Did the instruction that missed a block run on, up to a record of a chain? Of an instruction only
 * the first time is an error of its own, and what hits the next block is none. */
static bool runs_on(const struct ear_why *why, const struct ear_memory_error *error)
{
	for (size_t i = 0; error->write && i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		for (size_t k = 0; k < chain->node_count; k++) {
			const struct ear_value_node *node = &chain->nodes[k];
			if (node->pc == error->moment.pc && node->number > error->moment.number &&
				node->number - error->moment.number < RUN_RECORDS &&
				node->place.address - error->address < RUN_BYTES)
				return true;
		}
	}
	return false;
}

static bool is_cause(const struct ear_why *why, const struct ear_memory_error *error)
{
	if (error->kind == EAR_MEMORY_OUTSIDE && runs_on(why, error))
		return true;
	if (error->kind == EAR_MEMORY_DOUBLE_FREE || error->kind == EAR_MEMORY_WRONG_FREE)
		return is_in_block(why, error);
	return is_number(why, error->moment.number) ||
	       (error->kind == EAR_MEMORY_UNWRITTEN && is_number(why, error->other.number));
}

/* The first error that is a part of the cause gives it its name. */
static void say(
	struct ear_diagnosis *diagnosis, const struct ear_memory_error *errors, size_t count)
{
	struct ear_why *why = &diagnosis->why;
	char text[EAR_WHY_TEXT_MAX - 64];

	for (size_t i = 0; i < count; i++) {
		const char *name = name_of(errors[i].kind, errors[i].write);
		/* A stack that had grown over a variable left it with the frames. */
		if (!name || !is_cause(why, &errors[i]) ||
			(why->overflow.known && errors[i].kind == EAR_MEMORY_LEFT_FRAME))
			continue;
		memcpy(text, why->text, sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		ear_diagnosis_say(diagnosis, "%s: %s", name, text);
		return;
	}
}

static void take_errors(struct pass *pass)
{
	struct ear_why *why = &pass->diagnosis->why;
	const struct ear_memory_error *errors;
	const size_t count = ear_memory_checker_errors(pass->checker, &errors);

	why->memory_errors_all = count;
	say(pass->diagnosis, errors, count);
	/* Those of the cause first. */
	for (unsigned other = 0; other < 2; other++)
		for (size_t i = 0; i < count && why->memory_error_count < EAR_WHY_ERRORS_MAX; i++)
			if (is_cause(why, &errors[i]) != other)
				why->memory_errors[why->memory_error_count++] = errors[i];
}

int ear_diagnose_memory(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;

	if (!diagnosis->options->names || !why->place.known ||
		(why->kind != EAR_WHY_TRAP && why->kind != EAR_WHY_EXIT &&
			why->kind != EAR_WHY_HANG))
		return 0;
	struct pass *pass = calloc(1, sizeof(*pass));
	if (!pass)
		return ear_trace_fail(diagnosis->past->trace, EAR_E_NO_MEMORY, "out of memory");
	const uint64_t end = why->place.position + 1;
	pass->diagnosis = diagnosis;
	why->memory_from = end > RECORDS_MAX ? end - RECORDS_MAX : 0;
	if (why->trap_value_known)
		ask(pass, why->place.position, why->trap_value);
	for (size_t i = 0; i < why->value_count; i++)
		ask_chain(pass, why->values[i].chain);
	qsort(pass->questions, pass->count, sizeof(pass->questions[0]), compare);
	int result = begin(pass, why->memory_from);
	if (result == 0)
		result = run(pass, end);
	if (result == 0)
		take_errors(pass);
	ear_memory_checker_free(pass->checker);
	ear_cursor_close(&pass->cursor);
	free(pass);
	return result;
}
