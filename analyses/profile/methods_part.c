/* Parts of a profile of methods: joining, and files. What was counted of methods is found again by
 * their addresses, which a part numbers in its own order.
 */
#include "analyses/profile/methods_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

/* ---- Joining. ---- */

struct join {
	struct ear_methods *methods;
	const struct ear_methods *next;
	uint32_t *rows; /* by those of next: those here */
	int result;
};

static int join_rows(struct join *join)
{
	struct ear_methods *methods = join->methods;
	int result = 0;

	for (uint32_t i = 0; i < join->next->count && result == 0; i++) {
		struct ear_method *next = &join->next->rows[i];
		if (next->known)
			result = ear_methods_row(
				methods, next->native, next->address, &join->rows[i]);
		if (result)
			break;
		struct ear_method *own = &methods->rows[join->rows[i]];
		own->calls += next->calls;
		ear_profile_add(&own->self, &next->self);
		ear_profile_add(&own->inclusive, &next->inclusive);
		if (next->name && own->known) {
			free(own->name);
			own->name = next->name;
			next->name = NULL;
		}
	}
	return result;
}

/* The stack of an owner of next, in rows here. */
static void translate(const struct join *join, uint32_t owner, uint32_t *stack, uint32_t *depth)
{
	const struct ear_methods_owner *from = &join->next->owners[owner];

	*depth = from->depth;
	for (uint32_t i = 0; i < from->depth; i++)
		stack[i] = join->rows[from->methods[i]];
}

static uint32_t own_owner(void *context, uint32_t owner)
{
	struct join *join = context;
	uint32_t stack[EAR_METHODS_DEPTH], depth;

	translate(join, owner, stack, &depth);
	if (ear_methods_keep(join->methods, stack, depth))
		join->result = EAR_E_NO_MEMORY;
	return join->methods->owner_count - 1;
}

static void add_clocks(void *context, uint32_t owner, uint64_t clocks)
{
	const struct join *join = context;
	const struct ear_profile_counts counts = {.clocks = clocks};
	uint32_t stack[EAR_METHODS_DEPTH], depth;

	translate(join, owner, stack, &depth);
	ear_methods_add(join->methods, stack, depth, &counts);
}

int ear_methods_join(struct ear_methods *methods, struct ear_methods *next)
{
	struct join join = {methods, next, calloc((size_t)next->count + 1, sizeof(*join.rows)), 0};
	const struct ear_profile_times_joining joining = {own_owner, add_clocks, &join};

	join.result = join.rows ? join_rows(&join) : EAR_E_NO_MEMORY;
	if (join.result == 0) {
		int result = ear_profile_times_join(&methods->times, &next->times, &joining);
		join.result = join.result ? join.result : result;
	}
	methods->unmatched += next->unmatched;
	methods->seen |= next->seen;
	free(join.rows);
	return join.result;
}

/* ---- Writing. ---- */

static void write_row(struct ear_part_writer *writer, const struct ear_method *row)
{
	char self[EAR_PROFILE_COUNTS_TEXT], inclusive[EAR_PROFILE_COUNTS_TEXT];
	char name[3 * EAR_METHODS_NAME + 2];

	ear_part_quote(name, sizeof(name), row->name ? row->name : "");
	ear_profile_counts_text(self, &row->self);
	ear_profile_counts_text(inclusive, &row->inclusive);
	ear_part_write(writer, "method %u %u 0x%" PRIx64 " %s %" PRIu64 "%s%s", row->known,
		row->native, row->address, name, row->calls, self, inclusive);
}

void ear_methods_write(
	const struct ear_methods *methods, struct ear_part_writer *writer, uint64_t events)
{
	for (uint32_t i = 0; i < methods->count; i++)
		write_row(writer, &methods->rows[i]);
	for (uint32_t i = 0; i < methods->owner_count; i++) {
		const struct ear_methods_owner *owner = &methods->owners[i];
		ear_part_write(writer, "owner %" PRIu32, owner->depth);
		for (uint32_t at = 0; at < owner->depth; at++)
			ear_part_write(writer, "in %" PRIu32, owner->methods[at]);
	}
	ear_profile_times_write(&methods->times, writer);
	ear_part_write(writer, "state %u %u %u %" PRIu64 " %" PRIu64, methods->times.has_time,
		methods->times.stopped, methods->seen, methods->unmatched, events);
}

/* ---- Reading. ---- */

