#ifndef EAR_MOMENT_TEXT_H
#define EAR_MOMENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The one reading of moments as people write them (docs/moments.md):
 *
 *   463, #463           the instruction with this number
 *   @5000               a time, in ticks
 *   begin, first, end   the begin, the first record, the end; last is end
 *   trap=5#3            the third trap with cause 5; so exception, interrupt
 *   event=port, port    the first event of that name; event: any
 *   gap                 the first gap
 *   mark=crash          the moment that was given that name (marks.h)
 *   crc, fw.c:31        a function is entered, the code of a line is begun
 *   crc:return          it returns
 *   =crc                always a symbol or an address, whatever else has that name
 *   @trap               always the word, whatever symbol has that name
 *   X#2, X#-1           the second one, the last one; X:2 is the older form
 *   X+5, X-5            the fifth instruction after X, before X
 *   +5, -5              the same from where the caller is
 */
struct ear_moment_place {
	size_t size; /* sizeof(struct ear_moment_place), filled in by the caller */
	/* Positions of the moments before and after what the text names, which is a record or the
	 * records of a time. They are equal for begin, end, gap and marks. end: UINT64_MAX. */
	uint64_t before, after;
};

/* Can the text be a moment, by its form alone? With now, also +5 and -5. Nothing is looked up. */
bool ear_moment_text_check(const char *text, bool now);

/* Find it. names may be NULL: then there are no functions and lines. now: number of the instruction
 * from which +5 and -5 count; UINT64_MAX: there is none. The place at which ear_trace_next reads
 * changes.
 *
 * Returns 1 and *place. 0: the trace has no such trap, event, execution. EAR_E_BAD_ARGUMENT: the
 * text is no moment, is ambiguous, or there is no such instruction or symbol; or the size of *place
 * is 0. Else as ear_trace_find. ear_trace_error has the sentence in all of these, also for 0.
 */
int ear_trace_find_moment(struct ear_trace *trace, const char *text, struct ear_names *names,
	uint64_t now, struct ear_moment_place *place, const struct ear_progress *progress);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
