/* 'earshot list': the devices that driver/tools/device_list.h finds, by the names that capture
 * takes.
 */
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"
#include "cli/show/json.h"
#include "driver/tools/device_list.h"

struct list {
	bool json;
};

static const struct command_option table[] = {
	JSON_OPTION(struct list, json, true, "Print one JSON object."),
	{0},
};

static void print_table(const struct ear_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%-18s %-14s %s%s\n", devices[i].name, devices[i].kind,
			devices[i].available ? "" : "not usable: ", devices[i].detail);
}

static void print_json(const struct ear_device *devices, size_t count)
{
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	json_open(&json, "devices", '[');
	for (size_t i = 0; i < count; i++) {
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		json_text(&json, "name", devices[i].name);
		json_text(&json, "kind", devices[i].kind);
		json_bool(&json, "usable", devices[i].available);
		json_text(&json, "detail", devices[i].detail);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}

static int run(int argc, char **argv)
{
	struct ear_device devices[EAR_DEVICE_COUNT_MAX];
	struct list list = {.json = false};
	bool usable = false;
	int status;

	int first = options_parse(&cmd_list, argc, argv, &list, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage("list", "takes no arguments");

	size_t count = ear_device_list(devices, EAR_DEVICE_COUNT_MAX);
	(list.json ? print_json : print_table)(devices, count);
	for (size_t i = 0; i < count; i++)
		usable |= devices[i].available;
	return usable ? EAR_EXIT_DONE : EAR_EXIT_NO;
}

const struct command cmd_list = {
	.name = "list",
	.arguments = "[OPTION]",
	.summary = "list the devices that can be captured from",
	.about = "List the devices that can be captured from. The name on the left is what "
		 "`earshot capture -d` takes. In JSON `devices` has one object each: `name`, "
		 "`kind`, `usable`, and `detail`, what it is or why it cannot be used.",
	.options = table,
	.exit_status = "0 at least one device can be used, 1 none can.",
	.opens_device = true,
	.run = run,
};
