/* What a capture's configuration asks of a unit, and which registers it becomes. */
#include "check.h"

#include <earshot/error.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"
#include "driver/session/capture_config.h"
#include "driver/session/control_channel.h"

static const struct ear_identity full = {.xlen = 32, .nret = 1, .features = 0x7F};
static const struct ear_identity wide = {.xlen = 64, .nret = 1, .features = 0x7F};
static const struct ear_identity bare = {.xlen = 32, .nret = 1, .features = 0};

/* The value written last to a register; fails if there is none. */
static uint32_t value_of(const struct ear_register_write *writes, size_t count, uint16_t address)
{
	for (size_t i = count; i-- > 0;)
		if (writes[i].address == address)
			return writes[i].value;
	fail_msg("register 0x%03X is not written", address);
	return 0;
}

static void the_default_captures_everything_and_suits_any_unit(void **state)
{
	struct ear_capture_config config;
	struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX];
	struct ear_report report;

	(void)state;
	ear_capture_config_init(&config);
	assert_int_equal(ear_capture_config_check(&config, &full, &report), 0);
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), 0);
	assert_int_equal(ear_capture_config_writes(writes, &config, &bare), 0);
	size_t count = ear_capture_config_writes(writes, &config, &full);
	assert_int_equal(count, 3); /* what an earlier capture may have left is cleared */
	assert_int_equal(value_of(writes, count, EAR_REG_FILTER), 0xF00);
	assert_int_equal(value_of(writes, count, EAR_REG_START), 0);
	assert_int_equal(value_of(writes, count, EAR_REG_STOP), 0);
}

static void policy_auto_stalls_if_the_unit_can(void **state)
{
	struct ear_capture_config config;

	(void)state;
	ear_capture_config_init(&config);
	assert_int_equal(ear_capture_config_control(&config, &full), 1);
	assert_int_equal(ear_capture_config_control(&config, &bare), 3);
	config.policy = EAR_POLICY_DROP;
	config.time_mode = EAR_TIME_MODE_RECORD;
	assert_int_equal(ear_capture_config_control(&config, &full), 3 | 2 << 2);
	config.policy = EAR_POLICY_STALL;
	assert_int_equal(ear_capture_config_control(&config, &full), 1 | 2 << 2);
}

static void a_missing_feature_is_named(void **state)
{
	struct ear_capture_config config;
	struct ear_report report;

	(void)state;
	ear_capture_config_init(&config);
	config.policy = EAR_POLICY_STALL;
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), EAR_E_UNSUPPORTED);
	assert_contains(report.text, "stall");

	ear_capture_config_init(&config);
	config.time_mode = EAR_TIME_MODE_SYNC;
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), EAR_E_UNSUPPORTED);
	assert_contains(report.text, "time");

	ear_capture_config_init(&config);
	config.modes = 1 << 3;
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), EAR_E_UNSUPPORTED);
	assert_contains(report.text, "filter");

	ear_capture_config_init(&config);
	config.stop.kind = EAR_TRIGGER_PC;
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), EAR_E_UNSUPPORTED);
	assert_contains(report.text, "trigger");

	ear_capture_config_init(&config);
	config.must_reset = true;
	assert_int_equal(ear_capture_config_check(&config, &bare, &report), EAR_E_UNSUPPORTED);
	assert_contains(report.text, "reset");
	assert_int_equal(ear_capture_config_check(&config, &full, &report), 0);
}

static void an_address_has_no_more_bits_than_the_core(void **state)
{
	static const uint64_t beyond = (uint64_t)1 << 32;
	struct ear_capture_config configs[4];
	struct ear_report report;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		ear_capture_config_init(&configs[i]);
	configs[0].ranges[3] =
		(struct ear_filter_range){EAR_FILTER_RANGE_EXCLUDE, beyond - 1, beyond};
	configs[1].start = (struct ear_trigger){.kind = EAR_TRIGGER_PC, .value = beyond};
	configs[2].stop = (struct ear_trigger){.kind = EAR_TRIGGER_ADDRESS, .mask = beyond};
	configs[3].stop = (struct ear_trigger){.kind = EAR_TRIGGER_ADDRESS_DATA, .mask = beyond};
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(
			ear_capture_config_check(&configs[i], &full, &report), EAR_E_BAD_ARGUMENT);
		assert_contains(report.text, "0x100000000");
		assert_int_equal(ear_capture_config_check(&configs[i], &wide, &report), 0);
	}

	/* Masks and counts may have all 64. */
	configs[0].ranges[3].last = beyond - 1;
	assert_int_equal(ear_capture_config_check(&configs[0], &full, &report), 0);
	configs[1].start = (struct ear_trigger){.kind = EAR_TRIGGER_PC, .mask = UINT64_MAX};
	assert_int_equal(ear_capture_config_check(&configs[1], &full, &report), 0);
	configs[2].stop = (struct ear_trigger){.kind = EAR_TRIGGER_RECORDS, .value = beyond};
	assert_int_equal(ear_capture_config_check(&configs[2], &full, &report), 0);
}

