#ifndef EAR_SOURCE_LINES_H
#define EAR_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines of source files, which are named by debug information and so are whatever its maker wrote:
 * only regular files are read, up to SOURCE_FILE_MAX bytes of each, and no more than
 * SOURCE_ALL_MAX bytes are kept. A file that cannot be read, or is larger, has no lines.
 */
#define SOURCE_FILE_MAX ((size_t)4 << 20)
#define SOURCE_ALL_MAX  ((size_t)64 << 20)
#define SOURCE_LINE_MAX 256 /* bytes of a line that are shown; more are cut */

struct source_lines;

/* Returns NULL without memory. */
struct source_lines *source_lines_new(void);
void source_lines_free(struct source_lines *lines);

/* Is there a regular file at path that can be opened? */
bool source_lines_readable(const char *path);

/* Line number (from 1) of the file at path, without the blanks around it, tabs as one blank, other
 * control characters and what is no UTF-8 as "?"; "" if it is not there. Valid until the next call.
 */
const char *source_lines_find(struct source_lines *lines, const char *path, uint32_t number);

/* The same with the blanks and tabs before it; NULL if there is no such line. */
const char *source_lines_indented(struct source_lines *lines, const char *path, uint32_t number);

#endif
