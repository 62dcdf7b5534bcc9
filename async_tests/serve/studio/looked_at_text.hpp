#pragma once

#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/server_options.hpp>

#include <optional>
#include <string>
#include <utility>

/** What a reader finds in the text of a graph file whose functions ask for the key `name`. */
inline weft::graph_file_look look_at_text(const std::string& text)
{
    weft::graph_file_look look{"asking.json", text, {}, {}};
    const auto ask = [](weft::node_context& ctx) -> weft::task<void> {
        weft::question which{"Which one?"};
        const std::string answer = co_await ctx.ask<std::string>(std::move(which));
        ctx.set(weft::state_key<std::string>{"name"}, answer);
    };
    weft::node_registry registry;
    registry.add_function("ask", ask).add_function("question", ask);
    try {
        weft::loaded_graph loaded = weft::load_graph(text, registry);
        for (weft::finding& found : weft::analyse(loaded.what)) look.findings.push_back({std::move(found), {}, {}});
        look.graph = std::move(loaded.what);
    } catch (const weft::graph_spec_error& e) {
        for (const weft::spec_mistake& each : e.mistakes())
            look.findings.push_back({{"invalid_graph", weft::severity::error, each.text, {}, {}},
                                     {},
                                     weft::text_position{each.line, each.column}});
    }
    return look;
}

/** A graph that is served with its file. */
inline weft::served_graph served_with_file(const std::string& text)
{
    weft::served_graph served{look_at_text(text).graph.value()};
    served.file = [text](const std::optional<std::string>& other) { return look_at_text(other.value_or(text)); };
    return served;
}
