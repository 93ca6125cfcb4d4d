#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare.h"
#include "analysis/compare_harts.h"
#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "cli/commands/cmd.h"
#include "cli/input/input.h"
#include "cli/input/source_input.h"
#include "cli/options/options.h"
#include "cli/show/record_text.h"
#include "common/error.h"
#include "common/plural.h"
#include "common/printable.h"
#include "decoder/isa/inst.h"
#include "formats/base/writer.h"
#include "formats/formats.h"

#define LOOK_EVERY 16384 /* records that are read */

struct diff {
	struct source_input inputs[2];
	struct ear_compare_options options;
	struct ear_compare_harts *harts;
	struct ear_compare *compare; /* of the hart that the event is about */
	unsigned jobs;
	uint64_t most; /* differences to tell */
	bool json, quiet;
	bool only_given;
	unsigned left_out; /* fields that a side cannot carry */
	unsigned watched; /* and those that count as such if the other side has something of them */

	struct record_text text; /* records are shown as Whisper lines */

	/* With threads: when to see whether they are needed, and what was done until then. */
	uint64_t next_look, read_before, skipped_before;

	uint64_t differences, gaps;
	uint64_t only[2];    /* records of each side without a counterpart */
	uint64_t in_gaps[2]; /* records of each side that met a gap */
	double last_progress;
};

enum {
	OPTION_FORMAT_A,
	OPTION_FORMAT_B,
	OPTION_MOST,
	OPTION_CONTEXT,
	OPTION_ONLY,
	OPTION_IGNORE,
	OPTION_UNKNOWN_EQUAL,
	OPTION_START,
	OPTION_FIRST_COMMON,
	OPTION_WINDOW,
	OPTION_RUN,
	OPTION_HART,
	OPTION_JSON,
	OPTION_XLEN,
	OPTION_STRICT,
	OPTION_MAX_BAD,
	OPTION_JOBS,
	OPTION_QUIET,
};

