/* The records before a position. Chains of values go back in steps that are mostly short, so a
 * window of records is kept as copies and searched directly; one step further is a search of the
 * library, which has an index.
 */
#include "library/why/past.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "library/api/indexed.h"
#include "library/api/trace_internal.h"
#include "library/memory/memory_state.h"

#define HARTS_MAX   64
#define CHECKED_MAX ((uint64_t)1 << 20) /* records whose indexes are checked at a time */
#define KNOWN_COUNT 1024u               /* a power of 2 */

/* Nothing wrote the place in low .. high - 1, and no record is missing there. result: what is
 * before low: the writer is at low - 1, there is none, records are missing, or it is not known
 * (OLDER). high 0: nothing is known. */
struct ear_past_known {
	struct ear_value_place place;
	uint64_t low, high;
	enum ear_past_result result;
};

/* The index of the oldest record seen of each hart, on the way back. */
struct indexes {
	struct {
		uint16_t hart;
		uint64_t index;
	} of[HARTS_MAX];
	size_t count;
};

/* Of a hart (-1: of all) no index is missing in positions low .. high. high 0: nothing is known. */
struct ear_past_complete {
	int hart;
	uint64_t low, high;
	struct indexes oldest;
};

int ear_past_init(
	struct ear_past *past, struct ear_trace *trace, const struct ear_progress *progress)
{
	*past = (struct ear_past){.trace = trace, .progress = progress};
	int result = ear_trace_need_places(trace, "going back");
	if (result == 0)
		result = ear_trace_need_index(trace, progress);
	if (result == 0)
		result = ear_trace_need_private_index(trace, progress);
	if (result)
		return result;
	past->cursor = ear_trace_cursor(trace);
	past->cursor.with_reads = true;
	past->blocks = calloc(EAR_PAST_BLOCKS + 1, sizeof(*past->blocks));
	past->known = calloc(KNOWN_COUNT, sizeof(*past->known));
	past->complete = calloc(1, sizeof(*past->complete));
	if (past->blocks && past->known && past->complete)
		return 0;
	ear_past_fini(past);
	return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
}

void ear_past_fini(struct ear_past *past)
{
	if (past->trace)
		ear_cursor_close(&past->cursor);
	for (size_t i = 0; i < past->block_count; i++)
		free(past->blocks[i]);
	free(past->blocks);
	free(past->records);
	free(past->numbers);
	free(past->peeked_memory);
	free(past->known);
	free(past->complete);
	*past = (struct ear_past){0};
}

/* ---- What a record wrote. ---- */

bool ear_past_is_write(const struct ear_record *record, const struct ear_record_access *access)
{
	if (!access->write || access->masked || access->aborted || record->flags & EAR_RECORD_TRAP)
		return false;
	if (access->has_value || record->opcode_size != 4)
		return true;
	/* A sc that failed writes nothing. */
	const bool is_sc = (record->opcode & 0x7F) == 0x2F && (record->opcode >> 27 & 0x1F) == 3;
	return !(is_sc && record->isa == EAR_ISA_RISCV && record->register_count > 0 &&
		 record->registers[0].value != 0);
}

bool ear_past_touches(const struct ear_record_access *access, const struct ear_value_place *place)
{
	uint64_t size = access->size ? access->size : 8;

	return access->address - place->address < place->size ||
	       place->address - access->address < size;
}

static bool is_register(const struct ear_record_register *reg, const struct ear_value_place *place)
{
	return reg->reg_class == place->reg_class && reg->number == place->number;
}

/* CSRs that show the same bits. Each line ends with 0. */
static const uint16_t *other_names(unsigned number)
{
	static const uint16_t names[][4] = {
		{0x001, 0x003},        /* fflags, fcsr */
		{0x002, 0x003},        /* frm */
		{0x003, 0x001, 0x002}, /* fcsr */
		{0x100, 0x300},        /* sstatus, mstatus */
		{0x300, 0x100},
		{0x104, 0x304}, /* sie, mie */
		{0x304, 0x104},
	};
	static const uint16_t none[1];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0] == number)
			return names[i] + 1;
	return none;
}

