#ifndef CLI_MEMORY_ERROR_H
#define CLI_MEMORY_ERROR_H

#include <earshot/memory_errors.h>

#include "cli/show/json.h"

/* Memory errors and blocks of the heap; names NULL: there are none. Text is after indent blanks. */
void memory_error_print(
	const struct ear_names *names, const struct ear_memory_error *error, int indent);

/* "in a block of 24 bytes at 0x80001a80, allocated by new_session (app.c:31) at #812, freed by
 * ...", and the block that was there before, if it was freed. */
void memory_block_print(
	const struct ear_names *names, const struct ear_memory_block *block, int indent);

/* An object; the member "block" of one. */
void memory_error_json(
	const struct ear_names *names, struct json *json, const struct ear_memory_error *error);
void memory_block_json(
	const struct ear_names *names, struct json *json, const struct ear_memory_block *block);

#endif
