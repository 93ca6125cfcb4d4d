/* Addresses as people write them: the table of docs/names.md, and what is wrong. */
#include <earshot/address.h>
#include <earshot/error.h>

#include "names_fixture.h"

static void expect(
	struct ear_names *names, const char *text, uint64_t first, uint64_t last, bool is_point)
{
	struct ear_address address = {.size = sizeof(address)};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	if (ear_address_parse(&address, text, strlen(text), names, NULL, message) != 0)
		fail_msg("%s: %s", text, message);
	assert_int_equal(address.count, 1);
	if (address.ranges[0].first != first || address.ranges[0].last != last ||
		address.is_point != is_point || (is_point && address.has_size))
		fail_msg("%s: 0x%llx-0x%llx %d instead of 0x%llx-0x%llx", text,
			(unsigned long long)address.ranges[0].first,
			(unsigned long long)address.ranges[0].last, address.is_point,
			(unsigned long long)first, (unsigned long long)last);
}

static void expect_error(struct ear_names *names, const char *text, const char *expected)
{
	struct ear_address address = {.count = 99};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	assert_int_equal(ear_address_parse(&address, text, strlen(text), names, NULL, message),
		EAR_E_BAD_ARGUMENT);
	assert_int_equal(address.count, 99);
	if (strcmp(message, expected) != 0)
		fail_msg("%s: '%s' instead of '%s'", text, message, expected);
}

static void numbers_need_no_names(void **state)
{
	(void)state;
	expect(NULL, "0x8000", 0x8000, 0x8000, true);
	expect(NULL, "4096", 4096, 4096, true);
	expect(NULL, "0x8000-0x80ff", 0x8000, 0x80ff, false);
	expect(NULL, "0x8000+256", 0x8000, 0x80ff, false);
	expect(NULL, "0x8000:64", 0x8000, 0x803f, false);
	expect(NULL, "0xffffffffffffffff", UINT64_MAX, UINT64_MAX, true);
	expect_error(NULL, "0x8000-0x7fff",
		"'0x8000-0x7fff' is not a range (the range ends before it begins): FIRST-LAST, FIRST+SIZE, FIRST:SIZE, an address or a "
		"symbol");
	expect_error(NULL, "main", "'main' is neither a number nor a symbol (no ELF given)");
	expect_error(NULL, "", "an address is missing");
	static const char *const bad[] = {"0x8000+0", "0x8000:0", "1-", "1+", "1x", "1:2:3",
		"0x10000000000000000", "0xffffffffffffffff+2"};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct ear_address address = {.size = sizeof(address)};
		char message[EAR_ADDRESS_MESSAGE_MAX];
		assert_int_equal(
			ear_address_parse(&address, bad[i], strlen(bad[i]), NULL, NULL, message),
			EAR_E_BAD_ARGUMENT);
	}
}

static void names_have_offsets_and_sizes(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	const struct ear_symbol *main_ = symbol_of(names, "main");
	uint64_t buffer = symbol_of(names, "main_buffer")->address;
	uint64_t box = symbol_of(names, "box")->address, table = symbol_of(names, "table")->address;

	(void)state;
	expect(names, "main", main_->address, main_->address + main_->size - 1, false);
	expect(names, "main+4", main_->address + 4, main_->address + 4, true);
	expect(names, "main+0x10", main_->address + 16, main_->address + 16, true);
	expect(names, "main-4", main_->address - 4, main_->address - 4, true);
	expect(names, "main:8", main_->address, main_->address + 7, false);
	expect(names, "main_buffer+32:64", buffer + 32, buffer + 95, false);
	expect(names, "box.handler", box + 4, box + 7, false);
	expect(names, "box.handler+8", box + 12, box + 12, true);
	expect(names, "table[3].next", table + 3 * 32 + 8, table + 3 * 32 + 11, false);
	expect(names, "table[3].next:2", table + 3 * 32 + 8, table + 3 * 32 + 9, false);
	ear_names_close(names);
}

static void sections_and_lines_are_addresses(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	const struct ear_names_file *file = ear_names_file(names, 0);
	struct ear_address address = {.size = sizeof(address)};
	char message[EAR_ADDRESS_MESSAGE_MAX], text[64];
	uint32_t line = line_of("fw.c", "return");

	(void)state;
	for (size_t i = 0; i < file->section_count; i++)
		if (strcmp(file->sections[i].name, ".bss") == 0)
			expect(names, ".bss", file->sections[i].address,
				file->sections[i].address + file->sections[i].size - 1, false);
	snprintf(text, sizeof(text), "fw.c:%u", line);
	assert_int_equal(ear_address_parse(&address, text, strlen(text), names, NULL, message), 0);
	assert_int_equal(address.kind, EAR_ADDRESS_LINE);
	assert_int_equal(address.ranges[0].first, address_of_line(names, "fw.c", "return"));
	snprintf(text, sizeof(text), "program/fw.c:%u", line);
	assert_int_equal(ear_address_parse(&address, text, strlen(text), names, NULL, message), 0);
	ear_names_close(names);
}

