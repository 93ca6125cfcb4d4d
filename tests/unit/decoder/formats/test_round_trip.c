/* Records with any members absent, through every writer and its own reader.
 *
 * What a format carries of a record is data: ear_writer_format.fields, and of this record unfit. A
 * member that is carried comes back equal, and one that is not comes back absent, never as another
 * value. Both directions are counted, so the table of docs/text-formats.md, which is printed from
 * the same data, neither promises too much nor too little.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_trace.h"
#include "decoder/formats/armulator/armulator_text.h"
#include "decoder/formats/formats.h"
#include "decoder/record/field.h"
#include "decoder/text/riscv_name.h"
#include "record_trip.h"

#define BIT(field) EAR_FIELD_BIT(EAR_FIELD_##field)
#define ROUNDS     (1600 / EAR_TEST_LESS) /* traces, each in all formats */
#define STOPPED    ((uint32_t)(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))

/* How often a field of a format came back, and how often it was lost although the format has it. */
struct count {
	unsigned kept, lost;
};

static struct count counts[32][EAR_FIELD_COUNT];

/* What is wrong with one record that came back. */
struct fault {
	char text[256];
};

static bool fail_with(struct fault *fault, const char *what, uint64_t a, uint64_t b)
{
	snprintf(fault->text, sizeof(fault->text), "%s: 0x%" PRIx64 " came back as 0x%" PRIx64,
		what, a, b);
	return false;
}

struct trip_case {
	const struct ear_writer_format *format;
	const struct any_record *any, *next; /* the one after it in the trace, or NULL */
	const struct ear_record *a, *b;
	uint64_t lost; /* ear_writer_lost */
	struct fault *fault;
};

/* A member that both may have: equal if it is carried, absent if not. */
static bool check_member(const struct trip_case *trip, enum ear_field field, bool has_a, uint64_t a,
	bool has_b, uint64_t b)
{
	const char *what = ear_field_text(field);
	const struct ear_format_limit *limit = ear_format_limit(trip->format->name, field);
	bool carried = has_a && !(trip->lost & EAR_FIELD_BIT(field)) &&
		       !(limit && limit->kind != EAR_LIMIT_PARTLY);

	if (limit && limit->kind == EAR_LIMIT_OTHER && has_b && (!has_a || a != b))
		return true;
	if (has_b && !has_a)
		return fail_with(trip->fault, what, UINT64_MAX, b);
	if (has_b && a != b)
		return fail_with(trip->fault, what, a, b);
	if (carried && !has_b) {
		snprintf(trip->fault->text, sizeof(trip->fault->text), "%s: absent", what);
		return false;
	}
	if (has_b && !(trip->format->fields & EAR_FIELD_BIT(field))) {
		snprintf(trip->fault->text, sizeof(trip->fault->text),
			"%s: is not carried, and there", what);
		return false;
	}
	return true;
}

static bool same_register(const struct ear_record_register *a, const struct ear_record_register *b)
{
	if (a->reg_class != b->reg_class || a->value != b->value || a->text_size != b->text_size)
		return false;
	if (a->reg_class != EAR_REGISTER_NAMED && a->number != b->number)
		return false;
	return a->text_size == 0 || memcmp(a->text.bytes, b->text.bytes, a->text_size) == 0;
}

static const uint8_t class_fields[] = {
	[EAR_REGISTER_X] = EAR_FIELD_X_WRITE,
	[EAR_REGISTER_F] = EAR_FIELD_F_WRITE,
	[EAR_REGISTER_CSR] = EAR_FIELD_CSR_WRITE,
	[EAR_REGISTER_V] = EAR_FIELD_V_WRITE,
	[EAR_REGISTER_NAMED] = EAR_FIELD_NAMED_WRITE,
};

/* The number of registers of b equal to this one of a, less those before it in a. */
static bool has_register(const struct ear_record *in, const struct ear_record_register *reg)
{
	for (size_t i = 0; i < in->register_count; i++)
		if (same_register(&in->registers[i], reg))
			return true;
	return false;
}