static bool is_csr(const struct ear_value_place *place)
{
	return place->kind == EAR_VALUE_REGISTER && place->reg_class == EAR_REGISTER_CSR;
}

/* A trap writes these, also where the trace does not list it. */
static bool is_trap_csr(const struct ear_value_place *place)
{
	const unsigned number = place->number;

	return is_csr(place) && (number == 0x300 || (number >= 0x341 && number <= 0x343) ||
					number == 0x100 || (number >= 0x141 && number <= 0x143));
}

static bool is_trap(const struct ear_record *record)
{
	return record->kind == EAR_RECORD_INSTRUCTION &&
	       record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
}

/* A trap whose record lists no CSR at all. */
static bool is_bare_trap(const struct ear_record *record)
{
	if (!is_trap(record))
		return false;
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR)
			return false;
	return true;
}

static bool writes_under_other_name(
	const struct ear_record *record, const struct ear_value_place *place)
{
	for (const uint16_t *other = other_names(place->number); *other; other++)
		for (size_t i = 0; i < record->register_count; i++)
			if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
				record->registers[i].number == *other)
				return true;
	return false;
}

static bool writes(const struct ear_record *record, const struct ear_value_place *place)
{
	if (place->kind == EAR_VALUE_MEMORY) {
		for (size_t i = 0; i < record->memory_count; i++)
			if (ear_past_touches(&record->memory[i], place) &&
				ear_past_is_write(record, &record->memory[i]))
				return true;
		return false;
	}
	if (record->hart != place->hart)
		return false;
	for (size_t i = 0; i < record->register_count; i++)
		if (is_register(&record->registers[i], place))
			return true;
	return is_csr(place) && (writes_under_other_name(record, place) ||
					(is_trap_csr(place) && is_bare_trap(record)));
}

/* The bytes of a place that an access shows, into bytes and known. */
static void show(const struct ear_record_access *access, const struct ear_value_place *place,
	uint8_t *bytes, uint8_t *known)
{
	for (unsigned i = 0; i < place->size; i++) {
		uint64_t offset = place->address + i - access->address;
		if (offset >= access->size || known[i])
			continue;
		bytes[i] = (uint8_t)(access->value >> 8 * offset);
		known[i] = ear_access_is_known(access) ? 1 : 2;
	}
}

static bool gather(const uint8_t *bytes, const uint8_t *known, unsigned size, uint64_t *value)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < size; i++) {
		if (known[i] != 1)
			return false;
		all |= (uint64_t)bytes[i] << 8 * i;
	}
	*value = all;
	return true;
}

bool ear_past_written(
	const struct ear_record *record, const struct ear_value_place *place, uint64_t *value)
{
	uint8_t bytes[8] = {0}, known[8] = {0};

	if (place->kind == EAR_VALUE_MEMORY) {
		for (size_t i = record->memory_count; i > 0; i--)
			if (ear_past_is_write(record, &record->memory[i - 1]))
				show(&record->memory[i - 1], place, bytes, known);
		return gather(bytes, known, place->size, value);
	}
	for (size_t i = record->register_count; i > 0; i--)
		if (is_register(&record->registers[i - 1], place)) {
			*value = record->registers[i - 1].value;
			return record->hart == place->hart;
		}
	return false;
}

/* ---- Gaps. ---- */

static uint64_t *index_of(struct indexes *indexes, uint16_t hart)
{
	for (size_t i = 0; i < indexes->count; i++)
		if (indexes->of[i].hart == hart)
			return &indexes->of[i].index;
	return NULL;
}

static void add_index(struct indexes *indexes, uint16_t hart, uint64_t index)
{
	if (indexes->count == HARTS_MAX)
		return;
	indexes->of[indexes->count].hart = hart;
	indexes->of[indexes->count++].index = index;
}

