// Cookbook: structured output. A model fills a C++ struct; a reply that does not fit is asked for again.

// [program]
#include <weft/agent/llm_node.hpp>
#include <weft/base/environment.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The JSON Schema that the model gets follows from the struct: an enum is its names, an optional may be left out.
enum class severity { low, high, outage };
BOOST_DESCRIBE_ENUM(severity, low, high, outage)

struct ticket {
    std::string title;
    severity level = severity::low;
    std::vector<std::string> products;
    std::optional<std::string> order_number;
};
BOOST_DESCRIBE_STRUCT(ticket, (), (title, level, products, order_number))

inline constexpr weft::state_key<std::string> mail{"mail"};
inline constexpr weft::state_key<ticket> filed{"ticket"};

// Without a model in the environment a script answers: first with a level that is none, then well.
std::shared_ptr<weft::chat_model> make_model()
{
    if (auto named = weft::read_any_model_environment(weft::process_environment()))
        return weft::make_model(weft::http_client{}, std::move(*named));
    using weft::testing::scripted_turn;
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(scripted_turn{R"({"ticket": {"title": "No heating", "level": "terrible", "products": ["H2"]}})"})
        .then(scripted_turn{R"({"ticket": {"title": "No heating", "level": "outage", "products": ["H2"]}})"});
    return script;
}

weft::graph make_graph(std::shared_ptr<weft::chat_model> model)
{
    weft::llm_node_options reading;
    reading.settings.system = "You file tickets for a heating company.";
    reading.settings.prompt = "File this mail:\n{mail}";
    reading.writes = {"ticket"};
    reading.descriptions = {{"ticket", "What the customer reports. An outage is a house without heating."}};
    // A reply that does not fit fails the attempt. The next prompt says what was wrong with it.
    weft::node_options options;
    options.retry = {.attempts_max = 3, .initial = std::chrono::milliseconds{20}};
    return weft::graph_builder{"tickets"}
        .state(mail, filed)
        .node("file", weft::llm_node{std::move(model), std::move(reading)}, options)
        .edge(weft::start, "file")
        .edge("file", weft::end)
        .build();
}

int main()
{
    const weft::graph graph = make_graph(make_model());
    const weft::run_result result = weft::run_blocking(
        graph, weft::run_request{}.input(mail, "Since this morning our H2 does not heat. Please come!"));
    if (result.status != weft::run_status::finished) {
        std::cerr << result.message() << '\n';  // the node, the attempt and the JSON path that does not fit
        return 1;
    }
    const ticket& found = result.state.get(filed);
    std::cout << found.title << (found.level == severity::outage ? ", urgent" : "") << ", "
              << found.products.size() << " product(s), order " << found.order_number.value_or("unknown") << '\n'
              << "attempts: " << result.retries + 1 << '\n';
}
// [/program]
