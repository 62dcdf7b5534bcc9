#include "durable_load.hpp"

#include "harness/bench.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/memory_store.hpp>

#include <algorithm>
#include <map>

namespace weft_bench {

namespace {

weft::task<void> run_one(weft::durable_engine& durable, std::string name, weft::run_status wanted)
{
    weft::task<weft::run_result> running = durable.run(request_for(name));
    const weft::run_result result = co_await std::move(running);
    if (result.status != wanted) throw std::runtime_error{"thread " + name + ": " + result.message()};
}

weft::task<void> run_all(weft::checkpoint_store& store, durable_load load, std::vector<std::string> names)
{
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    co_await run_threads(durable, std::move(names), weft::run_status::finished);
    co_await durable.close();
}

}  // namespace

weft::graph graph_of(const durable_load& load)
{
    weft::graph_builder builder{"conversation"};
    builder.state(rounds, score, topic, messages);
    const auto say = [load](weft::node_context& context) {
        const std::uint32_t round = context.value_or(rounds, 0) + 1;
        context.set(rounds, round);
        context.set(score, round / 7.0);
        if (load.says > 0) {
            said_list all = context.value_or(messages, said_list{});
            for (int i = 0; i < load.says; ++i)
                all.push_back({"assistant", message_text(all.size(), load.message_bytes)});
            context.set(messages, std::move(all));
        }
        return round < load.steps ? weft::command::again() : weft::command::next();
    };
    weft::node_options of_last;
    if (load.pauses) of_last.pauses = weft::pause_point::before;
    const auto end = [on_last = load.on_last] {
        if (on_last) on_last();
    };
    builder.node("say", say).node("end", end, std::move(of_last));
    return builder.edge(weft::start, "say").edge("say", "end").build();
}

std::shared_ptr<const weft::durable_graphs> graphs_of(const durable_load& load)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(graph_of(load), weft::run_options{}.steps_max(0));
    return graphs;
}

weft::run_request request_for(const std::string& thread)
{
    weft::run_request request{thread};
    request.input(topic, "rain");
    return request;
}

std::string message_text(std::uint64_t number, std::size_t bytes)
{
    std::string text = std::to_string(number) + ' ';
    text.resize(std::max(bytes, text.size()), 'm');
    return text;
}

weft::durable_options keeping_all()
{
    weft::durable_options options;
    options.keep_last = 0;
    return options;
}

std::vector<std::string> thread_names(const std::string& stem, int count)
{
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(stem + std::to_string(i));
    return names;
}

weft::task<void> run_threads(weft::durable_engine& durable, std::vector<std::string> names, weft::run_status wanted)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    for (std::string& name : names) runs.spawn(run_one(durable, std::move(name), wanted));
    co_await runs.join();
}

weft::task<weft::commit_result> noting_store::commit(weft::write_fence fence, weft::checkpoint_draft draft)
{
    commits_.push_back({fence.thread, draft});
    return inner().commit(std::move(fence), std::move(draft));
}

std::vector<noting_store::noted_commit> commits_of(const durable_load& load, int threads, weft::hash_key key)
{
    weft::memory_store real{key};
    noting_store store{real};
    weft::run_blocking(run_all(store, load, thread_names("thread ", threads)));
    // In memory each run goes to its end before the next begins; in a store that takes time they take turns.
    std::map<std::string, std::vector<noting_store::noted_commit>> of_thread;
    for (const noting_store::noted_commit& each : store.commits()) of_thread[each.thread.thread].push_back(each);
    std::vector<noting_store::noted_commit> in_turns;
    for (std::size_t turn = 0; in_turns.size() < store.commits().size(); ++turn)
        for (auto& [name, commits] : of_thread)
            if (turn < commits.size()) in_turns.push_back(std::move(commits[turn]));
    return in_turns;
}

}  // namespace weft_bench
