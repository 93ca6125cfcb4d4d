/* The symbol at an address, as Spike finds it.
 *
 * Spike takes every symbol of the table: functions, objects, sections, files, mapping symbols
 * ($x...), local and undefined ones. Of a name that is there twice the last value counts, and of an
 * address with several names the one that comes first in the order of bytes. So the table is sorted
 * by name, made unique, and sorted by address; a look-up is a binary search.
 */
#include "cli/input/address_names.h"

#include <earshot/error.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/input/elf_file.h"

struct address_name {
	const char *name;
	uint64_t address;
	size_t place; /* in the table */
};

struct address_names {
	struct address_name *list; /* by address */
	size_t count;
	char *texts; /* the table of names */
};

static int compare_names(const void *a, const void *b)
{
	const struct address_name *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order != 0)
		return order;
	return left->place < right->place ? -1 : 1;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct address_name *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Sort, and keep one of each name and then of each address. */
static void keep_the_chosen(struct address_names *names)
{
	struct address_name *list = names->list;
	size_t kept = 0;

	qsort(list, names->count, sizeof(*list), compare_names);
	for (size_t i = 0; i < names->count; i++)
		if (i + 1 == names->count || strcmp(list[i].name, list[i + 1].name) != 0)
			list[kept++] = list[i];
	names->count = kept;
	kept = 0;
	qsort(list, names->count, sizeof(*list), compare_addresses);
	for (size_t i = 0; i < names->count; i++)
		if (i == 0 || list[i].address != list[i - 1].address)
			list[kept++] = list[i];
	names->count = kept;
}

/* All symbols of a table whose names are in the file, each with its end. */
static int take_symbols(struct address_names *names, const struct elf_file *file,
	const uint8_t *table, size_t count, size_t text_size)
{
	names->list = calloc(count, sizeof(*names->list));
	if (!names->list)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		struct elf_symbol symbol = elf_file_symbol(file, table, i);
		const char *name = names->texts + symbol.name;
		if (symbol.name < text_size && memchr(name, '\0', text_size - symbol.name))
			names->list[names->count++] = (struct address_name){name, symbol.value, i};
	}
	keep_the_chosen(names);
	return 0;
}

/* Returns 0, EAR_E_NO_MEMORY, EAR_E_IO, or EAR_E_BAD_FILE if there are none. */
static int read_table(
	struct address_names *names, const struct elf_file *file, const struct elf_section *section)
{
	size_t entry = elf_file_symbol_size(file);
	struct elf_section texts;
	uint8_t *table, *bytes;

	if (section->entry_size != entry || section->size < entry ||
		section->link >= file->section_count)
		return EAR_E_BAD_FILE;
	int result = elf_file_section(file, section->link, &texts);
	if (result == 0 && texts.type != SHT_STRTAB)
		result = EAR_E_BAD_FILE;
	if (result == 0)
		result = elf_file_bytes(file, texts.offset, texts.size, &bytes);
	if (result)
		return result;
	names->texts = (char *)bytes;
	result = elf_file_bytes(file, section->offset, section->size, &table);
	if (result)
		return result;
	result = take_symbols(
		names, file, table, (size_t)(section->size / entry), (size_t)texts.size);
	free(table);
	return result;
}

static int read_symbols(struct address_names *names, const struct elf_file *file)
{
	for (uint64_t i = 0; i < file->section_count; i++) {
		struct elf_section section;
		int result = elf_file_section(file, i, &section);

		if (result)
			return result;
		if (section.type == SHT_SYMTAB)
			return read_table(names, file, &section);
	}
	return EAR_E_BAD_FILE;
}

struct address_names *address_names_open(const char *path)
{
	struct address_names *names = calloc(1, sizeof(*names));
	struct elf_file file;

	if (!names) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return NULL;
	}
	int result = elf_file_open(&file, path);
	bool is_elf = result == 0;
	if (is_elf)
		result = read_symbols(names, &file);
	if (result == EAR_E_IO)
		cli_error("%s: %s", path, strerror(errno));
	else if (result == EAR_E_NO_MEMORY)
		cli_error("%s", ear_error_text(result));
	else if (result)
		cli_error("%s: %s", path, is_elf ? "has no symbols" : "not an ELF file");
	elf_file_close(&file);
	if (result == 0)
		return names;
	address_names_close(names);
	return NULL;
}

void address_names_close(struct address_names *names)
{
	if (!names)
		return;
	free(names->texts);
	free(names->list);
	free(names);
}

const char *address_names_find(const void *context, uint64_t address)
{
	const struct address_names *names = context;
	size_t first = 0, end = names->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;
		if (names->list[middle].address < address)
			first = middle + 1;
		else
			end = middle;
	}
	bool found = first < names->count && names->list[first].address == address;
	return found ? names->list[first].name : NULL;
}
