#ifndef EAR_DEVICE_NAME_H
#define EAR_DEVICE_NAME_H

#include <stddef.h>

#include "driver/base/report.h"

/* Names of devices with options: "SCHEME:WHAT,key=value,...". */

#define EAR_DEVICE_OPTION_MAX 4

struct ear_device_name {
	char what[256];
	struct {
		char key[16], value[160];
	} options[EAR_DEVICE_OPTION_MAX];
	unsigned option_count;
};

/* Parse what follows the scheme of a name. known is the list of allowed keys, with NULL at its end.
 * Returns 0, or EAR_E_BAD_ARGUMENT with the reason.
 */
int ear_device_name_parse(struct ear_device_name *name, const char *device,
	const char *const *known, struct ear_report *report);

/* The value of an option, or NULL. */
const char *ear_device_name_option(const struct ear_device_name *name, const char *key);

#endif
