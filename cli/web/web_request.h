#ifndef EAR_WEB_REQUEST_H
#define EAR_WEB_REQUEST_H

#include <stddef.h>

#include "cli/web/web_http.h"

/* What is asked for, and may it be had? */
enum web_wish { WEB_PAGE, WEB_EVENTS, WEB_REFUSED };

struct web_answer {
	enum web_wish wish;
	/* WEB_REFUSED: the status of HTTP, and a sentence. */
	unsigned status;
	const char *reason;
};

/* Judge a request by its first line and its headers (docs/analyses/web.md, section 3). Nothing of
 * it is kept. */
struct web_answer web_judge(
	struct MHD_Connection *connection, const char *method, const char *url, const char *token);

#endif
