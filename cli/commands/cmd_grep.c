#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/input.h"
#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/options/options.h"
#include "cli/show/record_text.h"
#include "common/error.h"
#include "decoder/record/match.h"
#include "decoder/record/record_batch.h"
#include "decoder/record/record_copy.h"
#include "formats/base/writer.h"
#include "formats/formats.h"
#include "formats/text/riscv_name.h"
#include "parallel/parallel_reader.h"

#define CONTEXT_MAX     1000
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct grep {
	struct source_input input;
	struct ear_match match;
	struct symbol_file symbols;
	char program[4096]; /* that the capture file names */
	struct range_text {
		const char *option, *text;
	} ranges[2 * EAR_MATCH_RANGES_MAX]; /* until the symbols are known */
	unsigned range_count;
	const struct ear_writer_format *format;
	uint64_t most; /* matches; UINT64_MAX all */
	unsigned before, after;
	bool count_only, places, quiet;
	bool refused; /* the format holds one hart, and there is another */

	struct ear_text_output text;
	struct ear_writer *writer;
	struct record_text line;                    /* with places */
	struct ear_record_copy copies[CONTEXT_MAX]; /* ring of the records before */
	unsigned box_count, copy_next;
	unsigned after_left;
	bool separate; /* records were left out since the last one shown */
	uint64_t matches;
	unsigned jobs;
	double last_progress;
};

/* Of a piece of FILE that a thread reads: the records that may be shown, and where they stand in
 * it. Those are the matches with what is to be shown around them, and the first and last records of
 * the piece, for matches in its neighbours.
 */
struct found {
	struct ear_record_batch batch;
	uint64_t *numbers;
	size_t capacity;
	uint64_t number; /* of the next record */
	uint64_t matches;
	uint64_t show_end;                   /* records below are shown */
	struct ear_record_copy *before;      /* ring of the last records that are not chosen */
	uint64_t before_begin, before_count; /* numbers */
};

enum {
	OPTION_PC,
	OPTION_OPCODE,
	OPTION_REG,
	OPTION_ADDR,
	OPTION_READ,
	OPTION_WRITE,
	OPTION_PRIVILEGE,
	OPTION_TRAP,
	OPTION_INTERRUPT,
	OPTION_GAP,
	OPTION_HART,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_CONTEXT,
	OPTION_MOST,
	OPTION_COUNT,
	OPTION_PLACES,
	OPTION_FORMAT,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_JOBS,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{.heading = "Conditions:"},
	{"pc", 0, OPTION_PC, "RANGE", .text = "The pc is in RANGE; repeat for more ranges."},
	{"opcode", 0, OPTION_OPCODE, "VALUE[/MASK]",
		.text = "The opcode is VALUE, or its bits under MASK are."},
	{"reg", 0, OPTION_REG, "NAME[=VALUE]",
		.text = "Writes this register: `x15`, `a5`, `f2`, `v8`, `mstatus`, `c768`."},
	{"addr", 0, OPTION_ADDR, "RANGE",
		.text = "Accesses memory in RANGE; repeat for more ranges.",
		.detail = "A vector element that is masked off is not accessed."},
	{"read", 0, OPTION_READ, .text = "Reads memory; with --addr, there."},
	{"write", 0, OPTION_WRITE, .text = "Writes memory; with --addr, there."},
	{"privilege", 0, OPTION_PRIVILEGE, "MODES",
		.text = "In one of these modes: u, s, m, vu, vs, d; `su` or `s,u`."},
	{"trap", 0, OPTION_TRAP, "[=CAUSE]", .text = "Trapped or was interrupted.",
		.detail =
			"A CAUSE with the interrupt bit, as a trace shows it, means the interrupt."},
	{"interrupt", 0, OPTION_INTERRUPT, "[=CAUSE]", .text = "Was interrupted."},
	{"gap", 0, OPTION_GAP, .text = "Is a gap."},
	{"hart", 0, OPTION_HART, "N", .text = "Is of hart N."},
	{.heading = "A RANGE is FIRST-LAST, FIRST+SIZE, one address, a symbol (all of it), or "
		    "SYMBOL+OFFSET (one address).\n\nOptions:"},
	{"elf", 0, OPTION_ELF, "FILE", VALUES_FILES,
		.text = "Take symbols from FILE (default: the program that the capture file names, if it "
			"has not changed).",
		.detail = "A FILE whose SHA-256 is not that of the traced program is refused."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"before", 'B', OPTION_BEFORE, "N", .text = "Show N records before each match."},
	{"after", 'A', OPTION_AFTER, "N", .text = "Show N records after each match."},
	{"context", 'C', OPTION_CONTEXT, "N",
		.text = "Show N records before and after each match."},
	{"most", 'm', OPTION_MOST, "N", .text = "Stop after N matches."},
	{"count", 'c', OPTION_COUNT, .text = "Print only the number of matches."},
	{"places", 'n', OPTION_PLACES, .text = "Print the place of each record in front of it."},
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WRITE_FORMATS,
		.text = "Text format of the records shown (default `whisper`)."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"jobs", 'j', OPTION_JOBS, "N",
		.text = "Threads to use (default 1): `whisper` and `json` are searched by all of them; other "
			"formats are read by one and searched by another."},
	{"quiet", 'q', OPTION_QUIET, .text = "Print nothing; only the exit status."},
	{0},
};

