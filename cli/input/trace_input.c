/* A trace, its index and the names of its program, for the commands that use the library.
 *
 * The helper that reads ELF files is started first, because a process that has given up its rights
 * starts none. Then only files can be read, and only the index be written.
 */
#include "cli/input/trace_input.h"

#include <earshot/moment.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/base/range.h"
#include "cli/input/format_options.h"
#include "cli/options/options.h"

/* The devices of the demo system (docs/boards.md, section 1.1). */
static const struct ear_span board_devices[] = {
	{0x00100000, 0x00100FFF}, /* exit register */
	{0x02000000, 0x0200FFFF}, /* timer and software interrupt */
	{0x10000000, 0x10000FFF}, /* UART */
	{0x10020000, 0x10021FFF}, /* event port */
};

const struct ear_span *trace_input_board_devices(size_t *count)
{
	*count = sizeof(board_devices) / sizeof(board_devices[0]);
	return board_devices;
}

bool trace_input_take_device(void *value, const struct command_option *option, const char *argument)
{
	struct trace_input *input = value;
	struct ear_span *span = &input->devices[input->device_count];
	const char *at = argument;

	input->devices_given = true;
	if (strcmp(argument, "none") == 0)
		return true;
	if (input->device_count == TRACE_INPUT_DEVICE_MAX)
		return option_fail(option, argument, "taken: there are too many");
	if (!cli_take_range(&at, &span->first, &span->last) || *at != '\0')
		return option_fail(
			option, argument, "a range: FIRST-LAST, FIRST+SIZE or an address; or none");
	input->device_count++;
	return true;
}

/* ---- Options. ---- */

const struct command_option trace_input_options[] = {
	FORMAT_OPTIONS(
		struct trace_input, options.format, options.xlen, options.pattern, options.unit),
	QUIET_OPTION(struct trace_input, quiet),
	VERDICT_OPTION(struct trace_input, verdict.incomplete),
	{0},
};

const struct command_option trace_index_options[] = {
	{"no-index", 0, .text = "Read FILE from its beginning, and leave no index.",
		.detail = "Only for short traces.",
		OPTION_SETS(struct trace_input, options.index, EAR_INDEX_NONE)},
	{"jobs", 'j', "N", .text = "Threads that build an index if there is none (default 1).",
		OPTION_VALUE(struct trace_input, options.jobs), .min = 1, .max = CLI_JOBS_MAX},
	{0},
};

/* Each of them asks for the inference. value: a struct trace_input. */
static bool take_infer(void *value, const struct command_option *option, const char *argument)
{
	struct trace_input *input = value;
	struct ear_infer_options *infer = &input->infer;

	input->inferring = true;
	if (strcmp(option->name, "reset") == 0)
		infer->reset = true;
	else if (strcmp(option->name, "shared") == 0)
		infer->shared = true;
	else if (strcmp(option->name, "traps") == 0)
		infer->traps = true;
	else if (strcmp(option->name, "core") == 0)
		infer->core = argument;
	return true;
}

static bool take_ram(void *value, const struct command_option *option, const char *argument)
{
	struct trace_input *input = value;
	struct ear_span *span = &input->ram[input->infer.ram_count];
	const char *at = argument;

	if (input->infer.ram_count == TRACE_INPUT_RAM_MAX)
		return option_fail(option, argument, "taken: there are too many");
	if (!cli_take_range(&at, &span->first, &span->last) || *at != '\0')
		return option_fail(
			option, argument, "a range: FIRST-LAST, FIRST+SIZE or an address");
	input->infer.ram_count++;
	input->inferring = true;
	return true;
}

const struct command_option trace_infer_options[] = {
	{"infer", 0,
		.text = "Work out values that the trace does not have, and say which they are "
			"(docs/infer.md); no index is used.",
		.detail = "Each option from here to --traps asks for it, too; they mean what they "
			  "mean for `earshot infer`.",
		.take = take_infer},
	{"reset", 0, .text = "The trace begins where the program was just loaded.",
		.take = take_infer},
	{"ram", 0, "RANGE",
		.text = "RANGE is memory, beside what the program has; repeat for more.",
		.take = take_ram},
	{"core", 0, "CORE", VALUES_FILES,
		.text = "A core dump (ELF) that was made where the trace ends.",
		.take = take_infer},
	{"shared", 0, .text = "Something else than the harts of the trace writes to memory.",
		.take = take_infer},
	{"traps", 0, .text = "The trace shows each trap and each interrupt.", .take = take_infer},
	{0},
};

bool trace_input_take_initial(
	void *value, const struct command_option *option, const char *argument)
{
	return option_take_text(value, option, argument) && files_read("--initial", argument);
}

/* ---- Errors. ---- */

