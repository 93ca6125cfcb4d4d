#include "workload.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 1024

int ear_iss_options_set(struct ear_iss_options *options, const char *name, const char *value)
{
	unsigned long long number = strtoull(value, NULL, 0);

	if (strcmp(name, "isa") == 0)
		return ear_iss_options_isa(options, value);
	if (strcmp(name, "seed") == 0)
		options->seed = number;
	else if (strcmp(name, "packets") == 0)
		options->packets = (unsigned)number;
	else if (strcmp(name, "sc_failure") == 0)
		options->sc_failure = (unsigned)number;
	else if (strcmp(name, "uart_busy") == 0)
		options->uart_busy = (unsigned)number;
	else if (strcmp(name, "time_random") == 0)
		options->time_random = number != 0;
	else if (strcmp(name, "misaligned_traps") == 0)
		options->misaligned_traps = number != 0;
	else if (strcmp(name, "memory") == 0)
		options->memory_size = number << 20;
	else
		return EAR_E_BAD_ARGUMENT;
	return 0;
}

int ear_iss_options_list(struct ear_iss_options *options, const char *list)
{
	char name[32], value[64];
	int size;

	if (strcmp(list, "-") == 0)
		return 0;
	while (*list) {
		if (sscanf(list, "%31[^=,]=%63[^,]%n", name, value, &size) != 2 ||
			ear_iss_options_set(options, name, value) < 0)
			return EAR_E_BAD_ARGUMENT;
		list += size;
		list += *list == ',';
	}
	return 0;
}

static int read_line(struct ear_workload *workload, const char *line)
{
	char options[128];
	int end = 0;
	size_t length;

	if (sscanf(line, "%31s %39s %127s %n", workload->name, workload->isa, options, &end) != 3 ||
		end == 0)
		return EAR_E_BAD_FILE;
	length = strcspn(line + end, "\n");
	if (length == 0 || length >= sizeof(workload->path))
		return EAR_E_BAD_FILE;
	memcpy(workload->path, line + end, length);
	workload->path[length] = '\0';
	ear_iss_options_init(&workload->options);
	if (ear_iss_options_isa(&workload->options, workload->isa) < 0 ||
		ear_iss_options_list(&workload->options, options) < 0)
		return EAR_E_BAD_FILE;
	return 0;
}

int ear_workloads_read(struct ear_workload workloads[EAR_WORKLOADS_MAX], const char *path)
{
	FILE *file = fopen(path ? path : EAR_WORKLOAD_LIST, "r");
	char line[LINE_SIZE];
	int count = 0, result = 0;

	if (!file)
		return EAR_E_IO;
	while (result == 0 && fgets(line, sizeof(line), file)) {
		result = count == EAR_WORKLOADS_MAX ? EAR_E_BAD_FILE
						    : read_line(&workloads[count], line);
		count++;
	}
	if (ferror(file))
		result = EAR_E_IO;
	fclose(file);
	return result < 0 ? result : count;
}
