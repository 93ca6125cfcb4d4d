/* 'earshot profile': where a run spent its instructions. analyses/profile.h counts; here is what is
 * read, and how it is printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile.h"
#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/commands/profile_callgrind.h"
#include "cli/commands/profile_lines.h"
#include "cli/input/trace_parts.h"
#include "cli/options/options.h"

#define TOP_DEFAULT 30
#define NAME_MAX_   256
#define SHARE_LEAST 0.5 /* per cent, of what the tree shows */

enum {
	OPTION_FORMAT,
	OPTION_TREE,
	OPTION_LINES,
	OPTION_SORT,
	OPTION_TOP,
	OPTION_INSIDE,
	OPTION_FROM,
	OPTION_TO,
	OPTION_JOBS,
	OPTION_ELF,
	OPTION_ELF_ANYWAY,
	OPTION_INPUT_FORMAT,
	OPTION_XLEN,
	OPTION_QUIET,
};

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_FOLDED, FORMAT_CALLGRIND };
enum sort { SORT_SELF, SORT_INCLUSIVE, SORT_CALLS };

static const struct command_option table[] = {
	{"format", 'f', OPTION_FORMAT, "FORMAT", VALUES_WORDS, "table json folded callgrind",
		.text = "`table` (default), `json`; `folded`: a line for each call stack, as flame graphs "
			"want it; or `callgrind`, for KCachegrind."},
	{"tree", 0, OPTION_TREE, .text = "Print the tree of calls, instead of functions."},
	{"lines", 0, OPTION_LINES, .text = "Print lines of the source, instead of functions."},
	{"sort", 0, OPTION_SORT, "WHAT", VALUES_WORDS, "self inclusive calls",
		.text = "Order of the functions: `self` (default), `inclusive` or `calls`."},
	{"top", 0, OPTION_TOP, "N",
		.text = "Print N functions, nodes of the tree or lines (default 30); 0: all."},
	{"interrupts-inside", 0, OPTION_INSIDE,
		.text = "Count the handlers of interrupts for what they interrupted, too. Without it they "
			"are roots of their own."},
	TRACE_PARTS_OPTIONS(OPTION_FROM, OPTION_TO, OPTION_JOBS),
	{"elf", 0, OPTION_ELF, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names from FILE (default: the program that the capture file names, if it "
			"has not changed); repeat for more."},
	{"elf-anyway", 0, OPTION_ELF_ANYWAY,
		.text = "Use --elf even if FILE is not the program that was traced."},
	{"input-format", 'i', OPTION_INPUT_FORMAT, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of FILE (default: detected from its contents)."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for a text (default: detected from its beginning)."},
	{"quiet", 'q', OPTION_QUIET, .text = "No progress line, and no warnings."},
	{0},
};

struct request {
	struct trace_input input;
	struct ear_profile_options options;
	enum format format;
	enum sort sort;
	uint64_t top;
	bool tree, lines, quiet;
	struct trace_parts parts;
	pthread_mutex_t lock;
	struct ear_profile *profiles[TRACE_PARTS_MAX]; /* of parts; others are NULL */
	struct ear_profile *profile;                   /* the first of them */
};

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	static const unsigned xlens[] = {32, 64};
	struct request *request = context;
	struct trace_input *input = &request->input;
	int word;

	switch (option->id) {
	case OPTION_FORMAT:
		if (!option_word(&word, option, argument))
			return false;
		request->format = (enum format)word;
		request->options.pcs |= request->format == FORMAT_CALLGRIND;
		return true;
	case OPTION_TREE: request->tree = true; return true;
	case OPTION_LINES: request->lines = request->options.pcs = true; return true;
	case OPTION_SORT:
		if (!option_word(&word, option, argument))
			return false;
		request->sort = (enum sort)word;
		return true;
	case OPTION_TOP: return option_number(&request->top, option, argument, 0, UINT64_MAX);
	case OPTION_INSIDE: request->options.interrupts_inside = true; return true;
	case OPTION_FROM:
		return trace_parts_take(&request->parts, TRACE_PARTS_FROM, option, argument);
	case OPTION_TO: return trace_parts_take(&request->parts, TRACE_PARTS_TO, option, argument);
	case OPTION_JOBS:
		return trace_parts_take(&request->parts, TRACE_PARTS_JOBS, option, argument);
	case OPTION_ELF: return symbol_file_take(&input->symbols, option->name, argument);
	case OPTION_ELF_ANYWAY: input->symbols.anyway = true; return true;
	case OPTION_INPUT_FORMAT: input->options.format = argument; return true;
	case OPTION_XLEN:
		if (!option_word(&word, option, argument))
			return false;
		input->options.xlen = xlens[word];
		return true;
	case OPTION_QUIET:
		request->quiet = true;
		cli_progress_disable();
		return true;
	}
	return false;
}

