#ifndef EAR_NO_ANSWER_H
#define EAR_NO_ANSWER_H

#include "driver/base/report.h"
#include "driver/link/transport.h"
#include "driver/session/reply_scanner.h"

/* A control word got no answer: add to its message, which is in *report already, what came instead
 * and what to check.
 *
 * What came is one of: nothing; bytes outside of frames, with an example; text, such as that of a
 * console; frames without an answer. transport->checks says what to check.
 */
void ear_no_answer_explain(struct ear_report *report, const struct ear_transport *transport,
	const struct ear_reply_scanner *scanner);

#endif
