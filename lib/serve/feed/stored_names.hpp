#pragma once

#include <weft/engine/run_event.hpp>

#include <set>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** Keeps the names that events have views of, so that events may outlive their graph.
 *
 *  It has the names of all nodes that ran here: it grows with the files that are served, and with no client.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       Outlives the events. */
class stored_names {
public:
    /** The event, with views of names that are kept here. */
    [[nodiscard]] run_event with_own_names(run_event event)
    {
        event.node = keep(event.node);
        event.source = keep(event.source);
        return event;
    }

private:
    [[nodiscard]] std::string_view keep(std::string_view name)
    {
        if (name.empty()) return {};
        const auto known = names_.find(name);
        return known != names_.end() ? *known : *names_.emplace(name).first;
    }

    std::set<std::string, std::less<>> names_;
};

}  // namespace weft::serve_detail