struct reading {
	struct ear_methods *methods;
	struct ear_part_reader *reader;
	uint32_t left;  /* methods of the newest owner that are to come */
	bool has_first; /* the row of what is outside came */
	uint64_t events;
};

static bool read_method(struct reading *reading)
{
	struct ear_part_reader *reader = reading->reader;
	struct ear_methods *methods = reading->methods;
	const uint32_t count = methods->count;
	char name[EAR_METHODS_NAME];
	uint64_t known, native, address;
	uint32_t number = 0;
	struct ear_method row = {.known = false};

	if (!ear_part_number(reader, &known, 1) || !ear_part_number(reader, &native, 1) ||
		!ear_part_number(reader, &address, UINT64_MAX) ||
		!ear_part_text(reader, name, sizeof(name)) ||
		!ear_part_number(reader, &row.calls, UINT64_MAX) ||
		!ear_profile_counts_read(reader, &row.self) ||
		!ear_profile_counts_read(reader, &row.inclusive))
		return false;
	if (known == !reading->has_first)
		return ear_part_fail(reader, "what is outside of methods comes first, and once");
	reading->has_first = true;
	if (known && ear_methods_row(methods, native, address, &number))
		return ear_part_fail(reader, "out of memory");
	if (known && methods->count == count)
		return ear_part_fail(reader, "it came before, or there are too many");
	row.known = known;
	row.native = known && native;
	row.address = known ? address : 0;
	row.name = known && name[0] ? strdup(name) : NULL;
	methods->rows[number] = row;
	return row.name || !known || !name[0] || ear_part_fail(reader, "out of memory");
}

static bool read_owner(struct reading *reading)
{
	uint64_t depth;

	if (!ear_part_number(reading->reader, &depth, EAR_METHODS_DEPTH))
		return false;
	if (reading->left > 0)
		return ear_part_fail(reading->reader, "methods of the owner before are missing");
	reading->left = (uint32_t)depth;
	return ear_methods_keep(reading->methods, NULL, 0) == 0 ||
	       ear_part_fail(reading->reader, "out of memory");
}

static bool read_in(struct reading *reading)
{
	struct ear_methods *methods = reading->methods;
	uint64_t number;

	if (!ear_part_number(reading->reader, &number, methods->count - 1))
		return false;
	if (reading->left == 0)
		return ear_part_fail(reading->reader, "its owner is missing");
	reading->left--;
	struct ear_methods_owner *owner = &methods->owners[methods->owner_count - 1];
	uint32_t *more = realloc(owner->methods, (owner->depth + 1) * sizeof(*more));
	if (!more)
		return ear_part_fail(reading->reader, "out of memory");
	owner->methods = more;
	more[owner->depth++] = (uint32_t)number;
	return true;
}

static bool read_hart(struct reading *reading)
{
	if (reading->left > 0)
		return ear_part_fail(reading->reader, "methods of the owner before are missing");
	return ear_profile_times_read(
		&reading->methods->times, reading->reader, reading->methods->owner_count);
}

static bool read_state(struct reading *reading)
{
	struct ear_methods *methods = reading->methods;
	uint64_t has_time, stopped, seen;

	if (!ear_part_number(reading->reader, &has_time, 1) ||
		!ear_part_number(reading->reader, &stopped, 1) ||
		!ear_part_number(reading->reader, &seen, EAR_PROFILE_SEEN_MAX) ||
		!ear_part_number(reading->reader, &methods->unmatched, UINT64_MAX) ||
		!ear_part_number(reading->reader, &reading->events, UINT64_MAX))
		return false;
	methods->times.has_time = has_time;
	methods->times.stopped = stopped;
	methods->seen = (uint8_t)seen;
	return true;
}

bool ear_methods_read(struct ear_methods *methods, struct ear_part_reader *reader, uint64_t *events)
{
	static const struct {
		const char *word;
		bool (*read)(struct reading *reading);
	} kinds[] = {{"method", read_method}, {"owner", read_owner}, {"in", read_in},
		{"hart", read_hart}, {"state", read_state}};
	const size_t kind_count = sizeof(kinds) / sizeof(kinds[0]);
	struct reading reading = {.methods = methods, .reader = reader};
	const char *word;

	while (ear_part_next(reader, &word)) {
		size_t kind = 0;
		*events = reading.events;
		if (!word)
			return true;
		while (kind < kind_count && strcmp(kinds[kind].word, word) != 0)
			kind++;
		if (kind == kind_count)
			return ear_part_fail(reader, "it is none of a profile of methods");
		if (!kinds[kind].read(&reading))
			return false;
	}
	return false;
}
