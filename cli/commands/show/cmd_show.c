/* 'earshot show': a trace for people. */
#include <earshot/error.h>
#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/commands/cmd.h"
#include "cli/commands/show/show_marks.h"
#include "cli/commands/show/show_records.h"
#include "cli/input/format_options.h"
#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/output/places.h"
#include "cli/show/record_text.h"
#include "cli/show/styled.h"
#include "cli/show/verdict.h"

#define AROUND_DEFAULT 10
#define PLACES_MAX     64

struct show {
	struct ear_trace_options trace_options;
	struct ear_trace *trace;
	struct symbol_file symbols;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_names *names; /* of symbols; NULL: none */
	struct ear_instructions *instructions;
	struct styled styled;
	struct show_records *records;
	struct show_options options;
	const char *path, *isa;
	struct moment_option from, to, at;
	uint64_t places[PLACES_MAX]; /* of --json with several --at: their numbers, */
	size_t place_count;          /* 0: there is one, or none */
	uint64_t last;               /* number of the last instruction that is shown */
	uint64_t around, limit;
	bool no_names, json, marks;
	bool more;                /* ranges come */
	struct record_text lines; /* of json */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	unsigned width;
	uint64_t begin; /* position of the first one that is shown */
	struct verdict verdict;
};

/* One, or numbers, which are places. */
static bool take_at(void *value, const struct command_option *option, const char *argument)
{
	struct show *show = value;
	const struct moment_option first = show->at;

	if (!moment_option_take(&show->at, option, argument))
		return false;
	if (!first.text)
		return true;
	if (show->place_count == 0)
		show->places[show->place_count++] = first.number;
	if (!first.is_number || !show->at.is_number)
		return option_fail(option, argument, "a number: of several places each is one");
	if (show->place_count == PLACES_MAX)
		return option_fail(option, argument, "taken: there are too many places");
	show->places[show->place_count++] = show->at.number;
	return true;
}

static const struct command_option table[] = {
	{"from", 0, "PLACE", MOMENT_VALUES,
		.text = "Begin with PLACE: " MOMENT_FORMS " ({MOMENTS}).",
		OPTION_TAKEN(moment_option_take, struct show, from)},
	{"to", 0, "PLACE", MOMENT_VALUES, .text = "End with PLACE.",
		OPTION_TAKEN(moment_option_take, struct show, to)},
	{"at", 0, "PLACE", MOMENT_VALUES,
		.text = "Point at the instruction of PLACE, and show those around it. With --json and "
			"numbers: repeat for more, each record is printed once.",
		.take = take_at},
	{"around", 0, "K", .text = "With --at: K instructions before and after it (default 10).",
		OPTION_VALUE(struct show, around), .max = UINT64_MAX},
	{"limit", 'n', "N", .text = "Stop after N records.", OPTION_VALUE(struct show, limit),
		.min = 1, .max = UINT64_MAX},
	{"marks", 0,
		.text = "Print the marks of FILE, which `browse` and `gdb` make, instead of its records: "
			"each with the instruction before it.",
		OPTION_VALUE(struct show, marks)},
	JSON_OPTION(struct show, json, true,
		"Print each record as a line of JSON, with the names of its function and line."),
	{"no-names", 0, .text = "Show addresses without names.",
		OPTION_VALUE(struct show, no_names)},
	{"no-inline", 0,
		.text = "Show the line that a function was inlined into, instead of its own.",
		OPTION_VALUE(struct show, options.no_inline)},
	{"no-source", 0, .text = "Show the numbers of lines of the source without their text.",
		.detail =
			"The text is that of the file that the debug information names, if it is there: "
			"a relative name is looked for from the current folder. Whether it is still what "
			"was compiled is not checked.",
		OPTION_SETS(struct show, options.source, false)},
	{"time", 't', .text = "Show the time of each instruction that has one.",
		OPTION_VALUE(struct show, options.times)},
	{"opcodes", 0, .text = "Show opcodes.", OPTION_VALUE(struct show, options.opcodes)},
	{"color", 0, "WHEN", VALUES_WORDS, "auto always never",
		.text = "Use colors: auto (the default) on a terminal, unless `NO_COLOR` is set.",
		OPTION_VALUE(struct show, color)},
	{"width", 0, "N",
		.text = "Columns of a line (default: `COLUMNS`, or those of the terminal).",
		OPTION_VALUE(struct show, width), .min = 20, .max = 10000},
	FORMAT_OPTIONS(struct show, trace_options.format, trace_options.xlen, trace_options.pattern,
		trace_options.unit),
	VERDICT_OPTION(struct show, verdict.incomplete),
	{"isa", 0, "NAME", VALUES_WORDS, "rv32gc rv64gc rva20u64 rva22u64 rva23u64",
		.text = "RISC-V instructions that are legal: an ISA string (`rv64gc_zba`) or a profile "
			"(`rva23u64`).",
		OPTION_VALUE(struct show, isa)},
	OPTION_GROUP(symbol_file_options, struct show, symbols),
	{0},
};

