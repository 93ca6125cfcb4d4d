/* One message, and one control word. Wrong is: a crash, a read beyond the bytes, a message
 * that is not the same after it was built again.
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "common/protocol/control_word.h"
#include "common/protocol/message.h"
#include "describe.h"
#include "target.h"

/* A RAW message may hold what its builder leaves out: a field that is there and zero. */
static void check_again(const struct ear_message *message)
{
	uint8_t built[EAR_MESSAGE_SIZE_MAX];
	char before[DESCRIBE_SIZE], after[DESCRIBE_SIZE];
	struct ear_message again;
	size_t size = ear_message_build(built, message);

	if (ear_message_parse(&again, built, size) != (int)size)
		abort();
	describe_message(before, message);
	describe_message(after, &again);
	if (strcmp(before, after) != 0)
		abort();
}

static void try_message(const uint8_t *bytes, size_t size)
{
	struct ear_message message;
	int used = ear_message_parse(&message, bytes, size);

	if (used != EAR_E_MORE && used != EAR_E_BAD_MESSAGE && (used < 1 || (size_t)used > size))
		abort();
	if (used > 0)
		check_again(&message);
}

static void try_control_word(const uint8_t *bytes, size_t size)
{
	struct ear_control_word word;
	uint8_t built[EAR_CONTROL_WORD_SIZE];

	if (size < EAR_CONTROL_WORD_SIZE || ear_control_word_parse(&word, bytes) < 0)
		return;
	ear_control_word_build(built, &word);
	if (memcmp(built, bytes, sizeof(built)) != 0)
		abort();
}

int fuzz_message(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = exact_copy(bytes, size);

	try_message(copy, size);
	try_control_word(copy, size);
	free(copy);
	return 0;
}
