/* Names of RISC-V registers, CSRs and traps as simulators spell them.
 *
 * Integer registers have ABI names and numbers, CSRs names, numbers or both ("c768_mstatus"), and
 * each simulator has its own words for causes. The tables are short, so they are searched from the
 * front.
 */
#include "decoder/text/riscv_name.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/text/text_put.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

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
		const char *whispers = ear_csr_name(i);
		const char *known = whispers ? whispers : ear_csr_spike_name(i);
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

int ear_riscv_find_sail_cause(struct ear_text name)
{
	return find_name(sail_causes, COUNT_OF(sail_causes), name);
}

int ear_riscv_find_sail_interrupt(struct ear_text name)
{
	return find_name(sail_interrupts, COUNT_OF(sail_interrupts), name);
}

bool ear_riscv_is_fetch_cause(uint64_t cause)
{
	return cause == 1 || cause == 12 || cause == 20;
}
