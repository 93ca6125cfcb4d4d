/* Traces by chance.
 *
 * First the run is made as it was: an opcode of any row of the instruction table, what it does,
 * where it goes. Then members are removed from what the record shows; the run stays what it was, so
 * a reader that derives a member can be held against it.
 */
#include "any_trace.h"

#include <stdio.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/inst_table.h"
#include "decoder/isa/opcode.h"

/* What a source leaves out of all records. */
struct habit {
	bool privilege, opcode, next_pc, cause, time, load_value, store_value, access, registers;
	bool physical, text, reads, trap_value, walks, fflags, gaps, events, single;
	uint8_t level; /* privilege of the run */
	const char *unit;
	unsigned vector_size;
};

struct making {
	struct random *random;
	enum any_trace_kind kind;
	unsigned xlen;
	struct habit habit;
	uint64_t ticks;
	struct {
		uint64_t pc, index;
		bool handler;
	} harts[8];
};

static uint64_t mask_of(unsigned xlen)
{
	return xlen == 32 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t some_value(struct making *making, unsigned bytes)
{
	uint64_t value = random_next(making->random);

	if (random_once_in(making->random, 3))
		value &= 0xFF;
	return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Memory of 2 GiB up, of RV64 and AArch64 now and then far away. */
static uint64_t some_address(struct making *making, unsigned align)
{
	uint64_t address = 0x80000000 + random_below(making->random, 1 << 24) * align;

	if (making->xlen == 64 && random_once_in(making->random, 8))
		address |= UINT64_C(0xFFFFFFC0) << 32;
	return address;
}

static struct ear_record_register *add_register(
	struct any_record *any, enum ear_register_class reg_class, unsigned number, uint64_t value)
{
	struct ear_record_register *reg = &any->registers[any->record.register_count];

	if (any->record.register_count == sizeof(any->registers) / sizeof(any->registers[0]))
		return NULL;
	any->slots[any->record.register_count] = (uint8_t)any->record.register_count;
	any->record.register_count++;
	*reg = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number, .value = value};
	return reg;
}

static void add_vector(struct making *making, struct any_record *any, unsigned number)
{
	size_t size = making->habit.vector_size;
	struct ear_record_register *reg = add_register(any, EAR_REGISTER_V, number, 0);

	if (!reg)
		return;
	for (size_t i = 0; i < size; i++)
		any->texts[reg - any->registers][i] = (char)random_next(making->random);
	reg->text_size = (uint32_t)size;
}

static struct ear_record_access *add_access(struct making *making, struct any_record *any,
	uint64_t address, bool write, unsigned size, bool value)
{
	struct ear_record_access *access = &any->memory[any->record.memory_count];

	if (any->record.memory_count == sizeof(any->memory) / sizeof(any->memory[0]))
		return NULL;
	any->record.memory_count++;
	*access = (struct ear_record_access){.address = address,
		.size = (uint8_t)size,
		.write = write,
		.has_value = value && size >= 1 && size <= 8};
	if (access->has_value)
		access->value = some_value(making, size);
	return access;
}

/* --- RISC-V --- */

static void choose_opcode(struct making *making, struct ear_record *record, struct ear_inst *inst)
{
	struct random *random = making->random;
	unsigned at = making->xlen == 64;

	for (;;) {
		unsigned id = 1 + (unsigned)random_below(random, EAR_INST_COUNT - 1);
		const struct ear_inst_row *row = &ear_inst_rows[id];
		uint32_t opcode = row->match | ((uint32_t)random_next(random) & ~row->mask[at]);
		if (row->mask[at] == 0)
			continue;
		if (random_once_in(random, 40))
			opcode = (uint32_t)random_next(random);
		if (random_once_in(random, 6)) { /* a branch or a jump */
			static const uint32_t flow[] = {EAR_OPCODE_BRANCH, EAR_OPCODE_JAL,
				EAR_OPCODE_JALR, EAR_OPCODE_C_BEQZ, EAR_OPCODE_C_J};
			opcode = flow[random_below(random, 5)] |
				 ((uint32_t)random_next(random) & 0x01FFF080);
			if (random_once_in(random, 3)) /* to the next instruction */
				opcode = EAR_OPCODE_BRANCH | 0x200 |
					 ((uint32_t)random_next(random) & 0x01FF7000);
		}
		if (ear_opcode_is_compressed(opcode))
			opcode &= 0xFFFF;
		ear_inst_decode(inst, opcode, making->xlen);
		if (inst->kind == EAR_KIND_ILLEGAL && !random_once_in(random, 30))
			continue;
		record->opcode = opcode;
		record->opcode_size = ear_opcode_size(opcode);
		return;
	}
}

static void add_results(struct making *making, struct any_record *any, const struct ear_inst *inst)
{
	unsigned bytes = making->xlen / 8;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		unsigned number = (unsigned)operand->value;
		if (!(operand->access & EAR_OPERAND_WRITE))
			continue;
		if (operand->kind == EAR_OPERAND_X && number != 0)
			add_register(any, EAR_REGISTER_X, number, some_value(making, bytes));
		else if (operand->kind == EAR_OPERAND_F)
			add_register(any, EAR_REGISTER_F, number,
				making->habit.single ? some_value(making, 4) | ~(uint64_t)UINT32_MAX
						     : some_value(making, 8));
		else if (operand->kind == EAR_OPERAND_V)
			add_vector(making, any, number);
		if (operand->kind == EAR_OPERAND_F && random_once_in(making->random, 2))
			any->record.fflags = (uint8_t)(1 + random_below(making->random, 31));
	}
	if (inst->kind == EAR_KIND_CSR)
		add_register(any, EAR_REGISTER_CSR, inst->csr, some_value(making, bytes));
}

