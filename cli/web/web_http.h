#ifndef EAR_WEB_HTTP_H
#define EAR_WEB_HTTP_H

#include <microhttpd.h>
#include <stdbool.h>

/* The functions of libmicrohttpd, without their prefix. It is loaded when a page is wanted. */
struct web_http {
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
	__typeof__(MHD_create_response_from_callback) *create_response_from_callback;
	__typeof__(MHD_destroy_response) *destroy_response;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_get_connection_values) *get_connection_values;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_get_timeout) *get_timeout;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_resume_connection) *resume_connection;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_suspend_connection) *suspend_connection;
};
extern struct web_http web_http;

/* Load it, before the process gives up the right to open files. Returns false after a message. */
bool web_http_load(void);

#endif
