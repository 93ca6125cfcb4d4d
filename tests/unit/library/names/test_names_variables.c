/* Variables: their types, their places, their values. Memory is the program's own image, or a stack
 * that the test makes.
 */
#include <earshot/address.h>
#include <earshot/error.h>

#include "names_fixture.h"

/* A moment: registers that the test sets, memory of the image, and words of a stack. */
struct world {
	struct ear_names *names;
	uint64_t registers[64];
	uint64_t known; /* which of them, a bit each */
	uint64_t stack; /* address of the words */
	uint32_t words[16];
	struct ear_moment_view moment;
};

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	const struct world *world = context;

	if (number >= 64 || !(world->known >> number & 1))
		return false;
	*value = world->registers[number];
	return true;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	struct world *world = context;
	bool writable;

	memset(known, 0, size);
	memset(bytes, 0, size);
	if (address >= world->stack && address + size <= world->stack + sizeof(world->words)) {
		memcpy(bytes, (const uint8_t *)world->words + (address - world->stack), size);
		memset(known, 1, size);
		return true;
	}
	int64_t count = ear_names_image(world->names, 0, address, bytes, size, &writable);
	if (count > 0)
		memset(known, 1, (size_t)count);
	return true;
}

static void begin(struct world *world, const char *program)
{
	*world = (struct world){.names = open_names(program), .stack = 0x90000000};
	world->moment = (struct ear_moment_view){.size = sizeof(world->moment),
		.read_register = read_register,
		.read_memory = read_memory,
		.context = world};
}

static void set_register(struct world *world, unsigned number, uint64_t value)
{
	world->registers[number] = value;
	world->known |= UINT64_C(1) << number;
}

static void expect(struct world *world, const char *expression, const char *expected)
{
	struct ear_variable variable = {.size = sizeof(variable)};
	int result = ear_variable_find(
		&variable, world->names, expression, strlen(expression), &world->moment);

	if (result != 0)
		fail_msg("%s: %d %s", expression, result, ear_names_message(world->names));
	char *text = ear_variable_text(&variable, world->names, 4);
	assert_non_null(text);
	if (strcmp(text, expected) != 0)
		fail_msg("%s is %s, not %s (%s)", expression, text, expected,
			variable.why ? variable.why : "");
	free(text);
	ear_variable_free(&variable);
}

static void expect_json(struct world *world, const char *expression, const char *expected)
{
	struct ear_variable variable = {.size = sizeof(variable)};

	assert_int_equal(ear_variable_find(&variable, world->names, expression, strlen(expression),
				 &world->moment),
		0);
	char *text = ear_variable_json(&variable, world->names);
	assert_string_equal(text, expected);
	free(text);
	ear_variable_free(&variable);
}

static void expect_error(struct world *world, const char *expression, const char *part)
{
	struct ear_variable variable = {.size = sizeof(variable)};
	int result = ear_variable_find(
		&variable, world->names, expression, strlen(expression), &world->moment);

	assert_int_equal(result, EAR_E_BAD_ARGUMENT);
	if (!strstr(ear_names_message(world->names), part))
		fail_msg("%s: %s", expression, ear_names_message(world->names));
}

static void globals_have_their_types_and_values(void **state)
{
	static const char *const programs[] = {"plain.elf", "fast.elf", "wide.elf", "dwarf4.elf"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct world world;

		begin(&world, programs[i]);
		expect(&world, "box.count", "3");
		expect(&world, "box.flags", "5");
		expect(&world, "box.delta", "-3");
		expect(&world, "box.label", "\"lid\"");
		expect(&world, "box.color", "BLUE");
		expect(&world, "box.number", "0");
		expect(&world, "matrix", "{{1, 2, 3}, {4, 5, 6}}");
		expect(&world, "matrix[1]", "{4, 5, 6}");
		expect(&world, "matrix[1][2]", "6");
		expect(&world, "ratio", "0.5");
		expect(&world, "port", "200");
		expect(&world, "list->count", "0");
		expect(&world, "(*list).count", "0");
		expect(&world, "box.next->next->count", "3");
		expect(&world, "*box.next->label", "108 'l'");
		expect(&world, "box.next[0].count", "3");
		ear_names_close(world.names);
	}
}

static void a_structure_is_shown_with_its_members(void **state)
{
	struct world world;
	char expected[256];

	(void)state;
	begin(&world, "plain.elf");
	snprintf(expected, sizeof(expected),
		"{count = 3, handler = 0x%llx <on_irq>, next = 0x%llx <box>, flags = 5, delta = -3, "
		"label = \"lid\", color = BLUE, {number = 0, bytes = \"\"}}",
		(unsigned long long)symbol_of(world.names, "on_irq")->address,
		(unsigned long long)symbol_of(world.names, "box")->address);
	expect(&world, "box", expected);
	expect_json(&world, "matrix", "[[1, 2, 3], [4, 5, 6]]");
	expect_json(&world, "box.label", "\"lid\"");
	ear_names_close(world.names);
}