static void a_name_of_several_symbols_is_refused(void **state)
{
	struct ear_names *names = open_names("plain.elf");
	struct ear_address address = {.size = sizeof(address)};
	char message[EAR_ADDRESS_MESSAGE_MAX];

	(void)state;
	assert_int_equal(
		ear_address_parse(&address, "count", 5, names, NULL, message), EAR_E_BAD_ARGUMENT);
	assert_non_null(strstr(message, "'count' is the name of 2 symbols: 0x"));
	assert_int_equal(
		ear_address_parse(&address, "other.c::count", 14, names, NULL, message), 0);
	assert_int_equal(
		ear_address_parse(&address, "other.c::other", 14, names, NULL, message), 0);
	assert_int_equal(address.kind, EAR_ADDRESS_SYMBOL);
	ear_names_close(names);
	names = open_names("box.elf");
	assert_int_equal(ear_address_parse(&address, "ns::box::take", 13, names, NULL, message),
		EAR_E_BAD_ARGUMENT);
	assert_non_null(strstr(message, "ns::box::take(char const*) const at 0x"));
	uint64_t take = symbol_of(names, "_ZN2ns3box4takeEi")->address;
	expect(names, "ns::box::take(int)+4", take + 4, take + 4, true);
	ear_names_close(names);
}

static void what_is_wrong_is_said_with_a_suggestion(void **state)
{
	struct ear_names *names = open_names("plain.elf");

	(void)state;
	expect_error(names, "main:0", "'main:0': the size is 0");
	expect_error(names, "main:0xffffffffffffffff",
		"'main:0xffffffffffffffff': the range goes over the last address");
	expect_error(names, "man",
		"'man' is neither a number nor a symbol of " NAMES_PROGRAMS
		"/plain.elf; did you mean main?");
	expect_error(names, "man+4",
		"'man+4' is neither a number nor a symbol of " NAMES_PROGRAMS
		"/plain.elf; did you mean main?");
	expect_error(names, "nothing_like_it",
		"'nothing_like_it' is neither a number nor a symbol of " NAMES_PROGRAMS
		"/plain.elf");
	expect_error(names, "*list", "'*list': it depends on the moment");
	expect_error(names, ".bsss",
		"'.bsss' is neither a number nor a symbol of " NAMES_PROGRAMS "/plain.elf");
	ear_names_close(names);
}

/* sp is 0x1000, a0 is not known; main is a symbol, too. */
static int read_named(void *context, const char *name, uint64_t *value)
{
	(void)context;
	if (strcmp(name, "a0") == 0)
		return 0;
	if (strcmp(name, "sp") != 0 && strcmp(name, "main") != 0)
		return -1;
	*value = 0x1000;
	return 1;
}

static bool read_no_register(void *context, unsigned number, uint64_t *value)
{
	(void)context;
	(void)number;
	(void)value;
	return false;
}

static bool read_no_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	(void)context;
	(void)address;
	(void)bytes;
	memset(known, 0, size);
	return false;
}

static int parse_at(struct ear_address *address, const char *text, struct ear_names *names,
	char message[EAR_ADDRESS_MESSAGE_MAX])
{
	const struct ear_moment_view moment = {.size = sizeof(moment),
		.pc = UINT64_MAX,
		.read_register = read_no_register,
		.read_memory = read_no_memory,
		.read_named = read_named};

	*address = (struct ear_address){.size = sizeof(*address)};
	return ear_address_parse(address, text, strlen(text), names, &moment, message);
}

static void a_register_points_to_an_address(void **state)
{
	static const struct {
		const char *text;
		uint64_t first, last;
	} good[] = {{"sp", 0x1000, 0x1000}, {"sp:32", 0x1000, 0x101f}, {"sp+16:32", 0x1010, 0x102f},
		{"sp-16:0x10", 0xff0, 0xfff}, {"sp+4", 0x1004, 0x1004}, {"$sp:1", 0x1000, 0x1000}};
	static const struct {
		const char *text, *message;
	} bad[] = {{"a0:64", "'a0': what this register holds is not known at this moment"},
		{"$a0+4", "'a0': what this register holds is not known at this moment"},
		{"sp:0", "'sp:0': the size is 0"}};
	struct ear_names *names = open_names("plain.elf");
	struct ear_address address;
	char message[EAR_ADDRESS_MESSAGE_MAX];

	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(good); i++) {
		size_t at = i / 2;
		assert_int_equal(
			parse_at(&address, good[at].text, i % 2 ? names : NULL, message), 0);
		assert_int_equal(address.kind, EAR_ADDRESS_REGISTER);
		assert_int_equal(address.ranges[0].first, good[at].first);
		assert_int_equal(address.ranges[0].last, good[at].last);
	}
	for (size_t i = 0; i < 2 * COUNT_OF(bad); i++) {
		size_t at = i / 2;
		assert_int_equal(parse_at(&address, bad[at].text, i % 2 ? names : NULL, message),
			EAR_E_BAD_ARGUMENT);
		assert_string_equal(message, bad[at].message);
	}
	assert_int_equal(parse_at(&address, "nix:4", NULL, message), EAR_E_BAD_ARGUMENT);
	assert_string_equal(message, "'nix:4' is neither a number nor a symbol (no ELF given)");
	/* What the program has comes first. */
	assert_int_equal(parse_at(&address, "main:4", names, message), 0);
	assert_int_equal(address.kind, EAR_ADDRESS_SYMBOL);
	assert_int_equal(address.ranges[0].first, symbol_of(names, "main")->address);
	assert_int_equal(parse_at(&address, "$main:4", names, message), 0);
	assert_int_equal(address.kind, EAR_ADDRESS_REGISTER);
	assert_int_equal(address.ranges[0].last, 0x1003);
	ear_names_close(names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_need_no_names),
		cmocka_unit_test(names_have_offsets_and_sizes),
		cmocka_unit_test(sections_and_lines_are_addresses),
		cmocka_unit_test(a_name_of_several_symbols_is_refused),
		cmocka_unit_test(what_is_wrong_is_said_with_a_suggestion),
		cmocka_unit_test(a_register_points_to_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
