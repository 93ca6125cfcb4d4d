/* The packets of a session. Each gets a reply, an empty one if it is not known (GDB manual,
 * "Overview" of the remote protocol). What would change the past is refused with a sentence, or
 * begins a diversion.
 */
#include "cli/gdb/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/gdb/console.h"
#include "cli/gdb/divert.h"
#include "cli/gdb/follow.h"
#include "cli/gdb/harts.h"
#include "cli/gdb/monitor.h"
#include "cli/gdb/remote_file.h"
#include "cli/gdb/replay_step.h"
#include "cli/gdb/target.h"
#include "common/own_file.h"

/* ---- Small things. ---- */

static struct ear_gdb_reply *reply_of(struct ear_gdb_session *session)
{
	return &session->link.reply;
}

static bool interrupted(void *context)
{
	struct ear_gdb_session *session = context;
	bool stop = ear_gdb_link_poll(&session->link, !session->running);

	/* A question is answered, however long it takes; unless nobody waits any more. */
	return session->running ? stop : session->link.closed;
}

/* An attempt to write that is not possible. */
static void refuse(struct ear_gdb_session *session, const char *what)
{
	const struct ear_gdb_options *options = session->options;

	session->refused++;
	snprintf(session->refusal, sizeof(session->refusal), "%s", what);
	if (options->say)
		options->say(options->context, session->refusal);
	ear_gdb_reply_print(reply_of(session), "E.%s", session->refusal);
}

/* ---- Threads. ---- */

/* The thread of registers. */
static struct ear_gdb_thread selected(struct ear_gdb_session *session)
{
	struct ear_gdb_thread thread;

	if (session->task == 0 || !ear_gdb_find_task(session, session->task, &thread))
		thread = (struct ear_gdb_thread){
			.hart = session->hart, .runs = true, .position = session->replay.present};
	return thread;
}

/* "1", "-1" and "0" (any). Returns 1 and *thread; 0: there is none; -1: the text is not a number.
 */
static int take_thread(
	struct ear_gdb_session *session, const char *text, struct ear_gdb_thread *thread)
{
	uint64_t number;

	if (strcmp(text, "-1") == 0 || strcmp(text, "0") == 0) {
		*thread = selected(session);
		return 1;
	}
	if (!ear_gdb_take_hex(&text, &number) || *text || number == 0)
		return -1;
	return ear_gdb_find_thread(session, number, thread);
}

/* ---- Why it stopped. ---- */

static void add_register(struct ear_gdb_session *session, unsigned number)
{
	uint64_t value;

	if (!ear_gdb_register(&session->replay, session->hart, number, &value))
		return;
	ear_gdb_reply_print(reply_of(session), "%x:", number);
	ear_gdb_reply_number(reply_of(session), value, session->xlen / 8);
	ear_gdb_reply_text(reply_of(session), ";");
}

static unsigned signal_of(struct ear_gdb_session *session)
{
	const struct ear_gdb_stop *stop = &session->stop;
	const struct ear_record *record;

	if (stop->reason == EAR_GDB_STOPPED)
		return 2;
	if (stop->reason == EAR_GDB_CAUGHT)
		return ear_gdb_signal(stop->cause, stop->is_interrupt);
	/* A run that ends in a trap. */
	if (stop->reason == EAR_GDB_END && session->replay.present > 0) {
		record = ear_history_record(session->replay.history, session->replay.present - 1);
		if (record && record->kind == EAR_RECORD_INSTRUCTION &&
			record->flags & EAR_RECORD_TRAP)
			return ear_gdb_signal(record->cause, false);
	}
	return 5;
}

static void add_reason(struct ear_gdb_session *session)
{
	const struct ear_gdb_stop *stop = &session->stop;
	struct ear_gdb_reply *reply = reply_of(session);
	static const char *const watches[] = {
		[EAR_GDB_WRITE] = "watch", [EAR_GDB_READ] = "rwatch", [EAR_GDB_ACCESS] = "awatch"};

	switch (stop->reason) {
	case EAR_GDB_BREAK: ear_gdb_reply_text(reply, "swbreak:;"); break;
	case EAR_GDB_WATCH:
		ear_gdb_reply_print(reply, "%s:%" PRIx64 ";", watches[stop->watch], stop->address);
		break;
	case EAR_GDB_BEGIN: ear_gdb_reply_text(reply, "replaylog:begin;"); break;
	case EAR_GDB_END: ear_gdb_reply_text(reply, "replaylog:end;"); break;
	default: break;
	}
}

