/* earshot-truth: is what a trace says about a moment true?
 *
 *     earshot-truth TRACE DUMP [--image ELF] [--text]
 *
 * TRACE is a capture, a stream or a text; DUMP is what the virtual board or the simulator held at
 * some moments of the same run. Running state (library/state/state, library/memory/memory_state)
 * follows the trace, and at each moment every register and every byte that it calls known is
 * compared with the dump. Moments are found by the index of their record, so the trace may have
 * gaps; a moment whose record is missing is not compared. --text: the trace is not from a retire
 * port. Prints what is wrong, and how much is known. Exit code: 0 nothing is wrong, 1 something is,
 * 2 there was nothing to compare.
 *
 * The trace is read twice: which bytes are volatile is known at its end only.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "image.h"
#include "library/memory/memory_state.h"
#include "library/source/source.h"
#include "library/state/state.h"

#define WRONG_SHOWN 20

/* The devices of the demo system: exit register, timer, UART, and the simulator's packets. */
static const struct ear_memory_range devices[] = {
	{0x00100000, 0x1000}, {0x02000000, 0x10000}, {0x10000000, 0x100}, {0x10010000, 0x100}};

struct truth {
	struct truth_dump dump;
	struct truth_image image;
	struct ear_memory_options options;
	struct ear_memory *memory;
	struct ear_state *state;
	const char *trace;
	uint8_t *touched[TRUTH_PAGES_MAX]; /* bytes that the trace or the image has named */
	size_t page_end;
	bool csr_named[TRUTH_CSRS]; /* CSRs that the trace has written */

	uint64_t moments, missing, wrong;
	uint64_t x_known, x_all, csr_known, csr_all, next_known, byte_known, byte_all;
};

/* -- What was touched -- */

static void touch(struct truth *truth, uint64_t address, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		uint64_t offset = address + i - TRUTH_MEMORY_BASE, page = offset / TRUTH_PAGE;

		if (page >= TRUTH_PAGES_MAX)
			continue; /* a device, or an access that trapped */
		if (!truth->touched[page])
			truth->touched[page] = calloc(1, TRUTH_PAGE);
		truth->touched[page][offset % TRUTH_PAGE] = 1;
		if (page >= truth->page_end)
			truth->page_end = page + 1;
	}
}

static void touch_record(struct truth *truth, const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR)
			truth->csr_named[record->registers[i].number] = true;
	for (size_t i = 0; i < record->memory_count; i++)
		touch(truth, record->memory[i].address, record->memory[i].size);
}

/* -- Comparing -- */

static bool tell_wrong(struct truth *truth)
{
	if (truth->wrong++ >= WRONG_SHOWN)
		return false;
	printf("after %" PRIu64 ", pc %" PRIx64 ": ", truth->dump.number, truth->dump.pc);
	return true;
}

static void compare_value(
	struct truth *truth, const char *class, unsigned number, uint64_t value, uint64_t wanted)
{
	if (value != wanted && tell_wrong(truth))
		printf("%s%u is %" PRIx64 ", state says %" PRIx64 "\n", class, number, wanted,
			value);
}

static void compare_registers(struct truth *truth)
{
	const struct truth_dump *dump = &truth->dump;
	uint64_t value;

	for (unsigned k = 1; k < 32; k++) {
		truth->x_all++;
		if (!ear_state_register(truth->state, 0, EAR_REGISTER_X, k, &value))
			continue;
		truth->x_known++;
		compare_value(truth, "x", k, value, dump->x[k]);
	}
	for (unsigned k = 0; k < 32 && dump->has_f; k++) {
		truth->x_all++;
		if (!ear_state_register(truth->state, 0, EAR_REGISTER_F, k, &value))
			continue;
		truth->x_known++;
		compare_value(truth, "f", k, value, dump->f[k]);
	}
	for (unsigned k = 0; k < TRUTH_CSRS; k++) {
		if (!dump->csr_listed[k])
			continue;
		truth->csr_all += truth->csr_named[k];
		if (!ear_state_register(truth->state, 0, EAR_REGISTER_CSR, k, &value))
			continue;
		truth->csr_known += truth->csr_named[k];
		compare_value(truth, "csr ", k, value, dump->csr[k]);
	}
	if (ear_state_next_pc(truth->state, 0, &value)) {
		truth->next_known++;
		compare_value(truth, "next pc", 0, value, dump->next);
	}
}

static void compare_page(struct truth *truth, size_t page)
{
	uint64_t address = TRUTH_MEMORY_BASE + page * TRUTH_PAGE;
	const uint8_t *wanted = truth_dump_page(&truth->dump, page);
	const uint8_t *touched = page < truth->page_end ? truth->touched[page] : NULL;
	uint8_t bytes[TRUTH_PAGE];
	bool known[TRUTH_PAGE];

	if (ear_memory_read(truth->memory, address, bytes, known, TRUTH_PAGE) < 0)
		abort();
	for (size_t i = 0; i < TRUTH_PAGE; i++) {
		truth->byte_all += touched && touched[i];
		truth->byte_known += known[i] && touched && touched[i];
		if (known[i] && bytes[i] != wanted[i] && tell_wrong(truth))
			printf("byte %" PRIx64 " is %02x, state says %02x\n", address + i,
				wanted[i], bytes[i]);
		if (known[i] && !(touched && touched[i]) && tell_wrong(truth))
			printf("byte %" PRIx64 " is known, and nothing has touched it\n",
				address + i);
	}
}

