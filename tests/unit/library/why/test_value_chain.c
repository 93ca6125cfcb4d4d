/* Chains of values over records that are written here one by one.
 */
#include "check.h"

#include "library/api/trace_internal.h"
#include "why_trace.h"

static const struct ear_value_chain *chain_with(struct ear_trace *trace,
	const struct ear_value *value, const struct ear_value_chain_options *options)
{
	const struct ear_value_chain *chain;

	if (ear_trace_value_chain(trace, value, options, &chain, NULL))
		fail_msg("%s", ear_trace_error(trace));
	return chain;
}

static struct ear_value of_register(unsigned number, uint64_t before)
{
	return (struct ear_value){.place = {.kind = EAR_VALUE_REGISTER, .number = (uint16_t)number},
		.before = before};
}

static struct ear_value of_memory(uint64_t address, unsigned size, uint64_t before)
{
	return (struct ear_value){
		.place = {.kind = EAR_VALUE_MEMORY, .address = address, .size = (uint8_t)size},
		.before = before};
}

/* The chain has one node after the other, at these positions. */
#define check_line(chain, ...) \
	check_line_of(chain, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void check_line_of(
	const struct ear_value_chain *chain, const uint64_t *positions, size_t count)
{
	assert_same(chain->node_count, count);
	for (size_t i = 0; i < count; i++)
		assert_same(chain->nodes[i].position, positions[i]);
}

static const struct ear_value_source *source_of(
	const struct ear_value_chain *chain, size_t node, size_t i)
{
	assert_above(chain->nodes[node].source_count, i);
	return &chain->sources[chain->nodes[node].first_source + i];
}

static void a_value_is_followed_through_moves_arithmetic_stores_and_loads(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 3), REG(5, 0x3));                       /* 0 */
	why_trace_add(&made, OP_LUI(6, 0x80001), REG(6, 0x80001000));              /* 1 */
	why_trace_add(&made, OP_ADDI(7, 5, 0), REG(7, 0x3));                       /* 2 */
	why_trace_add(&made, OP_SW(7, 6), STORED(0x80001000, 4, 0x3));             /* 3 */
	why_trace_add(&made, OP_ADDI(7, 0, 9), REG(7, 0x9));                       /* 4 */
	why_trace_add(&made, OP_LW(8, 6), REG(8, 0x3) LOADED(0x80001000, 4, 0x3)); /* 5 */
	why_trace_add(&made, OP_ADD(9, 8, 7), REG(9, 0xc));                        /* 6 */
	why_trace_add(&made, OP_ADDI(10, 0, 0), REG(10, 0x0));                     /* 7 */
	struct ear_trace *trace = why_trace_open(&made, NULL);
	struct ear_value value = of_register(9, 8);
	const struct ear_value_chain *chain = chain_with(trace, &value, NULL);

	assert_true(chain->value_known);
	assert_same(chain->value, 0xc);
	assert_same(chain->root_count, 1);
	check_line(chain, 6, 5, 4, 3, 2, 0);
	assert_same(chain->nodes[0].source_count, 2);
	assert_same(source_of(chain, 0, 0)->node, 1);
	assert_same(source_of(chain, 0, 1)->node, 2);
	assert_same(chain->nodes[2].end, EAR_VALUE_CONSTANT);
	assert_true(chain->nodes[2].before_known);
	assert_same(chain->nodes[2].before, 3);
	assert_same(chain->nodes[2].after, 9);
	assert_same(chain->nodes[3].place.kind, EAR_VALUE_MEMORY);
	assert_false(chain->nodes[3].before_known);
	assert_same(chain->nodes[5].end, EAR_VALUE_CONSTANT);
	assert_same(chain->nodes[5].depth, 4);
	/* The address of the load is a source that is not followed, */
	assert_same(chain->nodes[1].source_count, 2);
	assert_true(source_of(chain, 1, 1)->is_address);
	assert_same(source_of(chain, 1, 1)->end, EAR_VALUE_NOT_ASKED);
	ear_value_chain_free(chain);

	/* unless it is asked for. */
	struct ear_value_chain_options options = EAR_VALUE_CHAIN_DEFAULTS;
	options.addresses = true;
	chain = chain_with(trace, &value, &options);
	check_line(chain, 6, 5, 4, 3, 2, 1, 0);
	assert_same(source_of(chain, 1, 1)->node, 5);
	assert_same(source_of(chain, 3, 1)->node, 5);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

