#ifndef EAR_TARMAC_MODE_H
#define EAR_TARMAC_MODE_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stdint.h>

#include "decoder/text/text_cursor.h"

#define EAR_TARMAC_ANY_PRIVILEGE (EAR_PRIVILEGE_DEBUG + 1) /* unknown, but it is RISC-V */

/* RISC-V modes, as the writers spell them; -1 for others. */
int ear_tarmac_find_privilege(struct ear_text mode);

/* An instruction set (EAR_ISA_*) by its letter. */
uint8_t ear_tarmac_isa_of_set(char set);

/* The letter of a core that has only this set; '\0': there is none. */
char ear_tarmac_set_of_isa(int isa);

bool ear_tarmac_is_aarch64(struct ear_text mode);

/* Our own event of a trap whose cause is unknown: takes that off the name. */
bool ear_tarmac_ends_in_unknown(struct ear_text *name);

#endif
