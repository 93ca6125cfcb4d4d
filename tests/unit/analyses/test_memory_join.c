/* Parts of what a run did with memory: joined, they are the whole, wherever it is cut. The runs are
 * random: tasks with stacks of their own, calls of the heap's functions that nest, are left and are
 * interrupted, code that is written, bytes that are not, harts that share pages, and gaps.
 */
#include "check.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/error.h>

#include "analyses/memory/memory_result.h"
#include "random.h"

#define LW      0x0002a303u
#define SW      0x0062a023u
#define ADDI_SP 0xff010113u
#define MV_SP   0x00050113u
#define LUI_SP  0x80000137u
#define TEXT    0x80000000u /* and the functions of the heap, 64 bytes apart */
#define DATA    0x80002000u
#define SIZE    0x1000u
#define STACKS  0x80010000u
#define HEAP    0x80020000u
#define CODE    0x80030000u /* outside of sections */
#define RETURN  0x80000400u
#define HARTS   3u
#define TASKS   4u
#define OPEN    6u

/* ---- A program. ---- */

static const char *const functions[] = {"malloc", "free", "realloc", "posix_memalign", "calloc"};

enum { MALLOC, FREE, REALLOC, POSIX, CALLOC, FUNCTIONS };

struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[6];
	Elf64_Sym symbols[FUNCTIONS + 2];
	char strings[128], names[64];
	uint8_t bytes[2 * SIZE];
};

static uint32_t add_text(char *text, size_t *size, const char *added)
{
	const uint32_t at = (uint32_t)*size;

	strcpy(text + at, added);
	*size += strlen(added) + 1;
	return at;
}

static void fill_symbols(struct elf *elf)
{
	size_t size = 1;

	for (size_t i = 0; i < FUNCTIONS; i++)
		elf->symbols[1 + i] =
			(Elf64_Sym){.st_name = add_text(elf->strings, &size, functions[i]),
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = 1,
				.st_value = TEXT + 64 * i,
				.st_size = 64};
	elf->symbols[1 + FUNCTIONS] = (Elf64_Sym){.st_name = add_text(elf->strings, &size, "table"),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
		.st_shndx = 2,
		.st_value = DATA,
		.st_size = 256};
}

static void fill_sections(struct elf *elf)
{
	const uint64_t at = offsetof(struct elf, bytes);
	size_t size = 1;

	elf->sections[1] = (Elf64_Shdr){.sh_name = add_text(elf->names, &size, ".text"),
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT,
		.sh_offset = at,
		.sh_size = SIZE};
	elf->sections[2] = (Elf64_Shdr){.sh_name = add_text(elf->names, &size, ".data"),
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_WRITE,
		.sh_addr = DATA,
		.sh_offset = at + SIZE,
		.sh_size = SIZE};
	elf->sections[3] = (Elf64_Shdr){.sh_name = add_text(elf->names, &size, ".symtab"),
		.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct elf, symbols),
		.sh_size = sizeof(elf->symbols),
		.sh_link = 4,
		.sh_info = 1,
		.sh_entsize = sizeof(Elf64_Sym)};
	elf->sections[4] = (Elf64_Shdr){.sh_name = add_text(elf->names, &size, ".strtab"),
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct elf, strings),
		.sh_size = sizeof(elf->strings)};
	elf->sections[5] = (Elf64_Shdr){.sh_name = add_text(elf->names, &size, ".shstrtab"),
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct elf, names),
		.sh_size = sizeof(elf->names)};
}

static void fill_elf(struct elf *elf)
{
	elf->head = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = RETURN,
		.e_phoff = offsetof(struct elf, segments),
		.e_shoff = offsetof(struct elf, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 6,
		.e_shstrndx = 5};
	for (unsigned i = 0; i < 2; i++)
		elf->segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = PF_R | (i == 0 ? PF_X : PF_W),
			.p_offset = offsetof(struct elf, bytes) + i * SIZE,
			.p_vaddr = i == 0 ? TEXT : DATA,
			.p_paddr = i == 0 ? TEXT : DATA,
			.p_filesz = SIZE,
			.p_memsz = SIZE,
			.p_align = 8};
	fill_symbols(elf);
	fill_sections(elf);
}

