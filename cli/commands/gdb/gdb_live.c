#include "cli/commands/gdb/gdb_live.h"

#include <earshot/error.h>
#include <earshot/index.h>
#include <earshot/moment.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/cli.h"
#include "cli/input/symbol_file.h"

#define WAIT_MS 10

static void pause_a_moment(void)
{
	nanosleep(&(const struct timespec){0, WAIT_MS * 1000000L}, NULL);
}

/* ---- What the session calls. ---- */

/* Is the index larger than it may be? Half of it is for the next file. */
static bool is_large(const struct gdb_live *live)
{
	struct ear_index_facts facts = {.size = sizeof(facts)};
	uint64_t bound = live->turned == live->shown.file ? live->memory : live->memory / 2;

	return ear_trace_index_facts(live->input->trace, &facts) == 0 && facts.file &&
	       facts.file_size > bound;
}

static int open_handle(struct gdb_live *live)
{
	struct trace_input *input = live->input;

	live_view_path(live->view, live->path, &live->next);
	int result = ear_trace_open(&live->handle, live->path, &input->options);
	if (result == 0 && input->names) {
		result = ear_trace_set_program(live->handle, input->names);
		if (result)
			ear_trace_close(live->handle);
	}
	return result;
}

static int look(void *context, struct ear_trace **trace, uint64_t *dropped, bool *over, char *text)
{
	struct gdb_live *live = context;
	enum live_ring_wish wish = LIVE_RING_LOOK;

	*trace = NULL;
	if (is_large(live)) {
		live->turned = live->shown.file;
		wish = LIVE_RING_TURN;
	}
	live_view_ask(live->view, wish, &live->next);
	*over = live->next.over;
	snprintf(text, EAR_GDB_TEXT_MAX, "%.*s", EAR_GDB_TEXT_MAX - 1, live->next.text);
	if (live->next.file == 0 ||
		(live->next.file == live->shown.file && live->next.bytes == live->shown.bytes))
		return 0;
	int result = open_handle(live);
	if (result == EAR_E_IO && errno == ENOENT) { /* it was removed just now */
		live_view_ask(live->view, LIVE_RING_LOOK, &live->next);
		result = open_handle(live);
	}
	if (result)
		return result;
	*dropped = live->next.before - live->shown.before;
	*trace = live->handle;
	return 0;
}

static void keep(void *context)
{
	struct gdb_live *live = context;

	live->shown = live->next;
	live->input->trace = live->handle;
}

static void hold(void *context, bool held)
{
	struct gdb_live *live = context;

	/* If it fails, the next look says so. */
	(void)live_view_ask(live->view, held ? LIVE_RING_HOLD : LIVE_RING_GO, &live->next);
}

/* ---- The command. ---- */

bool gdb_live_start(struct gdb_live *live, int argc, char **argv)
{
	struct live_ring_options *options = &live->options;
	const char *folder = getenv("TMPDIR");
	char program[PATH_MAX];

	metadata_init(&live->facts);
	metadata_add(&live->facts, "writer", "%s", cli_version);
	metadata_add_time(&live->facts, "created");
	metadata_add(&live->facts, "device", "%s", options->device);
	metadata_add(&live->facts, "growing", "yes");
	metadata_add_command(&live->facts, argc, argv);
	if (strncmp(options->device, "sim:", 4) == 0) {
		snprintf(program, sizeof(program), "%.*s", (int)strcspn(options->device + 4, ","),
			options->device + 4);
		symbol_file_describe(&live->facts, program);
	}
	options->facts = live->facts.text;
	if (live->folder)
		folder = live->folder;
	return live_view_open(&live->view, options, folder && *folder ? folder : "/tmp");
}

/* Until something has been recorded. */
static bool await_first(struct gdb_live *live)
{
	struct live_ring_status *status = &live->shown;

	for (;;) {
		live_view_ask(live->view, LIVE_RING_LOOK, status);
		if (status->records > 0)
			break;
		if (status->over || cli_interrupted) {
			cli_error("%s: nothing was recorded%s%s", live->options.device,
				status->over ? ": " : "", status->over ? status->text : "");
			return false;
		}
		pause_a_moment();
	}
	live_view_ask(live->view, LIVE_RING_HOLD, status);
	if (!status->can_hold && !live->options.quiet)
		cli_warning("%s: the core runs on while GDB is stopped: the unit cannot hold it",
			live->options.device);
	return true;
}

bool gdb_live_open(struct gdb_live *live, struct trace_input *input)
{
	live->input = input;
	live->calls = (struct ear_gdb_live){look, keep, hold, live};
	if (!await_first(live))
		return false;
	live_view_path(live->view, live->path, &live->shown);
	input->path = live->path;
	return trace_input_open(input);
}

void gdb_live_close(struct gdb_live *live)
{
	live_view_close(live->view);
}
