#ifndef CLI_TRACE_INPUT_H
#define CLI_TRACE_INPUT_H

#include <earshot/infer.h>
#include <earshot/moment_text.h>
#include <earshot/names.h>
#include <earshot/trace.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/input/symbol_file.h"
#include "cli/options/options.h"
#include "cli/show/end_missing.h"
#include "cli/show/verdict.h"

/* The trace of a command that sees it through the library, with the names of its program: what
 * these commands have in common.
 *
 *     struct trace_input input = TRACE_INPUT_DEFAULTS;
 *     ... options: trace_input_options, symbol_file_options, ..
 *     input.path = argv[first];
 *     if (trace_input_open(&input))
 *             ... input.trace, input.names
 *     trace_input_close(&input);
 */
#define TRACE_INPUT_DEVICE_MAX 32
#define TRACE_INPUT_RAM_MAX    32

struct trace_input {
	const char *path; /* "-": standard input */
	bool has_fd;      /* it is read from fd instead, which stays the caller's; no index */
	int fd;
	struct ear_trace *trace;
	struct symbol_file symbols;
	struct ear_names *names; /* of symbols; NULL: there are none */
	struct ear_trace_options options;
	struct ear_progress progress; /* for functions of the library that take long */
	struct ear_span devices[TRACE_INPUT_DEVICE_MAX];
	unsigned device_count;
	bool devices_given; /* also by --device none */
	bool inferring;     /* by --infer or an option for it */
	struct ear_infer_options infer;
	struct ear_span ram[TRACE_INPUT_RAM_MAX];
	bool quiet;
	bool marks;        /* the command writes marks beside the trace, as an index is written */
	bool screen;       /* it has the screen of a terminal, and writes marks, */
	const char *other; /* also of a second trace; NULL: there is none */
	uint64_t reach;    /* what the command says is of records before this position */
	struct verdict verdict;
	bool judged; /* up to reach */
	char error[EAR_TRACE_ERROR_MAX];
};

#define TRACE_INPUT_DEFAULTS \
	{ \
		.options = EAR_TRACE_DEFAULTS, .reach = UINT64_MAX \
	}

/* Groups of options, for a struct trace_input: how the trace is read, with --quiet; its index. The
 * names of its program are symbol_file_options. */
extern const struct command_option trace_input_options[], trace_index_options[];

/* Values that the trace does not have (docs/infer.md): --infer, and what is said for it. */
extern const struct command_option trace_infer_options[];

/* Where memory is not. */
#define TRACE_INPUT_DEVICE(type, member) \
	{ \
		"device", 0, "RANGE", \
			.text = "Memory in RANGE changes by itself and is never known; repeat for more, `none`: " \
				"there are no such ranges.", \
			.detail = \
				"The default is, for captures of the virtual board, the devices of the demo " \
				"system, else none. Bytes of which two loads differ with no store between " \
				"are never known in any case.", \
			OPTION_TAKEN(trace_input_take_device, type, member) \
	}
command_take trace_input_take_device; /* a struct trace_input */

/* --initial FILE, for options.initial_state. */
command_take trace_input_take_initial;

/* Those of the virtual board. */
const struct ear_span *trace_input_board_devices(size_t *count);

/* Give up all rights but to read any file, and to keep the index of the trace at path if it is
 * used.
 */
void trace_input_confine(const char *path, enum ear_index_use use);

/* Make the folder of indexes beside whose traces nothing can be written, as folders cannot be made
 * once the rights are given up: given (--cache), or if that is NULL the user's. Its name, with a
 * slash at its end, goes to folder[0 .. size-1]. Returns false if there is none that can be
 * written.
 */
bool trace_input_make_cache(const char *given, char *folder, size_t size);

/* Give up rights, open the trace and read the names. input->path and options are set. Returns false
 * after printing why it could not be done; close it all the same.
 */
bool trace_input_open(struct trace_input *input);

/* The two steps of that, for several traces: after one that cannot be opened, another one can. */
void trace_input_prepare(struct trace_input *input);
bool trace_input_open_prepared(struct trace_input *input);
/* What is missing between two positions of the trace goes to the verdict. */
void trace_input_judge(struct trace_input *input, uint64_t from, uint64_t to);

/* The same of what the command reaches, once; and its members in JSON. */
void trace_input_judge_reach(struct trace_input *input);
void trace_input_json_verdict(struct trace_input *input, struct json *json);

/* What is missing at the end of the trace; an error is no answer. */
struct end_missing trace_input_end(struct ear_trace *trace, const struct ear_progress *progress);

void trace_input_close(struct trace_input *input);

/* Open the trace alone, without rights or names: of several ones. The same result. */
bool trace_input_open_trace(struct trace_input *input);

/* Warn if the trace cannot show traps or interrupts: their handlers are not known as such. Not of
 * files of parts, which have no trace. */
void trace_input_warn_of_handlers(const struct trace_input *input);

/* Warn if it cannot show register writes, loads or stores: registers and memory are unknown then,
 * and what depends on them. */
void trace_input_warn_of_values(const struct trace_input *input);

/* Print what the library says about a trace, some of which begins with the path. */
void trace_input_error(const char *path, const char *error);

/* Print what the library says about the last error of the trace. */
void trace_input_fail(const struct trace_input *input);

/* ---- Moments ---- */

/* Moments and places on the command line, in every option that takes one (earshot/moment_text.h,
 * docs/moments.md). What shells offer for their beginning: */
#define MOMENT_VALUES \
	VALUES_BEGINNINGS, "begin first trap exception interrupt event gap last end mark= @ ="

/* What a place is, for the text of an option. */
#define MOMENT_FORMS \
	"an instruction's number, `@TICKS`, `trap=5#3`, an event, a function or `FILE:LINE`"

/* The text of an option, as it is looked up once the trace is open. A number needs no trace. */
struct moment_option {
	const char *text; /* NULL: not given */
	bool is_number;
	uint64_t number;
};

/* Of an option: a struct moment_option. Its form alone is checked. */
command_take moment_option_take;

/* Is it given, and more than a number? */
bool moment_option_has_words(const struct moment_option *moment);

/* Find it in a trace, whose name is path; names may be NULL. Returns 1; 0 after printing that there
 * is no such thing in the trace; -1 after printing why it cannot be found.
 */
int moment_option_find_in(struct ear_trace *trace, struct ear_names *names, const char *path,
	const char *text, struct ear_moment_place *place);

/* The same in an input, which then reaches to after it. */
int moment_option_find(struct trace_input *input, const char *text, struct ear_moment_place *place);

/* Number of the instruction that comes next at a position. Returns false after printing why not. */
bool moment_option_number(
	struct ear_trace *trace, const char *path, uint64_t position, uint64_t *number);

#endif
