// The virtual board's end of the socket to the host: two buffers and no blocking.
#ifndef EAR_SIM_HOST_LINK_H
#define EAR_SIM_HOST_LINK_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ear
{

// Bytes to the host collect in a buffer that exchange() sends. A slow host makes room() false: the
// board stops its clock then, nothing is ever thrown away.
class HostLink
{
      public:
	// Takes ownership of a connected stream socket and makes it non-blocking.
	explicit HostLink(int socket);
	~HostLink();
	HostLink(const HostLink &) = delete;
	HostLink &operator=(const HostLink &) = delete;

	// False once the host has gone: closed its end, or the connection broke.
	bool open() const
	{
		return open_;
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
	bool pushed() const
	{
		return !out_.empty();
	} // bytes wait to be sent

	// Send what the socket takes, fetch what it has. Does not wait.
	void exchange();

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
	void wait(int timeout_ms);

      private:
	static constexpr size_t SIZE = 64 * 1024;

	void send_some();
	void receive_some();

	int socket_;
	bool open_ = true;
	std::vector<uint8_t> out_; // to the host; the first sent_ bytes are already gone
	size_t sent_ = 0;
	std::vector<uint8_t> in_; // from the host; the first taken_ bytes are already used
	size_t taken_ = 0;
};

// Listen on a Unix socket at `path`, wait for one host, and remove the path again.
// Returns the connection, or -1 and an explanation in *error.
int host_listen(const std::string &path, std::string *error);

} // namespace ear

#endif
