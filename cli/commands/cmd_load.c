/* 'earshot load': a program into the system on a device; cli/live/loading.c does the work. */
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/live/live_session.h"
#include "cli/live/loading.h"
#include "cli/options/options.h"

struct load {
	struct loading loading;
	const char *device;
};

static const struct command_option table[] = {
	{"device", 'd', "DEVICE", VALUES_DEVICES,
		.text = "The device, named as for `earshot capture`.", .detail = "See {DEVICES}.",
		OPTION_VALUE(struct load, device)},
	{"entry", 0, "ADDRESS",
		.text = "Address or symbol of the first instruction (default: the entry point of the ELF "
			"file).",
		.detail = "`SYMBOL+OFFSET` is possible as well.",
		OPTION_VALUE(struct load, loading.entry_text)},
	{"run", 0, .text = "Release the core from reset at the end (default).",
		OPTION_VALUE(struct load, loading.runs)},
	{"no-run", 0, .text = "Leave the core in reset, for a capture that misses nothing.",
		OPTION_SETS(struct load, loading.runs, false)},
	QUIET_OPTION(struct load, loading.quiet),
	{0},
};

static int load_program(struct loading *loading, const char *device)
{
	struct ear_session *session;
	int status = EAR_EXIT_FAILED;

	if (!live_session_open(&session, device, NULL, loading->quiet))
		return EAR_EXIT_FAILED;
	if (cli_interrupted)
		cli_error("%s: interrupted; nothing has been loaded", device);
	else if (loading_run(loading, session))
		status = EAR_EXIT_DONE;
	live_session_close(session);
	return status;
}

static int run(int argc, char **argv)
{
	struct load load = {.loading = {.runs = true}};
	struct loading *loading = &load.loading;
	int status;

	int first = options_parse(&cmd_load, argc, argv, &load, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("load", first == argc ? "which program?" : "one program, please");
	if (!load.device)
		return cli_usage("load", "which device? Give -d DEVICE");
	loading->path = argv[first];
	if (!files_read("", loading->path) || !files_device(load.device) || !loading_read(loading))
		return EAR_EXIT_FAILED;
	status = load_program(loading, load.device);
	loading_free(loading);
	return status;
}

const struct command cmd_load = {
	.name = "load",
	.arguments = "[OPTION]... -d DEVICE PROGRAM.elf",
	.summary = "load a program into the system on a device",
	.about =
		"Load a program into the memory of the system on a device, through its capture unit, "
		"with the core in reset; each word is read back. Then the core is released. A later "
		"`earshot capture` begins with the program's first instruction.",
	.options = table,
	.exit_status = "0 loaded, 2 it could not be done.",
	.opens_device = true,
	.run = run,
};
