/* 'earshot' alone beside one trace: the first questions, each with the command that answers it. A
 * capture is known by the ending of its name, and is not opened. A text is opened, with no right
 * but to read it, because its ending says too little.
 */
#include "cli/questions.h"

#include <dirent.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <earshot/trace.h>

#include "cli/base/confine.h"
#include "decoder/formats/formats.h"

#define NAME_MAX_SIZE 256
#define SAFE          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+,:@%/-"

static const struct {
	const char *question, *before, *after; /* the name */
} questions[] = {
	{"Why did the run end as it did?", "earshot why ", ""},
	{"What ran, line by line?", "earshot show ", " | less"},
	{"What is in it, and what is missing?", "earshot info ", ""},
	{"Where did the time go?", "earshot profile ", ""},
	{"Which function was called when?", "earshot calls ", " | less"},
	{"What did registers hold at the end, and which calls were active?",
		"earshot state --stack ", ""},
	{"Which memory errors does the program have?", "earshot memory --errors ", ""},
	{"How do I step through it, backward too?",
		"gdb-multiarch -ex 'target remote | earshot gdb ", "'"},
};

static bool ends_with(const char *name, const char *ending)
{
	const size_t size = strlen(name), length = strlen(ending);

	return size > length && strcmp(name + size - length, ending) == 0;
}

static bool is_text_name(const char *name)
{
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (format->make && ends_with(name, format->extension))
			return true;
	return false;
}

/* The files of one kind: how many there are, and the name of one that a shell takes as it is. */
struct found {
	unsigned count;
	char name[NAME_MAX_SIZE];
};

static void add(struct found *found, const char *name)
{
	struct stat status;

	if (name[0] == '.' || stat(name, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	found->count++;
	if (name[0] == '-' || strspn(name, SAFE) != strlen(name) || strlen(name) >= NAME_MAX_SIZE)
		found->count++; /* no command could be copied */
	else
		strcpy(found->name, name);
}

static bool is_trace(const char *path)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;

	options.index = EAR_INDEX_NONE;
	confine_trace(path);
	confine_files((const char *const[]){path, NULL}, (const char *const[]){NULL});
	if (ear_trace_open(&trace, path, &options) != 0)
		return false;
	ear_trace_close(trace);
	return true;
}

static void print(FILE *to, const char *name)
{
	fprintf(to, "%s is a trace. What it can be asked first:\n\n", name);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		fprintf(to, "  %s\n      %s%s%s\n", questions[i].question, questions[i].before,
			name, questions[i].after);
	fputs("\n`earshot --help` lists all commands, `earshot COMMAND --help` describes one.\n",
		to);
}

bool questions_print(FILE *to)
{
	struct found captures = {.count = 0}, texts = {.count = 0};
	DIR *folder = opendir(".");

	if (!folder)
		return false;
	for (const struct dirent *entry; (entry = readdir(folder));)
		if (ends_with(entry->d_name, ".shot"))
			add(&captures, entry->d_name);
		else if (is_text_name(entry->d_name))
			add(&texts, entry->d_name);
	closedir(folder);
	if (captures.count == 1)
		print(to, captures.name);
	else if (captures.count == 0 && texts.count == 1 && is_trace(texts.name))
		print(to, texts.name);
	else
		return false;
	return true;
}
