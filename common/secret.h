#ifndef EAR_SECRET_H
#define EAR_SECRET_H

#include <stdbool.h>

/* Is what somebody gave the secret? In a time that does not depend on how much of it is right. */
bool ear_secret_is(const char *given, const char *secret);

#endif
