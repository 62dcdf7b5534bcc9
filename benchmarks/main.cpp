#include "agents/agents.hpp"
#include "durable/churn.hpp"
#include "harness/bench.hpp"
#include "harness/memory.hpp"
#include "harness/report.hpp"
#include "harness/side_by_side.hpp"
#include "serve/serve_bench.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace weft_bench {

namespace {

constexpr std::string_view usage =
    "usage: weft_bench [--json] [name...]   measures all figures, or those whose names are or begin so\n"
    "       weft_bench --quick [name...]    runs each once: whether it works, not how fast it is\n"
    "       weft_bench --list               names, units and what is measured\n"
    "       weft_bench --threads <store> [threads] [steps]    what benchmarks/rivals runs of others, as JSON\n"
    "       weft_bench --serve              serves a graph of two nodes, for benchmarks/rivals/server\n"
    "       weft_bench --churn [minutes] [runs a second]    how long claims take while runs come and go\n"
    "       weft_bench --agents [agents] [turns] [delay in ms]    the same, of agents in loops with a tool\n"
    "Each figure of weft stands beside its floor: the same work by hand, measured in turn in the same run.\n"
    "Use a Release build on a quiet machine.\n";

/** The benchmarks that a name means: the one that has it, or all that begin with it. */
benchmarks select(const benchmarks& all, const std::string& name)
{
    benchmarks chosen;
    for (const benchmark& one : all)
        if (one.name == name) return {one};
    for (const benchmark& one : all)
        if (one.name.starts_with(name)) chosen.push_back(one);
    if (chosen.empty()) throw std::invalid_argument{"no benchmark '" + name + "'; weft_bench --list names them all"};
    return chosen;
}

benchmarks select(const benchmarks& all, std::span<const std::string> names)
{
    if (names.empty()) return all;
    benchmarks chosen;
    for (const std::string& name : names)
        for (benchmark& one : select(all, name)) chosen.push_back(std::move(one));
    return chosen;
}

void measure(const benchmarks& chosen, bool as_json)
{
    if (!as_json) print_table_head(std::cout);
    for (const benchmark& one : chosen) {
        const measurement found = one.measure();
        if (as_json)
            print_json_line(std::cout, one, found);
        else
            print_table_line(std::cout, one, found);
    }
}

/** What stands at a place of the arguments; without it the value that `number` has. */
template <class Number>
void read_number(const std::vector<std::string>& arguments, std::size_t place, const char* what, Number& number)
{
    if (arguments.size() <= place) return;
    const std::string& text = arguments[place];
    const char* const end = text.data() + text.size();
    const auto [behind, failed] = std::from_chars(text.data(), end, number);
    if (failed != std::errc{} || behind != end || !(number > 0) || !(number < 1e9))
        throw std::invalid_argument{arguments.front() + ": " + what + " is a number above 0, and not '" + text + "'"};
}

std::string joined(std::span<const std::string> words)
{
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

int run(std::vector<std::string> arguments)
{
    const std::string first = arguments.empty() ? "" : arguments.front();
    if (first == "--help" || first == "-h") {
        std::cout << usage;
        return 0;
    }
    if (first == "--list") {
        print_names(std::cout, all_benchmarks());
        return 0;
    }
    if (first == "--alone") {
        std::cout << do_alone(joined(std::span{arguments}.subspan(1))) << '\n';
        return 0;
    }
    if (first == "--threads" && arguments.size() > 1) {
        side_by_side_load load{arguments[1]};
        read_number(arguments, 2, "[threads]", load.threads);
        read_number(arguments, 3, "[steps]", load.steps);
        std::cout << boost::json::serialize(measure_side_by_side(load)) << '\n';
        return 0;
    }
    if (first == "--serve") {
        serve_two_nodes();
        return 0;
    }
    if (first == "--agents") {
        agents_load load;
        read_number(arguments, 1, "[agents]", load.agents);
        read_number(arguments, 2, "[turns]", load.turns);
        std::int64_t delay = load.delay.count();
        read_number(arguments, 3, "[delay in ms]", delay);
        load.delay = std::chrono::milliseconds{delay};
        std::cout << boost::json::serialize(measure_agents(load)) << '\n';
        return 0;
    }
    if (first == "--churn") {
        churn_load load;
        read_number(arguments, 1, "[minutes]", load.minutes);
        read_number(arguments, 2, "[runs a second]", load.runs_a_second);
        measure_churn(load);
        return 0;
    }
    const bool as_json = std::erase(arguments, "--json") > 0;
    if (std::erase(arguments, "--quick") > 0) take_one_turn_only();
    for (const std::string& argument : arguments)
        if (argument.starts_with("-")) throw std::invalid_argument{"unknown option '" + argument + "'"};
    measure(select(all_benchmarks(), arguments), as_json);
    return 0;
}

}  // namespace

}  // namespace weft_bench

int main(int count, char** arguments)
{
    try {
        return weft_bench::run({arguments + 1, arguments + count});
    } catch (const std::invalid_argument& e) {
        std::cerr << "weft_bench: " << e.what() << '\n' << weft_bench::usage;
        return 2;
    } catch (const std::exception& e) {
        std::cerr << "weft_bench: " << e.what() << '\n';
        return 1;
    }
}
