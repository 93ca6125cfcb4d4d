/* The table of transports: names that it knows, and whose arrival can be waited for. */
#include <earshot/error.h>

#include "check.h"

#include "driver/base/clock.h"
#include "driver/transports.h"

static void a_name_of_no_transport_is_refused_with_the_list(void **state)
{
	static const char *const names[] = {"", "usb", "USB:", "/dev/ttyUSB0", "serial:x"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct ear_transport *transport;
		struct ear_report report = {""};

		assert_int_equal(
			ear_transport_open(&transport, names[i], &report), EAR_E_BAD_ARGUMENT);
		assert_null(transport);
		assert_contains(report.text, "not a device name (they begin with sim:, usb:");
		assert_null(ear_transport_arrivals(names[i]));
	}
}

static void nothing_is_opened_after_an_interrupt(void **state)
{
	struct ear_transport *transport;
	struct ear_report report;

	(void)state;
	ear_transport_interrupt(true);
	assert_int_equal(
		ear_transport_open(&transport, "file:/dev/null", &report), EAR_E_NO_DEVICE);
	ear_transport_interrupt(false);
	assert_contains(report.text, "file:/dev/null: interrupted before it was opened");
	assert_null(transport);
	assert_int_equal(ear_transport_open(&transport, "file:/dev/null", &report), 0);
	ear_transport_close(transport);
}

/* A board over TCP, a file or a simulation is never plugged in: waiting only takes time. */
static void without_arrivals_a_wait_takes_its_time(void **state)
{
	static const char *const names[] = {"tcp:host:7", "file:x", "sim:x.elf"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_null(ear_transport_arrivals(names[i]));
	uint64_t begin_ms = ear_clock_ms();
	assert_false(ear_arrivals_wait(NULL, 30));
	assert_at_least(ear_clock_ms() - begin_ms, 29u);
	ear_arrivals_close(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_of_no_transport_is_refused_with_the_list),
		cmocka_unit_test(nothing_is_opened_after_an_interrupt),
		cmocka_unit_test(without_arrivals_a_wait_takes_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
