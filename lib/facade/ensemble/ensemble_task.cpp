#include <weft/facade/ensemble/ensemble_task.hpp>

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace weft {

namespace {

bool is_name(std::string_view text)
{
    const auto belongs = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && std::all_of(text.begin(), text.end(), belongs);
}

ensemble_history last_of(const ensemble_history& all, std::size_t count)
{
    return count >= all.size() ? all : ensemble_history(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
}

/** A text with the values of its variables; names without one are kept in it, and told. */
std::string with_variables(std::string_view text, const ensemble_inputs& inputs, std::vector<std::string>& missing)
{
    std::string resolved;
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        resolved.append(text.substr(0, open));
        text.remove_prefix(open);
        if (text.empty()) break;
        const std::size_t close = text.find('}');
        const std::string_view name = close == std::string_view::npos ? std::string_view{} : text.substr(1, close - 1);
        if (!is_name(name)) {  // JSON and the like, which stays as it is
            resolved.push_back('{');
            text.remove_prefix(1);
            continue;
        }
        const auto found = inputs.find(std::string{name});
        if (found == inputs.end()) missing.emplace_back(name);
        resolved.append(found == inputs.end() ? text.substr(0, close + 1) : std::string_view{found->second});
        text.remove_prefix(close + 1);
    }
    return resolved;
}

}  // namespace

std::string resolve_variables(std::string_view text, const ensemble_inputs& inputs)
{
    std::vector<std::string> missing;
    std::string resolved = with_variables(text, inputs, missing);
    std::string names;
    for (const std::string& name : missing) names.append(names.empty() ? "" : ", ").append(name);
    if (!missing.empty())
        throw error{errc::invalid_configuration, "variables of a task",
                    "[" + names + "] have no value; give them with the run's inputs"};
    return resolved;
}

std::string resolve_known_variables(std::string_view text, const ensemble_inputs& inputs)
{
    std::vector<std::string> missing;
    return with_variables(text, inputs, missing);
}

ensemble_task_view::ensemble_task_view(const node_context& node, const words& task, const window_function& window)
    : seen_{node}
{
    const ensemble_inputs inputs = node.value_or(ensemble_inputs_key, {});
    description_ = resolve_variables(task.description, inputs);
    expected_output_ = resolve_variables(task.expected_output, inputs);
    if (const ensemble_history* all = node.find(ensemble_history_key))
        history_ = window ? last_of(*all, window(all->size())) : *all;
    if (const ensemble_visit* prior = node.find_prior(ensemble_history_key))
        revision_ = {node.visit() - 1, node.revision_note(), prior->output};
}

std::string ensemble_task_view::prompt() const
{
    std::string text = description_;
    const auto add = [&text](std::string_view title, std::string_view body) {
        text.append(text.empty() ? "" : "\n\n").append(title).append(body.empty() ? "" : "\n").append(body);
    };
    if (!expected_output_.empty()) add("## Expected Output", expected_output_);
    if (revision_) {
        add("## Revision Instructions (Attempt " + std::to_string(revision_->attempt) + ")", {});
        add("### Feedback", revision_->feedback);
        add("### Previous Output", revision_->prior_output.text);
    }
    return text;
}

std::string ensemble_task_view::prompt_with_context(std::size_t bytes_max) const
{
    std::map<std::string, const ensemble_output*> last;
    for (const ensemble_visit& visit : history_)
        if (visit.state != state()) last[visit.state] = &visit.output;
    std::string text = prompt();
    if (!last.empty()) text += "\n\n## Context";
    for (const auto& [name, output] : last) {
        const std::string_view shown = truncated_utf8(output->text, bytes_max);
        text.append("\n\n### ").append(name).append("\n").append(shown);
        if (shown.size() < output->text.size()) text += " […]";
    }
    return text;
}

}  // namespace weft
