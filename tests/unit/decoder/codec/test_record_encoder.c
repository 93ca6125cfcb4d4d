/* Records to the wire and back: what a trace says of its gaps is what its capture file says. */
#include "check.h"

#include <inttypes.h>
#include <string.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/record_encoder.h"
#include "decoder/codec/verdict.h"

#define RECORDS_MAX 64

struct list {
	struct ear_record records[RECORDS_MAX];
	size_t count;
};

static int take(void *context, const struct ear_record *record)
{
	struct list *list = context;

	assert_below(list->count, RECORDS_MAX);
	list->records[list->count++] = *record;
	return 0;
}

static struct ear_record instruction(unsigned xlen, uint64_t index)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = index,
		.xlen = (uint8_t)xlen,
		.isa = EAR_ISA_RISCV,
		.privilege = EAR_PRIVILEGE_M,
		.opcode = 0x13,
		.opcode_size = 4,
		.pc = 0x80000000 + 4 * index,
		.next_pc = 0x80000004 + 4 * index};
}

static struct ear_record known_gap(enum ear_gap_reason reason, uint64_t first, uint64_t count)
{
	return (struct ear_record){.kind = EAR_RECORD_GAP,
		.index = first,
		.u.gap = {.reason = reason,
			.count_known = true,
			.first = first,
			.last = first + count - 1,
			.count = count}};
}

static struct ear_record unknown_gap(enum ear_gap_reason reason, uint64_t index, bool at_start)
{
	return (struct ear_record){.kind = EAR_RECORD_GAP,
		.index = index,
		.u.gap = {.reason = reason, .at_start = at_start}};
}

static void add_instructions(struct list *list, unsigned xlen, uint64_t first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		list->records[list->count++] = instruction(xlen, first + i);
}

static void add(struct list *list, struct ear_record record)
{
	list->records[list->count++] = record;
}

/* Encode, decode, compare. Returns the verdict on what came back. */
static struct ear_verdict come_back(const struct list *sent, bool predict)
{
	static struct ear_decoder decoder;
	struct ear_record_encoder_options options = {
		.geometry = predict ? &ear_record_encoder_geometry : NULL};
	struct byte_buffer bytes = {0};
	struct list got = {.count = 0};
	size_t used;

	struct ear_record_encoder *encoder =
		ear_record_encoder_new(byte_buffer_sink, &bytes, &options);
	assert_non_null(encoder);
	for (size_t i = 0; i < sent->count; i++)
		assert_int_equal(ear_record_encoder_push(encoder, &sent->records[i]), 0);
	ear_record_encoder_finish(encoder);
	ear_record_encoder_free(encoder);
	ear_decoder_init(&decoder, take, &got);
	assert_int_equal(ear_decoder_push(&decoder, &used, bytes.bytes, bytes.size, true), 0);
	struct ear_verdict verdict = ear_verdict_of(&decoder.statistics);
	ear_decoder_fini(&decoder);
	byte_buffer_free(&bytes);

	assert_int_equal(got.count, sent->count);
	for (size_t i = 0; i < got.count; i++) {
		const struct ear_record *a = &sent->records[i], *b = &got.records[i];
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->index, b->index);
		if (a->kind != EAR_RECORD_GAP) {
			assert_int_equal(a->pc, b->pc);
			assert_int_equal(a->xlen, b->xlen);
			continue;
		}
		assert_int_equal(a->u.gap.reason, b->u.gap.reason);
		assert_int_equal(a->u.gap.count_known, b->u.gap.count_known);
		assert_int_equal(a->u.gap.count, b->u.gap.count);
		if (a->u.gap.count > 0) {
			assert_int_equal(a->u.gap.first, b->u.gap.first);
			assert_int_equal(a->u.gap.last, b->u.gap.last);
		}
	}
	return verdict;
}

static void in_all_ways(const struct list *sent, bool accounted, bool complete)
{
	for (unsigned predict = 0; predict < 2; predict++) {
		struct ear_verdict verdict = come_back(sent, predict);
		assert_int_equal(verdict.accounted, accounted);
		assert_int_equal(verdict.complete, complete);
	}
}

static void a_trace_without_gaps_is_complete(void **state)
{
	struct list sent = {.count = 0};

	(void)state;
	add_instructions(&sent, 64, 0, 5);
	in_all_ways(&sent, true, true);
}

static void gaps_of_known_size_keep_their_cause(void **state)
{
	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct list sent = {.count = 0};
		add_instructions(&sent, xlen, 0, 5);
		add(&sent, known_gap(EAR_GAP_UNIT_FIFO, 5, 10));
		add_instructions(&sent, xlen, 15, 5);
		add(&sent, known_gap(EAR_GAP_MISSING_FRAME, 20, 3));
		add_instructions(&sent, xlen, 23, 2);
		in_all_ways(&sent, true, false);
	}
}

static void a_gap_before_the_first_record_comes_back(void **state)
{
	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct list sent = {.count = 0};
		add(&sent, known_gap(EAR_GAP_UNIT_FIFO, 0, 10));
		add_instructions(&sent, xlen, 10, 5);
		in_all_ways(&sent, true, false);
	}
}

