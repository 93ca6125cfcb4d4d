#ifndef EAR_LOAD_H
#define EAR_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Libraries that few runs need are loaded when they are needed: a program that is linked with them
 * pays for it at each start (7 to 9 ms of processor time for Capstone, and as much for
 * libmicrohttpd with what it needs).
 */

/* A function of a library: its name, and a pointer to the pointer that gets its address. */
struct ear_load_function {
	const char *name;
	void *pointer;
};

/* Load a library, and find functions[0 .. count-1] in it. It stays loaded.
 *
 * Returns NULL, or what is wrong, valid until the next call.
 */
const char *ear_load(const char *library, const struct ear_load_function *functions, size_t count);

#endif
