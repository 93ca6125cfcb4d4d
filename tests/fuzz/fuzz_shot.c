/* A capture file, read to its end. Wrong is: a crash, an end that never comes, more memory than
 * the window that a file may ask for.
 */
#include <stdlib.h>
#include <unistd.h>

#include "decode_run.h"
#include "library/shot/archive/line_diff.h"
#include "library/shot/shot_index.h"
#include "library/shot/shot_states.h"
#include "target.h"

#define STREAM_MAX (16u << 20) /* a small file may unpack to much: enough is enough */

static void read_facts(const struct ear_shot_reader *reader)
{
	static const char *const keys[] = {"format", "created", "wire_bytes", ""};
	char text[32];

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		(void)ear_shot_reader_fact(reader, keys[i], text, sizeof(text));
	if (ear_shot_reader_complete(reader) && ear_shot_reader_fault(reader))
		abort();
}

/* Whatever the line diff is, some lines go through it. */
static void follow_line_diff(struct ear_shot_reader *reader)
{
	static const char lines[] = "a,b,c\n,,\nabcdefgh,1,2,3,4,5,6,7,8,9\n\n";
	struct ear_shot_line_diff diff = ear_shot_reader_line_diff(reader);
	struct ear_text_output output;
	struct ear_line_diff_cursor cursor;

	if (ear_text_output_init_memory(&output) != 0)
		abort();
	ear_line_diff_begin(&cursor, diff.bytes, diff.size, diff.count);
	for (unsigned i = 0; i < 10; i++)
		ear_line_diff_apply(&cursor, &output, lines, sizeof(lines) - 1);
	if (output.used > diff.size + 10 * sizeof(lines))
		abort();
	ear_text_output_fini(&output);
	free(diff.bytes);
}

static int pass_record(void *context, const struct ear_record *record)
{
	(void)context;
	(void)record;
	return 0;
}

/* And whatever the state is, a decoder takes it or leaves it. */
static void load_state(struct ear_shot_reader *reader)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	uint64_t instructions;
	size_t used;

	if (!decoder)
		abort();
	ear_decoder_init(decoder, pass_record, NULL);
	ear_shot_states_load(reader, decoder, &instructions);
	if (ear_decoder_push(decoder, &used, NULL, 0, true) != 0)
		abort();
	ear_decoder_fini(decoder);
	free(decoder);
}

static void read_index(int fd, size_t size)
{
	struct ear_shot_index index;

	if (ear_shot_index_read(&index, fd) != 0)
		abort();
	for (size_t i = 0; i < index.count; i++)
		if (index.places[i].file_offset >= size)
			abort();
	ear_shot_index_fini(&index);
}

static void read_all(struct ear_shot_reader *reader, size_t size)
{
	static uint8_t buffer[65536];
	size_t total = 0, losses = 0, count;
	int item;

	while ((item = ear_shot_reader_next(reader, buffer, sizeof(buffer), &count)) !=
		EAR_SHOT_END) {
		if (item == EAR_SHOT_BYTES && (count == 0 || count > sizeof(buffer)))
			abort();
		if (item < 0 || (item == EAR_SHOT_LOSS && ++losses > size))
			abort();
		if (item == EAR_SHOT_LINE_DIFF)
			follow_line_diff(reader);
		if (item == EAR_SHOT_STATE)
			load_state(reader);
		total += item == EAR_SHOT_BYTES ? count : 0;
		if (total > STREAM_MAX)
			return;
	}
	if (!ear_shot_reader_is_shot(reader) && total != size)
		abort();
}

int fuzz_shot(const uint8_t *bytes, size_t size)
{
	static int fd = -1;
	struct ear_shot_reader *reader;

	if (fd < 0)
		fd = memory_file();
	if (ftruncate(fd, 0) != 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size ||
		lseek(fd, 0, SEEK_SET) != 0 || ear_shot_reader_new(&reader, fd, NULL, 0) != 0)
		abort();
	read_index(fd, size);
	read_all(reader, size);
	read_facts(reader);
	ear_shot_reader_free(reader);
	return 0;
}
