// SPDX-License-Identifier: Apache-2.0
// A simulation of your own as a device of Earshot: the link between a Verilator bench that has
// ear_unit in it and the host, or files. Nothing but this header is needed. docs/own-simulation.md
// has a whole bench, and what Earshot expects of a program that it starts.
//
//     earshot::Link link(argc, argv);           // --fd N, or --out FILE and --control FILE
//     Vbench top;                               // with the ports tx_* and rx_* of ear_unit
//     for (uint64_t clock = 0; link.open() && !link.done(top.ended_o); clock++) {
//             top.rst_ni = clock >= 8;
//             link.drive(top);
//             top.clk_i = 0;
//             top.eval();
//             link.sample(top);
//             top.clk_i = 1;
//             top.eval();
//     }
//     return link.finish();
#ifndef EARSHOT_LINK_H
#define EARSHOT_LINK_H

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace earshot
{

// The bytes to the host and from it: two buffers, and no blocking but in wait(). Bytes to the host
// collect until exchange(). A slow host makes room() false: stop the clock then, and nothing is
// lost.
class HostLink
{
      public:
	// Takes ownership of a connected stream socket, or of a file to write, and makes it
	// non-blocking. `control` is a file with bytes for the unit, where there is no host;
	// -1: none.
	explicit HostLink(int output, int control = -1) : output_(output), control_(control)
	{
		int flags = fcntl(output, F_GETFL);

		if (flags >= 0)
			fcntl(output, F_SETFL, flags | O_NONBLOCK);
		struct sockaddr_storage address;
		socklen_t size = sizeof(address);
		is_socket_ = getsockname(output, reinterpret_cast<struct sockaddr *>(&address),
				     &size) == 0;
		out_.reserve(SIZE + 8);
	}
	~HostLink()
	{
		close(output_);
		if (control_ >= 0)
			close(control_);
	}
	HostLink(const HostLink &) = delete;
	HostLink &operator=(const HostLink &) = delete;

	// False once the host has gone: closed its end, or the connection broke. error() is 0 then,
	// or why a file could not be written (errno).
	bool open() const
	{
		return open_;
	}
	int error() const
	{
		return error_;
	}

	// Is there room for another word to the host?
	bool room() const
	{
		return sent_ + SIZE > out_.size();
	}
	void push(uint8_t byte)
	{
		out_.push_back(byte);
	}
	// Do bytes wait to be sent?
	bool pushed() const
	{
		return !out_.empty();
	}

	// Send what the socket takes, fetch what it has. Does not wait.
	void exchange()
	{
		send_some();
		receive_some();
	}

	// Bytes from the host, the next one first.
	size_t received() const
	{
		return in_.size() - taken_;
	}
	uint8_t peek(size_t index) const
	{
		return in_[taken_ + index];
	}
	void take(size_t count)
	{
		taken_ += count;
	}

	// Wait until the socket can do something: receive, or also send if bytes wait to be sent.
	// At most so long; -1: for ever.
	void wait(int timeout_ms)
	{
		struct pollfd poll_fd = {};

		poll_fd.fd = output_;
		poll_fd.events = static_cast<short>(pushed() ? POLLIN | POLLOUT : POLLIN);
		poll(&poll_fd, 1, timeout_ms); // an interrupted wait is a short one, nothing more
	}

      private:
	static constexpr size_t SIZE = 64 * 1024;

	// Would a call that failed succeed later?
	static bool is_busy()
	{
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
	}

	void send_some()
	{
		while (open_ && sent_ < out_.size()) {
			const uint8_t *from = out_.data() + sent_;
			const size_t size = out_.size() - sent_;
			ssize_t count = is_socket_ ? send(output_, from, size, MSG_NOSIGNAL)
						   : write(output_, from, size);

			if (count >= 0) {
				sent_ += static_cast<size_t>(count);
			} else if (!is_busy()) {
				error_ = is_socket_ ? 0 : errno;
				open_ = false;
			} else if (errno != EINTR) {
				break;
			}
		}
		out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(sent_));
		sent_ = 0;
	}

	void receive_some()
	{
		const int from = is_socket_ ? output_ : control_;
		uint8_t block[4096];

		in_.erase(in_.begin(), in_.begin() + static_cast<ptrdiff_t>(taken_));
		taken_ = 0;
		while (open_ && from >= 0 && in_.size() < SIZE) {
			ssize_t count = read(from, block, sizeof(block));

			if (count > 0) {
				in_.insert(in_.end(), block, block + count);
			} else if (count == 0 || !is_busy()) {
				if (is_socket_)
					open_ = false;
				break;
			} else if (errno != EINTR) {
				break;
			}
		}
	}

	int output_, control_;
	bool is_socket_;
	bool open_ = true;
	int error_ = 0;
	std::vector<uint8_t> out_; // to the host; the first sent_ bytes are already gone
	size_t sent_ = 0;
	std::vector<uint8_t> in_; // from the host; the first taken_ bytes are already used
	size_t taken_ = 0;
};

// Listen on a Unix socket at `path`, wait for one host, and remove the path again.
// Returns the connection, or -1 and an explanation in *error.
inline int host_listen(const std::string &path, std::string *error)
{
	struct sockaddr_un address = {};
	int listener, connection = -1;

	address.sun_family = AF_UNIX;
	if (path.size() >= sizeof(address.sun_path)) {
		*error = "the path is too long for a socket";
		return -1;
	}
	std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0) {
		*error = std::strerror(errno);
		return -1;
	}
	if (bind(listener, reinterpret_cast<struct sockaddr *>(&address), sizeof(address)) < 0) {
		*error = std::strerror(errno);
		close(listener);
		return -1;
	}
	if (listen(listener, 1) == 0) {
		do
			connection = accept(listener, nullptr, nullptr);
		while (connection < 0 && errno == EINTR);
	}
	if (connection < 0)
		*error = std::strerror(errno);
	unlink(path.c_str());
	close(listener);
	return connection;
}

