/* Chunks and packets of PULP's rv_tracer: rows from dumps that it made, and of what it never sends.
 */
#include "check.h"

#include <earshot/error.h>

#include "decoder/formats/etrace/etrace_frame.h"
#include "decoder/formats/etrace/etrace_packet.h"

static const struct ear_etrace_unit unit = {.framing = EAR_ETRACE_PULP};

/* The chunk of a payload, which lies with its last byte first. */
static void make_chunk(uint8_t chunk[EAR_PULP_CHUNK_SIZE], const uint8_t *payload, unsigned size)
{
	memset(chunk, 0, EAR_PULP_CHUNK_SIZE);
	memcpy(chunk + 31 - size, payload, size);
	chunk[39] = (uint8_t)(0x80 | size);
}

static const struct {
	uint8_t payload[20];
	unsigned size;
	struct ear_etrace_packet packet;
	int result;
} rows[] = {
	{{0x40, 0x0f}, 2, {.format = EAR_ETRACE_SUPPORT, .has_options = true}, 0},
	{{0x00, 0x40, 0x00, 0x07, 0x37, 0x73}, 6,
		{.format = EAR_ETRACE_SYNC,
			.branch = true,
			.privilege = 3,
			.has_address = true,
			.address = 0x80000e6e},
		0},
	{{0x30, 0x70, 0x09}, 3,
		{.format = EAR_ETRACE_MAP,
			.branches = 2,
			.has_address = true,
			.address = 0x1c,
			.updiscon = true},
		0},
	{{0x31, 0xd2}, 2,
		{.format = EAR_ETRACE_ADDRESS,
			.has_address = true,
			.address = 0x74,
			.updiscon = true},
		0},
	/* A difference below 0: notify is of the address, and is not asserted. */
	{{0x37, 0xf2}, 2,
		{.format = EAR_ETRACE_ADDRESS,
			.has_address = true,
			.address = (uint64_t)-4,
			.updiscon = true},
		0},
	{{0x2a, 0xaa, 0xaa, 0xaa, 0x01}, 5,
		{.format = EAR_ETRACE_MAP, .branches = 31, .map = 0x55555554}, 0},
	/* The number of branches is lost; an address is missing; format 0. */
	{{0x00, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0x01}, 7, {0}, EAR_E_BAD_MESSAGE},
	{{0xd2}, 1, {0}, EAR_E_BAD_MESSAGE},
	{{0x00, 0x00}, 2, {0}, EAR_E_BAD_MESSAGE},
};

static void chunks_are_packets(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t chunk[EAR_PULP_CHUNK_SIZE];
		struct ear_etrace_frame frame;
		struct ear_etrace_packet packet;
		make_chunk(chunk, rows[i].payload, rows[i].size);
		for (unsigned size = 0; size < sizeof(chunk); size++)
			assert_int_equal(
				ear_etrace_frame_parse(&frame, &unit, chunk, size), EAR_E_MORE);
		assert_int_equal(
			ear_etrace_frame_parse(&frame, &unit, chunk, sizeof(chunk)), sizeof(chunk));
		assert_int_equal(frame.size, rows[i].size);
		assert_int_equal(
			ear_pulp_packet_parse(&packet, frame.bytes, frame.size), rows[i].result);
		if (rows[i].result == 0)
			assert_memory_equal(&packet, &rows[i].packet, sizeof(packet));
	}
}

static void a_trap_has_its_cause_and_value(void **state)
{
	(void)state;
	struct ear_etrace_bits bits = {0};
	struct ear_etrace_packet packet;
	uint8_t payload[19];

	ear_etrace_bits_put(&bits, 0x7 | 1 << 4 | 3 << 5, 7); /* 3.1, branch, M */
	ear_etrace_bits_put(&bits, 5, 64);
	ear_etrace_bits_put(&bits, 2, 2); /* thaddr */
	ear_etrace_bits_put(&bits, 0x104, 9);
	ear_etrace_bits_put(&bits, 0x123456789, 64);
	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = bits.bytes[sizeof(payload) - 1 - i];
	assert_int_equal(ear_pulp_packet_parse(&packet, payload, sizeof(payload)), 0);
	assert_int_equal(packet.format, EAR_ETRACE_TRAP);
	assert_int_equal(packet.cause, 5);
	assert_true(packet.thaddr && !packet.interrupt && packet.has_tval);
	assert_int_equal(packet.address, (uint64_t)-0xFC);
	assert_int_equal(packet.tval, 0x123456789);
}

static void other_bytes_are_no_chunk(void **state)
{
	(void)state;
	uint8_t chunk[EAR_PULP_CHUNK_SIZE] = {0};
	struct ear_etrace_frame frame;

	assert_int_equal(
		ear_etrace_frame_parse(&frame, &unit, chunk, sizeof(chunk)), sizeof(chunk));
	assert_int_equal(frame.kind, EAR_ETRACE_FRAME_IDLE);
	make_chunk(chunk, rows[0].payload, rows[0].size);
	chunk[38] = 7;
	assert_int_equal(
		ear_etrace_frame_parse(&frame, &unit, chunk, sizeof(chunk)), sizeof(chunk));
	assert_true(frame.has_time);
	assert_int_equal(frame.time, 7);
	chunk[28] = 1; /* before the payload */
	assert_int_equal(
		ear_etrace_frame_parse(&frame, &unit, chunk, sizeof(chunk)), EAR_E_BAD_FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_packets),
		cmocka_unit_test(a_trap_has_its_cause_and_value),
		cmocka_unit_test(other_bytes_are_no_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
