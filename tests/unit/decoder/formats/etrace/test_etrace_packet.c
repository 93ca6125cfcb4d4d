/* Packets of E-Trace, and of Espressif's trace units. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>

#include "random.h"

#include "decoder/formats/etrace/etrace_packet.h"

static const struct ear_etrace_unit rv32 = {
	.iaddress_width = 32, .iaddress_lsb = 1, .privilege_width = 2, .ecause_width = 6};
static const struct ear_etrace_unit rv64 = {
	.iaddress_width = 64, .privilege_width = 2, .ecause_width = 6};
static const struct ear_etrace_unit counted = {.iaddress_width = 32,
	.iaddress_lsb = 1,
	.privilege_width = 2,
	.ecause_width = 6,
	.bpred_size = 6,
	.cache_size = 5,
	.f0s_width = 1,
	.return_stack_size = 3};
static const struct ear_etrace_unit pt10 = {
	.framing = EAR_ETRACE_PT10, .iaddress_width = 32, .iaddress_lsb = 1, .privilege_width = 1};
static const struct ear_etrace_unit et20 = {
	.framing = EAR_ETRACE_ET20, .iaddress_width = 32, .iaddress_lsb = 1, .privilege_width = 1};

/* Worked out by hand from the tables of the specification and of the manuals; the two of 64 bits
 * are examples of the encapsulation's specification. */
static const struct {
	const char *what;
	const struct ear_etrace_unit *unit;
	uint8_t size, bytes[12];
	struct ear_etrace_packet packet;
} rows[] = {
	{"3.0: M mode at 0x80000000", &rv32, 5, {0x73, 0x00, 0x00, 0x00, 0xE0},
		{.format = EAR_ETRACE_SYNC,
			.branch = true,
			.privilege = 3,
			.has_address = true,
			.address = 0x80000000}},
	{"3.0: U mode at 0x100, branch taken", &rv32, 2, {0x03, 0x40},
		{.format = EAR_ETRACE_SYNC, .has_address = true, .address = 0x100}},
	{"3.1: ecall from U, the handler at 0x200 retired, mtval 0", &rv32, 4,
		{0x77, 0x44, 0x80, 0x00},
		{.format = EAR_ETRACE_TRAP,
			.branch = true,
			.privilege = 3,
			.cause = 8,
			.thaddr = true,
			.has_address = true,
			.address = 0x200,
			.has_tval = true}},
	{"3.1: timer interrupt, thaddr 0 at 0x80", &rv32, 3, {0xE7, 0x23, 0x20},
		{.format = EAR_ETRACE_TRAP,
			.privilege = 3,
			.cause = 7,
			.interrupt = true,
			.has_address = true,
			.address = 0x80}},
	{"3.2: to U mode", &rv32, 1, {0x0B}, {.format = EAR_ETRACE_CONTEXT}},
	{"3.3: on, full addresses", &rv32, 2, {0x1F, 0x04},
		{.format = EAR_ETRACE_SUPPORT,
			.enabled = true,
			.has_options = true,
			.options = EAR_ETRACE_FULL_ADDRESS}},
	{"2: the address is 8 more", &rv32, 1, {0x12},
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = 8}},
	{"2: the address is 8 less", &rv32, 1, {0xF2},
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = (uint64_t)-8}},
	{"2: 8 more, with notify", &rv32, 5, {0x12, 0x00, 0x00, 0x00, 0xFE},
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = 8, .notify = true}},
	{"2: 8 more, with updiscon", &rv32, 5, {0x12, 0x00, 0x00, 0x00, 0xFC},
		{.format = EAR_ETRACE_ADDRESS,
			.has_address = true,
			.address = 8,
			.updiscon = true}},
	{"2: 8 more, with irreport", &rv32, 5, {0x12, 0x00, 0x00, 0x00, 0xF8},
		{.format = EAR_ETRACE_ADDRESS,
			.has_address = true,
			.address = 8,
			.irreport = true}},
	{"2: absolute 0x8000010c", &rv64, 5, {0x32, 0x04, 0x00, 0x00, 0x02},
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = 0x8000010C}},
	{"1: 15 branches, absolute 0x800001a2", &rv64, 7,
		{0xBD, 0xAA, 0xAA, 0x68, 0x00, 0x00, 0x20},
		{.format = EAR_ETRACE_MAP,
			.branches = 15,
			.map = 0x5555,
			.has_address = true,
			.address = 0x800001A2}},
	{"1: a full map", &rv32, 5, {0x81, 0xFF, 0xFF, 0xFF, 0x1F},
		{.format = EAR_ETRACE_MAP, .branches = 31, .map = 0x3FFFFFFF}},
	{"1: 2 branches, address 2 more", &rv32, 2, {0x89, 0x04},
		{.format = EAR_ETRACE_MAP,
			.branches = 2,
			.map = 1,
			.has_address = true,
			.address = 2}},
	{"0.0: 31 + 3 branches as predicted, then one not", &counted, 1, {0x18},
		{.format = EAR_ETRACE_COUNT, .count = 3, .count_format = EAR_ETRACE_COUNT_FAILED}},
	{"0.0: 31 + 1, then at 4 more", &counted, 5, {0x08, 0x00, 0x00, 0x00, 0x50},
		{.format = EAR_ETRACE_COUNT,
			.count = 1,
			.count_format = EAR_ETRACE_COUNT_ADDRESS,
			.has_address = true,
			.address = 4}},
	{"0.1: entry 5, no branches", &counted, 1, {0x2C},
		{.format = EAR_ETRACE_INDEX, .index = 5}},
	{"0.1: entry 5, 3 branches, irreport at depth 2", &counted, 3, {0x2C, 0x63, 0x05},
		{.format = EAR_ETRACE_INDEX,
			.index = 5,
			.branches = 3,
			.map = 3,
			.irreport = true,
			.depth = 2}},
};