/* The reply to what moved the present, and to "?". */
static void reply_stop(struct ear_gdb_session *session, bool with_reason)
{
	static const unsigned expedited[] = {EAR_GDB_PC, 2, 8, 1};
	struct ear_gdb_reply *reply = reply_of(session);

	session->hart = session->stop.hart;
	session->task = 0;
	ear_gdb_note_harts(session);
	ear_gdb_reply_begin(reply);
	ear_gdb_reply_print(reply, "T%02xthread:%x;", signal_of(session), session->stop.hart + 1u);
	if (with_reason)
		add_reason(session);
	for (size_t i = 0; i < sizeof(expedited) / sizeof(expedited[0]); i++)
		add_register(session, expedited[i]);
}

static void say_stop(struct ear_gdb_session *session)
{
	const struct ear_gdb_stop *stop = &session->stop;
	char text[EAR_GDB_TEXT_MAX + 160];

	if (stop->reason == EAR_GDB_FAILED)
		snprintf(text, sizeof(text), "earshot: the trace cannot be read: %s\n",
			ear_trace_error(session->replay.trace));
	else if (stop->reason == EAR_GDB_CAUGHT)
		snprintf(text, sizeof(text), "earshot: %s, cause 0x%" PRIx64 ", comes next\n",
			stop->is_interrupt ? "an interrupt" : "an exception", stop->cause);
	else if (stop->text[0])
		snprintf(text, sizeof(text), "earshot: %s\n", stop->text);
	else
		return;
	ear_gdb_console(session, text);
}

/* ---- Moving. ---- */

/* The present stays where it is if the client wants that before it has moved. */
static bool is_stopped(struct ear_gdb_session *session, uint16_t hart)
{
	if (!ear_gdb_link_was_interrupted(&session->link))
		return false;
	session->stop = (struct ear_gdb_stop){.reason = EAR_GDB_STOPPED, .hart = hart};
	return true;
}

static void end_move(struct ear_gdb_session *session)
{
	session->running = false;
	if (session->stop.reason == EAR_GDB_STOPPED)
		session->link.interrupted = false; /* it has been heard */
	say_stop(session);
	reply_stop(session, true);
}

static void run(struct ear_gdb_session *session, enum ear_direction direction)
{
	session->running = true;
	if (session->replay.diversion)
		session->stop = direction == EAR_FORWARD ? ear_gdb_divert_continue(session)
							 : ear_gdb_divert_return(session);
	else if (!is_stopped(session, session->hart))
		session->stop = direction == EAR_FORWARD
					? ear_gdb_follow(session)
					: ear_gdb_continue(&session->replay, direction);
	end_move(session);
}

static void step(struct ear_gdb_session *session, uint16_t hart, enum ear_direction direction,
	uint64_t first, uint64_t last)
{
	session->running = true;
	if (session->replay.diversion)
		session->stop = direction == EAR_FORWARD
					? ear_gdb_divert_step(session, hart, first, last)
					: ear_gdb_divert_return(session);
	else if (!is_stopped(session, hart))
		session->stop =
			direction == EAR_FORWARD
				? ear_gdb_follow_step(session, hart, first, last)
				: ear_gdb_step(&session->replay, hart, direction, first, last);
	end_move(session);
}

/* One action of vCont: "s", "r80000000,80000010", "c", and ":1" for a hart. */
struct action {
	char kind;
	bool for_one;
	uint64_t thread;
	uint64_t first, end;
};