static struct ear_names *make_names(void)
{
	char path[] = "/tmp/earshot-memory-XXXXXX";
	struct elf *elf = calloc(1, sizeof(*elf));
	struct ear_names *names;
	const int fd = mkstemp(path);

	assert_non_null(elf);
	assert_true(fd >= 0);
	fill_elf(elf);
	assert_int_equal(write(fd, elf, sizeof(*elf)), sizeof(*elf));
	close(fd);
	free(elf);
	assert_int_equal(ear_names_open(&names), 0);
	assert_true(ear_names_add(names, path, 0) >= 0);
	unlink(path);
	return names;
}

/* ---- Random runs. ---- */

struct item {
	struct ear_record record;
	struct ear_record_register registers[2];
	struct ear_record_access accesses[2];
	uint64_t number;
	uint32_t task;
};

struct task {
	uint64_t sp;
	struct {
		uint64_t back, sp;
		unsigned function;
	} open[OPEN];
	unsigned count;
};

struct run {
	struct ear_names *names;
	struct item *items;
	size_t count, capacity;
	uint64_t number, first; /* first: number of the first one */
	struct random random;
	struct task tasks[TASKS];
	unsigned task_of[HARTS], harts;
	uint64_t x1[HARTS], x10[HARTS], blocks[64];
	size_t block_count;
	bool gaps;
};

static uint64_t below(struct run *run, uint64_t limit)
{
	return random_below(&run->random, limit);
}

static struct item *add(struct run *run, uint16_t hart, uint64_t pc, uint32_t opcode)
{
	assert_true(run->count < run->capacity);
	struct item *item = &run->items[run->count++];
	item->number = run->number++;
	item->task = run->task_of[hart] + 1;
	item->record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.hart = hart,
		.xlen = 64,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = 4,
		.opcode = opcode,
		.pc = pc,
		.next_pc = pc + 4};
	return item;
}

static void set(struct item *item, uint8_t number, uint64_t value)
{
	item->registers[item->record.register_count++] = (struct ear_record_register){
		.reg_class = EAR_REGISTER_X, .number = number, .value = value};
}

static void access_at(
	struct item *item, uint64_t address, unsigned size, bool write, uint64_t value)
{
	item->accesses[item->record.memory_count++] = (struct ear_record_access){.address = address,
		.size = (uint8_t)size,
		.write = write,
		.has_value = true,
		.value = value};
}

static uint64_t any_pc(struct run *run)
{
	const uint64_t kind = below(run, 12);

	if (kind == 0)
		return CODE + 2 * below(run, 100);
	if (kind == 1)
		return CODE + 4080 + 2 * below(run, 16);
	return RETURN + 4 * below(run, 40);
}

static void write_register(struct run *run, uint16_t hart, uint8_t number, uint64_t value)
{
	set(add(run, hart, any_pc(run), 0x00000013u), number, value);
	if (number == 1)
		run->x1[hart] = value;
	if (number == 10)
		run->x10[hart] = value;
}

static uint64_t any_address(struct run *run, uint16_t hart)
{
	switch (below(run, 7)) {
	case 0: return DATA + below(run, SIZE);
	case 1: return CODE + below(run, 200);
	case 2: return CODE + 4070 + below(run, 60);
	case 3: return TEXT + 0x800 + below(run, 64);
	case 4: return HEAP + below(run, 600);
	case 5: return HEAP + SIZE - 8 + below(run, 16);
	default: return run->tasks[run->task_of[hart]].sp - 32 + below(run, 64);
	}
}

