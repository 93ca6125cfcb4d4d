#ifndef EAR_CLI_H
#define EAR_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* What the subcommands share. Each cmd_<name>.c is one subcommand. */

#define EAR_EXIT_DONE   0
#define EAR_EXIT_NO     1 /* the answer is "no" or "differs" */
#define EAR_EXIT_FAILED 2 /* it could not be done */

int cmd_capture(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_grep(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_flash(int argc, char **argv);
int cmd_load(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_serve(int argc, char **argv);

/* Print "earshot: ..." to stderr. Clears a progress line first. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Bad usage of a subcommand: the error, and where help is. Returns EAR_EXIT_FAILED. */
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that is overwritten by the next one; only if stderr is a terminal. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_clear(void);
bool cli_progress_wanted(void);
bool cli_progress_due(double *last); /* wanted, and not since 0.2 s; *last is set to now then */
void cli_progress_disable(void);     /* --quiet */

/* Set by SIGINT, SIGTERM and, unless it was ignored, SIGHUP once cli_catch_signals was called; a
 * second signal ends the program at once. on_signal, if not NULL, runs in the signal handler.
 */
extern volatile sig_atomic_t cli_interrupted;
void cli_catch_signals(void (*on_signal)(void));

/* Parse a whole non-negative number: decimal or 0x, with k, M, G (powers of 1000) or Ki, Mi,
 * Gi (powers of 1024) behind it. Returns false if the text is anything else or too large.
 */
bool cli_parse_count(uint64_t *value, const char *text);

/* Parse the number of threads to work with, 1 .. CLI_JOBS_MAX. Returns false if it is no such. */
#define CLI_JOBS_MAX 64u
bool cli_parse_jobs(unsigned *jobs, const char *text);

/* Seconds on a clock that never goes back. */
double cli_seconds(void);

/* The version as --version prints it, "earshot 0.1.0". */
extern const char cli_version[];

#endif