static const struct command_option table[] = {
	{"format-a", 'a', OPTION_FORMAT_A, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of A (default: detected from its contents)."},
	{"format-b", 'b', OPTION_FORMAT_B, "FORMAT", VALUES_READ_FORMATS,
		.text = "Format of B (default: detected from its contents)."},
	{"most", 'n', OPTION_MOST, "N", .text = "Report up to N differences (default 1), 0: all."},
	{"context", 'c', OPTION_CONTEXT, "N",
		.text = "Records to show before and after a difference (default 3)."},
	{"only", 0, OPTION_ONLY, "FIELDS",
		.text = "Compare only these fields, separated by commas.",
		.detail =
			"They are `hart`, `pc`, `opcode`, `privilege`, `trap`, `target`, `x`, `f`, "
			"`fflags`, `csr`, `v`, `named`, `address`, `value`, `physical`, `time` and `masked`."},
	{"ignore", 0, OPTION_IGNORE, "FIELDS",
		.text = "Compare all fields but these. Time is ignored unless --only names it."},
	{"unknown-equal", 0, OPTION_UNKNOWN_EQUAL,
		.text = "Values that are missing on one side are no difference."},
	{"start", 0, OPTION_START, "PC", .text = "Begin at this pc on both sides.",
		.detail = "If one side never reaches it, nothing can be compared."},
	{"first-common", 0, OPTION_FIRST_COMMON,
		.text = "Begin at the first instructions that both sides have (boot code may differ)."},
	{"window", 0, OPTION_WINDOW, "N",
		.text = "Records to look ahead for the place where the sides meet again (default 1000); 0: "
			"compare in lockstep."},
	{"run", 0, OPTION_RUN, "N",
		.text = "Instructions in a row that must match there (default 4)."},
	{"hart", 0, OPTION_HART, "N",
		.text = "Compare this hart only (default: each hart with the same hart of the other side, "
			"however they are interleaved)."},
	{"json", 0, OPTION_JSON, .text = "Print one JSON object per line."},
	{"xlen", 0, OPTION_XLEN, "N", VALUES_WORDS, "32 64",
		.text = "32 or 64, for texts (default: detected from their beginnings)."},
	{"strict", 0, OPTION_STRICT, .text = "Lines that cannot be read are errors."},
	{"max-bad", 0, OPTION_MAX_BAD, "LINES",
		.text = "Bad lines to skip before they are an error (default 100)."},
	{"jobs", 'j', OPTION_JOBS, "N",
		.text = "Threads to use (default 1): they compare the lines of uncompressed files. Once "
			"records differ, each side is read by one thread."},
	{"quiet", 'q', OPTION_QUIET, .text = "Print nothing; only the exit status."},
	{0},
};

/* Once records must be read, not only lines be compared, a side gets a thread of its own, or both
 * do: no more threads than jobs. */
static void consider_threads(struct diff *diff)
{
	uint64_t read = diff->inputs[0].record_count;

	diff->next_look = read + LOOK_EVERY;
	if (read - diff->read_before <
		ear_compare_harts_skipped(diff->harts) - diff->skipped_before) {
		diff->read_before = read;
		diff->skipped_before = ear_compare_harts_skipped(diff->harts);
		return;
	}
	for (unsigned i = 0; i < 2 && i + 1 < diff->jobs; i++)
		ear_source_set_jobs(diff->inputs[i].source, 2);
	diff->next_look = UINT64_MAX;
}

static void show_progress(struct diff *diff)
{
	if (!cli_progress_due(&diff->last_progress))
		return;
	cli_progress("comparing: %" PRIu64 " pairs, %" PRIu64 " differences",
		ear_compare_harts_pairs(diff->harts), diff->differences);
}

/* Now and then, however long the sides are the same: may it go on? */
static int look_up(struct diff *diff)
{
	if (cli_progress_wanted())
		show_progress(diff);
	if (!cli_interrupted)
		return 0;
	errno = EINTR;
	return EAR_E_IO;
}

static int next_record(void *context, unsigned side, const struct ear_record **record)
{
	struct diff *diff = context;

	if (diff->inputs[side].record_count % 4096 == 0 && look_up(diff) != 0)
		return EAR_E_IO;
	if (diff->inputs[0].record_count >= diff->next_look && side == 0)
		consider_threads(diff);
	int result = source_input_next(&diff->inputs[side], record);
	if (diff->watched && result > 0) {
		unsigned found = ear_compare_fields_in(*record) & diff->watched;
		diff->left_out |= found;
		diff->watched &= ~found;
	}
	return result;
}

static size_t skip_equal(void *context, struct ear_equal_lines *harts, size_t keep)
{
	struct diff *diff = context;

	look_up(diff); /* the record that is asked for next shows an interrupt */
	return ear_source_skip_equal(diff->inputs[0].source, diff->inputs[1].source, harts, keep);
}

static const char *register_name(
	const struct ear_record_difference *difference, char *text, size_t size)
{
	static const char letters[] = {'x', 'f', 'c', 'v'};
	const char *csr =
		difference->class == EAR_REGISTER_CSR ? ear_csr_name(difference->number) : NULL;

	if (difference->class == EAR_REGISTER_NAMED) { /* by the trace, with any letters */
		size_t used;
		text[ear_printable_copy(text, size - 1, &used, difference->name.text,
			difference->name.size, EAR_PRINTABLE_LINE, true)] = '\0';
	} else if (csr)
		snprintf(text, size, "%s", csr);
	else
		snprintf(text, size, "%c%u", letters[difference->class], difference->number);
	return text;
}

/* What the difference is about: "x15", "the address of the access", ... */
static const char *subject(const struct ear_record_difference *difference, char *text, size_t size)
{
	switch (difference->field) {
	case EAR_COMPARE_X:
	case EAR_COMPARE_F:
	case EAR_COMPARE_CSR:
	case EAR_COMPARE_V:
	case EAR_COMPARE_NAMED: return register_name(difference, text, size);
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
	default: return "something";
	}
}

/* The whole value of a vector register, or of another one of more than 8 bytes. */
static void print_bytes(const uint8_t *bytes, size_t size)
{
	printf("0x");
	while (size > 0)
		printf("%02x", bytes[--size]);
}

static void print_value(const struct ear_record_difference *difference, unsigned side)
{
	static const char *const modes[] = {"U", "S", "reserved", "M", "VU", "VS", "debug"};
	bool has = side ? difference->has_b : difference->has_a;
	uint64_t value = side ? difference->value_b : difference->value_a;
	const uint8_t *bytes = side ? difference->bytes_b : difference->bytes_a;

	if (!has && difference->field == EAR_COMPARE_TARGET)
		printf("not taken");
	else if (!has)
		printf(difference->field == EAR_COMPARE_TRAP ? "none" : "not there");
	else if (difference->field == EAR_COMPARE_PRIVILEGE && value < 7)
		printf("%s", modes[value]);
	else if (difference->field == EAR_COMPARE_MASKED)
		printf(value ? "masked" : "not masked");
	else if (bytes)
		print_bytes(bytes, side ? difference->size_b : difference->size_a);
	else
		printf("0x%" PRIx64, value);
}

/* What the instruction is: as a source says, else by the instruction table. Of an opcode that is
 * not in the table only the manual's illegal ones are called so: all bits 0, or 1.
 */
static const char *instruction_text(
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

static const struct ear_record *record_at(struct diff *diff, unsigned side, int position)
{
	return ear_compare_harts_record(diff->harts, side, position);
}

/* Records of a side that were passed; of the hart that the event is about if there are several. */
static uint64_t passed_count(const struct diff *diff, unsigned side)
{
	return ear_compare_count(diff->compare, side);
}

static void print_place(struct diff *diff, unsigned side, const struct ear_record *record)
{
	char place[64], hart[32] = "";

	ear_source_place(diff->inputs[side].source, record, place, sizeof(place));
	if (ear_compare_harts_many(diff->harts))
		snprintf(hart, sizeof(hart), " of hart %u", record->hart);
	printf("  %c: %s, record %" PRIu64 "%s, %s\n", 'A' + (int)side, diff->inputs[side].name,
		passed_count(diff, side), hart, place);
}

static void print_lines(struct diff *diff, unsigned side, char mark, int from, int to)
{
	for (int position = from; position < to; position++) {
		const struct ear_record *record = record_at(diff, side, position);
		if (record)
			printf("  %c %s\n", mark, record_text_line(&diff->text, record));
	}
}

/* What stands around: before it both sides were the same, so one is shown. */
static void print_context(struct diff *diff, int count_a, int count_b)
{
	int context = (int)diff->options.context;
	int shown_a = count_a < context + 1 ? count_a : context + 1;
	int shown_b = count_b < context + 1 ? count_b : context + 1;

	print_lines(diff, 0, ' ', -context, 0);
	print_lines(diff, 0, 'A', 0, shown_a);
	if (shown_a < count_a)
		printf("  A ... %d more\n", count_a - shown_a);
	print_lines(diff, 1, 'B', 0, shown_b);
	if (shown_b < count_b)
		printf("  B ... %d more\n", count_b - shown_b);
	print_lines(diff, 0, ' ', count_a, count_a + context);
}

static void tell_different(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record_difference *difference = &event->difference;
	const struct ear_record *a = record_at(diff, 0, 0);
	const struct ear_record *b = record_at(diff, 1, 0);
	char name[128], text[EAR_INST_TEXT_SIZE];

	instruction_text(a, b, text, sizeof(text));
	printf("hart %u, pc 0x%" PRIx64 "%s%s%s: %s is ", a->hart, a->pc, text[0] ? " (" : "", text,
		text[0] ? ")" : "", subject(difference, name, sizeof(name)));
	print_value(difference, 0);
	printf(" in A and ");
	print_value(difference, 1);
	printf(" in B\n");
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_lines(diff, 0, ' ', -(int)diff->options.context, 0);
	print_lines(diff, 0, 'A', 0, 1);
	print_lines(diff, 1, 'B', 0, 1);
	print_lines(diff, 0, ' ', 1, 1 + (int)diff->options.context);
}

#define ORDER_MAX 16

static bool same_record(struct diff *diff, int position_a, int position_b)
{
	const struct ear_record *a = record_at(diff, 0, position_a);
	const struct ear_record *b = record_at(diff, 1, position_b);
	struct ear_record_difference difference;

	return a && b && a->kind == EAR_RECORD_INSTRUCTION && a->kind == b->kind &&
	       ear_record_compare(&difference, a, b, diff->options.fields | EAR_COMPARE_PC,
		       diff->options.unknown_equal);
}

/* Are these records of both sides the same ones, in another order? */
static bool same_records(struct diff *diff, uint64_t count)
{
	uint32_t found = 0; /* a bit for each record of B that is one of A */

	if (count > ORDER_MAX)
		return false;
	for (int a = 0; a < (int)count; a++) {
		int b = 0;
		while (b < (int)count && (found >> b & 1 || !same_record(diff, a, b)))
			b++;
		found |= 1u << b;
	}
	return found >> count == 0;
}

static void tell_inserted(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record *a = record_at(diff, 0, 0);
	const struct ear_record *b = record_at(diff, 1, 0);
	const struct ear_record *first = event->count[0] ? a : b;
	bool interrupt = first->flags & EAR_RECORD_INTERRUPT;

	if (event->count[0] == event->count[1] && same_records(diff, event->count[0]))
		printf("hart %u: the same %" PRIu64
		       " records in another order; A goes to pc 0x%" PRIx64 ", B to pc 0x%" PRIx64
		       "\n",
			a->hart, event->count[0], a->pc, b->pc);
	else if (event->count[0] && event->count[1])
		printf("hart %u: %" PRIu64 " record%s of A stand where B has %" PRIu64
		       " other%s; A goes to pc 0x%" PRIx64 ", B to pc 0x%" PRIx64 "\n",
			a->hart, event->count[0], ear_plural(event->count[0]), event->count[1],
			ear_plural(event->count[1]), a->pc, b->pc);
	else
		printf("hart %u: %" PRIu64 " record%s only in %c, from pc 0x%" PRIx64 "%s\n",
			first->hart, event->count[0] + event->count[1],
			ear_plural(event->count[0] + event->count[1]), event->count[0] ? 'A' : 'B',
			first->pc, interrupt ? ": an interrupt" : "");
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_context(diff, (int)event->count[0], (int)event->count[1]);
}

static void tell_parted(struct diff *diff)
{
	const struct ear_record *a = record_at(diff, 0, 0);
	const struct ear_record *b = record_at(diff, 1, 0);
	int context = (int)diff->options.context;

	printf("hart %u: A goes to pc 0x%" PRIx64 " and B to pc 0x%" PRIx64
	       ", and they do not meet again within %zu records (--window): no more is compared\n",
		a->hart, a->pc, b->pc, diff->options.window);
	print_place(diff, 0, a);
	print_place(diff, 1, b);
	print_lines(diff, 0, ' ', -context, 0);
	print_lines(diff, 0, 'A', 0, 1 + context);
	print_lines(diff, 1, 'B', 0, 1 + context);
}

static void tell_ended(struct diff *diff, const struct ear_compare_event *event)
{
	unsigned other = 1 - event->side;
	const struct ear_record *record = record_at(diff, other, 0);

	if (ear_compare_harts_many(diff->harts))
		printf("hart %u: ", record->hart);
	printf("%c ends after %" PRIu64 " records, %c goes on at pc 0x%" PRIx64 "\n",
		'A' + (int)event->side, passed_count(diff, event->side), 'A' + (int)other,
		record->pc);
	print_place(diff, other, record);
	print_lines(diff, other, ' ', -(int)diff->options.context, 0);
	print_lines(diff, other, (char)('A' + (int)other), 0, 1 + (int)diff->options.context);
}

static void tell_gap(struct diff *diff, const struct ear_compare_event *event)
{
	const struct ear_record *record = record_at(diff, event->side, 0);
	unsigned other = 1 - event->side;
	uint64_t count = event->count[other], own = event->count[event->side];

	if (ear_compare_harts_many(diff->harts))
		printf("hart %u: ", record->hart);
	printf("%c has a gap here (%s): %s%" PRIu64 " record%s of %c", 'A' + (int)event->side,
		ear_gap_reason_text(record->u.gap.reason), event->again ? "another " : "", count,
		ear_plural(count), 'A' + (int)other);
	if (own)
		printf(" and %" PRIu64 " of %c", own, 'A' + (int)event->side);
	printf(" %s not compared\n", count == 1 && !own ? "is" : "are");
	print_place(diff, event->side, record);
}

static void print_json_text(const char *key, const char *text)
{
	printf(",\"%s\":\"", key);
	for (; *text; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	putchar('"');
}

static void print_json_value(
	const char *name, bool has, uint64_t value, const uint8_t *bytes, size_t size)
{
	if (!has)
		return;
	printf(",\"%s\":\"", name);
	if (bytes)
		print_bytes(bytes, size);
	else
		printf("0x%" PRIx64, value);
	printf("\"");
}

static void print_json_event(struct diff *diff, const struct ear_compare_event *event)
{
	static const char *const kinds[] = {"different", "inserted", "ended", "parted", "gap"};
	const struct ear_record_difference *difference = &event->difference;

	printf("{\"kind\":\"%s\"", kinds[event->kind]);
	if (event->kind == EAR_COMPARE_ENDED || event->kind == EAR_COMPARE_GAP)
		printf(",\"side\":\"%c\"", 'a' + (int)event->side);
	if (event->kind == EAR_COMPARE_INSERTED || event->kind == EAR_COMPARE_GAP)
		printf(",\"count_a\":%" PRIu64 ",\"count_b\":%" PRIu64, event->count[0],
			event->count[1]);
	if (event->kind == EAR_COMPARE_DIFFERENT) {
		char name[128];
		printf(",\"field\":\"%s\"", ear_compare_field_name(difference->field));
		if (difference->field & (EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_CSR |
						EAR_COMPARE_V | EAR_COMPARE_NAMED))
			print_json_text("register", register_name(difference, name, sizeof(name)));
		print_json_value("value_a", difference->has_a, difference->value_a,
			difference->bytes_a, difference->size_a);
		print_json_value("value_b", difference->has_b, difference->value_b,
			difference->bytes_b, difference->size_b);
	}
	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = record_at(diff, side, 0);
		char place[64];
		if (!record)
			continue;
		ear_source_place(diff->inputs[side].source, record, place, sizeof(place));
		printf(",\"%c\":{\"record\":%" PRIu64 ",\"place\":\"%s\",\"hart\":%u",
			'a' + (int)side, passed_count(diff, side), place, record->hart);
		if (record->kind == EAR_RECORD_INSTRUCTION)
			printf(",\"pc\":\"0x%" PRIx64 "\",\"opcode\":\"0x%" PRIx64 "\"", record->pc,
				record->opcode);
		printf("}");
	}
	printf("}\n");
}

static void tell(struct diff *diff, const struct ear_compare_event *event)
{
	if (diff->quiet)
		return;
	cli_progress_clear();
	if (diff->json) {
		print_json_event(diff, event);
		return;
	}
	if (diff->differences + diff->gaps > 1)
		putchar('\n');
	switch (event->kind) {
	case EAR_COMPARE_DIFFERENT: tell_different(diff, event); break;
	case EAR_COMPARE_INSERTED: tell_inserted(diff, event); break;
	case EAR_COMPARE_ENDED: tell_ended(diff, event); break;
	case EAR_COMPARE_PARTED: tell_parted(diff); break;
	case EAR_COMPARE_GAP: tell_gap(diff, event); break;
	}
}

static void print_left_out(const struct diff *diff)
{
	const char *separator = "; not on both sides and not compared: ";

	/* No RISC-V trace has named registers: their absence is not worth a word. */
	for (unsigned left = diff->left_out & ~(unsigned)EAR_COMPARE_NAMED; left;
		left &= left - 1) {
		printf("%s%s", separator, ear_compare_field_name(left & -left));
		separator = ", ";
	}
}

/* No pair of records was compared, because of gaps: that is neither the same nor a difference. */
static bool only_gaps(const struct diff *diff)
{
	return diff->gaps > 0 && diff->differences == 0 &&
	       ear_compare_harts_pairs(diff->harts) == 0;
}

static void print_summary(struct diff *diff)
{
	uint64_t pairs = ear_compare_harts_pairs(diff->harts);
	uint64_t not_compared = diff->in_gaps[0] + diff->in_gaps[1];

	if (diff->quiet)
		return;
	if (diff->json) {
		printf("{\"kind\":\"summary\",\"same\":%s,\"pairs\":%" PRIu64
		       ",\"differences\":%" PRIu64 ",\"only_a\":%" PRIu64 ",\"only_b\":%" PRIu64
		       ",\"gaps\":%" PRIu64 ",\"not_compared_a\":%" PRIu64
		       ",\"not_compared_b\":%" PRIu64 "}\n",
			only_gaps(diff)     ? "null"
			: diff->differences ? "false"
					    : "true",
			pairs, diff->differences, diff->only[0], diff->only[1], diff->gaps,
			diff->in_gaps[0], diff->in_gaps[1]);
		return;
	}
	if (only_gaps(diff))
		printf("nothing was compared");
	else if (diff->differences == 0)
		printf("the same: %" PRIu64 " record%s", pairs, ear_plural(pairs));
	else
		printf("%s%" PRIu64 " difference%s in %" PRIu64 " records compared",
			diff->differences > 1 ? "\n" : "", diff->differences,
			ear_plural(diff->differences), pairs);
	if (diff->only[0] || diff->only[1])
		printf("; %" PRIu64 " only in A, %" PRIu64 " only in B", diff->only[0],
			diff->only[1]);
	if (diff->gaps)
		printf("; %" PRIu64 " gap%s, over which %" PRIu64 " record%s not compared",
			diff->gaps, ear_plural(diff->gaps), not_compared,
			not_compared == 1 ? " was" : "s were");
	if (diff->left_out)
		print_left_out(diff);
	putchar('\n');
}

/* --start names a pc that a side does not come to: what is told then would be of no use. */
static bool out_of_reach(const struct diff *diff, const struct ear_compare_event *event)
{
	if (!diff->options.has_start || event->kind != EAR_COMPARE_ENDED ||
		ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	cli_progress_clear();
	cli_error("%s: pc 0x%" PRIx64 " (--start) does not come", diff->inputs[event->side].name,
		diff->options.start_pc);
	return true;
}

/* To call the traces the same because nothing was compared would be wrong, where something was
 * asked for that is not in them.
 */
static bool nothing_compared(const struct diff *diff)
{
	if (diff->differences || diff->gaps || ear_compare_harts_pairs(diff->harts) > 0)
		return false;
	if (diff->options.hart >= 0)
		cli_error("neither side has a record of hart %d", diff->options.hart);
	else if (diff->options.has_start)
		cli_error(
			"pc 0x%" PRIx64 " (--start) comes on neither side", diff->options.start_pc);
	else
		return false;
	return true;
}

static int compare_records(struct diff *diff)
{
	struct ear_compare_event event;
	int result = 0;

	while (!cli_interrupted && (diff->most == 0 || diff->differences < diff->most)) {
		result = ear_compare_harts_next(diff->harts, &event, &diff->compare);
		if (result <= 0)
			break;
		if (event.kind == EAR_COMPARE_GAP) {
			diff->gaps += !event.again;
			diff->in_gaps[0] += event.count[0];
			diff->in_gaps[1] += event.count[1];
		} else {
			diff->differences++;
		}
		if (event.kind == EAR_COMPARE_INSERTED) {
			diff->only[0] += event.count[0];
			diff->only[1] += event.count[1];
		}
		if (out_of_reach(diff, &event))
			return EAR_EXIT_FAILED;
		tell(diff, &event);
	}
	cli_progress_clear();
	if (cli_interrupted)
		cli_error("interrupted after %" PRIu64 " records",
			ear_compare_harts_pairs(diff->harts));
	if (result == EAR_E_FULL)
		cli_error("the harts take turns too differently in A and B to be compared in one "
			  "pass: compare one at a time (--hart)");
	else if (result < 0 && !diff->inputs[0].told && !diff->inputs[1].told && !cli_interrupted)
		cli_error("%s", ear_error_text(result));
	if (result < 0 || cli_interrupted || nothing_compared(diff))
		return EAR_EXIT_FAILED;
	print_summary(diff);
	if (only_gaps(diff))
		return EAR_EXIT_FAILED;
	return diff->differences ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

/* Fields that records show when they have something of them. */
#define SHOWN \
	(EAR_COMPARE_X | EAR_COMPARE_F | EAR_COMPARE_FFLAGS | EAR_COMPARE_CSR | EAR_COMPARE_V | \
		EAR_COMPARE_PHYSICAL | EAR_COMPARE_MASKED)

/* A field that one side's format or unit cannot carry is not compared, and that is reported: masks,
 * and fields of a unit, only if the other side has something of it, for few cores have all that a
 * format can hold. Named in --only, it is compared all the same.
 */
static void leave_out_fields(struct diff *diff)
{
	for (int i = 0; i < 2 && !diff->only_given; i++) {
		const char *name = ear_source_format(diff->inputs[i].source);
		const struct ear_writer_format *format = ear_writer_find(name);
		unsigned can = ear_compare_fields_of(
			format ? format->fields : ear_source_carried(diff->inputs[i].source));
		unsigned lost = diff->options.fields & ~can;
		unsigned watched = lost & (format ? EAR_COMPARE_MASKED : SHOWN);
		diff->watched |= watched;
		diff->left_out |= lost & ~watched;
		diff->options.fields &= can;
	}
}

static int compare_files(struct diff *diff)
{
	int status = EAR_EXIT_FAILED;

	confine_files((const char *const[]){diff->inputs[0].path, diff->inputs[1].path, NULL},
		(const char *const[]){NULL});
	if (!files_write("", "-") || !source_input_open(&diff->inputs[0]) ||
		!source_input_open(&diff->inputs[1])) {
		source_input_close(&diff->inputs[0]);
		source_input_close(&diff->inputs[1]);
		return EAR_EXIT_FAILED;
	}
	for (unsigned side = 0; side < 2; side++)
		diff->options.counted[side] =
			strcmp(ear_source_format(diff->inputs[side].source), "whisper") == 0;
	leave_out_fields(diff);
	diff->next_look = diff->jobs > 1 ? LOOK_EVERY : UINT64_MAX;
	if (diff->jobs > 1) /* where that cannot be, it is done without */
		ear_source_compare_ahead(
			diff->inputs[0].source, diff->inputs[1].source, diff->jobs);
	diff->options.next = next_record;
	diff->options.next_context = diff;

	const struct ear_compare_harts_options options = {
		.compare = diff->options,
		.skip_equal = diff->inputs[0].strict ? NULL : skip_equal,
	};
	if (record_text_init(&diff->text, ear_writer_find("whisper")) &&
		ear_compare_harts_new(&diff->harts, &options) == 0) {
		cli_catch_signals(NULL);
		status = compare_records(diff);
		ear_source_stop(diff->inputs[0].source);
		ear_source_stop(diff->inputs[1].source);
		for (unsigned side = 0; side < 2; side++)
			if (source_input_judge(&diff->inputs[side]) != EAR_EXIT_DONE)
				status = EAR_EXIT_FAILED;
		if (fflush(stdout) != 0 && errno != EPIPE) {
			cli_error("standard output: %s", strerror(errno));
			status = EAR_EXIT_FAILED;
		}
	} else {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
	}
	ear_compare_harts_free(diff->harts);
	record_text_fini(&diff->text);
	source_input_close(&diff->inputs[0]);
	source_input_close(&diff->inputs[1]);
	return status;
}

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

static bool take_both(struct diff *diff, const struct command_option *option, const char *argument)
{
	uint64_t bad_limit;
	int index;

	switch (option->id) {
	case OPTION_XLEN:
		if (!option_word(&index, option, argument))
			return false;
		diff->inputs[0].xlen = diff->inputs[1].xlen = index ? 64 : 32;
		return true;
	case OPTION_STRICT: diff->inputs[0].strict = diff->inputs[1].strict = true; return true;
	case OPTION_MAX_BAD:
		if (!option_number(&bad_limit, option, argument, 0, UINT64_MAX))
			return false;
		diff->inputs[0].bad_limit = diff->inputs[1].bad_limit = bad_limit;
		return true;
	}
	return false;
}

static bool take_option(void *context, const struct command_option *option, const char *argument)
{
	struct diff *diff = context;
	struct ear_compare_options *compare = &diff->options;
	unsigned value = 0;
	bool good;

	switch (option->id) {
	case OPTION_FORMAT_A: diff->inputs[0].format = argument; return true;
	case OPTION_FORMAT_B: diff->inputs[1].format = argument; return true;
	case OPTION_MOST: return option_number(&diff->most, option, argument, 0, UINT64_MAX);
	case OPTION_CONTEXT: return option_unsigned(&compare->context, option, argument, 0, 1000);
	case OPTION_ONLY:
		diff->only_given = true;
		return parse_fields(&compare->fields, option, argument);
	case OPTION_IGNORE:
		good = parse_fields(&value, option, argument);
		compare->fields &= ~value;
		return good;
	case OPTION_UNKNOWN_EQUAL: compare->unknown_equal = true; return true;
	case OPTION_START:
		compare->has_start = true;
		return option_number(&compare->start_pc, option, argument, 0, UINT64_MAX);
	case OPTION_FIRST_COMMON: compare->first_common = true; return true;
	case OPTION_WINDOW:
		good = option_unsigned(&value, option, argument, 0, 1000000);
		compare->window = value;
		return good;
	case OPTION_RUN: return option_unsigned(&compare->run, option, argument, 1, 1000);
	case OPTION_HART:
		good = option_unsigned(&value, option, argument, 0, UINT16_MAX);
		compare->hart = (int)value;
		return good;
	case OPTION_JSON: diff->json = true; return true;
	case OPTION_JOBS: return option_unsigned(&diff->jobs, option, argument, 1, CLI_JOBS_MAX);
	case OPTION_QUIET:
		diff->quiet = true;
		cli_progress_disable();
		return true;
	default: return take_both(diff, option, argument);
	}
}

static int run(int argc, char **argv)
{
	static struct diff diff;
	int status;

	source_input_init(&diff.inputs[0], "");
	source_input_init(&diff.inputs[1], "");
	diff.inputs[0].format_option = "-a";
	diff.inputs[1].format_option = "-b";
	diff.most = 1;
	diff.jobs = 1;
	diff.options = (struct ear_compare_options){
		.fields = EAR_COMPARE_ALL & ~(unsigned)EAR_COMPARE_TIME,
		.window = 1000,
		.run = 4,
		.context = 3,
		.hart = -1,
	};
	int first = options_parse(&cmd_diff, argc, argv, take_option, &diff, &status);
	if (first < 0)
		return status;
	if (first + 2 != argc)
		return cli_usage("diff", "two files, please");
	if (strcmp(argv[first], "-") == 0 && strcmp(argv[first + 1], "-") == 0)
		return cli_usage("diff", "standard input can be one of the files, not both");
	for (int i = 0; i < 2; i++) {
		diff.inputs[i].path = argv[first + i];
		diff.inputs[i].name =
			strcmp(argv[first + i], "-") == 0 ? "standard input" : argv[first + i];
	}
	return compare_files(&diff);
}

const struct command cmd_diff = {
	.name = "diff",
	.arguments = "[OPTION]... A B",
	.summary = "show where two traces differ",
	.about =
		"Show where two traces differ: the first difference in a sentence, with the records "
		"around it. A and B may be in different formats; - is standard input.",
	.options = table,
	.notes =
		"What the format of one side cannot carry is not compared, unless --only names it.\n"
		"FIELDS: hart pc opcode privilege trap target x f fflags csr v named address value "
		"physical time masked\n"
		"\n"
		"At a gap both sides advance to the same index; what one side has there is counted, "
		"not compared.",
	.exit_status =
		"0 the same, 1 they differ, 2 they could not be compared, or gaps left nothing to "
		"compare.",
	.run = run,
};