static bool parse_number(const char **at, uint64_t *value)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 0);
	*at = end;
	return errno == 0;
}

/* Kept until the file is open, because symbols may be those of its program. */
static bool keep_range(struct grep *grep, const char *option, const char *text)
{
	unsigned count = 0;

	for (unsigned i = 0; i < grep->range_count; i++)
		count += strcmp(grep->ranges[i].option, option) == 0;
	if (count == EAR_MATCH_RANGES_MAX) {
		cli_error("%s: more than %d ranges", option, EAR_MATCH_RANGES_MAX);
		return false;
	}
	grep->ranges[grep->range_count++] = (struct range_text){option, text};
	return true;
}

static bool parse_range(struct grep *grep, const struct range_text *given)
{
	const char *text = given->text, *at = text;
	struct ear_match *match = &grep->match;
	struct ear_match_range range;

	if (parse_number(&at, &range.first)) {
		char separator = *at;
		range.last = range.first;
		if (separator == '-' || separator == '+') {
			at++;
			if (!parse_number(&at, &range.last))
				at = text;
			if (separator == '+')
				range.last += range.first - 1;
		}
		if (*at != '\0' || at == text || range.last < range.first) {
			cli_error("%s: '%s' is not a range: FIRST-LAST, FIRST+SIZE, an address or "
				  "a symbol",
				given->option, text);
			return false;
		}
	} else if (!symbol_file_find(&grep->symbols, given->option, text, strlen(text),
			   &range.first, &range.last)) {
		return false;
	}
	if (strcmp(given->option, "--pc") == 0)
		match->pcs[match->pc_count++] = range;
	else
		match->addresses[match->address_count++] = range;
	return true;
}

/* The file is open: which program it is of is known, and with that what the symbols are. */
static bool parse_ranges(struct grep *grep)
{
	struct symbol_file *symbols = &grep->symbols;
	bool good;

	if (ear_source_fact(grep->input.source, "program_sha256", symbols->sha256,
		    sizeof(symbols->sha256)) != SYMBOL_FILE_SHA256 - 1)
		symbols->sha256[0] = '\0';
	if (ear_source_fact(grep->input.source, "program", grep->program, sizeof(grep->program)) >
		0)
		symbols->program = grep->program;
	good = symbol_file_check(symbols);
	for (unsigned i = 0; i < grep->range_count && good; i++)
		good = parse_range(grep, &grep->ranges[i]);
	symbol_file_close(symbols);
	return good;
}

static bool parse_opcode(struct ear_match *match, const char *text)
{
	const char *at = text;

	match->opcode_mask = UINT64_MAX;
	bool right = parse_number(&at, &match->opcode_value);
	if (right && *at == '/') {
		at++;
		right = parse_number(&at, &match->opcode_mask);
	}
	match->opcode_value &= match->opcode_mask;
	if (right && *at == '\0')
		return true;
	cli_error("'%s' is no opcode: VALUE or VALUE/MASK", text);
	return false;
}

/* By any name: x15, a5, f2, fs0, v8, mstatus, c768. */
static bool find_register(struct ear_match *match, struct ear_text name)
{
	enum ear_register_class class;

	if (ear_riscv_find_register(name, &class, &match->register_number)) {
		match->register_class = (uint8_t) class;
		return true;
	}
	match->register_class = EAR_REGISTER_CSR;
	return ear_riscv_find_csr(name, &match->register_number);
}

