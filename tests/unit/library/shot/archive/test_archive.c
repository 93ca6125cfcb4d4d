/* A text in a capture file comes back byte for byte, whatever it is. docs/file-format.md, 6 and 7.
 */
#include "check.h"

#include <dirent.h>
#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "decode_run.h"
#include "decoder/codec/decoder.h"
#include "decoder/formats/formats.h"
#include "library/shot/archive/archive.h"
#include "library/shot/archive/unpacker.h"
#include "library/shot/shot_index.h"
#include "library/shot/shot_states.h"
#include "library/shot/window.h"
#include "random.h"

#define MUTATED_MAX 3000 /* bytes of a text that is mutated */

static int not_a_fault(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	(void)context;
	(void)line_number;
	(void)offset;
	(void)cause;
	(void)kind;
	return 0;
}

/* Pack a text, in blocks as a reader of files makes them. Returns the capture file. */
static int pack(const char *text, size_t size, uint64_t state_interval,
	struct ear_archive_statistics *statistics)
{
	const struct ear_archive_options options = {
		.format = ear_reader_find("whisper"),
		.writer = ear_writer_find("whisper"),
		.reader = {.report = not_a_fault},
		.encoder = {.geometry = &ear_record_encoder_geometry,
			.fields = ear_writer_find("whisper")->fields},
		.state_interval = state_interval,
	};
	int from = memory_file(), to = memory_file(), result;
	struct ear_text_block block = {0};
	struct ear_text_input *input;
	struct ear_shot_writer *shot;
	struct ear_archive *archive;

	assert_int_equal(pwrite(from, text, size, 0), size);
	assert_int_equal(ear_text_input_new(&input, from, NULL, 0), 0);
	assert_int_equal(ear_shot_writer_new(&shot, to, "", 1), 0);
	assert_int_equal(ear_archive_new(&archive, shot, &options), 0);
	while ((result = ear_text_input_take_block(input, &block)) > 0)
		assert_int_equal(ear_archive_push(archive, &block), 0);
	assert_int_equal(result, 0);
	assert_int_equal(ear_archive_finish(archive), 0);
	assert_int_equal(ear_shot_writer_finish(shot, ""), 0);
	if (statistics)
		*statistics = *ear_archive_statistics(archive);
	ear_archive_free(archive);
	ear_shot_writer_free(shot);
	ear_text_block_fini(&block);
	ear_text_input_free(input);
	close(from);
	return to;
}

static int take_record(void *context, const struct ear_record *record)
{
	return ear_unpacker_push(context, record);
}

/* And out again, with so many threads. */
static void unpack(struct ear_text_output *output, int fd, unsigned jobs)
{
	const struct ear_unpacker_options options = {
		.format = ear_writer_find("whisper"), .jobs = jobs};
	struct ear_unpacker unpacker;
	struct ear_decoder decoder;
	struct ear_window window;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ear_text_output_init_memory(output), 0);
	assert_int_equal(ear_unpacker_init(&unpacker, output, &options), 0);
	ear_decoder_init(&decoder, take_record, &unpacker);
	assert_int_equal(ear_window_init(&window, fd, NULL, 0, false), 0);
	while (!window.final) {
		size_t used;
		assert_int_equal(ear_window_fill(&window), 0);
		assert_int_equal(ear_decoder_push(&decoder, &used, ear_window_bytes(&window),
					 ear_window_size(&window), window.final),
			0);
		ear_window_consume(&window, used);
		assert_false(window.at_loss);
		if (window.at_line_diff)
			assert_int_equal(ear_unpacker_line_diff(&unpacker,
						 ear_shot_reader_line_diff(window.reader)),
				0);
	}
	assert_int_equal(ear_unpacker_flush(&unpacker), 0);
	assert_int_equal(unpacker.bad_line_diffs, 0);
	assert_true(ear_shot_reader_complete(window.reader));
	assert_true(decoder.statistics.stopped);
	ear_window_fini(&window);
	ear_decoder_fini(&decoder);
	ear_unpacker_fini(&unpacker);
}

static void check_text(const char *text, size_t size, unsigned jobs)
{
	struct ear_text_output output;
	int fd = pack(text, size, 0, NULL);

	unpack(&output, fd, jobs);
	assert_int_equal(output.used, size);
	assert_memory_equal(output.buffer, text, size);
	ear_text_output_fini(&output);
	close(fd);
}

