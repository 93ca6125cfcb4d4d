/* First the verdict: which entries pass the filter, where capturing starts and stops. Then the
 * messages are replayed: the reference encoder gets the entries of the bench where the unit sent a
 * record, and the messages that only the unit can decide (LOST, EVENT, STOP) as they came. The two
 * streams must be equal, byte for byte.
 */
#include "unit_model.h"

#include <algorithm>

#include "frame_text.h"

static void configure_trigger(bench &b, uint16_t base, const trigger_model &t)
{
	b.write(uint16_t(base + EAR_TRIGGER_REG_KIND),
		t.kind | (t.reads ? EAR_TRIGGER_REG_KIND_READS_MASK : 0) |
			(t.writes ? EAR_TRIGGER_REG_KIND_WRITES_MASK : 0));
	b.write64(uint16_t(base + EAR_TRIGGER_REG_VALUE_LO), t.value);
	b.write64(uint16_t(base + EAR_TRIGGER_REG_MASK_LO), t.mask);
	b.write64(uint16_t(base + EAR_TRIGGER_REG_DATA_LO), t.data);
	b.write64(uint16_t(base + EAR_TRIGGER_REG_DATA_MASK_LO), t.data_mask);
}

void model_configure(bench &b, const unit_model &model)
{
	if (UNIT_FILTER) {
		b.write(EAR_REG_FILTER, model.filter);
		for (unsigned i = 0; i < 4; i++) {
			b.write64(uint16_t(EAR_REG_RANGE0 + 16 * i), model.low[i]);
			b.write64(uint16_t(EAR_REG_RANGE0 + 16 * i + 8), model.high[i]);
		}
	}
	if (UNIT_TRIGGER) {
		configure_trigger(b, EAR_REG_START, model.start);
		configure_trigger(b, EAR_REG_STOP, model.stop);
	}
}

static bool passes(const unit_model &model, const ear_retire &entry)
{
	bool included = false, any_include = false;

	if (!UNIT_FILTER)
		return true;
	if (!(model.filter >> (EAR_REG_FILTER_MODES_SHIFT + entry.mode) & 1))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		unsigned mode = model.filter >> (2 * i) & 3;
		bool hit = entry.pc_rdata >= model.low[i] && entry.pc_rdata <= model.high[i];
		if (mode == EAR_FILTER_RANGE_EXCLUDE && hit)
			return false;
		any_include |= mode == EAR_FILTER_RANGE_INCLUDE;
		included |= mode == EAR_FILTER_RANGE_INCLUDE && hit;
	}
	return !any_include || included;
}

static bool touches(const trigger_model &t, const ear_retire &entry)
{
	unsigned mask = (t.reads ? entry.mem_rmask : 0u) | (t.writes ? entry.mem_wmask : 0u);

	for (unsigned i = 0; i < 8; i++) {
		uint64_t byte = entry.mem_addr + i;
		if ((mask >> i & 1) && byte >= entry.mem_addr && byte >= t.value && byte <= t.mask)
			return true;
	}
	return false;
}

static bool fires(const trigger_model &t, const ear_retire &entry, uint64_t count)
{
	switch (t.kind) {
	case EAR_TRIGGER_PC: return ((entry.pc_rdata ^ t.value) & t.mask) == 0;
	case EAR_TRIGGER_OPCODE: return ((entry.insn ^ t.value) & t.mask & UINT32_MAX) == 0;
	case EAR_TRIGGER_ADDRESS: return touches(t, entry);
	case EAR_TRIGGER_ADDRESS_DATA:
		return touches(t, entry) &&
		       ((t.reads && entry.mem_rmask &&
				((entry.mem_rdata ^ t.data) & t.data_mask) == 0) ||
			       (t.writes && entry.mem_wmask &&
				       ((entry.mem_wdata ^ t.data) & t.data_mask) == 0));
	case EAR_TRIGGER_RECORDS: return count >= t.value;
	default: return false;
	}
}

