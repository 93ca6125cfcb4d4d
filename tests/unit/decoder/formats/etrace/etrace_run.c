/* A random program, what a hart did in it, and its trace: for the tests of decoder and reader. */
#include "etrace_run.h"

#include "check.h"

#include "decoder/formats/etrace/etrace_frame.h"

/* --- The program --- */

struct text {
	uint8_t bytes[RUN_TEXT_SIZE];
	uint32_t size;
};

static void put2(struct text *text, uint32_t opcode)
{
	text->bytes[text->size++] = (uint8_t)opcode;
	text->bytes[text->size++] = (uint8_t)(opcode >> 8);
}

static void put4(struct text *text, uint32_t opcode)
{
	put2(text, opcode);
	put2(text, opcode >> 16);
}

static uint32_t bits(int32_t value, unsigned from, unsigned count)
{
	return (uint32_t)value >> from & ((1u << count) - 1);
}

static void put_branch(struct text *text, int32_t offset)
{
	/* bne x10, x11 */
	put4(text, 0x63 | 1u << 12 | 10u << 15 | 11u << 20 | bits(offset, 11, 1) << 7 |
			   bits(offset, 1, 4) << 8 | bits(offset, 5, 6) << 25 |
			   bits(offset, 12, 1) << 31);
}

static void put_jal(struct text *text, unsigned rd, int32_t offset)
{
	put4(text, 0x6F | rd << 7 | bits(offset, 12, 8) << 12 | bits(offset, 11, 1) << 20 |
			   bits(offset, 1, 10) << 21 | bits(offset, 20, 1) << 31);
}

static void put_jalr(struct text *text, unsigned rd, unsigned rs1, int32_t offset)
{
	put4(text, 0x67 | rd << 7 | rs1 << 15 | bits(offset, 0, 12) << 20);
}

/* Every instruction begins at a multiple of 4: those of 2 bytes come in pairs. The last one of 8 is
 * a return after a branch, and nothing else goes there. */
static bool is_return(uint32_t at)
{
	return at / 4 % 8 == 7;
}

static uint32_t not_return(uint32_t at)
{
	return is_return(at) ? at - 4 : at;
}

static uint32_t forward(struct random *random, uint32_t from)
{
	uint32_t left = (RUN_TEXT_SIZE - 16 - from) / 4;
	uint32_t to = from + 4 * (2 + (uint32_t)random_below(random, left < 12 ? left : 12));

	return not_return(to);
}

static uint32_t anywhere(struct random *random)
{
	return not_return(4 * (uint32_t)random_below(random, (RUN_TEXT_SIZE - 32) / 4));
}

/* auipc x6 and a jump through it, to a constant. */
static void put_far_jump(struct text *text, struct random *random, bool call)
{
	int32_t offset = (int32_t)(forward(random, text->size + 8) - text->size);

	put4(text, 0x17 | 6u << 7);
	put_jalr(text, call ? 1 : 0, 6, offset);
}

static void put_any(struct text *text, struct random *random)
{
	const uint32_t at = text->size;

	if (is_return(at + 4)) {
		put_branch(text, 4);
		put_jalr(text, 0, random_below(random, 2) ? 1 : 5, 0);
		return;
	}
	switch (random_below(random, 14)) {
	case 0:
	case 1:
	case 2: put_branch(text, (int32_t)(anywhere(random) - at)); break;
	case 3: put_jal(text, 0, (int32_t)(forward(random, at) - at)); break;
	case 4: put_jal(text, 1, (int32_t)(forward(random, at) - at)); break;
	case 5: put_jal(text, 5, (int32_t)(forward(random, at) - at)); break;
	case 6: put_jalr(text, 0, 10, 0); break;
	case 7: put_jalr(text, 1, 10, 0); break;
	case 8: put4(text, 0x30200073); break; /* mret */
	case 9:
		if (!is_return(at + 8))
			put_far_jump(text, random, random_below(random, 2));
		break;
	case 10:
		put2(text, 0x0001);
		put2(text, 0x0001);
		break;                          /* c.nop */
	default: put4(text, 0x00150513); break; /* addi x10, x10, 1 */
	}
}

