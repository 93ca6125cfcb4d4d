#include "cli/commands/profile/profile_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/address.h>
#include <earshot/instruction.h>

#include "cli/base/cli.h"
#include "cli/input/source_lines.h"

#define TEXT_MAX 128

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

static void instruction_text(struct ear_instructions *instructions, uint64_t pc, uint32_t opcode,
	unsigned size, unsigned xlen, char text[TEXT_MAX])
{
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.flags = EAR_RECORD_NO_NEXT_PC,
		.isa = EAR_ISA_RISCV,
		.xlen = (uint8_t)xlen,
		.pc = pc,
		.opcode = opcode,
		.opcode_size = (uint8_t)size};

	if (size == 0 || ear_instruction_text(instructions, &record, text, TEXT_MAX) <= 0)
		snprintf(text, TEXT_MAX, "?");
}

/* ---- Annotated code. ---- */

struct annotating {
	const struct profile_view *view;
	struct ear_instructions *instructions;
	struct source_lines *sources;
	bool timed, branches;
	uint64_t self;
	struct ear_line line; /* printed last */
	size_t depth;         /* of functions that were inlined there */
};

/* A row with this text behind its counts; pc NULL: a line of the source. */
static void print_row(
	const struct annotating *annotating, const struct ear_profile_pc *pc, const char *text)
{
	if (pc)
		printf("%14" PRIu64 " %6.2f", pc->records, percent(pc->records, annotating->self));
	else
		printf("%14s %6s", "", "");
	if (annotating->timed && pc)
		printf(" %14" PRIu64, pc->clocks);
	else if (annotating->timed)
		printf(" %14s", "");
	if (annotating->branches && pc && pc->taken + pc->not_taken > 0)
		printf(" %12" PRIu64 " %12" PRIu64, pc->taken, pc->not_taken);
	else if (annotating->branches)
		printf(" %12s %12s", "", "");
	printf("  %s\n", text);
}

/* "fw.c:12  return a + b;", and by which calls it came there if they were inlined. */
static void print_line(struct annotating *annotating, uint64_t pc)
{
	struct ear_names *names = annotating->view->names;
	struct ear_inlined chain[8];
	struct ear_line line;
	char text[TEXT_MAX + SOURCE_LINE_MAX];

	if (!profile_line_at(annotating->view, pc, &line))
		return;
	size_t depth = ear_names_inlined_at(names, pc, chain, sizeof(chain[0]), 8);
	if (annotating->line.line == line.line && annotating->line.path &&
		strcmp(annotating->line.path, line.path) == 0 && annotating->depth == depth)
		return;
	annotating->line = line;
	annotating->depth = depth;
	for (size_t i = depth < 8 ? depth : 8; i > 1; i--) {
		snprintf(text, sizeof(text), "%s:%u  calls %s, inlined",
			ear_names_base(
				source_paths_map(annotating->view->paths, chain[i - 1].path)),
			chain[i - 1].line, chain[i - 2].function);
		print_row(annotating, NULL, text);
	}
	snprintf(text, sizeof(text), "%s:%u  %s", ear_names_base(line.path), line.line,
		source_lines_find(annotating->sources, line.path, line.line));
	print_row(annotating, NULL, text);
}

/* An instruction that did not run, from the image of the program. Returns its size; 0: it has none
 * there. */
static unsigned read_opcode(const struct profile_view *view, const struct ear_function *function,
	uint64_t address, uint32_t *opcode)
{
	uint8_t bytes[4] = {0};
	bool writable;
	int64_t got = ear_names_image(
		view->names, function->file, address, bytes, sizeof(bytes), &writable);
	unsigned size = (bytes[0] & 3) == 3 ? 4 : 2;

	*opcode = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
	if (size == 4)
		*opcode |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return got >= (int64_t)size ? size : 0;
}

static void print_instruction(struct annotating *annotating, const struct ear_profile_pc *pc,
	uint32_t opcode, unsigned size, unsigned xlen)
{
	char instruction[TEXT_MAX], text[TEXT_MAX + 80];

	print_line(annotating, pc->pc);
	instruction_text(annotating->instructions, pc->pc, opcode, size, xlen, instruction);
	snprintf(text, sizeof(text), "  %8" PRIx64 "  %s%s", pc->pc, instruction,
		pc->changed ? "  (and others: the code was changed)" : "");
	print_row(annotating, pc, text);
}

/* The first of the function's pcs, and how many there are. */
static size_t find_pcs(const struct ear_profile *profile, size_t function, size_t *first)
{
	const size_t all = ear_profile_pc_count(profile);
	size_t count = 0;

	for (size_t i = 0; i < all; i++)
		if (ear_profile_pc(profile, i)->function == function && count++ == 0)
			*first = i;
	return count;
}

