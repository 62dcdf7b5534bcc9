#include "lost_attempts.hpp"

#include <cstdint>
#include <utility>

namespace weft::store_detail {

namespace {

constexpr std::size_t cause_bytes_max = 16u << 10;
constexpr std::size_t moment_bytes = 8;
constexpr std::size_t length_bytes = 4;

void append_number(std::string& to, std::uint64_t number, std::size_t bytes)
{
    for (std::size_t i = bytes; i-- > 0;) to += static_cast<char>(number >> (8 * i) & 0xff);
}

std::uint64_t number_at(std::string_view bytes)
{
    std::uint64_t number = 0;
    for (const char each : bytes) number = number << 8 | static_cast<unsigned char>(each);
    return number;
}

}  // namespace

std::string bounded_cause(std::string cause)
{
    return cause.size() <= cause_bytes_max ? std::move(cause)
                                           : "a cause of " + std::to_string(cause.size()) + " bytes, too long to keep";
}

void add_lost_attempt(std::vector<lost_attempt>& to, wall_time at, std::string cause)
{
    if (to.size() == run_record::lost_attempts_max) to.erase(to.begin());
    to.push_back({std::chrono::floor<std::chrono::microseconds>(at), bounded_cause(std::move(cause))});
}

std::string packed(const std::vector<lost_attempt>& attempts)
{
    std::string bytes;
    for (const lost_attempt& each : attempts) {
        const auto at = std::chrono::floor<std::chrono::microseconds>(each.at.time_since_epoch()).count();
        append_number(bytes, static_cast<std::uint64_t>(at), moment_bytes);
        append_number(bytes, each.cause.size(), length_bytes);
        bytes += each.cause;
    }
    return bytes;
}

std::vector<lost_attempt> unpacked(std::string_view bytes)
{
    std::vector<lost_attempt> found;
    while (bytes.size() >= moment_bytes + length_bytes) {
        const auto at = static_cast<std::int64_t>(number_at(bytes.substr(0, moment_bytes)));
        const std::uint64_t length = number_at(bytes.substr(moment_bytes, length_bytes));
        bytes.remove_prefix(moment_bytes + length_bytes);
        if (length > bytes.size()) break;
        found.push_back({wall_time{std::chrono::microseconds{at}}, std::string{bytes.substr(0, length)}});
        bytes.remove_prefix(length);
    }
    return found;
}

}  // namespace weft::store_detail
