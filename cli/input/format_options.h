#ifndef EAR_FORMAT_OPTIONS_H
#define EAR_FORMAT_OPTIONS_H

#include "cli/options/options.h"

/* --pattern: the form of the lines of a log of the user's own. member: a const char *, patterns one
 * a line. subject: of the help, the file that it is of. */
#define PATTERN_OPTION(name, subject, type, member) \
	{ \
		name, 0, "PATTERN", \
			.text = subject " is a log of your own, with lines like PATTERN: " \
					"`{time}: PC={pc} I={opcode} {? x{n}<={v}}`.", \
			.detail = \
				"Given several times, a line is one of the first PATTERN that fits it. " \
				"@FILE: patterns in FILE, one a line. The language is in " \
				"docs/text-formats.md, \"Logs of your own\".", \
			OPTION_TAKEN(option_take_pattern, type, member) \
	}

/* Adds a pattern, or the ones in @FILE. False, and a message that shows the place, if one is wrong.
 */
command_take option_take_pattern;

/* --unit: which trace unit made a branch trace. member: a const char *, as ear_trace_options.unit.
 * subject: of the help, the file that it is of. */
#define UNIT_OPTION(name, subject, type, member) \
	{ \
		name, 0, "UNIT", VALUES_FILES, \
			.text = subject " is a branch trace of UNIT: the name of a known one " \
					"(`esp32c6`), or a JSON file with its parameters.", \
			.detail = "--elf gives its programs. Names and parameters are in " \
				  "docs/branch-trace.md.", \
			OPTION_TAKEN(option_take_unit, type, member) \
	}

/* Keeps the name, or what is in the file: a name has no dot and no slash. False, and a message, if
 * it cannot be read. */
command_take option_take_unit;

/* Rows of -i, --xlen, --pattern and --unit, which all commands have that read one trace in any
 * format. format, xlen, pattern and unit are the members of type that they set. */
#define FORMAT_OPTIONS(type, format, xlen, pattern, unit) \
	{"input-format", 'i', "FORMAT", VALUES_READ_FORMATS, \
		.text = "Format of FILE (default: detected from its contents).", \
		OPTION_VALUE(type, format)}, \
		{"xlen", 0, "N", VALUES_WORDS, "32 64", \
			.text = "32 or 64, for a text (default: detected from its beginning).", \
			.detail = "A wider value later in the text makes its line a bad one.", \
			OPTION_TAKEN(option_take_xlen, type, xlen)}, \
		PATTERN_OPTION("pattern", "FILE", type, pattern), \
		UNIT_OPTION("unit", "FILE", type, unit)

/* --ftdi-status, for a bool. */
#define FTDI_STATUS_OPTION(type, member) \
	{ \
		"ftdi-status", 0, \
			.text = "FILE is a dump of what an FTDI chip sent, with its two status bytes in " \
				"each packet: leave them out.", \
			OPTION_VALUE(type, member) \
	}

#endif