static bool parse_register(struct ear_match *match, const char *text)
{
	size_t size = strcspn(text, "=");
	const char *at = text + size;

	match->has_register = true;
	if (!find_register(match, (struct ear_text){text, size})) {
		cli_error("there is no register '%.*s'", (int)size, text);
		return false;
	}
	if (*at == '\0')
		return true;
	at++;
	match->has_value = true;
	if (match->register_class != EAR_REGISTER_V && parse_number(&at, &match->register_value) &&
		*at == '\0')
		return true;
	cli_error("'%s' is no value of a register", text + size + 1);
	return false;
}

/* Modes one after another: u, s, m, vu, vs, d; commas may stand between them. */
static bool parse_privilege(struct ear_match *match, const char *text)
{
	static const struct {
		const char *name;
		enum ear_privilege privilege;
	} modes[] = {{"vu", EAR_PRIVILEGE_VU}, {"vs", EAR_PRIVILEGE_VS}, {"u", EAR_PRIVILEGE_U},
		{"s", EAR_PRIVILEGE_S}, {"m", EAR_PRIVILEGE_M}, {"d", EAR_PRIVILEGE_DEBUG}};
	const char *at = text;

	while (*at) {
		size_t i = 0;
		while (i < COUNT_OF(modes) &&
			strncasecmp(at, modes[i].name, strlen(modes[i].name)) != 0)
			i++;
		if (i == COUNT_OF(modes))
			break;
		match->privileges |= 1u << modes[i].privilege;
		at += strlen(modes[i].name);
		at += *at == ',';
	}
	if (*at == '\0' && match->privileges)
		return true;
	cli_error("'%s' are no privilege modes: u, s, m, vu, vs, d", text);
	return false;
}

/* A cause as a trace shows it may have the interrupt bit of either XLEN: then an interrupt is
 * meant.
 */
static bool parse_cause(
	struct ear_match *match, const struct command_option *option, const char *text)
{
	const char *at = text;

	if (!text)
		return true;
	match->has_cause = true;
	if (!parse_number(&at, &match->cause) || *at)
		return option_fail(option, text, "the number of a cause");
	if (match->cause >> 63 || match->cause >> 31 == 1) {
		match->interrupt = true;
		match->cause &= INT32_MAX;
	}
	return true;
}

static void show(struct grep *grep, const struct ear_record *record, bool matches)
{
	if (!grep->places) {
		if (ear_writer_push(grep->writer, record) == EAR_E_UNSUPPORTED)
			grep->refused = true;
		return;
	}
	const char *text = record_text_line(&grep->line, record);
	char place[64], head[96];
	ear_source_place(grep->input.source, record, place, sizeof(place));
	int size = snprintf(head, sizeof(head), "%s, index %" PRIu64 "%c ", place, record->index,
		matches ? ':' : '-');
	ear_text_output_put(&grep->text, head, (size_t)size);
	ear_text_output_put(&grep->text, text, strlen(text));
	ear_text_output_put(&grep->text, "\n", 1);
}

static void show_before(struct grep *grep)
{
	unsigned oldest = (grep->copy_next + CONTEXT_MAX - grep->box_count) % CONTEXT_MAX;

	for (unsigned i = 0; i < grep->box_count; i++)
		show(grep, &grep->copies[(oldest + i) % CONTEXT_MAX].record, false);
	grep->box_count = 0;
}

/* A record that does not match: shown behind a match, or kept for the next one. */
static int pass_by(struct grep *grep, const struct ear_record *record)
{
	if (grep->after_left > 0) {
		grep->after_left--;
		show(grep, record, false);
		return 0;
	}
	if (grep->box_count == grep->before)
		grep->separate = true;
	if (grep->before == 0)
		return 0;
	if (ear_record_copy_set(&grep->copies[grep->copy_next], record) != 0)
		return EAR_E_NO_MEMORY;
	grep->copy_next = (grep->copy_next + 1) % CONTEXT_MAX;
	if (grep->box_count < grep->before)
		grep->box_count++;
	return 0;
}

static void take_match(struct grep *grep, const struct ear_record *record)
{
	grep->matches++;
	if (grep->count_only || grep->quiet)
		return;
	if (grep->separate && grep->matches > 1 && (grep->before || grep->after))
		ear_text_output_put(&grep->text, "--\n", 3);
	grep->separate = false;
	show_before(grep);
	show(grep, record, true);
	grep->after_left = grep->after;
}

