#ifndef EAR_NAMES_OPTION_H
#define EAR_NAMES_OPTION_H

#include "cli/options/options.h"

/* --names of commands that write texts; a bool. */
#define NAMES_OPTION(type, member) \
	{ \
		"names", 0, \
			.text = "Say in the text which function and line of the source instructions are of.", \
			.detail = \
				"In `whisper`, `whisper-log` and `tracerv` as comment lines where they change, " \
				"in `json` as members of each record. Names are those of the program that the " \
				"capture file names, if it is found, or of --elf.", \
			OPTION_VALUE(type, member) \
	}

#endif
