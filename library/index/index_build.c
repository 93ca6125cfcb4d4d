/* Builds an index: one pass in one thread or two, or parts in several, joined in order.
 *
 * The parts rest on what a capture says of itself: that at a state so many records lie before it.
 * It is not believed: a part has to end exactly where the next one began, with the same state of
 * the decoder. If anything is different, all of it is thrown away and read in one pass, which
 * trusts nothing.
 */
#include "library/index/index_build.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/text/unpack.h"
#include "library/index/index_extend.h"
#include "library/index/index_merge.h"
#include "library/index/index_parts.h"
#include "library/memory/memory_expected.h"
#include "library/memory/memory_merge.h"
#include "library/shot/shot_format.h"

#define PART_STRETCHES 60u  /* a part has at least as many records as these */
#define PART_SHARE_MAX 1.5  /* of the longest part, in shares of one thread */
#define PART_BYTES_MAX 12e6 /* of the capture: a part with more of them has too much memory */
#define PARTS_MAX      1e8  /* records of the parts that there are at one time: some 300 MiB */
#define MEMORY_SIZE    ((size_t)160 << 20)
#define WAIT_MS        40u

struct build {
	const struct ear_index_build_options *options;
	int trace_fd, out_fd;
	const struct ear_index_identity *identity;
	struct ear_memory_options memory;
	FILE *spilled; /* blocks of memory that do not fit, once there is one */
	uint64_t done; /* bytes of the trace */
	struct ear_index_built built;
	bool again; /* addresses mean something else than was thought */
	int fault;
	uint64_t reports; /* of the text's reader */
};

/* In one pass, by the thread that reads. */
static int count_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	struct build *build = context;

	(void)line_number;
	(void)offset;
	(void)cause;
	(void)kind;
	build->reports++;
	return 0;
}

/* A source of the whole trace, whose reports are counted. Returns as ear_source_new. */
static int open_source(struct build *build, struct ear_source **source)
{
	struct ear_source_options options = build->options->source;

	options.shared = true;
	options.fault = NULL;
	options.reader.report = count_report;
	options.reader.context = build;
	build->reports = 0;
	return ear_source_new(source, build->trace_fd, &options);
}

/* Blocks of memory in a temporary file without a name ---------------------------------------- */

static int spill_at(struct build *build, uint64_t slot)
{
	if (!build->spilled)
		build->spilled = tmpfile();
	if (!build->spilled ||
		fseeko(build->spilled, (off_t)(slot * EAR_MEMORY_SLOT), SEEK_SET) < 0)
		return EAR_E_IO;
	return 0;
}

static int write_spill(void *context, uint64_t slot, const void *bytes)
{
	struct build *build = context;
	int result = spill_at(build, slot);

	if (result == 0 && fwrite(bytes, EAR_MEMORY_SLOT, 1, build->spilled) != 1)
		result = EAR_E_IO;
	return result;
}

static int read_spill(void *context, uint64_t slot, void *bytes)
{
	struct build *build = context;
	int result = spill_at(build, slot);

	if (result == 0 && fread(bytes, EAR_MEMORY_SLOT, 1, build->spilled) != 1)
		result = EAR_E_IO;
	return result;
}

static int tell_progress(const struct build *build)
{
	const struct ear_index_build_options *options = build->options;

	if (options->progress &&
		options->progress(options->context, build->done, build->identity->size) != 0)
		return EAR_E_CANCELLED;
	return 0;
}

static void prepare_directory(struct build *build, struct ear_index_merge *merge, bool capture)
{
	struct ear_index_directory *directory = &merge->directory;

	directory->identity = *build->identity;
	directory->memory_key = build->memory.key;
	directory->flags = EAR_INDEX_FILE_COMPLETE | (capture ? EAR_INDEX_FILE_CAPTURE : 0) |
			   (build->fault ? EAR_INDEX_FILE_FAULTY : 0);
	build->built.records = directory->records;
}

