#ifndef EAR_JSON_NAME_H
#define EAR_JSON_NAME_H

#include <earshot/record.h>

/* The words that the JSON lines use for the enumerations of a record: one table for the writer
 * and the reader. docs/text-formats.md lists them. Each table ends with NULL; the index is the
 * value of the enumeration, for the bus flags the number of the bit.
 */
extern const char *const ear_json_kinds[];
extern const char *const ear_json_isas[];
extern const char *const ear_json_privileges[];
extern const char *const ear_json_classes[];
extern const char *const ear_json_reasons[];
extern const char *const ear_json_bus_flags[];

/* Flags of a record that are written as "name": true. */
struct ear_json_flag {
	const char *name;
	uint32_t flag;
};
#define EAR_JSON_FLAGS 6
extern const struct ear_json_flag ear_json_flags[EAR_JSON_FLAGS + 1]; /* the last name is NULL */

#endif
