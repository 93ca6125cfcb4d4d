#ifndef EAR_ANCHOR_CHECK_H
#define EAR_ANCHOR_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/source/source_anchor.h"
#include "random.h"

/* Do anchors of a trace hold what they promise? */

struct anchor_check {
	struct ear_source_options options;
	bool with_reads;
	unsigned anchors;    /* at so many random records; 0: at every record */
	size_t follow;       /* records compared after each; 0: all */
	size_t most_refused; /* so many anchors may be refused, at the end of the trace; */
	bool anywhere;       /* or anywhere, each right before one that is not */
	const char *name;    /* for messages */
};

/* A number that depends on every field of a record and on all that it points to. */
uint64_t anchor_check_digest(const struct ear_record *record);

/* A source of a file in memory; closes nothing. Fails the test if it cannot be made. */
struct ear_source *anchor_check_open(int fd, const struct anchor_check *check);

/* Read the file fd from its beginning; anchor at records; go to each anchor in a source that has
 * read nothing, and in one that was elsewhere: the records after it must be equal in every field,
 * and so must the checksum from one anchor to the next. Returns the number of records.
 */
size_t anchor_check_file(int fd, const struct anchor_check *check, struct random *random);

#endif