static void touch(struct run *run, uint16_t hart)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 0, 16};
	const bool write = below(run, 2);
	struct item *item = add(run, hart, any_pc(run), write ? SW : LW);

	access_at(item, any_address(run, hart), sizes[below(run, 8)], write, below(run, 1000));
	if (below(run, 8) == 0)
		access_at(item, any_address(run, hart), 4, below(run, 2), 7);
	if (below(run, 12) == 0) { /* of the bus */
		item->record.kind = EAR_RECORD_MEMORY;
		run->number--;
	}
	if (below(run, 20) == 0) {
		item->record.flags |= EAR_RECORD_TRAP;
		item->record.cause = write ? 6 : 4;
	}
}

static void move_sp(struct run *run, uint16_t hart, int64_t by)
{
	struct task *task = &run->tasks[run->task_of[hart]];

	task->sp += (uint64_t)by;
	set(add(run, hart, any_pc(run), ADDI_SP), 2, task->sp);
}

static void set_sp(struct run *run, uint16_t hart)
{
	if (below(run, 4) == 0)
		set(add(run, hart, any_pc(run), LUI_SP), 2, 0x80000000u);
	set(add(run, hart, any_pc(run), below(run, 6) ? MV_SP : ADDI_SP), 2,
		run->tasks[run->task_of[hart]].sp);
}

static void enter(struct run *run, uint16_t hart)
{
	struct task *task = &run->tasks[run->task_of[hart]];
	const unsigned function = (unsigned)below(run, FUNCTIONS);
	const uint64_t back = below(run, 5) ? RETURN + 4 * below(run, 40) : run->x1[hart];
	uint64_t first = 8 * below(run, 20);

	if (task->count == OPEN)
		return;
	if (function == FREE || function == REALLOC)
		first = run->block_count && below(run, 6)
				? run->blocks[below(run, run->block_count)]
				: below(run, 2) * (HEAP + below(run, 64));
	if (function == POSIX)
		first = task->sp + 8 * below(run, 3);
	if (below(run, 4))
		write_register(run, hart, 10, first);
	first = run->x10[hart];
	if (below(run, 3))
		write_register(run, hart, 11, 8 * below(run, 9));
	if (below(run, 3))
		write_register(run, hart, 12, 8 * below(run, 9));
	if (back != run->x1[hart])
		write_register(run, hart, 1, back);
	add(run, hart, TEXT + 64 * function, 0x00000013u);
	task->open[task->count].back = back;
	task->open[task->count].sp = task->sp;
	task->open[task->count++].function = function;
	if (function == POSIX && below(run, 3))
		access_at(add(run, hart, RETURN, SW), first, 8, true, HEAP + below(run, 64) * 8);
}

static void leave(struct run *run, uint16_t hart)
{
	struct task *task = &run->tasks[run->task_of[hart]];
	uint64_t result = HEAP + 16 * below(run, 40);

	if (task->count == 0)
		return;
	task->count--;
	if (task->sp != task->open[task->count].sp)
		move_sp(run, hart, (int64_t)(task->open[task->count].sp - task->sp));
	if (task->open[task->count].function == POSIX || below(run, 8) == 0)
		result = below(run, 5) == 0;
	write_register(run, hart, 10, result);
	if (run->block_count < 64)
		run->blocks[run->block_count++] = result;
	if (below(run, 10)) /* or it goes elsewhere */
		add(run, hart, task->open[task->count].back, 0x00000013u);
	else
		move_sp(run, hart, 16);
}

static void add_gap(struct run *run, uint16_t hart)
{
	struct item *item = add(run, hart, 0, 0);

	run->number--;
	item->record = (struct ear_record){.kind = EAR_RECORD_GAP, .hart = hart};
}

static void step(struct run *run)
{
	const uint16_t hart = (uint16_t)below(run, run->harts);
	const uint64_t what = below(run, 100);

	if (what < 45)
		touch(run, hart);
	else if (what < 60)
		add(run, hart, any_pc(run), 0x00000013u);
	else if (what < 75)
		move_sp(run, hart, 16 * ((int64_t)below(run, 5) - 2));
	else if (what < 82)
		enter(run, hart);
	else if (what < 91)
		leave(run, hart);
	else if (what < 97) {
		run->task_of[hart] = (unsigned)below(run, TASKS);
		set_sp(run, hart);
	} else if (what < 98) {
		struct item *item = add(run, hart, any_pc(run), 0);
		item->record.flags |= EAR_RECORD_INTERRUPT;
	} else if (run->gaps && below(run, 6) == 0) {
		add_gap(run, hart);
	}
}

