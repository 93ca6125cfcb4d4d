#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <stddef.h>
#include <stdint.h>

/* What a command that is one of many says to who collects their answers (cli/batch/): numbers of
 * its row of a table, and texts. Nobody listens to a command that is alone, and nothing happens.
 */
void notes_begin(int fd);

void notes_number(const char *name, uint64_t number);
void notes_text(const char *name, const char *text);

/* An answer of its own kind, instead of all others. */
void notes_bytes(const void *bytes, size_t size);

/* The command line itself is wrong: it is wrong for all of them. */
void notes_usage(void);

#endif