static bool has_number(const struct ear_record *in, const struct ear_record_register *reg)
{
	for (size_t i = 0; i < in->register_count; i++)
		if (in->registers[i].reg_class == reg->reg_class &&
			in->registers[i].number == reg->number)
			return true;
	return false;
}

/* Has a text of this format registers that the source does not have, or in another form? */
static bool lists_others(const struct ear_writer_format *format, enum ear_field field)
{
	const struct ear_format_limit *limit = ear_format_limit(format->name, field);

	return limit && limit->kind == EAR_LIMIT_OTHER;
}

/* May its reader not have the field, without a report? */
static bool may_lack(const struct ear_writer_format *format, enum ear_field field)
{
	const struct ear_format_limit *limit = ear_format_limit(format->name, field);

	return limit && limit->kind != EAR_LIMIT_PARTLY;
}

static bool check_registers(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;

	for (size_t i = 0; i < a->register_count; i++) {
		const struct ear_record_register *reg = &a->registers[i];
		enum ear_field field = (enum ear_field)class_fields[reg->reg_class];
		if (!(trip->lost & EAR_FIELD_BIT(field)) && !has_register(b, reg) &&
			!may_lack(trip->format, field))
			return fail_with(
				trip->fault, ear_field_text(field), reg->value, UINT64_MAX);
	}
	for (size_t i = 0; i < b->register_count; i++) {
		const struct ear_record_register *reg = &b->registers[i];
		enum ear_field field = (enum ear_field)class_fields[reg->reg_class];
		if (!has_register(a, reg) &&
			!(lists_others(trip->format, field) && !has_number(a, reg)))
			return fail_with(
				trip->fault, ear_field_text(field), UINT64_MAX, reg->value);
	}
	return true;
}

/* Accesses in order; one that is not carried may be missing. */
static bool check_accesses(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;
	size_t at = 0;

	for (size_t i = 0; i < a->memory_count; i++) {
		const struct ear_record_access *x = &a->memory[i];
		const struct ear_record_access *y = at < b->memory_count ? &b->memory[at] : NULL;
		enum ear_field address =
			x->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS;
		enum ear_field value = x->write ? EAR_FIELD_STORE_VALUE : EAR_FIELD_LOAD_VALUE;
		if (!y || y->address != x->address || y->write != x->write) {
			bool may = trip->lost & EAR_FIELD_BIT(address) ||
				   may_lack(trip->format, address) ||
				   (x->masked && trip->lost & BIT(MASKED));
			if (!may)
				return fail_with(trip->fault, ear_field_text(address), x->address,
					y ? y->address : UINT64_MAX);
			continue;
		}
		at++;
		if (!check_member(trip, value, x->has_value, x->value, y->has_value, y->value))
			return false;
		bool moved = x->has_physical && x->physical != x->address;
		if (!check_member(trip, EAR_FIELD_DATA_PHYSICAL, moved, x->physical,
			    y->has_physical && y->physical != y->address, y->physical))
			return false;
		if (y->size != 0 && y->size != x->size)
			return fail_with(trip->fault, "size", x->size, y->size);
		if (y->masked != x->masked && !(trip->lost & BIT(MASKED)))
			return fail_with(trip->fault, "masked", x->masked, y->masked);
	}
	/* Of a trap the value shows one. */
	bool derived = a->flags & STOPPED && b->memory_count == 1 &&
		       lists_others(trip->format, EAR_FIELD_LOAD_ADDRESS);
	return at == b->memory_count || derived ||
	       fail_with(trip->fault, "accesses", a->memory_count, b->memory_count);
}

/* Records without a line of their own. */
static bool has_line(const struct ear_writer_format *format, const struct ear_record *record)
{
	uint64_t lost = ear_writer_lost(format, record);

	switch (record->kind) {
	case EAR_RECORD_GAP: return !(lost & BIT(GAP));
	case EAR_RECORD_EVENT: return !(lost & BIT(EVENT));
	case EAR_RECORD_INSTRUCTION:
		/* What was not committed has no line in TracerV. */
		if (strcmp(format->name, "tracerv") == 0 && record->flags & STOPPED)
			return false;
		return !(record->flags & EAR_RECORD_INTERRUPT &&
			       !(format->fields & BIT(INTERRUPT))) &&
		       !(lost & BIT(OTHER_ISA));
	default: return true;
	}
}

