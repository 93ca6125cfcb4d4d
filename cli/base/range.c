/* Numbers and ranges of addresses as options take them. A range is taken from the front and the
 * caller looks at what follows, because it may be one of a list.
 */
#include "cli/base/range.h"

#include <errno.h>
#include <stdlib.h>

bool cli_take_number(const char **at, uint64_t *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	*at = end;
	return errno == 0;
}

bool cli_take_range(const char **at, uint64_t *first, uint64_t *last)
{
	uint64_t number;

	if (!cli_take_number(at, first))
		return false;
	*last = *first;
	char separator = **at;
	if (separator != '-' && separator != '+')
		return true;
	(*at)++;
	if (!cli_take_number(at, &number))
		return false;
	if (separator == '-')
		*last = number;
	else if (number == 0)
		return false;
	else
		*last += number - 1;
	return *last >= *first;
}
