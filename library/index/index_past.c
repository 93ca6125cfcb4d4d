/* What memory held at the end of a node.
 *
 * Each line is looked up by itself, from new to old: the tree says in which node it changed last,
 * and a version of that node or of a later one may have it. For lines that no version has, the
 * newest of their nodes is read again, which serves all lines that changed last there; then the
 * others go on. So what is written in one go costs one node, however many lines it has.
 *
 * A node is read again only as far as its masks say that lines that are asked for are touched, and
 * of its records only the accesses to them are looked at (index_log.h).
 */
#include "library/index/index_past.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "library/index/file/index_checkpoint.h"
#include "library/index/index_query.h"

#define REPLAY_MEMORY ((size_t)96 << 20)
#define BEFORE        64u /* an instruction may change so many bytes behind its access */

/* Lines --------------------------------------------------------------------------------------- */

int ear_index_lines_init(struct ear_index_lines *lines, uint64_t address, size_t size)
{
	uint64_t first = address & ~(uint64_t)(EAR_MEMORY_LINE - 1);

	*lines = (struct ear_index_lines){0};
	lines->count = (size_t)((address + (size - 1) - first) / EAR_MEMORY_LINE + 1);
	lines->lines = calloc(lines->count, sizeof(*lines->lines));
	lines->ends = calloc(lines->count, sizeof(*lines->ends));
	if (!lines->lines || !lines->ends)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < lines->count; i++)
		lines->lines[i].address = first + i * EAR_MEMORY_LINE;
	return 0;
}

void ear_index_lines_fini(struct ear_index_lines *lines)
{
	free(lines->lines);
	free(lines->ends);
	*lines = (struct ear_index_lines){0};
}

static bool is_open(const struct ear_memory_line *line)
{
	return line->settled != UINT64_MAX;
}

/* Is more to be asked about a line? first: nodes before it do not count. */
static bool is_asked(const struct ear_index_lines *lines, size_t i, size_t first)
{
	return is_open(&lines->lines[i]) && lines->ends[i] > first;
}

/* From the first byte of lines about which nodes from first on are asked to the last; false: there
 * is none. */
static bool asked_span(const struct ear_index_lines *lines, size_t first, struct ear_span *span)
{
	bool found = false;

	for (size_t i = 0; i < lines->count; i++) {
		if (!is_asked(lines, i, first))
			continue;
		if (!found)
			span->first = lines->lines[i].address;
		span->last = lines->lines[i].address + (EAR_MEMORY_LINE - 1);
		found = true;
	}
	return found;
}

int ear_index_lines_under(struct ear_index_lines *lines, struct ear_memory *memory)
{
	struct ear_memory_changes changes;
	int result = ear_memory_changes(memory, &changes);

	lines->forgotten |= result == 0 && changes.forgotten;
	for (size_t i = 0; i < lines->count && result == 0; i++) {
		struct ear_memory_line older;
		result = ear_memory_line(memory, lines->lines[i].address, &older);
		if (result == 0)
			ear_memory_line_under(&lines->lines[i], &older);
	}
	return result;
}

/* The past ------------------------------------------------------------------------------------ */

int ear_index_past_init(struct ear_index_past *past, struct ear_index_walk *walk,
	const struct ear_memory_options *memory)
{
	*past = (struct ear_index_past){
		.walk = walk, .index = ear_index_walk_index(walk), .memory = *memory};
	past->kept = calloc(EAR_INDEX_PAST_LINES, sizeof(*past->kept));
	return past->kept ? 0 : EAR_E_NO_MEMORY;
}

void ear_index_past_fini(struct ear_index_past *past)
{
	for (unsigned i = 0; i < EAR_INDEX_PAST_VERSIONS; i++)
		ear_index_version_fini(&past->versions[i].version);
	free(past->kept);
	*past = (struct ear_index_past){0};
}

int ear_index_past_memory(const struct ear_index_past *past, struct ear_memory **memory)
{
	struct ear_memory_options options = past->memory;

	options.part = true;
	options.size_max = REPLAY_MEMORY;
	return ear_memory_new(memory, &options);
}

static const struct ear_index_node *node_at(const struct ear_index_past *past, size_t node)
{
	return &past->index->directory.levels[0].nodes[node];
}

