/* Symbols of an ELF file by name. The table is searched from the beginning for each name: a
 * command line has few of them, so an index would take longer than it saves.
 */
#include "cli/input/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

struct symbols {
	int fd;
	Elf *elf;
	Elf_Data *table; /* of the symbols */
	size_t count;
	size_t names; /* section of their names */
};

/* Find the symbol table. Returns false if there is none. */
static bool find_table(struct symbols *symbols)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(symbols->elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
			header.sh_entsize == 0)
			continue;
		symbols->table = elf_getdata(section, NULL);
		symbols->count = (size_t)(header.sh_size / header.sh_entsize);
		symbols->names = header.sh_link;
		return symbols->table != NULL;
	}
	return false;
}

struct symbols *symbols_open(const char *path)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	if (!symbols)
		return NULL;

	symbols->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (symbols->fd < 0) {
		cli_error("%s: %s", path, strerror(errno));
		free(symbols);
		return NULL;
	}
	elf_version(EV_CURRENT);
	symbols->elf = elf_begin(symbols->fd, ELF_C_READ, NULL);
	if (!symbols->elf || elf_kind(symbols->elf) != ELF_K_ELF) {
		cli_error("%s: not an ELF file", path);
		symbols_close(symbols);
		return NULL;
	}
	if (!find_table(symbols)) {
		cli_error("%s: has no symbols", path);
		symbols_close(symbols);
		return NULL;
	}
	return symbols;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	elf_end(symbols->elf);
	close(symbols->fd);
	free(symbols);
}

bool symbols_find(const struct symbols *symbols, const char *name, uint64_t *first, uint64_t *last)
{
	for (size_t i = 0; i < symbols->count && i < INT32_MAX; i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(symbols->table, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		const char *found = elf_strptr(symbols->elf, symbols->names, symbol.st_name);
		if (!found || strcmp(found, name) != 0)
			continue;
		*first = symbol.st_value;
		*last = symbol.st_value + (symbol.st_size ? symbol.st_size - 1 : 0);
		return true;
	}
	return false;
}