/* The entries that pass, in order, and the statistics. */
struct verdict {
	std::vector<const offered *> passing;
	uint64_t retired = 0, filtered = 0;
	uint64_t start_index = UINT64_MAX; /* of the passing entry that carries the start event */
	uint64_t next_order = 0;
	bool stopped = false;
};

static verdict judge(const std::vector<offered> &offers, const unit_model &model, uint64_t limit)
{
	verdict v;
	uint64_t start_count = 0, stop_count = 0;
	bool on = !UNIT_TRIGGER || model.start.kind == EAR_TRIGGER_NONE;

	for (const offered &offer : offers) {
		if (v.retired == limit || v.stopped)
			break;
		v.retired++;
		v.next_order = offer.entry.order + 1;
		start_count++;
		if (!on && fires(model.start, offer.entry, start_count)) {
			on = true;
			v.start_index = v.passing.size();
		}
		if (on && passes(model, offer.entry))
			v.passing.push_back(&offer);
		else
			v.filtered++;
		if (UNIT_TRIGGER && on && fires(model.stop, offer.entry, ++stop_count))
			v.stopped = true;
	}
	return v;
}

static void collect(void *context, const uint8_t *bytes, size_t size)
{
	auto *out = static_cast<std::vector<uint8_t> *>(context);

	out->insert(out->end(), bytes, bytes + size);
}

/* Walks the messages of a capture and feeds the encoder with what should stand there. */
class replay
{
      public:
	replay(const replay &) = delete;
	replay &operator=(const replay &) = delete;

	replay(bench &bench, const unit_model &model, bool mirror)
	    : b(bench), m(model), mirror_flushes(mirror)
	{
		ear_unit unit = unit_description(
			m.drop, m.time_mode, UNIT_FILTER && (m.filter & 0xFFF) != 0xF00);
		ear_frame first;
		CHECK(ear_frame_parse(&first, b.bytes.data(), b.bytes.size()) > 0);
		ear_encoder_init(&encoder, &unit, collect, &expected);
		encoder.sequence = first.sequence;
		if (UNIT_PREDICT) {
			ear_geometry geometry;
			CHECK_EQUAL(ear_geometry_parse(&geometry, unit.geometry), 0);
			CHECK_EQUAL(ear_predictor_init(&predictor, &unit, &geometry), 0);
			ear_encoder_predict(&encoder, &predictor);
		}
		v = judge(b.offers, m, b.messages.back().message.u.stop.retired);
	}

	~replay()
	{
		if (UNIT_PREDICT)
			ear_predictor_fini(&predictor);
	}

	outcome verify()
	{
		for (size_t i = 0; i < b.messages.size(); i++) {
			one(i);
			if (mirror_flushes && b.messages[i].frame_end && !ends_by_itself(i))
				ear_encoder_flush(&encoder);
		}
		compare();
		return result;
	}

      private:
	/* Frames end after these in the encoder too; and after what it puts by itself only if the
	 * next message did not fit. */
	bool ends_by_itself(size_t index) const
	{
		switch (b.messages[index].message.kind) {
		case EAR_MSG_REPLY:
		case EAR_MSG_STOP: return true;
		case EAR_MSG_UNIT:
		case EAR_MSG_SYNC:
		case EAR_MSG_CHECK:
		case EAR_MSG_TIME:
		case EAR_MSG_TIME_DELTA1:
		case EAR_MSG_TIME_DELTA2:
		case EAR_MSG_TIME_DELTA4: return UNIT_PREDICT != 0;
		default: return false;
		}
	}

	void record()
	{
		CHECK(next < v.passing.size());
		const offered *offer = v.passing[next++];
		/* Every event of an earlier store came before. */
		if (port_next < b.port_events.size())
			CHECK(b.port_events[port_next].before > uint64_t(offer - b.offers.data()));
		ear_encoder_push(&encoder, &offer->entry, offer->ticks);
		after_lost = false;
		result.delivered++;
	}

