#ifndef EAR_ANALYSES_TIMELINE_EVENTS_H
#define EAR_ANALYSES_TIMELINE_EVENTS_H

#include "analyses/timeline/timeline_state.h"

struct timeline_trap {
	bool interrupt;
	bool has_cause; /* one of RISC-V */
	uint8_t xlen;
	uint64_t cause;
};

#define TIMELINE_EVENT_TEXT 200u /* bytes of an event's name that are taken */

/* All at the record that has arrived; number is its. */
void timeline_trap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct timeline_trap *trap, uint64_t number);
/* enum ear_privilege */
void timeline_privilege(struct ear_timeline *timeline, struct timeline_hart *hart,
	uint8_t privilege, uint64_t number);

/* A gap of a hart. forgotten: of its calls none is known any more. */
void timeline_gap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_gap *gap, bool forgotten, uint64_t number);
/* What software says. */
void timeline_event(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_event *event, const struct timeline_at *at);

#endif
