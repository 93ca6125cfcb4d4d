/* Two clocks with periods of their own; a step is the next edge of either. At an edge the inputs
 * are driven, the outputs that the edge will take are noted, then the clock rises: so the bench
 * sees what a register behind the pins would see. Everything that the port was offered is kept, for
 * unit_model.cpp to judge.
 */
#include "tb_unit.h"

#include <cstring>

#include "normal_form.h"

static void pack_word(uint32_t *channel, unsigned index, uint64_t value)
{
	channel[index] = uint32_t(value);
	channel[index + 1] = uint32_t(value >> 32);
}

/* The fixed shape of a channel in tb_unit.v. CSR slots that are not used are marked invalid, at
 * random places between the used ones. */
static void pack_entry(uint32_t *channel, const ear_retire &entry, std::mt19937_64 &random)
{
	channel[0] = uint32_t(1 | entry.trap << 1 | entry.halt << 2 | entry.intr << 3 |
			      entry.mode << 4 | entry.ixl << 6 | entry.irq << 8 | entry.debug << 9 |
			      entry.virt << 10 | entry.frd_valid << 11);
	channel[1] = uint32_t(entry.rs1_addr | entry.rs2_addr << 8 | entry.rd_addr << 16 |
			      uint32_t(entry.frd_addr) << 24);
	channel[2] = uint32_t(entry.mem_rmask | entry.mem_wmask << 8 | entry.fflags << 16);
	channel[3] = entry.insn;
	pack_word(channel, 4, entry.order);
	pack_word(channel, 6, entry.rs1_rdata);
	pack_word(channel, 8, entry.rs2_rdata);
	pack_word(channel, 10, entry.rd_wdata);
	pack_word(channel, 12, entry.pc_rdata);
	pack_word(channel, 14, entry.pc_wdata);
	pack_word(channel, 16, entry.mem_addr);
	pack_word(channel, 18, entry.mem_rdata);
	pack_word(channel, 20, entry.mem_wdata);
	pack_word(channel, 22, entry.cause);
	pack_word(channel, 24, entry.frd_wdata);
	pack_word(channel, 26, entry.pc_paddr);
	pack_word(channel, 28, entry.mem_paddr);
	unsigned used = 0;
	for (unsigned slot = 0; slot < UNIT_CSR_SLOTS; slot++) {
		unsigned left = UNIT_CSR_SLOTS - slot;
		bool valid = random() % left < unsigned(entry.csr_count) - used;
		channel[30] |= uint32_t(valid) << slot;
		channel[32 + slot] = valid ? entry.csrs[used].number : uint32_t(random());
		pack_word(channel, 40 + 2 * slot, valid ? entry.csrs[used].value : random());
		used += valid;
	}
}

bench::bench(uint64_t seed) : random(seed)
{
	top->rst_ni = 0;
	top->link_rst_ni = 0;
	top->eval();
	run(3);
	top->rst_ni = 1;
	top->link_rst_ni = 1;
	clocks = ticks = held = 0;
}

/* A random value that is often zero, small or all ones. */
static uint64_t value_of(bench &b, unsigned width)
{
	switch (b.bits(3)) {
	case 0: return 0;
	case 1: return b.bits(4);
	case 2: return b.bits(width) | 1ull << (width - 1);
	case 3: return 1ull << b.bits(5);
	default: return b.bits(width);
	}
}

