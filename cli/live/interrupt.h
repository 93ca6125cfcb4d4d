#ifndef EAR_INTERRUPT_H
#define EAR_INTERRUPT_H

/* Signals end what a command does with a device in good order: a transfer that waits returns, and
 * what was named here is stopped.
 */

/* From now on, and the program is asked to end (cli_catch_signals). */
void interrupt_catch(void);

/* A signal calls stop(what) as well, in the signal handler. stop NULL: no longer. */
void interrupt_stops(void (*stop)(void *what), void *what);

#endif
