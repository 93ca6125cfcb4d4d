#ifndef EAR_ANDROID_MAPPED_PATH_H
#define EAR_ANDROID_MAPPED_PATH_H

#include "decoder/formats/qtrace/qtrace_format.h"

/* The path of a mapped file, to be freed; NULL if memory is short. A dex file is mapped under the
 * name of its cache, and has that of its package here: of /x/system@app@Test.apk@classes.dex
 * /system/app/Test.apk.
 */
char *ear_android_mapped_path(const struct ear_qtrace_text *text);

#endif
