/* The capture file as it should be: docs/file-format.md. What is damaged or hostile is in
 * test_shot_damage.c.
 */
#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "common/protocol/bytes.h"
#include "decode_run.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"
#include "random.h"
#include "sample_stream.h"
#include "shot_files.h"

/* size bytes of a real stream. */
static uint8_t *make_stream(size_t size)
{
	struct ear_encoder encoder;
	struct ear_unit unit = sample_unit(32, 0, 0);
	struct byte_buffer bytes = {0};

	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &bytes);
	for (uint64_t order = 0; bytes.size < size; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, 32);
		ear_encoder_push(&encoder, &entry, 0);
	}
	return bytes.bytes ? bytes.bytes : calloc(1, 1);
}

static void check_stream(const struct shot_contents *contents, const uint8_t *bytes, size_t size)
{
	assert_int_equal(contents->result, EAR_SHOT_END);
	assert_string_equal(contents->fault, "");
	assert_int_equal(contents->stream.size, size);
	assert_true(size == 0 || memcmp(contents->stream.bytes, bytes, size) == 0);
	assert_int_equal(contents->loss_count, 0);
}

static void what_was_written_is_read_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 511, 65536, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) + 7, 5 << 20};
	static const size_t parts[] = {512, 100000, (2 << 20) - 1, 2 << 20, 6 << 20};
	static const size_t reads[] = {1000, 1 << 18, 8 << 20};
	uint8_t *bytes = make_stream(5 << 20);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		for (size_t p = 0; p < COUNT_OF(parts); p++) {
			struct byte_buffer file = {0};
			struct shot_contents contents;

			shot_write(&file, bytes, sizes[i], parts[p], 0);
			shot_read(&contents, file.bytes, file.size, reads[(i + p) % 3]);
			check_stream(&contents, bytes, sizes[i]);
			assert_true(contents.is_shot);
			assert_true(contents.complete);
			shot_contents_free(&contents);
			byte_buffer_free(&file);
		}
	}
	free(bytes);
}

static void a_file_is_the_same_however_small_the_pushes_and_reads(void **state)
{
	uint8_t *bytes = make_stream(20000);
	struct byte_buffer whole = {0}, single = {0};
	struct shot_contents contents;

	(void)state;
	shot_write(&whole, bytes, 20000, 20000, 0);
	shot_write(&single, bytes, 20000, 1, 0);
	assert_int_equal(whole.size, single.size);
	assert_memory_equal(whole.bytes, single.bytes, whole.size);
	shot_read(&contents, single.bytes, single.size, 1);
	check_stream(&contents, bytes, 20000);
	shot_contents_free(&contents);
	byte_buffer_free(&whole);
	byte_buffer_free(&single);
	free(bytes);
}

struct pipe_writer {
	int fd;
	const uint8_t *bytes;
	size_t size;
	int result;
};

static void *write_to_pipe(void *context)
{
	struct pipe_writer *pipe_writer = context;
	struct ear_shot_writer *writer;
	int result = ear_shot_writer_new(&writer, pipe_writer->fd, "", 1);

	if (result == 0)
		result = ear_shot_writer_push(writer, pipe_writer->bytes, pipe_writer->size);
	if (result == 0)
		result = ear_shot_writer_finish(writer, "");
	ear_shot_writer_free(writer);
	close(pipe_writer->fd);
	pipe_writer->result = result;
	return NULL;
}

static void a_capture_goes_through_a_pipe(void **state)
{
	uint8_t *bytes = make_stream(3 << 20);
	struct pipe_writer writer = {.bytes = bytes, .size = 3 << 20};
	struct shot_contents contents;
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	writer.fd = ends[1];
	assert_int_equal(pthread_create(&thread, NULL, write_to_pipe, &writer), 0);
	shot_read_fd(&contents, ends[0], 10000);
	pthread_join(thread, NULL);
	close(ends[0]);
	assert_int_equal(writer.result, 0);
	check_stream(&contents, bytes, 3 << 20);
	assert_true(contents.complete);
	shot_contents_free(&contents);
	free(bytes);
}

