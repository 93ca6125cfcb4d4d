#ifndef EAR_TRIGGER_TEXT_H
#define EAR_TRIGGER_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/input/symbol_file.h"
#include "cli/live/until.h"
#include "driver/session/capture_config.h"

/* What a capture's options say about the unit's triggers and filter. The texts are kept until all
 * options are known, because the symbols in them may come from a file that is named later.
 *
 * TRIGGER: pc=ADDRESS[/MASK], opcode=VALUE[/MASK], addr=WHERE[:r|:w|:rw[=DATA[/MASK]]],
 * cycles=N, records=N, pin, mismatch, or a function, a line or =NAME, which is pc= of it. A range
 * of pc: pc=WHERE. ADDRESS and WHERE are of any form of earshot/address.h; the ADDRESS is the first
 * one there.
 *
 * The event that a flight recorder waits for: a TRIGGER, trap[=CAUSE], exception[=CAUSE] or
 * interrupt[=CAUSE]; trap is either.
 */
struct trigger_text {
	const char *start, *stop, *until, *modes; /* NULL not given */
	const char *ranges[EAR_FILTER_RANGE_COUNT];
	uint8_t range_modes[EAR_FILTER_RANGE_COUNT]; /* EAR_FILTER_RANGE_* */
	unsigned range_count;
	struct symbol_file symbols; /* closed when everything was parsed */
};

/* Keep one more range of pc. Returns false if the unit has no more. */
bool trigger_text_add_range(struct trigger_text *text, uint8_t mode, const char *range);

/* Was anything asked for that only the unit can do? */
bool trigger_text_wanted(const struct trigger_text *text);

/* Put all of it into *config. Returns false after printing what is wrong. */
bool trigger_text_parse(struct trigger_text *text, struct ear_capture_config *config);

/* What text->until waits for. Returns as trigger_text_parse. */
bool trigger_text_parse_until(struct trigger_text *text, struct until *until);

#endif
