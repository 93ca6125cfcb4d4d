/* Many handles of one trace, each in a thread of its own, at the same time: ThreadSanitizer watches
 * (scripts/test), and every answer is right.
 */
#include "check.h"

#include <pthread.h>

#include "library_truth.h"
#include "random.h"

#define THREADS 6

struct job {
	const struct truth *truth;
	uint64_t seed;
	unsigned wrong; /* cmocka's failures belong to the main thread */
};

static bool read_some(struct ear_trace *trace, const struct truth *truth, uint64_t position)
{
	const struct ear_record *record;

	if (ear_trace_seek(trace, position, NULL) != 1)
		return false;
	for (uint64_t i = position; i < truth->count && i < position + 40; i++)
		if (ear_trace_next(trace, &record) != 1 ||
			record->kind != truth->records[i]->kind ||
			record->pc != truth->records[i]->pc ||
			record->index != truth->records[i]->index)
			return false;
	return true;
}

static bool find_some(struct ear_trace *trace, const struct truth *truth, uint64_t from)
{
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position, want = from;

	query.accesses = EAR_QUERY_WRITE;
	for (; want < truth->count; want++) {
		const struct ear_record *record = truth->records[want];
		bool writes = false;
		for (size_t i = 0; i < record->memory_count; i++)
			writes = writes || (record->memory[i].write && !record->memory[i].masked);
		if (writes)
			break;
	}
	int found = ear_trace_find(trace, &query, from, EAR_FORWARD, &position, NULL);
	return found == (want < truth->count) && (found == 0 || position == want);
}

static bool ask_moment(struct ear_trace *trace, const struct truth *truth, uint64_t position)
{
	struct ear_moment *moment;
	uint8_t bytes[64];
	uint64_t value;

	if (ear_moment_new(&moment, trace, position, NULL))
		return false;
	bool right = ear_moment_number(moment) == truth->numbers[position];
	ear_moment_register(moment, ear_moment_hart(moment), EAR_REGISTER_X, 5, &value);
	right = right && ear_moment_memory(moment, 0x80000000, bytes, NULL, 64, NULL) >= 0;
	ear_moment_free(moment);
	return right;
}

static void *work(void *context)
{
	struct job *job = context;
	struct random random = {job->seed};
	struct ear_instructions *instructions;
	struct ear_trace *trace;
	char text[80];

	if (ear_trace_open(&trace, job->truth->path, NULL) ||
		ear_instructions_new(&instructions, job->seed % 2 ? "rv32i" : NULL, NULL)) {
		job->wrong++;
		return NULL;
	}
	for (unsigned i = 0; i < 6; i++) {
		uint64_t position = random_below(&random, job->truth->count);
		job->wrong += !read_some(trace, job->truth, position);
		job->wrong += !find_some(trace, job->truth, position);
		ear_instruction_text(
			instructions, job->truth->records[position], text, sizeof(text));
	}
	job->wrong += !ask_moment(trace, job->truth, random_below(&random, job->truth->count));
	ear_instructions_free(instructions);
	ear_trace_close(trace);
	return NULL;
}

static void handles_of_one_trace_work_in_parallel(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t)); t++, truth_free(truth)) {
		pthread_t threads[THREADS];
		struct job jobs[THREADS];
		for (unsigned i = 0; i < THREADS; i++) {
			jobs[i] = (struct job){truth, i + 1, 0};
			assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
		}
		for (unsigned i = 0; i < THREADS; i++) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
			if (jobs[i].wrong)
				fail_msg("%s: %u wrong answers", truth->path, jobs[i].wrong);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_of_one_trace_work_in_parallel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
