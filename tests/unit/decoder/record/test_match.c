/* Conditions on single records, and changes of privilege from one to the next. */
#include "check.h"

#include "decoder/record/match.h"
#include "decoder/record/privilege_change.h"

static struct ear_record event_of(uint8_t source, const char *name, uint32_t value)
{
	struct ear_record record = {.kind = EAR_RECORD_EVENT};

	record.u.event.source = source;
	record.u.event.value = value;
	if (name)
		record.u.event.name = (struct ear_text){name, strlen(name)};
	return record;
}

static bool holds(const struct ear_match *match, struct ear_record record)
{
	return ear_match_record(match, &record);
}

static void an_event_is_asked_for_by_source_name_and_value(void **state)
{
	struct ear_match match;
	struct ear_record instruction = {.kind = EAR_RECORD_INSTRUCTION};

	(void)state;
	ear_match_init(&match);
	assert_false(holds(&match, event_of(1, NULL, 0)));
	match.events = true;
	assert_true(holds(&match, event_of(1, NULL, 0)));
	assert_false(holds(&match, instruction));
	match.has_event_source = true;
	match.event_source = 3;
	assert_false(holds(&match, event_of(1, NULL, 0)));
	assert_true(holds(&match, event_of(3, NULL, 7)));
	match.event_name = (struct ear_text){"port", 4};
	assert_true(holds(&match, event_of(3, NULL, 7)));
	assert_true(holds(&match, event_of(0, "port", 7)));
	assert_false(holds(&match, event_of(0, "ports", 7)));
	match.has_event_value = true;
	match.event_value = 8;
	assert_false(holds(&match, event_of(3, NULL, 7)));
	assert_true(holds(&match, event_of(3, NULL, 8)));
	match = (struct ear_match){.hart = 1, .events = true};
	assert_false(holds(&match, event_of(3, NULL, 8)));
}

static void the_value_is_that_of_the_access_that_meets_the_rest(void **state)
{
	struct ear_record_access accesses[] = {
		{.address = 0x100, .size = 4, .has_value = true, .value = 0x12345678},
		{.address = 0x200, .size = 4, .has_value = true, .value = 0x78, .write = true},
	};
	struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION, .memory = accesses, .memory_count = 2};
	struct ear_match match;

	(void)state;
	ear_match_init(&match);
	match.has_data = true;
	match.data = 0x78;
	match.data_mask = UINT64_MAX;
	assert_true(holds(&match, record));
	match.reads = true;
	assert_false(holds(&match, record));
	match.data_mask = 0xff;
	assert_true(holds(&match, record));
	accesses[0].unknown = 1;
	assert_false(holds(&match, record));
	accesses[0].unknown = 0x100;
	assert_true(holds(&match, record));
	accesses[0].has_value = false;
	assert_false(holds(&match, record));
}

static int pass(struct ear_privileges *privileges, enum ear_record_kind kind, uint16_t hart,
	unsigned privilege, uint32_t flags)
{
	struct ear_record record = {.kind = (uint8_t)kind,
		.hart = hart,
		.privilege = (uint8_t)privilege,
		.flags = flags};

	return ear_privileges_pass(privileges, &record);
}

static void a_change_of_privilege_is_one_of_the_same_hart(void **state)
{
	static struct ear_privileges privileges;

	(void)state;
	ear_privileges_reset(&privileges);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 0, EAR_PRIVILEGE_M, 0), -1);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 1, EAR_PRIVILEGE_U, 0), -1);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 0, EAR_PRIVILEGE_M, 0), 0);
	assert_int_equal(pass(&privileges, EAR_RECORD_EVENT, 0, EAR_PRIVILEGE_U, 0), 0);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 0, EAR_PRIVILEGE_U, 0), 1);
	assert_int_equal(pass(&privileges, EAR_RECORD_GAP, 0, 0, 0), 0);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 0, EAR_PRIVILEGE_M, 0), 0);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 1, EAR_PRIVILEGE_U,
				 EAR_RECORD_NO_PRIVILEGE),
		0);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 1, EAR_PRIVILEGE_M, 0), 0);
	assert_int_equal(pass(&privileges, EAR_RECORD_INSTRUCTION, 1, EAR_PRIVILEGE_S, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_asked_for_by_source_name_and_value),
		cmocka_unit_test(the_value_is_that_of_the_access_that_meets_the_rest),
		cmocka_unit_test(a_change_of_privilege_is_one_of_the_same_hart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
