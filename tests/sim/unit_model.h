/* What the capture unit should do with the entries of a bench: a plain model of filter and
 * triggers, and a replay of the message stream through the reference encoder.
 */
#ifndef EAR_UNIT_MODEL_H
#define EAR_UNIT_MODEL_H

#include "tb_unit.h"

struct trigger_model {
	unsigned kind = EAR_TRIGGER_NONE;
	bool reads = false, writes = false;
	uint64_t value = 0, mask = 0, data = 0, data_mask = 0;
};

struct unit_model {
	bool drop = false;
	unsigned time_mode = EAR_TIME_MODE_OFF;
	uint32_t filter = 0xF00;
	uint64_t low[4] = {}, high[4] = {};
	trigger_model start, stop;
};

/* Write filter and triggers to the unit. */
void model_configure(bench &b, const unit_model &model);

/* What became of a capture. */
struct outcome {
	uint64_t retired, delivered, lost, filtered;
	uint64_t gap_count;
	uint64_t held;                   /* clocks, by its EVENTs */
	uint64_t port_events, port_lost; /* writes to the event port: sent, and lost */
	uint64_t port_short;             /* those sent as PORT */
	uint8_t reason;
};

/* Hold every byte that came since enable() against the reference encoder, and the statistics in
 * STOP against the model. All messages of the capture must be there. Triggers that fire on a clock
 * instead of a record (CYCLES, PIN) must not be configured.
 * mirror_flushes: also end frames where the unit ended them, for captures with idle flushes.
 */
outcome model_verify(bench &b, const unit_model &model, bool mirror_flushes = false);

#endif
