/* Names of RISC-V registers, CSRs and traps as simulators spell them.
 *
 * Integer registers have ABI names and numbers, CSRs names, numbers or both ("c768_mstatus"), and
 * each simulator has its own words for causes. The tables are short, so they are searched from the
 * front.
 */
#include "formats/text/riscv_name.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "formats/text/text_put.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Volume II, "Machine Cause Register": the number is the index. */
static const char *const spike_causes[] = {
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
	[18] = "trap_software_check",
	[20] = "trap_instruction_guest_page_fault",
	[21] = "trap_load_guest_page_fault",
	[22] = "trap_virtual_instruction",
	[23] = "trap_store_guest_page_fault",
};

struct name {
	const char *text;
	int number;
};

/* Two generations of the model; older ones say the number. */
static const struct name sail_causes[] = {
	{"misaligned-fetch", 0},
	{"fetch-access-fault", 1},
	{"illegal-instruction", 2},
	{"breakpoint", 3},
	{"software-breakpoint", 3},
	{"hardware-breakpoint", 3},
	{"misaligned-load", 4},
	{"load-access-fault", 5},
	{"misaligned-store/amo", 6},
	{"store/amo-access-fault", 7},
	{"u-call", 8},
	{"s-call", 9},
	{"vs-call", 10},
	{"m-call", 11},
	{"fetch-page-fault", 12},
	{"load-page-fault", 13},
	{"store/amo-page-fault", 15},
	{"software-check-fault", 18},
	{"software-check-exception", 18},
	{"fetch-guest-page-fault", 20},
	{"load-guest-page-fault", 21},
	{"virtual-instruction", 22},
	{"store/amo-guest-page-fault", 23},
};

static const struct name sail_interrupts[] = {
	{"supervisor-software-interrupt", 1},
	{"virtual-supervisor-software-interrupt", 2},
	{"machine-software-interrupt", 3},
	{"supervisor-timer-interrupt", 5},
	{"virtual-supervisor-timer-interrupt", 6},
	{"machine-timer-interrupt", 7},
	{"supervisor-external-interrupt", 9},
	{"virtual-supervisor-external-interrupt", 10},
	{"machine-external-interrupt", 11},
};

const char *ear_riscv_abi_name(enum ear_register_class reg_class, unsigned number)
{
	return ear_inst_abi_name(reg_class == EAR_REGISTER_F, number & 31);
}

/* "5" or "31" after the letter, and nothing else. */
static bool find_number(struct ear_text digits, unsigned limit, uint16_t *number)
{
	struct ear_text_cursor cursor = ear_text_cursor(digits.text, digits.size);
	uint64_t value;

	if (!ear_text_decimal(&cursor, &value) || !ear_text_at_end(&cursor) || value >= limit)
		return false;
	*number = (uint16_t)value;
	return true;
}

bool ear_riscv_find_register(
	struct ear_text name, enum ear_register_class *reg_class, uint16_t *number)
{
	if (name.size < 2)
		return false;
	struct ear_text rest = {name.text + 1, name.size - 1};

	switch (name.text[0]) {
	case 'x': *reg_class = EAR_REGISTER_X; return find_number(rest, 32, number);
	case 'v': *reg_class = EAR_REGISTER_V; return find_number(rest, 32, number);
	case 'f':
		*reg_class = EAR_REGISTER_F;
		if (find_number(rest, 32, number))
			return true;
		break;
	default: break;
	}
	for (unsigned i = 0; i < 32; i++) {
		bool integer = ear_text_is(name, ear_inst_abi_name(false, i));
		if (integer || ear_text_is(name, ear_inst_abi_name(true, i))) {
			*reg_class = integer ? EAR_REGISTER_X : EAR_REGISTER_F;
			*number = (uint16_t)i;
			return true;
		}
	}
	*reg_class = EAR_REGISTER_X;
	*number = 8;
	return ear_text_is(name, "fp");
}

/* "c768", perhaps with "_mstatus" after, or "0x300". */
static bool find_csr_number(struct ear_text name, uint16_t *number)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t value;

	if (ear_text_0x(&cursor, &value))
		;
	else if (!ear_text_take(&cursor, 'c') || !ear_text_decimal(&cursor, &value))
		return false;
	if ((!ear_text_at_end(&cursor) && ear_text_peek(&cursor) != '_') || value >= EAR_CSR_COUNT)
		return false;
	*number = (uint16_t)value;
	return true;
}

bool ear_riscv_find_csr(struct ear_text name, uint16_t *number)
{
	if (find_csr_number(name, number))
		return true;
	for (unsigned i = 0; i < EAR_CSR_COUNT; i++) {
		const char *known = ear_csr_name(i);
		if (known && ear_text_is(name, known)) {
			*number = (uint16_t)i;
			return true;
		}
	}
	return false;
}

