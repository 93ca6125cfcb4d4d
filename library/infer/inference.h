#ifndef EAR_INFERENCE_H
#define EAR_INFERENCE_H

#include <earshot/infer.h>

#include "library/infer/infer_core.h"
#include "library/infer/infer_layer.h"
#include "library/infer/infer_program.h"

/* What the layers over the readers of a trace share: the options of the inference, with all that
 * they point to. */
struct ear_inference {
	struct infer_options options;
	struct infer_program program;
	struct infer_core core;
	struct ear_infer_counts counts; /* of the reader of ear_trace_next */
	struct infer_layer_use reading_use, asking_use;
	struct ear_source_layers reading, asking;
};

#define EAR_INFERENCE_FAULT 512

/* devices must stay. Returns 0 and *inference, to be freed; or an error as ear_trace_infer, and a
 * sentence in fault. */
int ear_inference_new(struct ear_inference **inference, const struct ear_infer_options *options,
	const struct ear_span *devices, size_t device_count, char fault[EAR_INFERENCE_FAULT]);

/* NULL is fine. After the layers. */
void ear_inference_free(struct ear_inference *inference);

#endif
