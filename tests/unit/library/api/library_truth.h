#ifndef EAR_LIBRARY_TRUTH_H
#define EAR_LIBRARY_TRUTH_H

#include <earshot/earshot.h>

/* What tests of the library compare with: all records of a trace, read by the reader that the
 * commands use, with no part of library/api/ in the way.
 */
struct truth {
	char path[256], index[256]; /* the file, and where an index of it may be */
	struct ear_record **records;
	size_t count;
	uint64_t *numbers; /* of the next instruction, at each position; count + 1 of them */
	bool made;         /* the file is ours */
};

/* The traces: files of tests/data in several formats, and captures made from a seed. NULL after
 * the last one; to be freed with truth_free. */
struct truth *truth_of(size_t number);
void truth_free(struct truth *truth);

/* Open the trace; fails the test if that cannot be done. */
struct ear_trace *truth_open(const struct truth *truth);

/* The same with an index, which has many parts however short the trace is. */
struct ear_trace *truth_open_indexed(const struct truth *truth);

/* Fails the test unless the trace has an index. */
void truth_check_index(const struct truth *truth, struct ear_trace *trace);

/* Fails the test unless the record is that at position. */
void truth_check(const struct truth *truth, const struct ear_record *record, uint64_t position);

#endif
