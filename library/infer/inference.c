/* The options of an inference, from what a user of the library gives: the image of the programs,
 * the ranges of memory, the core dump.
 */
#include "library/infer/inference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

static int read_core(struct ear_inference *made, const char *path, char fault[EAR_INFERENCE_FAULT])
{
	int result = path ? ear_infer_core_read(&made->core, path) : 0;

	if (result)
		snprintf(fault, EAR_INFERENCE_FAULT, "%s: %s", path,
			result == EAR_E_BAD_FILE ? "it is not a whole core dump of RISC-V"
			: result == EAR_E_FULL   ? "it is too large"
			: result == EAR_E_IO     ? strerror(errno)
						 : ear_error_text(result));
	return result;
}

static int add_memory(struct ear_inference *made, const struct ear_infer_options *options,
	char fault[EAR_INFERENCE_FAULT])
{
	const struct ear_infer_snapshot *snapshot = &made->core.snapshot;
	int result = options->names ? infer_program_add(&made->program, options->names) : 0;

	for (size_t i = 0; i < options->ram_count && result == 0; i++)
		result = infer_program_add_ram(&made->program, options->ram[i].first,
			options->ram[i].last - options->ram[i].first + 1);
	for (size_t i = 0; i < snapshot->memory_count && result == 0; i++)
		result = infer_program_add_ram(
			&made->program, snapshot->memory[i].address, snapshot->memory[i].size);
	if (result)
		snprintf(fault, EAR_INFERENCE_FAULT, "%s",
			result == EAR_E_FULL
				? "the programs are too large, or have too many ranges of memory"
			: result == EAR_E_IO ? "a segment of a program cannot be read"
					     : ear_error_text(result));
	return result;
}

int ear_inference_new(struct ear_inference **inference, const struct ear_infer_options *options,
	const struct ear_span *devices, size_t device_count, char fault[EAR_INFERENCE_FAULT])
{
	struct ear_inference *made = calloc(1, sizeof(*made));

	if (!made) {
		snprintf(fault, EAR_INFERENCE_FAULT, "out of memory");
		return EAR_E_NO_MEMORY;
	}
	int result = read_core(made, options->core, fault);
	if (result == 0)
		result = add_memory(made, options, fault);
	if (result) {
		ear_inference_free(made);
		return result;
	}
	made->options = (struct infer_options){.image = made->program.segments,
		.image_count = made->program.segment_count,
		.ram = made->program.ram,
		.ram_count = made->program.ram_count,
		.devices = devices,
		.device_count = device_count,
		.reset = options->reset,
		.shared = options->shared,
		.shows_traps = options->traps,
		.snapshot = options->core ? &made->core.snapshot : NULL};
	made->reading_use = (struct infer_layer_use){&made->options, false, &made->counts};
	made->asking_use = (struct infer_layer_use){&made->options, true, NULL};
	made->reading = (struct ear_source_layers){infer_layer_make, &made->reading_use};
	made->asking = (struct ear_source_layers){infer_layer_make, &made->asking_use};
	*inference = made;
	return 0;
}

void ear_inference_free(struct ear_inference *inference)
{
	if (!inference)
		return;
	infer_program_fini(&inference->program);
	ear_infer_core_fini(&inference->core);
	free(inference);
}
