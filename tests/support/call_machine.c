/* Runs random programs of calls, tasks and handlers.
 *
 * Each active function has a queue of operations, one record each; where it is empty the next thing
 * to do is chosen. An interrupt puts a handler on top and leaves the queues as they are, so it may
 * come between any two records. What is active is kept as a programmer sees it, by task.
 */
#include "call_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/opcode.h"
#include "random.h"

#define QUEUE     12
#define FUNCTIONS 24
#define CODE      0x80000000u
#define CONTEXT   128 /* bytes that a handler saves */
#define DEPTH     CALL_MACHINE_DEPTH
#define TASKS     CALL_MACHINE_TASKS

enum operation {
	PLAIN,
	ADD_SP,       /* addi sp, sp, a */
	ADD_SP_SHORT, /* c.addi16sp */
	ADD_SP_BY,    /* add sp, sp, t0 */
	LOAD_SP,      /* lw sp: a */
	SWAP_SP,      /* csrrw sp, mscratch, sp: a */
	FRAME_SP,     /* mv sp, s0: a */
	PUSH_SP,      /* cm.push: a */
	CALL,         /* a: enum way */
	STUB,         /* auipc, jalr t1, t3 */
	TABLE,        /* jr a5 */
	TAIL,         /* a: by jal or by jalr */
	RESTORE,      /* j restore */
	RETURN,       /* a: enum way */
	LAND,         /* ret, after sp was set to that of frame a */
	ECALL,
	XRET,
	XRET_TO, /* mret, to task a */
	RET_TO,  /* ret, to task a */
};

enum way {
	BY_JAL,
	BY_JALR,
	BY_SHORT,
	BY_POINTER, /* jalr by t0, that looks like a coroutine */
	BY_T0,      /* links in t0: an outlined part, or a save routine */
	BY_T1,      /* returns by another register */
	BY_POPRET,
	WAYS,
};

enum style {
	LEAF,
	FRAMED,
	SHORT_FRAMED,
	SAVED,    /* by a routine, millicode */
	VARIABLE, /* alloca, with a frame pointer */
	PUSHED,   /* cm.push */
	OUTLINED, /* returns by t0 */
	SAVING,   /* the save routine */
	THROWING, /* longjmp, or a part of an unwinder */
	SWITCHING,
	HANDLER,
	MAIN,
};

struct todo {
	enum operation operation;
	int64_t a;
};

struct active {
	enum ear_call_frame_kind kind;
	enum style style;
	bool known; /* entered where the trace shows it */
	uint64_t position, call_pc, return_pc, entry, pc;
	uint64_t sp; /* at entry */
	bool can_jump;
	uint64_t jump_pc, jump_sp; /* setjmp was called here */
	bool own_stack, swapped;   /* HANDLER */
	uint64_t saved_sp;
	bool is_leaving;
	struct todo queue[QUEUE];
	size_t first, count;
};

struct task {
	struct active active[DEPTH];
	size_t depth;
	uint64_t top, sp;
	bool fresh, by_call; /* not yet begun; gave up the hart by a call */
};

struct call_machine {
	struct random random;
	struct call_machine_options options;
	struct task tasks[TASKS];
	size_t current;
	uint64_t sp, position, index;
	uint32_t next_flags; /* of the next record */
	bool hidden, quiet, lost;
	bool sp_seen; /* the trace shows what sp is */
	struct ear_record record;
	struct ear_record_register registers[2];
	char story[4000];
};

static unsigned below(struct call_machine *machine, unsigned limit)
{
	return (unsigned)random_below(&machine->random, limit);
}

static struct task *current_task(struct call_machine *machine)
{
	return &machine->tasks[machine->current];
}

static struct active *top_of(struct task *task)
{
	return &task->active[task->depth - 1];
}

static uint64_t wrap(const struct call_machine *machine, uint64_t value)
{
	return machine->options.xlen == 32 ? (uint32_t)value : value;
}

