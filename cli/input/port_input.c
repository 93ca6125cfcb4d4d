/* The event port of a trace, with messages for people. */
#include "cli/input/port_input.h"

#include <earshot/error.h>
#include <inttypes.h>

#include "cli/base/cli.h"
#include "cli/options/options.h"
#include "common/plural.h"

bool port_input_take_address(void *value, const struct command_option *option, const char *argument)
{
	struct ear_port_options *options = value;

	options->has_address = true;
	return option_number(&options->address, option, argument, 0, UINT64_MAX);
}

bool port_input_load(struct port_input *port)
{
	return !port->elf || elf_image_load(&port->image, port->elf, port->elf_optional);
}

bool port_input_open(struct port_input *port, bool captured)
{
	struct ear_memory_options *memory = &port->options.memory;

	memory->captured = captured;
	memory->image = port->image.segments;
	memory->image_count = port->image.count;
	int result = ear_port_events_new(&port->events, &port->options);
	if (result == 0 && port->options.tasks && port->marks)
		result = ear_task_follower_new(&port->follower);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

void port_input_close(struct port_input *port)
{
	ear_task_follower_free(port->follower);
	port->follower = NULL;
	ear_port_events_free(port->events);
	port->events = NULL;
	elf_image_free(&port->image);
}

int port_input_push(struct port_input *port, const struct ear_record *record)
{
	int count = ear_port_events_push(port->events, record);

	if (count < 0)
		cli_error("%s", ear_error_text(count));
	return count;
}

const struct ear_record *port_input_get(const struct port_input *port, int i)
{
	return ear_port_events_get(port->events, i);
}

const struct ear_record *port_input_mark(struct port_input *port, int i)
{
	const struct ear_record *record = ear_port_events_get(port->events, i);
	struct ear_task task;

	if (!port->follower)
		return record;
	int result = ear_task_follower_push(port->follower, record);
	if (result < 0) {
		cli_error("%s", ear_error_text(result));
		return NULL;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION ||
		!ear_task_follower_get(port->follower, record->hart, &task))
		return record;
	port->marked = *record;
	port->extra = record->extra ? *record->extra : (struct ear_record_extra){.line = 0};
	port->extra.has_task = true;
	port->extra.task = task.pid;
	port->extra.task_name = task.name;
	port->marked.extra = &port->extra;
	return &port->marked;
}

void port_input_warn(const struct port_input *port, const char *name)
{
	uint64_t unknown = ear_port_events_unknown(port->events);
	uint64_t no_string = ear_port_events_no_string(port->events);
	uint64_t incomplete = ear_port_events_incomplete(port->events);

	if (unknown)
		cli_warning("%s: %" PRIu64
			    " store%s to the event port: no such register, or an unknown value",
			name, unknown, ear_plural(unknown));
	if (no_string)
		cli_warning("%s: %" PRIu64
			    " string%s of the event port: memory is not known there%s",
			name, no_string, ear_plural(no_string),
			port->image.count ? "" : "; with --elf also what the program holds is");
	if (incomplete)
		cli_warning("%s: %" PRIu64
			    " event%s of tasks left out: stores before them are missing",
			name, incomplete, ear_plural(incomplete));
}
