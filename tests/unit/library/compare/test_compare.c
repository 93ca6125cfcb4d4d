/* Two traces: where they differ and where they meet again. library/compare/compare.h */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/compare/compare.h"
#include "random.h"

#define LENGTH_MAX 4000

/* A trace made of pcs: everything else of a record follows from its place in the program. */
struct trace {
	uint64_t pcs[LENGTH_MAX];
	size_t count, next;
	size_t changed; /* this record's x5 is wrong; SIZE_MAX none */
	size_t gap;     /* before this record stands a gap; SIZE_MAX none */
	uint64_t gap_count;
	bool gap_told;
	struct ear_record record;
	struct ear_record_register write;
	struct ear_record_access access;
};

static struct trace traces[2];

static int next(void *context, unsigned side, const struct ear_record **record)
{
	struct trace *trace = &traces[side];

	(void)context;
	if (trace->next == trace->gap && !trace->gap_told) {
		trace->gap_told = true;
		trace->record = (struct ear_record){.kind = EAR_RECORD_GAP};
		trace->record.u.gap = (struct ear_gap){.count_known = trace->gap_count > 0,
			.count = trace->gap_count,
			.first = trace->next,
			.last = trace->next + trace->gap_count - 1};
		trace->record.index = trace->next;
		*record = &trace->record;
		return 1;
	}
	if (trace->next == trace->count)
		return 0;
	uint64_t pc = trace->pcs[trace->next];
	trace->write = (struct ear_record_register){.reg_class = EAR_REGISTER_X, .number = 5};
	trace->write.value = pc * 3 + (trace->next == trace->changed);
	trace->access = (struct ear_record_access){
		.address = pc + 0x1000, .value = pc, .size = 4, .write = true, .has_value = true};
	trace->record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = 0x13 | (pc & 0xFFF) << 20,
		.pc = pc,
		.next_pc = pc + 4,
		.registers = &trace->write,
		.register_count = 1,
		.memory = &trace->access,
		.memory_count = 1,
		.index = trace->next + (trace->gap_told ? trace->gap_count : 0),
	};
	trace->next++;
	*record = &trace->record;
	return 1;
}

/* Both sides run through the same code, in loops of 50 instructions. */
static void fill(size_t count)
{
	for (unsigned side = 0; side < 2; side++) {
		memset(&traces[side], 0, sizeof(traces[side]));
		traces[side].count = count;
		traces[side].changed = SIZE_MAX;
		traces[side].gap = SIZE_MAX;
		for (size_t i = 0; i < count; i++)
			traces[side].pcs[i] = 0x80000000 + 4 * (i % 50) + 0x1000 * (i / 50);
	}
}

static void remove_records(unsigned side, size_t at, size_t count)
{
	struct trace *trace = &traces[side];

	memmove(trace->pcs + at, trace->pcs + at + count,
		(trace->count - at - count) * sizeof(trace->pcs[0]));
	trace->count -= count;
}

static void insert_records(unsigned side, size_t at, size_t count)
{
	struct trace *trace = &traces[side];

	memmove(trace->pcs + at + count, trace->pcs + at,
		(trace->count - at) * sizeof(trace->pcs[0]));
	for (size_t i = 0; i < count; i++)
		trace->pcs[at + i] = 0x90000000 + 4 * i;
	trace->count += count;
}

static struct ear_compare *begin(struct ear_compare_options options)
{
	struct ear_compare *compare;

	options.next = next;
	assert_int_equal(ear_compare_new(&compare, &options), 0);
	return compare;
}

static const struct ear_compare_options usual = {
	.fields = EAR_COMPARE_ALL, .window = 100, .run = 4, .context = 3, .hart = -1};

static void equal_traces_give_no_event(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 1000);
	ear_compare_free(compare);
}

static void a_changed_register_is_named_with_both_values_and_its_surroundings(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	traces[1].changed = 500;
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_DIFFERENT);
	assert_int_equal(event.difference.field, EAR_COMPARE_X);
	assert_int_equal(event.difference.number, 5);
	assert_int_equal(event.difference.value_b, event.difference.value_a + 1);
	for (int i = -3; i <= 3; i++) {
		assert_int_equal(ear_compare_record(compare, 0, i)->index, 500 + i);
		assert_int_equal(ear_compare_record(compare, 1, i)->index, 500 + i);
	}
	assert_null(ear_compare_record(compare, 0, -4));
	assert_int_equal(ear_compare_next(compare, &event), 0);
	ear_compare_free(compare);
}

