#include <weft/graph/drawing.hpp>

#include "drawing_plan.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

drawing_colours drawing_colours::light()
{
    return {.background = "#ffffff", .node = "#f3f6fb", .special = "#dfe8f6", .border = "#51617a", .text = "#1a2230",
            .edge = "#51617a", .idle = "#a3abb8", .taken = "#0b57c4", .failed = "#b3261e", .failed_node = "#fbe3e1",
            .llm = "#7a3bb5", .region = "#eef6f0", .nested = "#fbf7ec"};
}

drawing_colours drawing_colours::dark()
{
    return {.background = "#12161d", .node = "#232b38", .special = "#30405a", .border = "#93a3bb", .text = "#eef2f8",
            .edge = "#93a3bb", .idle = "#5c6675", .taken = "#6ea8ff", .failed = "#ff8a80", .failed_node = "#4a1f1d",
            .llm = "#cf9bff", .region = "#18241d", .nested = "#29251a"};
}

void drawing_detail::check_colours(const drawing_colours& colours, std::string_view whose)
{
    const std::pair<std::string_view, const std::string*> all[] = {
        {"background", &colours.background}, {"node", &colours.node},       {"special", &colours.special},
        {"border", &colours.border},         {"text", &colours.text},       {"edge", &colours.edge},
        {"idle", &colours.idle},             {"taken", &colours.taken},     {"failed", &colours.failed},
        {"failed_node", &colours.failed_node}, {"llm", &colours.llm},       {"region", &colours.region},
        {"nested", &colours.nested},
    };
    for (const auto& [name, colour] : all) {
        const bool is_good = colour->size() == 7 && colour->front() == '#' &&
                             colour->find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
        if (is_good) continue;
        throw error{errc::invalid_configuration, std::string{whose}.append(".").append(name),
                    "'" + *colour + "' is no colour: write it as #rrggbb"};
    }
}

}  // namespace weft