static void make_code(struct etrace_run *run, struct random *random, unsigned xlen)
{
	struct text text = {.size = 0};

	while (text.size < RUN_TEXT_SIZE - 48)
		put_any(&text, random);
	while (text.size < RUN_TEXT_SIZE)
		put_jalr(&text, 0, 10, 0);
	assert_int_equal(ear_flow_code_new(&run->code), 0);
	assert_int_equal(ear_flow_code_add(run->code, RUN_BASE, text.bytes, text.size), 0);
	assert_int_equal(ear_flow_code_finish(run->code, xlen), 0);
}

/* --- What the hart did --- */

struct hart {
	uint64_t pc;
	uint64_t hot[4]; /* where most jumps to registers go */
	uint64_t stack[RUN_ITEMS_MAX];
	size_t depth;
	uint8_t privilege;
	uint64_t time;
	const struct ear_flow_instruction *before;
	uint64_t before_pc;
};

static uint64_t jump_target(
	struct hart *hart, struct random *random, const struct ear_flow_instruction *instruction)
{
	if (hart->before && hart->before->kind == EAR_FLOW_UPPER &&
		hart->before->rd == instruction->rs1)
		return (uint64_t)((int64_t)hart->before_pc + instruction->offset);
	if (instruction->link & EAR_FLOW_RETURN && hart->depth > 0)
		return hart->stack[--hart->depth];
	return random_once_in(random, 3) ? RUN_BASE + anywhere(random)
					 : hart->hot[random_below(random, 4)];
}

static void retire(struct etrace_run *run, struct hart *hart, struct random *random,
	const struct etrace_run_options *options, const struct ear_flow_instruction *instruction)
{
	struct ear_etrace_item *item = &run->items[run->count++];
	uint64_t next = hart->pc + instruction->size;

	*item = (struct ear_etrace_item){.pc = hart->pc,
		.instruction = instruction,
		.privilege = hart->privilege,
		.time = hart->time++};
	switch (instruction->kind) {
	case EAR_FLOW_BRANCH:
		/* Most branches usually do the same. */
		item->taken = random_once_in(random, 8) != ((hart->pc >> 2) % 3 == 0);
		next = item->taken ? ear_flow_target(instruction, hart->pc) : next;
		break;
	case EAR_FLOW_JUMP: next = ear_flow_target(instruction, hart->pc); break;
	case EAR_FLOW_INDIRECT: next = jump_target(hart, random, instruction); break;
	case EAR_FLOW_TRAP_RETURN:
		next = RUN_BASE + anywhere(random);
		if (options->user && random_below(random, 2))
			hart->privilege = (uint8_t)options->user_mode;
		break;
	default: break;
	}
	if (instruction->link & EAR_FLOW_CALL)
		hart->stack[hart->depth++] = hart->pc + instruction->size;
	hart->before = instruction;
	hart->before_pc = hart->pc;
	hart->pc = next;
}

static void trap(struct etrace_run *run, struct hart *hart, struct random *random,
	const struct etrace_run_options *options, const struct ear_etrace_unit *unit)
{
	const struct ear_etrace_vector *vector =
		&unit->vectors[random_below(random, unit->vector_count)];

	run->items[run->count++] = (struct ear_etrace_item){.pc = hart->pc,
		.trap = true,
		.interrupt = vector->interrupt,
		.privilege = hart->privilege,
		.cause = vector->cause,
		.value = vector->interrupt ? 0 : random_below(random, 1u << 31),
		.time = hart->time++};
	hart->privilege = (uint8_t)options->machine_mode;
	hart->pc = vector->address;
	hart->before = NULL;
}

