/* Which lines lack their partner, a line of -l or a commit line. Whether such a line should have
 * one shows elsewhere in the log, also after it. So all are counted by kind, and the sum that the
 * reader has is made again when a count changes, or what the kinds mean.
 */
#include "decoder/formats/spike/spike_pairs.h"

static void sum_up(const struct ear_spike_pairs *pairs, struct ear_reader *reader)
{
	const unsigned kinds = pairs->silent ? EAR_SPIKE_LONE_COUNT : EAR_SPIKE_LONE_SILENT;

	reader->unpaired = reader->unpaired_line = 0;
	for (unsigned i = 0; pairs->any && i < kinds; i++) {
		const uint64_t line = pairs->lone[i].line;
		reader->unpaired += pairs->lone[i].count;
		if (line && (!reader->unpaired_line || line < reader->unpaired_line))
			reader->unpaired_line = line;
	}
}

void ear_spike_pairs_lone(struct ear_spike_pairs *pairs, struct ear_reader *reader,
	enum ear_spike_lone kind, uint64_t line)
{
	if (pairs->lone[kind].count++ == 0)
		pairs->lone[kind].line = line;
	sum_up(pairs, reader);
}

void ear_spike_pairs_note(struct ear_spike_pairs *pairs, struct ear_reader *reader, bool silent)
{
	if (pairs->any && (pairs->silent || !silent))
		return;
	pairs->any = true;
	pairs->silent |= silent;
	sum_up(pairs, reader);
}
