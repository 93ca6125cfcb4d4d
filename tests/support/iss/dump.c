/* The truth at chosen moments. A moment lists what has changed since the moment before; memory is
 * compared as a whole with a copy that holds what the file says so far, so a simulator with little
 * memory dumps faster.
 */
#include "iss/dump.h"

#include <earshot/error.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iss_state.h"

#define CSRS      4096
#define LINE      64
#define PAGE      4096
#define SEPARATOR ", \t\r\n"

struct iss_dump {
	struct ear_iss *iss;
	FILE *file;
	uint64_t *moments;
	size_t count, next;
	uint64_t x[32], f[32];
	uint64_t csr[CSRS];
	bool csr_listed[CSRS];
	uint8_t *memory; /* as the moments so far say it is */
};

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Numbers of the text, ascending, each once. False if there is something else in it. */
static bool take_moments(struct iss_dump *dump, const char *text)
{
	size_t kept = 0;

	dump->moments = calloc(strlen(text) / 2 + 1, sizeof(*dump->moments));
	while (dump->moments && *text) {
		char *end;

		dump->moments[dump->count++] = strtoull(text, &end, 10);
		if (*text < '0' || *text > '9' || (*end && !strchr(SEPARATOR, *end)))
			return false;
		text = end + strspn(end, SEPARATOR);
	}
	if (dump->count == 0)
		return false;
	qsort(dump->moments, dump->count, sizeof(*dump->moments), compare);
	for (size_t i = 0; i < dump->count; i++)
		if (i == 0 || dump->moments[i] != dump->moments[kept - 1])
			dump->moments[kept++] = dump->moments[i];
	dump->count = kept;
	return true;
}

static char *read_list(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static bool open_dump(struct iss_dump *dump, const char *text)
{
	const char *colon = strchr(text, ':');
	char *list = colon ? strndup(text, (size_t)(colon - text)) : NULL;

	if (list && list[0] == '@') {
		char *numbers = read_list(list + 1);

		free(list);
		list = numbers;
	}
	if (list && take_moments(dump, list))
		dump->file = fopen(colon + 1, "wb");
	free(list);
	return dump->file != NULL;
}

struct iss_dump *iss_dump_new(const char *text, struct ear_iss *iss)
{
	struct iss_dump *dump = calloc(1, sizeof(*dump));

	if (dump) {
		dump->iss = iss;
		dump->memory = calloc(1, iss->memory_size);
	}
	if (!dump || !dump->memory || !open_dump(dump, text)) {
		fprintf(stderr, "earshot-iss: --dump %s: bad list, or %s\n", text, strerror(errno));
		iss_dump_end(dump);
		return NULL;
	}
	fprintf(dump->file, "# earshot-board dump 1\n");
	return dump;
}

uint64_t iss_dump_next(const struct iss_dump *dump)
{
	return dump && dump->next < dump->count ? dump->moments[dump->next] : UINT64_MAX;
}

static void write_value(
	struct iss_dump *dump, char key, unsigned number, uint64_t value, int digits)
{
	fprintf(dump->file, "%c %u 0x%0*" PRIx64 "\n", key, number, digits, value);
}

static void write_registers(struct iss_dump *dump, char key, unsigned first, const uint64_t *now,
	uint64_t *last, int digits)
{
	for (unsigned number = first; number < 32; number++)
		if (dump->next == 0 || now[number] != last[number])
			write_value(dump, key, number, now[number], digits);
	memcpy(last, now, 32 * sizeof(*now));
}

static void write_csrs(struct iss_dump *dump, int digits)
{
	for (unsigned number = 0; number < CSRS; number++) {
		uint64_t value;

		/* fflags, frm, fcsr hold what they hold, also while no access is allowed. */
		if (!iss_csr_read(dump->iss, number, &value) &&
			!(number >= 1 && number <= 3 && iss_has(dump->iss, EAR_ISS_F)))
			continue;
		if (!dump->csr_listed[number] || value != dump->csr[number])
			write_value(dump, 'c', number, value, digits);
		dump->csr_listed[number] = true;
		dump->csr[number] = value;
	}
}

static void write_line(struct iss_dump *dump, uint64_t offset)
{
	const uint8_t *now = dump->iss->memory + offset;

	if (memcmp(now, dump->memory + offset, LINE) == 0)
		return;
	memcpy(dump->memory + offset, now, LINE);
	fprintf(dump->file, "m 0x%08" PRIx64 " ", EAR_ISS_MEMORY_BASE + offset);
	for (unsigned i = 0; i < LINE; i++)
		fprintf(dump->file, "%02x", now[i]);
	fputc('\n', dump->file);
}

static void write_memory(struct iss_dump *dump)
{
	for (uint64_t page = 0; page < dump->iss->memory_size; page += PAGE) {
		if (memcmp(dump->iss->memory + page, dump->memory + page, PAGE) == 0)
			continue;
		for (uint64_t offset = page; offset < page + PAGE; offset += LINE)
			write_line(dump, offset);
	}
}

void iss_dump_write(struct iss_dump *dump, uint64_t pc)
{
	const struct ear_iss *iss = dump->iss;
	int digits = iss->xlen / 4;

	fprintf(dump->file,
		"after %" PRIu64 "\npc 0x%0*" PRIx64 "\nnext 0x%0*" PRIx64 "\nprivilege %u\n",
		dump->moments[dump->next], digits, pc, digits, iss->pc, iss->mode);
	write_registers(dump, 'x', 1, iss->x, dump->x, digits);
	if (iss_has(iss, EAR_ISS_F))
		write_registers(dump, 'f', 0, iss->f, dump->f, iss_has(iss, EAR_ISS_D) ? 16 : 8);
	write_csrs(dump, digits);
	write_memory(dump);
	dump->next++;
}

int iss_dump_end(struct iss_dump *dump)
{
	bool failed = false;

	if (!dump)
		return 0;
	if (dump->file) {
		fprintf(dump->file, "# end: %zu of %zu moments\n", dump->next, dump->count);
		failed = ferror(dump->file) != 0;
		failed = fclose(dump->file) != 0 || failed;
	}
	free(dump->moments);
	free(dump->memory);
	free(dump);
	return failed ? EAR_E_IO : 0;
}
