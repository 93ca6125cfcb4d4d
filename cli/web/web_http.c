/* Loads libmicrohttpd, whose TLS libraries cost each start of the command as much as Capstone did,
 * also where no page was wanted.
 */
#include "cli/web/web_http.h"

#include "cli/base/cli.h"
#include "common/load.h"

struct web_http web_http;

bool web_http_load(void)
{
	static const struct ear_load_function functions[] = {
		{"MHD_add_response_header", &web_http.add_response_header},
		{"MHD_create_response_from_buffer", &web_http.create_response_from_buffer},
		{"MHD_create_response_from_callback", &web_http.create_response_from_callback},
		{"MHD_destroy_response", &web_http.destroy_response},
		{"MHD_get_connection_info", &web_http.get_connection_info},
		{"MHD_get_connection_values", &web_http.get_connection_values},
		{"MHD_get_daemon_info", &web_http.get_daemon_info},
		{"MHD_get_timeout", &web_http.get_timeout},
		{"MHD_queue_response", &web_http.queue_response},
		{"MHD_resume_connection", &web_http.resume_connection},
		{"MHD_run", &web_http.run},
		{"MHD_start_daemon", &web_http.start_daemon},
		{"MHD_stop_daemon", &web_http.stop_daemon},
		{"MHD_suspend_connection", &web_http.suspend_connection},
	};
	const char *why = ear_load(
		EAR_MICROHTTPD_LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));

	if (why)
		cli_error("--web needs libmicrohttpd: %s", why);
	return !why;
}
