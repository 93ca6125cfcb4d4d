/* What of two records differs, in words and values: "x15", "the address accessed", "0x80001040".
 * Names of CSRs and instructions come from the table of instructions, unless the trace has its own.
 */
#include "cli/commands/diff/diff_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"
#include "decoder/isa/inst.h"

const char *diff_register_name(
	const struct ear_record_difference *difference, char *text, size_t size)
{
	static const char letters[] = {'x', 'f', 'c', 'v'};
	const char *csr =
		difference->reg_class == EAR_REGISTER_CSR ? ear_csr_name(difference->number) : NULL;

	if (difference->reg_class == EAR_REGISTER_NAMED) { /* by the trace, with any letters */
		size_t used;
		text[ear_printable_copy(text, size - 1, &used, difference->name.text,
			difference->name.size, EAR_PRINTABLE_LINE, true)] = '\0';
	} else if (csr)
		snprintf(text, size, "%s", csr);
	else
		snprintf(text, size, "%c%u", letters[difference->reg_class], difference->number);
	return text;
}

const char *diff_subject(const struct ear_record_difference *difference, char *text, size_t size)
{
	switch (difference->field) {
	case EAR_COMPARE_X:
	case EAR_COMPARE_F:
	case EAR_COMPARE_CSR:
	case EAR_COMPARE_V:
	case EAR_COMPARE_NAMED: return diff_register_name(difference, text, size);
	case EAR_COMPARE_HART: return "the hart";
	case EAR_COMPARE_PC: return "the pc";
	case EAR_COMPARE_OPCODE: return "the opcode";
	case EAR_COMPARE_PRIVILEGE: return "the privilege";
	case EAR_COMPARE_TRAP: return "the trap cause";
	case EAR_COMPARE_TARGET: return "the branch target";
	case EAR_COMPARE_FFLAGS: return "fflags";
	case EAR_COMPARE_ADDRESS: return "the address accessed";
	case EAR_COMPARE_PHYSICAL: return "the physical address";
	case EAR_COMPARE_TIME: return "the time";
	case EAR_COMPARE_MASKED:
		snprintf(text, size, "the element at address 0x%" PRIx64, difference->address);
		return text;
	case EAR_COMPARE_VALUE:
		snprintf(text, size, "the value at address 0x%" PRIx64, difference->address);
		return text;
	case EAR_COMPARE_SIZE:
		snprintf(text, size, "the size of the access at address 0x%" PRIx64,
			difference->address);
		return text;
	default: return "something";
	}
}

static void print_digit(unsigned digit, bool unknown)
{
	putchar(unknown ? 'x' : "0123456789abcdef"[digit & 15]);
}

/* A digit of which a bit is unknown is an x. */
static void print_bytes(const uint8_t *bytes, const uint8_t *unknown, size_t size)
{
	printf("0x");
	while (size-- > 0) {
		uint8_t mask = unknown ? unknown[size] : 0;
		print_digit(bytes[size] >> 4, mask & 0xF0);
		print_digit(bytes[size], mask & 0x0F);
	}
}

void diff_print_number(const struct ear_record_difference *difference, unsigned side)
{
	uint64_t value = side ? difference->value_b : difference->value_a;
	uint64_t unknown = side ? difference->unknown_b : difference->unknown_a;
	const uint8_t *bytes = side ? difference->bytes_b : difference->bytes_a;
	unsigned digits = 16;

	if (bytes) {
		print_bytes(bytes, side ? difference->unknown_bytes_b : difference->unknown_bytes_a,
			side ? difference->size_b : difference->size_a);
		return;
	}
	while (digits > 1 && (value | unknown) >> 4 * (digits - 1) == 0)
		digits--;
	printf("0x");
	while (digits-- > 0)
		print_digit((unsigned)(value >> 4 * digits), unknown >> 4 * digits & 15);
}

void diff_print_value(const struct ear_record_difference *difference, unsigned side)
{
	static const char *const modes[] = {"U", "S", "reserved", "M", "VU", "VS", "debug"};
	bool has = side ? difference->has_b : difference->has_a;
	uint64_t value = side ? difference->value_b : difference->value_a;

	if (!has && difference->field == EAR_COMPARE_TARGET)
		printf("not taken");
	else if (!has)
		printf(difference->field == EAR_COMPARE_TRAP ? "none" : "not there");
	else if (difference->field == EAR_COMPARE_PRIVILEGE && value < 7)
		printf("%s", modes[value]);
	else if (difference->field == EAR_COMPARE_MASKED)
		printf(value ? "masked" : "not masked");
	else
		diff_print_number(difference, side);
}

/* What the instruction is: as a source says, else by the instruction table. Of an opcode that is
 * not in the table only the manual's illegal ones are called so: all bits 0, or 1.
 */
const char *diff_instruction(
	const struct ear_record *a, const struct ear_record *b, char *text, size_t size)
{
	const struct ear_record *records[] = {a, b};
	struct ear_inst inst;

	*text = '\0';
	if (a->isa != EAR_ISA_RISCV || a->flags & EAR_RECORD_NO_OPCODE)
		return text;
	ear_inst_decode(&inst, (uint32_t)a->opcode, a->xlen == 64 ? 64 : 32);
	ear_inst_disassemble(text, size, &inst);
	if (inst.kind == EAR_KIND_ILLEGAL && inst.opcode != 0 && inst.opcode != UINT32_MAX)
		snprintf(text, size, "unknown");
	for (unsigned i = 0; i < 2; i++) {
		const struct ear_record_extra *extra = records[i]->extra;
		if (records[i]->opcode != a->opcode || !extra || extra->disassembly.size == 0)
			continue;
		snprintf(text, size, "%.*s", (int)extra->disassembly.size, extra->disassembly.text);
		break;
	}
	for (size_t i = strlen(text); i > 0 && text[i - 1] == ' '; i--)
		text[i - 1] = '\0';
	return text;
}
