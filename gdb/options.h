#ifndef EAR_GDB_OPTIONS_H
#define EAR_GDB_OPTIONS_H

#include <stdint.h>

#include <earshot/names.h>
#include <earshot/trace.h>

/* What a session is about. */
struct ear_gdb_options {
	struct ear_trace *trace;
	struct ear_names *names; /* NULL: there are none */
	const char *program;     /* the ELF file that the client may read; NULL: none */
	uint64_t program_offset; /* that was added to its addresses */
	int in, out;             /* of the client */
	/* Where the present is at the beginning, UINT64_MAX - 1: as the trace says, at its end if
	 * that is a trap or an event, else at its first record. */
	uint64_t position;
	/* Says something to the user, who is at another terminal than the client. May be NULL. */
	void (*say)(void *context, const char *text);
	void *context;
};

#define EAR_GDB_AS_THE_TRACE_SAYS (UINT64_MAX - 1)

#endif
