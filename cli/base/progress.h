#ifndef EAR_PROGRESS_H
#define EAR_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* A line on standard error that the next one overwrites; only if that is a terminal.
 *
 * The line is cut to the terminal's width, at a comma: put what matters most, such as losses,
 * first.
 */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_clear(void);
bool cli_progress_wanted(void);

/* Is it time for the next line: wanted, and 0.2 s after the last one? *last is 0 before the first
 * call, which only begins to count: short work shows no progress.
 */
bool cli_progress_due(double *last);

/* No progress from now on: --quiet, or a text is written to the same terminal. */
void cli_progress_disable(void);

/* From now on lines are put into text, of size bytes, with a NUL, instead of the terminal: a
 * process that works for another one, which shows them. Only where that one wants progress. */
void cli_progress_share(char *text, size_t size);

/* How much of a line of length bytes is shown in so many columns: all of it, or up to the last
 * comma that fits, or what fits.
 */
size_t progress_cut(const char *line, size_t length, size_t columns);

#endif
