#ifndef CLI_BROWSE_SIGNALS_H
#define CLI_BROWSE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Signals while the screen is there: Ctrl-C ends what takes long and nothing else, Ctrl-Z stops,
 * SIGTERM and SIGHUP end the program. All of them only set a flag, and come in while the screen
 * waits for a key or a function of the library reports its progress, so that the terminal is always
 * restored.
 */
void browse_signals_begin(void);

bool browse_signals_any(void);
bool browse_signals_take_interrupt(void); /* was there one? It is forgotten */
bool browse_signals_take_stop(void);
bool browse_signals_ending(void);
void browse_signals_end(void); /* as if the program was asked to end */

/* The signals that may come in while it waits. */
const sigset_t *browse_signals_outside(void);

/* Let those that wait come in now. Returns true if what is being done must end. */
bool browse_signals_look(void);

#endif
