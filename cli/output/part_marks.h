#ifndef EAR_PART_MARKS_H
#define EAR_PART_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks (include/earshot/marks.h) of traces whose records are in another one now. */

/* A trace, and where its records went. */
struct part_marks_source {
	const char *path;
	/* Where the moment before this position is in the output; false: it is not in it. */
	bool (*find)(const void *context, uint64_t position, uint64_t *written);
	const void *context;
};

/* Does a trace have marks, so that the output will? Asked before rights are given up. */
bool part_marks_exist(const char *path);

/* Mark the output as its sources are marked. Two of them may have the same mark, which is one; of
 * two that only share a name the later one gets the number of its source. Returns false after
 * printing what could not be kept. */
bool part_marks_copy(const struct part_marks_source *sources, size_t count, const char *output);

#endif
