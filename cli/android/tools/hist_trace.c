/* hist_trace: how far block numbers are from that of the block before. */
#include <inttypes.h>

#include "cli/android/tools/tool_list.h"

#define LOWEST  (-128)
#define HIGHEST 127

struct histogram {
	uint64_t counts[HIGHEST - LOWEST + 1], under, over, total;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print(FILE *out, const struct histogram *histogram)
{
	uint64_t sum = 0;

	for (int delta = LOWEST; delta <= HIGHEST; delta++) {
		uint64_t count = histogram->counts[delta - LOWEST];
		if (count == 0)
			continue;
		sum += count;
		fprintf(out, "%5d: %6" PRIu64 " %6.2f %6.2f\n", delta, count,
			percent(count, histogram->total), percent(sum, histogram->total));
	}
	fprintf(out, "under: %6" PRIu64 " %6.2f\n", histogram->under,
		percent(histogram->under, histogram->total));
	fprintf(out, "over:  %6" PRIu64 " %6.2f\n", histogram->over,
		percent(histogram->over, histogram->total));
	fprintf(out, "total: %6" PRIu64 "\n", histogram->total);
}

static int run(const struct ear_android_request *request)
{
	struct histogram histogram = {.total = 0};
	struct ear_android_run executed;
	int64_t before = 0;
	int result;

	while ((result = ear_android_trace_next(request->trace, &executed)) == 1) {
		int64_t number = (int64_t)executed.execution.number, delta = number - before;
		before = number;
		histogram.total++;
		if (delta < LOWEST)
			histogram.under++;
		else if (delta > HIGHEST)
			histogram.over++;
		else
			histogram.counts[delta - LOWEST]++;
	}
	if (result == 0)
		print(request->out, &histogram);
	return result;
}

const struct ear_android_tool ear_android_hist_trace = {
	.name = "hist_trace",
	.summary = "a histogram of the differences of block numbers",
	.run = run,
};