/* Masks as no access has them, and loads that show a whole word. */
void bench::odd_memory(ear_retire *entry)
{
	static const uint32_t loads[] = {0x00000003, 0x00000007, 0x0000002F, 0x00004000, 0x00006000,
		0x00004002, 0x00006002, 0x00002000};
	unsigned bytes = UNIT_XLEN / 8;

	/* Where triggers look at addresses, masks without holes: they look at first and last byte.
	 */
	if (pc_bits < UNIT_XLEN) {
		unsigned most = bytes - 1;
		while (most && (unsigned(entry->mem_rmask | entry->mem_wmask) << most) >> bytes)
			most--;
		unsigned place = unsigned(random() % (most + 1));
		entry->mem_rmask = uint8_t(entry->mem_rmask << place);
		entry->mem_wmask = uint8_t(entry->mem_wmask << place);
	} else {
		entry->mem_rmask = uint8_t(chance(0.5) ? bits(bytes) : entry->mem_rmask);
		entry->mem_wmask = uint8_t(chance(0.5) ? bits(bytes) : entry->mem_wmask);
	}
	if (chance(0.5))
		return;
	entry->mem_wmask = 0;
	uint32_t insn = loads[bits(3)];
	entry->insn = insn & 3 ? insn | (uint32_t(bits(32)) & 0xFFFFFF80)
			       : insn | (uint32_t(bits(16)) & 0x1FFC);
	if (insn == 0x00004002 || insn == 0x00006002)
		entry->insn = insn | (uint32_t(bits(16)) & 0x1FFC);
	entry->rs1_rdata = bits(UNIT_XLEN);
	if (chance(0.8))
		entry->mem_addr &= ~uint64_t(bytes - 1);
	if (chance(0.8))
		entry->mem_rmask = uint8_t((1u << bytes) - 1);
	if (chance(0.8))
		entry->trap = entry->irq = false;
}

void bench::random_entry(ear_retire *entry)
{
	*entry = ear_retire();
	entry->xlen = UNIT_XLEN;
	if (chance(gap_chance))
		next_order += chance(0.2) ? bits(40) : bits(3);
	entry->order = next_order++;
	entry->insn = uint32_t(chance(0.3) ? bits(16) : bits(32));
	entry->pc_rdata = pc_bits < UNIT_XLEN ? bits(pc_bits) * 2 : bits(UNIT_XLEN);
	entry->pc_wdata = value_of(*this, UNIT_XLEN);
	entry->mode = uint8_t(bits(2));
	entry->ixl = UNIT_NORMALIZE && chance(0.1) ? uint8_t(bits(2)) : UNIT_XLEN / 32;

	bool dense = chance(dense_chance);
	double present = dense ? 0.9 : 0.3, rare = dense ? 0.7 : 0.05;
	auto value = [&](double p) { return chance(p) ? value_of(*this, UNIT_XLEN) : 0; };
	auto number = [&](double p) { return uint8_t(chance(p) ? bits(5) : 0); };
	entry->trap = chance(rare);
	entry->halt = chance(rare);
	entry->intr = chance(rare);
	entry->irq = chance(rare);
	entry->debug = chance(rare);
	entry->virt = chance(rare);
	entry->rs1_addr = number(present);
	entry->rs2_addr = number(present);
	entry->rd_addr = number(present);
	entry->rs1_rdata = value(present);
	entry->rs2_rdata = value(present);
	entry->rd_wdata = value(present);
	if (chance(present)) {
		unsigned size = 1u << bits(UNIT_XLEN == 64 ? 2 : 1);
		uint8_t mask = uint8_t((1u << size) - 1);
		entry->mem_addr = pc_bits < UNIT_XLEN ? bits(pc_bits) : bits(UNIT_XLEN);
		entry->mem_rmask = chance(0.5) ? mask : 0;
		entry->mem_wmask = chance(0.5) ? mask : 0;
		entry->mem_rdata = value(present);
		entry->mem_wdata = value(present);
		if (UNIT_NORMALIZE)
			odd_memory(entry);
	}
	entry->cause = value(rare);
	if (UNIT_CSR_SLOTS > 0 && chance(rare)) {
		entry->csr_count = uint8_t(random() % (UNIT_CSR_SLOTS + 1));
		for (unsigned i = 0; i < entry->csr_count; i++)
			entry->csrs[i] = {uint16_t(bits(12)), value_of(*this, UNIT_XLEN)};
	}
	if (UNIT_FLEN > 0 && chance(rare + 0.1)) {
		entry->frd_valid = chance(0.6);
		entry->frd_addr = uint8_t(bits(5));
		entry->fflags = uint8_t(chance(0.5) ? bits(5) : 0);
		entry->frd_wdata = bits(UNIT_FLEN > 0 ? UNIT_FLEN : 1);
	}
	if (UNIT_PADDR) {
		entry->pc_paddr = chance(present) ? bits(56) : 0;
		entry->mem_paddr = chance(rare) ? bits(56) : 0;
	}
}

