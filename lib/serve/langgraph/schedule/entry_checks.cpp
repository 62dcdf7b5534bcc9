#include "entry_checks.hpp"

#include <weft/agent/host/zone_schedule.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

namespace {

using tell_function = std::function<void(const std::string& what)>;

/** It is part of names in the store, and of a path. */
bool is_entry_id(std::string_view id)
{
    constexpr std::size_t bytes_max = 200;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    return !id.empty() && id.size() <= bytes_max && std::none_of(id.begin(), id.end(), is_control);
}

void check_timer(const served_entry& entry, const tell_function& tell)
{
    if (entry.every.count() < 0) tell("every: is below 0");
    if (!entry.cron.empty() && entry.every.count() > 0) tell("cron, every: give one of them");
    if (entry.cron.empty() && !entry.time_zone.empty()) tell("time_zone: belongs to a cron: give it");
    if (entry.cron.empty()) return;
    try {
        (void)cron_schedule{entry.cron};
    } catch (const error& wrong) {
        tell("cron: " + wrong.detail());
    }
    try {
        if (!is_time_zone(entry.time_zone)) tell("time_zone: the system does not know '" + entry.time_zone + '\'');
    } catch (const error& wrong) {
        tell("time_zone: " + wrong.detail());
    }
}

void check_hook(const served_entry& entry, const tell_function& tell)
{
    const webhook_route& hook = *entry.webhook;
    // It asks for no key: without a signature anybody could begin runs.
    if (!hook.secret || hook.secret->empty()) tell("webhook.secret: is missing; only signed webhooks are let in");
    if (!hook.path.starts_with('/') || hook.path.size() < 2 || hook.path.find_first_of("?#{} ") != std::string::npos)
        tell("webhook.path: begins with '/' and has neither '?', '#', blanks nor braces, such as /hooks/orders");
    if (hook.methods.empty()) tell("webhook.methods: are none; give POST");
}

}  // namespace

void check_entries(const served_set& of)
{
    const std::vector<served_entry>& entries = of.entries;
    std::string wrong;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const served_entry& entry = entries[i];
        const tell_function tell = [&](const std::string& what) {
            wrong.append(wrong.empty() ? "" : "; ").append("entry '" + entry.id + "': " + what);
        };
        if (!is_entry_id(entry.id)) tell("id: is 1 to 200 bytes without control characters");
        const auto has_its_id = [&](const served_entry& other) { return other.id == entry.id; };
        if (std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(i), has_its_id))
            tell("id: another entry has it");
        if (!of.find(entry.graph)) tell("graph: the server has no graph '" + entry.graph + '\'');
        check_timer(entry, tell);
        if (entry.webhook) check_hook(entry, tell);
        const bool has_timer = !entry.cron.empty() || entry.every.count() != 0;
        if (!has_timer && !entry.webhook) tell("has neither a timer nor a webhook");
    }
    if (!wrong.empty()) throw error{errc::invalid_configuration, "server: entries", wrong};
}

}  // namespace weft::serve_detail