static void make_run(struct run *run, struct ear_names *names, uint64_t seed, size_t count)
{
	*run = (struct run){.names = names,
		.capacity = count + 16,
		.items = calloc(count + 16, sizeof(struct item)),
		.random = {seed},
		.harts = 1 + (unsigned)(seed % HARTS),
		.gaps = seed % 4 == 0,
		.number = seed % 7};
	assert_non_null(run->items);
	run->first = run->number;
	for (unsigned i = 0; i < TASKS; i++)
		run->tasks[i].sp = STACKS + 0x400 * (i + 1);
	while (run->count < count)
		step(run);
}

/* ---- What was found, as text. ---- */

static void print_count(FILE *file, const struct ear_usage_count *count)
{
	fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, count->reads, count->writes,
		count->read_bytes, count->written_bytes);
	if (count->reads + count->writes > 0)
		fprintf(file, " %" PRIu64 "-%" PRIu64, count->first, count->last);
}

static void print_facts(FILE *file, const struct ear_usage_facts *facts)
{
	const uint64_t numbers[] = {facts->records, facts->begin, facts->sizeless,
		facts->unphysical, facts->gaps, facts->gaps ? facts->first_gap : 0, facts->pages,
		facts->lost, facts->sites_lost, facts->stacks_lost, facts->blocks_lost,
		facts->rows_lost, facts->ranges_lost, facts->shares_lost, facts->step,
		facts->has_image, facts->has_heap, facts->has_sp, facts->other_isa, facts->late,
		facts->harts, facts->allocations, facts->frees, facts->failed, facts->live,
		facts->live_bytes, facts->peak_bytes, facts->peak_record};

	fprintf(file, "facts");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fprintf(file, " %" PRIu64, numbers[i]);
	print_count(file, &facts->total);
	fprintf(file, "\n");
}

static void print_places(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_page *pages;
	const struct ear_usage_range *ranges;
	size_t count = ear_usage_pages(memory, &pages);

	for (size_t i = 0; i < count; i++) {
		fprintf(file, "page %" PRIx64 " %" PRIu64, pages[i].address, pages[i].touched);
		print_count(file, &pages[i].count);
		for (unsigned j = 0; j < EAR_USAGE_STEPS; j++)
			fprintf(file, " %u", pages[i].heat[j]);
		fprintf(file, "\n");
	}
	count = ear_usage_ranges(memory, &ranges);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "range %" PRIx64 "-%" PRIx64, ranges[i].first, ranges[i].last);
		print_count(file, &ranges[i].count);
		fprintf(file, "\n");
	}
}

static void print_wrongs(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_site *sites;
	const struct ear_usage_stack *stacks;
	size_t count = ear_usage_sites(memory, &sites);

	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"site %u %u %u %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIx64 " %u %u\n",
			sites[i].fault, sites[i].has_pc, sites[i].hart, sites[i].pc, sites[i].count,
			sites[i].bytes, sites[i].trapped, sites[i].first, sites[i].address,
			sites[i].size, sites[i].has_address);
	count = ear_usage_stacks(memory, &stacks);
	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"stack %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64
			" %u %u %u\n",
			stacks[i].high, stacks[i].low, stacks[i].pc, stacks[i].record,
			stacks[i].switches, stacks[i].hart, stacks[i].task, stacks[i].counts);
}