static void bytes_that_several_stores_wrote_are_parts(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_SW(0, 6), STORED(0x80001000, 4, 0x0));                   /* 0 */
	why_trace_add(&made, OP_ADDI(5, 0, 0x41), REG(5, 0x41));                         /* 1 */
	why_trace_add(&made, OP_SB(5, 6), STORED(0x80001001, 1, 0x41));                  /* 2 */
	why_trace_add(&made, OP_LW(8, 6), REG(8, 0x4100) LOADED(0x80001000, 4, 0x4100)); /* 3 */
	struct ear_trace *trace = why_trace_open(&made, NULL);
	struct ear_value value = of_register(8, 4);
	const struct ear_value_chain *chain = chain_with(trace, &value, NULL);

	check_line(chain, 3, 2, 1, 0);
	unsigned parts = 0, bytes = 0;
	for (size_t i = 0; i < chain->nodes[0].source_count; i++) {
		const struct ear_value_source *source = source_of(chain, 0, i);
		if (source->is_address)
			continue;
		parts++;
		bytes += source->place.size;
		if (source->place.address == 0x80001001) {
			assert_same(source->place.size, 1);
			assert_same(source->value, 0x41);
			assert_same(source->node, 1);
		} else {
			assert_same(source->node, 3);
			assert_same(source->value, 0);
		}
	}
	assert_same(parts, 3);
	assert_same(bytes, 4);
	assert_same(chain->nodes[3].end, EAR_VALUE_CONSTANT);
	ear_value_chain_free(chain);

	value = of_memory(0x80001001, 2, 4);
	chain = chain_with(trace, &value, NULL);
	assert_same(chain->root_count, 2);
	assert_same(chain->value, 0x41);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

#define F_REG(number, value) \
	",\"registers\":[{\"class\":\"f\",\"number\":" #number ",\"value\":\"" #value "\"}]"

/* A bus of 32 bits: doubles are stored and loaded in halves. */
static void halves_that_one_instruction_stored_have_that_writer(void **state)
{
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_SW(6, 5), STORED(0x1000, 4, 0x5));
	why_trace_add(&made, OP_SW(6, 5), STORED(0x1004, 4, 0x0));
	why_trace_add(&made, OP_FLD(8, 5), F_REG(8, 0x5) ",\"memory\":[%s,%s]",
		"{\"write\":false,\"address\":\"0x1000\",\"size\":4,\"value\":\"0x5\"}",
		"{\"write\":false,\"address\":\"0x1004\",\"size\":4,\"value\":\"0x0\"}");
	why_trace_add(&made, OP_FSD(8, 5), ",\"memory\":[%s,%s]",
		"{\"write\":true,\"address\":\"0x1000\",\"size\":4,\"value\":\"0x5\"}",
		"{\"write\":true,\"address\":\"0x1004\",\"size\":4,\"value\":\"0x0\"}");
	why_trace_add(&made, OP_FLD(9, 5), F_REG(9, 0x5) LOADED(0x1000, 8, 0x5));
	struct ear_trace *trace = why_trace_open(&made, NULL);

	for (unsigned window = 0; window <= 6; window++) {
		trace->past_window = window;
		struct ear_value value = of_register(9, 5);
		value.place.reg_class = EAR_REGISTER_F;
		const struct ear_value_chain *chain = chain_with(trace, &value, NULL);
		/* Both halves are of position 3, and both that these came from are followed. */
		check_line(chain, 4, 3, 3, 2, 1, 0);
		ear_value_chain_free(chain);
	}
	ear_trace_close(trace);
}