static void a_field_that_is_not_compared_does_not_differ(void **state)
{
	struct ear_compare_options options = usual;
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	traces[1].changed = 500;
	options.fields &= ~(unsigned)EAR_COMPARE_X;
	struct ear_compare *compare = begin(options);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	ear_compare_free(compare);
}

static void missing_and_extra_records_are_counted_and_the_sides_meet_again(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	remove_records(1, 300, 1);
	insert_records(1, 600, 7);
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_INSERTED);
	assert_int_equal(event.count[0], 1);
	assert_int_equal(event.count[1], 0);
	assert_int_equal(ear_compare_count(compare, 0), 300);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_INSERTED);
	assert_int_equal(event.count[0], 0);
	assert_int_equal(event.count[1], 7);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 999);
	ear_compare_free(compare);
}

static void a_swapped_pair_is_found(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	uint64_t pc = traces[1].pcs[700];
	traces[1].pcs[700] = traces[1].pcs[701];
	traces[1].pcs[701] = pc;
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_INSERTED);
	assert_int_equal(event.count[0] + event.count[1], 4);
	assert_int_equal(ear_compare_count(compare, 0), 700);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	ear_compare_free(compare);
}

static void an_insertion_longer_than_the_window_parts_the_sides(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	insert_records(0, 500, 101);
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_PARTED);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	ear_compare_free(compare);

	fill(1000);
	insert_records(0, 500, 100);
	compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_INSERTED);
	assert_int_equal(event.count[0], 100);
	ear_compare_free(compare);
}

static void without_a_window_the_sides_go_in_lockstep(void **state)
{
	struct ear_compare_options options = usual;
	struct ear_compare_event event;
	unsigned events = 0;

	(void)state;
	fill(100);
	traces[0].pcs[20] += 2;
	options.window = 0;
	struct ear_compare *compare = begin(options);
	while (ear_compare_next(compare, &event) == 1) {
		assert_int_equal(event.kind, EAR_COMPARE_DIFFERENT);
		assert_int_equal(event.difference.field, EAR_COMPARE_PC);
		events++;
	}
	assert_int_equal(events, 1);
	assert_int_equal(ear_compare_pairs(compare), 100);
	ear_compare_free(compare);
}

static void the_shorter_side_is_told(void **state)
{
	struct ear_compare_event event;

	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		fill(1000);
		traces[side].count = 990;
		struct ear_compare *compare = begin(usual);
		assert_int_equal(ear_compare_next(compare, &event), 1);
		assert_int_equal(event.kind, EAR_COMPARE_ENDED);
		assert_int_equal(event.side, side);
		assert_non_null(ear_compare_record(compare, 1 - side, 0));
		assert_null(ear_compare_record(compare, side, 0));
		assert_int_equal(ear_compare_next(compare, &event), 0);
		ear_compare_free(compare);
	}
}

static void over_a_gap_of_known_size_the_other_side_goes_on(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	remove_records(0, 400, 250); /* more than the window */
	traces[0].gap = 400;
	traces[0].gap_count = 250;
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_GAP);
	assert_int_equal(event.side, 0);
	assert_int_equal(event.count[1], 250);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 750);
	ear_compare_free(compare);
}

static void over_a_gap_of_unknown_size_the_sides_look_for_each_other(void **state)
{
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	remove_records(0, 400, 25);
	traces[0].gap = 400;
	struct ear_compare *compare = begin(usual);
	assert_int_equal(ear_compare_next(compare, &event), 1);
	assert_int_equal(event.kind, EAR_COMPARE_GAP);
	assert_int_equal(event.count[0], 0);
	assert_int_equal(event.count[1], 25);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 975);
	ear_compare_free(compare);
}

static void boot_code_can_be_left_out(void **state)
{
	struct ear_compare_options options = usual;
	struct ear_compare_event event;

	(void)state;
	fill(1000);
	insert_records(0, 0, 60);
	remove_records(1, 0, 10);
	options.first_common = true;
	struct ear_compare *compare = begin(options);
	/* A begins with 60 others, B 10 later: the first steps are theirs, and are no difference.
	 */
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 990);
	ear_compare_free(compare);

	fill(1000);
	insert_records(0, 0, 600);
	options = usual;
	options.has_start = true;
	options.start_pc = traces[1].pcs[7];
	compare = begin(options);
	assert_int_equal(ear_compare_next(compare, &event), 0);
	assert_int_equal(ear_compare_pairs(compare), 993);
	ear_compare_free(compare);
}

