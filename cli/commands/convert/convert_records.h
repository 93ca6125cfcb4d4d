#ifndef EAR_CONVERT_RECORDS_H
#define EAR_CONVERT_RECORDS_H

#include "cli/commands/convert/convert.h"

/* Record by record: CONVERT_ENCODE, CONVERT_UNPACK and CONVERT_WRITE. */

/* What is between records and the output, which is open. Returns false after printing why it cannot
 * be. */
bool convert_records_begin(struct convert *convert);

/* The next record, of the source or of the part. Returns as source_input_next. */
int convert_next(struct convert *convert, const struct ear_record **record);

/* All records. The first has been read already, and result is what reading it gave; of
 * CONVERT_UNPACK, and of a part, none was. Returns an exit status. */
int convert_records_run(struct convert *convert, const struct ear_record *record, int result);

/* In any case. */
void convert_records_end(struct convert *convert);

#endif
