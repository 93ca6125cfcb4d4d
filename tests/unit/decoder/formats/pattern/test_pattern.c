/* Logs of a form that the user describes: patterns that are right and wrong, lines that fit and do
 * not, samples in the forms that people have, and what no input may do.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/pattern/line_pattern.h"

#ifndef MUTATIONS /* of each sample; 10 000 of all */
#define MUTATIONS 1000
#endif

/* ---- Patterns. ---- */

static void what_is_wrong_with_a_pattern_is_said_where_it_is(void **state)
{
	static const struct {
		const char *text;
		uint32_t pattern;
		size_t column;
		const char *says; /* the beginning of the cause */
	} rows[] = {
		{"", 0, 1, "no pattern has a {pc}"},
		{"\n \n", 0, 1, "no pattern has a {pc}"},
		{"x{n}={v}", 0, 1, "no pattern has a {pc}"},
		{"{previous}{pc}", 0, 1, "no pattern has a {pc}"},
		{"{pc} {addr}", 0, 1, "without an {opcode} nobody knows what {addr}"},
		{"{pc} {rd}", 0, 1, "without an {opcode} nobody knows which register"},
		{"{pcc}", 1, 1, "there is no field 'pcc'"},
		{"{pc} {}", 1, 6, "there is no field ''"},
		{"{pc}\n{pc} {PC}", 2, 6, "there is no field 'PC'"},
		{"{pc} {next}", 1, 6, "there is no field 'next'"},
		{"{pc", 1, 1, "'{' without '}'"},
		{"{pc} {? x", 1, 6, "'{' without '}'"},
		{"{pc}}", 1, 5, "'}' without '{'"},
		{"{pc} {? {* a} }", 1, 9, "a part in braces"},
		{"{pc} {pc}", 1, 6, "'pc' is there twice"},
		{"{pc} {? {pc:d}}", 1, 9, "'pc' is there twice"},
		{"{* {pc} }", 1, 4, "only registers and accesses are repeated"},
		{"{pc:z}", 1, 5, "a number is :x, :d or :b"},
		{"{pc:xx}", 1, 5, "a number is :x, :d or :b"},
		{"{pc} {reg:x}={v}", 1, 11, "a number is :x, :d or :b"},
		{"{pc} x{n}", 1, 7, "the register has no value"},
		{"{pc} x{n} x{n} {v}", 1, 7, "the register has no value"},
		{"{pc} x{n}{? ={v}}", 1, 7, "the register has no value"},
		{"{pc} {v}", 1, 6, "{v} has no register"},
		{"{pc} {v} {v} {load}", 1, 6, "{v} has no register"},
		{"{pc} {size}", 1, 6, "{size} and {strobe} come after"},
		{"{pc} {size} {load}", 1, 6, "{size} and {strobe} come after"},
		{"{pc} {...}{opcode}", 1, 6, "a text of any length ends before"},
		{"{pc} {...} {opcode}", 1, 6, "a text of any length ends before"},
		{"{pc} {disasm}{? ;}", 1, 6, "a text of any length ends before"},
		{"{pc} {? {...}} x", 1, 9, "a text of any length ends before"},
		{"{pc} {? {...}}", 1, 9, "a text of any length ends before"},
		{"{next} {pc}", 1, 1, "a line of {next} has registers and accesses only"},
		{"{pc}\\", 1, 5, "there is nothing after the '\\'"},
		{"{pc} {* x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} "
		 "x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v} x{n}={v}",
			1, 154, "there are too many registers"},
		/* The short form. */
		{"pc x{n}", 1, 5, "the register has no value"},
		{"pc opcode pc", 1, 11, "'pc' is there twice"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_line_fault fault = {.cause = ""};
		struct ear_line_pattern *patterns = NULL;
		int result = ear_line_pattern_new(&patterns, rows[i].text, &fault);
		ear_line_pattern_free(patterns);
		if (result != EAR_E_BAD_ARGUMENT || fault.pattern != rows[i].pattern ||
			fault.column != rows[i].column ||
			strncmp(fault.cause, rows[i].says, strlen(rows[i].says)) != 0)
			fail_msg("'%s': %d, pattern %u, column %zu: %s", rows[i].text, result,
				fault.pattern, fault.column, fault.cause);
		assert_true(fault.line >= rows[i].text &&
			    fault.line + fault.size <= rows[i].text + strlen(rows[i].text));
		assert_int_equal(
			ear_line_pattern_new(&patterns, rows[i].text, NULL), EAR_E_BAD_ARGUMENT);
	}
}

static void too_long_a_text_of_patterns_is_refused(void **state)
{
	char *text = malloc(EAR_LINE_PATTERN_TEXT_MAX + 2);
	struct ear_line_pattern *patterns;
	struct ear_line_fault fault;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', EAR_LINE_PATTERN_TEXT_MAX + 1);
	memcpy(text, "{pc}", 4);
	text[EAR_LINE_PATTERN_TEXT_MAX + 1] = '\0';
	assert_int_equal(ear_line_pattern_new(&patterns, text, &fault), EAR_E_BAD_ARGUMENT);
	assert_string_equal(fault.cause, "the patterns are too long");
	text[EAR_LINE_PATTERN_TEXT_MAX] = '\0';
	assert_int_equal(ear_line_pattern_new(&patterns, text, &fault), 0);
	ear_line_pattern_free(patterns);
	free(text);
}

/* ---- Lines. ---- */

/* What was read, a record after the other: pc, then its effects in a form of our own. */
static void describe(const struct trip *trip, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < trip->count; i++) {
		const struct ear_record *record = trip->records[i];
		used += (size_t)snprintf(text + used, size - used, "%s%llx", i ? "; " : "",
			(unsigned long long)record->pc);
		for (size_t r = 0; r < record->register_count; r++)
			used += (size_t)snprintf(text + used, size - used, " %c%u=%llx",
				"xfcv"[record->registers[r].reg_class],
				record -> registers[r].number,
				(unsigned long long)record->registers[r].value);
		for (size_t m = 0; m < record->memory_count; m++)
			used += (size_t)snprintf(text + used, size - used,
				record->memory[m].has_value ? " %c%llx.%u=%llx" : " %c%llx.%u",
				record->memory[m].write ? 'W' : 'R',
				(unsigned long long)record->memory[m].address,
				record->memory[m].size,
				(unsigned long long)record->memory[m].value);
	}
}

