#ifndef EAR_GDB_LIVE_H
#define EAR_GDB_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/gdb/options.h"
#include "cli/input/trace_input.h"
#include "cli/live/live_view.h"
#include "cli/show/metadata.h"

/* 'earshot gdb -d DEVICE': a capture that runs, as the trace of a session.
 *
 *   gdb_live_start    before rights are given up: the capture begins
 *   gdb_live_open     the client is there: the core is held, and the trace opened
 *   gdb_live_close
 */
struct gdb_live {
	struct live_ring_options
		options;    /* set by the caller: device, session, config, size, quiet */
	const char *folder; /* where the ring is kept; NULL: that for temporary files */
	uint64_t memory;    /* bytes of the index, at most */

	/* For ear_gdb_options. */
	struct ear_gdb_live calls;

	struct trace_input *input;
	struct live_view *view;
	struct live_ring_status shown, next; /* of the handle that is used, and of the last look */
	struct ear_trace *handle;            /* of the last look */
	uint64_t turned;                     /* number of the file that was to be shorter */
	char path[LIVE_RING_PATH_MAX];
	struct metadata facts;
};

/* The command line is for the facts of the files. Returns false after the cause was printed. */
bool gdb_live_start(struct gdb_live *live, int argc, char **argv);

/* Waits for the first records. input->options are set. Returns as trace_input_open. */
bool gdb_live_open(struct gdb_live *live, struct trace_input *input);

/* input has been closed. */
void gdb_live_close(struct gdb_live *live);

#endif
