// Fuzzes the five fields of crontabs: what is read has a next moment that fits, or none within eight years; the rest is
// refused by the field.

#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/spec/cron_schedule.hpp>

#include <chrono>

namespace {

using stream_pieces::require;

constexpr std::string_view pieces[] = {"*", " ", "0", "1", "5", "7", "9", "12", "23", "24", "29", "30", "31", "59",
    "60", "-",
                                       "/", ",", "*/2", "1-5", "mon", "SUN", "jan", "dec", "\t", "@daily", "@", "02",
                                           "#"};

void check(std::string_view text)
{
    try {
        const weft::cron_schedule schedule{text};
        const std::chrono::sys_seconds now{std::chrono::seconds{1'709'164'800}};  // the 29th of February 2024
        const auto next = schedule.next(now);
        if (!next) return;
        require(*next > now && next->time_since_epoch().count() % 60 == 0);
        // What is due then is due: seen from a second before, it is the next one as well.
        require(schedule.next(*next - std::chrono::seconds{1}) == next);
        const auto after = schedule.next(*next);
        require(!after || *after > *next);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_configuration && *e.what() != '\0');
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    check(stream_pieces::spelled_out(pieces, data, size));
    return 0;
}
