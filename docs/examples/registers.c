/* Who stored what, and from which values: running state over a trace of any format.
 *
 *     registers TRACE [INITIAL-STATE]
 *
 * For every store it prints where it is, the values that it read, and what it wrote:
 *
 *     hart 0 pc 80000056: sw x10, 0x0(x5)  x10=1 x5=80001040  [80001040] = 1
 *
 * A value that no earlier record tells is "?". At the end it prints the registers of hart 0.
 */
#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "library/source/source.h"
#include "library/state/state.h"

/* Bad lines of the initial-state file end the program. */
static int tell(void *context, uint64_t line, uint64_t offset, const char *cause, bool bad)
{
	(void)offset;
	fprintf(stderr, "%s: line %" PRIu64 ": %s\n", (const char *)context, line, cause);
	return bad ? EAR_E_BAD_FILE : 0;
}

static int load_initial(struct ear_state *state, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct ear_text_input *input;

	if (fd < 0)
		return EAR_E_IO;
	int result = ear_text_input_new(&input, fd, NULL, 0);
	if (result == 0) {
		result = ear_state_load(state, input, tell, (void *)(uintptr_t)path);
		ear_text_input_free(input);
	}
	close(fd);
	return result;
}

static void print_store(const struct ear_step *step)
{
	const struct ear_record_access *access = ear_step_access(step, true);
	char text[EAR_INST_TEXT_SIZE];

	ear_inst_disassemble(text, sizeof(text), &step->inst);
	printf("hart %u pc %" PRIx64 ": %s ", step->record->hart, step->record->pc, text);
	for (size_t i = 0; i < step->operand_count; i++) {
		const struct ear_step_operand *operand = &step->operands[i];
		if (!(operand->access & EAR_OPERAND_READ))
			continue;
		printf(" %c%u=", "xfv"[operand->kind], operand -> number);
		if (operand->kind == EAR_OPERAND_V)
			printf("%u registers", operand->count);
		else if (operand->known)
			printf("%" PRIx64, operand->value);
		else
			printf("?");
	}
	if (access && access->has_value)
		printf("  [%" PRIx64 "] = %" PRIx64, access->address, access->value);
	printf("\n");
}

static void print_registers(const struct ear_state *state)
{
	uint64_t value;

	for (unsigned i = 0; i < 32; i++)
		if (ear_state_register(state, 0, EAR_REGISTER_X, i, &value))
			printf("x%u = %" PRIx64 "\n", i, value);
}

static int run(struct ear_source *source, struct ear_state *state)
{
	const struct ear_record *record;
	struct ear_step step;
	int result;

	while ((result = ear_source_next(source, &record)) == 1) {
		result = ear_state_push(state, &step, record);
		if (result < 0)
			return result;
		if (ear_step_is_store(&step) && ear_step_is_executed(&step))
			print_store(&step);
	}
	print_registers(state);
	return result;
}

int main(int argc, char **argv)
{
	struct ear_source *source = NULL;
	struct ear_state *state = NULL;

	if (argc < 2) {
		fprintf(stderr, "usage: registers TRACE [INITIAL-STATE]\n");
		return 2;
	}
	int fd = open(argv[1], O_RDONLY);
	int result = fd < 0 ? EAR_E_IO : ear_state_new(&state);
	if (result == 0 && argc > 2)
		result = load_initial(state, argv[2]);
	if (result == 0)
		result = ear_source_new(&source, fd, &(struct ear_source_options){0});
	if (result == 0)
		result = run(source, state);
	if (result < 0)
		fprintf(stderr, "registers: %s: %s\n", argv[1], ear_error_text(result));
	ear_source_free(source);
	ear_state_free(state);
	if (fd >= 0)
		close(fd);
	return result < 0;
}
