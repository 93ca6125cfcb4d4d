/* How many instructions of each class a trace has, read in batches.
 *
 *     cc classes.c $(pkg-config --cflags --libs earshot) && ./a.out run.shot
 */
#include <inttypes.h>
#include <stdio.h>

#include <earshot/earshot.h>

int main(int argc, char **argv)
{
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	struct ear_instructions *instructions;
	uint64_t counts[EAR_CLASS_VECTOR + 1] = {0};
	struct ear_trace *trace;
	struct ear_batch batch = {.size = sizeof(batch)};
	int result;

	if (argc != 2) {
		fprintf(stderr, "usage: classes TRACE\n");
		return 2;
	}
	options.error = error;
	if (ear_trace_open(&trace, argv[1], &options) != 0) {
		fprintf(stderr, "classes: %s\n", error);
		return 1;
	}
	if (ear_instructions_new(&instructions, NULL, NULL) != 0)
		return 1;
	while ((result = ear_trace_next_batch(trace, &batch)) == 1)
		for (size_t i = 0; i < batch.count; i++) {
			const struct ear_record *record = ear_batch_record(&batch, i);
			if (record->kind != EAR_RECORD_INSTRUCTION)
				continue;
			ear_instruction_of(instructions, &instruction, record);
			counts[instruction.instruction_class]++;
		}
	if (result < 0)
		fprintf(stderr, "classes: %s\n", ear_trace_error(trace));
	for (unsigned i = 0; i <= EAR_CLASS_VECTOR; i++)
		if (counts[i] > 0)
			printf("%-8s %" PRIu64 "\n", ear_instruction_class_name(i), counts[i]);
	ear_instructions_free(instructions);
	ear_trace_close(trace);
	return result < 0;
}