/* ---- Names. ---- */

/* What people read: "main", "[0x80000150]", "[unknown]". */
static void name_function(const struct request *request,
	const struct ear_profile_function *function, char text[NAME_MAX_])
{
	if (function->name[0] &&
		ear_names_text(request->input.names, function->entry, text, NAME_MAX_) > 0)
		return;
	if (function->entry)
		snprintf(text, NAME_MAX_, "[0x%" PRIx64 "]", function->entry);
	else
		snprintf(text, NAME_MAX_, "[unknown]");
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- Functions. ---- */

struct sorted {
	const struct ear_profile_function *function;
	uint64_t key, then;
};

static int compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->then != y->then)
		return x->then > y->then ? -1 : 1;
	return x->function->entry < y->function->entry ? -1
						       : x->function->entry > y->function->entry;
}

/* The functions in order; NULL after printing that memory is short. */
static struct sorted *sort_functions(const struct request *request, size_t *count)
{
	const size_t all = ear_profile_function_count(request->profile);
	struct sorted *list = calloc(all + 1, sizeof(*list));

	*count = 0;
	if (!list) {
		cli_error("out of memory");
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		const struct ear_profile_function *function =
			ear_profile_function(request->profile, i);
		const uint64_t keys[] = {[SORT_SELF] = function->self.records,
			[SORT_INCLUSIVE] = function->inclusive.records,
			[SORT_CALLS] = function->calls};
		if (function->inclusive.records > 0)
			list[(*count)++] = (struct sorted){
				function, keys[request->sort], function->inclusive.records};
	}
	qsort(list, *count, sizeof(*list), compare);
	return list;
}

static void print_head(const struct request *request)
{
	printf("%14s %6s %14s %6s %12s", "self", "%", "inclusive", "%", "calls");
	if (ear_profile_has_time(request->profile))
		printf(" %14s", "clocks");
	printf("  function\n");
}

static void print_counts(const struct request *request, const struct ear_profile_counts *self,
	const struct ear_profile_counts *inclusive, uint64_t calls)
{
	const uint64_t total = ear_profile_total(request->profile).records;

	printf("%14" PRIu64 " %6.2f %14" PRIu64 " %6.2f %12" PRIu64, self->records,
		percent(self->records, total), inclusive->records,
		percent(inclusive->records, total), calls);
	if (ear_profile_has_time(request->profile))
		printf(" %14" PRIu64, self->clocks);
	printf("  ");
}

static bool print_functions(const struct request *request)
{
	char name[NAME_MAX_];
	size_t count;
	struct sorted *list = sort_functions(request, &count);

	if (!list)
		return false;
	print_head(request);
	for (size_t i = 0; i < count && (request->top == 0 || i < request->top); i++) {
		const struct ear_profile_function *function = list[i].function;
		print_counts(request, &function->self, &function->inclusive, function->calls);
		name_function(request, function, name);
		puts(name);
	}
	if (request->top && count > request->top)
		printf("... and %" PRIu64 " more (--top N)\n", count - request->top);
	free(list);
	return true;
}

/* ---- The tree. ---- */

/* Children of each node, the largest first; roots are those of node 0, others of their number + 1.
 */
struct tree {
	const struct request *request;
	uint32_t *first, *next; /* by number + 1; 0: none */
	uint64_t printed, left_out;
};

