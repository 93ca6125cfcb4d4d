#ifndef EAR_EARSHOT_USER_H
#define EAR_EARSHOT_USER_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"

/* The user page of the event port, from a process: docs/linux-target.md.
 *
 * What is reported is an event in the trace, right before the instruction that wrote it, and of the
 * task that runs. Nothing here enters the kernel but ear_user_open and ear_user_close.
 *
 * Without the device everything can be called as well, and does nothing: so a program needs no
 * second version. Threads may share a port. What takes several stores is under a lock, so it must
 * not be called in a signal handler that may interrupt such a call; ear_user_mark may. The lock
 * does not reach other processes: docs/linux-target.md says what that means.
 */

struct ear_user_port {
	volatile uint32_t *page; /* NULL: there is no device */
	atomic_flag busy;
};

/* A port that reports nothing until it is opened. */
#define EAR_USER_CLOSED \
	{ \
		.page = 0, .busy = ATOMIC_FLAG_INIT \
	}

/* Map the user page. path: NULL is /dev/earshot. Returns 0 or an errno value; then the port
 * reports nothing. */
int ear_user_open(struct ear_user_port *port, const char *path);
void ear_user_close(struct ear_user_port *port);

/* A method of an interpreter or a virtual machine, by the address of its body; upper bits of the
 * address cost one store more. unwind: it is left by an exception. */
void ear_user_method_enter(struct ear_user_port *port, uint64_t address);
void ear_user_method_exit(struct ear_user_port *port, uint64_t address);
void ear_user_method_unwind(struct ear_user_port *port, uint64_t address);

/* The same of a native function that such a machine calls. */
void ear_user_native_enter(struct ear_user_port *port, uint64_t address);
void ear_user_native_exit(struct ear_user_port *port, uint64_t address);
void ear_user_native_unwind(struct ear_user_port *port, uint64_t address);

/* A marker: one store. */
static inline void ear_user_mark(struct ear_user_port *port, uint32_t number)
{
	if (port->page)
		port->page[EAR_PORT_MARK - EAR_PORT_USER] = number;
}

/* A marker with a text, which travels by value. */
void ear_user_mark_text(struct ear_user_port *port, uint32_t number, const char *text);

/* The value that a counter has now. */
void ear_user_count(struct ear_user_port *port, uint32_t counter, uint32_t value);

#endif
