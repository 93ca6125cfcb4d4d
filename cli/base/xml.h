#ifndef CLI_XML_H
#define CLI_XML_H

#include <stdio.h>

/* A text in XML: an attribute in quotes, or what is between tags. */
void xml_print(FILE *file, const char *text);

#endif
