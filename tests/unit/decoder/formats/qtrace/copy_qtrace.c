/* copy_qtrace FROM TO: reads a qtrace folder and writes another one that says the same, with
 * counts. For tests that write folders themselves. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "qtrace_copy.h"

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int from = open(argv[1], O_RDONLY | O_DIRECTORY);
	int to = open(argv[2], O_RDONLY | O_DIRECTORY);
	if (from < 0 || to < 0)
		return 2;
	const char *fault = qtrace_copy(to, from, false);
	if (fault)
		fprintf(stderr, "%s\n", fault);
	close(from);
	close(to);
	return fault ? 1 : 0;
}