static void a_line_means_what_its_pattern_says(void **state)
{
	static const struct {
		const char *pattern, *lines, *records;
		unsigned bad; /* lines */
		const char *says;
	} rows[] = {
		/* Blanks, at the ends and inside. */
		{"  {pc}  k ", "80000000 k\n\t80000004 \t k  \n80000008k\n", "80000000; 80000004",
			1, "column 9: expected a blank"},
		{"{pc}x", "80000000x\n80000000 x\n", "80000000", 1, "column 9: expected 'x'"},
		/* Literals, escapes, one character is enough to differ. */
		{"a\\{b\\}c\\\\ {pc}", "a{b}c\\ 4\n", "4", 0, NULL},
		{"PC={pc}", "PC=80000000\npc=80000000\n", "80000000", 1,
			"the line is not one of a given pattern (column 1: expected 'PC=')"},
		{"PC={pc}", "PC=80000000 trailing\n", "", 1,
			"column 13: expected the end of the line"},
		/* Numbers. */
		{"{pc}", "0x80000000\n80000000\n0X8\n", "80000000; 80000000; 8", 0, NULL},
		{"{pc:d}", "  16\n0x16\n1a\n", "10; 16", 1,
			"column 2: expected the end of the line"},
		{"{pc:b}", "100\n102\n", "4", 1, "column 3: expected the end of the line"},
		{"{pc}", "10000000000000000\n", "", 1,
			"the line is not one of a given pattern (column 1: expected a hexadecimal number for "
			"{pc})"},
		{"{pc} {index}", "4 -\n", "4", 0, NULL},
		{"{pc} x{n}={v:d}", "80000000 x5=-1\n", "80000000 x5=ffffffff", 0, NULL},
		{"{pc} x{n}={v:d}", "0000000080000000 x5=-1\n", "80000000 x5=ffffffffffffffff", 0,
			NULL},
		/* Placeholders. */
		{"{pc} x{n}={v}", "4 x5=xxxxxxxx\n8 x5=0000XX00\nc x5=0xZZZZ\n", "4; 8; c", 0,
			NULL},
		{"{pc} x{n}={v}", "4 x5=--------\n4 xx=1\n4 x5=xx1g\n", "4; 4", 1,
			"column 6: expected a hexadecimal number for {v}"},
		{"{pc}", "xxxxxxxx\n", "", 1, "the pc is unknown"},
		/* Registers. */
		{"{pc} x{n} f{n} {v} ", "", "", 0, NULL},
		{"{pc} x{n}={v} f{n}={v} r{n}={v}", "4 x1=1 f2=2 r3=3\n", "4 x1=1 x3=3 f2=2", 0,
			NULL},
		{"{pc} x{n}={v}", "4 x0=1\n8 x31=1\n8 x32=1\n", "4; 8 x31=1", 1,
			"column 4: expected a decimal number for {n}"},
		{"{pc} {reg}={v}", "4 a0=1\n8 fa0=2\nc mstatus=3\n10 zz=1\n",
			"4 x10=1; 8 f10=2; c c768=3", 1, "column 4: expected a word for {reg}"},
		{"{pc} {csr}={v}", "4 305=1\n8 mepc=2\nc fff1=1\n", "4 c773=1; 8 c833=2", 1,
			"column 3: expected a word for {csr}"},
		{"{pc} {v}=>x{n:x}", "4 11=>x1f\n", "4 x31=11", 0, NULL},
		{"{pc} {opcode} {rd}", "0 00500293 5\n4 00532223 8\n8 00000297 x\n", "0 x5=5; 4; 8",
			0, NULL},
		/* Optional parts and repetitions. */
		{"{pc}{? x{n}={v}} end", "4 x1=1 end\n8 end\nc x1=g end\n", "4 x1=1; 8", 1,
			"column 6: expected a hexadecimal number for {v}"},
		{"{pc}{* x{n}={v}}", "4 x1=1 x2=2   x3=3\n8\n", "4 x1=1 x2=2 x3=3; 8", 0, NULL},
		{"{pc}{* [{load}:{size}]}{* [{store}={v}]}", "4 [8:4] [c:9]\n8 [1=2]\n",
			"4 R8.4 Rc.0; 8 W1.0=2", 0, NULL},
		{"{pc}{* {?}", "", "", 0, NULL}, /* literal '{?' is none: refused below */
		{"{pc}{* }{? }", "4\n", "4", 0, NULL},
		{"pc opcode x{n}={v} [{addr}]={v}",
			"0 00500293 x5=5\n4 00532223 [14]=5\n8 00432383 x7=5 [14]=5\nc 00000013\n",
			"0 x5=5; 4 W14.4=5; 8 x7=5 R14.4=5; c", 0, NULL},
		{"time,pc", "1,4\n", "4", 0, NULL},
		{"{pc} pc", "4 pc\n", "4", 0, NULL},
		/* The opcode says what an access is, and how large. */
		{"{pc} {opcode} {store}={v}",
			"0 00532223 14=11223344\n4 005301a3 13=11223344\n"
			"8 00432383 14=5\n",
			"0 W14.4=11223344; 4 W13.1=44; 8 R14.4", 0, NULL},
		{"{pc} {store}={v}/{strobe:b}",
			"0 10=aabbccdd/0001\n4 10=aabbccdd/1100\n8 10=1/0000\n",
			"0 W10.1=dd; 4 W12.2=aabb; 8", 0, NULL},
		/* Any text. */
		{"{...} pc {pc} {...}", "a xpc xp   pc 4 and more\npc 8 x\npc c\n", "4; 8; c", 0,
			NULL},
		{"{pc} {_} x{n}={v}", "4 ,, x1=2\n", "4 x1=2", 0, NULL},
		{"{pc} {_};x{n}={v}", "4 aa;x1=2\n", "4 x1=2", 0, NULL},
		/* Which line begins a record, and which adds to one. */
		{"{pc}\nx{n}={v}", "x1=1\n4\nx1=2\nx2=3\n8\n", "4 x1=2 x2=3; 8", 1,
			"there is no record that the line adds to"},
		{"{pc}\n{next}x{n}={v}", "x1=1\n4\nx1=2\nx2=3\n8\nx1=1\n", "4 x1=1; 8 x1=2 x2=3", 0,
			"the last registers and accesses have no record that they belong to"},
		{"{pc} !\n{previous}{pc} x{n}={v}", "4 !\n4 x1=1\n8 x1=1\n", "4 x1=1", 1,
			"the record before has another pc"},
		{"{pc} {hart}\n{hart} x{n}={v}", "4 0\n0 x1=1\n8 1\n0 x1=1\n", "4 x1=1; 8", 1,
			"the record before has another hart"},
		{"{pc}\n{...} info {...}", "4\nan info line\nother\n", "4", 1,
			"the line is not one of a given pattern (pattern 1, column 1: expected a hexadecimal number for {pc})"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_reader_options options = {.pattern = rows[i].pattern};
		struct ear_line_pattern *patterns;
		struct trip trip;
		char text[400];
		if (rows[i].lines[0] == '\0') { /* such patterns are refused */
			assert_int_equal(ear_line_pattern_new(&patterns, rows[i].pattern, NULL),
				EAR_E_BAD_ARGUMENT);
			continue;
		}
		trip_read(&trip, "pattern", rows[i].lines, strlen(rows[i].lines), &options);
		assert_int_equal(trip.result, 0);
		describe(&trip, text, sizeof(text));
		if (strcmp(text, rows[i].records) != 0 || trip.bad != rows[i].bad)
			fail_msg("'%s': %u bad lines, records %s", rows[i].pattern, trip.bad, text);
		const char *says = "";
		for (unsigned m = 0; m < trip.bad + trip.warnings && m < TRIP_MESSAGES_MAX; m++)
			if (says[0] == '\0' || (!trip.messages[m - 1].bad && trip.messages[m].bad))
				says = trip.messages[m].cause;
		if (rows[i].says && strcmp(says, rows[i].says) != 0)
			fail_msg("'%s': says %s", rows[i].pattern, says);
		trip_fini(&trip);
	}
}

/* Without a record, the line that comes furthest shows what to change. */
static void a_log_that_fits_nowhere_shows_its_nearest_line(void **state)
{
	static const char lines[] = "banner\nPC: 4 I: 00000013\nPC= 4\n";
	const struct ear_reader_options options = {.pattern = "PC: {pc} INSN: {opcode}"};
	struct trip trip;

	(void)state;
	trip_read(&trip, "pattern", lines, strlen(lines), &options);
	assert_int_equal(trip.count, 0);
	assert_int_equal(trip.bad, 3);
	assert_int_equal(trip.warnings, 1);
	assert_string_equal(trip.messages[3].cause,
		"no line begins a record; line 2 comes furthest, to column 7: expected 'INSN:'");
	trip_fini(&trip);
}

/* A register or an access of {next} waits, but not without a limit. */
static void too_many_parts_do_not_wait(void **state)
{
	const struct ear_reader_options options = {.pattern = "{pc}\n{next}{* x{n}={v}}"};
	char lines[65 * 5 + 10] = "";
	struct trip trip;

	(void)state;
	for (unsigned i = 0; i < 65; i++)
		strcat(lines, " x1=1");
	strcat(lines, "\n4\n");
	trip_read(&trip, "pattern", lines, strlen(lines), &options);
	assert_int_equal(trip.bad, 1);
	assert_string_equal(
		trip.messages[0].cause, "too many registers and accesses wait for their record");
	assert_int_equal(trip.count, 1);
	assert_int_equal(trip.records[0]->register_count, 64);
	trip_fini(&trip);
}

/* ---- Samples. ---- */

static const char *const samples[] = {"bus", "commits", "counter", "cycles", "decimal", "golden",
	"picorv32", "rvfi", "stages", "vexriscv"};

struct sample {
	char *pattern, *text, *want;
	size_t size, want_size, pattern_size;
};

static char *load(const char *name, const char *end, size_t *size)
{
	char path[100];

	snprintf(path, sizeof(path), "pattern/%s%s", name, end);
	return trip_load(path, size);
}

static struct sample load_sample(const char *name)
{
	struct sample sample;

	sample.pattern = load(name, ".pattern", &sample.pattern_size);
	sample.text = load(name, "", &sample.size);
	sample.want = load(name, ".jsonl", &sample.want_size);
	return sample;
}

static void free_sample(struct sample *sample)
{
	free(sample->pattern);
	free(sample->text);
	free(sample->want);
}

static void each_sample_means_what_its_records_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct sample sample = load_sample(samples[i]);
		const struct ear_reader_options options = {.pattern = sample.pattern};
		struct trip trip, want;
		trip_read(&trip, "pattern", sample.text, sample.size, &options);
		trip_read(&want, "json", sample.want, sample.want_size, NULL);
		assert_int_equal(trip.result, 0);
		assert_true(trip.count >= 3);
		size_t skip = 0; /* gaps of words */
		for (size_t r = 0; r < trip.count; r++) {
			while (want.records[r + skip]->kind == EAR_RECORD_GAP)
				skip++;
			const char *difference =
				trip_record_difference(trip.records[r], want.records[r + skip]);
			if (difference)
				fail_msg("%s: record %zu: %s", samples[i], r, difference);
		}
		assert_int_equal(trip.count + skip, want.count);
		trip_fini(&trip);
		trip_fini(&want);
		free_sample(&sample);
	}
}

