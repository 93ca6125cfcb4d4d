/* Counts the records of a text trace and remembers the first and the last of each hart.
 *
 * A hart has a number of 16 bits and may take turns with others at every line, so its entry is
 * found by a table with one slot for each number; entries are in the order in which harts appear.
 */
#include "cli/show/text_summary.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/plural.h"
#include "decoder/formats/base/xlen.h"

struct hart {
	uint16_t number;
	uint64_t records, first_pc, last_pc;
};

/* Of what XLEN opcodes are that came lately: 0 of both. */
#define OPCODES 1024u
struct opcode {
	uint64_t opcode;
	unsigned xlen;
	bool known;
};

struct text_summary {
	uint64_t records, gaps, missing, events;
	uint64_t other_xlen; /* records whose opcode is of the other XLEN only */
	struct opcode opcodes[OPCODES];
	uint64_t with_writes, with_accesses, with_opcode; /* of the records */
	uint64_t first_index, last_index, first_ticks, last_ticks;
	bool missing_unknown, timed;
	uint8_t xlen; /* the largest */
	char time_unit[16];

	struct hart *harts;
	uint32_t hart_count;
	size_t hart_room;
	uint32_t slots[UINT16_MAX + 1]; /* by number: where in harts, + 1; 0 none */
};

struct text_summary *text_summary_new(void)
{
	return calloc(1, sizeof(struct text_summary));
}

void text_summary_free(struct text_summary *summary)
{
	if (summary)
		free(summary->harts);
	free(summary);
}

/* The entry of a hart, made if it is new; NULL if memory is short. */
static struct hart *find_hart(struct text_summary *summary, const struct ear_record *record)
{
	uint32_t *slot = &summary->slots[record->hart];

	if (*slot)
		return &summary->harts[*slot - 1];
	if (!EAR_ARRAY_RESERVE(summary->harts, &summary->hart_room, summary->hart_count + 1))
		return NULL;
	summary->harts[summary->hart_count] =
		(struct hart){.number = record->hart, .first_pc = record->pc};
	*slot = ++summary->hart_count;
	return &summary->harts[*slot - 1];
}

static void add_time(struct text_summary *summary, const struct ear_record *record)
{
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return;
	if (!summary->timed) {
		summary->timed = true;
		summary->first_ticks = record->ticks;
		if (record->extra && record->extra->time_unit.text)
			snprintf(summary->time_unit, sizeof(summary->time_unit), " %.*s",
				(int)record->extra->time_unit.size, record->extra->time_unit.text);
	}
	summary->last_ticks = record->ticks;
}

/* What trapped need not be an instruction. */
static bool is_of_other_xlen(struct text_summary *summary, const struct ear_record *record)
{
	struct opcode *opcode =
		&summary->opcodes[(record->opcode ^ record->opcode >> 10) % OPCODES];

	if (record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
		record->isa != EAR_ISA_RISCV || record->xlen == 0)
		return false;
	if (!opcode->known || opcode->opcode != record->opcode)
		*opcode = (struct opcode){record->opcode, ear_xlen_of_opcode(record->opcode), true};
	return opcode->xlen && opcode->xlen != record->xlen;
}

static int add_instruction(struct text_summary *summary, const struct ear_record *record)
{
	struct hart *hart = find_hart(summary, record);

	if (!hart)
		return EAR_E_NO_MEMORY;
	if (summary->records++ == 0)
		summary->first_index = record->index;
	summary->last_index = record->index;
	if (record->xlen > summary->xlen)
		summary->xlen = record->xlen;
	summary->other_xlen += is_of_other_xlen(summary, record);
	summary->with_writes += record->register_count > 0;
	summary->with_accesses += record->memory_count > 0;
	summary->with_opcode += !(record->flags & EAR_RECORD_NO_OPCODE);
	add_time(summary, record);
	hart->records++;
	hart->last_pc = record->pc;
	return 0;
}

int text_summary_add(struct text_summary *summary, const struct ear_record *record)
{
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: return add_instruction(summary, record);
	case EAR_RECORD_GAP:
		summary->gaps++;
		if (record->u.gap.count_known)
			summary->missing += record->u.gap.count;
		else
			summary->missing_unknown = true;
		return 0;
	case EAR_RECORD_NOTE: return 0;
	default: summary->events++; return 0;
	}
}

