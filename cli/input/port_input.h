#ifndef CLI_PORT_INPUT_H
#define CLI_PORT_INPUT_H

#include <earshot/record.h>
#include <stdbool.h>

#include "cli/input/elf_image.h"
#include "cli/options/command.h"
#include "library/tasks/port_events.h"
#include "library/tasks/task_follower.h"

/* The event port of a trace that a command reads (library/tasks/port_events.h), with the program
 * that strings are also read from. Begin with zeros, and options and elf as wanted.
 */
struct port_input {
	struct ear_port_options options; /* memory.image is that of elf */
	const char *elf;                 /* NULL: none */
	bool elf_optional;               /* one that cannot be read is none */
	struct elf_image image;
	struct ear_port_events *events; /* NULL until it is open */

	bool marks; /* port_input_mark will be used */
	/* With options.tasks: which task runs, and the record that was marked with it. */
	struct ear_task_follower *follower;
	struct ear_record marked;
	struct ear_record_extra extra;
};

/* --event-port ADDRESS, for a struct ear_port_options. */
command_take port_input_take_address;

/* Before the command gives up its right to read elf: returns false after printing why not. */
bool port_input_load(struct port_input *port);

/* captured: as in struct ear_memory_options. Returns false after printing why not. */
bool port_input_open(struct port_input *port, bool captured);
void port_input_close(struct port_input *port); /* in any case */

/* The next record, as ear_port_events_push; an error is printed. */
int port_input_push(struct port_input *port, const struct ear_record *record);
const struct ear_record *port_input_get(const struct port_input *port, int i);

/* The same, once for each of them and in order; an instruction is marked with its task, if
 * options.tasks is set and the task is known. NULL after printing that memory is short. */
const struct ear_record *port_input_mark(struct port_input *port, int i);

/* What was not there to be seen: a warning each, with its count. name: of the trace. */
void port_input_warn(const struct port_input *port, const char *name);

#endif
