/* What an error is, as a sentence. */
#include <inttypes.h>
#include <stdio.h>

#include <earshot/memory_errors.h>

static const char *const kinds[EAR_MEMORY_ERROR_KINDS] = {"freed", "outside", "unwritten",
	"left-frame", "stack-limit", "double-free", "wrong-free", "overlap", "object"};

const char *ear_memory_error_name(unsigned kind)
{
	return kind < EAR_MEMORY_ERROR_KINDS ? kinds[kind] : NULL;
}

static int access_text(
	const struct ear_memory_error *error, const char *what, char *text, size_t size)
{
	return snprintf(text, size, "%s of %u byte%s at 0x%" PRIx64 ", %s",
		error->write ? "write" : "read", error->size, error->size == 1 ? "" : "s",
		error->address, what);
}

int ear_memory_error_text(const struct ear_memory_error *error, char *text, size_t size)
{
	switch ((enum ear_memory_error_kind)error->kind) {
	case EAR_MEMORY_FREED: return access_text(error, "in a block that was freed", text, size);
	case EAR_MEMORY_OUTSIDE: return access_text(error, "beside a block", text, size);
	case EAR_MEMORY_UNWRITTEN: return access_text(error, "which nothing wrote", text, size);
	case EAR_MEMORY_LEFT_FRAME:
		return access_text(
			error, "in the frame of a function that has returned", text, size);
	case EAR_MEMORY_STACK_LIMIT:
		return snprintf(text, size,
			"sp is 0x%" PRIx64 ", %" PRIu64 " bytes below the limit of its stack, "
			"0x%" PRIx64,
			error->address, error->limit - error->address, error->limit);
	case EAR_MEMORY_DOUBLE_FREE:
		return snprintf(
			text, size, "0x%" PRIx64 " is freed, which is free", error->address);
	case EAR_MEMORY_WRONG_FREE:
		return snprintf(text, size, "0x%" PRIx64 " is freed, where no block begins",
			error->address);
	case EAR_MEMORY_OVERLAP:
		return snprintf(text, size,
			"memcpy of %" PRIu64 " bytes from 0x%" PRIx64 " to 0x%" PRIx64
			", which overlap",
			error->bytes, error->limit, error->address);
	case EAR_MEMORY_OBJECT:
		return snprintf(text, size,
			"%s of %u byte%s at 0x%" PRIx64 ", in %.60s, beyond the %" PRIu64
			" bytes of %.60s",
			error->write ? "write" : "read", error->size, error->size == 1 ? "" : "s",
			error->address, error->hit, error->bytes, error->object);
	case EAR_MEMORY_ERROR_KINDS: break;
	}
	return snprintf(text, size, "unknown");
}
