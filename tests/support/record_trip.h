#ifndef EAR_RECORD_TRIP_H
#define EAR_RECORD_TRIP_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"
#include "random.h"

/* What tests of text formats share: texts to records and back, in memory. */

#define TRIP_MESSAGES_MAX 64

/* Records with everything they point to, and what the reader told. */
struct trip {
	struct ear_record **records;
	size_t count, capacity;
	size_t skipped; /* gaps for lines that were skipped, which are not in records */
	int result;     /* of the last call: 0 at the end of the file */
	uint64_t unpaired, unpaired_line; /* as the reader's */
	char word[EAR_READER_WORD_SIZE];  /* the first that was not understood, or "" */
	uint64_t word_line;
	unsigned bad, warnings;
	struct {
		uint64_t line, offset;
		bool bad;
		char cause[120];
	} messages[TRIP_MESSAGES_MAX]; /* the first ones */
};

/* A copy of a record that owns everything, to be freed with trip_record_free. */
struct ear_record *trip_record_copy(const struct ear_record *record);
void trip_record_free(struct ear_record *record);

/* NULL if two records are equal in all that the format-independent parts tell, else the name of
 * the field that differs. Not compared: where in a file they stand (stream_offset, line).
 */
const char *trip_record_difference(const struct ear_record *a, const struct ear_record *b);

/* Read a text with a format's reader. To be freed with trip_fini. options may be NULL. */
void trip_read(struct trip *trip, const char *format, const char *text, size_t size,
	const struct ear_reader_options *options);
void trip_fini(struct trip *trip);

/* The same, after a look at the beginning, which some readers take XLEN from, as a source does. */
void trip_read_looked(struct trip *trip, const char *format, const char *text, size_t size);

/* The same for a file of tests/data. */
void trip_read_file(struct trip *trip, const char *format, const char *name);

/* A whole file, NUL-terminated, to be freed. */
char *trip_load(const char *name, size_t *size);

/* Write records with a format's writer; the text is NUL-terminated and to be freed. */
char *trip_write(const char *format, struct ear_record *const *records, size_t count, size_t *size);

char *trip_write_with(const char *format, const struct ear_writer_options *options,
	struct ear_record *const *records, size_t count, size_t *size);

/* Damage of every kind on a text: every prefix if it is small, byte flips, and mutations with a
 * fixed seed, of which the gate has a quarter. The reader must end each time, with the end of the
 * file or an error of the file, and report a line at most once for each effect; records must hold
 * what they say.
 */
void trip_torture(const char *format, const char *text, size_t size, unsigned mutations);

#endif
