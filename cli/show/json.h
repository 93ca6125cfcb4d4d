#ifndef EAR_JSON_H
#define EAR_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* JSON on standard output or in a file, member by member.
 *
 * The writer knows where a comma belongs, and how a text is escaped. Members of an object have a
 * key; elements of an array have the key NULL. What is not known is null (RFC 8259).
 */
struct json {
	FILE *to;                  /* NULL: standard output */
	const char *comma, *colon; /* what separates members, and a key from its value */
	bool first;                /* nothing stands in this object or array yet */
};

/* A writer without blanks: {"a":1,"b":2}; and one with them: {"a": 1, "b": 2}. */
struct json json_compact(void);
struct json json_spaced(void);

/* The same as json_compact, to a file. */
struct json json_to(FILE *file);

/* Begin an object ('{') or an array ('['), and end it ('}', ']'). */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* Put what comes next onto a line of its own, after so many blanks. */
void json_line(struct json *json, int indent);

/* The key alone: the caller prints the value. */
void json_key(struct json *json, const char *key);

/* text: NULL is null. */
void json_text(struct json *json, const char *key, const char *text);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_number(struct json *json, const char *key, uint64_t value);

/* A number, or null if it is not known. */
void json_known(struct json *json, const char *key, bool known, uint64_t value);

/* "0x1f", or null if it is not known. */
void json_hex(struct json *json, const char *key, bool known, uint64_t value);

/* With so many decimals. */
void json_real(struct json *json, const char *key, double value, int decimals);

#endif
