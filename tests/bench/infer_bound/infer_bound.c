/* How much of a trace before a core dump could anybody know?
 *
 * earshot infer says what it knows of the last entries of a run, of which the trace has the path,
 * and the core dump what registers and memory held at the end. This looks for another world:
 * another beginning, from which the same path leads to the same end. Where a register write has
 * another value there, nobody can know it. A SAT solver proposes worlds (world.h), and so does
 * chance, for floating point; the simulator judges each of them, by running it.
 *
 * A value that is inferred and differs in such a world is a bug of the inference: exit status 1.
 * The values left over are in no world that has the same addresses of loads and stores, or nobody
 * has decided that.
 */
#include <ccadical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/input/elf_image.h"
#include "iss/workload.h"
#include "library/infer/infer_window.h"
#include "world.h"

#define LAST      5000u
#define ENTRIES   300000u
#define CONFLICTS 20000 /* of one question to the solver */
#define CHANCES   200u  /* worlds that are tried by chance */

struct bound {
	struct ear_iss *before, *after, *again; /* the window; what is run anew */
	struct ear_retire *entries, *seen;
	size_t count;
	uint64_t memory_size;
	struct world world;
	bool *known, *unknowable; /* of each write of the world */
	size_t known_count, unknowable_count, determined_count, conflict_count, refuted_count;
	clock_t until;
};

static void *get(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		fputs("memory is short\n", stderr);
		exit(2);
	}
	return memory;
}

/* Run anew ------------------------------------------------------------------------------------ */

static bool is_same_path(const struct ear_retire *a, const struct ear_retire *b)
{
	return a->pc_rdata == b->pc_rdata && a->pc_wdata == b->pc_wdata && a->insn == b->insn &&
	       a->trap == b->trap && a->irq == b->irq && a->intr == b->intr && a->mode == b->mode &&
	       a->cause == b->cause;
}

/* The world that `again` and seen are set to: does it leave the same trace and the same end? Marks
 * what differs in it. */
static bool judge(struct bound *bound)
{
	static struct ear_retire run[LAST];
	const uint8_t *a, *b;

	for (size_t i = 0; i < bound->count; i++)
		if (!ear_iss_follow(bound->again, &run[i], &bound->seen[i]) ||
			!is_same_path(&run[i], &bound->entries[i]))
			return false;
	if (memcmp(ear_iss_x(bound->again), ear_iss_x(bound->after), 32 * sizeof(uint64_t)) != 0)
		return false;
	a = ear_iss_memory(bound->again, EAR_ISS_MEMORY_BASE, bound->memory_size);
	b = ear_iss_memory(bound->after, EAR_ISS_MEMORY_BASE, bound->memory_size);
	if (memcmp(a, b, bound->memory_size) != 0)
		return false;
	for (size_t i = 0; i < bound->world.write_count; i++) {
		const struct world_write *write = &bound->world.writes[i];
		const struct ear_retire *was = &bound->entries[write->entry];
		const struct ear_retire *is = &run[write->entry];
		bool differs = write->is_float ? was->frd_wdata != is->frd_wdata
					       : was->rd_wdata != is->rd_wdata;
		if (!differs || bound->unknowable[i])
			continue;
		bound->unknowable[i] = true;
		bound->unknowable_count++;
		if (bound->known[i] && bound->conflict_count++ == 0)
			fprintf(stderr, "inferred, and not determined: pc 0x%llx opcode 0x%x\n",
				(unsigned long long)was->pc_rdata, was->insn);
	}
	return true;
}

static void begin(struct bound *bound)
{
	ear_iss_restore(bound->again, bound->before);
	memcpy(bound->seen, bound->entries, bound->count * sizeof(*bound->seen));
}

/* Worlds of the solver ------------------------------------------------------------------------ */

static void take_byte(struct bound *bound, const struct world_byte *byte)
{
	const struct circuit *circuit = &bound->world.circuit;
	struct circuit_word word = circuit_constant(0);
	uint8_t *at;

	if (!byte->used || byte->before[0] == 0)
		return;
	for (unsigned i = 0; i < 8; i++)
		word.bits[i] = byte->before[i];
	at = ear_iss_memory(bound->again, byte->address, 1);
	*at = (uint8_t)circuit_value(circuit, &word);
}

