/* One table of what users give to a reader of traces by mistake, or for lack of the tool that makes
 * the trace. Each row is bytes at an offset, or a word that one of the first lines begins with or
 * has.
 */
#define _GNU_SOURCE /* memmem */

#include "library/source/fingerprint.h"

#include <stdbool.h>
#include <string.h>

#define NOT_A_TRACE "; give the trace of a run, not this"

struct magic {
	size_t offset;
	const char *bytes;
	size_t size;
	const char *text;
};

#define MAGIC(offset, bytes, text) \
	{ \
		offset, bytes, sizeof(bytes) - 1, text \
	}

static const struct magic magics[] = {
	MAGIC(0,
		"\x7F"
		"ELF",
		"this is an ELF file; give the trace of its run, and this with --elf"),
	MAGIC(0, "\0\0\0\0\0\0\0\1\x49",
		"this is an FST waveform, which is not supported; log the instructions in the "
		"simulator"),
	MAGIC(0, "GHDLwave\n",
		"this is a GHW waveform, which is not supported; log the instructions in the "
		"simulator"),
	MAGIC(0, "\xD4\xC3\xB2\xA1",
		"this is a pcap file; give the bytes of the trace alone, without those of packets"),
	MAGIC(0, "\xA1\xB2\xC3\xD4",
		"this is a pcap file; give the bytes of the trace alone, without those of packets"),
	MAGIC(0, "\x0A\x0D\x0D\x0A",
		"this is a pcapng file; give the bytes of the trace alone, without those of packets"),
	MAGIC(0, "PK\3\4", "this is a ZIP archive; unpack it, and give the trace in it"),
	MAGIC(0, "7z\xBC\xAF\x27\x1C", "this is a 7z archive; unpack it, and give the trace in it"),
	MAGIC(0, "Rar!", "this is a RAR archive; unpack it, and give the trace in it"),
	MAGIC(257, "ustar", "this is a tar archive; unpack it, and give the trace in it"),
	MAGIC(0, "\x1F\x9D",
		"this is packed with compress, which is not supported; unpack it with gzip -d"),
	MAGIC(0, "\x5D\0\0",
		"this is packed with lzma, which is not supported; unpack it with xz -d"),
	MAGIC(0, "PERFILE2", "this is a file of Linux perf, which is not supported" NOT_A_TRACE),
	MAGIC(0, "\x17\x08\x44tracing",
		"this is a file of trace-cmd, which is not supported" NOT_A_TRACE),
	MAGIC(0, "SQLite format 3", "this is an SQLite database" NOT_A_TRACE),
	MAGIC(0, "%PDF-", "this is a PDF document" NOT_A_TRACE),
	MAGIC(0, "\x89PNG", "this is a picture" NOT_A_TRACE),
	MAGIC(0, "<?xml", "this is XML" NOT_A_TRACE),
	MAGIC(0, "<!DOCTYPE", "this is a page of HTML; download the file itself"),
	MAGIC(0, "version https://git-lfs",
		"this is a pointer of Git LFS; get the file with git lfs pull"),
};

/* At the beginning of a line, or anywhere in one. */
struct word {
	bool begins;
	const char *word, *text;
};

#define VCD "this is a VCD waveform, which is not supported; log the instructions in the simulator"

static const struct word words[] = {
	{true, "$timescale", VCD},
	{true, "$date", VCD},
	{true, "$var ", VCD},
	{false, "file format elf",
		"this is a disassembly by objdump; give the trace of the run, and the ELF file with "
		"--elf"},
	{true, "Open On-Chip Debugger", "this is the log of OpenOCD" NOT_A_TRACE},
	{true, "GNU gdb ", "this is the log of GDB" NOT_A_TRACE},
	{true, "# SystemC::Coverage", "this is coverage of Verilator" NOT_A_TRACE},
	{true, "TN:", "this is coverage in lcov's format" NOT_A_TRACE},
	{true, "-----BEGIN ", "this is a key or a signature" NOT_A_TRACE},
	{true, "UVM_INFO",
		"this is the log of an UVM testbench; give the file that its tracer writes"},
	{true, "OpenSBI v", "this is the console of OpenSBI; give the file that a tracer writes"},
	{true, ":10", "this is a program in Intel HEX" NOT_A_TRACE},
	{true, "S0", "this is a program in S-records" NOT_A_TRACE},
};

static const char *find_word(const char *line, size_t size)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i].word);
		const char *at = memmem(line, size, words[i].word, length);
		if (at && (at == line || !words[i].begins))
			return words[i].text;
	}
	return NULL;
}

static const char *find_line(const char *text, size_t size)
{
	for (const char *at = text, *end = text + size; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *found = find_word(at, (size_t)((newline ? newline : end) - at));
		if (found)
			return found;
		at = newline ? newline + 1 : end;
	}
	return "";
}

const char *ear_fingerprint(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (size >= magics[i].offset + magics[i].size &&
			memcmp(bytes + magics[i].offset, magics[i].bytes, magics[i].size) == 0)
			return magics[i].text;
	return find_line((const char *)bytes, size);
}
