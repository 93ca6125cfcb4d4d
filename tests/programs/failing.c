/* A program that ends with exit code 7. */
#include "support.h"

int main(void)
{
	uart_print("this program fails on purpose\n");
	return 7;
}