static void add_accesses(struct making *making, struct any_record *any, const struct ear_inst *inst)
{
	uint64_t address = some_address(making, 8);
	unsigned size = ear_inst_record_size(inst);

	switch (inst->kind) {
	case EAR_KIND_LOAD:
	case EAR_KIND_LR: add_access(making, any, address, false, size, true); break;
	case EAR_KIND_STORE: add_access(making, any, address, true, size, true); break;
	case EAR_KIND_SC:
		if (random_once_in(making->random, 2))
			add_access(making, any, address, true, size, true);
		break;
	case EAR_KIND_AMO:
		add_access(making, any, address, false, size, true);
		add_access(making, any, address, true, size, true);
		break;
	case EAR_KIND_VLOAD:
	case EAR_KIND_VSTORE:
		for (uint64_t left = 1 + random_below(making->random, 4); left-- > 0 && size;) {
			struct ear_record_access *access = add_access(
				making, any, address, inst->kind == EAR_KIND_VSTORE, size, true);
			if (access && inst->flags & EAR_INST_MASKED &&
				random_once_in(making->random, 4)) {
				access->masked = true;
				access->has_value = false;
				access->value = 0;
			}
			address += size;
		}
		break;
	default: break;
	}
}

static void add_trap(struct making *making, struct any_record *any, bool interrupt)
{
	struct ear_record *record = &any->record;
	static const uint8_t causes[] = {0, 1, 2, 3, 8, 9, 11, 12};
	static const uint8_t interrupts[] = {1, 3, 5, 7, 9, 11, 15};
	uint64_t cause = interrupt ? interrupts[random_below(making->random, 7)]
				   : causes[random_below(making->random, 8)];
	uint64_t value = some_value(making, making->xlen / 8);

	if (record->memory_count > 0) { /* of a load or store: misaligned, access, page */
		static const uint8_t data[2][3] = {{4, 5, 13}, {6, 7, 15}};
		cause = data[any->memory[0].write][random_below(making->random, 3)];
		value = any->memory[0].address;
	}
	record->flags |= interrupt ? EAR_RECORD_INTERRUPT : EAR_RECORD_TRAP;
	record->cause = interrupt ? cause | UINT64_C(1) << (making->xlen - 1) : cause;
	any->cause = record->cause;
	any->next_pc = some_address(making, 4);
	any->taken = false;
	if (random_once_in(making->random, 3))
		return;
	add_register(any, EAR_REGISTER_CSR, EAR_CSR_MEPC, record->pc);
	add_register(any, EAR_REGISTER_CSR, EAR_CSR_MCAUSE, record->cause);
	add_register(any, EAR_REGISTER_CSR, EAR_CSR_MTVAL, value);
	add_register(any, EAR_REGISTER_CSR, EAR_CSR_MSTATUS, some_value(making, 2));
}

