#ifndef EAR_MOMENT_PARSE_H
#define EAR_MOMENT_PARSE_H

#include <earshot/moment_text.h>

#define EAR_MOMENT_TEXT_MAX 1024

enum ear_moment_base {
	EAR_MOMENT_NUMBER, /* number is that of the instruction */
	EAR_MOMENT_TIME,   /* number is the ticks */
	EAR_MOMENT_BEGIN,
	EAR_MOMENT_FIRST,
	EAR_MOMENT_END,
	EAR_MOMENT_NOW,
	EAR_MOMENT_MARK,
	EAR_MOMENT_MATCH, /* query is what it says */
	EAR_MOMENT_NAME,  /* of an event, a function or a line */
};

/* A text in its parts, before anything is looked up. */
struct ear_moment_text {
	enum ear_moment_base base;
	uint64_t number;
	uint64_t which; /* #k, from 1 */
	bool from_end;  /* #-k */
	bool returns;   /* :return */
	bool is_symbol; /* =NAME */
	bool is_word;   /* trap, end, ..: a symbol may have that name, too */
	bool colon;     /* which was given as :k, which may be a line */
	char sign;      /* of the offset; 0: there is none */
	uint64_t offset;
	struct ear_query query;
	const char *mark;               /* its name, in name */
	const char *noun;               /* of query: "trap" */
	const char *text;               /* all of it, the caller's */
	char name[EAR_MOMENT_TEXT_MAX]; /* without what follows it; query points into it */
};

/* Returns true and *parsed, which may not be moved then; or false. */
bool ear_moment_text_parse(struct ear_moment_text *parsed, const char *text, bool now);

#endif
