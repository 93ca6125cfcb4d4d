#ifndef EAR_SERVER_H
#define EAR_SERVER_H

#include "driver/link/transport.h"
#include "driver/tools/server_options.h"

/* A device for other hosts: everything that it sends goes to everybody who connects
 * (transport_tcp.h), and one of them, who knows the token, may send control words.
 *
 * No reader stalls the device. What it sends goes into one ring that never waits. Each reader
 * follows at its own speed, on a thread of its own; one that lags by the whole ring is dropped,
 * with a message. A reader begins at the beginning of a frame.
 *
 * Strangers may connect. At most 16 connections may be greeting; a newer one evicts the oldest of
 * the address that has most of them. If that is its own address, as behind a tunnel, it waits until
 * the oldest has had 250 ms; up to 64 wait so, in their order. If there is a token, listeners never
 * take the last slot, so a controller always gets in. Out of descriptors, the server evicts a
 * connection, pauses and reports it. Lines about connections are limited to 32 at once and 2 per
 * second.
 */
struct ear_server;

/* Listen. *transport belongs to the server from now on, also when this fails.
 * Returns 0, or EAR_E_BAD_ARGUMENT for a bad address, EAR_E_NO_MEMORY, EAR_E_IO.
 */
int ear_server_open(struct ear_server **server, struct ear_transport *transport,
	const struct ear_server_options *options, struct ear_report *report);

/* The port that the server listens on. */
unsigned ear_server_port(const struct ear_server *server);

/* Start the device and serve, until it ends for good or ear_server_stop was called. Once.
 * Returns 0 and *end, or what the transport's start does.
 */
int ear_server_run(
	struct ear_server *server, struct ear_transport_end *end, struct ear_report *report);

/* Any thread, and signal handlers. */
void ear_server_stop(struct ear_server *server);

/* NULL: nothing. */
void ear_server_close(struct ear_server *server);

#endif
