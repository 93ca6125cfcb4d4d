/* The readers of E-Trace and of Espressif's trace, on files. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>

#include "etrace_run.h"

#include "decoder/formats/etrace/reader_etrace.h"

static struct etrace_run run;

struct reports {
	unsigned count;
	char text[512];
};

static int note_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct reports *reports = context;
	size_t used = strlen(reports->text);

	(void)line_number;
	(void)offset;
	(void)kind;
	reports->count++;
	snprintf(reports->text + used, sizeof(reports->text) - used, "%s\n", cause);
	return 0;
}

struct outcome {
	size_t instructions, gaps;
	uint64_t last_pc;
};

static uint64_t pcs[RUN_ITEMS_MAX]; /* of the instructions read last */

static void take_instruction(struct outcome *outcome, uint64_t pc)
{
	assert_below(outcome->instructions, RUN_ITEMS_MAX);
	pcs[outcome->instructions++] = outcome->last_pc = pc;
}

static void take_record(struct outcome *outcome, const struct ear_record *record)
{
	outcome->gaps += record->kind == EAR_RECORD_GAP;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		take_instruction(outcome, record->pc);
}

/* The rest of the reader, in runs and one by one. */
static struct outcome read_rest(struct ear_reader *reader)
{
	const struct ear_compact_record *compacts;
	const struct ear_compact_run *found = NULL;
	const struct ear_record *record;
	struct outcome outcome = {0};
	int result = 1;

	for (unsigned i = 0; result == 1; i++) {
		found = NULL;
		result = i % 3 ? ear_reader_next_run(reader, &found, &compacts, &record)
			       : ear_reader_next(reader, &record);
		for (size_t at = 0; result == 1 && found && at < found->count; at++) {
			assert_int_equal(found->first_index + at, outcome.instructions);
			take_instruction(&outcome, compacts[at].pc);
		}
		if (result == 1 && !found)
			take_record(&outcome, record);
	}
	assert_int_equal(result, 0);
	return outcome;
}

/* Read a file of these bytes. */
static struct outcome read_bytes(
	const uint8_t *bytes, size_t size, bool esp, const char *unit, struct reports *reports)
{
	const struct ear_reader_options options = {
		.report = note_report, .context = reports, .code = run.code, .unit = unit};
	struct outcome outcome;
	struct ear_text_input *input;
	struct ear_reader *reader;
	char fault[200];
	int result;

	*reports = (struct reports){.count = 0};
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fflush(file), 0);
	rewind(file);
	assert_int_equal(ear_text_input_new(&input, fileno(file), NULL, 0), 0);
	result = (esp ? ear_reader_esptrace_make : ear_reader_etrace_make)(
		&reader, input, &options, fault, sizeof(fault));
	if (result)
		fail_msg("%s", fault);
	outcome = read_rest(reader);
	ear_reader_free(reader);
	ear_text_input_free(input);
	fclose(file);
	return outcome;
}

static void make_run(const char *text, bool esp, bool full, size_t items)
{
	static struct ear_etrace_unit unit;
	struct random random = {40 + full};
	const struct etrace_run_options options = {.items = items, .machine_mode = esp ? 1 : 3};
	char fault[200];

	assert_int_equal(ear_etrace_unit_read(&unit, NULL, text, esp, 32, fault, sizeof(fault)), 0);
	unit.full_address = full;
	etrace_run_make(&run, &unit, &random, &options);
	run.aligned = true;
	etrace_run_encode(&run, &unit, 10, items);
}

static void a_file_is_read_with_its_unit(void **state)
{
	(void)state;
	const char *unit = "{\"time_width\": 20, \"encapsulation\": {\"srcid_bits\": 9}}";
	struct reports reports;

	make_run(unit, false, false, 500);
	const struct outcome got = read_bytes(run.bytes, run.size, false, unit, &reports);
	assert_int_equal(got.instructions, 500);
	assert_int_equal(got.gaps, 0);
	assert_int_equal(reports.count, 0);
	assert_int_equal(got.last_pc, run.items[499].pc);
	etrace_run_fini(&run);
}