static void todo(struct active *active, enum operation operation, int64_t a)
{
	active->queue[(active->first + active->count++) % QUEUE] = (struct todo){operation, a};
}

static void tell(struct call_machine *machine, const char *what, uint64_t pc)
{
	size_t used = strlen(machine->story);

	if (used > sizeof(machine->story) - 100) {
		memmove(machine->story, machine->story + used / 2, used - used / 2 + 1);
		used = strlen(machine->story);
	}
	snprintf(machine->story + used, sizeof(machine->story) - used,
		"%llu task %zu depth %zu sp %llx pc %llx: %s\n",
		(unsigned long long)machine->position, machine->current,
		current_task(machine)->depth, (unsigned long long)machine->sp,
		(unsigned long long)pc, what);
}

/* Make the record of the top function's instruction, and go on behind it, or to next. */
static void emit(struct call_machine *machine, uint32_t opcode, uint64_t next)
{
	struct active *top = top_of(current_task(machine));
	unsigned size = ear_opcode_size(opcode);
	uint64_t after = wrap(machine, top->pc + size);

	machine->record = (struct ear_record){
		.kind = EAR_RECORD_INSTRUCTION,
		.index = machine->index++,
		.xlen = (uint8_t)machine->options.xlen,
		.privilege = EAR_PRIVILEGE_M,
		.opcode_size = (uint8_t)size,
		.opcode = opcode,
		.pc = top->pc,
		.next_pc = next ? next : after,
		.flags = (next ? (uint32_t)EAR_RECORD_TAKEN : 0) | machine->next_flags,
		.registers = machine->registers,
	};
	if (machine->options.no_next_pc)
		machine->record.flags |= EAR_RECORD_NO_NEXT_PC;
	machine->next_flags = 0;
	machine->quiet = next == 0;
	top->pc = next ? next : after;
}

static void write_x(struct call_machine *machine, uint16_t number, uint64_t value)
{
	if (machine->options.no_sp)
		return;
	machine->registers[machine->record.register_count++] = (struct ear_record_register){
		.reg_class = EAR_REGISTER_X, .number = number, .value = wrap(machine, value)};
}

static void emit_sp(struct call_machine *machine, uint32_t opcode, uint64_t sp)
{
	tell(machine, "sp", sp);
	emit(machine, opcode, 0);
	machine->sp = wrap(machine, sp);
	machine->sp_seen = !machine->hidden && !machine->options.no_sp;
	write_x(machine, 2, sp);
}

static uint64_t function_at(struct call_machine *machine)
{
	return CODE + 0x1000 * (1 + (uint64_t)below(machine, FUNCTIONS));
}

static bool is_calm(const struct active *top)
{
	return top->style != SWITCHING && !(top->style == HANDLER && top->count + top->is_leaving);
}

/* A function is entered by a record that was just made. */
static struct active *enter(struct call_machine *machine, enum style style, uint64_t entry)
{
	struct task *task = current_task(machine);
	struct active *active = &task->active[task->depth++];

	*active = (struct active){
		.kind = EAR_FRAME_CALL,
		.style = style,
		.known = !machine->hidden,
		.position = machine->position,
		.call_pc = machine->record.pc,
		.return_pc = wrap(machine, machine->record.pc + machine->record.opcode_size),
		.entry = entry,
		.pc = entry,
		.sp = machine->sp,
	};
	return active;
}

static void prologue(struct call_machine *machine, struct active *active)
{
	switch (active->style) {
	case FRAMED: todo(active, ADD_SP, -16 * (1 + (int)below(machine, 8))); break;
	case SHORT_FRAMED: todo(active, ADD_SP_SHORT, -64); break;
	case SAVED: todo(active, CALL, BY_T0); break;
	case PUSHED: todo(active, PUSH_SP, -32); break;
	case SAVING:
		todo(active, ADD_SP, -32);
		todo(active, RETURN, BY_T0);
		break;
	case VARIABLE:
		todo(active, ADD_SP, -32);
		todo(active, ADD_SP_BY, -16 * (1 + (int)below(machine, 20)));
		break;
	default: break;
	}
}

