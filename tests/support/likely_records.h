#ifndef EAR_LIKELY_RECORDS_H
#define EAR_LIKELY_RECORDS_H

#include <earshot/record.h>

#include "random.h"

/* Records of RISC-V by chance, for tests of what counts them. They point into themselves: not to be
 * copied. */
struct likely_record {
	struct ear_record record;
	struct ear_record_register regs[2];
	struct ear_record_access access;
};

/* As programs have them: few opcodes, few registers, values that matter. */
void likely_record_make(struct likely_record *likely, struct random *random);

/* Of anything, now and then one that makes no sense. */
void likely_record_any(struct likely_record *likely, struct random *random);

#endif
