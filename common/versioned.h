#ifndef EAR_VERSIONED_H
#define EAR_VERSIONED_H

#include <stddef.h>

/* Structs that begin with their size, a size_t, in the program and in the library. They only ever
 * grow at the end, so that what both know is in front.
 */

/* Copy a struct of the program into ours of size bytes; what it does not have is 0. The size in
 * *own is that of ours.
 *
 * Returns 0, or EAR_E_BAD_ARGUMENT if its size is none, or if it sets members that this library
 * does not know. *own then is all 0.
 */
int ear_versioned_read(void *own, size_t size, const void *theirs);

/* Copy our struct into one of the program, as much as it has room for; its size stays. Returns 0,
 * or EAR_E_BAD_ARGUMENT if its size is none. */
int ear_versioned_write(void *theirs, const void *own, size_t size);

/* Copy ours into element i of an array of the program, whose elements have given bytes and no size
 * of their own. */
void ear_versioned_element(void *theirs, size_t given, size_t i, const void *own, size_t size);

#endif
