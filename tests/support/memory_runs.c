/* The runs are random: tasks with stacks of their own, calls of the heap's functions that nest, are
 * left and are interrupted, code that is written, bytes that are not, harts that share pages, and
 * gaps. Others have one thing, many times.
 */
#include "memory_runs.h"

#include "check.h"

#include <elf.h>
#include <stdio.h>
#include <unistd.h>

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

struct ear_names *memory_run_names(void)
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
	struct item *items;
	size_t count, capacity;
	uint64_t number;
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

/* ---- All of them. ---- */

static void begin(struct run *run, size_t count)
{
	*run = (struct run){
		.capacity = count, .items = calloc(count, sizeof(struct item)), .random = {5}};
	assert_non_null(run->items);
}

static struct memory_run *end(struct run *run)
{
	struct memory_run *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->count = run->count;
	made->items = run->items;
	made->first = run->items[0].number;
	made->records = calloc(run->count, sizeof(struct ear_record *));
	made->numbers = calloc(run->count, sizeof(*made->numbers));
	made->tasks = calloc(run->count, sizeof(*made->tasks));
	assert_true(made->records && made->numbers && made->tasks);
	for (size_t i = 0; i < run->count; i++) {
		struct item *item = &run->items[i];
		item->record.registers = item->registers;
		item->record.memory = item->accesses;
		made->records[i] = &item->record;
		made->numbers[i] = item->number;
		made->tasks[i] = item->task;
	}
	return made;
}

void memory_run_free(struct memory_run *run)
{
	free((void *)run->records);
	free(run->numbers);
	free(run->tasks);
	free(run->items);
	free(run);
}

struct memory_run *memory_run_random(uint64_t seed, size_t count)
{
	struct run run;

	begin(&run, count + 16);
	run.random.state = seed;
	run.harts = 1 + (unsigned)(seed % HARTS);
	run.gaps = seed % 4 == 0;
	run.number = seed % 7;
	for (unsigned i = 0; i < TASKS; i++)
		run.tasks[i].sp = STACKS + 0x400 * (i + 1);
	while (run.count < count)
		step(&run);
	return end(&run);
}

struct memory_run *memory_run_stacks(size_t count)
{
	struct run run;

	begin(&run, count);
	for (uint64_t i = 0; i < count; i++)
		set(add(&run, 0, RETURN, MV_SP), 2, STACKS + 64 * i);
	return end(&run);
}

struct memory_run *memory_run_unordered(size_t count)
{
	struct run run;

	begin(&run, count);
	for (size_t i = 0; i < count; i++)
		access_at(add(&run, 0, RETURN + 4 * (i % 3), LW), HEAP + 8 * below(&run, 1000000),
			8, false, 0);
	return end(&run);
}

struct memory_run *memory_run_stream(size_t written, size_t count, bool uneven)
{
	struct run run;

	begin(&run, written + 3 * count);
	for (size_t i = 0; i < written; i++)
		access_at(add(&run, 0, RETURN, SW), CODE + 4 * i, 4, true, 0);
	for (size_t i = 0; i < count; i++) {
		access_at(add(&run, 0, RETURN + 4, LW), CODE + 4 * i, 4, false, 0);
		if (uneven && i % 10 == 0)
			add(&run, 0, RETURN + 16, 0x00000013u);
	}
	return end(&run);
}

struct memory_run *memory_run_bus(size_t count)
{
	struct run run;

	begin(&run, 3 * count);
	for (size_t i = 0; i < count; i++) {
		access_at(add(&run, 0, RETURN, SW), DATA + 8 * below(&run, 3), 8, true, 0);
		for (uint64_t j = below(&run, 3); j > 0; j--) {
			struct item *item = add(&run, 0, 0, 0);
			access_at(item, HEAP, 4, false, 0);
			item->record.kind = EAR_RECORD_MEMORY;
			run.number--;
		}
	}
	return end(&run);
}

struct memory_run *memory_run_one_stack(unsigned first)
{
	static const int64_t by[] = {0, -64, 16, -16, 32, -64, 48};
	struct run run;

	begin(&run, 14);
	for (unsigned i = 0; i < 14; i++) {
		const uint64_t sp = STACKS + 256 + (uint64_t)by[i / 2];
		const uint16_t hart = (uint16_t)((i + first) % 2);
		set(add(&run, hart, RETURN + 4 * i, i < 2 ? MV_SP : ADDI_SP), 2, sp);
	}
	return end(&run);
}
