/* Symbols, lines, functions and inlined functions of programs that are compiled here. */
#include <earshot/error.h>
#include <fcntl.h>
#include <unistd.h>

#include "library/names/unwind.h"
#include "names_fixture.h"

static void a_symbol_is_found_by_address_and_by_name(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	const struct ear_symbol *compute = symbol_of(names, "compute");
	uint64_t offset, first, last;

	(void)state;
	assert_above(compute->size, 8);
	assert_int_equal(compute->kind, EAR_NAMES_FUNCTION);
	assert_ptr_equal(ear_names_symbol_at(names, compute->address + 6, &offset), compute);
	assert_int_equal(offset, 6);
	assert_ptr_equal(
		ear_names_symbol_span(names, compute->address + 6, &first, &last), compute);
	assert_int_equal(first, compute->address);
	assert_int_equal(last, compute->address + compute->size - 1);
	assert_ptr_not_equal(ear_names_symbol_at(names, last + 1, &offset), compute);
	assert_null(ear_names_symbol_at(names, 0, &offset));
	ear_names_close(names);
}

static void texts_are_what_people_read(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	uint64_t address = symbol_of(names, "compute")->address;
	char text[64], expected[64];

	(void)state;
	assert_int_equal(ear_names_text(names, address + 16, text, sizeof(text)), 12);
	assert_string_equal(text, "compute+0x10");
	ear_names_text(names, address, text, sizeof(text));
	assert_string_equal(text, "compute");
	ear_names_text(names, 4, text, sizeof(text));
	assert_string_equal(text, "");
	address = address_of_line(names, "fw.c", "return");
	snprintf(expected, sizeof(expected), "fw.c:%u", line_of("fw.c", "return"));
	ear_names_line_text(names, address, text, sizeof(text));
	assert_string_equal(text, expected);
	ear_names_close(names);
}

static void a_line_has_its_addresses_and_they_have_the_line(void **state)
{
	static const char *const programs[] = {"plain.elf", "fast.elf", "wide.elf", "dwarf4.elf"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct ear_names *names = open_names(programs[i]);
		uint64_t address = address_of_line(names, "program/fw.c", "on_irq");
		struct ear_line line = {.size = sizeof(line)};

		assert_true(ear_names_line_at(names, address, &line));
		assert_int_equal(line.line, line_of("fw.c", "on_irq"));
		assert_string_equal(ear_names_base(line.path), "fw.c");
		assert_in_range(address, line.first, line.last);
		assert_false(ear_names_line_at(names, 4, &line));
		ear_names_close(names);
	}
}

static void a_line_without_code_names_its_neighbours(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	uint32_t wanted = line_of("fw.c", "nothing"), nearest[2];
	struct ear_span range;

	(void)state;
	assert_int_equal(ear_names_line_addresses(names, "fw.c", wanted, &range, 1, nearest), 0);
	assert_in_range(nearest[0], line_of("fw.c", "return"), wanted - 1);
	assert_in_range(nearest[1], wanted + 1, line_of("fw.c", "main"));
	assert_int_equal(ear_names_line_addresses(names, "fw.c", 100000, &range, 1, nearest), 0);
	assert_int_equal(ear_names_line_addresses(names, "fw.c", 100000, NULL, 0, nearest), 0);
	assert_int_equal(nearest[1], 0);
	assert_int_equal(
		ear_names_line_addresses(names, "w.c", 1, &range, 1, nearest), EAR_E_BAD_ARGUMENT);
	assert_string_equal(ear_names_message(names), "there is no source file 'w.c'");
	ear_names_close(names);
}

static void inlined_functions_are_a_chain_with_its_calls(void **state)
{
	struct ear_names *names = open_names("fast.elf");
	uint64_t address = address_of_line(names, "fw.c", "twice");
	struct ear_inlined chain[EAR_INLINED_MAX];
	size_t count =
		ear_names_inlined_at(names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);

	(void)state;
	assert_int_equal(count, 3);
	assert_string_equal(chain[0].function, "twice");
	assert_int_equal(chain[0].line, line_of("fw.c", "twice"));
	assert_true(chain[0].is_inlined);
	assert_string_equal(chain[1].function, "four_times");
	assert_int_equal(chain[1].line, line_of("fw.c", "four_times"));
	assert_string_equal(chain[2].function, "compute");
	assert_int_equal(chain[2].line, line_of("fw.c", "call"));
	assert_false(chain[2].is_inlined);
	assert_int_equal(chain[0].declared_line, line_of("fw.c", "twice") - 2);
	assert_int_equal(chain[1].declared_line, line_of("fw.c", "four_times") - 2);
	assert_int_equal(chain[2].declared_line, line_of("fw.c", "call") - 4);
	assert_string_equal(ear_names_base(chain[2].declared_path), "fw.c");
	assert_int_equal(ear_names_inlined_at(names, address, chain, sizeof(chain[0]), 1), 1);
	ear_names_close(names);
}