static void a_wrong_unit_is_reported_and_makes_gaps(void **state)
{
	(void)state;
	struct reports reports;

	make_run("{\"time_width\": 20}", false, false, 500);
	const struct outcome got = read_bytes(run.bytes, run.size, false, "{}", &reports);
	assert_above(got.gaps, 0);
	assert_contains(reports.text, "the bytes are no packet of such a unit");
	assert_at_most(reports.count, 8);
	etrace_run_fini(&run);
}

/* The two readings of Espressif's addresses: the one that fits is found without being named. */
static void the_addresses_of_espressif_are_tried_both_ways(void **state)
{
	(void)state;
	static const char *const units[] = {"esp32c6", "esp32p4"};
	struct reports reports;

	for (unsigned i = 0; i < 4; i++) {
		const bool full = i & 1;
		make_run(units[i >> 1], true, full, 600);
		const struct outcome got =
			read_bytes(run.bytes, run.size, true, units[i >> 1], &reports);
		assert_int_equal(got.instructions, 600);
		assert_int_equal(got.gaps, 0);
		assert_int_equal(reports.count, 1);
		assert_contains(reports.text, full ? "as absolute" : "as differences");
		etrace_run_fini(&run);
	}
}

static void a_ring_is_turned_to_its_oldest_byte(void **state)
{
	(void)state;
	static uint8_t ring[RUN_BYTES_MAX];
	struct reports reports;
	char unit[100];

	make_run("esp32c5", true, false, 800);
	for (size_t head = 0; head < run.size; head += run.size / 5) {
		memcpy(ring, run.bytes + run.size - head, head);
		memcpy(ring + head, run.bytes, run.size - head);
		snprintf(unit, sizeof(unit),
			"{\"generation\": \"ET20\", \"wrapped\": 1, \"head_offset\": %zu}", head);
		const struct outcome got = read_bytes(ring, run.size, true, unit, &reports);
		assert_above(got.instructions, 600);
		assert_int_equal(got.gaps, 1);
		assert_int_equal(got.last_pc, run.items[799].pc);
	}
	etrace_run_fini(&run);
}

/* The sink has written what the stream has up to here, word by word, into 512 bytes. What comes out
 * of them is the end of what the stream's beginning gives. */
static void a_ring_of_a_sink_is_read_by_its_registers(void **state)
{
	(void)state;
	static uint64_t expected[RUN_ITEMS_MAX];
	uint8_t ring[512];
	struct reports reports;
	char unit[120];

	make_run("{}", false, false, 800);
	memset(ring, 0xA5, sizeof(ring));
	for (size_t at = 0; at < run.size; at++) {
		ring[at % sizeof(ring)] = run.bytes[at];
		const size_t next = at + 1;
		if (next % 4 || (next % 64 && at > 2 * sizeof(ring)))
			continue;
		snprintf(unit, sizeof(unit),
			"{\"ram_start\": 4096, \"ram_limit\": 4604, \"ram_wp\": %zu}",
			4096 + next % sizeof(ring) + (next >= sizeof(ring)));
		const struct outcome all = read_bytes(run.bytes, next, false, "{}", &reports);
		memcpy(expected, pcs, sizeof(pcs));
		const struct outcome got = read_bytes(ring, sizeof(ring), false, unit, &reports);
		assert_at_most(got.instructions, all.instructions);
		if (next < sizeof(ring))
			assert_int_equal(got.instructions, all.instructions);
		else
			assert_above(got.instructions, 0);
		assert_memory_equal(pcs, expected + all.instructions - got.instructions,
			got.instructions * sizeof(pcs[0]));
	}
	etrace_run_fini(&run);
}

/* With resynchronisation off a ring has no packet that says where the core was. */
static void a_ring_without_a_start_says_so(void **state)
{
	(void)state;
	struct reports reports;

	make_run("esp32c5", true, false, 800);
	etrace_run_encode(&run, run.unit, 0, 800);
	const size_t from = run.packets[20];
	const struct outcome got = read_bytes(run.bytes + from, run.packets[40] - from, true,
		"{\"generation\": \"ET20\", \"wrapped\": 1}", &reports);
	assert_int_equal(got.instructions, 0);
	assert_int_equal(got.gaps, 1);
	assert_contains(reports.text, "resynchronisation off");
	etrace_run_fini(&run);
}