/* Give back the frame, so that sp is as at entry. */
static void epilogue(struct call_machine *machine, struct active *active)
{
	int64_t size = (int64_t)(active->sp - machine->sp);

	active->can_jump = false;
	active->is_leaving = true;
	switch (active->style) {
	case FRAMED: todo(active, ADD_SP, size); break;
	case SHORT_FRAMED: todo(active, ADD_SP_SHORT, size); break;
	case VARIABLE:
		todo(active, FRAME_SP, (int64_t)active->sp - 32);
		todo(active, ADD_SP, 32);
		break;
	default: break;
	}
}

static enum way way_of_return(struct call_machine *machine, const struct active *active)
{
	if (active->style == OUTLINED)
		return BY_T0;
	/* Without sp, a jump by any register is no return. */
	return (enum way[]){
		BY_JALR, BY_SHORT, BY_SHORT, BY_T1}[below(machine, machine->sp_seen ? 4 : 3)];
}

static void leave_function(struct call_machine *machine, struct active *active)
{
	epilogue(machine, active);
	if (active->style == SAVED) {
		todo(active, RESTORE, 0);
		todo(active, ADD_SP, 32);
		todo(active, RETURN, BY_SHORT);
	} else if (active->style == PUSHED) {
		todo(active, RETURN, BY_POPRET);
	} else if (active->style != OUTLINED && below(machine, 5) == 0) {
		todo(active, TAIL, below(machine, 2));
	} else {
		todo(active, RETURN, way_of_return(machine, active));
	}
}

static void do_call(struct call_machine *machine, enum way way)
{
	struct active *caller = top_of(current_task(machine));
	static const uint32_t opcodes[] = {
		[BY_JAL] = 0x000000EF,
		[BY_JALR] = 0x000080E7,
		[BY_SHORT] = 0x9782,
		[BY_POINTER] = 0x000280E7,
		[BY_T0] = 0x000002EF,
	};
	uint32_t opcode = opcodes[way];
	uint64_t entry = function_at(machine);
	bool saves = caller->style == SAVED && way == BY_T0 && caller->sp == machine->sp;

	if (way == BY_JAL && machine->options.xlen == 32 && below(machine, 2))
		opcode = EAR_OPCODE_C_JAL;
	tell(machine, "call", entry);
	/* The caller goes on behind the call when it gets the hart again. */
	uint64_t behind = wrap(machine, caller->pc + ear_opcode_size(opcode));
	emit(machine, opcode, entry);
	caller->pc = behind;
	write_x(machine, way == BY_T0 ? 5 : 1, behind);
	enum style style = saves          ? SAVING
			   : way == BY_T0 ? OUTLINED
					  : (enum style)below(machine, PUSHED + 1);
	prologue(machine, enter(machine, style, entry));
}

static void pop(struct task *task)
{
	task->depth--;
}

static void do_return(struct call_machine *machine, enum way way)
{
	struct task *task = current_task(machine);
	struct active *top = top_of(task);
	static const uint32_t opcodes[] = {
		[BY_JALR] = 0x00008067,
		[BY_SHORT] = 0x8082,
		[BY_T0] = 0x8282,
		[BY_T1] = 0x8302,
		[BY_POPRET] = 0xBE46,
	};
	uint64_t target = top->return_pc;

	tell(machine, "return", target);
	emit(machine, opcodes[way], target);
	if (way == BY_POPRET) {
		write_x(machine, 1, target);
		write_x(machine, 2, top->sp);
		machine->sp = top->sp;
	}
	bool leaf = top->style == LEAF;
	pop(task);
	struct active *caller = top_of(task);
	if (leaf && caller->style >= FRAMED && caller->style <= PUSHED && !caller->is_leaving &&
		caller->count == 0 && below(machine, 3) == 0) { /* it was setjmp */
		caller->can_jump = true;
		caller->jump_pc = target;
		caller->jump_sp = machine->sp;
	}
}

