#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace weft_bench {

/** How a stream comes: so many events of a reply, and the time between two of them. */
struct stream_shape {
    int streams = 0;
    int chunks = 0;
    int gap_ms = 0;
};

/** A scripted endpoint in a process of its own, so that its CPU time is not counted. */
class stream_server {
public:
    explicit stream_server(const stream_shape& shape);
    ~stream_server();
    stream_server(const stream_server&) = delete;
    stream_server& operator=(const stream_server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] const std::string& ca_pem() const noexcept { return ca_pem_; }

private:
    pid_t child_ = -1;
    int lifeline_ = -1;  // the child ends when this is closed
    std::uint16_t port_ = 0;
    std::string ca_pem_;
};

/** What the clients ask; the server knows these words. */
inline constexpr const char* ask_for_word = "one word, please";
inline constexpr const char* ask_for_stream = "the whole stream, please";

}  // namespace weft_bench
