#include <weft/agent/guard/guard_settings.hpp>

#include <weft/agent/guard/ready_guardrails.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/model/chat_model.hpp>

#include <set>
#include <utility>

namespace weft {

namespace {

guard_verdict no_model(const guard_subject&)
{
    throw error{errc::invalid_configuration, {}, "no model is configured that could check the rule"};
}

/** A check that refuses what it would trip on. The reason is not for the model: it may have the text in it. */
task<guard_verdict> refuse_instead(guardrail::function check, guard_subject subject, std::string name)
{
    guard_verdict verdict = co_await check(std::move(subject));
    if (verdict.action == guard_action::trip)
        verdict = guard_verdict::refuse("it does not pass the check '" + name + "'");
    co_return verdict;
}

guardrail guardrail_of(const guard_settings& settings, const std::shared_ptr<chat_model>& model)
{
    guardrail made;
    if (!settings.words.empty()) made = words_guardrail(settings.name, settings.words);
    else if (settings.chars_max) made = length_guardrail(settings.name, static_cast<std::size_t>(*settings.chars_max));
    else if (settings.injections) made = injection_guardrail(settings.name);
    else if (model) made = model_guardrail(settings.name, model, settings.rule, {.model = settings.model});
    else made = make_guardrail(settings.name, &no_model);
    if (settings.action == guard_action::refuse)
        made.check = [check = std::move(made.check), name = settings.name](guard_subject subject) {
            return refuse_instead(check, std::move(subject), name);
        };
    if (settings.timing) made.timing = *settings.timing;
    made.on_failure = settings.on_failure;
    if (settings.timeout) made.timeout = spec_duration::parse(*settings.timeout)->span();
    return made;
}

void add_faults_of_list(std::vector<std::string>& faults, const std::vector<guard_settings>& list,
                        const std::string& member)
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string at = member + "[" + std::to_string(i) + "].";
        if (const std::string fault = list[i].fault(); !fault.empty()) faults.push_back(at + fault);
        else if (list[i].action == guard_action::refuse && !member.starts_with("tool_"))
            faults.push_back(at + "action: only calls and results of tools can be refused");
        else if (!names.insert(list[i].name).second)
            faults.push_back(at + "name: another guardrail has it: choose a name of its own");
    }
}

void refuse_faults(const std::vector<std::string>& faults)
{
    if (!faults.empty()) throw error{errc::invalid_configuration, "guards", faults.front()};
}

void add_guardrails(std::vector<guardrail>& to, const std::vector<guard_settings>& list,
                    const std::shared_ptr<chat_model>& model)
{
    for (const guard_settings& one : list) to.push_back(guardrail_of(one, model));
}

}  // namespace

std::string guard_settings::fault() const
{
    if (name.empty()) return "name: is empty: events and errors tell it";
    const int ways = int{!rule.empty()} + int{!words.empty()} + int{chars_max.has_value()} + int{injections};
    if (ways == 0) return "rule: there is nothing to check: give rule, words, chars_max or injections";
    if (ways > 1) return "rule: there is more than one thing to check: make guardrails of their own of them";
    if (!model.empty() && rule.empty()) return "model: only a rule is checked by a model";
    if (chars_max && *chars_max < 0) return "chars_max: is negative: it is at least 0";
    if (action != guard_action::trip && action != guard_action::refuse) return "action: is 'trip' or 'refuse'";
    if (timeout && !spec_duration::parse(*timeout))
        return "timeout: '" + *timeout + "' is no span of time: write it as 250ms, 20s or 5m";
    return {};
}

std::vector<std::string> guards_settings::faults() const
{
    std::vector<std::string> faults;
    add_faults_of_list(faults, input, "input");
    add_faults_of_list(faults, output, "output");
    return faults;
}

std::shared_ptr<const guardrails> guards_settings::make(const std::shared_ptr<chat_model>& model) const
{
    if (is_empty()) return nullptr;
    refuse_faults(faults());
    auto made = std::make_shared<guardrails>();
    add_guardrails(made->input, input, model);
    add_guardrails(made->output, output, model);
    made->release = release;
    return made;
}

std::vector<std::string> tool_guards_settings::faults() const
{
    std::vector<std::string> faults;
    add_faults_of_list(faults, tool_call, "tool_call");
    add_faults_of_list(faults, tool_result, "tool_result");
    return faults;
}

std::shared_ptr<const guardrails> tool_guards_settings::make(const std::shared_ptr<chat_model>& model) const
{
    if (is_empty()) return nullptr;
    refuse_faults(faults());
    auto made = std::make_shared<guardrails>();
    add_guardrails(made->tool_call, tool_call, model);
    add_guardrails(made->tool_result, tool_result, model);
    return made;
}

std::vector<std::string> agent_guards_settings::faults() const
{
    std::vector<std::string> faults = guards_settings::faults();
    for (std::string& fault : tool_guards_settings::faults()) faults.push_back(std::move(fault));
    return faults;
}

bool guards_settings::is_empty() const noexcept { return input.empty() && output.empty(); }

bool tool_guards_settings::is_empty() const noexcept { return tool_call.empty() && tool_result.empty(); }

}  // namespace weft
