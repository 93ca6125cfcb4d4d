/* The simulator runs every workload to its right end, and what it retires is consistent in itself:
 * a follower that knows only the entries always finds the pc, the operands and the loads that it
 * expects. Bugs and flips break exactly that. Agreement with other machines is tested elsewhere:
 * test_iss_core.py against the demo core, tests/qemu against QEMU.
 */
#include <earshot/error.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "iss/faults.h"
#include "iss/iss.h"
#include "iss/workload.h"
#include "retire_random.h"

#define BATCH 256

static struct ear_workload workloads[EAR_WORKLOADS_MAX];
static int workload_count;

static const struct ear_workload *workload(const char *name, const char *isa)
{
	for (int k = 0; k < workload_count; k++)
		if (strcmp(workloads[k].name, name) == 0 && strcmp(workloads[k].isa, isa) == 0)
			return &workloads[k];
	fail_msg("no workload %s for %s", name, isa);
	return NULL;
}

static struct ear_iss *start(const struct ear_workload *work, uint64_t seed)
{
	struct ear_iss_options options = work->options;
	struct ear_iss *iss;

	options.seed = seed;
	assert_int_equal(ear_iss_new(&iss, &options, work->path), 0);
	return iss;
}

/* What the entries so far tell about the registers and what comes next. */
struct follower {
	uint64_t order, pc, x[32];
	bool known[32], started, trapped;
};

static bool operand_fits(struct follower *follower, unsigned number, uint64_t value)
{
	bool fits = !follower->known[number] || follower->x[number] == value;

	follower->known[number] = true;
	follower->x[number] = value;
	return fits;
}

/* The name of the rule that the entry breaks, or NULL. */
static const char *broken_rule(struct follower *follower, const struct ear_retire *entry)
{
	unsigned xlen = entry->xlen;
	const char *broken = NULL;

	if (follower->started && entry->order != follower->order)
		broken = "order";
	else if (follower->started && entry->pc_rdata != follower->pc)
		broken = "pc";
	else if (follower->started && entry->intr != follower->trapped)
		broken = "intr";
	else if (!operand_fits(follower, entry->rs1_addr, entry->rs1_rdata) ||
		 !operand_fits(follower, entry->rs2_addr, entry->rs2_rdata))
		broken = "operand";
	else if (entry->rd_addr == 0 && entry->rd_wdata != 0)
		broken = "x0";
	else if (entry->trap && (entry->rd_addr || entry->mem_rmask || entry->mem_wmask))
		broken = "a trap that has an effect";
	else if (entry->trap && entry->csr_count != (xlen == 32 ? 5 : 4))
		broken = "CSRs of a trap";
	else if (entry->irq && !(entry->cause >> (xlen - 1)))
		broken = "cause of an interrupt";
	else if (!entry->trap && (entry->cause || entry->irq))
		broken = "cause without trap";
	else if (entry->mem_rmask >> xlen / 8 || entry->mem_wmask >> xlen / 8)
		broken = "mask";
	else if (xlen == 32 && (entry->rd_wdata | entry->rs1_rdata | entry->rs2_rdata |
				       entry->mem_addr | entry->pc_wdata | entry->pc_rdata) >>
				       32)
		broken = "more than XLEN bits";
	follower->started = true;
	follower->order = entry->order + 1;
	follower->pc = entry->pc_wdata;
	follower->trapped = entry->trap;
	if (entry->rd_addr) {
		follower->known[entry->rd_addr] = true;
		follower->x[entry->rd_addr] = entry->rd_wdata;
	}
	return broken;
}

/* Runs up to max entries; returns how many break a rule, and their number in *total. */
static uint64_t run_and_count(
	struct ear_iss *iss, struct ear_faults *faults, uint64_t max, uint64_t *total)
{
	static struct ear_retire entries[BATCH];
	struct follower follower = {.known[0] = true};
	uint64_t broken = 0;
	size_t count = BATCH;

