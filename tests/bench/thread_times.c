#define _GNU_SOURCE /* pthread_setname_np */
#include "thread_times.h"

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "usb_capture"

static bool read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool there = file && fgets(line, size, file);

	if (file)
		fclose(file);
	if (there)
		line[strcspn(line, "\n")] = '\0';
	return there;
}

static enum thread_kind kind_of(int tid, const char *name)
{
	if (tid == getpid())
		return THREAD_CONSUMER;
	if (!strcmp(name, "usbfs"))
		return THREAD_DEVICE;
	return !strcmp(name, NAME) ? THREAD_CAPTURE : THREAD_OTHER;
}

static struct thread_time *find(struct thread_times *times, int tid)
{
	struct thread_time *empty = NULL;

	for (int i = 0; i < THREAD_TIMES_MAX; i++) {
		if (times->threads[i].tid == tid)
			return &times->threads[i];
		if (times->threads[i].tid == 0)
			empty = &times->threads[i];
	}
	assert(empty);
	*empty = (struct thread_time){.tid = tid};
	return empty;
}

void thread_times_begin(struct thread_times *times)
{
	memset(times, 0, sizeof(*times));
	pthread_setname_np(pthread_self(), NAME);
}

void thread_times_look(struct thread_times *times)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;

	for (int i = 0; i < THREAD_TIMES_MAX; i++)
		times->threads[i].there = false;
	while (folder && (entry = readdir(folder))) {
		int tid = (int)strtol(entry->d_name, NULL, 10); /* 0: "." and ".." */
		char path[64], line[128], name[64];
		unsigned long long ns;

		snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
		if (tid == 0 || !read_line(path, name, sizeof(name)))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
		if (!read_line(path, line, sizeof(line)) || sscanf(line, "%llu", &ns) != 1)
			continue;
		struct thread_time *thread = find(times, tid);
		times->seconds[kind_of(tid, name)] += 1e-9 * (double)(ns - thread->ns);
		thread->ns = ns;
		thread->there = true;
	}
	for (int i = 0; i < THREAD_TIMES_MAX; i++)
		if (!times->threads[i].there)
			times->threads[i].tid = 0; /* it has ended, and the number may come again */
	if (folder)
		closedir(folder);
}
