#ifndef EAR_LIVE_RING_H
#define EAR_LIVE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/session/session.h"

/* The newest part of a capture that runs, as a capture file that grows while others read it: for a
 * debugger (docs/debugging.md). It is done by a process of its own (live_view.h), so that the
 * device is served whatever the debugger does.
 *
 *     file 1  |-------------------|-------------------|
 *     file 2                      |-------------------|-------------------|
 *     file 3                                          |-------------------|------
 *             0                 size              2 size              3 size   bytes of the stream
 *
 * When the newest file holds size bytes, the next one begins beside it, with the state of the
 * decoder; and the one before is removed. So the older of the two always holds the newest size
 * bytes of the stream, if there were as many, and at most twice as many.
 */
#define LIVE_RING_SIZE_MIN 16384u /* bytes of the stream */

struct live_ring_options {
	const char *device;
	struct ear_session_options session;
	struct ear_capture_config config;
	uint64_t size;      /* LIVE_RING_SIZE_MIN or more */
	const char *folder; /* for nothing else */
	const char *facts;  /* text for the files */
	bool quiet;
};

/* What can be asked for. Each gets a status. */
enum live_ring_wish {
	LIVE_RING_LOOK, /* what the unit has is to be fetched, and readable */
	LIVE_RING_HOLD, /* the same, after the core was held, if the unit can */
	LIVE_RING_GO,   /* the core goes on */
	/* The files are to be shorter: the next one begins here; or the older one is removed, if it
	 * has begun already. */
	LIVE_RING_TURN,
};

struct live_ring_status {
	uint64_t file;    /* number of the file to be read */
	uint64_t before;  /* records of any kind that came before it */
	uint64_t records; /* of any kind that have come so far */
	uint64_t bytes;   /* of the stream */
	bool can_hold;    /* the unit holds its core */
	bool over;        /* nothing comes any more; text says why */
	bool failed;      /* and that is an error */
	char text[512];
};

#define LIVE_RING_PATH_MAX 4200

/* The path of a file. */
void live_ring_path(char path[LIVE_RING_PATH_MAX], const char *folder, uint64_t file);

/* Capture, and serve socket, which is one of SOCK_SEQPACKET: a status when the capture has begun or
 * failed, then one for each wish, which is a byte. Returns when the other side is closed: the core
 * goes on, the capture has ended, and the files are removed.
 */
void live_ring_serve(const struct live_ring_options *options, int socket);

#endif