static uint64_t size_of(const struct tree *tree, uint32_t node)
{
	return ear_profile_node(tree->request->profile, node - 1)->inclusive.records;
}

static bool make_tree(struct tree *tree)
{
	const uint32_t count = (uint32_t)ear_profile_node_count(tree->request->profile);

	tree->first = calloc((size_t)count + 1, sizeof(*tree->first));
	tree->next = calloc((size_t)count + 1, sizeof(*tree->next));
	if (!tree->first || !tree->next) {
		cli_error("out of memory");
		return false;
	}
	for (uint32_t i = count; i > 0; i--) {
		uint32_t parent = ear_profile_node(tree->request->profile, i - 1)->parent;
		uint32_t *place = &tree->first[parent == UINT32_MAX ? 0 : parent + 1];
		while (*place && size_of(tree, *place) > size_of(tree, i))
			place = &tree->next[*place];
		tree->next[i] = *place;
		*place = i;
	}
	return true;
}

static void free_tree(struct tree *tree)
{
	free(tree->first);
	free(tree->next);
}

static void print_node(struct tree *tree, uint32_t number, unsigned depth)
{
	static const char *const kinds[] = {
		[EAR_FRAME_TRAP] = "  (trap)", [EAR_FRAME_INTERRUPT] = "  (interrupt)"};
	const struct request *request = tree->request;
	const struct ear_profile_node *node = ear_profile_node(request->profile, number - 1);
	const char *kind = node->kind < 4 && kinds[node->kind] ? kinds[node->kind] : "";
	char name[NAME_MAX_];

	print_counts(request, &node->self, &node->inclusive, node->calls);
	name_function(request, ear_profile_function(request->profile, node->function), name);
	printf("%*s%s%s\n", (int)(2 * (depth < 100 ? depth : 100)), "", name, kind);
	tree->printed++;
}

static bool print_tree(const struct request *request)
{
	struct tree tree = {.request = request};
	const double total = (double)ear_profile_total(request->profile).records;
	unsigned depth = 0;
	bool good = make_tree(&tree);

	if (good)
		print_head(request);
	for (uint32_t at = good ? tree.first[0] : 0; at;) {
		bool wanted = request->top == 0 ||
			      (tree.printed < request->top &&
				      100.0 * (double)size_of(&tree, at) >= SHARE_LEAST * total);
		if (wanted)
			print_node(&tree, at, depth);
		else
			tree.left_out++;
		if (wanted && tree.first[at]) {
			at = tree.first[at];
			depth++;
			continue;
		}
		while (at && !tree.next[at]) {
			uint32_t parent = ear_profile_node(request->profile, at - 1)->parent;
			at = parent == UINT32_MAX ? 0 : parent + 1;
			depth--;
		}
		at = at ? tree.next[at] : 0;
	}
	if (tree.left_out > 0)
		printf("... smaller ones are left out (--top 0 prints all)\n");
	free_tree(&tree);
	return good;
}

/* ---- For other programs. ---- */

static void print_json_counts(
	const struct request *request, const char *name, const struct ear_profile_counts *counts)
{
	printf("\"%s\": {\"records\": %" PRIu64 ", \"clocks\": ", name, counts->records);
	if (ear_profile_has_time(request->profile))
		printf("%" PRIu64, counts->clocks);
	else
		printf("null");
	printf(", \"reads\": %" PRIu64 ", \"writes\": %" PRIu64 ", \"read_bytes\": %" PRIu64
	       ", \"written_bytes\": %" PRIu64 "}",
		counts->reads, counts->writes, counts->read_bytes, counts->written_bytes);
}

static void print_json_function(
	const struct request *request, const struct ear_profile_function *function)
{
	printf("{\"name\": ");
	if (function->name[0])
		cli_print_json(function->name);
	else
		printf("null");
	if (function->entry)
		printf(", \"entry\": \"0x%" PRIx64 "\", ", function->entry);
	else
		printf(", \"entry\": null, ");
	print_json_counts(request, "self", &function->self);
	printf(", ");
	print_json_counts(request, "inclusive", &function->inclusive);
	printf(", \"calls\": %" PRIu64 "}", function->calls);
}

