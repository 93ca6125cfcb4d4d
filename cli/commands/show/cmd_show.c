/* 'earshot show': a trace for people. */
#include <earshot/error.h>
#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/base/progress_call.h"
#include "cli/commands/cmd.h"
#include "cli/commands/show/show_records.h"
#include "cli/input/symbol_file.h"
#include "cli/input/trace_input.h"
#include "cli/options/options.h"
#include "cli/show/styled.h"

#define AROUND_DEFAULT 10

struct show {
	struct ear_trace_options trace_options;
	struct ear_trace *trace;
	struct symbol_file symbols;
	char program[4096];
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_names *names; /* of symbols; NULL: none */
	struct ear_instructions *instructions;
	struct styled styled;
	struct show_records *records;
	struct show_options options;
	const char *path, *isa;
	uint64_t from, to, at, around, limit;
	bool has_from, has_at, no_names;
	int color;
	unsigned width;
	bool incomplete; /* a line was skipped */
};

enum {
	OPTION_FROM,
	OPTION_TO,
	OPTION_AT,
	OPTION_AROUND,
	OPTION_LIMIT,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_NO_NAMES,
	OPTION_NO_SOURCE,
	OPTION_TIME,
	OPTION_OPCODES,
	OPTION_COLOR,
	OPTION_WIDTH,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_ISA,
};

static const struct command_option table[] = {
	{"from", 0, OPTION_FROM, "N", .text = "Begin with instruction N (default 0)."},
	{"to", 0, OPTION_TO, "N", .text = "End with instruction N."},
	{"at", 0, OPTION_AT, "N", .text = "Point at instruction N, and show those around it."},
	{"around", 0, OPTION_AROUND, "K",
		.text = "With --at: K instructions before and after it (default 10)."},
	{"limit", 'n', OPTION_LIMIT, "N", .text = "Stop after N records."},
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names from FILE (default: the program that the capture file names, if it has "
			"not changed); repeat for more.",
		.detail =
			"OFFSET is added to the addresses of a file that was loaded elsewhere than it was "
			"linked to. A FILE whose SHA-256 is not that of the traced program is refused, "
			"unless another one has it."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"no-names", 0, OPTION_NO_NAMES, .text = "Show addresses without names."},
	{"no-source", 0, OPTION_NO_SOURCE,
		.text = "Show the numbers of lines of the source without their text.",
		.detail =
			"The text is that of the file that the debug information names, if it is there: "
			"a relative name is looked for from the current folder. Whether it is still what "
			"was compiled is not checked."},
	{"time", 't', OPTION_TIME, .text = "Show the time of each instruction that has one."},
	{"opcodes", 0, OPTION_OPCODES, .text = "Show opcodes."},
	{"color", 0, OPTION_COLOR, "WHEN", VALUES_WORDS, "auto always never",
		.text = "Use colors: auto (the default) on a terminal, unless `NO_COLOR` is set."},
	{"width", 0, OPTION_WIDTH, "N",
		.text = "Columns of a line (default: `COLUMNS`, or those of the terminal)."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"isa", 0, OPTION_ISA, "NAME", VALUES_WORDS, "rv32gc rv64gc rva20u64 rva22u64 rva23u64",
		.text = "RISC-V instructions that are legal: an ISA string (`rv64gc_zba`) or a profile "
			"(`rva23u64`)."},
	{0},
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const int colors[] = {-1, 1, 0};
	static const unsigned xlens[] = {32, 64};
	struct show *show = context;
	int word;

	switch (option->id) {
	case OPTION_FROM:
		show->has_from = true;
		return option_number(&show->from, option, argument, 0, UINT64_MAX);
	case OPTION_TO: return option_number(&show->to, option, argument, 0, UINT64_MAX);
	case OPTION_AT:
		show->has_at = true;
		return option_number(&show->at, option, argument, 0, UINT64_MAX);
	case OPTION_AROUND: return option_number(&show->around, option, argument, 0, UINT64_MAX);
	case OPTION_LIMIT: return option_number(&show->limit, option, argument, 1, UINT64_MAX);
	case OPTION_ELF: return symbol_file_take(&show->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: show->symbols.anyway = true; return true;
	case OPTION_NO_NAMES: show->no_names = true; return true;
	case OPTION_NO_SOURCE: show->options.source = false; return true;
	case OPTION_TIME: show->options.times = true; return true;
	case OPTION_OPCODES: show->options.opcodes = true; return true;
	case OPTION_COLOR:
		if (!option_word(&word, option, argument))
			return false;
		show->color = colors[word];
		return true;
	case OPTION_WIDTH: return option_unsigned(&show->width, option, argument, 20, 10000);
	case OPTION_INPUT_FORMAT: show->trace_options.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&word, option, argument))
			return false;
		show->trace_options.xlen = xlens[word];
		return true;
	case OPTION_ISA: show->isa = argument; return true;
	}
	return false;
}

/* Lines of a text that cannot be read are reported and skipped. */
static int report_line(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	struct show *show = context;

	(void)byte;
	if (bad) {
		show->incomplete = true;
		cli_warning("%s: line %" PRIu64 ": %s", show->path, line, cause);
	}
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
	if (ear_trace_open(&show->trace, show->path, options) == 0)
		return true;
	trace_input_error(show->path, show->error);
	return false;
}