/* Does the record show, on the way back, that records are missing that matter to the place? */
static bool is_gap(struct indexes *indexes, const struct ear_record *record,
	const struct ear_value_place *place)
{
	if (place->kind == EAR_VALUE_REGISTER && record->hart != place->hart)
		return false;
	if (record->kind == EAR_RECORD_GAP)
		return ear_gap_forgets(&record->u.gap) && record->u.gap.reason != EAR_GAP_REPEATED;
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	uint64_t *index = index_of(indexes, record->hart);
	const bool jumps = index && *index > record->index + 1;
	if (index)
		*index = record->index;
	else
		add_index(indexes, record->hart, record->index);
	return jumps;
}

/* Back through the window to the first record for which stop is true, or a gap. */
static enum ear_past_result walk_back(const struct ear_past *past,
	const struct ear_value_place *place, uint64_t before, uint64_t *position)
{
	struct indexes indexes = {.count = 0};
	const struct ear_record *at = ear_past_in_window(past, before);

	/* The record that reads is one after which nothing may be missing. */
	if (at && at->kind != EAR_RECORD_GAP)
		(void)is_gap(&indexes, at, place);
	for (uint64_t i = before < past->end ? before : past->end; i > past->first; i--) {
		const struct ear_record *record = &past->records[i - 1 - past->first];
		if (is_gap(&indexes, record, place))
			return EAR_PAST_GAP;
		if (writes(record, place)) {
			*position = i - 1;
			return EAR_PAST_FOUND;
		}
	}
	return past->first == 0 ? EAR_PAST_NONE : EAR_PAST_OLDER;
}

/* ---- What is older than the window. ---- */

static int find_back(
	struct ear_past *past, const struct ear_query *query, uint64_t before, uint64_t *position)
{
	return ear_trace_find(past->trace, query, before, EAR_BACKWARD, position, past->progress);
}

static struct ear_query query_of(const struct ear_value_place *place, struct ear_span *span)
{
	struct ear_query query = EAR_QUERY_ANY;

	if (place->kind == EAR_VALUE_MEMORY) {
		uint64_t last = place->address + place->size - 1;
		*span = (struct ear_span){
			place->address, last < place->address ? UINT64_MAX : last};
		query.addresses = span;
		query.address_count = 1;
		query.accesses = EAR_QUERY_WRITE;
	} else {
		query.hart = place->hart;
		query.has_register = true;
		query.register_class = place->reg_class;
		query.register_number = place->number;
	}
	return query;
}

struct check {
	struct indexes first, last;
};

static int check_index(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct check *check = context;
	uint64_t *last = index_of(&check->last, record->hart);

	(void)position;
	(void)number;
	if (!last) {
		add_index(&check->first, record->hart, record->index);
		add_index(&check->last, record->hart, record->index);
		return 0;
	}
	const bool jumps = record->index > *last + 1;
	*last = record->index;
	return jumps;
}

/* Do indexes follow each other in positions from .. complete->low - 1, and on? 1: they do, and low
 * is from; 0: they do not; or an error. */
static int extend_complete(struct ear_past *past, uint64_t from)
{
	struct ear_past_complete *complete = past->complete;
	struct ear_query query = EAR_QUERY_ANY;
	struct check check = {.first.count = 0};

	query.hart = complete->hart;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	int result = ear_trace_find_all(
		past->trace, &query, from, complete->low, check_index, &check, past->progress);
	if (result != 0)
		return result < 0 ? result : 0;
	for (size_t i = 0; i < check.last.count; i++) {
		const uint16_t hart = check.last.of[i].hart;
		uint64_t *oldest = index_of(&complete->oldest, hart);
		if (oldest && *oldest > check.last.of[i].index + 1)
			return 0;
		if (oldest)
			*oldest = check.first.of[i].index;
		else
			add_index(&complete->oldest, hart, check.first.of[i].index);
	}
	complete->low = from;
	return 1;
}

/* Are there all indexes of a hart, -1: of all, in positions first .. last? 1, 0 or an error. What
 * is checked is kept, so a chain that goes back reads nothing twice. */
