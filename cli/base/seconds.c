/* The clock of rates, limits and the progress line: monotonic, so that setting the time of day
 * neither ends a capture nor makes a rate negative.
 */
#include "cli/base/seconds.h"

#include <time.h>

double cli_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