// The link of one unit, and the command line that Earshot starts a program with:
//
//     bench PROGRAM --fd N --KEY VALUE ...      for -d sim:PROGRAM,KEY=VALUE,...
//     bench PROGRAM --out FILE [--control FILE] --KEY VALUE ...      without a host
//
// A command line that is neither ends the process with status 2 and a message.
class Link
{
      public:
	Link(int argc, const char *const *argv) : Link(std::vector<std::string>(argv, argv + argc))
	{
	}
	explicit Link(const std::vector<std::string> &words)
	    : words_(words), host_(open_output(), open_control())
	{
	}

	// The argument that is no option, such as the program to run. Empty: there is none.
	std::string program() const
	{
		for (size_t i = 1; i < words_.size(); i++) {
			if (words_[i].compare(0, 2, "--") != 0)
				return words_[i];
			i += words_[i] == "--quiet" ? 0 : 1;
		}
		return "";
	}

	// The value of --KEY, or `otherwise`.
	std::string option(const std::string &key, const std::string &otherwise = "") const
	{
		for (size_t i = 1; i + 1 < words_.size(); i++)
			if (words_[i] == "--" + key)
				return words_[i + 1];
		return otherwise;
	}

	// False once the host has gone; the bench ends then.
	bool open() const
	{
		return host_.open();
	}

	// Before the falling half of a clock: what the link shows to the unit. It waits here for a
	// slow host, and a little while nothing happens.
	template <class Top> void drive(Top &top)
	{
		prepare();
		top.tx_ready_i = 1;
		top.rx_valid_i = has_byte();
		top.rx_data_i = has_byte() ? byte() : 0;
	}

	// Before the rising edge, after eval(): a word of the unit, a byte that it takes.
	template <class Top> void sample(Top &top)
	{
		if (top.tx_valid_o)
			word(top.tx_data_o);
		if (top.rx_valid_i && top.rx_ready_o)
			take_byte();
	}

	// Has the program ended, and was the link quiet for so many clocks since? The unit sends
	// its last frame without being asked.
	bool done(bool ended, uint64_t clocks = 16384)
	{
		if (!ended)
			ended_ = false;
		else if (!ended_) {
			ended_ = true;
			quiet_ = 0;
		}
		return ended_ && quiet_ > clocks;
	}

	// Send what is left. Returns the exit status of the bench: 0, or 2 after a message if the
	// file could not be written.
	int finish()
	{
		while (host_.open() && host_.pushed()) {
			host_.wait(-1);
			host_.exchange();
		}
		if (host_.error() == 0)
			return 0;
		std::fprintf(
			stderr, "%s: %s\n", option("out").c_str(), std::strerror(host_.error()));
		return 2;
	}

	// What drive() and sample() are made of, for a bench whose top has other names. A clock is
	// prepare(), then word() for a word that was valid, and take_byte() if the unit took
	// byte().
	void prepare()
	{
		quiet_++;
		if (clocks_++ % EXCHANGE_CLOCKS == 0 || !host_.room())
			host_.exchange();
		while (host_.open() && !host_.room()) {
			host_.wait(-1);
			host_.exchange();
		}
		if (quiet_ % IDLE_CLOCKS == 0 && host_.received() == 0)
			host_.wait(1);
	}
	void word(uint32_t data)
	{
		for (unsigned k = 0; k < 4; k++)
			host_.push(static_cast<uint8_t>(data >> (8 * k)));
		quiet_ = 0;
	}
	bool has_byte() const
	{
		return host_.received() > 0;
	}
	uint8_t byte() const
	{
		return host_.peek(0);
	}
	void take_byte()
	{
		host_.take(1);
		quiet_ = 0;
	}

      private:
	static constexpr uint64_t EXCHANGE_CLOCKS = 64;
	static constexpr uint64_t IDLE_CLOCKS = 1 << 16;

	[[noreturn]] void fail(const std::string &what, const std::string &why) const
	{
		std::fprintf(stderr, "%s: %s: %s\n", words_.empty() ? "bench" : words_[0].c_str(),
			what.c_str(), why.c_str());
		std::exit(2);
	}

	int open_output() const
	{
		const std::string fd = option("fd"), out = option("out");
		char *end = nullptr;
		long number = std::strtol(fd.c_str(), &end, 10);
		int file;

		if (fd.empty() == out.empty())
			fail("command line", "give one of --fd N and --out FILE");
		if (!fd.empty()) {
			if (*end || number < 0 || fcntl(static_cast<int>(number), F_GETFD) < 0)
				fail("--fd " + fd, "no open file");
			return static_cast<int>(number);
		}
		file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (file < 0)
			fail(out, std::strerror(errno));
		return file;
	}

	int open_control() const
	{
		const std::string path = option("control");
		int file;

		if (path.empty())
			return -1;
		file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
		if (file < 0)
			fail(path, std::strerror(errno));
		return file;
	}

	std::vector<std::string> words_;
	HostLink host_;
	uint64_t clocks_ = 0, quiet_ = 0;
	bool ended_ = false;
};

} // namespace earshot

#endif
