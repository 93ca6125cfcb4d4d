/* The self-check of what comes from a file: a stream of the wire after an 'x', which is checked in
 * runs and record by record, with its CRCs made right, or a text after the letter of its format.
 * Wrong is: a crash, a read beyond the bytes, runs that are judged otherwise than their records, an
 * error of the checker other than too many harts, a violation that no count has.
 */
#define _GNU_SOURCE /* memfd_create */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"
#include "decoder/formats/base/reader.h"
#include "decoder/formats/formats.h"
#include "library/check/checker.h"
#include "repair.h"
#include "target.h"

/* As in fuzz_reader.c. */
static const struct {
	char letter;
	const char *format;
} formats[] = {
	{'w', "whisper"},
	{'W', "whisper-log"},
	{'q', "qemu4v"},
	{'t', "tarmac"},
	{'s', "spike"},
	{'d', "riscv-dv"},
	{'l', "sail"},
	{'i', "ibex"},
	{'j', "json"},
};

/* What one way found. */
struct verdict {
	uint64_t violations, digest;
	struct ear_check_counts counts;
};

static int note(void *context, const struct ear_violation *violation)
{
	struct verdict *verdict = context;

	verdict->violations++;
	verdict->digest = (verdict->digest ^ violation->number) * 0x100000001B3u;
	for (const char *at = violation->text; *at; at++)
		verdict->digest = (verdict->digest ^ (uint8_t)*at) * 0x100000001B3u;
	return 0;
}

static struct ear_checker *begin(struct verdict *verdict, bool captured)
{
	const struct ear_checker_options options = {
		.captured = captured, .found = note, .context = verdict};
	struct ear_checker *checker;

	*verdict = (struct verdict){.digest = 0xCBF29CE484222325u};
	if (ear_checker_new(&checker, &options) != 0)
		abort();
	return checker;
}

static void end(struct verdict *verdict, struct ear_checker *checker)
{
	uint64_t violations = 0;

	verdict->counts = *ear_checker_counts(checker);
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++) {
		if (verdict->counts.rules[rule].checked < verdict->counts.rules[rule].violations)
			abort();
		violations += verdict->counts.rules[rule].violations;
	}
	if (violations != verdict->violations)
		abort();
	ear_checker_free(checker);
}

static void check_stream(
	struct verdict *verdict, const uint8_t *bytes, size_t size, bool one_by_one)
{
	struct ear_checker *checker = begin(verdict, true);
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	const struct ear_compact_record *compacts;
	const struct ear_compact_run *run = NULL;
	const struct ear_record *record;
	uint64_t number = 0;
	size_t used;
	int answer;

	if (!decoder)
		abort();
	ear_decoder_init(decoder, NULL, NULL);
	decoder->one_by_one = one_by_one;
	decoder->with_reads = true;
	decoder->with_operands = !one_by_one;
	for (;;) {
		int result = one_by_one
				     ? ear_decoder_next(decoder, &record, &used, bytes, size, true)
				     : ear_decoder_next_run(decoder, &run, &compacts, &record,
					       &used, bytes, size, true);
		bytes += used;
		size -= used;
		if (result != 1)
			break;
		answer = run ? ear_checker_push_run(checker, run, compacts,
				       ear_decoder_operands(decoder), number, number)
			     : ear_checker_push(checker, record, number, number);
		if (answer == EAR_E_FULL)
			break;
		if (answer != 0)
			abort();
		number += run ? run->count : 1;
	}
	ear_decoder_fini(decoder);
	free(decoder);
	end(verdict, checker);
}

static bool is_same(const struct verdict *a, const struct verdict *b)
{
	for (unsigned rule = 0; rule < EAR_CHECK_RULES; rule++) {
		if (a->counts.rules[rule].checked != b->counts.rules[rule].checked)
			return false;
		for (unsigned reason = 0; reason < EAR_CHECK_REASONS; reason++)
			if (a->counts.rules[rule].unchecked[reason] !=
				b->counts.rules[rule].unchecked[reason])
				return false;
	}
	return a->digest == b->digest && a->counts.instructions == b->counts.instructions;
}

static void check_both_ways(const uint8_t *bytes, size_t size)
{
	struct verdict runs, single;
	uint8_t *repaired = exact_copy(bytes, size);

	repair_frames(repaired, size);
	check_stream(&runs, repaired, size, false);
	check_stream(&single, repaired, size, true);
	if (!is_same(&runs, &single))
		abort();
	free(repaired);
}

static int ignore(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	(void)context, (void)line, (void)offset, (void)cause, (void)kind;
	return 0;
}

static void check_text(const char *format, const uint8_t *bytes, size_t size)
{
	struct ear_reader_options options = {.report = ignore};
	const struct ear_record *record;
	struct ear_text_input *input;
	struct verdict verdict;
	struct ear_checker *checker = begin(&verdict, false);
	int fd = memfd_create("text", 0);
	uint64_t number = 0;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0 ||
		ear_text_input_new(&input, fd, NULL, 0) < 0)
		abort();
	struct ear_reader *reader = ear_reader_find(format)->make(input, &options);
	while (ear_reader_next(reader, &record) == 1) {
		int answer = ear_checker_push(checker, record, number, number);
		if (answer == EAR_E_FULL)
			break;
		if (answer != 0)
			abort();
		number++;
	}
	ear_reader_free(reader);
	ear_text_input_free(input);
	close(fd);
	end(&verdict, checker);
}

int fuzz_check(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	if (bytes[0] == 'x' && size > 1)
		check_both_ways(bytes + 1, size - 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (bytes[0] == (uint8_t)formats[i].letter && ear_reader_find(formats[i].format))
			check_text(formats[i].format, bytes + 1, size - 1);
	return 0;
}