/* Some texts do not say how many bytes were stored; the node is the value that was read. */
static void a_store_of_unknown_size_may_be_any_of_8_bytes(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned first = 0xFFC; first <= 0x1004; first++) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_SW(6, 5),
			",\"memory\":[{\"write\":true,\"address\":\"0x%x\",\"size\":0}]", first);
		why_trace_add(&made, OP_LW(7, 5), REG(7, 0x5) LOADED(0x1000, 4, 0x5));
		struct ear_trace *trace = why_trace_open(&made, NULL);
		const struct ear_value value = of_register(7, 2);
		const struct ear_value_chain *chain = chain_with(trace, &value, NULL);

		if (first < 0x1004)
			check_line(chain, 1, 0);
		else
			check_line(chain, 1);
		ear_value_chain_free(chain);
		ear_trace_close(trace);
	}
}

static void where_nothing_is_known_the_chain_ends(void **state)
{
	static const uint8_t image[4] = {7, 0, 0, 0};
	const struct ear_image_segment segment = {0x80002000, 4, image, true};
	const struct ear_span device = {0x10000000, 0x10000fff};
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_value_chain *chain;
	struct why_trace made;
	struct ear_value value;

	(void)state;
	options.devices = &device;
	options.device_count = 1;
	why_trace_begin(&made);
	why_trace_add(&made, OP_LW(5, 6), REG(5, 0x7) LOADED(0x80002000, 4, 0x7));          /* 0 */
	why_trace_add(&made, OP_LW(6, 6), REG(6, 0x1) LOADED(0x10000000, 4, 0x1));          /* 1 */
	why_trace_add(&made, OP_LW(7, 6), REG(7, 0x2) LOADED(0x80003000, 4, 0x2));          /* 2 */
	why_trace_add(&made, OP_SW(5, 6), STORED(0x80001000, 4, 0x7));                      /* 3 */
	why_trace_add(&made, OP_LW(8, 6), REG(8, 0x9) LOADED(0x80001000, 4, 0x9));          /* 4 */
	why_trace_add(&made, OP_CSRRS(9, 0xb00, 0), REG(9, 0x55));                          /* 5 */
	why_trace_add(&made, 0x0, ",\"trap\":true,\"cause\":\"0x2\"" CSR(833, 0x80000018)); /* 6 */
	why_trace_add(&made, OP_CSRRS(10, 0x341, 0), REG(10, 0x80000018));                  /* 7 */
	why_trace_add(&made, OP_ADD(11, 30, 0), REG(11, 0x0));                              /* 8 */
	why_trace_add(&made, OP_ADD(12, 5, 0), REG(12, 0x7));                               /* 9 */
	made.index += 3;
	why_trace_add(&made, OP_ADDI(13, 5, 1), REG(13, 0x8)); /* 10 */
	why_trace_add(&made, 0x57, REG(14, 0x8));              /* 11: vector */
	struct ear_trace *trace = why_trace_open(&made, &options);
	assert_same(ear_trace_set_image(trace, &segment, 1), 0);

	static const struct {
		unsigned reg;
		uint64_t before, writer;
		unsigned end;
	} cases[] = {
		{5, 1, 0, EAR_VALUE_IMAGE},
		{6, 2, 1, EAR_VALUE_DEVICE},
		{7, 3, 2, EAR_VALUE_BEGIN},
		{8, 5, 4, EAR_VALUE_CHANGED},
		{9, 6, 5, EAR_VALUE_CORE},
		{11, 9, 8, EAR_VALUE_BEGIN},
		{13, 11, 10, EAR_VALUE_GAP},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		value = of_register(cases[i].reg, cases[i].before);
		chain = chain_with(trace, &value, NULL);
		check_line(chain, cases[i].writer);
		assert_same(source_of(chain, 0, 0)->node, EAR_VALUE_NO_NODE);
		assert_same(cases[i].end, source_of(chain, 0, 0)->end);
		ear_value_chain_free(chain);
	}
	/* A trap writes CSRs, which instructions read. */
	value = of_register(10, 8);
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 7, 6);
	assert_same(chain->nodes[1].end, EAR_VALUE_CORE);
	ear_value_chain_free(chain);

	value = of_register(14, 12);
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 11);
	assert_same(chain->nodes[0].end, EAR_VALUE_OPAQUE);
	ear_value_chain_free(chain);

	/* Behind a gap nothing is a write of before. */
	value = of_register(12, 12);
	chain = chain_with(trace, &value, NULL);
	assert_same(chain->node_count, 0);
	assert_same(chain->root_count, 1);
	assert_same(chain->sources[0].end, EAR_VALUE_GAP);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

