/* Files that GDB reads through the stub: the program of the trace, and nothing else (GDB manual,
 * "File-I/O Remote Protocol Extension", host I/O packets).
 */
#include "cli/gdb/remote_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of the protocol, not of this system. */
#define FILE_EPERM  1u
#define FILE_ENOENT 2u
#define FILE_EBADF  9u
#define FILE_EINVAL 22u

#define THE_FILE 3u /* its descriptor for the client */

static void fail(struct ear_gdb_session *session, unsigned number)
{
	ear_gdb_reply_print(&session->link.reply, "F-1,%x", number);
}

static void open_file(struct ear_gdb_session *session, const char *packet)
{
	const char *program = session->options->program;
	char digits[2 * 4096 + 1];
	uint8_t path[4096 + 1];
	uint64_t flags;
	size_t size = strcspn(packet, ",");

	if (size >= sizeof(digits) || packet[size] != ',') {
		fail(session, FILE_EINVAL);
		return;
	}
	memcpy(digits, packet, size);
	digits[size] = '\0';
	int length = ear_gdb_take_bytes(digits, path, sizeof(path) - 1);
	packet += size + 1;
	if (length < 0 || !ear_gdb_take_hex(&packet, &flags)) {
		fail(session, FILE_EINVAL);
		return;
	}
	path[length] = '\0';
	if (!program || strcmp((const char *)path, program) != 0) {
		fail(session, FILE_ENOENT);
		return;
	}
	if (flags != 0) { /* anything but reading */
		fail(session, FILE_EPERM);
		return;
	}
	if (session->file < 0)
		session->file = open(program, O_RDONLY | O_CLOEXEC);
	if (session->file < 0)
		fail(session, FILE_ENOENT);
	else
		ear_gdb_reply_print(&session->link.reply, "F%x", THE_FILE);
}

/* "3,count,offset" */
static void read_file(struct ear_gdb_session *session, const char *packet)
{
	struct ear_gdb_reply *reply = &session->link.reply;
	uint64_t descriptor, count, offset;
	uint8_t bytes[EAR_GDB_PACKET_MAX / 2];

	if (!ear_gdb_take_hex(&packet, &descriptor) || *packet++ != ',' ||
		!ear_gdb_take_hex(&packet, &count) || *packet++ != ',' ||
		!ear_gdb_take_hex(&packet, &offset) || offset > INT64_MAX) {
		fail(session, FILE_EINVAL);
		return;
	}
	if (descriptor != THE_FILE || session->file < 0) {
		fail(session, FILE_EBADF);
		return;
	}
	size_t wanted = count < sizeof(bytes) ? (size_t)count : sizeof(bytes);
	ssize_t got = pread(session->file, bytes, wanted, (off_t)offset);
	if (got < 0) {
		fail(session, FILE_EINVAL);
		return;
	}
	ear_gdb_reply_print(reply, "F%zx;", (size_t)got);
	(void)ear_gdb_reply_binary(reply, bytes, (size_t)got);
}

static void put_big(uint8_t *at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

/* What it is: 64 bytes, numbers with their highest byte first. */
static void describe_file(struct ear_gdb_session *session)
{
	struct ear_gdb_reply *reply = &session->link.reply;
	uint8_t bytes[64] = {0};
	struct stat file;

	if (session->file < 0 || fstat(session->file, &file)) {
		fail(session, FILE_EBADF);
		return;
	}
	put_big(bytes + 8, 0100444, 4); /* a plain file that can be read */
	put_big(bytes + 12, 1, 4);
	put_big(bytes + 28, (uint64_t)file.st_size, 8);
	put_big(bytes + 36, 512, 8);
	put_big(bytes + 44, ((uint64_t)file.st_size + 511) / 512, 8);
	put_big(bytes + 60, (uint64_t)file.st_mtime, 4);
	ear_gdb_reply_text(reply, "F40;");
	(void)ear_gdb_reply_binary(reply, bytes, sizeof(bytes));
}

void ear_gdb_file(struct ear_gdb_session *session, const char *packet)
{
	if (strncmp(packet, "setfs:", 6) == 0) {
		ear_gdb_reply_text(&session->link.reply, "F0");
	} else if (strncmp(packet, "open:", 5) == 0) {
		open_file(session, packet + 5);
	} else if (strncmp(packet, "pread:", 6) == 0) {
		read_file(session, packet + 6);
	} else if (strncmp(packet, "fstat:", 6) == 0) {
		describe_file(session);
	} else if (strncmp(packet, "close:", 6) == 0) {
		if (session->file >= 0)
			close(session->file);
		session->file = -1;
		ear_gdb_reply_text(&session->link.reply, "F0");
	} else if (strncmp(packet, "pwrite:", 7) == 0 || strncmp(packet, "unlink:", 7) == 0) {
		fail(session, FILE_EPERM);
	} else if (strncmp(packet, "readlink:", 9) == 0) {
		fail(session, FILE_ENOENT);
	}
}
