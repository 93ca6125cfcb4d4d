#ifndef EAR_FUZZ_API_SAMPLE_H
#define EAR_FUZZ_API_SAMPLE_H

#include <earshot/record.h>

/* Small traces for fuzz_api: each is made once, read once, and stays until the program ends. */
struct api_record {
	uint64_t pc; /* 0: none */
	uint8_t kind;
	uint16_t hart;
};

struct api_sample {
	const char *format;
	int fd;
	char path[64], index[64]; /* the file, and where an index of it may be */
	struct api_record *records;
	uint64_t *numbers; /* of the next instruction, at each position; count + 1 of them */
	size_t count;
	size_t hidden; /* the first position after a store that the trace may not show */
};

/* Any number names one. */
const struct api_sample *api_sample(unsigned number);

#endif
