#ifndef EAR_FORMAT_OPTIONS_H
#define EAR_FORMAT_OPTIONS_H

#include "cli/options/options.h"

/* Rows of -i and --xlen, which all commands have that read one trace in any format. format and xlen
 * are the members of type that they set. */
#define FORMAT_OPTIONS(type, format, xlen) \
	{"input-format", 'i', "FORMAT", VALUES_READ_FORMATS, \
		.text = "Format of FILE (default: detected from its contents).", \
		OPTION_VALUE(type, format)}, \
	{ \
		"xlen", 0, "N", VALUES_WORDS, "32 64", \
			.text = "32 or 64, for a text (default: detected from its beginning).", \
			.detail = "A wider value later in the text makes its line a bad one.", \
			OPTION_TAKEN(option_take_xlen, type, xlen) \
	}

/* --ftdi-status, for a bool. */
#define FTDI_STATUS_OPTION(type, member) \
	{ \
		"ftdi-status", 0, \
			.text = "FILE is a dump of what an FTDI chip sent, with its two status bytes in " \
				"each packet: leave them out.", \
			OPTION_VALUE(type, member) \
	}

#endif
