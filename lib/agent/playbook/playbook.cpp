#include <weft/agent/playbook.hpp>

#include <weft/base/json.hpp>
#include <weft/base/suggestion.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include "playbook_text.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** Keeps the mistakes of a playbook's shape. */
class playbook_mistakes final : public spec_mistakes {
public:
    void add(const json_path& at, std::string text) override { found.push_back({at.text(), std::move(text)}); }
    void add_at_name(const json_path& at, std::string text) override { add(at, std::move(text)); }
    [[nodiscard]] std::size_t count() const noexcept override { return found.size(); }

    std::vector<playbook_mistake> found;
};

std::string text_of_mistakes(const std::vector<playbook_mistake>& mistakes)
{
    std::string text;
    for (const playbook_mistake& mistake : mistakes)
        text.append(text.empty() ? "" : "\n").append(mistake.path).append(": ").append(mistake.text);
    return text;
}

}  // namespace

const playbook_node* playbook_definition::find(std::string_view id) const noexcept
{
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const playbook_node& n) { return n.id == id; });
    return found == nodes.end() ? nullptr : &*found;
}

std::optional<std::chrono::milliseconds> playbook_node::span() const noexcept
{
    const double seconds = unit == "seconds" ? 1 : unit == "minutes" ? 60 : unit == "hours" ? 3600 : 0;
    if (seconds == 0) return std::nullopt;
    const double most = 1e12;  // more is refused, and must not overflow before
    return std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(amount * seconds * 1000, 0.0, most))};
}

std::vector<std::string> playbook_node::handles() const
{
    if (is(playbook_subtype::condition)) return {"condition-true", "condition-false"};
    if (is(playbook_subtype::loop)) return {"loop-body", "loop-exit"};
    std::vector<std::string> all;
    if (is(playbook_subtype::router))
        for (std::size_t i = 0; i < routes.size(); ++i) all.push_back("route-" + std::to_string(i));
    return all;
}

bool playbook_node::is(playbook_subtype wanted) const { return playbook_subtype_named(subtype) == wanted; }

bool playbook_node::calls_tool() const
{
    return is(playbook_subtype::tool_call) || is(playbook_subtype::function) || is(playbook_subtype::integration_call);
}

bool playbook_node::asks_model() const
{
    if (is(playbook_subtype::loop)) return condition_mode == "llm";
    if (is(playbook_subtype::condition))
        return condition_mode == "llm" || (condition_mode.empty() && is_natural_language(condition));
    return is(playbook_subtype::agent) || is(playbook_subtype::router) || is(playbook_subtype::orchestrator_prompt);
}

playbook_error::playbook_error(std::string_view name, std::vector<playbook_mistake> mistakes)
    : error{errc::invalid_graph, "playbook '" + std::string{name} + "'", text_of_mistakes(mistakes)},
      mistakes_{std::move(mistakes)}
{
}

std::optional<playbook_subtype> playbook_subtype_named(std::string_view name)
{
    std::string identifier{name};
    if (identifier.find('_') != std::string::npos) return std::nullopt;
    std::replace(identifier.begin(), identifier.end(), '-', '_');
    std::optional<playbook_subtype> found;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<playbook_subtype>>([&](auto descriptor) {
        if (identifier == descriptor.name) found = descriptor.value;
    });
    return found;
}

std::string name_of(playbook_subtype subtype)
{
    std::string name{boost::describe::enum_to_string(subtype, "")};
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

playbook_definition read_playbook(std::string_view text)
{
    const boost::json::value whole = parse_json(text);
    playbook_mistakes mistakes;
    playbook_definition read;
    const json_path root;
    spec_detail::read_into(read, whole, root, mistakes);
    if (mistakes.found.empty()) mistakes.found = mistakes_of(read);
    if (!mistakes.found.empty()) throw playbook_error{read.name, std::move(mistakes.found)};
    return read;
}

}  // namespace weft
