/* XML has no control characters, not even escaped. Bytes from 0x80 on may be no UTF-8: they are
 * shown as they are in the other texts only where they are ASCII. */
#include "cli/base/xml.h"

void xml_print(FILE *file, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		switch (c) {
		case '<': fputs("&lt;", file); break;
		case '>': fputs("&gt;", file); break;
		case '&': fputs("&amp;", file); break;
		case '"': fputs("&quot;", file); break;
		default: fputc(c < 0x20 || c >= 0x7f ? '?' : c, file); break;
		}
	}
}
