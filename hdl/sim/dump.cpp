// A moment lists what has changed since the moment before it, so a thousand of them are small: the
// board reports each write, and of the pages written the lines are compared with a copy that holds
// what the file says so far. Before the first moment the copy is zero, as memory is that nobody has
// touched; so the whole memory is looked at once, and what a host has loaded is in it as well.
#include "dump.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ear
{

namespace
{

// Take the number at text[*at] and what separates it from the next one.
bool take_number(const std::string &text, size_t *at, uint64_t *number)
{
	const char *begin = text.c_str() + *at;
	char *end;

	errno = 0;
	*number = std::strtoull(begin, &end, 10);
	if (errno || *begin < '0' || *begin > '9' || (*end && !std::strchr(", \t\r\n", *end)))
		return false;
	*at += static_cast<size_t>(end - begin);
	*at = std::min(text.find_first_not_of(", \t\r\n", *at), text.size());
	return true;
}

std::string read_list(const std::string &path, std::string *text)
{
	std::ifstream file(path, std::ios::binary);
	std::ostringstream all;

	if (!file)
		return path + ": " + std::strerror(errno);
	all << file.rdbuf();
	*text = all.str();
	return "";
}

} // namespace

std::string dump_parse(const std::string &text, DumpOptions *options)
{
	size_t colon = text.find(':'), at = 0;
	std::string list = text.substr(0, colon), error;
	DumpOptions found;
	uint64_t number;

	if (colon == std::string::npos || colon + 1 == text.size())
		return "'" + text + "' is not LIST:FILE";
	found.path = text.substr(colon + 1);
	if (list[0] == '@') {
		error = read_list(list.substr(1), &list);
		if (!error.empty())
			return error;
	}
	while (at < list.size()) {
		if (!take_number(list, &at, &number))
			return "'" + list.substr(at, 20) + "' is not a number of an instruction";
		found.moments.push_back(number);
	}
	if (found.moments.empty())
		return "no number of an instruction";
	std::sort(found.moments.begin(), found.moments.end());
	found.moments.erase(
		std::unique(found.moments.begin(), found.moments.end()), found.moments.end());
	*options = found;
	return "";
}

Dump::Dump(const DumpOptions &options, Memory &memory)
    : options_(options), memory_(memory), written_(memory.size()),
      changed_((memory.size() + PAGE_SIZE - 1) / PAGE_SIZE)
{
}

Dump::~Dump()
{
	if (file_)
		std::fclose(file_);
}

std::string Dump::open()
{
	if (!written_.valid())
		return "no memory for a copy of the memory";
	file_ = std::fopen(options_.path.c_str(), "wb");
	if (!file_)
		return options_.path + ": " + std::strerror(errno);
	std::fprintf(file_, "# earshot-board dump 1\n");
	return "";
}

void Dump::write_registers(const CoreState &state)
{
	for (unsigned k = 1; k < state.x.size(); k++)
		if (next_ == 0 || state.x[k] != last_.x[k])
			std::fprintf(file_, "x %u 0x%08" PRIx32 "\n", k, state.x[k]);
}

void Dump::write_csrs(const CoreState &state)
{
	for (size_t k = 0; k < state.csrs.size(); k++)
		if (next_ == 0 || state.csrs[k].value != last_.csrs[k].value)
			std::fprintf(file_, "c %u 0x%08" PRIx32 "\n", state.csrs[k].number,
				state.csrs[k].value);
}

void Dump::write_page(size_t page)
{
	size_t end = std::min<uint64_t>((page + 1) * PAGE_SIZE, memory_.size());

	for (size_t offset = page * PAGE_SIZE; offset < end; offset += LINE_SIZE) {
		uint32_t address = MEMORY_BASE + static_cast<uint32_t>(offset);
		size_t size = std::min(LINE_SIZE, end - offset);
		const uint8_t *now = memory_.at(address);

		if (std::memcmp(now, written_.at(address), size) == 0)
			continue;
		std::memcpy(written_.at(address), now, size);
		std::fprintf(file_, "m 0x%08" PRIx32 " ", address);
		for (size_t k = 0; k < size; k++)
			std::fprintf(file_, "%02x", now[k]);
		std::fputc('\n', file_);
	}
}

void Dump::look_at_everything()
{
	changed_pages_.clear();
	for (size_t page = 0; page < changed_.size(); page++)
		changed_pages_.push_back(page);
}

void Dump::write_memory()
{
	if (next_ == 0)
		look_at_everything();
	std::sort(changed_pages_.begin(), changed_pages_.end());
	for (size_t page : changed_pages_) {
		write_page(page);
		changed_[page] = false;
	}
	changed_pages_.clear();
}

void Dump::write(uint32_t pc, const CoreState &state)
{
	std::fprintf(file_,
		"after %" PRIu64 "\npc 0x%08" PRIx32 "\nnext 0x%08" PRIx32 "\nprivilege %u\n",
		options_.moments[next_], pc, state.pc, state.privilege);
	write_registers(state);
	write_csrs(state);
	write_memory();
	if (std::ferror(file_) && !error_)
		error_ = errno;
	last_ = state;
	next_++;
}

std::string Dump::close()
{
	std::FILE *file = file_;

	file_ = nullptr;
	std::fprintf(file, "# end: %zu of %zu moments\n", next_, options_.moments.size());
	bool failed = std::ferror(file);
	if (std::fclose(file) != 0 || failed)
		return options_.path + ": " + std::strerror(error_ ? error_ : errno);
	return "";
}

} // namespace ear