static void atomics_and_csrs_have_their_sources(void **state)
{
	const struct ear_value_chain *chain;
	struct why_trace made;
	struct ear_value value;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 2), REG(5, 0x2));           /* 0 */
	why_trace_add(&made, OP_SW(5, 6), STORED(0x80001000, 4, 0x2)); /* 1 */
	why_trace_add(&made, OP_ADDI(7, 0, 3), REG(7, 0x3));           /* 2 */
	why_trace_add(&made, OP_AMOADD(8, 7, 6),
		REG(8, 0x2) ",\"memory\":[{\"write\":false,\"address\":\"0x80001000\",\"size\":4,"
			    "\"value\":\"0x2\"},{\"write\":true,\"address\":\"0x80001000\","
			    "\"size\":4,\"value\":\"0x5\"}]");      /* 3 */
	why_trace_add(&made, OP_CSRRW(0, 0x340, 8), CSR(832, 0x2)); /* 4 */
	why_trace_add(&made, OP_CSRRS(0, 0x340, 7), CSR(832, 0x3)); /* 5 */
	struct ear_trace *trace = why_trace_open(&made, NULL);

	value = of_register(8, 4);
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 3, 1, 0);
	ear_value_chain_free(chain);

	value = of_memory(0x80001000, 4, 4);
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 3, 2, 1, 0);
	assert_same(chain->nodes[0].before, 2);
	assert_same(chain->nodes[0].after, 5);
	ear_value_chain_free(chain);

	value = (struct ear_value){.place = {.kind = EAR_VALUE_REGISTER,
					   .reg_class = EAR_REGISTER_CSR,
					   .number = 0x340},
		.before = 6};
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 5, 4, 3, 2, 1, 0);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

static struct ear_value of_csr(unsigned number, uint64_t before)
{
	struct ear_value value = of_register(number, before);

	value.place.reg_class = EAR_REGISTER_CSR;
	return value;
}

static void check_writer(struct ear_trace *trace, unsigned csr, uint64_t position, uint8_t end)
{
	struct ear_value value = of_csr(csr, UINT64_MAX);
	const struct ear_value_chain *chain = chain_with(trace, &value, NULL);

	assert_false(chain->value_known);
	assert_true(chain->node_count > 0);
	assert_same(chain->nodes[0].position, position);
	assert_same(chain->nodes[0].end, end);
	ear_value_chain_free(chain);
}

/* Some traces list no CSR of a trap, and a CSR may be written under another number. Whoever wrote
 * it before is not who wrote it last, be it in the window or before. */
