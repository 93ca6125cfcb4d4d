/* A library of the system by its SONAME, as the program would have been linked with it: RTLD_NOW,
 * since a process that gives up its rights cannot bind a function later.
 */
#include "common/load.h"

#include <dlfcn.h>
#include <string.h>

const char *ear_load(const char *library, const struct ear_load_function *functions, size_t count)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return dlerror();
	for (size_t i = 0; i < count; i++) {
		void *address = dlsym(handle, functions[i].name);
		if (!address)
			return dlerror();
		memcpy(functions[i].pointer, &address, sizeof(address));
	}
	return NULL;
}
