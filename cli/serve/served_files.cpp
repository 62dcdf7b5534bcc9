#include "served_files.hpp"

#include "graph/graph_file.hpp"
#include "graph/problem.hpp"
#include "graph/run_input.hpp"
#include "graph_file_watch.hpp"
#include "terminal/console.hpp"

#include <weft/base/environment.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

namespace weft_cli {

namespace fs = std::filesystem;

std::vector<fs::path> graph_files_in(const std::vector<std::string>& words)
{
    std::vector<fs::path> files;
    for (const std::string& word : words) {
        std::error_code code;
        if (!fs::is_directory(word, code)) {
            if (!fs::exists(word, code)) throw usage_error{word + ": there is no such file or folder"};
            files.emplace_back(word);
            continue;
        }
        const std::size_t before = files.size();
        for (const fs::directory_entry& entry : fs::directory_iterator{word, code}) {
            if (has_graph_ending(entry.path()) && entry.is_regular_file(code)) files.push_back(entry.path());
        }
        if (files.size() == before)
            throw usage_error{word + ": the folder has no graph file (.json, .yaml, .yml); weft new writes one"};
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

std::vector<weft::served_graph> served_files::graphs() const
{
    std::vector<weft::served_graph> all;
    for (const std::shared_ptr<const served_file>& each : files) all.push_back(each->graph);
    return all;
}

std::vector<weft::served_entry> served_files::entries() const
{
    std::vector<weft::served_entry> all;
    for (const std::shared_ptr<const served_file>& each : files)
        all.insert(all.end(), each->entries.begin(), each->entries.end());
    return all;
}

std::shared_ptr<const served_file> served_files::find(const fs::path& path) const
{
    for (const std::shared_ptr<const served_file>& each : files)
        if (each->path == path) return each;
    return nullptr;
}

namespace {

/** What the nodes of a file use: as before, unless it has servers of its own and may name other ones now. */
std::shared_ptr<run_surroundings> surroundings_for(const run_args& args, const file_text& text,
                                                   const served_file* before)
{
    const bool is_same = before && text.text && before->text == *text.text;
    const bool has_servers = before && before->around->servers;
    const std::optional<std::map<std::string, weft::mcp_spec>> named = servers_of(args.file, text);
    if (is_same || (before && !has_servers && named && named->empty())) return before->around;
    return std::make_shared<run_surroundings>(surroundings_of(args, text, {}));
}

/** What `weft check` says of the file, or of another text in its place. */
weft::graph_file_function look_at(fs::path path, std::vector<std::string> stubs, std::string text,
                                  std::shared_ptr<const run_surroundings> around)
{
    return [path = std::move(path), stubs = std::move(stubs), text = std::move(text),
            around = std::move(around)](const std::optional<std::string>& other) {
        const weft::node_registry registry = make_registry(*around, stubbed_functions{stubs}, true);
        graph_file made = make_graph_file(path, {other.value_or(text), {}}, registry);
        weft::graph_file_look look;
        look.file = path.filename().string();
        for (problem& each : problems_of(made)) {
            std::string& file = each.found.file;
            file = file == path.string() ? std::string{} : fs::path{file}.filename().string();
            look.findings.push_back(std::move(each.found));
        }
        look.text = std::move(made.text);
        if (made.loaded) look.graph = std::move(made.loaded->what);
        return look;
    };
}

/** Null after mistakes, which were told. */
std::shared_ptr<const served_file> load_served_file(const fs::path& path, run_args args, const served_file* before)
{
    args.file = path.string();
    // Memory is that of the store, which outlives the run.
    args.thread = "served";
    const file_text text = read_graph_text(path);
    std::shared_ptr<run_surroundings> around = surroundings_for(args, text, before);
    std::optional<weft::loaded_graph> loaded = load_for_run(args.command, args, text, *around, true);
    if (!loaded) return nullptr;
    weft::run_options limits = options_of(args, loaded->spec, *around);
    std::vector<weft::served_entry> entries = weft::entries_of(loaded->spec, weft::process_environment());
    weft::served_graph graph{std::move(loaded->what), std::move(limits), around};
    graph.file = look_at(path, args.stubs, *text.text, around);
    return std::make_shared<const served_file>(
        served_file{path, *text.text, std::move(around), std::move(graph), std::move(entries)});
}

}  // namespace

served_files load_served_files(const std::vector<fs::path>& files, const run_args& args, const served_files& before)
{
    served_files served;
    for (const fs::path& path : files) {
        const std::shared_ptr<const served_file> known = before.find(path);
        std::shared_ptr<const served_file> loaded;
        const auto tell = [&](const std::exception& wrong) {
            if (before.files.empty()) throw;
            std::cerr << "weft " << args.command << ": " << path.string() << ": " << console::harmless(wrong.what())
                      << '\n';
        };
        try {
            loaded = load_served_file(path, args, known.get());
        } catch (const usage_error& wrong) {
            tell(wrong);
        } catch (const weft::error& wrong) {
            tell(wrong);
        }
        served.has_mistakes = served.has_mistakes || !loaded;
        if (!loaded) loaded = known;
        if (loaded) served.files.push_back(std::move(loaded));
    }
    return served;
}

}  // namespace weft_cli