static void assert_packet(
	const char *what, const struct ear_etrace_packet *got, const struct ear_etrace_packet *want)
{
	if (got->format != want->format || got->has_address != want->has_address ||
		got->notify != want->notify || got->updiscon != want->updiscon ||
		got->irreport != want->irreport || got->branch != want->branch ||
		got->interrupt != want->interrupt || got->thaddr != want->thaddr ||
		got->has_tval != want->has_tval || got->enabled != want->enabled ||
		got->has_options != want->has_options || got->options != want->options ||
		got->status != want->status || got->count_format != want->count_format ||
		got->branches != want->branches || got->map != want->map ||
		got->count != want->count || got->index != want->index ||
		(want->irreport && got->depth != want->depth) ||
		got->privilege != want->privilege || got->time != want->time ||
		got->context != want->context || got->address != want->address ||
		got->cause != want->cause || got->tval != want->tval)
		fail_msg("%s: format %u address %lx map %x of %u, notify %u updiscon %u irreport "
			 "%u depth %u, branch %u, privilege %lx, cause %lx interrupt %u thaddr %u "
			 "tval %lx, count %x fmt %u index %x, options %x",
			what, got->format, got->address, got->map, got->branches, got->notify,
			got->updiscon, got->irreport, got->depth, got->branch, got->privilege,
			got->cause, got->interrupt, got->thaddr, got->tval, got->count,
			got->count_format, got->index, got->options);
}

static void print_bytes(char *text, const uint8_t *bytes, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		sprintf(text + 3 * i, "%02x ", bytes[i]);
}

static void assert_bytes(
	const char *what, const uint8_t *got, unsigned size, const uint8_t *want, unsigned wanted)
{
	char text[2][3 * EAR_ETRACE_BITS_SIZE + 1] = {"", ""};

	if (size == wanted && memcmp(got, want, size) == 0)
		return;
	print_bytes(text[0], got, size);
	print_bytes(text[1], want, wanted);
	fail_msg("%s: %sinstead of %s", what, text[0], text[1]);
}

static void packets_mean_what_the_specification_says(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_etrace_packet packet;
		int result = ear_etrace_packet_parse(
			&packet, rows[i].unit, false, rows[i].bytes, rows[i].size, 0);
		if (result)
			fail_msg("%s: %d", rows[i].what, result);
		assert_packet(rows[i].what, &packet, &rows[i].packet);
	}
}

static void packets_are_written_as_the_specification_says(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_etrace_bits bits = {0};
		ear_etrace_packet_put(&bits, rows[i].unit, false, &rows[i].packet);
		unsigned size = ear_etrace_bits_compress(&bits);
		assert_bytes(rows[i].what, bits.bytes, size, rows[i].bytes, rows[i].size);
	}
}