static void make_vectors(struct ear_etrace_unit *unit, struct random *random)
{
	static const uint8_t interrupts[] = {3, 7, 11};

	unit->vector_count = 0;
	for (unsigned i = 0; i < 11; i++) {
		bool interrupt = i >= 8;
		unit->vectors[unit->vector_count++] =
			(struct ear_etrace_vector){.interrupt = interrupt,
				.cause = interrupt ? interrupts[i - 8] : i,
				.address = RUN_BASE + anywhere(random)};
	}
}

static bool may_trap(const struct etrace_run *run, const struct etrace_run_options *options)
{
	if (run->count == 0 || run->count + 1 == options->items)
		return false;
	const struct ear_etrace_item *last = &run->items[run->count - 1];
	if (last->trap)
		return options->double_traps;
	return options->jump_traps || last->instruction->kind < EAR_FLOW_INDIRECT;
}

/* The second half-word of a far jump cannot be a target: the register is then another one. */
void etrace_run_make(struct etrace_run *run, struct ear_etrace_unit *unit, struct random *random,
	const struct etrace_run_options *options)
{
	static struct hart hart;
	struct ear_flow_range range = {0};

	memset(run, 0, sizeof(*run));
	make_code(run, random, unit->xlen);
	make_vectors(unit, random);
	hart = (struct hart){.pc = RUN_BASE, .privilege = (uint8_t)options->machine_mode};
	for (unsigned i = 0; i < 4; i++)
		hart.hot[i] = RUN_BASE + anywhere(random);
	while (run->count < options->items) {
		if (options->trap_every && may_trap(run, options) &&
			random_once_in(random, options->trap_every)) {
			trap(run, &hart, random, options, unit);
			continue;
		}
		const struct ear_flow_instruction *instruction =
			ear_flow_code_at(run->code, &range, hart.pc);
		if (!instruction)
			fail_msg("the run left its text, at %lx", hart.pc);
		retire(run, &hart, random, options, instruction);
	}
}

/* --- The trace --- */

static void write_packet(void *context, const struct ear_etrace_packet *packet)
{
	struct etrace_run *run = context;
	const struct ear_etrace_unit *unit = run->unit;
	const uint64_t time = run->packet_count;
	struct ear_etrace_bits bits = {0};
	uint8_t *at = run->bytes + run->size;

	assert_below(run->size, RUN_BYTES_MAX - 256);
	if (ear_etrace_unit_is_esp(unit)) {
		if (run->aligned && run->packet_count % 8 == 0 && run->packet_count > 0) {
			memset(at, 0, EAR_ESP_ANCHOR_ZEROS);
			at += EAR_ESP_ANCHOR_ZEROS;
		}
		run->packets[run->packet_count] = (size_t)(at - run->bytes);
		ear_esp_packet_put(&bits, unit, unit->full_address, packet);
		at += ear_esp_frame_write(at, &bits, (uint16_t)run->packet_count);
	} else {
		if (run->aligned && run->packet_count % 8 == 0) {
			memset(at, 0, ear_etrace_null_max(unit));
			at += ear_etrace_null_max(unit);
			*at++ = 0x80;
		}
		run->packets[run->packet_count] = (size_t)(at - run->bytes);
		ear_etrace_packet_put(&bits, unit, unit->implicit_exception, packet);
		at += ear_etrace_frame_write(
			at, unit, &bits, 0, unit->timestamp_bytes ? &time : NULL);
	}
	run->packet_count++;
	run->size = (size_t)(at - run->bytes);
}

void etrace_run_encode(struct etrace_run *run, const struct ear_etrace_unit *unit,
	uint32_t resync_max, size_t count)
{
	struct ear_etrace_encoder encoder;

	run->unit = unit;
	run->size = run->packet_count = 0;
	assert_int_equal(ear_etrace_encoder_init(&encoder, unit, resync_max, write_packet, run), 0);
	for (size_t i = 0; i < count; i++)
		ear_etrace_encoder_push(&encoder, &run->items[i]);
	ear_etrace_encoder_finish(&encoder);
	ear_etrace_encoder_fini(&encoder);
}

void etrace_run_fini(struct etrace_run *run)
{
	ear_flow_code_free(run->code);
}