/* ---- Any input. ---- */

static void read_any(const char *pattern, const char *text, size_t size)
{
	const struct ear_reader_options options = {.pattern = pattern};
	struct trip trip;

	trip_read(&trip, "pattern", text, size, &options);
	assert_int_equal(trip.result, 0);
	trip_fini(&trip);
}

static void every_prefix_of_a_log_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct sample sample = load_sample(samples[i]);
		for (size_t size = 0; size < sample.size; size++)
			read_any(sample.pattern, sample.text, size);
		free_sample(&sample);
	}
}

/* A line as it is, in a buffer that ends with it. */
static void match_line(const struct ear_line_pattern *patterns, const char *text, size_t size)
{
	char *exact = malloc(size + 1);
	struct ear_line_match match;

	assert_non_null(exact);
	memcpy(exact, text, size);
	if (!ear_line_match(patterns, (struct ear_text){exact, size}, &match)) {
		assert_in_range(match.column, 1, size + 1);
		assert_true(match.expected[0] != '\0');
	}
	free(exact);
}

static void mutate(struct random *random, char *text, size_t size, const char *other, size_t length)
{
	for (unsigned i = 0; i <= random_below(random, 4); i++) {
		size_t at = random_below(random, (uint32_t)size);
		switch (random_below(random, 4)) {
		case 0: text[at] = (char)random_below(random, 256); break;
		case 1: text[at] = "{}?*_. \n0xf:=-"[random_below(random, 14)]; break;
		case 2: text[at] = other[random_below(random, (uint32_t)length)]; break;
		default:
			memmove(text + at, text + size / 2, size - (at > size / 2 ? at : size / 2));
		}
	}
}