/* The Whisper CSVs of tests/data. Returns their number. */
static size_t load_samples(struct byte_buffer *samples, size_t most)
{
	struct dirent **names;
	size_t found = 0;
	int count = scandir(EAR_TEST_DATA "/whisper", &names, NULL, alphasort);

	assert_above(count, 0);
	for (int i = 0; i < count; i++) {
		const char *dot = strrchr(names[i]->d_name, '.');
		char path[4096];
		snprintf(path, sizeof(path), "%s/whisper/%s", EAR_TEST_DATA, names[i]->d_name);
		if (dot && strcmp(dot, ".csv") == 0 && found < most)
			assert_int_equal(byte_buffer_read_file(&samples[found++], path), 0);
		free(names[i]);
	}
	free(names);
	assert_at_least(found, 8);
	return found;
}

static void free_samples(struct byte_buffer *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		byte_buffer_free(&samples[i]);
}

static void every_sample_comes_back(void **state)
{
	struct byte_buffer samples[32] = {0};
	size_t count = load_samples(samples, COUNT_OF(samples));

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (unsigned jobs = 1; jobs <= 3; jobs++)
			check_text((const char *)samples[i].bytes, samples[i].size, jobs);
	free_samples(samples, count);
}

#define HEADER \
	"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, " \
	"disassembly, hartid\n"
#define ADDI "80000004,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n"
#define LOAD "80000008,0001a203,x4=12345678,x3;i0,80001400,l,m,,lw       x4; 0x0(x3),0\n"

static void other_spellings_come_back(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"\n\n\r\n",
		"# only a comment\n",
		HEADER,
		HEADER HEADER,
		HEADER ADDI,
		ADDI,                  /* no header */
		HEADER "\n" ADDI "\n", /* blank lines */
		HEADER ADDI HEADER ADDI,
		HEADER ADDI "this is no line of a trace\n" ADDI,
		HEADER ADDI
		"# gap: 7 records missing; index 1 to 7; hart 0; the unit's FIFO was full; "
		"stream byte 156\n" ADDI,
		HEADER "# event: nothing that can be read\n" ADDI,
		HEADER "80000004,40018193,X3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n",
		HEADER "0x80000004,0x40018193,x3=0x80001400,x3;i400,,,m,,addi x3;x3;1024,0\n",
		HEADER "80000004,40018193,x3=0080001400,x3;i400,,,m,,addi\tx3; x3; 0x400,0\n" ADDI,
		HEADER "80000004 ,40018193, x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n",
		HEADER
		"80000004,40018193,x3=80001400,x3;i400,,,m,,addi     x3; x3; 1024,0", /* cut */
		HEADER LOAD LOAD LOAD,
		HEADER ADDI "80000008,00003003,,x0;i0,0,l,m,,ld       x0; 0x0(x0),0\n",
		HEADER ADDI
		"80000008,40018193,x3=1234567880001400,x3;i400,,,m,,addi     x3; x3; 1024,0\n" ADDI,
		"inst, pc\n40018193,80000004\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		check_text(texts[i], strlen(texts[i]), 1 + i % 2);
}

static void line_ends_of_windows_come_back(void **state)
{
	static const char text[] =
		"pc, inst\r\n80000004,4501\r\n80000006,4501\r\n80000008,4501\n8000000a,4501\r\n";

	(void)state;
	check_text(text, sizeof(text) - 1, 1);
}

static void lines_without_a_character_that_ends_them_come_back(void **state)
{
	size_t size = 3 << 20;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, 'a', size);
	check_text(text, size, 1);
	text[size / 2] = '\n';
	text[size / 2 + 1] = '\0';
	check_text(text, size, 1);
	free(text);
}

/* --- mutations --- */

