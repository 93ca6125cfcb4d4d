/* An entry with an address of memory and no mask: the opcode decides whether it is an access. */
#include "check.h"

#include <stdlib.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/encoder.h"
#include "sample_stream.h"

enum { LOAD, PUSH, CHECK, SHADOW_SWAP, ADD, COUNT };

static const uint32_t opcodes[COUNT] = {
	[LOAD] = 0x00052503,        /* lw a0, 0(a0) */
	[PUSH] = 0xce104073,        /* sspush ra, or mop.rr.7 */
	[CHECK] = 0x6281,           /* c.sspopchk t0, or c.mop.5 */
	[SHADOW_SWAP] = 0x4832a52f, /* ssamoswap.w a0, gp, (t0) */
	[ADD] = 0x00000013,
};

static int take(void *context, const struct ear_record *record)
{
	size_t *counts = context;

	assert_below(record->index, COUNT);
	counts[record->index] = record->memory_count;
	return 0;
}

static void what_may_be_no_access_is_none(void **state)
{
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	struct ear_unit unit = sample_unit(32, 0, 0);
	size_t counts[COUNT] = {9, 9, 9, 9, 9};
	struct byte_buffer bytes = {0};
	struct ear_encoder encoder;
	size_t used;

	(void)state;
	assert_non_null(decoder);
	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &bytes);
	for (unsigned i = 0; i < COUNT; i++) {
		struct ear_retire entry = {.order = i,
			.xlen = 32,
			.insn = opcodes[i],
			.pc_rdata = 0x80000000 + 4 * i,
			.pc_wdata = 0x80000004 + 4 * i,
			.mem_addr = 0x1000,
			.mode = 3,
			.ixl = 1,
			.trap = i == LOAD};
		ear_encoder_push(&encoder, &entry, 0);
	}
	ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.retired = COUNT, .delivered = COUNT}});
	ear_decoder_init(decoder, take, counts);
	assert_int_equal(ear_decoder_push(decoder, &used, bytes.bytes, bytes.size, true), 0);
	ear_decoder_fini(decoder);
	free(decoder);
	byte_buffer_free(&bytes);
	assert_int_equal(counts[LOAD], 1);
	assert_int_equal(counts[PUSH], 0);
	assert_int_equal(counts[CHECK], 0);
	assert_int_equal(counts[SHADOW_SWAP], 1);
	assert_int_equal(counts[ADD], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_be_no_access_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
