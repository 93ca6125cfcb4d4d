#ifndef EAR_PORT_EVENTS_H
#define EAR_PORT_EVENTS_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* The event port (docs/event-port.md) in a trace: stores to its address become the events that a
 * unit with a port makes of them, and events get the strings that they point to.
 *
 *     ear_port_events_new(&port, &options);
 *     while (ear_source_next(source, &record) == 1) {
 *             int count = ear_port_events_push(port, record);
 *             for (int i = 0; i < count; i++)
 *                     ... ear_port_events_get(port, i)
 *     }
 *     ear_port_events_free(port);
 *
 * A string is read from memory as the records before the event show it, and from the image of the
 * program, at a virtual or physical address as the software says (library/tasks/port_memory.h).
 * Where a byte is not known, the text continues with "<string at 0x... unknown>", the address being
 * that of this byte, and ends. Memory is the caller's thread's; one object serves one trace.
 */
#define EAR_PORT_STRING_MAX 4096u /* bytes of a string; what is longer is cut */

struct ear_port_options {
	bool has_address; /* stores to the window at address are events */
	uint64_t address;
	/* What the stores mean together takes their place: events of tasks and methods
	 * (<earshot/task_event.h>). Stores that have nothing to do with that stay. */
	bool tasks;
	struct ear_memory_options memory; /* where strings are */
};

struct ear_port_events;

/* Returns 0 and an object to be freed; EAR_E_NO_MEMORY. What options.memory points to must stay. */
int ear_port_events_new(struct ear_port_events **port, const struct ear_port_options *options);
void ear_port_events_free(struct ear_port_events *port); /* NULL is fine */

/* The next record of the trace. Returns how many records take its place: the events of its stores
 * and then itself; of an event of the port a copy with its string, or what it means, which may be
 * nothing. All are valid until the next call, or as long as *record. Or EAR_E_NO_MEMORY, or as
 * ear_memory_push.
 *
 * A store whose event is there already, from a unit with a port, gets no other one.
 */
int ear_port_events_push(struct ear_port_events *port, const struct ear_record *record);
const struct ear_record *ear_port_events_get(const struct ear_port_events *port, int i);

/* Stores to registers that the port lacks, those whose value the trace does not have, and what is
 * more than 256 events of one record.
 */
uint64_t ear_port_events_unknown(const struct ear_port_events *port);

/* Events whose string, or a part of it, is not known; with options.tasks, events of tasks that are
 * missing because a part of them is not known.
 */
uint64_t ear_port_events_no_string(const struct ear_port_events *port);
uint64_t ear_port_events_incomplete(const struct ear_port_events *port);

#endif
