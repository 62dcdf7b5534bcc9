#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/document/graph_file_format.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** How graph files are read. */
struct spec_reader_options {
    std::string file = {};               ///< What mistakes call the text.
    std::filesystem::path folder = {};   ///< Where files are that the text names; empty: it may name none.
    std::size_t bytes_max = 16u << 20;   ///< Of each file.
    std::size_t files_max = 256;         ///< That the text names, directly or not.
    std::size_t mistakes_max = 100;      ///< More are counted, not listed.
    /** Of the text; files that it names have that of their names. A YAML text has at most 1 MiB. */
    graph_file_format format = graph_file_format::by_name;
};

/** A graph out of a file. */
struct loaded_graph {
    graph what;
    graph_spec spec;
    std::vector<std::string> warnings;  ///< What may surprise, besides `graph::warnings`.
};

/** Reads a graph file, JSON or YAML, without looking at what it names: the shape only.
 *
 *  @par Errors   `graph_spec_error` (`errc::invalid_graph`) with every mistake. */
[[nodiscard]] graph_spec read_graph_spec(std::string_view text, const spec_reader_options& options = {});

/** Reads a graph file, JSON or YAML, checks it and makes the graph. The text may come from anybody: depth, size and the
 *  files that it may name are bounded.
 *
 *  @param registry   What it can name. The graph shares its functions; it need not outlive the call.
 *  @par Errors   `graph_spec_error` (`errc::invalid_graph`) with every mistake. */
[[nodiscard]] loaded_graph load_graph(std::string_view text, const node_registry& registry,
                                      const spec_reader_options& options = {});

/** As `load_graph`, from a file, which may name others in its folder and below. Blocks while it reads.
 *
 *  @par Errors   As `load_graph`; a file that cannot be read is a mistake too. */
[[nodiscard]] loaded_graph load_graph_file(const std::filesystem::path& file, const node_registry& registry);

/** Makes the graph of a spec that a program wrote. Lines and columns of mistakes are those of `to_text(spec)`.
 *
 *  @par Errors   As `load_graph`. */
[[nodiscard]] loaded_graph load_graph(const graph_spec& spec, const node_registry& registry,
                                      const spec_reader_options& options = {});

}  // namespace weft
