/* What if: packets that write, and running on in a diversion of the library. The replay has the
 * diversion, so all that reads registers and memory reads its values.
 */
#include "cli/gdb/divert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/gdb/console.h"
#include "cli/gdb/target.h"

#define BLOCK         UINT64_C(0xffffff) /* what has a part of the program, is memory */
#define SPANS_MAX     256u
#define POLL_INTERVAL 4096u

/* ---- The beginning. ---- */

/* The view of a moment has DWARF's numbers. */
static bool view_register(void *context, unsigned number, uint64_t *value)
{
	struct ear_gdb_replay *replay = context;
	const unsigned wanted = number < 32   ? number
				: number < 64 ? number - 32 + EAR_GDB_F0
					      : number - 4096 + EAR_GDB_CSR0;

	return ear_gdb_recorded_register(replay, replay->diverted, wanted, value);
}

static bool view_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	return ear_gdb_recorded_memory(context, address, bytes, known, size) >= 0;
}

static void add_span(struct ear_span *spans, size_t *count, uint64_t first, uint64_t last)
{
	if (*count < SPANS_MAX)
		spans[(*count)++] = (struct ear_span){first, last};
}

/* What is memory: the blocks of 16 MiB with a part of the program, with the code that comes next,
 * or with the top of the stack; and what the user says. */
static size_t find_memory(const struct ear_gdb_session *session, uint64_t pc, bool has_sp,
	uint64_t sp, struct ear_span *spans)
{
	const struct ear_gdb_options *options = session->options;
	const size_t files = options->names ? ear_names_file_count(options->names) : 0;
	size_t count = 0;

	add_span(spans, &count, pc & ~BLOCK, pc | BLOCK);
	if (has_sp) /* an empty stack ends below sp */
		add_span(spans, &count, (sp - 1) & ~BLOCK, (sp - 1) | BLOCK);
	for (size_t i = 0; i < options->ram_count; i++)
		add_span(spans, &count, options->ram[i].first, options->ram[i].last);
	for (size_t f = 0; f < files; f++) {
		const struct ear_names_file *file = ear_names_file(options->names, f);
		for (size_t i = 0; i < file->section_count; i++)
			if (file->sections[i].size > 0)
				add_span(spans, &count, file->sections[i].address & ~BLOCK,
					(file->sections[i].address + file->sections[i].size - 1) |
						BLOCK);
	}
	return count;
}

/* The width of f registers, by what they hold: a number of single precision is in a box of ones
 * where they are wider. 0: it does not show. */
static unsigned find_flen(struct ear_gdb_session *session)
{
	unsigned flen = 0;
	uint64_t value;

	for (unsigned i = 0; i < 32; i++) {
		if (!ear_gdb_recorded_register(
			    &session->replay, session->hart, EAR_GDB_F0 + i, &value))
			continue;
		if (value > UINT32_MAX)
			return 64;
		if (value > 0)
			flen = 32;
	}
	return flen;
}

static int begin(struct ear_gdb_session *session, uint64_t pc)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_span spans[SPANS_MAX];
	uint64_t sp = 0, privilege = 0;
	bool has_sp = ear_gdb_recorded_register(replay, session->hart, 2, &sp);
	struct ear_diversion_options options = {.size = sizeof(options),
		.xlen = session->xlen,
		.flen = find_flen(session),
		.view = {.size = sizeof(options.view),
			.pc = pc,
			.read_register = view_register,
			.read_memory = view_memory,
			.context = replay},
		.memory = spans,
		.devices = session->options->devices,
		.device_count = session->options->device_count};

	options.memory_count = find_memory(session, pc, has_sp, sp, spans);
	options.has_privilege =
		ear_gdb_recorded_register(replay, session->hart, EAR_GDB_PRIV, &privilege);
	options.privilege = (unsigned)privilege;
	replay->diverted = session->hart;
	replay->diverted_steps = 0;
	return ear_diversion_new(&replay->diversion, &options);
}

