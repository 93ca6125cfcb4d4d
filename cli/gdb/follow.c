#include "cli/gdb/follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <earshot/error.h>

#include "cli/gdb/console.h"
#include "cli/gdb/replay_step.h"

/* Between two looks, at least; and so many times what the last one took, since it reads what has
 * come and adds it to the index. */
#define PAUSE_MS    10
#define PAUSE_SHARE 2

static bool is_live(const struct ear_gdb_session *session)
{
	return session->options->live && !session->over;
}

static void hold(struct ear_gdb_session *session, bool held)
{
	const struct ear_gdb_live *live = session->options->live;

	if (is_live(session) && session->held != held)
		live->hold(live->context, held);
	session->held = held;
}

/* The oldest records are gone, and places count from those that are left. */
static void forget(struct ear_gdb_session *session, struct ear_trace *former, uint64_t dropped)
{
	size_t kept = 0;

	const bool found = ear_trace_seek(former, dropped, NULL) >= 0;
	const uint64_t number = ear_trace_number(former);

	for (size_t i = 0; i < session->bookmark_count; i++) {
		struct ear_gdb_bookmark *bookmark = &session->bookmarks[i];
		if (bookmark->position < dropped || !found)
			continue;
		bookmark->position -= dropped;
		bookmark->number -= number;
		session->bookmarks[kept++] = *bookmark;
	}
	session->forgotten_bookmarks += session->bookmark_count - kept;
	session->bookmark_count = kept;
	session->forgotten += dropped;
}

static void say_forgotten(struct ear_gdb_session *session)
{
	char text[200];

	if (session->forgotten == 0)
		return;
	snprintf(text, sizeof(text),
		"earshot: the oldest %" PRIu64 " records have left the ring: records are counted "
		"from the first that is left\n",
		session->forgotten);
	ear_gdb_console(session, text);
	if (session->forgotten_bookmarks > 0) {
		snprintf(text, sizeof(text), "earshot: with %zu of the marks\n",
			session->forgotten_bookmarks);
		ear_gdb_console(session, text);
	}
	if (session->unseen > 0) {
		snprintf(text, sizeof(text),
			"earshot: %" PRIu64 " of them came after the place where this began, and "
			"were not looked through\n",
			session->unseen);
		ear_gdb_console(session, text);
	}
	session->forgotten = session->unseen = session->forgotten_bookmarks = 0;
}

/* The last part has come. */
static void say_over(struct ear_gdb_session *session, const char *text)
{
	session->over = true;
	if (!text[0])
		return;
	ear_gdb_console(session, "earshot: the run is over: ");
	ear_gdb_console(session, text);
	ear_gdb_console(session, "\n");
}

/* to_end: let the newest record be the present, if there is more. Returns 1: there are more
 * records, or fewer; 0: all is as it was; or an error. */
static int look(struct ear_gdb_session *session, bool to_end)
{
	const struct ear_gdb_live *live = session->options->live;
	struct ear_trace *trace = NULL, *former = session->replay.trace;
	char text[EAR_GDB_TEXT_MAX] = "";
	uint64_t dropped = 0;
	bool over = false;

	int result = live->look(live->context, &trace, &dropped, &over, text);
	if (result == 0 && trace) {
		const uint64_t present = session->replay.present;
		result = ear_gdb_replay_change(&session->replay, trace, dropped, to_end);
		if (result) {
			ear_trace_close(trace);
			return result;
		}
		live->keep(live->context);
		if (dropped > 0)
			forget(session, former, dropped);
		ear_gdb_frames_fini(&session->frames);
		session->unseen += dropped > present ? dropped - present : 0;
		ear_trace_close(former);
		result = 1;
	}
	if (result >= 0 && over)
		say_over(session, text);
	return result;
}

int ear_gdb_catch_up(struct ear_gdb_session *session)
{
	int result = is_live(session) ? look(session, false) : 0;

	say_forgotten(session);
	return result < 0 ? result : 0;
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Let the run go on until there is more. Returns 1; 0: there will not be; EAR_E_CANCELLED: the
 * client interrupted it; or an error. */
static int await_more(struct ear_gdb_session *session)
{
	static const struct timespec pause = {0, PAUSE_MS * 1000000L};
	int result = 0;

	hold(session, false);
	while (result == 0 && is_live(session)) {
		int64_t begin = now_ms(), took;
		result = look(session, false);
		took = now_ms() - begin;
		for (int64_t slept = 0; result == 0 && slept <= PAUSE_SHARE * took;
			slept += PAUSE_MS) {
			if (ear_gdb_link_poll(&session->link, true))
				return EAR_E_CANCELLED;
			nanosleep(&pause, NULL);
		}
	}
	return result;
}

static struct ear_gdb_stop stop_because(struct ear_gdb_session *session, enum ear_gdb_reason reason)
{
	return (struct ear_gdb_stop){.reason = reason, .hart = ear_gdb_hart(&session->replay)};
}

/* Where the waiting has ended without more. */
static struct ear_gdb_stop end_waiting(struct ear_gdb_session *session, int result)
{
	struct ear_gdb_replay *replay = &session->replay;

	hold(session, true);
	if (result == EAR_E_CANCELLED) {
		/* The newest record is the present. That is not to be interrupted again. */
		session->link.interrupted = false;
		result = is_live(session) ? look(session, true) : 0;
		if (result == 0)
			result = ear_gdb_goto(replay, UINT64_MAX);
		result = result > 0 ? 0 : result;
		if (result == 0)
			return stop_because(session, EAR_GDB_STOPPED);
	}
	return stop_because(session, EAR_GDB_FAILED);
}

struct ear_gdb_stop ear_gdb_follow(struct ear_gdb_session *session)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_gdb_stop stop;

	for (;;) {
		stop = ear_gdb_continue(replay, EAR_FORWARD);
		/* Among records that have just come, the newest one is the present. */
		int result =
			stop.reason == EAR_GDB_STOPPED && replay->arrived ? EAR_E_CANCELLED : 0;
		if (result == 0 && (stop.reason != EAR_GDB_END || !is_live(session)))
			break;
		replay->arrived = true;
		if (result == 0)
			result = await_more(session);
		if (result < 0) {
			stop = end_waiting(session, result);
			break;
		}
	}
	replay->arrived = false;
	hold(session, true);
	say_forgotten(session);
	return stop;
}

struct ear_gdb_stop ear_gdb_follow_step(
	struct ear_gdb_session *session, uint16_t hart, uint64_t first, uint64_t last)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_gdb_stop stop;

	for (;;) {
		const uint64_t origin = replay->present;
		stop = ear_gdb_step(replay, hart, EAR_FORWARD, first, last);
		if (stop.reason != EAR_GDB_END || !is_live(session))
			break;
		/* The whole step again, when there is more: it may be in the middle of a handler.
		 */
		int result = ear_gdb_goto(replay, origin);
		if (result == 0)
			result = await_more(session);
		if (result < 0) {
			stop = end_waiting(session, result);
			break;
		}
	}
	hold(session, true);
	say_forgotten(session);
	return stop;
}
