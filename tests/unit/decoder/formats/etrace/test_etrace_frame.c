/* Frames around packets: the encapsulation, Siemens' header, Espressif's memory, CoreSight. */
#include "check.h"

#include <earshot/error.h>

#include "random.h"

#include "decoder/formats/etrace/etrace_frame.h"

static const struct ear_etrace_unit bare = {.iaddress_width = 32, .iaddress_lsb = 1};
static const struct ear_etrace_unit timed = {.iaddress_width = 32,
	.iaddress_lsb = 1,
	.srcid_bits = 11,
	.timestamp_bytes = 6,
	.type_bits = 1};
static const struct ear_etrace_unit smi = {
	.framing = EAR_ETRACE_SMI, .iaddress_width = 32, .iaddress_lsb = 1, .srcid_bits = 4};
static const struct ear_etrace_unit esp = {
	.framing = EAR_ETRACE_ET20, .iaddress_width = 32, .iaddress_lsb = 1};

/* Worked out by hand. */
static const struct {
	const char *what;
	const struct ear_etrace_unit *unit;
	uint8_t size, bytes[12];
	uint8_t kind, first, payload, payload_at;
	uint32_t source;
	bool has_time;
	uint64_t time;
} rows[] = {
	{"idle", &bare, 1, {0}, EAR_ETRACE_FRAME_IDLE, 0, 0, 0, 0, false, 0},
	{"alignment, with any flow", &bare, 1, {0xC0}, EAR_ETRACE_FRAME_ALIGN, 0, 0, 0, 0, false,
		0},
	{"two bytes of flow 1", &bare, 3, {0x22, 0x12, 0x34}, EAR_ETRACE_FRAME_PACKET, 0, 2, 1, 0,
		false, 0},
	{"extend means nothing without time stamps", &bare, 2, {0x81, 0x12},
		EAR_ETRACE_FRAME_PACKET, 0, 1, 1, 0, false, 0},
	{"srcID 0x345 of 11 bits, instructions", &timed, 3, {0x01, 0x45, 0x23},
		EAR_ETRACE_FRAME_PACKET, 4, 1, 2, 0x345, false, 0},
	{"srcID 0x345, type 1", &timed, 3, {0x01, 0x45, 0x0B}, EAR_ETRACE_FRAME_OTHER, 4, 1, 2,
		0x345, false, 0},
	{"with a time stamp", &timed, 9, {0x81, 0x45, 1, 2, 3, 4, 5, 6, 0x23},
		EAR_ETRACE_FRAME_PACKET, 4, 1, 8, 0x345, true, UINT64_C(0x060504030201)},
	{"SMI: hart 9", &smi, 3, {0x41, 0x09, 0x12}, EAR_ETRACE_FRAME_PACKET, 0, 1, 2, 9, false, 0},
	{"SMI: with time", &smi, 5, {0xC1, 0x34, 0x12, 0x09, 0x56}, EAR_ETRACE_FRAME_PACKET, 0, 1,
		4, 9, true, 0x1234},
	{"SMI: data", &smi, 3, {0x61, 0x09, 0x12}, EAR_ETRACE_FRAME_OTHER, 0, 1, 2, 9, false, 0},
	{"Espressif: number 0x201", &esp, 4, {4, 0x01, 0x02, 0x0B}, EAR_ETRACE_FRAME_PACKET, 0, 1,
		3, 0x201, false, 0},
	{"Espressif: a zero", &esp, 1, {0}, EAR_ETRACE_FRAME_IDLE, 0, 0, 0, 0, false, 0},
};

static void frames_mean_what_their_documents_say(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_etrace_frame frame;
		int result = ear_etrace_frame_parse(
			&frame, rows[i].unit, rows[i].bytes, sizeof(rows[i].bytes));
		if (result != rows[i].size || frame.kind != rows[i].kind ||
			frame.first != rows[i].first || frame.size != rows[i].payload ||
			(frame.size && frame.bytes != rows[i].bytes + rows[i].payload_at) ||
			frame.source != rows[i].source || frame.has_time != rows[i].has_time ||
			frame.time != rows[i].time)
			fail_msg("%s: %d, kind %u first %u size %u source %x time %lx",
				rows[i].what, result, frame.kind, frame.first, frame.size,
				frame.source, frame.time);
		for (size_t size = 0; size < rows[i].size; size++)
			assert_int_equal(
				ear_etrace_frame_parse(&frame, rows[i].unit, rows[i].bytes, size),
				EAR_E_MORE);
	}
}

static void what_begins_no_frame_is_refused(void **state)
{
	(void)state;
	const uint8_t smi_type[] = {0x21, 9, 1}, smi_empty[] = {0x40, 9}, esp_short[] = {3, 0, 0},
		      esp_high[] = {0x25, 0, 0, 0, 0};
	struct ear_etrace_frame frame;

	assert_int_equal(ear_etrace_frame_parse(&frame, &smi, smi_type, 3), EAR_E_BAD_FRAME);
	assert_int_equal(ear_etrace_frame_parse(&frame, &smi, smi_empty, 2), EAR_E_BAD_FRAME);
	assert_int_equal(ear_etrace_frame_parse(&frame, &esp, esp_short, 3), EAR_E_BAD_FRAME);
	assert_int_equal(ear_etrace_frame_parse(&frame, &esp, esp_high, 5), EAR_E_BAD_FRAME);
}

