/* A text in one of the formats: the first byte says in which, the rest is the file. After 'L' a
 * line with the format's name comes first: the logs of tracers have too few letters. After 'P'
 * patterns come first, up to an empty line, and then a log of their form. What is read
 * goes through the running state and through every writer. Wrong is: a crash, a hang, a read
 * beyond the bytes, an error that is none of the file, a JSON line that its reader does not take.
 */
#define _GNU_SOURCE /* memfd_create, memmem */
#include <earshot/error.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "decoder/formats/pattern/line_pattern.h"
#include "library/state/state.h"
#include "target.h"

#define WRITERS_MAX 32

/* The letters stay as they are: corpora name them. */
static const struct {
	char letter;
	const char *format;
} formats[] = {
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
};

/* All writers at once, into nothing; JSON into a file that is read again. */
struct outputs {
	int null, json;
	size_t count;
	struct ear_text_output texts[WRITERS_MAX];
	struct ear_writer *writers[WRITERS_MAX];
};

static int count_bad(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	(void)line;
	(void)offset;
	if (!cause)
		abort();
	*(size_t *)context += kind != EAR_LINE_NOTE;
	return 0;
}

static void open_outputs(struct outputs *outputs)
{
	outputs->null = open("/dev/null", O_WRONLY);
	outputs->json = memfd_create("json", 0);
	outputs->count = 0;
	for (const struct ear_writer_format *format = ear_writer_formats;
		format->name && outputs->count < WRITERS_MAX; format++) {
		if (!format->make)
			continue;
		struct ear_text_output *text = &outputs->texts[outputs->count];
		bool json = strcmp(format->name, "json") == 0;
		if (ear_text_output_init(
			    text, json ? outputs->json : outputs->null, EAR_TEXT_PLAIN) < 0)
			abort();
		outputs->writers[outputs->count++] = format->make(text, NULL);
	}
}

static void close_outputs(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		ear_writer_free(outputs->writers[i]);
		ear_text_output_finish(&outputs->texts[i]);
		ear_text_output_fini(&outputs->texts[i]);
	}
	close(outputs->null);
}

/* Returns the count of records; writes them if outputs is not NULL. */
static size_t read_all(
	const char *format, const char *pattern, int fd, struct outputs *outputs, size_t *bad)
{
	struct ear_reader_options options = {
		.report = count_bad, .context = bad, .pattern = pattern};
	const struct ear_record *record;
	struct ear_text_input *input;
	struct ear_state *state;
	size_t count = 0;

	if (ear_text_input_new(&input, fd, NULL, 0) < 0 || ear_state_new(&state) < 0)
		abort();
	struct ear_reader *reader = ear_reader_find(format)->make(input, &options);
	int result;
	while ((result = ear_reader_next(reader, &record)) == 1) {
		count++;
		int pushed = ear_state_push(state, record);
		if (pushed != 0 && pushed != EAR_E_FULL)
			abort();
		for (size_t i = 0; outputs && i < outputs->count; i++)
			ear_writer_push(outputs->writers[i], record);
	}
	if (result != 0 && result != EAR_E_BAD_FILE)
		abort();
	ear_reader_free(reader);
	ear_state_free(state);
	ear_text_input_free(input);
	return count;
}

static void try_format(const char *format, const char *pattern, const uint8_t *bytes, size_t size)
{
	static struct outputs outputs;
	int fd = memfd_create("text", 0);
	size_t bad = 0;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	open_outputs(&outputs);
	size_t count = read_all(format, pattern, fd, &outputs, &bad);
	close_outputs(&outputs);
	bad = 0;
	lseek(outputs.json, 0, SEEK_SET);
	if (read_all("json", NULL, outputs.json, NULL, &bad) != count || bad > 0)
		abort();
	close(outputs.json);
	close(fd);
}

static void try_named(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);
	char name[32] = "";

	if (!end || (size_t)(end - bytes) >= sizeof(name))
		return;
	memcpy(name, bytes, (size_t)(end - bytes));
	const struct ear_reader_format *format = ear_reader_find(name);
	if (format && format->make && strcmp(name, "pattern") != 0)
		try_format(name, NULL, end + 1, size - (size_t)(end + 1 - bytes));
}

static void try_pattern(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memmem(bytes, size, "\n\n", 2);
	struct ear_line_pattern *patterns;
	struct ear_line_fault fault;

	if (!end)
		return;
	char *text = strndup((const char *)bytes, (size_t)(end - bytes));
	if (!text)
		abort();
	int result = ear_line_pattern_new(&patterns, text, &fault);
	if (result == 0) {
		ear_line_pattern_free(patterns);
		try_format("pattern", text, end + 2, size - (size_t)(end + 2 - bytes));
	} else if (result != EAR_E_BAD_ARGUMENT || fault.cause[0] == '\0') {
		abort();
	}
	free(text);
}

int fuzz_reader(const uint8_t *bytes, size_t size)
{
	if (size > 0 && bytes[0] == 'P')
		try_pattern(bytes + 1, size - 1);
	if (size > 0 && bytes[0] == 'L')
		try_named(bytes + 1, size - 1);
	for (size_t i = 0; size > 0 && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (bytes[0] == (uint8_t)formats[i].letter && ear_reader_find(formats[i].format))
			try_format(formats[i].format, NULL, bytes + 1, size - 1);
	return 0;
}
