#ifndef EAR_EVENT_PORT_H
#define EAR_EVENT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/ear_protocol.h"

/* The registers of the event port: docs/event-port.md.
 *
 * A write to register n is an event of source EAR_EVENT_REGISTER + n.
 */

/* The name of an event's source: "switch"; static. NULL if it is no register that has one. */
const char *ear_event_port_name(uint8_t source);

/* The source of an event by its name; 0 if none has it. */
uint8_t ear_event_port_source(const char *name, size_t size);

/* The number of the register at a byte offset in the window of both pages; -1: there is none. */
int ear_event_port_number(uint32_t offset);

/* Is it the address of a string, which the event stands for? */
bool ear_event_port_is_string(uint8_t source);

#endif
