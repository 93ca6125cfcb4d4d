/* Branches and their predictors, found by pc and hart in a hash table.
 *
 * How often a counter mispredicts depends on the state in which it enters a part, which a part does
 * not know. So a part follows it from each of the four states: a function from the entry state to
 * mispredictions and the state at the end. Functions of consecutive parts compose, which is the
 * join. The whole enters in EAR_BRANCHES_INITIAL.
 */
#include "analyses/branches/branches.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/base/numbering.h"

#define STATES EAR_BRANCHES_STATES

struct branch {
	uint64_t pc;
	uint64_t taken, not_taken, unknown;
	uint64_t misses[STATES]; /* by the state at the begin */
	uint8_t states[STATES];  /* likewise: the one that it is in now */
	uint16_t hart;
};

struct ear_branches {
	struct branch *list; /* in the order in which they first ran */
	uint32_t count;
	struct ear_numbering numbering;
	struct ear_branches_sums sums;
	bool skips; /* the next batch is of a task that is not wanted */
};

static int create(void **count, const struct ear_analysis_setup *setup)
{
	(void)setup;
	*count = calloc(1, sizeof(struct ear_branches));
	return *count ? 0 : EAR_E_NO_MEMORY;
}

static void free_count(void *count)
{
	struct ear_branches *branches = count;

	if (!branches)
		return;
	free(branches->list);
	ear_numbering_fini(&branches->numbering);
	free(branches);
}

/* ---- The table. ---- */

static uint32_t *slot_of(const struct ear_branches *branches, uint64_t pc, uint16_t hart)
{
	const struct ear_numbering *numbering = &branches->numbering;
	uint32_t at = ear_numbering_first(numbering, ear_numbering_hash(pc, hart));

	for (; numbering->places[at] != 0; at = ear_numbering_next(numbering, at)) {
		const struct branch *branch = &branches->list[numbering->places[at] - 1];
		if (branch->pc == pc && branch->hart == hart)
			break;
	}
	return &numbering->places[at];
}

/* The branch; it is new if branches->count grows. NULL if there is no room for it. Returns 0 or
 * EAR_E_NO_MEMORY. */
static int find(struct ear_branches *branches, uint64_t pc, uint16_t hart, struct branch **branch)
{
	const uint32_t number = branches->count > 0 ? *slot_of(branches, pc, hart) : 0;
	struct branch *list = branches->list;
	bool again;

	*branch = number > 0 ? &list[number - 1] : NULL;
	if (number > 0 || branches->count == EAR_BRANCHES_MAX)
		return 0;
	list = ear_numbering_grow(
		&branches->numbering, list, sizeof(*list), branches->count, &again);
	if (!list)
		return EAR_E_NO_MEMORY;
	branches->list = list;
	for (uint32_t i = 0; again && i < branches->count; i++)
		*slot_of(branches, list[i].pc, list[i].hart) = i + 1;
	*branch = &list[branches->count++];
	**branch = (struct branch){.pc = pc, .hart = hart, .states = {0, 1, 2, 3}};
	*slot_of(branches, pc, hart) = branches->count;
	return 0;
}

/* ---- Counting. ---- */

/* BRANCH without its two free funct3, c.beqz and c.bnez. */
static inline bool is_branch(uint32_t opcode)
{
	return (opcode & 0x7F) == 0x63 ? (opcode >> 13 & 3) != 1 : (opcode & 0xC003) == 0xC001;
}

static void predict(struct branch *branch, bool taken)
{
	for (unsigned i = 0; i < STATES; i++) {
		const uint8_t state = branch->states[i];
		branch->misses[i] += (state >= 2) != taken;
		branch->states[i] = (uint8_t)(taken ? state + (state < 3) : state - (state > 0));
	}
	branch->taken += taken;
	branch->not_taken += !taken;
}

static int count_branch(
	struct ear_branches *branches, uint64_t pc, uint16_t hart, bool known, bool taken)
{
	struct branch *branch;
	const int result = find(branches, pc, hart, &branch);

	if (result)
		return result;
	if (!branch)
		branches->sums.left_out++;
	else if (known)
		predict(branch, taken);
	else
		branch->unknown++;
	return 0;
}

/* Records that all retired, and have opcodes of RISC-V and outcomes. */
static int count_run(struct ear_branches *branches, const struct ear_batch *batch)
{
	int result = 0;

	for (size_t i = 0; i < batch->count && result == 0; i++) {
		const struct ear_compact_record *record = &batch->compacts[i];
		if (is_branch(record->opcode))
			result = count_branch(branches, record->pc, batch->run->hart, true,
				record->flags & EAR_COMPACT_TAKEN);
	}
	branches->sums.retired += batch->count;
	return result;
}

