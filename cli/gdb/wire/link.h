#ifndef EAR_GDB_LINK_H
#define EAR_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/gdb/wire/packet.h"

/* Packets over a pair of descriptors: a pipe from GDB, a connection. */
struct ear_gdb_link {
	int in, out;
	struct ear_gdb_parser parser;
	bool no_ack;                /* packets are not acknowledged */
	bool closed;                /* the client is gone */
	bool interrupted;           /* Ctrl-C came, outside of a packet, */
	int64_t interrupted_ms;     /* then */
	struct ear_gdb_reply reply; /* the one that was sent last, or is being made */
	uint8_t bytes[4096];        /* read, not parsed: at .. count - 1 */
	size_t at, count;
	int64_t alive_ms; /* when the client last heard something */
};

/* The next packet: link->parser.data, with a NUL, valid until the next call. False: the client is
 * gone. */
bool ear_gdb_link_next(struct ear_gdb_link *link);

/* Send link->reply, which is complete but for its end. */
void ear_gdb_link_send(struct ear_gdb_link *link);

/* While something takes long: has the client sent Ctrl-C, or gone? With alive, it is kept waiting:
 * GDB takes an acknowledgement at any time, and does not give up as long as one comes. */
bool ear_gdb_link_poll(struct ear_gdb_link *link, bool alive);

/* Before something moves: has Ctrl-C come shortly before? GDB that evaluates a condition sends it
 * between two short runs, and means what it is about to continue. It is forgotten then. */
bool ear_gdb_link_was_interrupted(struct ear_gdb_link *link);

#endif
