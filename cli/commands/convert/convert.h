#ifndef EAR_CONVERT_H
#define EAR_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/convert/convert_loss.h"
#include "cli/input/port_input.h"
#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/input/trace_parts.h"
#include "cli/options/options.h"
#include "cli/output/outputs.h"
#include "decoder/codec/record_encoder.h"
#include "library/parallel/parallel_reader.h"
#include "library/shot/archive/unpacker.h"

/* 'earshot convert': what its files share. */

enum convert_way {
	CONVERT_PACK,   /* a text, into a capture file, with every byte of it (pack.h) */
	CONVERT_ENCODE, /* records, into a capture file */
	CONVERT_UNPACK, /* a capture file, into the text that it may have been packed from */
	CONVERT_CHUNKS, /* text to text, in chunks, by several threads */
	CONVERT_WRITE,  /* records, into a text */
};

struct convert {
	struct source_input input;
	struct outputs outputs;                 /* exactly one */
	const struct ear_writer_format *format; /* of it; NULL: a capture file */
	enum convert_way way;
	struct convert_loss loss;

	/* What was asked for. */
	const char *output, *output_format, *geometry_name;
	const char *out_unit; /* of a branch trace that is written */
	uint64_t limit;
	uint64_t states; /* records between them */
	unsigned level;  /* 0: the default of the geometry */
	unsigned jobs;
	bool quiet_loss;
	bool with_port; /* --event-port, --tasks */
	struct optional_number hart;

	struct address_names *names;
	struct port_input port;
	struct symbol_file symbols; /* the program that a capture names, for names of tasks */
	uint64_t wire_bytes, text_bytes;
	double last_progress;

	struct ear_record_encoder_options encoding;
	struct ear_geometry geometry;
	struct ear_record_encoder *encoder;
	struct ear_decoder decoder; /* of what the encoder makes, for its states */

	struct ear_unpacker unpacker;

	/* --part: parts.part is not 0. */
	struct trace_parts parts;
	struct trace_input trace;
	struct ear_snapshot after_first; /* of the writer, after the first record of the trace */

	/* In chunks. */
	struct ear_parallel_reader *parallel;
	struct ear_writer_team team;
	struct converted *begun; /* last */
};

void convert_show_progress(struct convert *convert);

#endif