static bool is_forgotten(const struct ear_index_past *past, size_t node)
{
	return node_at(past, node)->flags & EAR_INDEX_FLAG_FORGOTTEN;
}

/* The node of the checkpoint from which a node is read. */
static size_t checkpoint_node(const struct ear_index_past *past, size_t node)
{
	while (node > 0 && node_at(past, node)->checkpoint.size == 0)
		node--;
	return node;
}

/* Reading again ------------------------------------------------------------------------------- */

bool ear_index_past_has_logs(const struct ear_index_past *past, size_t first, size_t last)
{
	if (!(past->index->directory.flags & EAR_INDEX_FILE_CAPTURE) ||
		past->memory.key != EAR_MEMORY_FLAT)
		return false;
	for (size_t node = first; node <= last; node++)
		if (is_forgotten(past, node))
			return false;
	return true;
}

/* Which children of a node may touch a line about which nodes from first on are asked. */
static uint32_t touched(
	const struct ear_index_sets *sets, const struct ear_index_lines *lines, size_t first)
{
	const uint32_t all = (1u << sets->count) - 1;
	uint32_t mask = 0;

	for (size_t i = 0; i < lines->count && mask != all; i++) {
		uint64_t address = lines->lines[i].address;
		if (!is_asked(lines, i, first))
			continue;
		/* The access at the end of the address space goes on at its beginning. */
		if (address < BEFORE)
			return all;
		mask |= ear_index_sets_accessed(
			sets, address - BEFORE, address + (EAR_MEMORY_LINE - 1), true, true);
	}
	return mask;
}

/* The end of the last stretch of a node, of those that begin before position, that may touch such a
 * line; not behind position. Returns 1 and *end, 0: there is none. */
static int last_touch(struct ear_index_past *past, size_t node, uint64_t position,
	const struct ear_index_lines *lines, size_t first, uint64_t *end)
{
	uint64_t at = node_at(past, node)->position;
	const struct ear_index_sets *sets;
	int result = ear_index_file_sets(past->index, 0, node, &sets);

	if (result)
		return result;
	uint32_t mask = touched(sets, lines, first);
	for (unsigned i = 0; i < sets->count && at < position; i++) {
		at += sets->children[i].records;
		if (!(mask >> i & 1))
			continue;
		*end = at < position ? at : position;
		result = 1;
	}
	return result;
}

static int read_log(struct ear_index_past *past, struct ear_index_log *log, uint64_t end)
{
	struct ear_index_walk *walk = past->walk;
	int result = 0;

	while (result == 0 && ear_index_walk_position(walk) < end) {
		struct ear_source_run run;
		result = ear_index_walk_next_before(walk, end, &run);
		if (result == 0)
			return EAR_E_BAD_FILE;
		if (result == 1) {
			ear_index_log_push(log, &run);
			result = 0;
		}
	}
	return result;
}

int ear_index_past_replay(struct ear_index_past *past, size_t begin, size_t last, uint64_t position,
	struct ear_index_lines *lines)
{
	struct ear_index_log log = {0};
	struct ear_span span;
	uint64_t end = position;
	int result = 0;

	if (!asked_span(lines, begin, &span))
		return 1;
	for (size_t node = last + 1; node-- > begin && result == 0;)
		result = last_touch(past, node, position, lines, begin, &end);
	if (result <= 0)
		return result < 0 ? result : 1;
	ear_index_log_begin(&log, span.first, span.last);
	result = ear_index_walk_to(past->walk, node_at(past, begin)->position);
	if (result == 0)
		result = read_log(past, &log, end);
	if (result == 0)
		result = ear_index_walk_check_end(past->walk);
	if (result == 0)
		result = ear_index_log_lines(&log, lines->lines, lines->count);
	ear_index_log_fini(&log);
	return result;
}

static int read_memory(struct ear_index_past *past, struct ear_memory *memory, uint64_t end)
{
	struct ear_index_walk *walk = past->walk;
	int result = 0;

	while (result == 0 && ear_index_walk_position(walk) < end) {
		struct ear_source_run run;
		result = ear_index_walk_next_before(walk, end, &run);
		if (result == 0)
			return EAR_E_BAD_FILE;
		if (result == 1)
			result = run.run ? ear_memory_push_run(memory, run.run, run.compacts)
					 : ear_memory_push(memory, run.record);
	}
	return result;
}

