/* A queue of control words of which the first one is sent, and sent again after each timeout. One
 * word at a time, because an answer names its word by tag and address only and registers must be
 * written in order. session_load.c has its own window of words where order does not matter.
 */
#include "driver/session/control_channel.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "common/protocol/unit_registers.h"

void ear_control_channel_init(struct ear_control_channel *channel, struct ear_transport *transport,
	unsigned timeout_ms, unsigned retries)
{
	memset(channel, 0, sizeof(*channel));
	channel->transport = transport;
	channel->timeout_ms = timeout_ms;
	channel->retries = retries;
	channel->tag = 1;
}

int ear_control_channel_add(
	struct ear_control_channel *channel, uint8_t operation, uint16_t address, uint32_t value)
{
	if (channel->word_count == EAR_CONTROL_CHANNEL_WORD_MAX)
		return EAR_E_FULL;
	channel->words[channel->word_count++] = (struct ear_control_word){
		.operation = operation,
		.tag = channel->tag++,
		.address = address,
		.value = value,
	};
	return 0;
}

void ear_control_channel_clear(struct ear_control_channel *channel)
{
	channel->word_count = 0;
	channel->sent = false;
	channel->resent = 0;
}

/* The first word is done: answered or given up. */
static void remove_first(struct ear_control_channel *channel)
{
	assert(channel->word_count > 0);
	channel->word_count--;
	memmove(channel->words, channel->words + 1,
		channel->word_count * sizeof(channel->words[0]));
	channel->sent = false;
	channel->resent = 0;
}

static const char *operation_name(const struct ear_control_word *word)
{
	return word->operation == EAR_CONTROL_WORD_WRITE ? "write" : "read";
}

int ear_control_channel_poll(
	struct ear_control_channel *channel, uint64_t now_ms, struct ear_report *report)
{
	const struct ear_control_word *word = &channel->words[0];
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];

	if (channel->word_count == 0)
		return 0;
	if (channel->sent && now_ms < channel->deadline_ms)
		return 1;
	if (channel->sent && channel->resent == channel->retries) {
		ear_report_set(report, 0, "%s: no answer to a %s of register %s, asked %u times",
			channel->transport->name, operation_name(word),
			ear_unit_register_at(word->address)->name, channel->retries + 1);
		remove_first(channel);
		return EAR_E_TIMEOUT;
	}

	ear_control_word_build(bytes, word);
	int error = ear_transport_write(
		channel->transport, bytes, sizeof(bytes), channel->timeout_ms, report);
	if (error < 0) {
		remove_first(channel);
		return error;
	}
	if (channel->sent) {
		channel->resent++;
		atomic_fetch_add_explicit(&channel->resent_total, 1, memory_order_relaxed);
	}
	channel->sent = true;
	channel->deadline_ms = now_ms + channel->timeout_ms;
	return 1;
}

static const char *status_text(uint8_t status)
{
	switch (status) {
	case EAR_REPLY_UNKNOWN_REGISTER: return "it has no such register";
	case EAR_REPLY_READ_ONLY: return "the register cannot be written";
	case EAR_REPLY_NO_MEMORY: return "there is no memory at this address";
	case EAR_REPLY_UNKNOWN_OPERATION: return "it does not know this operation";
	default: return "unknown status";
	}
}

int ear_control_channel_reply(struct ear_control_channel *channel, const struct ear_message *reply,
	struct ear_report *report)
{
	const struct ear_control_word *word = &channel->words[0];

	if (!channel->sent || reply->u.reply.tag != word->tag ||
		reply->u.reply.address != word->address)
		return 0;
	if (reply->u.reply.status != EAR_REPLY_OK) {
		ear_report_set(report, 0, "%s: the unit refused to %s register %s (0x%03X): %s",
			channel->transport->name, operation_name(word),
			ear_unit_register_at(word->address)->name, word->address,
			status_text(reply->u.reply.status));
		remove_first(channel);
		return EAR_E_REFUSED;
	}
	channel->value = reply->u.reply.value;
	remove_first(channel);
	return 1;
}

void ear_control_channel_reset_retries(struct ear_control_channel *channel)
{
	channel->resent = 0;
}
