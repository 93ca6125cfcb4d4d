/* What came of a rule: counted, and handed to the caller as a sentence. */
#include "library/check/check_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decoder/isa/inst.h"

const char *check_mnemonic(const struct ear_checker *checker, char *text, size_t size)
{
	const struct ear_record *record = checker->record;
	char whole[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen == 64 ? 64 : 32);
	ear_inst_disassemble(whole, sizeof(whole), &inst);
	size_t length = strcspn(whole, " ");
	snprintf(text, size, "%.*s", (int)(length < size ? length : size - 1), whole);
	return text;
}

void check_violate(struct ear_checker *checker, enum ear_check_rule rule, uint64_t expected,
	uint64_t actual, const char *format, ...)
{
	struct ear_violation violation = {
		.position = checker->position,
		.number = checker->number,
		.record = checker->source,
		.rule = rule,
		.expected = expected,
		.actual = actual,
	};
	va_list arguments;

	checker->counts.rules[rule].checked++;
	checker->counts.rules[rule].violations++;
	if (!checker->options.found || checker->result || !(checker->options.rules >> rule & 1))
		return;
	va_start(arguments, format);
	vsnprintf(violation.text, sizeof(violation.text), format, arguments);
	va_end(arguments);
	checker->result = checker->options.found(checker->options.context, &violation);
}

void check_equal(struct ear_checker *checker, enum ear_check_rule rule, uint64_t expected,
	uint64_t shown, const char *what)
{
	char name[32];

	if (expected == shown)
		check_pass(checker, rule);
	else
		check_violate(checker, rule, expected, shown,
			"%s of %s is 0x%" PRIx64 ", not 0x%" PRIx64, what,
			check_mnemonic(checker, name, sizeof(name)), shown, expected);
}

const struct ear_record_register *check_written(
	const struct ear_record *record, unsigned reg_class, int number)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == reg_class && (number < 0 || reg->number == number))
			return reg;
	}
	return NULL;
}
