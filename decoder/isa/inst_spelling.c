/* The spellings of the tools: inst_whisper.def and inst_spike.def as arrays.
 *
 * Each file is read several times, once for each sort of row, with the macros of the other sorts
 * empty: so a file can keep together what belongs together, and every look-up is an index.
 */
#include "decoder/isa/inst_table.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Aliases. Row 0 has no text, so that a tool without aliases has an array. */
#define SYNTAX(...)
#define NAME(...)
#define SOURCES(...)
#define LOOSE(...)
#define STRICT(...)
#define ALIAS(inst, care, bits, template) \
	{.mask = (care), .match = (bits), .id = EAR_INST_##inst, .text = (template)},

static const struct ear_inst_alias whisper_aliases[] = {
	{.text = NULL},
#include "decoder/isa/inst_whisper.def"
};

static const struct ear_inst_alias spike_aliases[] = {
	{.text = NULL},
#include "decoder/isa/inst_spike.def"
};

#undef ALIAS
#define ALIAS(...)
#undef LOOSE
#define LOOSE(inst, care, bits) {.mask = (care), .match = (bits), .id = EAR_INST_##inst},

const struct ear_inst_alias ear_inst_whisper_loose[] = {
#include "decoder/isa/inst_whisper.def"
	{.id = EAR_INST_ILLEGAL},
};

#undef LOOSE
#define LOOSE(...)
#undef STRICT
#define STRICT(inst) EAR_INST_##inst,

const uint16_t ear_inst_whisper_strict[] = {
#include "decoder/isa/inst_whisper.def"
	EAR_INST_ILLEGAL,
};

#undef STRICT
#define STRICT(...)
#undef SYNTAX
#undef NAME
#undef SOURCES

/* All else is indexed by the format or the id. */
#define SYNTAX(layout, template) .syntax[FORMAT_##layout] = (template),
#define NAME(inst, name)         .names[EAR_INST_##inst] = (name),
#define SOURCES(inst, template)  .sources[EAR_INST_##inst] = (template),

const struct ear_inst_spelling ear_inst_spellings[EAR_INST_STYLE_COUNT] = {
	[EAR_INST_WHISPER] =
		{
#include "decoder/isa/inst_whisper.def"
			.aliases = whisper_aliases + 1,
			.alias_count = COUNT_OF(whisper_aliases) - 1,
		},
	[EAR_INST_SPIKE] =
		{
#include "decoder/isa/inst_spike.def"
			.aliases = spike_aliases + 1,
			.alias_count = COUNT_OF(spike_aliases) - 1,
		},
	[EAR_INST_SPIKE_BASE] =
		{
#include "decoder/isa/inst_spike.def"
		},
};

const char *ear_inst_abi_name(bool is_float, unsigned number)
{
	static const char *const x_names[32] = {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2",
		"s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5",
		"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
	static const char *const f_names[32] = {"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6",
		"ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs2",
		"fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9",
		"ft10", "ft11"};

	return is_float ? f_names[number] : x_names[number];
}