/* What a record does not say, and its reader found out, must be what happened. */
static bool check_flow(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;
	bool taken = b->flags & EAR_RECORD_TAKEN;

	const struct any_record *next = trip->next;
	if (next &&
		(!has_line(trip->format, &next->record) ||
			(next->record.hart == a->hart && next->record.pc != trip->any->next_pc)))
		return true; /* of the successor the text does not know, or there is none */
	/* A trap that the format cannot show looks executed. */
	if (b->flags & EAR_RECORD_NO_NEXT_PC || (a->flags & STOPPED && !(b->flags & STOPPED)))
		return true;
	if (b->next_pc != trip->any->next_pc)
		return fail_with(trip->fault, "next pc", trip->any->next_pc, b->next_pc);
	if (b->flags & EAR_RECORD_NO_OPCODE) /* then nobody knows what a branch is */
		return true;
	return taken == trip->any->taken || a->isa != EAR_ISA_RISCV ||
	       fail_with(trip->fault, "taken", trip->any->taken, taken);
}

static bool check_stop(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;
	uint32_t mine = a->flags & STOPPED, other = b->flags & STOPPED;
	enum ear_field field = mine & EAR_RECORD_INTERRUPT ? EAR_FIELD_INTERRUPT : EAR_FIELD_TRAP;
	bool hidden = trip->lost & EAR_FIELD_BIT(field) || trip->lost & BIT(CAUSELESS);

	if (mine != other && !(other == 0 && hidden))
		return fail_with(trip->fault, "trap or interrupt", mine, other);
	if (other == 0)
		return true;
	/* One that the record does not say may be found in a CSR, and must be the right one. */
	if (a->flags & EAR_RECORD_NO_CAUSE && b->cause == trip->any->cause)
		return true;
	return check_member(trip, field, !(a->flags & EAR_RECORD_NO_CAUSE), a->cause,
		!(b->flags & EAR_RECORD_NO_CAUSE), b->cause);
}

static bool check_texts(const struct trip_case *trip)
{
	static const struct ear_record_extra nothing;
	const struct ear_record_extra *a = trip->a->extra ? trip->a->extra : &nothing;
	const struct ear_record_extra *b = trip->b->extra ? trip->b->extra : &nothing;
	struct ear_text x = a->disassembly, y = b->disassembly;

	const struct ear_format_limit *limit =
		ear_format_limit(trip->format->name, EAR_FIELD_DISASSEMBLY);
	bool unsure = limit && limit->kind == EAR_LIMIT_UNSURE && !y.text;

	/* Whisper's log has empty brackets where all elements are masked. */
	bool brackets = y.size >= 3 && memcmp(y.text + y.size - 3, " []", 3) == 0;
	y.size -= brackets ? 3 : 0;
	if (x.text && !unsure && !(trip->lost & BIT(DISASSEMBLY)) &&
		(!y.text || x.size != y.size || memcmp(x.text, y.text, x.size) != 0)) {
		snprintf(trip->fault->text, sizeof(trip->fault->text), "disassembly: '%.*s'",
			(int)y.size, y.text ? y.text : "");
		return false;
	}
	if (!x.text && y.text && !brackets && trip->a->isa == EAR_ISA_RISCV) {
		snprintf(trip->fault->text, sizeof(trip->fault->text),
			"disassembly: nothing came back as '%.*s'", (int)y.size, y.text);
		return false;
	}
	return check_member(trip, EAR_FIELD_TRAP_VALUE, a->has_trap_value, a->trap_value,
		b->has_trap_value, b->trap_value);
}

