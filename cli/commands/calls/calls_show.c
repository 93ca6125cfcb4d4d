/* Calls as lines of a table, of CSV, or of JSON. */
#include "cli/commands/calls/calls_show.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/show/json.h"

#define NAME_MAX_  256
#define INDENT_MAX 100
#define COLUMNS \
	"number,hart,depth,kind,end,last,records,clocks,function,entry,caller,call_pc,arguments,result"

static const char *const kinds[] = {[EAR_CALL_LOG_CALL] = "call",
	[EAR_CALL_LOG_TAIL] = "tail",
	[EAR_CALL_LOG_TRAP] = "trap",
	[EAR_CALL_LOG_INTERRUPT] = "interrupt"};

static const char *const ends[] = {[EAR_CALL_LOG_RETURNED] = "returned",
	[EAR_CALL_LOG_UNWOUND] = "unwound",
	[EAR_CALL_LOG_FORGOTTEN] = "forgotten",
	[EAR_CALL_LOG_OPEN] = "open",
	[EAR_CALL_LOG_WAITED] = "long"};

/* Is its end in the trace? */
static bool has_end(const struct ear_call_log_call *call)
{
	return call->end == EAR_CALL_LOG_RETURNED || call->end == EAR_CALL_LOG_UNWOUND;
}

/* What people read: "main", "main+0x4", "[0x80000150]". Safe for a terminal. */
static void name_of(const struct calls_show *show, uint64_t address, char text[NAME_MAX_])
{
	if (!show->names || ear_names_text(show->names, address, text, NAME_MAX_) <= 0)
		snprintf(text, NAME_MAX_, "[0x%" PRIx64 "]", address);
}

/* The function alone; "" without a symbol. */
static const char *function_of(const struct calls_show *show, uint64_t address)
{
	struct ear_function function = {.size = sizeof(function)};

	return show->names && ear_names_function_at(show->names, address, &function) ? function.name
										     : "";
}

/* ---- The table. ---- */

static void print_number(uint64_t number, bool known, bool least)
{
	char text[32];

	if (known)
		snprintf(text, sizeof(text), "%s%" PRIu64, least ? ">" : "", number);
	printf(" %12s", known ? text : "-");
}

static void print_row(const struct calls_show *show, const struct ear_call_log_call *call,
	const char *arguments, const char *result)
{
	const unsigned depth = show->flat ? 0 : call->depth;
	const unsigned indent = depth < INDENT_MAX ? depth : INDENT_MAX;
	char name[NAME_MAX_];

	printf("%12" PRIu64, call->number);
	print_number(call->records, true, !has_end(call));
	print_number(call->clocks, call->has_clocks, !has_end(call));
	if (arguments)
		printf(" %5" PRIu32, call->depth);
	name_of(show, call->entry, name);
	printf("  %*s%s%s", arguments ? 0 : (int)(2 * indent), "", name,
		arguments ? arguments : "");
	if (result && result[0])
		printf(" = %s", result);
	name_of(show, call->call_pc, name);
	printf("  from %s", name);
	if (call->kind != EAR_CALL_LOG_CALL)
		printf(", %s", kinds[call->kind]);
	if (call->end != EAR_CALL_LOG_RETURNED)
		printf(", %s", ends[call->end]);
	if (call->hart)
		printf(", hart %u", call->hart);
	printf("\n");
}

/* ---- For other programs. ---- */

void calls_print_csv(const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		printf("%s", text);
		return;
	}
	putchar('"');
	for (const char *c = text; *c; c++)
		printf(*c == '"' ? "\"\"" : "%c", *c);
	putchar('"');
}

static void print_csv(const struct calls_show *show, const struct ear_call_log_call *call,
	const char *arguments, const char *result)
{
	printf("%" PRIu64 ",%u,%" PRIu32 ",%s,%s,", call->number, call->hart, call->depth,
		kinds[call->kind], ends[call->end]);
	if (has_end(call))
		printf("%" PRIu64 ",%" PRIu64, call->last, call->records);
	else
		printf(",");
	printf(",");
	if (has_end(call) && call->has_clocks)
		printf("%" PRIu64, call->clocks);
	printf(",");
	calls_print_csv(function_of(show, call->entry));
	printf(",0x%" PRIx64 ",", call->entry);
	calls_print_csv(function_of(show, call->call_pc));
	printf(",0x%" PRIx64 ",", call->call_pc);
	calls_print_csv(arguments ? arguments : "");
	printf(",");
	calls_print_csv(result ? result : "");
	printf("\n");
}

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

