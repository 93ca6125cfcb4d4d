/* JSON on standard output. Each value is preceded by what separates it from the one before: one
 * flag is enough for that, because an object that ends is itself a value of the one around it.
 */
#include "cli/show/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"

struct json json_compact(void)
{
	return (struct json){.comma = ",", .colon = ":", .first = true};
}

struct json json_spaced(void)
{
	return (struct json){.comma = ", ", .colon = ": ", .first = true};
}

void json_key(struct json *json, const char *key)
{
	if (!json->first)
		fputs(json->comma, stdout);
	json->first = false;
	if (key) {
		cli_print_json(key);
		fputs(json->colon, stdout);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	putchar(bracket);
	json->first = true;
}

void json_close(struct json *json, char bracket)
{
	putchar(bracket);
	json->first = false;
}

void json_line(struct json *json, int indent)
{
	printf("%s\n%*s", json->first ? "" : ",", indent, "");
	json->first = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	if (text)
		cli_print_json(text);
	else
		fputs("null", stdout);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	fputs(value ? "true" : "false", stdout);
}

void json_null(struct json *json, const char *key)
{
	json_text(json, key, NULL);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	printf("%" PRIu64, value);
}

void json_known(struct json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		json_number(json, key, value);
	else
		json_null(json, key);
}

void json_hex(struct json *json, const char *key, bool known, uint64_t value)
{
	if (!known) {
		json_null(json, key);
		return;
	}
	json_key(json, key);
	printf("\"0x%" PRIx64 "\"", value);
}

void json_real(struct json *json, const char *key, double value, int decimals)
{
	json_key(json, key);
	printf("%.*f", decimals, value);
}
