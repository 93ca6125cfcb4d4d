/* Chains of values. What is still to be followed are links: a place that was read at a position.
 * The one whose writer is the newest is followed first, so the chain grows back through the trace
 * in one sweep, a record that several links lead to is met once, and the records that are read stay
 * near each other. Of a link only whose newest possible writer is known, because the writer is
 * older than the window of records, the writer is looked for when its turn comes: in the window
 * before, as long as windows have writers of such links, else by a search. So neither many writers
 * that are near nor one that is far takes long.
 */
#include "library/why/chain.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/versioned.h"
#include "library/api/trace_internal.h"
#include "library/why/origins.h"

#define NODES_MAX       4096u
#define NODES_DEFAULT   64u
#define DEPTH_DEFAULT   64u
#define REPEATS_DEFAULT 2u
#define FOLDED_DEFAULT  10000u
#define LINKS_MAX       262144u

/* What folding may cost: records that are decoded to get from write to write. A step costs no more
 * than a window, however far it goes. */
#define FOLDED_RECORDS (1u << 20)
#define STEP_RECORDS   65536u
#define ROOT           SIZE_MAX

/* A source with the node that has it. */
struct link {
	struct ear_value_source source;
	size_t owner;    /* ROOT: the value asked for */
	uint64_t before; /* the position at which it was read */
	uint64_t key;    /* the writer, or the newest record that it can be */
	bool resolved;   /* it is the writer */
	bool open;       /* to be followed */
	bool dead;       /* of a folded write, back to itself */
};

struct builder {
	struct ear_past *past;
	const struct ear_value_chain_options *options;
	struct ear_instructions *instructions;
	struct ear_value_node *nodes;
	size_t node_count;
	struct link *links;
	size_t link_count, link_capacity;
	size_t open_count;
	size_t *open; /* indexes of links in order; those of closed ones leave with the next search
		       */
	size_t open_listed, open_capacity;
	uint64_t folded, folded_records;
	bool window_helped; /* the last window that was loaded for links has a writer */

	/* Writes of the record that was met last, by all links that led to it. */
	uint64_t met_position;
	struct {
		struct ear_value_place place;
		size_t node;
	} met[16];
	size_t met_count;
};

/* ---- Links. ---- */

static void end_link(struct builder *builder, struct link *link, unsigned end)
{
	builder->open_count -= link->open;
	link->open = false;
	link->source.end = (uint8_t)end;
	link->source.node = EAR_VALUE_NO_NODE;
}

static bool is_counter(const struct ear_value_place *place)
{
	const unsigned number = place->number;

	return place->kind == EAR_VALUE_REGISTER && place->reg_class == EAR_REGISTER_CSR &&
	       ((number >= 0xB00 && number < 0xBA0) || (number >= 0xC00 && number < 0xCA0) ||
		       number == 0x344 || number == 0x144 || (number >= 0xF11 && number <= 0xF15));
}

/* Nothing in the trace wrote it: why it has a value. */
static int end_unwritten(struct builder *builder, struct link *link)
{
	uint64_t value;
	int result = 0;

	if (link->source.place.kind == EAR_VALUE_MEMORY)
		result = ear_past_image(builder->past, &link->source.place, &value);
	if (result < 0)
		return result;
	bool same = result == 1 && (!link->source.value_known || link->source.value == value);
	if (result == 1 && !link->source.value_known) {
		link->source.value_known = true;
		link->source.value = value;
	}
	end_link(builder, link,
		same          ? EAR_VALUE_IMAGE
		: result == 1 ? EAR_VALUE_CHANGED
			      : EAR_VALUE_BEGIN);
	return 0;
}

/* Find the writer of a link. far: also where that takes a search. Else a link whose writer is older
 * than the window stays as it is, but for its key. */
