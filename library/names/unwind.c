/* Where a frame is: its canonical address. The rule comes as a DWARF expression. Nearly always that
 * is a register plus an offset: such rules are kept, so that asking for many variables of a
 * function asks the helper once.
 */
#include "library/names/unwind.h"

#include <dwarf.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/names/expression.h"
#include "library/names/names_internal.h"

#define RULES_KEPT 64

/* What the CFA is at some addresses. */
struct rule {
	uint64_t first, last;
	bool is_expression; /* else the value of a register, plus offset */
	unsigned number;
	int64_t offset;
};

struct ear_unwind_cache {
	struct {
		struct rule rule;
		size_t file_count; /* when it was asked for; 0: empty */
	} slots[RULES_KEPT];
	unsigned next;
};

/* An answer, taken apart. */
struct frame {
	uint8_t *answer;
	size_t file;
	struct ear_ops ops;
	struct rule rule;
};

static void read_rule(struct rule *rule, const struct ear_ops *ops)
{
	uint32_t atom = ops->count == 1 ? ear_wire_get_u32(ops->rows) : 0;
	uint64_t number = ops->count == 1 ? ear_wire_get_u64(ops->rows + 8) : 0;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		rule->number = atom - DW_OP_breg0;
		rule->offset = (int64_t)number;
	} else if (atom == DW_OP_bregx) {
		rule->number = (unsigned)number;
		rule->offset = (int64_t)ear_wire_get_u64(ops->rows + 16);
	} else {
		rule->is_expression = true;
	}
}

static bool read_frame(struct frame *frame, const struct names_file *file, size_t size)
{
	struct ear_wire_view view = {frame->answer, size};
	const uint8_t *head = ear_wire_take(&view, EAR_UNWIND_HEAD, 1);
	struct ear_ops *ops = &frame->ops;

	if (!head)
		return false;
	ops->count = ear_wire_get_u32(head);
	ops->byte_count = ear_wire_get_u32(head + 4);
	ops->rows = ear_wire_take(&view, ops->count, EAR_OP_ROW);
	ops->bytes = ear_wire_take(&view, ops->byte_count, 1);
	if (!ops->rows || !ops->bytes || view.size != 0)
		return false;
	frame->rule.first = names_there(file, ear_wire_get_u64(head + 8));
	frame->rule.last = names_there(file, ear_wire_get_u64(head + 16));
	read_rule(&frame->rule, ops);
	return true;
}

/* The answer for a pc; frame->answer is to be freed. */
static int ask(struct frame *frame, struct ear_names *names, uint64_t pc)
{
	struct ear_wire request = {0};
	size_t size;

	memset(frame, 0, sizeof(*frame));
	frame->file = names_file_at(names, pc);
	if (frame->file == names->count)
		return names_fail(names, EAR_E_UNSUPPORTED, NULL, "no file has this address");
	const struct names_file *file = &names->files[frame->file];
	ear_wire_u64(&request, names_here(file, pc));
	int result = request.failed ? EAR_E_NO_MEMORY
				    : names_ask(names, frame->file, EAR_MESSAGE_UNWIND,
					      request.bytes, request.size, &frame->answer, &size);
	ear_wire_free(&request);
	if (result == EAR_E_BAD_FILE)
		return file->is_lost ? result : EAR_E_UNSUPPORTED;
	if (result != 0)
		return result;
	if (read_frame(frame, file, size))
		return 0;
	free(frame->answer);
	return names_fail(names, EAR_E_BAD_FILE, file->path, "its rules for unwinding are damaged");
}

/* ---- Rules that are kept ---- */

static const struct rule *find_kept(const struct ear_names *names, uint64_t pc)
{
	const struct ear_unwind_cache *cache = names->unwind;

	for (size_t i = 0; cache && i < RULES_KEPT; i++)
		if (cache->slots[i].file_count == names->count &&
			pc >= cache->slots[i].rule.first && pc <= cache->slots[i].rule.last)
			return &cache->slots[i].rule;
	return NULL;
}

static void keep(struct ear_names *names, const struct rule *rule)
{
	if (!names->unwind)
		names->unwind = calloc(1, sizeof(*names->unwind));
	if (!names->unwind)
		return;
	struct ear_unwind_cache *cache = names->unwind;
	cache->slots[cache->next].rule = *rule;
	cache->slots[cache->next].file_count = names->count;
	cache->next = (cache->next + 1) % RULES_KEPT;
}

static int find_frame(struct frame *frame, struct ear_names *names, uint64_t pc)
{
	const struct rule *kept = find_kept(names, pc);

	if (!kept) {
		int result = ask(frame, names, pc);
		if (result == 0 && !frame->rule.is_expression)
			keep(names, &frame->rule);
		return result;
	}
	memset(frame, 0, sizeof(*frame));
	frame->rule = *kept;
	frame->file = names_file_at(names, pc);
	return 0;
}

static bool run_rule(const struct frame *frame, const struct names_file *file,
	const struct ear_moment_view *moment, uint64_t *cfa)
{
	struct ear_moment_view without = *moment;
	struct ear_expression_context context = {.moment = &without,
		.xlen = file->facts.file.xlen,
		.offset = file->facts.file.offset};
	struct ear_places places;
	uint8_t bytes[8] = {0}, known[8];

	without.has_cfa = false;
	if (ear_expression_run(&places, &frame->ops, &context, false, 0))
		return false;
	if (places.count == 1 && places.pieces[0].kind == EAR_PIECE_MEMORY) {
		*cfa = places.pieces[0].value;
		return true;
	}
	if (ear_places_read(&places, &context, 0, bytes, known, context.xlen / 8))
		return false;
	*cfa = ear_wire_get_u64(bytes);
	return true;
}

static bool find_cfa(const struct frame *frame, const struct names_file *file,
	const struct ear_moment_view *moment, uint64_t *cfa)
{
	uint64_t value;

	if (moment->has_cfa) {
		*cfa = moment->cfa;
		return true;
	}
	if (frame->rule.is_expression)
		return run_rule(frame, file, moment, cfa);
	if (!moment->read_register(moment->context, frame->rule.number, &value))
		return false;
	value += (uint64_t)frame->rule.offset;
	*cfa = file->facts.file.xlen == 32 ? (uint32_t)value : value;
	return true;
}

int ear_unwind_cfa(struct ear_names *names, const struct ear_moment_view *moment, uint64_t *cfa)
{
	struct frame frame;
	int result = find_frame(&frame, names, moment->pc);

	if (result != 0)
		return result;
	bool found = find_cfa(&frame, &names->files[frame.file], moment, cfa);
	free(frame.answer);
	return found ? 0 : names_fail(names, EAR_E_MORE, NULL, "the frame's address is not known");
}
