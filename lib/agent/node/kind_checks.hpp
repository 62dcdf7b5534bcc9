#pragma once

#include "agent/text/names.hpp"
#include "llm_prompt.hpp"

#include <weft/agent/guard/guard_tools.hpp>
#include <weft/agent/prompt/prompt_template.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/tool/tool_set.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** Says what is wrong with a template and with the keys that it names.
 *  @return   Nothing if it is no template. */
std::optional<prompt_template> check_template(node_request& request, std::string_view member, const std::string& text);
/** The same for what stands deeper in the settings. */
std::optional<prompt_template> check_template(node_request& request, const json_path& at, const std::string& text);

/** Says it if the node's `writes`, where the file gives some, do not name a key. */
void require_written(node_request& request, std::string_view member, const std::string& key);

/** The tools that the file names at `at.tools`; a mistake, and nothing, if one is not there.
 *  @param all   Null: the program has none. */
[[nodiscard]] std::optional<tool_set> tools_named(node_request& request, const json_path& at,
                                                  const std::vector<std::string>& names, const tool_set* all);

/** The same of the node's settings, for options that share their tools; null also if the file names none. */
[[nodiscard]] std::shared_ptr<const tool_set> shared_tools_named(node_request& request,
                                                                 const std::vector<std::string>& names,
                                                                 const tool_set* all);

/** The options with the guardrails of the file; as they are if those have faults.
 *  @param model   That rules are checked by; may be null. */
[[nodiscard]] tool_runner_options guarded_options(const tool_guards_settings& guards, tool_runner_options options,
                                                  const std::shared_ptr<chat_model>& model);

/** The guardrails of a node's model, those of the program before those of the file; null if there are none, or faults.
 *  @param model   Null: a dry run, in which nothing that is said is looked at. */
[[nodiscard]] std::shared_ptr<const guardrails> model_guards(const guards_settings& guards,
                                                             const std::shared_ptr<const guardrails>& program,
                                                             const std::shared_ptr<chat_model>& model);

/** Says a fault that is written as `member: text`, e.g. `limits[0].name: is empty`, where that is below `at`. */
void tell_fault(node_request& request, const json_path& at, std::string_view fault);
void tell_faults(node_request& request, const json_path& at, const std::vector<std::string>& faults);

/** The same for faults of the node's settings. */
void tell_faults(node_request& request, const std::vector<std::string>& faults);

/** The work that a function makes; an error that it throws becomes a mistake of a member of the settings. */
template <class Make>
[[nodiscard]] std::shared_ptr<const node_body> made_or_mistake(node_request& request, std::string_view member,
                                                               Make make)
{
    try {
        return make();
    } catch (const error& e) {
        request.mistake(member, e.detail());
        return nullptr;
    }
}

/** Says it if the node has no `writes`, which the answer of a model must go to. */
void check_has_writes(node_request& request);

/** Of the node's `writes`, those that the graph declares without mistake. */
[[nodiscard]] std::vector<std::string> written_keys(const node_request& request);

[[nodiscard]] const value_type& update_type(const node_request& request, const std::string& key);

/** What the node says of the keys that an answer is for, with these settings. */
[[nodiscard]] llm_node_options llm_options_of(const node_request& request, llm_settings settings);

/** Without a model and a script there must be values that can be made up. */
void check_dry_run(node_request& request, const llm_node_options& options);

}  // namespace weft::agent_detail