static void show_progress(struct grep *grep)
{
	if (!cli_progress_due(&grep->last_progress))
		return;
	int percent = input_percent(grep->input.fd, grep->input.size);
	if (percent >= 0)
		cli_progress("searching: %d%%, %" PRIu64 " records, %" PRIu64 " match", percent,
			grep->input.record_count, grep->matches);
	else
		cli_progress("searching: %" PRIu64 " records, %" PRIu64 " match",
			grep->input.record_count, grep->matches);
}

/* Returns 1 to go on, 0 if that was enough, or an error. */
static int take_record(struct grep *grep, const struct ear_record *record)
{
	bool enough = grep->matches >= grep->most;

	if (enough && grep->after_left == 0)
		return 0;
	if (!enough && ear_match_record(&grep->match, record))
		take_match(grep, record);
	else if (!grep->count_only && !grep->quiet && pass_by(grep, record) != 0)
		return EAR_E_NO_MEMORY;
	if (grep->refused) {
		cli_error("a file of format %s holds one hart: choose it with --hart",
			grep->format->name);
		grep->input.told = true;
		return EAR_E_UNSUPPORTED;
	}
	return !(grep->quiet && grep->matches);
}

/* Returns 0 at the end of the file or of what is wanted, or an error, which was told. */
static int read_records(struct grep *grep)
{
	bool progress = cli_progress_wanted() && !isatty(STDOUT_FILENO);
	const struct ear_record *record;
	int result;

	ear_source_set_jobs(grep->input.source, grep->jobs);
	while ((result = source_input_next(&grep->input, &record)) > 0 && !cli_interrupted &&
		!grep->text.error) {
		result = take_record(grep, record);
		if (result < 0)
			source_input_fail(&grep->input, result);
		if (result <= 0)
			break;
		if (progress && grep->input.record_count % 4096 == 0)
			show_progress(grep);
	}
	return result;
}

/* --- several threads --- */

static void *make_found(void *context)
{
	const struct grep *grep = context;
	struct found *found = calloc(1, sizeof(*found));

	if (!found || grep->before == 0)
		return found;
	found->before = calloc(grep->before, sizeof(*found->before));
	if (found->before)
		return found;
	free(found);
	return NULL;
}

static void free_found(void *context, void *product)
{
	const struct grep *grep = context;
	struct found *found = product;

	for (unsigned i = 0; found->before && i < grep->before; i++)
		ear_record_copy_fini(&found->before[i]);
	free(found->before);
	free(found->numbers);
	ear_record_batch_fini(&found->batch);
	free(found);
}

static int begin_found(void *context, void *product)
{
	const struct grep *grep = context;
	struct found *found = product;

	ear_record_batch_clear(&found->batch);
	found->number = found->matches = 0;
	found->before_begin = found->before_count = 0;
	found->show_end = grep->after;
	return 0;
}

static int choose(struct found *found, const struct ear_record *record, uint64_t number)
{
	if (found->batch.count == found->capacity) {
		size_t more = 2 * found->capacity + 64;
		uint64_t *numbers = realloc(found->numbers, more * sizeof(*numbers));
		if (!numbers)
			return EAR_E_NO_MEMORY;
		found->numbers = numbers;
		found->capacity = more;
	}
	found->numbers[found->batch.count] = number;
	return ear_record_batch_add(&found->batch, record) ? 0 : EAR_E_NO_MEMORY;
}

/* The records before a match or before the end of the piece. */
static int choose_before(const struct grep *grep, struct found *found)
{
	int result = 0;

	for (uint64_t i = 0; i < found->before_count && result == 0; i++) {
		uint64_t number = found->before_begin + i;
		result = choose(found, &found->before[number % grep->before].record, number);
	}
	found->before_count = 0;
	return result;
}

static int keep_before(
	const struct grep *grep, struct found *found, const struct ear_record *record)
{
	if (found->before_count == grep->before) {
		found->before_begin++;
		found->before_count--;
	}
	if (found->before_count == 0)
		found->before_begin = found->number;
	found->before_count++;
	return ear_record_copy_set(&found->before[found->number % grep->before], record);
}

