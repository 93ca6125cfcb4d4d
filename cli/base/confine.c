/* Makes the paths that a command names the rules of its sandbox (common/sandbox/sandbox.h): one
 * list in one place, so that no command grants itself more than its own files.
 */
#include "cli/base/confine.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "decoder/isa/disassembly.h"
#include "library/shot/shot.h"

#define PATHS_MAX 16

static unsigned traces, captures;

/* A pipe is not opened: its writer would be cut off. */
static bool is_capture(const char *path)
{
	uint8_t bytes[EAR_SHOT_PROOF_SIZE];
	struct stat facts;

	if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
		return false;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	const ssize_t size = read(fd, bytes, sizeof(bytes));
	close(fd);
	return size > 0 && ear_shot_is_capture(bytes, (size_t)size);
}

void confine_trace(const char *path)
{
	traces++;
	captures += !path || is_capture(path);
}

/* Nothing can be loaded afterwards. */
static void enter(
	enum ear_sandbox_policy policy, const struct ear_sandbox_path *paths, size_t count)
{
	if ((traces == 0 || captures < traces) && !ear_disassembly_load())
		cli_warning("the library Capstone cannot be loaded: instructions other than those "
			    "of RISC-V have no text");
	ear_sandbox_enter(policy, paths, count);
}

void confine_files(const char *const *reads, const char *const *writes)
{
	/* The kernel's list of locks names the process that holds an output. */
	struct ear_sandbox_path paths[PATHS_MAX] = {{"/proc/locks", EAR_SANDBOX_READ}};
	size_t count = 1;

	for (; *reads && count < PATHS_MAX; reads++)
		paths[count++] = (struct ear_sandbox_path){*reads, EAR_SANDBOX_READ};
	for (; *writes && count < PATHS_MAX; writes++)
		paths[count++] = (struct ear_sandbox_path){*writes, EAR_SANDBOX_WRITE};
	enter(EAR_SANDBOX_FILES, paths, count);
}

static void enter_index(enum ear_sandbox_policy policy, const char *const *indexes)
{
	struct ear_sandbox_path paths[PATHS_MAX] = {{"/", EAR_SANDBOX_READ}};
	size_t count = 1;

	for (; *indexes && count < PATHS_MAX; indexes++)
		paths[count++] = (struct ear_sandbox_path){*indexes, EAR_SANDBOX_REPLACE};
	enter(policy, paths, count);
}

void confine_index(const char *const *indexes)
{
	enter_index(EAR_SANDBOX_INDEX, indexes);
}

void confine_screen(const char *const *indexes)
{
	enter_index(EAR_SANDBOX_SCREEN, indexes);
}

void confine_folders(const char *const *reads, const char *const *folders)
{
	struct ear_sandbox_path paths[PATHS_MAX];
	size_t count = 0;

	for (; *folders && count < PATHS_MAX; folders++)
		paths[count++] = (struct ear_sandbox_path){*folders, EAR_SANDBOX_FILL};
	size_t first = count;
	for (; *reads && count < PATHS_MAX; reads++)
		paths[count++] = (struct ear_sandbox_path){*reads, EAR_SANDBOX_READ};
	if (*reads) {
		count = first;
		paths[count++] = (struct ear_sandbox_path){"/", EAR_SANDBOX_READ};
	}
	enter(EAR_SANDBOX_FOLDERS, paths, count);
}

void confine_before_device(void)
{
	ear_sandbox_enter(EAR_SANDBOX_BOARD, NULL, 0);
}

void confine_device(void)
{
	ear_sandbox_enter(EAR_SANDBOX_DEVICE, NULL, 0);
}

void confine_server(const char *device)
{
	/* USB and its description by the kernel. */
	static const struct ear_sandbox_path paths[] = {
		{"/dev", EAR_SANDBOX_USE}, {"/sys", EAR_SANDBOX_READ}};

	/* The next controller gets a new virtual board: a program has to be started. */
	if (strncmp(device, "sim:", 4) != 0)
		ear_sandbox_enter(EAR_SANDBOX_SERVE, paths, sizeof(paths) / sizeof(paths[0]));
}

void confine_web(void)
{
	ear_sandbox_enter(EAR_SANDBOX_SERVE, NULL, 0);
}
