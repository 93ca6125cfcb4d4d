/* The conditions of a search, as they are typed. */
#include "check.h"

#include <string.h>

#include "cli/commands/browse/browse_query.h"

static struct browse_search parse(const char *text)
{
	char wrong[EAR_ADDRESS_MESSAGE_MAX] = "";
	struct browse_search search;

	memset(&search, 0, sizeof(search));
	if (!browse_search_parse(&search, text, NULL, NULL, wrong))
		fail_msg("%s: %s", text, wrong);
	assert_string_equal(search.text, text);
	return search;
}

static void each_condition_sets_its_members(void **state)
{
	(void)state;
	struct browse_search search = parse("pc=0x100-0x1ff");
	assert_int_equal(search.query.pc_count, 1);
	assert_int_equal(search.pcs.ranges[0].last, 0x1ff);
	search = parse("0x100");
	assert_int_equal(search.query.pc_count, 1);
	search = parse("addr=0x10+4 write data=5/0xff");
	assert_int_equal(search.query.address_count, 1);
	assert_int_equal(search.addresses.ranges[0].first, 0x10);
	assert_int_equal(search.query.accesses, EAR_QUERY_WRITE);
	assert_true(search.query.has_data);
	assert_int_equal(search.query.data_mask, 0xff);
	search = parse("reg=a5=0x10");
	assert_true(search.query.has_register && search.query.has_value);
	assert_int_equal(search.query.register_number, 15);
	assert_int_equal(search.query.register_value, 0x10);
	search = parse("--trap");
	assert_int_equal(search.query.traps, EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT);
	search = parse("trap=0x80000007");
	assert_int_equal(search.query.traps, EAR_QUERY_INTERRUPT);
	assert_int_equal(search.query.cause, 7);
	search = parse("gap");
	assert_int_equal(search.query.kinds, 1u << EAR_RECORD_GAP);
	search = parse("privilege=m,u mode-change hart=3");
	assert_int_equal(search.query.privileges, 1u << EAR_PRIVILEGE_M | 1u << EAR_PRIVILEGE_U);
	assert_true(search.query.privilege_change);
	assert_int_equal(search.query.hart, 3);
}

/* A query points into the search that it is in, wherever that was copied from. */
static void names_of_events_stay(void **state)
{
	(void)state;
	const struct browse_search search = parse("event=irq-5");

	assert_int_equal(search.query.event_name.size, 5);
	assert_memory_equal(search.query.event_name.text, "irq-5", 5);
	const struct browse_search twice = parse("event=tick hart=0");
	assert_memory_equal(twice.query.event_name.text, "tick", 4);
}

static void what_is_wrong_is_refused_and_changes_nothing(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "   ", "nonsense=1", "main", "pc", "pc=", "reg=q9",
		"reg=a0=x", "write=1", "data=", "trap=x", "hart=-1", "hart=99999", "privilege=q",
		"opcode=1/", "write nonsense", "event-value=0x100000000"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char wrong[EAR_ADDRESS_MESSAGE_MAX] = "";
		struct browse_search search = {.text = "before"};
		if (browse_search_parse(&search, texts[i], NULL, NULL, wrong))
			fail_msg("'%s' is taken", texts[i]);
		assert_string_equal(search.text, "before");
		assert_true(strlen(wrong) > 5);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_condition_sets_its_members),
		cmocka_unit_test(names_of_events_stay),
		cmocka_unit_test(what_is_wrong_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
