#ifndef CLI_END_MISSING_H
#define CLI_END_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/show/json.h"

/* Answers about the end of a trace begin with it, if that is missing. */
struct end_missing {
	bool missing, known;
	uint64_t records; /* that are missing, if known */
	uint64_t after;   /* the number of the last instruction that is there */
};

/* The sentence, for an end that is missing, into text[0 .. size-1]. */
void end_missing_text(const struct end_missing *end, char *text, size_t size);

/* A line; nothing if the end is there. */
void end_missing_print(const struct end_missing *end);

/* The member "end_missing"; null if the end is there. */
void end_missing_json(const struct end_missing *end, struct json *json);

#endif
