/* An update that was lost: a variable was loaded, the handler of an interrupt, another task or
 * another hart stored to it, and then what was made of the loaded value was stored over that.
 *
 * One search reads all accesses to the variable before the cause. A store is looked at where the
 * load that it follows as a rule did not come since the store before. Its chain proves that it was
 * made of an older load, and the call stacks that the store between was of another context.
 */
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"
#include "library/why/chain.h"
#include "library/why/diagnosis.h"

#define RECORDS_MAX    ((uint64_t)1 << 22) /* before the cause that are looked at */
#define VARIABLES_MAX  4                   /* that are looked at */
#define CANDIDATES_MAX 32                  /* of a variable, the newest */
#define PROVEN_MAX     3                   /* of a variable: each asks for two call stacks */
#define STORES_MAX     16                  /* instructions that store to it */
#define CHAIN_NODES    32

struct access {
	uint64_t position, number, pc, value;
	bool known; /* the value */
	uint16_t hart;
};

struct candidate {
	struct access other, store;
};

/* What a store to the variable follows as a rule. */
struct habit {
	uint64_t store_pc, load_pc;
};

struct search {
	struct ear_value_place place;
	struct access last_store, last_load;
	bool has_store, has_load;
	bool loaded; /* since last_store */
	uint64_t load_pcs[STORES_MAX];
	size_t load_count; /* since last_store */
	struct habit habits[STORES_MAX];
	size_t habit_count;
	struct candidate candidates[CANDIDATES_MAX];
	uint64_t count; /* of candidates; the newest are kept */
};

static struct habit *habit_of(struct search *search, uint64_t pc)
{
	for (size_t i = 0; i < search->habit_count; i++)
		if (search->habits[i].store_pc == pc)
			return &search->habits[i];
	return NULL;
}

/* Did the load not come since the store before, by which this store is made as a rule? */
static bool is_candidate(struct search *search, const struct access *store)
{
	const struct habit *habit = habit_of(search, store->pc);

	if (!search->has_store || !search->has_load)
		return false;
	if (!habit)
		return !search->loaded;
	if (search->load_count == STORES_MAX)
		return false;
	for (size_t i = 0; i < search->load_count; i++)
		if (search->load_pcs[i] == habit->load_pc)
			return false;
	return true;
}

static void take_store(struct search *search, const struct access *store)
{
	if (is_candidate(search, store)) {
		search->candidates[search->count++ % CANDIDATES_MAX] =
			(struct candidate){search->last_store, *store};
	} else if (search->loaded) {
		struct habit *habit = habit_of(search, store->pc);
		if (!habit && search->habit_count < STORES_MAX)
			habit = &search->habits[search->habit_count++];
		if (habit)
			*habit = (struct habit){store->pc, search->last_load.pc};
	}
	search->last_store = *store;
	search->has_store = true;
	search->loaded = false;
	search->load_count = 0;
}

static void take_load(struct search *search, const struct access *load)
{
	search->last_load = *load;
	search->has_load = search->loaded = true;
	for (size_t i = 0; i < search->load_count; i++)
		if (search->load_pcs[i] == load->pc)
			return;
	if (search->load_count < STORES_MAX)
		search->load_pcs[search->load_count++] = load->pc;
}

static int take(void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct search *search = context;
	bool reads = false;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (!ear_past_touches(access, &search->place))
			continue;
		const struct access own = {.position = position,
			.number = number,
			.pc = record->pc,
			.hart = record->hart,
			.known = ear_access_is_known(access) &&
				 access->address == search->place.address &&
				 access->size == search->place.size,
			.value = access->value};
		/* An atomic instruction loses nothing. */
		if (access->write && reads)
			search->has_store = false;
		else if (access->write && ear_past_is_write(record, access))
			take_store(search, &own);
		else if (!access->write)
			take_load(search, &own);
		reads = reads || !access->write;
	}
	return 0;
}

/* ---- The proof. ---- */

/* In a chain of what was stored: the newest record that read the variable, and what it read. */
static bool find_load(const struct ear_value_chain *chain, const struct search *search,
	const struct ear_value_node **load, uint64_t *value)
{
	for (size_t i = 0; i < chain->node_count; i++) {
		const struct ear_value_node *node = &chain->nodes[i];
		if (node->folded > 0)
			return false;
		for (size_t k = 0; k < node->source_count; k++) {
			const struct ear_value_source *source =
				&chain->sources[node->first_source + k];
			if (source->place.kind != EAR_VALUE_MEMORY || source->is_address ||
				source->place.address != search->place.address ||
				source->place.size != search->place.size || !source->value_known)
				continue;
			*load = node;
			*value = source->value;
			return true;
		}
	}
	return false;
}