static void print_lists(FILE *file, struct ear_usage *memory)
{
	const struct ear_usage_interval *rows;
	size_t count = ear_usage_intervals(memory, &rows);

	for (size_t i = 0; i < count; i++)
		fprintf(file, "interval %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			rows[i].begin, rows[i].records, rows[i].lines, rows[i].pages);
	struct ear_usage_shared *shared = ear_usage_shared(memory, &count);
	assert_non_null(shared);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "shared %" PRIx64 " %u %u %u %" PRIu64 "\n", shared[i].line,
			shared[i].is_true, shared[i].harts, shared[i].writers, shared[i].moves);
	free(shared);
	struct ear_usage_block *blocks = ear_usage_blocks(memory, &count);
	assert_non_null(blocks);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "block %" PRIx64 " %" PRIu64 " %" PRIx64 " %" PRIu64 " %u %s\n",
			blocks[i].address, blocks[i].size, blocks[i].caller, blocks[i].record,
			blocks[i].hart, blocks[i].function);
	free(blocks);
}

/* And free it. */
static char *describe(struct ear_usage *memory)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(ear_usage_finish(memory), 0);
	const struct ear_usage_facts facts = ear_usage_facts(memory);
	print_facts(file, &facts);
	print_places(file, memory);
	print_wrongs(file, memory);
	print_lists(file, memory);
	assert_int_equal(fclose(file), 0);
	ear_usage_free(memory);
	return text;
}

/* ---- Parts. ---- */

static struct ear_usage *new_memory(
	const struct run *run, uint64_t working_set, bool part, struct ear_usage *whole)
{
	const struct ear_usage_options options = {.names = run->names,
		.working_set = working_set,
		.part = part,
		.begin = run->first,
		.whole = whole};
	struct ear_usage *memory;

	assert_int_equal(ear_usage_new(&memory, &options), 0);
	return memory;
}

static void give(struct ear_usage *memory, struct run *run, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct item *item = &run->items[i];
		item->record.registers = item->registers;
		item->record.memory = item->accesses;
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.number = item->number,
			.record = &item->record};
		ear_usage_set_task(memory, item->task, true);
		assert_int_equal(ear_usage_batch(memory, &batch), 0);
	}
}

static const struct ear_part_head head = {
	.analysis = "memory", .options = "-", .trace = "-", .program_sha256 = "-", .program = "-"};

static void write_part(struct ear_usage *part, FILE *file)
{
	struct ear_part_writer writer;

	ear_part_write_head(&writer, file, &head);
	ear_usage_write(part, &writer);
	ear_part_write_end(&writer);
}

static struct ear_usage *write_and_read(
	const struct run *run, struct ear_usage *part, uint64_t working_set)
{
	struct ear_usage *again = new_memory(run, working_set, true, NULL);
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();

	assert_non_null(file);
	write_part(part, file);
	rewind(file);
	assert_true(ear_part_open(&reader, file, &found));
	if (!ear_usage_read(again, &reader))
		fail_msg("%s", reader.error);
	ear_part_close(&reader);
	fclose(file);
	ear_usage_free(part);
	return again;
}

/* Returns what the join says. */
static int join(struct ear_usage *sum, struct run *run, size_t from, size_t to,
	uint64_t working_set, unsigned way)
{
	struct ear_usage *part = new_memory(run, working_set, true, way % 3 == 1 ? sum : NULL);

	give(part, run, from, to);
	assert_int_equal(ear_usage_finish(part), 0);
	if (way % 3 == 2)
		part = write_and_read(run, part, working_set);
	const int result = ear_usage_join(sum, part);
	ear_usage_free(part);
	return result;
}

static void compare(char *found, const char *expected, uint64_t seed, size_t cut)
{
	if (strcmp(found, expected) != 0) {
		size_t at = 0, line = 0;
		for (; found[at] == expected[at]; at++)
			line = found[at] == '\n' ? at + 1 : line;
		fail_msg("seed %" PRIu64 ", cut %zu: '%.*s', not '%.*s'", seed, cut,
			(int)strcspn(found + line, "\n"), found + line,
			(int)strcspn(expected + line, "\n"), expected + line);
	}
	free(found);
}