/* Lines of a text that cannot be read are reported and skipped. */
static int report_line(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	struct show *show = context;

	char place[SOURCE_INPUT_PLACE];

	if (bad)
		cli_warning("%s: %s: %s", show->path, source_input_place(place, line, byte), cause);
	return cli_interrupted;
}

static const struct ear_progress progress = {
	.size = sizeof(struct ear_progress), .call = cli_progress_call};

static bool open_trace(struct show *show)
{
	struct ear_trace_options *options = &show->trace_options;

	options->size = sizeof(*options);
	options->index = EAR_INDEX_EXISTING;
	options->report = report_line;
	options->report_context = show;
	options->progress = &progress;
	options->error = show->error;
	int result = symbol_file_open_trace(&show->symbols, &show->trace, show->path, options);
	if (result < 0)
		trace_input_error(show->path, show->error);
	return result == 0;
}

/* Those of --elf, or of the traced program where it still is. */
static bool find_names(struct show *show)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct symbol_file *symbols = &show->symbols;

	const bool needed = moment_option_has_words(&show->from) ||
			    moment_option_has_words(&show->to) ||
			    moment_option_has_words(&show->at);
	if ((show->no_names && !needed) || ear_trace_facts(show->trace, &facts) != 0)
		return true;
	symbols->image_suffices = true; /* one without symbols is said, and shown without names */
	symbol_file_of_trace(symbols, show->trace, show->path);
	show->names = symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	return show->names || !symbols->elf;
}

/* The number of the first instruction of a place, or of the first one after it. */
static bool find_place(struct show *show, struct moment_option *option, bool after)
{
	struct ear_moment_place place;

	if (!moment_option_has_words(option)) {
		option->number += option->text && after && option->number < UINT64_MAX;
		return true;
	}
	if (moment_option_find_in(show->trace, show->names, show->path, option->text, &place) !=
			1 ||
		!moment_option_number(show->trace, show->path, after ? place.after : place.before,
			&option->number))
		return false;
	/* At the end there is no next one to point at. */
	option->number -= option == &show->at && place.before == UINT64_MAX && option->number > 0;
	return true;
}

static bool find_places(struct show *show)
{
	if (!find_place(show, &show->at, false) || !find_place(show, &show->from, false) ||
		!find_place(show, &show->to, true))
		return false;
	if (!show->to.text)
		return true;
	if (show->to.number <= show->from.number) {
		cli_error("--to is before --from");
		return false;
	}
	show->last = show->to.number - 1;
	return true;
}