static const struct {
	const char *what;
	const struct ear_etrace_unit *unit;
	uint8_t size, bytes[12];
	bool full;
	struct ear_etrace_packet packet;
} esp_rows[] = {
	{"PT10 3.0: M mode at 0x80000000", &pt10, 5, {0x33, 0x00, 0x00, 0x00, 0x10}, true,
		{.format = EAR_ETRACE_SYNC,
			.branch = true,
			.privilege = 1,
			.has_address = true,
			.address = 0x80000000}},
	{"PT10 3.1: illegal instruction, handler at 0x100, EPC 0x42000000", &pt10, 10,
		{0xB7, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x02}, true,
		{.format = EAR_ETRACE_TRAP,
			.branch = true,
			.privilege = 1,
			.cause = 2,
			.thaddr = true,
			.has_address = true,
			.address = 0x100,
			.has_tval = true,
			.tval = 0x42000000}},
	{"PT10 3.3: off, lost", &pt10, 1, {0x4F}, true,
		{.format = EAR_ETRACE_SUPPORT, .status = EAR_ETRACE_TRACE_LOST}},
	{"PT10 2: 8 more", &pt10, 5, {0x12, 0x00, 0x00, 0x00, 0x00}, false,
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = 8}},
	{"PT10 1: not taken, to 0x80000010", &pt10, 6, {0x85, 0x08, 0x00, 0x00, 0xC0, 0x01}, true,
		{.format = EAR_ETRACE_MAP,
			.branches = 1,
			.map = 1,
			.has_address = true,
			.address = UINT64_C(0xFFFFFFFF80000010)}},
	{"PT10 1: a full map", &pt10, 5, {0x81, 0xFF, 0xFF, 0xFF, 0x1F}, true,
		{.format = EAR_ETRACE_MAP, .branches = 31, .map = 0x3FFFFFFF}},
	{"ET20 3.1: timer interrupt, handler at 0x100", &et20, 6,
		{0xF7, 0x31, 0x20, 0x00, 0x00, 0x00}, true,
		{.format = EAR_ETRACE_TRAP,
			.branch = true,
			.privilege = 1,
			.cause = 7,
			.interrupt = true,
			.thaddr = true,
			.has_address = true,
			.address = 0x100}},
	{"ET20 3.3: on", &et20, 2, {0x1F, 0x00}, true,
		{.format = EAR_ETRACE_SUPPORT, .enabled = true}},
	{"ET20 2: 2 less", &et20, 2, {0x0E, 0xFF}, false,
		{.format = EAR_ETRACE_ADDRESS, .has_address = true, .address = (uint64_t)-2}},
	{"ET20 2: 256 more, with notify", &et20, 3, {0x0E, 0x80, 0x00}, false,
		{.format = EAR_ETRACE_ADDRESS,
			.has_address = true,
			.address = 256,
			.notify = true}},
	{"ET20 1: 3 branches, with updiscon, absolute 0x42000000", &et20, 6,
		{0x8D, 0x0A, 0x00, 0x00, 0x00, 0x21}, true,
		{.format = EAR_ETRACE_MAP,
			.branches = 3,
			.map = 5,
			.updiscon = true,
			.has_address = true,
			.address = 0x42000000}},
};

static void packets_of_espressif_mean_what_the_manuals_say(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(esp_rows); i++) {
		struct ear_etrace_packet packet;
		struct ear_etrace_bits bits = {0};
		unsigned size = ear_esp_packet_put(
			&bits, esp_rows[i].unit, esp_rows[i].full, &esp_rows[i].packet);
		assert_bytes(
			esp_rows[i].what, bits.bytes, size, esp_rows[i].bytes, esp_rows[i].size);
		int result = ear_esp_packet_parse(
			&packet, esp_rows[i].unit, esp_rows[i].bytes, esp_rows[i].size);
		if (result)
			fail_msg("%s: %d", esp_rows[i].what, result);
		assert_packet(esp_rows[i].what, &packet, &esp_rows[i].packet);
	}
}