/* Follow all records from the checkpoint of node begin to the end of node last. */
static int replay_all(
	struct ear_index_past *past, size_t begin, size_t last, struct ear_index_lines *lines)
{
	uint64_t position = node_at(past, begin)->position;
	struct ear_index_checkpoint checkpoint;
	struct ear_memory *memory = NULL;
	size_t node;
	int result = ear_index_checkpoint_read(past->index, position, &node, &checkpoint);

	if (result == 0)
		result = ear_index_past_memory(past, &memory);
	if (result == 0)
		result = ear_memory_expected_load(
			memory, checkpoint.expected.bytes, checkpoint.expected.size);
	if (result == 0)
		result = ear_index_walk_to(past->walk, position);
	if (result == 0)
		result = read_memory(past, memory, ear_index_file_end(past->index, 0, last));
	if (result == 0)
		result = ear_index_lines_under(lines, memory);
	ear_memory_free(memory);
	ear_index_checkpoint_fini(&checkpoint);
	return result;
}

/* Versions ------------------------------------------------------------------------------------ */

/* The version of a node that has one. */
static int get_version(
	struct ear_index_past *past, size_t node, const struct ear_index_version **version)
{
	for (unsigned i = 0; i < EAR_INDEX_PAST_VERSIONS; i++)
		if (past->versions[i].used && past->versions[i].node == node) {
			*version = &past->versions[i].version;
			return 0;
		}
	unsigned at = past->next_version++ % EAR_INDEX_PAST_VERSIONS;
	ear_index_version_fini(&past->versions[at].version);
	past->versions[at].used = false;
	int result = ear_index_version_read(&past->versions[at].version, past->index, node);
	if (result)
		return result;
	past->versions[at].used = true;
	past->versions[at].node = node;
	*version = &past->versions[at].version;
	return 0;
}

/* A version that says what a line held at the end of node, where it changed last. */
struct found {
	size_t at;  /* its node */
	size_t end; /* of the line then: 0: nothing older is to be asked */
	bool has;   /* it has the line; else the line did not change */
};

static size_t end_after(const struct ear_index_version *version, size_t first)
{
	return version->whole ? 0 : first;
}

/* The first version that has all changes of node, and is before node end. Returns 1, or 0: none. */
static int find_complete(
	struct ear_index_past *past, size_t node, size_t end, uint64_t address, struct found *found)
{
	const struct ear_index_version *version;
	size_t at = node;

	while (at < end && (node_at(past, at)->version.size == 0 ||
				   node_at(past, at)->flags & EAR_INDEX_FLAG_PARTIAL))
		at++;
	if (at == end)
		return 0;
	int result = get_version(past, at, &version);
	if (result || version->partial || version->covers <= at - node)
		return result;
	bool has = ear_index_version_has(version, address);
	size_t first = at + 1 - version->covers;
	*found = (struct found){at, has ? end_after(version, first) : first, has};
	return 1;
}

static int find_version(
	struct ear_index_past *past, size_t node, size_t end, uint64_t address, struct found *found)
{
	const struct ear_index_node *here = node_at(past, node);
	const struct ear_index_version *version;
	int result = 0;

	if (here->version.size > 0 && here->flags & EAR_INDEX_FLAG_PARTIAL) {
		result = get_version(past, node, &version);
		if (result == 0 && ear_index_version_has(version, address)) {
			*found = (struct found){node, end_after(version, node), true};
			return 1;
		}
	}
	return result ? result : find_complete(past, node, end, address, found);
}

/* Looking back -------------------------------------------------------------------------------- */

/* The node before its end in which a line changed last. Returns 1, or 0: in none. */
static int find_change(
	struct ear_index_past *past, const struct ear_memory_line *line, size_t end, size_t *node)
{
	struct ear_span span = {line->address, line->address + (EAR_MEMORY_LINE - 1)};
	const struct ear_index_sets *sets;
	int result = ear_index_previous_change(past->index, &span, end, node);

	if (result != 1 || !is_forgotten(past, *node))
		return result;
	/* It may be found only because all was forgotten there. */
	result = ear_index_file_sets(past->index, 0, *node, &sets);
	return result ? result : ear_index_sets_changed(sets, span.first, span.last) != 0;
}

