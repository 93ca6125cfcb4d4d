/* Names for moments. They are kept beside the trace (earshot/marks.h). Where that cannot be, as of
 * a run that continues, whose records are counted anew again and again, the session keeps them.
 */
#include "cli/gdb/monitor_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/marks.h>
#include <earshot/moment_text.h>

/* ---- Of the session. ---- */

static struct ear_gdb_bookmark *find_bookmark(struct ear_gdb_session *session, const char *name)
{
	for (size_t i = 0; i < session->bookmark_count; i++)
		if (strcmp(session->bookmarks[i].name, name) == 0)
			return &session->bookmarks[i];
	return NULL;
}

static void keep_bookmark(struct ear_gdb_monitor *monitor, const char *name)
{
	struct ear_gdb_session *session = monitor->session;
	struct ear_gdb_bookmark *bookmark = find_bookmark(session, name);

	if (!bookmark && session->bookmark_count == EAR_GDB_BOOKMARKS_MAX) {
		fputs("there are too many bookmarks\n", monitor->out);
		return;
	}
	if (!bookmark)
		bookmark = &session->bookmarks[session->bookmark_count++];
	snprintf(bookmark->name, sizeof(bookmark->name), "%s", name);
	bookmark->position = monitor->replay->present;
	bookmark->number = ear_gdb_number(monitor->replay);
	fprintf(monitor->out, "%s is #%" PRIu64 ", in this session only\n", name, bookmark->number);
}

static bool drop_bookmark(struct ear_gdb_session *session, const char *name)
{
	struct ear_gdb_bookmark *bookmark = find_bookmark(session, name);

	if (bookmark)
		*bookmark = session->bookmarks[--session->bookmark_count];
	return bookmark;
}

/* ---- The commands. ---- */

/* The number first: the trace's place of reading changes. */
void ear_gdb_do_mark(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;
	const uint64_t number = ear_gdb_number(monitor->replay);
	int result = EAR_E_UNSUPPORTED;

	if (!ear_mark_name_check(text)) {
		fprintf(monitor->out,
			"a mark needs a name: letters, digits, '_', '-' and '.', at most %d, and no "
			"number in front, nor after a '-' at the end\n",
			EAR_MARK_NAME_SIZE - 1);
		return;
	}
	if (!session->options->live) {
		result = ear_trace_mark(
			monitor->trace, text, monitor->replay->present, &monitor->replay->progress);
		if (result)
			ear_gdb_print_error(monitor);
	}
	if (result) {
		keep_bookmark(monitor, text);
		return;
	}
	(void)drop_bookmark(session, text);
	fprintf(monitor->out, "%s is #%" PRIu64 "\n", text, number);
}

/* Those beside the trace. Returns how many. */
static int64_t print_kept(struct ear_gdb_monitor *monitor)
{
	struct ear_mark *marks = calloc(EAR_MARKS_MAX, sizeof(*marks));
	int64_t count = EAR_E_NO_MEMORY;

	if (marks)
		count = ear_trace_marks(monitor->trace, marks, sizeof(*marks), EAR_MARKS_MAX,
			&monitor->replay->progress);
	if (count < 0)
		ear_gdb_print_error(monitor);
	if (count > 0 && marks[0].stale)
		fputs("the trace has changed since: these are of another one\n", monitor->out);
	for (int64_t i = 0; i < count; i++)
		fprintf(monitor->out, "#%-12" PRIu64 " %s\n", marks[i].number, marks[i].name);
	free(marks);
	return count;
}

void ear_gdb_do_marks(struct ear_gdb_monitor *monitor, const char *text)
{
	const struct ear_gdb_session *session = monitor->session;
	int64_t count = session->options->live ? 0 : print_kept(monitor);

	(void)text;
	for (size_t i = 0; i < session->bookmark_count; i++)
		fprintf(monitor->out, "#%-12" PRIu64 " %s (this session)\n",
			session->bookmarks[i].number, session->bookmarks[i].name);
	if (count == 0 && session->bookmark_count == 0)
		fputs("there are no marks\n", monitor->out);
}

void ear_gdb_do_unmark(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;

	if (drop_bookmark(session, text))
		return;
	if (!ear_mark_name_check(text) || session->options->live)
		fputs("there is no such mark\n", monitor->out);
	else if (ear_trace_unmark(monitor->trace, text, &monitor->replay->progress) != 1)
		ear_gdb_print_error(monitor);
}

int ear_gdb_find_mark(struct ear_gdb_monitor *monitor, const char *name, uint64_t *position)
{
	const struct ear_gdb_bookmark *bookmark = find_bookmark(monitor->session, name);
	struct ear_moment_place place = {.size = sizeof(place)};
	char text[EAR_MARK_NAME_SIZE + 8];

	if (bookmark) {
		*position = bookmark->position;
		return 1;
	}
	if (monitor->session->options->live || !ear_mark_name_check(name))
		return 0;
	snprintf(text, sizeof(text), "mark=%s", name);
	int result = ear_trace_find_moment(
		monitor->trace, text, NULL, UINT64_MAX, &place, &monitor->replay->progress);
	*position = place.before;
	/* Where the marks cannot be read, other names still can be gone to. */
	return result == 1 || result == EAR_E_BAD_ARGUMENT ? result : 0;
}