static bool check_walks(const struct trip_case *trip)
{
	static const struct ear_record_extra nothing;
	const struct ear_record_extra *a = trip->a->extra ? trip->a->extra : &nothing;
	const struct ear_record_extra *b = trip->b->extra ? trip->b->extra : &nothing;
	bool lost = trip->lost & (BIT(FETCH_WALK) | BIT(DATA_WALK));

	if (lost && b->walk_count == 0)
		return true;
	if (a->walk_count != b->walk_count)
		return fail_with(trip->fault, "page walks", a->walk_count, b->walk_count);
	for (size_t i = 0; i < a->walk_count; i++)
		if (a->walks[i].start != b->walks[i].start ||
			a->walks[i].result != b->walks[i].result ||
			a->walks[i].data != b->walks[i].data)
			return fail_with(
				trip->fault, "page walk", a->walks[i].start, b->walks[i].start);
	return true;
}

static bool check_instruction(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;
	bool physical_a = a->flags & EAR_RECORD_PC_PHYSICAL && a->pc_physical != a->pc;
	bool physical_b = b->flags & EAR_RECORD_PC_PHYSICAL && b->pc_physical != b->pc;

	if (a->pc != b->pc)
		return fail_with(trip->fault, "pc", a->pc, b->pc);
	if (a->xlen != b->xlen && a->isa == EAR_ISA_RISCV)
		return fail_with(trip->fault, "xlen", a->xlen, b->xlen);
	if (a->isa != b->isa)
		return fail_with(trip->fault, "instruction set", a->isa, b->isa);
	/* Of a fetch that failed the opcode is 0 (record.h). */
	bool failed =
		b->flags & EAR_RECORD_TRAP && b->opcode == 0 && ear_riscv_is_fetch_cause(b->cause);
	if (!failed && !check_member(trip, EAR_FIELD_OPCODE, !(a->flags & EAR_RECORD_NO_OPCODE),
			       a->opcode, !(b->flags & EAR_RECORD_NO_OPCODE), b->opcode))
		return false;
	if (!check_member(trip, EAR_FIELD_PRIVILEGE, !(a->flags & EAR_RECORD_NO_PRIVILEGE),
		    a->privilege, !(b->flags & EAR_RECORD_NO_PRIVILEGE), b->privilege) ||
		!check_member(trip, EAR_FIELD_PC_PHYSICAL, physical_a, a->pc_physical, physical_b,
			b->pc_physical) ||
		!check_member(trip, EAR_FIELD_FFLAGS, a->fflags != 0, a->fflags, b->fflags != 0,
			b->fflags) ||
		!check_member(trip, EAR_FIELD_SECURITY, a->flags & EAR_RECORD_HAS_SECURITY,
			a->flags & EAR_RECORD_SECURE, b->flags & EAR_RECORD_HAS_SECURITY,
			b->flags & EAR_RECORD_SECURE))
		return false;
	if (!(trip->lost & BIT(SKIPPED)) && (a->flags ^ b->flags) & EAR_RECORD_SKIPPED)
		return fail_with(trip->fault, "skipped", a->flags, b->flags);
	if (!failed && !(b->flags & EAR_RECORD_NO_OPCODE) && a->opcode_size != b->opcode_size)
		return fail_with(trip->fault, "size of the opcode", a->opcode_size, b->opcode_size);
	return check_stop(trip) && check_flow(trip) && check_registers(trip) &&
	       check_accesses(trip) && check_texts(trip) && check_walks(trip);
}

static bool check_record(const struct trip_case *trip)
{
	const struct ear_record *a = trip->a, *b = trip->b;

	if (a->kind != b->kind)
		return fail_with(trip->fault, "kind", a->kind, b->kind);
	if (a->hart != b->hart && !(trip->lost & BIT(HART)))
		return fail_with(trip->fault, "hart", a->hart, b->hart);
	if (a->kind == EAR_RECORD_INSTRUCTION &&
		!check_member(trip, EAR_FIELD_TIME, a->flags & EAR_RECORD_HAS_TIME, a->ticks,
			b->flags & EAR_RECORD_HAS_TIME, b->ticks))
		return false;
	return a->kind != EAR_RECORD_INSTRUCTION || check_instruction(trip);
}

