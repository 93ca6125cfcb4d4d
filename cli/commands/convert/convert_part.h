#ifndef EAR_CONVERT_PART_H
#define EAR_CONVERT_PART_H

#include "cli/commands/convert/convert.h"

/* --part K/N: the text of the K-th of N parts of a capture. The texts of all of them, one after the
 * other, are that of the whole.
 */

/* What is wrong with the options; NULL: nothing. The format is known. */
const char *convert_part_refuse(const struct convert *convert);

/* Before the trace is opened: the right to read it and its index. */
void convert_part_confine(const struct convert *convert);

/* Where the part is; the source is open. Returns false after printing why not. */
bool convert_part_open(struct convert *convert);

/* The output is open: what the writer knows of the records before the part. Returns false after
 * printing why not. */
bool convert_part_begin(struct convert *convert);

/* The next record of the part; as source_input_next. */
int convert_part_next(struct convert *convert, const struct ear_record **record);

/* All records were written. Returns the exit status: of records that may be wrong, or a text that
 * depends on other parts, EAR_EXIT_FAILED; else status. */
int convert_part_judge(struct convert *convert, int status);

/* In any case. */
void convert_part_close(struct convert *convert);

#endif