/* Is the newest value of a chain a sum or a difference? To add twice is not to add once. */
static bool is_sum(const struct ear_diagnosis *diagnosis, const struct ear_value_chain *chain)
{
	for (size_t i = 0; i < chain->node_count; i++) {
		const struct ear_value_node *node = &chain->nodes[i];
		struct ear_instruction instruction = {.size = sizeof(instruction)};
		if (node->place.kind == EAR_VALUE_MEMORY)
			continue;
		return node->opcode_size > 0 &&
		       ear_instruction_decode(diagnosis->instructions, &instruction,
			       (uint32_t)node->opcode, node->xlen) == 0 &&
		       (strstr(instruction.mnemonic, "add") || strstr(instruction.mnemonic, "sub"));
	}
	return false;
}

/* The interrupt after the load whose handler stored, by the frames at both stores; or is the stack
 * another one, so that another task stored? */
static int find_context(struct ear_diagnosis *diagnosis, const struct candidate *candidate,
	uint64_t load, uint64_t *interrupt)
{
	const struct ear_query taken = {
		.size = sizeof(taken), .hart = candidate->store.hart, .traps = EAR_QUERY_INTERRUPT};
	struct ear_call_frame *frames, *own = NULL;
	size_t count, own_count = 0;
	int is_other = 0;

	*interrupt = UINT64_MAX;
	if (candidate->other.hart != candidate->store.hart)
		return 1;
	int result = ear_diagnosis_frames(diagnosis, candidate->other.position, &frames, &count);
	if (result == 0)
		result = ear_diagnosis_frames(
			diagnosis, candidate->store.position, &own, &own_count);
	if (result == 0 && count > 0 && own_count > 0) {
		for (size_t i = 0; i < count && !is_other; i++)
			if (frames[i].kind == EAR_FRAME_INTERRUPT && frames[i].position > load) {
				*interrupt = frames[i].position;
				is_other = 1;
			}
		for (size_t i = 0; i < own_count && is_other; i++)
			if (own[i].kind == EAR_FRAME_INTERRUPT && own[i].position == *interrupt)
				is_other = 0;
		if (!is_other && frames[0].stack != own[0].stack)
			is_other = 1;
	}
	free(frames);
	free(own);
	if (result || !is_other || *interrupt != UINT64_MAX)
		return result ? result : is_other;
	result = ear_trace_find(diagnosis->past->trace, &taken, load + 1, EAR_FORWARD, interrupt,
		diagnosis->past->progress);
	if (result != 1 || *interrupt >= candidate->other.position)
		*interrupt = UINT64_MAX;
	return result < 0 ? result : 1;
}

static int place_of(struct ear_diagnosis *diagnosis, uint64_t position, struct ear_why_place *place)
{
	const struct ear_record *record;

	const int result = ear_past_peek(diagnosis->past, position, &record);
	if (result == 1)
		*place = ear_diagnosis_place_of(record, position, diagnosis->past->peeked_number);
	return result < 0 ? result : 0;
}

/* Was an update lost here? Returns 1 and fills *lost, 0 or an error. */
static int prove(struct ear_diagnosis *diagnosis, const struct search *search,
	const struct candidate *candidate, struct ear_why_lost *lost)
{
	const struct ear_value value = {search->place, candidate->store.position + 1};
	const struct ear_value_chain_options wanted = {
		.size = sizeof(wanted), .nodes = CHAIN_NODES, .depth = CHAIN_NODES};
	const struct ear_value_node *load = NULL;
	const struct ear_value_chain *chain;
	struct ear_value_chain_options options;
	uint64_t interrupt;

	if (!candidate->other.known || !candidate->store.known)
		return 0;
	int result = ear_chain_options(diagnosis->past->trace, &options, &wanted);
	if (result == 0)
		result = ear_chain_of(diagnosis->past, &value, &options, &chain);
	if (result)
		return result;
	*lost = (struct ear_why_lost){.place = search->place,
		.other_value = candidate->other.value,
		.stored = candidate->store.value};
	const bool is_old =
		chain->node_count > 0 && chain->nodes[0].position == candidate->store.position &&
		find_load(chain, search, &load, &lost->loaded) &&
		load->position < candidate->other.position && load->hart == candidate->store.hart;
	/* What the other one stored is lost if it was new, and is not what is there now. */
	const bool is_lost = is_old && lost->loaded != lost->other_value &&
			     (lost->stored != lost->other_value || is_sum(diagnosis, chain));
	const uint64_t position = is_lost ? load->position : 0;
	ear_value_chain_free(chain);
	if (!is_lost)
		return 0;
	result = find_context(diagnosis, candidate, position, &interrupt);
	if (result != 1)
		return result;
	result = place_of(diagnosis, position, &lost->load);
	if (result == 0)
		result = place_of(diagnosis, candidate->other.position, &lost->other);
	if (result == 0)
		result = place_of(diagnosis, candidate->store.position, &lost->store);
	if (result == 0 && interrupt != UINT64_MAX)
		result = place_of(diagnosis, interrupt, &lost->interrupt);
	return result ? result : lost->load.known && lost->other.known && lost->store.known;
}