void trace_input_error(const char *path, const char *error)
{
	size_t size = strlen(path);

	if (strncmp(error, path, size) == 0 && (error[size] == ':' || error[size] == ' '))
		cli_error("%s", error);
	else
		cli_error("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, error);
}

void trace_input_warn_of_handlers(const struct trace_input *input)
{
	if (!input->trace)
		return;
	const bool traps = ear_trace_carries(input->trace, "trap cause") == 0 &&
			   ear_trace_carries(input->trace, "trap without a cause") == 0;
	const bool interrupts = ear_trace_carries(input->trace, "interrupt") == 0;
	if (traps || interrupts)
		cli_warning("%s: it shows no %s: handlers are not known as such", input->path,
			!traps        ? "interrupts"
			: !interrupts ? "traps"
				      : "traps and interrupts");
}

void trace_input_warn_of_values(const struct trace_input *input)
{
	static const struct {
		const char *field, *text;
	} rows[] = {{"integer register write", "register writes"}, {"load address", "loads"},
		{"store address", "stores"}};
	char text[64] = "";
	size_t size = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !input->quiet && !input->inferring;
		i++)
		if (ear_trace_carries(input->trace, rows[i].field) == 0)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
				size > 0 ? ", no " : "", rows[i].text);
	if (size > 0)
		cli_warning("%s: it shows no %s: their values are unknown", input->path, text);
}

void trace_input_fail(const struct trace_input *input)
{
	cli_progress_clear();
	trace_input_error(input->path, input->trace ? ear_trace_error(input->trace) : input->error);
}

/* May files be made in the folder of path? */
static bool can_write_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	bool can = folder && access(folder, W_OK) == 0;

	free(folder);
	return can;
}

bool trace_input_make_cache(const char *given, char *folder, size_t size)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length = 0;

	if (given && given[0])
		length = snprintf(folder, size, "%s/", given);
	else if (!given && base && base[0] == '/')
		length = snprintf(folder, size, "%s/earshot/", base);
	else if (!given && home && home[0] == '/')
		length = snprintf(folder, size, "%s/.cache/earshot/", home);
	if (length <= 0 || (size_t)length >= size)
		return false;
	for (char *at = folder + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		(void)mkdir(folder, 0700);
		*at = '/';
	}
	return access(folder, W_OK) == 0;
}

/* The index of the trace, beside it or in the cache; "": it cannot be written. */
static void name_index(const char *path, char *name, size_t size)
{
	if (can_write_beside(path))
		snprintf(name, size, "%s.idx", path);
	else if (!trace_input_make_cache(NULL, name, size))
		name[0] = '\0';
}

/* Only the index can be written: beside the trace, or in the cache. */
void trace_input_confine(const char *path, enum ear_index_use use)
{
	char name[4096 + 32];

	confine_trace(path);
	if (use != EAR_INDEX_AUTO || strcmp(path, "-") == 0) {
		confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
		return;
	}
	name_index(path, name, sizeof(name));
	confine_index((const char *const[]){name[0] ? name : NULL, NULL});
}

bool trace_input_open_trace(struct trace_input *input)
{
	input->options.devices = input->devices;
	input->options.device_count = input->device_count;
	input->options.error = input->error;
	input->progress = (struct ear_progress){sizeof(input->progress), cli_progress_call, NULL};
	input->options.progress = &input->progress;
	int result = input->has_fd ? ear_trace_open_fd(
					     &input->trace, input->fd, input->path, &input->options)
				   : symbol_file_open_trace(&input->symbols, &input->trace,
					     input->path, &input->options);
	if (result < 0)
		trace_input_fail(input);
	return result == 0;
}

/* Of the virtual board the devices are known. A pipe cannot be opened twice, and has no moments. */
static bool take_board_devices(struct trace_input *input)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	char device[16];

	if (input->devices_given || ear_trace_facts(input->trace, &facts) || !facts.seekable ||
		ear_trace_fact(input->trace, "device", device, sizeof(device)) < 0 ||
		strncmp(device, "sim:", 4) != 0)
		return true;
	memcpy(input->devices, board_devices, sizeof(board_devices));
	input->device_count = sizeof(board_devices) / sizeof(board_devices[0]);
	ear_trace_close(input->trace);
	return trace_input_open_trace(input);
}

/* The names of --elf, else of the program that the capture names, if it is still the same; and its
 * image. */
static bool add_names(struct trace_input *input)
{
	struct symbol_file *symbols = &input->symbols;
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (ear_trace_facts(input->trace, &facts)) {
		trace_input_fail(input);
		return false;
	}
	symbol_file_of_trace(symbols, input->trace, input->path);
	if (symbols->elf && !symbol_file_check(symbols))
		return false;
	input->names = symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	if (!input->names)
		return !symbols->elf;
	if (ear_trace_set_program(input->trace, input->names)) {
		trace_input_fail(input);
		return false;
	}
	return true;
}

static bool start_inference(struct trace_input *input)
{
	if (!input->inferring)
		return true;
	input->infer.size = sizeof(input->infer);
	input->infer.names = input->names;
	input->infer.ram = input->ram;
	if (ear_trace_infer(input->trace, &input->infer) == 0)
		return true;
	trace_input_fail(input);
	return false;
}