static int search_record(void *context, void *product, const struct ear_record *record)
{
	const struct grep *grep = context;
	struct found *found = product;
	bool matches = ear_match_record(&grep->match, record), wanted;
	int result = 0;

	found->matches += matches;
	if (matches && found->show_end < found->number + 1 + grep->after)
		found->show_end = found->number + 1 + grep->after;
	wanted = found->number < found->show_end && !grep->count_only && !grep->quiet;
	if (matches && wanted)
		result = choose_before(grep, found);
	if (result == 0 && wanted)
		result = choose(found, record, found->number);
	else if (result == 0 && grep->before > 0)
		result = keep_before(grep, found, record);
	found->number++;
	return result;
}

static int end_found(void *context, void *product)
{
	return choose_before(context, product);
}

/* Records that were left out stood before this one. */
static void leave_out(struct grep *grep)
{
	grep->box_count = 0;
	grep->separate = true;
}

/* What a thread has found, as if the records had come one by one. Returns as take_record. */
static int take_found(struct grep *grep, struct ear_parallel_reader *parallel, struct found *found)
{
	uint64_t next = 0;
	int result = 1;

	if (grep->count_only || grep->quiet) {
		uint64_t left = grep->most - grep->matches;
		grep->matches += found->matches < left ? found->matches : left;
		return grep->matches < grep->most && !(grep->quiet && grep->matches);
	}
	for (size_t i = 0; i < found->batch.count && result > 0; i++) {
		if (found->numbers[i] != next)
			leave_out(grep);
		next = found->numbers[i] + 1;
		ear_parallel_reader_correct(parallel, &found->batch.records[i]);
		result = take_record(grep, &found->batch.records[i]);
	}
	if (next != found->number)
		leave_out(grep);
	return result;
}

/* As read_records, in pieces. EAR_E_UNSUPPORTED: that cannot be done with this file, and nothing
 * has happened. */
static int search_pieces(struct grep *grep)
{
	const struct ear_parallel_options options = {
		.jobs = grep->jobs,
		.limit = UINT64_MAX,
		.use = {.context = grep,
			.make = make_found,
			.free = free_found,
			.begin = begin_found,
			.leave = end_found,
			.take = search_record},
	};
	struct ear_parallel_reader *parallel;
	void *product;
	int taken = 1;
	int result = ear_source_read_chunks(grep->input.source, &parallel, &options);

	if (result)
		return result;
	while (taken > 0 && !cli_interrupted && !grep->text.error &&
		(result = ear_parallel_reader_next(parallel, &product)) > 0) {
		grep->input.record_count += ear_parallel_reader_records(parallel);
		taken = take_found(grep, parallel, product);
		if (cli_progress_wanted() && !isatty(STDOUT_FILENO))
			show_progress(grep);
	}
	if (result < 0 && product)
		take_found(grep, parallel, product);
	result = taken < 0 ? taken : result;
	if (result < 0)
		source_input_fail(&grep->input, result);
	ear_parallel_reader_free(parallel);
	return result;
}

static int search(struct grep *grep)
{
	int result = grep->jobs > 1 ? search_pieces(grep) : EAR_E_UNSUPPORTED;

	if (result == EAR_E_UNSUPPORTED)
		result = read_records(grep);
	ear_source_stop(grep->input.source);
	cli_progress_clear();
	if (grep->count_only)
		printf("%" PRIu64 "\n", grep->matches);
	int number = ear_text_output_finish(&grep->text) == 0 ? 0 : grep->text.error_number;
	if (fflush(stdout) != 0)
		number = errno;
	if (number && number != EPIPE) {
		cli_error("standard output: %s", strerror(number));
		return EAR_EXIT_FAILED;
	}
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records", grep->input.record_count);
	if (result < 0 || cli_interrupted)
		return EAR_EXIT_FAILED;
	return grep->matches ? EAR_EXIT_DONE : EAR_EXIT_NO;
}

static int grep_file(struct grep *grep)
{
	int status = EAR_EXIT_FAILED;

	const char *elf = grep->symbols.elf;

	/* The capture may name its program, of which the symbols are taken: any file is read. */
	confine_files((const char *const[]){"/", NULL}, (const char *const[]){NULL});
	if (!files_write("", "-") || (elf && !files_read("--elf", elf)) ||
		!source_input_open(&grep->input))
		return EAR_EXIT_FAILED;
	if (!parse_ranges(grep)) {
		source_input_close(&grep->input);
		return EAR_EXIT_FAILED;
	}
	if (record_text_init(&grep->line, grep->format) &&
		ear_text_output_init(&grep->text, STDOUT_FILENO, EAR_TEXT_PLAIN) == 0 &&
		(grep->writer = grep->format->make(&grep->text, NULL))) {
		cli_catch_signals(NULL);
		status = search(grep);
		if (source_input_judge(&grep->input) != EAR_EXIT_DONE)
			status = EAR_EXIT_FAILED;
	} else {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	}
	for (unsigned i = 0; i < CONTEXT_MAX; i++)
		ear_record_copy_fini(&grep->copies[i]);
	record_text_fini(&grep->line);
	ear_writer_free(grep->writer);
	ear_text_output_fini(&grep->text);
	source_input_close(&grep->input);
	return status;
}

