#ifndef EAR_UNPACKER_H
#define EAR_UNPACKER_H

#include "decoder/record_lines.h"
#include "decoder/shot.h"

/* Records and the scripts of a capture file to the text that it was packed from (archive.h).
 * Where there is no script, a writer makes the text.
 */
struct ear_unpacker {
	struct ear_text_output *output;
	struct ear_writer *writer; /* for records without a script */
	struct ear_record_lines lines;
	struct ear_shot_script script; /* format 0: none has come */
	struct ear_script_place place;
	uint64_t bad_scripts;
};

/* writer writes to output; both stay the caller's. Returns 0 or EAR_E_NO_MEMORY; fini is right in
 * both cases.
 */
int ear_unpacker_init(
	struct ear_unpacker *unpacker, struct ear_text_output *output, struct ear_writer *writer);
void ear_unpacker_fini(struct ear_unpacker *unpacker);

/* The records that come next have this script, which goes over to the unpacker. A script of a
 * format that is not known is not used. Returns 0, EAR_E_NO_MEMORY or an error of output.
 */
int ear_unpacker_script(struct ear_unpacker *unpacker, struct ear_shot_script script);

/* A record. Returns as ear_writer_push. */
int ear_unpacker_push(struct ear_unpacker *unpacker, const struct ear_record *record);

/* The text of all records so far goes to output, which is not flushed. Returns 0 or an error. */
int ear_unpacker_flush(struct ear_unpacker *unpacker);

#endif
