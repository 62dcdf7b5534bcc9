#include <weft/serve/waiting_threads.hpp>

namespace weft {

std::string waiting_threads::text() const
{
    const std::string all = (has_more ? "more than " : "") + std::to_string(go_on + stuck);
    std::string told = all + (go_on + stuck == 1 && !has_more ? " thread of '" : " threads of '") + graph +
                       (go_on + stuck == 1 && !has_more ? "' waits: " : "' wait: ") + std::to_string(go_on) +
                       (go_on == 1 ? " goes on" : " go on") + " with the new version";
    if (stuck == 0) return told;
    told += ", " + std::to_string(stuck) + " cannot";
    if (is_removed) told += ", because the graph is gone";
    for (const stuck_thread& each : examples) {
        told += (&each == &examples.front() ? " (" : "; ");
        told += each.thread + (each.reason.empty() ? "" : ": " + each.reason);
    }
    if (!examples.empty()) told += stuck > examples.size() ? "; …)" : ")";
    return told + ": the old version serves them until this process ends; answer or cancel them before that";
}

}  // namespace weft
