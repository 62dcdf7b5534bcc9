#include "served_files.hpp"

#include "graph/graph_file.hpp"
#include "graph/run_input.hpp"

#include <weft/base/environment.hpp>

#include <algorithm>
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
            const std::string ending = entry.path().extension().string();
            const bool is_graph = ending == ".json" || ending == ".yaml" || ending == ".yml";
            if (is_graph && entry.is_regular_file(code)) files.push_back(entry.path());
        }
        if (files.size() == before)
            throw usage_error{word + ": the folder has no graph file (.json, .yaml, .yml); weft new writes one"};
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

std::optional<served_files> load_served_files(const std::vector<fs::path>& files, const run_args& args)
{
    served_files served;
    bool has_mistakes = false;
    for (const fs::path& path : files) {
        run_args of_file = args;
        of_file.file = path.string();
        // Memory is that of the store, which outlives the run.
        of_file.thread = "served";
        const file_text text = read_graph_text(path);
        run_surroundings around = surroundings_of(of_file, text, {});
        std::optional<weft::loaded_graph> loaded = load_for_run("serve", of_file, text, around, true);
        if (!loaded) {
            has_mistakes = true;
            continue;
        }
        weft::run_options limits = options_of(of_file, loaded->spec, around);
        for (weft::served_entry& entry : weft::entries_of(loaded->spec, weft::process_environment()))
            served.entries.push_back(std::move(entry));
        served.graphs.emplace_back(std::move(loaded->what), std::move(limits));
        served.around.push_back(std::move(around));
    }
    if (has_mistakes) return std::nullopt;
    return served;
}

}  // namespace weft_cli