static void every_zstd_program_gets_the_raw_stream(void **state)
{
	enum { SIZE = 2500000 };
	uint8_t *bytes = make_stream(SIZE), *plain = malloc(SIZE + 1);
	struct byte_buffer file = {0};
	ZSTD_DCtx *context = ZSTD_createDCtx();

	(void)state;
	shot_write(&file, bytes, SIZE, 512, 1000);
	ZSTD_inBuffer input = {file.bytes, file.size, 0};
	ZSTD_outBuffer output = {plain, SIZE + 1, 0};
	while (input.pos < input.size)
		assert_false(ZSTD_isError(ZSTD_decompressStream(context, &output, &input)));
	assert_int_equal(output.pos, SIZE);
	assert_memory_equal(plain, bytes, SIZE);
	ZSTD_freeDCtx(context);
	byte_buffer_free(&file);
	free(plain);
	free(bytes);
}

/* Facebook's "Zstandard seekable format" 0.1.0, from the end of the file. */
static void the_seek_table_leads_to_every_frame(void **state)
{
	enum { SIZE = 3000000 };
	uint8_t *bytes = make_stream(SIZE);
	struct byte_buffer file = {0};

	(void)state;
	shot_write(&file, bytes, SIZE, 512, 700);
	const uint8_t *footer = file.bytes + file.size - 9;
	assert_int_equal(ear_load_le32(footer + 5), 0x8F92EAB1);
	assert_int_equal(footer[4], 0); /* no checksums, reserved bits 0 */
	uint32_t count = ear_load_le32(footer);
	size_t table_size = 8 + 8 * (size_t)count + 9;
	const uint8_t *table = file.bytes + file.size - table_size;
	assert_int_equal(ear_load_le32(table), 0x184D2A5E);
	assert_int_equal(ear_load_le32(table + 4), table_size - 8);

	size_t offset = 0, plain_offset = 0, data_frames = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = ear_load_le32(table + 8 + 8 * i);
		uint32_t plain_size = ear_load_le32(table + 12 + 8 * i);
		assert_int_equal(
			ZSTD_findFrameCompressedSize(file.bytes + offset, file.size - offset),
			size);
		if (plain_size > 0) {
			uint8_t *plain = malloc(plain_size);
			assert_int_equal(
				ZSTD_getFrameContentSize(file.bytes + offset, size), plain_size);
			assert_int_equal(file.bytes[offset + 4] & 4, 4); /* has a checksum */
			assert_int_equal(
				ZSTD_decompress(plain, plain_size, file.bytes + offset, size),
				plain_size);
			assert_memory_equal(plain, bytes + plain_offset, plain_size);
			free(plain);
			data_frames++;
		}
		offset += size;
		plain_offset += plain_size;
	}
	assert_int_equal(offset, file.size - table_size);
	assert_int_equal(plain_offset, SIZE);
	assert_at_least(data_frames, 8);
	byte_buffer_free(&file);
	free(bytes);
}

static void data_frames_end_where_frames_of_the_wire_end(void **state)
{
	enum { SIZE = 3000000 };
	uint8_t *bytes = make_stream(SIZE);
	struct byte_buffer stream = {0}, file = {0};
	size_t offset = 0;

	/* Whole frames only, pushed as a capture does: several at once. */
	(void)state;
	while (offset < SIZE - 512)
		offset += 12 + ear_load_le16(bytes + offset + 6);
	byte_buffer_append(&stream, bytes, offset);
	struct ear_shot_writer *writer;
	int fd = memory_file();
	assert_int_equal(ear_shot_writer_new(&writer, fd, "", 3), 0);
	for (size_t at = 0; at < stream.size;) {
		size_t end = at;
		for (unsigned frames = 0; frames < 37 && end < stream.size; frames++)
			end += 12 + ear_load_le16(bytes + end + 6);
		assert_int_equal(ear_shot_writer_push(writer, bytes + at, end - at), 0);
		at = end;
	}
	assert_int_equal(ear_shot_writer_finish(writer, ""), 0);
	ear_shot_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	byte_buffer_read_fd(&file, fd);
	close(fd);

	size_t plain_offset = 0, frames = 0;
	for (offset = 0; offset < file.size;) {
		size_t size = ZSTD_findFrameCompressedSize(file.bytes + offset, file.size - offset);
		assert_false(ZSTD_isError(size));
		if (ear_load_le32(file.bytes + offset) == EAR_SHOT_ZSTD_MAGIC) {
			assert_int_equal(bytes[plain_offset], 0xE5);
			assert_int_equal(bytes[plain_offset + 1], 0xA1);
			plain_offset += ZSTD_getFrameContentSize(file.bytes + offset, size);
			frames++;
		}
		offset += size;
	}
	assert_int_equal(plain_offset, stream.size);
	assert_at_least(frames, 2);
	byte_buffer_free(&stream);
	byte_buffer_free(&file);
	free(bytes);
}

