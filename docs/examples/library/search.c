/* Where a program went through an address: the first and the last time, and how often; and the
 * traps of the trace.
 *
 *     ./search run.shot ADDRESS
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/earshot.h>

static int print_trap(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	(void)context;
	(void)number;
	printf("position %" PRIu64 ": %s %" PRIu64 " at %" PRIx64 "\n", position,
		record->flags & EAR_RECORD_INTERRUPT ? "interrupt" : "exception",
		record->cause & INT32_MAX, record->pc);
	return 0;
}

static int search(struct ear_trace *trace, uint64_t address)
{
	const struct ear_span span = {address, address};
	struct ear_query query = EAR_QUERY_ANY, traps = EAR_QUERY_ANY;
	uint64_t first, last, count = 0;

	query.pcs = &span;
	query.pc_count = 1;
	int result = ear_trace_find(trace, &query, 0, EAR_FORWARD, &first, NULL);
	if (result == 1)
		result = ear_trace_find(trace, &query, UINT64_MAX, EAR_BACKWARD, &last, NULL);
	if (result == 1)
		result = ear_trace_count_found(trace, &query, 0, UINT64_MAX, &count, NULL);
	if (result >= 0 && count > 0)
		printf("%" PRIu64 " times, first at position %" PRIu64 ", last at %" PRIu64 "\n",
			count, first, last);
	else if (result == 0)
		printf("never\n");
	traps.traps = EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT;
	if (result >= 0)
		result = ear_trace_find_all(trace, &traps, 0, UINT64_MAX, print_trap, NULL, NULL);
	return result;
}

int main(int argc, char **argv)
{
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;

	if (argc != 3) {
		fprintf(stderr, "usage: search TRACE ADDRESS\n");
		return 2;
	}
	options.error = error;
	if (ear_trace_open(&trace, argv[1], &options) != 0) {
		fprintf(stderr, "search: %s\n", error);
		return 1;
	}
	int result = search(trace, strtoull(argv[2], NULL, 0));
	if (result < 0)
		fprintf(stderr, "search: %s\n", ear_trace_error(trace));
	ear_trace_close(trace);
	return result < 0;
}
