#ifndef EAR_GDB_OPTIONS_H
#define EAR_GDB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/search.h>
#include <earshot/trace.h>

/* A run that goes on while it is debugged. */
struct ear_gdb_live {
	/* What has come since: *trace is another handle, of all records that there are now; NULL if
	 * nothing is new. *dropped: so many records of the former handle, the oldest, are not in
	 * it. *over: nothing comes any more, and text[EAR_GDB_TEXT_MAX] says why. Returns 0 or an
	 * enum ear_error. */
	int (*look)(
		void *context, struct ear_trace **trace, uint64_t *dropped, bool *over, char *text);
	/* The handle of the last look is used from now on, and the former one closed. If this is
	 * not called it is the other way round, and the next look gives the same again. */
	void (*keep)(void *context);
	/* Hold the core, or let it go on, if that can be done. When it is held, all that it did can
	 * be looked at. */
	void (*hold)(void *context, bool hold);
	void *context;
};

/* What a session is about. */
struct ear_gdb_options {
	struct ear_trace *trace; /* at the beginning */
	struct ear_names *names; /* NULL: there are none */
	const char *program;     /* the ELF file that the client may read; NULL: none */
	uint64_t program_offset; /* that was added to its addresses */
	int in, out;             /* of the client */
	/* Where the present is at the beginning, UINT64_MAX - 1: as the trace says, at its end if
	 * that is a trap or an event, else at its first record. */
	uint64_t position;
	/* 0: the run cannot be changed. Else diversions of it can be run (divert.h), and stop after
	 * so many instructions. */
	uint64_t diverge;
	/* For them: what is memory beside the program's, and what is not. */
	const struct ear_span *ram, *devices;
	size_t ram_count, device_count;
	/* Says something to the user, who is at another terminal than the client. May be NULL. */
	void (*say)(void *context, const char *text);
	void *context;
	/* NULL: the trace is all there is. Else the core is held at the beginning. */
	const struct ear_gdb_live *live;
};

#define EAR_GDB_TEXT_MAX 256 /* bytes of a sentence for the user */

#define EAR_GDB_AS_THE_TRACE_SAYS (UINT64_MAX - 1)

#endif
