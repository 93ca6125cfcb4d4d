#include "cli/commands/timeline/timeline_source.h"

#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"

#define OPTIONS_HEAP "heap" /* of a file of a part: it has what the heap's functions did */

static bool make_whole(struct timeline_source *source)
{
	if (ear_timeline_new(&source->timeline, source->input.names, &source->options) == 0)
		return true;
	cli_error("out of memory");
	return false;
}

/* By any thread: only one that is alone asks for names. */
static int make_part(struct timeline_source *source, unsigned part)
{
	const struct ear_timeline_options options = {.part = true, .whole = source->timeline};

	return ear_timeline_new(
		&source->pieces[part], source->timeline ? NULL : source->input.names, &options);
}

/* ---- A trace. ---- */

/* Is the trace read as a whole, without parts that are joined? */
static bool is_whole(const struct timeline_source *source)
{
	return source->parts.plan.count == 1 && source->parts.part == 0;
}

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct timeline_source *source = context;
	int result = 0;

	if (!is_whole(source))
		result = make_part(source, part);
	if (result == 0 && moment)
		result = ear_timeline_start(
			is_whole(source) ? source->timeline : source->pieces[part], moment,
			progress);
	return result;
}

static int take_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct timeline_source *source = context;

	return ear_timeline_batch(
		is_whole(source) ? source->timeline : source->pieces[part], batch);
}

static int end_part(void *context, unsigned part)
{
	struct timeline_source *source = context;

	if (is_whole(source))
		return 0;
	int result = ear_timeline_finish(source->pieces[part]);
	if (result == 0 && source->parts.part == 0) {
		result = ear_timeline_join(source->timeline, source->pieces[part]);
		ear_timeline_free(source->pieces[part]);
		source->pieces[part] = NULL;
	}
	return result;
}

static const struct ear_part_work work = {
	.begin = begin_part, .batch = take_batch, .end = end_part};

bool timeline_source_read(struct timeline_source *source)
{
	return make_whole(source) &&
	       trace_parts_read(&source->parts, &source->input, &work, source);
}

bool timeline_source_write_part(struct timeline_source *source, FILE *file)
{
	struct ear_part_writer writer;
	struct ear_part_head head;

	if (!trace_parts_read(&source->parts, &source->input, &work, source) || cli_interrupted ||
		!part_file_head(&head, &source->parts, &source->input, "timeline"))
		return false;
	if (ear_timeline_has_heap(source->pieces[0]))
		strcpy(head.options, OPTIONS_HEAP);
	ear_timeline_set_title(source->pieces[0], ear_names_base(source->input.path));
	ear_part_write_head(&writer, file, &head);
	ear_timeline_write(source->pieces[0], &writer);
	ear_part_write_end(&writer);
	return true;
}

/* ---- Files of parts. ---- */

static bool join_file(struct timeline_source *source, struct part_files *files, const char *path)
{
	if (make_part(source, 0) != 0) {
		cli_error("out of memory");
		return false;
	}
	bool good = ear_timeline_read(source->pieces[0], &files->reader);
	if (!good) {
		part_files_fail(files, path);
	} else {
		const int result = ear_timeline_join(source->timeline, source->pieces[0]);
		good = result == 0;
		if (!good)
			cli_error("%s: %s", path, ear_error_text(result));
	}
	ear_timeline_free(source->pieces[0]);
	source->pieces[0] = NULL;
	return good;
}

/* The first one says which program it is of. */
static bool open_timeline(
	struct timeline_source *source, const struct part_files *files, const char *path)
{
	if (!part_files_find_names(files, &source->input, source->program) || !make_whole(source))
		return false;
	if (!ear_timeline_has_heap(source->timeline) ||
		strcmp(files->head.options, OPTIONS_HEAP) == 0)
		return true;
	cli_error("%s: it was made without the names of %s: make the parts with --elf, too", path,
		source->input.symbols.elf ? source->input.symbols.elf : source->program);
	return false;
}

bool timeline_source_read_files(struct timeline_source *source, int count, char **paths, bool quiet)
{
	struct part_files files = {0};
	bool good = true;

	part_files_begin(&source->input, paths[0]);
	for (int i = 0; i < count && good; i++) {
		good = part_files_open(&files, paths[i], "timeline") &&
		       (i > 0 || open_timeline(source, &files, paths[i])) &&
		       join_file(source, &files, paths[i]);
		part_files_close(&files);
	}
	if (good && !quiet)
		part_files_check_whole(&files);
	return good;
}

void timeline_source_close(struct timeline_source *source)
{
	for (unsigned i = 0; i < EAR_PARTS_QUEUE_MAX; i++)
		ear_timeline_free(source->pieces[i]);
	ear_timeline_free(source->timeline);
	trace_input_close(&source->input);
}