static void csrs_that_are_written_without_being_listed(void **state)
{
	struct why_trace made;

	(void)state;
	for (unsigned more = 0; more <= 70000; more += 70000) {
		why_trace_begin(&made);
		why_trace_add(&made, OP_CSRRW(0, 0x341, 5), CSR(833, 0x1234)); /* 0 */
		why_trace_add(&made, OP_CSRRW(0, 0x300, 5), CSR(768, 0x8));    /* 1 */
		why_trace_add(&made, OP_CSRRW(0, 0x001, 5), CSR(1, 0x1));      /* 2 */
		why_trace_add(&made, OP_CSRRW(0, 0x304, 5), CSR(772, 0x80));   /* 3 */
		why_trace_add(&made, 0, ",\"trap\":true,\"cause\":\"0x2\"");   /* 4 */
		why_trace_add(&made, OP_CSRRW(0, 0x003, 5), CSR(3, 0x0));      /* 5 */
		why_trace_add(&made, OP_CSRRW(0, 0x104, 0), CSR(260, 0x0));    /* 6 */
		for (unsigned i = 0; i < more + 2; i++)
			why_trace_add(&made, OP_ADDI(0, 0, 0), NOTHING);
		struct ear_trace *trace = why_trace_open(&made, NULL);
		check_writer(trace, 0x341, 4, EAR_VALUE_CORE);
		check_writer(trace, 0x300, 4, EAR_VALUE_CORE);
		check_writer(trace, 0x001, 5, EAR_VALUE_FOLLOWED);
		check_writer(trace, 0x304, 6, EAR_VALUE_CONSTANT);
		ear_trace_close(trace);
	}
}

static void what_an_instruction_wrote_often_is_folded(void **state)
{
	struct ear_value_chain_options options = EAR_VALUE_CHAIN_DEFAULTS;
	const struct ear_value_chain *chain;
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 0), REG(5, 0x0));
	for (unsigned i = 1; i <= 100; i++) {
		made.pc = 0x80000100;
		why_trace_add(&made, OP_ADDI(5, 5, 1),
			",\"registers\":[{\"class\":\"x\",\"number\":5,\"value\":\"0x%x\"}]", i);
	}
	struct ear_trace *trace = why_trace_open(&made, NULL);
	const struct ear_value value = of_register(5, 101);

	for (unsigned window = 0; window <= 16; window += 4) {
		trace->past_window = window; /* 0: all of it */
		chain = chain_with(trace, &value, NULL);
		check_line(chain, 100, 99, 0);
		assert_same(chain->nodes[1].folded, 98);
		assert_same(chain->nodes[1].first_position, 1);
		assert_same(chain->nodes[1].source_count, 1);
		assert_same(source_of(chain, 1, 0)->node, 2);
		assert_false(chain->limited);
		ear_value_chain_free(chain);
	}
	options.repeats = 200;
	options.nodes = 10;
	chain = chain_with(trace, &value, &options);
	assert_same(chain->node_count, 10);
	assert_true(chain->limited);
	ear_value_chain_free(chain);
	options.nodes = 0;
	options.depth = 5;
	chain = chain_with(trace, &value, &options);
	assert_same(chain->nodes[5].end, EAR_VALUE_LIMIT);
	ear_value_chain_free(chain);
	options = (struct ear_value_chain_options)EAR_VALUE_CHAIN_DEFAULTS;
	options.folded = 7;
	chain = chain_with(trace, &value, &options);
	check_line(chain, 100, 99);
	assert_same(chain->nodes[1].folded, 7);
	assert_true(chain->limited);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

/* Harts take turns; of the last one a record is left out, which no gap record says. */
static void make_turns(struct why_trace *made, unsigned harts, bool missing)
{
	uint64_t index[2] = {0, 0};

	why_trace_begin(made);
	for (unsigned i = 0; i < 200; i++) {
		made->hart = i % harts;
		made->pc = 0x80000000 + 4 * i;
		made->index = index[made->hart];
		if (i < harts)
			why_trace_add(made, OP_ADDI(5, 0, 7), REG(5, 0x7));
		else
			why_trace_add(made, OP_ADDI(6, 0, 1), REG(6, 0x1));
		index[made->hart] = made->index + (missing && i == 51);
	}
}

