/* Write the index of the instruction table, inst_index.inc, from its rows.
 *
 *     make_inst_index FILE
 *
 * A group is all rows that one major opcode and funct3 leave. A group of many rows is split by bits
 * 31:25 (funct7; compressed: bits 12:10), a group of few is one list. A row that leaves such bits
 * open is in the lists of all their values. Lists with the same rows are written once.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/inst_index.h"
#include "decoder/isa/inst_table.h"

#define LIST_MAX   256   /* rows of one list */
#define LISTS_MAX  65536 /* ids of all lists, with their ends: fits uint16_t */
#define STARTS_MAX 65536
#define GROUP_FEW  3 /* rows that need no split */

static struct ear_inst_group groups[EAR_INST_GROUP_COUNT];
static uint16_t starts[STARTS_MAX];
static uint16_t lists[LISTS_MAX];
static unsigned start_count;
static unsigned list_size;

static void fail(const char *what)
{
	fprintf(stderr, "make_inst_index: %s\n", what);
	exit(1);
}

/* Can an opcode with these bits under mask be the instruction of the row? */
static bool fits(const struct ear_inst_row *row, uint32_t bits, uint32_t mask)
{
	for (unsigned wide = 0; wide < 2; wide++)
		if (row->mask[wide] != 0 && ((row->match ^ bits) & row->mask[wide] & mask) == 0)
			return true;
	return false;
}

static unsigned collect(uint16_t list[LIST_MAX], uint32_t bits, uint32_t mask)
{
	unsigned count = 0;

	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		if (!fits(&ear_inst_rows[id], bits, mask))
			continue;
		if (count == LIST_MAX - 1)
			fail("a list is too long");
		list[count++] = (uint16_t)id;
	}
	list[count++] = 0;
	return count;
}

/* The place of a list in lists[], where it is put unless it is there. */
static uint16_t place(const uint16_t *list, unsigned count)
{
	for (unsigned at = 0; at + count <= list_size; at++)
		if (memcmp(&lists[at], list, count * sizeof(*list)) == 0)
			return (uint16_t)at;
	if (list_size + count > LISTS_MAX)
		fail("too many lists");
	memcpy(&lists[list_size], list, count * sizeof(*list));
	list_size += count;
	return (uint16_t)(list_size - count);
}

static void add_list(uint32_t bits, uint32_t mask)
{
	uint16_t list[LIST_MAX];
	unsigned count = collect(list, bits, mask);

	if (start_count == STARTS_MAX)
		fail("too many starts");
	starts[start_count++] = place(list, count);
}

static void add_group(struct ear_inst_group *group, uint32_t bits, uint32_t mask)
{
	bool compressed = (bits & 3) != 3;
	uint16_t list[LIST_MAX];

	group->first = (uint16_t)start_count;
	group->shift = compressed ? 10 : 25;
	group->mask = 0;
	if (collect(list, bits, mask) > GROUP_FEW + 1)
		group->mask = compressed ? 7 : 127;
	for (uint32_t value = 0; value <= group->mask; value++)
		add_list(
			bits | value << group->shift, mask | (uint32_t)group->mask << group->shift);
}

static void add_groups(void)
{
	for (uint32_t major = 0; major < 32; major++)
		for (uint32_t funct3 = 0; funct3 < 8; funct3++)
			add_group(&groups[major << 3 | funct3], major << 2 | funct3 << 12 | 3,
				0x707f);
	for (uint32_t quadrant = 0; quadrant < 3; quadrant++)
		for (uint32_t funct3 = 0; funct3 < 8; funct3++)
			add_group(&groups[256 + (quadrant << 3 | funct3)], quadrant | funct3 << 13,
				0xe003);
}

static void write_numbers(FILE *file, const char *name, const uint16_t *numbers, unsigned count)
{
	fprintf(file, "static const uint16_t %s[%u] = {", name, count);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "%s%u,", i % 16 == 0 ? "\n\t" : " ", numbers[i]);
	fprintf(file, "\n};\n");
}

static void write_heads(FILE *file)
{
	fprintf(file, "static const struct ear_inst_list heads[%u] = {\n", start_count);
	for (unsigned i = 0; i < start_count; i++)
		fprintf(file, "\t{%u, %u},\n", lists[starts[i]], starts[i]);
	fprintf(file, "};\n");
}

static void write_groups(FILE *file)
{
	fprintf(file, "static const struct ear_inst_group groups[EAR_INST_GROUP_COUNT] = {\n");
	for (unsigned i = 0; i < EAR_INST_GROUP_COUNT; i++)
		fprintf(file, "\t{%u, %u, %u},\n", groups[i].first, groups[i].mask,
			groups[i].shift);
	fprintf(file, "};\n");
}

int main(int argc, char **argv)
{
	FILE *file;

	if (argc != 2)
		fail("usage: make_inst_index FILE");
	add_groups();
	file = fopen(argv[1], "w");
	if (file == NULL)
		fail("cannot write the file");
	fprintf(file, "/* Written by make_inst_index. */\n");
	write_groups(file);
	write_heads(file);
	write_numbers(file, "lists", lists, list_size);
	if (fclose(file) != 0)
		fail("cannot write the file");
	return 0;
}
