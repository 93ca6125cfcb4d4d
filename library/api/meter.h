#ifndef EAR_METER_H
#define EAR_METER_H

#include <stdint.h>

#include <earshot/trace.h>

/* Progress of one call of a user: asks the clock now and then, and the user's function every 50 ms.
 */
struct ear_meter {
	struct ear_progress progress; /* call NULL: none */
	const char *what;
	uint64_t done, total;
	uint64_t next;    /* done at which the clock is asked again */
	int64_t since_ms; /* the function was called */
};

/* Begin. progress may be NULL, or of an older program. total 0: unknown. */
void ear_meter_begin(struct ear_meter *meter, const struct ear_progress *progress, const char *what,
	uint64_t total);

/* Ask the clock. Returns 0, or EAR_E_CANCELLED. */
int ear_meter_ask(struct ear_meter *meter);

#define EAR_METER_STEP 4096 /* records, between two looks at the clock */

/* So many units more are done. Asks the clock now and then. Returns as ear_meter_ask. */
static inline int ear_meter_pass(struct ear_meter *meter, uint64_t count)
{
	meter->done += count;
	return meter->done < meter->next ? 0 : ear_meter_ask(meter);
}

#endif