/* Answer an access of the load port after any number of clocks. */
void bench::drive_memory()
{
	uint32_t address = top->load_address_o;

	top->load_ready_i = top->load_valid_o && chance(0.3);
	if (!top->load_valid_o)
		return;
	top->load_error_i = uint8_t(bits(1));
	top->load_rdata_i = uint32_t(bits(32));
	if (!top->load_ready_i)
		return;
	top->load_error_i = address >> 20 != 0x800 || !top->core_reset_o;
	if (top->load_error_i)
		return;
	if (top->load_write_o)
		memory[address] = top->load_wdata_o;
	else
		top->load_rdata_i = memory[address];
}

/* The core asks for an access of the event port, and keeps asking until it is answered: in between
 * older instructions retire, for EVENT_WAIT clocks. A core that cannot wait asks for one clock, and
 * not while it is held.
 */
void bench::drive_port()
{
	top->port_valid_i = port_asks;
	if (port_asks || !retiring || !chance(port_chance) || top->stall_o || clocks < port_next ||
		offers.size() < port_next_offer)
		return;
	static const uint8_t masks[] = {0xF, 0xF, 0xF, 0xF, 0x1, 0x2, 0x4, 0x3, 0xC, 0x8, 0x0};
	uint32_t address = uint32_t(bits(13));
	if (chance(0.9)) {
		unsigned n = unsigned(bits(7));
		address = n < EAR_PORT_USER ? 4 * n : 0x1000 + 4 * (n - EAR_PORT_USER);
	}
	uint8_t mask = masks[random() % sizeof(masks)];
	uint32_t data = uint32_t(bits(32));
	unsigned first = mask ? unsigned(__builtin_ctz(mask)) : 0;
	port_value =
		uint32_t((data >> 8 * first) & ((uint64_t(1) << 8 * __builtin_popcount(mask)) - 1));
	port_number = ear_event_port_number(address & ~3u);
	if (port_number >= 0 && port_number < int(EAR_PORT_USER) && UNIT_EVENT_PORT < 2)
		port_number = -1;
	if (!UNIT_EVENT_STRINGS &&
		(port_number == EAR_PORT_STRING || port_number == EAR_PORT_STRING_BYTE ||
			port_number == EAR_PORT_USER_STRING))
		port_number = -1;
	port_asks = true;
	port_asked = 0;
	top->port_valid_i = 1;
	top->port_address_i = uint16_t(address);
	top->port_wmask_i = mask;
	top->port_wdata_i = data;
}

/* Was the access taken, in the clock that now ends? */
void bench::after_port()
{
	if (!port_asks)
		return;
	if (!top->port_ready_o) {
		CHECK(UNIT_EVENT_WAIT > 0);
		port_asked += !top->stall_o;
		return;
	}
	port_asks = false;
	port_next = clocks + 3;
	port_next_offer = offers.size() + 1;
	if (top->port_wmask_i == 0)
		return;
	if (port_number < 0) {
		port_unknown++;
		return;
	}
	port_events.push_back({uint8_t(EAR_EVENT_REGISTER + port_number), port_value,
		offers.back().entry.order + 1, offers.size()});
}

