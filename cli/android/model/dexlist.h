#ifndef EAR_ANDROID_DEXLIST_H
#define EAR_ANDROID_DEXLIST_H

#include "cli/android/model/image.h"

/* qtrace.dexlist: the methods of the dex files that a traced system maps. Lines, as the program
 * dexlist prints them:
 *
 *     #/home/me/out/system/app/Test.apk
 *     0x00000100 64 com.example.Test main ([Ljava/lang/String;)V Test.java 10
 */
struct ear_android_dexlist;

/* Read it from the folder. Returns 0 and *list, NULL if there is no such file; EAR_E_BAD_FILE,
 * EAR_E_IO or EAR_E_NO_MEMORY, and a sentence in message. */
int ear_android_dexlist_read(
	struct ear_android_dexlist **list, int folder, char *message, size_t size);
void ear_android_dexlist_free(struct ear_android_dexlist *list); /* NULL is allowed */

/* Make an image of the file whose name in the list ends with path. Returns 0; *image is NULL if
 * there is none; or EAR_E_NO_MEMORY. */
int ear_android_dexlist_find(
	const struct ear_android_dexlist *list, const char *path, struct ear_android_image **image);

#endif
