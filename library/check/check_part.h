#ifndef EAR_CHECK_PART_H
#define EAR_CHECK_PART_H

#include "library/check/checker.h"

/* The check of a part of a capture, which knows nothing of the records before it.
 *
 * Most records pass by the fast path (check_run.h). That needs few things of what was before: some
 * x registers, bytes of memory that do not change by themselves, where the hart is. So of a stretch
 * of them (a *segment*) the part keeps what has to hold for it and what comes of it. All other
 * records are kept as they are. check_replay.h does with them what the whole check would do.
 *
 *     ear_check_part_new -> push, push_run .. -> finish -> free
 *
 * It is all rows of numbers, in order:
 */
enum check_row {
	CHECK_ROW_SEGMENT, /* of struct check_segment, but values */
	CHECK_ROW_VALUES,  /* its values */
	CHECK_ROW_STORED, /* address, a bit for each of 8 bytes, their values: segments stored it */
	CHECK_ROW_FETCHES,  /* place, pc, opcode, how often segments used it (check_image.h) */
	CHECK_ROW_ADOPT,    /* hart, x register, value: the part supposes that it is known */
	CHECK_ROW_REGISTER, /* class, number, value: one that the next record writes */
	CHECK_ROW_READ,     /* the same, one that it read */
	CHECK_ROW_ACCESS,   /* of struct ear_record_access */
	CHECK_ROW_RECORD,   /* of struct ear_record; then how often memory was forgotten by it, and
			     * whether its opcode is in the cache of fetches */
	CHECK_ROW_LOADED,   /* address, a bit for each of 64 bytes: segments loaded it */
	CHECK_ROW_END,      /* pages of memory, most at one time; records of other kinds */
	CHECK_ROW_BROKEN,   /* something cannot be said by rows */
	CHECK_ROWS
};

#define CHECK_ROW_MAX     31u   /* numbers of one */
#define CHECK_PENDING_MAX 4096u /* registers, or accesses, of a record */

typedef int check_row_taker(void *context, unsigned kind, const uint64_t *numbers, unsigned count);

/* What an x register of a hart holds before the part, as far as somebody knows. */
typedef bool check_register_before(void *context, uint16_t hart, unsigned number, uint64_t *value);

struct ear_check_part;

/* options: found is not used. first: the part begins with the trace. */
int ear_check_part_new(struct ear_check_part **part, const struct ear_checker_options *options,
	bool first, check_row_taker *take, check_register_before *before, void *context);
void ear_check_part_free(struct ear_check_part *part);

/* As those of a checker; or what the taker returned. */
int ear_check_part_push(struct ear_check_part *part, const struct ear_record *record,
	uint64_t position, uint64_t number);
int ear_check_part_push_run(struct ear_check_part *part, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands,
	uint64_t position, uint64_t number);
int ear_check_part_finish(struct ear_check_part *part);

#endif