static void do_tail(struct call_machine *machine, bool by_register)
{
	struct active *top = top_of(current_task(machine));
	uint64_t entry = function_at(machine);

	tell(machine, "tail call", entry);
	emit(machine, by_register ? 0x00030067 : 0x0000006F, entry);
	top->is_leaving = false;
	top->style = (enum style)below(machine, PUSHED + 1);
	prologue(machine, top);
}

static void do_land(struct call_machine *machine, size_t depth)
{
	struct task *task = current_task(machine);
	uint64_t target = task->active[depth].jump_pc;

	tell(machine, "land", target);
	emit(machine, 0x8082, target);
	task->depth = depth + 1;
	top_of(task)->pc = target;
	top_of(task)->count = 0;
	top_of(task)->is_leaving = false;
}

static void begin_handler(struct call_machine *machine, bool exception);
static void run_next(struct call_machine *machine, struct active *top);

static size_t handlers(const struct task *task)
{
	size_t count = 0;

	for (size_t i = 0; i < task->depth; i++)
		count += task->active[i].style == HANDLER;
	return count;
}

/* The task that gets the hart by a record just made. Returns where it continues. */
static uint64_t resume(struct call_machine *machine, size_t number)
{
	struct task *task = &machine->tasks[number];

	if (task->fresh) {
		task->active[0] = (struct active){
			.style = MAIN, .entry = CODE, .pc = CODE + 0x100 * number, .sp = task->top};
		task->depth = 1;
		task->fresh = false;
		return top_of(task)->pc;
	}
	uint64_t pc = task->by_call ? top_of(task)->return_pc : task->active[task->depth - 2].pc;
	pop(task);
	return pc;
}

static void do_switch(struct call_machine *machine, uint32_t opcode, size_t number, bool by_call)
{
	struct task *left = current_task(machine);
	struct active before = *top_of(left);

	tell(machine, by_call ? "ret to task" : "mret to task", number);
	uint64_t pc = resume(machine, number);
	emit(machine, opcode, pc);
	*top_of(left) = before;
	left->by_call = by_call;
	machine->current = number;
}

static void do_xret(struct call_machine *machine)
{
	struct task *task = current_task(machine);
	uint64_t target = task->active[task->depth - 2].pc;

	tell(machine, "mret", target);
	emit(machine, EAR_OPCODE_MRET, target);
	pop(task);
}

/* A jump within the function: never to where an active one returns to, at the same sp. */
static void do_table(struct call_machine *machine)
{
	const struct task *task = current_task(machine);
	uint64_t target = task->active[task->depth - 1].pc + 2 + 2 * below(machine, 8);

	for (size_t i = task->depth; i > 0; i--) {
		if (target == task->active[i - 1].return_pc) {
			target += 2;
			i = task->depth + 1;
		}
	}
	emit(machine, 0x8782, target);
}

