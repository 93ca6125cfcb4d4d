/* earshot-moments: is a moment the same whichever way one comes to it?
 *
 *     earshot-moments TRACE [--count N] [--seed N] [--index FILE | --no-index] [--image ELF]
 *                     [--jobs N] [--stretch COST] [--text]
 *
 * Takes random positions of a trace and notes what followers of the whole trace say there
 * (library/state/state and library/memory/memory_state, which earshot-truth holds against the
 * hardware): each register, and a hash of each page of memory with its known bytes. Then libearshot
 * has to say the same without an index, going forward through the trace, and with one, jumping from
 * one position to any other; and its call stacks have to be the same both ways. --text: the trace
 * is not from a retire port. Exit code: 0 all agree, 1 they do not, 2 it could not be done.
 */
#include <earshot/earshot.h>
#include <earshot/index.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "library/api/trace_internal.h"
#include "library/memory/memory_state.h"
#include "library/source/source.h"
#include "library/state/state.h"

#define PAGE        4096
#define PAGES_MAX   512 /* of which memory is compared: those that the trace names first */
#define FRAMES      64
#define CSRS        4096
#define WRONG_SHOWN 12

/* The devices of the demo system and of the simulator. */
static const struct ear_memory_range devices[] = {
	{0x00100000, 0x1000}, {0x02000000, 0x10000}, {0x10000000, 0x100}, {0x10010000, 0x100}};
#define DEVICES (sizeof(devices) / sizeof(devices[0]))

struct options {
	const char *trace, *index, *image;
	size_t count;
	uint64_t seed;
	unsigned jobs, stretch; /* stretch: of the index, so that short traces have many */
	bool text, no_index;
};

/* What is known at a position. */
struct noted {
	uint64_t position;
	uint64_t x[32], f[32], next_pc;
	uint32_t x_known, f_known;
	bool next_known;
	uint64_t csrs; /* hash of the known ones */
	uint64_t *pages;
	uint64_t stack; /* hash of the frames; from the library */
};

struct check {
	struct options options;
	struct truth_image image;
	struct ear_memory_options memory_options;
	uint64_t pages[PAGES_MAX];
	size_t page_count;
	struct noted *noted;
	size_t at; /* of noted, while following */
	uint64_t position, records, wrong, bytes;
	struct ear_memory *memory;
	struct ear_state *state;
};

static uint64_t chance;

static uint64_t draw(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return chance * UINT64_C(0x2545F4914F6CDD1D) >> 8;
}

static void hash(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x100000001b3);
	*sum ^= *sum >> 29;
}

static void complain(struct check *check, const struct noted *noted, const char *way,
	const char *what, uint64_t where)
{
	if (check->wrong++ < WRONG_SHOWN)
		printf("at %" PRIu64 ", %s: %s %" PRIx64 " differs\n", noted->position, way, what,
			where);
}

/* -- Following the whole trace -- */

typedef int each_record(struct check *check, const struct ear_record *record);

static int read_trace(struct check *check, each_record *each)
{
	const struct ear_source_options options = {0};
	const struct ear_record *record;
	struct ear_source *source;
	int fd = open(check->options.trace, O_RDONLY);
	int result = fd < 0 ? EAR_E_IO : ear_source_new(&source, fd, &options);

	if (result == 0) {
		while ((result = ear_source_next(source, &record)) == 1)
			if ((result = each(check, record)) != 0)
				break;
		ear_source_free(source);
	}
	if (fd >= 0)
		close(fd);
	if (result < 0)
		fprintf(stderr, "%s: %s\n", check->options.trace, ear_error_text(result));
	return result;
}

static void name_page(struct check *check, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1);

	for (size_t i = 0; i < check->page_count; i++)
		if (check->pages[i] == page)
			return;
	if (check->page_count < PAGES_MAX)
		check->pages[check->page_count++] = page;
}

static int look(struct check *check, const struct ear_record *record)
{
	check->records++;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		for (size_t i = 0; i < record->memory_count; i++)
			name_page(check, record->memory[i].address);
	return ear_memory_push(check->memory, record);
}

