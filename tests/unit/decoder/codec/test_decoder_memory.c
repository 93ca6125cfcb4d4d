/* Decoding takes the same memory however long the trace is: one million and ten million records
 * through decoder and Whisper writer, from a process that encodes them on the fly.
 */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decoder/codec/decoder.h"
#include "decoder/formats/whisper/writer_whisper.h"
#include "sample_stream.h"

#define DIFFERENCE_MAX_KIB (32 * 1024)
#define WINDOW_SIZE        (256u << 10)

/* A sanitizer makes everything some ten times slower, and the question is the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHORT_RECORDS 100000u
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHORT_RECORDS 100000u
#endif
#endif
#ifndef SHORT_RECORDS
#define SHORT_RECORDS 1000000u
#endif
#define LONG_RECORDS (10 * SHORT_RECORDS)

struct pipe_buffer {
	int fd;
	size_t used;
	uint8_t bytes[65536];
};

static void flush_pipe(struct pipe_buffer *buffer)
{
	for (size_t done = 0; done < buffer->used;) {
		ssize_t written = write(buffer->fd, buffer->bytes + done, buffer->used - done);
		if (written <= 0)
			_exit(1);
		done += (size_t)written;
	}
	buffer->used = 0;
}

static void pipe_sink(void *context, const uint8_t *bytes, size_t size)
{
	struct pipe_buffer *buffer = context;

	if (buffer->used + size > sizeof(buffer->bytes))
		flush_pipe(buffer);
	memcpy(buffer->bytes + buffer->used, bytes, size);
	buffer->used += size;
}

static void encode(int fd, uint64_t records)
{
	static struct pipe_buffer buffer;
	static struct ear_encoder encoder;
	struct ear_unit unit = sample_unit(32, 0, SAMPLE_CONTROL(EAR_TIME_MODE_RECORD));

	buffer.fd = fd;
	ear_encoder_init(&encoder, &unit, pipe_sink, &buffer);
	for (uint64_t order = 0; order < records; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, 32);
		ear_encoder_push(&encoder, &entry, 2 * order);
	}
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.retired = records, .delivered = records}});
	flush_pipe(&buffer);
}

static int write_record(void *context, const struct ear_record *record)
{
	return ear_writer_push(context, record);
}

/* Returns 0 if all records came out. */
static int decode(int fd, uint64_t records)
{
	static struct ear_decoder decoder;
	static uint8_t window[WINDOW_SIZE];
	struct ear_text_output output;
	size_t filled = 0, used;
	ssize_t got;

	if (ear_text_output_init(&output, open("/dev/null", O_WRONLY), EAR_TEXT_PLAIN) != 0)
		return 1;
	struct ear_writer *writer = ear_writer_whisper_make(&output, NULL);
	if (!writer)
		return 1;
	ear_decoder_init(&decoder, write_record, writer);
	do {
		got = read(fd, window + filled, sizeof(window) - filled);
		filled += got > 0 ? (size_t)got : 0;
		if (ear_decoder_push(&decoder, &used, window, filled, got <= 0) != 0)
			return 1;
		filled -= used;
		memmove(window, window + used, filled);
	} while (got > 0);
	ear_text_output_flush(&output);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	ear_decoder_fini(&decoder);
	return decoder.statistics.records != records || decoder.statistics.gaps != 0;
}

static long peak_kib(uint64_t records)
{
	struct rusage usage;
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	pid_t encoder = fork();
	if (encoder == 0) {
		close(ends[0]);
		encode(ends[1], records);
		_exit(0);
	}
	close(ends[1]);
	pid_t decoder = fork();
	if (decoder == 0)
		_exit(decode(ends[0], records));
	close(ends[0]);
	assert_above(encoder, 0);
	assert_above(decoder, 0);
	assert_int_equal(wait4(decoder, &status, 0, &usage), decoder);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(waitpid(encoder, &status, 0), encoder);
	assert_int_equal(status, 0);
	return usage.ru_maxrss;
}

static void ten_times_the_records_take_the_same_memory(void **state)
{
	(void)state;
	long short_peak = peak_kib(SHORT_RECORDS), long_peak = peak_kib(LONG_RECORDS);

	print_message("peak: %ld KiB for %u records, %ld KiB for %u\n", short_peak, SHORT_RECORDS,
		long_peak, LONG_RECORDS);
	assert_above(short_peak, 0);
	assert_below(long_peak - short_peak, DIFFERENCE_MAX_KIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_times_the_records_take_the_same_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
