#ifndef CLI_KEY_LINES_H
#define CLI_KEY_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/show/json.h"

/* An account, key by key, on standard output: lines 'key: value', or one JSON object. */
struct key_lines {
	bool as_json;
	struct json json; /* of as_json */
};

void key_begin(struct key_lines *keys, bool as_json);
void key_end(struct key_lines *keys);

void key_text(struct key_lines *keys, const char *key, const char *text);
void key_number(struct key_lines *keys, const char *key, uint64_t value);
void key_address(struct key_lines *keys, const char *key, uint64_t value);

/* A number that is known, or the least that it can be: "12 or more"; in JSON with a member
 * KEY_at_least that is true. */
void key_least(struct key_lines *keys, const char *key, uint64_t value, bool at_least);

/* Four digits of it. */
void key_real(struct key_lines *keys, const char *key, double value);

/* "yes", "no" or, if it is not known, "unknown"; in JSON true, false or null. */
void key_answer(struct key_lines *keys, const char *key, bool known, bool value);

#endif