	for (*total = 0; count == BATCH && *total < max; *total += count) {
		count = faults ? ear_faults_run(faults, iss, entries, BATCH)
			       : ear_iss_run(iss, entries, BATCH);
		for (size_t k = 0; k < count; k++)
			broken += broken_rule(&follower, &entries[k]) != NULL;
	}
	return broken;
}

static void every_workload_ends_well_and_its_entries_are_consistent(void **state)
{
	uint64_t all = 0;

	(void)state;
	assert_true(workload_count > 60);
	for (int k = 0; k < workload_count; k++) {
		struct ear_iss *iss = start(&workloads[k], 1);
		uint64_t total, broken = run_and_count(iss, NULL, 20000000, &total);
		int code = -1;

		if (ear_iss_ended(iss, &code) != EAR_ISS_EXITED || code != 0 || broken)
			fail_msg("%s %s: exit code %d, %llu entries break a rule",
				workloads[k].name, workloads[k].isa, code,
				(unsigned long long)broken);
		/* Ordinary lengths, as tests/programs/workloads promises. */
		assert_in_range(total, 1000000, 8000000);
		all += total;
		ear_iss_free(iss);
	}
	print_message("%llu entries\n", (unsigned long long)all);
}

static void a_step_and_a_run_give_the_same(void **state)
{
	const struct ear_workload *work = workload("uart_timer", "rv64imacu");
	struct ear_iss *one = start(work, 5), *many = start(work, 5);
	static struct ear_retire entries[BATCH];
	struct ear_retire entry;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		assert_int_equal(ear_iss_run(many, entries, BATCH), BATCH);
		for (unsigned k = 0; k < BATCH; k++) {
			assert_true(ear_iss_step(one, &entry));
			assert_null(retire_difference(&entry, &entries[k]));
		}
	}
	ear_iss_free(one);
	ear_iss_free(many);
}

/* The first entry in which two runs differ, or max. */
static uint64_t first_difference(struct ear_iss *a, struct ear_iss *b, uint64_t max)
{
	struct ear_retire x, y;

	for (uint64_t k = 0; k < max; k++) {
		if (!ear_iss_step(a, &x) || !ear_iss_step(b, &y) || x.pc_rdata != y.pc_rdata ||
			x.rd_wdata != y.rd_wdata || x.mem_wdata != y.mem_wdata)
			return k;
	}
	return max;
}

static void the_seed_decides_what_comes_from_outside(void **state)
{
	static const char *const names[] = {"packets", "atomics", "uart_timer"};
	static const char *const isas[] = {"rv32imacu", "rv32imacu", "rv32imc"};

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		const struct ear_workload *work = workload(names[k], isas[k]);
		struct ear_iss *a = start(work, 1), *b = start(work, 1), *c = start(work, 2);

		assert_int_equal(first_difference(a, b, 200000), 200000);
		ear_iss_free(a);
		a = start(work, 1);
		assert_in_range(first_difference(a, c, 200000), 1, 199999);
		ear_iss_free(a);
		ear_iss_free(b);
		ear_iss_free(c);
	}
}

static void every_bug_strikes_and_is_not_seen_without(void **state)
{
	static const char *const isas[] = {"rv32imc", "rv64imacu"};

	(void)state;
	for (int kind = EAR_ISS_BUG_ALU; kind < EAR_ISS_BUG_KINDS; kind++) {
		for (unsigned k = 0; k < 2; k++) {
			const struct ear_workload *work = workload("fir", isas[k]);
			struct ear_iss *good = start(work, 1), *bad = start(work, 1);
			struct ear_iss_bug bug;
			uint64_t at;

			ear_iss_bug_draw(&bug, (enum ear_iss_bug_kind)kind, 3);
			ear_iss_bug_set(bad, &bug);
			at = first_difference(good, bad, 2000000);
			if (at == 2000000 || ear_iss_bug_count(bad) == 0)
				fail_msg("bug %s does not show on %s",
					ear_iss_bug_name((enum ear_iss_bug_kind)kind), isas[k]);
			assert_int_equal(ear_iss_bug_count(good), 0);
			ear_iss_free(good);
			ear_iss_free(bad);
		}
	}
}

