/* The writer of E-Trace: what it writes is read back, with random options of the unit; where
 * records are missing, or a packet cannot say what they are, is a gap and nothing else. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <unistd.h>

#include "etrace_run.h"

#include "decoder/flow/flow_unit.h"
#include "decoder/formats/etrace/reader_etrace.h"
#include "decoder/formats/etrace/writer_etrace.h"

#define COUNT     600u
#define UNIT_SIZE 600u

static struct ear_record records[COUNT], back[2 * COUNT];
static struct ear_record_extra extras[COUNT], back_extras[2 * COUNT];
static struct etrace_run run;

#define STOPS ((uint32_t)(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))

static void make_record(size_t i, unsigned xlen)
{
	const struct ear_etrace_item *item = &run.items[i];
	struct ear_record *record = &records[i];

	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = i,
		.xlen = (uint8_t)xlen,
		.privilege = item->privilege ? EAR_PRIVILEGE_M : EAR_PRIVILEGE_U,
		.flags = EAR_RECORD_HAS_TIME | (item->taken ? EAR_RECORD_TAKEN : 0),
		.ticks = item->time,
		.pc = item->pc,
		.next_pc = item[1].pc};
	if (item->instruction) {
		record->opcode = item->instruction->opcode;
		record->opcode_size = item->instruction->size;
	} else {
		record->flags |= EAR_RECORD_NO_OPCODE;
	}
	extras[i] = (struct ear_record_extra){.has_trap_value = true, .trap_value = item->value};
	if (!item->trap)
		return;
	record->flags |= item->interrupt ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
	record->cause = item->cause | (uint64_t)item->interrupt << (xlen - 1);
	record->extra = item->interrupt ? NULL : &extras[i];
}

/* A program, and what a hart did in it. */
static void make(unsigned xlen, struct random *random)
{
	const struct etrace_run_options options = {.items = COUNT + 1,
		.trap_every = 40,
		.jump_traps = true,
		.user = true,
		.user_mode = 0,
		.machine_mode = 3};
	struct ear_etrace_unit unit;
	char fault[EAR_FLOW_FAULT_SIZE];

	assert_int_equal(
		ear_etrace_unit_read(&unit, NULL, NULL, false, xlen, fault, sizeof(fault)), 0);
	etrace_run_make(&run, &unit, random, &options);
	for (size_t i = 0; i < COUNT; i++)
		make_record(i, xlen);
}

/* Implicit returns are left out: of returns that go elsewhere their packets leave doubt. */
static void make_unit(char text[UNIT_SIZE], struct random *random)
{
	const unsigned predictor = (unsigned)random_below(random, 6),
		       cache = (unsigned)random_below(random, 5);

	snprintf(text, UNIT_SIZE,
		"{\"full_address\": %u, \"sijump\": %u, \"bpred_size\": %u, "
		"\"branch_prediction\": %u, \"cache_size\": %u, \"jump_target_cache\": %u, "
		"\"f0s_width\": %u, \"time_width\": %u, \"resync_max\": %u, \"support\": \"pulp\", "
		"\"encapsulation\": {\"srcid_bits\": %u, \"timestamp_bytes\": %u}}",
		(unsigned)random_below(random, 2), (unsigned)random_below(random, 2), predictor,
		predictor > 0, cache, cache > 0, predictor > 0 && cache > 0,
		random_once_in(random, 2) ? 64u : 0u, (unsigned)random_below(random, 30),
		(unsigned)random_below(random, 9), random_once_in(random, 2) ? 8u : 0u);
}

/* --- There and back --- */

