/* No value that is inferred differs from what the program computed. Programs run on the simulator;
 * the layer gets what a trace without values has, and each value that it finds is compared with the
 * entry of the retire port.
 *
 * The layer is compiled for this test with bugs that can be switched on: a store to an unknown
 * address changes nothing, forward or backward. They must be found.
 */
#include "check.h"

#include <stdio.h>

#include "cli/input/elf_image.h"
#include "iss/iss.h"
#include "iss/workload.h"
#include "iss_bare.h"
#include "library/infer/infer_forward.h"
#include "library/infer/infer_links.h"
#include "library/infer/infer_memory.h"
#include "library/infer/infer_window.h"
#include "mixed_program.h"

#define ENTRIES 20000u /* of each program */
#define LATE    5000u  /* where a trace begins that has not seen the reset */
#define LAST    5000u  /* entries before a core dump */
#define ENDS    25u    /* programs of which 90 % is known there, by ENTRIES */

static bool planted, planted_backward;
void planted_memory_forget(struct infer_memory *memory);
void planted_links_wild(struct infer_links *links, uint32_t step);

void planted_memory_forget(struct infer_memory *memory)
{
	if (!planted)
		infer_memory_forget(memory);
}

void planted_links_wild(struct infer_links *links, uint32_t step)
{
	if (!planted_backward)
		infer_links_wild(links, step);
}

/* What a trace has. */
enum source {
	FULL,      /* privileges, causes */
	BARE,      /* that a trap came, no more */
	TEXT,      /* instructions that retired, one after the other */
	PCS,       /* as TEXT, without opcodes */
	JOINED,    /* as FULL, begun in the middle */
	CORE,      /* as FULL, the last records, and what registers and memory hold after them */
	CORE_TEXT, /* as TEXT, the same */
	CORE_ADDRESSES, /* as CORE, with the addresses of loads and stores */
	SOURCES
};

static const char *const source_names[SOURCES] = {
	"full", "bare", "text", "pcs", "joined", "core", "core-text", "core-addresses"};

#define WINDOW 3000u /* records: programs have several */
#define RING   (WINDOW + EAR_INFER_KEPT + 1)

struct truth {
	struct ear_infer_window *window;
	enum source source;
	struct ear_retire *entries; /* of the records that are pushed, a ring */
	uint64_t index, taken;
	uint64_t wrong;
	struct ear_infer_counts counts;
	struct ear_record_access shown[2]; /* of the record that is pushed */
};

static bool is_text(enum source source)
{
	return source == TEXT || source == PCS || source == CORE_TEXT;
}

static void make_record(struct ear_record *record, const struct ear_retire *entry,
	enum source source, uint64_t index)
{
	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_RISCV,
		.index = index,
		.xlen = entry->xlen,
		.privilege = entry->mode,
		.opcode = entry->insn,
		.opcode_size = (entry->insn & 3) == 3 ? 4 : 2,
		.pc = entry->pc_rdata};
	if (source == PCS) {
		record->opcode = 0;
		record->flags |= EAR_RECORD_NO_OPCODE;
	}
	if (is_text(source) || source == BARE)
		record->flags |= EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_NO_CAUSE;
	if (is_text(source)) {
		record->flags |= EAR_RECORD_NO_NEXT_PC;
		return;
	}
	record->next_pc = entry->pc_wdata;
	record->flags |= (entry->trap && !entry->irq ? (uint32_t)EAR_RECORD_TRAP : 0) |
			 (entry->irq ? (uint32_t)EAR_RECORD_INTERRUPT : 0) |
			 (entry->intr ? (uint32_t)EAR_RECORD_HANDLER : 0);
	if (source != BARE)
		record->cause = entry->cause;
}

/* What a log of addresses without data has. */
static void show_addresses(
	struct truth *truth, struct ear_record *record, const struct ear_retire *entry)
{
	const unsigned masks[] = {entry->mem_rmask, entry->mem_wmask};

	for (unsigned write = 0; write < 2; write++)
		if (masks[write])
			truth->shown[record->memory_count++] =
				(struct ear_record_access){.address = entry->mem_addr,
					.size = (uint8_t)__builtin_popcount(masks[write]),
					.write = write};
	record->memory = truth->shown;
}

/* A port of 32 bits shows the lower half of an access of 64. */
static bool is_access(const struct ear_retire *entry, const struct ear_record_access *access)
{
	unsigned mask = access->write ? entry->mem_wmask : entry->mem_rmask;
	uint64_t data = access->write ? entry->mem_wdata : entry->mem_rdata;
	unsigned size = (unsigned)__builtin_popcount(mask);
	uint64_t bits = size ? UINT64_MAX >> (64 - 8 * size) : 0;

	return size > 0 && entry->mem_addr == access->address &&
	       (size == access->size || (entry->xlen == 32 && access->size == 8 && size == 4)) &&
	       (!access->has_value || ((data ^ access->value) & bits) == 0);
}

