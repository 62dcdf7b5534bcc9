#pragma once

#include <weft/base/list.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/node_options.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/** Several agents at one task, as graphs: `patterns::sequence`, `concurrent`, `debate`, `plan_and_execute` and
 *  `map_reduce`. Each reads the key `task` and writes the key `answer`, and so does each of its participants: a pattern
 *  can take part in another one. */
namespace weft::patterns {

/** What is to be done; what a pattern and each participant begin with. */
inline constexpr state_key<std::string> given_task{"task"};
/** What came of it. */
inline constexpr state_key<std::string> answer{"answer"};

/** An answer of a participant. */
struct contribution {
    std::string by{};        ///< Its name.
    std::int64_t place = 0;  ///< Among the participants, or of the item, from 0.
    std::int64_t round = 1;  ///< Of a debate, from 1.
    std::string text{};

    friend bool operator==(const contribution&, const contribution&) = default;
};
BOOST_DESCRIBE_STRUCT(contribution, (), (by, place, round, text))

}  // namespace weft::patterns

namespace weft {

extern template struct compiled_value<patterns::contribution>;
extern template struct compiled_value<list<patterns::contribution>>;
extern template struct compiled_key<list<patterns::contribution>, append>;

}  // namespace weft

namespace weft::patterns {

/** Everything that the participants of a pattern have answered so far, round by round, in the order in which they are
 *  given. */
inline constexpr state_key<list<contribution>, append> contributions{"contributions"};

/** An agent that takes part in a pattern: a graph, or a node that becomes one, with the keys `task` and `answer`.
 *
 *      weft::llm_node_options options{.settings = {.system = "You doubt.", .prompt = "{task}"}, .writes = {"answer"}};
 *      weft::patterns::participant sceptic{"sceptic", weft::llm_node{model, std::move(options)}};
 *
 *  In a pattern it runs in a state of its own, which begins with its task, and of which only the answer is kept.
 *
 *  @par Errors        `errc::invalid_configuration` if the name is empty or the graph has not both keys as texts;
 *                     `graph_error` if the node cannot be one.
 *  @par Thread safety   As a value. */
class participant {
public:
    participant(std::string name, weft::graph of);
    /** @param options   Of the node, e.g. its retries and its timeout. */
    participant(std::string name, std::shared_ptr<const node_body> work, node_options options = {});
    template <class Function>
        requires node_function<std::decay_t<Function>>
    participant(std::string name, Function&& work, node_options options = {})
        : participant{std::move(name), make_node_body(std::forward<Function>(work)), std::move(options)}
    {
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }

private:
    std::string name_;
    weft::graph graph_;
};

/** Of contributions those of one round, in the order of their places. */
[[nodiscard]] std::vector<contribution> of_round(const list<contribution>& all, std::int64_t round);

/** Contributions as text for a participant: `### <name>` and a line end before each. */
[[nodiscard]] std::string told(const std::vector<contribution>& what);

/** A text as votes are compared: small letters of ASCII, runs of blanks as one, nothing at the ends but words. */
[[nodiscard]] std::string as_vote(std::string_view text);

/** Chooses one of several answers, of which there is at least one: its index. */
using chooser = std::function<std::size_t(const std::vector<contribution>&)>;

/** The answer that most participants gave, as `as_vote` compares them; of several the one that was first in the order
 *  of the participants. */
[[nodiscard]] std::size_t majority(const std::vector<contribution>& candidates);

/** The answer with the highest score; of several the first.
 *  @param score   A NaN counts as the lowest. */
[[nodiscard]] chooser best_by(std::function<double(const contribution&)> score);

}  // namespace weft::patterns
