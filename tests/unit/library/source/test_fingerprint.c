/* What a file is that is no trace. library/source/fingerprint.h */
#include "check.h"

#include <string.h>

#include "library/shot/ftdi_packet.h"
#include "library/source/fingerprint.h"

#define ROW(bytes, word) \
	{ \
		bytes, sizeof(bytes) - 1, word \
	}

static void a_refusal_names_what_the_file_is(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *word;
	} rows[] = {
		ROW("\x7F"
		    "ELF\2\1\1\0",
			"ELF"),
		ROW("\0\0\0\0\0\0\0\1\x49\0\0", "FST"),
		ROW("GHDLwave\n\0", "GHW"),
		ROW("\xD4\xC3\xB2\xA1\2\0\4\0", "pcap"),
		ROW("\x0A\x0D\x0D\x0A\x1C\0\0\0", "pcapng"),
		ROW("PK\3\4\x14\0", "ZIP"),
		ROW("\x1F\x9D\x90", "compress"),
		ROW("PERFILE2h\0", "perf"),
		ROW("$date today $end\n$version Verilator $end\n", "VCD"),
		ROW("$version x\n$timescale 1ps $end\n", "VCD"),
		ROW("\na.elf:     file format elf32-littleriscv\n", "objdump"),
		ROW("Open On-Chip Debugger 0.12.0\n", "OpenOCD"),
		ROW("\nOpenSBI v1.3\n", "OpenSBI"),
		ROW("core 0\n", ""),
		ROW("a $date in a line\n", ""),
		ROW("", ""),
		ROW("\x7F", ""),
	};
	char tar[512] = "name";

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = ear_fingerprint((const uint8_t *)rows[i].bytes, rows[i].size);
		assert_int_equal(text[0] != '\0', rows[i].word[0] != '\0');
		assert_non_null(strstr(text, rows[i].word));
		assert_true(text[0] == '\0' || strncmp(text, "this is ", 8) == 0);
		assert_below(strlen(text), 160);
	}
	memcpy(tar + 257, "ustar", 5);
	assert_non_null(strstr(ear_fingerprint((const uint8_t *)tar, sizeof(tar)), "tar"));
}

static void status_bytes_of_packets_are_seen(void **state)
{
	uint8_t bytes[4096];

	(void)state;
	for (size_t packet = 64; packet <= 512; packet *= 8) {
		memset(bytes, 0xA5, sizeof(bytes));
		for (size_t at = 0; at < sizeof(bytes); at += packet) {
			bytes[at] = 0x31;
			bytes[at + 1] = 0x60;
		}
		assert_int_equal(ear_ftdi_packet(bytes, sizeof(bytes)), packet);
		assert_int_equal(ear_ftdi_packet(bytes, 4 * packet), packet);
		assert_int_equal(ear_ftdi_packet(bytes, 4 * packet - 1), 0);
		bytes[1024 + 1] = 0x62; /* an overrun: not the same */
		assert_int_equal(ear_ftdi_packet(bytes, sizeof(bytes)), 0);
	}
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(ear_ftdi_packet(bytes, sizeof(bytes)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_names_what_the_file_is),
		cmocka_unit_test(status_bytes_of_packets_are_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