static void run_operation(struct call_machine *machine, struct todo next)
{
	switch (next.operation) {
	case PLAIN: emit(machine, 0x00150513, 0); break;
	case ADD_SP:
		emit_sp(machine, 0x00010113 | (uint32_t)next.a << 20,
			machine->sp + (uint64_t)next.a);
		break;
	case ADD_SP_SHORT:
		emit_sp(machine, next.a < 0 ? 0x7139 : 0x6121, machine->sp + (uint64_t)next.a);
		break;
	case ADD_SP_BY: emit_sp(machine, 0x00510133, machine->sp + (uint64_t)next.a); break;
	case LOAD_SP: emit_sp(machine, 0x00052103, (uint64_t)next.a); break;
	case SWAP_SP: emit_sp(machine, 0x34011173, (uint64_t)next.a); break;
	case FRAME_SP: emit_sp(machine, 0x8122, (uint64_t)next.a); break;
	case PUSH_SP: emit_sp(machine, 0xB846, machine->sp + (uint64_t)next.a); break;
	case CALL: do_call(machine, (enum way)next.a); break;
	case STUB: emit(machine, 0x000E0367, function_at(machine)); break;
	case TABLE: do_table(machine); break;
	case TAIL: do_tail(machine, next.a); break;
	case RESTORE: emit(machine, 0x0000006F, CODE + 0x800); break;
	case RETURN: do_return(machine, (enum way)next.a); break;
	case LAND: do_land(machine, (size_t)next.a); break;
	case ECALL: begin_handler(machine, true); break;
	case XRET: do_xret(machine); break;
	case XRET_TO: do_switch(machine, EAR_OPCODE_MRET, (size_t)next.a, false); break;
	case RET_TO: do_switch(machine, 0x8082, (size_t)next.a, true); break;
	}
}

static void run_next(struct call_machine *machine, struct active *top)
{
	struct todo next = top->queue[top->first];

	top->first = (top->first + 1) % QUEUE;
	top->count--;
	run_operation(machine, next);
}

#define HANDLER_STACK 0x80E00000u
#define SWAP_STACK    0x80F00000u

static void begin_handler(struct call_machine *machine, bool exception)
{
	struct task *task = current_task(machine);
	struct active *below_it = top_of(task);
	bool outermost = handlers(task) == 0;
	uint64_t pc = below_it->pc, entry = CODE + 0x900;
	bool marked = !exception && machine->options.unmarked;

	tell(machine, exception ? "exception" : "interrupt", entry);
	if (!marked) {
		emit(machine, exception ? EAR_OPCODE_ECALL : 0x00000013, entry);
		machine->record.flags = exception ? EAR_RECORD_TRAP : EAR_RECORD_INTERRUPT;
		if (machine->options.no_next_pc)
			machine->record.flags |= EAR_RECORD_NO_NEXT_PC;
	} else {
		machine->next_flags = EAR_RECORD_HANDLER;
	}
	below_it->pc = exception ? wrap(machine, pc + 4) : pc;
	struct active *handler = enter(machine, HANDLER, entry);
	handler->kind = exception ? EAR_FRAME_TRAP : EAR_FRAME_INTERRUPT;
	handler->call_pc = pc;
	if (outermost && !machine->options.no_sp) {
		handler->own_stack = below(machine, 3) == 0;
		handler->swapped = !handler->own_stack && below(machine, 3) == 0;
	}
	if (handler->swapped)
		todo(handler, SWAP_SP, SWAP_STACK);
	else if (!outermost && below(machine, 4) == 0 && !machine->options.no_sp) {
		todo(handler, SWAP_SP, 0); /* mscratch says that it is a nested one */
		todo(handler, SWAP_SP, (int64_t)machine->sp);
	}
	todo(handler, ADD_SP, -CONTEXT);
	if (handler->own_stack)
		todo(handler, LOAD_SP, HANDLER_STACK);
	handler->saved_sp = machine->sp - CONTEXT;
	if (marked) /* the first instruction of the handler is its first record */
		run_next(machine, handler);
}

/* A task that can go on, by mret or only by ret; TASKS if there is none. */
static size_t other_task(struct call_machine *machine, bool by_ret)
{
	size_t number = below(machine, TASKS);
	const struct task *task = &machine->tasks[number];

	if (number == machine->current || machine->options.no_sp)
		return TASKS;
	return task->fresh || task->by_call || !by_ret ? number : TASKS;
}

