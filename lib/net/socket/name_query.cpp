#include "name_query.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/loop/loop_timer.hpp>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <ares.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#if ARES_VERSION < 0x011200
#error "weft needs c-ares 1.18 or newer"
#endif

namespace weft::net_detail {

namespace {

namespace asio = boost::asio;
namespace ip = boost::asio::ip;
using boost::system::error_code;

/** The first wait for a name server; it doubles with each further try. */
constexpr std::chrono::milliseconds first_wait{1000};
constexpr int tries_max = 3;

/** Files first, then name servers, whatever `/etc/nsswitch.conf` names besides. */
char lookup_order[] = "fb";

bool library_is_ready()
{
    static const bool is_ready = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS;
    return is_ready;
}

ip::address address_of(const sockaddr& from)
{
    if (from.sa_family == AF_INET) {
        sockaddr_in v4;
        std::memcpy(&v4, &from, sizeof v4);
        return ip::address_v4{ntohl(v4.sin_addr.s_addr)};
    }
    sockaddr_in6 v6;
    std::memcpy(&v6, &from, sizeof v6);
    ip::address_v6::bytes_type bytes;
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return ip::address_v6{bytes, v6.sin6_scope_id};
}

/** A socket that c-ares owns, watched. */
struct watched_socket {
    explicit watched_socket(serial_loop& loop) : descriptor{loop.executor()} {}