static bool judge_model(struct bound *bound)
{
	const struct world *world = &bound->world;

	begin(bound);
	for (unsigned i = 1; i < 32; i++)
		ear_iss_x(bound->again)[i] = circuit_value(&world->circuit, &world->x_before[i]);
	for (unsigned i = 0; i < 32; i++)
		ear_iss_f(bound->again)[i] = circuit_value(&world->circuit, &world->f_before[i]);
	for (size_t i = 0; i < (size_t)1 << world->byte_bits; i++)
		take_byte(bound, &world->bytes[i]);
	for (size_t i = 0; i < bound->count; i++) {
		if (world->read[i].bits[0] == 0)
			continue;
		uint64_t value = circuit_value(&world->circuit, &world->read[i]);
		if (world->reads_device[i])
			bound->seen[i].mem_rdata = value;
		else
			bound->seen[i].rd_wdata = value;
	}
	return judge(bound);
}

static int is_late(void *state)
{
	const struct bound *bound = state;

	return clock() > bound->until;
}

/* A world in which one of the writes from first on differs: 10, none: 20, not found in time: 0. */
static int ask(struct bound *bound, size_t first, size_t last, int conflicts)
{
	struct circuit *circuit = &bound->world.circuit;
	int asked = ++circuit->variables, result;

	ccadical_add(circuit->sat, -asked);
	for (size_t i = first; i < last; i++)
		if (!bound->known[i] && !bound->unknowable[i] && bound->world.writes[i].differs)
			ccadical_add(circuit->sat, bound->world.writes[i].differs);
	ccadical_add(circuit->sat, 0);
	ccadical_assume(circuit->sat, asked);
	ccadical_limit(circuit->sat, "conflicts", conflicts);
	ccadical_set_terminate(circuit->sat, bound, is_late);
	result = ccadical_solve(circuit->sat);
	if (result == 10 && !judge_model(bound)) {
		bound->refuted_count++;
		result = 0;
	}
	circuit_clause(circuit, -asked, 0, 0);
	return result;
}

static size_t count_open(const struct bound *bound, size_t first, size_t last)
{
	size_t open = 0;

	for (size_t i = first; i < last; i++)
		open += !bound->known[i] && !bound->unknowable[i];
	return open;
}

/* All writes of a range at once; where that is too hard, each half of it. */
static void search(struct bound *bound, size_t first, size_t last)
{
	while (count_open(bound, first, last) > 0 && clock() < bound->until &&
		bound->refuted_count < 20) {
		int result = ask(bound, first, last, CONFLICTS);
		if (result == 20)
			bound->determined_count += count_open(bound, first, last);
		if (result == 10)
			continue;
		if (result == 0 && last - first > 1) {
			size_t middle = first + (last - first) / 2;
			search(bound, first, middle);
			search(bound, middle, last);
		}
		return;
	}
}

/* Worlds by chance ---------------------------------------------------------------------------- */

/* One f register or one place from which f registers are loaded has other bits. */
static void try_chances(struct bound *bound)
{
	uint64_t random = 88172645463325252u;

	for (unsigned i = 0; i < CHANCES && clock() < bound->until; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		uint64_t bits = random & (random >> 20) & 0xfffffffffffff;
		begin(bound);
		if (i < 64) {
			ear_iss_f(bound->again)[i % 32] ^= i < 32 ? bits : 1;
		} else {
			const struct world_write *write =
				&bound->world.writes[(random >> 33) % bound->world.write_count];
			const struct ear_retire *entry = &bound->entries[write->entry];
			uint8_t *at = write->is_float && entry->mem_rmask
					      ? ear_iss_memory(bound->again, entry->mem_addr, 1)
					      : NULL;
			if (!at)
				continue;
			*at ^= (uint8_t)(1 + random % 255);
		}
		judge(bound);
	}
}

/* What is inferred ---------------------------------------------------------------------------- */

static struct ear_record make_record(const struct ear_retire *entry, uint64_t index)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_RISCV,
		.index = index,
		.xlen = entry->xlen,
		.privilege = entry->mode,
		.opcode = entry->insn,
		.opcode_size = (entry->insn & 3) == 3 ? 4 : 2,
		.pc = entry->pc_rdata,
		.next_pc = entry->pc_wdata,
		.cause = entry->cause,
		.flags = (entry->trap && !entry->irq ? (uint32_t)EAR_RECORD_TRAP : 0) |
			 (entry->irq ? (uint32_t)EAR_RECORD_INTERRUPT : 0) |
			 (entry->intr ? (uint32_t)EAR_RECORD_HANDLER : 0)};
}