/* Programs with an older and a newer header. */
static void results_are_as_large_as_the_program_says(void **state)
{
	struct ear_names *names = open_names("fast.elf");
	uint64_t address = address_of_line(names, "fw.c", "twice");
	struct ear_line line = {.size = sizeof(line)},
			older = {.size = offsetof(struct ear_line, column), .column = 99};
	struct ear_function none = {0};
	struct {
		struct ear_inlined step;
		uint64_t more;
	} chain[3];
	struct {
		const char *function;
	} functions[4] = {{NULL}};

	(void)state;
	assert_true(ear_names_line_at(names, address, &line));
	assert_true(ear_names_line_at(names, address, &older));
	assert_string_equal(older.path, line.path);
	assert_int_equal(older.line, line.line);
	assert_int_equal(older.column, 99);
	assert_false(ear_names_function_at(names, address, &none));
	assert_null(none.name);
	memset(chain, 0xff, sizeof(chain));
	assert_int_equal(
		ear_names_inlined_at(names, address, &chain[0].step, sizeof(chain[0]), 3), 3);
	assert_int_equal(ear_names_inlined_at(names, address,
				 (struct ear_inlined *)(void *)functions, sizeof(functions[0]), 3),
		3);
	assert_string_equal(chain[2].step.function, "compute");
	assert_int_equal(chain[2].more, 0);
	assert_string_equal(functions[2].function, "compute");
	assert_null(functions[3].function);
	ear_names_close(names);
}

static void a_function_is_known_without_its_symbol(void **state)
{
	struct ear_names *plain = open_names("plain.elf"), *names = open_names("stripped.elf");
	const struct ear_symbol *compute = symbol_of(plain, "compute");
	struct ear_function function = {.size = sizeof(function)};
	const struct ear_symbol *list;

	(void)state;
	assert_true(ear_names_function_at(plain, compute->address + 2, &function));
	assert_string_equal(function.name, "compute");
	assert_int_equal(ear_names_symbols(names, &list), 0);
	assert_false(ear_names_file(names, 0)->has_symbols);
	assert_false(ear_names_function_at(names, compute->address, &function));
	assert_int_equal(ear_names_add_debug(names, 0, NAMES_PROGRAMS "/stripped.debug"), 0);
	assert_true(ear_names_function_at(names, compute->address + 2, &function));
	assert_string_equal(function.name, "compute");
	assert_int_equal(function.entry, compute->address);
	assert_int_equal(function.last, compute->address + compute->size - 1);
	assert_int_equal(
		address_of_line(names, "fw.c", "return"), address_of_line(plain, "fw.c", "return"));
	ear_names_close(plain);
	ear_names_close(names);
}

static bool is_same_function(
	struct ear_names *names, uint64_t address, const struct ear_function *function)
{
	struct ear_function other = {.size = sizeof(other)};

	return ear_names_function_at(names, address, &other) && other.entry == function->entry &&
	       strcmp(other.name, function->name) == 0;
}

/* All addresses of a section, and some around it. Returns how many ranges of functions there are.
 */
static size_t check_ranges(struct ear_names *names, const struct ear_names_section *section)
{
	struct ear_function function = {.size = sizeof(function)}, one = function;
	uint64_t begin = section->address - 8, end = section->address + section->size + 8;
	size_t count = 0;

	for (uint64_t at = begin; at < end; at++) {
		if (!ear_names_function_at(names, at, &function))
			continue;
		count++;
		assert_int_equal(at, at == begin ? at : function.first);
		if (function.first > begin)
			assert_false(is_same_function(names, function.first - 1, &function));
		for (; at < end && at < function.last; at++) {
			assert_true(is_same_function(names, at, &function));
			ear_names_function_at(names, at, &one);
			assert_int_equal(one.first, function.first);
			assert_int_equal(one.last, function.last);
		}
		assert_true(is_same_function(names, function.last, &function));
		assert_false(is_same_function(names, function.last + 1, &function));
	}
	return count;
}

