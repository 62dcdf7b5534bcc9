#include <weft/serve/served_entry.hpp>

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

std::vector<served_entry> entries_of(const graph_spec& spec, const environment_lookup& environment)
{
    std::vector<served_entry> entries;
    std::string wrong;
    for (const entry_point_spec& from : spec.entry_points) {
        served_entry entry{.id = spec.name + '.' + from.id, .graph = spec.name};
        entry.input = from.input;
        if (from.timer) {
            entry.cron = from.timer->cron;
            entry.time_zone = from.timer->time_zone;
            if (from.timer->every) entry.every = std::chrono::floor<std::chrono::seconds>(from.timer->every->span());
        }
        if (from.webhook) {
            const std::string& name = from.webhook->secret_env;
            const auto secret = environment(name);
            if (!secret || secret->empty())
                wrong += (wrong.empty() ? "entry point '" : "; entry point '") + from.id + "': the variable " + name +
                         " of the environment, which has its secret, is not set";
            else
                entry.webhook = webhook_route{.path = from.webhook->path, .secret = secret_string{*secret}};
        }
        entries.push_back(std::move(entry));
    }
    if (!wrong.empty()) throw error{errc::invalid_configuration, "graph '" + spec.name + "'", wrong};
    return entries;
}

}  // namespace weft