static void a_loss_is_told_in_its_place(void **state)
{
	uint8_t *bytes = make_stream(9000);
	struct ear_shot_writer *writer;
	struct shot_contents contents;
	int fd = memory_file();

	(void)state;
	assert_int_equal(ear_shot_writer_new(&writer, fd, "", 3), 0);
	assert_int_equal(ear_shot_writer_push(writer, bytes, 5000), 0);
	assert_int_equal(ear_shot_writer_loss(writer, 4096), 0);
	assert_int_equal(ear_shot_writer_push(writer, bytes + 5000, 4000), 0);
	assert_int_equal(ear_shot_writer_loss(writer, 4), 0);
	assert_int_equal(ear_shot_writer_finish(writer, ""), 0);
	ear_shot_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	shot_read_fd(&contents, fd, 700);
	close(fd);
	assert_int_equal(contents.loss_count, 2);
	assert_int_equal(contents.loss_at, 5000);
	assert_int_equal(contents.loss_bytes, 4100);
	assert_int_equal(contents.stream.size, 9000);
	assert_memory_equal(contents.stream.bytes, bytes, 9000);
	assert_true(contents.complete);
	shot_contents_free(&contents);
	free(bytes);
}

static void the_bytes_of_facts_and_loss_are_those_of_the_document(void **state)
{
	static const uint8_t facts[] = {0x5D, 0x2A, 0x4D, 0x18, 0x26, 0, 0, 0, 'E', 'F', 'C', 'T',
		'f', 'o', 'r', 'm', 'a', 't', ':', ' ', 'e', 'a', 'r', 's', 'h', 'o', 't', ' ', '1',
		'\n', 'c', 'r', 'c', '3', '2', ':', ' ', '8', '4', '5', 'e', 'a', '3', '8', 'd',
		'\n'};
	static const uint8_t loss[] = {0x5D, 0x2A, 0x4D, 0x18, 0x0C, 0, 0, 0, 'E', 'L', 'O', 'S', 0,
		0x10, 0, 0, 0, 0, 0, 0};
	struct byte_buffer file = {0};
	struct ear_shot_writer *writer;
	int fd = memory_file();

	(void)state;
	assert_int_equal(ear_shot_writer_new(&writer, fd, "", 3), 0);
	assert_int_equal(ear_shot_writer_loss(writer, 4096), 0);
	ear_shot_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	byte_buffer_read_fd(&file, fd);
	close(fd);
	assert_int_equal(file.size, sizeof(facts) + sizeof(loss));
	assert_memory_equal(file.bytes, facts, sizeof(facts));
	assert_memory_equal(file.bytes + sizeof(facts), loss, sizeof(loss));
	byte_buffer_free(&file);
}

static void facts_are_found_by_their_key_and_the_last_ones_win(void **state)
{
	static const struct {
		const char *key, *value; /* NULL: not there */
	} rows[] = {{"format", "earshot 1"}, {"device", "sim: with: colons"}, {"empty", ""},
		{"end_reason", "limit"}, {"wire_bytes", "12"}, {"last", "no line feed"},
		{"dev", NULL}, {"colons", NULL}, {"", NULL}};
	struct ear_shot_writer *writer;
	struct ear_shot_reader *reader;
	uint8_t buffer[64];
	size_t count;
	char text[64];
	int fd = memory_file();

	(void)state;
	assert_int_equal(ear_shot_writer_new(&writer, fd,
				 "device: sim: with: colons\nempty: \nend_reason: none\n", 3),
		0);
	assert_int_equal(ear_shot_writer_finish(
				 writer, "end_reason: limit\nwire_bytes: 12\nlast: no line feed"),
		0);
	ear_shot_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(ear_shot_reader_new(&reader, fd, NULL, 0), 0);
	assert_int_equal(ear_shot_reader_fact(reader, "format", text, sizeof(text)),
		EAR_E_BAD_ARGUMENT); /* nothing was read yet */
	assert_int_equal(
		ear_shot_reader_next(reader, buffer, sizeof(buffer), &count), EAR_SHOT_END);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int length = ear_shot_reader_fact(reader, rows[i].key, text, sizeof(text));
		if (!rows[i].value) {
			assert_int_equal(length, EAR_E_BAD_ARGUMENT);
			continue;
		}
		assert_string_equal(text, rows[i].value);
		assert_int_equal(length, strlen(rows[i].value));
	}
	assert_int_equal(ear_shot_reader_fact(reader, "format", text, 5), 9);
	assert_string_equal(text, "ears");
	ear_shot_reader_free(reader);
	close(fd);
}

