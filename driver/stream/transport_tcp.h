#ifndef EAR_TRANSPORT_TCP_H
#define EAR_TRANSPORT_TCP_H

#include <stdbool.h>

#include "driver/link/transport.h"

/* A device of another host, or of another program here: the other side is server.h.
 *
 * Device name: tcp:HOST:PORT[,token-file=PATH]; an IPv6 address is in brackets. With a token, from
 * the file or from $EARSHOT_TOKEN, the device is controllable like a local one. Without a token the
 * connection is a listener: it gets all that the device sends, from the beginning of a frame on.
 *
 * Flow controlled: no. The other side drops a reader that does not keep up.
 *
 * Results as ear_transport_open: EAR_E_NO_DEVICE if nobody answers there, EAR_E_REFUSED if the
 * other side refuses the connection, EAR_E_VERSION or EAR_E_TIMEOUT if it is not earshot serve.
 */
int ear_transport_tcp_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* The conversation, before the stream. One line each way, ending in '\n':
 *   client  EARSHOT 1 listen
 *           EARSHOT 1 control TOKEN
 *   server  OK NAME-OF-THE-DEVICE
 *           NO WHY-NOT
 * After OK the server sends the stream, and takes control words if the client asked for control.
 */
#define EAR_TCP_HELLO    "EARSHOT 1 "
#define EAR_TCP_LINE_MAX 256

#define EAR_TCP_TOKEN_MIN 8 /* letters: visible ASCII */
#define EAR_TCP_TOKEN_MAX 128

/* Read a token from a file: its first line. path NULL: $EARSHOT_TOKEN.
 * Returns 1 and the token, 0 if there is none (path NULL only), EAR_E_IO, EAR_E_BAD_ARGUMENT, or
 * EAR_E_REFUSED if the file belongs to a user other than this one or root, or if others may read or
 * write it.
 */
int ear_tcp_read_token(
	char token[EAR_TCP_TOKEN_MAX + 1], const char *path, struct ear_report *report);

/* Remove $EARSHOT_TOKEN from the environment and from the memory that held it, so that neither a
 * child nor a reader of /proc sees it. ear_tcp_read_token still returns it. Call it before other
 * threads read the environment.
 */
void ear_tcp_hide_token(void);

/* The client's part of it, on a connection; token NULL: to listen. device is the name for reports.
 * Results as ear_transport_tcp_open.
 */
int ear_tcp_greet(int fd, const char *token, const char *device, struct ear_report *report);

#endif
