/* The progress of a function of the library, as a line; Ctrl-C ends the function. Apart from the
 * line itself, which signals do not concern.
 */
#include "cli/base/progress_call.h"

#include "cli/base/cli.h"
#include "cli/base/progress.h"

int cli_progress_call(void *context, uint64_t done, uint64_t total, const char *what)
{
	static double last;

	(void)context;
	if (cli_interrupted)
		return 1;
	if (!cli_progress_due(&last))
		return 0;
	if (total > 0 && done <= total)
		cli_progress("%s, %.0f %%", what, 100.0 * (double)done / (double)total);
	else
		cli_progress("%s", what);
	return 0;
}
