#pragma once

#include <weft/graph/graph_spec_reader.hpp>
#include <weft/graph/graph_spec_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

const weft::node_registry& registry()
{
    static const weft::node_registry made = [] {
        weft::node_registry result;
        result.add_function("a", [] {}).add_function("search", [] {});
        return result;
    }();
    return made;
}

void require(bool holds)
{
    if (!holds) std::abort();
}

void check_places(const weft::graph_spec_error& e, std::string_view text)
{
    const auto lines = static_cast<std::size_t>(1 + std::count(text.begin(), text.end(), '\n'));
    require(!e.mistakes().empty() && e.mistakes().size() <= 101);
    for (const weft::spec_mistake& mistake : e.mistakes()) {
        require(mistake.line >= 1 && mistake.line <= lines && mistake.column >= 1);
        require(mistake.path.starts_with('$') && !mistake.text.empty());
    }
}

weft::spec_reader_options in(weft::graph_file_format format)
{
    weft::spec_reader_options options;
    options.format = format;
    return options;
}

std::optional<weft::graph_spec> read(std::string_view text, weft::graph_file_format format)
{
    try {
        return weft::read_graph_spec(text, in(format));
    } catch (const weft::graph_spec_error& e) {
        check_places(e, text);
        return std::nullopt;
    }
}

/** Reads a graph file of `format`, writes what was read as JSON, and builds the graph. */
int fuzz_graph_file(const std::uint8_t* data, std::size_t size, weft::graph_file_format format)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const std::optional<weft::graph_spec> spec = read(text, format);
    if (spec) {
        const auto again = read(weft::to_text(*spec), weft::graph_file_format::json);
        require(again && *again == *spec);
    }
    try {
        const weft::loaded_graph loaded = weft::load_graph(text, registry(), in(format));
        require(spec.has_value());
        (void)weft::spec_of(loaded.what, registry());
    } catch (const weft::graph_spec_error& e) {
        check_places(e, text);
    }
    return 0;
}

}  // namespace
