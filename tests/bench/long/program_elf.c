/* A program as an ELF file: two segments, and sections for the names. System V ABI, chapter 4. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum section { S_NULL, S_TEXT, S_DATA, S_BSS, S_SYMBOLS, S_STRINGS, S_NAMES, S_COUNT };

static const char section_names[] = "\0.text\0.data\0.bss\0.symtab\0.strtab\0.shstrtab";

#define TEXT_AT    0x1000
#define NAMES_ROOM (AS_SYMBOLS_MAX * sizeof(((struct as_symbol *)0)->name))

/* The file in memory; the structures are those of 64 bits and are narrowed when written. */
struct image {
	FILE *file;
	bool wide, failed;
	Elf64_Shdr sections[S_COUNT];
	Elf64_Sym symbols[AS_SYMBOLS_MAX + 1];
	size_t symbol_count;
	char strings[NAMES_ROOM + 1];
	size_t strings_size;
};

static void collect_symbols(struct image *image, const struct assembler *as)
{
	image->strings_size = 1;
	image->symbol_count = 1;
	for (unsigned i = 0; i < as->symbol_count; i++) {
		const struct as_symbol *from = &as->symbols[i];
		Elf64_Sym *symbol = &image->symbols[image->symbol_count++];
		size_t length = strlen(from->name) + 1;

		symbol->st_name = (Elf64_Word)image->strings_size;
		memcpy(image->strings + image->strings_size, from->name, length);
		image->strings_size += length;
		symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, from->function ? STT_FUNC : STT_OBJECT);
		symbol->st_shndx = from->function                ? S_TEXT
				   : from->address < PROGRAM_BSS ? S_DATA
				   : from->address < PROGRAM_END ? S_BSS
								 : SHN_ABS;
		symbol->st_value = from->address;
		symbol->st_size = from->size;
	}
}

/* Symbols as the file has them; memory that the caller frees. */
static uint8_t *narrow_symbols(const struct image *image, size_t *size)
{
	size_t each = image->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint8_t *bytes = calloc(image->symbol_count, each);

	*size = image->symbol_count * each;
	for (size_t i = 0; bytes && i < image->symbol_count; i++) {
		const Elf64_Sym *from = &image->symbols[i];
		Elf32_Sym narrow = {.st_name = from->st_name,
			.st_value = (Elf32_Addr)from->st_value,
			.st_size = (Elf32_Word)from->st_size,
			.st_info = from->st_info,
			.st_shndx = from->st_shndx};

		if (image->wide)
			memcpy(bytes + i * each, from, each);
		else
			memcpy(bytes + i * each, &narrow, each);
	}
	return bytes;
}

static void place(Elf64_Shdr *section, uint32_t name, uint32_t type, uint64_t flags,
	uint64_t address, uint64_t offset, uint64_t size)
{
	*section = (Elf64_Shdr){.sh_name = name,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = address,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = 8};
}

static void write_section_header(const struct image *image, const Elf64_Shdr *section)
{
	Elf32_Shdr narrow = {.sh_name = section->sh_name,
		.sh_type = section->sh_type,
		.sh_flags = (Elf32_Word)section->sh_flags,
		.sh_addr = (Elf32_Addr)section->sh_addr,
		.sh_offset = (Elf32_Off)section->sh_offset,
		.sh_size = (Elf32_Word)section->sh_size,
		.sh_link = section->sh_link,
		.sh_info = section->sh_info,
		.sh_addralign = (Elf32_Word)section->sh_addralign,
		.sh_entsize = (Elf32_Word)section->sh_entsize};

	if (image->wide)
		fwrite(section, sizeof(*section), 1, image->file);
	else
		fwrite(&narrow, sizeof(narrow), 1, image->file);
}

static void write_segment(const struct image *image, uint32_t flags, uint64_t address,
	uint64_t offset, uint64_t file_size, uint64_t memory_size)
{
	Elf64_Phdr wide = {.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = offset,
		.p_vaddr = address,
		.p_paddr = address,
		.p_filesz = file_size,
		.p_memsz = memory_size,
		.p_align = 0x1000};
	Elf32_Phdr narrow = {.p_type = PT_LOAD,
		.p_flags = flags,
		.p_offset = (Elf32_Off)offset,
		.p_vaddr = (Elf32_Addr)address,
		.p_paddr = (Elf32_Addr)address,
		.p_filesz = (Elf32_Word)file_size,
		.p_memsz = (Elf32_Word)memory_size,
		.p_align = 0x1000};

	if (image->wide)
		fwrite(&wide, sizeof(wide), 1, image->file);
	else
		fwrite(&narrow, sizeof(narrow), 1, image->file);
}