static void print_json_node(const struct request *request, const struct ear_profile_node *node)
{
	static const char *const kinds[] = {[EAR_FRAME_BASE] = "base",
		[EAR_FRAME_CALL] = "call",
		[EAR_FRAME_TRAP] = "trap",
		[EAR_FRAME_INTERRUPT] = "interrupt"};

	printf("{\"parent\": ");
	if (node->parent == UINT32_MAX)
		printf("null");
	else
		printf("%" PRIu32, node->parent);
	printf(", \"function\": %" PRIu32 ", \"kind\": \"%s\", ", node->function,
		kinds[node->kind & 3]);
	print_json_counts(request, "self", &node->self);
	printf(", ");
	print_json_counts(request, "inclusive", &node->inclusive);
	printf(", \"calls\": %" PRIu64 "}", node->calls);
}

static void print_json(const struct request *request)
{
	const struct ear_profile *profile = request->profile;
	const struct ear_profile_counts total = ear_profile_total(profile);

	printf("{");
	print_json_counts(request, "total", &total);
	printf(", \"gaps\": %" PRIu64 ", \"without_path\": %" PRIu64 ", \"limited\": %s,\n",
		ear_profile_gaps(profile), ear_profile_pathless(profile),
		ear_profile_limited(profile) ? "true" : "false");
	printf("\"functions\": [");
	for (size_t i = 0; i < ear_profile_function_count(profile); i++) {
		printf(i > 0 ? ",\n  " : "\n  ");
		print_json_function(request, ear_profile_function(profile, i));
	}
	printf("\n],\n\"nodes\": [");
	for (size_t i = 0; i < ear_profile_node_count(profile); i++) {
		printf(i > 0 ? ",\n  " : "\n  ");
		print_json_node(request, ear_profile_node(profile, i));
	}
	printf("\n]}\n");
}

/* From the root to the node. A semicolon divides functions, so it is none of a name. */
static void print_stack(const struct request *request, uint32_t *stack, uint32_t node)
{
	size_t depth = 0;
	char name[NAME_MAX_];

	for (; node != UINT32_MAX; node = ear_profile_node(request->profile, node)->parent)
		stack[depth++] = node;
	while (depth-- > 0) {
		const struct ear_profile_node *at =
			ear_profile_node(request->profile, stack[depth]);
		name_function(request, ear_profile_function(request->profile, at->function), name);
		for (char *c = name; *c; c++)
			*c = *c == ';' ? ':' : *c;
		printf("%s%s", name, depth > 0 ? ";" : " ");
	}
}

static bool print_folded(const struct request *request)
{
	const size_t count = ear_profile_node_count(request->profile);
	uint32_t *stack = calloc(count + 1, sizeof(*stack));

	if (!stack) {
		cli_error("out of memory");
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct ear_profile_node *node = ear_profile_node(request->profile, i);
		if (node->self.records == 0)
			continue;
		print_stack(request, stack, i);
		printf("%" PRIu64 "\n", node->self.records);
	}
	free(stack);
	return true;
}

/* ---- Reading. ---- */

static int begin_part(void *context, unsigned part, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	struct request *request = context;
	struct ear_profile *profile;

	int result = ear_profile_new(&profile, request->input.names, &request->options);
	if (result)
		return result;
	request->profiles[part] = profile;
	return moment ? ear_profile_start(profile, moment, progress) : 0;
}

static int count_batch(void *context, unsigned part, const struct ear_batch *batch)
{
	struct request *request = context;

	return ear_profile_batch(request->profiles[part], batch);
}

/* The parts before a place that could not be read are the profile of what came before it. */
static bool join_parts(struct request *request)
{
	int result = 0;

	for (unsigned i = 1; i < request->parts.count && result == 0; i++)
		if (request->profiles[i])
			result = ear_profile_join(request->profiles[0], request->profiles[i]);
	request->profile = request->profiles[0];
	if (result == 0 && request->profile)
		result = ear_profile_finish(request->profile);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0 && request->profile;
}

