#ifndef CLI_TRACE_PARTS_H
#define CLI_TRACE_PARTS_H

#include <earshot/moment.h>
#include <earshot/tasks.h>
#include <stdint.h>

#include "cli/input/trace_input.h"

/* A trace, or what lies between two places of it, read once, in parts by several threads; if it is
 * one part, a second thread reads ahead. A queue has many small parts, so what each of them leaves
 * can be taken in order while those behind it are read.
 *
 *     struct trace_parts parts = TRACE_PARTS_DEFAULTS;
 *     ... options: trace_parts_take(&parts, ..)
 *     ... trace_input_open(&input)
 *     if (!trace_parts_plan(&parts, &input)) ...
 *     ... a counter for each of parts.count parts
 *     result = trace_parts_read(&parts, &input, &work, context);
 *     ... join the counters, the first one first
 */
#define TRACE_PARTS_MAX       64   /* that the user can ask for, and threads */
#define TRACE_PARTS_QUEUE_MAX 1024 /* of a queue */

struct trace_parts {
	const char *from, *to; /* of the command line; NULL: the begin, the end */
	unsigned jobs;         /* threads, the caller's included */
	unsigned part, of;     /* --part: only this one, from 1; 0: all */
	bool in_order;         /* the records must be taken in order: it is one part */
	bool queue;            /* many small parts */
	/* Tasks are followed, NULL: they are not. So that they are known where a part begins, all
	 * that is before it is read, too. That is most of the work, so no threads read parts then:
	 * it is one part. */
	const struct ear_tasks_options *tasks;
	/* With tasks, after the begin of the work, and with its context: a batch of what is before
	 * the part, from the beginning of the trace on; NULL: that was all. Without it the
	 * follower gets these batches, and nobody else. */
	int (*before)(void *context, const struct ear_batch *batch);
	bool no_moments; /* the work begins without them, which costs less */

	/* After trace_parts_plan. Part i has the records at begins[i] .. begins[i + 1] - 1. */
	unsigned count;
	uint64_t first;                             /* begin of all parts, also of a --part */
	uint64_t begins[TRACE_PARTS_QUEUE_MAX + 1]; /* the last may be UINT64_MAX: the end */
	uint64_t size;                              /* of the trace in records; only of a --part */
	/* With tasks, from the begin of the work on: what follows them, for the work to hand it its
	 * batches. It stays until trace_parts_end_tasks. */
	struct ear_tasks *follower;
};

#define TRACE_PARTS_DEFAULTS \
	{ \
		.jobs = 1 \
	}

/* Rows of the table of options, with three numbers of options. */
#define TRACE_PARTS_OPTIONS(from_id, to_id, jobs_id) \
	{"from", 0, from_id, "PLACE", \
		.text = "Begin with PLACE: an instruction's number, `@TICKS`, `trap`, `interrupt`, " \
			"`event`, `gap` (`trap=5:3`: the third one with cause 5), or an event's name."}, \
		{"to", 0, to_id, "PLACE", .text = "End with PLACE."}, \
	{ \
		"jobs", 'j', jobs_id, "N", \
			.text = "Threads to use (default 1): each reads a part of FILE, with its index." \
	}

/* The same where in_order is set. */
#define TRACE_PARTS_ORDER_OPTIONS(from_id, to_id, jobs_id) \
	{"from", 0, from_id, "PLACE", \
		.text = "Begin with PLACE: an instruction's number, `@TICKS`, `trap`, `interrupt`, " \
			"`event`, `gap` (`trap=5:3`: the third one with cause 5), or an event's name."}, \
		{"to", 0, to_id, "PLACE", .text = "End with PLACE."}, \
		TRACE_PARTS_ORDER_JOBS(jobs_id)

#define TRACE_PARTS_ORDER_JOBS(id) \
	{ \
		"jobs", 'j', id, "N", \
			.text = "Threads to use (default 1); with 2 or more one reads ahead of the other." \
	}

#define TRACE_PARTS_PART_OPTION(id) \
	{ \
		"part", 0, id, "K/N", \
			.text = "Count only the K-th of N parts of FILE, N at most 64, and print it as a " \
				"part: all of them as files, in order, are the whole." \
	}

/* One of them. Returns false after printing what is wrong. */
enum trace_parts_option { TRACE_PARTS_FROM, TRACE_PARTS_TO, TRACE_PARTS_JOBS, TRACE_PARTS_PART };
bool trace_parts_take(struct trace_parts *parts, enum trace_parts_option which,
	const struct command_option *option, const char *argument);

/* Where the parts are. A trace that has no index and gets none is one part. Returns false after
 * printing why it cannot be said. */
bool trace_parts_plan(struct trace_parts *parts, struct trace_input *input);

/* What is done with each part, in a thread of its own if there are several. Return 0 or a result of
 * earshot/error.h, which ends the reading. */
struct trace_parts_work {
	/* moment: of its begin, which is not that of the trace; NULL: it is, or no_moments. */
	int (*begin)(void *context, unsigned part, struct ear_moment *moment,
		const struct ear_progress *progress);
	int (*batch)(void *context, unsigned part, const struct ear_batch *batch);
	/* It was read, and so were all before it; never in two threads at a time. The last one may
	 * not have been read to its end. In a queue no more than jobs + 1 parts have begun and not
	 * ended; those behind the last one never do. NULL: nothing is to be done. */
	int (*end)(void *context, unsigned part);
};

/* Returns true when all was read, or Ctrl-C ended it (cli_interrupted): the parts before the first
 * one that was not read to its end are what comes before a place, and parts->count is how many
 * these are, that one included. Returns false after printing why the rest cannot be read, likewise.
 */
bool trace_parts_read(struct trace_parts *parts, struct trace_input *input,
	const struct trace_parts_work *work, void *context);

/* The follower is needed no more. It may be asked until then, though the trace is closed. */
void trace_parts_end_tasks(struct trace_parts *parts);

#endif
