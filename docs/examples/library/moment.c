/* What the registers and the top of the stack held after an instruction, and who had called whom.
 *
 *     ./moment run.shot NUMBER
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/earshot.h>

static void print_registers(const struct ear_moment *moment, uint16_t hart)
{
	char name[16];
	uint64_t value;

	for (unsigned i = 1; i < 32; i++) {
		ear_register_name(EAR_REGISTER_X, i, name, sizeof(name));
		if (ear_moment_register(moment, hart, EAR_REGISTER_X, i, &value))
			printf("%-4s %" PRIx64 "\n", name, value);
		else
			printf("%-4s ?\n", name);
	}
}

static void print_memory(struct ear_moment *moment, uint64_t address)
{
	uint8_t bytes[32], known[32];

	if (ear_moment_memory(moment, address, bytes, known, sizeof(bytes), NULL) < 0)
		return;
	printf("%" PRIx64 ":", address);
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (known[i] != EAR_BYTE_UNKNOWN)
			printf(" %02x", bytes[i]);
		else
			printf(" ??");
	printf("\n");
}

static void print_stack(struct ear_moment *moment, uint16_t hart)
{
	static const char *const kinds[] = {"base", "call", "exception", "interrupt"};
	struct ear_call_frame frames[16];
	int64_t count = ear_moment_stack(moment, hart, frames, sizeof(frames[0]), 16, NULL);

	for (int64_t i = 0; i < count && i < 16; i++)
		printf("#%" PRId64 " %s of %" PRIx64 "\n", i, kinds[frames[i].kind],
			frames[i].entry);
}

int main(int argc, char **argv)
{
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_moment *moment = NULL;
	struct ear_trace *trace;
	uint64_t pc, sp;

	if (argc != 3) {
		fprintf(stderr, "usage: moment TRACE NUMBER\n");
		return 2;
	}
	options.error = error;
	if (ear_trace_open(&trace, argv[1], &options) != 0) {
		fprintf(stderr, "moment: %s\n", error);
		return 1;
	}
	/* The moment after an instruction is that of the position after it. */
	int result = ear_trace_seek_number(trace, strtoull(argv[2], NULL, 0), NULL);
	if (result == 0)
		fprintf(stderr, "moment: there is no such instruction\n");
	if (result == 1)
		result = ear_moment_new(&moment, trace, ear_trace_position(trace) + 1, NULL);
	if (result < 0)
		fprintf(stderr, "moment: %s\n", ear_trace_error(trace));
	if (moment) {
		uint16_t hart = ear_moment_hart(moment);
		if (ear_moment_next_pc(moment, hart, &pc))
			printf("next pc %" PRIx64 "\n", pc);
		print_registers(moment, hart);
		if (ear_moment_register(moment, hart, EAR_REGISTER_X, 2, &sp))
			print_memory(moment, sp);
		print_stack(moment, hart);
	}
	ear_moment_free(moment);
	ear_trace_close(trace);
	return moment == NULL;
}
