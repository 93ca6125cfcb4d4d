/* Inferring values of a trace: the layer of library/infer over its readers. Those that answer
 * questions have what was inferred among the values of their records, so that followers know it;
 * the one of ear_trace_next has it apart.
 */
#include <earshot/infer.h>

#include "common/versioned.h"
#include "library/api/trace_internal.h"
#include "library/infer/inference.h"

static int start(struct ear_trace *trace, struct ear_infer_options *options)
{
	char fault[EAR_INFERENCE_FAULT];

	options->traps = options->traps || infer_layer_shows_traps(trace->reading.source);
	int result = ear_inference_new(&trace->inference, options, trace->options.devices,
		trace->options.device_count, fault);
	if (result)
		return ear_trace_fail(trace, result, "%s", fault);
	result = ear_source_set_layers(trace->reading.source, &trace->inference->reading);
	if (result == 0)
		return 0;
	(void)ear_source_set_layers(trace->reading.source, NULL);
	ear_inference_free(trace->inference);
	trace->inference = NULL;
	return ear_trace_fail(trace, result, "%s", ear_error_text(result));
}

int ear_trace_infer(struct ear_trace *trace, const struct ear_infer_options *options)
{
	struct ear_infer_options own;

	if (ear_versioned_read(&own, sizeof(own), options))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the size of the options is none, or they are of a newer version");
	if (trace->inference || trace->reading.position > 0 || trace->asking.source)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"values are inferred from the beginning of a trace, before it is read");
	int result = start(trace, &own);
	if (result)
		return result;
	trace->reading.layers = &trace->inference->reading;
	trace->asking.layers = &trace->inference->asking;
	trace->options.index = EAR_INDEX_NONE;
	ear_index_close(trace->index);
	trace->index = NULL;
	trace->reading.index = trace->asking.index = NULL;
	return 0;
}

int ear_trace_infer_counts(const struct ear_trace *trace, struct ear_infer_counts *counts)
{
	if (!trace->inference)
		return EAR_E_BAD_ARGUMENT;
	return ear_versioned_write(counts, &trace->inference->counts, sizeof(*counts));
}
