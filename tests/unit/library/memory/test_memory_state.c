/* Memory at a moment, case by case: which instructions make what unknown, what an address means,
 * and which records are missing without a word.
 */
#include "check.h"

#include "library/memory/memory_state.h"

#define ADDRESS 0x80001000u

#define SW         0x00a2a023u
#define LW         0x0002a283u
#define ADDI       0x00150513u
#define CSRW_SATP  0x18051073u
#define CSRW_MSTAT 0x30051073u
#define SFENCE     0x12000073u
#define CBO_ZERO   0x0045200fu
#define CM_PUSH    0xb852u /* as c.fsdsp */
#define VSE8       0x02050027u
#define CUSTOM     0x0000000bu

static struct ear_memory *new_memory(struct ear_memory_options options)
{
	struct ear_memory *memory = NULL;

	assert_int_equal(ear_memory_new(&memory, &options), 0);
	return memory;
}

/* Records of one hart, one after the other. */
static uint64_t next_index;

static struct ear_record instruction(uint32_t opcode)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = next_index++,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2,
		.opcode = opcode,
		.pc = 0x80000000,
		.next_pc = 0x80000000};
}

static struct ear_record_access access_at(uint64_t address, bool write, uint64_t value)
{
	return (struct ear_record_access){
		.address = address, .size = 4, .write = write, .has_value = true, .value = value};
}

static void push(struct ear_memory *memory, struct ear_record record,
	const struct ear_record_access *accesses, size_t count)
{
	record.memory = accesses;
	record.memory_count = count;
	assert_int_equal(ear_memory_push(memory, &record), 0);
}

static void store(struct ear_memory *memory, uint64_t address, uint64_t value)
{
	struct ear_record_access access = access_at(address, true, value);

	push(memory, instruction(SW), &access, 1);
}

static void load(struct ear_memory *memory, uint64_t address, uint64_t value)
{
	struct ear_record_access access = access_at(address, false, value);

	push(memory, instruction(LW), &access, 1);
}

/* How many of 4 bytes are known. */
static int64_t known_at(struct ear_memory *memory, uint64_t address)
{
	uint8_t bytes[4];
	bool known[4];

	return ear_memory_read(memory, address, bytes, known, 4);
}

static struct ear_memory *begun(struct ear_memory_options options)
{
	next_index = 0;
	struct ear_memory *memory = new_memory(options);
	store(memory, ADDRESS, 0x12345678);
	assert_int_equal(known_at(memory, ADDRESS), 4);
	return memory;
}

static const struct ear_memory_options captured = {.captured = true};

/* After this instruction, without accesses, how many of the bytes stored before are known? */
static int64_t known_after(struct ear_memory_options options, uint32_t opcode)
{
	struct ear_memory *memory = begun(options);

	push(memory, instruction(opcode), NULL, 0);
	int64_t known = known_at(memory, ADDRESS);
	ear_memory_free(memory);
	return known;
}

static void instructions_that_store_without_showing_it_make_everything_unknown(void **state)
{
	(void)state;
	assert_int_equal(known_after(captured, ADDI), 4);
	assert_int_equal(known_after(captured, LW), 4);
	assert_int_equal(known_after(captured, CUSTOM), 4);
	assert_int_equal(known_after(captured, SW), 0);
	assert_int_equal(known_after(captured, CBO_ZERO), 0);
	assert_int_equal(known_after(captured, VSE8), 0);
}

static void zcmp_in_the_encoding_of_zcd_is_recognised_by_what_it_writes(void **state)
{
	(void)state;
	struct ear_record_access access = access_at(ADDRESS + 64, true, 1);
	struct ear_record_register sp = {
		.reg_class = EAR_REGISTER_X, .number = 2, .value = ADDRESS};

	access.size = 8;
	for (unsigned writes = 0; writes < 2; writes++) {
		struct ear_memory *memory = begun(captured);
		struct ear_record record = instruction(CM_PUSH);
		record.registers = &sp;
		record.register_count = writes;
		push(memory, record, &access, 1);
		assert_int_equal(known_at(memory, ADDRESS), writes ? 0 : 4);
		ear_memory_free(memory);
	}
}

