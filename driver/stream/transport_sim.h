#ifndef EAR_TRANSPORT_SIM_H
#define EAR_TRANSPORT_SIM_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/link/transport.h"

/* The virtual board: the program `earshot-board` in a process of its own, over a socket pair.
 *
 * Device name: sim:PROGRAM.elf,key=value,...
 *   The options are the longest tail of the name in which every part between commas looks
 *   like key=value (key: a small letter, then small letters, digits, '-' and '_'); the path is
 *   what comes before. So the path may hold commas; a value may not.
 *   The options are passed on: `earshot-board PROGRAM.elf --fd N --key value ...`; its --help
 *   lists them, such as ram, link, stall, seed, fault, uart.
 *
 * The program is looked for in $EARSHOT_BOARD, beside the running program, and in PATH.
 *
 * The board's standard output and error, and so by default the program's UART, go to the host's
 * standard error: the host's standard output may be a trace.
 *
 * The board is in a process group of its own, so Ctrl-C on the terminal reaches only the host.
 * When it ends by itself, the sink gets its exit status. When the host stops first, the socket is
 * closed; a board that still runs after 1 s gets SIGTERM, after another second SIGKILL. It is
 * always waited for. Flow controlled.
 *
 * Results as ear_transport_open: EAR_E_NO_DEVICE if there is no earshot-board.
 */
int ear_transport_sim_open(
	struct ear_transport **transport, const char *device, struct ear_report *report);

/* Boards that are opened from now on print errors only, and what their programs print. */
void ear_transport_sim_set_quiet(bool quiet);

/* Find earshot-board. Returns 0 and its path in path[0 .. size-1], or EAR_E_NO_DEVICE. */
int ear_transport_sim_find_board(char *path, size_t size, struct ear_report *report);

#endif
