#ifndef EAR_TRACE_INTERNAL_H
#define EAR_TRACE_INTERNAL_H

#include <earshot/index.h>
#include <earshot/trace.h>

#include "library/api/cursor.h"
#include "library/index/index.h"

struct ear_inference;
struct ear_memory_range;
struct ear_memory_segment;

/* What is the same for every moment's memory. */
struct ear_trace_memory {
	struct ear_memory_segment *image; /* with bytes of their own, in one piece with them */
	size_t image_count;
	struct ear_memory_range *devices;
	bool asked; /* the image cannot change any more */
};

/* A trace that is open. Reading and asking have a reader each, so that a question does not move the
 * place of reading; who goes to the place of an answer takes over the reader that found it.
 */
struct ear_trace {
	struct ear_trace_options options; /* texts and spans are ours */
	char *path;                       /* "" if it has none */
	int fd;
	bool own_fd, seekable, folder;
	uint64_t file_size;
	struct ear_cursor reading, asking;
	struct ear_seen seen; /* by these, and by others that read all */
	char error[EAR_TRACE_ERROR_MAX];
	char fault[EAR_TRACE_ERROR_MAX], mended[EAR_TRACE_ERROR_MAX];
	uint64_t reported_lines; /* no line up to this one is reported again */
	bool byte_reported;      /* it is a byte: the trace has no lines */
	bool reporting;          /* it is the reading that reads now */
	bool report_ended;       /* the reading, which has not said so yet */
	unsigned xlen;           /* of the first instruction */
	bool counted, judged;    /* counts and verdict are known */
	uint64_t carried;        /* EAR_FIELD_BIT, of ear_trace_carries; 0: not looked at */
	struct ear_trace_counts counts;
	struct ear_trace_verdict verdict;
	char *program, *program_sha256; /* NULL: the capture does not say it */
	bool facts_known;
	bool port_known, has_port; /* events of a port, as tasks.c looked for them */
	struct ear_trace_memory memory;

	struct ear_inference *inference; /* NULL: nothing is inferred */

	struct ear_index *index; /* NULL: none, or not tried yet */
	struct ear_index_report index_report;
	unsigned index_changes; /* how often index became another one */
	bool index_tried;
	bool index_stale;       /* the trace is not the one that it was made of, or it is damaged */
	bool index_doubted;     /* a question was asked again because of it, ear_trace_asks_again */
	bool index_always;      /* tests: whatever the length of the trace */
	unsigned index_stretch; /* tests: struct ear_index_options */
	unsigned past_window; /* tests: records in memory of library/why/past.h and history.c; 0: as
				 usual */
};

/* Leave a sentence for ear_trace_error. Returns result. */
__attribute__((format(printf, 3, 4))) int ear_trace_fail(
	struct ear_trace *trace, int result, const char *format, ...);

/* Room for an image of count segments, whose bytes go to *bytes; NULL without memory. */
struct ear_memory_segment *ear_image_new(size_t count, uint64_t size, uint8_t **bytes);

/* As ear_trace_set_image, of one from ear_image_new, which is the trace's then, or freed. */
int ear_trace_take_image(struct ear_trace *trace, struct ear_memory_segment *image, size_t count);

/* A reader of its own for somebody else, to be closed. */
struct ear_cursor ear_trace_cursor(const struct ear_trace *trace);

/* The same for what a reader returned. */
int ear_trace_fail_reading(struct ear_trace *trace, const struct ear_cursor *cursor, int result);

/* Where a mark is (earshot/marks.h). The place at which ear_trace_next reads changes. Returns 1 and
 * *position; 0: there is no such mark; EAR_E_BAD_ARGUMENT: the trace has changed since, or is read
 * in another way; or as ear_trace_marks. ear_trace_error has the sentence in all of these, also for
 * 0. */
int ear_trace_find_mark(struct ear_trace *trace, const char *name, uint64_t *position,
	const struct ear_progress *progress);

/* The trace can be read at any place; else EAR_E_UNSUPPORTED with the sentence for what. */
int ear_trace_need_places(struct ear_trace *trace, const char *what);

#endif
