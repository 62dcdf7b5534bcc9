#include "sweep_turn.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <algorithm>
#include <vector>

namespace weft::store_detail {

namespace {

constexpr std::chrono::minutes turn_lease{5};

std::vector<document_change> turn_at(const std::string& kind, wall_time due)
{
    std::vector<document_change> changes(1);
    changes[0].key = {kind, "", "turn"};
    changes[0].body = "{}";
    changes[0].due = due;
    return changes;
}

}  // namespace

task<bool> sweep_turn::take()
{
    const serial_loop& loop = co_await this_task::loop();
    std::vector<document_change> first = turn_at(kind_, loop.clock().system_now());
    first[0].expected = 0;
    const bool is_first = co_await documents_.write(std::move(first));
    static_cast<void>(is_first);
    std::string kind = kind_;
    const std::vector<stored_document> turn = co_await documents_.take_due(std::move(kind), turn_lease, 1);
    co_return !turn.empty();
}

task<void> sweep_turn::end(std::chrono::milliseconds period)
{
    const serial_loop& loop = co_await this_task::loop();
    std::vector<document_change> next = turn_at(kind_, loop.clock().system_now() + period);
    const bool is_written = co_await documents_.write(std::move(next));
    static_cast<void>(is_written);  // it expects nothing
}

std::chrono::milliseconds sweep_period(std::chrono::milliseconds keep) noexcept
{
    return std::clamp<std::chrono::milliseconds>(keep / 24, std::chrono::seconds{1}, std::chrono::hours{1});
}

}  // namespace weft::store_detail