/* Arguments and the result are JSON already. */
static void print_json(const struct calls_show *show, const struct ear_call_log_call *call,
	const char *arguments, const char *result)
{
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	json_number(&json, "number", call->number);
	json_number(&json, "hart", call->hart);
	json_number(&json, "depth", call->depth);
	json_text(&json, "kind", kinds[call->kind]);
	json_text(&json, "end", ends[call->end]);
	json_known(&json, "last", has_end(call), call->last);
	json_known(&json, "records", has_end(call), call->records);
	if (!has_end(call))
		json_number(&json, "at_least", call->records);
	json_known(&json, "clocks", has_end(call) && call->has_clocks, call->clocks);
	if (!has_end(call) && call->has_clocks)
		json_number(&json, "at_least_clocks", call->clocks);
	json_text(&json, "function", text_or_null(function_of(show, call->entry)));
	json_hex(&json, "entry", true, call->entry);
	json_text(&json, "caller", text_or_null(function_of(show, call->call_pc)));
	json_hex(&json, "call_pc", true, call->call_pc);
	if (arguments) {
		json_key(&json, "arguments");
		fputs(arguments, stdout);
		json_key(&json, "result");
		fputs(result, stdout);
	}
	json_close(&json, '}');
	putchar('\n');
}

/* ---- The lines. ---- */

void calls_show_begin(struct calls_show *show)
{
	if (!show->begun && show->format == CALLS_CSV)
		puts(COLUMNS);
	else if (!show->begun && show->format == CALLS_TABLE && show->arguments)
		printf("%12s %12s %12s %5s  call\n", "number", "records", "clocks", "depth");
	else if (!show->begun && show->format == CALLS_TABLE)
		printf("%12s %12s %12s  call\n", "number", "records", "clocks");
	show->begun = true;
}

static void print(const struct calls_show *show, const struct ear_call_log_call *call,
	const char *arguments, const char *result)
{
	switch (show->format) {
	case CALLS_CSV: print_csv(show, call, arguments, result); break;
	case CALLS_JSON: print_json(show, call, arguments, result); break;
	default: print_row(show, call, arguments, result); break;
	}
}

bool calls_show(struct calls_show *show, const struct ear_call_log_call *call)
{
	const bool json = show->format == CALLS_JSON;
	char *arguments = NULL, *result = NULL;
	bool good = true;

	calls_show_begin(show);
	if (show->arguments) {
		arguments = ear_arguments_text(show->arguments, call, json);
		result = ear_arguments_result(show->arguments, call, json);
		good = arguments && result;
	}
	if (good)
		print(show, call, arguments, result);
	else
		cli_error("out of memory");
	free(arguments);
	free(result);
	return good;
}

/* ---- The calling convention. ---- */

/* e_flags of an ELF file: the psABI, "File header". */
#define ELF_FLAGS_32    36u
#define ELF_FLAGS_64    48u
#define ELF_FLOAT_SHIFT 1u
#define ELF_FLOAT_MASK  3u
#define ELF_EMBEDDED    8u

struct ear_arguments_abi calls_abi(const struct ear_names *names)
{
	static const unsigned sizes[] = {0, 4, 8, 16};
	const struct ear_names_file *file =
		names && ear_names_file_count(names) > 0 ? ear_names_file(names, 0) : NULL;
	int fd = file ? open(file->path, O_RDONLY | O_CLOEXEC) : -1;
	uint8_t flags = 0;

	if (fd < 0)
		return (struct ear_arguments_abi){.float_size = 0};
	if (pread(fd, &flags, 1, file->xlen == 64 ? ELF_FLAGS_64 : ELF_FLAGS_32) != 1)
		flags = 0;
	close(fd);
	return (struct ear_arguments_abi){
		.float_size = sizes[flags >> ELF_FLOAT_SHIFT & ELF_FLOAT_MASK],
		.embedded = flags & ELF_EMBEDDED};
}