static void a_range_of_a_function_is_all_around_that_has_the_same_answer(void **state)
{
	static const char *const programs[] = {"nested.elf", "plain.elf", "fast.elf", "wide.elf",
		"dwarf4.elf", "box.elf", "rust.elf", "stripped.elf"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct ear_names *names = open_names(programs[i]);
		size_t count = 0;

		if (strcmp(programs[i], "stripped.elf") == 0)
			assert_int_equal(
				ear_names_add_debug(names, 0, NAMES_PROGRAMS "/stripped.debug"), 0);
		const struct ear_names_file *file = ear_names_file(names, 0);
		for (size_t j = 0; j < file->section_count; j++)
			if (file->sections[j].flags & EAR_NAMES_EXECUTE)
				count += check_ranges(names, &file->sections[j]);
		assert_in_range(count, 1, 200);
		ear_names_close(names);
	}
}

static void the_innermost_of_nested_functions_counts(void **state)
{
	static const struct {
		const char *name;
		unsigned offset, first, last;
	} rows[] = {
		{"outer", 2, 0, 7},
		{"inner", 8, 8, 13},
		{"outer", 24, 20, 29},
		{"across", 32, 30, 35},
		{"same_beginning", 14, 14, 19},
	};
	struct ear_names *names = open_names("nested.elf");
	uint64_t begin = symbol_of(names, "outer")->address;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_function function = {.size = sizeof(function)};
		assert_true(ear_names_function_at(names, begin + rows[i].offset, &function));
		assert_string_equal(function.name, rows[i].name);
		assert_int_equal(function.first - begin, rows[i].first);
		assert_int_equal(function.last - begin, rows[i].last);
	}
	ear_names_close(names);
}

static void debug_information_of_another_build_is_refused(void **state)
{
	struct ear_names *names = open_names("fast.elf");

	(void)state;
	assert_int_equal(ear_names_add_debug(names, 0, NAMES_PROGRAMS "/stripped.debug"),
		EAR_E_BAD_ARGUMENT);
	assert_non_null(strstr(ear_names_message(names), "another build"));
	assert_int_equal(ear_names_add_debug(names, 7, NAMES_PROGRAMS "/stripped.debug"),
		EAR_E_BAD_ARGUMENT);
	assert_non_null(symbol_of(names, "main"));
	ear_names_close(names);
}

static void several_files_lie_where_they_were_loaded(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	uint64_t address = symbol_of(names, "compute")->address, offset;
	struct ear_line line = {.size = sizeof(line)};
	const struct ear_symbol *found[4];

	(void)state;
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0x10000000), 1);
	assert_int_equal(ear_names_file_count(names), 2);
	assert_int_equal(ear_names_symbols_named(names, "compute", found, 4), 2);
	const struct ear_symbol *other = ear_names_symbol_at(names, address + 0x10000004, &offset);
	assert_non_null(other);
	assert_int_equal(other->file, 1);
	assert_int_equal(offset, 4);
	assert_true(ear_names_line_at(names, address + 0x10000004, &line));
	assert_int_equal(ear_names_symbol_at(names, address, &offset)->file, 0);
	/* Over the first one: the one that was added last counts. */
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/fast.elf", 0), 2);
	assert_int_equal(ear_names_symbol_at(names, address, &offset)->file, 2);
	ear_names_close(names);
}

static void symbols_are_counted_once_however_many_fit(void **state)
{
	static const char *const texts[] = {"ns::box::take(int)", "_ZN2ns3box4takeEi",
		"ns::box::take", "ns::larger<int>", "main", "take"};
	struct ear_names *names = open_names("box.elf");
	const struct ear_symbol *found[8];

	(void)state;
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0x10000000), 1);
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0x20000000), 2);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		size_t count = ear_names_symbols_named(names, texts[i], found, 8);

		assert_int_equal(ear_names_symbols_named(names, texts[i], NULL, 0), count);
		for (size_t max = 1; max < 8; max++)
			assert_int_equal(
				ear_names_symbols_named(names, texts[i], found, max), count);
	}
	assert_at_least(ear_names_symbols_named(names, "main", NULL, 0), 2);
	ear_names_close(names);
}

