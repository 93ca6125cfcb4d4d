/* 'earshot new-board': a project for an FPGA board with a core and the capture unit.
 *
 * Everything in it is a copy of an installed file (hdl/Installed.cmake): the folder of the board,
 * what all projects have (hdl/boards/new/), the Makefile, and the file of the core. A few words
 * are replaced on the way.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"

#define FILE_MAX (256u << 10) /* bytes of a template */

struct project {
	const char *core, *board, *link, *folder;
	char from[PATH_MAX]; /* share/earshot/boards */
	char preset[16];     /* of the unit, as the board has room */
};

/* What is replaced in each file. */
struct word {
	const char *from, *to;
};

static const struct command_option table[] = {
	{"core", 0, "CORE", .text = "The core, such as `picorv32`; `demo` is a core of Earshot.",
		OPTION_VALUE(struct project, core)},
	{"board", 0, "BOARD", .text = "The board, such as `ulx3s`.",
		OPTION_VALUE(struct project, board)},
	{"link", 0, "LINK", .text = "How the trace leaves the board: `uart` (default) or `ft232h`.",
		OPTION_VALUE(struct project, link)},
	{"output", 'o', "FOLDER", VALUES_FILES,
		.text = "The project; a folder that is not there, or empty.",
		OPTION_VALUE(struct project, folder)},
	{0},
};

/* A path of two parts. Returns false after printing that it is too long. */
static bool join(char *path, const char *folder, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
		return true;
	cli_error("%s/%s: the path is too long", folder, name);
	return false;
}

static bool is_there(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX &&
	       stat(path, &status) == 0;
}

/* ---- What there is. ---- */

typedef bool is_listed(const char *folder, const char *entry, char *name, size_t size);

static bool is_board(const char *folder, const char *entry, char *name, size_t size)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", folder, entry) < PATH_MAX && entry[0] != '.' &&
	       is_there(path, "board.mk") && snprintf(name, size, "%s", entry) < (int)size;
}

/* core_NAME.v, but the memory. */
static bool is_core(const char *folder, const char *entry, char *name, size_t size)
{
	const size_t length = strlen(entry);

	(void)folder;
	if (strncmp(entry, "core_", 5) != 0 || length < 8 || length - 7 >= size ||
		strcmp(entry + length - 2, ".v") != 0 || strcmp(entry, "core_memory.v") == 0)
		return false;
	memcpy(name, entry + 5, length - 7);
	name[length - 7] = '\0';
	return true;
}

/* The names of a folder, in order, with commas between them; `text` is to be freed. */
static char *list(const char *folder, is_listed *listed)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, NULL, alphasort);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const char *between = "";

	for (int i = 0; i < count; i++) {
		char name[64];

		if (to && listed(folder, entries[i]->d_name, name, sizeof(name))) {
			fprintf(to, "%s%s", between, name);
			between = ", ";
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (to)
		fclose(to);
	return text;
}

static bool fail_unknown(const char *what, const char *name, const char *folder, is_listed *listed)
{
	char *text = list(folder, listed);

	cli_error("there is no %s '%s'; there are: %s", what, name, text ? text : "");
	free(text);
	return false;
}

/* ---- The copies. ---- */

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(FILE_MAX + 1) : NULL;

	if (!text) {
		cli_error("%s: %s", path, strerror(errno));
		if (file)
			fclose(file);
		return NULL;
	}
	*size = fread(text, 1, FILE_MAX, file);
	text[*size] = '\0';
	fclose(file);
	return text;
}

/* The text with the words of the project. */
static void write_text(FILE *to, const char *text, const struct word *words)
{
	while (*text) {
		const struct word *word = words;

		while (word->from && strncmp(text, word->from, strlen(word->from)) != 0)
			word++;
		if (word->from) {
			fputs(word->to, to);
			text += strlen(word->from);
		} else {
			putc(*text++, to);
		}
	}
}

static bool copy_file(const struct project *project, const char *from, const char *name)
{
	/* The board's own commands are of the tree; the project is its folder. */
	char command[128];
	const struct word words[] = {
		{"ear_board_top #(", "my_system #("},
		{"@BOARD@", project->board},
		{"@CORE@", project->core},
		{"@PRESET@", project->preset},
		{command, "make"},
		{0},
	};
	const bool is_readme = strcmp(name, "README.md") == 0 && !strstr(from, "/new");
	char source[PATH_MAX], path[PATH_MAX];
	size_t size;

	snprintf(command, sizeof(command), "make -f hdl/boards/Makefile BOARD=%s", project->board);
	if (!join(source, from, name) ||
		!join(path, project->folder, is_readme ? "board.md" : name))
		return false;
	char *text = read_file(source, &size);
	FILE *to = text ? fopen(path, "we") : NULL;
	if (text && !to)
		cli_error("%s: %s", path, strerror(errno));
	if (to) {
		write_text(to, text, words);
		if (strcmp(name, "board.mk") == 0)
			fprintf(to, "CORE = %s\nEAR_LINK ?= %s\n", project->core, project->link);
	}
	free(text);
	if (!to)
		return false;
	const bool good = !ferror(to);
	if (fclose(to) == 0 && good)
		return true;
	cli_error("%s: %s", path, strerror(errno));
	return false;
}

