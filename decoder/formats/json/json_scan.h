#ifndef EAR_JSON_SCAN_H
#define EAR_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/record_builder.h"

/* JSON (RFC 8259) from one line, step by step and without recursion: what reader_json.c needs.
 *
 *     ear_json_begin(&scan, '{');
 *     while (ear_json_member(&scan, &key))
 *             take the value: ear_json_number, ..., or ear_json_skip
 *
 * The first thing that is wrong is kept in fault; after it every function says no.
 */
struct ear_json_scan {
	struct ear_text_cursor cursor;
	struct ear_record_builder *builder; /* owns the strings that need a copy */
	const char *fault;                  /* NULL as long as all is well */
	bool first;                         /* no member or element was taken yet */
};

/* Take '{' or '['. False if something else is there. */
bool ear_json_begin(struct ear_json_scan *scan, char bracket);

/* Inside an object: the key of the next member; its value has to be taken next. Inside an array:
 * an element has to be taken next. False at the end of the object or array, which is taken.
 */
bool ear_json_member(struct ear_json_scan *scan, struct ear_text *key);
bool ear_json_element(struct ear_json_scan *scan);

/* After a nested object or array was read: the outer one continues. */
static inline void ear_json_resume(struct ear_json_scan *scan)
{
	scan->first = false;
}

/* A string with its escapes undone; \udc80 .. \udcff give the byte. It points into the line or
 * to the builder. */
bool ear_json_string(struct ear_json_scan *scan, struct ear_text *string);

/* A whole number as JSON writes it, or a string "0x..." or "123"; at most limit. */
bool ear_json_number(struct ear_json_scan *scan, uint64_t *value, uint64_t limit);

bool ear_json_bool(struct ear_json_scan *scan, bool *value);

/* Any value, checked and thrown away. */
bool ear_json_skip(struct ear_json_scan *scan);

/* True if nothing but blanks is left. */
bool ear_json_end(struct ear_json_scan *scan);

#endif