static int count_record(struct ear_branches *branches, const struct ear_record *record)
{
	branches->sums.gaps += record->kind == EAR_RECORD_GAP;
	if (record->kind != EAR_RECORD_INSTRUCTION ||
		record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return 0;
	branches->sums.retired++;
	if (record->flags & EAR_RECORD_NO_OPCODE || record->isa != EAR_ISA_RISCV) {
		branches->sums.without++;
		return 0;
	}
	if (!is_branch((uint32_t)record->opcode))
		return 0;
	return count_branch(branches, record->pc, record->hart,
		!(record->flags & EAR_RECORD_NO_NEXT_PC), record->flags & EAR_RECORD_TAKEN);
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_branches *branches = count;

	(void)task;
	branches->skips = !wanted;
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	struct ear_branches *branches = count;
	int result = 0;

	if (branches->skips && (batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION))
		return 0;
	if (ear_batch_is_plain(batch))
		return count_run(branches, batch);
	for (size_t i = 0; i < batch->count && result == 0; i++)
		result = count_record(branches, ear_batch_record(batch, i));
	return result;
}

/* ---- Parts. ---- */

static uint64_t executed(const struct branch *branch)
{
	return branch->taken + branch->not_taken + branch->unknown;
}

static void join_branch(struct branch *branch, const struct branch *next)
{
	branch->taken += next->taken;
	branch->not_taken += next->not_taken;
	branch->unknown += next->unknown;
	for (unsigned i = 0; i < STATES; i++) {
		const uint8_t entry = branch->states[i];
		branch->misses[i] += next->misses[entry];
		branch->states[i] = next->states[entry];
	}
}

static int join(void *whole, void *part)
{
	struct ear_branches *branches = whole;
	const struct ear_branches *next = part;

	for (uint32_t i = 0; i < next->count; i++) {
		const struct branch *from = &next->list[i];
		struct branch *branch;
		const int result = find(branches, from->pc, from->hart, &branch);
		if (result)
			return result;
		if (branch)
			join_branch(branch, from);
		else
			branches->sums.left_out += executed(from);
	}
	branches->sums.retired += next->sums.retired;
	branches->sums.without += next->sums.without;
	branches->sums.left_out += next->sums.left_out;
	branches->sums.gaps += next->sums.gaps;
	return 0;
}

/* What was read of a branch that was not there before. */
static void add_read(
	struct ear_branches *branches, struct ear_part_walk *walk, const struct branch *read)
{
	const uint32_t count = branches->count;
	struct branch *branch;

	if (walk->bad)
		return;
	if (find(branches, read->pc, read->hart, &branch))
		ear_part_reject(walk, "out of memory");
	else if (!branch)
		ear_part_reject(walk, "there are too many");
	else if (branches->count == count)
		ear_part_reject(walk, "it came before");
	else
		*branch = *read;
}

static void walk_branch(struct ear_part_walk *walk, struct branch *branch)
{
	ear_part_hex64(walk, &branch->pc, UINT64_MAX);
	ear_part_u16(walk, &branch->hart, UINT16_MAX);
	ear_part_u64(walk, &branch->taken, UINT64_MAX);
	ear_part_u64(walk, &branch->not_taken, UINT64_MAX);
	ear_part_u64(walk, &branch->unknown, UINT64_MAX);
	for (unsigned i = 0; i < STATES; i++)
		ear_part_u64(walk, &branch->misses[i], UINT64_MAX);
	for (unsigned i = 0; i < STATES; i++)
		ear_part_u8(walk, &branch->states[i], STATES - 1);
}

static void walk_part(void *count, struct ear_part_walk *walk)
{
	struct ear_branches *branches = count;
	struct ear_branches_sums *sums = &branches->sums;
	const bool reads = ear_part_reads(walk);

	for (uint32_t i = 0; (reads || i < branches->count) && ear_part_line(walk, "branch"); i++) {
		struct branch read = {0};
		walk_branch(walk, reads ? &read : &branches->list[i]);
		if (reads)
			add_read(branches, walk, &read);
	}
	if (ear_part_line(walk, "sums")) {
		ear_part_u64(walk, &sums->retired, UINT64_MAX);
		ear_part_u64(walk, &sums->without, UINT64_MAX);
		ear_part_u64(walk, &sums->left_out, UINT64_MAX);
		ear_part_u64(walk, &sums->gaps, UINT64_MAX);
	}
}

const struct ear_analysis ear_branches_analysis = {
	.name = "branches",
	.unknown_line = "it is none of branches",
	.create = create,
	.free = free_count,
	.task = set_task,
	.batch = take_batch,
	.join = join,
	.walk = walk_part,
};

/* ---- Results. ---- */

static int compare_pcs(const void *a, const void *b)
{
	const struct ear_branch *one = a, *other = b;

	return one->pc < other->pc ? -1 : one->pc > other->pc;
}

void ear_branch_add(struct ear_branch *sum, const struct ear_branch *branch)
{
	sum->executed += branch->executed;
	sum->taken += branch->taken;
	sum->not_taken += branch->not_taken;
	sum->unknown += branch->unknown;
	sum->misses += branch->misses;
}

int64_t ear_branches_list(const struct ear_branches *branches, struct ear_branch **list)
{
	struct ear_branch *all = calloc((size_t)branches->count + 1, sizeof(*all));
	size_t kept = 0;

	if (!all)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < branches->count; i++) {
		const struct branch *from = &branches->list[i];
		all[i] = (struct ear_branch){from->pc, executed(from), from->taken, from->not_taken,
			from->unknown, from->misses[EAR_BRANCHES_INITIAL]};
	}
	qsort(all, branches->count, sizeof(*all), compare_pcs);
	for (uint32_t i = 0; i < branches->count; i++)
		if (kept > 0 && all[kept - 1].pc == all[i].pc)
			ear_branch_add(&all[kept - 1], &all[i]);
		else
			all[kept++] = all[i];
	*list = all;
	return (int64_t)kept;
}

struct ear_branches_sums ear_branches_sums(const struct ear_branches *branches)
{
	return branches->sums;
}
