/* Bytes of the wire -> decoder -> Whisper's text, to nowhere. Wrong is: a crash, bytes that
 * were not used, records that depend on how the bytes are cut. Everything is tried twice, the
 * second time with the CRCs made right.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "decode_run.h"
#include "decoder/formats/whisper/writer_whisper.h"
#include "repair.h"
#include "target.h"

struct text {
	struct ear_text_output output;
	struct ear_writer *writer;
};

static int write_record(void *context, const struct ear_record *record)
{
	return ear_writer_push(context, record);
}

/* The writer is kept from run to run; what it remembers is only a cache. */
static struct ear_writer *null_writer(void)
{
	static struct text text;

	if (!text.writer) {
		int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (ear_text_output_init(&text.output, fd, EAR_TEXT_PLAIN) != 0)
			abort();
		text.writer = ear_writer_whisper_make(&text.output, NULL);
		if (!text.writer)
			abort();
	}
	return text.writer;
}

static void decode(const uint8_t *bytes, size_t size)
{
	struct decode_run whole, cut;
	struct ear_decoder decoder;
	size_t used;

	ear_decoder_init(&decoder, write_record, null_writer());
	if (ear_decoder_push(&decoder, &used, bytes, size, true) != 0 || used != size)
		abort();
	ear_decoder_fini(&decoder);

	decode_run_whole(&whole, bytes, size);
	size_t step = size > 0 ? 1 + bytes[size - 1] % 61u : 1;
	decode_run(&cut, bytes, size, size / 3, step);
	if (whole.digest != cut.digest || whole.statistics.frames != cut.statistics.frames ||
		whole.statistics.skipped_bytes != cut.statistics.skipped_bytes)
		abort();
}

int fuzz_stream(const uint8_t *bytes, size_t size)
{
	uint8_t *repaired = exact_copy(bytes, size);

	decode(bytes, size);
	if (size > 0)
		repair_frames(repaired, size);
	decode(repaired, size);
	free(repaired);
	return 0;
}