/* Let there be a diversion of the hart that is looked at. Returns NULL, or why there is none. */
static const char *ensure(struct ear_gdb_session *session)
{
	struct ear_gdb_replay *replay = &session->replay;
	const struct ear_gdb_options *options = session->options;
	uint64_t pc;

	if (options->diverge == 0)
		return "a recorded run cannot be changed (with --diverge other values can be tried)";
	if (session->task != 0)
		return "a task that does not run cannot be changed: choose the thread of a hart";
	if (replay->diversion)
		return replay->diverted == session->hart
			       ? NULL
			       : "a diversion of another hart is under way";
	if (!ear_gdb_recorded_register(replay, session->hart, EAR_GDB_PC, &pc))
		return "where the hart is is not known here";
	if (begin(session, pc))
		return "out of memory";
	session->diverted_unsaid = true;
	return NULL;
}

/* ---- Writes. ---- */

static const char not_understood[] = "the packet is not understood";

static bool write_register(struct ear_gdb_replay *replay, unsigned number, uint64_t value)
{
	enum ear_register_class reg_class;
	unsigned index;

	if (number == EAR_GDB_PC)
		ear_diversion_set_pc(replay->diversion, value);
	else if (number == EAR_GDB_PRIV)
		ear_diversion_set_privilege(replay->diversion, (unsigned)value);
	else
		return ear_gdb_register_of(number, &reg_class, &index) &&
		       ear_diversion_set_register(replay->diversion, reg_class, index, value);
	return true;
}