/* One pass ------------------------------------------------------------------------------------ */

static bool ask_stop(void *context)
{
	return tell_progress(context) != 0;
}

static int add_all(struct build *build, struct ear_index_merge *merge, struct ear_index_part *part)
{
	struct ear_index_product product;
	int result;

	while ((result = ear_index_part_next(part, &product)) == 1) {
		build->done = product.checkpoint.anchor.file_offset;
		result = tell_progress(build);
		if (result == 0)
			result = ear_index_merge_add(merge, &product);
		ear_index_product_fini(&product);
		if (result)
			return result;
	}
	build->fault = part->feed.fault;
	return result;
}

static int build_from_source(
	struct build *build, struct ear_index_merge *merge, struct ear_source *source)
{
	struct ear_memory *memory;
	struct ear_index_part part;
	int result = ear_memory_new(&memory, &build->memory);

	if (result)
		return result;
	result = ear_index_part_init(&part, source, UINT64_MAX, memory, build->memory.key);
	if (build->options->stretch)
		part.feed.stretch = build->options->stretch;
	part.feed.reports = &build->reports;
	part.from_begin = true;
	part.stop = ask_stop;
	part.stop_context = build;
	build->built.ahead = build->options->jobs > 1;
	if (result == 0 && build->built.ahead)
		result = ear_index_part_read_ahead(&part);
	if (result == 0)
		result = add_all(build, merge, &part);
	if (result == 0) {
		prepare_directory(build, merge, !part.feed.text);
		result = ear_index_merge_finish(merge, ear_memory_volatile(memory));
	}
	enum ear_memory_key better = ear_memory_better_key(memory);
	if (result == EAR_E_BAD_ARGUMENT && better != build->memory.key) {
		build->memory.key = better;
		result = EAR_E_MORE; /* again */
	}
	ear_index_part_fini(&part);
	ear_memory_free(memory);
	return result;
}

static int build_serially(struct build *build)
{
	struct ear_index_merge merge;
	struct ear_source *source;
	int result = open_source(build, &source);

	if (result)
		return result;
	result =
		ear_index_merge_init(&merge, build->out_fd, ear_source_text_format(source) != NULL);
	if (result == 0)
		result = build_from_source(build, &merge, source);
	ear_index_merge_fini(&merge);
	ear_source_free(source);
	return result;
}

/* Parts --------------------------------------------------------------------------------------- */

static int save_expected(const struct ear_memory *memory, struct ear_index_bytes *bytes)
{
	size_t size = ear_memory_expected_save(memory, NULL, 0);
	uint8_t *room = ear_index_bytes_grow(bytes, size);

	if (size > 0 && !room)
		return EAR_E_NO_MEMORY;
	if (size > 0)
		ear_memory_expected_save(memory, room, size);
	return 0;
}

/* What memory expects at a checkpoint of a part: what it expected before, and what the part says.
 */
static int join_expected(const struct build *build, const struct ear_index_bytes *before,
	struct ear_index_bytes *expected)
{
	struct ear_memory_options options = build->memory;
	struct ear_index_bytes joined = {0};
	struct ear_memory *memory;

	options.spill = NULL;
	int result = ear_memory_new(&memory, &options);
	if (result)
		return result;
	result = ear_memory_expected_load(memory, before->bytes, before->size);
	if (result == 0)
		result = ear_memory_expected_load(memory, expected->bytes, expected->size);
	if (result == 0)
		result = save_expected(memory, &joined);
	ear_memory_free(memory);
	ear_index_bytes_fini(expected);
	*expected = joined;
	return result;
}

/* Is the part the one that comes after what was joined? Where the trace ended, there is none. */
static int follows(const struct ear_index_made_part *before, const struct ear_index_made_part *part)
{
	if (before->trace_ended)
		return part->count == 0 && part->end_anchor.position == before->end_anchor.position;
	if (part->count == 0)
		return 0;
	return ear_anchor_meets(&before->end_anchor, &part->products[0].checkpoint.anchor);
}

