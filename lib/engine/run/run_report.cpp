#include "engine/scheduler/command_mistake.hpp"
#include "run_rare_part.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <algorithm>
#include <utility>

namespace weft {

node_context::visit_info run::visit_of(const token& t, const graph_node& node) const noexcept
{
    return {node.name, t.visit, t.attempt, node.scope.get(),
            node.joins_conversation ? graph_.conversation_slot() : state_layout::none};
}

void run::give_what_was(node_context& context, const token& t)
{
    const bool has_history = graph_.node(t.node).gives_feedback && t.visit > 1;
    context.set_past({t.previous.get(), t.branches.get(),
                      has_history ? scheduler_.where().last_outputs_of(t.node) : nullptr});
}

/** A node has returned `answer`. */
void run::report(token_index index, node_context& context, command&& answer)
{
    if (rare_ && !rare_->inner.empty())
        if (auto paused = take_paused_inner(index)) return scheduler_.node_paused(index, std::move(paused));
    if (answer.which() == command::kind::fail)
        return report_failure(index, context, make_failure(context, errc::node_failed, answer.text()), false);
    try {
        for (state_update::item& item : answer.update().items())
            context.write({context.layout().require(item.key, context.node()), item.is_overwrite, false,
                           std::move(item.value)});
    } catch (const error&) {
        return report_exception(index, context, std::current_exception(), false);
    }
    const graph_node& node = graph_.node(scheduler_.at(index).node);
    if (names_a_place(answer))
        if (auto wrong = mistake_of(graph_, node, answer))
            return report_failure(index, context, make_failure(context, wrong->code, std::move(wrong->text)), false);
    if (node.owes_outputs)
        if (failure_ptr cause = check_outputs(context, node)) return report_failure(index, context, cause, true);
    if (node.joins_conversation) {
        try {
            graph_.conversation()->leave(context);
        } catch (const std::exception&) {
            return report_exception(index, context, std::current_exception(), false);
        }
    }
    if (answer.which() == command::kind::fan_out) return report_items(index, context, std::move(answer));
    if (is_watched()) tell_node(run_event::kind::node_succeeded, context, index);
    const std::string visit = visit_to_settle(index);
    scheduler_.node_succeeded(index, std::move(context.writes()), answer);
    settle_visit(visit);
}

void run::report_stopped(token_index index, node_context& context)
{
    if (is_watched()) tell_node(run_event::kind::node_failed, context, index, std::string{run_event::stopped});
    if (rare_) static_cast<void>(take_paused_inner(index));
    const std::string visit = visit_to_settle(index);
    scheduler_.node_stopped(index, std::move(context.writes()));
    if (!scheduler_.at(index).is_visited_again()) settle_visit(visit);
}

void run::report_failure(token_index index, node_context& context, failure_ptr cause, bool may_retry)
{
    if (is_watched()) tell_node(run_event::kind::node_failed, context, index, cause->message);
    if (rare_) static_cast<void>(take_paused_inner(index));
    const std::string visit = visit_to_settle(index);
    scheduler_.node_failed(index, std::move(cause), loop_.random().uniform(), may_retry);
    if (!scheduler_.at(index).is_visited_again()) settle_visit(visit);
}

void run::report_exception(token_index index, node_context& context, const std::exception_ptr& cause, bool may_retry)
{
    report_failure(index, context, make_failure(context, code_of(cause), typed_text_of(cause), cause), may_retry);
}

failure_ptr run::make_failure(const node_context& context, errc code, std::string detail,
                              std::exception_ptr cause) const
{
    failure result;
    result.code = code;
    result.node = context.node();
    result.visit = context.visit();
    result.attempt = context.attempt();
    result.message = "node '" + result.node + "', visit " + std::to_string(result.visit) + ", attempt " +
                     std::to_string(result.attempt) + ": ";
    // The text of an error already says its sentence.
    if (!cause) result.message.append(describe(code)).append(detail.empty() ? "" : ": ");
    result.message += detail;
    result.cause = std::move(cause);
    return std::make_shared<const failure>(std::move(result));
}

void run::report_items(token_index index, node_context& context, command&& answer)
{
    sent_items items;
    try {
        items = resolve_items(answer);
    } catch (const error&) {
        return report_exception(index, context, std::current_exception(), false);
    }
    if (is_watched()) tell_node(run_event::kind::node_succeeded, context, index);
    const std::string visit = visit_to_settle(index);
    scheduler_.node_sent(index, std::move(context.writes()), std::move(items));
    settle_visit(visit);
}

namespace {

/** The slot of a key, remembered for the next time that it is asked for in a row. */
class slot_memory {
public:
    explicit slot_memory(const state_layout& layout) noexcept : layout_{layout} {}