	/* A group that is not full, and no flush was after it: a record closed it. */
	static bool closes_group(const heard &h)
	{
		unsigned kind = h.message.kind >> 4;

		return UNIT_PREDICT && !UNIT_PREDICT_SINGLE && kind >= EAR_PREDICT_INSN &&
		       kind <= EAR_PREDICT_GROUP3 && !h.frame_end;
	}

	/* Predict mode: what stands before a record is there, and the record went into a run or a
	 * group, to be reported later. */
	void begun_record()
	{
		if (UNIT_PREDICT && begun) {
			record();
			ahead = 1;
		}
		begun = false;
	}

	void lost(ear_message message)
	{
		uint64_t count = message.u.lost.count;
		begun = false;
		CHECK(count > 0 && count <= v.passing.size() - next);
		message.u.lost.reason = EAR_LOST_FIFO_FULL;
		message.u.lost.first = v.passing[next]->entry.order;
		message.u.lost.last = v.passing[next + count - 1]->entry.order;
		if (next <= v.start_index && v.start_index < next + count)
			v.start_index = next + count; /* the next record carries it */
		next += count;
		result.lost += count;
		result.gap_count++;
		after_lost = true;
		ear_encoder_put(&encoder, &message);
	}

	/* How many entries that pass had retired before the event. */
	size_t passing_before(const port_event &event) const
	{
		const offered *end = b.offers.data() + event.before;

		return size_t(std::lower_bound(v.passing.begin(), v.passing.end(), end) -
			      v.passing.begin());
	}

	void port(const ear_message &message)
	{
		begun = false;
		CHECK(port_next < b.port_events.size());
		const port_event &event = b.port_events[port_next++];
		CHECK_EQUAL(message.u.event.source, event.source);
		/* Right before the record of its store; in a gap, before its LOST or after it. */
		if (result.lost == 0 && !m.drop && UNIT_STALL)
			CHECK_EQUAL(next, passing_before(event));
		else if (next > 0 && !after_lost)
			CHECK(next <= passing_before(event));
		result.port_events++;
		result.port_short += message.kind == EAR_MSG_PORT;
		ear_message expected_message = {};
		expected_message.kind = EAR_MSG_EVENT;
		expected_message.u.event.source = event.source;
		expected_message.u.event.order = event.order;
		expected_message.u.event.value = event.value;
		ear_encoder_put(&encoder, &expected_message);
	}

	void event(ear_message message)
	{
		if (message.kind == EAR_MSG_PORT || message.u.event.source >= EAR_EVENT_REGISTER) {
			port(message);
			return;
		}
		uint8_t source = message.u.event.source;
		begun = source == EAR_EVENT_START_TRIGGER;
		if (source == EAR_EVENT_START_TRIGGER) {
			CHECK_EQUAL(next, v.start_index);
			const offered *offer = v.passing[next];
			ear_encoder_prepare(&encoder, offer->entry.order, offer->ticks);
			message.u.event.order = offer->entry.order;
			message.u.event.value = m.start.kind;
			seen_start = true;
		} else if (source == EAR_EVENT_STOP_TRIGGER) {
			CHECK(v.stopped);
			message.u.event.order = v.next_order;
			message.u.event.value = m.stop.kind;
			seen_stop = true;
		} else if (source == EAR_EVENT_HELD_LO || source == EAR_EVENT_HELD_HI) {
			CHECK(COUNTS_HELD);
			CHECK_EQUAL(held_events, unsigned(source == EAR_EVENT_HELD_HI));
			held_events++;
			result.held |= uint64_t(message.u.event.value)
				       << (source == EAR_EVENT_HELD_HI ? 32 : 0);
			message.u.event.order = v.next_order;
		} else if (source == EAR_EVENT_PORT_LOST) {
			CHECK(message.u.event.value > 0);
			port_next += message.u.event.value;
			result.port_lost += message.u.event.value;
		} else if (source == EAR_EVENT_PORT_UNKNOWN) {
			CHECK(!seen_unknown);
			seen_unknown = true;
			CHECK_EQUAL(message.u.event.value, b.port_unknown);
		}
		ear_encoder_put(&encoder, &message);
	}

