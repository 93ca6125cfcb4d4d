/* Stands for the server in a build without libmicrohttpd: CMakeLists.txt takes this file or web.c
 * and web_request.c, so that who calls them needs no condition of the preprocessor.
 */
#include <stddef.h>

#include "cli/base/cli.h"
#include "cli/web/web.h"

bool web_is_there(void)
{
	cli_error("this earshot was built without libmicrohttpd, which --web needs: install "
		  "libmicrohttpd-dev and build it again");
	return false;
}

bool web_has_page(void)
{
	return false;
}

int web_listen(const char *port, unsigned *port_out)
{
	(void)port;
	(void)port_out;
	return -1;
}

bool web_start(struct web_server **server, const struct web_options *options)
{
	(void)options;
	*server = NULL;
	return web_is_there();
}

void web_publish(struct web_server *server, const char *text, size_t size)
{
	(void)server;
	(void)text;
	(void)size;
}

void web_run(struct web_server *server, unsigned duration_ms)
{
	(void)server;
	(void)duration_ms;
}

void web_finish(struct web_server *server, const char *text, size_t size)
{
	(void)server;
	(void)text;
	(void)size;
}
