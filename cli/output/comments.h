#ifndef EAR_COMMENTS_H
#define EAR_COMMENTS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options/options.h"
#include "decoder/formats/base/writer.h"
#include "library/shot/archive/unpacker.h"

/* --comments no: a text gets no comment lines. The gaps and events that it then does not hold are
 * lines on standard error, and the exit status says that records are missing.
 */
struct comments {
	bool apart;       /* --comments no */
	const char *name; /* of the trace, for the lines */
	uint64_t gaps;    /* shown so, with records missing */
};

/* The row of --comments, for a struct comments; status is a sentence about the exit status. */
#define COMMENTS_OPTION(type, member, status) \
	{ \
		"comments", 0, "WHAT", VALUES_WORDS, "no yes", \
			.text = "Comment lines '# gap: ...' and '# event: ...' in a text (default `yes`); " \
				"`no`: on standard error instead, and " status ".", \
			.detail = \
				"Other readers of a format, such as Whisper's own, stop at such lines.", \
			OPTION_TAKEN(comments_take, type, member) \
	}
command_take comments_take;

/* Show a gap or an event that a text does not hold (ear_writer_lacks_without_comments). */
void comments_show(struct comments *comments, const struct ear_record *record);

/* A record that goes to this unpacker: show it if the text will not hold it. The comment lines of a
 * packed text are shown by comments_show_line, and only counted here. */
void comments_take_packed(struct comments *comments, const struct ear_unpacker *unpacker,
	const struct ear_record *record);

/* A comment line that was taken out of a packed text: an ear_comment_sink. context is a struct
 * comments. */
void comments_show_line(void *context, const char *line, size_t size);

/* The status of the command that ends with status: EAR_EXIT_NO instead of EAR_EXIT_DONE if records
 * are missing. */
int comments_judge(const struct comments *comments, int status);

#endif
