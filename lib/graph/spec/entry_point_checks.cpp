#include "entry_point_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/spec/cron_schedule.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace weft::spec_detail {

namespace {

constexpr std::size_t entry_id_max = 64;

bool is_letter_or_digit(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_entry_point_id(std::string_view id)
{
    const auto is_allowed = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; };
    return !id.empty() && id.size() <= entry_id_max && std::all_of(id.begin(), id.end(), is_allowed);
}

bool is_secret_variable(std::string_view name)
{
    const auto is_allowed = [](char c) { return is_letter_or_digit(c) || c == '_'; };
    return !name.empty() && std::all_of(name.begin(), name.end(), is_allowed);
}

void check_timer(compilation& in, const timer_spec& timer, const json_path& at)
{
    if (!timer.cron.empty() && timer.every) in.mistake(at, "has \"cron\" and \"every\": give one of them");
    if (timer.cron.empty() && !timer.every) in.missing(at, "cron", "a timer has a \"cron\" or an \"every\": give one");
    if (timer.cron.empty() && !timer.time_zone.empty())
        in.mistake(json_path{at, "time_zone"}, "belongs to a \"cron\": give it");
    const bool is_whole = !timer.every || (timer.every->span() >= std::chrono::seconds{1} &&
                                           timer.every->span() % std::chrono::seconds{1} == std::chrono::seconds{0});
    if (!is_whole) in.mistake(json_path{at, "every"}, "is a number of whole seconds, e.g. 90s or 5m");
    if (timer.cron.empty()) return;
    try {
        (void)cron_schedule{timer.cron};
    } catch (const error& wrong) {
        in.mistake(json_path{at, "cron"}, wrong.detail());
    }
}

void check_webhook(compilation& in, const webhook_spec& hook, const json_path& at)
{
    const bool is_path = hook.path.size() > 1 && hook.path.starts_with('/') &&
                         hook.path.find_first_of("?#{} ") == std::string::npos;
    const bool may_be_told = in.around.mistakes.has_any_in(at);
    if (!is_path && !(hook.path.empty() && may_be_told))
        in.mistake(json_path{at, "path"}, "begins with '/' and has neither '?', '#', blanks nor braces, such as "
                                          "/hooks/orders");
    if (!is_secret_variable(hook.secret_env) && !(hook.secret_env.empty() && may_be_told))
        in.mistake(json_path{at, "secret_env"},
                   "is the name of a variable of the environment, which has the secret: letters, digits and _");
}

}  // namespace

void check_entry_points(compilation& in)
{
    const json_path all{in.at, "entry_points"};
    if (in.around.depth > 0 && !in.spec.entry_points.empty())
        return in.mistake(all, "entry points belong to the outermost graph, which is what is served: name them there");
    std::set<std::string_view> ids;
    std::set<std::string_view> paths;
    for (std::size_t i = 0; i < in.spec.entry_points.size(); ++i) {
        const entry_point_spec& entry = in.spec.entry_points[i];
        const json_path at{all, i};
        const bool is_told = entry.id.empty() && in.around.mistakes.has_any_in(at);
        if (!is_entry_point_id(entry.id) && !is_told)
            in.mistake(json_path{at, "id"}, "an id is 1 to 64 of letters, digits, '-', '_' and '.'");
        else if (!is_told && !ids.insert(entry.id).second)
            in.mistake(json_path{at, "id"}, "'" + entry.id + "' is there already: give each its own");
        if (!entry.timer && !entry.webhook) in.mistake(at, "nothing begins it: give a \"timer\" or a \"webhook\"");
        if (entry.timer) check_timer(in, *entry.timer, json_path{at, "timer"});
        const json_path hook{at, "webhook"};
        if (entry.webhook) check_webhook(in, *entry.webhook, hook);
        if (entry.webhook && !paths.insert(entry.webhook->path).second)
            in.mistake(json_path{hook, "path"}, "another entry point has it: give each its own");
        const json_path input{at, "input"};
        for (const auto& [name, value] : entry.input)
            in.check_key(std::string{name}, json_path{input, std::string_view{name.data(), name.size()}});
    }
}

}  // namespace weft::spec_detail
