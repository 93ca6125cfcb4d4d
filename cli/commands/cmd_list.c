/* 'earshot list': the devices that driver/tools/device_list.h finds, by the names that capture
 * takes.
 */
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"
#include "driver/tools/device_list.h"

static const struct command_option table[] = {{0}};

static int run(int argc, char **argv)
{
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	bool usable = false;
	int status;

	int first = options_parse(&cmd_list, argc, argv, NULL, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage("list", "takes no arguments");

	size_t count = ear_device_list(devices, EAR_DEVICE_COUNT_MAX);
	for (size_t i = 0; i < count; i++) {
		printf("%-18s %-14s %s%s\n", devices[i].name, devices[i].kind,
			devices[i].available ? "" : "not usable: ", devices[i].detail);
		usable |= devices[i].available;
	}
	return usable ? EAR_EXIT_DONE : EAR_EXIT_NO;
}

const struct command cmd_list = {
	.name = "list",
	.arguments = "",
	.summary = "list the devices that can be captured from",
	.about = "List the devices that can be captured from. The name on the left is what "
		 "`earshot capture -d` takes.",
	.options = table,
	.exit_status = "0 at least one device can be used, 1 none can.",
	.opens_device = true,
	.run = run,
};