/* ---- The variables. ---- */

static const struct ear_symbol *object_at(const struct ear_names *names, uint64_t address)
{
	uint64_t offset;
	const struct ear_symbol *symbol = ear_names_symbol_at(names, address, &offset);

	return symbol && symbol->kind == EAR_NAMES_OBJECT && symbol->size > offset ? symbol : NULL;
}

/* Memory that is a variable, and not the one that the stack is in. */
static int is_variable(struct ear_diagnosis *diagnosis, const struct ear_value_place *place)
{
	const struct ear_names *names = diagnosis->options->names;
	const struct ear_symbol *object = object_at(names, place->address);
	const struct ear_value_place stack = {
		.kind = EAR_VALUE_REGISTER, .number = 2, .hart = diagnosis->why.hart};
	uint64_t sp;

	if (!object || ear_past_is_device(diagnosis->past, place))
		return 0;
	const int result =
		ear_past_value(diagnosis->past, &stack, diagnosis->why.place.position, &sp);
	if (result != 1)
		return result;
	return object_at(names, sp) != object && object_at(names, sp - 1) != object;
}

/* All accesses to a variable before a position, and then the proof for the newest that may be. */
static int look_at(
	struct ear_diagnosis *diagnosis, const struct ear_value_place *place, uint64_t end)
{
	struct ear_why_lost *lost = &diagnosis->why.lost, found;
	const struct ear_span span = {place->address, place->address + place->size - 1};
	struct ear_query query = EAR_QUERY_ANY;
	struct search *search = calloc(1, sizeof(*search));

	if (!search)
		return ear_trace_fail(diagnosis->past->trace, EAR_E_NO_MEMORY, "out of memory");
	search->place = *place;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	query.addresses = &span;
	query.address_count = 1;
	int result = ear_trace_find_all(diagnosis->past->trace, &query,
		end > RECORDS_MAX ? end - RECORDS_MAX : 0, end, take, search,
		diagnosis->past->progress);
	for (uint64_t i = 0;
		result == 0 && i < search->count && i < CANDIDATES_MAX && lost->count < PROVEN_MAX;
		i++) {
		result = prove(diagnosis, search,
			&search->candidates[(search->count - 1 - i) % CANDIDATES_MAX], &found);
		if (result == 1 && lost->count++ == 0) {
			found.count = 1;
			*lost = found;
		}
		result = result < 0 ? result : 0;
	}
	free(search);
	return result;
}

static void say(struct ear_diagnosis *diagnosis)
{
	const struct ear_why *why = &diagnosis->why;
	char name[EAR_WHY_TEXT_MAX / 4] = "", text[EAR_WHY_TEXT_MAX / 2 + 32];

	ear_names_text(diagnosis->options->names, why->lost.place.address, name, sizeof(name));
	memcpy(text, why->text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ear_diagnosis_say(diagnosis, "lost update of %s: %s", name, text);
}

/* Places of the chains, each once. */
static bool is_new(
	const struct ear_value_place *places, size_t count, const struct ear_value_place *place)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].address == place->address)
			return false;
	return true;
}

int ear_diagnose_lost(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_value_place looked[VARIABLES_MAX];
	size_t count = 0;

	if (!diagnosis->options->names || !why->place.known ||
		(why->kind != EAR_WHY_TRAP && why->kind != EAR_WHY_EXIT &&
			why->kind != EAR_WHY_HANG))
		return 0;
	for (size_t i = 0; i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		for (size_t k = 0; k < chain->node_count && why->lost.count == 0; k++) {
			const struct ear_value_node *node = &chain->nodes[k];
			if (node->place.kind != EAR_VALUE_MEMORY || count == VARIABLES_MAX ||
				!is_new(looked, count, &node->place))
				continue;
			int result = is_variable(diagnosis, &node->place);
			if (result == 1) {
				looked[count++] = node->place;
				result = look_at(diagnosis, &node->place, node->position + 1);
			}
			if (result < 0)
				return result;
		}
	}
	if (why->lost.count > 0)
		say(diagnosis);
	return 0;
}
