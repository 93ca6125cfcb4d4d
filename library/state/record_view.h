#ifndef EAR_RECORD_VIEW_H
#define EAR_RECORD_VIEW_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a record says about CSRs that several numbers show, and about its privilege, from the
 * records before it on the same side and hart.
 *
 * One side alone is looked at, in the order of its records, so the view of a record is the same
 * however far the comparison has read ahead.
 */
enum ear_csr_group {
	EAR_GROUP_FCSR,    /* fflags, frm, fcsr; and the flags that are raised */
	EAR_GROUP_VCSR,    /* vxsat, vxrm, vcsr */
	EAR_GROUP_STATUS,  /* mstatus, and sstatus, which has some of its bits */
	EAR_GROUP_STATUSH, /* mstatush of RV32 */
	EAR_GROUP_VSSTATUS,
	EAR_GROUP_IE, /* mie, and of it sie what is delegated */
	EAR_GROUP_IP, /* mip, sip */
	EAR_GROUP_VSTART,
	EAR_GROUP_VL,
	EAR_GROUP_VTYPE,
	EAR_GROUP_TCONTROL, /* set by each trap and mret */
	EAR_GROUP_COUNT
};

/* A record's effect on one group, in the bits of the widest CSR. */
struct ear_csr_effect {
	uint64_t mask;  /* bits that are listed */
	uint64_t value; /* theirs */
	uint64_t known; /* bits whose value before is known */
	uint64_t before;
	uint16_t number; /* a CSR of the group that is listed, else its widest one */
};

/* Most records write no CSR: effects of a group are set only if it is listed or implied. */
struct ear_record_view {
	uint16_t listed;  /* groups of which the record lists a CSR: a set of 1 << group */
	uint16_t implied; /* groups with a mask by what the instruction does */
	uint16_t stray;   /* a listed CSR whose value has bits that it shows nothing of; 0: none */
	bool csrs;        /* it lists a CSR, of a group or not */
	bool has_privilege;
	uint8_t privilege;                   /* shown, or that of the record before */
	uint8_t fflags_before, fflags_known; /* the flags so far, and which of them are known */
	uint32_t kept;    /* vector registers that are listed with the value that they had */
	uint32_t unknown; /* and those whose value before is not known */
	struct ear_csr_effect effects[EAR_GROUP_COUNT];
};

/* The bits of the group that the record shows. */
static inline uint64_t ear_view_mask(const struct ear_record_view *view, enum ear_csr_group group)
{
	return (view->listed | view->implied) >> group & 1 ? view->effects[group].mask : 0;
}

/* *to = *from. */
static inline void ear_view_copy(struct ear_record_view *to, const struct ear_record_view *from)
{
	if (from->listed | from->implied)
		*to = *from;
	else
		memcpy(to, from, offsetof(struct ear_record_view, effects));
}

/* The state of a side and hart; all zero at first. Freed by ear_view_state_fini. */
struct ear_view_state {
	uint64_t value[EAR_GROUP_COUNT], known[EAR_GROUP_COUNT];
	uint64_t delegated; /* mideleg */
	uint64_t guest;     /* hideleg */
	bool has_delegated, has_guest;
	bool has_privilege;
	uint8_t privilege; /* of the next record */
	uint8_t *vectors;  /* the 32 vector registers, once one was seen */
	size_t vector_size;
	uint32_t vector_known;
};

/* The next record of the side. trap_csrs: a trap lists the CSRs that it writes; without, their
 * values are unknown after it. */
void ear_view_next(struct ear_view_state *state, struct ear_record_view *view,
	const struct ear_record *record, bool trap_csrs);
void ear_view_state_fini(struct ear_view_state *state);

/* The group of a CSR, EAR_GROUP_COUNT if it is in none. */
enum ear_csr_group ear_csr_group_of(uint16_t number);

#endif