/* --- A whole trace --- */

static void count_fields(
	const struct ear_writer_format *format, const struct ear_record *record, uint64_t lost)
{
	uint64_t fields = ear_record_fields(record);

	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
		struct count *count = &counts[format - ear_writer_formats][field];
		if (!(fields & EAR_FIELD_BIT(field)))
			continue;
		count->kept += !(lost & EAR_FIELD_BIT(field));
		count->lost += lost >> field & 1;
	}
}

/* Write and read the records. Returns false, and what is wrong. */
static bool travels(const struct ear_writer_format *format, const struct any_trace *trace,
	struct fault *fault, char **text)
{
	bool hides_xlen = strcmp(format->name, "whisper") == 0 ||
			  strcmp(format->name, "riscv-dv") == 0 ||
			  strcmp(format->name, "tracerv") == 0;
	const struct ear_reader_options reading = {
		.xlen = hides_xlen ? trace->records[0].record.xlen : 0};
	const struct ear_writer_options options = {.walks = true};
	struct ear_record *records[ANY_TRACE_MAX];
	struct ear_record *lined[ANY_TRACE_MAX];
	size_t count = 0, size;
	struct trip trip;
	bool right = true;

	for (size_t i = 0; i < trace->count; i++) {
		records[i] = (struct ear_record *)(uintptr_t)&trace->records[i].record;
		if (has_line(format, records[i]))
			lined[count++] = records[i];
	}
	*text = trip_write_with(format->name, &options, records, trace->count, &size);
	trip_read(&trip, format->name, *text, size, &reading);
	if (trip.bad) {
		snprintf(fault->text, sizeof(fault->text), "line %u: %s",
			(unsigned)trip.messages[0].line, trip.messages[0].cause);
		right = false;
	} else if (trip.warnings) {
		snprintf(fault->text, sizeof(fault->text), "line %u: warning: %s",
			(unsigned)trip.messages[0].line, trip.messages[0].cause);
		right = false;
	}
	size_t to = 0;
	for (size_t i = 0; i < trip.count && right; i++) {
		const struct ear_record *got = trip.records[i];
		/* What an interrupt wrote is without an instruction where it has no line; what
		 * ARMulator has for a gap is an event. */
		bool left = got->kind == EAR_RECORD_REGISTERS && !(format->fields & BIT(INTERRUPT));
		bool stand_in = got->kind == EAR_RECORD_EVENT && got->u.event.source == 0 &&
				got->u.event.value == EAR_ARMULATOR_GAP;
		if (got->kind == EAR_RECORD_NOTE || stand_in || left)
			continue;
		if (to == count) {
			right = fail_with(fault, "number of records", count, trip.count);
			break;
		}
		const struct any_record *any = (const struct any_record *)(const void *)lined[to];
		const struct trip_case one = {.format = format,
			.any = any,
			.next = any + 1 < trace->records + trace->count ? any + 1 : NULL,
			.a = lined[to],
			.b = got,
			.lost = ear_writer_lost(format, lined[to]),
			.fault = fault};
		right = check_record(&one);
		if (right)
			count_fields(format, one.a, one.lost);
		to++;
	}
	if (right && to != count)
		right = fail_with(fault, "number of records", count, to);
	trip_fini(&trip);
	return right;
}

/* Does it fail in the same way? */
static bool fails(const struct ear_writer_format *format, const struct any_trace *trace,
	const struct fault *as)
{
	struct fault fault;
	char *text;
	bool right = travels(format, trace, &fault, &text);

	free(text);
	return !right && strncmp(fault.text, as->text, strcspn(as->text, ":")) == 0;
}

static void copy_trace(struct any_trace *to, const struct any_trace *from)
{
	*to = *from;
	any_trace_point(to);
}