static void leave_handler(struct call_machine *machine, struct active *handler)
{
	struct task *task = current_task(machine);
	size_t other =
		handlers(task) == 1 && !handler->swapped ? other_task(machine, false) : TASKS;

	handler->is_leaving = true;
	if (other != TASKS)
		task->sp = handler->saved_sp;
	if (handler->own_stack || other != TASKS) {
		todo(handler, LOAD_SP, 0x80D00000 + 64 * (int64_t)other); /* its control block */
		todo(handler, LOAD_SP,
			(int64_t)(other != TASKS ? machine->tasks[other].sp : handler->saved_sp));
	}
	todo(handler, ADD_SP, CONTEXT);
	if (handler->swapped)
		todo(handler, SWAP_SP, (int64_t)handler->sp);
	todo(handler, other != TASKS ? XRET_TO : XRET, (int64_t)other);
}

static void begin_switch(struct call_machine *machine, size_t other)
{
	struct active *caller = top_of(current_task(machine));
	uint64_t behind = wrap(machine, caller->pc + 4);

	tell(machine, "call of the switch", CODE + 0xA00);
	emit(machine, 0x000000EF, CODE + 0xA00);
	caller->pc = behind;
	struct active *active = enter(machine, SWITCHING, CODE + 0xA00);
	current_task(machine)->sp = machine->sp - CONTEXT;
	todo(active, ADD_SP, -CONTEXT);
	todo(active, LOAD_SP, (int64_t)machine->tasks[other].sp);
	todo(active, ADD_SP, CONTEXT);
	todo(active, RET_TO, (int64_t)other);
}

/* longjmp, or an exception, to a function that can take it. False if there is none. */
static bool begin_throw(struct call_machine *machine)
{
	struct task *task = current_task(machine);
	struct active *caller = top_of(task);
	size_t to = below(machine, (unsigned)task->depth);

	for (size_t i = to; i < task->depth; i++) {
		if (task->active[i].style == HANDLER)
			return false;
	}
	if (!task->active[to].can_jump || machine->options.no_sp)
		return false;
	uint64_t sp = task->active[to].jump_sp, behind = wrap(machine, caller->pc + 4);
	tell(machine, "call of longjmp", CODE + 0xB00);
	emit(machine, 0x000000EF, CODE + 0xB00);
	caller->pc = behind;
	struct active *active = enter(machine, THROWING, CODE + 0xB00);
	if (below(machine, 2)) {
		todo(active, LOAD_SP, (int64_t)sp);
	} else {
		todo(active, ADD_SP, -48);
		todo(active, ADD_SP_BY, (int64_t)(sp - (machine->sp - 48)));
	}
	todo(active, LAND, (int64_t)to);
	return true;
}

static bool may_call(const struct active *active)
{
	return (active->style >= FRAMED && active->style <= PUSHED) || active->style == HANDLER ||
	       active->style == MAIN;
}

static void choose(struct call_machine *machine)
{
	struct task *task = current_task(machine);
	struct active *top = top_of(task);
	unsigned dice = below(machine, 100);
	size_t other;

	if (task->depth < DEPTH - 8 && dice < 22 && may_call(top))
		todo(top, CALL, below(machine, BY_POINTER + 1));
	else if (task->depth < DEPTH - 8 && dice < 26 && top->style != OUTLINED)
		todo(top, CALL, BY_T0);
	else if (dice < 50 && top->style == HANDLER)
		leave_handler(machine, top);
	else if (dice < 46 && top->style < SAVING)
		leave_function(machine, top);
	else if (dice < 52)
		todo(top, TABLE, 0);
	else if (dice < 53)
		todo(top, STUB, 0);
	else if (dice < 57 && may_call(top) && task->depth < DEPTH - 8 && begin_throw(machine))
		return;
	else if (dice < 61 && may_call(top) && handlers(task) == 0 && task->depth < DEPTH - 8 &&
		 (other = other_task(machine, true)) != TASKS) {
		begin_switch(machine, other);
		return;
	} else if (dice < 62 && handlers(task) < 3 && task->depth < DEPTH - 8)
		todo(top, ECALL, 0);
	else
		todo(top, PLAIN, 0);
	run_next(machine, top_of(task));
}

