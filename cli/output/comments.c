/* What comment lines would hold, on standard error: the same words, with the name of the trace in
 * front. A record is asked about only with --comments no, so it costs nothing without.
 */
#include "cli/output/comments.h"

#include "cli/base/cli.h"
#include "decoder/formats/base/comment_line.h"

#define COMMENT_BEGIN "# "

bool comments_take(void *value, const struct command_option *option, const char *argument)
{
	struct comments *comments = value;
	int yes;

	if (!option_word(&yes, option, argument))
		return false;
	comments->apart = !yes;
	return true;
}

/* Without the beginning and the line end of a comment. */
static void show(const struct comments *comments, const char *line, size_t size)
{
	size_t begin = sizeof(COMMENT_BEGIN) - 1;

	if (size < begin || line[0] != COMMENT_BEGIN[0] || line[1] != COMMENT_BEGIN[1])
		begin = size > 0;
	cli_error("%s: %.*s", comments->name, (int)(size - begin), line + begin);
}

static void count(struct comments *comments, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP &&
		(!record->u.gap.count_known || record->u.gap.count > 0))
		comments->gaps++;
}

void comments_show(struct comments *comments, const struct ear_record *record)
{
	char line[EAR_COMMENT_LINE_SIZE];
	size_t size = (size_t)(ear_comment_line_put(line, record) - line);

	show(comments, line, size - (size > 0));
	count(comments, record);
}

void comments_take_packed(struct comments *comments, const struct ear_unpacker *unpacker,
	const struct ear_record *record)
{
	if (!comments->apart ||
		!ear_writer_lacks_without_comments(unpacker->options.format, record))
		return;
	if (ear_unpacker_has_line_diff(unpacker))
		count(comments, record);
	else
		comments_show(comments, record);
}

void comments_show_line(void *context, const char *line, size_t size)
{
	show(context, line, size);
}

int comments_judge(const struct comments *comments, int status)
{
	return status == EAR_EXIT_DONE && comments->gaps > 0 ? EAR_EXIT_NO : status;
}