static bool take_action(const char **at, struct action *action)
{
	uint64_t ignored, number;

	*action = (struct action){.kind = *(*at)++};
	switch (action->kind) {
	case 'C':
	case 'S':
		action->kind = action->kind == 'C' ? 'c' : 's';
		if (!ear_gdb_take_hex(at, &ignored))
			return false;
		break;
	case 'r':
		if (!ear_gdb_take_hex(at, &action->first) || *(*at)++ != ',' ||
			!ear_gdb_take_hex(at, &action->end))
			return false;
		break;
	case 'c':
	case 's': break;
	default: return false;
	}
	if (**at != ':')
		return true;
	++*at;
	if (strncmp(*at, "-1", 2) == 0) {
		*at += 2;
		return true;
	}
	if (!ear_gdb_take_hex(at, &number) || number == 0)
		return false;
	action->for_one = true;
	action->thread = number;
	return true;
}

/* ";s:1;c": the first action that is a step decides; time is one for all harts. A step of a task is
 * one of the hart that it ran on. */
static void continue_by_actions(struct ear_gdb_session *session, const char *at)
{
	struct ear_gdb_thread thread;
	struct action action;
	bool moves = false;

	while (*at == ';') {
		at++;
		if (!take_action(&at, &action)) {
			ear_gdb_reply_text(reply_of(session), "E22");
			return;
		}
		moves = true;
		if (action.kind == 'c')
			continue;
		thread = selected(session);
		if (action.for_one && !ear_gdb_find_thread(session, action.thread, &thread)) {
			ear_gdb_reply_text(reply_of(session), "E01");
			return;
		}
		step(session, thread.hart, EAR_FORWARD, action.kind == 'r' ? action.first : 1,
			action.kind == 'r' && action.end > 0 ? action.end - 1 : 0);
		return;
	}
	if (moves && !*at)
		run(session, EAR_FORWARD);
	else
		ear_gdb_reply_text(reply_of(session), "E22");
}

/* GDB says "any" and means the hart that it looks at. */
static uint16_t hart_of_step(const struct ear_gdb_session *session)
{
	return session->steps_any ? session->hart : session->step_hart;
}

static void go_back(struct ear_gdb_session *session, const char *packet)
{
	if (strcmp(packet, "s") == 0)
		step(session, hart_of_step(session), EAR_BACKWARD, 1, 0);
	else if (strcmp(packet, "c") == 0)
		run(session, EAR_BACKWARD);
}

/* ---- State. ---- */

static void reply_register(struct ear_gdb_session *session, unsigned number)
{
	unsigned size = ear_gdb_register_size(number, session->xlen);
	const struct ear_gdb_thread thread = selected(session);
	uint64_t value;

	if (ear_gdb_thread_register(session, &thread, number, &value))
		ear_gdb_reply_number(reply_of(session), value, size);
	else
		for (unsigned i = 0; i < 2 * size; i++)
			ear_gdb_reply_text(reply_of(session), "x");
}

static void read_register(struct ear_gdb_session *session, const char *packet)
{
	uint64_t number;

	if (!ear_gdb_take_hex(&packet, &number) || *packet || number >= EAR_GDB_COUNT)
		ear_gdb_reply_text(reply_of(session), "E22");
	else
		reply_register(session, (unsigned)number);
}

static void read_registers(struct ear_gdb_session *session)
{
	for (unsigned i = 0; i < EAR_GDB_CSR0; i++)
		reply_register(session, i);
}

static void write_state(struct ear_gdb_session *session)
{
	const struct ear_gdb_parser *parser = &session->link.parser;
	const char *wrong = ear_gdb_divert_write(session, parser->data, parser->size);

	if (wrong)
		refuse(session, wrong);
	else
		ear_gdb_reply_text(reply_of(session), "OK");
}

static void read_memory(struct ear_gdb_session *session, const char *packet)
{
	uint8_t bytes[4096];
	uint64_t address, size;

	if (!ear_gdb_take_hex(&packet, &address) || *packet++ != ',' ||
		!ear_gdb_take_hex(&packet, &size) || *packet) {
		ear_gdb_reply_text(reply_of(session), "E22");
		return;
	}
	size = size < sizeof(bytes) ? size : sizeof(bytes);
	int64_t known =
		size == 0 ? 0 : ear_gdb_memory(&session->replay, address, bytes, (size_t)size);
	if (known > 0)
		ear_gdb_reply_hex(reply_of(session), bytes, (size_t)known);
	else if (size > 0)
		ear_gdb_reply_text(reply_of(session), "E01");
}