/* The range of --from, --to or --at, --around. */
static bool go_to_begin(struct show *show)
{
	if (!find_places(show))
		return false;
	const uint64_t at = show->at.number, around = show->around;

	if (show->at.text) {
		show->from.number = at > around ? at - around : 0;
		show->last = at < UINT64_MAX - around ? at + around : UINT64_MAX;
		show->options.mark = at;
	}
	const uint64_t from = show->from.number, wanted = show->at.text ? at : from;
	if (from == 0 && !show->at.text)
		return ear_trace_position(show->trace) == 0 ||
		       ear_trace_seek(show->trace, 0, &progress) >= 0;
	int found = ear_trace_seek_number(show->trace, wanted, &progress);
	if (found == 1 && show->at.text)
		found = ear_trace_seek_number(show->trace, from, &progress);
	if (found == 1)
		return true;
	if (found == 0)
		cli_error("%s: there is no instruction %" PRIu64 ": the trace has %" PRIu64
			  " of them",
			show->path, wanted, ear_trace_number(show->trace));
	else if (found != EAR_E_CANCELLED)
		trace_input_error(show->path, ear_trace_error(show->trace));
	return false;
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static bool begin_json(struct show *show)
{
	if (!show->json || places_json(&show->lines, show->no_names ? NULL : show->names))
		return true;
	cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	return false;
}

/* The line that the format json has, and the number in the trace, which its index is not: that one
 * is counted for each hart, and over gaps. Without a file or a reader that takes it, which the end
 * of the program reports, nothing is. */
static bool show_json(struct show *show, const struct ear_record *record, uint64_t number)
{
	const char *line = record_text_line(&show->lines, record);
	const size_t size = strlen(line);

	if (size > 0) /* it ends with a brace */
		printf("%.*s,\"number\":%" PRIu64 "}\n", (int)(size - 1), line, number);
	return !ferror(stdout);
}

static bool show_one(struct show *show, const struct ear_record *record, uint64_t number)
{
	if (show->json)
		return show_json(show, record, number);
	if (!show->records) {
		struct ear_trace_facts facts = {.size = sizeof(facts)};

		ear_trace_facts(show->trace, &facts);
		show->options.xlen = record->kind == EAR_RECORD_INSTRUCTION && record->xlen
					     ? record->xlen
				     : facts.xlen ? facts.xlen
						  : 32;
		show->records = show_records_new(&show->styled, show->instructions,
			show->no_names ? NULL : show->names, &show->options);
		if (!show->records) {
			cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
			return false;
		}
	}
	show_record(show->records, record, number);
	return !show->styled.failed;
}

/* What is missing of what was shown, up to before to. Returns the exit status. */
static int judge(struct show *show, uint64_t to, int status)
{
	struct ear_missing missing = {.size = sizeof(missing)};

	if (ear_trace_missing(show->trace, show->begin, to, &missing, &progress) == 0)
		verdict_add(&show->verdict, show->path, &missing);
	return show->more ? status : verdict_end(&show->verdict, false, status, false);
}

static int show_range(struct show *show)
{
	const struct ear_record *record;
	int result = 1;

	show->begin = ear_trace_position(show->trace);
	for (uint64_t count = 0; count < show->limit && !cli_interrupted; count++) {
		uint64_t number = ear_trace_number(show->trace);

		if (number > show->last)
			break;
		result = ear_trace_next(show->trace, &record);
		if (result != 1)
			break;
		if (!show_one(show, record, number))
			return show->styled.left ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
	}
	if (result < 0 && !cli_interrupted) {
		styled_flush(&show->styled);
		trace_input_error(show->path, ear_trace_error(show->trace));
	}
	bool good = styled_flush(&show->styled) || show->styled.left;
	if (result == 0 && ear_trace_position(show->trace) == 0) {
		cli_error("%s: there are no records in it", show->path);
		good = false;
	}
	const int status = result < 0 || cli_interrupted || !good ? EAR_EXIT_FAILED : EAR_EXIT_DONE;
	const uint64_t to = result == 0 ? UINT64_MAX : ear_trace_position(show->trace);
	return cli_interrupted || show->styled.left ? status : judge(show, to, status);
}

/* The place after those whose records are shown with those of this one. */
static size_t end_of_range(const struct show *show, size_t first)
{
	size_t at = first + 1;

	while (at < show->place_count &&
		show->places[at] - show->places[at - 1] <= 2 * show->around + 1)
		at++;
	return at;
}

/* The records around each of several places: ranges that meet are one. */
static int show_places(struct show *show)
{
	int status = EAR_EXIT_DONE;

	qsort(show->places, show->place_count, sizeof(*show->places), compare_places);
	for (size_t i = 0, end; i < show->place_count && status == EAR_EXIT_DONE; i = end) {
		const uint64_t first = show->places[i];

		end = end_of_range(show, i);
		show->at.number = show->places[end - 1]; /* it is there, so all are */
		if (!go_to_begin(show))
			return EAR_EXIT_FAILED;
		show->from.number = first > show->around ? first - show->around : 0;
		if (ear_trace_seek_number(show->trace, show->from.number, &progress) != 1) {
			trace_input_error(show->path, ear_trace_error(show->trace));
			return EAR_EXIT_FAILED;
		}
		show->more = end < show->place_count;
		status = show_range(show);
	}
	return status;
}

static int show_file(struct show *show)
{
	static const int colors[] = {[COLOR_AUTO] = -1, [COLOR_ALWAYS] = 1, [COLOR_NEVER] = 0};
	int status = EAR_EXIT_FAILED;

	symbol_file_prepare(&show->symbols);
	/* The capture may name its program, whose names are taken: any file is read. */
	confine_trace(show->path);
	confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
	if (!files_write("", "-") || !files_read("", show->path))
		return EAR_EXIT_FAILED;
	cli_catch_signals(NULL);
	styled_init(&show->styled, colors[show->color], show->width);
	if (open_trace(show)) {
		char wrong[EAR_INSTRUCTIONS_ERROR_MAX];

		if (ear_instructions_new(&show->instructions, show->isa, wrong) != 0)
			cli_error("--isa: %s", wrong);
		else if (show->marks && find_names(show))
			status = show_marks(show->trace, show->path,
				show->no_names ? NULL : show->names, show->json, &progress);
		else if (!show->marks && find_names(show) && go_to_begin(show) && begin_json(show))
			status = show->place_count ? show_places(show) : show_range(show);
	}
	if (show->lines.writer)
		record_text_fini(&show->lines);
	show_records_free(show->records);
	styled_fini(&show->styled);
	ear_instructions_free(show->instructions);
	ear_trace_close(show->trace);
	return show->styled.failed && !show->styled.left ? EAR_EXIT_FAILED : status;
}

static int run(int argc, char **argv)
{
	static struct show show;
	int status;

	show = (struct show){.last = UINT64_MAX,
		.around = AROUND_DEFAULT,
		.limit = UINT64_MAX,
		.options = {.mark = UINT64_MAX, .source = true}};
	int first = options_parse(&cmd_show, argc, argv, &show, &status);
	if (first >= 0 && argc - first != 1)
		status =
			cli_usage("show", "%s", argc == first ? "which file?" : "one file, please");
	else if (first >= 0 && show.at.text && (show.from.text || show.to.text))
		status = cli_usage("show", "--at shows those around it: no --from and no --to");
	else if (first >= 0 && show.marks && (show.at.text || show.from.text || show.to.text))
		status = cli_usage("show", "--marks shows all marks: no --at, --from and --to");
	else if (first >= 0 && show.to.is_number && show.to.number < show.from.number)
		status = cli_usage("show", "--to is before --from");
	else if (first >= 0 && show.place_count > 0 && !show.json)
		status = cli_usage("show", "several --at are for --json");
	else if (first >= 0 && show.json && show.options.no_inline)
		status = cli_usage("show", "--no-inline is for the text, not for --json");
	else if (first >= 0) {
		show.path = argv[first];
		status = show_file(&show);
	}
	symbol_file_close(&show.symbols);
	return status;
}

const struct command cmd_show = {
	.name = "show",
	.arguments = "[OPTION]... FILE",
	.summary = "a trace for people, with functions, lines and values",
	.about =
		"Print the records of FILE, a capture or a trace in any text format, for people: each "
		"instruction with its place in the program, what it wrote and what it accessed. The "
		"function and the line of the source, with its text if the file is there, are printed "
		"where they change; `*` marks a register that has another value than before.",
	.options = table,
	.notes =
		"The form may change with any version; scripts read --json, whose members are those of "
		"the format `json` (docs/text-formats.md), and `number`, the one that --at takes. "
		"Instructions are numbered from 0, those of all harts, as those of `decode --from`.",
	.run = run,
};
