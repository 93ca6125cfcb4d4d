/* ELF files in the process of a command: made field by field here, whole, cut off anywhere, and
 * with sizes and counts that are not those of the file.
 */
#define _GNU_SOURCE /* memfd_create */
#include "check.h"

#include <earshot/error.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/input/address_names.h"
#include "cli/input/elf_file.h"
#include "cli/input/program.h"

#define NAMES   "\0main\0loop\0data"
#define SYMBOLS 3u

/* What a file is made of. */
struct made {
	bool wide, big;
	uint8_t bytes[4096];
	size_t size;
	size_t segment, section; /* where the tables are */
	char path[40];
	int fd;
};

static void put(struct made *made, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		made->bytes[at + i] = (uint8_t)(value >> 8 * (made->big ? size - 1 - i : i));
	if (at + size > made->size)
		made->size = at + size;
}

/* An address: 4 or 8 bytes. */
static void put_word(struct made *made, size_t at_32, size_t at_64, uint64_t value)
{
	put(made, made->wide ? at_64 : at_32, made->wide ? 8 : 4, value);
}

static void put_section(struct made *made, unsigned number, uint32_t type, uint64_t offset,
	uint64_t size, uint32_t link, uint64_t entry)
{
	size_t at = made->section + number * (made->wide ? 64u : 40u);

	put(made, at + 4, 4, type);
	put_word(made, at + 16, at + 24, offset);
	put_word(made, at + 20, at + 32, size);
	put(made, at + (made->wide ? 40 : 24), 4, link);
	put_word(made, at + 36, at + 56, entry);
}

static void put_segment(struct made *made, unsigned number, uint64_t offset, uint64_t address,
	uint64_t file_size, uint64_t size)
{
	size_t at = made->segment + number * (made->wide ? 56u : 32u);

	put(made, at, 4, PT_LOAD);
	put_word(made, at + 4, at + 8, offset);
	put_word(made, at + 12, at + 24, address);
	put_word(made, at + 16, at + 32, file_size);
	put_word(made, at + 20, at + 40, size);
}

/* A program with a segment of 4 bytes and 4 more, and three symbols. */
static void make(struct made *made, bool wide, bool big)
{
	size_t entry = wide ? 24 : 16, names = 256, symbols = 320, code = 512;

	memset(made, 0, sizeof(*made));
	made->fd = -1;
	made->wide = wide;
	made->big = big;
	made->segment = 576;
	made->section = 1024;
	memcpy(made->bytes, ELFMAG, SELFMAG);
	made->bytes[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	made->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	put(made, 16, 2, ET_EXEC);
	put(made, 18, 2, EM_RISCV);
	put_word(made, 24, 24, 0x80000000);
	put_word(made, 28, 32, made->segment);
	put_word(made, 32, 40, made->section);
	size_t counts = wide ? 54 : 42;
	put(made, counts, 2, wide ? 56 : 32);
	put(made, counts + 2, 2, 1);
	put(made, counts + 4, 2, wide ? 64 : 40);
	put(made, counts + 6, 2, 3);
	memcpy(made->bytes + names, NAMES, sizeof(NAMES));
	memcpy(made->bytes + code, "\x13\x00\x00\x01", 4);
	for (unsigned i = 0; i < SYMBOLS; i++) {
		put(made, symbols + i * entry, 4, 1 + 5 * i);
		put_word(made, symbols + i * entry + 4, symbols + i * entry + 8, 0x10 * (i + 1));
	}
	put_segment(made, 0, code, 0x80000000, 4, 8);
	put_section(made, 1, SHT_SYMTAB, symbols, SYMBOLS * entry, 2, entry);
	put_section(made, 2, SHT_STRTAB, names, sizeof(NAMES), 0, 0);
}

/* The first size bytes as a file. */
static const char *path_of(struct made *made, size_t size)
{
	if (made->fd >= 0)
		close(made->fd);
	made->fd = memfd_create("elf", MFD_CLOEXEC);
	assert_at_least(made->fd, 0);
	assert_same(write(made->fd, made->bytes, size), (ssize_t)size);
	snprintf(made->path, sizeof(made->path), "/proc/self/fd/%d", made->fd);
	return made->path;
}

static void symbols_are_found_in_all_kinds_of_files(void **state)
{
	struct made made;

	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		make(&made, kind & 1, kind & 2);
		struct address_names *names = address_names_open(path_of(&made, made.size));
		assert_non_null(names);
		assert_string_equal(address_names_find(names, 0x10), "main");
		assert_string_equal(address_names_find(names, 0x20), "loop");
		assert_string_equal(address_names_find(names, 0x30), "data");
		assert_null(address_names_find(names, 0x11));
		address_names_close(names);
		close(made.fd);
	}
}

static void a_program_has_its_segments(void **state)
{
	struct program program;
	struct made made;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&made, wide, false);
		assert_true(program_read(&program, path_of(&made, made.size)));
		assert_int_equal(program.xlen, wide ? 64 : 32);
		assert_same(program.entry, 0x80000000);
		assert_same(program.size, 8);
		assert_int_equal(program.count, 1);
		assert_same(program.segments[0].address, 0x80000000);
		assert_same(program.segments[0].file_size, 4);
		assert_memory_equal(program.segments[0].bytes, "\x13\x00\x00\x01", 4);
		program_free(&program);
		make(&made, wide, true);
		assert_false(program_read(&program, path_of(&made, made.size)));
		close(made.fd);
	}
}

