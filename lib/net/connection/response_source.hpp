#pragma once

#include <weft/async/task.hpp>
#include <weft/net/options/http_response_head.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** What a response comes from: an exchange over a connection, or a recording of one.
 *
 *  The coroutines are those of `http_response`; see there. The source outlives them.
 */
class response_source {
public:
    virtual ~response_source() = default;

    [[nodiscard]] virtual const http_response_head& head() const noexcept = 0;
    /** True if the end of the body has arrived. */
    [[nodiscard]] virtual bool is_complete() const noexcept = 0;

    /** The next bytes; those that were given back first. */
    virtual task<std::string_view> read_some() = 0;
    task<std::string> read_all(std::size_t bytes_max);
    task<std::string> read_at_most(std::size_t bytes_max);
    task<bool> drain(std::size_t bytes_max, std::chrono::nanoseconds time_max);

    virtual void close() noexcept = 0;

    /** From now on, the longest silence between two pieces of the body. */
    virtual void limit_gap(std::chrono::nanoseconds limit) noexcept = 0;
    /** True if the end of the body was given out. */
    [[nodiscard]] virtual bool is_over() const noexcept = 0;
    /** True until it is over, has failed or was closed. */
    [[nodiscard]] virtual bool is_open() const noexcept = 0;
    /** Host and port, for messages. */
    [[nodiscard]] virtual const std::string& endpoint() const noexcept = 0;

protected:
    std::string_view body_;  ///< Decoded and not given out yet, or given back.
};

}  // namespace weft::net_detail
