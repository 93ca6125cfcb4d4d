/* Every line of Whisper's own traces: from pc, opcode and XLEN alone the instruction table
 * gives back the columns source operands, inst info and disassembly.
 *
 * Two things that the opcode does not hold are taken from the trace: whether a branch was
 * taken (the pc= entry of modified regs; a branch that an interrupt displaced has none),
 * and the rounding mode that "dyn" stands for (frm, from the CSR writes of earlier lines
 * of the hart).
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/inst.h"

#define COLUMNS_MAX 12
#define HARTS_MAX   4

enum column { PC, INST, REGISTERS, SOURCES, MEMORY, INFO, PRIVILEGE, TRAP, DISASSEMBLY, HART };

struct sample {
	const char *name;
	unsigned xlen;
	unsigned frm[HARTS_MAX];
	unsigned checked;
};

static unsigned split(char *line, char *columns[COLUMNS_MAX])
{
	unsigned count = 0;

	line[strcspn(line, "\n")] = '\0';
	while (count < COLUMNS_MAX) {
		columns[count++] = line;
		line = strchr(line, ',');
		if (line == NULL)
			break;
		*line++ = '\0';
	}
	return count;
}

/* frm is c2, and bits 7:5 of fcsr, c3. */
static void follow_frm(unsigned *frm, char *registers)
{
	for (char *item = strtok(registers, ";"); item != NULL; item = strtok(NULL, ";")) {
		if (strncmp(item, "c2=", 3) == 0)
			*frm = (unsigned)strtoul(item + 3, NULL, 16) & 7;
		else if (strncmp(item, "c3=", 3) == 0)
			*frm = (unsigned)strtoul(item + 3, NULL, 16) >> 5 & 7;
	}
}

static void check_line(struct sample *sample, unsigned number, char *columns[COLUMNS_MAX])
{
	uint32_t opcode = (uint32_t)strtoul(columns[INST], NULL, 16);
	unsigned long hart = strtoul(columns[HART], NULL, 16);
	bool taken = strstr(columns[REGISTERS], "pc=") != NULL;
	char disassembly[EAR_INST_TEXT_SIZE];
	char sources[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	assert_below(hart, HARTS_MAX);
	ear_inst_decode(&inst, opcode, sample->xlen);
	ear_inst_disassemble(disassembly, sizeof(disassembly), &inst);
	for (char *comma = strchr(disassembly, ','); comma != NULL; comma = strchr(comma, ','))
		*comma = ';';
	const struct ear_inst_mode mode = {.frm = (uint8_t)sample->frm[hart]};
	ear_inst_sources(sources, sizeof(sources), &inst, &mode);

	if (strcmp(disassembly, columns[DISASSEMBLY]) != 0 ||
		strcmp(sources, columns[SOURCES]) != 0 ||
		strcmp(ear_inst_info(&inst, taken), columns[INFO]) != 0)
		fail_msg("%s:%u: %08x is [%s] [%s] [%s], not [%s] [%s] [%s]", sample->name, number,
			(unsigned)opcode, columns[SOURCES], columns[INFO], columns[DISASSEMBLY],
			sources, ear_inst_info(&inst, taken), disassembly);
	follow_frm(&sample->frm[hart], columns[REGISTERS]);
	sample->checked++;
}

static void check_sample(const char *name, unsigned xlen, unsigned lines)
{
	struct sample sample = {.name = name, .xlen = xlen};
	char path[1024];
	char line[4096];
	FILE *file;

	snprintf(path, sizeof(path), EAR_TEST_DATA "/whisper/%s.csv", name);
	file = fopen(path, "r");
	assert_non_null(file);
	for (unsigned number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
		char *columns[COLUMNS_MAX] = {NULL};

		if (strncmp(line, "pc,", 3) == 0)
			continue;
		assert_above(split(line, columns), HART);
		check_line(&sample, number, columns);
	}
	fclose(file);
	assert_int_equal(sample.checked, lines);
}

static void every_line_of_intsort_is_reproduced(void **state)
{
	(void)state;
	check_sample("intsort", 32, 243);
}

static void every_line_of_atomtrap_is_reproduced(void **state)
{
	(void)state;
	check_sample("atomtrap", 32, 529);
}

static void every_line_of_fpmix_is_reproduced(void **state)
{
	(void)state;
	check_sample("fpmix", 64, 3399);
}

static void every_line_of_timer_is_reproduced(void **state)
{
	(void)state;
	check_sample("timer", 64, 287);
}

static void every_line_of_sv39_is_reproduced(void **state)
{
	(void)state;
	check_sample("sv39-ptw", 64, 120);
}

static void every_line_of_multi_is_reproduced(void **state)
{
	(void)state;
	check_sample("multi", 64, 1479);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_intsort_is_reproduced),
		cmocka_unit_test(every_line_of_atomtrap_is_reproduced),
		cmocka_unit_test(every_line_of_fpmix_is_reproduced),
		cmocka_unit_test(every_line_of_timer_is_reproduced),
		cmocka_unit_test(every_line_of_sv39_is_reproduced),
		cmocka_unit_test(every_line_of_multi_is_reproduced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
