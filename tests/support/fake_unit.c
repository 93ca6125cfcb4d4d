/* A unit as its registers, its memory and its frames. Control words change the registers and
 * nothing else; what a capture sends is made on demand, so the caller decides when and how much.
 * Records count up, so that a test can check their order without keeping them.
 */
#include "fake_unit.h"

#include <assert.h>
#include <string.h>

#include "common/protocol/message.h"

void fake_unit_init(struct fake_unit *unit)
{
	memset(unit, 0, sizeof(*unit));
	unit->major = EAR_PROTOCOL_MAJOR;
	unit->registers[EAR_REG_ID / 4] = EAR_ID_VALUE;
	unit->registers[EAR_REG_PROTOCOL / 4] =
		EAR_PROTOCOL_MAJOR << EAR_REG_PROTOCOL_MAJOR_SHIFT | EAR_PROTOCOL_MINOR;
	unit->registers[EAR_REG_UNIT_VERSION / 4] = 0x0107;
	unit->registers[EAR_REG_SHAPE / 4] = 32 | 1 << 8 | 4u << 24;
	unit->registers[EAR_REG_FEATURES / 4] = 0xFF;
	unit->registers[EAR_REG_HART / 4] = 3;
	unit->registers[EAR_REG_CLOCK_HZ / 4] = 12000000;
	unit->registers[EAR_REG_BUFFERS / 4] = 512 | 256u << 16;
	unit->registers[EAR_REG_FLUSH_CYCLES / 4] = 1024;
	unit->registers[EAR_REG_CORE / 4] = EAR_REG_CORE_RESET_MASK;
}

bool fake_unit_enabled(const struct fake_unit *unit)
{
	return unit->registers[EAR_REG_CONTROL / 4] & EAR_REG_CONTROL_ENABLE_MASK;
}

bool fake_unit_testing(const struct fake_unit *unit)
{
	return !fake_unit_enabled(unit) && unit->registers[EAR_REG_TEST / 4];
}

bool fake_unit_test_due(
	const struct fake_unit *unit, uint64_t now_ms, uint64_t *begin_ms, uint64_t *sent)
{
	if (!fake_unit_testing(unit)) {
		*sent = 0;
		return false;
	}
	if (*sent == 0)
		*begin_ms = now_ms;
	if (*sent > (now_ms - *begin_ms) * 40)
		return false;
	++*sent;
	return true;
}

bool fake_unit_core_runs(const struct fake_unit *unit)
{
	return unit->registers[EAR_REG_CORE / 4] == 0;
}

