#ifndef EAR_REPORT_BUNDLE_H
#define EAR_REPORT_BUNDLE_H

#include <stddef.h>

/* The program and the style of a page of `earshot report`, built from src/ (cli/report/README.md).
 *
 * The texts go between <script> and </script>, <style> and </style> as they are: neither holds a
 * closing tag or a comment of HTML, and both are UTF-8. They end with a NUL, which the sizes do not
 * count. The hashes are those of the texts, as a Content-Security-Policy has them: "sha256-...".
 *
 * A build without EAR_REPORT and without a built bundle in cli/report/dist has none: the sizes are
 * 0 and the texts are empty.
 */
extern const char ear_report_script[];
extern const size_t ear_report_script_size;
extern const char ear_report_script_hash[];

extern const char ear_report_style[];
extern const size_t ear_report_style_size;
extern const char ear_report_style_hash[];

/* The same of the page of a live view (cli/web/). */
extern const char ear_live_script[];
extern const size_t ear_live_script_size;
extern const char ear_live_script_hash[];

extern const char ear_live_style[];
extern const size_t ear_live_style_size;
extern const char ear_live_style_hash[];

#endif
