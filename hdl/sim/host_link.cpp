// Both directions are tried without blocking, once every few clocks, and never inside of one: the
// model must not wait in the middle of a clock. wait() is for a board that has nothing to do until
// the host speaks.
#include "host_link.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ear
{

HostLink::HostLink(int socket) : socket_(socket)
{
	int flags = fcntl(socket, F_GETFL);

	if (flags >= 0)
		fcntl(socket, F_SETFL, flags | O_NONBLOCK);
	out_.reserve(SIZE + 8);
}

HostLink::~HostLink()
{
	close(socket_);
}

void HostLink::send_some()
{
	while (open_ && sent_ < out_.size()) {
		ssize_t count =
			send(socket_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);

		if (count >= 0)
			sent_ += static_cast<size_t>(count);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			open_ = false;
	}
	out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(sent_));
	sent_ = 0;
}

void HostLink::receive_some()
{
	uint8_t block[4096];

	in_.erase(in_.begin(), in_.begin() + static_cast<ptrdiff_t>(taken_));
	taken_ = 0;
	while (open_ && in_.size() < SIZE) {
		ssize_t count = recv(socket_, block, sizeof(block), 0);

		if (count > 0)
			in_.insert(in_.end(), block, block + count);
		else if (count == 0)
			open_ = false;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			open_ = false;
	}
}

void HostLink::exchange()
{
	send_some();
	receive_some();
}

void HostLink::wait(int timeout_ms)
{
	struct pollfd poll_fd = {};

	poll_fd.fd = socket_;
	poll_fd.events = static_cast<short>(pushed() ? POLLIN | POLLOUT : POLLIN);
	poll(&poll_fd, 1, timeout_ms); // an interrupted wait is a short one, nothing more
}

int host_listen(const std::string &path, std::string *error)
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

} // namespace ear
