/* Names of rules and reasons. */
#include <stddef.h>
#include <string.h>

#include <earshot/check.h>
#include <earshot/error.h>

static const char *const rules[EAR_CHECK_RULES] = {
	[EAR_CHECK_ORDER] = "order",
	[EAR_CHECK_FLOW] = "flow",
	[EAR_CHECK_OPERAND] = "operand",
	[EAR_CHECK_RESULT] = "result",
	[EAR_CHECK_NEXT_PC] = "next-pc",
	[EAR_CHECK_ACCESS] = "access",
	[EAR_CHECK_STORED] = "stored",
	[EAR_CHECK_LOADED] = "loaded",
	[EAR_CHECK_TRAP] = "trap",
	[EAR_CHECK_RETURN] = "return",
	[EAR_CHECK_CSR] = "csr",
	[EAR_CHECK_INTERRUPT] = "interrupt",
	[EAR_CHECK_PMP] = "pmp",
};

static const char *const reasons[EAR_CHECK_REASONS] = {
	[EAR_CHECK_ABSENT] = "absent",
	[EAR_CHECK_UNKNOWN] = "unknown",
	[EAR_CHECK_EXTENSION] = "extension",
	[EAR_CHECK_CHANGES] = "changes",
};

const char *ear_check_rule_name(unsigned rule)
{
	return rule < EAR_CHECK_RULES ? rules[rule] : NULL;
}

const char *ear_check_reason_name(unsigned reason)
{
	return reason < EAR_CHECK_REASONS ? reasons[reason] : NULL;
}

int ear_check_rule_find(const char *name)
{
	for (int rule = 0; rule < EAR_CHECK_RULES; rule++)
		if (strcmp(name, rules[rule]) == 0)
			return rule;
	return EAR_E_BAD_ARGUMENT;
}
