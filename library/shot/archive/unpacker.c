/* Records to text, through a line diff where there is one.
 *
 * Without a line diff the records go straight to a writer, or to several on other threads. With
 * one, lines are collected in memory until there is a quarter of a megabyte, and go through it at
 * once.
 */
#include "library/shot/archive/unpacker.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/shot/archive/rendered_lines.h"

#define LINES_SIZE (256u << 10) /* bytes of lines that are collected */

bool ear_unpacker_has_line_diff(const struct ear_unpacker *unpacker)
{
	return unpacker->diff.format != 0;
}

static void free_writers(struct ear_unpacker *unpacker)
{
	ear_parallel_writer_free(unpacker->parallel);
	ear_writer_free(unpacker->writer);
	unpacker->parallel = NULL;
	unpacker->writer = NULL;
}

/* Writers to the output, or to the lines for a line diff. */
static int make_writers(struct ear_unpacker *unpacker)
{
	const struct ear_unpacker_options *options = &unpacker->options;
	struct ear_writer_options how = options->writer;
	struct ear_text_output *to =
		ear_unpacker_has_line_diff(unpacker) ? &unpacker->lines : unpacker->output;
	int result = EAR_E_UNSUPPORTED;

	if (ear_unpacker_has_line_diff(unpacker)) {
		how.no_header = true;
		how.no_comments = false;
		how.place = NULL; /* the lines of the diff are counted */
		how.no_hart = unpacker->diff.flags & EAR_LINES_NO_HART;
		how.walks = unpacker->diff.flags & EAR_LINES_WALKS;
	}
	free_writers(unpacker);
	if (options->jobs > 1)
		result = ear_parallel_writer_new(
			&unpacker->parallel, options->format, &how, to, options->jobs);
	if (result != EAR_E_UNSUPPORTED)
		return result;
	unpacker->writer = options->format->make(to, &how);
	return unpacker->writer ? 0 : EAR_E_NO_MEMORY;
}

int ear_unpacker_init(struct ear_unpacker *unpacker, struct ear_text_output *output,
	const struct ear_unpacker_options *options)
{
	*unpacker = (struct ear_unpacker){.options = *options,
		.output = output,
		.filter = {.sink = options->comment, .context = options->comment_context}};
	int result = ear_text_output_init_memory(&unpacker->lines);
	if (result == 0)
		result = ear_text_output_init_memory(&unpacker->crlf);
	if (result == 0)
		result = ear_text_output_init_memory(&unpacker->whole);
	return result ? result : make_writers(unpacker);
}

void ear_unpacker_fini(struct ear_unpacker *unpacker)
{
	free_writers(unpacker);
	ear_text_output_fini(&unpacker->lines);
	ear_text_output_fini(&unpacker->crlf);
	ear_text_output_fini(&unpacker->whole);
	free(unpacker->diff.bytes);
	unpacker->diff = (struct ear_shot_line_diff){.format = 0};
}

/* The lines once more, with CR LF for LF. */
static void expand(struct ear_unpacker *unpacker)
{
	const char *line = unpacker->lines.buffer, *end = line + unpacker->lines.used;

	unpacker->crlf.used = 0;
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t size = (size_t)((newline ? newline : end) - line);
		ear_text_output_put(&unpacker->crlf, line, size);
		ear_text_output_put(&unpacker->crlf, "\r\n", 2);
		line += size + 1;
	}
}

/* The lines through the line diff, to the output. */
static int apply(struct ear_unpacker *unpacker)
{
	struct ear_text_output *from = &unpacker->lines;
	bool filtered = unpacker->options.writer.no_comments || unpacker->suppressed;
	struct ear_text_output *to = filtered ? &unpacker->whole : unpacker->output;
	int result;

	if (unpacker->diff.flags & EAR_LINES_CR) {
		expand(unpacker);
		from = &unpacker->crlf;
	}
	result = from->error ? from->error
			     : ear_line_diff_apply(&unpacker->cursor, to, from->buffer, from->used);
	if (filtered && !unpacker->suppressed)
		ear_comment_filter_push(&unpacker->filter, unpacker->output, to->buffer, to->used);
	unpacker->whole.used = 0;
	if (result == EAR_E_BAD_FILE) {
		unpacker->bad_line_diffs++;
		result = 0;
	}
	unpacker->lines.used = 0;
	return result;
}

int ear_unpacker_flush(struct ear_unpacker *unpacker)
{
	int result = unpacker->parallel ? ear_parallel_writer_flush(unpacker->parallel) : 0;

	if (result == 0 && ear_unpacker_has_line_diff(unpacker))
		result = apply(unpacker);
	return result ? result : unpacker->output->error;
}

int ear_unpacker_finish(struct ear_unpacker *unpacker)
{
	int result = ear_unpacker_flush(unpacker);

	if (result == 0)
		ear_comment_filter_end(&unpacker->filter);
	return result ? result : unpacker->output->error;
}

int ear_unpacker_line_diff(struct ear_unpacker *unpacker, struct ear_shot_line_diff diff)
{
	bool usable = diff.format == EAR_LINES_WHISPER &&
		      strcmp(unpacker->options.format->name, "whisper") == 0;
	bool same = ear_unpacker_has_line_diff(unpacker) && diff.flags == unpacker->diff.flags;
	int result = ear_unpacker_flush(unpacker);

	if (!usable || diff.flags & ~EAR_LINES_FLAGS) {
		unpacker->bad_line_diffs += diff.flags & ~EAR_LINES_FLAGS ? 1 : 0;
		free(diff.bytes);
		return result;
	}
	ear_text_output_be_exact(unpacker->output);
	free(unpacker->diff.bytes);
	unpacker->diff = diff;
	ear_line_diff_begin(&unpacker->cursor, diff.bytes, diff.size, diff.count);
	return result || same ? result : make_writers(unpacker);
}

int ear_unpacker_push(struct ear_unpacker *unpacker, const struct ear_record *record)
{
	if (unpacker->suppressed && !ear_unpacker_has_line_diff(unpacker))
		return 0;
	int result = unpacker->parallel ? ear_parallel_writer_push(unpacker->parallel, record)
					: ear_writer_push(unpacker->writer, record);

	if (result == 0 && unpacker->lines.used >= LINES_SIZE)
		result = apply(unpacker);
	return result;
}

int ear_unpacker_push_run(struct ear_unpacker *unpacker, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	if (!unpacker->parallel || unpacker->suppressed)
		return 1;
	int result = ear_parallel_writer_push_run(unpacker->parallel, run, compacts);

	if (result == 0 && unpacker->lines.used >= LINES_SIZE)
		result = apply(unpacker);
	return result;
}

int ear_unpacker_suppress(struct ear_unpacker *unpacker, bool suppressed)
{
	const struct ear_writer_options how = {
		.no_hart = unpacker->diff.flags & EAR_LINES_NO_HART,
		.walks = unpacker->diff.flags & EAR_LINES_WALKS,
	};
	bool ends = unpacker->suppressed && !suppressed;
	int result = ear_unpacker_flush(unpacker);

	unpacker->suppressed = suppressed;
	if (result == 0 && ends && ear_unpacker_has_line_diff(unpacker))
		unpacker->options.format->header(unpacker->output, &how);
	return result;
}
