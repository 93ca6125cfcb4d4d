/* Errors, one for each kind and instruction, and their order. */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

/* What one read of unwritten bytes decides may be at several places. */
static uint64_t key_of(const struct ear_memory_error *error)
{
	return error->kind == EAR_MEMORY_UNWRITTEN ? error->other.pc : error->moment.pc;
}

/* ra, if it leads out of the function: it has not called anything since it was entered. */
static uint64_t caller_of(
	const struct ear_memory_checker *checker, const struct checker_hart *hart, uint64_t pc)
{
	const struct ear_names *names = checker->options.names;
	struct ear_function function = {.size = sizeof(function)};
	const uint64_t ra = hart->x[1];

	if (!names || !(hart->known >> 1 & 1) || !ear_names_function_at(names, pc, &function))
		return 0;
	const uint64_t entry = function.entry;
	return ear_names_function_at(names, ra - 1, &function) && function.entry != entry ? ra : 0;
}

struct ear_memory_error *ear_checker_blame(struct ear_memory_checker *checker, unsigned kind,
	const struct checker_hart *hart, uint64_t pc)
{
	if (checker->muted)
		return NULL;
	const uint64_t caller = caller_of(checker, hart, pc);
	for (uint32_t i = 0; i < checker->error_count; i++) {
		struct ear_memory_error *error = &checker->errors[i];
		if (error->kind != kind || key_of(error) != pc || error->caller != caller)
			continue;
		error->count++;
		return NULL;
	}
	if (checker->error_count == ERRORS_MAX) {
		checker->facts.lost++;
		return NULL;
	}
	if (!checker->errors)
		checker->errors = calloc(ERRORS_MAX, sizeof(*checker->errors));
	if (!checker->errors) {
		checker->failed = true;
		return NULL;
	}
	struct ear_memory_error *error = &checker->errors[checker->error_count++];
	*error = (struct ear_memory_error){.kind = kind,
		.hart = hart->number,
		.count = 1,
		.caller = caller,
		.moment = {checker->number, pc},
		.other = {checker->number, pc}};
	return error;
}

static int compare(const void *a, const void *b)
{
	const struct ear_memory_error *one = a, *other = b;

	if (one->moment.number != other->moment.number)
		return one->moment.number < other->moment.number ? -1 : 1;
	return one->kind < other->kind ? -1 : one->kind > other->kind;
}

size_t ear_memory_checker_errors(
	struct ear_memory_checker *checker, const struct ear_memory_error **errors)
{
	if (checker->error_count > 1)
		qsort(checker->errors, checker->error_count, sizeof(*checker->errors), compare);
	*errors = checker->errors;
	return checker->error_count;
}

/* A block that was freed, had the address, and began elsewhere. */
static void find_before(const struct heap *heap, uint64_t address, struct ear_memory_block *found)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct ear_memory_block *block = &heap->blocks[i];
		if (!block->is_free || block->address == found->address ||
			address - block->address >= block->bytes ||
			block->freed.number > found->allocated.number ||
			block->freed.number <= found->before_freed.number)
			continue;
		found->before_allocated = block->allocated;
		found->before_freed = block->freed;
	}
}

bool ear_memory_checker_block(const struct ear_memory_checker *checker, uint64_t address,
	struct ear_memory_block *block, size_t block_size)
{
	const struct ear_memory_block *near = ear_heap_near(&checker->heap, address);

	if (!near || address - near->address >= near->bytes)
		return false;
	struct ear_memory_block found = *near;
	find_before(&checker->heap, address, &found);
	memcpy(block, &found, block_size < sizeof(found) ? block_size : sizeof(found));
	return true;
}

bool ear_memory_checker_facts(
	const struct ear_memory_checker *checker, struct ear_memory_checker_facts *facts)
{
	const size_t size = facts->size;

	if (size == 0)
		return false;
	memcpy(facts, &checker->facts, size < sizeof(*facts) ? size : sizeof(*facts));
	facts->size = size;
	return true;
}
