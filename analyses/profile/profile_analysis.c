/* A profile, and one of methods, as analyses. A profile that is written has what the names say,
 * since who reads it may have none.
 */
#include "analyses/profile/methods_private.h"
#include "analyses/profile/profile_private.h"

static void describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_profile *profile = count;

	ear_profile_describe(&profile->options, text);
}

static int finish(void *count)
{
	struct ear_profile *profile = count;

	if (!profile->is_part)
		return ear_profile_sum(profile);
	int result = ear_calls_end(profile->calls);
	return result == 0 && profile->is_written ? ear_profile_learn_paths(profile) : result;
}

const struct ear_analysis ear_profile_analysis = {
	.name = "profile",
	.unknown_line = "it is none of a profile",
	.describe = describe,
	.create = ear_profile_create,
	.free = ear_profile_free,
	.start = ear_profile_start,
	.task = ear_profile_task,
	.batch = ear_profile_batch,
	.finish = finish,
	.join = ear_profile_join,
	.walk = ear_profile_walk,
};

const struct ear_analysis ear_methods_analysis = {
	.name = "profile --methods",
	.unknown_line = "it is none of a profile of methods",
	.describe = ear_methods_describe,
	.create = ear_methods_create,
	.free = ear_methods_free,
	.task = ear_methods_task,
	.before = ear_methods_before,
	.batch = ear_methods_batch,
	.finish = ear_methods_end,
	.join = ear_methods_join,
	.walk = ear_methods_walk,
};
