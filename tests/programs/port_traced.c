/* Built with -finstrument-functions. */
#include <stdint.h>

__attribute__((noinline)) uint32_t traced_function(uint32_t value);

uint32_t traced_function(uint32_t value)
{
	return value ? value + traced_function(value - 1) : 0;
}