static uint64_t little_endian(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* "20=00010080" */
static const char *write_one(struct ear_gdb_session *session, const char *packet)
{
	uint8_t bytes[8];
	uint64_t number;

	if (!ear_gdb_take_hex(&packet, &number) || *packet++ != '=' || number >= EAR_GDB_COUNT)
		return not_understood;
	const unsigned size = ear_gdb_register_size((unsigned)number, session->xlen);
	if (ear_gdb_take_bytes(packet, bytes, sizeof(bytes)) != (int)size)
		return not_understood;
	const char *wrong = ensure(session);
	if (wrong)
		return wrong;
	return write_register(&session->replay, (unsigned)number, little_endian(bytes, size))
		       ? NULL
		       : "this register changes by itself";
}

/* All of them, as 'g' gives them. What is not known comes back as zero, or as it was given. */
static const char *write_all(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_replay *replay = &session->replay;
	uint64_t values[EAR_GDB_CSR0];
	bool given[EAR_GDB_CSR0] = {false};
	uint8_t bytes[8];
	char one[17]; /* digits */

	for (unsigned i = 0; i < EAR_GDB_CSR0; i++) {
		const unsigned size = ear_gdb_register_size(i, session->xlen);
		const size_t digits = (size_t)2 * size;
		if (strlen(packet) < digits)
			return not_understood;
		memcpy(one, packet, digits);
		one[digits] = '\0';
		packet += digits;
		given[i] = ear_gdb_take_bytes(one, bytes, sizeof(bytes)) == (int)size;
		values[i] = little_endian(bytes, given[i] ? size : 0);
	}
	const char *wrong = *packet ? not_understood : ensure(session);
	for (unsigned i = 0; i < EAR_GDB_CSR0 && !wrong; i++) {
		uint64_t now;
		if (given[i] &&
			(values[i] != 0 || ear_gdb_register(replay, session->hart, i, &now)))
			(void)write_register(replay, i, values[i]);
	}
	return wrong;
}

/* "80001000,4:00000000", or bytes as they are. Nothing is written where the client only asks
 * whether this is understood. */
static const char *write_memory(
	struct ear_gdb_session *session, const char *packet, size_t left, bool binary)
{
	static uint8_t decoded[EAR_GDB_PACKET_MAX / 2];
	const char *at = packet;
	const uint8_t *bytes = decoded;
	uint64_t address, size;

	if (!ear_gdb_take_hex(&at, &address) || *at++ != ',' || !ear_gdb_take_hex(&at, &size) ||
		*at++ != ':')
		return not_understood;
	left -= (size_t)(at - packet);
	if (binary)
		bytes = (const uint8_t *)at;
	else
		left = (size_t)(ear_gdb_take_bytes(at, decoded, sizeof(decoded)));
	if (left != size)
		return not_understood;
	const char *wrong = size > 0 ? ensure(session) : NULL;
	if (wrong || size == 0)
		return wrong;
	return ear_diversion_set_memory(session->replay.diversion, address, bytes, (size_t)size)
		       ? "more memory than a diversion keeps"
		       : NULL;
}

const char *ear_gdb_divert_write(struct ear_gdb_session *session, const char *packet, size_t size)
{
	if (session->options->diverge == 0)
		return ensure(session);
	switch (packet[0]) {
	case 'P': return write_one(session, packet + 1);
	case 'G': return write_all(session, packet + 1);
	default: return write_memory(session, packet + 1, size - 1, packet[0] == 'X');
	}
}

/* ---- Running on. ---- */

static struct ear_gdb_stop stop_at(struct ear_gdb_session *session, enum ear_gdb_reason reason)
{
	return (struct ear_gdb_stop){.reason = reason, .hart = session->replay.diverted};
}

static struct ear_gdb_stop stop_because(struct ear_gdb_session *session, const char *text)
{
	struct ear_gdb_stop stop = stop_at(session, EAR_GDB_STEPPED);

	snprintf(stop.text, sizeof(stop.text), "%s", text);
	return stop;
}

/* For conditions. */
static bool read_register(void *context, unsigned number, uint64_t *value)
{
	struct ear_gdb_replay *replay = context;

	return ear_gdb_register(replay, replay->diverted, number, value);
}

static bool read_memory(void *context, uint64_t address, uint8_t *bytes, size_t size)
{
	return ear_gdb_memory(context, address, bytes, size) == (int64_t)size;
}

static bool is_break(struct ear_gdb_session *session, struct ear_gdb_stop *stop)
{
	struct ear_gdb_replay *replay = &session->replay;
	const struct ear_gdb_readers readers = {read_register, read_memory, replay};
	const struct ear_gdb_point *point =
		ear_gdb_points_break(&replay->points, ear_diversion_pc(replay->diversion));

	*stop = stop_at(session, EAR_GDB_BREAK);
	return point && ear_gdb_point_counts(point, &readers, stop->text);
}

/* Does the next instruction touch what is watched? */
static bool is_watched(struct ear_gdb_session *session, struct ear_gdb_stop *stop)
{
	struct ear_gdb_replay *replay = &session->replay;
	const struct ear_gdb_point *point = NULL;
	struct ear_diversion_step step;

	step.size = sizeof(step);
	if (!replay->points.watched || ear_diversion_look(replay->diversion, &step) != 1)
		return false;
	if (step.reads)
		point = ear_gdb_points_watch(
			&replay->points, step.address, step.access_size, false);
	if (step.writes && !point)
		point = ear_gdb_points_watch(&replay->points, step.address, step.access_size, true);
	if (!point)
		return false;
	*stop = stop_at(session, EAR_GDB_WATCH);
	stop->watch = point->kind;
	stop->address = point->address;
	return true;
}

/* One instruction. False: the diversion stops before it, and *stop says why. */
static bool advance(struct ear_gdb_session *session, struct ear_gdb_stop *stop)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_diversion_step step;

	step.size = sizeof(step); /* the rest is filled in */
	if (is_watched(session, stop))
		return false;
	int result = ear_diversion_step(replay->diversion, &step);
	if (result == 1)
		return ++replay->diverted_steps;
	*stop = stop_because(
		session, result == 0 ? step.text : "more memory than a diversion keeps");
	return false;
}