void bench::core_edge()
{
	/* The port is driven before the edge and sampled by it. stall_o is a register. */
	uint32_t channels[2][56] = {};
	bool stalled = top->stall_o && honour_stall;
	stalled_clocks += top->stall_o;
	if (!top->stall_o)
		slack_used = 0;
	if (UNIT_EVENT_PORT)
		drive_port();
	/* What is older than the access at the bus has retired when it is taken. */
	bool only_bus = port_asks && port_asked >= UNIT_EVENT_WAIT;
	for (unsigned k = 0; k < UNIT_NRET; k++) {
		if (only_bus || !retiring || offers.size() >= retire_limit ||
			!chance(retire_chance))
			continue;
		if (stalled) {
			if (slack_used >= UNIT_STALL_SLACK + late_entries || !chance(stall_break))
				continue;
			slack_used++;
		}
		offered offer;
		if (source) {
			source(&offer.entry);
			if (chance(gap_chance))
				next_order += bits(4);
			offer.entry.order = next_order++;
		} else {
			random_entry(&offer.entry);
		}
		offer.ticks = ticks;
		offer.sent = bytes.size() + frame.size();
		if (shows) {
			ear_retire shown = offer.entry;
			shows(&shown);
			pack_entry(channels[k], shown, random);
		} else {
			pack_entry(channels[k], offer.entry, random);
			if (UNIT_NORMALIZE)
				normal_form(&offer.entry, UNIT_OPCODE_READS, UNIT_FLEN);
		}
		if (!UNIT_CAUSES)
			offer.entry.cause = 0;
		if (!UNIT_RESULTS) {
			offer.entry.rd_addr = 0;
			offer.entry.rd_wdata = 0;
		}
		if (!UNIT_ACCESSES) {
			offer.entry.mem_addr = offer.entry.mem_rdata = offer.entry.mem_wdata = 0;
			offer.entry.mem_rmask = offer.entry.mem_wmask = 0;
		}
		if (UNIT_OWN_ORDER) /* the unit counts by itself, whatever the port says */
			offer.entry.order = own_order++;
		offer.entry.order &= UINT64_MAX >> (64 - UNIT_ORDER_BITS);
		if (!offer.entry.frd_valid) { /* the unit does not look at number and value */
			offer.entry.frd_addr = 0;
			offer.entry.frd_wdata = 0;
		}
		if (!UNIT_OPERANDS) { /* nor at these */
			offer.entry.rs1_addr = offer.entry.rs2_addr = 0;
			offer.entry.rs1_rdata = offer.entry.rs2_rdata = 0;
		}
		offers.push_back(offer);
	}
	/* A core that retires all the same is not held. */
	bool is_held =
		COUNTS_HELD && top->stall_o && !(channels[0][0] & 1) && !(channels[1][0] & 1);
	drive_memory();
	std::memcpy(&top->channel0_i[0], channels[0], sizeof(channels[0]));
	std::memcpy(&top->channel1_i[0], channels[1], sizeof(channels[1]));
	if (UNIT_ONE_CLOCK)
		link_before_edge();
	top->eval();
	CHECK(!top->wrong_o);
	if (UNIT_EVENT_PORT)
		after_port();
	top->clk_i = 1;
	top->eval();
	clocks++;
	ticks += !is_held;
	held += is_held;
	top->clk_i = 0;
	top->eval();
	if (UNIT_ONE_CLOCK)
		link_after_edge();
}

/* The link's pins before an edge of its clock, and what moves at that edge. */
void bench::link_before_edge()
{
	top->tx_ready_i = chance(ready_chance);
	top->rx_valid_i = !rx.empty() && chance(0.7);
	top->rx_data_i = rx.empty() ? uint8_t(random()) : rx.front();
	top->eval();
	tx_moves = top->tx_valid_o && top->tx_ready_i;
	rx_moves = top->rx_valid_i && top->rx_ready_o;
	tx_word = top->tx_data_o;
	tx_last = top->tx_last_o;
}

void bench::link_after_edge()
{
	if (rx_moves)
		rx.pop_front();
	if (tx_moves)
		take_word(tx_word, tx_last);
}

void bench::link_edge()
{
	link_before_edge();
	top->link_clk_i = 1;
	top->eval();
	top->link_clk_i = 0;
	top->eval();
	link_after_edge();
}

void bench::step()
{
	if (UNIT_ONE_CLOCK || next_core <= next_link) {
		next_core += core_period;
		core_edge();
	} else {
		next_link += link_period;
		link_edge();
	}
}

void bench::run(unsigned core_clocks)
{
	uint64_t end = next_core + uint64_t(core_clocks) * core_period;

	while (next_core < end)
		step();
}

bool bench::run_until(const std::function<bool()> &condition, uint64_t core_clocks)
{
	uint64_t end = next_core + core_clocks * core_period;

	while (!condition()) {
		if (next_core >= end)
			return false;
		step();
	}
	return true;
}

