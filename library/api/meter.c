/* Progress and cancelling. The clock is asked every few thousand records, which takes some
 * milliseconds even of the slowest text, and the user's function at most every 50 ms, so neither
 * costs anything that can be measured.
 */
#include "library/api/meter.h"

#include <time.h>

#include "common/versioned.h"

#define INTERVAL_MS 50

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void ear_meter_begin(struct ear_meter *meter, const struct ear_progress *progress, const char *what,
	uint64_t total)
{
	*meter = (struct ear_meter){.what = what, .total = total, .next = UINT64_MAX};
	if (!progress || ear_versioned_read(&meter->progress, sizeof(meter->progress), progress) ||
		!meter->progress.call)
		return;
	meter->next = EAR_METER_STEP;
	meter->since_ms = now_ms();
}

int ear_meter_ask(struct ear_meter *meter)
{
	if (!meter->progress.call)
		return 0;
	int64_t now = now_ms();
	meter->next = meter->done + EAR_METER_STEP;
	if (now - meter->since_ms < INTERVAL_MS)
		return 0;
	meter->since_ms = now;
	return meter->progress.call(meter->progress.context, meter->done, meter->total, meter->what)
		       ? EAR_E_CANCELLED
		       : 0;
}
