/* Files and answers that somebody has made to do harm: an error or an answer, and never a crash or
 * a hang of this process. What earshot-names does is its own affair, as long as the next file
 * works.
 */
#include <earshot/address.h>
#include <earshot/error.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "library/names/names_tables.h"
#include "library/names/unwind.h"
#include "names_fixture.h"
#include "random.h"

#define FILE_MAX  65536
#define MUTATIONS 400
#define SECONDS   100

static size_t read_file(const char *program, uint8_t *bytes)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", NAMES_PROGRAMS, program);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, FILE_MAX, file);
	assert_int_equal(fclose(file), 0);
	assert_in_range(size, 1000, FILE_MAX - 1);
	return size;
}

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	*value = 0x80000000 + number * 4;
	return true;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	(void)context;
	(void)address;
	memset(bytes, 0x80, size);
	memset(known, 1, size);
	return true;
}

/* Ask everything there is to ask. */
static void use(struct ear_names *names)
{
	static const char *const expressions[] = {
		"box", "table[3].next", "*list", "count", "matrix", "local", "where->count"};
	const struct ear_symbol *list;
	size_t count = ear_names_symbols(names, &list);
	struct ear_inlined chain[EAR_INLINED_MAX];
	char text[256];

	for (size_t i = 0; i < 16; i++) {
		uint64_t pc = i < count ? list[i].address + 4 : 0x80000000 + 16 * i;
		struct ear_moment_view moment = {.size = sizeof(moment),
			.pc = pc,
			.read_register = read_register,
			.read_memory = read_memory};
		struct ear_function function = {.size = sizeof(function)};
		uint64_t cfa;
		struct ear_local *locals;
		size_t local_count;

		ear_names_text(names, pc, text, sizeof(text));
		ear_names_line_text(names, pc, text, sizeof(text));
		ear_names_inlined_at(names, pc, chain, sizeof(chain[0]), EAR_INLINED_MAX);
		ear_names_function_at(names, pc, &function);
		if (i % 4)
			continue;
		ear_unwind_cfa(names, &moment, &cfa);
		if (ear_variable_locals(names, pc, &locals, &local_count) == 0)
			free(locals);
		const char *expression = expressions[i / 4 + (size_t)(count & 3)];
		struct ear_variable variable = {.size = sizeof(variable)};
		if (ear_variable_find(&variable, names, expression, strlen(expression), &moment))
			continue;
		free(ear_variable_text(&variable, names, 5));
		free(ear_variable_json(&variable, names));
		ear_variable_free(&variable);
	}
	struct ear_address address = {.size = sizeof(address)};
	char message[EAR_ADDRESS_MESSAGE_MAX];
	ear_address_parse(&address, "fw.c:30", 7, names, NULL, message);
	ear_address_parse(&address, "no_such_thing", 13, names, NULL, message);
}

/* Change a few bytes, mostly to what numbers of formats are. */
static void mutate(uint8_t *bytes, size_t *size, struct random *random)
{
	static const uint8_t likely[] = {0, 1, 0x7f, 0x80, 0xff};
	unsigned changes = 1 + (unsigned)random_below(random, 24);

	for (unsigned i = 0; i < changes; i++) {
		size_t at = (size_t)random_below(random, *size);
		if (random_once_in(random, 4)) /* the headers are few, and matter */
			at = random_once_in(random, 2) ? at % 256 : *size - 1 - at % 1024;
		bytes[at] = random_once_in(random, 2) ? likely[random_below(random, sizeof(likely))]
						      : (uint8_t)random_next(random);
	}
	if (random_once_in(random, 8))
		*size = (size_t)random_below(random, *size);
}

static void mutated_files_are_an_error_or_an_answer(void **state)
{
	static uint8_t original[FILE_MAX], bytes[FILE_MAX];
	static const char *const programs[] = {"fast.elf", "plain.elf", "box.elf", "dwarf4.elf"};
	struct random random = {20240401};
	struct ear_names *names = NULL;
	char path[] = "/tmp/earshot-names-XXXXXX";
	int fd = mkstemp(path);
	time_t begin = time(NULL);
	unsigned done = 0, read = 0, broken = 0;

	(void)state;
	assert_at_least(fd, 0);
	for (; done < MUTATIONS && time(NULL) < begin + SECONDS; done++) {
		size_t size = read_file(programs[done % COUNT_OF(programs)], original);

		if (!names)
			assert_int_equal(ear_names_open(&names), 0);
		memcpy(bytes, original, size);
		mutate(bytes, &size, &random);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
		int result = ear_names_add_fd(names, fd, "mutated.elf", 0);
		if (result >= 0) {
			read++;
			use(names);
		} else {
			assert_non_null(strstr(ear_names_message(names), "mutated.elf"));
		}
		broken += strstr(ear_names_message(names), "earshot-names") != NULL;
		if (result >= 0 || done % 16 == 0) {
			ear_names_close(names);
			names = NULL;
		}
	}
	ear_names_close(names);
	close(fd);
	unlink(path);
	print_message(
		"%u mutations: %u could be read, %u ended earshot-names\n", done, read, broken);
	assert_above(read, 20);
	assert_above(done - read, 5);
}

/* One that breaks it off does not spoil those before and after it. */
static void other_files_go_on_after_a_crash(void **state)
{
	struct ear_names *names;

	(void)state;
	setenv("EARSHOT_NAMES", NAMES_FAKE, 1);
	setenv("FAKE_NAMES", "die", 1);
	assert_int_equal(ear_names_open(&names), 0);
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), EAR_E_BAD_FILE);
	assert_string_equal(ear_names_message(names),
		NAMES_PROGRAMS "/plain.elf: reading it crashed (earshot-names: signal 9)");
	unsetenv("EARSHOT_NAMES"); /* the next one is the real one */
	assert_int_equal(ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), 0);
	assert_non_null(symbol_of(names, "main"));
	use(names);
	ear_names_close(names);
}

static void broken_promises_are_errors(void **state)
{
	static const struct {
		const char *what, *message;
	} rows[] = {{"end", "earshot-names has ended"}, {"long", "answered with nonsense"},
		{"other", "answered with nonsense"}};
	struct ear_names *names;

	(void)state;
	setenv("EARSHOT_NAMES", NAMES_FAKE, 1);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		setenv("FAKE_NAMES", rows[i].what, 1);
		assert_int_equal(ear_names_open(&names), 0);
		assert_int_equal(
			ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0), EAR_E_BAD_FILE);
		if (!strstr(ear_names_message(names), rows[i].message))
			fail_msg("%s: %s", rows[i].what, ear_names_message(names));
		ear_names_close(names);
	}
	unsetenv("EARSHOT_NAMES");
}

static void random_answers_are_errors_or_answers(void **state)
{
	char seed[16];
	struct ear_names *names;

	(void)state;
	setenv("EARSHOT_NAMES", NAMES_FAKE, 1);
	for (unsigned i = 1; i <= 60; i++) {
		snprintf(seed, sizeof(seed), "%u", i);
		setenv("FAKE_NAMES", seed, 1);
		assert_int_equal(ear_names_open(&names), 0);
		if (ear_names_add(names, NAMES_PROGRAMS "/plain.elf", 0) >= 0)
			use(names);
		ear_names_close(names);
	}
	unsetenv("EARSHOT_NAMES");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_files_are_an_error_or_an_answer),
		cmocka_unit_test(other_files_go_on_after_a_crash),
		cmocka_unit_test(broken_promises_are_errors),
		cmocka_unit_test(random_answers_are_errors_or_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