/* Those of --elf, or of the traced program where it still is. */
static bool find_names(struct show *show)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct symbol_file *symbols = &show->symbols;

	if (show->no_names || ear_trace_facts(show->trace, &facts) != 0)
		return true;
	if (facts.program)
		snprintf(show->program, sizeof(show->program), "%s", facts.program);
	symbols->program = show->program;
	if (facts.program_sha256 && strlen(facts.program_sha256) == SYMBOL_FILE_SHA256 - 1)
		strcpy(symbols->sha256, facts.program_sha256);
	show->names = symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	return show->names || !symbols->elf;
}

/* The range of --from, --to or --at, --around. */
static bool go_to_begin(struct show *show)
{
	if (show->has_at) {
		show->from = show->at > show->around ? show->at - show->around : 0;
		show->to =
			show->at < UINT64_MAX - show->around ? show->at + show->around : UINT64_MAX;
		show->options.mark = show->at;
	}
	if (show->from == 0 && !show->has_at)
		return true;
	int found =
		ear_trace_seek_number(show->trace, show->has_at ? show->at : show->from, &progress);
	if (found == 1 && show->has_at)
		found = ear_trace_seek_number(show->trace, show->from, &progress);
	if (found == 1)
		return true;
	if (found == 0)
		cli_error("%s: there is no instruction %" PRIu64 ": the trace has %" PRIu64
			  " of them",
			show->path, show->has_at ? show->at : show->from,
			ear_trace_number(show->trace));
	else if (found != EAR_E_CANCELLED)
		trace_input_error(show->path, ear_trace_error(show->trace));
	return false;
}

static bool show_one(struct show *show, const struct ear_record *record, uint64_t number)
{
	if (!show->records) {
		struct ear_trace_facts facts = {.size = sizeof(facts)};

		ear_trace_facts(show->trace, &facts);
		show->options.xlen = record->kind == EAR_RECORD_INSTRUCTION && record->xlen
					     ? record->xlen
				     : facts.xlen ? facts.xlen
						  : 32;
		show->records = show_records_new(
			&show->styled, show->instructions, show->names, &show->options);
		if (!show->records) {
			cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
			return false;
		}
	}
	show_record(show->records, record, number);
	return !show->styled.failed;
}

/* The end of the trace was read: is something wrong with it, or nothing in it? */
static void say_end(struct show *show)
{
	const char *fault = ear_trace_fault(show->trace);

	if (fault)
		cli_warning("%s: %s", show->path, fault);
	if (ear_trace_position(show->trace) > 0)
		return;
	show->incomplete = show->incomplete || fault;
	cli_warning("%s: there are no records in it", show->path);
}

static int show_range(struct show *show)
{
	const struct ear_record *record;
	int result = 1;

	for (uint64_t count = 0; count < show->limit && !cli_interrupted; count++) {
		uint64_t number = ear_trace_number(show->trace);

		if (number > show->to)
			break;
		result = ear_trace_next(show->trace, &record);
		if (result != 1)
			break;
		if (!show_one(show, record, number))
			return EAR_EXIT_FAILED;
	}
	if (result < 0 && !cli_interrupted) {
		styled_flush(&show->styled);
		trace_input_error(show->path, ear_trace_error(show->trace));
	}
	bool good = styled_flush(&show->styled);
	if (result == 0)
		say_end(show);
	return result < 0 || cli_interrupted || show->incomplete || !good ? EAR_EXIT_FAILED
									  : EAR_EXIT_DONE;
}

static int show_file(struct show *show)
{
	int status = EAR_EXIT_FAILED;

	symbol_file_prepare(&show->symbols);
	/* The capture may name its program, whose names are taken: any file is read. */
	confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
	if (!files_write("", "-") || !files_read("", show->path))
		return EAR_EXIT_FAILED;
	for (unsigned i = 0; i < show->symbols.more_count; i++)
		if (!files_read("--elf", show->symbols.more[i].path))
			return EAR_EXIT_FAILED;
	cli_catch_signals(NULL);
	styled_init(&show->styled, show->color, show->width);
	if (open_trace(show)) {
		char wrong[EAR_INSTRUCTIONS_ERROR_MAX];

		if (ear_instructions_new(&show->instructions, show->isa, wrong) != 0)
			cli_error("--isa: %s", wrong);
		else if (find_names(show) && go_to_begin(show))
			status = show_range(show);
	}
	show_records_free(show->records);
	styled_fini(&show->styled);
	ear_instructions_free(show->instructions);
	ear_trace_close(show->trace);
	return show->styled.failed ? EAR_EXIT_FAILED : status;
}

static int run(int argc, char **argv)
{
	static struct show show;
	int status;

	show = (struct show){.to = UINT64_MAX,
		.around = AROUND_DEFAULT,
		.limit = UINT64_MAX,
		.color = -1,
		.options = {.mark = UINT64_MAX, .source = true}};
	int first = options_parse(&cmd_show, argc, argv, take_option, &show, &status);
	if (first >= 0 && argc - first != 1)
		status =
			cli_usage("show", "%s", argc == first ? "which file?" : "one file, please");
	else if (first >= 0 && show.has_at && (show.has_from || show.to != UINT64_MAX))
		status = cli_usage("show", "--at shows those around it: no --from and no --to");
	else if (first >= 0 && show.to < show.from)
		status = cli_usage("show", "--to is before --from");
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
	.summary = "a trace for people",
	.about =
		"Print the records of FILE, a capture or a trace in any text format, for people: each "
		"instruction with its place in the program, what it wrote and what it accessed. The "
		"function and the line of the source, with its text if the file is there, are printed "
		"where they change; `*` marks a register that has another value than before.",
	.options = table,
	.notes =
		"The form may change with any version; scripts read `earshot decode`. Instructions are "
		"numbered from 0, as those of `decode --from`.",
	.run = run,
};
