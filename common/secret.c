/* Comparing a token. strcmp returns at the first difference, so its time says how much was right;
 * here every character of the secret is compared, whatever was given.
 */
#include "common/secret.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool ear_secret_is(const char *given, const char *secret)
{
	const size_t length = strlen(secret), given_length = strlen(given);
	unsigned different = (unsigned)(given_length != length);

	for (size_t i = 0; i < length; i++)
		different |= (unsigned)(uint8_t)secret[i] ^ (uint8_t)given[i % (given_length + 1)];
	return different == 0;
}
