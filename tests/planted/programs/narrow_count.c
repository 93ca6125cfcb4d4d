/* kind: value that is cut to fewer bits
 * first: exit code
 * A length of 300 is kept in 8 bits.
 */
#include <string.h>

#include "support.h"

struct frame {
	uint8_t length; /* of 16 bits on the wire */
	uint8_t bytes[320];
};
static struct frame frame;

__attribute__((noinline)) static void begin_frame(unsigned length)
{
	frame.length = (uint8_t)length; /* BUG: up to 320 bytes */
}

__attribute__((noinline)) static unsigned fill_frame(uint8_t value)
{
	for (unsigned i = 0; i < frame.length; i++)
		frame.bytes[i] = value;
	return frame.length;
}

int main(void)
{
	begin_frame(100);
	CHECK(fill_frame(1) == 100);
	begin_frame(300);
	CHECK(fill_frame(2) == 300);
	return 0;
}
