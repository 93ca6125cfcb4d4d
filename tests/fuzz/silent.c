/* Messages of the commands go nowhere. */
#include "cli/base/cli.h"

void cli_error(const char *format, ...)
{
	(void)format;
}
