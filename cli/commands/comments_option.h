#ifndef EAR_COMMENTS_OPTION_H
#define EAR_COMMENTS_OPTION_H

/* The row of --comments, which all commands have that write texts; status is a sentence about the
 * exit status. */
#define COMMENTS_OPTION(id, status) \
	{ \
		"comments", 0, id, "WHAT", VALUES_WORDS, "no yes", \
			.text = "Comment lines '# gap: ...' and '# event: ...' in a text (default `yes`); " \
				"`no`: on standard error instead, and " status ".", \
			.detail = \
				"Other readers of a format, such as Whisper's own, stop at such lines." \
	}

#endif
