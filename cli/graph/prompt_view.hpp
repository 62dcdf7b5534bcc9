#pragma once

#include <weft/agent/prompt/prompt_sections.hpp>
#include <weft/chat/message.hpp>
#include <weft/chat/tool_spec.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** What a node, or one of its agents, would tell its model first. */
struct prompt_view {
    std::string node = {};
    std::string agent = {};  ///< Of a node with several: its name. Empty: the node itself.
    std::optional<weft::composed_prompt> layers = {};  ///< Of a node whose prompt has layers.
    std::vector<weft::message> messages = {};
    std::vector<weft::tool_spec> tools = {};
    std::vector<std::string> warnings = {};
};

/** Has a node of a file that asks a model say what it would tell it: runs it alone, with a model that takes note and
 *  answers nothing. Of a team it shows each member as the one who begins, of a supervisor its workers too, as with a
 *  task. Guardrails are left out. The same file and values give the same views.
 *
 *  @param inputs   Values of keys, beside those that the file begins with.
 *  @param tools    What the file can name as tools; they are not called.
 *  @return         One view, or one for each agent.
 *  @par Errors     `usage_error`: there is no such node, or it asks no model; says which do. */
[[nodiscard]] std::vector<prompt_view> view_prompts(const weft::graph_spec& spec, std::string_view node,
                                                    const boost::json::object& inputs,
                                                    const std::shared_ptr<const weft::tool_set>& tools);

/** The same for people: the layers with what became of them, then the messages and the tools. */
[[nodiscard]] std::string text_of(const prompt_view& view);

}  // namespace weft_cli
