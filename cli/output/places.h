#ifndef EAR_PLACES_H
#define EAR_PLACES_H

#include "cli/input/symbol_file.h"
#include "cli/show/record_text.h"
#include "decoder/formats/base/writer.h"

/* Names in texts, of commands with --names. */

/* Let a writer show the names of a file's program. Returns false after printing why it cannot: the
 * format has no room for them, or there are none.
 */
bool places_begin(struct ear_writer_options *options, const struct ear_writer_format *format,
	struct symbol_file *file);

/* Records as lines of JSON, with names; NULL: without. Returns false if memory is short. */
bool places_json(struct record_text *text, const struct ear_names *names);

/* ear_writer_options.place; names: struct ear_names. */
void places_find(const void *names, uint64_t address, struct ear_writer_place *place);

#endif