static void infer(struct bound *bound, const struct elf_image *image)
{
	const struct ear_span ram = {
		EAR_ISS_MEMORY_BASE, EAR_ISS_MEMORY_BASE + bound->memory_size - 1};
	struct ear_infer_held held = {.pc = bound->entries[bound->count - 1].pc_wdata};
	const struct ear_memory_segment memory = {EAR_ISS_MEMORY_BASE, bound->memory_size,
		ear_iss_memory(bound->after, EAR_ISS_MEMORY_BASE, bound->memory_size),
		.writable = true};
	const struct ear_infer_snapshot snapshot = {&held, 1, &memory, 1};
	const struct infer_options options = {.image = image->segments,
		.image_count = image->count,
		.ram = &ram,
		.ram_count = 1,
		.shows_traps = true,
		.snapshot = &snapshot};
	struct ear_infer_window *window;
	const struct ear_record *record;
	const struct ear_inferred *inferred;
	size_t write = 0;

	memcpy(held.x, ear_iss_x(bound->after), sizeof(held.x));
	if (ear_infer_window_new(&window, &options, EAR_INFER_WINDOW, EAR_INFER_ROUNDS) != 0)
		exit(2);
	for (size_t i = 0; i < bound->count; i++) {
		struct ear_record pushed = make_record(&bound->entries[i], i);
		if (ear_infer_window_push(window, &pushed) != 0)
			exit(2);
	}
	ear_infer_window_finish(window);
	while (ear_infer_window_take(window, &record, &inferred))
		for (; write < bound->world.write_count &&
			bound->world.writes[write].entry == record->index;
			write++) {
			bound->known[write] = inferred->register_count > 0;
			bound->known_count += bound->known[write];
		}
	if (ear_infer_window_counts(window)->writes != bound->world.write_count)
		fprintf(stderr, "%llu writes were expected, and there are %zu\n",
			(unsigned long long)ear_infer_window_counts(window)->writes,
			bound->world.write_count);
	ear_infer_window_free(window);
}

/* Places that a store may have hit instead: those of the last loads that are still open, and those
 * of the most. */
static void find_victims(const struct bound *bound, struct world_moves *moves)
{
	const uint64_t mask = ~(uint64_t)(bound->world.xlen / 8 - 1);
	struct place {
		uint64_t address;
		size_t loads;
	} *places = get(bound->world.write_count, sizeof(*places));
	size_t count = 0;

	for (size_t i = bound->world.write_count; i > 0; i--) {
		const struct ear_retire *entry = &bound->entries[bound->world.writes[i - 1].entry];
		size_t k = 0;
		if (bound->known[i - 1] || bound->unknowable[i - 1] || !entry->mem_rmask ||
			!ear_iss_memory(bound->again, entry->mem_addr & mask, 8))
			continue;
		while (k < count && places[k].address != (entry->mem_addr & mask))
			k++;
		places[k].address = entry->mem_addr & mask;
		places[k].loads++;
		count += k == count;
	}
	while (moves->victim_count < WORLD_VICTIMS && moves->victim_count < count) {
		size_t best = 0;
		for (size_t k = 0; k < count; k++)
			if (places[k].loads > places[best].loads)
				best = k;
		if (moves->victim_count < WORLD_VICTIMS / 2)
			for (best = 0; places[best].loads == 0;)
				best++;
		moves->victims[moves->victim_count++] = places[best].address;
		places[best].loads = 0;
	}
	free(places);
}

/* A program ----------------------------------------------------------------------------------- */

static uint64_t count_entries(const struct ear_workload *work, uint64_t max)
{
	struct ear_retire entry;
	struct ear_iss *iss;
	uint64_t count = 0;

	if (ear_iss_new(&iss, &work->options, work->path) != 0)
		exit(2);
	while (count < max && ear_iss_step(iss, &entry))
		count++;
	ear_iss_free(iss);
	return count;
}

