/* The checker of memory errors as an analysis. A part counts nothing: it cannot be joined, so the
 * whole gets its batches.
 */
#include "analyses/memory_errors/memory_errors_analysis.h"

#include <earshot/error.h>
#include <earshot/memory_errors.h>

static int create(void **count, const struct ear_analysis_setup *setup)
{
	struct ear_memory_checker *checker = NULL;
	const int result = setup->part ? 0 : ear_memory_checker_new(&checker, setup->options, NULL);

	*count = checker;
	return result;
}

static void free_count(void *count)
{
	ear_memory_checker_free(count);
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	(void)task;
	if (count)
		ear_memory_checker_mute(count, !wanted);
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	return count ? ear_memory_checker_batch(count, batch) : 0;
}

static int join(void *whole, void *next)
{
	(void)whole;
	(void)next;
	return EAR_E_UNSUPPORTED;
}

static void again(void *whole, bool begins)
{
	(void)whole;
	(void)begins;
}

const struct ear_analysis ear_memory_errors_analysis = {
	.name = "memory --errors",
	.create = create,
	.free = free_count,
	.task = set_task,
	.batch = take_batch,
	.join = join,
	.again = again,
	.direct = true,
};
