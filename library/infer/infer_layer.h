#ifndef EAR_INFER_LAYER_H
#define EAR_INFER_LAYER_H

#include "library/infer/infer_types.h"
#include "library/source/source.h"

/* The inference as a layer over a source (ear_source_set_layers): the context of
 * infer_layer_make. */
struct infer_layer_use {
	const struct infer_options *options;
	/* What is inferred is in registers and memory of the records, too: for who follows state,
	 * which is to know it. extra->inferred says which it is in any case. */
	bool merged;
	struct ear_infer_counts *counts; /* of what was handed out; NULL: nobody asks */
};

/* Does a trace of this kind show each trap and each interrupt? Before any record was read. */
bool infer_layer_shows_traps(struct ear_source *source);

int infer_layer_make(struct ear_source_layer **layer, const void *context);

#endif
