/* Everything before a capture: one control word at a time, each waiting for its answer. Bytes of
 * the stream are read only to find the answers. The last step keeps the beginning of a frame that
 * has come already, because the capture's bytes must begin with a whole frame.
 */
#include "driver/session/session_start.h"

#include <earshot/error.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/no_answer.h"
#include "driver/session/session_private.h"

#define UPDATE "use the release of earshot that belongs to the unit, or update the unit"

/* -- Before the capture -- */

/* Scan bytes that do not belong to the capture, all of them.
 * Returns 1 if the word in flight was answered, 0 if not, or EAR_E_REFUSED.
 */
static int scan_for_reply(
	struct ear_session *session, const uint8_t *bytes, size_t size, bool *stop_seen)
{
	int answered = 0;
	size_t used;

	while (size > 0) {
		struct ear_message message;

		int found = ear_reply_scanner_next(&session->scanner, &used, &message, bytes, size);
		bytes += used;
		size -= used;
		if (found && message.kind == EAR_MSG_STOP)
			*stop_seen = true;
		if (found && message.kind == EAR_MSG_REPLY && answered == 0)
			answered = ear_control_channel_reply(
				&session->channel, &message, &session->report);
	}
	return answered;
}

/* Take one item out of the feed before the capture. Results as scan_for_reply, or EAR_E_TIMEOUT
 * or EAR_E_NO_DEVICE.
 */
static int pump(struct ear_session *session, uint64_t deadline_ms, bool *stop_seen)
{
	struct ear_feed_item item;

	int error = ear_feed_next(&session->feed, &item, deadline_ms);
	if (error)
		return error;
	switch (item.kind) {
	case EAR_FEED_LOSS: ear_reply_scanner_interrupt(&session->scanner); return 0;
	case EAR_FEED_END:
		if (item.end->report.text[0])
			ear_report_set(&session->report, 0, "%s, before a capture had begun",
				item.end->report.text);
		else
			ear_report_set(&session->report, 0,
				"%s: the device ended its stream, before a capture had begun",
				session->transport->name);
		return EAR_E_NO_DEVICE;
	default: break;
	}
	int answered = scan_for_reply(session, item.bytes, item.size, stop_seen);
	ear_feed_consume(&session->feed, item.size);
	return answered;
}

static int check_before_capture(struct ear_session *session)
{
	const char *name = session->transport->name;

	if (!session->transport->controllable)
		return ear_report_set(&session->report, EAR_E_UNSUPPORTED,
			"%s: this device has no registers: it only sends", name);
	if (session->phase != PHASE_CONTROL)
		return ear_report_set(&session->report, EAR_E_BAD_ARGUMENT,
			"%s: the capture has already started", name);
	return 0;
}

/* No answer. If whole frames of another protocol came instead, that is the reason; otherwise what
 * came is added to the message of the control channel.
 */
static int explain_no_answer(struct ear_session *session)
{
	if (session->scanner.foreign_frames == 0) {
		ear_no_answer_explain(&session->report, session->transport, &session->scanner);
		return EAR_E_TIMEOUT;
	}
	return ear_report_set(&session->report, EAR_E_VERSION,
		"%s: the unit speaks protocol %u, this earshot speaks %u.%u; " UPDATE,
		session->transport->name, session->scanner.foreign_major, EAR_PROTOCOL_MAJOR,
		EAR_PROTOCOL_MINOR);
}

/* A control word could not be sent because the device has gone. The transport's end says more than
 * the failed write, so it gets a moment to arrive.
 */
static int explain_gone(struct ear_session *session)
{
	uint64_t limit_ms = ear_clock_ms() + session->options.stop_timeout_ms;
	bool stop_seen;

	while (pump(session, limit_ms, &stop_seen) >= 0 && ear_clock_ms() < limit_ms)
		;
	return EAR_E_NO_DEVICE;
}

/* Send one control word and wait for its answer. */
static int transact(struct ear_session *session, uint8_t operation, uint16_t address,
	uint32_t value, bool *stop_seen)
{
	int result = check_before_capture(session);

	if (result)
		return result;
	ear_reply_scanner_clear_stray(&session->scanner);
	ear_control_channel_clear(&session->channel);
	ear_control_channel_add(&session->channel, operation, address, value);
	for (;;) {
		result = ear_control_channel_poll(
			&session->channel, ear_clock_ms(), &session->report);
		if (result == EAR_E_TIMEOUT)
			return explain_no_answer(session);
		if (result == EAR_E_NO_DEVICE)
			return explain_gone(session);
		if (result < 0)
			return result;
		result = pump(session, session->channel.deadline_ms, stop_seen);
		if (result > 0)
			return 0;
		if (result < 0 && result != EAR_E_TIMEOUT)
			return result;
		if (result == EAR_E_TIMEOUT && ear_transport_interrupted())
			return ear_report_set(&session->report, EAR_E_TIMEOUT,
				"%s: interrupted before the unit answered",
				session->transport->name);
	}
}

