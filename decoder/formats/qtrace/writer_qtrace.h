#ifndef EAR_WRITER_QTRACE_H
#define EAR_WRITER_QTRACE_H

#include "decoder/formats/base/writer.h"

/* Records to a folder as the Android emulator's -trace makes it: docs/android.md, section 8. For
 * the table of formats. */
#define EAR_WRITER_QTRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_TIME) | EAR_FIELD_BIT(EAR_FIELD_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_OTHER_ISA) | \
		EAR_FIELD_BIT(EAR_FIELD_EVENT) | EAR_FIELD_BIT(EAR_FIELD_ACCESS_TIME))

extern const struct ear_writer_folder ear_writer_qtrace_folder;
uint64_t ear_writer_qtrace_unfit(const struct ear_record *record);

#endif