static bool is_right(const struct ear_retire *entry, const struct ear_inferred *inferred)
{
	for (size_t i = 0; i < inferred->register_count; i++) {
		const struct ear_record_register *reg = &inferred->registers[i];
		bool is_x = reg->reg_class == EAR_REGISTER_X;
		if (is_x ? entry->rd_addr != reg->number || entry->rd_wdata != reg->value
			 : !entry->frd_valid || entry->frd_addr != reg->number ||
					entry->frd_wdata != reg->value)
			return false;
	}
	for (size_t i = 0; i < inferred->memory_count; i++)
		if (!is_access(entry, &inferred->memory[i]))
			return false;
	return true;
}

static void take(
	struct truth *truth, const struct ear_record *record, const struct ear_inferred *inferred)
{
	const struct ear_retire *entry = &truth->entries[truth->taken++ % RING];

	assert_int_equal(record->index, truth->taken - 1);
	if (!is_right(entry, inferred) && truth->wrong++ == 0 && !planted && !planted_backward)
		fprintf(stderr, "# wrong: %s, pc 0x%llx, opcode 0x%x\n",
			source_names[truth->source], (unsigned long long)entry->pc_rdata,
			entry->insn);
}

static void take_all(struct truth *truth)
{
	const struct ear_record *record;
	const struct ear_inferred *inferred;

	while (ear_infer_window_take(truth->window, &record, &inferred))
		take(truth, record, inferred);
}

static void push(struct truth *truth, const struct ear_retire *entry)
{
	struct ear_record record;

	if (is_text(truth->source) && (entry->trap || entry->irq))
		return;
	truth->entries[truth->index % RING] = *entry;
	make_record(&record, entry, truth->source, truth->index++);
	if (truth->source == CORE_ADDRESSES)
		show_addresses(truth, &record, entry);
	assert_int_equal(ear_infer_window_push(truth->window, &record), 0);
	take_all(truth);
}

/* What registers hold after the entry. */
static void hold(struct ear_infer_held *held, const struct ear_retire *entry)
{
	if (entry->rd_addr != 0)
		held->x[entry->rd_addr] = entry->rd_wdata;
	held->pc = entry->pc_wdata;
}

/* The last entries of a program, with a snapshot of its end. */
static void run_end(struct truth *truth, struct ear_iss *iss, uint64_t max,
	struct infer_options *options, uint64_t memory_size, unsigned rounds)
{
	struct ear_retire *last = calloc(LAST, sizeof(*last));
	struct ear_infer_held held = {.pc = 0};
	const struct ear_memory_segment memory = {EAR_ISS_MEMORY_BASE, memory_size,
		ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, memory_size), .writable = true};
	const struct ear_infer_snapshot snapshot = {&held, 1, &memory, 1};
	uint64_t count = 0;

	assert_non_null(last);
	for (; count < max && ear_iss_step(iss, &last[count % LAST]); count++)
		hold(&held, &last[count % LAST]);
	options->snapshot = &snapshot;
	assert_int_equal(ear_infer_window_new(&truth->window, options, WINDOW, rounds), 0);
	for (uint64_t i = count > LAST ? count - LAST : 0; i < count; i++)
		push(truth, &last[i % LAST]);
	assert_int_equal(ear_infer_window_finish(truth->window), 0);
	take_all(truth);
	free(last);
}

/* Up to max entries of a program; image: what it was loaded from. */
static void run(struct truth *truth, struct ear_iss *iss, enum source source, uint64_t max,
	const struct elf_image *image, uint64_t memory_size, unsigned rounds)
{
	const struct ear_span ram = {EAR_ISS_MEMORY_BASE, EAR_ISS_MEMORY_BASE + memory_size - 1};
	struct infer_options options = {.image = image->segments,
		.image_count = image->count,
		.ram = &ram,
		.ram_count = 1,
		.reset = source < JOINED,
		.shows_traps = !is_text(source)};
	struct ear_retire entry;

	*truth = (struct truth){.source = source};
	truth->entries = calloc(RING, sizeof(*truth->entries));
	assert_non_null(truth->entries);
	if (source >= CORE) {
		run_end(truth, iss, max, &options, memory_size, rounds);
	} else {
		assert_int_equal(ear_infer_window_new(&truth->window, &options, WINDOW, rounds), 0);
		for (uint64_t i = 0; i < max && ear_iss_step(iss, &entry); i++)
			if (source != JOINED || i >= LATE)
				push(truth, &entry);
		assert_int_equal(ear_infer_window_finish(truth->window), 0);
		take_all(truth);
	}
	assert_int_equal(truth->taken, truth->index);
	truth->counts = *ear_infer_window_counts(truth->window);
	ear_infer_window_free(truth->window);
	free(truth->entries);
}