static int is_complete(struct ear_past *past, int hart, uint64_t first, uint64_t last)
{
	struct ear_past_complete *complete = past->complete;

	if (complete->high == 0 || complete->hart != hart || last > complete->high ||
		last < complete->low)
		*complete =
			(struct ear_past_complete){.hart = hart, .low = last + 1, .high = last + 1};
	while (complete->low > first) {
		const uint64_t from =
			complete->low - first > CHECKED_MAX ? complete->low - CHECKED_MAX : first;
		int result = extend_complete(past, from);
		if (result != 1)
			return result;
	}
	return 1;
}

/* The first instruction at a position or after it. Returns 1, its position and number, 0 or an
 * error. */
static int first_instruction(struct ear_past *past, int hart, uint64_t from, uint64_t *position,
	const struct ear_record **record)
{
	struct ear_query query = EAR_QUERY_ANY;

	for (uint64_t i = from; i < past->end && from >= past->first; i++) {
		*record = ear_past_in_window(past, i);
		if ((*record)->kind != EAR_RECORD_INSTRUCTION ||
			(hart >= 0 && (*record)->hart != hart))
			continue;
		*position = i;
		return ear_past_peek(past, i, record);
	}
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	query.hart = hart;
	int result =
		ear_trace_find(past->trace, &query, from, EAR_FORWARD, position, past->progress);
	return result == 1 ? ear_past_peek(past, *position, record) : result;
}

bool ear_past_has_gaps(const struct ear_past *past)
{
	return !past->trace->counted || past->trace->counts.gaps > 0;
}

bool ear_past_is_capture(const struct ear_past *past)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	return ear_trace_facts(past->trace, &facts) == 0 && strcmp(facts.format, "shot") == 0;
}

/* Are records missing after a position and up to before? Gap records say so. Texts have none where
 * somebody left lines out: then an index advances by more than one. Of one hart alone the indexes
 * and numbers of both ends show that, else those between are read. 1, 0 or an error. */
static int is_gap_between(struct ear_past *past, const struct ear_value_place *place,
	uint64_t position, uint64_t before)
{
	const int hart = place->kind == EAR_VALUE_REGISTER ? place->hart : -1;
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	uint64_t gap, at;

	query.kinds = 1u << EAR_RECORD_GAP;
	query.hart = hart;
	int result = ear_past_has_gaps(past) ? find_back(past, &query, before, &gap) : 0;
	if (result < 0 || (result == 1 && gap > position))
		return result;
	result = first_instruction(past, hart, before, &at, &record);
	if (result != 1)
		return result;
	const uint64_t index = record->index, number = past->peeked_number;
	const uint16_t newer_hart = record->hart;
	result = ear_past_peek(past, position, &record);
	if (result != 1)
		return result;
	if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == newer_hart) {
		const uint64_t advance = index - record->index;
		const uint64_t count = number - past->peeked_number;
		if (advance >= count)
			return advance > count;
	}
	if (ear_past_is_capture(past))
		return 0;
	result = is_complete(past, hart, position, at);
	return result < 0 ? result : !result;
}

/* The newest record that may have written the place. with_traps: any trap may have. Returns as
 * ear_trace_find. */
static int find_writer(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	bool with_traps, uint64_t *position)
{
	struct ear_value_place other = *place;
	struct ear_span span;
	const struct ear_query query = query_of(place, &span);
	struct ear_query traps = EAR_QUERY_ANY;
	uint64_t found;

	int result = find_back(past, &query, before, position);
	bool any = result == 1;
	if (!is_csr(place))
		return result;
	for (const uint16_t *name = other_names(place->number); result >= 0 && *name; name++) {
		other.number = *name;
		const struct ear_query named = query_of(&other, &span);
		result = find_back(past, &named, before, &found);
		if (result == 1 && (!any || found > *position)) {
			*position = found;
			any = true;
		}
	}
	if (result < 0 || !with_traps)
		return result < 0 ? result : any;
	traps.hart = place->hart;
	traps.traps = EAR_QUERY_EXCEPTION | EAR_QUERY_INTERRUPT;
	result = find_back(past, &traps, before, &found);
	if (result == 1 && (!any || found > *position)) {
		*position = found;
		any = true;
	}
	return result < 0 ? result : any;
}

