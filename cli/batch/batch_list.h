#ifndef CLI_BATCH_LIST_H
#define CLI_BATCH_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The traces that the words of a command line name: files, folders, and lists of them.
 *
 *     FILE     a trace; - is standard input
 *     FOLDER   every trace in it and in its folders, in the order of their names
 *     @LIST    the files and folders that the file LIST names, one a line, or with NUL characters
 *              between them; @- is standard input
 *
 * In a folder the first bytes decide what is a trace (earshot's own readers). What is none is
 * counted, as are symbolic links, which are not followed, and devices, pipes, sockets and mounts. A
 * folder that is itself a trace is one trace.
 */
struct batch_item {
	char *path;
	const char *name; /* in path: below its folder, or all of a path that stays below the
			   * current one; without ".." */
	char *other;      /* of a pair: the trace that it is compared with; else NULL */
	char *output;     /* where it is written (batch_outputs.h); NULL: nowhere */
	bool replaces;    /* the output was there before, with this size and time: */
	int64_t old_size, old_seconds, old_nanoseconds;
	const char *error; /* why it cannot be read, of a folder or a list; NULL: it can be tried */
};

struct batch_list {
	struct batch_item *items;
	size_t count, capacity;
	uint64_t others, links, specials; /* what is no trace */
	bool expanded;                    /* a word was a folder or a list */
};

/* Do these words need a batch: are they anything but one file? */
bool batch_list_is_wanted(char **words, int count);

/* Folders are read by a process of its own, which has no right but to read: the recognition of a
 * file reads its bytes. Returns false after printing why not. */
bool batch_list_make(struct batch_list *list, char **words, int count);
void batch_list_free(struct batch_list *list);

/* "37 traces; 5 other files skipped, 1 symbolic link not followed". */
void batch_list_text(const struct batch_list *list, char *text, size_t size);

/* Print that word names no trace, and what there is instead. */
void batch_list_fail_empty(const struct batch_list *list, const char *word);

/* For tests: add an item; name_at is where its name begins in path. False: no memory. */
bool batch_list_add(struct batch_list *list, const char *path, size_t name_at, const char *error);

/* The paths of a list, of which word is "@LIST" or "@-", as they are there. Returns false with
 * errno if it cannot be read. */
bool batch_list_each(
	const char *word, void (*take)(void *context, const char *path), void *context);

/* Where the name begins in the path of a file that a word or a list names. */
size_t batch_list_name_at(const char *path);

#endif
