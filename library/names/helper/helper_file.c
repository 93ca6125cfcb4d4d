/* ELF: header, sections, segments, symbols. Files are mapped; one that becomes shorter meanwhile
 * ends this process, which the client reports.
 */
#include "library/names/helper/helper_file.h"

#include <elfutils/libdwelf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/names/helper_message.h"

#define MANGLED_MAX  16384 /* longer names stay as they are */
#define SECTIONS_MAX 65536

static bool takes_memory(const GElf_Shdr *header)
{
	bool thread_zeros = (header->sh_flags & SHF_TLS) && header->sh_type == SHT_NOBITS;

	return (header->sh_flags & SHF_ALLOC) && header->sh_size > 0 && !thread_zeros;
}

static uint32_t section_flags(const GElf_Shdr *header)
{
	return (header->sh_flags & SHF_WRITE ? 1u : 0) |
	       (header->sh_flags & SHF_EXECINSTR ? 2u : 0) |
	       (header->sh_type != SHT_NOBITS ? 4u : 0);
}

static const char *name_of(Elf *elf, const GElf_Shdr *header)
{
	size_t names;
	const char *name = NULL;

	if (elf_getshdrstrndx(elf, &names) == 0)
		name = elf_strptr(elf, names, header->sh_name);
	return name ? name : "";
}

static Elf_Scn *find_section(Elf *elf, unsigned type, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		if (type ? header->sh_type == type : strcmp(name_of(elf, header), name) == 0)
			return section;
	}
	return NULL;
}

static bool has_debug_section(Elf *elf, const char *name)
{
	GElf_Shdr header;
	char packed[32] = ".z"; /* as older compilers named compressed ones */

	strncat(packed, name + 1, sizeof(packed) - 3);
	Elf_Scn *section = find_section(elf, 0, name, &header);
	if (!section)
		section = find_section(elf, 0, packed, &header);
	return section && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

/* Sections that take memory, and their numbers. */
static uint32_t put_sections(
	struct helper_file *file, struct ear_wire *rows, struct ear_wire *strings)
{
	Elf_Scn *section = NULL;
	uint32_t count = 0;

	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr header;
		size_t index = elf_ndxscn(section);

		if (index >= file->section_count || !gelf_getshdr(section, &header) ||
			!takes_memory(&header))
			continue;
		file->section_numbers[index] = count++;
		ear_wire_u64(rows, header.sh_addr);
		ear_wire_u64(rows, header.sh_size);
		ear_wire_u32(rows, ear_wire_string(strings, name_of(file->elf, &header)));
		ear_wire_u32(rows, section_flags(&header));
		if (header.sh_flags & SHF_EXECINSTR)
			file->code[file->code_count++] = (struct helper_range){
				header.sh_addr, header.sh_addr + header.sh_size};
	}
	return count;
}

static uint32_t put_segments(struct helper_file *file, struct ear_wire *rows)
{
	size_t count;
	uint32_t put = 0;

	if (elf_getphdrnum(file->elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count && i < SECTIONS_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(file->elf, (int)i, &header) || header.p_type != PT_LOAD ||
			header.p_memsz == 0)
			continue;
		ear_wire_u64(rows, header.p_vaddr);
		ear_wire_u64(rows, header.p_paddr);
		ear_wire_u64(rows, header.p_memsz);
		ear_wire_u64(rows, header.p_offset);
		ear_wire_u64(
			rows, header.p_filesz < header.p_memsz ? header.p_filesz : header.p_memsz);
		ear_wire_u32(rows, (header.p_flags & PF_W ? 1u : 0) |
					   (header.p_flags & PF_X ? 2u : 0) |
					   (header.p_filesz ? 4u : 0));
		ear_wire_u32(rows, 0);
		put++;
	}
	return put;
}

static uint32_t find_flags(Elf *elf)
{
	GElf_Shdr header;
	bool symbols = find_section(elf, SHT_SYMTAB, NULL, &header) ||
		       find_section(elf, SHT_DYNSYM, NULL, &header);

	return (symbols ? EAR_OPEN_HAS_SYMBOLS : 0) |
	       (has_debug_section(elf, ".debug_line") ? EAR_OPEN_HAS_LINES : 0) |
	       (has_debug_section(elf, ".debug_info") ? EAR_OPEN_HAS_DEBUG : 0);
}