/* Each bit of both facts frames: the facts are what they were, or damage is reported. */
static void no_flipped_bit_changes_a_fact_in_silence(void **state)
{
	struct byte_buffer file = {0};
	unsigned reported = 0, silent = 0;

	(void)state;
	shot_write(&file, NULL, 0, 1, 0);
	for (size_t bit = 0; bit < 8 * file.size; bit++) {
		struct shot_contents contents;

		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		shot_read(&contents, file.bytes, file.size, 4096);
		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		bool true_facts = strcmp(contents.created, "2026-01-31T12:00:00Z") == 0 &&
				  strcmp(contents.device, "test") == 0;
		if (contents.fault[0]) {
			assert_false(contents.complete);
			reported++;
		} else if (!true_facts && contents.complete) {
			fail_msg("bit %zu of byte %zu: created %s, device %s", bit % 8, bit / 8,
				contents.created, contents.device);
		} else {
			silent++;
		}
		shot_contents_free(&contents);
	}
	/* Those of the words crc32, and of the seek table, change no fact. */
	assert_above(reported, silent);
	byte_buffer_free(&file);
}

static void facts_that_are_too_long_are_refused(void **state)
{
	struct ear_shot_writer *writer;
	size_t size = EAR_SHOT_FACTS_MAX - 63;
	char *facts = malloc(size + 1);
	int fd = memory_file();

	(void)state;
	memset(facts, 'x', size);
	facts[size] = '\0';
	assert_int_equal(ear_shot_writer_new(&writer, fd, facts, 3), EAR_E_BAD_ARGUMENT);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	facts[size - 1] = '\0';
	assert_int_equal(ear_shot_writer_new(&writer, fd, facts, 3), 0);
	ear_shot_writer_free(writer);
	free(facts);
	close(fd);
}

static void a_file_without_an_end_is_not_complete_and_is_read_to_its_last_flush(void **state)
{
	uint8_t *bytes = make_stream(9000);
	struct ear_shot_writer *writer;
	struct shot_contents contents;
	int fd = memory_file();

	(void)state;
	assert_int_equal(ear_shot_writer_new(&writer, fd, "", 3), 0);
	ear_shot_writer_push(writer, bytes, 6000);
	ear_shot_writer_flush(writer);
	ear_shot_writer_push(writer, bytes + 6000, 3000);
	ear_shot_writer_free(writer);
	lseek(fd, 0, SEEK_SET);
	shot_read_fd(&contents, fd, 1000);
	close(fd);
	check_stream(&contents, bytes, 6000);
	assert_true(contents.is_shot);
	assert_false(contents.complete);
	shot_contents_free(&contents);
	free(bytes);
}

static void a_raw_dump_is_read_as_it_is(void **state)
{
	static const size_t sizes[] = {0, 1, 3, 4, 100000};
	uint8_t *bytes = make_stream(100000);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct shot_contents contents;
		shot_read(&contents, bytes, sizes[i], 777);
		check_stream(&contents, bytes, sizes[i]);
		assert_false(contents.is_shot);
		assert_false(contents.complete);
		shot_contents_free(&contents);
	}
	free(bytes);
}

static void bytes_that_were_read_before_are_the_beginning(void **state)
{
	uint8_t *bytes = make_stream(3000);
	struct byte_buffer file = {0};

	(void)state;
	shot_write(&file, bytes, 3000, 500, 2);
	for (size_t prefix = 0; prefix <= file.size; prefix++) {
		struct ear_shot_reader *reader;
		uint8_t buffer[4096];
		size_t count, total = 0;
		int item, fd = memory_file();

		assert_int_equal(write(fd, file.bytes, file.size), file.size);
		assert_int_equal(lseek(fd, (off_t)prefix, SEEK_SET), prefix);
		assert_int_equal(ear_shot_reader_new(&reader, fd, file.bytes, prefix), 0);
		while ((item = ear_shot_reader_next(reader, buffer + total, sizeof(buffer) - total,
				&count)) == EAR_SHOT_BYTES)
			total += count;
		assert_int_equal(item, EAR_SHOT_END);
		assert_int_equal(total, 3000);
		assert_memory_equal(buffer, bytes, 3000);
		assert_true(ear_shot_reader_complete(reader));
		ear_shot_reader_free(reader);
		close(fd);
	}
	byte_buffer_free(&file);
	free(bytes);
}

