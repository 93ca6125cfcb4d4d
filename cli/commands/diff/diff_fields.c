/* The set of fields to compare: what was asked for, less what a side cannot carry. */
#include "cli/commands/diff/diff_fields.h"

#include <string.h>

#include "cli/base/cli.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"

/* A set of fields by their names. Returns false if one is unknown, after printing. */
static bool parse_fields(unsigned *fields, const struct command_option *option, const char *text)
{
	*fields = 0;
	while (*text) {
		size_t size = strcspn(text, ",");
		unsigned field = ear_compare_field_find(text, size);
		if (!field) {
			cli_error("--%s: there is no field '%.*s'", option->name, (int)size, text);
			return false;
		}
		*fields |= field;
		text += size;
		text += *text == ',';
	}
	if (*fields == 0)
		cli_error("--%s: which fields?", option->name);
	return *fields != 0;
}

bool diff_take_only(void *value, const struct command_option *option, const char *argument)
{
	struct diff *diff = value;

	diff->only_given = true;
	return parse_fields(&diff->options.fields, option, argument);
}

bool diff_take_ignored(void *value, const struct command_option *option, const char *argument)
{
	unsigned fields;

	if (!parse_fields(&fields, option, argument))
		return false;
	*(unsigned *)value &= ~fields;
	return true;
}

/* Fields that records show when they have something of them. */
#define SHOWN \
	(EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_FFLAGS | EAR_COMPARE_CSR | EAR_COMPARE_V | \
		EAR_COMPARE_PHYSICAL | EAR_COMPARE_MASKED)

uint64_t diff_carried(const struct diff *diff, unsigned side)
{
	struct ear_source *source = diff->inputs[side].source;
	const char *name = ear_source_format(source);
	const struct ear_writer_format *format = ear_writer_find(name);
	const struct ear_reader_format *reader = ear_reader_find(name);
	uint64_t carried = format ? format->fields : reader ? reader->fields : 0;

	return (carried ? carried : EAR_FIELDS_ALL) & ear_source_carried(source);
}

/* The side as the rules of equivalence see it. */
static struct ear_equivalence_side describe_side(const struct diff *diff, unsigned side)
{
	struct ear_source *source = diff->inputs[side].source;
	const struct ear_decoder_statistics *statistics = ear_source_statistics(source);
	bool unit = statistics && statistics->unit_known;

	return (struct ear_equivalence_side){
		.format = statistics ? "capture" : ear_source_format(source),
		.carried = diff_carried(diff, side) | diff->inferred[side],
		.csr_slots = unit ? statistics->unit.csr_slots : 0,
	};
}

/* Fields that are compared although a side does not carry them: its format brings a rule by which
 * they show in another one. */
static unsigned shown_otherwise(const struct ear_equivalence *equivalence)
{
	uint32_t flags = EAR_RULE_BIT(EAR_RULE_FLAGS_AS_CSR) | EAR_RULE_BIT(EAR_RULE_FLAGS_CHANGED);

	return equivalence->rules & flags ? EAR_COMPARE_FFLAGS : 0;
}

void diff_leave_out_fields(struct diff *diff)
{
	struct ear_equivalence_side sides[2] = {describe_side(diff, 0), describe_side(diff, 1)};

	ear_equivalence_init(&diff->equivalence, sides);
	diff->options.equivalence =
		diff->equivalence.rules && !diff->only_given ? &diff->equivalence : NULL;
	for (int i = 0; i < 2 && !diff->only_given; i++) {
		bool text = strcmp(sides[i].format, "capture") != 0;
		unsigned can = ear_compare_fields_of(sides[i].carried);
		unsigned lost = diff->options.fields & ~can & ~shown_otherwise(&diff->equivalence);
		unsigned watched = lost & (text ? EAR_COMPARE_MASKED | EAR_COMPARE_SIZE : SHOWN);
		diff->watched |= watched;
		diff->left_out |= lost & ~watched;
		diff->options.fields &= ~lost;
	}
}
