/* The version of the library: that of the headers it was built with. */
#include <earshot/earshot.h>

const char *ear_version(void)
{
	return EAR_VERSION;
}
