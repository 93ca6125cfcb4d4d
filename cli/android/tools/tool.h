#ifndef EAR_ANDROID_TOOL_H
#define EAR_ANDROID_TOOL_H

#include "cli/android/model/trace.h"

#include <stdio.h>

/* The tools by their original names. Each is one function, which prints to out. */
struct ear_android_request {
	struct ear_android_trace *trace;
	FILE *out;
	uint64_t start;  /* of read_trace */
	uint64_t moment; /* of stack_dump */
	bool has_moment;
	const char *output; /* a file that the tool writes */
};

struct ear_android_tool {
	const char *name;
	const char *summary; /* for the list */
	bool needs_kernel;   /* an ELF file after the folder */
	bool needs_output;   /* and a file to write */
	bool writes_folder;
	/* Returns 0, or an error: ear_android_trace_message has the sentence. */
	int (*run)(const struct ear_android_request *request);
};

/* NULL ends the list. */
extern const struct ear_android_tool *const ear_android_tools[];

const struct ear_android_tool *ear_android_tool_find(const char *name);

#endif