/* What a part says of lines that change in a node. */
struct changes {
	struct ear_index_bytes changes;
	struct ear_index_sparse sparse;
};

/* What the parts before know of these lines goes under what the part knows of them. */
static int complete_changes(
	struct ear_memory *whole, struct ear_index_made_part *part, struct changes *completed)
{
	int result = 0;

	for (size_t i = 0; i < part->count && result == 0; i++) {
		const struct ear_index_product *product = &part->products[i];
		if (product->changes_whole)
			continue;
		result = ear_index_sparse_complete(&completed[i].sparse, &product->sparse, whole);
		if (result == 0 && !product->changes_dropped)
			result = ear_index_complete_changes(
				whole, &product->changes, &completed[i].changes);
	}
	return result;
}

static void free_changes(struct changes *changes)
{
	ear_index_bytes_fini(&changes->changes);
	ear_index_sparse_fini(&changes->sparse);
}

/* Nothing older counts if all was forgotten where the part begins. */
static void use_changes(struct ear_index_made_part *part, struct changes *completed, bool forgotten)
{
	for (size_t i = 0; i < part->count; i++) {
		struct ear_index_product *product = &part->products[i];
		const struct changes before = {product->changes, product->sparse};
		if (!product->changes_whole && !forgotten) {
			product->changes = completed[i].changes;
			product->sparse = completed[i].sparse;
			completed[i] = before;
		}
		product->changes_whole = true;
	}
}

/* The memory of the part becomes that of the whole. */
static int join_memory(struct ear_memory *whole, struct ear_index_made_part *part,
	struct ear_memory_border *border)
{
	struct changes *completed = calloc(part->count, sizeof(*completed));
	int result = completed ? complete_changes(whole, part, completed) : EAR_E_NO_MEMORY;

	if (result == 0)
		result = ear_memory_merge(whole, part->memory, border);
	if (result == 0)
		use_changes(part, completed, border->forgotten);
	for (size_t i = 0; completed && i < part->count; i++)
		free_changes(&completed[i]);
	free(completed);
	return result;
}

static int join_part(struct build *build, struct ear_index_merge *merge, struct ear_memory *whole,
	struct ear_index_made_part *part)
{
	struct ear_index_bytes before = {0};
	struct ear_memory_border border;
	int result = save_expected(whole, &before);

	if (result == 0)
		result = join_memory(whole, part, &border);
	if (result == 1)
		result = EAR_E_BAD_ARGUMENT;
	if (result == 0 && border.forgotten) {
		part->products[0].sets.children[0].flags |= EAR_INDEX_FLAG_FORGOTTEN;
		part->products[0].forgotten_before = true;
	}
	for (size_t i = 0; i < part->count && result == 0; i++) {
		struct ear_index_product *product = &part->products[i];
		build->done = product->checkpoint.anchor.file_offset;
		result = tell_progress(build);
		if (result == 0)
			result = join_expected(build, &before, &product->checkpoint.expected);
		if (result == 0)
			result = ear_index_merge_add(merge, product);
		ear_index_product_fini(product);
	}
	ear_index_bytes_fini(&before);
	return result ? result : ear_index_merge_end_part(merge, part->state);
}

/* The next part, after those joined; before: the last of them. Returns 1, 0 after the last, or an
 * error. */
