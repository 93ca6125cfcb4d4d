/* 'earshot android': the tools that came with the Android emulator's -trace, by their names. Each
 * is a file of cli/android/tools/; here its words are read, and the files that it names.
 */
#include <earshot/error.h>
#include <stdio.h>
#include <string.h>

#include "cli/android/tools/tool.h"
#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"

#define PATH_SIZE 4096

struct arguments {
	struct ear_android_options options;
	const struct ear_android_tool *tool;
	struct ear_android_request request;
};

static bool take_word(void *value, const struct command_option *option, const char *argument)
{
	struct ear_android_words *words = value;

	if (words->count == EAR_ANDROID_WORDS_MAX)
		return option_fail(option, argument, "one of the first 64");
	words->list[words->count++] = argument;
	return true;
}

static bool take_lump(void *value, const struct command_option *option, const char *argument)
{
	struct ear_android_options *options = value;
	int word;

	if (!option_word(&word, option, argument))
		return false;
	*(word ? &options->lump_libraries : &options->lump_kernel) = true;
	return true;
}

static bool take_moment(void *value, const struct command_option *option, const char *argument)
{
	struct ear_android_request *request = value;

	request->has_moment = true;
	return option_number(&request->moment, option, argument, 0, UINT64_MAX);
}

static const struct command_option table[] = {
	{"exclude", 'e', "WORD", VALUES_BEGINNINGS, ":kernel :libs",
		.text = "Leave out blocks of the kernel (`:kernel`), of libraries (`:libs`), of a "
			"function or of a pid; repeat for more.",
		OPTION_TAKEN(take_word, struct arguments, options.exclude)},
	{"include", 'i', "WORD", VALUES_BEGINNINGS, ":kernel :libs",
		.text = "Take only such blocks; repeat for more.",
		OPTION_TAKEN(take_word, struct arguments, options.include)},
	{"lump", 'l', "WORD", VALUES_WORDS, ":kernel :libs",
		.text = "Take the whole kernel, or each library, as one function.",
		OPTION_TAKEN(take_lump, struct arguments, options)},
	{"mangled", 'm', .text = "Names of C++ as they are linked.",
		OPTION_VALUE(struct arguments, options.mangled)},
	{"root", 'r', "FOLDER", VALUES_FOLDERS,
		.text = "The files that the traced system maps are in FOLDER (default: they are not "
			"read, and their code has no names).",
		OPTION_VALUE(struct arguments, options.root)},
	{"start", 's', "TIME", .text = "read_trace: begin at this time.",
		OPTION_VALUE(struct arguments, request.start), .max = UINT64_MAX},
	{"at", 'd', "TIME", .text = "stack_dump: print only the calls at this time.",
		OPTION_TAKEN(take_moment, struct arguments, request)},
	{"compatible", 0, .text = "The answers of the original tools also where they are wrong.",
		OPTION_VALUE(struct arguments, options.compatible)},
	{0},
};

static void report(void *context, const char *sentence)
{
	(void)context;
	cli_warning("%s", sentence);
}

/* TOOL FOLDER [ELF [OUT]] */
static bool take_words(struct arguments *arguments, int count, char **words)
{
	struct ear_android_options *options = &arguments->options;
	const struct ear_android_tool *tool;
	int least = 2;

	if (count == 0)
		return cli_usage("android", "which tool?"), false;
	tool = arguments->tool = ear_android_tool_find(words[0]);
	if (!tool)
		return cli_usage("android", "there is no tool '%s'", words[0]), false;
	least += tool->needs_kernel + tool->needs_output;
	if (count < 2)
		return cli_usage("android", "%s of which folder?", tool->name), false;
	options->folder = words[1];
	if (tool->needs_output && count == least)
		arguments->request.output = words[--count];
	if (tool->needs_kernel && count == 3)
		options->kernel = words[2];
	else if (count != 2)
		return cli_usage("android", "%s takes a folder%s%s", tool->name,
			       tool->needs_kernel ? " and an ELF file" : "",
			       tool->needs_output ? ", and a file to write" : ""),
		       false;
	if (tool->needs_output && !arguments->request.output)
		return cli_usage("android", "%s into which file?", tool->name), false;
	return true;
}

/* The names of files, and the rights that go with them. */
static bool take_files(const struct arguments *arguments, char *header)
{
	const struct ear_android_options *options = &arguments->options;
	const char *output = arguments->request.output;

	if (!files_read("", options->folder) ||
		(options->kernel && !files_read("", options->kernel)) ||
		(output && !files_write("", output)))
		return false;
	header[0] = '\0';
	if (arguments->tool->writes_folder)
		snprintf(header, PATH_SIZE, "%s/qtrace.static", options->folder);
	const char *reads[] = {options->folder, options->kernel ? options->kernel : options->root,
		options->kernel ? options->root : NULL, NULL};
	const char *writes[] = {header[0] ? header : output, NULL};
	confine_files(reads, writes);
	return true;
}

static int fail(const struct arguments *arguments, const char *message)
{
	cli_error("%s: %s", arguments->options.folder, message);
	return EAR_EXIT_FAILED;
}

static int run_tool(struct arguments *arguments)
{
	struct ear_android_trace *trace;
	char message[512];

	int result = ear_android_trace_open(&trace, &arguments->options, message, sizeof(message));
	if (result)
		return fail(arguments, message);
	arguments->request.trace = trace;
	arguments->request.out = stdout;
	result = arguments->tool->run(&arguments->request);
	fflush(stdout); /* before what is said of it */
	if (result)
		fail(arguments, ear_android_trace_message(trace));
	ear_android_trace_close(trace);
	return result ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = {.options = {.report = report}};
	char header[PATH_SIZE];
	int status;

	int first = options_parse(&cmd_android, argc, argv, &arguments, &status);
	if (first < 0)
		return status;
	if (!take_words(&arguments, argc - first, argv + first))
		return EAR_EXIT_FAILED;
	bool named = arguments.options.kernel || arguments.options.root;
	if (named && ear_names_open(&arguments.options.names) != 0) {
		cli_error("%s", ear_names_message(arguments.options.names));
		return EAR_EXIT_FAILED;
	}
	status = take_files(&arguments, header) ? run_tool(&arguments) : EAR_EXIT_FAILED;
	ear_names_close(arguments.options.names);
	return status;
}

static void print_tools(FILE *to)
{
	fprintf(to, "Tools:\n");
	for (const struct ear_android_tool *const *tool = ear_android_tools; *tool; tool++)
		fprintf(to, "  %-14s %s\n", (*tool)->name, (*tool)->summary);
}

const struct command cmd_android = {
	.name = "android",
	.arguments = "[OPTION]... TOOL FOLDER [ELF [OUT]]",
	.summary = "analyse a trace of the Android emulator",
	.about =
		"Run one of the tools for the folders that the Android emulator writes with `-trace` "
		"(qtrace), and that Earshot writes with `-f qtrace`. Names, options and output are "
		"those of the original tools. ELF is the kernel, or the program of a system without "
		"one; tools that print names of functions take it. OUT is what q2dm and q2g write.",
	.options = table,
	.print_lists = print_tools,
	.exit_status = "0 done, 2 it could not be done.",
	.run = run,
};
