/* Text in and out: lines from plain and packed files. decoder/text/text_input.h, text_output.h */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/text/text_input.h"
#include "decoder/text/text_output.h"
#include "random.h"

static const char *const packed_names[] = {"t.csv", "t.csv.gz", "t.csv.zst"};

/* A file without a name, holding text, at its beginning. */
static int file_of(const char *text, size_t size, enum ear_text_packing packing)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	int fd = dup(fileno(file));
	struct ear_text_output output;

	fclose(file);
	assert_int_equal(ear_text_output_init(&output, fd, packing), 0);
	ear_text_output_be_exact(&output);
	ear_text_output_put(&output, text, size);
	assert_int_equal(ear_text_output_finish(&output), 0);
	ear_text_output_fini(&output);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static struct ear_text_input *open_text(const char *text, enum ear_text_packing packing, int *fd)
{
	struct ear_text_input *input;

	*fd = file_of(text, strlen(text), packing);
	assert_int_equal(ear_text_input_new(&input, *fd, NULL, 0), 0);
	return input;
}

static void expect_line(struct ear_text_input *input, const char *wanted)
{
	const char *line;
	size_t size;

	assert_int_equal(ear_text_input_line(input, &line, &size), 1);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(line, wanted, size);
}

static void lines_come_without_their_ends_and_with_their_numbers(void **state)
{
	const char *line;
	size_t size;

	(void)state;
	for (unsigned packing = EAR_TEXT_PLAIN; packing <= EAR_TEXT_ZSTD; packing++) {
		int fd;
		assert_int_equal(ear_text_output_packing(packed_names[packing]), packing);
		struct ear_text_input *input =
			open_text("one\r\n\ntwo\nthree", (enum ear_text_packing)packing, &fd);
		expect_line(input, "one");
		assert_int_equal(ear_text_input_line_number(input), 1);
		expect_line(input, "");
		expect_line(input, "two");
		assert_int_equal(ear_text_input_line_number(input), 3);
		assert_int_equal(ear_text_input_offset(input), 6);
		assert_false(ear_text_input_cut(input));
		expect_line(input, "three");
		assert_true(ear_text_input_cut(input));
		assert_int_equal(ear_text_input_line(input, &line, &size), 0);
		assert_int_equal(ear_text_input_line(input, &line, &size), 0);
		assert_null(ear_text_input_fault(input));
		ear_text_input_free(input);
		close(fd);
	}
}

/* 3 MiB, more than the buffer. */
static void bytes_are_taken_one_by_one_and_from_any_offset(void **state)
{
	enum { SIZE = 3 << 20, STEP = 1021 };
	uint8_t *content = malloc(SIZE);
	const uint8_t *bytes;
	size_t size;

	(void)state;
	for (size_t i = 0; i < SIZE; i++)
		content[i] = (uint8_t)(i * 7 / 5 % 251 + (i % 251 == 10));
	for (unsigned packing = EAR_TEXT_PLAIN; packing <= EAR_TEXT_ZSTD; packing++) {
		struct ear_text_input *input;
		int fd = file_of((char *)content, SIZE, (enum ear_text_packing)packing);
		assert_int_equal(ear_text_input_new(&input, fd, NULL, 0), 0);
		for (size_t at = 0; at < SIZE; at += STEP) {
			const size_t want = SIZE - at < STEP ? SIZE - at : STEP;
			assert_int_equal(ear_text_input_bytes(input, STEP, &bytes, &size), 1);
			assert_true(size >= want);
			assert_memory_equal(bytes, content + at, want);
			ear_text_input_take(input, want);
			assert_int_equal(ear_text_input_offset(input), at);
			assert_int_equal(ear_text_input_next_offset(input), at + want);
		}
		assert_int_equal(ear_text_input_bytes(input, 1, &bytes, &size), 0);
		ear_text_input_free(input);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);

		assert_int_equal(ear_text_input_new(&input, fd, NULL, 0), 0);
		ear_text_input_use_offsets(input);
		assert_int_equal(ear_text_input_go_to(input, SIZE - 5, 0), 0);
		assert_int_equal(ear_text_input_bytes(input, STEP, &bytes, &size), 1);
		assert_int_equal(size, 5);
		assert_memory_equal(bytes, content + SIZE - 5, 5);
		ear_text_input_free(input);
		close(fd);
	}
	free(content);
}

static void a_block_holds_whole_lines_only(void **state)
{
	char *text = malloc(3000000);
	size_t size = 0;

	(void)state;
	for (unsigned i = 0; size < 2900000; i++)
		size += (size_t)sprintf(text + size, "line %u of some length\n", i);
	size += (size_t)sprintf(text + size, "last");
	for (unsigned packing = EAR_TEXT_PLAIN; packing <= EAR_TEXT_ZSTD; packing++) {
		int fd = file_of(text, size, (enum ear_text_packing)packing);
		struct ear_text_input *input;
		const char *block;
		size_t block_size, done = 0;
		assert_int_equal(ear_text_input_new(&input, fd, NULL, 0), 0);
		while (ear_text_input_block(input, &block, &block_size) == 1) {
			assert_int_equal(ear_text_input_offset(input), done);
			assert_memory_equal(block, text + done, block_size);
			done += block_size;
			if (done != size && block[block_size - 1] != '\n')
				fail_msg("the block before byte %zu of %zu ends in a line", done,
					size);
		}
		assert_int_equal(done, size);
		assert_true(ear_text_input_cut(input));
		ear_text_input_free(input);
		close(fd);
	}
	free(text);
}

