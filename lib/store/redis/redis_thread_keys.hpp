#pragma once

#include <weft/store/record/thread_key.hpp>

#include <string>

namespace weft::redis_detail {

/** Where things of a thread are. The braces make a cluster keep them on one server, where one script can reach them. */
struct redis_thread_keys {
    /** @par Errors   `errc::limit_reached`, as `check_limits`. */
    redis_thread_keys(const std::string& prefix, const thread_key& thread);

    std::string state;
    std::string lock;
    std::string fence;
};

}  // namespace weft::redis_detail