static int join_next(struct build *build, struct ear_index_merge *merge,
	struct ear_index_parts *parts, struct ear_memory *whole, struct ear_index_made_part *before,
	bool *first)
{
	struct ear_index_made_part part = {.key = build->memory.key};
	int result = ear_index_parts_next(parts, &part, WAIT_MS);

	if (result == EAR_E_MORE) {
		result = tell_progress(build);
		return result ? result : 1;
	}
	if (result < 0 && part.key != build->memory.key) {
		build->memory.key = part.key;
		build->again = true;
	}
	if (result < 0)
		ear_index_made_part_fini(&part);
	if (result != 1)
		return result;
	result = *first ? 1 : follows(before, &part);
	*first = false;
	if (result == 0)
		result = EAR_E_BAD_ARGUMENT;
	if (result == 1 && part.count > 0)
		result = join_part(build, merge, whole, &part);
	ear_index_made_part_fini(before);
	*before = part;
	build->fault = part.fault;
	build->built.parts++;
	return result < 0 ? result : 1;
}

static int join_parts(struct build *build, struct ear_index_merge *merge,
	struct ear_index_parts *parts, struct ear_memory *whole)
{
	struct ear_index_made_part before = {0};
	bool first = true;
	int result;

	do
		result = join_next(build, merge, parts, whole, &before, &first);
	while (result == 1);
	if (result == 0 && !before.trace_ended)
		result = EAR_E_BAD_ARGUMENT;
	ear_index_made_part_fini(&before);
	return result;
}

static int build_with_places(
	struct build *build, const struct ear_shot_place *places, size_t count, unsigned jobs)
{
	struct ear_index_parts *parts = NULL;
	struct ear_memory *whole = NULL;
	struct ear_index_merge merge;
	int result = ear_index_merge_init(&merge, build->out_fd, false);

	if (result == 0)
		result = ear_memory_new(&whole, &build->memory);
	if (result == 0)
		result = ear_index_parts_new(&parts, build->trace_fd, &build->options->source,
			build->options->stretch, &build->memory, places, count, jobs);
	if (result == 0)
		result = join_parts(build, &merge, parts, whole);
	ear_index_parts_free(parts);
	if (result == 0) {
		prepare_directory(build, &merge, true);
		result = ear_index_merge_finish(&merge, ear_memory_volatile(whole));
	}
	ear_memory_free(whole);
	ear_index_merge_fini(&merge);
	return result;
}

/* Where parts of a capture may begin: states that are not too near to each other. Returns how many
 * stay in index->places. */
static size_t choose_places(struct ear_shot_index *index, unsigned stretch)
{
	uint64_t before = 0, least = (uint64_t)stretch * PART_STRETCHES;
	size_t count = 0;

	for (size_t i = 0; i < index->count; i++) {
		const struct ear_shot_place place = index->places[i];
		if (place.records < before || place.records - before < least)
			continue;
		before = place.records;
		index->places[count++] = place;
	}
	return count;
}

/* Do parts of these places keep the threads busy? Else one pass in two threads takes less time.
 * What comes after the last place is guessed by its bytes. What a part knows of memory came with
 * its bytes, for the most part: with many of them, following the memory in parts and joining it
 * costs more than the threads give, or it is more than a part may have. */
static bool divide_well(
	const struct ear_shot_index *index, size_t count, uint64_t size, unsigned jobs)
{
	const struct ear_shot_place *last = &index->places[count - 1];
	double total = (double)last->records * (double)size / (double)last->file_offset;
	double longest = total - (double)last->records;

	for (size_t i = 0; i < count; i++) {
		uint64_t before = i > 0 ? index->places[i - 1].records : 0;
		double records = (double)(index->places[i].records - before);
		longest = records > longest ? records : longest;
	}
	return longest * jobs <= PART_SHARE_MAX * total && longest * (jobs + 2) <= PARTS_MAX &&
	       longest / total * (double)size <= PART_BYTES_MAX;
}

static int start_again(struct build *build)
{
	build->done = 0;
	build->fault = 0;
	build->again = false;
	build->built.parts = 0;
	build->built.kept = 0;
	if (ftruncate(build->out_fd, 0) < 0 || lseek(build->out_fd, 0, SEEK_SET) < 0)
		return EAR_E_IO;
	return 0;
}

