/* The traces of fuzz_api: a text of two harts, the same with lines that cannot be read, one with
 * everything that JSON can say, and captures from a seed.
 */
#define _GNU_SOURCE /* memfd_create */
#include "api_sample.h"

#include <earshot/earshot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "library/memory/memory_internal.h"
#include "library/memory/memory_state.h"
#include "odd_stream.h"
#include "random.h"
#include "shot_files.h"
#include "whisper_rounds.h"

/* Not in whisper_rounds: tasks, gaps, vectors, named registers, times, and an end within a gap. */
static const char *const json_lines[] = {
	"{\"kind\":\"event\",\"hart\":0,\"source\":0,\"name\":\"process 1 100 init\"}",
	"{\"kind\":\"event\",\"hart\":0,\"source\":0,\"name\":\"switch 100\"}",
	"{\"kind\":\"instruction\",\"hart\":0,\"time\":5,\"isa\":\"riscv\",\"xlen\":64,"
	"\"pc\":\"0x80000000\",\"opcode\":\"0x512023\",\"opcode_size\":4,\"privilege\":\"m\","
	"\"next_pc\":\"0x80000004\",\"memory\":[{\"write\":true,\"address\":\"0x80001000\","
	"\"size\":4,\"value\":\"0x1234\"}]}",
	"{\"kind\":\"instruction\",\"hart\":0,\"time\":6,\"isa\":\"riscv\",\"xlen\":64,"
	"\"pc\":\"0x80000004\",\"opcode\":\"0x80000ef\",\"opcode_size\":4,\"privilege\":\"m\","
	"\"next_pc\":\"0x80000084\",\"registers\":[{\"class\":\"x\",\"number\":1,"
	"\"value\":\"0x80000008\"}]}",
	"{\"kind\":\"instruction\",\"hart\":0,\"time\":7,\"isa\":\"riscv\",\"xlen\":64,"
	"\"pc\":\"0x80000084\",\"opcode\":\"0x12303\",\"opcode_size\":4,\"privilege\":\"m\","
	"\"next_pc\":\"0x80000088\",\"registers\":[{\"class\":\"x\",\"number\":6,"
	"\"value\":\"0x1234\"}],\"memory\":[{\"write\":false,\"address\":\"0x80001000\","
	"\"size\":4,\"value\":\"0x1234\"},{\"write\":true,\"address\":\"0xfffffffffffffffe\","
	"\"size\":4,\"value\":\"0x55\"}]}",
	"{\"kind\":\"instruction\",\"hart\":0,\"time\":9,\"isa\":\"riscv\",\"xlen\":64,"
	"\"pc\":\"0x80000088\",\"opcode\":\"0x8067\",\"opcode_size\":4,\"privilege\":\"m\","
	"\"next_pc\":\"0x80000008\"}",
	"{\"kind\":\"instruction\",\"hart\":1,\"isa\":\"riscv\",\"xlen\":64,"
	"\"pc\":\"0x80000082\",\"opcode\":\"0xcd0272d7\",\"opcode_size\":4,\"privilege\":\"s\","
	"\"registers\":[{\"class\":\"v\",\"number\":2,\"value\":\"0x0004000300020001\"},"
	"{\"class\":\"named\",\"value\":\"0x20\",\"name\":\"vsew\"},"
	"{\"class\":\"csr\",\"number\":768,\"value\":\"0x1800\"}]}",
	"{\"kind\":\"gap\",\"hart\":0,\"reason\":\"unit-fifo\",\"count\":3}",
	"{\"kind\":\"idle\",\"hart\":0}",
	"{\"kind\":\"memory\",\"hart\":1,\"memory\":[{\"write\":true,\"address\":\"0x80001004\","
	"\"size\":8,\"value\":\"0x77\"}]}",
	"{\"kind\":\"registers\",\"hart\":1,\"registers\":[{\"class\":\"x\",\"number\":2,"
	"\"value\":\"0x80002000\"}]}",
	"{\"kind\":\"event\",\"hart\":1,\"source\":0,\"name\":\"switch 101\"}",
	"{\"kind\":\"event\",\"hart\":1,\"source\":3,\"value\":\"0x7\"}",
};
#define JSON_LINES (sizeof(json_lines) / sizeof(json_lines[0]))

