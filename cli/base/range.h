#ifndef CLI_RANGE_H
#define CLI_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers and ranges of addresses as options take them. */

/* Take a number, decimal or 0x..., from *at, which then is behind it. False: there is none, or it
 * has more than 64 bits.
 */
bool cli_take_number(const char **at, uint64_t *value);

/* Take FIRST-LAST, FIRST+SIZE or one address; last is included. False: it is none of these, it ends
 * before it begins, or it is empty.
 */
bool cli_take_range(const char **at, uint64_t *first, uint64_t *last);

#endif