/* Lines first to end - 1, which are in one page of 4 KiB. */
struct chunk {
	size_t first, end;
	size_t nodes; /* the highest end of those that are asked for, 0: none is */
	struct ear_span page;
};

static struct chunk chunk_of(const struct ear_index_lines *lines, size_t i, size_t first)
{
	uint64_t address = lines->lines[i].address;
	struct chunk chunk = {.first = i, .end = i};

	chunk.page.first = address & ~(EAR_INDEX_SPARSE_PAGE - 1);
	chunk.page.last = chunk.page.first + (EAR_INDEX_SPARSE_PAGE - 1);
	while (chunk.end < lines->count && lines->lines[chunk.end].address <= chunk.page.last) {
		size_t at = chunk.end++;
		if (is_asked(lines, at, first) && lines->ends[at] > chunk.nodes)
			chunk.nodes = lines->ends[at];
	}
	return chunk;
}

/* The page as a whole: it may never have changed, or a version says all of it. Returns 1 if all is
 * done, 0 if lines are to be asked for one by one. */
static int ask_page(
	struct ear_index_past *past, struct ear_index_lines *lines, const struct chunk *chunk)
{
	const struct ear_index_version *version;
	size_t node;
	int result = ear_index_previous_change(past->index, &chunk->page, chunk->nodes, &node);

	if (result == 1) {
		const struct ear_index_node *here = node_at(past, node);
		if (here->version.size == 0 || !(here->flags & EAR_INDEX_FLAG_PARTIAL))
			return 0;
		result = get_version(past, node, &version);
		if (result || !ear_index_version_is_complete(version, chunk->page.first))
			return result;
		result = ear_index_version_lines(version, past->index, lines->lines + chunk->first,
			chunk->end - chunk->first);
	}
	for (size_t i = chunk->first; result == 0 && i < chunk->end; i++)
		lines->ends[i] = 0;
	return result ? result : 1;
}

/* Ask versions about lines from i to end - 1, as many as the same version has. Returns how many
 * lines were looked at; *newest becomes the newest node that is to be read for a line. */
static int ask_versions(struct ear_index_past *past, struct ear_index_lines *lines, size_t i,
	size_t end, size_t first, size_t *newest)
{
	const struct ear_index_version *version;
	struct found found = {0}, next = {0};
	size_t count = 0;
	int result = 0;

	for (; i + count < end; count++) {
		size_t at = i + count, node, nodes = lines->ends[at];
		if (!is_asked(lines, at, first))
			break;
		result = find_change(past, &lines->lines[at], nodes, &node);
		if (result == 1)
			result = find_version(past, node, nodes, lines->lines[at].address, &next);
		else if (result == 0)
			lines->ends[at] = 0;
		if (result < 0)
			return result;
		if (result == 0 && lines->ends[at] > 0) {
			/* What is above it did not change it. */
			lines->ends[at] = node + 1;
			*newest = node + 1 > *newest ? node + 1 : *newest;
		}
		if (result == 0)
			break;
		if (count > 0 && next.at != found.at)
			break;
		if (!next.has) {
			lines->ends[at] = next.end;
			break;
		}
		found = next;
		lines->ends[at] = next.end;
	}
	if (count == 0)
		return 1;
	result = get_version(past, found.at, &version);
	if (result == 0)
		result = ear_index_version_lines(version, past->index, lines->lines + i, count);
	return result ? result : (int)count;
}

/* Read again node newest - 1, and from its checkpoint on. */
static int read_again(struct ear_index_past *past, struct ear_index_lines *lines, size_t newest)
{
	size_t last = newest - 1, begin = checkpoint_node(past, last);
	int result = 0;

	if (ear_index_past_has_logs(past, begin, last))
		result = ear_index_past_replay(
			past, begin, last, ear_index_file_end(past->index, 0, last), lines);
	if (result == 0)
		result = replay_all(past, begin, last, lines);
	for (size_t i = 0; i < lines->count && result >= 0; i++)
		if (lines->ends[i] <= newest && lines->ends[i] > begin)
			lines->ends[i] = begin;
	return result < 0 ? result : 0;
}

