/* From what a user wants to registers. Checked in two steps: values that no unit could have, then
 * features that this unit lacks, so that a typing error is not reported as a missing feature.
 */
#include "driver/session/capture_config.h"

#include <assert.h>
#include <earshot/error.h>
#include <inttypes.h>
#include <string.h>

#include "common/protocol/ear_protocol.h"

void ear_capture_config_init(struct ear_capture_config *config)
{
	memset(config, 0, sizeof(*config));
	config->policy = EAR_POLICY_AUTO;
	config->time_mode = EAR_TIME_MODE_OFF;
	config->flush_cycles = EAR_FLUSH_CYCLES_KEEP;
	config->modes = 0xF;
}

static bool has_filter(const struct ear_capture_config *config)
{
	bool ranges = false;

	for (unsigned i = 0; i < EAR_FILTER_RANGE_COUNT; i++)
		ranges |= config->ranges[i].mode != EAR_FILTER_RANGE_OFF;
	return ranges || config->modes != 0xF;
}

static bool has_trigger(const struct ear_capture_config *config)
{
	return config->start.kind != EAR_TRIGGER_NONE || config->stop.kind != EAR_TRIGGER_NONE;
}

/* Values that no unit could have. */
static int check_values(const struct ear_capture_config *config, struct ear_report *report)
{
	if (config->time_mode > EAR_TIME_MODE_RECORD)
		return ear_report_set(
			report, EAR_E_BAD_ARGUMENT, "there is no time mode %u", config->time_mode);
	if (config->modes == 0 || config->modes > 0xF)
		return ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"the privilege mask 0x%X lets nothing pass", config->modes);
	for (unsigned i = 0; i < EAR_FILTER_RANGE_COUNT; i++) {
		const struct ear_filter_range *range = &config->ranges[i];

		if (range->mode > EAR_FILTER_RANGE_EXCLUDE)
			return ear_report_set(report, EAR_E_BAD_ARGUMENT,
				"range %u: there is no filter mode %u", i, range->mode);
		if (range->mode != EAR_FILTER_RANGE_OFF && range->first > range->last)
			return ear_report_set(
				report, EAR_E_BAD_ARGUMENT, "range %u ends before it begins", i);
	}
	if (config->start.kind > EAR_TRIGGER_PIN || config->stop.kind > EAR_TRIGGER_MISMATCH)
		return ear_report_set(report, EAR_E_BAD_ARGUMENT, "there is no %s trigger kind %u",
			config->start.kind > EAR_TRIGGER_PIN ? "start" : "stop",
			config->start.kind > EAR_TRIGGER_PIN ? config->start.kind
							     : config->stop.kind);
	return 0;
}

/* An address beyond 32 bits on a core of 32 bits: the unit would compare its lower half alone. */
static int check_addresses(const struct ear_capture_config *config, struct ear_report *report)
{
	const struct ear_trigger *const triggers[] = {&config->start, &config->stop};
	uint64_t highest = 0;

	for (unsigned i = 0; i < EAR_FILTER_RANGE_COUNT; i++)
		if (config->ranges[i].mode != EAR_FILTER_RANGE_OFF &&
			config->ranges[i].last > highest)
			highest = config->ranges[i].last;
	for (unsigned i = 0; i < 2; i++) {
		const struct ear_trigger *trigger = triggers[i];
		bool ranged = trigger->kind == EAR_TRIGGER_ADDRESS ||
			      trigger->kind == EAR_TRIGGER_ADDRESS_DATA;

		if ((ranged || trigger->kind == EAR_TRIGGER_PC) && trigger->value > highest)
			highest = trigger->value;
		if (ranged && trigger->mask > highest)
			highest = trigger->mask;
	}
	if (highest > UINT32_MAX)
		return ear_report_set(report, EAR_E_BAD_ARGUMENT,
			"the address 0x%" PRIX64 " is beyond the 32 bits of the unit's core",
			highest);
	return 0;
}

