/* An anchor and the file that it is said to be of: the first byte says which format, then come the
 * sizes and offsets of struct ear_anchor, the state, and the file. Wrong is: a crash, a read beyond
 * the bytes, an end that never comes; and an anchor made after it that cannot be gone to.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/protocol/bytes.h"
#include "decode_run.h"
#include "decoder/record/record_batch.h"
#include "library/source/source_anchor.h"
#include "target.h"

#define HEAD_SIZE   15u
#define RECORDS_MAX 3000u /* a small file may unpack to much: enough is enough */

/* The letters are those of fuzz_reader.c, c for captures and dumps, and some for those of the logs
 * of tracers that have a state of their own. */
static const struct {
	char letter;
	const char *format;
} formats[] = {
	{'c', "shot"},
	{'w', "whisper"},
	{'W', "whisper-log"},
	{'q', "qemu4v"},
	{'t', "tarmac"},
	{'a', "armulator"},
	{'s', "spike"},
	{'d', "riscv-dv"},
	{'l', "sail"},
	{'i', "ibex"},
	{'j', "json"},
	{'r', "rvvi"},
	{'k', "rocket"},
	{'b', "bsg-manycore"},
};

/* Each record is copied, with all that it points to. */
static size_t read_some(struct ear_source *source, size_t most)
{
	struct ear_record_batch batch = {0};
	const struct ear_record *record;
	size_t count = 0;

	while (count < most && ear_source_next(source, &record) == 1) {
		ear_record_batch_clear(&batch);
		if (!ear_record_batch_add(&batch, record))
			abort();
		count++;
	}
	ear_record_batch_fini(&batch);
	return count;
}

static void follow(struct ear_source *source, const struct ear_anchor *anchor)
{
	struct ear_anchor later;

	if (ear_source_seek(source, anchor) != 0)
		return;
	ear_source_checksum_begin(source);
	read_some(source, 5);
	int result = ear_source_anchor(source, &later);
	if (result != 0 && result != EAR_E_UNSUPPORTED)
		abort();
	read_some(source, RECORDS_MAX);
	(void)ear_source_checksum(source);
	if (result == 0 && ear_source_seek(source, &later) == EAR_E_BAD_FILE)
		abort();
	ear_anchor_fini(&later);
}

int fuzz_anchor(const uint8_t *bytes, size_t size)
{
	struct ear_source_options options = {.shared = true};
	struct ear_source *source;

	if (size < HEAD_SIZE)
		return 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i].letter == (char)bytes[0])
			options.format = formats[i].format;
	struct ear_anchor anchor = {
		.position = 1000,
		.number = 900,
		.size = ear_load_le16(bytes + 1),
		.byte = ear_load_le32(bytes + 3),
		.file_offset = ear_load_le32(bytes + 7),
		.frame_byte = ear_load_le32(bytes + 11),
	};
	if (!options.format || anchor.size > size - HEAD_SIZE)
		return 0;
	anchor.state = exact_copy(bytes + HEAD_SIZE, anchor.size);
	const uint8_t *file = bytes + HEAD_SIZE + anchor.size;
	size_t file_size = size - HEAD_SIZE - anchor.size;
	int fd = memory_file();
	if (write(fd, file, file_size) != (ssize_t)file_size)
		abort();
	if (ear_source_new(&source, fd, &options) == 0) {
		follow(source, &anchor);
		ear_source_free(source);
	}
	close(fd);
	ear_anchor_fini(&anchor);
	return 0;
}