static char *describe_whole(struct run *run, uint64_t working_set)
{
	struct ear_usage *memory = new_memory(run, working_set, false, NULL);

	give(memory, run, 0, run->count);
	return describe(memory);
}

static void check_cuts(struct run *run, uint64_t seed, size_t longest, unsigned way)
{
	const uint64_t working_set = seed % 3 ? 50 : 0;
	struct random random = {seed + longest};
	char *expected = describe_whole(run, working_set);
	struct ear_usage *sum = new_memory(run, working_set, false, NULL);

	for (size_t at = 0, next; at < run->count; at = next) {
		next = at + 1 + random_below(&random, longest);
		next = next < run->count ? next : run->count;
		assert_int_equal(join(sum, run, at, next, working_set, way), 0);
	}
	compare(describe(sum), expected, seed, longest);
	free(expected);
}

/* ---- Tests. ---- */

static void parts_are_the_whole(void **state)
{
	static const size_t longest[] = {3, 30, 300, 1500};
	struct run run;

	for (uint64_t seed = 1; seed <= 48; seed++) {
		make_run(&run, *state, seed, 2000);
		for (unsigned i = seed % 12 != 0; i < sizeof(longest) / sizeof(*longest); i++)
			check_cuts(&run, seed, longest[i], (unsigned)seed + i);
		free(run.items);
	}
}

static void wherever_it_is_cut(void **state)
{
	struct run run;

	for (uint64_t seed = 100; seed < 104; seed++) {
		make_run(&run, *state, seed, 300);
		char *expected = describe_whole(&run, 20);
		for (size_t cut = 1; cut < run.count; cut++) {
			struct ear_usage *sum = new_memory(&run, 20, false, NULL);
			assert_int_equal(join(sum, &run, 0, cut, 20, (unsigned)cut), 0);
			assert_int_equal(join(sum, &run, cut, run.count, 20, (unsigned)cut), 0);
			compare(describe(sum), expected, seed, cut);
		}
		free(expected);
		free(run.items);
	}
}

static void without_names(void **state)
{
	struct run run;

	(void)state;
	for (uint64_t seed = 200; seed < 206; seed++) {
		make_run(&run, NULL, seed, 1000);
		check_cuts(&run, seed, 100, (unsigned)seed);
		free(run.items);
	}
}

/* The part that cannot be joined is given to the sum, which is as it was before. */
static void check_refused(struct run *run, size_t cut, uint64_t seed)
{
	char *expected = describe_whole(run, 0);
	struct ear_usage *sum = new_memory(run, 0, false, NULL);

	assert_int_equal(join(sum, run, 0, cut, 0, 0), 0);
	assert_int_equal(join(sum, run, cut, run->count, 0, 2), EAR_E_UNSUPPORTED);
	give(sum, run, cut, run->count);
	compare(describe(sum), expected, seed, cut);
	free(expected);
}

static void begin_run(struct run *run, struct ear_names *names, size_t count)
{
	make_run(run, names, 1, 0);
	free(run->items);
	run->capacity = run->count + count;
	run->items = calloc(run->capacity, sizeof(struct item));
	assert_non_null(run->items);
}

static void more_stacks_than_there_is_room_for(void **state)
{
	struct run run;

	begin_run(&run, *state, 2000);
	for (uint64_t i = 0; i < 2000; i++)
		set(add(&run, 0, RETURN, MV_SP), 2, STACKS + 64 * i);
	check_refused(&run, 500, 0);
	free(run.items);
}

/* Reads that follow no order, of bytes that nothing has written. */
static void more_open_reads_than_are_told(void **state)
{
	const size_t count = 320000;
	struct random random = {5};
	struct run run;

	begin_run(&run, *state, count);
	for (size_t i = 0; i < count; i++)
		access_at(add(&run, 0, RETURN + 4 * (i % 3), LW),
			HEAP + 8 * random_below(&random, 1000000), 8, false, 0);
	check_refused(&run, 10, 0);
	free(run.items);
}

/* Writes to the first of some words, and reads of all of them, one after the other; a cut is
 * between. uneven: records of other instructions are between some reads. */