/* ---- Questions. ---- */

/* A part of a text, "offset,size". */
static void reply_part(
	struct ear_gdb_session *session, const char *range, const char *text, size_t size)
{
	struct ear_gdb_reply *reply = reply_of(session);
	uint64_t offset, wanted;

	if (!ear_gdb_take_hex(&range, &offset) || *range++ != ',' ||
		!ear_gdb_take_hex(&range, &wanted) || *range) {
		ear_gdb_reply_text(reply, "E22");
		return;
	}
	if (offset >= size) {
		ear_gdb_reply_text(reply, "l");
		return;
	}
	size_t left = size - (size_t)offset;
	size_t part = wanted < left ? (size_t)wanted : left;
	part = part < EAR_GDB_PACKET_MAX / 2 ? part : EAR_GDB_PACKET_MAX / 2;
	ear_gdb_reply_text(reply, part < left ? "m" : "l");
	(void)ear_gdb_reply_binary(reply, text + offset, part);
}

static void reply_transfer(struct ear_gdb_session *session, const char *packet)
{
	static const char target[] = "features:read:target.xml:", program[] = "exec-file:read:";
	const struct ear_gdb_options *options = session->options;

	if (strncmp(packet, target, sizeof(target) - 1) == 0) {
		reply_part(session, packet + sizeof(target) - 1, session->target,
			session->target_size);
	} else if (strncmp(packet, program, sizeof(program) - 1) == 0) {
		const char *range = strchr(packet + sizeof(program) - 1, ':');
		if (range && options->program)
			reply_part(session, range + 1, options->program, strlen(options->program));
		else
			ear_gdb_reply_text(reply_of(session), "E01");
	} else {
		ear_gdb_reply_text(reply_of(session), "E00");
	}
}

static void reply_threads(struct ear_gdb_session *session)
{
	struct ear_gdb_reply *reply = reply_of(session);
	struct ear_gdb_thread thread;
	const char *before = "m";

	ear_gdb_note_harts(session);
	(void)ear_gdb_read_tasks(session, false);
	for (size_t i = 0; i < session->hart_count; i++) {
		if (!ear_gdb_find_thread(session, session->harts[i] + 1u, &thread))
			continue;
		ear_gdb_reply_print(reply, "%s%x", before, session->harts[i] + 1u);
		before = ",";
	}
	for (uint32_t i = 1; i <= ear_gdb_task_count(session); i++)
		if (ear_gdb_find_task(session, i, &thread))
			ear_gdb_reply_print(reply, ",%x", EAR_GDB_TASK_1 + i - 1);
}

static void reply_extra(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_thread thread;
	char text[256];

	if (take_thread(session, packet, &thread) != 1) {
		ear_gdb_reply_text(reply_of(session), "E22");
		return;
	}
	ear_gdb_thread_text(session, &thread, text, sizeof(text));
	ear_gdb_reply_hex(reply_of(session), text, strlen(text));
}

/* ---- Frames, for earshot-gdb.py. ---- */

#define FRAMES_MAX 64u /* that are sent */

/* "THREAD": the frames of a thread, from the newest one to the last one whose caller is known, and
 * that caller: "KIND,PC,SP;...", without what is not known; KIND is how the frame began. */
static void reply_stack(struct ear_gdb_session *session, const struct ear_gdb_thread *thread)
{
	static const char *const kinds[] = {"base", "call", "trap", "interrupt"};
	struct ear_gdb_reply *reply = reply_of(session);
	const struct ear_gdb_frames *frames = &session->frames;
	uint64_t pc, sp;
	bool pc_known = ear_gdb_thread_register(session, thread, EAR_GDB_PC, &pc);
	bool sp_known = ear_gdb_thread_register(session, thread, 2, &sp);

	for (size_t i = 0; i < frames->count && i < FRAMES_MAX; i++) {
		const struct ear_call_frame *frame = &frames->frames[i];
		ear_gdb_reply_print(reply, "%s%s,", i > 0 ? ";" : "", kinds[frame->kind % 4u]);
		if (pc_known)
			ear_gdb_reply_print(reply, "%" PRIx64, pc);
		ear_gdb_reply_text(reply, ",");
		if (sp_known)
			ear_gdb_reply_print(reply, "%" PRIx64, sp);
		pc = frame->return_pc;
		sp = frame->sp;
		pc_known = true;
		sp_known = frame->sp_known;
	}
}