/* What the port shows of each bug: these two contradict the entries before, the others are
 * consistent in themselves and only wrong. */
static void upsets_and_stale_operands_break_consistency(void **state)
{
	(void)state;
	for (int kind = EAR_ISS_BUG_ALU; kind < EAR_ISS_BUG_KINDS; kind++) {
		struct ear_iss *iss = start(workload("crc32", "rv32imc"), 1);
		bool breaks = kind == EAR_ISS_BUG_UPSET || kind == EAR_ISS_BUG_STALE;
		struct ear_iss_bug bug;
		uint64_t total, broken;

		ear_iss_bug_draw(&bug, (enum ear_iss_bug_kind)kind, 4);
		bug.reg = 10;
		ear_iss_bug_set(iss, &bug);
		broken = run_and_count(iss, NULL, 300000, &total);
		assert_int_equal(broken != 0, breaks);
		ear_iss_free(iss);
	}
}

static void flips_come_as_often_as_asked_and_fit_the_port(void **state)
{
	struct ear_workload const *work = workload("float_edges", "rv32imafdcu");
	struct ear_iss *iss = start(work, 1);
	struct ear_faults faults;
	struct ear_retire entry, flipped;
	uint64_t changed = 0, total = 400000;

	(void)state;
	ear_faults_init(&faults, 7, 10000, 64);
	for (uint64_t k = 0; k < total; k++) {
		assert_true(ear_iss_step(iss, &entry));
		flipped = entry;
		if (!ear_faults_flip(&faults, &flipped)) {
			assert_memory_equal(&entry, &flipped, sizeof(entry));
			continue;
		}
		changed++;
		assert_int_equal(flipped.order, entry.order);
		assert_int_equal(flipped.xlen, 32);
		assert_true(flipped.csr_count <= entry.csr_count ||
			    (entry.csr_count == 0 && flipped.csr_count == 1));
		assert_true(flipped.frd_valid || (!flipped.frd_addr && !flipped.frd_wdata));
		assert_true((flipped.rs1_addr | flipped.rs2_addr | flipped.rd_addr |
				    flipped.frd_addr | flipped.fflags) < 32);
		assert_true((flipped.mode | flipped.ixl) < 4);
		assert_true((flipped.mem_rmask | flipped.mem_wmask) < 16);
		assert_int_equal((flipped.rd_wdata | flipped.rs1_rdata | flipped.rs2_rdata |
					 flipped.mem_addr | flipped.mem_rdata | flipped.mem_wdata |
					 flipped.pc_rdata | flipped.pc_wdata | flipped.cause) >>
					 32,
			0);
	}
	assert_int_equal(changed, faults.count);
	assert_in_range(changed, 3500, 4500); /* one in a hundred */
	ear_iss_free(iss);
}

static void flips_are_seen_by_the_follower(void **state)
{
	struct ear_iss *iss = start(workload("sort", "rv64imacu"), 1);
	struct ear_faults faults;
	uint64_t total, broken;

	(void)state;
	ear_faults_init(&faults, 7, 10000, 0);
	broken = run_and_count(iss, &faults, 200000, &total);
	assert_true(broken > 500);
	ear_iss_free(iss);
}

static void isa_strings_are_understood(void **state)
{
	static const char *const bad[] = {
		"", "rv16i", "rv32x", "rv64imac_zbc", "rv32i__zba", "32imac"};
	struct ear_iss_options options;

	(void)state;
	ear_iss_options_init(&options);
	assert_int_equal(ear_iss_options_isa(&options, "rv32imc"), 0);
	assert_int_equal(options.xlen, 32);
	assert_int_equal(options.extensions, EAR_ISS_M | EAR_ISS_C);
	assert_int_equal(ear_iss_options_isa(&options, "rv64gcu_zicsr_zbb"), 0);
	assert_int_equal(options.xlen, 64);
	assert_int_equal(options.extensions, EAR_ISS_M | EAR_ISS_A | EAR_ISS_F | EAR_ISS_D |
						     EAR_ISS_C | EAR_ISS_U | EAR_ISS_ZBB);
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		assert_int_equal(ear_iss_options_isa(&options, bad[k]), EAR_E_BAD_ARGUMENT);
	assert_int_equal(options.xlen, 64);
}