static int find_name(const struct name *names, size_t count, struct ear_text text)
{
	for (size_t i = 0; i < count; i++)
		if (ear_text_is(text, names[i].text))
			return names[i].number;
	return -1;
}

int ear_riscv_find_spike_cause(struct ear_text name)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t number;

	for (unsigned i = 0; i < COUNT_OF(spike_causes); i++)
		if (spike_causes[i] && ear_text_is(name, spike_causes[i]))
			return (int)i;
	if (ear_text_take_word(&cursor, "trap #") && ear_text_decimal(&cursor, &number) &&
		ear_text_at_end(&cursor) && number < 256)
		return (int)number;
	return -1;
}

int ear_riscv_find_sail_cause(struct ear_text name)
{
	return find_name(sail_causes, COUNT_OF(sail_causes), name);
}

int ear_riscv_find_sail_interrupt(struct ear_text name)
{
	return find_name(sail_interrupts, COUNT_OF(sail_interrupts), name);
}

const char *ear_riscv_spike_cause(uint64_t cause)
{
	return cause < COUNT_OF(spike_causes) ? spike_causes[cause] : NULL;
}

bool ear_riscv_is_fetch_cause(uint64_t cause)
{
	return cause == 1 || cause == 12 || cause == 20;
}

/* "x5" or "f5" to its ABI name; anything else stays. */
static char *put_register(char *at, struct ear_text name)
{
	enum ear_register_class reg_class;
	uint16_t number;

	if ((name.text[0] == 'x' || name.text[0] == 'f') &&
		ear_riscv_find_register(name, &reg_class, &number))
		return ear_put_word(at, ear_riscv_abi_name(reg_class, number));
	return ear_put_bytes(at, name.text, name.size);
}

/* A number of Whisper's disassembly, "-0x5c" or "12", in decimal. Not a number: false. */
static bool put_decimal(char **at, struct ear_text number)
{
	struct ear_text_cursor cursor = ear_text_cursor(number.text, number.size);
	bool negative = ear_text_take(&cursor, '-');
	uint64_t value;

	if (!ear_text_0x(&cursor, &value) && !ear_text_decimal(&cursor, &value))
		return false;
	if (!ear_text_at_end(&cursor))
		return false;
	if (negative)
		*(*at)++ = '-';
	*at = ear_put_decimal(*at, value);
	return true;
}

/* "0x8(x2)", "(x15)" or ". + 0x5c" or a register or a number. */
static char *put_operand(char *at, struct ear_text operand, bool jump)
{
	struct ear_text_cursor cursor = ear_text_cursor(operand.text, operand.size);

	if (ear_text_take_word(&cursor, ". ") && cursor.end - cursor.at > 2) {
		struct ear_text number = {cursor.at + 2, (size_t)(cursor.end - cursor.at) - 2};
		at = ear_put_word(at, "pc ");
		at = ear_put_bytes(at, cursor.at, 2);
		if (jump || !put_decimal(&at, number))
			at = ear_put_bytes(at, number.text, number.size);
		return at;
	}
	struct ear_text offset = ear_text_until(&cursor, '(');
	if (!ear_text_take(&cursor, '('))
		return put_register(at, operand);
	if (offset.size > 0 && !put_decimal(&at, offset))
		at = ear_put_bytes(at, offset.text, offset.size);
	*at++ = '(';
	at = put_register(at, ear_text_until(&cursor, ')'));
	*at++ = ')';
	return at;
}

size_t ear_riscv_abi_text(char *text, const struct ear_inst *inst)
{
	int known = ear_inst_text(text, EAR_INST_TEXT_SIZE, inst, EAR_INST_SPIKE);

	if (known > 0)
		return (size_t)known;
	char whisper[EAR_INST_TEXT_SIZE];
	int size = ear_inst_disassemble(whisper, sizeof(whisper), inst);
	struct ear_text_cursor cursor = ear_text_cursor(whisper, (size_t)size);
	struct ear_text name = ear_text_until(&cursor, ' ');
	char *at = ear_put_bytes(text, name.text, name.size);

	ear_text_skip_blanks(&cursor);
	for (bool first = true; !ear_text_at_end(&cursor); first = false) {
		struct ear_text operand = ear_text_until(&cursor, ',');
		if (ear_text_take(&cursor, ','))
			ear_text_skip_blanks(&cursor);
		if (ear_text_is(operand, "dyn") || operand.size == 0)
			continue;
		if (first)
			do
				*at++ = ' ';
			while (at < text + 8);
		else
			at = ear_put_word(at, ", ");
		at = put_operand(at, operand, inst->kind == EAR_KIND_JUMP);
	}
	*at = '\0';
	return (size_t)(at - text);
}
