#ifndef EAR_CHECK_STATUS_H
#define EAR_CHECK_STATUS_H

#include "library/check/check_state.h"

/* mstatus, field by field, and the privilege that goes with it. Not followed: FS, VS, XS and SD,
 * which hardware sets at any time, and what belongs to a hypervisor.
 */

/* What a record shows of mstatus, or of sstatus, which is a part of it. */
void check_status_learn(struct check_hart *hart, unsigned number, uint64_t value);
void check_status_forget(struct check_hart *hart);
void check_status_reset(struct check_hart *hart);

/* A trap to machine or to supervisor mode; MRET or SRET. Where the hart is afterwards goes to
 * hart->goes_mode. */
void check_status_trap(struct ear_checker *checker, struct check_hart *hart, bool supervisor);
void check_status_return(struct ear_checker *checker, struct check_hart *hart, bool machine);

/* CSR instructions on mstatus or sstatus: what was read; what is written, where the bits of source
 * that are in known are known. */
void check_status_read(
	struct ear_checker *checker, struct check_hart *hart, unsigned number, uint64_t read);
void check_status_write(struct ear_checker *checker, struct check_hart *hart, unsigned number,
	uint64_t source, uint64_t known);

/* Its field MPP. */
struct check_value check_status_mpp(const struct check_hart *hart);

/* One bit of it; false in *known: nobody knows. */
static inline struct check_value check_status_bit(const struct check_hart *hart, uint64_t bit)
{
	return (struct check_value){(hart->status & bit) != 0, (hart->status_known & bit) != 0};
}

#define CHECK_STATUS_SIE  (UINT64_C(1) << 1)
#define CHECK_STATUS_MIE  (UINT64_C(1) << 3)
#define CHECK_STATUS_MPRV (UINT64_C(1) << 17)

#endif
