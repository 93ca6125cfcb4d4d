#ifndef EAR_WEB_HTTP_H
#define EAR_WEB_HTTP_H

#include <microhttpd.h>
#include <stdbool.h>

/* The functions of libmicrohttpd, without their prefix. It is loaded when a page is wanted. */
#define WEB_HTTP_FUNCTIONS(X) \
	X(add_response_header) \
	X(create_response_from_buffer) \
	X(create_response_from_callback) \
	X(destroy_response) \
	X(get_connection_info) \
	X(get_connection_values) \
	X(get_daemon_info) \
	X(get_timeout) \
	X(queue_response) \
	X(resume_connection) \
	X(run) \
	X(start_daemon) \
	X(stop_daemon) \
	X(suspend_connection)

#define WEB_HTTP_POINTER(name) __typeof__(MHD_##name) *name;
struct web_http {
	WEB_HTTP_FUNCTIONS(WEB_HTTP_POINTER)
};
#undef WEB_HTTP_POINTER

extern struct web_http web_http;

/* Load it, before the process gives up the right to open files. Returns false after a message. */
bool web_http_load(void);

#endif
