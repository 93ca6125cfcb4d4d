/* Traces and part files of a profile: which analysis counts them, what options they decide, and
 * what does not go together. cli/input/analysis_input.h reads them.
 */
#include "cli/commands/profile/profile_input.h"

#include <string.h>

#include <earshot/address.h>

#include "analyses/profile/methods.h"
#include "cli/base/cli.h"

/* ---- Filters. ---- */

static bool find_entries(struct ear_names *names, const char *option, struct profile_filter *filter)
{
	struct ear_function function = {.size = sizeof(function)};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	for (unsigned i = 0; i < filter->count; i++) {
		struct ear_address address = {.size = sizeof(address)};
		if (ear_address_parse(&address, filter->names[i], strlen(filter->names[i]), names,
			    NULL, message)) {
			cli_error("%s: %s", option, message);
			return false;
		}
		if (address.kind == EAR_ADDRESS_INLINED) {
			cli_error("%s: '%s' was inlined everywhere: nothing calls it", option,
				filter->names[i]);
			return false;
		}
		filter->entries[i] = address.ranges[0].first;
		if (names && ear_names_function_at(names, filter->entries[i], &function) &&
			function.name[0])
			filter->entries[i] = function.entry;
	}
	return true;
}

static bool find_filters(struct profile_input *input)
{
	struct ear_profile_options *options = &input->options;

	if (!find_entries(options->names, "--within", &input->within) ||
		!find_entries(options->names, "--exclude", &input->without))
		return false;
	options->within = input->within.entries;
	options->within_count = input->within.count;
	options->without = input->without.entries;
	options->without_count = input->without.count;
	return true;
}

/* ---- Traces. ---- */

/* As the trace before it. */
static bool is_same_program(const struct trace_input *input)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (input->symbols.elf || ear_trace_facts(input->trace, &facts) != 0 ||
		strcmp(facts.program_sha256 ? facts.program_sha256 : "", input->symbols.sha256) ==
			0)
		return true;
	cli_error("%s: it is of another program than the trace before it; compare them "
		  "with --against, or give one --elf for all",
		input->path);
	return false;
}

static bool has_lines(const struct ear_names *names)
{
	for (size_t i = 0; names && i < ear_names_file_count(names); i++)
		if (ear_names_file(names, i)->has_lines)
			return true;
	return false;
}

static bool take_opened(struct analysis_input *source, unsigned number)
{
	struct profile_input *input = source->context;
	struct ear_profile_options *options = &input->options;
	const bool threads = source->parts.plan.jobs > 1;

	if (number > 0 && !is_same_program(&source->input))
		return false;
	if (number > 0)
		ear_profile_pause(source->whole);
	options->names = source->input.names;
	if (input->may_inline)
		options->inlined = has_lines(source->input.names);
	options->no_traps = ear_trace_carries(source->input.trace, "trap cause") == 0;
	options->no_interrupts = ear_trace_carries(source->input.trace, "interrupt") == 0;
	options->lock = threads ? &input->lock : NULL;
	options->two_threads = threads;
	return find_filters(input);
}

/* A count of instructions has the functions, too. */
static bool is_same_count(const void *own, const void *counted)
{
	const struct ear_profile_options *a = own, *b = counted;

	return a->names == b->names && a->inlined == b->inlined && b->pcs >= a->pcs &&
	       a->interrupts_inside == b->interrupts_inside && a->no_traps == b->no_traps &&
	       a->no_interrupts == b->no_interrupts && a->within_count + b->within_count == 0 &&
	       a->without_count + b->without_count == 0;
}

/* ---- Part files. ---- */

/* Words of the options, and what comes after those. */
struct words {
	bool inside, inlined;
	const char *tasks;
};

static bool take_word(const char **text, const char *word)
{
	const bool is = strncmp(*text, word, strlen(word)) == 0;

	*text += is ? strlen(word) : 0;
	return is;
}

static struct words parse(const char *text)
{
	struct words words;

	text += strcspn(text, " "); /* instructions, or not */
	words.inside = take_word(&text, " inside");
	words.inlined = take_word(&text, " inline");
	words.tasks = text;
	return words;
}

/* What the parts were counted with is what the command line says, but for instructions. */
static bool takes_part(const struct analysis_input *source, const char *path, const char *text)
{
	struct profile_input *input = source->context;
	char expected[EAR_PART_WORD_MAX];

	input->options.pcs = strncmp(text, "pcs", 3) == 0;
	if (input->may_inline)
		input->options.inlined = parse(text).inlined;
	input->may_inline = false; /* the others are as the first one */
	ear_profile_describe(&input->options, expected);
	if (source->tasks.task || source->follows)
		ear_task_filter_describe(&source->tasks, expected);
	const struct words words = parse(text), own = parse(expected);
	if (strcmp(text, expected) == 0)
		return true;
	if (strcmp(words.tasks, own.tasks) == 0 && words.inside != own.inside)
		cli_error("%s: it was counted %s --interrupts-inside", path,
			words.inside ? "with" : "without");
	else if (strcmp(words.tasks, own.tasks) == 0 && words.inlined != own.inlined)
		cli_error("%s: it was counted %s", path,
			words.inlined ? "with inlined functions" : "with --no-inline");
	else
		cli_error("%s: it was counted with another --task or --event-port", path);
	return false;
}

/* ---- Both. ---- */

/* What does not go together: it is printed. */
static bool check(const struct profile_input *input, bool of_parts, int count)
{
	const struct analysis_input *source = &input->source;
	const bool rows = input->has_by || input->has_methods || source->tasks.task;

	if (input->within.count + input->without.count > 0 && (of_parts || source->parts.part > 0))
		cli_error("--within and --exclude are for traces, not for parts");
	else if (rows && !of_parts && count > 1)
		cli_error("--by, --methods and --task read one trace");
	else
		return true;
	return false;
}

/* All records are in a row, of whatever task. */
static void choose(struct profile_input *input)
{
	struct analysis_input *source = &input->source;

	source->analysis = &ear_profile_analysis;
	if (input->has_by) {
		source->analysis = &ear_by_analyses[input->key];
		source->follows = input->key == EAR_BY_TASK || input->key == EAR_BY_PROCESS;
		if (!source->follows)
			source->tasks.task = NULL;
	} else if (input->has_methods) {
		source->analysis = &ear_methods_analysis;
		source->follows = true;
	}
}

bool profile_input_begin(struct profile_input *input, char **paths, int count)
{
	struct analysis_input *source = &input->source;

	choose(input);
	source->options = &input->options;
	source->context = input;
	source->opened = take_opened;
	source->takes = takes_part;
	source->unchecked = true;
	source->same_count = is_same_count;
	source->apart = !input->has_by && !input->has_methods;
	return check(input, part_file_is_one(paths[0]), count);
}
