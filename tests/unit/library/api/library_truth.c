/* Traces for the tests of the library, and what is in them.
 */
#include "check.h"

#include "library_truth.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "library/api/trace_internal.h"
#include "library/source/source.h"
#include "predict_stream.h"
#include "random.h"
#include "record_trip.h"
#include "retire_random.h"
#include "sample_stream.h"
#include "shot_files.h"

#define INDEX_STRETCH 64 /* so that a short trace has many */

static const char *const files[] = {
	"spike/rv64.log",
	"whisper/timer.csv",
	"whisper/fpmix.csv",
	"whisper/walks.csv",
	"shot/states-1.shot",
};

/* A capture in predict mode: a loop, of which most records come in runs, with entries between that
 * are none; raw makes another one without predictions, whose losses leave gaps. */
static void make_capture(struct truth *truth, uint64_t seed)
{
	struct random random = {seed};
	struct byte_buffer stream = {0}, file = {0};
	struct predict_encoder encoder;
	struct ear_geometry geometry;
	struct ear_retire entry;
	uint64_t order = 0;

	random_geometry(&geometry, &random);
	const struct ear_unit unit = predict_unit(&geometry, seed % 2 ? 32 : 64, 0, false);
	predict_encoder_init(&encoder, &unit, &stream);
	ear_encoder_start(&encoder.encoder);
	for (unsigned i = 0; i < 6000; i++, order++) {
		if (random_once_in(&random, 40)) {
			retire_random(&entry, &random, unit.xlen);
			entry.order = order;
		} else {
			sample_entry(&entry, order, unit.xlen);
		}
		ear_encoder_push(&encoder.encoder, &entry, order * 3);
		if (random_once_in(&random, 900))
			order += 5; /* the unit does not say why */
	}
	ear_encoder_flush(&encoder.encoder);
	predict_encoder_fini(&encoder);
	if (seed % 3 == 0) /* damage */
		for (unsigned i = 0; i < 20; i++)
			stream.bytes[random_below(&random, stream.size)] ^= 0x10;
	shot_write(&file, stream.bytes, stream.size, 700, 5);

	strcpy(truth->path, "/tmp/earshot-library-XXXXXX");
	int fd = mkstemp(truth->path);
	assert_at_least(fd, 0);
	assert_same(write(fd, file.bytes, file.size), (ssize_t)file.size);
	close(fd);
	truth->made = true;
	byte_buffer_free(&stream);
	byte_buffer_free(&file);
}

static void read_all(struct truth *truth)
{
	const struct ear_source_options options = {0};
	const struct ear_record *record;
	struct ear_source *source;
	size_t capacity = 1024;
	uint64_t number = 0;
	int result, fd = open(truth->path, O_RDONLY);

	if (fd < 0)
		fail_msg("%s cannot be opened", truth->path);
	assert_int_equal(ear_source_new(&source, fd, &options), 0);
	truth->records = malloc(capacity * sizeof(*truth->records));
	truth->numbers = malloc((capacity + 1) * sizeof(*truth->numbers));
	while ((result = ear_source_next(source, &record)) == 1) {
		if (truth->count == capacity) {
			capacity *= 2;
			truth->records =
				realloc(truth->records, capacity * sizeof(*truth->records));
			truth->numbers =
				realloc(truth->numbers, (capacity + 1) * sizeof(*truth->numbers));
		}
		truth->numbers[truth->count] = number;
		truth->records[truth->count++] = trip_record_copy(record);
		number += record->kind == EAR_RECORD_INSTRUCTION;
	}
	truth->numbers[truth->count] = number;
	assert_int_equal(result, 0);
	assert_above(truth->count, 5);
	ear_source_free(source);
	close(fd);
}

struct truth *truth_of(size_t number)
{
	struct truth *truth = calloc(1, sizeof(*truth));

	if (number < COUNT_OF(files)) {
		snprintf(truth->path, sizeof(truth->path), "%s/%s", EAR_TEST_DATA, files[number]);
	} else if (number < COUNT_OF(files) + 4) {
		make_capture(truth, number);
	} else {
		free(truth);
		return NULL;
	}
	snprintf(truth->index, sizeof(truth->index), "/tmp/earshot-library-%d-%zu.idx",
		(int)getpid(), number);
	read_all(truth);
	return truth;
}

void truth_free(struct truth *truth)
{
	for (size_t i = 0; i < truth->count; i++)
		trip_record_free(truth->records[i]);
	if (truth->made)
		unlink(truth->path);
	unlink(truth->index);
	free(truth->records);
	free(truth->numbers);
	free(truth);
}

static struct ear_trace *open_with(
	const struct truth *truth, enum ear_index_use index, const char *file)
{
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;

	options.error = error;
	options.index = index;
	options.index_file = file;
	if (ear_trace_open(&trace, truth->path, &options))
		fail_msg("%s", error);
	return trace;
}

struct ear_trace *truth_open(const struct truth *truth)
{
	return open_with(truth, EAR_INDEX_NONE, NULL);
}

struct ear_trace *truth_open_indexed(const struct truth *truth)
{
	struct ear_trace *trace = open_with(truth, EAR_INDEX_AUTO, truth->index);

	trace->index_always = true;
	trace->index_stretch = INDEX_STRETCH;
	return trace;
}

void truth_check(const struct truth *truth, const struct ear_record *record, uint64_t position)
{
	if (position >= truth->count)
		fail_msg("%s has no record %llu", truth->path, (unsigned long long)position);
	const char *difference = trip_record_difference(record, truth->records[position]);
	if (difference)
		fail_msg("%s: record %llu has another %s", truth->path,
			(unsigned long long)position, difference);
}

void truth_check_index(const struct truth *truth, struct ear_trace *trace)
{
	struct ear_index_facts facts = {.size = sizeof(facts)};

	assert_int_equal(ear_trace_index_facts(trace, &facts), 0);
	if (!facts.file)
		fail_msg("%s has no index: %s", truth->path, facts.cause);
}