/* Random edits far enough from each other are all found, each with its size. */
static void random_edits_are_all_found(void **state)
{
	struct random random = {1};

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct ear_compare_event event;
		size_t expected[2] = {0, 0};
		fill(3000);
		for (size_t at = 2700; at > 200; at -= 300) {
			size_t count = 1 + random_below(&random, 20);
			unsigned side = (unsigned)random_below(&random, 2);
			if (random_below(&random, 2)) {
				insert_records(side, at, count);
				expected[side] += count;
			} else {
				remove_records(side, at, count);
				expected[1 - side] += count;
			}
		}
		size_t found[2] = {0, 0};
		struct ear_compare *compare = begin(usual);
		while (ear_compare_next(compare, &event) == 1) {
			assert_int_equal(event.kind, EAR_COMPARE_INSERTED);
			found[0] += event.count[0];
			found[1] += event.count[1];
		}
		assert_int_equal(found[0], expected[0]);
		assert_int_equal(found[1], expected[1]);
		ear_compare_free(compare);
	}
}

static void every_field_can_differ(void **state)
{
	static const struct {
		unsigned field;
		size_t offset;
		unsigned char change;
	} rows[] = {
		{EAR_COMPARE_HART, offsetof(struct ear_record, hart), 1},
		{EAR_COMPARE_PC, offsetof(struct ear_record, pc), 2},
		{EAR_COMPARE_OPCODE, offsetof(struct ear_record, opcode), 4},
		{EAR_COMPARE_PRIVILEGE, offsetof(struct ear_record, privilege), 2},
		{EAR_COMPARE_TRAP, offsetof(struct ear_record, flags), EAR_RECORD_TRAP},
		{EAR_COMPARE_TARGET, offsetof(struct ear_record, flags), EAR_RECORD_TAKEN},
		{EAR_COMPARE_FFLAGS, offsetof(struct ear_record, fflags), 1},
		{EAR_COMPARE_X, offsetof(struct ear_record, register_count), 1},
		{EAR_COMPARE_ADDRESS, offsetof(struct ear_record, memory_count), 1},
		{EAR_COMPARE_PHYSICAL, offsetof(struct ear_record, flags), EAR_RECORD_PC_PHYSICAL},
	};
	const struct ear_record *record;
	struct ear_record_difference difference;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fill(1);
		assert_int_equal(next(NULL, 0, &record), 1);
		struct ear_record other = *record;
		assert_true(
			ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, false));
		((unsigned char *)&other)[rows[i].offset] ^= rows[i].change;
		other.pc_physical = 1;
		assert_false(
			ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, false));
		assert_int_equal(difference.field, rows[i].field);
		assert_true(ear_record_compare(
			&difference, record, &other, EAR_COMPARE_ALL & ~rows[i].field, false));
		unsigned field = ear_compare_field_find(ear_compare_field_name(rows[i].field),
			strlen(ear_compare_field_name(rows[i].field)));
		assert_int_equal(field, rows[i].field);
	}
	assert_int_equal(ear_compare_field_find("nothing", 7), 0);
}

static void what_one_side_does_not_know_can_be_taken_as_equal(void **state)
{
	const struct ear_record *record;
	struct ear_record_difference difference;

	(void)state;
	fill(1);
	assert_int_equal(next(NULL, 0, &record), 1);
	struct ear_record other = *record;
	other.flags |= EAR_RECORD_NO_PRIVILEGE;
	assert_false(ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, false));
	assert_true(ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, true));
	other = *record;
	other.register_count = 0; /* a format that lists changes only */
	assert_false(ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, false));
	assert_true(ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, true));
	assert_true(ear_record_compare(&difference, &other, record, EAR_COMPARE_ALL, true));
	struct ear_record_access access = record->memory[0];
	access.has_value = false;
	other = *record;
	other.memory = &access;
	assert_true(ear_record_compare(&difference, record, &other, EAR_COMPARE_ALL, false));
}

