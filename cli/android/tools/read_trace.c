/* read_trace: each instruction that ran. */
#include <earshot/error.h>
#include <inttypes.h>

#include "cli/android/tools/code.h"
#include "cli/android/tools/tool_list.h"

#define NAME_WIDTH 30

static void print_name(
	FILE *out, const struct ear_android_run *run, const struct ear_android_instruction *at)
{
	const struct ear_android_symbol *function = run->function;
	uint32_t base = run->region ? run->region->base : 0;

	int width = fprintf(
		out, "%s+%02" PRIx32, function->name, at->address - base - function->address);
	if (run->symbol != function)
		width += fprintf(out, ": %s", run->symbol->name);
	fprintf(out, "%*s", width < NAME_WIDTH ? NAME_WIDTH - width + 1 : 1, "");
}

/* The original reads one time for two halfwords: what follows in the block has the one before. */
static void print_run(const struct ear_android_request *request,
	const struct ear_android_code *code, const struct ear_android_run *run)
{
	bool compatible = ear_android_trace_options(request->trace)->compatible;
	uint32_t number = 0;

	for (uint32_t entry = 0; entry < run->execution.entries; number++) {
		struct ear_android_instruction at =
			ear_android_code_at(code, &run->execution.block, entry);
		uint64_t time = run->times[compatible ? number : entry];
		entry += at.entries;
		if (time < request->start)
			continue;
		fprintf(request->out, "%" PRIu64 " p%-4" PRIu64 " ", time, run->task->own);
		ear_android_code_print_opcode(&at, code, request->out);
		fputc(' ', request->out);
		print_name(request->out, run, &at);
		ear_android_code_print(code, &at, request->out);
		fputc('\n', request->out);
	}
}

static int run(const struct ear_android_request *request)
{
	struct ear_android_code code;
	struct ear_android_run run;
	int result = ear_android_code_init(&code, request->trace);

	if (result)
		return ear_android_trace_fail(request->trace, result, "%s", ear_error_text(result));
	while ((result = ear_android_trace_next(request->trace, &run)) == 1)
		print_run(request, &code, &run);
	ear_android_code_fini(&code);
	return result;
}

const struct ear_android_tool ear_android_read_trace = {
	.name = "read_trace",
	.summary = "each instruction that ran, from -s on",
	.needs_kernel = true,
	.run = run,
};
