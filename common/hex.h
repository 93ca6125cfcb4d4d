#ifndef EAR_HEX_H
#define EAR_HEX_H

/* The value of a hexadecimal digit of either case, 0 .. 15; -1 if the letter is none. */
static inline int ear_hex_digit(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	if (letter >= 'A' && letter <= 'F')
		return letter - 'A' + 10;
	if (letter >= 'a' && letter <= 'f')
		return letter - 'a' + 10;
	return -1;
}

#endif
