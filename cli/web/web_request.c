/* Which requests are answered.
 *
 * A browser runs pages of strangers beside ours, and these can send requests to this machine. Three
 * things keep them out: a name in Host that is not ours (a stranger's name that was made to mean
 * 127.0.0.1), an Origin or Sec-Fetch-Site that is not ours, and the token, which only our page has
 * and which no browser sends by itself. Each of them is enough. The order is from what a program
 * can get wrong to what a stranger does, so that a message says the first thing to mend.
 */
#include "cli/web/web_request.h"

#include <string.h>
#include <strings.h>

#include "common/secret.h"

#define BEARER "Bearer "

struct headers {
	const char *host, *origin, *site, *authorization;
	bool has_body, twice;
};

static enum MHD_Result take_header(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct headers *headers = context;
	const struct {
		const char *name, **value;
	} known[] = {{"Host", &headers->host}, {"Origin", &headers->origin},
		{"Sec-Fetch-Site", &headers->site}, {"Authorization", &headers->authorization}};

	(void)kind;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasecmp(name, known[i].name) != 0)
			continue;
		headers->twice |= *known[i].value != NULL;
		*known[i].value = value ? value : "";
	}
	headers->has_body |= strcasecmp(name, "Content-Length") == 0 ||
			     strcasecmp(name, "Transfer-Encoding") == 0;
	return MHD_YES;
}

static enum MHD_Result count_one(
	void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)context;
	(void)kind;
	(void)name;
	(void)value;
	return MHD_YES;
}

/* Is it this machine, by a name that nobody can give to another one? Any port: a tunnel has its
 * own. */
static bool is_own_host(const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i]);
		if (strncasecmp(host, names[i], length) != 0)
			continue;
		if (host[length] == '\0')
			return true;
		if (host[length] == ':')
			return host[length + 1] &&
			       strspn(host + length + 1, "0123456789") == strlen(host + length + 1);
	}
	return false;
}

/* A page of ours asks from the very host that it asks. */
static bool is_own_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return strncasecmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
	       strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}

static struct web_answer refuse(unsigned status, const char *reason)
{
	return (struct web_answer){WEB_REFUSED, status, reason};
}

static struct web_answer judge_events(const struct headers *headers, const char *token)
{
	const char *given = headers->authorization;

	if (headers->site && strcmp(headers->site, "same-origin") != 0 &&
		strcmp(headers->site, "none") != 0)
		return refuse(MHD_HTTP_FORBIDDEN, "the page of another site asks");
	if (!given)
		return refuse(MHD_HTTP_UNAUTHORIZED,
			"the header 'Authorization: Bearer TOKEN' is missing");
	if (strncasecmp(given, BEARER, sizeof(BEARER) - 1) != 0 ||
		!ear_secret_is(given + sizeof(BEARER) - 1, token))
		return refuse(MHD_HTTP_UNAUTHORIZED, "that is not the token");
	return (struct web_answer){.wish = WEB_EVENTS};
}

struct web_answer web_judge(
	struct MHD_Connection *connection, const char *method, const char *url, const char *token)
{
	struct headers headers = {0};

	web_http.get_connection_values(connection, MHD_HEADER_KIND, take_header, &headers);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return refuse(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is answered");
	if (headers.twice)
		return refuse(MHD_HTTP_BAD_REQUEST, "a header is there twice");
	if (headers.has_body)
		return refuse(MHD_HTTP_BAD_REQUEST, "a request has no body here");
	if (!headers.host || !is_own_host(headers.host))
		return refuse(MHD_HTTP_FORBIDDEN,
			"the header Host must name 127.0.0.1, localhost or [::1]");
	if (headers.origin && !is_own_origin(headers.origin, headers.host))
		return refuse(MHD_HTTP_FORBIDDEN, "the page of another site asks");
	if (web_http.get_connection_values(connection, MHD_GET_ARGUMENT_KIND, count_one, NULL) > 0)
		return refuse(MHD_HTTP_BAD_REQUEST,
			"there is no '?' in an address here: the token is after '#', or in a header");
	if (strcmp(url, "/") == 0)
		return (struct web_answer){.wish = WEB_PAGE};
	if (strcmp(url, "/events") != 0)
		return refuse(MHD_HTTP_NOT_FOUND, "there are '/' and '/events'");
	return judge_events(&headers, token);
}