static void mutate(struct byte_buffer *text, struct random *random)
{
	size_t at = random_below(random, text->size), size = 1 + random_below(random, 60);
	struct byte_buffer made = {0};

	if (size > text->size - at)
		size = text->size - at;
	byte_buffer_append(&made, text->bytes, at);
	switch (random_below(random, 6)) {
	case 0: /* other characters */
		for (size_t i = 0; i < 1 + size / 20; i++) {
			static const char letters[] = "0123456789abcdefX;:,=\r\n# xm";
			byte_buffer_append(&made,
				(const uint8_t *)&letters[random_below(
					random, sizeof(letters) - 1)],
				1);
		}
		byte_buffer_append(&made, text->bytes + at + 1, text->size - at - 1);
		break;
	case 1: /* something is missing */
		byte_buffer_append(&made, text->bytes + at + size, text->size - at - size);
		break;
	case 2: /* twice */
		byte_buffer_append(&made, text->bytes + at, size);
		byte_buffer_append(&made, text->bytes + at, text->size - at);
		break;
	case 3: /* the beginning of the text again */
		byte_buffer_append(&made, text->bytes, size * 3 < text->size ? size * 3 : 1);
		byte_buffer_append(&made, text->bytes + at, text->size - at);
		break;
	case 4: { /* any byte */
		uint8_t byte = (uint8_t)random_next(random);
		byte_buffer_append(&made, &byte, 1);
		byte_buffer_append(&made, text->bytes + at + 1, text->size - at - 1);
		break;
	}
	default: break; /* cut off */
	}
	byte_buffer_free(text);
	*text = made;
}

static void whatever_is_done_to_a_text_comes_back(void **state)
{
	struct byte_buffer samples[32] = {0};
	size_t count = load_samples(samples, COUNT_OF(samples));
	struct random random = {0x61726368697665};

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		const struct byte_buffer *sample = &samples[i % count];
		struct byte_buffer text = {0};
		size_t size = sample->size < MUTATED_MAX ? sample->size : MUTATED_MAX;
		size_t at = random_below(&random, sample->size - size + 1);

		byte_buffer_append(&text, sample->bytes + at, size);
		for (uint64_t n = 1 + random_below(&random, 8); n > 0 && text.size > 1; n--)
			mutate(&text, &random);
		check_text((const char *)text.bytes, text.size, 1 + i % 2);
		byte_buffer_free(&text);
	}
	free_samples(samples, count);
}

/* --- what it costs --- */

/* A loop that counts, many times over. add is how the addition is spelled. */
static char *make_loop(size_t rounds, const char *add, size_t *size)
{
	struct ear_text_output text;

	assert_int_equal(ear_text_output_init_memory(&text), 0);
	ear_text_output_put(&text, HEADER, strlen(HEADER));
	for (size_t i = 1; i <= rounds; i++) {
		char lines[256];
		int length = snprintf(lines, sizeof(lines),
			"80000000,285,x5=%zx,x5;i1,,,m,,%s   x5; 0x1,0\n"
			"80000002,532023,,x5;x6;i0,0=%zx,s,m,,sw       x5; 0x0(x6),0\n"
			"80000006,bfed,pc=80000000,x0;ifffffffa,,j,m,,c.j      . - 0x6,0\n",
			i, add, i);
		ear_text_output_put(&text, lines, (size_t)length);
	}
	*size = text.used;
	ear_text_output_put(&text, "", 1);
	return text.buffer;
}

static void what_follows_from_before_costs_next_to_nothing(void **state)
{
	struct ear_archive_statistics statistics;
	size_t size;
	char *text = make_loop(30000, "c.addi", &size);

	(void)state;
	close(pack(text, size, 0, &statistics));
	assert_int_equal(statistics.records, 90000);
	assert_int_equal(statistics.text_bytes, size);
	assert_in_range(statistics.wire_bytes, 100, 1500);
	assert_in_range(statistics.line_diff_bytes, 1, 120);
	check_text(text, size, 2);
	free(text);
}

/* Each line is spelled otherwise than the writer does. */
static void a_spelling_that_comes_again_costs_little(void **state)
{
	size_t size;
	char *text = make_loop(30000, "C.ADDI", &size);
	struct ear_archive_statistics statistics;
	int fd;

	(void)state;
	fd = pack(text, size, 0, &statistics);
	assert_in_range(lseek(fd, 0, SEEK_END), 100, 6000);
	assert_in_range(statistics.line_diff_bytes, 300000, 700000);
	close(fd);
	check_text(text, size, 2);
	free(text);
}

/* --- states --- */

struct count {
	struct ear_decoder decoder;
	uint64_t first_pc, count;
};