static int resolve(struct builder *builder, struct link *link, bool far)
{
	struct ear_past_found found;

	/* What is newer than the key was looked through when the link was added. */
	int result =
		ear_past_last_write(builder->past, &link->source.place, link->key + 1, far, &found);
	if (result)
		return result;
	switch (found.result) {
	case EAR_PAST_FOUND:
		link->key = found.position;
		link->resolved = true;
		return 0;
	case EAR_PAST_GAP: end_link(builder, link, EAR_VALUE_GAP); return 0;
	case EAR_PAST_NONE: return end_unwritten(builder, link);
	case EAR_PAST_OLDER: break;
	}
	link->key = found.position - (found.position > 0);
	return 0;
}

/* A link whose turn it is, and no open one can have a newer writer. */
static int resolve_older(struct builder *builder, struct link *link)
{
	const struct ear_past *past = builder->past;

	if (link->key < past->first && builder->window_helped) {
		uint64_t end = link->key + 1;
		int result = ear_past_load(builder->past, &end);
		if (result)
			return result;
		builder->window_helped = false;
	} else if (link->key < past->first || link->key >= past->end) {
		builder->window_helped = true;
		return resolve(builder, link, true);
	}
	int result = resolve(builder, link, false);
	builder->window_helped = builder->window_helped || link->resolved;
	return result;
}

static int add_link(struct builder *builder, const struct ear_value_source *source, size_t owner,
	uint64_t before)
{
	if (!EAR_ARRAY_RESERVE(builder->links, &builder->link_capacity, builder->link_count + 1))
		return EAR_E_NO_MEMORY;
	struct link *link = &builder->links[builder->link_count++];
	*link = (struct link){.source = *source, .owner = owner, .before = before, .open = true};
	link->key = before - 1;
	link->source.node = EAR_VALUE_NO_NODE;
	if (!EAR_ARRAY_RESERVE(builder->open, &builder->open_capacity, builder->open_listed + 1))
		return EAR_E_NO_MEMORY;
	builder->open[builder->open_listed++] = builder->link_count - 1;
	builder->open_count++;
	if (source->is_address && !builder->options->addresses)
		end_link(builder, link, EAR_VALUE_NOT_ASKED);
	else if (is_counter(&source->place))
		end_link(builder, link, EAR_VALUE_CORE);
	else if (ear_past_is_device(builder->past, &source->place))
		end_link(builder, link, EAR_VALUE_DEVICE);
	else if (builder->link_count >= LINKS_MAX)
		end_link(builder, link, EAR_VALUE_LIMIT);
	else if (before == 0)
		return end_unwritten(builder, link);
	else
		return resolve(builder, link, false);
	return 0;
}

/* The open link with the newest writer, of several the one that was added last. Few links are open
 * at a time, and many were: a chain with 10000 folded writes spent most of its time on the others.
 */
static size_t newest(struct builder *builder)
{
	size_t best = SIZE_MAX, kept = 0;

	for (size_t i = 0; i < builder->open_listed; i++) {
		const size_t at = builder->open[i];
		if (!builder->links[at].open)
			continue;
		builder->open[kept++] = at;
		if (best == SIZE_MAX || builder->links[at].key >= builder->links[best].key)
			best = at;
	}
	builder->open_listed = kept;
	return best;
}

/* ---- Nodes. ---- */

/* What the record wrote of a place: the whole register, or one whole access. */
static struct ear_value_place written_place(
	const struct ear_record *record, const struct ear_value_place *place)
{
	struct ear_value_place whole = *place;

	if (place->kind == EAR_VALUE_REGISTER)
		return whole;
	for (size_t i = record->memory_count; i > 0; i--) {
		const struct ear_record_access *access = &record->memory[i - 1];
		if (!ear_past_touches(access, place) || !ear_past_is_write(record, access))
			continue;
		if (access->size == 0 || access->size > 8)
			return whole; /* which bytes is not known */
		whole.address = access->address;
		whole.size = access->size;
		return whole;
	}
	return whole;
}

static bool is_same_place(const struct ear_value_place *a, const struct ear_value_place *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == EAR_VALUE_MEMORY)
		return a->address == b->address && a->size == b->size;
	return a->reg_class == b->reg_class && a->number == b->number && a->hart == b->hart;
}