static uint64_t hash_page(const uint8_t *bytes, const bool *known)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < PAGE; i++)
		if (known[i])
			hash(&sum, i << 8 | bytes[i]);
	return sum;
}

static void note_registers(struct check *check, struct noted *noted)
{
	uint64_t value;

	for (unsigned k = 0; k < 32; k++) {
		if (ear_state_register(check->state, 0, EAR_REGISTER_X, k, &noted->x[k]))
			noted->x_known |= 1u << k;
		if (ear_state_register(check->state, 0, EAR_REGISTER_F, k, &noted->f[k]))
			noted->f_known |= 1u << k;
	}
	for (unsigned k = 0; k < CSRS; k++)
		if (ear_state_register(check->state, 0, EAR_REGISTER_CSR, k, &value)) {
			hash(&noted->csrs, k);
			hash(&noted->csrs, value);
		}
	noted->next_known = ear_state_next_pc(check->state, 0, &noted->next_pc);
}

static int note(struct check *check)
{
	struct noted *noted = &check->noted[check->at++];
	uint8_t bytes[PAGE];
	bool known[PAGE];

	note_registers(check, noted);
	noted->pages = calloc(check->page_count + 1, sizeof(*noted->pages));
	for (size_t i = 0; i < check->page_count; i++) {
		int64_t count = ear_memory_read(check->memory, check->pages[i], bytes, known, PAGE);
		if (count < 0)
			return (int)count;
		check->bytes += (uint64_t)count;
		noted->pages[i] = hash_page(bytes, known);
	}
	return 0;
}

static int note_all_here(struct check *check)
{
	int result = 0;

	while (result == 0 && check->at < check->options.count &&
		check->noted[check->at].position == check->position)
		result = note(check);
	return result;
}

static int follow(struct check *check, const struct ear_record *record)
{
	int result = note_all_here(check);

	if (result == 0)
		result = ear_state_push(check->state, record);
	if (result == 0)
		result = ear_memory_push(check->memory, record);
	check->position++;
	return result;
}

static int compare_positions(const void *a, const void *b)
{
	uint64_t left = ((const struct noted *)a)->position;
	uint64_t right = ((const struct noted *)b)->position;

	return (left > right) - (left < right);
}

static int follow_trace(struct check *check)
{
	const struct ear_state_source source = {
		.captured = !check->options.text, .shows_fflags = !check->options.text};
	struct ear_memory *first;
	int result = ear_memory_new(&check->memory, &check->memory_options);

	if (result == 0)
		result = read_trace(check, look);
	first = check->memory;
	if (result < 0 || ear_memory_new(&check->memory, &check->memory_options) < 0 ||
		ear_state_new(&check->state) < 0)
		return -1;
	ear_state_set_source(check->state, &source);
	ear_memory_set_volatile(check->memory, ear_memory_volatile(first));
	for (size_t i = 0; i < check->options.count; i++)
		check->noted[i].position = draw() % (check->records + 1);
	qsort(check->noted, check->options.count, sizeof(*check->noted), compare_positions);
	result = read_trace(check, follow);
	if (result >= 0)
		result = note_all_here(check);
	ear_memory_free(first);
	return result;
}

/* -- Asking the library -- */

static struct ear_trace *open_trace(struct check *check, enum ear_index_use use)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_image_segment segments[EAR_MEMORY_SEGMENTS_MAX];
	struct ear_span spans[DEVICES];
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace *trace;

	for (size_t i = 0; i < DEVICES; i++)
		spans[i] = (struct ear_span){
			devices[i].address, devices[i].address + devices[i].size - 1};
	options.devices = spans;
	options.device_count = DEVICES;
	options.index = use;
	options.index_file = check->options.index;
	options.jobs = check->options.jobs;
	options.error = error;
	if (ear_trace_open(&trace, check->options.trace, &options) != 0) {
		fprintf(stderr, "%s: %s\n", check->options.trace, error);
		return NULL;
	}
	trace->index_stretch = check->options.stretch;
	for (size_t i = 0; i < check->image.count; i++) {
		const struct ear_memory_segment *segment = &check->image.segments[i];
		segments[i] = (struct ear_image_segment){.address = segment->address,
			.size = segment->size,
			.bytes = segment->bytes,
			.writable = segment->writable};
	}
	if (ear_trace_set_image(trace, segments, check->image.count) == 0)
		return trace;
	fprintf(stderr, "%s: %s\n", check->options.trace, ear_trace_error(trace));
	ear_trace_close(trace);
	return NULL;
}

