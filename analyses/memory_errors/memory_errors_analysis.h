#ifndef EAR_ANALYSES_MEMORY_ERRORS_ANALYSIS_H
#define EAR_ANALYSES_MEMORY_ERRORS_ANALYSIS_H

#include "analyses/base/analysis.h"

/* Memory errors of a program (earshot/memory_errors.h). Counts are struct ear_memory_checker, the
 * options are struct ear_memory_checker_options, which were tried before.
 *
 * What an access may do depends on all that came before it, so a part has no count of its own: the
 * whole gets the batches of every part, and part files are not written.
 */
extern const struct ear_analysis ear_memory_errors_analysis;

#endif