/* The same instruction, writing the same register or to memory. */
static bool is_alike(const struct ear_value_node *node, const struct ear_record *record,
	const struct ear_value_place *place)
{
	return node->pc == record->pc && node->hart == record->hart &&
	       node->place.kind == place->kind &&
	       (place->kind == EAR_VALUE_MEMORY || (node->place.reg_class == place->reg_class &&
							   node->place.number == place->number));
}

/* The oldest node that is alike, and how many there are. */
static size_t count_alike(const struct builder *builder, const struct ear_record *record,
	const struct ear_value_place *place, size_t *oldest)
{
	size_t count = 0;

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	for (size_t i = 0; i < builder->node_count; i++)
		if (is_alike(&builder->nodes[i], record, place)) {
			*oldest = i;
			count++;
		}
	return count;
}

static int fill_node(struct builder *builder, struct ear_value_node *node,
	const struct ear_record *record, uint64_t position, const struct ear_value_place *place)
{
	*node = (struct ear_value_node){.position = position,
		.number = ear_past_number(builder->past, position),
		.hart = record->hart,
		.place = *place,
		.first_position = position};
	node->first_number = node->number;
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		node->pc = record->pc;
		node->opcode = record->opcode;
		const bool none = record->isa != EAR_ISA_RISCV ||
				  record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_INTERRUPT);
		node->opcode_size = none ? 0 : record->opcode_size;
		node->xlen = record->xlen;
	}
	node->after_known = ear_past_written(record, place, &node->after);
	int result = ear_past_value(builder->past, place, position, &node->before);
	node->before_known = result == 1;
	return result < 0 ? result : 0;
}

/* Follow what the record at position computed its value from, as sources of a node. */
static int expand(struct builder *builder, size_t node, const struct ear_record *record,
	uint64_t position, const struct ear_value_place *place)
{
	struct ear_origins origins;

	ear_origins_of(&origins, builder->instructions, record, place);
	if (builder->nodes[node].folded == 0)
		builder->nodes[node].end = origins.end;
	if (origins.end == EAR_VALUE_OPAQUE || origins.end == EAR_VALUE_CORE)
		origins.count = 0;
	for (size_t i = 0; i < origins.count; i++) {
		int result = add_link(builder, &origins.sources[i], node, position);
		if (result)
			return result;
	}
	return 0;
}

/* A part of a memory link: bytes from .. from + size - 1 of it. */
static struct ear_value_source part_of(
	const struct ear_value_source *source, unsigned from, unsigned size)
{
	struct ear_value_source part = *source;

	part.place.address += from;
	part.place.size = (uint8_t)size;
	part.value = source->value >> 8 * from;
	if (size < 8)
		part.value &= ((uint64_t)1 << 8 * size) - 1;
	return part;
}

/* One access wrote only some bytes of what the link reads: the others are links of their own. The
 * record may have written them, too, by another access: the halves of a double, for instance. */
static int split(struct builder *builder, size_t at, const struct ear_value_place *written)
{
	const struct link whole = builder->links[at];
	const uint64_t before = whole.key + 1;
	const struct ear_value_place *place = &whole.source.place;
	unsigned from = 0, end = place->size;
	int result = 0;

	if (place->kind != EAR_VALUE_MEMORY)
		return 0;
	uint64_t offset = written->address - place->address;
	if (offset < place->size)
		from = (unsigned)offset;
	uint64_t last = written->address + written->size - place->address;
	if (last < end)
		end = (unsigned)last;
	builder->links[at].source = part_of(&whole.source, from, end - from);
	if (end < place->size) {
		struct ear_value_source rest = part_of(&whole.source, end, place->size - end);
		result = add_link(builder, &rest, whole.owner, before);
	}
	if (from > 0 && result == 0) {
		struct ear_value_source rest = part_of(&whole.source, 0, from);
		result = add_link(builder, &rest, whole.owner, before);
	}
	return result;
}

static size_t find_met(
	const struct builder *builder, uint64_t position, const struct ear_value_place *place)
{
	for (size_t i = 0; position == builder->met_position && i < builder->met_count; i++)
		if (is_same_place(&builder->met[i].place, place))
			return builder->met[i].node;
	return EAR_VALUE_NO_NODE;
}

