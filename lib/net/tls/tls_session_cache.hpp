#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace weft::net_detail {

struct session_deleter {
    void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
};
using session_ptr = std::unique_ptr<SSL_SESSION, session_deleter>;

/** The newest TLS session of each origin, so that the next connection needs half the work for its handshake.
 *
 *  @par Thread safety   All operations from any OS thread; they are needed once per connection.
 */
class tls_session_cache {
public:
    explicit tls_session_cache(std::size_t sessions_max = 256) noexcept : sessions_max_{sessions_max} {}

    /** Remembers a session in place of an older one; of too many, the one stored longest ago goes. */
    void store(const std::string& origin, session_ptr session);

    /** A session to offer to `origin`, or null. */
    [[nodiscard]] session_ptr find(const std::string& origin) const;

    /** Forgets the session of an origin that did not like it. */
    void erase(const std::string& origin);

    [[nodiscard]] std::size_t size() const;

private:
    struct entry {
        session_ptr session;
        std::uint64_t stored = 0;
    };

    const std::size_t sessions_max_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, entry> entries_;
    std::uint64_t stored_ = 0;
};

}  // namespace weft::net_detail
