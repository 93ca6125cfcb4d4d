#ifndef EAR_SPIKE_PAIRS_H
#define EAR_SPIKE_PAIRS_H

#include "decoder/formats/base/reader.h"

/* Lines of a log of -l and --log-commits that lack the other one of their pair. They count once an
 * instruction had both lines: without that, the log has one kind only.
 */
enum ear_spike_lone {
	EAR_SPIKE_LONE_COMMIT,
	EAR_SPIKE_LONE_WRITE,  /* a line of -l, of an instruction that writes a register */
	EAR_SPIKE_LONE_SILENT, /* of another one, which has no commit line in older versions */
	EAR_SPIKE_LONE_COUNT
};

struct ear_spike_pairs {
	bool any;    /* an instruction had both lines */
	bool silent; /* one that writes no register had a commit line */
	struct {
		uint64_t count, line; /* of the first one */
	} lone[EAR_SPIKE_LONE_COUNT];
};

/* The line with this number lacks its partner. */
void ear_spike_pairs_lone(struct ear_spike_pairs *pairs, struct ear_reader *reader,
	enum ear_spike_lone kind, uint64_t line);

/* An instruction has both lines; silent: it writes no register. */
void ear_spike_pairs_note(struct ear_spike_pairs *pairs, struct ear_reader *reader, bool silent);

#endif
