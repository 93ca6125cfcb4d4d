#ifndef EAR_INFER_RUN_H
#define EAR_INFER_RUN_H

#include "cli/input/source_input.h"
#include "cli/input/symbol_file.h"
#include "cli/output/outputs.h"
#include "library/infer/infer_core.h"
#include "library/infer/infer_program.h"

#define INFER_DEVICES_MAX 32

/* What 'earshot infer' is asked for. */
struct infer_request {
	struct source_input input;
	struct symbol_file symbols;
	struct outputs outputs;
	const char *output, *core_path;
	struct infer_program program;
	struct infer_core core;
	struct ear_span devices[INFER_DEVICES_MAX];
	size_t device_count;
	bool reset, shared, traps, no_summary;
};

/* Returns an exit status. Everything is closed. */
int infer_run(struct infer_request *request);

#endif
