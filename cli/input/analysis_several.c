/* Several traces at once. A process for each trace counts it as a part, and writes that as a part
 * file (analyses/base/part.h) of which this process keeps the bytes. When all have ended, it gives
 * up its rights, reads the parts one after the other, and joins them: so what a trace makes of its
 * reader is read as any file is. The first trace says which program they are of, as without
 * processes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyses/base/analysis_run.h"
#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/base/outlet.h"
#include "cli/base/progress.h"
#include "cli/batch/batch_run.h"
#include "cli/input/analysis_input.h"

struct kept {
	bool counted; /* there is a part */
	long at;      /* in the file */
};

struct several {
	struct analysis_input *source;
	char **paths;
	size_t count, failed;
	FILE *parts; /* one after the other */
	struct kept *kept;
	bool good;
};

/* ---- In the process of a trace. ---- */

static bool count_part(struct analysis_input *source)
{
	struct ear_analysis_run *run = calloc(1, sizeof(*run));
	struct trace_parts *parts = &source->parts;

	parts->plan.jobs = 1;
	bool good = run && (!source->named || source->named(source)) &&
		    trace_parts_plan(parts, &source->input);
	if (good) {
		run->analysis = source->analysis;
		run->options = source->options;
		trace_parts_begin(parts, &source->input, &run->reading);
		good = trace_parts_end(&run->reading, ear_analysis_run(run)) && !cli_interrupted;
		source->part = run->part;
		trace_input_judge(&source->input, parts->plan.begins[0],
			parts->to.text ? parts->plan.begins[1] : UINT64_MAX);
	}
	free(run);
	return good;
}

static int work(void *context, size_t index)
{
	struct several *several = context;
	struct analysis_input *source = several->source;
	struct ear_part_head head = {
		.options = "-", .trace = "-", .program = "-", .program_sha256 = "-"};

	source->input.options.index = EAR_INDEX_NONE;
	source->input.path = several->paths[index];
	trace_input_prepare(&source->input);
	if (!analysis_input_open(source, several->paths[index], true) ||
		(source->opened && !source->opened(source, 0)) || !count_part(source) ||
		!source->part)
		return EAR_EXIT_FAILED;
	snprintf(head.analysis, sizeof(head.analysis), "%s", source->analysis->name);
	analysis_input_describe(source, source->part, head.options);
	head.end = head.size = ear_trace_position(source->input.trace) - source->parts.first;
	head.missing = source->input.verdict.missing;
	ear_analysis_write(source->analysis, source->part, NULL, &head, stdout);
	return fflush(stdout) == 0 ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

/* ---- Here. ---- */

static bool keep(struct several *several, size_t index, FILE *output)
{
	char bytes[BUFSIZ];
	size_t size;

	several->kept[index] = (struct kept){true, ftell(several->parts)};
	while ((size = fread(bytes, 1, sizeof(bytes), output)) > 0)
		if (fwrite(bytes, 1, size, several->parts) != size)
			return false;
	return !ferror(output) && fflush(several->parts) == 0;
}

static bool take(void *context, size_t index, struct batch_result *result)
{
	struct several *several = context;
	struct analysis_row *rows = several->source->rows;

	cli_progress_clear();
	batch_copy(result->errors, STDERR_FILENO);
	if (result->signal && !result->stopped)
		cli_error("%s: the process that read it was ended by signal %d",
			several->paths[index], result->signal);
	const bool counted = result->status == EAR_EXIT_DONE;
	several->failed += !counted;
	if (rows && !result->stopped)
		rows[index].state = counted ? ANALYSIS_DONE : ANALYSIS_FAILED;
	if (counted && !keep(several, index, result->output)) {
		cli_error(
			"what was counted cannot be kept in a temporary file: %s", strerror(errno));
		several->good = false;
		return false;
	}
	cli_progress("%zu of %zu traces, %zu failed", index + 1, several->count, several->failed);
	return true;
}

static void show_trace(void *context, size_t index, const char *line)
{
	const struct several *several = context;

	cli_progress("%zu traces, %zu failed, %s: %s", several->count, several->failed,
		several->paths[index], line);
}

/* The part of a trace, after those before it. */
static bool join(struct several *several, size_t index)
{
	struct analysis_input *source = several->source;
	const char *path = several->paths[index];
	struct part_files files = {.file = several->parts};
	const bool first = !source->begun;

	if (fseek(several->parts, several->kept[index].at, SEEK_SET) != 0)
		return false;
	if (!analysis_input_open(source, several->paths[index], first) ||
		(source->opened && !source->opened(source, !first)) ||
		(first && source->named && !source->named(source)) ||
		!analysis_input_make_whole(source))
		return false;
	bool good = ear_part_open(&files.reader, files.file, &files.head);
	if (!good)
		part_files_fail(&files, path);
	good = good && analysis_input_join_file(source, &files, path);
	if (good)
		verdict_add(&source->input.verdict, path, &files.head.missing);
	if (good && source->rows) {
		source->rows[index].known = true;
		source->rows[index].records = files.head.size;
	}
	ear_part_close(&files.reader);
	return good;
}

static bool join_all(struct several *several)
{
	struct analysis_input *source = several->source;
	bool good = true;

	source->input.options.index = EAR_INDEX_NONE;
	source->input.path = several->paths[0];
	trace_input_prepare(&source->input);
	for (size_t i = 0; i < several->count && !cli_interrupted && !source->enough; i++) {
		const bool joined = several->kept[i].counted && join(several, i);

		if (several->kept[i].counted && !joined && source->rows)
			source->rows[i].state = ANALYSIS_FAILED;
		good = good && joined;
	}
	return good;
}

static bool read_apart(struct analysis_input *source, char **paths, int count)
{
	struct several several = {.source = source,
		.paths = paths,
		.count = (size_t)count,
		.parts = tmpfile(),
		.good = true};
	struct batch_work all = {
		&several, (size_t)count, source->parts.plan.jobs, work, take, show_trace};

	several.kept = calloc((size_t)count, sizeof(*several.kept));
	if (!several.parts || !several.kept) {
		cli_error("a temporary file: %s", strerror(errno));
		several.good = false;
	} else {
		(void)batch_run(&all);
		cli_progress_clear();
		source->parts.plan.jobs = 1;
		several.good = !cli_interrupted && several.good && join_all(&several);
	}
	if (several.parts)
		fclose(several.parts);
	free(several.kept);
	return several.good;
}

/* ---- Which way. ---- */

/* Are there traces for several processes, and can each be a part? What comes before a part must not
 * matter, nor what other traces had. */
static bool are_parts(const struct analysis_input *source, int count)
{
	const struct trace_parts *parts = &source->parts;

	return source->apart && count > 1 && parts->plan.jobs > 1 && parts->part == 0 &&
	       !source->planned && !source->tasks.task && !source->follows &&
	       source->analysis->walk;
}

bool analysis_input_read(struct analysis_input *source, char **paths, int count)
{
	const bool of_parts = part_file_is_one(paths[0]), one_part = source->parts.part > 0;

	source->input.path = paths[0];
	if (analysis_share_is_rest())
		return analysis_share_take(source, paths, count);
	analysis_share_begin(source);
	bool good = of_parts                   ? analysis_input_files(source, paths, count)
		    : are_parts(source, count) ? read_apart(source, paths, count)
					       : analysis_input_traces(source, paths, count);
	if (good && !one_part && !cli_interrupted && !source->unchecked)
		good = analysis_input_check_task(source, paths[0]);
	return good;
}
