#ifndef EAR_WHISPER_FAST_H
#define EAR_WHISPER_FAST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "decoder/record/record.h"
#include "formats/text/hex_scan.h"
#include "formats/whisper/whisper_line.h"

/* The parts of an ordinary line of a Whisper CSV, for reader_whisper.c. Nothing here looks for
 * the end of the line: each part must end with its comma, so none goes past a line end. The bytes
 * behind the line that are read (EAR_TEXT_SLACK) may be anything.
 */

static inline bool same_text(const char *text, const char *expected, uint32_t mask, unsigned size)
{
#ifdef __SSE2__
	const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)text),
		_mm_loadu_si128((const __m128i *)(const void *)expected));
	const __m128i high =
		_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(text + 16)),
			_mm_loadu_si128((const __m128i *)(const void *)(expected + 16)));
	uint32_t equal = (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
	return (~equal & mask) == 0 &&
	       (size <= 32 || memcmp(text + 32, expected + 32, size - 32) == 0);
#else
	(void)mask;
	return memcmp(text, expected, size) == 0;
#endif
}

/* What the parts of a line are put into before anything is changed. All functions return false if
 * the line is not an ordinary one; what they have filled in is then of no use.
 */
struct fast {
	const char *at; /* what comes next */
	uint64_t pc, pc_physical, opcode, wide, target, cause;
	uint32_t flags;
	bool jumped, trapped;
	uint8_t fflags, frm_after, privilege;
	unsigned hart;
	size_t register_count, memory_count;
};

/* "va,inst," or "va:pa,inst,". */
static inline bool fast_begin(struct fast *fast)
{
	const char *at = fast->at;
	unsigned count = ear_hex_scan(at, &fast->pc);

	if (count == 0)
		return false;
	at += count;
	fast->flags = 0;
	fast->pc_physical = 0;
	if (*at == ':') {
		count = ear_hex_scan(++at, &fast->pc_physical);
		if (count == 0)
			return false;
		at += count;
		fast->flags = EAR_RECORD_PC_PHYSICAL;
	}
	if (*at++ != ',')
		return false;
	count = ear_hex_scan(at, &fast->opcode);
	fast->at = at + count + 1;
	return count - 1 < 8 && at[count] == ',';
}

/* "x10=8000;", one register of the list; at is behind its letter. The number has one or two digits;
 * which, is not worth a branch that is often mispredicted.
 */
static inline bool fast_register(struct fast *fast, struct ear_record_register *reg, unsigned class)
{
	const char *at = fast->at;
	unsigned first = (unsigned)(unsigned char)at[0] - '0';
	unsigned second = (unsigned)(unsigned char)at[1] - '0';
	bool two = second <= 9;
	unsigned number = two ? 10 * first + second : first;
	unsigned count;

	at += 1 + two;
	if (first > 9 || number > 31 || *at++ != '=')
		return false;
	count = ear_hex_scan(at, &reg->value);
	reg->class = (uint8_t) class;
	reg->size = 0;
	reg->number = (uint16_t)number;
	reg->text_size = 0;
	fast->at = at + count;
	return count > 0;
}

static inline bool fast_csr(struct fast *fast, struct ear_record_register *reg)
{
	const char *at = fast->at;
	unsigned number = 0, digit, count;

	while ((digit = (unsigned)(unsigned char)*at - '0') <= 9 && number <= 4095) {
		number = number * 10 + digit;
		at++;
	}
	if (at == fast->at || *at++ != '=' || number > 4095)
		return false;
	count = ear_hex_scan(at, &reg->value);
	reg->class = EAR_REGISTER_CSR;
	reg->size = 0;
	reg->number = (uint16_t)number;
	reg->text_size = 0;
	fast->at = at + count;
	fast->wide |= reg->value;
	if (number == 2)
		fast->frm_after = reg->value & 7;
	if (number == 3)
		fast->frm_after = reg->value >> 5 & 7;
	return count > 0;
}

static inline bool fast_tag(struct fast *fast, const char *tag, uint64_t *value)
{
	unsigned count;

	if (fast->at[0] != tag[0] || fast->at[1] != tag[1])
		return false;
	count = ear_hex_scan(fast->at + 2, value);
	fast->at += 2 + count;
	return count > 0;
}

/* One entry of the list that is no x register, which is the common case. Returns the count of
 * registers added, or less than 0.
 */