/* What a branch compares, and others read. */
static void add_reads(struct making *making, struct any_record *any, const struct ear_inst *inst)
{
	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		struct ear_record_register *reads = any->reads;
		size_t count = any->extra.read_count;
		if (!(operand->access & EAR_OPERAND_READ) || operand->kind != EAR_OPERAND_X ||
			operand->value == 0 || count == 2 ||
			(count == 1 && reads[0].number == operand->value))
			continue;
		reads[any->extra.read_count++] =
			(struct ear_record_register){.reg_class = EAR_REGISTER_X,
				.number = (uint16_t)operand->value,
				.value = count && random_once_in(making->random, 2)
						 ? reads[0].value
						 : some_value(making, making->xlen / 8)};
	}
}

static int64_t read_value(
	const struct making *making, const struct any_record *any, unsigned number)
{
	uint64_t value = 0;

	for (size_t i = 0; i < any->extra.read_count; i++)
		if (any->reads[i].number == number)
			value = any->reads[i].value;
	return making->xlen == 32 ? (int32_t)value : (int64_t)value;
}

/* By funct3; c.beqz and c.bnez are beq and bne with x0. */
static bool is_taken(
	const struct making *making, const struct any_record *any, const struct ear_inst *inst)
{
	bool compressed = inst->size == 2;
	unsigned condition = compressed ? inst->opcode >> 13 & 1 : inst->opcode >> 12 & 7;
	int64_t a = read_value(making, any, (unsigned)inst->operands[0].value);
	int64_t b = compressed ? 0 : read_value(making, any, (unsigned)inst->operands[1].value);
	bool less = condition & 2 ? (uint64_t)a < (uint64_t)b : a < b;

	return (condition & 4 ? less : a == b) != (condition & 1);
}

static void go(struct making *making, struct any_record *any, const struct ear_inst *inst)
{
	struct ear_record *record = &any->record;

	any->next_pc = record->pc + record->opcode_size;
	if (inst->kind == EAR_KIND_BRANCH && is_taken(making, any, inst)) {
		any->taken = true;
		any->next_pc = record->pc + (uint64_t)inst->imm;
	} else if (inst->kind == EAR_KIND_JUMP) {
		any->taken = true;
		any->next_pc = inst->flags & EAR_INST_INDIRECT ? some_address(making, 2)
							       : record->pc + (uint64_t)inst->imm;
	} else if (record->opcode == EAR_OPCODE_MRET || record->opcode == EAR_OPCODE_SRET ||
		   record->opcode == EAR_OPCODE_MNRET || record->opcode == EAR_OPCODE_DRET) {
		any->next_pc = some_address(making, 2);
	}
	any->next_pc &= mask_of(making->xlen);
}

static void make_riscv(struct making *making, struct any_record *any)
{
	struct ear_record *record = &any->record;
	struct random *random = making->random;
	struct ear_inst inst;

	record->isa = EAR_ISA_RISCV;
	record->privilege = random_once_in(random, 30)
				    ? (uint8_t)random_below(random, EAR_PRIVILEGE_DEBUG + 1)
				    : making->habit.level;
	if (record->privilege == EAR_PRIVILEGE_RESERVED)
		record->privilege = EAR_PRIVILEGE_M;
	choose_opcode(making, record, &inst);
	bool own = inst.kind == EAR_KIND_ILLEGAL || record->opcode == EAR_OPCODE_ECALL ||
		   record->opcode == EAR_OPCODE_EBREAK || record->opcode == 0x9002;
	if (random_once_in(random, 25)) {
		add_trap(making, any, true);
	} else if (own || random_once_in(random, 20)) {
		if (inst.kind == EAR_KIND_LOAD || inst.kind == EAR_KIND_STORE)
			add_access(making, any, some_address(making, 1),
				inst.kind == EAR_KIND_STORE, ear_inst_record_size(&inst), false);
		add_trap(making, any, false);
	} else {
		add_reads(making, any, &inst);
		go(making, any, &inst);
		add_results(making, any, &inst);
		add_accesses(making, any, &inst);
	}
	record->next_pc = any->next_pc;
	record->flags |= any->taken ? EAR_RECORD_TAKEN : 0;
}

