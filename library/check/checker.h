#ifndef EAR_SELF_CHECKER_H
#define EAR_SELF_CHECKER_H

#include <stdint.h>

#include "decoder/record/operands.h"
#include "library/check/checker_options.h"

/* The self-check of records, whatever they came from: docs/check.md. */
struct ear_checker;

/* Returns 0 and the checker, or EAR_E_NO_MEMORY. */
int ear_checker_new(struct ear_checker **checker, const struct ear_checker_options *options);
void ear_checker_free(struct ear_checker *checker);

/* Another one with the same state. Returns 0 and the copy, or EAR_E_NO_MEMORY. */
int ear_checker_copy(struct ear_checker **copy, const struct ear_checker *checker);

/* The next record of any kind. Returns 0, what found returned, EAR_E_NO_MEMORY, or EAR_E_FULL: more
 * harts than EAR_CHECKER_HARTS_MAX. */
#define EAR_CHECKER_HARTS_MAX 1024
int ear_checker_push(struct ear_checker *checker, const struct ear_record *record,
	uint64_t position, uint64_t number);

/* The next records as a run; the first one has that position and number. operands: what each read;
 * NULL: not shown. Returns as ear_checker_push. It is as that of each record, and faster. */
int ear_checker_push_run(struct ear_checker *checker, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands,
	uint64_t position, uint64_t number);

/* All of it but size. */
const struct ear_check_counts *ear_checker_counts(const struct ear_checker *checker);

#endif
