#ifndef EAR_INDEX_H
#define EAR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/index/file/index_progress.h"
#include "library/index/index_query.h"
#include "library/source/source.h"

/* The index of a trace (docs/index.md): where in a trace something may be found, and what
 * registers, memory and stacks held at its checkpoints.
 *
 *     ear_index_open(&index, path, &options, &report);          builds it if there is none
 *     ear_index_next(index, &query, position, &stretch);        where to look
 *     ear_index_walk_to(walk, stretch.position);                index_walk.h: and look there
 *     ear_index_state(moment, position, &state);                index_moment.h
 *
 * An opened index is read-only and serves one thread; others open it too, which costs a
 * millisecond. It keeps some blocks unpacked, at most 64 MiB. Everything in the file is checked
 * before it is used: a file that is damaged gives EAR_E_BAD_FILE, and a build makes it new.
 */
enum ear_index_build {
	EAR_INDEX_BUILD_IF_NEEDED, /* missing, too old, of another version, damaged */
	EAR_INDEX_BUILD_NEVER,     /* EAR_E_UNSUPPORTED then */
	EAR_INDEX_BUILD_ALWAYS,
	EAR_INDEX_BUILD_PRIVATE, /* in memory, gone with the handle; none that is there is used */
};

struct ear_index_options {
	struct ear_source_options source; /* how the trace is read; fault is not used */
	enum ear_index_build build;
	const char *file;  /* name of the index; NULL: "PATH.idx", or in the cache */
	const char *cache; /* folder for indexes beside which no file can be written; NULL:
			    * $XDG_CACHE_HOME/earshot or ~/.cache/earshot; "": none */
	bool only_cache;   /* never beside the trace */
	unsigned jobs;     /* threads that build, the caller's included; 0 is 1 */
	int wait_ms;       /* for another program that builds the same index; -1: as long as it
			    * takes */
	/* Address ranges of devices, first and last byte in turn: memory that is never known. */
	const uint64_t *devices;
	size_t device_count; /* ranges */
	unsigned stretch;    /* cost of a stretch; 0: as docs/index.md says. Less for tests */
	ear_index_progress *progress; /* NULL: none */
	void *context;
};

/* What opening did, for people. */
struct ear_index_report {
	char file[4096];              /* the index that is used, or "" */
	bool built, extended, cached; /* cached: it is in the cache folder */
	uint64_t size;                /* of the index, bytes */
	uint64_t built_records;       /* by this call */
	unsigned parts;               /* that other threads built; 0: none */
	bool ahead;                   /* one thread read, and one followed */
	double seconds;               /* that took */
	bool comparing;  /* what progress is about now: all bytes of the trace are read */
	char cause[256]; /* why it was built anew, or could not be built: a sentence; or "" */
};

/* Open the index of the trace, if the trace is still as the index knows it, or after building or
 * extending it where options say so. report may be NULL.
 *
 * Returns 0 and *index, to be closed.
 * Returns EAR_E_UNSUPPORTED if there is no index and none can be made: the trace cannot be read at
 *         any offset (a pipe), nothing is to be built, no folder can be written, the disk is full,
 *         another program is building longer than wait_ms. Go on without: report->cause says why.
 * Returns EAR_E_BAD_FILE if the trace cannot be read, EAR_E_NO_MEMORY, EAR_E_CANCELLED, EAR_E_IO
 * (errno progress said so).
 */
int ear_index_open(struct ear_index **index, const char *path,
	const struct ear_index_options *options, struct ear_index_report *report);
void ear_index_close(struct ear_index *index);

#endif