static int count_record(void *context, const struct ear_record *record)
{
	struct count *count = context;

	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	if (count->count++ == 0)
		count->first_pc = record->pc;
	return 0;
}

/* Decode from a state to the end: the records that are left, and no gap. */
static void decode_from(int fd, const struct ear_shot_place *place, uint64_t total)
{
	static const uint8_t steps[] = {0, 2, 6};
	struct count count = {.count = 0};
	struct ear_window window;
	uint64_t instructions = 0;
	size_t used;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(ear_window_init(&window, fd, NULL, 0, false), 0);
	assert_int_equal(ear_window_fill(&window), 0);
	assert_int_equal(ear_window_seek(&window, place->file_offset), 0);
	assert_int_equal(ear_window_fill(&window), 0);
	assert_true(window.at_state);
	assert_int_equal(ear_window_size(&window), 0);
	ear_decoder_init(&count.decoder, count_record, &count);
	assert_int_equal(ear_shot_states_load(window.reader, &count.decoder, &instructions), 0);
	assert_int_equal(instructions, place->instructions);
	while (!window.final) {
		assert_int_equal(ear_window_fill(&window), 0);
		assert_int_equal(ear_decoder_push(&count.decoder, &used, ear_window_bytes(&window),
					 ear_window_size(&window), window.final),
			0);
		ear_window_consume(&window, used);
	}
	assert_int_equal(count.count, total - instructions);
	assert_int_equal(count.first_pc, 0x80000000u + steps[instructions % 3]);
	ear_decoder_fini(&count.decoder);
	ear_window_fini(&window);
}

static void decoding_begins_at_every_state(void **state)
{
	struct ear_shot_index index, again;
	size_t size;
	char *text = make_loop(30000, "c.addi", &size);
	int fd = pack(text, size, 12000, NULL);

	(void)state;
	assert_int_equal(ear_shot_index_read(&index, fd), 0);
	assert_in_range(index.count, 3, 20);
	assert_null(ear_shot_index_find(&index, index.places[0].instructions - 1));
	assert_ptr_equal(ear_shot_index_find(&index, UINT64_MAX), &index.places[index.count - 1]);
	for (size_t i = 0; i < index.count; i++)
		decode_from(fd, &index.places[i], 90000);

	/* Without the end of the file they are found frame by frame. */
	off_t end = lseek(fd, 0, SEEK_END);
	assert_int_equal(ftruncate(fd, end - 9), 0);
	assert_int_equal(ear_shot_index_read(&again, fd), 0);
	assert_int_equal(again.count, index.count);
	assert_memory_equal(again.places, index.places, index.count * sizeof(*index.places));
	ear_shot_index_fini(&again);
	ear_shot_index_fini(&index);
	close(fd);
	free(text);
}

static void an_index_that_was_damaged_is_no_danger(void **state)
{
	struct random random = {0x696E646578};
	size_t size;
	char *text = make_loop(20000, "c.addi", &size);
	int fd = pack(text, size, 10000, NULL);
	off_t end = lseek(fd, 0, SEEK_END);

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct ear_shot_index index;
		uint8_t before, after = (uint8_t)random_next(&random);
		off_t at = end - 1 - (off_t)random_below(&random, i % 2 ? 400 : (uint64_t)end);
		at = at < 0 ? 0 : at;
		assert_int_equal(pread(fd, &before, 1, at), 1);
		assert_int_equal(pwrite(fd, &after, 1, at), 1);
		assert_int_equal(ear_shot_index_read(&index, fd), 0);
		for (size_t p = 0; p < index.count; p++)
			assert_below(index.places[p].file_offset, (uint64_t)end);
		ear_shot_index_fini(&index);
		assert_int_equal(pwrite(fd, &before, 1, at), 1);
	}
	close(fd);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_comes_back),
		cmocka_unit_test(other_spellings_come_back),
		cmocka_unit_test(line_ends_of_windows_come_back),
		cmocka_unit_test(lines_without_a_character_that_ends_them_come_back),
		cmocka_unit_test(whatever_is_done_to_a_text_comes_back),
		cmocka_unit_test(what_follows_from_before_costs_next_to_nothing),
		cmocka_unit_test(a_spelling_that_comes_again_costs_little),
		cmocka_unit_test(decoding_begins_at_every_state),
		cmocka_unit_test(an_index_that_was_damaged_is_no_danger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