/* --- ARM --- */

/* Names that only some formats have. */
static const char *odd_name(struct making *making)
{
	static const char *const names[] = {"R1 (USR)", "odd$name", "p15c1"};

	return names[random_below(making->random, 3)];
}

static void add_named(
	struct making *making, struct any_record *any, const char *name, unsigned size)
{
	struct ear_record_register *reg =
		add_register(any, EAR_REGISTER_NAMED, 0, some_value(making, size));

	if (!reg)
		return;
	reg->size = (uint16_t)size;
	reg->text_size = (uint32_t)strlen(name);
	memcpy(any->texts[reg - any->registers], name, strlen(name));
}

static void make_arm(struct making *making, struct any_record *any)
{
	static const char *const modes[2][4] = {
		{"svc", "usr", "irq", "und"}, {"EL1h", "EL0t", "EL3h", "EL2h"}};
	static const char *const conditions[] = {"cpsr", "cpsr"};
	struct ear_record *record = &any->record;
	struct random *random = making->random;
	bool wide = making->kind == ANY_TRACE_AARCH64;
	char name[8];

	record->isa = wide ? EAR_ISA_A64 : random_once_in(random, 3) ? EAR_ISA_T32 : EAR_ISA_A32;
	record->flags |= EAR_RECORD_NO_PRIVILEGE;
	record->opcode = (uint32_t)random_next(random);
	record->opcode_size = 4;
	if (record->isa == EAR_ISA_T32 && random_once_in(random, 2)) {
		record->opcode &= 0xFFFF;
		record->opcode_size = 2;
	}
	if (random_once_in(random, 2)) {
		const char *mode = modes[wide][random_below(random, 4)];
		any->extra.mode_name = (struct ear_text){mode, strlen(mode)};
	}
	if (random_once_in(random, 4))
		record->flags |= EAR_RECORD_HAS_SECURITY |
				 (random_once_in(random, 2) ? EAR_RECORD_SECURE : 0);
	if (!wide && random_once_in(random, 8))
		record->flags |= EAR_RECORD_SKIPPED;
	any->next_pc = random_once_in(random, 8) ? some_address(making, 4)
						 : record->pc + record->opcode_size;
	record->next_pc = any->next_pc;
	for (uint64_t left = random_below(random, 3); left-- > 0;) {
		snprintf(name, sizeof(name), "%c%u", wide ? 'x' : 'r',
			(unsigned)random_below(random, 14));
		bool odd = random_once_in(random, 12);
		add_named(making, any, odd ? odd_name(making) : name, wide ? 8 : 4);
	}
	if (random_once_in(random, 4))
		add_named(making, any, conditions[wide], 4);
	for (uint64_t left = random_below(random, 3); left-- > 0;)
		add_access(making, any, some_address(making, 8), random_once_in(random, 2),
			1u << random_below(random, 4), true);
}

/* --- Other kinds --- */

static void make_gap(struct making *making, struct any_record *any)
{
	struct ear_gap *gap = &any->record.u.gap;

	any->record.kind = EAR_RECORD_GAP;
	gap->reason = (enum ear_gap_reason)random_below(making->random, EAR_GAP_NO_SYNC);
	gap->count_known = true;
	gap->count = 1 + random_below(making->random, 100);
	gap->first = any->record.index;
	gap->last = gap->first + gap->count - 1;
}

static void make_event(struct any_record *any)
{
	any->record.kind = EAR_RECORD_EVENT;
	any->record.u.event.source = EAR_EVENT_PORT;
	any->record.u.event.value = 1;
}

/* --- What is shown --- */

static bool hides(struct making *making, bool always)
{
	return always || random_once_in(making->random, 12);
}

