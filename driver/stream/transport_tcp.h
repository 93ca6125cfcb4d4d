#ifndef EAR_TRANSPORT_TCP_H
#define EAR_TRANSPORT_TCP_H

#include <stdbool.h>

#include "driver/link/transport.h"

/* A device of another host, or of another program here: the other side is server.h.
 *
 * Device name: tcp:HOST:PORT[,token-file=PATH]; an IPv6 address stands in brackets. With a token,
 * from the file or from $EARSHOT_TOKEN, the device is controllable, as if it were here. Without one
 * this is a listener: all that the device sends, from a frame's beginning on.
 *
 * Flow controlled: no. A reader that does not keep up is dropped by the other side, and says so.
 *
 * Results as ear_transport_open: EAR_E_NO_DEVICE if nobody answers there, EAR_E_REFUSED if the
 * other side does not want us, EAR_E_VERSION or EAR_E_TIMEOUT if it is no earshot serve.
 */
int ear_transport_tcp_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* The conversation, before the stream. One line each way, ending in '\n':
 *   client  EARSHOT 1 listen
 *           EARSHOT 1 control TOKEN
 *   server  OK NAME-OF-THE-DEVICE
 *           NO WHY-NOT
 * After OK the server sends the stream, and takes control words if control was asked for.
 */
#define EAR_TCP_HELLO    "EARSHOT 1 "
#define EAR_TCP_LINE_MAX 256

#define EAR_TCP_TOKEN_MIN 8 /* letters: visible ASCII */
#define EAR_TCP_TOKEN_MAX 128

/* Read a token from a file: its first line. path NULL: $EARSHOT_TOKEN.
 * Returns 1 and the token, 0 if there is none (path NULL only), EAR_E_IO, EAR_E_BAD_ARGUMENT, or
 * EAR_E_REFUSED if the file belongs to somebody else than this user or root, or others may read or
 * write it.
 */
int ear_tcp_read_token(
	char token[EAR_TCP_TOKEN_MAX + 1], const char *path, struct ear_report *report);

/* Take $EARSHOT_TOKEN out of the environment, and out of the memory in which it stood, so that no
 * child and no look at /proc sees it. ear_tcp_read_token still knows it, until it is forgotten. To
 * be called before other threads look at the environment.
 */
void ear_tcp_hide_token(void);
void ear_tcp_forget_token(void);

/* The client's part of it, on a connection; token NULL: to listen. device is the name for reports.
 * Results as ear_transport_tcp_open.
 */
int ear_tcp_greet(int fd, const char *token, const char *device, struct ear_report *report);

/* Is this a port? A number to 65535, or the name of a service. getaddrinfo takes any number, and
 * uses its low 16 bits.
 */
bool ear_tcp_is_port(const char *text);

#endif