static void gaps_of_unknown_size_come_back_and_are_not_accounted(void **state)
{
	(void)state;
	for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
		struct list sent = {.count = 0};
		add(&sent, unknown_gap(EAR_GAP_NO_START, 50, true));
		add_instructions(&sent, xlen, 50, 5);
		add(&sent, unknown_gap(EAR_GAP_DAMAGE, 100, false));
		add_instructions(&sent, xlen, 100, 5);
		in_all_ways(&sent, false, false);
	}
}

static void damage_of_which_nothing_is_missing_is_not_complete(void **state)
{
	struct list sent = {.count = 0};

	(void)state;
	add_instructions(&sent, 32, 0, 5);
	add(&sent, known_gap(EAR_GAP_DAMAGE, 5, 0));
	add_instructions(&sent, 32, 5, 5);
	in_all_ways(&sent, true, false);
}

static void a_trace_that_is_one_gap_comes_back(void **state)
{
	struct list sent = {.count = 0};

	(void)state;
	add(&sent, known_gap(EAR_GAP_UNIT_FIFO, 0, 10));
	in_all_ways(&sent, true, false);
}

static void ignore(void *context, const uint8_t *bytes, size_t size)
{
	(void)context;
	(void)bytes;
	(void)size;
}

static void records_that_get_another_index_are_counted(void **state)
{
	/* A slice, and records that were searched for; in between what keeps its index. */
	static const struct {
		uint64_t first, then;
		struct ear_renumbered renumbered;
	} rows[] = {{0, 5, {0}}, {100, 105, {10, 100, 0, 0}}, {0, 50, {5, 50, 5, 0}}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct list sent = {.count = 0};
		struct ear_record_encoder *encoder = ear_record_encoder_new(
			ignore, NULL, &(struct ear_record_encoder_options){0});
		assert_non_null(encoder);
		add_instructions(&sent, 32, rows[i].first, 5);
		add_instructions(&sent, 32, rows[i].then, 5);
		for (size_t k = 0; k < sent.count; k++)
			assert_int_equal(ear_record_encoder_push(encoder, &sent.records[k]), 0);
		const struct ear_renumbered *got = ear_record_encoder_renumbered(encoder);
		assert_int_equal(got->count, rows[i].renumbered.count);
		assert_int_equal(got->from, rows[i].renumbered.from);
		assert_int_equal(got->to, rows[i].renumbered.to);
		ear_record_encoder_free(encoder);
	}
}

/* The retire port has one x and one f register, and one address, for each instruction. */
static void what_an_entry_has_no_room_for_is_named(void **state)
{
	(void)state;
	struct ear_record_register two_x[] = {{.reg_class = EAR_REGISTER_X, .number = 2},
		{.reg_class = EAR_REGISTER_X, .number = 8}};
	struct ear_record_register csrs[EAR_RETIRE_CSRS_MAX + 1] = {{0}};
	struct ear_record_access accesses[] = {
		{.address = 8, .size = 4}, {.address = 8, .size = 4, .write = true}};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.registers = two_x,
		.register_count = 1,
		.memory = accesses,
		.memory_count = 2};

	assert_int_equal(ear_record_encoder_unfit(&record), 0); /* an AMO */
	record.register_count = 2;
	assert_int_equal(ear_record_encoder_unfit(&record), EAR_FIELD_BIT(EAR_FIELD_X_WRITE));
	record.register_count = 0;
	accesses[1].address = 12;
	assert_int_equal(ear_record_encoder_unfit(&record), EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS));
	accesses[1].write = false;
	assert_int_equal(ear_record_encoder_unfit(&record), EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS));
	record.memory_count = 1;
	accesses[0].size = 8; /* fld on RV32 */
	assert_int_equal(ear_record_encoder_unfit(&record), EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE));
	for (unsigned i = 0; i < COUNT_OF(csrs); i++)
		csrs[i] = (struct ear_record_register){
			.reg_class = EAR_REGISTER_CSR, .number = (uint16_t)i};
	record.registers = csrs;
	record.memory_count = 0;
	record.register_count = COUNT_OF(csrs) - 1;
	assert_int_equal(ear_record_encoder_unfit(&record), 0);
	record.register_count = COUNT_OF(csrs);
	assert_int_equal(ear_record_encoder_unfit(&record), EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_get_another_index_are_counted),
		cmocka_unit_test(what_an_entry_has_no_room_for_is_named),
		cmocka_unit_test(a_trace_without_gaps_is_complete),
		cmocka_unit_test(gaps_of_known_size_keep_their_cause),
		cmocka_unit_test(a_gap_before_the_first_record_comes_back),
		cmocka_unit_test(gaps_of_unknown_size_come_back_and_are_not_accounted),
		cmocka_unit_test(damage_of_which_nothing_is_missing_is_not_complete),
		cmocka_unit_test(a_trace_that_is_one_gap_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
