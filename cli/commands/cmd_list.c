#include <getopt.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "driver/tools/device_list.h"

static void print_help(void)
{
	fputs("usage: earshot list\n"
	      "List the devices that can be captured from. The name at the left is what\n"
	      "'earshot capture -d' takes.\n\n"
	      "  -h, --help  this text\n\n"
	      "Exit status: 0 at least one device can be used, 1 none can.\n",
		stdout);
}

int cmd_list(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	bool usable = false;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option != 'h')
			return cli_usage("list", "bad option");
		print_help();
		return EAR_EXIT_DONE;
	}
	if (optind != argc)
		return cli_usage("list", "takes no arguments");

	size_t count = ear_device_list(devices, EAR_DEVICE_COUNT_MAX);
	for (size_t i = 0; i < count; i++) {
		printf("%-18s %-14s %s%s\n", devices[i].name, devices[i].kind,
			devices[i].available ? "" : "not usable: ", devices[i].detail);
		usable |= devices[i].available;
	}
	return usable ? EAR_EXIT_DONE : EAR_EXIT_NO;
}