/* Returns EAR_E_BAD_ARGUMENT if it cannot be built so, after all. */
static int build_in_parts(struct build *build)
{
	unsigned stretch = build->options->stretch ? build->options->stretch : EAR_INDEX_STRETCH;
	struct ear_shot_index index = {0};
	int result = ear_shot_index_read(&index, build->trace_fd);
	size_t count = result == 0 ? choose_places(&index, stretch) : 0;

	if (result == 0 && (count == 0 || !divide_well(&index, count, build->identity->size,
						  build->options->jobs)))
		result = EAR_E_BAD_ARGUMENT;
	else if (result == 0)
		result = build_with_places(build, index.places, count, build->options->jobs);
	ear_shot_index_fini(&index);
	return result;
}

/* Extending ------------------------------------------------------------------------------------ */

static int add_after(struct build *build, struct ear_index_merge *merge,
	struct ear_index_part *part, const struct ear_index_extend *extend)
{
	struct ear_index_product product;
	int result;

	while ((result = ear_index_part_next(part, &product)) == 1) {
		build->done = product.checkpoint.anchor.file_offset;
		result = tell_progress(build);
		if (result == 0)
			result = join_expected(
				build, &extend->checkpoint.expected, &product.checkpoint.expected);
		if (result == 0)
			result = ear_index_merge_add(merge, &product);
		ear_index_product_fini(&product);
		if (result)
			return result;
	}
	build->fault = part->feed.fault;
	/* What was forgotten could not be asked of the old index, either. */
	if (result == 0 && ear_memory_overflows(part->memory) > 0)
		result = EAR_E_BAD_ARGUMENT;
	return result;
}

/* Volatile bytes of all the trace, which are all that its end says of memory. */
static int finish_extended(struct build *build, struct ear_index_merge *merge,
	struct ear_memory *part, const struct ear_index_extend *extend, struct ear_source *source)
{
	struct ear_memory_options options = build->memory;
	struct ear_memory_border border;
	struct ear_memory *whole;

	options.spill = NULL;
	int result = ear_memory_new(&whole, &options);
	if (result)
		return result;
	result = ear_index_extend_memory(extend, whole, part, &build->memory, source);
	if (result == 0)
		result = ear_memory_merge(whole, part, &border);
	if (result == 1 || (result == 0 && border.forgotten))
		result = EAR_E_BAD_ARGUMENT;
	if (result == 0)
		result = ear_index_merge_finish(merge, ear_memory_volatile(whole));
	ear_memory_free(whole);
	return result;
}

static int build_after(struct build *build, struct ear_index_merge *merge,
	const struct ear_index_extend *extend, struct ear_source *source)
{
	const struct ear_index_bytes *expected = &extend->checkpoint.expected;
	struct ear_memory_options options = build->memory;
	struct ear_index_part part = {.ahead = NULL};
	struct ear_memory *memory;

	options.part = true;
	options.spill = NULL;
	int result = ear_memory_new(&memory, &options);
	if (result)
		return result;
	result = ear_memory_expected_load(memory, expected->bytes, expected->size);
	if (result == 0)
		result = ear_source_seek(source, &extend->checkpoint.anchor);
	if (result == 0)
		result = ear_index_part_init(&part, source, UINT64_MAX, memory, options.key);
	if (build->options->stretch)
		part.feed.stretch = build->options->stretch;
	part.feed.reports = &build->reports;
	part.feed.reported = build->reports;
	part.stop = ask_stop;
	part.stop_context = build;
	build->built.ahead = build->options->jobs > 1;
	if (result == 0 && build->built.ahead)
		result = ear_index_part_read_ahead(&part);
	if (result == 0)
		result = add_after(build, merge, &part, extend);
	if (result == 0)
		prepare_directory(build, merge, !part.feed.text);
	ear_index_part_fini(&part);
	if (result == 0)
		result = finish_extended(build, merge, memory, extend, source);
	ear_memory_free(memory);
	return result;
}

