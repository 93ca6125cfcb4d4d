#ifndef EAR_INDEX_CHECK_H
#define EAR_INDEX_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/index/index.h"
#include "random.h"

/* Does an index answer what a plain scan of its trace answers? */

struct index_check {
	const char *path; /* of the trace */
	const char *name; /* for messages */
	unsigned stretch; /* cost of a stretch */
	unsigned jobs;
	unsigned queries, moments; /* so many random ones */
	bool grown;                /* there is an index, which is extended if that can be */
	struct ear_reader_options reader;
};

/* What was compared. */
struct index_checked {
	uint64_t records, nodes;
	uint64_t parts; /* that other threads built */
	unsigned extended;
	uint64_t reports;   /* of lines, by readers */
	uint64_t found;     /* queries that found something */
	uint64_t registers; /* known ones, of all moments */
	uint64_t bytes;     /* known ones */
	uint64_t frames;
	uint64_t decoded; /* records that the queries decoded */
};

/* Build the index of the trace and ask it. Fails the test where an answer differs. */
void index_check_file(
	const struct index_check *check, struct index_checked *checked, struct random *random);

#endif
