#ifndef EAR_INFER_RUN_H
#define EAR_INFER_RUN_H

#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/output/outputs.h"
#include "library/infer/inference.h"

#define INFER_RANGES_MAX 256

/* What 'earshot infer' is asked for. */
struct infer_request {
	struct source_input input;
	struct symbol_file symbols;
	struct outputs outputs;
	const char *output;
	struct ear_infer_options options;
	struct ear_span ram[INFER_RANGES_MAX], devices[INFER_RANGES_MAX];
	size_t device_count;
	struct ear_inference *inference;
	bool no_summary;
};

/* Returns an exit status. Everything is closed. */
int infer_run(struct infer_request *request);

#endif
