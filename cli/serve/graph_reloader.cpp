#include "graph_reloader.hpp"

#include "graph/run_input.hpp"
#include "terminal/console.hpp"

#include <weft/async/on_pool.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

namespace weft_cli {

namespace {

bool is_among(const std::vector<std::weak_ptr<run_surroundings>>& opened, const std::shared_ptr<run_surroundings>& one)
{
    return std::any_of(opened.begin(), opened.end(), [&](const auto& each) { return each.lock() == one; });
}

void forget_ended(std::vector<std::weak_ptr<run_surroundings>>& opened)
{
    std::erase_if(opened, [](const auto& each) { return each.expired(); });
}

std::function<served_files()> reading_of(std::vector<std::string> words, run_args args, served_files before)
{
    return [words = std::move(words), args = std::move(args), before = std::move(before)] {
        return load_served_files(graph_files_in(words), args, before);
    };
}

}  // namespace

void graph_reloader::tell(const std::string& line) const
{
    std::cerr << "weft " << args_.command << ": " << console::harmless(line) << '\n';
}

weft::task<void> graph_reloader::open_memory(served_files of)
{
    forget_ended(opened_);
    for (const std::shared_ptr<const served_file>& each : of.files) {
        if (is_among(opened_, each->around)) continue;
        co_await each->around->memory->open(items_, place_);
        opened_.push_back(each->around);
    }
}

weft::task<void> graph_reloader::open(std::shared_ptr<weft::item_store> items, store_place place)
{
    items_ = std::move(items);
    place_ = std::move(place);
    return open_memory(now_);
}

void graph_reloader::close()
{
    for (const std::weak_ptr<run_surroundings>& each : opened_)
        if (const std::shared_ptr<run_surroundings> around = each.lock()) around->memory->close();
}

weft::task<served_files> graph_reloader::load()
{
    std::function<served_files()> read = reading_of(words_, args_, now_);
    co_return co_await weft::on_pool(pool_, std::move(read));
}

void graph_reloader::tell_changes(const served_files& next) const
{
    std::string changes;
    const auto add = [&changes](const served_file& of, const char* how) {
        changes.append(changes.empty() ? "" : ", ").append(of.graph.graph.name()).append(how);
    };
    for (const std::shared_ptr<const served_file>& each : next.files) {
        const std::shared_ptr<const served_file> before = now_.find(each->path);
        if (!before) add(*each, " is new");
        else if (before->text != each->text) add(*each, " has changed");
    }
    for (const std::shared_ptr<const served_file>& each : now_.files)
        if (!next.find(each->path)) add(*each, " is gone");
    tell("the graph files are loaded again" + (changes.empty() ? "" : ": " + changes));
}

weft::task<void> graph_reloader::exchange(graph_host& host)
{
    served_files next = co_await load();
    if (next.has_mistakes) tell("files with mistakes stay as they were before");
    co_await open_memory(next);
    const std::vector<weft::waiting_threads> waiting = co_await host.replace_graphs(next.graphs(), next.entries());
    tell_changes(next);
    for (const weft::waiting_threads& each : waiting) tell(each.text());
    now_ = std::move(next);
}

weft::task<void> graph_reloader::reload(graph_host& host)
{
    const weft::slot_limiter::slot slot = co_await one_at_a_time_.acquire();
    std::string problem;
    try {
        co_await exchange(host);
    } catch (const weft::error& e) {
        if (e.code() == weft::errc::cancelled) throw;
        problem = e.what();
    } catch (const usage_error& e) {
        problem = e.what();
    }
    if (!problem.empty()) tell(problem + "; the graphs stay as they were before");
}

weft::task<void> graph_reloader::follow(graph_host& host, graph_file_watch watch)
{
    for (;;) {
        co_await watch.wait();
        co_await reload(host);
    }
}

}  // namespace weft_cli
