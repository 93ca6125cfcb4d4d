/* A diversion does what the hart does. The truth is the simulator: the diversion begins in its
 * state, of which some registers and bytes are hidden, and then both run. All that the diversion
 * knows must be what the simulator has; where it ends nothing is wrong.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <earshot/diversion.h>
#include <earshot/names.h>

#include "iss/iss.h"
#include "iss/workload.h"
#include "iss_bare.h"
#include "mixed_program.h"

#define PAGE 4096u

/* What a moment of the simulator shows. */
struct moment {
	struct ear_iss *iss;
	struct random *random; /* NULL: all of it */
	unsigned hidden;       /* of 100 registers; a quarter of that of bytes */
};

static bool is_hidden(const struct moment *moment, unsigned share)
{
	return moment->random && random_below(moment->random, 400) < share;
}

static bool read_register(void *context, unsigned number, uint64_t *value)
{
	const struct moment *moment = context;

	if (is_hidden(moment, 4 * moment->hidden))
		return false;
	if (number >= 4096)
		return ear_iss_csr(moment->iss, number - 4096, value);
	*value = number < 32 ? ear_iss_x(moment->iss)[number] : ear_iss_f(moment->iss)[number - 32];
	return true;
}

static bool read_memory(
	void *context, uint64_t address, uint8_t *bytes, uint8_t *known, size_t size)
{
	const struct moment *moment = context;
	const uint8_t *memory = ear_iss_memory(moment->iss, address, size);

	if (!memory)
		return false;
	memcpy(bytes, memory, size);
	for (size_t i = 0; i < size; i++)
		known[i] = !is_hidden(moment, moment->hidden);
	return true;
}

static struct ear_diversion *diverge(struct moment *moment, uint64_t memory_size)
{
	const struct ear_span memory = {EAR_ISS_MEMORY_BASE, EAR_ISS_MEMORY_BASE + memory_size - 1};
	struct ear_diversion *diversion;
	const struct ear_diversion_options options = {.size = sizeof(options),
		.xlen = ear_iss_xlen(moment->iss),
		.flen = 64,
		.has_privilege = true,
		.privilege = ear_iss_mode(moment->iss),
		.view = {.size = sizeof(options.view),
			.pc = ear_iss_pc(moment->iss),
			.read_register = read_register,
			.read_memory = read_memory,
			.context = moment},
		.memory = &memory,
		.memory_count = 1};

	assert_int_equal(ear_diversion_new(&diversion, &options), 0);
	return diversion;
}

/* All that is known of registers is so. Returns how many are known. */
static unsigned compare_registers(struct ear_diversion *diversion, struct ear_iss *iss)
{
	static const uint16_t csrs[] = {1, 2, 3, 0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343};
	unsigned known = 0;
	uint64_t value, truth;

	for (unsigned i = 0; i < 32; i++) {
		if (ear_diversion_register(diversion, EAR_REGISTER_X, i, &value)) {
			assert_int_equal(value, ear_iss_x(iss)[i]);
			known++;
		}
		if (ear_diversion_register(diversion, EAR_REGISTER_F, i, &value)) {
			assert_int_equal(value, ear_iss_f(iss)[i]);
			known++;
		}
	}
	for (unsigned i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++)
		if (ear_diversion_register(diversion, EAR_REGISTER_CSR, csrs[i], &value) &&
			ear_iss_csr(iss, csrs[i], &truth)) {
			assert_int_equal(value, truth);
			known++;
		}
	return known;
}

/* The same of the bytes around an address. */
static unsigned compare_memory(
	struct ear_diversion *diversion, struct ear_iss *iss, uint64_t address, size_t size)
{
	const uint8_t *truth = ear_iss_memory(iss, address, size);
	static uint8_t bytes[1u << 16], known[1u << 16];
	unsigned count = 0;

	if (!truth)
		return 0;
	assert_int_equal(ear_diversion_memory(diversion, address, bytes, known, size), 0);
	for (size_t i = 0; i < size; i++) {
		if (known[i])
			assert_int_equal(bytes[i], truth[i]);
		count += known[i];
	}
	return count;
}

/* ---- Random instructions, with something hidden. ---- */

#define STEPS 400u /* of one diversion */

struct tally {
	uint64_t steps, known, all, ends;
};

/* Traps of what the diversion cannot know: memory that is not there, extensions. */
static bool is_outside(const struct ear_retire *entry)
{
	return entry->cause == 1 || entry->cause == 2 || entry->cause == 5 || entry->cause == 7;
}