static void a_line_may_be_longer_than_the_buffer_but_not_without_bound(void **state)
{
	static const size_t sizes[] = {(1u << 20) - 1, 1u << 20, 5u << 20, 17u << 20};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *text = malloc(sizes[i] + 6);
		struct ear_text_input *input;
		const char *line;
		size_t size;
		memset(text, 'a', sizes[i]);
		memcpy(text + sizes[i], "\nnext\n", 6);
		int fd = file_of(text, sizes[i] + 6, EAR_TEXT_PLAIN);
		assert_int_equal(ear_text_input_new(&input, fd, NULL, 0), 0);
		int result = ear_text_input_line(input, &line, &size);
		if (sizes[i] > EAR_TEXT_LINE_MAX) {
			assert_int_equal(result, EAR_E_BAD_FILE);
			assert_non_null(ear_text_input_fault(input));
		} else {
			assert_int_equal(result, 1);
			assert_int_equal(size, sizes[i]);
			expect_line(input, "next");
		}
		ear_text_input_free(input);
		close(fd);
		free(text);
	}
}

static void what_was_read_before_comes_first(void **state)
{
	char start[8];

	(void)state;
	for (unsigned packing = EAR_TEXT_PLAIN; packing <= EAR_TEXT_ZSTD; packing++) {
		const char text[] = "one line\nanother line\n";
		int fd = file_of(text, strlen(text), (enum ear_text_packing)packing);
		struct ear_text_input *input;
		const char *bytes;
		size_t size;
		assert_int_equal(read(fd, start, 7), 7);
		assert_int_equal(ear_text_input_new(&input, fd, (uint8_t *)start, 7), 0);
		assert_int_equal(ear_text_input_peek(input, &bytes, &size), 0);
		assert_int_equal(size, strlen(text));
		expect_line(input, "one line");
		expect_line(input, "another line");
		ear_text_input_free(input);
		close(fd);
	}
}

/* Prefixes and flipped bits of packed text: an error with a fault at the latest at the end, never a
 * wrong line in silence.
 */
static void damaged_packed_text_is_an_error_not_an_end(void **state)
{
	char text[2000];
	size_t size = 0;

	(void)state;
	for (unsigned i = 0; size < 1900; i++)
		size += (size_t)sprintf(text + size, "%u %u\n", i, i * 2654435761u);
	for (unsigned packing = EAR_TEXT_GZIP; packing <= EAR_TEXT_ZSTD; packing++) {
		uint8_t packed[4000];
		int fd = file_of(text, size, (enum ear_text_packing)packing);
		ssize_t packed_size = read(fd, packed, sizeof(packed));
		close(fd);
		assert_above(packed_size, 100);
		for (ssize_t cut = 20; cut < packed_size; cut += 7) {
			struct ear_text_input *input;
			const char *line;
			size_t line_size;
			int result;
			int copy = file_of((char *)packed, (size_t)cut, EAR_TEXT_PLAIN);
			assert_int_equal(ear_text_input_new(&input, copy, NULL, 0), 0);
			while ((result = ear_text_input_line(input, &line, &line_size)) == 1)
				;
			assert_int_equal(result, EAR_E_BAD_FILE);
			assert_non_null(ear_text_input_fault(input));
			ear_text_input_free(input);
			close(copy);
		}
		for (ssize_t at = 20; at < packed_size; at += 3) {
			struct ear_text_input *input;
			const char *line;
			size_t line_size;
			int result;
			packed[at] ^= 0x10;
			int copy = file_of((char *)packed, (size_t)packed_size, EAR_TEXT_PLAIN);
			packed[at] ^= 0x10;
			assert_int_equal(ear_text_input_new(&input, copy, NULL, 0), 0);
			size_t same = 0; /* bytes that came as they should */
			while ((result = ear_text_input_line(input, &line, &line_size)) == 1) {
				if (memcmp(line, text + same, line_size) == 0)
					same += line_size + 1;
			}
			/* Padding bits may be anything: then all is there, and there is no error.
			 */
			if (result != EAR_E_BAD_FILE && (result != 0 || same != size))
				fail_msg("byte %zd changed: result %d, %zu of %zu bytes came", at,
					result, same, size);
			ear_text_input_free(input);
			close(copy);
		}
	}
}

static void a_full_disk_is_remembered(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct ear_text_output output;

	(void)state;
	assert_non_null(full);
	for (unsigned packing = EAR_TEXT_PLAIN; packing <= EAR_TEXT_ZSTD; packing++) {
		assert_int_equal(
			ear_text_output_init(&output, fileno(full), (enum ear_text_packing)packing),
			0);
		for (unsigned i = 0; i < 100000; i++)
			ear_text_output_put(&output, "some text\n", 10);
		assert_int_equal(ear_text_output_finish(&output), EAR_E_IO);
		assert_int_equal(ear_text_output_flush(&output), EAR_E_IO);
		assert_different(output.error_number, 0);
		ear_text_output_fini(&output);
	}
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends_and_with_their_numbers),
		cmocka_unit_test(bytes_are_taken_one_by_one_and_from_any_offset),
		cmocka_unit_test(a_block_holds_whole_lines_only),
		cmocka_unit_test(a_line_may_be_longer_than_the_buffer_but_not_without_bound),
		cmocka_unit_test(what_was_read_before_comes_first),
		cmocka_unit_test(damaged_packed_text_is_an_error_not_an_end),
		cmocka_unit_test(a_full_disk_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
