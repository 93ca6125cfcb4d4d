/* An ELF file, through all requests of earshot-names, in this process. What libelf, libdw and the
 * demangler do with it is theirs: earshot-names may crash. Wrong is what is ours: a crash in our
 * own code, and an answer that the client would refuse.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "library/names/helper/helper.h"
#include "library/names/helper_message.h"
#include "library/names/names_tables.h"
#include "target.h"

static void expect(bool right)
{
	if (!right)
		abort();
}

/* Returns true if the answer is no error. */
static bool ask(struct ear_helper *helper, uint32_t kind, int fd, const void *bytes, size_t size,
	struct ear_wire *answer)
{
	*answer = (struct ear_wire){0};
	return ear_helper_answer(helper, kind, 0, fd, bytes, size, answer) == kind;
}

static void try_tables(struct ear_helper *helper)
{
	struct names_symbols symbols;
	struct names_lines lines;
	struct names_scopes scopes;
	struct ear_wire answer;

	if (ask(helper, EAR_MESSAGE_SYMBOLS, -1, NULL, 0, &answer)) {
		expect(names_symbols_read(&symbols, answer.bytes, answer.size) == 0);
		names_symbols_free(&symbols);
	}
	ear_wire_free(&answer);
	if (ask(helper, EAR_MESSAGE_LINES, -1, NULL, 0, &answer)) {
		expect(names_lines_read(&lines, answer.bytes, answer.size) == 0);
		names_lines_free(&lines);
	}
	ear_wire_free(&answer);
	if (ask(helper, EAR_MESSAGE_SCOPES, -1, NULL, 0, &answer)) {
		expect(names_scopes_read(&scopes, answer.bytes, answer.size) == 0);
		names_scopes_free(&scopes);
	}
	ear_wire_free(&answer);
}

static void try_plan(struct ear_helper *helper, uint64_t pc, const char *expression)
{
	struct ear_wire request = {0}, answer;

	ear_wire_u32(&request, pc != 0);
	ear_wire_u32(&request, 0);
	ear_wire_u64(&request, pc);
	ear_wire_put(&request, expression, strlen(expression) + 1);
	ask(helper, EAR_MESSAGE_PLAN, -1, request.bytes, request.size, &answer);
	ear_wire_free(&request);
	ear_wire_free(&answer);
}

static void try_pc(struct ear_helper *helper, uint64_t pc)
{
	struct ear_wire request = {0}, answer;

	ear_wire_u64(&request, pc);
	ask(helper, EAR_MESSAGE_LOCALS, -1, request.bytes, request.size, &answer);
	ear_wire_free(&answer);
	ask(helper, EAR_MESSAGE_UNWIND, -1, request.bytes, request.size, &answer);
	ear_wire_free(&answer);
	ear_wire_free(&request);
	try_plan(helper, pc, "this->count");
	try_plan(helper, pc, "value");
}

int fuzz_elf(const uint8_t *bytes, size_t size)
{
	struct names_facts facts;
	struct ear_wire answer;
	int fd = memfd_create("elf", 0);
	struct ear_helper *helper = ear_helper_new();

	if (fd < 0 || !helper || write(fd, bytes, size) != (ssize_t)size)
		abort();
	if (ask(helper, EAR_MESSAGE_OPEN, fd, NULL, 0, &answer)) {
		expect(names_facts_read(&facts, answer.bytes, answer.size) == 0);
		try_tables(helper);
		try_pc(helper, facts.file.entry);
		for (size_t i = 0; i < facts.file.section_count && i < 4; i++)
			try_pc(helper, facts.sections[i].address + 8);
		try_plan(helper, 0, "ns::shelf.count");
		try_plan(helper, 0, "*ns::pointer");
		names_facts_free(&facts);
	}
	ear_wire_free(&answer);
	ear_helper_free(helper);
	return 0;
}