static void meet(struct builder *builder, uint64_t position, const struct ear_value_place *place,
	size_t node)
{
	if (position != builder->met_position)
		builder->met_count = 0;
	builder->met_position = position;
	if (builder->met_count == sizeof(builder->met) / sizeof(builder->met[0]))
		return;
	builder->met[builder->met_count].place = *place;
	builder->met[builder->met_count++].node = node;
}

static void lead_to(struct builder *builder, struct link *link, size_t node)
{
	builder->open_count -= link->open;
	link->open = false;
	link->source.end = EAR_VALUE_FOLLOWED;
	link->source.node = node;
	if (link->owner == node) {
		link->dead = true;
		return;
	}
	unsigned depth = link->owner == ROOT ? 0 : builder->nodes[link->owner].depth + 1;
	if (depth < builder->nodes[node].depth)
		builder->nodes[node].depth = depth;
}

/* A write that nobody met so far. */
static int meet_new(struct builder *builder, struct link *link, const struct ear_record *record,
	uint64_t position, const struct ear_value_place *place)
{
	size_t node = 0, count = count_alike(builder, record, place, &node);
	unsigned depth = link->owner == ROOT ? 0 : builder->nodes[link->owner].depth + 1;

	if (count >= builder->options->repeats) {
		const uint64_t step = link->before - position;
		builder->folded_records += step < STEP_RECORDS ? step : STEP_RECORDS;
		if (builder->folded >= builder->options->folded ||
			builder->folded_records > FOLDED_RECORDS) {
			end_link(builder, link, EAR_VALUE_LIMIT);
			return 0;
		}
		builder->folded++;
		builder->nodes[node].folded++;
		builder->nodes[node].first_position = position;
		builder->nodes[node].first_number = ear_past_number(builder->past, position);
		lead_to(builder, link, node);
		meet(builder, position, place, node);
		return expand(builder, node, record, position, place);
	}
	if (builder->node_count >= builder->options->nodes) {
		end_link(builder, link, EAR_VALUE_LIMIT);
		return 0;
	}
	node = builder->node_count++;
	int result = fill_node(builder, &builder->nodes[node], record, position, place);
	if (result)
		return result;
	builder->nodes[node].depth = depth;
	lead_to(builder, link, node);
	meet(builder, position, place, node);
	if (depth < builder->options->depth)
		return expand(builder, node, record, position, place);
	builder->nodes[node].end = EAR_VALUE_LIMIT;
	return 0;
}

/* The writer of a link is known: it is a node, or becomes one. */
static int follow(struct builder *builder, size_t at)
{
	const struct ear_record *record;
	uint64_t position = builder->links[at].key, value;

	int result = ear_past_at(builder->past, position, &record);
	if (result != 1)
		return result < 0 ? result : EAR_E_BAD_FILE;
	struct ear_value_place written = written_place(record, &builder->links[at].source.place);
	result = split(builder, at, &written);
	if (result)
		return result;
	struct link *link = &builder->links[at]; /* after links were added */
	bool known = ear_past_written(record, &link->source.place, &value);
	if (known && link->source.value_known && link->source.value != value) {
		end_link(builder, link,
			link->source.place.kind == EAR_VALUE_REGISTER &&
					link->source.place.reg_class == EAR_REGISTER_CSR
				? EAR_VALUE_CORE
				: EAR_VALUE_CHANGED);
		return 0;
	}
	if (known && !link->source.value_known) {
		link->source.value_known = true;
		link->source.value = value;
	}
	size_t node = find_met(builder, position, &written);
	if (node != EAR_VALUE_NO_NODE) {
		lead_to(builder, link, node);
		return 0;
	}
	return meet_new(builder, link, record, position, &written);
}

static int build(struct builder *builder)
{
	while (builder->open_count > 0) {
		size_t at = newest(builder);
		struct link *link = &builder->links[at];
		int result = link->resolved ? follow(builder, at) : resolve_older(builder, link);
		if (result)
			return result;
	}
	return 0;
}

