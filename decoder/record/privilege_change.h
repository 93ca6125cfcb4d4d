#ifndef EAR_PRIVILEGE_CHANGE_H
#define EAR_PRIVILEGE_CHANGE_H

#include <earshot/record.h>
#include <stdint.h>

/* Where harts change their privilege. A record alone does not show that: the one before counts. */

/* The privilege of each hart's last instruction. */
struct ear_privileges {
	uint8_t of[65536]; /* enum ear_privilege, or: */
};

enum {
	EAR_PRIVILEGE_UNSEEN = 0xff, /* nothing of the hart came yet */
	EAR_PRIVILEGE_LOST = 0xfe,   /* a gap came, or a record without one */
};

void ear_privileges_reset(struct ear_privileges *privileges);

/* What the next record is: 1, its privilege is another one than before; 0, it is not, or that is
 * not known; -1: it depends on what came before the first record. The record counts as passed. */
int ear_privileges_pass(struct ear_privileges *privileges, const struct ear_record *record);

#endif
