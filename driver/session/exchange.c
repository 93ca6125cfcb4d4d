#include "driver/session/exchange.h"

#include <assert.h>
#include <string.h>

#include "common/error.h"

void ear_exchange_init(struct ear_exchange *exchange, struct ear_transport *transport,
	unsigned timeout_ms, unsigned retries)
{
	memset(exchange, 0, sizeof(*exchange));
	exchange->transport = transport;
	exchange->timeout_ms = timeout_ms;
	exchange->retries = retries;
	exchange->tag = 1;
}

int ear_exchange_add(
	struct ear_exchange *exchange, uint8_t operation, uint16_t address, uint32_t value)
{
	if (exchange->word_count == EAR_EXCHANGE_WORD_MAX)
		return EAR_E_FULL;
	exchange->words[exchange->word_count++] = (struct ear_control_word){
		.operation = operation,
		.tag = exchange->tag++,
		.address = address,
		.value = value,
	};
	return 0;
}

void ear_exchange_clear(struct ear_exchange *exchange)
{
	exchange->word_count = 0;
	exchange->sent = false;
	exchange->resent = 0;
}

/* The first word is done, one way or the other. */
static void remove_first(struct ear_exchange *exchange)
{
	assert(exchange->word_count > 0);
	exchange->word_count--;
	memmove(exchange->words, exchange->words + 1,
		exchange->word_count * sizeof(exchange->words[0]));
	exchange->sent = false;
	exchange->resent = 0;
}

static const char *operation_name(const struct ear_control_word *word)
{
	return word->operation == EAR_CONTROL_WORD_WRITE ? "write" : "read";
}

int ear_exchange_poll(struct ear_exchange *exchange, uint64_t now_ms, struct ear_report *report)
{
	const struct ear_control_word *word = &exchange->words[0];
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];

	if (exchange->word_count == 0)
		return 0;
	if (exchange->sent && now_ms < exchange->deadline_ms)
		return 1;
	if (exchange->sent && exchange->resent == exchange->retries) {
		ear_report_set(report, 0, "%s: no answer to a %s of register %s, asked %u times",
			exchange->transport->name, operation_name(word),
			ear_register_name(word->address), exchange->retries + 1);
		remove_first(exchange);
		return EAR_E_TIMEOUT;
	}

	ear_control_word_build(bytes, word);
	int error = ear_transport_write(
		exchange->transport, bytes, sizeof(bytes), exchange->timeout_ms, report);
	if (error < 0) {
		remove_first(exchange);
		return error;
	}
	if (exchange->sent) {
		exchange->resent++;
		atomic_fetch_add_explicit(&exchange->resent_total, 1, memory_order_relaxed);
	}
	exchange->sent = true;
	exchange->deadline_ms = now_ms + exchange->timeout_ms;
	return 1;
}

static const char *status_text(uint8_t status)
{
	switch (status) {
	case EAR_REPLY_UNKNOWN_REGISTER: return "it has no such register";
	case EAR_REPLY_READ_ONLY: return "the register cannot be written";
	case EAR_REPLY_NO_MEMORY: return "there is no memory";
	case EAR_REPLY_UNKNOWN_OPERATION: return "it does not know the operation";
	default: return "unknown status";
	}
}

int ear_exchange_reply(
	struct ear_exchange *exchange, const struct ear_message *reply, struct ear_report *report)
{
	const struct ear_control_word *word = &exchange->words[0];

	if (!exchange->sent || reply->u.reply.tag != word->tag ||
		reply->u.reply.address != word->address)
		return 0;
	if (reply->u.reply.status != EAR_REPLY_OK) {
		ear_report_set(report, 0, "%s: the unit refused to %s register %s (0x%03X): %s",
			exchange->transport->name, operation_name(word),
			ear_register_name(word->address), word->address,
			status_text(reply->u.reply.status));
		remove_first(exchange);
		return EAR_E_REFUSED;
	}
	exchange->value = reply->u.reply.value;
	remove_first(exchange);
	return 1;
}

void ear_exchange_encourage(struct ear_exchange *exchange)
{
	exchange->resent = 0;
}

const char *ear_register_name(uint16_t address)
{
	switch (address) {
	case EAR_REG_ID: return "ID";
	case EAR_REG_PROTOCOL: return "PROTOCOL";
	case EAR_REG_UNIT_VERSION: return "UNIT_VERSION";
	case EAR_REG_SHAPE: return "SHAPE";
	case EAR_REG_FEATURES: return "FEATURES";
	case EAR_REG_HART: return "HART";
	case EAR_REG_CLOCK_HZ: return "CLOCK_HZ";
	case EAR_REG_BUFFERS: return "BUFFERS";
	case EAR_REG_CONTROL: return "CONTROL";
	case EAR_REG_COMMAND: return "COMMAND";
	case EAR_REG_STATUS: return "STATUS";
	case EAR_REG_FLUSH_CYCLES: return "FLUSH_CYCLES";
	case EAR_REG_CORE: return "CORE";
	case EAR_REG_TEST: return "TEST";
	case EAR_REG_BOOT: return "BOOT";
	case EAR_REG_LOAD_BASE: return "LOAD_BASE";
	case EAR_REG_TEST_NUMBER: return "TEST_NUMBER";
	case EAR_REG_FILTER: return "FILTER";
	default: break;
	}
	if (address >= EAR_REG_RETIRED_LO && address <= EAR_REG_CYCLES_HI)
		return "of a counter";
	if (address >= EAR_REG_RANGE0 && address < EAR_REG_RANGE3 + 0x10)
		return "RANGE";
	if (address >= EAR_REG_START && address < EAR_REG_STOP)
		return "START";
	if (address >= EAR_REG_STOP && address < EAR_REG_STOP + 0x40)
		return "STOP";
	if (address >= EAR_REG_LOAD)
		return "LOAD";
	return "without a name";
}
