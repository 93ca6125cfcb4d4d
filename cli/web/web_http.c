#include "cli/web/web_http.h"

#include "cli/base/cli.h"
#include "common/load.h"

struct web_http web_http;

bool web_http_load(void)
{
#define FUNCTION(name) {"MHD_" #name, &web_http.name},
	static const struct ear_load_function functions[] = {WEB_HTTP_FUNCTIONS(FUNCTION)};
#undef FUNCTION
	const char *why = ear_load(
		EAR_MICROHTTPD_LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));

	if (why)
		cli_error("--web needs libmicrohttpd: %s", why);
	return !why;
}