static void any_frame_comes_back(void **state)
{
	(void)state;
	const struct ear_etrace_unit *units[] = {&bare, &timed, &smi, &esp};
	struct random random = {9};

	for (unsigned i = 0; i < 4000; i++) {
		const struct ear_etrace_unit *unit = units[i % COUNT_OF(units)];
		uint8_t bytes[EAR_ETRACE_FRAME_MAX];
		struct ear_etrace_bits bits = {0};
		struct ear_etrace_frame frame;
		uint32_t source = (uint32_t)ear_etrace_low_bits(
			random_next(&random), unit == &esp ? 16 : unit->srcid_bits);
		uint64_t time = ear_etrace_low_bits(
			random_next(&random), unit == &smi ? 16 : 8 * unit->timestamp_bytes);
		bool has_time = unit != &bare && unit != &esp && random_below(&random, 2);
		uint64_t value = random_next(&random) | 1;
		ear_etrace_bits_put(&bits, value, 56);
		unsigned size = unit == &esp ? ear_esp_frame_write(bytes, &bits, (uint16_t)source)
					     : ear_etrace_frame_write(bytes, unit, &bits, source,
						       has_time ? &time : NULL);
		assert_int_equal(ear_etrace_frame_parse(&frame, unit, bytes, size), (int)size);
		assert_int_equal(frame.kind, EAR_ETRACE_FRAME_PACKET);
		assert_int_equal(frame.source, source);
		assert_int_equal(frame.has_time, has_time);
		assert_int_equal(frame.time, has_time ? time : 0);
		assert_int_equal(frame.first, unit == &timed ? 4 : 0);
		ear_etrace_bits_begin(&bits, frame.bytes, frame.size, frame.first);
		assert_int_equal(ear_etrace_bits_take(&bits, 56), ear_etrace_low_bits(value, 56));
	}
}

/* Wherever a reader begins, it finds the packet after the alignment (encapsulation 1.0,
 * "Synchronisation"). */
static void the_alignment_is_found_from_every_start(void **state)
{
	(void)state;
	uint8_t bytes[400];
	struct random random = {4};
	const unsigned zeros = ear_etrace_null_max(&timed);

	for (unsigned round = 0; round < 200; round++) {
		size_t size = 0;
		while (size < 200)
			bytes[size++] = (uint8_t)(random_next(&random) | 1);
		memset(bytes + size, 0, zeros);
		size += zeros;
		bytes[size++] = 0x80;
		const size_t aligned = size;
		memset(bytes + size, 0, sizeof(bytes) - size);
		for (size_t start = 0; start <= 200; start++) {
			size_t at = start;
			while (at < aligned) {
				struct ear_etrace_frame frame;
				int taken = ear_etrace_frame_parse(
					&frame, &timed, bytes + at, sizeof(bytes) - at);
				assert_above(taken, 0);
				at += (size_t)taken;
			}
			assert_int_equal(at, aligned);
		}
	}
}

/* Two sources in two frames: ids 3 and 5, a new id that holds after one more byte, padding. */
static void bytes_of_one_source_come_out_of_coresight_frames(void **state)
{
	(void)state;
	static const uint8_t frames[2][EAR_ATB_FRAME_SIZE] = {
		/* id 3 at once; 0xAA 0x55 0x01; id 5 after 0x02; 0x10 0x20; id 0: 0 0 0 0 0 0 */
		{0x07, 0xAA, 0x54, 0x01, 0x0B, 0x02, 0x10, 0x20, 0x01, 0, 0, 0, 0, 0, 0,
			1 << 1 | 1 << 2},
		/* id 5 continues after padding: id 5; 1 .. 12; the last byte is id 3 for the next
		 */
		{0x0B, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x07, 0},
	};
	static const uint8_t three[] = {0xAA, 0x55, 0x01, 0x02};
	static const uint8_t five[] = {0x10, 0x20, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};

	for (uint8_t id = 3; id <= 5; id += 2) {
		struct ear_atb atb = {0};
		uint8_t data[2 * EAR_ATB_FRAME_SIZE];
		unsigned count = ear_atb_take(&atb, id, frames[0], data);
		count += ear_atb_take(&atb, id, frames[1], data + count);
		assert_int_equal(count, id == 3 ? sizeof(three) : sizeof(five));
		assert_memory_equal(data, id == 3 ? three : five, count);
		assert_int_equal(atb.id, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_mean_what_their_documents_say),
		cmocka_unit_test(what_begins_no_frame_is_refused),
		cmocka_unit_test(any_frame_comes_back),
		cmocka_unit_test(the_alignment_is_found_from_every_start),
		cmocka_unit_test(bytes_of_one_source_come_out_of_coresight_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