static void impossible_units_are_refused(void **state)
{
	(void)state;
	static const char *const units[] = {"esp32c3", "{\"bpred_size\": 17}", "[1]",
		"{\"bpred_size\": 3, \"cache_size\": 3}", "{\"generation\": \"PT10\"}",
		"{\"return_stack_size\": 2, \"call_counter_size\": 2}", "{\"xlen\": 33}"};

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		struct ear_etrace_unit unit;
		char fault[200] = "";
		assert_int_equal(ear_etrace_unit_read(
					 &unit, NULL, units[i], false, 32, fault, sizeof(fault)),
			EAR_E_BAD_ARGUMENT);
		assert_true(fault[0]);
	}
}

static void espressifs_buffers_are_recognised(void **state)
{
	(void)state;

	make_run("esp32c6", true, true, 300);
	assert_above(ear_reader_esptrace_detect((const char *)run.bytes, run.size), 0);
	run.bytes[run.packets[3] + 1]++;
	assert_int_equal(ear_reader_esptrace_detect((const char *)run.bytes, run.size), 0);
	etrace_run_fini(&run);
}

static void traces_of_the_usual_unit_are_recognised(void **state)
{
	(void)state;
	struct random random = {9};
	char other[200];

	for (unsigned full = 0; full < 2; full++) {
		make_run("{}", false, full, 300);
		run.aligned = false;
		etrace_run_encode(&run, run.unit, 10, 300);
		assert_above(ear_reader_etrace_detect((const char *)run.bytes, run.size), 0);
		assert_int_equal(ear_reader_etrace_detect((const char *)run.bytes, 20), 0);
		assert_int_equal(ear_reader_etrace_detect((const char *)run.bytes + run.packets[2],
					 run.size - run.packets[2]),
			0);
		etrace_run_fini(&run);
	}
	for (unsigned i = 0; i < 20000; i++) {
		for (size_t at = 0; at < sizeof(other); at++)
			other[at] = (char)(random_below(&random, 256) & (i % 2 ? 0xFF : 0x1F));
		assert_int_equal(ear_reader_etrace_detect(other, sizeof(other)), 0);
	}
}

/* The width of srcID shows where nothing says it; the hart is its value. */
static void a_width_of_srcid_is_found(void **state)
{
	(void)state;
	struct reports reports;
	char unit[60];

	for (unsigned bits = 1; bits <= 16; bits++) {
		snprintf(unit, sizeof(unit), "{\"srcid_bits\": %u}", bits);
		make_run(unit, false, bits & 1, 500);
		run.aligned = false;
		etrace_run_encode(&run, run.unit, 10, 500);
		assert_above(ear_reader_etrace_detect((const char *)run.bytes, run.size), 0);
		const struct outcome got = read_bytes(run.bytes, run.size, false, NULL, &reports);
		assert_int_equal(got.instructions, 500);
		assert_int_equal(got.gaps, 0);
		assert_int_equal(reports.count, 1);
		snprintf(unit, sizeof(unit), "srcID is taken to have %u bits", bits);
		assert_contains(reports.text, unit);
		etrace_run_fini(&run);
	}
	make_run("{}", false, false, 500);
	read_bytes(run.bytes, run.size, false, NULL, &reports);
	assert_int_equal(reports.count, 0);
	etrace_run_fini(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_with_its_unit),
		cmocka_unit_test(a_wrong_unit_is_reported_and_makes_gaps),
		cmocka_unit_test(the_addresses_of_espressif_are_tried_both_ways),
		cmocka_unit_test(a_ring_is_turned_to_its_oldest_byte),
		cmocka_unit_test(a_ring_of_a_sink_is_read_by_its_registers),
		cmocka_unit_test(a_ring_without_a_start_says_so),
		cmocka_unit_test(impossible_units_are_refused),
		cmocka_unit_test(espressifs_buffers_are_recognised),
		cmocka_unit_test(traces_of_the_usual_unit_are_recognised),
		cmocka_unit_test(a_width_of_srcid_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