int ear_session_read_register(struct ear_session *session, uint16_t address, uint32_t *value)
{
	bool stop_seen;
	int error = transact(session, EAR_CONTROL_WORD_READ, address, 0, &stop_seen);

	if (!error)
		*value = session->channel.value;
	return error;
}

int ear_session_count_mismatches(struct ear_session *session, uint32_t *count)
{
	const struct ear_session_end *end = &session->end;
	bool ended = end->stop_reason == EAR_STOP_ENDED || end->stop_reason == EAR_STOP_ENDED_BUSY;

	if (session->phase != PHASE_END || end->reason != EAR_SESSION_END_STOP ||
		!session->identified ||
		!(session->identity.features & EAR_REG_FEATURES_MISMATCH_MASK) ||
		(ended && session->transport->ends_by_itself))
		return EAR_E_UNSUPPORTED;
	session->phase = PHASE_CONTROL;
	int error = ear_session_read_register(session, EAR_REG_MISMATCHES, count);
	session->phase = PHASE_END;
	return error;
}

int ear_session_write_register(struct ear_session *session, uint16_t address, uint32_t value)
{
	bool stop_seen;

	return transact(session, EAR_CONTROL_WORD_WRITE, address, value, &stop_seen);
}

static int check_version(struct ear_session *session, uint32_t id, uint32_t protocol)
{
	if (id != EAR_ID_VALUE)
		return ear_report_set(&session->report, EAR_E_NO_DEVICE,
			"%s: no Earshot unit: its ID register reads 0x%08X, not 0x%08X; check that "
			"the bitstream holds a capture unit",
			session->transport->name, id, EAR_ID_VALUE);
	if (protocol >> EAR_REG_PROTOCOL_MAJOR_SHIFT != EAR_PROTOCOL_MAJOR)
		return ear_report_set(&session->report, EAR_E_VERSION,
			"%s: the unit speaks protocol %u.%u, this earshot speaks %u.%u; " UPDATE,
			session->transport->name, protocol >> EAR_REG_PROTOCOL_MAJOR_SHIFT,
			protocol & EAR_REG_PROTOCOL_MINOR_MASK, EAR_PROTOCOL_MAJOR,
			EAR_PROTOCOL_MINOR);
	return 0;
}

static void fill_identity(struct ear_identity *identity, const uint32_t *values)
{
	uint32_t protocol = values[EAR_REG_PROTOCOL / 4], shape = values[EAR_REG_SHAPE / 4];
	uint32_t buffers = values[EAR_REG_BUFFERS / 4];

	*identity = (struct ear_identity){
		.protocol_major = (uint16_t)(protocol >> EAR_REG_PROTOCOL_MAJOR_SHIFT),
		.protocol_minor = (uint16_t)(protocol & EAR_REG_PROTOCOL_MINOR_MASK),
		.unit_version = values[EAR_REG_UNIT_VERSION / 4],
		.xlen = (uint8_t)(shape >> EAR_REG_SHAPE_XLEN_SHIFT),
		.nret = (uint8_t)(shape >> EAR_REG_SHAPE_NRET_SHIFT),
		.flen = (uint8_t)(shape >> EAR_REG_SHAPE_FLEN_SHIFT),
		.csr_slots = (uint8_t)(shape >> EAR_REG_SHAPE_CSR_SLOTS_SHIFT),
		.features = values[EAR_REG_FEATURES / 4],
		.hart = values[EAR_REG_HART / 4],
		.clock_hz = values[EAR_REG_CLOCK_HZ / 4],
		.buffer_records = (uint16_t)(buffers & EAR_REG_BUFFERS_RECORDS_MASK),
		.buffer_payload = (buffers >> EAR_REG_BUFFERS_PAYLOAD_SHIFT) * 64,
	};
}

/* ID and PROTOCOL are read and checked first: in another major the rest may mean anything. */
int ear_session_identify(struct ear_session *session, struct ear_identity *identity)
{
	uint32_t values[EAR_REG_BUFFERS / 4 + 1];

	for (uint16_t address = EAR_REG_ID; address <= EAR_REG_BUFFERS; address += 4) {
		int error = ear_session_read_register(session, address, &values[address / 4]);

		if (!error && address == EAR_REG_PROTOCOL)
			error = check_version(session, values[0], values[1]);
		if (error)
			return error;
	}
	fill_identity(&session->identity, values);
	ear_reply_scanner_shape(&session->scanner, session->identity.xlen, session->identity.flen);
	session->identified = true;
	if (identity)
		*identity = session->identity;
	return 0;
}

/* -- Start -- */

