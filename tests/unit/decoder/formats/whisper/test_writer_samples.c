/* Whisper's own traces, there and back: each line becomes the retire entry that a core would
 * offer for it, goes over the wire as a frame, and must come out as the same line.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_run.h"
#include "decoder/codec/encoder.h"
#include "decoder/isa/inst.h"
#include "sample_stream.h"

#define COLUMNS   10 /* the page walks after them are not on the retire port */
#define HARTS_MAX 2

enum column { PC, INST, REGISTERS, SOURCES, MEMORY, INFO, PRIVILEGE, TRAP, DISASSEMBLY, HART };

struct sample {
	unsigned xlen;
	struct ear_encoder encoders[HARTS_MAX];
	uint64_t order[HARTS_MAX];
	struct byte_buffer stream, expected;
	unsigned line_count;
};

/* Cut a line into its columns; what comes after the last is left out. */
static void split(char *line, char *columns[COLUMNS])
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		columns[i] = line;
		line += strcspn(line, ",\n");
		assert_different(*line, '\0');
		*line++ = '\0';
	}
}

/* "va" or "va:pa"; returns what comes after. */
static char *read_address(char *text, uint64_t *address, uint64_t *physical)
{
	*address = strtoull(text, &text, 16);
	if (*text == ':')
		*physical = strtoull(text + 1, &text, 16);
	return text;
}

static void read_registers(struct ear_retire *entry, char *text)
{
	for (char *item = strtok(text, ";"); item; item = strtok(NULL, ";")) {
		uint64_t value = strtoull(strchr(item, '=') + 1, NULL, 16);
		uint16_t number = (uint16_t)strtoul(item + 1, NULL, 10);

		if (strncmp(item, "pc=", 3) == 0) {
			entry->pc_wdata = value;
		} else if (strncmp(item, "ff=", 3) == 0) {
			entry->fflags = (uint8_t)value;
		} else if (item[0] == 'x') {
			entry->rd_addr = (uint8_t)number;
			entry->rd_wdata = value;
		} else if (item[0] == 'f') {
			entry->frd_valid = true;
			entry->frd_addr = (uint8_t)number;
			entry->frd_wdata = value;
		} else {
			assert_int_equal(item[0], 'c');
			assert_below(entry->csr_count, EAR_RETIRE_CSRS_MAX);
			entry->csrs[entry->csr_count++] = (struct ear_retire_csr){number, value};
		}
	}
}

/* A load that trapped and an SC that failed have an address and no mask. */
static void read_memory(struct ear_retire *entry, const struct ear_inst *inst, char *text)
{
	uint8_t mask = (uint8_t)((1u << inst->access_size) - 1);

	if (*text == '\0')
		return;
	text = read_address(text, &entry->mem_addr, &entry->mem_paddr);
	if (*text == '=') {
		entry->mem_wmask = mask;
		entry->mem_wdata = strtoull(text + 1, NULL, 16);
	}
	if (!entry->trap && (inst->kind == EAR_KIND_LOAD || inst->kind == EAR_KIND_LR ||
				    inst->kind == EAR_KIND_AMO))
		entry->mem_rmask = mask;
}

static void read_line(struct ear_retire *entry, unsigned xlen, char *columns[COLUMNS])
{
	struct ear_inst inst;

	*entry = (struct ear_retire){.xlen = (uint8_t)xlen, .ixl = xlen == 32 ? 1 : 2};
	entry->insn = (uint32_t)strtoul(columns[INST], NULL, 16);
	ear_inst_decode(&inst, entry->insn, xlen);
	read_address(columns[PC], &entry->pc_rdata, &entry->pc_paddr);
	entry->pc_wdata = entry->pc_rdata + inst.size;
	entry->mode = columns[PRIVILEGE][0] == 'm' ? 3 : columns[PRIVILEGE][0] == 's';
	if (columns[TRAP][0]) {
		entry->trap = true;
		entry->cause = strtoull(columns[TRAP], NULL, 16);
		entry->irq = entry->cause >> (xlen - 1);
	}
	read_registers(entry, columns[REGISTERS]);
	read_memory(entry, &inst, columns[MEMORY]);
}

