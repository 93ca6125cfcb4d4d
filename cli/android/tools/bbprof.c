/* bbprof: how often each block ran, and the cycles of its instructions.
 *
 * An instruction of two halfwords has the cycles of both; the original prints those of the first.
 */
#include <earshot/error.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/android/tools/code.h"
#include "cli/android/tools/pieces.h"
#include "cli/android/tools/tool_list.h"

static int by_cycles(const void *a, const void *b)
{
	const struct ear_android_piece *left = a, *right = b;

	if (left->cycles != right->cycles)
		return left->cycles < right->cycles ? 1 : -1;
	if (left->block == 0 || right->block == 0) /* that of the end is the last one */
		return left->block == 0 ? 1 : -1;
	return left->block < right->block ? -1 : left->block > right->block;
}

static void print_piece(const struct ear_android_request *request,
	const struct ear_android_code *code, const struct ear_android_pieces *pieces,
	const struct ear_android_piece *piece)
{
	const struct ear_qtrace_log *log = ear_android_trace_log(request->trace);
	struct ear_qtrace_block block = ear_qtrace_log_block(log, piece->block);
	bool compatible = ear_android_trace_options(request->trace)->compatible;
	FILE *out = request->out;

	fprintf(out,
		"bb %" PRIu64 " addr: 0x%" PRIx32 ", insns: %" PRIu32 " freq: %" PRIu64
		" elapsed: %" PRIu64 "\n",
		piece->block, piece->address, piece->count, piece->frequency, piece->cycles);
	for (uint32_t i = 0; i < piece->count;) {
		const uint64_t *cycles = pieces->cycles + piece->first + i;
		struct ear_android_instruction at =
			ear_android_code_at(code, &block, piece->begin + i);
		bool both = at.entries == 2 && i + 1 < piece->count && !compatible;
		fprintf(out, "%6" PRIu64 " ", cycles[0] + (both ? cycles[1] : 0));
		ear_android_code_print_opcode(&at, code, out);
		fputc(' ', out);
		ear_android_code_print(code, &at, out);
		fputc('\n', out);
		i += at.entries;
	}
}

static int run(const struct ear_android_request *request)
{
	struct ear_android_pieces pieces = {0};
	struct ear_android_code code;
	int result = ear_android_code_init(&code, request->trace);

	if (result)
		return ear_android_trace_fail(request->trace, result, "%s", ear_error_text(result));
	result = ear_android_pieces_make(&pieces, request->trace);
	if (result == 0 && pieces.count > 0)
		qsort(pieces.list, pieces.count, sizeof(*pieces.list), by_cycles);
	for (size_t i = 0; i < pieces.count && result == 0; i++)
		print_piece(request, &code, &pieces, &pieces.list[i]);
	ear_android_pieces_fini(&pieces);
	ear_android_code_fini(&code);
	return result;
}

const struct ear_android_tool ear_android_bbprof = {
	.name = "bbprof",
	.summary = "how often each block ran, and the cycles of its instructions",
	.run = run,
};