static void write_file_header(const struct image *image, uint64_t sections_at)
{
	Elf64_Ehdr wide = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				   image->wide ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = PROGRAM_CODE,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = sections_at,
		.e_flags = 1, /* compressed instructions */
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = S_COUNT,
		.e_shstrndx = S_NAMES};
	Elf32_Ehdr narrow = {.e_type = wide.e_type,
		.e_machine = wide.e_machine,
		.e_version = wide.e_version,
		.e_entry = (Elf32_Addr)wide.e_entry,
		.e_phoff = sizeof(Elf32_Ehdr),
		.e_shoff = (Elf32_Off)sections_at,
		.e_flags = wide.e_flags,
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = wide.e_phnum,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = wide.e_shnum,
		.e_shstrndx = wide.e_shstrndx};

	memcpy(narrow.e_ident, wide.e_ident, EI_NIDENT);
	if (image->wide)
		fwrite(&wide, sizeof(wide), 1, image->file);
	else
		fwrite(&narrow, sizeof(narrow), 1, image->file);
}

static void go_to(struct image *image, uint64_t offset)
{
	if (fseek(image->file, (long)offset, SEEK_SET) != 0)
		image->failed = true;
}

static void write_at(struct image *image, uint64_t offset, const void *bytes, size_t size)
{
	go_to(image, offset);
	fwrite(bytes, 1, size, image->file);
}

static uint64_t aligned(uint64_t value)
{
	return (value + 15) & ~UINT64_C(15);
}

int program_write_elf(const struct program *program, const char *path)
{
	const struct assembler *as = &program->as;
	struct image image = {.file = fopen(path, "wb"), .wide = as->xlen == 64};
	uint64_t data_at = TEXT_AT + ((as->size + 4095) & ~(size_t)4095);
	uint64_t symbols_at = data_at + PROGRAM_DATA_SIZE;
	size_t symbols_size;

	if (!image.file)
		return -1;
	collect_symbols(&image, as);
	uint8_t *symbols = narrow_symbols(&image, &symbols_size);
	uint64_t strings_at = aligned(symbols_at + symbols_size);
	uint64_t names_at = aligned(strings_at + image.strings_size);
	uint64_t sections_at = aligned(names_at + sizeof(section_names));

	place(&image.sections[S_TEXT], 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PROGRAM_CODE,
		TEXT_AT, as->size);
	place(&image.sections[S_DATA], 7, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, PROGRAM_DATA,
		data_at, PROGRAM_DATA_SIZE);
	place(&image.sections[S_BSS], 13, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, PROGRAM_BSS,
		symbols_at, PROGRAM_END - PROGRAM_BSS);
	place(&image.sections[S_SYMBOLS], 18, SHT_SYMTAB, 0, 0, symbols_at, symbols_size);
	image.sections[S_SYMBOLS].sh_link = S_STRINGS;
	image.sections[S_SYMBOLS].sh_info = 1;
	image.sections[S_SYMBOLS].sh_entsize = image.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	place(&image.sections[S_STRINGS], 26, SHT_STRTAB, 0, 0, strings_at, image.strings_size);
	place(&image.sections[S_NAMES], 34, SHT_STRTAB, 0, 0, names_at, sizeof(section_names));

	write_file_header(&image, sections_at);
	write_segment(&image, PF_R | PF_X, PROGRAM_CODE, TEXT_AT, as->size, as->size);
	write_segment(&image, PF_R | PF_W, PROGRAM_DATA, data_at, PROGRAM_DATA_SIZE,
		PROGRAM_END - PROGRAM_DATA);
	write_at(&image, TEXT_AT, as->code, as->size);
	write_at(&image, data_at, program->data, PROGRAM_DATA_SIZE);
	write_at(&image, symbols_at, symbols ? symbols : (uint8_t *)"", symbols ? symbols_size : 0);
	write_at(&image, strings_at, image.strings, image.strings_size);
	write_at(&image, names_at, section_names, sizeof(section_names));
	go_to(&image, sections_at);
	for (int i = 0; i < S_COUNT; i++)
		write_section_header(&image, &image.sections[i]);
	free(symbols);
	bool failed = image.failed || ferror(image.file);
	return fclose(image.file) || failed || !symbols ? -1 : 0;
}