static void begin_stream(
	struct run *run, struct ear_names *names, size_t written, size_t count, bool uneven)
{
	begin_run(run, names, written + 3 * count);
	for (size_t i = 0; i < written; i++)
		access_at(add(run, 0, RETURN, SW), CODE + 4 * i, 4, true, 0);
	for (size_t i = 0; i < count; i++) {
		access_at(add(run, 0, RETURN + 4, LW), CODE + 4 * i, 4, false, 0);
		if (uneven && i % 10 == 0)
			add(run, 0, RETURN + 16, 0x00000013u);
	}
}

static void an_instruction_that_goes_through_memory(void **state)
{
	struct run run;

	begin_stream(&run, *state, 15000, 20000, false);
	char *expected = describe_whole(&run, 0);
	for (unsigned way = 0; way < 3; way += 2) {
		struct ear_usage *sum = new_memory(&run, 0, false, NULL);
		assert_int_equal(join(sum, &run, 0, 15000, 0, way), 0);
		assert_int_equal(join(sum, &run, 15000, run.count, 0, way), 0);
		compare(describe(sum), expected, 0, 15000);
	}
	free(expected);
	check_cuts(&run, 1, 9000, 1);
	free(run.items);
	/* Which record was the first one is not told. */
	begin_stream(&run, *state, 15000, 20000, true);
	check_refused(&run, 15000, 0);
	free(run.items);
}

/* What the bus shows before an instruction of a part is of the step of the one before. */
static void steps_of_time(void **state)
{
	const size_t count = 70000;
	struct random random = {7};
	struct run run;

	begin_run(&run, *state, 3 * count);
	for (size_t i = 0; i < count; i++) {
		access_at(
			add(&run, 0, RETURN, SW), DATA + 8 * random_below(&random, 3), 8, true, 0);
		for (uint64_t j = random_below(&random, 3); j > 0; j--) {
			struct item *item = add(&run, 0, 0, 0);
			access_at(item, HEAP, 4, false, 0);
			item->record.kind = EAR_RECORD_MEMORY;
			run.number--;
		}
	}
	check_cuts(&run, 3, 900, 1);
	check_cuts(&run, 1, 60000, 2);
	run.count = 5000;
	check_cuts(&run, 3, 4, 0);
	free(run.items);
}

/* Of two that are as low in one stack the first one counts, in whatever order they are told. */
static void harts_in_one_stack(void **state)
{
	static const int64_t by[] = {0, -64, 16, -16, 32, -64, 48};
	struct run run;

	for (unsigned first = 0; first < 2; first++) {
		begin_run(&run, *state, 64);
		run.harts = 2;
		for (unsigned i = 0; i < 14; i++) {
			const uint16_t hart = (uint16_t)((i + first) % 2);
			const uint64_t sp = STACKS + 256 + (uint64_t)by[i / 2];
			set(add(&run, hart, RETURN + 4 * i, i < 2 ? MV_SP : ADDI_SP), 2, sp);
		}
		char *expected = describe_whole(&run, 0);
		for (size_t cut = 1; cut < run.count; cut++) {
			struct ear_usage *sum = new_memory(&run, 0, false, NULL);
			assert_int_equal(join(sum, &run, 0, cut, 0, 0), 0);
			assert_int_equal(join(sum, &run, cut, run.count, 0, 0), 0);
			compare(describe(sum), expected, first, cut);
		}
		free(expected);
		free(run.items);
	}
}

/* ---- Files that are wrong. ---- */

static int join_lines(struct run *run, const char *lines)
{
	struct ear_usage *sum = new_memory(run, 50, false, NULL);
	struct ear_usage *part = new_memory(run, 50, true, NULL);
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = tmpfile();
	int result = 1;

	assert_non_null(file);
	fprintf(file, "earshot-part %d memory\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\n%s",
		EAR_PART_VERSION, lines);
	rewind(file);
	if (ear_part_open(&reader, file, &found) && ear_usage_read(part, &reader))
		result = ear_usage_join(sum, part);
	ear_part_close(&reader);
	fclose(file);
	ear_usage_free(part);
	free(describe(sum));
	return result;
}

