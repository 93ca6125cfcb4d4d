#ifndef EAR_CLI_H
#define EAR_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What all commands share: exit status, messages, signals, numbers. */

#define EAR_EXIT_DONE   0
#define EAR_EXIT_NO     1 /* the answer is "no" or "differs" */
#define EAR_EXIT_FAILED 2 /* it could not be done */

/* Print "earshot: ..." to stderr. Clears a progress line first. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --quiet: warnings are not printed. */
extern bool cli_quiet;

/* Bad usage of a subcommand: the error, and where help is. Returns EAR_EXIT_FAILED. */
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text as JSON has it, with its quotes, to standard output. What may not be shown, and bytes that
 * are not UTF-8, are escaped (common/printable.h). */
void cli_print_json(const char *text);
/* The same, to a file. */
void cli_write_json(FILE *file, const char *text);

/* Set by SIGINT, SIGTERM and, unless it was ignored, SIGHUP once cli_catch_signals was called; a
 * second signal ends the program at once. on_signal, if not NULL, runs in the signal handler.
 */
extern volatile sig_atomic_t cli_interrupted;

void cli_catch_signals(void (*on_signal)(void));

/* What was interrupted has ended in good order, and there is more to do: the next signal is the
 * first again, unless it came together with the one before. */
void cli_continue(void);

/* Parse a whole non-negative number: decimal or 0x, with k, M, G (powers of 1000) or Ki, Mi,
 * Gi (powers of 1024) after it. Returns false if the text is anything else or too large.
 */
bool cli_parse_count(uint64_t *value, const char *text);

#define CLI_JOBS_MAX 64u /* threads that -j may ask for */

/* The version as --version prints it, "earshot 0.1.0". */
extern const char cli_version[];

#endif
