/* Causes, and chains of values, of what comes from a file: a stream of the wire after an 'x', with
 * its CRCs made right, or a text after the letter of its format. Wrong is: a crash, a read beyond
 * the bytes, a chain that does not go back, an error where the trace can be read.
 */
#define _GNU_SOURCE /* memfd_create */
#include <earshot/earshot.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "library/api/trace_internal.h"
#include "repair.h"
#include "target.h"

/* As in fuzz_reader.c. */
static const struct {
	char letter;
	const char *format;
} formats[] = {
	{'x', "shot"},
	{'w', "whisper"},
	{'W', "whisper-log"},
	{'q', "qemu4v"},
	{'t', "tarmac"},
	{'s', "spike"},
	{'d', "riscv-dv"},
	{'l', "sail"},
	{'i', "ibex"},
	{'j', "json"},
};

static void check_sources(
	const struct ear_value_chain *chain, size_t first, size_t count, uint64_t before)
{
	if (first > chain->source_count || count > chain->source_count - first)
		abort();
	for (size_t i = first; i < first + count; i++) {
		const struct ear_value_source *source = &chain->sources[i];
		if ((source->end == EAR_VALUE_FOLLOWED) != (source->node < chain->node_count) ||
			!ear_value_end_name(source->end))
			abort();
		if (source->end == EAR_VALUE_FOLLOWED &&
			chain->nodes[source->node].first_position >= before)
			abort();
	}
}

static void check_chain(const struct ear_value_chain *chain, uint64_t before)
{
	check_sources(chain, 0, chain->root_count, before);
	for (size_t i = 0; i < chain->node_count; i++) {
		const struct ear_value_node *node = &chain->nodes[i];
		if (node->first_position > node->position ||
			(i > 0 && node->position > chain->nodes[i - 1].position))
			abort();
		check_sources(chain, node->first_source, node->source_count, node->position);
	}
}

static void ask(struct ear_trace *trace)
{
	const struct ear_value_chain_options options = {
		.size = sizeof(options), .nodes = 50, .folded = 100, .addresses = true};
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_value value = {.place = {.number = 10}, .before = UINT64_MAX};
	const struct ear_value_chain *chain;
	const struct ear_why *why;

	if (ear_trace_counts(trace, &counts, NULL) != 0)
		return; /* it cannot be read */
	if (ear_trace_why(trace, NULL, &why, NULL) != 0)
		abort();
	if (!ear_why_kind_name(why->kind) || !why->text[0])
		abort();
	for (size_t i = 0; i < why->value_count; i++)
		check_chain(why->values[i].chain, why->values[i].source.before);
	value.place.hart = why->hart;
	ear_why_free(why);
	trace->past_window = 20;
	if (ear_trace_value_chain(trace, &value, &options, &chain, NULL) != 0)
		abort();
	check_chain(chain, value.before);
	ear_value_chain_free(chain);
}

static void try(const char *format, const uint8_t *bytes, size_t size)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;
	int fd = memfd_create("trace", 0);

	options.format = format;
	options.index = EAR_INDEX_NONE;
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	if (ear_trace_open_fd(&trace, fd, NULL, &options) == 0) {
		ask(trace);
		ear_trace_close(trace);
	}
	close(fd);
}

int fuzz_why(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; size > 1 && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (bytes[0] != (uint8_t)formats[i].letter)
			continue;
		uint8_t *repaired = exact_copy(bytes + 1, size - 1);
		if (bytes[0] == 'x')
			repair_frames(repaired, size - 1);
		try(formats[i].format, repaired, size - 1);
		free(repaired);
	}
	return 0;
}
