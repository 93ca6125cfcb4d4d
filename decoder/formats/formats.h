#ifndef EAR_FORMATS_H
#define EAR_FORMATS_H

#include <stddef.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"

/* The table of text formats: which there are, by name and by what a file begins with. */

/* Formats that can be read; the last one has name NULL. */
extern const struct ear_reader_format ear_reader_formats[];

const struct ear_reader_format *ear_reader_find(const char *name);

/* The format of which a folder is; there is one. */
const struct ear_reader_format *ear_reader_find_folder(void);

/* The format of a text that begins with bytes, or NULL if none is sure enough. */
const struct ear_reader_format *ear_reader_detect(const char *bytes, size_t size);

/* Formats that can be written; the last one has name NULL. */
extern const struct ear_writer_format ear_writer_formats[];

/* Find a format by its name, or by the extension of a file name, before which .gz and .zst do
 * not count. NULL if there is none.
 */
const struct ear_writer_format *ear_writer_find(const char *name);
const struct ear_writer_format *ear_writer_find_by_path(const char *path);

enum ear_format_limit_kind { EAR_LIMIT_PARTLY, EAR_LIMIT_UNSURE, EAR_LIMIT_OTHER };

/* A field that a format carries, but not always: limits.def. */
struct ear_format_limit {
	const char *format;
	enum ear_field field;
	enum ear_format_limit_kind kind;
	const char *text; /* a few words: the condition */
};

/* All of them; the last one has format NULL. */
extern const struct ear_format_limit ear_format_limits[];

/* The limit of a field, or NULL: it is carried always, or never. */
const struct ear_format_limit *ear_format_limit(const char *format, enum ear_field field);

/* The fields that records of a format can have (EAR_FIELD_BIT): those that it carries if it is
 * written, which its reader takes back. Of a name that is no format's: all.
 */
uint64_t ear_format_fields(const char *name);

#endif