static void sections_and_segments_give_the_image(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	const struct ear_names_file *file = ear_names_file(names, 0);
	const struct ear_symbol *box = symbol_of(names, "box"), *table = symbol_of(names, "table");
	uint8_t bytes[64];
	bool writable = false;
	size_t bss = 0;

	(void)state;
	assert_int_equal(file->xlen, 32);
	assert_int_equal(file->machine, 243);
	assert_int_equal(file->entry, symbol_of(names, "_start")->address);
	assert_above(file->build_id_size, 0);
	while (bss < file->section_count && strcmp(file->sections[bss].name, ".bss") != 0)
		bss++;
	assert_below(bss, file->section_count);
	assert_false(file->sections[bss].flags & EAR_NAMES_IN_FILE);
	assert_int_equal(ear_names_image(names, 0, box->address, bytes, 4, &writable), 4);
	assert_int_equal(bytes[0], 3);
	assert_true(writable);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(ear_names_image(names, 0, table->address, bytes, 64, &writable), 64);
	assert_int_equal(bytes[0] | bytes[63], 0);
	assert_int_equal(ear_names_image(names, 0, 16, bytes, 4, &writable), 0);
	ear_names_close(names);
}

static void cpp_names_are_as_in_the_source(void **state)
{
	struct ear_names *names = open_names("box.elf");
	const struct ear_symbol *found[4];

	(void)state;
	assert_int_equal(ear_names_symbols_named(names, "ns::box::take(int)", found, 4), 1);
	assert_string_equal(found[0]->linked, "_ZN2ns3box4takeEi");
	assert_int_equal(ear_names_symbols_named(names, "_ZN2ns3box4takeEi", found, 4), 1);
	assert_int_equal(ear_names_symbols_named(names, "ns::box::take", found, 4), 2);
	assert_int_equal(ear_names_symbols_named(names, "ns::larger<int>", found, 4), 1);
	assert_int_equal(ear_names_symbols_named(names, "take", found, 4), 0);
	ear_names_close(names);
}

static void a_method_is_where_it_is_defined_not_declared(void **state)
{
	struct ear_names *names = open_names("box.elf");
	struct ear_inlined step[1];
	uint64_t address = symbol_of(names, "ns::box::take(int)")->address;

	(void)state;
	assert_int_equal(ear_names_inlined_at(names, address, step, sizeof(step[0]), 1), 1);
	assert_int_equal(step[0].declared_line, line_of("box.cpp", "take"));
	assert_string_equal(ear_names_base(step[0].declared_path), "box.cpp");
	ear_names_close(names);
}

/* Both ways of mangling, each with its own tree of rules in the demangler. */
static void rust_names_are_as_in_the_source(void **state)
{
	static const struct {
		const char *name, *linked;
	} rows[] = {
		{"machine::core::Formatter::write",
			"_ZN7machine4core9Formatter5write17h0123456789abcdefE"},
		{"<machine::Ring<T> as machine::Queue>::push",
			"_ZN57_$LT$machine..Ring$LT$T$GT$$u20$as$u20$machine..Queue$GT$"
			"4push17hfedcba9876543210E"},
		{"machine::spin", "_RNvCs15kBYyAo9fc_7machine4spin"},
		{"machine::mem::large::<u32>", "_RINvNtC7machine3mem5largemE"},
		{"<machine::mem::Page>::zero", "_RNvMNtC7machine3memNtB2_4Page4zero"},
	};
	struct ear_names *names = open_names("rust.elf");
	const struct ear_symbol *found[2];
	uint64_t offset;
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(ear_names_symbols_named(names, rows[i].name, found, 2), 1);
		assert_string_equal(found[0]->linked, rows[i].linked);
		assert_string_equal(found[0]->name, rows[i].name);
		assert_int_equal(ear_names_symbols_named(names, rows[i].linked, found, 2), 1);
		assert_ptr_equal(ear_names_symbol_at(names, found[0]->address, &offset), found[0]);
		ear_names_text(names, found[0]->address, text, sizeof(text));
		assert_string_equal(text, rows[i].name);
	}
	ear_names_close(names);
}

static void near_names_are_suggested(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	const char *near[3];

	(void)state;
	assert_at_least(ear_names_suggest(names, "mian", near, 3), 1);
	assert_string_equal(near[0], "main");
	assert_int_equal(ear_names_suggest(names, "nothing_like_it", near, 3), 0);
	ear_names_close(names);
}

static bool read_frame_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	*value = number == 8 ? 0x9000 : number == 2 ? 0x8000 : 0;
	return number == 8 || number == 2;
}

