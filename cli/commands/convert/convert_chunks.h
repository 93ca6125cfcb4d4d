#ifndef EAR_CONVERT_CHUNKS_H
#define EAR_CONVERT_CHUNKS_H

#include "cli/commands/convert/convert.h"

/* By several threads: CONVERT_CHUNKS. */

/* Reads FILE in chunks if both formats can be cut. Returns false if not, and nothing has happened;
 * else what the first step gave is in *result. */
bool convert_chunks_open(struct convert *convert, int *result);

/* The output is open. Returns an exit status. */
int convert_chunks_run(struct convert *convert);

/* In any case. */
void convert_chunks_end(struct convert *convert);

/* A line of FILE is about to be reported: the comments before it come first. context is a struct
 * convert. */
void convert_chunks_before_report(void *context);

#endif