/* A task that waits is deleted, and its memory is that of a new one. */
static void delete_task(struct call_machine *machine)
{
	size_t number = below(machine, TASKS);
	struct task *task = &machine->tasks[number];

	if (number == machine->current)
		return;
	tell(machine, "deleted task", number);
	task->fresh = true;
	task->by_call = false;
	task->depth = 0;
	task->sp = task->top - CONTEXT;
}

static void step(struct call_machine *machine)
{
	struct task *task = current_task(machine);
	struct active *top = top_of(task);

	if (is_calm(top) && handlers(task) < 3 && task->depth < DEPTH - 8 &&
		!(machine->lost && machine->options.unmarked) && below(machine, 60) == 0) {
		begin_handler(machine, false);
		return;
	}
	if (below(machine, 3000) == 0)
		delete_task(machine);
	if (top->count == 0) {
		choose(machine);
		return;
	}
	run_next(machine, top);
}

static void lose(struct call_machine *machine, unsigned count)
{
	machine->hidden = true;
	for (unsigned i = 0; i < count; i++)
		step(machine);
	machine->hidden = false;
	machine->lost = true;
	machine->sp_seen = false;
	for (size_t i = 0; i < TASKS; i++) {
		for (size_t j = 0; j < machine->tasks[i].depth; j++)
			machine->tasks[i].active[j].known = false;
	}
	tell(machine, "records are missing", count);
}

struct call_machine *call_machine_new(uint64_t seed, const struct call_machine_options *options)
{
	struct call_machine *machine = calloc(1, sizeof(*machine));

	machine->random.state = seed * 2654435761u + 1;
	machine->options = *options;
	for (size_t i = 0; i < TASKS; i++) {
		machine->tasks[i].top = 0x80400000 + 0x100000 * i;
		machine->tasks[i].sp = machine->tasks[i].top - CONTEXT;
		machine->tasks[i].fresh = true;
	}
	machine->lost = true;
	resume(machine, 0);
	machine->sp = machine->tasks[0].top;
	if (options->skip)
		lose(machine, options->skip);
	return machine;
}

void call_machine_free(struct call_machine *machine)
{
	free(machine);
}

const struct ear_record *call_machine_next(struct call_machine *machine)
{
	unsigned dice = below(machine, 10000);

	if (dice < machine->options.gaps + machine->options.filtered) {
		uint64_t first = machine->index;
		lose(machine, 1 + below(machine, 40));
		if (dice < machine->options.gaps) {
			machine->record = (struct ear_record){
				.kind = EAR_RECORD_GAP,
				.index = machine->index,
				.u.gap = {.reason = EAR_GAP_UNIT_FIFO,
					.count_known = true,
					.first = first,
					.last = machine->index - 1,
					.count = machine->index - first},
			};
			machine->quiet = true;
			machine->position++;
			return &machine->record;
		}
	}
	step(machine);
	machine->lost = false;
	machine->position++;
	return &machine->record;
}

bool call_machine_is_settled(const struct call_machine *machine)
{
	return machine->quiet;
}

size_t call_machine_frames(const struct call_machine *machine, struct ear_call_frame *frames)
{
	const struct task *task = &machine->tasks[machine->current];
	size_t count = 0;

	for (size_t i = task->depth; i > 1 && task->active[i - 1].known; i--) {
		const struct active *active = &task->active[i - 1];
		frames[count++] = (struct ear_call_frame){
			.kind = (uint8_t)active->kind,
			.position = active->position,
			.call_pc = active->call_pc,
			.return_pc = active->return_pc,
		};
	}
	frames[count++] = (struct ear_call_frame){.kind = EAR_FRAME_BASE};
	return count;
}

const char *call_machine_story(const struct call_machine *machine)
{
	return machine->story;
}
