#ifndef EAR_STATES_OPTION_H
#define EAR_STATES_OPTION_H

/* The row of --states, which all commands have that write capture files. */
#define STATES_OPTION(id) \
	{ \
		"states", 0, id, "RECORDS", \
			.text = "Instructions between states of the decoder in a capture file, from which " \
				"decoding can begin (default: as many as fit into a tenth of the file); 0: none.", \
			.detail = \
				"The first state comes after a quarter of them. A tenth of the file may be " \
				"64 kB at least." \
	}

#endif
