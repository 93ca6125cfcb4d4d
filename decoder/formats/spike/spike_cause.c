/* Causes of exceptions in Spike's words.
 *
 * Volume II, "Machine Cause Register": the number is the index, and the table is short.
 */
#include "decoder/formats/spike/spike_cause.h"

#include <stddef.h>

#include "decoder/text/text_cursor.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(cause)      (1u << (cause))

static const char *const names[] = {
	[0] = "trap_instruction_address_misaligned",
	[1] = "trap_instruction_access_fault",
	[2] = "trap_illegal_instruction",
	[3] = "trap_breakpoint",
	[4] = "trap_load_address_misaligned",
	[5] = "trap_load_access_fault",
	[6] = "trap_store_address_misaligned",
	[7] = "trap_store_access_fault",
	[8] = "trap_user_ecall",
	[9] = "trap_supervisor_ecall",
	[10] = "trap_virtual_supervisor_ecall",
	[11] = "trap_machine_ecall",
	[12] = "trap_instruction_page_fault",
	[13] = "trap_load_page_fault",
	[15] = "trap_store_page_fault",
	[16] = "trap_double_trap",
	[18] = "trap_software_check",
	[20] = "trap_instruction_guest_page_fault",
	[21] = "trap_load_guest_page_fault",
	[22] = "trap_virtual_instruction",
	[23] = "trap_store_guest_page_fault",
};

int ear_spike_find_cause(struct ear_text name)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t number;

	for (unsigned i = 0; i < COUNT_OF(names); i++)
		if (names[i] && ear_text_is(name, names[i]))
			return (int)i;
	if (ear_text_take_word(&cursor, "trap #") && ear_text_decimal(&cursor, &number) &&
		ear_text_at_end(&cursor) && number < 256)
		return (int)number;
	return -1;
}

int ear_spike_find_cva6_cause(struct ear_text name)
{
	static const char *const cva6[] = {
		"INSTR_ADDR_MISALIGNED",
		"INSTR_ACCESS_FAULT",
		"ILLEGAL_INSTR",
		"BREAKPOINT",
		"LD_ADDR_MISALIGNED",
		"LD_ACCESS_FAULT",
		"ST_ADDR_MISALIGNED",
		"ST_ACCESS_FAULT",
		"ENV_CALL_UMODE",
		"ENV_CALL_SMODE",
		NULL,
		"ENV_CALL_MMODE",
		"INSTR_PAGE_FAULT",
		"LOAD_PAGE_FAULT",
		NULL,
		"STORE_PAGE_FAULT",
	};

	for (unsigned i = 0; i < COUNT_OF(cva6); i++)
		if (cva6[i] && ear_text_is(name, cva6[i]))
			return (int)i;
	return -1;
}

const char *ear_spike_cause(uint64_t cause)
{
	return cause < COUNT_OF(names) ? names[cause] : NULL;
}

bool ear_spike_cause_has_value(uint64_t cause)
{
	/* Calls and a double trap have none, nor has what Spike has no name for. */
	const uint32_t without = BIT(8) | BIT(9) | BIT(10) | BIT(11) | BIT(16);

	return ear_spike_cause(cause) && !(without >> cause & 1);
}

bool ear_spike_is_data_cause(uint64_t cause)
{
	const uint32_t data =
		BIT(4) | BIT(5) | BIT(6) | BIT(7) | BIT(13) | BIT(15) | BIT(21) | BIT(23);

	return cause < 32 && data >> cause & 1;
}

bool ear_spike_take_cause(struct ear_record *record, struct ear_text name)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t number;

	if (ear_text_is(name, EAR_SPIKE_INTERRUPT_UNKNOWN)) {
		record->flags |= EAR_RECORD_INTERRUPT | EAR_RECORD_NO_CAUSE;
		return true;
	}
	if (ear_text_take_word(&cursor, "interrupt #")) {
		if (!ear_text_decimal(&cursor, &number) || number > 255)
			return false;
		record->flags |= EAR_RECORD_INTERRUPT;
		record->cause = (uint64_t)1 << (record->xlen - 1) | number;
		return true;
	}
	int cause = ear_spike_find_cause(name);
	record->flags |= EAR_RECORD_TRAP | (cause < 0 ? EAR_RECORD_NO_CAUSE : 0);
	record->cause = cause < 0 ? 0 : (uint64_t)cause;
	return true;
}

bool ear_spike_take_pairs(
	struct ear_text_cursor *cursor, uint64_t *epc, size_t *digits, uint64_t *value, bool *has)
{
	*digits = 0;
	while (ear_text_take_word(cursor, ", ")) {
		struct ear_text name = ear_text_until(cursor, ' ');
		uint64_t number;
		if (!ear_text_skip_blanks(cursor))
			return false;
		size_t width = ear_text_0x(cursor, &number);
		if (width == 0)
			return false;
		if (ear_text_is(name, "epc") || ear_text_is(name, "mepc")) {
			*epc = number;
			*digits = width;
		} else if (ear_text_is(name, "tval")) {
			*value = number;
			*has = true;
		}
	}
	return *digits > 0;
}