static void a_full_disk_is_an_error_at_once(void **state)
{
	struct ear_shot_writer *writer;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_at_least(fd, 0);
	assert_int_equal(ear_shot_writer_new(&writer, fd, "", 3), EAR_E_IO);
	close(fd);
}

/* The file may grow to limit bytes and no further; nothing may leak, the error comes out. */
static int write_with_limit(size_t limit, const uint8_t *bytes, size_t size)
{
	struct rlimit old, lower;
	struct ear_shot_writer *writer;
	char path[] = "/tmp/earshot-test-XXXXXX";
	int fd = mkstemp(path);

	assert_at_least(fd, 0);
	unlink(path);
	getrlimit(RLIMIT_FSIZE, &old);
	lower = (struct rlimit){limit, old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &lower);
	int result = ear_shot_writer_new(&writer, fd, "device: test\n", 3);
	if (result == 0) {
		result = ear_shot_writer_push(writer, bytes, size / 2);
		result = result ? result : ear_shot_writer_flush(writer);
		result = result ? result : ear_shot_writer_loss(writer, 5);
		result = result ? result : ear_shot_writer_push(writer, bytes + size / 2, size / 2);
		result = result ? result : ear_shot_writer_finish(writer, "ended: now\n");
		ear_shot_writer_free(writer);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	close(fd);
	return result;
}

static void a_disk_that_is_full_after_any_byte_is_an_error(void **state)
{
	enum { SIZE = 2000 };
	uint8_t *bytes = make_stream(SIZE);
	size_t limit = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	while (write_with_limit(limit, bytes, SIZE) == EAR_E_IO)
		limit++;
	assert_int_equal(write_with_limit(limit, bytes, SIZE), 0);
	assert_in_range(limit, 200, SIZE);
	signal(SIGXFSZ, SIG_DFL);
	free(bytes);
}

static void a_reader_that_is_gone_is_an_error(void **state)
{
	struct ear_shot_writer *writer;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(ear_shot_writer_new(&writer, ends[1], "", 3), 0);
	close(ends[0]);
	assert_int_equal(ear_shot_writer_push(writer, (const uint8_t *)"abcd", 4), 0);
	assert_int_equal(ear_shot_writer_flush(writer), EAR_E_IO);
	ear_shot_writer_free(writer);
	close(ends[1]);
	signal(SIGPIPE, SIG_DFL);
}

static void what_cannot_be_read_is_an_error(void **state)
{
	struct shot_contents contents;
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	(void)state;
	shot_read_fd(&contents, fd, 100);
	assert_int_equal(contents.result, EAR_E_IO);
	shot_contents_free(&contents);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(a_file_is_the_same_however_small_the_pushes_and_reads),
		cmocka_unit_test(a_capture_goes_through_a_pipe),
		cmocka_unit_test(every_zstd_program_gets_the_raw_stream),
		cmocka_unit_test(the_seek_table_leads_to_every_frame),
		cmocka_unit_test(data_frames_end_where_frames_of_the_wire_end),
		cmocka_unit_test(a_loss_is_told_in_its_place),
		cmocka_unit_test(the_bytes_of_facts_and_loss_are_those_of_the_document),
		cmocka_unit_test(facts_are_found_by_their_key_and_the_last_ones_win),
		cmocka_unit_test(no_flipped_bit_changes_a_fact_in_silence),
		cmocka_unit_test(facts_that_are_too_long_are_refused),
		cmocka_unit_test(
			a_file_without_an_end_is_not_complete_and_is_read_to_its_last_flush),
		cmocka_unit_test(a_raw_dump_is_read_as_it_is),
		cmocka_unit_test(bytes_that_were_read_before_are_the_beginning),
		cmocka_unit_test(a_full_disk_is_an_error_at_once),
		cmocka_unit_test(a_disk_that_is_full_after_any_byte_is_an_error),
		cmocka_unit_test(a_reader_that_is_gone_is_an_error),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