/* "THREAD,NUMBER": what the caller of a frame held, by the numbers of target.h:
 * "SP,ENTRY;20:PC;1:VALUE;..." after where the frame began. */
static void reply_caller(struct ear_gdb_session *session, size_t number)
{
	struct ear_gdb_reply *reply = reply_of(session);
	const struct ear_call_frame *frame = &session->frames.frames[number];
	const struct ear_gdb_caller *caller;

	if (ear_gdb_frames_caller(&session->frames, &session->replay, number, &caller)) {
		ear_gdb_reply_text(reply, "E01");
		return;
	}
	ear_gdb_reply_print(reply, "%" PRIx64 ",%" PRIx64 ";%x:%" PRIx64,
		frame->sp_known ? frame->sp : 0, frame->entry, EAR_GDB_PC, frame->return_pc);
	for (unsigned i = 1; i < EAR_GDB_CSR0; i++)
		if (caller->known[i])
			ear_gdb_reply_print(reply, ";%x:%" PRIx64, i, caller->values[i]);
}

static void reply_frames(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_frames *frames = &session->frames;
	const bool one = strncmp(packet, "Caller:", 7) == 0;
	struct ear_gdb_thread found;
	uint64_t thread, number = 0;

	packet += one ? 7 : 6;
	if (!ear_gdb_take_hex(&packet, &thread) || thread == 0 || thread > UINT32_MAX ||
		(one && (*packet++ != ',' || !ear_gdb_take_hex(&packet, &number))) || *packet)
		ear_gdb_reply_text(reply_of(session), "E22");
	else if (session->replay.diversion || !ear_gdb_find_thread(session, thread, &found) ||
		 ear_gdb_frames_read(frames, &session->replay, found.hart, found.position) ||
		 (one && number >= frames->count - 1))
		ear_gdb_reply_text(reply_of(session), "E01");
	else if (one)
		reply_caller(session, (size_t)number);
	else
		reply_stack(session, &found);
}

/* ---- More questions. ---- */

static void take_command(struct ear_gdb_session *session, const char *packet)
{
	char command[1024];
	int size = ear_gdb_take_bytes(packet, (uint8_t *)command, sizeof(command) - 1);

	if (size < 0) {
		ear_gdb_reply_text(reply_of(session), "E22");
		return;
	}
	command[size] = '\0';
	(void)ear_gdb_catch_up(session); /* an error is reported by the command */
	ear_gdb_monitor(session, command);
	ear_gdb_reply_begin(reply_of(session));
	ear_gdb_reply_text(reply_of(session), "OK");
}

static void answer_question(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_reply *reply = reply_of(session);

	if (strncmp(packet, "Supported", 9) == 0)
		ear_gdb_reply_print(reply,
			"PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;%svContSupported+;"
			"ReverseStep+;ReverseContinue+;ConditionalBreakpoints+;swbreak+;hwbreak+",
			EAR_GDB_PACKET_MAX,
			session->options->program ? "qXfer:exec-file:read+;" : "");
	else if (strncmp(packet, "Xfer:", 5) == 0)
		reply_transfer(session, packet + 5);
	else if (strcmp(packet, "fThreadInfo") == 0)
		reply_threads(session);
	else if (strcmp(packet, "sThreadInfo") == 0)
		ear_gdb_reply_text(reply, "l");
	else if (strncmp(packet, "ThreadExtraInfo,", 16) == 0)
		reply_extra(session, packet + 16);
	else if (strcmp(packet, "C") == 0)
		ear_gdb_reply_print(reply, "QC%x", session->hart + 1u);
	else if (strncmp(packet, "Attached", 8) == 0)
		ear_gdb_reply_text(reply, "1");
	else if (strncmp(packet, "Rcmd,", 5) == 0)
		take_command(session, packet + 5);
	else if (strncmp(packet, "Earshot.Stack:", 14) == 0 ||
		 strncmp(packet, "Earshot.Caller:", 15) == 0)
		reply_frames(session, packet + 8);
	else if (strcmp(packet, "Offsets") == 0 && session->options->program_offset)
		ear_gdb_reply_print(reply, "Text=%" PRIx64 ";Data=%" PRIx64 ";Bss=%" PRIx64,
			session->options->program_offset, session->options->program_offset,
			session->options->program_offset);
	else if (strcmp(packet, "Symbol::") == 0)
		ear_gdb_reply_text(reply, "OK");
}