static void put_head(const struct helper_file *file, const GElf_Ehdr *header,
	const uint32_t counts[2], struct ear_wire *strings, struct ear_wire *answer)
{
	const void *id = NULL;
	uint8_t build_id[64] = {0};
	GElf_Word check;
	ssize_t id_size = dwelf_elf_gnu_build_id(file->elf, &id);
	const char *link = dwelf_elf_gnu_debuglink(file->elf, &check);

	if (id_size < 0 || id_size > (ssize_t)sizeof(build_id))
		id_size = 0;
	memcpy(build_id, id_size ? id : build_id, (size_t)id_size);
	ear_wire_u32(answer, header->e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32);
	ear_wire_u32(answer, header->e_machine);
	ear_wire_u32(answer, find_flags(file->elf));
	ear_wire_u32(answer, (uint32_t)id_size);
	ear_wire_u64(answer, header->e_entry);
	ear_wire_put(answer, build_id, sizeof(build_id));
	ear_wire_u32(answer, ear_wire_string(strings, link));
	ear_wire_u32(answer, counts[0]);
	ear_wire_u32(answer, counts[1]);
	ear_wire_u32(answer, (uint32_t)strings->size);
}

static const char *read_header(struct helper_file *file, GElf_Ehdr *header)
{
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, header))
		return "not an ELF file";
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return "big-endian";
	if (elf_getshdrnum(file->elf, &file->section_count) != 0 ||
		file->section_count > SECTIONS_MAX)
		file->section_count = 0;
	return NULL;
}

const char *helper_file_open(struct helper_file *file, int fd, struct ear_wire *answer)
{
	GElf_Ehdr header;
	struct ear_wire sections = {0}, segments = {0}, strings = {0};

	*file = (struct helper_file){.fd = fd, .debug_fd = -1};
	const char *wrong = read_header(file, &header);
	if (wrong)
		return wrong;
	file->section_numbers = malloc((file->section_count + 1) * sizeof(*file->section_numbers));
	file->code = malloc((file->section_count + 1) * sizeof(*file->code));
	if (!file->section_numbers || !file->code)
		return "no memory";
	memset(file->section_numbers, 0xff,
		(file->section_count + 1) * sizeof(*file->section_numbers));
	ear_wire_string(&strings, "");
	uint32_t counts[2] = {
		put_sections(file, &sections, &strings), put_segments(file, &segments)};
	put_head(file, &header, counts, &strings, answer);
	ear_wire_put(answer, sections.bytes, sections.size);
	ear_wire_put(answer, segments.bytes, segments.size);
	ear_wire_put(answer, strings.bytes, strings.size);
	answer->failed |= sections.failed || segments.failed || strings.failed;
	ear_wire_free(&sections);
	ear_wire_free(&segments);
	ear_wire_free(&strings);
	return NULL;
}

/* Without build ids on both sides nothing can be compared. */
static bool is_of(Elf *debug, Elf *elf)
{
	const void *left, *right;
	ssize_t left_size = dwelf_elf_gnu_build_id(debug, &left);
	ssize_t right_size = dwelf_elf_gnu_build_id(elf, &right);

	return left_size <= 0 || right_size <= 0 ||
	       (left_size == right_size && memcmp(left, right, (size_t)left_size) == 0);
}

const char *helper_file_debug(struct helper_file *file, int fd)
{
	if (file->debug_fd >= 0 || file->dwarf_tried) {
		close(fd);
		return "its debug information is open already";
	}
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const char *wrong = !elf || elf_kind(elf) != ELF_K_ELF ? "not an ELF file"
			    : !is_of(elf, file->elf)
				    ? "debug information of another build (the build ids differ)"
			    : !has_debug_section(elf, ".debug_info") ? "has no debug information"
								     : NULL;
	if (wrong) {
		elf_end(elf);
		close(fd);
		return wrong;
	}
	file->debug_fd = fd;
	file->debug_elf = elf;
	return NULL;
}

void helper_file_close(struct helper_file *file)
{
	dwarf_cfi_end(file->eh_cfi); /* frame_cfi belongs to dwarf */
	dwarf_end(file->dwarf);
	elf_end(file->debug_elf);
	elf_end(file->elf);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
	if (file->fd >= 0)
		close(file->fd);
	free(file->section_numbers);
	free(file->code);
	*file = (struct helper_file){.fd = -1, .debug_fd = -1};
}

Dwarf *helper_file_dwarf(struct helper_file *file)
{
	if (!file->dwarf_tried)
		file->dwarf = dwarf_begin_elf(
			file->debug_elf ? file->debug_elf : file->elf, DWARF_C_READ, NULL);
	file->dwarf_tried = true;
	return file->dwarf;
}

