/* Which task each record is of. */
#include "check.h"

#include <stdio.h>

#include "common/protocol/event_port.h"
#include "library/tasks/task_follower.h"

static uint64_t next_index;

static struct ear_task_follower *new_follower(uint64_t first_index)
{
	struct ear_task_follower *follower = NULL;

	next_index = first_index;
	assert_int_equal(ear_task_follower_new(&follower), 0);
	return follower;
}

static int run(struct ear_task_follower *follower, uint16_t hart)
{
	struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION, .hart = hart, .index = next_index++};

	return ear_task_follower_push(follower, &record);
}

static int report_of(struct ear_task_follower *follower, uint16_t hart, const char *name)
{
	struct ear_record record = {.kind = EAR_RECORD_EVENT, .hart = hart, .index = next_index};

	record.u.event.name = (struct ear_text){name, strlen(name)};
	return ear_task_follower_push(follower, &record);
}

static int report(struct ear_task_follower *follower, const char *name)
{
	return report_of(follower, 0, name);
}

static int register_event(struct ear_task_follower *follower, uint8_t source, uint32_t value)
{
	struct ear_record record = {.kind = EAR_RECORD_EVENT, .index = next_index};

	record.u.event.source = source;
	record.u.event.value = value;
	return ear_task_follower_push(follower, &record);
}

/* name NULL: that of the task is not known. */
static void check(
	const struct ear_task_follower *follower, uint16_t hart, uint64_t pid, const char *name)
{
	struct ear_task task;

	if (!ear_task_follower_get(follower, hart, &task))
		fail_msg("the task of hart %u is not known", hart);
	assert_int_equal(task.pid, pid);
	assert_same(task.name.text != NULL, name != NULL);
	if (name && (task.name.size != strlen(name) ||
			    memcmp(task.name.text, name, task.name.size) != 0))
		fail_msg("'%.*s' is not '%s'", (int)task.name.size, task.name.text, name);
}

static void check_unknown(const struct ear_task_follower *follower, uint16_t hart)
{
	struct ear_task task;

	assert_false(ear_task_follower_get(follower, hart, &task));
}

static void before_the_first_switch_it_is_task_0(void **state)
{
	struct ear_task_follower *follower = new_follower(0);

	(void)state;
	check_unknown(follower, 0);
	assert_int_equal(run(follower, 0), 1);
	check(follower, 0, 0, NULL);
	assert_int_equal(run(follower, 0), 0);
	assert_int_equal(ear_task_follower_events(follower), 0);
	assert_int_equal(report(follower, "switch 7"), 1);
	check(follower, 0, 7, NULL);
	assert_int_equal(report(follower, "switch 7"), 0);
	assert_int_equal(ear_task_follower_events(follower), 2);
	ear_task_follower_free(follower);
}

static void a_trace_from_the_middle_begins_with_an_unknown_task(void **state)
{
	struct ear_task_follower *follower = new_follower(5000);

	(void)state;
	run(follower, 0);
	check_unknown(follower, 0);
	assert_int_equal(report(follower, "exec /bin/sh"), 0);
	check_unknown(follower, 0);
	assert_int_equal(report(follower, "method-enter 3 0x42000100"), 1);
	check(follower, 0, 3, NULL);
	ear_task_follower_free(follower);
}

static void a_task_has_the_name_that_came_last(void **state)
{
	struct ear_task_follower *follower = new_follower(0);

	(void)state;
	report(follower, "process 4 4 init");
	report(follower, "switch 4");
	check(follower, 0, 4, "init");
	assert_int_equal(report(follower, "exec /bin/a\\x20b -x"), 1);
	check(follower, 0, 4, "/bin/a b");
	report(follower, "name 4 \"\"");
	check(follower, 0, 4, "");
	report(follower, "exec");
	check(follower, 0, 4, "");
	ear_task_follower_free(follower);
}

static void a_child_has_the_name_of_its_parent(void **state)
{
	struct ear_task_follower *follower = new_follower(0);
	struct ear_task task;

	(void)state;
	report(follower, "process 4 4 init");
	report(follower, "switch 4");
	report(follower, "fork 5 5");
	report(follower, "clone 4 6");
	report(follower, "name 4 other");
	report(follower, "switch 5");
	check(follower, 0, 5, "init");
	report(follower, "switch 6");
	check(follower, 0, 6, "init");
	assert_true(ear_task_follower_find(follower, 6, &task));
	assert_true(task.has_group);
	assert_int_equal(task.group, 4);
	assert_false(ear_task_follower_find(follower, 7, &task));
	/* A number that is given again is another task. */
	report(follower, "switch 4");
	report(follower, "fork 5 5");
	report(follower, "switch 5");
	check(follower, 0, 5, "other");
	ear_task_follower_free(follower);
}

