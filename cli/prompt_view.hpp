#pragma once

#include <weft/agent/prompt_sections.hpp>
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

/** What a node would tell its model first. */
struct prompt_view {
    std::string node = {};
    std::optional<weft::composed_prompt> layers = {};  ///< Of a node whose prompt has layers.
    std::vector<weft::message> messages = {};
    std::vector<weft::tool_spec> tools = {};
    std::vector<std::string> warnings = {};
};

/** Has a node of a file, of the kind `llm` or `event_loop`, say what it would tell its model: runs it alone, with a
 *  model that takes note and answers nothing. The same file and values give the same view.
 *
 *  @param inputs   Values of keys, beside those that the file begins with.
 *  @param tools    What the file can name as tools; they are not called.
 *  @par Errors     `usage_error`: there is no such node, or it asks no model; says which do. */
[[nodiscard]] prompt_view view_prompt(const weft::graph_spec& spec, std::string_view node, boost::json::object inputs,
                                      std::shared_ptr<const weft::tool_set> tools);

/** The same for people: the layers with what became of them, then the messages and the tools. */
[[nodiscard]] std::string text_of(const prompt_view& view);

}  // namespace weft_cli