/* The table of sections is at the end: without its last byte there are no symbols. */
static void a_file_that_is_cut_off_anywhere_is_refused(void **state)
{
	struct program program;
	struct made made;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&made, wide, false);
		size_t segments_end = made.segment + (wide ? 56u : 32u);
		for (size_t size = 0; size < made.size; size++) {
			assert_null(address_names_open(path_of(&made, size)));
			bool good = program_read(&program, made.path);
			assert_int_equal(good, size >= segments_end);
			if (good)
				program_free(&program);
		}
		close(made.fd);
	}
}

static void what_is_not_in_the_file_is_not_read(void **state)
{
	static const uint64_t wild[] = {
		4095, 4097, UINT32_MAX, (uint64_t)1 << 40, UINT64_MAX - 3, UINT64_MAX};
	struct program program;
	struct made made;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wild); i++) {
		make(&made, true, false);
		put_section(&made, 1, SHT_SYMTAB, wild[i], 72, 2, 24);
		assert_null(address_names_open(path_of(&made, made.size)));
		put_section(&made, 1, SHT_SYMTAB, 320, wild[i], 2, 24);
		assert_null(address_names_open(path_of(&made, made.size)));
		put_section(&made, 1, SHT_SYMTAB, 320, 72, (uint32_t)wild[i], 24);
		assert_null(address_names_open(path_of(&made, made.size)));
		put_section(&made, 1, SHT_SYMTAB, 320, 72, 2, wild[i]);
		assert_null(address_names_open(path_of(&made, made.size)));
		put_section(&made, 1, SHT_SYMTAB, 320, 72, 2, 24);
		put_section(&made, 2, SHT_STRTAB, wild[i], sizeof(NAMES), 0, 0);
		assert_null(address_names_open(path_of(&made, made.size)));
		put_segment(&made, 0, wild[i], 0x80000000, 4, 8);
		assert_false(program_read(&program, path_of(&made, made.size)));
		put_segment(&made, 0, 512, 0x80000000, wild[i], wild[i]);
		assert_false(program_read(&program, path_of(&made, made.size)));
		put_segment(&made, 0, 512, UINT64_MAX - wild[i], 4, wild[i]);
		assert_false(program_read(&program, path_of(&made, made.size)));
		close(made.fd);
	}
}

/* A name whose end is not in its table is none. */
static void a_name_without_an_end_is_left_out(void **state)
{
	struct made made;

	(void)state;
	make(&made, false, false);
	put_section(&made, 2, SHT_STRTAB, 256, sizeof(NAMES) - 2, 0, 0);
	struct address_names *names = address_names_open(path_of(&made, made.size));
	assert_non_null(names);
	assert_string_equal(address_names_find(names, 0x20), "loop");
	assert_null(address_names_find(names, 0x30));
	address_names_close(names);
	close(made.fd);
}

/* Counts of 65535 segments or more are in the first section. */
static void large_counts_are_found(void **state)
{
	struct elf_file file;
	struct made made;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&made, wide, false);
		put(&made, wide ? 56 : 44, 2, PN_XNUM);
		put(&made, wide ? 60 : 48, 2, 0);
		put_section(&made, 0, SHT_NULL, 0, 3, 0, 0);
		put(&made, made.section + (wide ? 44 : 28), 4, 70000);
		assert_int_equal(elf_file_open(&file, path_of(&made, made.size)), 0);
		assert_same(file.segment_count, 70000);
		assert_same(file.section_count, 3);
		elf_file_close(&file);
		close(made.fd);
	}
}

/* Each is below 4 GiB, and all have the same bytes of the file. */
static void many_large_segments_are_refused(void **state)
{
	struct program program;
	struct made made;

	(void)state;
	make(&made, true, false);
	put(&made, 56, 2, 5);
	for (unsigned i = 0; i < 5; i++)
		put_segment(&made, i, 512, 0x1000, 4, (uint64_t)1 << 30);
	assert_false(program_read(&program, path_of(&made, made.size)));
	put(&made, 56, 2, 4);
	assert_true(program_read(&program, path_of(&made, made.size)));
	program_free(&program);
	close(made.fd);
}

static void what_is_no_file_is_no_elf_file(void **state)
{
	struct elf_file file;

	(void)state;
	assert_int_equal(elf_file_open(&file, "/"), EAR_E_BAD_FILE);
	assert_int_equal(elf_file_open(&file, "/dev/zero"), EAR_E_BAD_FILE);
	assert_int_equal(elf_file_open(&file, "/nowhere"), EAR_E_IO);
	assert_int_equal(file.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_found_in_all_kinds_of_files),
		cmocka_unit_test(a_program_has_its_segments),
		cmocka_unit_test(a_file_that_is_cut_off_anywhere_is_refused),
		cmocka_unit_test(what_is_not_in_the_file_is_not_read),
		cmocka_unit_test(a_name_without_an_end_is_left_out),
		cmocka_unit_test(large_counts_are_found),
		cmocka_unit_test(many_large_segments_are_refused),
		cmocka_unit_test(what_is_no_file_is_no_elf_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
