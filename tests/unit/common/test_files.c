/* Files that are written, files beside the program, and who uses a file. */
#define _GNU_SOURCE /* memrchr */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file_user.h"
#include "common/output_file.h"
#include "common/own_file.h"

static char path[] = "/tmp/earshot-files-XXXXXX";

static int make_file(void **state)
{
	(void)state;
	strcpy(strrchr(path, '-') + 1, "XXXXXX");
	int fd = mkstemp(path);
	assert_at_least(fd, 0);
	assert_int_equal(write(fd, "before", 6), 6);
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* As this process is named in messages. */
static void expect_this_process(const char *who)
{
	char name[64] = "", expected[96];
	FILE *file = fopen("/proc/self/comm", "re");

	assert_non_null(file);
	assert_non_null(fgets(name, sizeof(name), file));
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	snprintf(expected, sizeof(expected), "%s, process %d", name, getpid());
	assert_string_equal(who, expected);
}

static void who_has_a_file_open_is_found(void **state)
{
	char who[96] = "somebody";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_at_least(fd, 0);
	assert_true(ear_file_user(who, sizeof(who), path));
	expect_this_process(who);
	close(fd);
	assert_false(ear_file_user(who, sizeof(who), path));
	assert_string_equal(who, "");
}

static void a_reader_is_not_the_holder_of_the_lock(void **state)
{
	char who[96] = "somebody";
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fstat(fd, &status), 0);
	assert_false(ear_file_lock_holder(who, sizeof(who), &status));
	assert_string_equal(who, "");
	close(fd);
}

static void a_file_that_is_written_is_left_alone_and_its_writer_named(void **state)
{
	char who[96] = "somebody";
	struct stat status;
	int first = ear_output_file_open(path, who, sizeof(who));

	(void)state;
	assert_at_least(first, 0);
	assert_string_equal(who, "");
	assert_int_equal(write(first, "older text", 10), 10);
	close(first);
	first = ear_output_file_open(path, who, sizeof(who));
	assert_int_equal(fstat(first, &status), 0);
	assert_int_equal(status.st_size, 10); /* kept */
	assert_int_equal(ear_output_file_empty(first), 0);
	assert_int_equal(fstat(first, &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(write(first, "mine", 4), 4);

	errno = 0;
	assert_int_equal(ear_output_file_open(path, who, sizeof(who)), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	expect_this_process(who);
	assert_int_equal(fstat(first, &status), 0);
	assert_int_equal(status.st_size, 4); /* untouched */

	close(first);
	int second = ear_output_file_open(path, who, sizeof(who));
	assert_at_least(second, 0);
	close(second);
}

static void what_is_no_regular_file_is_opened_as_it_is(void **state)
{
	char who[96] = "somebody";
	int first = ear_output_file_open("/dev/null", who, sizeof(who));
	int second = ear_output_file_open("/dev/null", who, sizeof(who));

	(void)state;
	assert_at_least(first, 0);
	assert_at_least(second, 0);
	assert_int_equal(ear_output_file_empty(first), 0);
	close(first);
	close(second);
	errno = 0;
	assert_int_equal(ear_output_file_open("/nowhere/x", who, sizeof(who)), -1);
	assert_int_equal(errno, ENOENT);
}

static void a_file_beside_the_program_is_found(void **state)
{
	char own[PATH_MAX], found[PATH_MAX], place[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	(void)state;
	assert_above(length, 0);
	own[length] = '\0';
	char *name = strrchr(own, '/') + 1;
	assert_true(ear_own_file(found, sizeof(found), name, X_OK));
	assert_string_equal(found, own);

	/* One folder up, and down again. */
	char *folder = memrchr(own, '/', (size_t)(name - 1 - own));
	assert_non_null(folder);
	snprintf(place, sizeof(place), "../%s", folder + 1);
	assert_true(ear_own_file(found, sizeof(found), place, X_OK));
	assert_string_equal(found, own);

	assert_true(ear_own_file(found, strlen(own) + 1, name, X_OK));
	assert_false(ear_own_file(found, strlen(own), name, X_OK)); /* no room for the end */
	assert_false(ear_own_file(found, sizeof(found), "nothing-like-this", R_OK));
	memset(place, 'x', sizeof(place) - 1);
	place[sizeof(place) - 1] = '\0';
	assert_false(ear_own_file(found, sizeof(found), place, R_OK));
	for (size_t i = 0; i + 4 < sizeof(place); i += 3)
		memcpy(place + i, "../", 3);
	assert_false(ear_own_file(found, sizeof(found), place, R_OK)); /* above the root */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			who_has_a_file_open_is_found, make_file, remove_file),
		cmocka_unit_test_setup_teardown(
			a_reader_is_not_the_holder_of_the_lock, make_file, remove_file),
		cmocka_unit_test_setup_teardown(
			a_file_that_is_written_is_left_alone_and_its_writer_named, make_file,
			remove_file),
		cmocka_unit_test(what_is_no_regular_file_is_opened_as_it_is),
		cmocka_unit_test(a_file_beside_the_program_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
