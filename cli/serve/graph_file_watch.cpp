#include "graph_file_watch.hpp"

#include <weft/async/sleep.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace weft_cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds quiet_for{200};
constexpr int quiet_looks_max = 50;  // a file that is written all the time is read as it stands

}  // namespace

bool has_graph_ending(const fs::path& file)
{
    const std::string ending = file.extension().string();
    return ending == ".json" || ending == ".yaml" || ending == ".yml";
}

graph_files_state graph_files_state::of(const std::vector<std::string>& words)
{
    graph_files_state state;
    const auto note = [&state](const fs::path& file) {
        struct stat found {};
        if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return;
        state.files_[file.string()] = {found.st_ino, static_cast<std::uint64_t>(found.st_size), found.st_mtim.tv_sec,
                                       found.st_mtim.tv_nsec};
    };
    for (const std::string& word : words) {
        std::error_code code;
        // A graph file can name others beside it.
        fs::path folder = fs::is_directory(word, code) ? fs::path{word} : fs::path{word}.parent_path();
        if (folder.empty()) folder = ".";
        for (fs::directory_iterator entry{folder, code}, end; !code && entry != end; entry.increment(code))
            if (has_graph_ending(entry->path())) note(entry->path());
        note(word);
    }
    return state;
}

weft::task<void> graph_file_watch::wait()
{
    for (;;) {
        co_await source_->wait();
        graph_files_state seen = graph_files_state::of(words_);
        if (seen == known_) continue;
        for (int i = 0; i < quiet_looks_max; ++i) {
            co_await weft::sleep_for(quiet_for);
            graph_files_state again = graph_files_state::of(words_);
            const bool is_quiet = again == seen;
            seen = std::move(again);
            if (is_quiet) break;
        }
        if (seen == known_) continue;  // it was written and taken back
        known_ = std::move(seen);
        co_return;
    }
}

graph_file_watch watch_graph_files(boost::asio::io_context& context, std::vector<std::string> words,
                                   graph_files_state known)
{
    std::vector<fs::path> folders;
    std::set<std::string> names;
    for (const std::string& word : words) {
        std::error_code code;
        if (fs::is_directory(word, code)) {
            folders.emplace_back(word);
            continue;
        }
        const fs::path file{word};
        folders.push_back(file.has_parent_path() ? file.parent_path() : fs::path{"."});
        names.insert(file.filename().string());
    }
    // Mounted configuration is replaced as a whole, by a link whose name begins with two dots.
    const auto concerns = [names = std::move(names)](std::string_view name) {
        return name.starts_with("..") || has_graph_ending(fs::path{name}) || names.contains(std::string{name});
    };
    std::unique_ptr<change_source> source = make_inotify_source(context, folders, concerns);
    if (!source) source = make_polling_source();
    return {std::move(words), std::move(source), std::move(known)};
}

}  // namespace weft_cli
