#include "redis_thread_keys.hpp"

#include "store/record/limit_checks.hpp"

#include <string_view>

namespace weft::redis_detail {

namespace {

/** Appends a name so that no other one reads the same: what means something in a key is written as `%` and digits. */
void append_escaped(std::string& to, std::string_view name)
{
    constexpr char digits[] = "0123456789ABCDEF";
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::string_view{"{}/%"}.find(c) == std::string_view::npos && byte > 0x20 && byte != 0x7f)
            to += c;
        else
            to.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
}

}  // namespace

redis_thread_keys::redis_thread_keys(const std::string& prefix, const thread_key& thread)
{
    check_limits(thread);
    std::string common = prefix + "{";
    append_escaped(common, thread.tenant);
    common += '/';
    append_escaped(common, thread.thread);
    common += "}:";
    state = common + "state";
    lock = common + "lock";
    fence = common + "fence";
}

}  // namespace weft::redis_detail