static size_t read_back(const struct ear_text_output *text, const char *unit)
{
	const struct ear_reader_options options = {
		.code = run.code, .unit = unit, .xlen = records[0].xlen};
	struct ear_text_input *input;
	struct ear_reader *reader;
	const struct ear_record *record;
	char fault[EAR_FLOW_FAULT_SIZE];
	FILE *file = tmpfile();
	size_t count = 0;

	assert_non_null(file);
	assert_int_equal(fwrite(text->buffer, 1, text->used, file), text->used);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(ear_text_input_new(&input, fileno(file), NULL, 0), 0);
	ear_text_input_use_offsets(input);
	assert_int_equal(ear_reader_etrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
	while (ear_reader_next(reader, &record) == 1) {
		if (record->kind == EAR_RECORD_EVENT)
			continue;
		assert_below(count, COUNT_OF(back));
		back[count] = *record;
		if (record->extra)
			back_extras[count] = *record->extra;
		back[count].extra = record->extra ? &back_extras[count] : NULL;
		count++;
	}
	ear_reader_free(reader);
	ear_text_input_free(input);
	fclose(file);
	return count;
}

/* Write the records that keep says, with a gap for the others, and read them. Returns how many
 * records came back. */
static size_t travel(const char *unit, bool (*keep)(size_t))
{
	const struct ear_writer_options options = {.unit = unit, .code = run.code};
	const struct ear_record gap = {
		.kind = EAR_RECORD_GAP, .u.gap = {.reason = EAR_GAP_HOST_RING}};
	struct ear_text_output text;
	struct ear_writer *writer;
	char fault[EAR_FLOW_FAULT_SIZE];

	assert_int_equal(ear_text_output_init_memory(&text), 0);
	assert_int_equal(ear_writer_etrace_make(&writer, &text, &options, fault, sizeof(fault)), 0);
	for (size_t i = 0; i < COUNT; i++) {
		if (!keep || keep(i))
			assert_int_equal(ear_writer_push(writer, &records[i]), 0);
		else if (keep(i - 1))
			assert_int_equal(ear_writer_push(writer, &gap), 0);
	}
	assert_int_equal(ear_writer_finish(writer), 0);
	ear_writer_free(writer);
	size_t count = read_back(&text, unit);
	ear_text_output_fini(&text);
	return count;
}

static bool is_same(const struct ear_record *a, const struct ear_record *b)
{
	if (a->kind != b->kind || a->pc != b->pc || (a->flags & STOPS) != (b->flags & STOPS) ||
		a->privilege != b->privilege || b->flags & EAR_RECORD_NO_PRIVILEGE)
		return false;
	if (!(b->flags & EAR_RECORD_NO_NEXT_PC) && a->next_pc != b->next_pc)
		return false;
	if (!((a->flags | b->flags) & EAR_RECORD_NO_OPCODE) && a->opcode != b->opcode)
		return false;
	if (b->flags & EAR_RECORD_HAS_TIME && a->ticks != b->ticks)
		return false;
	return !(a->flags & STOPS) ||
	       (a->cause == b->cause && (a->flags & EAR_RECORD_INTERRUPT ||
						a->extra->trap_value == b->extra->trap_value));
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct random random = {41};

	for (unsigned round = 0; round < 60; round++) {
		char unit[UNIT_SIZE];
		make(round % 2 ? 64 : 32, &random);
		make_unit(unit, &random);
		size_t count = travel(unit, NULL), known = 0;
		assert_int_equal(count, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			known += !(back[i].flags & EAR_RECORD_NO_NEXT_PC);
			if (!is_same(&records[i], &back[i]))
				fail_msg("round %u, %s: record %zu at %lx comes back at %lx", round,
					unit, i, records[i].pc, back[i].pc);
		}
		assert_above(known, COUNT * 9 / 10);
		etrace_run_fini(&run);
	}
}

/* --- What is missing --- */

static size_t gap_count(size_t count)
{
	size_t gaps = 0;

	for (size_t i = 0; i < count; i++)
		gaps += back[i].kind == EAR_RECORD_GAP;
	return gaps;
}

/* The records that came back are those that were given, in order. lost: so many records are where
 * each gap is. */
static void assert_all_but(size_t count, size_t lost)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (back[i].kind == EAR_RECORD_GAP) {
			at += lost;
			continue;
		}
		assert_below(at, COUNT);
		assert_true(is_same(&records[at], &back[i]));
		at++;
	}
}

static bool leave_some_out(size_t i)
{
	return i % 100 < 70;
}

static void where_records_are_missing_is_a_gap(void **state)
{
	(void)state;
	struct random random = {42};

	for (unsigned round = 0; round < 20; round++) {
		char unit[UNIT_SIZE];
		make(round % 2 ? 64 : 32, &random);
		make_unit(unit, &random);
		size_t count = travel(unit, leave_some_out);
		assert_int_equal(gap_count(count), COUNT / 100);
		assert_int_equal(count, COUNT / 100 * 71);
		assert_all_but(count, 30);
		etrace_run_fini(&run);
	}
}

/* A trap without a cause, or with one that is too large; an opcode that nobody has. */
static void what_a_packet_cannot_say_is_a_gap(void **state)
{
	(void)state;
	struct random random = {43};

	for (unsigned round = 0; round < 12; round++) {
		struct ear_record *record;
		make(32, &random);
		do
			record = &records[100 + random_below(&random, 400)];
		while (!(record->flags & STOPS) != (round % 3 == 2));
		if (round % 3 == 0)
			record->flags |= EAR_RECORD_NO_CAUSE;
		else if (round % 3 == 1)
			record->cause |= 64;
		else
			record->isa = EAR_ISA_A32;
		size_t count = travel(NULL, NULL);
		assert_int_equal(gap_count(count), 1);
		assert_int_equal(count, COUNT);
		assert_all_but(count, 1);
		etrace_run_fini(&run);
	}
}

static void units_that_are_only_read_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *unit, *fault;
	} rows[] = {
		{"{\"atb_id\": 4}", "\"atb_id\": such a trace can only be read"},
		{"{\"privilege_width\": 1}", "\"privilege_width\": such a trace can only be read"},
		{"esp32c6", "the unit is one of Espressif's: read it as esptrace"},
		{"pulpo",
			"'pulpo' is not a unit that is known; those are reference, pulp, esp32c6, "
			"esp32h2, esp32c5, esp32c61, esp32h21, esp32h4, esp32p4, esp32s31"},
	};
	struct ear_text_output text = {.fd = -1};
	struct ear_writer *writer;
	char fault[EAR_FLOW_FAULT_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_writer_options options = {.unit = rows[i].unit};
		assert_int_equal(
			ear_writer_etrace_make(&writer, &text, &options, fault, sizeof(fault)),
			EAR_E_BAD_ARGUMENT);
		assert_string_equal(fault, rows[i].fault);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(where_records_are_missing_is_a_gap),
		cmocka_unit_test(what_a_packet_cannot_say_is_a_gap),
		cmocka_unit_test(units_that_are_only_read_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
