/* Device names with options. The parts are copied into the caller's structure, in one pass from the
 * left; the first part that does not fit or is not known ends it with a message that quotes it.
 */
#include "driver/link/device_name.h"

#include <earshot/error.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_known(const char *key, const char *const *known)
{
	while (*known && strcmp(*known, key) != 0)
		known++;
	return *known != NULL;
}

/* Copy text[0 .. length-1]. False if it does not fit. */
static bool copy(char *to, size_t room, const char *text, size_t length)
{
	if (length >= room)
		return false;
	memcpy(to, text, length);
	to[length] = '\0';
	return true;
}

int ear_device_name_parse(struct ear_device_name *name, const char *device,
	const char *const *known, struct ear_report *report)
{
	const char *text = strchr(device, ':') + 1;
	size_t length = strcspn(text, ",");

	memset(name, 0, sizeof(*name));
	if (!copy(name->what, sizeof(name->what), text, length))
		return ear_report_set(
			report, EAR_E_BAD_ARGUMENT, "%.100s...: this name is too long", device);
	for (text += length; *text; text += length) {
		const char *equals = strchr(++text, '=');
		unsigned i = name->option_count;

		length = strcspn(text, ",");
		if (!equals || equals > text + length || i == EAR_DEVICE_OPTION_MAX ||
			!copy(name->options[i].key, sizeof(name->options[i].key), text,
				(size_t)(equals - text)) ||
			!copy(name->options[i].value, sizeof(name->options[i].value), equals + 1,
				length - (size_t)(equals + 1 - text)) ||
			!is_known(name->options[i].key, known))
			return ear_report_set(report, EAR_E_BAD_ARGUMENT,
				"%s: '%.*s' is not an option of this device", device, (int)length,
				text);
		name->option_count++;
	}
	return 0;
}

const char *ear_device_name_option(const struct ear_device_name *name, const char *key)
{
	for (unsigned i = 0; i < name->option_count; i++)
		if (strcmp(name->options[i].key, key) == 0)
			return name->options[i].value;
	return NULL;
}