static void say_diverted(struct ear_gdb_session *session)
{
	char text[128];

	if (!session->diverted_unsaid)
		return;
	session->diverted_unsaid = false;
	snprintf(text, sizeof(text),
		"earshot: diverged at #%" PRIu64
		": what comes is no part of the recorded run; 'monitor return' goes back\n",
		ear_gdb_number(&session->replay));
	ear_gdb_console(session, text);
}

static struct ear_gdb_stop run(
	struct ear_gdb_session *session, bool in_range, uint64_t first, uint64_t last)
{
	struct ear_gdb_replay *replay = &session->replay;
	const uint64_t limit = session->options->diverge;
	struct ear_gdb_stop stop;

	say_diverted(session);
	for (uint64_t done = 0; done < limit; done++) {
		const uint64_t pc = ear_diversion_pc(replay->diversion);
		if (done > 0 && in_range && (pc < first || pc > last))
			return stop_at(session, EAR_GDB_STEPPED);
		if ((done > 0 && is_break(session, &stop)) || !advance(session, &stop))
			return stop;
		if (done % POLL_INTERVAL == POLL_INTERVAL - 1 && replay->interrupted &&
			replay->interrupted(replay->context))
			return stop_at(session, EAR_GDB_STOPPED);
	}
	return stop_because(session, "that were many instructions: continue to run on");
}

struct ear_gdb_stop ear_gdb_divert_continue(struct ear_gdb_session *session)
{
	return run(session, false, 0, 0);
}

struct ear_gdb_stop ear_gdb_divert_step(
	struct ear_gdb_session *session, uint16_t hart, uint64_t first, uint64_t last)
{
	if (hart == session->replay.diverted)
		return run(session, true, first, last);
	return stop_because(
		session, "a diversion of another hart is under way: this one does not run");
}

struct ear_gdb_stop ear_gdb_divert_return(struct ear_gdb_session *session)
{
	struct ear_gdb_replay *replay = &session->replay;
	struct ear_gdb_stop stop = stop_at(session, EAR_GDB_BEGIN);

	ear_gdb_rejoin(replay);
	session->diverted_unsaid = false;
	snprintf(stop.text, sizeof(stop.text),
		"back at #%" PRIu64 " of the recorded run: a diversion has no steps back",
		ear_gdb_number(replay));
	return stop;
}

/* ---- Monitor commands. ---- */

void ear_gdb_print_divert(struct ear_gdb_monitor *monitor)
{
	struct ear_gdb_replay *replay = monitor->replay;

	if (replay->diversion)
		fprintf(monitor->out,
			"diverged at #%" PRIu64 ", %" PRIu64
			" instructions ago; of the recorded run:\n",
			ear_gdb_number(replay), replay->diverted_steps);
}

void ear_gdb_do_diverge(struct ear_gdb_monitor *monitor, const char *text)
{
	const char *wrong = ensure(monitor->session);

	(void)text;
	if (wrong)
		fprintf(monitor->out, "%s\n", wrong);
	else
		fprintf(monitor->out,
			"diverged at #%" PRIu64
			": registers and memory can be changed, and functions called; "
			"'monitor return' goes back\n",
			ear_gdb_number(monitor->replay));
	monitor->session->diverted_unsaid = false;
}

void ear_gdb_do_return(struct ear_gdb_monitor *monitor, const char *text)
{
	struct ear_gdb_session *session = monitor->session;

	(void)text;
	if (!monitor->replay->diversion) {
		fputs("nothing is diverted: this is the recorded run\n", monitor->out);
		return;
	}
	session->stop = ear_gdb_divert_return(session);
	session->stop.reason = EAR_GDB_STEPPED;
	fprintf(monitor->out, "back at #%" PRIu64 " of the recorded run\n",
		ear_gdb_number(monitor->replay));
	fputs("(if GDB still shows where it was before: maintenance flush register-cache, and "
	      "maintenance flush dcache)\n",
		monitor->out);
}
