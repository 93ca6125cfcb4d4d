#ifndef EAR_INDEX_PAST_H
#define EAR_INDEX_PAST_H

#include "library/index/file/index_log.h"
#include "library/index/file/index_version.h"
#include "library/index/index_walk.h"

/* What memory held at the end of a node: from versions, and from records that are read again.
 * docs/index.md, section 2.
 */

/* Lines that are asked for, one after the other in memory. */
struct ear_index_lines {
	struct ear_memory_line *lines;
	size_t *ends; /* of each line: nodes before this one were not asked yet */
	size_t count;
	bool forgotten; /* nothing older than what the lines say counts */
};

/* Returns 0 or EAR_E_NO_MEMORY; fini is right in both cases. size > 0, and nothing wraps. */
int ear_index_lines_init(struct ear_index_lines *lines, uint64_t address, size_t size);
void ear_index_lines_fini(struct ear_index_lines *lines);

/* What memory has goes under the lines. Returns 0, or an error of the spill. */
int ear_index_lines_under(struct ear_index_lines *lines, struct ear_memory *memory);

#define EAR_INDEX_PAST_VERSIONS 16u
#define EAR_INDEX_PAST_LINES    1024u

struct ear_index_past {
	struct ear_index_walk *walk; /* the caller's; it is moved */
	struct ear_index *index;     /* of it, with records */
	struct ear_memory_options memory;

	/* Versions that were read last. */
	struct {
		size_t node;
		bool used;
		struct ear_index_version version;
	} versions[EAR_INDEX_PAST_VERSIONS];
	unsigned next_version;

	/* Lines before node kept_end that were asked for last, by their address: what was found for
	 * the bytes that were open. */
	struct ear_index_past_line {
		struct ear_memory_line line;
		uint64_t asked;
	} * kept;
	size_t kept_end;
};

/* All zero is one that fini takes. memory: as of struct ear_index_moment; what it points to stays
 * the caller's. Returns 0 or EAR_E_NO_MEMORY. */
int ear_index_past_init(struct ear_index_past *past, struct ear_index_walk *walk,
	const struct ear_memory_options *memory);
void ear_index_past_fini(struct ear_index_past *past);

/* Memory that begins with nothing, in the middle of a trace. Returns 0 or EAR_E_NO_MEMORY. */
int ear_index_past_memory(const struct ear_index_past *past, struct ear_memory **memory);

/* Can a log (index_log.h) of the records of nodes first to last say what memory holds? Addresses
 * are as they are in the records then, and nothing is forgotten. */
bool ear_index_past_has_logs(const struct ear_index_past *past, size_t first, size_t last);

/* What the records from node begin on say of the lines, up to position, which is in node last or at
 * its end. Nodes begin to last have logs, and begin has a checkpoint. Returns 1; 0: a log does not
 * say it; or as ear_index_walk_next. */
int ear_index_past_replay(struct ear_index_past *past, size_t begin, size_t last, uint64_t position,
	struct ear_index_lines *lines);

/* What the nodes before node end say of the lines. Returns 0, or as ear_index_walk_next. */
int ear_index_past_lines(struct ear_index_past *past, size_t end, struct ear_index_lines *lines);

#endif
