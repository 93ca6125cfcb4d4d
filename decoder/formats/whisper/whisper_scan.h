#ifndef EAR_WHISPER_SCAN_H
#define EAR_WHISPER_SCAN_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "decoder/formats/whisper/whisper_line.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/text/char_mask.h"
#include "decoder/text/number_scan.h"

/* The columns of an ordinary line of a Whisper CSV, from left to right. Nothing here looks for
 * the end of the line: each part must end with its comma, so none goes past a line end. The bytes
 * after the line that are read (EAR_TEXT_SLACK) may be anything.
 */

/* Does text begin with expected[0 .. size-1]? mask has a bit for each of its first 32 characters.
 */
static inline bool same_text(const char *text, const char *expected, uint32_t mask, unsigned size)
{
	return (ear_unequal_mask(text, expected) & mask) == 0 &&
	       (size <= 32 || memcmp(text + 32, expected + 32, size - 32) == 0);
}

/* The values of a line, collected before anything is changed. All functions return false if the
 * line is not an ordinary one; what they have filled in then means nothing.
 */
struct ear_whisper_scan {
	const char *at; /* what comes next */
	uint64_t pc, pc_physical, opcode, wide, target, cause;
	uint32_t flags;
	uint8_t effects;     /* enum ear_whisper_effect */
	uint8_t vtype_after; /* if EAR_WHISPER_SETS_VTYPE; else 0 */
	bool trapped;
	uint8_t fflags, frm_after, privilege;
	unsigned hart;
	size_t register_count, memory_count;
};

/* "va,inst," or "va:pa,inst,". */
static inline bool scan_pc_inst(struct ear_whisper_scan *scan)
{
	const char *at = scan->at;
	unsigned count = ear_hex_scan(at, &scan->pc);

	if (count == 0)
		return false;
	at += count;
	scan->flags = 0;
	scan->pc_physical = 0;
	if (*at == ':') {
		count = ear_hex_scan(++at, &scan->pc_physical);
		if (count == 0)
			return false;
		at += count;
		scan->flags = EAR_RECORD_PC_PHYSICAL;
	}
	if (*at++ != ',')
		return false;
	count = ear_hex_scan(at, &scan->opcode);
	scan->at = at + count + 1;
	return count - 1 < 8 && at[count] == ',';
}

/* "x10=8000;", one register of the list; at is after its letter. The number has one or two digits;
 * which, is not worth a branch that is often mispredicted.
 */
static inline bool scan_register(
	struct ear_whisper_scan *scan, struct ear_record_register *reg, unsigned reg_class)
{
	const char *at = scan->at;
	unsigned first = (unsigned)(unsigned char)at[0] - '0';
	unsigned second = (unsigned)(unsigned char)at[1] - '0';
	bool two = second <= 9;
	unsigned number = two ? 10 * first + second : first;
	unsigned count;

	at += 1 + two;
	if (first > 9 || number > 31 || *at++ != '=')
		return false;
	count = ear_hex_scan(at, &reg->value);
	reg->reg_class = (uint8_t)reg_class;
	reg->size = 0;
	reg->number = (uint16_t)number;
	reg->text_size = 0;
	scan->at = at + count;
	return count > 0;
}

/* vtype, packed, as its digits say. */
static inline uint8_t ear_whisper_vtype_at(const char *digits)
{
	uint64_t value = 0;

	ear_hex_scan(digits, &value);
	return ear_vtype_pack(value, value >> 32 ? 64 : 32);
}

static inline bool scan_csr(struct ear_whisper_scan *scan, struct ear_record_register *reg)
{
	const char *at = scan->at;
	unsigned number = 0, digit, count;

	while ((digit = (unsigned)(unsigned char)*at - '0') <= 9 && number <= 4095) {
		number = number * 10 + digit;
		at++;
	}
	if (at == scan->at || *at++ != '=' || number > 4095)
		return false;
	count = ear_hex_scan(at, &reg->value);
	reg->reg_class = EAR_REGISTER_CSR;
	reg->size = 0;
	reg->number = (uint16_t)number;
	reg->text_size = 0;
	scan->at = at + count;
	scan->wide |= reg->value;
	if (number == 2)
		scan->frm_after = reg->value & 7;
	if (number == 3)
		scan->frm_after = reg->value >> 5 & 7;
	if (number == EAR_CSR_VTYPE) {
		scan->vtype_after = ear_vtype_pack(reg->value, reg->value >> 32 ? 64 : 32);
		scan->effects |= EAR_WHISPER_SETS_VTYPE;
	}
	return count > 0;
}

static inline bool scan_tag(struct ear_whisper_scan *scan, const char *tag, uint64_t *value)
{
	unsigned count;

	if (scan->at[0] != tag[0] || scan->at[1] != tag[1])
		return false;
	count = ear_hex_scan(scan->at + 2, value);
	scan->at += 2 + count;
	return count > 0;
}

