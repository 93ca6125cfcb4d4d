#ifndef EAR_ACCESS_TEXT_H
#define EAR_ACCESS_TEXT_H

#include <errno.h>
#include <string.h>

/* Why a device may not be opened: an errno in words, with its remedy. */
static inline const char *ear_access_text(int error)
{
	return error == EACCES ? "no permission; install Earshot's udev rules and plug it in again "
				 "(see earshot doctor)"
			       : strerror(error);
}

#endif
