/* A program into the memory of the traced system, word by word through registers.
 *
 * A sliding window of words keeps a fast link full: words are sent before the answers to earlier
 * ones have come, and answers may come in any order. When nothing comes for a while, all words
 * without an answer are sent again and the window is halved, since a small unit may have dropped
 * them for lack of room.
 */
#include "driver/session/session_load.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "driver/base/clock.h"
#include "driver/session/no_answer.h"
#include "driver/session/session_private.h"
#include "driver/session/session_start.h"

/* Words in flight: enough to fill a link whose latency is many times what a word and its answer
 * take. A unit behind a UART has room for hardly more than one.
 */
#define WINDOW_MAX  32u
#define WINDOW_SIZE 0x8000u /* bytes of the unit's window on the memory */

struct word {
	uint8_t tag;
	uint16_t address; /* of the register */
	uint32_t value;
};

struct load {
	struct ear_session *session;
	struct word words[WINDOW_MAX]; /* not answered yet */
	unsigned count;
	unsigned window; /* how many may be in flight */
	uint8_t tag;     /* of the next word */
	uint32_t base;   /* of the unit's window */
	unsigned resent; /* rounds, since the last answer */
	size_t answered;
	int error;
};

int ear_session_load_begin(struct ear_session *session)
{
	const uint32_t needed = EAR_REG_FEATURES_LOAD_MASK | EAR_REG_FEATURES_CORE_MASK;
	int error = ear_session_prepare(session);

	if (!error && (session->identity.features & needed) != needed)
		return ear_report_set(&session->report, EAR_E_UNSUPPORTED,
			"%s: the unit was built without access to the memory of its system",
			session->transport->name);
	if (!error)
		error = ear_session_end_others(session);
	if (!error)
		error = ear_session_write_register(session, EAR_REG_CORE, EAR_REG_CORE_RESET_MASK);
	return error;
}

static int send_word(struct load *load, const struct word *word)
{
	struct ear_session *session = load->session;
	const struct ear_control_word control = {
		EAR_CONTROL_WORD_WRITE, word->tag, word->address, word->value};
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];

	ear_control_word_build(bytes, &control);
	return ear_transport_write(session->transport, bytes, sizeof(bytes),
		session->options.reply_timeout_ms, &session->report);
}

static int judge(struct load *load, const struct word *word, const struct ear_message *reply)
{
	struct ear_session *session = load->session;
	uint32_t address = load->base + word->address - EAR_REG_LOAD;

	if (reply->u.reply.status == EAR_REPLY_NO_MEMORY)
		return ear_report_set(&session->report, EAR_E_REFUSED,
			"%s: the system has no memory at 0x%08X", session->transport->name,
			address);
	if (reply->u.reply.status != EAR_REPLY_OK)
		return ear_report_set(&session->report, EAR_E_REFUSED,
			"%s: the unit refused to write the memory at 0x%08X",
			session->transport->name, address);
	if (reply->u.reply.value != word->value)
		return ear_report_set(&session->report, EAR_E_IO,
			"%s: the memory at 0x%08X holds 0x%08X after 0x%08X was written",
			session->transport->name, address, reply->u.reply.value, word->value);
	return 0;
}

/* An answer that belongs to no word is a second answer to a word that was sent twice. */
static void take_reply(struct load *load, const struct ear_message *reply)
{
	for (unsigned i = 0; i < load->count; i++) {
		const struct word *word = &load->words[i];

		if (word->tag != reply->u.reply.tag || word->address != reply->u.reply.address)
			continue;
		if (!load->error)
			load->error = judge(load, word, reply);
		load->count--;
		memmove(load->words + i, load->words + i + 1,
			(load->count - i) * sizeof(load->words[0]));
		load->answered++;
		ear_reply_scanner_clear_stray(&load->session->scanner);
		load->resent = 0;
		return;
	}
}

/* Take one item out of the feed. Returns 0, EAR_E_TIMEOUT or EAR_E_NO_DEVICE. */
static int pump(struct load *load, uint64_t deadline_ms)
{
	struct ear_session *session = load->session;
	struct ear_feed_item item;
	size_t used;

	int error = ear_feed_next(&session->feed, &item, deadline_ms);
	if (error)
		return error;
	if (item.kind == EAR_FEED_LOSS) {
		ear_reply_scanner_interrupt(&session->scanner);
		return 0;
	}
	if (item.kind == EAR_FEED_END)
		return ear_report_set(&session->report, EAR_E_NO_DEVICE,
			"%s: the device went away while a program was being loaded",
			session->transport->name);
	for (size_t at = 0; at < item.size; at += used) {
		struct ear_message message;

		if (ear_reply_scanner_next(
			    &session->scanner, &used, &message, item.bytes + at, item.size - at) &&
			message.kind == EAR_MSG_REPLY)
			take_reply(load, &message);
	}
	ear_feed_consume(&session->feed, item.size);
	return 0;
}

