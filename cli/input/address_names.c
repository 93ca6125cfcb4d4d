/* The symbol at an address, as Spike finds it.
 *
 * Spike takes every symbol of the table: functions, objects, sections, files, mapping symbols
 * ($x...), local and undefined ones. Of a name that is there twice the last value counts, and of an
 * address with several names the one that comes first in the order of bytes. So the table is sorted
 * by name, made unique, and sorted by address; a look-up is a binary search.
 */
#include "cli/input/address_names.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

struct address_name {
	const char *name;
	uint64_t address;
	size_t place; /* in the table */
};

struct address_names {
	struct address_name *list; /* by address */
	size_t count;
	int fd;
	Elf *elf; /* keeps the names */
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

/* All symbols of a table. Returns 0, EAR_E_NO_MEMORY, or EAR_E_BAD_FILE if there are none. */
static int read_table(struct address_names *names, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data ? (size_t)(header->sh_size / header->sh_entsize) : 0;

	if (count == 0 || count > INT32_MAX)
		return EAR_E_BAD_FILE;
	names->list = calloc(count, sizeof(*names->list));
	if (!names->list)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, (int)i, &symbol))
			continue;
		const char *name = elf_strptr(names->elf, header->sh_link, symbol.st_name);
		if (name)
			names->list[names->count++] =
				(struct address_name){name, symbol.st_value, i};
	}
	keep_the_chosen(names);
	return 0;
}

static int read_symbols(struct address_names *names)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(names->elf, section))) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
			header.sh_entsize != 0)
			return read_table(names, section, &header);
	}
	return EAR_E_BAD_FILE;
}

struct address_names *address_names_open(const char *path)
{
	struct address_names *names = calloc(1, sizeof(*names));

	if (!names) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return NULL;
	}
	names->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (names->fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		goto out_close;
	}
	elf_version(EV_CURRENT);
	names->elf = elf_begin(names->fd, ELF_C_READ, NULL);
	if (!names->elf || elf_kind(names->elf) != ELF_K_ELF) {
		cli_error("%s: not an ELF file", path);
		goto out_close;
	}
	int result = read_symbols(names);
	if (result == 0)
		return names;
	if (result == EAR_E_NO_MEMORY)
		cli_error("%s", ear_error_text(result));
	else
		cli_error("%s: has no symbols", path);
out_close:
	address_names_close(names);
	return NULL;
}

void address_names_close(struct address_names *names)
{
	if (!names)
		return;
	elf_end(names->elf);
	if (names->fd >= 0)
		close(names->fd);
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
