/* What 'earshot doctor --port' finds: a loop of five instructions goes through the reference
 * encoder and the decoder, with one fault of a retire port at a time.
 */
#include "check.h"

#include "byte_buffer.h"
#include "cli/show/port_summary.h"
#include "common/protocol/ear_protocol.h"
#include "decoder/codec/encoder.h"

enum { LOAD, STORE, IMMEDIATE, ECALL, JUMP, LOOP };

#define HANDLER 0x200u

/* lw x10, 64(x0); sw x10, 64(x0); addi x10, x0, 1; ecall, whose handler is one jump back. */
static struct ear_retire entry_of(uint64_t order)
{
	static const uint32_t insns[LOOP] = {
		0x04002503, 0x04A02023, 0x00100513, 0x00000073, 0xF01FF06F};
	unsigned place = (unsigned)(order % LOOP);
	struct ear_retire entry = {.order = order,
		.xlen = 32,
		.ixl = 1,
		.mode = 3,
		.insn = insns[place],
		.pc_rdata = place == JUMP ? HANDLER : 0x100 + 4 * place,
		.pc_wdata = place == JUMP    ? 0x100
			    : place == ECALL ? HANDLER
					     : 0x104 + 4 * place};

	if (place == LOAD || place == IMMEDIATE) {
		entry.rd_addr = 10;
		entry.rd_wdata = 1;
	}
	if (place == LOAD || place == STORE)
		entry.mem_addr = 64;
	if (place == LOAD) {
		entry.mem_rmask = 0xF;
		entry.mem_rdata = 1;
	}
	if (place == STORE) {
		entry.rs2_addr = 10;
		entry.rs2_rdata = 1;
		entry.mem_wmask = 0xF;
		entry.mem_wdata = 1;
	}
	if (place == ECALL) {
		entry.trap = true;
		entry.cause = 11;
	}
	entry.intr = place == JUMP;
	return entry;
}

typedef void plant(struct ear_retire *entry);

static void nothing(struct ear_retire *entry)
{
	(void)entry;
}

static void jump_in_order(struct ear_retire *entry)
{
	entry->order += entry->order >= 30 ? 5 : 0;
}

static void read_of_addi(struct ear_retire *entry)
{
	if (entry->order % LOOP == IMMEDIATE)
		entry->mem_rmask = 0xF;
}

static void word_of_lb(struct ear_retire *entry)
{
	if (entry->order % LOOP == LOAD)
		entry->insn &= ~0x7000u;
}

static void write_of_addi(struct ear_retire *entry)
{
	if (entry->order % LOOP == IMMEDIATE)
		entry->mem_wmask = 1;
}

static void fields_of_addi(struct ear_retire *entry)
{
	if (entry->order % LOOP == IMMEDIATE)
		entry->rs2_addr = 1;
}

static void result_of_trap(struct ear_retire *entry)
{
	if (entry->trap)
		entry->rd_addr = 5;
}

static void no_cause(struct ear_retire *entry)
{
	entry->cause = 0;
}

static void upper_half(struct ear_retire *entry)
{
	if (entry->order % LOOP == IMMEDIATE)
		entry->insn = 0x00134505; /* c.li x10, 1 */
}

static void wrong_next(struct ear_retire *entry)
{
	if (entry->order % LOOP == LOAD)
		entry->pc_wdata += 4;
}

static void next_of_trap(struct ear_retire *entry)
{
	entry->intr = false;
	if (entry->trap)
		entry->pc_wdata = entry->pc_rdata + 4;
}

static void mode_missing(struct ear_retire *entry)
{
	entry->mode = 0;
	if (entry->order % LOOP == IMMEDIATE) {
		entry->insn = 0x34202573; /* csrr x10, mcause */
		entry->rd_wdata = 0;
	}
}

static void count_faults(void *context, const char *text, const char *remedy)
{
	assert_non_null(text);
	*(unsigned *)context += remedy != NULL;
}

/* Which faults there are, as a set of bits. */
static unsigned faults_of(plant *fault, bool lost)
{
	const struct ear_unit unit = {.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.xlen = 32,
		.nret = 1,
		.mode = EAR_UNIT_MODE_RAW};
	const uint64_t records = 50;
	struct ear_message stop = {.kind = EAR_MSG_STOP,
		.u.stop = {.reason = EAR_STOP_ENDED, .retired = records, .delivered = records}};
	struct byte_buffer bytes = {0};
	struct port_summary summary = {.records = 0};
	struct ear_decoder decoder;
	struct ear_encoder encoder;
	const struct ear_record *record;
	size_t used, at = 0;
	unsigned found = 0;

	ear_encoder_init(&encoder, &unit, byte_buffer_sink, &bytes);
	for (uint64_t i = 0; i < records; i++) {
		struct ear_retire entry = entry_of(i);
		if (lost && i >= 40)
			entry.order += 2;
		if (lost && i == 40)
			ear_encoder_put(&encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
							  .u.lost = {.reason = EAR_LOST_FIFO_FULL,
								  .count = 2,
								  .first = 40,
								  .last = 41}});
		fault(&entry);
		ear_encoder_push(&encoder, &entry, 0);
	}
	if (lost) {
		stop.u.stop.retired += 2;
		stop.u.stop.lost = 2;
	}
	ear_encoder_put(&encoder, &stop);
	ear_decoder_init(&decoder, NULL, NULL);
	decoder.with_reads = true;
	for (;;) {
		int result = ear_decoder_next(
			&decoder, &record, &used, bytes.bytes + at, bytes.size - at, true);
		at += used;
		assert_at_least(result, 0);
		if (result == 0)
			break;
		port_summary_add(&summary, record);
	}
	assert_int_equal(summary.records, records);
	for (unsigned i = 0; i < PORT_FAULTS; i++)
		found |= summary.faults[i].count ? 1u << i : 0;
	unsigned reported = 0;
	assert_int_equal(
		port_summary_report(&summary, &decoder.statistics, count_faults, &reported),
		(unsigned)__builtin_popcount(found));
	assert_int_equal(reported, __builtin_popcount(found));
	ear_decoder_fini(&decoder);
	byte_buffer_free(&bytes);
	return found;
}

static void each_fault_of_a_port_is_found(void **state)
{
	static const struct {
		plant *fault;
		int kind;
	} rows[] = {
		{nothing, -1},
		{jump_in_order, PORT_ORDER},
		{read_of_addi, PORT_READ},
		{word_of_lb, PORT_READ},
		{write_of_addi, PORT_WRITE},
		{fields_of_addi, PORT_OPERAND},
		{result_of_trap, PORT_TRAP_RESULT},
		{no_cause, PORT_CAUSE},
		{upper_half, PORT_UPPER_HALF},
		{wrong_next, PORT_NEXT},
		{next_of_trap, PORT_NEXT_OF_TRAP},
		{mode_missing, PORT_MODE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(
			faults_of(rows[i].fault, false), rows[i].kind < 0 ? 0 : 1u << rows[i].kind);
	assert_int_equal(faults_of(nothing, true), 1u << PORT_SLACK);
}

/* Nothing was looked at, so nothing is well. */
static void no_record_is_a_fault(void **state)
{
	const struct ear_decoder_statistics statistics = {.unit_known = false};
	struct port_summary summary = {.records = 0};
	unsigned reported = 0;

	(void)state;
	assert_int_equal(port_summary_report(&summary, &statistics, count_faults, &reported), 1);
	assert_int_equal(reported, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fault_of_a_port_is_found),
		cmocka_unit_test(no_record_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
