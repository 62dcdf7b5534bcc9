// Cookbook: a batch over any number of inputs, some at a time, in bounded memory, that goes on where it was stopped.

// [program]
#include <weft/agent/llm_node.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/environment.hpp>
#include <weft/base/json.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/decorator/retrying_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/weft.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

inline constexpr weft::state_key<std::string> review{"review"};
inline constexpr weft::state_key<std::string> mood{"mood"};

// Input number `index`. Yours come from a file or a table, read as they are asked for: never all at once.
std::string input_of(std::size_t index) { return "Umbrella " + std::to_string(index) + " kept me dry."; }

// The results: a line of JSON each, in the order in which they come. The file is also what says where to go on.
class result_file {
public:
    explicit result_file(const std::string& name, std::size_t count) : done_(count)
    {
        std::size_t whole = 0;
        std::ifstream before{name};
        for (std::string line; std::getline(before, line) && !before.eof(); whole += line.size() + 1) {
            const std::size_t index = weft::parse_json(line).at("index").to_number<std::size_t>();
            if (index < count) done_[index] = true;
        }
        if (std::filesystem::exists(name)) std::filesystem::resize_file(name, whole);  // without half a line
        out_.open(name, std::ios::app);
        if (!out_) throw weft::error{weft::errc::invalid_configuration, name, "the file cannot be written"};
    }
    bool has(std::size_t index) const { return done_[index]; }
    void add(std::size_t index, const std::string& result)
    {
        const boost::json::object line{{"index", index}, {"mood", result}};
        out_ << boost::json::serialize(line) + "\n" << std::flush;
        if (!out_) throw weft::error{weft::errc::node_failed, "results", "the disk is full"};
    }

private:
    std::vector<bool> done_;  // 125 KB for a million
    std::ofstream out_;
};

struct batch {
    weft::engine engine;
    result_file results;
    std::size_t count;
    std::size_t next = 0;
    std::size_t done = 0;
    std::size_t failed = 0;
};

// One of some dozens that work side by side: takes the next input until there is none. All are on one loop: no locks.
weft::task<void> work(batch& all)
{
    while (all.next < all.count) {
        const std::size_t index = all.next++;
        if (all.results.has(index)) continue;
        const weft::run_result result = co_await all.engine.run(weft::run_request{}.input(review, input_of(index)));
        if (result.status == weft::run_status::finished) {
            all.results.add(index, result.state.get(mood));
            ++all.done;
        } else {
            ++all.failed;  // it has no line, so the next call of the program tries it again
            std::clog << index << ": " << result.message() << '\n';
            if (all.failed > 100) throw weft::error{weft::errc::limit_reached, "batch", "100 inputs failed"};
        }
    }
}

// The first worker that throws stops the others, and `join` throws what it threw.
weft::task<void> run_all(batch& all, std::size_t at_once)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope workers{context};
    for (std::size_t i = 0; i < at_once; ++i) workers.spawn(work(all));
    co_await workers.join();
}

weft::graph make_graph()
{
    std::shared_ptr<weft::chat_model> model;
    if (auto named = weft::read_any_model_environment(weft::process_environment())) {
        model = weft::make_model(weft::http_client{}, std::move(*named));
        model = std::make_shared<weft::retrying_model>(std::move(model));
    }
    weft::llm_node_options asking{.settings = {.prompt = "One word, good or bad: {review}"}, .writes = {"mood"}};
    asking.settings.scripted = {"good"};  // without a model
    weft::graph_builder builder{"moods"};
    builder.state(review, mood).node("ask", weft::llm_node{std::move(model), std::move(asking)});
    builder.edge(weft::start, "ask").edge("ask", weft::end);
    return builder.build();
}

std::size_t run_batch(const std::string& file, std::size_t count)
{
    batch all{weft::engine{make_graph()}, result_file{file, count}, count};
    weft::run_blocking(run_all(all, 32));
    std::cout << all.done << " new results, " << all.failed << " failures\n";
    return all.done;
}

// batch FILE COUNT: call it again to go on. Without arguments it is stopped after 300 of 1000 inputs, and goes on.
int main(int count, char** words)
try {
    if (count == 3) return run_batch(words[1], std::strtoull(words[2], nullptr, 10)), 0;
    const std::string file = "weft_batch.jsonl";
    std::filesystem::remove(file);
    const std::size_t first = run_batch(file, 300);
    std::ofstream{file, std::ios::app} << R"({"index": 30)";  // the process was killed in the middle of a line
    const std::size_t second = run_batch(file, 1'000);
    return first == 300 && second == 700 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
// [/program]
