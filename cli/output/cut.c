/* Cutting a part out of a capture: what the part says about itself, and its records
 * (library/shot/excerpt.h).
 */
#include "cli/output/cut.h"

#include <earshot/error.h>
#include <earshot/trace.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/base/cli.h"
#include "cli/output/part_marks.h"
#include "cli/show/metadata.h"

#define LEVEL 3 /* of zstd, as for captures */

/* Keys that hold for the part as well. */
static void copy_facts(struct metadata *metadata, const struct ear_shot_reader *reader)
{
	static const char *const keys[][2] = {{"device", "device"}, {"source", "source"},
		{"not_told", "not_told"}, {"created", "part_created"}};
	char value[4096];

	for (const char *const *key = metadata_program_keys; *key; key++)
		if (ear_shot_reader_fact(reader, *key, value, sizeof(value)) >= 0)
			metadata_add(metadata, *key, "%s", value);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (ear_shot_reader_fact(reader, keys[i][0], value, sizeof(value)) >= 0)
			metadata_add(metadata, keys[i][1], "%s", value);
}

int cut_open(struct cut *cut, int fd, const char *name, const struct ear_shot_reader *reader,
	const struct ear_decoder *decoder)
{
	struct metadata *metadata = malloc(sizeof(*metadata));

	if (!metadata)
		return EAR_E_NO_MEMORY;
	metadata_init(metadata);
	metadata_add(metadata, "writer", "%s", cli_version);
	metadata_add_source_date(metadata, "created");
	metadata_add_command(metadata, cut->argc, cut->argv);
	metadata_add(metadata, "part_of", "%s", name);
	copy_facts(metadata, reader);
	int result = ear_shot_writer_new(&cut->writer, fd, metadata->text, LEVEL);
	free(metadata);
	return result ? result : ear_excerpt_new(&cut->excerpt, decoder, cut->writer);
}

int cut_begin(struct cut *cut)
{
	cut->begun = true;
	return ear_excerpt_begin(cut->excerpt);
}

int cut_push(struct cut *cut, const struct ear_record *record, uint64_t number)
{
	cut->begun = true;
	cut->count++;
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		cut->first = cut->any ? cut->first : number;
		cut->last = number;
		cut->any = true;
	}
	return ear_excerpt_push(cut->excerpt, record);
}

int cut_finish(struct cut *cut, bool whole)
{
	if (!cut->excerpt) /* interrupted before anything was read */
		return 0;
	struct metadata *metadata = malloc(sizeof(*metadata));
	int result = metadata ? ear_excerpt_flush(cut->excerpt) : EAR_E_NO_MEMORY;

	if (result == 0) {
		metadata_init(metadata);
		metadata_add_source_date(metadata, "ended");
		metadata_add(metadata, "end_reason", "%s", whole ? "end of part" : "failed");
		if (cut->any) {
			metadata_add(metadata, "part_first", "%" PRIu64, cut->first);
			metadata_add(metadata, "part_last", "%" PRIu64, cut->last);
		}
		metadata_add(metadata, "wire_bytes", "%" PRIu64, ear_excerpt_size(cut->excerpt));
		metadata_add(metadata, "host_lost_bytes", "0");
		result = ear_shot_writer_finish(cut->writer, metadata->text);
	}
	free(metadata);
	return result;
}

void cut_fini(struct cut *cut)
{
	ear_excerpt_free(cut->excerpt);
	ear_shot_writer_free(cut->writer);
	cut->excerpt = NULL;
	cut->writer = NULL;
}

/* ---- Marks. ---- */

struct range {
	uint64_t begin, count; /* positions in the capture */
};

static bool find_in_range(const void *context, uint64_t position, uint64_t *written)
{
	const struct range *range = context;

	*written = position - range->begin;
	return position >= range->begin && *written <= range->count;
}

/* The position of the first record of the part: after the instruction before it. */
static bool find_begin(uint64_t *begin, const char *path, uint64_t from)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace *trace;
	const struct ear_record *record;

	*begin = 0;
	if (from == 0)
		return true;
	options.index = EAR_INDEX_EXISTING;
	options.error = error;
	if (ear_trace_open(&trace, path, &options)) {
		cli_error("%s: %s", path, error);
		return false;
	}
	const bool good = ear_trace_seek_number(trace, from - 1, NULL) == 1 &&
			  ear_trace_next(trace, &record) == 1;
	*begin = ear_trace_position(trace);
	ear_trace_close(trace);
	return good;
}

bool cut_marks(const struct cut *cut, const char *path, const char *output, uint64_t from)
{
	struct range range = {.count = cut->count};
	const struct part_marks_source source = {path, find_in_range, &range};

	if (!part_marks_exist(path))
		return true;
	return find_begin(&range.begin, path, from) && part_marks_copy(&source, 1, output);
}
