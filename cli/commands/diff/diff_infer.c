/* Inferred values in a comparison: the inference is a layer over the side whose format has no
 * registers, and its records have what follows among their values. What does not follow is missing
 * there, which is no difference.
 */
#include "cli/commands/diff/diff_infer.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/commands/diff/diff_fields.h"
#include "common/plural.h"
#include "decoder/record/field.h"
#include "library/infer/inference.h"

#define INFERRED \
	(EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE))

static bool begin(struct diff *diff, unsigned side, struct ear_names *names)
{
	struct ear_infer_options options = diff->infer.infer;
	struct ear_source *source = diff->inputs[side].source;
	char fault[EAR_INFERENCE_FAULT];

	options.names = names;
	options.ram = diff->infer.ram;
	options.traps = options.traps || infer_layer_shows_traps(source);
	int result = ear_inference_new(&diff->inferences[side], &options, diff->infer.devices,
		diff->infer.device_count, fault);
	if (result) {
		cli_error("%s", fault);
		return false;
	}
	diff->inferences[side]->asking_use.counts = &diff->inferences[side]->counts;
	diff->inferred[side] = INFERRED;
	result = ear_source_set_layers(source, &diff->inferences[side]->asking);
	if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}

bool diff_infer_begin(struct diff *diff)
{
	struct symbol_file *symbols = &diff->symbols;
	bool any = false;

	if (!diff->infer.inferring)
		return true;
	struct ear_names *names =
		symbols->elf ? symbol_file_names(symbols) : symbol_file_own_names(symbols);
	if (symbols->elf && !names)
		return false;
	if (!names && !diff->quiet)
		cli_warning("no program is known: nothing of memory is known before the trace "
			    "shows it (--elf)");
	for (unsigned side = 0; side < 2; side++) {
		if (diff_carried(diff, side) & EAR_FIELD_BIT(EAR_FIELD_X_WRITE))
			continue;
		any = true;
		if (!begin(diff, side, names))
			return false;
	}
	if (!any)
		cli_error("--infer: both sides have registers");
	diff->options.unknown_equal = true;
	return any;
}

void diff_infer_end(struct diff *diff)
{
	for (unsigned side = 0; side < 2; side++)
		ear_inference_free(diff->inferences[side]);
}

static bool has_register(
	const struct ear_record_inferred *inferred, const struct ear_record_difference *difference)
{
	for (size_t i = 0; i < inferred->register_count; i++)
		if (inferred->registers[i].reg_class == difference->reg_class &&
			inferred->registers[i].number == difference->number)
			return true;
	return false;
}

bool diff_infer_marks(
	struct diff *diff, const struct ear_record_difference *difference, unsigned side)
{
	const struct ear_record *record = diff_record(diff, side, 0);
	const struct ear_record_inferred *inferred =
		record && record->extra ? record->extra->inferred : NULL;

	if (!diff->inferences[side] || !inferred || !(side ? difference->has_b : difference->has_a))
		return false;
	if (difference->field & (EAR_COMPARE_X | EAR_COMPARE_F))
		return has_register(inferred, difference);
	return difference->field & (EAR_COMPARE_ADDRESS | EAR_COMPARE_VALUE | EAR_COMPARE_SIZE) &&
	       inferred->memory_count > 0;
}

void diff_infer_summary(const struct diff *diff)
{
	for (unsigned side = 0; side < 2; side++) {
		if (!diff->inferences[side])
			continue;
		const struct ear_infer_counts *counts = &diff->inferences[side]->counts;
		printf("inferred in %c, of what was read: %" PRIu64 " of %" PRIu64
		       " registers written, %" PRIu64 " of %" PRIu64 " values loaded\n",
			'A' + (int)side, counts->writes_inferred, counts->writes,
			counts->loads_inferred, counts->loads);
	}
}

void diff_infer_json(const struct diff *diff, struct json *json)
{
	static const char *const names[] = {"inference_a", "inference_b"};

	for (unsigned side = 0; side < 2; side++) {
		if (!diff->inferences[side])
			continue;
		const struct ear_infer_counts *counts = &diff->inferences[side]->counts;
		json_open(json, names[side], '{');
		json_number(json, "writes", counts->writes);
		json_number(json, "writes_inferred", counts->writes_inferred);
		json_number(json, "loads", counts->loads);
		json_number(json, "loads_inferred", counts->loads_inferred);
		json_number(json, "contradictions", counts->contradictions);
		json_close(json, '}');
	}
}

void diff_infer_warn(const struct diff *diff)
{
	for (unsigned side = 0; side < 2 && !diff->quiet; side++) {
		if (!diff->inferences[side])
			continue;
		const struct ear_infer_counts *counts = &diff->inferences[side]->counts;
		const char *name = diff->inputs[side].name;
		if (counts->contradictions)
			cli_warning("%s: %" PRIu64 " time%s the trace shows something else than "
				    "what was inferred, first at index %" PRIu64
				    ": what was inferred before may be wrong (docs/infer.md)",
				name, counts->contradictions, ear_plural(counts->contradictions),
				counts->first_contradiction);
		if (counts->loads_unshared)
			cli_warning("%s: %" PRIu64 " load%s inferred before a second hart came, "
				    "which may have written there: give --shared",
				name, counts->loads_unshared, ear_plural(counts->loads_unshared));
		if (diff->ended && diff->infer.infer.core && counts->core == EAR_INFER_CORE_UNUSED)
			cli_warning("%s is not of the end of %s, and is not used",
				diff->infer.infer.core, name);
	}
}