/* Two registers of 16 bytes that differ in the highest one, as vector and as named ones. */
static void wide_values_are_compared_and_told_as_a_whole(void **state)
{
	uint8_t bytes[2][18] = {"q0", "q0"};
	const uint8_t classes[] = {EAR_REGISTER_V, EAR_REGISTER_NAMED};
	struct ear_record_difference difference;

	(void)state;
	bytes[1][17] = 1;
	for (size_t i = 0; i < COUNT_OF(classes); i++) {
		struct ear_record_register registers[2];
		struct ear_record records[2] = {{.kind = EAR_RECORD_INSTRUCTION}};
		for (unsigned side = 0; side < 2; side++) {
			registers[side] = (struct ear_record_register){.reg_class = classes[i]};
			if (classes[i] == EAR_REGISTER_V) {
				registers[side].text_size = 16;
				registers[side].text.bytes = bytes[side] + 2;
			} else {
				registers[side].size = 16;
				registers[side].text_size = 2;
				registers[side].text.bytes = bytes[side];
			}
			records[side] = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
				.registers = &registers[side],
				.register_count = 1};
		}
		assert_false(ear_record_compare(
			&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
		assert_int_equal(difference.size_a, 16);
		assert_int_equal(difference.size_b, 16);
		assert_ptr_equal(difference.bytes_a, bytes[0] + 2);
		assert_ptr_equal(difference.bytes_b, bytes[1] + 2);
		assert_true(ear_record_compare(
			&difference, &records[0], &records[0], EAR_COMPARE_ALL, false));
	}
}

/* A record of one register "q0", whose value is the first size of these bytes; unknown: a byte of
 * it that is unknown, or -1. text has room for the name, the bytes and the mask. */
static void make_named(struct ear_record *record, struct ear_record_register *reg, uint8_t *text,
	const uint8_t *bytes, unsigned size, int unknown)
{
	uint8_t *at = text + 2;

	memcpy(text, "q0", 2);
	*reg = (struct ear_record_register){.reg_class = EAR_REGISTER_NAMED,
		.text_size = 2,
		.size = (uint16_t)size,
		.unknown = unknown >= 0,
		.text.bytes = text};
	for (unsigned i = 0; i < size; i++) {
		uint8_t byte = (int)i == unknown ? 0 : bytes[i];
		if (i < 8)
			reg->value |= (uint64_t)byte << 8 * i;
		if (size > 8)
			*at++ = byte;
	}
	for (unsigned i = 0; unknown >= 0 && i < size; i++)
		*at++ = (int)i == unknown ? 0xFF : 0;
	*record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION, .registers = reg, .register_count = 1};
}

static void an_unknown_digit_is_equal_to_any(void **state)
{
	(void)state;
	static const struct {
		unsigned size_a, size_b;
		int unknown_a, unknown_b;
		int changed; /* byte of b */
		bool same;
	} rows[] = {
		{4, 4, -1, -1, 2, false}, {4, 4, 2, -1, 2, true}, {4, 4, -1, 2, 2, true},
		{4, 4, 1, -1, 2, false}, {16, 16, 12, -1, 12, true}, {16, 16, -1, 12, 12, true},
		{16, 16, 12, 3, 3, true}, {16, 16, 12, 3, 4, false}, {16, 8, -1, -1, 0, false},
		{8, 16, -1, -1, 0, false}, /* the bytes above are not 0 */
	};
	struct ear_record_difference difference;
	uint8_t bytes[2][16], texts[2][64];
	struct ear_record_register registers[2];
	struct ear_record records[2];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (unsigned k = 0; k < 16; k++)
			bytes[0][k] = bytes[1][k] = (uint8_t)(0x11 * (k + 1));
		bytes[1][rows[i].changed] ^= rows[i].size_a == rows[i].size_b ? 1 : 0;
		make_named(&records[0], &registers[0], texts[0], bytes[0], rows[i].size_a,
			rows[i].unknown_a);
		make_named(&records[1], &registers[1], texts[1], bytes[1], rows[i].size_b,
			rows[i].unknown_b);
		if (ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL,
			    false) != rows[i].same)
			fail_msg("row %zu", i);
		if (!rows[i].same && rows[i].size_a == 4 && rows[i].unknown_a >= 0)
			assert_int_equal(difference.unknown_a, 0xFF00);
	}
}

