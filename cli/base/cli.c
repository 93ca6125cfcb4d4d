/* Messages, signals and numbers, in one form for all commands. A message is one line whatever the
 * names in it hold, so that no file name can forge another message.
 */
#include "cli/base/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/notes.h"
#include "cli/base/progress.h"
#include "cli/base/seconds.h"
#include "common/printable.h"
#include "common/stop.h"

#define MESSAGE_MAX 10000 /* two paths and a sentence */
#define TOGETHER    0.3   /* seconds */

const char cli_version[] = "earshot " EAR_VERSION;

volatile sig_atomic_t cli_interrupted;
bool cli_quiet;

static void (*signal_hook)(void);
static void print_message(const char *kind, const char *format, va_list arguments)
{
	char message[MESSAGE_MAX], shown[MESSAGE_MAX];

	/* One line, whatever the names and texts in it hold: no other line can be forged. */
	vsnprintf(message, sizeof(message), format, arguments);
	ear_printable_string(shown, sizeof(shown), message, EAR_PRINTABLE_LINE);
	cli_progress_clear();
	fprintf(stderr, "earshot: %s%s\n", kind, shown);
}

void cli_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message("", format, arguments);
	va_end(arguments);
}

void cli_warning(const char *format, ...)
{
	va_list arguments;

	if (cli_quiet)
		return;
	va_start(arguments, format);
	print_message("warning: ", format, arguments);
	va_end(arguments);
}

int cli_usage(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message("", format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try 'earshot %s --help'.\n", command);
	notes_usage();
	return EAR_EXIT_FAILED;
}

static double first; /* the time of the first signal */
static volatile sig_atomic_t continued;

/* The first signal asks for an end in good order. A second one ends the program at once, but
 * not if it comes together with the first: shells and timeout(1) signal a whole group and the
 * process itself.
 */
static void handle_signal(int number)
{
	if (continued && cli_seconds() - first <= TOGETHER)
		return;
	if (cli_interrupted && cli_seconds() - first > TOGETHER) {
		signal(number, SIG_DFL);
		raise(number);
	}
	if (!cli_interrupted)
		first = cli_seconds();
	__atomic_store_n(&cli_interrupted, 1, __ATOMIC_RELAXED); /* other threads look at it */
	if (signal_hook)
		signal_hook();
}

void cli_continue(void)
{
	continued |= cli_interrupted;
	__atomic_store_n(&cli_interrupted, 0, __ATOMIC_RELAXED);
}

void cli_catch_signals(void (*on_signal)(void))
{
	struct sigaction action = {.sa_handler = handle_signal}, before;

	signal_hook = on_signal;
	ear_stop_on(&cli_interrupted);
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A terminal that was closed; but not under nohup. */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

static uint64_t unit_factor(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {{"", 1}, {"k", 1000}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000},
		{"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, unit) == 0)
			return units[i].factor;
	return 0;
}

bool cli_parse_count(uint64_t *value, const char *text)
{
	char *end;
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull(text, &end, base);
	uint64_t factor = unit_factor(end);
	if (errno || factor == 0 || number > UINT64_MAX / factor)
		return false;
	*value = number * factor;
	return true;
}

/* Printable characters, some of which JSON has for itself. */
static void write_plain(FILE *file, const char *text, size_t size)
{
	const char *plain = text; /* begins what needs no escape */

	for (const char *const end = text + size; text < end; text++) {
		if (*text != '"' && *text != '\\')
			continue;
		fwrite(plain, 1, (size_t)(text - plain), file);
		fprintf(file, "\\%c", *text);
		plain = text + 1;
	}
	fwrite(plain, 1, (size_t)(text - plain), file);
}

/* What may not be shown is escaped here, as JSON does: what the outlet would make of it is none. */
void cli_write_json(FILE *file, const char *text)
{
	char escape[EAR_PRINTABLE_JSON_SIZE];
	size_t size = strlen(text);

	putc('"', file);
	while (size > 0) {
		size_t used = ear_printable_span(text, size, EAR_PRINTABLE_LINE);
		write_plain(file, text, used);
		if (used < size) {
			used += ear_printable_json(escape, text + used, size - used);
			fputs(escape, file);
		}
		text += used;
		size -= used;
	}
	putc('"', file);
}

void cli_print_json(const char *text)
{
	cli_write_json(stdout, text);
}
