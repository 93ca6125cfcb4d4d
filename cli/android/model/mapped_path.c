/* Names of the cache of dex files. */
#include "cli/android/model/mapped_path.h"

#include <stdlib.h>
#include <string.h>

char *ear_android_mapped_path(const struct ear_qtrace_text *text)
{
	char *path = malloc(text->size + 2); /* a slash may come in front */

	if (!path)
		return NULL;
	memcpy(path, text->bytes, text->size);
	path[text->size] = '\0';
	const char *slash = strrchr(path, '/');
	char *name = slash ? path + (slash - path) + 1 : path, *mark = strrchr(name, '@');
	if (!mark)
		return path;
	*mark = '\0';
	for (char *at = name; *at; at++)
		*at = *at == '@' ? '/' : *at;
	memmove(path + 1, name, strlen(name) + 1);
	path[0] = '/';
	return path;
}
