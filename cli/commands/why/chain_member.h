#ifndef CLI_CHAIN_MEMBER_H
#define CLI_CHAIN_MEMBER_H

#include <earshot/names.h>
#include <earshot/variable.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address of a variable as its debug information has it: "sessions[2].on_packet". */
struct chain_members;

/* NULL without memory: then there are no members. */
struct chain_members *chain_members_new(struct ear_names *names);
void chain_members_free(struct chain_members *members); /* NULL is fine */

/* False: members is NULL, it is in no variable whose type is known, or the variable has no parts.
 * Safe for a terminal. */
bool chain_member_text(struct chain_members *members, uint64_t address, char *text, size_t size);

/* The byte at offset of a variable, without the variable's name: ".on_packet", "[2]+0x1". */
void chain_member_of(const struct ear_variable *variable, uint64_t offset, char *text, size_t size);

#endif
