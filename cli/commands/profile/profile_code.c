#include "cli/commands/profile/profile_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/show/instruction_names.h"

static bool fail_memory(void)
{
	cli_error("out of memory");
	return false;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static uint64_t executed(const struct ear_profile_pc *pc)
{
	return pc->records - pc->traps - pc->interrupts;
}

void profile_instruction_text(struct ear_instructions *instructions, uint64_t pc, uint32_t opcode,
	unsigned size, unsigned xlen, char text[PROFILE_TEXT_MAX])
{
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.flags = EAR_RECORD_NO_NEXT_PC,
		.isa = EAR_ISA_RISCV,
		.xlen = (uint8_t)xlen,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = (uint8_t)size};

	char plain[PROFILE_TEXT_MAX];

	if (size == 0 || ear_instruction_text(instructions, &record, plain, sizeof(plain)) <= 0)
		snprintf(text, PROFILE_TEXT_MAX, "?");
	else
		instruction_with_names(plain, false, text, PROFILE_TEXT_MAX);
}

/* ---- Blocks. ---- */

struct block {
	const struct ear_profile_pc *first, *last;
	uint64_t instructions, records, clocks;
};

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->records != y->records)
		return x->records > y->records ? -1 : 1;
	return x->first->pc < y->first->pc ? -1 : x->first->pc > y->first->pc;
}

static bool ends_block(const struct ear_instructions *instructions, const struct ear_profile_pc *pc)
{
	struct ear_instruction instruction = {.size = sizeof(instruction)};

	if (pc->opcode_size == 0 || (pc->xlen != 32 && pc->xlen != 64) ||
		ear_instruction_decode(instructions, &instruction, pc->opcode, pc->xlen))
		return true;
	return instruction.instruction_class == EAR_CLASS_BRANCH ||
	       instruction.instruction_class == EAR_CLASS_JUMP ||
	       instruction.instruction_class == EAR_CLASS_SYSTEM;
}

/* Does b go on where a ends, as often? */
static bool continues(const struct ear_profile_pc *a, const struct ear_profile_pc *b)
{
	return a->function == b->function && a->pc + a->opcode_size == b->pc &&
	       executed(a) == executed(b) && a->traps == b->traps && a->interrupts == b->interrupts;
}

static size_t make_blocks(const struct profile_view *view,
	const struct ear_instructions *instructions, struct block *blocks)
{
	const size_t pcs = ear_profile_pc_count(view->profile);
	bool ended = true;
	size_t count = 0;

	for (size_t i = 0; i < pcs; i++) {
		const struct ear_profile_pc *pc = ear_profile_pc(view->profile, i);
		if (ended || !continues(blocks[count - 1].last, pc))
			blocks[count++] = (struct block){.first = pc};
		struct block *block = &blocks[count - 1];
		block->last = pc;
		block->instructions++;
		block->records += pc->records;
		block->clocks += pc->clocks;
		ended = ends_block(instructions, pc);
	}
	qsort(blocks, count, sizeof(*blocks), compare_blocks);
	return count;
}

static void print_block(const struct profile_view *view, struct ear_instructions *instructions,
	const struct block *block)
{
	const uint64_t total = ear_profile_total(view->profile).records;
	const struct ear_profile_pc *last = block->last;
	char name[PROFILE_NAME_MAX] = "", text[PROFILE_TEXT_MAX];

	printf("%14" PRIu64 " %6.2f %12" PRIu64 " %6" PRIu64, block->records,
		percent(block->records, total), executed(block->first), block->instructions);
	if (ear_profile_has_time(view->profile))
		printf(" %14" PRIu64, block->clocks);
	if (!view->names || ear_names_text(view->names, block->first->pc, name, sizeof(name)) <= 0)
		profile_name(
			view, ear_profile_function(view->profile, block->first->function), name);
	profile_instruction_text(
		instructions, last->pc, last->opcode, last->opcode_size, last->xlen, text);
	printf("  %" PRIx64 "-%" PRIx64 "  %s  ... %s", block->first->pc, last->pc, name, text);
	if (last->taken + last->not_taken > 0)
		printf("  taken %.1f %%", percent(last->taken, last->taken + last->not_taken));
	putchar('\n');
}

bool profile_blocks(const struct profile_view *view)
{
	struct ear_instructions *instructions;
	struct block *blocks = calloc(ear_profile_pc_count(view->profile) + 1, sizeof(*blocks));

	if (!blocks || ear_instructions_new(&instructions, NULL, NULL)) {
		free(blocks);
		return fail_memory();
	}
	const size_t count = make_blocks(view, instructions, blocks);
	printf("%14s %6s %12s %6s%s  block\n", "self", "%", "times", "length",
		ear_profile_has_time(view->profile) ? "         clocks" : "");
	for (size_t i = 0; i < count && (view->top == 0 || i < view->top); i++)
		print_block(view, instructions, &blocks[i]);
	if (view->top && count > view->top)
		printf("... and %zu more (--limit N)\n", (size_t)(count - view->top));
	ear_instructions_free(instructions);
	free(blocks);
	return true;
}