/* The frame around a payload that is at its place in out. */
static size_t finish(struct fake_unit *unit, uint8_t *out, size_t payload_size)
{
	size_t size = ear_frame_finish(
		out, payload_size, (uint8_t)unit->registers[EAR_REG_HART / 4], unit->sequence++);

	assert(size <= FAKE_FRAME_MAX);
	if (unit->major != EAR_PROTOCOL_MAJOR) {
		/* The same frame with another version in it, so with another CRC. */
		uint32_t crc = 0xFFFFFFFF;

		out[2] = unit->major;
		for (size_t i = 0; i < size - 4; i++) {
			crc ^= out[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
		}
		crc = ~crc;
		for (int i = 0; i < 4; i++)
			out[size - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
	}
	return size;
}

/* The word of memory that a register of the window shows, or NULL. */
static uint32_t *memory_word(struct fake_unit *unit, uint16_t address)
{
	uint32_t offset =
		unit->registers[EAR_REG_LOAD_BASE / 4] + (address - EAR_REG_LOAD) - 0x80000000u;
	bool held = unit->registers[EAR_REG_CORE / 4] & EAR_REG_CORE_RESET_MASK;

	return held && offset < FAKE_MEMORY_SIZE ? &unit->memory[offset / 4] : NULL;
}

static bool in_window(const struct fake_unit *unit, uint16_t address)
{
	return address >= EAR_REG_LOAD && address % 4 == 0 &&
	       unit->registers[EAR_REG_FEATURES / 4] & EAR_REG_FEATURES_LOAD_MASK;
}

static uint8_t operate_memory(struct fake_unit *unit, const struct ear_control_word *word)
{
	uint32_t *memory = memory_word(unit, word->address);

	if (!memory)
		return EAR_REPLY_NO_MEMORY;
	if (word->operation == EAR_CONTROL_WORD_WRITE)
		*memory = word->value | unit->stuck;
	return EAR_REPLY_OK;
}

static uint8_t operate(struct fake_unit *unit, const struct ear_control_word *word)
{
	if (in_window(unit, word->address))
		return operate_memory(unit, word);

	bool known = word->address % 4 == 0 && word->address / 4 < 0x200 / 4;

	if (!known)
		return EAR_REPLY_UNKNOWN_REGISTER;
	if (word->operation == EAR_CONTROL_WORD_READ)
		return EAR_REPLY_OK;
	if (word->operation != EAR_CONTROL_WORD_WRITE)
		return EAR_REPLY_UNKNOWN_OPERATION;
	if (word->address < EAR_REG_CONTROL || word->address == EAR_REG_STATUS)
		return EAR_REPLY_READ_ONLY;
	unit->registers[word->address / 4] = word->value;
	return EAR_REPLY_OK;
}

size_t fake_unit_answer(struct fake_unit *unit, uint8_t *out, const struct ear_control_word *word)
{
	struct ear_message reply = {.kind = EAR_MSG_REPLY};

	reply.u.reply.tag = (uint8_t)(word->tag + unit->tag_change);
	reply.u.reply.address = (uint16_t)(word->address + unit->address_change);
	reply.u.reply.status = operate(unit, word);
	if (in_window(unit, word->address))
		reply.u.reply.value = reply.u.reply.status == EAR_REPLY_OK
					      ? *memory_word(unit, word->address)
					      : 0;
	else if (reply.u.reply.status != EAR_REPLY_UNKNOWN_REGISTER)
		reply.u.reply.value = unit->registers[word->address / 4];
	return finish(unit, out, ear_message_build(out + EAR_FRAME_HEADER_SIZE, &reply));
}

size_t fake_unit_records(struct fake_unit *unit, uint8_t *out, unsigned count)
{
	size_t size = 0;

	assert(count >= 1 && count <= FAKE_RECORDS_MAX);
	for (unsigned i = 0; i < count; i++) {
		struct ear_message record = {.kind = EAR_MSG_RAW32};
		struct ear_retire *entry = &record.u.retire.entry;

		record.u.retire.has_order = i == 0;
		entry->order = unit->order++;
		entry->xlen = 32;
		entry->insn = 0x00000013;
		entry->mode = 3;
		entry->ixl = 1;
		entry->pc_rdata = (uint32_t)(0x80000000u + 4 * entry->order);
		entry->pc_wdata = (uint32_t)(entry->pc_rdata + 4);
		size += ear_message_build(out + EAR_FRAME_HEADER_SIZE + size, &record);
	}
	return finish(unit, out, size);
}

size_t fake_unit_test(struct fake_unit *unit, uint8_t *out)
{
	const struct ear_message test = {.kind = EAR_MSG_TEST,
		.u.test = {.number = unit->registers[EAR_REG_TEST_NUMBER / 4]++,
			.word_count = EAR_TEST_WORDS}};

	return finish(unit, out, ear_message_build(out + EAR_FRAME_HEADER_SIZE, &test));
}

size_t fake_unit_stop(struct fake_unit *unit, uint8_t *out, uint8_t reason)
{
	struct ear_message stop = {.kind = EAR_MSG_STOP};

	unit->registers[EAR_REG_CONTROL / 4] &= ~EAR_REG_CONTROL_ENABLE_MASK;
	stop.u.stop.reason = reason;
	stop.u.stop.retired = unit->order;
	stop.u.stop.delivered = unit->order;
	return finish(unit, out, ear_message_build(out + EAR_FRAME_HEADER_SIZE, &stop));
}