static void check_end(struct ear_trace *trace, const struct ear_value *value, int end)
{
	const struct ear_value_chain *chain = chain_with(trace, value, NULL);

	assert_same(chain->sources[0].end, end);
	ear_value_chain_free(chain);
}

static void what_is_missing_of_one_of_several_harts_is_noticed(void **state)
{
	const struct ear_value memory =
		of_memory(0x1000, 4, 200); /* any hart may have written it */
	struct why_trace made;

	(void)state;
	for (unsigned test = 0; test < 4; test++) {
		const unsigned harts = 1 + test / 2;
		const bool missing = test % 2;
		make_turns(&made, harts, missing);
		struct ear_trace *trace = why_trace_open(&made, NULL);
		for (unsigned window = 0; window <= 16; window += 4) {
			trace->past_window = window;
			check_end(trace, &memory, missing ? EAR_VALUE_GAP : EAR_VALUE_BEGIN);
			for (uint16_t hart = 0; hart < harts; hart++) {
				struct ear_value value = of_register(5, 200);
				value.place.hart = hart;
				check_end(trace, &value,
					missing && hart + 1u == harts ? EAR_VALUE_GAP
								      : EAR_VALUE_FOLLOWED);
			}
		}
		ear_trace_close(trace);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	const struct ear_value_chain *chain;
	struct ear_value_chain_options options = EAR_VALUE_CHAIN_DEFAULTS;
	struct why_trace made;

	(void)state;
	why_trace_begin(&made);
	why_trace_add(&made, OP_ADDI(5, 0, 1), REG(5, 0x1));
	struct ear_trace *trace = why_trace_open(&made, NULL);
	struct ear_value value = of_memory(0x1000, 9, 1);

	assert_same(ear_trace_value_chain(trace, &value, NULL, &chain, NULL), EAR_E_BAD_ARGUMENT);
	value = of_memory(UINT64_MAX - 2, 4, 1);
	assert_same(ear_trace_value_chain(trace, &value, NULL, &chain, NULL), EAR_E_BAD_ARGUMENT);
	value = of_register(32, 1);
	assert_same(ear_trace_value_chain(trace, &value, NULL, &chain, NULL), EAR_E_BAD_ARGUMENT);
	value = of_register(5, 1);
	options.nodes = 5000;
	assert_same(
		ear_trace_value_chain(trace, &value, &options, &chain, NULL), EAR_E_BAD_ARGUMENT);
	options.size = 0;
	assert_same(
		ear_trace_value_chain(trace, &value, &options, &chain, NULL), EAR_E_BAD_ARGUMENT);

	/* The zero register, the begin and the end of the trace. */
	value = of_register(0, 1);
	chain = chain_with(trace, &value, NULL);
	assert_same(chain->sources[0].end, EAR_VALUE_CONSTANT);
	ear_value_chain_free(chain);
	value = of_register(5, 0);
	chain = chain_with(trace, &value, NULL);
	assert_same(chain->sources[0].end, EAR_VALUE_BEGIN);
	assert_false(chain->value_known);
	ear_value_chain_free(chain);
	value = of_register(5, UINT64_MAX);
	chain = chain_with(trace, &value, NULL);
	check_line(chain, 0);
	ear_value_chain_free(chain);
	ear_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_followed_through_moves_arithmetic_stores_and_loads),
		cmocka_unit_test(bytes_that_several_stores_wrote_are_parts),
		cmocka_unit_test(halves_that_one_instruction_stored_have_that_writer),
		cmocka_unit_test(a_store_of_unknown_size_may_be_any_of_8_bytes),
		cmocka_unit_test(where_nothing_is_known_the_chain_ends),
		cmocka_unit_test(atomics_and_csrs_have_their_sources),
		cmocka_unit_test(csrs_that_are_written_without_being_listed),
		cmocka_unit_test(what_an_instruction_wrote_often_is_folded),
		cmocka_unit_test(what_is_missing_of_one_of_several_harts_is_noticed),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