static void a_change_of_the_address_space_matters_where_addresses_are_virtual(void **state)
{
	(void)state;
	struct ear_memory_options virtual = {.key = EAR_MEMORY_VIRTUAL, .captured = true};

	assert_int_equal(known_after(captured, SFENCE), 4);
	assert_int_equal(known_after(virtual, ADDI), 4);
	assert_int_equal(known_after(virtual, SFENCE), 0);
	assert_int_equal(known_after(virtual, CSRW_SATP), 0);
	assert_int_equal(known_after(virtual, CSRW_MSTAT), 0); /* MPRV */

	struct ear_memory *memory = begun(virtual);
	struct ear_record user = instruction(ADDI);
	user.privilege = EAR_PRIVILEGE_U;
	push(memory, user, NULL, 0);
	assert_int_equal(known_at(memory, ADDRESS), 0);
	ear_memory_free(memory);
}

static void the_trace_says_which_key_it_asks_for(void **state)
{
	(void)state;
	struct ear_memory *memory = begun(captured);
	struct ear_record_access access = access_at(ADDRESS, false, 0x12345678);

	assert_int_equal(ear_memory_better_key(memory), EAR_MEMORY_FLAT);
	push(memory, instruction(SFENCE), NULL, 0);
	assert_int_equal(ear_memory_better_key(memory), EAR_MEMORY_VIRTUAL);
	access.has_physical = true;
	access.physical = 0x5000;
	push(memory, instruction(LW), &access, 1);
	assert_int_equal(ear_memory_better_key(memory), EAR_MEMORY_PHYSICAL);
	ear_memory_free(memory);
}

static void physical_addresses_meet_whatever_the_virtual_ones_are(void **state)
{
	(void)state;
	struct ear_memory *memory = new_memory(
		(struct ear_memory_options){.key = EAR_MEMORY_PHYSICAL, .captured = true});
	struct ear_record_access access = access_at(0x400000, true, 77);

	next_index = 0;
	access.has_physical = true;
	access.physical = ADDRESS;
	push(memory, instruction(SW), &access, 1);
	assert_int_equal(known_at(memory, ADDRESS), 4);
	assert_int_equal(known_at(memory, 0x400000), 0);

	/* Over the end of a page the rest is anywhere, and so everything may have changed. */
	struct ear_record record = instruction(SW);
	record.privilege = EAR_PRIVILEGE_S;
	access.address = 0x400ffe;
	access.physical = 0x90000ffe;
	push(memory, record, &access, 1);
	assert_int_equal(known_at(memory, ADDRESS), 0);

	/* A store without a physical address, too. */
	access.address = ADDRESS;
	access.physical = ADDRESS;
	push(memory, instruction(SW), &access, 1);
	assert_int_equal(known_at(memory, ADDRESS), 4);
	access.has_physical = false;
	push(memory, instruction(SW), &access, 1);
	assert_int_equal(known_at(memory, ADDRESS), 0);
	ear_memory_free(memory);
}

static void a_time_in_debug_mode_makes_everything_unknown(void **state)
{
	(void)state;
	struct ear_memory *memory = begun(captured);
	struct ear_record record = instruction(ADDI);

	record.privilege = EAR_PRIVILEGE_DEBUG;
	push(memory, record, NULL, 0);
	assert_int_equal(known_at(memory, ADDRESS), 0);
	store(memory, ADDRESS, 1);
	assert_int_equal(known_at(memory, ADDRESS), 4);
	push(memory, instruction(ADDI), NULL, 0);
	ear_memory_free(memory);
}

/* After an instruction elsewhere: what is known of what was stored before? */
static int64_t known_after_move(bool is_captured, uint64_t pc, uint32_t flags, bool raised)
{
	struct ear_memory *memory = begun((struct ear_memory_options){.captured = is_captured});
	struct ear_record record = instruction(ADDI);

	record.privilege = raised ? EAR_PRIVILEGE_U : EAR_PRIVILEGE_M;
	push(memory, record, NULL, 0);
	record = instruction(ADDI);
	record.pc = pc;
	record.flags = flags;
	push(memory, record, NULL, 0);
	int64_t known = known_at(memory, ADDRESS);
	ear_memory_free(memory);
	return known;
}

static void a_text_shows_missing_records_by_the_program_counter(void **state)
{
	(void)state;
	assert_int_equal(known_after_move(false, 0x80000000, 0, false), 4);
	assert_int_equal(known_after_move(false, 0x80000100, 0, false), 0);
	/* An interrupt explains it. */
	assert_int_equal(known_after_move(false, 0x80000100, EAR_RECORD_HANDLER, false), 4);
	assert_int_equal(known_after_move(false, 0x80000100, 0, true), 4);
	/* The indexes of captures are exact. */
	assert_int_equal(known_after_move(true, 0x80000100, 0, false), 4);
}

