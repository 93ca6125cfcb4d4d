/* Device names with options, taken apart. */
#include "check.h"

#include <earshot/error.h>
#include <string.h>

#include "driver/link/device_name.h"

static const char *const known[] = {"baud", "flow", "a", "b", "c", NULL};

static void a_name_is_its_path_and_its_options(void **state)
{
	struct ear_device_name name;
	struct ear_report report;

	(void)state;
	assert_int_equal(
		ear_device_name_parse(&name, "uart:/dev/x,baud=9600,flow=", known, &report), 0);
	assert_string_equal(name.what, "/dev/x");
	assert_string_equal(ear_device_name_option(&name, "baud"), "9600");
	assert_string_equal(ear_device_name_option(&name, "flow"), "");
	assert_null(ear_device_name_option(&name, "a"));
	assert_int_equal(ear_device_name_parse(&name, "uart:", known, &report), 0);
	assert_string_equal(name.what, "");
	assert_int_equal(name.option_count, 0);
	/* A value may hold all but a comma. */
	assert_int_equal(ear_device_name_parse(&name, "tcp:[::1]:7,a=b=c:d", known, &report), 0);
	assert_string_equal(name.what, "[::1]:7");
	assert_string_equal(ear_device_name_option(&name, "a"), "b=c:d");
}

static void what_is_no_option_is_quoted(void **state)
{
	static const struct {
		const char *device, *text;
	} rows[] = {
		{"uart:x,parity=even", "'parity=even' is not an option of this device"},
		{"uart:x,", "'' is not an option"},
		{"uart:x,,a=1", "'' is not an option"},
		{"uart:x,baud", "'baud' is not an option"},
		{"uart:x,baud,a=1", "'baud' is not an option"}, /* the equals sign is not its own */
		{"uart:x,bau=1", "'bau=1' is not an option"},
		{"uart:x,=1", "'=1' is not an option"},
		{"uart:x,a=1,b=2,c=3,a=4,b=5", "'b=5' is not an option"}, /* one too many */
		{"uart:x,longer-than-any-key=1", "'longer-than-any-key=1' is not an option"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_device_name name;
		struct ear_report report = {""};

		assert_int_equal(ear_device_name_parse(&name, rows[i].device, known, &report),
			EAR_E_BAD_ARGUMENT);
		assert_contains(report.text, rows[i].text);
	}
}

/* From one byte that fits to one that does not. */
static void a_name_that_is_too_long_is_refused(void **state)
{
	struct ear_device_name name;
	struct ear_report report;
	char device[2 * sizeof(name.what)] = "uart:";

	(void)state;
	memset(device + 5, 'x', sizeof(name.what) - 1);
	assert_int_equal(ear_device_name_parse(&name, device, known, &report), 0);
	assert_int_equal(strlen(name.what), sizeof(name.what) - 1);
	device[strlen(device)] = 'x';
	assert_int_equal(ear_device_name_parse(&name, device, known, &report), EAR_E_BAD_ARGUMENT);
	assert_contains(report.text, "this name is too long");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_its_path_and_its_options),
		cmocka_unit_test(what_is_no_option_is_quoted),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
