#ifndef EAR_QUERY_H
#define EAR_QUERY_H

#include <earshot/search.h>

/* Does a record meet a query (earshot/search.h)? All but the change of privilege, which is not in
 * the record alone: see ear_privileges.
 */
bool ear_query_holds(const struct ear_query *query, const struct ear_record *record);

/* Is the query one that can be? Returns NULL, or what is wrong with it, a phrase. */
const char *ear_query_fault(const struct ear_query *query);

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
