/* The table of commands: main.c runs them, the man page and the completions are made from it. A
 * command is added by its file in commands/ and a row here.
 */
#include "cli/commands.h"

#include <string.h>

#include "cli/commands/cmd.h"
#include "cli/options/suggest.h"

const struct command *const commands[] = {
	&cmd_capture,
	&cmd_decode,
	&cmd_convert,
	&cmd_browse,
	&cmd_show,
	&cmd_grep,
	&cmd_state,
	&cmd_history,
	&cmd_gdb,
	&cmd_why,
	&cmd_check,
	&cmd_diff,
	&cmd_infer,
	&cmd_stat,
	&cmd_profile,
	&cmd_calls,
	&cmd_memory,
	&cmd_timeline,
	&cmd_coverage,
	&cmd_branches,
	&cmd_report,
	&cmd_top,
	&cmd_info,
	&cmd_list,
	&cmd_doctor,
	&cmd_selftest,
	&cmd_flash,
	&cmd_load,
	&cmd_serve,
	&cmd_index,
	&cmd_cut,
	&cmd_join,
	&cmd_archive,
	&cmd_restore,
	&cmd_farm,
	&cmd_new_board,
	&cmd_control,
	&cmd_dump,
	&cmd_android,
	NULL,
};

/* Names of older releases, which nothing lists. */
static const struct command *const old_commands[] = {&cmd_trace_value, NULL};

const struct command_section command_sections[] = {
	{"Commands", &cmd_capture},
	{"Devices", &cmd_list},
	{"Other", &cmd_index},
};

const size_t command_section_count = sizeof(command_sections) / sizeof(command_sections[0]);

const struct command_option top_options[] = {
	[TOP_HELP] = {"help", 'h',
		.text = "Print this text. `earshot COMMAND --help` and `earshot help COMMAND` describe a "
			"command."},
	[TOP_VERSION] = {"version", 'V',
		.text = "Print the version of the program, and of the protocol that it speaks."},
	[TOP_HDL_PATH] = {"hdl-path", 0,
		.text = "Print the folder with the Verilog of the capture unit, and of the link of a "
			"simulation of your own (docs/own-simulation.md)."},
	{0},
};

static const struct command *find(const struct command *const *list, const char *name)
{
	while (*list && strcmp((*list)->name, name) != 0)
		list++;
	return *list;
}

const struct command *command_find(const char *name)
{
	const struct command *command = find(commands, name);

	return command ? command : find(old_commands, name);
}

const char *command_suggest(const char *name)
{
	const char *names[sizeof(commands) / sizeof(commands[0])];
	size_t count = 0;

	for (; commands[count]; count++)
		names[count] = commands[count]->name;
	return suggest(name, names, count);
}
