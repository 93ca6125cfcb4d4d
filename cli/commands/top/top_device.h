#ifndef EAR_TOP_DEVICE_H
#define EAR_TOP_DEVICE_H

#include "cli/input/symbol_file.h"
#include "cli/top/top_options.h"

#define TOP_DEVICE_TIME 2u /* the default of --time: "record" of its words */

/* A live view of a device, whose capture is not kept. */
struct top_device {
	const char *device; /* NULL: a trace is shown */
	unsigned policy;    /* enum ear_policy */
	unsigned time_mode; /* EAR_TIME_MODE_* */
	bool keep_running;
	bool quiet;
};

/* Returns the exit status. */
int top_device_run(const struct top_device *device, const struct top_options *options,
	struct symbol_file *symbols);

#endif
