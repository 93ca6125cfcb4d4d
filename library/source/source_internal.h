#ifndef EAR_SOURCE_INTERNAL_H
#define EAR_SOURCE_INTERNAL_H

#include "library/parallel/equal_ahead.h"
#include "library/parallel/ordered_reader.h"
#include "library/parallel/read_ahead.h"
#include "library/source/fingerprint.h"
#include "library/source/source.h"
#include "library/source/source_wire.h"

/* A source, for the two files that it consists of: source.c and source_anchor.c. */

struct ear_source {
	int fd;
	bool folder;   /* of files */
	bool regular;  /* a file that can be read at any offset; */
	bool anchored; /* the source begins where it begins */
	bool shared;   /* without fd's own position */
	const char *format;
	uint64_t position, number; /* handed out: records of any kind, instruction records */

	/* A capture file or dump. */
	struct ear_source_wire wire;
	const struct ear_record *first; /* looked at and not handed over yet, if looked */
	int first_result;
	bool looked;

	/* A text format. */
	struct ear_text_input *text;
	const struct ear_reader_format *text_format;
	struct ear_reader *reader;
	bool read;                        /* a record was */
	bool skipped;                     /* lines were, which are not counted */
	char fault[EAR_FINGERPRINT_SIZE]; /* why there is no reader; "": not known */

	const struct ear_source_layers *layers; /* NULL: there are none */
	struct ear_source_layer *layer;

	/* Other threads. */
	unsigned jobs;
	bool threaded; /* they have read ahead */
	struct ear_read_ahead *ahead;
	struct ear_ordered_reader *ordered;
	struct ear_equal_ahead *equal;
	struct ear_reader_options given; /* report and context that the user gave */
	struct ear_record numbered;      /* a record whose reader does not say its line */
	struct ear_record_extra numbered_extra;
};

/* Find the format of a text, or take the one that is given in *format, and clean it of what other
 * programs have added. A prefix of most lines is taken away where it is of the format only then;
 * not of a pipe of a given format (whole is false), whose lines shall come at once.
 * Returns 0, EAR_E_UNSUPPORTED, or an error of ear_text_input_peek. */
int ear_source_look(
	struct ear_text_input *text, const struct ear_reader_format **format, bool whole);

/* The reader of a format. Returns 0, EAR_E_NO_MEMORY; or EAR_E_NO_PROGRAM or EAR_E_BAD_ARGUMENT
 * and the cause in fault, as ear_reader_format.make_of_bytes. */
int ear_source_make_reader(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_format *format, const struct ear_reader_options *options,
	char fault[EAR_FINGERPRINT_SIZE]);

/* The layer begins anew, where there is one. Returns as ear_source_set_layers. */
int ear_source_renew_layer(struct ear_source *source);

#endif