/* Nothing came for a while: send all words again, and from now on fewer at a time, because the unit
 * may have had no room for them.
 */
static int send_again(struct load *load)
{
	struct ear_session *session = load->session;

	if (load->resent++ == session->options.retries) {
		ear_report_set(&session->report, 0,
			"%s: no answer to a write of memory, asked %u times",
			session->transport->name, session->options.retries + 1);
		ear_no_answer_explain(&session->report, session->transport, &session->scanner);
		return EAR_E_TIMEOUT;
	}
	load->window = load->window > 1 ? load->window / 2 : 1;
	for (unsigned i = 0; i < load->count; i++) {
		int error = send_word(load, &load->words[i]);
		if (error)
			return error;
		atomic_fetch_add_explicit(&session->channel.resent_total, 1, memory_order_relaxed);
		if (i + 1 >= load->window)
			break;
	}
	return 0;
}

/* Was ear_session_stop called? */
static int check_stop(struct load *load)
{
	struct ear_session *session = load->session;

	if (!atomic_load_explicit(&session->stop_requested, memory_order_acquire))
		return 0;
	return ear_report_set(&session->report, EAR_E_REFUSED,
		"%s: interrupted: the program is loaded in part, and the core stays in reset",
		session->transport->name);
}

/* Wait until at most count words are in flight. */
static int wait_for(struct load *load, unsigned count)
{
	unsigned timeout_ms = load->session->options.reply_timeout_ms;
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;
	size_t answered = load->answered;

	while (load->count > count && !load->error) {
		int error = pump(load, deadline_ms);
		if (error == EAR_E_TIMEOUT)
			error = send_again(load);
		if (!error)
			error = check_stop(load);
		if (error < 0)
			return error;
		if (answered != load->answered || ear_clock_ms() >= deadline_ms)
			deadline_ms = ear_clock_ms() + timeout_ms;
		answered = load->answered;
	}
	return load->error;
}

/* Move the unit's window on the memory so that it holds address. */
static int move_window(struct load *load, uint32_t address)
{
	uint32_t base = address / WINDOW_SIZE * WINDOW_SIZE;

	if (base == load->base)
		return 0;
	int error = wait_for(load, 0);
	if (!error)
		error = ear_session_write_register(load->session, EAR_REG_LOAD_BASE, base);
	if (!error)
		load->base = base;
	return error;
}

static uint16_t register_of(uint32_t address)
{
	return (uint16_t)(EAR_REG_LOAD + address % WINDOW_SIZE);
}

static int write_word(struct load *load, uint32_t address, uint32_t value)
{
	int error = move_window(load, address);

	if (!error)
		error = wait_for(load, load->window - 1);
	if (error)
		return error;
	struct word *word = &load->words[load->count++];
	*word = (struct word){load->tag++, register_of(address), value};
	return send_word(load, word);
}

/* The word at address with some of its bytes from bytes[0 .. size-1], the first at offset. */
static int merge_word(struct load *load, uint32_t *value, uint32_t address, unsigned offset,
	const uint8_t *bytes, size_t size)
{
	uint8_t merged[4];

	if (size < 4) {
		int error = move_window(load, address);
		if (!error)
			error = wait_for(load, 0);
		if (!error)
			error = ear_session_read_register(
				load->session, register_of(address), value);
		if (error)
			return error;
		ear_store_le32(merged, *value);
	}
	memcpy(merged + offset, bytes, size);
	*value = ear_load_le32(merged);
	return 0;
}

static int load_all(struct load *load, uint32_t address, const uint8_t *bytes, size_t size,
	ear_session_load_progress *progress, void *context)
{
	size_t done = 0;

	while (done < size) {
		uint32_t value = 0, at = address + (uint32_t)done;
		unsigned offset = at % 4;
		size_t part = 4 - offset < size - done ? 4 - offset : size - done;

		int error = merge_word(load, &value, at - offset, offset, bytes + done, part);
		if (!error)
			error = write_word(load, at - offset, value);
		if (error)
			return error;
		done += part;
		if (progress)
			progress(context, done);
	}
	return wait_for(load, 0);
}

int ear_session_load(struct ear_session *session, uint32_t address, const uint8_t *bytes,
	size_t size, ear_session_load_progress *progress, void *context)
{
	struct load load = {
		.session = session,
		.window = session->transport->unpaced ? 1 : WINDOW_MAX,
		.tag = session->channel.tag,
	};

	int error = ear_session_write_register(session, EAR_REG_LOAD_BASE, 0);
	if (!error)
		error = load_all(&load, address, bytes, size, progress, context);
	session->channel.tag = load.tag;
	return error;
}

int ear_session_load_end(struct ear_session *session, uint32_t boot, bool runs)
{
	int error = ear_session_write_register(session, EAR_REG_BOOT, boot);

	if (!error && runs)
		error = ear_session_write_register(session, EAR_REG_CORE, 0);
	return error;
}
