/* Stands in for earshot-names after a hostile file has taken it over: answers each request with
 * whatever FAKE_NAMES says.
 *
 *   hang   nothing, for a minute
 *   die    ends by a signal
 *   end    ends
 *   long   a header that promises 4 GiB
 *   other  the answer to another request
 *   SEED   random bytes of a random length; the header is right
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "library/names/helper_message.h"
#include "library/names/wire.h"
#include "random.h"

static void fill(uint8_t *bytes, size_t size, struct random *random)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = random_once_in(random, 3) ? (uint8_t)random_next(random)
						     : (uint8_t)random_below(random, 3);
	if (size > 0)
		bytes[size - 1] = 0;
}

static int answer(const char *what, struct random *random, uint8_t header[EAR_MESSAGE_HEADER])
{
	static uint8_t bytes[4096];
	size_t size = (size_t)random_below(random, sizeof(bytes));

	if (strcmp(what, "hang") == 0)
		sleep(60);
	if (strcmp(what, "die") == 0)
		raise(SIGKILL); /* no sanitizer makes an exit of it */
	if (strcmp(what, "end") == 0)
		return 0;
	if (strcmp(what, "long") == 0)
		memset(header, 0xff, 4);
	else
		memcpy(header, (uint8_t[]){(uint8_t)size, (uint8_t)(size >> 8), 0, 0}, 4);
	if (strcmp(what, "other") == 0)
		header[12]++;
	fill(bytes, size, random);
	return send(EAR_MESSAGE_FD, header, EAR_MESSAGE_HEADER, MSG_NOSIGNAL) > 0 &&
	       send(EAR_MESSAGE_FD, bytes, size, MSG_NOSIGNAL) >= 0;
}

int main(void)
{
	const char *what = getenv("FAKE_NAMES");
	struct random random = {what && atoi(what) ? (uint64_t)atoi(what) : 1};
	uint8_t header[EAR_MESSAGE_HEADER], body[EAR_MESSAGE_REQUEST_MAX];

	while (what && recv(EAR_MESSAGE_FD, header, sizeof(header), MSG_WAITALL) ==
			       (ssize_t)sizeof(header)) {
		size_t size = ear_wire_get_u32(header);
		if (size > 0 && recv(EAR_MESSAGE_FD, body, size, MSG_WAITALL) != (ssize_t)size)
			return 1;
		if (!answer(what, &random, header))
			return 0;
	}
	return 0;
}