/* All of its code that has a size, and what ran elsewhere in it. */
static void print_code(struct annotating *annotating, size_t first, size_t count)
{
	const struct profile_view *view = annotating->view;
	const struct ear_profile *profile = view->profile;
	struct ear_function function = {.size = sizeof(function)};
	const struct ear_profile_pc *pc = ear_profile_pc(profile, first);
	uint64_t at = pc->pc, end = 0;

	for (size_t i = 0; i < count;) {
		uint32_t opcode;
		pc = ear_profile_pc(profile, first + i);
		if (view->names && pc->pc >= end &&
			ear_names_function_at(view->names, pc->pc, &function) &&
			function.has_size) {
			at = function.first;
			end = function.last + 1;
		}
		unsigned size = 0;
		if (at < pc->pc && pc->pc < end)
			size = read_opcode(view, &function, at, &opcode);
		if (size > 0) {
			const struct ear_profile_pc idle = {.pc = at};
			print_instruction(annotating, &idle, opcode, size, pc->xlen);
			at += size;
			continue;
		}
		print_instruction(annotating, pc, pc->opcode, pc->opcode_size, pc->xlen);
		at = pc->pc + pc->opcode_size;
		i++;
		/* What is after the last one that ran, there or in the whole function. */
		const bool leaves = i == count || ear_profile_pc(profile, first + i)->pc >= end;
		while (leaves && at < end && pc->opcode_size > 0 &&
			(size = read_opcode(view, &function, at, &opcode)) > 0) {
			const struct ear_profile_pc idle = {.pc = at};
			print_instruction(annotating, &idle, opcode, size, pc->xlen);
			at += size;
		}
	}
}

/* The number of a function by its name, or an address in it. Returns false after printing. */
static bool find_function(const struct profile_view *view, const char *text, size_t *number)
{
	const size_t count = ear_profile_function_count(view->profile);
	char message[EAR_ADDRESS_MESSAGE_MAX], name[PROFILE_NAME_MAX];
	struct ear_address address = {.size = sizeof(address)};
	struct ear_function function = {.size = sizeof(function), .name = "its caller"};

	for (size_t i = 0; i < count; i++) {
		const struct ear_profile_function *at = ear_profile_function(view->profile, i);
		profile_name(view, at, name);
		if (strcmp(name, text) == 0 || strcmp(at->name, text) == 0) {
			*number = i;
			return true;
		}
	}
	if (ear_address_parse(&address, text, strlen(text), view->names, NULL, message)) {
		cli_error("--annotate: %s", message);
		return false;
	}
	const uint64_t pc = address.ranges[0].first;
	if (address.kind == EAR_ADDRESS_INLINED) {
		ear_names_function_at(view->names, pc, &function);
		cli_error(
			"--annotate: '%s' was inlined everywhere: annotate a function that it is in, "
			"as %s",
			text, function.name);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct ear_profile_function *at = ear_profile_function(view->profile, i);
		if (at->entry == pc ||
			(view->names && ear_names_function_at(view->names, pc, &function) &&
				at->entry == function.entry)) {
			*number = i;
			return true;
		}
	}
	cli_error("--annotate: nothing ran in '%s'", text);
	return false;
}

bool profile_annotate(const struct profile_view *view, const char *text)
{
	struct annotating annotating = {.view = view,
		.timed = ear_profile_has_time(view->profile),
		.branches = ear_profile_shows_of(view->profile).branches};
	size_t number, first = 0, count;
	char name[PROFILE_NAME_MAX];

	if (!find_function(view, text, &number))
		return false;
	const struct ear_profile_function *function = ear_profile_function(view->profile, number);
	profile_name(view, function, name);
	count = find_pcs(view->profile, number, &first);
	if (count == 0) {
		cli_error("--annotate: nothing ran in %s itself", name);
		return false;
	}
	annotating.self = function->self.records;
	annotating.sources = source_lines_new();
	if (!annotating.sources || ear_instructions_new(&annotating.instructions, NULL, NULL)) {
		source_lines_free(annotating.sources);
		return fail_memory();
	}
	printf("%s: %" PRIu64 " of %" PRIu64 " records\n", name, function->self.records,
		ear_profile_total(view->profile).records);
	printf("%14s %6s", "self", "%");
	if (annotating.timed)
		printf(" %14s", "clocks");
	if (annotating.branches)
		printf(" %12s %12s", "taken", "not taken");
	printf("  code\n");
	print_code(&annotating, first, count);
	ear_instructions_free(annotating.instructions);
	source_lines_free(annotating.sources);
	return true;
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
	char name[PROFILE_NAME_MAX] = "", text[TEXT_MAX];

	printf("%14" PRIu64 " %6.2f %12" PRIu64 " %6" PRIu64, block->records,
		percent(block->records, total), executed(block->first), block->instructions);
	if (ear_profile_has_time(view->profile))
		printf(" %14" PRIu64, block->clocks);
	if (!view->names || ear_names_text(view->names, block->first->pc, name, sizeof(name)) <= 0)
		profile_name(
			view, ear_profile_function(view->profile, block->first->function), name);
	instruction_text(instructions, last->pc, last->opcode, last->opcode_size, last->xlen, text);
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