/* ---- Opcodes. ---- */

struct mnemonic {
	const char *name; /* NULL: a free place */
	unsigned instruction_class;
	uint64_t count, compressed, clocks;
};

#define MNEMONICS 8192u /* a power of two; more than there are */

static struct mnemonic *find_mnemonic(struct mnemonic *table, const char *name)
{
	uint32_t hash = 2166136261u;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	while (table[hash & (MNEMONICS - 1)].name &&
		strcmp(table[hash & (MNEMONICS - 1)].name, name) != 0)
		hash++;
	return &table[hash & (MNEMONICS - 1)];
}

static int compare_mnemonics(const void *a, const void *b)
{
	const struct mnemonic *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (!x->name || !y->name)
		return !x->name - !y->name;
	return strcmp(x->name, y->name);
}

/* Instructions that ran, by mnemonic. Returns how many of them had an opcode that is known. */
static uint64_t count_mnemonics(const struct profile_view *view,
	const struct ear_instructions *instructions, struct mnemonic *table)
{
	uint64_t known = 0;

	for (size_t i = 0; i < ear_profile_pc_count(view->profile); i++) {
		const struct ear_profile_pc *pc = ear_profile_pc(view->profile, i);
		struct ear_instruction instruction = {.size = sizeof(instruction)};
		if (pc->opcode_size == 0 || pc->changed || (pc->xlen != 32 && pc->xlen != 64) ||
			ear_instruction_decode(instructions, &instruction, pc->opcode, pc->xlen))
			continue;
		struct mnemonic *mnemonic = find_mnemonic(table, instruction.mnemonic);
		mnemonic->name = instruction.mnemonic;
		mnemonic->instruction_class = instruction.instruction_class;
		mnemonic->count += executed(pc);
		mnemonic->compressed += instruction.opcode_size == 2 ? executed(pc) : 0;
		mnemonic->clocks += pc->clocks;
		known += executed(pc);
	}
	return known;
}

static void print_mnemonic(
	const struct profile_view *view, const struct mnemonic *mnemonic, uint64_t known)
{
	const char *class_name = ear_instruction_class_name(mnemonic->instruction_class);

	printf("%14" PRIu64 " %6.2f", mnemonic->count, percent(mnemonic->count, known));
	if (ear_profile_has_time(view->profile))
		printf(" %14" PRIu64, mnemonic->clocks);
	printf("  %-8s %s\n", class_name ? class_name : "", mnemonic->name ? mnemonic->name : "");
}

static void print_opcodes(const struct profile_view *view, struct mnemonic *table, uint64_t known)
{
	struct mnemonic classes[EAR_CLASS_VECTOR + 1] = {0};
	const uint64_t all = ear_profile_total(view->profile).records;
	const struct ear_profile_counts total = ear_profile_total(view->profile);
	uint64_t compressed = 0;
	size_t shown = 0, count = 0;

	for (unsigned i = 0; i < MNEMONICS; i++) {
		struct mnemonic *sum = &classes[table[i].instruction_class];
		sum->instruction_class = table[i].instruction_class;
		sum->count += table[i].count;
		sum->clocks += table[i].clocks;
		compressed += table[i].compressed;
		count += table[i].count > 0;
	}
	qsort(table, MNEMONICS, sizeof(*table), compare_mnemonics);
	qsort(classes, EAR_CLASS_VECTOR + 1, sizeof(classes[0]), compare_mnemonics);
	printf("%14s %6s%s  %-8s %s\n", "executed", "%",
		ear_profile_has_time(view->profile) ? "         clocks" : "", "class", "opcode");
	for (unsigned i = 0; i <= EAR_CLASS_VECTOR && classes[i].count > 0; i++)
		print_mnemonic(view, &classes[i], known);
	printf("\n");
	for (; shown < count && (view->top == 0 || shown < view->top); shown++)
		print_mnemonic(view, &table[shown], known);
	if (shown < count)
		printf("... and %zu more (--limit N)\n", count - shown);
	printf("\n%.2f %% of %" PRIu64 " are compressed\n", percent(compressed, known), known);
	if (known < all - total.traps - total.interrupts)
		printf("%" PRIu64 " have no opcode of RISC-V, or one of several at its address\n",
			all - total.traps - total.interrupts - known);
}

bool profile_opcodes(const struct profile_view *view)
{
	struct ear_instructions *instructions;
	struct mnemonic *table = calloc(MNEMONICS, sizeof(*table));

	if (!table || ear_instructions_new(&instructions, NULL, NULL)) {
		free(table);
		return fail_memory();
	}
	print_opcodes(view, table, count_mnemonics(view, instructions, table));
	ear_instructions_free(instructions);
	free(table);
	return true;
}