static void compare_class(struct check *check, const struct ear_moment *moment,
	const struct noted *noted, const char *way, bool floats)
{
	enum ear_register_class class = floats ? EAR_REGISTER_F : EAR_REGISTER_X;
	const uint64_t *values = floats ? noted->f : noted->x;
	uint32_t known = floats ? noted->f_known : noted->x_known;

	for (unsigned k = 0; k < 32; k++) {
		uint64_t value = 0;
		bool is_known = ear_moment_register(moment, 0, class, k, &value);
		if (is_known != (known >> k & 1) || (is_known && value != values[k]))
			complain(check, noted, way, floats ? "f" : "x", k);
	}
}

static void compare_registers(struct check *check, const struct ear_moment *moment,
	const struct noted *noted, const char *way)
{
	uint64_t value, csrs = 0;

	compare_class(check, moment, noted, way, false);
	compare_class(check, moment, noted, way, true);
	for (unsigned k = 0; k < CSRS; k++)
		if (ear_moment_register(moment, 0, EAR_REGISTER_CSR, k, &value)) {
			hash(&csrs, k);
			hash(&csrs, value);
		}
	if (csrs != noted->csrs)
		complain(check, noted, way, "a CSR", 0);
	/* The library also looks at what comes next. */
	if (noted->next_known &&
		(!ear_moment_next_pc(moment, 0, &value) || value != noted->next_pc))
		complain(check, noted, way, "next pc", value);
}

static int compare_memory(
	struct check *check, struct ear_moment *moment, const struct noted *noted, const char *way)
{
	uint8_t bytes[PAGE], sources[PAGE];
	bool known[PAGE];

	for (size_t i = 0; i < check->page_count; i++) {
		int64_t count =
			ear_moment_memory(moment, check->pages[i], bytes, sources, PAGE, NULL);
		if (count < 0)
			return (int)count;
		for (size_t k = 0; k < PAGE; k++)
			known[k] = sources[k] != EAR_BYTE_UNKNOWN;
		if (hash_page(bytes, known) != noted->pages[i])
			complain(check, noted, way, "memory at", check->pages[i]);
	}
	return 0;
}

/* Returns 0 where there can be no stack (no opcodes). */
static int64_t hash_stack(struct ear_moment *moment, uint64_t *sum)
{
	struct ear_call_frame frames[FRAMES];
	int64_t count = ear_moment_stack(moment, 0, frames, sizeof(*frames), FRAMES, NULL);

	*sum = 0;
	if (count == EAR_E_UNSUPPORTED)
		return 0;
	hash(sum, (uint64_t)count);
	for (int64_t i = 0; i < count && i < FRAMES; i++) {
		const struct ear_call_frame *frame = &frames[i];
		bool base = frame->kind == EAR_FRAME_BASE;
		hash(sum, frame->kind);
		hash(sum, frame->sp_known ? frame->sp : 1);
		hash(sum, frame->position);
		hash(sum, frame->entry);
		hash(sum, base ? 0 : frame->call_pc);
		hash(sum, base ? 0 : frame->return_pc);
	}
	return count;
}

static int compare_moment(
	struct check *check, struct ear_moment *moment, struct noted *noted, bool indexed)
{
	const char *way = indexed ? "with index" : "without index";
	uint64_t stack;

	if (ear_moment_position(moment) != noted->position)
		complain(check, noted, way, "position", ear_moment_position(moment));
	compare_registers(check, moment, noted, way);
	int64_t result = hash_stack(moment, &stack);
	if (result >= 0 && indexed && stack != noted->stack)
		complain(check, noted, way, "stack", 0);
	if (!indexed)
		noted->stack = stack;
	return result < 0 ? (int)result : compare_memory(check, moment, noted, way);
}

