/* Captures in a farm. A batch engine counts the devices of a machine, but does not say which one a
 * step got, and may start a step twice. So a step takes a device by a name that only one process of
 * the machine can have: an abstract socket, which the kernel gives back when its last holder ends,
 * however it ends. There is no file to be left behind.
 */
#define _GNU_SOURCE /* asprintf */
#include "cli/commands/farm/farm_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <sha2.h>

#include "cli/base/cli.h"
#include "common/array.h"

#define DEVICE_MAX 1024

static bool is_option(const char *word, const char *name, char letter)
{
	const size_t length = strlen(name);

	return word[0] == '-' &&
	       (word[1] == letter ||
		       (word[1] == '-' && strncmp(word + 2, name, length) == 0 &&
			       (word[2 + length] == '\0' || word[2 + length] == '=')));
}

const char *farm_capture_check(const struct farm_plan *plan)
{
	bool names_device = false;

	for (size_t i = 0; i < plan->argument_count; i++) {
		const char *word = plan->arguments[i];

		if (is_option(word, "output", 'o') || is_option(word, "record", '\0') ||
			is_option(word, "index", '\0'))
			return "a capture of a farm is written into its folder: without --output, "
			       "--record and --index";
		names_device = names_device || is_option(word, "device", 'd');
	}
	if (names_device && plan->devices)
		return "either -d names the device, or --devices a list of them";
	return names_device || plan->devices ? NULL
					     : "which device? Give capture -d, or --devices LIST";
}

/* ---- Devices. ---- */

/* Slurm's name of the machine, which may have several; else its own. */
static void find_node(char *node, size_t size)
{
	const char *name = getenv("SLURMD_NODENAME");

	if (name && name[0])
		snprintf(node, size, "%s", name);
	else if (gethostname(node, size) != 0)
		snprintf(node, size, "localhost");
	node[size - 1] = '\0';
}

struct devices {
	char **names;
	size_t count, capacity;
};

static void free_devices(struct devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		free(devices->names[i]);
	free(devices->names);
}

/* "NODE DEVICE": NODE may be *. Returns false if the line is neither that, nor empty, nor a
 * comment. */
static bool take_line(struct devices *devices, char *line, const char *node)
{
	char *device;

	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return true;
	device = line + strcspn(line, " \t");
	if (!*device)
		return false;
	*device++ = '\0';
	device += strspn(device, " \t");
	if (!*device || strlen(device) >= DEVICE_MAX)
		return false;
	if (strcmp(line, "*") != 0 && strcmp(line, node) != 0)
		return true;
	char *copy = strdup(device);
	if (!copy || !EAR_ARRAY_RESERVE(devices->names, &devices->capacity, devices->count + 1)) {
		free(copy);
		return false;
	}
	devices->names[devices->count++] = copy;
	return true;
}

static bool read_devices(struct devices *devices, const char *path, const char *node)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	unsigned number = 0;
	bool good = file;

	*devices = (struct devices){0};
	if (!file)
		cli_error("%s: %s", path, strerror(errno));
	while (good && getline(&line, &room, file) > 0) {
		number++;
		good = take_line(devices, line, node);
		if (!good)
			cli_error("%s:%u: a line is a node, or *, and a device", path, number);
	}
	free(line);
	if (file)
		fclose(file);
	if (good && devices->count == 0) {
		cli_error("%s: it has no device of '%s'", path, node);
		good = false;
	}
	return good;
}

/* Returns 1 and the lock, 0 if another process has the device, -1 after printing why nobody can. */
static int lock_device(const char *device, int *lock)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char hash[SHA256_DIGEST_STRING_LENGTH];

	SHA256Data((const uint8_t *)device, strlen(device), hash);
	/* The first byte is 0: a name, not a file. Children keep it. */
	const int length = snprintf(
		address.sun_path + 1, sizeof(address.sun_path) - 1, "earshot-device-%.48s", hash);
	const socklen_t size =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	*lock = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (*lock >= 0 && bind(*lock, (const struct sockaddr *)&address, size) == 0)
		return 1;
	const int number = errno;
	if (*lock >= 0)
		close(*lock);
	if (number == EADDRINUSE)
		return 0;
	cli_error("%s: it cannot be locked: %s", device, strerror(number));
	return -1;
}

static bool wait_for_device(
	char *device, size_t size, int *lock, const struct devices *devices, size_t first)
{
	const struct timespec pause = {.tv_nsec = 200000000};
	bool said = false;

	while (!cli_interrupted) {
		for (size_t i = 0; i < devices->count; i++) {
			const char *name = devices->names[(first + i) % devices->count];
			const int taken = lock_device(name, lock);

			if (taken < 0)
				return false;
			if (taken > 0) {
				snprintf(device, size, "%s", name);
				return true;
			}
		}
		if (!said)
			cli_warning("all %zu devices of this machine are taken: waiting for one",
				devices->count);
		said = true;
		nanosleep(&pause, NULL);
	}
	return false;
}

bool farm_capture_take(char *device, size_t size, int *lock, const struct farm_plan *plan,
	size_t number, unsigned tries)
{
	struct devices devices;
	char node[256];

	*lock = -1;
	device[0] = '\0';
	if (!plan->devices)
		return true;
	find_node(node, sizeof(node));
	const bool good = read_devices(&devices, plan->devices, node) &&
			  wait_for_device(device, size, lock, &devices, number + tries);
	free_devices(&devices);
	return good;
}

/* ---- Arguments. ---- */

/* The word with every {} as file and {number} as number, to be freed. */
static char *fill(const char *word, const char *file, size_t number)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	while (*word)
		if (strncmp(word, "{}", 2) == 0) {
			fputs(file, to);
			word += 2;
		} else if (strncmp(word, "{number}", 8) == 0) {
			fprintf(to, "%zu", number);
			word += 8;
		} else {
			fputc(*word++, to);
		}
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

char **farm_capture_arguments(const struct farm_plan *plan, const struct farm_step *step,
	size_t number, const char *device)
{
	char **list = calloc(plan->argument_count + 8, sizeof(*list));
	size_t count = 0;
	bool good = list;

	if (good)
		list[count++] = strdup("earshot");
	if (good)
		list[count++] = strdup("capture");
	for (size_t i = 0; good && i < plan->argument_count; i++) {
		list[count] = fill(plan->arguments[i], step->trace->path, number);
		good = list[count++];
	}
	if (good && device[0])
		good = asprintf(&list[count++], "--device=%s", device) >= 0;
	if (good)
		list[count++] = strdup("--output=-");
	if (good && list[0] && list[1] && list[count - 1])
		return list;
	farm_capture_arguments_free(list);
	return NULL;
}

void farm_capture_arguments_free(char **arguments)
{
	for (size_t i = 0; arguments && arguments[i]; i++)
		free(arguments[i]);
	free(arguments);
}