/* End a capture that an earlier program left running, and discard its frames. */
static int end_old_capture(struct ear_session *session)
{
	uint32_t status;
	bool stop_seen = false;

	int error = ear_session_read_register(session, EAR_REG_STATUS, &status);
	if (error || !(status & (EAR_REG_STATUS_CAPTURING_MASK | EAR_REG_STATUS_ARMED_MASK)))
		return error;
	error = transact(session, EAR_CONTROL_WORD_WRITE, EAR_REG_CONTROL, 0, &stop_seen);
	uint64_t limit_ms = ear_clock_ms() + session->options.stop_limit_ms;
	while (!error && !stop_seen && ear_clock_ms() < limit_ms) {
		uint64_t quiet_ms = ear_clock_ms() + session->options.stop_timeout_ms;
		int result = pump(session, quiet_ms, &stop_seen);

		if (result == EAR_E_TIMEOUT)
			return 0; /* silence is as good as STOP */
		if (result < 0)
			error = result;
	}
	return error;
}

int ear_session_prepare(struct ear_session *session)
{
	int error = check_before_capture(session);

	if (!error && !session->identified)
		error = ear_session_identify(session, NULL);
	return error;
}

int ear_session_end_others(struct ear_session *session)
{
	int error = end_old_capture(session);

	if (!error && session->identity.features & EAR_REG_FEATURES_TEST_MASK)
		error = ear_session_write_register(session, EAR_REG_TEST, 0);
	return error;
}

static int write_config(struct ear_session *session, const struct ear_capture_config *config)
{
	struct ear_register_write writes[EAR_CAPTURE_WRITE_MAX];
	size_t count = ear_capture_config_writes(writes, config, &session->identity);

	for (size_t i = 0; i < count; i++) {
		int error = ear_session_write_register(session, writes[i].address, writes[i].value);
		if (error)
			return error;
	}
	return 0;
}

/* Discard what has come until now. The beginning of a frame whose end comes later is kept as the
 * first bytes of the capture: a capture does not begin inside a frame.
 */
int ear_session_begin_capture(struct ear_session *session)
{
	uint64_t limit_ms = ear_clock_ms() + session->options.reply_timeout_ms;
	bool stop_seen;
	int result;

	do
		result = pump(session, 0, &stop_seen);
	while (result >= 0 && ear_clock_ms() < limit_ms); /* a unit may send without a pause */
	if (result < 0 && result != EAR_E_TIMEOUT)
		return result;

	ear_reply_scanner_clear_stray(&session->scanner);
	ear_reply_scanner_clear_seen(&session->scanner);
	session->lead_size = session->scanner.carry_size;
	memcpy(session->lead, session->scanner.carry, session->lead_size);
	session->lead_used = 0;
	session->scanned = session->offset + session->lead_size;
	session->phase = PHASE_CAPTURE;
	return 0;
}

int ear_session_start(struct ear_session *session, const struct ear_capture_config *config)
{
	int error = ear_session_prepare(session);

	if (error)
		return error;
	struct ear_report report;
	error = ear_capture_config_check(config, &session->identity, &report);
	if (error)
		return ear_report_set(
			&session->report, error, "%s: %s", session->transport->name, report.text);

	session->config = *config;
	bool has_core = session->identity.features & EAR_REG_FEATURES_CORE_MASK;
	error = ear_session_end_others(session);
	if (!error && has_core && !config->keep_core_running)
		error = ear_session_write_register(session, EAR_REG_CORE, EAR_REG_CORE_RESET_MASK);
	if (!error)
		error = write_config(session, config);
	if (!error)
		error = ear_session_begin_capture(session);
	if (error)
		return error;

	session->control = ear_capture_config_control(config, &session->identity);
	ear_control_channel_clear(&session->channel);
	ear_control_channel_add(
		&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_CONTROL, session->control);
	if (has_core)
		ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_CORE, 0);
	error = ear_control_channel_poll(&session->channel, ear_clock_ms(), &session->report);
	return error < 0 ? error : 0;
}

int ear_session_start_test(struct ear_session *session)
{
	int error = ear_session_prepare(session);

	if (error)
		return error;
	if (!(session->identity.features & EAR_REG_FEATURES_TEST_MASK))
		return ear_report_set(&session->report, EAR_E_UNSUPPORTED,
			"%s: the unit was built without a test source", session->transport->name);

	error = ear_session_end_others(session);
	if (!error)
		error = ear_session_write_register(session, EAR_REG_TEST_NUMBER, 0);
	if (!error)
		error = ear_session_begin_capture(session);
	if (error)
		return error;

	session->testing = true;
	ear_control_channel_clear(&session->channel);
	ear_control_channel_add(
		&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_TEST, EAR_REG_TEST_ON_MASK);
	error = ear_control_channel_poll(&session->channel, ear_clock_ms(), &session->report);
	return error < 0 ? error : 0;
}