/* A word of a frame. A whole frame must parse, and end where last says. */
void bench::take_word(uint32_t word, bool last)
{
	for (unsigned i = 0; i < 4; i++)
		frame.push_back(uint8_t(word >> (8 * i)));
	if (!last) {
		CHECK(frame.size() < EAR_FRAME_SIZE_MAX);
		return;
	}

	ear_frame parsed;
	CHECK_EQUAL(ear_frame_parse(&parsed, frame.data(), frame.size()), frame.size());
	CHECK_EQUAL(parsed.sequence, sequence);
	CHECK_EQUAL(parsed.stream_id, 0x05);
	sequence++;
	for (size_t at = 0; at < parsed.payload_size;) {
		heard h = {};
		const uint8_t *from = parsed.payload + at;
		size_t left = parsed.payload_size - at;
		int size;
		if (UNIT_PREDICT && ear_message_is_difference(*from)) {
			ear_record_message record;
			size = ear_record_message_parse(&record, from, left, UNIT_XLEN, UNIT_FLEN);
			h.message.kind = *from;
			h.records = record.run + record.count;
		} else {
			size = ear_message_parse(&h.message, from, left);
			h.records =
				h.message.kind == EAR_MSG_RAW32 || h.message.kind == EAR_MSG_RAW64;
		}
		CHECK(size > 0);
		at += size_t(size);
		if (h.message.kind == EAR_MSG_PAD) {
			CHECK(parsed.payload_size - at < EAR_FRAME_ALIGN);
			continue;
		}
		messages.push_back(h);
		if (h.message.kind == EAR_MSG_REPLY)
			replies.push_back(h.message);
	}
	CHECK(!messages.empty());
	messages.back().frame_end = true;
	bytes.insert(bytes.end(), frame.begin(), frame.end());
	frame.clear();
}

void bench::send(uint8_t operation, uint8_t word_tag, uint16_t address, uint32_t value)
{
	uint8_t word[EAR_CONTROL_WORD_SIZE];
	ear_control_word control = {operation, word_tag, address, value};

	ear_control_word_build(word, &control);
	rx.insert(rx.end(), word, word + sizeof(word));
}

ear_message bench::request(uint8_t operation, uint16_t address, uint32_t value)
{
	tag++;
	send(operation, tag, address, value);
	CHECK(run_until([&] { return !replies.empty(); }, 400000));
	ear_message reply = replies.front();
	replies.pop_front();
	CHECK_EQUAL(reply.u.reply.tag, tag);
	CHECK_EQUAL(reply.u.reply.address, address);
	return reply;
}

uint32_t bench::read(uint16_t address)
{
	ear_message reply = request(EAR_CONTROL_WORD_READ, address, 0);

	CHECK_EQUAL(reply.u.reply.status, EAR_REPLY_OK);
	return reply.u.reply.value;
}

void bench::write(uint16_t address, uint32_t value)
{
	CHECK_EQUAL(request(EAR_CONTROL_WORD_WRITE, address, value).u.reply.status, EAR_REPLY_OK);
}

void bench::write64(uint16_t address, uint64_t value)
{
	write(address, uint32_t(value));
	write(uint16_t(address + 4), uint32_t(value >> 32));
}

void bench::enable(bool drop, unsigned time_mode)
{
	if (UNIT_PREDICT)
		run(2100); /* longer than any predictor here needs to forget */
	if (UNIT_FLUSH_REGISTER)
		write(EAR_REG_FLUSH_CYCLES, 0);
	write(EAR_REG_CONTROL, EAR_REG_CONTROL_ENABLE_MASK |
				       (drop ? EAR_REG_CONTROL_DROP_MASK : 0) |
				       time_mode << EAR_REG_CONTROL_TIME_MODE_SHIFT);
	messages.clear();
	bytes.clear();
	offers.clear();
	port_events.clear();
	port_unknown = 0;
	port_next_offer = 1;
	held = 0;
}

ear_message bench::wait_stop(uint64_t core_clocks)
{
	bool stopped = run_until(
		[&] { return !messages.empty() && messages.back().message.kind == EAR_MSG_STOP; },
		core_clocks);

	CHECK(stopped);
	return messages.back().message;
}

uint64_t count_records(const bench &b)
{
	uint64_t count = 0;

	for (const heard &h : b.messages)
		count += h.records;
	return count;
}