static void take_line(struct sample *sample, char *line)
{
	char *columns[COLUMNS];
	struct ear_retire entry;

	/* The line as it is to come out again, before it is cut up. */
	char *end = line;
	for (unsigned i = 0; i < COLUMNS; i++)
		end += strcspn(end, ",\n") + (i + 1 < COLUMNS);
	byte_buffer_append(&sample->expected, line, (size_t)(end - line));
	byte_buffer_append(&sample->expected, "\n", 1);

	split(line, columns);
	unsigned long hart = strtoul(columns[HART], NULL, 16);
	assert_below(hart, HARTS_MAX);
	read_line(&entry, sample->xlen, columns);
	entry.order = sample->order[hart]++;

	/* A frame for each record keeps the order of the lines of both harts. */
	ear_encoder_push(&sample->encoders[hart], &entry, 0);
	ear_encoder_flush(&sample->encoders[hart]);
	sample->line_count++;
}

static void check_equal(
	const char *name, const struct byte_buffer *text, struct byte_buffer *expected)
{
	char *got = (char *)text->bytes, *want = (char *)expected->bytes;

	for (unsigned line = 1; *got || *want; line++) {
		size_t got_size = strcspn(got, "\n"), want_size = strcspn(want, "\n");
		if (got_size != want_size || memcmp(got, want, got_size) != 0)
			fail_msg("%s, record %u:\n%.*s\nnot\n%.*s", name, line - 1, (int)got_size,
				got, (int)want_size, want);
		got += got_size + (got[got_size] == '\n');
		want += want_size + (want[want_size] == '\n');
	}
}

static void stop(struct sample *sample)
{
	for (unsigned hart = 0; hart < HARTS_MAX; hart++) {
		const uint64_t count = sample->order[hart];
		if (count == 0)
			continue;
		ear_encoder_put(&sample->encoders[hart],
			&(struct ear_message){.kind = EAR_MSG_STOP,
				.u.stop = {.retired = count, .delivered = count}});
		ear_encoder_flush(&sample->encoders[hart]);
	}
}

static void check_sample(const char *name, unsigned xlen, unsigned lines)
{
	struct sample *sample = calloc(1, sizeof(*sample));
	struct byte_buffer text = {0};
	char path[1024], line[4096];

	assert_non_null(sample);
	sample->xlen = xlen;
	for (unsigned hart = 0; hart < HARTS_MAX; hart++) {
		struct ear_unit unit = sample_unit(xlen, hart, 0);
		ear_encoder_init(&sample->encoders[hart], &unit, byte_buffer_sink, &sample->stream);
	}
	snprintf(path, sizeof(path), EAR_TEST_DATA "/whisper/%s.csv", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "pc, ", 4) != 0) {
			take_line(sample, line);
			continue;
		}
		byte_buffer_append(&sample->expected, line,
			(size_t)(strstr(line, "hartid") + strlen("hartid") - line));
		byte_buffer_append(&sample->expected, "\n", 1);
	}
	fclose(file);
	stop(sample);
	byte_buffer_append(&sample->expected, "", 1);
	assert_int_equal(sample->line_count, lines);

	decode_to_text(&text, sample->stream.bytes, sample->stream.size);
	check_equal(name, &text, &sample->expected);
	byte_buffer_free(&text);
	byte_buffer_free(&sample->stream);
	byte_buffer_free(&sample->expected);
	free(sample);
}

static void intsort_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("intsort", 32, 243);
}

static void atomtrap_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("atomtrap", 32, 529);
}

static void fpmix_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("fpmix", 64, 3399);
}

static void timer_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("timer", 64, 287);
}

static void sv39_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("sv39-ptw", 64, 120);
}

static void multi_comes_out_as_it_was(void **state)
{
	(void)state;
	check_sample("multi", 64, 1479);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intsort_comes_out_as_it_was),
		cmocka_unit_test(atomtrap_comes_out_as_it_was),
		cmocka_unit_test(fpmix_comes_out_as_it_was),
		cmocka_unit_test(timer_comes_out_as_it_was),
		cmocka_unit_test(sv39_comes_out_as_it_was),
		cmocka_unit_test(multi_comes_out_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