static void each_hart_runs_a_task_of_its_own(void **state)
{
	struct ear_task_follower *follower = new_follower(0);

	(void)state;
	report_of(follower, 0, "switch 1");
	assert_int_equal(report_of(follower, 3, "switch 2"), 1);
	check(follower, 0, 1, NULL);
	check_unknown(follower, 1);
	check(follower, 3, 2, NULL);
	report_of(follower, 3, "name 1 one");
	check(follower, 0, 1, "one");
	ear_task_follower_free(follower);
}

static void where_events_may_be_missing_the_task_is_unknown(void **state)
{
	struct ear_task_follower *follower = new_follower(0);
	struct ear_record gap = {.kind = EAR_RECORD_GAP};

	(void)state;
	report(follower, "switch 1");
	gap.u.gap.reason = EAR_GAP_UNIT_FIFO; /* its events came */
	assert_int_equal(ear_task_follower_push(follower, &gap), 0);
	check(follower, 0, 1, NULL);
	gap.u.gap.reason = EAR_GAP_MISSING_FRAME;
	assert_int_equal(ear_task_follower_push(follower, &gap), 1);
	check_unknown(follower, 0);
	report(follower, "switch 1");
	check(follower, 0, 1, NULL);
	assert_int_equal(register_event(follower, EAR_EVENT_PORT_LOST, 3), 1);
	check_unknown(follower, 0);
	next_index = 100;
	report(follower, "switch 1");
	register_event(follower, EAR_EVENT_START_TRIGGER, 0);
	check_unknown(follower, 0);
	ear_task_follower_free(follower);
}

static void a_switch_at_the_event_port_is_one(void **state)
{
	struct ear_task_follower *follower = new_follower(9);

	(void)state;
	run(follower, 0);
	assert_int_equal(register_event(follower, EAR_EVENT_REGISTER + EAR_PORT_SWITCH, 12), 1);
	check(follower, 0, 12, NULL);
	assert_int_equal(register_event(follower, EAR_EVENT_REGISTER + EAR_PORT_TGID, 13), 0);
	check(follower, 0, 12, NULL);
	ear_task_follower_free(follower);
}

static void any_number_of_tasks_is_followed(void **state)
{
	struct ear_task_follower *follower = new_follower(0);
	char name[64];

	(void)state;
	for (unsigned i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "name %u task%u", i * 4099, i);
		assert_int_equal(report(follower, name), 1);
	}
	report(follower, "switch 40990");
	check(follower, 0, 40990, "task10");
	report(follower, "switch 286925901"); /* beyond what is kept */
	check(follower, 0, 286925901, NULL);
	ear_task_follower_free(follower);
}

static void a_long_name_is_cut(void **state)
{
	struct ear_task_follower *follower = new_follower(0);
	char name[5000];
	struct ear_task task;

	(void)state;
	memset(name, 'x', sizeof(name));
	memcpy(name, "name 0 ", 7);
	name[sizeof(name) - 1] = '\0';
	report(follower, name);
	assert_true(ear_task_follower_get(follower, 0, &task));
	assert_int_equal(task.name.size, EAR_TASK_NAME_MAX);
	ear_task_follower_free(follower);
}

static bool is(uint64_t pid, const char *name, const char *text)
{
	struct ear_task task = {.pid = pid, .name = {name, name ? strlen(name) : 0}};
	struct ear_task_wanted wanted = ear_task_wanted(text);

	return ear_task_is(&task, &wanted);
}

static void a_task_is_asked_for_by_number_name_or_the_end_of_a_path(void **state)
{
	(void)state;
	assert_true(is(12, NULL, "12"));
	assert_true(is(12, NULL, "012"));
	assert_false(is(12, NULL, "1"));
	assert_false(is(0, NULL, ""));
	assert_true(is(3, "12", "12"));
	assert_true(is(3, "init", "init"));
	assert_false(is(3, "init", "nit"));
	assert_false(is(3, "init", "initd"));
	assert_true(is(3, "/bin/init", "init"));
	assert_true(is(3, "/bin/init", "bin/init"));
	assert_true(is(3, "/bin/init", "/bin/init"));
	assert_false(is(3, "/bin/init", "/init"));
	assert_false(is(3, "/bin/", ""));
	assert_false(is(0, NULL, "18446744073709551616"));
	assert_true(is(UINT64_MAX, NULL, "18446744073709551615"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_the_first_switch_it_is_task_0),
		cmocka_unit_test(a_trace_from_the_middle_begins_with_an_unknown_task),
		cmocka_unit_test(a_task_has_the_name_that_came_last),
		cmocka_unit_test(a_child_has_the_name_of_its_parent),
		cmocka_unit_test(each_hart_runs_a_task_of_its_own),
		cmocka_unit_test(where_events_may_be_missing_the_task_is_unknown),
		cmocka_unit_test(a_switch_at_the_event_port_is_one),
		cmocka_unit_test(any_number_of_tasks_is_followed),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(a_task_is_asked_for_by_number_name_or_the_end_of_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
