/* What a program file calls an address: function, line, and what was inlined there; or the
 * addresses of an expression such as main+4, fw.c:12 or .bss.
 *
 *     ./names program.elf ADDRESS-OR-EXPRESSION
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <earshot/earshot.h>

static void print_address(const struct ear_names *names, uint64_t address)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	char text[256];

	ear_names_text(names, address, text, sizeof(text));
	printf("%" PRIx64 " %s\n", address, text[0] ? text : "?");
	size_t count =
		ear_names_inlined_at(names, address, chain, sizeof(chain[0]), EAR_INLINED_MAX);
	for (size_t i = 0; i < count && i < EAR_INLINED_MAX; i++)
		printf("  in %s, %s:%" PRIu32 "%s\n", chain[i].function,
			ear_names_base(chain[i].path), chain[i].line,
			chain[i].is_inlined ? " (inlined)" : "");
}

int main(int argc, char **argv)
{
	char message[EAR_ADDRESS_MESSAGE_MAX];
	struct ear_names *names = NULL;
	struct ear_address address = {.size = sizeof(address)};
	int result;

	if (argc != 3) {
		fprintf(stderr, "usage: names ELF ADDRESS\n");
		return 2;
	}
	result = ear_names_open(&names);
	if (result >= 0)
		result = ear_names_add(names, argv[1], 0);
	if (result < 0) {
		fprintf(stderr, "names: %s\n", names ? ear_names_message(names) : "no memory");
		ear_names_close(names);
		return 1;
	}
	result = ear_address_parse(&address, argv[2], strlen(argv[2]), names, NULL, message);
	if (result < 0)
		fprintf(stderr, "names: %s\n", message);
	else if (address.is_point)
		print_address(names, address.ranges[0].first);
	for (unsigned i = 0; result >= 0 && !address.is_point && i < address.count; i++)
		printf("%" PRIx64 " to %" PRIx64 "\n", address.ranges[i].first,
			address.ranges[i].last);
	ear_names_close(names);
	return result < 0;
}
