/* Requests: which function answers which. */
#include "library/names/helper/helper.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/names/helper/helper_file.h"
#include "library/names/helper/helper_lines.h"
#include "library/names/helper/helper_plan.h"
#include "library/names/helper/helper_unwind.h"
#include "library/names/helper_message.h"

#define PLAN_HEAD 16 /* u32 has a pc, 0; u64 pc; then the expression */

struct ear_helper {
	struct helper_file files[EAR_MESSAGE_FILES_MAX];
	uint32_t count;
};

struct ear_helper *ear_helper_new(void)
{
	elf_version(EV_CURRENT);
	return calloc(1, sizeof(struct ear_helper));
}

void ear_helper_free(struct ear_helper *helper)
{
	for (uint32_t i = 0; helper && i < helper->count; i++)
		helper_file_close(&helper->files[i]);
	free(helper);
}

static const char *open_file(struct ear_helper *helper, int fd, struct ear_wire *answer)
{
	struct helper_file *file = &helper->files[helper->count];

	if (fd < 0)
		return "no descriptor";
	if (helper->count == EAR_MESSAGE_FILES_MAX) {
		close(fd);
		return "too many files";
	}
	const char *wrong = helper_file_open(file, fd, answer);
	if (wrong)
		helper_file_close(file);
	else
		helper->count++;
	return wrong;
}

static const char *plan(struct helper_file *file, const uint8_t *bytes, size_t size,
	struct ear_wire *answer, char wrong[HELPER_WRONG_MAX])
{
	if (size < PLAN_HEAD + 1 || bytes[size - 1] != '\0')
		return "a bad request";
	if (!helper_file_dwarf(file))
		return "has no debug information";
	bool good = helper_plan(file, ear_wire_get_u32(bytes) != 0, ear_wire_get_u64(bytes + 8),
		(const char *)bytes + PLAN_HEAD, answer, wrong);
	return good ? NULL : wrong;
}

static const char *answer_file(struct helper_file *file, uint32_t kind, const uint8_t *bytes,
	size_t size, struct ear_wire *answer, char wrong[HELPER_WRONG_MAX])
{
	switch (kind) {
	case EAR_MESSAGE_SYMBOLS: return helper_file_symbols(file, answer);
	case EAR_MESSAGE_LINES: return helper_lines(file, answer);
	case EAR_MESSAGE_SCOPES: return helper_scopes(file, answer);
	case EAR_MESSAGE_PLAN: return plan(file, bytes, size, answer, wrong);
	default: break;
	}
	if (size != sizeof(uint64_t))
		return "a bad request";
	uint64_t pc = ear_wire_get_u64(bytes);
	if (kind == EAR_MESSAGE_LOCALS)
		return helper_locals(file, pc, answer, wrong) ? NULL : wrong;
	if (kind == EAR_MESSAGE_UNWIND)
		return helper_unwind(file, pc, answer);
	return "an unknown request";
}

uint32_t ear_helper_answer(struct ear_helper *helper, uint32_t kind, uint32_t file, int fd,
	const uint8_t *bytes, size_t size, struct ear_wire *answer)
{
	char text[HELPER_WRONG_MAX] = "";
	const char *wrong;

	if (kind == EAR_MESSAGE_OPEN) {
		wrong = open_file(helper, fd, answer);
	} else if (file >= helper->count) {
		wrong = "no such file";
		if (fd >= 0)
			close(fd);
	} else if (kind == EAR_MESSAGE_DEBUG) {
		wrong = fd < 0 ? "no descriptor" : helper_file_debug(&helper->files[file], fd);
	} else {
		if (fd >= 0)
			close(fd);
		wrong = answer_file(&helper->files[file], kind, bytes, size, answer, text);
	}
	if (!wrong && answer->failed)
		wrong = "too much of it, or no memory";
	if (!wrong)
		return kind;
	ear_wire_free(answer);
	ear_wire_put(answer, wrong, strlen(wrong));
	return EAR_MESSAGE_ERROR;
}
