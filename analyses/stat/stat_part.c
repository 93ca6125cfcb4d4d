/* The numbers of a run as lines of a part: docs/parts.md, section 3.1. */
#include "analyses/stat/stat.h"

#include <inttypes.h>
#include <string.h>

#define COUNTS 20

static void list_counts(struct ear_stat *stat, uint64_t *counts[COUNTS])
{
	uint64_t *const all[COUNTS] = {&stat->records, &stat->interrupts, &stat->traps, &stat->gaps,
		&stat->events, &stat->others, &stat->missing, &stat->blind, &stat->decoded,
		&stat->compressed, &stat->taken, &stat->not_taken, &stat->reads, &stat->writes,
		&stat->read_bytes, &stat->written_bytes, &stat->timed, &stat->unknown_outcomes,
		&stat->bare_loads, &stat->bare_stores};

	memcpy((void *)counts, (const void *)all, sizeof(all));
}

void ear_stat_write(const struct ear_stat *stat, struct ear_part_writer *writer)
{
	struct ear_stat copy = *stat;
	uint64_t *counts[COUNTS];

	list_counts(&copy, counts);
	for (unsigned i = 0; i < COUNTS; i++)
		ear_part_write(writer, "count %u %" PRIu64, i, *counts[i]);
	for (unsigned i = 0; i < EAR_STAT_CLASSES; i++)
		ear_part_write(writer, "class %u %" PRIu64, i, stat->classes[i]);
	for (unsigned i = 0; i < EAR_STAT_HARTS; i++)
		if (stat->harts[i / 64] >> i % 64 & 1)
			ear_part_write(writer, "hart %u", i);
	ear_part_write(writer, "ticks %" PRIu64 " %" PRIu64, stat->first_ticks, stat->last_ticks);
	ear_part_write(writer, "pcs 0x%" PRIx64 " 0x%" PRIx64, stat->first_pc, stat->last_pc);
	ear_part_write(writer, "hash 0x%" PRIx64 " 0x%" PRIx64, stat->hash, stat->power);
	ear_part_write(writer, "lacks %" PRIu64, stat->lacks);
}

static bool read_count(struct ear_part_reader *reader, uint64_t *const *counts, unsigned most)
{
	uint64_t which;

	return ear_part_number(reader, &which, most - 1) &&
	       ear_part_number(reader, counts[which], UINT64_MAX);
}

static bool read_class(struct ear_part_reader *reader, struct ear_stat *stat)
{
	uint64_t which;

	return ear_part_number(reader, &which, EAR_STAT_CLASSES - 1) &&
	       ear_part_number(reader, &stat->classes[which], UINT64_MAX);
}

static bool read_hart(struct ear_part_reader *reader, struct ear_stat *stat)
{
	uint64_t hart;

	if (!ear_part_number(reader, &hart, EAR_STAT_HARTS - 1))
		return false;
	stat->harts[hart / 64] |= UINT64_C(1) << hart % 64;
	return true;
}

static bool read_two(struct ear_part_reader *reader, uint64_t *one, uint64_t *two, uint64_t most)
{
	return ear_part_number(reader, one, most) && ear_part_number(reader, two, most);
}

bool ear_stat_read(struct ear_stat *stat, struct ear_part_reader *reader)
{
	uint64_t *counts[COUNTS];
	const char *word;
	bool good = true;

	ear_stat_clear(stat);
	list_counts(stat, counts);
	while (good && ear_part_next(reader, &word)) {
		if (!word)
			return true;
		if (strcmp(word, "count") == 0)
			good = read_count(reader, counts, COUNTS);
		else if (strcmp(word, "class") == 0)
			good = read_class(reader, stat);
		else if (strcmp(word, "hart") == 0)
			good = read_hart(reader, stat);
		else if (strcmp(word, "ticks") == 0)
			good = read_two(reader, &stat->first_ticks, &stat->last_ticks, UINT64_MAX);
		else if (strcmp(word, "pcs") == 0)
			good = read_two(reader, &stat->first_pc, &stat->last_pc, UINT64_MAX);
		else if (strcmp(word, "hash") == 0)
			good = read_two(reader, &stat->hash, &stat->power, EAR_STAT_MODULUS - 1);
		else if (strcmp(word, "lacks") == 0)
			good = ear_part_number(reader, &stat->lacks, EAR_STAT_LACKS_MAX);
		else
			return ear_part_fail(reader, "it is none of stat");
	}
	return false;
}
