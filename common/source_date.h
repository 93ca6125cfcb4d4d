#ifndef EAR_SOURCE_DATE_H
#define EAR_SOURCE_DATE_H

#include <stdbool.h>
#include <time.h>

/* The date of a file that is made from other files: the present time, or that of the environment's
 * SOURCE_DATE_EPOCH, seconds since 1970, so that who makes the file again gets the same bytes
 * (https://reproducible-builds.org/specs/source-date-epoch/).
 *
 * Returns true if the date is of the environment. A text there that is not a number is ignored.
 */
bool ear_source_date(time_t *date);

#endif
