#ifndef EAR_COMMON_PREFIX_H
#define EAR_COMMON_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What two Whisper CSV files have in common at their beginning, byte for byte. Comparing
 * bytes is many times faster than reading records, and two traces that are compared are
 * mostly the same up to where they part.
 */
struct common_prefix {
	uint64_t bytes;    /* 0: nothing can be left out; else it ends behind a line end */
	uint64_t lines;    /* lines in it, header lines too */
	uint64_t records;  /* instruction records in it */
	char header[1024]; /* the first line, with its end: columns are named there */
	size_t header_size;
};

/* Look at two files from their beginning. The prefix leaves some lines before the first difference
 * to be read, so that they can be shown. Nothing is found in pipes, in packed files, in other
 * formats, or in files with gaps in the common part. The files' positions are left at 0.
 */
void common_prefix_find(struct common_prefix *prefix, int fd_a, int fd_b);

#endif
