#ifndef EAR_READ_AHEAD_H
#define EAR_READ_AHEAD_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"

/* Records that another thread reads ahead: for sources whose records come one after another and
 * cannot be cut into chunks (parallel_reader.h), a capture file for instance, so that at least to
 * read them and to use them happens at once.
 *
 * Memory: 32 batches of at most 128 records or 256 KiB each, more if single records are larger.
 */
struct ear_read_ahead;

struct ear_read_ahead_use {
	void *context; /* of both */

	/* The next record, in the other thread: 1, 0 at the end, or an error, which ends it. */
	int (*next)(void *context, const struct ear_record **record);

	/* Report a line (ear_line_report), in the caller's thread. NULL: nothing is reported. */
	int (*report)(void *context, uint64_t line_number, uint64_t offset, const char *cause,
		enum ear_line_kind kind);
};

/* Begin. Returns 0 and *ahead, to be freed; EAR_E_NO_MEMORY if there is no memory or no thread. */
int ear_read_ahead_new(struct ear_read_ahead **ahead, const struct ear_read_ahead_use *use);

/* End, and free. Waits until next has returned: what it uses is the caller's again afterwards.
 * NULL is fine. */
void ear_read_ahead_free(struct ear_read_ahead *ahead);

/* The next record, valid until the next call; the caller may change it.
 *
 * Returns 1 and *record; 0 at the end, or an error of next, after all records that came before;
 * what report returned, if that is negative; EAR_E_NO_MEMORY. After 0 or an error of next the other
 * thread has ended.
 */
int ear_read_ahead_next(struct ear_read_ahead *ahead, const struct ear_record **record);

/* For next, in the other thread: report this before the record that it gives. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_read_ahead_report(struct ear_read_ahead *ahead, uint64_t line_number, uint64_t offset,
	const char *cause, enum ear_line_kind kind);

#endif