/* Versions say what they can of the lines of a page. */
static int ask_chunk(struct ear_index_past *past, struct ear_index_lines *lines,
	const struct chunk *chunk, size_t first, size_t *newest)
{
	int result = chunk->nodes > 0 ? ask_page(past, lines, chunk) : 1;

	for (size_t i = chunk->first; result == 0 && i < chunk->end;) {
		int count = is_asked(lines, i, first)
				    ? ask_versions(past, lines, i, chunk->end, first, newest)
				    : 1;
		if (count < 0)
			return count;
		i += (size_t)count;
	}
	return result < 0 ? result : 0;
}

/* Versions say what they can. Returns 0, and *newest: as of ask_versions, 0: no line needs it. */
static int ask_all(
	struct ear_index_past *past, struct ear_index_lines *lines, size_t first, size_t *newest)
{
	struct chunk chunk;
	int result = 0;

	*newest = 0;
	for (size_t i = 0; i < lines->count && result == 0; i = chunk.end) {
		chunk = chunk_of(lines, i, first);
		result = ask_chunk(past, lines, &chunk, first, newest);
	}
	return result;
}

/* The end of the nodes about which a line is asked, the highest of all lines; 0: none is. */
static size_t highest_end(const struct ear_index_lines *lines, size_t first)
{
	size_t highest = 0;

	for (size_t i = 0; i < lines->count; i++)
		if (is_asked(lines, i, first) && lines->ends[i] > highest)
			highest = lines->ends[i];
	return highest;
}

static int look_back(struct ear_index_past *past, struct ear_index_lines *lines, size_t first)
{
	for (;;) {
		size_t newest;
		int result = ask_all(past, lines, first, &newest);
		if (result)
			return result;
		size_t highest = highest_end(lines, first);
		if (highest == 0)
			return 0;
		/* Nothing newer may be left to ask when a node is read. */
		if (highest == newest)
			result = read_again(past, lines, newest);
		if (result)
			return result;
	}
}

/* What was found before -------------------------------------------------------------------------
 */

static struct ear_index_past_line *kept_line(struct ear_index_past *past, uint64_t address)
{
	return &past->kept[address / EAR_MEMORY_LINE % EAR_INDEX_PAST_LINES];
}

/* The open bytes of each line, as far as they were asked for at the same node before. asked gets
 * those that were not. */
static void take_kept(
	struct ear_index_past *past, struct ear_index_lines *lines, size_t end, uint64_t *asked)
{
	for (size_t i = 0; i < EAR_INDEX_PAST_LINES && past->kept_end != end; i++)
		past->kept[i].asked = 0;
	past->kept_end = end;
	for (size_t i = 0; i < lines->count; i++) {
		struct ear_memory_line *line = &lines->lines[i];
		const struct ear_index_past_line *kept = kept_line(past, line->address);
		asked[i] = ~line->settled;
		if (kept->line.address != line->address || asked[i] & ~kept->asked)
			continue;
		ear_memory_line_under(line, &kept->line);
		lines->ends[i] = 0;
		asked[i] = 0;
	}
}

static void keep_lines(
	struct ear_index_past *past, const struct ear_index_lines *lines, const uint64_t *asked)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct ear_index_past_line *kept = kept_line(past, lines->lines[i].address);
		if (asked[i] == 0)
			continue;
		kept->line = lines->lines[i];
		kept->line.settled &= asked[i];
		kept->line.known &= asked[i];
		kept->asked = asked[i];
	}
}

/* The last node before end in which all was forgotten. */
static bool last_forgotten(const struct ear_index_past *past, size_t end, size_t *node)
{
	for (*node = end; *node > 0;)
		if (is_forgotten(past, --*node))
			return true;
	return false;
}

int ear_index_past_lines(struct ear_index_past *past, size_t end, struct ear_index_lines *lines)
{
	uint64_t *asked;
	size_t first = 0;

	if (lines->forgotten)
		return 0;
	bool forgotten = last_forgotten(past, end, &first);
	asked = calloc(lines->count, sizeof(*asked));
	if (!asked)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < lines->count; i++)
		lines->ends[i] = end;
	take_kept(past, lines, end, asked);
	int result = look_back(past, lines, first);
	if (result == 0)
		keep_lines(past, lines, asked);
	lines->forgotten |= forgotten;
	free(asked);
	return result;
}