static void drop_registers(struct making *making, struct any_record *any)
{
	size_t kept = 0;

	for (size_t i = 0; i < any->record.register_count; i++)
		if (!hides(making, making->habit.registers)) {
			any->slots[kept] = any->slots[i];
			any->registers[kept++] = any->registers[i];
		}
	any->record.register_count = kept;
}

static void show_accesses(struct making *making, struct any_record *any)
{
	struct habit *habit = &making->habit;

	if (hides(making, habit->access))
		any->record.memory_count = 0;
	for (size_t i = 0; i < any->record.memory_count; i++) {
		struct ear_record_access *access = &any->memory[i];
		if (hides(making, access->write ? habit->store_value : habit->load_value)) {
			access->has_value = false;
			access->value = 0;
		}
		access->has_physical = habit->physical && random_once_in(making->random, 2);
		access->physical = access->has_physical ? some_address(making, 8) : 0;
		if (i > 0 && access->address == access[-1].address) { /* of an AMO */
			access->has_physical = access[-1].has_physical;
			access->physical = access[-1].physical;
		}
	}
}

static void show_extra(struct making *making, struct any_record *any)
{
	struct habit *habit = &making->habit;
	struct ear_record_extra *extra = &any->extra;
	const bool stopped = any->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	if (habit->text && random_once_in(making->random, 3))
		extra->disassembly = (struct ear_text){"mov a1, b2", 10};
	if (hides(making, !habit->reads))
		extra->read_count = 0;
	if (stopped && habit->trap_value && random_once_in(making->random, 2)) {
		extra->has_trap_value = true;
		extra->trap_value = some_value(making, making->xlen / 8);
	}
	if (!stopped && habit->walks && random_once_in(making->random, 4)) {
		extra->walk_count = 1;
		any->steps[0] = (struct ear_walk_step){.address = some_address(making, 8),
			.entry = some_value(making, making->xlen / 8),
			.has_entry = true};
		any->walks[0] = (struct ear_walk){.data = any->record.memory_count > 0,
			.start = any->record.memory_count ? any->memory[0].address : any->record.pc,
			.result = some_address(making, 8),
			.step_count = 1};
	}
}