/* Returns false after printing why; request->profile is what could be read. */
static bool count(struct request *request)
{
	static const struct trace_parts_work work = {begin_part, count_batch};

	request->options.lock = request->parts.jobs > 1 ? &request->lock : NULL;
	if (!trace_parts_plan(&request->parts, &request->input))
		return false;
	bool good = trace_parts_read(&request->parts, &request->input, &work, request);
	if (!join_parts(request)) {
		request->profile = NULL;
		return false;
	}
	if (cli_interrupted)
		cli_warning("interrupted: this is the profile of the first %" PRIu64 " records",
			ear_profile_total(request->profile).records);
	return good;
}

/* What makes the profile less than it seems. */
static void warn(const struct request *request)
{
	const struct ear_profile *profile = request->profile;

	if (request->quiet)
		return;
	if (!request->input.names)
		cli_warning("there are no names: functions are what calls entered (--elf FILE)");
	if (ear_profile_gaps(profile) > 0)
		cli_warning("there are gaps, %" PRIu64 ": what was called before one has no caller "
			    "after it",
			ear_profile_gaps(profile));
	if (ear_profile_pathless(profile) > 0)
		cli_warning("of %" PRIu64 " records no calls are known: they have no opcodes of "
			    "RISC-V",
			ear_profile_pathless(profile));
	if (ear_profile_limited(profile))
		cli_warning("there are too many paths of calls: the deepest are not kept apart");
}

static bool print_table(const struct request *request)
{
	if (request->tree)
		return print_tree(request);
	return request->lines ? profile_lines(request->profile, request->input.names, request->top)
			      : print_functions(request);
}

static bool print(const struct request *request)
{
	switch (request->format) {
	case FORMAT_JSON: print_json(request); return true;
	case FORMAT_FOLDED: return print_folded(request);
	case FORMAT_CALLGRIND:
		return profile_callgrind(
			request->profile, request->input.names, request->input.path);
	default: return print_table(request);
	}
}

static int run_profile(struct request *request)
{
	bool good = count(request);

	if (!request->profile)
		return EAR_EXIT_FAILED;
	warn(request);
	good = print(request) && good && !cli_interrupted;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("standard output: it cannot be written");
		return EAR_EXIT_FAILED;
	}
	return good ? EAR_EXIT_DONE : EAR_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct request request = {.input = TRACE_INPUT_DEFAULTS,
		.parts = TRACE_PARTS_DEFAULTS,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.top = TOP_DEFAULT};
	int status;

	int first = options_parse(&cmd_profile, argc, argv, take_option, &request, &status);
	if (first >= 0 && first + 1 != argc) {
		status = cli_usage("profile", first == argc ? "which trace?" : "one trace, please");
	} else if (first >= 0 && (request.tree || request.lines) &&
		   request.format != FORMAT_TABLE) {
		status = cli_usage("profile", "--tree and --lines are tables: without -f");
	} else if (first >= 0 && request.tree && request.lines) {
		status = cli_usage("profile", "--tree or --lines, not both");
	} else if (first >= 0) {
		request.input.path = argv[first];
		if (!request.parts.from && !request.parts.to && request.parts.jobs == 1)
			request.input.options.index = EAR_INDEX_NONE;
		status = trace_input_open(&request.input) ? run_profile(&request) : EAR_EXIT_FAILED;
	}
	for (unsigned i = 0; i < TRACE_PARTS_MAX; i++)
		ear_profile_free(request.profiles[i]);
	trace_input_close(&request.input);
	return status;
}

const struct command cmd_profile = {
	.name = "profile",
	.arguments = "[OPTION]... FILE",
	.summary = "where a run spent its instructions, by function and call",
	.about = "Count the instructions of each function of FILE, a capture or a trace of any "
		 "format: those of itself, and with all that it called (inclusive), which counts a "
		 "record once for each function that is among its callers.",
	.options = table,
	.notes =
		"Calls are followed through interrupts, tasks, tail calls and longjmp; nothing has "
		"to be compiled in. Self counts sum up to all records. With time in the trace, "
		"clocks are those of the function itself.",
	.exit_status =
		"0 done, 2 the trace could not be read to its end: the profile is that of what "
		"came before.",
	.run = run,
};
