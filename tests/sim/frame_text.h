/* Two streams of frames side by side, message by message, for a test that found them different. */
#ifndef EAR_FRAME_TEXT_H
#define EAR_FRAME_TEXT_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

extern "C" {
#include "common/protocol/difference.h"
#include "common/protocol/frame.h"
#include "common/protocol/message.h"
}

/* The messages of a frame, in hexadecimal. */
inline std::vector<std::string> frame_messages(const ear_frame &frame)
{
	std::vector<std::string> lines;

	for (size_t i = 0; i < frame.payload_size;) {
		ear_message message;
		ear_record_message record;
		const uint8_t *from = frame.payload + i;
		size_t left = frame.payload_size - i;
		int size = ear_message_is_difference(*from)
				   ? ear_record_message_parse(
					     &record, from, left, UNIT_XLEN, UNIT_FLEN)
				   : ear_message_parse(&message, from, left);
		std::string line;
		for (size_t k = 0; k < (size > 0 ? size_t(size) : left); k++) {
			char hex[4];
			std::snprintf(hex, sizeof(hex), "%02x ", from[k]);
			line += hex;
		}
		lines.push_back(line);
		if (size <= 0)
			break;
		i += size_t(size);
	}
	return lines;
}

/* Show the first frame in which what came differs from what was expected. */
inline void show_difference(const std::vector<uint8_t> &got, const std::vector<uint8_t> &expected)
{
	std::vector<std::string> a, b;
	ear_frame frame;
	size_t at = 0;

	for (;;) {
		int size = ear_frame_parse(&frame, got.data() + at, got.size() - at);
		if (size <= 0)
			break;
		a = frame_messages(frame);
		if (expected.size() - at < size_t(size) ||
			!std::equal(got.begin() + long(at), got.begin() + long(at) + size,
				expected.begin() + long(at)))
			break;
		at += size_t(size);
		a.clear();
	}
	if (ear_frame_parse(&frame, expected.data() + at, expected.size() - at) > 0)
		b = frame_messages(frame);
	std::fprintf(stderr, "frame at byte %zu of %zu; the reference encoder's is marked <\n", at,
		got.size());
	for (size_t i = 0; i < std::max(a.size(), b.size()); i++) {
		std::string x = i < a.size() ? a[i] : "-", y = i < b.size() ? b[i] : "-";
		std::fprintf(stderr, "%s%s\n", x == y ? "  " : "> ", x.c_str());
		if (x != y)
			std::fprintf(stderr, "< %s\n", y.c_str());
	}
}

#endif