static void divert_random(struct ear_iss *iss, struct random *random, struct tally *tally)
{
	struct moment moment = {iss, random, (unsigned)random_below(random, 3) * 8};
	struct ear_diversion *diversion = diverge(&moment, 1u << 20);
	struct ear_diversion_step step = {.size = sizeof(step)}, look = {.size = sizeof(look)};
	struct ear_retire entry;

	for (unsigned i = 0; i < STEPS; i++) {
		const int next = ear_diversion_look(diversion, &look);
		const int result = ear_diversion_step(diversion, &step);
		assert_int_equal(next, result);
		assert_int_equal(look.next_pc, step.next_pc);
		assert_int_equal(step.pc, ear_iss_pc(iss));
		assert_true(result == 1 || (result == 0 && step.text[0]));
		tally->ends += result == 0;
		if (result == 0 || !ear_iss_step(iss, &entry) || entry.irq)
			break;
		if (entry.trap) {
			assert_true(is_outside(&entry));
			break;
		}
		assert_int_equal(step.next_pc, entry.pc_wdata);
		assert_int_equal(ear_diversion_pc(diversion), ear_iss_pc(iss));
		tally->known += compare_registers(diversion, iss);
		tally->all += 74;
		if (step.writes || step.reads) {
			assert_int_equal(step.address, entry.mem_addr);
			tally->known +=
				compare_memory(diversion, iss, step.address, step.access_size);
			tally->all += step.access_size;
		}
		tally->steps++;
	}
	ear_diversion_free(diversion);
	(void)ear_iss_step(iss, &entry); /* beyond what ended it */
}

static void random_instructions_do_what_the_simulator_does(void **state)
{
	struct tally tally = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const unsigned xlen = seed & 1 ? 64 : 32;
		struct random random = {seed * 77 + 5};
		struct ear_iss *iss = iss_bare_new(xlen, seed);
		mixed_program_write(iss, xlen, &random);
		for (unsigned i = 0; i < 200; i++)
			divert_random(iss, &random, &tally);
		ear_iss_free(iss);
	}
	print_message("# %llu steps, %llu ends, %llu of %llu values known\n",
		(unsigned long long)tally.steps, (unsigned long long)tally.ends,
		(unsigned long long)tally.known, (unsigned long long)tally.all);
	assert_true(tally.steps > 20000 && tally.ends > 1000);
	assert_true(2 * tally.known > tally.all);
}

/* ---- Functions of programs. ---- */

#define BUFFER_SIZE 512u
#define CALL_MAX    2000000u /* instructions */
#define NEAR        4096u    /* bytes below sp */

/* Arguments: 1 up to a limit, the buffer, or its second half; 0: none. */
enum { B = -1, C = -2 };

static const struct function {
	const char *program, *name;
	int arguments[4];
	uint32_t begin; /* entries of the program before the first call */
} functions[] = {
	{"recursion", "fibonacci", {12}, 100},
	{"recursion", "ackermann", {3, 4}, 100},
	{"recursion", "queens", {6, 8, 8, 8}, 100},
	{"crc32", "crc_bits", {B, 300}, 100},
	{"strings", "strlen", {B}, 100},
	{"strings", "strcmp", {B, C}, 100},
	{"strings", "strtol", {B, 0, 36}, 100},
	{"strings", "memset", {B, 256, 500}, 100},
	{"strings", "__udivdi3", {1000000, 5, 1000, 2}, 100},
	{"aes", "memcpy", {B, C, 256}, 100},
	{"chacha", "memcpy", {B, C, 256}, 100},
	{"divide", "__udivdi3", {1000000, 5, 1000, 2}, 100},
	{"divide", "__umoddi3", {1000000, 5, 1000, 2}, 100},
	{"fir", "__divdi3", {1000000, 5, 1000, 2}, 100},
	{"montgomery", "__umoddi3", {1000000, 5, 1000, 2}, 100},
	{"sha256", "sha256", {C, B, 250}, 100},
	{"list", "malloc", {300}, 100},
	{"nbody", "energy", {1}, 100},
	{"nbody", "distance", {B, B, C}, 100},
};

struct calls {
	unsigned made, missing;
	uint64_t steps;
};

/* The arguments, in both. */
static void set_arguments(struct ear_diversion *diversion, struct ear_iss *iss,
	const struct function *function, uint64_t buffer, struct random *random)
{
	uint8_t bytes[BUFFER_SIZE];

	for (unsigned i = 0; i < BUFFER_SIZE; i++)
		bytes[i] = (uint8_t)random_below(random, 256);
	bytes[BUFFER_SIZE / 2 - 1] = bytes[BUFFER_SIZE - 1] = 0;
	assert_int_equal(ear_diversion_set_memory(diversion, buffer, bytes, BUFFER_SIZE), 0);
	memcpy(ear_iss_memory(iss, buffer, BUFFER_SIZE), bytes, BUFFER_SIZE);
	for (unsigned i = 0; i < 4; i++) {
		const int argument = function->arguments[i];
		uint64_t value = argument == B   ? buffer
				 : argument == C ? buffer + BUFFER_SIZE / 2
				 : argument      ? 1 + random_below(random, (unsigned)argument)
						 : 0;
		ear_iss_x(iss)[10 + i] = value;
		assert_true(ear_diversion_set_register(diversion, EAR_REGISTER_X, 10 + i, value));
		value <<= 40; /* doubles */
		ear_iss_f(iss)[10 + i] = value;
		assert_true(ear_diversion_set_register(diversion, EAR_REGISTER_F, 10 + i, value));
	}
}

