#ifndef EAR_QTRACE_MARK_H
#define EAR_QTRACE_MARK_H

#include <stdint.h>

/* The file qtrace.earshot, which is Earshot's own: what the other files have no place for
 * (docs/android.md, section 7). Lines of words:
 *
 *     earshot 1
 *     isa rv32
 *     pid 32767 40000
 */
#define EAR_QTRACE_MARK_NAME "qtrace.earshot"

struct ear_qtrace_mark {
	unsigned xlen;  /* 32 or 64: entries are halfwords of RISC-V; 0: ARM and Thumb */
	uint64_t *pids; /* EAR_QTRACE_PIDS: the pid that each pid of the files is; NULL: itself */
};

/* Read it. A directory without it is of the emulator: all zero.
 * Returns 0, EAR_E_IO (errno), EAR_E_NO_MEMORY, or EAR_E_BAD_FILE if a line is not known. */
int ear_qtrace_mark_read(struct ear_qtrace_mark *mark, int folder);

/* Free what it has; it may be all zero. */
void ear_qtrace_mark_fini(struct ear_qtrace_mark *mark);

/* Write it; where there is nothing to say, only over one that is there. Returns 0 or EAR_E_IO
 * (errno). */
int ear_qtrace_mark_write(const struct ear_qtrace_mark *mark, int folder);

#endif
