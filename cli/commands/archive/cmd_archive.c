/* 'earshot archive': files and folders into an archive, and the proof that they come back. */
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/commands/archive/archive_read.h"
#include "cli/commands/archive/archive_write.h"
#include "cli/commands/cmd.h"
#include "cli/options/options.h"

struct request {
	const char *output;
	bool verify, quiet;
	unsigned jobs;
	uint64_t block_size;
};

static const struct command_option table[] = {
	{"output", 'o', "DIR", VALUES_FOLDERS,
		.text = "The folder of the archive: a new one, or one that gets more.",
		OPTION_VALUE(struct request, output)},
	{"verify", 0,
		.text = "At the end restore every file in memory and compare it with the one that is on "
			"the disk, byte for byte.",
		.detail = "Only then may a file be deleted.", OPTION_VALUE(struct request, verify)},
	{"block", 0, "BYTES",
		.text = "Bytes of a block (default 32Mi). Damage to the archive costs a block; smaller "
			"blocks take more space.",
		OPTION_VALUE(struct request, block_size), .min = 1024,
		.max = EAR_TEXT_PACK_BLOCK_MAX},
	{"jobs", 'j', "N", .text = "Threads to use (default 1). The archive is the same.",
		.detail = "Each takes up to 250 MB for blocks of the default size.",
		OPTION_VALUE(struct request, jobs), .min = 1, .max = CLI_JOBS_MAX},
	QUIET_OPTION(struct request, quiet),
	{0},
};

/* Comparing --------------------------------------------------------------------------------- */

struct comparing {
	const struct archive_sources *sources;
	size_t next; /* source that is looked for next */
	const struct archive_source *source;
	int fd;
	bool equal;
};

static bool begin_compare(void *context, const struct ear_manifest_entry *entry)
{
	struct comparing *comparing = context;

	while (&comparing->sources->list[comparing->next].entry != entry)
		comparing->next++;
	comparing->source = &comparing->sources->list[comparing->next];
	comparing->fd = open(comparing->source->file, O_RDONLY | O_CLOEXEC);
	comparing->equal = comparing->fd >= 0;
	return true;
}

