#include "qtrace_folder.h"

#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/earshot-qtrace-XXXXXX";

int folder_make(void)
{
	char name[sizeof(path)];

	memcpy(name, path, sizeof(path));
	assert_non_null(mkdtemp(name));
	int folder = open(name, O_RDONLY | O_DIRECTORY);
	assert_true(folder >= 0);
	return folder;
}

void folder_remove(int folder)
{
	char link[64], name[256];

	for (unsigned file = 0; file < EAR_QTRACE_FILES; file++)
		unlinkat(folder, ear_qtrace_file_name((enum ear_qtrace_file)file), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	ssize_t size = readlink(link, name, sizeof(name) - 1);
	assert_true(size > 0);
	name[size] = '\0';
	rmdir(name);
	close(folder);
}

int folder_open_sample(const char *name)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/qtrace/sample1/%s", EAR_TEST_DATA, name);
	int folder = open(full, O_RDONLY | O_DIRECTORY);
	if (folder < 0)
		fail_msg("%s cannot be opened", full);
	return folder;
}

uint8_t *folder_read(int folder, enum ear_qtrace_file file, size_t *size)
{
	struct stat status;
	int fd = openat(folder, ear_qtrace_file_name(file), O_RDONLY);

	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &status), 0);
	*size = (size_t)status.st_size;
	uint8_t *bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

void folder_write(int folder, enum ear_qtrace_file file, const uint8_t *bytes, size_t size)
{
	int fd = openat(folder, ear_qtrace_file_name(file), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

void folder_copy(int to, int from)
{
	for (unsigned i = 0; i < EAR_QTRACE_FILES; i++) {
		size_t size;
		uint8_t *bytes = folder_read(from, (enum ear_qtrace_file)i, &size);
		if (bytes)
			folder_write(to, (enum ear_qtrace_file)i, bytes, size);
		free(bytes);
	}
}

void folder_assert_equal(int folder, int expected)
{
	for (unsigned i = 0; i < EAR_QTRACE_FILES; i++) {
		enum ear_qtrace_file file = (enum ear_qtrace_file)i;
		const char *name = ear_qtrace_file_name(file);
		size_t size = 0, expected_size = 0, at = 0;
		uint8_t *bytes = folder_read(folder, file, &size);
		uint8_t *expected_bytes = folder_read(expected, file, &expected_size);
		if (!bytes != !expected_bytes)
			fail_msg("only one folder has %s", name);
		while (at < size && at < expected_size && bytes[at] == expected_bytes[at])
			at++;
		if (at < size || at < expected_size)
			fail_msg("%s differs at byte %zu", name, at);
		free(bytes);
		free(expected_bytes);
	}
}