/* ---- All packets. ---- */

static void select_thread(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_thread thread;
	int found = -1;

	if (packet[0] == 'g' || packet[0] == 'c')
		found = take_thread(session, packet + 1, &thread);
	if (found != 1) {
		ear_gdb_reply_text(reply_of(session), found ? "E22" : "E01");
		return;
	}
	if (packet[0] == 'g') {
		session->hart = thread.hart;
		session->task = thread.task;
	} else {
		session->step_hart = thread.hart;
		session->steps_any = packet[1] == '0' || packet[1] == '-';
	}
	ear_gdb_reply_text(reply_of(session), "OK");
}

static void change_points(struct ear_gdb_session *session, const char *packet, bool insert)
{
	struct ear_gdb_points *points = &session->replay.points;
	int result = insert ? ear_gdb_points_insert(points, packet)
			    : ear_gdb_points_remove(points, packet);

	ear_gdb_reply_text(reply_of(session), result == 0    ? "OK"
					      : result == -1 ? "E22"
							     : "E.there are too many breakpoints");
}

static void answer_v(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_reply *reply = reply_of(session);

	if (strcmp(packet, "Cont?") == 0) {
		ear_gdb_reply_text(reply, "vCont;c;C;s;S;r");
	} else if (strncmp(packet, "Cont;", 5) == 0) {
		continue_by_actions(session, packet + 4);
	} else if (strncmp(packet, "File:", 5) == 0) {
		ear_gdb_file(session, packet + 5);
	} else if (strncmp(packet, "Kill", 4) == 0) {
		ear_gdb_reply_text(reply, "OK");
		session->done = true;
	}
}

static void answer(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_reply *reply = reply_of(session);
	struct ear_gdb_thread thread;

	switch (packet[0]) {
	case '?': reply_stop(session, false); break;
	case 'g': read_registers(session); break;
	case 'p': read_register(session, packet + 1); break;
	case 'm': read_memory(session, packet + 1); break;
	case 'G':
	case 'P':
	case 'M':
	case 'X': write_state(session); break;
	case 'c':
	case 'C': run(session, EAR_FORWARD); break;
	case 's':
	case 'S': step(session, hart_of_step(session), EAR_FORWARD, 1, 0); break;
	case 'b': go_back(session, packet + 1); break;
	case 'Z': change_points(session, packet + 1, true); break;
	case 'z': change_points(session, packet + 1, false); break;
	case 'H': select_thread(session, packet + 1); break;
	case 'T':
		ear_gdb_reply_text(
			reply, take_thread(session, packet + 1, &thread) == 1 ? "OK" : "E01");
		break;
	case 'q': answer_question(session, packet + 1); break;
	case 'Q':
		if (strcmp(packet, "QStartNoAckMode") == 0)
			ear_gdb_reply_text(reply, "OK");
		break;
	case 'v': answer_v(session, packet + 1); break;
	case 'D':
		ear_gdb_reply_text(reply, "OK");
		session->done = true;
		break;
	case 'k': session->done = true; break;
	default: break;
	}
}

static void serve(struct ear_gdb_session *session)
{
	struct ear_gdb_link *link = &session->link;

	while (!session->done && ear_gdb_link_next(link)) {
		const char *packet = link->parser.data;
		bool no_ack = strcmp(packet, "QStartNoAckMode") == 0;
		bool is_kill = packet[0] == 'k';
		ear_gdb_reply_begin(reply_of(session));
		answer(session, packet);
		if (!is_kill)
			ear_gdb_link_send(link);
		link->no_ack = link->no_ack || no_ack;
	}
}