/* The noted moments, in their order or in any. */
static int ask(struct check *check, struct ear_trace *trace, bool indexed)
{
	struct ear_moment *moment;
	int result = ear_moment_new(&moment, trace, 0, NULL);

	if (result == 0) {
		for (size_t i = 0; i < check->options.count && result == 0; i++) {
			size_t at = indexed ? (i * 7919 + 17) % check->options.count : i;
			struct noted *noted = &check->noted[at];
			result = ear_moment_move(moment, noted->position, NULL);
			if (result >= 0)
				result = compare_moment(check, moment, noted, indexed);
		}
		ear_moment_free(moment);
	}
	if (result < 0)
		fprintf(stderr, "%s: %s\n", check->options.trace, ear_trace_error(trace));
	return result;
}

static int ask_both_ways(struct check *check)
{
	struct ear_trace *plain = open_trace(check, EAR_INDEX_NONE);
	struct ear_trace *indexed = open_trace(check, EAR_INDEX_AUTO);
	int result = plain && indexed ? ask(check, plain, false) : -1;

	if (result >= 0 && check->options.no_index)
		result = ask(check, plain, true); /* any order, and back */
	else if (result >= 0)
		result = ear_trace_index(indexed, false, NULL);
	if (result == 0 && !check->options.no_index) {
		fprintf(stderr, "%s: no index: %s\n", check->options.trace,
			ear_trace_error(indexed));
		result = -1;
	}
	if (result >= 0 && !check->options.no_index)
		result = ask(check, indexed, true);
	ear_trace_close(plain);
	ear_trace_close(indexed);
	return result;
}

static bool parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){.trace = argv[1], .count = 100, .seed = 1, .jobs = 1};
	for (int i = 2; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(argv[i], "--text") == 0) {
			options->text = true;
			continue;
		}
		if (strcmp(argv[i], "--no-index") == 0) {
			options->no_index = true;
			continue;
		}
		if (!value)
			return false;
		if (strcmp(argv[i], "--count") == 0)
			options->count = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = strtoull(value, NULL, 0);
		else if (strcmp(argv[i], "--jobs") == 0)
			options->jobs = (unsigned)strtoul(value, NULL, 0);
		else if (strcmp(argv[i], "--stretch") == 0)
			options->stretch = (unsigned)strtoul(value, NULL, 0);
		else if (strcmp(argv[i], "--index") == 0)
			options->index = value;
		else if (strcmp(argv[i], "--image") == 0)
			options->image = value;
		else
			return false;
		i++;
	}
	return options->trace != NULL && options->count > 0;
}

int main(int argc, char **argv)
{
	static struct check check;
	int result;

	if (!parse(&check.options, argc, argv)) {
		fprintf(stderr,
			"usage: earshot-moments TRACE [--count N] [--seed N] [--jobs N] "
			"[--stretch COST] [--index FILE | --no-index] [--image ELF] [--text]\n");
		return 2;
	}
	if (check.options.image && truth_image_open(&check.image, check.options.image) < 0)
		return 2;
	check.memory_options = (struct ear_memory_options){.captured = !check.options.text,
		.devices = devices,
		.device_count = DEVICES,
		.image = check.image.segments,
		.image_count = check.image.count};
	check.noted = calloc(check.options.count, sizeof(*check.noted));
	chance = check.options.seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
	result = follow_trace(&check);
	if (result >= 0)
		result = ask_both_ways(&check);
	printf("%zu moments, %" PRIu64 " differences, %zu pages, %" PRIu64 " bytes known\n",
		check.options.count, check.wrong, check.page_count, check.bytes);
	for (size_t i = 0; i < check.options.count; i++)
		free(check.noted[i].pages);
	free(check.noted);
	ear_memory_free(check.memory);
	ear_state_free(check.state);
	truth_image_close(&check.image);
	return result < 0 ? 2 : check.wrong > 0;
}
