#ifndef CLI_BROWSE_SEEK_H
#define CLI_BROWSE_SEEK_H

#include <stdbool.h>

struct browse;
struct browse_item;

/* Actions of the table of keys (browse_keys.c). argument: of the command; NULL: it asks for one. */
void browse_seek_writer_back(struct browse *browse, const char *argument);
void browse_seek_writer(struct browse *browse, const char *argument);
void browse_seek_access_back(struct browse *browse, const char *argument);
void browse_seek_access_next(struct browse *browse, const char *argument);
void browse_seek_go(struct browse *browse, const char *argument);
void browse_seek_percent(struct browse *browse, const char *argument);
void browse_seek_search(struct browse *browse, const char *argument);
void browse_seek_search_back(struct browse *browse, const char *argument);
void browse_seek_next_match(struct browse *browse, const char *argument);
void browse_seek_previous_match(struct browse *browse, const char *argument);
void browse_seek_memory(struct browse *browse, const char *argument);
void browse_seek_follow_memory(struct browse *browse, const char *argument);
void browse_seek_mark(struct browse *browse, const char *argument);
void browse_seek_unmark(struct browse *browse, const char *argument);
void browse_seek_next_mark(struct browse *browse, const char *argument);
void browse_seek_previous_mark(struct browse *browse, const char *argument);
void browse_seek_print(struct browse *browse, const char *argument);

/* To the last write of a thing at or before the cursor; false after saying that there is none. */
bool browse_seek_last_write(struct browse *browse, const struct browse_item *item);

#endif