/* One entry of the list that is not an x register, which is the common case. Returns the count of
 * registers added, or less than 0.
 */
static inline int scan_other(struct ear_whisper_scan *scan, struct ear_record_register *reg)
{
	uint64_t value;

	switch (*scan->at++) {
	case 'p':
		scan->effects |= EAR_WHISPER_JUMPS;
		if (!scan_tag(scan, "c=", &scan->target))
			return -1;
		scan->wide |= scan->target;
		return 0;
	case 'c': return scan_csr(scan, reg) ? 1 : -1;
	case 'f':
		if (*scan->at != 'f')
			return scan_register(scan, reg, EAR_REGISTER_F) ? 1 : -1;
		if (!scan_tag(scan, "f=", &value) || value > 31)
			return -1;
		scan->fflags = (uint8_t)value;
		return 0;
	default: return -1;
	}
}

/* The column of modified registers, which are put into room for EAR_WHISPER_LINE_COUNT_MIN. */
static inline bool scan_registers(
	struct ear_whisper_scan *scan, struct ear_record_register *registers)
{
	struct ear_record_register *reg = registers;

	scan->register_count = 0;
	scan->effects = scan->vtype_after = 0;
	scan->fflags = 0;
	if (*scan->at == ',') {
		scan->at++;
		return true;
	}
	for (;;) {
		if (reg == registers + EAR_WHISPER_LINE_COUNT_MIN)
			return false;
		if (*scan->at == 'x') {
			scan->at++;
			if (!scan_register(scan, reg, EAR_REGISTER_X) || reg->number == 0)
				return false;
			scan->wide |= reg->value;
			reg++;
		} else {
			int added = scan_other(scan, reg);
			if (added < 0)
				return false;
			reg += added;
		}
		if (*scan->at++ != ';')
			break;
	}
	scan->register_count = (size_t)(reg - registers);
	return scan->at[-1] == ',';
}

/* One access, or an AMO's two. Lists of them, as of vectors, are not for here. access: what the
 * opcode says of it, size and direction, the rest 0.
 */
static inline bool scan_memory(struct ear_whisper_scan *scan, struct ear_record_access *memory,
	const struct ear_record_access *access, bool amo)
{
	const char *at = scan->at;
	unsigned count;

	scan->memory_count = 0;
	if (*at == ',') {
		scan->at++;
		return true;
	}
	*memory = *access;
	count = ear_hex_scan(at, &memory->address);
	at += count;
	if (count == 0)
		return false;
	scan->wide |= memory->address;
	scan->memory_count = 1;
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
			scan->memory_count = 2;
		}
		count = ear_hex_scan(++at, &memory->value);
		at += count;
		memory->write = true;
		memory->has_value = true;
		if (count == 0)
			return false;
	}
	scan->at = at + 1;
	return *at == ',' && (!amo || memory->has_value);
}

static inline bool scan_privilege(struct ear_whisper_scan *scan)
{
	scan->privilege = ear_whisper_privileges[(unsigned char)scan->at[0]];
	scan->at += 2;
	return scan->privilege-- != 0 && scan->at[-1] == ',';
}

static inline bool scan_trap(struct ear_whisper_scan *scan)
{
	unsigned count;

	scan->trapped = false;
	scan->cause = 0;
	if (*scan->at == ',') {
		scan->at++;
		return true;
	}
	scan->trapped = true;
	count = ear_hex_scan(scan->at, &scan->cause);
	scan->wide |= scan->cause;
	scan->at += count + 1;
	return count > 0 && scan->at[-1] == ',';
}

static inline bool scan_info(struct ear_whisper_scan *scan, const struct ear_whisper_entry *entry)
{
	bool taken = scan->effects & EAR_WHISPER_JUMPS && !scan->trapped;
	unsigned size = entry->info_size[taken] + 1u;
	const char *info = entry->info[taken];

	/* Up to two characters and the comma; the comma ends the comparison. */
	if (scan->at[0] != info[0] || (size > 1 && scan->at[1] != info[1]) ||
		(size > 2 && scan->at[2] != info[2]) || (size > 3 && scan->at[3] != info[3]))
		return false;
	scan->at += size;
	return true;
}

/* The end of the line: hart, empty page walks, line end. columns: of the layout. */
static inline bool scan_end(struct ear_whisper_scan *scan, size_t columns)
{
	uint64_t hart = 0;

	if (columns > 9) {
		unsigned count;
		if (*scan->at != ',')
			return false;
		count = ear_hex_scan(scan->at + 1, &hart);
		scan->at += 1 + count;
		if (count - 1 > 3)
			return false;
	}
	scan->hart = (unsigned)hart;
	if (columns == 12) {
		if (scan->at[0] != ',' || scan->at[1] != ',')
			return false;
		scan->at += 2;
	}
	if (*scan->at == '\r')
		scan->at++;
	return *scan->at++ == '\n';
}

#endif