int ear_capture_config_check(const struct ear_capture_config *config,
	const struct ear_identity *identity, struct ear_report *report)
{
	struct {
		bool wanted;
		uint32_t feature;
		const char *text;
	} needs[] = {
		{config->policy == EAR_POLICY_STALL, EAR_REG_FEATURES_STALL_MASK,
			"policy stall (this core cannot be stalled)"},
		{config->time_mode != EAR_TIME_MODE_OFF, EAR_REG_FEATURES_TIME_MASK, "time"},
		{has_filter(config), EAR_REG_FEATURES_FILTER_MASK, "a filter"},
		{has_trigger(config), EAR_REG_FEATURES_TRIGGER_MASK, "triggers"},
		{config->stop.kind == EAR_TRIGGER_MISMATCH, EAR_REG_FEATURES_MISMATCH_MASK,
			"the trigger mismatch"},
		{config->must_reset, EAR_REG_FEATURES_CORE_MASK, "a reset of the core"},
	};
	int error = check_values(config, report);

	if (!error && identity->xlen == 32)
		error = check_addresses(config, report);
	if (error)
		return error;
	for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (needs[i].wanted && !(identity->features & needs[i].feature))
			return ear_report_set(report, EAR_E_UNSUPPORTED,
				"the unit was built without %s", needs[i].text);
	return 0;
}

/* A list of writes while it grows. */
struct write_list {
	struct ear_register_write *writes;
	size_t count;
};

static void add(struct write_list *list, unsigned address, uint32_t value)
{
	assert(list->count < EAR_CAPTURE_WRITE_MAX);
	list->writes[list->count++] = (struct ear_register_write){(uint16_t)address, value};
}

static void add64(struct write_list *list, unsigned address, uint64_t value)
{
	add(list, address, (uint32_t)value);
	add(list, address + 4, (uint32_t)(value >> 32));
}

static void add_filter(struct write_list *list, const struct ear_capture_config *config)
{
	uint32_t filter = (uint32_t)config->modes << EAR_REG_FILTER_MODES_SHIFT;

	for (unsigned i = 0; i < EAR_FILTER_RANGE_COUNT; i++) {
		const struct ear_filter_range *range = &config->ranges[i];
		unsigned address = EAR_REG_RANGE0 + i * (EAR_REG_RANGE1 - EAR_REG_RANGE0);

		if (range->mode == EAR_FILTER_RANGE_OFF)
			continue;
		filter |= (uint32_t)range->mode
			  << i * (EAR_REG_FILTER_RANGE1_SHIFT - EAR_REG_FILTER_RANGE0_SHIFT);
		add64(list, address, range->first);
		add64(list, address + 8, range->last);
	}
	add(list, EAR_REG_FILTER, filter);
}

static void add_trigger(
	struct write_list *list, unsigned address, const struct ear_trigger *trigger)
{
	uint32_t kind = trigger->kind;

	if (trigger->on_reads)
		kind |= EAR_TRIGGER_REG_KIND_READS_MASK;
	if (trigger->on_writes)
		kind |= EAR_TRIGGER_REG_KIND_WRITES_MASK;
	if (trigger->kind != EAR_TRIGGER_NONE) {
		add64(list, address + EAR_TRIGGER_REG_VALUE_LO, trigger->value);
		add64(list, address + EAR_TRIGGER_REG_MASK_LO, trigger->mask);
		add64(list, address + EAR_TRIGGER_REG_DATA_LO, trigger->data);
		add64(list, address + EAR_TRIGGER_REG_DATA_MASK_LO, trigger->data_mask);
	}
	add(list, address + EAR_TRIGGER_REG_KIND, kind);
}

size_t ear_capture_config_writes(struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX],
	const struct ear_capture_config *config, const struct ear_identity *identity)
{
	struct write_list list = {writes, 0};

	if (config->flush_cycles != EAR_FLUSH_CYCLES_KEEP)
		add(&list, EAR_REG_FLUSH_CYCLES, config->flush_cycles);
	if (identity->features & EAR_REG_FEATURES_FILTER_MASK)
		add_filter(&list, config);
	if (identity->features & EAR_REG_FEATURES_TRIGGER_MASK) {
		add_trigger(&list, EAR_REG_START, &config->start);
		add_trigger(&list, EAR_REG_STOP, &config->stop);
	}
	return list.count;
}

uint32_t ear_capture_config_control(
	const struct ear_capture_config *config, const struct ear_identity *identity)
{
	bool can_stall = identity->features & EAR_REG_FEATURES_STALL_MASK;
	bool drops = config->policy == EAR_POLICY_DROP ||
		     (config->policy == EAR_POLICY_AUTO && !can_stall);
	uint32_t control = EAR_REG_CONTROL_ENABLE_MASK;

	if (drops)
		control |= EAR_REG_CONTROL_DROP_MASK;
	return control | (uint32_t)config->time_mode << EAR_REG_CONTROL_TIME_MODE_SHIFT;
}