static inline int fast_other(struct fast *fast, struct ear_record_register *reg)
{
	uint64_t value;

	switch (*fast->at++) {
	case 'p':
		fast->jumped = true;
		if (!fast_tag(fast, "c=", &fast->target))
			return -1;
		fast->wide |= fast->target;
		return 0;
	case 'c': return fast_csr(fast, reg) ? 1 : -1;
	case 'f':
		if (*fast->at != 'f')
			return fast_register(fast, reg, EAR_REGISTER_F) ? 1 : -1;
		if (!fast_tag(fast, "f=", &value) || value > 31)
			return -1;
		fast->fflags = (uint8_t)value;
		return 0;
	default: return -1;
	}
}

/* The column of modified registers, which are put into room for EAR_WHISPER_LINE_COUNT_MIN. */
static inline bool fast_registers(struct fast *fast, struct ear_record_register *registers)
{
	struct ear_record_register *reg = registers;

	fast->register_count = 0;
	fast->jumped = false;
	fast->fflags = 0;
	if (*fast->at == ',') {
		fast->at++;
		return true;
	}
	for (;;) {
		if (reg == registers + EAR_WHISPER_LINE_COUNT_MIN)
			return false;
		if (*fast->at == 'x') {
			fast->at++;
			if (!fast_register(fast, reg, EAR_REGISTER_X) || reg->number == 0)
				return false;
			fast->wide |= reg->value;
			reg++;
		} else {
			int added = fast_other(fast, reg);
			if (added < 0)
				return false;
			reg += added;
		}
		if (*fast->at++ != ';')
			break;
	}
	fast->register_count = (size_t)(reg - registers);
	return fast->at[-1] == ',';
}

/* One access, or an AMO's two. Lists of them, as of vectors, are not for here. access: what the
 * opcode tells of it, size and direction, the rest 0.
 */
static inline bool fast_memory(struct fast *fast, struct ear_record_access *memory,
	const struct ear_record_access *access, bool amo)
{
	const char *at = fast->at;
	unsigned count;

	fast->memory_count = 0;
	if (*at == ',') {
		fast->at++;
		return true;
	}
	*memory = *access;
	count = ear_hex_scan(at, &memory->address);
	at += count;
	if (count == 0)
		return false;
	fast->wide |= memory->address;
	fast->memory_count = 1;
	if (*at == ':') {
		count = ear_hex_scan(++at, &memory->physical);
		at += count;
		memory->has_physical = true;
		if (count == 0)
			return false;
	}
	if (*at == '=') {
		if (amo) {
			memory[1] = memory[0];
			memory->write = false;
			memory++;
			fast->memory_count = 2;
		}
		count = ear_hex_scan(++at, &memory->value);
		at += count;
		memory->write = true;
		memory->has_value = true;
		if (count == 0)
			return false;
	}
	fast->at = at + 1;
	return *at == ',';
}

static inline bool fast_privilege(struct fast *fast)
{
	fast->privilege = ear_whisper_privileges[(unsigned char)fast->at[0]];
	fast->at += 2;
	return fast->privilege-- != 0 && fast->at[-1] == ',';
}

static inline bool fast_trap(struct fast *fast)
{
	unsigned count;

	fast->trapped = false;
	fast->cause = 0;
	if (*fast->at == ',') {
		fast->at++;
		return true;
	}
	fast->trapped = true;
	count = ear_hex_scan(fast->at, &fast->cause);
	fast->wide |= fast->cause;
	fast->at += count + 1;
	return count > 0 && fast->at[-1] == ',';
}

static inline bool fast_info(struct fast *fast, const struct ear_whisper_entry *entry)
{
	bool taken = fast->jumped && !fast->trapped;
	unsigned size = entry->info_size[taken] + 1u;
	const char *info = entry->info[taken];

	/* Up to two characters and the comma; the comma ends the comparison. */
	if (fast->at[0] != info[0] || (size > 1 && fast->at[1] != info[1]) ||
		(size > 2 && fast->at[2] != info[2]) || (size > 3 && fast->at[3] != info[3]))
		return false;
	fast->at += size;
	return true;
}

/* The end of the line: hart, empty page walks, line end. columns: of the layout. */
static inline bool fast_end(struct fast *fast, size_t columns)
{
	uint64_t hart = 0;

	if (columns > 9) {
		unsigned count;
		if (*fast->at != ',')
			return false;
		count = ear_hex_scan(fast->at + 1, &hart);
		fast->at += 1 + count;
		if (count - 1 > 3)
			return false;
	}
	fast->hart = (unsigned)hart;
	if (columns == 12) {
		if (fast->at[0] != ',' || fast->at[1] != ',')
			return false;
		fast->at += 2;
	}
	if (*fast->at == '\r')
		fast->at++;
	return *fast->at++ == '\n';
}

#endif