static void names_are_looked_for_in_their_file_and_function(void **state)
{
	struct world world;

	(void)state;
	begin(&world, "plain.elf");
	expect(&world, "fw.c::count", "7");
	expect(&world, "other.c::count", "9");
	expect(&world, "other::calls", "0");
	world.moment.pc = address_of_line(world.names, "other.c", "other");
	expect(&world, "count", "9");
	expect(&world, "calls", "0");
	world.moment.pc = address_of_line(world.names, "fw.c", "on_irq");
	expect(&world, "count", "7");
	ear_names_close(world.names);
	begin(&world, "box.elf");
	expect(&world, "ns::shelf.count", "2");
	expect(&world, "ns::shelf.id", "1");
	expect(&world, "shelf.count", "2");
	expect(&world, "*ns::pointer", "2");
	ear_names_close(world.names);
}

/* At -O0 locals are in the frame, whose base is the CFA: s0. */
static void locals_are_found_through_the_frame(void **state)
{
	struct world world;
	struct ear_variable variable = {.size = sizeof(variable)};

	(void)state;
	begin(&world, "plain.elf");
	world.moment.pc = address_of_line(world.names, "fw.c", "call");
	expect(&world, "first", "?"); /* no register is known */
	set_register(&world, 8, world.stack + sizeof(world.words));
	assert_int_equal(ear_variable_find(&variable, world.names, "where", 5, &world.moment), 0);
	assert_int_equal(variable.place, EAR_PLACE_MEMORY);
	uint64_t address = variable.address;
	assert_in_range(address, world.stack, world.stack + sizeof(world.words) - 4);
	ear_variable_free(&variable);
	world.words[(address - world.stack) / 4] = (uint32_t)symbol_of(world.names, "box")->address;
	expect(&world, "where->count", "3");
	expect(&world, "where->label", "\"lid\"");
	/* The frame is known from elsewhere. */
	world.known = 0;
	world.moment.has_cfa = true;
	world.moment.cfa = world.stack + sizeof(world.words);
	expect(&world, "where->count", "3");
	ear_names_close(world.names);
}

static void optimized_variables_are_in_registers_or_gone(void **state)
{
	struct world world;
	struct ear_variable variable = {.size = sizeof(variable)};

	(void)state;
	begin(&world, "fast.elf");
	world.moment.pc = symbol_of(world.names, "compute")->address;
	set_register(&world, 10, 41);
	set_register(&world, 11, symbol_of(world.names, "box")->address);
	expect(&world, "first", "41");
	expect(&world, "where->count", "3");
	assert_int_equal(ear_variable_find(&variable, world.names, "first", 5, &world.moment), 0);
	assert_int_equal(variable.place, EAR_PLACE_REGISTER);
	assert_int_equal(variable.register_number, 10);
	ear_variable_free(&variable);
	/* When a0 has the sum, first is only known by what it was at entry. */
	world.moment.pc = address_of_line(world.names, "fw.c", "call");
	assert_int_equal(ear_variable_find(&variable, world.names, "first", 5, &world.moment), 0);
	assert_int_equal(variable.place, EAR_PLACE_NONE);
	assert_non_null(strstr(variable.why, "entry"));
	ear_variable_free(&variable);
	ear_names_close(world.names);
}

static void parameters_and_locals_are_listed(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	struct ear_local *list;
	size_t count;

	(void)state;
	assert_int_equal(
		ear_variable_locals(names, address_of_line(names, "fw.c", "call"), &list, &count),
		0);
	assert_int_equal(count, 4);
	assert_string_equal(list[0].name, "i"); /* the innermost block */
	assert_false(list[0].is_parameter);
	assert_string_equal(list[1].name, "first");
	assert_true(list[1].is_parameter);
	assert_string_equal(list[2].name, "where");
	assert_string_equal(list[2].type_name, "struct box *");
	assert_string_equal(list[3].name, "sum");
	free(list);
	assert_int_equal(ear_variable_locals(names, 4, &list, &count), EAR_E_UNSUPPORTED);
	ear_names_close(names);
}

static void functions_say_what_they_take_and_return(void **state)
{
	static const char *const programs[] = {"plain.elf", "fast.elf", "wide.elf", "dwarf4.elf"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(programs); i++) {
		struct ear_variable variable = {.size = sizeof(variable)};
		const struct ear_symbol *symbol;
		struct world world;

		begin(&world, programs[i]);
		assert_true(ear_names_symbols_named(world.names, "compute", &symbol, 1) > 0);
		world.moment.pc = symbol->address;
		assert_int_equal(
			ear_variable_find(&variable, world.names, "()", 2, &world.moment), 0);
		assert_int_equal(variable.byte_count, 0);
		assert_string_equal(variable.types[0].name, "compute");
		assert_string_equal(variable.types[0].type_name, "");
		assert_int_equal(variable.types[0].child_count, 3);
		const struct ear_type *types = variable.types + variable.types[0].first_child;
		assert_string_equal(types[0].name, "");
		assert_int_equal(types[0].kind, EAR_TYPE_INTEGER);
		assert_true(types[0].is_signed);
		assert_string_equal(types[1].name, "first");
		assert_int_equal(types[1].size, 4);
		assert_string_equal(types[2].name, "where");
		assert_string_equal(types[2].type_name, "struct box *");
		ear_variable_free(&variable);
		expect_error(&world, "()+1", "a name is missing");
		world.moment.pc = 4;
		expect_error(&world, "()", "no function");
		ear_names_close(world.names);
	}
}