static int search_older(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	struct ear_past_found *found)
{
	const struct ear_record *record;
	bool with_traps = is_trap_csr(place);
	int result;

	for (uint64_t from = before;;) {
		result = find_writer(past, place, from, with_traps, &found->position);
		if (result < 0)
			return result;
		if (result == 0) {
			result = is_gap_between(past, place, 0, before);
			found->result = result == 1 ? EAR_PAST_GAP : EAR_PAST_NONE;
			return result < 0 ? result : 0;
		}
		from = found->position;
		result = ear_past_peek(past, from, &record);
		if (result < 0)
			return result;
		if (result == 1 && writes(record, place))
			break;
		/* The traps of this trace list what they write. */
		with_traps = with_traps && result == 1 && !is_trap(record);
	}
	result = is_gap_between(past, place, found->position, before);
	found->result = result == 1 ? EAR_PAST_GAP : EAR_PAST_FOUND;
	return result < 0 ? result : 0;
}

/* ---- What is known of places. ---- */

static struct ear_past_known *known_of(
	const struct ear_past *past, const struct ear_value_place *place)
{
	const uint64_t key = place->kind == EAR_VALUE_MEMORY
				     ? place->address * 8 + place->size
				     : (uint64_t)place->hart << 20 |
					       (uint64_t)place->reg_class << 16 | place->number;

	return &past->known[ear_hash_index(key, KNOWN_COUNT)];
}

static bool is_same_place(const struct ear_value_place *a, const struct ear_value_place *b)
{
	return a->kind == b->kind && a->reg_class == b->reg_class && a->number == b->number &&
	       a->hart == b->hart && a->size == b->size && a->address == b->address;
}

static bool is_known(
	const struct ear_past_known *known, const struct ear_value_place *place, uint64_t before)
{
	return known->high != 0 && is_same_place(&known->place, place) && before >= known->low &&
	       before <= known->high;
}

static void remember(struct ear_past_known *known, const struct ear_value_place *place,
	uint64_t before, uint64_t low, enum ear_past_result result)
{
	if (!is_known(known, place, before)) {
		known->place = *place;
		known->high = before;
	}
	known->low = low;
	known->result = result;
}

int ear_past_last_write(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	bool far, struct ear_past_found *found)
{
	struct ear_past_known *known = known_of(past, place);
	uint64_t from = before;

	*found = (struct ear_past_found){EAR_PAST_OLDER, 0};
	if (is_known(known, place, before)) {
		from = known->low;
		*found = (struct ear_past_found){known->result, from - (from > 0)};
		if (known->result != EAR_PAST_OLDER)
			return 0;
	}
	if (from > past->first && from <= past->end) {
		found->result = walk_back(past, place, from, &found->position);
		if (found->result == EAR_PAST_GAP)
			return 0;
		if (found->result == EAR_PAST_OLDER)
			from = past->first;
	}
	if (found->result == EAR_PAST_OLDER && far) {
		int result = search_older(past, place, from, found);
		if (result)
			return result;
	}
	if (found->result == EAR_PAST_FOUND)
		from = found->position + 1;
	else if (found->result == EAR_PAST_NONE)
		from = 0;
	else if (found->result == EAR_PAST_OLDER)
		found->position = from;
	remember(known, place, before, from, found->result);
	return 0;
}

/* ---- Values. ---- */

/* What a record shows of a register: what it read and, after that, what it wrote. */
static bool shows_register(
	const struct ear_record *record, const struct ear_value_place *place, uint64_t *value)
{
	const struct ear_record_extra *extra = record->extra;

	if (record->hart != place->hart)
		return false;
	if (ear_past_written(record, place, value))
		return true;
	for (size_t i = 0; extra && i < extra->read_count; i++)
		if (is_register(&extra->reads[i], place)) {
			*value = extra->reads[i].value;
			return true;
		}
	return false;
}

