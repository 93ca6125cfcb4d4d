#ifndef EAR_SEEN_H
#define EAR_SEEN_H

#include <earshot/trace.h>

#include "library/source/source.h"

/* What the readers of a trace have passed, from its beginning on without a jump. */
struct ear_seen {
	struct ear_missing missing; /* in records before end */
	uint64_t end;               /* position */
	uint64_t first, last;       /* of the first and last gap, if there is one */
	bool ended;                 /* the trace ends there: */
	bool meant_end;
	uint64_t unpaired;                /* as in struct ear_missing */
	char fault[EAR_TRACE_ERROR_MAX];  /* what is wrong with the file; "": nothing */
	char mended[EAR_TRACE_ERROR_MAX]; /* what was damaged and made good, or "" */
};

/* As ear_seen_note, which has what is usual. */
void ear_seen_note_other(struct ear_seen *seen, uint64_t position, uint64_t number, size_t count,
	const struct ear_record *record);

/* A reader passes count records from a position on, number instructions behind the beginning:
 * record, or a run of instructions (NULL). */
static inline void ear_seen_note(struct ear_seen *seen, uint64_t position, uint64_t number,
	size_t count, const struct ear_record *record)
{
	if (position == seen->end && !(record && record->kind == EAR_RECORD_GAP))
		seen->end += count;
	else
		ear_seen_note_other(seen, position, number, count, record);
}

/* The trace ends at a position, and the source has been read to there. */
void ear_seen_end(struct ear_seen *seen, uint64_t position, const struct ear_source *source);

#endif
