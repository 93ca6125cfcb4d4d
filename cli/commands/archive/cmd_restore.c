/* 'earshot restore': what is in an archive, byte for byte. */
#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/commands/archive/archive_target.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"

struct request {
	const char *output;
	bool verify, quiet;
	unsigned jobs;
	char **paths; /* what is wanted; none: everything */
	size_t path_count;
};

static const struct command_option table[] = {
	{"output", 'o', "BACK", VALUES_FOLDERS,
		.text = "The folder to restore to. Files that are in it are never written over.",
		OPTION_VALUE(struct request, output)},
	{"verify", 0,
		.text = "Restore in memory and compare with the SHA-256 of the manifest, without -o.",
		OPTION_VALUE(struct request, verify)},
	{"jobs", 'j', "N", .text = "Threads to use (default 1).",
		OPTION_VALUE(struct request, jobs), .min = 1, .max = CLI_JOBS_MAX},
	QUIET_OPTION(struct request, quiet),
	{0},
};

/* Is this path wanted, or below one that is? */
static bool is_wanted(const struct request *request, const char *path, bool *used)
{
	bool wanted = request->path_count == 0;

	for (size_t i = 0; i < request->path_count; i++) {
		size_t size = strlen(request->paths[i]);
		while (size > 0 && request->paths[i][size - 1] == '/')
			size--;
		if (strncmp(path, request->paths[i], size) == 0 &&
			(path[size] == '\0' || path[size] == '/'))
			wanted = used[i] = true;
	}
	return wanted;
}

/* The entries that are wanted, NULL if memory is short. */
static const struct ear_manifest_entry **choose(
	const struct request *request, const struct ear_manifest *manifest, size_t *count)
{
	const struct ear_manifest_entry **list = malloc((manifest->count + 1) * sizeof(*list));
	bool *used = calloc(request->path_count + 1, sizeof(*used));

	*count = 0;
	for (size_t i = 0; list && used && i < manifest->count; i++)
		if (is_wanted(request, manifest->entries[i].path, used))
			list[(*count)++] = &manifest->entries[i];
	for (size_t i = 0; list && used && i < request->path_count; i++)
		if (!used[i]) {
			cli_error("%s: the archive has no such file or folder", request->paths[i]);
			*count = 0;
			used[i] = true;
			free(list);
			list = NULL;
		}
	free(used);
	return list;
}

/* Leave out of the list what is there already. */
static size_t leave_out(
	struct archive_target *target, const struct ear_manifest_entry **list, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count && !cli_interrupted; i++)
		if (list[i]->kind == EAR_MANIFEST_FILE && !archive_target_has(target, list[i]))
			list[left++] = list[i];
	return left;
}

static void make_all(struct archive_target *target, const struct ear_manifest *manifest,
	const struct request *request, enum ear_manifest_kind kind, bool *used)
{
	for (size_t i = 0; i < manifest->count && !cli_interrupted; i++)
		if (manifest->entries[i].kind == kind &&
			is_wanted(request, manifest->entries[i].path, used))
			archive_target_make(target, &manifest->entries[i]);
}

/* Folders, then files, and links last: so no file is written through a link. */
static int restore(const struct request *request, const struct archive_store *store,
	const struct ear_manifest_entry **list, size_t count)
{
	struct archive_target target;
	struct archive_sink sink = archive_target_sink;
	bool *used = calloc(request->path_count + 1, sizeof(*used));
	int result = -1;

	if (!used || !archive_target_open(&target, request->output)) {
		free(used);
		return EAR_EXIT_FAILED;
	}
	cli_catch_signals(NULL);
	confine_folders((const char *const[]){store->name, NULL},
		(const char *const[]){request->output, NULL});
	sink.context = &target;
	make_all(&target, &store->manifest, request, EAR_MANIFEST_FOLDER, used);
	size_t missing = leave_out(&target, list, count);
	result = archive_read(store, list, missing, request->jobs, &sink);
	if (result >= 0)
		make_all(&target, &store->manifest, request, EAR_MANIFEST_LINK, used);
	if (cli_interrupted)
		cli_error("%s: interrupted; the same command restores the rest", request->output);
	else if (result >= 0 && !request->quiet)
		fprintf(stderr, "restored: %zu files%s\n", missing,
			result == 1 && store->damaged == 0 ? "" : ", not all of them whole");
	archive_target_close(&target);
	free(used);
	return result < 0 || target.failed         ? EAR_EXIT_FAILED
	       : result == 0 || store->damaged > 0 ? EAR_EXIT_NO
						   : EAR_EXIT_DONE;
}

static int verify(const struct request *request, const struct archive_store *store,
	const struct ear_manifest_entry *const *list, size_t count)
{
	static const struct archive_sink sink = {0}; /* the SHA-256 is compared all the same */

	cli_catch_signals(NULL);
	confine_folders((const char *const[]){store->name, NULL}, (const char *const[]){NULL});
	int result = archive_read(store, list, count, request->jobs, &sink);
	if (result == 1 && store->damaged == 0 && !request->quiet)
		fprintf(stderr, "verified: everything in the archive comes back\n");
	return result < 0                          ? EAR_EXIT_FAILED
	       : result == 0 || store->damaged > 0 ? EAR_EXIT_NO
						   : EAR_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct request request = {.jobs = 1};
	struct archive_store store;
	const struct ear_manifest_entry **list = NULL;
	size_t count;
	int status;

	int first = options_parse(&cmd_restore, argc, argv, &request, &status);
	if (first < 0)
		return status;
	if (first == argc)
		return cli_usage("restore", "which archive?");
	if (!request.output == !request.verify)
		return cli_usage("restore", "give -o BACK or --verify");
	request.paths = argv + first + 1;
	request.path_count = (size_t)(argc - first - 1);
	status = EAR_EXIT_FAILED;
	if (archive_store_open(&store, argv[first]))
		list = choose(&request, &store.manifest, &count);
	if (list)
		status = request.verify ? verify(&request, &store, list, count)
					: restore(&request, &store, list, count);
	free(list);
	archive_store_close(&store);
	return status;
}

const struct command cmd_restore = {
	.name = "restore",
	.arguments = "[OPTION]... -o BACK DIR [PATH]...\n[OPTION]... --verify DIR [PATH]...",
	.summary = "give back what is in an archive",
	.about = "Give back what `earshot archive` has put into the archive DIR, byte for byte: "
		 "everything, or the files and folders PATH, as the manifest names them.",
	.options = table,
	.notes =
		"Each file is compared with its SHA-256. Damage to the archive costs a block of one file: "
		"the message says which lines of which file are lost, and the rest of the file is "
		"restored as NAME.damaged.\n"
		"\n"
		"A file that is there already is left as it is: if its contents are other ones, that is "
		"an error. So an interrupted command can be repeated.",
	.exit_status = "0 done, 1 some files are not whole, 2 it could not be done.",
	.run = run,
};