static int value_of_register(struct ear_past *past, const struct ear_value_place *place,
	uint64_t before, uint64_t *value)
{
	struct indexes indexes = {.count = 0};
	struct ear_past_found found;
	const struct ear_record *record;

	if (before > past->first && before <= past->end) {
		const struct ear_record *at = ear_past_in_window(past, before);
		if (at && at->kind != EAR_RECORD_GAP)
			(void)is_gap(&indexes, at, place);
		for (uint64_t i = before; i > past->first; i--) {
			record = &past->records[i - 1 - past->first];
			if (is_gap(&indexes, record, place))
				return 0;
			if (shows_register(record, place, value))
				return 1;
			if (writes(record, place))
				return 0;
		}
	}
	int result = ear_past_last_write(past, place, before, true, &found);
	if (result || found.result != EAR_PAST_FOUND)
		return result;
	result = ear_past_peek(past, found.position, &record);
	return result == 1 ? ear_past_written(record, place, value) : result;
}

static int value_of_memory(struct ear_past *past, const struct ear_value_place *place,
	uint64_t before, uint64_t *value)
{
	struct indexes indexes = {.count = 0};
	uint8_t bytes[8] = {0}, known[8] = {0};
	struct ear_past_found found;
	const struct ear_record *record;

	if (before > past->first && before <= past->end) {
		for (uint64_t i = before; i > past->first; i--) {
			record = &past->records[i - 1 - past->first];
			if (is_gap(&indexes, record, place))
				return 0;
			for (size_t k = record->memory_count; k > 0; k--) {
				const struct ear_record_access *access = &record->memory[k - 1];
				if (access->write ? ear_past_is_write(record, access)
						  : ear_access_is_known(access))
					show(access, place, bytes, known);
			}
			if (gather(bytes, known, place->size, value))
				return 1;
		}
	}
	for (unsigned i = 0; i < place->size; i++)
		if (known[i])
			return 0; /* a part is older: it may be, but is not worth a search */
	int result = ear_past_last_write(past, place, before, true, &found);
	if (result)
		return result;
	if (found.result == EAR_PAST_NONE)
		return ear_past_image(past, place, value);
	if (found.result != EAR_PAST_FOUND)
		return 0;
	result = ear_past_peek(past, found.position, &record);
	return result == 1 ? ear_past_written(record, place, value) : result;
}

int ear_past_value(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	uint64_t *value)
{
	if (place->kind == EAR_VALUE_MEMORY)
		return ear_past_is_device(past, place)
			       ? 0
			       : value_of_memory(past, place, before, value);
	if (place->reg_class == EAR_REGISTER_X && place->number == 0) {
		*value = 0;
		return 1;
	}
	return value_of_register(past, place, before, value);
}

/* Does the trace begin where its program does? 1, 0 or an error. */
static int begins_with_program(struct ear_past *past)
{
	const struct ear_record *record;

	if (past->begins_asked)
		return past->begins;
	int result = ear_past_peek(past, 0, &record);
	if (result < 0)
		return result;
	past->begins_asked = true;
	past->begins = result == 1 && record->kind == EAR_RECORD_INSTRUCTION && record->index <= 1;
	return past->begins;
}

int ear_past_image(struct ear_past *past, const struct ear_value_place *place, uint64_t *value)
{
	const struct ear_trace_memory *memory = &past->trace->memory;
	uint64_t all = 0;
	bool writable = false;
	unsigned have = 0;

	for (unsigned i = 0; i < place->size; i++)
		for (size_t s = 0; s < memory->image_count; s++) {
			const struct ear_memory_segment *segment = &memory->image[s];
			uint64_t offset = place->address + i - segment->address;
			if (offset >= segment->size)
				continue;
			all |= (uint64_t)segment->bytes[offset] << 8 * i;
			writable = writable || segment->writable;
			have++;
			break;
		}
	if (have != place->size)
		return 0;
	int result = writable ? begins_with_program(past) : 1;
	if (result == 1)
		*value = all;
	return result;
}

bool ear_past_is_device(const struct ear_past *past, const struct ear_value_place *place)
{
	const struct ear_trace_options *options = &past->trace->options;

	for (size_t i = 0; place->kind == EAR_VALUE_MEMORY && i < options->device_count; i++)
		if (place->address <= options->devices[i].last &&
			place->address + place->size - 1 >= options->devices[i].first)
			return true;
	return false;
}
