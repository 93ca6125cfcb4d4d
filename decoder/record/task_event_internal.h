#ifndef EAR_TASK_EVENT_INTERNAL_H
#define EAR_TASK_EVENT_INTERNAL_H

#include <earshot/task_event.h>

/* Begin the name of an event at at[0 .. room-1]: its kind and its numbers. Then ear_task_event_add
 * appends the texts that the kind has, one or any number of them.
 *
 * size: of the name so far. Both return its new size; more than room: it did not fit, and nothing
 * was written beyond room.
 */
size_t ear_task_event_begin(char *at, size_t room, const struct ear_task_event *event);
size_t ear_task_event_add(char *at, size_t room, size_t size, struct ear_text text);

/* The longest that a text of this size becomes, with its blank. */
static inline size_t ear_task_event_room(size_t text_size)
{
	return 4 * text_size + 3;
}

#define EAR_TASK_EVENT_BEGIN_MAX 96 /* bytes that ear_task_event_begin writes at most */

/* As ear_task_event_read; false also if the texts are not those that the kind has. */
bool ear_task_event_parse(struct ear_task_event *event, const struct ear_record *record);

/* Is this event asked for by name: has it this name, or is it of this kind ("switch")? */
bool ear_task_event_is(const struct ear_record *record, struct ear_text name);

#endif
