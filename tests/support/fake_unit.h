#ifndef FAKE_UNIT_H
#define FAKE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/control_word.h"
#include "common/protocol/frame.h"

/* A capture unit without a core: it has registers, answers control words, and makes frames with
 * records that count up. Bytes in, bytes out; fake_transport and fake_board give it a link.
 */
#define FAKE_MEMORY_SIZE 0x18000u

struct fake_unit {
	uint32_t registers[0x200 / 4];
	uint32_t memory[FAKE_MEMORY_SIZE /
			4];     /* of its system, at 0x80000000, if FEATURES has LOAD */
	uint32_t stuck;         /* bits of memory that are always 1 */
	uint8_t major;          /* of its frames */
	uint16_t sequence;      /* of the next frame */
	uint64_t order;         /* of the next record */
	uint8_t tag_change;     /* added to the tag of every reply: not 0 is wrong */
	uint8_t address_change; /* the same with its address */
};

/* A healthy RV32 unit with all features but LOAD, the core held in reset. */
void fake_unit_init(struct fake_unit *unit);

/* Each writes whole frames to out, at most this many bytes, and returns the bytes written. */
#define FAKE_FRAME_MAX EAR_FRAME_SIZE_MAX

/* Do what a control word says, and answer. */
size_t fake_unit_answer(struct fake_unit *unit, uint8_t *out, const struct ear_control_word *word);

/* count records (1 .. FAKE_RECORDS_MAX): a frame. */
#define FAKE_RECORDS_MAX 34
size_t fake_unit_records(struct fake_unit *unit, uint8_t *out, unsigned count);

/* The end of a capture: STOP, with the statistics of the records until now. */
size_t fake_unit_stop(struct fake_unit *unit, uint8_t *out, uint8_t reason);

/* The next TEST message: a frame. */
size_t fake_unit_test(struct fake_unit *unit, uint8_t *out);

/* Is the test source on? */
bool fake_unit_testing(const struct fake_unit *unit);

/* The same for a link that takes 20 MB a second, so that no host is too slow: does the next one
 * come now? sent is the caller's count of them, from 0 on.
 */
bool fake_unit_test_due(
	const struct fake_unit *unit, uint64_t now_ms, uint64_t *begin_ms, uint64_t *sent);

/* Is the capture enabled, and is the core running? */
bool fake_unit_enabled(const struct fake_unit *unit);
bool fake_unit_core_runs(const struct fake_unit *unit);

#endif
