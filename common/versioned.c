/* Structs whose size says by which header a program was built. A member that an older program does
 * not know is 0, which always means what the library did before it had that member. A newer program
 * may set one that this library does not know: that is refused, since it would be ignored in
 * silence.
 */
#include "common/versioned.h"

#include <string.h>

#include <earshot/error.h>

int ear_versioned_read(void *own, size_t size, const void *theirs)
{
	const unsigned char *bytes = theirs;
	size_t given;

	memset(own, 0, size);
	memcpy(&given, theirs, sizeof(given));
	if (given < sizeof(given) || given > 65536)
		return EAR_E_BAD_ARGUMENT;
	for (size_t i = size; i < given; i++)
		if (bytes[i])
			return EAR_E_BAD_ARGUMENT;
	memcpy(own, theirs, given < size ? given : size);
	memcpy(own, &size, sizeof(size));
	return 0;
}

int ear_versioned_write(void *theirs, const void *own, size_t size)
{
	size_t given;

	memcpy(&given, theirs, sizeof(given));
	if (given < sizeof(given) || given > 65536)
		return EAR_E_BAD_ARGUMENT;
	memcpy((char *)theirs + sizeof(given), (const char *)own + sizeof(given),
		(given < size ? given : size) - sizeof(given));
	if (given > size)
		memset((char *)theirs + size, 0, given - size);
	return 0;
}

void ear_versioned_element(void *theirs, size_t given, size_t i, const void *own, size_t size)
{
	unsigned char *element = (unsigned char *)theirs + i * given;

	memcpy(element, own, given < size ? given : size);
	if (given > size)
		memset(element + size, 0, given - size);
}