static bool compare_text(void *context, const uint8_t *text, size_t size)
{
	struct comparing *comparing = context;
	uint8_t buffer[65536];

	while (size > 0 && comparing->equal) {
		ssize_t got =
			read(comparing->fd, buffer, size < sizeof(buffer) ? size : sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		comparing->equal = got > 0 && memcmp(buffer, text, (size_t)got) == 0;
		text += got > 0 ? got : 0;
		size -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

static bool end_compare(void *context, const struct ear_manifest_entry *entry, bool whole)
{
	struct comparing *comparing = context;
	uint8_t more;

	(void)entry;
	comparing->equal = comparing->equal && read(comparing->fd, &more, 1) == 0;
	if (comparing->fd >= 0)
		close(comparing->fd);
	if (whole && !comparing->equal)
		cli_error("%s: it is not what was archived", comparing->source->file);
	/* What is left of the sources may be deleted: one that differs ends everything. */
	return comparing->equal;
}

static int verify(const struct request *request, const struct archive_store *store,
	const struct archive_sources *sources)
{
	const struct ear_manifest_entry **list = malloc((sources->count + 1) * sizeof(*list));
	struct comparing comparing = {.sources = sources};
	const struct archive_sink sink = {&comparing, begin_compare, compare_text, end_compare};
	size_t count = 0;

	for (size_t i = 0; list && i < sources->count; i++)
		if (!sources->list[i].failed && sources->list[i].entry.kind == EAR_MANIFEST_FILE)
			list[count++] = &sources->list[i].entry;
	int result = list ? archive_read(store, list, count, request->jobs, &sink) : -1;
	free(list);
	if (result == 1 && !request->quiet)
		fprintf(stderr, "verified: all %zu files were restored and are equal\n", count);
	else if (result != 1)
		cli_error("%s: not verified: keep what was archived", store->name);
	return result == 1 ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* ------------------------------------------------------------------------------------------- */

static void print_summary(const struct archive_writing *writing)
{
	fprintf(stderr,
		"archived: %" PRIu64 " files, %" PRIu64 " bytes; %" PRIu64 " as records, %" PRIu64
		" by zstd; %" PRIu64 " new objects, %" PRIu64 " bytes\n",
		writing->files, writing->bytes, writing->records, writing->files - writing->records,
		writing->added, writing->stored);
}

static int archive(const struct request *request, struct archive_store *store, char **arguments,
	size_t count, const struct archive_lists *lists)
{
	struct archive_sources sources = {0};
	struct archive_writing writing = {.store = store,
		.sources = &sources,
		.jobs = request->jobs,
		.block_size = (size_t)request->block_size};
	int status = EAR_EXIT_FAILED;

	if (!archive_sources_find(&sources, arguments, count, lists, request->output))
		goto out_fini;
	bool good = archive_write(&writing);
	if (cli_interrupted)
		cli_error(
			"%s: interrupted; what is in the archive is good, and the next run adds the "
			"rest",
			store->name);
	for (size_t i = 0; i < sources.count; i++)
		sources.failed |= sources.list[i].failed;
	if (good)
		status = sources.failed ? EAR_EXIT_NO : EAR_EXIT_DONE;
	if (good && !request->quiet)
		print_summary(&writing);
	if (good && request->verify && verify(request, store, &sources) != EAR_EXIT_DONE)
		status = EAR_EXIT_FAILED;
out_fini:
	archive_sources_fini(&sources);
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = {.jobs = 1, .block_size = 32u << 20};
	struct archive_store store;
	int status;

	int first = options_parse(&cmd_archive, argc, argv, &request, &status);
	if (first < 0)
		return status;
	if (first == argc)
		return cli_usage("archive", "which files or folders?");
	if (!request.output)
		return cli_usage("archive", "which archive? Give -o DIR");
	status = EAR_EXIT_FAILED;
	const size_t count = (size_t)(argc - first);
	struct archive_lists lists = {0};
	if (archive_lists_read(&lists, argv + first, count)) {
		if (archive_store_create(&store, request.output)) {
			/* A list may name more than a sandbox has rules for. */
			const char *const all[] = {"/", NULL};
			cli_catch_signals(NULL);
			confine_folders(lists.any ? all : (const char *const *)argv + first,
				(const char *const[]){request.output, NULL});
			status = archive(&request, &store, argv + first, count, &lists);
		}
		archive_store_close(&store);
	}
	archive_lists_fini(&lists);
	return status;
}

const struct command cmd_archive = {
	.name = "archive",
	.arguments = "[OPTION]... -o DIR FILE...",
	.summary = "keep folders of traces and other files, byte for byte",
	.about =
		"Keep each FILE, which may be a folder, in the archive DIR, from which `earshot restore` gives them back "
		"byte for byte. A trace in a text format that Earshot also writes is kept as records and "
		"the differences of its lines, if that is smaller than `zstd -19` makes it. Everything "
		"else is kept by zstd, and the manifest says so.",
	.options = table,
	.notes =
		"One folder: what is in it. Several arguments, or files: each by its own name. `@LIST`: the "
		"files and folders that LIST names, one a line or with NUL characters between them, each by "
		"its path; `@-` reads the list from standard input. Links are "
		"kept as links; what is neither file, folder nor link is left out and reported.\n"
		"\n"
		"The same command again adds what is new. A file that the archive has under the same name "
		"with other contents is an error, and the archive keeps the old one. Files of equal "
		"contents are stored once. The same input makes the same bytes, on any machine and with "
		"any number of threads. The archive holds names and whether a file can be executed, but "
		"no times and no owners.",
	.exit_status =
		"0 done, 1 something could not be archived, 2 it could not be done, or --verify "
		"has found a difference.",
	.run = run,
};
