/* 'earshot join': the reverse of 'earshot cut'. The parts are read twice: first for what they say
 * about themselves, which gives their order (join_part.c), then for their records (join_write.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/commands/join/join_part.h"
#include "cli/commands/join/join_write.h"
#include "cli/options/options.h"
#include "cli/output/part_marks.h"

static const struct command_option table[] = {
	{"output", 'o', "OUT", VALUES_FILES,
		.text = "Write the capture to OUT (`-`: standard output, not a terminal).",
		OPTION_VALUE(struct join, output)},
	QUIET_OPTION(struct join, quiet),
	{0},
};

static void confine(const char *output)
{
	char marks[4200];

	snprintf(marks, sizeof(marks), "%s.marks", output);
	if (strcmp(output, "-") == 0)
		confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
	else
		confine_index((const char *const[]){output, marks, NULL});
}

static bool read_parts(struct join *join, char **paths)
{
	for (; join->count < (size_t)join->argc; join->count++) {
		struct join_part *part = &join->parts[join->count];

		if (!join_part_read(part, paths[join->count])) {
			if (cli_interrupted)
				cli_error("interrupted: nothing was written");
			return false;
		}
	}
	return join_parts_order(join->parts, join->count);
}

static bool open_output(struct join *join)
{
	join->fd = files_write("-o", join->output) ? files_open(join->output) : -1;
	if (join->fd == STDOUT_FILENO && isatty(STDOUT_FILENO)) {
		cli_error("a capture file is binary: not written to a terminal");
		return false;
	}
	return join->fd >= 0;
}

static bool find_written(const void *context, uint64_t position, uint64_t *written)
{
	*written = join_part_written(context, position);
	return true;
}

static bool copy_marks(const struct join *join)
{
	struct part_marks_source *sources = calloc(join->count, sizeof(*sources));

	if (!sources) {
		cli_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < join->count; i++)
		sources[i] = (struct part_marks_source){
			join->parts[i].path, find_written, &join->parts[i]};
	const bool good = part_marks_copy(sources, join->count, join->output);
	free(sources);
	return good;
}

static int write_output(struct join *join)
{
	if (!open_output(join))
		return EAR_EXIT_FAILED;
	int status = join_write(join);
	if (join->fd != STDOUT_FILENO && close(join->fd) != 0 && status != EAR_EXIT_FAILED) {
		cli_error("%s: %s", join->output, strerror(errno));
		status = EAR_EXIT_FAILED;
	}
	const bool whole = !join->reported && status != EAR_EXIT_FAILED;
	if (whole && !copy_marks(join))
		status = EAR_EXIT_FAILED;
	return status;
}

static int run(int argc, char **argv)
{
	static struct join join;
	int status;

	const int first = options_parse(&cmd_join, argc, argv, &join, &status);
	if (first < 0)
		return status;
	if (first == argc)
		return cli_usage("join", "which parts?");
	if (!join.output)
		return cli_usage("join", "where to? Give -o OUT");
	const int count = argc - first;
	for (int i = first; i < argc; i++)
		if (strcmp(argv[i], "-") == 0)
			return cli_usage("join", "a part is read twice: give files");
	cli_catch_signals(NULL);
	confine(join.output);
	join.parts = calloc((size_t)count, sizeof(*join.parts));
	if (!join.parts) {
		cli_error("out of memory");
		return EAR_EXIT_FAILED;
	}
	files_read_all(argv + first, (size_t)count);
	join.argc = count;
	status = read_parts(&join, argv + first) ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
	join.argc = argc;
	join.argv = argv;
	if (status == EAR_EXIT_DONE)
		status = write_output(&join);
	join_fini(&join);
	for (size_t i = 0; i < join.count; i++)
		join_part_free(&join.parts[i]);
	free(join.parts);
	return status;
}

const struct command cmd_join = {
	.name = "join",
	.arguments = "[OPTION]... -o OUT.shot PART.shot...",
	.summary = "parts of a run to one capture that stands alone",
	.about =
		"Join captures of one run to a capture file that needs nothing else: the parts that "
		"`earshot cut` made of a capture, or captures that were taken one after the other while "
		"the system ran. Their order does not matter.\n"
		"Parts of one capture are put in order by the numbers of their instructions, others by "
		"the index of their first one. Records that two parts have must be the same in both. "
		"What is missing between two parts is a gap in OUT, and is reported. Parts of another "
		"run or program are refused. Marks are kept.",
	.options = table,
	.exit_status =
		"0 done, 1 two parts differ in a record that both have, or one is damaged; 2 it "
		"could not be done.",
	.run = run,
};