/* The traces of a screen: it may have a second one. */
static void confine_traces(const struct trace_input *input)
{
	char names[2][4096 + 32] = {"", ""};
	const char *list[3] = {NULL};
	size_t count = 0;

	name_index(input->path, names[0], sizeof(names[0]));
	confine_trace(input->path);
	if (input->other)
		confine_trace(input->other);
	if (input->other)
		name_index(input->other, names[1], sizeof(names[1]));
	for (unsigned i = 0; i < 2; i++)
		if (names[i][0])
			list[count++] = names[i];
	confine_screen(list);
}

void trace_input_prepare(struct trace_input *input)
{
	cli_catch_signals(NULL);
	input->symbols.image_suffices = true;
	symbol_file_prepare(&input->symbols);
	if (input->screen) {
		confine_traces(input);
		return;
	}
	trace_input_confine(input->path, input->marks ? EAR_INDEX_AUTO : input->options.index);
}

bool trace_input_open_prepared(struct trace_input *input)
{
	return files_read("", input->path) && trace_input_open_trace(input) &&
	       take_board_devices(input) && add_names(input) && start_inference(input);
}

bool trace_input_open(struct trace_input *input)
{
	trace_input_prepare(input);
	return trace_input_open_prepared(input);
}

void trace_input_judge(struct trace_input *input, uint64_t from, uint64_t to)
{
	struct ear_missing missing = {.size = sizeof(missing)};
	const char *name = strcmp(input->path, "-") == 0 ? "standard input" : input->path;

	if (!input->trace || cli_interrupted ||
		ear_trace_missing(input->trace, from, to, &missing, &input->progress))
		return;
	verdict_add(&input->verdict, name, &missing);
	if (missing.unpaired && !input->quiet)
		verdict_say_unpaired(name, missing.unpaired);
	if (from == 0 && to == UINT64_MAX && missing.records == 0)
		input->verdict.empty = name;
}

void trace_input_judge_reach(struct trace_input *input)
{
	if (!input->judged)
		trace_input_judge(input, 0, input->reach);
	input->judged = true;
}

void trace_input_json_verdict(struct trace_input *input, struct json *json)
{
	trace_input_judge_reach(input);
	verdict_json(&input->verdict, json);
}

struct end_missing trace_input_end(struct ear_trace *trace, const struct ear_progress *progress)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_missing missing = {.size = sizeof(missing)};

	if (ear_trace_counts(trace, &counts, progress) || counts.instructions == 0 ||
		ear_trace_missing(trace, counts.records - 1, UINT64_MAX, &missing, progress))
		return (struct end_missing){.missing = false};
	const uint64_t records = missing.missing + missing.lost;
	return (struct end_missing){.missing = missing.no_end || missing.unknown || records > 0,
		.known = !missing.unknown && records > 0,
		.records = records,
		.after = counts.instructions - 1};
}

void trace_input_close(struct trace_input *input)
{
	cli_progress_clear();
	ear_trace_close(input->trace);
	symbol_file_close(&input->symbols);
	input->trace = NULL;
	input->names = NULL;
}

/* ---- Moments and places in options. ---- */

static const struct ear_progress progress = {
	.size = sizeof(struct ear_progress), .call = cli_progress_call};

bool moment_option_take(void *value, const struct command_option *option, const char *argument)
{
	struct moment_option *moment = value;

	moment->text = argument;
	moment->is_number = cli_parse_count(&moment->number, argument + (*argument == '#'));
	return moment->is_number || ear_moment_text_check(argument, false) ||
	       option_fail(option, argument,
		       "a moment: the number of an instruction, @TICKS, begin, end, first, last, "
		       "trap, exception, interrupt, event, gap, the name of an event or a "
		       "function, mark=NAME, or FILE:LINE; these with #K, +N or -N");
}

bool moment_option_has_words(const struct moment_option *moment)
{
	return moment->text && !moment->is_number;
}

int moment_option_find_in(struct ear_trace *trace, struct ear_names *names, const char *path,
	const char *text, struct ear_moment_place *place)
{
	*place = (struct ear_moment_place){.size = sizeof(*place)};
	int result = ear_trace_find_moment(trace, text, names, UINT64_MAX, place, &progress);
	if (result == 1)
		return 1;
	cli_progress_clear();
	trace_input_error(path, ear_trace_error(trace));
	return result < 0 ? -1 : 0;
}

int moment_option_find(struct trace_input *input, const char *text, struct ear_moment_place *place)
{
	int result = moment_option_find_in(input->trace, input->names, input->path, text, place);

	if (result == 1)
		input->reach = place->after;
	return result;
}

bool moment_option_number(
	struct ear_trace *trace, const char *path, uint64_t position, uint64_t *number)
{
	int result = ear_trace_seek(trace, position, &progress);

	*number = ear_trace_number(trace);
	if (result < 0) {
		cli_progress_clear();
		trace_input_error(path, ear_trace_error(trace));
	}
	return result >= 0;
}