static void mutated_lines_and_patterns_end_in_an_orderly_way(void **state)
{
	struct random random = {29};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct sample sample = load_sample(samples[i]);
		char *copy = malloc(sample.size + 1), *other = malloc(sample.pattern_size + 1);
		assert_true(copy && other);
		for (unsigned k = 0; k < MUTATIONS; k++) {
			struct ear_line_pattern *patterns;
			struct ear_line_fault fault;
			memcpy(copy, sample.text, sample.size);
			mutate(&random, copy, sample.size, sample.pattern, sample.pattern_size);
			if (k % 8 == 0)
				read_any(sample.pattern, copy, sample.size);
			memcpy(other, sample.pattern, sample.pattern_size + 1);
			if (k % 2 > 0)
				mutate(&random, other, sample.pattern_size, sample.text,
					sample.size);
			if (ear_line_pattern_new(&patterns, other, &fault)) {
				assert_true(fault.cause[0] && fault.column > 0);
				continue;
			}
			size_t at = random_below(&random, (uint32_t)sample.size);
			match_line(patterns, copy + at,
				random_below(&random, (uint32_t)(sample.size - at)));
			const char *line = copy;
			for (const char *end;
				(end = memchr(line, '\n', sample.size - (size_t)(line - copy)));
				line = end + 1)
				match_line(patterns, line, (size_t)(end - line));
			ear_line_pattern_free(patterns);
		}
		free(copy);
		free(other);
		free_sample(&sample);
	}
}

