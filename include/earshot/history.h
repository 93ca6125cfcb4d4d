#ifndef EAR_HISTORY_H
#define EAR_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/moment.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The surroundings of a moment, for those who step: a debugger goes back by one instruction as
 * often as forward.
 *
 *     struct ear_history *history;
 *     uint64_t sp;
 *
 *     ear_history_new(&history, trace, position, NULL);
 *     while (... && position > 0) {
 *             ear_history_move(history, --position, NULL);
 *             if (ear_history_register(history, 0, EAR_REGISTER_X, 2, &sp))
 *                     ... x2 of hart 0 held sp before record position
 *     }
 *     ear_history_free(history);
 *
 * A moment (moment.h) is found from the index, which costs some 30 ms wherever it is; a history
 * keeps the records around its moment in memory, so that a move among them costs microseconds.
 * It answers exactly what the moment of the same position answers.
 *
 * The records in memory are a *window* of some ten thousand. A move outside of it loads another
 * window, as long as a moment takes; windows that follow each other forward are loaded at decoding
 * speed, and those that follow each other backward become larger, up to a million records, 120 MB.
 *
 * It uses the trace's file and index, so it is for the thread of the trace, and freed before the
 * trace. The place at which ear_trace_next reads does not change.
 */
struct ear_history;

/* Of a trace with EAR_INDEX_NONE the first one makes an index in memory, unless the trace is short;
 * if that is cancelled, a next call does without. Returns 0 and the history; a position beyond the
 * end is the end. EAR_E_UNSUPPORTED (a pipe), EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error as
 * ear_trace_next: ear_trace_error of the trace has the sentence. */
int ear_history_new(struct ear_history **history, struct ear_trace *trace, uint64_t position,
	const struct ear_progress *progress);
void ear_history_free(struct ear_history *history); /* NULL is fine */

/* Go to the moment of another position; one beyond the end is the end. Records that were handed out
 * are valid as long as the window stays the same. Returns as ear_history_new; on an error the
 * history is where it was, but without records: move it again. */
int ear_history_move(
	struct ear_history *history, uint64_t position, const struct ear_progress *progress);

uint64_t ear_history_position(const struct ear_history *history);

/* The window: records at *first .. *end - 1. The position of the history is in it, or its end where
 * that is the end of the trace. Returns true if *end is known to be that. */
bool ear_history_window(const struct ear_history *history, uint64_t *first, uint64_t *end);

/* Records of the window from position on, as ear_trace_next_batch hands them out. Returns 1 and
 * *batch, valid until the next call of this function; 0: position is outside of the window;
 * EAR_E_BAD_ARGUMENT: size of *batch is 0. */
int ear_history_batch(struct ear_history *history, uint64_t position, struct ear_batch *batch);

/* One of them, valid until the next call of these two functions; NULL if it is outside. */
const struct ear_record *ear_history_record(struct ear_history *history, uint64_t position);

/* The moment of the window's first record, for what begins there: ear_calls_start. It stays the
 * history's: do not move or free it; it is valid until the history is used again. Returns 0 and
 * *moment, EAR_E_BAD_ARGUMENT (the history is at no position), or an error as ear_history_new. */
int ear_history_begin(struct ear_history *history, struct ear_moment **moment,
	const struct ear_progress *progress);

/* As ear_moment_register, ear_moment_next_pc and ear_moment_memory. */
bool ear_history_register(struct ear_history *history, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value);
bool ear_history_next_pc(struct ear_history *history, uint16_t hart, uint64_t *pc);
int64_t ear_history_memory(struct ear_history *history, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