static void impossible_values_are_refused(void **state)
{
	struct ear_capture_config config;
	struct ear_report report;

	(void)state;
	ear_capture_config_init(&config);
	config.time_mode = 3;
	assert_int_equal(ear_capture_config_check(&config, &full, &report), EAR_E_BAD_ARGUMENT);
	ear_capture_config_init(&config);
	config.modes = 0;
	assert_int_equal(ear_capture_config_check(&config, &full, &report), EAR_E_BAD_ARGUMENT);
	ear_capture_config_init(&config);
	config.ranges[1] = (struct ear_filter_range){EAR_FILTER_RANGE_INCLUDE, 5, 4};
	assert_int_equal(ear_capture_config_check(&config, &full, &report), EAR_E_BAD_ARGUMENT);
	assert_contains(report.text, "range 1");
	config.ranges[1] = (struct ear_filter_range){3, 0, 4};
	assert_int_equal(ear_capture_config_check(&config, &full, &report), EAR_E_BAD_ARGUMENT);
	ear_capture_config_init(&config);
	config.start.kind = 8;
	assert_int_equal(ear_capture_config_check(&config, &full, &report), EAR_E_BAD_ARGUMENT);
}

static void filter_and_triggers_become_registers(void **state)
{
	struct ear_capture_config config;
	struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX];
	struct ear_report report;

	(void)state;
	ear_capture_config_init(&config);
	config.flush_cycles = 77;
	config.modes = 0x9;
	config.ranges[0] =
		(struct ear_filter_range){EAR_FILTER_RANGE_INCLUDE, 0x80000000, 0x80000FFF};
	config.ranges[3] = (struct ear_filter_range){
		EAR_FILTER_RANGE_EXCLUDE, 0x1122334455667788, 0xFFFFFFFFFFFFFFFF};
	config.start = (struct ear_trigger){.kind = EAR_TRIGGER_ADDRESS_DATA,
		.on_writes = true,
		.value = 0x100000002,
		.mask = 0x300000004,
		.data = 0x500000006,
		.data_mask = 0x700000008};
	config.stop = (struct ear_trigger){.kind = EAR_TRIGGER_RECORDS, .value = 1000};
	assert_int_equal(ear_capture_config_check(&config, &wide, &report), 0);

	static const struct ear_register_write wanted[] = {
		{EAR_REG_FLUSH_CYCLES, 77},
		{EAR_REG_FILTER, 0x900 | 1 | 2 << 6},
		{EAR_REG_RANGE0, 0x80000000},
		{EAR_REG_RANGE0 + 4, 0},
		{EAR_REG_RANGE0 + 8, 0x80000FFF},
		{EAR_REG_RANGE0 + 12, 0},
		{EAR_REG_RANGE3, 0x55667788},
		{EAR_REG_RANGE3 + 4, 0x11223344},
		{EAR_REG_RANGE3 + 8, 0xFFFFFFFF},
		{EAR_REG_RANGE3 + 12, 0xFFFFFFFF},
		{EAR_REG_START, 4 | 1 << 9},
		{EAR_REG_START + 0x08, 2},
		{EAR_REG_START + 0x0C, 1},
		{EAR_REG_START + 0x10, 4},
		{EAR_REG_START + 0x14, 3},
		{EAR_REG_START + 0x18, 6},
		{EAR_REG_START + 0x1C, 5},
		{EAR_REG_START + 0x20, 8},
		{EAR_REG_START + 0x24, 7},
		{EAR_REG_STOP, 6},
		{EAR_REG_STOP + 0x08, 1000},
	};
	size_t count = ear_capture_config_writes(writes, &config, &full);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_int_equal(value_of(writes, count, wanted[i].address), wanted[i].value);
	for (size_t i = 0; i < count; i++)
		assert_false(
			writes[i].address >= EAR_REG_RANGE1 && writes[i].address < EAR_REG_RANGE3);
}

static void the_largest_configuration_fits(void **state)
{
	struct ear_capture_config config;
	struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX];

	(void)state;
	ear_capture_config_init(&config);
	config.flush_cycles = 1;
	for (unsigned i = 0; i < EAR_FILTER_RANGE_COUNT; i++)
		config.ranges[i].mode = EAR_FILTER_RANGE_INCLUDE;
	config.start.kind = config.stop.kind = EAR_TRIGGER_PC;
	assert_at_most(ear_capture_config_writes(writes, &config, &full), EAR_CAPTURE_WRITE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_captures_everything_and_suits_any_unit),
		cmocka_unit_test(policy_auto_stalls_if_the_unit_can),
		cmocka_unit_test(a_missing_feature_is_named),
		cmocka_unit_test(an_address_has_no_more_bits_than_the_core),
		cmocka_unit_test(impossible_values_are_refused),
		cmocka_unit_test(filter_and_triggers_become_registers),
		cmocka_unit_test(the_largest_configuration_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