    asio::posix::basic_stream_descriptor<loop_executor> descriptor;
    bool wants[2] = {false, false};  // to read, to write
    bool waits[2] = {false, false};
};

}  // namespace

/** The channel and its sockets; handlers of the loop hold it until they have run. */
class name_query::channel : public std::enable_shared_from_this<channel> {
public:
    channel(serial_loop& loop, ended_function ended, void* self)
        : loop_{loop}, timer_{loop, [](void* me) { static_cast<channel*>(me)->on_time(); }, this}, ended_{ended},
          self_{self}
    {
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel() { close(); }

    void start(const std::string& host, const std::string& name_servers);
    void give_up() noexcept
    {
        ended_ = nullptr;
        close();
    }

    std::vector<ip::address> found;
    int status = ARES_SUCCESS;

private:
    enum direction { read, write };

    int open(const std::string& name_servers);
    void close() noexcept;
    void on_answer(int answer, const ares_addrinfo* info);
    void on_socket_state(ares_socket_t socket, bool wants_read, bool wants_write);
    void watch(const std::shared_ptr<watched_socket>& socket, direction way);
    void process(ares_socket_t readable, ares_socket_t writable);
    void on_time();
    void after_work();

    serial_loop& loop_;
    loop_timer timer_;
    ended_function ended_;
    void* self_;
    ares_channel native_ = nullptr;
    std::vector<std::shared_ptr<watched_socket>> sockets_;
    bool is_done_ = false;
};

int name_query::channel::open(const std::string& name_servers)
{
    if (!library_is_ready()) return ARES_ENOTINITIALIZED;
    ares_options options{};
    options.timeout = static_cast<int>(first_wait.count());
    options.tries = tries_max;
    options.lookups = lookup_order;
    options.sock_state_cb_data = this;
    options.sock_state_cb = [](void* self, ares_socket_t socket, int readable, int writable) {
        static_cast<channel*>(self)->on_socket_state(socket, readable != 0, writable != 0);
    };
    const int opened = ares_init_options(
        &native_, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB);
    if (opened != ARES_SUCCESS || name_servers.empty()) return opened;
    return ares_set_servers_ports_csv(native_, name_servers.c_str());
}

void name_query::channel::start(const std::string& host, const std::string& name_servers)
{
    const auto keep = shared_from_this();
    status = open(name_servers);
    if (status == ARES_SUCCESS) {
        ares_addrinfo_hints hints{};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        ares_getaddrinfo(
            native_, host.c_str(), nullptr, &hints,
            [](void* self, int answer, int, ares_addrinfo* info) {
                static_cast<channel*>(self)->on_answer(answer, info);
                if (info) ares_freeaddrinfo(info);
            },
            this);
    } else {
        is_done_ = true;
    }
    after_work();
}

/** Inside of c-ares, which must not be closed from here. */
void name_query::channel::on_answer(int answer, const ares_addrinfo* info)
{
    is_done_ = true;
    status = answer;
    for (const ares_addrinfo_node* node = info ? info->nodes : nullptr; node; node = node->ai_next)
        found.push_back(address_of(*node->ai_addr));
}

/** Inside of c-ares. A socket that it wants nothing more of is closed by it next. */
void name_query::channel::on_socket_state(ares_socket_t socket, bool wants_read, bool wants_write)
{
    const auto is_it = [&](const auto& known) { return known->descriptor.native_handle() == socket; };
    auto at = std::find_if(sockets_.begin(), sockets_.end(), is_it);
    if (!wants_read && !wants_write) {
        if (at == sockets_.end()) return;
        const std::shared_ptr<watched_socket> leaving = std::move(*at);
        sockets_.erase(at);
        leaving->wants[read] = leaving->wants[write] = false;
        leaving->descriptor.release();  // ends what waits
        return;
    }
    if (at == sockets_.end()) {
        at = sockets_.insert(at, std::make_shared<watched_socket>(loop_));
        error_code is_refused;  // by the system, for want of memory: then the server seems silent
        (*at)->descriptor.assign(socket, is_refused);
        if (is_refused) return static_cast<void>(sockets_.erase(at));
    }
    (*at)->wants[read] = wants_read;
    (*at)->wants[write] = wants_write;
    const std::shared_ptr<watched_socket> watched = *at;
    watch(watched, read);
    watch(watched, write);
}

void name_query::channel::watch(const std::shared_ptr<watched_socket>& socket, direction way)
{
    if (!socket->wants[way] || socket->waits[way]) return;
    socket->waits[way] = true;
    socket->descriptor.async_wait(way == read ? asio::posix::descriptor_base::wait_read
                                              : asio::posix::descriptor_base::wait_write,
                                  [self = shared_from_this(), socket, way](const error_code& code) {
                                      socket->waits[way] = false;
                                      if (code || !socket->wants[way]) return;
                                      const ares_socket_t ready = socket->descriptor.native_handle();
                                      self->process(way == read ? ready : ARES_SOCKET_BAD,
                                                    way == write ? ready : ARES_SOCKET_BAD);
                                      if (self->native_) self->watch(socket, way);
                                  });
}

void name_query::channel::process(ares_socket_t readable, ares_socket_t writable)
{
    const auto keep = shared_from_this();
    ares_process_fd(native_, readable, writable);
    after_work();
}

void name_query::channel::on_time() { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); }

/** Outside of c-ares again: an answer ends it, anything else may take longer. */
void name_query::channel::after_work()
{
    if (!is_done_) {
        timeval room{};
        const timeval* const next = ares_timeout(native_, nullptr, &room);
        if (next) timer_.arm_after(std::chrono::seconds{next->tv_sec} + std::chrono::microseconds{next->tv_usec});
        return;
    }
    close();
    if (const ended_function ended = std::exchange(ended_, nullptr)) ended(self_);
}

void name_query::channel::close() noexcept
{
    if (timer_.is_armed()) timer_.disarm();
    if (native_) ares_destroy(std::exchange(native_, nullptr));
}

name_query::name_query(serial_loop& loop, ended_function ended, void* self)
    : channel_{std::make_shared<channel>(loop, ended, self)}
{
}

name_query::~name_query() { channel_->give_up(); }

void name_query::start(const std::string& host, const std::string& name_servers)
{
    channel_->start(host, name_servers);
}

const std::vector<ip::address>& name_query::found() const noexcept { return channel_->found; }

bool name_query::is_unanswered() const noexcept { return channel_->status == ARES_ETIMEOUT; }

std::string name_query::failure() const
{
    if (!channel_->found.empty()) return {};
    return channel_->status == ARES_SUCCESS ? "it has none" : ares_strerror(channel_->status);
}

}  // namespace weft::net_detail
