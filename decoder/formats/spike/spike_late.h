#ifndef EAR_SPIKE_LATE_H
#define EAR_SPIKE_LATE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/formats/base/record_builder.h"

/* Records whose value is not there yet, and those after them, in the order of the log.
 *
 * A core with a scoreboard, as Rocket, commits a load or a division before its value is known, and
 * writes "x5 p5 0xXXXX" into its line. The value comes in a line of its own, "x5 p5 0x..", some
 * instructions later. A record that waits holds back at most EAR_SPIKE_LATE_MAX records.
 */
#define EAR_SPIKE_LATE_MAX 64

struct ear_spike_late;

/* NULL if memory is short; free takes NULL. */
struct ear_spike_late *ear_spike_late_new(void);
void ear_spike_late_free(struct ear_spike_late *late);

/* The record that is built waits for this register; not any more. */
void ear_spike_late_expect(struct ear_spike_late *late, const struct ear_record_builder *builder,
	enum ear_register_class reg_class, uint16_t number);
void ear_spike_late_forget(struct ear_spike_late *late, const struct ear_record_builder *builder);

/* A value has come: it joins the oldest record that waits for the register, open being the newest
 * (NULL: there is none). Returns 0, 1 if none waits for it, or EAR_E_NO_MEMORY. */
int ear_spike_late_arrive(struct ear_spike_late *late, struct ear_record_builder *open,
	const struct ear_record_register *reg);

/* Keep a complete record of the pair, if it waits or one before it does. Its builder in the pair is
 * another one then. */
bool ear_spike_late_keep(
	struct ear_spike_late *late, struct ear_record_pair *pair, const struct ear_record *record);

/* The oldest record that was kept, if it waits no longer; NULL: there is none. Valid until the next
 * call. */
const struct ear_record *ear_spike_late_take(struct ear_spike_late *late);

/* What is kept waits no longer: its values are unknown. Returns whether anything waited. */
bool ear_spike_late_give_up(struct ear_spike_late *late);

/* Is anything kept, or does the open record wait? */
bool ear_spike_late_waits(const struct ear_spike_late *late);

#endif