bool helper_file_has_code(const struct helper_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->code_count; i++)
		if (address >= file->code[i].first && address < file->code[i].end)
			return true;
	return file->code_count == 0;
}

uint32_t helper_demangle(struct ear_wire *strings, const char *linked, uint32_t linked_offset)
{
	char *name = NULL;
	uint32_t offset = linked_offset;

	if (linked[0] == '_' && (linked[1] == 'Z' || linked[1] == 'R') &&
		strnlen(linked, MANGLED_MAX) < MANGLED_MAX)
		name = cplus_demangle(linked, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (name && name[0])
		offset = ear_wire_string(strings, name);
	free(name);
	return offset;
}

static int kind_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_NOTYPE: return 0;
	case STT_FUNC:
	case STT_GNU_IFUNC: return 1;
	case STT_OBJECT: return 2;
	default: return -1;
	}
}

/* Mapping symbols ($x, $d) say what bytes are; .L labels are for branches inside a function. */
static bool is_name(const char *name)
{
	return name && name[0] && name[0] != '$' && strncmp(name, ".L", 2) != 0;
}

struct symbol_table {
	Elf *elf;
	Elf_Data *data, *indexes; /* indexes: of sections, where there are more than 65279 */
	size_t names;
	size_t count;
};

static bool find_table(struct symbol_table *table, Elf *elf, unsigned type)
{
	GElf_Shdr header, other;
	Elf_Scn *section = elf ? find_section(elf, type, NULL, &header) : NULL;

	if (!section || header.sh_entsize == 0)
		return false;
	*table = (struct symbol_table){.elf = elf, .names = header.sh_link};
	table->data = elf_getdata(section, NULL);
	Elf_Scn *extended = find_section(elf, SHT_SYMTAB_SHNDX, NULL, &other);
	if (extended && other.sh_link == elf_ndxscn(section))
		table->indexes = elf_getdata(extended, NULL);
	table->count = table->data ? table->data->d_size / header.sh_entsize : 0;
	if (table->count > INT32_MAX)
		table->count = INT32_MAX;
	return table->count > 0;
}

static bool put_symbol(const struct helper_file *file, const struct symbol_table *table, int i,
	struct ear_wire *rows, struct ear_wire *strings)
{
	GElf_Sym symbol;
	Elf32_Word extended = 0;

	if (!gelf_getsymshndx(table->data, table->indexes, i, &symbol, &extended) ||
		symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_COMMON)
		return false;
	const char *name = elf_strptr(table->elf, table->names, symbol.st_name);
	int kind = kind_of(&symbol);
	if (kind < 0 || !is_name(name))
		return false;
	size_t section = symbol.st_shndx == SHN_XINDEX ? extended : symbol.st_shndx;
	uint32_t linked = ear_wire_string(strings, name);
	ear_wire_u64(rows, symbol.st_value);
	ear_wire_u64(rows, symbol.st_size);
	ear_wire_u32(rows, helper_demangle(strings, name, linked));
	ear_wire_u32(rows, linked);
	ear_wire_u32(
		rows, section < file->section_count ? file->section_numbers[section] : UINT32_MAX);
	ear_wire_u32(
		rows, (uint32_t)kind | (GELF_ST_BIND(symbol.st_info) != STB_LOCAL ? 0x100u : 0));
	return true;
}

const char *helper_file_symbols(struct helper_file *file, struct ear_wire *answer)
{
	struct symbol_table table = {0};
	struct ear_wire rows = {0}, strings = {0};
	uint32_t count = 0;

	if (!find_table(&table, file->elf, SHT_SYMTAB) &&
		!find_table(&table, file->debug_elf, SHT_SYMTAB))
		find_table(&table, file->elf, SHT_DYNSYM);
	ear_wire_string(&strings, "");
	for (size_t i = 0; i < table.count && !rows.failed && !strings.failed; i++)
		count += put_symbol(file, &table, (int)i, &rows, &strings);
	ear_wire_u32(answer, count);
	ear_wire_u32(answer, (uint32_t)strings.size);
	ear_wire_put(answer, rows.bytes, rows.size);
	ear_wire_put(answer, strings.bytes, strings.size);
	answer->failed |= rows.failed || strings.failed;
	ear_wire_free(&rows);
	ear_wire_free(&strings);
	return NULL;
}
