/* Stands for the bundle in a build that has none: CMakeLists.txt takes this file or the one that
 * write_bundle.py writes, so that the command needs no condition of the preprocessor.
 */
#include "cli/report/report_bundle.h"

const char ear_report_script[] = "";
const size_t ear_report_script_size = 0;
const char ear_report_script_hash[] = "";

const char ear_report_style[] = "";
const size_t ear_report_style_size = 0;
const char ear_report_style_hash[] = "";

const char ear_live_script[] = "";
const size_t ear_live_script_size = 0;
const char ear_live_script_hash[] = "";

const char ear_live_style[] = "";
const size_t ear_live_style_size = 0;
const char ear_live_style_hash[] = "";
