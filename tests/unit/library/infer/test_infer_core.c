/* Core files: what is read of them, and that no damaged one is read past its end. */
#include "check.h"

#include <earshot/error.h>
#include <elf.h>

#include "library/infer/infer_core.h"

#define SIZE 1024u

struct file {
	uint8_t bytes[SIZE];
	size_t size;
};

static void put(struct file *file, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		file->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* A note "CORE" of this type; returns where its contents are. */
static size_t add_note(struct file *file, unsigned type, unsigned size)
{
	size_t at = file->size;

	put(file, at, 5, 4);
	put(file, at + 4, size, 4);
	put(file, at + 8, type, 4);
	put(file, at + 12, 0x45524f43, 4); /* CORE */
	file->size = at + 20 + (size + 3) / 4 * 4;
	return at + 20;
}

static void add_status(struct file *file, bool wide, uint64_t pc)
{
	unsigned word = wide ? 8 : 4;
	size_t at = add_note(file, NT_PRSTATUS, wide ? 376 : 204) + (wide ? 112 : 72);

	put(file, at, pc, word);
	for (unsigned i = 1; i < 32; i++)
		put(file, at + i * word, pc + i, word);
}

/* Two segments: notes, and 8 bytes of memory. */
static void make(struct file *file, bool wide)
{
	const unsigned header = wide ? 64 : 52, entry = wide ? 56 : 32, word = wide ? 8 : 4;
	const size_t notes = header + 2u * entry;

	*file = (struct file){.size = notes};
	put(file, 0, 0x464c457f, 4);
	file->bytes[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	file->bytes[EI_DATA] = ELFDATA2LSB;
	put(file, 16, ET_CORE, 2);
	put(file, 18, EM_RISCV, 2);
	put(file, wide ? 32 : 28, header, word);
	put(file, wide ? 54 : 42, entry, 2);
	put(file, wide ? 56 : 44, 2, 2);
	add_note(file, 3, 5); /* another one, whose contents are filled up */
	add_status(file, wide, 0x80000100);
	if (!wide)
		add_status(file, wide, 0x80000200);
	put(file, header, PT_NOTE, 4);
	put(file, header + (wide ? 8 : 4), notes, word);
	put(file, header + (wide ? 32 : 16), file->size - notes, word);
	put(file, header + entry, PT_LOAD, 4);
	put(file, header + entry + (wide ? 8 : 4), file->size, word);
	put(file, header + entry + (wide ? 16 : 8), 0x80001000, word);
	put(file, header + entry + (wide ? 32 : 16), 8, word);
	put(file, file->size, 0x1122334455667788, 8);
	file->size += 8;
}

/* In a block of its own size, so that a sanitizer sees what is read past it. */
static int parse(struct infer_core *core, const struct file *file, size_t size)
{
	uint8_t *bytes = malloc(size ? size : 1);

	assert_non_null(bytes);
	memcpy(bytes, file->bytes, size);
	return ear_infer_core_parse(core, bytes, size);
}

static void registers_and_memory_are_read(void **state)
{
	struct infer_core core;
	struct file file;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&file, wide);
		assert_int_equal(parse(&core, &file, file.size), 0);
		assert_int_equal(core.snapshot.held_count, wide ? 1 : 2);
		assert_int_equal(core.snapshot.held[0].pc, 0x80000100);
		assert_int_equal(core.snapshot.held[0].x[31], 0x80000100 + 31);
		assert_int_equal(core.snapshot.memory_count, 1);
		assert_int_equal(core.snapshot.memory[0].address, 0x80001000);
		assert_int_equal(core.snapshot.memory[0].size, 8);
		assert_int_equal(core.snapshot.memory[0].bytes[0], 0x88);
		ear_infer_core_fini(&core);
	}
	make(&file, false);
	file.bytes[18] = EM_ARM;
	assert_int_equal(parse(&core, &file, file.size), EAR_E_BAD_FILE);
	make(&file, false);
	file.bytes[16] = ET_EXEC;
	assert_int_equal(parse(&core, &file, file.size), EAR_E_BAD_FILE);
}

static void a_file_that_is_cut_off_is_refused(void **state)
{
	struct infer_core core;
	struct file file;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&file, wide);
		for (size_t size = 0; size < file.size; size++)
			assert_int_equal(parse(&core, &file, size), EAR_E_BAD_FILE);
	}
}

static void no_damaged_file_is_read_past_its_end(void **state)
{
	struct infer_core core;
	struct file file;

	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		make(&file, wide);
		for (size_t bit = 0; bit < 8 * file.size; bit++) {
			file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (parse(&core, &file, file.size) == 0) {
				for (size_t i = 0; i < core.snapshot.memory_count; i++)
					assert_true(core.snapshot.memory[i].size <= file.size);
				ear_infer_core_fini(&core);
			}
			file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_and_memory_are_read),
		cmocka_unit_test(a_file_that_is_cut_off_is_refused),
		cmocka_unit_test(no_damaged_file_is_read_past_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
