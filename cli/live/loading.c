/* A program into the memory of the system, segment by segment, with the core in reset. The session
 * reads back what it writes; here are the file, the progress and the summary.
 */
#include "cli/live/loading.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/figure.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "cli/input/symbol_file.h"
#include "driver/session/session_load.h"

#define PROGRESS_SECONDS 0.2

/* Where the core begins. Returns false after printing what is wrong. */
static bool choose_entry(struct loading *loading)
{
	uint64_t address = loading->program.entry;
	const char *text = loading->entry_text;

	if (text && !cli_parse_count(&address, text)) {
		struct symbol_file symbols = {.elf = strdup(loading->path)};
		struct ear_address found = {.size = sizeof(found)};
		bool is_found = symbol_file_find(&symbols, "--entry", text, strlen(text), &found);

		symbol_file_close(&symbols);
		if (!is_found)
			return false;
		address = found.ranges[0].first;
	}
	if (address % 2 != 0 || address > UINT32_MAX) {
		cli_error("%s: no instruction can begin at 0x%" PRIX64, loading->path, address);
		return false;
	}
	loading->entry = (uint32_t)address;
	return true;
}

bool loading_read(struct loading *loading)
{
	if (!program_read(&loading->program, loading->path))
		return false;
	if (choose_entry(loading))
		return true;
	loading_free(loading);
	return false;
}

void loading_free(struct loading *loading)
{
	program_free(&loading->program);
}

static void show_progress(void *context, size_t done)
{
	struct loading *loading = context;
	double now = cli_seconds();
	char rate[CLI_FIGURE_SIZE];

	if (!cli_progress_wanted() || now - loading->last_progress < PROGRESS_SECONDS)
		return;
	uint64_t sum = loading->done + done;
	loading->last_progress = now;
	cli_progress("%" PRIu64 " of %" PRIu64 " bytes, %d%%, %s/s", sum, loading->program.size,
		(int)(sum * 100 / loading->program.size),
		cli_figure_bytes(rate, (double)sum / (now - loading->begin)));
}

/* The part of a segment that is in the file, and zeros after it. */
static int load_segment(
	struct loading *loading, struct ear_session *session, const struct segment *segment)
{
	static const uint8_t zeros[65536];
	uint64_t part;

	for (uint64_t at = 0; at < segment->size; at += part) {
		bool in_file = at < segment->file_size;

		part = in_file ? segment->file_size - at : segment->size - at;
		if (!in_file && part > sizeof(zeros))
			part = sizeof(zeros);
		int error = ear_session_load(session, (uint32_t)(segment->address + at),
			in_file ? segment->bytes + at : zeros, (size_t)part, show_progress,
			loading);
		if (error)
			return error;
		loading->done += part;
	}
	return 0;
}

static bool load_segments(struct loading *loading, struct ear_session *session)
{
	for (size_t i = 0; i < loading->program.count; i++) {
		const struct segment *segment = &loading->program.segments[i];

		if (load_segment(loading, session, segment) != 0) {
			cli_error("%s: the segment 0x%" PRIX64 "-0x%" PRIX64 ": %s", loading->path,
				segment->address, segment->address + segment->size - 1,
				ear_session_message(session));
			return false;
		}
	}
	return true;
}

static bool fail(const struct ear_session *session)
{
	cli_error("%s", ear_session_message(session));
	return false;
}

static void print_summary(const struct loading *loading)
{
	char seconds[CLI_FIGURE_SIZE];

	fprintf(stderr, "earshot: %" PRIu64 " bytes loaded and compared in %s s; the core %s ",
		loading->program.size, cli_figure(seconds, cli_seconds() - loading->begin),
		loading->runs ? "runs from" : "is in reset, and will begin at");
	if (loading->entry) /* see ear_session_load_end */
		fprintf(stderr, "0x%08" PRIX32 "\n", loading->entry);
	else
		fputs("the board's own address\n", stderr);
}

bool loading_run(struct loading *loading, struct ear_session *session)
{
	struct ear_identity identity;

	if (ear_session_identify(session, &identity) != 0)
		return fail(session);
	if (identity.xlen != loading->program.xlen) {
		cli_error("%s: the program is for RV%u, but the core is RV%u", loading->path,
			loading->program.xlen, identity.xlen);
		return false;
	}
	loading->begin = loading->last_progress = cli_seconds();
	loading->done = 0;
	if (ear_session_load_begin(session) != 0)
		return fail(session);
	if (!load_segments(loading, session))
		return false;
	if (ear_session_load_end(session, loading->entry, loading->runs) != 0)
		return fail(session);
	cli_progress_clear();
	if (!loading->quiet)
		print_summary(loading);
	return true;
}