static void what_is_wrong_is_said(void **state)
{
	struct world world;
	struct ear_variable variable = {.size = sizeof(variable)};

	(void)state;
	begin(&world, "plain.elf");
	expect_error(&world, "bxo", "there is no variable 'bxo'; did you mean box?");
	expect_error(
		&world, "box.handlr", "struct box has no member 'handlr'; did you mean handler?");
	expect_error(&world, "box->count", "'->' needs a pointer, and this is struct box");
	expect_error(&world, "list.count", "use ->count");
	expect_error(&world, "box[0]", "'[' needs an array or a pointer, and this is struct box");
	expect_error(&world, "table[8]", "element 8 is behind the end of struct box[8]");
	expect_error(&world, "table[", "no number after '['");
	expect_error(&world, "table[1", "']' is missing");
	expect_error(&world, "(box", "')' is missing");
	expect_error(&world, "*", "a name is missing");
	expect_error(&world, "", "a name is missing");
	expect_error(&world, "box 3", "unexpected text '3'");
	char deep[600];
	memset(deep, '(', sizeof(deep));
	assert_int_equal(
		ear_variable_find(&variable, world.names, deep, sizeof(deep), &world.moment),
		EAR_E_BAD_ARGUMENT);
	memset(deep, '*', sizeof(deep));
	assert_int_equal(
		ear_variable_find(&variable, world.names, deep, sizeof(deep), &world.moment),
		EAR_E_BAD_ARGUMENT);
	ear_names_close(world.names);
}

static void without_a_moment_only_what_never_moves(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	struct ear_variable variable = {.size = sizeof(variable)};

	(void)state;
	assert_int_equal(ear_variable_find(&variable, names, "table[3].next", 13, NULL), 0);
	assert_int_equal(variable.place, EAR_PLACE_MEMORY);
	assert_int_equal(variable.address, symbol_of(names, "table")->address + 3 * 32 + 8);
	assert_int_equal(variable.value_size, 4);
	assert_int_equal(variable.byte_count, 0);
	ear_variable_free(&variable);
	assert_int_equal(ear_variable_find(&variable, names, "*list", 5, NULL), EAR_E_BAD_ARGUMENT);
	assert_int_equal(
		ear_variable_find(&variable, names, "main::local", 11, NULL), EAR_E_BAD_ARGUMENT);
	ear_names_close(names);
}

/* Programs with an older and a newer header. */
static void a_variable_is_as_large_as_the_program_says(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	struct {
		struct ear_variable variable;
		uint64_t more;
	} newer = {{.size = sizeof(newer)}, 7};
	struct ear_variable none = {0};
	struct ear_address address = {0};
	const struct ear_moment_view moment = {0};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	(void)state;
	assert_int_equal(ear_variable_find(&newer.variable, names, "box", 3, NULL), 0);
	assert_int_equal(newer.more, 0);
	assert_int_equal(newer.variable.place, EAR_PLACE_MEMORY);
	newer.more = 7;
	ear_variable_free(&newer.variable);
	assert_int_equal(newer.variable.size, sizeof(newer));
	assert_null(newer.variable.types);
	assert_int_equal(ear_variable_find(&none, names, "box", 3, NULL), EAR_E_BAD_ARGUMENT);
	none.size = offsetof(struct ear_variable, types); /* no header has one as small as that */
	assert_int_equal(ear_variable_find(&none, names, "box", 3, NULL), EAR_E_BAD_ARGUMENT);
	assert_int_equal(
		ear_variable_find(&newer.variable, names, "box", 3, &moment), EAR_E_BAD_ARGUMENT);
	assert_int_equal(
		ear_address_parse(&address, "box", 3, names, NULL, message), EAR_E_BAD_ARGUMENT);
	assert_contains(message, "size");
	ear_names_close(names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(globals_have_their_types_and_values),
		cmocka_unit_test(a_structure_is_shown_with_its_members),
		cmocka_unit_test(names_are_looked_for_in_their_file_and_function),
		cmocka_unit_test(locals_are_found_through_the_frame),
		cmocka_unit_test(optimized_variables_are_in_registers_or_gone),
		cmocka_unit_test(parameters_and_locals_are_listed),
		cmocka_unit_test(functions_say_what_they_take_and_return),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(without_a_moment_only_what_never_moves),
		cmocka_unit_test(a_variable_is_as_large_as_the_program_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
