#include <weft/agent/guard/guardrail.hpp>

#include <boost/describe/enum_to_string.hpp>

#include <set>

namespace weft {

namespace {

std::string fault_of_guards(const std::vector<guardrail>& guards, guard_stage stage)
{
    std::set<std::string_view> names;
    for (const guardrail& guard : guards) {
        const std::string where = "a guardrail of the stage " + std::string{name_of(stage)};
        if (guard.name.empty()) return where + " has no name";
        if (!names.insert(guard.name).second) return where + " has the name of another: " + guard.name;
        if (!guard.check) return where + " has no check: " + guard.name;
    }
    return {};
}

std::string words_of(const guard_trip& trip)
{
    std::string text = std::string{name_of(trip.stage)} + " guardrail '" + trip.guardrail + "': ";
    if (trip.has_failed) text += "its check failed: ";
    return text + (trip.reason.empty() ? "no reason given" : trip.reason);
}

}  // namespace

std::string_view name_of(guard_stage stage) noexcept { return boost::describe::enum_to_string(stage, "unknown"); }

std::string_view name_of(guard_action action) noexcept { return boost::describe::enum_to_string(action, "unknown"); }

std::string guardrails::fault() const
{
    if (piece_bytes == 0) return "piece_bytes is 0: a piece has at least one";
    if (release == guard_release::pieces && held_bytes_max < piece_bytes)
        return "held_bytes_max is less than piece_bytes: no piece would ever be whole";
    for (const auto& [guards, stage] :
         {std::pair{&input, guard_stage::input}, std::pair{&output, guard_stage::output},
          std::pair{&tool_call, guard_stage::tool_call}, std::pair{&tool_result, guard_stage::tool_result}})
        if (std::string fault = fault_of_guards(*guards, stage); !fault.empty()) return fault;
    return {};
}

guardrail_error::guardrail_error(std::string where, guard_trip trip)
    : error{errc::guardrail_tripped, std::move(where), words_of(trip)}, trip_{std::move(trip)}
{
}

const guard_trip* find_trip(const std::exception_ptr& cause) noexcept
{
    if (!cause) return nullptr;
    try {
        std::rethrow_exception(cause);
    } catch (const guardrail_error& e) {
        return &e.trip();  // the exception lives as long as `cause`
    } catch (...) {
        return nullptr;
    }
}

}  // namespace weft
