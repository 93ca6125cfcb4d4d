/* bb2sym: the blocks by address, with their file and function. */
#include <inttypes.h>

#include "cli/android/tools/pieces.h"
#include "cli/android/tools/tool_list.h"

static int run(const struct ear_android_request *request)
{
	struct ear_android_pieces pieces;
	int result = ear_android_pieces_make(&pieces, request->trace);

	if (result == 0)
		fprintf(request->out, "#     bb num_insns     bb_addr file  symbol\n");
	for (size_t i = 0; i < pieces.count && result == 0; i++) {
		const struct ear_android_piece *piece = &pieces.list[i];
		if (piece->count > 0)
			fprintf(request->out, "%8" PRIu64 " %9" PRIu32 "  0x%08" PRIx32 " %s %s\n",
				piece->block, piece->count, piece->address,
				piece->symbol->image->path, piece->symbol->name);
	}
	ear_android_pieces_fini(&pieces);
	return result;
}

const struct ear_android_tool ear_android_bb2sym = {
	.name = "bb2sym",
	.summary = "the blocks by address, with their function",
	.needs_kernel = true,
	.run = run,
};