/* Lines that would make a matcher go back and forth: a thousand times as many characters take as
 * many steps. Without a clock: a quadratic matcher does not end here. */
static void a_line_of_megabytes_is_matched_at_once(void **state)
{
	static const struct {
		const char *pattern, *unit;
	} rows[] = {
		{"{pc}{* x{n}={v}} end", " x1=1"},
		{"{pc}{* {...} z} end", " a"},
		{"{...} a {pc}", " "},
		{"{...}ab{pc}", "a"},
		{"{pc}{* a{...}b}{? a{...}c}{? {disasm}d} end", "aab"},
		{"{pc} {...} x{n}={v} {...} y", "x1=1 "},
		{"{pc}{* {_}}{? {_} {_}} end", "  w"},
	};
	const size_t size = 4u << 20;
	char *line = malloc(size);

	(void)state;
	assert_non_null(line);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_line_pattern *patterns;
		struct ear_line_match match;
		const size_t unit = strlen(rows[i].unit);
		assert_int_equal(ear_line_pattern_new(&patterns, rows[i].pattern, NULL), 0);
		line[0] = '4';
		for (size_t at = 1; at < size; at++)
			line[at] = rows[i].unit[(at - 1) % unit];
		assert_false(ear_line_match(patterns, (struct ear_text){line, size}, &match));
		ear_line_pattern_free(patterns);
	}
	free(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_with_a_pattern_is_said_where_it_is),
		cmocka_unit_test(too_long_a_text_of_patterns_is_refused),
		cmocka_unit_test(a_line_means_what_its_pattern_says),
		cmocka_unit_test(a_log_that_fits_nowhere_shows_its_nearest_line),
		cmocka_unit_test(too_many_parts_do_not_wait),
		cmocka_unit_test(each_sample_means_what_its_records_say),
		cmocka_unit_test(every_prefix_of_a_log_is_read),
		cmocka_unit_test(mutated_lines_and_patterns_end_in_an_orderly_way),
		cmocka_unit_test(a_line_of_megabytes_is_matched_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
