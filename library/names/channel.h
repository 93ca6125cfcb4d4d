#ifndef EAR_CHANNEL_H
#define EAR_CHANNEL_H

#include <earshot/names.h>
#include <sys/types.h>

#include "library/names/wire.h"

/* The process that reads ELF files, and the socket to it. */
struct ear_channel {
	pid_t pid;
	int fd;          /* -1: there is no process */
	uint32_t number; /* of the last request */
	ear_names_progress *progress;
	void *context;
};

/* Start the process. Returns 0, or EAR_E_IO with the reason in message. */
int ear_channel_open(struct ear_channel *channel, char *message, size_t size);
void ear_channel_close(struct ear_channel *channel);

/* Send a request and wait for its answer. fd: sent along, -1 none. *answer is malloc'd, one byte
 * longer than *answer_size, which is 0.
 *
 * Returns 0. EAR_E_BAD_FILE: the answer is an error, whose sentence is in message, or the process
 * ended, broke the rules or took too long: then it is closed (fd -1) and message says so.
 * EAR_E_CANCELLED: the same, because progress asked for it. EAR_E_NO_MEMORY: closed, too.
 */
struct ear_channel_request {
	uint32_t kind, file;
	int fd;
	const void *bytes;
	size_t size;
};
int ear_channel_ask(struct ear_channel *channel, const struct ear_channel_request *request,
	uint8_t **answer, size_t *answer_size, char *message, size_t size);

#endif