/* Until it returns. */
static void run_both(struct ear_diversion *diversion, struct ear_iss *iss, uint64_t end,
	const char *function, struct calls *calls)
{
	struct ear_diversion_step step = {.size = sizeof(step)};
	struct ear_retire entry;

	for (unsigned i = 0; ear_diversion_pc(diversion) != end; i++) {
		if (ear_diversion_step(diversion, &step) != 1)
			fail_msg("%s: %s", function, step.text);
		assert_true(i < CALL_MAX && ear_iss_step(iss, &entry));
		if (entry.trap || entry.irq)
			fail_msg("%s: a trap, cause %llu, at 0x%llx", function,
				(unsigned long long)entry.cause,
				(unsigned long long)entry.pc_rdata);
		assert_int_equal(step.next_pc, entry.pc_wdata);
		if (entry.mem_wmask) /* what it wrote last, too */
			compare_memory(diversion, iss, entry.mem_addr, step.access_size);
		calls->steps++;
	}
}

static void call(struct ear_iss *iss, const struct ear_workload *work,
	const struct function *function, uint64_t pc, struct random *random, struct calls *calls)
{
	const uint64_t middle = EAR_ISS_MEMORY_BASE + work->options.memory_size / 2;
	const uint64_t end = middle - PAGE, stack = middle - 2 * PAGE;
	struct moment moment = {.iss = iss};
	struct ear_diversion *diversion = diverge(&moment, work->options.memory_size);
	uint64_t result;

	set_arguments(diversion, iss, function, middle, random);
	ear_iss_x(iss)[1] = end;
	ear_iss_x(iss)[2] = stack;
	ear_iss_set_pc(iss, pc);
	assert_true(ear_diversion_set_register(diversion, EAR_REGISTER_X, 1, end));
	assert_true(ear_diversion_set_register(diversion, EAR_REGISTER_X, 2, stack));
	ear_diversion_set_pc(diversion, pc);
	run_both(diversion, iss, end, function->name, calls);
	assert_true(compare_registers(diversion, iss) >= 64); /* x and f */
	assert_true(ear_diversion_register(diversion, EAR_REGISTER_X, 10, &result));
	assert_int_equal(compare_memory(diversion, iss, middle, BUFFER_SIZE), BUFFER_SIZE);
	assert_int_equal(compare_memory(diversion, iss, stack - NEAR, NEAR), NEAR);
	ear_diversion_free(diversion);
	calls->made++;
}

static uint64_t find_symbol(struct ear_names *names, const char *name)
{
	const struct ear_symbol *found[1];

	return ear_names_symbols_named(names, name, found, 1) ? found[0]->address : 0;
}

static void call_of_program(
	const struct ear_workload *work, const struct function *function, struct calls *calls)
{
	struct random random = {work->options.xlen * 1000u + function->begin};
	struct ear_names *names;
	struct ear_retire entry;
	struct ear_iss *iss;

	assert_int_equal(ear_names_open(&names), 0);
	if (ear_names_add(names, work->path, 0))
		fail_msg("%s", ear_names_message(names));
	const uint64_t pc = find_symbol(names, function->name);
	ear_names_close(names);
	if (!pc) {
		calls->missing++;
		return;
	}
	assert_int_equal(ear_iss_new(&iss, &work->options, work->path), 0);
	for (uint32_t i = 0; i < function->begin; i++)
		assert_true(ear_iss_step(iss, &entry));
	for (unsigned i = 0; i < 40; i++)
		call(iss, work, function, pc, &random, calls);
	ear_iss_free(iss);
}

static void functions_return_what_they_return_in_the_simulator(void **state)
{
	static struct ear_workload workloads[EAR_WORKLOADS_MAX];
	const int count = ear_workloads_read(workloads, NULL);
	struct calls calls = {0};

	(void)state;
	assert_above(count, 60);
	for (int i = 0; i < count; i++)
		for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
			if (strcmp(workloads[i].name, functions[f].program) == 0)
				call_of_program(&workloads[i], &functions[f], &calls);
	print_message("# %u calls, %llu instructions, %u functions missing\n", calls.made,
		(unsigned long long)calls.steps, calls.missing);
	assert_true(calls.made >= 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_instructions_do_what_the_simulator_does),
		cmocka_unit_test(functions_return_what_they_return_in_the_simulator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
