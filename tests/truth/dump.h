#ifndef TRUTH_DUMP_H
#define TRUTH_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A dump of the virtual board or of the simulator (docs/boards.md, section 1.2), read moment by
 * moment: what the hart and its memory held behind an instruction record.
 */

#define TRUTH_LINE        64
#define TRUTH_PAGE        4096
#define TRUTH_MEMORY_BASE UINT64_C(0x80000000)
#define TRUTH_PAGES_MAX   ((size_t)1 << 19) /* 2 GiB, the largest memory that there is */
#define TRUTH_CSRS        4096

struct truth_dump {
	FILE *file;
	uint64_t line; /* of the file, for messages */

	/* The moment at hand. */
	uint64_t number, pc, next;
	unsigned privilege;
	uint64_t x[32], f[32];
	uint64_t csr[TRUTH_CSRS];
	bool has_f, csr_listed[TRUTH_CSRS];
	uint8_t **pages; /* of the memory from its base on; NULL: zero */
	size_t page_end; /* pages from here on are zero */

	/* What the line after the moment begins: the next one. */
	uint64_t ahead;
	bool has_ahead, ended;
};

/* Returns false after a message on standard error if there is no such dump. */
bool truth_dump_open(struct truth_dump *dump, const char *path);
void truth_dump_close(struct truth_dump *dump);

/* The next moment. Returns 1; 0 at the end; -1 after a message if the file is not what it should
 * be, such as cut off.
 */
int truth_dump_next(struct truth_dump *dump);

/* The bytes of a page of memory; all zero if nothing was written there. */
const uint8_t *truth_dump_page(const struct truth_dump *dump, size_t page);

#endif