static void show(struct making *making, struct any_record *any)
{
	struct ear_record *record = &any->record;
	struct habit *habit = &making->habit;
	const uint32_t stopped = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;

	if (!hides(making, habit->time)) {
		record->flags |= EAR_RECORD_HAS_TIME;
		record->ticks = making->ticks;
		if (habit->unit)
			any->extra.time_unit = (struct ear_text){habit->unit, strlen(habit->unit)};
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	if (hides(making, habit->privilege)) {
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
		record->privilege = 0;
		any->extra.mode_name = (struct ear_text){NULL, 0};
	}
	if (hides(making, habit->next_pc)) {
		record->flags =
			(record->flags & ~(uint32_t)EAR_RECORD_TAKEN) | EAR_RECORD_NO_NEXT_PC;
		record->next_pc = 0;
	}
	if (record->flags & stopped && hides(making, habit->cause)) {
		record->flags |= EAR_RECORD_NO_CAUSE;
		record->cause = 0;
	}
	if (hides(making, !habit->fflags))
		record->fflags = 0;
	if (habit->physical && random_once_in(making->random, 2)) {
		record->flags |= EAR_RECORD_PC_PHYSICAL;
		record->pc_physical = some_address(making, 2);
	}
	drop_registers(making, any);
	show_accesses(making, any);
	show_extra(making, any);
	if (hides(making, habit->opcode)) {
		record->flags |= EAR_RECORD_NO_OPCODE;
		record->opcode = 0;
	}
}

static struct habit some_habit(struct random *random)
{
	static const char *const units[] = {NULL, NULL, "ns", "ps", "us"};
	static const uint8_t levels[] = {EAR_PRIVILEGE_M, EAR_PRIVILEGE_M, EAR_PRIVILEGE_S,
		EAR_PRIVILEGE_U, EAR_PRIVILEGE_VS, EAR_PRIVILEGE_VU};

	return (struct habit){
		.privilege = random_once_in(random, 5),
		.opcode = random_once_in(random, 8),
		.next_pc = random_once_in(random, 4),
		.cause = random_once_in(random, 4),
		.time = random_once_in(random, 2),
		.load_value = random_once_in(random, 3),
		.store_value = random_once_in(random, 5),
		.access = random_once_in(random, 6),
		.registers = random_once_in(random, 6),
		.physical = random_once_in(random, 4),
		.text = random_once_in(random, 3),
		.reads = random_once_in(random, 3),
		.trap_value = random_once_in(random, 3),
		.walks = random_once_in(random, 5),
		.fflags = random_once_in(random, 2),
		.gaps = random_once_in(random, 4),
		.events = random_once_in(random, 4),
		.single = random_once_in(random, 4),
		.level = levels[random_below(random, 6)],
		.unit = units[random_below(random, 5)],
		.vector_size = 8u << random_below(random, 3),
	};
}

static void make_record(struct making *making, struct any_record *any, unsigned hart)
{
	struct ear_record *record = &any->record;
	bool arm = making->kind >= ANY_TRACE_ARM;

	memset(any, 0, sizeof(*any));
	record->hart = (uint16_t)hart;
	record->index = making->harts[hart].index;
	record->xlen = (uint8_t)making->xlen;
	making->ticks += 1 + random_below(making->random, 20);
	if (making->habit.gaps && random_once_in(making->random, 10)) {
		make_gap(making, any);
		making->harts[hart].index += record->u.gap.count;
		making->harts[hart].pc = some_address(making, 4);
	} else if (making->habit.events && random_once_in(making->random, 10)) {
		make_event(any);
	} else {
		record->kind = EAR_RECORD_INSTRUCTION;
		record->pc = making->harts[hart].pc;
		if (arm)
			make_arm(making, any);
		else
			make_riscv(making, any);
		making->harts[hart].pc = any->next_pc;
		making->harts[hart].index++;
	}
	show(making, any);
}

void any_trace_point(struct any_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		struct any_record *any = &trace->records[i];
		any->record.registers = any->registers;
		any->record.memory = any->memory;
		any->record.extra = &any->extra;
		any->extra.reads = any->reads;
		any->extra.walks = any->walks;
		any->walks[0].steps = any->steps;
		for (size_t k = 0; k < any->record.register_count; k++)
			any->registers[k].text.name = any->texts[any->slots[k]];
	}
}

void any_trace_make(struct any_trace *trace, struct random *random, enum any_trace_kind kind,
	size_t count, unsigned harts)
{
	struct making making = {.random = random,
		.kind = kind,
		.xlen = kind == ANY_TRACE_RV64 || kind == ANY_TRACE_AARCH64 ? 64 : 32,
		.habit = some_habit(random),
		.ticks = random_below(random, 1000)};

	for (unsigned hart = 0; hart < harts; hart++)
		making.harts[hart].pc = 0x80000000 + 0x100000 * hart;
	for (trace->count = 0; trace->count < count; trace->count++)
		make_record(&making, &trace->records[trace->count],
			(unsigned)random_below(random, harts));
	any_trace_point(trace);
}

bool any_record_simplify(struct any_record *any, unsigned step)
{
	struct ear_record *record = &any->record;
	struct ear_record_extra *extra = &any->extra;

	switch (step) {
	case 0: record->register_count -= record->register_count > 0; return true;
	case 1: record->memory_count = 0; return true;
	case 2: extra->disassembly = (struct ear_text){NULL, 0}; return true;
	case 3: extra->read_count = 0; return true;
	case 4: extra->walk_count = 0; return true;
	case 5: extra->has_trap_value = false; return true;
	case 6: extra->mode_name = (struct ear_text){NULL, 0}; return true;
	case 7: record->flags &= ~(uint32_t)EAR_RECORD_PC_PHYSICAL; return true;
	case 8: record->fflags = 0; return true;
	case 9:
		for (size_t i = 0; i < record->memory_count; i++)
			any->memory[i].has_physical = false;
		return true;
	case 10: extra->time_unit = (struct ear_text){NULL, 0}; return true;
	default: return false;
	}
}