static bool take_condition(
	struct grep *grep, const struct command_option *option, const char *argument)
{
	struct ear_match *match = &grep->match;
	unsigned hart;

	switch (option->id) {
	case OPTION_PC: return keep_range(grep, "--pc", argument);
	case OPTION_OPCODE: return parse_opcode(match, argument);
	case OPTION_REG: return parse_register(match, argument);
	case OPTION_ADDR: return keep_range(grep, "--addr", argument);
	case OPTION_READ: match->reads = true; return true;
	case OPTION_WRITE: match->writes = true; return true;
	case OPTION_PRIVILEGE: return parse_privilege(match, argument);
	case OPTION_TRAP: match->trap = true; return parse_cause(match, option, argument);
	case OPTION_INTERRUPT: match->interrupt = true; return parse_cause(match, option, argument);
	case OPTION_GAP: match->gaps = true; return true;
	case OPTION_HART:
		if (!option_unsigned(&hart, option, argument, 0, UINT16_MAX))
			return false;
		match->hart = (int)hart;
		return true;
	}
	return false;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct grep *grep = context;
	int index;

	switch (option->id) {
	case OPTION_ELF: grep->symbols.elf = argument; return true;
	case OPTION_ELF_ANYWAY: grep->symbols.anyway = true; return true;
	case OPTION_BEFORE: return option_unsigned(&grep->before, option, argument, 0, CONTEXT_MAX);
	case OPTION_AFTER: return option_unsigned(&grep->after, option, argument, 0, CONTEXT_MAX);
	case OPTION_CONTEXT:
		return option_unsigned(&grep->before, option, argument, 0, CONTEXT_MAX) &&
		       option_unsigned(&grep->after, option, argument, 0, CONTEXT_MAX);
	case OPTION_MOST: return option_number(&grep->most, option, argument, 1, UINT64_MAX);
	case OPTION_COUNT: grep->count_only = true; return true;
	case OPTION_PLACES: grep->places = true; return true;
	case OPTION_FORMAT:
		grep->format = ear_writer_find(argument);
		return grep->format ||
		       option_fail(option, argument, "a format that can be written");
	case OPTION_INPUT_FORMAT: grep->input.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&index, option, argument))
			return false;
		grep->input.xlen = index ? 64 : 32;
		return true;
	case OPTION_JOBS: return option_unsigned(&grep->jobs, option, argument, 1, CLI_JOBS_MAX);
	case OPTION_QUIET:
		grep->quiet = true;
		cli_progress_disable();
		return true;
	default: return take_condition(grep, option, argument);
	}
}

static int run(int argc, char **argv)
{
	static struct grep grep = {.most = UINT64_MAX, .jobs = 1};
	int status;

	source_input_init(&grep.input, "");
	ear_match_init(&grep.match);
	grep.format = ear_writer_find("whisper");
	int first = options_parse(&cmd_grep, argc, argv, take_option, &grep, &status);
	if (first < 0)
		return status;
	if (first + 1 != argc)
		return cli_usage("grep", first == argc ? "which file?" : "one file, please");
	grep.input.path = argv[first];
	grep.input.name = strcmp(argv[first], "-") == 0 ? "standard input" : argv[first];
	return grep_file(&grep);
}

const struct command cmd_grep = {
	.name = "grep",
	.arguments = "[CONDITION]... [OPTION]... FILE",
	.summary = "show the records of a trace that meet conditions",
	.about =
		"Show the records of a trace for which all conditions hold. FILE may be in any format; "
		"- is standard input.",
	.options = table,
	.notes = "Who wrote this address:  earshot grep --addr 0x80001040+4 --write t.shot",
	.exit_status = "0 something matches, 1 nothing does, 2 it could not be done.",
	.run = run,
};
