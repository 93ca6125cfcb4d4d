#ifndef EAR_ISS_DUMP_H
#define EAR_ISS_DUMP_H

#include <stdint.h>

#include "iss/iss.h"

/* The truth at chosen moments: what the simulator holds behind an instruction record, in the form
 * of the virtual board's option --dump (docs/boards.md, section 1.2). Beside what that has there
 * are lines `f N VALUE` for floating point registers, and on RV64 values have 16 digits.
 */
struct iss_dump;

/* Open a dump as "LIST:FILE" or "@LISTFILE:FILE" say. Returns NULL after a message on standard
 * error if that is not possible. The simulator must outlive the dump.
 */
struct iss_dump *iss_dump_new(const char *text, struct ear_iss *iss);

/* The number of the next record behind which the state is wanted, UINT64_MAX if none is. */
uint64_t iss_dump_next(const struct iss_dump *dump);

/* Write the state now: behind that record, which was at pc. */
void iss_dump_write(struct iss_dump *dump, uint64_t pc);

/* Write the end and free everything; NULL is allowed. Returns 0, or EAR_E_IO. */
int iss_dump_end(struct iss_dump *dump);

#endif