static void an_index_that_jumps_makes_everything_unknown(void **state)
{
	(void)state;
	struct ear_memory *memory = begun(captured);

	next_index += 5;
	push(memory, instruction(ADDI), NULL, 0);
	assert_int_equal(known_at(memory, ADDRESS), 0);
	ear_memory_free(memory);
}

static void bytes_that_change_without_a_store_are_volatile(void **state)
{
	(void)state;
	struct ear_memory *memory = begun(captured);

	load(memory, ADDRESS, 0x12345678);
	assert_int_equal(known_at(memory, ADDRESS), 4);
	load(memory, ADDRESS, 0x12005678);
	assert_int_equal(known_at(memory, ADDRESS), 3);
	store(memory, ADDRESS, 1);
	assert_int_equal(known_at(memory, ADDRESS), 3);
	assert_int_equal(ear_memory_volatile_mask(ear_memory_volatile(memory), ADDRESS), 4);
	ear_memory_free(memory);
}

static void a_gap_leaves_only_what_is_constant_in_the_image(void **state)
{
	(void)state;
	static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	const struct ear_memory_segment image[] = {
		{0x1000, 4, bytes, false}, {0x1004, 4, bytes + 4, true}, {0x2000, 4, bytes, false}};
	struct ear_memory *memory = begun(
		(struct ear_memory_options){.captured = true, .image = image, .image_count = 3});
	struct ear_record gap = {.kind = EAR_RECORD_GAP};

	store(memory, 0x2002, 9); /* so that segment is not constant */
	assert_int_equal(known_at(memory, 0x1000), 4);
	assert_int_equal(known_at(memory, 0x1004), 4);
	assert_int_equal(known_at(memory, 0x2000), 4);
	push(memory, gap, NULL, 0);
	assert_int_equal(known_at(memory, 0x1000), 4);
	assert_int_equal(known_at(memory, 0x1004), 0);
	assert_int_equal(known_at(memory, 0x2000), 0);
	assert_int_equal(known_at(memory, ADDRESS), 0);
	ear_memory_free(memory);
}

static void a_capture_that_begins_in_the_middle_does_not_take_the_writable_image(void **state)
{
	(void)state;
	static const uint8_t bytes[4] = {1, 2, 3, 4};
	const struct ear_memory_segment image = {0x1000, 4, bytes, true};
	struct ear_memory *memory = new_memory(
		(struct ear_memory_options){.captured = true, .image = &image, .image_count = 1});

	assert_int_equal(known_at(memory, 0x1000), 4);
	next_index = 5000;
	push(memory, instruction(ADDI), NULL, 0);
	assert_int_equal(known_at(memory, 0x1000), 0);
	ear_memory_free(memory);
}

static void entries_of_page_tables_are_never_known(void **state)
{
	(void)state;
	struct ear_memory *memory = new_memory(
		(struct ear_memory_options){.key = EAR_MEMORY_PHYSICAL, .absent_is_same = true});
	struct ear_walk_step step = {.address = ADDRESS + 8, .entry = 1, .has_entry = true};
	struct ear_walk walk = {.step_count = 1, .steps = &step};
	struct ear_record_extra extra = {.walk_count = 1, .walks = &walk};

	next_index = 0;
	store(memory, ADDRESS + 8, 5);
	store(memory, ADDRESS + 16, 5);
	struct ear_record record = instruction(ADDI);
	record.extra = &extra;
	push(memory, record, NULL, 0);
	assert_int_equal(known_at(memory, ADDRESS + 8), 0);
	assert_int_equal(known_at(memory, ADDRESS + 16), 4);
	ear_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			instructions_that_store_without_showing_it_make_everything_unknown),
		cmocka_unit_test(zcmp_in_the_encoding_of_zcd_is_recognised_by_what_it_writes),
		cmocka_unit_test(a_change_of_the_address_space_matters_where_addresses_are_virtual),
		cmocka_unit_test(the_trace_says_which_key_it_asks_for),
		cmocka_unit_test(physical_addresses_meet_whatever_the_virtual_ones_are),
		cmocka_unit_test(a_time_in_debug_mode_makes_everything_unknown),
		cmocka_unit_test(a_text_shows_missing_records_by_the_program_counter),
		cmocka_unit_test(an_index_that_jumps_makes_everything_unknown),
		cmocka_unit_test(bytes_that_change_without_a_store_are_volatile),
		cmocka_unit_test(a_gap_leaves_only_what_is_constant_in_the_image),
		cmocka_unit_test(
			a_capture_that_begins_in_the_middle_does_not_take_the_writable_image),
		cmocka_unit_test(entries_of_page_tables_are_never_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
