/* The C library at work: formatting, parsing, searching, and printf over the UART. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put(char c, FILE *file)
{
	(void)file;
	uart_put(c);
	return 0;
}

static FILE uart = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &uart;

static int compare(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void words(void)
{
	static const char text[] = "the quick brown fox jumps over the lazy dog";
	char copy[sizeof(text)];
	char *word[16], *next = copy, *part;
	int count = 0;

	strcpy(copy, text);
	while ((part = strsep(&next, " ")) != NULL)
		word[count++] = part;
	CHECK(count == 9);
	qsort(word, (size_t)count, sizeof(word[0]), compare);
	CHECK(strcmp(word[0], "brown") == 0 && strcmp(word[8], "the") == 0);
	CHECK(strstr(text, "lazy") == text + 35);
	CHECK(strchr(text, 'z') == text + 37);
	CHECK(memcmp(text, copy, 3) == 0);
}

static void numbers(void)
{
	char text[64];
	uint32_t state = 7;
	int i;

	for (i = 0; i < 12; i++) {
		uint32_t n = random_next(&state);

		snprintf(text, sizeof(text), "%lu", (unsigned long)n);
		CHECK(strtoul(text, NULL, 10) == n);
		snprintf(text, sizeof(text), "%08lx", (unsigned long)n);
		CHECK(strlen(text) == 8 && strtoul(text, NULL, 16) == n);
		snprintf(text, sizeof(text), "%ld", (long)n);
		CHECK(strtol(text, NULL, 10) == (long)n);
	}
	CHECK(snprintf(text, sizeof(text), "%5d|%-5d|%+d|%s|%c", 42, 42, 42, "ear", 'x') == 21);
	CHECK(strcmp(text, "   42|42   |+42|ear|x") == 0);
}

int main(void)
{
	int round;

	for (round = 0; round < REPEAT; round++) {
		words();
		numbers();
		printf("round %d: %s, %u words, pi is about %d.%02d\n", round, "strings", 9, 3, 14);
	}
	return 0;
}
