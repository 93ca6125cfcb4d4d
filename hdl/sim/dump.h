// The truth at chosen moments: what the core and its memory hold behind an instruction record, read
// from the Verilated model and not from what the capture unit sends. docs/boards.md, section 1.2,
// has the format of the file.
#ifndef EAR_SIM_DUMP_H
#define EAR_SIM_DUMP_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "hdl/sim/core_state.h"
#include "hdl/sim/memory.h"

namespace ear
{

struct DumpOptions {
	std::vector<uint64_t> moments; // instruction records, ascending, each once
	std::string path;
};

// Parse LIST:FILE. LIST is numbers with commas between them, or @LISTFILE: a file of numbers with
// commas, blanks or line ends between them. They need no order.
//
// Returns an empty string and fills *options, or says what is wrong and leaves it as it was.
std::string dump_parse(const std::string &text, DumpOptions *options);

class Dump
{
      public:
	// memory holds the program already and must outlive the dump, and so must options.
	Dump(const DumpOptions &options, Memory &memory);
	~Dump();
	Dump(const Dump &) = delete;
	Dump &operator=(const Dump &) = delete;

	// Open the file. Returns what went wrong, or an empty string.
	std::string open();

	// Is the moment behind the record of this number wanted, and not written yet?
	bool wants(uint64_t number) const
	{
		return next_ < options_.moments.size() && options_.moments[next_] == number;
	}
	// A word of the memory has been written.
	void wrote(uint32_t address)
	{
		size_t page = (address - MEMORY_BASE) / PAGE_SIZE;

		if (!changed_[page]) {
			changed_[page] = true;
			changed_pages_.push_back(page);
		}
	}
	// The record at pc, for which wants() is true, has retired; the core holds `state` now.
	void write(uint32_t pc, const CoreState &state);

	// Write the end. Returns what went wrong since open(), or an empty string.
	std::string close();

      private:
	void write_registers(const CoreState &state);
	void write_csrs(const CoreState &state);
	void write_memory();
	void write_page(size_t page);
	void look_at_everything();

	static constexpr size_t PAGE_SIZE = 4096;
	static constexpr size_t LINE_SIZE = 64;

	const DumpOptions &options_;
	Memory &memory_;
	Memory written_; // the memory as the moments so far say it is
	std::FILE *file_ = nullptr;
	int error_ = 0;
	size_t next_ = 0;
	CoreState last_ = {};
	std::vector<bool> changed_; // pages, since the moment before
	std::vector<size_t> changed_pages_;
};

} // namespace ear

#endif
