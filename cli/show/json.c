/* JSON as it is written. Each value is preceded by what separates it from the one before: one
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

struct json json_to(FILE *file)
{
	return (struct json){.to = file, .comma = ",", .colon = ":", .first = true};
}

static FILE *file_of(const struct json *json)
{
	return json->to ? json->to : stdout;
}

void json_key(struct json *json, const char *key)
{
	if (!json->first)
		fputs(json->comma, file_of(json));
	json->first = false;
	if (key) {
		cli_write_json(file_of(json), key);
		fputs(json->colon, file_of(json));
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	putc(bracket, file_of(json));
	json->first = true;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, file_of(json));
	json->first = false;
}

void json_line(struct json *json, int indent)
{
	fprintf(file_of(json), "%s\n%*s", json->first ? "" : ",", indent, "");
	json->first = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	if (text)
		cli_write_json(file_of(json), text);
	else
		fputs("null", file_of(json));
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	fputs(value ? "true" : "false", file_of(json));
}

void json_null(struct json *json, const char *key)
{
	json_text(json, key, NULL);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	fprintf(file_of(json), "%" PRIu64, value);
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
	fprintf(file_of(json), "\"0x%" PRIx64 "\"", value);
}

void json_real(struct json *json, const char *key, double value, int decimals)
{
	json_key(json, key);
	fprintf(file_of(json), "%.*f", decimals, value);
}