static bool copy_folder(const struct project *project, const char *name)
{
	struct dirent **entries;
	char folder[PATH_MAX];

	if (!join(folder, project->from, name))
		return false;
	const int count = scandir(folder, &entries, NULL, alphasort);
	bool good = count >= 0;
	if (!good)
		cli_error("%s: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (good && entries[i]->d_name[0] != '.')
			good = copy_file(project, folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return good;
}

/* ---- The command. ---- */

/* The value of NAME = VALUE in board.mk. */
static void described(const char *text, const char *name, char *value, size_t size)
{
	char format[32];
	const char *line = text;

	value[0] = '\0';
	snprintf(format, sizeof(format), "\n%s = ", name);
	line = strstr(text, format);
	if (line) {
		line += strlen(format);
		snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
	}
}

static bool has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return length > 0;
	return false;
}

static bool check_board(struct project *project)
{
	char name[64], path[PATH_MAX], links[64];
	size_t size;

	if (strchr(project->board, '/') ||
		!is_board(project->from, project->board, name, sizeof(name)))
		return fail_unknown("board", project->board, project->from, is_board);
	snprintf(path, sizeof(path), "%.3000s/%.60s/board.mk", project->from, project->board);
	char *text = read_file(path, &size);
	if (!text)
		return false;
	described(text, "LINKS", links, sizeof(links));
	described(text, "PRESET", project->preset, sizeof(project->preset));
	free(text);
	if (has_word(links, project->link))
		return true;
	cli_error("%s has no link '%s'; it has: %s", project->board, project->link, links);
	return false;
}

static bool check_core(const struct project *project)
{
	char cores[PATH_MAX], file[80], name[64];

	if (!join(cores, project->from, "cores"))
		return false;
	snprintf(file, sizeof(file), "core_%.60s.v", project->core);
	if (!strchr(project->core, '/') && is_core(cores, file, name, sizeof(name)) &&
		is_there(cores, file))
		return true;
	return fail_unknown("core", project->core, cores, is_core);
}

static bool make_folder(const char *path)
{
	struct dirent **entries;

	if (mkdir(path, 0777) == 0)
		return true;
	if (errno != EEXIST) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	const int count = scandir(path, &entries, NULL, NULL);
	if (count < 0) {
		cli_error("%s: %s", path, strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	if (count > 2) /* "." and ".." */
		cli_error("%s has files in it; nothing was changed", path);
	return count <= 2;
}

static bool make_project(const struct project *project)
{
	char core[80], cores[PATH_MAX];

	snprintf(core, sizeof(core), "core_%.60s.v", project->core);
	return join(cores, project->from, "cores") && make_folder(project->folder) &&
	       copy_folder(project, project->board) && copy_folder(project, "new") &&
	       copy_file(project, cores, core) && copy_file(project, cores, "core_demo.v") &&
	       copy_file(project, project->from, "Makefile");
}

static int run(int argc, char **argv)
{
	static struct project project = {.link = "uart"};
	int status;

	int first = options_parse(&cmd_new_board, argc, argv, &project, &status);
	if (first < 0)
		return status;
	if (first != argc)
		return cli_usage("new-board", "takes no arguments");
	if (!project.core || !project.board || !project.folder)
		return cli_usage("new-board", "give --core, --board and -o");
	if (!files_installed(project.from, sizeof(project.from), "boards") ||
		!check_core(&project) || !check_board(&project) || !make_project(&project))
		return EAR_EXIT_FAILED;
	printf("%s: %s on %s, by %s; README.md says what to do next\n", project.folder,
		project.core, project.board, project.link);
	return EAR_EXIT_DONE;
}

const struct command cmd_new_board = {
	.name = "new-board",
	.arguments = "--core CORE --board BOARD [--link LINK] -o FOLDER",
	.summary = "a project for an FPGA board with a core and the capture unit",
	.about =
		"Write a project: the top of a board with its pins, a core with its memory and the "
		"capture unit, a link, and a Makefile. `make trace.shot` simulates it at its pins "
		"and captures, `make synth` makes a netlist with Yosys. Without the sources of the "
		"core a small core takes its place.",
	.options = table,
	.notes = "A CORE or BOARD that is not known prints the ones that are.",
	.exit_status = "0 done, 2 it could not be done.",
	.run = run,
};
