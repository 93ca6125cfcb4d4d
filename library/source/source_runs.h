#ifndef EAR_SOURCE_RUNS_H
#define EAR_SOURCE_RUNS_H

#include "decoder/isa/ordinary_opcode.h"
#include "library/source/source.h"

/* Records of any source in runs, for those who follow the harts of a whole trace: texts have their
 * records one by one, and here ordinary ones (ear_compact_run.ordinary) are gathered. Gathered runs
 * know neither lines nor offsets of the stream.
 */

#define EAR_SOURCE_RUNS_KINDS_LOG2 10

struct ear_source_runs {
	struct ear_source *source; /* the caller's */
	bool gather;
	const struct ear_record *held; /* read, and not handed over */
	int ended;                     /* what ended the run handed over last, if <= 0; else 1 */
	struct ear_compact_run run;
	struct ear_compact_record compacts[EAR_COMPACT_RUN_MAX];
	struct ear_ordinary_opcode *kinds; /* of opcodes seen, by their hash; owned */
};

/* gather: the source is a text. Returns 0 or EAR_E_NO_MEMORY; fini is right in both cases. */
int ear_source_runs_init(struct ear_source_runs *runs, struct ear_source *source, bool gather);
void ear_source_runs_fini(struct ear_source_runs *runs);

/* As ear_source_next_run; of gathered records at most max, which is not 0. An anchor of the source
 * is that of what was handed over only after a run of max records, a single record or the end.
 */
int ear_source_runs_next(struct ear_source_runs *runs, struct ear_source_run *run, size_t max);

/* Records handed over, as ear_source_position counts. */
static inline uint64_t ear_source_runs_position(const struct ear_source_runs *runs)
{
	return ear_source_position(runs->source) - (runs->held != NULL);
}

#endif
