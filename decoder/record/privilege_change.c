/* The last privilege of each hart, to see where it becomes another one.
 */
#include "decoder/record/privilege_change.h"

#include <string.h>

void ear_privileges_reset(struct ear_privileges *privileges)
{
	memset(privileges->of, EAR_PRIVILEGE_UNSEEN, sizeof(privileges->of));
}

int ear_privileges_pass(struct ear_privileges *privileges, const struct ear_record *record)
{
	uint8_t *of = &privileges->of[record->hart], before = *of;

	if (record->kind == EAR_RECORD_GAP)
		*of = EAR_PRIVILEGE_LOST;
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return 0;
	if (record->flags & EAR_RECORD_NO_PRIVILEGE) {
		*of = EAR_PRIVILEGE_LOST;
		return 0;
	}
	*of = record->privilege;
	if (before == EAR_PRIVILEGE_UNSEEN)
		return -1;
	return before != EAR_PRIVILEGE_LOST && before != record->privilege;
}
