/* The date of a made file, from SOURCE_DATE_EPOCH or the clock. Digits only, and at most ten:
 * strtoll alone would take blanks, a sign and any text, and gmtime_r fails for years of ten digits.
 */
#include "common/source_date.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 10 /* until the year 2286 */

bool ear_source_date(time_t *date)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	size_t size = text ? strlen(text) : 0;

	if (size > 0 && size <= DIGITS_MAX && strspn(text, "0123456789") == size) {
		*date = (time_t)strtoll(text, NULL, 10);
		return true;
	}
	*date = time(NULL);
	return false;
}