static void run_workload(struct truth *truth, const struct ear_workload *work, enum source source,
	uint64_t max, unsigned rounds)
{
	struct elf_image image;
	struct ear_iss *iss;

	assert_true(elf_image_load(&image, work->path, false));
	assert_int_equal(ear_iss_new(&iss, &work->options, work->path), 0);
	run(truth, iss, source, max, &image, work->options.memory_size, rounds);
	ear_iss_free(iss);
	elf_image_free(&image);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 100.0;
}

static void print_row(
	const char *name, const char *isa, enum source source, const struct truth *truth)
{
	const struct ear_infer_counts *counts = &truth->counts;

	printf("%s %s %s %llu %.2f %.2f %.2f %llu %llu %llu %llu\n", name, isa,
		source_names[source], (unsigned long long)counts->instructions,
		percent(counts->writes_inferred, counts->writes),
		percent(counts->loads_inferred, counts->loads),
		percent(counts->stores_inferred, counts->stores),
		(unsigned long long)counts->forgotten, (unsigned long long)counts->overwritten,
		(unsigned long long)counts->contradictions, (unsigned long long)truth->wrong);
}

static void no_inferred_value_of_a_program_is_wrong(void **state)
{
	static struct ear_workload workloads[EAR_WORKLOADS_MAX];
	int count = ear_workloads_read(workloads, NULL);
	const char *entries = getenv("EAR_INFER_ENTRIES"), *way = getenv("EAR_INFER_WAY");
	uint64_t max = entries ? strtoull(entries, NULL, 10) : ENTRIES;
	uint64_t wrong = 0, writes = 0, known = 0, ends = 0;

	(void)state;
	assert_above(count, 60);
	for (int i = 0; i < count; i++) {
		const struct ear_workload *work = &workloads[i];
		if (work->options.packets) /* a device writes to memory */
			continue;
		for (enum source source = 0; source < SOURCES; source++) {
			struct truth truth;
			if (way && strcmp(way, source_names[source]) != 0)
				continue;
			run_workload(&truth, work, source, max, EAR_INFER_ROUNDS);
			/* A jump that is hidden by a trap is one, where mtvec is not known. */
			wrong += truth.wrong;
			wrong += source == CORE_TEXT ? 0 : truth.counts.contradictions;
			if (getenv("EAR_INFER_TABLE"))
				print_row(work->name, work->isa, source, &truth);
			writes += source == FULL ? truth.counts.writes : 0;
			known += source == FULL ? truth.counts.writes_inferred : 0;
			ends += source == CORE &&
				percent(truth.counts.writes_inferred, truth.counts.writes) >= 90;
		}
	}
	assert_int_equal(wrong, 0);
	/* From the reset nearly everything follows. */
	assert_true(way || percent(known, writes) > 95);
	/* And before a core dump of many. */
	assert_true(way || ends >= ENDS);
}

/* A program of random instructions. */
static uint64_t run_random(uint64_t seed, enum source source)
{
	const unsigned xlen = seed & 1 ? 64 : 32;
	struct random random = {seed * 91 + 3};
	struct ear_iss *iss = iss_bare_new(xlen, seed);
	struct elf_image image = {.count = 1};
	const uint64_t size = 64 << 10;
	struct truth truth;

	mixed_program_write(iss, xlen, &random);
	image.bytes[0] = malloc(size);
	assert_non_null(image.bytes[0]);
	memcpy(image.bytes[0], ear_iss_memory(iss, EAR_ISS_MEMORY_BASE, size), size);
	image.segments[0] = (struct ear_memory_segment){
		EAR_ISS_MEMORY_BASE, size, image.bytes[0], .writable = true};
	run(&truth, iss, source, ENTRIES, &image, size, EAR_INFER_ROUNDS);
	ear_iss_free(iss);
	elf_image_free(&image);
	if (getenv("EAR_INFER_TABLE"))
		print_row("random", xlen == 32 ? "rv32" : "rv64", source, &truth);
	/* Random instructions jump to where a trap that a text does not have would lead. */
	return truth.wrong + (is_text(source) ? 0 : truth.counts.contradictions);
}

static void no_inferred_value_of_random_instructions_is_wrong(void **state)
{
	uint64_t wrong = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		for (enum source source = 0; source < SOURCES; source++)
			wrong += run_random(seed, source);
	assert_int_equal(wrong, 0);
}