#define SUMS "sums 0 0 0 0 0 0 13 1 1 0 1024 0 0 0\n"

static void lines_that_cannot_be(void **state)
{
	static const char *const wrong[] = {
		"row 9 1\n", "row 0 0 1\n",       /* no such row, or too short */
		"row 0 65536 0 0 0 0 0\n",        /* a hart that cannot be */
		"row 2 0 1 1 0 0 0\n",            /* moves in no stack */
		"page 1 0 0 0 0 0 0 0 0 0 0 0\n", /* not the address of a page */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\npage 4096 0 0 0 0 0 0 0 0 0 0 0\n", "heat 0 1\n",
		"bits 0 0 1\n", "share 0\n", /* of no page */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nheat 64 1\n",
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nheat 63 1\n", /* after the end */
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nbits 3 32 1\n",
		"page 4096 0 0 0 0 0 0 0 0 0 0 0\nline 0 0 0 0\n",
		"site 4 1 0 0 1 0 0 0 0 0 0\n", /* what is found at the end only */
		"open 3 1 0 0 4 1 1 1 0 0 1 0 0 1\n",
		"sums 0 0 0 0 0 0 13 1 1 0 1000 0 0 0\n", /* not a power of two */
		"sums 0 0 0 0 0 0 13 0 1 0 1024 0 0 0\n", /* no records, but it has begun */
	};
	struct run run = {.names = *state};
	char text[512];

	assert_int_equal(join_lines(&run, SUMS "end 6\n"), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		unsigned lines = 6;
		for (const char *c = wrong[i]; *c; c++)
			lines += *c == '\n';
		snprintf(text, sizeof(text), SUMS "%send %u\n", wrong[i], lines);
		const int result = join_lines(&run, text);
		if (result != 1 && result != EAR_E_BAD_FILE)
			fail_msg("%d: %s", result, wrong[i]);
	}
	assert_int_equal(join_lines(&run, SUMS), 1); /* no end */
	assert_int_equal(join_lines(&run, "pc 1\nend 6\n"), 1);
}

/* A part with some bytes changed is refused, or is another one; nothing else happens. */
static void damaged_parts(void **state)
{
	struct random random = {3};
	struct run run;
	char *text = NULL;
	size_t size;

	make_run(&run, *state, 5, 1500);
	struct ear_usage *part = new_memory(&run, 50, true, NULL);
	give(part, &run, 0, run.count);
	assert_int_equal(ear_usage_finish(part), 0);
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	write_part(part, file);
	assert_int_equal(fclose(file), 0);
	ear_usage_free(part);
	const char *lines = strstr(text, "sums ");
	assert_non_null(lines);
	assert_int_equal(join_lines(&run, lines), 0);
	for (unsigned trial = 0; trial < 300; trial++) {
		char *damaged = strdup(lines);
		assert_non_null(damaged);
		for (unsigned i = 0; i < 1 + trial % 4; i++)
			damaged[random_below(&random, strlen(lines))] =
				"0123456789 \n"[random_below(&random, 12)];
		(void)join_lines(&run, damaged);
		free(damaged);
	}
	free(text);
	free(run.items);
}

static int open_names(void **state)
{
	*state = make_names();
	return 0;
}

static int close_names(void **state)
{
	ear_names_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(wherever_it_is_cut),
		cmocka_unit_test(without_names),
		cmocka_unit_test(more_stacks_than_there_is_room_for),
		cmocka_unit_test(more_open_reads_than_are_told),
		cmocka_unit_test(an_instruction_that_goes_through_memory),
		cmocka_unit_test(steps_of_time),
		cmocka_unit_test(harts_in_one_stack),
		cmocka_unit_test(lines_that_cannot_be),
		cmocka_unit_test(damaged_parts),
	};

	return cmocka_run_group_tests(tests, open_names, close_names);
}