/* ---- The result. ---- */

struct result {
	struct ear_value_chain chain; /* first: what is handed out */
	struct ear_value_node *nodes;
	struct ear_value_source *sources;
};

/* Those of folded writes are at other addresses. */
static bool is_same_source(
	const struct ear_value_source *a, const struct ear_value_source *b, bool folded)
{
	return a->is_address == b->is_address && a->end == b->end && a->node == b->node &&
	       ((folded && a->node != EAR_VALUE_NO_NODE) || is_same_place(&a->place, &b->place));
}

/* The sources of one owner go behind those of the ones before; each once. */
static size_t add_sources(
	struct ear_value_source *sources, size_t count, const struct builder *builder, bool folded)
{
	const size_t first = count;

	for (size_t i = 0; i < builder->link_count; i++) {
		const struct link *link = &builder->links[i];
		bool is_there = link->dead;
		for (size_t k = first; k < count && !is_there; k++)
			is_there = is_same_source(&sources[k], &link->source, folded);
		if (!is_there)
			sources[count++] = link->source;
	}
	return count;
}

static int by_owner(const void *a, const void *b)
{
	const struct link *one = a, *other = b;

	if (one->owner != other->owner)
		return one->owner + 1 < other->owner + 1 ? -1 : 1; /* ROOT is first */
	return one->before != other->before ? (one->before > other->before ? -1 : 1) : 0;
}

/* Sources in the order of their nodes. */
static void collect(struct result *made, struct builder *builder)
{
	size_t count = 0, first = 0;

	qsort(builder->links, builder->link_count, sizeof(*builder->links), by_owner);
	while (first < builder->link_count) {
		struct builder part = {.links = &builder->links[first]};
		const size_t owner = part.links[0].owner;
		while (first < builder->link_count && builder->links[first].owner == owner) {
			part.link_count++;
			first++;
		}
		const size_t begin = count;
		count = add_sources(made->sources, count, &part,
			owner != ROOT && made->nodes[owner].folded > 0);
		if (owner == ROOT) {
			made->chain.root_count = count;
		} else {
			made->nodes[owner].first_source = begin;
			made->nodes[owner].source_count = count - begin;
		}
	}
	made->chain.source_count = count;
	for (size_t i = 0; i < count; i++)
		made->chain.limited =
			made->chain.limited || made->sources[i].end == EAR_VALUE_LIMIT;
	for (size_t i = 0; i < builder->node_count; i++)
		made->chain.limited = made->chain.limited || made->nodes[i].end == EAR_VALUE_LIMIT;
}

static int give(struct builder *builder, const struct ear_value_source *root,
	const struct ear_value_chain **chain)
{
	struct result *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->sources = calloc(builder->link_count + 1, sizeof(*made->sources));
	if (!made->sources) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	made->nodes = builder->nodes;
	builder->nodes = NULL;
	collect(made, builder);
	made->chain.nodes = made->nodes;
	made->chain.node_count = builder->node_count;
	made->chain.sources = made->sources;
	made->chain.value_known = root->value_known;
	made->chain.value = root->value;
	*chain = &made->chain;
	return 0;
}