static void a_layer_that_supposes_where_stores_go_is_found(void **state)
{
	static struct ear_workload workloads[EAR_WORKLOADS_MAX];
	int count = ear_workloads_read(workloads, NULL);
	uint64_t wrong = 0;

	(void)state;
	planted = true;
	for (int i = 0; i < count && wrong == 0; i++) {
		struct truth truth;
		if (strcmp(workloads[i].name, "recursion") != 0)
			continue;
		run_workload(&truth, &workloads[i], JOINED, 20 * ENTRIES, 1);
		wrong += truth.wrong;
	}
	planted = false;
	assert_true(wrong > 0);
}

enum { AUIPC, ADDI, STORE, ONES, WILD, LOAD, LI, BRANCH, NOP, CODE };

static const uint32_t code[CODE] = {
	[AUIPC] = 0x00000297,  /* auipc t0, 0 */
	[ADDI] = 0x00140513,   /* addi a0, s0, 1 */
	[STORE] = 0x10a2a023,  /* sw a0, 0x100(t0) */
	[ONES] = 0xfff00593,   /* li a1, -1 */
	[WILD] = 0x00b62023,   /* sw a1, 0(a2) */
	[LOAD] = 0x1002a683,   /* lw a3, 0x100(t0) */
	[LI] = 0x00700713,     /* li a4, 7 */
	[BRANCH] = 0x00e69463, /* bne a3, a4, . + 8, which is not taken */
	[NOP] = 0x00000013,
};

/* wild: the store to an address that nobody knows is there; ones: no byte of it is one of 7. */
static void run_code(struct ear_inferred all[CODE], bool wild, bool ones)
{
	const struct ear_span ram = {EAR_ISS_MEMORY_BASE, EAR_ISS_MEMORY_BASE + 0xfff};
	const struct infer_options options = {.ram = &ram, .ram_count = 1, .shows_traps = true};
	struct ear_infer_window *window;
	const struct ear_record *record;
	const struct ear_inferred *inferred;

	assert_int_equal(ear_infer_window_new(&window, &options, CODE, EAR_INFER_ROUNDS), 0);
	for (unsigned i = 0; i < CODE; i++) {
		const struct ear_record pushed = {.kind = EAR_RECORD_INSTRUCTION,
			.isa = EAR_ISA_RISCV,
			.index = i,
			.xlen = 32,
			.privilege = EAR_PRIVILEGE_M,
			.opcode = code[(i == WILD && !wild) || (i == ONES && !ones) ? NOP : i],
			.opcode_size = 4,
			.pc = EAR_ISS_MEMORY_BASE + 4 * i,
			.next_pc = EAR_ISS_MEMORY_BASE + 4 * i + 4};
		assert_int_equal(ear_infer_window_push(window, &pushed), 0);
	}
	assert_int_equal(ear_infer_window_finish(window), 0);
	while (ear_infer_window_take(window, &record, &inferred))
		all[record->index] = *inferred;
	ear_infer_window_free(window);
}

static void what_a_branch_says_is_known_back_to_where_it_was_computed(void **state)
{
	struct ear_inferred all[CODE];

	(void)state;
	run_code(all, false, false);
	assert_int_equal(all[LOAD].register_count, 1);
	assert_int_equal(all[LOAD].registers[0].value, 7);
	assert_int_equal(all[LOAD].memory[0].value, 7);
	assert_true(all[STORE].memory[0].has_value);
	assert_int_equal(all[STORE].memory[0].value, 7);
	assert_int_equal(all[ADDI].register_count, 1);
	assert_int_equal(all[ADDI].registers[0].value, 7);
}

static void a_store_to_an_unknown_address_ends_the_way_back(void **state)
{
	struct ear_inferred all[CODE];

	(void)state;
	run_code(all, true, false);
	assert_int_equal(all[LOAD].registers[0].value, 7);
	assert_int_equal(all[STORE].memory_count, 1);
	assert_false(all[STORE].memory[0].has_value);
	assert_int_equal(all[ADDI].register_count, 0);
	planted_backward = true; /* the bug would be seen */
	run_code(all, true, false);
	planted_backward = false;
	assert_true(all[STORE].memory[0].has_value);
}

static void what_is_seen_later_says_where_a_store_did_not_go(void **state)
{
	struct ear_inferred all[CODE];

	(void)state;
	run_code(all, true, true); /* 7 is loaded */
	assert_int_equal(all[STORE].memory[0].value, 7);
	assert_int_equal(all[ADDI].registers[0].value, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_inferred_value_of_a_program_is_wrong),
		cmocka_unit_test(no_inferred_value_of_random_instructions_is_wrong),
		cmocka_unit_test(a_layer_that_supposes_where_stores_go_is_found),
		cmocka_unit_test(what_a_branch_says_is_known_back_to_where_it_was_computed),
		cmocka_unit_test(a_store_to_an_unknown_address_ends_the_way_back),
		cmocka_unit_test(what_is_seen_later_says_where_a_store_did_not_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
