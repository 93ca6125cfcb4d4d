#ifndef EAR_COMPARE_HARTS_H
#define EAR_COMPARE_HARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "library/compare/compare.h"

/* Two traces of any number of harts in one pass: the records of each hart are compared with those
 * of the same hart (compare.h), however the harts take turns on each side.
 *
 *   A -> record of hart h -> queue of h \
 *                                        ear_compare of hart h -> events
 *   B -> record of hart h -> queue of h /
 *
 * As long as there is but one hart, nothing is queued. Memory is bounded by that of one comparison
 * for each hart, and by EAR_COMPARE_QUEUE_MAX.
 */
#define EAR_COMPARE_HARTS_MAX 1024
#define EAR_COMPARE_QUEUE_MAX 32768u /* records of a side that wait for the other side */

struct ear_compare_harts;

struct ear_compare_harts_options {
	/* Of each hart; with hart >= 0, that one is compared and the others are passed over. next
	 * is asked for records of any hart. */
	struct ear_compare_options compare;

	/* ear_reader_skip_equal of the two sides, or NULL. */
	size_t (*skip_equal)(void *context, struct ear_equal_lines *harts, size_t keep);
};

/* As ear_compare_new. */
int ear_compare_harts_new(
	struct ear_compare_harts **harts, const struct ear_compare_harts_options *options);
void ear_compare_harts_free(struct ear_compare_harts *harts);

/* Continue to the next event, of any hart. A hart whose sides part is not compared any more, but
 * the others are.
 *
 * Returns as ear_compare_next, and *compare, the comparison that is at the event; EAR_E_FULL if
 * the harts take turns so differently that too many records wait, or if there are too many harts.
 */
int ear_compare_harts_next(struct ear_compare_harts *harts, struct ear_compare_event *event,
	struct ear_compare **compare);

/* ear_compare_record of the comparison that is at the event; it may read on. */
const struct ear_record *ear_compare_harts_record(
	struct ear_compare_harts *harts, unsigned side, int position);

/* Sums over all harts. */
uint64_t ear_compare_harts_pairs(const struct ear_compare_harts *harts);
uint64_t ear_compare_harts_skipped(const struct ear_compare_harts *harts);

/* Interrupt handlers that were left out of a side. */
void ear_compare_harts_handlers(const struct ear_compare_harts *harts, unsigned side,
	struct ear_handler_statistics *statistics);

/* How often each rule was needed. */
void ear_compare_harts_rules(
	const struct ear_compare_harts *harts, uint64_t counts[EAR_RULE_COUNT]);

/* Is there more than one hart? */
bool ear_compare_harts_many(const struct ear_compare_harts *harts);

#endif