static void a_packet_of_another_size_is_refused(void **state)
{
	(void)state;
	struct ear_etrace_packet packet;

	for (size_t i = 0; i < COUNT_OF(esp_rows); i++) {
		uint8_t bytes[13] = {0};
		memcpy(bytes, esp_rows[i].bytes, sizeof(esp_rows[i].bytes));
		bool address = esp_rows[i].unit == &et20 &&
			       (esp_rows[i].packet.format == EAR_ETRACE_MAP ||
				       esp_rows[i].packet.format == EAR_ETRACE_ADDRESS);
		for (unsigned size = 0; size < 13; size++)
			if (size != esp_rows[i].size && !address)
				assert_int_equal(ear_esp_packet_parse(
							 &packet, esp_rows[i].unit, bytes, size),
					EAR_E_BAD_MESSAGE);
	}
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t bytes[64] = {0};
		memcpy(bytes, rows[i].bytes, rows[i].size);
		bytes[sizeof(bytes) - 1] = 1;
		assert_int_equal(ear_etrace_packet_parse(
					 &packet, rows[i].unit, false, bytes, sizeof(bytes), 0),
			EAR_E_BAD_MESSAGE);
		assert_int_equal(ear_etrace_packet_parse(&packet, rows[i].unit, false, bytes, 0, 0),
			EAR_E_BAD_MESSAGE);
	}
}

static void bits_after_the_last_field_are_copies(void **state)
{
	(void)state;
	struct ear_etrace_packet packet;
	/* 3.2 of one byte, with its highest bit wrong. */
	const uint8_t bad[] = {0x8B};

	assert_int_equal(
		ear_etrace_packet_parse(&packet, &rv32, false, bad, 1, 0), EAR_E_BAD_MESSAGE);
}

static void reserved_values_are_refused(void **state)
{
	(void)state;
	struct ear_etrace_packet packet;
	/* 0.0 with branch_fmt 1; format 0 of a unit without either kind. */
	const uint8_t count[] = {0x00, 0x00, 0x00, 0x00, 0x08};
	const uint8_t zero[] = {0x00};

	assert_int_equal(
		ear_etrace_packet_parse(&packet, &counted, false, count, 5, 0), EAR_E_BAD_MESSAGE);
	assert_int_equal(
		ear_etrace_packet_parse(&packet, &rv32, false, zero, 1, 0), EAR_E_BAD_MESSAGE);
}

/* --- Any packet of any unit --- */

static uint32_t number(struct random *random, uint32_t below)
{
	return (uint32_t)random_below(random, below);
}

static struct ear_etrace_unit any_unit(struct random *random)
{
	struct ear_etrace_unit unit = {.iaddress_width = 8 + number(random, 57),
		.iaddress_lsb = number(random, 3),
		.privilege_width = number(random, 5),
		.ecause_width = number(random, 65),
		.time_width = number(random, 65),
		.context_width = number(random, 65),
		.support = number(random, EAR_ETRACE_SUPPORTS - 1)};

	unit.bpred_size = number(random, 3) * 4;
	unit.cache_size = number(random, 3) * 3;
	unit.f0s_width = unit.bpred_size && unit.cache_size;
	if (number(random, 2))
		unit.call_counter_size = number(random, 8);
	else
		unit.return_stack_size = number(random, 8);
	assert_true(ear_etrace_unit_is_valid(&unit));
	return unit;
}

static uint64_t any_value(struct random *random, unsigned width)
{
	uint64_t value = random_next(random);

	if (number(random, 3) == 0)
		value = number(random, 2) ? 0 : UINT64_MAX;
	return ear_etrace_low_bits(value, width);
}

static uint64_t any_address(struct random *random, const struct ear_etrace_unit *unit, bool sign)
{
	unsigned width = ear_etrace_address_width(unit);
	uint64_t value = any_value(random, width);

	return (sign ? ear_etrace_sign_extend(value, width) : value) << unit->iaddress_lsb;
}

static void add_return(
	struct random *random, const struct ear_etrace_unit *unit, struct ear_etrace_packet *packet)
{
	packet->irreport = number(random, 2);
	if (packet->irreport)
		packet->depth = (uint32_t)any_value(random, ear_etrace_depth_width(unit));
}

static void add_tail(
	struct random *random, const struct ear_etrace_unit *unit, struct ear_etrace_packet *packet)
{
	packet->has_address = true;
	packet->address = any_address(random, unit, true);
	packet->notify = number(random, 2);
	packet->updiscon = number(random, 2);
	add_return(random, unit, packet);
}

static void add_map(struct random *random, struct ear_etrace_packet *packet, unsigned least)
{
	packet->branches = (uint8_t)(least + number(random, 32 - least));
	packet->map = (uint32_t)any_value(random, packet->branches);
}