/* ---- The beginning. ---- */

/* Did a flight recorder stop at its event? 1 or 0; -1: the trace does not say why it ended. */
static int ended_by_event(struct ear_gdb_session *session)
{
	char reason[64];

	if (ear_trace_fact(session->replay.trace, "end_reason", reason, sizeof(reason)) < 0)
		return -1;
	return strcmp(reason, "event") == 0 || strcmp(reason, "stop trigger") == 0;
}

/* Does the trace end with something that is to be looked at? Returns 1, 0 or an error. */
static int ends_badly(struct ear_gdb_session *session)
{
	struct ear_gdb_replay *replay = &session->replay;
	int result = ear_gdb_goto(replay, UINT64_MAX);

	if (result)
		return result;
	int event = ended_by_event(session);
	for (uint64_t at = replay->present; at > 0 && event != 1; at--) {
		const struct ear_record *record = ear_history_record(replay->history, at - 1);
		if (!record)
			break;
		if (record->kind == EAR_RECORD_EVENT && event < 0)
			return 1;
		if (record->kind == EAR_RECORD_INSTRUCTION)
			return record->flags & EAR_RECORD_TRAP ? 1 : 0;
	}
	return event == 1;
}

static int find_beginning(struct ear_gdb_session *session)
{
	uint64_t position = session->options->live ? UINT64_MAX : session->options->position;
	bool is_end = position == UINT64_MAX;

	if (position == EAR_GDB_AS_THE_TRACE_SAYS) {
		int result = ends_badly(session);
		if (result < 0)
			return result;
		is_end = result;
		position = result ? UINT64_MAX : 0;
	}
	int result = ear_gdb_goto(&session->replay, position);
	session->stop.reason = is_end && !session->options->live ? EAR_GDB_END : EAR_GDB_STEPPED;
	session->stop.hart = ear_gdb_hart(&session->replay);
	session->hart = session->stop.hart;
	session->steps_any = true;
	return result;
}

static unsigned find_xlen(struct ear_gdb_session *session)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	const struct ear_record *record = ear_gdb_record(&session->replay);

	if (record && record->kind == EAR_RECORD_INSTRUCTION)
		return record->xlen;
	return ear_trace_facts(session->replay.trace, &facts) == 0 && facts.xlen ? facts.xlen : 64;
}

static int begin(struct ear_gdb_session *session)
{
	const struct ear_gdb_options *options = session->options;
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	int result = ear_trace_facts(options->trace, &facts);

	if (result)
		return result;
	result = ear_gdb_replay_init(&session->replay, options->trace,
		strcmp(facts.format, "shot") == 0, interrupted, session);
	if (result)
		return result;
	session->xlen = find_xlen(session);
	result = find_beginning(session);
	if (result == 0)
		result = ear_instructions_new(&session->instructions, NULL, NULL);
	if (result)
		return result;
	session->target = ear_gdb_target_xml(session->xlen, &session->target_size);
	return session->target ? 0 : EAR_E_NO_MEMORY;
}

int ear_gdb_serve(const struct ear_gdb_options *options)
{
	struct ear_gdb_session *session = calloc(1, sizeof(*session));

	if (!session)
		return EAR_E_NO_MEMORY;
	session->options = options;
	session->link.in = options->in;
	session->link.out = options->out;
	session->file = -1;
	session->held = true;
	int result = begin(session);
	if (result == 0)
		serve(session);
	/* It left while the trace was opened. */
	if (session->link.closed)
		result = 0;
	if (session->file >= 0)
		close(session->file);
	free(session->target);
	ear_instructions_free(session->instructions);
	ear_gdb_frames_fini(&session->frames);
	ear_gdb_tasks_fini(&session->tasks);
	ear_gdb_replay_fini(&session->replay);
	free(session);
	return result;
}

bool ear_gdb_script(char *path, size_t size)
{
	return ear_own_file(path, size, "../share/earshot/earshot-gdb.py", R_OK);
}