static void put_json(FILE *out)
{
	for (unsigned i = 0; i < 200; i++)
		if (i % 37 != 21)
			fprintf(out, "%s\n", json_lines[i % 61 % JSON_LINES]);
}

static void put_capture(FILE *out, uint64_t seed, size_t count, bool damaged)
{
	struct byte_buffer stream = {0}, file = {0};
	struct random random = {seed};

	odd_stream_make(&stream, &random, count);
	if (damaged)
		for (unsigned i = 0; i < 4; i++)
			stream.bytes[400 + random_below(&random, stream.size - 400)] ^= 0x10;
	shot_write(&file, stream.bytes, stream.size, 200, 3);
	fwrite(file.bytes, 1, file.size, out);
	byte_buffer_free(&stream);
	byte_buffer_free(&file);
}

static void put_sample(FILE *out, unsigned number)
{
	switch (number) {
	case 0: put_whisper_rounds(out, 20, 0); break;
	case 1: put_whisper_rounds(out, 12, 17); break;
	case 2: put_json(out); break;
	case 3: put_capture(out, 3, 300, false); break;
	case 4: put_capture(out, 5, 200, true); break;
	default: put_whisper_rounds(out, 0, 0); break;
	}
}

static const char *const formats[] = {"whisper", "whisper", "json", "shot", "shot", "whisper"};
#define SAMPLES (sizeof(formats) / sizeof(formats[0]))

static struct api_sample samples[SAMPLES];

static void end_samples(void)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		if (samples[i].numbers)
			unlink(samples[i].index);
		free(samples[i].records);
		free(samples[i].numbers);
	}
}

static void read_sample(struct api_sample *sample)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_memory_options following = {
		.captured = strcmp(sample->format, "shot") == 0};
	const struct ear_record *record;
	struct ear_memory *memory;
	struct ear_trace *trace;
	const size_t max = 2000;

	options.format = sample->format;
	options.index = EAR_INDEX_NONE;
	sample->records = calloc(max, sizeof(*sample->records));
	sample->numbers = calloc(max + 1, sizeof(*sample->numbers));
	if (!sample->records || !sample->numbers ||
		ear_trace_open_fd(&trace, sample->fd, NULL, &options) != 0 ||
		ear_memory_new(&memory, &following) != 0)
		abort();
	for (; ear_trace_next(trace, &record) == 1; sample->count++) {
		const bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
		if (sample->count == max || ear_memory_push(memory, record) != 0)
			abort();
		sample->hidden += !memory->forgotten;
		sample->records[sample->count] = (struct api_record){
			instruction ? record->pc : 0, record->kind, record->hart};
		sample->numbers[sample->count + 1] = ear_trace_number(trace);
	}
	sample->hidden++; /* a position is after a record */
	ear_memory_free(memory);
	ear_trace_close(trace);
}

const struct api_sample *api_sample(unsigned number)
{
	const unsigned which = number % SAMPLES;
	struct api_sample *sample = &samples[which];
	static bool begun;

	if (sample->numbers)
		return sample;
	if (!begun && atexit(end_samples) != 0)
		abort();
	begun = true;
	sample->format = formats[which];
	sample->fd = memfd_create("sample", 0);
	FILE *out = sample->fd < 0 ? NULL : fdopen(dup(sample->fd), "w");
	if (!out)
		abort();
	put_sample(out, which);
	if (fclose(out) != 0)
		abort();
	snprintf(sample->path, sizeof(sample->path), "/proc/self/fd/%d", sample->fd);
	snprintf(sample->index, sizeof(sample->index), "/tmp/earshot-fuzz-api-%ld-%u.idx",
		(long)getpid(), which);
	read_sample(sample);
	return sample;
}
