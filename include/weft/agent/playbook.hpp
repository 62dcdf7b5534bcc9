#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What a node of a playbook does. In files with dashes: `tool-call`. */
enum class playbook_subtype : std::uint8_t {
    trigger,       ///< Where it begins; its result is what the playbook is started with.
    agent,         ///< A fresh agent does what `prompt` says.
    tool_call,     ///< One call of `tool` with `arguments`.
    router,        ///< A model chooses one of `routes`; handles `route-0`, `route-1`, …
    condition,     ///< Whether `condition` holds; handles `condition-true` and `condition-false`. See `condition_mode`.
    wait,          ///< `amount` of `unit`.
    parallel,      ///< All nodes behind it at once.
    merge,         ///< Where they meet.
    loop,          ///< Handles `loop-body`, whose last node leads back here, and `loop-exit`.
    sub_workflow,  ///< Another playbook, `workflow`, which is started with `prompt`.
    response,      ///< Says `prompt`.
    user_input,    ///< Asks a person `prompt`.
    transfer,      ///< Ends all playbooks at work and goes on with `workflow`, which is started with `prompt`.
    function,              ///< As `tool_call`, of a function of the program.
    integration_call,      ///< As `tool_call`, of a service elsewhere.
    orchestrator_prompt,   ///< A model answers `prompt`, without tools.
    desktop_notification,  ///< Emits `prompt` as the event `notification`.
};
BOOST_DESCRIBE_ENUM(playbook_subtype, trigger, agent, tool_call, router, condition, wait, parallel, merge, loop,
                    sub_workflow, response, user_input, transfer, function, integration_call, orchestrator_prompt,
                    desktop_notification)

/** A node of a playbook, as a file says it. Texts are templates: `{{trigger}}`, `{{label.result}}`,
 *  `{{label.threadId}}`. Which members a node needs follows from its subtype. */
struct playbook_node {
    static constexpr std::array<std::string_view, 2> required_members{"id", "subtype"};

    std::string id{};
    std::string subtype{};
    std::string label{};   ///< For templates and people; empty: the id.
    std::string prompt{};
    std::string before{};  ///< Of an agent: by this a model makes its task out of `prompt`.
    std::string after{};   ///< Of an agent: by this a model makes the node's result out of what it hands back.
    std::string tool{};
    boost::json::object arguments{};  ///< Texts in it are templates.
    std::vector<std::string> routes{};
    /** `true` or `yes`, or `X contains Y`, once its templates are filled in; or a statement in words for a model. */
    std::string condition{};
    double amount = 0;
    std::string unit = "seconds";     ///< Or `minutes`, `hours`.
    std::string strategy = "wait-all";  ///< Of `parallel`: or `first`, which ends the others.
    std::int64_t max_iterations = 10;
    /** Of loops and conditions: `llm` asks a model whether `condition` holds, `template` compares texts. Empty: a loop
     *  compares; a condition asks if `is_natural_language`. */
    std::string condition_mode{};
    std::string workflow{};

    [[nodiscard]] const std::string& name() const noexcept { return label.empty() ? id : label; }
    /** How long a node that waits does so; nothing if the unit is none. */
    [[nodiscard]] std::optional<std::chrono::milliseconds> span() const noexcept;
    /** Whether it has this subtype. What reads a playbook asks by this; `subtype` is the text of the file. */
    [[nodiscard]] bool is(playbook_subtype wanted) const;
    /** Whether it is one of the subtypes that call a tool. */
    [[nodiscard]] bool calls_tool() const;
    /** Whether it cannot do without a model. */
    [[nodiscard]] bool asks_model() const;
    /** Its ways out, as edges name them; empty if it has none of its own: then its edges name none. */
    [[nodiscard]] std::vector<std::string> handles() const;

    friend bool operator==(const playbook_node&, const playbook_node&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_node, (),
                      (id, subtype, label, prompt, before, after, tool, arguments, routes, condition, amount, unit,
                       strategy, max_iterations, condition_mode, workflow))

/** From one node to another, perhaps by one of the ways out that a node has. */
struct playbook_edge {
    static constexpr std::array<std::string_view, 2> required_members{"source", "target"};

    std::string source{};
    std::string target{};
    std::string handle{};

    friend bool operator==(const playbook_edge&, const playbook_edge&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_edge, (), (source, target, handle))

/** A workflow as a file says it. */
struct playbook_definition {
    static constexpr std::array<std::string_view, 2> required_members{"name", "nodes"};

    std::string name{};
    std::string description{};
    std::vector<playbook_node> nodes{};
    std::vector<playbook_edge> edges{};

    /** Null if there is none of that id. */
    [[nodiscard]] const playbook_node* find(std::string_view id) const noexcept;

    friend bool operator==(const playbook_definition&, const playbook_definition&) = default;
};
BOOST_DESCRIBE_STRUCT(playbook_definition, (), (name, description, nodes, edges))

/** Playbooks by name, for those that name each other. */
using playbook_library = std::map<std::string, playbook_definition, std::less<>>;

/** One mistake of a playbook, and where it is. */
struct playbook_mistake {
    std::string path{};  ///< E.g. `$.nodes[3].routes`.
    std::string text{};  ///< What is wrong, and what to do.

    friend bool operator==(const playbook_mistake&, const playbook_mistake&) = default;
};

/** All mistakes of a playbook: `errc::invalid_graph`. */
class playbook_error : public error {
public:
    playbook_error(std::string_view name, std::vector<playbook_mistake> mistakes);
    [[nodiscard]] const std::vector<playbook_mistake>& mistakes() const noexcept { return mistakes_; }

private:
    std::vector<playbook_mistake> mistakes_;
};

/** The subtype of that name, with dashes; nothing if there is none. */
[[nodiscard]] std::optional<playbook_subtype> playbook_subtype_named(std::string_view name);
/** As it is written in files. */
[[nodiscard]] std::string name_of(playbook_subtype subtype);

/** Reads a playbook.
 *  @par Errors   `errc::invalid_json`; `playbook_error` with every mistake: of the shape, and those that
 *                `mistakes_of` finds. */
[[nodiscard]] playbook_definition read_playbook(std::string_view text);

/** What is wrong with a playbook that has the right shape: every mistake, with its path. */
[[nodiscard]] std::vector<playbook_mistake> mistakes_of(const playbook_definition& of);

}  // namespace weft