static bool read_no_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	(void)context;
	(void)address;
	memset(bytes, 0, size);
	memset(known, 0, size);
	return false;
}

/* At its begin sp is where the caller left it; later s0 holds that. */
static void where_a_frame_is_follows_the_prologue(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	struct ear_moment_view moment = {.size = sizeof(moment),
		.pc = symbol_of(names, "compute")->address,
		.read_register = read_frame_register,
		.read_memory = read_no_memory};
	uint64_t cfa;

	(void)state;
	assert_int_equal(ear_unwind_cfa(names, &moment, &cfa), 0);
	assert_int_equal(cfa, 0x8000);
	moment.pc = address_of_line(names, "fw.c", "call");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(ear_unwind_cfa(names, &moment, &cfa), 0);
		assert_int_equal(cfa, 0x9000);
	}
	moment.pc = 16;
	assert_int_equal(ear_unwind_cfa(names, &moment, &cfa), EAR_E_UNSUPPORTED);
	ear_names_close(names);
}

static void what_is_not_elf_is_an_error_that_names_the_file(void **state)
{
	struct ear_names *names;

	(void)state;
	assert_int_equal(ear_names_open(&names), 0);
	assert_int_equal(ear_names_add(names, NAMES_SOURCE "/fw.c", 0), EAR_E_BAD_FILE);
	assert_string_equal(ear_names_message(names), NAMES_SOURCE "/fw.c: not an ELF file");
	assert_int_equal(ear_names_add(names, "/nobody/is/here", 0), EAR_E_IO);
	assert_string_equal(ear_names_message(names), "/nobody/is/here: No such file or directory");
	assert_int_equal(ear_names_add(names, "/dev/null", 0), EAR_E_BAD_FILE);
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), 0);
	ear_names_close(names);
}

static int give_up(void *context)
{
	(*(unsigned *)context)++;
	return 1;
}

static void waiting_can_be_cancelled(void **state)
{
	struct ear_names *names;
	unsigned calls = 0;

	(void)state;
	setenv("EARSHOT_NAMES", NAMES_FAKE, 1);
	setenv("FAKE_NAMES", "hang", 1);
	assert_int_equal(ear_names_open(&names), 0);
	ear_names_set_progress(names, give_up, &calls);
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), EAR_E_CANCELLED);
	assert_int_equal(calls, 1);
	ear_names_close(names);
	unsetenv("EARSHOT_NAMES");
}

static void a_process_that_cannot_be_started_is_an_error(void **state)
{
	struct ear_names *names;

	(void)state;
	setenv("EARSHOT_NAMES", "/nobody/is/here", 1);
	assert_int_equal(ear_names_open(&names), EAR_E_IO);
	assert_non_null(strstr(ear_names_message(names), "/nobody/is/here"));
	assert_below(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), 0);
	ear_names_close(names);
	unsetenv("EARSHOT_NAMES");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_is_found_by_address_and_by_name),
		cmocka_unit_test(texts_are_what_people_read),
		cmocka_unit_test(a_line_has_its_addresses_and_they_have_the_line),
		cmocka_unit_test(a_line_without_code_names_its_neighbours),
		cmocka_unit_test(inlined_functions_are_a_chain_with_its_calls),
		cmocka_unit_test(results_are_as_large_as_the_program_says),
		cmocka_unit_test(a_function_is_known_without_its_symbol),
		cmocka_unit_test(a_range_of_a_function_is_all_around_that_has_the_same_answer),
		cmocka_unit_test(the_innermost_of_nested_functions_counts),
		cmocka_unit_test(debug_information_of_another_build_is_refused),
		cmocka_unit_test(several_files_lie_where_they_were_loaded),
		cmocka_unit_test(symbols_are_counted_once_however_many_fit),
		cmocka_unit_test(sections_and_segments_give_the_image),
		cmocka_unit_test(cpp_names_are_as_in_the_source),
		cmocka_unit_test(a_method_is_where_it_is_defined_not_declared),
		cmocka_unit_test(rust_names_are_as_in_the_source),
		cmocka_unit_test(near_names_are_suggested),
		cmocka_unit_test(where_a_frame_is_follows_the_prologue),
		cmocka_unit_test(what_is_not_elf_is_an_error_that_names_the_file),
		cmocka_unit_test(waiting_can_be_cancelled),
		cmocka_unit_test(a_process_that_cannot_be_started_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
