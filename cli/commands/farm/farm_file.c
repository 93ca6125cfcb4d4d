/* Files of a farm's folder, which several machines share: a name is there when its contents are. */
#include "cli/commands/farm/farm_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"

#define HASHED_END ((off_t)1 << 20)

bool farm_path(char *path, const char *folder, const char *format, ...)
{
	va_list arguments;
	int length = snprintf(path, FARM_PATH, "%s/", folder);

	if (length < FARM_PATH) {
		va_start(arguments, format);
		length += vsnprintf(path + length, FARM_PATH - (size_t)length, format, arguments);
		va_end(arguments);
	}
	if (length < FARM_PATH - 64)
		return true;
	cli_error("%s: the name is too long", folder);
	return false;
}

FILE *farm_file_begin(char *temporary, const char *path)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint64_t)getpid();
	snprintf(temporary, FARM_PATH, "%.*s.%016llx.tmp", FARM_PATH - 32, path,
		(unsigned long long)random);
	int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
	if (!file)
		cli_error("%s: %s", temporary, strerror(errno));
	return file;
}

bool farm_file_end(FILE *file, const char *temporary, const char *path)
{
	bool good = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
	int error = errno;

	if (fclose(file) != 0 && good) {
		error = errno;
		good = false;
	}
	if (good && rename(temporary, path) != 0) {
		error = errno;
		good = false;
	}
	if (!good) {
		cli_error("%s: %s", path, strerror(error));
		(void)unlink(temporary);
	}
	return good;
}

void farm_put_word(FILE *file, const char *word)
{
	if (!word[0] || strcmp(word, "-") == 0) {
		fputs(word[0] ? "%2d" : "-", file);
		return;
	}
	for (; *word; word++) {
		unsigned char byte = (unsigned char)*word;
		if (byte <= ' ' || byte >= 0x7F || byte == '%')
			fprintf(file, "%%%02x", byte);
		else
			fputc(byte, file);
	}
}

static int digit(char text)
{
	return text >= '0' && text <= '9'   ? text - '0'
	       : text >= 'a' && text <= 'f' ? text - 'a' + 10
					    : -1;
}

bool farm_get_word(char *word)
{
	char *to = word;

	if (strcmp(word, "-") == 0) {
		word[0] = '\0';
		return true;
	}
	for (; *word; word++) {
		int byte = (unsigned char)*word;
		if (byte == '%') {
			int high = digit(word[1]), low = high < 0 ? -1 : digit(word[2]);
			if (low < 0 || (high == 0 && low == 0))
				return false;
			byte = high << 4 | low;
			word += 2;
		}
		*to++ = (char)byte;
	}
	*to = '\0';
	return true;
}

/* Hashes of long files, which are looked at several times in a run: to keep a result, before the
 * merge, to show it. A file is only ever replaced by another one, so its inode, size and time say
 * whether it is the same.
 */
static struct known {
	struct stat status;
	char hash[FARM_HASH_SIZE];
} known[256];

#define KNOWN_SIZE ((off_t)1 << 20) /* a shorter one is read again */

static struct known *find_known(const struct stat *status)
{
	return &known[status->st_ino % (sizeof(known) / sizeof(known[0]))];
}

static bool is_known(const struct stat *status)
{
	const struct stat *one = &find_known(status)->status;

	return status->st_size >= KNOWN_SIZE && one->st_size == status->st_size &&
	       one->st_ino == status->st_ino && one->st_dev == status->st_dev &&
	       one->st_mtim.tv_sec == status->st_mtim.tv_sec &&
	       one->st_mtim.tv_nsec == status->st_mtim.tv_nsec;
}

/* Returns false with errno. */
static bool hash_bytes(int fd, off_t size, bool ends_only, char hash[FARM_HASH_SIZE])
{
	SHA2_CTX context;
	uint8_t digest[SHA256_DIGEST_LENGTH], buffer[16384];
	ssize_t count = 0;

	SHA256Init(&context);
	for (off_t at = 0; at < size; at += count) {
		if (ends_only && at == HASHED_END && size > 2 * HASHED_END)
			at = size - HASHED_END;
		count = pread(fd, buffer, sizeof(buffer), at);
		if (count <= 0)
			break;
		SHA256Update(&context, buffer, (size_t)count);
	}
	if (count < 0)
		return false;
	SHA256Final(digest, &context);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	return true;
}

bool farm_hash(const char *path, bool ends_only, char hash[65], unsigned long long *size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		errno = EINVAL;
		return false;
	}
	*size = (unsigned long long)status.st_size;
	if (!ends_only && is_known(&status)) {
		memcpy(hash, find_known(&status)->hash, FARM_HASH_SIZE);
		close(fd);
		return true;
	}
	bool good = hash_bytes(fd, status.st_size, ends_only, hash);
	int error = errno;
	close(fd);
	errno = error;
	if (good && !ends_only) {
		find_known(&status)->status = status;
		memcpy(find_known(&status)->hash, hash, FARM_HASH_SIZE);
	}
	return good;
}

bool farm_exists(const char *path)
{
	return access(path, F_OK) == 0;
}