static struct ear_etrace_packet any_packet(
	struct random *random, const struct ear_etrace_unit *unit, bool implicit)
{
	struct ear_etrace_packet packet = {.format = (uint8_t)number(random, 8)};

	if ((packet.format == EAR_ETRACE_COUNT && !unit->bpred_size) ||
		(packet.format == EAR_ETRACE_INDEX && !unit->cache_size))
		packet.format = EAR_ETRACE_ADDRESS;
	switch (packet.format) {
	case EAR_ETRACE_COUNT:
		packet.count = (uint32_t)any_value(random, 32);
		packet.count_format = (uint8_t[]){0, 2, 3}[number(random, 3)];
		if (packet.count_format)
			add_tail(random, unit, &packet);
		break;
	case EAR_ETRACE_INDEX:
		packet.index = (uint32_t)any_value(random, unit->cache_size);
		add_map(random, &packet, 0);
		add_return(random, unit, &packet);
		break;
	case EAR_ETRACE_MAP:
		add_map(random, &packet, 1);
		if (packet.branches < 31 || number(random, 2))
			add_tail(random, unit, &packet);
		break;
	case EAR_ETRACE_ADDRESS: add_tail(random, unit, &packet); break;
	case EAR_ETRACE_SUPPORT:
		packet.enabled = number(random, 2);
		packet.has_options = true;
		packet.options = (uint8_t)number(random, EAR_ETRACE_OPTIONS + 1);
		if (unit->support == EAR_ETRACE_SUPPORT_REFERENCE)
			packet.options &= (uint8_t)~EAR_ETRACE_SIJUMP;
		packet.status = (uint8_t)number(random, 4);
		break;
	default:
		packet.privilege = any_value(random, unit->privilege_width);
		packet.time = any_value(random, unit->time_width);
		packet.context = any_value(random, unit->context_width);
		packet.branch = packet.format != EAR_ETRACE_CONTEXT && number(random, 2);
		packet.has_address = packet.format != EAR_ETRACE_CONTEXT;
		if (packet.format == EAR_ETRACE_TRAP) {
			packet.cause = any_value(random, unit->ecause_width);
			packet.interrupt = number(random, 2);
			packet.thaddr = number(random, 2);
			packet.has_tval = !packet.interrupt;
			packet.has_address = !implicit || !packet.thaddr;
			if (packet.has_tval)
				packet.tval = any_value(random, unit->iaddress_width);
		}
		if (packet.has_address)
			packet.address = any_address(random, unit, false);
	}
	return packet;
}

static void any_packet_comes_back(void **state)
{
	(void)state;
	struct random random = {31};

	for (unsigned i = 0; i < 30000; i++) {
		const struct ear_etrace_unit unit = any_unit(&random);
		bool implicit = number(&random, 2);
		const struct ear_etrace_packet packet = any_packet(&random, &unit, implicit);
		struct ear_etrace_packet found;
		struct ear_etrace_bits bits = {0};
		unsigned first = number(&random, 16);
		char what[32];
		snprintf(what, sizeof(what), "packet %u", i);
		ear_etrace_packet_put(&bits, &unit, implicit, &packet);
		unsigned whole = ear_etrace_bits_compress(&bits), size;
		struct ear_etrace_bits shifted = {0};
		/* After bits of something else, and before bits of nothing. */
		ear_etrace_bits_put(&shifted, any_value(&random, first), first);
		for (unsigned byte = 0; byte < whole; byte++)
			ear_etrace_bits_put(&shifted, bits.bytes[byte], 8);
		while (shifted.at % 8 != 0)
			ear_etrace_bits_put(&shifted, number(&random, 2), 1);
		size = shifted.at / 8;
		assert_at_most(size, EAR_ETRACE_PAYLOAD_MAX);
		int result = ear_etrace_packet_parse(
			&found, &unit, implicit, shifted.bytes, size, first);
		if (result)
			fail_msg("%s of format %u: %d", what, packet.format, result);
		assert_packet(what, &found, &packet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_mean_what_the_specification_says),
		cmocka_unit_test(packets_are_written_as_the_specification_says),
		cmocka_unit_test(packets_of_espressif_mean_what_the_manuals_say),
		cmocka_unit_test(a_packet_of_another_size_is_refused),
		cmocka_unit_test(bits_after_the_last_field_are_copies),
		cmocka_unit_test(reserved_values_are_refused),
		cmocka_unit_test(any_packet_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
