#ifndef EAR_GREP_FIND_H
#define EAR_GREP_FIND_H

#include "cli/commands/grep/grep_show.h"

/* 'earshot grep' of a part of a trace, of the first or last matches, or of a trace that has an
 * index: asked of the library, which has the index. */

/* Does grep->window say anything? */
bool grep_window_is_set(const struct grep_window *window);

/* Has it a place that is not a number? Only the library finds these. */
bool grep_window_has_words(const struct grep_window *window);

/* Search and show. Returns 0, or an error, which was printed. EAR_E_UNSUPPORTED: the file cannot be
 * read at any offset, and nothing has happened.
 */
int grep_find(struct grep *grep);

/* Search all of the trace and show all matches as a scan would, but read only what the index does
 * not rule out. Returns as grep_find; EAR_E_UNSUPPORTED also if there is no index, if it cannot
 * rule out anything, or if a scan would say more of the file than its records.
 */
int grep_by_index(struct grep *grep);

/* Where the file can only be read from its beginning: is the record, the next one of the trace, in
 * the window? 1; 0: not yet; -1: it is behind it. Counts instructions in grep->number.
 */
int grep_window_pass(struct grep *grep, const struct ear_record *record);

#endif