static void print_harts(struct key_lines *keys, const struct text_summary *summary)
{
	const struct hart *first = summary->harts;

	if (summary->hart_count == 1) {
		key_address(keys, "first_pc", first->first_pc);
		key_address(keys, "last_pc", first->last_pc);
		return;
	}
	for (uint32_t i = 0; i < summary->hart_count; i++) {
		char key[32], text[128];
		snprintf(key, sizeof(key), "hart_%u", first[i].number);
		if (keys->as_json) {
			json_open(&keys->json, key, '{');
			key_number(keys, "records", first[i].records);
			key_address(keys, "first_pc", first[i].first_pc);
			key_address(keys, "last_pc", first[i].last_pc);
			json_close(&keys->json, '}');
			continue;
		}
		snprintf(text, sizeof(text), "%" PRIu64 " record%s, pc 0x%" PRIx64 " to 0x%" PRIx64,
			first[i].records, ear_plural(first[i].records), first[i].first_pc,
			first[i].last_pc);
		key_text(keys, key, text);
	}
}

uint64_t text_summary_other_xlen(const struct text_summary *summary)
{
	return summary->other_xlen;
}

static void print_account(struct key_lines *keys, const struct text_summary *summary,
	const struct text_account *account)
{
	char text[256];

	if (account->lines)
		key_number(keys, "lines", account->lines);
	key_number(keys, "register_writes", summary->with_writes);
	key_number(keys, "accesses", summary->with_accesses);
	key_number(keys, "opcodes", summary->with_opcode);
	if (summary->other_xlen)
		key_number(keys, "other_xlen_opcodes", summary->other_xlen);
	if (account->bad_lines)
		key_number(keys, "bad_lines", account->bad_lines);
	if (account->other_lines)
		key_number(keys, "other_lines", account->other_lines);
	if (account->word) {
		snprintf(text, sizeof(text), "line %" PRIu64 ", '%s'", account->word_line,
			account->word);
		key_number(keys, "unknown_words", account->words);
		key_text(keys, "first_unknown_word", text);
	}
	if (account->unpaired) {
		key_number(keys, "unpaired_lines", account->unpaired);
		key_number(keys, "first_unpaired_line", account->unpaired_line);
	}
}

/* "12 ns"; in JSON a number, and the unit beside it. */
static void print_time(
	struct key_lines *keys, const char *key, uint64_t ticks, const struct text_summary *summary)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu64 "%s", ticks, summary->time_unit);
	if (keys->as_json)
		key_number(keys, key, ticks);
	else
		key_text(keys, key, text);
}

void text_summary_print(struct key_lines *keys, const struct text_summary *summary,
	const struct text_account *account)
{
	const char *wrong = account->bad_lines ? "lines could not be read"
			    : account->word    ? "words were not understood"
					       : "records are missing";
	const bool whole = summary->gaps == 0 && account->bad_lines == 0;

	key_text(keys, "format", account->format);
	key_number(keys, "harts", summary->hart_count);
	if (summary->xlen)
		key_number(keys, "xlen", summary->xlen);
	key_number(keys, "records", summary->records);
	if (summary->hart_count == 1) {
		key_number(keys, "first_index", summary->first_index);
		key_number(keys, "last_index", summary->last_index);
	}
	print_harts(keys, summary);
	if (summary->timed) {
		print_time(keys, "first_time", summary->first_ticks, summary);
		print_time(keys, "last_time", summary->last_ticks, summary);
	}
	if (summary->time_unit[0] && keys->as_json)
		key_text(keys, "time_unit", summary->time_unit + 1);
	key_least(keys, "missing", summary->missing, summary->missing_unknown);
	key_number(keys, "gaps", summary->gaps);
	key_number(keys, "events", summary->events);
	print_account(keys, summary, account);
	if (!whole)
		key_text(keys, "incomplete", wrong);
	if (keys->as_json)
		key_answer(keys, "accounted", !whole,
			account->bad_lines == 0 && !summary->missing_unknown);
	key_answer(keys, "complete", !whole, false);
}