static void what_is_no_program_is_refused(void **state)
{
	const struct ear_workload *work = workload("sort", "rv32imc");
	struct ear_iss_options options = work->options;
	struct ear_iss *iss;

	(void)state;
	assert_int_equal(ear_iss_new(&iss, &options, "/nonexistent"), EAR_E_IO);
	assert_int_equal(
		ear_iss_new(&iss, &options, EAR_TEST_DATA "/whisper/timer.csv"), EAR_E_BAD_FILE);
	options.xlen = 64;
	assert_int_equal(ear_iss_new(&iss, &options, work->path), EAR_E_BAD_FILE);
	options.xlen = 48;
	assert_int_equal(ear_iss_new(&iss, &options, work->path), EAR_E_BAD_ARGUMENT);
	options = work->options;
	options.memory_size = 4096; /* its stack is larger */
	assert_int_equal(ear_iss_new(&iss, &options, work->path), EAR_E_BAD_FILE);
	options = work->options;
	options.extensions = EAR_ISS_D;
	assert_int_equal(ear_iss_new(&iss, &options, work->path), EAR_E_BAD_ARGUMENT);
}

/* A damaged byte in the headers, or an end in their middle: no crash, and no access outside. */
static void damaged_elf_files_are_survived(void **state)
{
	const struct ear_workload *work = workload("sort", "rv64imacu");
	char path[] = "/tmp/test_iss_XXXXXX";
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(work->path, "rb"), *copy;
	struct ear_iss *iss;
	size_t size, survived = 0;
	int fd = mkstemp(path);

	(void)state;
	assert_non_null(file);
	assert_true(fd >= 0);
	close(fd);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (size_t k = 0; k < 64 + 4 * 56; k++) {
		uint8_t kept = bytes[k];

		bytes[k] ^= (uint8_t)(k * 37 + 1);
		copy = fopen(path, "wb");
		assert_non_null(copy);
		assert_int_equal(fwrite(bytes, 1, k % 3 ? size : k, copy), k % 3 ? size : k);
		fclose(copy);
		if (ear_iss_new(&iss, &work->options, path) == 0) {
			struct ear_retire entry;

			for (unsigned n = 0; n < 100 && ear_iss_step(iss, &entry); n++)
				;
			ear_iss_free(iss);
			survived++;
		}
		bytes[k] = kept;
	}
	/* Some damage is harmless, most is not. */
	assert_in_range(survived, 1, 200);
	assert_int_equal(remove(path), 0);
}

static int read_workloads(void **state)
{
	(void)state;
	workload_count = ear_workloads_read(workloads, NULL);
	return workload_count > 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_workload_ends_well_and_its_entries_are_consistent),
		cmocka_unit_test(a_step_and_a_run_give_the_same),
		cmocka_unit_test(the_seed_decides_what_comes_from_outside),
		cmocka_unit_test(every_bug_strikes_and_is_not_seen_without),
		cmocka_unit_test(upsets_and_stale_operands_break_consistency),
		cmocka_unit_test(flips_come_as_often_as_asked_and_fit_the_port),
		cmocka_unit_test(flips_are_seen_by_the_follower),
		cmocka_unit_test(isa_strings_are_understood),
		cmocka_unit_test(what_is_no_program_is_refused),
		cmocka_unit_test(damaged_elf_files_are_survived),
	};

	return cmocka_run_group_tests(tests, read_workloads, NULL);
}
