#ifndef EARSHOT_MARKS_H
#define EARSHOT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Marks: moments of a trace that were given a name. They are kept in a text file beside the trace,
 * "run.shot.marks" (docs/moments.md, section 5), so they outlast a session and are the same for
 * every program. ear_trace_find_moment knows them as mark=NAME.
 *
 * Only a trace that is one file has marks. A file of marks that is damaged, or of something else,
 * is never written.
 */
#define EAR_MARK_NAME_SIZE 64
#define EAR_MARKS_MAX      4096

struct ear_mark {
	uint64_t position, number;     /* of the record and of the instruction that come next */
	char name[EAR_MARK_NAME_SIZE]; /* with its 0 */
	bool stale;                    /* the trace has changed since: of all marks or of none */
};

/* May a mark be called that: letters, digits, "_", "-" and ".", at most 63, not with a digit, "-"
 * or "." in front, nor with "-" and digits at its end? */
bool ear_mark_name_check(const char *name);

/* The marks by position, the first max of them in marks; mark_size is sizeof(struct ear_mark). A
 * trace that is longer than it was, and has not changed before, is the same. If the trace has other
 * times than when it was marked, it is read once more.
 *
 * Returns how many there are. EAR_E_BAD_FILE: the file is damaged, or no file of marks.
 * EAR_E_UNSUPPORTED: the trace is a pipe, or a folder. EAR_E_CANCELLED, EAR_E_IO, EAR_E_NO_MEMORY.
 * ear_trace_error has the sentence.
 */
int64_t ear_trace_marks(struct ear_trace *trace, struct ear_mark *marks, size_t mark_size,
	size_t max, const struct ear_progress *progress);

/* Mark the moment before the record at position, or the end. A mark of that name moves. The first
 * mark of a trace reads the file of the trace once. The file of marks is replaced as a whole, by
 * one program at a time. The place at which ear_trace_next reads changes.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT: the name is none, the trace ends before, or it has changed since
 * the other marks were made; EAR_E_FULL: there are EAR_MARKS_MAX; else as ear_trace_marks.
 */
int ear_trace_mark(struct ear_trace *trace, const char *name, uint64_t position,
	const struct ear_progress *progress);

/* Delete the mark, or with name NULL all of them, which deletes the file. Returns 1; 0: there is no
 * such mark; or as ear_trace_marks. */
int ear_trace_unmark(
	struct ear_trace *trace, const char *name, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
