/* The progress of a conversion, which every way shows. */
#include "cli/commands/convert/convert.h"

#include <inttypes.h>

#include "cli/base/progress.h"
#include "cli/input/input.h"

void convert_show_progress(struct convert *convert)
{
	if (!cli_progress_due(&convert->last_progress))
		return;
	int percent = input_percent(convert->input.fd, convert->input.size);
	if (percent >= 0)
		cli_progress("converting: %d%%, %" PRIu64 " records", percent,
			convert->input.record_count);
	else
		cli_progress("converting: %" PRIu64 " records", convert->input.record_count);
}
