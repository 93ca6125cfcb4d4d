/* Logs of tracers: each sample means what its .jsonl says, the bad lines of it are reported, and
 * the table of fields is what the samples have.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/formats.h"

#ifndef MUTATIONS /* of each sample; more by hand */
#define MUTATIONS 400
#endif

/* A file of tests/data/logs, of the format that its name begins with, and its bad lines. */
struct sample {
	const char *file, *format;
	unsigned bad;     /* lines */
	const char *says; /* of the first one */
};

static const struct sample samples[] = {
	{"rvvi", "rvvi", 2, "an element has no value, or a wrong one"},
	{"rvvi-earshot", "rvvi", 0, NULL},
	{"qemu-execlog", "qemu-execlog", 1, "the line is not one of a log of execlog"},
	{"qemu-execlog-reg", "qemu-execlog-reg", 0, NULL},
	{"qemu", "qemu", 1, "the line is not one of a QEMU log"},
	{"qemu-asm", "qemu-asm", 1, "the line is not one of a QEMU log"},
	{"qemu-cpu", "qemu-cpu", 1, "the line is not one of a QEMU log"},
	{"qemu-cpu-arm", "qemu-cpu", 0, NULL},
	{"qemu-cpu-aarch64", "qemu-cpu", 0, NULL},
	{"rocket", "rocket", 3, "the line is not one of a Rocket log"},
	{"gem5", "gem5", 3, "the line is not one of a gem5 trace"},
	{"imperas", "imperas", 2, "a register is malformed"},
	{"ovpsim", "ovpsim", 2, "the line is not one of a trace of Imperas"},
	{"rvfi-table", "rvfi-table", 1, "the privilege is unknown"},
	{"ariane", "ariane", 1, "the privilege is unknown"},
	{"ariane-dasm", "ariane-dasm", 2, "the privilege is unknown"},
	{"dromajo", "dromajo", 1, "the line is not one of a Dromajo trace"},
	{"neorv32", "neorv32", 2, "the privilege is unknown"},
	{"neorv32-2025", "neorv32", 0, NULL},
	{"tracerv", "tracerv", 1, "the line is not one of a TracerV text"},
	{"veer", "veer", 1, "the line is not one of a VeeR log"},
	{"difftest", "difftest", 3, "the line is not one of a commit trace of difftest"},
	{"bsg-manycore", "bsg-manycore", 2, "a pc or an opcode is malformed"},
	{"snitch", "snitch", 1, "the line is not one of a trace of Snitch"},
	{"renode", "renode", 0, NULL},
	{"renode-memory", "renode-memory", 1, "the line is not one of a trace of Renode"},
};

static char *load(const struct sample *sample, const char *end, size_t *size)
{
	char name[100];

	snprintf(name, sizeof(name), "logs/%s%s", sample->file, end);
	return trip_load(name, size);
}

static void each_sample_means_what_its_records_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		size_t size, want_size, got_size;
		char *text = load(&samples[i], "", &size);
		char *want = load(&samples[i], ".jsonl", &want_size);
		const struct ear_reader_format *format = ear_reader_detect(text, size);
		struct trip trip;
		if (!format || strcmp(format->name, samples[i].format) != 0)
			fail_msg("%s is taken for %s", samples[i].file,
				format ? format->name : "nothing");
		trip_read(&trip, samples[i].format, text, size, NULL);
		assert_int_equal(trip.result, 0);
		char *got = trip_write("json", trip.records, trip.count, &got_size);
		if (strcmp(got, want) != 0)
			fail_msg("%s: the records are\n%s", samples[i].file, got);
		if (trip.bad != samples[i].bad)
			fail_msg("%s: %u bad lines", samples[i].file, trip.bad);
		for (unsigned m = 0, bad = 0; m < TRIP_MESSAGES_MAX && !bad && trip.bad > 0; m++) {
			bad = trip.messages[m].bad;
			if (bad)
				assert_string_equal(trip.messages[m].cause, samples[i].says);
		}
		trip_fini(&trip);
		free(text);
		free(want);
		free(got);
	}
}

/* A form that carries a field shows it in a sample, and one that does not never does. */
static void the_table_of_fields_is_what_the_samples_have(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		uint64_t fields = 0;
		size_t size;
		if (i > 0 && strcmp(samples[i].format, samples[i - 1].format) == 0)
			continue;
		for (size_t k = i;
			k < COUNT_OF(samples) && strcmp(samples[k].format, samples[i].format) == 0;
			k++) {
			char *text = load(&samples[k], "", &size);
			struct trip trip;
			trip_read(&trip, samples[k].format, text, size, NULL);
			for (size_t r = 0; r < trip.count; r++)
				fields |= ear_record_fields(trip.records[r]);
			trip_fini(&trip);
			free(text);
		}
		uint64_t said = ear_reader_find(samples[i].format)->fields;
		fields &= ~EAR_FIELD_BIT(EAR_FIELD_GAP); /* of bad lines */
		for (unsigned field = 0; field < EAR_FIELD_COUNT; field++)
			if ((fields ^ said) & EAR_FIELD_BIT(field))
				print_error("%s: %s is in the %s only\n", samples[i].format,
					ear_field_text((enum ear_field)field),
					said & EAR_FIELD_BIT(field) ? "table" : "samples");
		wrong += fields != said;
	}
	assert_int_equal(wrong, 0);
}