static void run(struct bound *bound, const struct ear_workload *work, uint64_t max)
{
	uint64_t total = count_entries(work, max);
	uint64_t first = total > LAST ? total - LAST : 0;
	struct ear_retire entry;

	*bound = (struct bound){.memory_size = work->options.memory_size};
	bound->entries = get(LAST, sizeof(*bound->entries));
	bound->seen = get(LAST, sizeof(*bound->seen));
	if (ear_iss_new(&bound->after, &work->options, work->path) != 0)
		exit(2);
	for (uint64_t i = 0; i < first; i++)
		ear_iss_step(bound->after, &entry);
	bound->before = ear_iss_copy(bound->after);
	bound->again = ear_iss_copy(bound->after);
	if (!bound->before || !bound->again)
		exit(2);
	for (; bound->count < total - first; bound->count++)
		ear_iss_step(bound->after, &bound->entries[bound->count]);
}

static double percent(const struct bound *bound, size_t part)
{
	return bound->world.write_count ? 100.0 * (double)part / (double)bound->world.write_count
					: 100.0;
}

static void print_open(const struct bound *bound)
{
	for (size_t i = 0; i < bound->world.write_count; i++) {
		const struct world_write *write = &bound->world.writes[i];
		const struct ear_retire *entry = &bound->entries[write->entry];
		printf("  %u pc 0x%llx opcode 0x%x value 0x%llx %s\n", write->entry,
			(unsigned long long)entry->pc_rdata, entry->insn,
			(unsigned long long)(write->is_float ? entry->frd_wdata : entry->rd_wdata),
			bound->known[i]        ? "known"
			: bound->unknowable[i] ? "unknowable"
					       : "open");
	}
}

static bool measure(const struct ear_workload *work, uint64_t max, double seconds, bool verbose)
{
	static struct bound bound;
	struct world_moves moves = {.victim_count = 0};
	struct elf_image image;

	if (!elf_image_load(&image, work->path, false))
		exit(2);
	run(&bound, work, max);
	world_init(&bound.world, bound.before, bound.entries, bound.count, image.segments,
		image.count, bound.memory_size, NULL);
	bound.known = get(bound.world.write_count, sizeof(*bound.known));
	bound.unknowable = get(bound.world.write_count, sizeof(*bound.unknowable));
	infer(&bound, &image);
	begin(&bound);
	if (!judge(&bound) || bound.unknowable_count > 0)
		fprintf(stderr, "the run itself is no world of %s\n", work->name);
	bound.until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	try_chances(&bound);
	search(&bound, 0, bound.world.write_count);
	size_t fixed = bound.unknowable_count, of_fixed = bound.determined_count;
	find_victims(&bound, &moves);
	world_fini(&bound.world);
	world_init(&bound.world, bound.before, bound.entries, bound.count, image.segments,
		image.count, bound.memory_size, &moves);
	bound.determined_count = 0;
	bound.until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	search(&bound, 0, bound.world.write_count);
	size_t open = count_open(&bound, 0, bound.world.write_count);
	printf("%s %s %zu %.1f %.1f %.1f %.1f %.1f %.1f %zu %zu\n", work->name, work->isa,
		bound.world.write_count, percent(&bound, bound.known_count), percent(&bound, fixed),
		percent(&bound, of_fixed), percent(&bound, bound.unknowable_count),
		percent(&bound, bound.determined_count),
		percent(&bound, open - bound.determined_count), bound.conflict_count,
		bound.refuted_count);
	fflush(stdout);
	if (verbose)
		print_open(&bound);
	bool right = bound.conflict_count == 0 && bound.refuted_count == 0;
	world_fini(&bound.world);
	ear_iss_free(bound.before);
	ear_iss_free(bound.after);
	ear_iss_free(bound.again);
	free(bound.entries);
	free(bound.seen);
	free(bound.known);
	free(bound.unknowable);
	elf_image_free(&image);
	return right;
}

int main(int argc, char **argv)
{
	static struct ear_workload workloads[EAR_WORKLOADS_MAX];
	int count = ear_workloads_read(workloads, NULL);
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
	bool right = true;

	if (count < 0) {
		fputs("the programs are not built: build the target ear_workloads\n", stderr);
		return 2;
	}
	puts("program isa writes known unknowable-a determined-a unknowable determined undecided conflicts refuted");
	for (int i = 0; i < count; i++) {
		if (workloads[i].options.packets ||
			(argc > 2 && strcmp(argv[2], workloads[i].name) != 0) ||
			(argc > 3 && strcmp(argv[3], workloads[i].isa) != 0))
			continue;
		right &= measure(&workloads[i], ENTRIES, seconds, argc > 3);
	}
	return right ? 0 : 1;
}
