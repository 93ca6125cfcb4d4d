/* earshot-names: reads ELF and DWARF for a process that must not (library/names/README.md). It
 * talks over descriptor 3 and ends with it. Its rights are gone before the first byte comes.
 */
#define _GNU_SOURCE /* close_range */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/sandbox/sandbox.h"
#include "library/names/helper/helper.h"
#include "library/names/helper_message.h"

#define ADDRESS_SPACE (UINT64_C(4) << 30)

static void limit(int resource, rlim_t value)
{
	struct rlimit limits = {value, value};

	setrlimit((__rlimit_resource_t)resource, &limits);
}

/* Nothing is open but the socket, and nothing can be opened. */
static void give_up_rights(void)
{
	struct ear_sandbox_support support;

	close_range(EAR_MESSAGE_FD + 1, ~0u, 0);
	ear_sandbox_support(&support);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	if (!support.sanitized) /* sanitizers reserve terabytes */
		limit(RLIMIT_AS, ADDRESS_SPACE);
	ear_sandbox_enter(EAR_SANDBOX_PARSE, NULL, 0);
}

/* Read a header, and the descriptor that may come with it. Returns false at the end. */
static bool receive_header(uint8_t header[EAR_MESSAGE_HEADER], int *fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {header, EAR_MESSAGE_HEADER};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(EAR_MESSAGE_FD, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
	while (got < 0 && errno == EINTR);
	if (got != EAR_MESSAGE_HEADER)
		return false;
	struct cmsghdr *first = CMSG_FIRSTHDR(&message);
	if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(first), sizeof(*fd));
	return true;
}

static bool receive(uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = recv(EAR_MESSAGE_FD, bytes, size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		size -= (size_t)got;
	}
	return true;
}

static bool send_all(const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(EAR_MESSAGE_FD, bytes, size, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

static bool send_answer(
	uint32_t kind, uint32_t file, uint32_t number, const struct ear_wire *answer)
{
	struct ear_wire header = {0};

	ear_wire_u32(&header, (uint32_t)answer->size);
	ear_wire_u32(&header, kind);
	ear_wire_u32(&header, file);
	ear_wire_u32(&header, number);
	bool sent = !header.failed && send_all(header.bytes, header.size) &&
		    send_all(answer->bytes, answer->size);
	ear_wire_free(&header);
	return sent;
}

/* One request. alarm ends the process: the client says so. */
static bool serve(struct ear_helper *helper, uint8_t *bytes)
{
	uint8_t header[EAR_MESSAGE_HEADER];
	struct ear_wire answer = {0};
	int fd;

	if (!receive_header(header, &fd))
		return false;
	uint32_t size = ear_wire_get_u32(header), kind = ear_wire_get_u32(header + 4),
		 file = ear_wire_get_u32(header + 8), number = ear_wire_get_u32(header + 12);
	if (size > EAR_MESSAGE_REQUEST_MAX || !receive(bytes, size))
		return false;
	alarm(EAR_MESSAGE_SECONDS);
	kind = ear_helper_answer(helper, kind, file, fd, bytes, size, &answer);
	alarm(0);
	bool sent = send_answer(kind, file, number, &answer);
	ear_wire_free(&answer);
	return sent;
}

int main(void)
{
	static uint8_t bytes[EAR_MESSAGE_REQUEST_MAX];
	struct ear_helper *helper;

	if (isatty(EAR_MESSAGE_FD) || fcntl(EAR_MESSAGE_FD, F_GETFD) < 0) {
		fprintf(stderr, "earshot-names: earshot starts this program by itself\n");
		return 2;
	}
	give_up_rights();
	helper = ear_helper_new();
	while (helper && serve(helper, bytes))
		;
	ear_helper_free(helper);
	return 0;
}
