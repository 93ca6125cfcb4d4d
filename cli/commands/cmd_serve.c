#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "common/error.h"
#include "driver/stream/transport_tcp.h"
#include "driver/tools/server.h"
#include "driver/transports.h"

#define PORT_DEFAULT "7737"

/* For the signal handler. */
static struct ear_server *volatile active_server;

static const char *served_device;

static void stop_on_signal(void)
{
	ear_transport_interrupt(true);
	if (active_server)
		ear_server_stop(active_server);
}

static void print_help(void)
{
	fputs("usage: earshot serve -d DEVICE [OPTION]...\n"
	      "Give a device to others, who capture from tcp:HOST:PORT. Everybody who connects "
	      "gets\n"
	      "what the device sends; one of them, who knows the token, may control it.\n\n"
	      "  -d, --device DEVICE    which device\n"
	      "      --listen ADDRESS   where to listen (default 127.0.0.1: this machine only);\n"
	      "                         nothing of it is encrypted\n"
	      "      --port PORT        at which port, 0 any (default " PORT_DEFAULT ")\n"
	      "      --token-file FILE  the token is its first line; a new one is written there "
	      "if\n"
	      "                         there is no such file (default: $EARSHOT_TOKEN)\n"
	      "  -q, --quiet            say only what went wrong\n"
	      "  -h, --help             this text\n\n"
	      "Without a token nobody may control the device: there are only listeners.\n\n"
	      "Exit status: 0 ended by a signal, 2 it could not be done, or the device failed or\n"
	      "vanished.\n",
		stdout);
}

static void print_line(void *context, const char *line)
{
	if (!*(const bool *)context)
		cli_error("%s", line);
}

/* A file with a new token, for this user alone. Returns false after printing why not. */
static bool write_token(const char *path)
{
	uint8_t random[16];
	char token[2 * sizeof(random) + 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		cli_error("no random numbers: %s", strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	strcat(token, "\n");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool written = fd >= 0 && write(fd, token, strlen(token)) == (ssize_t)strlen(token);
	if (!written)
		cli_error("%s: cannot write a token: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return written;
}

/* Returns 1 with a token, 0 without one, -1 after printing why not. */
static int find_token(char token[EAR_TCP_TOKEN_MAX + 1], const char *path)
{
	struct ear_report report;

	if (path && access(path, F_OK) != 0 && !write_token(path))
		return -1;
	int result = ear_tcp_read_token(token, path, &report);
	if (result < 0)
		cli_error("%s", report.text);
	return result < 0 ? -1 : result;
}

static int run(struct ear_server *server, bool quiet)
{
	struct ear_transport_end end;
	struct ear_report report;

	active_server = server;
	if (cli_interrupted)
		ear_server_stop(server);
	if (ear_server_run(server, &end, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	if (end.reason == EAR_TRANSPORT_STOPPED || end.reason == EAR_TRANSPORT_END_OF_FILE) {
		if (!quiet)
			cli_error("ended");
		return EAR_EXIT_DONE;
	}
	cli_error("%s", end.report.text);
	return EAR_EXIT_FAILED;
}

/* The virtual board ends with its program; the next controller gets a new one. */
static int reopen(void *context, struct ear_transport **transport, struct ear_report *report)
{
	(void)context;
	return ear_transport_open(transport, served_device, report);
}

static int serve(const char *device, struct ear_server_options *options, const char *token_file)
{
	const bool *quiet = options->context;
	char token[EAR_TCP_TOKEN_MAX + 1];
	struct ear_transport *transport;
	struct ear_server *server;
	struct ear_report report;
	int has_token = find_token(token, token_file);

	if (has_token < 0)
		return EAR_EXIT_FAILED;
	options->token = has_token ? token : NULL;
	served_device = device;
	options->reopen = reopen;
	cli_catch_signals(stop_on_signal);
	if (ear_transport_open(&transport, device, &report) != 0 ||
		ear_server_open(&server, transport, options, &report) != 0) {
		cli_error("%s", report.text);
		return EAR_EXIT_FAILED;
	}
	if (!*quiet) {
		const char *address = options->address ? options->address : "127.0.0.1";
		bool colons = strchr(address, ':'); /* as in IPv6 */

		cli_error("%s at tcp:%s%s%s:%u; %s", device, colons ? "[" : "", address,
			colons ? "]" : "", ear_server_port(server),
			has_token ? "control with the token"
				  : "no token, so nobody may control it");
	}
	confine_server(device);
	int status = run(server, *quiet);
	active_server = NULL;
	ear_server_close(server);
	return status;
}

int cmd_serve(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"device", required_argument, NULL, 'd'},
		{"listen", required_argument, NULL, 'l'},
		{"port", required_argument, NULL, 'p'},
		{"token-file", required_argument, NULL, 't'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	static bool quiet;
	struct ear_server_options options = {
		.port = PORT_DEFAULT, .report = print_line, .context = &quiet};
	const char *device = NULL, *token_file = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "d:qh", long_options, NULL)) != -1) {
		switch (option) {
		case 'd': device = optarg; break;
		case 'l': options.address = optarg; break;
		case 'p': options.port = optarg; break;
		case 't': token_file = optarg; break;
		case 'q': quiet = true; break;
		case 'h': print_help(); return EAR_EXIT_DONE;
		default: return cli_usage("serve", "bad option");
		}
	}
	if (optind != argc)
		return cli_usage("serve", "'%s' is not an option", argv[optind]);
	if (!device)
		return cli_usage("serve", "which device? Give -d DEVICE");
	if ((token_file && !files_read("--token-file", token_file)) || !files_device(device))
		return EAR_EXIT_FAILED;
	return serve(device, &options, token_file);
}