    std::uint32_t require(const any_state_key& key, std::string_view node)
    {
        if (!type_ || key.name != name_ || key.type != type_) {
            slot_ = layout_.require(key, node);
            name_ = key.name;
            type_ = key.type;
        }
        return slot_;
    }

private:
    const state_layout& layout_;
    std::string_view name_;
    const key_type* type_ = nullptr;
    std::uint32_t slot_ = 0;
};

}  // namespace

sent_items run::resolve_items(command& answer) const
{
    sent_items items;
    items.reserve(answer.items()->size());
    // Most items go to one node, with values of the same keys.
    const std::string* last_name = nullptr;
    node_index last_target = no_node;
    slot_memory slots{*graph_.layout()};
    for (send& from : *answer.items()) {
        if (!last_name || from.node() != *last_name) last_target = graph_.find(from.node());
        last_name = &from.node();
        sent_item item;
        item.target = last_target;
        if (item.target == no_node || item.target == weft::start_node || item.target == end_node ||
            graph_.node(item.target).is_deferred)
            throw error{errc::unknown_node, "item " + std::to_string(items.size()) + " of a fan-out",
                        "it is sent to '" + from.node() + "'; name a node of the graph that is not deferred"};
        item.input.reserve(from.values().items().size());
        for (state_update::item& value : from.values().items()) {
            const std::uint32_t slot = slots.require(value.key, from.node());
            require_finite(value.value, (*graph_.layout())[slot], from.node());
            item.input.push_back({slot, true, false, std::move(value.value)});
        }
        item.timeout = from.limit();
        items.push_back(std::move(item));
    }
    return items;
}

namespace {

/** What is wrong with a value that a node owes; empty if nothing is. */
std::string fault_of(const value_ptr& value, const key_type& type, std::size_t text_max)
{
    if (!value) return "has no value";
    if (!type.value->to_json) return {};
    boost::json::value json;
    try {
        json = type.value->to_json(*value);
    } catch (const error& e) {
        return "cannot be written as JSON: " + e.detail();
    }
    if (json.is_null()) return "is null";
    if (!json.is_string()) return {};
    const std::string_view text = json.get_string();
    if (text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) return "is blank";
    if (text.size() > text_max)
        return "has " + std::to_string(text.size()) + " characters, and " + std::to_string(text_max) + " are allowed";
    return {};
}

/** What is wrong with the value of a key by its schema; empty if nothing is. */
std::string faults_by_schema(const std::string& key, const json_schema& schema, const value_box& value,
                             const key_type& type)
{
    std::string faults;
    const auto add = [&](std::string_view path, std::string_view text) {
        faults.append(faults.empty() ? "key '" : "; key '").append(key).append("'");
        if (path != "$") faults.append(" at ").append(path);
        faults.append(": ").append(text);
    };
    try {
        for (const schema_mistake& m : schema.mistakes(type.value->to_json(value))) add(m.path, m.text);
    } catch (const error& e) {
        add(e.where(), "cannot be written as JSON: " + e.detail());
    }
    return faults;
}

void append_fault(std::string& faults, const std::string& fault)
{
    if (!fault.empty()) faults.append(faults.empty() ? "" : "; ").append(fault);
}

}  // namespace

failure_ptr run::check_outputs(const node_context& context, const graph_node& node) const
{
    const output_check& owed = node.options.outputs;
    std::string faults;
    if (owed.required)
        for (const std::string& name : *node.options.writes) {
            if (std::find(owed.nullable.begin(), owed.nullable.end(), name) != owed.nullable.end()) continue;
            const std::uint32_t slot = context.layout().find(name);
            const std::string fault = fault_of(context.value_at(slot), *context.layout()[slot].type, owed.text_max);
            append_fault(faults, fault.empty() ? "" : "key '" + name + "' " + fault);
        }
    for (const auto& [name, schema] : owed.schemas) {
        const std::uint32_t slot = context.layout().find(name);
        if (const value_ptr& value = context.value_at(slot))
            append_fault(faults, faults_by_schema(name, schema, *value, *context.layout()[slot].type));
    }
    if (faults.empty() && owed.passes) {
        try {
            faults = owed.passes(context);
        } catch (...) {
            faults = "the check of its outputs threw: " + text_of(std::current_exception());
        }
    }
    return faults.empty() ? nullptr : make_failure(context, errc::invalid_output, std::move(faults));
}

}  // namespace weft