static void compare_devices(struct truth *truth)
{
	uint8_t bytes[256];
	bool known[256];

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		for (uint64_t at = 0; at < devices[i].size; at += sizeof(bytes))
			if (ear_memory_read(truth->memory, devices[i].address + at, bytes, known,
				    sizeof(bytes)) != 0 &&
				tell_wrong(truth))
				printf("device at %" PRIx64 " has known bytes\n",
					devices[i].address + at);
}

static void compare(struct truth *truth, const struct ear_record *record)
{
	size_t end =
		truth->page_end > truth->dump.page_end ? truth->page_end : truth->dump.page_end;

	truth->moments++;
	compare_value(truth, "the pc of its record", 0, record->pc, truth->dump.pc);
	compare_registers(truth);
	for (size_t page = 0; page < end; page++)
		compare_page(truth, page);
	compare_devices(truth);
}

/* -- The trace -- */

/* Give every record to `each`, until it returns other than 0. */
static int read_trace(struct truth *truth, int (*each)(struct truth *, const struct ear_record *))
{
	const struct ear_source_options options = {0};
	const struct ear_record *record;
	struct ear_source *source;
	int fd = open(truth->trace, O_RDONLY);
	int result = fd < 0 ? EAR_E_IO : ear_source_new(&source, fd, &options);

	if (result == 0) {
		while ((result = ear_source_next(source, &record)) == 1)
			if (each(truth, record) != 0)
				break;
		ear_source_free(source);
	}
	if (fd >= 0)
		close(fd);
	if (result < 0)
		fprintf(stderr, "%s: %s\n", truth->trace, ear_error_text(result));
	return result;
}

static int look_for_volatile(struct truth *truth, const struct ear_record *record)
{
	return ear_memory_push(truth->memory, record);
}

/* The moments at and before this record. 1: there are no more. */
static int compare_moments(struct truth *truth, const struct ear_record *record)
{
	while (truth->dump.number <= record->index) {
		if (truth->dump.number == record->index)
			compare(truth, record);
		else
			truth->missing++;
		int more = truth_dump_next(&truth->dump);
		if (more <= 0)
			return more < 0 ? more : 1;
	}
	return 0;
}

static int follow(struct truth *truth, const struct ear_record *record)
{
	int result = ear_state_push(truth->state, record);

	if (result == 0)
		result = ear_memory_push(truth->memory, record);
	touch_record(truth, record);
	if (result == 0 && record->kind == EAR_RECORD_INSTRUCTION)
		result = compare_moments(truth, record);
	return result;
}

static int run(struct truth *truth)
{
	struct ear_memory *before;
	int result;

	if (ear_memory_new(&truth->memory, &truth->options) < 0 || ear_state_new(&truth->state) < 0)
		return -1;
	const struct ear_state_source source = {truth->options.captured, truth->options.captured};
	ear_state_set_source(truth->state, &source);
	result = read_trace(truth, look_for_volatile);
	before = truth->memory;
	if (result >= 0 && ear_memory_new(&truth->memory, &truth->options) == 0) {
		ear_memory_set_volatile(truth->memory, ear_memory_volatile(before));
		for (size_t i = 0; i < truth->image.count; i++)
			touch(truth, truth->image.segments[i].address,
				truth->image.segments[i].size);
		result = truth_dump_next(&truth->dump) == 1 ? read_trace(truth, follow) : -1;
		ear_memory_free(truth->memory);
	}
	ear_memory_free(before);
	ear_state_free(truth->state);
	return result;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int report(const struct truth *truth)
{
	printf("moments %" PRIu64 ", missing %" PRIu64 ", wrong %" PRIu64 "; known: registers %.2f "
	       "%%, CSRs written %.2f %%, next pc %.2f %%, touched bytes %.2f %%\n",
		truth->moments, truth->missing, truth->wrong, percent(truth->x_known, truth->x_all),
		percent(truth->csr_known, truth->csr_all),
		percent(truth->next_known, truth->moments),
		percent(truth->byte_known, truth->byte_all));
	return truth->moments == 0 ? 2 : truth->wrong > 0;
}

int main(int argc, char **argv)
{
	static struct truth truth;
	int result = 2;

	bool text = argc > 3 && strcmp(argv[argc - 1], "--text") == 0;

	argc -= text;
	if (argc != 3 && !(argc == 5 && strcmp(argv[3], "--image") == 0)) {
		fprintf(stderr, "usage: earshot-truth TRACE DUMP [--image ELF] [--text]\n");
		return 2;
	}
	truth.trace = argv[1];
	truth.options = (struct ear_memory_options){.captured = !text,
		.devices = devices,
		.device_count = sizeof(devices) / sizeof(devices[0])};
	if (!truth_dump_open(&truth.dump, argv[2]))
		return 2;
	if (argc == 3 || truth_image_open(&truth.image, argv[4]) == 0) {
		truth.options.image = truth.image.segments;
		truth.options.image_count = truth.image.count;
		if (run(&truth) >= 0)
			result = report(&truth);
	}
	for (size_t page = 0; page < truth.page_end; page++)
		free(truth.touched[page]);
	truth_image_close(&truth.image);
	truth_dump_close(&truth.dump);
	return result;
}