static void damaged_logs_end_in_an_orderly_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		size_t size;
		char *text = load(&samples[i], "", &size);
		trip_torture(samples[i].format, text, size, MUTATIONS);
		for (size_t part = 0; part < size && part < 4000; part += 97 * EAR_TEST_LESS) {
			char *exact = malloc(part + 1); /* nothing after it is read */
			assert_non_null(exact);
			memcpy(exact, text + size - part, part);
			ear_reader_detect(exact, part);
			free(exact);
		}
		free(text);
	}
}

/* Logs as people paste them (tests/cases/pasted.t compares their records), of all readers. */
static void damaged_pasted_logs_end_in_an_orderly_way(void **state)
{
	static const char *const files[] = {"ariane-spike-dasm.log", "boom.log", "cospike.log",
		"cv32e40p.log", "cva6-2020.log", "cva6-2024.log", "difftest-2021.log",
		"difftest-2025.log", "gem5-console.log", "ibex-2019.log", "ibex-capability.log",
		"ibex-opentitan.log", "ibex-rvvi.txt", "imperas-rv32.log", "neorv32-names.log",
		"pulpino.log", "qemu-in-asm.log", "riscv-dv-2019.csv", "rocket-console.log",
		"rvfi-symbols.log", "sail-2026.log", "sodor.log", "spike-2019.log",
		"spike-debugger.log", "spike-extended.log", "spike-vector.log", "tarmac-armv5.log",
		"tarmac-m0.log", "tarmac-m4.log", "veer-eh1.log", "whisper-2019.log"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char name[100];
		size_t size;
		snprintf(name, sizeof(name), "pasted/%s", files[i]);
		char *text = trip_load(name, &size);
		const struct ear_reader_format *format = ear_reader_detect(text, size);
		if (!format)
			fail_msg("%s is taken for nothing", files[i]);
		trip_torture(format->name, text, size, MUTATIONS / 4);
		free(text);
	}
}

/* NEMU prints an opcode as its bytes, in the order of the memory: that is not Renode's. */
static void bytes_of_an_opcode_are_no_opcode(void **state)
{
	static const char nemu[] = "0x0000000080000b98:   9b 12 e3 01     slliw   t0,t1,30\n"
				   "0x0000000080000b9c:   67 83 04 00     jalr   t1,s1,0\n";
	static const char renode[] = "0x80000B98: 0x13 addi zero, zero, 0\n"
				     "0x80000B9C: 0x48367 jalr t1, s1, 0\n";

	(void)state;
	assert_null(ear_reader_detect(nemu, sizeof(nemu) - 1));
	assert_string_equal(ear_reader_detect(renode, sizeof(renode) - 1)->name, "renode");
}

/* Of RVVI-TEXT, what was written comes back; of all samples, as far as it carries their fields. */
static void what_was_written_comes_back(void **state)
{
	static const char *const files[] = {"logs/rvvi.jsonl", "logs/written.jsonl"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct trip first, again;
		size_t size;
		trip_read_file(&first, "json", files[i]);
		assert_int_equal(first.bad, 0);
		char *text = trip_write("rvvi", first.records, first.count, &size);
		trip_read(&again, "rvvi", text, size, NULL);
		assert_int_equal(again.bad + again.warnings, 0);
		size_t count = 0;
		for (size_t k = 0; k < first.count; k++) {
			if (first.records[k]->kind != EAR_RECORD_INSTRUCTION)
				continue;
			assert_in_range(count + 1, 1, again.count);
			const char *field =
				trip_record_difference(first.records[k], again.records[count++]);
			if (field)
				fail_msg("%s, record %zu: %s\n%s", files[i], k, field, text);
		}
		assert_int_equal(count, again.count);
		free(text);
		trip_fini(&first);
		trip_fini(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_means_what_its_records_say),
		cmocka_unit_test(the_table_of_fields_is_what_the_samples_have),
		cmocka_unit_test(damaged_logs_end_in_an_orderly_way),
		cmocka_unit_test(damaged_pasted_logs_end_in_an_orderly_way),
		cmocka_unit_test(bytes_of_an_opcode_are_no_opcode),
		cmocka_unit_test(what_was_written_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
