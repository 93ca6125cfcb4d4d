#ifndef EAR_SERVER_TAP_H
#define EAR_SERVER_TAP_H

#include "driver/tools/server_state.h"

/* The tap of the server's options (server_options.h): a thread that follows the ring as a reader
 * does. The device runs. Without a tap, or if no thread can be started, which is reported, nothing
 * happens. */
void ear_server_tap_start(struct ear_server *server);

/* The device sends nothing more: the tap gets what is left, and its thread ends. */
void ear_server_tap_end(struct ear_server *server);

#endif
