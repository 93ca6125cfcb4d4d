/* Reading dumps. A moment lists what changed since the one before, so the state is kept and lines
 * go into it. The line that begins the next moment ends the one at hand.
 */
#include "dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char FIRST_LINE[] = "# earshot-board dump 1\n";

static int bad(const struct truth_dump *dump, const char *what)
{
	fprintf(stderr, "dump, line %" PRIu64 ": %s\n", dump->line, what);
	return -1;
}

bool truth_dump_open(struct truth_dump *dump, const char *path)
{
	char text[64];

	memset(dump, 0, sizeof(*dump));
	dump->pages = calloc(TRUTH_PAGES_MAX, sizeof(*dump->pages));
	dump->file = fopen(path, "r");
	dump->line = 1;
	if (!dump->pages || !dump->file || !fgets(text, sizeof(text), dump->file) ||
		strcmp(text, FIRST_LINE) != 0) {
		fprintf(stderr, "%s: no dump\n", path);
		truth_dump_close(dump);
		return false;
	}
	return true;
}

void truth_dump_close(struct truth_dump *dump)
{
	for (size_t page = 0; page < dump->page_end; page++)
		free(dump->pages[page]);
	free(dump->pages);
	if (dump->file)
		fclose(dump->file);
	memset(dump, 0, sizeof(*dump));
}

static uint8_t *make_page(struct truth_dump *dump, uint64_t address)
{
	uint64_t page = (address - TRUTH_MEMORY_BASE) / TRUTH_PAGE;

	if (address < TRUTH_MEMORY_BASE || page >= TRUTH_PAGES_MAX)
		return NULL;
	if (!dump->pages[page])
		dump->pages[page] = calloc(1, TRUTH_PAGE);
	if (page >= dump->page_end)
		dump->page_end = page + 1;
	return dump->pages[page];
}

static int take_memory(struct truth_dump *dump, const char *text)
{
	char *digits;
	uint64_t address = strtoull(text, &digits, 16);
	uint8_t *page = make_page(dump, address);

	if (!page || address % TRUTH_LINE || strlen(digits) != 2 * TRUTH_LINE + 2)
		return bad(dump, "no line of memory");
	for (size_t i = 0; i < TRUTH_LINE; i++) {
		char byte[3] = {digits[1 + 2 * i], digits[2 + 2 * i], '\0'};
		page[address % TRUTH_PAGE + i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return 0;
}

static int take_register(struct truth_dump *dump, const char *text)
{
	unsigned number;
	uint64_t value;
	char key;

	if (sscanf(text, "%c %u %" SCNx64, &key, &number, &value) != 3)
		return bad(dump, "no register");
	if (key == 'x' && number < 32) {
		dump->x[number] = value;
	} else if (key == 'f' && number < 32) {
		dump->f[number] = value;
		dump->has_f = true;
	} else if (key == 'c' && number < TRUTH_CSRS) {
		dump->csr[number] = value;
		dump->csr_listed[number] = true;
	} else {
		return bad(dump, "no such register");
	}
	return 0;
}

static int take_line(struct truth_dump *dump, const char *text)
{
	if (text[0] == 'm' && text[1] == ' ')
		return take_memory(dump, text + 2);
	if (strchr("xfc", text[0]) && text[1] == ' ')
		return take_register(dump, text);
	if (sscanf(text, "pc %" SCNx64, &dump->pc) == 1 ||
		sscanf(text, "next %" SCNx64, &dump->next) == 1 ||
		sscanf(text, "privilege %u", &dump->privilege) == 1)
		return 0;
	return bad(dump, "not understood");
}

int truth_dump_next(struct truth_dump *dump)
{
	char text[256];

	if (dump->ended)
		return 0;
	dump->number = dump->ahead;
	bool inside = dump->has_ahead;
	while (fgets(text, sizeof(text), dump->file)) {
		dump->line++;
		if (text[0] == '#') {
			dump->ended = true;
			return inside;
		}
		if (sscanf(text, "after %" SCNu64, &dump->ahead) == 1) {
			dump->has_ahead = true;
			if (inside)
				return 1;
			dump->number = dump->ahead;
			inside = true;
			continue;
		}
		if (!inside || take_line(dump, text) < 0)
			return bad(dump, "damaged");
	}
	return bad(dump, "cut off");
}

const uint8_t *truth_dump_page(const struct truth_dump *dump, size_t page)
{
	static const uint8_t zero[TRUTH_PAGE];

	return page < dump->page_end && dump->pages[page] ? dump->pages[page] : zero;
}