	void stop(ear_message message)
	{
		result.retired = v.retired;
		result.filtered = v.filtered;
		result.reason = message.u.stop.reason;
		CHECK_EQUAL(result.retired, result.delivered + result.lost + result.filtered);
		message.u.stop.retired = result.retired;
		message.u.stop.delivered = result.delivered;
		message.u.stop.lost = result.lost;
		message.u.stop.filtered = result.filtered;
		CHECK_EQUAL(next, v.passing.size());
		CHECK_EQUAL(seen_stop, v.stopped);
		CHECK_EQUAL(port_next, b.port_events.size());
		CHECK_EQUAL(seen_unknown, b.port_unknown > 0);
		/* What the unit holds after its last look at the core is not counted; without a
		 * FIFO it also holds it after the end. */
		CHECK_EQUAL(held_events, result.held ? 2 : 0);
		CHECK(result.held <= b.held);
		if (COUNTS_HELD && UNIT_RECORD_FIFO > 1)
			CHECK(result.held + 4 >= b.held);
		CHECK_EQUAL(message.u.stop.reason == EAR_STOP_TRIGGER, v.stopped);
		CHECK_EQUAL(seen_start, v.start_index < v.passing.size());
		ear_encoder_put(&encoder, &message);
	}

	void one(size_t index)
	{
		const ear_message &message = b.messages[index].message;
		if (b.messages[index].records) {
			for (uint64_t i = ahead; i < b.messages[index].records; i++)
				record();
			begun = closes_group(b.messages[index]);
			ahead = 0;
			return;
		}
		switch (message.kind) {
		case EAR_MSG_UNIT: /* of a sync, or asked for */
			if (index + 1 < b.messages.size() &&
				b.messages[index + 1].message.kind == EAR_MSG_SYNC)
				break;
			begun_record();
			{
				ear_message unit = {};
				unit.kind = EAR_MSG_UNIT;
				unit.u.unit = encoder.unit;
				ear_encoder_put(&encoder, &unit);
			}
			break;
		case EAR_MSG_SYNC: /* by the command, if it is not the first */
			if (UNIT_PREDICT)
				ear_encoder_sync(&encoder);
			begun = true;
			break;
		case EAR_MSG_CHECK: /* the encoder puts these by itself */
		case EAR_MSG_TIME:
		case EAR_MSG_TIME_DELTA1:
		case EAR_MSG_TIME_DELTA2:
		case EAR_MSG_TIME_DELTA4: begun = true; break;
		case EAR_MSG_LOST: lost(message); break;
		case EAR_MSG_EVENT:
		case EAR_MSG_PORT: event(message); break;
		case EAR_MSG_STOP:
			CHECK_EQUAL(index + 1, b.messages.size());
			stop(message);
			break;
		default:
			begun_record();
			ear_encoder_put(&encoder, &message);
			break;
		}
	}

	void compare()
	{
		if (expected == b.bytes)
			return;
		show_difference(b.bytes, expected);
		std::exit(1);
	}

	bench &b;
	const unit_model &m;
	bool mirror_flushes;
	ear_encoder encoder;
	ear_predictor predictor;
	std::vector<uint8_t> expected;
	verdict v;
	uint64_t next = 0;
	bool begun = false; /* what must stand before a record came, and not the record */
	uint64_t ahead = 0; /* records that were pushed before their message came */
	unsigned held_events = 0;
	bool seen_start = false, seen_stop = false, seen_unknown = false;
	uint64_t port_next = 0;  /* event of the port */
	bool after_lost = false; /* no record came since a LOST */
	outcome result = {};
};

outcome model_verify(bench &b, const unit_model &model, bool mirror_flushes)
{
	return replay(b, model, mirror_flushes).verify();
}
