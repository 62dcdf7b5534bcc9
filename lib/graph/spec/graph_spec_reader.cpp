#include <weft/base/memory/sort_stably.hpp>
#include <weft/graph/graph_spec_reader.hpp>

#include "spec_compiler.hpp"
#include "spec_document.hpp"

#include <weft/graph/graph_spec_writer.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

namespace weft {

namespace {

using spec_detail::graph_source;
using spec_detail::mistake_list;
using spec_detail::spec_document;

/** Everything of a file, at most `bytes_max + 1` bytes of it; nothing if it cannot be read. */
std::optional<std::string> text_of_file(const std::filesystem::path& path, std::size_t bytes_max)
{
    std::ifstream file{path, std::ios::binary};
    if (!file || std::filesystem::is_directory(path)) return std::nullopt;
    // One byte more than is allowed, so that the reader sees that there is too much; the rest is not read.
    std::string text(bytes_max + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    text.shrink_to_fit();
    return text;
}

/** Whether a link leads from a file of a folder to one outside of it. */
bool leaves(const std::filesystem::path& folder, const std::filesystem::path& file)
{
    // `..` in a name is refused before. A link can lead out as well, and only the file system knows.
    std::error_code is_missing;  // which is said when it is read
    const std::filesystem::path root = std::filesystem::canonical(folder, is_missing);
    const std::filesystem::path target = std::filesystem::canonical(folder / file, is_missing);
    if (is_missing) return false;
    return std::mismatch(root.begin(), root.end(), target.begin(), target.end()).first != root.end();
}

/** Loads a file and those it names, each once. */
class graph_loader {
public:
    graph_loader(const node_registry& registry, const spec_reader_options& options)
        : registry_{registry}, options_{options}, list_{options.mistakes_max, {}}
    {
    }

    struct result {
        std::optional<graph> what;
        std::optional<graph_spec> spec;
    };
    struct source_text {
        const std::string& name;
        graph_file_format format;
        std::string_view text;
    };

    /** @param file   Relative to the folder of the options. */
    result load(source_text from, const std::filesystem::path& file, std::size_t depth)
    {
        spec_document document{from.name, from.format, from.text, options_.bytes_max, list_};
        result made;
        made.spec = document.take_spec();
        if (!made.spec) return made;
        const json_path whole;
        source_of_file source{*this, file, document};
        made.what = spec_detail::compile_spec(*made.spec, whole, {registry_, document, warnings_, source, depth},
                                              document.has_all_names());
        return made;
    }

    [[nodiscard]] loaded_graph finish(result made)
    {
        throw_if_mistaken();
        return {std::move(*made.what), std::move(*made.spec), std::move(warnings_)};
    }
    void throw_if_mistaken()
    {
        if (list_.count == 0) return;
        sort_by_place();
        if (list_.count > list_.mistakes.size())
            list_.mistakes.push_back({options_.file, 1, 1, "$",
                                      "and " + std::to_string(list_.count - list_.mistakes.size()) +
                                                             " more mistakes"});
        throw graph_spec_error{options_.file, std::move(list_.mistakes)};
    }

private:
    /** By file, in the order in which they were read, and place. */
    void sort_by_place()
    {
        // Files come in the order in which they were named first, not by name.
        std::map<std::string, std::size_t> order;
        for (const spec_mistake& mistake : list_.mistakes) order.emplace(mistake.file, order.size());
        sort_stably(list_.mistakes, [&](const auto& a, const auto& b) {
            return std::tuple{order.at(a.file), a.line, a.column} < std::tuple{order.at(b.file), b.line, b.column};
        });
    }

    /** What a file names is in its own folder or below that of the first. */
    struct source_of_file final : graph_source {
        source_of_file(graph_loader& of, std::filesystem::path file, spec_document& document)
            : of{of}, file{std::move(file)}, document{document}
        {
        }
        std::optional<inner_graph> load(std::string_view name, const json_path& at, std::size_t depth) override
        {
            return of.load_named({file, document, at, depth}, name);
        }
        graph_loader& of;
        std::filesystem::path file;
        spec_document& document;
    };

    /** Where a file is named. */
    struct mention {
        const std::filesystem::path& from;
        spec_document& document;
        const json_path& at;
        std::size_t depth;
    };

    std::optional<graph_source::inner_graph> load_named(const mention& by, std::string_view name)
    {
        const std::filesystem::path file = (by.from.parent_path() / name).lexically_normal();
        const std::string text = file.generic_string();
        if (options_.folder.empty()) {
            by.document.add(by.at, "this graph was not read from a file, so it cannot name another one");
        } else if (name.empty() || file.is_absolute() || text.starts_with("..")) {
            by.document.add(by.at, "'" + std::string{name} +
                "' is outside the folder of the first file: name a file in it");
        } else if (const auto open = std::find(open_.begin(), open_.end(), text); open != open_.end()) {
            std::string way;
            for (auto step = open; step != open_.end(); ++step) way += *step + " -> ";
            by.document.add(by.at, "the graph contains itself: " + way + text);
        } else if (const auto known = loaded_.find(text); known != loaded_.end()) {
            return known->second;
        } else if (loaded_.size() >= options_.files_max) {
            by.document.add(by.at, "more than " + std::to_string(options_.files_max) + " files belong to this graph");
        } else {
            return load_new(by, file);
        }
        return std::nullopt;
    }

    std::optional<graph_source::inner_graph> load_new(const mention& by, const std::filesystem::path& file)
    {
        const std::string name = file.generic_string();
        if (leaves(options_.folder, file)) {
            by.document.add(by.at, "'" + name +
                "' leads out of the folder of the first file by a link: name a file in it");
            return std::nullopt;
        }
        const std::optional<std::string> text = text_of_file(options_.folder / file, options_.bytes_max);
        std::optional<graph_source::inner_graph>& entry = loaded_[name];
        if (!text) {
            by.document.add(by.at, "the file '" + name + "' cannot be read");
            return std::nullopt;
        }
        open_.push_back(name);
        result made = load({name, graph_file_format::by_name, *text}, file, by.depth);
        open_.pop_back();
        if (made.what) entry = graph_source::inner_graph{std::move(*made.what), effective_steps_max(*made.spec),
                                                            made.spec->limits.at_limit};
        return entry;
    }

public:
    /** Files that are being loaded, from the first to the innermost. */
    std::vector<std::string> open_;

private:
    const node_registry& registry_;
    const spec_reader_options& options_;
    mistake_list list_;
    std::vector<std::string> warnings_;
    std::map<std::string, std::optional<graph_source::inner_graph>> loaded_;
};

}  // namespace

graph_spec read_graph_spec(std::string_view text, const spec_reader_options& options)
{
    mistake_list list{options.mistakes_max, {}};
    spec_document document{options.file, options.format, text, options.bytes_max, list};
    std::optional<graph_spec> spec = document.take_spec();
    if (list.count > 0) throw graph_spec_error{options.file, std::move(list.mistakes)};
    return std::move(*spec);
}

loaded_graph load_graph(std::string_view text, const node_registry& registry, const spec_reader_options& options)
{
    graph_loader loader{registry, options};
    const std::filesystem::path file{options.file};
    loader.open_.push_back(file.filename().generic_string());
    graph_loader::result made = loader.load({options.file, options.format, text}, file.filename(), 0);
    return loader.finish(std::move(made));
}

loaded_graph load_graph(const graph_spec& spec, const node_registry& registry, const spec_reader_options& options)
{
    spec_reader_options as_json = options;
    as_json.format = graph_file_format::json;
    return load_graph(to_text(spec), registry, as_json);
}

loaded_graph load_graph_file(const std::filesystem::path& file, const node_registry& registry)
{
    spec_reader_options options{.file = file.string(), .folder = file.parent_path()};
    if (options.folder.empty()) options.folder = ".";
    const std::optional<std::string> text = text_of_file(file, options.bytes_max);
    if (!text) throw graph_spec_error{options.file, {{options.file, 1, 1, "$", "the file cannot be read"}}};
    return load_graph(*text, registry, options);
}

}  // namespace weft
