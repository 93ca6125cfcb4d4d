#ifndef EAR_QUERY_H
#define EAR_QUERY_H

#include <earshot/search.h>

/* Does a record meet a query (earshot/search.h)? All but the change of privilege, which is not in
 * the record alone: see ear_privileges_pass.
 */
bool ear_query_holds(const struct ear_query *query, const struct ear_record *record);

/* Is the query one that can be? Returns NULL, or what is wrong with it, a phrase. */
const char *ear_query_fault(const struct ear_query *query);

#endif