/* Fewer records, then fewer members, as long as it fails. */
static void shrink(
	const struct ear_writer_format *format, struct any_trace *trace, const struct fault *fault)
{
	static struct any_trace less;

	for (size_t at = trace->count; at-- > 0 && trace->count > 1;) {
		less = *trace;
		less.count--;
		memmove(&less.records[at], &less.records[at + 1],
			(less.count - at) * sizeof(less.records[0]));
		any_trace_point(&less);
		if (fails(format, &less, fault))
			copy_trace(trace, &less);
	}
	for (size_t at = 0; at < trace->count; at++)
		for (unsigned step = 0;; step++) {
			copy_trace(&less, trace);
			if (!any_record_simplify(&less.records[at], step))
				break;
			if (fails(format, &less, fault))
				copy_trace(trace, &less);
		}
}

static void report(const struct ear_writer_format *format, struct any_trace *trace, uint64_t seed)
{
	struct ear_record *records[ANY_TRACE_MAX];
	struct fault fault;
	char *text, *json;
	size_t size;

	travels(format, trace, &fault, &text);
	free(text);
	shrink(format, trace, &fault);
	travels(format, trace, &fault, &text);
	for (size_t i = 0; i < trace->count; i++)
		records[i] = &trace->records[i].record;
	json = trip_write("json", records, trace->count, &size);
	fprintf(stderr, "%s, seed 0x%" PRIx64 ": %s\n%s--- written:\n%s\n", format->name, seed,
		fault.text, json, text);
	free(text);
	free(json);
}

/* Is the limit that unfit makes, and no other, in limits.def? Of the fields that occurred. */
static bool has_its_limits(const struct ear_writer_format *format)
{
	bool right = true;

	for (unsigned field = 0; field < EAR_FIELD_COUNT; field++) {
		const struct count *count = &counts[format - ear_writer_formats][field];
		const struct ear_format_limit *limit =
			ear_format_limit(format->name, (enum ear_field)field);
		bool carried = format->fields & EAR_FIELD_BIT(field);
		bool partly = limit && limit->kind == EAR_LIMIT_PARTLY;
		if (count->kept + count->lost == 0)
			continue;
		if ((carried && !limit && count->lost > 0) ||
			(partly && (count->lost == 0 || count->kept == 0))) {
			fprintf(stderr,
				"%s: %s: carried %u times, not %u times; in limits.def: %s\n",
				format->name, ear_field_text((enum ear_field)field), count->kept,
				count->lost, limit ? limit->text : "nothing");
			right = false;
		}
	}
	return right;
}

/* A failure names the seed of its trace; EAR_ROUND_TRIPS and EAR_ROUND_FORMAT choose others. */
static void every_member_comes_back_or_is_absent(void **state)
{
	const char *rounds = getenv("EAR_ROUND_TRIPS"), *only = getenv("EAR_ROUND_FORMAT");
	static struct any_trace trace;
	unsigned failures[32] = {0};
	uint64_t round_count = rounds ? strtoull(rounds, NULL, 0) : ROUNDS;
	bool failed = false;

	(void)state;
	for (uint64_t round = 0; round < round_count; round++) {
		struct random random = {round * 0x9E3779B97F4A7C15u + 1};
		enum any_trace_kind kind =
			(enum any_trace_kind)random_below(&random, ANY_TRACE_KINDS);
		for (const struct ear_writer_format *format = ear_writer_formats; format->name;
			format++) {
			unsigned which = (unsigned)(format - ear_writer_formats);
			struct random own = random;
			struct fault fault;
			char *text;
			bool one_hart = !(format->fields & BIT(HART)) ||
					strcmp(format->name, "tarmac") == 0;
			if (!format->make || failures[which] >= 1 ||
				(only && strcmp(only, format->name) != 0))
				continue;
			any_trace_make(&trace, &own, kind, ANY_TRACE_MAX,
				one_hart ? 1 : 1 + (unsigned)(round & 1));
			bool right = travels(format, &trace, &fault, &text);
			free(text);
			if (right)
				continue;
			report(format, &trace, random.state);
			failures[which]++;
			failed = true;
		}
	}
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		failed |= !only && format->make && !has_its_limits(format);
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_comes_back_or_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
