#ifndef EAR_TCP_CONNECT_H
#define EAR_TCP_CONNECT_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/base/report.h"

/* A connection to a program on this host or another one, in short waits, so that an interrupt
 * (ear_transport_interrupt) ends each of them.
 */

/* Connect to HOST:PORT; an IPv6 address is in brackets. device is the name for reports, SCHEME:what
 * as a rule, and server is who should listen there, as "'earshot serve'".
 *
 * Returns 0 and a socket that does not block in *fd; EAR_E_BAD_ARGUMENT if it is no such address;
 * EAR_E_NO_DEVICE if nobody answers there, or after an interrupt.
 */
int ear_tcp_connect(int *fd, const char *address, const char *device, const char *server,
	struct ear_report *report);

/* Wait for events of poll(2) on fd, until deadline_ms of ear_clock_ms. Returns false when the time
 * is over, or after an interrupt. */
bool ear_tcp_wait(int fd, short events, uint64_t deadline_ms);

/* The report of an opening that was interrupted. Returns EAR_E_NO_DEVICE. */
int ear_tcp_report_interrupted(const char *device, struct ear_report *report);

/* Is this a port: a number up to 65535, or the name of a service? getaddrinfo takes any number and
 * uses its low 16 bits.
 */
bool ear_tcp_is_port(const char *text);

#endif