static void unknown_digits_of_an_access_are_equal_to_any(void **state)
{
	(void)state;
	struct ear_record_access accesses[2] = {
		{.address = 0x100, .size = 4, .value = 0x12340000, .has_value = true},
		{.address = 0x100, .size = 4, .value = 0x12345678, .has_value = true}};
	struct ear_record records[2];
	struct ear_record_difference difference;

	for (unsigned side = 0; side < 2; side++)
		records[side] = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
			.memory = &accesses[side],
			.memory_count = 1};
	assert_false(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	accesses[0].unknown = 0xFF;
	assert_false(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	assert_int_equal(difference.field, EAR_COMPARE_VALUE);
	assert_int_equal(difference.unknown_a, 0xFF);
	accesses[0].unknown = 0xFFFF;
	assert_true(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	assert_true(
		ear_record_compare(&difference, &records[1], &records[0], EAR_COMPARE_ALL, false));
}

static void masked_elements_have_no_value(void **state)
{
	struct ear_record_access a[2] = {{.address = 8, .write = true, .has_value = true},
		{.address = 12, .write = true, .has_value = true, .masked = true}};
	struct ear_record_access b[2] = {a[0], a[1]};
	struct ear_record records[2] = {
		{.kind = EAR_RECORD_INSTRUCTION, .memory = a, .memory_count = 2},
		{.kind = EAR_RECORD_INSTRUCTION, .memory = b, .memory_count = 2}};
	struct ear_record_difference difference;
	unsigned unmasked = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_MASKED;

	(void)state;
	b[1].value = 5;
	assert_true(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	b[1] = (struct ear_record_access){.address = 12, .write = true, .has_value = true};
	assert_false(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	assert_int_equal(difference.field, EAR_COMPARE_MASKED);
	assert_int_equal(difference.address, 12);
	assert_true(ear_record_compare(&difference, &records[0], &records[1], unmasked, false));
	records[1].memory_count = 1; /* a format without masks leaves the element out */
	assert_true(ear_record_compare(&difference, &records[0], &records[1], unmasked, false));
	assert_true(ear_record_compare(&difference, &records[1], &records[0], unmasked, false));
	assert_false(
		ear_record_compare(&difference, &records[0], &records[1], EAR_COMPARE_ALL, false));
	b[0].address = 12; /* the first one is not there, which is more than a mask */
	assert_false(ear_record_compare(&difference, &records[0], &records[1], unmasked, false));
}

static void what_a_format_cannot_carry_need_not_be_compared(void **state)
{
	(void)state;
	assert_int_equal(ear_compare_fields_of(EAR_FIELDS_ALL), EAR_COMPARE_ALL);
	unsigned few = ear_compare_fields_of(
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE));
	assert_int_equal(
		few, EAR_COMPARE_HART | EAR_COMPARE_PC | EAR_COMPARE_OPCODE | EAR_COMPARE_X);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_traces_give_no_event),
		cmocka_unit_test(a_changed_register_is_named_with_both_values_and_its_surroundings),
		cmocka_unit_test(a_field_that_is_not_compared_does_not_differ),
		cmocka_unit_test(missing_and_extra_records_are_counted_and_the_sides_meet_again),
		cmocka_unit_test(a_swapped_pair_is_found),
		cmocka_unit_test(an_insertion_longer_than_the_window_parts_the_sides),
		cmocka_unit_test(without_a_window_the_sides_go_in_lockstep),
		cmocka_unit_test(the_shorter_side_is_told),
		cmocka_unit_test(over_a_gap_of_known_size_the_other_side_goes_on),
		cmocka_unit_test(over_a_gap_of_unknown_size_the_sides_look_for_each_other),
		cmocka_unit_test(boot_code_can_be_left_out),
		cmocka_unit_test(random_edits_are_all_found),
		cmocka_unit_test(every_field_can_differ),
		cmocka_unit_test(what_one_side_does_not_know_can_be_taken_as_equal),
		cmocka_unit_test(what_a_format_cannot_carry_need_not_be_compared),
		cmocka_unit_test(wide_values_are_compared_and_told_as_a_whole),
		cmocka_unit_test(an_unknown_digit_is_equal_to_any),
		cmocka_unit_test(unknown_digits_of_an_access_are_equal_to_any),
		cmocka_unit_test(masked_elements_have_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