int ear_chain_of(struct ear_past *past, const struct ear_value *value,
	const struct ear_value_chain_options *options, const struct ear_value_chain **chain)
{
	struct builder builder = {.past = past, .options = options, .window_helped = true};
	struct ear_value_source root = {.place = value->place, .node = EAR_VALUE_NO_NODE};
	uint64_t before = value->before;
	int result = 0;

	/* With the record at the moment: what is missing just before it matters, too. */
	if (before < past->first || before >= past->end) {
		uint64_t end = before < UINT64_MAX ? before + 1 : before;
		result = ear_past_load(past, &end);
		before = before < end ? before : end;
	}
	if (result == 0)
		result = ear_past_value(past, &root.place, before, &root.value);
	if (result < 0)
		return result;
	root.value_known = result == 1;
	builder.nodes = calloc(options->nodes, sizeof(*builder.nodes));
	result = builder.nodes ? ear_instructions_new(&builder.instructions, NULL, NULL)
			       : EAR_E_NO_MEMORY;
	if (result == 0 && root.place.kind == EAR_VALUE_REGISTER &&
		root.place.reg_class == EAR_REGISTER_X && root.place.number == 0) {
		result = add_link(&builder, &root, ROOT, 0);
		if (result == 0)
			end_link(&builder, &builder.links[0], EAR_VALUE_CONSTANT);
	} else if (result == 0) {
		result = add_link(&builder, &root, ROOT, before);
	}
	if (result == 0)
		result = build(&builder);
	if (result == 0)
		result = give(&builder, &root, chain);
	if (result == EAR_E_NO_MEMORY)
		ear_trace_fail(past->trace, result, "out of memory");
	ear_instructions_free(builder.instructions);
	free(builder.nodes);
	free(builder.links);
	free(builder.open);
	return result;
}

void ear_value_chain_free(const struct ear_value_chain *chain)
{
	struct result *made = (struct result *)(uintptr_t)chain;

	if (!made)
		return;
	free(made->nodes);
	free(made->sources);
	free(made);
}

int ear_chain_options(struct ear_trace *trace, struct ear_value_chain_options *own,
	const struct ear_value_chain_options *options)
{
	const struct ear_value_chain_options defaults = EAR_VALUE_CHAIN_DEFAULTS;

	if (ear_versioned_read(own, sizeof(*own), options ? options : &defaults))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the size of the options is none, or they are of a newer version");
	if (own->nodes > NODES_MAX)
		return ear_trace_fail(
			trace, EAR_E_BAD_ARGUMENT, "a chain has %u nodes at most", NODES_MAX);
	own->nodes = own->nodes ? own->nodes : NODES_DEFAULT;
	own->depth = own->depth ? own->depth : DEPTH_DEFAULT;
	own->repeats = own->repeats ? own->repeats : REPEATS_DEFAULT;
	own->folded = own->folded ? own->folded : FOLDED_DEFAULT;
	return 0;
}

static bool is_possible(const struct ear_value_place *place)
{
	if (place->kind == EAR_VALUE_MEMORY)
		return place->size >= 1 && place->size <= 8 &&
		       place->address + place->size - 1 >= place->address;
	return place->kind == EAR_VALUE_REGISTER &&
	       ((place->reg_class == EAR_REGISTER_CSR && place->number < 4096) ||
		       ((place->reg_class == EAR_REGISTER_X ||
				place->reg_class == EAR_REGISTER_F) &&
			       place->number < 32));
}

int ear_trace_value_chain(struct ear_trace *trace, const struct ear_value *value,
	const struct ear_value_chain_options *options, const struct ear_value_chain **chain,
	const struct ear_progress *progress)
{
	struct ear_value_chain_options own;
	struct ear_past past;

	int result = ear_chain_options(trace, &own, options);
	if (result)
		return result;
	if (!is_possible(&value->place))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"a value is in a register or in 1 to 8 bytes of memory");
	result = ear_past_init(&past, trace, progress);
	if (result)
		return result;
	result = ear_chain_of(&past, value, &own, chain);
	ear_past_fini(&past);
	return result;
}

const char *ear_value_end_name(unsigned end)
{
	static const char *const names[EAR_VALUE_ENDS] = {
		[EAR_VALUE_FOLLOWED] = "followed",
		[EAR_VALUE_CONSTANT] = "constant",
		[EAR_VALUE_IMAGE] = "image",
		[EAR_VALUE_DEVICE] = "device",
		[EAR_VALUE_CORE] = "core",
		[EAR_VALUE_CHANGED] = "changed",
		[EAR_VALUE_BEGIN] = "begin",
		[EAR_VALUE_GAP] = "gap",
		[EAR_VALUE_OPAQUE] = "opaque",
		[EAR_VALUE_LIMIT] = "limit",
		[EAR_VALUE_NOT_ASKED] = "address",
	};

	return end < EAR_VALUE_ENDS ? names[end] : NULL;
}
