#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include <stdbool.h>

#include <earshot/trace.h>

#include "cli/options/command.h"
#include "cli/show/json.h"

/* The end of every command that reads a trace: what is missing of it is said in one sentence, and
 * is in its exit status (docs/verdict.md).
 */
struct verdict {
	struct ear_missing missing; /* of all traces */
	const char *name;           /* of the first one that is not whole; NULL: there is none */
	unsigned more;              /* others that are not */
	const char *incomplete;     /* --incomplete; NULL: a damaged trace is a failure */
	char fault[EAR_TRACE_ERROR_MAX];
	char mended[EAR_TRACE_ERROR_MAX]; /* what was made good, of the first file of which that is
					     so */
	const char *mended_name;
	const char *empty; /* name of a trace without any record; NULL: there is none */
	bool known;        /* something was read */
	bool no_place;     /* the sum does not know where the damage begins */
};

/* --incomplete, for the member incomplete of a struct verdict. */
#define VERDICT_OPTION(type, member) \
	{ \
		"incomplete", 0, "HOW", VALUES_WORDS, "ok", \
			.text = "`ok`: a damaged FILE is no failure; what is missing is only said.", \
			OPTION_TAKEN(verdict_take_incomplete, type, member) \
	}
command_take verdict_take_incomplete;

/* What is missing of records that come behind so many instructions, to what is missing of those. */
void verdict_join(struct ear_missing *sum, const struct ear_missing *more, uint64_t instructions);

/* What is missing of a trace named so. */
void verdict_add(struct verdict *verdict, const char *name, const struct ear_missing *missing);

/* Lines of a text that lack their partner: no damage, and no other status. */
void verdict_say_unpaired(const char *name, uint64_t count);

/* Print the sentence, unless quiet, and return the exit status: if a trace is damaged or empty
 * EAR_EXIT_FAILED instead of EAR_EXIT_DONE, and of EAR_EXIT_NO unless that says that something was
 * found. */
int verdict_end(const struct verdict *verdict, bool quiet, int status, bool found);

/* "complete" and "accounted", as of docs/verdict.md; null: that cannot be known. */
void verdict_json(const struct verdict *verdict, struct json *json);

/* The same as text, with blanks. Static. */
const char *verdict_members(const struct verdict *verdict);

#endif