static ear_geometry unit_geometry(void)
{
	ear_geometry geometry = {};

	geometry.unified = UNIT_PREDICT_UNIFIED;
	geometry.base = UNIT_PREDICT_BASE;
	geometry.single = UNIT_PREDICT_SINGLE;
	geometry.multiply = UNIT_PREDICT_MULTIPLY;
	geometry.divide = UNIT_PREDICT_DIVIDE;
	geometry.operands = UNIT_OPERANDS;
	geometry.code = {UNIT_PREDICT_CODE_WORDS_LOG2, UNIT_PREDICT_CODE_WAYS_LOG2,
		UNIT_PREDICT_CODE_LINE_LOG2};
	if (!UNIT_PREDICT_UNIFIED)
		geometry.data = {UNIT_PREDICT_DATA_WORDS_LOG2, UNIT_PREDICT_DATA_WAYS_LOG2,
			UNIT_PREDICT_DATA_LINE_LOG2};
	geometry.dictionary_log2 = UNIT_PREDICT_DICTIONARY_LOG2;
	geometry.csr_log2 = UNIT_PREDICT_CSR_LOG2;
	return geometry;
}

ear_unit unit_description(bool drop, unsigned time_mode, bool filter_on)
{
	ear_unit unit = {};

	unit.protocol_major = EAR_PROTOCOL_MAJOR;
	unit.protocol_minor = EAR_PROTOCOL_MINOR;
	unit.version = 0x0123;
	unit.xlen = UNIT_XLEN;
	unit.nret = UNIT_NRET;
	unit.flen = UNIT_FLEN;
	unit.csr_slots = UNIT_CSR_SLOTS;
	unit.features = uint16_t((UNIT_PADDR ? EAR_REG_FEATURES_PADDR_MASK : 0) |
				 (UNIT_FILTER ? EAR_REG_FEATURES_FILTER_MASK : 0) |
				 (UNIT_TRIGGER ? EAR_REG_FEATURES_TRIGGER_MASK : 0) |
				 (UNIT_TIME ? EAR_REG_FEATURES_TIME_MASK : 0) |
				 (UNIT_PREDICT ? EAR_REG_FEATURES_PREDICT_MASK : 0) |
				 (UNIT_STALL ? EAR_REG_FEATURES_STALL_MASK : 0) |
				 (UNIT_CORE ? EAR_REG_FEATURES_CORE_MASK : 0) |
				 (UNIT_TEST ? EAR_REG_FEATURES_TEST_MASK : 0) |
				 (UNIT_LOAD ? EAR_REG_FEATURES_LOAD_MASK : 0) |
				 (UNIT_LOSS ? EAR_REG_FEATURES_RESUME_MASK : 0) |
				 (UNIT_PREDICT ? EAR_REG_FEATURES_RUN_FLUSH_MASK : 0) |
				 (UNIT_CAUSES ? 0 : EAR_REG_FEATURES_NO_CAUSES_MASK) |
				 (COUNTS_HELD ? EAR_REG_FEATURES_HELD_MASK : 0) |
				 (UNIT_NORMALIZE ? EAR_REG_FEATURES_NORMALIZE_MASK : 0) |
				 (UNIT_EVENT_PORT ? EAR_REG_FEATURES_EVENT_PORT_MASK : 0));
	unit.control = uint8_t((drop || !UNIT_STALL ? EAR_UNIT_CONTROL_DROP : 0) |
			       time_mode << EAR_UNIT_CONTROL_TIME_MODE_SHIFT |
			       (filter_on ? EAR_UNIT_CONTROL_FILTER : 0) |
			       (UNIT_RESULTS ? 0 : EAR_UNIT_CONTROL_NO_RESULTS) |
			       (UNIT_ACCESSES ? 0 : EAR_UNIT_CONTROL_NO_ACCESSES));
	if (UNIT_PREDICT) {
		ear_geometry geometry = unit_geometry();
		unit.mode = EAR_UNIT_MODE_PREDICT;
		ear_geometry_build(unit.geometry, &geometry);
	}
	unit.hart = 0x0305;
	unit.clock_hz = 50000000;
	unit.buffers = uint32_t(UNIT_RECORD_FIFO | UNIT_PAYLOAD_BYTES / 64 << 16);
	return unit;
}
