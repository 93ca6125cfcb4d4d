#ifndef EAR_STATES_OPTION_H
#define EAR_STATES_OPTION_H

#include "cli/options/options.h"

/* The row of --states, which all commands have that write capture files; a uint64_t. */
#define STATES_OPTION(type, member) \
	{ \
		"states", 0, "RECORDS", \
			.text = "Instructions between states of the decoder in a capture file, from which " \
				"decoding can begin (default: as many as fit into a tenth of the file); 0: none.", \
			.detail = \
				"The first state comes after a quarter of them. A tenth of the file may be " \
				"64 kB at least.", \
			OPTION_VALUE(type, member), .max = UINT64_MAX \
	}

#endif