static int extend_with_source(struct build *build, struct ear_source *source)
{
	struct ear_index_extend extend;
	struct ear_index_merge merge;
	int result = ear_index_extend_init(&extend, build->options->old, source);

	if (result == 0) {
		build->memory.key = (enum ear_memory_key)extend.old->directory.memory_key;
		result = ear_index_merge_init(
			&merge, build->out_fd, ear_source_text_format(source) != NULL);
		if (result == 0)
			result = ear_source_seek(source, &(struct ear_anchor){.state = NULL});
		if (result == 0)
			result = ear_index_extend_merge(&extend, &merge, source);
		if (result == 0)
			result = build_after(build, &merge, &extend, source);
		ear_index_merge_fini(&merge);
		build->built.kept = extend.checkpoint.anchor.position;
	}
	ear_index_extend_fini(&extend);
	return result;
}

/* Was the end of a text that of a line? If not its last record may have had half a value. Of
 * compressed texts nobody knows. */
static bool ended_well(const struct build *build)
{
	const struct ear_index_directory *old = &build->options->old->directory;
	uint8_t first[EAR_UNPACK_MAGIC] = {0}, last = 0;

	if (old->flags & EAR_INDEX_FILE_CAPTURE)
		return true;
	return pread(build->trace_fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
	       ear_unpack_find(first, sizeof(first)) == EAR_PACKING_NONE &&
	       pread(build->trace_fd, &last, 1, (off_t)(old->identity.size - 1)) == 1 &&
	       last == '\n';
}

/* Returns EAR_E_BAD_ARGUMENT if the index has to be built from the front. */
static int build_extended(struct build *build)
{
	struct ear_source *source;

	if (!ended_well(build))
		return EAR_E_BAD_ARGUMENT;
	int result = open_source(build, &source);
	if (result)
		return result;
	result = extend_with_source(build, source);
	ear_source_free(source);
	if (result == EAR_E_BAD_FILE || result == EAR_E_UNSUPPORTED || result == EAR_E_MORE)
		result = EAR_E_BAD_ARGUMENT;
	if (result == EAR_E_BAD_ARGUMENT) {
		build->memory.key = EAR_MEMORY_FLAT;
		int again = start_again(build);
		result = again ? again : result;
	}
	return result;
}

int ear_index_build(int out_fd, int trace_fd, const struct ear_index_identity *identity,
	const struct ear_index_build_options *options, struct ear_index_built *built)
{
	struct build build = {
		.options = options, .trace_fd = trace_fd, .out_fd = out_fd, .identity = identity};
	const struct ear_memory_spill spill = {write_spill, read_spill, &build};
	bool capture = strcmp(identity->format, "shot") == 0;

	build.memory = (struct ear_memory_options){.key = EAR_MEMORY_FLAT,
		.absent_is_same = !capture,
		.captured = capture,
		.size_max = MEMORY_SIZE,
		.spill = &spill,
		.devices = options->devices,
		.device_count = options->device_count};
	int result = EAR_E_BAD_ARGUMENT;
	if (options->old)
		result = build_extended(&build);
	if (result == EAR_E_BAD_ARGUMENT && capture && options->jobs > 1)
		result = build_in_parts(&build);
	if (build.again) {
		result = start_again(&build);
		if (result == 0)
			result = build_in_parts(&build);
	}
	/* What is wrong with a part may be no fault of the trace. */
	if (result == EAR_E_UNSUPPORTED || result == EAR_E_BAD_FILE)
		result = EAR_E_BAD_ARGUMENT;
	/* Twice: the second time with the right meaning of addresses. */
	for (unsigned i = 0; i < 3 && (result == EAR_E_BAD_ARGUMENT || result == EAR_E_MORE); i++) {
		result = start_again(&build);
		if (result == 0)
			result = build_serially(&build);
	}
	if (build.spilled)
		fclose(build.spilled);
	*built = build.built;
	return result;
}
